#include "perception/tracking/heading_track.h"

#include <math.h>

enum { MODES = POV_HEADING_MODES_MAX };

static const double unseen_weight = 0.02; /* likelihood of a mode that the image does not show; chosen */
static const double vague_kappa = 1;      /* a flatter mode is not evidence; chosen */
static const double lost_kappa = 8; /* a mode not shown for so long that it is flatter is dropped; chosen */
static const double new_look_rad = 10 * POV_PI / 180; /* turn after which images are new evidence; chosen */
static const double new_mode_share = 1e-3; /* prior probability of a mode that was not there before; chosen */

void pov_heading_track_clear(pov_heading_track *track)
{
    track->len = 0;
    track->images = 0;
}

void pov_heading_track_predict(pov_heading_track *track, double elapsed_s, const pov_carrier *carrier)
{
    for (int i = 0; i < track->len; i++)
        pov_motion_predict(&track->modes[i].yaw, elapsed_s, carrier);
}

/* -------- weights -------- */

static double log_weight(const pov_heading_track *track, int i)
{
    const pov_heading_hypothesis *mode = &track->modes[i];
    return mode->settled + (track->images > 0 ? mode->said / track->images : 0);
}

static void weights_of(const pov_heading_track *track, double weights[MODES])
{
    double largest = -INFINITY, sum = 0;
    for (int i = 0; i < track->len; i++)
        largest = fmax(largest, log_weight(track, i));
    for (int i = 0; i < track->len; i++)
        sum += weights[i] = exp(log_weight(track, i) - largest);
    for (int i = 0; i < track->len; i++)
        weights[i] /= sum;
}

static int heaviest_mode(const pov_heading_track *track)
{
    int best = 0;
    for (int i = 1; i < track->len; i++)
        if (log_weight(track, i) > log_weight(track, best))
            best = i;
    return best;
}

/* Ends a look: its mean log weights become prior. */
static void settle_look(pov_heading_track *track)
{
    double weights[MODES];
    weights_of(track, weights);
    for (int i = 0; i < track->len; i++) {
        track->modes[i].settled = log(fmax(weights[i], 1e-6));
        track->modes[i].said = 0;
    }
    track->images = 0;
}

static void begin_look_if_turned(pov_heading_track *track, double sight_rad)
{
    if (track->len == 0 || isnan(sight_rad))
        return;
    double aspect_rad = track->modes[heaviest_mode(track)].yaw.still[POV_AT_REST].at[0] - sight_rad;
    if (track->images > 0 && fabs(pov_angle_wrap(aspect_rad - track->began_rad)) < new_look_rad)
        return;
    if (track->images > 0)
        settle_look(track);
    track->began_rad = aspect_rad;
}

/* -------- modes -------- */

static double yaw_variance(const pov_heading_mode *mode)
{
    return 1 / (mode->kappa - 0.5);
}

/* The yaw plus whole turns, nearest to the mode's estimate. */
static double unwrapped_rad(const pov_motion *yaw, double yaw_rad)
{
    double near_rad = pov_motion_place(yaw)[0];
    return near_rad + pov_angle_wrap(yaw_rad - near_rad);
}

static double log_likelihood(const pov_motion *yaw, const pov_heading_mode *found)
{
    double yaw_rad = unwrapped_rad(yaw, found->yaw_rad), variance = yaw_variance(found);
    return pov_motion_log_likelihood(yaw, &yaw_rad, &variance, 1);
}

/* Greedy: the likeliest pairs first, while they are likelier than a new mode. Returns the number of pairs. */
static int match_modes(int mode_of[MODES], const pov_heading_track *track, const pov_heading *found)
{
    bool taken[MODES] = {false};
    int matched = 0;
    for (int j = 0; j < found->len; j++)
        mode_of[j] = -1;
    for (; matched < found->len; matched++) {
        int best_i = -1, best_j = -1;
        double best = log(new_mode_share / (2 * POV_PI));
        for (int i = 0; i < track->len; i++)
            for (int j = 0; j < found->len; j++) {
                if (taken[i] || mode_of[j] >= 0 || found->mode[j].kappa < vague_kappa)
                    continue;
                double log_density = log_likelihood(&track->modes[i].yaw, &found->mode[j]);
                if (log_density > best) {
                    best = log_density;
                    best_i = i;
                    best_j = j;
                }
            }
        if (best_i < 0)
            break;
        taken[best_i] = true;
        mode_of[best_j] = best_i;
    }
    return matched;
}

static void update_mode(pov_heading_hypothesis *mode, const pov_heading_mode *found)
{
    double yaw_rad = unwrapped_rad(&mode->yaw, found->yaw_rad), variance = yaw_variance(found);
    pov_motion_update(&mode->yaw, &yaw_rad, &variance);
}

/* Room for a new mode: a free one, or that of the lightest mode if the new one is heavier. */
static pov_heading_hypothesis *place_for(pov_heading_track *track, double weight)
{
    double weights[MODES];
    if (track->len < MODES)
        return &track->modes[track->len++];
    weights_of(track, weights);
    int lightest = 0;
    for (int i = 1; i < track->len; i++)
        if (weights[i] < weights[lightest])
            lightest = i;
    return weights[lightest] < weight ? &track->modes[lightest] : NULL;
}

static void add_mode(pov_heading_track *track, const pov_heading_mode *found)
{
    static const pov_motion_params params = POV_MOTION_OF_HEADINGS;
    bool looked_before = false;
    for (int i = 0; i < track->len; i++)
        looked_before |= track->modes[i].settled != 0;
    pov_heading_hypothesis *mode = place_for(track, found->weight);
    if (!mode)
        return;
    double variance = yaw_variance(found);
    pov_motion_start(&mode->yaw, &params, 1, &found->yaw_rad, &variance);
    mode->settled = looked_before ? log(unseen_weight) : 0;
    mode->said = track->images * log(unseen_weight);
}

/* Drops modes whose direction has become unknown: they are no alternative to the modes that the image shows. */
static void forget_lost(pov_heading_track *track, const bool shown[MODES])
{
    int len = 0;
    for (int i = 0; i < track->len; i++) {
        pov_motion_estimate estimate;
        pov_motion_estimate_of(&estimate, &track->modes[i].yaw);
        if (shown[i] || pov_kappa_from_std(sqrt(estimate.cov[0])) > lost_kappa)
            track->modes[len++] = track->modes[i];
    }
    track->len = len;
}

void pov_heading_track_update(pov_heading_track *track, const pov_heading *found, double sight_rad)
{
    int mode_of[MODES];
    double said[MODES];
    bool anything = false, shown[MODES] = {false};
    begin_look_if_turned(track, sight_rad);
    for (int j = 0; j < found->len; j++)
        anything |= found->mode[j].kappa >= vague_kappa && found->mode[j].weight > unseen_weight;
    if (!anything)
        return;
    if (match_modes(mode_of, track, found) == 0)
        pov_heading_track_clear(track); /* the thing turned while hidden */
    for (int i = 0; i < MODES; i++)
        said[i] = log(unseen_weight);
    for (int j = 0; j < found->len; j++) {
        const pov_heading_mode *mode = &found->mode[j];
        if (mode->kappa < vague_kappa || mode->weight <= unseen_weight)
            continue;
        if (mode_of[j] < 0) {
            int before = track->len;
            add_mode(track, mode);
            mode_of[j] = track->len > before ? before : -1;
        } else {
            update_mode(&track->modes[mode_of[j]], mode);
        }
        if (mode_of[j] >= 0) {
            said[mode_of[j]] = log(mode->weight);
            shown[mode_of[j]] = true;
        }
    }
    for (int i = 0; i < track->len; i++)
        track->modes[i].said += said[i];
    forget_lost(track, shown);
    if (track->images++ == 0 && !isnan(sight_rad))
        track->began_rad = track->modes[heaviest_mode(track)].yaw.still[POV_AT_REST].at[0] - sight_rad;
}

/* -------- answers -------- */

bool pov_heading_track_estimate(const pov_heading_track *track, pov_heading *heading, double *rate_rad_s,
                                double *rate_std_rad_s)
{
    double weights[MODES];
    if (track->len == 0)
        return false;
    weights_of(track, weights);
    heading->len = track->len;
    for (int i = 0; i < track->len; i++) {
        pov_motion_estimate estimate;
        pov_motion_estimate_of(&estimate, &track->modes[i].yaw);
        heading->mode[i] = (pov_heading_mode){weights[i], pov_angle_wrap(estimate.mean[0]),
                                              pov_kappa_from_std(sqrt(estimate.cov[0]))};
        if (i != heaviest_mode(track))
            continue;
        *rate_rad_s = estimate.velocity[0];
        *rate_std_rad_s = sqrt(estimate.velocity_cov[0]);
    }
    return true;
}
