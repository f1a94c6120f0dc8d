/** From a network's numbers to boxes with a class and a score: one decoder a layout. Pure. */
#pragma once

#include "perception/models/model_contract.h"
#include "perception/models/network.h"

/** Edges in the network's input, 0 the left edge of its first pixel. */
typedef struct {
    float left, top, right, bottom, score;
    int class_index, row;
} pov_candidate;

typedef struct {
    int len, capacity;
    int empty_len; /* left out: no area, or wholly outside `seen` */
    pov_candidate *list;
    float
        seen[4]; /* left, top, right, bottom of the image in the input; the rest is the letterbox's filling */
} pov_candidates;

enum { POV_HEADING_NUMBERS_MAX = 3 * POV_MODEL_BIN_MAX + POV_MODEL_SYMMETRY_MAX };

/** Every row whose best class reaches the contract's least score, in the order of the rows. Rows that are not finite are left out,
 *  and counted those whose box shows nothing of the image.
 *  In: a tensor for each of the contract's outputs, of its size; candidates->seen. Needs: room for pov_model_rows().
 *  POV_ERROR: the network numbers a class that the contract does not name, or its scores are no probabilities. */
POV_MUST_USE pov_status pov_model_decode(pov_candidates *candidates, const pov_model_contract *contract,
                                         const pov_tensor outputs[POV_OUTPUT_ROLE_COUNT]);
/** Keeps the best, drops what overlaps with it by more than the contract's overlap_max, and so on with the rest. Leaves
 *  up to `max` candidates, best first; true if there were more. */
bool pov_model_suppress(pov_candidates *candidates, const pov_model_contract *contract, int max);
/** The points of a row's thing, in the network's input. Returns how many. */
int pov_model_keypoints_row(pov_keypoint points[POV_KEYPOINT_MAX], const pov_model_contract *contract,
                            const pov_tensor outputs[POV_OUTPUT_ROLE_COUNT], int row);
/** The numbers of a row's heading, then those of its symmetries, one after another. Heading numbers without an output of their own
 *  are the last columns beside the boxes. */
void pov_model_heading_row(float numbers[POV_HEADING_NUMBERS_MAX], const pov_model_contract *contract,
                           const pov_tensor outputs[POV_OUTPUT_ROLE_COUNT], int row);
