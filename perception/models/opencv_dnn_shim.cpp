#include "perception/models/opencv_dnn_shim.h"

#include <opencv2/core/utils/logger.hpp>
#include <opencv2/dnn.hpp>

#include <algorithm>
#include <exception>
#include <memory>
#include <string>
#include <vector>

struct pov_network {
    cv::dnn::Net net;
    std::vector<cv::Mat> outputs;
};

namespace
{
/* OpenCV's exceptions hold the text that it would print. */
class Silence
{
    cv::utils::logging::LogLevel before;

  public:
    Silence() : before(cv::utils::logging::setLogLevel(cv::utils::logging::LOG_LEVEL_SILENT))
    {
    }
    ~Silence()
    {
        cv::utils::logging::setLogLevel(before);
    }
};

pov_status one_line(std::string message)
{
    std::replace(message.begin(), message.end(), '\n', ' ');
    return pov_error("OpenCV: %s", message.c_str());
}

/* Runs `body`; what OpenCV or the standard library throws becomes a status. */
template <typename Body> pov_status guarded(Body body) noexcept
{
    try {
        const Silence silence;
        body();
        return pov_ok();
    } catch (const cv::Exception &problem) {
        return one_line(problem.err);
    } catch (const std::exception &problem) {
        return one_line(problem.what());
    } catch (...) {
        return pov_error("OpenCV: unknown exception");
    }
}

pov_tensor borrow(cv::Mat &output)
{
    if (output.depth() != CV_32F || !output.isContinuous()) {
        cv::Mat copy;
        output.convertTo(copy, CV_32F);
        output = copy;
    }
    pov_tensor tensor = {};
    tensor.dims = std::min<int>(output.dims, POV_TENSOR_DIMS_MAX);
    CV_Assert(output.dims == tensor.dims);
    std::copy_n(output.size.p, tensor.dims, tensor.size);
    tensor.values = output.ptr<float>();
    return tensor;
}
} // namespace

pov_status pov_network_new(pov_network **network, const void *onnx, size_t length)
{
    *network = nullptr;
    return guarded([&] {
        auto made = std::make_unique<pov_network>();
        made->net = cv::dnn::readNetFromONNX(static_cast<const char *>(onnx), length);
        made->net.setPreferableBackend(cv::dnn::DNN_BACKEND_OPENCV);
        made->net.setPreferableTarget(cv::dnn::DNN_TARGET_CPU);
        *network = made.release();
    });
}

void pov_network_destroy(pov_network **network)
{
    if (!network)
        return;
    delete *network;
    *network = nullptr;
}

pov_status pov_network_set_input(pov_network *network, const char *name, const pov_tensor *input)
{
    return guarded([&] {
        const cv::Mat numbers(input->dims, input->size, CV_32F, const_cast<float *>(input->values));
        network->net.setInput(numbers, name);
    });
}

pov_status pov_network_run(pov_network *network, pov_tensor *outputs, const char *const names[], int len)
{
    std::fill_n(outputs, len, pov_tensor());
    return guarded([&] {
        network->net.forward(network->outputs, std::vector<cv::String>(names, names + len));
        std::transform(network->outputs.begin(), network->outputs.end(), outputs, borrow);
    });
}
