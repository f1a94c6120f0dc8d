/** The entities of one moment, with the uncertainty of their positions and headings, in the table frame. Plain data. */
#pragma once

#include "perception/geometry/box.h"
#include "perception/geometry/geom.h"
#include "perception/image/image.h"
#include "perception/status.h"

#include <stdint.h>

enum { POV_ENTITY_MAX = 256, POV_NAME_CAPACITY = 32, POV_HEADING_MODES_MAX = 4, POV_ABOUT_CAPACITY = 96 };

/** Index of an entity in its scene's list. */
typedef int pov_id;
#define POV_ID_NONE (-1)

/** A position whose error is its own plus what it shares with everything seen through the same camera pose:
 *  error = own + per_camera_pose * (camera pose error, as in pov_pose). */
typedef struct {
    pov_vec3 mean_m;
    double own_cov_m2[3][3];
    double per_camera_pose[3]
                          [6]; /* d(position) / d(camera pose error); zero if not seen through the camera */
} pov_position;

/** One peak of a heading distribution: von Mises about yaw_rad, counter-clockwise from above, 0 along table
 * +x. kappa 0: no idea; large: sure (standard deviation about 1/sqrt(kappa) rad). */
typedef struct {
    double weight, yaw_rad, kappa;
} pov_heading_mode;

/** The direction of a front: a mixture of von Mises modes, weights sum to 1. len 0: the entity has no front. */
typedef struct {
    int len;
    pov_heading_mode mode[POV_HEADING_MODES_MAX];
} pov_heading;

/** Covariance of a front's error, yaw, with other errors; kappa counts all of it. Zero: it is independent of them. */
typedef struct {
    double per_camera_pose[6]; /* d(yaw) / d(camera pose error) */
    double with_position_m[3]; /* covariance of what is left with the position's own error, rad * m */
} pov_heading_ties;

/** From this kappa on a front's error (8 degrees) is small enough to go with others linearly. */
#define POV_HEADING_TIED_KAPPA 50.0

/** The body inside the box. A sphere has the diameter size_m.x; a capsule stands along the box's z, size_m.x
 * wide. */
typedef enum {
    POV_SHAPE_BOX,
    POV_SHAPE_SPHERE,
    POV_SHAPE_CAPSULE,
    POV_SHAPE_MESH,
    POV_SHAPE_COUNT
} pov_shape;

/** Triangles in the box's frame (origin at its centre), metres. Borrowed by scenes; must outlive them. */
typedef struct {
    int vertex_len, triangle_len;
    const float (*vertices_m)[3];
    const uint32_t (*triangles)[3]; /* indices of vertices, counter-clockwise seen from outside */
} pov_mesh;

/** The directions that a viewer can see: an elliptical cone or a frustum about its facing. */
typedef enum { POV_FIELD_CONE, POV_FIELD_FRUSTUM, POV_FIELD_COUNT } pov_field_shape;

typedef struct {
    pov_field_shape shape;
    double half_horizontal_rad,
        half_vertical_rad; /* half-angles, each in (0, pi] for a cone, (0, pi/2) for a frustum */
    double near_m, far_m;  /* range limits; far_m may be INFINITY */
    pov_vec3 eye_m;        /* where the eye is in the box's frame */
} pov_field_of_view;

/** Motion of a tracked thing: none, with a turning table, or freely, as by hand. */
typedef enum { POV_AT_REST, POV_CARRIED, POV_MOVING_FREELY, POV_MOTION_COUNT } pov_motion_model;

/** The entity's track: its state from earlier images. */
typedef struct {
    bool tracked;           /* false: nothing; the rest does not count */
    bool lost;              /* not found for so long that nobody knows where it is */
    double age_s, hidden_s; /* since it was found first; since it was found last, 0 if in this image */
    double other_p;         /* that it is another that looks alike, not what had its name first */
    pov_motion_model motion;
} pov_entity_track;

/** Directions that an entity has. */
typedef enum {
    POV_AIM_FRONT, /* of its body */
    POV_AIM_GAZE,  /* of a person's head */
    POV_AIM_HAND,  /* of an arm that points */
    POV_AIM_COUNT
} pov_aim;

typedef struct {
    char name[POV_NAME_CAPACITY];
    char class_name[POV_NAME_CAPACITY];
    char about
        [POV_ABOUT_CAPACITY]; /* other words for it, and about it ("mug beaker porcelain"), parted by blanks */
    bool placed;              /* position is known; if not, position holds NaN */
    bool seen;                /* found in this image (a surveyed entity is placed but not seen) */
    bool addressee;           /* a viewer whose perspective is judged */
    double look_age_s;        /* seen in an image that much older than this one; 0: in this one */
    bool has_image_box;
    pov_pixel_box image_box; /* where a detector of boxes found it in the image; of a person, body or face */
    pov_position position;   /* centre of the box */
    pov_vec3 size_m;         /* of the box along its own axes; x is the front's axis */
    pov_rot R_table_box;
    pov_heading heading;
    pov_heading_ties heading_ties;
    pov_heading
        head_heading; /* of a person's head, where that is seen apart from the body: where the person looks; len 0: as the body */
    bool arms_seen; /* of a person: `pointing` says whether one points */
    pov_heading
        pointing; /* of the ray of an arm that points, seen from above; len 0: none does, or it is not known */
    pov_shape shape;
    double
        shape_doubt; /* of POV_SHAPE_BOX: how deep in it a face may be, a share < 0.5 of the side; 0: none is */
    const pov_mesh *mesh; /* of POV_SHAPE_MESH, else NULL */
    bool can_see;
    pov_field_of_view field; /* valid if can_see; its facing is the heading (camera: its optical axis) */
    bool has_velocity;
    pov_vec3 velocity_m_s; /* in the table frame */
    double velocity_cov_m2_s2[3][3];
    bool is_imagined; /* a viewer who does not stand there: "if I stood at the stove, facing the TV" */
    bool
        is_hypothetical; /* an imagined viewer who is not in the scene at all: nobody sees, counts or locates it */
    pov_id imagined_at, imagined_facing; /* of an imagined viewer */
    bool has_turn_rate;
    double turn_rate_rad_s, turn_rate_std_rad_s; /* of its heading, counter-clockwise from above */
    pov_entity_track track;
} pov_entity;

typedef struct {
    int len;
    pov_entity entities[POV_ENTITY_MAX];
    pov_id camera; /* the camera is an entity too, of class "camera"; POV_ID_NONE: its pose is unknown */
    double camera_pose_cov[6][6]; /* of the pose error shared by positions, (rot_rad, pos_m) in the table
                                     frame */
    bool has_north;
    double north_yaw_rad; /* direction of north, counter-clockwise from table +x */
} pov_scene;

/** "cone", "frustum". */
const char *pov_field_shape_name(pov_field_shape value);
/** "at_rest", "with_table", "by_itself". */
const char *pov_motion_model_name(pov_motion_model value);

/** Empties a scene: no entities, no camera, no north. */
void pov_scene_clear(pov_scene *scene);

/** An entity with a name and class, not placed, without a front, its covariances zero. Names too long are
 * cut. */
pov_entity pov_entity_named(const char *name, const char *class_name);
/** Its box in the table frame, at the mean position. */
pov_box pov_entity_box(const pov_entity *entity);
/** Inserts an entity into `len` others that stand from left to right in the image, by the middle of its image_box. */
void pov_entities_insert(pov_entity *entities, int len, const pov_entity *entity);

/** One of an entity's directions, seen from above. A gaze is the body's front where the head is not seen apart; len 0: there is none. */
const pov_heading *pov_entity_aim(const pov_entity *entity, pov_aim aim);

/** A heading with one mode. */
pov_heading pov_heading_single(double yaw_rad, double kappa);
/** Its heaviest mode, the first of equals; NULL if it has none. */
const pov_heading_mode *pov_heading_heaviest(const pov_heading *heading);
/** Standard deviation of an angle that may be any, pi / sqrt(3): none is less sure. */
#define POV_EVEN_STD_RAD 1.8137993642342178

/** kappa of a von Mises as wide as a wrapped normal of this standard deviation; std_rad 0 gives a finite
 * 1e12; NaN if it is negative. */
double pov_kappa_from_std(double std_rad);

/** d(yaw) / d(rotation error, as in pov_pose) of a direction in the table frame that is not vertical. */
void pov_yaw_gradient(double gradient[3], pov_vec3 direction);
/** Variance of the heaviest mode without what it shares with the camera pose's error; POV_HEADING_TIED_KAPPA or more. */
double pov_heading_own_variance(const pov_scene *scene, pov_id id);
/** The heading without what it shares with the camera pose's error: modes of POV_HEADING_TIED_KAPPA and more are as much
 *  surer, the others stay; nothing is left of the camera's. */
pov_heading pov_heading_apart_from_camera(const pov_scene *scene, pov_id id);
/** Adds to a front what the camera pose's error does to it. In: gradient: d(yaw) / d(rotation error), as in pov_pose. */
void pov_heading_tie_to_camera(pov_entity *entity, const double gradient[3], const pov_pose *T_table_camera);

/** Appends; POV_ERROR if the scene is full or the name is taken (message names it). */
POV_MUST_USE pov_status pov_scene_add(pov_scene *scene, pov_id *id, const pov_entity *entity);

/** A camera's heading in the table frame: along its optical axis, whatever its roll; within 10 degrees of straight down
 *  along the image's upward direction, of straight up along the downward one.
 *  Out: gradient: d(yaw) / d(rotation error of T_table_camera, as in pov_pose). */
double pov_camera_yaw(double gradient[3], pov_rot R_table_camera);

/** Adds the camera as an entity: placed at the pose, heading along pov_camera_yaw; sets camera and camera_pose_cov. */
POV_MUST_USE pov_status pov_scene_add_camera(pov_scene *scene, const pov_pose *T_table_camera);

/** Entity of that name, or POV_ID_NONE. */
pov_id pov_scene_find(const pov_scene *scene, const char *name);

/** Marginal covariance of a position, shared part included. */
void pov_scene_position_cov(const pov_scene *scene, double cov_m2[3][3], const pov_position *position);
