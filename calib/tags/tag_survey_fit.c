#include "calib/tags/tag_survey_internal.h"
#include "perception/geometry/least_squares.h"
#include "perception/geometry/linalg.h"
#include "perception/tags/tag_fit.h"

#include <math.h>
#include <string.h>

enum { TRIAL_MAX = 120 };

static const double DAMPING_START = 1e-6,
                    GAIN_MIN = 1e-10; /* shares of the diagonal and of the cost: chosen */
/* Given tags are known no better than this, in rad and m: keeps their information finite. */
static const double KNOWN_STD_MIN = 1e-6;

/* ---- the equations -------------------------------------------------------------------------------------------------- */

/* A turn of what is carried about its origin moves the tag by its arm, too. */
static void predict_by_body(pov_tag_prediction *p, pov_vec3 arm_m)
{
    for (int row = 0; row < POV_TAG_ROWS; row++) {
        double *by = p->per_tag[row];
        const pov_vec3 turn = pov_vec3_cross(arm_m, (pov_vec3){by[3], by[4], by[5]});
        by[0] += turn.x;
        by[1] += turn.y;
        by[2] += turn.z;
    }
}

/* Gives a corner's coordinate its deviation: the mean of many images of a tag that stays is better than one image of what is carried. */
static double std_px_of(const pov_tag_survey *s, const pov_survey_sighting *seen)
{
    return s->corner_std_px * (s->tags[seen->tag].instant > 0 ? 1 : s->staying_share);
}

static bool predict(pov_tag_prediction *p, const pov_tag_survey *s, const pov_survey_sighting *seen)
{
    const pov_transform T_table_body = s->T_table_tag[seen->tag];
    pov_tag_map_entry entry = {.edge_m = seen->edge_m};
    entry.T_table_tag.T = pov_transform_mul(T_table_body, seen->T_body_tag);
    const pov_tag_sighting sighting = {&seen->seen, &entry, true};
    if (!pov_tag_predict(p, pov_survey_camera_of(s, seen), s->T_table_camera[seen->view], &sighting))
        return false;
    if (s->tags[seen->tag].instant > 0)
        predict_by_body(p, pov_vec3_sub(entry.T_table_tag.T.t_m, T_table_body.t_m));
    for (int row = 0; row < POV_TAG_ROWS; row++)
        p->residual_px[row] /= std_px_of(s, seen);
    return true;
}

static void add_product(double out[36], const double a[6], const double b[6], double weight)
{
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++)
            out[i * 6 + j] += weight * a[i] * b[j];
}

/* A sighting's rows; `at` is its place among the view's unknowns, -1 if its tag is held. */
static void add_sighting(pov_tag_survey *s, pov_pose_block *block, const pov_tag_prediction *p,
                         const pov_survey_sighting *seen, int at)
{
    const double std_px = std_px_of(s, seen);
    const int tag = seen->tag;
    double weight;
    (void)pov_huber(&weight, pov_squares(p->residual_px, POV_TAG_ROWS), POV_TAG_HUBER_DISTANCE);
    for (int row = 0; row < POV_TAG_ROWS; row++) {
        const double scaled = weight / (std_px * std_px), pull = weight / std_px * p->residual_px[row];
        add_product(block->own, p->per_camera[row], p->per_camera[row], scaled);
        for (int i = 0; i < 6; i++)
            block->gradient[i] += pull * p->per_camera[row][i];
        if (at < 0)
            continue;
        add_product(&s->tag_equations[36 * tag], p->per_tag[row], p->per_tag[row], scaled);
        add_product(&block->cross[6 * at], p->per_tag[row], p->per_camera[row], scaled);
        for (int i = 0; i < 6; i++) {
            s->gradient[s->first_unknown[tag] + i] += pull * p->per_tag[row][i];
            s->pull[block->unknown - s->unknowns + at + i] += pull * p->per_tag[row][i];
        }
    }
}

static bool is_drawn(const pov_tag_survey *s, int tag)
{
    return s->tags[tag].is_known && s->first_unknown[tag] >= 0;
}

/* Information of where a tag is known to be, and how far it is from there. */
static void known_place(double information[36], double off[6], const pov_tag_survey *s, int tag)
{
    const pov_survey_tag *t = &s->tags[tag];
    double cov[36];
    memcpy(cov, t->known_T_table_tag.cov, sizeof cov);
    for (int i = 0; i < 6; i++)
        cov[i * 7] += KNOWN_STD_MIN * KNOWN_STD_MIN;
    (void)pov_symmetric_inverse(information, cov, 6);
    pov_transform_minus(off, t->known_T_table_tag.T, s->T_table_tag[tag]);
}

static void add_known(pov_tag_survey *s, int tag)
{
    double information[36], off[6];
    known_place(information, off, s, tag);
    for (int i = 0; i < 36; i++) {
        s->tag_equations[36 * tag + i] += information[i];
        s->gradient[s->first_unknown[tag] + i / 6] += information[i] * off[i % 6];
    }
}

static bool build(pov_tag_survey *s)
{
    pov_tag_prediction p;
    memset(s->gradient, 0, (size_t)s->unknown_len * sizeof *s->gradient);
    memset(s->tag_equations, 0, (size_t)s->report.tag_len * 36 * sizeof *s->tag_equations);
    for (int v = 0; v < s->report.view_len; v++) {
        pov_pose_block *block = &s->blocks[v];
        memset(block->own, 0, sizeof block->own);
        memset(block->gradient, 0, sizeof block->gradient);
        memset(block->cross, 0, (size_t)block->len * 6 * sizeof *block->cross);
        memset(&s->pull[block->unknown - s->unknowns], 0, (size_t)block->len * sizeof *s->pull);
        int at = 0;
        for (int i = 0; i < s->views[v].seen_len; i++) {
            const pov_survey_sighting *seen = &s->sightings[s->views[v].first_sighting + i];
            if (!seen->used)
                continue;
            if (!predict(&p, s, seen))
                return false;
            const bool is_free = s->first_unknown[seen->tag] >= 0;
            add_sighting(s, block, &p, seen, is_free ? at : -1);
            at += is_free ? 6 : 0;
        }
    }
    for (int t = 0; t < s->report.tag_len; t++)
        if (is_drawn(s, t))
            add_known(s, t);
    return true;
}

static double cost_of(const pov_tag_survey *s)
{
    pov_tag_prediction p;
    double cost = 0, weight, information[36], off[6];
    for (int i = 0; i < s->report.sighting_len; i++) {
        if (!s->sightings[i].used)
            continue;
        if (!predict(&p, s, &s->sightings[i]))
            return INFINITY;
        cost += pov_huber(&weight, pov_squares(p.residual_px, POV_TAG_ROWS), POV_TAG_HUBER_DISTANCE);
    }
    for (int t = 0; t < s->report.tag_len; t++) {
        if (!is_drawn(s, t))
            continue;
        known_place(information, off, s, t);
        for (int i = 0; i < 36; i++)
            cost += off[i / 6] * information[i] * off[i % 6];
    }
    return cost;
}

/* ---- the descent ---------------------------------------------------------------------------------------------------- */

/* Leaves in S the factor of the Schur complement, in `right` the tags' step. */
static bool solve_step(pov_tag_survey *s, double damping)
{
    const int n = s->unknown_len;
    memset(s->S, 0, (size_t)n * (size_t)n * sizeof *s->S);
    memcpy(s->right, s->gradient, (size_t)n * sizeof *s->right);
    for (int t = 0; t < s->report.tag_len; t++)
        for (int i = 0; i < 36 && s->first_unknown[t] >= 0; i++)
            s->S[(s->first_unknown[t] + i / 6) * n + s->first_unknown[t] + i % 6] =
                s->tag_equations[36 * t + i] * (i % 7 ? 1 : 1 + damping);
    for (int v = 0; v < s->report.view_len; v++)
        if (s->views[v].used_len > 0 && !pov_pose_block_eliminate(&s->blocks[v], s->S, s->right, n, damping))
            return false;
    if (n == 0)
        return true;
    if (!pov_cholesky(s->S, s->S, n))
        return false;
    pov_cholesky_solve(s->right, s->S, s->right, n);
    return true;
}

static void load(pov_tag_survey *s)
{
    for (int t = 0; t < s->report.tag_len; t++)
        s->T_table_tag[t] = s->tags[t].entry.T_table_tag.T;
    for (int v = 0; v < s->report.view_len; v++)
        s->T_table_camera[v] = s->views[v].T_table_camera.T;
}

static void store(pov_tag_survey *s)
{
    for (int t = 0; t < s->report.tag_len; t++)
        s->tags[t].entry.T_table_tag.T = s->T_table_tag[t];
    for (int v = 0; v < s->report.view_len; v++)
        s->views[v].T_table_camera.T = s->T_table_camera[v];
}

/* Moves what is being tried by the step in `right`. */
static void take_step(pov_tag_survey *s)
{
    for (int t = 0; t < s->report.tag_len; t++)
        if (s->first_unknown[t] >= 0)
            s->T_table_tag[t] = pov_transform_plus(s->T_table_tag[t], &s->right[s->first_unknown[t]]);
    for (int v = 0; v < s->report.view_len; v++) {
        double step[6];
        if (s->views[v].used_len == 0)
            continue;
        pov_pose_block_step(step, &s->blocks[v], s->right);
        s->T_table_camera[v] = pov_transform_plus(s->T_table_camera[v], step);
    }
}

/* ---- covariance ----------------------------------------------------------------------------------------------------- */

static void tag_covariance(pov_tag_survey *s, int tag)
{
    const int n = s->unknown_len, first = s->first_unknown[tag];
    double(*cov)[6] = s->tags[tag].entry.T_table_tag.cov;
    for (int column = 0; column < 6; column++) {
        memset(s->right, 0, (size_t)n * sizeof *s->right);
        s->right[first + column] = 1;
        pov_cholesky_solve(s->right, s->S, s->right, n);
        for (int row = 0; row < 6; row++)
            cov[row][column] = s->right[first + row];
    }
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < i; j++)
            cov[i][j] = cov[j][i] = (cov[i][j] + cov[j][i]) / 2;
}

/* By the image alone, and by what the tags' places are off by. */
static void camera_covariance(pov_tag_survey *s, int view)
{
    const pov_pose_block *block = &s->blocks[view];
    const int n = s->unknown_len;
    double(*cov)[6] = s->views[view].T_table_camera.cov;
    for (int column = 0; column < 6; column++) {
        double unit[6] = {0};
        unit[column] = 1;
        pov_cholesky_solve(unit, block->factor, unit, 6);
        memset(s->right, 0, (size_t)n * sizeof *s->right);
        for (int i = 0; i < block->len; i++)
            s->right[block->unknown[i]] += block->cross_solved[6 * i + column];
        if (n > 0)
            pov_cholesky_solve(s->right, s->S, s->right, n);
        for (int row = 0; row < 6; row++)
            for (int i = 0; i < block->len; i++)
                unit[row] += block->cross_solved[6 * i + row] * s->right[block->unknown[i]];
        for (int row = 0; row < 6; row++)
            cov[row][column] = unit[row];
    }
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < i; j++)
            cov[i][j] = cov[j][i] = (cov[i][j] + cov[j][i]) / 2;
}

static bool find_covariances(pov_tag_survey *s)
{
    if (!solve_step(s, 0))
        return false;
    for (int t = 0; t < s->report.tag_len; t++)
        if (s->first_unknown[t] >= 0)
            tag_covariance(s, t);
    for (int v = 0; v < s->report.view_len && s->config.camera_len > 0; v++)
        if (s->views[v].used_len > 0)
            camera_covariance(s, v);
    return true;
}

/* ---- setting up ----------------------------------------------------------------------------------------------------- */

static void number_unknowns(pov_tag_survey *s)
{
    s->unknown_len = 0;
    for (int t = 0; t < s->report.tag_len; t++)
        s->first_unknown[t] = -1;
    for (int i = 0; i < s->report.sighting_len; i++) {
        const pov_survey_sighting *seen = &s->sightings[i];
        if (!seen->used || pov_survey_is_held(s, seen->tag) || s->first_unknown[seen->tag] >= 0)
            continue;
        s->first_unknown[seen->tag] = s->unknown_len;
        s->unknown_len += 6;
    }
}

static void lay_out_blocks(pov_tag_survey *s)
{
    int at = 0;
    for (int v = 0; v < s->report.view_len; v++) {
        pov_pose_block *block = &s->blocks[v];
        *block = (pov_pose_block){.size = 6,
                                  .unknown = &s->unknowns[at],
                                  .cross = &s->cross[6 * at],
                                  .cross_solved = &s->cross_solved[6 * at]};
        for (int i = 0; i < s->views[v].seen_len; i++) {
            const pov_survey_sighting *seen = &s->sightings[s->views[v].first_sighting + i];
            for (int k = 0; k < 6 && seen->used && s->first_unknown[seen->tag] >= 0; k++) {
                s->unknowns[at++] = s->first_unknown[seen->tag] + k;
                block->len++;
            }
        }
    }
}

bool pov_survey_fit(pov_tag_survey *s)
{
    number_unknowns(s);
    lay_out_blocks(s);
    load(s);
    if (!build(s))
        return false;
    pov_descent d = pov_descent_from(cost_of(s), DAMPING_START, TRIAL_MAX);
    for (d.gain_min = GAIN_MIN; pov_descent_continues(&d);) {
        const bool has_step = solve_step(s, d.damping);
        if (has_step)
            take_step(s);
        if (!pov_descent_accepts(&d, has_step ? cost_of(s) : INFINITY)) {
            load(s);
            continue;
        }
        store(s);
        if (!build(s))
            return false;
    }
    return isfinite(d.cost) && find_covariances(s);
}

/* ---- what the scatter of images says ---- */

/* What the views' pulls sum to if all residuals are independent: each tag's six numbers, less what the fit follows its images. */
static double expected_pull(const pov_tag_survey *s)
{
    int seen[POV_TAG_MAP_MAX] = {0}, last[POV_TAG_MAP_MAX]; /* images; the last of them, from 1 */
    double sum = 0;
    memset(last, 0, sizeof last);
    for (int i = 0; i < s->report.sighting_len; i++) {
        const pov_survey_sighting *sighting = &s->sightings[i];
        if (!sighting->used || last[sighting->tag] == sighting->view + 1)
            continue;
        seen[sighting->tag]++;
        last[sighting->tag] = sighting->view + 1;
    }
    for (int t = 0; t < s->report.tag_len; t++)
        sum += s->first_unknown[t] >= 0 && seen[t] > 1 ? 6 * (1 - 1.0 / seen[t]) : 0;
    return sum;
}

void pov_survey_scatter(pov_tag_survey *s)
{
    double sum = 0;
    const double expected = expected_pull(s);
    for (int v = 0; v < s->report.view_len; v++)
        if (s->views[v].used_len > 0)
            sum += pov_pose_block_pull(&s->blocks[v], s->right, &s->pull[s->blocks[v].unknown - s->unknowns],
                                       s->S, s->unknown_len);
    s->widening = expected > 0 ? fmax(1, sum / expected) : 1;
    for (int t = 0; t < s->report.tag_len; t++)
        for (int i = 0; i < 36 && s->first_unknown[t] >= 0; i++)
            s->tags[t].entry.T_table_tag.cov[i / 6][i % 6] *= s->widening;
    for (int v = 0; v < s->report.view_len && s->config.camera_len > 0; v++)
        for (int i = 0; i < 36 && s->views[v].used_len > 0; i++)
            s->views[v].T_table_camera.cov[i / 6][i % 6] *= s->widening;
}

/* ---- the lens's share of the covariance ---- */

static void keep(pov_tag_survey *s)
{
    for (int t = 0; t < s->report.tag_len; t++)
        s->kept[t].T_table_tag = s->tags[t].entry.T_table_tag;
    for (int v = 0; v < s->report.view_len; v++)
        s->kept_camera[v].T_table_camera = s->views[v].T_table_camera;
}

static void put_back(pov_tag_survey *s)
{
    for (int t = 0; t < s->report.tag_len; t++)
        s->tags[t].entry.T_table_tag = s->kept[t].T_table_tag;
    for (int v = 0; v < s->report.view_len; v++)
        s->views[v].T_table_camera = s->kept_camera[v].T_table_camera;
}

/* Adds the squared displacement of the tags that this camera causes. */
static void add_square(double sum[6][6], pov_transform moved, pov_transform from)
{
    double off[6];
    pov_transform_minus(off, moved, from);
    for (int i = 0; i < 36; i++)
        sum[i / 6][i % 6] += off[i / 6] * off[i % 6];
}

static void add_departure(pov_tag_survey *s)
{
    for (int t = 0; t < s->report.tag_len; t++)
        add_square(s->kept[t].by_lens, s->tags[t].entry.T_table_tag.T, s->kept[t].T_table_tag.T);
    for (int v = 0; v < s->report.view_len; v++)
        add_square(s->kept_camera[v].by_lens, s->views[v].T_table_camera.T,
                   s->kept_camera[v].T_table_camera.T);
}

/* Each camera that may be the true one in its place, the others as they are calibrated. Returns how many there were. */
static int depart(pov_tag_survey *s, int camera)
{
    const pov_camera calibrated = s->config.cameras[camera];
    pov_lens_spread spread;
    pov_lens_spread_make(&spread, &calibrated, &s->config.lenses[camera]);
    for (int k = 0; k < spread.len; k++) {
        s->config.cameras[camera] = spread.cameras[k];
        if (pov_survey_fit(s))
            add_departure(s);
        put_back(s);
    }
    s->config.cameras[camera] = calibrated;
    return spread.len;
}

void pov_survey_widen(pov_tag_survey *s)
{
    int len = 0;
    memset(s->kept, 0, sizeof s->kept);
    memset(s->kept_camera, 0, (size_t)s->report.view_len * sizeof *s->kept_camera);
    keep(s);
    for (int camera = 0; camera < s->config.camera_len || camera == 0; camera++)
        len += depart(s, camera);
    for (int t = 0; t < s->report.tag_len; t++)
        for (int i = 0; i < 36 && len > 0; i++)
            s->tags[t].entry.T_table_tag.cov[i / 6][i % 6] += s->kept[t].by_lens[i / 6][i % 6];
    for (int v = 0; v < s->report.view_len && s->config.camera_len > 0; v++)
        for (int i = 0; i < 36 && s->views[v].used_len > 0; i++)
            s->views[v].T_table_camera.cov[i / 6][i % 6] += s->kept_camera[v].by_lens[i / 6][i % 6];
}
