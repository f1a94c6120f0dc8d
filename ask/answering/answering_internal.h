/** What the answers to all kinds of questions are told with. Used by answering*.c only. */
#ifndef POV_ASK_ANSWERING_ANSWERING_INTERNAL_H
#define POV_ASK_ANSWERING_ANSWERING_INTERNAL_H

#include "ask/answering/answering.h"
#include "perception/visibility/visibility.h"

struct cJSON;

const char *pov_answering_name(const pov_answering *answering, pov_id id);

/** {"question", "kind", "answer", "p"}; NULL where text is wanted. */
struct cJSON *pov_answering_begin(const pov_answering *answering, const pov_request *question,
                                  const char *answer, double p);
void pov_answering_end(const pov_answering *answering, struct cJSON *object);
/** Prints "does anna see the ball? "; returns where the answer goes. */
FILE *pov_answering_asked(const pov_answering *answering, const pov_request *question);
/** What so far was said to be the answer (NULL: nothing), and one more: "depends" if they differ; undefined ones do not count. */
const char *pov_answering_agree(const char *so_far, const char *more);

/** A list of entities, and their names in one string: "ball, car". */
typedef struct {
    int len;
    pov_id id[POV_ENTITY_MAX];
    char text[POV_ENTITY_MAX * 4];
} pov_names;
void pov_answering_list(const pov_answering *answering, pov_names *names, pov_id id);
/** The same as a member of an object. */
void pov_answering_ids(const pov_answering *answering, struct cJSON *object, const char *key,
                       const pov_names *names);

/** One look, or several, as text or to a list (NULL: as text). */
void pov_answering_tell_look(const pov_answering *answering, struct cJSON *list,
                             const pov_visibility *looked);
void pov_answering_tell_looks(const pov_answering *answering, struct cJSON *object,
                              const pov_visibility *looked, int len);
/** A frame of reference's members of an object. */
void pov_answering_frame(const pov_answering *answering, struct cJSON *object, const pov_query *query);

void pov_answering_sees(const pov_answering *answering, const pov_request *question);
void pov_answering_hides(const pov_answering *answering, const pov_request *question);
void pov_answering_seen(const pov_answering *answering, const pov_request *question);
void pov_answering_where(const pov_answering *answering, const pov_request *question);
void pov_answering_place(pov_answering *answering, const pov_request *question);
void pov_answering_order(const pov_answering *answering, const pov_request *question);
void pov_answering_which(pov_answering *answering, const pov_request *question);
void pov_answering_count(pov_answering *answering, const pov_request *question);
void pov_answering_extreme(const pov_answering *answering, const pov_request *question);
void pov_answering_distance(const pov_answering *answering, const pov_request *question);
void pov_answering_facing(const pov_answering *answering, const pov_request *question);

#endif
