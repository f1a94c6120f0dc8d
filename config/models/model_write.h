/** Writes model contracts, with what their keys mean. */
#ifndef POV_CONFIG_MODELS_MODEL_WRITE_H
#define POV_CONFIG_MODELS_MODEL_WRITE_H

#include "config/models/model_file.h"

#include <stdio.h>

/** Whole or not at all. In: the model's path as seen from the contract; remarks, lines that begin with '#'. */
POV_MUST_USE pov_status pov_model_write(const char *path, const pov_model_file *model, const char *model_name,
                                        const char *remarks);

#endif
