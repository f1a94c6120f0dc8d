#include "config/models/model_guess_internal.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- remarks ---- */

void pov_guess_remark(char *remarks, const char *format, ...)
{
    char line[300];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    const size_t length = strlen(remarks);
    snprintf(remarks + length, POV_REMARKS_CAPACITY - length, "# %s\n", line);
}

/* ---- classes ---- */

bool pov_guess_has_task(const pov_onnx_summary *summary, const char *task)
{
    return summary->task.length == strlen(task) &&
           memcmp(summary->task.text, task, summary->task.length) == 0;
}

/* {0: 'person', 1: 'bicycle'}: what stands between quotes. Without a contract they are counted. */
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
        if (contract)
            snprintf(contract->classes[len], POV_NAME_CAPACITY, "%.*s", length, at);
        len++;
        at = close + 1;
    }
    return len;
}

int pov_guess_named_classes(const pov_onnx_summary *summary)
{
    return quoted_names(NULL, summary->class_names);
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
    if (contract->layout == POV_LAYOUT_FACE || contract->layout == POV_LAYOUT_MOVENET) {
        snprintf(contract->classes[0], POV_NAME_CAPACITY,
                 contract->layout == POV_LAYOUT_FACE ? "face" : "person");
        return;
    }
    for (int i = 0; i < contract->class_len; i++) {
        if (contract->class_len == 80 || contract->class_len == 91)
            copy_coco_name(contract->classes[i], i, contract->class_len == 91);
        else
            snprintf(contract->classes[i], POV_NAME_CAPACITY, "class_%d", i);
    }
    if (contract->class_len > 0)
        pov_guess_remark(remarks, "classes: the model does not name them; %s",
                         contract->class_len == 80 || contract->class_len == 91
                             ? "COCO's assumed, by their number"
                             : "write their names, in its order");
}

/* ---- input ---- */

bool pov_guess_read_pair(int pair[2], pov_onnx_text text)
{
    char copy[40], *end;
    if (text.length == 0 || text.length >= sizeof copy)
        return false;
    memcpy(copy, text.text, text.length);
    copy[text.length] = '\0';
    const char *at = copy + strcspn(copy, "0123456789");
    pair[0] = (int)strtol(at, &end, 10);
    at = end + strcspn(end, "0123456789");
    pair[1] = (int)strtol(at, &end, 10);
    return pair[0] > 0 && pair[0] <= POV_MODEL_SIDE_MAX_PX && pair[1] > 0 && pair[1] <= POV_MODEL_SIDE_MAX_PX;
}

void pov_model_close_sizes(pov_onnx_summary *summary)
{
    enum { USUAL_PX = 640 }; /* most detectors are trained at it */
    int sides[2];
    if (!pov_guess_read_pair(sides, summary->image_size))
        sides[0] = sides[1] = USUAL_PX;
    for (int i = 0; i < summary->input_len; i++) {
        pov_tensor_shape *input = &summary->inputs[i];
        const int height_at = input->dims == 4 && input->size[3] == 3 ? 1 : 2;
        for (int k = 0; k < input->dims; k++)
            if (input->size[k] == 0)
                input->size[k] = k == 0 ? 1 : sides[k > height_at];
    }
}

static pov_status guess_input(pov_model_contract *contract, const pov_onnx_summary *summary)
{
    pov_model_input *input = &contract->input;
    input->tensor = summary->inputs[0];
    const int *size = input->tensor.size;
    if (input->tensor.dims == 4 && size[0] > 1 && (size[1] == 3 || size[3] == 3))
        return pov_error(
            "its input '%s' takes %d images at a time; export it for one, or with the number left open",
            input->tensor.name, size[0]);
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
    static const pov_model_input fastestdet = {
        .bgr = true, .fit = POV_FIT_STRETCH, .scale = 1.0 / 255, .std = {1, 1, 1}};
    static const pov_model_input ssd = {
        .fit = POV_FIT_STRETCH, .scale = 1, .mean = {127, 127, 127}, .std = {128, 128, 128}};
    static const pov_model_input movenet = {.fit = POV_FIT_LETTERBOX_CENTRE, .scale = 1, .std = {1, 1, 1}};
    static const pov_model_input rtmpose = {.fit = POV_FIT_LETTERBOX_CENTRE,
                                            .scale = 1,
                                            .mean = {123.675, 116.28, 103.53},
                                            .std = {58.395, 57.12, 57.375}};
    static const pov_model_input retinaface = {.bgr = true,
                                               .fit = POV_FIT_LETTERBOX_TOP_LEFT,
                                               .scale = 1,
                                               .mean = {104, 117, 123},
                                               .std = {1, 1, 1}};
    static const pov_model_input ssd300 = {
        .fit = POV_FIT_STRETCH, .scale = 1, .mean = {123, 117, 104}, .std = {1, 1, 1}};
    static const pov_model_input tensorflow = {.fit = POV_FIT_STRETCH, .scale = 1, .std = {1, 1, 1}};
    static const pov_model_input yunet = {
        .bgr = true, .fit = POV_FIT_LETTERBOX_TOP_LEFT, .scale = 1, .std = {1, 1, 1}};
    static const pov_model_input head = {.bgr = true,
                                         .fit = POV_FIT_STRETCH,
                                         .scale = 1,
                                         .mean = {127.5, 127.5, 127.5},
                                         .std = {128, 128, 128}};
    static const pov_model_input *const usual[] = {[POV_LAYOUT_YOLOX] = &yolox,
                                                   [POV_LAYOUT_YOLOV5] = &ultralytics,
                                                   [POV_LAYOUT_YOLOV8] = &ultralytics,
                                                   [POV_LAYOUT_YOLO26] = &ultralytics,
                                                   [POV_LAYOUT_RTDETR] = &rtdetr,
                                                   [POV_LAYOUT_RTDETR_POST] = &rtdetr,
                                                   [POV_LAYOUT_RFDETR] = &imagenet,
                                                   [POV_LAYOUT_NANODET] = &nanodet,
                                                   [POV_LAYOUT_HEADING] = &imagenet,
                                                   [POV_LAYOUT_DEPTH] = &imagenet,
                                                   [POV_LAYOUT_FASTESTDET] = &fastestdet,
                                                   [POV_LAYOUT_SSD] = &ssd,
                                                   [POV_LAYOUT_FACE] = &ssd,
                                                   [POV_LAYOUT_MOVENET] = &movenet,
                                                   [POV_LAYOUT_SIMCC] = &rtmpose};
    pov_model_input *input = &contract->input;
    const bool by_cells = contract->layout == POV_LAYOUT_FACE && contract->box_form == POV_BOXES_CELLS;
    const bool of_head =
        contract->layout == POV_LAYOUT_HEADING && contract->heading.kind == POV_HEADING_EULER;
    const bool of_queries = contract->layout == POV_LAYOUT_SSD && contract->box_form == POV_BOXES_CENTRE;
    const bool by_yolo = contract->layout == POV_LAYOUT_RTDETR_POST &&
                         strcmp(contract->outputs[POV_OUTPUT_BOXES].name, "det_boxes") == 0;
    const bool by_priors = contract->box_form == POV_BOXES_PRIORS;
    const bool by_retinaface = contract->layout == POV_LAYOUT_FACE && contract->keypoint_len > 0;
    const bool by_ssd300 = by_priors && contract->stride_len == 6 && contract->strides[0] == 8;
    const bool by_tensorflow = contract->box_form == POV_BOXES_CORNERS_YX;
    const pov_model_input *from = by_cells        ? &yunet
                                  : by_retinaface ? &retinaface
                                  : by_ssd300     ? &ssd300
                                  : by_tensorflow ? &tensorflow
                                  : of_head       ? &head
                                  : of_queries    ? &imagenet
                                  : by_yolo       ? &ultralytics
                                                  : usual[contract->layout];
    input->bgr = from->bgr;
    input->fit = from->fit;
    const bool of_points = contract->layout == POV_LAYOUT_MOVENET || contract->layout == POV_LAYOUT_SIMCC;
    input->fill = by_cells || of_points ? 0 : 114;
    input->scale = from->scale;
    memcpy(input->mean, from->mean, sizeof input->mean);
    memcpy(input->std, from->std, sizeof input->std);
    pov_guess_remark(remarks,
                     "input: color, fit, scale, mean and std are what %s usually has; the model does not say",
                     by_cells        ? "YuNet"
                     : by_retinaface ? "RetinaFace"
                     : by_ssd300     ? "SSD300"
                     : by_tensorflow ? "TensorFlow's object detection"
                     : of_head       ? "FSA-Net"
                     : of_queries    ? "DETR"
                                     : pov_model_layout_name(contract->layout));
}

pov_status pov_model_guess(pov_model_contract *contract, char remarks[POV_REMARKS_CAPACITY],
                           const pov_onnx_summary *summary, const pov_tensor *seen)
{
    pov_guessing guessing = {contract, remarks, summary, seen};
    memset(contract, 0, sizeof *contract);
    *remarks = '\0';
    POV_TRY(guess_input(contract, summary));
    POV_TRY(pov_guess_outputs(&guessing));
    if (contract->class_len < 0 || contract->class_len > POV_MODEL_CLASS_MAX)
        return pov_error("its outputs would make %d classes; 1 to %d are possible", contract->class_len,
                         POV_MODEL_CLASS_MAX);
    guess_classes(contract, remarks, summary);
    guess_preparation(contract, remarks);
    contract->score_min = 0.5;
    const bool of_queries = contract->layout == POV_LAYOUT_SSD && contract->box_form == POV_BOXES_CENTRE;
    contract->overlap_max = of_queries ? 1 : pov_model_usual_overlap(contract->layout);
    contract->crop_margin = contract->heading.kind == POV_HEADING_EULER ? 0.2
                            : contract->layout == POV_LAYOUT_SIMCC      ? 0.125 /* MMPose: 1.25 of the box */
                                                                        : 0.1;
    if (contract->layout == POV_LAYOUT_MOVENET)
        contract->score_min = 0.3; /* its own examples draw from 0.2 to 0.3 on */
    return pov_model_contract_check(contract);
}
