#include "perception/tracking/tracker.h"

#include "perception/tracking/assignment.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    bool is_alive, was_lost; /* neither: never found */
    pov_motion motion;
    pov_heading_track heading;
    pov_rot R_table_box;
    double camera_var_m2;
    int64_t first_ns, last_ns; /* found */
    int images;
} track;

struct pov_tracker {
    pov_track_group groups[POV_TRACK_GROUP_MAX];
    int first[POV_TRACK_GROUP_MAX + 1];
    int group_len;
    track *tracks;
    bool has_time, has_table;
    int64_t now_ns, before_ns, table_ns;
    pov_table_angle table; /* of the last image */
};

static const double mean_seen_s = 5,
                    mean_hidden_s = 1;   /* mean times for which things are found, and hidden */
static const double new_per_m3 = 3;      /* things that come */
static const double lost_per_m3 = 5;     /* where a lost thing may be: all over the table */
static const double false_per_m3 = 1e-3; /* findings of nothing */
static const double elsewhere_s = 60;    /* a hidden thing is taken elsewhere */
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
        t->groups[i] = groups[i];
        t->first[i + 1] = t->first[i] + groups[i].count;
    }
    t->tracks = calloc((size_t)t->first[group_len] + 1, sizeof *t->tracks);
    if (t->tracks)
        return pov_ok();
    pov_tracker_destroy(tracker);
    return pov_error("tracker: out of memory");
}

void pov_tracker_destroy(pov_tracker **tracker)
{
    if (!tracker || !*tracker)
        return;
    free((*tracker)->tracks);
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
    memset(tracker->tracks, 0, (size_t)pov_tracker_track_count(tracker) * sizeof *tracker->tracks);
    tracker->has_time = tracker->has_table = false;
}

/* -------- time -------- */

static pov_vec2 ground_place(const track *t)
{
    const double *at = pov_motion_place(&t->motion);
    return (pov_vec2){at[0], at[1]};
}

/* What the table's turn since the last image does to a point that rests on it. */
static pov_carrier carrier_of_place(const pov_tracker *tracker, const track *t, const pov_table_angle *table,
                                    double elapsed_s)
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

static void advance(const pov_tracker *tracker, track *t, const pov_table_angle *table, double elapsed_s)
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

static double hidden_s(const pov_tracker *tracker, const track *t)
{
    return seconds(tracker->now_ns - t->last_ns);
}

static double ground_std_m(const track *t)
{
    pov_motion_estimate estimate;
    pov_motion_estimate_of(&estimate, &t->motion);
    return sqrt(fmax(estimate.cov[0], estimate.cov[4]));
}

static void lose(const pov_tracker *tracker, track *t)
{
    double gone_s = hidden_s(tracker, t);
    if (gone_s <= 0)
        return;
    if (t->images < images_min && gone_s > seconds(t->last_ns - t->first_ns)) {
        t->is_alive = t->was_lost = false;
    } else if (gone_s > hidden_max_s || ground_std_m(t) > hidden_max_std_m) {
        t->is_alive = false;
        t->was_lost = true;
    }
}

/* -------- which finding is which thing -------- */

typedef struct {
    int len, sighting[POV_SIGHTING_MAX];
} members;

static members members_of(const pov_sighting *sightings, int len, int group)
{
    members of = {0};
    for (int i = 0; i < len; i++)
        if (sightings[i].group == group)
            of.sighting[of.len++] = i;
    return of;
}

static double log_here(const track *t, const pov_sighting *sighting)
{
    const double found[3] = {sighting->pos_m.x, sighting->pos_m.y, sighting->pos_m.z};
    return pov_motion_log_likelihood(&t->motion, found, &sighting->cov_m2[0][0], 3);
}

/* The same, had it been taken elsewhere. */
static double log_elsewhere(const pov_tracker *tracker, const track *t)
{
    double gone_s = hidden_s(tracker, t);
    return log(lost_per_m3 * gone_s / (gone_s + elsewhere_s));
}

/* Of finding it there, against finding nothing of it: what was found is found again, what is hidden stays so. */
static double log_ratio(const pov_tracker *tracker, const track *t, const pov_sighting *sighting)
{
    if (!t->is_alive)
        return t->was_lost ? log(lost_per_m3) : -INFINITY;
    bool was_seen = t->last_ns == tracker->before_ns;
    double changes =
        -expm1(-seconds(tracker->now_ns - tracker->before_ns) / (was_seen ? mean_seen_s : mean_hidden_s));
    double odds = was_seen ? (1 - changes) / changes : changes / (1 - changes);
    return fmax(log_here(t, sighting), log_elsewhere(tracker, t)) + log(odds);
}

static bool has_room(const pov_tracker *tracker, int group)
{
    for (int i = tracker->first[group]; i < tracker->first[group + 1]; i++)
        if (!tracker->tracks[i].is_alive && !tracker->tracks[i].was_lost)
            return true;
    return false;
}

/* Columns: the group's tracks, then for each finding the one of belonging to none. */
static void fill_costs(double *cost, const pov_tracker *tracker, int group, const members *of,
                       const pov_sighting *sightings)
{
    static const double never = 1e6;
    int tracks = tracker->groups[group].count, columns = tracks + of->len;
    double none = -log(has_room(tracker, group) ? new_per_m3 : false_per_m3);
    for (int i = 0; i < of->len; i++)
        for (int j = 0; j < columns; j++) {
            double *entry = &cost[i * columns + j];
            *entry = j == tracks + i ? none : never;
            if (j < tracks)
                *entry = fmin(never, -log_ratio(tracker, &tracker->tracks[tracker->first[group] + j],
                                                &sightings[of->sighting[i]]));
        }
}

/* A place for a new thing: the first that was never used. -1: none. */
static int free_track(const pov_tracker *tracker, int group)
{
    for (int i = tracker->first[group]; i < tracker->first[group + 1]; i++)
        if (!tracker->tracks[i].is_alive && !tracker->tracks[i].was_lost)
            return i;
    return -1;
}

/* -------- findings -------- */

static void begin(track *t, const pov_sighting *sighting, int64_t now_ns)
{
    static const pov_motion_params params = POV_MOTION_OF_THINGS;
    const double found[3] = {sighting->pos_m.x, sighting->pos_m.y, sighting->pos_m.z};
    if (!t->is_alive && !t->was_lost) {
        t->first_ns = now_ns;
        t->images = 0;
    }
    pov_motion_start(&t->motion, &params, 3, found, &sighting->cov_m2[0][0]);
    pov_heading_track_clear(&t->heading);
    t->R_table_box = sighting->R_table_box;
    t->is_alive = true;
    t->was_lost = false;
}

/* The box's tilt is averaged as the place is. */
static void take_in(const pov_tracker *tracker, track *t, const pov_sighting *sighting)
{
    const double found[3] = {sighting->pos_m.x, sighting->pos_m.y, sighting->pos_m.z};
    const double *cov = &sighting->cov_m2[0][0];
    if (!t->is_alive || log_here(t, sighting) < log_elsewhere(tracker, t)) {
        begin(t, sighting, tracker->now_ns);
    } else {
        pov_motion_update(&t->motion, found, cov);
        pov_vec3 off = pov_rot_log(pov_rot_mul(sighting->R_table_box, pov_rot_transpose(t->R_table_box)));
        pov_rot step = pov_rot_exp(pov_vec3_scale(off, t->motion.gain));
        t->R_table_box = pov_rot_mul(step, t->R_table_box);
    }
    if (sighting->heading.len > 0)
        pov_heading_track_update(&t->heading, &sighting->heading, sighting->sight_rad);
    t->camera_var_m2 = sighting->camera_var_m2;
    t->last_ns = tracker->now_ns;
    t->images++;
}

static void assign_group(pov_tracker *tracker, int *track_of_sighting, int group,
                         const pov_sighting *sightings, int sighting_len)
{
    double cost[POV_ASSIGNMENT_ROWS_MAX * POV_ASSIGNMENT_COLUMNS_MAX];
    int column[POV_ASSIGNMENT_ROWS_MAX] = {0}, tracks = tracker->groups[group].count;
    members of = members_of(sightings, sighting_len, group);
    if (of.len == 0)
        return;
    if (!tracker->groups[group].identified) {
        fill_costs(cost, tracker, group, &of, sightings);
        pov_assign(column, cost, of.len, tracks + of.len);
    }
    for (int i = 0; i < of.len; i++) {
        int *at = &track_of_sighting[of.sighting[i]];
        *at = column[i] < tracks ? tracker->first[group] + column[i] : -1;
        if (*at >= 0)
            take_in(tracker, &tracker->tracks[*at], &sightings[of.sighting[i]]);
    }
    for (int i = 0; i < of.len; i++) {
        int *at = &track_of_sighting[of.sighting[i]];
        if (*at < 0 && (*at = free_track(tracker, group)) >= 0)
            take_in(tracker, &tracker->tracks[*at], &sightings[of.sighting[i]]);
    }
}

void pov_tracker_step(pov_tracker *tracker, int *track_of_sighting, int64_t now_ns,
                      const pov_table_angle *table, const pov_sighting *sightings, int sighting_len)
{
    POV_REQUIRE(sighting_len >= 0 && sighting_len <= POV_SIGHTING_MAX);
    if (tracker->has_time && now_ns <= tracker->now_ns)
        pov_tracker_clear(tracker);
    double elapsed_s = tracker->has_time ? seconds(now_ns - tracker->now_ns) : 0;
    tracker->before_ns = tracker->now_ns;
    tracker->now_ns = now_ns;
    for (int i = 0; i < pov_tracker_track_count(tracker); i++)
        if (tracker->tracks[i].is_alive)
            advance(tracker, &tracker->tracks[i], table, elapsed_s);
    for (int i = 0; i < sighting_len; i++)
        track_of_sighting[i] = -1;
    for (int group = 0; group < tracker->group_len; group++)
        assign_group(tracker, track_of_sighting, group, sightings, sighting_len);
    for (int i = 0; i < pov_tracker_track_count(tracker); i++)
        if (tracker->tracks[i].is_alive)
            lose(tracker, &tracker->tracks[i]);
    tracker->has_time = true;
    if (!table)
        return;
    tracker->has_table = true;
    tracker->table = *table;
    tracker->table_ns = now_ns;
}

/* -------- answers -------- */

static pov_track_state state_of(const pov_tracker *tracker, const track *t)
{
    if (!t->is_alive)
        return t->was_lost ? POV_TRACK_LOST : POV_TRACK_NONE;
    return t->last_ns == tracker->now_ns ? POV_TRACK_SEEN : POV_TRACK_HIDDEN;
}

void pov_tracker_report(const pov_tracker *tracker, pov_track_report *report, int number)
{
    POV_REQUIRE(number >= 0 && number < pov_tracker_track_count(tracker));
    const track *t = &tracker->tracks[number];
    *report = (pov_track_report){.state = state_of(tracker, t)};
    if (report->state == POV_TRACK_NONE)
        return;
    report->age_s = seconds(tracker->now_ns - t->first_ns);
    report->hidden_s = hidden_s(tracker, t);
    if (!t->is_alive)
        return;
    pov_motion_estimate_of(&report->place, &t->motion);
    report->motion = pov_motion_likeliest(&t->motion);
    report->carried_rad_s = t->motion.carrier.rate[3] * pov_motion_probability(&t->motion, POV_CARRIED);
    report->R_table_box = t->R_table_box;
    report->has_heading = pov_heading_track_estimate(&t->heading, &report->heading, &report->turn_rate_rad_s,
                                                     &report->turn_rate_std_rad_s);
}
