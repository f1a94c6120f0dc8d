#include "firmware/station/station_swaps.h"

#include <math.h>

/* What differs by less than this many stated deviations, or than this, does not show as a contradiction; chosen: as seen in
 * './dev bench cameras'. */
static const double deviations = 6, least_m = 0.005, least_rad = 0.5 * POV_DEG;

static bool is_near(const pov_pose *at, const pov_transform *T, const pov_pose *of)
{
    double off[6], rad2 = 0, m2 = 0, rad = least_rad, m = least_m;
    pov_transform_minus(off, *T, at->T);
    for (int i = 0; i < 3; i++) {
        rad2 += off[i] * off[i];
        m2 += off[3 + i] * off[3 + i];
    }
    rad = fmax(rad, deviations * sqrt(at->cov[0][0] + of->cov[0][0]));
    m = fmax(m, deviations * sqrt(at->cov[3][3] + of->cov[3][3]));
    return rad2 < rad * rad && m2 < m * m;
}

/* Whether the motion that takes camera a to b takes each camera to one of them. */
static bool is_symmetry(const pov_station *station, const pov_transform *motion)
{
    bool taken[POV_CAMERA_MAX] = {false};
    for (int i = 0; i < station->camera_len; i++) {
        const pov_pose *from = &station->cameras[i].place.T_table_camera;
        const pov_transform to = pov_transform_mul(*motion, from->T);
        int at = 0;
        while (at < station->camera_len &&
               (taken[at] || !is_near(&station->cameras[at].place.T_table_camera, &to, from)))
            at++;
        if (at == station->camera_len)
            return false;
        taken[at] = true;
    }
    return true;
}

/* Out: a, b, turn_rad: two cameras of such a motion, and how far it turns the scene. */
static bool find_symmetry(const pov_station *station, int *a, int *b, double *turn_rad)
{
    for (*a = 0; *a < station->camera_len; ++*a)
        for (*b = *a + 1; *b < station->camera_len; ++*b) {
            const pov_pose *from = &station->cameras[*a].place.T_table_camera,
                           *to = &station->cameras[*b].place.T_table_camera;
            const pov_transform motion = pov_transform_mul(to->T, pov_transform_inverse(from->T));
            *turn_rad = pov_vec3_norm(pov_rot_log(motion.R));
            if (!is_near(to, &from->T, from) && is_symmetry(station, &motion))
                return true;
        }
    return false;
}

static bool are_all_given(const pov_station *station)
{
    for (int i = 0; i < station->camera_len; i++)
        if (!station->cameras[i].place.is_given || station->cameras[i].place.is_not_swappable)
            return false;
    return station->camera_len > 1;
}

void pov_station_check_swaps(pov_station *station, pov_yaml_node cameras)
{
    int a, b;
    double turn_rad;
    if (!are_all_given(station) || !find_symmetry(station, &a, &b, &turn_rad))
        return;
    const bool has_map = station->finders.tags.map.len > 0;
    for (int i = 0; i < station->camera_len; i++)
        station->cameras[i].place.needs_witness = has_map;
    if (!has_map)
        pov_yaml_complain(
            cameras,
            "cameras '%s' and '%s' look at the table alike from two sides: if their cables are swapped, the "
            "scene is turned by %.0f degrees and nothing shows it. Name tags.map, with a tag that one of "
            "them "
            "sees, or say 'swappable: false' of a camera whose images cannot be another's",
            station->cameras[a].id, station->cameras[b].id, pov_degrees(turn_rad));
}
