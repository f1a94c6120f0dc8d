/** The bodies of a station's cast: `shape` and `body`. docs/STATION.md. */
#ifndef POV_FIRMWARE_STATION_STATION_BODIES_H
#define POV_FIRMWARE_STATION_STATION_BODIES_H

#include "config/yaml/yaml_file.h"
#include "perception/cast/cast.h"

enum { POV_BODY_PATH_CAPACITY = 1024 };

/** The body file of each member; "": none. */
typedef struct {
    char files[POV_CAST_MAX][POV_BODY_PATH_CAPACITY];
} pov_station_body_files;

/** Reads `shape` and `body` of a member that is no ball and whose size has been read. Complaints stick to the file; a body's own file is read
 *  once to complain in time. */
void pov_station_read_body(pov_cast_member *member, char file[POV_BODY_PATH_CAPACITY], pov_yaml_node node);

/** Triangles of the cast's bodies; owns them. */
typedef struct pov_station_bodies pov_station_bodies;

/** Gives the members their bodies, until they are destroyed. Returns: POV_ERROR naming file and line. */
POV_MUST_USE pov_status pov_station_bodies_new(pov_station_bodies **bodies, pov_cast *cast,
                                               const pov_station_body_files *files);
void pov_station_bodies_destroy(pov_station_bodies **bodies);

#endif
