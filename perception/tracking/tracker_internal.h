/** What is kept of each thing: shared by tracker.c, which lets time pass, and tracker_findings.c, which tells which
 *  finding is which thing. */
#ifndef POV_PERCEPTION_TRACKING_TRACKER_INTERNAL_H
#define POV_PERCEPTION_TRACKING_TRACKER_INTERNAL_H

#include "perception/tracking/tracker.h"

typedef struct {
    bool is_alive, was_lost; /* neither: never found */
    pov_motion motion;
    pov_heading_track heading;
    pov_rot R_table_box;
    double camera_var_m2;
    int64_t first_ns, last_ns; /* found */
    int images;
} tracker_track;

/** A hidden thing may be what was found as another, which was hidden, too, and is followed under that one's number. */
typedef struct {
    double p;            /* that it is so; 0: it is not */
    int taken;           /* the other's number */
    tracker_track other; /* the other, as if it were the one that is hidden still */
} tracker_rivalry;

struct pov_tracker {
    pov_track_group groups[POV_TRACK_GROUP_MAX];
    int first[POV_TRACK_GROUP_MAX + 1];
    int group_len;
    tracker_track *tracks;
    tracker_rivalry *rivalries; /* of each track */
    double *same_p; /* of each: that it is what had its number first; rivalries do not count yet */
    bool has_time, has_table, is_late;
    int64_t now_ns, before_ns, table_ns;
    pov_table_angle table; /* of the last image */
};

/** Since it was found last. */
double tracker_hidden_s(const pov_tracker *tracker, const tracker_track *t);
/** Gives each finding of a group to a thing, and takes it in.
 *  Out: track_of_sighting of the group's: a track, or -1. */
void tracker_take_findings(pov_tracker *tracker, int *track_of_sighting, int group,
                           const pov_sighting *sightings, int sighting_len);

#endif
