/** A log's questions in the forms that the papers released theirs in (compare/log/released_set.h reads them). */
#pragma once

#include "compare/log/answer_log.h"
#include "compare/log/released_set.h"

#include <stdio.h>

/** Writes the questions that were asked without further conditions: of VSR JSON lines, of FoREST and SPHERE a JSON document; SPHERE's
 *  with each model's answers as `raw_prediction`.
 *  Out: left_out: questions of the paper without a sure right answer, which the form has no place for.
 *  Returns: POV_ERROR if the log has none of that paper, or cannot be read. */
POV_MUST_USE pov_status pov_released_export(int *left_out, pov_answer_log *log, FILE *stream,
                                            pov_released_form form);

/** The same of benchmarks of multiple choice by letters: ViewSpatial-Bench a list, 3DSRBench a table, MindCube JSON lines. */
POV_MUST_USE pov_status pov_released_export_choice(int *left_out, pov_answer_log *log, FILE *stream,
                                                   pov_released_form form);

/** FoREST's answers as its authors' scripts write them, CSV with context, label and GPT_predict, and a column `model` behind. */
POV_MUST_USE pov_status pov_released_export_answers(pov_answer_log *log, FILE *stream);
