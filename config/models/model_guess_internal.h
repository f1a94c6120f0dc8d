/** The parts of config/models/model_guess.c. */
#pragma once

#include "config/models/model_guess.h"

/** A guess in the making. */
typedef struct {
    pov_model_contract *contract;
    char *remarks;
    const pov_onnx_summary *summary;
    const pov_tensor *seen; /* what the outputs were for some image, as summary->outputs; NULL: not known */
} pov_guessing;

/** Adds a line to the remarks, or, if they are full, nothing. */
void pov_guess_remark(char *remarks, const char *format, ...) __attribute__((format(printf, 2, 3)));
/** The task that the metadata names ("detect", "pose"); "" if they name none. */
bool pov_guess_has_task(const pov_onnx_summary *summary, const char *task);
/** How many classes the metadata name; 0: they do not say. */
int pov_guess_named_classes(const pov_onnx_summary *summary);

/** The two numbers of "[17, 3]". False: there are none, or not from 1 to POV_MODEL_SIDE_MAX_PX. */
bool pov_guess_read_pair(int pair[2], pov_onnx_text text);

/** The layout, its outputs and numbers, with a remark on each assumption. POV_ERROR says why no layout is known that has such outputs. */
POV_MUST_USE pov_status pov_guess_outputs(pov_guessing *guessing);
/** Outputs with a row a cell of one stride each. False, nothing changed: they are none, or of no known network. */
bool pov_guess_cells(pov_guessing *guessing);
/** Offsets from the priors of a network that is known by the input's size, rows and columns of scores. Returns whose they are; NULL, the
 *  contract without priors: nobody's. */
const char *pov_guess_priors(pov_model_contract *contract, int rows, int columns);
/** A heading of some columns [1, columns]. POV_ERROR: as many are of no known network. */
POV_MUST_USE pov_status pov_guess_heading(pov_guessing *guessing, const pov_tensor_shape *shape);

/** Are all numbers of some columns of an output [1, rows, columns] between two bounds? True if they are not known. */
bool pov_guess_between(const pov_guessing *guessing, const pov_tensor_shape *shape, int first, int count,
                       double low, double high);
/** Rows of all cells of the first strides 8, 16, ... */
int pov_guess_count_cells(const pov_model_contract *contract, int stride_len);
void pov_guess_set_strides(pov_model_contract *contract, int len);
enum { POV_GUESS_NANODET_BINS = 8 };
