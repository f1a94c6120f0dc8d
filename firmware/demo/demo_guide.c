#include "firmware/demo/demo_guide.h"

#include "firmware/cli.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { USUAL_PORT = 8080, LOOK_MS = 200 };
static const double usual_pace_s = 1; /* from stop to stop where someone watches; chosen */

static void open_browser(const char *url)
{
    const char *const arguments[] = {"xdg-open", url, NULL};
    posix_spawn_file_actions_t actions;
    pid_t child;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    /* Without one, the address that was printed does as well. */
    (void)posix_spawnp(&child, arguments[0], &actions, NULL, (char *const *)arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
}

static bool has_desktop(void)
{
    return getenv("WAYLAND_DISPLAY") || getenv("DISPLAY");
}

static pov_status open_dashboard(pov_dashboard **dashboard, const pov_demo_guide_options *options)
{
    pov_dashboard_place place = {.at = {.address = "127.0.0.1", .port = USUAL_PORT}};
    if (options->place.at.address[0])
        place = options->place;
    place.sweeps = place.simulated = true;
    const pov_status status = pov_dashboard_new(dashboard, &place);
    if (status.code == POV_OK || options->place.at.address[0])
        return status;
    place.at.port = 0;
    return pov_dashboard_new(dashboard, &place);
}

pov_status pov_demo_guide_start(pov_demo_guide *guide, const pov_demo_guide_options *options)
{
    *guide = (pov_demo_guide){.is_watched = isatty(STDIN_FILENO) && isatty(STDOUT_FILENO)};
    guide->pace_s = isfinite(options->pace_s) ? options->pace_s : guide->is_watched ? usual_pace_s : 0;
    POV_TRY(open_dashboard(&guide->dashboard, options));
    printf("\nThe dashboard, for a browser: %s\n", pov_dashboard_url(guide->dashboard));
    fflush(stdout);
    if (guide->is_watched && !options->no_browser && has_desktop())
        open_browser(pov_dashboard_url(guide->dashboard));
    return pov_ok();
}

void pov_demo_guide_say(const pov_demo_guide *guide, const char *step)
{
    pov_dashboard_say(guide->dashboard, step);
    puts(step);
    fflush(stdout);
}

void pov_demo_guide_end(pov_demo_guide *guide)
{
    struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
    if (guide->is_watched && guide->dashboard && !pov_cli_stop_requested()) {
        puts("The dashboard stays until you press Enter.");
        fflush(stdout);
        while (!pov_cli_stop_requested() && poll(&input, 1, LOOK_MS) == 0)
            continue;
    }
    pov_dashboard_destroy(&guide->dashboard);
}
