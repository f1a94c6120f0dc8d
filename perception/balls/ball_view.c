#include "perception/balls/ball_view.h"

#include "perception/geometry/geom.h"
#include "perception/image/clones.h"

#include <math.h>
#include <stddef.h>

/* --- tints --- */

/* Cube roots of positive numbers, to single precision: a third of the exponent, then Halley's steps, each of which triples the
 * number of true digits. libm's takes ten times as long for three. */
static pov_light cube_roots(pov_light x)
{
    typedef int32_t bits __attribute__((vector_size(16)));
    const bits third = __builtin_convertvector(__builtin_convertvector((bits)x, pov_light) / 3.0F, bits);
    pov_light root =
        (pov_light)(third + 709921077); /* two thirds of the exponent's offset: 1 stays about 1 */
    for (int step = 0; step < 2; step++) {
        const pov_light cube = root * root * root;
        root = root * ((cube + 2.0F * x) / (2.0F * cube + x));
    }
    return root;
}

/* Lightness, and the two axes of colour. */
typedef struct {
    double lightness, a, b;
} oklab;

static oklab oklab_of_light(pov_light light)
{
    static const pov_light red = {0.4122214708F, 0.2119034982F, 0.0883024619F, 0},
                           green = {0.5363325363F, 0.6806995451F, 0.2817188376F, 0},
                           blue = {0.0514459929F, 0.1073969566F, 0.6299787005F, 0};
    const pov_light least = {1e-12F, 1e-12F, 1e-12F, 1e-12F}; /* black: its cubes are no denormal numbers */
    const pov_light lms = cube_roots(light[0] * red + light[1] * green + light[2] * blue + least);
    const double l = (double)lms[0], m = (double)lms[1], s = (double)lms[2];
    return (oklab){0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s,
                   1.9779984951 * l - 2.4285922050 * m + 0.4505937099 * s,
                   0.0259040371 * l + 0.7827717662 * m - 0.8086757660 * s};
}

pov_tint pov_tint_of_light(pov_light light)
{
    const oklab c = oklab_of_light(light);
    const double chroma = hypot(c.a, c.b), per_chroma = chroma > 0 ? 1 / chroma : 0;
    return (pov_tint){c.lightness,
                      c.lightness > 0 ? chroma / c.lightness : 0,
                      atan2(c.b, c.a),
                      {c.a * per_chroma, c.b * per_chroma}};
}

bool pov_light_is_like(pov_light light, const pov_tint *ball, double purity_min, double lightness_max)
{
    static const double alike_cosine = 0.9063077870366499; /* of 25 degrees */
    const oklab c = oklab_of_light(light);
    const double chroma2 = c.a * c.a + c.b * c.b, least = purity_min * c.lightness,
                 along = c.a * ball->hue[0] + c.b * ball->hue[1];
    return c.lightness > 0 && c.lightness < lightness_max && chroma2 >= least * least && along > 0 &&
           along * along > alike_cosine * alike_cosine * chroma2;
}

pov_tint pov_tint_of(pov_colour colour)
{
    return pov_tint_of_light((pov_light){(float)pov_linear_of_srgb(colour.red / 255.0),
                                         (float)pov_linear_of_srgb(colour.green / 255.0),
                                         (float)pov_linear_of_srgb(colour.blue / 255.0), 0});
}

bool pov_colour_has_hue(pov_colour colour)
{
    return pov_tint_of(colour).purity >= 0.06;
}

/* Hue wanders by some 15 degrees with the light's colour, the camera and the paint (named blues most); purity
 * halves in haze, highlights and inter-reflection, and lightness spans shade to glare. Beyond the edges
 * counts 1 and more. */
#define HUE_REACH_RAD (26 * POV_PI / 180)
#define VIVID_SHARE   0.65 /* of the named purity */

double pov_tint_distance(const pov_tint *tint, const pov_tint *named)
{
    double hue = fabs(pov_angle_wrap(tint->hue_rad - named->hue_rad)) / HUE_REACH_RAD;
    double light = log(tint->lightness / named->lightness);
    light = light < 0 ? light / log(0.3) : light / log(1.7);
    double pale = tint->purity < 0.35 * named->purity ? 10 : 0;
    return hypot(hypot(hue, 0.6 * light), light > 1 ? 10 : pale);
}

/* Near black, one level of 8 bits turns the hue: it carries no information. */
static bool is_too_dark(pov_light light)
{
    return light[0] < 0.006F && light[1] < 0.006F && light[2] < 0.006F;
}

/* Hues so far apart are of no use, whatever the light: no distance of 1 or less. */
static bool is_other_hue(const pov_tint *tint, const pov_tint *named)
{
    const double apart_rad = fabs(tint->hue_rad - named->hue_rad), far_rad = HUE_REACH_RAD * 1.01;
    return apart_rad > far_rad && apart_rad < 2 * POV_PI - far_rad;
}

/* The kinds a tint is near to, less those that another kind describes clearly better; and those of them with about the purity of the
 * named one. */
static void list_kinds(uint16_t *kinds, uint16_t *vivid, const pov_tint *tint, const pov_tint *named,
                       int kind_len)
{
    double distance[POV_BALL_KIND_MAX], nearest = HUGE_VAL;
    for (int k = 0; k < kind_len; k++) {
        distance[k] = is_other_hue(tint, &named[k]) ? HUGE_VAL : pov_tint_distance(tint, &named[k]);
        nearest = fmin(nearest, distance[k]);
    }
    for (int k = 0; k < kind_len; k++) {
        const bool is_near = distance[k] <= 1 && distance[k] <= nearest + 0.25;
        const unsigned bit = 1u << k;
        *kinds |= (uint16_t)(is_near ? bit : 0);
        *vivid |= (uint16_t)(is_near && tint->purity >= VIVID_SHARE * named[k].purity ? bit : 0);
    }
}

void pov_colour_table_fill(pov_colour_table *table, const pov_ball_kind *kinds, int kind_len)
{
    enum { SIDE = 1 << POV_COLOUR_TABLE_BITS, STEP = 256 / SIDE };
    pov_tint named[POV_BALL_KIND_MAX];
    float center[SIDE];
    for (int k = 0; k < kind_len; k++)
        named[k] = pov_tint_of(kinds[k].colour);
    for (int i = 0; i < 256; i++)
        table->linear[i] = (float)pov_linear_of_srgb(i / 255.0);
    for (int i = 0; i < SIDE; i++)
        center[i] = (float)pov_linear_of_srgb((i * STEP + (STEP - 1) / 2.0) / 255.0);
    for (int i = 0; i < POV_COLOUR_TABLE_SIZE; i++) {
        const pov_light light = {center[i / (SIDE * SIDE)], center[i / SIDE % SIDE], center[i % SIDE], 0};
        table->kinds[i] = table->vivid[i] = 0;
        if (is_too_dark(light))
            continue;
        const pov_tint tint = pov_tint_of_light(light);
        list_kinds(&table->kinds[i], &table->vivid[i], &tint, named, kind_len);
    }
}

/* --- views --- */

double pov_light_distance(pov_light a, pov_light b)
{
    const pov_light square = (a - b) * (a - b);
    return sqrt((double)(square[0] + square[1] + square[2]));
}

bool pov_ball_view_is_masked(const pov_ball_view *view, int x, int y)
{
    for (int i = 0; i < view->config->mask_len; i++) {
        const pov_rectangle *m = &view->config->masks[i];
        if (x >= m->x_px && y >= m->y_px && x - m->x_px < m->width_px && y - m->y_px < m->height_px)
            return true;
    }
    return false;
}

bool pov_ball_view_is_hidden(const pov_ball_view *view, pov_vec2 pixel)
{
    if (!(pixel.x > -0.5 && pixel.y > -0.5 && pixel.x < view->camera->width_px - 0.5 &&
          pixel.y < view->camera->height_px - 0.5))
        return true;
    return view->config->mask_len > 0 &&
           pov_ball_view_is_masked(view, (int)(pixel.x + 0.5), (int)(pixel.y + 0.5));
}

bool pov_ball_view_is_kind(const pov_ball_view *view, int kind, pov_vec2 pixel)
{
    if (!(pixel.x > -0.5 && pixel.y > -0.5 && pixel.x < view->camera->width_px - 0.5 &&
          pixel.y < view->camera->height_px - 0.5))
        return false;
    return pov_ball_view_label(view, (int)(pixel.x + 0.5), (int)(pixel.y + 0.5)) >> kind & 1;
}

static bool is_within(const pov_ball_view *view, pov_vec2 pixel)
{
    return pixel.x >= 0 && pixel.y >= 0 && pixel.x < view->image->width_px - 1 &&
           pixel.y < view->image->height_px - 1;
}

static inline pov_light linear_of(const float linear[256], const uint8_t *rgb)
{
    return (pov_light){linear[rgb[0]], linear[rgb[1]], linear[rgb[2]], 0};
}

static inline __attribute__((always_inline)) pov_light light_at(const pov_ball_view *view, pov_vec2 pixel)
{
    const int x = (int)pixel.x, y = (int)pixel.y;
    const uint8_t *top = view->image->pixels + (size_t)y * view->image->stride_bytes + 3 * (size_t)x;
    const uint8_t *low = top + view->image->stride_bytes;
    const float *linear = view->table->linear, u = (float)(pixel.x - x), v = (float)(pixel.y - y);
    const pov_light a = linear_of(linear, top), b = linear_of(linear, top + 3), c = linear_of(linear, low),
                    d = linear_of(linear, low + 3);
    const pov_light above = a + u * (b - a), below = c + u * (d - c);
    return above + v * (below - above);
}

static bool has_mask_at(const pov_ball_view *view, pov_vec2 pixel)
{
    const int x = (int)pixel.x, y = (int)pixel.y;
    return view->config->mask_len > 0 &&
           (pov_ball_view_is_masked(view, x, y) || pov_ball_view_is_masked(view, x + 1, y + 1));
}

bool pov_ball_view_sample(const pov_ball_view *view, pov_light *light, pov_vec2 pixel)
{
    if (!is_within(view, pixel) || has_mask_at(view, pixel))
        return false;
    *light = light_at(view, pixel);
    return true;
}

static inline pov_vec2 place_on(const pov_ball_line *line, int i)
{
    return (pov_vec2){line->first.x + i * line->step.x, line->first.y + i * line->step.y};
}

bool pov_ball_view_is_open(const pov_ball_view *view, const pov_ball_line *line, int len)
{
    bool is_open = is_within(view, line->first) && is_within(view, place_on(line, len - 1));
    for (int i = 0; i < len && is_open && view->config->mask_len > 0; i++)
        is_open = !has_mask_at(view, place_on(line, i));
    return is_open;
}

POV_CLONES void pov_ball_view_sample_line(const pov_ball_view *view, pov_light *lights,
                                          const pov_ball_line *line, int first, int end)
{
    for (int i = first; i < end; i++)
        lights[i] = light_at(view, place_on(line, i));
}
