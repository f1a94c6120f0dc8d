/** An image with its camera: places of objects, the pixels of their points, and the pixels that objects already found
 *  explain. Private to object_*.c. */
#pragma once

#include "perception/geometry/camera.h"
#include "perception/image/image_pyramid.h"
#include "perception/objects/object_model.h"

#include <stddef.h>

struct object_tints;
struct object_claims;

/* An image and its camera. */
typedef struct {
    const pov_camera *camera;
    pov_transform T_table_camera, T_camera_table;
    const pov_image_pyramid *pyramid;
    const struct object_tints *tints;
    const object_palette *palette;
    const struct object_claims *claims; /* NULL: none */
    const object_model *set_aside;      /* its claims do not count; NULL: all count */
} object_view;

/* A place and a turn, on a plane of known height. */
typedef struct {
    double x_m, y_m, z_m, yaw_rad, score;
} object_place;

/* The cells of the portraits that something else hides. */
typedef struct {
    bool hides[OBJECT_CELLS];
} object_cover;

/* The middle of an object there, in the table frame. */
pov_vec3 pov_object_place_middle(const object_model *model, const object_place *place);
double pov_object_place_distance(const object_place *a, const object_place *b);
/* Unsigned angle between two turns. */
double pov_object_place_turn(const object_place *a, const object_place *b);

/* The eye's azimuth in the object's frame. */
double pov_object_view_azimuth(const object_view *view, const object_place *place);
/* Unsigned difference of the eye's elevation from that at enrolment. */
double pov_object_view_elevation_off(const object_view *view, const object_model *model,
                                     const object_place *place);
/* The level of the pyramid whose pixels are as large as a portrait's. */
int pov_object_view_level(const object_view *view, const object_model *model, const object_place *place);
/* Whether an object there is in view, large enough, and as the portraits show it: the eye no more than 15 degrees steeper or
 * flatter. */
bool pov_object_place_in_view(const object_view *view, const object_model *model, const object_place *place);

/* ---- the pixels of an object's points, fast: the lens is linear near the object's middle ---- */

typedef struct {
    pov_vec2 middle_px;
    int level; /* of the pyramid */
    /* A point's pixel of the level is middle + (across, down) / depth of it, where each is linear in (x, y, z, 1). */
    float middle[2], across[4], down[4], depth[4];
} object_sight;

/* False if the object's middle cannot be seen. */
bool pov_object_sight_at(object_sight *sight, const object_view *view, const object_model *model,
                         const object_place *place);

/* Pixels of the sight's level, and distances along the camera's axis, of many points. */
void pov_object_sight_pixels(const object_sight *sight, float *restrict x, float *restrict y,
                             float *restrict depth_m, float *const place_m[3], int len);

/* The mean colour about a place between pixels of a level, in quarters of a level of brightness. False: beyond the image. */
static inline bool object_pixel_at(int quarters[3], const pov_pyramid_level *level, float x, float y)
{
    if (!(x >= 0 && y >= 0 && x < (float)(level->width_px - 1) && y < (float)(level->height_px - 1)))
        return false;
    const int fine_x = (int)(256 * x), fine_y = (int)(256 * y), u = fine_x & 255, v = fine_y & 255;
    const uint8_t *above = level->pixels + (ptrdiff_t)(fine_y >> 8) * level->stride_bytes + 3 * (fine_x >> 8),
                  *below = above + level->stride_bytes;
    for (int c = 0; c < 3; c++) {
        const int upper = (256 - u) * above[c] + u * above[c + 3],
                  lower = (256 - u) * below[c] + u * below[c + 3];
        quarters[c] = ((256 - v) * upper + v * lower) >> 14;
    }
    return true;
}

/* ---- claims: pixels that an object already found explains are evidence for no other ---- */

enum { OBJECT_CLAIM_PX = 4, OBJECT_CLAIMANTS = 16, OBJECT_CLAIM_OF_OTHERS = 255 };

/* A coarse image: the owner of each of its pixels, and the owner's depth. */
typedef struct object_claims {
    int width, height, len;
    bool is_empty;
    const object_model *owners[OBJECT_CLAIMANTS];
    uint8_t *by;    /* 1 + index of the owner; 0: nobody's; OBJECT_CLAIM_OF_OTHERS: of no enrolled object */
    float *depth_m; /* along the camera's axis */
} object_claims;

typedef enum { OBJECT_UNCLAIMED, OBJECT_CLAIMED_BEFORE, OBJECT_CLAIMED_BEHIND } object_claim;

POV_MUST_USE pov_status pov_object_claims_new(object_claims *claims, int width_px, int height_px);
void pov_object_claims_free(object_claims *claims);
/* Removes all claims. */
void pov_object_claims_clear(object_claims *claims);
/* Claims a convex quadrilateral of the image for something that is not an enrolled object. */
void pov_object_claims_add_other(object_claims *claims, const pov_vec2 corner_px[4], double depth_m);
/* Claims the pixels of an object but for its covered cells. */
void pov_object_claims_add(object_claims *claims, const object_view *view, const object_model *model,
                           const object_place *place, const object_cover *cover);
/* Whether points of `model`, in a sight's pixels, appear where another object was found: one before it, or one that it would hide.
 * Returns whether any of them is claimed. */
bool pov_object_view_claims(uint8_t *claims, const object_view *view, const object_model *model,
                            const object_sight *sight, const float *const at[3], int len);
