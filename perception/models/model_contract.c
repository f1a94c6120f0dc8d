#include "perception/models/model_contract.h"

#include <assert.h>
#include <stddef.h>

/* NULL beyond them. */
#define NAMES(FUNCTION, COUNT, ...)                                                                          \
    const char *FUNCTION(int value)                                                                          \
    {                                                                                                        \
        static const char *const names[] = {__VA_ARGS__};                                                    \
        static_assert(sizeof names / sizeof *names == (COUNT), "a name for each");                           \
        return value >= 0 && value < (COUNT) ? names[value] : NULL;                                          \
    }

NAMES(pov_model_layout_name, POV_LAYOUT_COUNT, "yolox", "yolov5", "yolov8", "yolo26", "rtdetr", "rtdetr_post",
      "rfdetr", "nanodet", "heading", "depth", "fastestdet", "ssd", "face", "movenet", "simcc")
NAMES(pov_fit_name, POV_FIT_COUNT, "letterbox_center", "letterbox_top_left", "stretch")
NAMES(pov_output_role_name, POV_OUTPUT_ROLE_COUNT, "rows", "boxes", "scores", "labels", "heading", "symmetry",
      "depth", "objectness", "landmarks", "simcc_x", "simcc_y")
NAMES(pov_heading_kind_name, POV_HEADING_KIND_COUNT, "none", "bins", "sine_cosine", "rotation_6d",
      "rotation_9d", "euler")
NAMES(pov_bin_offset_name, POV_BIN_OFFSET_COUNT, "none", "radians", "sine_cosine")
NAMES(pov_nothing_slot_name, POV_NOTHING_COUNT, "nowhere", "first", "last")
NAMES(pov_box_form_name, POV_BOX_FORM_COUNT, "corners", "center", "cells", "priors", "corners_yx")
NAMES(pov_euler_angle_name, POV_EULER_COUNT, "yaw", "pitch", "roll")

/* ---- sizes ---- */

int pov_model_input_width(const pov_model_input *input)
{
    return input->tensor.size[input->channels_last ? 2 : 3];
}

int pov_model_input_height(const pov_model_input *input)
{
    return input->tensor.size[input->channels_last ? 1 : 2];
}

/* ---- outputs ---- */

/* NanoDet's rows, in two halves. */
static bool is_split(const pov_model_contract *contract)
{
    return contract->layout == POV_LAYOUT_NANODET && contract->outputs[POV_OUTPUT_ROWS].dims == 0;
}

static bool needs_output(const pov_model_contract *contract, pov_output_role role)
{
    static const bool needs[][POV_OUTPUT_ROLE_COUNT] = {
        [POV_LAYOUT_YOLOX] = {[POV_OUTPUT_ROWS] = true},
        [POV_LAYOUT_YOLOV5] = {[POV_OUTPUT_ROWS] = true},
        [POV_LAYOUT_YOLOV8] = {[POV_OUTPUT_ROWS] = true},
        [POV_LAYOUT_YOLO26] = {[POV_OUTPUT_ROWS] = true},
        [POV_LAYOUT_RTDETR] = {[POV_OUTPUT_BOXES] = true, [POV_OUTPUT_SCORES] = true},
        [POV_LAYOUT_RTDETR_POST] =
            {[POV_OUTPUT_BOXES] = true, [POV_OUTPUT_SCORES] = true, [POV_OUTPUT_LABELS] = true},
        [POV_LAYOUT_RFDETR] = {[POV_OUTPUT_BOXES] = true, [POV_OUTPUT_SCORES] = true},
        [POV_LAYOUT_NANODET] = {[POV_OUTPUT_ROWS] = true},
        [POV_LAYOUT_HEADING] = {[POV_OUTPUT_HEADING] = true},
        [POV_LAYOUT_DEPTH] = {[POV_OUTPUT_DEPTH] = true},
        [POV_LAYOUT_FASTESTDET] = {[POV_OUTPUT_ROWS] = true},
        [POV_LAYOUT_SSD] = {[POV_OUTPUT_BOXES] = true, [POV_OUTPUT_SCORES] = true},
        [POV_LAYOUT_FACE] = {[POV_OUTPUT_BOXES] = true, [POV_OUTPUT_SCORES] = true},
        [POV_LAYOUT_MOVENET] = {[POV_OUTPUT_ROWS] = true},
        [POV_LAYOUT_SIMCC] = {[POV_OUTPUT_SIMCC_X] = true, [POV_OUTPUT_SIMCC_Y] = true},
    };
    static_assert(sizeof needs / sizeof *needs == POV_LAYOUT_COUNT, "outputs of each layout");
    if (is_split(contract))
        return role == POV_OUTPUT_BOXES || role == POV_OUTPUT_SCORES;
    return needs[contract->layout][role];
}

bool pov_model_finds(pov_model_layout layout)
{
    return !pov_model_sees_crops(layout) && layout != POV_LAYOUT_DEPTH;
}

bool pov_model_sees_crops(pov_model_layout layout)
{
    return layout == POV_LAYOUT_HEADING || layout == POV_LAYOUT_SIMCC;
}

/* Heading and symmetry: only if the contract has a heading. */
static bool may_have_output(const pov_model_contract *contract, pov_output_role role)
{
    const bool of_heading = role == POV_OUTPUT_HEADING || role == POV_OUTPUT_SYMMETRY;
    const bool of_face = role == POV_OUTPUT_OBJECTNESS || role == POV_OUTPUT_LANDMARKS;
    return needs_output(contract, role) || (of_heading && contract->heading.kind != POV_HEADING_NONE) ||
           (of_face && contract->layout == POV_LAYOUT_FACE);
}

double pov_model_usual_overlap(pov_model_layout layout)
{
    const bool finished = layout == POV_LAYOUT_YOLO26 || layout == POV_LAYOUT_MOVENET ||
                          layout == POV_LAYOUT_RTDETR || layout == POV_LAYOUT_RTDETR_POST ||
                          layout == POV_LAYOUT_RFDETR;
    return finished ? 1 : 0.45;
}

/* One number a row, or one row: [1, N]. */
static bool is_flat(const pov_model_contract *contract, pov_output_role role)
{
    const bool of_heading = role == POV_OUTPUT_HEADING || role == POV_OUTPUT_SYMMETRY;
    if (contract->layout == POV_LAYOUT_HEADING)
        return of_heading;
    return contract->layout == POV_LAYOUT_RTDETR_POST &&
           (role == POV_OUTPUT_SCORES || role == POV_OUTPUT_LABELS);
}

/* [1, H, W] or [1, 1, H, W]. */
static bool depth_table(pov_output_table *table, const pov_tensor_shape *shape)
{
    const int *size = shape->size + shape->dims - 2;
    *table = (pov_output_table){0};
    if ((shape->dims != 3 && shape->dims != 4) || shape->size[0] != 1 ||
        (shape->dims == 4 && shape->size[1] != 1) || size[0] < 1 || size[0] > POV_MODEL_SIDE_MAX_PX ||
        size[1] < 1 || size[1] > POV_MODEL_SIDE_MAX_PX)
        return false;
    *table = (pov_output_table){size[0], size[1], size[1], 1};
    return true;
}

/* Of one thing, in any shape: a rotation [1, 3, 3], points [1, 1, K, 3]. */
static bool is_one_row(const pov_model_contract *contract, pov_output_role role)
{
    return (contract->layout == POV_LAYOUT_HEADING && role == POV_OUTPUT_HEADING) ||
           (contract->layout == POV_LAYOUT_MOVENET && contract->outputs[role].dims == 4);
}

static bool one_row(pov_output_table *table, const pov_tensor_shape *shape)
{
    long columns = 1;
    for (int i = 1; i < shape->dims && columns <= POV_MODEL_ROWS_MAX; i++)
        columns *= shape->size[i];
    if (shape->dims < 2 || shape->size[0] != 1 || columns < 1 || columns > POV_MODEL_ROWS_MAX)
        return false;
    *table = (pov_output_table){1, (int)columns, (int)columns, 1};
    return true;
}

bool pov_model_output_table(pov_output_table *table, const pov_model_contract *contract, pov_output_role role)
{
    if (role == POV_OUTPUT_DEPTH)
        return depth_table(table, &contract->outputs[role]);
    const pov_tensor_shape *shape = &contract->outputs[role];
    const int dims = is_flat(contract, role) ? 2 : 3;
    *table = (pov_output_table){0};
    if (is_one_row(contract, role))
        return one_row(table, shape);
    if (shape->dims != dims || shape->size[0] != 1)
        return false;
    const int outer = shape->size[1], inner = dims == 3 ? shape->size[2] : 1;
    if (dims == 2 && contract->layout == POV_LAYOUT_HEADING)
        *table = (pov_output_table){1, outer, outer, 1};
    else if (contract->layout == POV_LAYOUT_YOLOV8 && role == POV_OUTPUT_ROWS)
        *table = (pov_output_table){inner, outer, 1, inner};
    else
        *table = (pov_output_table){outer, inner, inner, 1};
    return outer > 0 && inner > 0 && table->rows <= POV_MODEL_ROWS_MAX;
}

bool pov_model_part_table(pov_output_table *table, const pov_tensor_shape *shape, bool columns_first)
{
    const int dims = shape->dims, at = columns_first ? 1 : dims - 1;
    long rows = 1;
    *table = (pov_output_table){0};
    if (dims < 2 || (dims > 2 && shape->size[0] != 1) || (dims == 2 && columns_first && shape->size[0] != 1))
        return false;
    for (int i = 0; i < dims; i++)
        if (i != at && rows <= POV_MODEL_ROWS_MAX)
            rows *= shape->size[i];
    if (rows < 1 || rows > POV_MODEL_ROWS_MAX || shape->size[at] < 1)
        return false;
    *table = columns_first ? (pov_output_table){(int)rows, shape->size[at], 1, (int)rows}
                           : (pov_output_table){(int)rows, shape->size[at], shape->size[at], 1};
    return true;
}

bool pov_model_join_parts(pov_tensor_shape *joined, const pov_output_parts *parts)
{
    pov_output_table table;
    *joined = (pov_tensor_shape){.dims = 3, .size = {1, 0, 0}};
    for (int i = 0; i < parts->len; i++) {
        if (!pov_model_part_table(&table, &parts->part[i], parts->columns_first) ||
            (i > 0 && table.columns != joined->size[2]) || joined->size[1] + table.rows > POV_MODEL_ROWS_MAX)
            return false;
        joined->size[1] += table.rows;
        joined->size[2] = table.columns;
    }
    return parts->len > 0;
}

int pov_model_rows(const pov_model_contract *contract)
{
    pov_output_table table;
    const bool has_rows = contract->outputs[POV_OUTPUT_ROWS].dims > 0;
    if (!pov_model_finds(contract->layout))
        return 1;
    return pov_model_output_table(&table, contract, has_rows ? POV_OUTPUT_ROWS : POV_OUTPUT_BOXES)
               ? table.rows
               : 0;
}

int pov_heading_angle_columns(const pov_heading_contract *heading)
{
    static const int per_bin[POV_BIN_OFFSET_COUNT] = {1, 2, 3};
    static const int others[POV_HEADING_KIND_COUNT] = {0, 0, 2, 6, 9, POV_EULER_COUNT};
    return heading->kind == POV_HEADING_BINS ? heading->bins * per_bin[heading->offset]
                                             : others[heading->kind];
}

int pov_heading_columns(const pov_model_contract *contract)
{
    const bool apart = contract->outputs[POV_OUTPUT_SYMMETRY].dims > 0;
    if (contract->heading.columns > 0)
        return contract->heading.columns;
    return pov_heading_angle_columns(&contract->heading) + (apart ? 0 : contract->heading.symmetry_len);
}

/* ---- does it all fit together? ---- */

static pov_status check_input(const pov_model_input *input)
{
    const int *size = input->tensor.size;
    if (input->tensor.dims != 4 || size[0] != 1 || size[input->channels_last ? 3 : 1] != 3)
        return pov_error(
            "input.shape: expected [1, 3, height, width], or [1, height, width, 3] with order: nhwc");
    for (int i = 1; i < 4; i++)
        if (size[i] < 1 || size[i] > POV_MODEL_SIDE_MAX_PX)
            return pov_error("input.shape: sides are 1 to %d pixels; found %d", POV_MODEL_SIDE_MAX_PX,
                             size[i]);
    for (int c = 0; c < 3; c++)
        if (!(input->std[c] > 0))
            return pov_error("input.std: found %g; it divides, and must be above 0", input->std[c]);
    return pov_ok();
}

static pov_status check_roles(const pov_model_contract *contract)
{
    const char *layout = pov_model_layout_name(contract->layout);
    for (int role = 0; role < POV_OUTPUT_ROLE_COUNT; role++) {
        const bool there = contract->outputs[role].dims > 0;
        if (!there && needs_output(contract, role))
            return pov_error("outputs: layout %s needs '%s'", layout, pov_output_role_name(role));
        if (there && !may_have_output(contract, role))
            return pov_error("outputs: layout %s%s has no '%s'", layout,
                             contract->heading.kind == POV_HEADING_NONE ? " without heading" : "",
                             pov_output_role_name(role));
    }
    return pov_ok();
}

/* Rows: one a cell, or one a prior of each cell. */
static int cells_of(const pov_model_contract *contract)
{
    int cells = 0;
    for (int i = 0; i < contract->stride_len; i++) {
        const int s = contract->strides[i];
        const int each = contract->box_form == POV_BOXES_PRIORS ? contract->priors[i].len : 1;
        cells += ((pov_model_input_width(&contract->input) + s - 1) / s) *
                 ((pov_model_input_height(&contract->input) + s - 1) / s) * each;
    }
    return cells;
}

/* Columns an output must have. */
static int columns_of(const pov_model_contract *contract, pov_output_role role)
{
    const bool apart = contract->outputs[POV_OUTPUT_HEADING].dims > 0;
    const int heading = apart ? 0 : pov_heading_columns(contract), classes = contract->class_len;
    const bool finished = contract->layout == POV_LAYOUT_RTDETR_POST;
    switch (role) {
    case POV_OUTPUT_BOXES:
        return contract->layout == POV_LAYOUT_NANODET ? 4 * contract->distance_bins : 4 + heading;
    case POV_OUTPUT_OBJECTNESS:
        return 1;
    case POV_OUTPUT_LANDMARKS:
        return 2 * contract->keypoint_len;
    case POV_OUTPUT_SIMCC_X:
    case POV_OUTPUT_SIMCC_Y: {
        pov_output_table table;
        return pov_model_output_table(&table, contract, role) ? table.columns : 0; /* any number of bins */
    }
    case POV_OUTPUT_SCORES:
        return finished ? 1 : classes + (contract->nothing != POV_NOTHING_NOWHERE);
    case POV_OUTPUT_LABELS:
        return 1;
    case POV_OUTPUT_HEADING:
        return pov_heading_columns(contract);
    case POV_OUTPUT_SYMMETRY:
        return contract->heading.symmetry_len;
    default:
        break;
    }
    if (contract->layout == POV_LAYOUT_NANODET)
        return classes + 4 * contract->distance_bins + heading;
    if (contract->layout == POV_LAYOUT_MOVENET)
        return 3 * contract->keypoint_len + (contract->outputs[role].dims == 4 ? 0 : POV_MOVENET_BOX);
    const int behind = contract->extra_columns + contract->keypoint_len * contract->keypoint_columns;
    if (contract->layout == POV_LAYOUT_YOLO26)
        return 6 + behind + heading;
    return 4 + (contract->layout != POV_LAYOUT_YOLOV8) + classes + behind + heading;
}

static bool is_gridded(const pov_model_contract *contract)
{
    const bool has_forms = contract->layout == POV_LAYOUT_SSD || contract->layout == POV_LAYOUT_FACE;
    return contract->layout == POV_LAYOUT_YOLOX || contract->layout == POV_LAYOUT_NANODET ||
           contract->layout == POV_LAYOUT_FASTESTDET ||
           (has_forms && (contract->box_form == POV_BOXES_CELLS || contract->box_form == POV_BOXES_PRIORS));
}

static pov_status check_output(const pov_model_contract *contract, pov_output_role role)
{
    const char *name = pov_output_role_name(role), *layout = pov_model_layout_name(contract->layout);
    if (role == POV_OUTPUT_DEPTH) {
        pov_output_table map;
        return pov_model_output_table(&map, contract, role)
                   ? pov_ok()
                   : pov_error("outputs.depth.shape: expected [1, height, width] or [1, 1, height, width], "
                               "sides up "
                               "to %d",
                               POV_MODEL_SIDE_MAX_PX);
    }
    const int columns = columns_of(contract, role);
    const int rows = is_gridded(contract)                   ? cells_of(contract)
                     : contract->layout == POV_LAYOUT_SIMCC ? contract->keypoint_len
                                                            : pov_model_rows(contract);
    pov_output_table table;
    if (!pov_model_output_table(&table, contract, role))
        return pov_error(
            "outputs.%s.shape: layout %s has %s, one image at a time, up to %d rows", name, layout,
            is_flat(contract, role) || is_one_row(contract, role)              ? "[1, N]"
            : contract->layout == POV_LAYOUT_YOLOV8 && role == POV_OUTPUT_ROWS ? "[1, columns, rows]"
                                                                               : "[1, rows, columns]",
            POV_MODEL_ROWS_MAX);
    if (table.columns != columns)
        return pov_error(
            "outputs.%s.shape: %d columns; layout %s with %d classes and %d numbers of heading makes %d",
            name, table.columns, layout, contract->class_len, pov_heading_columns(contract), columns);
    if (table.rows != rows)
        return pov_error("outputs.%s.shape: %d rows; %s %d", name, table.rows,
                         is_gridded(contract)                   ? "the input's size and the strides make"
                         : contract->layout == POV_LAYOUT_SIMCC ? "keypoints.count is"
                                                                : "the boxes have",
                         rows);
    return pov_ok();
}

static pov_status check_heading(const pov_model_contract *contract)
{
    const pov_heading_contract *heading = &contract->heading;
    if (contract->layout == POV_LAYOUT_HEADING && heading->kind == POV_HEADING_NONE)
        return pov_error("heading: layout heading needs one");
    if (heading->kind == POV_HEADING_BINS && (heading->bins < 2 || heading->bins > POV_MODEL_BIN_MAX))
        return pov_error("heading.bins: found %d; 2 to %d are possible", heading->bins, POV_MODEL_BIN_MAX);
    if (heading->columns > 3 * POV_MODEL_BIN_MAX)
        return pov_error("heading.columns: found %d; up to %d are possible", heading->columns,
                         3 * POV_MODEL_BIN_MAX);
    if (heading->columns > 0 &&
        heading->first_column + pov_heading_angle_columns(heading) + heading->symmetry_len > heading->columns)
        return pov_error("heading.columns: %d; from first_column %d on there are %d numbers to read",
                         heading->columns, heading->first_column,
                         pov_heading_angle_columns(heading) + heading->symmetry_len);
    if (heading->confidence_column > 0 && heading->confidence_column + 2 > heading->columns)
        return pov_error("heading.confidence_column: %d and the one behind it are not among the %d columns",
                         heading->confidence_column, heading->columns);
    if (heading->sigmoid && (heading->probabilities || heading->kind != POV_HEADING_BINS))
        return pov_error("heading.sigmoid: belongs to bins that are logits");
    if (heading->kind == POV_HEADING_EULER &&
        (heading->order[0] == heading->order[1] || heading->order[1] == heading->order[2] ||
         heading->order[0] == heading->order[2]))
        return pov_error("heading.order: expected yaw, pitch and roll, each once");
    if (heading->symmetry_len == 0 && contract->outputs[POV_OUTPUT_SYMMETRY].dims > 0)
        return pov_error(
            "heading.symmetry: missing; say which order each number of outputs.symmetry stands for");
    return pov_ok();
}

static pov_status check_priors(const pov_model_contract *contract)
{
    if (contract->box_form != POV_BOXES_PRIORS)
        return pov_ok();
    for (int i = 0; i < contract->stride_len; i++)
        if (contract->priors[i].len == 0)
            return pov_error("priors: stride %d has none; name a list of sizes for each stride",
                             contract->strides[i]);
    return pov_ok();
}

static pov_status check_columns_behind(const pov_model_contract *contract)
{
    const char *layout = pov_model_layout_name(contract->layout);
    const bool rows = contract->layout == POV_LAYOUT_YOLOV8 || contract->layout == POV_LAYOUT_YOLO26 ||
                      contract->layout == POV_LAYOUT_YOLOV5;
    if (!rows && (contract->extra_columns > 0 || contract->keypoint_columns > 0))
        return pov_error("%s: layout %s has none behind its classes",
                         contract->extra_columns > 0 ? "extra_columns" : "keypoints", layout);
    if (contract->rotated && contract->extra_columns == 0)
        return pov_error("rotated: the turn is the last of extra_columns, of which there are none");
    if (contract->layout == POV_LAYOUT_FACE && contract->outputs[POV_OUTPUT_LANDMARKS].dims > 0 &&
        contract->keypoint_len == 0)
        return pov_error("keypoints: missing; say how many points outputs.landmarks has, often 5");
    if ((contract->layout == POV_LAYOUT_MOVENET || contract->layout == POV_LAYOUT_SIMCC) &&
        contract->keypoint_len == 0)
        return pov_error("keypoints: missing; say how many points the network tells, often {count: 17}");
    if (contract->layout == POV_LAYOUT_MOVENET && contract->class_len != 1)
        return pov_error("classes: layout movenet finds one, often [person]; found %d", contract->class_len);
    return pov_ok();
}

pov_status pov_model_contract_check(const pov_model_contract *contract)
{
    POV_TRY(check_input(&contract->input));
    POV_TRY(check_heading(contract));
    POV_TRY(check_roles(contract));
    if (pov_model_finds(contract->layout) && contract->class_len == 0)
        return pov_error("classes: missing; name them in the network's order");
    if (is_gridded(contract) && contract->stride_len == 0)
        return pov_error("strides: missing; layout %s has some, often [8, 16, 32]",
                         pov_model_layout_name(contract->layout));
    if (!is_gridded(contract) && contract->stride_len > 0)
        return pov_error("strides: layout %s has none", pov_model_layout_name(contract->layout));
    POV_TRY(check_priors(contract));
    POV_TRY(check_columns_behind(contract));
    if (contract->layout != POV_LAYOUT_NANODET && contract->distance_bins > 0)
        return pov_error("distance_bins: layout %s has none", pov_model_layout_name(contract->layout));
    if (contract->layout != POV_LAYOUT_RTDETR && contract->layout != POV_LAYOUT_RFDETR &&
        contract->layout != POV_LAYOUT_SSD && contract->layout != POV_LAYOUT_FACE &&
        contract->nothing != POV_NOTHING_NOWHERE)
        return pov_error("nothing: layout %s has no such class", pov_model_layout_name(contract->layout));
    if (contract->layout == POV_LAYOUT_NANODET && contract->distance_bins < 2)
        return pov_error("distance_bins: missing; layout nanodet has some, often 8");
    for (int role = 0; role < POV_OUTPUT_ROLE_COUNT; role++)
        if (contract->outputs[role].dims)
            POV_TRY(check_output(contract, role));
    return pov_ok();
}
