#include "perception/objects/object_verdict.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    SIDE = OBJECT_CELL_SIDE,
    CELLS = OBJECT_CELLS,
    SHIFTS = 40,
    SWEEPS = 5,
    FRAME = SIDE + 2,
    CELL = OBJECT_CELL_PX * OBJECT_CELL_PX
};

/* Tones are logarithms of light, so these numbers are shares. */
static const float tone_std[3] = {0.16F, 0.07F,
                                  0.09F}; /* of a point against its portrait, light allowed for; chosen */
static const float tail = 4;              /* degrees of freedom of the tones' t-distribution; chosen */
static const float tone_norm = 110;       /* its density's norm by tone_std, rounded */
static const float alike_share =
    0.3F; /* of a background's pixels have the tone a little further on; chosen */
/* Width of the distribution of steps between neighbouring pixels: anywhere, and across an outline. Chosen. */
static const float flat_scale[3] = {0.02F, 0.006F, 0.008F}, edge_scale[3] = {0.15F, 0.09F, 0.2F};
/* Of light against that at enrolment: histogram's bin; usual deviation; deviations that are the same light. Chosen. */
static const float shift_step = 0.06F, shift_usual = 0.4F, hue_tolerance = 0.15F, light_tolerance = 0.25F;
static const float hue_hold =
    30; /* points' worth of belief that the light has its colour at enrolment; chosen */
/* Share of a point's log-odds that counts: neighbouring points are not independent. Chosen. */
static const float tone_weight = 0.03F, edge_weight = 0.03F;
/* Log-odds against a visible cell as such; for a hidden cell that looks like the table; per claimed cell. Chosen. */
static const float view_cost = 0.4F, backdrop_cost = 0.8F, claim_cost = 1;
/* Log-odds against two neighbours of which one is hidden; if that is the upper one: a cover stands on the table, too, and
 * nearer. Chosen. */
static const float ragged_cost = 0.03F, upper_cost = 0.6F;

struct object_jury {
    object_tone seen[POV_PORTRAIT_AREA];
    bool is_seen[POV_PORTRAIT_AREA];
    object_claim claims[POV_PORTRAIT_AREA];
    float cells[FRAME][FRAME],
        votes[FRAME][FRAME];    /* log-odds; +1 visible, -1 hidden; with an empty border */
    float hidden[FRAME][FRAME]; /* log-odds against a cell's being hidden */
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

static bool see_tone(object_tone *tone, const object_view *view, int level, pov_vec2 pixel)
{
    float rgb[3];
    if (!pov_image_pyramid_at(view->pyramid, rgb, level, pixel.x, pixel.y))
        return false;
    *tone = object_palette_tone(view->palette, rgb);
    return true;
}

/* Finds the points in view, and their tones; a point that another object claims is not in view. */
static void see_points(object_jury *j, const object_sight *s, const object_view *view,
                       const object_model *model, const object_portrait *portrait)
{
    for (int i = 0; i < portrait->point_len; i++) {
        double depth_m;
        const pov_vec2 pixel = object_sight_pixel(s, &depth_m, portrait->points[i].place_m);
        j->claims[i] = object_view_claim(view, model, pixel, depth_m);
        j->is_seen[i] = j->claims[i] == OBJECT_UNCLAIMED && see_tone(&j->seen[i], view, s->level, pixel);
    }
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

/* The brightness against enrolment that most points with agreeing hues share: they outvote those of a cover. */
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

/* Density of a tone on anything else in the image: by the image's palette, or about the tones a little further on, for most
 * things have one tone. */
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

/* How much likelier a step is across an outline than anywhere: of two Cauchy distributions. */
static float outline_odds(const object_tone *inside, const object_tone *outside)
{
    float odds = 1;
    for (int c = 0; c < 3; c++) {
        const float step2 = square(outside->of[c] - inside->of[c]);
        odds *= edge_scale[c] * (square(flat_scale[c]) + step2) /
                (flat_scale[c] * (square(edge_scale[c]) + step2));
    }
    return odds;
}

static void weigh_edges(object_jury *j, const object_portrait *portrait, const object_sight *s,
                        const object_view *view)
{
    for (int i = 0; i < portrait->edge_len; i++) {
        const object_edge *edge = &portrait->edges[i];
        object_tone beside;
        double depth_m;
        if (j->is_seen[edge->point] &&
            see_tone(&beside, view, s->level, object_sight_pixel(s, &depth_m, edge->beside_m)))
            *cell_at(j->cells, portrait->points[edge->point].cell) +=
                edge_weight * logf(outline_odds(&j->seen[edge->point], &beside));
    }
}

/* ---- what is hidden ---- */

/* A cover does not look like the table. A point that another object claims cannot be visible; if that object is the farther
 * one, the point cannot be hidden either. */
static void weigh_covers(object_jury *j, const object_portrait *portrait, const object_palette *palette)
{
    for (int i = 0; i < portrait->point_len; i++) {
        float *seen = cell_at(j->cells, portrait->points[i].cell),
              *hidden = cell_at(j->hidden, portrait->points[i].cell);
        *seen -= view_cost / CELL;
        if (j->is_seen[i])
            *hidden += backdrop_cost / CELL * object_palette_backdrop(palette, &j->seen[i]);
        if (j->claims[i] != OBJECT_UNCLAIMED)
            *seen -= claim_cost / CELL;
        if (j->claims[i] == OBJECT_CLAIMED_BEHIND)
            *hidden += claim_cost / CELL;
    }
}

/* Labels each cell visible, +1, or hidden, -1, hidden ones together: iterated conditional modes (Besag 1986). */
static void label_cells(object_jury *j)
{
    for (int y = 1; y <= SIDE; y++)
        for (int x = 1; x <= SIDE; x++) {
            float sum = 0.5F * j->cells[y][x];
            for (int b = -1; b <= 1; b++)
                for (int a = -1; a <= 1; a++)
                    sum += 0.5F * j->cells[y + b][x + a];
            j->votes[y][x] = j->count[y][x] == 0 ? 0 : sum > -j->hidden[y][x] ? 1 : -1;
        }
    for (int i = 0; i < SWEEPS; i++)
        for (int y = 1; y <= SIDE; y++)
            for (int x = 1; x <= SIDE; x++) {
                const float around =
                    j->votes[y - 1][x] + j->votes[y + 1][x] + j->votes[y][x - 1] + j->votes[y][x + 1];
                const float upright =
                    upper_cost * ((float)(j->votes[y + 1][x] > 0) - (float)(j->votes[y - 1][x] < 0));
                if (j->count[y][x] > 0)
                    j->votes[y][x] =
                        j->cells[y][x] + j->hidden[y][x] + ragged_cost * around + upright > 0 ? 1 : -1;
            }
}

static void sum_evidence(const object_jury *j, object_fit *fit)
{
    int all = 0, visible = 0;
    float sum = 0;
    for (int y = 1; y <= SIDE; y++)
        for (int x = 1; x <= SIDE; x++) {
            if (j->count[y][x] == 0)
                continue;
            all += j->count[y][x];
            visible += j->votes[y][x] > 0 ? j->count[y][x] : 0;
            fit->cover.hides[(y - 1) * SIDE + x - 1] = j->votes[y][x] < 0;
            sum += j->votes[y][x] > 0 ? j->cells[y][x] : -j->hidden[y][x];
            sum -= upper_cost * (float)(j->votes[y][x] < 0 && j->votes[y + 1][x] > 0);
            sum -= ragged_cost * ((float)(j->votes[y][x] * j->votes[y + 1][x] < 0) +
                                  (float)(j->votes[y][x] * j->votes[y][x + 1] < 0));
        }
    fit->evidence = (double)sum;
    fit->visible = all > 0 ? (double)visible / all : 0;
}

void object_judge(object_jury *j, object_fit *fit, const object_view *view, const object_model *model)
{
    object_sight s;
    fit->evidence = -INFINITY;
    fit->visible = 0;
    fit->cover = (object_cover){{false}};
    if (!object_sight_at(&s, view, model, &fit->place))
        return;
    const object_portrait *portrait = object_model_nearest(model, object_view_azimuth(view, &fit->place));
    memset(j->cells, 0, sizeof j->cells);
    memset(j->votes, 0, sizeof j->votes);
    memset(j->hidden, 0, sizeof j->hidden);
    memset(j->count, 0, sizeof j->count);
    see_points(j, &s, view, model, portrait);
    weigh_tones(j, portrait, view->palette);
    weigh_edges(j, portrait, &s, view);
    weigh_covers(j, portrait, view->palette);
    label_cells(j);
    sum_evidence(j, fit);
}
