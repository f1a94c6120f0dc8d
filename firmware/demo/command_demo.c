#include "firmware/clock.h"
#include "firmware/commands.h"
#include "firmware/demo/command_demo_comparison.h"
#include "firmware/picture/contact_sheet.h"
#include "firmware/picture/image_file.h"
#include "firmware/progress.h"
#include "firmware/station/station.h"
#include "protocol/message.h"
#include "protocol/subscriber.h"
#include "sim/sphere_world.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    IMAGES = 12,
    IMAGES_MAX = 360,
    WIDTH_PX = 640,
    HEIGHT_PX = 480,
    MESSAGE_TIMEOUT_MS = 20000,
    SLICE_MS = 200,
    PATH_CAPACITY = 900
};

static const double deg = POV_PI / 180;
static const double focal_px = 850, radius_m = 0.10, orbit_m = 0.45;
static const pov_vec3 eye_m = {1.5, 0, 0.85}, aim_m = {0, 0, 0.08};

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
              "only so many images of the balls, and no comparison: that takes a whole rotation"),
    POV_TAKEN(demo, guide.place, "dashboard", "[HOST:]PORT", pov_dashboard_place_take,
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

/* ---- drawing ---------------------------------------------------------------------------------------------------- */

static pov_camera demo_camera(void)
{
    return (pov_camera){.lens = POV_LENS_BROWN_CONRADY,
                        .width_px = WIDTH_PX,
                        .height_px = HEIGHT_PX,
                        .fx_px = focal_px,
                        .fy_px = focal_px,
                        .cx_px = (WIDTH_PX - 1) / 2.0,
                        .cy_px = (HEIGHT_PX - 1) / 2.0,
                        .distortion = {-0.12, 0.05, 0.0005, -0.0003, 0}};
}

static double true_phi_deg(const demo *d, int i)
{
    return 360.0 * i / d->image_len;
}

static pov_status draw_images(const demo *d)
{
    pov_sphere_world still = pov_sphere_world_default();
    still.sphere_len = 2;
    still.spheres[0] = (pov_sphere){{orbit_m, 0, radius_m}, radius_m, 215, 40, 30};
    still.spheres[1] = (pov_sphere){{0, 0, radius_m}, radius_m, 40, 70, 210};
    pov_camera camera = demo_camera();
    pov_transform T_table_camera = pov_transform_look_at(eye_m, aim_m, (pov_vec3){0, 0, 1});
    uint8_t *pixels = malloc((size_t)3 * WIDTH_PX * HEIGHT_PX);
    POV_REQUIRE(pixels);
    pov_image image = {
        .pixels = pixels, .width_px = WIDTH_PX, .height_px = HEIGHT_PX, .stride_bytes = 3 * WIDTH_PX};
    pov_progress progress = pov_progress_start(stderr, "images", d->image_len, pov_clock_monotonic_ns());
    pov_status status = pov_ok();
    for (int i = 0; i < d->image_len && status.code == POV_OK && !pov_cli_stop_requested(); i++) {
        pov_sphere_world world = pov_sphere_world_turned(&still, 0, 1, true_phi_deg(d, i) * deg);
        world.seed = (uint64_t)i;
        pov_sphere_world_draw(pixels, &world, &camera, T_table_camera);
        char path[PATH_CAPACITY + 64];
        snprintf(path, sizeof path, "%s/simulated_%03d.png", d->images, i);
        status = pov_image_file_write_png(path, &image);
        pov_progress_update(&progress, i + 1, pov_clock_monotonic_ns());
    }
    pov_progress_finish(&progress, d->image_len, pov_clock_monotonic_ns());
    free(pixels);
    return status;
}

/* ---- the station's files ---------------------------------------------------------------------------------------- */

static pov_status open_for_writing(FILE **file, const char *path)
{
    *file = fopen(path, "w");
    return *file ? pov_ok() : pov_error("%s: cannot write: %s", path, strerror(errno));
}

static pov_status close_written(FILE *file, const char *path)
{
    bool bad = ferror(file);
    return fclose(file) == 0 && !bad ? pov_ok() : pov_error("%s: cannot write: %s", path, strerror(errno));
}

static pov_status write_calibration(const demo *d)
{
    char path[PATH_CAPACITY + 32];
    snprintf(path, sizeof path, "%s/camera.yaml", d->folder);
    FILE *file;
    POV_TRY(open_for_writing(&file, path));
    pov_camera c = demo_camera();
    fprintf(
        file,
        "# The simulated camera of 'pov demo'.\nimage_width: %d\nimage_height: %d\ncamera_name: simulated\n"
        "camera_matrix: {rows: 3, cols: 3, data: [%.17g, 0, %.17g, 0, %.17g, %.17g, 0, 0, 1]}\n"
        "distortion_model: plumb_bob\n"
        "distortion_coefficients: {rows: 1, cols: 5, data: [%.17g, %.17g, %.17g, %.17g, %.17g]}\n",
        c.width_px, c.height_px, c.fx_px, c.cx_px, c.fy_px, c.cy_px, c.distortion[0], c.distortion[1],
        c.distortion[2], c.distortion[3], c.distortion[4]);
    return close_written(file, path);
}

static pov_status write_station(const demo *d)
{
    FILE *file;
    POV_TRY(open_for_writing(&file, d->station));
    fprintf(file,
            "about: written by 'pov demo' - a red ball circles a blue one; simulated\n"
            "camera:\n"
            "  source: folder\n"
            "  folder: {path: images}\n"
            "  calibration: camera.yaml\n"
            "  pose:\n"
            "    position_m: [%g, %g, %g]\n"
            "    look_at_m: [%g, %g, %g]\n"
            "cast:\n"
            "  - id: red_ball\n"
            "    class: ball\n"
            "    found_by: ball\n"
            "    ball: {color: red, radius_m: %g}\n"
            "  - id: blue_ball\n"
            "    class: ball\n"
            "    found_by: ball\n"
            "    ball: {color: blue, radius_m: %g}\n"
            "judge:\n"
            "  pairs: [[red_ball, blue_ball]]\n",
            eye_m.x, eye_m.y, eye_m.z, aim_m.x, aim_m.y, aim_m.z, radius_m, radius_m);
    return close_written(file, d->station);
}

static pov_status make_folder(const char *path)
{
    if (mkdir(path, 0777) != 0 && errno != EEXIST)
        return pov_error("%s: cannot make this folder: %s; choose another with --out", path, strerror(errno));
    return pov_ok();
}

static pov_status prepare(demo *d)
{
    snprintf(d->images, sizeof d->images, "%s/images", d->folder);
    snprintf(d->annotated, sizeof d->annotated, "%s/annotated", d->folder);
    snprintf(d->station, sizeof d->station, "%s/station.yaml", d->folder);
    POV_TRY(make_folder(d->folder));
    POV_TRY(make_folder(d->images));
    POV_TRY(write_calibration(d));
    POV_TRY(write_station(d));
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
    for (int i = 0; i < o->judgment_len; i++) {
        const pov_judgment *j = &o->judgments[i];
        bool holds = j->belief.verdict == POV_TRUE, unsure = j->belief.verdict == POV_ABSTAIN;
        if (j->query.convention != convention || j->query.axis != POV_SIGHT_LINE || !(holds || unsure))
            continue;
        size_t length = strlen(text);
        snprintf(text + length, 64 - length, "%s%s%s", length ? " " : "", unsure ? "~" : "",
                 short_name(j->query.relation));
    }
}

typedef struct {
    int found;
    double error_deg[IMAGES_MAX];
    char caption[IMAGES_MAX][POV_IMAGE_NAME_CAPACITY]; /* of each image on the contact sheet */
} scores;

static void print_row(scores *score, const demo *d, const pov_observation *o)
{
    const pov_entity *red = &o->scene.entities[pov_scene_find(&o->scene, "red_ball")];
    const pov_entity *blue = &o->scene.entities[pov_scene_find(&o->scene, "blue_ball")];
    const int i = (int)o->image.sequence;
    double truth = true_phi_deg(d, i);
    printf("%-18s %7.1f ", o->image.name, truth);
    snprintf(score->caption[i], sizeof score->caption[i], "%g deg: not found", truth);
    if (!red->placed || !blue->placed) {
        puts("      not found");
        return;
    }
    pov_vec3 v = pov_vec3_sub(red->position.mean_m, blue->position.mean_m);
    double phi = atan2(v.y, v.x) / deg, error = pov_angle_wrap((phi - truth) * deg) / deg, std_deg = NAN;
    for (int k = 0; k < o->judgment_len; k++)
        if (o->judgments[k].query.perspective == POV_EGOCENTRIC && o->judgments[k].query.axis == POV_HEADING)
            std_deg = o->judgments[k].theta_std_rad / deg;
    score->error_deg[score->found++] = fabs(error);
    printf("%7.1f +- %-4.1f", phi < -0.05 ? phi + 360 : fabs(phi), std_deg);
    for (int convention = 0; convention < POV_CONVENTION_COUNT; convention++) {
        char text[64];
        name_relations(text, o, convention);
        printf("  %-21s", text);
        if (convention == POV_REFLECTED)
            snprintf(score->caption[i], sizeof score->caption[i], "%g deg: %s", truth, text);
    }
    putchar('\n');
    fflush(stdout);
}

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

static pov_status listen(scores *score, const demo *d, pov_subscriber *subscriber, pid_t station)
{
    pov_codec *codec;
    POV_TRY(pov_codec_new(&codec));
    pov_message message = {.observation = malloc(sizeof(pov_observation))};
    POV_REQUIRE(message.observation);
    printf("\nThe red ball lies, about the blue one, at an azimuth of ... degrees; for the camera, by each "
           "convention:\n"
           "%-18s %7s %13s    %-21s  %-21s  %s\n",
           "image", "true", "measured", "translated", "rotated", "reflected");
    pov_status status = pov_ok();
    for (int i = 0; i < d->image_len && status.code == POV_OK && !pov_cli_stop_requested(); i++) {
        const uint8_t *bytes;
        size_t length;
        status = next_message(subscriber, &bytes, &length, station);
        if (status.code == POV_OK)
            status = pov_codec_decode(codec, &message, bytes, length);
        if (status.code == POV_OK)
            print_row(score, d, message.observation);
    }
    free(message.observation);
    pov_codec_destroy(&codec);
    return status;
}

static pov_status run_and_listen(scores *score, const demo *d)
{
    pid_t child = start_station(d);
    if (child < 0)
        return pov_error("cannot start the station: %s", strerror(errno));
    pov_subscriber *subscriber;
    pov_status status = pov_subscriber_new(&subscriber, d->endpoint, POV_TOPIC_OBSERVATION);
    if (status.code == POV_OK)
        status = listen(score, d, subscriber, child);
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

/* Captioned with what holds for the camera as English speakers mostly mean it: reflected. */
static pov_status make_contact_sheet(const demo *d, const scores *score, const char *path)
{
    pov_image_file *file;
    pov_contact_sheet *sheet = NULL;
    POV_TRY(pov_image_file_new(&file));
    pov_status status = pov_ok();
    for (int i = 0; i < d->image_len && status.code == POV_OK; i++) {
        char name[PATH_CAPACITY + 64];
        pov_image image;
        snprintf(name, sizeof name, "%s/simulated_%03d.png", d->annotated, i);
        status = pov_image_file_read(file, &image, name);
        image.width_px = image.height_px * WIDTH_PX / HEIGHT_PX; /* without the margin at its right */
        snprintf(image.name, sizeof image.name, "%s", score->caption[i]);
        if (status.code == POV_OK && !sheet)
            status = pov_contact_sheet_new(&sheet, d->image_len, WIDTH_PX / 2, HEIGHT_PX / 2);
        if (status.code == POV_OK)
            (void)pov_contact_sheet_add(sheet, &image);
    }
    if (status.code == POV_OK && sheet) {
        pov_image picture = pov_contact_sheet_image(sheet);
        status = pov_image_file_write_png(path, &picture);
    }
    pov_contact_sheet_destroy(&sheet);
    pov_image_file_destroy(&file);
    return status;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void print_scores(scores *score, const demo *d, const char *sheet)
{
    qsort(score->error_deg, (size_t)score->found, sizeof *score->error_deg, by_size);
    printf("\nBoth balls found in %d of %d images.", score->found, d->image_len);
    if (score->found > 0)
        printf(" The red ball's azimuth about the blue one is off by %.2f degrees (median), %.2f at worst.",
               score->error_deg[score->found / 2], score->error_deg[score->found - 1]);
    printf("\n\"~\" marks a relation too close to its boundary to call.\n\nLook at  %s\nand at   "
           "%s/simulated_*.png\n",
           sheet, d->annotated);
}

static pov_status compare(const demo *d)
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
    POV_TRY(prepare(d));
    printf("Drawing %d images of a simulated rotation ...\n", d->image_len);
    fflush(stdout);
    POV_TRY(draw_images(d));
    printf("Running the station over them: pov run %s ...\n", d->station);
    POV_TRY(run_and_listen(&score, d));
    rmdir(d->socket_folder);
    if (pov_cli_stop_requested())
        return pov_ok();
    POV_TRY(make_contact_sheet(d, &score, sheet));
    print_scores(&score, d, sheet);
    if (score.found < d->image_len)
        return pov_error("the station did not find both balls in every image");
    return d->compare ? compare(d) : pov_ok();
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
