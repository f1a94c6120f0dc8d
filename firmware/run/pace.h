/** How many images a second a station judges on this machine, what takes most of the time, and what would take less. */
#pragma once

#include "firmware/run/pipeline.h"
#include "firmware/station/station.h"
#include "perception/image/image_source.h"

/** The pipeline's stages; then sending; then all else that is written or shown: JSON, text, annotated images, the dashboard's copy. */
enum { POV_STATION_SENDING = POV_STAGE_COUNT, POV_STATION_WRITING, POV_STATION_STAGE_COUNT };
/** "tags", ..., "sending", "writing". */
const char *pov_station_stage_name(int stage);

/** Images at the start of a video that are not counted: the first is searched whole, and others wait for it. */
enum { POV_PACE_FIRST = 5 };

/** Whether tags of the next image are looked for while the last one is judged: there is a second processor. */
bool pov_pace_prepares(void);

/** Zero-initialised: nothing measured. In video, the first images are not counted: they are searched whole. */
typedef struct {
    int cameras;      /* that share this machine; 0: one */
    int seen, images; /* images: counted */
    int64_t busy_ns;  /* of those seen, until one is counted; then of those counted */
    int64_t ahead_ns; /* of busy_ns, on the thread that reads ahead */
    int64_t stage_ns[POV_STATION_STAGE_COUNT];
    int width_px, height_px;
    int64_t first_ns; /* exposure of the image that counting begins after, and of the last one */
    int64_t last_ns;
    uint32_t first_sequence, last_sequence;
} pov_pace;

void pov_pace_add(pov_pace *pace, const pov_image *image, const int64_t *stage_ns, bool is_video);
/** About a second of judging was counted, or enough images. */
bool pov_pace_is_known(const pov_pace *pace);
/** Counts from here on. */
void pov_pace_restart(pov_pace *pace);
double pov_pace_rate_hz(const pov_pace *pace);
/** How fast images came; 0: not known. */
double pov_pace_images_hz(const pov_pace *pace);
/** Images come faster than they can be judged. */
bool pov_pace_is_late(const pov_pace *pace);

/** "up to 34 images/s, measured on 40 images of 1280 x 720; most time goes to finding (54 %)". */
void pov_pace_text(char text[POV_MESSAGE_CAPACITY], const pov_pace *pace);
/** Advice that makes the costliest stage cheaper; for images at `wanted_hz`, if above 0, also which size would do. */
void pov_pace_advice(char text[POV_MESSAGE_CAPACITY], const pov_pace *pace, const pov_station *station,
                     double wanted_hz);

/** Judges the source's images for about a second. A guessed camera of no size becomes that of the images. POV_SKIPPED: none came. */
POV_MUST_USE pov_status pov_pace_measure(pov_pace *pace, pov_station *station, pov_image_source *source);
