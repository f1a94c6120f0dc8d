/** A driver on a simulated table, and what its tests ask of both. Include after cmocka.h. */
#pragma once

#include "perception/geometry/geom.h"
#include "protocol/turntable/turntable.h"
#include "tests/support/simulated_line.h"

#include <math.h>
#include <string.h>

static const double deg = POV_PI / 180;
static const double second_ns = 1e9;
/* One microstep of the simulated motor and gear: 360 / (200 x 16 x 10), and what three decimals round. */
static const double microstep_deg = 0.01125 + 0.0005;

typedef struct {
    test_table sim;
    pov_turntable *table;
    pov_turntable_status status;
} bench;

static inline pov_turntable_config quick(void)
{
    return (pov_turntable_config)POV_TURNTABLE_DEFAULT;
}

/* Homing off: it is ready at once, at 0. */
static inline pov_grbl_controller_config unhomed(void)
{
    pov_grbl_controller_config config = pov_grbl_controller_config_default();
    config.settings.value[POV_GRBL_SETTING_HOMING] = 0;
    return config;
}

static inline void assert_status(pov_status status, pov_code code, const char *part)
{
    if (status.code != code || !strstr(status.message, part))
        fail_msg("code %d, '%s': expected %d, '%s'", status.code, status.message, code, part);
}

static inline void assert_ok(pov_status status)
{
    assert_status(status, POV_OK, "");
}

static inline void begin(bench *b, const pov_grbl_controller_config *sim, const pov_turntable_config *config)
{
    test_table_start(&b->sim, sim);
    assert_ok(pov_turntable_new(&b->table, b->sim.line, config));
}

static inline void end(bench *b)
{
    pov_turntable_destroy(&b->table);
    test_table_end(&b->sim);
}

static inline pov_status go(bench *b, double angle_deg)
{
    return pov_turntable_move(b->table, angle_deg * deg, POV_TURN_SHORTEST);
}

static inline double angle_deg(bench *b)
{
    assert_ok(pov_turntable_ask(b->table, &b->status));
    return b->status.angle_rad / deg;
}

/* The axis' angle, in the sense of the truth. */
static inline double turned_deg(bench *b)
{
    assert_ok(pov_turntable_ask(b->table, &b->status));
    return b->status.axis_deg;
}

/* How far the table truly is from where it should be. */
static inline double off_deg(bench *b, double wanted_deg)
{
    return remainder(test_table_true_deg(&b->sim) - wanted_deg, 360);
}
