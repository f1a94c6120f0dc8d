#include "firmware/commands/command_turntable.h"
#include "config/files/json_value.h"
#include "firmware/clock.h"
#include "firmware/commands.h"
#include "firmware/progress.h"
#include "firmware/station/station.h"
#include "firmware/turntable/serial_device.h"
#include "perception/geometry/geom.h"
#include "protocol/turntable/turntable.h"

#include <cJSON.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double slipped_deg = 0.5; /* the check itself is good to 0.1 or 0.2 */

typedef struct {
    pov_station_turntable where;
    const char *station;
    int act;       /* of acts */
    int direction; /* -1: not given */
    double goto_deg, from_deg, dwell_s;
    pov_turn_way way;
    int steps;
    bool here, json;
} turntable_options;

typedef struct {
    pov_serial_line *line;
    pov_turntable *table;
    pov_turntable_status status;
    const turntable_options *options;
} session;

/* ---- options ---- */

static int run(int argc, char **argv);

POV_NAMES(act_names, "home", "goto", "sweep", "check", "status", "stop", "unlock")
POV_NAMES(way_names, [POV_TURN_SHORTEST] = "shortest", [POV_TURN_POSITIVE] = "counterclockwise",
          [POV_TURN_NEGATIVE] = "clockwise")
POV_NAMES(direction_names, "counterclockwise", "clockwise")

static const pov_option option_table[] = {
    POV_BUFFER(turntable_options, where.device, "device", "PATH",
               "the controller's line; /dev/serial/by-id/... stays the same"),
    POV_PATH(turntable_options, station, "station", "FILE",
             "take device, axis and all else from a station file's turntable"),
    POV_TAKEN(turntable_options, where.config.axis, "axis", "X", pov_turntable_take_axis,
              "the axis it hangs on, one of XYZABC (X)"),
    POV_CHOICE(turntable_options, direction, "direction", "WHICH", direction_names,
               "a positive turn seen from above (counterclockwise)"),
    POV_NUMBER(turntable_options, where.config.speed_rad_s, "speed", "DEG/S", 0.1, 3600,
               "slower than the controller's highest", .unit = POV_DEG),
    POV_NUMBER(turntable_options, where.config.take_up_rad, "take-up", "DEG", 0, 90,
               "always arrive counter-clockwise, over this much, so that backlash has no say",
               .unit = POV_DEG),
    POV_NUMBER(turntable_options, where.config.settle_s, "settle", "S", 0, 60, "wait after each turn"),
    POV_CHOICE(turntable_options, way, "way", "WAY", way_names, "to an angle; for sweep, its sense"),
    POV_WHOLE(turntable_options, steps, "steps", "N", 1, 3600, "sweep: stops"),
    POV_NUMBER(turntable_options, from_deg, "from", "DEG", -360, 360, "sweep: the first stop"),
    POV_NUMBER(turntable_options, dwell_s, "dwell", "S", 0, 3600, "sweep: wait so long at each stop"),
    POV_WHOLE(turntable_options, where.baud, "baud", "N", 9600, 921600, "of the line"),
    POV_FLAG(turntable_options, here, "here", "home: call where it stands 0"),
    POV_FLAG(turntable_options, json, "json", "one JSON object a line"),
    POV_OPTIONS_END,
};

static const pov_command *const parts[] = {
#ifdef POV_WITH_SIM
    &pov_command_turntable_simulate,
#endif
    NULL,
};

const pov_command pov_command_turntable = {
    .name = "turntable",
    .summary = "home and turn a stepper turntable, or simulate one",
    .run = run,
    .usage = "home             to the home switch, or with --here call this 0\n"
             "goto DEG         turn to an angle, counter-clockwise\n"
             "sweep            once round, with a stop at each angle\n"
             "check            past the home switch: has it slipped?\n"
             "status           where it stands, and what it lacks\n"
             "stop | unlock    come to rest; end an alarm",
    .about = "A turntable on a stepper controller with GRBL 1.1 (or grblHAL). docs/TURNTABLE.md tells how to "
             "wire it "
             "and what to set. In short: the motor's driver on X; $100 steps per degree, $110 deg/min, $120 "
             "deg/s^2, "
             "$130 = 360 or more, $1=255 (the motor holds), $21=0; a home switch on X's limit input with "
             "$22=1, or "
             "none with $22=0.",
    .options = option_table,
    .words = {.min = 1,
              .max = 2,
              .wanted = "say what: home, goto DEG, sweep, check, status, stop, unlock or simulate",
              .names = act_names,
              .only_names = true},
    .parts = parts,
    .notes = "Ctrl-C brings the table to rest where it is; its angle stays known.",
    .examples = "pov turntable home && pov turntable goto 90\n"
                "pov turntable sweep --steps 36 --dwell 2 --take-up 3 --json > stops.jsonl\n"
                "pov turntable status --station my_table.yaml",
    .exits = "0 done; 1 the table is not where it should be (the message says why)",
};

pov_status pov_turntable_take_axis(void *axis, const char *text)
{
    if (strlen(text) != 1 || !strchr("XYZABC", text[0]))
        return pov_error("takes one of XYZABC, not '%s'", text);
    *(char *)axis = text[0];
    return pov_ok();
}

static pov_status read_station(turntable_options *options)
{
    pov_station *station = malloc(sizeof *station);
    if (!station)
        return pov_error("out of memory");
    pov_status status = pov_station_read(station, options->station);
    if (status.code == POV_OK && !station->turntable.device[0])
        status = pov_error("%s: no turntable: add  turntable: {device: /dev/ttyUSB0}", options->station);
    if (status.code == POV_OK)
        options->where = station->turntable;
    free(station);
    return status;
}

static int read_words(turntable_options *options, const pov_words *words)
{
    static const pov_option angle = {.kind = POV_OPTION_NUMBER, .low = -1e6, .high = 1e6};
    pov_status status = pov_names_find(&options->act, act_names, words->word[0]);
    const bool turns = status.code == POV_OK && strcmp(words->word[0], "goto") == 0;
    if (status.code == POV_OK && words->len != 1 + turns)
        return turns ? pov_cli_usage("turntable", "goto needs an angle in degrees, such as: goto 90")
                     : pov_cli_usage("turntable", "unexpected word '%s'", words->word[1]);
    if (turns)
        status = pov_option_take_text(&options->goto_deg, &angle, words->word[1]);
    return status.code == POV_OK ? POV_GO_ON
                                 : pov_cli_usage("turntable", "%s%s", turns ? "goto " : "", status.message);
}

/* Twice, as what the command line says counts more than its station file. */
static int read_options(turntable_options *options, int argc, char **argv)
{
    pov_words words;
    int code = pov_command_read(options, &words, &pov_command_turntable, argc, argv);
    if (code == POV_GO_ON && options->station) {
        const pov_status status = read_station(options);
        if (status.code != POV_OK)
            return pov_cli_fail(status);
        code = pov_command_read(options, &words, &pov_command_turntable, argc, argv);
    }
    if (code != POV_GO_ON)
        return code;
    if (options->direction >= 0)
        options->where.config.clockwise = options->direction == 1;
    options->where.config.stop_requested = pov_cli_stop_requested;
    return read_words(options, &words);
}

/* ---- output ---- */

static pov_status print_json(cJSON *object)
{
    pov_json_print_line(stdout, object);
    return fflush(stdout) == 0 && !ferror(stdout) ? pov_ok() : pov_error("cannot write to standard output");
}

/* Degrees with no more digits than a microstep warrants. */
static double shown_deg(double angle_rad)
{
    double angle_deg = round(angle_rad / POV_DEG * 1000) / 1000;
    return angle_deg >= 360 ? angle_deg - 360 : angle_deg;
}

static pov_status print_status_json(const session *self)
{
    const pov_turntable_status *status = &self->status;
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "device", pov_serial_line_name(self->line));
    cJSON_AddStringToObject(object, "version", status->version);
    cJSON_AddBoolToObject(object, "simulated", status->simulated);
    cJSON_AddStringToObject(object, "state", pov_grbl_state_name(status->state));
    cJSON_AddBoolToObject(object, "ready", status->ready);
    cJSON_AddStringToObject(object, "advice", status->advice);
    pov_json_add_number(object, "angle_deg", shown_deg(status->angle_rad));
    pov_json_add_number(object, "axis_deg", status->axis_deg);
    cJSON_AddBoolToObject(object, "restarted", status->restarted);
    cJSON_AddBoolToObject(object, "home_switch", status->home_switch);
    cJSON_AddBoolToObject(object, "can_home", status->can_home);
    pov_json_add_number(object, "limit_low_deg", status->low_deg);
    pov_json_add_number(object, "limit_high_deg", status->high_deg);
    pov_json_add_number(object, "steps_per_deg", status->steps_per_deg);
    pov_json_add_number(object, "top_speed_deg_s", status->top_speed_rad_s / POV_DEG);
    pov_json_add_number(object, "acceleration_deg_s2", status->acceleration_rad_s2 / POV_DEG);
    cJSON_AddNumberToObject(object, "noise", status->noise);
    return print_json(object);
}

static pov_status print_status(const session *self)
{
    const pov_turntable_status *status = &self->status;
    if (self->options->json)
        return print_status_json(self);
    printf("%s: GRBL %s%s, %s, at %.2f deg%s\n", pov_serial_line_name(self->line),
           status->version[0] ? status->version : "1.1", status->simulated ? " (simulated)" : "",
           pov_grbl_state_name(status->state), shown_deg(status->angle_rad),
           status->home_switch ? ", home switch closed" : "");
    if (status->steps_per_deg > 0)
        printf("  %g steps/deg, up to %g deg/s, %g deg/s^2\n", status->steps_per_deg,
               status->top_speed_rad_s / POV_DEG, status->acceleration_rad_s2 / POV_DEG);
    if (status->soft_limits)
        printf("  soft limits: %.1f to %.1f deg of the axis, which is at %.2f\n", status->low_deg,
               status->high_deg, status->axis_deg);
    if (status->noise > 0)
        printf("  %d lines were not understood\n", status->noise);
    if (status->advice[0])
        printf("  %s\n", status->advice);
    return fflush(stdout) == 0 ? pov_ok() : pov_error("cannot write to standard output");
}

static pov_status print_stop(const session *self, int stop, double asked_deg)
{
    if (!self->options->json) {
        printf("at %.2f deg\n", shown_deg(self->status.angle_rad));
        return fflush(stdout) == 0 ? pov_ok() : pov_error("cannot write to standard output");
    }
    cJSON *object = cJSON_CreateObject();
    cJSON_AddNumberToObject(object, "stop", stop);
    cJSON_AddNumberToObject(object, "asked_deg", asked_deg);
    pov_json_add_number(object, "angle_deg", shown_deg(self->status.angle_rad));
    cJSON_AddNumberToObject(object, "settled_unix_s", 1e-9 * (double)pov_clock_unix_ns());
    cJSON_AddBoolToObject(object, "simulated", self->status.simulated);
    return print_json(object);
}

/* ---- what it can be told ---- */

static pov_status turn_to(session *self, double angle_deg, pov_turn_way way, pov_progress *progress, int done)
{
    POV_TRY(pov_turntable_start(self->table, angle_deg * POV_DEG, way));
    for (;;) {
        pov_status status = pov_turntable_poll(self->table, &self->status);
        if (status.code != POV_TIMEOUT)
            return status;
        if (progress)
            pov_progress_update(progress, done, pov_clock_monotonic_ns());
    }
}

static pov_status dwell_at_stop(session *self)
{
    int64_t until_ns = pov_clock_monotonic_ns() + (int64_t)(1e9 * self->options->dwell_s);
    for (int64_t now_ns; (now_ns = pov_clock_monotonic_ns()) < until_ns;) {
        if (pov_cli_stop_requested())
            return pov_status_with(POV_END, "stopped");
        int64_t soon_ns = now_ns + 100000000;
        pov_serial_line_wait(self->line, soon_ns < until_ns ? soon_ns : until_ns);
    }
    return pov_ok();
}

static pov_status sweep_table(session *self)
{
    const turntable_options *options = self->options;
    double sense = options->way == POV_TURN_NEGATIVE ? -1 : 1;
    pov_progress progress = pov_progress_start(stderr, "stops", options->steps, pov_clock_monotonic_ns());
    for (int i = 0; i < options->steps; i++) {
        double asked_deg = fmod(options->from_deg + sense * 360 * i / options->steps + 720, 360);
        pov_status status = turn_to(self, asked_deg, POV_TURN_SHORTEST, &progress, i);
        pov_progress_clear(&progress);
        POV_TRY(status);
        POV_TRY(print_stop(self, i, asked_deg));
        POV_TRY(dwell_at_stop(self));
    }
    pov_progress_finish(&progress, options->steps, pov_clock_monotonic_ns());
    return pov_ok();
}

static pov_status home_table(session *self)
{
    POV_TRY(self->options->here ? pov_turntable_zero_here(self->table) : pov_turntable_home(self->table));
    POV_TRY(pov_turntable_move(self->table, 0, POV_TURN_SHORTEST)); /* homing ends a little off the switch */
    POV_TRY(pov_turntable_ask(self->table, &self->status));
    return print_status(self);
}

static pov_status go_to_angle(session *self)
{
    POV_TRY(turn_to(self, self->options->goto_deg, self->options->way, NULL, 0));
    return print_stop(self, 0, self->options->goto_deg);
}

static pov_status check_table(session *self)
{
    double slip_rad;
    POV_TRY(pov_turntable_check(self->table, &slip_rad));
    if (fabs(slip_rad) > slipped_deg * POV_DEG)
        return pov_error(
            "%s: the table stands %.1f deg %s where it should: it has slipped, or the motor has lost steps. "
            "Home it again, with less acceleration",
            pov_serial_line_name(self->line), fabs(slip_rad / POV_DEG), slip_rad > 0 ? "ahead of" : "behind");
    if (!self->options->json) {
        printf("has not slipped (%.1f deg)\n", slip_rad / POV_DEG);
        return pov_ok();
    }
    cJSON *object = cJSON_CreateObject();
    cJSON_AddNumberToObject(object, "slip_deg", slip_rad / POV_DEG);
    return print_json(object);
}

static pov_status tell_status(session *self)
{
    POV_TRY(pov_turntable_ask(self->table, &self->status));
    return print_status(self);
}

static pov_status stop_table(session *self)
{
    POV_TRY(pov_turntable_stop(self->table));
    return tell_status(self);
}

static pov_status unlock_table(session *self)
{
    POV_TRY(pov_turntable_unlock(self->table));
    return tell_status(self);
}

/* As act_names. */
static pov_status (*const acts[])(session *) = {home_table,  go_to_angle, sweep_table, check_table,
                                                tell_status, stop_table,  unlock_table};

static pov_status run_action(session *self)
{
    const pov_station_turntable *where = &self->options->where;
    pov_status (*const asked)(session *) = acts[self->options->act];
    POV_TRY(pov_serial_line_new_device(&self->line, where->device, where->baud));
    POV_TRY(pov_turntable_new(&self->table, self->line, &where->config));
    POV_TRY(pov_turntable_ask(self->table, &self->status));
    if (self->status.restarted && self->status.ready && asked != home_table && asked != tell_status)
        pov_cli_warn("the controller has just restarted: 0 deg is where the table stands now");
    return asked(self);
}

static int run(int argc, char **argv)
{
    turntable_options options = {.where = POV_STATION_TURNTABLE_DEFAULT, .direction = -1, .steps = 36};
    snprintf(options.where.device, sizeof options.where.device, "/dev/ttyUSB0");
    POV_OR_EXIT(read_options(&options, argc, argv));
    session self = {.options = &options};
    pov_cli_catch_signals();
    const pov_status status = run_action(&self);
    pov_turntable_destroy(&self.table);
    pov_serial_line_destroy(&self.line);
    return pov_cli_exit(status);
}
