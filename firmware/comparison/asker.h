/** Puts a log's pending questions to a VLM, in a thread of its own, and writes what comes back to the log. The log
 *  is the queue between the asker and the sweep: neither waits for the other, and a killed process loses nothing. */
#pragma once

#include "compare/vlm/vlm_config.h"
#include "firmware/recording/recorder.h"
#include "perception/status.h"

typedef struct {
    const char *log_path, *folder; /* stored images are relative to the folder */
    const pov_vlm_config *vlm;     /* with its keys; copied */
    pov_recorder *recorder;        /* gets questions and answers as markers; NULL: none */
    bool tells;                    /* makes messages of what is asked and answered: pov_asker_take them */
    bool again;                    /* first make pending what had failed */
} pov_asker_config;

typedef struct pov_asker pov_asker;

/** Starts asking.
 *  Returns: POV_ERROR also if the endpoints serve different models, which would be one model in the log. */
POV_MUST_USE pov_status pov_asker_new(pov_asker **asker, const pov_asker_config *config);
/** Breaks off what is under way; that stays pending. */
void pov_asker_destroy(pov_asker **asker);

/** The log's number for the model that is asked. */
int64_t pov_asker_model(const pov_asker *asker);
/** Takes the oldest message of the topic "vlm", which the caller frees. False: there is none now. */
bool pov_asker_take(pov_asker *asker, uint8_t **bytes, size_t *len);
/** There will be no more questions than those in the log. */
void pov_asker_finish(pov_asker *asker);
/** Waits for the end of asking.
 *  Returns: POV_OK: all that was pending has its result; POV_TIMEOUT: not yet; POV_END: it has stopped before, as the
 *           message says (a budget is spent, the server answers 401 or 404); POV_ERROR: the log or an image failed it. */
POV_MUST_USE pov_status pov_asker_wait(pov_asker *asker, int timeout_ms);
