#include "protocol/turntable/turntable_path.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "tests/support/near.h"

enum { FAR = 5 }; /* turns that the oracle looks round */

static double length_of(const pov_turntable_path *path, double from_deg)
{
    double length_deg = 0;
    for (int i = 0; i < path->len; i++) {
        length_deg += fabs(path->targets_deg[i] - from_deg);
        from_deg = path->targets_deg[i];
    }
    return length_deg;
}

/* A path by the words of the contract, to angle + 360 k; its length, or infinity where it is barred. */
static double allowed_length(double from_deg, double target_deg, pov_turn_way way,
                             const pov_turntable_bounds *bounds)
{
    bool here = fabs(target_deg - from_deg) < bounds->step_deg;
    double low_deg = target_deg, length_deg = fabs(target_deg - from_deg);
    if (here)
        return 0;
    if ((way == POV_TURN_POSITIVE && target_deg < from_deg) ||
        (way == POV_TURN_NEGATIVE && target_deg > from_deg))
        return INFINITY;
    if (bounds->take_up_deg > 0 && from_deg > target_deg - bounds->take_up_deg + bounds->step_deg) {
        low_deg = target_deg - bounds->take_up_deg;
        length_deg = from_deg - low_deg + bounds->take_up_deg;
    }
    bool inside =
        low_deg >= bounds->low_deg - bounds->step_deg && target_deg <= bounds->high_deg + bounds->step_deg;
    return inside ? length_deg : INFINITY;
}

/* How far from the target, as SHORTEST counts. */
static double best_distance(double from_deg, double angle_deg, pov_turn_way way,
                            const pov_turntable_bounds *bounds)
{
    double best_deg = INFINITY;
    for (int k = -FAR; k <= FAR; k++)
        if (isfinite(allowed_length(from_deg, angle_deg + 360 * k, way, bounds)))
            best_deg = fmin(best_deg, fabs(angle_deg + 360 * k - from_deg));
    return best_deg;
}

static void check(double from_deg, double angle_deg, pov_turn_way way, const pov_turntable_bounds *bounds)
{
    pov_turntable_path path;
    bool found = pov_turntable_path_find(&path, from_deg, angle_deg, way, bounds);
    double best_deg = best_distance(from_deg, angle_deg, way, bounds);
    if (way != POV_TURN_SHORTEST && best_deg >= 360) /* a given way is never more than once round */
        best_deg = INFINITY;
    if (found != (bool)isfinite(best_deg))
        fail_msg("from %g to %g way %d: found %d, best %g", from_deg, angle_deg, way, found, best_deg);
    if (!found || path.len == 0)
        return;
    double target_deg = path.targets_deg[path.len - 1];
    assert_near(fabs(target_deg - from_deg), best_deg, 1e-9);
    assert_near(remainder(target_deg - angle_deg, 360), 0, 1e-9);
    assert_near(length_of(&path, from_deg), allowed_length(from_deg, target_deg, way, bounds), 1e-9);
    if (bounds->take_up_deg > 0)
        assert_true(target_deg - (path.len == 2 ? path.targets_deg[0] : from_deg) >=
                    bounds->take_up_deg - bounds->step_deg);
}

static void every_path_is_the_best_that_is_allowed(void **state)
{
    (void)state;
    const pov_turntable_bounds cases[] = {{-INFINITY, INFINITY, 0, 0.01},
                                          {-INFINITY, INFINITY, 3, 0.01},
                                          {-720, 0, 0, 0.01},
                                          {-361, 0, 2, 0.01},
                                          {-180, 180, 0, 0.01},
                                          {-90, 90, 5, 0.01}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int from = -720; from <= 720; from += 45)
            for (int angle = -370; angle <= 370; angle++)
                for (int way = 0; way < 3; way++)
                    if (from >= cases[i].low_deg && from <= cases[i].high_deg)
                        check(from, angle, (pov_turn_way)way, &cases[i]);
}

static void half_a_turn_goes_the_positive_way(void **state)
{
    (void)state;
    const pov_turntable_bounds open = {-INFINITY, INFINITY, 0, 0.01};
    pov_turntable_path path;
    for (int from = -720; from <= 720; from += 7) {
        assert_true(pov_turntable_path_find(&path, from, from + 180, POV_TURN_SHORTEST, &open));
        assert_near(path.targets_deg[0], from + 180, 1e-9);
    }
}

static void under_a_step_away_it_stays(void **state)
{
    (void)state;
    const pov_turntable_bounds open = {-INFINITY, INFINITY, 4, 0.01};
    pov_turntable_path path;
    for (int way = 0; way < 3; way++)
        for (int sign = -1; sign <= 1; sign++) {
            assert_true(pov_turntable_path_find(&path, 90, 450 + sign * 0.009, (pov_turn_way)way, &open));
            assert_int_equal(path.len, 0);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_path_is_the_best_that_is_allowed),
        cmocka_unit_test(half_a_turn_goes_the_positive_way),
        cmocka_unit_test(under_a_step_away_it_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
