/** Errors of the bodies that could come between a viewer and its target, each with its own and with what it shares through the
 *  camera. They are relative to the main occluder's, as the noise of viewer and target is (visibility_noise.h). Pure. */
#pragma once

#include "perception/visibility/visibility_look.h"

typedef struct {
    bool is_shared; /* some of the error, through the camera */
    int len;        /* bodies, those nearest to the sight line first */
    pov_id ids[POV_ENTITY_MAX];
    double own_m[POV_ENTITY_MAX][3][3];                                    /* own error = own * normals */
    int own_normal[POV_NOISE_OWN_MAX][3], common_normal[POV_NOISE_COMMON]; /* which of a node's normals */
} pov_occluder_noise;

/** The bodies that err otherwise than the main occluder and could come in the way within four standard deviations.
 *  In: main: the occluder that `noise` is relative to. */
void pov_occluder_noise_of(pov_occluder_noise *others, const pov_looker *who, const pov_noise *noise,
                           pov_id main, pov_vec3 eye_m);

/** Where they are in node `index`, by id, as shifts from the scene's places; the others' shifts are left as they are.
 *  Method: each of the first POV_NOISE_OWN_MAX bodies has components of the lattice for its own error; the next ones have
 *          those of other nodes. */
void pov_occluder_noise_shift(pov_vec3 shifts_m[POV_ENTITY_MAX], const pov_occluder_noise *others,
                              const pov_looker *who, const pov_noise *noise, int index);
