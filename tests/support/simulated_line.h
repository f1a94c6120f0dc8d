/** A serial line to a simulated controller in simulated time: waiting costs nothing. */
#pragma once

#include "protocol/turntable/serial_line.h"
#include "sim/turntable/grbl_controller.h"

/** Owned by the test. While now_ns is in [gone_ns, back_ns) the line is unplugged. */
typedef struct {
    pov_grbl_controller *controller;
    int64_t now_ns, gone_ns, back_ns;
    int64_t up_ns; /* when it has restarted; 0: it is up */
    bool open;
    bool stuck;        /* takes no bytes */
    int damaged_turns; /* so many lines with a turn lose their first point on the way */
    int damage_report; /* the n-th report from now loses the first digit of its place; 0: none */
    pov_serial_line *line;
    pov_grbl_controller_config config;
    bool loses_power;         /* when unplugged */
    int64_t boot_ns;          /* how long it is deaf after the next opening, which restarts it */
    bool restarts_on_opening; /* so its banner is heard, as an Arduino's; else it spoke to nobody */
} test_table;

/** Power on, line ready to be opened. */
void test_table_start(test_table *table, const pov_grbl_controller_config *config);
void test_table_end(test_table *table);
/** For faults from now on. */
void test_table_fail(test_table *table, const pov_grbl_faults *faults);
double test_table_true_deg(test_table *table);
/** Says a line to the controller as another program would. */
void test_table_say(test_table *table, const char *text);
