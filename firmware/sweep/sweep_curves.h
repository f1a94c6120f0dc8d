/** A log's answers as curves of P(yes), while they grow: for a terminal. */
#pragma once

#include "compare/log/answer_log.h"
#include "compare/statistics/curve.h"

#include <stdio.h>

enum { POV_SWEEP_CURVE_MAX = 64, POV_SWEEP_TITLE_CAPACITY = 160 };

typedef struct {
    char title[POV_SWEEP_TITLE_CAPACITY]; /* "cam left · ball/car" */
    char prompt[8], relation[16];         /* "cam", "left" */
    char scene[64], language[16];         /* "ball/car", "en" */
    double p[POV_CURVE_SAMPLES];          /* P(yes); NaN: none */
    double gold[POV_CURVE_SAMPLES];       /* what the station says of yes; NaN: nothing */
    bool asked[POV_CURVE_SAMPLES], answered[POV_CURVE_SAMPLES];
} pov_sweep_curve;

/** An answer beside the station's. */
typedef struct {
    int64_t answered_ns; /* 0: there is none yet */
    int stop;
    char scene[64];              /* "ball/car" */
    char prompt[512], text[256]; /* without their middle if they are longer */
    double p, gold_p;            /* of yes; NaN: none */
} pov_sweep_answer;

typedef struct {
    int len;
    bool truncated; /* there are more curves */
    pov_sweep_curve curves[POV_SWEEP_CURVE_MAX];
    int64_t asked, answered, unscored;
    pov_sweep_answer latest; /* to a question that has a place on a curve */
} pov_sweep_curves;

/** One model's curves, in the order of questions. */
POV_MUST_USE pov_status pov_sweep_curves_gather(pov_sweep_curves *curves, pov_answer_log *log, int64_t model);

/** The room on the terminal. */
typedef struct {
    int curve_max;
    bool beside; /* the station's curves have room beside the model's */
} pov_sweep_room;

/** A line a curve, 36 signs wide, from phi 0 to 350: "▁" to "█" is P(yes) from 0 to 1; "·": asked and pending, "x":
 *  answered and not scored, " ": not asked. Behind it the station's own curve. Returns how many lines it wrote. */
int pov_sweep_curves_draw(FILE *stream, const pov_sweep_curves *curves, const pov_sweep_room *room);
