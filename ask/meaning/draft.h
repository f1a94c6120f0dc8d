/** A reading as a question about the scene, with what its phrases mean. */
#pragma once

#include "ask/meaning/reference.h"

/** A part that several things fit. */
typedef struct {
    bool is_open;
    pov_role role;
    pov_meant meant;
} pov_open_role;

/** Takes the viewpoints of a reading into the context. "If I stand at the car facing the woman" puts the viewer there: the context's scene
 *  and moment are then imagined. POV_ERROR: two that contradict each other, or of nobody. */
POV_MUST_USE pov_status pov_views_read(pov_context *context, const pov_node *reading);

/** Makes a request of a QUESTION. An open part gets its likeliest thing; `open` tells the first open part.
 *  POV_ERROR: says in a sentence why not. */
POV_MUST_USE pov_status pov_request_read(pov_request *request, pov_open_role *open, pov_context *context,
                                         const pov_node *question);

/** A wanted thing as a request of kind WHICH or EXTREME, if one relation or one superlative limits it. False: it is not so simple. */
bool pov_request_of_phrase(pov_request *request, pov_context *context, const pov_node *phrase);

/** Too little for one to be picked: below this the likeliest of several is asked for. Chosen. */
#define POV_SURE_ENOUGH 0.7
/** Is what is meant one thing? */
bool pov_meant_is_one(const pov_meant *meant);

/** Empties it: every perspective, nobody named. */
void pov_request_start(pov_request *request, const pov_scene *scene, pov_request_kind kind);
/** Sees a relation from where the context says. POV_ERROR: it is the same from everywhere. */
POV_MUST_USE pov_status pov_request_settle(pov_request *request, const pov_context *context);
