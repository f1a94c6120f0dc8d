#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "perception/geometry/ranked.h"
#include "tests/support/near.h"
#include "tests/support/random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LEN_MAX = 40 };

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Few different values, so that many are equal. */
static void every_rank_is_that_of_the_sorted_list(void **state)
{
    (void)state;
    test_random random = {1};
    for (int len = 1; len <= LEN_MAX; len++) {
        double values[LEN_MAX] = {0}, sorted[LEN_MAX];
        for (int i = 0; i < len; i++)
            values[i] = floor(3 * test_random_normal(&random));
        memcpy(sorted, values, sizeof sorted);
        qsort(sorted, (size_t)len, sizeof *sorted, ascending);
        for (int rank = 0; rank < len; rank++) {
            double copy[LEN_MAX];
            memcpy(copy, values, sizeof copy);
            assert_true(pov_ranked(copy, len, rank) == sorted[rank]);
            qsort(copy, (size_t)len, sizeof *copy, ascending);
            assert_memory_equal(copy, sorted, sizeof(double) * (size_t)len); /* none is lost */
        }
    }
}

static void a_median_of_an_even_number_is_between_the_middle_two(void **state)
{
    (void)state;
    double odd[5] = {9, 1, 4, 7, 2}, even[4] = {8, 1, 4, 2}, one[1] = {3};
    assert_near(pov_median(odd, 5), 4, 0);
    assert_near(pov_median(even, 4), 3, 0);
    assert_near(pov_median(one, 1), 3, 0);
    assert_true(isnan(pov_median(one, 0)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_rank_is_that_of_the_sorted_list),
        cmocka_unit_test(a_median_of_an_even_number_is_between_the_middle_two),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
