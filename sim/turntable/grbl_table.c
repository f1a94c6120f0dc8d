#include "sim/turntable/grbl_table.h"

#include <math.h>

/* A first-order lag's answer to an input that goes evenly from `before` to `after` in dt_s. */
static double lagged(double disc, double before, double after, double dt_s, double lag_s)
{
    double slope = (after - before) / dt_s;
    return after - slope * lag_s + (disc - before + slope * lag_s) * exp(-dt_s / lag_s);
}

void pov_grbl_table_follow(pov_grbl_table *table, const pov_grbl_play *play, double motor_deg, int64_t now_ns)
{
    double before_deg = table->free_deg;
    double dt_s = 1e-9 * (double)(now_ns - table->now_ns);
    table->drive_deg += (1 - play->slip) * (motor_deg - table->motor_deg);
    table->motor_deg = motor_deg;
    table->free_deg = fmin(fmax(table->free_deg, table->drive_deg), table->drive_deg + play->backlash_deg);
    if (!(play->lag_s > 0))
        table->disc_deg = table->free_deg;
    else if (dt_s > 0)
        table->disc_deg = lagged(table->disc_deg, before_deg, table->free_deg, dt_s, play->lag_s);
    table->now_ns = now_ns;
}

void pov_grbl_table_lose(pov_grbl_table *table, double turn_deg)
{
    table->drive_deg -= turn_deg;
}
