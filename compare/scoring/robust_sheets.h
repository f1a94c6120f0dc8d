/** Robust accuracy (FlipEval and CircularEval of 3DSRBench), and what a prompt condition changes. */
#pragma once

#include "compare/scoring/answers.h"

/** Adds table "robust" if any question was asked of its mirrored image, too, or in rotations of its options. */
void pov_sheet_add_robust(pov_sheet *sheet, const pov_answers *answers);

/** Adds table "effects" if any questions were asked under several conditions (`--guided`, `--prompting`, `--system`): for each condition
 *  the accuracy with it less that without it, on the questions that have both, paired by image. */
void pov_sheet_add_effects(pov_sheet *sheet, const pov_answers *answers);
