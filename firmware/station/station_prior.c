#include "firmware/station/station_prior.h"

static const double deg = POV_PI / 180;
static const double far_m = 1e5; /* a bound, not a limit anyone meets */

static void read_height(pov_camera_prior *prior, pov_yaml_node node)
{
    pov_yaml_node height = pov_yaml_get(node, "height_m"), std = pov_yaml_get(node, "height_std_m");
    prior->has_height = pov_yaml_exists(height);
    if (prior->has_height)
        std = pov_yaml_need(node, "height_std_m", "how well the height is known, one standard deviation");
    pov_yaml_number(&prior->height_m, height, -far_m, far_m);
    pov_yaml_number(&prior->height_std_m, std, 1e-6, far_m);
}

static bool read_angle(double *angle_rad, double *std_rad, pov_yaml_node prior, const char *const keys[2])
{
    double angle_deg = 0, std_deg = 1;
    pov_yaml_node angle = pov_yaml_get(prior, keys[0]), std = pov_yaml_get(prior, keys[1]);
    if (pov_yaml_exists(angle))
        std = pov_yaml_need(prior, keys[1], "how well the angle is known, one standard deviation");
    pov_yaml_number(&angle_deg, angle, -90, 90);
    pov_yaml_number(&std_deg, std, 1e-4, 90);
    *angle_rad = angle_deg * deg;
    *std_rad = std_deg * deg;
    return pov_yaml_exists(angle);
}

void pov_station_prior_read(pov_camera_prior *prior, pov_yaml_node node)
{
    static const char *const pitch_keys[] = {"pitch_deg", "pitch_std_deg"};
    static const char *const roll_keys[] = {"roll_deg", "roll_std_deg"};
    read_height(prior, node);
    prior->has_pitch = read_angle(&prior->pitch_rad, &prior->pitch_std_rad, node, pitch_keys);
    prior->has_roll = read_angle(&prior->roll_rad, &prior->roll_std_rad, node, roll_keys);
    if (pov_yaml_exists(node) && !prior->has_height && !prior->has_pitch && !prior->has_roll)
        pov_yaml_complain(node,
                          "says nothing; give height_m and height_std_m, pitch_deg and pitch_std_deg, or "
                          "roll_deg and roll_std_deg");
}
