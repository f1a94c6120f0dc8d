/** The cast part of a station file. */
#ifndef POV_FIRMWARE_STATION_STATION_CAST_H
#define POV_FIRMWARE_STATION_STATION_CAST_H

#include "firmware/station/station_bodies.h"
#include "perception/cast/cast.h"

enum { POV_OBJECT_PATH_CAPACITY = 1024 };

/** Enrolled objects to be found: their files, and the height of what each stands on. */
typedef struct {
    int len;
    struct {
        char model[POV_OBJECT_PATH_CAPACITY];
        double stands_on_m, stands_on_std_m;
        bool is_another; /* of the same make as the one before it */
    } objects[POV_OBJECT_MAX];
    bool has_area; /* else all of the table that is in view is searched */
    pov_object_area area;
} pov_station_objects;

/** Reads the sequence under `cast`; what is to be found goes to the detectors' configurations, enrolled objects to
 *  `objects`, files of bodies to `bodies`. Complaints stick to the file. */
void pov_station_cast_read(pov_cast *cast, pov_ball_detector_config *balls, pov_station_objects *objects,
                           pov_person_detector_config *people, pov_station_body_files *bodies,
                           pov_yaml_node node);

/** Is there an entity of that name, numbered ones ("ball_2") included? */
bool pov_station_cast_has(const pov_cast *cast, const char *name);

#endif
