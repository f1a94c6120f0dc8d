#include "firmware/sources/each_image.h"

#include "firmware/cli.h"
#include "firmware/clock.h"
#include "firmware/progress.h"

enum { TIMEOUT_MS = 1000 };

pov_status pov_each_image(pov_image_source *source, pov_image_visit *visit, void *context)
{
    int64_t total = pov_image_source_statistics_of(source).expected, done = 0;
    pov_progress progress = pov_progress_start(stderr, "images", total, pov_clock_monotonic_ns());
    pov_status status = pov_ok();
    while (status.code == POV_OK && !pov_cli_stop_requested()) {
        pov_image image;
        status = pov_image_source_next(source, &image, TIMEOUT_MS);
        if (status.code == POV_OK)
            status = visit(context, &image);
        if (status.code == POV_SKIPPED) {
            pov_progress_clear(&progress);
            pov_cli_warn("%s", status.message);
            status = pov_ok();
        }
        pov_progress_update(&progress, ++done, pov_clock_monotonic_ns());
    }
    pov_progress_clear(&progress);
    return status.code == POV_END ? pov_ok() : status;
}
