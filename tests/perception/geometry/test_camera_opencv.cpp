// Our projections against OpenCV's own, over random cameras.
// cmocka defines fail(), which the standard library uses: it comes last.
#include <opencv2/calib3d.hpp>
#include <vector>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

extern "C" {
#include <cmocka.h>

#include "perception/geometry/camera.h"
#include "perception/geometry/geom.h"
#include "tests/support/near.h"
#include "tests/support/random.h"
}

namespace
{
const cv::Vec3d ZERO(0, 0, 0);
const cv::TermCriteria FINELY(cv::TermCriteria::COUNT + cv::TermCriteria::EPS, 1000, 1e-15);

cv::Matx33d matrix_of(const pov_camera &camera)
{
    return {camera.fx_px, 0, camera.cx_px, 0, camera.fy_px, camera.cy_px, 0, 0, 1};
}

std::vector<double> distortion_of(const pov_camera &camera, int len)
{
    return {camera.distortion, camera.distortion + len};
}

pov_camera random_camera(test_random *random, pov_lens lens)
{
    pov_camera camera = {};
    camera.lens = lens;
    camera.width_px = 1280;
    camera.height_px = 960;
    camera.fx_px = test_random_between(random, 400, 1500);
    camera.fy_px = camera.fx_px * test_random_between(random, 0.9, 1.1);
    camera.cx_px = test_random_between(random, 540, 740);
    camera.cy_px = test_random_between(random, 400, 560);
    return camera;
}

// `len` 5: from strong barrel to strong pincushion. 8: rational, of the kind that calibrations give, a
// numerator and a denominator that nearly cancel.
pov_camera random_brown_conrady(test_random *random, int len)
{
    pov_camera camera = random_camera(random, POV_LENS_BROWN_CONRADY);
    double *k = camera.distortion;
    k[0] = test_random_between(random, -0.5, 0.4);
    k[1] = test_random_between(random, -0.1, 0.3);
    k[2] = test_random_between(random, -0.01, 0.01);
    k[3] = test_random_between(random, -0.01, 0.01);
    k[4] = test_random_between(random, -0.1, 0.1);
    if (len == 8) {
        k[5] = test_random_between(random, 0, 8);
        k[6] = test_random_between(random, 0, 6);
        k[7] = test_random_between(random, 0, 2);
        k[0] += k[5];
        k[1] += k[6];
        k[4] += k[7];
    }
    return camera;
}

pov_camera random_fisheye(test_random *random)
{
    pov_camera camera = random_camera(random, POV_LENS_EQUIDISTANT);
    camera.fx_px /= 3;
    camera.fy_px /= 3;
    for (int i = 0; i < 4; i++)
        camera.distortion[i] = test_random_between(random, -0.06, 0.06) / (1 << (3 * i));
    return camera;
}

// Points whose undistorted pixels fill 1.3 times the image: many lie at its edge, some beyond.
std::vector<cv::Point3d> points_before(const pov_camera &camera, test_random *random)
{
    std::vector<cv::Point3d> points;
    for (int i = 0; i < 300; i++) {
        const double z = exp(test_random_between(random, -1, 3));
        const double x_px = camera.width_px * test_random_between(random, -0.15, 1.15);
        const double y_px = camera.height_px * test_random_between(random, -0.15, 1.15);
        points.emplace_back((x_px - camera.cx_px) / camera.fx_px * z,
                            (y_px - camera.cy_px) / camera.fy_px * z, z);
    }
    return points;
}

void brown_conrady_agrees(int len)
{
    test_random random = {static_cast<uint64_t>(len)};
    int seen = 0;
    for (int round = 0; round < 60; round++) {
        const pov_camera camera = random_brown_conrady(&random, len);
        const std::vector<cv::Point3d> points = points_before(camera, &random);
        std::vector<cv::Point2d> pixels;
        cv::Mat slopes;
        cv::projectPoints(points, ZERO, ZERO, matrix_of(camera), distortion_of(camera, len), pixels, slopes);
        for (size_t i = 0; i < points.size(); i++) {
            pov_vec2 pixel;
            double J[2][3];
            const pov_vec3 point = {points[i].x, points[i].y, points[i].z};
            if (pov_camera_project(&camera, &pixel, J, point) != POV_OK)
                continue;
            assert_near(pixel.x, pixels[i].x, 1e-8);
            assert_near(pixel.y, pixels[i].y, 1e-8);
            for (int row = 0; row < 2; row++)
                for (int axis = 0; axis < 3; axis++)
                    // Columns 3 to 5 are the slopes by the camera's translation, which moves the point.
                    assert_near(J[row][axis], slopes.at<double>(2 * static_cast<int>(i) + row, 3 + axis),
                                1e-7);
            seen++;
        }
    }
    assert_in_range(seen, 15000, 18000);
}

void brown_conrady_of_five_agrees_with_project_points(void **)
{
    brown_conrady_agrees(5);
}

void brown_conrady_of_eight_agrees_with_project_points(void **)
{
    brown_conrady_agrees(8);
}

void rotation_and_translation_agree_with_project_points(void **)
{
    test_random random = {3};
    for (int round = 0; round < 100; round++) {
        const pov_camera camera = random_brown_conrady(&random, 5);
        const cv::Vec3d rot(test_random_normal(&random) * 0.2, test_random_normal(&random) * 0.2,
                            test_random_normal(&random));
        const cv::Vec3d t(test_random_normal(&random) * 0.1, 0.2, 4);
        const std::vector<cv::Point3d> points = {{0, 0, 0}, {0.3, -0.2, 0.1}, {-0.4, 0.3, -0.2}};
        std::vector<cv::Point2d> pixels;
        cv::projectPoints(points, rot, t, matrix_of(camera), distortion_of(camera, 5), pixels);
        const pov_transform T_camera_object = {pov_rot_exp({rot[0], rot[1], rot[2]}), {t[0], t[1], t[2]}};
        for (size_t i = 0; i < points.size(); i++) {
            const pov_vec3 pos =
                pov_transform_apply(T_camera_object, {points[i].x, points[i].y, points[i].z});
            pov_vec2 pixel;
            assert_int_equal(pov_camera_project(&camera, &pixel, nullptr, pos), POV_OK);
            assert_near(pixel.x, pixels[i].x, 1e-9);
            assert_near(pixel.y, pixels[i].y, 1e-9);
        }
    }
}

void the_fisheye_agrees_with_opencv_up_to_90_degrees(void **)
{
    test_random random = {4};
    int seen = 0;
    for (int round = 0; round < 60; round++) {
        const pov_camera camera = random_fisheye(&random);
        std::vector<cv::Point3d> points;
        for (int i = 0; i < 200; i++) {
            const double off = test_random_between(&random, 0.001, 1.57);
            const double azimuth = test_random_between(&random, -POV_PI, POV_PI);
            points.emplace_back(sin(off) * cos(azimuth), sin(off) * sin(azimuth), cos(off));
        }
        std::vector<cv::Point2d> pixels;
        cv::fisheye::projectPoints(points, pixels, ZERO, ZERO, matrix_of(camera), distortion_of(camera, 4));
        for (size_t i = 0; i < points.size(); i++) {
            pov_vec2 pixel;
            if (pov_camera_project(&camera, &pixel, nullptr, {points[i].x, points[i].y, points[i].z}) !=
                POV_OK)
                continue;
            assert_near(pixel.x, pixels[i].x, 1e-7);
            assert_near(pixel.y, pixels[i].y, 1e-7);
            seen++;
        }
    }
    assert_in_range(seen, 11000, 12000);
}

// OpenCV's fisheye stops at 90 degrees. At half the angle, with the focal length doubled and each coefficient
// k_n times 4^n, its formula gives the same pixel: f th (1 + k1 th^2 + ...) = 2f th/2 (1 + 4 k1 (th/2)^2 +
// ...).
void the_fisheye_agrees_with_opencv_at_half_the_angle_beyond_90_degrees(void **)
{
    test_random random = {5};
    int seen_beyond = 0;
    for (int round = 0; round < 60; round++) {
        const pov_camera camera = random_fisheye(&random);
        pov_camera halved = camera;
        halved.fx_px *= 2;
        halved.fy_px *= 2;
        for (int i = 0; i < 4; i++)
            halved.distortion[i] *= pow(4, i + 1);
        for (int i = 0; i < 100; i++) {
            const double off = test_random_between(&random, 1.3, 2.9);
            const double azimuth = test_random_between(&random, -POV_PI, POV_PI);
            pov_vec2 pixel;
            pov_vec3 direction;
            const pov_vec3 point = {sin(off) * cos(azimuth), sin(off) * sin(azimuth), cos(off)};
            if (pov_camera_project(&camera, &pixel, nullptr, point) != POV_OK)
                continue;
            const std::vector<cv::Point3d> half = {
                {sin(off / 2) * cos(azimuth), sin(off / 2) * sin(azimuth), cos(off / 2)}};
            std::vector<cv::Point2d> pixels;
            cv::fisheye::projectPoints(half, pixels, ZERO, ZERO, matrix_of(halved), distortion_of(halved, 4));
            assert_near(pixel.x, pixels[0].x, 1e-7);
            assert_near(pixel.y, pixels[0].y, 1e-7);
            assert_int_equal(pov_camera_unproject(&camera, &direction, nullptr, pixel), POV_OK);
            seen_beyond += off > 1.5708;
        }
    }
    assert_in_range(seen_beyond, 2000, 6000);
}

// OpenCV's fixed-point iteration wanders off where the distortion is strong: it is asked only about pixels
// for which its answer, projected again by OpenCV, comes back.
void directions_agree_with_undistort_points(void **)
{
    test_random random = {6};
    int compared = 0, asked = 0;
    for (int round = 0; round < 60; round++) {
        const int len = round % 2 ? 8 : 5;
        const pov_camera camera = random_brown_conrady(&random, len);
        std::vector<cv::Point2d> pixels, flat, back;
        for (int i = 0; i < 100; i++)
            pixels.emplace_back(test_random_between(&random, 0, camera.width_px - 1),
                                test_random_between(&random, 0, camera.height_px - 1));
        cv::undistortPoints(pixels, flat, matrix_of(camera), distortion_of(camera, len), cv::noArray(),
                            cv::noArray(), FINELY);
        std::vector<cv::Point3d> points;
        for (const cv::Point2d &p : flat)
            points.emplace_back(p.x, p.y, 1);
        cv::projectPoints(points, ZERO, ZERO, matrix_of(camera), distortion_of(camera, len), back);
        for (size_t i = 0; i < pixels.size(); i++, asked++) {
            pov_vec3 direction;
            if (!(cv::norm(back[i] - pixels[i]) < 1e-8) || fabs(flat[i].x) > 2 || fabs(flat[i].y) > 2)
                continue;
            if (pov_camera_unproject(&camera, &direction, nullptr, {pixels[i].x, pixels[i].y}) != POV_OK)
                continue;
            assert_near(direction.x / direction.z, flat[i].x, 1e-9);
            assert_near(direction.y / direction.z, flat[i].y, 1e-9);
            compared++;
        }
    }
    assert_in_range(compared, asked * 8 / 10, asked);
}

void rotations_agree_with_rodrigues_both_ways(void **)
{
    test_random random = {7};
    for (int round = 0; round < 1000; round++) {
        const double angle = test_random_between(&random, 0, POV_PI - 1e-4);
        const pov_vec3 axis = pov_vec3_unit(
            {test_random_normal(&random), test_random_normal(&random), test_random_normal(&random)});
        const cv::Vec3d vector(axis.x * angle, axis.y * angle, axis.z * angle);
        cv::Matx33d expected;
        cv::Vec3d log_expected;
        cv::Rodrigues(vector, expected);
        const pov_rot R = pov_rot_exp({vector[0], vector[1], vector[2]});
        for (int i = 0; i < 9; i++)
            assert_near(R.m[i / 3][i % 3], expected.val[i], 1e-14);
        cv::Rodrigues(expected, log_expected);
        const pov_vec3 log = pov_rot_log(R);
        assert_near(log.x, log_expected[0], 1e-6); // Rodrigues takes an arc cosine near pi
        assert_near(log.y, log_expected[1], 1e-6);
        assert_near(log.z, log_expected[2], 1e-6);
    }
}
} // namespace

int main()
{
    const CMUnitTest tests[] = {
        cmocka_unit_test(brown_conrady_of_five_agrees_with_project_points),
        cmocka_unit_test(brown_conrady_of_eight_agrees_with_project_points),
        cmocka_unit_test(rotation_and_translation_agree_with_project_points),
        cmocka_unit_test(the_fisheye_agrees_with_opencv_up_to_90_degrees),
        cmocka_unit_test(the_fisheye_agrees_with_opencv_at_half_the_angle_beyond_90_degrees),
        cmocka_unit_test(directions_agree_with_undistort_points),
        cmocka_unit_test(rotations_agree_with_rodrigues_both_ways),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
