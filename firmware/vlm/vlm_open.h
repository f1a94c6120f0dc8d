/** Opens the configuration of the model that is asked: a file with a section 'vlm', or a URL and a model. */
#pragma once

#include "compare/vlm/vlm_config.h"

/** `where`: a URL, or a file. `model`: for a URL; for a file, in place of each endpoint's own; NULL: none. Fetches the keys; a
 *  URL's is in the environment's POV_VLM_KEY, if it needs one. Prints warnings. */
POV_MUST_USE pov_status pov_vlm_open(pov_vlm_config *config, const char *where, const char *model);

/** Fetches the keys, and prints warnings about them. */
POV_MUST_USE pov_status pov_vlm_fetch_keys(pov_vlm_config *config);

/** The section of a station file that was read before; without one, no endpoints. Without the keys. */
POV_MUST_USE pov_status pov_vlm_open_of_station(pov_vlm_config *config, const char *path);

/** A usage error if a command line has --workers or --connect, which earlier versions had; else POV_GO_ON. */
int pov_vlm_refuse_workers(const char *command, int argc, char **argv);
