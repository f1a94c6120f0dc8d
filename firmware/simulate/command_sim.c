#include "firmware/simulate/command_sim.h"

#include "config/files/json_value.h"
#include "config/files/write_file.h"
#include "firmware/clock.h"
#include "firmware/commands.h"
#include "firmware/picture/contact_sheet.h"
#include "firmware/picture/image_file.h"
#include "firmware/progress.h"
#include "perception/version.h"
#include "sim/worlds/shipped_worlds.h"

#include <cJSON.h>
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

/* pov sim --list: the worlds, with a picture of each. */

enum { THUMBNAIL_WIDTH_PX = 320, THUMBNAIL_HEIGHT_PX = 240, THUMBNAILS_A_WORLD = 6 };

static void list_world(const pov_world *world)
{
    printf("%-14s %s\n%14s %d images", world->name, world->about, "", world->image_len);
    for (int i = 0; i < world->variant_len; i++)
        printf("%s%s", i ? " " : "; variants ", world->variants[i]);
    putchar('\n');
}

static pov_status add_thumbnail(pov_contact_sheet *sheet, const char *world, const char *variant, int index,
                                int threads)
{
    pov_simulator *simulator;
    pov_image image;
    const pov_simulator_config config = {.world = world, .variant = variant, .threads = threads};
    POV_TRY(pov_simulator_new(&simulator, &config));
    const pov_status status = pov_simulator_take(simulator, &image, index);
    if (status.code == POV_OK) {
        snprintf(image.name, sizeof image.name, "%s%s%s %d", world, variant ? " " : "",
                 variant ? variant : "", index);
        (void)pov_contact_sheet_add(sheet, &image);
    }
    pov_simulator_destroy(&simulator);
    return status;
}

/* Spread over the variants, or without such over the images. */
static pov_status add_world(pov_contact_sheet *sheet, const pov_world *world, int threads)
{
    for (int i = 0; i < THUMBNAILS_A_WORLD; i++) {
        const int variant = world->variant_len > 1 ? i * (world->variant_len + 1) / THUMBNAILS_A_WORLD : 0;
        const int index = (world->image_len * i / THUMBNAILS_A_WORLD + (world->variant_len > 0 ? 3 : i % 2)) %
                          world->image_len;
        POV_TRY(add_thumbnail(sheet, world->name, variant > 0 ? world->variants[variant - 1] : NULL, index,
                              threads));
    }
    return pov_ok();
}

pov_status pov_sim_list(const char *sheet_path, int threads)
{
    int len = 0;
    while (POV_SHIPPED_WORLDS[len].name)
        len++;
    pov_contact_sheet *sheet =
        pov_contact_sheet_new(len * THUMBNAILS_A_WORLD, THUMBNAIL_WIDTH_PX, THUMBNAIL_HEIGHT_PX);
    pov_world *world = pov_allocate(1, sizeof *world);
    pov_status status = pov_ok();
    for (int i = 0; i < len && status.code == POV_OK; i++) {
        status = pov_simulator_read_world(world, POV_SHIPPED_WORLDS[i].name, NULL);
        if (status.code == POV_OK)
            list_world(world);
        if (status.code == POV_OK && sheet_path)
            status = add_world(sheet, world, threads);
    }
    if (status.code == POV_OK && sheet_path) {
        const pov_image picture = pov_contact_sheet_image(sheet);
        status = pov_image_file_write_png(sheet_path, &picture);
        if (status.code == POV_OK)
            printf("\nLook at %s\n", sheet_path);
    }
    pov_contact_sheet_destroy(&sheet);
    free(world);
    return status;
}

void pov_sim_list_classes(void)
{
    int len;
    const pov_catalogue_entry *entries = pov_catalogue_entries(&len);
    for (int i = 0; i < len; i++)
        printf("%-18s %.3g x %.3g x %.3g m%s%s\n", entries[i].class_name, entries[i].size_m.x,
               entries[i].size_m.y, entries[i].size_m.z, entries[i].has_front ? ", has a front" : "",
               entries[i].can_see ? ", can see" : "");
}

/* The folder that `pov sim` writes to: what lies there already, and who is to be named for its images. */

static const char own_mark[] = "Simulated by 'pov sim'";

static const char *const subfolders[] = {"images", "scenes", "bodies", "views", "ids", "depth"};

enum { SUBFOLDERS = sizeof subfolders / sizeof *subfolders };

void pov_sim_path(char path[SIM_PATH_CAPACITY], const char *folder, const char *subfolder, const char *name,
                  const char *extension)
{
    const char *dot = strrchr(name, '.');
    const int length = dot ? (int)(dot - name) : (int)strlen(name);
    snprintf(path, SIM_PATH_CAPACITY, "%.*s%s%s/%.*s%s", SIM_FOLDER_CAPACITY, folder, *subfolder ? "/" : "",
             subfolder, length, name, extension);
}

static bool is_own(const char *folder)
{
    char path[SIM_PATH_CAPACITY], line[sizeof own_mark] = "";
    pov_sim_path(path, folder, "", "ABOUT", ".txt");
    FILE *file = fopen(path, "r");
    if (!file)
        return false;
    const bool own = fgets(line, sizeof line, file) && strcmp(line, own_mark) == 0;
    fclose(file);
    return own;
}

static int count_entries(const char *folder)
{
    int count = 0;
    DIR *directory = opendir(folder);
    if (!directory)
        return errno == ENOENT ? 0 : -1;
    for (struct dirent *entry; (entry = readdir(directory));)
        count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    closedir(directory);
    return count;
}

/* Only files named as ours are: what else is there stays. */
static void clear_subfolder(const char *folder, const char *subfolder)
{
    char path[SIM_PATH_CAPACITY];
    snprintf(path, sizeof path, "%.*s/%s", SIM_FOLDER_CAPACITY, folder, subfolder);
    DIR *directory = opendir(path);
    if (!directory)
        return;
    for (struct dirent *entry; (entry = readdir(directory));)
        if (strncmp(entry->d_name, "simulated_", 10) == 0)
            unlinkat(dirfd(directory), entry->d_name, 0);
    closedir(directory);
}

static pov_status write_about(const sim_output *output, const pov_world *world)
{
    char path[SIM_PATH_CAPACITY];
    pov_write_file file;
    pov_sim_path(path, output->folder, "", "ABOUT", ".txt");
    POV_TRY(pov_write_file_begin(&file, path));
    fprintf(file.stream,
            "%s (pov " POV_VERSION "): nothing here is a photograph.\n\n"
            "world     %s%s%s\nseed      %llu\nsensor    %s\nimages    %d of %d x %d pixels\nbodies    "
            "%s\n\n%s\n",
            own_mark, output->world, *world->variant ? ", variant " : "", world->variant,
            (unsigned long long)world->seed, world->sensor_preset, output->image_len,
            world->camera.lens.width_px, world->camera.lens.height_px,
            output->package_bodies ? "those of sweethome3d-furniture where it has some" : "pov's own",
            world->about);
    return pov_write_file_end(&file, pov_ok());
}

static pov_status make_subfolder(const char *folder, const char *subfolder, bool wanted)
{
    char path[SIM_PATH_CAPACITY];
    snprintf(path, sizeof path, "%.*s/%s", SIM_FOLDER_CAPACITY, folder, subfolder);
    return wanted ? pov_write_folder(path) : pov_ok();
}

/* The folder, which nobody else has written to. */
static pov_status claim_folder(const sim_output *output, const pov_world *world)
{
    if (strlen(output->folder) >= SIM_FOLDER_CAPACITY)
        return pov_error("%.60s...: this path is too long", output->folder);
    const int entries = count_entries(output->folder);
    if (entries < 0 && errno == ENOTDIR)
        return pov_error("%s: is a file, not a folder; name a new folder with --out", output->folder);
    if (entries < 0)
        return pov_error("%s: cannot be used: %s", output->folder, strerror(errno));
    if (entries > 0 && !is_own(output->folder))
        return pov_error("%s: holds files that 'pov sim' did not write; choose another folder with --out",
                         output->folder);
    POV_TRY(pov_write_folder(output->folder));
    POV_TRY(write_about(output, world));
    char truth[SIM_PATH_CAPACITY];
    pov_sim_path(truth, output->folder, "", "truth", ".jsonl");
    unlink(truth);
    for (int i = 0; i < SUBFOLDERS; i++)
        clear_subfolder(output->folder, subfolders[i]);
    return pov_ok();
}

pov_status pov_sim_cameras_prepare(const sim_output *output, const pov_world *world)
{
    return claim_folder(output, world);
}

pov_status pov_sim_folder_prepare(const sim_output *output, const pov_world *world)
{
    POV_TRY(claim_folder(output, world));
    const bool wanted[SUBFOLDERS] = {true,
                                     true,
                                     world->generator.kind == POV_GENERATOR_NONE,
                                     output->views,
                                     output->truth_images,
                                     output->truth_images};
    for (int i = 0; i < SUBFOLDERS; i++)
        POV_TRY(make_subfolder(output->folder, subfolders[i], wanted[i]));
    return pov_ok();
}

/* ---- who is to be named for bodies ---- */

static bool is_listed(const sim_attributions *list, const char *attribution)
{
    for (int i = 0; i < list->len; i++)
        if (list->of[i] == attribution)
            return true;
    return false;
}

void pov_sim_attributions_add(sim_attributions *list, const pov_world *world)
{
    for (int i = 0; i < world->thing_len; i++) {
        const pov_world_thing *thing = &world->things[i];
        if (!thing->from_package)
            continue;
        const char *attribution = pov_furniture_find(thing->entity.class_name)->attribution;
        if (!is_listed(list, attribution) && list->len < SIM_ATTRIBUTION_MAX)
            list->of[list->len++] = attribution;
    }
}

static void print_credit(FILE *stream, const sim_attributions *list)
{
    fputs("In these images are models of the package sweethome3d-furniture, scaled:\n", stream);
    for (int i = 0; i < list->len; i++)
        fprintf(stream, "  %s\n", list->of[i]);
}

pov_status pov_sim_attributions_write(const sim_output *output, const sim_attributions *list)
{
    char path[SIM_PATH_CAPACITY];
    pov_write_file file;
    pov_sim_path(path, output->folder, "", "ATTRIBUTION", ".txt");
    if (list->len == 0) {
        unlink(path); /* an earlier run's, whose images are gone */
        return pov_ok();
    }
    POV_TRY(pov_write_file_begin(&file, path));
    print_credit(file.stream, list);
    if (!output->quiet)
        print_credit(stdout, list);
    return pov_write_file_end(&file, pov_ok());
}

/* The truth of an image as a line of JSON. */

static void add_numbers(cJSON *object, const char *key, const double *values, int len)
{
    cJSON_AddItemToObject(object, key, cJSON_CreateDoubleArray(values, len));
}

static void add_vector(cJSON *object, const char *key, pov_vec3 v)
{
    add_numbers(object, key, (const double[]){v.x, v.y, v.z}, 3);
}

static void add_image(cJSON *object, const pov_simulator_truth *truth, const pov_image *image)
{
    const pov_world *world = truth->world;
    char seed[24];
    cJSON *item = cJSON_AddObjectToObject(object, "image");
    pov_json_add_text(item, "name", image->name);
    pov_json_add_number(item, "sequence", image->sequence);
    pov_json_add_number(item, "width_px", image->width_px);
    pov_json_add_number(item, "height_px", image->height_px);
    pov_json_add_text(object, "world", world->name);
    pov_json_add_text(object, "variant", world->variant);
    snprintf(seed, sizeof seed, "%" PRIu64, world->seed);
    cJSON_AddRawToObject(object, "seed", seed); /* a double has 53 bits, a seed 64 */
    pov_json_add_text(object, "sensor", world->sensor_preset);
    pov_json_add_number(object, "turn_deg", pov_degrees(truth->turn_rad));
    pov_json_add_number(object, "time_s", truth->time_s);
}

static void add_camera(cJSON *object, const pov_simulator_truth *truth)
{
    const pov_camera *c = &truth->world->camera.lens;
    const pov_transform T = pov_world_T_table_camera(truth->world);
    char calibration[24];
    cJSON *camera = cJSON_AddObjectToObject(object, "camera");
    snprintf(calibration, sizeof calibration, "%016" PRIx64, pov_camera_hash(c));
    pov_json_add_text(camera, "calibration", calibration);
    pov_json_add_text(camera, "lens", c->lens == POV_LENS_EQUIDISTANT ? "equidistant" : "brown_conrady");
    add_numbers(camera, "K", (const double[]){c->fx_px, 0, c->cx_px, 0, c->fy_px, c->cy_px, 0, 0, 1}, 9);
    add_numbers(camera, "distortion", c->distortion, POV_DISTORTION_MAX);
    add_vector(camera, "pos_m", T.t_m);
    add_numbers(camera, "R_table_camera", &T.R.m[0][0], 9);
}

/* As an observation has it. */
static void add_pointing(cJSON *object, const pov_entity *entity)
{
    if (!entity->arms_seen)
        return;
    cJSON_AddBoolToObject(object, "arms_seen", true);
    cJSON *list = cJSON_AddArrayToObject(object, "pointing");
    for (int i = 0; i < entity->pointing.len; i++) {
        const pov_heading_mode *mode = &entity->pointing.mode[i];
        cJSON *item = cJSON_CreateObject();
        pov_json_add_number(item, "weight", mode->weight);
        pov_json_add_number(item, "yaw_rad", mode->yaw_rad);
        pov_json_add_number(item, "kappa", mode->kappa);
        cJSON_AddItemToArray(list, item);
    }
}

static cJSON *entity_object(const pov_entity *entity, int label, const int *pixels)
{
    cJSON *object = cJSON_CreateObject();
    pov_json_add_text(object, "id", entity->name);
    pov_json_add_text(object, "class", entity->class_name);
    add_vector(object, "pos_m", entity->position.mean_m);
    add_vector(object, "size_m", entity->size_m);
    add_numbers(object, "R_table_box", &entity->R_table_box.m[0][0], 9);
    pov_json_add_number(object, "heading_rad",
                        entity->heading.len > 0 ? entity->heading.mode[0].yaw_rad : NAN);
    add_pointing(object, entity);
    cJSON_AddBoolToObject(object, "addressee", entity->addressee);
    pov_json_add_number(object, "label", label);
    pov_json_add_number(object, "pixels", pixels[label]);
    return object;
}

static void count_pixels(int pixels[POV_ENTITY_MAX], const pov_simulator_truth *truth)
{
    const int len = truth->world->camera.lens.width_px * truth->world->camera.lens.height_px;
    for (int i = 0; i < len; i++)
        if (truth->labels[i] >= 0 && truth->labels[i] < POV_ENTITY_MAX)
            pixels[truth->labels[i]]++;
}

static pov_status add_visibility(cJSON *object, pov_simulator *simulator, const pov_scene *scene)
{
    cJSON *list = cJSON_AddArrayToObject(object, "visibility");
    for (pov_id viewer = 0; viewer < scene->len; viewer++)
        for (pov_id target = 0; target < scene->len; target++) {
            double fraction;
            POV_TRY(pov_simulator_fraction_visible(simulator, &fraction, viewer, target));
            if (isnan(fraction))
                continue;
            cJSON *item = cJSON_CreateObject();
            pov_json_add_text(item, "viewer", scene->entities[viewer].name);
            pov_json_add_text(item, "target", scene->entities[target].name);
            cJSON_AddItemToObject(item, "fraction_visible", pov_json_rounded(fraction, 4));
            cJSON_AddItemToArray(list, item);
        }
    return pov_ok();
}

pov_status pov_sim_truth_write(FILE *stream, pov_simulator *simulator, const pov_image *image)
{
    const pov_simulator_truth truth = pov_simulator_truth_of(simulator);
    int pixels[POV_ENTITY_MAX] = {0};
    count_pixels(pixels, &truth);
    cJSON *object = cJSON_CreateObject();
    cJSON_AddTrueToObject(object, "simulated");
    add_image(object, &truth, image);
    add_camera(object, &truth);
    cJSON *scene = cJSON_AddObjectToObject(object, "scene");
    cJSON *entities = cJSON_AddArrayToObject(scene, "entities");
    for (int i = 0; i < truth.scene->len; i++)
        cJSON_AddItemToArray(entities, entity_object(&truth.scene->entities[i], i, pixels));
    const pov_status status = add_visibility(object, simulator, truth.scene);
    if (status.code != POV_OK) {
        cJSON_Delete(object);
        return status;
    }
    pov_json_print_line(stream, object);
    return ferror(stream) ? pov_error("truth.jsonl: cannot be written: %s", strerror(errno)) : pov_ok();
}

typedef struct {
    pov_simulator_config config;
    sim_output output;
    int images;                /* 0: the world's own number */
    int cameras;               /* 0: one, without a folder of its own */
    bool list, classes, print; /* instead of drawing */
} arguments;

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
    POV_WHOLE(arguments, cameras, "cameras", "N", 1, SIM_CAMERA_MAX,
              "that look at the one world at the one time, evenly around it: a folder for each (a, b, ...), "
              "and a station of all (docs/CAMERAS.md)"),
    POV_SHARD(arguments, output.shard, "draw only these of the images (docs/CLUSTER.md)"),
    POV_TEXT(arguments, config.variant, "variant", "V",
             "one of the world's variants, or several: color+camera"),
    POV_TAKEN(arguments, config, "seed", "N", pov_simulator_take_seed, "of noise and of generated worlds"),
    POV_TEXT(arguments, config.sensor, "sensor", "S", "clean, noisy or blurred, in place of the world's",
             .names = sensor_names),
    POV_TAKEN(arguments, config, "size", "WxH", pov_simulator_take_size, "of the images, in pixels"),
    POV_CHOICE(
        arguments, config.bodies, "bodies", "B", body_names,
        "whose bodies things of plain looks have; package: Debian's sweethome3d-furniture, auto: those "
        "where it is installed. "
        "They look different: for the same images anywhere, own"),
    POV_FLAG(arguments, output.views, "views", "also draw the view of each viewer"),
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
    .about = "Draws a simulated world whose truth is known: images, the true poses in each (truth.jsonl), a "
             "scene file "
             "for each image, and a station file that 'pov run' takes as it is. WORLD is one of --list, or "
             "the path "
             "of a world file (docs/SIMULATOR.md). All that is written says that it is simulated.",
    .options = option_table,
    .words = {.max = 1, .wanted = "expected one world", .offer = offer_worlds},
    .examples = "pov sim station --out /tmp/station && pov run /tmp/station/station.yaml\n"
                "pov sim comfort-car --variant horse-left --images 36 --views\n"
                "pov sim station --cameras 2 --out two && pov run two/station.yaml\n"
                "pov sim vpt --sensor noisy --seed 7",
    .exits = "0 done; 1 a file could not be read or written",
};

static void offer_worlds(FILE *stream)
{
    for (const pov_embedded_file *world = POV_SHIPPED_WORLDS; world->name; world++)
        fprintf(stream, "%s\n", world->name);
}

static bool ends_in_png(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot && strcasecmp(dot, ".png") == 0;
}

static int read_options(arguments *args, int argc, char **argv)
{
    pov_words words;
    POV_OR_EXIT(pov_command_read(args, &words, &pov_command_sim, argc, argv));
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
    pov_sim_path(path, output->folder, subfolder, image->name, ".png");
    return pov_image_file_write_png16(path, values, image->width_px, image->height_px);
}

/* Ids: label + 1, 0 nothing. Depth: millimetres, 0 nothing or beyond 65 m. */
static pov_status write_truth_images(const sim_output *output, const pov_simulator_truth *truth,
                                     const pov_image *image)
{
    const size_t len = (size_t)image->width_px * (size_t)image->height_px;
    uint16_t *values = pov_allocate(len, sizeof *values);
    for (size_t i = 0; i < len; i++)
        values[i] = (uint16_t)(truth->labels[i] + 1);
    pov_status status = write_truth_image(output, "ids", image, values);
    for (size_t i = 0; i < len; i++) {
        const float depth_mm = truth->depth_m[i] * 1000 + 0.5F;
        values[i] = depth_mm < 65536 ? (uint16_t)depth_mm : 0;
    }
    POV_THEN(status, write_truth_image(output, "depth", image, values));
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
        pov_sim_path(path, output->folder, "views", name, end);
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
    pov_sim_path(path, output->folder, "images", image.name, ".png");
    POV_TRY(pov_image_file_write_png(path, &image));
    if (output->truth_images)
        POV_TRY(write_truth_images(output, &truth, &image));
    POV_TRY(pov_sim_scene_write(output, truth.scene, image.name));
    POV_TRY(pov_sim_truth_write(truth_stream, simulator, &image));
    return output->views ? write_views(output, simulator, image.name) : pov_ok();
}

static pov_status write_images(const sim_output *output, pov_simulator *simulator)
{
    char path[SIM_PATH_CAPACITY];
    pov_write_file truth;
    pov_sim_path(path, output->folder, "", "truth", ".jsonl");
    POV_TRY(pov_write_file_begin(&truth, path));
    int64_t first, end;
    pov_shard_range(&output->shard, &first, &end, output->image_len);
    const int wanted = (int)(end - first);
    pov_progress progress = pov_progress_start(stderr, "images", wanted, pov_clock_monotonic_ns());
    pov_status status = pov_ok();
    sim_attributions attributions = {0};
    int done = 0;
    while (done < wanted && status.code == POV_OK && !pov_cli_stop_requested()) {
        status = write_one(output, simulator, truth.stream, (int)first + done);
        done += status.code == POV_OK;
        pov_sim_attributions_add(&attributions, pov_simulator_truth_of(simulator).world);
        pov_progress_update(&progress, done, pov_clock_monotonic_ns());
    }
    pov_progress_finish(&progress, done, pov_clock_monotonic_ns());
    POV_TRY(pov_write_file_end(&truth, status));
    POV_TRY(pov_sim_attributions_write(output, &attributions));
    return done == wanted
               ? pov_ok()
               : pov_error("stopped after %d of %d images; the same command draws all of them again", done,
                           wanted);
}

/* All images of one camera, and the station that it is. */
static pov_status draw_camera(bool *has_station, sim_output *output, pov_simulator *simulator)
{
    output->package_bodies = pov_simulator_truth_of(simulator).from_package;
    POV_TRY(pov_sim_folder_prepare(output, pov_simulator_truth_of(simulator).world));
    POV_TRY(write_images(output, simulator));
    return pov_sim_station_write(has_station, output, simulator);
}

/* Each camera in a folder of its own, then the station of all. */
static pov_status draw_cameras(bool *has_station, sim_output *output, pov_simulator *first,
                               const arguments *args)
{
    sim_camera cameras[SIM_CAMERA_MAX];
    POV_TRY(pov_sim_cameras_prepare(output, pov_simulator_truth_of(first).world));
    for (int i = 0; i < args->cameras; i++) {
        char folder[SIM_PATH_CAPACITY];
        pov_simulator_config config = args->config;
        pov_simulator *simulator;
        sim_output own = *output;
        cameras[i].around_rad = own.around_rad = config.around_rad = 2 * POV_PI * i / args->cameras;
        snprintf(cameras[i].id, sizeof cameras[i].id, "%c", 'a' + i);
        pov_sim_path(folder, output->folder, "", cameras[i].id, "");
        own.folder = folder;
        POV_TRY(pov_simulator_new(&simulator, &config));
        cameras[i].T_table_camera = pov_world_T_table_camera(pov_simulator_truth_of(simulator).world);
        const pov_status status = draw_camera(has_station, &own, simulator);
        pov_simulator_destroy(&simulator);
        POV_TRY(status);
    }
    output->package_bodies = pov_simulator_truth_of(first).from_package;
    return pov_sim_station_write_cameras(has_station, output, first, cameras, args->cameras);
}

static void print_drawn(const sim_output *output, bool has_station, int cameras)
{
    int64_t first, end;
    pov_shard_range(&output->shard, &first, &end, output->image_len);
    if (cameras > 0)
        printf("%d simulated images of each of %d cameras in %s", (int)(end - first), cameras,
               output->folder);
    else
        printf("%d simulated images in %s/images", (int)(end - first), output->folder);
    if (has_station)
        printf("; judge them with: pov run %s/station.yaml\n", output->folder);
    else
        printf("; each image's scene is in %s/%sscenes\n", output->folder, cameras > 0 ? "a/" : "");
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
    output->image_len = args->images > 0 ? args->images : world->image_len;
    const pov_status status = args->cameras > 0 ? draw_cameras(&has_station, output, simulator, args)
                                                : draw_camera(&has_station, output, simulator);
    if (status.code == POV_OK && !output->quiet)
        print_drawn(output, has_station, args->cameras);
    output->folder = NULL;
    pov_simulator_destroy(&simulator);
    return status;
}

static pov_status print_world(const char *name)
{
    const pov_embedded_file *world = pov_embedded_find(POV_SHIPPED_WORLDS, name);
    if (!world)
        return pov_error("no world '%s' comes with pov; 'pov sim --list' lists those that do", name);
    fwrite(world->bytes, 1, world->len, stdout);
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
        status = pov_sim_list(args.config.world, args.config.threads);
    else if (args.classes)
        pov_sim_list_classes();
    else if (args.print)
        status = print_world(args.config.world);
    else
        status = draw_world(&args.output, &args);
    return pov_cli_exit(status);
}
