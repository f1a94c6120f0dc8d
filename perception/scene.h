/** What is where, and how sure we are: the entities of one moment, in the table frame. Plain data. */
#ifndef POV_PERCEPTION_SCENE_H
#define POV_PERCEPTION_SCENE_H

#include "perception/geom.h"
#include "perception/status.h"

enum { POV_ENTITY_MAX = 64, POV_NAME_CAPACITY = 32, POV_HEADING_MODES_MAX = 4 };

/** Index of an entity in its scene's list. */
typedef int pov_id;
#define POV_ID_NONE (-1)

/** A position whose error is its own plus what it shares with everything seen through the same camera pose:
 *  error = own + per_camera_pose * (camera pose error, as in pov_pose). */
typedef struct {
    pov_vec3 mean_m;
    double own_cov_m2[3][3];
    double per_camera_pose[3][6]; /* d(position) / d(camera pose error); zero if not seen through the camera */
} pov_position;

/** One peak of a heading distribution: von Mises about yaw_rad, counter-clockwise from above, 0 along table +x.
 *  kappa 0: no idea; large: sure (standard deviation about 1/sqrt(kappa) rad). */
typedef struct {
    double weight, yaw_rad, kappa;
} pov_heading_mode;

/** Which way a front points: a mixture whose weights sum to 1. len 0: the entity has no front. */
typedef struct {
    int len;
    pov_heading_mode mode[POV_HEADING_MODES_MAX];
} pov_heading;

typedef struct {
    char name[POV_NAME_CAPACITY];
    char class_name[POV_NAME_CAPACITY];
    bool placed;           /* position is known; if not, position holds NaN */
    bool seen;             /* found in this image (a surveyed entity is placed but not seen) */
    bool addressee;        /* a viewer whose perspective is judged */
    pov_position position; /* centre of the box */
    pov_vec3 size_m;       /* of the box along its own axes; x is the front's axis */
    pov_rot R_table_box;
    pov_heading heading;
} pov_entity;

typedef struct {
    int len;
    pov_entity entities[POV_ENTITY_MAX];
    pov_id camera;                 /* the camera is an entity too, of class "camera"; POV_ID_NONE: its pose is unknown */
    double camera_pose_cov[6][6];  /* of the pose error shared by positions, (rot_rad, pos_m) in the table frame */
    bool has_north;
    double north_yaw_rad;          /* direction of north, counter-clockwise from table +x */
} pov_scene;

/** Empties a scene: no entities, no camera, no north. */
void pov_scene_clear(pov_scene *scene);

/** An entity with a name and class, not placed, without a front, its covariances zero. Names too long are cut. */
pov_entity pov_entity_named(const char *name, const char *class_name);

/** A heading with one mode. */
pov_heading pov_heading_single(double yaw_rad, double kappa);
/** kappa of a von Mises as wide as a wrapped normal of this standard deviation; std_rad 0 gives a finite 1e12. */
double pov_kappa_from_std(double std_rad);

/** Appends; POV_ERROR if the scene is full or the name is taken (message names it). */
POV_MUST_USE pov_status pov_scene_add(pov_scene *scene, pov_id *id, const pov_entity *entity);

/** Adds the camera as an entity: placed at the pose, heading along its optical axis (along the image's upward
 *  direction when it looks straight down), and sets camera and camera_pose_cov. */
POV_MUST_USE pov_status pov_scene_add_camera(pov_scene *scene, const pov_pose *T_table_camera);

/** Entity of that name, or POV_ID_NONE. */
pov_id pov_scene_find(const pov_scene *scene, const char *name);

/** Marginal covariance of a position, shared part included. */
void pov_scene_position_cov(const pov_scene *scene, double cov_m2[3][3], const pov_position *position);

#endif
