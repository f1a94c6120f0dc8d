#include "perception/objects/object_scan.h"

#include <math.h>
#include <stdlib.h>

enum { BINS = 18, WINDOW = 4, APART = 2 };

static const float bin_per_log = 1 / 0.15F, lowest_log = -1.35F;
static const float tolerance = 0.1F,
                   tolerance_of_dark = 9; /* of a direction of colour; the latter by its length */
static const double elevation_reach_rad = 15 * POV_PI / 180;
static const double least_size_px = 12;

pov_status object_tints_new(object_tints *tints, const pov_image_pyramid *pyramid)
{
    *tints = (object_tints){0};
    for (int i = 0; i < OBJECT_TINT_LEVELS; i++) {
        const pov_pyramid_level *level = &pyramid->levels[OBJECT_TINT_FIRST + i];
        tints->width_px[i] = level->width_px;
        tints->height_px[i] = level->height_px;
        tints->tints[i] =
            calloc((size_t)level->width_px * (size_t)level->height_px + 1, sizeof *tints->tints[i]);
        if (!tints->tints[i])
            return pov_error("enrolled objects: out of memory");
    }
    return pov_ok();
}

void object_tints_free(object_tints *tints)
{
    for (int i = 0; i < OBJECT_TINT_LEVELS; i++)
        free(tints->tints[i]);
    *tints = (object_tints){0};
}

static object_tint tint_of(const uint8_t *rgb)
{
    const float r = rgb[0], g = rgb[1], b = rgb[2], length = sqrtf(r * r + g * g + b * b) + 1;
    const float wide = tolerance + tolerance_of_dark / length;
    return (object_tint){{r / length, g / length, b / length}, logf(length), 1 / (wide * wide)};
}

void object_tints_set(object_tints *tints, const pov_image_pyramid *pyramid)
{
    for (int i = 0; i < OBJECT_TINT_LEVELS; i++) {
        const pov_pyramid_level *level = &pyramid->levels[OBJECT_TINT_FIRST + i];
        object_tint *out = tints->tints[i];
        for (int y = 0; y < level->height_px; y++) {
            const uint8_t *row = level->pixels + (size_t)y * (size_t)level->stride_bytes;
            for (int x = 0; x < level->width_px; x++)
                *out++ = tint_of(row + 3 * (size_t)x);
        }
    }
}

/* Near a place, pixels are linear in metres. */
typedef struct {
    pov_vec2 middle_px;
    float by[2][3]; /* pixels of the level by metres of the portraits' turned frame */
    const object_tint *tints;
    int width_px, height_px;
} look;

static pov_vec3 middle_of(const object_model *model, const object_place *place)
{
    return (pov_vec3){place->x_m, place->y_m, place->z_m + 0.5 * model->height_m};
}

double object_view_azimuth(const object_view *view, const object_place *place)
{
    const pov_vec3 eye_m = view->T_table_camera.t_m;
    return remainder(atan2(eye_m.y - place->y_m, eye_m.x - place->x_m) - place->yaw_rad, 2 * POV_PI);
}

double object_view_elevation_off(const object_view *view, const object_model *model,
                                 const object_place *place)
{
    const pov_vec3 to_eye_m = pov_vec3_sub(view->T_table_camera.t_m, middle_of(model, place));
    return fabs(atan2(to_eye_m.z, hypot(to_eye_m.x, to_eye_m.y)) - model->elevation_rad);
}

int object_view_level(const object_view *view, const object_model *model, const object_place *place)
{
    const double distance_m = pov_vec3_norm(pov_vec3_sub(view->T_table_camera.t_m, middle_of(model, place)));
    return pov_image_pyramid_level(2 * model->radius_m / POV_PORTRAIT_SIDE * view->camera->fx_px /
                                   distance_m);
}

bool object_place_in_view(const object_view *view, const object_model *model, const object_place *place)
{
    pov_vec2 pixel;
    double J[2][3];
    const pov_vec3 middle_m = middle_of(model, place), eye_m = view->T_table_camera.t_m;
    const pov_vec3 to_eye_m = pov_vec3_sub(eye_m, middle_m);
    const double elevation_rad = atan2(to_eye_m.z, hypot(to_eye_m.x, to_eye_m.y));
    return fabs(elevation_rad - model->elevation_rad) <= elevation_reach_rad &&
           pov_camera_project(view->camera, &pixel, J, pov_transform_apply(view->T_camera_table, middle_m)) ==
               POV_OK &&
           pixel.x > 0 && pixel.y > 0 && pixel.x < view->camera->width_px - 1 &&
           pixel.y < view->camera->height_px - 1 &&
           2 * model->radius_m * view->camera->fx_px / pov_vec3_norm(to_eye_m) >= least_size_px;
}

static bool prepare(look *l, const object_view *view, const object_model *model, const object_place *place)
{
    double J[2][3];
    const pov_vec3 middle_m = middle_of(model, place), eye_m = view->T_table_camera.t_m;
    if (pov_camera_project(view->camera, &l->middle_px, J,
                           pov_transform_apply(view->T_camera_table, middle_m)) != POV_OK)
        return false;
    const double azimuth_rad = atan2(eye_m.y - middle_m.y, eye_m.x - middle_m.x);
    const pov_rot R = pov_rot_mul(view->T_camera_table.R, pov_rot_yaw(azimuth_rad));
    const double cell_m = 2 * model->radius_m * OBJECT_CELL_PX / POV_PORTRAIT_SIDE;
    const double cell_px = cell_m * hypot(J[0][0], J[0][1]);
    int level = 0;
    while (level < OBJECT_TINT_LEVELS - 1 && cell_px > 3 * (1 << (OBJECT_TINT_FIRST + level)))
        level++;
    const double scale = 1.0 / (1 << (OBJECT_TINT_FIRST + level));
    for (int r = 0; r < 2; r++)
        for (int k = 0; k < 3; k++)
            l->by[r][k] = (float)(scale * (J[r][0] * R.m[0][k] + J[r][1] * R.m[1][k] + J[r][2] * R.m[2][k]));
    /* to the nearest pixel; the middle is half of the height up */
    l->middle_px.x = (l->middle_px.x + 0.5) * scale - (double)l->by[0][2] * 0.5 * model->height_m;
    l->middle_px.y = (l->middle_px.y + 0.5) * scale - (double)l->by[1][2] * 0.5 * model->height_m;
    l->tints = view->tints->tints[level];
    l->width_px = view->tints->width_px[level];
    l->height_px = view->tints->height_px[level];
    return true;
}

/* Patches vote for how much brighter all is than when enrolled, as far as their colours agree; neighbouring bins
 * together decide, for light from another side brightens one side more. */
static double vote(const look *l, const object_patch *patches, int len)
{
    float bins[BINS + WINDOW] = {0}, worth = 0;
    const float x0 = (float)l->middle_px.x, y0 = (float)l->middle_px.y;
    for (int i = 0; i < len; i++) {
        const object_patch *patch = &patches[i];
        const float *p = patch->place_m;
        worth += patch->worth > 0 ? patch->worth : 0;
        const float x = x0 + l->by[0][0] * p[0] + l->by[0][1] * p[1] + l->by[0][2] * p[2];
        const float y = y0 + l->by[1][0] * p[0] + l->by[1][1] * p[1] + l->by[1][2] * p[2];
        if (!(x >= 0 && y >= 0 && x < (float)l->width_px && y < (float)l->height_px))
            continue;
        const object_tint *tint = &l->tints[(int)y * l->width_px + (int)x];
        const float agree = patch->direction[0] * tint->direction[0] +
                            patch->direction[1] * tint->direction[1] +
                            patch->direction[2] * tint->direction[2];
        const float good = 1 - (2 - 2 * agree) * tint->sharpness;
        const float bin = (tint->log_length - patch->log_length - lowest_log) * bin_per_log;
        if (good > 0 && bin >= 0 && bin < BINS)
            bins[(int)bin] += patch->worth * good;
    }
    float best = 0;
    for (int i = 0; i < BINS; i++) {
        float sum = 0;
        for (int k = 0; k < WINDOW; k++)
            sum += bins[i + k];
        best = fmaxf(best, sum);
    }
    return worth > 0 ? (double)(best / worth) : 0;
}

static double yaw_of(const object_view *view, const object_place *place, double azimuth_rad)
{
    const pov_vec3 eye_m = view->T_table_camera.t_m;
    return atan2(eye_m.y - place->y_m, eye_m.x - place->x_m) - azimuth_rad;
}

void object_scan_place(const object_view *view, const object_model *model, object_place *place,
                       int portrait_step, double share)
{
    look l;
    place->score = 0;
    if (!prepare(&l, view, model, place))
        return;
    for (int i = 0; i < model->len; i += portrait_step) {
        const object_portrait *portrait = &model->portraits[i];
        const double score =
            i == model->left_out ? 0 : vote(&l, portrait->patches, (int)ceil(share * portrait->patch_len));
        if (score > place->score) {
            place->score = score;
            place->yaw_rad = yaw_of(view, place, portrait->azimuth_rad);
        }
    }
}

double object_scan_score(const object_view *view, const object_model *model, const object_place *place)
{
    look l;
    const double azimuth_rad = yaw_of(view, place, place->yaw_rad);
    if (!prepare(&l, view, model, place))
        return 0;
    const object_pair pair = object_model_between(model, remainder(azimuth_rad, 2 * POV_PI));
    const object_portrait *nearer = pair.portrait[pair.share[1] > 0.5];
    return vote(&l, nearer->patches, nearer->patch_len);
}

static void insert(object_place *turns, int *len, int max, const object_place *turn)
{
    int at = *len < max ? (*len)++ : max;
    for (; at > 0 && turns[at - 1].score < turn->score; at--)
        if (at < max)
            turns[at] = turns[at - 1];
    if (at < max)
        turns[at] = *turn;
}

int object_scan_turns(const object_view *view, const object_model *model, object_place *turns, int max,
                      const object_place *at)
{
    look l;
    double scores[POV_PORTRAIT_MAX];
    int len = 0;
    if (!prepare(&l, view, model, at))
        return 0;
    for (int i = 0; i < model->len; i++)
        scores[i] =
            i == model->left_out ? 0 : vote(&l, model->portraits[i].patches, model->portraits[i].patch_len);
    for (int i = 0; i < model->len; i++) {
        bool is_best = true;
        for (int k = 1; k <= APART; k++)
            is_best = is_best && scores[i] >= scores[(i + k) % model->len] &&
                      scores[i] > scores[(i + model->len - k) % model->len];
        object_place turn = *at;
        turn.score = scores[i];
        turn.yaw_rad = yaw_of(view, at, model->portraits[i].azimuth_rad);
        if (is_best && scores[i] > 0)
            insert(turns, &len, max, &turn);
    }
    return len;
}
