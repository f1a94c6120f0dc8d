#include "firmware/ask/scene_source.h"

#include "config/files/json_value.h"
#include "config/scene/scene_file.h"
#include "firmware/cli.h"
#include "perception/observation/observation.h"
#include "protocol/observation/message.h"
#include "protocol/recording/recording.h"

#include <cJSON.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SLICE_MS = 200 };

struct pov_scene_source {
    pov_scene_source_config config;
    char where[256];
    pov_scene scene; /* a file's, or a line's */
    pov_visibility *sights;
    int sight_len;
    pov_cameras_look cameras;
    char image[POV_IMAGE_NAME_CAPACITY];
    char camera[POV_NAME_CAPACITY]; /* that took it; "": it has no id */
    uint32_t sequence;
    int64_t capture_ns;
    uint64_t calibration_hash;
    FILE *lines;              /* a .jsonl file */
    pov_recording *recording; /* a .mcap file */
    pov_subscriber *subscriber;
    pov_codec *codec; /* of recordings and stations */
    pov_observation *observation;
    pov_scene_source *all; /* the same file, read through for "when"; made when it is needed */
    pov_talk_images images;
    pov_status damage; /* of a recording */
};

/* -------- a line of pov run --json -------- */

static pov_id id_of(const pov_scene *scene, const cJSON *object, const char *key)
{
    const char *name = cJSON_GetStringValue(cJSON_GetObjectItem(object, key));
    return name ? pov_scene_find(scene, name) : POV_ID_NONE;
}

/* As docs/JSON.md has it. False: it names what the scene has not. */
static bool read_sight(pov_visibility *sight, const pov_scene *scene, const cJSON *item)
{
    const char *verdict = cJSON_GetStringValue(cJSON_GetObjectItem(item, "verdict")),
               *cause = cJSON_GetStringValue(cJSON_GetObjectItem(item, "cause"));
    const cJSON *occluder;
    *sight = (pov_visibility){
        .viewer = id_of(scene, item, "viewer"),
        .target = id_of(scene, item, "target"),
        .sees = {pov_json_number_of(item, "p"), pov_json_number_of(item, "p_std"), POV_VERDICT_UNDEFINED},
        .fraction_visible = pov_json_number_of(item, "fraction_visible"),
        .fraction_expected = pov_json_number_of(item, "fraction_expected"),
        .fraction_out_of_view = pov_json_number_of(item, "fraction_out_of_view"),
        .fraction_hidden = pov_json_number_of(item, "fraction_hidden"),
        .fraction_out_of_range = pov_json_number_of(item, "fraction_out_of_range"),
        .size_rad = pov_json_number_of(item, "size_deg") * POV_DEG,
        .cause = POV_CAUSE_NONE};
    for (int i = 0; i < POV_VERDICT_COUNT && verdict; i++)
        if (strcmp(verdict, pov_verdict_name((pov_verdict)i)) == 0)
            sight->sees.verdict = (pov_verdict)i;
    for (int i = 0; i < POV_CAUSE_COUNT && cause; i++)
        if (strcmp(cause, pov_cause_name((pov_cause)i)) == 0)
            sight->cause = (pov_cause)i;
    cJSON_ArrayForEach(occluder, cJSON_GetObjectItem(item, "occluders"))
    {
        pov_id id = id_of(scene, occluder, "id");
        if (id != POV_ID_NONE && sight->occluder_len < POV_OCCLUDERS_MAX)
            sight->occluders[sight->occluder_len++] =
                (pov_occluder){id, pov_json_number_of(occluder, "share")};
    }
    return sight->viewer != POV_ID_NONE && sight->target != POV_ID_NONE;
}

/* The station's judgments of visibility, and the name of their image. */
static pov_status read_judged(pov_scene_source *self, const char *line, size_t length)
{
    cJSON *object = pov_json_parse(line, length);
    const cJSON *item, *image = cJSON_GetObjectItem(object, "image"),
                       *list = cJSON_GetObjectItem(object, "visibility");
    const char *name = cJSON_GetStringValue(cJSON_GetObjectItem(image, "name")),
               *camera = cJSON_GetStringValue(cJSON_GetObjectItem(image, "camera")),
               *hash = cJSON_GetStringValue(cJSON_GetObjectItem(image, "calibration")),
               *capture = strstr(line, "\"capture_ns\":");
    int len = cJSON_GetArraySize(list);
    snprintf(self->image, sizeof self->image, "%s", name ? name : "");
    snprintf(self->camera, sizeof self->camera, "%s", camera ? camera : "");
    self->sequence = (uint32_t)fmax(0, pov_json_number_of(image, "sequence"));
    self->capture_ns =
        capture ? strtoll(capture + strlen("\"capture_ns\":"), NULL, 10) : 0; /* no double holds it */
    self->calibration_hash = hash ? strtoull(hash, NULL, 16) : 0;
    self->sights = calloc((size_t)len + 1, sizeof *self->sights);
    cJSON_ArrayForEach(item, list)
    {
        if (self->sights && read_sight(&self->sights[self->sight_len], &self->scene, item))
            self->sight_len++;
    }
    cJSON_Delete(object);
    pov_scene_mark_viewers(&self->scene, self->sights, self->sight_len);
    return self->sights ? pov_ok() : pov_error("out of memory");
}

static pov_status next_line(pov_scene_source *self)
{
    char *line = NULL;
    size_t capacity = 0;
    ssize_t length = getline(&line, &capacity, self->lines);
    while (length > 0 && line[0] != '{')
        length = getline(&line, &capacity, self->lines);
    free(self->sights);
    self->sights = NULL;
    self->sight_len = 0;
    pov_status status = length > 0 ? pov_scene_file_parse(&self->scene, self->where, line, (size_t)length)
                                   : pov_status_of(POV_END);
    POV_THEN(status, read_judged(self, line, (size_t)length));
    free(line);
    return status;
}

/* -------- recordings -------- */

static pov_status next_recorded(pov_scene_source *self)
{
    pov_recorded_event event;
    pov_message message = {.observation = self->observation};
    pov_status status;
    do {
        status = pov_recording_next(self->recording, &event);
        if (status.code != POV_OK || event.topic != POV_RECORDED_OBSERVATION)
            continue;
        status = pov_codec_decode(self->codec, &message, event.message.bytes, event.message.len);
        if (status.code == POV_OK)
            return status;
        pov_recording_note_damage(self->recording, &event.message, &status);
        status.code = POV_SKIPPED;
    } while (status.code == POV_OK || status.code == POV_SKIPPED);
    return status;
}

static bool has_images(const pov_scene_source *self)
{
    return self->lines || self->recording;
}

static void note_camera(pov_scene_source *self)
{
    const pov_observation *o = self->observation;
    if (o)
        pov_cameras_look_note(&self->cameras, o->image.camera, o->image.capture_ns, &o->scene, o->sights,
                              o->sight_len);
    else
        pov_cameras_look_note(&self->cameras, self->camera, self->capture_ns, &self->scene, self->sights,
                              self->sight_len);
}

static pov_status next_image(pov_scene_source *self)
{
    POV_TRY(self->lines ? next_line(self) : next_recorded(self));
    note_camera(self);
    return pov_ok();
}

static void rewind_images(pov_scene_source *self)
{
    self->cameras.len = 0;
    if (self->lines)
        rewind(self->lines);
    else
        pov_recording_seek(self->recording, INT64_MIN);
}

static void tell_about(pov_scene_source *self, pov_talk_about *about)
{
    pov_observation *o = self->observation;
    if (o)
        pov_scene_mark_viewers(&o->scene, o->sights, o->sight_len);
    *about = o ? (pov_talk_about){.scene = &o->scene,
                                  .sights = o->sights,
                                  .sight_len = o->sight_len,
                                  .image = o->image.name,
                                  .sequence = o->image.sequence,
                                  .capture_ns = o->image.capture_ns,
                                  .calibration_hash = o->image.calibration_hash}
               : (pov_talk_about){.scene = &self->scene,
                                  .sights = self->sights,
                                  .sight_len = self->sight_len,
                                  .image = *self->image ? self->image : NULL,
                                  .sequence = self->sequence,
                                  .capture_ns = self->capture_ns,
                                  .calibration_hash = self->calibration_hash};
    about->cameras = has_images(self) || self->subscriber ? &self->cameras : NULL;
    if (has_images(self))
        about->images = &self->images;
}

/* The last image, or the last of the name that is asked for, or the one at the time that is. */
static pov_status choose_image(pov_scene_source *self)
{
    const pov_scene_source_config *c = &self->config;
    int chosen = -1, images = 0;
    int64_t first_ns = 0;
    pov_talk_about about;
    pov_status status;
    for (rewind_images(self); (status = next_image(self)).code == POV_OK; images++) {
        tell_about(self, &about);
        if (images == 0)
            first_ns = about.capture_ns;
        if (c->at_s >= 0 ? chosen < 0 || (double)(about.capture_ns - first_ns) * 1e-9 <= c->at_s
                         : c->image[0] == '\0' || (about.image && strcmp(about.image, c->image) == 0))
            chosen = images;
    }
    if (status.code != POV_END)
        return status;
    if (self->recording)
        self->damage = pov_recording_damage(self->recording);
    if (images == 0 && self->damage.code != POV_OK)
        return self->damage;
    if (images == 0)
        return pov_error("%s: it has no image that was judged; write one by 'pov run STATION %s %s'",
                         self->where, self->lines ? "--json >" : "--record", self->where);
    if (c->at_s >= 0 && c->at_s > (double)(about.capture_ns - first_ns) * 1e-9 + 1)
        return pov_error("%s ends %.0f s after its first image; --at is beyond", self->where,
                         (double)(about.capture_ns - first_ns) * 1e-9);
    if (chosen < 0)
        return pov_error("%s: none of its %d images is called \"%s\"; leave --image out for the last",
                         self->where, images, c->image);
    rewind_images(self);
    for (int i = 0; i <= chosen; i++)
        POV_TRY(next_image(self));
    return pov_ok();
}

static pov_status open_source(pov_scene_source *self);

/* One after the other, for "when". */
static pov_status walk_images(void *context, pov_talk_about *about, bool first)
{
    pov_scene_source *self = context;
    if (!self->all) {
        self->all = calloc(1, sizeof *self->all);
        if (!self->all)
            return pov_error("out of memory");
        self->all->config = self->config;
        strcpy(self->all->where, self->where);
        POV_TRY(open_source(self->all));
    }
    if (first)
        rewind_images(self->all);
    POV_TRY(next_image(self->all));
    tell_about(self->all, about);
    about->images = NULL;
    return pov_ok();
}

/* -------- a station -------- */

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static pov_status make_codec(pov_scene_source *self)
{
    self->observation = calloc(1, sizeof *self->observation);
    return self->observation ? pov_codec_new(&self->codec) : pov_error("out of memory");
}

/* POV_TIMEOUT: nothing was waiting. */
static pov_status take_message(pov_scene_source *self, int timeout_ms)
{
    const uint8_t *bytes;
    size_t length;
    pov_message message = {.observation = self->observation};
    POV_TRY(pov_subscriber_next(self->subscriber, &bytes, &length, timeout_ms));
    POV_TRY(pov_codec_decode(self->codec, &message, bytes, length));
    note_camera(self);
    return pov_ok();
}

/* The newest of those that wait; if there is none, the next to come. */
static pov_status take_newest(pov_scene_source *self)
{
    bool heard = false;
    pov_status status = take_message(self, 0);
    for (; status.code == POV_OK; status = take_message(self, 0))
        heard = true;
    if (heard && status.code == POV_TIMEOUT)
        return pov_ok();
    for (double start_s = now_s();
         status.code == POV_TIMEOUT && now_s() - start_s < self->config.timeout_s;) {
        if (pov_cli_stop_requested())
            return pov_status_of(POV_END);
        status = take_message(self, SLICE_MS);
    }
    return status.code != POV_TIMEOUT
               ? status
               : pov_error(
                     "nothing came from %s in %g s: is pov running there, does it publish on this endpoint, "
                     "and does a firewall let it through?",
                     self->where, self->config.timeout_s);
}

/* -------- either -------- */

static bool ends_with(const char *text, const char *ending)
{
    size_t length = strlen(text), tail = strlen(ending);
    return length >= tail && strcmp(text + length - tail, ending) == 0;
}

static pov_status open_source(pov_scene_source *self)
{
    const pov_scene_source_config *c = &self->config;
    if (strstr(self->where, "://")) {
        POV_TRY(make_codec(self));
        return pov_door_subscribe(&self->subscriber, &c->client, self->where, POV_TOPIC_OBSERVATION);
    }
    if (pov_recording_is_one(self->where)) {
        POV_TRY(make_codec(self));
        return pov_recording_open(&self->recording, self->where);
    }
    if (!ends_with(self->where, ".jsonl"))
        return pov_scene_file_read(&self->scene, self->where);
    self->lines = fopen(self->where, "r");
    return self->lines ? pov_ok() : pov_error("%s: %s", self->where, strerror(errno));
}

pov_status pov_scene_source_new(pov_scene_source **source, const pov_scene_source_config *config)
{
    *source = NULL;
    pov_scene_source *self = calloc(1, sizeof *self);
    if (!self)
        return pov_error("out of memory");
    self->config = *config;
    self->images = (pov_talk_images){self, walk_images};
    snprintf(self->where, sizeof self->where, "%s", config->where);
    pov_status status = open_source(self);
    if (status.code == POV_OK && has_images(self))
        status = choose_image(self);
    else if (status.code == POV_OK && (config->image[0] != '\0' || config->at_s >= 0))
        status = pov_error("%s chooses among the images of a recording (.mcap) or a .jsonl file; %s is none",
                           config->at_s >= 0 ? "--at" : "--image", config->where);
    if (status.code == POV_OK)
        *source = self;
    else
        pov_scene_source_destroy(&self);
    return status;
}

void pov_scene_source_destroy(pov_scene_source **source)
{
    pov_scene_source *self = *source;
    if (!self)
        return;
    pov_scene_source_destroy(&self->all);
    pov_subscriber_destroy(&self->subscriber);
    pov_recording_close(&self->recording);
    pov_codec_destroy(&self->codec);
    if (self->lines)
        fclose(self->lines);
    free(self->observation);
    free(self->sights);
    free(self);
    *source = NULL;
}

pov_status pov_scene_source_next(pov_scene_source *self, pov_talk_about *about)
{
    if (self->subscriber)
        POV_TRY(take_newest(self));
    tell_about(self, about);
    return pov_ok();
}

pov_status pov_scene_source_damage(const pov_scene_source *source)
{
    return source->damage;
}
