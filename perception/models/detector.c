#include "perception/models/detector.h"

#include "perception/image/opencv_c.h"
#include "perception/models/heading_decode.h"
#include "perception/models/model_contract.h"
#include "perception/models/network.h"
#include "perception/models/onnx_summary.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/** Edges in the network's input, 0 the left edge of its first pixel. */
typedef struct {
    float left, top, right, bottom, score;
    int class_index, row;
} pov_candidate;

typedef struct {
    int len, capacity;
    pov_candidate *list;
} pov_candidates;

enum { POV_HEADING_NUMBERS_MAX = 3 * POV_MODEL_BIN_MAX + POV_MODEL_SYMMETRY_MAX };

/* From a network's numbers to boxes with a class and a score: one decoder a layout. Pure. */

typedef struct {
    const float *numbers;
    int rows, columns, row_step, column_step;
} table;

static table table_of(const pov_model_contract *contract, const float *numbers, pov_output_role role)
{
    pov_output_table t;
    pov_model_output_table(&t, contract, role); /* all zero for an output that is not there */
    return (table){numbers, t.rows, t.columns, t.row_step, t.column_step};
}

static float at(const table *t, int row, int column)
{
    return t->numbers[(ptrdiff_t)row * t->row_step + (ptrdiff_t)column * t->column_step];
}

static float sigmoid(float x)
{
    return 1 / (1 + expf(-x));
}

typedef struct {
    int index;
    float score;
} best;

static best best_of(const table *t, int row, int first, int count)
{
    best found = {0, -INFINITY};
    for (int c = 0; c < count; c++) {
        const float score = at(t, row, first + c);
        if (score > found.score)
            found = (best){c, score};
    }
    return found;
}

static void add_candidate(pov_candidates *candidates, pov_candidate candidate)
{
    const pov_candidate *c = &candidate;
    if (isfinite(c->left) && isfinite(c->top) && isfinite(c->right) && isfinite(c->bottom) &&
        candidates->len < candidates->capacity)
        candidates->list[candidates->len++] = candidate;
}

static pov_candidate centred_box(float x, float y, float width, float height)
{
    return (pov_candidate){
        .left = x - width / 2, .top = y - height / 2, .right = x + width / 2, .bottom = y + height / 2};
}

static void add_seen(pov_candidates *candidates, pov_candidate box, best seen, int row)
{
    box.class_index = seen.index;
    box.score = seen.score;
    box.row = row;
    add_candidate(candidates, box);
}

/* ---- a grid of cells for each stride, row by row ---- */

typedef struct {
    int x, y, stride;
} cell;

/* The cell after this one; the first cell is {0, 0, strides[0]} of level 0. */
static void advance_cell(cell *c, int *level, const pov_model_contract *contract)
{
    const int across = (pov_model_input_width(&contract->input) + c->stride - 1) / c->stride;
    const int down = (pov_model_input_height(&contract->input) + c->stride - 1) / c->stride;
    if (++c->x < across)
        return;
    c->x = 0;
    if (++c->y < down)
        return;
    c->y = 0;
    if (++*level < contract->stride_len)
        c->stride = contract->strides[*level];
}

/* Ge 2021 (YOLOX), section 2: offsets from the cell's corner and log sizes, in strides. */
static void decode_yolox(pov_candidates *candidates, const pov_model_contract *contract, const table *t)
{
    cell c = {0, 0, contract->strides[0]};
    int level = 0;
    for (int row = 0; row < t->rows; row++, advance_cell(&c, &level, contract)) {
        best seen = best_of(t, row, 5, contract->class_len);
        seen.score *= at(t, row, 4);
        if (!(seen.score >= (float)contract->score_min))
            continue;
        const float s = (float)c.stride;
        add_seen(candidates,
                 centred_box((at(t, row, 0) + (float)c.x) * s, (at(t, row, 1) + (float)c.y) * s,
                             expf(at(t, row, 2)) * s, expf(at(t, row, 3)) * s),
                 seen, row);
    }
}

/* Li 2020 (Generalized Focal Loss), equation 6: the mean of a distribution over 0, 1, ..., in strides. */
static float mean_distance(const table *t, int row, int first, int bins)
{
    float most = -INFINITY, sum = 0, weighted = 0;
    for (int b = 0; b < bins; b++)
        most = fmaxf(most, at(t, row, first + b));
    for (int b = 0; b < bins; b++) {
        const float weight = expf(at(t, row, first + b) - most);
        sum += weight;
        weighted += weight * (float)b;
    }
    return weighted / sum;
}

static void decode_nanodet(pov_candidates *candidates, const pov_model_contract *contract, const table *t)
{
    cell c = {0, 0, contract->strides[0]};
    int level = 0;
    const int bins = contract->distance_bins, first = contract->class_len;
    for (int row = 0; row < t->rows; row++, advance_cell(&c, &level, contract)) {
        const best seen = best_of(t, row, 0, contract->class_len);
        if (!(seen.score >= (float)contract->score_min))
            continue;
        const float s = (float)c.stride, shift = (float)contract->cell_centre;
        const float x = ((float)c.x + shift) * s, y = ((float)c.y + shift) * s;
        add_seen(candidates,
                 (pov_candidate){.left = x - s * mean_distance(t, row, first, bins),
                                 .top = y - s * mean_distance(t, row, first + bins, bins),
                                 .right = x + s * mean_distance(t, row, first + 2 * bins, bins),
                                 .bottom = y + s * mean_distance(t, row, first + 3 * bins, bins)},
                 seen, row);
    }
}

/* ---- rows ---- */

static void decode_centred_rows(pov_candidates *candidates, const pov_model_contract *contract,
                                const table *t)
{
    const bool has_objectness = contract->layout == POV_LAYOUT_YOLOV5;
    for (int row = 0; row < t->rows; row++) {
        best seen = best_of(t, row, 4 + has_objectness, contract->class_len);
        seen.score *= has_objectness ? at(t, row, 4) : 1;
        if (seen.score >= (float)contract->score_min)
            add_seen(candidates, centred_box(at(t, row, 0), at(t, row, 1), at(t, row, 2), at(t, row, 3)),
                     seen, row);
    }
}

/* Zhu 2021 (Deformable DETR): every class has a sigmoid of its own. */
static void decode_queries(pov_candidates *candidates, const pov_model_contract *contract, const table *boxes,
                           const table *logits)
{
    const float width = (float)pov_model_input_width(&contract->input);
    const float height = (float)pov_model_input_height(&contract->input);
    const int first = contract->nothing == POV_NOTHING_FIRST;
    for (int row = 0; row < boxes->rows; row++) {
        best seen = best_of(logits, row, first, contract->class_len);
        seen.score = sigmoid(seen.score);
        if (seen.score >= (float)contract->score_min)
            add_seen(candidates,
                     centred_box(at(boxes, row, 0) * width, at(boxes, row, 1) * height,
                                 at(boxes, row, 2) * width, at(boxes, row, 3) * height),
                     seen, row);
    }
}

static pov_status add_finished(pov_candidates *candidates, const pov_model_contract *contract,
                               const table *box, int row, float score, float label)
{
    if (!(score >= (float)contract->score_min))
        return pov_ok();
    if (!(label >= 0 && label < (float)contract->class_len))
        return pov_error("classes: the network found one of number %g, but %d are named here", (double)label,
                         contract->class_len);
    add_seen(candidates,
             (pov_candidate){.left = at(box, row, 0),
                             .top = at(box, row, 1),
                             .right = at(box, row, 2),
                             .bottom = at(box, row, 3)},
             (best){(int)label, score}, row);
    return pov_ok();
}

/* Every row whose best class reaches the contract's least score, in the order of the rows. Rows that are not finite are left out.
 *  In: a tensor for each of the contract's outputs, of its size. Needs: room for pov_model_rows().
 *  POV_ERROR: the network numbers a class that the contract does not name. */
static pov_status model_decode(pov_candidates *candidates, const pov_model_contract *contract,
                               const pov_tensor outputs[POV_OUTPUT_ROLE_COUNT])
{
    table t[POV_OUTPUT_ROLE_COUNT];
    for (int role = 0; role < POV_OUTPUT_ROLE_COUNT; role++)
        t[role] = table_of(contract, outputs[role].values, role);
    const table *rows = &t[POV_OUTPUT_ROWS], *boxes = &t[POV_OUTPUT_BOXES], *scores = &t[POV_OUTPUT_SCORES];
    candidates->len = 0;
    switch (contract->layout) {
    case POV_LAYOUT_YOLOX:
        decode_yolox(candidates, contract, rows);
        break;
    case POV_LAYOUT_NANODET:
        decode_nanodet(candidates, contract, rows);
        break;
    case POV_LAYOUT_YOLOV5:
    case POV_LAYOUT_YOLOV8:
        decode_centred_rows(candidates, contract, rows);
        break;
    case POV_LAYOUT_RTDETR:
    case POV_LAYOUT_RFDETR:
        decode_queries(candidates, contract, boxes, scores);
        break;
    case POV_LAYOUT_YOLO26:
        for (int row = 0; row < rows->rows; row++)
            POV_TRY(add_finished(candidates, contract, rows, row, at(rows, row, 4), at(rows, row, 5)));
        break;
    case POV_LAYOUT_RTDETR_POST:
        for (int row = 0; row < boxes->rows; row++)
            POV_TRY(add_finished(candidates, contract, boxes, row, at(scores, row, 0),
                                 at(&t[POV_OUTPUT_LABELS], row, 0)));
        break;
    case POV_LAYOUT_HEADING:
    case POV_LAYOUT_DEPTH:
    case POV_LAYOUT_COUNT:
        break;
    }
    return pov_ok();
}

static void copy_row(float *numbers, const table *t, int row, int first, int count)
{
    for (int i = 0; i < count; i++)
        numbers[i] = at(t, row, first + i);
}

/* The numbers of a row's heading, then those of its symmetries, one after another. */
/* Heading numbers without an output of their own are the last columns beside the boxes. */
static void model_heading_row(float numbers[POV_HEADING_NUMBERS_MAX], const pov_model_contract *contract,
                              const pov_tensor outputs[POV_OUTPUT_ROLE_COUNT], int row)
{
    const int columns = pov_heading_columns(contract);
    const pov_output_role role = contract->outputs[POV_OUTPUT_HEADING].dims ? POV_OUTPUT_HEADING
                                 : contract->outputs[POV_OUTPUT_ROWS].dims  ? POV_OUTPUT_ROWS
                                                                            : POV_OUTPUT_BOXES;
    const table t = table_of(contract, outputs[role].values, role);
    copy_row(numbers, &t, row, t.columns - columns, columns);
    if (contract->outputs[POV_OUTPUT_SYMMETRY].dims) {
        const table s = table_of(contract, outputs[POV_OUTPUT_SYMMETRY].values, POV_OUTPUT_SYMMETRY);
        copy_row(numbers + columns, &s, row, 0, s.columns);
    }
}

/* ---- suppression ---- */

static pov_pixel_box box_of(const pov_candidate *c)
{
    return (pov_pixel_box){(double)c->left, (double)c->top, (double)c->right, (double)c->bottom};
}

/* Drops, of those not yet kept, what is the same thing again; candidates keep their order. */
static void drop_like(pov_candidates *candidates, const pov_candidate *winner, int first,
                      const pov_model_contract *contract)
{
    int len = first;
    for (int i = first; i < candidates->len; i++) {
        const pov_candidate *other = &candidates->list[i];
        const bool alike = contract->across_classes || other->class_index == winner->class_index;
        if (!alike || pov_box_overlap(box_of(winner), box_of(other)) <= contract->overlap_max)
            candidates->list[len++] = *other;
    }
    candidates->len = len;
}

/* Keeps the best, drops what overlaps with it by more than the contract's overlap_max, and so on with the rest. Leaves
 *  up to `max` candidates, best first; true if there were more. */
static bool model_suppress(pov_candidates *candidates, const pov_model_contract *contract, int max)
{
    for (int kept = 0; kept < candidates->len; kept++) {
        if (kept == max) {
            candidates->len = max;
            return true;
        }
        int at_best = kept;
        for (int i = kept + 1; i < candidates->len; i++)
            if (candidates->list[i].score > candidates->list[at_best].score)
                at_best = i;
        const pov_candidate winner = candidates->list[at_best];
        for (int i = at_best; i > kept; i--) /* those between move up, in their order */
            candidates->list[i] = candidates->list[i - 1];
        candidates->list[kept] = winner;
        drop_like(candidates, &winner, kept + 1, contract);
    }
    return false;
}

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
    input_fit seen; /* of a depth network: the last image */
    float *sorted;  /* and room for a part of its map */
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
        if (contract->outputs[role].dims)
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

static pov_status run_network(pov_detector *d)
{
    const pov_model_contract *contract = &d->contract;
    const char *names[POV_OUTPUT_ROLE_COUNT];
    pov_tensor outputs[POV_OUTPUT_ROLE_COUNT];
    int roles[POV_OUTPUT_ROLE_COUNT], len = 0;
    for (int role = 0; role < POV_OUTPUT_ROLE_COUNT; role++) {
        if (contract->outputs[role].dims == 0)
            continue;
        roles[len] = role;
        names[len++] = contract->outputs[role].name;
    }
    POV_TRY(pov_network_run(d->network, outputs, names, len));
    for (int i = 0; i < len; i++) {
        char key[40];
        snprintf(key, sizeof key, "outputs.%s", pov_output_role_name(roles[i]));
        POV_TRY(compare_shape(key, &contract->outputs[roles[i]], outputs[i].size, outputs[i].dims));
        d->outputs[roles[i]] = outputs[i];
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
    model_heading_row(numbers, &d->contract, d->outputs, row);
    return pov_heading_decode(&d->contract.heading, numbers);
}

pov_status pov_detector_run(pov_detector *detector, pov_detections *detections, const pov_image *image)
{
    input_fit letterbox;
    POV_REQUIRE(pov_model_finds(detector->contract.layout));
    detections->len = 0;
    detections->truncated = false;
    POV_TRY(run_on_image(detector, &letterbox, image));
    POV_TRY(model_decode(&detector->candidates, &detector->contract, detector->outputs));
    detections->truncated = model_suppress(&detector->candidates, &detector->contract, POV_DETECTION_MAX);
    for (int i = 0; i < detector->candidates.len; i++) {
        const pov_candidate *c = &detector->candidates.list[i];
        detections->detections[detections->len++] = (pov_detection){
            c->class_index, c->score, undo_letterbox(&letterbox, c->left, c->top, c->right, c->bottom),
            heading_of(detector, c->row)};
    }
    return pov_ok();
}

/* ---- headings of crops ---- */

static int cut_side(double px, int side_px)
{
    return (int)fmin(fmax(px, 0), side_px);
}

/* The part of the image that a box and a margin around it cover; one pixel at least. */
static pov_image crop_image(const pov_image *image, const pov_pixel_box *box, double margin)
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
    return part;
}

pov_status pov_detector_run_heading(pov_detector *detector, pov_seen_heading *seen, const pov_image *image,
                                    const pov_pixel_box *box)
{
    const pov_image part = crop_image(image, box, detector->contract.crop_margin);
    input_fit letterbox;
    POV_REQUIRE(detector->contract.layout == POV_LAYOUT_HEADING);
    *seen = (pov_seen_heading){.against = POV_HEADING_UNSEEN};
    POV_TRY(run_on_image(detector, &letterbox, &part));
    *seen = heading_of(detector, 0);
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
    enum { EACH = POV_GOLDEN_MAX / POV_OUTPUT_ROLE_COUNT };
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

pov_status pov_detector_record_golden(pov_detector *detector, pov_golden *golden, int seed)
{
    *golden = (pov_golden){.seed = seed};
    POV_TRY(look_at_golden(detector, seed + 1));
    float *of_another = copy_outputs(detector);
    if (!of_another)
        return pov_error("detector: out of memory");
    const pov_status status = look_at_golden(detector, seed);
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
