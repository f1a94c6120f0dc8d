#include "calib/opencv_calib_shim.h"

#include <opencv2/aruco.hpp>
#include <opencv2/calib3d.hpp>

#include <algorithm>
#include <exception>

namespace
{
/* Runs `body`; what OpenCV or the standard library throws becomes a status. */
template <typename Body> pov_status guarded(Body body) noexcept
{
    try {
        body();
        return pov_ok();
    } catch (const std::exception &problem) {
        return pov_error("OpenCV: %s", problem.what());
    } catch (...) {
        return pov_error("OpenCV: unknown exception");
    }
}
} // namespace

pov_status pov_aruco_marker_bits(uint8_t cells[POV_ARUCO_CELLS_MAX], pov_aruco_dictionary dictionary, int id)
{
    POV_REQUIRE(id >= 0 && id < pov_aruco_dictionary_count(dictionary));
    return guarded([&] {
        const int side = pov_aruco_dictionary_cells(dictionary);
        cv::Mat image;
        cv::aruco::drawMarker(cv::aruco::getPredefinedDictionary(dictionary), id, side, image);
        std::transform(image.begin<uint8_t>(), image.end<uint8_t>(), cells,
                       [](uint8_t value) { return value > 127; });
    });
}
