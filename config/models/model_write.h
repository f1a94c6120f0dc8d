/** Writes model contracts, with what their keys mean. */
#pragma once

#include "config/models/model_file.h"

#include <stdio.h>

/** Whole or not at all. In: the model's path as seen from the contract; remarks, lines that begin with '#'. */
POV_MUST_USE pov_status pov_model_write(const char *path, const pov_model_file *model, const char *model_name,
                                        const char *remarks);
