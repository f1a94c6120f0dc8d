#include "perception/image/image_pyramid.h"

#include "perception/image/clones.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LEVELS = POV_PYRAMID_LEVELS };

pov_status pov_image_pyramid_new(pov_image_pyramid *p, int width_px, int height_px)
{
    size_t bytes = 0;
    *p = (pov_image_pyramid){.width_px = width_px, .height_px = height_px};
    for (int i = 1; i < LEVELS; i++)
        bytes += 3 * (size_t)(width_px >> i) * (size_t)(height_px >> i);
    p->own = malloc(bytes + 1);
    if (!p->own)
        return pov_error("out of memory for images of %d x %d pixels", width_px, height_px);
    uint8_t *next = p->own;
    for (int i = 1; i < LEVELS; i++) {
        p->levels[i] = (pov_pyramid_level){next, width_px >> i, height_px >> i, 3 * (width_px >> i)};
        next += 3 * (size_t)(width_px >> i) * (size_t)(height_px >> i);
    }
    return pov_ok();
}

void pov_image_pyramid_free(pov_image_pyramid *p)
{
    free(p->own);
    *p = (pov_image_pyramid){0};
}

/* Means at every byte, which vector instructions do at once; then every second pixel's. */
POV_CLONES static void halve_row(uint8_t *restrict out, const uint8_t *restrict above,
                                 const uint8_t *restrict below, int width_px)
{
    enum { PIXELS = 256 };
    uint8_t mean[6 * PIXELS];
    for (int first = 0; first < width_px; first += PIXELS, above += 6 * PIXELS, below += 6 * PIXELS) {
        const int len = width_px - first < PIXELS ? width_px - first : PIXELS;
        for (int i = 0; i < 6 * len - 3; i++)
            mean[i] = (uint8_t)((above[i] + above[i + 3] + below[i] + below[i + 3] + 2) >> 2);
        for (int x = 0; x < len; x++, out += 3)
            memcpy(out, &mean[6 * x], 3);
    }
}

static void halve_rows(uint8_t *half, const pov_pyramid_level *to, const pov_pyramid_level *from, int first,
                       int end)
{
    for (int y = first; y < end; y++) {
        const uint8_t *above = from->pixels + 2 * (size_t)y * (size_t)from->stride_bytes;
        halve_row(half + (size_t)y * (size_t)to->stride_bytes, above, above + from->stride_bytes,
                  to->width_px);
    }
}

/* Rows of the image in a stripe: whole rows of each level, and several stay in a processor's cache from level to level. */
enum { STRIPE_PX = 2 << LEVELS };

/* The last stripe has what is left. */
static void halve_stripe(void *pyramid, int stripe, int worker)
{
    pov_image_pyramid *p = pyramid;
    const int top = stripe * STRIPE_PX;
    const bool is_last = top + 2 * STRIPE_PX > p->height_px;
    (void)worker;
    for (int i = 1; i < LEVELS; i++)
        halve_rows(p->own + (p->levels[i].pixels - p->own), &p->levels[i], &p->levels[i - 1], top >> i,
                   is_last ? p->levels[i].height_px : (top + STRIPE_PX) >> i);
}

void pov_image_pyramid_set(pov_image_pyramid *p, const pov_image *image, const pov_workers *workers)
{
    POV_REQUIRE(image->width_px == p->width_px && image->height_px == p->height_px);
    p->levels[0] = (pov_pyramid_level){image->pixels, image->width_px, image->height_px, image->stride_bytes};
    const int stripes = p->height_px / STRIPE_PX;
    pov_tasks_run(workers, halve_stripe, p, stripes > 0 ? stripes : 1);
}

int pov_image_pyramid_level(double size_px)
{
    int level = 0;
    while (level < LEVELS - 1 && size_px > 1.5 * (1 << level))
        level++;
    return level;
}

/* The four pixels around a place, and how far it lies between them. */
typedef struct {
    const uint8_t *above, *below;
    float u, v;
} corners;

static bool find_corners(const pov_pyramid_level *level, corners *at, double x, double y)
{
    const int left = (int)floor(x), top = (int)floor(y);
    if (!(x >= 0 && y >= 0 && left < level->width_px - 1 && top < level->height_px - 1))
        return false;
    at->above = level->pixels + (size_t)top * (size_t)level->stride_bytes + 3 * (size_t)left;
    at->below = at->above + level->stride_bytes;
    at->u = (float)(x - left);
    at->v = (float)(y - top);
    return true;
}

bool pov_image_pyramid_at(const pov_image_pyramid *p, float rgb[3], int level, double x_px, double y_px)
{
    const double scale = 1.0 / (1 << level);
    corners at;
    if (!find_corners(&p->levels[level], &at, (x_px + 0.5) * scale - 0.5, (y_px + 0.5) * scale - 0.5))
        return false;
    for (int c = 0; c < 3; c++)
        rgb[c] = (1 - at.v) * ((1 - at.u) * at.above[c] + at.u * at.above[c + 3]) +
                 at.v * ((1 - at.u) * at.below[c] + at.u * at.below[c + 3]);
    return true;
}
