/** A contract: the facts about a detector or heading network that its numbers need. Plain data; its file is read by
 *  config/models/model_file.h and explained in docs/MODELS.md. */
#pragma once

#include "perception/models/detection.h"
#include "perception/models/network.h"
#include "perception/models/tensor.h"

enum {
    POV_MODEL_CLASS_MAX = 512,
    POV_MODEL_STRIDE_MAX = 6,
    POV_MODEL_BIN_MAX = 360,
    POV_MODEL_SYMMETRY_MAX = 8,
    POV_GOLDEN_MAX = 64,
    POV_OUTPUT_PART_MAX = 6, /* as many as strides */
    POV_PRIOR_MAX = 8,       /* at a cell */
    POV_MOVENET_BOX = 5      /* columns behind the points: a box's edges and score */
};

/** Layout of a detector's outputs; X is the form of its boxes. */
typedef enum {
    POV_LAYOUT_YOLOX,  /* rows [1, N, 4+1+C]: X offset and log size in a cell; objectness x class */
    POV_LAYOUT_YOLOV5, /* rows [1, N, 4+1+C]: X centre and size in input pixels; objectness x class */
    POV_LAYOUT_YOLOV8, /* rows [1, 4+C, N]: X centre and size in input pixels; class (also YOLO11, 12) */
    POV_LAYOUT_YOLO26, /* rows [1, N, 6]: X corners in input pixels, score, class; nothing to suppress */
    POV_LAYOUT_RTDETR, /* boxes [1, N, 4], scores [1, N, C] logits: X centre and size in shares of the image */
    POV_LAYOUT_RTDETR_POST, /* boxes [1, N, 4], scores [1, N], labels [1, N]: X corners in input pixels */
    POV_LAYOUT_RFDETR,      /* as RTDETR, with a slot for "nothing" among the classes */
    POV_LAYOUT_NANODET, /* rows [1, N, C+4B], or scores [1, N, C] and boxes [1, N, 4B]: class, and X distances to
                           the edges as distributions over B */
    POV_LAYOUT_HEADING, /* no boxes: the heading of what a crop shows */
    POV_LAYOUT_DEPTH,   /* no boxes: a map [1, H, W] or [1, 1, H, W] of how near the picture's parts are */
    POV_LAYOUT_FASTESTDET, /* rows [1, N, 1+4+C]: objectness; X tanh offset from the cell, sigmoid size as share; classes */
    POV_LAYOUT_SSD,     /* boxes [1, N, 4] in one of the forms below, scores [1, N, C] */
    POV_LAYOUT_FACE,    /* as SSD, one class; objectness [1, N, 1] and landmarks [1, N, 2K] if it has them */
    POV_LAYOUT_MOVENET, /* rows [1, N, 3K+5]: y, x, score of each point, box's top, left, bottom, right, score, in shares of the input;
                           or [1, 1, K, 3]: the points of one */
    POV_LAYOUT_SIMCC, /* no boxes: K points of what a crop shows, simcc_x [1, K, bins across] and simcc_y [1, K, bins down] */
    POV_LAYOUT_COUNT
} pov_model_layout;

typedef enum {
    POV_OUTPUT_ROWS,
    POV_OUTPUT_BOXES,
    POV_OUTPUT_SCORES,
    POV_OUTPUT_LABELS,
    POV_OUTPUT_HEADING,
    POV_OUTPUT_SYMMETRY,
    POV_OUTPUT_DEPTH,
    POV_OUTPUT_OBJECTNESS,
    POV_OUTPUT_LANDMARKS,
    POV_OUTPUT_SIMCC_X,
    POV_OUTPUT_SIMCC_Y,
    POV_OUTPUT_ROLE_COUNT
} pov_output_role;

/** Tensors of the network that make one output: its rows, one tensor's after the other's. A tensor is [rows, columns], or
 *  [1, ..., columns] with all between as rows; with columns_first [1, columns, ...]. len 0: the output is one tensor as it is. */
typedef struct {
    int len;
    pov_tensor_shape part[POV_OUTPUT_PART_MAX];
    bool columns_first;
} pov_output_parts;

/** Form of the boxes of POV_LAYOUT_SSD and POV_LAYOUT_FACE; of POV_LAYOUT_RTDETR_POST POV_BOXES_CORNERS stands for its own. */
typedef enum {
    POV_BOXES_CORNERS, /* left, top, right, bottom as shares of the input */
    POV_BOXES_CENTRE,  /* centre and size as shares of the input */
    POV_BOXES_CELLS,  /* as YOLOX: offset of the centre from the cell's corner, log of the size, in strides */
    POV_BOXES_PRIORS, /* Liu 2016: offset from a prior's centre and log of its size, times the variances */
    POV_BOXES_CORNERS_YX, /* top, left, bottom, right as shares of the input; also of RTDETR_POST */
    POV_BOX_FORM_COUNT
} pov_box_form;

/** Boxes that each cell of a stride begins with: widths and heights in pixels of the input. */
typedef struct {
    int len;
    double width_px[POV_PRIOR_MAX], height_px[POV_PRIOR_MAX];
} pov_priors;

typedef enum {
    POV_FIT_LETTERBOX_CENTRE,   /* scaled whole, in the middle, the rest filled */
    POV_FIT_LETTERBOX_TOP_LEFT, /* scaled whole, in the corner */
    POV_FIT_STRETCH,            /* each side scaled by itself */
    POV_FIT_COUNT
} pov_fit;

/** The network's input is (pixel * scale - mean[c]) / std[c], c in the network's own order of channels. */
typedef struct {
    pov_tensor_shape tensor; /* [1, 3, height, width], or [1, height, width, 3] if channels_last */
    bool channels_last, bgr;
    pov_fit fit;
    double fill; /* of the letterbox, as a pixel's value */
    double scale, mean[3], std[3];
    char size_input
        [POV_TENSOR_NAME_CAPACITY]; /* a second input that wants [width, height]; "": there is none */
} pov_model_input;

typedef enum {
    POV_HEADING_NONE,
    POV_HEADING_BINS,
    POV_HEADING_SINE_COSINE,
    POV_HEADING_ROTATION_6D,
    POV_HEADING_ROTATION_9D,
    POV_HEADING_EULER,
    POV_HEADING_KIND_COUNT
} pov_heading_kind;

typedef enum {
    POV_BIN_OFFSET_NONE,
    POV_BIN_OFFSET_RADIANS,
    POV_BIN_OFFSET_SINE_COSINE,
    POV_BIN_OFFSET_COUNT
} pov_bin_offset;

typedef enum { POV_EULER_YAW, POV_EULER_PITCH, POV_EULER_ROLL, POV_EULER_COUNT } pov_euler_angle;

/** Heading numbers come a row a detection: in POV_OUTPUT_HEADING, else as the last columns of POV_OUTPUT_ROWS.
 *  Bins: a logit each, then the offsets from their centres (radians; or sine and cosine, bin by bin). Sine, cosine.
 *  Euler: yaw, pitch and roll in some order. Rotations R_camera_object: the first two columns one after the other (Zhou 2019), or all nine row by row. After them,
 *  without an output POV_OUTPUT_SYMMETRY, the symmetries' logits. */
typedef struct {
    pov_heading_kind kind;
    pov_heading_against against; /* of ray or axis */
    int bins;
    bool probabilities; /* the bins are probabilities, not logits */
    bool sigmoid;       /* each bin's logit has a sigmoid of its own; else a softmax over all */
    pov_bin_offset offset;
    double first_rad; /* the network's angle at the centre of the first bin */
    double step_rad;  /* between the centres of bins; 0: they share a full circle */
    int first_column,
        columns;           /* of the row, where the numbers begin, and how many it has in all; 0: no others */
    int confidence_column; /* of the row, the first of two logits: it has a front, it has none; 0: there are none */
    pov_euler_angle order[POV_EULER_COUNT]; /* of Euler angles */
    bool radians;                           /* Euler angles; else degrees */
    double away_rad;     /* the network's angle of a front that points away from the camera */
    bool clockwise;      /* the network's angles grow clockwise, seen from above */
    bool norm_is_kappa;  /* sine and cosine are a von Mises' kappa times its mean direction */
    double std_rad;      /* of one mode, as measured; bins: besides the spread over the bins */
    pov_vec3 front_axis; /* in the object's frame, of rotations */
    int symmetry_len;
    int symmetry[POV_MODEL_SYMMETRY_MAX]; /* order each of the symmetries' outputs stands for; 0: any turn */
} pov_heading_contract;

/** The network's recorded output for the golden image of `seed` (perception/models/detector.h). */
typedef struct {
    pov_output_role role;
    int index; /* in the output, as one row of numbers */
    double value, tolerance;
} pov_golden_value;

typedef struct {
    int seed, len;
    pov_golden_value values[POV_GOLDEN_MAX];
} pov_golden;

typedef enum { POV_NOTHING_NOWHERE, POV_NOTHING_FIRST, POV_NOTHING_LAST, POV_NOTHING_COUNT } pov_nothing_slot;

typedef struct {
    pov_engine engine;
    pov_model_layout layout;
    pov_model_input input;
    pov_tensor_shape outputs[POV_OUTPUT_ROLE_COUNT]; /* of one with parts: [1, rows, columns] of all */
    pov_output_parts parts[POV_OUTPUT_ROLE_COUNT];
    int stride_len, strides[POV_MODEL_STRIDE_MAX]; /* of layouts with cells, in the order of the rows */
    double cell_centre;                            /* of NanoDet: where a cell's centre is, in cells */
    int distance_bins;                             /* of NanoDet: B above */
    pov_nothing_slot nothing;                      /* the class that means "nothing here" */
    pov_box_form box_form;                         /* of SSD and FACE */
    pov_priors priors[POV_MODEL_STRIDE_MAX];       /* of POV_BOXES_PRIORS, a set for each stride */
    double centre_variance, size_variance;         /* of POV_BOXES_PRIORS */
    bool logits; /* of NanoDet, SSD and FACE: the scores are logits, not probabilities */
    int keypoint_len; /* of a row's thing: of FACE its landmarks; of YOLOv8 columns behind the classes; of MOVENET and SIMCC all */
    int keypoint_columns; /* of YOLOv8's: 2, x and y, or 3, a probability too */
    int extra_columns; /* of YOLOv8: further columns, which mean nothing here (of masks), behind the classes */
    bool rotated;      /* of YOLOv8: the last of the extra columns is the box's turn in the image, rad */
    int class_len;
    char classes[POV_MODEL_CLASS_MAX][POV_NAME_CAPACITY];
    double score_min;
    double overlap_max;  /* intersection over union from which the lesser box is the same thing again */
    bool across_classes; /* suppress also a box of another class */
    bool
        near_is_small; /* of POV_LAYOUT_DEPTH: numbers are distances; else they are larger for nearer things */
    double crop_margin; /* of what is shown crops: share of the box's size shown around it */
    pov_heading_contract heading;
    pov_golden golden;
} pov_model_contract;

/** "yolox", "letterbox_centre", ...: names in the file; NULL for what is none. */
const char *pov_model_layout_name(int value);
const char *pov_fit_name(int value);
const char *pov_output_role_name(int value);
const char *pov_heading_kind_name(int value);
const char *pov_bin_offset_name(int value);
const char *pov_nothing_slot_name(int value);
const char *pov_box_form_name(int value);
const char *pov_euler_angle_name(int value);

enum { POV_MODEL_SIDE_MAX_PX = 4096, POV_MODEL_ROWS_MAX = 1 << 17 };

int pov_model_input_width(const pov_model_input *input);
int pov_model_input_height(const pov_model_input *input);

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

/** The output that the parts of a role make: [1, rows, columns]. False: they do not fit together. */
bool pov_model_join_parts(pov_tensor_shape *joined, const pov_output_parts *parts);
/** A part's rows and columns; false if its shape has none. */
bool pov_model_part_table(pov_output_table *table, const pov_tensor_shape *shape, bool columns_first);

/** True if a network of that layout finds boxes by itself: not for headings, points of crops and depth. */
bool pov_model_finds(pov_model_layout layout);
/** True if it is shown what another one found: headings and points. */
bool pov_model_sees_crops(pov_model_layout layout);

/** Detections the outputs have room for; 1 where nothing is found. Needs: a contract that passed the check. */
int pov_model_rows(const pov_model_contract *contract);

/** Do sizes and numbers fit each other and the layout? POV_ERROR names the key which does not, and what would. */
POV_MUST_USE pov_status pov_model_contract_check(const pov_model_contract *contract);
