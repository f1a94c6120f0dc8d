/* A file of an enrolled object. Its checksum is made to fit, so that the fields are reached; what is read must be usable. */
#include "config/objects/appearance_file.h"
#include "perception/objects/object_finder.h"

#include <zlib.h>

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

enum { HEADER = 20 };

/* A short input stands for a file whose rest is 0x3e: numbers that may be, 0.19 as floats. */
static size_t make_file(uint8_t *file, size_t capacity, const uint8_t *bytes, size_t length)
{
    memset(file, 0x3e, capacity);
    memcpy(file, bytes, length < capacity ? length : capacity);
    uint32_t payload;
    memcpy(&payload, file + 12, sizeof payload);
    const size_t rest = payload % (capacity - HEADER);
    payload = (uint32_t)rest;
    memcpy(file + 12, &payload, sizeof payload);
    const uint32_t checksum = (uint32_t)crc32(0, file + HEADER, (uInt)rest);
    memcpy(file + 16, &checksum, sizeof checksum);
    return HEADER + rest;
}

static void use(const pov_appearance_data *data)
{
    static pov_patch patch;
    pov_appearance *appearance;
    pov_likeness likeness;
    appearance = pov_appearance_new(data);
    if (!appearance)
        abort();
    pov_appearance_match(appearance, &likeness, &patch);
    for (int i = 0; i < likeness.view.len; i++)
        if (!isfinite(likeness.view.mode[i].yaw_rad) || !(likeness.view.mode[i].weight >= 0))
            abort();
    pov_appearance_destroy(&appearance);
}

/* Any portraits give finite places only. */
static void find(const pov_portraits *portraits)
{
    enum { WIDTH = 160, HEIGHT = 120 };
    static uint8_t pixels[3 * WIDTH * HEIGHT];
    const pov_camera camera = {
        .width_px = WIDTH, .height_px = HEIGHT, .fx_px = 150, .fy_px = 150, .cx_px = 79.5, .cy_px = 59.5};
    const pov_image image = {
        .pixels = pixels, .width_px = WIDTH, .height_px = HEIGHT, .stride_bytes = 3 * WIDTH, .name = "noise"};
    const pov_pose pose = pov_pose_exact(
        pov_transform_look_at((pov_vec3){1, 0, 0.8}, (pov_vec3){0, 0, 0}, (pov_vec3){0, 0, 1}));
    const pov_object_finder_config config = {.kind_len = 1,
                                             .kinds = {{.portraits = portraits, .stands_on_std_m = 0.001}}};
    pov_object_finder *finder;
    pov_object_findings findings;
    if (portraits->len == 0)
        return;
    for (size_t i = 0; i < sizeof pixels; i++)
        pixels[i] = (uint8_t)(i * i >> 7);
    if (pov_object_finder_new(&finder, &config, &camera).code != POV_OK ||
        pov_object_finder_run(finder, &findings, &image, &pose, NULL, NULL).code != POV_OK)
        abort();
    const pov_object_finding *finding = &findings.findings[0];
    if (!(finding->p_none >= 0) || (finding->found && !isfinite(finding->position.mean_m.x)))
        abort();
    pov_object_finder_destroy(&finder);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    enum { CAPACITY = 1 << 16 };
    static uint8_t file[CAPACITY];
    pov_appearance_data *data = malloc(sizeof *data);
    pov_portraits *portraits = malloc(sizeof *portraits);
    if (!data || !portraits)
        abort();
    pov_status status = pov_enrolled_parse(data, portraits, "thing.pov", bytes, length);
    if (status.code != POV_OK)
        status =
            pov_enrolled_parse(data, portraits, "thing.pov", file, make_file(file, CAPACITY, bytes, length));
    if (status.code == POV_OK && crc32(0, bytes, (uInt)length) % 256 == 0) {
        use(data); /* it takes its time */
        find(portraits);
    } else if (status.code != POV_OK &&
               (data->view_len != 0 || portraits->len != 0 || status.message[0] == '\0'))
        abort();
    free(data);
    free(portraits);
    return 0;
}
