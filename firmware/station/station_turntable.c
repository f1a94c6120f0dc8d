#include "calib/tags/disc_file.h"
#include "firmware/station/station.h"

static void read_degrees(double *value_rad, pov_yaml_node node, double high_deg)
{
    double value_deg = *value_rad / POV_DEG;
    pov_yaml_number(&value_deg, node, 0, high_deg);
    *value_rad = value_deg * POV_DEG;
}

static void read_disc(pov_station_turntable *turntable, pov_yaml_node node)
{
    char path[1024] = "";
    if (!pov_yaml_exists(node))
        return;
    turntable->measured = true;
    pov_yaml_relative_path(path, sizeof path, node);
    if (pov_yaml_failed(node.file))
        return;
    pov_yaml_complain_of(node, pov_disc_file_read(&turntable->disc, path));
}

static void read_table_settings(pov_station_turntable *turntable, pov_yaml_node node)
{
    static const char *const axes[] = {"X", "Y", "Z", "A", "B", "C"};
    static const char *const directions[] = {"counterclockwise", "clockwise"};
    pov_turntable_config *config = &turntable->config;
    int axis = 0, direction = 0;
    *turntable = (pov_station_turntable)POV_STATION_TURNTABLE_DEFAULT;
    if (!pov_yaml_exists(node))
        return;
    read_disc(turntable, pov_yaml_get(node, "calibration"));
    pov_yaml_copy_string(
        turntable->device, sizeof turntable->device,
        turntable->measured
            ? pov_yaml_get(node, "device")
            : pov_yaml_need(node, "device",
                            "the controller's serial line, such as /dev/ttyUSB0 (or calibration, "
                            "of a table that is turned by hand)"));
    pov_yaml_integer(&turntable->baud, pov_yaml_get(node, "baud"), 9600, 921600);
    pov_yaml_choice(&axis, pov_yaml_get(node, "axis"), axes, 6);
    pov_yaml_choice(&direction, pov_yaml_get(node, "direction"), directions, 2);
    pov_yaml_number(&config->steps_per_deg, pov_yaml_get(node, "steps_per_deg"), 1e-3, 1e5);
    read_degrees(&config->speed_rad_s, pov_yaml_get(node, "speed_deg_s"), 3600);
    read_degrees(&config->take_up_rad, pov_yaml_get(node, "take_up_deg"), 90);
    pov_yaml_number(&config->settle_s, pov_yaml_get(node, "settle_s"), 0, 60);
    config->axis = axes[axis][0];
    config->clockwise = direction == 1;
}

void pov_station_read_turntable(pov_station *station, pov_yaml_node node)
{
    read_table_settings(&station->turntable, node);
    const pov_tag_map *turning = &station->turntable.disc.tags;
    for (int i = 0; i < turning->len && station->turntable.measured; i++) {
        const pov_tag_map_entry *tag = &turning->tags[i];
        station->finders.tags.is_wanted = station->finders.tags.detector.family[tag->family] = true;
        if (pov_tag_map_find(&station->finders.tags.map, tag->family, tag->id))
            pov_yaml_complain(
                pov_yaml_get(node, "calibration"),
                "%s %d is on the turntable, and in tags.map as fixed to the table; take it out of one",
                pov_tag_family_name(tag->family), tag->id);
    }
}
