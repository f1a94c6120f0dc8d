#include "config/models/model_guess_internal.h"

#include <ctype.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const pov_tensor_shape *find_shape(const pov_onnx_summary *summary, const char *name)
{
    const size_t length = strlen(name);
    for (int i = 0; i < summary->output_len; i++)
        if (strncmp(summary->outputs[i].name, name, length) == 0 && summary->outputs[i].dims > 0 &&
            (summary->outputs[i].name[length] == '\0' ||
             strcmp(summary->outputs[i].name + length, ":0") == 0))
            return &summary->outputs[i];
    return NULL;
}

static bool take_output(pov_model_contract *contract, pov_output_role role, const pov_tensor_shape *shape)
{
    if (shape)
        contract->outputs[role] = *shape;
    return shape != NULL;
}

/* The numbers that an output was seen to have; NULL: not known. */
static const float *values_of(const pov_guessing *g, const pov_tensor_shape *shape)
{
    return g->seen ? g->seen[shape - g->summary->outputs].values : NULL;
}

bool pov_guess_between(const pov_guessing *guessing, const pov_tensor_shape *shape, int first, int count,
                       double low, double high)
{
    const float *values = values_of(guessing, shape);
    pov_output_table t;
    if (!values || !pov_model_part_table(&t, shape, false))
        return true;
    for (int row = 0; row < t.rows; row++)
        for (int c = first; c < first + count; c++) {
            const double value = (double)values[(ptrdiff_t)row * t.columns + c];
            if (!(value >= low && value <= high))
                return false;
        }
    return true;
}

static bool are_probabilities(const pov_guessing *g, const pov_tensor_shape *shape)
{
    return pov_guess_between(g, shape, 0, shape->size[shape->dims - 1], -0.001, 1.01);
}

/* ---- one output of rows ---- */

static const char *rows_text(const pov_onnx_summary *summary)
{
    return summary->task.length > 0 ? "as the metadata say" : "a guess by its sizes";
}

enum { MASK_COLUMNS = 32 }; /* of Ultralytics' segmentation */

/* Ultralytics' columns behind the classes, by the task. `fixed`: columns before them. */
static pov_status guess_behind(pov_guessing *g, int columns, int fixed)
{
    pov_model_contract *contract = g->contract;
    const pov_onnx_summary *summary = g->summary;
    int points[2] = {0}, behind = 0;
    if (pov_guess_has_task(summary, "pose")) {
        if (!pov_guess_read_pair(points, summary->keypoint_shape) || points[0] > POV_KEYPOINT_MAX ||
            points[1] < 2 || points[1] > 3)
            return pov_error("no known layout: its metadata say task 'pose', but no kpt_shape of up to %d "
                             "points with 2 or 3 "
                             "numbers each",
                             POV_KEYPOINT_MAX);
        contract->keypoint_len = points[0];
        contract->keypoint_columns = points[1];
        behind = points[0] * points[1];
    } else if (pov_guess_has_task(summary, "segment")) {
        contract->extra_columns = behind = MASK_COLUMNS;
        pov_guess_remark(g->remarks, "extra_columns: %d of the masks, which are not read: boxes alone",
                         behind);
    } else if (pov_guess_has_task(summary, "obb")) {
        contract->extra_columns = behind = 1;
        contract->rotated = true;
        pov_guess_remark(g->remarks,
                         "rotated: the last column is the box's turn; the box is the upright one around it");
    } else if (summary->task.length > 0 && !pov_guess_has_task(summary, "detect")) {
        return pov_error(
            "no known layout: its metadata say task '%.*s'; detect, pose, segment and obb are known",
            summary->task.length > 40 ? 40 : (int)summary->task.length, summary->task.text);
    }
    contract->class_len = columns - fixed - behind;
    const int named = pov_guess_named_classes(summary);
    if (contract->layout == POV_LAYOUT_YOLO26)
        contract->class_len = named > 0 ? named : 80;
    if (contract->class_len < 1 || (contract->layout != POV_LAYOUT_YOLO26 && summary->task.length > 0 &&
                                    named > 0 && named != contract->class_len))
        return pov_error("no known layout: '%s' has %d columns, its metadata name %d classes of task '%.*s', "
                         "which makes %d",
                         contract->outputs[POV_OUTPUT_ROWS].name, columns, named,
                         summary->task.length > 40 ? 40 : (int)summary->task.length, summary->task.text,
                         fixed + named + behind);
    return pov_ok();
}

/* Corners, score, class. */
static pov_status guess_finished_rows(pov_guessing *g, int columns)
{
    g->contract->layout = POV_LAYOUT_YOLO26;
    if (pov_guess_has_task(g->summary, "obb"))
        return pov_error("no known layout: task 'obb' end to end; export it with nms=False, end2end=False");
    POV_TRY(guess_behind(g, columns, 6));
    const int named = pov_guess_named_classes(g->summary);
    pov_guess_remark(g->remarks,
                     "layout: yolo26, %s: corners, score and class of each thing, nothing to suppress",
                     rows_text(g->summary));
    pov_guess_remark(g->remarks, "classes: the output does not say how many there are; %s",
                     named > 0 ? "those that the metadata name" : "COCO's 80 assumed");
    return pov_ok();
}

/* Classes between 0 and 1 begin at a column. */
static bool have_scores_at(const pov_guessing *g, const pov_tensor_shape *shape, int first, int count)
{
    return count > 0 && pov_guess_between(g, shape, first, count, -0.001, 1.01);
}

static bool guess_nanodet_rows(pov_guessing *g, const pov_tensor_shape *shape, int rows, int columns)
{
    const int classes = columns - 4 * POV_GUESS_NANODET_BINS, named = pov_guess_named_classes(g->summary);
    const bool plus = rows == pov_guess_count_cells(g->contract, 4);
    const bool fits = classes > 0 && (classes == 80 || classes == named || plus);
    if (!fits || (!plus && rows != pov_guess_count_cells(g->contract, 3)) ||
        !have_scores_at(g, shape, 0, classes))
        return false;
    g->contract->layout = POV_LAYOUT_NANODET;
    g->contract->distance_bins = POV_GUESS_NANODET_BINS;
    g->contract->class_len = classes;
    g->contract->cell_centre = plus ? 0 : 0.5;
    pov_guess_set_strides(g->contract, plus ? 4 : 3);
    pov_guess_remark(g->remarks, "cell_center: 0 for NanoDet-Plus, 0.5 for the first NanoDet");
    return true;
}

static pov_status guess_rows(pov_guessing *g, const pov_tensor_shape *shape)
{
    pov_model_contract *contract = g->contract;
    const int outer = shape->size[1], inner = shape->size[2];
    take_output(contract, POV_OUTPUT_ROWS, shape);
    if (inner >= 6 && outer <= 1000 && outer >= inner && (inner == 6 || g->summary->task.length > 0))
        return guess_finished_rows(g, inner);
    if (outer < inner) {
        contract->layout = POV_LAYOUT_YOLOV8;
        pov_guess_remark(g->remarks, "layout: yolov8, %s", rows_text(g->summary));
        return guess_behind(g, outer, 4);
    }
    if (guess_nanodet_rows(g, shape, outer, inner))
        return pov_ok();
    contract->class_len = inner - 5;
    const int three = pov_guess_count_cells(contract, 3), four = pov_guess_count_cells(contract, 4);
    if (outer == three && have_scores_at(g, shape, 4, inner - 4)) {
        contract->layout = POV_LAYOUT_YOLOX;
        pov_guess_set_strides(contract, 3);
        pov_guess_remark(
            g->remarks,
            "layout: yolox if its rows are cells, yolov5 if it was exported with decode_in_inference");
        return pov_ok();
    }
    if ((outer == 3 * three || outer == 3 * four || outer == four) &&
        have_scores_at(g, shape, 4, inner - 4)) {
        contract->layout = POV_LAYOUT_YOLOV5;
        pov_guess_remark(g->remarks, "layout: yolov5, a guess by its sizes");
        return pov_ok();
    }
    return pov_error(
        "no known layout: '%s' has %d rows of %d numbers; rows of one or three a cell of strides 8 to 32 "
        "(%d, %d) with objectness and classes between 0 and 1 are known. If it is one of docs/MODELS.md, "
        "write its contract by hand",
        shape->name, outer, inner, three, 3 * three);
}

/* ---- boxes and scores apart ---- */

/* Do nearly all rows have their right edge right of the left one, and the lower below the upper? */
static bool are_corners(const pov_guessing *g, const pov_tensor_shape *shape)
{
    const float *box = values_of(g, shape);
    int ordered = 0;
    for (int row = 0; box && row < shape->size[1]; row++, box += 4)
        ordered += box[2] >= box[0] && box[3] >= box[1];
    return !box || (ordered > 0.98 * shape->size[1] && pov_guess_between(g, shape, 0, 4, -2, 3));
}

/* Scores that add up to 1, or logits of such, with "nothing" first. */
static pov_status guess_ssd(pov_guessing *g, const pov_tensor_shape *boxes, const pov_tensor_shape *scores)
{
    pov_model_contract *contract = g->contract;
    const int columns = scores->size[2];
    take_output(contract, POV_OUTPUT_BOXES, boxes);
    take_output(contract, POV_OUTPUT_SCORES, scores);
    contract->layout = columns == 2 ? POV_LAYOUT_FACE : POV_LAYOUT_SSD;
    contract->nothing = POV_NOTHING_FIRST;
    contract->class_len = columns - 1;
    contract->logits = !are_probabilities(g, scores);
    const bool is_corners = are_corners(g, boxes);
    const char *whose = is_corners ? "" : pov_guess_priors(contract, boxes->size[1], columns);
    if (!whose)
        return pov_error(
            "no known layout: '%s' has no corners: offsets from priors, perhaps, which an ONNX file does not "
            "name. Write a contract with layout: ssd, boxes: priors, and the priors (docs/MODELS.md)",
            boxes->name);
    pov_guess_remark(g->remarks,
                     "layout: %s, as SSD's: %s%s; scores of %d classes, the first of them \"nothing\"",
                     pov_model_layout_name(contract->layout),
                     is_corners ? "corners in shares of the image" : "offsets from priors, by their number ",
                     whose, columns);
    return pov_ok();
}

static bool add_up_to_one(const pov_guessing *g, const pov_tensor_shape *scores)
{
    const float *values = values_of(g, scores);
    for (int row = 0; values && row < scores->size[1]; row++, values += scores->size[2]) {
        double sum = 0;
        for (int c = 0; c < scores->size[2]; c++)
            sum += (double)values[c];
        if (!(fabs(sum - 1) < 0.01))
            return false;
    }
    return values != NULL;
}

static bool is_table(const pov_tensor_shape *shape)
{
    return shape->dims == 3 && shape->size[0] == 1 && shape->size[1] > 0 && shape->size[2] > 0;
}

/* [1, N, 4] and [1, N, C], in any order and by any name. */
static bool find_boxes_and_scores(const pov_tensor_shape **boxes, const pov_tensor_shape **scores,
                                  const pov_onnx_summary *summary)
{
    const pov_tensor_shape *one = &summary->outputs[0], *other = &summary->outputs[1];
    if (summary->output_len != 2 || !is_table(one) || !is_table(other) || one->size[1] != other->size[1])
        return false;
    const bool first = one->size[2] == 4 && (other->size[2] != 4 || strcasestr(one->name, "box"));
    *boxes = first ? one : other;
    *scores = first ? other : one;
    return (*boxes)->size[2] == 4 && (*scores)->size[2] > 1;
}

/* Boxes, two scores and five points: RetinaFace's, and those that follow it. */
static bool guess_retinaface(pov_guessing *g)
{
    enum { LANDMARK_COLUMNS = 10 };
    const pov_tensor_shape *boxes = NULL, *scores = NULL, *landmarks = NULL;
    for (int i = 0; i < g->summary->output_len; i++) {
        const pov_tensor_shape *shape = &g->summary->outputs[i];
        const int columns = is_table(shape) ? shape->size[2] : 0;
        boxes = columns == 4 ? shape : boxes;
        scores = columns == 2 ? shape : scores;
        landmarks = columns == LANDMARK_COLUMNS ? shape : landmarks;
    }
    if (g->summary->output_len != 3 || !boxes || !scores || !landmarks || boxes->size[1] != scores->size[1] ||
        boxes->size[1] != landmarks->size[1] || guess_ssd(g, boxes, scores).code != POV_OK)
        return false;
    take_output(g->contract, POV_OUTPUT_LANDMARKS, landmarks);
    g->contract->keypoint_len = LANDMARK_COLUMNS / 2;
    return true;
}

enum { QUERIES_MOST = 1000 }; /* of a DETR: 100 to 900 are usual */

static pov_status guess_pair(pov_guessing *g, const pov_tensor_shape *boxes, const pov_tensor_shape *scores)
{
    if (scores->size[2] == 2 || add_up_to_one(g, scores) || boxes->size[1] > QUERIES_MOST)
        return guess_ssd(g, boxes, scores);
    g->contract->layout = POV_LAYOUT_RTDETR;
    g->contract->class_len = scores->size[2];
    take_output(g->contract, POV_OUTPUT_BOXES, boxes);
    take_output(g->contract, POV_OUTPUT_SCORES, scores);
    pov_guess_remark(g->remarks,
                     "layout: rtdetr, as RT-DETR and D-FINE have it: %d queries, a box and %d logits each",
                     boxes->size[1], scores->size[2]);
    return pov_ok();
}

/* Carion 2020 (DETR), section 3.1: as SSD's, a softmax whose last class is "nothing", but its queries suppress nothing. COCO's numbers go
 * to 90. */
static bool guess_detr(pov_guessing *g)
{
    enum { WITH_NOTHING = 92 };
    pov_model_contract *contract = g->contract;
    if (contract->outputs[POV_OUTPUT_SCORES].dims != 3 ||
        contract->outputs[POV_OUTPUT_SCORES].size[2] != WITH_NOTHING)
        return false;
    contract->layout = POV_LAYOUT_SSD;
    contract->box_form = POV_BOXES_CENTRE;
    contract->logits = true;
    contract->nothing = POV_NOTHING_LAST;
    contract->class_len = WITH_NOTHING - 1;
    pov_guess_remark(
        g->remarks,
        "layout: ssd with boxes: center, as DETR has it (Carion 2020): a softmax over 91 classes and "
        "\"nothing\", the last; overlap_max: 1");
    return true;
}

/* ---- points ---- */

static bool guess_movenet(pov_guessing *g)
{
    enum { PEOPLE_MOST = 20, MULTIPOSE_COLUMNS = 56, POINTS_LEAST = 5 };
    const pov_tensor_shape *shape = &g->summary->outputs[0];
    const int *size = shape->size;
    const bool one = shape->dims == 4 && size[0] == 1 && size[1] == 1 && size[3] == 3 &&
                     size[2] >= POINTS_LEAST && size[2] <= POV_KEYPOINT_MAX;
    const bool several =
        shape->dims == 3 && size[0] == 1 && size[1] <= PEOPLE_MOST && size[2] == MULTIPOSE_COLUMNS;
    if (g->summary->output_len != 1 || (!one && !several))
        return false;
    g->contract->layout = POV_LAYOUT_MOVENET;
    g->contract->class_len = 1;
    g->contract->keypoint_len = one ? size[2] : (MULTIPOSE_COLUMNS - POV_MOVENET_BOX) / 3;
    take_output(g->contract, POV_OUTPUT_ROWS, shape);
    pov_guess_remark(g->remarks, "layout: movenet: y, x and score of %d points of %s, in shares of the input",
                     g->contract->keypoint_len, one ? "one person" : "each person, and a box");
    return true;
}

/* As many bins a pixel across as down. */
static bool guess_simcc(pov_guessing *g)
{
    const pov_tensor_shape *x = &g->summary->outputs[0], *y = &g->summary->outputs[1];
    const int width = pov_model_input_width(&g->contract->input),
              height = pov_model_input_height(&g->contract->input);
    if (g->summary->output_len != 2 || !is_table(x) || !is_table(y) || x->size[1] != y->size[1] ||
        x->size[2] % width != 0 || y->size[2] != x->size[2] / width * height)
        return false;
    g->contract->layout = POV_LAYOUT_SIMCC;
    g->contract->keypoint_len = x->size[1];
    take_output(g->contract, POV_OUTPUT_SIMCC_X, x);
    take_output(g->contract, POV_OUTPUT_SIMCC_Y, y);
    pov_guess_remark(g->remarks,
                     "layout: simcc, as RTMPose's: %d points of what a crop shows, %d bins a pixel",
                     x->size[1], x->size[2] / width);
    return true;
}

/* ---- headings and maps ---- */

/* Several angles, each with an output of its own: the one that is called a yaw. */
static pov_status choose_heading(const pov_tensor_shape **heading, pov_guessing *g)
{
    static const char *const words[] = {"yaw", "azimuth", "heading"};
    const pov_onnx_summary *summary = g->summary;
    *heading = &summary->outputs[0];
    if (summary->output_len == 1)
        return pov_ok();
    for (size_t w = 0; w < sizeof words / sizeof *words; w++)
        for (int i = 0; i < summary->output_len; i++)
            if (summary->outputs[i].dims == 2 && strcasestr(summary->outputs[i].name, words[w])) {
                *heading = &summary->outputs[i];
                pov_guess_remark(g->remarks, "heading: of its %d outputs, the one that is called '%s'",
                                 summary->output_len, (*heading)->name);
                return pov_ok();
            }
    if (summary->output_len == 3 && (*heading)->size[1] == 66) {
        pov_guess_remark(g->remarks,
                         "heading: the first of three outputs, as Hopenet has yaw, pitch and roll");
        return pov_ok();
    }
    return pov_error("no known layout: %d outputs with %d numbers each, none called yaw: which of them tells "
                     "the heading, the "
                     "file does not say. Write a contract with layout: heading that names it",
                     summary->output_len, (*heading)->size[1]);
}

/* A matrix [1, 3, 3]. */
static bool is_rotation(const pov_onnx_summary *summary)
{
    const pov_tensor_shape *shape = &summary->outputs[0];
    return summary->output_len == 1 && shape->dims == 3 && shape->size[0] == 1 && shape->size[1] == 3 &&
           shape->size[2] == 3;
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

/* ---- all of it ---- */

/* Outputs by the names that their exporters give them; TensorFlow's may end in ":0". */
static bool guess_by_names(pov_guessing *g)
{
    pov_model_contract *contract = g->contract;
    const pov_onnx_summary *summary = g->summary;
    const pov_tensor_shape *boxes = find_shape(summary, "boxes"), *labels = find_shape(summary, "labels");
    if (take_output(contract, POV_OUTPUT_BOXES, find_shape(summary, "dets")) &&
        take_output(contract, POV_OUTPUT_SCORES, labels)) {
        contract->layout = POV_LAYOUT_RFDETR;
        contract->class_len = labels->size[labels->dims - 1];
        pov_guess_remark(g->remarks,
                         "nothing: last, and one class fewer, if it was trained on classes numbered from 0");
    } else if (take_output(contract, POV_OUTPUT_BOXES, find_shape(summary, "pred_boxes")) &&
               take_output(contract, POV_OUTPUT_SCORES, find_shape(summary, "logits"))) {
        contract->layout = POV_LAYOUT_RTDETR;
        contract->class_len = contract->outputs[POV_OUTPUT_SCORES].size[2];
        (void)guess_detr(g);
    } else if (take_output(contract, POV_OUTPUT_BOXES, find_shape(summary, "det_boxes")) &&
               take_output(contract, POV_OUTPUT_SCORES, find_shape(summary, "det_scores")) &&
               take_output(contract, POV_OUTPUT_LABELS, find_shape(summary, "det_classes"))) {
        contract->layout = POV_LAYOUT_RTDETR_POST;
        contract->class_len = 80;
        pov_guess_remark(g->remarks,
                         "layout: rtdetr_post: det_boxes, det_scores and det_classes, as a network "
                         "exported with its suppression (end2end) has them");
    } else if (take_output(contract, POV_OUTPUT_BOXES, boxes) &&
               take_output(contract, POV_OUTPUT_LABELS, labels) &&
               take_output(contract, POV_OUTPUT_SCORES, find_shape(summary, "scores"))) {
        contract->layout = POV_LAYOUT_RTDETR_POST;
        contract->class_len = 80;
    } else if (take_output(contract, POV_OUTPUT_BOXES, find_shape(summary, "detection_boxes")) &&
               take_output(contract, POV_OUTPUT_SCORES, find_shape(summary, "detection_scores")) &&
               take_output(contract, POV_OUTPUT_LABELS, find_shape(summary, "detection_classes"))) {
        contract->layout = POV_LAYOUT_RTDETR_POST;
        contract->box_form = POV_BOXES_CORNERS_YX;
        contract->class_len = 91;
        pov_guess_remark(
            g->remarks,
            "layout: rtdetr_post with boxes: corners_yx, as TensorFlow's object detection exports it: "
            "top, left, bottom, right in shares of the input; COCO's numbers begin at 1");
    } else {
        memset(contract->outputs, 0, sizeof contract->outputs);
        return false;
    }
    return true;
}

static pov_status refuse_outputs(const pov_onnx_summary *summary)
{
    const pov_tensor_shape *first = &summary->outputs[0];
    return pov_error(
        "no known layout: %d output%s, the first of them '%s' with %d dimensions; docs/MODELS.md says which "
        "layouts are known",
        summary->output_len, summary->output_len == 1 ? "" : "s", first->name, first->dims);
}

pov_status pov_guess_outputs(pov_guessing *guessing)
{
    pov_guessing *g = guessing;
    const pov_tensor_shape *first = &g->summary->outputs[0], *boxes, *scores,
                           *heading = find_shape(g->summary, "heading");
    if (guess_by_names(g) || guess_movenet(g) || guess_simcc(g) || pov_guess_cells(g) ||
        guess_retinaface(g)) {
        /* nothing more to tell */
    } else if (find_boxes_and_scores(&boxes, &scores, g->summary)) {
        POV_TRY(guess_pair(g, boxes, scores));
    } else if (g->summary->output_len == 1 && is_depth_map(first, &g->contract->input)) {
        g->contract->layout = POV_LAYOUT_DEPTH;
        take_output(g->contract, POV_OUTPUT_DEPTH, first);
        pov_guess_remark(g->remarks,
                         "near: large is a guess; look at two things of which one is nearer (pov model run)");
        pov_guess_remark(g->remarks, "a depth network has no scale: pov score uses it, a station does not");
    } else if (first->dims == 2 || is_rotation(g->summary)) {
        g->contract->layout = POV_LAYOUT_HEADING;
        POV_TRY(choose_heading(&first, g));
        POV_TRY(pov_guess_heading(g, first));
    } else if (is_table(first) && (g->summary->output_len == 1 || heading || g->summary->task.length > 0)) {
        POV_TRY(guess_rows(g, first));
    } else {
        return refuse_outputs(g->summary);
    }
    if (heading && g->contract->layout != POV_LAYOUT_HEADING)
        return pov_guess_heading(g, heading);
    return pov_ok();
}
