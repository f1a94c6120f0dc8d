#include "firmware/calib/calib_camera.h"

#include "firmware/cli.h"
#include "firmware/clock.h"
#include "firmware/progress.h"

enum { TIMEOUT_MS = 1000 };

static pov_status add_image(pov_calib_session *session, const pov_image *image)
{
    pov_status status = pov_board_finder_run(session->finder, &session->seen, image);
    if (status.code == POV_ERROR)
        return pov_error("%s: %.300s", image->name, status.message);
    return pov_camera_calibration_add(session->calibration, image,
                                      status.code == POV_OK ? &session->seen : NULL, status.message);
}

pov_status pov_calib_gather(pov_calib_session *session, pov_image_source *source)
{
    int64_t total = pov_image_source_statistics_of(source).expected, done = 0;
    pov_progress progress = pov_progress_start(stderr, "images", total, pov_clock_monotonic_ns());
    pov_status status = pov_ok();
    while (status.code == POV_OK && !pov_cli_stop_requested()) {
        pov_image image;
        status = pov_image_source_next(source, &image, TIMEOUT_MS);
        if (status.code == POV_OK)
            status = add_image(session, &image);
        if (status.code == POV_SKIPPED) {
            pov_progress_clear(&progress);
            pov_cli_warn("%s", status.message);
            status = pov_ok();
        }
        pov_progress_update(&progress, ++done, pov_clock_monotonic_ns());
    }
    pov_progress_clear(&progress);
    return status.code == POV_END || status.code == POV_OK ? pov_ok() : status;
}
