#include "config/objects/appearance_file.h"

#include "config/objects/appearance_file_internal.h"
#include "config/objects/portrait_file.h"

#include "config/files/read_file.h"
#include "config/files/write_file.h"
#include "perception/geometry/geom.h"

#include <zlib.h>

#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "numbers are stored as they are in memory");

/* Then the fields, in the order of `pass_all`; from version 2 on, portraits (portrait_file.c). Version 3 added
 * the local doubts. */
typedef struct {
    char magic[8];
    uint32_t version, length, checksum; /* of the fields; CRC-32 */
} header;

static const char magic[8] = {'p', 'o', 'v', ' ', 'o', 'b', 'j', '\n'};
enum { VERSION = 3, FIRST_VERSION = 1, AREA = POV_PATCH_AREA, SYMMETRY_MAX = POV_HEADING_MODES_MAX };

static bool is_countable(const pov_appearance_data *data)
{
    return data->view_len >= POV_VIEW_MIN && data->view_len <= POV_VIEW_MAX && data->dimension >= 1 &&
           data->dimension <= POV_APPEARANCE_DIMENSION_MAX;
}

/* Versions before 3 had the same doubt all around. */
static void pass_local_doubts(passage *p, pov_appearance_data *data, uint32_t version)
{
    if (version >= 3)
        pass(p, data->local_doubt, (size_t)data->view_len * sizeof *data->local_doubt);
    else
        for (int i = 0; i < data->view_len; i++)
            data->local_doubt[i] = 1;
}

static void pass_all(passage *p, pov_appearance_data *data, uint32_t version)
{
    int has_front = data->has_front;
    pass_integer(p, &data->view_len);
    pass_integer(p, &data->dimension);
    pass_integer(p, &data->symmetry);
    pass_integer(p, &has_front);
    data->has_front = has_front == 1;
    pass_integer(p, &data->image_width_px);
    pass_integer(p, &data->image_height_px);
    double *const numbers[] = {&data->front_rad,       &data->widening,    &data->doubt,
                               &data->residual,        &data->unexplained, &data->expected_error_rad,
                               &data->worst_error_rad, &data->square.x_px, &data->square.y_px,
                               &data->square.side_px};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        pass(p, numbers[i], sizeof(double));
    if (p->is_short || !is_countable(data))
        return;
    const size_t views = (size_t)data->view_len, dimension = (size_t)data->dimension;
    pass(p, data->angle_rad, views * sizeof *data->angle_rad);
    pass_local_doubts(p, data, version);
    pass(p, data->box, views * sizeof *data->box);
    pass(p, data->weight, sizeof data->weight);
    pass(p, data->mean, sizeof data->mean);
    pass(p, data->axis, dimension * sizeof *data->axis);
    for (size_t i = 0; i < views; i++)
        pass(p, data->place[i], dimension * sizeof(float));
}

static bool all_within(const float *values, size_t len, float low, float high)
{
    for (size_t i = 0; i < len; i++)
        if (!(values[i] >= low && values[i] <= high))
            return false;
    return true;
}

static bool in_order(const pov_appearance_data *data)
{
    for (int i = 0; i < data->view_len; i++)
        if (!isfinite(data->angle_rad[i]) || (i > 0 && data->angle_rad[i] - data->angle_rad[i - 1] < 1e-4) ||
            data->angle_rad[i] - data->angle_rad[0] > 2 * POV_PI - 1e-9 || fabs(data->angle_rad[i]) > 100)
            return false;
    return true;
}

static bool is_error(double error_rad)
{
    return isnan(error_rad) || (error_rad >= 0 && error_rad <= POV_PI + 1e-9);
}

/* The field that cannot be, or NULL. */
static const char *wrong_field(const pov_appearance_data *data)
{
    const size_t views = (size_t)data->view_len;
    if (data->symmetry < 0 || data->symmetry > SYMMETRY_MAX)
        return "symmetry";
    if (!isfinite(data->front_rad))
        return "front";
    if (!(data->widening >= 1 && data->widening < 1e6) || !(data->doubt > 1e-6 && data->doubt < 1e9) ||
        !(data->residual > 1e-6 && data->residual < 1e6) ||
        !(data->unexplained > 1e-6 && data->unexplained < 1))
        return "scatter";
    for (size_t i = 0; i < views; i++)
        if (!(data->local_doubt[i] >= 1 && data->local_doubt[i] < 1e6))
            return "scatter by angle";
    if (!is_error(data->expected_error_rad) || !is_error(data->worst_error_rad))
        return "expected error";
    if (data->image_width_px < 1 || data->image_height_px < 1 || !(data->square.side_px >= 1) ||
        !isfinite(data->square.side_px) || !isfinite(data->square.x_px + data->square.y_px))
        return "square";
    if (!in_order(data))
        return "angles";
    for (size_t i = 0; i < views; i++)
        if (!all_within(data->box[i], 2, -POV_PATCH_SIDE, POV_PATCH_SIDE) ||
            !all_within(data->box[i] + 2, 2, -4, 4) ||
            !all_within(data->place[i], (size_t)data->dimension, -1e5F, 1e5F))
            return "views";
    if (!all_within(data->weight, AREA, 1e-6F, 1e3F))
        return "weights";
    if (!all_within(data->mean, AREA, -1e4F, 1e4F) ||
        !all_within(data->axis[0], (size_t)data->dimension * AREA, -1.001F, 1.001F))
        return "axes";
    return NULL;
}

static pov_status check_header(const header *head, const char *name, size_t length)
{
    if (memcmp(head->magic, magic, sizeof magic) != 0)
        return pov_error("%s: is not an enrolled object; 'pov enrol NAME' writes one", name);
    if (length >= sizeof *head && (head->version < FIRST_VERSION || head->version > VERSION))
        return pov_error("%s: has version %u, this pov reads %d to %d; enrol the object again", name,
                         head->version, FIRST_VERSION, VERSION);
    if (length < sizeof *head || head->length != length - sizeof *head)
        return pov_error("%s: holds %zu bytes, which is not what its header says: it was cut off or changed; "
                         "copy it again, or enrol again",
                         name, length);
    return pov_ok();
}

static pov_status pass_fields(passage *p, pov_appearance_data *data, uint32_t version, const char *name)
{
    pass_all(p, data, version);
    if (!p->is_short && !is_countable(data))
        return pov_error("%s: has %d views in %d dimensions; %d to %d and 1 to %d can be", name,
                         data->view_len, data->dimension, POV_VIEW_MIN, POV_VIEW_MAX,
                         POV_APPEARANCE_DIMENSION_MAX);
    if (p->is_short)
        return pov_error("%s: its length does not fit its %d views; enrol the object again", name,
                         data->view_len);
    const char *wrong = wrong_field(data);
    return wrong ? pov_error("%s: its %s cannot be; enrol the object again", name, wrong) : pov_ok();
}

static pov_status parse_appearance(pov_appearance_data *data, pov_portraits *portraits, const char *name,
                                   const unsigned char *bytes, size_t length)
{
    header head = {{0}, 0, 0, 0};
    memcpy(&head, bytes, length < sizeof head ? length : sizeof head);
    POV_TRY(check_header(&head, name, length));
    passage p = {.bytes = (unsigned char *)(uintptr_t)(bytes + sizeof head), .length = head.length};
    if (crc32(0, p.bytes, (uInt)p.length) != head.checksum)
        return pov_error("%s: is damaged (its checksum differs): copy it again, or enrol again", name);
    POV_TRY(pass_fields(&p, data, head.version, name));
    if (head.version >= 2)
        return pass_portraits(&p, portraits, name);
    return p.at == p.length ? pov_ok()
                            : pov_error("%s: its length does not fit its %d views; enrol the object again",
                                        name, data->view_len);
}

pov_status pov_enrolled_parse(pov_appearance_data *data, pov_portraits *portraits, const char *name,
                              const void *bytes, size_t length)
{
    memset(data, 0, sizeof *data);
    memset(portraits, 0, sizeof *portraits);
    const pov_status status = parse_appearance(data, portraits, name, bytes, length);
    if (status.code != POV_OK) {
        memset(data, 0, sizeof *data);
        memset(portraits, 0, sizeof *portraits);
        return status;
    }
    portraits->symmetry = data->symmetry;
    portraits->has_front = data->has_front;
    portraits->front_rad = data->front_rad;
    return status;
}

pov_status pov_enrolled_read(pov_appearance_data *data, pov_portraits *portraits, const char *path)
{
    pov_bytes bytes = {0};
    memset(data, 0, sizeof *data);
    memset(portraits, 0, sizeof *portraits);
    pov_status status = pov_read_file(&bytes, path, POV_APPEARANCE_FILE_MAX, "an enrolled object");
    POV_THEN(status, pov_enrolled_parse(data, portraits, path, bytes.data, bytes.length));
    pov_bytes_free(&bytes);
    return status;
}

pov_status pov_portraits_read(pov_portraits *portraits, const char *path)
{
    pov_appearance_data *unwanted = malloc(sizeof *unwanted);
    const pov_status status =
        unwanted ? pov_enrolled_read(unwanted, portraits, path) : pov_error("%s: out of memory", path);
    free(unwanted);
    return status;
}

pov_status pov_enrolled_write(const char *path, const pov_appearance_data *data,
                              const pov_portraits *portraits, size_t *length)
{
    static_assert(sizeof *data + sizeof *portraits + 1000 < POV_APPEARANCE_FILE_MAX,
                  "what is written can be read");
    pov_write_file file;
    const size_t room = sizeof *data + sizeof *portraits + 1000; /* the fields take no more */
    passage p = {.bytes = calloc(room, 1), .length = room, .writes = true};
    pov_appearance_data *copy = malloc(sizeof *copy);
    pov_status status =
        p.bytes && copy ? pov_write_file_begin(&file, path) : pov_error("%s: out of memory", path);
    if (status.code == POV_OK) {
        *copy = *data;
        pass_all(&p, copy, VERSION);
        status = pass_portraits(&p, (pov_portraits *)(uintptr_t)portraits, path);
        header head = {.version = VERSION,
                       .length = (uint32_t)p.at,
                       .checksum = (uint32_t)crc32(0, p.bytes, (uInt)p.at)};
        memcpy(head.magic, magic, sizeof magic);
        fwrite(&head, sizeof head, 1, file.stream);
        fwrite(p.bytes, 1, p.at, file.stream);
        status = pov_write_file_end(&file, status);
        if (length)
            *length = sizeof head + p.at;
    }
    free(p.bytes);
    free(copy);
    return status;
}
