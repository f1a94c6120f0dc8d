/** Which part of a model's words is its answer: not what it thinks aloud, and of what it reasons, what it concludes. Shared by
 *  the readers of answers (compare/answer_parse.h). Pure. */
#ifndef POV_COMPARE_ANSWER_SAID_H
#define POV_COMPARE_ANSWER_SAID_H

#include "compare/answer_parse.h"
#include "compare/answer_text.h"

/** Reads `result` from a text. `concluded`: it is what stands behind "the answer is". */
typedef pov_answer_kind pov_answer_reader(void *result, const pov_answer_text *text, bool concluded,
                                          const void *with);

/** What `read` makes of an answer: of its last conclusion ("Answer: no", "the final answer is left", "\boxed{2}",
 *  {"answer": "yes"}) that can be read; else of all but thoughts ("<think> ... </think>"). Thoughts without an end: the answer is
 *  missing. */
pov_answer_kind pov_answer_read_said(void *result, const char *answer, pov_answer_reader *read,
                                     const void *with);

/** What an answer without what was asked for is. */
pov_answer_kind pov_answer_failure(const pov_answer_text *text);

/** The text from `from` to before `to`. */
void pov_answer_part(pov_answer_text *part, const pov_answer_text *text, int from, int to);

bool pov_answer_is_one_of(const pov_answer_text *text, int place, const char *const words[], int len);

#endif
