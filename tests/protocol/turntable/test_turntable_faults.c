#include "protocol/turntable/turntable.h"

#include "perception/geometry/geom.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/near.h"
#include "tests/support/turntable_bench.h"

/* ---- faults that only a camera would see ---- */

static void backlash_is_taken_up_from_one_side(void **state)
{
    (void)state;
    pov_grbl_controller_config sim = unhomed();
    sim.faults.play.backlash_deg = 0.8;
    for (int take_up_deg = 0; take_up_deg < 4; take_up_deg += 3) {
        pov_turntable_config config = quick();
        config.take_up_rad = take_up_deg * deg;
        bench b;
        begin(&b, &sim, &config);
        double worst_deg = 0;
        const double wanted_deg[] = {90, 45, 60, 50, 180, 170};
        for (int i = 0; i < 6; i++) {
            assert_ok(go(&b, wanted_deg[i]));
            worst_deg = fmax(worst_deg, fabs(off_deg(&b, wanted_deg[i])));
        }
        assert_near(worst_deg, take_up_deg ? 0 : 0.8, microstep_deg);
        end(&b);
    }
}

static void a_table_that_lags_is_waited_for(void **state)
{
    (void)state;
    pov_grbl_controller_config sim = unhomed();
    sim.faults.play.lag_s = 0.15;
    for (int settle = 0; settle < 2; settle++) {
        pov_turntable_config config = quick();
        config.settle_s = settle ? 1.5 : 0;
        bench b;
        begin(&b, &sim, &config);
        assert_ok(go(&b, 90));
        assert_true((fabs(off_deg(&b, 90)) < microstep_deg) == settle);
        end(&b);
    }
}

static void slipping_and_lost_steps_show_when_homing_again(void **state)
{
    (void)state;
    for (int lost = 0; lost < 2; lost++) {
        pov_grbl_controller_config sim = pov_grbl_controller_config_default();
        pov_turntable_config config = quick();
        bench b;
        begin(&b, &sim, &config);
        assert_ok(pov_turntable_home(b.table));
        test_table_fail(&b.sim,
                        &(pov_grbl_faults){.play.slip = lost ? 0 : 0.02, .lost_steps = lost ? 200 : 0});
        assert_ok(go(&b, 180));
        assert_true(fabs(off_deg(&b, 180)) > 2); /* the controller knows nothing of it */
        assert_near(angle_deg(&b), 180, microstep_deg);
        test_table_fail(&b.sim, &(pov_grbl_faults){.lost_steps = 0});
        assert_ok(pov_turntable_home(b.table));
        assert_ok(go(&b, 180));
        assert_near(off_deg(&b, 180), 0, 2 * microstep_deg);
        end(&b);
    }
}

static void a_check_measures_how_far_the_table_has_slipped(void **state)
{
    (void)state;
    for (int kind = 0; kind < 8; kind++) {
        pov_grbl_controller_config sim = pov_grbl_controller_config_default();
        pov_turntable_config config = quick();
        double slip_rad;
        bench b;
        config.clockwise = kind & 2;
        sim.settings.value[POV_GRBL_SETTING_HOMING_MASK] = kind & 4 ? 1 : 0;
        sim.settings.value[POV_GRBL_SETTING_SOFT_LIMITS] = 1;
        begin(&b, &sim, &config);
        assert_ok(pov_turntable_home(b.table));
        test_table_fail(&b.sim, &(pov_grbl_faults){.play.slip = kind & 1 ? 0.02 : 0});
        assert_ok(go(&b, angle_deg(&b) + 100));
        test_table_fail(&b.sim, &(pov_grbl_faults){.lost_steps = 0});
        double truth_deg = off_deg(&b, turned_deg(&b));
        assert_true(kind & 1 ? fabs(truth_deg) > 1.9 : fabs(truth_deg) < 0.03);
        assert_ok(pov_turntable_check(b.table, &slip_rad));
        assert_near(slip_rad / deg, config.clockwise ? -truth_deg : truth_deg, 0.25);
        end(&b);
    }
}

/* ---- faults of the line ---- */

static void an_arduino_may_take_its_time_to_start(void **state)
{
    (void)state;
    pov_grbl_controller_config sim = unhomed();
    pov_turntable_config config = quick();
    bench b;
    test_table_start(&b.sim, &sim);
    b.sim.boot_ns = (int64_t)(1.8 * second_ns);
    assert_ok(pov_turntable_new(&b.table, b.sim.line, &config));
    assert_true(angle_deg(&b) < microstep_deg && b.status.restarted && b.status.simulated);
    assert_ok(go(&b, 20));
    assert_near(off_deg(&b, 20), 0, microstep_deg);
    end(&b);
}

/* After any loss or garbling the driver reports a failure, or the table stands at the commanded angle. */
static void a_bad_line_is_overcome_or_named(void **state)
{
    (void)state;
    int reached = 0, turns = 0;
    for (uint64_t seed = 0; seed < 24; seed++) {
        pov_grbl_controller_config sim = unhomed();
        pov_turntable_config config = quick();
        bench b;
        sim.seed = seed;
        begin(&b, &sim, &config);
        test_table_fail(&b.sim,
                        &(pov_grbl_faults){.garbage = seed % 2 ? 0.2 : 0, .drop = seed % 2 ? 0 : 0.01});
        for (int i = 0; i < 20; i++) {
            double wanted_deg = (double)(i * 140 % 360);
            int64_t start_ns = b.sim.now_ns;
            pov_status status = go(&b, wanted_deg);
            turns++;
            reached += status.code == POV_OK;
            if (status.code == POV_OK)
                assert_near(off_deg(&b, wanted_deg), 0, 2 * microstep_deg);
            else
                assert_true(status.code == POV_ERROR && strlen(status.message) > 30);
            assert_true(b.sim.now_ns - start_ns < 120 * second_ns);
        }
        end(&b);
    }
    assert_true(reached > 0.97 * turns);
}

static void a_damaged_turn_is_called_back(void **state)
{
    (void)state;
    pov_grbl_controller_config sim = unhomed();
    pov_turntable_config config = quick();
    bench b;
    begin(&b, &sim, &config);
    b.sim.damaged_turns = 1; /* X90.000 comes as X90000 */
    assert_ok(pov_turntable_start(b.table, 90 * deg, POV_TURN_SHORTEST));
    double farthest_deg = 0;
    pov_status status;
    while ((status = pov_turntable_poll(b.table, &b.status)).code == POV_TIMEOUT)
        farthest_deg = fmax(farthest_deg, test_table_true_deg(&b.sim));
    assert_ok(status);
    assert_near(off_deg(&b, 90), 0, microstep_deg);
    assert_int_equal(b.sim.damaged_turns, 0);
    assert_true(farthest_deg > 91 && farthest_deg < 90 + 25); /* two reports, and 45 deg/s to brake */
    end(&b);
}

static void no_turn_is_planned_from_a_single_damaged_report(void **state)
{
    (void)state;
    for (int which = 1; which <= 2; which++) {
        pov_grbl_controller_config sim = unhomed();
        pov_turntable_config config = quick();
        bench b;
        begin(&b, &sim, &config);
        assert_ok(go(&b, 170));
        assert_ok(go(&b, 349));
        b.sim.damage_report = which; /* MPos:349.000 comes as MPos:49.000 */
        assert_ok(go(&b, 10));
        assert_near(test_table_true_deg(&b.sim), 370, 2 * microstep_deg);
        end(&b);
    }
}

static void a_controller_that_hangs_is_named(void **state)
{
    (void)state;
    pov_grbl_controller_config sim = unhomed();
    pov_turntable_config config = quick();
    bench b;
    begin(&b, &sim, &config);
    test_table_fail(&b.sim, &(pov_grbl_faults){.hang_in_turn = 2});
    assert_ok(go(&b, 90));
    int64_t start_ns = b.sim.now_ns;
    assert_status(go(&b, 180), POV_ERROR, "has not answered for 2 s");
    assert_true(b.sim.now_ns - start_ns < 5 * second_ns);
    assert_status(go(&b, 180), POV_ERROR, "has not answered");
    b.sim.stuck = true;
    assert_status(pov_turntable_ask(b.table, &b.status), POV_ERROR, "takes no more bytes");
    end(&b);
}

static void a_restart_in_a_turn_is_named_and_homing_mends_it(void **state)
{
    (void)state;
    pov_grbl_controller_config sim = pov_grbl_controller_config_default();
    pov_turntable_config config = quick();
    bench b;
    begin(&b, &sim, &config);
    assert_ok(pov_turntable_home(b.table));
    test_table_fail(&b.sim, &(pov_grbl_faults){.reset_in_turn = 1});
    assert_status(go(&b, 90), POV_ERROR, "restarted on the way to 90.00 deg");
    assert_true(angle_deg(&b) >= 0 && b.status.restarted && !b.status.ready);
    assert_status(go(&b, 90), POV_ERROR, "locked");
    assert_ok(pov_turntable_home(b.table));
    assert_ok(go(&b, 90));
    assert_near(off_deg(&b, 90), 0, 2 * microstep_deg);
    end(&b);
}

static void an_unplugged_line_is_opened_again(void **state)
{
    (void)state;
    for (int kind = 0; kind < 3; kind++) {
        pov_grbl_controller_config sim = unhomed();
        pov_turntable_config config = quick();
        bench b;
        begin(&b, &sim, &config);
        b.sim.gone_ns = b.sim.now_ns + (int64_t)(1.5 * second_ns);
        b.sim.back_ns = b.sim.gone_ns + (int64_t)(9.5 * second_ns);
        b.sim.loses_power = kind > 0;
        b.sim.restarts_on_opening = kind > 1;
        pov_status status = go(&b, 170);
        if (kind > 0) {
            assert_status(status, POV_ERROR, "restarted on the way");
        } else {
            assert_ok(status);
            assert_near(off_deg(&b, 170), 0, microstep_deg);
        }
        end(&b);
    }
}

static void a_line_that_stays_away_is_given_up(void **state)
{
    (void)state;
    pov_grbl_controller_config sim = unhomed();
    pov_turntable_config config = quick();
    bench b;
    begin(&b, &sim, &config);
    b.sim.gone_ns = b.sim.now_ns + (int64_t)second_ns;
    int64_t start_ns = b.sim.now_ns;
    assert_status(go(&b, 170), POV_ERROR, "has not come back in 10 s");
    assert_true(b.sim.now_ns - start_ns < 13 * second_ns);
    end(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(backlash_is_taken_up_from_one_side),
        cmocka_unit_test(a_table_that_lags_is_waited_for),
        cmocka_unit_test(slipping_and_lost_steps_show_when_homing_again),
        cmocka_unit_test(a_check_measures_how_far_the_table_has_slipped),
        cmocka_unit_test(an_arduino_may_take_its_time_to_start),
        cmocka_unit_test(a_bad_line_is_overcome_or_named),
        cmocka_unit_test(a_damaged_turn_is_called_back),
        cmocka_unit_test(no_turn_is_planned_from_a_single_damaged_report),
        cmocka_unit_test(a_controller_that_hangs_is_named),
        cmocka_unit_test(a_restart_in_a_turn_is_named_and_homing_mends_it),
        cmocka_unit_test(an_unplugged_line_is_opened_again),
        cmocka_unit_test(a_line_that_stays_away_is_given_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
