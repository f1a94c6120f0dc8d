#include "firmware/run/pace.h"

#include "firmware/clock.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { COUNTED = 40 }; /* images: a second and more at 30/s; chosen */
enum { COUNTED_MIN = 3, POLL_MS = 50 };
static const int64_t judging_ns = 1000000000;  /* enough, however few images that were; chosen */
static const int64_t patience_ns = 4000000000; /* of a measurement, the source's own time included; chosen */
static const double MARGIN = 0.95;             /* of the images' period that judging may take; chosen */
/* Least share of an image's side to advise: smaller images show too little of tags and objects; chosen. */
static const double SIDE_SHARE_MIN = 0.35;

const char *pov_station_stage_name(int stage)
{
    return stage == POV_STATION_SENDING   ? "sending"
           : stage == POV_STATION_WRITING ? "writing"
                                          : pov_pipeline_stage_name((pov_pipeline_stage)stage);
}

/* ---- measuring ---- */

bool pov_pace_prepares(void)
{
    return sysconf(_SC_NPROCESSORS_ONLN) > 1;
}

void pov_pace_add(pov_pace *pace, const pov_image *image, const int64_t *stage_ns, bool is_video)
{
    pace->seen++;
    if (pace->images == 0 && is_video && pace->seen <= POV_PACE_FIRST && pace->busy_ns < judging_ns) {
        pace->first_ns = image->mid_exposure_ns;
        pace->first_sequence = image->sequence;
        for (int i = 0; i < POV_STATION_STAGE_COUNT; i++)
            pace->busy_ns += stage_ns[i];
        return;
    }
    if (pace->images++ == 0)
        pace->busy_ns = 0;
    const pov_prepared *prepared = image->prepared;
    pace->ahead_ns += prepared ? prepared->took_ns + prepared->searched_ns : 0;
    for (int i = 0; i < POV_STATION_STAGE_COUNT; i++) {
        pace->stage_ns[i] += stage_ns[i];
        pace->busy_ns += stage_ns[i];
    }
    pace->width_px = image->width_px;
    pace->height_px = image->height_px;
    pace->last_ns = image->mid_exposure_ns;
    pace->last_sequence = image->sequence;
}

bool pov_pace_is_known(const pov_pace *pace)
{
    return pace->images >= COUNTED || (pace->images >= COUNTED_MIN && pace->busy_ns >= judging_ns);
}

void pov_pace_restart(pov_pace *pace)
{
    *pace = (pov_pace){.cameras = pace->cameras,
                       .seen = POV_PACE_FIRST,
                       .first_ns = pace->last_ns,
                       .first_sequence = pace->last_sequence};
}

double pov_pace_rate_hz(const pov_pace *pace)
{
    return pace->images * 1e9 / (pace->cameras > 1 ? pace->cameras : 1) /
           fmax(1, fmax((double)pace->ahead_ns, (double)(pace->busy_ns - pace->ahead_ns)));
}

double pov_pace_images_hz(const pov_pace *pace)
{
    const uint32_t taken = pace->last_sequence - pace->first_sequence;
    const int64_t passed_ns = pace->last_ns - pace->first_ns;
    return pace->first_ns != 0 && passed_ns > 0 ? taken * 1e9 / (double)passed_ns : 0;
}

bool pov_pace_is_late(const pov_pace *pace)
{
    return pov_pace_images_hz(pace) > MARGIN * pov_pace_rate_hz(pace);
}

/* ---- telling ---- */

static int find_costliest(const pov_pace *pace)
{
    int costliest = 0;
    for (int i = 1; i < POV_STATION_STAGE_COUNT; i++)
        if (pace->stage_ns[i] > pace->stage_ns[costliest])
            costliest = i;
    return costliest;
}

void pov_pace_text(char text[POV_MESSAGE_CAPACITY], const pov_pace *pace)
{
    const int stage = find_costliest(pace);
    const double rate_hz = pov_pace_rate_hz(pace);
    char each[32] = "";
    if (pace->cameras > 1)
        snprintf(each, sizeof each, " of each of %d cameras", pace->cameras);
    snprintf(text, POV_MESSAGE_CAPACITY,
             "up to %.*f images/s%s here, measured on %d image%s of %d x %d; most time goes to %s (%.0f %%)",
             rate_hz < 10 ? 1 : 0, rate_hz, each, pace->images, pace->images == 1 ? "" : "s", pace->width_px,
             pace->height_px, pov_station_stage_name(stage),
             100 * (double)pace->stage_ns[stage] / fmax((double)pace->busy_ns, 1));
}

static void advise_finding(char text[POV_MESSAGE_CAPACITY], const pov_finder_settings *finders)
{
    const pov_network_settings *networks = &finders->networks;
    if (networks->wants_people && !*networks->people.network_class && !networks->people.faces_by_network &&
        !networks->in_background)
        snprintf(text, POV_MESSAGE_CAPACITY,
                 "let a network find people (docs/MODELS.md), or look in the background: models: "
                 "{in_background: true}");
    else if (networks->len > 0 && !networks->in_background)
        snprintf(text, POV_MESSAGE_CAPACITY,
                 "let networks look in the background: models: {in_background: true}");
    else if (finders->enrolled.len > 1)
        snprintf(text, POV_MESSAGE_CAPACITY, "look for fewer than %d enrolled objects%s",
                 finders->enrolled.len,
                 finders->enrolled.has_area ? "" : ", or only on a part of the table (table_m)");
    else
        snprintf(text, POV_MESSAGE_CAPACITY, "look for fewer kinds of things");
}

static void advise_stage(char text[POV_MESSAGE_CAPACITY], const pov_station *station, int stage)
{
    static const char *const advice[] = {
        [POV_STAGE_TAGS] = "use fewer or larger tags, with tags: {decimate: 2}",
        [POV_STAGE_FINDING] = "",
        [POV_STAGE_SEARCH] = "",
        [POV_STAGE_TRACKING] = "set track: never, if each image may stand for itself",
        [POV_STAGE_RELATIONS] = "judge fewer entities, or name the pairs (judge: {pairs: ...})",
        [POV_STAGE_SIGHT] = "let fewer entities see, or judge fewer",
        [POV_STATION_SENDING] = "subscribe less",
        [POV_STATION_WRITING] = "write no annotated images, or less text",
    };
    static_assert(sizeof advice / sizeof *advice == POV_STATION_STAGE_COUNT, "one a stage");
    if (stage == POV_STAGE_FINDING || stage == POV_STAGE_SEARCH)
        advise_finding(text, &station->finders);
    else
        snprintf(text, POV_MESSAGE_CAPACITY, "%s", advice[stage]);
}

/* Cost is taken to grow as the number of pixels. */
static double side_share(const pov_pace *pace, double wanted_hz)
{
    return sqrt(MARGIN * pov_pace_rate_hz(pace) / wanted_hz);
}

void pov_pace_advice(char text[POV_MESSAGE_CAPACITY], const pov_pace *pace, const pov_station *station,
                     double wanted_hz)
{
    advise_stage(text, station, find_costliest(pace));
    const size_t len = strlen(text);
    const double share = wanted_hz > 0 ? side_share(pace, wanted_hz) : 1;
    if (share < 1 && share >= SIDE_SHARE_MIN)
        snprintf(text + len, POV_MESSAGE_CAPACITY - len,
                 "; or take images of about %.0f x %.0f, and calibrate at that size",
                 16 * floor(share * pace->width_px / 16), 16 * floor(share * pace->height_px / 16));
    else if (share < SIDE_SHARE_MIN)
        snprintf(text + len, POV_MESSAGE_CAPACITY - len, "; or take smaller or fewer images");
}

/* ---- a trial ---- */

typedef struct {
    pov_station *station;
    pov_pipeline *pipeline; /* NULL: of no image yet */
    pov_observation *observation;
    pov_prepared *prepared;
} trial;

/* A station that guesses its camera may take images of any size. */
static pov_status judge_image(trial *t, pov_image *image)
{
    if (!t->pipeline && t->station->calibration.size_from_images)
        t->station->camera = pov_station_guess_camera(t->station, image->width_px, image->height_px);
    if (!t->pipeline)
        POV_TRY(pov_pipeline_new(&t->pipeline, t->station));
    if (pov_pace_prepares()) {
        if (!t->prepared && !(t->prepared = malloc(pov_prepared_bytes(t->station))))
            return pov_error("rate: out of memory");
        POV_TRY(pov_pipeline_prepare(t->pipeline, t->prepared, image));
        image->prepared = t->prepared;
    }
    POV_TRY(pov_pipeline_run(t->pipeline, t->observation, image));
    if (image->prepared)
        POV_TRY(pov_pipeline_search_ahead(t->pipeline, image));
    return pov_pipeline_remember(t->pipeline, image);
}

static pov_status judge_some(pov_pace *pace, trial *t, pov_image_source *source)
{
    const int64_t until_ns = pov_clock_monotonic_ns() + patience_ns;
    while (!pov_pace_is_known(pace) && (pov_clock_monotonic_ns() < until_ns || pace->images < COUNTED_MIN)) {
        pov_image image;
        int64_t stage_ns[POV_STATION_STAGE_COUNT] = {0};
        pov_status status = pov_image_source_next(source, &image, POLL_MS);
        POV_THEN(status, judge_image(t, &image));
        if (status.code == POV_END)
            break;
        if (status.code == POV_ERROR)
            return status;
        if (status.code != POV_OK && pov_clock_monotonic_ns() >= until_ns)
            break;
        if (status.code != POV_OK)
            continue;
        memcpy(stage_ns, pov_pipeline_stage_ns(t->pipeline), POV_STAGE_COUNT * sizeof *stage_ns);
        pov_pace_add(pace, &image, stage_ns, pov_pipeline_is_video(t->pipeline));
    }
    return pace->images > 0 ? pov_ok()
                            : pov_status_with(POV_SKIPPED, "no images came that it could be measured on");
}

pov_status pov_pace_measure(pov_pace *pace, pov_station *station, pov_image_source *source)
{
    trial *t = calloc(1, sizeof *t);
    *pace = (pov_pace){0};
    if (!t || !(t->observation = calloc(1, sizeof *t->observation))) {
        free(t);
        return pov_error("rate: out of memory");
    }
    t->station = station;
    const pov_status status = judge_some(pace, t, source);
    pov_pipeline_destroy(&t->pipeline);
    free(t->prepared);
    free(t->observation);
    free(t);
    return status;
}
