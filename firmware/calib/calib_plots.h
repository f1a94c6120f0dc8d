/** Plots of a calibration, as inline SVG. */
#ifndef POV_FIRMWARE_CALIB_CALIB_PLOTS_H
#define POV_FIRMWARE_CALIB_CALIB_PLOTS_H

#include "calib/camera/camera_calibration.h"

#include <stdio.h>

/** The style that pages and plots of calibrations share, as an HTML element. */
void pov_calib_print_style(FILE *stream);
/** What `print` writes of a report, as an HTML element that shows text as it is. */
void pov_calib_print_preformatted(FILE *stream, void (*print)(FILE *stream, const void *report),
                                  const void *report);
/** The largest 1, 2 or 5 times a power of ten that is not above: for rulers and grids. */
double pov_calib_round_down(double value);

/** Where corners were seen, and by how much each misses its projection, enlarged. */
void pov_calib_plot_residuals(FILE *stream, const pov_calibration_report *report);
/** The residuals about zero: a round cloud if nothing is left to be explained. */
void pov_calib_plot_cloud(FILE *stream, const pov_calibration_report *report);
/** How far off a projected point may be, over the image. */
void pov_calib_plot_map(FILE *stream, const pov_calibration_report *report);
/** Each image's RMS. */
void pov_calib_plot_images(FILE *stream, const pov_calibration_report *report);
/** How the boards were tilted: towards where, and by how much. */
void pov_calib_plot_tilt(FILE *stream, const pov_calibration_report *report);

#endif
