#include "firmware/sources/recording_source.h"

#include "firmware/cli.h"
#include "firmware/picture/image_file.h"
#include "perception/scene/scene.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    pov_recording *recording;
    pov_image_file *decoder;
    char camera[POV_NAME_CAPACITY]; /* "": of any */
    pov_image_source_statistics statistics;
} recording_source;

bool pov_recording_is_video(const char *path)
{
    pov_recording *recording;
    const char *value = "";
    if (!pov_recording_is_one(path) || pov_recording_open(&recording, path).code != POV_OK)
        return false;
    const bool is_video =
        pov_mcap_reader_metadata(pov_recording_reader(recording), &value, POV_RECORDING_SESSION, "video")
                .code == POV_OK &&
        strcmp(value, "true") == 0;
    pov_recording_close(&recording);
    return is_video;
}

static bool is_wanted(const recording_source *source, const char *camera)
{
    return !*source->camera || strcmp(source->camera, camera) == 0;
}

static pov_status skip_image(recording_source *source, pov_status status)
{
    source->statistics.skipped++;
    pov_cli_note_damage(status.message);
    status.code = POV_SKIPPED;
    return status;
}

static pov_status next_image(void *impl, pov_image *image, int timeout_ms)
{
    recording_source *source = impl;
    pov_recorded_event event;
    (void)timeout_ms; /* nothing here takes long */
    do {
        const pov_status status = pov_recording_next(source->recording, &event);
        if (status.code == POV_SKIPPED)
            return skip_image(source, status);
        POV_TRY(status);
    } while (event.topic != POV_RECORDED_IMAGE || !is_wanted(source, event.camera));
    const pov_status status =
        pov_image_file_decode(source->decoder, image, event.image.name, event.image.bytes, event.image.len);
    if (status.code != POV_OK)
        return skip_image(source, status);
    memcpy(image->name, event.image.name, sizeof image->name);
    image->mid_exposure_ns = event.image.capture_ns;
    image->sequence = event.image.sequence;
    source->statistics.delivered++;
    return status;
}

static pov_image_source_statistics statistics_of(const void *impl)
{
    return ((const recording_source *)impl)->statistics;
}

static void destroy_source(void *impl)
{
    recording_source *source = impl;
    pov_recording_close(&source->recording);
    pov_image_file_destroy(&source->decoder);
    free(source);
}

static bool exchange_pixels(void *impl, uint8_t **pixels, size_t *capacity)
{
    pov_image_file_exchange(((recording_source *)impl)->decoder, pixels, capacity);
    return true;
}

static const pov_image_source_backend recording_backend = {.name = "recording",
                                                           .next = next_image,
                                                           .statistics = statistics_of,
                                                           .destroy = destroy_source,
                                                           .exchange = exchange_pixels};

/* Damage before the first image, or none was recorded. */
static pov_status explain_no_image(pov_recording *recording, const char *path, const char *camera)
{
    pov_recorded_event event;
    if (*camera)
        return pov_error("%s: has no images of a camera '%s'; 'pov info' lists the cameras that it has", path,
                         camera);
    pov_status status;
    do
        status = pov_recording_next(recording, &event);
    while (status.code == POV_OK);
    return status.code == POV_END ? pov_error("%s: is a recording without images", path)
                                  : pov_error("no image can be read: %s", status.message);
}

static bool is_topic_wanted(const recording_source *source, const char *topic)
{
    char own[POV_NAME_CAPACITY + 32];
    snprintf(own, sizeof own, "/camera/%s/image", source->camera);
    return !*source->camera || strcmp(topic, own) == 0;
}

static pov_status open_source(recording_source *source, const char *path)
{
    POV_TRY(pov_recording_open(&source->recording, path));
    if (!*source->camera)
        POV_TRY(pov_recording_check_camera(source->recording, "this command"));
    POV_TRY(pov_image_file_new(&source->decoder));
    const pov_mcap_reader *reader = pov_recording_reader(source->recording);
    const pov_mcap_contents *contents = pov_mcap_reader_contents(reader);
    for (int i = 0; i < contents->channel_len; i++) {
        const pov_mcap_schema *schema = pov_mcap_reader_schema(reader, contents->channels[i].schema);
        if (schema && strcmp(schema->name, "foxglove.CompressedImage") == 0 &&
            is_topic_wanted(source, contents->channels[i].topic))
            source->statistics.expected += (int64_t)contents->channel_messages[i];
    }
    return source->statistics.expected > 0 ? pov_ok()
                                           : explain_no_image(source->recording, path, source->camera);
}

pov_status pov_recording_source_new(pov_image_source **source, const char *path, const char *camera)
{
    *source = NULL;
    recording_source *impl = calloc(1, sizeof *impl);
    if (!impl)
        return pov_error("%s: out of memory", path);
    snprintf(impl->camera, sizeof impl->camera, "%s", camera);
    const pov_status status = open_source(impl, path);
    if (status.code != POV_OK) {
        destroy_source(impl);
        return status;
    }
    return pov_image_source_new(source, &recording_backend, impl);
}
