/** The joint estimate of what several cameras see at one time: the places of things, and the errors of the cameras' poses. Pure;
 *  scene_fusion.c chooses what goes in, and what becomes of it.
 *
 *  Method: x is a thing's place, d a camera's pose error; a sighting is m = x + J d + e. Given all d, things are independent of one
 *  another. What two cameras say of one thing tells of d (a Kalman update for each thing, in the 6 n unknowns of n cameras), and
 *  each place is then its sightings' weighted mean, corrected by what was learnt of d: the joint Gaussian's posterior, exactly. */
#pragma once

#include "perception/cast/scene_fusion.h"

enum { POV_CAMERA_THING_MAX = POV_ENTITY_MAX, POV_CAMERA_ERRORS_MAX = 6 * POV_CAMERA_MAX };

/** A thing as one camera has it now. */
typedef struct {
    int camera;
    pov_vec3 at_m;
    double own_m2[3][3], per_camera_pose[3][6];
    double
        by_zoom[6]; /* the pose's error that moves it as a longer lens does, by the share that it is longer */
    pov_vec3 velocity_m_s;     /* 0: not known */
    double velocity_cov[3][3]; /* valid with a velocity */
    pov_heading heading;
    pov_heading_ties ties;
} pov_camera_sight;

typedef struct {
    int member, number;
    bool is_at_rest; /* in all views */
    int len;
    pov_camera_sight sights[POV_CAMERA_MAX];
    /* solved, given the cameras' errors: place - per_error * error, with this covariance */
    pov_vec3 at_m;
    double own_m2[3][3], per_error[3][POV_CAMERA_ERRORS_MAX];
} pov_camera_thing;

typedef struct {
    int cameras;
    pov_pose pose[POV_CAMERA_MAX];      /* as stated */
    double prior[POV_CAMERA_MAX][6][6]; /* its covariance, with what is doubted of it */
    double clock_std_s[POV_CAMERA_MAX]; /* that is stated of its times */
    int thing_len;
    pov_camera_thing things[POV_CAMERA_THING_MAX];
    /* solved */
    double error[POV_CAMERA_ERRORS_MAX];
    double cov[POV_CAMERA_ERRORS_MAX * POV_CAMERA_ERRORS_MAX]; /* rows of 6 * cameras */
    double nis;       /* squared Mahalanobis distance of all that is seen twice */
    int nis_len;      /* its numbers */
    double apart2_m2; /* sum of the squared distances of all that is seen twice */
} pov_camera_fusion;

/** The place of a thing at rest when all cameras agreed. */
typedef struct {
    bool is_known;
    int64_t now_ns;
    pov_vec3 at_m;
    double cov_m2[3][3];
} pov_agreed_place;

void pov_camera_fusion_begin(pov_camera_fusion *fusion, int cameras);
/** A camera that takes part, and its pose. */
void pov_camera_fusion_camera(pov_camera_fusion *fusion, int camera, const pov_pose *T_table_camera);
/** A new thing; NULL: there are too many for one scene. */
pov_camera_thing *pov_camera_fusion_add(pov_camera_fusion *fusion, int member, int number);
/** It is seen there by a camera. */
void pov_camera_fusion_see(const pov_camera_fusion *fusion, pov_camera_thing *thing, int camera,
                           const pov_entity *entity);
const pov_camera_sight *pov_camera_fusion_sight(const pov_camera_thing *thing, int camera);

void pov_camera_fusion_solve(pov_camera_fusion *fusion);
/** Whether the sightings fit one another: what differs is within a chance of one in a million. */
bool pov_camera_fusion_fits(const pov_camera_fusion *fusion);

/** The place of a thing, and its covariance. */
void pov_camera_fusion_place(const pov_camera_fusion *fusion, const pov_camera_thing *thing, pov_vec3 *at_m,
                             double cov_m2[3][3]);
/** Gives an entity its place, its front and their ties to the pose's error of a camera; -1: of none. */
void pov_camera_fusion_apply(const pov_camera_fusion *fusion, const pov_camera_thing *thing,
                             pov_entity *entity, int camera);
/** Corrects a camera's pose by what was learnt of its error. */
void pov_camera_fusion_correct(const pov_camera_fusion *fusion, pov_pose *T_table_camera, int camera);

/** Takes the images of two cameras to be each other's: cables that are swapped. Not solved. */
void pov_camera_fusion_swap(pov_camera_fusion *fusion, int a, int b);

/** Makes sightings and poses less sure that were found to be farther off than stated. To be solved again. */
void pov_camera_fusion_widen(pov_camera_fusion *fusion);

/** The move that makes a camera fit the others, if one does. Solved or not. */
void pov_camera_fusion_explain(pov_camera_fusion *fusion, pov_fusion_report *report, int camera);
