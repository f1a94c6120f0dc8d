/** Sizes that follow from a contract, and whether they fit each other. Pure. */
#ifndef POV_PERCEPTION_MODELS_MODEL_SHAPE_H
#define POV_PERCEPTION_MODELS_MODEL_SHAPE_H

#include "perception/models/model_contract.h"

enum { POV_MODEL_SIDE_MAX_PX = 4096, POV_MODEL_ROWS_MAX = 1 << 17 };

int pov_model_input_width(const pov_model_input *input);
int pov_model_input_height(const pov_model_input *input);

/** Does a layout need an output of that role? May it have one (of heading and symmetry: if the contract has a heading)? */
bool pov_model_needs(pov_model_layout layout, pov_output_role role);
bool pov_model_may_have(const pov_model_contract *contract, pov_output_role role);

/** The default of overlap_max: 1, no suppression, for layouts that suppress themselves. */
double pov_model_usual_overlap(pov_model_layout layout);

/** Numbers that say a heading, without its symmetries. */
int pov_heading_angle_columns(const pov_heading_contract *heading);
/** Numbers a row of heading, symmetries included unless they have an output of their own. */
int pov_heading_columns(const pov_model_contract *contract);

/** An output as rows (a detection each) and columns; steps in numbers. */
typedef struct {
    int rows, columns, row_step, column_step;
} pov_output_table;

/** False if a shape of that role cannot be one: [1, rows, columns], or what the layout has instead. */
bool pov_model_output_table(pov_output_table *table, const pov_model_contract *contract,
                            pov_output_role role);

/** Whether a network of that layout finds boxes by itself: not for headings and depth. */
bool pov_model_finds(pov_model_layout layout);

/** Detections the outputs have room for; 1 where nothing is found. Needs: a contract that passed the check. */
int pov_model_rows(const pov_model_contract *contract);

/** Do sizes and numbers fit each other and the layout? POV_ERROR names the key which does not, and what would. */
POV_MUST_USE pov_status pov_model_contract_check(const pov_model_contract *contract);

#endif
