#include "config/models/model_guess_internal.h"

#include <string.h>

enum {
    STRIDE_LEAST = 8,
    STRIDE_MOST = 64,
    GROUP_MAX = 4,
    LANDMARKS = 5,
    FASTEST_STRIDE = 16,
    DISTANCE_BINS_MOST = 17
};

static int cells_of_stride(const pov_model_contract *contract, int stride)
{
    return ((pov_model_input_width(&contract->input) + stride - 1) / stride) *
           ((pov_model_input_height(&contract->input) + stride - 1) / stride);
}

int pov_guess_count_cells(const pov_model_contract *contract, int stride_len)
{
    int sum = 0;
    for (int i = 0; i < stride_len; i++)
        sum += cells_of_stride(contract, STRIDE_LEAST << i);
    return sum;
}

void pov_guess_set_strides(pov_model_contract *contract, int len)
{
    contract->stride_len = len;
    for (int i = 0; i < len; i++)
        contract->strides[i] = STRIDE_LEAST << i;
}

/** An output with a row a cell of one stride. */
typedef struct {
    int stride, columns;
    bool columns_first;
} cell_output;

/* [rows, columns], [1, rows, columns] or [1, columns, height, width]. */
static bool read_cell_output(cell_output *cells, const pov_model_contract *contract,
                             const pov_tensor_shape *shape)
{
    const bool is_map = shape->dims == 4 && shape->size[2] > 1;
    pov_output_table t;
    for (int stride = STRIDE_LEAST; stride <= STRIDE_MOST; stride *= 2)
        for (int first = is_map; first < 2; first++)
            if (pov_model_part_table(&t, shape, first) && t.rows == cells_of_stride(contract, stride)) {
                *cells = (cell_output){stride, t.columns, first};
                return true;
            }
    return false;
}

/** Outputs of the same columns, one for each stride. */
typedef struct {
    int columns;
    pov_output_parts parts;
    int strides[POV_OUTPUT_PART_MAX];
} cell_group;

typedef struct {
    int len;
    cell_group group[GROUP_MAX];
} cell_groups;

static bool has_stride(const cell_group *group, int stride)
{
    for (int i = 0; i < group->parts.len; i++)
        if (group->strides[i] == stride)
            return true;
    return false;
}

/* In the order of strides, whatever that of the network is. */
static bool add_part(cell_group *group, const cell_output *cells, const pov_tensor_shape *shape)
{
    pov_output_parts *parts = &group->parts;
    int at = parts->len;
    if (at == POV_OUTPUT_PART_MAX || (at > 0 && parts->columns_first != cells->columns_first))
        return false;
    for (; at > 0 && group->strides[at - 1] > cells->stride; at--) {
        parts->part[at] = parts->part[at - 1];
        group->strides[at] = group->strides[at - 1];
    }
    parts->part[at] = *shape;
    parts->columns_first = cells->columns_first;
    parts->len++;
    group->strides[at] = cells->stride;
    return true;
}

/* Two outputs of one stride and the same columns go to two groups: the first to that of the other strides' first. */
static bool add_output(cell_groups *groups, const cell_output *cells, const pov_tensor_shape *shape)
{
    int at = 0;
    while (at < groups->len &&
           (groups->group[at].columns != cells->columns || has_stride(&groups->group[at], cells->stride)))
        at++;
    if (at == GROUP_MAX)
        return false;
    if (at == groups->len)
        groups->group[groups->len++].columns = cells->columns;
    return add_part(&groups->group[at], cells, shape);
}

/* False: an output is no such table, or the groups are not of the same strides. */
static bool group_outputs(cell_groups *groups, const pov_guessing *g)
{
    memset(groups, 0, sizeof *groups);
    for (int i = 0; i < g->summary->output_len; i++) {
        cell_output cells;
        if (!read_cell_output(&cells, g->contract, &g->summary->outputs[i]) ||
            !add_output(groups, &cells, &g->summary->outputs[i]))
            return false;
    }
    for (int i = 1; i < groups->len; i++)
        if (groups->group[i].parts.len != groups->group[0].parts.len ||
            memcmp(groups->group[i].strides, groups->group[0].strides, sizeof groups->group[0].strides) != 0)
            return false;
    return groups->len > 0;
}

static void take_group(pov_guessing *g, pov_output_role role, const cell_group *group)
{
    pov_model_contract *contract = g->contract;
    contract->parts[role] = group->parts;
    (void)pov_model_join_parts(&contract->outputs[role], &group->parts);
    contract->stride_len = group->parts.len;
    memcpy(contract->strides, group->strides, sizeof group->strides);
}

static const cell_group *find_group(const cell_groups *groups, int columns, int nth)
{
    for (int i = 0; i < groups->len; i++)
        if (groups->group[i].columns == columns && nth-- == 0)
            return &groups->group[i];
    return NULL;
}

/* Which of its two scores is which makes no difference: they are multiplied. */
static bool guess_yunet(pov_guessing *g, const cell_groups *groups)
{
    const cell_group *scores = find_group(groups, 1, 0), *objectness = find_group(groups, 1, 1),
                     *boxes = find_group(groups, 4, 0), *landmarks = find_group(groups, 2 * LANDMARKS, 0);
    if (groups->len != 4 || !scores || !objectness || !boxes || !landmarks)
        return false;
    g->contract->layout = POV_LAYOUT_FACE;
    g->contract->box_form = POV_BOXES_CELLS;
    take_group(g, POV_OUTPUT_SCORES, scores);
    take_group(g, POV_OUTPUT_OBJECTNESS, objectness);
    take_group(g, POV_OUTPUT_BOXES, boxes);
    take_group(g, POV_OUTPUT_LANDMARKS, landmarks);
    g->contract->keypoint_len = LANDMARKS;
    g->contract->class_len = 1;
    pov_guess_remark(g->remarks, "layout: face, as YuNet's: two scores, a box and five points for each cell");
    return true;
}

static bool may_be_distances(const cell_group *group)
{
    const int bins = group->columns / 4;
    return group->columns % 4 == 0 && bins >= POV_GUESS_NANODET_BINS && bins <= DISTANCE_BINS_MOST;
}

static bool are_probabilities(const pov_guessing *g, const cell_group *group)
{
    for (int i = 0; i < g->summary->output_len; i++)
        if (strcmp(g->summary->outputs[i].name, group->parts.part[0].name) == 0)
            return pov_guess_between(g, &g->summary->outputs[i], 0, group->columns, -0.001, 1.01);
    return true;
}

static bool guess_split_nanodet(pov_guessing *g, const cell_groups *groups)
{
    const cell_group *one = &groups->group[0], *other = &groups->group[1];
    if (groups->len != 2 || (!may_be_distances(one) && !may_be_distances(other)))
        return false;
    const bool both = may_be_distances(one) && may_be_distances(other);
    const cell_group *boxes = (both ? !are_probabilities(g, one) : may_be_distances(one)) ? one : other;
    const cell_group *scores = boxes == one ? other : one;
    g->contract->layout = POV_LAYOUT_NANODET;
    g->contract->distance_bins = boxes->columns / 4;
    g->contract->class_len = scores->columns;
    g->contract->logits = !are_probabilities(g, scores);
    take_group(g, POV_OUTPUT_SCORES, scores);
    take_group(g, POV_OUTPUT_BOXES, boxes);
    g->contract->cell_centre = g->contract->stride_len > 3 ? 0 : 0.5;
    pov_guess_remark(
        g->remarks,
        "layout: nanodet in parts: %d scores and four distributions of %d distances for each cell",
        scores->columns, g->contract->distance_bins);
    pov_guess_remark(g->remarks, "cell_center: %g, for %s", g->contract->cell_centre,
                     g->contract->stride_len > 3 ? "NanoDet-Plus has four strides"
                                                 : "the first NanoDet has three");
    return true;
}

/* Objectness, a box and classes for each cell of stride 16. */
static bool guess_fastestdet(pov_guessing *g, const cell_groups *groups)
{
    const cell_group *rows = &groups->group[0];
    if (groups->len != 1 || rows->parts.len != 1 || rows->strides[0] != FASTEST_STRIDE || rows->columns < 6 ||
        !rows->parts.columns_first)
        return false;
    g->contract->layout = POV_LAYOUT_FASTESTDET;
    g->contract->class_len = rows->columns - 5;
    take_group(g, POV_OUTPUT_ROWS, rows);
    pov_guess_remark(
        g->remarks,
        "layout: fastestdet: one map of stride 16 with objectness, a box and %d classes for each cell",
        g->contract->class_len);
    return true;
}

bool pov_guess_cells(pov_guessing *guessing)
{
    cell_groups groups;
    return group_outputs(&groups, guessing) &&
           (guess_yunet(guessing, &groups) || guess_split_nanodet(guessing, &groups) ||
            guess_fastestdet(guessing, &groups));
}
