#include "firmware/simulate/command_sim.h"

#include "config/files/write_file.h"
#include "firmware/clock.h"
#include "firmware/commands.h"
#include "firmware/picture/image_file.h"
#include "firmware/progress.h"
#include "sim/worlds/shipped_worlds.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

typedef struct {
    pov_simulator_config config;
    sim_output output;
    int images;                /* 0: the world's own number */
    bool list, classes, print; /* instead of drawing */
} arguments;

static pov_option_take take_seed, take_size;
static pov_offer offer_worlds;
static int run(int argc, char **argv);

POV_NAMES(sensor_names, "clean", "noisy", "blurred")
POV_NAMES(body_names, [POV_SIMULATOR_OWN_BODIES] = "own", [POV_SIMULATOR_PACKAGE_BODIES] = "package",
          [POV_SIMULATOR_ANY_BODIES] = "auto")

static const pov_option option_table[] = {
    POV_PATH(arguments, output.folder, "out", "DIR",
             "where to (pov-sim-WORLD); a folder with files of others is left alone"),
    POV_WHOLE(arguments, images, "images", "N", 1, POV_WORLD_IMAGE_MAX,
              "how many images (the world's own number)"),
    POV_TEXT(arguments, config.variant, "variant", "V",
             "one of the world's variants, or several: color+camera"),
    POV_TAKEN(arguments, config, "seed", "N", take_seed, "of noise and of generated worlds"),
    POV_TEXT(arguments, config.sensor, "sensor", "S", "clean, noisy or blurred, in place of the world's",
             .names = sensor_names),
    POV_TAKEN(arguments, config, "size", "WxH", take_size, "of the images, in pixels"),
    POV_CHOICE(
        arguments, config.bodies, "bodies", "B", body_names,
        "whose bodies things of plain looks have; package: Debian's sweethome3d-furniture, auto: those "
        "where it is installed. "
        "They look different: for the same images anywhere, own"),
    POV_FLAG(arguments, output.views, "views", "also draw what each viewer sees"),
    POV_FLAG(arguments, output.truth_images, "truth-images",
             "also write which thing each pixel shows, and how far away it is (16-bit PNG)"),
    POV_WHOLE(arguments, config.threads, "threads", "N", 1, POV_SIMULATOR_THREADS_MAX,
              "that draw (as many as there are processors); the images are the same"),
    POV_FLAG(arguments, output.quiet, "quiet", "no summary"),
    POV_FLAG(arguments, list, "list", "list the worlds; with a path, draw a contact sheet of them there"),
    POV_FLAG(arguments, classes, "classes", "list the classes of things there are bodies of"),
    POV_FLAG(arguments, print, "print", "print a world's file, to start one's own from"),
    POV_OPTIONS_END,
};

const pov_command pov_command_sim = {
    .name = "sim",
    .summary = "images and truth of a simulated world",
    .run = run,
    .usage = "WORLD [OPTIONS]\n"
             "--list [SHEET.png] | --classes | --print WORLD",
    .about = "Draws a simulated world whose truth is known: images, what is where in each (truth.jsonl), a "
             "scene file "
             "for each image, and a station file that 'pov run' takes as it is. WORLD is one of --list, or "
             "the path "
             "of a world file (docs/SIMULATOR.md). All that is written says that it is simulated.",
    .options = option_table,
    .words = {.max = 1, .wanted = "expected one world", .offer = offer_worlds},
    .examples = "pov sim station --out /tmp/station && pov run /tmp/station/station.yaml\n"
                "pov sim comfort-car --variant horse-left --images 36 --views\n"
                "pov sim vpt --sensor noisy --seed 7",
    .exits = "0 done; 1 a file could not be read or written",
};

static pov_status take_seed(void *value, const char *text)
{
    static const pov_option bounds = {.kind = POV_OPTION_COUNT, .high = INFINITY};
    pov_simulator_config *config = value;
    config->has_seed = true;
    return pov_option_take_text(&config->seed, &bounds, text);
}

static pov_status take_size(void *value, const char *text)
{
    pov_simulator_config *config = value;
    int length = 0;
    const int got = sscanf(text, "%dx%d%n", &config->width_px, &config->height_px, &length);
    const bool good = got == 2 && !text[length] && config->width_px >= 16 && config->width_px <= 4096 &&
                      config->height_px >= 16 && config->height_px <= 4096;
    return good ? pov_ok() : pov_error("takes a size such as 640x480, of 16 to 4096 pixels, not '%s'", text);
}

static void offer_worlds(FILE *stream)
{
    int len;
    const pov_shipped_world *worlds = pov_shipped_worlds(&len);
    for (int i = 0; i < len; i++)
        fprintf(stream, "%s\n", worlds[i].name);
}

static bool ends_in_png(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot && strcasecmp(dot, ".png") == 0;
}

static int read_options(arguments *args, int argc, char **argv)
{
    pov_words words;
    const int code = pov_command_read(args, &words, &pov_command_sim, argc, argv);
    if (code != POV_GO_ON)
        return code;
    const char *word = words.len > 0 ? words.word[0] : NULL;
    if (args->list + args->classes + args->print > 1)
        return pov_cli_usage("sim", "--list, --classes and --print exclude each other");
    if (!word && !args->list && !args->classes)
        return pov_cli_usage("sim", "which world? 'pov sim --list' lists them");
    if (word && args->classes)
        return pov_cli_usage("sim", "--classes takes no word; '%s' is one too many", word);
    if (word && args->list && !ends_in_png(word))
        return pov_cli_usage("sim", "--list draws into a file such as sheet.png, not '%s'", word);
    args->config.world = args->output.world = word;
    return POV_GO_ON;
}

/* ---- drawing ---- */

static pov_status write_truth_image(const sim_output *output, const char *subfolder, const pov_image *image,
                                    const uint16_t *values)
{
    char path[SIM_PATH_CAPACITY];
    sim_path(path, output->folder, subfolder, image->name, ".png");
    return pov_image_file_write_png16(path, values, image->width_px, image->height_px);
}

/* Ids: label + 1, 0 nothing. Depth: millimetres, 0 nothing or beyond 65 m. */
static pov_status write_truth_images(const sim_output *output, const pov_simulator_truth *truth,
                                     const pov_image *image)
{
    const size_t len = (size_t)image->width_px * (size_t)image->height_px;
    uint16_t *values = malloc(len * sizeof *values);
    if (!values)
        return pov_error("sim: out of memory");
    for (size_t i = 0; i < len; i++)
        values[i] = (uint16_t)(truth->labels[i] + 1);
    pov_status status = write_truth_image(output, "ids", image, values);
    for (size_t i = 0; i < len; i++) {
        const float depth_mm = truth->depth_m[i] * 1000 + 0.5F;
        values[i] = depth_mm < 65536 ? (uint16_t)depth_mm : 0;
    }
    if (status.code == POV_OK)
        status = write_truth_image(output, "depth", image, values);
    free(values);
    return status;
}

static pov_status write_views(const sim_output *output, pov_simulator *simulator, const char *name)
{
    const pov_scene *scene = pov_simulator_truth_of(simulator).scene;
    for (pov_id viewer = 0; viewer < scene->len; viewer++) {
        char path[SIM_PATH_CAPACITY], end[POV_NAME_CAPACITY + 16];
        pov_image view;
        if (!scene->entities[viewer].can_see || viewer == scene->camera)
            continue;
        POV_TRY(pov_simulator_view(simulator, &view, viewer));
        snprintf(end, sizeof end, "_%s.png", scene->entities[viewer].name);
        for (char *c = end; *c; c++)
            if (*c == '/')
                *c = '_';
        sim_path(path, output->folder, "views", name, end);
        POV_TRY(pov_image_file_write_png(path, &view));
    }
    return pov_ok();
}

/* The image first: views and visible fractions draw over its pixels. */
static pov_status write_one(const sim_output *output, pov_simulator *simulator, FILE *truth_stream, int index)
{
    char path[SIM_PATH_CAPACITY];
    pov_image image;
    POV_TRY(pov_simulator_take(simulator, &image, index));
    const pov_simulator_truth truth = pov_simulator_truth_of(simulator);
    sim_path(path, output->folder, "images", image.name, ".png");
    POV_TRY(pov_image_file_write_png(path, &image));
    if (output->truth_images)
        POV_TRY(write_truth_images(output, &truth, &image));
    POV_TRY(sim_scene_write(output, truth.scene, image.name));
    POV_TRY(sim_truth_write(truth_stream, simulator, &image));
    return output->views ? write_views(output, simulator, image.name) : pov_ok();
}

static pov_status write_images(const sim_output *output, pov_simulator *simulator)
{
    char path[SIM_PATH_CAPACITY];
    pov_write_file truth;
    sim_path(path, output->folder, "", "truth", ".jsonl");
    POV_TRY(pov_write_file_begin(&truth, path));
    pov_progress progress = pov_progress_start(stderr, "images", output->image_len, pov_clock_monotonic_ns());
    pov_status status = pov_ok();
    sim_attributions attributions = {0};
    int done = 0;
    while (done < output->image_len && status.code == POV_OK && !pov_cli_stop_requested()) {
        status = write_one(output, simulator, truth.stream, done);
        done += status.code == POV_OK;
        sim_attributions_add(&attributions, pov_simulator_truth_of(simulator).world);
        pov_progress_update(&progress, done, pov_clock_monotonic_ns());
    }
    pov_progress_finish(&progress, done, pov_clock_monotonic_ns());
    POV_TRY(pov_write_file_end(&truth, status));
    POV_TRY(sim_attributions_write(output, &attributions));
    return done == output->image_len
               ? pov_ok()
               : pov_error("stopped after %d of %d images; the same command draws all of them anew", done,
                           output->image_len);
}

static pov_status draw_world(sim_output *output, const arguments *args)
{
    pov_simulator *simulator;
    bool has_station = false;
    POV_TRY(pov_simulator_new(&simulator, &args->config));
    const pov_world *world = pov_simulator_truth_of(simulator).world;
    char folder[POV_NAME_CAPACITY + 16];
    snprintf(folder, sizeof folder, "pov-sim-%s", world->name);
    if (!output->folder)
        output->folder = folder;
    output->package_bodies = pov_simulator_truth_of(simulator).from_package;
    output->image_len = args->images > 0 ? args->images : world->image_len;
    pov_status status = sim_folder_prepare(output, world);
    if (status.code == POV_OK)
        status = write_images(output, simulator);
    if (status.code == POV_OK)
        status = sim_station_write(&has_station, output, simulator);
    if (status.code == POV_OK && !output->quiet)
        printf("%d simulated images in %s/images%s%s%s\n", output->image_len, output->folder,
               has_station ? "; judge them with: pov run " : "; each image's scene is in ", output->folder,
               has_station ? "/station.yaml" : "/scenes");
    output->folder = NULL;
    pov_simulator_destroy(&simulator);
    return status;
}

static pov_status print_world(const char *name)
{
    const pov_shipped_world *world = pov_shipped_world_find(name);
    if (!world)
        return pov_error("no world '%s' comes with pov; 'pov sim --list' lists those that do", name);
    fwrite(world->yaml, 1, world->length, stdout);
    return pov_ok();
}

static int run(int argc, char **argv)
{
    arguments args = {.config.bodies = POV_SIMULATOR_ANY_BODIES};
    const int code = read_options(&args, argc, argv);
    pov_status status = pov_ok();
    if (code != POV_GO_ON)
        return code;
    pov_cli_catch_signals();
    if (args.list)
        status = sim_list(args.config.world, args.config.threads);
    else if (args.classes)
        sim_list_classes();
    else if (args.print)
        status = print_world(args.config.world);
    else
        status = draw_world(&args.output, &args);
    return status.code == POV_OK ? POV_EXIT_OK : pov_cli_fail(status);
}
