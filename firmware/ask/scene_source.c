#include "firmware/ask/scene_source.h"

#include "config/scene/scene_file.h"
#include "firmware/cli.h"
#include "protocol/observation/message.h"

#include <cJSON.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SLICE_MS = 200 };

struct pov_scene_source {
    pov_scene scene;        /* a file's */
    pov_visibility *sights; /* of a line of a .jsonl file */
    int sight_len;
    char image[POV_IMAGE_NAME_CAPACITY];
    uint32_t sequence;
    int64_t capture_ns;
    uint64_t calibration_hash;
    double timeout_s;
    char where[256];
    pov_subscriber *subscriber; /* a station's; NULL: a file's */
    pov_codec *codec;
    pov_observation *observation;
};

/* -------- a line of pov run --json -------- */

static bool is_of_image(const char *line, size_t length, const char *image)
{
    cJSON *object = cJSON_ParseWithLength(line, length);
    const cJSON *header = cJSON_GetObjectItem(object, "image");
    const char *name = cJSON_GetStringValue(cJSON_GetObjectItem(header, "name"));
    bool found = name && strcmp(name, image) == 0;
    cJSON_Delete(object);
    return found;
}

/* The last line, or the last of the image that is asked for. */
static char *choose_line(size_t *length, int *images, FILE *file, const char *image)
{
    char *line = NULL, *chosen = NULL;
    size_t capacity = 0;
    for (ssize_t read; (read = getline(&line, &capacity, file)) > 0;) {
        if (line[0] != '{')
            continue;
        ++*images;
        if (image[0] != '\0' && !(strstr(line, image) && is_of_image(line, (size_t)read, image)))
            continue;
        free(chosen);
        chosen = strndup(line, (size_t)read);
        *length = (size_t)read;
    }
    free(line);
    return chosen;
}

static double number_of(const cJSON *object, const char *key)
{
    const cJSON *value = cJSON_GetObjectItem(object, key);
    return cJSON_IsNumber(value) ? value->valuedouble : NAN;
}

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
    *sight = (pov_visibility){.viewer = id_of(scene, item, "viewer"),
                              .target = id_of(scene, item, "target"),
                              .sees = {number_of(item, "p"), number_of(item, "p_std"), POV_VERDICT_UNDEFINED},
                              .fraction_visible = number_of(item, "fraction_visible"),
                              .fraction_expected = number_of(item, "fraction_expected"),
                              .fraction_out_of_view = number_of(item, "fraction_out_of_view"),
                              .fraction_hidden = number_of(item, "fraction_hidden"),
                              .fraction_out_of_range = number_of(item, "fraction_out_of_range"),
                              .size_rad = number_of(item, "size_rad"),
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
            sight->occluders[sight->occluder_len++] = (pov_occluder){id, number_of(occluder, "share")};
    }
    return sight->viewer != POV_ID_NONE && sight->target != POV_ID_NONE;
}

/* Whose sight was judged can see, though neither a line nor a message tells its field of view. */
static void mark_viewers(pov_scene *scene, const pov_visibility *sights, int len)
{
    for (int i = 0; i < len; i++) {
        pov_entity *viewer = &scene->entities[sights[i].viewer];
        if (sights[i].cause == POV_CAUSE_NOT_A_VIEWER || viewer->can_see)
            continue;
        viewer->can_see = true;
        viewer->field = (pov_field_of_view){.shape = POV_FIELD_CONE,
                                            .half_horizontal_rad = POV_PI,
                                            .half_vertical_rad = POV_PI,
                                            .far_m = INFINITY};
    }
}

/* What the station judged of who sees what, and of which image. */
static pov_status read_judged(pov_scene_source *self, const char *line, size_t length)
{
    cJSON *object = cJSON_ParseWithLength(line, length);
    const cJSON *item, *image = cJSON_GetObjectItem(object, "image"),
                       *list = cJSON_GetObjectItem(object, "visibility");
    const char *name = cJSON_GetStringValue(cJSON_GetObjectItem(image, "name")),
               *hash = cJSON_GetStringValue(cJSON_GetObjectItem(image, "calibration")),
               *capture = strstr(line, "\"capture_ns\":");
    int len = cJSON_GetArraySize(list);
    snprintf(self->image, sizeof self->image, "%s", name ? name : "");
    self->sequence = (uint32_t)fmax(0, number_of(image, "sequence"));
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
    mark_viewers(&self->scene, self->sights, self->sight_len);
    return self->sights ? pov_ok() : pov_error("out of memory");
}

static pov_status read_line_of(pov_scene_source *self, const pov_scene_source_config *config)
{
    size_t length = 0;
    int images = 0;
    FILE *file = fopen(config->where, "r");
    if (!file)
        return pov_error("%s: %s", config->where, strerror(errno));
    char *line = choose_line(&length, &images, file, config->image);
    fclose(file);
    if (!line && images == 0)
        return pov_error("%s: no line of it is an image; write one by 'pov run STATION --json > %s'",
                         config->where, config->where);
    if (!line)
        return pov_error("%s: none of its %d images is called \"%s\"; leave --image out for the last",
                         config->where, images, config->image);
    pov_status status = pov_scene_file_parse(&self->scene, config->where, line, length);
    if (status.code == POV_OK)
        status = read_judged(self, line, length);
    free(line);
    return status;
}

/* -------- a station -------- */

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static pov_status connect_to(pov_scene_source *self, const pov_scene_source_config *config)
{
    self->observation = calloc(1, sizeof *self->observation);
    if (!self->observation)
        return pov_error("out of memory");
    POV_TRY(pov_codec_new(&self->codec));
    return pov_door_subscribe(&self->subscriber, &config->client, config->where, POV_TOPIC_OBSERVATION);
}

/* POV_TIMEOUT: nothing was waiting. */
static pov_status take_message(pov_scene_source *self, int timeout_ms)
{
    const uint8_t *bytes;
    size_t length;
    pov_message message = {.observation = self->observation};
    POV_TRY(pov_subscriber_next(self->subscriber, &bytes, &length, timeout_ms));
    return pov_codec_decode(self->codec, &message, bytes, length);
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
    for (double start_s = now_s(); status.code == POV_TIMEOUT && now_s() - start_s < self->timeout_s;) {
        if (pov_cli_stop_requested())
            return pov_status_of(POV_END);
        status = take_message(self, SLICE_MS);
    }
    return status.code != POV_TIMEOUT
               ? status
               : pov_error(
                     "nothing came from %s in %g s: is pov running there, does it publish on this endpoint, "
                     "and does a firewall let it through?",
                     self->where, self->timeout_s);
}

/* -------- either -------- */

static bool ends_with(const char *text, const char *ending)
{
    size_t length = strlen(text), tail = strlen(ending);
    return length >= tail && strcmp(text + length - tail, ending) == 0;
}

static pov_status open_source(pov_scene_source *self, const pov_scene_source_config *config)
{
    bool lines = ends_with(config->where, ".jsonl");
    if (config->image[0] != '\0' && !lines)
        return pov_error("--image chooses among the images of a .jsonl file; %s is none", config->where);
    if (strstr(config->where, "://"))
        return connect_to(self, config);
    return lines ? read_line_of(self, config) : pov_scene_file_read(&self->scene, config->where);
}

pov_status pov_scene_source_new(pov_scene_source **source, const pov_scene_source_config *config)
{
    *source = NULL;
    pov_scene_source *self = calloc(1, sizeof *self);
    if (!self)
        return pov_error("out of memory");
    self->timeout_s = config->timeout_s;
    snprintf(self->where, sizeof self->where, "%s", config->where);
    pov_status status = open_source(self, config);
    if (status.code == POV_OK)
        *source = self;
    else
        pov_scene_source_destroy(&self);
    return status;
}

void pov_scene_source_destroy(pov_scene_source **source)
{
    if (!*source)
        return;
    pov_subscriber_destroy(&(*source)->subscriber);
    pov_codec_destroy(&(*source)->codec);
    free((*source)->observation);
    free((*source)->sights);
    free(*source);
    *source = NULL;
}

pov_status pov_scene_source_next(pov_scene_source *self, pov_talk_about *about)
{
    *about = (pov_talk_about){.scene = &self->scene,
                              .sights = self->sights,
                              .sight_len = self->sight_len,
                              .image = *self->image ? self->image : NULL,
                              .sequence = self->sequence,
                              .capture_ns = self->capture_ns,
                              .calibration_hash = self->calibration_hash};
    if (!self->subscriber)
        return pov_ok();
    POV_TRY(take_newest(self));
    pov_observation *o = self->observation;
    mark_viewers(&o->scene, o->sights, o->sight_len);
    *about = (pov_talk_about){.scene = &o->scene,
                              .sights = o->sights,
                              .sight_len = o->sight_len,
                              .image = o->image.name,
                              .sequence = o->image.sequence,
                              .capture_ns = o->image.capture_ns,
                              .calibration_hash = o->image.calibration_hash};
    return pov_ok();
}

bool pov_scene_source_is_live(const pov_scene_source *self)
{
    return self->subscriber != NULL;
}
