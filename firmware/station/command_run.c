#include "firmware/cli.h"
#include "firmware/commands.h"
#include "firmware/station/station_runner.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char help[] =
    "Usage: pov run STATION.yaml [OPTIONS]\n"
    "\n"
    "Runs a station: takes images, finds what is in them, judges every relation in every frame of reference, "
    "and\n"
    "publishes it over ZeroMQ, until the images end or it is told to stop (Ctrl-C).\n"
    "\n"
    "  --images DIR         take images from this folder (or file) instead of the station's source\n"
    "  --camera ID          take images from this camera (see 'pov cameras'); 'any' for the first\n"
    "  --rate HZ            play a folder, or the simulator, at this rate instead of as fast as possible\n"
    "  --loop               start the folder or the simulated world over when it ends\n"
    "  --count N            stop after N images\n"
    "  --json               print one JSON object per image to stdout instead of text\n"
    "  --annotate DIR       write each image with what was found drawn in, as PNG\n"
    "  --dashboard [HOST:]PORT\n"
    "                       show it all in a browser, at this port of this machine (0: any free one); at "
    "another\n"
    "                       address, such as 0.0.0.0:8080, to whoever has the URL that is printed\n"
    "  --publish ENDPOINT   publish here instead of where the station says, e.g. tcp://*:5570\n"
    "  --no-publish         do not publish\n"
    "  --wait N             wait for N subscribers before the first image\n"
    "  --check              only read the station file and what it names; say whether it is good\n"
    "  --quiet              print nothing but JSON and warnings\n"
    "  --help               this\n"
    "\n"
    "Examples:\n"
    "  pov run stations/comfort_ball.yaml --images renders/ --json > judgments.jsonl\n"
    "  pov run my_table.yaml --annotate annotated/\n"
    "  pov run my_table.yaml --camera any --dashboard 8080\n"
    "  pov run my_table.yaml --camera any --publish tcp://*:5570\n"
    "\n"
    "Exit codes: 0 done (also when stopped), 1 a file, device or output failed or no image could be used, 2 "
    "wrong\n"
    "usage.\n";

enum {
    OPTION_IMAGES = 256,
    OPTION_CAMERA,
    OPTION_RATE,
    OPTION_LOOP,
    OPTION_COUNT,
    OPTION_JSON,
    OPTION_ANNOTATE,
    OPTION_DASHBOARD,
    OPTION_PUBLISH,
    OPTION_NO_PUBLISH,
    OPTION_WAIT,
    OPTION_CHECK,
    OPTION_QUIET,
    OPTION_HELP
};

static const struct option options[] = {
    {"images", required_argument, NULL, OPTION_IMAGES},
    {"camera", required_argument, NULL, OPTION_CAMERA},
    {"rate", required_argument, NULL, OPTION_RATE},
    {"loop", no_argument, NULL, OPTION_LOOP},
    {"count", required_argument, NULL, OPTION_COUNT},
    {"json", no_argument, NULL, OPTION_JSON},
    {"annotate", required_argument, NULL, OPTION_ANNOTATE},
    {"dashboard", required_argument, NULL, OPTION_DASHBOARD},
    {"publish", required_argument, NULL, OPTION_PUBLISH},
    {"no-publish", no_argument, NULL, OPTION_NO_PUBLISH},
    {"wait", required_argument, NULL, OPTION_WAIT},
    {"check", no_argument, NULL, OPTION_CHECK},
    {"quiet", no_argument, NULL, OPTION_QUIET},
    {"help", no_argument, NULL, OPTION_HELP},
    {NULL, 0, NULL, 0},
};

/* What the command line says, on top of the station file. */
typedef struct {
    const char *station, *images, *camera, *publish, *annotate;
    double rate_hz;
    bool loop, json, no_publish, check, quiet, help;
    long count, wait;
    bool has_dashboard;
    pov_dashboard_place dashboard;
} arguments;

static bool parse_long(long *value, const char *text, long low, long high)
{
    char *end;
    errno = 0;
    *value = strtol(text, &end, 10);
    return errno == 0 && end != text && !*end && *value >= low && *value <= high;
}

static bool parse_rate(double *value, const char *text)
{
    char *end;
    *value = strtod(text, &end);
    return end != text && !*end && *value > 0 && *value <= 1000;
}

static int take_option(arguments *args, int option)
{
    switch (option) {
    case OPTION_IMAGES:
        args->images = optarg;
        return POV_EXIT_OK;
    case OPTION_CAMERA:
        args->camera = optarg;
        return POV_EXIT_OK;
    case OPTION_RATE:
        return parse_rate(&args->rate_hz, optarg)
                   ? POV_EXIT_OK
                   : pov_cli_usage("run", "--rate %s: expected images per second, above 0 and up to 1000",
                                   optarg);
    case OPTION_LOOP:
        args->loop = true;
        return POV_EXIT_OK;
    case OPTION_COUNT:
        return parse_long(&args->count, optarg, 1, 1000000000)
                   ? POV_EXIT_OK
                   : pov_cli_usage("run", "--count %s: expected a number of images, 1 or more", optarg);
    case OPTION_JSON:
        args->json = true;
        return POV_EXIT_OK;
    case OPTION_ANNOTATE:
        args->annotate = optarg;
        return POV_EXIT_OK;
    case OPTION_DASHBOARD:
        args->has_dashboard = true;
        return pov_dashboard_place_parse(&args->dashboard, optarg)
                   ? POV_EXIT_OK
                   : pov_cli_usage("run", "--dashboard %s: expected a port, or ADDRESS:PORT", optarg);
    case OPTION_PUBLISH:
        args->publish = optarg;
        return POV_EXIT_OK;
    case OPTION_NO_PUBLISH:
        args->no_publish = true;
        return POV_EXIT_OK;
    case OPTION_WAIT:
        return parse_long(&args->wait, optarg, 0, 1000)
                   ? POV_EXIT_OK
                   : pov_cli_usage("run", "--wait %s: expected a number of subscribers, 0 to 1000", optarg);
    case OPTION_CHECK:
        args->check = true;
        return POV_EXIT_OK;
    case OPTION_QUIET:
        args->quiet = true;
        return POV_EXIT_OK;
    case OPTION_HELP:
        args->help = true;
        return POV_EXIT_OK;
    default: /* getopt has said what is wrong */
        fputs("See 'pov run --help'.\n", stderr);
        return POV_EXIT_USAGE;
    }
}

static int parse(arguments *args, int argc, char **argv)
{
    optind = 1;
    for (int option; (option = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        int code = take_option(args, option);
        if (code != POV_EXIT_OK || args->help)
            return code;
    }
    if (optind >= argc)
        return pov_cli_usage("run", "which station file?");
    if (optind + 1 < argc)
        return pov_cli_usage("run", "one station file, please; '%s' is one too many", argv[optind + 1]);
    if (args->images && args->camera)
        return pov_cli_usage("run", "--images and --camera exclude each other");
    if (args->publish && args->no_publish)
        return pov_cli_usage("run", "--publish and --no-publish exclude each other");
    args->station = argv[optind];
    return POV_EXIT_OK;
}

static void override_station(pov_station *station, const arguments *args)
{
    pov_station_source *source = &station->source;
    pov_station_source_replace(source, args->images, args->camera);
    if (args->rate_hz > 0)
        source->rate_hz = source->simulator.rate_hz = args->rate_hz;
    source->loop |= args->loop;
    source->simulator.loop |= args->loop;
    if (args->publish)
        snprintf(station->endpoint, sizeof station->endpoint, "%s", args->publish);
}

static pov_status make_folder(const char *path)
{
    struct stat info;
    if (mkdir(path, 0777) != 0 && !(errno == EEXIST && stat(path, &info) == 0 && S_ISDIR(info.st_mode)))
        return pov_error("%s: cannot make this folder: %s", path, strerror(errno));
    return pov_ok();
}

/* "of each image's time: tags 81 %, ..." */
static void print_stages(const pov_station_summary *summary)
{
    double total_ns = 0;
    for (int i = 0; i < POV_STATION_STAGE_COUNT; i++)
        total_ns += (double)summary->stage_ns[i];
    if (total_ns <= 0)
        return;
    fputs("of each image's time: ", stderr);
    for (int i = 0; i < POV_STATION_STAGE_COUNT; i++)
        fprintf(stderr, "%s%s %.0f %%", i ? ", " : "",
                i < POV_STAGE_COUNT ? pov_pipeline_stage_name(i) : "sending",
                100 * (double)summary->stage_ns[i] / total_ns);
    fputc('\n', stderr);
}

static void print_summary(const pov_station_summary *summary)
{
    fprintf(stderr, "%llu images judged in %.1f s (%.1f/s; each %.1f ms, p99 %.1f ms)",
            (unsigned long long)summary->processed, summary->seconds,
            summary->seconds > 0 ? (double)summary->processed / summary->seconds : 0,
            1e3 * summary->latency_p50_s, 1e3 * summary->latency_p99_s);
    if (summary->skipped)
        fprintf(stderr, ", %llu skipped", (unsigned long long)summary->skipped);
    if (summary->lost)
        fprintf(stderr, ", %llu lost by the camera", (unsigned long long)summary->lost);
    fprintf(stderr, "; %llu messages sent", (unsigned long long)summary->sent);
    if (summary->dropped)
        fprintf(stderr, ", %llu dropped for slow subscribers", (unsigned long long)summary->dropped);
    fputc('\n', stderr);
    print_stages(summary);
}

static pov_status open_dashboard(pov_dashboard **dashboard, const arguments *args)
{
    *dashboard = NULL;
    if (!args->has_dashboard)
        return pov_ok();
    POV_TRY(pov_dashboard_new(dashboard, &args->dashboard));
    fprintf(stderr, "dashboard: %s\n", pov_dashboard_url(*dashboard));
    return pov_ok();
}

static int run_source(const pov_station *station, pov_image_source *source, pov_dashboard *dashboard,
                      const arguments *args)
{
    pov_station_outputs outputs = {.publish = !args->no_publish,
                                   .must_publish = args->publish != NULL || args->wait > 0,
                                   .wait_subscribers = (int)args->wait,
                                   .image_max = args->count,
                                   .json = args->json ? stdout : NULL,
                                   .text = args->json || args->quiet ? NULL : stdout,
                                   .progress = !args->quiet && !isatty(STDOUT_FILENO),
                                   .annotate_folder = args->annotate,
                                   .dashboard = dashboard};
    pov_station_summary summary = {0};
    pov_status status = pov_station_run(&summary, station, source, &outputs);
    if (!args->quiet)
        print_summary(&summary);
    if (status.code != POV_OK)
        return pov_cli_fail(status);
    if (summary.processed == 0 && !pov_cli_stop_requested())
        return pov_cli_fail(pov_error("no image could be used; see the warnings above"));
    return POV_EXIT_OK;
}

static int run_station(const pov_station *station, const arguments *args)
{
    pov_image_source *source = NULL;
    pov_dashboard *dashboard;
    pov_status status = open_dashboard(&dashboard, args);
    if (status.code == POV_OK)
        status = pov_station_open_source(&source, &station->source);
    const int code =
        status.code == POV_OK ? run_source(station, source, dashboard, args) : pov_cli_fail(status);
    pov_image_source_destroy(&source);
    pov_dashboard_destroy(&dashboard);
    return code;
}

int pov_command_run(int argc, char **argv)
{
    arguments args = {0};
    int code = parse(&args, argc, argv);
    if (code != POV_EXIT_OK)
        return code;
    if (args.help) {
        fputs(help, stdout);
        return POV_EXIT_OK;
    }
    pov_cli_catch_signals();
    pov_station *station = malloc(sizeof *station);
    POV_REQUIRE(station);
    pov_status status = pov_station_read(station, args.station);
    if (status.code == POV_OK && args.annotate)
        status = make_folder(args.annotate);
    if (status.code == POV_OK && args.check)
        printf("%s: good\n", args.station);
    override_station(station, &args);
    code = status.code != POV_OK ? pov_cli_fail(status)
           : args.check          ? POV_EXIT_OK
                                 : run_station(station, &args);
    free(station);
    return code;
}
