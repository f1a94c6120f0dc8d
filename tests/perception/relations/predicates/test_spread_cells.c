/* Oracle: situations drawn from within a spread lie within the cell they are said to be in, measured again. */
#include "perception/relations/predicates/spread_cells.h"
#include "tests/support/random_situation.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/support/near.h"

static pov_situation random_whole(test_random *random)
{
    pov_situation whole = test_random_situation(random, 0.5);
    whole.referent.has_front = whole.relatum[0].has_front = true;
    whole.spread = (pov_spread){.ground_m = test_random_between(random, 0, 0.3),
                                .height_m = test_random_between(random, 0, 0.3),
                                .turn_rad = {test_random_between(random, 0, 1), POV_PI}};
    whole.spread.offset_m = hypot(whole.spread.ground_m, whole.spread.height_m);
    whole.spread.axes_rad = POV_PI;
    return whole;
}

static pov_situation drawn_within(test_random *random, const pov_situation *whole)
{
    const pov_spread *spread = &whole->spread;
    double angle_rad = test_random_between(random, -3, 3);
    double out_m = test_random_between(random, 0, spread->ground_m);
    pov_situation drawn = *whole;
    drawn.referent.box.centre_m =
        pov_vec3_add(drawn.referent.box.centre_m,
                     (pov_vec3){out_m * cos(angle_rad), out_m * sin(angle_rad),
                                test_random_between(random, -spread->height_m, spread->height_m)});
    drawn.referent.front_yaw_rad += test_random_between(random, -spread->turn_rad[0], spread->turn_rad[0]);
    drawn.relatum[0].front_yaw_rad += test_random_between(random, -spread->turn_rad[1], spread->turn_rad[1]);
    return drawn;
}

static void what_is_drawn_lies_in_its_cell(void **state)
{
    (void)state;
    test_random random = {1};
    for (int s = 0; s < 200; s++) {
        pov_situation whole = random_whole(&random), cell;
        pov_spread_cells cells = pov_spread_cells_of(&whole, true);
        assert_int_equal(cells.len, POV_SPREAD_CELLS_MAX);
        for (int d = 0; d < 50; d++) {
            pov_situation drawn = drawn_within(&random, &whole);
            int index = pov_spread_cell_at(&cells, &drawn);
            assert_in_range(index, 0, cells.len - 1);
            pov_spread_cell(&cell, &cells, index);
            pov_vec3 off_m = pov_vec3_sub(drawn.referent.box.centre_m, cell.referent.box.centre_m);
            assert_true(pov_vec3_norm(off_m) <= cell.spread.offset_m + 1e-9);
            assert_true(hypot(off_m.x, off_m.y) <= cell.spread.ground_m + 1e-9);
            assert_true(fabs(off_m.z) <= cell.spread.height_m + 1e-9);
            double turns_rad[] = {
                pov_angle_wrap(drawn.referent.front_yaw_rad - cell.referent.front_yaw_rad),
                pov_angle_wrap(drawn.relatum[0].front_yaw_rad - cell.relatum[0].front_yaw_rad)};
            for (int i = 0; i < 2; i++)
                assert_true(fabs(turns_rad[i]) <= cell.spread.turn_rad[i] + 1e-9);
            assert_near(cell.spread.axes_rad, cell.spread.turn_rad[1], 1e-12);
        }
    }
}

static void the_frame_of_a_relatum_turns_with_it(void **state)
{
    (void)state;
    test_random random = {2};
    pov_situation whole = random_whole(&random), cell;
    whole.front = (pov_vec2){cos(whole.relatum[0].front_yaw_rad), sin(whole.relatum[0].front_yaw_rad)};
    pov_spread_cells own = pov_spread_cells_of(&whole, true), other = pov_spread_cells_of(&whole, false);
    for (int i = 0; i < own.len; i++) {
        pov_spread_cell(&cell, &own, i);
        assert_near(cell.front.x, cos(cell.relatum[0].front_yaw_rad), 1e-12);
        assert_near(cell.front.y, sin(cell.relatum[0].front_yaw_rad), 1e-12);
        pov_spread_cell(&cell, &other, i);
        assert_true(cell.front.x == whole.front.x && cell.spread.axes_rad == whole.spread.axes_rad);
    }
}

static void what_is_outside_the_spread_is_in_no_cell(void **state)
{
    (void)state;
    test_random random = {3};
    pov_situation whole = random_whole(&random), drawn = whole;
    pov_spread_cells cells = pov_spread_cells_of(&whole, false);
    drawn.referent.box.centre_m.z += 1.01 * whole.spread.height_m;
    assert_int_equal(pov_spread_cell_at(&cells, &drawn), -1);
    drawn = whole;
    drawn.referent.front_yaw_rad -= 1.01 * whole.spread.turn_rad[0];
    assert_int_equal(pov_spread_cell_at(&cells, &drawn), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_drawn_lies_in_its_cell),
        cmocka_unit_test(the_frame_of_a_relatum_turns_with_it),
        cmocka_unit_test(what_is_outside_the_spread_is_in_no_cell),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
