/** Curves by an angle, drawn into a figure's panel: means over several curves with their intervals, and curves to compare with. */
#pragma once

#include "compare/report/figure.h"
#include "compare/scores/comfort_score.h"
#include "compare/statistics/curve.h"
#include "compare/statistics/name_set.h"

/** Means of several curves by scene, at the 36 places of a circle: a scene that was repeated counts once. */
typedef struct {
    double *sums; /* [place][scene] */
    int *counts;
    pov_name_set *scenes;
    int len, capacity; /* curves */
} pov_circle;

/** Room for so many curves. */
pov_circle pov_circle_new(int curves);
void pov_circle_free(pov_circle *c);
/** Adds a curve, its sample `from` at the first place and on from there, by `step` (-1: mirrored). */
void pov_circle_add(pov_circle *c, const pov_comfort_curve *of, const double p[POV_CURVE_SAMPLES], long from,
                    int step);
int pov_circle_scenes(const pov_circle *c);
/** An angle in steps of a circle's places. */
long pov_circle_steps(double angle_deg);

typedef struct {
    const char *name, *look;
    double first_deg; /* angle of the first place */
    bool is_round;    /* joins the last stop to the first */
    bool has_band;
} pov_series_form;

/** Adds the means over a circle's scenes at the angles where a rotation stopped. */
void pov_panel_add_means(pov_figure_panel *panel, const pov_circle *c, const pov_series_form *form,
                         const pov_bootstrap_options *options);
/** Adds (cos + 1) / 2 about an angle. */
void pov_panel_add_cosine(pov_figure_panel *panel, const char *name, const char *look, double about_deg);
/** Adds 1 within 90 degrees of 0, and 0 elsewhere. */
void pov_panel_add_half_plane(pov_figure_panel *panel);
