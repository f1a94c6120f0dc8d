/** What the commands of an experiment would refuse at their turn, found before anything is put anywhere. */
#pragma once

#include "compare/study/experiment.h"

/** Looks for what a plan names: worlds and their variants, sizes, station files, things of pairs, languages, questions, models' files
 *  and biases. Reads files only: no camera is opened, no model asked. Returns: POV_ERROR naming file, line and key. */
POV_MUST_USE pov_status pov_experiment_check(const pov_experiment *experiment);
