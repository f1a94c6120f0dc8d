#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "perception/relations/relation.h"
#include "tests/support/comfort_scene.h"
#include "tests/support/near.h"
#include "tests/support/random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const pov_judging judging = {.abstain_margin = 0.4, .regions = POV_TEMPLATE_DEFAULT};

/* The published prototypes: where theta is 0, by perspective, for front, behind, left, right. */
static const struct {
    pov_perspective perspective;
    pov_convention convention;
    double relatum_faces_deg;
    int prototype_deg[4];
} published[] = {
    {POV_EGOCENTRIC, POV_REFLECTED, 270, {0, 180, 270, 90}},
    {POV_EGOCENTRIC, POV_TRANSLATED, 270, {180, 0, 270, 90}},
    {POV_EGOCENTRIC, POV_ROTATED, 270, {0, 180, 90, 270}},
    {POV_ADDRESSEE, POV_REFLECTED, 270, {270, 90, 180, 0}},
    {POV_ADDRESSEE, POV_TRANSLATED, 270, {90, 270, 180, 0}},
    {POV_ADDRESSEE, POV_ROTATED, 270, {270, 90, 0, 180}},
    {POV_INTRINSIC, POV_NO_CONVENTION, 270, {270, 90, 0, 180}},
    {POV_INTRINSIC, POV_NO_CONVENTION, 90, {90, 270, 180, 0}},
};
static const pov_relation published_relation[4] = {POV_IN_FRONT_OF, POV_BEHIND, POV_LEFT_OF, POV_RIGHT_OF};

static void every_published_prototype_and_hemisphere_follows_from_the_axes(void **state)
{
    (void)state;
    static pov_scene scene;
    for (int axis = 0; axis < POV_AXIS_COUNT; axis++)
        for (size_t row = 0; row < sizeof published / sizeof *published; row++)
            for (int r = 0; r < 4; r++)
                for (int phi = 0; phi < 360; phi += 10) {
                    comfort_scene(&scene, phi, published[row].relatum_faces_deg);
                    pov_query query = comfort_query(published_relation[r], published[row].perspective,
                                                    published[row].convention);
                    query.axis = published[row].perspective == POV_INTRINSIC ? POV_HEADING : (pov_axis)axis;
                    int theta = (phi - published[row].prototype_deg[r] + 540) % 360 - 180;
                    pov_judgment judgment;
                    assert_int_equal(pov_relation_evaluate(&judgment, &scene, &query, &judging), POV_OK);
                    assert_true(fabs(pov_angle_wrap(judgment.theta_rad - theta * deg)) < 1e-9);
                    assert_near(judgment.belief.p, abs(theta) < 90, 1e-12);
                    assert_int_equal(judgment.belief.verdict, abs(theta) < 90 ? POV_TRUE : POV_FALSE);
                    query.acceptance = POV_COSINE;
                    assert_int_equal(pov_relation_evaluate(&judgment, &scene, &query, &judging), POV_OK);
                    assert_near(judgment.belief.p, (cos(theta * deg) + 1) / 2, 1e-6);
                    assert_true(judgment.belief.p_std < 1e-3);
                }
}

static void cardinals_follow_north(void **state)
{
    (void)state;
    static pov_scene scene;
    comfort_scene(&scene, 0, 90); /* the referent lies toward +x */
    scene.has_north = true;
    const struct {
        double north_deg;
        int relation;
    } expected[] = {{0, POV_NORTH_OF}, {90, POV_EAST_OF}, {180, POV_SOUTH_OF}, {270, POV_WEST_OF}};
    for (int i = 0; i < 4; i++)
        for (int relation = POV_NORTH_OF; relation <= POV_WEST_OF; relation++) {
            scene.north_yaw_rad = expected[i].north_deg * deg;
            pov_query query = comfort_query(relation, POV_ABSOLUTE, POV_NO_CONVENTION);
            pov_judgment judgment;
            assert_int_equal(pov_relation_evaluate(&judgment, &scene, &query, &judging), POV_OK);
            assert_int_equal(judgment.belief.verdict,
                             relation == expected[i].relation ? POV_TRUE : POV_FALSE);
        }
}

static void what_has_no_answer_is_undefined(void **state)
{
    (void)state;
    static pov_scene scene;
    pov_judgment judgment;
    comfort_scene(&scene, 30, 90);
    pov_query intrinsic = comfort_query(POV_LEFT_OF, POV_INTRINSIC, POV_NO_CONVENTION);
    scene.entities[RELATUM].heading.len = 0;
    assert_int_equal(pov_relation_evaluate(&judgment, &scene, &intrinsic, &judging), POV_UNDEFINED);
    assert_int_equal(judgment.belief.verdict, POV_VERDICT_UNDEFINED);
    assert_true(isnan(judgment.belief.p) && isnan(judgment.belief.p_std) && isnan(judgment.theta_rad));

    pov_query absolute = comfort_query(POV_NORTH_OF, POV_ABSOLUTE, POV_NO_CONVENTION);
    assert_int_equal(pov_relation_evaluate(&judgment, &scene, &absolute, &judging), POV_UNDEFINED);

    pov_query egocentric = comfort_query(POV_LEFT_OF, POV_EGOCENTRIC, POV_REFLECTED);
    pov_entity *referent = &scene.entities[REFERENT];
    referent->position.mean_m = (pov_vec3){0.01, 0, 0};
    referent->position.own_cov_m2[0][0] = 0.02 * 0.02;
    assert_int_equal(pov_relation_evaluate(&judgment, &scene, &egocentric, &judging), POV_UNDEFINED);
    referent->position.mean_m.x = 0.03;
    assert_int_equal(pov_relation_evaluate(&judgment, &scene, &egocentric, &judging), POV_OK);
    referent->placed = false;
    assert_int_equal(pov_relation_evaluate(&judgment, &scene, &egocentric, &judging), POV_UNDEFINED);
    pov_query ill_formed = comfort_query(POV_NORTH_OF, POV_EGOCENTRIC, POV_REFLECTED);
    assert_int_equal(pov_relation_evaluate(&judgment, &scene, &ill_formed, &judging), POV_UNDEFINED);
}

static void a_viewer_over_the_relatum_looks_along_its_heading(void **state)
{
    (void)state;
    static pov_scene scene;
    comfort_scene(&scene, 90, 90);
    scene.entities[WOMAN].position.mean_m = (pov_vec3){0, 0, 2};
    pov_query query = comfort_query(POV_IN_FRONT_OF, POV_ADDRESSEE, POV_TRANSLATED);
    query.axis = POV_SIGHT_LINE;
    pov_judgment judgment;
    assert_int_equal(pov_relation_evaluate(&judgment, &scene, &query, &judging), POV_OK);
    assert_near(judgment.theta_rad, 0, 1e-9);
}

/* ---- Monte-Carlo ---- */

static uint64_t seed;

static double uniform(void)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return ((double)(seed >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(void)
{
    double u = uniform();
    return sqrt(-2 * log(u)) * cos(2 * POV_PI * uniform());
}

/* Best & Fisher 1979's rejection sampler. */
static double von_mises(double mean, double kappa)
{
    double a = 1 + sqrt(1 + 4 * kappa * kappa), b = (a - sqrt(2 * a)) / (2 * kappa),
           r = (1 + b * b) / (2 * b);
    for (;;) {
        double z = cos(POV_PI * uniform()), f = (1 + r * z) / (r + z), c = kappa * (r - f), u = uniform();
        if (c * (2 - c) > u || log(c / u) + 1 >= c)
            return mean + (uniform() < 0.5 ? -1 : 1) * acos(fmin(1, fmax(-1, f)));
    }
}

/* A random factor A, A A^T the covariance: how errors are drawn, and what the code is told. */
static void random_cov(double A[3][3], double cov[3][3], double scale)
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            A[i][j] = scale * normal();
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            cov[i][j] = A[i][0] * A[j][0] + A[i][1] * A[j][1] + A[i][2] * A[j][2];
}

typedef struct {
    double own[4][3][3], camera[6];
    pov_scene scene;
} noisy_scene;

static void random_scene(noisy_scene *noisy, double scale)
{
    comfort_scene(&noisy->scene, 360 * uniform(), 360 * uniform());
    memset(noisy->own, 0, sizeof noisy->own);
    for (int e = 0; e < 3; e++) {
        pov_position *position = &noisy->scene.entities[e].position;
        position->mean_m.x += normal();
        position->mean_m.y += normal();
        random_cov(noisy->own[e], position->own_cov_m2, scale);
        for (int i = 0; i < 3; i++)
            for (int k = 0; k < 6; k++)
                position->per_camera_pose[i][k] = normal();
    }
    for (int k = 0; k < 6; k++) {
        noisy->camera[k] = scale * uniform();
        noisy->scene.camera_pose_cov[k][k] = noisy->camera[k] * noisy->camera[k];
    }
    double yaw = 6 * uniform(), other = 6 * uniform();
    noisy->scene.entities[RELATUM].heading =
        (pov_heading){2, {{0.7, yaw, 4 + 20 * uniform()}, {0.3, other, 2 + uniform()}}};
    yaw = 6 * uniform();
    noisy->scene.entities[WOMAN].heading = pov_heading_single(yaw, 1 + 50 * uniform());
}

static void draw_positions(pov_vec2 drawn[4], const noisy_scene *noisy)
{
    double camera_error[6];
    for (int k = 0; k < 6; k++)
        camera_error[k] = noisy->camera[k] * normal();
    for (int e = 0; e < 4; e++) {
        const pov_position *position = &noisy->scene.entities[e].position;
        double z[3], error[2] = {0, 0};
        for (int k = 0; k < 3; k++)
            z[k] = normal();
        for (int i = 0; i < 2; i++) {
            for (int k = 0; k < 3; k++)
                error[i] += noisy->own[e][i][k] * z[k];
            for (int k = 0; k < 6; k++)
                error[i] += position->per_camera_pose[i][k] * camera_error[k];
        }
        drawn[e] = (pov_vec2){position->mean_m.x + error[0], position->mean_m.y + error[1]};
    }
}

static double draw_heading(const pov_heading *heading)
{
    double u = uniform();
    int i = 0;
    while (i + 1 < heading->len && u > heading->mode[i].weight)
        u -= heading->mode[i++].weight;
    return von_mises(heading->mode[i].yaw_rad, heading->mode[i].kappa);
}

/* The axes at the relatum, row by row as the literature's table gives them. */
static double table_direction(double sight, pov_relation relation, pov_convention convention)
{
    bool turned = convention == POV_ROTATED || convention == POV_REFLECTED,
         swapped = convention == POV_ROTATED;
    switch (relation) {
    case POV_IN_FRONT_OF:
        return turned ? sight + POV_PI : sight;
    case POV_BEHIND:
        return turned ? sight : sight + POV_PI;
    case POV_LEFT_OF:
        return swapped ? sight - POV_PI / 2 : sight + POV_PI / 2;
    default:
        return swapped ? sight + POV_PI / 2 : sight - POV_PI / 2;
    }
}

static double draw_cosine(const noisy_scene *noisy, const pov_query *query)
{
    pov_vec2 drawn[4];
    draw_positions(drawn, noisy);
    pov_vec2 r = drawn[query->referent], o = drawn[query->relatum[0]];
    double axis;
    if (query->perspective == POV_INTRINSIC)
        axis = draw_heading(&noisy->scene.entities[query->relatum[0]].heading);
    else if (query->axis == POV_HEADING)
        axis = draw_heading(&noisy->scene.entities[query->viewer].heading);
    else
        axis = atan2(o.y - drawn[query->viewer].y, o.x - drawn[query->viewer].x);
    return cos(atan2(r.y - o.y, r.x - o.x) -
               table_direction(axis, query->relation->projective, query->convention));
}

static void expectations_agree_with_monte_carlo(void **state)
{
    (void)state;
    enum { SCENES = 60, SAMPLES = 100000 };
    static noisy_scene noisy;
    int judged = 0;
    seed = 7;
    for (int trial = 0; trial < SCENES; trial++) {
        random_scene(&noisy, pow(10, -1.5 + 1.7 * uniform()));
        bool intrinsic = trial % 3 == 2;
        pov_query query =
            comfort_query(trial % 4, intrinsic ? POV_INTRINSIC : POV_ADDRESSEE,
                          intrinsic ? POV_NO_CONVENTION : (pov_convention)(trial / 3 % POV_CONVENTION_COUNT));
        query.axis = trial % 3 == 0 ? POV_SIGHT_LINE : POV_HEADING;
        pov_judgment hemisphere, cosine;
        if (pov_relation_evaluate(&hemisphere, &noisy.scene, &query, &judging) != POV_OK)
            continue;
        query.acceptance = POV_COSINE;
        assert_int_equal(pov_relation_evaluate(&cosine, &noisy.scene, &query, &judging), POV_OK);
        double holds = 0, sum = 0, sum2 = 0;
        for (int i = 0; i < SAMPLES; i++) {
            double lambda = (draw_cosine(&noisy, &query) + 1) / 2;
            holds += lambda > 0.5;
            sum += lambda;
            sum2 += lambda * lambda;
        }
        double mean = sum / SAMPLES, std = sqrt(sum2 / SAMPLES - mean * mean), share = holds / SAMPLES;
        double sampling = 4 * 0.5 / sqrt(SAMPLES);
        assert_near(hemisphere.belief.p, share, 0.005 + sampling);
        assert_near(hemisphere.belief.p_std, sqrt(share * (1 - share)), 0.03);
        assert_near(cosine.belief.p, mean, 0.005 + sampling);
        assert_near(cosine.belief.p_std, std, 0.01);
        judged++;
    }
    assert_true(judged > SCENES / 2);
}

/* A camera's heading and the directions that it measures have the same error: a pose error turns and shifts camera and rays alike. */
typedef struct {
    pov_scene scene;
    pov_pose camera;
    double std[6];
} watched_scene;

static void see_at(pov_entity *entity, pov_vec3 at_m, pov_vec3 eye_m)
{
    const pov_vec3 p = pov_vec3_sub(at_m, eye_m);
    const double J[3][6] = {{0, p.z, -p.y, 1, 0, 0}, {-p.z, 0, p.x, 0, 1, 0}, {p.y, -p.x, 0, 0, 0, 1}};
    entity->placed = true;
    entity->position.mean_m = at_m;
    memcpy(entity->position.per_camera_pose, J, sizeof J);
}

static void watched(watched_scene *w, double off_m, double rotation_std_deg, bool relatum_is_seen)
{
    const pov_vec3 eye_m = {2, 0.5, 1.4}, relatum_m = {0.1, 0.2, 0};
    comfort_scene(&w->scene, 0, 0);
    w->scene.len = CAMERA;
    w->camera = pov_pose_exact(pov_transform_look_at(eye_m, (pov_vec3){0.1, 0, 0}, (pov_vec3){0, 0, 1}));
    for (int k = 0; k < 6; k++) {
        w->std[k] = k < 3 ? rotation_std_deg * deg : 0.01;
        w->camera.cov[k][k] = w->std[k] * w->std[k];
    }
    const pov_vec3 ahead = pov_rot_apply(w->camera.T.R, (pov_vec3){0, 0, 1});
    const pov_vec2 f = {ahead.x / hypot(ahead.x, ahead.y), ahead.y / hypot(ahead.x, ahead.y)};
    see_at(&w->scene.entities[REFERENT],
           (pov_vec3){relatum_m.x - 0.4 * f.x - off_m * f.y, relatum_m.y - 0.4 * f.y + off_m * f.x, 0.1},
           eye_m);
    if (relatum_is_seen)
        see_at(&w->scene.entities[RELATUM], relatum_m, eye_m);
    else
        w->scene.entities[RELATUM].position = (pov_position){.mean_m = relatum_m};
    assert_int_equal(pov_scene_add_camera(&w->scene, &w->camera).code, POV_OK);
}

static pov_vec3 truly_at(const watched_scene *w, pov_id id, pov_transform T_table_camera)
{
    const pov_vec3 at_m = w->scene.entities[id].position.mean_m;
    if (w->scene.entities[id].position.per_camera_pose[0][3] == 0)
        return at_m;
    return pov_transform_apply(T_table_camera, pov_transform_apply(pov_transform_inverse(w->camera.T), at_m));
}

static double share_to_the_left(const watched_scene *w, int samples)
{
    int left = 0;
    for (int i = 0; i < samples; i++) {
        double error[6];
        for (int k = 0; k < 6; k++)
            error[k] = w->std[k] * normal();
        const pov_transform T = pov_transform_plus(w->camera.T, error);
        const pov_vec3 ahead = pov_rot_apply(T.R, (pov_vec3){0, 0, 1});
        const pov_vec3 v = pov_vec3_sub(truly_at(w, REFERENT, T), truly_at(w, RELATUM, T));
        left += ahead.x * v.y - ahead.y * v.x > 0;
    }
    return (double)left / samples;
}

static void a_camera_and_what_it_sees_err_together(void **state)
{
    (void)state;
    enum { SAMPLES = 40000 };
    static watched_scene w;
    seed = 11;
    for (int seen = 0; seen < 2; seen++)
        for (int wide = 0; wide < 2; wide++) /* from 8 degrees on a heading is no Gaussian axis */
            for (int i = -2; i <= 2; i++) {
                pov_judgment judgment;
                const pov_query query = comfort_query(POV_LEFT_OF, POV_EGOCENTRIC, POV_TRANSLATED);
                watched(&w, 0.012 * i, wide ? 9 : 3, seen);
                assert_int_equal(pov_relation_evaluate(&judgment, &w.scene, &query, &judging), POV_OK);
                assert_near(judgment.belief.p, share_to_the_left(&w, SAMPLES), wide ? 0.04 : 0.02);
            }
    watched(&w, 0.024, 3, true); /* three degrees off the boundary, the heading unsure by three */
    assert_true(share_to_the_left(&w, SAMPLES) > 0.95);
}

/* ---- metamorphic ---- */

static void turn_position(pov_position *p, const double M[3][3])
{
    double v[3] = {p->mean_m.x, p->mean_m.y, p->mean_m.z}, w[3] = {0}, J[3][6] = {{0}}, C[3][3] = {{0}};
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            w[i] += M[i][k] * v[k];
            for (int c = 0; c < 6; c++)
                J[i][c] += M[i][k] * p->per_camera_pose[k][c];
            for (int j = 0; j < 3; j++)
                for (int l = 0; l < 3; l++)
                    C[i][j] += M[i][k] * p->own_cov_m2[k][l] * M[j][l];
        }
    p->mean_m = (pov_vec3){w[0], w[1], w[2]};
    memcpy(&p->own_cov_m2, &C, sizeof C);
    for (int i = 0; i < 3; i++)
        for (int c = 0; c < 6; c++)
            p->per_camera_pose[i][c] = J[i][c];
}

static void turn_world(pov_scene *scene, double yaw, bool mirror)
{
    double s = mirror ? -1 : 1;
    const double M[3][3] = {{cos(yaw), -s * sin(yaw), 0}, {sin(yaw), s * cos(yaw), 0}, {0, 0, 1}};
    for (int e = 0; e < scene->len; e++) {
        turn_position(&scene->entities[e].position, M);
        pov_heading *h = &scene->entities[e].heading;
        for (int i = 0; i < h->len; i++)
            h->mode[i].yaw_rad = s * h->mode[i].yaw_rad + yaw;
        for (int k = 0; k < 6; k++)
            scene->entities[e].heading_ties.per_camera_pose[k] *= s;
    }
}

static const pov_relation_info *mirrored(const pov_relation_info *relation)
{
    return relation->projective == POV_LEFT_OF    ? pov_relation_info_of(POV_RIGHT_OF)
           : relation->projective == POV_RIGHT_OF ? pov_relation_info_of(POV_LEFT_OF)
                                                  : relation;
}

static void compare(const noisy_scene *a, const noisy_scene *b, pov_query query, bool mirror)
{
    pov_judgment before, after;
    pov_code code = pov_relation_evaluate(&before, &a->scene, &query, &judging);
    if (mirror)
        query.relation = mirrored(query.relation);
    assert_int_equal(pov_relation_evaluate(&after, &b->scene, &query, &judging), code);
    if (code != POV_OK)
        return;
    assert_near(before.belief.p, after.belief.p, 2e-3);
    assert_near(cos(before.theta_rad - (mirror ? -1 : 1) * after.theta_rad), 1, 1e-9);
    assert_near(before.theta_std_rad, after.theta_std_rad, 1e-9);
}

static void compare_all(const noisy_scene *a, const noisy_scene *b, bool mirror)
{
    for (int perspective = 0; perspective < POV_ABSOLUTE; perspective++)
        for (int convention = 0; convention < POV_CONVENTION_COUNT; convention++)
            for (int relation = 0; relation < 4; relation++)
                for (int axis = 0; axis < POV_AXIS_COUNT; axis++) {
                    bool intrinsic = perspective == POV_INTRINSIC;
                    pov_query query = comfort_query(
                        relation, perspective, intrinsic ? POV_NO_CONVENTION : (pov_convention)convention);
                    query.axis = axis;
                    compare(a, b, query, mirror);
                }
}

static void turning_the_world_changes_nothing_and_mirroring_swaps_left_and_right(void **state)
{
    (void)state;
    static noisy_scene noisy, changed;
    seed = 3;
    for (int trial = 0; trial < 50; trial++) {
        random_scene(&noisy, 0.2);
        changed = noisy;
        turn_world(&changed.scene, 6 * uniform(), false);
        compare_all(&noisy, &changed, false);
        changed = noisy;
        turn_world(&changed.scene, 6 * uniform(), true);
        compare_all(&noisy, &changed, true);
    }
}

static void an_error_shared_by_all_through_the_camera_cancels(void **state)
{
    (void)state;
    static pov_scene scene;
    comfort_scene(&scene, 85, 90); /* 5 degrees from a boundary */
    for (int e = 0; e < 4; e++)
        for (int i = 0; i < 3; i++)
            scene.entities[e].position.per_camera_pose[i][3 + i] = 1;
    for (int i = 3; i < 6; i++)
        scene.camera_pose_cov[i][i] = 4; /* 2 m, of everything alike */
    pov_query query = comfort_query(POV_IN_FRONT_OF, POV_EGOCENTRIC, POV_REFLECTED);
    query.axis = POV_SIGHT_LINE;
    pov_judgment judgment;
    assert_int_equal(pov_relation_evaluate(&judgment, &scene, &query, &judging), POV_OK);
    assert_int_equal(judgment.belief.verdict, POV_TRUE);
    assert_true(judgment.theta_std_rad < 1e-9);
}

/* Integrated over the circle, by the densities. */
static double spread_about(const pov_heading *heading, double yaw_rad)
{
    enum { STEPS = 20000 };
    double sum = 0;
    for (int m = 0; m < heading->len; m++) {
        const pov_heading_mode *mode = &heading->mode[m];
        double squares = 0, total = 0;
        for (int i = 0; i < STEPS; i++) {
            const double off_rad = POV_PI * (2 * (i + 0.5) / STEPS - 1);
            const double density = exp(mode->kappa * (cos(yaw_rad + off_rad - mode->yaw_rad) - 1));
            squares += density * off_rad * off_rad;
            total += density;
        }
        sum += mode->weight * squares / total;
    }
    return sqrt(sum);
}

static void the_deviation_of_an_angle_counts_all_that_a_front_may_be(void **state)
{
    (void)state;
    static pov_scene scene;
    static const pov_heading fronts[] = {{.len = 1, .mode = {{1, 1, 400}}},
                                         {.len = 1, .mode = {{1, 1, 4}}},
                                         {.len = 2, .mode = {{0.6, 1, 300}, {0.4, 1.5, 60}}},
                                         {.len = 2, .mode = {{0.2, -2, 40}, {0.8, 0.5, 1e4}}}};
    for (size_t i = 0; i < sizeof fronts / sizeof *fronts; i++) {
        comfort_scene(&scene, 85, 90);
        scene.entities[RELATUM].heading = fronts[i];
        pov_query query = comfort_query(POV_IN_FRONT_OF, POV_INTRINSIC, POV_NO_CONVENTION);
        query.axis = POV_HEADING;
        pov_judgment judgment;
        assert_int_equal(pov_relation_evaluate(&judgment, &scene, &query, &judging), POV_OK);
        const double expected = spread_about(&fronts[i], pov_heading_heaviest(&fronts[i])->yaw_rad);
        assert_near(judgment.theta_std_rad, expected, 0.015 * expected);
    }
}

static void near_a_boundary_it_abstains_by_the_margin(void **state)
{
    (void)state;
    static pov_scene scene;
    const double std_m = 3 * sin(2 * deg); /* about 2 degrees at 3 m */
    const pov_judging by_default = POV_JUDGING_DEFAULT;
    for (int phi = 60; phi <= 120; phi++) {
        comfort_scene(&scene, phi, 90);
        for (int i = 0; i < 3; i++)
            scene.entities[REFERENT].position.own_cov_m2[i][i] = std_m * std_m;
        pov_query query = comfort_query(POV_IN_FRONT_OF, POV_EGOCENTRIC, POV_REFLECTED);
        pov_judgment judgment;
        assert_int_equal(pov_relation_evaluate(&judgment, &scene, &query, &by_default), POV_OK);
        if (abs(phi - 90) <= 5) /* within 3 standard deviations */
            assert_int_equal(judgment.belief.verdict, POV_ABSTAIN);
        if (abs(phi - 90) >= 7)
            assert_int_equal(judgment.belief.verdict, phi < 90 ? POV_TRUE : POV_FALSE);
    }
}

static bool is_same_query(const pov_query *a, const pov_query *b)
{
    return a->referent == b->referent && a->relatum[0] == b->relatum[0] && a->viewer == b->viewer &&
           a->relation == b->relation && a->perspective == b->perspective && a->convention == b->convention &&
           a->axis == b->axis && a->acceptance == b->acceptance;
}

static void a_pair_is_judged_in_every_frame_once_and_never_by_a_viewer_about_itself(void **state)
{
    (void)state;
    static pov_scene scene;
    static pov_judgment judgments[200];
    const pov_judging by_default = POV_JUDGING_DEFAULT;
    comfort_scene(&scene, 30, 90);
    /* 2 viewers x 3 conventions x 2 axes x 4 relations, and 4 intrinsic */
    assert_int_equal(pov_relation_evaluate_pair(judgments, 200, &scene, REFERENT, RELATUM, &by_default), 52);
    for (int i = 0; i < 52; i++)
        for (int j = 0; j < i; j++)
            assert_false(is_same_query(&judgments[i].query, &judgments[j].query));
    assert_int_equal(pov_relation_evaluate_pair(judgments, 200, &scene, REFERENT, WOMAN, &by_default), 28);
    scene.has_north = true;
    scene.north_yaw_rad = 0;
    assert_int_equal(pov_relation_evaluate_pair(judgments, 10, &scene, REFERENT, RELATUM, &by_default), 56);
}

/* A viewer that is asked where it itself is: straight in front of the relatum, whatever the rounding. */
static void half_a_turn_is_180_degrees_and_never_minus_180(void **state)
{
    (void)state;
    static pov_scene scene;
    static pov_judgment judgments[200];
    test_random random = {.state = 3};
    const pov_judging by_default = POV_JUDGING_DEFAULT;
    for (int i = 0; i < 500; i++) {
        comfort_scene(&scene, 30, 90);
        scene.entities[WOMAN].position.mean_m.x += test_random_between(&random, -1, 1);
        scene.entities[WOMAN].position.mean_m.y += test_random_between(&random, -1, 1);
        const int len = pov_relation_evaluate_pair(judgments, 200, &scene, WOMAN, RELATUM, &by_default);
        for (int k = 0; k < len; k++)
            assert_true(isnan(judgments[k].theta_rad) ||
                        (judgments[k].theta_rad > -POV_PI + 1e-9 && judgments[k].theta_rad <= POV_PI));
    }
}

/* A cup at (x, y), its bottom `above_m` over a table's top; the camera looks along +y, a woman along +x, north is +y. */
enum { CUP, TABLE };

static void cup_and_table(pov_scene *scene, double x_m, double y_m, double above_m, const char *table_class)
{
    pov_entity cup = pov_entity_named("cup", "cup"), table = pov_entity_named("table", table_class),
               woman = pov_entity_named("woman", "person");
    cup.placed = table.placed = woman.placed = woman.addressee = true;
    cup.size_m = (pov_vec3){0.08, 0.08, 0.1};
    cup.position.mean_m = (pov_vec3){x_m, y_m, 0.75 + above_m + 0.05};
    table.size_m = (pov_vec3){1.2, 0.8, 0.75};
    table.position.mean_m = (pov_vec3){0, 0, 0.375};
    table.heading = cup.heading = woman.heading = pov_heading_single(0, INFINITY);
    woman.position.mean_m = (pov_vec3){-2, 0, 0.8};
    pov_scene_clear(scene);
    pov_pose camera = pov_pose_exact(
        pov_transform_look_at((pov_vec3){0, -3, 1.5}, (pov_vec3){0, 0, 0.7}, (pov_vec3){0, 0, 1}));
    assert_int_equal(pov_scene_add(scene, &(pov_id){0}, &cup).code, POV_OK);
    assert_int_equal(pov_scene_add(scene, &(pov_id){0}, &table).code, POV_OK);
    assert_int_equal(pov_scene_add(scene, &(pov_id){0}, &woman).code, POV_OK);
    assert_int_equal(pov_scene_add_camera(scene, &camera).code, POV_OK);
    scene->has_north = true;
    scene->north_yaw_rad = POV_PI / 2;
}

/* How many of a pair's judgments in all frames are true. */
static int count_true(const pov_scene *scene, pov_id referent, pov_id relatum, double *p_most)
{
    static pov_judgment judgments[400];
    pov_judging all = POV_JUDGING_DEFAULT;
    int holding = 0;
    all.acceptance[POV_COSINE] = all.acceptance[POV_TEMPLATE] = true;
    int len = pov_relation_evaluate_pair(judgments, 400, scene, referent, relatum, &all);
    assert_in_range(len, 100, 400);
    *p_most = 0;
    for (int i = 0; i < len; i++) {
        holding += judgments[i].belief.verdict == POV_TRUE;
        *p_most = fmax(*p_most, judgments[i].belief.p);
    }
    return holding;
}

static void what_stands_on_a_thing_is_on_no_side_of_it(void **state)
{
    (void)state;
    static pov_scene scene;
    double p_most;
    const pov_vec2 places[] = {{0.1, 0.3}, {0.1, -0.3}, {-0.5, 0.1}, {0.5, 0.1}, {0.55, 0.35}};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        double x_m = places[i].x, y_m = places[i].y;
        for (int turned = 0; turned < 2; turned++) {
            pov_id referent = turned ? TABLE : CUP, relatum = turned ? CUP : TABLE;
            cup_and_table(&scene, x_m, y_m, 0, "table");
            assert_int_equal(count_true(&scene, referent, relatum, &p_most), 0);
            assert_near(p_most, 0, 0);
            cup_and_table(&scene, x_m, y_m, 0.005, "table");
            assert_int_equal(count_true(&scene, referent, relatum, &p_most), 0);
            /* over it without touching, beside it at the height of its top, or inside: as ever, by centres */
            cup_and_table(&scene, x_m, y_m, 0.2, "table");
            assert_true(count_true(&scene, referent, relatum, &p_most) > 0);
            cup_and_table(&scene, 2 * x_m, 2 * y_m, 0, "table");
            assert_true(count_true(&scene, referent, relatum, &p_most) > 0);
            cup_and_table(&scene, x_m, y_m, -0.4, "table");
            assert_true(count_true(&scene, referent, relatum, &p_most) > 0);
        }
        /* Half sunk: into a tub it is let, into a seat it presses; boxes that are neither may just be badly measured. */
        cup_and_table(&scene, x_m, y_m, -0.04, "tub");
        assert_int_equal(count_true(&scene, CUP, TABLE, &p_most), 0);
        cup_and_table(&scene, x_m, y_m, -0.2, "sofa");
        assert_int_equal(count_true(&scene, CUP, TABLE, &p_most), 0);
        cup_and_table(&scene, x_m, y_m, -0.04, "block");
        assert_true(count_true(&scene, CUP, TABLE, &p_most) > 0);
    }
}

/* A cup 1 cm within the table's far edge, its place known to 2 cm: it stands on the table in Phi(1/2) of the cases. */
static void near_the_edge_of_what_it_may_stand_on_a_direction_is_as_likely_as_not_to_stand_there(void **state)
{
    (void)state;
    static pov_scene scene;
    pov_judgment judgment;
    cup_and_table(&scene, 0, 0.39, 0, "table");
    for (int k = 0; k < 3; k++)
        scene.entities[CUP].position.own_cov_m2[k][k] = 4e-4;
    pov_query query = {.referent = CUP,
                       .relatum = {TABLE},
                       .relatum_len = 1,
                       .relation = pov_relation_info_of(POV_BEHIND),
                       .perspective = POV_EGOCENTRIC,
                       .viewer = scene.camera,
                       .convention = POV_REFLECTED};
    const double p = 0.5 * erfc(0.5 / sqrt(2)); /* beyond the edge */
    assert_int_equal(pov_relation_evaluate(&judgment, &scene, &query, &judging), POV_OK);
    assert_near(judgment.belief.p, p, 1e-6);
    assert_near(judgment.belief.p_std, sqrt(p * (1 - p)), 1e-6);
    assert_int_equal(judgment.belief.verdict, POV_ABSTAIN);
    query.acceptance = POV_COSINE;
    assert_int_equal(pov_relation_evaluate(&judgment, &scene, &query, &judging), POV_OK);
    assert_near(judgment.belief.p, p, 2e-3); /* nearly straight behind */
    assert_near(judgment.belief.p_std, sqrt(p * (1 - p)), 2e-3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_published_prototype_and_hemisphere_follows_from_the_axes),
        cmocka_unit_test(cardinals_follow_north),
        cmocka_unit_test(half_a_turn_is_180_degrees_and_never_minus_180),
        cmocka_unit_test(what_has_no_answer_is_undefined),
        cmocka_unit_test(a_viewer_over_the_relatum_looks_along_its_heading),
        cmocka_unit_test(expectations_agree_with_monte_carlo),
        cmocka_unit_test(a_camera_and_what_it_sees_err_together),
        cmocka_unit_test(turning_the_world_changes_nothing_and_mirroring_swaps_left_and_right),
        cmocka_unit_test(an_error_shared_by_all_through_the_camera_cancels),
        cmocka_unit_test(the_deviation_of_an_angle_counts_all_that_a_front_may_be),
        cmocka_unit_test(near_a_boundary_it_abstains_by_the_margin),
        cmocka_unit_test(a_pair_is_judged_in_every_frame_once_and_never_by_a_viewer_about_itself),
        cmocka_unit_test(what_stands_on_a_thing_is_on_no_side_of_it),
        cmocka_unit_test(
            near_the_edge_of_what_it_may_stand_on_a_direction_is_as_likely_as_not_to_stand_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
