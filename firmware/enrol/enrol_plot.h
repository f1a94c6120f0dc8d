/** Error over angle, drawn. */
#pragma once

#include "perception/status.h"

typedef struct {
    double angle_rad, error_rad, std_rad;
    double alike_rad; /* NAN: no other angle looks like it */
} pov_enrol_point;

/** An SVG, written whole or not at all: a point a view, with twice its standard deviation, and the angles that look
 *  alike. `title` stands above it, `caption` below. */
POV_MUST_USE pov_status pov_enrol_plot_write(const char *path, const pov_enrol_point *points, int len,
                                             const char *title, const char *caption);
