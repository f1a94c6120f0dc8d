#include "calib/turntable/turntable_solver_internal.h"

#include <math.h>
#include <string.h>

/* `row`: px per metre of the table frame; `from_disc`, `sight`, `on_tag`: from the disc's origin, the camera and the tag's
 * centre to the corner, the latter in the tag's base frame, which is R_table_base. */
typedef struct {
    pov_vec3 row, from_disc, sight, on_tag;
    const pov_rot *R_table_base, *R_table_disc;
    bool on_disc;
} corner;

static void derive(pov_turn_equations *e, int r, const corner *c, int own)
{
    double per_camera[6];
    pov_pose_row(per_camera, pov_vec3_cross(c->row, c->sight), pov_vec3_scale(c->row, -1));
    const pov_vec3 turning = pov_vec3_cross(c->from_disc, c->row);
    const double per_angle = c->on_disc ? pov_vec3_dot(pov_rot_column(c->R_table_disc, 2), turning) : 0;
    memcpy(e->per_own[r], per_camera, sizeof per_camera);
    e->per_own[r][own - 1] = per_angle;
    for (int k = 0; k < 2; k++) {
        const pov_vec3 across = pov_rot_column(c->R_table_disc, k);
        e->per_disc[r][k] = c->on_disc ? pov_vec3_dot(across, turning) : 0;
        e->per_disc[r][2 + k] = c->on_disc ? pov_vec3_dot(across, c->row) : 0;
    }
    const pov_vec3 in_base = pov_rot_apply(pov_rot_transpose(*c->R_table_base), c->row);
    pov_pose_row(e->per_tag[r], pov_vec3_cross(c->on_tag, in_base), in_base);
}

/* Where the frame is that a tag's place is told in. */
static pov_transform base_of(const pov_turn_tag *tag, const pov_transform *T_table_disc, double angle_rad)
{
    return tag->on_disc ? pov_disc_at(T_table_disc, angle_rad) : pov_transform_identity();
}

double pov_turn_compare(pov_turn_equations *e, const pov_turn_problem *p, const pov_turn_view *view,
                        const pov_turn_sighting *s, int own)
{
    const pov_turn_tag *tag = &p->tags[s->tag];
    const pov_transform base = base_of(tag, &p->T_table_disc.T, view->angle_rad);
    const pov_transform T_table_tag = pov_transform_mul(base, tag->T);
    const pov_rot R_camera_table = pov_rot_transpose(view->T_table_camera.R);
    double distance2 = 0;
    if (!(pov_vec3_dot(pov_rot_column(&T_table_tag.R, 2),
                       pov_vec3_sub(view->T_table_camera.t_m, T_table_tag.t_m)) > 0))
        return INFINITY;
    for (int i = 0; i < 4; i++) {
        const pov_vec3 on_tag = pov_rot_apply(tag->T.R, pov_tag_corner(tag->edge_m, i));
        const pov_vec3 at_m = pov_transform_apply(T_table_tag, pov_tag_corner(tag->edge_m, i));
        corner c = {.from_disc = pov_vec3_sub(at_m, p->T_table_disc.T.t_m),
                    .sight = pov_vec3_sub(at_m, view->T_table_camera.t_m),
                    .on_tag = on_tag,
                    .R_table_base = &base.R,
                    .R_table_disc = &p->T_table_disc.T.R,
                    .on_disc = tag->on_disc};
        double J[2][3];
        pov_vec2 pixel;
        if (pov_camera_project(p->camera, &pixel, J, pov_rot_apply(R_camera_table, c.sight)) != POV_OK)
            return INFINITY;
        e->residual[2 * i] = (s->seen.corner_px[i].x - pixel.x) / s->seen.corner_std_px;
        e->residual[2 * i + 1] = (s->seen.corner_px[i].y - pixel.y) / s->seen.corner_std_px;
        for (int k = 0; k < 2; k++) {
            distance2 += e->residual[2 * i + k] * e->residual[2 * i + k];
            c.row =
                pov_vec3_scale(pov_rot_apply(view->T_table_camera.R, (pov_vec3){J[k][0], J[k][1], J[k][2]}),
                               1 / s->seen.corner_std_px);
            derive(e, 2 * i + k, &c, own);
        }
    }
    return distance2;
}

double pov_turn_distance2(const pov_turn_problem *problem, const pov_turn_view *view,
                          const pov_turn_sighting *sighting)
{
    pov_turn_equations e;
    return pov_turn_compare(&e, problem, view, sighting, POV_TURN_OWN);
}
