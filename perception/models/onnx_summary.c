#include "perception/models/onnx_summary.h"

#include <limits.h>
#include <stdint.h>
#include <string.h>

enum { GRAPH_INPUT_MAX = 1024, WEIGHTS_MAX = 16384 }; /* many files list their weights among the inputs */

/* ---- protobuf's wire format ---- */

typedef struct {
    const unsigned char *start, *at, *end;
} reader;

typedef enum { VARINT = 0, FIXED64 = 1, BYTES = 2, FIXED32 = 5 } wire_type;

typedef struct {
    uint32_t number;
    wire_type type;
    uint64_t value; /* of VARINT */
    reader bytes;   /* of BYTES */
} field;

static bool read_varint(reader *r, uint64_t *value)
{
    *value = 0;
    for (int shift = 0; shift < 64 && r->at < r->end; shift += 7) {
        const unsigned char byte = *r->at++;
        *value |= (uint64_t)(byte & 127) << shift;
        if (byte < 128)
            return true;
    }
    return false;
}

static bool skip_field(reader *r, uint64_t length)
{
    if (length > (uint64_t)(r->end - r->at))
        return false;
    r->at += length;
    return true;
}

static bool read_payload(reader *r, field *f)
{
    switch (f->type) {
    case VARINT:
        return read_varint(r, &f->value);
    case FIXED64:
        return skip_field(r, 8);
    case FIXED32:
        return skip_field(r, 4);
    case BYTES:
        if (!read_varint(r, &f->value))
            return false;
        f->bytes = (reader){r->start, r->at, r->at};
        if (!skip_field(r, f->value))
            return false;
        f->bytes.end = r->at;
        return true;
    }
    return false; /* groups, which ONNX has not, and what is not a wire type */
}

/* The next field; false at the end, and at a field that is none, which leaves `at` before the end. */
static bool next_field(reader *r, field *f)
{
    const reader from = *r;
    uint64_t tag;
    *f = (field){.type = FIXED32};
    if (r->at == r->end)
        return false;
    if (read_varint(r, &tag) && tag >> 3 != 0 && tag >> 3 <= UINT32_MAX) {
        f->number = (uint32_t)(tag >> 3);
        f->type = (wire_type)(tag & 7);
        if (read_payload(r, f))
            return true;
    }
    *r = from;
    return false;
}

static pov_status finish_summary(const reader *r, const char *what)
{
    if (r->at == r->end)
        return pov_ok();
    return pov_error("damaged, cut off, or not ONNX: %s breaks off at byte %td", what, r->at - r->start);
}

/* ---- the messages of onnx.proto3; numbers are its field numbers ---- */

static int to_int(uint64_t value)
{
    return value > INT_MAX ? 0 : (int)value;
}

static pov_onnx_text to_text(reader bytes)
{
    return (pov_onnx_text){(const char *)bytes.at, (size_t)(bytes.end - bytes.at)};
}

static bool is_text(pov_onnx_text text, const char *expected)
{
    /* the text of a field that is missing is NULL, which memcmp may not be given */
    return text.length == strlen(expected) &&
           (text.length == 0 || memcmp(text.text, expected, text.length) == 0);
}

static pov_status read_dimension(int *size, reader r)
{
    field f;
    *size = 0; /* a dimension with a name instead of a value is open */
    while (next_field(&r, &f))
        if (f.number == 1 && f.type == VARINT)
            *size = to_int(f.value);
    return finish_summary(&r, "a tensor's dimension");
}

static pov_status read_shape(pov_tensor_shape *shape, reader r)
{
    field f;
    while (next_field(&r, &f)) {
        if (f.number != 1 || f.type != BYTES)
            continue;
        if (shape->dims == POV_TENSOR_DIMS_MAX)
            return pov_error("'%s' has more than %d dimensions", shape->name, POV_TENSOR_DIMS_MAX);
        POV_TRY(read_dimension(&shape->size[shape->dims++], f.bytes));
    }
    return finish_summary(&r, "a tensor's shape");
}

/* TypeProto and, within, its Tensor: the field that is of interest, of a message of any. */
static pov_status read_within(reader *found, reader r, uint32_t number)
{
    field f;
    *found = (reader){r.start, r.end, r.end};
    while (next_field(&r, &f))
        if (f.number == number && f.type == BYTES)
            *found = f.bytes;
    return finish_summary(&r, "a tensor's type");
}

static pov_status read_value_info(pov_tensor_shape *shape, reader r)
{
    field f;
    reader type = {r.start, r.end, r.end}, tensor, dimensions;
    memset(shape, 0, sizeof *shape);
    while (next_field(&r, &f)) {
        if (f.number == 1 && f.type == BYTES) {
            const pov_onnx_text name = to_text(f.bytes);
            if (name.length >= sizeof shape->name || memchr(name.text, '\0', name.length))
                return pov_error("a tensor's name has %zu letters; up to %zu are taken", name.length,
                                 sizeof shape->name - 1);
            memcpy(shape->name, name.text, name.length);
            shape->name[name.length] = '\0';
        } else if (f.number == 2 && f.type == BYTES) {
            type = f.bytes;
        }
    }
    POV_TRY(finish_summary(&r, "a tensor's description"));
    POV_TRY(read_within(&tensor, type, 1));
    POV_TRY(read_within(&dimensions, tensor, 2));
    return read_shape(shape, dimensions);
}

typedef struct {
    pov_onnx_text name;
    bool elsewhere;
} weights;

static pov_status read_weights(weights *tensor, reader r)
{
    field f;
    *tensor = (weights){{NULL, 0}, false};
    while (next_field(&r, &f)) {
        if (f.number == 8 && f.type == BYTES)
            tensor->name = to_text(f.bytes);
        else if (f.number == 14 && f.type == VARINT)
            tensor->elsewhere = f.value == 1;
    }
    return finish_summary(&r, "a tensor of weights");
}

static bool is_weights(const char *name, reader graph)
{
    field f;
    weights tensor;
    while (next_field(&graph, &f))
        if (f.number == 5 && f.type == BYTES && read_weights(&tensor, f.bytes).code == POV_OK &&
            is_text(tensor.name, name))
            return true;
    return false;
}

static pov_status add_input(pov_onnx_summary *summary, reader bytes, reader graph)
{
    pov_tensor_shape shape;
    POV_TRY(read_value_info(&shape, bytes));
    if (is_weights(shape.name, graph))
        return pov_ok();
    if (summary->input_len == POV_ONNX_INPUT_MAX)
        return pov_error(
            "the model has more than %d inputs that are no weights; an image is one, and a size may "
            "be another",
            POV_ONNX_INPUT_MAX);
    summary->inputs[summary->input_len++] = shape;
    return pov_ok();
}

static pov_status add_output(pov_onnx_summary *summary, reader bytes)
{
    if (summary->output_len == POV_ONNX_OUTPUT_MAX)
        return pov_error("the model has more than %d outputs", POV_ONNX_OUTPUT_MAX);
    return read_value_info(&summary->outputs[summary->output_len++], bytes);
}

static pov_status check_weights(reader bytes)
{
    weights tensor;
    POV_TRY(read_weights(&tensor, bytes));
    if (tensor.elsewhere)
        return pov_error("its weights are in another file; save the model with its weights in it "
                         "(onnx.save_model(..., save_as_external_data=False))");
    return pov_ok();
}

static pov_status read_graph(pov_onnx_summary *summary, reader r)
{
    const reader graph = r;
    int input_len = 0, weights_len = 0;
    field f;
    while (next_field(&r, &f)) {
        if (f.type != BYTES)
            continue;
        if (f.number == 1)
            summary->node_len++;
        else if (f.number == 5 && ++weights_len > WEIGHTS_MAX)
            return pov_error("the model has more than %d tensors of weights", WEIGHTS_MAX);
        else if (f.number == 5)
            POV_TRY(check_weights(f.bytes));
        else if (f.number == 12)
            POV_TRY(add_output(summary, f.bytes));
        else if (f.number == 11 && ++input_len > GRAPH_INPUT_MAX)
            return pov_error("the model has more than %d inputs", GRAPH_INPUT_MAX);
        else if (f.number == 11)
            POV_TRY(add_input(summary, f.bytes, graph));
    }
    return finish_summary(&r, "the graph");
}

static pov_status read_opset(pov_onnx_summary *summary, reader r)
{
    field f;
    pov_onnx_text domain = {NULL, 0};
    int version = 0;
    while (next_field(&r, &f)) {
        if (f.number == 1 && f.type == BYTES)
            domain = to_text(f.bytes);
        else if (f.number == 2 && f.type == VARINT)
            version = to_int(f.value);
    }
    if (domain.length == 0 || is_text(domain, "ai.onnx"))
        summary->opset = version;
    return finish_summary(&r, "the opset");
}

static pov_status read_metadata(pov_onnx_summary *summary, reader r)
{
    field f;
    pov_onnx_text key = {NULL, 0}, value = {NULL, 0};
    while (next_field(&r, &f)) {
        if (f.type == BYTES && f.number == 1)
            key = to_text(f.bytes);
        else if (f.type == BYTES && f.number == 2)
            value = to_text(f.bytes);
    }
    const struct {
        const char *key;
        pov_onnx_text *value;
    } known[] = {{"names", &summary->class_names},
                 {"task", &summary->task},
                 {"kpt_shape", &summary->keypoint_shape},
                 {"imgsz", &summary->image_size}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (is_text(key, known[i].key))
            *known[i].value = value;
    return finish_summary(&r, "the metadata");
}

static pov_status read_model(pov_onnx_summary *summary, reader r)
{
    reader graph = {r.start, r.end, r.end};
    field f;
    while (next_field(&r, &f)) {
        if (f.number == 1 && f.type == VARINT)
            summary->ir_version = to_int(f.value);
        else if (f.number == 2 && f.type == BYTES)
            summary->producer = to_text(f.bytes);
        else if (f.number == 7 && f.type == BYTES)
            graph = f.bytes;
        else if (f.number == 8 && f.type == BYTES)
            POV_TRY(read_opset(summary, f.bytes));
        else if (f.number == 14 && f.type == BYTES)
            POV_TRY(read_metadata(summary, f.bytes));
    }
    POV_TRY(finish_summary(&r, "the model"));
    return read_graph(summary, graph);
}

static pov_status check_model(const pov_onnx_summary *summary)
{
    if (summary->opset < POV_ONNX_OPSET_MIN || summary->opset > POV_ONNX_OPSET_MAX)
        return pov_error("opset %d; export the model with an opset of %d to 17, best 12", summary->opset,
                         POV_ONNX_OPSET_MIN);
    if (summary->node_len == 0 || summary->input_len == 0 || summary->output_len == 0)
        return pov_error("the model has %d nodes, %d inputs and %d outputs; it needs some of each",
                         summary->node_len, summary->input_len, summary->output_len);
    return pov_ok();
}

pov_status pov_onnx_summary_read(pov_onnx_summary *summary, const void *bytes, size_t length)
{
    const unsigned char *start = bytes;
    memset(summary, 0, sizeof *summary);
    pov_status status = length == 0 ? pov_error("an empty file is no ONNX model")
                                    : read_model(summary, (reader){start, start, start + length});
    POV_THEN(status, check_model(summary));
    if (status.code != POV_OK)
        memset(summary, 0, sizeof *summary);
    return status;
}
