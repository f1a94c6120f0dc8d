/** The seven questions of visual perspective taking of Isle-Brick (Goral et al. 2025), answered from a scene: Q1-Q3 what
 *  is there, Q4-Q5 where by the compass, Q6 whether the figure sees the object, Q7 where it is for the figure. */
#pragma once

#include "perception/visibility/visibility.h"

/** The meaning of north in Q4 and Q5. */
typedef enum {
    POV_NORTH_IMAGE_TOP, /* the paper's: surface views look north; from above, the image's upward direction is north */
    POV_NORTH_OF_SCENE /* the scene's own */
} pov_vpt_north;

/** The eight answers about a circle, clockwise from north (Q4, Q5) or from the figure's front (Q7). Odd ones have two
 *  parts: "north, east", "front, right". */
enum { POV_VPT_PARTS = 8, POV_VPT_DIRECTIONS = 4 };

typedef struct {
    bool defined;
    double p[POV_VPT_PARTS]; /* of each answer; they sum to 1; NaN if not defined */
    bool gold
        [POV_VPT_DIRECTIONS]; /* the likeliest answer's parts: north east south west, or front right back left */
    double p_gold;            /* its probability */
} pov_vpt_direction;

typedef struct {
    pov_vpt_north north;
    pov_seeing seeing;
    double diagonal_half_rad; /* answers have two parts this near to a diagonal: in (0, pi/4] */
} pov_vpt_options;
#define POV_VPT_OPTIONS_DEFAULT                                                                              \
    {                                                                                                        \
        .north = POV_NORTH_IMAGE_TOP, .seeing = POV_SEEING_DEFAULT, .diagonal_half_rad = POV_PI / 8          \
    }

/** Q1, Q2: how many there are in the image; `p`: that it is so many. */
typedef struct {
    int number;
    double p;
} pov_vpt_count;

typedef struct {
    double p_same_surface;        /* Q3; NaN: undefined */
    pov_vpt_direction where;      /* Q4: from the figure to the object */
    pov_vpt_direction facing;     /* Q5 */
    pov_visibility sees;          /* Q6 */
    pov_vpt_direction for_figure; /* Q7 */
} pov_vpt_answers;

/** A figure: an addressee, or what can see and is not the camera. */
bool pov_vpt_is_figure(const pov_scene *scene, pov_id id);

/** Counts placed entities that are in the image (in_image.h), not hidden ones. Surfaces that others rest on are not objects, the
 *  camera is neither. The scene is that given to pov_occlusion_update. */
void pov_vpt_count_all(pov_vpt_count *objects, pov_vpt_count *figures, const pov_occlusion *occlusion,
                       const pov_seeing *seeing);

/** Q5 alone, of a figure without an object. */
pov_vpt_direction pov_vpt_facing(const pov_scene *scene, pov_id figure, const pov_vpt_options *options);
/** Answers Q3 to Q7 for a figure and an object of the scene given to pov_occlusion_update. A question without an answer is
 *  undefined on its own: without a camera Q4 and Q5 by the image's top, without a front Q5 to Q7. */
void pov_vpt_answer(pov_vpt_answers *answers, const pov_occlusion *occlusion, pov_id figure, pov_id object,
                    const pov_vpt_options *options);
