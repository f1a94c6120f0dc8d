/** Shared by relation*.c and pair_judge.c; nobody else includes this. */
#pragma once

#include "perception/relations/expectation/expectation.h"
#include "perception/relations/relatum_axis.h"

/* ---- the mean truth of situations drawn one after another ---- */

/* Sums over points; those of truth over the points where it is defined. Starts from {0}. */
typedef struct {
    int points, defined;
    double holding; /* truth above one half; an exact tie counts half */
    double truth, truth_squared;
} pov_truth_tally;

/* Counts one point; truth NaN: undefined there. */
void pov_truth_tally_count(pov_truth_tally *tally, double truth);
/* All points agree: more of them could only find a tail too thin to matter. */
bool pov_truth_tally_is_unanimous(const pov_truth_tally *tally);
/* Mean and deviation of truth over the points where it is defined, and the verdict: undefined if half of the points or more are; sure
 * only if it would be the same with the other undefined ones counted as holding, and as not. */
pov_belief pov_truth_tally_belief(const pov_truth_tally *tally, double abstain_margin);
/* 1 where a truth holds; one half of an exact tie: equally tall, equally near. */
static inline double pov_share_holding(double truth)
{
    return fabs(truth - 0.5) < 1e-9 ? 0.5 : truth > 0.5;
}

/* The verdict where this share of the possible worlds holds: abstains within the margin of one half. */
static inline pov_verdict pov_verdict_of_share(double share_holding, double abstain_margin)
{
    if (fabs(share_holding - 0.5) <= abstain_margin)
        return POV_ABSTAIN;
    return share_holding > 0.5 ? POV_TRUE : POV_FALSE;
}

/* ---- directions ---- */

/* A relation's direction about an axis. */
pov_quarter pov_relation_quarter(pov_relation relation, pov_convention convention);

static inline bool pov_is_id(const pov_scene *scene, pov_id id)
{
    return id >= 0 && id < scene->len;
}

static inline bool pov_is_relative(pov_perspective perspective)
{
    return perspective == POV_EGOCENTRIC || perspective == POV_ADDRESSEE;
}

/* ---- vectors between entities, with what their errors share ---- */

/* From one entity to another on the ground, how the camera pose's error moves it, and that times the error's
 * covariance; these two unset if the camera is sure. */
typedef struct {
    pov_vec2 mean_m;
    bool camera_is_sure;
    double J[2][6], JC[2][6];
} pov_difference;

/* The vector from relatum to referent, and all else that the frames of a pair share. */
typedef struct {
    const pov_scene *scene;
    pov_id referent, relatum;
    bool has_direction; /* both are placed, and not within their noise of each other */
    bool is_exact;      /* without noise */
    pov_difference v;
    double v_rad;
    pov_sight sight; /* v and its covariance; no axis yet */
    pov_containment containment;
    double p_internal;
    double p_carried; /* that one stands on the other: then it is on no side of it */
} pov_pair;

void pov_pair_find(pov_pair *pair, const pov_scene *scene, pov_id referent, pov_id relatum);

/* The sight line from a viewer to a relatum: fills in the axis and its covariance. Returns: false if they coincide. */
bool pov_sight_line(pov_sight *sight, pov_difference *line, const pov_scene *scene, pov_id relatum,
                    pov_id viewer);
/* The pair's vector against that sight line. */
void pov_pair_look_from(pov_sight *sight, const pov_pair *pair, pov_id viewer);

/* ---- an axis, which all relations and conventions about it share ---- */

/* Finds the direction of an axis of given perspective, viewer and kind. Intrinsic axes and sight lines depend on the relatum;
 * `north` stores the heading of an absolute axis. */
void pov_axis_find(pov_relatum_axis *axis, pov_heading *north, const pov_scene *scene, pov_id relatum);

/* The beliefs about each of an axis's four directions. */
typedef struct {
    double theta_rad[POV_QUARTER_COUNT], theta_std_rad, flip_distance_m[POV_QUARTER_COUNT];
    pov_verdict verdict[POV_QUARTER_COUNT];
    pov_expected expected[POV_ACCEPTANCE_COUNT]; /* set for the wanted acceptances */
} pov_axis_beliefs;

void pov_axis_judge(pov_axis_beliefs *beliefs, const pov_pair *pair, const pov_relatum_axis *axis,
                    const pov_judging *judging, const bool wanted[POV_ACCEPTANCE_COUNT]);

/* All of a judgment but its query: of the relation in direction `quarter`. Field by field, for what is put together
 * elsewhere and copied at once waits for its own stores. */
static inline void pov_judgment_fill(pov_judgment *judgment, const pov_axis_beliefs *beliefs,
                                     const pov_pair *pair, pov_acceptance acceptance, int quarter)
{
    judgment->containment = pair->containment;
    judgment->belief.p = beliefs->expected[acceptance].mean[quarter];
    judgment->belief.p_std = beliefs->expected[acceptance].std[quarter];
    judgment->belief.verdict = beliefs->verdict[quarter];
    judgment->doubt = beliefs->verdict[quarter] == POV_ABSTAIN ? POV_DOUBT_POSES : POV_DOUBT_NONE;
    judgment->theta_rad = beliefs->theta_rad[quarter];
    judgment->theta_std_rad = beliefs->theta_std_rad;
    judgment->flip_distance_m = beliefs->flip_distance_m[quarter];
    judgment->p_internal = pair->p_internal;
}
