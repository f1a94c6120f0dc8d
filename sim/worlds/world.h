/** A world whose truth is known: what stands where, how it looks, what turns, and the camera that looks on. Plain data,
 *  metres and radians in the table frame; the ground, a table's top, is at z = 0. */
#pragma once

#include "perception/geometry/tag.h"
#include "perception/scene/scene.h"
#include "sim/bodies/catalogue.h"
#include "sim/render/renderer.h"
#include "sim/render/sensor.h"

enum { POV_WORLD_THING_MAX = 64, POV_WORLD_VARIANT_MAX = 64, POV_WORLD_IMAGE_MAX = 1000000 };
enum { POV_WORLD_WAYPOINT_MAX = 4096, POV_WORLD_LIGHT_MAX = 64 };

typedef struct {
    pov_entity entity; /* as it is at turn 0 */
    pov_look look;
    bool from_package;          /* has a body of sim/bodies/furniture_package.h */
    bool has_height;            /* its z was given; else it rests on something */
    char on[POV_NAME_CAPACITY]; /* "": the ground; "turntable"; or the id of a thing */
    bool points; /* of people; at a thing, or a place: as it is at turn 0, and at the start of paths */
    char points_at[POV_NAME_CAPACITY]; /* "": the place */
    pov_vec3 points_at_m;
    bool turns;               /* goes round with the motion */
    int path_first, path_len; /* of the world's waypoints; len 0: it stays where it is */
} pov_world_thing;

/** The pose of a thing on a path at a time; between two waypoints it goes straight and turns evenly. */
typedef struct {
    double at_s;
    pov_vec3 pos_m; /* z NAN until the world is settled: where it rests */
    double yaw_rad; /* not wrapped */
} pov_world_waypoint;

/** The light at a time; between two it changes evenly. */
typedef struct {
    double at_s;
    pov_lighting lighting;
} pov_world_light;

typedef enum { POV_SURFACE_PLAIN, POV_SURFACE_WOOD, POV_SURFACE_TILES, POV_SURFACE_COUNT } pov_surface_look;

typedef struct {
    pov_vec2 size_m; /* about the origin */
    uint32_t colour; /* sRGB, 0xRRGGBB */
    pov_surface_look look;
} pov_world_surface;

typedef struct {
    bool present;
    pov_vec2 centre_m;
    double radius_m, height_m; /* of the disc's top above the ground */
    uint32_t colour;
} pov_world_turntable;

/** Image i is taken at turn start_rad + i * 2 pi / steps; as time passes, a whole turn takes period_s. */
typedef struct {
    int steps; /* 0: nothing moves */
    double start_rad, period_s;
    bool is_orbit; /* things go round and keep their fronts; else the turntable turns them */
    char orbiting[POV_NAME_CAPACITY], about[POV_NAME_CAPACITY];
    pov_vec2 centre_m;
} pov_world_motion;

/** The camera's pose; its intrinsics come from a calibration or a field of view. */
typedef struct {
    pov_camera lens;
    double field_of_view_rad; /* horizontal; 0: calibrated */
    pov_vec3 position_m, look_at_m;
    bool has_rotation;
    pov_rot R_table_camera;
} pov_world_camera;

typedef enum {
    POV_GENERATOR_NONE,
    POV_GENERATOR_VPT,
    POV_GENERATOR_TABLETOP,
    POV_GENERATOR_COUNT
} pov_generator;

/** The parameters of a generator, which makes new things for each image. */
typedef struct {
    pov_generator kind;
    double distance_m;             /* vpt: from figure to object */
    bool is_absent;                /* vpt: there is no object */
    bool is_zoomed;                /* vpt: the figure is in the middle of the image */
    bool has_compass;              /* vpt: N, E, S and W are written at the picture's edges */
    int least_things, most_things; /* tabletop */
    int people;                    /* tabletop: at most */
} pov_world_generator;

typedef struct {
    char name[POV_NAME_CAPACITY], variant[POV_NAME_CAPACITY];
    char about[256];
    int variant_len;
    char variants[POV_WORLD_VARIANT_MAX][POV_NAME_CAPACITY]; /* that the file names */

    int thing_len;
    pov_world_thing things[POV_WORLD_THING_MAX];
    int waypoint_len;
    pov_world_waypoint waypoints[POV_WORLD_WAYPOINT_MAX];
    pov_world_camera camera;
    pov_lighting lighting;
    int light_len; /* 0: it stays as it is */
    pov_world_light lights[POV_WORLD_LIGHT_MAX];
    pov_world_surface surface;
    pov_world_turntable turntable;
    pov_world_motion motion;
    pov_world_generator generator;
    pov_tag_map tags;      /* fixed to the table */
    pov_tag_map disc_tags; /* fixed to the turntable's disc, at turn 0 */
    pov_sensor_config sensor;
    char sensor_preset[16];
    double exposure_s,
        readout_s; /* as time passes: how long rows see light, and from the first row's middle to the last's */
    bool has_north;
    double north_yaw_rad;
    int image_len;
    double rate_hz; /* of images; 0: each is a step of the motion further */
    uint64_t seed;
} pov_world;

/** No things, a grey ground, a camera of 640 x 480 pixels that looks at the origin. */
void pov_world_clear(pov_world *world);

/** The index of the thing with an id; -1: there is none. */
int pov_world_find(const pov_world *world, const char *id);

/** Makes a thing a body of a class of the catalogue: its size, its shape, and whether it has a front, which its box's x
 *  is then. POV_ERROR names the nearest class. */
POV_MUST_USE pov_status pov_world_thing_become(pov_world_thing *thing, const char *class_name);
/** The position of the eye of a body of its class and size. */
pov_vec3 pov_world_thing_eye_m(const pov_world_thing *thing);
/** Turns its box, and its front if it has one. */
void pov_world_thing_face(pov_world_thing *thing, double yaw_rad);
/** It sees, from its class's eye, 180 by 120 degrees. */
void pov_world_thing_open_eyes(pov_world_thing *thing);

/** Puts each thing on what it rests on, says what turns, fits the lens to its field of view, and the orbit's centre.
 *  Returns: POV_ERROR naming the thing whose support is unknown or rests on itself; *culprit is its index, or -1. */
POV_MUST_USE pov_status pov_world_settle(pov_world *world, int *culprit);

/** The world's turn in image `index`, or `time_ns` after the start. */
double pov_world_turn_rad(const pov_world *world, int index);
double pov_world_turn_at_rad(const pov_world *world, int64_t time_ns);

/** A thing's pose at a turn. */
pov_transform pov_world_thing_at(const pov_world *world, int thing, double turn_rad);
/** The disc at a turn: maps places on it at turn 0 to where they are. */
pov_transform pov_world_disc_at(const pov_world *world, double turn_rad);
pov_transform pov_world_T_table_camera(const pov_world *world);

/** The truth: the camera first, then things in order, all errors 0. Thing i is entity i + 1. */
void pov_world_scene(pov_scene *scene, const pov_world *world, double turn_rad);

/** Carries the camera about the vertical through the point of the table that it looks at, counter-clockwise from above: another
 *  view of the same world. A camera that looks level or up is carried about the table's origin. */
void pov_world_carry_camera(pov_world *world, double angle_rad);

/** Scales the camera to an image of this size: the same view, as far as the shapes agree. */
void pov_world_resize(pov_world *world, int width_px, int height_px);

/* ---- Which things of a world have bodies of sweethome3d-furniture. ---- */

/** Gives the package's bodies to the things that may have them: those of plain looks, where the package is in `folder`, has
 *  such a body, and its proportions are much the thing's own. Balls keep ours: they are found by outline and colour. Sizes
 *  and places stay; eyes move to the body's. Call it again when the world's things are made again. */
void pov_world_take_package(pov_world *world, const char *folder);

/* ---- Where things that follow a path are at a time, and the light. ---- */

/** Time from the start to image `index`. */
double pov_world_time_s(const pov_world *world, int index);
/** Puts what follows a path where it is then, and the light. Settle the world first. */
void pov_world_move(pov_world *world, double time_s);
bool pov_world_has_paths(const pov_world *world);
