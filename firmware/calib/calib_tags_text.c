#include "firmware/calib/calib_tags.h"

#include "perception/geometry/linalg.h"

#include <math.h>
#include <stdlib.h>

static double worst_std(const pov_pose *pose, int first)
{
    double block[9], values[3], vectors[9];
    for (int i = 0; i < 9; i++)
        block[i] = pose->cov[first + i / 3][first + i % 3];
    pov_symmetric_eigen(values, vectors, block, 3);
    return sqrt(fmax(0, fmax(values[0], fmax(values[1], values[2]))));
}

double pov_calib_tags_rotation_std_rad(const pov_pose *pose)
{
    return worst_std(pose, 0);
}

double pov_calib_tags_position_std_m(const pov_pose *pose)
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
    if (tag->fate == POV_SURVEY_HELD)
        fputs("      held\n", stream);
    else
        fprintf(stream, "  %6.2f  %6.3f\n", 1e3 * pov_calib_tags_position_std_m(pose),
                pov_degrees(pov_calib_tags_rotation_std_rad(pose)));
}

static bool is_in_map(const pov_survey_tag *tag)
{
    return tag->fate == POV_SURVEY_MAPPED || tag->fate == POV_SURVEY_HELD;
}

static void print_tags(FILE *stream, const pov_survey_report *r)
{
    fputs("tag                images  off px      x mm     y mm     z mm    +- mm  +- deg\n", stream);
    for (int t = 0; t < r->tag_len; t++)
        if (is_in_map(&r->tags[t]))
            print_tag(stream, &r->tags[t]);
}

static void print_views(FILE *stream, const pov_survey_report *r)
{
    fputs("\nimage                               tags  used  off px\n", stream);
    for (int v = 0; v < r->view_len; v++) {
        const pov_survey_view *view = &r->views[v];
        fprintf(stream, "%-34.34s %5d %5d", view->name, view->seen_len, view->used_len);
        if (view->used_len > 0)
            fprintf(stream, "  %6.2f\n", view->rms_px);
        else
            fprintf(stream, "  %s\n",
                    view->seen_len == 0 ? "shows no tag" : "shows fewer than two tags of the map");
    }
}

static void print_strays(FILE *stream, const pov_survey_report *r)
{
    for (int i = 0; i < r->sighting_len; i++) {
        const pov_survey_sighting *seen = &r->sightings[i];
        const pov_survey_view *view = &r->views[seen->view];
        const pov_tag_map_entry *entry = &r->tags[seen->tag].entry;
        if (seen->is_twice)
            fprintf(stream, "Dropped: %s in %s: it is there twice.\n", pov_tag_family_name(entry->family),
                    view->name);
        else if (!seen->used && view->used_len > 0 && is_in_map(&r->tags[seen->tag]))
            fprintf(stream, "Dropped: tag %d in %s: off by %.1f px where others are by %.2f.\n", entry->id,
                    view->name, seen->rms_px, r->rms_px);
    }
}

static void print_missing(FILE *stream, const pov_survey_report *r)
{
    for (int t = 0; t < r->tag_len; t++) {
        const pov_survey_tag *tag = &r->tags[t];
        if (tag->why[0])
            fprintf(stream, "%s %d %s: %s.\n", pov_tag_family_name(tag->entry.family), tag->entry.id,
                    is_in_map(tag) || tag->fate == POV_SURVEY_MOVED ? "is in doubt" : "is not in the map",
                    tag->why);
    }
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void print_summary(FILE *stream, const pov_survey_report *r)
{
    double position_m[POV_TAG_MAP_MAX], rotation_rad[POV_TAG_MAP_MAX];
    int len = 0, worst = 0;
    for (int t = 0; t < r->tag_len; t++) {
        if (r->tags[t].fate != POV_SURVEY_MAPPED)
            continue;
        const pov_pose *pose = &r->tags[t].entry.T_table_tag;
        position_m[len] = pov_calib_tags_position_std_m(pose);
        rotation_rad[len] = pov_calib_tags_rotation_std_rad(pose);
        if (len == 0 || position_m[len] >= pov_calib_tags_position_std_m(&r->tags[worst].entry.T_table_tag))
            worst = t;
        len++;
    }
    fprintf(stream, "\n%d of %d tags in the map, from %d of %d images; RMS %.3f px.\n", r->mapped_len,
            r->tag_len, r->used_view_len, r->view_len, r->rms_px);
    if (len == 0)
        return;
    qsort(position_m, (size_t)len, sizeof *position_m, compare);
    qsort(rotation_rad, (size_t)len, sizeof *rotation_rad, compare);
    fprintf(stream,
            "They are known to %.2f mm and %.3f deg (1 sigma, worst direction; median), tag %d to %.2f mm.\n",
            1e3 * position_m[len / 2], pov_degrees(rotation_rad[len / 2]), r->tags[worst].entry.id,
            1e3 * position_m[len - 1]);
}

void pov_calib_tags_print_text(FILE *stream, const pov_survey_report *report)
{
    print_tags(stream, report);
    print_views(stream, report);
    print_summary(stream, report);
    print_strays(stream, report);
    print_missing(stream, report);
}
