#include "perception/models/detector.h"

#include "perception/image/opencv_c.h"
#include "perception/models/detector_decode.h"
#include "perception/models/heading_decode.h"
#include "perception/models/model_contract.h"
#include "perception/models/network.h"
#include "perception/models/onnx_summary.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Place of the scaled image in the input, in its pixels. */
typedef struct {
    int image_width_px, image_height_px;
    int left_px, top_px, width_px, height_px;
} input_fit;

/* ---- an image as input ---- */

static int scaled_side(double side, double scale, int room)
{
    const int scaled = (int)lround(side * scale);
    return scaled < 1 ? 1 : scaled > room ? room : scaled;
}

static input_fit letterbox_of(const pov_model_input *input, int image_width_px, int image_height_px)
{
    const int width = pov_model_input_width(input), height = pov_model_input_height(input);
    const double across = (double)width / image_width_px, down = (double)height / image_height_px;
    const double scale = fmin(across, down);
    input_fit box = {image_width_px, image_height_px, 0, 0, width, height};
    if (input->fit == POV_FIT_STRETCH)
        return box;
    box.width_px = scaled_side(image_width_px, scale, width);
    box.height_px = scaled_side(image_height_px, scale, height);
    if (input->fit == POV_FIT_LETTERBOX_CENTRE) {
        box.left_px = (width - box.width_px) / 2;
        box.top_px = (height - box.height_px) / 2;
    }
    return box;
}

static double undo_scale(double edge, int start_px, int length_px, int image_px)
{
    const double in_image = (edge - start_px) * image_px / length_px;
    return fmin(fmax(in_image, 0), image_px) - 0.5;
}

/* Edges in the input (0: the left edge of its first pixel) to edges in the image as in pov_pixel_box, cut at its rim. */
static pov_pixel_box undo_letterbox(const input_fit *letterbox, double left, double top, double right,
                                    double bottom)
{
    const input_fit *l = letterbox;
    return (pov_pixel_box){undo_scale(left, l->left_px, l->width_px, l->image_width_px),
                           undo_scale(top, l->top_px, l->height_px, l->image_height_px),
                           undo_scale(right, l->left_px, l->width_px, l->image_width_px),
                           undo_scale(bottom, l->top_px, l->height_px, l->image_height_px)};
}

static void scale_image(unsigned char *scaled, const input_fit *letterbox, const pov_image *image)
{
    CvMat from, to;
    cvInitMatHeader(&from, image->height_px, image->width_px, CV_8UC3, (void *)image->pixels,
                    image->stride_bytes);
    cvInitMatHeader(&to, letterbox->height_px, letterbox->width_px, CV_8UC3, scaled, letterbox->width_px * 3);
    cvResize(&from, &to, CV_INTER_LINEAR);
}

typedef struct {
    float of_value[256], of_fill;
    int step;  /* from one pixel to the next */
    int first; /* pixel's */
    int from;  /* the image's channel */
} channel;

static channel channel_of(const pov_model_input *input, int c)
{
    const int pixels = pov_model_input_width(input) * pov_model_input_height(input);
    channel ch = {.step = input->channels_last ? 3 : 1,
                  .first = input->channels_last ? c : c * pixels,
                  .from = input->bgr ? 2 - c : c};
    for (int value = 0; value < 256; value++)
        ch.of_value[value] = (float)((value * input->scale - input->mean[c]) / input->std[c]);
    ch.of_fill = (float)((input->fill * input->scale - input->mean[c]) / input->std[c]);
    return ch;
}

static void fill_channel(float *numbers, const unsigned char *scaled, const pov_model_input *input,
                         const input_fit *l, const channel *ch)
{
    const int width = pov_model_input_width(input), height = pov_model_input_height(input);
    float *number = numbers + ch->first;
    for (int y = 0; y < height; y++) {
        const bool inside = y >= l->top_px && y < l->top_px + l->height_px;
        const unsigned char *pixel =
            inside ? scaled + (ptrdiff_t)(y - l->top_px) * l->width_px * 3 + ch->from : NULL;
        for (int x = 0; x < width; x++, number += ch->step) {
            const int at = x - l->left_px;
            *number = pixel && at >= 0 && at < l->width_px ? ch->of_value[pixel[3 * at]] : ch->of_fill;
        }
    }
}

/* The network's input for an image: scaled (bilinear), filled, normalised, in the contract's order. Work: scaled, as many bytes
 * as the input has numbers. */
static void fill_numbers(float *numbers, unsigned char *scaled, const pov_model_input *input,
                         const input_fit *letterbox, const pov_image *image)
{
    scale_image(scaled, letterbox, image);
    for (int c = 0; c < 3; c++) {
        const channel ch = channel_of(input, c);
        fill_channel(numbers, scaled, input, letterbox, &ch);
    }
}

struct pov_detector {
    pov_model_contract contract;
    pov_network *network;
    float *numbers;        /* the input */
    unsigned char *scaled; /* the image at the input's scale */
    pov_candidates candidates;
    pov_tensor outputs[POV_OUTPUT_ROLE_COUNT];
    float *joined[POV_OUTPUT_ROLE_COUNT]; /* of an output with parts: all its rows */
    input_fit seen;                       /* of a depth network: the last image */
    float *sorted;                        /* and room for a part of its map */
};

/* ---- contract against network ---- */

static void print_shape(char *text, size_t capacity, const int *size, int dims)
{
    size_t length = (size_t)snprintf(text, capacity, "[");
    for (int i = 0; i < dims && length < capacity; i++)
        length += (size_t)snprintf(text + length, capacity - length, "%s%d", i ? ", " : "", size[i]);
    if (length < capacity)
        snprintf(text + length, capacity - length, "]");
}

static pov_status compare_shape(const char *key, const pov_tensor_shape *expected, const int *size, int dims)
{
    if (dims == expected->dims && memcmp(size, expected->size, (size_t)dims * sizeof *size) == 0)
        return pov_ok();
    char has[80], wanted[80];
    print_shape(has, sizeof has, size, dims);
    print_shape(wanted, sizeof wanted, expected->size, expected->dims);
    return pov_error("%s.shape: the contract says %s, the network's '%s' is %s", key, wanted, expected->name,
                     has);
}

/* Dimensions that the network leaves open are the contract's until it runs. */
static pov_status compare_open_shape(const char *key, const pov_tensor_shape *expected,
                                     pov_tensor_shape shape)
{
    for (int i = 0; i < shape.dims && i < expected->dims; i++)
        if (shape.size[i] == 0)
            shape.size[i] = expected->size[i];
    return shape.dims == 0 ? pov_ok() : compare_shape(key, expected, shape.size, shape.dims);
}

static pov_status compare_tensor(const char *key, const pov_tensor_shape *expected,
                                 const pov_tensor_shape *list, int len)
{
    char names[200] = "";
    size_t length = 0;
    for (int i = 0; i < len; i++) {
        if (strcmp(list[i].name, expected->name) == 0)
            return compare_open_shape(key, expected, list[i]);
        if (length < sizeof names)
            length += (size_t)snprintf(names + length, sizeof names - length, "%s'%s'", i ? ", " : "",
                                       list[i].name);
    }
    return pov_error("%s.name: the network has no '%s'; it has %s", key, expected->name, names);
}

static pov_status compare_input(const pov_model_contract *contract, const pov_onnx_summary *summary)
{
    POV_TRY(compare_tensor("input", &contract->input.tensor, summary->inputs, summary->input_len));
    for (int i = 0; i < summary->input_len; i++) {
        const char *name = summary->inputs[i].name;
        if (strcmp(name, contract->input.tensor.name) != 0 && strcmp(name, contract->input.size_input) != 0)
            return pov_error(
                "input.size_input: the network has a second input '%s'; name it here if it wants "
                "the image's size",
                name);
    }
    if (*contract->input.size_input) {
        const pov_tensor_shape size = {.dims = 2, .size = {1, 2}};
        pov_tensor_shape expected = size;
        snprintf(expected.name, sizeof expected.name, "%s", contract->input.size_input);
        POV_TRY(compare_tensor("input.size_input", &expected, summary->inputs, summary->input_len));
    }
    return pov_ok();
}

static pov_status compare_shapes(const pov_model_contract *contract, const pov_onnx_summary *summary)
{
    POV_TRY(compare_input(contract, summary));
    for (int role = 0; role < POV_OUTPUT_ROLE_COUNT; role++) {
        char key[40];
        snprintf(key, sizeof key, "outputs.%s", pov_output_role_name(role));
        const pov_output_parts *parts = &contract->parts[role];
        for (int i = 0; i < parts->len; i++)
            POV_TRY(compare_tensor(key, &parts->part[i], summary->outputs, summary->output_len));
        if (contract->outputs[role].dims && parts->len == 0)
            POV_TRY(compare_tensor(key, &contract->outputs[role], summary->outputs, summary->output_len));
    }
    return pov_ok();
}

/* ---- life ---- */

static size_t input_pixels(const pov_model_contract *contract)
{
    return (size_t)pov_model_input_width(&contract->input) * (size_t)pov_model_input_height(&contract->input);
}

static pov_status set_up_network(pov_detector *d, const pov_onnx_model *model)
{
    const size_t pixels = input_pixels(&d->contract);
    d->candidates.capacity = pov_model_rows(&d->contract);
    d->numbers = pov_allocate(pixels, 3 * sizeof *d->numbers);
    d->scaled = pov_allocate(pixels, 3);
    d->candidates.list = pov_allocate((size_t)d->candidates.capacity, sizeof *d->candidates.list);
    for (int role = 0; role < POV_OUTPUT_ROLE_COUNT; role++) {
        const pov_tensor_shape *shape = &d->contract.outputs[role];
        if (d->contract.parts[role].len > 0)
            d->joined[role] =
                pov_allocate((size_t)shape->size[1] * (size_t)shape->size[2], sizeof *d->joined[role]);
    }
    pov_output_table map;
    pov_model_output_table(&map, &d->contract, POV_OUTPUT_DEPTH); /* all zero without one */
    d->sorted = pov_allocate((size_t)map.rows * (size_t)map.columns + 1, sizeof *d->sorted);
    return pov_network_new(&d->network, model, d->contract.engine);
}

pov_status pov_detector_new(pov_detector **detector, const pov_model_contract *contract, const void *onnx,
                            size_t length)
{
    pov_onnx_summary summary;
    *detector = NULL;
    POV_TRY(pov_model_contract_check(contract));
    POV_TRY(pov_onnx_summary_read(&summary, onnx, length));
    POV_TRY(compare_shapes(contract, &summary));
    pov_detector *d = *detector = pov_allocate(1, sizeof *d);
    d->contract = *contract;
    const pov_status status = set_up_network(d, &(pov_onnx_model){onnx, length, summary.opset});
    if (status.code != POV_OK)
        pov_detector_destroy(detector);
    return status;
}

void pov_detector_destroy(pov_detector **detector)
{
    if (!detector || !*detector)
        return;
    pov_network_destroy(&(*detector)->network);
    free((*detector)->numbers);
    free((*detector)->scaled);
    free((*detector)->candidates.list);
    free((*detector)->sorted);
    for (int role = 0; role < POV_OUTPUT_ROLE_COUNT; role++)
        free((*detector)->joined[role]);
    free(*detector);
    *detector = NULL;
}

const pov_model_contract *pov_detector_contract(const pov_detector *detector)
{
    return &detector->contract;
}

const pov_engine_report *pov_detector_engine(const pov_detector *detector)
{
    return pov_network_report(detector->network);
}

/* ---- running ---- */

/* The tensors that make an output: its parts, or one. */
static int tensors_of(const pov_tensor_shape **shapes, const pov_model_contract *contract, int role)
{
    const pov_output_parts *parts = &contract->parts[role];
    *shapes = parts->len > 0 ? parts->part : &contract->outputs[role];
    return parts->len > 0 ? parts->len : contract->outputs[role].dims > 0;
}

static void join_part(float *to, const pov_tensor *part, const pov_output_table *table)
{
    for (int row = 0; row < table->rows; row++)
        for (int column = 0; column < table->columns; column++)
            *to++ = part->values[(ptrdiff_t)row * table->row_step + (ptrdiff_t)column * table->column_step];
}

/* `tensors`: as many as the output has parts, as the network gave them. */
static void take_output(pov_detector *d, int role, const pov_tensor *tensors)
{
    const pov_output_parts *parts = &d->contract.parts[role];
    const pov_tensor_shape *shape = &d->contract.outputs[role];
    float *to = d->joined[role];
    d->outputs[role] = *tensors;
    if (parts->len == 0)
        return;
    d->outputs[role] = (pov_tensor){.dims = shape->dims, .values = to};
    memcpy(d->outputs[role].size, shape->size, sizeof shape->size);
    for (int i = 0; i < parts->len; i++) {
        pov_output_table table;
        pov_model_part_table(&table, &parts->part[i], parts->columns_first);
        join_part(to, &tensors[i], &table);
        to += (ptrdiff_t)table.rows * table.columns;
    }
}

static pov_status run_network(pov_detector *d)
{
    const pov_model_contract *contract = &d->contract;
    const char *names[POV_NETWORK_OUTPUT_MAX];
    pov_tensor outputs[POV_NETWORK_OUTPUT_MAX];
    const pov_tensor_shape *shapes;
    int len = 0, at = 0;
    for (int role = 0; role < POV_OUTPUT_ROLE_COUNT; role++)
        for (int i = 0, count = tensors_of(&shapes, contract, role); i < count; i++) {
            if (len == POV_NETWORK_OUTPUT_MAX)
                return pov_error("outputs: more than %d tensors are named", POV_NETWORK_OUTPUT_MAX);
            names[len++] = shapes[i].name;
        }
    POV_TRY(pov_network_run(d->network, outputs, names, len));
    for (int role = 0; role < POV_OUTPUT_ROLE_COUNT; role++) {
        const int count = tensors_of(&shapes, contract, role);
        char key[40];
        snprintf(key, sizeof key, "outputs.%s", pov_output_role_name(role));
        for (int i = 0; i < count; i++)
            POV_TRY(compare_shape(key, &shapes[i], outputs[at + i].size, outputs[at + i].dims));
        if (count > 0)
            take_output(d, role, &outputs[at]);
        at += count;
    }
    return pov_ok();
}

/* Boxes are wanted in pixels of the network's input: the letterbox is undone here. */
static pov_status set_size_input(pov_detector *d)
{
    const pov_model_input *input = &d->contract.input;
    const float size[2] = {(float)pov_model_input_width(input), (float)pov_model_input_height(input)};
    const pov_tensor tensor = {.dims = 2, .size = {1, 2}, .values = size};
    return *input->size_input ? pov_network_set_input(d->network, input->size_input, &tensor) : pov_ok();
}

static pov_status run_on_image(pov_detector *d, input_fit *letterbox, const pov_image *image)
{
    const pov_tensor_shape *shape = &d->contract.input.tensor;
    pov_tensor input = {.dims = shape->dims, .values = d->numbers};
    memcpy(input.size, shape->size, sizeof input.size);
    *letterbox = letterbox_of(&d->contract.input, image->width_px, image->height_px);
    fill_numbers(d->numbers, d->scaled, &d->contract.input, letterbox, image);
    POV_TRY(pov_network_set_input(d->network, shape->name, &input));
    POV_TRY(set_size_input(d));
    return run_network(d);
}

static pov_seen_heading heading_of(const pov_detector *d, int row)
{
    float numbers[POV_HEADING_NUMBERS_MAX];
    if (d->contract.heading.kind == POV_HEADING_NONE)
        return (pov_seen_heading){.against = POV_HEADING_UNSEEN};
    pov_model_heading_row(numbers, &d->contract, d->outputs, row);
    return pov_heading_decode(&d->contract.heading, numbers);
}

static void find_keypoints(const pov_detector *d, pov_detection *detection, const input_fit *letterbox,
                           int row)
{
    detection->keypoint_len = pov_model_keypoints_row(detection->keypoints, &d->contract, d->outputs, row);
    for (int k = 0; k < detection->keypoint_len; k++) {
        pov_keypoint *point = &detection->keypoints[k];
        point->x_px =
            (float)((point->x_px - letterbox->left_px) * letterbox->image_width_px / letterbox->width_px -
                    0.5);
        point->y_px =
            (float)((point->y_px - letterbox->top_px) * letterbox->image_height_px / letterbox->height_px -
                    0.5);
    }
}

pov_status pov_detector_run(pov_detector *detector, pov_detections *detections, const pov_image *image)
{
    input_fit letterbox;
    pov_candidates *candidates = &detector->candidates;
    POV_REQUIRE(pov_model_finds(detector->contract.layout));
    detections->len = detections->empty_len = 0;
    detections->truncated = false;
    POV_TRY(run_on_image(detector, &letterbox, image));
    candidates->seen[0] = (float)letterbox.left_px;
    candidates->seen[1] = (float)letterbox.top_px;
    candidates->seen[2] = (float)(letterbox.left_px + letterbox.width_px);
    candidates->seen[3] = (float)(letterbox.top_px + letterbox.height_px);
    POV_TRY(pov_model_decode(candidates, &detector->contract, detector->outputs));
    detections->empty_len = candidates->empty_len;
    detections->truncated = pov_model_suppress(candidates, &detector->contract, POV_DETECTION_MAX);
    for (int i = 0; i < candidates->len; i++) {
        const pov_candidate *c = &candidates->list[i];
        pov_detection *detection = &detections->detections[detections->len++];
        *detection = (pov_detection){.class_index = c->class_index,
                                     .score = fmin(1, c->score),
                                     .box = undo_letterbox(&letterbox, c->left, c->top, c->right, c->bottom),
                                     .seen = heading_of(detector, c->row)};
        find_keypoints(detector, detection, &letterbox, c->row);
    }
    return pov_ok();
}

/* ---- crops ---- */

static int cut_side(double px, int side_px)
{
    return (int)fmin(fmax(px, 0), side_px);
}

/* The part of the image that a box and a margin around it cover, and where it is; one pixel at least. */
static pov_image crop_image(pov_rectangle *at, const pov_image *image, const pov_pixel_box *box,
                            double margin)
{
    const double across = margin * (box->right_px - box->left_px),
                 down = margin * (box->bottom_px - box->top_px);
    int left = cut_side(floor(box->left_px + 0.5 - across), image->width_px - 1);
    int top = cut_side(floor(box->top_px + 0.5 - down), image->height_px - 1);
    int right = cut_side(ceil(box->right_px + 0.5 + across), image->width_px);
    int bottom = cut_side(ceil(box->bottom_px + 0.5 + down), image->height_px);
    pov_image part = *image;
    part.grey = NULL;
    part.pixels += (ptrdiff_t)top * image->stride_bytes + 3 * left;
    part.width_px = right > left ? right - left : 1;
    part.height_px = bottom > top ? bottom - top : 1;
    *at = (pov_rectangle){left, top, part.width_px, part.height_px};
    return part;
}

/* What is letterboxed is shown in the input's shape, so that the rest is image and not filling. */
static pov_pixel_box shape_as_input(const pov_model_input *input, pov_pixel_box box)
{
    const double width = box.right_px - box.left_px, height = box.bottom_px - box.top_px;
    const double shape = (double)pov_model_input_width(input) / pov_model_input_height(input);
    if (input->fit == POV_FIT_STRETCH)
        return box;
    const double across = fmax(0, shape * height - width) / 2, down = fmax(0, width / shape - height) / 2;
    return (pov_pixel_box){box.left_px - across, box.top_px - down, box.right_px + across,
                           box.bottom_px + down};
}

pov_status pov_detector_run_crop(pov_detector *detector, pov_detection *detection, const pov_image *image)
{
    const pov_model_contract *contract = &detector->contract;
    const pov_pixel_box box = shape_as_input(&contract->input, detection->box);
    pov_rectangle at;
    const pov_image part = crop_image(&at, image, &box, contract->crop_margin);
    input_fit letterbox;
    POV_REQUIRE(pov_model_sees_crops(contract->layout));
    if (contract->layout == POV_LAYOUT_HEADING)
        detection->seen = (pov_seen_heading){.against = POV_HEADING_UNSEEN};
    POV_TRY(run_on_image(detector, &letterbox, &part));
    if (contract->layout == POV_LAYOUT_HEADING) {
        detection->seen = heading_of(detector, 0);
        return pov_ok();
    }
    find_keypoints(detector, detection, &letterbox, 0);
    for (int k = 0; k < detection->keypoint_len; k++) {
        detection->keypoints[k].x_px += (float)at.x_px;
        detection->keypoints[k].y_px += (float)at.y_px;
    }
    return pov_ok();
}

/* ---- depth ---- */

pov_status pov_detector_run_depth(pov_detector *detector, const pov_image *image)
{
    POV_REQUIRE(detector->contract.layout == POV_LAYOUT_DEPTH);
    return run_on_image(detector, &detector->seen, image);
}

/* From an edge in the image to one in the map, through the network's input. */
static int map_edge(double edge_px, int image_px, int start_px, int length_px, double map_per_input)
{
    return (int)lround((start_px + (edge_px + 0.5) * length_px / image_px) * map_per_input);
}

static int compare_floats(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

double pov_detector_nearness(pov_detector *detector, const pov_pixel_box *box)
{
    const input_fit *l = &detector->seen;
    const float *map = detector->outputs[POV_OUTPUT_DEPTH].values;
    const double quarter_x = (box->right_px - box->left_px) / 4,
                 quarter_y = (box->bottom_px - box->top_px) / 4;
    pov_output_table t;
    POV_REQUIRE(detector->contract.layout == POV_LAYOUT_DEPTH && map);
    pov_model_output_table(&t, &detector->contract, POV_OUTPUT_DEPTH);
    const double across = (double)t.columns / pov_model_input_width(&detector->contract.input),
                 down = (double)t.rows / pov_model_input_height(&detector->contract.input);
    const double middle_x = (box->left_px + box->right_px) / 2, middle_y = (box->top_px + box->bottom_px) / 2;
    if (!(middle_x >= -0.5 && middle_x <= l->image_width_px - 0.5 && middle_y >= -0.5 &&
          middle_y <= l->image_height_px - 0.5))
        return NAN;
    const int left = pov_clamp(
                  map_edge(box->left_px + quarter_x, l->image_width_px, l->left_px, l->width_px, across), 0,
                  t.columns - 1),
              right = pov_clamp(
                  map_edge(box->right_px - quarter_x, l->image_width_px, l->left_px, l->width_px, across),
                  left + 1, t.columns),
              top = pov_clamp(
                  map_edge(box->top_px + quarter_y, l->image_height_px, l->top_px, l->height_px, down), 0,
                  t.rows - 1),
              bottom = pov_clamp(
                  map_edge(box->bottom_px - quarter_y, l->image_height_px, l->top_px, l->height_px, down),
                  top + 1, t.rows);
    int len = 0;
    for (int y = top; y < bottom; y++)
        for (int x = left; x < right; x++)
            if (isfinite(map[y * t.row_step + x]))
                detector->sorted[len++] = map[y * t.row_step + x];
    if (len == 0)
        return NAN;
    qsort(detector->sorted, (size_t)len, sizeof *detector->sorted, compare_floats);
    const double median = ((double)detector->sorted[(len - 1) / 2] + (double)detector->sorted[len / 2]) / 2;
    return detector->contract.near_is_small ? -median : median;
}

/* ---- golden numbers ---- */

/* Neither of the input's size nor of its shape, so that scaling and filling are tried too. */
static pov_status look_at_golden(pov_detector *detector, int seed)
{
    const int width = (pov_model_input_width(&detector->contract.input) * 3 + 3) / 4;
    const int height = (pov_model_input_height(&detector->contract.input) + 1) / 2;
    unsigned char *pixels = pov_allocate((size_t)width * (size_t)height * 3, 1);
    const pov_image image = {
        .pixels = pixels, .width_px = width, .height_px = height, .stride_bytes = 3 * width};
    input_fit letterbox;
    pov_golden_image_fill(pixels, width, height, seed);
    const pov_status status = run_on_image(detector, &letterbox, &image);
    free(pixels);
    return status;
}

static int count_of(const pov_tensor_shape *shape)
{
    int count = shape->dims > 0;
    for (int i = 0; i < shape->dims; i++)
        count *= shape->size[i];
    return count;
}

pov_status pov_detector_check_golden(pov_detector *detector, const pov_golden *golden)
{
    POV_TRY(look_at_golden(detector, golden->seed));
    for (int i = 0; i < golden->len; i++) {
        const pov_golden_value *expected = &golden->values[i];
        const char *role = pov_output_role_name(expected->role);
        const int count = count_of(&detector->contract.outputs[expected->role]);
        if (expected->index < 0 || expected->index >= count)
            return pov_error("golden: output '%s' has %d numbers, and none at %d", role, count,
                             expected->index);
        const double value = (double)detector->outputs[expected->role].values[expected->index];
        if (!(fabs(value - expected->value) <= expected->tolerance))
            return pov_error(
                "golden: output '%s' is %.7g at %d, not %.7g: the network, or how images are put into it "
                "(colour, scale, mean, std, fit, fill), is not what the contract was written for",
                role, value, expected->index, expected->value);
    }
    return pov_ok();
}

/* All numbers of all outputs, one after another. */
static float *copy_outputs(const pov_detector *detector)
{
    size_t total = 0, at = 0;
    for (int role = 0; role < POV_OUTPUT_ROLE_COUNT; role++)
        total += (size_t)count_of(&detector->contract.outputs[role]);
    float *copy = calloc(total, sizeof *copy);
    for (int role = 0; copy && role < POV_OUTPUT_ROLE_COUNT; role++) {
        const size_t count = (size_t)count_of(&detector->contract.outputs[role]);
        if (count)
            memcpy(copy + at, detector->outputs[role].values, count * sizeof *copy);
        at += count;
    }
    return copy;
}

/* From each stretch of an output, the number that depends most on the picture: constant numbers carry no information. */
static void record_output(pov_golden *golden, const pov_detector *detector, const float *of_another,
                          pov_output_role role)
{
    enum { EACH = 7, OUTPUTS_MOST = POV_GOLDEN_MAX / EACH }; /* no layout has more outputs */
    const int count = count_of(&detector->contract.outputs[role]);
    const int stretches = count < EACH ? count : EACH;
    const float *numbers = detector->outputs[role].values;
    for (int k = 0; k < stretches; k++) {
        const int first = (int)((long long)count * k / stretches);
        const int end = (int)((long long)count * (k + 1) / stretches);
        int at = first;
        for (int i = first; i < end; i++)
            if (fabsf(numbers[i] - of_another[i]) > fabsf(numbers[at] - of_another[at]))
                at = i;
        const double value = (double)numbers[at];
        golden->values[golden->len++] = (pov_golden_value){role, at, value, 1e-3 + 1e-3 * fabs(value)};
    }
}

/* A network whose weights are damaged often gives what is no number. */
static pov_status check_numbers(const pov_detector *detector)
{
    for (int role = 0; role < POV_OUTPUT_ROLE_COUNT; role++) {
        const int count = count_of(&detector->contract.outputs[role]);
        for (int i = 0; i < count; i++)
            if (isnan(detector->outputs[role].values[i]))
                return pov_error("golden: output '%s' is not a number at %d: the file is damaged, or its "
                                 "input is not what it was trained with (scale, mean, std); export it again",
                                 pov_output_role_name((pov_output_role)role), i);
    }
    return pov_ok();
}

pov_status pov_detector_record_golden(pov_detector *detector, pov_golden *golden, int seed)
{
    *golden = (pov_golden){.seed = seed};
    POV_TRY(look_at_golden(detector, seed + 1));
    float *of_another = copy_outputs(detector);
    if (!of_another)
        return pov_error("detector: out of memory");
    pov_status status = look_at_golden(detector, seed);
    POV_THEN(status, check_numbers(detector));
    const float *at = of_another;
    for (int role = 0; role < POV_OUTPUT_ROLE_COUNT && status.code == POV_OK; role++) {
        record_output(golden, detector, at, role);
        at += count_of(&detector->contract.outputs[role]);
    }
    free(of_another);
    return status;
}

/* ---- golden images ---- */

enum { SQUARE_PX = 8 };

static uint32_t mix_bits(uint32_t v)
{
    v = (v ^ v >> 16) * 0x7feb352du;
    v = (v ^ v >> 15) * 0x846ca68bu;
    return v ^ v >> 16;
}

void pov_golden_image_fill(unsigned char *pixels, int width_px, int height_px, int seed)
{
    for (int y = 0; y < height_px; y++) {
        for (int x = 0; x < width_px; x++) {
            const uint32_t square = (uint32_t)(y / SQUARE_PX) << 16 | (uint32_t)(x / SQUARE_PX);
            for (uint32_t c = 0; c < 3; c++)
                *pixels++ = mix_bits(square + mix_bits((uint32_t)seed * 3 + c)) & 255;
        }
    }
}
