#include "perception/models/network_backend.h"

#include <opencv2/core/utils/logger.hpp>
#include <opencv2/dnn.hpp>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <memory>
#include <string>
#include <vector>

namespace
{
struct Network {
    cv::dnn::Net net;
    std::vector<cv::Mat> outputs;
};

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

pov_status load_network(void **impl, pov_engine_report *report, const pov_onnx_model *model,
                        pov_provider provider)
{
    std::snprintf(report->on, sizeof report->on, "OpenCV %s, cpu", CV_VERSION);
    if (provider != POV_PROVIDER_CPU)
        std::snprintf(report->instead_of, sizeof report->instead_of,
                      "%s is a provider of backend: onnxruntime; OpenCV has the cpu",
                      pov_provider_name(provider));
    report->engine.provider = POV_PROVIDER_CPU;
    return guarded([&] {
        auto made = std::make_unique<Network>();
        made->net = cv::dnn::readNetFromONNX(static_cast<const char *>(model->bytes), model->length);
        made->net.setPreferableBackend(cv::dnn::DNN_BACKEND_OPENCV);
        made->net.setPreferableTarget(cv::dnn::DNN_TARGET_CPU);
        *impl = made.release();
    });
}

void destroy_network(void *impl)
{
    delete static_cast<Network *>(impl);
}

pov_status set_network_input(void *impl, const char *name, const pov_tensor *input)
{
    return guarded([&] {
        const cv::Mat numbers(input->dims, input->size, CV_32F, const_cast<float *>(input->values));
        static_cast<Network *>(impl)->net.setInput(numbers, name);
    });
}

pov_status run_network(void *impl, pov_tensor *outputs, const char *const names[], int len)
{
    Network *network = static_cast<Network *>(impl);
    return guarded([&] {
        network->net.forward(network->outputs, std::vector<cv::String>(names, names + len));
        std::transform(network->outputs.begin(), network->outputs.end(), outputs, borrow);
    });
}
} // namespace

/* 17: the newest opset that OpenCV 4.6 reads; docs/MODELS.md. */
const pov_network_backend pov_opencv_backend = {
    "OpenCV", nullptr, 17, load_network, set_network_input, run_network, destroy_network};
