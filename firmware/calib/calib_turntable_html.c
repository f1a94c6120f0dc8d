#include "draw/page.h"
#include "draw/plot.h"
#include "draw/svg.h"
#include "firmware/calib/calib_turntable.h"

#include <math.h>

static const double WIDTH = 1000, HEIGHT = 260, LEFT = 60, FOOT = 40;

/* ---- measured against commanded angles, stop by stop ---- */

static bool is_told(const pov_turn_image *image)
{
    return image->fate == POV_TURN_IMAGE_USED && isfinite(image->ahead_rad);
}

static pov_axes fit_axes(FILE *stream, const pov_turntable_report *r)
{
    pov_axes a = {stream, LEFT, 10, WIDTH - LEFT - 10, HEIGHT - 10, -0.5, r->image_len - 0.5, -0.1, 0.1};
    for (int i = 0; i < r->image_len; i++) {
        const pov_turn_image *image = &r->images[i];
        if (!is_told(image))
            continue;
        a.y_low = fmin(a.y_low, (image->ahead_rad - 3 * image->angle_std_rad) / POV_DEG);
        a.y_high = fmax(a.y_high, (image->ahead_rad + 3 * image->angle_std_rad) / POV_DEG);
    }
    return a;
}

static void plot_stops(FILE *stream, const pov_turntable_report *r)
{
    const pov_axes a = fit_axes(stream, r);
    const pov_ticks ticks = {pov_svg_round_length((a.y_high - a.y_low) / 4), "%g°",
                             NULL}; /* some four lines */
    pov_svg_begin(stream, WIDTH, HEIGHT + FOOT, "Measured minus commanded angle at each stop");
    pov_axes_draw(&a, NULL, &ticks);
    for (int k = 0; k < r->slip.slip_len; k++) {
        const double x = r->slip_image[k] - 0.5;
        pov_axes_bar(&a, x, a.y_low, a.y_high, "miss dashed");
        pov_svg_text(stream, pov_axes_x_px(&a, x) + 4, 22, "tick start warn", "slipped %+.2f°",
                     r->slip.slips[k].jump_rad / POV_DEG);
    }
    for (int i = 0; i < r->image_len; i++) {
        const pov_turn_image *image = &r->images[i];
        const double at_deg = image->ahead_rad / POV_DEG, std_deg = image->angle_std_rad / POV_DEG;
        char hint[POV_IMAGE_NAME_CAPACITY + 80];
        if (!is_told(image))
            continue;
        snprintf(hint, sizeof hint, "%s: told %.2f°, ahead %.3f°", image->name,
                 image->told.told_rad / POV_DEG, at_deg);
        pov_axes_bar(&a, i, at_deg - 2 * std_deg, at_deg + 2 * std_deg, "line s0");
        pov_svg_circle(stream, pov_axes_x_px(&a, i), pov_axes_y_px(&a, at_deg), 3.5, "dot", hint);
    }
    pov_svg_text(stream, WIDTH / 2, HEIGHT + 28, "tick middle", "stops in their order; bars: 2 σ");
    pov_svg_end(stream);
}

/* ---- the disc from above ---- */

static double radius_of(const pov_turntable_report *r)
{
    double radius_m = 0;
    for (int t = 0; t < r->disc.tags.len; t++) {
        const pov_tag_map_entry *tag = &r->disc.tags.tags[t];
        radius_m = fmax(radius_m, hypot(tag->T_table_tag.T.t_m.x, tag->T_table_tag.T.t_m.y) + tag->edge_m);
    }
    return radius_m;
}

static void plot_disc(FILE *stream, const pov_turntable_report *r)
{
    const double radius_m = radius_of(r), scale = 140 / radius_m;
    pov_svg_begin(stream, 340, 340 + FOOT - 10, "The disc from above");
    pov_svg_circle(stream, 170, 170, radius_m * scale, "ring", NULL);
    for (int i = 0; i < r->image_len; i++)
        if (r->images[i].fate == POV_TURN_IMAGE_USED) {
            const double c = cos(r->images[i].angle_rad), s = sin(r->images[i].angle_rad);
            pov_svg_line(stream, 170 + 144 * c, 170 - 144 * s, 170 + 154 * c, 170 - 154 * s, "miss");
        }
    for (int t = 0; t < r->disc.tags.len; t++) {
        const pov_tag_map_entry *tag = &r->disc.tags.tags[t];
        const pov_vec3 middle = tag->T_table_tag.T.t_m;
        pov_vec2 corners[4];
        for (int i = 0; i < 4; i++) {
            const pov_vec3 at = pov_transform_apply(tag->T_table_tag.T, pov_tag_corner(tag->edge_m, i));
            corners[i] = (pov_vec2){170 + at.x * scale, 170 - at.y * scale};
        }
        pov_svg_polygon(stream, corners, 4, "bar", NULL);
        pov_svg_text(stream, 170 + middle.x * scale, 174 - middle.y * scale, "halo middle", "%d", tag->id);
    }
    pov_svg_circle(stream, 170, 170, 3, "eye", NULL);
    pov_svg_line(stream, 170, 170, 200, 170, "miss");
    pov_svg_text(stream, 204, 174, "tick start", "0°");
    pov_svg_text(stream, 170, 352, "tick middle", "from above, at 0°; ticks: angles seen");
    pov_svg_end(stream);
}

/* ---- */

static void print_numbers(FILE *stream, const void *report)
{
    pov_calib_turntable_print_text(stream, report);
}

void pov_calib_turntable_print_html(FILE *stream, const pov_turntable_report *r,
                                    const pov_calib_turntable_options *options, const char *date)
{
    pov_page_begin(stream, "A turntable");
    pov_page_element(stream, "h1", "The turntable of %s", options->station);
    fprintf(stream, "<p class='about'>%s · %d of %d images</p>\n", date, r->used_len, r->image_len);
    if (r->has_slip) {
        fputs("<h2>Measured minus commanded angle, counter-clockwise</h2>\n", stream);
        plot_stops(stream, r);
    }
    fputs("<h2>The disc</h2>\n", stream);
    plot_disc(stream, r);
    fputs("<h2>In numbers, degrees</h2>\n", stream);
    pov_page_preformatted(stream, print_numbers, r);
    pov_page_end(stream);
}
