#include "perception/tracking/tracker.h"

#include "perception/tracking/tracker_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double turn_rate_max_rad_s = 20; /* of a table */
static const double hidden_max_s = 10, hidden_max_std_m = 0.5;
static const int images_min = 3; /* seen fewer times, it may have been nothing */

static double seconds(int64_t ns)
{
    return (double)ns * 1e-9;
}

pov_status pov_tracker_new(pov_tracker **tracker, const pov_track_group *groups, int group_len)
{
    POV_REQUIRE(group_len >= 0 && group_len <= POV_TRACK_GROUP_MAX);
    pov_tracker *t = *tracker = calloc(1, sizeof *t);
    if (!t)
        return pov_error("tracker: out of memory");
    t->group_len = group_len;
    for (int i = 0; i < group_len; i++) {
        POV_REQUIRE(groups[i].count >= 0 && groups[i].count <= POV_TRACK_COUNT_MAX);
        t->groups[i] = groups[i];
        t->first[i + 1] = t->first[i] + groups[i].count;
    }
    size_t len = (size_t)t->first[group_len] + 1;
    t->tracks = calloc(len, sizeof *t->tracks);
    t->rivalries = calloc(len, sizeof *t->rivalries);
    t->same_p = calloc(len, sizeof *t->same_p);
    if (t->tracks && t->rivalries && t->same_p) {
        pov_tracker_clear(t);
        return pov_ok();
    }
    pov_tracker_destroy(tracker);
    return pov_error("tracker: out of memory");
}

void pov_tracker_destroy(pov_tracker **tracker)
{
    if (!tracker || !*tracker)
        return;
    free((*tracker)->tracks);
    free((*tracker)->rivalries);
    free((*tracker)->same_p);
    free(*tracker);
    *tracker = NULL;
}

int pov_tracker_track_count(const pov_tracker *tracker)
{
    return tracker->first[tracker->group_len];
}

int pov_tracker_first(const pov_tracker *tracker, int group)
{
    return tracker->first[group];
}

void pov_tracker_clear(pov_tracker *tracker)
{
    for (int i = 0; i < pov_tracker_track_count(tracker); i++) {
        tracker->tracks[i] = (tracker_track){.is_alive = false};
        tracker->rivalries[i].p = 0;
        tracker->same_p[i] = 1;
    }
    tracker->has_time = tracker->has_table = false;
}

/* -------- time -------- */

static pov_vec2 ground_place(const tracker_track *t)
{
    const double *at = pov_motion_place(&t->motion);
    return (pov_vec2){at[0], at[1]};
}

/* It goes the shorter way round. */
static bool is_misread(const pov_tracker *tracker, const pov_table_angle *table, int64_t now_ns)
{
    double turn = pov_angle_wrap(table->angle_rad - tracker->table.angle_rad);
    return tracker->has_table && fabs(turn) > turn_rate_max_rad_s * seconds(now_ns - tracker->table_ns);
}

/* What the table's turn since the last image does to a point that rests on it. */
static pov_carrier carrier_of_place(const pov_tracker *tracker, const tracker_track *t,
                                    const pov_table_angle *table, double elapsed_s)
{
    pov_vec2 at_m = ground_place(t);
    double turn = pov_angle_wrap(table->angle_rad - tracker->table.angle_rad), c = cos(turn), s = sin(turn);
    double rate = turn / elapsed_s, x = at_m.x - table->centre_m.x, y = at_m.y - table->centre_m.y;
    double angle_var = pow(table->angle_std_rad, 2), rate_var = 2 * angle_var / (elapsed_s * elapsed_s);
    pov_vec2 centre = table->centre_m;
    pov_carrier carrier = {
        .map = {c, -s, 0, s, c, 0, 0, 0, 1},
        .shift = {centre.x - c * centre.x + s * centre.y, centre.y - s * centre.x - c * centre.y, 0},
        .cov = {angle_var * y * y, -angle_var * x * y, 0, -angle_var * x * y, angle_var * x * x, 0, 0, 0, 0},
        .rate = {0, -rate, 0, rate, 0, 0, 0, 0, 0},
        .rate_shift = {rate * centre.y, -rate * centre.x, 0},
        .turn_rad = turn,
        .off_var = pow(table->centre_std_m, 2) + t->camera_var_m2};
    for (int i = 0; i < 9; i++)
        carrier.velocity_cov[i] = angle_var > 0 ? carrier.cov[i] / angle_var * rate_var : 0;
    return carrier;
}

static pov_carrier carrier_of_yaw(const pov_tracker *tracker, const pov_table_angle *table, double elapsed_s)
{
    double turn = pov_angle_wrap(table->angle_rad - tracker->table.angle_rad),
           angle_var = pow(table->angle_std_rad, 2);
    return (pov_carrier){.map = {1},
                         .shift = {turn},
                         .cov = {angle_var},
                         .rate = {0},
                         .rate_shift = {turn / elapsed_s},
                         .turn_rad = turn,
                         .velocity_cov = {2 * angle_var / (elapsed_s * elapsed_s)}};
}

/* What stands on the disc's rim hangs over it. */
static bool is_on(const pov_table_angle *table, pov_vec2 at_m)
{
    return hypot(at_m.x - table->centre_m.x, at_m.y - table->centre_m.y) < 1.05 * table->radius_m;
}

static void advance(const pov_tracker *tracker, tracker_track *t, const pov_table_angle *table,
                    double elapsed_s)
{
    if (!table || !tracker->has_table || !is_on(table, ground_place(t))) {
        pov_motion_predict(&t->motion, elapsed_s, NULL);
        pov_heading_track_predict(&t->heading, elapsed_s, NULL);
        return;
    }
    double table_s = seconds(tracker->now_ns - tracker->table_ns);
    pov_carrier place = carrier_of_place(tracker, t, table, table_s),
                yaw = carrier_of_yaw(tracker, table, table_s);
    double carried = t->motion.p[POV_WAY_CARRIED];
    pov_motion_predict(&t->motion, elapsed_s, &place);
    pov_heading_track_predict(&t->heading, elapsed_s, &yaw);
    if (carried > 0.5)
        t->R_table_box = pov_rot_mul(pov_rot_yaw(yaw.shift[0]), t->R_table_box);
}

double tracker_hidden_s(const pov_tracker *tracker, const tracker_track *t)
{
    return seconds(tracker->now_ns - t->last_ns);
}

static double ground_std_m(const tracker_track *t)
{
    pov_motion_estimate estimate;
    pov_motion_estimate_of(&estimate, &t->motion);
    return sqrt(fmax(estimate.cov[0], estimate.cov[4]));
}

/* Nothing will tell any more which of the two was found. */
static void leave_open(pov_tracker *tracker, int number)
{
    tracker_rivalry *rivalry = &tracker->rivalries[number];
    tracker->same_p[number] *= 1 - rivalry->p;
    tracker->same_p[rivalry->taken] *= 1 - rivalry->p;
    rivalry->p = 0;
}

static void lose(pov_tracker *tracker, int number)
{
    tracker_track *t = &tracker->tracks[number];
    double gone_s = tracker_hidden_s(tracker, t);
    if (!t->is_alive || gone_s <= 0)
        return;
    if (t->images < images_min && gone_s > seconds(t->last_ns - t->first_ns)) {
        t->is_alive = t->was_lost = false;
        tracker->rivalries[number].p = 0;
        tracker->same_p[number] = 1;
    } else if (gone_s > hidden_max_s || ground_std_m(t) > hidden_max_std_m) {
        leave_open(tracker, number);
        t->is_alive = false;
        t->was_lost = true;
    }
}

static void advance_all(pov_tracker *tracker, int number, const pov_table_angle *table, double elapsed_s)
{
    if (tracker->tracks[number].is_alive)
        advance(tracker, &tracker->tracks[number], table, elapsed_s);
    if (tracker->rivalries[number].p > 0)
        advance(tracker, &tracker->rivalries[number].other, table, elapsed_s);
}

/* -------- an image -------- */

static void find_all(pov_tracker *tracker, int *track_of_sighting, const pov_sighting *sightings,
                     int sighting_len)
{
    for (int i = 0; i < sighting_len; i++)
        track_of_sighting[i] = -1;
    for (int group = 0; group < tracker->group_len; group++)
        tracker_take_findings(tracker, track_of_sighting, group, sightings, sighting_len);
}

void pov_tracker_step(pov_tracker *tracker, int *track_of_sighting, int64_t now_ns,
                      const pov_table_angle *table, const pov_sighting *sightings, int sighting_len)
{
    POV_REQUIRE(sighting_len >= 0 && sighting_len <= POV_SIGHTING_MAX);
    tracker->is_late = tracker->has_time && pov_motion_is_late(now_ns, tracker->now_ns);
    if (tracker->is_late) {
        find_all(tracker, track_of_sighting, sightings, sighting_len);
        return;
    }
    if (tracker->has_time && now_ns <= tracker->now_ns)
        pov_tracker_clear(tracker);
    double elapsed_s = tracker->has_time ? seconds(now_ns - tracker->now_ns) : 0;
    if (table && is_misread(tracker, table, now_ns))
        table = NULL;
    tracker->before_ns = tracker->now_ns;
    tracker->now_ns = now_ns;
    for (int i = 0; i < pov_tracker_track_count(tracker); i++)
        advance_all(tracker, i, table, elapsed_s);
    find_all(tracker, track_of_sighting, sightings, sighting_len);
    for (int i = 0; i < pov_tracker_track_count(tracker); i++)
        lose(tracker, i);
    tracker->has_time = true;
    if (!table)
        return;
    tracker->has_table = true;
    tracker->table = *table;
    tracker->table_ns = now_ns;
}

/* -------- answers -------- */

static pov_track_state state_of(const pov_tracker *tracker, const tracker_track *t)
{
    if (!t->is_alive)
        return t->was_lost ? POV_TRACK_LOST : POV_TRACK_NONE;
    return t->last_ns == tracker->now_ns ? POV_TRACK_SEEN : POV_TRACK_HIDDEN;
}

/* As far as anybody can tell now. */
static double same_p(const pov_tracker *tracker, int number)
{
    double p = tracker->same_p[number] * (1 - tracker->rivalries[number].p);
    for (int i = 0; i < pov_tracker_track_count(tracker); i++)
        if (tracker->rivalries[i].p > 0 && tracker->rivalries[i].taken == number)
            p *= 1 - tracker->rivalries[i].p;
    return p;
}

void pov_tracker_report(const pov_tracker *tracker, pov_track_report *report, int number)
{
    POV_REQUIRE(number >= 0 && number < pov_tracker_track_count(tracker));
    const tracker_track *t = &tracker->tracks[number];
    *report = (pov_track_report){.state = state_of(tracker, t)};
    if (report->state == POV_TRACK_NONE)
        return;
    report->other_p = 1 - same_p(tracker, number);
    report->age_s = seconds(tracker->now_ns - t->first_ns);
    report->hidden_s = tracker_hidden_s(tracker, t);
    if (!t->is_alive)
        return;
    pov_motion_estimate_of(&report->place, &t->motion);
    report->motion = pov_motion_likeliest(&t->motion);
    report->by_itself_p = pov_motion_probability(&t->motion, POV_MOVING_FREELY);
    report->carried_rad_s = t->motion.carrier.rate[3] * pov_motion_probability(&t->motion, POV_CARRIED);
    report->R_table_box = t->R_table_box;
    report->has_heading = pov_heading_track_estimate(&t->heading, &report->heading, &report->turn_rate_rad_s,
                                                     &report->turn_rate_std_rad_s);
}
