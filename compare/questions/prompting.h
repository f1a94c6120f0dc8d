/** How an answer is asked for: the words around a question, by the rows of pov_prompting. English. Pure but for allocating: texts
 *  are the caller's to free(). */
#pragma once

#include "compare/questions/question.h"

/** Tokens of an answer that explains, and of the guidance before it; chosen: a paragraph. */
enum { POV_PROMPTING_COT_TOKENS = 512, POV_PROMPTING_GUIDANCE_TOKENS = 256 };

/** True if a benchmark's questions in a language (NULL: English) can be asked for so. */
bool pov_prompting_applies(pov_prompting prompting, const pov_language *language);
/** True if a benchmark's questions go with a system prompt: FoREST's and SPHERE's have their own; COMFORT's prompt wants yes or no. */
bool pov_system_applies(pov_system_prompt system, pov_benchmark benchmark);

/** True if a benchmark has questions that name things in that order. */
bool pov_question_order_applies(pov_question_order order, pov_benchmark benchmark);

/** The question's text with its examples before it, and the form that is wanted. */
char *pov_prompting_write(const pov_question *question, pov_prompting prompting);

/** Of a text of POV_PROMPTING_SG_COT: the first request, for the model's own guidance. */
char *pov_prompting_guidance_request(const char *text);
/** The second request: the text with the guidance that came. */
char *pov_prompting_add_guidance(const char *text, const char *guidance);
/** The text without guidance again; any other text as it is. */
char *pov_prompting_drop_guidance(const char *text);
