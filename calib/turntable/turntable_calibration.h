/** Measures a turntable from the tags on it: its axis, where its tags are, its zero and direction, and how truly it follows
 *  what it is told. */
#pragma once

#include "calib/turntable/turntable_slip.h"
#include "calib/turntable/turntable_solver.h"
#include "perception/image/image.h"

enum { POV_TURN_IMAGE_MAX = POV_TURN_VIEW_MAX };

/** The setup. Borrowed. */
typedef struct {
    const pov_camera *camera;
    const pov_tag_map *map;         /* tags fixed to the table; or: */
    const pov_pose *T_table_camera; /* a camera that stands still; NULL: the map tells */
    const pov_tag_map
        *ring; /* the tags on the disc and how large they are; NULL: all that are not in the map, with: */
    double edge_m;
} pov_turntable_setup;

/** The commanded angle. */
typedef struct {
    double commanded_rad;
    int way; /* as in pov_turn_stop */
} pov_turntable_commanded;

typedef enum {
    POV_TURN_IMAGE_USED,
    POV_TURN_IMAGE_NO_CAMERA, /* the camera's pose is not known: no mapped tag */
    POV_TURN_IMAGE_NO_TAG,    /* none on the disc */
    POV_TURN_IMAGE_APART,     /* shares no tag with the others */
    POV_TURN_IMAGE_STRAY,     /* its tags on the disc do not fit where the others have them */
    POV_TURN_IMAGE_LEFT_OUT,  /* the user does not want it */
    POV_TURN_OUTCOME_COUNT
} pov_turn_outcome;

typedef struct {
    char name[POV_IMAGE_NAME_CAPACITY];
    pov_turn_outcome outcome;
    int disc_len, fixed_len;         /* tags seen */
    double angle_rad, angle_std_rad; /* NaN where not used. The deviation is that about the zero */
    bool has_told;
    pov_turntable_commanded told;
    double ahead_rad; /* of where it was told to stand, counter-clockwise; NaN where nothing was told */
} pov_turn_image;

/** A tag in a used image that does not fit. */
typedef struct {
    int image, id;
    pov_tag_family family;
    double rms_px; /* of its corners from where they should be; infinite: it cannot be seen so */
} pov_turn_stray;

/** The source of the zero. */
typedef enum { POV_ZERO_TOLD, POV_ZERO_RING, POV_ZERO_FIRST_IMAGE, POV_ZERO_COUNT } pov_zero_source;

typedef struct {
    pov_disc disc; /* its zero's error is that about its axis */
    int image_len, used_len;
    const pov_turn_image *images;
    int stray_len;
    const pov_turn_stray *strays; /* by image */
    bool is_calibrated;
    char why[POV_MESSAGE_CAPACITY]; /* it is not; then only what was seen in each image holds */
    double rms_px, noise;           /* of all corners; and as a multiple of the corners' stated deviation */
    double arc_rad;                 /* the angles seen, less the largest gap among them */
    double lean_rad;                /* of the axis against the table's z */
    pov_zero_source zero;
    bool has_slip; /* angles were told, and these agree with them but for: */
    pov_slip_report slip;
    int slip_image[POV_SLIP_MAX]; /* index of the image after which it had slipped */
    int left_out_len;             /* tags that are neither in the map nor turn */
    int left_out[POV_TURN_TAG_MAX];
    int lost_len; /* tags that turn, but fit no place on the disc */
    int lost[POV_TURN_TAG_MAX];
} pov_turntable_report;

typedef struct pov_turntable_calibration pov_turntable_calibration;

pov_turntable_calibration *pov_turntable_calibration_new(const pov_turntable_setup *setup);
void pov_turntable_calibration_destroy(pov_turntable_calibration **calibration);

/** Adds an image. In: the tags found in it; where the table was told to stand, or NULL.
 *  Returns: POV_ERROR if there are POV_TURN_IMAGE_MAX already. */
POV_MUST_USE pov_status pov_turntable_calibration_add(pov_turntable_calibration *calibration,
                                                      const char *name, const pov_tags *tags,
                                                      const pov_turntable_commanded *told);

/** Names an image that is not to be used. */
POV_MUST_USE pov_status pov_turntable_calibration_leave_out(pov_turntable_calibration *calibration,
                                                            const char *name);

/** The size of the tags on the disc, if it was not known before images were added. In: a setup without a ring. */
void pov_turntable_calibration_set_edge(pov_turntable_calibration *calibration, double edge_m);

/** Calibrates from all images added so far; may be called again after more.
 *  Returns: POV_OK; POV_UNDEFINED, with what is wrong and what to do: too few images, no tags on the disc, it did not turn,
 *           images that share no tag, angles told that nothing agrees with.
 *  Method:  the first robust fit drops tags in images, and images, that do not fit. Those that fit the final disc are
 *           taken back (readmission.h). */
POV_MUST_USE pov_status pov_turntable_calibration_run(pov_turntable_calibration *calibration);
/** The result of the last run. */
const pov_turntable_report *pov_turntable_calibration_report(const pov_turntable_calibration *calibration);

/** The disc's tag distances over those of the ring's map; NaN: no map. A wrong tag size scales everything on the
 *  disc. */
double pov_turntable_ring_scale(const pov_disc *disc, const pov_tag_map *ring);

/** The zero's standard deviation. */
double pov_turntable_report_zero_std_rad(const pov_turntable_report *report);
/** Does the table come short, or too far, by half a degree or more in a turn, beyond doubt? */
bool pov_turntable_report_creeps(const pov_turntable_report *report);

/** "used", "no_camera", "no_tag", "apart", "stray", "left_out"; "told", "ring", "first_image". */
const char *pov_turn_outcome_name(pov_turn_outcome value);
/** Why an image of this outcome is not used; "" if it is. */
const char *pov_turn_outcome_why(pov_turn_outcome value);
const char *pov_zero_source_name(pov_zero_source value);
