/** An observation or health as people read it. */
#pragma once

#include "protocol/observation/message.h"

#include <stdio.h>

/** A block: the image, what became of the tags, a line for each entity, what of the
 *  judgments and relations is true or too close to say ("?"), who sees what, and where things are for each viewer. */
void pov_text_observation(FILE *stream, const pov_observation *observation);

/** The state that the last line told of. Start from {0}. */
typedef struct {
    bool has;
    uint64_t cast; /* hash of the entities' names and of how many judgments there are */
    bool seen[POV_ENTITY_MAX];
    uint8_t verdict[POV_DIRECTED_MAX];
} pov_text_state;
/** One line: the image, and what has become otherwise since the state: things seen or lost, and directions that hold now, in English's
 *  convention. */
void pov_text_changes(FILE *stream, pov_text_state *state, const pov_observation *observation);

/** One line. */
void pov_text_health(FILE *stream, const pov_health *health);
/** One line: the question; or the model's words, and whether geometry agrees. */
void pov_text_comparison(FILE *stream, const pov_comparison *comparison);
/** The utterance, and the reply's sentence. */
void pov_text_exchange(FILE *stream, const pov_exchange *exchange);
