/** A first look for an object: at each place of a grid on the table, and from each side, are there its colours? Private to
 *  object_*.c. */
#ifndef POV_PERCEPTION_OBJECTS_OBJECT_SCAN_H
#define POV_PERCEPTION_OBJECTS_OBJECT_SCAN_H

#include "perception/geometry/camera.h"
#include "perception/image/image_pyramid.h"
#include "perception/objects/object_model.h"

enum { OBJECT_TINT_LEVELS = 3, OBJECT_TINT_FIRST = 2 };

/* A pixel's colour as direction and length, and how sure the direction is. */
typedef struct {
    float direction[3], log_length, sharpness;
} object_tint;

/* The small levels of the pyramid in these terms. */
typedef struct {
    object_tint *tints[OBJECT_TINT_LEVELS];
    int width_px[OBJECT_TINT_LEVELS], height_px[OBJECT_TINT_LEVELS];
} object_tints;

POV_MUST_USE pov_status object_tints_new(object_tints *tints, const pov_image_pyramid *pyramid);
void object_tints_free(object_tints *tints);
void object_tints_set(object_tints *tints, const pov_image_pyramid *pyramid);

struct object_claims;

/* Where things are looked at from. */
typedef struct {
    const pov_camera *camera;
    pov_transform T_table_camera, T_camera_table;
    const pov_image_pyramid *pyramid;
    const object_tints *tints;
    const object_palette *palette;
    const struct object_claims *claims; /* NULL: none */
    const object_model *set_aside;      /* whose claims do not count; NULL: nobody */
} object_view;

/* A place and a turn, on a plane of known height. */
typedef struct {
    double x_m, y_m, z_m, yaw_rad, score;
} object_place;

/* Where the eye is: its azimuth in the object's frame, and how much steeper or flatter it looks than when enrolled. */
double object_view_azimuth(const object_view *view, const object_place *place);
double object_view_elevation_off(const object_view *view, const object_model *model,
                                 const object_place *place);
/* The level of the pyramid whose pixels are as large as a portrait's. */
int object_view_level(const object_view *view, const object_model *model, const object_place *place);

/* Whether an object there is in view, as the portraits show it: no more than `elevation_reach_rad` steeper or flatter. */
bool object_place_in_view(const object_view *view, const object_model *model, const object_place *place);

/* The best turn at a place; looks at every `portrait_step`-th portrait and a `share` of its patches. */
void object_scan_place(const object_view *view, const object_model *model, object_place *place,
                       int portrait_step, double share);
/* The score of one turn. */
double object_scan_score(const object_view *view, const object_model *model, const object_place *place);

/* The best turns at a place, apart from one another, best first. */
int object_scan_turns(const object_view *view, const object_model *model, object_place *turns, int max,
                      const object_place *at);

#endif
