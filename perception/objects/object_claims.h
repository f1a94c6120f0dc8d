/** What of an image objects already found explain: it speaks for nothing else there. Private to object_*.c. */
#ifndef POV_PERCEPTION_OBJECTS_OBJECT_CLAIMS_H
#define POV_PERCEPTION_OBJECTS_OBJECT_CLAIMS_H

#include "perception/objects/object_finder.h"
#include "perception/objects/object_fit.h"

#include <stddef.h>

enum { OBJECT_CLAIM_PX = 4, OBJECT_CLAIMANTS = 16, OBJECT_CLAIM_OF_OTHERS = 255 };

/* A coarse image: whose each of its pixels is, and how far away that is. */
typedef struct object_claims {
    int width, height, len;
    bool is_empty;
    const object_model *owners[OBJECT_CLAIMANTS];
    uint8_t *by;    /* 1 + index of the owner; 0: nobody's */
    float *depth_m; /* along the camera's axis */
} object_claims;

typedef enum { OBJECT_UNCLAIMED, OBJECT_CLAIMED_BEFORE, OBJECT_CLAIMED_BEHIND } object_claim;

POV_MUST_USE pov_status object_claims_new(object_claims *claims, int width_px, int height_px);
void object_claims_free(object_claims *claims);
/* What is known to be none of the objects; nothing is known: NULL. */
void object_claims_start(object_claims *claims, const pov_object_others *others);

/* Takes what shows of an object at its fit. */
void object_claims_add(object_claims *claims, const object_view *view, const object_model *model,
                       const object_fit *fit);

/* Which of its pixels a place of the image is in; -1: none. */
static inline int object_claims_index(const object_claims *claims, pov_vec2 pixel)
{
    if (!(pixel.x >= 0 && pixel.y >= 0 && pixel.x < OBJECT_CLAIM_PX * claims->width - 0.5 &&
          pixel.y < OBJECT_CLAIM_PX * claims->height - 0.5))
        return -1;
    return (int)(pixel.y + 0.5) / OBJECT_CLAIM_PX * claims->width + (int)(pixel.x + 0.5) / OBJECT_CLAIM_PX;
}

/* Whether a point of `model` appears where another object was found: one before it, or one that it would hide. */
static inline object_claim object_view_claim(const object_view *view, const object_model *model,
                                             pov_vec2 pixel, double depth_m)
{
    const object_claims *claims = view->claims;
    const int at = claims && !claims->is_empty ? object_claims_index(claims, pixel) : -1;
    if (at < 0)
        return OBJECT_UNCLAIMED;
    const int by = claims->by[at];
    const object_model *owner = by == 0 || by == OBJECT_CLAIM_OF_OTHERS ? NULL : claims->owners[by - 1];
    if (by == 0 || owner == model || (owner && owner == view->set_aside))
        return OBJECT_UNCLAIMED;
    return (double)claims->depth_m[at] < depth_m ? OBJECT_CLAIMED_BEFORE : OBJECT_CLAIMED_BEHIND;
}

#endif
