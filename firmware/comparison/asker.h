/** Puts a log's pending questions to a VLM, in a thread of its own, and writes what comes back to the log. The log
 *  is the queue between the asker and the sweep: neither waits for the other, and a killed process loses nothing. */
#pragma once

#include "compare/vlm/vlm_config.h"
#include "firmware/comparison/comparison_queue.h"
#include "firmware/recording/recorder.h"
#include "perception/status.h"

/** A running station's asking. Its thread gives way to those that judge. */
typedef struct {
    int in_flight_max; /* questions under way at a time */
    int waiting_max; /* questions; an image that would make them more is not asked about, unless none waits */
    int64_t stale_after_ns; /* a question that has waited for longer is not asked */
    double cost_max;        /* in the money of the prices; INFINITY: no limit */
    double cost_per_image;  /* each question sends its image */
    const _Atomic int64_t
        *judged_ns; /* monotonic: when an image's judgments were last sent; NULL: nothing is judged beside */
} pov_asker_live;

typedef struct {
    const char *log_path, *folder; /* stored images are relative to the folder */
    const pov_vlm_config *vlm;     /* with its keys; copied */
    pov_recorder *recorder;        /* gets questions and answers as markers; NULL: none */
    pov_comparison_queue
        *told;  /* gets messages of what is asked and answered; NULL: nobody wants them; borrowed */
    bool again; /* first make pending what had failed */
    const pov_asker_live
        *live; /* asks about the images that are offered; NULL: all that is pending in the log */
} pov_asker_config;

typedef struct pov_asker pov_asker;

/** Starts asking.
 *  Returns: POV_ERROR also if the endpoints serve different models, which would be one model in the log. */
POV_MUST_USE pov_status pov_asker_new(pov_asker **asker, const pov_asker_config *config);
/** Breaks off what is under way; that stays pending. */
void pov_asker_destroy(pov_asker **asker);

/** The log's number for the model that is asked. */
int64_t pov_asker_model(const pov_asker *asker);

/** An image of a live run, which the log has with its questions. */
typedef struct {
    int64_t image;
    int question_len;
    uint32_t sequence;
    char occasion[16];
    double angle_rad, turned_rad; /* NaN: unknown */
} pov_asker_image;
/** Whether there is room for so many questions more. */
bool pov_asker_has_room(pov_asker *asker, int question_len);
/** So many are not asked for lack of room. */
void pov_asker_refuse(pov_asker *asker, int question_len);
/** In: image: there must be room for it. */
void pov_asker_offer(pov_asker *asker, const pov_asker_image *image);
/** Whether a question about the image waits or is under way. */
bool pov_asker_needs(pov_asker *asker, int64_t image);
/** What has become of the questions: see AskedModel in pov.proto. */
void pov_asker_tell(pov_asker *asker, pov_asked_model *model);

/** There will be no more questions than those in the log. */
void pov_asker_finish(pov_asker *asker);
/** Waits for the end of asking.
 *  Returns: POV_OK: all that was pending has its result; POV_TIMEOUT: not yet; POV_END: it has stopped before, as the
 *           message says (a budget is spent, the server answers 401 or 404); POV_ERROR: the log or an image failed it. */
POV_MUST_USE pov_status pov_asker_wait(pov_asker *asker, int timeout_ms);
