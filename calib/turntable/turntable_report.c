#include "calib/turntable/turntable_report.h"

#include "config/files/json_value.h"
#include "draw/page.h"
#include "draw/plot.h"
#include "draw/svg.h"

#include <cJSON.h>
#include <math.h>

/* ---- text ---- */

static void print_images(FILE *stream, const pov_turntable_report *r)
{
    bool any_told = false;
    for (int i = 0; i < r->image_len; i++)
        any_told |= r->images[i].has_told;
    fprintf(stream, "image                             tags   stood at    +-%s\n",
            any_told ? "      told   ahead" : "");
    for (int i = 0; i < r->image_len; i++) {
        const pov_turn_image *image = &r->images[i];
        fprintf(stream, "%-32.32s %5d  ", image->name, image->disc_len);
        if (image->outcome != POV_TURN_IMAGE_USED) {
            fprintf(stream, "not used: %s\n", pov_turn_outcome_why(image->outcome));
            continue;
        }
        if (!r->is_calibrated) {
            fputs("usable\n", stream);
            continue;
        }
        fprintf(stream, "%9.3f %6.3f", image->angle_rad / POV_DEG, image->angle_std_rad / POV_DEG);
        if (image->has_told)
            fprintf(stream, " %8.2f %7.3f", image->told.commanded_rad / POV_DEG, image->ahead_rad / POV_DEG);
        fputc('\n', stream);
    }
}

/* The largest of three standard deviations, from row `first` of the covariance on. */
static double largest_std(const pov_pose *pose, int first)
{
    return sqrt(fmax(pose->cov[first][first],
                     fmax(pose->cov[first + 1][first + 1], pose->cov[first + 2][first + 2])));
}

static void print_axis(FILE *stream, const pov_turntable_report *r)
{
    static const char *const zeros[] = {"where the table was told 0",
                                        "where the ring's first tag lies along the table's x",
                                        "the first image"};
    const pov_pose *at = &r->disc.T_table_disc;
    fprintf(stream,
            "\nThe axis passes through (%.4f, %.4f, %.4f) m, +- %.2g mm, and leans by %.2f degrees from the "
            "table's z.\n"
            "0 is %s. %d tags on the disc, seen over %.0f degrees; RMS %.3f px.\n",
            at->T.t_m.x, at->T.t_m.y, at->T.t_m.z, 1e3 * largest_std(at, 3), r->lean_rad / POV_DEG,
            zeros[r->zero], r->disc.tags.len, r->arc_rad / POV_DEG, r->rms_px);
    for (int i = 0; i < r->left_out_len; i++)
        fprintf(stream, "%s%d%s", i ? ", " : "Left out, since they do not turn with it: tag ", r->left_out[i],
                i + 1 < r->left_out_len ? "" : ".\n");
    for (int i = 0; i < r->lost_len; i++)
        fprintf(stream, "%s%d%s",
                i ? ", " : "Left out, since images see it in different places on the disc: tag ", r->lost[i],
                i + 1 < r->lost_len ? "" : ".\n");
    if (r->lean_rad > 5 * POV_DEG)
        fputs("A turntable's axis is upright as a rule: does the tag map's frame lie on the table, z up?\n",
              stream);
}

static void print_strays(FILE *stream, const pov_turntable_report *r)
{
    for (int i = 0; i < r->stray_len; i++) {
        const pov_turn_stray *stray = &r->strays[i];
        fprintf(stream, "Dropped: tag %d in %s: ", stray->id, r->images[stray->image].name);
        if (isfinite(stray->rms_px))
            fprintf(stream, "off by %.1f px where others are by %.2f.\n", stray->rms_px, r->rms_px);
        else
            fputs("it cannot be seen from there.\n", stream);
    }
}

static void print_slip(FILE *stream, const pov_turntable_report *r)
{
    const pov_slip_report *slip = &r->slip;
    if (!r->has_slip)
        return;
    fprintf(stream, "Counting up turns it %s.\n",
            slip->clockwise ? "clockwise, seen from above" : "counter-clockwise");
    if (slip->has_backlash)
        fprintf(stream, "Backlash: %.3f +- %.3f degrees.\n", slip->backlash_rad / POV_DEG,
                slip->backlash_std_rad / POV_DEG);
    for (int k = 0; k < slip->slip_len; k++)
        fprintf(stream, "It slipped before %s: it %s by %.2f +- %.2f degrees.\n",
                r->images[r->slip_image[k]].name, slip->slips[k].jump_rad < 0 ? "fell back" : "ran ahead",
                fabs(slip->slips[k].jump_rad) / POV_DEG, slip->slips[k].std_rad / POV_DEG);
    if (pov_turntable_report_creeps(r))
        fprintf(stream,
                "A whole turn comes %.2f +- %.2f degrees too %s: the controller's steps per degree, or a "
                "belt that creeps.\n",
                fabs(slip->creep) * 360, slip->creep_std * 360, slip->creep < 0 ? "short" : "far");
    fprintf(stream, "What is left of told against seen: %.3f degrees.\n", slip->scatter_rad / POV_DEG);
}

void pov_turntable_report_text(FILE *stream, const pov_turntable_report *r)
{
    print_images(stream, r);
    if (!r->is_calibrated)
        return;
    print_axis(stream, r);
    print_strays(stream, r);
    print_slip(stream, r);
}

/* ---- JSON ---- */

static cJSON *json_of_images(const pov_turntable_report *r)
{
    cJSON *list = cJSON_CreateArray();
    for (int i = 0; i < r->image_len; i++) {
        const pov_turn_image *image = &r->images[i];
        cJSON *item = cJSON_CreateObject();
        cJSON_AddItemToArray(list, item);
        cJSON_AddStringToObject(item, "image", image->name);
        cJSON_AddStringToObject(item, "fate", pov_turn_outcome_name(image->outcome));
        if (image->outcome != POV_TURN_IMAGE_USED)
            cJSON_AddStringToObject(item, "why", pov_turn_outcome_why(image->outcome));
        cJSON_AddNumberToObject(item, "tags", image->disc_len);
        pov_json_add_number(item, "angle_deg", image->angle_rad / POV_DEG);
        pov_json_add_number(item, "angle_std_deg", image->angle_std_rad / POV_DEG);
        pov_json_add_number(item, "told_deg", image->has_told ? image->told.commanded_rad / POV_DEG : NAN);
        pov_json_add_number(item, "ahead_deg", image->ahead_rad / POV_DEG);
    }
    return list;
}

static cJSON *json_of_strays(const pov_turntable_report *r)
{
    cJSON *list = cJSON_CreateArray();
    for (int i = 0; i < r->stray_len; i++) {
        cJSON *item = cJSON_CreateObject();
        cJSON_AddItemToArray(list, item);
        cJSON_AddStringToObject(item, "image", r->images[r->strays[i].image].name);
        cJSON_AddStringToObject(item, "family", pov_tag_family_name(r->strays[i].family));
        cJSON_AddNumberToObject(item, "id", r->strays[i].id);
        pov_json_add_number(item, "rms_px", r->strays[i].rms_px);
    }
    return list;
}

static cJSON *tag_list(const pov_turntable_report *r)
{
    cJSON *list = cJSON_CreateArray();
    for (int i = 0; i < r->disc.tags.len; i++) {
        const pov_tag_map_entry *tag = &r->disc.tags.tags[i];
        const double pos_m[] = {tag->T_table_tag.T.t_m.x, tag->T_table_tag.T.t_m.y, tag->T_table_tag.T.t_m.z};
        cJSON *item = cJSON_CreateObject();
        cJSON_AddItemToArray(list, item);
        cJSON_AddStringToObject(item, "family", pov_tag_family_name(tag->family));
        cJSON_AddNumberToObject(item, "id", tag->id);
        cJSON_AddItemToObject(item, "pos_m", cJSON_CreateDoubleArray(pos_m, 3));
        pov_json_add_number(item, "pos_std_m", largest_std(&tag->T_table_tag, 3));
    }
    return list;
}

static cJSON *json_of_slip(const pov_turntable_report *r)
{
    const pov_slip_report *s = &r->slip;
    if (!r->has_slip)
        return cJSON_CreateNull();
    cJSON *object = cJSON_CreateObject(), *slips = cJSON_CreateArray();
    cJSON_AddStringToObject(object, "direction", s->clockwise ? "clockwise" : "counterclockwise");
    pov_json_add_number(object, "backlash_deg", s->has_backlash ? s->backlash_rad / POV_DEG : NAN);
    pov_json_add_number(object, "backlash_std_deg", s->has_backlash ? s->backlash_std_rad / POV_DEG : NAN);
    cJSON_AddItemToObject(object, "slips", slips);
    for (int k = 0; k < s->slip_len; k++) {
        cJSON *item = cJSON_CreateObject();
        cJSON_AddItemToArray(slips, item);
        cJSON_AddStringToObject(item, "before", r->images[r->slip_image[k]].name);
        cJSON_AddNumberToObject(item, "jump_deg", s->slips[k].jump_rad / POV_DEG);
        cJSON_AddNumberToObject(item, "jump_std_deg", s->slips[k].std_rad / POV_DEG);
    }
    cJSON_AddNumberToObject(object, "creep_deg_per_turn", s->creep * 360);
    cJSON_AddNumberToObject(object, "creep_std_deg_per_turn", s->creep_std * 360);
    cJSON_AddNumberToObject(object, "scatter_deg", s->scatter_rad / POV_DEG);
    return object;
}

void pov_turntable_report_json(FILE *stream, const pov_turntable_report *r)
{
    const pov_pose *at = &r->disc.T_table_disc;
    const double pos_m[] = {at->T.t_m.x, at->T.t_m.y, at->T.t_m.z};
    const double axis[] = {at->T.R.m[0][2], at->T.R.m[1][2], at->T.R.m[2][2]};
    cJSON *object = cJSON_CreateObject();
    cJSON_AddBoolToObject(object, "calibrated", r->is_calibrated);
    if (!r->is_calibrated) {
        cJSON_AddStringToObject(object, "why", r->why);
        cJSON_AddItemToObject(object, "images", json_of_images(r));
        pov_json_print_line(stream, object);
        return;
    }
    cJSON_AddItemToObject(object, "pos_m", cJSON_CreateDoubleArray(pos_m, 3));
    cJSON_AddItemToObject(object, "axis", cJSON_CreateDoubleArray(axis, 3));
    cJSON_AddItemToObject(object, "cov", cJSON_CreateDoubleArray(&at->cov[0][0], 36));
    cJSON_AddStringToObject(object, "zero_by", pov_zero_source_name(r->zero));
    pov_json_add_number(object, "zero_std_deg", pov_turntable_report_zero_std_rad(r) / POV_DEG);
    cJSON_AddNumberToObject(object, "arc_deg", r->arc_rad / POV_DEG);
    cJSON_AddNumberToObject(object, "rms_px", r->rms_px);
    cJSON_AddNumberToObject(object, "images_used", r->used_len);
    cJSON_AddItemToObject(object, "tags", tag_list(r));
    cJSON_AddItemToObject(object, "left_out", cJSON_CreateIntArray(r->left_out, r->left_out_len));
    cJSON_AddItemToObject(object, "lost", cJSON_CreateIntArray(r->lost, r->lost_len));
    cJSON_AddItemToObject(object, "strays", json_of_strays(r));
    cJSON_AddItemToObject(object, "slip", json_of_slip(r));
    cJSON_AddItemToObject(object, "images", json_of_images(r));
    pov_json_print_line(stream, object);
}

/* ---- the page ---- */

static const double WIDTH = 1000, HEIGHT = 260, LEFT = 60, FOOT = 40; /* pixels; chosen */

/* ---- measured against commanded angles, stop by stop ---- */

static bool is_told(const pov_turn_image *image)
{
    return image->outcome == POV_TURN_IMAGE_USED && isfinite(image->ahead_rad);
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
                 image->told.commanded_rad / POV_DEG, at_deg);
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
        if (r->images[i].outcome == POV_TURN_IMAGE_USED) {
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
    pov_turntable_report_text(stream, report);
}

/* There is no calibration: why, and what was seen. */
static void print_refusal(FILE *stream, const pov_turntable_report *r, const char *station, const char *date)
{
    pov_page_begin(stream, "No calibration of a turntable");
    pov_page_element(stream, "h1", "No calibration of the turntable of %s", station);
    fprintf(stream, "<p class='about'>%s · %d images</p>\n", date, r->image_len);
    pov_page_element(stream, "p", "%s.", r->why);
    fputs("<h2>In numbers</h2>\n", stream);
    pov_page_preformatted(stream, print_numbers, r);
    pov_page_end(stream);
}

void pov_turntable_report_page(FILE *stream, const pov_turntable_report *r, const char *station,
                               const char *date)
{
    if (!r->is_calibrated) {
        print_refusal(stream, r, station, date);
        return;
    }
    pov_page_begin(stream, "A turntable");
    pov_page_element(stream, "h1", "The turntable of %s", station);
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
