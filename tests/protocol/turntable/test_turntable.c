#include "protocol/turntable/turntable.h"

#include "perception/geometry/geom.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/near.h"
#include "tests/support/random.h"
#include "tests/support/turntable_bench.h"

/* ---- without faults ---- */

static void after_any_turns_the_table_stands_where_it_was_last_told(void **state)
{
    (void)state;
    const pov_grbl_controller_config sim = unhomed();
    test_random random = {7};
    for (int direction = 0; direction < 2; direction++) {
        pov_turntable_config config = quick();
        config.clockwise = direction;
        config.settle_s = 0;
        bench b;
        begin(&b, &sim, &config);
        for (int i = 0; i < 100; i++) {
            double wanted_deg = test_random_between(&random, -720, 720);
            pov_turn_way way = (pov_turn_way)(test_random_u64(&random) % 3);
            double before_deg = test_table_true_deg(&b.sim);
            assert_ok(pov_turntable_move(b.table, wanted_deg * deg, way));
            double sign = direction ? -1 : 1, turned_deg = sign * (test_table_true_deg(&b.sim) - before_deg);
            assert_near(off_deg(&b, sign * wanted_deg), 0, microstep_deg);
            assert_near(remainder(angle_deg(&b) - wanted_deg, 360), 0, microstep_deg);
            if (way == POV_TURN_SHORTEST)
                assert_true(fabs(turned_deg) <= 180 + microstep_deg);
            else
                assert_true((way == POV_TURN_POSITIVE ? turned_deg : -turned_deg) > -microstep_deg);
        }
        end(&b);
    }
}

static void homing_finds_the_switch_wherever_the_table_stood(void **state)
{
    (void)state;
    for (int start_deg = 2; start_deg < 360; start_deg += 51)
        for (int mask = 0; mask < 2; mask++) {
            pov_grbl_controller_config sim = pov_grbl_controller_config_default();
            pov_turntable_config config = quick();
            bench b;
            sim.start_rad = start_deg * deg;
            sim.settings.value[POV_GRBL_SETTING_HOMING_MASK] = mask;
            begin(&b, &sim, &config);
            assert_status(go(&b, 10), POV_ERROR, "pov turntable home");
            assert_ok(pov_turntable_home(b.table));
            assert_ok(go(&b, 90));
            assert_near(off_deg(&b, 90), 0, 2 * microstep_deg); /* the switch, too, is found to a step */
            assert_false(b.status.restarted);
            end(&b);
        }
}

static void a_table_without_a_switch_gets_its_zero_by_hand(void **state)
{
    (void)state;
    pov_grbl_controller_config sim = unhomed();
    pov_turntable_config config = quick();
    bench b;
    begin(&b, &sim, &config);
    assert_ok(go(&b, 30));
    assert_true(b.sim.now_ns > 0 && angle_deg(&b) > 29);
    assert_status(pov_turntable_home(b.table), POV_ERROR, "home --here");
    assert_ok(pov_turntable_zero_here(b.table));
    assert_near(angle_deg(&b), 0, 1e-9);
    assert_ok(go(&b, 45));
    assert_near(off_deg(&b, 75), 0, 2 * microstep_deg);
    end(&b);
}

static void soft_limits_are_kept_by_going_the_other_way_round(void **state)
{
    (void)state;
    for (int kind = 0; kind < 4; kind++) {
        bool clockwise = kind & 1;
        double zero_deg = kind & 2 ? -50 : 0;
        pov_grbl_controller_config sim = pov_grbl_controller_config_default();
        pov_turntable_config config = quick();
        bench b;
        config.clockwise = clockwise;
        sim.settings.value[POV_GRBL_SETTING_SOFT_LIMITS] = 1;
        sim.settings.value[POV_GRBL_SETTING_TRAVEL] = 400;
        begin(&b, &sim, &config);
        assert_ok(pov_turntable_home(b.table));
        if (zero_deg != 0) {
            assert_ok(go(&b, clockwise ? 50 : -50));
            assert_ok(pov_turntable_zero_here(b.table));
            assert_ok(go(&b, clockwise ? -30 : 30));
            assert_near(test_table_true_deg(&b.sim), -20, 3 * microstep_deg); /* the limit is 50 from here */
        }
        for (int wanted_deg = 0; wanted_deg < 720; wanted_deg += 37) {
            assert_ok(go(&b, wanted_deg));
            assert_near(off_deg(&b, zero_deg + (clockwise ? -wanted_deg : wanted_deg)), 0, 3 * microstep_deg);
            assert_true(test_table_true_deg(&b.sim) < 0.1 && test_table_true_deg(&b.sim) > -400.1);
        }
        double sense = clockwise ? -1 : 1;
        assert_ok(go(&b, sense * (20 - zero_deg))); /* of the axis in the machine: -340 */
        assert_status(pov_turntable_move(b.table, sense * (21 - zero_deg) * deg,
                                         clockwise ? POV_TURN_POSITIVE : POV_TURN_NEGATIVE),
                      POV_ERROR, "soft limits");
        assert_ok(go(&b, 10)); /* no alarm came of it */
        end(&b);
    }
}

static void the_speed_is_kept(void **state)
{
    (void)state;
    pov_grbl_controller_config sim = unhomed();
    pov_turntable_config config = quick();
    bench b;
    config.speed_rad_s = 20 * deg;
    config.settle_s = 0;
    begin(&b, &sim, &config);
    int64_t start_ns = b.sim.now_ns;
    assert_ok(go(&b, 100));
    /* A trapezoid: 100 / 20 + 20 / 90 s; then two reports. */
    assert_near((b.sim.now_ns - start_ns) / second_ns, 100.0 / 20 + 20.0 / 90, 0.15);
    end(&b);
}

/* ---- stopping ---- */

static int asked, stop_at;

static bool stop_after_some(void)
{
    return ++asked >= stop_at;
}

static void asked_to_stop_the_table_stands_and_keeps_its_angle(void **state)
{
    (void)state;
    for (stop_at = 1; stop_at < 60; stop_at += 7) {
        pov_grbl_controller_config sim = unhomed();
        pov_turntable_config config = quick();
        bench b;
        asked = 0;
        config.stop_requested = stop_after_some;
        begin(&b, &sim, &config);
        assert_status(go(&b, 150), POV_END, "stopped at ");
        double stood_deg = test_table_true_deg(&b.sim);
        b.sim.now_ns += (int64_t)(10 * second_ns);
        assert_near(test_table_true_deg(&b.sim), stood_deg, 1e-9);
        assert_near(angle_deg(&b), stood_deg, microstep_deg);
        assert_true(b.status.ready && stood_deg < 149);
        end(&b);
    }
}

static void a_hold_by_someone_else_is_named_and_a_jog_is_ended(void **state)
{
    (void)state;
    pov_grbl_controller_config sim = unhomed();
    pov_turntable_config config = quick();
    bench b;
    begin(&b, &sim, &config);
    assert_ok(pov_turntable_start(b.table, 90 * deg, POV_TURN_SHORTEST));
    test_table_say(&b.sim, "!");
    pov_status status;
    while ((status = pov_turntable_poll(b.table, &b.status)).code == POV_TIMEOUT)
        ;
    assert_status(status, POV_ERROR, "holds it");
    assert_ok(go(&b, 20));
    test_table_say(&b.sim, "$J=G91X300F2000");
    b.sim.now_ns += (int64_t)second_ns;
    assert_ok(pov_turntable_stop(b.table));
    assert_true(angle_deg(&b) < 90 && b.status.ready);
    end(&b);
}

static void homing_can_be_broken_off(void **state)
{
    (void)state;
    pov_grbl_controller_config sim = pov_grbl_controller_config_default();
    pov_turntable_config config = quick();
    bench b;
    asked = 0;
    stop_at = 20;
    sim.start_rad = 30 * deg;
    config.stop_requested = stop_after_some;
    begin(&b, &sim, &config);
    assert_status(pov_turntable_home(b.table), POV_END, "broken off");
    double stood_deg = test_table_true_deg(&b.sim);
    b.sim.now_ns += (int64_t)(10 * second_ns);
    assert_near(test_table_true_deg(&b.sim), stood_deg, 1e-9);
    end(&b);
}

/* ---- alarms and wrong settings ---- */

static void a_soft_limit_alarm_is_explained_and_unlocked(void **state)
{
    (void)state;
    pov_grbl_controller_config sim = pov_grbl_controller_config_default();
    pov_turntable_config config = quick();
    bench b;
    sim.settings.value[POV_GRBL_SETTING_SOFT_LIMITS] = 1;
    begin(&b, &sim, &config);
    assert_ok(pov_turntable_home(b.table));
    test_table_say(&b.sim, "G0X5"); /* another program's mistake; now it is deaf until reset */
    assert_status(go(&b, 30), POV_ERROR, "has not answered");
    assert_ok(pov_turntable_unlock(b.table));
    assert_ok(go(&b, 30));
    assert_near(off_deg(&b, 30), 0, 2 * microstep_deg);
    test_table_say(&b.sim, "G0X5");
    pov_turntable_destroy(&b.table);
    assert_ok(pov_turntable_new(&b.table, b.sim.line, &config)); /* a reset wakes it */
    assert_ok(pov_turntable_unlock(b.table));
    end(&b);
}

static void a_switch_that_is_not_found_is_explained(void **state)
{
    (void)state;
    pov_grbl_controller_config sim = pov_grbl_controller_config_default();
    pov_turntable_config config = quick();
    bench b;
    sim.faults.play.slip = 1;
    sim.start_rad = 1;
    begin(&b, &sim, &config);
    assert_status(pov_turntable_home(b.table), POV_ERROR, "home switch was not found");
    assert_ok(pov_turntable_ask(b.table, &b.status));
    assert_non_null(strstr(b.status.advice, "home switch was not found"));
    end(&b);
}

static void wrong_settings_are_refused_with_what_to_send(void **state)
{
    (void)state;
    pov_grbl_controller_config sim = unhomed();
    pov_turntable_config config = quick();
    test_table table;
    pov_turntable *none;
    config.steps_per_deg = 100;
    test_table_start(&table, &sim);
    assert_status(pov_turntable_new(&none, table.line, &config), POV_ERROR, "send $100=100.000");
    config = quick();
    config.axis = 'A';
    assert_status(pov_turntable_new(&none, table.line, &config), POV_ERROR, "has the axes XYZ, and not A");
    assert_null(none);
    test_table_end(&table);
    sim.settings.value[13] = 1;
    test_table_start(&table, &sim);
    config = quick();
    assert_status(pov_turntable_new(&none, table.line, &config), POV_ERROR, "send $13=0");
    test_table_end(&table);
}

static void nobody_on_the_line_is_named_in_time(void **state)
{
    (void)state;
    pov_grbl_controller_config sim = unhomed();
    pov_turntable_config config = quick();
    test_table table;
    pov_turntable *none;
    sim.faults.drop = 1;
    test_table_start(&table, &sim);
    assert_status(pov_turntable_new(&none, table.line, &config), POV_ERROR, "nothing answers in 5 s");
    test_table_end(&table);
    sim.faults = (pov_grbl_faults){.garbage = 1};
    test_table_start(&table, &sim);
    assert_status(pov_turntable_new(&none, table.line, &config), POV_ERROR, "not as GRBL");
    assert_true(table.now_ns < 8 * second_ns);
    test_table_end(&table);
}

static void every_axis_and_both_kinds_of_report_are_read(void **state)
{
    (void)state;
    for (const char *axis = "XYZABC"; *axis; axis++)
        for (int machine = 0; machine < 2; machine++) {
            pov_grbl_controller_config sim = unhomed();
            pov_turntable_config config = quick();
            bench b;
            sim.axis = config.axis = *axis;
            sim.settings.value[POV_GRBL_SETTING_REPORT] = machine;
            begin(&b, &sim, &config);
            assert_ok(go(&b, 33));
            assert_ok(pov_turntable_zero_here(b.table));
            assert_ok(go(&b, 33));
            assert_near(off_deg(&b, 66), 0, 2 * microstep_deg);
            end(&b);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(after_any_turns_the_table_stands_where_it_was_last_told),
        cmocka_unit_test(homing_finds_the_switch_wherever_the_table_stood),
        cmocka_unit_test(a_table_without_a_switch_gets_its_zero_by_hand),
        cmocka_unit_test(soft_limits_are_kept_by_going_the_other_way_round),
        cmocka_unit_test(the_speed_is_kept),
        cmocka_unit_test(asked_to_stop_the_table_stands_and_keeps_its_angle),
        cmocka_unit_test(a_hold_by_someone_else_is_named_and_a_jog_is_ended),
        cmocka_unit_test(homing_can_be_broken_off),
        cmocka_unit_test(a_soft_limit_alarm_is_explained_and_unlocked),
        cmocka_unit_test(a_switch_that_is_not_found_is_explained),
        cmocka_unit_test(wrong_settings_are_refused_with_what_to_send),
        cmocka_unit_test(nobody_on_the_line_is_named_in_time),
        cmocka_unit_test(every_axis_and_both_kinds_of_report_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
