/** Bodies of the classes that the worlds are made of, built from parts by our own code: recognisable, with an evident
 *  front along +x where the class has one. Deterministic by seed. */
#ifndef POV_SIM_CATALOGUE_H
#define POV_SIM_CATALOGUE_H

#include "sim/model.h"

typedef struct {
    const char *class_name; /* as a person says it: "rubber duck" */
    pov_vec3 size_m;        /* of the real thing: x along the front, y across, z high */
    bool has_front;
    bool has_inside; /* a container, in FoREST's sense */
    bool can_see;    /* people and animals; eye_m is then where from, in the box's frame */
    pov_vec3 eye_m;
    uint32_t colour; /* sRGB, 0xRRGGBB, of its main part when not chosen */
} pov_catalogue_entry;

/** All classes, in alphabetical order. */
const pov_catalogue_entry *pov_catalogue_entries(int *len);
/** The class of that name, or NULL. */
const pov_catalogue_entry *pov_catalogue_find(const char *class_name);

typedef struct {
    pov_vec3 size_m; /* zeros: the class's own */
    bool has_colour; /* else the class's own */
    uint32_t colour; /* of the main part */
    uint64_t
        variant; /* which of the class: a minifigure's hair and clothes, a dog's proportions; 0 the plain one */
} pov_look;

/** Builds a body whose bounds are exactly size_m about the origin.
 *  Returns: POV_ERROR naming the class and the nearest known one. */
POV_MUST_USE pov_status pov_catalogue_build(pov_model **model, const char *class_name, const pov_look *look);

#endif
