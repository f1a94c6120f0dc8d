/** A supposed outline of a ball, the edges found across it, and least squares on their distances. */
#ifndef POV_PERCEPTION_BALLS_BALL_OUTLINE_H
#define POV_PERCEPTION_BALLS_BALL_OUTLINE_H

#include "perception/balls/ball_edge.h"

enum { POV_BALL_OUTLINE_MAX = 160, POV_BALL_BIASES = 5 };
#define POV_BALL_ROUNDNESS 0.02 /* how far from a sphere a ball may be, by its radius */

/** A ball that may stand before another. */
typedef struct {
    pov_vec3 center_camera_m;
    double radius_m;
} pov_ball_body;

typedef struct {
    const pov_ball_kind *kind;
    int kind_index;
    const pov_transform *T_table_camera; /* NULL: unknown */
    int body_len; /* balls already found: nothing is read where one of them is in front */
    const pov_ball_body *bodies;
} pov_ball_prior;

typedef struct {
    const pov_ball_view *view;
    const pov_ball_prior *prior;
    pov_vec3 center;
    double bias[POV_BALL_BIASES];
    int len;
    pov_vec2 middle, down; /* down: unit, toward the table */
    pov_vec2 at[POV_BALL_OUTLINE_MAX], outward[POV_BALL_OUTLINE_MAX];
    double jacobian[POV_BALL_OUTLINE_MAX][2][3];
    bool open[POV_BALL_OUTLINE_MAX]; /* the lens sees it and no known ball is in front */
    pov_edge edge[POV_BALL_OUTLINE_MAX];
    double radius_px, spacing_px;
    double scale_px, width_px; /* of the profiles that look for edges, and of the edges found */
    double std_px, cutoff_px;  /* of the edges' residuals; beyond the cutoff an edge is something else's */
} pov_ball_outline;

/** Sets the points, normals and Jacobians from the centre. False if the sphere has no whole outline: the eye is inside
 *  it, or part of it is beyond the lens. */
bool pov_ball_outline_place(pov_ball_outline *w);
/** Whether one of the prior's bodies is, or may be, in front of the ball at a pixel. */
bool pov_ball_outline_is_hidden(const pov_ball_outline *w, pov_vec2 pixel);

/** Distance of edge i from the outline, less the systematic displacement. */
double pov_ball_outline_residual(const pov_ball_outline *w, int i);
/** Weight of edge i in [0, 1]: 0 if not found or beyond the cutoff. */
double pov_ball_outline_weight(const pov_ball_outline *w, int i);

bool pov_ball_outline_has_height(const pov_ball_outline *w);
/** One Gauss-Newton step of centre and displacement; returns its size in pixels, NaN if impossible. */
double pov_ball_outline_step(pov_ball_outline *w);
/** Information of the outline alone, and the covariance with the height where that is known; camera frame. */
bool pov_ball_outline_covariance(const pov_ball_outline *w, double information[3][3], double cov_m2[3][3]);

#endif
