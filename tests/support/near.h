/** cmocka compares floats; these compare doubles. Include after cmocka.h. */
#pragma once

#include <math.h>

/** |actual - expected| <= tolerance; NaN never is. */
#define assert_near(actual, expected, tolerance)                                                             \
    test_assert_near((actual), (expected), (tolerance), #actual, __FILE__, __LINE__)

static inline void test_assert_near(double actual, double expected, double tolerance, const char *what,
                                    const char *file, int line)
{
    if (fabs(actual - expected) <= tolerance)
        return;
    print_error("%s is %.17g, not within %g of %.17g\n", what, actual, tolerance, expected);
    _fail(file, line);
}
