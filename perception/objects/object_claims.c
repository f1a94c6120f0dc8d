#include "perception/objects/object_claims.h"

#include "perception/objects/object_sight.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

pov_status object_claims_new(object_claims *claims, int width_px, int height_px)
{
    const int width = width_px / OBJECT_CLAIM_PX, height = height_px / OBJECT_CLAIM_PX;
    const size_t area = (size_t)width * (size_t)height + 1;
    *claims = (object_claims){.width = width, .height = height, .is_empty = true};
    claims->by = calloc(area, sizeof *claims->by);
    claims->depth_m = calloc(area, sizeof *claims->depth_m);
    return claims->by && claims->depth_m ? pov_ok() : pov_error("enrolled objects: out of memory");
}

void object_claims_free(object_claims *claims)
{
    free(claims->by);
    free(claims->depth_m);
    *claims = (object_claims){0};
}

static void take(object_claims *claims, uint8_t by, int x, int y, double depth_m)
{
    if (x < 0 || y < 0 || x >= claims->width || y >= claims->height)
        return;
    const int at = y * claims->width + x;
    if (claims->by[at] != 0 && (double)claims->depth_m[at] < depth_m)
        return;
    claims->by[at] = by;
    claims->depth_m[at] = (float)depth_m;
}

/* Left of each side, or right of each. */
static bool is_within(const pov_vec2 corner[4], double x, double y)
{
    int left = 0;
    for (int i = 0; i < 4; i++) {
        const pov_vec2 a = corner[i], b = corner[(i + 1) % 4];
        left += (b.x - a.x) * (y - a.y) - (b.y - a.y) * (x - a.x) > 0;
    }
    return left == 0 || left == 4;
}

static int within(double px, int end)
{
    return (int)fmin(fmax(px / OBJECT_CLAIM_PX, 0), end);
}

static void take_square(object_claims *claims, const pov_object_other *other)
{
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    for (int i = 0; i < 4; i++) {
        low[0] = fmin(low[0], other->corner_px[i].x);
        low[1] = fmin(low[1], other->corner_px[i].y);
        high[0] = fmax(high[0], other->corner_px[i].x);
        high[1] = fmax(high[1], other->corner_px[i].y);
    }
    for (int y = within(low[1], claims->height); y < within(high[1] + OBJECT_CLAIM_PX, claims->height); y++)
        for (int x = within(low[0], claims->width); x < within(high[0] + OBJECT_CLAIM_PX, claims->width); x++)
            if (is_within(other->corner_px, OBJECT_CLAIM_PX * (x + 0.5) - 0.5,
                          OBJECT_CLAIM_PX * (y + 0.5) - 0.5))
                take(claims, OBJECT_CLAIM_OF_OTHERS, x, y, other->depth_m);
}

void object_claims_start(object_claims *claims, const pov_object_others *others)
{
    if (!claims->is_empty)
        memset(claims->by, 0, (size_t)claims->width * (size_t)claims->height);
    claims->len = 0;
    claims->is_empty = !others || others->len == 0;
    for (int i = 0; others && i < others->len; i++)
        take_square(claims, &others->others[i]);
}

void object_claims_add(object_claims *claims, const object_view *view, const object_model *model,
                       const object_fit *fit)
{
    object_sight s;
    if (claims->len == OBJECT_CLAIMANTS || !object_sight_at(&s, view, model, &fit->place))
        return;
    claims->owners[claims->len++] = model;
    claims->is_empty = false;
    const object_portrait *portrait = object_model_nearest(model, object_view_azimuth(view, &fit->place));
    const int wide = (1 << s.level) / OBJECT_CLAIM_PX; /* of a point, to each side */
    for (int i = 0; i < portrait->point_len; i++) {
        double depth_m;
        const object_point *point = &portrait->points[i];
        if (fit->cover.hides[point->cell])
            continue;
        const int at = object_claims_index(claims, object_sight_pixel(&s, &depth_m, point->place_m));
        for (int b = -wide; at >= 0 && b <= wide; b++)
            for (int a = -wide; a <= wide; a++)
                take(claims, (uint8_t)claims->len, at % claims->width + a, at / claims->width + b, depth_m);
    }
}
