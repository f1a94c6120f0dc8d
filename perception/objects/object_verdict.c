#include "perception/objects/object_verdict.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = OBJECT_CELL_SIDE, CELLS = OBJECT_CELLS, SHIFTS = 40, SWEEPS = 5, FRAME = SIDE + 2 };

static const float tone_std[3] = {0.16F, 0.07F,
                                  0.09F}; /* of a point against the portrait, light allowed for */
static const float tail = 4;
static const float tone_norm = 110;    /* of the density with these */
static const float alike_share = 0.3F; /* of what is not the object, that is as it is a little further on */
static const float flat_scale[3] = {0.02F, 0.006F,
                                    0.008F};             /* of steps between neighbouring pixels anywhere */
static const float edge_scale[3] = {0.15F, 0.09F, 0.2F}; /* and across an outline */
static const float shift_step = 0.06F, shift_usual = 0.4F, hue_tolerance = 0.15F, light_tolerance = 0.25F;
static const float hue_hold = 30; /* points' worth of belief that light has the colour it had */
static const float tone_weight = 0.01F,
                   edge_weight = 0.03F; /* neighbouring points are no witnesses of their own */
static const float hidden_cost = 0.2F,
                   ragged_cost = 0.03F; /* of a cell; of two neighbours of which one is hidden */

struct object_jury {
    object_tone seen[POV_PORTRAIT_AREA];
    bool is_seen[POV_PORTRAIT_AREA];
    float cells[FRAME][FRAME], votes[FRAME][FRAME]; /* with a border of nothing */
    int count[FRAME][FRAME];
};

pov_status object_jury_new(object_jury **jury)
{
    *jury = calloc(1, sizeof **jury);
    return *jury ? pov_ok() : pov_error("enrolled objects: out of memory");
}

void object_jury_destroy(object_jury **jury)
{
    free(*jury);
    *jury = NULL;
}

/* ---- seeing ---- */

/* Where points appear: near the object's middle the lens is linear. */
typedef struct {
    const object_view *view;
    pov_transform T_camera_object;
    double middle[2], by[2][2]; /* of the image plane at distance 1; pixels by its units */
    pov_vec2 middle_px;
    int level;
} sight;

static bool look_at(sight *s, const object_view *view, const object_model *model, const object_place *place)
{
    double J[2][3];
    const pov_transform T = {pov_rot_yaw(place->yaw_rad), {place->x_m, place->y_m, place->z_m}};
    s->view = view;
    s->T_camera_object = pov_transform_mul(view->T_camera_table, T);
    s->level = object_view_level(view, model, place);
    const pov_vec3 middle_m =
        pov_transform_apply(s->T_camera_object, (pov_vec3){0, 0, 0.5 * model->height_m});
    if (pov_camera_project(view->camera, &s->middle_px, J, middle_m) != POV_OK)
        return false;
    s->middle[0] = middle_m.x / middle_m.z;
    s->middle[1] = middle_m.y / middle_m.z;
    for (int r = 0; r < 2; r++)
        for (int k = 0; k < 2; k++)
            s->by[r][k] = J[r][k] * middle_m.z;
    return true;
}

static bool see(const sight *s, object_tone *tone, const float place_m[3])
{
    float rgb[3];
    const pov_vec3 p = pov_transform_apply(
        s->T_camera_object, (pov_vec3){(double)place_m[0], (double)place_m[1], (double)place_m[2]});
    const double u = p.x / p.z - s->middle[0], v = p.y / p.z - s->middle[1];
    if (!pov_image_pyramid_at(s->view->pyramid, rgb, s->level,
                              s->middle_px.x + s->by[0][0] * u + s->by[0][1] * v,
                              s->middle_px.y + s->by[1][0] * u + s->by[1][1] * v))
        return false;
    *tone = object_palette_tone(s->view->palette, rgb);
    return true;
}

/* ---- light ---- */

static float square(float x)
{
    return x * x;
}

static int shift_bin(float shift)
{
    const int bin = (int)floorf(shift / shift_step) + SHIFTS / 2;
    return bin < 0 ? 0 : bin < SHIFTS ? bin : SHIFTS - 1;
}

/* How much brighter most points are whose hues agree: what hides a part is outvoted. */
static float find_brightness(const object_jury *j, const object_portrait *portrait)
{
    float bins[SHIFTS] = {0}, best = -1, shift = 0;
    for (int i = 0; i < portrait->point_len; i++) {
        const float *seen = j->seen[i].of, *tone = portrait->points[i].tone.of;
        if (j->is_seen[i])
            bins[shift_bin(seen[0] - tone[0])] +=
                1 / (1 + (square(seen[1] - tone[1]) + square(seen[2] - tone[2])) / square(hue_tolerance));
    }
    for (int i = 0; i < SHIFTS; i++) {
        const float at = shift_step * ((float)(i - SHIFTS / 2) + 0.5F);
        float sum = 0;
        for (int k = -4; k <= 4; k++)
            sum += i + k >= 0 && i + k < SHIFTS ? bins[i + k] * (float)(5 - abs(k)) : 0;
        sum *= expf(-0.5F * square(at / shift_usual));
        if (sum > best) {
            best = sum;
            shift = at;
        }
    }
    return shift;
}

static object_tone find_light(const object_jury *j, const object_portrait *portrait)
{
    const float shift = find_brightness(j, portrait);
    float sums[3] = {0}, n = 0;
    for (int i = 0; i < portrait->point_len; i++) {
        const float *seen = j->seen[i].of, *tone = portrait->points[i].tone.of;
        if (!j->is_seen[i])
            continue;
        const float off = square((seen[0] - tone[0] - shift) / light_tolerance) +
                          (square(seen[1] - tone[1]) + square(seen[2] - tone[2])) / square(hue_tolerance);
        const float w = 1 / (1 + off * off);
        n += w;
        for (int c = 0; c < 3; c++)
            sums[c] += w * (seen[c] - tone[c]);
    }
    return (object_tone){{n > 0 ? sums[0] / n : 0, sums[1] / (n + hue_hold), sums[2] / (n + hue_hold)}};
}

/* ---- evidence ---- */

static float *cell_at(float cells[FRAME][FRAME], int cell)
{
    return &cells[cell / SIDE + 1][cell % SIDE + 1];
}

/* Density of a tone where another is expected; with tails, for portraits are not exact. */
static float density_about(const object_tone *tone, const float expected[3])
{
    float off = 1;
    for (int c = 0; c < 3; c++)
        off += square((tone->of[c] - expected[c]) / tone_std[c]) / tail;
    return tone_norm / (off * off * sqrtf(off));
}

/* Of anything else in the image: its tones as they are, or as a little further on, for most things have one tone. */
static float density_else(const object_jury *j, const object_portrait *portrait,
                          const object_palette *palette, int i)
{
    const object_tone *tone = &j->seen[i];
    float sum = 0;
    int n = 0;
    for (int k = 0; k < 4; k++) {
        const int apart = portrait->points[i].apart[k];
        if (apart < 0 || !j->is_seen[apart])
            continue;
        sum += density_about(tone, j->seen[apart].of);
        n++;
    }
    return (1 - alike_share) * object_palette_density(palette, tone) +
           (n > 0 ? alike_share * sum / (float)n : 0);
}

static void weigh_tones(object_jury *j, const object_portrait *portrait, const object_palette *palette)
{
    const object_tone light = find_light(j, portrait);
    for (int i = 0; i < portrait->point_len; i++) {
        const object_point *point = &portrait->points[i];
        float expected[3];
        j->count[point->cell / SIDE + 1][point->cell % SIDE + 1]++;
        if (!j->is_seen[i])
            continue;
        for (int c = 0; c < 3; c++)
            expected[c] = point->tone.of[c] + light.of[c];
        *cell_at(j->cells, point->cell) +=
            tone_weight * logf(density_about(&j->seen[i], expected) / density_else(j, portrait, palette, i));
    }
}

static float log_cauchy(float scale, float value)
{
    return logf(scale / (square(scale) + square(value)));
}

static void weigh_edges(object_jury *j, const object_portrait *portrait, const sight *s)
{
    for (int i = 0; i < portrait->edge_len; i++) {
        const object_edge *edge = &portrait->edges[i];
        object_tone beside;
        if (!j->is_seen[edge->point] || !see(s, &beside, edge->beside_m))
            continue;
        float sum = 0;
        for (int c = 0; c < 3; c++) {
            const float step = beside.of[c] - j->seen[edge->point].of[c];
            sum += log_cauchy(edge_scale[c], step) - log_cauchy(flat_scale[c], step);
        }
        *cell_at(j->cells, portrait->points[edge->point].cell) += edge_weight * sum;
    }
}

/* ---- what is hidden ---- */

/* Which cells are in view, +1, or hidden, -1; hidden ones lie together. */
static void vote(object_jury *j)
{
    for (int y = 1; y <= SIDE; y++)
        for (int x = 1; x <= SIDE; x++) {
            float sum = 0.5F * j->cells[y][x];
            for (int b = -1; b <= 1; b++)
                for (int a = -1; a <= 1; a++)
                    sum += 0.5F * j->cells[y + b][x + a];
            j->votes[y][x] = j->count[y][x] == 0 ? 0 : sum > -hidden_cost ? 1 : -1;
        }
    for (int i = 0; i < SWEEPS; i++)
        for (int y = 1; y <= SIDE; y++)
            for (int x = 1; x <= SIDE; x++) {
                const float around =
                    j->votes[y - 1][x] + j->votes[y + 1][x] + j->votes[y][x - 1] + j->votes[y][x + 1];
                if (j->count[y][x] > 0)
                    j->votes[y][x] = j->cells[y][x] + hidden_cost + ragged_cost * around > 0 ? 1 : -1;
            }
}

static void count_votes(const object_jury *j, object_verdict *verdict)
{
    int all = 0, visible = 0;
    float sum = 0;
    for (int y = 1; y <= SIDE; y++)
        for (int x = 1; x <= SIDE; x++) {
            if (j->count[y][x] == 0)
                continue;
            all += j->count[y][x];
            visible += j->votes[y][x] > 0 ? j->count[y][x] : 0;
            verdict->cover.hides[(y - 1) * SIDE + x - 1] = j->votes[y][x] < 0;
            sum += j->votes[y][x] > 0 ? j->cells[y][x] : -hidden_cost;
            sum -= ragged_cost * ((float)(j->votes[y][x] * j->votes[y + 1][x] < 0) +
                                  (float)(j->votes[y][x] * j->votes[y][x + 1] < 0));
        }
    verdict->evidence = (double)sum;
    verdict->visible = all > 0 ? (double)visible / all : 0;
}

void object_judge(object_jury *j, object_verdict *verdict, const object_view *view, const object_model *model,
                  const object_place *place)
{
    sight s;
    *verdict = (object_verdict){.evidence = -INFINITY};
    if (!look_at(&s, view, model, place))
        return;
    const object_pair pair = object_model_between(model, object_view_azimuth(view, place));
    const object_portrait *portrait = pair.portrait[pair.share[1] > 0.5];
    memset(j->cells, 0, sizeof j->cells);
    memset(j->votes, 0, sizeof j->votes);
    memset(j->count, 0, sizeof j->count);
    for (int i = 0; i < portrait->point_len; i++)
        j->is_seen[i] = see(&s, &j->seen[i], portrait->points[i].place_m);
    weigh_tones(j, portrait, view->palette);
    weigh_edges(j, portrait, &s);
    vote(j);
    count_votes(j, verdict);
}
