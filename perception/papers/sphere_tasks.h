/** SPHERE's questions (Zhang et al. 2025, section 3) answered from a scene, each with its probability: position, counting,
 *  distance, size, their combinations, occlusion, manipulation. ("Sphere" is the benchmark's name, not the shape.)
 *
 *  Probabilities are over the positions' and headings' errors, by samples that are the same every time
 *  (perception/scene/possible_world.h): within 0.03. Sizes are taken as known. Metres, table frame. Pure. */
#pragma once

#include "perception/relations/relation.h"

/** One of two or three answers. */
typedef struct {
    int len;
    double p[3]; /* they sum to 1; NaN: undefined */
} pov_choice;

/** The two answers that a question of position offers. */
typedef enum {
    POV_LEFT_OR_RIGHT,
    POV_FRONT_OR_BEHIND,
    POV_ABOVE_OR_BELOW,
    POV_POSITION_COUNT
} pov_position_kind;

/** Egocentric, from `viewer`'s own place and heading: "If you are the man, where is the girl relative to you?"
 *  POV_UNDEFINED: not placed; no heading, except for above or below; left, right, front, behind of what lies over it, seen
 *  from above (a cup and its table); above or below of two of which neither is wholly over the other, as the registry's "above". */
pov_code pov_sphere_position_egocentric(pov_choice *choice, const pov_scene *scene, pov_position_kind kind,
                                        pov_id viewer, pov_id referent);
/** Allocentric, as the camera sees it: "from the perspective of the viewer, where is the girl relative to the man?"
 *  Left, right, front, behind: reflected, by the sight line to the relatum. POV_UNDEFINED likewise. */
pov_code pov_sphere_position_allocentric(pov_choice *choice, const pov_scene *scene, pov_position_kind kind,
                                         pov_id referent, pov_id relatum);

/** Counts of things of a class, p[k] = P(count is k). */
typedef struct {
    int len; /* largest possible count + 1 */
    double p[POV_ENTITY_MAX + 1];
    int likeliest;
} pov_count;

/** The things to count: those of a class that are in the image (section 3: "visible in the image"). Things that are
 *  asked about are never counted themselves. */
typedef struct {
    const char *class_name;
    const double *p_in_image; /* by id: in_image.h; NULL: all placed entities */
} pov_counted;

/** Counts all of them. */
void pov_sphere_count(pov_count *count, const pov_scene *scene, const pov_counted *counted);
/** "How many laptops are on the left side of the man": by the camera (viewer == camera: reflected, by the sight line to
 *  the relatum), or of the relatum's own (viewer == relatum: by its heading). `first`: left, front or above. A thing over
 *  or under the relatum is at no side of it. */
pov_code pov_sphere_count_positioned(pov_count *count, const pov_scene *scene, const pov_counted *counted,
                                     pov_position_kind kind, bool first, pov_id viewer, pov_id relatum);
/** "How many horses are farther from him than the fence?" (farther: false: closer.) */
pov_code pov_sphere_count_distant(pov_count *count, const pov_scene *scene, const pov_counted *counted,
                                  pov_id from, pov_id than, bool farther);

/** "How many crows are on the railing farther from the viewer?" Those that rest on whichever of two carriers is farther (nearer).
 *  POV_UNDEFINED: one of the three is not placed. */
pov_code pov_sphere_count_carried(pov_count *count, const pov_scene *scene, const pov_counted *counted,
                                  pov_id from, const pov_id carriers[2], bool farther);

/** Chooses the one nearer to `from` (the camera: to the viewer): a or b. Between the nearest points of the boxes. */
pov_code pov_sphere_nearer(pov_choice *choice, const pov_scene *scene, pov_id a, pov_id b, pov_id from);

/** Two groups of a class are apart for the camera if the gap between them, as an angle, is so many times the widest gap within one. Chosen. */
#define POV_GROUPS_APART 2.0
/** Chooses the group of a class that is nearer to `from`: p[0] the left one for the camera, p[1] the right one, p[2] neither: the two are not
 *  clearly apart, or not all of one are nearer than all of the other. Groups have two things or more.
 *  POV_UNDEFINED: at the means there are no two groups that are apart; without a camera. */
pov_code pov_sphere_nearer_group(pov_choice *choice, const pov_scene *scene, const char *class_name,
                                 pov_id from);

/** The measure by which sizes are compared. */
typedef enum {
    POV_EXTENT_SIZE,   /* volume, as "bigger_than" */
    POV_EXTENT_HEIGHT, /* from bottom to top, as "taller_than" */
    POV_EXTENT_WIDTH,  /* from side to side, as the camera sees it */
    POV_EXTENT_COUNT
} pov_extent;

/** Chooses the larger one in truth: a, b, or both alike: lengths (of volumes the cube's edges) within POV_SIMILAR_LENGTH. POV_UNDEFINED
 *  without sizes, or without a camera for widths. */
pov_code pov_sphere_compare(pov_choice *choice, const pov_scene *scene, pov_extent extent, pov_id a,
                            pov_id b);
/** The same with the answers "the closer", "the farther" (from the camera), "alike". */
pov_code pov_sphere_compare_by_distance(pov_choice *choice, const pov_scene *scene, pov_extent extent,
                                        pov_id a, pov_id b);
/** Are they so nearly as far from the camera that their sizes in the image compare as their true ones do (section 3.2.1: size, else
 *  distance + size)? */
bool pov_sphere_are_equidistant(const pov_scene *scene, pov_id a, pov_id b);

/** Largest distances of a thing behind its hider, and from a thing right beside it, in mean diagonals of the two. Chosen:
 *  Hall's (1966) personal and intimate zones of two people, 1.2 and 0.45 m. */
#define POV_BEHIND_REACH 0.67
#define POV_BESIDE_REACH 0.25

/** Could a thing of this size stand behind `hider`, wholly hidden from the viewer? It rests on what the hider rests on, in no
 *  other body, within POV_BEHIND_REACH. Tried: six gaps along the sight line, nine places up to half the
 *  wider one's width aside, four turns. Exact for boxes: the shadow of a convex body is convex, so corners decide. Other bodies do
 *  not help to hide. p[0]: yes, p[1]: no. */
pov_code pov_sphere_could_hide(pov_choice *choice, const pov_scene *scene, pov_id viewer, pov_id hider,
                               pov_vec3 size_m);

/** Directions of a move as a viewer sees it: its left, its right, away from it, closer to it. */
typedef enum { POV_MOVE_LEFT, POV_MOVE_RIGHT, POV_MOVE_AWAY, POV_MOVE_CLOSER, POV_MOVE_COUNT } pov_move;

typedef struct {
    double clearance_m;    /* a box may scrape along another so deep: boxes are larger than what they hold */
    double overhang_share; /* of the footprint, that may stick out of its surface after the move */
} pov_moving;
/** clearance: poses are known to no better; overhang: a tenth looks as if it still stands on the table. */
#define POV_MOVING_DEFAULT                                                                                   \
    {                                                                                                        \
        .clearance_m = 0.002, .overhang_share = 0.1                                                          \
    }

typedef struct {
    pov_choice possible;    /* p[0]: yes, p[1]: no */
    double p_hits, p_falls; /* of what prevents it */
    pov_id obstacle;        /* hit most often; POV_ID_NONE */
    double distance_m;      /* of the move at the means */
} pov_move_answer;

/** Can a thing be moved by `widths` of its own extent that way without hitting another, or leaving what it rests on?
 *  The axes are a viewer's by its sight line to the thing. The box is swept: exact to 1/256 of the move.
 *  POV_UNDEFINED: not placed, no size, or the viewer is right above it. */
pov_code pov_sphere_can_move(pov_move_answer *answer, const pov_scene *scene, pov_id id, pov_id viewer,
                             pov_move move, double widths, const pov_moving *moving);

/** Could `id` stand right beside `relatum`, at a side as the viewer sees it (viewer == relatum: by its own front)? It rests on
 *  what the relatum rests on, in no other body, and none is between the two; places as for pov_sphere_could_hide, within
 *  POV_BESIDE_REACH. p[0]: yes, p[1]: no.
 *  POV_UNDEFINED: not placed, no size, no front where it counts, the viewer right above. */
pov_code pov_sphere_could_stand(pov_choice *choice, const pov_scene *scene, pov_id viewer, pov_move side,
                                pov_id id, pov_id relatum);
/** The share of a container's box, along each side, that its hollow has at least; a volume that is larger by less than the rest is not told
 *  from an equal one. Chosen. */
#define POV_HOLLOW_SHARE 0.9
/** Could a thing of this size lie in a container, or under a cover, out of the viewer's sight? p[0]: yes: it fits into the hollow, and, as nobody
 *  knows whether a container is open, is hidden by the wall before it then too; p[1]: no: it does not fit into the whole box; p[2]:
 *  geometry does not tell. Turned by right angles, on the bottom.
 *  POV_UNDEFINED: not such a place by its class (affordance.h), no size, tilted, or something is in it. */
pov_code pov_sphere_could_be_inside(pov_choice *choice, const pov_scene *scene, pov_id viewer, pov_id place,
                                    pov_vec3 size_m);
/** Has the one of two vessels that is farther from `from` room for all that the nearer one holds? p[0]: yes, p[1]: no. By the volumes of their
 *  boxes. POV_UNDEFINED: not vessels by their class, no size, volumes that differ by less than a tenth of the larger one. */
pov_code pov_sphere_could_pour(pov_choice *choice, const pov_scene *scene, pov_id a, pov_id b, pov_id from);

/** Could it stand between two, on what the first rests on? */
pov_code pov_sphere_could_stand_between(pov_choice *choice, const pov_scene *scene, pov_id id, pov_id a,
                                        pov_id b);
