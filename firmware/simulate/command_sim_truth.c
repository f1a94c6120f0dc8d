/* The truth of an image as a line of JSON. */
#include "firmware/simulate/command_sim.h"

#include "config/files/json_value.h"

#include <cJSON.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

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

pov_status sim_truth_write(FILE *stream, pov_simulator *simulator, const pov_image *image)
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
