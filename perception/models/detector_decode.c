#include "perception/models/detector_decode.h"

#include <math.h>
#include <stddef.h>

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

static float probability_of(const pov_model_contract *contract, float score)
{
    return contract->logits ? sigmoid(score) : score;
}

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
    const float *seen = candidates->seen;
    if (!isfinite(c->left) || !isfinite(c->top) || !isfinite(c->right) || !isfinite(c->bottom))
        return;
    if (!(fmaxf(c->left, seen[0]) < fminf(c->right, seen[2]) &&
          fmaxf(c->top, seen[1]) < fminf(c->bottom, seen[3])))
        candidates->empty_len++;
    else if (candidates->len < candidates->capacity)
        candidates->list[candidates->len++] = candidate;
}

/* A hundredth: numbers of 8 bits may round a probability to a little more than 1. */
static const float score_slack = 0.01f;

static pov_status check_score(float score)
{
    if (isnan(score))
        return pov_error(
            "scores: the network gave what is not a number: its file is damaged, or its input is "
            "not what it was trained with (scale, mean, std)");
    if (!isfinite(score) || (score <= 1 + score_slack && score >= -score_slack))
        return pov_ok();
    return pov_error("scores: the network gave %.4g where the contract has a probability: its layout is "
                     "another, or its scores "
                     "are logits (docs/MODELS.md)",
                     (double)score);
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
static pov_status decode_yolox(pov_candidates *candidates, const pov_model_contract *contract, const table *t)
{
    cell c = {0, 0, contract->strides[0]};
    int level = 0;
    for (int row = 0; row < t->rows; row++, advance_cell(&c, &level, contract)) {
        best seen = best_of(t, row, 5, contract->class_len);
        POV_TRY(check_score(seen.score));
        POV_TRY(check_score(at(t, row, 4)));
        seen.score *= at(t, row, 4);
        if (!(seen.score >= (float)contract->score_min))
            continue;
        const float s = (float)c.stride;
        add_seen(candidates,
                 centred_box((at(t, row, 0) + (float)c.x) * s, (at(t, row, 1) + (float)c.y) * s,
                             expf(at(t, row, 2)) * s, expf(at(t, row, 3)) * s),
                 seen, row);
    }
    return pov_ok();
}

/* Ma 2022 (github.com/dog-qiuqiu/FastestDet, detect.py): tanh of the offset in cells, the size in shares of the image, and this score. */
static pov_status decode_fastestdet(pov_candidates *candidates, const pov_model_contract *contract,
                                    const table *t)
{
    const float width = (float)pov_model_input_width(&contract->input),
                height = (float)pov_model_input_height(&contract->input);
    cell c = {0, 0, contract->strides[0]};
    int level = 0;
    for (int row = 0; row < t->rows; row++, advance_cell(&c, &level, contract)) {
        best seen = best_of(t, row, 5, contract->class_len);
        POV_TRY(check_score(seen.score));
        POV_TRY(check_score(at(t, row, 0)));
        seen.score = powf(fmaxf(0, seen.score), 0.4f) * powf(fmaxf(0, at(t, row, 0)), 0.6f);
        const float s = (float)c.stride;
        if (seen.score >= (float)contract->score_min)
            add_seen(candidates,
                     centred_box(((float)c.x + tanhf(at(t, row, 1))) * s,
                                 ((float)c.y + tanhf(at(t, row, 2))) * s, sigmoid(at(t, row, 3)) * width,
                                 sigmoid(at(t, row, 4)) * height),
                     seen, row);
    }
    return pov_ok();
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

/* `scores` and `distances` are one table, or two. */
static pov_status decode_nanodet(pov_candidates *candidates, const pov_model_contract *contract,
                                 const table *scores, const table *distances)
{
    cell c = {0, 0, contract->strides[0]};
    int level = 0;
    const int bins = contract->distance_bins, first = scores == distances ? contract->class_len : 0;
    for (int row = 0; row < scores->rows; row++, advance_cell(&c, &level, contract)) {
        best seen = best_of(scores, row, 0, contract->class_len);
        seen.score = probability_of(contract, seen.score);
        POV_TRY(check_score(seen.score));
        if (!(seen.score >= (float)contract->score_min))
            continue;
        const float s = (float)c.stride, shift = (float)contract->cell_centre;
        const float x = ((float)c.x + shift) * s, y = ((float)c.y + shift) * s;
        add_seen(candidates,
                 (pov_candidate){.left = x - s * mean_distance(distances, row, first, bins),
                                 .top = y - s * mean_distance(distances, row, first + bins, bins),
                                 .right = x + s * mean_distance(distances, row, first + 2 * bins, bins),
                                 .bottom = y + s * mean_distance(distances, row, first + 3 * bins, bins)},
                 seen, row);
    }
    return pov_ok();
}

/* ---- faces, and SSD ---- */

typedef struct {
    cell cell;
    int level, prior;
} place;

static void advance_place(place *p, const pov_model_contract *contract)
{
    if (contract->box_form == POV_BOXES_PRIORS && ++p->prior < contract->priors[p->level].len)
        return;
    p->prior = 0;
    advance_cell(&p->cell, &p->level, contract);
}

/* Liu 2016 (SSD), section 2.2. */
static pov_candidate box_of_prior(const pov_model_contract *contract, const table *t, int row, const place *p)
{
    const float s = (float)p->cell.stride;
    const float width = (float)contract->priors[p->level].width_px[p->prior],
                height = (float)contract->priors[p->level].height_px[p->prior];
    const float shift = (float)contract->centre_variance, stretch = (float)contract->size_variance;
    return centred_box(((float)p->cell.x + 0.5f) * s + at(t, row, 0) * shift * width,
                       ((float)p->cell.y + 0.5f) * s + at(t, row, 1) * shift * height,
                       expf(at(t, row, 2) * stretch) * width, expf(at(t, row, 3) * stretch) * height);
}

/* TensorFlow's order. */
static pov_candidate box_of_yx(const pov_model_contract *contract, const table *t, int row)
{
    const float width = (float)pov_model_input_width(&contract->input),
                height = (float)pov_model_input_height(&contract->input);
    return (pov_candidate){.left = at(t, row, 1) * width,
                           .top = at(t, row, 0) * height,
                           .right = at(t, row, 3) * width,
                           .bottom = at(t, row, 2) * height};
}

static pov_candidate box_of_row(const pov_model_contract *contract, const table *t, int row, const place *p)
{
    const float width = (float)pov_model_input_width(&contract->input),
                height = (float)pov_model_input_height(&contract->input), s = (float)p->cell.stride;
    switch (contract->box_form) {
    case POV_BOXES_CENTRE:
        return centred_box(at(t, row, 0) * width, at(t, row, 1) * height, at(t, row, 2) * width,
                           at(t, row, 3) * height);
    case POV_BOXES_CELLS:
        return centred_box((at(t, row, 0) + (float)p->cell.x) * s, (at(t, row, 1) + (float)p->cell.y) * s,
                           expf(at(t, row, 2)) * s, expf(at(t, row, 3)) * s);
    case POV_BOXES_PRIORS:
        return box_of_prior(contract, t, row, p);
    case POV_BOXES_CORNERS_YX:
        return box_of_yx(contract, t, row);
    default:
        return (pov_candidate){.left = at(t, row, 0) * width,
                               .top = at(t, row, 1) * height,
                               .right = at(t, row, 2) * width,
                               .bottom = at(t, row, 3) * height};
    }
}

/* With a class for "nothing", logits are of a softmax over all. */
static best score_of_row(const pov_model_contract *contract, const table *scores, int row)
{
    const int first = contract->nothing == POV_NOTHING_FIRST;
    best seen = best_of(scores, row, first, contract->class_len);
    if (contract->logits && contract->nothing != POV_NOTHING_NOWHERE) {
        float sum = 0;
        for (int c = 0; c < scores->columns; c++)
            sum += expf(at(scores, row, c) - seen.score);
        seen.score = 1 / sum;
    } else {
        seen.score = probability_of(contract, seen.score);
    }
    return seen;
}

/* A face's two scores: Feng 2021 (YuNet), as OpenCV's face_detect.cpp joins them. */
static pov_status decode_faces(pov_candidates *candidates, const pov_model_contract *contract,
                               const table *boxes, const table *scores, const table *objectness)
{
    place p = {{0, 0, contract->stride_len ? contract->strides[0] : 1}, 0, 0};
    for (int row = 0; row < boxes->rows; row++) {
        best seen = score_of_row(contract, scores, row);
        POV_TRY(check_score(seen.score));
        if (objectness->rows > 0) {
            const float is_there = probability_of(contract, at(objectness, row, 0));
            POV_TRY(check_score(is_there));
            seen.score = sqrtf(fmaxf(0, seen.score) * fmaxf(0, is_there));
        }
        if (seen.score >= (float)contract->score_min)
            add_seen(candidates, box_of_row(contract, boxes, row, &p), seen, row);
        if (contract->stride_len > 0)
            advance_place(&p, contract);
    }
    return pov_ok();
}

/* ---- rows ---- */

/* The upright box around a box that is turned in the image. */
static pov_candidate turned_box(const table *t, int row)
{
    const float turn = at(t, row, t->columns - 1), width = at(t, row, 2), height = at(t, row, 3);
    const float sine = fabsf(sinf(turn)), cosine = fabsf(cosf(turn));
    return centred_box(at(t, row, 0), at(t, row, 1), width * cosine + height * sine,
                       width * sine + height * cosine);
}

static pov_status decode_centred_rows(pov_candidates *candidates, const pov_model_contract *contract,
                                      const table *t)
{
    const bool has_objectness = contract->layout == POV_LAYOUT_YOLOV5;
    for (int row = 0; row < t->rows; row++) {
        best seen = best_of(t, row, 4 + has_objectness, contract->class_len);
        POV_TRY(check_score(seen.score));
        POV_TRY(check_score(has_objectness ? at(t, row, 4) : 1));
        seen.score *= has_objectness ? at(t, row, 4) : 1;
        if (seen.score >= (float)contract->score_min)
            add_seen(candidates,
                     contract->rotated
                         ? turned_box(t, row)
                         : centred_box(at(t, row, 0), at(t, row, 1), at(t, row, 2), at(t, row, 3)),
                     seen, row);
    }
    return pov_ok();
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
    POV_TRY(check_score(score));
    if (!(score >= (float)contract->score_min))
        return pov_ok();
    if (!(label >= 0 && label < (float)contract->class_len))
        return pov_error("classes: the network found one of number %g, but %d are named here", (double)label,
                         contract->class_len);
    add_seen(candidates,
             contract->box_form == POV_BOXES_CORNERS_YX ? box_of_yx(contract, box, row)
                                                        : (pov_candidate){.left = at(box, row, 0),
                                                                          .top = at(box, row, 1),
                                                                          .right = at(box, row, 2),
                                                                          .bottom = at(box, row, 3)},
             (best){(int)label, score}, row);
    return pov_ok();
}

/* ---- points ---- */

/* Of MoveNet: y, x and score in shares of the input (tfhub.dev/google/movenet). */
static pov_keypoint point_of_movenet(const pov_model_contract *contract, const table *t, int row, int k)
{
    return (pov_keypoint){at(t, row, 3 * k + 1) * (float)pov_model_input_width(&contract->input),
                          at(t, row, 3 * k) * (float)pov_model_input_height(&contract->input),
                          at(t, row, 3 * k + 2)};
}

/* Points from this score on are seen: MoveNet's own tutorial draws those of 0.11 and more; chosen above it. */
static const float seen_point = 0.2f;

/* A single person has points alone: the box is theirs, up to the crown, down to the soles and to the arms' outline. Joints end short of
 * these by so much of their height: chosen, as eyes are at 0.93 of a person's height and ankles at 0.04. */
static pov_candidate box_about_points(const pov_model_contract *contract, const table *t)
{
    const float above = 0.08f, below = 0.05f, aside = 0.04f;
    pov_candidate box = {.left = INFINITY, .top = INFINITY, .right = -INFINITY, .bottom = -INFINITY};
    for (int k = 0; k < contract->keypoint_len; k++) {
        const pov_keypoint p = point_of_movenet(contract, t, 0, k);
        if (!(p.score >= seen_point))
            continue;
        box.left = fminf(box.left, p.x_px), box.right = fmaxf(box.right, p.x_px);
        box.top = fminf(box.top, p.y_px), box.bottom = fmaxf(box.bottom, p.y_px);
    }
    const float tall = box.bottom - box.top;
    box.left -= aside * tall, box.right += aside * tall;
    box.top -= above * tall, box.bottom += below * tall;
    return box;
}

/* A person's score: of one alone the mean of the points'. */
static pov_status decode_movenet(pov_candidates *candidates, const pov_model_contract *contract,
                                 const table *t)
{
    const int box_at = 3 * contract->keypoint_len, len = contract->keypoint_len;
    const float width = (float)pov_model_input_width(&contract->input),
                height = (float)pov_model_input_height(&contract->input);
    for (int row = 0; row < t->rows; row++) {
        const bool has_box = t->columns > box_at;
        best seen = {0, has_box ? at(t, row, box_at + 4) : 0};
        for (int k = 0; k < len; k++) {
            POV_TRY(check_score(at(t, row, 3 * k + 2)));
            seen.score += has_box ? 0 : at(t, row, 3 * k + 2) / (float)len;
        }
        POV_TRY(check_score(seen.score));
        if (seen.score >= (float)contract->score_min)
            add_seen(candidates,
                     has_box ? (pov_candidate){.left = at(t, row, box_at + 1) * width,
                                               .top = at(t, row, box_at) * height,
                                               .right = at(t, row, box_at + 3) * width,
                                               .bottom = at(t, row, box_at + 2) * height}
                             : box_about_points(contract, t),
                     seen, row);
    }
    return pov_ok();
}

static best best_bin(const table *t, int row)
{
    return best_of(t, row, 0, t->columns);
}

/* Li 2022 (SimCC), section 3.2; scores as MMPose's get_simcc_maximum joins them. */
static pov_keypoint point_of_simcc(const pov_model_contract *contract, const table *across, const table *down,
                                   int k)
{
    const best x = best_bin(across, k), y = best_bin(down, k);
    return (pov_keypoint){
        (float)x.index / (float)across->columns * (float)pov_model_input_width(&contract->input),
        (float)y.index / (float)down->columns * (float)pov_model_input_height(&contract->input),
        fminf(1, fmaxf(0, fminf(x.score, y.score)))};
}

pov_status pov_model_decode(pov_candidates *candidates, const pov_model_contract *contract,
                            const pov_tensor outputs[POV_OUTPUT_ROLE_COUNT])
{
    table t[POV_OUTPUT_ROLE_COUNT];
    for (int role = 0; role < POV_OUTPUT_ROLE_COUNT; role++)
        t[role] = table_of(contract, outputs[role].values, role);
    const table *rows = &t[POV_OUTPUT_ROWS], *boxes = &t[POV_OUTPUT_BOXES], *scores = &t[POV_OUTPUT_SCORES];
    candidates->len = candidates->empty_len = 0;
    switch (contract->layout) {
    case POV_LAYOUT_YOLOX:
        return decode_yolox(candidates, contract, rows);
    case POV_LAYOUT_FASTESTDET:
        return decode_fastestdet(candidates, contract, rows);
    case POV_LAYOUT_NANODET:
        return rows->rows > 0 ? decode_nanodet(candidates, contract, rows, rows)
                              : decode_nanodet(candidates, contract, scores, boxes);
    case POV_LAYOUT_YOLOV5:
    case POV_LAYOUT_YOLOV8:
        return decode_centred_rows(candidates, contract, rows);
    case POV_LAYOUT_SSD:
    case POV_LAYOUT_FACE:
        return decode_faces(candidates, contract, boxes, scores, &t[POV_OUTPUT_OBJECTNESS]);
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
    case POV_LAYOUT_MOVENET:
        return decode_movenet(candidates, contract, rows);
    case POV_LAYOUT_HEADING:
    case POV_LAYOUT_SIMCC:
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

/* Landmarks of faces: as their boxes' centres. */
static pov_keypoint landmark_of(const pov_model_contract *contract, const table *t, int row, int k)
{
    const float x = at(t, row, 2 * k), y = at(t, row, 2 * k + 1);
    if (contract->box_form != POV_BOXES_CELLS && contract->box_form != POV_BOXES_PRIORS)
        return (pov_keypoint){x * (float)pov_model_input_width(&contract->input),
                              y * (float)pov_model_input_height(&contract->input), 1};
    place p = {{0, 0, contract->strides[0]}, 0, 0};
    for (int i = 0; i < row; i++)
        advance_place(&p, contract);
    const float s = (float)p.cell.stride;
    if (contract->box_form == POV_BOXES_CELLS)
        return (pov_keypoint){(x + (float)p.cell.x) * s, (y + (float)p.cell.y) * s, 1};
    const float shift = (float)contract->centre_variance;
    return (pov_keypoint){
        ((float)p.cell.x + 0.5f) * s + x * shift * (float)contract->priors[p.level].width_px[p.prior],
        ((float)p.cell.y + 0.5f) * s + y * shift * (float)contract->priors[p.level].height_px[p.prior], 1};
}

static int find_body_points(pov_keypoint points[POV_KEYPOINT_MAX], const pov_model_contract *contract,
                            const pov_tensor outputs[POV_OUTPUT_ROLE_COUNT], int row)
{
    table t[POV_OUTPUT_ROLE_COUNT];
    for (int role = 0; role < POV_OUTPUT_ROLE_COUNT; role++)
        t[role] = table_of(contract, outputs[role].values, role);
    for (int k = 0; k < contract->keypoint_len; k++)
        points[k] = contract->layout == POV_LAYOUT_SIMCC
                        ? point_of_simcc(contract, &t[POV_OUTPUT_SIMCC_X], &t[POV_OUTPUT_SIMCC_Y], k)
                        : point_of_movenet(contract, &t[POV_OUTPUT_ROWS], row, k);
    return contract->keypoint_len;
}

int pov_model_keypoints_row(pov_keypoint points[POV_KEYPOINT_MAX], const pov_model_contract *contract,
                            const pov_tensor outputs[POV_OUTPUT_ROLE_COUNT], int row)
{
    const int each = contract->keypoint_columns;
    if (contract->layout == POV_LAYOUT_SIMCC || contract->layout == POV_LAYOUT_MOVENET)
        return find_body_points(points, contract, outputs, row);
    const pov_output_role role = each > 0 ? POV_OUTPUT_ROWS : POV_OUTPUT_LANDMARKS;
    if (contract->keypoint_len == 0 || contract->outputs[role].dims == 0)
        return 0;
    const table t = table_of(contract, outputs[role].values, role);
    const int first = t.columns - contract->extra_columns - contract->keypoint_len * each -
                      (contract->heading.kind == POV_HEADING_NONE ? 0 : pov_heading_columns(contract));
    for (int k = 0; k < contract->keypoint_len; k++)
        points[k] = each == 0
                        ? landmark_of(contract, &t, row, k)
                        : (pov_keypoint){at(&t, row, first + each * k), at(&t, row, first + each * k + 1),
                                         each > 2 ? at(&t, row, first + each * k + 2) : 1};
    return contract->keypoint_len;
}

void pov_model_heading_row(float numbers[POV_HEADING_NUMBERS_MAX], const pov_model_contract *contract,
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

bool pov_model_suppress(pov_candidates *candidates, const pov_model_contract *contract, int max)
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
