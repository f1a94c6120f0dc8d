#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "perception/relations/expectation/expectation.h"
#include "tests/support/near.h"
#include "tests/support/random.h"

#include <stdlib.h>
#include <string.h>

/* Oracle: sampling. Nothing here knows how the expectations are computed. */

static const pov_template regions = {0.6, 0.1, 1.4, 0.15, 0.55, 2.0};

/* Best & Fisher 1979's rejection sampler. */
static double von_mises(test_random *random, double kappa)
{
    if (kappa < 1e-6)
        return test_random_between(random, -POV_PI, POV_PI);
    double a = 1 + sqrt(1 + 4 * kappa * kappa), b = (a - sqrt(2 * a)) / (2 * kappa),
           r = (1 + b * b) / (2 * b);
    for (;;) {
        double z = cos(POV_PI * test_random_between(random, 0, 1)), f = (1 + r * z) / (r + z);
        double c = kappa * (r - f), u = test_random_between(random, 1e-18, 1);
        if (c * (2 - c) > u || log(c / u) + 1 >= c)
            return (test_random_u64(random) & 1 ? -1 : 1) * acos(fmin(1, fmax(-1, f)));
    }
}

static double heading_drawn(test_random *random, const pov_heading *heading)
{
    double u = test_random_between(random, 0, 1);
    int i = 0;
    while (i + 1 < heading->len && u > heading->mode[i].weight)
        u -= heading->mode[i++].weight;
    return heading->mode[i].yaw_rad + von_mises(random, heading->mode[i].kappa);
}

/* The factor F of a covariance F F^T, and the sight it belongs to. */
typedef struct {
    pov_sight sight;
    double F[4][4];
    bool has_heading;
    pov_heading heading;
} scene;

static void set_cov(scene *s)
{
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) {
            s->sight.cov_m2[i][j] = 0;
            for (int k = 0; k < 4; k++)
                s->sight.cov_m2[i][j] += s->F[i][k] * s->F[j][k];
        }
}

typedef struct {
    double hemisphere, cosine, cosine_std, regions, regions_std;
} moments;

/* Box & Muller's two normals at a time. */
static void two_normals(test_random *random, double z[2])
{
    double length = sqrt(-2 * log(test_random_between(random, 0x1p-60, 1)));
    double turn = 2 * POV_PI * test_random_between(random, 0, 1);
    z[0] = length * cos(turn);
    z[1] = length * sin(turn);
}

static double theta_drawn(test_random *random, const scene *s, double *distance_m)
{
    double z[4], x[4] = {s->sight.axis_m.x, s->sight.axis_m.y, s->sight.v_m.x, s->sight.v_m.y};
    two_normals(random, &z[0]);
    two_normals(random, &z[2]);
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 4; k++)
            x[i] += s->F[i][k] * z[k];
    *distance_m = hypot(x[2], x[3]);
    return atan2(x[3], x[2]) - (s->has_heading ? heading_drawn(random, &s->heading) : atan2(x[1], x[0]));
}

static moments sampled(test_random *random, const scene *s, int quarter, int samples)
{
    moments m = {0, 0, 0, 0, 0};
    for (int i = 0; i < samples; i++) {
        double distance, theta = theta_drawn(random, s, &distance) - quarter * POV_PI / 2, c = cos(theta);
        double t = pov_template_evaluate(&regions, theta, distance);
        m.hemisphere += c > 0;
        m.cosine += (1 + c) / 2;
        m.cosine_std += (1 + c) * (1 + c) / 4;
        m.regions += t;
        m.regions_std += t * t;
    }
    for (size_t i = 0; i < sizeof m / sizeof(double); i++)
        ((double *)&m)[i] /= samples;
    m.cosine_std = sqrt(fmax(0, m.cosine_std - m.cosine * m.cosine));
    m.regions_std = sqrt(fmax(0, m.regions_std - m.regions * m.regions));
    return m;
}

static void compare(test_random *random, const scene *s, int quarter, int samples, double tolerance)
{
    const moments m = sampled(random, s, quarter, samples);
    const pov_heading *heading = s->has_heading ? &s->heading : NULL;
    pov_expected hemisphere, cosine, template;
    pov_expect_hemisphere(&hemisphere, &s->sight, heading);
    pov_expect_cosine(&cosine, &s->sight, heading);
    pov_expect_template(&template, &s->sight, heading, &regions);
    assert_near(hemisphere.mean[quarter], m.hemisphere, tolerance);
    assert_near(hemisphere.std[quarter], sqrt(m.hemisphere * (1 - m.hemisphere)), 0.05);
    assert_near(cosine.mean[quarter], m.cosine, tolerance);
    assert_near(cosine.std[quarter], m.cosine_std, tolerance);
    assert_near(template.mean[quarter], m.regions, tolerance);
    assert_near(template.std[quarter], m.regions_std, tolerance);
}

/* ---- scenes of every kind ---- */

static void random_means(test_random *random, scene *s)
{
    double turn = test_random_between(random, -POV_PI, POV_PI),
           about = test_random_between(random, -POV_PI, POV_PI);
    double far = exp(test_random_between(random, -1, 1.5)), near = exp(test_random_between(random, -1, 1));
    s->sight.axis_m = (pov_vec2){far * cos(turn), far * sin(turn)};
    s->sight.v_m = (pov_vec2){near * cos(turn + about), near * sin(turn + about)};
}

/* Independent errors of viewer, relatum and referent: the relatum's is in both vectors. */
static void random_entities(test_random *random, scene *s)
{
    random_means(random, s);
    double scale = exp(test_random_between(random, -5, -0.5));
    memset(s->F, 0, sizeof s->F);
    s->has_heading = false;
    for (int i = 0; i < 2; i++) {
        s->F[i][0] = scale * test_random_between(random, 0, 1);
        s->F[i + 2][1] = scale * test_random_between(random, 0, 1);
        s->F[i][2 + i] = scale * test_random_between(random, 0, 1);
        s->F[i + 2][2 + i] = -s->F[i][2 + i];
    }
    set_cov(s);
}

/* As typed by hand: places are known. */
static void without_errors(test_random *random, scene *s)
{
    random_means(random, s);
    memset(s->F, 0, sizeof s->F);
    set_cov(s);
}

/* Any covariance: strong correlations of any sign. */
static void random_correlated(test_random *random, scene *s)
{
    random_means(random, s);
    double scale = exp(test_random_between(random, -4, -0.3));
    s->has_heading = false;
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 4; k++)
            s->F[i][k] = scale * test_random_normal(random) * (k ? 0.3 : 1);
    set_cov(s);
}

/* One vector hardly longer than its noise. */
static void random_coincident(test_random *random, scene *s)
{
    random_correlated(random, s);
    pov_vec2 *near = test_random_u64(random) & 1 ? &s->sight.axis_m : &s->sight.v_m;
    int first = near == &s->sight.axis_m ? 0 : 2;
    double noise = sqrt(s->sight.cov_m2[first][first] + s->sight.cov_m2[first + 1][first + 1]);
    double factor = noise * test_random_between(random, 1, 2.5) / hypot(near->x, near->y);
    near->x *= factor;
    near->y *= factor;
}

/* At a boundary, give or take two standard deviations. */
static void random_boundary(test_random *random, scene *s)
{
    random_correlated(random, s);
    pov_vec2 a = s->sight.axis_m;
    double length = hypot(s->sight.v_m.x, s->sight.v_m.y) / hypot(a.x, a.y);
    s->sight.v_m = (pov_vec2){-a.y * length, a.x * length};
}

/* Independent of v. */
static void random_heading(test_random *random, scene *s)
{
    s->has_heading = true;
    memset(s->F, 0, 2 * sizeof s->F[0]);
    set_cov(s);
    s->heading.len = 1 + (int)(test_random_u64(random) % 3);
    for (int i = 0; i < s->heading.len; i++)
        s->heading.mode[i] =
            (pov_heading_mode){1.0 / s->heading.len, test_random_between(random, -POV_PI, POV_PI),
                               exp(test_random_between(random, -3, 12))};
}

static void check_kind(void (*make)(test_random *, scene *), bool with_heading, uint64_t seed)
{
    int samples = 150000, scenes = 4;
    const char *wanted = getenv("POV_EXPECTATION_SCENES");
    if (wanted)
        scenes = atoi(wanted);
    test_random random = {seed};
    scene s;
    for (int i = 0; i < scenes; i++) {
        make(&random, &s);
        if (with_heading)
            random_heading(&random, &s);
        compare(&random, &s, i % 4, samples, 0.005);
    }
}

static void sight_lines_agree_with_sampling(void **state)
{
    (void)state;
    check_kind(random_entities, false, 1);
    check_kind(random_boundary, false, 2);
}

static void strongly_correlated_errors_agree_with_sampling(void **state)
{
    (void)state;
    check_kind(random_correlated, false, 3);
}

static void vectors_as_short_as_their_noise_agree_with_sampling(void **state)
{
    (void)state;
    check_kind(random_coincident, false, 4);
}

static void headings_wide_narrow_and_mixed_agree_with_sampling(void **state)
{
    (void)state;
    check_kind(random_entities, true, 5);
    check_kind(random_correlated, true, 6);
    check_kind(random_coincident, true, 7);
    check_kind(without_errors, true, 8);
}

/* ---- headings that go with v ---- */

/* v moves by `per_rad` of the heading's error, and by errors of its own. */
static void random_tied(test_random *random, scene *s, pov_vec2 *per_rad, double kappa)
{
    const double yaw = test_random_between(random, -POV_PI, POV_PI),
                 about = test_random_between(random, -1, 1), v = exp(test_random_between(random, -0.5, 0.5));
    memset(s, 0, sizeof *s);
    s->has_heading = true;
    s->heading = pov_heading_single(yaw, kappa);
    s->sight =
        (pov_sight){{cos(yaw), sin(yaw)}, {v * cos(yaw + 1.5 + about), v * sin(yaw + 1.5 + about)}, {{0}}};
    *per_rad = (pov_vec2){test_random_between(random, -1, 1), test_random_between(random, -1, 1)};
    for (int i = 2; i < 4; i++)
        s->F[i][i] = 0.3 * test_random_between(random, 0, 1) / sqrt(kappa);
}

/* I1 / I0 by its integrals. */
static double resultant(double kappa)
{
    double zero = 0, one = 0;
    for (int i = 0; i < 20000; i++) {
        const double x = POV_PI * (i + 0.5) / 20000, density = exp(kappa * (cos(x) - 1));
        zero += density;
        one += density * cos(x);
    }
    return one / zero;
}

static void tell_ties(scene *s, pov_vec2 per_rad)
{
    const double A = resultant(s->heading.mode[0].kappa), variance = -2 * log(A);
    const double across[2] = {-s->sight.axis_m.y, s->sight.axis_m.x}, by[2] = {per_rad.x, per_rad.y};
    set_cov(s);
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) {
            s->sight.cov_m2[2 + i][2 + j] += by[i] * by[j] * variance;
            s->sight.cov_m2[i][2 + j] = s->sight.cov_m2[2 + j][i] = across[i] * by[j] * variance;
        }
}

static void headings_that_go_with_the_vector_agree_with_sampling(void **state)
{
    (void)state;
    enum { SAMPLES = 400000 };
    static const double kappas[] = {8, 30, 80, 300, 3000, 100000};
    test_random random = {23};
    for (size_t k = 0; k < 2 * sizeof kappas / sizeof *kappas; k++) {
        scene s;
        pov_vec2 by;
        double holds = 0, cosine = 0, region = 0;
        random_tied(&random, &s, &by, kappas[k / 2]);
        tell_ties(&s, by);
        for (int i = 0; i < SAMPLES; i++) {
            const double delta = von_mises(&random, kappas[k / 2]);
            const double x = s.sight.v_m.x + by.x * delta + s.F[2][2] * test_random_normal(&random);
            const double y = s.sight.v_m.y + by.y * delta + s.F[3][3] * test_random_normal(&random);
            const double theta = atan2(y, x) - s.heading.mode[0].yaw_rad - delta;
            holds += cos(theta) > 0;
            cosine += (1 + cos(theta)) / 2;
            region += pov_template_evaluate(&regions, theta, hypot(x, y));
        }
        pov_expected expected;
        pov_expect_hemisphere(&expected, &s.sight, &s.heading);
        assert_near(expected.mean[POV_AHEAD], holds / SAMPLES, 0.005);
        if (kappas[k / 2] < POV_HEADING_TIED_KAPPA)
            continue;
        pov_expect_cosine(&expected, &s.sight, &s.heading);
        assert_near(expected.mean[POV_AHEAD], cosine / SAMPLES, 0.005);
        pov_expect_template(&expected, &s.sight, &s.heading, &regions);
        assert_near(expected.mean[POV_AHEAD], region / SAMPLES, 0.005);
    }
}

/* v errs little, and by a part of the heading's error. */
static void headings_that_go_with_an_exact_vector_agree_with_sampling(void **state)
{
    (void)state;
    enum { SAMPLES = 400000, CASES = 6 };
    static const double kappas[] = {0.5, 2, 5, 8, 20, 49};
    test_random random = {29};
    for (size_t k = 0; k < CASES * sizeof kappas / sizeof *kappas; k++) {
        scene s;
        pov_vec2 by;
        double holds = 0, kappa = kappas[k / CASES];
        const double share =
            k % 2 ? 0.1 : 1; /* the vector as a whole is narrow, or is so only where the heading is known */
        random_tied(&random, &s, &by, kappa);
        by = (pov_vec2){share * by.x, share * by.y};
        s.F[2][2] = s.F[3][3] = 0.002;
        tell_ties(&s, by);
        for (int i = 0; i < SAMPLES; i++) {
            const double delta = von_mises(&random, kappa);
            const double x = s.sight.v_m.x + by.x * delta + s.F[2][2] * test_random_normal(&random);
            const double y = s.sight.v_m.y + by.y * delta + s.F[3][3] * test_random_normal(&random);
            holds += cos(atan2(y, x) - s.heading.mode[0].yaw_rad - delta) > 0;
        }
        pov_expected expected;
        pov_expect_hemisphere(&expected, &s.sight, &s.heading);
        assert_near(expected.mean[POV_AHEAD], holds / SAMPLES, 0.003);
    }
}

/* ---- on the boundary, whatever the errors ---- */

static void check_neither_side(const pov_sight *sight, const pov_heading *heading, double other_half)
{
    pov_expected expected;
    pov_expect_hemisphere(&expected, sight, heading);
    assert_near(expected.mean[POV_TO_LEFT], other_half, 1e-9);
    assert_near(expected.mean[POV_TO_RIGHT], other_half, 1e-9);
}

/* The relatum alone errs, so that v, from it to the referent where the viewer stands, is minus the sight line. */
static void a_referent_where_the_viewer_stands_is_at_neither_side(void **state)
{
    (void)state;
    test_random random = {17};
    for (int i = 0; i < 1000; i++) {
        scene s = {.has_heading = false};
        const double x = test_random_between(&random, -2, 2), y = test_random_between(&random, -2, 2);
        s.sight = (pov_sight){.axis_m = {x, y}, .v_m = {-x, -y}};
        for (int k = 0; k < 2; k++)
            for (int row = 0; row < 2; row++) {
                s.F[row][k] = test_random_between(&random, -0.1, 0.1);
                s.F[row + 2][k] = -s.F[row][k];
            }
        set_cov(&s);
        check_neither_side(&s.sight, NULL, 0);
    }
}

/* However much the relatum errs: all of its places are on the far side of the referent, from where the viewer looks. */
static void a_referent_where_the_viewer_stands_is_on_this_side_for_sure(void **state)
{
    (void)state;
    test_random random = {19};
    for (int i = 0; i < 1000; i++) {
        scene s = {.has_heading = false};
        pov_expected expected;
        const double x = test_random_between(&random, -2, 2), y = test_random_between(&random, -2, 2);
        s.sight = (pov_sight){.axis_m = {x, y}, .v_m = {-x, -y}};
        for (int k = 0; k < (i % 2 ? 1 : 2); k++) /* every other error is along a line */
            for (int row = 0; row < 2; row++) {
                s.F[row][k] = test_random_between(&random, -2, 2);
                s.F[row + 2][k] = -s.F[row][k];
            }
        set_cov(&s);
        pov_expect_hemisphere(&expected, &s.sight, NULL);
        assert_near(expected.mean[POV_AHEAD], 0, 5e-4);
        assert_near(expected.mean[POV_BACK], 1, 5e-4);
    }
}

/* One of two fronts is exactly across, the other up to a noise that is even on both sides. */
static void of_a_front_that_is_exactly_across_neither_side_gets_a_share(void **state)
{
    (void)state;
    const pov_sight sight = {.axis_m = {0, 1}, .v_m = {0, 1}};
    const pov_heading heading = {.len = 2, .mode = {{0.75, POV_PI / 2, 1e12}, {0.25, POV_PI / 2, 400}}};
    check_neither_side(&sight, &heading, 0.125);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sight_lines_agree_with_sampling),
        cmocka_unit_test(strongly_correlated_errors_agree_with_sampling),
        cmocka_unit_test(vectors_as_short_as_their_noise_agree_with_sampling),
        cmocka_unit_test(headings_wide_narrow_and_mixed_agree_with_sampling),
        cmocka_unit_test(headings_that_go_with_the_vector_agree_with_sampling),
        cmocka_unit_test(headings_that_go_with_an_exact_vector_agree_with_sampling),
        cmocka_unit_test(a_referent_where_the_viewer_stands_is_at_neither_side),
        cmocka_unit_test(a_referent_where_the_viewer_stands_is_on_this_side_for_sure),
        cmocka_unit_test(of_a_front_that_is_exactly_across_neither_side_gets_a_share),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
