/** P(yes) by angle: each model's answers to COMFORT's questions about a pair, beside geometry's. What the page and the terminal show. */
#pragma once

#include "compare/statistics/curve.h"
#include "compare/statistics/flip.h"
#include "protocol/observation/message.h"

enum { POV_CURVE_PLACES = 72 }; /* 5 degrees apart */

typedef enum { POV_CURVE_NOT_ASKED, POV_CURVE_ASKED, POV_CURVE_ANSWERED } pov_curve_state;

/** One model, prompt, relation, scene and language, at phi = 0, 10, ... 350 degrees. */
typedef struct {
    char model[POV_MODEL_NAME_CAPACITY];
    char prompt[16], relation[16]; /* "cam", "left" */
    char scene[80], language[32];  /* "ball/car", "en" */
    uint8_t state[POV_CURVE_SAMPLES];
    double p[POV_CURVE_SAMPLES], gold[POV_CURVE_SAMPLES]; /* P(yes): the model's, geometry's; NaN: none */
    pov_flip *flip;                                       /* of all its answers, at their own angles */
    int answer_len;                                       /* answers, also unscored ones */
    bool was_asked[POV_CURVE_PLACES];
    bool is_new; /* it has answers that `flips` does not count yet */
    bool has_flips;
    pov_flips flips; /* by pov_answer_curve_flips */
} pov_answer_curve;

/** In the order in which they were first asked. Start from {0}. */
typedef struct {
    int len, capacity;
    pov_answer_curve *curves;
    pov_flip_grid *grid; /* NULL: no answer yet */
} pov_answer_curves;

void pov_answer_curves_free(pov_answer_curves *curves);

/** What tells a curve from another, of a question's columns. False: it has no place on one. */
bool pov_answer_curve_describe(pov_answer_curve *curve, const char *columns, const char *language);
/** Whether they are of the same questions, of whatever model. */
bool pov_answer_curve_asks_same(const pov_answer_curve *a, const pov_answer_curve *b);

/** Takes a question or an answer. A later one at the same angle replaces an earlier one.
 *  Returns: the curve; NULL: such a question has no place on one (another form, or an unknown angle). */
const pov_answer_curve *pov_answer_curves_take(pov_answer_curves *curves, const pov_comparison *comparison);

/** Where its answers flip; worked out again only after an answer. NULL: not known. */
const pov_flips *pov_answer_curve_flips(pov_answer_curve *curve);

/** Geometry's P(yes) in the frame that was asked for; NaN: none. */
double pov_comparison_gold_p(const pov_comparison *comparison);
