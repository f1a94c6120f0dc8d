#include "calib/tags/tag_survey_report.h"

#include "config/files/json_value.h"
#include "draw/page.h"
#include "draw/residual_plot.h"
#include "draw/svg.h"
#include "perception/geometry/linalg.h"
#include "perception/geometry/ranked.h"

#include <cJSON.h>
#include <inttypes.h>
#include <math.h>

/* ---- text ---- */

static double worst_std(const pov_pose *pose, int first)
{
    double block[9], values[3], vectors[9];
    for (int i = 0; i < 9; i++)
        block[i] = pose->cov[first + i / 3][first + i % 3];
    pov_symmetric_eigen(values, vectors, block, 3);
    return sqrt(fmax(0, fmax(values[0], fmax(values[1], values[2]))));
}

double pov_survey_rotation_std_rad(const pov_pose *pose)
{
    return worst_std(pose, 0);
}

double pov_survey_position_std_m(const pov_pose *pose)
{
    return worst_std(pose, 3);
}

static void print_name(FILE *stream, const pov_tag_map_entry *entry)
{
    char name[40];
    snprintf(name, sizeof name, "%s %d", pov_tag_family_name(entry->family), entry->id);
    fprintf(stream, "%-18s", name);
}

static void print_tag(FILE *stream, const pov_survey_tag *tag)
{
    const pov_pose *pose = &tag->entry.T_table_tag;
    print_name(stream, &tag->entry);
    fprintf(stream, " %6d", tag->used_len);
    if (isnan(tag->rms_px))
        fputs("       -", stream);
    else
        fprintf(stream, "  %6.2f", tag->rms_px);
    fprintf(stream, "  %8.2f %8.2f %8.2f", 1e3 * pose->T.t_m.x, 1e3 * pose->T.t_m.y, 1e3 * pose->T.t_m.z);
    if (tag->outcome == POV_SURVEY_HELD)
        fputs("      held\n", stream);
    else
        fprintf(stream, "  %6.2f  %6.3f\n", 1e3 * pov_survey_position_std_m(pose),
                pov_degrees(pov_survey_rotation_std_rad(pose)));
}

static bool is_in_map(const pov_survey_tag *tag)
{
    return tag->outcome == POV_SURVEY_MAPPED || tag->outcome == POV_SURVEY_HELD;
}

static bool stays(const pov_survey_tag *tag)
{
    return tag->instant == 0;
}

static int count_staying(const pov_survey_report *r)
{
    int len = 0;
    for (int t = 0; t < r->tag_len; t++)
        len += stays(&r->tags[t]);
    return len;
}

static void print_tags(FILE *stream, const pov_survey_report *r)
{
    fputs("tag                images  off px      x mm     y mm     z mm    +- mm  +- deg\n", stream);
    for (int t = 0; t < r->tag_len; t++)
        if (is_in_map(&r->tags[t]) && stays(&r->tags[t]))
            print_tag(stream, &r->tags[t]);
}

static void print_views(FILE *stream, const pov_survey_report *r, const char *head)
{
    fprintf(stream, "\n%-34s  tags  used  off px\n", head);
    for (int v = 0; v < r->view_len; v++) {
        const pov_survey_view *view = &r->views[v];
        fprintf(stream, "%-34.34s %5d %5d", view->name, view->seen_len, view->used_len);
        if (view->used_len > 0)
            fprintf(stream, "  %6.2f\n", view->rms_px);
        else
            fprintf(stream, "  %s\n", view->why);
    }
}

static void print_strays(FILE *stream, const pov_survey_report *r)
{
    for (int i = 0; i < r->sighting_len; i++) {
        const pov_survey_sighting *seen = &r->sightings[i];
        const pov_survey_view *view = &r->views[seen->view];
        const int id = seen->seen.id;
        char when[40] = "";
        if (!stays(&r->tags[seen->tag]))
            snprintf(when, sizeof when, " at instant %d", r->tags[seen->tag].instant);
        if (seen->is_twice)
            fprintf(stream, "Dropped: tag %d in %s%s: it is there twice.\n", id, view->name, when);
        else if (!seen->used && view->used_len > 0 && is_in_map(&r->tags[seen->tag]))
            fprintf(stream, "Dropped: tag %d in %s%s: off by %.1f px where others are by %.2f.\n", id,
                    view->name, when, seen->rms_px, r->rms_px);
    }
}

static void print_missing(FILE *stream, const pov_survey_report *r)
{
    for (int t = 0; t < r->tag_len; t++) {
        const pov_survey_tag *tag = &r->tags[t];
        if (tag->why[0] && stays(tag))
            fprintf(stream, "%s %d %s: %s.\n", pov_tag_family_name(tag->entry.family), tag->entry.id,
                    is_in_map(tag) || tag->outcome == POV_SURVEY_MOVED ? "is in doubt" : "is not in the map",
                    tag->why);
    }
}

static void print_summary(FILE *stream, const pov_survey_report *r)
{
    double position_m[POV_TAG_MAP_MAX], rotation_rad[POV_TAG_MAP_MAX];
    int len = 0, worst = 0;
    for (int t = 0; t < r->tag_len; t++) {
        if (r->tags[t].outcome != POV_SURVEY_MAPPED || !stays(&r->tags[t]))
            continue;
        const pov_pose *pose = &r->tags[t].entry.T_table_tag;
        position_m[len] = pov_survey_position_std_m(pose);
        rotation_rad[len] = pov_survey_rotation_std_rad(pose);
        if (len == 0 || position_m[len] >= pov_survey_position_std_m(&r->tags[worst].entry.T_table_tag))
            worst = t;
        len++;
    }
    fprintf(stream, "\n%d of %d tags in the map, from %d of %d images; RMS %.3f px.\n", r->mapped_len,
            count_staying(r), r->used_view_len, r->view_len, r->rms_px);
    if (len == 0)
        return;
    fprintf(stream,
            "They are known to %.2f mm and %.3f deg (1 sigma, worst direction; median), tag %d to %.2f mm.\n",
            1e3 * pov_median(position_m, len), pov_degrees(pov_median(rotation_rad, len)),
            r->tags[worst].entry.id, 1e3 * pov_survey_position_std_m(&r->tags[worst].entry.T_table_tag));
}

/* Tables for a person. */
void pov_survey_report_text(FILE *stream, const pov_survey_report *report)
{
    if (report->is_mapped)
        print_tags(stream, report);
    print_views(stream, report, "image");
    if (report->is_mapped)
        print_summary(stream, report);
    print_strays(stream, report);
    print_missing(stream, report);
}

/* ---- of cameras that stay ---- */

enum { WORST_IMAGES = 5 };

static bool shows_placed_tag(const pov_survey_report *r, const pov_survey_view *view)
{
    for (int i = 0; i < view->seen_len; i++)
        if (is_in_map(&r->tags[r->sightings[view->first_sighting + i].tag]))
            return true;
    return false;
}

/* "tag 40", "tags 40 and 41", "tags 40, 41, 42 and others". */
static void list_tags(char text[80], const pov_survey_report *r, const pov_survey_view *view)
{
    int ids[3], len = 0, all = 0;
    for (int i = 0; i < view->seen_len; i++) {
        const pov_survey_sighting *seen = &r->sightings[view->first_sighting + i];
        if (!stays(&r->tags[seen->tag]))
            continue;
        if (len < 3)
            ids[len++] = seen->seen.id;
        all++;
    }
    if (all == 0)
        snprintf(text, 80, "what is carried");
    else if (len == 1)
        snprintf(text, 80, "tag %d", ids[0]);
    else if (len == 2)
        snprintf(text, 80, "tags %d and %d", ids[0], ids[1]);
    else
        snprintf(text, 80, "tags %d, %d, %d%s", ids[0], ids[1], ids[2], all > 3 ? " and others" : "");
}

bool pov_camera_survey_why(char why[POV_SURVEY_WHY_CAPACITY], const pov_survey_report *r, int camera)
{
    const pov_survey_view *view = &r->views[camera];
    char tags[80];
    *why = '\0';
    if (camera >= r->view_len || view->seen_len == 0) {
        snprintf(why, POV_SURVEY_WHY_CAPACITY,
                 "no tag in its images counts; lay one where it and another camera see it, or carry a board "
                 "through both views");
        return true;
    }
    list_tags(tags, r, view);
    if (view->used_len == 0 && shows_placed_tag(r, view))
        snprintf(why, POV_SURVEY_WHY_CAPACITY,
                 "what it sees of %s does not fit where the others have it; is its calibration file its own, "
                 "and are the sizes right?",
                 tags);
    else if (view->used_len == 0)
        snprintf(why, POV_SURVEY_WHY_CAPACITY,
                 "it shares no tag with the others: it sees only %s; lay a tag where it and another camera "
                 "see it, or carry a board through both views",
                 tags);
    else if (view->is_ambiguous)
        snprintf(why, POV_SURVEY_WHY_CAPACITY,
                 "two poses fit what it sees nearly alike; show it more tags, or one aslant, from nearer");
    return *why != '\0';
}

static int count_images(const pov_camera_survey *of, int camera)
{
    int len = 0;
    for (int i = 0; i < of->image_len; i++)
        len += of->images[i].camera == camera;
    return len;
}

static void print_cameras(FILE *stream, const pov_camera_survey *of)
{
    char why[POV_SURVEY_WHY_CAPACITY];
    fputs("camera             images  tags  off px      x mm     y mm     z mm    +- mm  +- deg\n", stream);
    for (int c = 0; c < of->camera_len; c++) {
        const pov_survey_view *view = &of->survey->views[c];
        const pov_pose *pose = &view->T_table_camera;
        fprintf(stream, "%-18.18s %6d", of->names[c], count_images(of, c));
        if (!of->survey->is_mapped || pov_camera_survey_why(why, of->survey, c))
            fputs("  not placed\n", stream);
        else
            fprintf(stream, " %5d  %6.2f  %8.2f %8.2f %8.2f  %6.2f  %6.3f\n", view->used_len, view->rms_px,
                    1e3 * pose->T.t_m.x, 1e3 * pose->T.t_m.y, 1e3 * pose->T.t_m.z,
                    1e3 * pov_survey_position_std_m(pose), pov_degrees(pov_survey_rotation_std_rad(pose)));
    }
}

/* The next worse than, or as bad as and after, the last; -1: none. */
static int next_worst(const pov_camera_survey *of, int last)
{
    int worst = -1;
    for (int i = 0; i < of->image_len; i++) {
        const double px = of->images[i].rms_px;
        const bool is_after =
            last < 0 || px < of->images[last].rms_px || (px <= of->images[last].rms_px && i > last);
        if (isfinite(px) && is_after && (worst < 0 || px > of->images[worst].rms_px))
            worst = i;
    }
    return worst;
}

static void print_worst(FILE *stream, const pov_camera_survey *of)
{
    fputs("\nworst images                        camera             tags  off px\n", stream);
    for (int n = 0, i = next_worst(of, -1); n < WORST_IMAGES && i >= 0; n++, i = next_worst(of, i))
        fprintf(stream, "%-34.34s  %-18.18s %4d  %6.2f\n", of->images[i].name,
                of->names[of->images[i].camera], of->images[i].judged_len, of->images[i].rms_px);
}

static void print_warnings(FILE *stream, const pov_camera_survey *of)
{
    char why[POV_SURVEY_WHY_CAPACITY];
    for (int c = 0; c < of->camera_len && of->survey->is_mapped; c++)
        if (pov_camera_survey_why(why, of->survey, c))
            fprintf(stream, "Camera %s is not placed: %s.\n", of->names[c], why);
    for (int i = 0; i < of->note_len; i++)
        fprintf(stream, "Note: %s.\n", of->notes[i]);
}

void pov_camera_survey_text(FILE *stream, const pov_camera_survey *of)
{
    const pov_survey_report *r = of->survey;
    print_cameras(stream, of);
    if (r->is_mapped) {
        fputc('\n', stream);
        print_tags(stream, r);
        print_summary(stream, r);
        print_worst(stream, of);
    }
    print_strays(stream, r);
    print_missing(stream, r);
    print_warnings(stream, of);
}

/* ---- JSON ---- */

static void add_pose(cJSON *object, const char *rotation_name, const pov_pose *pose)
{
    const double position_m[] = {pose->T.t_m.x, pose->T.t_m.y, pose->T.t_m.z};
    cJSON_AddItemToObject(object, "pos_m", cJSON_CreateDoubleArray(position_m, 3));
    cJSON_AddItemToObject(object, rotation_name, cJSON_CreateDoubleArray(&pose->T.R.m[0][0], 9));
}

static cJSON *tag_object(const pov_survey_tag *tag)
{
    cJSON *object = cJSON_CreateObject();
    const pov_pose *pose = &tag->entry.T_table_tag;
    cJSON_AddStringToObject(object, "family", pov_tag_family_name(tag->entry.family));
    cJSON_AddNumberToObject(object, "id", tag->entry.id);
    cJSON_AddNumberToObject(object, "edge_m", tag->entry.edge_m);
    cJSON_AddStringToObject(object, "fate", pov_survey_outcome_name(tag->outcome));
    cJSON_AddNumberToObject(object, "images_seen", tag->seen_len);
    cJSON_AddNumberToObject(object, "images_used", tag->used_len);
    pov_json_add_number(object, "rms_px", tag->rms_px);
    if (tag->why[0])
        cJSON_AddStringToObject(object, "why", tag->why);
    if (tag->outcome != POV_SURVEY_MAPPED && tag->outcome != POV_SURVEY_HELD)
        return object;
    add_pose(object, "R_table_tag", pose);
    cJSON_AddItemToObject(object, "cov", cJSON_CreateDoubleArray(&pose->cov[0][0], 36));
    cJSON_AddNumberToObject(object, "position_std_m", pov_survey_position_std_m(pose));
    cJSON_AddNumberToObject(object, "rotation_std_deg", pov_degrees(pov_survey_rotation_std_rad(pose)));
    return object;
}

static cJSON *sighting_object(const pov_survey_report *r, const pov_survey_sighting *seen)
{
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "family", pov_tag_family_name(seen->seen.family));
    cJSON_AddNumberToObject(object, "id", seen->seen.id);
    if (!stays(&r->tags[seen->tag]))
        cJSON_AddNumberToObject(object, "instant", r->tags[seen->tag].instant);
    cJSON_AddBoolToObject(object, "used", seen->used);
    pov_json_add_number(object, "rms_px", seen->rms_px);
    return object;
}

static cJSON *view_object(const pov_survey_report *r, const pov_survey_view *view)
{
    cJSON *object = cJSON_CreateObject(), *tags = cJSON_CreateArray();
    cJSON_AddStringToObject(object, "image", view->name);
    cJSON_AddNumberToObject(object, "tags_used", view->used_len);
    pov_json_add_number(object, "rms_px", view->rms_px);
    if (view->why[0])
        cJSON_AddStringToObject(object, "why", view->why);
    if (view->used_len > 0)
        add_pose(object, "R_table_camera", &view->T_table_camera);
    for (int i = 0; i < view->seen_len; i++)
        cJSON_AddItemToArray(tags, sighting_object(r, &r->sightings[view->first_sighting + i]));
    cJSON_AddItemToObject(object, "tags", tags);
    return object;
}

static void add_calibration(cJSON *object, const pov_camera *camera)
{
    char hash[20];
    snprintf(hash, sizeof hash, "%016" PRIx64, pov_camera_hash(camera));
    cJSON_AddStringToObject(object, "calibration", hash);
}

static void add_survey(cJSON *object, const pov_survey_report *r, const char *views)
{
    cJSON *tags = cJSON_CreateArray(), *images = cJSON_CreateArray();
    cJSON_AddNumberToObject(object, "tags_mapped", r->mapped_len);
    pov_json_add_number(object, "rms_px", r->rms_px);
    pov_json_add_number(object, "noise_px", r->noise_px);
    cJSON_AddNumberToObject(object, "strays", r->stray_len);
    for (int t = 0; t < r->tag_len; t++)
        if (stays(&r->tags[t]))
            cJSON_AddItemToArray(tags, tag_object(&r->tags[t]));
    for (int v = 0; v < r->view_len; v++)
        cJSON_AddItemToArray(images, view_object(r, &r->views[v]));
    cJSON_AddItemToObject(object, "tags", tags);
    cJSON_AddItemToObject(object, views, images);
}

static cJSON *begin_object(const pov_survey_report *r)
{
    cJSON *object = cJSON_CreateObject();
    cJSON_AddBoolToObject(object, "calibrated", r->is_mapped);
    if (!r->is_mapped)
        cJSON_AddStringToObject(object, "why", r->why);
    return object;
}

void pov_survey_report_json(FILE *stream, const pov_survey_report *r, const pov_camera *camera)
{
    cJSON *object = begin_object(r);
    add_calibration(object, camera);
    cJSON_AddNumberToObject(object, "images_used", r->used_view_len);
    add_survey(object, r, "images");
    pov_json_print_line(stream, object);
}

/* ---- of cameras that stay ---- */

static cJSON *camera_object(const pov_camera_survey *of, int c)
{
    char why[POV_SURVEY_WHY_CAPACITY];
    cJSON *object = cJSON_CreateObject();
    const pov_survey_view *view = &of->survey->views[c];
    const pov_pose *pose = &view->T_table_camera;
    const bool is_placed = of->survey->is_mapped && !pov_camera_survey_why(why, of->survey, c);
    cJSON_AddStringToObject(object, "camera", of->names[c]);
    add_calibration(object, &of->cameras[c]);
    cJSON_AddNumberToObject(object, "images", count_images(of, c));
    cJSON_AddBoolToObject(object, "placed", is_placed);
    if (of->survey->is_mapped && !is_placed)
        cJSON_AddStringToObject(object, "why", why);
    if (!is_placed)
        return object;
    cJSON_AddNumberToObject(object, "tags_used", view->used_len);
    pov_json_add_number(object, "rms_px", view->rms_px);
    add_pose(object, "R_table_camera", pose);
    cJSON_AddItemToObject(object, "cov", cJSON_CreateDoubleArray(&pose->cov[0][0], 36));
    cJSON_AddNumberToObject(object, "position_std_m", pov_survey_position_std_m(pose));
    cJSON_AddNumberToObject(object, "rotation_std_deg", pov_degrees(pov_survey_rotation_std_rad(pose)));
    return object;
}

static cJSON *image_object(const pov_camera_survey *of, const pov_camera_image *image)
{
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "image", image->name);
    cJSON_AddStringToObject(object, "camera", of->names[image->camera]);
    cJSON_AddNumberToObject(object, "tags", image->seen_len);
    cJSON_AddNumberToObject(object, "tags_judged", image->judged_len);
    pov_json_add_number(object, "rms_px", image->rms_px);
    return object;
}

void pov_camera_survey_json(FILE *stream, const pov_camera_survey *of)
{
    cJSON *object = begin_object(of->survey), *cameras = cJSON_CreateArray(), *images = cJSON_CreateArray(),
          *notes = cJSON_CreateArray();
    for (int c = 0; c < of->camera_len; c++)
        cJSON_AddItemToArray(cameras, camera_object(of, c));
    for (int i = 0; i < of->image_len; i++)
        cJSON_AddItemToArray(images, image_object(of, &of->images[i]));
    for (int i = 0; i < of->note_len; i++)
        cJSON_AddItemToArray(notes, cJSON_CreateString(of->notes[i]));
    cJSON_AddItemToObject(object, "cameras", cameras);
    cJSON_AddItemToObject(object, "notes", notes);
    add_survey(object, of->survey, "views");
    cJSON_AddItemToObject(object, "images", images);
    pov_json_print_line(stream, object);
}

/* ---- the page ---- */

static const double WIDTH = 1000, HEIGHT = 700, FOOT = 34, MARGIN = 40; /* pixels; chosen */

/* ---- the map from above ---- */

typedef struct {
    FILE *stream;
    double low_m[2], high_m[2]; /* of tags and cameras */
    double scale;               /* the drawing's units to a metre */
} plan;

static bool is_placed(const pov_survey_tag *tag)
{
    return tag->outcome == POV_SURVEY_MAPPED || tag->outcome == POV_SURVEY_HELD;
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

static void draw_tag(const plan *p, const pov_survey_tag *tag)
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
    if (tag->outcome == POV_SURVEY_HELD)
        snprintf(hint + length, sizeof hint - (size_t)length, ", held");
    else
        snprintf(hint + length, sizeof hint - (size_t)length, " +- %.2f mm",
                 1e3 * pov_survey_position_std_m(&entry->T_table_tag));
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
        if (is_placed(&r->tags[t]) && stays(&r->tags[t]))
            draw_tag(&p, &r->tags[t]);
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
    const pov_tag_map_entry entry = pov_survey_entry_of(r, sighting);
    const pov_transform T_camera_table = pov_transform_inverse(r->views[sighting->view].T_table_camera.T);
    const pov_vec3 at_m = pov_transform_apply(entry.T_table_tag.T, pov_tag_corner(entry.edge_m, corner));
    return pov_camera_project(camera, pixel, NULL, pov_transform_apply(T_camera_table, at_m)) == POV_OK;
}

/* of: the number of the camera. */
static void plot_residuals(FILE *stream, const pov_survey_report *r, const pov_camera *camera, int of)
{
    const pov_residual_plot plot = pov_residual_plot_begin(stream, camera, r->rms_px);
    for (int i = 0; i < r->sighting_len; i++) {
        const pov_survey_sighting *sighting = &r->sightings[i];
        for (int k = 0; k < 4 && sighting->used && r->views[sighting->view].camera == of; k++) {
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
    pov_survey_report_text(stream, report);
}

/* There is no map: why, and what was seen. */
static void print_refusal(FILE *stream, const pov_survey_report *r, const pov_camera *camera,
                          const char *date)
{
    pov_page_begin(stream, "No map of tags");
    fprintf(stream, "<h1>No map of tags</h1>\n<p class='about'>%s · %d × %d px</p>\n", date, camera->width_px,
            camera->height_px);
    pov_page_element(stream, "p", "%s.", r->why);
    fputs("<h2>In numbers</h2>\n", stream);
    pov_page_preformatted(stream, print_numbers, r);
    pov_page_end(stream);
}

void pov_survey_report_page(FILE *stream, const pov_survey_report *r, const pov_camera *camera,
                            const char *date)
{
    if (!r->is_mapped) {
        print_refusal(stream, r, camera, date);
        return;
    }
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
    plot_residuals(stream, r, camera, 0);
    fputs("<h2>In numbers</h2>\n", stream);
    pov_page_preformatted(stream, print_numbers, r);
    pov_page_end(stream);
}

/* ---- of cameras that stay ---- */

static void print_camera_numbers(FILE *stream, const void *of)
{
    pov_camera_survey_text(stream, of);
}

static int count_placed(const pov_camera_survey *of)
{
    char why[POV_SURVEY_WHY_CAPACITY];
    int len = 0;
    for (int c = 0; c < of->camera_len; c++)
        len += !pov_camera_survey_why(why, of->survey, c);
    return len;
}

void pov_camera_survey_page(FILE *stream, const pov_camera_survey *of, const char *date)
{
    const pov_survey_report *r = of->survey;
    const char *title = r->is_mapped ? "Where the cameras are" : "The cameras have no places";
    pov_page_begin(stream, title);
    fprintf(stream, "<h1>%s</h1>\n<p class='about'>%s</p>\n", title, date);
    if (r->is_mapped) {
        fprintf(stream,
                "<p class='big'>%d of %d cameras placed, %d tags in the map. RMS %.3f px.</p>\n"
                "<h2>From above</h2>\n",
                count_placed(of), of->camera_len, r->mapped_len, r->rms_px);
        print_plan(stream, r);
        fputs(
            "<h2>Corners, and what remains of them</h2><p class='about'>Lines that lean alike are something "
            "that neither the map, the camera's place nor its lens explains.</p>\n",
            stream);
    } else {
        pov_page_element(stream, "p", "%s.", r->why);
    }
    for (int c = 0; c < of->camera_len && r->is_mapped; c++) {
        if (r->views[c].used_len == 0)
            continue;
        pov_page_element(stream, "h3", "Camera %s", of->names[c]);
        plot_residuals(stream, r, &of->cameras[c], c);
    }
    fputs("<h2>In numbers</h2>\n", stream);
    pov_page_preformatted(stream, print_camera_numbers, of);
    pov_page_end(stream);
}
