#include "firmware/station/station_doubts.h"

#include "perception/lens/lens_sense.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const double far_away_m =
    100; /* of a camera from all that it looks at, on a table or in a hall; chosen */
static const double tag_edge_max_m = 2; /* of the largest print that anybody hangs up; chosen */
static const double upside_down =
    0.2; /* share of the image's downward axis that points up: 12 degrees; chosen */

typedef struct {
    const pov_station *station;
    pov_station_tell *tell;
    void *context;
} doubter;

__attribute__((format(printf, 2, 3))) static void tell(const doubter *d, const char *format, ...)
{
    char text[POV_MESSAGE_CAPACITY];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    d->tell(d->context, text);
}

static void doubt_lens(const doubter *d)
{
    pov_lens_oddities oddities;
    if (!*d->station->calibration.path)
        return;
    pov_lens_find_oddities(&oddities, &d->station->camera, d->station->calibration.trust.is_cropped);
    for (int i = 0; i < oddities.len; i++)
        tell(d, "%.300s: %s", d->station->calibration.path, oddities.text[i]);
}

/* ---- the camera's pose ---- */

static bool is_in_view(const pov_camera *camera, const pov_transform *T_table_camera, pov_vec3 pos_m)
{
    pov_vec2 pixel;
    return pov_camera_project(camera, &pixel, NULL,
                              pov_transform_apply(pov_transform_inverse(*T_table_camera), pos_m)) == POV_OK &&
           pixel.x > -0.5 && pixel.y > -0.5 && pixel.x < camera->width_px - 0.5 &&
           pixel.y < camera->height_px - 0.5;
}

/* Any of its pixels looks at the table's plane. */
static bool looks_down(const pov_camera *camera, const pov_transform *T_table_camera)
{
    enum { ACROSS = 5 };
    for (int i = 0; i < ACROSS * ACROSS; i++) {
        const pov_vec2 pixel = {(camera->width_px - 1.0) * (i % ACROSS) / (ACROSS - 1),
                                (camera->height_px - 1.0) * (i / ACROSS) / (ACROSS - 1)};
        pov_vec3 ray;
        if (pov_camera_unproject(camera, &ray, NULL, pixel) == POV_OK &&
            pov_rot_apply(T_table_camera->R, ray).z * T_table_camera->t_m.z < 0)
            return true;
    }
    return false;
}

/* Surveyed things, and how many of them are in view. A part of one may be in view when its middle is not: corners count, too. */
static int count_in_view(int *surveyed, const pov_station *station, const pov_transform *T_table_camera)
{
    int seen = 0;
    *surveyed = 0;
    for (int i = 0; i < station->cast.len; i++) {
        const pov_entity *entity = &station->cast.members[i].entity;
        bool is_seen = false;
        if (!entity->placed)
            continue;
        for (int k = 0; k < 9 && !is_seen; k++) {
            const pov_vec3 s = entity->size_m;
            const pov_vec3 corner = {(k & 1 ? 0.5 : -0.5) * s.x, (k & 2 ? 0.5 : -0.5) * s.y,
                                     (k & 4 ? 0.5 : -0.5) * s.z};
            const pov_vec3 off = k == 8 ? (pov_vec3){0, 0, 0} : pov_rot_apply(entity->R_table_box, corner);
            is_seen =
                is_in_view(&station->camera, T_table_camera, pov_vec3_add(entity->position.mean_m, off));
        }
        (*surveyed)++;
        seen += is_seen;
    }
    return seen;
}

static bool looks_away(const pov_station *station, const pov_transform *T_table_camera)
{
    int surveyed;
    const int seen = count_in_view(&surveyed, station, T_table_camera);
    const bool has_others = surveyed < station->cast.len;
    return station->cast.len > 0 && seen == 0 &&
           !(has_others && looks_down(&station->camera, T_table_camera));
}

static bool is_upside_down(const pov_transform *T_table_camera)
{
    return T_table_camera->R.m[2][1] > upside_down;
}

/* The nearest of what the station has measured, and of the table's origin. */
static double nearest_m(const pov_station *station, pov_vec3 eye_m)
{
    double least_m = pov_vec3_norm(eye_m);
    for (int i = 0; i < station->cast.len; i++)
        if (station->cast.members[i].entity.placed)
            least_m = fmin(
                least_m, pov_vec3_norm(pov_vec3_sub(eye_m, station->cast.members[i].entity.position.mean_m)));
    return least_m;
}

static void doubt_pose(const doubter *d)
{
    const pov_station *station = d->station;
    const pov_transform *T = &station->place.T_table_camera.T;
    const pov_transform transposed = {pov_rot_transpose(T->R), T->t_m};
    if (!station->place.is_given)
        return;
    const double away_m = nearest_m(station, T->t_m);
    if (away_m > far_away_m)
        tell(d,
             "camera.pose: the camera is %.0f m away from the table and all that is surveyed; are these "
             "millimetres? Lengths are metres",
             away_m);
    if (T->t_m.z < 0)
        tell(d, "camera.pose: the camera is %.3g m below the table's plane; z points up", -T->t_m.z);
    if (station->camera.width_px == 0)
        return; /* a guess, for images of any size */
    const bool is_away = looks_away(station, T), is_down = is_upside_down(T);
    const char *advice =
        (is_away || is_down) && !looks_away(station, &transposed) && !is_upside_down(&transposed)
            ? "; the rotation transposed would not: the columns of R_table_camera are the camera's axes "
              "(right, "
              "down, forward) in the table frame"
            : "";
    if (is_away)
        tell(d, "camera.pose: the camera looks away from all of the cast%s", advice);
    if (is_down)
        tell(d, "camera.pose: the camera is upside down: below in its images is up%s", is_away ? "" : advice);
}

/* ---- sizes ---- */

/* The longest side that things of a class have, toys and models included. */
static const struct {
    const char *class_name;
    double least_m, most_m;
} usual_sizes[] = {
    {"apple", 0.02, 0.3},    {"ball", 0.004, 1.6},  {"banana", 0.03, 0.4},   {"bicycle", 0.03, 2.5},
    {"book", 0.02, 0.8},     {"bottle", 0.02, 0.7}, {"bowl", 0.02, 0.8},     {"car", 0.02, 7},
    {"cat", 0.02, 1.5},      {"chair", 0.03, 2},    {"cup", 0.02, 0.3},      {"dog", 0.02, 2},
    {"duck", 0.02, 1.5},     {"fork", 0.05, 0.5},   {"horse", 0.02, 4},      {"keyboard", 0.1, 0.8},
    {"knife", 0.05, 0.6},    {"laptop", 0.1, 0.8},  {"mouse", 0.02, 0.3},    {"mug", 0.02, 0.3},
    {"orange", 0.02, 0.3},   {"person", 0.05, 2.6}, {"phone", 0.03, 0.4},    {"plate", 0.05, 0.8},
    {"scissors", 0.05, 0.6}, {"spoon", 0.05, 0.5},  {"teddy bear", 0.05, 2}, {"vase", 0.03, 1.5},
};

static double longest_side_m(const pov_station *station, const pov_cast_member *member)
{
    const pov_vec3 s = member->entity.size_m;
    if (member->found_by == &pov_found_by_ball)
        return 2 * station->finders.balls.kinds[member->kind].radius_m;
    return fmax(s.x, fmax(s.y, s.z));
}

static void doubt_size(const doubter *d, const pov_cast_member *member)
{
    const double side_m = longest_side_m(d->station, member);
    for (size_t i = 0; i < sizeof usual_sizes / sizeof *usual_sizes; i++) {
        const double least_m = usual_sizes[i].least_m, most_m = usual_sizes[i].most_m;
        if (strcmp(usual_sizes[i].class_name, member->entity.class_name) != 0 || !(side_m > 0) ||
            (side_m >= least_m && side_m <= most_m))
            continue;
        const bool is_in_mm = side_m / 1000 >= least_m && side_m / 1000 <= most_m;
        tell(d, "'%s' is %.4g m long, and things of the class '%s' have %.4g to %.4g m%s",
             member->entity.name, side_m, member->entity.class_name, least_m, most_m,
             is_in_mm ? ": are these millimetres?" : "");
    }
}

static void doubt_tags(const doubter *d)
{
    const pov_tag_map *map = &d->station->finders.tags.map;
    int large = -1;
    for (int i = 0; i < map->len; i++)
        if (map->tags[i].edge_m > tag_edge_max_m && large < 0)
            large = i;
    if (large >= 0)
        tell(d, "tags.map: tag %d has an edge of %.4g m: are these millimetres? Lengths are metres",
             map->tags[large].id, map->tags[large].edge_m);
}

void pov_station_find_doubts(const pov_station *station, pov_station_tell *tell_one, void *context)
{
    const doubter d = {station, tell_one, context};
    doubt_lens(&d);
    doubt_pose(&d);
    doubt_tags(&d);
    for (int i = 0; i < station->cast.len; i++)
        doubt_size(&d, &station->cast.members[i]);
}
