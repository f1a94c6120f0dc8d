#include "compare/answer_log.h"
#include "firmware/cli.h"
#include "firmware/commands.h"
#include "firmware/station/station_runner.h"
#include "firmware/sweep/sweep.h"
#include "firmware/sweep/sweep_scores.h"
#include "firmware/sweep/sweep_vlm.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char help[] =
    "Usage: pov sweep STATION.yaml --out RUN_DIR [options]\n"
    "One rotation: turn, wait until all stands still, shoot, judge, ask a VLM, score. Everything is in\n"
    "a log in RUN_DIR before it counts; Ctrl-C, a crash or a power cut lose nothing: --resume goes on.\n"
    "\n"
    "  --out RUN_DIR       a new folder for the log, the images and what is known of them\n"
    "  --resume            go on with the sweep in RUN_DIR\n"
    "  --angles N          stops of a whole turn (36)\n"
    "  --by-hand           a person turns; it shoots when all stands still at an angle that is missing\n"
    "  --tolerance DEG     by hand: so near an angle is there (2)\n"
    "  --images DIR        images taken before: each is a stop\n"
    "  --camera ID         another camera than the station's, or 'any'\n"
    "  --vlm FILE|URL      whom to ask: a file with a section 'vlm' (docs/VLM.md), or a URL up to /v1;\n"
    "                      without it the station's own section, or nobody: 'pov compare' asks later\n"
    "  --model NAME        the model at that URL, or of the workers\n"
    "  --workers ENDPOINT  leave the asking to 'pov vlm' on other machines: tcp://0.0.0.0:5571\n"
    "  --questions LIST    comfort (default), forest, vsr, vpt, sphere\n"
    "  --pairs LIST        COMFORT's pairs, as in ball:car,duck:car (the station's, or its first two)\n"
    "  --languages LIST    COMFORT's languages (en); 'pov questions --languages' lists them\n"
    "  --guided LIST       not (default), facts, step: what is told before a question\n"
    "  --variant NAME      a name for how things look this time (default)\n"
    "  --seed N            of options' order and absent things (1)\n"
    "  --dashboard [HOST:]PORT\n"
    "                      shows it in a browser too, as 'pov run --dashboard' does\n"
    "  --pace S            a simulated world takes S seconds from stop to stop, to be watched (0)\n"
    "  --quiet             no progress, only the scores\n"
    "  --json              the scores as one JSON object\n"
    "  --help              this text\n"
    "\n"
    "Examples: pov sweep my_table.yaml --out tonight --vlm http://localhost:8000/v1 --model llava\n"
    "          pov sweep my_table.yaml --out tonight --resume\n"
    "          pov sweep my_table.yaml --out hand --by-hand --pairs ball:car --languages en,ha,ta\n"
    "Exit codes: 0 all asked and answered, or nobody to ask; 1 stopped early, the message says why;\n"
    "2 wrong usage.\n";

typedef struct {
    pov_sweep_options sweep;
    const char *out, *images, *camera, *vlm, *model, *pairs;
    bool json, quiet, help, has_dashboard;
    pov_dashboard_place dashboard;
} arguments;

static int take_list(pov_status status)
{
    return status.code == POV_OK ? POV_EXIT_OK : pov_cli_usage("sweep", "%s", status.message);
}

static int take_option(arguments *args, int option, const char *given)
{
    double number = 0;
    int code = POV_EXIT_OK;
    pov_sweep_asking *asking = &args->sweep.asking;
    switch (option) {
    case 'o':
        args->out = optarg;
        return code;
    case 'r':
        args->sweep.resume = true;
        return code;
    case 'a':
        return pov_cli_whole(&args->sweep.angle_len, "sweep", "angles", optarg, 1, POV_SWEEP_STOP_MAX);
    case 'b':
        args->sweep.by_hand = true;
        return code;
    case 't':
        code = pov_cli_number(&number, "sweep", "tolerance", optarg, 0.01, 90);
        args->sweep.tolerance_rad = number * POV_PI / 180;
        return code;
    case 'i':
        args->images = optarg;
        return code;
    case 'c':
        args->camera = optarg;
        return code;
    case 'v':
        args->vlm = optarg;
        return code;
    case 'm':
        args->model = optarg;
        return code;
    case 'w':
        args->sweep.workers = optarg;
        return code;
    case 'p':
        args->pairs = optarg;
        return take_list(pov_sweep_take_pairs(asking, optarg));
    case 'q':
        return take_list(pov_sweep_take_benchmarks(asking, optarg));
    case 'l':
        return take_list(pov_sweep_take_languages(asking, optarg));
    case 'g':
        return take_list(pov_sweep_take_guidance(asking, optarg));
    case 'n':
        snprintf(asking->variant, sizeof asking->variant, "%s", optarg);
        return code;
    case 's':
        code = pov_cli_number(&number, "sweep", "seed", optarg, 0, 9e15);
        asking->seed = (uint64_t)number;
        return code;
    case 'd':
        args->has_dashboard = true;
        return pov_dashboard_place_parse(&args->dashboard, optarg)
                   ? code
                   : pov_cli_usage("sweep", "--dashboard %s: expected a port, or ADDRESS:PORT", optarg);
    case 'P':
        return pov_cli_number(&args->sweep.pace_s, "sweep", "pace", optarg, 0, 3600);
    case 'Q':
        args->quiet = true;
        return code;
    case 'j':
        args->json = true;
        return code;
    case 'h':
        args->help = true;
        return code;
    default:
        return pov_cli_usage("sweep", "unknown option or missing value: \"%s\"", given);
    }
}

static int parse(arguments *args, int argc, char **argv)
{
    static const struct option options[] = {{"out", required_argument, NULL, 'o'},
                                            {"resume", no_argument, NULL, 'r'},
                                            {"angles", required_argument, NULL, 'a'},
                                            {"by-hand", no_argument, NULL, 'b'},
                                            {"tolerance", required_argument, NULL, 't'},
                                            {"images", required_argument, NULL, 'i'},
                                            {"camera", required_argument, NULL, 'c'},
                                            {"vlm", required_argument, NULL, 'v'},
                                            {"model", required_argument, NULL, 'm'},
                                            {"pairs", required_argument, NULL, 'p'},
                                            {"questions", required_argument, NULL, 'q'},
                                            {"languages", required_argument, NULL, 'l'},
                                            {"guided", required_argument, NULL, 'g'},
                                            {"variant", required_argument, NULL, 'n'},
                                            {"seed", required_argument, NULL, 's'},
                                            {"dashboard", required_argument, NULL, 'd'},
                                            {"pace", required_argument, NULL, 'P'},
                                            {"quiet", no_argument, NULL, 'Q'},
                                            {"json", no_argument, NULL, 'j'},
                                            {"workers", required_argument, NULL, 'w'},
                                            {"help", no_argument, NULL, 'h'},
                                            {NULL, 0, NULL, 0}};
    opterr = 0;
    for (int option; (option = getopt_long(argc, argv, "h", options, NULL)) != -1;) {
        const int code = take_option(args, option, argv[optind - 1]);
        if (code != POV_EXIT_OK || args->help)
            return code;
    }
    if (argc - optind != 1)
        return pov_cli_usage("sweep", "one station file, please");
    if (!args->out)
        return pov_cli_usage("sweep", "--out is missing: a folder for the log and the images");
    if (args->images && args->camera)
        return pov_cli_usage("sweep", "--images and --camera exclude each other");
    if (args->model && !args->vlm && !args->sweep.workers)
        return pov_cli_usage("sweep", "--model goes with --vlm or --workers");
    args->sweep.station_path = argv[optind];
    return POV_EXIT_OK;
}

static void override_station(pov_station *station, const arguments *args)
{
    pov_station_source *source = &station->source;
    pov_station_source_replace(source, args->images, args->camera);
    source->rate_hz = 0;
    source->loop = false;
}

/* `vlm` has no endpoints if nobody is to be asked. */
static pov_status read_station(arguments *args, pov_station *station, pov_vlm_config *vlm)
{
    pov_vlm_warnings warnings;
    POV_TRY(pov_station_read(station, args->sweep.station_path));
    override_station(station, args);
    if (!args->pairs)
        POV_TRY(pov_sweep_pairs_of(&args->sweep.asking, station));
    *vlm = station->vlm;
    if (args->vlm)
        return pov_sweep_vlm_open(vlm, args->vlm, args->model);
    if (args->sweep.workers && (args->model || vlm->client.endpoint_len == 0))
        return args->model
                   ? pov_sweep_vlm_of_workers(vlm, args->model)
                   : pov_error("--workers needs --model: the name under which the log keeps their answers");
    if (vlm->client.endpoint_len == 0 || args->sweep.workers)
        return pov_ok();
    POV_TRY(pov_vlm_config_load_keys(vlm, &warnings));
    for (int i = 0; i < warnings.len; i++)
        pov_cli_warn("%s", warnings.texts[i]);
    return pov_ok();
}

static pov_status print_scores(const pov_sweep_folder *folder, bool json)
{
    pov_answer_log *log;
    pov_sheet *sheet = NULL;
    POV_TRY(pov_answer_log_new(&log, folder->log_path, POV_LOG_MUST_EXIST));
    pov_status status = pov_sheet_new(&sheet);
    if (status.code == POV_OK)
        status = pov_sweep_scores_print(log, sheet);
    if (status.code == POV_OK)
        pov_sheet_write(sheet, stdout, json);
    pov_sheet_destroy(&sheet);
    pov_answer_log_destroy(&log);
    return status;
}

/* Why not all is done; POV_OK if it is. */
static pov_status shortfall(const arguments *args, const pov_sweep_summary *summary)
{
    const bool has_all = summary->taken >= summary->wanted;
    const bool has_answers = !args->sweep.vlm || summary->pending == 0;
    if (summary->asking.code == POV_END)
        return summary->asking;
    if (pov_cli_stop_requested() && !(has_all && has_answers))
        return pov_error("stopped after %d images, with %lld questions unanswered; the same command with "
                         "--resume goes on",
                         summary->taken, (long long)(args->sweep.vlm ? summary->pending : 0));
    if (args->sweep.by_hand && !has_all)
        return pov_error("the images ended after %d of %d stops; the same command with --resume goes on",
                         summary->taken, summary->wanted);
    return pov_ok();
}

static int finish(const arguments *args, const pov_sweep_summary *summary, const pov_sweep_folder *folder)
{
    pov_status status = print_scores(folder, args->json);
    if (status.code == POV_OK)
        status = shortfall(args, summary);
    if (status.code != POV_OK)
        return pov_cli_fail(status);
    if (summary->failed > 0)
        pov_cli_warn(
            "%lld questions had no answer, for causes that the log tells; 'pov compare %s --again --vlm ...' "
            "asks them again",
            (long long)summary->failed, folder->path);
    if (!args->sweep.vlm && !args->quiet)
        fprintf(stderr, "Nobody was asked. 'pov compare %s --vlm ...' asks the %lld questions.\n",
                folder->path, (long long)summary->pending);
    return POV_EXIT_OK;
}

static pov_status open_dashboard(arguments *args)
{
    if (!args->has_dashboard)
        return pov_ok();
    args->dashboard.sweeps = true;
    POV_TRY(pov_dashboard_new(&args->sweep.dashboard, &args->dashboard));
    fprintf(stderr, "dashboard: %s\n", pov_dashboard_url(args->sweep.dashboard));
    return pov_ok();
}

static int run_sweep(arguments *args, pov_station *station, pov_vlm_config *vlm)
{
    pov_sweep_folder folder;
    pov_sweep_summary summary;
    pov_status status = read_station(args, station, vlm);
    if (status.code == POV_OK)
        status = pov_sweep_folder_open(&folder, args->out, true);
    if (status.code != POV_OK)
        return pov_cli_fail(status);
    args->sweep.station = station;
    args->sweep.vlm = vlm->client.endpoint_len > 0 ? vlm : NULL;
    args->sweep.text = args->quiet ? NULL : stderr;
    status = open_dashboard(args);
    if (status.code == POV_OK)
        status = pov_sweep_run(&summary, &folder, &args->sweep);
    pov_dashboard_destroy(&args->sweep.dashboard);
    const int code = status.code == POV_OK ? finish(args, &summary, &folder) : pov_cli_fail(status);
    pov_sweep_folder_close(&folder);
    return code;
}

int pov_command_sweep(int argc, char **argv)
{
    arguments args = {.sweep = POV_SWEEP_OPTIONS_DEFAULT};
    int code = parse(&args, argc, argv);
    if (code != POV_EXIT_OK)
        return code;
    if (args.help) {
        fputs(help, stdout);
        return POV_EXIT_OK;
    }
    pov_cli_catch_signals();
    pov_station *station = malloc(sizeof *station);
    pov_vlm_config *vlm = malloc(sizeof *vlm);
    POV_REQUIRE(station && vlm);
    code = run_sweep(&args, station, vlm);
    free(vlm);
    free(station);
    return code;
}
