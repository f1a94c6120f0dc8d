#include "firmware/study/experiment_place.h"

#include "config/files/text.h"
#include "firmware/cli.h"
#include "firmware/clock.h"
#include "firmware/sweep/sweep_look.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LOOK_US = 500000 /* from look to look; chosen: a hand moves slower */, SKIPPED_MAX = 20 };

static void list_wrong(pov_text *text, const pov_scene_check *check)
{
    pov_text_clear(text);
    for (int i = 0; i < check->len; i++)
        if (!check->things[i].right)
            pov_text_add(text, "%s%s: %s", text->len > 0 ? "; " : "", check->things[i].id,
                         check->things[i].text);
}

/* One look. POV_SKIPPED, POV_TIMEOUT: no image came. */
static pov_status look_once(pov_sweep_look *look, pov_scene_check *check, const pov_wanted_scene *wanted)
{
    pov_image image;
    POV_TRY(pov_sweep_look_once(look, &image, 0));
    pov_wanted_scene_check(check, wanted, &look->observation->scene);
    return pov_ok();
}

static const char *why_not_mended(pov_source_kind kind)
{
    return pov_source_is_camera(kind) ? ""
           : kind == POV_SOURCE_SIMULATOR
               ? "; a simulated world cannot be mended by hand: change 'things', or the world or its variant"
               : "; images taken before cannot be mended by hand: change 'things', or the station's images";
}

static pov_status look_until_right(pov_sweep_look *look, const pov_wanted_scene *wanted, bool waits)
{
    pov_scene_check check;
    pov_text wrong = {0}, said = {0};
    pov_status status = pov_ok();
    const pov_source_kind kind = look->station->source.kind;
    for (int skipped = 0; !pov_cli_stop_requested();) {
        status = look_once(look, &check, wanted);
        if ((status.code == POV_SKIPPED || status.code == POV_TIMEOUT) && skipped++ < SKIPPED_MAX)
            continue;
        if (status.code != POV_OK || check.right)
            break;
        list_wrong(&wrong, &check);
        if (!waits || !pov_source_is_camera(kind)) {
            status =
                pov_error("not placed as the plan says: %.200s%s", pov_text_of(&wrong), why_not_mended(kind));
            break;
        }
        if (strcmp(pov_text_of(&wrong), pov_text_of(&said)) != 0)
            printf("  %s\n", pov_text_of(&wrong));
        fflush(stdout);
        pov_text_set(&said, "%s", pov_text_of(&wrong));
        usleep(LOOK_US);
    }
    pov_text_free(&wrong);
    pov_text_free(&said);
    if (pov_cli_stop_requested() && status.code == POV_OK)
        return pov_status_of(POV_END);
    return status.code == POV_OK || status.message[0] ? status : pov_error("the camera gives no image");
}

pov_status pov_experiment_place(const pov_wanted_scene *wanted, const char *station_path, bool waits)
{
    if (wanted->len == 0 && !wanted->alone)
        return pov_ok();
    pov_station *station = pov_allocate(1, sizeof *station);
    pov_sweep_look look = {.station = station};
    pov_status status = pov_station_read(station, station_path);
    if (status.code == POV_OK) {
        station->track = POV_TRACK_NEVER; /* things are put elsewhere between images */
        station->source.rate_hz = 0;
        status = pov_sweep_look_begin(&look, pov_source_is_camera(station->source.kind) &&
                                                 !*station->turntable.device);
        POV_THEN(status, look_until_right(&look, wanted, waits));
        pov_sweep_look_end(&look);
    }
    free(station);
    return status;
}
