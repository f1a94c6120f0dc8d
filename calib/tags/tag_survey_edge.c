#include "calib/tags/tag_survey_internal.h"
#include "perception/geometry/linalg.h"

#include <math.h>

/* An edge that differs by less than this share is not told; sides that differ by more among one another are no square's. */
static const double TOLD_SHARE = 0.02, SQUARE_SHARE = 0.03;
/* Rays that miss a corner by more than this are of a tag that was moved indeed. */
static const double MISS_PX = 1.5;

/* Where rays meet: the least sum of squared distances. */
typedef struct {
    double normal[9], right[3];
    int len;
} meeting;

static void add_ray(meeting *m, pov_vec3 from_m, pov_vec3 direction)
{
    const double d[3] = {direction.x, direction.y, direction.z}, o[3] = {from_m.x, from_m.y, from_m.z};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            const double across = (i == j) - d[i] * d[j];
            m->normal[3 * i + j] += across;
            m->right[i] += across * o[j];
        }
    m->len++;
}

static bool meet(pov_vec3 *at_m, meeting m)
{
    if (m.len < 2 || !pov_cholesky(m.normal, m.normal, 3))
        return false;
    pov_cholesky_solve(m.right, m.normal, m.right, 3);
    *at_m = (pov_vec3){m.right[0], m.right[1], m.right[2]};
    return true;
}

static bool is_witness(const pov_tag_survey *s, const pov_survey_sighting *seen, int tag)
{
    return seen->tag == tag && !seen->is_twice && s->views[seen->view].used_len > 0;
}

static bool find_corner(pov_vec3 *at_m, const pov_tag_survey *s, int tag, int corner)
{
    meeting m = {.len = 0};
    for (int i = 0; i < s->report.sighting_len; i++) {
        const pov_survey_sighting *seen = &s->sightings[i];
        const pov_transform *T = &s->views[seen->view].T_table_camera.T;
        pov_vec3 ray;
        if (is_witness(s, seen, tag) && pov_camera_unproject(pov_survey_camera_of(s, seen), &ray, NULL,
                                                             seen->seen.corner_px[corner]) == POV_OK)
            add_ray(&m, T->t_m, pov_rot_apply(T->R, pov_vec3_unit(ray)));
    }
    return meet(at_m, m);
}

/* RMS distance, in pixels, of a corner from where the images have it. */
static double miss_px(const pov_tag_survey *s, int tag, int corner, pov_vec3 at_m)
{
    double sum = 0;
    int len = 0;
    for (int i = 0; i < s->report.sighting_len; i++) {
        const pov_survey_sighting *seen = &s->sightings[i];
        pov_vec2 pixel;
        if (!is_witness(s, seen, tag))
            continue;
        if (pov_camera_project(
                pov_survey_camera_of(s, seen), &pixel, NULL,
                pov_transform_apply(pov_transform_inverse(s->views[seen->view].T_table_camera.T), at_m)) !=
            POV_OK)
            return INFINITY;
        sum += pow(pixel.x - seen->seen.corner_px[corner].x, 2) +
               pow(pixel.y - seen->seen.corner_px[corner].y, 2);
        len++;
    }
    return sqrt(sum / len);
}

/* The mean of four sides; NaN if they are no square's. */
static double mean_side_m(const pov_vec3 corners[4])
{
    double sides[4], sum = 0;
    for (int i = 0; i < 4; i++) {
        sides[i] = pov_vec3_norm(pov_vec3_sub(corners[(i + 1) % 4], corners[i]));
        sum += sides[i] / 4;
    }
    for (int i = 0; i < 4; i++)
        if (fabs(sides[i] - sum) > SQUARE_SHARE * sum)
            return NAN;
    return sum;
}

static double measure_edge(const pov_tag_survey *s, int tag)
{
    pov_vec3 corners[4];
    for (int k = 0; k < 4; k++)
        if (!find_corner(&corners[k], s, tag, k) || miss_px(s, tag, k, corners[k]) > MISS_PX)
            return NAN;
    return mean_side_m(corners);
}

void pov_survey_measure_edges(pov_tag_survey *s)
{
    for (int t = 0; t < s->report.tag_len; t++) {
        pov_survey_tag *tag = &s->tags[t];
        const bool is_left_out =
            tag->outcome != POV_SURVEY_MAPPED && tag->outcome != POV_SURVEY_HELD && tag->instant == 0;
        tag->measured_edge_m = is_left_out ? measure_edge(s, t) : NAN;
        if (fabs(tag->measured_edge_m / tag->entry.edge_m - 1) < TOLD_SHARE)
            tag->measured_edge_m = NAN;
    }
}
