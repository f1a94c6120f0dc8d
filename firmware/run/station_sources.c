#include "firmware/gstreamer/gstreamer_source.h"
#include "firmware/libcamera/libcamera_source.h"
#include "firmware/run/station_runner.h"
#include "firmware/sources/folder_source.h"
#include "firmware/sources/recording_source.h"

#include <stdio.h>
#include <string.h>

bool pov_station_source_is_live(const pov_station_source *source)
{
    return pov_source_is_camera(source->kind) || (source->live && source->kind == POV_SOURCE_FOLDER) ||
           (source->kind == POV_SOURCE_SIMULATOR && source->simulator.rate_hz > 0);
}

void pov_station_source_replace(pov_station_source *source, const char *images, const char *camera)
{
    if (images) {
        source->kind = POV_SOURCE_FOLDER;
        source->is_recorded_video = false;
        snprintf(source->folder, sizeof source->folder, "%s", images);
    }
    if (camera) {
        const bool is_words = pov_gstreamer_words(&source->gstreamer, camera);
        source->kind = is_words ? POV_SOURCE_GSTREAMER + source->gstreamer.kind : POV_SOURCE_LIBCAMERA;
        source->is_recorded_video = false;
        snprintf(source->libcamera_id, sizeof source->libcamera_id, "%s", camera);
    }
    if (source->kind == POV_SOURCE_FOLDER && pov_film_is_one(source->folder)) {
        source->kind = POV_SOURCE_VIDEO;
        source->is_recorded_video = true;
        source->gstreamer.from_s = source->gstreamer.to_s = 0;
        snprintf(source->gstreamer.text, sizeof source->gstreamer.text, "%s", source->folder);
    }
    if (source->kind == POV_SOURCE_VIDEO)
        source->rate_hz = 0; /* a film's images have times of their own */
    if (source->kind == POV_SOURCE_FOLDER && pov_recording_is_one(source->folder)) {
        source->rate_hz = 0; /* a recording's images have times of their own */
        source->loop = source->live = false;
        source->is_recorded_video = pov_recording_is_video(source->folder);
    }
}

/* id: of one of several cameras; "": there is one. */
static pov_status open_source(pov_image_source **source, const pov_station_source *config, const char *id,
                              pov_shared_start *start)
{
    if (config->kind == POV_SOURCE_STATION)
        return pov_error(
            "the camera is another station's, and its images do not come here: only 'pov run' takes it");
    if (config->kind == POV_SOURCE_FOLDER) {
        if (!*config->folder)
            return pov_error(
                "the station names no images: add camera.folder.path to it, or use --images DIR");
        pov_folder_source_config folder = {.path = config->folder,
                                           .rate_hz = config->rate_hz,
                                           .loop = config->loop,
                                           .live = config->live,
                                           .camera = id,
                                           .start = start};
        return pov_folder_source_new(source, &folder);
    }
    if (config->kind == POV_SOURCE_SIMULATOR) {
        pov_simulator_source_config simulator = config->simulator;
        simulator.start = start;
        return pov_simulator_source_new(source, &simulator);
    }
    if (config->kind == POV_SOURCE_ROS2)
        return pov_ros2_source_open(source, &config->ros2);
    if (config->kind != POV_SOURCE_LIBCAMERA) {
        pov_gstreamer_source_config streamed = config->gstreamer;
        streamed.kind = (pov_gstreamer_kind)(config->kind - POV_SOURCE_GSTREAMER);
        return pov_gstreamer_source_open(source, &streamed);
    }
    pov_libcamera_source_config camera = POV_LIBCAMERA_SOURCE_CONFIG_DEFAULT;
    snprintf(camera.camera, sizeof camera.camera, "%s", config->libcamera_id);
    snprintf(camera.pixel_format, sizeof camera.pixel_format, "%s", config->pixel_format);
    camera.width_px = config->width_px;
    camera.height_px = config->height_px;
    camera.exposure_s = config->exposure_s;
    camera.gain = config->gain;
    return pov_libcamera_source_open(source, &camera);
}

pov_status pov_station_open_source(pov_image_source **source, const pov_station_source *config)
{
    return open_source(source, config, "", NULL);
}

/* Images that are read as fast as possible have no times at which cameras could be compared. */
static pov_status check_clock(const pov_station_camera *camera)
{
    const pov_station_source *source = &camera->source;
    const bool is_timeless =
        (source->kind == POV_SOURCE_SIMULATOR && source->simulator.rate_hz <= 0) ||
        (source->kind == POV_SOURCE_FOLDER && source->rate_hz <= 0 && !pov_recording_is_one(source->folder));
    return is_timeless ? pov_error("camera %s: its images have no times, which several cameras need: give "
                                   "rate_hz in cameras[].%s, or --rate HZ",
                                   camera->id, pov_source_kind_name(source->kind))
                       : pov_ok();
}

pov_status pov_station_open_sources(pov_image_source **sources, const pov_station *station,
                                    pov_shared_start *start)
{
    for (int i = 0; i < station->camera_len; i++)
        sources[i] = NULL;
    if (station->camera_len == 1 && station->source.kind != POV_SOURCE_STATION)
        return pov_station_open_source(&sources[0], &station->source);
    pov_status status = pov_ok();
    for (int i = 0; i < station->camera_len && status.code == POV_OK; i++) {
        if (station->cameras[i].source.kind == POV_SOURCE_STATION) {
            status = pov_remote_source_new(&sources[i], &station->cameras[i].source.remote, &station->cast,
                                           &station->finders.tags.map);
            continue;
        }
        status = check_clock(&station->cameras[i]);
        POV_THEN(status,
                 open_source(&sources[i], &station->cameras[i].source, station->cameras[i].id, start));
    }
    for (int i = 0; i < station->camera_len && status.code != POV_OK; i++)
        pov_image_source_destroy(&sources[i]);
    return status;
}
