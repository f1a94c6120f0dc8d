#include "perception/models/heading_decode.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/support/near.h"

enum { BINS = 36 };
static const double deg = POV_PI / 180;

static pov_heading_contract bins(void)
{
    return (pov_heading_contract){.kind = POV_HEADING_BINS, .against = POV_HEADING_OF_RAY, .bins = BINS};
}

/* Logits whose softmax is a von Mises distribution, read off at the bins' centres. */
static void add_von_mises(float logits[BINS], double weight, double yaw_rad, double kappa)
{
    double density[BINS], sum = 0;
    for (int i = 0; i < BINS; i++)
        sum += density[i] = exp(kappa * (cos(2 * POV_PI * i / BINS - yaw_rad) - 1));
    for (int i = 0; i < BINS; i++)
        logits[i] += (float)(weight * density[i] / sum);
}

static void to_logits(float logits[BINS])
{
    for (int i = 0; i < BINS; i++)
        logits[i] = logf(logits[i] + 1e-12f) + 3;
}

static void bins_of_a_von_mises_give_its_mean_and_width(void **state)
{
    (void)state;
    const pov_heading_contract contract = bins();
    for (double yaw = -3; yaw < 3.1; yaw += 0.37) {
        float logits[BINS] = {0};
        add_von_mises(logits, 1, yaw, 20);
        to_logits(logits);
        const pov_seen_heading seen = pov_heading_decode(&contract, logits);
        assert_int_equal(seen.heading.len, 1);
        assert_near(pov_angle_wrap(seen.heading.mode[0].yaw_rad - yaw), 0, 1e-4);
        /* the width of a bin is added to that of the distribution: 1/20 + (10 deg)^2 / 12 */
        assert_near(1 / seen.heading.mode[0].kappa, 1 / 20.0 + 100 * deg * deg / 12, 0.002);
    }
}

static void two_peaks_are_two_modes_with_their_weights(void **state)
{
    (void)state;
    const pov_heading_contract contract = bins();
    float logits[BINS] = {0};
    add_von_mises(logits, 0.7, 0.5, 30);
    add_von_mises(logits, 0.3, 0.5 + POV_PI, 30);
    to_logits(logits);
    const pov_seen_heading seen = pov_heading_decode(&contract, logits);
    assert_int_equal(seen.heading.len, 2);
    assert_near(seen.heading.mode[0].weight, 0.7, 1e-3);
    assert_near(seen.heading.mode[0].yaw_rad, 0.5, 1e-3);
    assert_near(pov_angle_wrap(seen.heading.mode[1].yaw_rad - 0.5 - POV_PI), 0, 1e-3);
}

static void bins_all_alike_say_nothing(void **state)
{
    (void)state;
    const pov_heading_contract contract = bins();
    const float logits[BINS] = {0};
    const pov_seen_heading seen = pov_heading_decode(&contract, logits);
    double nothing = 0;
    for (int i = 0; i < seen.heading.len; i++)
        nothing += seen.heading.mode[i].kappa < 0.01 ? seen.heading.mode[i].weight : 0;
    assert_true(nothing > 0.85);
    assert_true(seen.heading.mode[0].kappa < 0.01); /* the heaviest comes first */
}

static void probabilities_are_taken_as_they_are(void **state)
{
    (void)state;
    pov_heading_contract contract = bins();
    float p[BINS] = {[3] = 0.75f, [20] = 0.25f};
    contract.probabilities = true;
    contract.std_rad = 5 * deg;
    const pov_seen_heading seen = pov_heading_decode(&contract, p);
    assert_int_equal(seen.heading.len, 2);
    assert_near(seen.heading.mode[0].weight, 0.75, 1e-6);
    assert_near(seen.heading.mode[0].yaw_rad, 30 * deg, 1e-6);
    assert_near(1 / (seen.heading.mode[0].kappa - 0.5), (25 + 100 / 12.0) * deg * deg, 1e-4);
}

static void offsets_within_bins_move_the_angle(void **state)
{
    (void)state;
    enum { FEW = 4 };
    const float radians[2 * FEW] = {0, 9, 0, 0, 0.1f, -0.3f, 0.2f, 0};
    const float vectors[3 * FEW] = {0, 9, 0, 0, 1, 0, 2 * sinf(-0.3f), 2 * cosf(-0.3f), 0, 1, 0, 1};
    pov_heading_contract contract = bins();
    contract.bins = FEW;
    contract.offset = POV_BIN_OFFSET_RADIANS;
    pov_seen_heading seen = pov_heading_decode(&contract, radians);
    assert_near(seen.heading.mode[0].yaw_rad, POV_PI / 2 - 0.3, 1e-3);
    contract.offset = POV_BIN_OFFSET_SINE_COSINE;
    seen = pov_heading_decode(&contract, vectors);
    assert_near(seen.heading.mode[0].yaw_rad, POV_PI / 2 - 0.3, 1e-3);
    assert_true(seen.heading.mode[0].kappa > 100); /* no width of a bin */
}

static void angles_are_turned_to_counterclockwise_from_away(void **state)
{
    (void)state;
    /* KITTI's alpha: 0 faces right of the camera, and grows clockwise */
    pov_heading_contract contract = {.kind = POV_HEADING_SINE_COSINE,
                                     .against = POV_HEADING_OF_RAY,
                                     .clockwise = true,
                                     .away_rad = -90 * deg,
                                     .std_rad = 10 * deg};
    const float right[2] = {0, 1}, toward[2] = {1, 0}, away[2] = {-1, 0};
    assert_near(pov_heading_decode(&contract, right).heading.mode[0].yaw_rad, -90 * deg, 1e-6);
    assert_near(fabs(pov_heading_decode(&contract, toward).heading.mode[0].yaw_rad), POV_PI, 1e-6);
    const pov_seen_heading seen = pov_heading_decode(&contract, away);
    assert_near(seen.heading.mode[0].yaw_rad, 0, 1e-6);
    assert_near(seen.heading.mode[0].kappa, pov_kappa_from_std(10 * deg), 1e-6);
    contract.norm_is_kappa = true;
    const float sure[2] = {0, 7};
    assert_near(pov_heading_decode(&contract, sure).heading.mode[0].kappa, 7, 1e-6);
}

/* Camera x right, y down, z forward: turned counter-clockwise from above means about -y. */
static void rotations_say_where_the_front_points(void **state)
{
    (void)state;
    pov_heading_contract contract = {.against = POV_HEADING_OF_AXIS, .front_axis = {1, 0, 0}, .std_rad = 0.1};
    for (double yaw = -3; yaw < 3.1; yaw += 0.6) {
        /* x to the front, on the ground: sin(-yaw) right, cos(yaw) forward; z up */
        const pov_vec3 x = {-sin(yaw), 0, cos(yaw)}, z = {0, -1, 0}, y = pov_vec3_cross(z, x);
        const float six[6] = {(float)(2 * x.x),         0, (float)(2 * x.z),
                              (float)(y.x + 0.4 * x.x), 0, (float)(y.z + 0.4 * x.z)};
        const float nine[9] = {(float)(1.1 * x.x), (float)(1.1 * y.x), 0, 0, 0, -0.9f,
                               (float)(1.1 * x.z), (float)(1.1 * y.z), 0};
        contract.kind = POV_HEADING_ROTATION_6D;
        pov_seen_heading seen = pov_heading_decode(&contract, six);
        assert_true(seen.has_direction);
        assert_near(pov_angle_wrap(seen.heading.mode[0].yaw_rad - yaw), 0, 1e-5);
        assert_near(seen.direction.x, x.x, 1e-5);
        contract.kind = POV_HEADING_ROTATION_9D;
        seen = pov_heading_decode(&contract, nine);
        assert_near(pov_angle_wrap(seen.heading.mode[0].yaw_rad - yaw), 0, 1e-5);
    }
}

static void symmetries_repeat_the_modes(void **state)
{
    (void)state;
    pov_heading_contract contract = {.kind = POV_HEADING_SINE_COSINE,
                                     .against = POV_HEADING_OF_RAY,
                                     .std_rad = 0.1,
                                     .symmetry_len = 4,
                                     .symmetry = {1, 2, 4, 0}};
    const float one[6] = {0, 1, 9, 0, 0, 0}, two[6] = {0, 1, 0, 20, 0, 0}, four[6] = {0, 1, 0, 0, 20, 0};
    const float any[6] = {0, 1, 0, 0, 0, 9}, torn[6] = {0, 1, 3, 3, -30, -30};
    assert_int_equal(pov_heading_decode(&contract, one).heading.len, 1);
    const pov_heading twice = pov_heading_decode(&contract, two).heading;
    assert_int_equal(twice.len, 2);
    assert_near(twice.mode[0].weight, 0.5, 1e-3);
    assert_near(fabs(pov_angle_wrap(twice.mode[0].yaw_rad - twice.mode[1].yaw_rad)), POV_PI, 1e-6);
    const pov_heading squared = pov_heading_decode(&contract, four).heading;
    assert_int_equal(squared.len, 4);
    assert_near(squared.mode[3].weight, 0.25, 1e-3);
    assert_int_equal(pov_heading_decode(&contract, any).heading.len, 0);
    const pov_heading unsure = pov_heading_decode(&contract, torn).heading; /* one or two sides, even odds */
    assert_int_equal(unsure.len, 2);
    assert_near(unsure.mode[0].weight, 0.75, 1e-3);
    assert_near(unsure.mode[0].yaw_rad, 0, 1e-6);
}

static void symmetries_that_are_no_numbers_say_nothing_of_a_front(void **state)
{
    (void)state;
    const pov_heading_contract contract = {.kind = POV_HEADING_SINE_COSINE,
                                           .against = POV_HEADING_OF_RAY,
                                           .std_rad = 0.1,
                                           .symmetry_len = 2,
                                           .symmetry = {1, 2}};
    static const float bad[] = {NAN, INFINITY, -INFINITY};
    for (size_t b = 0; b < sizeof bad / sizeof *bad; b++) {
        const float numbers[4] = {0, 1, bad[b], bad[b]};
        const pov_heading heading = pov_heading_decode(&contract, numbers).heading;
        assert_int_equal(heading.len, 1);
        assert_near(heading.mode[0].kappa, 0, 0);
    }
}

static void numbers_that_are_none_say_nothing(void **state)
{
    (void)state;
    static const pov_heading_kind kinds[] = {POV_HEADING_BINS, POV_HEADING_SINE_COSINE,
                                             POV_HEADING_ROTATION_6D, POV_HEADING_ROTATION_9D};
    static const float bad[] = {NAN, INFINITY, -INFINITY, 0, 3e38f};
    for (size_t k = 0; k < 4; k++) {
        for (size_t b = 0; b < sizeof bad / sizeof *bad; b++) {
            float numbers[2 * BINS];
            pov_heading_contract contract = bins();
            contract.kind = kinds[k];
            contract.offset = POV_BIN_OFFSET_RADIANS;
            contract.front_axis.x = 1;
            contract.std_rad = 0.2;
            for (int i = 0; i < 2 * BINS; i++)
                numbers[i] = bad[b];
            const pov_seen_heading seen = pov_heading_decode(&contract, numbers);
            for (int i = 0; i < seen.heading.len; i++)
                assert_true(isfinite(seen.heading.mode[i].yaw_rad) && seen.heading.mode[i].kappa >= 0);
            assert_true(seen.heading.len > 0);
        }
    }
}

/* Ruiz 2018 (Hopenet): 66 bins of 3 degrees from -99 on; a face that looks into the camera has yaw 0, to the image's left a positive one. */
static void bins_over_a_part_of_the_circle_have_two_ends(void **state)
{
    (void)state;
    enum { PARTS = 66 };
    const pov_heading_contract contract = {.kind = POV_HEADING_BINS,
                                           .bins = PARTS,
                                           .first_rad = -99 * deg,
                                           .step_rad = 3 * deg,
                                           .away_rad = POV_PI,
                                           .clockwise = true};
    for (int bin = 0; bin < PARTS; bin++) {
        float logits[PARTS] = {0};
        logits[bin] = 40;
        const pov_seen_heading seen = pov_heading_decode(&contract, logits);
        assert_int_equal(seen.heading.len, 1);
        assert_near(pov_angle_wrap(seen.heading.mode[0].yaw_rad - POV_PI + (3 * bin - 99) * deg), 0, 1e-6);
    }
    float logits[PARTS] = {
        [0] = 20, [PARTS - 1] = 20}; /* 99 degrees to the left or to the right, 162 apart: no neighbours */
    const pov_seen_heading seen = pov_heading_decode(&contract, logits);
    assert_int_equal(seen.heading.len, 2);
    assert_near(fabs(pov_angle_wrap(seen.heading.mode[0].yaw_rad - seen.heading.mode[1].yaw_rad)), 165 * deg,
                1e-6);
}

static void a_heading_may_lie_among_more_columns(void **state)
{
    (void)state;
    float row[3 + BINS + 5];
    for (int i = 0; i < 3 + BINS + 5; i++)
        row[i] = i < 3 || i >= 3 + BINS ? 99 : 0;
    row[3 + 9] = 40;
    pov_heading_contract contract = bins();
    contract.first_column = 3;
    contract.columns = 3 + BINS + 5;
    const pov_seen_heading seen = pov_heading_decode(&contract, row);
    assert_int_equal(seen.heading.len, 1);
    assert_near(seen.heading.mode[0].yaw_rad, POV_PI / 2, 1e-6);
}

static void where_it_may_have_no_front_any_is_likelier(void **state)
{
    (void)state;
    float row[BINS + 2] = {[9] = 40};
    pov_heading_contract contract = bins();
    contract.columns = BINS + 2;
    contract.confidence_column = BINS;
    for (int logit = -3; logit <= 3; logit++) {
        const double sure = 1 / (1 + exp(-logit));
        row[BINS] = (float)logit;
        const pov_heading heading = pov_heading_decode(&contract, row).heading;
        assert_int_equal(heading.len, 2);
        for (int i = 0; i < 2; i++)
            assert_near(heading.mode[i].weight, heading.mode[i].kappa > 0.01 ? sure : 1 - sure, 1e-6);
    }
}

/* Orient Anything V2 (Wang 2025): as many equal peaks as fronts, exp(kappa cos(alpha (x - mu))), seen through a sigmoid. */
static void peaks_of_a_symmetric_thing_are_its_fronts(void **state)
{
    (void)state;
    enum { DEGREES = 360, COLUMNS = 900 };
    static float row[COLUMNS];
    pov_heading_contract contract = {
        .kind = POV_HEADING_BINS, .bins = DEGREES, .columns = COLUMNS, .sigmoid = true};
    for (int alpha = 0; alpha <= 4; alpha += alpha < 2 ? 1 : 2) {
        for (int i = 0; i < DEGREES; i++) {
            const double p = 0.02 * exp(3 * (cos(alpha * (i - 40) * deg) - 1));
            row[i] = (float)log(p / (1 - p));
        }
        const pov_heading heading = pov_heading_decode(&contract, row).heading;
        if (alpha == 0)
            assert_true(heading.mode[0].kappa < 0.01);
        else
            assert_int_equal(heading.len, alpha);
        for (int i = 0; alpha > 0 && i < alpha; i++) {
            const double turn = (heading.mode[i].yaw_rad - 40 * deg) * alpha;
            assert_near(heading.mode[i].weight, 1.0 / alpha, 0.01);
            assert_near(pov_angle_wrap(turn), 0, 0.1);
        }
    }
}

static void euler_angles_are_read_in_their_order_and_unit(void **state)
{
    (void)state;
    const pov_heading_contract degrees = {.kind = POV_HEADING_EULER,
                                          .order = {POV_EULER_PITCH, POV_EULER_YAW, POV_EULER_ROLL},
                                          .std_rad = 0.1},
                               radians = {.kind = POV_HEADING_EULER,
                                          .order = {POV_EULER_YAW, POV_EULER_PITCH, POV_EULER_ROLL},
                                          .radians = true,
                                          .std_rad = 0.1};
    assert_near(pov_heading_decode(&degrees, (float[]){5, -30, 7}).heading.mode[0].yaw_rad, -30 * deg, 1e-6);
    assert_near(pov_heading_decode(&radians, (float[]){0.5f, 9, 9}).heading.mode[0].yaw_rad, 0.5, 1e-6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bins_of_a_von_mises_give_its_mean_and_width),
        cmocka_unit_test(two_peaks_are_two_modes_with_their_weights),
        cmocka_unit_test(bins_all_alike_say_nothing),
        cmocka_unit_test(probabilities_are_taken_as_they_are),
        cmocka_unit_test(offsets_within_bins_move_the_angle),
        cmocka_unit_test(angles_are_turned_to_counterclockwise_from_away),
        cmocka_unit_test(bins_over_a_part_of_the_circle_have_two_ends),
        cmocka_unit_test(a_heading_may_lie_among_more_columns),
        cmocka_unit_test(where_it_may_have_no_front_any_is_likelier),
        cmocka_unit_test(peaks_of_a_symmetric_thing_are_its_fronts),
        cmocka_unit_test(euler_angles_are_read_in_their_order_and_unit),
        cmocka_unit_test(rotations_say_where_the_front_points),
        cmocka_unit_test(symmetries_repeat_the_modes),
        cmocka_unit_test(symmetries_that_are_no_numbers_say_nothing_of_a_front),
        cmocka_unit_test(numbers_that_are_none_say_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
