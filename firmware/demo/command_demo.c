#include "calib/camera/intrinsics_file.h"
#include "config/files/json_value.h"
#include "config/files/read_file.h"
#include "config/files/write_file.h"
#include "firmware/cli.h"
#include "firmware/clock.h"
#include "firmware/commands.h"
#include "firmware/dashboard/dashboard.h"
#include "firmware/demo/demo_files.h"
#include "firmware/demo/demo_uses.h"
#include "firmware/own_commands.h"
#include "firmware/picture/annotate.h"
#include "firmware/picture/contact_sheet.h"
#include "firmware/picture/image_file.h"
#include "firmware/progress.h"
#include "firmware/simulate/simulator.h"
#include "firmware/station/station.h"
#include "firmware/sweep/sweep.h"
#include "firmware/vlm/vlm_open.h"
#include "perception/geometry/ranked.h"
#include "perception/status.h"
#include "protocol/links/subscriber.h"
#include "protocol/observation/message.h"

#include <cJSON.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct {
    pov_dashboard_place place; /* without one port 8080 of this machine, or a free one if that is taken */
    bool no_browser;
    double pace_s; /* from stop to stop; NAN: a second where someone watches */
} pov_demo_guide_options;

typedef struct {
    pov_dashboard *dashboard;
    bool is_watched; /* someone sits at the terminal */
    double pace_s;
} pov_demo_guide;

enum { POV_DEMO_BALLS_WIDTH_PX = 640, POV_DEMO_BALLS_HEIGHT_PX = 480 };

/* Leads a visitor through the demo: says what happens and where to look, in the terminal and on the dashboard. */

enum { CAPTION_CAPACITY = 192 }; /* two lines of a contact sheet */
enum { USUAL_PORT = 8080, LOOK_MS = 200 };

static const double usual_pace_s = 1; /* from stop to stop where someone watches; chosen */

static bool is_watched(void)
{
    return isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
}

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

/* Opens the dashboard, prints its address, and shows it in a browser where there is a desktop and someone at the terminal. */
static pov_status demo_guide_start(pov_demo_guide *guide, const pov_demo_guide_options *options)
{
    *guide = (pov_demo_guide){.is_watched = is_watched()};
    guide->pace_s = isfinite(options->pace_s) ? options->pace_s : guide->is_watched ? usual_pace_s : 0;
    POV_TRY(open_dashboard(&guide->dashboard, options));
    printf("\nThe dashboard, for a browser: %s\n", pov_dashboard_url(guide->dashboard));
    fflush(stdout);
    if (guide->is_watched && !options->no_browser && has_desktop())
        open_browser(pov_dashboard_url(guide->dashboard));
    return pov_ok();
}

/* One step, a line. */
static void demo_guide_say(const pov_demo_guide *guide, const char *step)
{
    pov_dashboard_say(guide->dashboard, step);
    puts(step);
    fflush(stdout);
}

void pov_demo_stay(const char *what)
{
    struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
    if (!is_watched() || pov_cli_stop_requested())
        return;
    printf("%s until you press Enter.\n", what);
    fflush(stdout);
    while (!pov_cli_stop_requested() && poll(&input, 1, LOOK_MS) == 0)
        continue;
}

/* Keeps the dashboard as long as someone watches; else closes it at once. */
static void demo_guide_end(pov_demo_guide *guide)
{
    if (guide->dashboard)
        pov_demo_stay("The dashboard stays");
    pov_dashboard_destroy(&guide->dashboard);
}

/* The demo's first half: a red ball that circles a blue one, drawn, and the station that judges the images. */

/* The red ball's azimuth about the blue one in image i of `len`. */
static double demo_balls_azimuth_deg(int i, int len)
{
    return 360.0 * i / len;
}

/* Writes a file of share/demo/ into `folder`, with `more` behind it. */
static pov_status write_shipped(const char *folder, const char *name, const char *more)
{
    char path[POV_PATH_CAPACITY];
    POV_TRY(pov_path_join(path, folder, name));
    return pov_demo_file_write(path, name, more);
}

static pov_status draw_images(const char *images_folder, pov_simulator *simulator, int len)
{
    pov_progress progress = pov_progress_start(stderr, "images", len, pov_clock_monotonic_ns());
    pov_status status = pov_ok();
    for (int i = 0; i < len && status.code == POV_OK && !pov_cli_stop_requested(); i++) {
        char path[POV_PATH_CAPACITY + 32];
        pov_image image;
        snprintf(path, sizeof path, "%s/" POV_IMAGE_SIMULATED "_%03d.png", images_folder, i);
        status = pov_simulator_take(simulator, &image, i);
        POV_THEN(status, pov_image_file_write_png(path, &image));
        pov_progress_update(&progress, i + 1, pov_clock_monotonic_ns());
    }
    pov_progress_finish(&progress, len, pov_clock_monotonic_ns());
    return status;
}

/* Writes the world into a station's `folder`, and `len` images of it into its folder "images": simulated_000.png and so on. A bar
 *  shows the progress. */
static pov_status demo_balls_draw(const char *folder, int len)
{
    char world[POV_PATH_CAPACITY], images[POV_PATH_CAPACITY], motion[160];
    pov_simulator *simulator;
    snprintf(world, sizeof world, "%s/world.yaml", folder);
    snprintf(images, sizeof images, "%s/images", folder);
    snprintf(motion, sizeof motion,
             "images: %d\nmotion: {orbit: {thing: red_ball, about: blue_ball}, steps: %d, period_s: 12}\n",
             len, len);
    POV_TRY(write_shipped(folder, "world.yaml", motion));
    POV_TRY(pov_simulator_new(&simulator, &(pov_simulator_config){.world = world}));
    const pov_status status = draw_images(images, simulator, len);
    pov_simulator_destroy(&simulator);
    return status;
}

/* Writes the station's file into `folder`, whose images are in its folder "images", and its camera's. */
static pov_status demo_balls_write_station(const char *folder)
{
    POV_TRY(write_shipped(folder, "camera.yaml", ""));
    return write_shipped(folder, "station.yaml", "");
}

/* The demo's second half: a sweep on the dashboard, a simulated model's answers held against geometry. */

enum { COMPARISON_PATH = 1024, TEXT_BYTES_MAX = 16 << 20 };

typedef struct {
    char folder[COMPARISON_PATH - 64];
    char world[COMPARISON_PATH], station[COMPARISON_PATH], sweep[COMPARISON_PATH], scores[COMPARISON_PATH];
    char page[COMPARISON_PATH], text[COMPARISON_PATH];
} places;

/* ---- steps ---- */

/* Removes the files of an earlier demo; a folder with its own log holds nothing else. */
static void clear_folder(const places *p)
{
    char log[COMPARISON_PATH + 32];
    snprintf(log, sizeof log, "%s/log.sqlite", p->sweep);
    if (access(log, F_OK) == 0)
        pov_remove_folder(p->sweep);
}

static pov_status set_places(places *p, const char *folder)
{
    if (snprintf(p->folder, sizeof p->folder, "%s", folder) >= (int)sizeof p->folder)
        return pov_error("%s: this path is too long", folder);
    snprintf(p->world, sizeof p->world, "%s/world", p->folder);
    snprintf(p->station, sizeof p->station, "%s/world/live.yaml", p->folder);
    snprintf(p->sweep, sizeof p->sweep, "%s/sweep", p->folder);
    snprintf(p->scores, sizeof p->scores, "%s/scores.txt", p->folder);
    snprintf(p->page, sizeof p->page, "%s/report.html", p->folder);
    snprintf(p->text, sizeof p->text, "%s/report.md", p->folder);
    return pov_write_folder(p->folder);
}

static pov_status make_world(const places *p)
{
    const char *const sim[] = {"pov",   "sim",    "comfort-car", "--images", "1",       "--size", "480x480",
                               "--out", p->world, "--bodies",    "own",      "--quiet", NULL};
    POV_TRY(pov_own_command_run(sim, p->scores));
    return pov_own_station_write(p->world, p->station);
}

/* As pov sweep does, in this process, which has the dashboard. */
static pov_status run_sweep(pov_sweep_options *options, pov_station *station, const places *p)
{
    pov_log_folder folder;
    pov_sweep_summary summary;
    POV_TRY(pov_station_read(station, p->station));
    POV_TRY(pov_choice_settle_pairs(&options->asking, &station->cast, station->judge.pairs,
                                    station->judge.pair_len));
    options->station_path = p->station;
    options->station = station;
    POV_TRY(pov_log_folder_open(&folder, p->sweep, "pov sweep", true));
    const pov_status status = pov_sweep_run(&summary, &folder, options);
    pov_log_folder_close(&folder);
    POV_TRY(status);
    return summary.asking.code == POV_END ? summary.asking : pov_ok();
}

static pov_status sweep_and_ask(const places *p, const pov_demo_guide *guide)
{
    pov_sweep_options options = POV_SWEEP_OPTIONS_DEFAULT;
    pov_own_model server;
    pov_station *station = malloc(sizeof *station);
    pov_vlm_config *vlm = malloc(sizeof *vlm);
    POV_REQUIRE_MEMORY(station && vlm);
    options.vlm = vlm;
    options.dashboard = guide->dashboard;
    options.pace_s = guide->pace_s;
    options.text = guide->is_watched ? stdout : NULL;
    pov_status status = pov_own_model_start(&server, p->sweep, "egocentric");
    POV_THEN(status, pov_vlm_open(vlm, server.url, "egocentric vlm-sim"));
    POV_THEN(status, run_sweep(&options, station, p));
    pov_own_model_stop(&server);
    free(vlm);
    free(station);
    return status;
}

static pov_status write_report(const places *p)
{
    const char *const scores[] = {"pov", "compare", p->sweep, NULL};
    const char *const report[] = {"pov", "report", p->sweep, "--out", p->page, "--markdown", p->text, NULL};
    POV_TRY(pov_own_command_run(scores, p->scores));
    return pov_own_command_run(report, "/dev/null");
}

/* "- MODEL, LANGUAGE, SET, VIEWPOINT: CLAUSE (figures); CLAUSE (figures)." without the figures, a clause a line, and without
 * what is the same in all of them. */
static void print_finding(const char *line, const char *end)
{
    const char *colon = memchr(line, ':', (size_t)(end - line)), *from = colon ? colon : line;
    bool within = false;
    while (from > line && *from != ',')
        from--;
    fputs("  -", stdout);
    for (const char *c = from + 1; c < end; c++) {
        within |= *c == ' ' && c + 1 < end && c[1] == '(';
        if (!within)
            putchar(*c);
        if (!within && (*c == ';' || c == colon))
            fputs("\n     ", stdout);
        within &= *c != ')';
    }
    putchar('\n');
}

/* The report's findings, in its own words. */
static pov_status print_findings(const places *p)
{
    pov_bytes bytes = {0};
    POV_TRY(pov_read_file(&bytes, p->text, TEXT_BYTES_MAX, "a report"));
    const char *from = strstr((const char *)bytes.data, "## Findings\n");
    const char *to = from ? strstr(from, "\n\n**") : NULL; /* its tables */
    if (to)
        puts("\nIt finds, of COMFORT's questions asked from");
    for (const char *line = from; to && line && line < to; line = strchr(line + 1, '\n'))
        if (strncmp(line, "\n- ", 3) == 0)
            print_finding(line + 3, line + 1 + strcspn(line + 1, "\n"));
    if (to)
        putchar('\n');
    pov_bytes_free(&bytes);
    return pov_ok();
}

/* Makes `folder` again with a simulated world, a sweep's log, scores and a report, and prints what it does and finds.
 *  Errors say which command failed; its own words are on stderr. */
static pov_status demo_compare(const char *folder, const pov_demo_guide *guide)
{
    places p;
    POV_TRY(set_places(&p, folder));
    clear_folder(&p);
    demo_guide_say(guide, "1/3 Making a simulated world: a basketball circles a car, a woman looks on");
    POV_TRY(make_world(&p));
    demo_guide_say(guide, "2/3 A simulated model is asked; it only ever answers as the camera sees it");
    POV_TRY(sweep_and_ask(&p, guide));
    if (pov_cli_stop_requested())
        return pov_ok();
    demo_guide_say(guide, "3/3 Scoring it: pov report");
    POV_TRY(write_report(&p));
    POV_TRY(print_findings(&p));
    printf("Look at  %s\n", p.page);
    pov_dashboard_say(guide->dashboard, "Done: the report has it all");
    pov_dashboard_offer_report(guide->dashboard, p.page);
    return pov_ok();
}

enum {
    IMAGES = 12,
    IMAGES_MAX = 360,
    THUMBNAIL_WIDTH_PX = POV_DEMO_BALLS_WIDTH_PX / 2,
    THUMBNAIL_HEIGHT_PX = POV_DEMO_BALLS_HEIGHT_PX / 2,
    MESSAGE_TIMEOUT_MS = 20000,
    SLICE_MS = 200,
    PATH_CAPACITY = 900
};

typedef struct {
    char folder[PATH_CAPACITY], images[PATH_CAPACITY + 32], annotated[PATH_CAPACITY + 32],
        station[PATH_CAPACITY + 32];
    char socket_folder[64], endpoint[96];
    int image_len;
    int camera_len; /* 0: the balls before one camera */
    bool compare, experiment, study, robot;
    pov_demo_guide_options guide;
} demo;

static int run(int argc, char **argv);

static const pov_option option_table[] = {
    POV_BUFFER(demo, folder, "out", "DIR", "where it leaves all that"),
    POV_WHOLE(demo, image_len, "images", "N", 1, IMAGES_MAX,
              "only N images of the balls, and no comparison, which takes a whole rotation"),
    POV_WHOLE(demo, camera_len, "cameras", "N", 2, POV_OWN_CAMERA_MAX,
              "instead: a ball goes round a screen before N cameras, which make one scene (docs/CAMERAS.md)"),
    POV_FLAG(demo, experiment, "experiment",
             "instead: four small sweeps by a plan (pov experiment), two simulated models, one report"),
    POV_FLAG(
        demo, study, "study",
        "instead: an instruction study (pov study) of two simulated participants, who mean different lefts"),
    POV_FLAG(demo, robot, "robot",
             "instead: a simulated robot's topics of ROS 2, and a station that takes its images, answers and "
             "sends a goal"),
    POV_TAKEN(demo, guide.place.at, "dashboard", "[HOST:]PORT", pov_http_place_take,
              "there instead of port 8080 of this machine (docs/DASHBOARD.md)"),
    POV_NUMBER(
        demo, guide.pace_s, "pace", "S", 0, 60,
        "a stop of the sweep, or a line of the study, takes S seconds; without it 1 in a terminal, else 0"),
    POV_FLAG(demo, guide.no_browser, "no-browser",
             "open no browser, as is done from a terminal on a desktop"),
    POV_OPTIONS_END,
};

const pov_command pov_command_demo = {
    .name = "demo",
    .summary = "a simulated rotation through the whole pipeline, start to end",
    .run = run,
    .usage = "[--out DIR] [OPTIONS]",
    .about =
        "Draws a red ball that circles a blue one (simulated, and marked so), runs a station over the images "
        "as "
        "'pov run' does, listens to its messages over ZeroMQ, prints them as a table beside the truth, "
        "and "
        "leaves the annotated images and a contact sheet.\n"
        "\n"
        "Then COMFORT's question, on the dashboard, whose address it prints: a sweep about a simulated car, "
        "a "
        "simulated vision-language model that is asked about each image over HTTP, and a report of how its "
        "answers fit the geometry, in DIR/comparison. In a terminal the table turns slowly enough to be "
        "watched; "
        "elsewhere as fast as it can.\n"
        "\n"
        "With one of --cameras, --experiment, --study and --robot it shows another use in its place, also "
        "simulated.",
    .options = option_table,
    .examples = "pov demo --out /tmp/demo\n"
                "pov demo --cameras 2 --out /tmp/demo\n"
                "pov demo --experiment --out /tmp/demo\n"
                "pov demo --study --dashboard 8080\n"
                "pov demo --robot",
    .exits = "0 done; 1 something failed on the way",
};

/* ---- before it ------------------------------------------------------------------------------------------------------ */

static pov_status prepare_demo(demo *d)
{
    snprintf(d->images, sizeof d->images, "%s/images", d->folder);
    snprintf(d->annotated, sizeof d->annotated, "%s/annotated", d->folder);
    snprintf(d->station, sizeof d->station, "%s/station.yaml", d->folder);
    POV_TRY(pov_write_folder(d->folder));
    POV_TRY(pov_write_folder(d->images));
    POV_TRY(demo_balls_write_station(d->folder));
    snprintf(d->socket_folder, sizeof d->socket_folder, "/tmp/pov-demo-XXXXXX");
    if (!mkdtemp(d->socket_folder))
        return pov_error("%s: cannot make this folder: %s", d->socket_folder, strerror(errno));
    snprintf(d->endpoint, sizeof d->endpoint, "ipc://%s/socket", d->socket_folder);
    return pov_ok();
}

/* ---- running and listening -------------------------------------------------------------------------------------- */

static pid_t start_station(const demo *d)
{
    char count[16];
    snprintf(count, sizeof count, "%d", d->image_len);
    fflush(NULL);
    pid_t child = fork();
    if (child != 0)
        return child;
    const char *argv[] = {"run",    d->station, "--annotate", d->annotated, "--publish", d->endpoint,
                          "--wait", "1",        "--count",    count,        "--quiet",   NULL};
    _exit(pov_command_run.run(sizeof argv / sizeof *argv - 1, (char **)argv));
}

static const char *short_name(pov_relation relation)
{
    static const char *const names[] = {[POV_LEFT_OF] = "left",
                                        [POV_RIGHT_OF] = "right",
                                        [POV_IN_FRONT_OF] = "front",
                                        [POV_BEHIND] = "behind"};
    return relation <= POV_BEHIND ? names[relation] : pov_relation_name(relation);
}

/* The relations that hold for the camera by one convention, in words; "?" before one too close to say. */
static void name_relations(char text[64], const pov_observation *o, pov_convention convention)
{
    text[0] = '\0';
    for (int i = 0; i < o->directed_len; i++) {
        const pov_judgment *j = &o->judgments[i];
        bool holds = j->belief.verdict == POV_TRUE, unsure = j->belief.verdict == POV_ABSTAIN;
        if (j->query.convention != convention || j->query.axis != POV_SIGHT_LINE || !(holds || unsure))
            continue;
        size_t length = strlen(text);
        snprintf(text + length, 64 - length, "%s%s%s", length ? " " : "", unsure ? "?" : "",
                 short_name(j->query.relation->projective));
    }
}

typedef struct {
    int found;
    double error_deg[IMAGES_MAX];
} scores;

/* Captioned with what holds for the camera as English speakers mostly mean it, reflected, and below that as by Tamil's convention. */
static void print_row(char caption[CAPTION_CAPACITY], scores *score, const demo *d, const pov_observation *o)
{
    const pov_entity *red = &o->scene.entities[pov_scene_find(&o->scene, "red_ball")];
    const pov_entity *blue = &o->scene.entities[pov_scene_find(&o->scene, "blue_ball")];
    const double truth = demo_balls_azimuth_deg((int)o->image.sequence, d->image_len);
    char holds[POV_CONVENTION_COUNT][64];
    printf("%-18s %7.1f ", o->image.name, truth);
    if (!red->placed || !blue->placed) {
        snprintf(caption, CAPTION_CAPACITY, "simulated, %g°: not found", truth);
        puts("      not found");
        return;
    }
    pov_vec3 v = pov_vec3_sub(red->position.mean_m, blue->position.mean_m);
    double phi = atan2(v.y, v.x) / POV_DEG, error = pov_angle_wrap((phi - truth) * POV_DEG) / POV_DEG,
           std_deg = NAN;
    for (int k = 0; k < o->directed_len; k++)
        if (o->judgments[k].query.perspective == POV_EGOCENTRIC && o->judgments[k].query.axis == POV_HEADING)
            std_deg = o->judgments[k].theta_std_rad / POV_DEG;
    score->error_deg[score->found++] = fabs(error);
    printf("%7.1f +- %-4.1f", phi < -0.05 ? phi + 360 : fabs(phi), std_deg);
    for (pov_convention convention = 0; convention < POV_CONVENTION_COUNT; convention++) {
        name_relations(holds[convention], o, convention);
        printf("  %-21s", holds[convention]);
    }
    putchar('\n');
    fflush(stdout);
    snprintf(caption, CAPTION_CAPACITY, "simulated, %g°, reflected: %s\nrotated: %s", truth,
             holds[POV_REFLECTED], holds[POV_ROTATED]);
}

/* ---- the contact sheet ---- */

typedef struct {
    pov_image_file *reader;
    pov_annotator *annotator;
    pov_contact_sheet *sheet;
    pov_camera camera;
} album;

static pov_status open_album(album *a, const demo *d)
{
    char calibration[PATH_CAPACITY + 32];
    *a = (album){0};
    snprintf(calibration, sizeof calibration, "%s/camera.yaml", d->folder);
    POV_TRY(pov_intrinsics_read(&a->camera, calibration));
    POV_TRY(pov_image_file_new(&a->reader));
    a->annotator = pov_annotator_new_for_thumbnails(POV_DEMO_BALLS_WIDTH_PX, POV_DEMO_BALLS_HEIGHT_PX,
                                                    THUMBNAIL_WIDTH_PX);
    const int shown = d->image_len < POV_CONTACT_SHEET_MAX ? d->image_len : POV_CONTACT_SHEET_MAX;
    a->sheet = pov_contact_sheet_new_with_captions(shown, THUMBNAIL_WIDTH_PX, THUMBNAIL_HEIGHT_PX, 2);
    return pov_ok();
}

static void close_album(album *a)
{
    pov_image_file_destroy(&a->reader);
    pov_annotator_destroy(&a->annotator);
    pov_contact_sheet_destroy(&a->sheet);
}

static pov_status add_picture(album *a, const demo *d, pov_observation *o, const char *caption)
{
    char path[PATH_CAPACITY + 32 + POV_IMAGE_NAME_CAPACITY];
    pov_image image, picture;
    snprintf(path, sizeof path, "%s/%s", d->images, o->image.name);
    POV_TRY(pov_image_file_read(a->reader, &image, path));
    for (pov_id id = 0; id < o->scene.len; id++) /* the wire does not tell shapes */
        o->scene.entities[id].shape = POV_SHAPE_SPHERE;
    const pov_annotation annotation = {.image = &image, .camera = &a->camera, .observation = o};
    POV_TRY(pov_annotator_draw(a->annotator, &picture, &annotation));
    (void)pov_contact_sheet_add_captioned(a->sheet, &picture, caption); /* the first ones, if it is full */
    return pov_ok();
}

/* ---- listening ---- */

pov_status pov_demo_next_message(pov_subscriber *subscriber, const uint8_t **bytes, size_t *length,
                                 pid_t station)
{
    for (int waited_ms = 0; waited_ms < MESSAGE_TIMEOUT_MS && !pov_cli_stop_requested();
         waited_ms += SLICE_MS) {
        siginfo_t ended = {.si_pid = 0};
        bool gone =
            waitid(P_PID, (id_t)station, &ended, WEXITED | WNOHANG | WNOWAIT) != 0 || ended.si_pid != 0;
        pov_status status = pov_subscriber_next(subscriber, bytes, length, SLICE_MS);
        if (status.code != POV_TIMEOUT)
            return status;
        if (gone)
            return pov_error("the station ended early; try: pov run with the station file named above");
    }
    return pov_error("the station fell silent");
}

static pov_status listen_to_station(scores *score, album *pictures, const demo *d, pov_subscriber *subscriber,
                                    pid_t station)
{
    pov_codec *codec;
    POV_TRY(pov_codec_new(&codec));
    pov_message message = {.observation = malloc(sizeof(pov_observation))};
    POV_REQUIRE_MEMORY(message.observation);
    printf("\nThe red ball lies, about the blue one, at an azimuth of ... degrees; for the camera, by each "
           "convention:\n"
           "%-18s %7s %13s    %-21s  %-21s  %s\n",
           "image", "true", "measured", "translated", "rotated", "reflected");
    pov_status status = pov_ok();
    for (int i = 0; i < d->image_len && status.code == POV_OK && !pov_cli_stop_requested(); i++) {
        char caption[CAPTION_CAPACITY];
        const uint8_t *bytes;
        size_t length;
        status = pov_demo_next_message(subscriber, &bytes, &length, station);
        POV_THEN(status, pov_codec_decode(codec, &message, bytes, length));
        if (status.code != POV_OK)
            break;
        print_row(caption, score, d, message.observation);
        status = add_picture(pictures, d, message.observation, caption);
    }
    free(message.observation);
    pov_codec_destroy(&codec);
    return status;
}

static pov_status run_and_listen(scores *score, album *pictures, const demo *d)
{
    pid_t child = start_station(d);
    if (child < 0)
        return pov_error("cannot start the station: %s", strerror(errno));
    pov_subscriber *subscriber;
    pov_status status = pov_subscriber_new(
        &subscriber, &(pov_subscriber_config){.endpoint = d->endpoint, .topic = POV_TOPIC_OBSERVATION});
    POV_THEN(status, listen_to_station(score, pictures, d, subscriber, child));
    pov_subscriber_destroy(&subscriber);
    if (status.code != POV_OK || pov_cli_stop_requested())
        kill(child, SIGTERM);
    int result;
    waitpid(child, &result, 0);
    if (status.code == POV_OK && result != 0)
        return pov_error("the station ended with an error");
    return status;
}

/* ---- the end ---------------------------------------------------------------------------------------------------- */

/* Its table as it goes, and a contact sheet in the end. */
static pov_status judge_balls(scores *score, const demo *d, const char *sheet)
{
    album pictures;
    pov_status status = open_album(&pictures, d);
    POV_THEN(status, run_and_listen(score, &pictures, d));
    if (status.code == POV_OK && !pov_cli_stop_requested()) {
        const pov_image picture = pov_contact_sheet_image(pictures.sheet);
        status = pov_image_file_write_png(sheet, &picture);
    }
    close_album(&pictures);
    return status;
}

static void print_scores(scores *score, const demo *d, const char *sheet)
{
    printf("\nBoth balls found in %d of %d images.", score->found, d->image_len);
    if (score->found > 0)
        printf(" The red ball's azimuth about the blue one is off by %.2f degrees (median), %.2f at worst.",
               pov_median(score->error_deg, score->found),
               pov_ranked(score->error_deg, score->found, score->found - 1));
    printf("\n\"?\" marks a relation too close to its boundary to call.\n\nLook at  %s\nand at   "
           "%s/simulated_*.png\n",
           sheet, d->annotated);
}

static pov_status compare_models(const demo *d)
{
    char folder[PATH_CAPACITY + 32];
    pov_demo_guide guide;
    snprintf(folder, sizeof folder, "%s/comparison", d->folder);
    POV_TRY(demo_guide_start(&guide, &d->guide));
    const pov_status status = demo_compare(folder, &guide);
    if (status.code == POV_OK)
        demo_guide_end(&guide);
    pov_dashboard_destroy(&guide.dashboard);
    return status;
}

static pov_status run_demo(demo *d)
{
    static scores score;
    char sheet[PATH_CAPACITY + 32];
    snprintf(sheet, sizeof sheet, "%s/contact_sheet.png", d->folder);
    POV_TRY(prepare_demo(d));
    printf("Drawing %d images of a simulated rotation ...\n", d->image_len);
    fflush(stdout);
    POV_TRY(demo_balls_draw(d->folder, d->image_len));
    printf("Running the station over them: pov run %s ...\n", d->station);
    POV_TRY(judge_balls(&score, d, sheet));
    rmdir(d->socket_folder);
    if (pov_cli_stop_requested())
        return pov_ok();
    print_scores(&score, d, sheet);
    if (score.found < d->image_len)
        return pov_error("the station did not find both balls in every image");
    return d->compare ? compare_models(d) : pov_ok();
}

/* ---- its uses ---- */

static pov_status run_use(demo *d)
{
    char page[sizeof d->guide.place.at.address + 32];
    const pov_http_place *at = &d->guide.place.at;
    const pov_demo_use use = {.folder = d->folder,
                              .dashboard = at->address[0] || is_watched() ? page : NULL,
                              .pace_s = isfinite(d->guide.pace_s) ? d->guide.pace_s
                                        : is_watched()            ? usual_pace_s
                                                                  : 0};
    snprintf(page, sizeof page, "%s%s%s%d", at->insecure ? "http://" : "", at->address,
             at->address[0] ? ":" : "", at->port);
    if (d->camera_len > 0)
        return pov_demo_cameras(d->folder, d->camera_len, d->image_len);
    if (d->experiment)
        return pov_demo_experiment(d->folder);
    return d->study ? pov_demo_study(&use) : pov_demo_robot(&use);
}

static int run(int argc, char **argv)
{
    demo d = {.folder = "pov-demo", .guide.pace_s = NAN};
    pov_words words;
    POV_OR_EXIT(pov_command_read(&d, &words, &pov_command_demo, argc, argv));
    const int use_len = (d.camera_len > 0) + d.experiment + d.study + d.robot;
    if (use_len > 1)
        return pov_cli_usage("demo", "--cameras, --experiment, --study and --robot exclude each other");
    if (use_len > 0 && d.camera_len == 0 && d.image_len > 0)
        return pov_cli_usage("demo", "--images is for the balls and --cameras alone");
    pov_cli_catch_signals();
    if (use_len > 0)
        return pov_cli_exit(run_use(&d));
    d.compare = d.image_len == 0;
    d.image_len = d.compare ? IMAGES : d.image_len;
    return pov_cli_exit(run_demo(&d));
}
