#include "perception/tracking/assignment.h"
#include "perception/tracking/tracker_internal.h"

#include <math.h>

static const double mean_seen_s = 5,
                    mean_hidden_s = 1;   /* mean times for which things are found, and hidden */
static const double new_per_m3 = 3;      /* things that come */
static const double lost_per_m3 = 5;     /* where a lost thing may be: all over the table */
static const double false_per_m3 = 1e-4; /* findings of nothing */
static const double elsewhere_s = 60;    /* a hidden thing is taken elsewhere */
static const double doubt_min = 1e-4;    /* of which thing it is: less is none */

static double seconds(int64_t ns)
{
    return (double)ns * 1e-9;
}

/* -------- how likely it is which -------- */

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

/* The same, had it been taken elsewhere. */
static double log_elsewhere(const pov_tracker *tracker, const tracker_track *t)
{
    double gone_s = tracker_hidden_s(tracker, t);
    return log(lost_per_m3 * gone_s / (gone_s + elsewhere_s));
}

/* What is found and hidden by turns, after so long a time. */
static double seen_p(bool was_seen, double elapsed_s)
{
    double usual = mean_seen_s / (mean_seen_s + mean_hidden_s);
    double changed = -usual * expm1(-elapsed_s * (1 / mean_seen_s + 1 / mean_hidden_s));
    return was_seen ? 1 - changed * mean_hidden_s / mean_seen_s : changed;
}

/* Of finding it there, against finding nothing of it: what was found is found again, what is hidden stays so. */
static double log_ratio_of(const pov_tracker *tracker, const tracker_track *t, const pov_sighting *sighting)
{
    if (!t->is_alive)
        return t->was_lost ? log(lost_per_m3) : -INFINITY;
    double seen = seen_p(t->last_ns == tracker->before_ns, seconds(tracker->now_ns - tracker->before_ns));
    return fmax(log_here(t, sighting), log_elsewhere(tracker, t)) + log(seen / (1 - seen));
}

/* That a hidden thing is found there which may be another in truth: each by its probability. */
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
                *entry =
                    fmin(never, -log_ratio(tracker, tracker->first[group] + j, &sightings[of->sighting[i]]));
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

static void begin(tracker_track *t, const pov_sighting *sighting, int64_t now_ns)
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
static void take_in(const pov_tracker *tracker, tracker_track *t, const pov_sighting *sighting)
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

/* Of one thing against another. */
static double share(double log_one, double log_other)
{
    return log_one == log_other ? 0.5 : 1 / (1 + exp(log_other - log_one));
}

/* -------- which of two that look alike -------- */

/* It stays so: nothing will tell. */
static void doubt(pov_tracker *tracker, int a, int b, double p)
{
    tracker->same_p[a] *= 1 - p;
    tracker->same_p[b] *= 1 - p;
}

/* The two change numbers: what is followed as the one, and the one as it would be had it been hidden on. */
static void exchange(pov_tracker *tracker, int hidden, int column[], int rows, int first)
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

/* What is found now tells which of the two was found before. */
static void settle(pov_tracker *tracker, int number, const pov_sighting *sighting, int column[], int rows,
                   int first)
{
    tracker_rivalry *rivalry = &tracker->rivalries[number];
    if (rivalry->p == 0)
        return;
    double own = log1p(-rivalry->p) + log_ratio_of(tracker, &tracker->tracks[number], sighting),
           other = log(rivalry->p) + log_ratio_of(tracker, &rivalry->other, sighting);
    double p = share(other, own);
    if (p > 0.5)
        exchange(tracker, number, column, rows, first);
    tracker->same_p[number] *= fmax(p, 1 - p);
    tracker->same_p[rivalry->taken] *= fmax(p, 1 - p);
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

/* What was hidden or lost and is found may be another that is so still. */
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
        double p = share(log_ratio_of(tracker, hidden, sighting), own);
        if (!found->is_alive || !hidden->is_alive)
            doubt(tracker, taken, first + k, p);
        else if (p > fmax(doubt_min, rivalry->p))
            *rivalry = (tracker_rivalry){p, taken, *found};
    }
}

/* Of two that are found at once, that they are the other way round. */
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
                   p = share(-against, 0);
            if (p < doubt_min)
                continue;
            tracker->same_p[first + a] *= 1 - p;
            tracker->same_p[first + b] *= 1 - p;
        }
}

static void assign(pov_tracker *tracker, int column[], int group, const members *of,
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
            settle(tracker, first + column[i], &sightings[of->sighting[i]], column, of->len, first);
    for (int i = 0; i < of->len; i++)
        if (column[i] < tracks)
            begin_rivalries(tracker, group, i, &sightings[of->sighting[i]], column, of->len);
}

void tracker_take_findings(pov_tracker *tracker, int *track_of_sighting, int group,
                           const pov_sighting *sightings, int sighting_len)
{
    int column[POV_ASSIGNMENT_ROWS_MAX] = {0}, tracks = tracker->groups[group].count;
    members of = members_of(sightings, sighting_len, group);
    if (of.len == 0)
        return;
    if (!tracker->groups[group].identified)
        assign(tracker, column, group, &of, sightings);
    for (int i = 0; i < of.len; i++)
        if (column[i] < tracks)
            track_of_sighting[of.sighting[i]] = tracker->first[group] + column[i];
    for (int i = 0; i < of.len && !tracker->is_late; i++) {
        int *at = &track_of_sighting[of.sighting[i]];
        if (*at >= 0)
            take_in(tracker, &tracker->tracks[*at], &sightings[of.sighting[i]]);
    }
    for (int i = 0; i < of.len && !tracker->is_late; i++) {
        int *at = &track_of_sighting[of.sighting[i]];
        if (*at < 0 && (*at = free_track(tracker, group)) >= 0)
            take_in(tracker, &tracker->tracks[*at], &sightings[of.sighting[i]]);
    }
}
