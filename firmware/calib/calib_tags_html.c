#include "config/files/markup.h"
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
    fputs("<polygon class='bar' points='", p->stream);
    for (int i = 0; i < 4; i++) {
        const pov_vec2 corner =
            on(p, pov_transform_apply(entry->T_table_tag.T, pov_tag_corner(entry->edge_m, i)));
        fprintf(p->stream, "%.1f,%.1f ", corner.x, corner.y);
    }
    fprintf(p->stream, "'><title>%s %d at %.1f, %.1f, %.1f mm", pov_tag_family_name(entry->family), entry->id,
            1e3 * entry->T_table_tag.T.t_m.x, 1e3 * entry->T_table_tag.T.t_m.y,
            1e3 * entry->T_table_tag.T.t_m.z);
    if (tag->fate == POV_SURVEY_HELD)
        fputs(", held", p->stream);
    else
        fprintf(p->stream, " +- %.2f mm", 1e3 * pov_calib_tags_position_std_m(&entry->T_table_tag));
    fprintf(p->stream, "</title></polygon><text x='%.1f' y='%.1f' class='middle halo'>%d</text>\n", middle.x,
            middle.y + 4, entry->id);
}

/* A dot, and which way it looks. */
static void print_camera(const plan *p, const pov_survey_view *view)
{
    enum { LOOK = 22 };
    const pov_transform *T = &view->T_table_camera.T;
    const pov_vec2 at = on(p, T->t_m);
    const double x = T->R.m[0][2] * LOOK, y = -T->R.m[1][2] * LOOK;
    fprintf(p->stream,
            "<line x1='%.1f' y1='%.1f' x2='%.1f' y2='%.1f' class='miss'/><circle cx='%.1f' cy='%.1f' r='3.5' "
            "class='miss' fill='#c2410c'><title>",
            at.x, at.y, at.x + x, at.y + y, at.x, at.y);
    pov_markup_text(p->stream, view->name);
    fprintf(p->stream, ", %.2f m up</title></circle>\n", T->t_m.z);
}

static void print_plan(FILE *stream, const pov_survey_report *r)
{
    const plan p = fit_plan(stream, r);
    const double ruler_m = pov_calib_round_down(150 / p.scale);
    fprintf(stream, "<svg viewBox='0 0 %.0f %.0f' role='img'>\n", WIDTH, HEIGHT + FOOT);
    for (int t = 0; t < r->tag_len; t++)
        if (is_placed(&r->tags[t]))
            print_tag(&p, &r->tags[t]);
    for (int v = 0; v < r->view_len; v++)
        if (r->views[v].located)
            print_camera(&p, &r->views[v]);
    fprintf(stream,
            "<line x1='8' x2='%.1f' y1='%.1f' y2='%.1f' stroke='#333' stroke-width='2'/><text x='%.1f' "
            "y='%.1f'>%g m; x to the right, y up; red: where the images were taken from</text></svg>\n",
            8 + ruler_m * p.scale, HEIGHT + 18, HEIGHT + 18, 16 + ruler_m * p.scale, HEIGHT + 22, ruler_m);
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

static void print_misses(FILE *stream, const pov_survey_report *r, const pov_camera *camera)
{
    const double scale = 640.0 / camera->width_px, height = scale * camera->height_px;
    const double enlarged = 12 / fmax(r->rms_px, 1e-3), ruler_px = pov_calib_round_down(2 * r->rms_px);
    fprintf(stream,
            "<svg viewBox='0 0 640 %.0f' role='img'>\n<rect x='.5' y='.5' width='639' height='%.1f' "
            "class='frame'/>\n",
            height + FOOT, height - 1);
    for (int i = 0; i < r->sighting_len; i++) {
        const pov_survey_sighting *sighting = &r->sightings[i];
        for (int k = 0; k < 4 && sighting->used; k++) {
            const pov_vec2 seen = sighting->seen.corner_px[k];
            const double x = (seen.x + 0.5) * scale, y = (seen.y + 0.5) * scale;
            pov_vec2 expected;
            if (predict(&expected, r, sighting, k, camera))
                fprintf(
                    stream,
                    "<circle cx='%.1f' cy='%.1f' r='1.3' class='dot'/><line x1='%.1f' y1='%.1f' x2='%.1f' "
                    "y2='%.1f' class='miss'/>\n",
                    x, y, x, y, x + (seen.x - expected.x) * enlarged, y + (seen.y - expected.y) * enlarged);
        }
    }
    fprintf(stream,
            "<line x1='8' x2='%.1f' y1='%.1f' y2='%.1f' class='miss' stroke-width='2'/><text x='%.1f' "
            "y='%.1f'>%g px; dots: corners seen</text></svg>\n",
            8 + ruler_px * enlarged, height + 18, height + 18, 16 + ruler_px * enlarged, height + 22,
            ruler_px);
}

/* ---- */

static void print_numbers(FILE *stream, const void *report)
{
    pov_calib_tags_print_text(stream, report);
}

void pov_calib_tags_print_html(FILE *stream, const pov_survey_report *r, const pov_camera *camera,
                               const char *date)
{
    fputs("<!DOCTYPE html>\n<html lang='en'><head><meta charset='utf-8'><title>A map of tags</title>\n",
          stream);
    pov_calib_print_style(stream);
    fprintf(
        stream,
        "</head><body>\n<h1>A map of tags</h1>\n<p class='about'>%s · %d × %d px</p>\n<p class='big'>%d of "
        "%d tags, from %d of %d images. RMS %.3f px.</p>\n<h2>From above</h2>\n",
        date, camera->width_px, camera->height_px, r->mapped_len, r->tag_len, r->used_view_len, r->view_len,
        r->rms_px);
    print_plan(stream, r);
    fputs(
        "<h2>Corners, and what remains of them</h2><p class='about'>Lines that lean alike are something that "
        "neither the map nor the lens explains.</p>\n",
        stream);
    print_misses(stream, r, camera);
    fputs("<h2>In numbers</h2>\n", stream);
    pov_calib_print_preformatted(stream, print_numbers, r);
    fputs("</body></html>\n", stream);
}
