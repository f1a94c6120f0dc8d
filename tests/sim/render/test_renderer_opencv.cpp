// Tags in rendered images, found at full resolution, against OpenCV's projections of their corners.
// cmocka defines fail(), which the standard library uses: it comes last.
#include <cstring>
#include <opencv2/calib3d.hpp>
#include <vector>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

extern "C" {
#include <cmocka.h>

#include "perception/tags/tag_detector.h"
#include "sim/render/renderer.h"
#include "sim/worlds/stage_models.h"
#include "tests/support/random.h"
#include "tests/support/srgb.h"
}

namespace
{
const int WIDTH_PX = 640, HEIGHT_PX = 480, POSES = 60;
const double EDGE_M = 0.16;

struct lens_case {
    pov_lens lens;
    int coefficients;
    double f_px;
    double widest_px; // of a tag: the detector takes its edges for straight near the corners
    double distortion[POV_DISTORTION_MAX];
};

pov_camera camera_of(const lens_case &lens)
{
    pov_camera camera = {};
    camera.lens = lens.lens;
    camera.width_px = WIDTH_PX;
    camera.height_px = HEIGHT_PX;
    camera.fx_px = lens.f_px;
    camera.fy_px = 1.02 * lens.f_px;
    camera.cx_px = 312.4;
    camera.cy_px = 243.7;
    std::copy(lens.distortion, lens.distortion + POV_DISTORTION_MAX, camera.distortion);
    return camera;
}

std::vector<cv::Point2d> project(const pov_camera &camera, int coefficients, pov_transform T_camera_tag)
{
    const cv::Matx33d K(camera.fx_px, 0, camera.cx_px, 0, camera.fy_px, camera.cy_px, 0, 0, 1);
    const std::vector<double> distortion(camera.distortion, camera.distortion + coefficients);
    std::vector<cv::Point3d> corners;
    for (int i = 0; i < 4; i++) {
        const pov_vec3 p = pov_transform_apply(T_camera_tag, pov_tag_corner(EDGE_M, i));
        corners.emplace_back(p.x, p.y, p.z);
    }
    std::vector<cv::Point2d> pixels;
    const cv::Vec3d zero(0, 0, 0);
    if (camera.lens == POV_LENS_EQUIDISTANT)
        cv::fisheye::projectPoints(corners, pixels, zero, zero, K, distortion);
    else
        cv::projectPoints(corners, zero, zero, K, distortion, pixels);
    return pixels;
}

// Somewhere in the image, from 30 pixels wide, up to 50 degrees from the camera's axis and turned any way.
pov_transform random_pose(test_random *random, const pov_camera &camera, double widest_px)
{
    const double distance_m = camera.fx_px * EDGE_M / test_random_between(random, 30, widest_px);
    const pov_vec2 pixel = {test_random_between(random, 120, WIDTH_PX - 120),
                            test_random_between(random, 110, HEIGHT_PX - 110)};
    pov_vec3 direction;
    assert_int_equal(pov_camera_unproject(&camera, &direction, nullptr, pixel), POV_OK);
    const double tilt_rad = test_random_between(random, 0, 0.87),
                 about = test_random_between(random, 0, 6.28);
    const pov_rot facing = pov_rot_exp({POV_PI, 0, 0});
    const pov_rot tilt = pov_rot_exp({tilt_rad * cos(about), tilt_rad * sin(about), 0});
    const pov_rot R =
        pov_rot_mul(pov_rot_mul(tilt, facing), pov_rot_yaw(test_random_between(random, 0, 6.28)));
    return {R, pov_vec3_scale(direction, distance_m)};
}

void must(pov_status status)
{
    if (status.code != POV_OK)
        print_error("%s\n", status.message);
    assert_int_equal(status.code, POV_OK);
}

class scene
{
  public:
    scene()
    {
        must(pov_renderer_new(&renderer));
        must(pov_tag_model_new(&tag, POV_TAG36H11, 7, EDGE_M, 1));
        pov_tag_detector_config config = {};
        config.family[POV_TAG36H11] = true;
        config.decimate = 1;
        config.min_decision_margin = 20;
        config.corner_std_px = 0.3;
        must(pov_tag_detector_new(&detector, &config));
    }

    ~scene()
    {
        pov_tag_detector_destroy(&detector);
        pov_model_destroy(&tag);
        pov_renderer_destroy(&renderer);
    }

    scene(const scene &) = delete;
    scene &operator=(const scene &) = delete;

    // Grey values as a camera encodes light.
    void draw(const pov_camera &camera, pov_transform T_camera_tag)
    {
        pov_lighting lighting = {};
        lighting.lamp_m = {0, 0, 1};
        lighting.ambient = 1;
        lighting.sky[0] = lighting.sky[1] = lighting.sky[2] = 0.5F;
        const pov_instance instance = {tag, T_camera_tag, 0};
        must(pov_renderer_set(renderer, &instance, 1, &lighting));
        must(pov_renderer_look(renderer, &camera, pov_transform_identity()));
        std::vector<float> light(3 * WIDTH_PX * HEIGHT_PX);
        pov_rendering rendering = {reinterpret_cast<float(*)[3]>(light.data()), nullptr, nullptr};
        pov_renderer_draw(renderer, &rendering, 0, HEIGHT_PX);
        for (int i = 0; i < WIDTH_PX * HEIGHT_PX; i++)
            memset(&pixels[3 * i],
                   static_cast<int>(test_grey_of_light(std::min(255.0, 200.0 * light[3 * i + 1])) + 0.5), 3);
    }

    // The corners in the order of pov_tag_corner; none if the tag was not found.
    std::vector<cv::Point2d> corners()
    {
        pov_image image = {};
        image.pixels = pixels;
        image.width_px = WIDTH_PX;
        image.height_px = HEIGHT_PX;
        image.stride_bytes = 3 * WIDTH_PX;
        must(pov_tag_detector_run(detector, &tags, &image));
        std::vector<cv::Point2d> found;
        for (int i = 0; tags.len == 1 && i < 4; i++)
            found.emplace_back(tags.tags[0].corner_px[i].x, tags.tags[0].corner_px[i].y);
        return found;
    }

  private:
    pov_renderer *renderer = nullptr;
    pov_model *tag = nullptr;
    pov_tag_detector *detector = nullptr;
    pov_tags tags;
    uint8_t pixels[3 * WIDTH_PX * HEIGHT_PX];
};

void corners_agree(const lens_case &lens)
{
    const pov_camera camera = camera_of(lens);
    test_random random = {static_cast<uint64_t>(lens.coefficients)};
    static scene world;
    double squares = 0, worst = 0;
    int found = 0;
    for (int i = 0; i < POSES; i++) {
        const pov_transform T_camera_tag = random_pose(&random, camera, lens.widest_px);
        const std::vector<cv::Point2d> truth = project(camera, lens.coefficients, T_camera_tag);
        world.draw(camera, T_camera_tag);
        const std::vector<cv::Point2d> corners = world.corners();
        for (size_t k = 0; k < corners.size(); k++) {
            const double miss = cv::norm(corners[k] - truth[k]);
            squares += miss * miss;
            worst = std::max(worst, miss);
            found++;
        }
    }
    print_message("%d corners: %.4f px RMS, at most %.3f px\n", found, sqrt(squares / found), worst);
    assert_true(found > 4 * POSES * 9 / 10);
    assert_true(sqrt(squares / found) < 0.1);
}

void tags_through_a_lens_of_five_coefficients_are_where_opencv_projects_them(void **)
{
    corners_agree({POV_LENS_BROWN_CONRADY, 5, 600, 150, {-0.12, 0.03, 0.001, -0.0008, 0.002}});
}

void tags_through_a_rational_lens_are_where_opencv_projects_them(void **)
{
    corners_agree({POV_LENS_BROWN_CONRADY, 8, 600, 150, {4.9, 2.1, 0.0005, -0.0004, 0.12, 5.0, 2.4, 0.3}});
}

void tags_through_a_fisheye_are_where_opencv_projects_them(void **)
{
    corners_agree({POV_LENS_EQUIDISTANT, 4, 330, 45, {-0.02, 0.004, -0.001, 0.0002}});
}
} // namespace

int main()
{
    const CMUnitTest tests[] = {
        cmocka_unit_test(tags_through_a_lens_of_five_coefficients_are_where_opencv_projects_them),
        cmocka_unit_test(tags_through_a_rational_lens_are_where_opencv_projects_them),
        cmocka_unit_test(tags_through_a_fisheye_are_where_opencv_projects_them),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
