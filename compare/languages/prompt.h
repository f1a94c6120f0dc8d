/** COMFORT's prompts and relations. Source: Zhang et al. 2025, Table 1. */
#ifndef POV_COMPARE_LANGUAGES_PROMPT_H
#define POV_COMPARE_LANGUAGES_PROMPT_H

#include "compare/statistics/curve.h"

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
const char *pov_prompt_name(pov_prompt prompt);
/** The reading that a prompt asks for; without a perspective the camera's, which English prefers. */
pov_reading pov_prompt_reading(pov_prompt prompt, pov_convention convention);

#endif
