#include "config/files/markup.h"
#include "firmware/calib/calib_plots.h"
#include "firmware/calib/calib_turntable.h"

#include <math.h>

static const double deg = POV_PI / 180;
static const double WIDTH = 1000, HEIGHT = 260, LEFT = 60, FOOT = 40;

/* ---- told against seen, stop by stop ---- */

typedef struct {
    FILE *stream;
    int len;
    double low_deg, high_deg;
} stop_plot;

static double x_of(const stop_plot *p, int image)
{
    return LEFT + (WIDTH - LEFT - 10) * (image + 0.5) / p->len;
}

static double y_of(const stop_plot *p, double value_deg)
{
    return 10 + (HEIGHT - 10) * (p->high_deg - value_deg) / (p->high_deg - p->low_deg);
}

static bool is_told(const pov_turn_image *image)
{
    return image->fate == POV_TURN_IMAGE_USED && isfinite(image->ahead_rad);
}

static stop_plot fit_plot(FILE *stream, const pov_turntable_report *r)
{
    stop_plot p = {stream, r->image_len, -0.1, 0.1};
    for (int i = 0; i < r->image_len; i++) {
        const pov_turn_image *image = &r->images[i];
        if (!is_told(image))
            continue;
        p.low_deg = fmin(p.low_deg, (image->ahead_rad - 3 * image->angle_std_rad) / deg);
        p.high_deg = fmax(p.high_deg, (image->ahead_rad + 3 * image->angle_std_rad) / deg);
    }
    return p;
}

static void print_grid(const stop_plot *p)
{
    const double step = pov_calib_round_down((p->high_deg - p->low_deg) / 4); /* some four lines */
    for (int i = (int)ceil(p->low_deg / step); i * step <= p->high_deg; i++) {
        const double at = i * step;
        fprintf(p->stream,
                "<line x1='%.0f' x2='%.0f' y1='%.1f' y2='%.1f' class='frame'/><text x='%.0f' y='%.1f' "
                "class='end'>%g°</text>\n",
                LEFT, WIDTH - 10, y_of(p, at), y_of(p, at), LEFT - 6, y_of(p, at) + 4,
                fabs(at) < step / 2 ? 0 : at);
    }
}

static void print_stops(FILE *stream, const pov_turntable_report *r)
{
    const stop_plot p = fit_plot(stream, r);
    fprintf(stream, "<svg viewBox='0 0 %.0f %.0f' role='img'>\n", WIDTH, HEIGHT + FOOT);
    print_grid(&p);
    for (int k = 0; k < r->slip.slip_len; k++) {
        const double x = x_of(&p, r->slip_image[k]) - (WIDTH - LEFT) / p.len / 2;
        fprintf(stream,
                "<line x1='%.1f' x2='%.1f' y1='10' y2='%.0f' class='miss' stroke-dasharray='4'/><text "
                "x='%.1f' y='22' "
                "class='dropped'>slipped %+.2f°</text>\n",
                x, x, HEIGHT, x + 4, r->slip.slips[k].jump_rad / deg);
    }
    for (int i = 0; i < r->image_len; i++) {
        const pov_turn_image *image = &r->images[i];
        const double at_deg = image->ahead_rad / deg, std_deg = image->angle_std_rad / deg;
        if (!is_told(image))
            continue;
        fprintf(stream,
                "<line x1='%.1f' x2='%.1f' y1='%.1f' y2='%.1f' stroke='#3b528b'/><circle cx='%.1f' cy='%.1f' "
                "r='3.5' class='dot'><title>",
                x_of(&p, i), x_of(&p, i), y_of(&p, at_deg - 2 * std_deg), y_of(&p, at_deg + 2 * std_deg),
                x_of(&p, i), y_of(&p, at_deg));
        pov_markup_text(stream, image->name);
        fprintf(stream, ": told %.2f°, ahead %.3f°</title></circle>\n", image->told.told_rad / deg, at_deg);
    }
    fprintf(stream, "<text x='%.0f' y='%.0f' class='middle'>stops in their order; bars: 2 σ</text></svg>\n",
            WIDTH / 2, HEIGHT + 28);
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

static void print_tag(FILE *stream, const pov_tag_map_entry *tag, double scale)
{
    fputs("<polygon class='bar' points='", stream);
    for (int i = 0; i < 4; i++) {
        const pov_vec3 at = pov_transform_apply(tag->T_table_tag.T, pov_tag_corner(tag->edge_m, i));
        fprintf(stream, "%.1f,%.1f ", 170 + at.x * scale, 170 - at.y * scale);
    }
    const pov_vec3 middle = tag->T_table_tag.T.t_m;
    fprintf(stream, "'/><text x='%.1f' y='%.1f' class='middle' style='fill:#fff'>%d</text>\n",
            170 + middle.x * scale, 174 - middle.y * scale, tag->id);
}

static void print_disc(FILE *stream, const pov_turntable_report *r)
{
    const double radius_m = radius_of(r), scale = 140 / radius_m;
    fprintf(stream,
            "<svg viewBox='0 0 340 %.0f' role='img' class='small'>\n<circle cx='170' cy='170' r='%.1f' "
            "class='frame'/>\n",
            340 + FOOT - 10, radius_m * scale);
    for (int i = 0; i < r->image_len; i++)
        if (r->images[i].fate == POV_TURN_IMAGE_USED) {
            const double c = cos(r->images[i].angle_rad), s = sin(r->images[i].angle_rad);
            fprintf(stream, "<line x1='%.1f' y1='%.1f' x2='%.1f' y2='%.1f' class='miss'/>", 170 + 144 * c,
                    170 - 144 * s, 170 + 154 * c, 170 - 154 * s);
        }
    for (int t = 0; t < r->disc.tags.len; t++)
        print_tag(stream, &r->disc.tags.tags[t], scale);
    fprintf(stream,
            "<circle cx='170' cy='170' r='3' class='miss' fill='#c2410c'/><line x1='170' y1='170' x2='200' "
            "y2='170' class='miss'/>"
            "<text x='204' y='174'>0°</text><text x='170' y='%.0f' class='middle'>from above, at 0°; ticks: "
            "angles seen</text></svg>\n",
            352.0);
}

/* ---- */

static void print_numbers(FILE *stream, const void *report)
{
    pov_calib_turntable_print_text(stream, report);
}

void pov_calib_turntable_print_html(FILE *stream, const pov_turntable_report *r,
                                    const pov_calib_turntable_options *options, const char *date)
{
    fputs("<!DOCTYPE html>\n<html lang='en'><head><meta charset='utf-8'><title>A turntable</title>\n",
          stream);
    pov_calib_print_style(stream);
    fputs("</head><body>\n<h1>The turntable of ", stream);
    pov_markup_text(stream, options->station);
    fprintf(stream, "</h1>\n<p class='about'>%s · %d of %d images</p>\n", date, r->used_len, r->image_len);
    if (r->has_slip) {
        fputs("<h2>How far it stood ahead of what it was told, counter-clockwise</h2>\n", stream);
        print_stops(stream, r);
    }
    fputs("<h2>The disc</h2>\n", stream);
    print_disc(stream, r);
    fputs("<h2>In numbers, degrees</h2>\n", stream);
    pov_calib_print_preformatted(stream, print_numbers, r);
    fputs("</body></html>\n", stream);
}
