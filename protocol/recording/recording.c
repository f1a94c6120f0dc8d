#include "protocol/recording/recording.h"

#include "config/files/utf8.h"
#include "foxglove/foxglove.pb-c.h"
#include "pov.pb-c.h"
#include "protocol/recording/recording_schemas.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static const int64_t NS_PER_S = 1000000000;

/* ---- topics ---- */

typedef struct {
    const char *topic, *schema, *descriptors;
} topic_facts;

static const topic_facts topics[] = {
    [POV_RECORDED_OBSERVATION] = {"observation", "pov.Envelope", "pov.fds"},
    [POV_RECORDED_SCENE] = {"scene", "pov.Envelope", "pov.fds"},
    [POV_RECORDED_HEALTH] = {"health", "pov.Envelope", "pov.fds"},
    [POV_RECORDED_ASK] = {"ask", "pov.Envelope", "pov.fds"},
    [POV_RECORDED_HEADER] = {"/camera/header", "pov.ImageHeader", "pov.fds"},
    [POV_RECORDED_IMAGE] = {"/camera/image", "foxglove.CompressedImage", "foxglove.fds"},
    [POV_RECORDED_CALIBRATION] = {"/camera/calibration", "foxglove.CameraCalibration", "foxglove.fds"},
    [POV_RECORDED_TRANSFORMS] = {"/tf", "foxglove.FrameTransforms", "foxglove.fds"},
    [POV_RECORDED_THINGS] = {"/scene", "foxglove.SceneUpdate", "foxglove.fds"},
    [POV_RECORDED_ANNOTATIONS] = {"/camera/annotations", "foxglove.ImageAnnotations", "foxglove.fds"},
    [POV_RECORDED_LOG] = {"/log", "foxglove.Log", "foxglove.fds"},
    [POV_RECORDED_MARKER] = {"/marker", "foxglove.Log", "foxglove.fds"},
    [POV_RECORDED_VLM] = {"vlm", "pov.Envelope", "pov.fds"},
};
_Static_assert(sizeof topics / sizeof *topics == POV_RECORDED_COUNT, "one a topic");

const char *pov_recorded_topic(pov_recorded topic)
{
    return topics[topic].topic;
}

pov_recorded pov_recorded_find(const char *topic)
{
    for (int i = 0; i < POV_RECORDED_COUNT; i++)
        if (strcmp(topics[i].topic, topic) == 0)
            return (pov_recorded)i;
    return POV_RECORDED_COUNT;
}

/* The id of a topic's schema: that of the first topic that has it. */
static uint16_t schema_id(int topic)
{
    int first = 0;
    while (strcmp(topics[first].schema, topics[topic].schema) != 0)
        first++;
    return (uint16_t)(first + 1);
}

/* ---- several cameras ---- */

#define OF_CAMERA "/camera/"

const pov_recorded_camera pov_recorded_only_camera = {0, ""};

static bool is_of_camera(pov_recorded topic)
{
    return strncmp(topics[topic].topic, OF_CAMERA, strlen(OF_CAMERA)) == 0;
}

uint16_t pov_recorded_channel(pov_recorded topic, const pov_recorded_camera *camera)
{
    return (uint16_t)(POV_RECORDED_COUNT * (is_of_camera(topic) ? camera->number : 0) + topic + 1);
}

pov_recorded pov_recorded_of_channel(uint16_t channel)
{
    return (pov_recorded)((channel - 1) % POV_RECORDED_COUNT);
}

/* "/camera/ID/image" as "/camera/image" and ID, which is cut off where it does not fit: then it is no camera's. */
pov_recorded pov_recorded_find_camera(char id[POV_IMAGE_NAME_CAPACITY], const char *topic)
{
    char plain[64];
    const char *begin = topic + strlen(OF_CAMERA), *end;
    *id = '\0';
    if (strncmp(topic, OF_CAMERA, strlen(OF_CAMERA)) != 0 || !(end = strchr(begin, '/')) || end == begin ||
        end - begin >= POV_IMAGE_NAME_CAPACITY || strlen(end) > 32)
        return pov_recorded_find(topic);
    snprintf(plain, sizeof plain, "%s%s", OF_CAMERA, end + 1);
    memcpy(id, begin, (size_t)(end - begin));
    id[end - begin] = '\0';
    return pov_recorded_find(plain);
}

int pov_recorded_places(pov_recorded_place places[POV_RECORDED_CHANNEL_MAX],
                        const pov_recorded_camera *cameras, int len)
{
    int count = 0;
    for (pov_recorded topic = 0; topic < POV_RECORDED_COUNT; topic++) {
        const bool of_each = is_of_camera(topic) && len > 1;
        for (int i = 0; i < (of_each ? len : 1); i++)
            places[count++] = (pov_recorded_place){topic, of_each ? &cameras[i] : &pov_recorded_only_camera};
    }
    return count;
}

void pov_recorded_describe(pov_mcap_channel *channel, pov_mcap_schema *schema,
                           char name[POV_RECORDED_TOPIC_CAPACITY], const pov_recorded_place *place)
{
    const char *topic = topics[place->topic].topic;
    const pov_embedded_file *set =
        pov_embedded_find(POV_RECORDING_DESCRIPTORS, topics[place->topic].descriptors);
    *schema = (pov_mcap_schema){schema_id(place->topic), topics[place->topic].schema, "protobuf", set->bytes,
                                set->len};
    if (place->camera->number > 0)
        snprintf(name, POV_RECORDED_TOPIC_CAPACITY, "%s%s/%s", OF_CAMERA, place->camera->id,
                 topic + strlen(OF_CAMERA));
    else
        snprintf(name, POV_RECORDED_TOPIC_CAPACITY, "%s", topic);
    *channel = (pov_mcap_channel){.id = pov_recorded_channel(place->topic, place->camera),
                                  .schema = schema->id,
                                  .topic = name,
                                  .encoding = "protobuf"};
}

pov_status pov_recording_begin(pov_mcap_writer *writer, const pov_recorded_camera *cameras, int len)
{
    pov_recorded_place places[POV_RECORDED_CHANNEL_MAX];
    const int count = pov_recorded_places(places, cameras, len);
    for (int i = 0; i < count; i++) {
        char name[POV_RECORDED_TOPIC_CAPACITY];
        pov_mcap_channel channel;
        pov_mcap_schema schema;
        pov_recorded_describe(&channel, &schema, name, &places[i]);
        const bool is_first = i == 0 || places[i].topic != places[i - 1].topic;
        if (is_first && schema.id == places[i].topic + 1)
            POV_TRY(pov_mcap_writer_schema(writer, &schema));
        POV_TRY(pov_mcap_writer_channel(writer, &channel));
    }
    return pov_ok();
}

/* ---- packing ---- */

struct pov_recording_packer {
    uint8_t *bytes;
    size_t capacity;
};

pov_status pov_recording_packer_new(pov_recording_packer **packer)
{
    *packer = calloc(1, sizeof **packer);
    return *packer ? pov_ok() : pov_error("recording: out of memory");
}

void pov_recording_packer_destroy(pov_recording_packer **packer)
{
    if (!*packer)
        return;
    free((*packer)->bytes);
    free(*packer);
    *packer = NULL;
}

static pov_status pack_message(pov_recording_packer *packer, pov_mcap_message *to, uint16_t channel,
                               const ProtobufCMessage *message)
{
    const size_t len = protobuf_c_message_get_packed_size(message);
    if (len > packer->capacity) {
        uint8_t *grown = realloc(packer->bytes, len);
        if (!grown)
            return pov_error("recording: no memory for a message of %zu bytes", len);
        packer->bytes = grown;
        packer->capacity = len;
    }
    to->channel = channel;
    to->bytes = packer->bytes;
    to->len = protobuf_c_message_pack(message, packer->bytes);
    return pov_ok();
}

static Google__Protobuf__Timestamp timestamp_of(int64_t ns)
{
    Google__Protobuf__Timestamp stamp = GOOGLE__PROTOBUF__TIMESTAMP__INIT;
    stamp.seconds = ns / NS_PER_S - (ns % NS_PER_S < 0);
    stamp.nanos = (int32_t)(ns - stamp.seconds * NS_PER_S);
    return stamp;
}

pov_status pov_recording_pack_header(pov_recording_packer *packer, pov_mcap_message *message,
                                     const pov_recorded_image *image, const pov_recorded_camera *of)
{
    char name[POV_IMAGE_NAME_CAPACITY];
    Pov__ImageHeader header = POV__IMAGE_HEADER__INIT;
    pov_utf8_copy(name, sizeof name, image->name);
    header.name = name;
    header.sequence = image->sequence;
    header.capture_ns = image->capture_ns;
    header.width_px = (uint32_t)image->width_px;
    header.height_px = (uint32_t)image->height_px;
    header.camera = (char *)(of->number > 0 ? of->id : "");
    return pack_message(packer, message, pov_recorded_channel(POV_RECORDED_HEADER, of), &header.base);
}

/* The frame of a camera's images, in Foxglove's tree. */
static const char *frame_of(const pov_recorded_camera *camera)
{
    return camera->number > 0 ? camera->id : "camera";
}

static bool is_png(const uint8_t *bytes, size_t len)
{
    return len >= 4 && memcmp(bytes, "\x89PNG", 4) == 0;
}

pov_status pov_recording_pack_image(pov_recording_packer *packer, pov_mcap_message *message,
                                    const pov_recorded_image *image, const pov_recorded_camera *of)
{
    Google__Protobuf__Timestamp stamp = timestamp_of(image->capture_ns);
    Foxglove__CompressedImage wire = FOXGLOVE__COMPRESSED_IMAGE__INIT;
    wire.timestamp = &stamp;
    wire.frame_id = (char *)frame_of(of); /* packing only reads */
    wire.format = (char *)(is_png(image->bytes, image->len) ? "png" : "jpeg");
    wire.data.data = (uint8_t *)image->bytes;
    wire.data.len = image->len;
    return pack_message(packer, message, pov_recorded_channel(POV_RECORDED_IMAGE, of), &wire.base);
}

pov_status pov_recording_pack_calibration(pov_recording_packer *packer, pov_mcap_message *message,
                                          const pov_camera *camera, const pov_recorded_camera *of,
                                          int64_t now_ns)
{
    const bool is_fisheye = camera->lens == POV_LENS_EQUIDISTANT;
    const double *d = camera->distortion;
    const bool is_rational = d[5] != 0 || d[6] != 0 || d[7] != 0;
    Google__Protobuf__Timestamp stamp = timestamp_of(now_ns);
    Foxglove__CameraCalibration wire = FOXGLOVE__CAMERA_CALIBRATION__INIT;
    double K[9] = {camera->fx_px, 0, camera->cx_px, 0, camera->fy_px, camera->cy_px, 0, 0, 1},
           R[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    double P[12] = {camera->fx_px, 0, camera->cx_px, 0, 0, camera->fy_px, camera->cy_px, 0, 0, 0, 1, 0};
    wire.timestamp = &stamp;
    wire.frame_id = (char *)frame_of(of);
    wire.width = (uint32_t)camera->width_px;
    wire.height = (uint32_t)camera->height_px;
    wire.distortion_model = (char *)(is_fisheye    ? "kannala_brandt"
                                     : is_rational ? "rational_polynomial"
                                                   : "plumb_bob");
    wire.d = (double *)d;
    wire.n_d = is_fisheye ? 4 : is_rational ? 8 : 5;
    wire.k = K;
    wire.n_k = 9;
    wire.r = R;
    wire.n_r = 9;
    wire.p = P;
    wire.n_p = 12;
    return pack_message(packer, message, pov_recorded_channel(POV_RECORDED_CALIBRATION, of), &wire.base);
}

static const struct {
    const char *name;
    Foxglove__Log__Level level;
} severities[] = {{"info", FOXGLOVE__LOG__LEVEL__INFO},
                  {"warning", FOXGLOVE__LOG__LEVEL__WARNING},
                  {"error", FOXGLOVE__LOG__LEVEL__ERROR}};
enum { SEVERITIES = sizeof severities / sizeof *severities };

pov_status pov_recording_pack_line(pov_recording_packer *packer, pov_mcap_message *message,
                                   pov_recorded topic, const char *severity, const char *text)
{
    char plain[1024];
    Google__Protobuf__Timestamp stamp = timestamp_of(message->log_ns);
    Foxglove__Log wire = FOXGLOVE__LOG__INIT;
    pov_utf8_copy(plain, sizeof plain, text);
    wire.timestamp = &stamp;
    wire.message = plain;
    wire.name = (char *)"pov";
    for (int i = 0; i < SEVERITIES; i++)
        if (strcmp(severity, severities[i].name) == 0)
            wire.level = severities[i].level;
    return pack_message(packer, message, pov_recorded_channel(topic, &pov_recorded_only_camera), &wire.base);
}

/* ---- reading ---- */

struct pov_recording {
    char *path;
    int descriptor;
    pov_mcap_reader *reader;
    /* borrowed by the last event */
    Foxglove__CompressedImage *image;
    Foxglove__Log *log;
    /* of the next image */
    bool has_header;
    pov_recorded_image header;
    uint32_t images;
    uint64_t damaged_places;
    char first_damage[POV_MESSAGE_CAPACITY];
};

static pov_status read_descriptor(void *context, void *bytes, uint64_t at, size_t len)
{
    const pov_recording *recording = context;
    for (size_t done = 0; done < len;) {
        const ssize_t got =
            pread(recording->descriptor, (char *)bytes + done, len - done, (off_t)(at + done));
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return pov_error("%s: cannot be read at byte %llu: %s", recording->path,
                             (unsigned long long)at + done,
                             got < 0 ? strerror(errno) : "it has become shorter");
        done += (size_t)got;
    }
    return pov_ok();
}

bool pov_recording_is_one(const char *path)
{
    char start[POV_MCAP_MAGIC_BYTES] = "";
    struct stat facts;
    if (stat(path, &facts) != 0 || !S_ISREG(facts.st_mode))
        return false;
    FILE *file = fopen(path, "rb");
    const size_t got = file ? fread(start, 1, sizeof start, file) : 0;
    if (file)
        fclose(file);
    return got == sizeof start && memcmp(start, POV_MCAP_MAGIC, sizeof start) == 0;
}

/* writes: nobody else does so from now on. */
static pov_status open_file(pov_recording *recording, const char *path, bool writes)
{
    struct stat facts;
    recording->descriptor = -1;
    recording->path = strdup(path);
    if (!recording->path)
        return pov_error("%s: out of memory", path);
    recording->descriptor = open(path, (writes ? O_RDWR : O_RDONLY) | O_CLOEXEC | O_NONBLOCK);
    if (recording->descriptor < 0 || fstat(recording->descriptor, &facts) != 0)
        return pov_error("%s: cannot be read: %s%s", path, strerror(errno),
                         errno == ENOENT ? "; 'pov run STATION.yaml --record FILE.mcap' makes a recording"
                                         : "");
    if (!S_ISREG(facts.st_mode))
        return pov_error("%s: is not a file; name a recording (.mcap)", path);
    if (writes &&
        (flock(recording->descriptor, LOCK_EX | LOCK_NB) != 0 || fstat(recording->descriptor, &facts) != 0))
        return pov_error("%s: is still being recorded", path);
    const pov_mcap_input input = {recording->path, recording, (uint64_t)facts.st_size, read_descriptor};
    return pov_mcap_reader_new(&recording->reader, &input);
}

static pov_status open_with(pov_recording **recording, const char *path, bool writes)
{
    *recording = calloc(1, sizeof **recording);
    if (!*recording)
        return pov_error("%s: out of memory", path);
    const pov_status status = open_file(*recording, path, writes);
    if (status.code != POV_OK)
        pov_recording_close(recording);
    return status;
}

pov_status pov_recording_open(pov_recording **recording, const char *path)
{
    return open_with(recording, path, false);
}

static void free_event(pov_recording *recording)
{
    if (recording->image)
        foxglove__compressed_image__free_unpacked(recording->image, NULL);
    if (recording->log)
        foxglove__log__free_unpacked(recording->log, NULL);
    recording->image = NULL;
    recording->log = NULL;
}

void pov_recording_close(pov_recording **recording)
{
    pov_recording *self = *recording;
    if (!self)
        return;
    free_event(self);
    pov_mcap_reader_destroy(&self->reader);
    if (self->descriptor >= 0)
        close(self->descriptor);
    free(self->path);
    free(self);
    *recording = NULL;
}

pov_mcap_reader *pov_recording_reader(pov_recording *recording)
{
    return recording->reader;
}

pov_status pov_recording_check_camera(const pov_recording *recording, const char *what)
{
    const pov_mcap_contents *contents = pov_mcap_reader_contents(recording->reader);
    char id[POV_IMAGE_NAME_CAPACITY];
    int cameras = 0;
    for (int i = 0; i < contents->channel_len; i++)
        cameras += pov_recorded_find_camera(id, contents->channels[i].topic) == POV_RECORDED_IMAGE && *id;
    return cameras < 2
               ? pov_ok()
               : pov_error("%s: holds %d cameras, and %s takes one: make a recording of one of them with "
                           "'pov cut %s ONE.mcap --camera ID' ('pov info' lists their topics)",
                           recording->path, cameras, what, recording->path);
}

/* Out: camera: the id of one of several cameras; "": of the only one, or of none. */
static pov_recorded topic_of(char camera[POV_IMAGE_NAME_CAPACITY], const pov_recording *recording,
                             uint16_t id)
{
    *camera = '\0';
    const pov_mcap_channel *channel = pov_mcap_reader_channel(recording->reader, id);
    const pov_mcap_schema *schema =
        channel ? pov_mcap_reader_schema(recording->reader, channel->schema) : NULL;
    if (!schema || strcmp(channel->encoding, "protobuf") != 0)
        return POV_RECORDED_COUNT;
    const pov_recorded topic = pov_recorded_find_camera(camera, channel->topic);
    if (strcmp(schema->name, topics[POV_RECORDED_IMAGE].schema) == 0) {
        if (topic != POV_RECORDED_IMAGE) /* another program's */
            *camera = '\0';
        return POV_RECORDED_IMAGE;
    }
    return topic < POV_RECORDED_COUNT && strcmp(schema->name, topics[topic].schema) == 0 ? topic
                                                                                         : POV_RECORDED_COUNT;
}

static pov_status bad_message(const pov_recording *recording, const pov_mcap_message *message,
                              const char *kind)
{
    return pov_status_with(POV_SKIPPED, "%s: %s %u, recorded at %lld ns, is damaged", recording->path, kind,
                           message->sequence, (long long)message->log_ns);
}

static void take_header(pov_recording *recording, const pov_mcap_message *message)
{
    Pov__ImageHeader *header = pov__image_header__unpack(NULL, message->len, message->bytes);
    recording->has_header = header != NULL;
    if (!header)
        return;
    recording->header = (pov_recorded_image){.sequence = header->sequence, .capture_ns = header->capture_ns};
    pov_utf8_copy(recording->header.name, sizeof recording->header.name, header->name);
    pov__image_header__free_unpacked(header, NULL);
}

/* Images of other programs have no header: they are named by their number. */
static pov_status take_image(pov_recording *recording, pov_recorded_event *event)
{
    const pov_mcap_message *message = &event->message;
    Foxglove__CompressedImage *wire = recording->image =
        foxglove__compressed_image__unpack(NULL, message->len, message->bytes);
    if (!wire)
        return bad_message(recording, message, "image");
    pov_recorded_image *image = &event->image;
    if (recording->has_header) {
        *image = recording->header;
    } else {
        image->sequence = recording->images;
        image->capture_ns = message->log_ns;
        if (wire->timestamp && wire->timestamp->seconds > INT64_MIN / NS_PER_S + 4 &&
            wire->timestamp->seconds < INT64_MAX / NS_PER_S - 4)
            image->capture_ns = wire->timestamp->seconds * NS_PER_S + wire->timestamp->nanos;
        snprintf(image->name, sizeof image->name, "image_%06u", image->sequence);
    }
    recording->has_header = false;
    recording->images++;
    memcpy(image->camera, event->camera, sizeof image->camera);
    image->bytes = wire->data.data;
    image->len = wire->data.len;
    return pov_ok();
}

static pov_status take_log(pov_recording *recording, pov_recorded_event *event)
{
    Foxglove__Log *wire = recording->log =
        foxglove__log__unpack(NULL, event->message.len, event->message.bytes);
    if (!wire)
        return bad_message(recording, &event->message, "log line");
    event->text = wire->message;
    event->severity = "info";
    for (int i = 0; i < SEVERITIES; i++)
        if (wire->level == severities[i].level)
            event->severity = severities[i].name;
    return pov_ok();
}

static pov_status take_event(pov_recording *recording, pov_recorded_event *event)
{
    POV_TRY(pov_mcap_reader_next(recording->reader, &event->message));
    event->topic = topic_of(event->camera, recording, event->message.channel);
    if (event->topic == POV_RECORDED_HEADER)
        take_header(recording, &event->message);
    if (event->topic == POV_RECORDED_IMAGE)
        return take_image(recording, event);
    return event->topic == POV_RECORDED_LOG || event->topic == POV_RECORDED_MARKER
               ? take_log(recording, event)
               : pov_ok();
}

static void count_damage(pov_recording *recording, const pov_status *why)
{
    if (recording->damaged_places++ == 0)
        snprintf(recording->first_damage, sizeof recording->first_damage, "%s", why->message);
}

pov_status pov_recording_next(pov_recording *recording, pov_recorded_event *event)
{
    free_event(recording);
    *event = (pov_recorded_event){.topic = POV_RECORDED_COUNT};
    const pov_status status = take_event(recording, event);
    if (status.code == POV_SKIPPED)
        count_damage(recording, &status);
    return status;
}

void pov_recording_seek(pov_recording *recording, int64_t log_ns)
{
    pov_mcap_reader_seek(recording->reader, log_ns);
    recording->has_header = false;
    recording->images = 0;
    recording->damaged_places = 0;
}

void pov_recording_note_damage(pov_recording *recording, const pov_mcap_message *message,
                               const pov_status *why)
{
    const pov_status status = pov_error("%.150s: a message recorded at %lld ns is damaged: %.150s",
                                        recording->path, (long long)message->log_ns, why->message);
    count_damage(recording, &status);
}

uint64_t pov_recording_damaged_places(const pov_recording *recording)
{
    return recording->damaged_places;
}

pov_status pov_recording_damage(const pov_recording *recording)
{
    if (recording->damaged_places == 0)
        return pov_ok();
    const unsigned long long others = recording->damaged_places - 1;
    return others == 0 ? pov_error("%.350s; this was left out", recording->first_damage)
                       : pov_error("%.320s; this and %llu other damaged places were left out",
                                   recording->first_damage, others);
}

/* ---- mending ---- */

typedef struct {
    const pov_recording *recording;
    const uint64_t *keep;
    bool is_cut;
} mender;

static pov_status write_end(void *context, const void *bytes, size_t len)
{
    mender *self = context;
    const int descriptor = self->recording->descriptor;
    if (!self->is_cut && ftruncate(descriptor, (off_t)*self->keep) != 0)
        return pov_error("%s: cannot be mended: %s", self->recording->path, strerror(errno));
    self->is_cut = true;
    for (size_t done = 0; done < len;) {
        const ssize_t put =
            pwrite(descriptor, (const char *)bytes + done, len - done, (off_t)(*self->keep + done));
        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0)
            return pov_error("%s: cannot be mended: %s; its messages are unharmed", self->recording->path,
                             strerror(errno));
        done += (size_t)put;
    }
    return fsync(descriptor) == 0
               ? pov_ok()
               : pov_error("%s: cannot be mended: %s", self->recording->path, strerror(errno));
}

pov_status pov_recording_repair(uint64_t *cut, const char *path)
{
    pov_recording *recording;
    uint64_t keep = 0;
    *cut = 0;
    POV_TRY(open_with(&recording, path, true));
    mender self = {.recording = recording, .keep = &keep};
    const pov_mcap_sink sink = {&self, write_end};
    const uint64_t size = pov_mcap_reader_input(recording->reader)->size;
    const pov_status status = pov_mcap_repair(&keep, recording->reader, &sink);
    if (status.code == POV_OK)
        *cut = size - keep;
    pov_recording_close(&recording);
    return status;
}
