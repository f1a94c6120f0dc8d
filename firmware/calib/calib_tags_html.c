#include "draw/page.h"
#include "draw/svg.h"
#include "firmware/calib/calib_plots.h"
#include "firmware/calib/calib_tags.h"

#include <math.h>

static const double WIDTH = 1000, HEIGHT = 700, FOOT = 34, MARGIN = 40;

/* ---- the map from above ---- */

typedef struct {
    FILE *stream;
    double low_m[2], high_m[2]; /* of tags and cameras */
    double scale;               /* the drawing's units to a metre */
} plan;

static bool is_placed(const pov_survey_tag *tag)
{
    return tag->fate == POV_SURVEY_MAPPED || tag->fate == POV_SURVEY_HELD;
}

static void reach(plan *p, pov_vec3 at_m, double around_m)
{
    const double at[2] = {at_m.x, at_m.y};
    for (int k = 0; k < 2; k++) {
        p->low_m[k] = fmin(p->low_m[k], at[k] - around_m);
        p->high_m[k] = fmax(p->high_m[k], at[k] + around_m);
    }
}

static plan fit_plan(FILE *stream, const pov_survey_report *r)
{
    plan p = {stream, {INFINITY, INFINITY}, {-INFINITY, -INFINITY}, 1};
    for (int t = 0; t < r->tag_len; t++)
        if (is_placed(&r->tags[t]))
            reach(&p, r->tags[t].entry.T_table_tag.T.t_m, r->tags[t].entry.edge_m);
    for (int v = 0; v < r->view_len; v++)
        if (r->views[v].located)
            reach(&p, r->views[v].T_table_camera.T.t_m, 0);
    p.scale = fmin((WIDTH - 2 * MARGIN) / (p.high_m[0] - p.low_m[0]),
                   (HEIGHT - 2 * MARGIN) / (p.high_m[1] - p.low_m[1]));
    return p;
}

/* x to the right, y up. */
static pov_vec2 on(const plan *p, pov_vec3 at_m)
{
    return (pov_vec2){WIDTH / 2 + (at_m.x - (p->low_m[0] + p->high_m[0]) / 2) * p->scale,
                      HEIGHT / 2 - (at_m.y - (p->low_m[1] + p->high_m[1]) / 2) * p->scale};
}

static void print_tag(const plan *p, const pov_survey_tag *tag)
{
    const pov_tag_map_entry *entry = &tag->entry;
    const pov_vec2 middle = on(p, entry->T_table_tag.T.t_m);
    const pov_vec3 at_m = entry->T_table_tag.T.t_m;
    pov_vec2 corners[4];
    char hint[160];
    for (int i = 0; i < 4; i++)
        corners[i] = on(p, pov_transform_apply(entry->T_table_tag.T, pov_tag_corner(entry->edge_m, i)));
    const int length =
        snprintf(hint, sizeof hint, "%s %d at %.1f, %.1f, %.1f mm", pov_tag_family_name(entry->family),
                 entry->id, 1e3 * at_m.x, 1e3 * at_m.y, 1e3 * at_m.z);
    if (tag->fate == POV_SURVEY_HELD)
        snprintf(hint + length, sizeof hint - (size_t)length, ", held");
    else
        snprintf(hint + length, sizeof hint - (size_t)length, " +- %.2f mm",
                 1e3 * pov_calib_tags_position_std_m(&entry->T_table_tag));
    pov_svg_polygon(p->stream, corners, 4, "bar", hint);
    pov_svg_text(p->stream, middle.x, middle.y + 4, "halo middle", "%d", entry->id);
}

/* A dot, and which way it looks. */
static void print_camera(const plan *p, const pov_survey_view *view)
{
    enum { LOOK = 22 };
    const pov_transform *T = &view->T_table_camera.T;
    const pov_vec2 at = on(p, T->t_m);
    const double x = T->R.m[0][2] * LOOK, y = -T->R.m[1][2] * LOOK;
    char hint[POV_IMAGE_NAME_CAPACITY + 40];
    snprintf(hint, sizeof hint, "%s, %.2f m up", view->name, T->t_m.z);
    pov_svg_line(p->stream, at.x, at.y, at.x + x, at.y + y, "miss");
    pov_svg_circle(p->stream, at.x, at.y, 3.5, "eye", hint);
}

static void print_plan(FILE *stream, const pov_survey_report *r)
{
    const plan p = fit_plan(stream, r);
    const double ruler_m = pov_svg_round_length(150 / p.scale);
    char text[120];
    pov_svg_begin(stream, WIDTH, HEIGHT + FOOT, "The map of tags from above");
    for (int t = 0; t < r->tag_len; t++)
        if (is_placed(&r->tags[t]))
            print_tag(&p, &r->tags[t]);
    for (int v = 0; v < r->view_len; v++)
        if (r->views[v].located)
            print_camera(&p, &r->views[v]);
    snprintf(text, sizeof text, "%g m; x to the right, y up; red: where the images were taken from", ruler_m);
    pov_plot_ruler(stream, ruler_m * p.scale, HEIGHT + 18, "line", text);
    pov_svg_end(stream);
}

/* ---- what remains of the corners ---- */

static bool predict(pov_vec2 *pixel, const pov_survey_report *r, const pov_survey_sighting *sighting,
                    int corner, const pov_camera *camera)
{
    const pov_tag_map_entry *entry = &r->tags[sighting->tag].entry;
    const pov_transform T_camera_table = pov_transform_inverse(r->views[sighting->view].T_table_camera.T);
    const pov_vec3 at_m = pov_transform_apply(entry->T_table_tag.T, pov_tag_corner(entry->edge_m, corner));
    return pov_camera_project(camera, pixel, NULL, pov_transform_apply(T_camera_table, at_m)) == POV_OK;
}

static void plot_residuals(FILE *stream, const pov_survey_report *r, const pov_camera *camera)
{
    const pov_residual_plot plot = pov_residual_plot_begin(stream, camera, r->rms_px);
    for (int i = 0; i < r->sighting_len; i++) {
        const pov_survey_sighting *sighting = &r->sightings[i];
        for (int k = 0; k < 4 && sighting->used; k++) {
            pov_vec2 expected_px;
            if (predict(&expected_px, r, sighting, k, camera))
                pov_residual_plot_add(&plot, sighting->seen.corner_px[k], expected_px);
        }
    }
    pov_residual_plot_end(&plot);
}

/* ---- */

static void print_numbers(FILE *stream, const void *report)
{
    pov_calib_tags_print_text(stream, report);
}

void pov_calib_tags_print_html(FILE *stream, const pov_survey_report *r, const pov_camera *camera,
                               const char *date)
{
    pov_page_begin(stream, "A map of tags");
    fprintf(stream,
            "<h1>A map of tags</h1>\n<p class='about'>%s · %d × %d px</p>\n<p class='big'>%d of %d tags in "
            "the map, from "
            "%d of %d images. RMS %.3f px.</p>\n<h2>From above</h2>\n",
            date, camera->width_px, camera->height_px, r->mapped_len, r->tag_len, r->used_view_len,
            r->view_len, r->rms_px);
    print_plan(stream, r);
    fputs(
        "<h2>Corners, and what remains of them</h2><p class='about'>Lines that lean alike are something that "
        "neither the map nor the lens explains.</p>\n",
        stream);
    plot_residuals(stream, r, camera);
    fputs("<h2>In numbers</h2>\n", stream);
    pov_page_preformatted(stream, print_numbers, r);
    pov_page_end(stream);
}
