/** Shooting and judging one image after the other, for sweeps and studies: what stands before the camera now. */
#pragma once

#include "firmware/dashboard/dashboard.h"
#include "firmware/outputs/outputs.h"
#include "firmware/recording/black_box.h"
#include "firmware/run/latency.h"
#include "firmware/run/pipeline.h"
#include "firmware/sweep/sweep_rig.h"

/** Start from {0} with the station, the dashboard and the recorder (NULL: none). */
typedef struct {
    pov_station *station; /* a guessed camera of no size becomes that of the images */
    pov_dashboard *dashboard;
    pov_recorder *recorder;
    bool publishes;    /* where the station names endpoints */
    bool tells;        /* says on stderr which endpoints there are */
    pov_outputs *live; /* every image that is judged: to subscribers, to who asks */
    pov_outputs *kept; /* what is recorded: the images that count */
    pov_black_box *black_box;
    pov_sweep_rig *rig;
    pov_pipeline *pipeline;
    pov_observation *observation; /* of the last image */
    int64_t start_ns, health_ns;
    uint64_t judged;
    pov_latency latency;
} pov_sweep_look;

/** Opens the rig and the pipeline. Detections will be of the image itself, not of one before. */
POV_MUST_USE pov_status pov_sweep_look_begin(pov_sweep_look *look, bool by_hand);
void pov_sweep_look_end(pov_sweep_look *look);

/** Shoots, as pov_sweep_rig_shoot does, judges, and shows. Pixels are borrowed until the next call. */
POV_MUST_USE pov_status pov_sweep_look_once(pov_sweep_look *look, pov_image *image, int stop);

/** The same of an image that was shot. */
POV_MUST_USE pov_status pov_sweep_look_judge(pov_sweep_look *look, const pov_image *image);

/** Records what was judged last, if anything is recorded. image: that one, or the same with faces hidden. */
POV_MUST_USE pov_status pov_sweep_look_record(pov_sweep_look *look, const pov_image *image);
/** Records and publishes an exchange: see pov_exchange. */
void pov_sweep_look_reply(pov_sweep_look *look, const pov_exchange *exchange);
/** Records and publishes a message of the topic "vlm". */
void pov_sweep_look_compared(pov_sweep_look *look, const uint8_t *bytes, size_t len);
/** Call it often while something else is waited for: serves subscribers and those who ask, and tells the health. */
POV_MUST_USE pov_status pov_sweep_look_tend(pov_sweep_look *look);
