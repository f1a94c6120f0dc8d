/** The steps of a set-up, what each asks, and what was answered. Plain data: the browser's page, the terminal and options all fill
 *  in the same answers. */
#pragma once

#include "perception/status.h"

enum { POV_SETUP_VALUE_CAPACITY = 256, POV_SETUP_ANSWER_MAX = 24 };

typedef enum {
    POV_SETUP_CAMERA,
    POV_SETUP_LENS,
    POV_SETUP_TAGS,
    POV_SETUP_TURNTABLE,
    POV_SETUP_THINGS,
    POV_SETUP_PERSON,
    POV_SETUP_VLM,
    POV_SETUP_WRITE,
    POV_SETUP_RUN,
    POV_SETUP_STEP_COUNT
} pov_setup_step_id;

typedef enum {
    POV_SETUP_TEXT,
    POV_SETUP_NUMBER, /* in [low, high]; "" where the preset is "" */
    POV_SETUP_CHOICE,
    POV_SETUP_POINT, /* "X Y": pixels of the image, (0, 0) its first pixel's centre; or "" */
    POV_SETUP_SECRET /* text that is never told again */
} pov_setup_kind;

typedef struct {
    const char *name, *label;
    pov_setup_kind kind;
    const char *preset;
    const char *choices; /* "value=label|value=label" */
    const char *shown;   /* only if another field has one of some values: "how=board|images"; NULL: always */
    double low, high;
} pov_setup_field;

typedef struct {
    const char *name, *title, *about;
    const char *action; /* what the button says */
    bool may_skip, repeats;
    const pov_setup_field *fields; /* ends with a name of NULL */
} pov_setup_step;

extern const pov_setup_step POV_SETUP_STEPS[POV_SETUP_STEP_COUNT];

typedef struct {
    int len;
    struct {
        char name[24], value[POV_SETUP_VALUE_CAPACITY];
    } items[POV_SETUP_ANSWER_MAX];
} pov_setup_answers;

/** Returns: POV_ERROR that names the near ones if there is no such step. */
POV_MUST_USE pov_status pov_setup_step_find(pov_setup_step_id *id, const char *name);
/** NULL: the step has no such field. */
const pov_setup_field *pov_setup_field_find(pov_setup_step_id step, const char *name);
/** Is the field asked, with these answers to those before it? */
bool pov_setup_field_is_shown(const pov_setup_field *field, pov_setup_step_id step,
                              const pov_setup_answers *answers);
/** Keeps an answer, in place of an older one. POV_ERROR: no such field, or not one of its choices or numbers. */
POV_MUST_USE pov_status pov_setup_answer_set(pov_setup_answers *answers, pov_setup_step_id step,
                                             const char *name, const char *value);
/** The answer to a field, else its preset. The field must exist. */
const char *pov_setup_answer(const pov_setup_answers *answers, pov_setup_step_id step, const char *name);
/** The same as a number; NaN if it is "". */
double pov_setup_number(const pov_setup_answers *answers, pov_setup_step_id step, const char *name);
/** The same as a point; false if it is "". */
bool pov_setup_point(double point_px[2], const pov_setup_answers *answers, pov_setup_step_id step,
                     const char *name);
/** Takes "name=value,name=value"; values have no commas. */
POV_MUST_USE pov_status pov_setup_answers_parse(pov_setup_answers *answers, pov_setup_step_id step,
                                                const char *text);
