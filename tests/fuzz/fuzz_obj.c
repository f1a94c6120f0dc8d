/* A body and its materials: the bytes before the first "~" are the OBJ file, those after it the MTL file. */
#include "sim/bodies/obj_file.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

typedef struct {
    const uint8_t *obj, *mtl;
    size_t obj_len, mtl_len;
} input;

static pov_status load(void *context, char **bytes, size_t *len, const char *path)
{
    const input *input = context;
    const bool is_body = strcmp(path, "a/body.obj") == 0;
    *len = is_body ? input->obj_len : input->mtl_len;
    *bytes = calloc(1, *len + 1);
    if (!*bytes)
        abort();
    if (*len > 0)
        memcpy(*bytes, is_body ? input->obj : input->mtl, *len);
    return pov_ok();
}

static pov_status decode(void *context, pov_image *image, const char *path, const void *bytes, size_t len)
{
    static const uint8_t pixel[3];
    (void)context;
    if (((const char *)bytes)[len] != '\0' || strlen(path) == 0)
        abort();
    *image = (pov_image){.width_px = 1, .height_px = 1, .stride_bytes = 3, .pixels = pixel};
    return pov_ok();
}

static void check(const pov_model *model)
{
    const pov_model_parts parts = pov_model_read(model);
    for (int i = 0; i < parts.vertex_len; i++) {
        for (int k = 0; k < 3; k++) {
            if (!isfinite(parts.positions_m[i][k]) || !isfinite(parts.normals[i][k]))
                abort();
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    const uint8_t *cut = length ? memchr(bytes, '~', length) : NULL;
    input input = {.obj = bytes, .obj_len = cut ? (size_t)(cut - bytes) : length};
    input.mtl = cut ? cut + 1 : NULL;
    input.mtl_len = cut ? length - input.obj_len - 1 : 0;
    const pov_obj_source source = {load, &input, decode, NULL};
    pov_model *model = pov_model_new();
    const pov_status status = pov_obj_read(model, &source, "a/body.obj");
    if (status.code == POV_OK ? pov_model_read(model).triangle_len == 0 : status.message[0] == '\0')
        abort();
    check(model);
    pov_model_destroy(&model);
    return 0;
}
