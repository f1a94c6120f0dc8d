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

pov_status pov_model_decode(pov_candidates *candidates, const pov_model_contract *contract,
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
