#include "protocol/turntable/grbl_line.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/near.h"

static pov_grbl_line parse(const char *text)
{
    pov_grbl_line line;
    pov_grbl_line_parse(&line, text, strlen(text));
    return line;
}

/* The lines of GRBL's own manual (doc/markdown/interface.md) and of controllers that speak like it. */
static void lines_of_the_manual_are_read(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        pov_grbl_line_kind kind;
        int number; /* code, setting or state */
    } cases[] = {
        {"ok", POV_GRBL_LINE_OK, 0},
        {"", POV_GRBL_LINE_EMPTY, 0},
        {"error:20", POV_GRBL_LINE_ERROR, 20},
        {"error: Bad number format", POV_GRBL_LINE_ERROR, -1},
        {"ALARM:1", POV_GRBL_LINE_ALARM, 1},
        {"Grbl 1.1e ['$' for help]", POV_GRBL_LINE_BANNER, 0},
        {"GrblHAL 1.1f ['$' or '$HELP' for help]", POV_GRBL_LINE_BANNER, 0},
        {"$110=500.000", POV_GRBL_LINE_SETTING, 110},
        {"$22=1 (homing cycle, bool)", POV_GRBL_LINE_SETTING, 22},
        {"[MSG:Reset to continue]", POV_GRBL_LINE_MESSAGE, 0},
        {"<Idle|MPos:0.000,0.000,0.000|FS:0.0,0>", POV_GRBL_LINE_REPORT, POV_GRBL_STATE_IDLE},
        {"<Run|MPos:23.036,1.620,0.000|FS:500,0|Ov:100,100,100>", POV_GRBL_LINE_REPORT, POV_GRBL_STATE_RUN},
        {"<Hold:0|WPos:5.000,0.000,0.000|Bf:15,128|WCO:0.000,1.551,5.664>", POV_GRBL_LINE_REPORT,
         POV_GRBL_STATE_HOLD},
        {"<Alarm|MPos:0.000,0.000,0.000,1.000|FS:0,0|Pn:XY>", POV_GRBL_LINE_REPORT, POV_GRBL_STATE_ALARM},
        {"<Door:3|MPos:0.000,0.000,0.000|Ln:99>", POV_GRBL_LINE_REPORT, POV_GRBL_STATE_DOOR},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        pov_grbl_line line = parse(cases[i].text);
        assert_int_equal(line.kind, cases[i].kind);
        int number = line.kind == POV_GRBL_LINE_REPORT    ? (int)line.report.state
                     : line.kind == POV_GRBL_LINE_SETTING ? line.setting
                                                          : line.code;
        assert_int_equal(number, cases[i].number);
    }
}

static void a_report_gives_place_offset_and_switches(void **state)
{
    (void)state;
    pov_grbl_line line =
        parse("<Hold:1|WPos:-12.345,0.000,7.000,90.500|FS:2700,0|WCO:1.000,2.000,3.000,-4.000|Pn:A>");
    assert_int_equal(line.kind, POV_GRBL_LINE_REPORT);
    assert_false(line.report.machine);
    assert_int_equal(line.report.sub_state, 1);
    assert_int_equal(line.report.axes, 4);
    assert_near(line.report.place[0], -12.345, 1e-12);
    assert_near(line.report.place[3], 90.5, 1e-12);
    assert_int_equal(line.report.offset_axes, 4);
    assert_near(line.report.offset[3], -4, 1e-12);
    assert_string_equal(line.report.pins, "A");
}

static void whatever_byte_is_lost_no_other_place_is_read(void **state)
{
    (void)state;
    static const char whole[] = "<Idle|MPos:123.456,0.000,0.000|FS:0,0>";
    for (size_t lost = 0; lost + 1 < sizeof whole; lost++) {
        char text[sizeof whole] = "";
        memcpy(text, whole, lost);
        strcpy(text + lost, whole + lost + 1);
        pov_grbl_line line = parse(text);
        bool leading_digit =
            lost >= 11 && lost < 14; /* the rest is a number like any other: the driver asks twice */
        if (line.kind == POV_GRBL_LINE_REPORT && !leading_digit)
            assert_near(line.report.place[0], 123.456, 1e-12);
    }
}

static void what_is_no_line_of_grbl_is_noise(void **state)
{
    (void)state;
    static const char *const cases[] = {
        "o",
        "okok",
        "ok ",
        "error:",
        "error:x",
        "error:1.5",
        "ALARM:",
        "ALARM:-3",
        "Grbl",
        "Grbl 1.1",
        "$=3",
        "$x=3",
        "$1=nan",
        "$1=0x10",
        "$1=1e5",
        "[MSG",
        "<>",
        "<Idle>",
        "<Idle|MPos:>",
        "<Idle|MPos:1.000",
        "<Idle|MPos:1,2,3>",
        "<Idle|MPos:1.000,nan,3.000>",
        "<Idol|MPos:1.000,2.000,3.000>",
        "<Idle|MPos:1.000,2.000|WCO:1.000>",
        "<Idle|MPos:1.000,1.000,1.000,1.000,1.000,1.000,1.000>",
        "<Idle|MPos:1.000|MPos:1.000>",
        "<Idle|MPos:99999999.000>",
        "\x01ok",
        "caf\xc3\xa9",
        "<Idle|MPos:1.000>x",
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (parse(cases[i]).kind != POV_GRBL_LINE_NOISE)
            fail_msg("'%s' is kind %d", cases[i], parse(cases[i]).kind);
    char longest[400];
    memset(longest, 'a', sizeof longest);
    longest[0] = '[';
    longest[399] = '\0';
    longest[398] = ']';
    assert_int_equal(parse(longest).kind, POV_GRBL_LINE_NOISE);
}

/* All of GRBL 1.1's codes (doc/csv) that a turntable can meet. */
static void every_code_has_a_sentence_that_says_what_to_do(void **state)
{
    (void)state;
    for (int code = 1; code <= 9; code++)
        assert_non_null(strpbrk(pov_grbl_explain_alarm(code), ":,"));
    for (int code = 1; code <= 38; code++)
        assert_true(strlen(pov_grbl_explain_error(code)) > 20);
    assert_non_null(strstr(pov_grbl_explain_error(5), "home --here"));
    assert_non_null(strstr(pov_grbl_explain_alarm(1), "$21=0"));
    assert_non_null(strstr(pov_grbl_explain_alarm(99), "list of alarm codes"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_of_the_manual_are_read),
        cmocka_unit_test(a_report_gives_place_offset_and_switches),
        cmocka_unit_test(whatever_byte_is_lost_no_other_place_is_read),
        cmocka_unit_test(what_is_no_line_of_grbl_is_noise),
        cmocka_unit_test(every_code_has_a_sentence_that_says_what_to_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
