#include "perception/people/head_pose.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/near.h"

static const double deg = POV_PI / 180;

/* ---- heads, by a pinhole camera of this test's own ---- */

static uint64_t state = 38;

static double uniform(void)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return ((double)(state >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(void)
{
    return sqrt(-2 * log(uniform())) * cos(2 * POV_PI * uniform());
}

/* A face of somebody: points in mm, x to the viewer's right, y down, z toward the viewer. Farkas 1994, Dodgson 2004, and as people differ. */
static void make_face(double points[POV_FACE_POINTS][3])
{
    const double pupils = 63 + 3.8 * normal(), mouth = 52 + 4 * normal(), down = 72 + 5 * normal(),
                 nose = 30 + 4 * normal();
    const double face[POV_FACE_POINTS][3] = {{-pupils / 2, 0, 0},
                                             {pupils / 2, 0, 0},
                                             {normal(), 42 + 3 * normal(), nose},
                                             {-mouth / 2, down, 4 + 3 * normal()},
                                             {mouth / 2, down, 4 + 3 * normal()}};
    memcpy(points, face, sizeof face);
}

/* Turned to the right of the image by yaw, then the camera looks down at it by pitch; 1.5 m away, 900 px of focal length. */
static void photograph(pov_keypoint points[POV_FACE_POINTS], double face[POV_FACE_POINTS][3], double yaw,
                       double pitch, double noise_px)
{
    for (int i = 0; i < POV_FACE_POINTS; i++) {
        const double x = cos(yaw) * face[i][0] + sin(yaw) * face[i][2],
                     z = -sin(yaw) * face[i][0] + cos(yaw) * face[i][2];
        const double y = cos(pitch) * face[i][1] + sin(pitch) * z,
                     toward = -sin(pitch) * face[i][1] + cos(pitch) * z;
        const double depth = 1500 - toward;
        points[i] = (pov_keypoint){(float)(400 + 900 * x / depth + noise_px * normal()),
                                   (float)(300 + 900 * y / depth + noise_px * normal()), 1};
    }
}

static void yaw_is_as_true_as_it_says(void **unused)
{
    (void)unused;
    enum { HEADS = 400 };
    int answered = 0;
    double nees = 0, worst = 0;
    for (int i = 0; i < HEADS; i++) {
        double face[POV_FACE_POINTS][3];
        pov_keypoint points[POV_FACE_POINTS];
        pov_head_pose pose;
        const double yaw = (140 * uniform() - 70) * deg, pitch = 15 * normal() * deg;
        make_face(face);
        photograph(points, face, yaw, pitch, 1);
        if (pov_head_pose_estimate(&pose, points) != POV_OK)
            continue;
        const double off = pose.yaw_rad - yaw;
        answered++;
        nees += off * off / (pose.yaw_std_rad * pose.yaw_std_rad);
        worst = fmax(worst, fabs(off));
    }
    print_message("%d of %d heads; NEES %.2f, worst %.0f degrees\n", answered, HEADS, nees / answered,
                  worst / deg);
    assert_true(answered > 0.97 * HEADS);
    assert_true(nees / answered > 0.2 && nees / answered < 1.3);
    assert_true(worst < 35 * deg);
}

/* YuNet's points in photographs (bus.jpg, zidane.jpg), and the mean of what two other networks, FSA-Net's, make of the faces. */
static void photographs_of_heads_are_read_as_other_networks_read_them(void **unused)
{
    (void)unused;
    static const struct {
        pov_keypoint points[POV_FACE_POINTS];
        double yaw_deg;
    } heads[] = {
        {{{965, 169, 1}, {1023, 171, 1}, {998, 205, 1}, {966, 229, 1}, {1014, 232, 1}}, 11},
        {{{623, 329, 1}, {645, 328, 1}, {656, 359, 1}, {623, 389, 1}, {636, 386, 1}}, 56},
        {{{129, 437, 1}, {148, 438, 1}, {142, 448, 1}, {131, 455, 1}, {145, 457, 1}}, 22},
        {{{281, 442, 1}, {298, 441, 1}, {293, 451, 1}, {285, 460, 1}, {298, 460, 1}}, 20},
    };
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
        pov_head_pose pose;
        assert_int_equal(pov_head_pose_estimate(&pose, heads[i].points), POV_OK);
        const double off = pose.yaw_rad / deg - heads[i].yaw_deg;
        print_message("yaw %.0f +- %.0f degrees, by FSA-Net %.0f\n", pose.yaw_rad / deg,
                      pose.yaw_std_rad / deg, heads[i].yaw_deg);
        assert_true(fabs(off) < 12 && fabs(off) < 2 * pose.yaw_std_rad / deg);
    }
}

static void a_mirrored_head_is_turned_the_other_way(void **unused)
{
    (void)unused;
    static const int other[POV_FACE_POINTS] = {1, 0, 2, 4, 3};
    double face[POV_FACE_POINTS][3];
    pov_keypoint points[POV_FACE_POINTS], mirrored[POV_FACE_POINTS];
    pov_head_pose one, two;
    make_face(face);
    photograph(points, face, 0.6, 0.1, 0);
    for (int i = 0; i < POV_FACE_POINTS; i++)
        mirrored[i] = (pov_keypoint){800 - points[other[i]].x_px, points[other[i]].y_px, 1};
    assert_int_equal(pov_head_pose_estimate(&one, points), POV_OK);
    assert_int_equal(pov_head_pose_estimate(&two, mirrored), POV_OK);
    assert_near(one.yaw_rad, -two.yaw_rad, 1e-3);
    assert_near(one.front.x, -two.front.x, 1e-3);
    assert_true(one.front.x > 0.3 && one.front.z < 0);
}

static void points_of_no_head_have_no_pose(void **unused)
{
    (void)unused;
    pov_head_pose pose;
    const pov_keypoint one_point[POV_FACE_POINTS] = {{5, 5, 1}, {5, 5, 1}, {5, 5, 1}, {5, 5, 1}, {5, 5, 1}},
                       none[POV_FACE_POINTS] = {{NAN, 0, 1}},
                       scattered[POV_FACE_POINTS] = {
                           {0, 90, 1}, {80, 0, 1}, {5, 5, 1}, {90, 90, 1}, {0, 0, 1}};
    assert_int_equal(pov_head_pose_estimate(&pose, one_point), POV_UNDEFINED);
    assert_int_equal(pov_head_pose_estimate(&pose, none), POV_UNDEFINED);
    assert_int_equal(pov_head_pose_estimate(&pose, scattered), POV_UNDEFINED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(yaw_is_as_true_as_it_says),
        cmocka_unit_test(photographs_of_heads_are_read_as_other_networks_read_them),
        cmocka_unit_test(a_mirrored_head_is_turned_the_other_way),
        cmocka_unit_test(points_of_no_head_have_no_pose),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
