/** A supposed outline of a ball, the edges found across it, and least squares on their distances. */
#pragma once

#include "perception/balls/ball_view.h"

/** The image across one point of a hypothetical outline. */
typedef enum {
    POV_EDGE_HIDDEN,  /* outside the image or masked: no evidence */
    POV_EDGE_FOUND,   /* ball inside, something else outside, one clean step between */
    POV_EDGE_INSIDE,  /* ball on both sides: the ball would be larger */
    POV_EDGE_NO_BALL, /* no ball inside: hidden there, or none */
    POV_EDGE_UNCLEAR
} pov_edge_state;

typedef struct {
    pov_edge_state state;
    double offset_px; /* of the step, outward from the supposed outline */
    double width_px;  /* of the step: its height by its slope; sharp images have 1 to 1.5 */
    pov_light outside;
} pov_edge;

/** Coarse edge: where the labels end, nearest to the outline within `reach_px`. */
pov_edge pov_edge_from_labels(const pov_ball_view *view, int kind, pov_vec2 at, pov_vec2 outward,
                              double reach_px);
/** Fine edge: half way of the step from inside to outside colour, at most 2 scale_px away. `scale_px` fits the image's
 *  sharpness and the ball's size: 1 looks 5 px to each side. */
pov_edge pov_edge_from_light(const pov_ball_view *view, const pov_tint *ball, pov_vec2 at, pov_vec2 outward,
                             double scale_px);

enum { POV_EDGE_REACH = 2, POV_EDGE_WINDOW = 5 }; /* in units of scale_px */

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
