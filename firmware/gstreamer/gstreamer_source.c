#include "firmware/gstreamer/gstreamer_source.h"

#include "firmware/cli.h"
#include "firmware/clock.h"
#include "firmware/gstreamer/gstreamer_pipeline.h"
#include "firmware/gstreamer/video_place.h"
#include "firmware/plugged/plugged_source.h"

#include <gst/app/gstappsink.h>
#include <gst/video/video.h>

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

static const int64_t NS_PER_MS = 1000000, NS_PER_S = 1000000000;
static const int64_t LOOK_NS = 100000000; /* how often the bus is looked at while no image comes; chosen */
/* Without an image for so long, a network camera is gone: TCP tells of a lost cable after minutes only; chosen. */
static const int64_t SILENCE_NS = 10000000000;
static const gint64 STOP_S = 3;      /* for a pipeline to end; chosen: others end in milliseconds */
static const double CUT_SHORT_S = 1; /* a film's last image may end this much before the film does; chosen */

typedef struct {
    pov_gstreamer_source_config config;
    char id[POV_LIBCAMERA_ID_CAPACITY];
    pov_video_place place; /* of the device, since it was opened first */
    GstElement *pipeline;  /* NULL: closed */
    bool is_stuck;         /* it did not end, and never will */
    GstAppSink *images;
    GstBus *bus;
    GstSample *first; /* came while the camera was opened; to be delivered */
    GstSample *sample;
    GstVideoFrame frame; /* of the sample, while it is mapped */
    bool is_mapped;
    _Atomic uint64_t counted; /* images that came to the pipeline's end */
    uint64_t lost_before;     /* that its elements say they lost */
    int64_t heard_ns;         /* when the last image came, or it was opened; monotonic */
    char missing[128];        /* a decoder; "" */
    int64_t film_begun_ns;    /* 0: the film does not tell */
    int64_t film_ns;          /* where its last image ends */
    bool cut_was_told;
    pov_image_source_statistics statistics; /* a film's */
} gstreamer_source;

/* ---- on GStreamer's thread ---- */

/* A dropped image leaves a gap. */
static GstPadProbeReturn number_image(GstPad *pad, GstPadProbeInfo *info, gpointer context)
{
    gstreamer_source *source = context;
    GstBuffer *buffer = gst_buffer_make_writable(GST_PAD_PROBE_INFO_BUFFER(info));
    (void)pad;
    GST_BUFFER_OFFSET(buffer) = atomic_fetch_add(&source->counted, 1);
    GST_PAD_PROBE_INFO_DATA(info) = buffer;
    return GST_PAD_PROBE_OK;
}

/* ---- on the caller's ---- */

static void release_image(gstreamer_source *source)
{
    if (source->is_mapped)
        gst_video_frame_unmap(&source->frame);
    source->is_mapped = false;
    g_clear_pointer(&source->sample, gst_sample_unref);
}

typedef struct {
    GMutex lock;
    GCond has_ended;
    bool ended;
    GstElement *pipeline;
} ending;

static void *end_pipeline(void *user)
{
    ending *end = user;
    gst_element_set_state(end->pipeline, GST_STATE_NULL);
    g_mutex_lock(&end->lock);
    end->ended = true;
    g_cond_signal(&end->has_ended);
    g_mutex_unlock(&end->lock);
    return NULL;
}

/* False: it does not end in time, as rtspsrc while its server's answer goes on without end. It and its thread then live on. */
static bool stop_pipeline(GstElement *pipeline)
{
    ending *end = pov_allocate(1, sizeof *end);
    end->pipeline = pipeline;
    g_mutex_init(&end->lock);
    g_cond_init(&end->has_ended);
    g_mutex_lock(&end->lock);
    const gint64 until_us = g_get_monotonic_time() + STOP_S * G_USEC_PER_SEC;
    g_thread_unref(g_thread_new("pipeline's end", end_pipeline, end));
    while (!end->ended && g_cond_wait_until(&end->has_ended, &end->lock, until_us))
        continue;
    const bool ended = end->ended;
    g_mutex_unlock(&end->lock);
    if (!ended)
        return false;
    g_mutex_clear(&end->lock);
    g_cond_clear(&end->has_ended);
    free(end);
    return true;
}

static void close_pipeline(void *camera)
{
    gstreamer_source *source = camera;
    release_image(source);
    g_clear_pointer(&source->first, gst_sample_unref);
    if (!source->pipeline || source->is_stuck)
        return;
    source->is_stuck = !stop_pipeline(source->pipeline);
    if (source->is_stuck)
        return;
    gst_clear_object(&source->images);
    gst_clear_object(&source->bus);
    gst_clear_object(&source->pipeline);
}

/* A pipeline that is stuck still has the source. */
static void destroy_source(void *camera)
{
    if (!((gstreamer_source *)camera)->is_stuck)
        free(camera);
}

/* A driver's losses come as messages about quality, with the time of the image after them. */
static void note_loss(gstreamer_source *source, GstMessage *message)
{
    GstFormat format;
    guint64 processed = 0, dropped = 0;
    gst_message_parse_qos_stats(message, &format, &processed, &dropped);
    if (format == GST_FORMAT_BUFFERS && dropped != GST_CLOCK_TIME_NONE)
        source->lost_before += dropped;
}

static void note_date(gstreamer_source *source, GstMessage *message)
{
    GstTagList *tags = NULL;
    GstDateTime *date = NULL;
    gst_message_parse_tag(message, &tags);
    if (gst_tag_list_get_date_time(tags, GST_TAG_DATE_TIME, &date)) {
        GDateTime *exact = gst_date_time_has_time(date) ? gst_date_time_to_g_date_time(date) : NULL;
        if (exact)
            source->film_begun_ns =
                g_date_time_to_unix(exact) * NS_PER_S + (int64_t)g_date_time_get_microsecond(exact) * 1000;
        g_clear_pointer(&exact, g_date_time_unref);
        gst_date_time_unref(date);
    }
    gst_tag_list_unref(tags);
}

/* Reads what the pipeline has said. Returns: POV_OK; POV_ERROR: it has failed. */
static pov_status read_bus(gstreamer_source *source, bool *is_gone)
{
    pov_status status = pov_ok();
    GstMessage *message;
    while (status.code == POV_OK && (message = gst_bus_pop(source->bus)) != NULL) {
        if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_ERROR)
            status = pov_gstreamer_failure(is_gone, message, source->missing);
        else if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_QOS)
            note_loss(source, message);
        else if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_TAG)
            note_date(source, message);
        else
            (void)pov_gstreamer_missing(source->missing, sizeof source->missing, message);
        gst_message_unref(message);
    }
    return status;
}

/* Returns: POV_OK; POV_TIMEOUT; POV_END: no more will come; POV_ERROR. */
static pov_status pull_sample(gstreamer_source *source, GstSample **sample, bool *is_gone,
                              int64_t deadline_ns)
{
    for (;;) {
        const int64_t now_ns = pov_clock_monotonic_ns(), left_ns = deadline_ns - now_ns;
        *sample = gst_app_sink_try_pull_sample(source->images, (GstClockTime)(left_ns < 0         ? 0
                                                                              : left_ns < LOOK_NS ? left_ns
                                                                                                  : LOOK_NS));
        POV_TRY(*sample ? pov_ok() : read_bus(source, is_gone));
        if (*sample || left_ns <= 0 || pov_cli_stop_requested())
            return pov_status_of(*sample ? POV_OK : POV_TIMEOUT);
        if (gst_app_sink_is_eos(source->images))
            return pov_status_of(POV_END);
    }
}

/* ---- times ---- */

/* When the image was taken; of a film: its date, if any, and the time in it. */
static int64_t time_of(gstreamer_source *source, GstSample *sample)
{
    const GstBuffer *buffer = gst_sample_get_buffer(sample);
    const GstSegment *segment = gst_sample_get_segment(sample);
    if (source->config.kind == POV_GSTREAMER_FILM) {
        const GstClockTime at = gst_segment_to_stream_time(segment, GST_FORMAT_TIME, GST_BUFFER_PTS(buffer));
        if (GST_CLOCK_TIME_IS_VALID(at))
            source->film_ns = (int64_t)at;
        const int64_t taken_ns = source->film_begun_ns + source->film_ns;
        if (GST_BUFFER_DURATION_IS_VALID(buffer))
            source->film_ns += (int64_t)GST_BUFFER_DURATION(buffer);
        return taken_ns;
    }
    const GstClockTime after = gst_segment_to_running_time(segment, GST_FORMAT_TIME, GST_BUFFER_PTS(buffer));
    return GST_CLOCK_TIME_IS_VALID(after)
               ? pov_clock_unix_at_ns(CLOCK_MONOTONIC,
                                      (int64_t)(gst_element_get_base_time(source->pipeline) + after))
               : pov_clock_unix_ns();
}

/* ---- opening ---- */

/* The system's clock, not a camera's or a server's: its times are then times of CLOCK_MONOTONIC. */
static void use_own_clock(GstElement *pipeline)
{
    GstClock *clock = gst_system_clock_obtain();
    g_object_set(clock, "clock-type", GST_CLOCK_TYPE_MONOTONIC, NULL);
    gst_pipeline_use_clock(GST_PIPELINE(pipeline), clock);
    gst_object_unref(clock);
}

/* A camera that was plugged in again may have got another number: the kernel keeps the first one while anything has it open, and
 * v4l2src keeps a device open that was unplugged (GStreamer 1.22). */
static pov_status build(gstreamer_source *source)
{
    pov_gstreamer_source_config config = source->config;
    (void)pov_video_place_device(config.text, sizeof config.text, &source->place);
    POV_TRY(pov_gstreamer_pipeline_new(&source->pipeline, source->id, &config));
    source->images = GST_APP_SINK(gst_bin_get_by_name(GST_BIN(source->pipeline), POV_GSTREAMER_IMAGES));
    source->bus = gst_element_get_bus(source->pipeline);
    POV_REQUIRE(source->images && source->bus);
    GstPad *pad = gst_element_get_static_pad(GST_ELEMENT(source->images), "sink");
    gst_pad_add_probe(pad, GST_PAD_PROBE_TYPE_BUFFER, number_image, source, NULL);
    gst_object_unref(pad);
    use_own_clock(source->pipeline);
    source->counted = source->lost_before = 0;
    source->missing[0] = '\0';
    source->heard_ns = pov_clock_monotonic_ns();
    g_object_set(source->images, "sync", FALSE, "drop", source->config.kind != POV_GSTREAMER_FILM, NULL);
    return pov_ok();
}

/* The pipeline's own error is on its way when its state has failed. */
static pov_status explain_failure(gstreamer_source *source, bool *is_gone)
{
    GstMessage *error = gst_bus_timed_pop_filtered(source->bus, (GstClockTime)NS_PER_S, GST_MESSAGE_ERROR);
    const pov_status status = error ? pov_gstreamer_failure(is_gone, error, source->missing)
                                    : pov_error("it has no images that GStreamer can read");
    g_clear_pointer(&error, gst_message_unref);
    return status;
}

/* Begins. A pipeline that is not live is shown in real time, as a camera would. */
static pov_status play(gstreamer_source *source, bool *is_gone)
{
    GstStateChangeReturn changed = gst_element_set_state(source->pipeline, GST_STATE_PAUSED);
    if (changed != GST_STATE_CHANGE_NO_PREROLL && source->config.kind == POV_GSTREAMER_PIPELINE)
        g_object_set(source->images, "sync", TRUE, NULL);
    if (changed != GST_STATE_CHANGE_FAILURE)
        changed = gst_element_set_state(source->pipeline, GST_STATE_PLAYING);
    POV_TRY(read_bus(source, is_gone));
    return changed != GST_STATE_CHANGE_FAILURE ? pov_ok() : explain_failure(source, is_gone);
}

/* A camera is open when its first image has come. */
static pov_status open_camera(void *camera, bool *found, int64_t deadline_ns)
{
    gstreamer_source *source = camera;
    bool is_gone = false;
    pov_status status = pov_ok();
    if (source->is_stuck)
        status = pov_error("its last answer goes on without end; start pov again");
    else if (!source->pipeline)
        status = build(source);
    if (status.code == POV_OK && GST_STATE_TARGET(source->pipeline) == GST_STATE_NULL)
        status = play(source, &is_gone);
    if (status.code == POV_OK)
        status = pull_sample(source, &source->first, &is_gone, deadline_ns);
    if (status.code == POV_END)
        status = pov_error("it ended without an image");
    if (status.code == POV_TIMEOUT && pov_cli_stop_requested())
        status = pov_error("stopped before its first image");
    if (status.code == POV_ERROR && *source->id)
        status = pov_error("camera %s: %s", source->id, status.message);
    if (status.code == POV_OK && source->config.kind == POV_GSTREAMER_V4L2 && !*source->place.port)
        source->place = pov_video_place_of(source->config.text);
    *found = !is_gone;
    source->heard_ns = pov_clock_monotonic_ns();
    if (status.code == POV_ERROR)
        close_pipeline(source);
    return status;
}

/* ---- images ---- */

static pov_status map_image(gstreamer_source *source, pov_image *image)
{
    GstVideoInfo info;
    GstCaps *caps = gst_sample_get_caps(source->sample);
    GstBuffer *buffer = gst_sample_get_buffer(source->sample);
    image->sequence = (uint32_t)(GST_BUFFER_OFFSET(buffer) + source->lost_before);
    source->is_mapped = caps && gst_video_info_from_caps(&info, caps) &&
                        GST_VIDEO_INFO_FORMAT(&info) == GST_VIDEO_FORMAT_RGB &&
                        info.width <= POV_IMAGE_SIDE_MAX_PX && info.height <= POV_IMAGE_SIDE_MAX_PX &&
                        gst_video_frame_map(&source->frame, &info, buffer, GST_MAP_READ);
    if (!source->is_mapped)
        return pov_status_with(POV_SKIPPED, "GStreamer delivered an image that cannot be read");
    image->pixels = GST_VIDEO_FRAME_PLANE_DATA(&source->frame, 0);
    image->stride_bytes = GST_VIDEO_FRAME_PLANE_STRIDE(&source->frame, 0);
    image->width_px = info.width;
    image->height_px = info.height;
    image->mid_exposure_ns = time_of(source, source->sample);
    return pov_ok();
}

static pov_status take_sample(gstreamer_source *source, bool *is_gone, int64_t deadline_ns)
{
    release_image(source);
    source->sample = source->first;
    source->first = NULL;
    if (!source->sample)
        POV_TRY(pull_sample(source, &source->sample, is_gone, deadline_ns));
    return read_bus(source, is_gone);
}

static pov_status take_image(void *camera, pov_image *image, int64_t deadline_ns)
{
    gstreamer_source *source = camera;
    bool is_gone = false;
    const pov_status status = take_sample(source, &is_gone, deadline_ns);
    const int64_t now_ns = pov_clock_monotonic_ns();
    const bool is_silent =
        source->config.kind == POV_GSTREAMER_RTSP && now_ns - source->heard_ns > SILENCE_NS;
    if (status.code == POV_TIMEOUT && is_silent)
        return pov_status_with(POV_END, "has sent nothing for %d s", (int)(SILENCE_NS / NS_PER_S));
    if (status.code == POV_TIMEOUT)
        return status;
    if (status.code == POV_END)
        return pov_status_with(POV_END, "has ended its images");
    if (status.code == POV_ERROR)
        return pov_status_with(POV_END, "was lost (%.300s)", status.message);
    source->heard_ns = now_ns;
    return map_image(source, image);
}

static const char *id_of(const void *camera)
{
    return ((const gstreamer_source *)camera)->id;
}

static const pov_plugged_camera camera_kind = {
    .open = open_camera, .take = take_image, .close = close_pipeline, .id = id_of, .destroy = destroy_source};

/* ---- films ---- */

static void find_task(const GValue *item, gpointer found)
{
    GstElement *element = GST_ELEMENT(g_value_get_object(item));
    GST_OBJECT_LOCK(element);
    for (GList *pad = element->pads; pad; pad = pad->next) {
        GstTask *task = GST_PAD_TASK(GST_PAD(pad->data));
        *(bool *)found |= task && gst_task_get_state(task) == GST_TASK_STARTED;
    }
    GST_OBJECT_UNLOCK(element);
}

/* Whether anything in the pipeline still runs. decodebin keeps a demuxer's error to itself while it hopes for another one. */
static bool is_running(GstElement *pipeline)
{
    bool found = false;
    GstIterator *elements = gst_bin_iterate_recurse(GST_BIN(pipeline));
    while (gst_iterator_foreach(elements, find_task, &found) == GST_ITERATOR_RESYNC)
        gst_iterator_resync(elements);
    gst_iterator_free(elements);
    return found;
}

/* Waits until the film's first image is ready, and its length and date are known. */
static pov_status begin_film(gstreamer_source *source)
{
    enum { IDLE_LOOKS = 5 };
    GstStateChangeReturn changed = gst_element_set_state(source->pipeline, GST_STATE_PAUSED);
    bool is_gone = false;
    for (int idle = 0; changed == GST_STATE_CHANGE_ASYNC && idle < IDLE_LOOKS;) {
        changed = gst_element_get_state(source->pipeline, NULL, NULL, (GstClockTime)LOOK_NS);
        POV_TRY(read_bus(source, &is_gone));
        if (pov_cli_stop_requested())
            return pov_error("stopped");
        idle = is_running(source->pipeline) ? 0 : idle + 1;
    }
    POV_TRY(read_bus(source, &is_gone));
    return changed == GST_STATE_CHANGE_SUCCESS ? pov_ok() : explain_failure(source, &is_gone);
}

static int64_t to_ns(double time_s)
{
    return (int64_t)(time_s * 1e9);
}

static pov_status seek_film(const gstreamer_source *source)
{
    const pov_gstreamer_source_config *config = &source->config;
    gint64 length_ns = 0;
    if (config->from_s == 0 && config->to_s == 0)
        return pov_ok();
    if (gst_element_query_duration(source->pipeline, GST_FORMAT_TIME, &length_ns) &&
        to_ns(config->from_s) >= length_ns)
        return pov_error("it lasts %.3f s: there is nothing from %.3f s on", (double)length_ns * 1e-9,
                         config->from_s);
    const bool has_end = config->to_s > 0;
    return gst_element_seek(source->pipeline, 1, GST_FORMAT_TIME,
                            GST_SEEK_FLAG_FLUSH | GST_SEEK_FLAG_ACCURATE, GST_SEEK_TYPE_SET,
                            to_ns(config->from_s), has_end ? GST_SEEK_TYPE_SET : GST_SEEK_TYPE_NONE,
                            has_end ? to_ns(config->to_s) : -1)
               ? pov_ok()
               : pov_error("it cannot be begun at %.3f s: its format has no index", config->from_s);
}

static pov_status open_film(gstreamer_source *source)
{
    bool is_gone = false;
    POV_TRY(build(source));
    pov_status status = begin_film(source);
    if (status.code == POV_OK)
        status = seek_film(source);
    if (status.code == POV_OK &&
        gst_element_set_state(source->pipeline, GST_STATE_PLAYING) == GST_STATE_CHANGE_FAILURE)
        status = pov_error("GStreamer cannot play it");
    if (status.code == POV_OK)
        status = read_bus(source, &is_gone);
    return status.code == POV_OK ? status : pov_error("%s: %s", source->config.text, status.message);
}

/* At its end: whether it should have gone on. Said once. */
static pov_status end_film(gstreamer_source *source)
{
    gint64 length_ns = 0;
    const double to_s = source->config.to_s;
    if (!source->cut_was_told && gst_element_query_duration(source->pipeline, GST_FORMAT_TIME, &length_ns) &&
        (to_s == 0 || to_ns(to_s) > length_ns) &&
        (double)(length_ns - source->film_ns) * 1e-9 > CUT_SHORT_S) {
        source->cut_was_told = true;
        return pov_status_with(POV_SKIPPED, "%s: its images end at %.3f s of %.3f s; the file is cut short",
                               source->config.text, (double)source->film_ns * 1e-9, (double)length_ns * 1e-9);
    }
    return pov_status_of(POV_END);
}

static pov_status next_of_film(void *impl, pov_image *image, int timeout_ms)
{
    gstreamer_source *source = impl;
    bool is_gone = false;
    pov_status status =
        take_sample(source, &is_gone, pov_clock_monotonic_ns() + (int64_t)timeout_ms * NS_PER_MS);
    if (status.code == POV_END)
        status = end_film(source);
    if (status.code == POV_SKIPPED)
        pov_cli_note_damage(status.message);
    if (status.code == POV_ERROR)
        return pov_error("%s: %s", source->config.text, status.message);
    if (status.code != POV_OK)
        return status;
    status = map_image(source, image);
    image->sequence = (uint32_t)(source->statistics.delivered + source->statistics.skipped);
    snprintf(image->name, sizeof image->name, "%.*s %u", POV_IMAGE_NAME_CAPACITY - 12, source->id,
             (unsigned)image->sequence);
    source->statistics.delivered += status.code == POV_OK;
    source->statistics.skipped += status.code == POV_SKIPPED;
    if (status.code == POV_SKIPPED)
        pov_cli_note_damage(status.message);
    return status;
}

static pov_image_source_statistics film_statistics(const void *impl)
{
    return ((const gstreamer_source *)impl)->statistics;
}

static void destroy_film(void *impl)
{
    close_pipeline(impl);
    destroy_source(impl);
}

static const pov_image_source_backend film_backend = {
    .name = "film", .next = next_of_film, .statistics = film_statistics, .destroy = destroy_film};

pov_status pov_gstreamer_source_open(pov_image_source **source, const pov_gstreamer_source_config *config)
{
    *source = NULL;
    gstreamer_source *made = calloc(1, sizeof *made);
    if (!made)
        return pov_error("images: out of memory");
    made->config = *config;
    made->statistics.expected = -1;
    if (config->kind != POV_GSTREAMER_FILM)
        return pov_plugged_source_new(source, &camera_kind, made);
    const pov_status status = open_film(made);
    if (status.code == POV_OK)
        return pov_image_source_new(source, &film_backend, made);
    destroy_film(made);
    return status; /* NOLINT(clang-analyzer-unix.Malloc): a stuck pipeline keeps `made` */
}

/* ---- which cameras there are ---- */

static void add_mode(pov_libcamera_camera *camera, const GstStructure *caps)
{
    const char *format = gst_structure_get_string(caps, "format");
    pov_libcamera_mode mode = {.width_px = 0};
    snprintf(mode.pixel_format, sizeof mode.pixel_format, "%s",
             format                                       ? format
             : gst_structure_has_name(caps, "image/jpeg") ? "MJPEG"
                                                          : "coded");
    if (!gst_structure_get_int(caps, "width", &mode.width_px) ||
        !gst_structure_get_int(caps, "height", &mode.height_px))
        return;
    if (camera->mode_len < POV_LIBCAMERA_MODES_MAX)
        camera->modes[camera->mode_len++] = mode;
    else
        camera->mode_left_out++;
}

static void describe_device(pov_libcamera_camera *camera, GstDevice *device)
{
    GstStructure *properties = gst_device_get_properties(device);
    GstCaps *caps = gst_device_get_caps(device);
    gchar *name = gst_device_get_display_name(device);
    const char *path = properties ? gst_structure_get_string(properties, "device.path") : NULL;
    if (!path && properties)
        path = gst_structure_get_string(properties, "api.v4l2.path");
    snprintf(camera->id, sizeof camera->id, "%s", path ? path : name);
    snprintf(camera->model, sizeof camera->model, "%s", name);
    for (guint i = 0; caps && i < gst_caps_get_size(caps); i++)
        add_mode(camera, gst_caps_get_structure(caps, i));
    g_free(name);
    g_clear_pointer(&caps, gst_caps_unref);
    g_clear_pointer(&properties, gst_structure_free);
}

pov_status pov_gstreamer_list_cameras(pov_libcamera_list *list)
{
    *list = (pov_libcamera_list){0};
    POV_TRY(pov_gstreamer_start());
    GstDeviceMonitor *monitor = gst_device_monitor_new();
    gst_device_monitor_add_filter(monitor, "Video/Source", NULL);
    GList *devices = gst_device_monitor_get_devices(monitor);
    for (GList *device = devices; device; device = device->next) {
        if (list->len < POV_LIBCAMERA_CAMERAS_MAX)
            describe_device(&list->cameras[list->len++], device->data);
        else
            list->left_out++;
    }
    g_list_free_full(devices, gst_object_unref);
    gst_object_unref(monitor);
    return pov_ok();
}
