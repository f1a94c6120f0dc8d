/** Balls that look alike on a table with a turning disc, moved by hand, carried, hidden at times; and what a camera would
 *  tell of them in each image. The truth is known; every error is drawn from the covariance that is claimed. A hand takes
 *  up what is seen: which of two hidden balls was taken, nobody could tell. */
#pragma once

#include "perception/cast/scene_tracker.h"
#include "tests/support/random.h"

enum { TRACKED_BALL_MAX = 8 };

typedef struct {
    uint64_t seed;
    int balls;
    double lasting; /* share of the claimed variance that is the same in all images of a resting ball */
    double error_m; /* standard deviation of one finding */
    double rate_hz;
    double move_every_s; /* mean time between a hand's moves, over all balls */
    double hide_every_s; /* mean time between a ball's hidings */
    double hidden_s_max;
    bool table_measured;
} tracked_world_config;
#define TRACKED_WORLD_DEFAULT                                                                                \
    {                                                                                                        \
        .seed = 1, .balls = 5, .lasting = 0.5, .error_m = 0.002, .rate_hz = 30, .move_every_s = 4,           \
        .hide_every_s = 15, .hidden_s_max = 3, .table_measured = true                                        \
    }

typedef struct {
    pov_vec3 at_m, velocity_m_s;
    pov_motion_model motion;
    bool hidden;
    double since_change_s; /* of the way it moves */
    /* the rest is the world's own */
    double hidden_until_s, begun_s, ends_s;
    pov_vec3 from_m, to_m;
    double lasting_from[3], lasting_to[3]; /* errors, in standard deviations */
} tracked_ball;

typedef struct {
    tracked_world_config config;
    test_random random;
    double time_s, angle_rad, rate_rad_s, disc_until_s;
    pov_pose T_table_camera; /* as it is claimed */
    double camera_error[6];  /* of it, the same in all images */
    int image;
    tracked_ball balls[TRACKED_BALL_MAX];
} tracked_world;

extern const pov_vec2 tracked_disc_centre_m;
extern const double tracked_disc_radius_m;

void tracked_world_start(tracked_world *world, const tracked_world_config *config);
/** Lets the time of one image pass. */
void tracked_world_step(tracked_world *world);
/** The scene as an image shows it: the balls that are not hidden, numbered from left to right.
 *  Out: ball_of[entity]: which ball it is, -1 for none. */
void tracked_world_look(tracked_world *world, pov_scene *scene, int ball_of[POV_ENTITY_MAX],
                        pov_scene_moment *moment, pov_table_angle *table);
/** The cast that fits. */
pov_cast tracked_world_cast(const tracked_world *world);
