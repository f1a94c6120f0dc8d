#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "perception/tracking/assignment.h"
#include "tests/support/near.h"
#include "tests/support/random.h"

enum { SIDE = 6 };

/* Every way to give rows columns. */
static double least_of_all(const double *cost, int rows, int columns, int row, unsigned taken)
{
    double least = row == rows ? 0 : INFINITY;
    for (int column = 0; row < rows && column < columns; column++)
        if (!(taken >> column & 1))
            least = fmin(least, cost[row * columns + column] +
                                    least_of_all(cost, rows, columns, row + 1, taken | 1u << column));
    return least;
}

static void the_cost_is_the_least_of_all_ways(void **state)
{
    (void)state;
    test_random random = {1};
    for (int round = 0; round < 400; round++) {
        int rows = 1 + (int)(test_random_u64(&random) % SIDE),
            columns = rows + (int)(test_random_u64(&random) % (SIDE + 1 - (unsigned)rows));
        double cost[SIDE * SIDE], sum = 0;
        for (int i = 0; i < rows * columns; i++)
            cost[i] = round % 3 == 0 ? floor(test_random_between(&random, -3, 3))
                                     : test_random_between(&random, -50, 1e6 * (round % 2) + 50);
        int column[SIDE];
        unsigned taken = 0;
        pov_assign(column, cost, rows, columns);
        for (int row = 0; row < rows; row++) {
            assert_in_range(column[row], 0, columns - 1);
            assert_false(taken >> column[row] & 1);
            taken |= 1u << column[row];
            sum += cost[row * columns + column[row]];
        }
        assert_near(sum, least_of_all(cost, rows, columns, 0, 0), 1e-6);
    }
}

static void nothing_to_assign_is_fine(void **state)
{
    (void)state;
    int column = 7;
    pov_assign(&column, NULL, 0, 5);
    assert_int_equal(column, 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_cost_is_the_least_of_all_ways),
        cmocka_unit_test(nothing_to_assign_is_fine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
