/** Helpers for answers of all kinds. Used by answering*.c only. */
#ifndef POV_ASK_ANSWERING_ANSWERING_INTERNAL_H
#define POV_ASK_ANSWERING_ANSWERING_INTERNAL_H

#include "ask/answering/answering.h"

typedef struct {
    pov_moment *moment;
    const pov_scene *scene;
    const pov_request *question;
    pov_judgment *shown;
} pov_answering;

const char *pov_answering_name(const pov_answering *answering, pov_id id);
/** {"question", "kind", "answer", "p"} */
struct cJSON *pov_answering_begin(const pov_answering *answering, const char *answer, double p);
/** Adds {"id", "p"} to a list. */
struct cJSON *pov_answering_add(const pov_answering *answering, struct cJSON *list, pov_id id, double p);
/** An answer so far ("": none), and one more: "depends" if they differ; undefined ones do not count. */
enum { POV_ANSWER_CAPACITY = POV_ENTITY_MAX * 4 };
void pov_answering_agree(char so_far[POV_ANSWER_CAPACITY], const char *more);

/** A list of entities, and their names in one string: "ball, car". */
typedef struct {
    int len;
    pov_id id[POV_ENTITY_MAX];
    char text[POV_ANSWER_CAPACITY];
} pov_names;
void pov_answering_list(const pov_answering *answering, pov_names *names, pov_id id);
/** Adds their ids as a member of an object. */
void pov_answering_ids(const pov_answering *answering, struct cJSON *object, const char *key,
                       const pov_names *names);

/** Adds looks as the member "visibility". */
void pov_answering_looks(const pov_answering *answering, struct cJSON *object, const pov_visibility *looked,
                         int len);
/** A frame of reference as an object. */
struct cJSON *pov_answering_frame(const pov_answering *answering, const pov_query *query);

struct cJSON *pov_answering_sees(const pov_answering *answering);
struct cJSON *pov_answering_hides(const pov_answering *answering);
struct cJSON *pov_answering_seen(const pov_answering *answering);
struct cJSON *pov_answering_where(const pov_answering *answering);
struct cJSON *pov_answering_place(const pov_answering *answering);
struct cJSON *pov_answering_order(const pov_answering *answering);
struct cJSON *pov_answering_which(const pov_answering *answering);
struct cJSON *pov_answering_count(const pov_answering *answering);
struct cJSON *pov_answering_extreme(const pov_answering *answering);
struct cJSON *pov_answering_distance(const pov_answering *answering);
struct cJSON *pov_answering_facing(const pov_answering *answering);

#endif
