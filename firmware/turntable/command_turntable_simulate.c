#include "firmware/cli.h"
#include "firmware/clock.h"
#include "firmware/commands.h"
#include "firmware/turntable/pty_device.h"
#include "sim/grbl_controller.h"

#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double rad_per_deg = 3.14159265358979323846 / 180;
enum { SLICE_MS = 100 };

static const char help[] =
    "Usage: pov turntable simulate [--link PATH] [--axis X] [--start DEG] [--set N=VALUE]... [FAULTS]\n"
    "A simulated GRBL 1.1 controller with a turntable, on a pseudo-terminal whose path is printed. It\n"
    "homes, turns and fails as a real one would, in real time, until Ctrl-C. It says that it is simulated.\n"
    "\n"
    "  --link PATH      make PATH a link to the pseudo-terminal\n"
    "  --axis X         the axis the table hangs on, one of XYZABC (X)\n"
    "  --start DEG      where the table truly stands at first (0); the home switch is at 0\n"
    "  --set N=VALUE    a setting, such as 22=0 (no home switch) or 110=5400\n"
    "  --truth          print where the controller believes the table to be and where it is, as it turns\n"
    "  --seed N         of what is random\n"
    "  --help           this text\n"
    "Faults:\n"
    "  --slip SHARE     of each turn that does not reach the disc, 0 to 1\n"
    "  --lose STEPS     microsteps lost at the start of each turn\n"
    "  --backlash DEG   play when the direction changes\n"
    "  --lag S          the disc comes after with this time constant\n"
    "  --garbage SHARE  of its lines that are noise\n"
    "  --drop SHARE     of bytes lost on the line, both ways\n"
    "  --hang-in N      it hangs half way through the N-th turn\n"
    "  --reset-in N     its power fails half way through the N-th turn\n"
    "\n"
    "Examples: pov turntable simulate --link /tmp/table &  pov turntable home --device /tmp/table\n"
    "          pov turntable simulate --slip 0.02 --backlash 0.5 --truth\n"
    "Exit codes: 0 after Ctrl-C, 1 no pseudo-terminal or link to be had, 2 wrong usage.\n";

typedef struct {
    pov_grbl_controller_config controller;
    const char *link;
    bool truth, help;
} simulate_options;

/* ---- options ---- */

static int take_setting(pov_grbl_settings *settings)
{
    double number, value;
    char end;
    if (sscanf(optarg, "%lf=%lf%c", &number, &value, &end) != 2)
        return pov_cli_usage("turntable simulate", "--set '%s' is not like 110=5400", optarg);
    int error = pov_grbl_settings_set(settings, number, value);
    return error == 0
               ? POV_EXIT_OK
               : pov_cli_usage("turntable simulate", "--set '%s': GRBL would answer error:%d", optarg, error);
}

static int take_start(simulate_options *options)
{
    double start_deg = 0;
    int result = pov_cli_number(&start_deg, "turntable simulate", "start", optarg, -360, 360);
    options->controller.start_rad = start_deg * rad_per_deg;
    return result;
}

static int take_axis(simulate_options *options)
{
    if (strlen(optarg) != 1 || !strchr("XYZABC", optarg[0]))
        return pov_cli_usage("turntable simulate", "--axis '%s' is not one of XYZABC", optarg);
    options->controller.axis = optarg[0];
    return POV_EXIT_OK;
}

static int take_fault(pov_grbl_faults *faults, int option)
{
    switch (option) {
    case 's':
        return pov_cli_number(&faults->play.slip, "turntable simulate", "slip", optarg, 0, 1);
    case 'b':
        return pov_cli_number(&faults->play.backlash_deg, "turntable simulate", "backlash", optarg, 0, 90);
    case 'l':
        return pov_cli_number(&faults->play.lag_s, "turntable simulate", "lag", optarg, 0, 60);
    case 'L':
        return pov_cli_whole(&faults->lost_steps, "turntable simulate", "lose", optarg, 0, 1000000);
    case 'g':
        return pov_cli_number(&faults->garbage, "turntable simulate", "garbage", optarg, 0, 1);
    case 'd':
        return pov_cli_number(&faults->drop, "turntable simulate", "drop", optarg, 0, 1);
    case 'h':
        return pov_cli_whole(&faults->hang_in_turn, "turntable simulate", "hang-in", optarg, 1, 1000000);
    case 'r':
        return pov_cli_whole(&faults->reset_in_turn, "turntable simulate", "reset-in", optarg, 1, 1000000);
    default:
        return pov_cli_usage("turntable simulate", "see above"); /* getopt_long has said what */
    }
}

static int take_option(simulate_options *options, int option)
{
    double seed = 0;
    int result;
    switch (option) {
    case 'k':
        options->link = optarg;
        return POV_EXIT_OK;
    case 'x':
        return take_axis(options);
    case 'a':
        return take_start(options);
    case '$':
        return take_setting(&options->controller.settings);
    case 'S':
        result = pov_cli_number(&seed, "turntable simulate", "seed", optarg, 0, 1e15);
        options->controller.seed = (uint64_t)seed;
        return result;
    case 't':
        options->truth = true;
        return POV_EXIT_OK;
    case '?' + 256:
        options->help = true;
        return POV_EXIT_OK;
    default:
        return take_fault(&options->controller.faults, option);
    }
}

static int parse_options(simulate_options *options, int argc, char **argv)
{
    static const struct option known[] = {
        {"link", required_argument, NULL, 'k'},     {"axis", required_argument, NULL, 'x'},
        {"start", required_argument, NULL, 'a'},    {"set", required_argument, NULL, '$'},
        {"seed", required_argument, NULL, 'S'},     {"truth", no_argument, NULL, 't'},
        {"slip", required_argument, NULL, 's'},     {"lose", required_argument, NULL, 'L'},
        {"backlash", required_argument, NULL, 'b'}, {"lag", required_argument, NULL, 'l'},
        {"garbage", required_argument, NULL, 'g'},  {"drop", required_argument, NULL, 'd'},
        {"hang-in", required_argument, NULL, 'h'},  {"reset-in", required_argument, NULL, 'r'},
        {"help", no_argument, NULL, '?' + 256},     {NULL, 0, NULL, 0},
    };
    optind = 1;
    for (int option; (option = getopt_long(argc, argv, "", known, NULL)) != -1;) {
        int result = take_option(options, option);
        if (result != POV_EXIT_OK)
            return result;
    }
    return optind == argc ? POV_EXIT_OK
                          : pov_cli_usage("turntable simulate", "unexpected argument '%s'", argv[optind]);
}

/* ---- service ---- */

static void receive(void *impl, const char *bytes, size_t length, int64_t now_ns)
{
    pov_grbl_controller_receive(impl, bytes, length, now_ns);
}

static size_t send(void *impl, char *bytes, size_t capacity, int64_t now_ns)
{
    return pov_grbl_controller_send(impl, bytes, capacity, now_ns);
}

static int64_t due_ns(void *impl)
{
    return pov_grbl_controller_due_ns(impl);
}

static const pov_pty_behaviour behaviour = {receive, send, due_ns};

static void print_truth(pov_grbl_controller *controller, double *shown_deg)
{
    int64_t now_ns = pov_clock_monotonic_ns();
    double true_deg = pov_grbl_controller_true_rad(controller, now_ns) / rad_per_deg;
    if (fabs(true_deg - *shown_deg) < 1e-3)
        return;
    printf("commanded %.3f true %.3f\n", pov_grbl_controller_commanded_rad(controller, now_ns) / rad_per_deg,
           true_deg);
    fflush(stdout);
    *shown_deg = true_deg;
}

static pov_status serve(pov_grbl_controller *controller, const simulate_options *options)
{
    pov_pty_device *device;
    double shown_deg = NAN;
    int64_t truth_ns = 0;
    pov_status status = pov_pty_device_new(&device, &behaviour, controller, options->link);
    if (status.code == POV_OK) {
        puts(pov_pty_device_path(device));
        fflush(stdout);
    }
    while (status.code == POV_OK && !pov_cli_stop_requested()) {
        status = pov_pty_device_serve(device, SLICE_MS);
        if (options->truth && pov_clock_monotonic_ns() >= truth_ns) {
            print_truth(controller, &shown_deg);
            truth_ns = pov_clock_monotonic_ns() + (int64_t)1e6 * SLICE_MS;
        }
    }
    pov_pty_device_destroy(&device);
    return status;
}

int pov_command_turntable_simulate(int argc, char **argv)
{
    simulate_options options = {.controller = pov_grbl_controller_config_default()};
    pov_grbl_controller *controller;
    int result = parse_options(&options, argc, argv);
    if (result != POV_EXIT_OK)
        return result;
    if (options.help) {
        fputs(help, stdout);
        return POV_EXIT_OK;
    }
    pov_cli_catch_signals();
    pov_status status = pov_grbl_controller_new(&controller, &options.controller, pov_clock_monotonic_ns());
    if (status.code == POV_OK)
        status = serve(controller, &options);
    pov_grbl_controller_destroy(&controller);
    return status.code == POV_OK ? POV_EXIT_OK : pov_cli_fail(status);
}
