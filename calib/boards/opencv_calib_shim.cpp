#include "calib/boards/opencv_calib_shim.h"

#include <opencv2/calib3d.hpp>
#include <opencv2/imgproc.hpp>
#if CV_VERSION_MAJOR == 4 && CV_VERSION_MINOR < 7
#include <opencv2/aruco.hpp>
#else // there ArUco has left contrib
#include <opencv2/objdetect/aruco_detector.hpp>
#endif

#include <algorithm>
#include <exception>
#include <vector>

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

cv::Mat grey(const pov_grey &image)
{
    return cv::Mat(image.height_px, image.width_px, CV_8UC1, const_cast<uint8_t *>(image.pixels),
                   static_cast<size_t>(image.stride_bytes));
}

pov_transform transform(const cv::Mat &rotation, const cv::Mat &translation)
{
    cv::Mat_<double> R, t = translation.reshape(1, 3);
    cv::Rodrigues(rotation, R);
    pov_transform T;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            T.R.m[i][j] = R(i, j);
    T.t_m = {t(0), t(1), t(2)};
    return T;
}

struct Points {
    std::vector<std::vector<cv::Point3f>> board;
    std::vector<std::vector<cv::Point2f>> pixel;
};

Points points(const pov_point_view *views, int count)
{
    Points all;
    all.board.resize(static_cast<size_t>(count));
    all.pixel.resize(static_cast<size_t>(count));
    for (size_t v = 0; v < all.board.size(); v++)
        for (int i = 0; i < views[v].len; i++) {
            const pov_vec3 &p = views[v].board_m[i];
            const pov_vec2 &q = views[v].pixel[i];
            all.board[v].emplace_back(static_cast<float>(p.x), static_cast<float>(p.y),
                                      static_cast<float>(p.z));
            all.pixel[v].emplace_back(static_cast<float>(q.x), static_cast<float>(q.y));
        }
    return all;
}
#if CV_VERSION_MAJOR == 4 && CV_VERSION_MINOR < 7
cv::Mat draw_marker(pov_aruco_dictionary dictionary, int id, int side)
{
    cv::Mat image;
    cv::aruco::drawMarker(cv::aruco::getPredefinedDictionary(dictionary), id, side, image);
    return image;
}

void detect_markers(const cv::Mat &image, pov_aruco_dictionary dictionary,
                    std::vector<std::vector<cv::Point2f>> &corners, std::vector<int> &ids)
{
    cv::aruco::detectMarkers(image, cv::aruco::getPredefinedDictionary(dictionary), corners, ids);
}
#else
cv::Mat draw_marker(pov_aruco_dictionary dictionary, int id, int side)
{
    cv::Mat image;
    cv::aruco::generateImageMarker(cv::aruco::getPredefinedDictionary(dictionary), id, side, image);
    return image;
}

void detect_markers(const cv::Mat &image, pov_aruco_dictionary dictionary,
                    std::vector<std::vector<cv::Point2f>> &corners, std::vector<int> &ids)
{
    const cv::aruco::ArucoDetector detector(cv::aruco::getPredefinedDictionary(dictionary));
    detector.detectMarkers(image, corners, ids);
}
#endif
} // namespace

pov_status pov_aruco_marker_bits(uint8_t cells[POV_ARUCO_CELLS_MAX], pov_aruco_dictionary dictionary, int id)
{
    POV_REQUIRE(id >= 0 && id < pov_aruco_dictionary_count(dictionary));
    return guarded([&] {
        const int side = pov_aruco_dictionary_cells(dictionary);
        const cv::Mat image = draw_marker(dictionary, id, side);
        std::transform(image.begin<uint8_t>(), image.end<uint8_t>(), cells,
                       [](uint8_t value) { return value > 127; });
    });
}

pov_status pov_aruco_find(pov_aruco_marker *markers, int *len, const pov_grey *image,
                          pov_aruco_dictionary dictionary, int capacity)
{
    *len = 0;
    return guarded([&] {
        std::vector<std::vector<cv::Point2f>> corners;
        std::vector<int> ids;
        detect_markers(grey(*image), dictionary, corners, ids);
        for (size_t i = 0; i < ids.size() && *len < capacity; i++) {
            pov_aruco_marker &marker = markers[(*len)++];
            marker.id = ids[i];
            for (size_t c = 0; c < 4; c++)
                marker.corner_px[c] = {corners[i][c].x, corners[i][c].y};
        }
    });
}

pov_status pov_chessboard_find(pov_vec2 *corners, int shape[2], const pov_grey *image,
                               const pov_chessboard_search *search, int capacity)
{
    shape[0] = shape[1] = 0;
    return guarded([&] {
        cv::Mat searched = grey(*image), meta;
        std::vector<cv::Point2f> found;
        const double longest = std::max(image->width_px, image->height_px);
        const double scale = search->longest_px > 0 ? std::min(1., search->longest_px / longest) : 1;
        if (scale < 1) {
            cv::Mat small;
            cv::resize(searched, small, cv::Size(), scale, scale, cv::INTER_AREA);
            searched = small;
        }
        if (search->light_tiles > 0) {
            cv::Mat even;
            cv::createCLAHE(40, cv::Size(search->light_tiles, search->light_tiles))->apply(searched, even);
            searched = even;
        }
        const int flags =
            (search->doubled ? cv::CALIB_CB_ACCURACY : 0) | (search->or_larger ? cv::CALIB_CB_LARGER : 0);
        if (!cv::findChessboardCornersSB(searched, cv::Size(search->columns, search->rows), found, flags,
                                         meta) ||
            static_cast<int>(found.size()) > capacity)
            return;
        shape[0] = meta.cols;
        shape[1] = meta.rows;
        for (size_t i = 0; i < found.size(); i++)
            corners[i] = {(found[i].x + 0.5) / scale - 0.5, (found[i].y + 0.5) / scale - 0.5};
    });
}

pov_status pov_opencv_calibrate(pov_camera *camera, pov_transform *T_camera_board,
                                const pov_point_view *views, int view_count, int steps)
{
    return guarded([&] {
        const Points seen = points(views, view_count);
        const cv::Size size(camera->width_px, camera->height_px);
        const cv::TermCriteria stop(cv::TermCriteria::COUNT + cv::TermCriteria::EPS, steps, 1e-6);
        cv::Mat K, distortion;
        std::vector<cv::Mat> rotations, translations;
        cv::calibrateCamera(seen.board, seen.pixel, size, K, distortion, rotations, translations, 0, stop);
        camera->fx_px = K.at<double>(0, 0);
        camera->fy_px = K.at<double>(1, 1);
        camera->cx_px = K.at<double>(0, 2);
        camera->cy_px = K.at<double>(1, 2);
        for (int i = 0; i < 5; i++)
            camera->distortion[i] = distortion.at<double>(i);
        for (size_t v = 0; v < rotations.size(); v++)
            T_camera_board[v] = transform(rotations[v], translations[v]);
    });
}

pov_status pov_opencv_solve_pose(pov_transform T_camera_board[2], const pov_point_view *view)
{
    return guarded([&] {
        const Points seen = points(view, 1);
        std::vector<cv::Mat> rotations, translations;
        cv::solvePnPGeneric(seen.board[0], seen.pixel[0], cv::Mat::eye(3, 3, CV_64F), cv::noArray(),
                            rotations, translations, false, cv::SOLVEPNP_IPPE);
        for (size_t i = 0; i < 2; i++)
            T_camera_board[i] = transform(rotations.at(i), translations.at(i));
    });
}
