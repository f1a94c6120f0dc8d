/** A dashboard's two sides: dashboard.c has the pipeline's and the encoding thread, dashboard_pages.c the viewers'. */
#pragma once

#include "firmware/dashboard/dashboard.h"
#include "firmware/dashboard/latest.h"
#include "firmware/picture/jpeg_encoder.h"

#include <pthread.h>
#include <stdatomic.h>

enum {
    POV_DASHBOARD_STEP_CAPACITY = 256,
    POV_DASHBOARD_PATH_CAPACITY = 1024,
    POV_DASHBOARD_LINE_CAPACITY = 1024,
    POV_DASHBOARD_LINES_MAX = 16, /* that wait; chosen: nobody clicks faster */
    POV_UPDATE_HEAD_BYTES = 8
};

struct pov_dashboard {
    /* the viewers' */
    pov_http_site site;
    bool sweeps, simulated;
    char url[POV_URL_CAPACITY];
    pov_latest
        *updates; /* each: length of the JSON, length of the JPEG (big-endian, 4 bytes each), JSON, JPEG */
    pov_ask_server *asked; /* answers what the page asks */
    atomic_bool stopping;

    /* under the lock, which is held to copy or swap, never to encode or send */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    pov_snapshot *waiting, *working; /* filled by the pipeline; read by the encoding thread */
    bool is_waiting, is_told;        /* a new image; something else to say */
    char step[POV_DASHBOARD_STEP_CAPACITY], report[POV_DASHBOARD_PATH_CAPACITY],
        print[POV_DASHBOARD_PATH_CAPACITY];
    char *sweep, *bodies, *study, *participant; /* JSON, or NULL */
    char nonce[POV_TOKEN_CAPACITY]; /* each posted line begins with it; pages of other sites cannot read it */
    char lines[POV_DASHBOARD_LINES_MAX][POV_DASHBOARD_LINE_CAPACITY];
    int line_len;
    uint64_t sweep_version, bodies_version;
    int camera_len; /* of the station */

    atomic_int camera; /* of several, the one whose images are shown: as a viewer chose */

    /* the encoding thread's */
    pov_jpeg_encoder *encoder;
    pthread_t thread;
    bool has_thread;
    uint64_t picture_id, cast_hash; /* of the classes that `bodies` are of */
    atomic_bool is_resting;         /* no update is due */
};

/** Listens, and answers from then on. */
POV_MUST_USE pov_status pov_dashboard_serve(pov_dashboard *dashboard, const pov_http_place *place);
/** Has the encoding thread make an update without a new image. */
void pov_dashboard_tell(pov_dashboard *dashboard);
