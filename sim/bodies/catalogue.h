/** Bodies of the classes that the worlds are made of, built from parts by our own code: recognisable, with an evident
 *  front along +x where the class has one. Deterministic: the same look gives the same body. */
#pragma once

#include "sim/bodies/model.h"

enum { POV_CATALOGUE_COLOURS = 5, POV_MINIFIGURES = 9 };

typedef struct {
    const char *class_name; /* as a person says it: "rubber duck" */
    pov_vec3 size_m;        /* of the real thing: x along the front, y across, z high */
    pov_vec3 eye_m; /* of what can see: from where, in the box's frame of a body of size_m; grows with it */
    uint32_t
        colours[POV_CATALOGUE_COLOURS]; /* sRGB, 0xRRGGBB, of the main part: the plain one's, then what else
                                                variants may have; ends at 0 */
    bool has_front;
    bool can_see;   /* people and animals */
    bool can_point; /* people */
} pov_catalogue_entry;

/** All classes, in alphabetical order. */
const pov_catalogue_entry *pov_catalogue_entries(int *len);
/** The class of that name, or NULL. */
const pov_catalogue_entry *pov_catalogue_find(const char *class_name);
/** POV_ERROR: there is no such class; names the nearest one. */
POV_MUST_USE pov_status pov_catalogue_unknown(const char *class_name);

/** Where the eye is in the box's frame of a body of that size. */
pov_vec3 pov_catalogue_eye_m(const pov_catalogue_entry *entry, pov_vec3 size_m);

typedef struct {
    pov_vec3 size_m; /* zeros: the class's own */
    bool has_colour; /* else the class's own */
    uint32_t colour; /* of the main part */
    uint64_t
        variant; /* which of the class; 0 the plain one. Minifigures: those below POV_MINIFIGURES differ in hair,
                         clothes and what they carry, as nine persons do; those above mix these */
    bool
        points; /* of what can point: an arm is stretched out, its fingertip between the eye and the target */
    pov_vec3 target_m; /* in the box's frame; as far away as an arm reaches, or farther */
} pov_look;

/** Builds a body whose bounds are exactly size_m about the origin, a pointing arm not counted; look NULL: the plain one.
 *  Returns: POV_ERROR naming the class and the nearest known one. */
POV_MUST_USE pov_status pov_catalogue_build(pov_model **model, const char *class_name, const pov_look *look);
