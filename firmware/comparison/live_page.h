/** What the page shows of models that are asked live: the last answer beside geometry's, and each model's answers by angle. */
#pragma once

#include "perception/observation/observation.h"
#include "perception/status.h"

typedef struct pov_live_page pov_live_page;

POV_MUST_USE pov_status pov_live_page_new(pov_live_page **page);
void pov_live_page_destroy(pov_live_page **page);

/** A message of the topic "vlm". */
void pov_live_page_take(pov_live_page *page, const uint8_t *bytes, size_t len);
/** Where images go, and the counts. */
void pov_live_page_note(pov_live_page *page, const pov_health *health);
/** Whether anything is new since the last time that it was written. */
bool pov_live_page_is_new(const pov_live_page *page);
/** As a sweep's state (pov_dashboard_show_sweep), with `live` beside; the caller's to free(). */
char *pov_live_page_write(pov_live_page *page);
