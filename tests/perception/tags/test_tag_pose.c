#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "perception/geometry/linalg.h"
#include "perception/tags/tag_detector.h"
#include "perception/tags/tag_fit.h"
#include "perception/tags/tag_pose.h"
#include "tests/support/near.h"
#include "tests/support/random.h"
#include "tests/support/tag_canvas.h"

#include <apriltag/apriltag.h>
#include <apriltag/tag36h11.h>
#include <math.h>
#include <string.h>

static const pov_camera pinhole = {POV_LENS_BROWN_CONRADY, 1280, 720, 900, 905, 640, 355, {0}};
static const pov_camera bent = {
    POV_LENS_BROWN_CONRADY, 1280, 720, 900, 905, 640, 355, {-0.28, 0.09, 0.001, -0.0005, -0.01}};
static const pov_camera fisheye = {POV_LENS_EQUIDISTANT,    1280, 960, 400, 401, 640, 480,
                                   {0.02, -0.004, 0.001, 0}};

/** A tag as the camera sees it, with noise; false if it is not wholly in the image or seen from behind. */
static bool see(pov_tag *tag, const pov_camera *camera, pov_transform T_camera_tag, double edge_m,
                double noise_px, test_random *random)
{
    pov_vec3 normal = pov_rot_apply(T_camera_tag.R, (pov_vec3){0, 0, 1});

    if (pov_vec3_dot(normal, pov_vec3_unit(T_camera_tag.t_m)) > -0.2)
        return false;
    tag->corner_std_px = noise_px > 0 ? noise_px : 0.3;
    for (int i = 0; i < 4; i++) {
        pov_vec2 *p = &tag->corner_px[i];
        if (pov_camera_project(camera, p, NULL,
                               pov_transform_apply(T_camera_tag, pov_tag_corner(edge_m, i))) != POV_OK ||
            p->x < 0 || p->y < 0 || p->x > camera->width_px - 1 || p->y > camera->height_px - 1)
            return false;
        if (noise_px > 0) {
            p->x += noise_px * test_random_normal(random);
            p->y += noise_px * test_random_normal(random);
        }
    }
    return true;
}

static pov_vec3 random_vector(test_random *random, double side)
{
    return (pov_vec3){test_random_between(random, -side, side), test_random_between(random, -side, side),
                      test_random_between(random, -side, side)};
}

/* Six tags on one wall that is off as a whole: their number does not make the camera's pose more certain. */
static double nees_before_a_wall(test_random *random, bool is_told)
{
    const double position_std_m = 0.01, rotation_std_rad = 0.5 * POV_PI / 180, edge_m = 0.15;
    static pov_tags tags;
    static pov_tag_map map;
    const pov_transform T_table_camera =
        pov_transform_look_at((pov_vec3){0.2, -0.1, 2}, (pov_vec3){0, 0, 0}, (pov_vec3){0, 1, 0});
    double tilt[6], error[6], solved[6], L[36], sum = 0;
    for (int i = 0; i < 6; i++)
        tilt[i] = (i < 3 ? rotation_std_rad : position_std_m) * test_random_normal(random);
    const pov_transform moved = pov_transform_plus(pov_transform_identity(), tilt);
    tags.len = map.len = 0;
    for (int i = 0; i < 6; i++) {
        pov_tag_map_entry *entry = &map.tags[map.len++];
        *entry = (pov_tag_map_entry){.family = POV_TAG36H11, .id = i, .edge_m = edge_m};
        entry->T_table_tag =
            pov_pose_exact((pov_transform){pov_rot_identity(), {(i % 3 - 1) * 0.3, (i / 3 - 0.5) * 0.3, 0}});
        const pov_transform T_table_tag = pov_transform_mul(moved, entry->T_table_tag.T);
        if (is_told)
            entry->panel = (pov_tag_panel){"wall", {0, 0, 0}, position_std_m, rotation_std_rad};
        for (int k = 0; k < 3 && !is_told; k++) {
            entry->T_table_tag.cov[k][k] = pow(rotation_std_rad, 2);
            entry->T_table_tag.cov[3 + k][3 + k] = pow(position_std_m, 2);
        }
        if (is_told)
            pov_tag_panel_share(entry->T_table_tag.cov, entry);
        pov_tag *tag = &tags.tags[tags.len++];
        *tag = (pov_tag){.family = POV_TAG36H11, .id = i};
        assert_true(see(tag, &pinhole, pov_transform_mul(pov_transform_inverse(T_table_camera), T_table_tag),
                        edge_m, 0.2, random));
    }
    pov_camera_pose pose;
    assert_int_equal(pov_camera_pose_estimate(&pose, &pinhole, &tags, &map), POV_OK);
    pov_transform_minus(error, T_table_camera, pose.T_table_camera.T);
    assert_true(pov_cholesky(L, &pose.T_table_camera.cov[0][0], 6));
    pov_cholesky_solve(solved, L, error, 6);
    for (int i = 0; i < 6; i++)
        sum += error[i] * solved[i];
    return sum;
}

static void tags_on_one_panel_share_their_error(void **state)
{
    (void)state;
    enum { RUNS = 200 };
    test_random random = {.state = 17};
    double told = 0, untold = 0;
    for (int i = 0; i < RUNS; i++) {
        told += nees_before_a_wall(&random, true) / RUNS;
        untold += nees_before_a_wall(&random, false) / RUNS;
    }
    print_message("mean NEES %.2f, 6 +- %.2f expected; %.2f where each tag states the error for itself\n",
                  told, 2.576 * sqrt(12.0 / RUNS), untold);
    assert_near(told, 6, 2.576 * sqrt(12.0 / RUNS));
    assert_true(untold > 12);
}

/** Upright before the camera: x right, y up, z toward the camera. */
static pov_rot upright(void)
{
    return (pov_rot){{{1, 0, 0}, {0, -1, 0}, {0, 0, -1}}};
}

/** A pose at which a tag is somewhere before the camera, tilted by up to about `tilt_rad`. */
static pov_transform random_view(test_random *random, double near_m, double far_m, double tilt_rad)
{
    pov_vec3 dir = {test_random_between(random, -0.5, 0.5), test_random_between(random, -0.3, 0.3), 1};
    pov_rot turn = pov_rot_exp(random_vector(random, tilt_rad));

    return (pov_transform){
        pov_rot_mul(turn, pov_rot_mul(upright(), pov_rot_yaw(test_random_between(random, -3, 3)))),
        pov_vec3_scale(dir, test_random_between(random, near_m, far_m))};
}

static double rotation_between(pov_transform a, pov_transform b)
{
    double d[6];

    pov_transform_minus(d, a, b);
    return sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
}

static double normalised_error2(const pov_pose *estimate, pov_transform truth)
{
    double d[6], solved[6], L[36], sum = 0;

    pov_transform_minus(d, truth, estimate->T);
    assert_true(pov_cholesky(L, &estimate->cov[0][0], 6));
    pov_cholesky_solve(solved, L, d, 6);
    for (int i = 0; i < 6; i++)
        sum += d[i] * solved[i];
    return sum;
}

/** Mean of n chi-square 6 variables is within 2.576 sqrt(12 / n) of 6 with probability 0.99. */
static void assert_consistent(const char *what, double sum, int n)
{
    double mean = sum / n, width = 2.576 * sqrt(12.0 / n);

    print_message("%s: mean NEES %.3f over %d trials, 6 +- %.3f expected\n", what, mean, n, width);
    assert_near(mean, 6, width);
}

static void the_pose_maps_the_tag_to_the_camera(void **state)
{
    (void)state;
    pov_transform T_camera_tag = {upright(), {0.1, -0.05, 1.5}};
    pov_tag tag;
    pov_tag_poses poses;

    assert_true(see(&tag, &pinhole, T_camera_tag, 0.2, 0, NULL));
    assert_true(tag.corner_px[0].x < tag.corner_px[1].x); /* the lower left one is on the left */
    assert_true(tag.corner_px[0].y > tag.corner_px[3].y); /* and low */
    assert_int_equal(pov_tag_pose_estimate(&poses, &pinhole, &tag, 0.2), POV_OK);
    assert_near(poses.T_camera_tag[0].T.t_m.x, 0.1, 1e-6);
    assert_near(poses.T_camera_tag[0].T.t_m.y, -0.05, 1e-6);
    assert_near(poses.T_camera_tag[0].T.t_m.z, 1.5, 1e-6);
    assert_near(rotation_between(poses.T_camera_tag[0].T, T_camera_tag), 0, 1e-4);
}

static void exact_corners_give_the_exact_pose_through_any_lens(void **state)
{
    (void)state;
    const pov_camera *const cameras[] = {&pinhole, &bent, &fisheye};
    test_random random = {1};
    pov_tag tag;
    pov_tag_poses poses;
    int seen = 0;

    for (int trial = 0; trial < 600; trial++) {
        const pov_camera *camera = cameras[trial % 3];
        pov_transform truth = random_view(&random, 0.4, 2, 0.8);
        if (camera == &fisheye) /* anywhere in its 150 degrees */
            truth = pov_transform_mul((pov_transform){pov_rot_exp(random_vector(&random, 0.8)), {0, 0, 0}},
                                      truth);
        if (!see(&tag, camera, truth, 0.16, 0, NULL))
            continue;
        seen++;
        assert_int_equal(pov_tag_pose_estimate(&poses, camera, &tag, 0.16), POV_OK);
        assert_near(rotation_between(poses.T_camera_tag[0].T, truth), 0, 1e-5);
        assert_near(pov_vec3_norm(pov_vec3_sub(poses.T_camera_tag[0].T.t_m, truth.t_m)), 0, 1e-5);
        assert_near(poses.rms_px[0], 0, 1e-5);
    }
    assert_true(seen > 300);
}

static void a_far_frontal_tag_keeps_both_poses(void **state)
{
    (void)state;
    test_random random = {2};
    pov_tag tag;
    pov_tag_poses poses;
    int first_right = 0, second_right = 0;

    for (int trial = 0; trial < 200; trial++) {
        pov_transform truth = {pov_rot_mul(pov_rot_exp((pov_vec3){0.25, 0.15, 0}), upright()), {0.2, 0.1, 5}};
        assert_true(see(&tag, &pinhole, truth, 0.16, 0.3, &random));
        assert_int_equal(pov_tag_pose_estimate(&poses, &pinhole, &tag, 0.16), POV_OK);
        if (poses.len < 2)
            continue;
        assert_near(poses.probability[0] + poses.probability[1], 1, 1e-12);
        assert_true(poses.probability[0] >= 0.5);
        assert_true(poses.rms_px[0] <= poses.rms_px[1]);
        double e0 = rotation_between(poses.T_camera_tag[0].T, truth),
               e1 = rotation_between(poses.T_camera_tag[1].T, truth);
        first_right += e0 < e1;
        second_right += e1 <= e0;
    }
    assert_true(first_right + second_right > 150); /* both poses nearly always */
    assert_true(second_right > 20);                /* and the better fitting one is often not the true one */
}

/** Whoever bets by the probabilities neither gains nor loses. */
static void the_probability_of_the_first_pose_is_how_often_it_is_right(void **state)
{
    (void)state;
    test_random random = {3};
    double expected = 0, variance = 0;
    int right = 0, cases = 0;
    pov_tag tag;
    pov_tag_poses poses;

    for (int trial = 0; trial < 2000; trial++) {
        pov_transform truth = random_view(&random, 1.5, 4, 0.7);
        if (!see(&tag, &pinhole, truth, 0.16, 0.3, &random) ||
            pov_tag_pose_estimate(&poses, &pinhole, &tag, 0.16) != POV_OK || poses.len < 2)
            continue;
        right += rotation_between(poses.T_camera_tag[0].T, truth) <
                 rotation_between(poses.T_camera_tag[1].T, truth);
        expected += poses.probability[0];
        variance += poses.probability[0] * poses.probability[1];
        cases++;
    }
    print_message("first pose right in %d of %d, %.1f +- %.1f expected\n", right, cases, expected,
                  sqrt(variance));
    assert_true(cases > 500);
    assert_near(right, expected, 3.5 * sqrt(variance) + 0.01 * cases);
}

static void one_tags_covariance_matches_its_errors(void **state)
{
    (void)state;
    test_random random = {4};
    pov_tag tag;
    pov_tag_poses poses;
    double sum = 0;
    int n = 0;

    while (n < 600) {
        pov_transform truth = random_view(&random, 0.4, 0.9, 0.9);
        pov_vec3 normal = pov_rot_apply(truth.R, (pov_vec3){0, 0, 1});
        if (pov_vec3_dot(normal, pov_vec3_unit(truth.t_m)) < -0.9 ||
            !see(&tag, &bent, truth, 0.16, 0.3, &random))
            continue;
        assert_int_equal(pov_tag_pose_estimate(&poses, &bent, &tag, 0.16), POV_OK);
        sum += normalised_error2(&poses.T_camera_tag[0], truth);
        n++;
    }
    assert_consistent("one tag", sum, n);
}

/* Of a corner that is off by d, the pose takes up 3/4 d² and leaves 1/4 d² over: the two residuals of a parallelogram are
 * (c0 - c1 + c2 - c3) / 2. So the normalised square error is 6 (1 + d²/8) against a variance of 1 + d²/8. */
static void a_corner_that_is_covered_widens_the_covariance(void **state)
{
    (void)state;
    test_random random = {14};
    const double noise_px = 0.05, off_px = 12 * noise_px;
    pov_tag tag;
    pov_tag_poses poses;
    double sum = 0;
    int n = 0;

    while (n < 600) {
        pov_transform truth = random_view(&random, 0.8, 1.6, 0.9);
        pov_vec3 normal = pov_rot_apply(truth.R, (pov_vec3){0, 0, 1});
        if (pov_vec3_dot(normal, pov_vec3_unit(truth.t_m)) < -0.9 ||
            !see(&tag, &bent, truth, 0.08, noise_px, &random))
            continue;
        const double way = test_random_between(&random, -POV_PI, POV_PI);
        pov_vec2 *corner = &tag.corner_px[n % 4];
        *corner = (pov_vec2){corner->x + off_px * cos(way), corner->y + off_px * sin(way)};
        assert_int_equal(pov_tag_pose_estimate(&poses, &bent, &tag, 0.08), POV_OK);
        sum += normalised_error2(&poses.T_camera_tag[0], truth);
        n++;
    }
    print_message("one corner 12 deviations off: mean NEES %.1f, about 6 expected\n", sum / n);
    assert_true(sum / n > 4 && sum / n < 9);
}

static void a_mirror_image_has_no_pose(void **state)
{
    (void)state;
    pov_tag tag;
    pov_tag_poses poses;

    assert_true(see(&tag, &pinhole, (pov_transform){upright(), {0, 0, 1}}, 0.2, 0, NULL));
    pov_vec2 corner = tag.corner_px[1];
    tag.corner_px[1] = tag.corner_px[3];
    tag.corner_px[3] = corner;
    assert_int_equal(pov_tag_pose_estimate(&poses, &pinhole, &tag, 0.2), POV_UNDEFINED);
    assert_int_equal(poses.len, 0);
}

/** Upright tags on a ring of walls about the origin and flat ones on the table. */
static void make_map(pov_tag_map *map, int len, const double std[2], test_random *random)
{
    map->len = len;
    for (int k = 0; k < len; k++) {
        pov_vec3 place = random_vector(random, 0.6);
        pov_rot flat = pov_rot_mul(pov_rot_exp(random_vector(random, 0.5)),
                                   pov_rot_yaw(test_random_between(random, -3, 3)));
        pov_tag_map_entry *entry = &map->tags[k];
        *entry = (pov_tag_map_entry){.family = POV_TAG36H11, .id = 10 + k, .edge_m = 0.12};
        entry->T_table_tag = pov_pose_exact((pov_transform){flat, {place.x, place.y, 0.2 * fabs(place.z)}});
        for (int i = 0; i < 6; i++)
            entry->T_table_tag.cov[i][i] = pow(std[i / 3], 2);
    }
}

static pov_transform random_camera(test_random *random)
{
    double azimuth = test_random_between(random, -3.1, 3.1), reach = test_random_between(random, 0.6, 1.5);
    pov_vec3 eye = {reach * cos(azimuth), reach * sin(azimuth), test_random_between(random, 0.8, 1.6)};

    return pov_transform_look_at(eye, random_vector(random, 0.1), (pov_vec3){0, 0, 1});
}

/** What the camera sees of the world as it is: the map, each tag off by a draw from its covariance. */
static void photograph(pov_tags *tags, const pov_camera *camera, pov_transform T_table_camera,
                       const pov_tag_map *map, double noise_px, test_random *random)
{
    pov_transform T_camera_table = pov_transform_inverse(T_table_camera);

    tags->len = 0;
    tags->truncated = false;
    for (int k = 0; k < map->len; k++) {
        double error[6];
        for (int i = 0; i < 6; i++)
            error[i] = sqrt(map->tags[k].T_table_tag.cov[i][i]) * test_random_normal(random);
        pov_transform T_table_tag = pov_transform_plus(map->tags[k].T_table_tag.T, error);
        pov_tag tag = {.family = map->tags[k].family, .id = map->tags[k].id};
        if (see(&tag, camera, pov_transform_mul(T_camera_table, T_table_tag), map->tags[k].edge_m, noise_px,
                random))
            tags->tags[tags->len++] = tag;
    }
}

static void check_nees(const char *what, int tag_len, const double std[2], uint64_t seed)
{
    test_random random = {seed};
    static pov_tag_map map;
    static pov_tags tags;
    static pov_camera_pose pose;
    double sum = 0;
    int n = 0, rejected = 0, seen = 0;

    while (n < 600) {
        make_map(&map, tag_len, std, &random);
        pov_transform truth = random_camera(&random);
        photograph(&tags, &bent, truth, &map, 0.3, &random);
        if (tags.len < 2)
            continue;
        assert_int_equal(pov_camera_pose_estimate(&pose, &bent, &tags, &map), POV_OK);
        sum += normalised_error2(&pose.T_table_camera, truth);
        seen += tags.len;
        rejected += tags.len - pose.used_len;
        n++;
    }
    print_message("%d of %d tags rejected\n", rejected, seen);
    assert_true(rejected <= 5 + seen / 1000);
    assert_consistent(what, sum, n);
}

static void the_cameras_covariance_matches_its_errors(void **state)
{
    (void)state;
    check_nees("exact map, 4 tags", 4, (double[]){0, 0}, 5);
    check_nees("exact map, 10 tags", 10, (double[]){0, 0}, 6);
}

static void the_maps_own_errors_are_in_the_covariance(void **state)
{
    (void)state;
    check_nees("surveyed map, 4 tags", 4, (double[]){0.01, 0.003}, 7);
    check_nees("map of tilted tags, 10 tags", 10, (double[]){0.02, 0.0002}, 8);
}

/* Oracle: the corners are exact, but for a shift of 3 and 4 pixels. */
static void a_tags_residual_is_the_distance_of_its_corners(void **state)
{
    (void)state;
    test_random random = {91};
    pov_tag tag;
    const pov_tag_map_entry entry = {.edge_m = 0.05, .T_table_tag = pov_pose_exact(pov_transform_identity())};
    const pov_transform T_table_camera =
        pov_transform_look_at((pov_vec3){0.1, -0.4, 0.5}, (pov_vec3){0, 0, 0}, (pov_vec3){0, 0, 1});
    const pov_tag_sighting sighting = {.tag = &tag, .entry = &entry};
    assert_true(see(&tag, &bent, pov_transform_inverse(T_table_camera), entry.edge_m, 0, &random));
    assert_near(pov_tag_residual_px(&bent, &sighting, T_table_camera), 0, 1e-9);
    for (int i = 0; i < 4; i++) {
        tag.corner_px[i].x += 3;
        tag.corner_px[i].y -= 4;
    }
    assert_near(pov_tag_residual_px(&bent, &sighting, T_table_camera), 5, 1e-9);
    const pov_transform below =
        pov_transform_look_at((pov_vec3){0.1, -0.4, -0.5}, (pov_vec3){0, 0, 0}, (pov_vec3){0, 0, 1});
    assert_true(isnan(pov_tag_residual_px(&bent, &sighting, below)));
}

static void moved_tags_are_rejected_and_named(void **state)
{
    (void)state;
    test_random random = {9};
    static pov_tag_map map, world;
    static pov_tags tags;
    static pov_camera_pose pose;

    for (int trial = 0; trial < 200; trial++) {
        make_map(&map, 6, (double[]){0, 0}, &random);
        world = map;
        int moved = trial % 2 + 1; /* one or two of six, each its own way */
        for (int k = 0; k < moved; k++) {
            pov_vec3 push = pov_vec3_scale(
                pov_vec3_unit((pov_vec3){test_random_normal(&random), test_random_normal(&random), 0}), 0.05);
            world.tags[k].T_table_tag.T.t_m = pov_vec3_add(world.tags[k].T_table_tag.T.t_m, push);
        }
        pov_transform truth = random_camera(&random);
        photograph(&tags, &pinhole, truth, &world, 0.3, &random);
        if (tags.len < 6)
            continue;
        assert_int_equal(pov_camera_pose_estimate(&pose, &pinhole, &tags, &map), POV_OK);
        for (int i = 0; i < tags.len; i++)
            assert_int_equal(pose.outcome[i], i < moved ? POV_TAG_REJECTED : POV_TAG_USED);
        assert_int_equal(pose.used_len, 6 - moved);
        assert_near(pov_vec3_norm(pov_vec3_sub(pose.T_table_camera.T.t_m, truth.t_m)), 0, 0.02);
    }
}

static void tags_that_are_not_in_the_map_are_named_and_do_no_harm(void **state)
{
    (void)state;
    test_random random = {10};
    static pov_tag_map map;
    static pov_tags tags;
    static pov_camera_pose with, without;

    make_map(&map, 3, (double[]){0, 0}, &random);
    pov_transform truth =
        pov_transform_look_at((pov_vec3){0.3, -1, 1.5}, (pov_vec3){0, 0, 0}, (pov_vec3){0, 0, 1});
    photograph(&tags, &pinhole, truth, &map, 0.3, &random);
    assert_int_equal(tags.len, 3);
    assert_int_equal(pov_camera_pose_estimate(&without, &pinhole, &tags, &map), POV_OK);
    tags.tags[3] = tags.tags[0];
    tags.tags[3].id = 99;
    tags.tags[4] = tags.tags[1];
    tags.tags[4].family = POV_TAG25H9;
    tags.len = 5;
    assert_int_equal(pov_camera_pose_estimate(&with, &pinhole, &tags, &map), POV_OK);
    assert_int_equal(with.outcome[3], POV_TAG_NOT_IN_MAP);
    assert_int_equal(with.outcome[4], POV_TAG_NOT_IN_MAP);
    assert_memory_equal(&with.T_table_camera, &without.T_table_camera, sizeof with.T_table_camera);
    memmove(&tags.tags[0], &tags.tags[3], 2 * sizeof(pov_tag));
    tags.len = 2;
    assert_int_equal(pov_camera_pose_estimate(&with, &pinhole, &tags, &map), POV_UNDEFINED);
    assert_int_equal(with.used_len, 0);
    assert_true(isnan(with.T_table_camera.T.t_m.x) && isnan(with.T_table_camera.cov[5][5]) &&
                isnan(with.rms_px));
}

/** Far tags, each alone as likely mirrored as not; two that do not lie in one plane leave no doubt. */
static void two_tags_out_of_plane_resolve_what_one_cannot(void **state)
{
    (void)state;
    test_random random = {12};
    static pov_tag_map map;
    static pov_tags tags;
    static pov_camera_pose pose;
    pov_transform truth =
        pov_transform_look_at((pov_vec3){0, 0, 5}, (pov_vec3){0.1, 0, 0}, (pov_vec3){0, 1, 0});
    int ambiguous = 0;

    map.len = 2;
    for (int k = 0; k < 2; k++) {
        pov_transform T_table_tag = {pov_rot_exp((pov_vec3){k ? 0.3 : -0.25, k ? 0.2 : 0.1, 0}),
                                     {0.4 * k - 0.2, 0.1, 0.1 * k}};
        map.tags[k] =
            (pov_tag_map_entry){.id = k, .edge_m = 0.16, .T_table_tag = pov_pose_exact(T_table_tag)};
    }
    for (int trial = 0; trial < 200; trial++) {
        photograph(&tags, &pinhole, truth, &map, 0.3, &random);
        assert_int_equal(tags.len, 2);
        assert_int_equal(pov_camera_pose_estimate(&pose, &pinhole, &tags, &map), POV_OK);
        assert_int_equal(pose.used_len, 2);
        assert_true(pose.probability > 0.95);
        assert_near(rotation_between(pose.T_table_camera.T, truth), 0, 0.1); /* mirrored: over 0.4 */
        tags.len = 1;
        assert_int_equal(pov_camera_pose_estimate(&pose, &pinhole, &tags, &map), POV_OK);
        ambiguous += pose.has_alternative && pose.probability < 0.95;
    }
    assert_true(ambiguous > 100);
}

static void two_tags_that_contradict_each_other_leave_both_poses(void **state)
{
    (void)state;
    test_random random = {13};
    static pov_tag_map map, world;
    static pov_tags tags;
    static pov_camera_pose pose;
    pov_transform truth =
        pov_transform_look_at((pov_vec3){0.5, 0.5, 0.8}, (pov_vec3){0.1, 0, 0}, (pov_vec3){0, 0, 1});

    map.len = 2;
    for (int k = 0; k < 2; k++)
        map.tags[k] = (pov_tag_map_entry){
            .id = k,
            .edge_m = 0.16,
            .T_table_tag = pov_pose_exact((pov_transform){pov_rot_identity(), {0.3 * k, 0, 0}})};
    world = map;
    world.tags[1].T_table_tag.T.t_m.x += 0.05;
    photograph(&tags, &pinhole, truth, &world, 0.3, &random);
    assert_int_equal(tags.len, 2);
    assert_int_equal(pov_camera_pose_estimate(&pose, &pinhole, &tags, &map), POV_OK);
    assert_int_equal(pose.used_len, 1);
    assert_true(pose.has_alternative);
    assert_true(pose.probability < 0.99);
    double first = normalised_error2(&pose.T_table_camera, truth),
           second = normalised_error2(&pose.alternative_T_table_camera, truth);
    assert_true(fmin(first, second) < 25); /* one of the two is right */
}

/** From pixels to pose: drawn, detected, estimated. */
static void a_drawn_tag_is_where_it_was_drawn(void **state)
{
    (void)state;
    static test_canvas c;
    static pov_tags tags;
    test_random random = {14};
    pov_camera camera = {
        .width_px = SIDE_PX, .height_px = SIDE_PX, .fx_px = 400, .fy_px = 400, .cx_px = 119, .cy_px = 121};
    apriltag_family_t *family = tag36h11_create();
    image_u8_t *print = apriltag_to_image(family, 42);
    pov_tag_detector *detector;
    pov_tag_poses poses;

    assert_int_equal(pov_tag_detector_new(&detector, &(pov_tag_detector_config)POV_TAG_DETECTOR_DEFAULT).code,
                     POV_OK);
    for (int trial = 0; trial < 10; trial++) {
        test_sight s = {.print = print,
                        .cells = 8,
                        .edge_m = 0.1,
                        .f_px = 400,
                        .cx_px = 119,
                        .cy_px = 121,
                        .blur_px = 0.7};
        pov_vec3 turn = {test_random_between(&random, 0.4, 0.7), test_random_between(&random, -0.7, 0.7), 0};
        s.T_camera_tag = (pov_transform){
            pov_rot_mul(pov_rot_exp(turn), pov_rot_mul(upright(), pov_rot_yaw(trial))), {0.01, -0.02, 0.4}};
        test_canvas_clear(&c, GROUND);
        test_canvas_draw(&c, &s);
        pov_image image = test_canvas_shoot(&c, 2, &random);
        assert_int_equal(pov_tag_detector_run(detector, &tags, &image).code, POV_OK);
        assert_int_equal(tags.len, 1);
        assert_int_equal(pov_tag_pose_estimate(&poses, &camera, &tags.tags[0], 0.1), POV_OK);
        assert_near(rotation_between(poses.T_camera_tag[0].T, s.T_camera_tag), 0, 0.01);
        assert_near(pov_vec3_norm(pov_vec3_sub(poses.T_camera_tag[0].T.t_m, s.T_camera_tag.t_m)), 0, 0.001);
        assert_true(normalised_error2(&poses.T_camera_tag[0], s.T_camera_tag) < 16.8); /* 1 % point */
    }
    pov_tag_detector_destroy(&detector);
    test_print_destroy(print);
    tag36h11_destroy(family);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tags_on_one_panel_share_their_error),
        cmocka_unit_test(the_pose_maps_the_tag_to_the_camera),
        cmocka_unit_test(exact_corners_give_the_exact_pose_through_any_lens),
        cmocka_unit_test(a_far_frontal_tag_keeps_both_poses),
        cmocka_unit_test(the_probability_of_the_first_pose_is_how_often_it_is_right),
        cmocka_unit_test(one_tags_covariance_matches_its_errors),
        cmocka_unit_test(a_corner_that_is_covered_widens_the_covariance),
        cmocka_unit_test(a_mirror_image_has_no_pose),
        cmocka_unit_test(the_cameras_covariance_matches_its_errors),
        cmocka_unit_test(the_maps_own_errors_are_in_the_covariance),
        cmocka_unit_test(a_tags_residual_is_the_distance_of_its_corners),
        cmocka_unit_test(moved_tags_are_rejected_and_named),
        cmocka_unit_test(tags_that_are_not_in_the_map_are_named_and_do_no_harm),
        cmocka_unit_test(two_tags_out_of_plane_resolve_what_one_cannot),
        cmocka_unit_test(two_tags_that_contradict_each_other_leave_both_poses),
        cmocka_unit_test(a_drawn_tag_is_where_it_was_drawn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
