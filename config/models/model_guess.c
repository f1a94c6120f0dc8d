#include "config/models/model_guess.h"

#include "perception/models/model_contract.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* ---- remarks ---- */

static void add_remark(char *remarks, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void add_remark(char *remarks, const char *format, ...)
{
    char line[300];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    const size_t length = strlen(remarks);
    snprintf(remarks + length, POV_REMARKS_CAPACITY - length, "# %s\n", line);
}

/* ---- outputs ---- */

static const pov_tensor_shape *find_shape(const pov_onnx_summary *summary, const char *name)
{
    for (int i = 0; i < summary->output_len; i++)
        if (strcmp(summary->outputs[i].name, name) == 0 && summary->outputs[i].dims > 0)
            return &summary->outputs[i];
    return NULL;
}

static bool take_layout(pov_model_contract *contract, pov_output_role role, const pov_tensor_shape *shape)
{
    if (shape)
        contract->outputs[role] = *shape;
    return shape != NULL;
}

static int count_cells(const pov_model_contract *contract, int stride_len)
{
    int sum = 0;
    for (int i = 0, s = 8; i < stride_len; i++, s *= 2)
        sum += ((pov_model_input_width(&contract->input) + s - 1) / s) *
               ((pov_model_input_height(&contract->input) + s - 1) / s);
    return sum;
}

static void set_strides(pov_model_contract *contract, int len)
{
    contract->stride_len = len;
    for (int i = 0; i < len; i++)
        contract->strides[i] = 8 << i;
}

enum { NANODET_BINS = 8 };

/* Rows by their number: a row a cell of the usual strides, or three. */
static void guess_rows(pov_model_contract *contract, char *remarks, const pov_tensor_shape *shape)
{
    const int outer = shape->size[1], inner = shape->size[2];
    const bool nano_columns = inner == 80 + 4 * NANODET_BINS;
    take_layout(contract, POV_OUTPUT_ROWS, shape);
    if (inner == 6 && outer <= 1000) {
        contract->layout = POV_LAYOUT_YOLO26;
        contract->class_len = 80;
        add_remark(remarks, "classes: the output does not say how many there are; COCO's 80 assumed");
    } else if (outer < inner) {
        contract->layout = POV_LAYOUT_YOLOV8;
        contract->class_len = outer - 4;
    } else if (outer == count_cells(contract, 4) || (outer == count_cells(contract, 3) && nano_columns)) {
        contract->layout = POV_LAYOUT_NANODET;
        contract->distance_bins = NANODET_BINS;
        contract->class_len = inner - 4 * NANODET_BINS;
        set_strides(contract, outer == count_cells(contract, 4) ? 4 : 3);
        add_remark(remarks, "cell_center: 0 for NanoDet-Plus, 0.5 for the first NanoDet");
    } else if (outer == count_cells(contract, 3)) {
        contract->layout = POV_LAYOUT_YOLOX;
        contract->class_len = inner - 5;
        set_strides(contract, 3);
        add_remark(remarks,
                   "layout: yolox if its rows are cells, yolov5 if it was exported with decode_in_inference");
    } else {
        contract->layout = POV_LAYOUT_YOLOV5;
        contract->class_len = inner - 5;
        if (outer != 3 * count_cells(contract, 3))
            add_remark(remarks, "layout: %d rows are none of the usual numbers; yolov5 is a guess", outer);
    }
}

static void guess_heading(pov_model_contract *contract, char *remarks, const pov_tensor_shape *shape)
{
    pov_heading_contract *heading = &contract->heading;
    const int columns = shape->size[shape->dims - 1];
    take_layout(contract, POV_OUTPUT_HEADING, shape);
    *heading = (pov_heading_contract){.kind = POV_HEADING_BINS,
                                      .against = POV_HEADING_OF_RAY,
                                      .bins = columns,
                                      .front_axis = {1, 0, 0},
                                      .std_rad = 15 * POV_PI / 180};
    if (columns == 2)
        heading->kind = POV_HEADING_SINE_COSINE;
    if (columns == 6)
        heading->kind = POV_HEADING_ROTATION_6D;
    if (columns == 9)
        heading->kind = POV_HEADING_ROTATION_9D;
    add_remark(remarks,
               "heading: kind, against, turns, away_deg and std_deg are guesses; see docs/MODELS.md");
}

/* A map as wide and high as the input, or a half, a quarter, ... of it. */
static bool is_depth_map(const pov_tensor_shape *shape, const pov_model_input *input)
{
    const int *size = shape->size + shape->dims - 2;
    const int width = pov_model_input_width(input), height = pov_model_input_height(input);
    if ((shape->dims != 3 && shape->dims != 4) || (shape->dims == 4 && shape->size[1] != 1) || size[0] < 8 ||
        size[1] < 8 || size[0] > height)
        return false;
    return (long)size[0] * width == (long)size[1] * height && height % size[0] == 0;
}

static pov_status guess_outputs(pov_model_contract *contract, char *remarks, const pov_onnx_summary *summary)
{
    const pov_tensor_shape *boxes = find_shape(summary, "boxes"), *labels = find_shape(summary, "labels");
    const pov_tensor_shape *first = &summary->outputs[0], *heading = find_shape(summary, "heading");
    if (take_layout(contract, POV_OUTPUT_BOXES, find_shape(summary, "dets")) &&
        take_layout(contract, POV_OUTPUT_SCORES, labels)) {
        contract->layout = POV_LAYOUT_RFDETR;
        contract->class_len = labels->size[labels->dims - 1];
        add_remark(remarks,
                   "nothing: last, and one class fewer, if it was trained on classes numbered from 0");
    } else if (take_layout(contract, POV_OUTPUT_BOXES, find_shape(summary, "pred_boxes")) &&
               take_layout(contract, POV_OUTPUT_SCORES, find_shape(summary, "logits"))) {
        contract->layout = POV_LAYOUT_RTDETR;
        contract->class_len = contract->outputs[POV_OUTPUT_SCORES].size[2];
    } else if (take_layout(contract, POV_OUTPUT_BOXES, boxes) &&
               take_layout(contract, POV_OUTPUT_LABELS, labels) &&
               take_layout(contract, POV_OUTPUT_SCORES, find_shape(summary, "scores"))) {
        contract->layout = POV_LAYOUT_RTDETR_POST;
        contract->class_len = 80;
    } else if (is_depth_map(first, &contract->input)) {
        contract->layout = POV_LAYOUT_DEPTH;
        take_layout(contract, POV_OUTPUT_DEPTH, first);
        add_remark(remarks,
                   "near: large is a guess; look at two things of which one is nearer (pov model run)");
    } else if (first->dims == 2) {
        contract->layout = POV_LAYOUT_HEADING;
        guess_heading(contract, remarks, first);
    } else if (first->dims == 3) {
        guess_rows(contract, remarks, first);
    } else {
        return pov_error("its outputs are of no layout that is known; see docs/MODELS.md for those that are");
    }
    if (heading && contract->layout != POV_LAYOUT_HEADING)
        guess_heading(contract, remarks, heading);
    return pov_ok();
}

/* ---- classes ---- */

/* {0: 'person', 1: 'bicycle'}: what stands between quotes. */
static int quoted_names(pov_model_contract *contract, pov_onnx_text text)
{
    int len = 0;
    if (text.length == 0)
        return 0;
    const char *end = text.text + text.length;
    for (const char *at = text.text; at < end && len < POV_MODEL_CLASS_MAX;) {
        const char quote = *at++;
        if (quote != '\'' && quote != '"')
            continue;
        const char *close = memchr(at, quote, (size_t)(end - at));
        if (!close)
            break;
        const int length = close - at < POV_NAME_CAPACITY ? (int)(close - at) : POV_NAME_CAPACITY - 1;
        snprintf(contract->classes[len++], POV_NAME_CAPACITY, "%.*s", length, at);
        at = close + 1;
    }
    return len;
}

static bool fits_classes(const pov_model_contract *contract, int named)
{
    const bool open = contract->layout == POV_LAYOUT_YOLO26 || contract->layout == POV_LAYOUT_RTDETR_POST;
    return named > 0 && (open || named == contract->class_len);
}

/* Lin 2014. share/models/coco.txt: a line for each of cocodataset.org's numbers 0 to 90, "-" where no class has it. Most detectors are
 * trained with the 80 classes in this order; some keep the gaps. */
static void copy_coco_name(char name[POV_NAME_CAPACITY], int number, bool has_gaps)
{
    const char *line = (const char *)POV_COCO_FILES[0].bytes;
    for (int i = 0; i < number || (!has_gaps && *line == '-'); line = strchr(line, '\n') + 1)
        i += has_gaps || *line != '-';
    snprintf(name, POV_NAME_CAPACITY, "%.*s", (int)strcspn(line, "\n"), line);
}

static void guess_classes(pov_model_contract *contract, char *remarks, const pov_onnx_summary *summary)
{
    const int named = quoted_names(contract, summary->class_names);
    if (fits_classes(contract, named)) {
        contract->class_len = named;
        return;
    }
    for (int i = 0; i < contract->class_len; i++) {
        if (contract->class_len == 80 || contract->class_len == 91)
            copy_coco_name(contract->classes[i], i, contract->class_len == 91);
        else
            snprintf(contract->classes[i], POV_NAME_CAPACITY, "class_%d", i);
    }
    if (contract->class_len > 0)
        add_remark(remarks, "classes: the model does not name them; %s",
                   contract->class_len == 80 || contract->class_len == 91
                       ? "COCO's assumed, by their number"
                       : "write their names, in its order");
}

/* ---- input ---- */

static pov_status guess_input(pov_model_contract *contract, const pov_onnx_summary *summary)
{
    pov_model_input *input = &contract->input;
    input->tensor = summary->inputs[0];
    const int *size = input->tensor.size;
    if (input->tensor.dims != 4 || size[0] != 1 || (size[1] != 3 && size[3] != 3))
        return pov_error("its input '%s' is not an image of three channels, one at a time",
                         input->tensor.name);
    for (int i = 1; i < 4; i++)
        if (size[i] < 1 || size[i] > POV_MODEL_SIDE_MAX_PX)
            return pov_error("its input '%s' has a side of %d pixels; 1 to %d are possible",
                             input->tensor.name, size[i], POV_MODEL_SIDE_MAX_PX);
    input->channels_last = size[1] != 3;
    if (summary->input_len > 1)
        snprintf(input->size_input, sizeof input->size_input, "%s", summary->inputs[1].name);
    return pov_ok();
}

/* As the tools that export these layouts prepare images. */
static void guess_preparation(pov_model_contract *contract, char *remarks)
{
    static const pov_model_input yolox = {
        .bgr = true, .fit = POV_FIT_LETTERBOX_TOP_LEFT, .scale = 1, .std = {1, 1, 1}};
    static const pov_model_input ultralytics = {
        .fit = POV_FIT_LETTERBOX_CENTRE, .scale = 1.0 / 255, .std = {1, 1, 1}};
    static const pov_model_input rtdetr = {.fit = POV_FIT_STRETCH, .scale = 1.0 / 255, .std = {1, 1, 1}};
    static const pov_model_input imagenet = {.fit = POV_FIT_STRETCH,
                                             .scale = 1.0 / 255,
                                             .mean = {0.485, 0.456, 0.406},
                                             .std = {0.229, 0.224, 0.225}};
    static const pov_model_input nanodet = {.bgr = true,
                                            .fit = POV_FIT_STRETCH,
                                            .scale = 1,
                                            .mean = {103.53, 116.28, 123.675},
                                            .std = {57.375, 57.12, 58.395}};
    static const pov_model_input *const usual[] = {
        [POV_LAYOUT_YOLOX] = &yolox,        [POV_LAYOUT_YOLOV5] = &ultralytics,
        [POV_LAYOUT_YOLOV8] = &ultralytics, [POV_LAYOUT_YOLO26] = &ultralytics,
        [POV_LAYOUT_RTDETR] = &rtdetr,      [POV_LAYOUT_RTDETR_POST] = &rtdetr,
        [POV_LAYOUT_RFDETR] = &imagenet,    [POV_LAYOUT_NANODET] = &nanodet,
        [POV_LAYOUT_HEADING] = &imagenet,   [POV_LAYOUT_DEPTH] = &imagenet};
    pov_model_input *input = &contract->input;
    const pov_model_input *from = usual[contract->layout];
    input->bgr = from->bgr;
    input->fit = from->fit;
    input->fill = 114;
    input->scale = from->scale;
    memcpy(input->mean, from->mean, sizeof input->mean);
    memcpy(input->std, from->std, sizeof input->std);
    add_remark(remarks,
               "input: color, fit, scale, mean and std are what %s usually has; the model does not say",
               pov_model_layout_name(contract->layout));
}

pov_status pov_model_guess(pov_model_contract *contract, char remarks[POV_REMARKS_CAPACITY],
                           const pov_onnx_summary *summary)
{
    memset(contract, 0, sizeof *contract);
    *remarks = '\0';
    POV_TRY(guess_input(contract, summary));
    POV_TRY(guess_outputs(contract, remarks, summary));
    if (contract->class_len < 0 || contract->class_len > POV_MODEL_CLASS_MAX)
        return pov_error("its outputs would make %d classes; 1 to %d are possible", contract->class_len,
                         POV_MODEL_CLASS_MAX);
    guess_classes(contract, remarks, summary);
    guess_preparation(contract, remarks);
    contract->score_min = 0.5;
    contract->overlap_max = pov_model_usual_overlap(contract->layout);
    contract->crop_margin = 0.1;
    return pov_model_contract_check(contract);
}
