/** Finds balls of known colour and radius: the exact outline of a sphere, fitted to the part of the edge that is
 *  surely the ball's. */
#ifndef POV_PERCEPTION_BALLS_BALL_DETECTOR_H
#define POV_PERCEPTION_BALLS_BALL_DETECTOR_H

#include "perception/geometry/camera.h"
#include "perception/image/image.h"
#include "perception/status.h"

enum { POV_BALL_MAX = 32, POV_BALL_KIND_MAX = 16, POV_MASK_MAX = 8 };

/** A colour to look for, as one would read it off a photograph. */
typedef struct {
    uint8_t red, green,
        blue; /* sRGB of the diffusely lit surface; only its hue, purity and rough lightness matter */
} pov_colour;

/** "red", "blue", "basketball", ... or "#rrggbb"; false if unknown. */
bool pov_colour_from_name(pov_colour *colour, const char *name);
/** The known names, one string separated by ", ": for error messages. */
const char *pov_colour_names(void);

/** A kind of ball to look for. */
typedef struct {
    pov_colour colour;
    double radius_m;
    int max_count;   /* how many there may be */
    bool has_height; /* centre height above the table is known: rests on it, or on a stand */
    double height_m, height_std_m;
    double
        radius_std_m; /* of the radius, and of how far it is from round; 0: POV_BALL_RADIUS_STD of the radius */
    double edge_std_share; /* systematic error of edges in the image, by their width; 0: POV_BALL_EDGE_STD */
} pov_ball_kind;

#define POV_BALL_RADIUS_STD 0.01 /* toys and sports balls */
#define POV_BALL_EDGE_STD   0.1  /* cameras that sharpen, haze, light from above */

/** Rectangle in which nothing is to be looked for (a burnt-in label, the robot's own arm), in pixels. */
typedef struct {
    int x_px, y_px, width_px, height_px;
} pov_mask;

typedef struct {
    int kind_len;
    pov_ball_kind kinds[POV_BALL_KIND_MAX];
    int mask_len;
    pov_mask masks[POV_MASK_MAX];
} pov_ball_detector_config;

/** One ball. Position and outline are those of the sphere's exact projection. */
typedef struct {
    int kind;                   /* index into the configuration's kinds */
    pov_vec3 pos_camera_m;      /* centre in the camera frame */
    double cov_camera_m2[3][3]; /* given the camera pose exactly; fused with the height where that is known */
    double
        per_camera_pose[3]
                       [6];  /* d(position in the table frame) / d(camera pose error); zero if pose unknown */
    double fraction_visible; /* of its outline's arc that was found */
    double confidence;       /* in [0, 1] */
} pov_ball;

typedef struct {
    int len;
    bool truncated;
    pov_ball balls[POV_BALL_MAX];
} pov_balls;

typedef struct pov_ball_detector pov_ball_detector;

/** Allocates all work space for images of the camera's size. */
POV_MUST_USE pov_status pov_ball_detector_new(pov_ball_detector **detector,
                                              const pov_ball_detector_config *config,
                                              const pov_camera *camera);
void pov_ball_detector_destroy(pov_ball_detector **detector);

/** Finds balls, best first within each kind, at most max_count of each.
 *  In: image of the camera's size (else POV_SKIPPED); T_table_camera, or NULL when unknown: then heights are not used. */
POV_MUST_USE pov_status pov_ball_detector_run(pov_ball_detector *detector, pov_balls *balls,
                                              const pov_image *image, const pov_pose *T_table_camera);

#endif
