#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "perception/geometry/readmission.h"

#include <math.h>

enum { LEN = 6 };

/* Numbers about their mean: one fits if it is within 1 of the mean that it then is part of. */
typedef struct {
    double values[LEN];
    bool used[LEN];
    int order[LEN], tries;
} mean_fit;

static double mean_of(const mean_fit *m)
{
    double sum = 0;
    int len = 0;
    for (int i = 0; i < LEN; i++) {
        sum += m->used[i] ? m->values[i] : 0;
        len += m->used[i];
    }
    return sum / len;
}

static double misfit(void *context, int i)
{
    const mean_fit *m = context;
    return m->used[i] ? INFINITY : fabs(m->values[i] - mean_of(m));
}

static bool take_back(void *context, int i)
{
    mean_fit *m = context;
    m->order[m->tries++] = i;
    m->used[i] = true;
    m->used[i] = fabs(m->values[i] - mean_of(m)) < 1;
    return m->used[i];
}

/* 2.1 does not fit with 1.2 back; 1.5 and 1.6 do. 9 never does. */
static void the_nearest_comes_first_and_who_failed_is_tried_again(void **state)
{
    (void)state;
    mean_fit m = {.values = {0, 0.1, 9, 2.1, 1.2, NAN}, .used = {true, true}};
    bool is_tried[LEN];
    const pov_readmission readmission = {&m, LEN, misfit, take_back};
    assert_int_equal(pov_readmit(is_tried, &readmission), 1);
    assert_int_equal(m.order[0], 4);
    assert_int_equal(m.order[1], 3);
    assert_int_equal(m.order[2], 2);
    assert_int_equal(m.tries, 3);
    assert_true(m.used[0] && m.used[1] && m.used[4] && !m.used[2] && !m.used[3] && !m.used[5]);
    m = (mean_fit){.values = {0, 0.1, 9, 1.6, 1.2, 1.5}, .used = {true, true}};
    assert_int_equal(pov_readmit(is_tried, &readmission), 3);
    assert_true(m.used[3] && m.used[4] && m.used[5] && !m.used[2]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_nearest_comes_first_and_who_failed_is_tried_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
