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
    CELL = OBJECT_CELL_PX * OBJECT_CELL_PX,
    AREA = POV_PORTRAIT_AREA,
    APART = 7 /* pixels of a portrait between two points that are compared; chosen */
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
/* Log of light against that at enrolment: the histogram's bin; the usual deviation; deviations within one light. Chosen. */
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

/* Prior weight of a change of brightness since enrolment. */
static float usual_shift(float shift)
{
    return expf(-0.5F * (shift / shift_usual) * (shift / shift_usual));
}

struct object_votes {
    /* of the raster's pixels: */
    float at[3][AREA];                  /* pixel of the pyramid's level, depth */
    float seen[3][AREA], is_seen[AREA]; /* tones; 1 or 0 */
    uint8_t claims[AREA];
    bool any_claims;
    float work[2][AREA], else_sum[AREA], else_len[AREA], odds[AREA];
    int bins[AREA];
    /* of cells, with an empty border: */
    float cells[FRAME][FRAME], votes[FRAME][FRAME]; /* log-odds; +1 visible, -1 hidden */
    float hidden[FRAME][FRAME];                     /* log-odds against a cell's being hidden */
    int count[FRAME][FRAME];
};

pov_status pov_object_votes_new(object_votes **votes)
{
    *votes = calloc(1, sizeof **votes);
    return *votes ? pov_ok() : pov_error("enrolled objects: out of memory");
}

void pov_object_votes_destroy(object_votes **votes)
{
    free(*votes);
    *votes = NULL;
}

/* ---- seeing ---- */

/* Finds the points in view, and their tones; a point that another object claims is not in view. */
static void see_points(object_votes *j, const object_sight *s, const object_view *view,
                       const object_model *model, const object_raster *raster)
{
    const pov_pyramid_level *level = &view->pyramid->levels[s->level];
    pov_object_sight_pixels(s, j->at[0], j->at[1], j->at[2], raster->place_m, raster->len);
    j->any_claims = pov_object_view_claims(
        j->claims, view, model, s, (const float *const[3]){j->at[0], j->at[1], j->at[2]}, raster->len);
    for (int i = 0; i < raster->len; i++) {
        int quarters[3];
        const bool is_seen = raster->is_point[i] > 0 && j->claims[i] == OBJECT_UNCLAIMED &&
                             object_pixel_at(quarters, level, j->at[0][i], j->at[1][i]);
        const object_tone tone =
            is_seen ? object_palette_tone(view->palette, quarters) : (object_tone){{0, 0, 0}};
        j->is_seen[i] = is_seen;
        for (int c = 0; c < 3; c++)
            j->seen[c][i] = tone.of[c];
    }
}

/* ---- light ---- */

static float square(float x)
{
    return x * x;
}

/* The brightness against enrolment that most points with agreeing hues share: they outvote those of a cover. */
static float find_brightness(object_votes *j, const object_raster *raster)
{
    const float bins_per_shift = 1 / shift_step, hue = 1 / square(hue_tolerance);
    const float *const *tone = (const float *const *)raster->tone;
    float bins[SHIFTS] = {0}, best = -1, shift = 0;
    for (int i = 0; i < raster->len; i++) {
        const float at = (j->seen[0][i] - tone[0][i]) * bins_per_shift + SHIFTS / 2.0F;
        j->bins[i] = (int)(at < 0 ? 0 : at > SHIFTS - 1 ? SHIFTS - 1 : at);
        j->work[0][i] = j->is_seen[i] /
                        (1 + hue * (square(j->seen[1][i] - tone[1][i]) + square(j->seen[2][i] - tone[2][i])));
    }
    for (int i = 0; i < raster->len; i++)
        bins[j->bins[i]] += j->work[0][i];
    for (int i = 0; i < SHIFTS; i++) {
        const float at = shift_step * ((float)(i - SHIFTS / 2) + 0.5F);
        float sum = 0;
        for (int k = -4; k <= 4; k++)
            sum += i + k >= 0 && i + k < SHIFTS ? bins[i + k] * (float)(5 - abs(k)) : 0;
        sum *= usual_shift(at);
        if (sum > best) {
            best = sum;
            shift = at;
        }
    }
    return shift;
}

static object_tone find_light(object_votes *j, const object_raster *raster)
{
    const float shift = find_brightness(j, raster);
    const float light = 1 / square(light_tolerance), hue = 1 / square(hue_tolerance);
    float sums[3] = {0}, n = 0;
    for (int i = 0; i < raster->len; i++) {
        const float by[3] = {j->seen[0][i] - raster->tone[0][i], j->seen[1][i] - raster->tone[1][i],
                             j->seen[2][i] - raster->tone[2][i]};
        const float off = light * square(by[0] - shift) + hue * (square(by[1]) + square(by[2]));
        const float w = j->is_seen[i] / (1 + off * off);
        n += w;
        for (int c = 0; c < 3; c++)
            sums[c] += w * by[c];
    }
    return (object_tone){{n > 0 ? sums[0] / n : 0, sums[1] / (n + hue_hold), sums[2] / (n + hue_hold)}};
}

/* ---- evidence ---- */

/* Density of a tone that is so far from where one is expected; with tails, for portraits are not exact. */
static inline float density_off(float light, float red_green, float blue)
{
    const float per[3] = {1 / (square(tone_std[0]) * tail), 1 / (square(tone_std[1]) * tail),
                          1 / (square(tone_std[2]) * tail)};
    const float off = 1 + per[0] * light * light + per[1] * red_green * red_green + per[2] * blue * blue;
    return tone_norm / (off * off * sqrtf(off));
}

/* Adds to two points `apart` from one another how likely each one's tone is by the other's. */
static void compare_points(object_votes *j, const object_raster *raster, int row, int column_end, int apart)
{
    const int first = row * raster->width;
    float *restrict density = j->work[0], *restrict both = j->work[1];
    const float *seen[3] = {j->seen[0] + first, j->seen[1] + first, j->seen[2] + first},
                *is_seen = j->is_seen + first;
    float *sum = j->else_sum + first, *len = j->else_len + first;
    for (int i = 0; i < column_end; i++) {
        both[i] = is_seen[i] * is_seen[i + apart];
        density[i] = both[i] * density_off(seen[0][i] - seen[0][i + apart], seen[1][i] - seen[1][i + apart],
                                           seen[2][i] - seen[2][i + apart]);
    }
    for (int i = 0; i < column_end; i++) {
        sum[i] += density[i];
        len[i] += both[i];
    }
    for (int i = 0; i < column_end; i++) {
        sum[i + apart] += density[i];
        len[i + apart] += both[i];
    }
}

/* Density of a tone on anything else in the image: by the image's palette, or about the tones a little further on, for most
 * things have one tone. */
static void find_densities_else(object_votes *j, const object_raster *raster, const object_palette *palette)
{
    memset(j->else_sum, 0, (size_t)raster->len * sizeof *j->else_sum);
    memset(j->else_len, 0, (size_t)raster->len * sizeof *j->else_len);
    for (int y = 0; y < raster->height; y++) {
        compare_points(j, raster, y, raster->width - APART, APART);
        if (y + APART < raster->height)
            compare_points(j, raster, y, raster->width, APART * raster->width);
    }
    for (int i = 0; i < raster->len; i++)
        j->bins[i] = object_palette_bin(j->seen[0][i], j->seen[1][i], j->seen[2][i]);
    for (int i = 0; i < raster->len; i++)
        j->work[0][i] = palette->entries[j->bins[i]].density;
    for (int i = 0; i < raster->len; i++)
        j->work[0][i] = (1 - alike_share) * j->work[0][i] +
                        alike_share * j->else_sum[i] / (j->else_len[i] > 0 ? j->else_len[i] : 1);
}

/* Likelihood ratio of each tone: on the object against anything else; 1 where nothing is seen. */
static void find_tone_odds(object_votes *j, const object_raster *raster, const object_palette *palette)
{
    const object_tone light = find_light(j, raster);
    find_densities_else(j, raster, palette);
    for (int i = 0; i < raster->len; i++)
        j->odds[i] = density_off(j->seen[0][i] - raster->tone[0][i] - light.of[0],
                                 j->seen[1][i] - raster->tone[1][i] - light.of[1],
                                 j->seen[2][i] - raster->tone[2][i] - light.of[2]) /
                     j->work[0][i];
}

static float *cell_at(float cells[FRAME][FRAME], int cell)
{
    return &cells[cell / SIDE + 1][cell % SIDE + 1];
}

/* One logarithm a cell: the product of a cell's odds is far from a double's bounds, as each is within 1e-9 and 1e6. */
static void weigh_tones(object_votes *j, const object_raster *raster, const object_palette *palette)
{
    double product[CELLS];
    float backdrop[CELLS] = {0};
    for (int i = 0; i < CELLS; i++)
        product[i] = 1;
    find_tone_odds(j, raster, palette);
    for (int i = 0; i < raster->len; i++)
        if (j->is_seen[i] > 0) {
            product[raster->cell[i]] *= (double)j->odds[i];
            backdrop[raster->cell[i]] += palette->entries[j->bins[i]].backdrop;
        }
    for (int i = 0; i < CELLS; i++) {
        if (raster->count[i] == 0)
            continue;
        j->count[i / SIDE + 1][i % SIDE + 1] = raster->count[i];
        *cell_at(j->cells, i) = tone_weight * (float)log(product[i]) - view_cost / CELL * raster->count[i];
        *cell_at(j->hidden, i) = backdrop_cost / CELL * backdrop[i];
    }
}

/* Likelihood ratio of a step: across an outline against anywhere, both Cauchy distributions. */
static float outline_odds(const float inside[3], const float outside[3])
{
    float over = 1, under = 1;
    for (int c = 0; c < 3; c++) {
        const float step2 = square(outside[c] - inside[c]);
        over *= edge_scale[c] * (square(flat_scale[c]) + step2);
        under *= flat_scale[c] * (square(edge_scale[c]) + step2);
    }
    return over / under;
}

static void weigh_edges(object_votes *j, const object_portrait *portrait, const object_sight *s,
                        const object_view *view)
{
    const object_outline *edges = &portrait->outline;
    const pov_pyramid_level *level = &view->pyramid->levels[s->level];
    double product[CELLS];
    bool has_edge[CELLS] = {false};
    pov_object_sight_pixels(s, j->at[0], j->at[1], j->at[2],
                            (float *const[3]){(float *)edges->beside_m[0], (float *)edges->beside_m[1],
                                              (float *)edges->beside_m[2]},
                            edges->len);
    for (int i = 0; i < edges->len; i++) {
        int quarters[3];
        const int at = edges->at[i], cell = portrait->raster.cell[at];
        if (!(j->is_seen[at] > 0) || !object_pixel_at(quarters, level, j->at[0][i], j->at[1][i]))
            continue;
        const object_tone beside = object_palette_tone(view->palette, quarters);
        const float odds =
            outline_odds((const float[3]){j->seen[0][at], j->seen[1][at], j->seen[2][at]}, beside.of);
        product[cell] = has_edge[cell] ? product[cell] * (double)odds : (double)odds;
        has_edge[cell] = true;
    }
    for (int i = 0; i < CELLS; i++)
        if (has_edge[i])
            *cell_at(j->cells, i) += edge_weight * (float)log(product[i]);
}

/* ---- what is hidden ---- */

/* A point that another object claims cannot be visible; if that object is the farther one, the point cannot be hidden either. */
static void weigh_claims(object_votes *j, const object_raster *raster)
{
    for (int i = 0; i < raster->len && j->any_claims; i++) {
        if (j->claims[i] == OBJECT_UNCLAIMED || !(raster->is_point[i] > 0))
            continue;
        *cell_at(j->cells, raster->cell[i]) -= claim_cost / CELL;
        if (j->claims[i] == OBJECT_CLAIMED_BEHIND)
            *cell_at(j->hidden, raster->cell[i]) += claim_cost / CELL;
    }
}

/* Labels each cell visible, +1, or hidden, -1, hidden ones together: iterated conditional modes (Besag 1986). */
static void label_cells(object_votes *j)
{
    for (int y = 1; y <= SIDE; y++)
        for (int x = 1; x <= SIDE; x++) {
            float sum = 0.5F * j->cells[y][x];
            for (int b = -1; b <= 1; b++)
                for (int a = -1; a <= 1; a++)
                    sum += 0.5F * j->cells[y + b][x + a];
            j->votes[y][x] = j->count[y][x] == 0 ? 0 : sum > -j->hidden[y][x] ? 1 : -1;
        }
    bool has_changed = true;
    for (int i = 0; i < SWEEPS && has_changed; i++) {
        has_changed = false;
        for (int y = 1; y <= SIDE; y++)
            for (int x = 1; x <= SIDE; x++) {
                const float around =
                    j->votes[y - 1][x] + j->votes[y + 1][x] + j->votes[y][x - 1] + j->votes[y][x + 1];
                const float upright =
                    upper_cost * ((float)(j->votes[y + 1][x] > 0) - (float)(j->votes[y - 1][x] < 0));
                const float vote =
                    j->cells[y][x] + j->hidden[y][x] + ragged_cost * around + upright > 0 ? 1 : -1;
                if (j->count[y][x] > 0 && vote != j->votes[y][x]) {
                    j->votes[y][x] = vote;
                    has_changed = true;
                }
            }
    }
}

static void sum_evidence(const object_votes *j, object_fit *fit)
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

void pov_object_judge(object_votes *j, object_fit *fit, const object_view *view, const object_model *model)
{
    object_sight s;
    fit->evidence = -INFINITY;
    fit->visible = 0;
    fit->cover = (object_cover){{false}};
    if (!pov_object_sight_at(&s, view, model, &fit->place))
        return;
    const object_portrait *portrait =
        pov_object_model_nearest(model, pov_object_view_azimuth(view, &fit->place));
    memset(j->cells, 0, sizeof j->cells);
    memset(j->votes, 0, sizeof j->votes);
    memset(j->hidden, 0, sizeof j->hidden);
    memset(j->count, 0, sizeof j->count);
    see_points(j, &s, view, model, &portrait->raster);
    weigh_tones(j, &portrait->raster, view->palette);
    weigh_edges(j, portrait, &s, view);
    weigh_claims(j, &portrait->raster);
    label_cells(j);
    sum_evidence(j, fit);
}
