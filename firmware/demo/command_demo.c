#include "config/files/write_file.h"
#include "firmware/commands.h"
#include "firmware/demo/command_demo_balls.h"
#include "firmware/demo/command_demo_comparison.h"
#include "firmware/picture/annotate.h"
#include "firmware/picture/contact_sheet.h"
#include "firmware/picture/image_file.h"
#include "firmware/station/station.h"
#include "perception/geometry/ranked.h"
#include "protocol/links/subscriber.h"
#include "protocol/observation/message.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

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
    bool compare;
    pov_demo_guide_options guide;
} demo;

static int run(int argc, char **argv);

static const pov_option option_table[] = {
    POV_BUFFER(demo, folder, "out", "DIR", "where it leaves all that"),
    POV_WHOLE(demo, image_len, "images", "N", 1, IMAGES_MAX,
              "only N images of the balls, and no comparison, which takes a whole rotation"),
    POV_TAKEN(demo, guide.place.at, "dashboard", "[HOST:]PORT", pov_http_place_take,
              "there instead of port 8080 of this machine (docs/DASHBOARD.md)"),
    POV_NUMBER(demo, guide.pace_s, "pace", "S", 0, 60,
               "a stop of the sweep takes S seconds; without it 1 in a terminal, else 0"),
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
        "'pov run' does, listens to what it publishes over ZeroMQ, prints it as a table beside the truth, "
        "and "
        "leaves the annotated images and a contact sheet.\n"
        "\n"
        "Then COMFORT's question, on the dashboard, whose address it prints: a sweep about a simulated car, "
        "a "
        "simulated vision-language model that is asked about each image over HTTP, and a report of how its "
        "answers fit the geometry, in DIR/comparison. In a terminal the table turns slowly enough to be "
        "watched; "
        "elsewhere as fast as it can.",
    .options = option_table,
    .examples = "pov demo --out /tmp/demo",
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
    POV_TRY(pov_demo_balls_write_station(d->folder));
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

/* The relations that hold for the camera by one convention, in words; "~" before one too close to call. */
static void name_relations(char text[64], const pov_observation *o, pov_convention convention)
{
    text[0] = '\0';
    for (int i = 0; i < o->directed_len; i++) {
        const pov_judgment *j = &o->judgments[i];
        bool holds = j->belief.verdict == POV_TRUE, unsure = j->belief.verdict == POV_ABSTAIN;
        if (j->query.convention != convention || j->query.axis != POV_SIGHT_LINE || !(holds || unsure))
            continue;
        size_t length = strlen(text);
        snprintf(text + length, 64 - length, "%s%s%s", length ? " " : "", unsure ? "~" : "",
                 short_name(j->query.relation->projective));
    }
}

typedef struct {
    int found;
    double error_deg[IMAGES_MAX];
} scores;

/* Captioned with what holds for the camera as English speakers mostly mean it: reflected. */
static void print_row(char caption[POV_IMAGE_NAME_CAPACITY], scores *score, const demo *d,
                      const pov_observation *o)
{
    const pov_entity *red = &o->scene.entities[pov_scene_find(&o->scene, "red_ball")];
    const pov_entity *blue = &o->scene.entities[pov_scene_find(&o->scene, "blue_ball")];
    const double truth = pov_demo_balls_azimuth_deg((int)o->image.sequence, d->image_len);
    char holds[POV_CONVENTION_COUNT][64];
    printf("%-18s %7.1f ", o->image.name, truth);
    if (!red->placed || !blue->placed) {
        snprintf(caption, POV_IMAGE_NAME_CAPACITY, "simulated, %g deg: not found", truth);
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
    snprintf(caption, POV_IMAGE_NAME_CAPACITY, "simulated, %g deg: %s", truth, holds[POV_REFLECTED]);
}

/* ---- the contact sheet ---- */

typedef struct {
    pov_image_file *reader;
    pov_annotator *annotator;
    pov_contact_sheet *sheet;
} album;

static pov_status open_album(album *a, int image_len)
{
    *a = (album){0};
    POV_TRY(pov_image_file_new(&a->reader));
    POV_TRY(pov_annotator_new_for_thumbnails(&a->annotator, POV_DEMO_BALLS_WIDTH_PX, POV_DEMO_BALLS_HEIGHT_PX,
                                             THUMBNAIL_WIDTH_PX));
    const int shown = image_len < POV_CONTACT_SHEET_MAX ? image_len : POV_CONTACT_SHEET_MAX;
    return pov_contact_sheet_new(&a->sheet, shown, THUMBNAIL_WIDTH_PX, THUMBNAIL_HEIGHT_PX);
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
    const pov_camera camera = pov_demo_balls_camera();
    pov_image image, picture;
    snprintf(path, sizeof path, "%s/%s", d->images, o->image.name);
    POV_TRY(pov_image_file_read(a->reader, &image, path));
    for (pov_id id = 0; id < o->scene.len; id++) /* the wire does not tell shapes */
        o->scene.entities[id].shape = POV_SHAPE_SPHERE;
    const pov_annotation annotation = {.image = &image, .camera = &camera, .observation = o};
    POV_TRY(pov_annotator_draw(a->annotator, &picture, &annotation));
    snprintf(picture.name, sizeof picture.name, "%s", caption);
    (void)pov_contact_sheet_add(a->sheet, &picture); /* the first ones, if it is full */
    return pov_ok();
}

/* ---- listening ---- */

/* The next message, unless the station ends before one comes. */
static pov_status next_message(pov_subscriber *subscriber, const uint8_t **bytes, size_t *length,
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
        char caption[POV_IMAGE_NAME_CAPACITY];
        const uint8_t *bytes;
        size_t length;
        status = next_message(subscriber, &bytes, &length, station);
        if (status.code == POV_OK)
            status = pov_codec_decode(codec, &message, bytes, length);
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
    if (status.code == POV_OK)
        status = listen_to_station(score, pictures, d, subscriber, child);
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
    pov_status status = open_album(&pictures, d->image_len);
    if (status.code == POV_OK)
        status = run_and_listen(score, &pictures, d);
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
    printf("\n\"~\" marks a relation too close to its boundary to call.\n\nLook at  %s\nand at   "
           "%s/simulated_*.png\n",
           sheet, d->annotated);
}

static pov_status compare_models(const demo *d)
{
    char folder[PATH_CAPACITY + 32];
    pov_demo_guide guide;
    snprintf(folder, sizeof folder, "%s/comparison", d->folder);
    POV_TRY(pov_demo_guide_start(&guide, &d->guide));
    const pov_status status = pov_demo_compare(folder, &guide);
    if (status.code == POV_OK)
        pov_demo_guide_end(&guide);
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
    POV_TRY(pov_demo_balls_draw(d->folder, d->image_len));
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

static int run(int argc, char **argv)
{
    demo d = {.folder = "pov-demo", .guide.pace_s = NAN};
    pov_words words;
    const int code = pov_command_read(&d, &words, &pov_command_demo, argc, argv);
    if (code != POV_GO_ON)
        return code;
    d.compare = d.image_len == 0;
    d.image_len = d.compare ? IMAGES : d.image_len;
    pov_cli_catch_signals();
    const pov_status status = run_demo(&d);
    return status.code == POV_OK ? POV_EXIT_OK : pov_cli_fail(status);
}
