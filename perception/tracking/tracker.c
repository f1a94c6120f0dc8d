#include "perception/tracking/tracker.h"

#include "perception/tracking/assignment.h"

#include <math.h>
#include <stdlib.h>

static const double turn_rate_max_rad_s = 20; /* of a table; faster is a misread angle; chosen */
static const double hidden_max_s = 10, hidden_max_std_m = 0.5; /* then a hidden thing is lost; chosen */
static const int images_min = 3;      /* a thing found in fewer may have been a false detection; chosen */
static const double rim_share = 1.05; /* of the disc's radius: things on the rim reach over it; chosen */
/* Densities and times chosen for a table with about ten things; bench tracker shows the swaps that come of them. */
static const double mean_seen_s = 5,
                    mean_hidden_s = 1;   /* mean times for which a thing is found, and hidden */
static const double new_per_m3 = 3;      /* new things */
static const double lost_per_m3 = 5;     /* of a lost thing's place: anywhere on the table */
static const double false_per_m3 = 1e-4; /* false detections */
static const double elsewhere_s = 60;    /* mean time until a hidden thing is taken elsewhere */
static const double doubt_min = 1e-4;    /* probability of a swap below which it is ignored */
static const double cost_never = 1e6;    /* of an assignment that cannot be */

typedef struct {
    bool is_alive, was_lost; /* neither: never found */
    pov_motion motion;
    pov_heading_track heading;
    pov_rot R_table_box;
    double camera_var_m2;
    int64_t first_ns, last_ns; /* found */
    int images;
} tracker_track;

/* Two things of one group were hidden, and one was found under the number `taken`: it may be this hidden one instead. */
typedef struct {
    double p; /* of that; 0: there is no rivalry */
    int taken;
    tracker_track other; /* the track of `taken` as if it were still hidden */
} tracker_rivalry;

struct pov_tracker {
    pov_track_group groups[POV_TRACK_GROUP_MAX];
    int first[POV_TRACK_GROUP_MAX + 1];
    int group_len;
    tracker_track *tracks;
    tracker_rivalry *rivalries; /* of each track */
    double *same_p; /* of each: it is the thing that had its number first; open rivalries not counted */
    bool has_time, has_table, is_late;
    int64_t now_ns, before_ns, table_ns;
    pov_table_angle table; /* of the last image */
};

static double seconds(int64_t ns)
{
    return (double)ns * 1e-9;
}

static void clear_tracks(pov_tracker *tracker)
{
    for (int i = 0; i < tracker->first[tracker->group_len]; i++) {
        tracker->tracks[i] = (tracker_track){.is_alive = false};
        tracker->rivalries[i].p = 0;
        tracker->same_p[i] = 1;
    }
    tracker->has_time = tracker->has_table = false;
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
        clear_tracks(t);
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

/* -------- time -------- */

static pov_vec2 ground_place(const tracker_track *t)
{
    const double *at = pov_motion_place(&t->motion);
    return (pov_vec2){at[0], at[1]};
}

/* The table turns the shorter way round. */
static bool is_misread(const pov_tracker *tracker, const pov_table_angle *table, int64_t now_ns)
{
    double turn = pov_angle_wrap(table->angle_rad - tracker->table.angle_rad);
    return tracker->has_table && fabs(turn) > turn_rate_max_rad_s * seconds(now_ns - tracker->table_ns);
}

/* The table's motion since the last image, for a point that rests on it. */
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

static bool is_on(const pov_table_angle *table, pov_vec2 at_m)
{
    return hypot(at_m.x - table->centre_m.x, at_m.y - table->centre_m.y) < rim_share * table->radius_m;
}

static void advance_track(const pov_tracker *tracker, tracker_track *t, const pov_table_angle *table,
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

static double hidden_s_of(const pov_tracker *tracker, const tracker_track *t)
{
    return seconds(tracker->now_ns - t->last_ns);
}

static double ground_std_m(const tracker_track *t)
{
    pov_motion_estimate estimate;
    pov_motion_estimate_of(&estimate, &t->motion);
    return sqrt(fmax(estimate.cov[0], estimate.cov[4]));
}

/* The two may be swapped, with probability p. */
static void doubt_both(pov_tracker *tracker, int a, int b, double p)
{
    tracker->same_p[a] *= 1 - p;
    tracker->same_p[b] *= 1 - p;
}

/* No later finding can decide the rivalry: its probability becomes final. */
static void close_rivalry(pov_tracker *tracker, int number)
{
    tracker_rivalry *rivalry = &tracker->rivalries[number];
    doubt_both(tracker, number, rivalry->taken, rivalry->p);
    rivalry->p = 0;
}

static void drop_if_lost(pov_tracker *tracker, int number)
{
    tracker_track *t = &tracker->tracks[number];
    double gone_s = hidden_s_of(tracker, t);
    if (!t->is_alive || gone_s <= 0)
        return;
    if (t->images < images_min && gone_s > seconds(t->last_ns - t->first_ns)) {
        t->is_alive = t->was_lost = false;
        tracker->rivalries[number].p = 0;
        tracker->same_p[number] = 1;
    } else if (gone_s > hidden_max_s || ground_std_m(t) > hidden_max_std_m) {
        close_rivalry(tracker, number);
        t->is_alive = false;
        t->was_lost = true;
    }
}

static void advance_number(pov_tracker *tracker, int number, const pov_table_angle *table, double elapsed_s)
{
    if (tracker->tracks[number].is_alive)
        advance_track(tracker, &tracker->tracks[number], table, elapsed_s);
    if (tracker->rivalries[number].p > 0)
        advance_track(tracker, &tracker->rivalries[number].other, table, elapsed_s);
}

/* -------- data association: likelihoods -------- */

typedef struct {
    int len, sighting[POV_ASSIGNMENT_ROWS_MAX];
} members;

static members members_of(const pov_sighting *sightings, int len, int group)
{
    members of = {0};
    for (int i = 0; i < len; i++)
        if (sightings[i].group == group && of.len < POV_ASSIGNMENT_ROWS_MAX)
            of.sighting[of.len++] = i;
    return of;
}

static double log_here(const tracker_track *t, const pov_sighting *sighting)
{
    const double found[3] = {sighting->pos_m.x, sighting->pos_m.y, sighting->pos_m.z};
    return pov_motion_log_likelihood(&t->motion, found, &sighting->cov_m2[0][0], 3);
}

/* Log-density of a finding if the thing was taken elsewhere while hidden. */
static double log_elsewhere(const pov_tracker *tracker, const tracker_track *t)
{
    double gone_s = hidden_s_of(tracker, t);
    return log(lost_per_m3 * gone_s / (gone_s + elsewhere_s));
}

/* Probability that a thing is found, `elapsed_s` after an image in which it was or was not: a two-state Markov chain. */
static double seen_p(bool was_seen, double elapsed_s)
{
    double usual = mean_seen_s / (mean_seen_s + mean_hidden_s);
    double changed = -usual * expm1(-elapsed_s * (1 / mean_seen_s + 1 / mean_hidden_s));
    return was_seen ? 1 - changed * mean_hidden_s / mean_seen_s : changed;
}

/* Log-likelihood ratio: this finding is the thing, against the thing is not found. */
static double log_ratio_of(const pov_tracker *tracker, const tracker_track *t, const pov_sighting *sighting)
{
    if (!t->is_alive)
        return t->was_lost ? log(lost_per_m3) : -INFINITY;
    double seen = seen_p(t->last_ns == tracker->before_ns, seconds(tracker->now_ns - tracker->before_ns));
    return fmax(log_here(t, sighting), log_elsewhere(tracker, t)) + log(seen / (1 - seen));
}

/* The same for a track whose thing may be the other of a rivalry. */
static double log_ratio(const pov_tracker *tracker, int number, const pov_sighting *sighting)
{
    const tracker_rivalry *rivalry = &tracker->rivalries[number];
    double own = log_ratio_of(tracker, &tracker->tracks[number], sighting);
    if (rivalry->p == 0)
        return own;
    double other = log(rivalry->p) + log_ratio_of(tracker, &rivalry->other, sighting),
           larger = fmax(own += log1p(-rivalry->p), other);
    return isinf(larger) ? larger : larger + log(exp(own - larger) + exp(other - larger));
}

/* The first track that was never used; -1: none. */
static int free_track(const pov_tracker *tracker, int group)
{
    for (int i = tracker->first[group]; i < tracker->first[group + 1]; i++)
        if (!tracker->tracks[i].is_alive && !tracker->tracks[i].was_lost)
            return i;
    return -1;
}

/* Columns: the group's tracks, then one for each finding: it belongs to no track. */
static void fill_costs(double *cost, const pov_tracker *tracker, int group, const members *of,
                       const pov_sighting *sightings)
{
    int tracks = tracker->groups[group].count, columns = tracks + of->len;
    double none = -log(free_track(tracker, group) >= 0 ? new_per_m3 : false_per_m3);
    for (int i = 0; i < of->len; i++)
        for (int j = 0; j < columns; j++) {
            double *entry = &cost[i * columns + j];
            *entry = j == tracks + i ? none : cost_never;
            if (j < tracks)
                *entry = fmin(cost_never,
                              -log_ratio(tracker, tracker->first[group] + j, &sightings[of->sighting[i]]));
        }
}

/* -------- findings -------- */

static void begin_track(tracker_track *t, const pov_sighting *sighting, int64_t now_ns)
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

/* The rotation from the track's box to the sighting's. A box without a front is the same from both its ends, and may be
 * reported from either. */
static pov_vec3 box_turn(const tracker_track *t, const pov_sighting *sighting)
{
    const pov_rot R_box_track = pov_rot_transpose(t->R_table_box);
    const pov_vec3 off = pov_rot_log(pov_rot_mul(sighting->R_table_box, R_box_track));
    const pov_rot from_other_end = pov_rot_mul(sighting->R_table_box, pov_rot_yaw(POV_PI));
    const pov_vec3 other = pov_rot_log(pov_rot_mul(from_other_end, R_box_track));
    return sighting->heading.len == 0 && pov_vec3_norm(other) < pov_vec3_norm(off) ? other : off;
}

/* The box's rotation is averaged with the place's gain. */
static void update_track(const pov_tracker *tracker, tracker_track *t, const pov_sighting *sighting)
{
    const double found[3] = {sighting->pos_m.x, sighting->pos_m.y, sighting->pos_m.z};
    const double *cov = &sighting->cov_m2[0][0];
    if (!t->is_alive || log_here(t, sighting) < log_elsewhere(tracker, t)) {
        begin_track(t, sighting, tracker->now_ns);
    } else {
        pov_motion_update(&t->motion, found, cov);
        pov_rot step = pov_rot_exp(pov_vec3_scale(box_turn(t, sighting), t->motion.gain));
        t->R_table_box = pov_rot_mul(step, t->R_table_box);
    }
    if (sighting->heading.len > 0)
        pov_heading_track_update(&t->heading, &sighting->heading, sighting->sight_rad);
    t->camera_var_m2 = sighting->camera_var_m2;
    t->last_ns = tracker->now_ns;
    t->images++;
}

/* Probability of one hypothesis against another. */
static double share_of(double log_one, double log_other)
{
    return log_one == log_other ? 0.5 : 1 / (1 + exp(log_other - log_one));
}

/* -------- which of two things that look alike -------- */

/* The two exchange numbers; the one not found continues as if it had stayed hidden. */
static void exchange_numbers(pov_tracker *tracker, int hidden, int column[], int rows, int first)
{
    tracker_rivalry *rivalry = &tracker->rivalries[hidden];
    tracker_track *seen = &tracker->tracks[rivalry->taken], *mine = &tracker->tracks[hidden];
    int64_t first_ns = mine->first_ns;
    *mine = *seen;
    mine->first_ns = first_ns;
    *seen = rivalry->other;
    for (int i = 0; i < rows; i++) {
        int number = first + column[i];
        if (number == hidden || number == rivalry->taken)
            column[i] = (number == hidden ? rivalry->taken : hidden) - first;
    }
}

/* This finding of the second thing is evidence for which of the two was found before. */
static void settle_rivalry(pov_tracker *tracker, int number, const pov_sighting *sighting, int column[],
                           int rows, int first)
{
    tracker_rivalry *rivalry = &tracker->rivalries[number];
    if (rivalry->p == 0)
        return;
    double own = log1p(-rivalry->p) + log_ratio_of(tracker, &tracker->tracks[number], sighting),
           other = log(rivalry->p) + log_ratio_of(tracker, &rivalry->other, sighting);
    double p = share_of(other, own);
    if (p > 0.5)
        exchange_numbers(tracker, number, column, rows, first);
    doubt_both(tracker, number, rivalry->taken, fmin(p, 1 - p));
    rivalry->p = 0;
}

static bool is_in(const int column[], int rows, int of)
{
    for (int i = 0; i < rows; i++)
        if (column[i] == of)
            return true;
    return false;
}

static bool is_missed(const pov_tracker *tracker, const tracker_track *t)
{
    return t->is_alive ? t->last_ns != tracker->before_ns : t->was_lost;
}

/* The finding of a hidden or lost thing may be another thing that is still hidden or lost. */
static void begin_rivalries(pov_tracker *tracker, int group, int row, const pov_sighting *sighting,
                            const int column[], int rows)
{
    int first = tracker->first[group], taken = first + column[row];
    const tracker_track *found = &tracker->tracks[taken];
    if (!is_missed(tracker, found))
        return;
    double own = log_ratio_of(tracker, found, sighting);
    for (int k = 0; k < tracker->groups[group].count; k++) {
        const tracker_track *hidden = &tracker->tracks[first + k];
        tracker_rivalry *rivalry = &tracker->rivalries[first + k];
        if (k == column[row] || !is_missed(tracker, hidden) || is_in(column, rows, k))
            continue;
        double p = share_of(log_ratio_of(tracker, hidden, sighting), own);
        if (!found->is_alive || !hidden->is_alive)
            doubt_both(tracker, taken, first + k, p);
        else if (p > fmax(doubt_min, rivalry->p))
            *rivalry = (tracker_rivalry){p, taken, *found};
    }
}

/* Two things found at once may be swapped. */
static void doubt_pairs(pov_tracker *tracker, int group, const double *cost, const int column[], int rows)
{
    int tracks = tracker->groups[group].count, columns = tracks + rows, first = tracker->first[group];
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < i; j++) {
            int a = column[i], b = column[j];
            if (a >= tracks || b >= tracks)
                continue;
            double against = cost[i * columns + b] + cost[j * columns + a] - cost[i * columns + a] -
                             cost[j * columns + b],
                   p = share_of(-against, 0);
            if (p < doubt_min)
                continue;
            doubt_both(tracker, first + a, first + b, p);
        }
}

static void assign_findings(pov_tracker *tracker, int column[], int group, const members *of,
                            const pov_sighting *sightings)
{
    double cost[POV_ASSIGNMENT_ROWS_MAX * POV_ASSIGNMENT_COLUMNS_MAX];
    int tracks = tracker->groups[group].count, first = tracker->first[group];
    fill_costs(cost, tracker, group, of, sightings);
    pov_assign(column, cost, of->len, tracks + of->len);
    if (tracker->is_late)
        return;
    doubt_pairs(tracker, group, cost, column, of->len);
    for (int i = 0; i < of->len; i++)
        if (column[i] < tracks)
            settle_rivalry(tracker, first + column[i], &sightings[of->sighting[i]], column, of->len, first);
    for (int i = 0; i < of->len; i++)
        if (column[i] < tracks)
            begin_rivalries(tracker, group, i, &sightings[of->sighting[i]], column, of->len);
}

/* Gives each finding of a group to a track, and updates it. Out: the group's track_of_sighting: a track, or -1. */
static void track_group(pov_tracker *tracker, int *track_of_sighting, int group,
                        const pov_sighting *sightings, int sighting_len)
{
    int column[POV_ASSIGNMENT_ROWS_MAX] = {0}, tracks = tracker->groups[group].count;
    members of = members_of(sightings, sighting_len, group);
    if (of.len == 0)
        return;
    if (!tracker->groups[group].identified)
        assign_findings(tracker, column, group, &of, sightings);
    for (int i = 0; i < of.len; i++)
        if (column[i] < tracks)
            track_of_sighting[of.sighting[i]] = tracker->first[group] + column[i];
    for (int i = 0; i < of.len && !tracker->is_late; i++) {
        int *at = &track_of_sighting[of.sighting[i]];
        if (*at >= 0)
            update_track(tracker, &tracker->tracks[*at], &sightings[of.sighting[i]]);
    }
    for (int i = 0; i < of.len && !tracker->is_late; i++) {
        int *at = &track_of_sighting[of.sighting[i]];
        if (*at < 0 && (*at = free_track(tracker, group)) >= 0)
            update_track(tracker, &tracker->tracks[*at], &sightings[of.sighting[i]]);
    }
}

/* -------- an image -------- */

static void track_all(pov_tracker *tracker, int *track_of_sighting, const pov_sighting *sightings,
                      int sighting_len)
{
    for (int i = 0; i < sighting_len; i++)
        track_of_sighting[i] = -1;
    for (int group = 0; group < tracker->group_len; group++)
        track_group(tracker, track_of_sighting, group, sightings, sighting_len);
}

void pov_tracker_step(pov_tracker *tracker, int *track_of_sighting, int64_t now_ns,
                      const pov_table_angle *table, const pov_sighting *sightings, int sighting_len)
{
    POV_REQUIRE(sighting_len >= 0 && sighting_len <= POV_SIGHTING_MAX);
    tracker->is_late = tracker->has_time && pov_motion_is_late(now_ns, tracker->now_ns);
    if (tracker->is_late) {
        track_all(tracker, track_of_sighting, sightings, sighting_len);
        return;
    }
    if (tracker->has_time && now_ns <= tracker->now_ns)
        clear_tracks(tracker);
    double elapsed_s = tracker->has_time ? seconds(now_ns - tracker->now_ns) : 0;
    if (table && is_misread(tracker, table, now_ns))
        table = NULL;
    tracker->before_ns = tracker->now_ns;
    tracker->now_ns = now_ns;
    for (int i = 0; i < pov_tracker_track_count(tracker); i++)
        advance_number(tracker, i, table, elapsed_s);
    track_all(tracker, track_of_sighting, sightings, sighting_len);
    for (int i = 0; i < pov_tracker_track_count(tracker); i++)
        drop_if_lost(tracker, i);
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

/* Open rivalries counted. */
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
    report->hidden_s = hidden_s_of(tracker, t);
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
