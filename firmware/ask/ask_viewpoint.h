/** From where, and how, a question asks: "from anna", "from its own side", "rotated", "by heading". */
#ifndef POV_FIRMWARE_ASK_ASK_VIEWPOINT_H
#define POV_FIRMWARE_ASK_ASK_VIEWPOINT_H

#include "firmware/ask/ask.h"
#include "firmware/ask/ask_words.h"

/** Reads the words from `at` to the end into the question's perspective, viewer, convention and axis; its relation and
 *  relata are there. POV_ERROR: a word that is no viewpoint; a viewer where everybody's answer is the same. */
POV_MUST_USE pov_status pov_viewpoint_take(pov_request *question, const pov_scene *scene,
                                           const pov_words *words, int at);

/** The only addressee of a scene; POV_ERROR if there is none or more than one. */
POV_MUST_USE pov_status pov_viewpoint_addressee(pov_id *viewer, const pov_scene *scene);

#endif
