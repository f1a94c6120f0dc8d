/** Spatial relations between entities, in every frame of reference, under uncertainty. Pure functions.
 *
 *  Terms after Levinson 2003 and COMFORT (Zhang et al. 2025): the referent is located by the relatum; the perspective
 *  says whose axes are used, the convention how a viewer's axes reach the relatum. All on the ground projection.
 *
 *  A thing that stands on another is on no side of it: a cup on a table's far half is not behind the table, nor is the table left of
 *  the cup (regions begin outside the relatum: Herskovits 1986; above has one of its own: Logan & Sadler 1996). */
#pragma once

#include "perception/relations/expectation/template.h"
#include "perception/relations/relation_registry.h"
#include "perception/scene/scene.h"

typedef enum {
    POV_EGOCENTRIC, /* the camera's axes */
    POV_ADDRESSEE,  /* the axes of a person in the scene */
    POV_INTRINSIC,  /* the relatum's own front */
    POV_ABSOLUTE,   /* north, as the setup defines it */
    POV_PERSPECTIVE_COUNT
} pov_perspective;

/** The way a viewer's axes are laid on the relatum, for the relative perspectives (egocentric, addressee). */
typedef enum {
    POV_TRANSLATED, /* front is away from the viewer (Hausa) */
    POV_ROTATED,    /* front is toward the viewer, left and right swap (Tamil) */
    POV_REFLECTED,  /* front is toward the viewer, left stays (English) */
    POV_CONVENTION_COUNT,
    POV_NO_CONVENTION = POV_CONVENTION_COUNT /* intrinsic, absolute */
} pov_convention;

/** The direction that stands for a viewer's line of sight. */
typedef enum { POV_SIGHT_LINE, POV_HEADING, POV_AXIS_COUNT } pov_axis;
/** The default: somebody who locates a thing by the relatum looks at the relatum (Levinson 2003, relative frame). */
#define POV_AXIS_USUAL POV_SIGHT_LINE

/** The degree to which a relation holds at angle theta from its direction. */
typedef enum {
    POV_HEMISPHERE, /* 1 iff |theta| < 90 degrees */
    POV_COSINE,     /* (cos theta + 1) / 2 */
    POV_TEMPLATE,   /* good, acceptable and bad regions: perception/relations/expectation/template.h */
    POV_ACCEPTANCE_COUNT
} pov_acceptance;

/** FoREST's containment: is the referent's centre inside the relatum's box? Internal directions are about the relatum's
 *  own regions ("in the front of the car"): the same axes from its centre. */
typedef enum { POV_EXTERNAL, POV_INTERNAL, POV_CONTAINMENT_COUNT } pov_containment;

typedef enum { POV_FALSE, POV_TRUE, POV_ABSTAIN, POV_VERDICT_UNDEFINED, POV_VERDICT_COUNT } pov_verdict;

/** An expected truth value under the pose posterior. p in [0, 1], p_std its standard deviation over the posterior;
 *  NaN when undefined. */
typedef struct {
    double p, p_std;
    pov_verdict verdict;
} pov_belief;

/** Why a judgment abstains. */
typedef enum {
    POV_DOUBT_NONE,        /* it does not abstain */
    POV_DOUBT_POSES,       /* the poses are too noisy, or the thing is too near the boundary */
    POV_DOUBT_CALIBRATION, /* with exact intrinsics it would not abstain */
    POV_DOUBT_COUNT
} pov_doubt;

/** A relation between entities, and the frame of reference it is judged in. */
typedef struct {
    const pov_relation_info *relation;
    pov_id referent;
    pov_id viewer; /* egocentric: the camera; addressee: a person; else POV_ID_NONE */
    pov_id relatum[POV_RELATA_MAX];
    int relatum_len;             /* 1; 2 for "between", "nearer to"; 3 or more for "among" */
    pov_perspective perspective; /* ignored by relations of POV_FRAME_NONE */
    pov_convention convention;
    pov_axis axis; /* relative perspectives; else POV_HEADING: the axis is the relatum's front or north */
    pov_acceptance acceptance; /* of directions; other relations have their own grading */
} pov_query;

/** The answer to a query. Only directions have angles and a distance; elsewhere these are NaN. */
typedef struct {
    pov_query query;
    pov_containment containment; /* the likelier one */
    pov_doubt doubt;
    pov_belief belief;
    double theta_rad; /* signed angle from the relation's direction to relatum->referent, ccw from above */
    double theta_std_rad;   /* to first order, at most POV_EVEN_STD_RAD; NaN when undefined */
    double flip_distance_m; /* how far the referent must move on the ground to reach the boundary */
    double p_internal; /* probability of POV_INTERNAL; NaN if an entity is not placed, or without a frame */
} pov_judgment;

/** Distance inside the boundary, 90 degrees less |theta|; negative outside; NaN when undefined. */
static inline double pov_judgment_flip_angle_rad(const pov_judgment *judgment)
{
    return POV_PI / 2 - fabs(judgment->theta_rad);
}

/** The judgments wanted of a scene, and their thresholds. */
typedef struct {
    bool relation[POV_RELATION_COUNT]; /* directions */
    bool other[POV_REGISTRY_MAX];      /* relations that are not directions, by index in the registry */
    bool axis[POV_AXIS_COUNT];
    bool acceptance[POV_ACCEPTANCE_COUNT];
    bool own_view;               /* of a pair: in the frame of a viewer who is the referent, too */
    double abstain_margin;       /* in [0, 0.5): abstain when |P(truth > 0.5) - 0.5| <= margin */
    pov_template regions;        /* of POV_TEMPLATE */
    pov_predicate_params params; /* of relations that are not directions */
} pov_judging;
/** All directions, both axes, hemisphere; abstains within 3 standard deviations of a boundary: Phi(3) - 0.5. */
#define POV_JUDGING_DEFAULT                                                                                  \
    {                                                                                                        \
        .relation = {true, true, true, true, true, true, true, true}, .axis = {true, true},                  \
        .acceptance = {true, false, false}, .abstain_margin = 0.49865, .regions = POV_TEMPLATE_DEFAULT,      \
        .params = POV_PREDICATE_PARAMS_DEFAULT                                                               \
    }

/** Judges one query, by `judging`'s margin, template and parameters.
 *  Returns: POV_OK; POV_UNDEFINED (belief.verdict POV_VERDICT_UNDEFINED, numbers NaN) if an entity is not placed, there
 *           are too few relata, the relatum has no front (intrinsic), north is not set (absolute), the relation does not
 *           belong to the perspective, the viewer has no heading where one is needed, the two coincide within their
 *           noise, or geometry cannot decide in half of the posterior or more.
 *  In:      different ids of the scene, else POV_UNDEFINED. Boxes turn with their headings.
 *  Method:  directions: exact expectations about the axis (relation_axis.c, expectation.h). Others: a rank-1 lattice
 *           (Cools, Kuo & Nuyens 2006) over the joint Gaussian of relative positions and the heading mixtures, doubled
 *           until it settles: deterministic, within 0.005 of the true expectation. No allocation. */
pov_code pov_relation_evaluate(pov_judgment *judgment, const pov_scene *scene, const pov_query *query,
                               const pov_judging *judging);

/** The query of an entry of the registry about a pair, without a frame: as relations of POV_FRAME_NONE are judged. */
pov_query pov_query_of_pair(const pov_relation_info *relation, pov_id referent, pov_id relatum);
/** Whose directions are meant, by the one name that it has everywhere: "woman, reflected", "car's own front", "compass"; of relations
 *  without a frame "in every frame", of those of a viewer "from woman". An axis is not named. Out: text, at most `capacity` bytes;
 *  names of entities have POV_NAME_CAPACITY. */
void pov_query_viewpoint(char *text, size_t capacity, const pov_scene *scene, const pov_query *query);
/** True if two queries are the same. */
bool pov_query_equal(const pov_query *a, const pov_query *b);

/** Judges a pair in every perspective and convention the scene has viewers and fronts for (an intrinsic judgment of a
 *  relatum without a front is included, as undefined). A viewer does not judge its own position as relatum.
 *  Out:     judgments[0 .. return value), at most `capacity`; the return value is the number there would be. Many
 *           pairs are judged faster by perception/relations/pair_judge.h. */
int pov_relation_evaluate_pair(pov_judgment *judgments, int capacity, const pov_scene *scene, pov_id referent,
                               pov_id relatum, const pov_judging *judging);

/** The viewers whose perspectives are judged, the camera and the addressees: the first after `after` (POV_ID_NONE: of
 *  all), or POV_ID_NONE. */
pov_id pov_viewer_next(const pov_scene *scene, pov_id after);
/** POV_EGOCENTRIC of the camera, else POV_ADDRESSEE. */
pov_perspective pov_viewer_perspective(const pov_scene *scene, pov_id viewer);

/** Stable names: "egocentric", "translated", "sight_line", "hemisphere", "true"... */
const char *pov_perspective_name(pov_perspective value);
const char *pov_convention_name(pov_convention value); /* NULL for POV_NO_CONVENTION */
const char *pov_axis_name(pov_axis value);
const char *pov_acceptance_name(pov_acceptance value);
const char *pov_containment_name(pov_containment value);
const char *pov_verdict_name(pov_verdict value);
const char *pov_doubt_name(pov_doubt value); /* NULL for POV_DOUBT_NONE; "poses", "calibration" */
