#include "firmware/dashboard/bodies.h"

#include "config/files/json_value.h"
#include "firmware/dashboard/update.h"
#include "sim/bodies/catalogue.h"

#include <cJSON.h>
#include <math.h>
#include <string.h>

static uint8_t srgb_of(double linear)
{
    const double level = linear <= 0.0031308 ? 12.92 * linear : 1.055 * pow(linear, 1 / 2.4) - 0.055;
    return (uint8_t)lround(255 * fmin(1, fmax(0, level)));
}

/* The mean of a texture stands for it. */
static cJSON *colour_item(const pov_model_parts *parts, int material)
{
    const pov_material *m = &parts->materials[material];
    double mean[3] = {1, 1, 1};
    if (m->texture != POV_TEXTURE_NONE) {
        const pov_texture *texture = &parts->textures[m->texture];
        const int len = texture->width_px * texture->height_px;
        for (int c = 0; c < 3; c++) {
            mean[c] = 0;
            for (int i = 0; i < len; i++)
                mean[c] += pow(texture->pixels[3 * i + c] / 255.0, 2.2) / len;
        }
    }
    return pov_update_colour((pov_colour){srgb_of(m->albedo[0] * mean[0]), srgb_of(m->albedo[1] * mean[1]),
                                          srgb_of(m->albedo[2] * mean[2])});
}

static void append_corner(cJSON *list, const float position_m[3], pov_vec3 size_m)
{
    const double size[3] = {size_m.x, size_m.y, size_m.z};
    for (int axis = 0; axis < 3; axis++) {
        const double share = size[axis] > 0 ? (double)position_m[axis] / size[axis] : 0;
        cJSON_AddItemToArray(list, pov_json_rounded(1000 * share, 0));
    }
}

static cJSON *part_object(const pov_model_parts *parts, int material, pov_vec3 size_m)
{
    cJSON *part = cJSON_CreateObject();
    cJSON_AddItemToObject(part, "colour", colour_item(parts, material));
    cJSON *corners = cJSON_AddArrayToObject(part, "corners");
    for (int i = 0; i < parts->triangle_len; i++)
        for (int k = 0; k < 3 && parts->triangle_material[i] == material; k++)
            append_corner(corners, parts->positions_m[parts->triangles[i][k]], size_m);
    return part;
}

static cJSON *body_array(const pov_model *model)
{
    const pov_model_parts parts = pov_model_read(model);
    pov_vec3 centre_m, size_m;
    pov_model_bounds(model, &centre_m, &size_m);
    cJSON *body = cJSON_CreateArray();
    for (int material = 0; material < parts.material_len; material++)
        cJSON_AddItemToArray(body, part_object(&parts, material, size_m));
    return body;
}

static bool came_before(const pov_scene *scene, pov_id id)
{
    for (pov_id before = 0; before < id; before++)
        if (strcmp(scene->entities[before].class_name, scene->entities[id].class_name) == 0)
            return true;
    return false;
}

void pov_bodies_write(FILE *stream, const pov_scene *scene)
{
    cJSON *bodies = cJSON_CreateObject();
    for (pov_id id = 0; id < scene->len; id++) {
        const char *class_name = scene->entities[id].class_name;
        pov_model *model;
        if (came_before(scene, id) || !pov_catalogue_find(class_name) ||
            pov_catalogue_build(&model, class_name, NULL).code != POV_OK)
            continue;
        cJSON_AddItemToObject(bodies, class_name, body_array(model));
        pov_model_destroy(&model);
    }
    pov_json_print(stream, bodies);
}
