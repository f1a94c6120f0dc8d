#include "config/files/text.h"
#include "config/files/write_file.h"
#include "firmware/commands.h"
#include "firmware/judge/command_questions_print.h"
#include "firmware/run/station_runner.h"
#include "firmware/station/station_doubts.h"
#include "firmware/vlm/vlm_open.h"
#include "protocol/recording/recording.h"

#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Overrides of the station file by the command line. */
typedef struct {
    const char *station, *images, *camera, *publish, *annotate, *record;
    pov_recorder *recorder; /* NULL: nothing is recorded */
    double rate_hz;
    const char *vlm, *model, *log, *ask_camera;
    double ask_every_s, ask_turned_deg;
    int ask_images;
    pov_question_choice choice;
    pov_live_asking *asking; /* NULL: none */
    pov_station
        *asked; /* a copy, as another than its first camera sees it; NULL: the first one is asked about */
    pov_words words;
    bool loop, live, json, no_publish, insecure, check, quiet, verbose, setup, ros2;
    int count, wait;
    pov_dashboard_place dashboard;
    pov_http_place foxglove;
    pov_foxglove_server *foxglove_server; /* NULL: none */
    pov_ros2_station *ros2_station;       /* NULL: none */
    pov_ros2_hearer *hearer;              /* NULL: nothing is told by others */
} arguments;

static int run(int argc, char **argv);

static const pov_option option_table[] = {
    POV_PATH(arguments, images, "images", "DIR",
             "take images from this folder, file, recording or film instead of the station's source"),
    POV_TEXT(arguments, camera, "camera", "ID",
             "take images from this camera: an id of 'pov cameras', 'any' for its first, a device "
             "(/dev/video0), rtsp://..., or a pipeline of GStreamer ('... ! ...')",
             .without = "images"),
    POV_NUMBER(arguments, rate_hz, "rate", "HZ", 0.001, 1000,
               "play a folder, or the simulator, at this rate instead of as fast as possible"),
    POV_FLAG(arguments, loop, "loop", "start the folder or the simulated world over when it ends"),
    POV_FLAG(arguments, live, "live",
             "lose images that come faster than they are judged, as from a camera: the newest is judged"),
    POV_WHOLE(arguments, count, "count", "N", 1, 1000000000, "stop after N images"),
    POV_FLAG(arguments, json, "json", "print one JSON object per image to stdout instead of text"),
    POV_PATH(arguments, annotate, "annotate", "DIR", "write each image with the findings drawn in, as PNG"),
    POV_PATH(arguments, record, "record", "FILE.mcap",
             "record images, messages and the station's files there, or to a new file in this folder "
             "(docs/RECORDING.md)"),
    POV_TAKEN(
        arguments, dashboard.at, "dashboard", "[HOST:]PORT", pov_http_place_take,
        "show it all in a browser, at this port of this machine (0: any free one); at another address, such "
        "as 0.0.0.0:8080, by HTTPS for anyone with the printed URL (http://0.0.0.0:8080: without TLS)"),
    POV_TAKEN(arguments, foxglove, "foxglove", "[HOST:]PORT", pov_http_place_take,
              "let Foxglove connect here (8765 by custom), as --dashboard lets browsers (docs/FOXGLOVE.md)"),
    POV_FLAG(arguments, ros2, "ros2",
             "join the domain of ROS 2 as a node: images, frames, detections, markers, judgments as topics "
             "(docs/ROS2.md)"),
    POV_TEXT(arguments, publish, "publish", "ENDPOINT",
             "publish here instead of where the station says, e.g. tcp://*:5570"),
    POV_FLAG(arguments, insecure, "insecure",
             "let every machine that can reach this one connect (docs/SECURITY.md)"),
    POV_FLAG(arguments, no_publish, "no-publish", "do not publish", .without = "publish"),
    POV_WHOLE(arguments, wait, "wait", "N", 0, 1000, "wait for N subscribers before the first image"),
    POV_OPTIONS_HEADING("Models asked meanwhile (docs/LIVE.md):"),
    POV_TEXT(arguments, vlm, "vlm", "FILE|URL,...",
             "ask these models about the images while they are judged: files with a section 'vlm' "
             "(docs/VLM.md), or a URL up to /v1"),
    POV_TEXT(arguments, model, "model", "NAME,...", "the model at that URL, or several, side by side",
             .with = "vlm"),
    POV_NUMBER(arguments, ask_every_s, "ask-every", "S", 0, 1e6,
               "about an image every S seconds (2), also when a judgment changes; 0: not by time"),
    POV_NUMBER(arguments, ask_turned_deg, "ask-turned", "DEG", 0, 360,
               "also whenever the scene has turned so far about the camera"),
    POV_TEXT(arguments, ask_camera, "ask-camera", "ID",
             "of several cameras: about the images of this one (the first)"),
    POV_WHOLE(arguments, ask_images, "ask-images", "N", 1, 1000000000, "about N images at most"),
    POV_TAKEN(arguments, choice, "questions", "LIST", pov_choice_take_benchmarks,
              "the questions: of comfort, forest, vsr, vpt, sphere, viewspatial, 3dsrbench, mindcube, vsi, "
              "spar, spatial457, omnispatial, robospatial, embspatial (comfort)",
              .names = pov_choice_benchmark_names, .once = true),
    POV_TAKEN(arguments, choice, "pairs", "LIST", pov_choice_take_pairs,
              "COMFORT's pairs, as in ball:car,duck:car (the station's)", .once = true),
    POV_TAKEN(arguments, choice, "languages", "LIST", pov_choice_take_languages, "COMFORT's languages (en)",
              .offer = pov_languages_offer, .once = true),
    POV_PATH(arguments, log, "log", "DIR",
             "keep images, questions and answers there, for 'pov report' and 'pov compare'"),
    POV_OPTIONS_HEADING("Else:"),
    POV_FLAG(
        arguments, setup, "setup",
        "first set the station up in a browser, as 'pov init' does (at the place of --dashboard, or 8080)"),
    POV_FLAG(arguments, check, "check",
             "only read the station file and the files it names; say whether it is good"),
    POV_FLAG(arguments, quiet, "quiet", "print nothing but JSON and warnings"),
    POV_FLAG(arguments, verbose, "verbose",
             "print every judgment at a terminal, too; otherwise a line tells the changes there"),
    POV_OPTIONS_END,
};

const pov_command pov_command_run = {
    .name = "run",
    .summary = "run a station: images in, judgments out",
    .run = run,
    .usage = "STATION.yaml [OPTIONS]",
    .about =
        "Runs a station: takes images, finds the things in them, judges every relation in every frame of "
        "reference, and publishes it over ZeroMQ, until the images end or Ctrl-C.",
    .options = option_table,
    .words = {.min = 1, .max = 1, .wanted = "expected one station file"},
    .examples = "pov run share/stations/comfort_ball.yaml --images renders/ --json > judged.jsonl\n"
                "pov run my_table.yaml --annotate annotated/\n"
                "pov run my_table.yaml --setup\n"
                "pov run my_table.yaml --camera any --dashboard 8080\n"
                "pov run my_table.yaml --camera any --vlm http://localhost:8000/v1 --model m --log tonight\n"
                "pov run my_table.yaml --camera any --foxglove 8765\n"
                "pov run my_table.yaml --camera any --ros2\n"
                "pov run my_table.yaml --camera any --record monday.mcap\n"
                "pov run my_table.yaml --images monday.mcap --json > judged_anew.jsonl\n"
                "pov run my_table.yaml --camera any --publish tcp://*:5570",
    .exits = "0 done (also when stopped); 1 a file, device or output failed, no image could be used, or "
             "something of a recording is damaged and was left out",
};

static int read_options(arguments *args, int argc, char **argv)
{
    POV_OR_EXIT(pov_command_read(args, &args->words, &pov_command_run, argc, argv));
    if (args->images && (args->rate_hz > 0 || args->loop) &&
        (pov_recording_is_one(args->images) || pov_film_is_one(args->images)))
        return pov_cli_usage("run",
                             "the images of %s have their own times: leave out --rate and --loop ('pov "
                             "replay' has both for a recording)",
                             args->images);
    args->station = args->words.word[0];
    return POV_GO_ON;
}

static void override_source(pov_station_source *source, const arguments *args)
{
    pov_station_source_replace(source, args->images, args->camera);
    if (args->rate_hz > 0)
        source->rate_hz = source->simulator.rate_hz = args->rate_hz;
    source->loop |= args->loop;
    source->live |= args->live;
    source->simulator.loop |= args->loop;
}

static void override_station(pov_station *station, const arguments *args)
{
    override_source(&station->source, args);
    for (int i = 0; i < station->camera_len; i++)
        override_source(&station->cameras[i].source, args);
    if (args->record)
        snprintf(station->record.path, sizeof station->record.path, "%s", args->record);
    if (args->foxglove.address[0])
        station->foxglove = args->foxglove;
    station->ros2.is_wanted |= args->ros2;
    if (args->publish)
        snprintf(station->publish.endpoint, sizeof station->publish.endpoint, "%s", args->publish);
    station->publish.insecure |= args->insecure;
}

/* Larger blocks are given back to the system at once: else glibc keeps those of the first image's search, 6 MB. Chosen. */
enum { MAPPED_BYTES = 1 << 20 };

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
        fprintf(stderr, "%s%s %.0f %%", i ? ", " : "", pov_station_stage_name(i),
                100 * (double)summary->stage_ns[i] / total_ns);
    fputc('\n', stderr);
}

static void print_summary(const pov_station_summary *summary)
{
    fprintf(stderr, "%llu images judged in %.1f s (%.1f/s; each %.1f ms, p99 %.1f ms)",
            (unsigned long long)summary->processed, summary->seconds,
            summary->seconds > 0 ? (double)summary->processed / summary->seconds : 0,
            1e3 * summary->took_p50_s, 1e3 * summary->took_p99_s);
    if (summary->skipped)
        fprintf(stderr, ", %llu skipped", (unsigned long long)summary->skipped);
    if (summary->lost)
        fprintf(stderr, ", %llu lost because newer ones came", (unsigned long long)summary->lost);
    fprintf(stderr, "; %llu messages sent", (unsigned long long)summary->sent);
    if (summary->dropped)
        fprintf(stderr, ", %llu dropped for slow subscribers", (unsigned long long)summary->dropped);
    fputc('\n', stderr);
    if (summary->is_timely && summary->processed > (uint64_t)summary->first_len)
        fprintf(stderr, "from the exposure to the judgments sent: median %.1f ms, p99 %.1f ms\n",
                1e3 * summary->age_p50_s, 1e3 * summary->age_p99_s);
    if (summary->first_len > 0)
        fprintf(stderr, "the first %d images are not in these times: at most %.1f ms each\n",
                summary->first_len, 1e3 * summary->first_max_s);
    if (summary->first_lost > 0)
        fprintf(stderr, "images lost while they were judged: %llu\n",
                (unsigned long long)summary->first_lost);
    print_stages(summary);
}

/* The members of the cast that the images did not show, and the map's tags if none was. */
static void print_unfound(const pov_station_summary *summary, const pov_station *station, const char *path)
{
    const int mapped = station->finders.tags.map.len;
    int len = 0;
    for (int i = 0; i < station->cast.len; i++) {
        const pov_cast_member *member = &station->cast.members[i];
        if (member->found_by && summary->found[i] == 0)
            fprintf(stderr, "%s%s", len++ ? ", " : "found in no image: ", member->entity.name);
    }
    if (mapped > 0 && summary->located == 0)
        fprintf(stderr, "%s%d mapped tags", len++ ? ", " : "found in no image: ", mapped);
    if (len > 0)
        fprintf(stderr, "; 'pov doctor %s' looks for the reason\n", path);
}

static pov_status open_dashboard(pov_dashboard **dashboard, const pov_station *station, const arguments *args)
{
    *dashboard = NULL;
    if (!args->dashboard.at.address[0])
        return pov_ok();
    pov_dashboard_place place = args->dashboard;
    place.sweeps = args->asking != NULL;
    POV_TRY(pov_dashboard_new(dashboard, &place));
    pov_dashboard_print_place(*dashboard, "dashboard", "");
    if (station->camera_len > 1)
        fprintf(stderr, "the dashboard shows the images of camera %s, and the scene of all %d cameras\n",
                station->cameras[0].id, station->camera_len);
    return pov_ok();
}

static int judge_images(pov_station *station, pov_image_source **sources, pov_dashboard *dashboard,
                        pov_line_output *lines, const arguments *args)
{
    const pov_station_run_config config = {
        .outputs = {.station = station,
                    .publish = !args->no_publish,
                    .answer = !args->no_publish,
                    .must_publish = station->publish.is_named || args->publish != NULL || args->wait > 0,
                    .tells = !args->quiet,
                    .lines = lines,
                    .json = args->json,
                    .brief = isatty(STDOUT_FILENO) && !args->verbose,
                    .annotate_folder = args->annotate,
                    .dashboard = dashboard,
                    .words = args->asking ? pov_live_asking_words(args->asking) : NULL,
                    .recorder = args->recorder,
                    .foxglove = args->foxglove_server,
                    .ros2 = args->ros2_station},
        .live = args->asking,
        .hearer = args->hearer,
        .reads_ahead = true,
        .wait_subscribers = args->wait,
        .image_max = args->count,
        .progress = !args->quiet && !isatty(STDOUT_FILENO)};
    pov_station_summary summary = {0};
    pov_status status = pov_station_run(&summary, station, sources, &config);
    const pov_status written = lines ? pov_line_output_finish(lines) : pov_ok();
    const uint64_t unread = lines ? pov_line_output_lost(lines) : 0;
    if (unread > 0)
        pov_cli_warn("the judgments of %llu images were not printed: standard output was not read in time",
                     (unsigned long long)unread);
    if (status.code == POV_OK && written.code == POV_ERROR)
        status = written;
    if (!args->quiet)
        print_summary(&summary);
    if (args->asking)
        pov_live_asking_print_summary(args->asking, args->quiet);
    if (!args->quiet && summary.processed > 0)
        print_unfound(&summary, station, args->station);
    if (status.code != POV_OK)
        return pov_cli_fail(status);
    if (summary.processed == 0 && !pov_cli_stop_requested())
        return pov_cli_fail(pov_error("no image could be used; see the warnings above"));
    if (summary.skipped > 0 && station->source.kind == POV_SOURCE_FOLDER)
        return pov_cli_fail(pov_error("%s: %llu of its images are damaged or of another size, and were left "
                                      "out; see the warnings above",
                                      station->source.folder, (unsigned long long)summary.skipped));
    if (summary.unannotated > 0)
        return pov_cli_fail(pov_error(
            "%s: %llu of %llu annotated images could not be written; see the warning above", args->annotate,
            (unsigned long long)summary.unannotated, (unsigned long long)summary.processed));
    return args->asking ? pov_cli_exit(pov_live_asking_outcome(args->asking)) : POV_EXIT_OK;
}

/* If a folder is judged once, as fast as possible, all judgments are printed, however slowly they are read. */
static bool is_wanted_whole(const pov_station_source *source)
{
    return !pov_station_source_is_live(source) && !source->loop && source->rate_hz <= 0;
}

static int run_sources(pov_station *station, pov_image_source **sources, pov_dashboard *dashboard,
                       const arguments *args)
{
    pov_line_output *lines = NULL;
    pov_status status = pov_ok();
    if (args->json || !args->quiet)
        status = pov_line_output_new(&lines, STDOUT_FILENO, !is_wanted_whole(&station->source));
    for (int i = 0; i < station->camera_len && status.code != POV_OK; i++)
        pov_image_source_destroy(&sources[i]);
    const int code =
        status.code == POV_OK ? judge_images(station, sources, dashboard, lines, args) : pov_cli_fail(status);
    pov_line_output_destroy(&lines);
    return code;
}

static int run_station(pov_station *station, const arguments *args)
{
    pov_image_source *sources[POV_CAMERA_MAX];
    pov_shared_start start = {0};
    pov_dashboard *dashboard;
    pov_status status = open_dashboard(&dashboard, station, args);
    POV_THEN(status, pov_station_open_sources(sources, station, &start));
    const int code =
        status.code == POV_OK ? run_sources(station, sources, dashboard, args) : pov_cli_fail(status);
    pov_dashboard_destroy(&dashboard);
    return code;
}

/* In the recording, too, whose own listener this replaces. */
static void pass_warning(void *context, const char *text)
{
    const arguments *args = context;
    if (args->recorder)
        pov_recorder_log(args->recorder, "warning", text);
    pov_foxglove_server_log(args->foxglove_server, "warning", text);
}

static pov_status open_foxglove(arguments *args, const pov_station *station)
{
    if (!*station->foxglove.address)
        return pov_ok();
    pov_recorded_camera cameras[POV_CAMERA_MAX];
    const int camera_len = pov_station_recorded_cameras(cameras, station);
    POV_TRY(pov_foxglove_server_new(&args->foxglove_server, &station->foxglove, args->station, cameras,
                                    camera_len));
    pov_foxglove_server_print_place(args->foxglove_server);
    pov_cli_hear_warnings(pass_warning, args);
    return pov_ok();
}

static void close_foxglove(arguments *args)
{
    if (!args->foxglove_server)
        return;
    pov_cli_hear_warnings(NULL, NULL);
    const pov_foxglove_statistics all = pov_foxglove_server_statistics(args->foxglove_server);
    pov_foxglove_server_destroy(&args->foxglove_server);
    if (!args->quiet && all.sent + all.lost > 0)
        fprintf(stderr, "%llu messages sent to Foxglove, %llu left out for slow connections\n",
                (unsigned long long)all.sent, (unsigned long long)all.lost);
}

static pov_status open_ros2(arguments *args, const pov_station *station)
{
    if (!station->ros2.is_wanted)
        return pov_ok();
    if (station->place.tf.is_wanted && strcmp(station->place.tf.frame, station->ros2.frames.camera) == 0)
        return pov_error(
            "%.150s: camera.tf.frame '%.60s' is also the name under which this station tells of its camera, "
            "and a frame has one parent: give ros2 another camera_frame, as pov_camera",
            args->station, station->place.tf.frame);
    pov_recorded_camera cameras[POV_CAMERA_MAX];
    const int camera_len = pov_station_recorded_cameras(cameras, station);
    POV_TRY(pov_ros2_station_new(&args->ros2_station, &station->ros2, cameras, camera_len));
    if (!args->quiet)
        pov_ros2_station_print(args->ros2_station);
    return pov_ok();
}

static void close_ros2(arguments *args)
{
    if (!args->ros2_station)
        return;
    const pov_ros2_statistics all = pov_ros2_station_statistics(args->ros2_station);
    pov_ros2_station_destroy(&args->ros2_station);
    if (!args->quiet && all.sent + all.lost > 0)
        fprintf(stderr, "%llu messages sent to ROS 2, %llu left out for slow readers\n",
                (unsigned long long)all.sent, (unsigned long long)all.lost);
    if (all.mismatches > 0)
        pov_cli_warn("ROS 2: %d readers did not match by QoS, first of %s: they want more than is offered, "
                     "such as transient local",
                     all.mismatches, all.mismatched);
}

static pov_status open_hearer(arguments *args, const pov_station *station)
{
    const pov_ros2_hearer_config config = {
        .settings = &station->ros2, .camera = &station->place.tf, .things = &station->finders.heard};
    return pov_ros2_hears(&config) ? pov_ros2_hearer_new(&args->hearer, &config) : pov_ok();
}

/* ---- models that are asked ---- */

static bool is_asking_wanted(const pov_station *station, const arguments *args)
{
    return station->compare.is_named || args->vlm || args->ask_every_s >= 0 || args->ask_turned_deg > 0;
}

/* What the command line says goes before what the station says. */
static void override_comparing(pov_station_comparing *how, const arguments *args)
{
    const pov_question_choice *said = &args->choice;
    if (args->ask_every_s >= 0)
        how->every_s = args->ask_every_s;
    if (args->ask_turned_deg > 0)
        how->turned_rad = args->ask_turned_deg * POV_DEG;
    if (args->ask_camera)
        snprintf(how->camera, sizeof how->camera, "%s", args->ask_camera);
    if (args->ask_images > 0)
        how->image_max = args->ask_images;
    if (args->log)
        snprintf(how->log, sizeof how->log, "%s", args->log);
    for (int i = 0; i < POV_BENCHMARK_COUNT; i++)
        if (said->benchmark[i]) {
            memcpy(how->choice.benchmark, said->benchmark, sizeof said->benchmark);
            break;
        }
    if (said->pair_len > 0) {
        how->choice.pair_len = said->pair_len;
        memcpy(how->choice.pairs, said->pairs, sizeof said->pairs);
    }
    if (said->language_len > 0) {
        how->choice.language_len = said->language_len;
        memcpy(how->choice.languages, said->languages, sizeof said->languages);
    }
}

/* The next part between commas; false: there is none. */
/* Cuts the next part off a list with commas, that of an option. */
static pov_status take_part(char *part, size_t capacity, const char **list, const char *option)
{
    const size_t length = strcspn(*list, ",");
    if (length == 0 || ((*list)[length] == ',' && (*list)[length + 1] == '\0'))
        return pov_error("--%s: a part of the list is empty: write it as a,b", option);
    if (!pov_text_fits_as(part, capacity, "%.*s", (int)length, *list))
        return pov_error("--%s: '%.60s' is longer than %zu bytes", option, *list, capacity - 1);
    *list += length + ((*list)[length] == ',');
    return pov_ok();
}

static pov_status add_model(pov_vlm_config *models, int *len, const char *where, const char *name)
{
    if (*len == POV_COMPARED_MODEL_MAX)
        return pov_error("more than %d models: each server of --vlm is asked for each name of --model; ask "
                         "fewer at a time, or name files with a section vlm of their own",
                         POV_COMPARED_MODEL_MAX);
    POV_TRY(pov_vlm_open(&models[*len], where, name));
    ++*len;
    return pov_ok();
}

/* Each server of --vlm with each name of --model. */
static pov_status open_said_models(pov_vlm_config *models, int *len, const arguments *args)
{
    char where[POV_VLM_PATH_CAPACITY], name[POV_VLM_NAME_CAPACITY];
    for (const char *servers = args->vlm; *servers;) {
        POV_TRY(take_part(where, sizeof where, &servers, "vlm"));
        const char *names = args->model ? args->model : "";
        if (!*names)
            POV_TRY(add_model(models, len, where, NULL));
        while (*names) {
            POV_TRY(take_part(name, sizeof name, &names, "model"));
            POV_TRY(add_model(models, len, where, name));
        }
    }
    return pov_ok();
}

static pov_status open_models(pov_vlm_config *models, int *len, const pov_station *station,
                              const arguments *args)
{
    if (args->vlm)
        return open_said_models(models, len, args);
    for (int i = 0; i < station->compare.model_len; i++)
        POV_TRY(add_model(models, len, station->compare.models[i], NULL));
    if (*len > 0)
        return pov_ok();
    POV_TRY(pov_vlm_open_of_station(&models[0], args->station));
    if (models[0].client.endpoint_len == 0)
        return pov_error("no model is named: give --vlm, or compare.models or a section 'vlm' in %s",
                         args->station);
    *len = 1;
    return pov_vlm_fetch_keys(&models[0]);
}

/* Options of asking that would do nothing. */
static int check_asking(arguments *args, pov_station *station)
{
    const char *given = pov_words_given(&args->words, "ask-camera ask-images questions pairs languages log");
    if (!is_asking_wanted(station, args))
        return given ? pov_cli_usage("run",
                                     "--%s would do nothing: no model is asked; name one by --vlm, or give "
                                     "the station a section 'compare' (docs/LIVE.md)",
                                     given)
                     : POV_GO_ON;
    override_comparing(&station->compare, args);
    if (*station->compare.camera && pov_station_find_camera(station, station->compare.camera) < 0)
        return pov_cli_usage("run", "--ask-camera: '%s' is not one of the cameras of %s",
                             station->compare.camera, args->station);
    const pov_status status = pov_choice_check(&station->compare.choice);
    return status.code == POV_OK ? POV_GO_ON : pov_cli_usage("run", "%s", status.message);
}

/* The station as the camera sees it whose images are asked about. */
static const pov_station *see_as_asked(arguments *args, const pov_station *station)
{
    const int camera = pov_station_find_camera(station, station->compare.camera);
    if (camera <= 0)
        return station;
    args->asked = pov_allocate(1, sizeof *args->asked);
    *args->asked = *station;
    pov_station_look_through(args->asked, camera);
    return args->asked;
}

static pov_status open_asking(arguments *args, pov_station *station)
{
    if (!is_asking_wanted(station, args))
        return pov_ok();
    POV_TRY(pov_choice_settle_pairs(&station->compare.choice, &station->cast, station->judge.pairs,
                                    station->judge.pair_len));
    pov_vlm_config *models = pov_allocate(POV_COMPARED_MODEL_MAX, sizeof *models);
    int len = 0;
    pov_status status = open_models(models, &len, station, args);
    const pov_live_asking_config config = {.station_path = args->station,
                                           .station = see_as_asked(args, station),
                                           .models = models,
                                           .model_len = len,
                                           .recorder = args->recorder};
    POV_THEN(status, pov_live_asking_new(&args->asking, &config));
    free(models);
    if (status.code == POV_OK)
        pov_live_asking_print(args->asking, args->quiet);
    return status;
}

/* A driver of ROS 2 tells the lens of its camera. */
static pov_status settle_lens(pov_station *station, const arguments *args)
{
    pov_ros2_source_config *source = &station->source.ros2;
    if (!source->lacks_lens)
        return pov_ok();
    if (args->images || args->camera)
        return pov_error("%s: the lens is from %s, and the images are from elsewhere: name a calibration as "
                         "camera.calibration",
                         args->station, source->camera_info);
    POV_TRY(pov_ros2_source_ask_lens(&station->camera, source));
    source->lacks_lens = false;
    pov_station_keep_camera(station);
    return pov_ok();
}

static int run_watched(pov_station *station, arguments *args)
{
    pov_status status = pov_station_record(&args->recorder, station, args->station,
                                           pov_pipeline_video_source(&station->source));
    POV_THEN(status, open_foxglove(args, station));
    POV_THEN(status, open_ros2(args, station));
    POV_THEN(status, open_hearer(args, station));
    POV_THEN(status, open_asking(args, station));
    const int code = status.code == POV_OK ? run_station(station, args) : pov_cli_fail(status);
    pov_live_asking_destroy(&args->asking);
    free(args->asked);
    pov_ros2_hearer_destroy(&args->hearer);
    close_ros2(args);
    close_foxglove(args);
    return pov_station_record_end(&args->recorder, code, !args->quiet);
}

/* The dashboard is where the set-up's page was, which leads on to it. */
static int set_up_first(arguments *args)
{
    enum { USUAL_PORT = 8080 };
    pov_http_place *at = &args->dashboard.at;
    char place[POV_ADDRESS_CAPACITY + 32];
    if (!at->address[0])
        *at = (pov_http_place){.address = "127.0.0.1", .port = USUAL_PORT};
    snprintf(place, sizeof place, "%s%s:%d", at->insecure ? "http://" : "", at->address, at->port);
    const char *words[] = {"init", args->station, "--no-run", "--dashboard", place, NULL};
    return pov_command_init.run(5, (char **)words);
}

/* Whether other nodes tell of a camera, or of things: the cameras would then share what was told. */
static bool hears_others(const pov_station *station)
{
    bool hears = false;
    for (int i = 0; i < station->camera_len; i++)
        hears |= pov_ros2_hears(&(pov_ros2_hearer_config){.settings = &station->ros2,
                                                          .camera = &station->cameras[i].place.tf,
                                                          .things = &station->finders.heard});
    return hears;
}

/* Outputs that show one camera would leave the others out. */
static pov_status check_outputs(const pov_station *station, const arguments *args)
{
    const bool lacks_others = args->images && !pov_recording_is_one(args->images);
    const char *cannot = lacks_others            ? "--images of a folder or a film"
                         : args->camera          ? "--camera"
                         : hears_others(station) ? "what other nodes of ROS 2 tell"
                                                 : NULL;
    if (station->camera_len == 1 || !cannot)
        return pov_ok();
    return pov_error("%s: the station has %d cameras, and %s takes one: leave it out, or name one camera as "
                     "'camera:' in a file of its own (docs/CAMERAS.md)",
                     args->station, station->camera_len, cannot);
}

static void warn_of_doubt(void *context, const char *text)
{
    pov_cli_warn("%s: %s", (const char *)context, text);
}

static int run(int argc, char **argv)
{
    arguments args = {.ask_every_s = -1};
    int code = read_options(&args, argc, argv);
    if (code == POV_GO_ON && args.setup && (code = set_up_first(&args)) == POV_EXIT_OK)
        code = pov_cli_stop_requested() ? POV_EXIT_OK : POV_GO_ON;
    if (code != POV_GO_ON)
        return code;
    pov_cli_catch_signals();
    (void)mallopt(M_MMAP_THRESHOLD, MAPPED_BYTES);
    pov_station *station = malloc(sizeof *station);
    POV_REQUIRE_MEMORY(station);
    pov_status status = pov_station_parse(station, args.station, NULL, 0);
    if (status.code == POV_OK && args.ros2 && station->ros2.off_line > 0) {
        code = pov_cli_usage("run", "--ros2: %s:%d says 'publish: false' under 'ros2'; leave out one of them",
                             args.station, station->ros2.off_line);
        free(station);
        return code;
    }
    if (status.code == POV_OK && args.annotate)
        status = pov_write_folder(args.annotate);
    for (int i = station->camera_len - 1; i >= 0 && status.code == POV_OK && !args.check; i--) {
        pov_station_look_through(station, i);
        status = settle_lens(station, &args);
    }
    for (int i = station->camera_len - 1; i >= 0 && status.code == POV_OK; i--) {
        pov_station_look_through(station, i);
        if (!station->source.ros2.lacks_lens && station->source.kind != POV_SOURCE_STATION)
            pov_station_find_doubts(station, warn_of_doubt, (void *)args.station);
    }
    if (status.code == POV_OK && args.check)
        printf("%s: good\n", args.station);
    override_station(station, &args);
    if (status.code == POV_OK && station->source.kind == POV_SOURCE_FOLDER && station->source.live &&
        station->source.rate_hz == 0)
        status = pov_error("a live folder needs a rate: give --rate HZ, or camera.folder.rate_hz");
    POV_THEN(status, check_outputs(station, &args));
    code = status.code != POV_OK ? pov_cli_fail(status) : check_asking(&args, station);
    if (code == POV_GO_ON)
        code = args.check ? POV_EXIT_OK : run_watched(station, &args);
    free(station);
    return code;
}
