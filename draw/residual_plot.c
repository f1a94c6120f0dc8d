#include "draw/residual_plot.h"

#include "draw/svg.h"

#include <math.h>

enum { WIDTH_PX = 960, FOOT_PX = 34, RESIDUAL_PX = 12 /* an RMS residual, drawn */ };

pov_residual_plot pov_residual_plot_begin(FILE *stream, const pov_camera *camera, double rms_px)
{
    const double scale = (double)WIDTH_PX / camera->width_px;
    const pov_residual_plot plot = {
        stream, scale, WIDTH_PX, scale * camera->height_px, RESIDUAL_PX / fmax(rms_px, 1e-3), rms_px};
    pov_svg_begin(stream, plot.width_px, plot.height_px + FOOT_PX,
                  "Residuals of the corners, over the image");
    pov_svg_rectangle(stream, 0.5, 0.5, plot.width_px - 1, plot.height_px - 1, "frame", NULL);
    return plot;
}

void pov_residual_plot_add(const pov_residual_plot *plot, pov_vec2 seen_px, pov_vec2 expected_px)
{
    const double x = (seen_px.x + 0.5) * plot->scale, y = (seen_px.y + 0.5) * plot->scale;
    pov_svg_circle(plot->stream, x, y, 1.3, "dot", NULL);
    pov_svg_line(plot->stream, x, y, x + (seen_px.x - expected_px.x) * plot->enlarged,
                 y + (seen_px.y - expected_px.y) * plot->enlarged, "miss");
}

void pov_residual_plot_end(const pov_residual_plot *plot)
{
    const double ruler_px = pov_svg_round_length(2 * fmax(plot->rms_px, 1e-3));
    char text[80];
    snprintf(text, sizeof text, "%g px; dots: detected corners", ruler_px);
    pov_plot_ruler(plot->stream, ruler_px * plot->enlarged, plot->height_px + 18, "miss", text);
    pov_svg_end(plot->stream);
}

void pov_plot_ruler(FILE *stream, double length_px, double y_px, const char *look, const char *text)
{
    pov_svg_line(stream, 8, y_px, 8 + length_px, y_px, look);
    pov_svg_text(stream, 16 + length_px, y_px + 4, "tick start", "%s", text);
}
