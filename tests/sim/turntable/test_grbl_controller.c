#include "sim/turntable/grbl_controller.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/near.h"
#include "tests/support/random.h"

static const double rad_per_deg = 3.14159265358979323846 / 180;
static const int64_t second_ns = 1000000000;

typedef struct {
    pov_grbl_controller *controller;
    int64_t now_ns;
    char heard[4096];
} bench;

static pov_grbl_controller_config unhomed(void)
{
    pov_grbl_controller_config config = pov_grbl_controller_config_default();
    config.settings.value[POV_GRBL_SETTING_HOMING] = 0;
    return config;
}

/* Collects its replies from here on in `heard`. */
static const char *hear(bench *b)
{
    b->heard[pov_grbl_controller_send(b->controller, b->heard, sizeof b->heard - 1, b->now_ns)] = '\0';
    return b->heard;
}

static void begin(bench *b, const pov_grbl_controller_config *config)
{
    b->now_ns = 5 * second_ns;
    assert_int_equal(pov_grbl_controller_new(&b->controller, config, b->now_ns).code, POV_OK);
}

static void end(bench *b)
{
    pov_grbl_controller_destroy(&b->controller);
}

static const char *say(bench *b, const char *text)
{
    pov_grbl_controller_receive(b->controller, text, strlen(text), b->now_ns);
    return hear(b);
}

static void pass(bench *b, double seconds)
{
    b->now_ns += (int64_t)(1e9 * seconds);
}

static double true_deg(bench *b)
{
    return pov_grbl_controller_true_rad(b->controller, b->now_ns) / rad_per_deg;
}

static double commanded_deg(bench *b)
{
    return pov_grbl_controller_commanded_rad(b->controller, b->now_ns) / rad_per_deg;
}

/* ---- motion ---- */

/* By summing up small steps of speed: up while there is room to brake, else down. */
static double integrated_deg(double length_deg, double speed_deg_s, double acceleration_deg_s2, double t_s)
{
    const double dt_s = 1e-5;
    double at_deg = 0, v = 0;
    for (double t = 0; t < t_s; t += dt_s) {
        double brake_deg = v * v / (2 * acceleration_deg_s2);
        v += (at_deg + brake_deg < length_deg ? 1 : -1) * acceleration_deg_s2 * dt_s;
        v = fmin(fmax(v, 0), speed_deg_s);
        at_deg += v * dt_s;
    }
    return fmin(at_deg, length_deg);
}

static void a_turn_follows_a_trapezoid_of_speed(void **state)
{
    (void)state;
    const struct {
        double length_deg, speed_deg_s;
    } cases[] = {{90, 30}, {10, 45}, {0.5, 45}, {-200, 45}};
    for (int i = 0; i < 4; i++)
        for (double t_s = 0.1; t_s < 6; t_s += 0.37) {
            const pov_grbl_controller_config config = unhomed();
            char line[64];
            bench b;
            begin(&b, &config);
            snprintf(line, sizeof line, "G1X%.3fF%.3f\n", cases[i].length_deg, 60 * cases[i].speed_deg_s);
            say(&b, line);
            pass(&b, t_s);
            double expected_deg = integrated_deg(fabs(cases[i].length_deg), cases[i].speed_deg_s, 90, t_s);
            assert_near(commanded_deg(&b), copysign(expected_deg, cases[i].length_deg), 0.01);
            assert_near(true_deg(&b), commanded_deg(&b), 1e-9);
            end(&b);
        }
}

static void asking_often_or_seldom_gives_the_same_truth(void **state)
{
    (void)state;
    pov_grbl_controller_config config = unhomed();
    config.faults = (pov_grbl_faults){.play = {0.01, 0.7, 0.1}, .lost_steps = 3};
    bench often, seldom;
    begin(&often, &config);
    begin(&seldom, &config);
    const char *turns = "G1X90F2000\nX20\nX70\nG0X-30\n";
    say(&often, turns);
    say(&seldom, turns);
    for (int i = 0; i < 12000; i++) {
        pass(&often, 0.001 * (i % 7) / 3);
        true_deg(&often);
    }
    seldom.now_ns = often.now_ns;
    assert_near(true_deg(&seldom), true_deg(&often), 1e-4);
    end(&often);
    end(&seldom);
}

static void turns_in_the_queue_end_at_the_last_and_none_is_lost(void **state)
{
    (void)state;
    const pov_grbl_controller_config config = unhomed();
    test_random random = {3};
    bench b;
    char line[32];
    int answers = 0;
    double last_deg = 0;
    begin(&b, &config);
    hear(&b);
    for (int i = 0; i < 60; i++) {
        last_deg = round(test_random_between(&random, -90, 90));
        snprintf(line, sizeof line, "G0X%.0f\n", last_deg);
        for (const char *at = say(&b, line); (at = strstr(at, "ok\r\n")); at++)
            answers++;
        pass(&b, 1);
    }
    for (int i = 0; i < 300; i++) {
        pass(&b, 1);
        for (const char *at = hear(&b); (at = strstr(at, "ok\r\n")); at++)
            answers++;
    }
    assert_int_equal(answers, 60);
    assert_near(true_deg(&b), last_deg, 0.006);
    end(&b);
}

static void a_hold_brakes_and_resuming_ends_where_it_should(void **state)
{
    (void)state;
    const pov_grbl_controller_config config = unhomed();
    bench b;
    begin(&b, &config);
    say(&b, "G1X90F2700\n");
    pass(&b, 1);
    double before_deg = true_deg(&b); /* 45 deg/s since 0.5 s */
    assert_near(before_deg, 11.25 + 22.5, 1e-6);
    assert_non_null(strstr(say(&b, "!?"), "<Hold:1|"));
    pass(&b, 0.5);
    assert_near(true_deg(&b), before_deg + 11.25, 0.006);
    pass(&b, 5);
    assert_near(true_deg(&b), before_deg + 11.25, 0.006);
    assert_non_null(strstr(say(&b, "?"), "<Hold:0|"));
    say(&b, "~");
    pass(&b, 5);
    assert_near(true_deg(&b), 90, 0.006);
    assert_non_null(strstr(say(&b, "?"), "<Idle|MPos:90.000,0.000,0.000"));
    end(&b);
}

static void a_jog_is_cancelled_and_forgotten(void **state)
{
    (void)state;
    const pov_grbl_controller_config config = unhomed();
    bench b;
    begin(&b, &config);
    assert_non_null(strstr(say(&b, "$J=G91X90F2700\n"), "ok"));
    pass(&b, 1);
    assert_non_null(strstr(say(&b, "?G0X0\n"), "error:9"));
    say(&b, "\x85");
    pass(&b, 3);
    assert_non_null(strstr(say(&b, "?"), "<Idle|"));
    assert_near(true_deg(&b), 45, 0.01);
    end(&b);
}

static void a_reset_in_motion_is_an_alarm_and_at_rest_is_none(void **state)
{
    (void)state;
    const pov_grbl_controller_config config = unhomed();
    bench b;
    begin(&b, &config);
    assert_null(strstr(say(&b, "\x18"), "ALARM"));
    say(&b, "G0X90\n");
    pass(&b, 1);
    const char *heard = say(&b, "\x18");
    assert_non_null(strstr(heard, "ALARM:3"));
    assert_non_null(strstr(heard, "Grbl 1.1h ['$' for help]"));
    assert_non_null(strstr(heard, "simulated"));
    assert_non_null(strstr(say(&b, "G0X0\n"), "error:9"));
    assert_non_null(strstr(say(&b, "$X\n"), "ok"));
    assert_non_null(strstr(say(&b, "G0X0\n"), "ok"));
    end(&b);
}

/* ---- lines ---- */

static void lines_get_the_answers_that_grbl_gives(void **state)
{
    (void)state;
    static const struct {
        const char *line, *answer;
    } cases[] = {
        {"", "ok"},
        {"G1X", "error:2"},
        {"X1", "ok"},
        {"G1X1", "error:22"},
        {"1", "error:1"},
        {"G0G1X1", "error:21"},
        {"X1X2", "error:25"},
        {"A1", "error:20"},
        {"G99", "error:20"},
        {"$Q", "error:3"},
        {"$H", "error:5"},
        {"$20=1", "error:10"},
        {"$0=1", "error:6"},
        {"$100=-1", "error:4"},
        {"$J=X1", "error:22"},
        {"$J=G0X1F1", "error:16"},
        {"G10L20X0", "error:28"},
        {"G92", "error:26"},
        {"g0 x1 (to) ; there", "ok"},
        {"P1", "error:36"},
        {"M5.5", "error:23"},
        {"G0X1E3", "error:20"},
        {"G20G1X1F100", "ok"},
        {"$777=1", "error:3"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const pov_grbl_controller_config config = unhomed();
        char line[100], answer[100];
        bench b;
        begin(&b, &config);
        hear(&b);
        snprintf(line, sizeof line, "%s\n", cases[i].line);
        snprintf(answer, sizeof answer, "%s\r\n", cases[i].answer);
        assert_string_equal(say(&b, line), answer);
        end(&b);
    }
}

static void settings_are_printed_as_they_were_set(void **state)
{
    (void)state;
    const pov_grbl_controller_config config = unhomed();
    bench b;
    begin(&b, &config);
    assert_non_null(strstr(say(&b, "$110=1234.5\n"), "ok"));
    const char *heard = say(&b, "$$\n");
    assert_non_null(strstr(heard, "$110=1234.500\r\n"));
    assert_non_null(strstr(heard, "$22=0\r\n"));
    assert_non_null(strstr(heard, "$132=720.000\r\nok\r\n"));
    assert_null(strstr(heard, "$103="));
    end(&b);
}

static void relative_inch_and_offset_words_are_understood(void **state)
{
    (void)state;
    const pov_grbl_controller_config config = unhomed();
    bench b;
    begin(&b, &config);
    say(&b, "G91G0X10\nX10\nX10\n"); /* the second and third while the first is under way */
    pass(&b, 30);
    assert_near(true_deg(&b), 30, 0.006);
    say(&b, "G90X5G20\n");
    pass(&b, 30);
    assert_near(true_deg(&b), 127, 0.006);
    say(&b, "G21G10L20P1X7\nG0X0\n");
    pass(&b, 30);
    assert_near(true_deg(&b), 120, 0.006);
    const char *report = say(&b, "?");
    assert_non_null(strstr(report, "MPos:120.0"));
    assert_non_null(strstr(report, "WCO:120.0"));
    say(&b, "G53G0X1\n");
    pass(&b, 30);
    assert_near(true_deg(&b), 1, 0.006);
    end(&b);
}

static void a_line_too_long_is_refused_whole(void **state)
{
    (void)state;
    const pov_grbl_controller_config config = unhomed();
    char line[130];
    bench b;
    begin(&b, &config);
    hear(&b);
    memset(line, '1', sizeof line);
    memcpy(line, "G0X", 3);
    strcpy(line + 100, "\nG0X9\n");
    const char *heard = say(&b, line);
    assert_string_equal(heard, "error:11\r\nok\r\n");
    pass(&b, 5);
    assert_near(true_deg(&b), 9, 0.006);
    end(&b);
}

/* ---- homing and limits ---- */

static void homing_makes_the_switch_zero(void **state)
{
    (void)state;
    for (double start_deg = -170; start_deg < 180; start_deg += 35) {
        pov_grbl_controller_config config = pov_grbl_controller_config_default();
        bench b;
        config.start_rad = start_deg * rad_per_deg;
        begin(&b, &config);
        assert_non_null(strstr(hear(&b), "'$H'|'$X' to unlock"));
        assert_string_equal(say(&b, "$H\n?"), ""); /* deaf until it is there */
        pass(&b, 60);
        const char *heard = hear(&b);
        assert_non_null(strstr(heard, "ok\r\n<Idle|MPos:-1.0"));
        assert_near(remainder(true_deg(&b) - commanded_deg(&b), 360), 0, 0.01);
        end(&b);
    }
}

static void soft_limits_alarm_and_make_it_deaf_until_reset(void **state)
{
    (void)state;
    pov_grbl_controller_config config = pov_grbl_controller_config_default();
    bench b;
    config.settings.value[POV_GRBL_SETTING_SOFT_LIMITS] = 1;
    begin(&b, &config);
    say(&b, "$H\n");
    pass(&b, 60);
    hear(&b);
    assert_string_equal(say(&b, "$J=X1F100\n"), "error:15\r\n");
    assert_non_null(strstr(say(&b, "G0X1\n"), "ALARM:2"));
    assert_string_equal(say(&b, "?$X\n"), "");
    assert_non_null(strstr(say(&b, "\x18"), "to unlock"));
    assert_non_null(strstr(say(&b, "$X\n"), "Unlocked"));
    assert_non_null(strstr(say(&b, "G0X-700\n"), "ok"));
    end(&b);
}

/* ---- faults ---- */

static void each_fault_moves_the_truth_as_it_says(void **state)
{
    (void)state;
    static const struct {
        pov_grbl_faults faults;
        double after_90_deg, after_back_deg; /* after G0X90, then G0X50 */
    } cases[] = {
        {{.lost_steps = 0}, 90, 50},        {{.play.slip = 0.1}, 81, 45},
        {{.play.backlash_deg = 2}, 90, 52}, {{.lost_steps = 80}, 90 - 0.9, 50 - 0.9 + 0.9},
        {{.play.lag_s = 0.2}, 90, 50},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        pov_grbl_controller_config config = unhomed();
        bench b;
        config.faults = cases[i].faults;
        begin(&b, &config);
        say(&b, "G0X90\n");
        pass(&b, 10);
        assert_near(true_deg(&b), cases[i].after_90_deg, 0.006);
        assert_near(commanded_deg(&b), 90, 0.006);
        say(&b, "G0X50\n");
        pass(&b, 10);
        assert_near(true_deg(&b), cases[i].after_back_deg, 0.006);
        end(&b);
    }
}

static void no_more_steps_are_lost_than_a_turn_has(void **state)
{
    (void)state;
    pov_grbl_controller_config config = unhomed();
    bench b;
    config.faults.lost_steps = 800; /* 9 degrees */
    begin(&b, &config);
    say(&b, "G0X5\n");
    pass(&b, 5);
    assert_near(true_deg(&b), 0, 1e-9);
    end(&b);
}

static void a_lagging_disc_is_behind_by_speed_times_lag(void **state)
{
    (void)state;
    pov_grbl_controller_config config = unhomed();
    bench b;
    config.faults.play.lag_s = 0.2;
    begin(&b, &config);
    say(&b, "G1X360F1800\n");
    pass(&b, 5);
    assert_near(commanded_deg(&b) - true_deg(&b), 30 * 0.2,
                1e-3); /* a first-order lag behind a steady turn */
    end(&b);
}

static void it_hangs_or_restarts_half_way_when_told_to(void **state)
{
    (void)state;
    for (int resets = 0; resets < 2; resets++) {
        pov_grbl_controller_config config = unhomed();
        bench b;
        config.faults = (pov_grbl_faults){.hang_in_turn = resets ? 0 : 2, .reset_in_turn = resets ? 2 : 0};
        begin(&b, &config);
        say(&b, "G0X10\nG0X90\n");
        pass(&b, 60);
        assert_near(true_deg(&b), 50, 0.1); /* in the middle from 10 to 90, by symmetry */
        const char *heard = say(&b, "?\n");
        assert_true(resets ? strstr(heard, "Grbl 1.1h") && strstr(heard, "MPos:0.000") : !strstr(heard, "<"));
        end(&b);
    }
}

static void noise_and_losses_come_in_the_share_asked_for(void **state)
{
    (void)state;
    for (int drops = 0; drops < 2; drops++) {
        pov_grbl_controller_config config = unhomed();
        int good = 0;
        bench b;
        config.faults = (pov_grbl_faults){.garbage = drops ? 0 : 0.3, .drop = drops ? 0.05 : 0};
        begin(&b, &config);
        for (int i = 0; i < 4000; i++)
            good += strcmp(say(&b, "\n"), "ok\r\n") == 0;
        /* Dropped: none of one byte in and four out. Three deviations of a binomial count. */
        double share = drops ? pow(0.95, 5) : 0.7;
        assert_near(good, 4000 * share, 3 * sqrt(4000 * share * (1 - share)));
        end(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_turn_follows_a_trapezoid_of_speed),
        cmocka_unit_test(asking_often_or_seldom_gives_the_same_truth),
        cmocka_unit_test(turns_in_the_queue_end_at_the_last_and_none_is_lost),
        cmocka_unit_test(a_hold_brakes_and_resuming_ends_where_it_should),
        cmocka_unit_test(a_jog_is_cancelled_and_forgotten),
        cmocka_unit_test(a_reset_in_motion_is_an_alarm_and_at_rest_is_none),
        cmocka_unit_test(lines_get_the_answers_that_grbl_gives),
        cmocka_unit_test(settings_are_printed_as_they_were_set),
        cmocka_unit_test(relative_inch_and_offset_words_are_understood),
        cmocka_unit_test(a_line_too_long_is_refused_whole),
        cmocka_unit_test(homing_makes_the_switch_zero),
        cmocka_unit_test(soft_limits_alarm_and_make_it_deaf_until_reset),
        cmocka_unit_test(each_fault_moves_the_truth_as_it_says),
        cmocka_unit_test(no_more_steps_are_lost_than_a_turn_has),
        cmocka_unit_test(a_lagging_disc_is_behind_by_speed_times_lag),
        cmocka_unit_test(it_hangs_or_restarts_half_way_when_told_to),
        cmocka_unit_test(noise_and_losses_come_in_the_share_asked_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
