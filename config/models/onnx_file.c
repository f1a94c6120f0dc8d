#include "config/models/onnx_file.h"

static const char kind[] = "an ONNX model";

/* A model's first field is one of the first few, which are small, or the graph; never what zeros, pictures or archives
 * begin with. */
static pov_status check_start(const char *path)
{
    unsigned char start[2];
    size_t length = sizeof start;
    POV_TRY(pov_read_file_start(start, &length, path, POV_ONNX_BYTES_MAX, kind));
    const int number = start[0] >> 3, type = start[0] & 7;
    if (length == sizeof start && number >= 1 && number <= 14 && (type == 0 || type == 2))
        return pov_ok();
    return pov_error("%s: does not begin as %s does; is it the right file, and whole?", path, kind);
}

pov_status pov_onnx_file_read(pov_bytes *bytes, pov_onnx_summary *summary, const char *path)
{
    *bytes = (pov_bytes){0};
    POV_TRY(check_start(path));
    POV_TRY(pov_read_file(bytes, path, POV_ONNX_BYTES_MAX, kind));
    const pov_status status = pov_onnx_summary_read(summary, bytes->data, bytes->length);
    if (status.code == POV_OK)
        return status;
    pov_bytes_free(bytes);
    return pov_error("%s: %s", path, status.message);
}
