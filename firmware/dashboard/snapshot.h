/** A copy of one image and its observation, to be shown later by another thread. */
#pragma once

#include "firmware/picture/annotate.h"
#include "firmware/station/station.h"

enum { POV_SNAPSHOT_WIDTH_MAX_PX = 960 };

/** One image and what was made of it. */
typedef struct {
    const pov_image *image;
    const pov_observation *observation;
    const pov_findings *findings;
    const pov_station *station;
    const pov_health *health; /* NULL: not measured */
} pov_news;

typedef struct {
    bool holds; /* something was taken yet */
    pov_observation *observation;
    pov_findings findings;
    pov_camera camera;
    int camera_len; /* of the station, if they have ids */
    char cameras[POV_CAMERA_MAX][POV_NAME_CAPACITY];
    pov_station_calibration calibration;
    pov_ball_kind kinds[POV_BALL_KIND_MAX];
    pov_judging judging;
    bool uses_tags, has_health, simulated;
    pov_health health;
    pov_image picture; /* shrunk by a whole factor to at most POV_SNAPSHOT_WIDTH_MAX_PX; pixels NULL: none */
    uint8_t *pixels;
    size_t capacity;
} pov_snapshot;

POV_MUST_USE pov_status pov_snapshot_new(pov_snapshot **snapshot);
void pov_snapshot_destroy(pov_snapshot **snapshot);

/** Copies. Memory for the picture grows with the largest yet; without any, there is no picture. */
void pov_snapshot_take(pov_snapshot *snapshot, const pov_news *news);

/** As annotations are drawn, but for the image. Borrowed from the snapshot. */
pov_annotation pov_snapshot_annotation(const pov_snapshot *snapshot);
