#include "perception/objects/object_scan.h"

#include "perception/image/clones.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Bins of brightness, and how many neighbours vote together; portraits between two best turns; rows of the table; portraits
 * between two tried first. Chosen. */
enum { BINS = 18, WINDOW = 4, APART = 2, ROWS_MAX = 400, FIRST_STEP = 3 };

static const float bin_per_log = 1 / 0.15F,
                   lowest_log = -1.35F; /* log of brightness against enrolment; chosen */
/* Deviation of a unit direction of colour; the second is divided by its length in levels, as noise tilts dark colours more. Chosen. */
static const float tolerance = 0.1F, tolerance_of_dark = 9;
static const double first_share = 0.35; /* of the patches, at first sight; chosen for speed */
static const double step_share = 0.25, apart_share = 0.45; /* of the radius: grid step; two places. Chosen. */
static const double reach_max_rad = 16 * POV_PI / 180,
                    flattest_rad = 6 * POV_PI / 180; /* of elevation; chosen */

pov_status pov_object_tints_new(object_tints *tints, const pov_image_pyramid *pyramid)
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

void pov_object_tints_free(object_tints *tints)
{
    for (int i = 0; i < OBJECT_TINT_LEVELS; i++)
        free(tints->tints[i]);
    *tints = (object_tints){0};
}

/* Natural logarithm of a number from 1 on, within 2e-6: so simple that a loop of it becomes vector instructions. The mantissa's is
 * the series of 2 atanh about the square root of 2. */
static inline float find_log(float x)
{
    const float root = 1.41421356F, log_2 = 0.69314718F;
    int32_t bits;
    memcpy(&bits, &x, sizeof bits);
    const float exponent = (float)((bits >> 23) - 127);
    bits = (bits & 0x7FFFFF) | 0x3F800000;
    memcpy(&x, &bits, sizeof x);
    const float t = (x - root) / (x + root), t2 = t * t;
    return log_2 * (exponent + 0.5F) + 2 * t * (1 + t2 * (1 / 3.0F + t2 * (1 / 5.0F)));
}

enum { TINTS_AT_ONCE = 64 };

POV_CLONES static void find_tints(object_tint *out, const uint8_t *rgb, int len)
{
    float direction[3][TINTS_AT_ONCE], log_length[TINTS_AT_ONCE], sharpness[TINTS_AT_ONCE];
    for (int c = 0; c < 3; c++)
        for (int i = 0; i < len; i++)
            direction[c][i] = rgb[3 * i + c];
    for (int i = 0; i < len; i++) {
        const float r = direction[0][i], g = direction[1][i], b = direction[2][i],
                    length = sqrtf(r * r + g * g + b * b) + 1, per_length = 1 / length,
                    wide = tolerance + tolerance_of_dark * per_length;
        direction[0][i] = r * per_length;
        direction[1][i] = g * per_length;
        direction[2][i] = b * per_length;
        log_length[i] = find_log(length);
        sharpness[i] = 1 / (wide * wide);
    }
    for (int i = 0; i < len; i++)
        out[i] =
            (object_tint){{direction[0][i], direction[1][i], direction[2][i]}, log_length[i], sharpness[i]};
}

void pov_object_tints_set(object_tints *tints, const pov_image_pyramid *pyramid, int part, int of)
{
    for (int i = 0; i < OBJECT_TINT_LEVELS; i++) {
        const pov_pyramid_level *level = &pyramid->levels[OBJECT_TINT_FIRST + i];
        const int first = level->height_px * part / of, end = level->height_px * (part + 1) / of;
        object_tint *out = tints->tints[i] + (size_t)first * (size_t)level->width_px;
        for (int y = first; y < end; y++) {
            const uint8_t *row = level->pixels + (size_t)y * (size_t)level->stride_bytes;
            for (int x = 0; x < level->width_px; x += TINTS_AT_ONCE) {
                const int len = level->width_px - x < TINTS_AT_ONCE ? level->width_px - x : TINTS_AT_ONCE;
                find_tints(out, row + 3 * (size_t)x, len);
                out += len;
            }
        }
    }
}

/* Pixels of a tint level about a place, linear in metres. */
typedef struct {
    pov_vec2 middle_px;
    float by[2][3]; /* pixels of the level by metres of the portraits' turned frame */
    const object_tint *tints;
    int width_px, height_px;
} look;

static bool look_at(look *l, const object_view *view, const object_model *model, const object_place *place)
{
    double J[2][3];
    const pov_vec3 middle_m = pov_object_place_middle(model, place), eye_m = view->T_table_camera.t_m;
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
    /* rounds to the nearest pixel; the middle is half of the height up */
    l->middle_px.x = (l->middle_px.x + 0.5) * scale - (double)l->by[0][2] * 0.5 * model->height_m;
    l->middle_px.y = (l->middle_px.y + 0.5) * scale - (double)l->by[1][2] * 0.5 * model->height_m;
    l->tints = view->tints->tints[level];
    l->width_px = view->tints->width_px[level];
    l->height_px = view->tints->height_px[level];
    return true;
}

/* The pixel that each patch is at; -1: beyond the image. */
POV_CLONES static void place_patches(int *restrict pixel, const look *at, const object_patches *patches,
                                     int len)
{
    const look l = *at;
    const float x0 = (float)l.middle_px.x, y0 = (float)l.middle_px.y;
    const float width = (float)l.width_px, height = (float)l.height_px;
    const float *restrict px = patches->place_m[0], *restrict py = patches->place_m[1],
                          *restrict pz = patches->place_m[2];
    for (int i = 0; i < len; i++) {
        const float x = x0 + l.by[0][0] * px[i] + l.by[0][1] * py[i] + l.by[0][2] * pz[i];
        const float y = y0 + l.by[1][0] * px[i] + l.by[1][1] * py[i] + l.by[1][2] * pz[i];
        const bool is_inside = (x >= 0) & (y >= 0) & (x < width) & (y < height);
        const int column = (int)(is_inside ? x : 0), row = (int)(is_inside ? y : 0);
        pixel[i] = is_inside ? row * l.width_px + column : -1;
    }
}

/* Tints side by side. */
typedef struct {
    float direction[3][OBJECT_PATCH_MAX], log_length[OBJECT_PATCH_MAX], sharpness[OBJECT_PATCH_MAX];
} seen_tints;

/* The bin of brightness that each patch votes for, and its vote. */
POV_CLONES static void weigh_votes(int *restrict bin, float *restrict vote, const seen_tints *seen,
                                   const object_patches *patches, const int *restrict pixel, int len)
{
    for (int i = 0; i < len; i++) {
        const float agree = patches->direction[0][i] * seen->direction[0][i] +
                            patches->direction[1][i] * seen->direction[1][i] +
                            patches->direction[2][i] * seen->direction[2][i];
        const float good = 1 - (2 - 2 * agree) * seen->sharpness[i];
        const float at = (seen->log_length[i] - patches->log_length[i] - lowest_log) * bin_per_log;
        const bool votes = (pixel[i] >= 0) & (good > 0) & (at >= 0) & (at < BINS);
        bin[i] = (int)(votes ? at : 0);
        vote[i] = votes ? patches->worth[i] * good : 0;
    }
}

/* Patches whose colours agree vote for the scene's brightness against that at enrolment. The best few neighbouring bins
 * count together: light from another side brightens one side of the object more. */
static double find_score(const look *l, const object_patches *patches, int len)
{
    int pixel[OBJECT_PATCH_MAX], bin[OBJECT_PATCH_MAX];
    float vote[OBJECT_PATCH_MAX], bins[BINS + WINDOW] = {0};
    seen_tints seen;
    place_patches(pixel, l, patches, len);
    for (int i = 0; i < len; i++) {
        const object_tint *tint = &l->tints[pixel[i] > 0 ? pixel[i] : 0];
        for (int k = 0; k < 3; k++)
            seen.direction[k][i] = tint->direction[k];
        seen.log_length[i] = tint->log_length;
        seen.sharpness[i] = tint->sharpness;
    }
    weigh_votes(bin, vote, &seen, patches, pixel, len);
    for (int i = 0; i < len; i++)
        bins[bin[i]] += vote[i];
    float best = 0;
    for (int i = 0; i < BINS; i++) {
        float sum = 0;
        for (int k = 0; k < WINDOW; k++)
            sum += bins[i + k];
        best = sum > best ? sum : best;
    }
    const float worth = patches->worth_before[len];
    return worth > 0 ? (double)(best / worth) : 0;
}

static double yaw_of(const object_view *view, const object_place *place, double azimuth_rad)
{
    const pov_vec3 eye_m = view->T_table_camera.t_m;
    return atan2(eye_m.y - place->y_m, eye_m.x - place->x_m) - azimuth_rad;
}

void pov_object_scan_place(const object_view *view, const object_model *model, object_place *place,
                           int portrait_step, double share)
{
    look l;
    place->score = 0;
    if (!look_at(&l, view, model, place))
        return;
    for (int i = 0; i < model->len; i += portrait_step) {
        const object_portrait *portrait = &model->portraits[i];
        const double score = i == model->left_out ? 0
                                                  : find_score(&l, &portrait->patches,
                                                               (int)ceil(share * portrait->patches.len));
        if (score > place->score) {
            place->score = score;
            place->yaw_rad = yaw_of(view, place, portrait->azimuth_rad);
        }
    }
}

double pov_object_scan_score(const object_view *view, const object_model *model, const object_place *place)
{
    look l;
    const double azimuth_rad = yaw_of(view, place, place->yaw_rad);
    if (!look_at(&l, view, model, place))
        return 0;
    const object_pair pair = pov_object_model_between(model, remainder(azimuth_rad, 2 * POV_PI));
    const object_portrait *nearer = pair.portrait[pair.share[1] > 0.5];
    return find_score(&l, &nearer->patches, nearer->patches.len);
}

/* Keeps the best `max` places, best first. */
static void insert_place(object_place *places, int *len, int max, const object_place *place)
{
    int at = *len < max ? (*len)++ : max;
    for (; at > 0 && places[at - 1].score < place->score; at--)
        if (at < max)
            places[at] = places[at - 1];
    if (at < max)
        places[at] = *place;
}

int pov_object_scan_turns(const object_view *view, const object_model *model, object_place *turns, int max,
                          const object_place *at)
{
    look l;
    double scores[POV_PORTRAIT_MAX];
    int len = 0;
    if (!look_at(&l, view, model, at))
        return 0;
    for (int i = 0; i < model->len; i++)
        scores[i] = i == model->left_out
                        ? 0
                        : find_score(&l, &model->portraits[i].patches, model->portraits[i].patches.len);
    for (int i = 0; i < model->len; i++) {
        bool is_best = true;
        for (int k = 1; k <= APART; k++)
            is_best = is_best && scores[i] >= scores[(i + k) % model->len] &&
                      scores[i] > scores[(i + model->len - k) % model->len];
        object_place turn = *at;
        turn.score = scores[i];
        turn.yaw_rad = yaw_of(view, at, model->portraits[i].azimuth_rad);
        if (is_best && scores[i] > 0)
            insert_place(turns, &len, max, &turn);
    }
    return len;
}

/* ---- a search of the table ---- */

/* The band around the camera's foot from which it looks about as steep as when the object was enrolled. */
typedef struct {
    double near_m, far_m, step_m;
    int rows;
} band;

static band band_around(const object_view *view, const object_model *model, double z_m)
{
    const double above_m = view->T_table_camera.t_m.z - z_m - 0.5 * model->height_m;
    const double flat = fmax(flattest_rad, model->elevation_rad - reach_max_rad),
                 steep = model->elevation_rad + reach_max_rad;
    band b = {.step_m = step_share * model->radius_m};
    if (!(above_m > 0))
        return b;
    b.near_m = steep < POV_PI / 2 ? above_m / tan(steep) : 0;
    b.far_m = above_m / tan(flat);
    b.step_m = fmax(b.step_m, 2 * b.far_m / ROWS_MAX);
    b.rows = (int)(b.far_m / b.step_m);
    return b;
}

/* The range of a row's places. */
typedef struct {
    const band *around;
    const object_area *area;
} bounds;

static bool is_within(const object_area *area, const object_place *place)
{
    return place->x_m >= area->low_m.x && place->x_m <= area->high_m.x && place->y_m >= area->low_m.y &&
           place->y_m <= area->high_m.y;
}

static void search_row(object_short_list *list, const object_view *view, const object_model *model,
                       const bounds *within, object_place place)
{
    const band *b = within->around;
    const pov_vec3 eye_m = view->T_table_camera.t_m;
    for (int i = -b->rows; i <= b->rows; i++) {
        place.x_m = b->step_m * (round(eye_m.x / b->step_m) + i);
        const double away_m = hypot(place.x_m - eye_m.x, place.y_m - eye_m.y);
        if (away_m < b->near_m || away_m > b->far_m || !is_within(within->area, &place) ||
            !pov_object_place_in_view(view, model, &place))
            continue;
        pov_object_scan_place(view, model, &place, FIRST_STEP, first_share);
        if (list->len < OBJECT_SHORT_LIST || place.score > list->places[OBJECT_SHORT_LIST - 1].score)
            insert_place(list->places, &list->len, OBJECT_SHORT_LIST, &place);
    }
}

void pov_object_short_list_add(object_short_list *list, const object_short_list *more)
{
    for (int i = 0; i < more->len; i++)
        insert_place(list->places, &list->len, OBJECT_SHORT_LIST, &more->places[i]);
}

void pov_object_short_list_thin(object_short_list *list, const object_model *model)
{
    const double apart_m = apart_share * model->radius_m;
    int kept = 0;
    for (int i = 0; i < list->len; i++) {
        bool is_new = true;
        for (int k = 0; k < kept && is_new; k++)
            is_new = pov_object_place_distance(&list->places[i], &list->places[k]) > apart_m;
        if (is_new)
            list->places[kept++] = list->places[i];
    }
    list->len = kept;
}

void pov_object_search_places(object_short_list *list, const object_view *view, const object_model *model,
                              double z_m, const object_part *part)
{
    const band b = band_around(view, model, z_m);
    object_short_list first = {0};
    for (int row = -b.rows; row <= b.rows; row++)
        if ((row + b.rows) % part->of == part->first)
            search_row(&first, view, model, &(bounds){&b, &part->area},
                       (object_place){.y_m = b.step_m * (round(view->T_table_camera.t_m.y / b.step_m) + row),
                                      .z_m = z_m});
    for (int i = 0; i < first.len && i < part->most; i++) {
        pov_object_scan_place(view, model, &first.places[i], 1, 1);
        insert_place(list->places, &list->len, OBJECT_SHORT_LIST, &first.places[i]);
    }
}
