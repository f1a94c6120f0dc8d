// OpenCV's solvePnP as oracle of the tag poses: its infinitesimal plane-based start, refined by its own
// descent.
#include <csetjmp>
#include <cstdarg>
#include <cstddef>
#include <cstdint>

#include <opencv2/calib3d.hpp> // before cmocka, whose fail() is a macro

extern "C" {
#include <cmocka.h>

#include "perception/tags/tag_pose.h"
#include "tests/support/near.h"
#include "tests/support/random.h"
}

namespace
{

const double edge_m = 0.16;

pov_camera make_camera()
{
    pov_camera camera = {};

    camera.lens = POV_LENS_BROWN_CONRADY;
    camera.width_px = 1280;
    camera.height_px = 720;
    camera.fx_px = 900;
    camera.fy_px = 905;
    camera.cx_px = 640;
    camera.cy_px = 355;
    camera.distortion[0] = -0.28;
    camera.distortion[1] = 0.09;
    camera.distortion[2] = 0.001;
    return camera;
}

const cv::Matx33d K(900, 0, 640, 0, 905, 355, 0, 0, 1);
const cv::Matx<double, 1, 5> distortion(-0.28, 0.09, 0.001, 0, 0);

// As solvePnPGeneric's square method wants them: upper left first, clockwise.
std::vector<cv::Point3d> square()
{
    const double h = edge_m / 2;
    return {{-h, h, 0}, {h, h, 0}, {h, -h, 0}, {-h, -h, 0}};
}

std::vector<cv::Point2d> noisy_image(const cv::Vec3d &rotation, const cv::Vec3d &position,
                                     test_random *random)
{
    std::vector<cv::Point2d> pixels;

    cv::projectPoints(square(), rotation, position, K, distortion, pixels);
    for (cv::Point2d &p : pixels)
        p += cv::Point2d(0.3 * test_random_normal(random), 0.3 * test_random_normal(random));
    return pixels;
}

pov_tag tag_from(const std::vector<cv::Point2d> &pixels)
{
    pov_tag tag = {};
    const int ours[4] = {3, 2, 1, 0};

    tag.corner_std_px = 0.3;
    for (int i = 0; i < 4; i++)
        tag.corner_px[i] = {pixels[ours[i]].x, pixels[ours[i]].y};
    return tag;
}

double distance(const pov_transform &T, const cv::Vec3d &rotation, const cv::Vec3d &position)
{
    cv::Matx33d R;

    cv::Rodrigues(rotation, R);
    double sum = cv::norm(cv::Vec3d(T.t_m.x, T.t_m.y, T.t_m.z) - position);
    for (int i = 0; i < 9; i++)
        sum += std::abs(T.R.m[i / 3][i % 3] - R(i / 3, i % 3));
    return sum;
}

void both_poses_are_opencvs(void **)
{
    test_random random = {21};
    const pov_camera camera = make_camera();
    int compared = 0;

    for (int trial = 0; trial < 300; trial++) {
        const cv::Vec3d rotation =
            cv::Vec3d(test_random_between(&random, 2.3, 3.9), test_random_between(&random, -1, 1),
                      test_random_between(&random, -0.5, 0.5));
        const double z = test_random_between(&random, 0.5, 3);
        const cv::Vec3d position(test_random_between(&random, -0.4, 0.4) * z,
                                 test_random_between(&random, -0.2, 0.2) * z, z);
        const std::vector<cv::Point2d> pixels = noisy_image(rotation, position, &random);
        std::vector<cv::Mat> rotations, positions;
        pov_tag_poses poses;
        const pov_tag tag = tag_from(pixels);

        cv::solvePnPGeneric(square(), pixels, K, distortion, rotations, positions, false,
                            cv::SOLVEPNP_IPPE_SQUARE);
        assert_int_equal(pov_tag_pose_estimate(&poses, &camera, &tag, edge_m), POV_OK);
        for (int i = 0; i < poses.len; i++) {
            double nearest = 1e9;
            for (size_t k = 0; k < rotations.size(); k++) {
                cv::Mat r = rotations[k].clone(), t = positions[k].clone();
                cv::solvePnPRefineLM(
                    square(), pixels, K, distortion, r, t,
                    cv::TermCriteria(cv::TermCriteria::COUNT + cv::TermCriteria::EPS, 200, 1e-12));
                nearest = std::min(nearest, distance(poses.T_camera_tag[i].T, cv::Vec3d(r), cv::Vec3d(t)));
            }
            assert_near(nearest, 0, 2e-3);
            compared++;
        }
    }
    assert_true(compared > 400);
}

} // namespace

int main()
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(both_poses_are_opencvs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
