#include "firmware/simulate/command_sim.h"

#include "config/write_file.h"
#include "firmware/cli.h"
#include "firmware/clock.h"
#include "firmware/commands.h"
#include "firmware/picture/image_file.h"
#include "firmware/progress.h"
#include "sim/shipped_worlds.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "Usage: pov sim WORLD [OPTIONS]\n"
    "       pov sim --list [SHEET.png] | --classes | --print WORLD\n"
    "\n"
    "Draws a simulated world whose truth is known: images, what is where in each (truth.jsonl), a scene file "
    "for each\n"
    "image, and a station file that 'pov run' takes as it is. WORLD is one of --list, or the path of a world "
    "file\n"
    "(docs/SIMULATOR.md). All that is written says that it is simulated.\n"
    "\n"
    "  --out DIR         where to (pov-sim-WORLD); a folder with files of others is left alone\n"
    "  --images N        how many images (the world's own number)\n"
    "  --variant V       one of the world's variants, or several: color+camera\n"
    "  --seed N          of noise, and of what a generator makes\n"
    "  --sensor S        clean, noisy or blurred, in place of the world's\n"
    "  --size WxH        of the images, in pixels\n"
    "  --bodies B        of things of plain looks: own, package (Debian's sweethome3d-furniture) or auto "
    "(the "
    "latter\n"
    "                    where it is installed; the default). They look different: for the same images "
    "anywhere, own\n"
    "  --views           also draw what each viewer sees\n"
    "  --truth-images    also write which thing each pixel shows, and how far away it is (16-bit PNG)\n"
    "  --threads N       that draw (as many as there are processors); the images are the same\n"
    "  --quiet           no summary\n"
    "  --list [PNG]      list the worlds; with a path, draw a contact sheet of them there\n"
    "  --classes         list the classes of things there are bodies of\n"
    "  --print WORLD     print a world's file, to start one's own from\n"
    "  --help            this text\n"
    "\n"
    "Examples:\n"
    "  pov sim station --out /tmp/station && pov run /tmp/station/station.yaml\n"
    "  pov sim comfort-car --variant horse-left --images 36 --views\n"
    "  pov sim vpt --sensor noisy --seed 7\n"
    "\n"
    "Exit codes: 0 done, 1 a file could not be read or written, 2 wrong usage.\n";

enum {
    OPTION_OUT = 256,
    OPTION_IMAGES,
    OPTION_VARIANT,
    OPTION_SEED,
    OPTION_SENSOR,
    OPTION_BODIES,
    OPTION_SIZE,
    OPTION_VIEWS,
    OPTION_TRUTH_IMAGES,
    OPTION_THREADS,
    OPTION_QUIET,
    OPTION_LIST,
    OPTION_CLASSES,
    OPTION_PRINT,
    OPTION_HELP
};

static const struct option options[] = {
    {"out", required_argument, NULL, OPTION_OUT},
    {"images", required_argument, NULL, OPTION_IMAGES},
    {"variant", required_argument, NULL, OPTION_VARIANT},
    {"seed", required_argument, NULL, OPTION_SEED},
    {"sensor", required_argument, NULL, OPTION_SENSOR},
    {"bodies", required_argument, NULL, OPTION_BODIES},
    {"size", required_argument, NULL, OPTION_SIZE},
    {"views", no_argument, NULL, OPTION_VIEWS},
    {"truth-images", no_argument, NULL, OPTION_TRUTH_IMAGES},
    {"threads", required_argument, NULL, OPTION_THREADS},
    {"quiet", no_argument, NULL, OPTION_QUIET},
    {"list", no_argument, NULL, OPTION_LIST},
    {"classes", no_argument, NULL, OPTION_CLASSES},
    {"print", no_argument, NULL, OPTION_PRINT},
    {"help", no_argument, NULL, OPTION_HELP},
    {NULL, 0, NULL, 0},
};

typedef struct {
    pov_simulator_config config;
    sim_output output;
    long images;
    int mode; /* OPTION_LIST, OPTION_CLASSES, OPTION_PRINT, OPTION_HELP; 0: draw */
} arguments;

static bool parse_long(long *value, const char *text, long low, long high)
{
    char *end;
    errno = 0;
    *value = strtol(text, &end, 10);
    return errno == 0 && end != text && !*end && *value >= low && *value <= high;
}

static int take_seed(arguments *args, const char *text)
{
    char *end;
    errno = 0;
    args->config.seed = strtoull(text, &end, 10);
    args->config.has_seed = true;
    return errno == 0 && end != text && !*end && *text != '-'
               ? POV_EXIT_OK
               : pov_cli_usage("sim", "--seed %s: expected a number, 0 or more", text);
}

static int take_size(arguments *args, const char *text)
{
    int length = 0;
    const int got = sscanf(text, "%dx%d%n", &args->config.width_px, &args->config.height_px, &length);
    const bool good = got == 2 && !text[length] && args->config.width_px >= 16 &&
                      args->config.width_px <= 4096 && args->config.height_px >= 16 &&
                      args->config.height_px <= 4096;
    return good ? POV_EXIT_OK
                : pov_cli_usage("sim", "--size %s: expected e.g. 640x480, 16 to 4096 pixels", text);
}

static int take_count(long *value, const char *name, long high)
{
    return parse_long(value, optarg, 1, high)
               ? POV_EXIT_OK
               : pov_cli_usage("sim", "--%s %s: expected a number, 1 to %ld", name, optarg, high);
}

static int take_threads(arguments *args)
{
    long threads = 0;
    const int code = take_count(&threads, "threads", POV_SIMULATOR_THREADS_MAX);
    args->config.threads = (int)threads;
    return code;
}

static int take_option(arguments *args, int option)
{
    switch (option) {
    case OPTION_OUT:
        args->output.folder = optarg;
        return POV_EXIT_OK;
    case OPTION_IMAGES:
        return take_count(&args->images, "images", POV_WORLD_IMAGE_MAX);
    case OPTION_VARIANT:
        args->config.variant = optarg;
        return POV_EXIT_OK;
    case OPTION_SEED:
        return take_seed(args, optarg);
    case OPTION_SENSOR:
        args->config.sensor = optarg;
        return POV_EXIT_OK;
    case OPTION_BODIES:
        return sim_bodies_of(&args->config.bodies, optarg)
                   ? POV_EXIT_OK
                   : pov_cli_usage("sim", "--bodies %s: expected own, package or auto", optarg);
    case OPTION_SIZE:
        return take_size(args, optarg);
    case OPTION_VIEWS:
        args->output.views = true;
        return POV_EXIT_OK;
    case OPTION_TRUTH_IMAGES:
        args->output.truth_images = true;
        return POV_EXIT_OK;
    case OPTION_THREADS:
        return take_threads(args);
    case OPTION_QUIET:
        args->output.quiet = true;
        return POV_EXIT_OK;
    case OPTION_LIST:
    case OPTION_CLASSES:
    case OPTION_PRINT:
    case OPTION_HELP:
        args->mode = option;
        return POV_EXIT_OK;
    default: /* getopt has said what is wrong */
        fputs("See 'pov sim --help'.\n", stderr);
        return POV_EXIT_USAGE;
    }
}

static int parse(arguments *args, int argc, char **argv)
{
    optind = 1;
    for (int option; (option = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        const int code = take_option(args, option);
        if (code != POV_EXIT_OK || args->mode == OPTION_HELP)
            return code;
    }
    if (optind + 1 < argc)
        return pov_cli_usage("sim", "one world, please; '%s' is one too many", argv[optind + 1]);
    args->config.world = args->output.world = optind < argc ? argv[optind] : NULL;
    if (!args->config.world && args->mode != OPTION_LIST && args->mode != OPTION_CLASSES)
        return pov_cli_usage("sim", "which world? 'pov sim --list' lists them");
    return POV_EXIT_OK;
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
    status = pov_write_file_end(&truth, status);
    return status.code == POV_OK ? sim_attributions_write(output, &attributions) : status;
}

static pov_status draw(sim_output *output, const arguments *args)
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
    output->image_len = args->images > 0 ? (int)args->images : world->image_len;
    pov_status status = sim_folder_prepare(output, world);
    if (status.code == POV_OK)
        status = write_images(output, simulator);
    if (status.code == POV_OK)
        status = sim_station_write(&has_station, output, world);
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

int pov_command_sim(int argc, char **argv)
{
    arguments args = {.config.bodies = POV_SIMULATOR_ANY_BODIES};
    const int code = parse(&args, argc, argv);
    pov_status status = pov_ok();
    if (code != POV_EXIT_OK)
        return code;
    pov_cli_catch_signals();
    switch (args.mode) {
    case OPTION_HELP:
        fputs(help, stdout);
        break;
    case OPTION_LIST:
        status = sim_list(args.config.world, args.config.threads);
        break;
    case OPTION_CLASSES:
        sim_list_classes();
        break;
    case OPTION_PRINT:
        status = print_world(args.config.world);
        break;
    default:
        status = draw(&args.output, &args);
    }
    return status.code == POV_OK ? POV_EXIT_OK : pov_cli_fail(status);
}
