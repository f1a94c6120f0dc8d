/** Calibrates a camera from what its images show of a board: picks images and model, and says how good the result is and
 *  what would make it better. */
#pragma once

#include "calib/boards/board_view.h"
#include "calib/camera/camera_solver.h"
#include "perception/image/image.h"

enum {
    POV_CALIBRATION_VIEW_MAX = 300,
    POV_CALIBRATION_VIEW_MIN = 6,
    POV_CALIBRATION_MAP_COLUMNS = 32,
    POV_CALIBRATION_MAP_ROWS = 18,
    POV_CALIBRATION_ZONES = 3, /* the image in three by three */
    POV_CALIBRATION_ADVICE_MAX = 8,
    POV_CALIBRATION_TEXT_CAPACITY = 200
};

typedef enum {
    POV_CAMERA_MODEL_5,       /* Brown-Conrady, 5 coefficients */
    POV_CAMERA_MODEL_8,       /* rational, 8 */
    POV_CAMERA_MODEL_FISHEYE, /* equidistant, 4 */
    POV_CAMERA_MODEL_COUNT
} pov_camera_model;

/** "5", "8", "fisheye". */
const char *pov_camera_model_name(pov_camera_model value);

typedef enum {
    POV_VIEW_USED,
    POV_VIEW_NO_BOARD,
    POV_VIEW_BLURRED,
    POV_VIEW_STRAY,    /* does not fit the camera that the others agree on */
    POV_VIEW_LEFT_OUT, /* the user said so */
    POV_VIEW_OUTCOME_COUNT
} pov_view_outcome;

/** "used", "no_board", "blurred", "stray", "left_out". */
const char *pov_view_outcome_name(pov_view_outcome value);

typedef struct {
    char name[POV_IMAGE_NAME_CAPACITY];
    pov_view_outcome outcome;
    char why[POV_CALIBRATION_TEXT_CAPACITY]; /* not used */
    pov_board_view seen;
    pov_transform T_camera_board; /* of a view that is used */
    double rms_px;                /* NaN where there is no pose */
    double tilt_rad;              /* of the board against the image plane */
} pov_calibration_view;

typedef struct {
    bool fitted;
    double rms_px;
    double holdout_px;     /* RMS of images that were not fitted to, their poses aside; k-fold */
    double holdout_std_px; /* standard error of the difference to the best model's */
    char why[POV_CALIBRATION_TEXT_CAPACITY]; /* not fitted */
} pov_calibration_model;

typedef struct {
    bool is_calibrated;
    char why[POV_MESSAGE_CAPACITY]; /* not calibrated */
    pov_camera_model model;
    pov_camera_fit fit;
    pov_calibration_model models[POV_CAMERA_MODEL_COUNT];
    int view_len, used_len;
    const pov_calibration_view *views;
    /* Standard deviation, in its worst direction, of where a point at distance_m is projected; row by row, cells' middles. */
    double distance_m;
    double map_px[POV_CALIBRATION_MAP_ROWS][POV_CALIBRATION_MAP_COLUMNS];
    double map_median_px, map_max_px;
    int zone_points[POV_CALIBRATION_ZONES]
                   [POV_CALIBRATION_ZONES]; /* board corners seen in each part of the image */
    double tilt_max_rad;
    int advice_len;
    char advice[POV_CALIBRATION_ADVICE_MAX][POV_CALIBRATION_TEXT_CAPACITY];
} pov_calibration_report;

typedef struct {
    bool model_given;
    pov_camera_model model; /* if given; else the one with the lowest hold-out error */
    double distance_m;      /* of the map; 0: the boards' median distance */
} pov_calibration_config;
#define POV_CALIBRATION_CONFIG_DEFAULT ((pov_calibration_config){0})

typedef struct pov_camera_calibration pov_camera_calibration;

pov_camera_calibration *pov_camera_calibration_new(void);
void pov_camera_calibration_destroy(pov_camera_calibration **calibration);

/** Adds an image: what was found in it, or (seen NULL) why nothing was.
 *  Errors: its size differs from the first one's; there are POV_CALIBRATION_VIEW_MAX already. */
POV_MUST_USE pov_status pov_camera_calibration_add(pov_camera_calibration *calibration,
                                                   const pov_image *image, const pov_board_view *seen,
                                                   const char *why);

/** Adds an image that is not to be used. */
POV_MUST_USE pov_status pov_camera_calibration_leave_out(pov_camera_calibration *calibration,
                                                         const pov_image *image);

/** Calibrates from all images added so far; may be called again after more.
 *  Returns: POV_OK; POV_UNDEFINED, with what is wrong and what to do, where the images do not make a calibration: too few,
 *           blurred, of two cameras, a board that is not as described, views that leave the focal length open.
 *  Method:  a first robust fit calls images stray; those that fit the camera of the others after all are taken back, so that
 *           never more are left out than it called. */
POV_MUST_USE pov_status pov_camera_calibration_run(pov_camera_calibration *calibration,
                                                   const pov_calibration_config *config);
/** For the report, if images are refused before any run. */
void pov_camera_calibration_refuse(pov_camera_calibration *calibration, const char *why);
/** The result of the last run. If it was not OK: views, zones and counts only, and `why`. */
const pov_calibration_report *pov_camera_calibration_report(const pov_camera_calibration *calibration);
