/** Models that are asked while a station runs: which images are asked about, and what becomes of the questions. A thread of its own stores
 *  images and makes their questions, one a model asks them: the thread that judges only copies, and never waits. */
#pragma once

#include "compare/vlm/vlm_config.h"
#include "firmware/comparison/heard_words.h"
#include "firmware/recording/recorder.h"
#include "firmware/station/station.h"
#include "perception/observation/observation.h"

typedef struct {
    const char *station_path;
    const pov_station *station;   /* with `compare`, whose pairs have been settled; of several cameras, as
                                     that one sees it whose images are asked about (pov_station_look_through) */
    const pov_vlm_config *models; /* with their keys; copied */
    int model_len;
    pov_recorder *recorder; /* keeps what a model contradicts, if it waits for that; NULL: none */
} pov_live_asking_config;

typedef struct pov_live_asking pov_live_asking;

/** Opens the log, and starts asking. Returns: POV_ERROR also if a limit in money has no prices. */
POV_MUST_USE pov_status pov_live_asking_new(pov_live_asking **asking, const pov_live_asking_config *config);
/** Breaks off what is under way, which stays pending in the log. */
void pov_live_asking_destroy(pov_live_asking **asking);

/** All below from the thread that judges. */

/** Tells on stderr what is asked of whom, and where images go; quiet: only if images leave this machine. */
void pov_live_asking_print(const pov_live_asking *asking, bool quiet);
/** An image was judged. If it is to be asked about, it is copied. */
void pov_live_asking_look(pov_live_asking *asking, const pov_image *image,
                          const pov_observation *observation);
/** Takes the oldest message of the topic "vlm", which the caller frees. False: there is none now. */
bool pov_live_asking_take(pov_live_asking *asking, uint8_t **bytes, size_t *len);
/** The models' words meanwhile; it lives as long as the asking. */
pov_heard_words *pov_live_asking_words(pov_live_asking *asking);
/** Why nothing more is asked of a model, once. False: there is nothing new. */
bool pov_live_asking_news(pov_live_asking *asking, char text[POV_MESSAGE_CAPACITY]);
/** Out: health: the models, the running agreements, images_unasked. */
void pov_live_asking_tell(pov_live_asking *asking, pov_health *health);
/** No image comes any more. */
void pov_live_asking_finish(pov_live_asking *asking);
/** Whether questions wait or are under way. */
bool pov_live_asking_is_busy(pov_live_asking *asking);
/** Prints the counts to stderr, and how to go on; quiet: only a warning of questions that were lost. Call it when nothing is under way any
 *  more, or will be waited for. */
void pov_live_asking_print_summary(pov_live_asking *asking, bool quiet);
/** POV_ERROR: a model was asked, and has answered nothing. */
POV_MUST_USE pov_status pov_live_asking_outcome(pov_live_asking *asking);
