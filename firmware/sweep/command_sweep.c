#include "compare/log/answer_log.h"
#include "firmware/commands.h"
#include "firmware/comparison/answer_causes.h"
#include "firmware/judge/command_questions_print.h"
#include "firmware/run/station_runner.h"
#include "firmware/sweep/sweep.h"
#include "firmware/sweep/sweep_scores.h"
#include "firmware/vlm/vlm_open.h"

#include <stdlib.h>

typedef struct {
    pov_sweep_options sweep;
    const char *out, *images, *camera, *vlm, *model, *record;
    bool wait, json, quiet;
    pov_dashboard_place dashboard;
    pov_words words;
} arguments;

static int run(int argc, char **argv);

static const pov_option option_table[] = {
    POV_PATH(arguments, out, "out", "RUN_DIR", "a new folder for the log, the images and their truth",
             .required = true),
    POV_FLAG(arguments, sweep.resume, "resume", "go on with the sweep in RUN_DIR"),
    POV_WHOLE(arguments, sweep.angle_len, "angles", "N", 1, POV_SWEEP_STOP_MAX, "stops of a whole turn"),
    POV_SHARD(arguments, sweep.shard,
              "take only these of the stops, or images; 'pov merge' joins the folders (docs/CLUSTER.md)"),
    POV_FLAG(arguments, sweep.by_hand, "by-hand",
             "a person turns; it shoots when all stands still at an angle that is missing",
             .without = "shard"),
    POV_NUMBER(arguments, sweep.tolerance_rad, "tolerance", "DEG", 0.01, 90,
               "by hand, and with --turning: so near an angle is there", .unit = POV_DEG,
               .with = "by-hand turning"),
    POV_NUMBER(arguments, sweep.adaptive_deg, "adaptive", "DEG", 3, 30,
               "choose angles and questions by the answers, until each angle at which the model's answers "
               "flip is known "
               "to DEG (docs/SWEEP.md)"),
    POV_NUMBER(arguments, sweep.turning_deg_s, "turning", "DEG_PER_S", 0.1, 360,
               "the table does not stop: images are taken as it passes the angles at this speed; with "
               "--by-hand, and of --images or a film, about so fast (docs/SWEEP.md)",
               .without = "shard"),
    POV_NUMBER(arguments, sweep.exposure_s, "exposure", "S", 1e-6, 10,
               "with --turning: how long an image is exposed, where the camera does not tell",
               .with = "turning"),
    POV_NUMBER(arguments, sweep.blur_max_px, "blur-max", "PX", 0.1, 1000,
               "with --turning: an image that is blurred more does not count", .with = "turning"),
    POV_PATH(arguments, images, "images", "DIR", "images taken before: each is a stop"),
    POV_TEXT(arguments, camera, "camera", "ID", "another camera than the station's, or 'any'",
             .without = "images"),
    POV_PATH(arguments, vlm, "vlm", "FILE|URL",
             "the model to ask: a file with a section 'vlm' (docs/VLM.md), or a URL up to /v1; without it "
             "the station's own section, or no model: 'pov compare' asks later"),
    POV_TEXT(arguments, model, "model", "NAME", "the model at that URL", .with = "vlm"),
    POV_FLAG(
        arguments, wait, "wait",
        "wait for a server that does not answer yet; else asking ends with the first question's attempts"),
    POV_TAKEN(arguments, sweep.asking, "questions", "LIST", pov_choice_take_benchmarks,
              "of comfort, forest, vsr, vpt, sphere, viewspatial, 3dsrbench, mindcube, vsi, spar, "
              "spatial457, omnispatial, robospatial, embspatial (comfort)",
              .names = pov_choice_benchmark_names, .once = true),
    POV_TAKEN(arguments, sweep.asking, "pairs", "LIST", pov_choice_take_pairs,
              "COMFORT's pairs, as in ball:car,duck:car (the station's, or its first two)", .once = true),
    POV_TAKEN(arguments, sweep.asking, "languages", "LIST", pov_choice_take_languages,
              "COMFORT's languages (en); 'pov questions --languages' lists them",
              .offer = pov_languages_offer, .once = true),
    POV_TAKEN(arguments, sweep.asking, "guided", "LIST", pov_choice_take_guidance,
              "of not, facts, step, view, map: the guidance before a question (not)",
              .names = pov_choice_guidance_names, .once = true),
    POV_TAKEN(arguments, sweep.asking, "prompting", "LIST", pov_choice_take_prompting,
              "of zero-shot, 4-shot, cot, sg-cot: how an answer is asked for (zero-shot)",
              .names = pov_choice_prompting_names, .once = true),
    POV_TAKEN(arguments, sweep.asking, "system", "LIST", pov_choice_take_system,
              "of vlm, none, comfort: the system prompt, vlm being the one of the section 'vlm' (vlm)",
              .names = pov_choice_system_names, .once = true),
    POV_TAKEN(arguments, sweep.asking, "order", "LIST", pov_choice_take_order,
              "of normal, reverse: FoREST's questions with the relatum named first (normal)",
              .names = pov_choice_order_names, .once = true),
    POV_FLAG(arguments, sweep.asking.flip, "flip",
             "ask each question about the mirrored image, too: FlipEval (docs/ROBUST.md)"),
    POV_FLAG(arguments, sweep.asking.circular, "circular",
             "ask each question with options in all rotations of them, too: CircularEval"),
    POV_BUFFER(arguments, sweep.asking.variant, "variant", "NAME", "a name for how things look this time"),
    POV_COUNT(arguments, sweep.asking.seed, "seed", "N", 0, 1LL << 53, "of options' order and absent things"),
    POV_TAKEN(arguments, dashboard.at, "dashboard", "[HOST:]PORT", pov_http_place_take,
              "shows it in a browser too, as 'pov run --dashboard' does"),
    POV_NUMBER(arguments, sweep.pace_s, "pace", "S", 0, 3600,
               "a simulated world takes S seconds from stop to stop, to be watched", .without = "turning"),
    POV_PATH(arguments, record, "record", "FILE.mcap",
             "record images, judgments, questions and answers there, or to a new file in this folder "
             "(docs/RECORDING.md)"),
    POV_FLAG(arguments, sweep.no_publish, "no-publish",
             "publish nothing, whatever endpoints the station names"),
    POV_FLAG(arguments, quiet, "quiet", "no progress, only the scores"),
    POV_FLAG(arguments, json, "json", "the scores as one JSON object"),
    POV_OPTIONS_END,
};

const pov_command pov_command_sweep = {
    .name = "sweep",
    .summary = "one rotation: turn, shoot, judge, ask a model, score",
    .run = run,
    .usage = "STATION.yaml --out RUN_DIR [OPTIONS]",
    .about =
        "One rotation: turn, wait until all stands still, shoot, judge, ask a VLM, score. Everything is in a "
        "log in RUN_DIR before it counts; Ctrl-C, a crash or a power cut lose nothing: --resume goes on.",
    .options = option_table,
    .words = {.min = 1, .max = 1, .wanted = "expected one station file"},
    .examples = "pov sweep my_table.yaml --out tonight --vlm http://localhost:8000/v1 --model m\n"
                "pov sweep my_table.yaml --out tonight --resume\n"
                "pov sweep my_table.yaml --out hand --by-hand --pairs ball:car",
    .exits = "0 all asked and answered, or no model to ask; 1 stopped early, the message says why",
};

static int read_options(arguments *args, int argc, char **argv)
{
    POV_OR_EXIT(pov_vlm_refuse_workers("sweep", argc, argv));
    POV_OR_EXIT(pov_command_read(args, &args->words, &pov_command_sweep, argc, argv));
    if (args->sweep.adaptive_deg > 0 &&
        (args->sweep.turning_deg_s > 0 || args->sweep.by_hand || args->images || args->sweep.shard.len > 0))
        return pov_cli_usage("sweep",
                             "--adaptive goes without --turning, --by-hand, --images and --shard: it "
                             "turns the table to the angles that it wants");
    if (args->sweep.adaptive_deg > 0 && args->sweep.angle_len != POV_CURVE_SAMPLES)
        return pov_cli_usage("sweep", "--adaptive chooses its angles itself, and goes without --angles");
    for (int i = 0; i < POV_BENCHMARK_COUNT && args->sweep.adaptive_deg > 0; i++)
        if (args->sweep.asking.benchmark[i] != (i == POV_BENCHMARK_COMFORT))
            return pov_cli_usage("sweep",
                                 "--adaptive asks COMFORT's questions, which have a place on a curve, and "
                                 "no others: leave --questions out");
    const pov_status asked = pov_choice_check(&args->sweep.asking);
    if (asked.code != POV_OK)
        return pov_cli_usage("sweep", "%s", asked.message);
    args->sweep.station_path = args->words.word[0];
    return POV_GO_ON;
}

static void override_station(pov_station *station, const arguments *args)
{
    pov_station_source *source = &station->source;
    pov_station_source_replace(source, args->images, args->camera);
    source->rate_hz = 0;
    source->loop = false;
    pov_station_keep_messages(&station->publish);
    if (args->record)
        snprintf(station->record.path, sizeof station->record.path, "%s", args->record);
}

/* Without a model to ask, `vlm` has no endpoints. */
static pov_status read_station(arguments *args, pov_station *station, pov_vlm_config *vlm)
{
    POV_TRY(pov_station_read(station, args->sweep.station_path));
    override_station(station, args);
    POV_TRY(pov_choice_settle_pairs(&args->sweep.asking, &station->cast, station->judge.pairs,
                                    station->judge.pair_len));
    if (args->vlm)
        return pov_vlm_open(vlm, args->vlm, args->model);
    POV_TRY(pov_vlm_open_of_station(vlm, args->sweep.station_path));
    return vlm->client.endpoint_len > 0 ? pov_vlm_fetch_keys(vlm) : pov_ok();
}

static pov_status print_scores(const pov_log_folder *folder, int64_t model, bool json)
{
    pov_answer_log *log;
    POV_TRY(pov_answer_log_new(&log, folder->log_path, POV_LOG_MUST_EXIST));
    pov_status status = pov_sweep_scores_print(log, stdout, json);
    POV_THEN(status, pov_answer_causes_warn(log, model));
    pov_answer_log_destroy(&log);
    return status;
}

/* Why not all is done; POV_OK if it is. */
static pov_status find_shortfall(const arguments *args, const pov_sweep_summary *summary)
{
    const bool has_all = summary->taken >= summary->wanted;
    const bool has_answers = !args->sweep.vlm || summary->pending == 0;
    if (summary->asking.code == POV_END)
        return summary->asking;
    if (pov_cli_stop_requested() && !(has_all && has_answers))
        return pov_error("stopped after %d images, with %lld questions unanswered; the same command with "
                         "--resume goes on",
                         summary->taken, (long long)(args->sweep.vlm ? summary->pending : 0));
    if (!has_all && summary->blurred > 0)
        return pov_error(
            "%d of %d stops have an image, %d were too blurred (see above); the same command with "
            "--resume and a lower --turning goes on",
            summary->taken, summary->wanted, summary->blurred);
    if ((args->sweep.by_hand || args->sweep.turning_deg_s > 0) && !has_all)
        return pov_error("the images ended after %d of %d stops; the same command with --resume goes on",
                         summary->taken, summary->wanted);
    return pov_ok();
}

static int finish_sweep(const arguments *args, const pov_sweep_summary *summary, const pov_log_folder *folder)
{
    pov_status status = print_scores(folder, summary->model, args->json);
    POV_THEN(status, find_shortfall(args, summary));
    if (status.code != POV_OK)
        return pov_cli_fail(status);
    if (summary->failed > 0)
        pov_cli_warn("%lld questions had no answer; 'pov compare %s --again --vlm ...' asks them again",
                     (long long)summary->failed, folder->path);
    if (!args->sweep.vlm && !args->quiet)
        fprintf(stderr, "No model was asked. 'pov compare %s --vlm ...' asks the %lld questions.\n",
                folder->path, (long long)summary->pending);
    return POV_EXIT_OK;
}

static pov_status open_dashboard(arguments *args)
{
    if (!args->dashboard.at.address[0])
        return pov_ok();
    args->dashboard.sweeps = true;
    POV_TRY(pov_dashboard_new(&args->sweep.dashboard, &args->dashboard));
    pov_dashboard_print_place(args->sweep.dashboard, "dashboard", "");
    return pov_ok();
}

/* Options that would do nothing at this station. */
static int check_mode(const arguments *args, const pov_station *station, const pov_vlm_config *vlm)
{
    const bool takes_all =
        station->source.kind == POV_SOURCE_FOLDER && !args->sweep.by_hand && args->sweep.turning_deg_s <= 0;
    const bool is_drawn = station->source.kind == POV_SOURCE_SIMULATOR && !*station->turntable.device;
    if (takes_all && pov_words_given(&args->words, "angles"))
        return pov_cli_usage("sweep", "--angles would do nothing: each image of a folder or recording is a "
                                      "stop; it goes with --by-hand or --turning there");
    if (!is_drawn && pov_words_given(&args->words, "pace"))
        return pov_cli_usage("sweep", "--pace is for a simulated world; this station's images are not drawn");
    if (vlm->client.endpoint_len == 0 && args->sweep.adaptive_deg > 0)
        return pov_cli_usage(
            "sweep", "--adaptive chooses by a model's answers, and no model is asked; name one by --vlm");
    if (vlm->client.endpoint_len == 0 && args->wait)
        return pov_cli_usage("sweep", "--wait would do nothing: no model is asked; name one by --vlm");
    return POV_GO_ON;
}

static int run_sweep(arguments *args, pov_station *station, pov_vlm_config *vlm)
{
    pov_log_folder folder;
    pov_sweep_summary summary;
    pov_status status = read_station(args, station, vlm);
    if (status.code == POV_OK)
        POV_OR_EXIT(check_mode(args, station, vlm));
    if (status.code == POV_OK && vlm->client.endpoint_len > 0)
        status = pov_choice_check_system(&args->sweep.asking, vlm->system);
    POV_THEN(status, pov_log_folder_open(&folder, args->out, "pov sweep", true));
    if (status.code != POV_OK)
        return pov_cli_fail(status);
    vlm->client.waits = args->wait;
    args->sweep.station = station;
    args->sweep.vlm = vlm->client.endpoint_len > 0 ? vlm : NULL;
    args->sweep.text = args->quiet ? NULL : stderr;
    status = open_dashboard(args);
    POV_THEN(status, pov_station_record(&args->sweep.recorder, station, args->sweep.station_path, false));
    POV_THEN(status, pov_sweep_run(&summary, &folder, &args->sweep));
    pov_dashboard_destroy(&args->sweep.dashboard);
    const int code = status.code == POV_OK ? finish_sweep(args, &summary, &folder) : pov_cli_fail(status);
    pov_log_folder_close(&folder);
    return pov_station_record_end(&args->sweep.recorder, code, !args->quiet);
}

static int run(int argc, char **argv)
{
    arguments args = {.sweep = POV_SWEEP_OPTIONS_DEFAULT};
    POV_OR_EXIT(read_options(&args, argc, argv));
    pov_cli_catch_signals();
    pov_station *station = malloc(sizeof *station);
    pov_vlm_config *vlm = malloc(sizeof *vlm);
    POV_REQUIRE_MEMORY(station && vlm);
    const int code = run_sweep(&args, station, vlm);
    free(vlm);
    free(station);
    return code;
}
