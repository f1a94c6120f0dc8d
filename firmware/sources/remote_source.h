/** A camera in another process: what 'pov run' publishes there of it, as a source whose images have no pixels. */
#pragma once

#include "config/yaml/yaml_file.h"
#include "perception/cast/cast.h"
#include "perception/image/image_source.h"

enum { POV_REMOTE_PATH_CAPACITY = 1024, POV_REMOTE_ENDPOINT_CAPACITY = 256, POV_REMOTE_SERVER_CAPACITY = 64 };

/** As the station file's cameras[].station says. */
typedef struct {
    char endpoint[POV_REMOTE_ENDPOINT_CAPACITY];
    char camera[POV_NAME_CAPACITY]; /* its id there; "": that station has one */
    char server
        [POV_REMOTE_SERVER_CAPACITY]; /* that station's name among this machine's peers; "": without keys */
    char keys[POV_REMOTE_PATH_CAPACITY]; /* folder of keys; "": this user's */
    double rate_max_hz;                  /* more views than that are left out */
    bool has_clock;                      /* said, not measured: */
    double clock_offset_s, clock_std_s;  /* how far that machine's clock is ahead of this one's */
} pov_remote_config;

/** Reads the mapping; complaints go to its file. */
void pov_remote_read(pov_remote_config *config, pov_yaml_node node);

/** Connects; the other station may come later, go, and come back. The image's time is by this machine's clock. POV_SKIPPED: something to tell:
 *  messages that cannot be used, a cast or tag map that differs. Cast and map are borrowed. Memory is bounded, whatever comes.
 *  Errors: endpoint malformed, keys missing. */
POV_MUST_USE pov_status pov_remote_source_new(pov_image_source **source, const pov_remote_config *config,
                                              const pov_cast *cast, const pov_tag_map *map);
