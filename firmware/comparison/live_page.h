/** What the page shows of models that are asked, by a run or by a sweep: the last answer beside geometry's, and each model's answers
 *  by angle. It is fed by messages of the topic "vlm", and by what a log held before. */
#pragma once

#include "compare/log/answer_log.h"
#include "firmware/comparison/answer_curves.h"
#include "firmware/comparison/heard_words.h"
#include "perception/observation/observation.h"
#include "perception/status.h"

typedef struct pov_live_page pov_live_page;

POV_MUST_USE pov_status pov_live_page_new(pov_live_page **page);
void pov_live_page_destroy(pov_live_page **page);

/** A message of the topic "vlm". */
void pov_live_page_take(pov_live_page *page, const uint8_t *bytes, size_t len);
/** A log's questions, also those that wait, and its answers. model: whom they wait for; "": nobody. */
POV_MUST_USE pov_status pov_live_page_read(pov_live_page *page, pov_answer_log *log, const char *model);
/** Questions that wait, about an image of the log. */
POV_MUST_USE pov_status pov_live_page_expect(pov_live_page *page, const char *model, double phi_deg,
                                             const pov_log_question *questions, int len);
/** Where images go, and the counts. */
void pov_live_page_note(pov_live_page *page, const pov_asked_model *models, int len);

/** How far a sweep is. */
typedef struct {
    int taken, wanted; /* images; wanted -1: not known */
    pov_log_counts counts;
    const char *forecast; /* borrowed */
} pov_page_progress;

/** The models' words meanwhile; borrowed. Called before each look at pov_live_page_is_new. */
void pov_live_page_hear(pov_live_page *page, pov_heard_words *words);

pov_answer_curves *pov_live_page_curves(pov_live_page *page);
/** Questions so far that have no place on a curve. */
int64_t pov_live_page_others(const pov_live_page *page);

/** Whether anything is new since the last time that it was written. */
bool pov_live_page_is_new(const pov_live_page *page);
/** The state that pov_dashboard_show_sweep takes; the caller's to free(). progress NULL: of a running station. */
char *pov_live_page_write(pov_live_page *page, const pov_page_progress *progress);
