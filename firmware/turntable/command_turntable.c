#include "firmware/cli.h"
#include "firmware/clock.h"
#include "firmware/commands.h"
#include "firmware/progress.h"
#include "firmware/station/station.h"
#include "firmware/turntable/turntable.h"
#include "perception/geom.h"

#include <cjson/cJSON.h>

#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double deg = POV_PI / 180;
static const double slipped_deg = 0.5; /* the check itself is good to 0.1 or 0.2 */

static const char help[] =
    "Usage: pov turntable home [--here]    to the home switch; --here: call where it stands 0\n"
    "       pov turntable goto DEG         turn to an angle, counter-clockwise from home, and settle\n"
    "       pov turntable sweep            once round, with a stop at each angle\n"
    "       pov turntable check            past the home switch: has the table slipped since it was homed?\n"
    "       pov turntable status           where it stands, its settings, and what it lacks\n"
    "       pov turntable stop | unlock    come to rest; end an alarm\n"
    "       pov turntable simulate         a controller that is not there ('pov turntable simulate --help')\n"
    "A turntable on a stepper controller with GRBL 1.1 (or grblHAL). docs/TURNTABLE.md tells how to wire\n"
    "it and what to set. In short: the motor's driver on X; $100 steps per degree, $110 deg/min, $120\n"
    "deg/s^2, $130 = 360 or more, $1=255 (the motor holds), $21=0; a home switch on X's limit input with\n"
    "$22=1, or none with $22=0.\n"
    "\n"
    "  --device PATH      the controller's line (/dev/ttyUSB0); /dev/serial/by-id/... stays the same\n"
    "  --station FILE     take device, axis and all else from a station file's turntable\n"
    "  --axis X           the axis it hangs on, one of XYZABC (X)\n"
    "  --direction WHICH  a positive turn seen from above: counterclockwise (default) or clockwise\n"
    "  --speed DEG/S      slower than the controller's highest\n"
    "  --take-up DEG      always arrive counter-clockwise, over this much, so that backlash has no say\n"
    "  --settle S         wait after each turn (0.3)\n"
    "  --way WAY          shortest (default), counterclockwise or clockwise; for sweep, its sense\n"
    "  --steps N          sweep: stops (36)\n"
    "  --from DEG         sweep: the first stop (0)\n"
    "  --dwell S          sweep: wait so long at each stop\n"
    "  --baud N           115200\n"
    "  --json             one JSON object a line\n"
    "  --help             this text\n"
    "\n"
    "Ctrl-C brings the table to rest where it is; its angle stays known.\n"
    "\n"
    "Examples: pov turntable home && pov turntable goto 90\n"
    "          pov turntable sweep --steps 36 --dwell 2 --take-up 3 --json > stops.jsonl\n"
    "          pov turntable status --station my_table.yaml\n"
    "Exit codes: 0 done, 1 the table is not where it should be (the message says why), 2 wrong usage.\n";

typedef struct {
    pov_station_turntable where;
    const char *what; /* "goto" */
    double goto_deg, from_deg, dwell_s;
    pov_turn_way way;
    int steps;
    bool here, json, help;
} turntable_options;

typedef struct {
    pov_serial_line *line;
    pov_turntable *table;
    pov_turntable_status status;
    const turntable_options *options;
} session;

/* ---- options ---- */

static bool parse_number(double *value, const char *text, double low, double high)
{
    char *end;
    *value = strtod(text, &end);
    return end != text && *end == '\0' && *value >= low && *value <= high;
}

static int index_of(const char *name, const char *const names[], int count)
{
    for (int i = 0; i < count; i++)
        if (strcmp(name, names[i]) == 0)
            return i;
    return -1;
}

static int take_number(double *value, double unit, const char *option, double low, double high)
{
    const int code = pov_cli_number(value, "turntable", option, optarg, low, high);
    *value *= code == POV_EXIT_OK ? unit : 1;
    return code;
}

static int take_axis(turntable_options *options)
{
    if (strlen(optarg) != 1 || !strchr("XYZABC", optarg[0]))
        return pov_cli_usage("turntable", "--axis '%s' is not one of XYZABC", optarg);
    options->where.config.axis = optarg[0];
    return POV_EXIT_OK;
}

static int take_direction(turntable_options *options)
{
    static const char *const names[] = {"counterclockwise", "clockwise"};
    int index = index_of(optarg, names, 2);
    options->where.config.clockwise = index == 1;
    return index >= 0
               ? POV_EXIT_OK
               : pov_cli_usage("turntable", "--direction '%s' is not counterclockwise or clockwise", optarg);
}

static int take_way(turntable_options *options)
{
    static const char *const names[] = {"shortest", "counterclockwise", "clockwise"};
    int index = index_of(optarg, names, 3);
    options->way = index == 1 ? POV_TURN_POSITIVE : index == 2 ? POV_TURN_NEGATIVE : POV_TURN_SHORTEST;
    return index >= 0 ? POV_EXIT_OK
                      : pov_cli_usage("turntable",
                                      "--way '%s' is not shortest, counterclockwise or clockwise", optarg);
}

static int take_station(turntable_options *options)
{
    pov_station *station = malloc(sizeof *station);
    if (!station)
        return pov_cli_fail(pov_error("out of memory"));
    pov_status status = pov_station_read(station, optarg);
    if (status.code == POV_OK && !station->turntable.device[0])
        status = pov_error("%s: no turntable: add  turntable: {device: /dev/ttyUSB0}", optarg);
    if (status.code == POV_OK)
        options->where = station->turntable;
    free(station);
    return status.code == POV_OK ? POV_EXIT_OK : pov_cli_fail(status);
}

static int take_option(turntable_options *options, int option)
{
    pov_turntable_config *config = &options->where.config;
    switch (option) {
    case 'd':
        snprintf(options->where.device, sizeof options->where.device, "%s", optarg);
        return POV_EXIT_OK;
    case 'S':
        return take_station(options);
    case 'a':
        return take_axis(options);
    case 'D':
        return take_direction(options);
    case 'v':
        return take_number(&config->speed_rad_s, deg, "speed", 0.1, 3600);
    case 't':
        return take_number(&config->take_up_rad, deg, "take-up", 0, 90);
    case 's':
        return take_number(&config->settle_s, 1, "settle", 0, 60);
    case 'w':
        return take_way(options);
    case 'n':
        return pov_cli_whole(&options->steps, "turntable", "steps", optarg, 1, 3600);
    case 'f':
        return take_number(&options->from_deg, 1, "from", -360, 360);
    case 'p':
        return take_number(&options->dwell_s, 1, "dwell", 0, 3600);
    case 'b':
        return pov_cli_whole(&options->where.baud, "turntable", "baud", optarg, 9600, 921600);
    case 'H':
        options->here = true;
        return POV_EXIT_OK;
    case 'j':
        options->json = true;
        return POV_EXIT_OK;
    case 'h':
        options->help = true;
        return POV_EXIT_OK;
    default:
        return pov_cli_usage("turntable", "see above"); /* getopt_long has said what */
    }
}

/* A negative angle must not be taken for an option: "+" stops at the first word, "goto", and what follows is read after. */
static int parse_options(turntable_options *options, int argc, char **argv)
{
    static const struct option known[] = {
        {"device", required_argument, NULL, 'd'}, {"station", required_argument, NULL, 'S'},
        {"axis", required_argument, NULL, 'a'},   {"direction", required_argument, NULL, 'D'},
        {"speed", required_argument, NULL, 'v'},  {"take-up", required_argument, NULL, 't'},
        {"settle", required_argument, NULL, 's'}, {"way", required_argument, NULL, 'w'},
        {"steps", required_argument, NULL, 'n'},  {"from", required_argument, NULL, 'f'},
        {"dwell", required_argument, NULL, 'p'},  {"baud", required_argument, NULL, 'b'},
        {"here", no_argument, NULL, 'H'},         {"json", no_argument, NULL, 'j'},
        {"help", no_argument, NULL, 'h'},         {NULL, 0, NULL, 0},
    };
    optind = 1;
    for (int option; (option = getopt_long(argc, argv, "+", known, NULL)) != -1;) {
        int result = take_option(options, option);
        if (result != POV_EXIT_OK)
            return result;
    }
    return POV_EXIT_OK;
}

static int parse_words(turntable_options *options, int argc, char **argv)
{
    bool turns = strcmp(argv[0], "goto") == 0;
    options->what = argv[0];
    if (turns && (argc < 2 || !parse_number(&options->goto_deg, argv[1], -1e6, 1e6)))
        return pov_cli_usage("turntable", "goto needs an angle in degrees right behind it, such as: goto 90");
    argv += turns;
    argc -= turns;
    int result = parse_options(options, argc, argv);
    if (result == POV_EXIT_OK && optind < argc)
        return pov_cli_usage("turntable", "unexpected argument '%s'", argv[optind]);
    return result;
}

/* ---- output ---- */

static void add_number(cJSON *object, const char *name, double value)
{
    if (isfinite(value))
        cJSON_AddNumberToObject(object, name, value);
    else
        cJSON_AddNullToObject(object, name);
}

static pov_status print_json(cJSON *object)
{
    char *text = cJSON_PrintUnformatted(object);
    bool written = text && puts(text) != EOF && fflush(stdout) == 0;
    cJSON_free(text);
    cJSON_Delete(object);
    return written ? pov_ok() : pov_error("cannot write to standard output");
}

/* Degrees with no more digits than a microstep warrants. */
static double shown_deg(double angle_rad)
{
    double angle_deg = round(angle_rad / deg * 1000) / 1000;
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
    add_number(object, "angle_deg", shown_deg(status->angle_rad));
    add_number(object, "axis_deg", status->axis_deg);
    cJSON_AddBoolToObject(object, "restarted", status->restarted);
    cJSON_AddBoolToObject(object, "home_switch", status->home_switch);
    cJSON_AddBoolToObject(object, "can_home", status->can_home);
    add_number(object, "limit_low_deg", status->low_deg);
    add_number(object, "limit_high_deg", status->high_deg);
    add_number(object, "steps_per_deg", status->steps_per_deg);
    add_number(object, "top_speed_deg_s", status->top_speed_rad_s / deg);
    add_number(object, "acceleration_deg_s2", status->acceleration_rad_s2 / deg);
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
               status->top_speed_rad_s / deg, status->acceleration_rad_s2 / deg);
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
    add_number(object, "angle_deg", shown_deg(self->status.angle_rad));
    cJSON_AddNumberToObject(object, "settled_unix_s", 1e-9 * (double)pov_clock_unix_ns());
    cJSON_AddBoolToObject(object, "simulated", self->status.simulated);
    return print_json(object);
}

/* ---- what it can be told ---- */

static pov_status turn_to(session *self, double angle_deg, pov_turn_way way, pov_progress *progress, int done)
{
    POV_TRY(pov_turntable_start(self->table, angle_deg * deg, way));
    for (;;) {
        pov_status status = pov_turntable_poll(self->table, &self->status);
        if (status.code != POV_TIMEOUT)
            return status;
        if (progress)
            pov_progress_update(progress, done, pov_clock_monotonic_ns());
    }
}

static pov_status dwell(session *self)
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

static pov_status sweep(session *self)
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
        POV_TRY(dwell(self));
    }
    pov_progress_finish(&progress, options->steps, pov_clock_monotonic_ns());
    return pov_ok();
}

static pov_status home(session *self)
{
    POV_TRY(self->options->here ? pov_turntable_zero_here(self->table) : pov_turntable_home(self->table));
    POV_TRY(pov_turntable_move(self->table, 0, POV_TURN_SHORTEST)); /* homing ends a little off the switch */
    POV_TRY(pov_turntable_ask(self->table, &self->status));
    return print_status(self);
}

static pov_status go(session *self)
{
    POV_TRY(turn_to(self, self->options->goto_deg, self->options->way, NULL, 0));
    return print_stop(self, 0, self->options->goto_deg);
}

static pov_status check(session *self)
{
    double slip_rad;
    POV_TRY(pov_turntable_check(self->table, &slip_rad));
    if (fabs(slip_rad) > slipped_deg * deg)
        return pov_error(
            "%s: the table stands %.1f deg %s where it should: it has slipped, or the motor has lost steps. "
            "Home it again, with less acceleration",
            pov_serial_line_name(self->line), fabs(slip_rad / deg), slip_rad > 0 ? "ahead of" : "behind");
    if (!self->options->json) {
        printf("has not slipped (%.1f deg)\n", slip_rad / deg);
        return pov_ok();
    }
    cJSON *object = cJSON_CreateObject();
    cJSON_AddNumberToObject(object, "slip_deg", slip_rad / deg);
    return print_json(object);
}

static pov_status tell_status(session *self)
{
    POV_TRY(pov_turntable_ask(self->table, &self->status));
    return print_status(self);
}

static pov_status stop(session *self)
{
    POV_TRY(pov_turntable_stop(self->table));
    return tell_status(self);
}

static pov_status unlock(session *self)
{
    POV_TRY(pov_turntable_unlock(self->table));
    return tell_status(self);
}

static const struct {
    const char *name;
    pov_status (*act)(session *);
} acts[] = {{"home", home},          {"goto", go},   {"sweep", sweep},  {"check", check},
            {"status", tell_status}, {"stop", stop}, {"unlock", unlock}};
enum { ACTS = sizeof acts / sizeof *acts };

static pov_status act(session *self, int index)
{
    const pov_station_turntable *where = &self->options->where;
    POV_TRY(pov_serial_line_new_device(&self->line, where->device, where->baud));
    POV_TRY(pov_turntable_new(&self->table, self->line, &where->config));
    POV_TRY(pov_turntable_ask(self->table, &self->status));
    if (self->status.restarted && self->status.ready && acts[index].act != home &&
        acts[index].act != tell_status)
        pov_cli_warn("the controller has just restarted: 0 deg is where the table stands now");
    return acts[index].act(self);
}

static int find_act(const char *name)
{
    for (int i = 0; i < ACTS; i++)
        if (strcmp(acts[i].name, name) == 0)
            return i;
    return -1;
}

static int run(const turntable_options *options, int index)
{
    session self = {.options = options};
    pov_cli_catch_signals();
    pov_status status = act(&self, index);
    pov_turntable_destroy(&self.table);
    pov_serial_line_destroy(&self.line);
    return status.code == POV_OK ? POV_EXIT_OK : pov_cli_fail(status);
}

int pov_command_turntable(int argc, char **argv)
{
    turntable_options options = {.where = POV_STATION_TURNTABLE_DEFAULT, .steps = 36};
    snprintf(options.where.device, sizeof options.where.device, "/dev/ttyUSB0");
    options.where.config.stop_requested = pov_cli_stop_requested;
    if (argc > 1 && strcmp(argv[1], "simulate") == 0)
        return pov_command_turntable_simulate(argc - 1, argv + 1);
    if (argc > 1 && strcmp(argv[1], "--help") == 0) {
        fputs(help, stdout);
        return POV_EXIT_OK;
    }
    int index = argc > 1 ? find_act(argv[1]) : -1;
    if (index < 0)
        return pov_cli_usage("turntable",
                             "say what: home, goto, sweep, check, status, stop, unlock or simulate");
    int result = parse_words(&options, argc - 1, argv + 1);
    options.where.config.stop_requested = pov_cli_stop_requested;
    if (result == POV_EXIT_OK && options.help)
        fputs(help, stdout);
    return result != POV_EXIT_OK || options.help ? result : run(&options, index);
}
