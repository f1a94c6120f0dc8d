/** Multi-object tracking: data association, place and motion of each thing, coasting while it is hidden.
 *
 *  A group holds things that look alike ("three red balls"), or one thing. Each thing has a track with a fixed number.
 *  Findings are assigned to tracks by global nearest neighbour on the log-likelihood ratio (Blackman & Popoli 1999, section
 *  6.4); tags identify themselves. If a finding may be either of two hidden things, both hypotheses are kept until the other
 *  thing is found, and the numbers are corrected then (Reid 1979, for pairs). A thing that is not found coasts with growing
 *  covariance; after a while it is lost, and gets its number back when it is found again.
 *  The caller gives the times; no allocation after _new. */
#pragma once

#include "perception/status.h"
#include "perception/tracking/heading_track.h"

#include <stdint.h>

enum { POV_TRACK_GROUP_MAX = 64, POV_TRACK_COUNT_MAX = 64, POV_SIGHTING_MAX = POV_ENTITY_MAX };

typedef struct {
    int count;       /* things that look alike, POV_TRACK_COUNT_MAX at most */
    bool identified; /* its detector knows which thing it is */
} pov_track_group;

/** One finding in one image. */
typedef struct {
    int group;
    pov_vec3 pos_m;       /* table frame */
    double cov_m2[3][3];  /* of its own error; the camera's included only if the camera moves */
    double camera_var_m2; /* of the camera's error, not in cov_m2, in each direction on the ground */
    pov_heading heading;  /* len 0: none */
    pov_rot R_table_box;
    double sight_rad; /* direction from camera to it on the ground; NAN: not known */
} pov_sighting;

/** A turning table as it was measured in an image. */
typedef struct {
    pov_vec2 centre_m;
    double radius_m;
    double centre_std_m;
    double angle_rad, angle_std_rad; /* counter-clockwise from above */
} pov_table_angle;

typedef enum {
    POV_TRACK_NONE, /* never found, or in too few images */
    POV_TRACK_SEEN,
    POV_TRACK_HIDDEN,
    POV_TRACK_LOST
} pov_track_state;

typedef struct {
    pov_track_state state;
    pov_motion_estimate place; /* of three coordinates; valid if seen or hidden */
    pov_motion_model motion;
    double by_itself_p;   /* probability of POV_MOVING_FREELY */
    double carried_rad_s; /* rate at which a table turns it: couples errors of place and velocity */
    bool has_heading;
    pov_heading heading;
    double turn_rate_rad_s, turn_rate_std_rad_s; /* valid if has_heading */
    pov_rot R_table_box;
    double age_s, hidden_s; /* since it was found first; last */
    double other_p;         /* probability that it is another of its group than the first with this number */
} pov_track_report;

typedef struct pov_tracker pov_tracker;

/** Tracks are numbered through the groups: the first group's come first. */
POV_MUST_USE pov_status pov_tracker_new(pov_tracker **tracker, const pov_track_group *groups, int group_len);
void pov_tracker_destroy(pov_tracker **tracker);

/** One image. A late or repeated image only gets numbers; if time goes back by a second or more, tracking restarts. An angle
 *  that would mean a turn faster than 20 rad/s is ignored.
 *  Out: track_of_sighting: a track, or -1 when the group already has `count` things.
 *  In:  table, NULL if its angle is not known; in each group, sightings in the order in which new ones are to be numbered. */
void pov_tracker_step(pov_tracker *tracker, int *track_of_sighting, int64_t now_ns,
                      const pov_table_angle *table, const pov_sighting *sightings, int sighting_len);

int pov_tracker_track_count(const pov_tracker *tracker);
/** First track of a group. */
int pov_tracker_first(const pov_tracker *tracker, int group);
void pov_tracker_report(const pov_tracker *tracker, pov_track_report *report, int number);
