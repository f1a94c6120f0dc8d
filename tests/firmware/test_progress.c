#include "firmware/progress.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <setjmp.h>

#include <cmocka.h>

static const int64_t second_ns = 1000000000;

static pov_progress of(int64_t total)
{
    return (pov_progress){.unit = "images", .total = total, .start_ns = 5 * second_ns};
}

static void a_known_total_gives_share_rate_and_time_left(void **state)
{
    (void)state;
    char line[POV_PROGRESS_CAPACITY];
    pov_progress progress = of(36);
    pov_progress_format(line, &progress, 9, 8 * second_ns);
    assert_string_equal(line, "[######------------------]  25 %  9/36 images  3.0/s  0:09 left");
    progress = of(100000);
    pov_progress_format(line, &progress, 1, 6 * second_ns);
    assert_non_null(strstr(line, "1/100000 images  1.0/s  27:46:39 left"));
}

static void only_the_last_item_makes_it_full(void **state)
{
    (void)state;
    char line[POV_PROGRESS_CAPACITY];
    pov_progress progress = of(1000);
    pov_progress_format(line, &progress, 999, 6 * second_ns);
    assert_non_null(strstr(line, "-] "));
    assert_non_null(strstr(line, " 99 %"));
    pov_progress_format(line, &progress, 1000, 6 * second_ns);
    assert_null(strchr(line, '-'));
    assert_non_null(strstr(line, "100 %"));
}

static void before_the_first_item_nothing_is_promised(void **state)
{
    (void)state;
    char line[POV_PROGRESS_CAPACITY];
    pov_progress progress = of(36);
    pov_progress_format(line, &progress, 0, progress.start_ns);
    assert_non_null(strstr(line, "  0 %  0/36 images  0.0/s  -:-- left"));
    progress = of(0);
    pov_progress_format(line, &progress, 0, progress.start_ns);
    assert_non_null(strstr(line, "100 %  0/0 images"));
}

static void an_unknown_total_gives_rate_and_time_passed(void **state)
{
    (void)state;
    char line[POV_PROGRESS_CAPACITY];
    pov_progress progress = of(-1);
    pov_progress_format(line, &progress, 130, 70 * second_ns);
    assert_string_equal(line, "130 images  2.0/s  1:05");
}

static void a_file_gets_nothing(void **state)
{
    (void)state;
    FILE *file = tmpfile();
    pov_progress progress = pov_progress_start(file, "images", 2, 0);
    pov_progress_update(&progress, 1, second_ns);
    pov_progress_clear(&progress);
    pov_progress_finish(&progress, 2, 2 * second_ns);
    assert_int_equal(ftell(file), 0);
    fclose(file);
}

/* A pseudo-terminal's two ends; what is written to `stream` is read from `reader`. */
typedef struct {
    int reader;
    FILE *stream;
} pseudo_terminal;

static pseudo_terminal open_terminal(void)
{
    pseudo_terminal terminal = {posix_openpt(O_RDWR | O_NOCTTY), NULL};
    assert_true(terminal.reader >= 0);
    assert_int_equal(grantpt(terminal.reader) | unlockpt(terminal.reader), 0);
    terminal.stream = fopen(ptsname(terminal.reader), "w");
    assert_non_null(terminal.stream);
    return terminal;
}

/* How often the line was drawn since the last call: reads as far as a mark written now. */
static int draws(const pseudo_terminal *terminal)
{
    static const char mark = '\a';
    int count = 0;
    char byte = 0, before = 0;
    fputc(mark, terminal->stream);
    fflush(terminal->stream);
    while (byte != mark) {
        before = byte;
        assert_int_equal(read(terminal->reader, &byte, 1), 1);
        count += before == '\r' && byte == '[';
    }
    return count;
}

static void a_terminal_is_redrawn_at_most_ten_times_a_second(void **state)
{
    (void)state;
    pseudo_terminal terminal = open_terminal();
    pov_progress progress = pov_progress_start(terminal.stream, "images", 1000, 0);
    for (int64_t i = 1; i <= 1000; i++)
        pov_progress_update(&progress, i, i * second_ns / 1000);
    assert_int_equal(draws(&terminal), 10);
    pov_progress_clear(&progress);
    pov_progress_update(&progress, 1000, second_ns);
    assert_int_equal(draws(&terminal), 1);
    pov_progress_finish(&progress, 1000, second_ns);
    assert_int_equal(draws(&terminal), 1);
    pov_progress_update(&progress, 1000, 9 * second_ns);
    assert_int_equal(draws(&terminal), 0);
    fclose(terminal.stream);
    close(terminal.reader);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_known_total_gives_share_rate_and_time_left),
        cmocka_unit_test(only_the_last_item_makes_it_full),
        cmocka_unit_test(before_the_first_item_nothing_is_promised),
        cmocka_unit_test(an_unknown_total_gives_rate_and_time_passed),
        cmocka_unit_test(a_file_gets_nothing),
        cmocka_unit_test(a_terminal_is_redrawn_at_most_ten_times_a_second),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
