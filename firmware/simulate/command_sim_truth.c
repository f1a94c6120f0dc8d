/* The truth of an image as a line of JSON. Ids hold neither quotes nor backslashes: the world's reader sees to it. */
#include "firmware/simulate/command_sim.h"

#include <errno.h>
#include <math.h>
#include <string.h>

static void write_numbers(FILE *stream, const char *key, const double *values, int len)
{
    fprintf(stream, "\"%s\": [", key);
    for (int i = 0; i < len; i++)
        fprintf(stream, "%s%.17g", i ? ", " : "", values[i]);
    fputs("], ", stream);
}

static void write_vector(FILE *stream, const char *key, pov_vec3 v)
{
    write_numbers(stream, key, (const double[]){v.x, v.y, v.z}, 3);
}

static void write_image(FILE *stream, const pov_simulator_truth *truth, const pov_image *image)
{
    const pov_world *world = truth->world;
    fprintf(stream,
            "{\"simulated\": true, \"image\": {\"name\": \"%s\", \"sequence\": %u, \"width_px\": %d, "
            "\"height_px\": "
            "%d}, \"world\": \"%s\", \"variant\": \"%s\", \"seed\": %llu, \"sensor\": \"%s\", \"turn_deg\": "
            "%.17g, \"time_s\": %.17g, ",
            image->name, image->sequence, image->width_px, image->height_px, world->name, world->variant,
            (unsigned long long)world->seed, world->sensor_preset, pov_degrees(truth->turn_rad),
            truth->time_s);
}

static void write_camera(FILE *stream, const pov_simulator_truth *truth)
{
    const pov_camera *c = &truth->world->camera.lens;
    const pov_transform T = pov_world_T_table_camera(truth->world);
    fprintf(stream, "\"camera\": {\"calibration\": \"%016llx\", \"lens\": \"%s\", ",
            (unsigned long long)pov_camera_hash(c),
            c->lens == POV_LENS_EQUIDISTANT ? "equidistant" : "brown_conrady");
    write_numbers(stream, "K", (const double[]){c->fx_px, 0, c->cx_px, 0, c->fy_px, c->cy_px, 0, 0, 1}, 9);
    write_numbers(stream, "distortion", c->distortion, POV_DISTORTION_MAX);
    write_vector(stream, "pos_m", T.t_m);
    fputs("\"R_table_camera\": [", stream);
    for (int i = 0; i < 9; i++)
        fprintf(stream, "%s%.17g", i ? ", " : "", T.R.m[i / 3][i % 3]);
    fputs("]}, ", stream);
}

static void write_entity(FILE *stream, const pov_entity *entity, int label, const int *pixels)
{
    fprintf(stream, "{\"id\": \"%s\", \"class\": \"%s\", ", entity->name, entity->class_name);
    write_vector(stream, "pos_m", entity->position.mean_m);
    write_vector(stream, "size_m", entity->size_m);
    write_numbers(stream, "R_table_box", &entity->R_table_box.m[0][0], 9);
    if (entity->heading.len > 0)
        fprintf(stream, "\"heading_rad\": %.17g, ", entity->heading.mode[0].yaw_rad);
    else
        fputs("\"heading_rad\": null, ", stream);
    fprintf(stream, "\"addressee\": %s, \"label\": %d, \"pixels\": %d}", entity->addressee ? "true" : "false",
            label, pixels[label]);
}

static void count_pixels(int pixels[POV_ENTITY_MAX], const pov_simulator_truth *truth)
{
    const int len = truth->world->camera.lens.width_px * truth->world->camera.lens.height_px;
    for (int i = 0; i < len; i++)
        if (truth->labels[i] >= 0 && truth->labels[i] < POV_ENTITY_MAX)
            pixels[truth->labels[i]]++;
}

static pov_status write_visibility(FILE *stream, pov_simulator *simulator, const pov_scene *scene)
{
    const char *comma = "";
    fputs("\"visibility\": [", stream);
    for (pov_id viewer = 0; viewer < scene->len; viewer++)
        for (pov_id target = 0; target < scene->len; target++) {
            double fraction;
            POV_TRY(pov_simulator_fraction_visible(simulator, &fraction, viewer, target));
            if (isnan(fraction))
                continue;
            fprintf(stream, "%s{\"viewer\": \"%s\", \"target\": \"%s\", \"fraction_visible\": %.4f}", comma,
                    scene->entities[viewer].name, scene->entities[target].name, fraction);
            comma = ", ";
        }
    fputs("]}\n", stream);
    return pov_ok();
}

pov_status sim_truth_write(FILE *stream, pov_simulator *simulator, const pov_image *image)
{
    const pov_simulator_truth truth = pov_simulator_truth_of(simulator);
    int pixels[POV_ENTITY_MAX] = {0};
    count_pixels(pixels, &truth);
    write_image(stream, &truth, image);
    write_camera(stream, &truth);
    fputs("\"scene\": {\"entities\": [", stream);
    for (int i = 0; i < truth.scene->len; i++) {
        fputs(i ? ", " : "", stream);
        write_entity(stream, &truth.scene->entities[i], i, pixels);
    }
    fputs("]}, ", stream);
    POV_TRY(write_visibility(stream, simulator, truth.scene));
    return ferror(stream) ? pov_error("truth.jsonl: cannot be written: %s", strerror(errno)) : pov_ok();
}
