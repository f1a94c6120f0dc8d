#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "config/files/number_shim.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TRIES = 20000 };

/* The oracle: printf with more and more digits, until strtod reads the number back. */
static size_t printed_len(double value)
{
    char text[64];
    int digits = 0;
    do
        snprintf(text, sizeof text, "%.*g", ++digits, value);
    while (digits < 17 && strtod(text, NULL) != value);
    return strlen(text);
}

static void assert_shortest(double value)
{
    char text[POV_NUMBER_CAPACITY];
    memset(text, 'x', sizeof text);
    pov_number_text(text, value);
    assert_non_null(memchr(text, '\0', sizeof text));
    char *end;
    const double read = strtod(text, &end);
    assert_int_equal(*end, '\0');
    assert_memory_equal(&read, &value, sizeof value); /* the sign of zero, too */
    assert_true(strlen(text) <= printed_len(value));
}

static void test_edges_read_back(void **state)
{
    (void)state;
    const double edges[] = {
        0, 1, 0.1, 1.0 / 3, 1e23, 5e-324, DBL_MIN, DBL_MAX, 9007199254740993.0, 123456789012345680.0};
    for (size_t i = 0; i < sizeof edges / sizeof *edges; i++) {
        assert_shortest(edges[i]);
        assert_shortest(-edges[i]);
    }
}

static void test_any_number_reads_back(void **state)
{
    (void)state;
    uint64_t bits = 0x9e3779b97f4a7c15;
    for (int i = 0; i < TRIES; i++) {
        double value;
        bits = bits * 6364136223846793005 + 1442695040888963407;
        memcpy(&value, &bits, sizeof value);
        if (isfinite(value))
            assert_shortest(value);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_edges_read_back),
                                       cmocka_unit_test(test_any_number_reads_back)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
