#include "calib/turntable/turntable_calibration_internal.h"

#include <math.h>
#include <string.h>

static pov_status undefined(const char *why)
{
    return pov_status_with(POV_UNDEFINED, "%s", why);
}

/* Angles count from `zero_rad` on: the tags are where they were then, as the disc's frame, whose x is as near to the table's as
 * it can be, has them at 0. */
static void turn_zero(pov_turn_problem *p, double zero_rad, double zero_std_rad)
{
    pov_pose *T = &p->T_table_disc;
    const pov_pose turn = pov_pose_exact((pov_transform){pov_rot_yaw(zero_rad), {0, 0, 0}});
    const double axis[3] = {T->T.R.m[0][2], T->T.R.m[1][2], T->T.R.m[2][2]};
    for (int i = 0; i < 9; i++)
        T->cov[i / 3][i % 3] += axis[i / 3] * axis[i % 3] * zero_std_rad * zero_std_rad;
    for (int t = 0; t < p->tag_len; t++) {
        pov_pose tag = {.T = p->tags[t].T};
        if (!p->tags[t].on_disc)
            continue;
        memcpy(tag.cov, p->tags[t].cov, sizeof tag.cov);
        tag = pov_pose_mul(&turn, &tag);
        p->tags[t].T = tag.T;
        memcpy(p->tags[t].cov, tag.cov, sizeof tag.cov);
    }
    for (int v = 0; v < p->view_len; v++)
        p->views[v].angle_rad = pov_angle_wrap(p->views[v].angle_rad - zero_rad);
}

static int gather_stops(pov_turn_stop stops[POV_SLIP_STOP_MAX], int image_of[POV_SLIP_STOP_MAX],
                        const pov_turntable_calibration *c)
{
    int len = 0;
    for (int v = 0; v < c->problem.view_len; v++) {
        const pov_turn_image *image = &c->images[c->image_of[v]];
        const pov_turn_view *view = &c->problem.views[v];
        if (!image->has_told)
            continue;
        image_of[len] = c->image_of[v];
        stops[len++] =
            (pov_turn_stop){image->told.told_rad, view->angle_rad, view->angle_std_rad, image->told.way};
    }
    return len;
}

static pov_status agree_with_told(pov_turntable_calibration *c, double *zero_rad, double *zero_std_rad)
{
    pov_turn_stop stops[POV_SLIP_STOP_MAX];
    int image_of[POV_SLIP_STOP_MAX];
    double ahead_rad[POV_SLIP_STOP_MAX];
    pov_turntable_report *report = &c->report;
    const int len = gather_stops(stops, image_of, c);
    report->has_slip = false;
    if (len == 0)
        return pov_ok();
    if (pov_slip_find(&report->slip, ahead_rad, stops, len) != POV_OK)
        return len < POV_TURN_IMAGE_MIN
                   ? undefined("fewer than 3 images that can be used have an angle")
                   : undefined(
                         "the angles told leave the direction open: stops that are half a turn apart look "
                         "the same both ways; stop more often");
    if (report->slip.slip_len * 3 > len || report->slip.scatter_rad > 10 * POV_DEG)
        return undefined("the angles told have nothing to do with where the table stood: are they those of "
                         "these images, in "
                         "degrees, in the order of the images?");
    report->has_slip = true;
    report->zero = POV_ZERO_TOLD;
    for (int i = 0; i < len; i++)
        c->images[image_of[i]].ahead_rad = ahead_rad[i];
    for (int i = 0; i < report->slip.slip_len; i++)
        report->slip_image[i] = image_of[report->slip.slips[i].stop];
    *zero_rad = report->slip.zero_rad;
    *zero_std_rad = report->slip.zero_std_rad;
    return pov_ok();
}

/* The ring's printed x axis lies along the table's at 0: in the mean over tags. */
static bool agree_with_ring(const pov_turntable_calibration *c, double *zero_rad, double *zero_std_rad)
{
    double x = 0, y = 0, off[POV_TURN_TAG_MAX], squares = 0;
    int len = 0;
    for (int t = 0; t < c->problem.tag_len; t++) {
        const pov_turn_tag *tag = &c->problem.tags[t];
        const pov_tag_map_entry *printed =
            tag->on_disc && c->setup.ring ? pov_tag_map_find(c->setup.ring, tag->family, tag->id) : NULL;
        if (!printed)
            continue;
        const pov_rot R = pov_rot_mul(tag->T.R, pov_rot_transpose(printed->T_table_tag.T.R));
        off[len] = atan2(R.m[1][0] - R.m[0][1], R.m[0][0] + R.m[1][1]);
        x += cos(off[len]);
        y += sin(off[len++]);
    }
    *zero_rad = -atan2(y, x);
    for (int i = 0; i < len; i++)
        squares += pow(pov_angle_wrap(off[i] + *zero_rad), 2);
    *zero_std_rad = len > 1 ? sqrt(squares / (len - 1) / len) : 1 * POV_DEG;
    return len > 0;
}

pov_status pov_turntable_find_zero(pov_turntable_calibration *c)
{
    double zero_rad = c->problem.views[0].angle_rad, zero_std_rad = c->problem.views[0].angle_std_rad;
    c->report.zero = POV_ZERO_FIRST_IMAGE;
    if (agree_with_ring(c, &zero_rad, &zero_std_rad))
        c->report.zero = POV_ZERO_RING;
    else
        zero_rad = c->problem.views[0].angle_rad, zero_std_rad = c->problem.views[0].angle_std_rad;
    POV_TRY(agree_with_told(c, &zero_rad, &zero_std_rad));
    turn_zero(&c->problem, zero_rad, zero_std_rad);
    return pov_ok();
}

double pov_turntable_report_zero_std_rad(const pov_turntable_report *report)
{
    const pov_pose *at = &report->disc.T_table_disc;
    double variance = 0;
    for (int i = 0; i < 9; i++)
        variance += at->T.R.m[i / 3][2] * at->cov[i / 3][i % 3] * at->T.R.m[i % 3][2];
    return sqrt(variance);
}
