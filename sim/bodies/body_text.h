/** Bodies written as text (share/bodies/, docs/SIMULATION.md): functions that place parts, interpreted while a body is built. Pure. */
#pragma once

#include "config/files/embedded.h"
#include "sim/bodies/model.h"

/** The catalogue's, which travel in the program. */
extern const pov_embedded_file POV_BODY_FILES[];

/** A body to be built. */
typedef struct {
    pov_model *model;
    uint32_t colour;  /* of the main part, sRGB 0xRRGGBB */
    uint64_t variant; /* 0: the plain one */
    uint64_t random;  /* state of the variant's dice */
    bool points;      /* of a person: one arm, from the eye at the target; both as the text's lengths */
    pov_vec3 eye, target;
} pov_body;

/** One of the colours; the first for the plain one. */
uint32_t pov_body_pick(pov_body *body, const uint32_t colours[], int len);

/** Adds the parts of the function `name` of the files to the body's model.
 *  Returns: POV_ERROR naming the file, the line and what is wrong there, or that there is no such function. */
POV_MUST_USE pov_status pov_body_text_build(pov_body *body, const pov_embedded_file *files, const char *name);
