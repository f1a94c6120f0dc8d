#include "draw/svg_shape.h"

#include <math.h>

pov_vec2 pov_svg_beside(pov_vec2 p, double yaw_rad, double distance)
{
    return (pov_vec2){p.x + distance * cos(yaw_rad), p.y + distance * sin(yaw_rad)};
}

void pov_svg_line(FILE *stream, pov_vec2 a_px, pov_vec2 b_px, const char *style)
{
    fprintf(stream, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" %s/>\n", a_px.x, a_px.y, b_px.x,
            b_px.y, style);
}

void pov_svg_arrow(FILE *stream, pov_vec2 from_px, pov_vec2 to_px, const char *colour, double opacity)
{
    double yaw = atan2(to_px.y - from_px.y, to_px.x - from_px.x), head_px = 10;
    pov_vec2 neck = pov_svg_beside(to_px, yaw + POV_PI, head_px * 0.8);
    pov_vec2 left = pov_svg_beside(to_px, yaw + POV_PI - 0.45, head_px),
             right = pov_svg_beside(to_px, yaw + POV_PI + 0.45, head_px);
    fprintf(stream,
            "<g opacity=\"%.2f\"><line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\" "
            "stroke-width=\"2.5\"/><path d=\"M%.1f %.1fL%.1f %.1fL%.1f %.1fZ\" fill=\"%s\"/></g>\n",
            opacity, from_px.x, from_px.y, neck.x, neck.y, colour, to_px.x, to_px.y, left.x, left.y, right.x,
            right.y, colour);
}
