/** libpov: scenes, spatial relations in every frame of reference, and visibility, under uncertainty.
 *
 *      cc robot.c $(pkg-config --cflags --libs pov)        docs/LIBRARY.md has whole programs
 *
 *  Units and frames. Metres, radians, seconds. The table frame is right-handed with z up; angles on the ground ("yaw") are
 *  counter-clockwise from above, 0 along +x. A rotation is nine numbers row by row, R_table_box: its columns are the box's axes
 *  in the table frame. A covariance is row by row, too: 9 numbers in m^2, or 36 of a pose error (rot_rad, pos_m) in the table
 *  frame. NaN means "not known"; -1 is not an entity. An entity's id is its place in the scene, from 0 on, and stays.
 *
 *  Every function is described alike: Does, In, Out, Owns (who frees what), Fails, Thread. A pov_status tells of failures: its
 *  message names the argument and how to mend it. Numbers out of range, ids of no entity and lack of memory are such failures. A
 *  pointer must point to what it is declared to, and may be NULL only where that is said; else the process aborts. The library starts
 *  no threads, reads no clock and no files, and prints nothing. It needs libc and libm; looking (pov_look) needs Embree, which
 *  no call shows. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifdef __GNUC__
#define POV_MUST_USE __attribute__((warn_unused_result))
#else
#define POV_MUST_USE
#endif

/* ---------------------------------------------------------------- */

/* -------- words -------- */

#ifndef POV_WITHIN /* the library's own sources have these from the headers of the program */

enum {
    POV_MESSAGE_CAPACITY = 400,
    POV_RELATA_MAX = 8,
    POV_REGISTRY_MAX = 128,
    POV_OCCLUDERS_MAX = 8,
    POV_NAME_CAPACITY = 32
};

typedef enum {
    POV_OK,
    POV_UNDEFINED, /* the question has no answer here; not a failure */
    POV_TIMEOUT,   /* nothing came within the time given; ask again */
    POV_END,       /* the source has nothing more, ever */
    POV_SKIPPED,   /* this item is unusable, the next may be fine; the message names it */
    POV_ERROR      /* the message names the argument, file or key and how to mend it */
} pov_code;

/** The result of a call. `message` is one line of UTF-8 without a final newline, "" with POV_OK. */
typedef struct {
    pov_code code;
    char message[POV_MESSAGE_CAPACITY];
} pov_status;

/** Whose axes are used: the camera's, those of a person in the scene, the relatum's own front, north. */
enum { POV_EGOCENTRIC, POV_ADDRESSEE, POV_INTRINSIC, POV_ABSOLUTE };
/** How a viewer's axes are laid on the relatum (Hausa, Tamil, English); none: intrinsic and absolute perspectives. */
enum { POV_TRANSLATED, POV_ROTATED, POV_REFLECTED, POV_NO_CONVENTION };
/** What stands for a viewer's line of sight. Intrinsic and absolute: POV_HEADING. */
enum { POV_SIGHT_LINE, POV_HEADING };
/** The degree to which a direction holds at angle theta from it: 1 iff |theta| < 90 degrees; (cos theta + 1) / 2; by regions. */
enum { POV_HEMISPHERE, POV_COSINE, POV_TEMPLATE };
/** Is the referent's centre inside the relatum's box? */
enum { POV_EXTERNAL, POV_INTERNAL };
enum { POV_FALSE, POV_TRUE, POV_ABSTAIN, POV_VERDICT_UNDEFINED };
/** Why a judgment abstains: it does not; poses are too noisy or the boundary too near; the camera's calibration. */
enum { POV_DOUBT_NONE, POV_DOUBT_POSES, POV_DOUBT_CALIBRATION };
/** Why a viewer does not see a target. */
enum {
    POV_CAUSE_NONE,        /* it is seen */
    POV_CAUSE_OUT_OF_VIEW, /* outside the field of view, ahead */
    POV_CAUSE_BEHIND,      /* outside the field of view, behind the viewer */
    POV_CAUSE_HIDDEN,      /* other bodies are in the way */
    POV_CAUSE_TOO_SMALL,
    POV_CAUSE_TOO_NEAR,
    POV_CAUSE_TOO_FAR,
    POV_CAUSE_UNKNOWN_GAZE, /* it depends on where the viewer looks, which is not known */
    POV_CAUSE_NOT_PLACED,   /* viewer's or target's position is not known */
    POV_CAUSE_NOT_A_VIEWER, /* the viewer cannot see, or is asked about itself */
    POV_CAUSE_NO_BODY       /* the target has no size */
};
/** The body inside an entity's box. A sphere is size_m[0] wide; a capsule stands along the box's z, size_m[0] wide. */
enum { POV_SHAPE_BOX, POV_SHAPE_SPHERE, POV_SHAPE_CAPSULE, POV_SHAPE_MESH };
/** The directions that a viewer sees: an elliptical cone, or a frustum. */
enum { POV_FIELD_CONE, POV_FIELD_FRUSTUM };

#endif

/** What pov_name names. */
typedef enum {
    POV_RELATIONS, /* by index in the registry, as in pov_judgment */
    POV_PERSPECTIVES,
    POV_CONVENTIONS,
    POV_AXES,
    POV_ACCEPTANCES,
    POV_CONTAINMENTS,
    POV_DOUBTS,
    POV_VERDICTS,
    POV_CAUSES
} pov_word;

/** Does:   tells the library's version.
 *  Out:    "0.2.0".
 *  Owns:   a constant.
 *  Fails:  never.
 *  Thread: any. */
const char *pov_version(void);

/** Does:   names a value: "left_of", "egocentric", "reflected", "true", "hidden", ...
 *  In:     word: a pov_word; value: one of its values.
 *  Out:    the stable name, as in JSON and Python.
 *  Owns:   a constant.
 *  Fails:  NULL: there is no such value, or it has no name (POV_NO_CONVENTION, POV_DOUBT_NONE).
 *  Thread: any. */
const char *pov_name(int word, int value);

/** Does:   finds a relation by its name or an English phrase: "behind", "in front of", "close to".
 *  In:     name: UTF-8; case, "_", "-" and " " are the same.
 *  Out:    its index in the registry, as in pov_judgment; less than 0: there is none, and -1 - result is the most similar one.
 *  Owns:   nothing.
 *  Fails:  never.
 *  Thread: any. */
int pov_relation_find(const char *name);

/** A relation of the registry (docs/RELATIONS.md). */
typedef struct {
    const char *name, *definition, *category;
    const char *frame; /* what it needs besides boxes: "none", "axes", "north" or "viewer" */
    int relata_min;
    int is_direction; /* left_of, ..., west_of: judged with an angle */
} pov_relation_entry;

/** Does:   describes a relation; the registry is walked through from 0 on until it fails.
 *  In:     index: as pov_relation_find gives it.
 *  Out:    entry: texts that stay.
 *  Owns:   constants.
 *  Fails:  POV_END: there is no relation of this index.
 *  Thread: any. */
POV_MUST_USE pov_status pov_relation_at(pov_relation_entry *entry, int index);

/** Does:   converts a standard deviation of a yaw, rad, to the concentration of a von Mises distribution as wide.
 *  Out:    kappa; 0 rad gives a finite 1e12.
 *  Owns:   nothing.
 *  Fails:  NaN: std_rad is negative or NaN.
 *  Thread: any. */
double pov_kappa_from_std(double std_rad);

/* -------- scenes -------- */

/** The entities of one moment, and what the library computes from them. */
typedef struct pov_scene pov_scene;

/** One entity. {0} is one of which nothing is known. As read, numbers that are not known are NaN. */
typedef struct {
    int8_t placed, has_front, has_velocity; /* 1: the numbers of that kind are known */
    int8_t addressee;                       /* 1: a person whose perspective is judged */
    int8_t shape;                           /* POV_SHAPE_...; a mesh by pov_entity_set_mesh */
    int8_t seen, can_see; /* as read: found in this image; has a field of view. Not looked at when added */
    double position_m[3]; /* placed: centre of its box, table frame */
    double position_cov_m2[9]; /* of its error; zeros: exact. As read: with the camera pose's share */
    double size_m[3];          /* along the box's own axes, x being the front's; zeros: not known */
    double rotation[9];        /* R_table_box; zeros: it stands upright, turned to its front */
    double shape_doubt; /* of a box: how deep in it a face may be, as a share < 0.5 of the side; 0: none is */
    double yaw_rad, kappa;  /* has_front: von Mises; as read, of several the likeliest */
    double velocity_m_s[3]; /* has_velocity: table frame */
    double velocity_cov_m2_s2[9];
} pov_entity;

/** What a viewer sees, about its front (the camera: its optical axis). */
typedef struct {
    double half_horizontal_rad,
        half_vertical_rad; /* half-angles, (0, pi] of a cone, (0, pi/2) of a frustum */
    double near_m, far_m;  /* range; far_m may be INFINITY */
    double eye_m[3];       /* where the eye is in the box's frame, from its centre */
    int shape;             /* POV_FIELD_... */
} pov_field;

/** One of several directions that a front may have. */
typedef struct {
    double weight, yaw_rad, kappa;
} pov_front;

/** Does:   makes an empty scene: no entities, no camera, no north.
 *  Out:    scene.
 *  Owns:   the caller; pov_scene_destroy frees it.
 *  Fails:  POV_ERROR: out of memory; *scene is NULL.
 *  Thread: a scene is used by one thread at a time, different scenes by several at once. */
POV_MUST_USE pov_status pov_scene_new(pov_scene **scene);

/** Does:   frees a scene and all that was borrowed from it, and sets *scene to NULL, which it may be already.
 *  Owns:   nothing is left.
 *  Fails:  never.
 *  Thread: as pov_scene_new. */
void pov_scene_destroy(pov_scene **scene);

/** Does:   adds an entity.
 *  In:     name: unique in the scene, UTF-8 of 1 to 31 bytes; class_name: up to 31 bytes; entity: copied.
 *  Out:    id: its place in the scene, or NULL.
 *  Owns:   the scene.
 *  Fails:  POV_ERROR, *id -1: the name is taken, empty or too long, 256 entities are there, a field is out of range.
 *  Thread: as pov_scene_new. */
POV_MUST_USE pov_status pov_entity_add(pov_scene *scene, int16_t *id, const char *name,
                                       const char *class_name, const pov_entity *entity);

/** Does:   gives an entity (the camera, too) a field of view: it is then a viewer for pov_look.
 *  In:     id; field: copied; NULL: it cannot see any more.
 *  Owns:   the scene.
 *  Fails:  POV_ERROR: no entity of this id, a number out of range. Nothing is changed then.
 *  Thread: as pov_scene_new. */
POV_MUST_USE pov_status pov_entity_set_field(pov_scene *scene, int id, const pov_field *field);

/** Does:   sets the directions that an entity's front may have. Boxes do not turn.
 *  In:     id; fronts: 0 to 4 of them; weights >= 0, which are divided by their sum.
 *  Owns:   the scene.
 *  Fails:  POV_ERROR: no entity of this id, or the camera; too many; a number out of range. Nothing is changed then.
 *  Thread: as pov_scene_new. */
POV_MUST_USE pov_status pov_entity_set_fronts(pov_scene *scene, int id, const pov_front *fronts, int len);

/** Triangles in the box's frame, metres from its centre. */
typedef struct {
    const float (*vertices_m)[3];
    const uint32_t (*triangles)[3]; /* indices of vertices, counter-clockwise seen from outside */
    int vertex_len, triangle_len;
} pov_triangles;

/** Does:   gives an entity a body of triangles, for pov_look.
 *  In:     id; triangles: copied.
 *  Owns:   the scene.
 *  Fails:  POV_ERROR: no entity of this id, no triangles, an index out of range, a vertex that is not finite, out of memory. Nothing
 *          is changed then.
 *  Thread: as pov_scene_new. */
POV_MUST_USE pov_status pov_entity_set_mesh(pov_scene *scene, int id, const pov_triangles *triangles);

/** Does:   says which part of an entity's error is the camera pose's, so that what was seen through one camera errs together.
 *  In:     id; per_camera_pose[3][6]: d(position) / d(camera pose error), row by row: position_cov_m2 as added is then the
 *          entity's own error alone; yaw_per_rotation[3]: the same of the front, d(yaw) / d(rotation error), or NULL.
 *  Owns:   the scene.
 *  Fails:  POV_ERROR: no entity of this id, it is the camera or there is none, a number is not finite.
 *  Thread: as pov_scene_new. */
POV_MUST_USE pov_status pov_entity_tie_to_camera(pov_scene *scene, int id, const double *per_camera_pose,
                                                 const double *yaw_per_rotation);

/** Does:   finds an entity by its name.
 *  Out:    its id; -1: there is none.
 *  Owns:   nothing.
 *  Fails:  never.
 *  Thread: as pov_scene_new. */
int pov_entity_find(const pov_scene *scene, const char *name);

/** Does:   tells an entity's name.
 *  Out:    UTF-8; "": no entity of this id.
 *  Owns:   the scene; valid until it is destroyed.
 *  Fails:  never.
 *  Thread: as pov_scene_new. */
const char *pov_entity_name(const pov_scene *scene, int id);
/** Does:   tells an entity's class, as pov_entity_name its name.
 *  Out:    UTF-8; "": no entity of this id.
 *  Owns:   the scene; valid until it is destroyed.
 *  Fails:  never.
 *  Thread: as pov_scene_new. */
const char *pov_entity_class(const pov_scene *scene, int id);

/** Does:   counts the entities; the camera is one.
 *  Out:    their number; ids are 0 to one less.
 *  Owns:   nothing.
 *  Fails:  never.
 *  Thread: as pov_scene_new. */
int pov_scene_len(const pov_scene *scene);

/** Does:   reads the entities.
 *  Out:    entities: as many as pov_scene_len says, in the order of their ids.
 *  Owns:   the caller.
 *  Fails:  never.
 *  Thread: as pov_scene_new. */
void pov_scene_entities(const pov_scene *scene, pov_entity *entities);

/** Does:   places the camera, an entity named "camera", which is added the first time.
 *  In:     position_m[3]; look_at_m[3]: a point on its optical axis, its roll is 0; cov[36]: of the pose's error, or NULL: exact.
 *  Owns:   the scene.
 *  Fails:  POV_ERROR: a number is not finite, both points coincide or lie straight above one another, cov is not a covariance, the
 *          scene is full or another entity is named "camera".
 *  Thread: as pov_scene_new. */
POV_MUST_USE pov_status pov_scene_set_camera(pov_scene *scene, const double *position_m,
                                             const double *look_at_m, const double *cov);

/** Does:   sets north, which the absolute perspective needs.
 *  In:     yaw_rad: its direction; NaN: there is none.
 *  Owns:   nothing.
 *  Fails:  POV_ERROR: it is infinite.
 *  Thread: as pov_scene_new. */
POV_MUST_USE pov_status pov_scene_set_north(pov_scene *scene, double yaw_rad);

/** Does:   tells where north is.
 *  Out:    yaw, rad; NaN: there is none.
 *  Owns:   nothing.
 *  Fails:  never.
 *  Thread: as pov_scene_new. */
double pov_scene_north(const pov_scene *scene);

/** Does:   moves entities. Boxes turn with their fronts; covariances stay.
 *  In:     ids[len]; positions_m[len][3], or NULL: they stay; yaws_rad[len] of fronts, or NULL: they stay.
 *  Owns:   nothing.
 *  Fails:  POV_ERROR: an id is of no entity or the camera's, a number is not finite, an entity that is turned has not one front.
 *          Nothing is moved then.
 *  Thread: as pov_scene_new. */
POV_MUST_USE pov_status pov_scene_move(pov_scene *scene, const int16_t *ids, int len,
                                       const double *positions_m, const double *yaws_rad);

/* -------- judgments -------- */

/** A query and its answer. Only directions have angles and a distance; NaN: there is no answer. */
typedef struct {
    double p,
        p_std; /* probability that it holds, in [0, 1]; standard deviation of its truth over the errors */
    double theta_rad,
        theta_std_rad; /* signed angle from the relation's direction to relatum -> referent, ccw from above */
    double flip_distance_m;         /* how far the referent must move on the ground to reach the boundary */
    double p_internal;              /* probability that the referent is inside the relatum */
    int16_t relation;               /* the query: by pov_relation_find */
    int16_t referent;               /* id: is located ... */
    int16_t viewer;                 /* egocentric: the camera; addressee: a person; else -1 */
    int16_t relata[POV_RELATA_MAX]; /* ... by these; -1 behind the last */
    int8_t relatum_len;             /* 1; 2 for "between" and "nearer to"; 3 or more for "among" */
    int8_t perspective, convention, axis, acceptance;
    int8_t containment, doubt, verdict; /* of the answer */
} pov_judgment;

/** Room for judgments. The caller sets `list` and `capacity`; a call sets `len`, the number that there are: if it is more than
 *  `capacity`, only so many were written; call again with more room. */
typedef struct {
    pov_judgment *list;
    int capacity, len;
} pov_judgments;

/** What locates a referent. */
typedef struct {
    int16_t referent, relatum_len;
    int16_t relata[POV_RELATA_MAX];
} pov_pair;

typedef struct {
    const pov_pair *list;
    int len;
} pov_pairs;

/** The judgments wanted: a 1 at each value. Start from pov_choice_usual. */
typedef struct {
    double abstain_margin; /* abstain where |P - 0.5| is no more; in [0, 0.5) */
    /* Regions of POV_TEMPLATE (Logan & Sadler 1996): edges of "good" and "acceptable" and their softness, rad; the level of acceptable
       places, in [0, 1]; the distance over which it fades, m, or INFINITY. */
    double good_edge_rad, good_fall_rad, acceptable_edge_rad, acceptable_fall_rad, acceptable_level, reach_m;
    int8_t relation[POV_REGISTRY_MAX]; /* by index in the registry */
    int8_t perspective[4], convention[3], axis[2], acceptance[3];
} pov_choice;

/** Does:   chooses as `pov judge` does: all directions and all that needs no frame and one relatum, in every perspective and
 *          convention, about sight lines, by hemispheres; abstains within 3 standard deviations of a boundary.
 *  Out:    choice.
 *  Owns:   nothing.
 *  Fails:  never.
 *  Thread: any. */
void pov_choice_usual(pov_choice *choice);

/** Does:   judges one query.
 *  In:     judgment: relation, referent, viewer, relata, relatum_len, perspective, convention, axis, acceptance; choice: its
 *          margin and regions count, or NULL: the usual ones.
 *  Out:    judgment: the other fields. Errors of positions, fronts and the camera's pose are taken into account.
 *  Owns:   nothing.
 *  Fails:  POV_ERROR: an id is of no entity, a value or number is out of range. POV_UNDEFINED, numbers NaN: an entity is not placed,
 *          two ids are alike, there are too few relata, the relatum has no front (intrinsic), north is not set (absolute), the viewer
 *          has no front where one is needed, or geometry cannot decide.
 *  Thread: as pov_scene_new. */
POV_MUST_USE pov_status pov_judge_query(const pov_scene *scene, pov_judgment *judgment,
                                        const pov_choice *choice);

/** Does:   judges pairs in every chosen frame that the scene has viewers, fronts and north for; pair by pair, directions first.
 *  In:     pairs: of different entities; choice, or NULL: the usual.
 *  Out:    judgments; undefined ones are among them.
 *  Owns:   the caller.
 *  Fails:  POV_ERROR, len 0: an id is of no entity, a pair names one twice, a number is out of range, out of memory.
 *  Thread: as pov_scene_new. */
POV_MUST_USE pov_status pov_judge_pairs(pov_scene *scene, pov_judgments *judgments, const pov_pairs *pairs,
                                        const pov_choice *choice);

/** Scenes that are like one, but that entities are moved. */
typedef struct {
    int len; /* scenes */
    const int16_t *ids;
    int id_len;
    const double *positions_m; /* [len][id_len][3], or NULL */
    const double *yaws_rad;    /* [len][id_len], or NULL */
} pov_batch;

/** Does:   judges pairs in many scenes. Afterwards the scene is as it was before.
 *  In:     pairs, choice: as pov_judge_pairs; batch: as pov_scene_move.
 *  Out:    judgments: scene by scene, each with as many as pov_judge_pairs gives of the scene before it is moved; all must fit.
 *  Owns:   the caller.
 *  Fails:  as pov_judge_pairs and pov_scene_move; the message names the scene of the batch. POV_ERROR, len the number there would
 *          be: they do not fit.
 *  Thread: as pov_scene_new. */
POV_MUST_USE pov_status pov_judge_batch(pov_scene *scene, pov_judgments *judgments, const pov_pairs *pairs,
                                        const pov_choice *choice, const pov_batch *batch);

/* -------- visibility -------- */

/** How much of a target a viewer sees (docs/VISIBILITY.md). Shares are of the target's solid angle at the eye; NaN: no answer. */
typedef struct {
    double p, p_std;          /* probability that the target counts as seen */
    double fraction_visible;  /* at the likeliest poses */
    double fraction_expected; /* mean over the errors */
    double fraction_hidden, fraction_out_of_view, fraction_out_of_range; /* with fraction_visible: sum 1 */
    double size_rad;                          /* diameter of the disc as large as the target */
    double occluder_share[POV_OCCLUDERS_MAX]; /* of the target, hidden by each */
    int16_t occluder[POV_OCCLUDERS_MAX];      /* ids, the largest share first; -1: no more */
    int16_t viewer, target;
    int8_t verdict, cause;
} pov_visibility;

/** Room for visibilities, as pov_judgments. */
typedef struct {
    pov_visibility *list;
    int capacity, len;
} pov_visibilities;

/** Thresholds of seeing, and how finely to look. */
typedef struct {
    double min_fraction;   /* of the target; so much is enough ... */
    double ample_size_rad; /* ... and a visible part this large is enough, whatever its share */
    double min_size_rad;   /* a smaller visible part is not seen */
    double abstain_margin; /* abstain when |P - 0.5| <= margin; in [0, 0.5) */
    int rays;              /* for fraction_visible; 1 to 65536 */
    int rays_per_node;     /* for each of the poses that the errors are sampled at; likewise */
} pov_seeing;

/** Does:   sets the usual thresholds: a fifth of the target, or 20 degrees of it; 5 arc minutes; P in [0.05, 0.95] is no answer.
 *  Out:    seeing.
 *  Owns:   nothing.
 *  Fails:  never.
 *  Thread: any. */
void pov_seeing_usual(pov_seeing *seeing);

/** Does:   looks: how much of whom is seen by whom, what hides the rest, and how sure that is. Rays are cast by Embree.
 *  In:     viewer, target: ids, or -1: everyone who can see, everything but the camera; seeing, or NULL: the usual.
 *  Out:    visibilities: by viewer, then target.
 *  Owns:   the caller.
 *  Fails:  POV_ERROR, len 0: no entity of this id, a threshold is out of range, out of memory.
 *  Thread: as pov_scene_new. */
POV_MUST_USE pov_status pov_look(pov_scene *scene, pov_visibilities *visibilities, int viewer, int target,
                                 const pov_seeing *seeing);

/* ---------------------------------------------------------------- */

#ifdef __cplusplus
}
#endif
