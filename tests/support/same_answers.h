/** Directions and views of two observations, value for value; NaN is the same as NaN. Include after cmocka.h. */
#pragma once

#include "perception/observation/observation.h"

#include <math.h>

static inline void assert_same_numbers(const void *a, const void *b, size_t size)
{
    const double *x = a, *y = b;
    for (size_t i = 0; i < size / sizeof(double); i++)
        assert_true(x[i] == y[i] || (isnan(x[i]) && isnan(y[i])));
}
#define ASSERT_SAME_NUMBERS(a, b) assert_same_numbers(&(a), &(b), sizeof(a))

static inline void assert_same_direction(const pov_observed_direction *a, const pov_observed_direction *b)
{
    assert_true(a->viewer == b->viewer && a->target == b->target);
    assert_true(a->side.side == b->side.side && a->side.quarter == b->side.quarter);
    assert_int_equal(a->side.verdict, b->side.verdict);
    ASSERT_SAME_NUMBERS(a->side.bearing_rad, b->side.bearing_rad);
    ASSERT_SAME_NUMBERS(a->side.p, b->side.p);
    ASSERT_SAME_NUMBERS(a->side.p_quarter, b->side.p_quarter);
}

static inline void assert_same_order(const pov_order *a, const pov_order *b)
{
    assert_int_equal(a->len, b->len);
    for (int i = 0; i < a->len; i++) {
        const pov_place *one = &a->places[i], *other = &b->places[i];
        assert_true(one->id == other->id && one->is_uncertain == other->is_uncertain);
        assert_true(one->bearing_rad == other->bearing_rad && one->distance_m == other->distance_m &&
                    one->p_swapped == other->p_swapped);
    }
}

static inline void assert_same_answers(const pov_observation *a, const pov_observation *b)
{
    assert_int_equal(a->direction_len, b->direction_len);
    assert_int_equal(a->directions_truncated, b->directions_truncated);
    for (int i = 0; i < a->direction_len; i++)
        assert_same_direction(&a->directions[i], &b->directions[i]);
    assert_int_equal(a->view_len, b->view_len);
    assert_int_equal(a->views_truncated, b->views_truncated);
    for (int i = 0; i < a->view_len; i++) {
        assert_int_equal(a->views[i].viewer, b->views[i].viewer);
        assert_same_order(&a->views[i].left_to_right, &b->views[i].left_to_right);
        assert_same_order(&a->views[i].near_to_far, &b->views[i].near_to_far);
    }
}
