/** A set-up in a browser: its state as JSON for the page setup.html, and what the page sends. */
#pragma once

#include "firmware/setup/setup_session.h"

/** Hands the state to the dashboard. */
void pov_setup_page_show(const pov_setup *setup, pov_dashboard *dashboard);
/** Does what a line says: {"do": "apply", "step": "camera", "answers": {"source": "practice"}}; or "skip", "go" (with a step),
 *  "enough", "cancel", "remove" (with an "id"). Returns: POV_ERROR if it says nothing of the kind. */
POV_MUST_USE pov_status pov_setup_page_take(pov_setup *setup, const char *line);
