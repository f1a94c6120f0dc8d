/* Oracle: situations drawn from within a spread, each known exactly. */
#include "perception/relations/predicates/predicate_grade.h"
#include "perception/relations/relation_registry.h"
#include "tests/support/random_situation.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static const pov_predicate_params params = POV_PREDICATE_PARAMS_DEFAULT;

/* Only what has a front turns. */
static pov_spread random_spread(test_random *random, const pov_situation *situation, double size)
{
    pov_spread spread = {.ground_m = test_random_between(random, 0, 0.2 * size),
                         .height_m = test_random_between(random, 0, 0.2 * size),
                         .relata_m = test_random_between(random, 0, 0.2 * size),
                         .viewer_m = test_random_between(random, 0, size),
                         .axes_rad = test_random_between(random, 0, size)};
    spread.offset_m = hypot(spread.ground_m, spread.height_m);
    const bool has_front[] = {situation->referent.has_front, situation->relatum[0].has_front, true};
    for (int i = 0; i < 3; i++)
        spread.turn_rad[i] = has_front[i] ? test_random_between(random, 0, size) : 0;
    return spread;
}

static pov_vec3 within(test_random *random, double radius_m)
{
    pov_vec3 v = test_random_vector(random, 1);
    return pov_vec3_scale(v, radius_m * test_random_between(random, 0, 1) / fmax(1e-9, pov_vec3_norm(v)));
}

static void turn(pov_body *body, double by_rad)
{
    body->front_yaw_rad += by_rad;
    body->box.R_table_box = pov_rot_mul(pov_rot_yaw(by_rad), body->box.R_table_box);
}

static void shift(pov_body *body, pov_vec3 by_m)
{
    body->box.centre_m = pov_vec3_add(body->box.centre_m, by_m);
}

static pov_vec2 turned(pov_vec2 v, double by_rad)
{
    return (pov_vec2){cos(by_rad) * v.x - sin(by_rad) * v.y, sin(by_rad) * v.x + cos(by_rad) * v.y};
}

static pov_situation drawn_within(test_random *random, const pov_situation *about, const pov_spread *spread)
{
    pov_situation drawn = *about;
    pov_vec3 ground = within(random, spread->ground_m);
    shift(&drawn.referent,
          (pov_vec3){ground.x, ground.y, test_random_between(random, -spread->height_m, spread->height_m)});
    turn(&drawn.referent, test_random_between(random, -spread->turn_rad[0], spread->turn_rad[0]));
    turn(&drawn.relatum[0], test_random_between(random, -spread->turn_rad[1], spread->turn_rad[1]));
    for (int i = 1; i < drawn.relatum_len; i++) {
        shift(&drawn.relatum[i], within(random, spread->relata_m));
        turn(&drawn.relatum[i], test_random_between(random, -spread->turn_rad[2], spread->turn_rad[2]));
    }
    drawn.viewer_m = pov_vec3_add(drawn.viewer_m, within(random, spread->viewer_m));
    double axes_rad = test_random_between(random, -spread->axes_rad, spread->axes_rad);
    drawn.front = turned(drawn.front, axes_rad);
    drawn.left = turned(drawn.left, axes_rad);
    return drawn;
}

static void check_held(const pov_relation_info *relation, pov_range range, double truth)
{
    bool held = isnan(truth) ? isnan(range.low) || range.low != range.high
                             : truth >= range.low - 1e-9 && truth <= range.high + 1e-9;
    if (!held)
        fail_msg("%s: %g is not within %g and %g", relation->name, truth, range.low, range.high);
}

static void what_is_within_a_spread_is_within_its_truth(void **state)
{
    (void)state;
#ifdef POV_SANITIZED
    enum { SITUATIONS = 300, DRAWS = 10, RELATIONS_MAX = 128 };
#else
    enum { SITUATIONS = 1500, DRAWS = 30, RELATIONS_MAX = 128 };
#endif
    test_random random = {1};
    int decided[RELATIONS_MAX] = {0};
    for (int s = 0; s < SITUATIONS; s++) {
        pov_situation about = test_random_situation(&random, s % 3 ? 1 : 0.2), drawn;
        double size = s % 2 ? 0.02 : s % 5 ? 0.3 : 3;
        pov_range range[RELATIONS_MAX];
        about.spread = random_spread(&random, &about, size);
        pov_measures measures = {0};
        about.measures = &measures;
        for (int i = 0; i < pov_relation_registry_len(); i++) {
            range[i] = pov_relation_registry_at(i)->evaluate(&about, &params);
            decided[i] += !(range[i].low < range[i].high);
        }
        for (int d = 0; d < DRAWS; d++) {
            pov_spread spread = about.spread;
            drawn = drawn_within(&random, &about, &spread);
            drawn.spread = (pov_spread){0};
            drawn.measures = NULL;
            for (int i = 0; i < pov_relation_registry_len(); i++)
                check_held(pov_relation_registry_at(i), range[i],
                           pov_relation_truth(pov_relation_registry_at(i), &drawn, &params));
        }
    }
    for (int i = 0; i < pov_relation_registry_len(); i++) {
        const pov_relation_info *relation = pov_relation_registry_at(i);
        bool bounded = relation->projective == POV_RELATION_COUNT;
        if (bounded && decided[i] < SITUATIONS / 10)
            fail_msg("%s is decided at once in %d of %d situations only", relation->name, decided[i],
                     SITUATIONS);
    }
}

static void measuring_once_or_again_is_the_same(void **state)
{
    (void)state;
    test_random random = {2};
    for (int s = 0; s < 300; s++) {
        pov_situation again = test_random_situation(&random, 0.5), once = again;
        pov_measures measures = {0};
        once.measures = &measures;
        for (int i = 0; i < pov_relation_registry_len(); i++) {
            const pov_relation_info *relation = pov_relation_registry_at(i);
            double a = pov_relation_truth(relation, &again, &params),
                   b = pov_relation_truth(relation, &once, &params);
            assert_true(a == b || (isnan(a) && isnan(b)));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_within_a_spread_is_within_its_truth),
        cmocka_unit_test(measuring_once_or_again_is_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
