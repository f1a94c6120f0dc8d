#include "tests/bench/bench.h"

extern "C" {
#include "perception/geometry/camera.h"
}

#include <opencv2/calib3d.hpp>
#include <vector>

namespace
{
constexpr int POINTS = 2000;
constexpr pov_camera CAMERA = {
    POV_LENS_BROWN_CONRADY, 1280, 720, 700, 690, 610, 380, {-0.31, 0.12, 0.002, -0.003, -0.01}};

struct projection_work {
    std::vector<cv::Point3d> points;
    std::vector<cv::Point2d> pixels;
    std::vector<double> distortion;
    cv::Matx33d matrix;
    double checksum;
};

void *prepare()
{
    auto *work =
        new projection_work{{}, {}, {CAMERA.distortion, CAMERA.distortion + 5}, cv::Matx33d::eye(), 0};
    work->matrix = {CAMERA.fx_px, 0, CAMERA.cx_px, 0, CAMERA.fy_px, CAMERA.cy_px, 0, 0, 1};
    for (int i = 0; i < POINTS; i++)
        work->points.emplace_back((i % 50 - 25) * 0.03, (i / 50 - 20) * 0.02, 1);
    return work;
}

void run(void *argument)
{
    auto *work = static_cast<projection_work *>(argument);
    for (const cv::Point3d &p : work->points) {
        pov_vec2 pixel;
        if (pov_camera_project(&CAMERA, &pixel, nullptr, {p.x, p.y, p.z}) == POV_OK)
            work->checksum += pixel.x;
    }
}

void run_peer(void *argument)
{
    auto *work = static_cast<projection_work *>(argument);
    const cv::Vec3d zero(0, 0, 0);
    cv::projectPoints(work->points, zero, zero, work->matrix, work->distortion, work->pixels);
}

void finish(void *argument)
{
    delete static_cast<projection_work *>(argument);
}
} // namespace

const pov_bench BENCH_PROJECTION = {
    "projection",
    "points through a Brown-Conrady lens of five coefficients",
    "point",
    POINTS,
    prepare,
    run,
    "cv::projectPoints",
    run_peer,
    finish,
    false,
};
