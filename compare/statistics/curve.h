/** P(yes) around a relatum, and what COMFORT measures on one such curve (Zhang et al. 2025, sections 3.4 to 3.6). Pure.
 *
 *  phi is the referent's azimuth about the relatum, counter-clockwise from above: 0 toward the camera, 90 at the
 *  camera's right. theta is phi less the azimuth at which the relation asked for holds best. */
#pragma once

#include "perception/relations/relation.h"

#include <stdint.h>

enum { POV_CURVE_SAMPLES = 36, POV_CURVE_STEP_DEG = 10 };

/** One model, one prompt, one relation, one variant of a scene. */
typedef struct {
    bool unasked[POV_CURVE_SAMPLES];   /* a rotation of fewer stops has no question there */
    uint8_t untold[POV_CURVE_SAMPLES]; /* readings in which geometry cannot tell: pov_reading_bit */
    double p[POV_CURVE_SAMPLES];       /* P(yes) at phi = 0, 10, ... 350 degrees; NaN: unscored */
    double
        repeat; /* the authors' 37th sample, where the circle closes; only the released formulas use it. NaN: none */
} pov_curve;

/** The paper's formulas, or what the authors' released scripts compute: the 37th sample takes part in the normalisation,
 *  and a sum of 36 squares is divided by 37. */
typedef enum { POV_FORMULAS_PAPER, POV_FORMULAS_RELEASED } pov_formulas;

/** A question is read in a perspective, with a convention if that is relative. */
typedef struct {
    pov_perspective perspective;
    pov_convention convention;
} pov_reading;

/** Its bit in pov_curve.untold. */
unsigned pov_reading_bit(pov_reading reading);

/** The way the parties of a scene face, as azimuths; NaN: there is none, or it has no front. */
typedef struct {
    double addressee_deg, relatum_deg;
} pov_facings;
/** COMFORT's addressee faces the camera's right; its balls have no front. */
#define POV_FACINGS_DEFAULT                                                                                  \
    {                                                                                                        \
        .addressee_deg = 90, .relatum_deg = NAN                                                              \
    }

/** The azimuth at which one of the four projective relations holds best, in [0, 360); viewers' axes by heading, as the
 *  released scripts have them. NaN: nobody in the scene has such a perspective. */
double pov_curve_direction_deg(pov_relation relation, pov_reading reading, pov_facings facings);

/** The references lambda at theta: 1 within a quarter-turn, exclusive, else 0; and (cos theta + 1) / 2. */
double pov_reference_hemisphere(double theta_deg);
double pov_reference_cosine(double theta_deg);

/** Both at phi = 0, 10, ... 350 degrees. */
void pov_curve_references(double cosine[POV_CURVE_SAMPLES], bool hemisphere[POV_CURVE_SAMPLES],
                          double direction_deg);

/** True if geometry tells what is right of a sample in the frame that it is scored against: not at the edge of that frame's
 *  half-plane, nor where the station abstains in it. The released scripts score all.
 *  In:  cosine: the reference at the sample; bit: pov_reading_bit of the frame. */
bool pov_curve_is_told(const pov_curve *curve, int sample, double cosine, unsigned bit,
                       pov_formulas formulas);

typedef struct {
    double p[POV_CURVE_SAMPLES]; /* stretched to [0, 1]; all 0 if constant; NaN: unscored */
    int scored;                  /* samples that are not NaN */
    bool constant;
} pov_normalised;

void pov_curve_normalise(pov_normalised *normalised, const pov_curve *curve, pov_formulas formulas);

/** The measures of one curve. */
typedef enum {
    POV_ACCURACY, /* the paper's: share of the scored samples with (p > 0.5) == hemisphere; at its edge "no" is right */
    POV_ACCURACY_TOLD,  /* the same without what geometry cannot tell */
    POV_ACCURACY_LEAST, /* the same if all unscored answers are wrong */
    POV_ACCURACY_MOST,  /* and if they are right */
    POV_EPS_HEMISPHERE, /* RMS distance from the references */
    POV_EPS_COSINE,
    POV_EPS_CLIPPED, /* from max(0, cos theta), which only the released scripts print */
    POV_ETA, /* RMS distance from its own low-pass; NaN with a sample unscored: a gap has no frequency */
    POV_C_SYM, /* RMS difference of samples at theta and -theta; the paper's literal 2/(n-1) gives sqrt(34/35) of it */
    POV_CURVE_MEASURES
} pov_curve_measure;

/** All measures, over the samples that are scored; NaN where none is or direction_deg is NaN.
 *  In:  direction_deg: where the relation holds best; axis_deg: the same by the translated convention, from whose
 *       opposite eta counts its samples, as the released scripts do; bit: pov_reading_bit of the frame, 0: none. */
void pov_curve_measure_all(double measures[POV_CURVE_MEASURES], const pov_curve *curve, double direction_deg,
                           double axis_deg, unsigned bit, pov_formulas formulas);

/** POV_EPS_COSINE alone. */
double pov_curve_eps_cosine(const pov_normalised *normalised, double direction_deg, pov_formulas formulas);

/** c_opp: RMS of p(relation) + p(opposite relation) - 1 over the images that both are scored at; NaN if there is none. */
double pov_curve_opposition(const pov_normalised *relation, const pov_normalised *opposite);

/** sigma over the variants of a scene. */
typedef struct {
    double pooled;    /* sqrt(mean over variants and angles of (p - mean over variants)^2) */
    double of_angles; /* the paper's wording: the mean over angles of their standard deviations */
} pov_deviation;

/** Over the samples that are scored; NaN if no angle has two. */
pov_deviation pov_curve_deviation(const pov_normalised *variants, int len);

/* ---- COMFORT's prompts and relations. Source: Zhang et al. 2025, Table 1. ---- */

enum { POV_COMFORT_RELATIONS = 4 }; /* POV_LEFT_OF ... POV_BEHIND */

/** COMFORT's four prompts (Table 1): no perspective, the camera's, the addressee's, the relatum's. */
typedef enum {
    POV_PROMPT_NONE,
    POV_PROMPT_CAMERA,
    POV_PROMPT_ADDRESSEE,
    POV_PROMPT_RELATUM,
    POV_PROMPT_COUNT
} pov_prompt;

/** "nop", "cam", "add", "rel". */
const char *pov_prompt_name(pov_prompt value);
/** The reading that a prompt asks for; without a perspective the camera's, which English prefers. */
pov_reading pov_prompt_reading(pov_prompt prompt, pov_convention convention);
