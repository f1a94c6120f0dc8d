#include "firmware/dashboard/bodies.h"

#include "firmware/dashboard/update.h"
#include "sim/bodies/catalogue.h"

#include <math.h>
#include <string.h>

static int srgb_of(double linear)
{
    const double level = linear <= 0.0031308 ? 12.92 * linear : 1.055 * pow(linear, 1 / 2.4) - 0.055;
    return (int)lround(255 * fmin(1, fmax(0, level)));
}

/* The mean of a texture stands for it. */
static void write_colour(FILE *stream, const pov_model_parts *parts, int material)
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
    fprintf(stream, "\"#%02x%02x%02x\"", srgb_of(m->albedo[0] * mean[0]), srgb_of(m->albedo[1] * mean[1]),
            srgb_of(m->albedo[2] * mean[2]));
}

static void write_corner(FILE *stream, const float position_m[3], pov_vec3 size_m)
{
    const double size[3] = {size_m.x, size_m.y, size_m.z};
    for (int axis = 0; axis < 3; axis++)
        fprintf(stream, ",%ld", size[axis] > 0 ? lround(1000 * (double)position_m[axis] / size[axis]) : 0);
}

static void write_part(FILE *stream, const pov_model_parts *parts, int material, pov_vec3 size_m)
{
    fputs("{\"colour\":", stream);
    write_colour(stream, parts, material);
    fputs(",\"corners\":[0", stream);
    for (int i = 0; i < parts->triangle_len; i++)
        for (int k = 0; k < 3 && parts->triangle_material[i] == material; k++)
            write_corner(stream, parts->positions_m[parts->triangles[i][k]], size_m);
    fputs("]}", stream);
}

static void write_body(FILE *stream, const pov_model *model)
{
    const pov_model_parts parts = pov_model_read(model);
    pov_vec3 centre_m, size_m;
    pov_model_bounds(model, &centre_m, &size_m);
    for (int material = 0; material < parts.material_len; material++) {
        fputs(material ? "," : "", stream);
        write_part(stream, &parts, material, size_m);
    }
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
    const char *separator = "{";
    for (pov_id id = 0; id < scene->len; id++) {
        const char *class_name = scene->entities[id].class_name;
        pov_model *model;
        if (came_before(scene, id) || !pov_catalogue_find(class_name) ||
            pov_catalogue_build(&model, class_name, NULL).code != POV_OK)
            continue;
        fputs(separator, stream);
        pov_update_write_text(stream, class_name);
        fputs(":[", stream);
        write_body(stream, model);
        fputs("]", stream);
        pov_model_destroy(&model);
        separator = ",";
    }
    fputs(*separator == '{' ? "{}" : "}", stream);
}
