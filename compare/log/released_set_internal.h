/** Shared by the readers of released files. */
#pragma once

#include "compare/log/released_set.h"
#include "compare/statistics/name_set.h"

struct cJSON;

struct pov_released_set {
    const char *path;
    char *name;
    pov_released_form form;
    pov_released_question *list;
    pov_released_answer *answers;
    pov_released_picture *pictures;
    int len, capacity, answer_len, answer_capacity, picture_len, picture_capacity, repeated;
    char **owned;
    int owned_len, owned_capacity;
    pov_name_set *images;  /* their number is the stop */
    pov_name_set *keys;    /* [question] stop and key */
    int number;            /* of the item at hand, from 1 */
    const char *gold_name; /* the first name of right answers other than `answer`; NULL: none yet */
    int answer_is_gold;    /* the first item without such a name; 0: none yet */
};

/** Text that lives as long as the set, which takes it over. */
char *pov_released_own(pov_released_set *s, char *text);
const char *pov_released_own_json(pov_released_set *s, const struct cJSON *item);
/** "FILE:ITEM: what". */
pov_status pov_released_complain(const pov_released_set *s, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/** The columns that all questions have. */
struct cJSON *pov_released_columns(const pov_released_set *s, const char *scene);
/** Takes the columns over. */
pov_status pov_released_add(pov_released_set *s, const char *image, const char *scene, struct cJSON *columns,
                            const pov_log_question *question);

/** A form's row. */
const pov_choice_benchmark *pov_released_choice(pov_released_form form);

/** Multiple choice by letters (ViewSpatial-Bench, 3DSRBench, MindCube): released_choice.c. A row of a table is an object of texts. */
bool pov_released_choice_form(pov_released_form *form, const struct cJSON *item);
pov_status pov_released_read_choice(pov_released_set *s, const struct cJSON *item);
/** True if a text is a table of such rows, by its head and first row. */
bool pov_released_is_choice_table(const char *text, size_t length);
pov_status pov_released_read_choice_table(pov_released_set *s, const char *text, size_t length);
