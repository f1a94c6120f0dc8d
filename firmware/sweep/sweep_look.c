#include "firmware/sweep/sweep_look.h"

#include "firmware/clock.h"

#include <stdlib.h>

static const int64_t HEALTH_PERIOD_NS = 1000000000; /* as a running station's */

pov_status pov_sweep_look_begin(pov_sweep_look *look, bool by_hand)
{
    look->start_ns = look->health_ns = pov_clock_monotonic_ns();
    look->station->finders.networks.in_background = false;
    look->observation = calloc(1, sizeof *look->observation);
    if (!look->observation)
        return pov_error("out of memory");
    POV_TRY(pov_outputs_new(
        &look->live, &(pov_outputs_config){.station = look->station,
                                           .publish = look->publishes && look->station->publish.is_named,
                                           .must_publish = true,
                                           .answer = look->publishes,
                                           .tells = look->tells}));
    POV_TRY(pov_outputs_new(&look->kept,
                            &(pov_outputs_config){.station = look->station, .recorder = look->recorder}));
    POV_TRY(pov_black_box_new(&look->black_box, look->recorder));
    POV_TRY(pov_sweep_rig_new(&look->rig, look->station, by_hand));
    return look->station->calibration.size_from_images ? pov_ok()
                                                       : pov_pipeline_new(&look->pipeline, look->station);
}

void pov_sweep_look_end(pov_sweep_look *look)
{
    if (look->live)
        pov_outputs_finish(look->live);
    pov_outputs_destroy(&look->live);
    pov_outputs_destroy(&look->kept);
    pov_black_box_destroy(&look->black_box);
    pov_pipeline_destroy(&look->pipeline);
    pov_sweep_rig_destroy(&look->rig);
    free(look->observation);
    look->observation = NULL;
}

/* With a guessed camera and no size set, images of any size are accepted. */
static pov_status fit_camera(pov_sweep_look *look, const pov_image *image)
{
    pov_station *station = look->station;
    pov_camera *camera = &station->camera;
    if (look->pipeline && (!station->calibration.size_from_images ||
                           (camera->width_px == image->width_px && camera->height_px == image->height_px)))
        return pov_ok();
    *camera = pov_station_guess_camera(station, image->width_px, image->height_px);
    pov_pipeline_destroy(&look->pipeline);
    return pov_pipeline_new(&look->pipeline, station);
}

/* Since the beginning: a sweep or a study waits more than it works. The stages are those of the newest image. */
static pov_health health_of(const pov_sweep_look *look, int64_t now_ns)
{
    pov_health health = {.now_ns = pov_clock_unix_ns(),
                         .images_processed = look->judged,
                         .rate_hz = (double)look->judged * 1e9 / (double)(now_ns - look->start_ns),
                         .latency_p50_s = pov_latency_quantile_s(&look->latency, 0.5),
                         .latency_p99_s = pov_latency_quantile_s(&look->latency, 0.99),
                         .tf_off_m = NAN,
                         .tf_off_rad = NAN,
                         .clock_error_s = pov_clock_error_s(),
                         .monotonic_offset_ns = pov_clock_unix_at_ns(CLOCK_MONOTONIC, 0),
                         .stage_len = POV_STAGE_SEARCH};
    for (int i = 0; i < health.stage_len; i++) {
        pov_stage_time *stage = &health.stages[i];
        snprintf(stage->name, sizeof stage->name, "%s", pov_pipeline_stage_name((pov_pipeline_stage)i));
        stage->mean_s = stage->max_s = 1e-9 * (double)pov_pipeline_stage_ns(look->pipeline)[i];
    }
    return health;
}

pov_status pov_sweep_look_once(pov_sweep_look *look, pov_image *image, int stop)
{
    POV_TRY(pov_sweep_rig_shoot(look->rig, image, stop));
    return pov_sweep_look_judge(look, image);
}

pov_status pov_sweep_look_judge(pov_sweep_look *look, const pov_image *image)
{
    const int64_t start_ns = pov_clock_monotonic_ns();
    POV_TRY(fit_camera(look, image));
    POV_TRY(pov_pipeline_run(look->pipeline, look->observation, image));
    const int64_t now_ns = pov_clock_monotonic_ns();
    pov_latency_add(&look->latency, now_ns - start_ns);
    look->judged++;
    const pov_health health = health_of(look, now_ns);
    const pov_news news = {.image = image,
                           .observation = look->observation,
                           .findings = pov_pipeline_findings(look->pipeline),
                           .station = look->station,
                           .health = &health};
    POV_TRY(pov_outputs_send(look->live, look->observation));
    if (look->dashboard)
        pov_dashboard_show(look->dashboard, &news);
    return pov_outputs_show(look->live, &news);
}

void pov_sweep_look_reply(pov_sweep_look *look, const pov_exchange *exchange)
{
    pov_outputs_exchange(look->live, exchange);
    pov_outputs_exchange(look->kept, exchange);
}

void pov_sweep_look_compared(pov_sweep_look *look, const uint8_t *bytes, size_t len)
{
    pov_outputs_message(look->live, POV_RECORDED_VLM, bytes, len);
    pov_outputs_poll(look->live); /* they may come in a burst, longer than a subscriber's queue */
    pov_outputs_message(look->kept, POV_RECORDED_VLM, bytes, len);
}

/* What was asked on the page. */
static void take_asked(pov_sweep_look *look)
{
    char speaker[POV_NAME_CAPACITY], *reply;
    while (look->dashboard && pov_ask_server_take(pov_dashboard_asked(look->dashboard), speaker, &reply)) {
        pov_sweep_look_reply(look, &(pov_exchange){speaker, reply});
        free(reply);
    }
}

pov_status pov_sweep_look_tend(pov_sweep_look *look)
{
    const int64_t now_ns = pov_clock_monotonic_ns();
    take_asked(look);
    pov_outputs_poll(look->live);
    if (look->judged == 0 || now_ns - look->health_ns < HEALTH_PERIOD_NS)
        return pov_ok();
    look->health_ns = now_ns;
    const pov_health health = health_of(look, now_ns);
    POV_TRY(pov_outputs_health(look->live, &health));
    return pov_outputs_health(look->kept, &health);
}

pov_status pov_sweep_look_record(pov_sweep_look *look, const pov_image *image)
{
    if (!look->recorder)
        return pov_ok();
    pov_outputs_camera(look->kept, &look->station->camera, 0);
    pov_outputs_begin(look->kept, image);
    const pov_status status = pov_outputs_send(look->kept, look->observation);
    pov_outputs_end(look->kept, image);
    POV_TRY(status);
    (void)pov_black_box_look(look->black_box, look->observation, 0);
    (void)pov_black_box_hear(look->black_box);
    return pov_sweep_look_tend(look);
}
