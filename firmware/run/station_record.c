#include "firmware/cli.h"
#include "firmware/run/station_runner.h"

#include <stdio.h>

static void record_warning(void *context, const char *text)
{
    pov_recorder_log(context, "warning", text);
}

int pov_station_recorded_cameras(pov_recorded_camera cameras[POV_CAMERA_MAX], const pov_station *station)
{
    const int len = station->camera_len > 1 ? station->camera_len : 0;
    for (int i = 0; i < len; i++)
        cameras[i] = (pov_recorded_camera){i + 1, station->cameras[i].id};
    return len;
}

pov_status pov_station_record(pov_recorder **recorder, const pov_station *station, const char *path,
                              bool is_video)
{
    *recorder = NULL;
    if (!*station->record.path)
        return pov_ok();
    pov_record_session session = {.station = path,
                                  .source = pov_source_kind_name(station->source.kind),
                                  .is_video = is_video,
                                  .is_patient = !pov_station_source_is_live(&station->source)};
    session.camera_len = pov_station_recorded_cameras(session.cameras, station);
    POV_TRY(pov_recorder_new(recorder, &station->record, &session));
    pov_cli_hear_warnings(record_warning, *recorder);
    return pov_ok();
}

int pov_station_record_end(pov_recorder **recorder, int code, bool tells)
{
    pov_record_statistics all;
    if (!*recorder)
        return code;
    pov_cli_hear_warnings(NULL, NULL);
    const pov_status status = pov_recorder_end(recorder, &all);
    if (tells)
        fprintf(stderr, "recorded %llu images and %llu messages, %.1f MB\n", (unsigned long long)all.images,
                (unsigned long long)(all.messages - 2 * all.images), 1e-6 * (double)all.bytes);
    if (status.code == POV_OK)
        return code;
    const int failed = pov_cli_fail(status);
    return code == POV_EXIT_OK ? failed : code;
}
