#include "firmware/run/station_tracker.h"

#include "perception/cast/scene_tracker.h"
#include "perception/tracking/pose_hold.h"

#include <math.h>
#include <stdlib.h>

struct pov_station_tracker {
    const pov_disc *disc;
    pov_scene_tracker *scenes;
    pov_pose_hold camera_hold;
    bool camera_still;
    double disc_radius_m;
};

/* What stands on the disc, stands within its outermost tags or not far beyond. */
static double radius_m(const pov_disc *disc)
{
    double radius = 0;
    for (int i = 0; i < disc->tags.len; i++) {
        pov_vec3 at_m = disc->tags.tags[i].T_table_tag.T.t_m;
        radius = fmax(radius, hypot(at_m.x, at_m.y) + disc->tags.tags[i].edge_m);
    }
    return radius;
}

pov_status pov_station_tracker_new(pov_station_tracker **tracker, const pov_cast *cast, const pov_disc *disc)
{
    pov_station_tracker *t = *tracker = calloc(1, sizeof *t);
    if (!t)
        return pov_error("tracker: out of memory");
    t->disc = disc;
    t->disc_radius_m = radius_m(disc);
    pov_status status = pov_scene_tracker_new(&t->scenes, cast);
    if (status.code != POV_OK)
        pov_station_tracker_destroy(tracker);
    return status;
}

void pov_station_tracker_destroy(pov_station_tracker **tracker)
{
    if (!tracker || !*tracker)
        return;
    pov_scene_tracker_destroy(&(*tracker)->scenes);
    free(*tracker);
    *tracker = NULL;
}

void pov_station_tracker_hold_camera(pov_station_tracker *tracker, pov_image_header *header)
{
    tracker->camera_still = header->pose_source == POV_POSE_GIVEN;
    if (header->pose_source == POV_POSE_FROM_TAGS)
        tracker->camera_still =
            pov_pose_hold_update(&tracker->camera_hold, &header->T_table_camera, header->capture_ns);
}

static pov_table_angle table_angle(const pov_station_tracker *tracker, const pov_disc_reading *reading)
{
    const pov_pose *T_table_disc = &tracker->disc->T_table_disc;
    return (pov_table_angle){.centre_m = {T_table_disc->T.t_m.x, T_table_disc->T.t_m.y},
                             .radius_m = tracker->disc_radius_m,
                             .centre_std_m = sqrt(T_table_disc->cov[3][3] + T_table_disc->cov[4][4]),
                             .angle_rad = reading->angle_rad,
                             .angle_std_rad = reading->std_rad};
}

void pov_station_tracker_run(pov_station_tracker *tracker, pov_observation *observation,
                             pov_id renamed[POV_ENTITY_MAX], pov_findings *findings)
{
    pov_id *of_ball = findings->ball_entity;
    pov_table_angle table;
    pov_scene_moment moment = {.now_ns = observation->image.capture_ns,
                               .camera_still = tracker->camera_still};
    if (findings->has_turntable) {
        table = table_angle(tracker, &findings->turntable);
        moment.table = &table;
    }
    pov_scene_tracker_run(tracker->scenes, &observation->scene, renamed, &moment);
    for (int i = 0; i < POV_BALL_MAX; i++)
        if (of_ball[i] != POV_ID_NONE)
            of_ball[i] = renamed[of_ball[i]];
}
