/* The drawing kit's text: classes or attributes, escapes, gaps, ticks, and colours where there are no variables. */
#include "draw/page.h"
#include "draw/plot.h"
#include "draw/svg.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/near.h"

static char *text;
static size_t length;

static FILE *begin(void)
{
    FILE *stream = open_memstream(&text, &length);
    assert_non_null(stream);
    return stream;
}

static void assert_written(FILE *stream, const char *expected)
{
    fclose(stream);
    assert_string_equal(text, expected);
    free(text);
}

static int count(const char *part)
{
    int len = 0;
    for (const char *at = text; (at = strstr(at, part)) != NULL; at += strlen(part))
        len++;
    return len;
}

static void a_look_is_classes_or_attributes_and_text_is_escaped(void **state)
{
    (void)state;
    FILE *stream = begin();
    pov_svg_line(stream, 0, 1, 2, 3, "line s1");
    pov_svg_circle(stream, 1, 2, 3, "fill=\"#fff\"", "a < b");
    pov_svg_text(stream, 1, 2, "tick end", "%d & more", 3);
    assert_written(stream,
                   "<line x1=\"0.0\" y1=\"1.0\" x2=\"2.0\" y2=\"3.0\" class=\"line s1\"/>\n"
                   "<circle cx=\"1.0\" cy=\"2.0\" r=\"3.0\" fill=\"#fff\"><title>a &lt; b</title></circle>\n"
                   "<text x=\"1.0\" y=\"2.0\" class=\"tick end\">3 &amp; more</text>\n");
}

static void a_missing_point_leaves_a_gap_and_a_lone_one_is_a_dot(void **state)
{
    static const double x[] = {0, 1, 2, 3, 4}, y[] = {0, 1, NAN, 3, NAN};
    (void)state;
    FILE *stream = begin();
    pov_svg_path(stream, x, y, 5, "line");
    assert_written(
        stream, "<path class=\"line\" d=\"M0.0 0.0L1.0 1.0M3.0 3.0m-1.2 0a1.2 1.2 0 1 0 2.4 0a1.2 1.2 0 1 0 "
                "-2.4 0\"/>\n");
}

static void ticks_are_multiples_of_the_step(void **state)
{
    const pov_axes axes = {
        .width_px = 100, .height_px = 100, .x_low = -0.5, .x_high = 1.5, .y_low = -0.25, .y_high = 0.25};
    const pov_ticks x = {0.5, "%.1f", NULL}, y = {0.1, "%g", NULL};
    (void)state;
    FILE *stream = begin();
    pov_axes drawn = axes;
    drawn.stream = stream;
    pov_axes_draw(&drawn, &x, &y);
    fclose(stream);
    assert_int_equal(count("class=\"grid\""), 5 + 5); /* -0.5 to 1.5; -0.2 to 0.2 */
    assert_int_equal(count(">0.0<"), 1);
    assert_int_equal(count(">0<"), 1); /* never -0 */
    assert_int_equal(count(">-0.2<"), 1);
    free(text);
}

static void a_drawing_alone_has_colours_and_no_variables(void **state)
{
    (void)state;
    FILE *stream = begin();
    pov_page_write_plot_style(stream);
    fclose(stream);
    assert_int_equal(count("var("), 0);
    assert_true(count(".line.s0{stroke:#0072b2}") == 1);
    free(text);
}

static void rulers_are_round(void **state)
{
    (void)state;
    assert_near(pov_svg_round_length(0.07), 0.05, 1e-12);
    assert_near(pov_svg_round_length(19.9), 10, 1e-9);
    assert_near(pov_svg_round_length(200), 200, 1e-9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_look_is_classes_or_attributes_and_text_is_escaped),
        cmocka_unit_test(a_missing_point_leaves_a_gap_and_a_lone_one_is_a_dot),
        cmocka_unit_test(ticks_are_multiples_of_the_step),
        cmocka_unit_test(a_drawing_alone_has_colours_and_no_variables),
        cmocka_unit_test(rulers_are_round),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
