#include "perception/tags/tag_pose.h"

#include "perception/geometry/linalg.h"
#include "perception/tags/tag_fit.h"

#include <math.h>
#include <string.h>

/* Six numbers of a pose leave two of the corners' eight coordinates over: chi-square 2's 1 - 1e-3 point. Measured by bench truth: 15 of
 * 1833 drawn tags are beyond it, 2 by noise, the others since something covers a corner. */
static const double MISFIT_MAX = 13.8;
static const double SAME_POSE_RAD = 1e-4; /* two descents that end so near one another found one minimum */

/** A frame whose z axis points along `dir`. */
static pov_rot frame_toward(pov_vec3 dir)
{
    pov_vec3 z = pov_vec3_unit(dir);
    pov_vec3 aside = fabs(z.x) < 0.7 ? (pov_vec3){1, 0, 0} : (pov_vec3){0, 1, 0};
    pov_vec3 y = pov_vec3_unit(pov_vec3_cross(z, aside)), x = pov_vec3_cross(y, z);

    return (pov_rot){{{x.x, y.x, z.x}, {x.y, y.y, z.y}, {x.z, y.z, z.z}}};
}

/** The homography from the square with corners (-1, -1), (1, -1), (1, 1), (-1, 1) to a quadrilateral:
 * Heckbert 1989, section 2.2.3. Columns: the images of the square's axes and centre. */
static bool find_homography(pov_vec3 column[3], const pov_vec2 q[4])
{
    double dx1 = q[1].x - q[2].x, dx2 = q[3].x - q[2].x, sx = q[0].x - q[1].x - dx2;
    double dy1 = q[1].y - q[2].y, dy2 = q[3].y - q[2].y, sy = q[0].y - q[1].y - dy2;
    double determinant = dx1 * dy2 - dx2 * dy1;
    double g = (sx * dy2 - dx2 * sy) / determinant, h = (dx1 * sy - sx * dy1) / determinant;
    pov_vec3 u = {q[1].x - q[0].x + g * q[1].x, q[1].y - q[0].y + g * q[1].y, g};
    pov_vec3 v = {q[3].x - q[0].x + h * q[3].x, q[3].y - q[0].y + h * q[3].y, h};

    column[0] = pov_vec3_scale(u, 0.5);
    column[1] = pov_vec3_scale(v, 0.5);
    column[2] = pov_vec3_add(pov_vec3_add(column[0], column[1]), (pov_vec3){q[0].x, q[0].y, 1});
    return isfinite(g) && isfinite(h);
}

/** Rays to the corners, seen from a camera turned so that they surround its axis. */
static bool corner_rays(pov_vec2 normalised[4], pov_rot *R_camera_turned, const pov_camera *camera,
                        const pov_tag *tag)
{
    pov_vec3 ray[4], sum = {0, 0, 0};

    for (int i = 0; i < 4; i++) {
        if (pov_camera_unproject(camera, &ray[i], NULL, tag->corner_px[i]) != POV_OK)
            return false;
        sum = pov_vec3_add(sum, ray[i]);
    }
    *R_camera_turned = frame_toward(sum);
    for (int i = 0; i < 4; i++) {
        pov_vec3 r = pov_rot_apply(pov_rot_transpose(*R_camera_turned), ray[i]);
        if (!(r.z > 0))
            return false;
        normalised[i] = (pov_vec2){r.x / r.z, r.y / r.z};
    }
    return true;
}

/** Pose from the columns' first two rows [a c; b d] (a scaled rotation's) and the signed rest of the first
 * column's norm. Facing the camera: the normal's z is negative. */
static pov_transform pose_from(double J[2][2], double gamma, double side, pov_rot R_camera_axis,
                               double half_edge_m)
{
    double a = J[0][0] / gamma, b = J[1][0] / gamma, c = J[0][1] / gamma, d = J[1][1] / gamma;
    double first = side * sqrt(fmax(0, 1 - a * a - b * b)), second = side * sqrt(fmax(0, 1 - c * c - d * d));
    if (a * c + b * d > 0)
        second = -second;
    pov_vec3 x = pov_vec3_unit((pov_vec3){a, b, first}), y = {c, d, second};
    pov_vec3 z = pov_vec3_unit(pov_vec3_cross(x, y));
    y = pov_vec3_cross(z, x);
    pov_rot R_axis_tag = {{{x.x, y.x, z.x}, {x.y, y.y, z.y}, {x.z, y.z, z.z}}};

    return (pov_transform){pov_rot_mul(R_camera_axis, R_axis_tag),
                           pov_rot_apply(R_camera_axis, (pov_vec3){0, 0, half_edge_m / gamma})};
}

/** Infinitesimal plane-based pose, Collins & Bartoli 2014, sections 3-4: the homography's Jacobian at the
 * square's centre, seen along the ray to it, is two rows of the rotation's first two columns times scale over
 * distance. */
static bool square_poses(pov_transform T_camera_tag[2], const pov_camera *camera, const pov_tag *tag,
                         double edge_m)
{
    pov_vec2 normalised[4];
    pov_vec3 column[3];
    pov_rot R_camera_turned;
    double values[2], first[2], J[2][2];

    if (!corner_rays(normalised, &R_camera_turned, camera, tag) || !find_homography(column, normalised))
        return false;
    pov_rot R_turned_axis = frame_toward(column[2]);
    double depth = pov_vec3_norm(column[2]);
    for (int i = 0; i < 2; i++) {
        pov_vec3 axis = pov_rot_apply(pov_rot_transpose(R_turned_axis), column[i]);
        J[0][i] = axis.x / depth;
        J[1][i] = axis.y / depth;
    }
    if (!(J[0][0] * J[1][1] - J[0][1] * J[1][0] < 0))
        return false; /* a mirror image */
    pov_symmetric2_eigen(values, first, J[0][0] * J[0][0] + J[1][0] * J[1][0],
                         J[0][0] * J[0][1] + J[1][0] * J[1][1], J[0][1] * J[0][1] + J[1][1] * J[1][1]);
    pov_rot R_camera_axis = pov_rot_mul(R_camera_turned, R_turned_axis);
    for (int i = 0; i < 2; i++)
        T_camera_tag[i] = pose_from(J, sqrt(values[0]), i == 0 ? 1 : -1, R_camera_axis, 0.5 * edge_m);
    return true;
}

static void swap_poses(pov_tag_poses *poses)
{
    pov_pose T = poses->T_camera_tag[0];
    double rms_px = poses->rms_px[0];

    poses->T_camera_tag[0] = poses->T_camera_tag[1];
    poses->rms_px[0] = poses->rms_px[1];
    poses->T_camera_tag[1] = T;
    poses->rms_px[1] = rms_px;
}

static bool same_pose(const pov_tag_poses *poses)
{
    double d[6];

    pov_transform_minus(d, poses->T_camera_tag[0].T, poses->T_camera_tag[1].T);
    return sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]) < SAME_POSE_RAD;
}

/** The corners' variance in units of the stated one: above 1 where no pose fits them as well as noise would (Birge 1932). */
static double corner_excess(const pov_tag_poses *poses, double corner_std_px)
{
    const double squared = 4 * pow(poses->rms_px[0] / corner_std_px, 2);

    return poses->len > 0 && squared > MISFIT_MAX ? squared / 2 : 1;
}

/** Best first; likelihoods of the four corners' errors as probabilities. */
static void rank_poses(pov_tag_poses *poses, double corner_std_px)
{
    if (poses->len == 2 && poses->rms_px[1] < poses->rms_px[0])
        swap_poses(poses);
    const double scale = corner_excess(poses, corner_std_px);
    for (int i = 0; i < poses->len; i++)
        for (int k = 0; k < 36; k++)
            poses->T_camera_tag[i].cov[k / 6][k % 6] *= scale;
    if (poses->len == 2 && same_pose(poses))
        poses->len = 1;
    poses->probability[0] = poses->len > 0;
    if (poses->len == 2) {
        double excess =
            4 * (pow(poses->rms_px[1], 2) - pow(poses->rms_px[0], 2)) / (scale * pow(corner_std_px, 2));
        poses->probability[0] = 1 / (1 + exp(-0.5 * excess));
        poses->probability[1] = 1 - poses->probability[0];
    }
}

pov_code pov_tag_pose_estimate(pov_tag_poses *poses, const pov_camera *camera, const pov_tag *tag,
                               double edge_m)
{
    pov_tag_map_entry at_origin = {.edge_m = edge_m, .T_table_tag = pov_pose_exact(pov_transform_identity())};
    pov_tag_sighting sighting = {tag, &at_origin, true};
    pov_transform start[2];

    memset(poses, 0, sizeof *poses);
    if (!square_poses(start, camera, tag, edge_m))
        return POV_UNDEFINED;
    for (int i = 0; i < 2; i++) {
        pov_pose T_tag_camera = pov_pose_exact(pov_transform_inverse(start[i]));
        if (!pov_tag_fit(&T_tag_camera, camera, &sighting, 1))
            continue;
        pov_tag_misfit misfit = pov_tag_misfit_of(camera, &sighting, &T_tag_camera, false);
        poses->T_camera_tag[poses->len] = pov_pose_inverse(&T_tag_camera);
        poses->rms_px[poses->len++] = sqrt(misfit.squared_px2 / 4);
    }
    rank_poses(poses, tag->corner_std_px);
    return poses->len > 0 ? POV_OK : POV_UNDEFINED;
}
