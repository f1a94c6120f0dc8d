#include "perception/objects/object_view.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double elevation_reach_rad = 15 * POV_PI / 180; /* portraits are of one elevation; chosen */
static const double least_size_px = 12;                      /* of an object's diameter; chosen */

/* ---- places ---- */

double pov_object_place_distance(const object_place *a, const object_place *b)
{
    return hypot(a->x_m - b->x_m, a->y_m - b->y_m);
}

double pov_object_place_turn(const object_place *a, const object_place *b)
{
    return fabs(remainder(a->yaw_rad - b->yaw_rad, 2 * POV_PI));
}

pov_vec3 pov_object_place_middle(const object_model *model, const object_place *place)
{
    return (pov_vec3){place->x_m, place->y_m, place->z_m + 0.5 * model->height_m};
}

double pov_object_view_azimuth(const object_view *view, const object_place *place)
{
    const pov_vec3 eye_m = view->T_table_camera.t_m;
    return remainder(atan2(eye_m.y - place->y_m, eye_m.x - place->x_m) - place->yaw_rad, 2 * POV_PI);
}

static double elevation_of(pov_vec3 to_eye_m)
{
    return atan2(to_eye_m.z, hypot(to_eye_m.x, to_eye_m.y));
}

double pov_object_view_elevation_off(const object_view *view, const object_model *model,
                                     const object_place *place)
{
    return fabs(elevation_of(pov_vec3_sub(view->T_table_camera.t_m, pov_object_place_middle(model, place))) -
                model->elevation_rad);
}

int pov_object_view_level(const object_view *view, const object_model *model, const object_place *place)
{
    const double distance_m =
        pov_vec3_norm(pov_vec3_sub(view->T_table_camera.t_m, pov_object_place_middle(model, place)));
    return pov_image_pyramid_level(2 * model->radius_m / POV_PORTRAIT_SIDE * view->camera->fx_px /
                                   distance_m);
}

bool pov_object_place_in_view(const object_view *view, const object_model *model, const object_place *place)
{
    pov_vec2 pixel;
    double J[2][3];
    const pov_vec3 middle_m = pov_object_place_middle(model, place);
    const pov_vec3 to_eye_m = pov_vec3_sub(view->T_table_camera.t_m, middle_m);
    return fabs(elevation_of(to_eye_m) - model->elevation_rad) <= elevation_reach_rad &&
           pov_camera_project(view->camera, &pixel, J, pov_transform_apply(view->T_camera_table, middle_m)) ==
               POV_OK &&
           pixel.x > 0 && pixel.y > 0 && pixel.x < view->camera->width_px - 1 &&
           pixel.y < view->camera->height_px - 1 &&
           2 * model->radius_m * view->camera->fx_px / pov_vec3_norm(to_eye_m) >= least_size_px;
}

bool pov_object_sight_at(object_sight *s, const object_view *view, const object_model *model,
                         const object_place *place)
{
    double J[2][3];
    const pov_transform T =
        pov_transform_mul(view->T_camera_table,
                          (pov_transform){pov_rot_yaw(place->yaw_rad), {place->x_m, place->y_m, place->z_m}});
    s->level = pov_object_view_level(view, model, place);
    const pov_vec3 middle_m = pov_transform_apply(T, (pov_vec3){0, 0, 0.5 * model->height_m});
    if (pov_camera_project(view->camera, &s->middle_px, J, middle_m) != POV_OK)
        return false;
    const double t_m[3] = {T.t_m.x, T.t_m.y, T.t_m.z}, scale = 1.0 / (1 << s->level);
    const double u = middle_m.x / middle_m.z, v = middle_m.y / middle_m.z;
    s->middle[0] = (float)((s->middle_px.x + 0.5) * scale - 0.5);
    s->middle[1] = (float)((s->middle_px.y + 0.5) * scale - 0.5);
    for (int k = 0; k < 4; k++) {
        const double x = k < 3 ? T.R.m[0][k] : t_m[0], y = k < 3 ? T.R.m[1][k] : t_m[1],
                     z = k < 3 ? T.R.m[2][k] : t_m[2];
        s->across[k] = (float)(scale * middle_m.z * (J[0][0] * (x - u * z) + J[0][1] * (y - v * z)));
        s->down[k] = (float)(scale * middle_m.z * (J[1][0] * (x - u * z) + J[1][1] * (y - v * z)));
        s->depth[k] = (float)z;
    }
    return true;
}

void pov_object_sight_pixels(const object_sight *sight, float *restrict x, float *restrict y,
                             float *restrict depth_m, float *const place_m[3], int len)
{
    const object_sight s = *sight;
    const float *restrict px = place_m[0], *restrict py = place_m[1], *restrict pz = place_m[2];
    for (int i = 0; i < len; i++) {
        const float z = s.depth[0] * px[i] + s.depth[1] * py[i] + s.depth[2] * pz[i] + s.depth[3];
        const float near = 1 / z;
        x[i] = s.middle[0] +
               near * (s.across[0] * px[i] + s.across[1] * py[i] + s.across[2] * pz[i] + s.across[3]);
        y[i] = s.middle[1] + near * (s.down[0] * px[i] + s.down[1] * py[i] + s.down[2] * pz[i] + s.down[3]);
        depth_m[i] = z;
    }
}

/* ---- claims ---- */

pov_status pov_object_claims_new(object_claims *claims, int width_px, int height_px)
{
    const int width = width_px / OBJECT_CLAIM_PX, height = height_px / OBJECT_CLAIM_PX;
    const size_t area = (size_t)width * (size_t)height + 1;
    *claims = (object_claims){.width = width, .height = height, .is_empty = true};
    claims->by = calloc(area, sizeof *claims->by);
    claims->depth_m = calloc(area, sizeof *claims->depth_m);
    return claims->by && claims->depth_m ? pov_ok() : pov_error("enrolled objects: out of memory");
}

void pov_object_claims_free(object_claims *claims)
{
    free(claims->by);
    free(claims->depth_m);
    *claims = (object_claims){0};
}

/* Index of the claims' pixel that holds a place of the image; -1: none. */
static int claims_index(const object_claims *claims, pov_vec2 pixel)
{
    if (!(pixel.x >= 0 && pixel.y >= 0 && pixel.x < OBJECT_CLAIM_PX * claims->width - 0.5 &&
          pixel.y < OBJECT_CLAIM_PX * claims->height - 0.5))
        return -1;
    return (int)(pixel.y + 0.5) / OBJECT_CLAIM_PX * claims->width + (int)(pixel.x + 0.5) / OBJECT_CLAIM_PX;
}

/* A claim by this owner counts against a point of `model`. */
static bool is_rival(const object_view *view, const object_model *model, int by)
{
    if (by == 0 || by == OBJECT_CLAIM_OF_OTHERS)
        return by != 0;
    const object_model *owner = view->claims->owners[by - 1];
    return owner != model && owner != view->set_aside;
}

bool pov_object_view_claims(uint8_t *restrict out, const object_view *view, const object_model *model,
                            const object_sight *sight, const float *const at[3], int len)
{
    const object_claims *claims = view->claims;
    bool any = false;
    memset(out, OBJECT_UNCLAIMED, (size_t)len);
    if (!claims || claims->is_empty)
        return false;
    bool rivals[OBJECT_CLAIM_OF_OTHERS + 1] = {false};
    for (int by = 1; by <= claims->len; by++)
        rivals[by] = is_rival(view, model, by);
    rivals[OBJECT_CLAIM_OF_OTHERS] = true;
    const float scale = (float)(1 << sight->level) / OBJECT_CLAIM_PX;
    for (int i = 0; i < len; i++) {
        const float x = scale * (at[0][i] + 0.5F), y = scale * (at[1][i] + 0.5F);
        if (!(x >= 0 && y >= 0 && x < (float)claims->width && y < (float)claims->height))
            continue;
        const int cell = (int)y * claims->width + (int)x;
        if (rivals[claims->by[cell]]) {
            out[i] = claims->depth_m[cell] < at[2][i] ? OBJECT_CLAIMED_BEFORE : OBJECT_CLAIMED_BEHIND;
            any = true;
        }
    }
    return any;
}

/* The nearer of two claimants keeps the pixel. */
static void claim_pixel(object_claims *claims, uint8_t by, int x, int y, double depth_m)
{
    if (x < 0 || y < 0 || x >= claims->width || y >= claims->height)
        return;
    const int at = y * claims->width + x;
    if (claims->by[at] != 0 && (double)claims->depth_m[at] < depth_m)
        return;
    claims->by[at] = by;
    claims->depth_m[at] = (float)depth_m;
}

/* Left of each side, or right of each side. */
static bool is_within(const pov_vec2 corner[4], double x, double y)
{
    int left = 0;
    for (int i = 0; i < 4; i++) {
        const pov_vec2 a = corner[i], b = corner[(i + 1) % 4];
        left += (b.x - a.x) * (y - a.y) - (b.y - a.y) * (x - a.x) > 0;
    }
    return left == 0 || left == 4;
}

static int claim_index(double px, int end)
{
    return (int)fmin(fmax(px / OBJECT_CLAIM_PX, 0), end);
}

void pov_object_claims_clear(object_claims *claims)
{
    if (!claims->is_empty)
        memset(claims->by, 0, (size_t)claims->width * (size_t)claims->height);
    claims->len = 0;
    claims->is_empty = true;
}

void pov_object_claims_add_other(object_claims *claims, const pov_vec2 corner_px[4], double depth_m)
{
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    for (int i = 0; i < 4; i++) {
        low[0] = fmin(low[0], corner_px[i].x);
        low[1] = fmin(low[1], corner_px[i].y);
        high[0] = fmax(high[0], corner_px[i].x);
        high[1] = fmax(high[1], corner_px[i].y);
    }
    claims->is_empty = false;
    for (int y = claim_index(low[1], claims->height);
         y < claim_index(high[1] + OBJECT_CLAIM_PX, claims->height); y++)
        for (int x = claim_index(low[0], claims->width);
             x < claim_index(high[0] + OBJECT_CLAIM_PX, claims->width); x++)
            if (is_within(corner_px, OBJECT_CLAIM_PX * (x + 0.5) - 0.5, OBJECT_CLAIM_PX * (y + 0.5) - 0.5))
                claim_pixel(claims, OBJECT_CLAIM_OF_OTHERS, x, y, depth_m);
}

void pov_object_claims_add(object_claims *claims, const object_view *view, const object_model *model,
                           const object_place *place, const object_cover *cover)
{
    object_sight s;
    if (claims->len == OBJECT_CLAIMANTS || !pov_object_sight_at(&s, view, model, place))
        return;
    claims->owners[claims->len++] = model;
    claims->is_empty = false;
    const object_portrait *portrait = pov_object_model_nearest(model, pov_object_view_azimuth(view, place));
    const int wide = (1 << s.level) / OBJECT_CLAIM_PX; /* of a point, to each side */
    const float scale = (float)(1 << s.level);
    for (int i = 0; i < portrait->point_len; i++) {
        float x, y, depth_m;
        object_point point = portrait->points[i];
        if (cover->hides[point.cell])
            continue;
        pov_object_sight_pixels(&s, &x, &y, &depth_m,
                                (float *const[3]){&point.place_m[0], &point.place_m[1], &point.place_m[2]},
                                1);
        const int at = claims_index(
            claims, (pov_vec2){(double)(scale * (x + 0.5F)) - 0.5, (double)(scale * (y + 0.5F)) - 0.5});
        for (int b = -wide; at >= 0 && b <= wide; b++)
            for (int a = -wide; a <= wide; a++)
                claim_pixel(claims, (uint8_t)claims->len, at % claims->width + a, at / claims->width + b,
                            (double)depth_m);
    }
}
