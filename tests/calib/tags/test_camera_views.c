#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "calib/tags/tag_survey_report.h"
#include "perception/geometry/linalg.h"
#include "tests/support/near.h"
#include "tests/support/tag_rig.h"

#include <stdio.h>
#include <string.h>

/** Stations whose cameras stay, with a table of tags and a board that is carried: what is drawn here is the truth. */

enum { CAMERAS = 3 };

static const char *const names[CAMERAS] = {"a", "b", "c"};

typedef struct {
    pov_tag_map table, board;
    pov_transform T_table_camera[CAMERAS];
    pov_survey_config config;
    pov_camera_views_config views_config;
    pov_camera_views *views;
    pov_tag_survey *survey;
    test_random random;
    double noise_px;
    int64_t at_ns;
    int image_len;
} rig;

/* The fixed tag, and most others. */
static bool sees_table(rig *r, int camera)
{
    static pov_tags tags;
    rig_photograph(&tags, &rig_camera, r->T_table_camera[camera], &r->table, 0, &r->random);
    return tags.len > 9 && tags.tags[0].id == 10;
}

static void begin(rig *r, uint64_t seed)
{
    *r = (rig){.random = {seed}, .noise_px = 0.2};
    rig_make_map(&r->table, 16, 0.05, &r->random);
    for (int c = 0; c < CAMERAS; c++)
        do
            r->T_table_camera[c] = rig_look(0.9, &r->random);
        while (!sees_table(r, c));
    r->config = (pov_survey_config){.camera_len = CAMERAS,
                                    .cameras = {rig_camera, rig_camera, rig_camera},
                                    .family = POV_TAG36H11,
                                    .has_fixed = true,
                                    .fixed_id = 10,
                                    .edge_m = 0.05};
    r->views_config = (pov_camera_views_config){.camera_len = CAMERAS, .names = {"a", "b", "c"}};
}

/* A sheet of six tags, 200 to 205. */
static void add_board(rig *r)
{
    for (int k = 0; k < 6; k++) {
        const pov_transform T = {pov_rot_identity(), {0.07 * (k % 3) - 0.07, 0.07 * (k / 3), 0}};
        r->board.tags[r->board.len++] = (pov_tag_map_entry){
            .family = POV_TAG36H11, .id = 200 + k, .edge_m = 0.05, .T_table_tag = pov_pose_exact(T)};
    }
    r->config.board = r->board;
}

static void open_rig(rig *r)
{
    r->views_config.survey = &r->config;
    r->views = pov_camera_views_new(&r->views_config);
    r->survey = pov_tag_survey_new(&r->config);
}

static void close_rig(rig *r)
{
    pov_camera_views_destroy(&r->views);
    pov_tag_survey_destroy(&r->survey);
}

/* tables: which cameras see the tags of the table, a bit each. */
static void shoot(rig *r, int camera, unsigned tables, const pov_transform *T_table_board)
{
    static pov_tags tags;
    pov_tag_map world = {.len = 0};
    for (int i = 0; i < r->table.len && (tables >> camera & 1); i++)
        world.tags[world.len++] = r->table.tags[i];
    for (int i = 0; i < r->board.len && T_table_board; i++) {
        world.tags[world.len] = r->board.tags[i];
        world.tags[world.len++].T_table_tag.T =
            pov_transform_mul(*T_table_board, r->board.tags[i].T_table_tag.T);
    }
    rig_photograph(&tags, &rig_camera, r->T_table_camera[camera], &world, r->noise_px, &r->random);
    pov_image image = {.camera = camera, .mid_exposure_ns = r->at_ns};
    snprintf(image.name, sizeof image.name, "%s%d.png", names[camera], r->image_len++);
    const pov_status status = pov_camera_views_add(r->views, &image, &tags);
    assert_string_equal(status.message, "");
}

static void shoot_all(rig *r, unsigned tables, const pov_transform *T_table_board)
{
    for (int c = 0; c < CAMERAS; c++)
        shoot(r, c, tables, T_table_board);
    r->at_ns += 100000000;
}

/* Held above the table's middle, its face up and aslant. */
static pov_transform carry(rig *r)
{
    const pov_vec3 turn = {test_random_between(&r->random, -0.5, 0.5),
                           test_random_between(&r->random, -0.5, 0.5),
                           test_random_between(&r->random, -2, 2)};
    return (pov_transform){pov_rot_exp(turn),
                           {test_random_between(&r->random, 0.05, 0.25),
                            test_random_between(&r->random, 0, 0.1),
                            test_random_between(&r->random, 0.02, 0.2)}};
}

static pov_status run(rig *r)
{
    POV_TRY(pov_camera_views_survey(r->views, r->survey));
    return pov_tag_survey_run(r->survey);
}

static void assert_runs(rig *r)
{
    const pov_status status = run(r);
    assert_string_equal(status.message, "");
    assert_int_equal(status.code, POV_OK);
}

static const pov_survey_view *view_of(const rig *r, int camera)
{
    return &pov_tag_survey_report(r->survey)->views[camera];
}

static double normalised_error2(const rig *r, int camera)
{
    double error[6], solved[6], L[36], sum = 0;
    const pov_pose *pose = &view_of(r, camera)->T_table_camera;
    pov_transform_minus(error, r->T_table_camera[camera], pose->T);
    assert_true(pov_cholesky(L, &pose->cov[0][0], 6));
    pov_cholesky_solve(solved, L, error, 6);
    for (int i = 0; i < 6; i++)
        sum += error[i] * solved[i];
    return sum;
}

static bool has_place(const rig *r, int camera)
{
    char why[POV_SURVEY_WHY_CAPACITY];
    return !pov_camera_survey_why(why, pov_tag_survey_report(r->survey), camera);
}

static void cameras_are_off_by_what_their_poses_state(void **state)
{
    (void)state;
    enum { RUNS = 60 };
    double sum = 0;
    int within = 0;
    for (int i = 0; i < RUNS; i++) {
        rig r;
        begin(&r, 500 + (uint64_t)i);
        open_rig(&r);
        shoot_all(&r, 7, NULL);
        assert_runs(&r);
        const int camera = i % CAMERAS;
        assert_true(has_place(&r, camera));
        sum += normalised_error2(&r, camera);
        double error[6];
        const pov_pose *pose = &view_of(&r, camera)->T_table_camera;
        pov_transform_minus(error, r.T_table_camera[camera], pose->T);
        for (int k = 0; k < 3; k++)
            within += fabs(error[3 + k]) < 2 * pov_survey_position_std_m(pose) &&
                      fabs(error[k]) < 2 * pov_survey_rotation_std_rad(pose);
        close_rig(&r);
    }
    print_message("mean NEES %.2f, 6 +- %.2f expected; within 2 sigma: %d of %d\n", sum / RUNS,
                  2.576 * sqrt(12.0 / RUNS), within, 3 * RUNS);
    assert_near(sum / RUNS, 6, 2.576 * sqrt(12.0 / RUNS) + 0.8); /* scatter of few views widens a little */
    assert_true(within >= 0.95 * 3 * RUNS);
}

static void many_images_of_tags_that_stay_are_one_better_one(void **state)
{
    (void)state;
    double rms_m[2] = {0, 0};
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < 20; i++) {
            rig r;
            double error[6];
            begin(&r, 700 + (uint64_t)i);
            open_rig(&r);
            for (int n = 0; n < (k ? 25 : 1); n++)
                shoot_all(&r, 7, NULL);
            assert_runs(&r);
            pov_transform_minus(error, r.T_table_camera[1], view_of(&r, 1)->T_table_camera.T);
            rms_m[k] += (error[3] * error[3] + error[4] * error[4] + error[5] * error[5]) / 20;
            close_rig(&r);
        }
    print_message("off by %.3f mm by one image, %.3f by 25\n", 1e3 * sqrt(rms_m[0]), 1e3 * sqrt(rms_m[1]));
    assert_near(sqrt(rms_m[0] / rms_m[1]), 5, 2);
}

static void a_board_carried_through_all_views_places_a_camera_that_sees_no_other_tag(void **state)
{
    (void)state;
    enum { RUNS = 20 };
    double sum = 0;
    for (int i = 0; i < RUNS; i++) {
        rig r;
        begin(&r, 900 + (uint64_t)i);
        add_board(&r);
        open_rig(&r);
        for (int n = 0; n < 20; n++) {
            const pov_transform T_table_board = carry(&r);
            shoot_all(&r, 1, &T_table_board); /* a alone sees the table */
        }
        assert_runs(&r);
        assert_true(has_place(&r, 0) && has_place(&r, 1) && has_place(&r, 2));
        sum += normalised_error2(&r, 1 + i % 2);
        pov_tag_map map;
        pov_tag_survey_map(r.survey, &map);
        for (int t = 0; t < map.len; t++)
            assert_true(map.tags[t].id < 200); /* what is carried is in no map */
        close_rig(&r);
    }
    print_message("mean NEES %.2f, 6 +- %.2f expected\n", sum / RUNS, 2.576 * sqrt(12.0 / RUNS));
    assert_near(sum / RUNS, 6, 2.576 * sqrt(12.0 / RUNS));
}

static void a_tag_that_turns_with_the_table_is_carried_by_itself(void **state)
{
    (void)state;
    rig r;
    begin(&r, 31);
    const pov_transform flat = {pov_rot_identity(), {0.1, 0.05, 0.03}};
    r.board.tags[0] = (pov_tag_map_entry){
        .family = POV_TAG36H11, .id = 200, .edge_m = 0.05, .T_table_tag = pov_pose_exact(flat)};
    r.board.len = 1; /* in what is shown; the adjustment knows of no board */
    r.views_config.carried_len = 1;
    r.views_config.carried[0] = (pov_carried){200, 209};
    open_rig(&r);
    for (int n = 0; n < 30; n++) {
        const pov_transform turned = {pov_rot_yaw(0.2 * n), {0, 0, 0}};
        shoot_all(&r, 5, &turned); /* b sees what turns only */
    }
    assert_runs(&r);
    assert_true(has_place(&r, 1));
    assert_true(normalised_error2(&r, 1) < 22.5); /* chi-square 6, 99.9 % */
    close_rig(&r);
}

static void a_camera_that_shares_no_tag_is_named(void **state)
{
    (void)state;
    rig r;
    char why[POV_SURVEY_WHY_CAPACITY];
    begin(&r, 41);
    add_board(&r);
    r.config.board.len = 0;
    open_rig(&r);
    const pov_transform apart = {pov_rot_identity(), {0.1, 0.05, 0}};
    for (int n = 0; n < 4; n++) {
        shoot(&r, 0, 3, NULL);
        shoot(&r, 1, 3, NULL);
        shoot(&r, 2, 3, &apart);
        r.at_ns += 100000000;
    }
    assert_runs(&r);
    assert_true(has_place(&r, 0) && has_place(&r, 1));
    assert_true(pov_camera_survey_why(why, pov_tag_survey_report(r.survey), 2));
    assert_non_null(strstr(why, "shares no tag with the others: it sees only tags 200, 201, 202"));
    close_rig(&r);
}

static void a_camera_that_moves_midway_is_named_with_its_image(void **state)
{
    (void)state;
    rig r;
    begin(&r, 51);
    open_rig(&r);
    for (int n = 0; n < 10; n++) {
        if (n == 6)
            r.T_table_camera[1].R = pov_rot_mul(r.T_table_camera[1].R, pov_rot_exp((pov_vec3){0.01, 0, 0}));
        shoot_all(&r, 7, NULL);
    }
    const pov_status status = run(&r);
    assert_int_equal(status.code, POV_UNDEFINED);
    assert_non_null(strstr(status.message, "camera b moved: in b19.png"));
    close_rig(&r);
}

static void a_tag_that_moves_is_no_camera_that_does(void **state)
{
    (void)state;
    rig r;
    char notes[POV_CAMERA_VIEWS_NOTE_MAX][POV_CAMERA_VIEWS_TEXT];
    begin(&r, 52);
    open_rig(&r);
    for (int n = 0; n < 10; n++) {
        r.table.tags[3].T_table_tag.T.t_m.x += 0.004;
        shoot_all(&r, 7, NULL);
    }
    assert_runs(&r);
    for (int c = 0; c < CAMERAS; c++)
        assert_true(normalised_error2(&r, c) < 22.5);
    assert_true(pov_camera_views_notes(r.views, notes) > 0);
    assert_non_null(strstr(notes[0], "tags that move in the images, by up to"));
    close_rig(&r);
}

static void a_wrong_size_of_a_tag_is_told_with_the_true_one(void **state)
{
    (void)state;
    rig r;
    begin(&r, 61);
    r.config.edges[r.config.edge_len++] = (pov_survey_edge){12, 12, 0.06};
    open_rig(&r);
    for (int n = 0; n < 5; n++)
        shoot_all(&r, 7, NULL);
    assert_runs(&r);
    const pov_survey_report *report = pov_tag_survey_report(r.survey);
    const pov_survey_tag *wrong = NULL;
    for (int t = 0; t < report->tag_len; t++)
        if (report->tags[t].entry.id == 12)
            wrong = &report->tags[t];
    assert_non_null(wrong);
    assert_int_not_equal(wrong->outcome, POV_SURVEY_MAPPED);
    assert_near(wrong->measured_edge_m, 0.05, 0.0005);
    assert_non_null(strstr(wrong->why, "by the images, not 60"));
    for (int c = 0; c < CAMERAS; c++)
        assert_true(normalised_error2(&r, c) < 22.5);
    close_rig(&r);
}

static void what_is_carried_counts_only_while_it_stands(void **state)
{
    (void)state;
    rig r;
    begin(&r, 71);
    add_board(&r);
    open_rig(&r);
    for (int n = 0; n < 24;
         n++) { /* c exposes 15 ms later; the board stands for every second and third image */
        const pov_transform stood = carry(&r);
        for (int k = 0; k < 3; k++) {
            pov_transform moving = stood;
            moving.t_m.x += k == 0 ? 0.004 : 0;
            shoot(&r, 0, 1, &stood);
            shoot(&r, 1, 1, &stood);
            r.at_ns += 15000000;
            shoot(&r, 2, 1, k == 0 ? &moving : &stood);
            r.at_ns += 85000000;
        }
    }
    assert_runs(&r);
    assert_true(normalised_error2(&r, 2) < 22.5);
    const pov_survey_report *report = pov_tag_survey_report(r.survey);
    int stood = 0;
    for (int i = 0; i < report->sighting_len; i++) {
        const pov_survey_sighting *seen = &report->sightings[i];
        if (report->views[seen->view].camera != 2)
            continue;
        assert_int_not_equal(report->tags[seen->tag].instant % 3, 1); /* the first of three, on its way */
        stood++;
    }
    assert_true(stood > 20);
    close_rig(&r);
}

static void residuals_are_told_by_image(void **state)
{
    (void)state;
    rig r;
    int len;
    begin(&r, 81);
    open_rig(&r);
    for (int n = 0; n < 8; n++) {
        r.noise_px = n == 5 ? 0.5 : 0.1;
        shoot_all(&r, 7, NULL);
    }
    assert_runs(&r);
    pov_camera_views_judge(r.views, pov_tag_survey_report(r.survey), r.config.cameras);
    const pov_camera_image *images = pov_camera_views_images(r.views, &len);
    assert_int_equal(len, 24);
    for (int i = 0; i < len; i++)
        assert_near(images[i].rms_px, sqrt(2) * (i / 3 == 5 ? 0.5 : 0.1), i / 3 == 5 ? 0.25 : 0.06);
    close_rig(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cameras_are_off_by_what_their_poses_state),
        cmocka_unit_test(many_images_of_tags_that_stay_are_one_better_one),
        cmocka_unit_test(a_board_carried_through_all_views_places_a_camera_that_sees_no_other_tag),
        cmocka_unit_test(a_tag_that_turns_with_the_table_is_carried_by_itself),
        cmocka_unit_test(a_camera_that_shares_no_tag_is_named),
        cmocka_unit_test(a_camera_that_moves_midway_is_named_with_its_image),
        cmocka_unit_test(a_tag_that_moves_is_no_camera_that_does),
        cmocka_unit_test(a_wrong_size_of_a_tag_is_told_with_the_true_one),
        cmocka_unit_test(what_is_carried_counts_only_while_it_stands),
        cmocka_unit_test(residuals_are_told_by_image),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
