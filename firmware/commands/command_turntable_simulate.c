#include "firmware/clock.h"
#include "firmware/commands.h"
#include "firmware/commands/command_turntable.h"
#include "firmware/turntable/pty_device.h"
#include "perception/geometry/geom.h"
#include "sim/turntable/grbl_controller.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { SLICE_MS = 100 };

typedef struct {
    pov_grbl_controller_config controller;
    const char *link;
    bool truth;
} simulate_options;

static pov_option_take take_setting;
static int run(int argc, char **argv);

static const pov_option option_table[] = {
    POV_PATH(simulate_options, link, "link", "PATH", "make PATH a link to the pseudo-terminal"),
    POV_TAKEN(simulate_options, controller.axis, "axis", "X", pov_turntable_take_axis,
              "the axis the table hangs on, one of XYZABC (X)"),
    POV_NUMBER(simulate_options, controller.start_rad, "start", "DEG", -360, 360,
               "where the table truly stands at first; the home switch is at 0", .unit = POV_DEG),
    POV_TAKEN(simulate_options, controller.settings, "set", "N=VALUE", take_setting,
              "a setting, such as 22=0 (no home switch) or 110=5400; as often as you like"),
    POV_FLAG(simulate_options, truth, "truth",
             "print where the controller believes the table to be and where it is, as it turns"),
    POV_COUNT(simulate_options, controller.seed, "seed", "N", 0, INFINITY, "of random faults"),
    POV_OPTIONS_HEADING("Faults:"),
    POV_NUMBER(simulate_options, controller.faults.play.slip, "slip", "SHARE", 0, 1,
               "of each turn that does not reach the disc"),
    POV_WHOLE(simulate_options, controller.faults.lost_steps, "lose", "STEPS", 0, 1000000,
              "microsteps lost at the start of each turn"),
    POV_NUMBER(simulate_options, controller.faults.play.backlash_deg, "backlash", "DEG", 0, 90,
               "play when the direction changes"),
    POV_NUMBER(simulate_options, controller.faults.play.lag_s, "lag", "S", 0, 60,
               "the disc comes after with this time constant"),
    POV_NUMBER(simulate_options, controller.faults.garbage, "garbage", "SHARE", 0, 1,
               "of its lines that are noise"),
    POV_NUMBER(simulate_options, controller.faults.drop, "drop", "SHARE", 0, 1,
               "of bytes lost on the line, both ways"),
    POV_WHOLE(simulate_options, controller.faults.hang_in_turn, "hang-in", "N", 1, 1000000,
              "it hangs half way through the N-th turn"),
    POV_WHOLE(simulate_options, controller.faults.reset_in_turn, "reset-in", "N", 1, 1000000,
              "its power fails half way through the N-th turn"),
    POV_OPTIONS_END,
};

const pov_command pov_command_turntable_simulate = {
    .name = "turntable simulate",
    .summary = "a controller that is not there",
    .run = run,
    .usage = "[--link PATH] [OPTIONS] [FAULTS]",
    .about = "A simulated GRBL 1.1 controller with a turntable, on a pseudo-terminal whose path is printed. "
             "It homes, "
             "turns and fails as a real one would, in real time, until Ctrl-C. It says that it is simulated.",
    .options = option_table,
    .examples = "pov turntable simulate --link /tmp/table & pov turntable home --device /tmp/table\n"
                "pov turntable simulate --slip 0.02 --backlash 0.5 --truth",
    .exits = "0 after Ctrl-C; 1 no pseudo-terminal or link to be had",
};

static pov_status take_setting(void *settings, const char *text)
{
    double number, value;
    char end;
    if (sscanf(text, "%lf=%lf%c", &number, &value, &end) != 2)
        return pov_error("takes N=VALUE, as in 110=5400, not '%s'", text);
    const int error = pov_grbl_settings_set(settings, number, value);
    return error == 0 ? pov_ok() : pov_error("'%s': GRBL would answer error:%d", text, error);
}

/* ---- service ---- */

static void receive_bytes(void *impl, const char *bytes, size_t length, int64_t now_ns)
{
    pov_grbl_controller_receive(impl, bytes, length, now_ns);
}

static size_t send_bytes(void *impl, char *bytes, size_t capacity, int64_t now_ns)
{
    return pov_grbl_controller_send(impl, bytes, capacity, now_ns);
}

static int64_t due_ns(void *impl)
{
    return pov_grbl_controller_due_ns(impl);
}

static const pov_pty_behaviour behaviour = {receive_bytes, send_bytes, due_ns};

static void print_truth(pov_grbl_controller *controller, double *shown_deg)
{
    int64_t now_ns = pov_clock_monotonic_ns();
    double true_deg = pov_grbl_controller_true_rad(controller, now_ns) / POV_DEG;
    if (fabs(true_deg - *shown_deg) < 1e-3)
        return;
    printf("commanded %.3f true %.3f\n", pov_grbl_controller_commanded_rad(controller, now_ns) / POV_DEG,
           true_deg);
    fflush(stdout);
    *shown_deg = true_deg;
}

static pov_status serve_device(pov_grbl_controller *controller, const simulate_options *options)
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

static int run(int argc, char **argv)
{
    simulate_options options = {.controller = pov_grbl_controller_config_default()};
    pov_grbl_controller *controller;
    pov_words words;
    POV_OR_EXIT(pov_command_read(&options, &words, &pov_command_turntable_simulate, argc, argv));
    pov_cli_catch_signals();
    pov_status status = pov_grbl_controller_new(&controller, &options.controller, pov_clock_monotonic_ns());
    POV_THEN(status, serve_device(controller, &options));
    pov_grbl_controller_destroy(&controller);
    return pov_cli_exit(status);
}
