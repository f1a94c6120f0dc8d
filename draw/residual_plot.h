/** Drawings that the reports of calibrations share. */
#pragma once

#include "perception/geometry/camera.h"

#include <stdio.h>

/** Residuals over an image: a dot at each detected corner, and an enlarged line from its projection to it. */
typedef struct {
    FILE *stream;
    double scale; /* from image pixels to the drawing's */
    double width_px, height_px, enlarged, rms_px;
} pov_residual_plot;

pov_residual_plot pov_residual_plot_begin(FILE *stream, const pov_camera *camera, double rms_px);
void pov_residual_plot_add(const pov_residual_plot *plot, pov_vec2 seen_px, pov_vec2 expected_px);
/** Draws the ruler, and ends the drawing. */
void pov_residual_plot_end(const pov_residual_plot *plot);

/** A line of a length, named by a text, in the lower left corner of a drawing. */
void pov_plot_ruler(FILE *stream, double length_px, double y_px, const char *look, const char *text);
