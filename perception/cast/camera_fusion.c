#include "perception/cast/camera_fusion.h"

#include "perception/geometry/linalg.h"

#include <math.h>
#include <string.h>

/* Claimed covariances are of models: lenses, outlines and prints err by a little more. Contradictions are counted from this factor of the
 * deviations on; chosen: half as much again covers the errors of drawn tables (test_scene_fusion); not measured over hours of images. */
static const double margin = 1.5;
static const double certainty = 4.75; /* standard deviations: one in a million */
static const double apart_min_m =
    0.005; /* root mean square: what differs by less contradicts nobody; chosen */

/* -------- what is seen -------- */

void pov_camera_fusion_begin(pov_camera_fusion *fusion, int cameras)
{
    fusion->cameras = cameras;
    fusion->thing_len = 0;
    memset(fusion->prior, 0, sizeof fusion->prior);
}

void pov_camera_fusion_camera(pov_camera_fusion *fusion, int camera, const pov_pose *T_table_camera)
{
    fusion->pose[camera] = *T_table_camera;
    memcpy(fusion->prior[camera], T_table_camera->cov, sizeof fusion->prior[camera]);
}

/* Through a lens that is longer than its calibration, lines of sight seem farther from the axis, and things nearer by their size. */
static void take_zoom(double by_zoom[6], const pov_transform *T_table_camera, pov_vec3 at_m)
{
    const pov_vec3 to = pov_vec3_sub(at_m, T_table_camera->t_m), ray = pov_vec3_unit(to),
                   axis = pov_rot_apply(T_table_camera->R, (pov_vec3){0, 0, 1}),
                   turn = pov_vec3_scale(pov_vec3_cross(axis, ray), pov_vec3_dot(axis, ray));
    memcpy(by_zoom, (double[6]){turn.x, turn.y, turn.z, -to.x, -to.y, -to.z}, 6 * sizeof *by_zoom);
}

pov_camera_thing *pov_camera_fusion_add(pov_camera_fusion *fusion, int member, int number)
{
    if (fusion->thing_len == POV_CAMERA_THING_MAX)
        return NULL;
    pov_camera_thing *thing = &fusion->things[fusion->thing_len++];
    thing->member = member;
    thing->number = number;
    thing->len = 0;
    thing->is_at_rest = true;
    return thing;
}

void pov_camera_fusion_see(const pov_camera_fusion *fusion, pov_camera_thing *thing, int camera,
                           const pov_entity *entity)
{
    pov_camera_sight *sight = &thing->sights[thing->len++];
    *sight = (pov_camera_sight){.camera = camera,
                                .at_m = entity->position.mean_m,
                                .heading = entity->heading,
                                .ties = entity->heading_ties};
    memcpy(sight->own_m2, entity->position.own_cov_m2, sizeof sight->own_m2);
    memcpy(sight->per_camera_pose, entity->position.per_camera_pose, sizeof sight->per_camera_pose);
    take_zoom(sight->by_zoom, &fusion->pose[camera].T, sight->at_m);
    thing->is_at_rest &= entity->track.tracked && entity->track.motion == POV_AT_REST;
    if (!entity->has_velocity)
        return;
    sight->velocity_m_s = entity->velocity_m_s;
    memcpy(sight->velocity_cov, entity->velocity_cov_m2_s2, sizeof sight->velocity_cov);
}

const pov_camera_sight *pov_camera_fusion_sight(const pov_camera_thing *thing, int camera)
{
    for (int i = 0; i < thing->len; i++)
        if (thing->sights[i].camera == camera)
            return &thing->sights[i];
    return NULL;
}

/* -------- 3 x 3 -------- */

static void unpack(double to[3], pov_vec3 v)
{
    to[0] = v.x;
    to[1] = v.y;
    to[2] = v.z;
}

static pov_vec3 packed(const double from[3])
{
    return (pov_vec3){from[0], from[1], from[2]};
}

static bool solve3(double x[3], double S[9], const double r[3])
{
    double L[9];
    for (int i = 0; i < 3; i++)
        S[4 * i] += 1e-12; /* m2: a micrometre */
    if (!pov_cholesky(L, S, 3))
        return false;
    pov_cholesky_solve(x, L, r, 3);
    return true;
}

static double nis3(double S[9], const double r[3])
{
    double x[3];
    return solve3(x, S, r) ? r[0] * x[0] + r[1] * x[1] + r[2] * x[2] : 0;
}

/* -------- the estimate -------- */

typedef struct {
    double r[3], H[3][POV_CAMERA_ERRORS_MAX], R[9];
} difference;

/* A sighting against what the ones before say. */
static void take_difference(difference *d, const pov_camera_thing *thing, const pov_camera_sight *sight,
                            int n)
{
    double seen[3], place[3];
    unpack(seen, sight->at_m);
    unpack(place, thing->at_m);
    for (int i = 0; i < 3; i++) {
        d->r[i] = seen[i] - place[i];
        for (int j = 0; j < n; j++)
            d->H[i][j] = -thing->per_error[i][j];
        for (int j = 0; j < 6; j++)
            d->H[i][6 * sight->camera + j] += sight->per_camera_pose[i][j];
        for (int j = 0; j < 3; j++)
            d->R[3 * i + j] = thing->own_m2[i][j] + sight->own_m2[i][j];
    }
}

/* A Kalman update of the cameras' errors. */
static void learn_errors(pov_camera_fusion *fusion, const difference *d)
{
    const int n = 6 * fusion->cameras;
    double PH[POV_CAMERA_ERRORS_MAX][3], S[9], r[3], x[3], inverse[9];
    for (int a = 0; a < n; a++)
        for (int i = 0; i < 3; i++) {
            PH[a][i] = 0;
            for (int b = 0; b < n; b++)
                PH[a][i] += fusion->cov[a * n + b] * d->H[i][b];
        }
    for (int i = 0; i < 3; i++) {
        r[i] = d->r[i];
        for (int a = 0; a < n; a++)
            r[i] -= d->H[i][a] * fusion->error[a];
        for (int j = 0; j < 3; j++) {
            S[3 * i + j] = d->R[3 * i + j];
            for (int a = 0; a < n; a++)
                S[3 * i + j] += d->H[i][a] * PH[a][j];
        }
    }
    if (!solve3(x, S, r) || !pov_symmetric_inverse(inverse, S, 3))
        return;
    fusion->nis += r[0] * x[0] + r[1] * x[1] + r[2] * x[2];
    fusion->nis_len += 3;
    fusion->apart2_m2 += d->r[0] * d->r[0] + d->r[1] * d->r[1] + d->r[2] * d->r[2];
    for (int a = 0; a < n; a++) {
        double gain[3] = {0};
        for (int i = 0; i < 3; i++) {
            fusion->error[a] += PH[a][i] * x[i];
            for (int j = 0; j < 3; j++)
                gain[i] += PH[a][j] * inverse[3 * j + i];
        }
        for (int b = 0; b < n; b++)
            fusion->cov[a * n + b] -= gain[0] * PH[b][0] + gain[1] * PH[b][1] + gain[2] * PH[b][2];
    }
}

/* The weighted mean of the place so far and one more sighting, given the cameras' errors. */
static void join_sight(pov_camera_thing *thing, const difference *d, const pov_camera_sight *sight, int n)
{
    double inverse[9], G[3][3], left[3][3], place[3];
    if (!pov_symmetric_inverse(inverse, d->R, 3))
        return; /* both are exact */
    unpack(place, thing->at_m);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            G[i][j] = 0;
            for (int k = 0; k < 3; k++)
                G[i][j] += thing->own_m2[i][k] * inverse[3 * k + j];
            left[i][j] = (i == j) - G[i][j];
        }
    double own[3][3] = {{0}};
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++)
            place[i] += G[i][k] * d->r[k];
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 3; k++)
                own[i][j] += left[i][k] * thing->own_m2[k][j];
    }
    thing->at_m = packed(place);
    const double least_z = fmin(thing->own_m2[2][2], sight->own_m2[2][2]);
    for (int j = 0; j < n; j++) {
        double column[3];
        for (int i = 0; i < 3; i++) {
            column[i] = 0;
            for (int k = 0; k < 3; k++)
                column[i] += left[i][k] * thing->per_error[k][j];
            if (j / 6 == sight->camera)
                for (int k = 0; k < 3; k++)
                    column[i] += G[i][k] * sight->per_camera_pose[k][j % 6];
        }
        for (int i = 0; i < 3; i++)
            thing->per_error[i][j] = column[i];
    }
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            thing->own_m2[i][j] = (own[i][j] + own[j][i]) / 2;
    /* A height that was known beforehand is the same error in all views. */
    const double widen = thing->own_m2[2][2] > 0 ? sqrt(fmax(1, least_z / thing->own_m2[2][2])) : 1;
    for (int i = 0; i < 3; i++) {
        thing->own_m2[2][i] *= widen;
        thing->own_m2[i][2] *= widen;
    }
}

static void begin_place(pov_camera_thing *thing, int n)
{
    const pov_camera_sight *first = &thing->sights[0];
    thing->at_m = first->at_m;
    memcpy(thing->own_m2, first->own_m2, sizeof thing->own_m2);
    for (int i = 0; i < 3; i++) {
        memset(thing->per_error[i], 0, (size_t)n * sizeof thing->per_error[i][0]);
        memcpy(&thing->per_error[i][6 * first->camera], first->per_camera_pose[i], 6 * sizeof(double));
    }
}

static void begin_errors(pov_camera_fusion *fusion)
{
    const int n = 6 * fusion->cameras;
    memset(fusion->error, 0, sizeof fusion->error);
    memset(fusion->cov, 0, (size_t)(n * n) * sizeof fusion->cov[0]);
    for (int c = 0; c < fusion->cameras; c++)
        for (int i = 0; i < 6; i++)
            for (int j = 0; j < 6; j++)
                fusion->cov[(6 * c + i) * n + 6 * c + j] = fusion->prior[c][i][j];
    fusion->nis = 0;
    fusion->nis_len = 0;
    fusion->apart2_m2 = 0;
}

void pov_camera_fusion_solve(pov_camera_fusion *fusion)
{
    const int n = 6 * fusion->cameras;
    difference d;
    begin_errors(fusion);
    for (int t = 0; t < fusion->thing_len; t++) {
        pov_camera_thing *thing = &fusion->things[t];
        begin_place(thing, n);
        for (int i = 1; i < thing->len; i++) {
            take_difference(&d, thing, &thing->sights[i], n);
            learn_errors(fusion, &d);
            join_sight(thing, &d, &thing->sights[i], n);
        }
    }
}

/* The point of chi-square: Wilson & Hilferty 1931. */
static double chi_square_of(int len, double deviations)
{
    const double v = 2.0 / (9 * len);
    return len > 0 ? len * pow(1 - v + deviations * sqrt(v), 3) : INFINITY;
}

static double gate_of(int len)
{
    return chi_square_of(len, certainty);
}

/* -------- what follows -------- */

/* A S for A of three rows. */
static void times_cov(double out[3][POV_CAMERA_ERRORS_MAX], const pov_camera_fusion *fusion,
                      const pov_camera_thing *thing)
{
    const int n = 6 * fusion->cameras;
    for (int i = 0; i < 3; i++)
        for (int b = 0; b < n; b++) {
            out[i][b] = 0;
            for (int a = 0; a < n; a++)
                out[i][b] += thing->per_error[i][a] * fusion->cov[a * n + b];
        }
}

void pov_camera_fusion_place(const pov_camera_fusion *fusion, const pov_camera_thing *thing, pov_vec3 *at_m,
                             double cov_m2[3][3])
{
    const int n = 6 * fusion->cameras;
    double AS[3][POV_CAMERA_ERRORS_MAX], place[3];
    times_cov(AS, fusion, thing);
    unpack(place, thing->at_m);
    for (int i = 0; i < 3; i++) {
        for (int a = 0; a < n; a++)
            place[i] -= thing->per_error[i][a] * fusion->error[a];
        for (int j = 0; j < 3; j++) {
            cov_m2[i][j] = thing->own_m2[i][j];
            for (int a = 0; a < n; a++)
                cov_m2[i][j] += AS[i][a] * thing->per_error[j][a];
        }
    }
    *at_m = packed(place);
}

/* The pseudo-inverse of a 6 x 6 covariance: a pose that is known exactly in some direction ties nothing to it. */
static int invert_semidefinite(double inverse[36], double S[36], double least_share)
{
    double values[6], vectors[36], largest = 0;
    int rank = 0;
    pov_symmetric_eigen(values, vectors, S, 6);
    for (int k = 0; k < 6; k++)
        largest = fmax(largest, values[k]);
    memset(inverse, 0, 36 * sizeof *inverse);
    for (int k = 0; k < 6; k++) {
        if (!(values[k] > least_share * largest))
            continue;
        rank++;
        for (int i = 0; i < 6; i++)
            for (int j = 0; j < 6; j++)
                inverse[6 * i + j] += vectors[6 * i + k] * vectors[6 * j + k] / values[k];
    }
    return rank;
}

/* The error's covariance of a camera: before anything was learnt of it, less what is left. */
static void take_block(double S[36], const pov_camera_fusion *fusion, int camera, bool is_gain)
{
    const int n = 6 * fusion->cameras;
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++) {
            const double left = fusion->cov[(6 * camera + i) * n + 6 * camera + j];
            S[6 * i + j] = is_gain ? fusion->prior[camera][i][j] - left : left;
        }
}

/* What was learnt of a camera's pose against what was known of it: the correction has the covariance that was gained. */
static double size_correction(int *rank, const pov_camera_fusion *fusion, int camera)
{
    double gained[36], inverse[36], size2 = 0;
    const double *error = &fusion->error[6 * camera];
    take_block(gained, fusion, camera, true);
    *rank = invert_semidefinite(inverse, gained, 1e-6);
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++)
            size2 += error[i] * inverse[6 * i + j] * error[j];
    return size2;
}

static bool fits_pose(const pov_camera_fusion *fusion, int camera)
{
    int rank;
    const double size2 = size_correction(&rank, fusion, camera);
    return size2 < gate_of(rank);
}

/* What contradicts by more than is stated of it is less sure than stated (Birge 1932): by its mean square, where that is beyond the point of
 * 95 %. */
static double find_widening(double square, int len)
{
    return len > 0 && square > chi_square_of(len, 1.645) ? square / len : 1;
}

void pov_camera_fusion_widen(pov_camera_fusion *fusion)
{
    const double of_all = find_widening(fusion->nis, fusion->nis_len);
    for (int t = 0; t < fusion->thing_len; t++)
        for (int i = 0; i < fusion->things[t].len; i++)
            for (int k = 0; k < 9; k++)
                fusion->things[t].sights[i].own_m2[k / 3][k % 3] *= of_all;
    for (int c = 0; c < fusion->cameras; c++) {
        int rank;
        const double size2 = size_correction(&rank, fusion, c), by = fmax(of_all, find_widening(size2, rank));
        for (int k = 0; k < 36; k++)
            fusion->prior[c][k / 6][k % 6] *= by;
    }
}

bool pov_camera_fusion_fits(const pov_camera_fusion *fusion)
{
    bool fits = fusion->nis < margin * margin * gate_of(fusion->nis_len);
    for (int c = 0; c < fusion->cameras; c++)
        fits = fits && fits_pose(fusion, c);
    return fits || fusion->nis_len == 0 ||
           fusion->apart2_m2 < apart_min_m * apart_min_m * fusion->nis_len / 3;
}

/* Splits a place's covariance into the part that it shares with one camera's pose error, and the rest. */
static void tie_place(const pov_camera_fusion *fusion, const pov_camera_thing *thing, pov_position *position,
                      int camera)
{
    double AS[3][POV_CAMERA_ERRORS_MAX], left[36], inverse[36];
    pov_camera_fusion_place(fusion, thing, &position->mean_m, position->own_cov_m2);
    memset(position->per_camera_pose, 0, sizeof position->per_camera_pose);
    if (camera < 0)
        return;
    times_cov(AS, fusion, thing);
    take_block(left, fusion, camera, false);
    (void)invert_semidefinite(inverse, left, 1e-9);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 6; j++)
            for (int k = 0; k < 6; k++)
                position->per_camera_pose[i][j] += AS[i][6 * camera + k] * inverse[6 * k + j];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 6; k++)
                position->own_cov_m2[i][j] -= AS[i][6 * camera + k] * position->per_camera_pose[j][k];
}

/* -------- fronts -------- */

/* log I0: Abramowitz & Stegun 1964, 9.8.1 and 9.8.2. */
static double log_bessel(double x)
{
    if (x < 3.75) {
        const double t = x * x / 14.0625;
        return log(
            1 + t * (3.5156229 +
                     t * (3.0899424 + t * (1.2067492 + t * (0.2659732 + t * (0.0360768 + t * 0.0045813))))));
    }
    const double t = 3.75 / x;
    return x - 0.5 * log(x) +
           log(0.39894228 +
               t * (0.01328592 +
                    t * (0.00225319 +
                         t * (-0.00157565 +
                              t * (0.00916281 +
                                   t * (-0.02057706 +
                                        t * (0.02635537 + t * (-0.01647633 + t * 0.00392377))))))));
}

typedef struct {
    int len;
    pov_heading_mode mode[POV_HEADING_MODES_MAX * POV_HEADING_MODES_MAX];
} mode_list;

/* The heaviest modes, their weights made 1 in all. */
static pov_heading keep_heaviest(mode_list *list)
{
    pov_heading heading = {0};
    double sum = 0;
    while (heading.len < POV_HEADING_MODES_MAX) {
        int best = -1;
        for (int i = 0; i < list->len; i++)
            if (list->mode[i].weight > 1e-4 && (best < 0 || list->mode[i].weight > list->mode[best].weight))
                best = i;
        if (best < 0)
            break;
        heading.mode[heading.len++] = list->mode[best];
        sum += list->mode[best].weight;
        list->mode[best].weight = 0;
    }
    for (int i = 0; i < heading.len; i++)
        heading.mode[i].weight /= sum;
    return heading;
}

/* The product of two mixtures of von Mises, from independent looks. Fronts that contradict one another may be either. */
static pov_heading join_headings(const pov_heading *a, const pov_heading *b)
{
    static const double contradiction =
        -8; /* log of the density of both together, over that of chance; chosen */
    mode_list product = {0}, either = {0};
    double log_weight[POV_HEADING_MODES_MAX * POV_HEADING_MODES_MAX], largest = -INFINITY;
    for (int i = 0; i < a->len; i++)
        for (int j = 0; j < b->len; j++) {
            const pov_heading_mode *m = &a->mode[i], *o = &b->mode[j];
            const double x = m->kappa * cos(m->yaw_rad) + o->kappa * cos(o->yaw_rad),
                         y = m->kappa * sin(m->yaw_rad) + o->kappa * sin(o->yaw_rad), kappa = hypot(x, y);
            log_weight[product.len] = log(fmax(m->weight * o->weight, 1e-300)) + log_bessel(kappa) -
                                      log_bessel(m->kappa) - log_bessel(o->kappa);
            largest = fmax(largest, log_weight[product.len]);
            product.mode[product.len++] =
                (pov_heading_mode){.yaw_rad = kappa > 0 ? atan2(y, x) : 0, .kappa = kappa};
        }
    for (int i = 0; i < product.len; i++)
        product.mode[i].weight = exp(log_weight[i] - largest);
    if (largest > contradiction)
        return keep_heaviest(&product);
    for (int i = 0; i < a->len + b->len; i++) {
        either.mode[either.len] = i < a->len ? a->mode[i] : b->mode[i - a->len];
        either.mode[either.len++].weight /= 2;
    }
    return keep_heaviest(&either);
}

static void apply_heading(const pov_camera_thing *thing, pov_entity *entity, int camera)
{
    pov_heading joint = {0};
    double kappa = 0, own_kappa = 0;
    int looks = 0;
    for (int i = 0; i < thing->len; i++) {
        const pov_camera_sight *sight = &thing->sights[i];
        if (sight->heading.len == 0)
            continue;
        joint = looks++ ? join_headings(&joint, &sight->heading) : sight->heading;
        kappa += pov_heading_heaviest(&sight->heading)->kappa;
        if (sight->camera == camera)
            own_kappa = pov_heading_heaviest(&sight->heading)->kappa;
    }
    const pov_camera_sight *own = pov_camera_fusion_sight(thing, camera);
    entity->heading_ties = own ? own->ties : (pov_heading_ties){{0}, {0}};
    if (looks == 0)
        return;
    for (int i = 0; i < 6; i++)
        entity->heading_ties.per_camera_pose[i] *= kappa > 0 ? own_kappa / kappa : 0;
    if (looks > 1)
        memset(entity->heading_ties.with_position_m, 0, sizeof entity->heading_ties.with_position_m);
    entity->heading = joint;
    const pov_rot R = entity->R_table_box;
    const double off_rad = pov_heading_heaviest(&joint)->yaw_rad - atan2(R.m[1][0], R.m[0][0]);
    if (hypot(R.m[0][0], R.m[1][0]) > 1e-6)
        entity->R_table_box = pov_rot_mul(pov_rot_yaw(off_rad), R);
}

void pov_camera_fusion_apply(const pov_camera_fusion *fusion, const pov_camera_thing *thing,
                             pov_entity *entity, int camera)
{
    tie_place(fusion, thing, &entity->position, camera);
    apply_heading(thing, entity, camera);
}

void pov_camera_fusion_correct(const pov_camera_fusion *fusion, pov_pose *T_table_camera, int camera)
{
    const int n = 6 * fusion->cameras;
    double off[6];
    for (int i = 0; i < 6; i++)
        off[i] = -fusion->error[6 * camera + i];
    T_table_camera->T = pov_transform_plus(T_table_camera->T, off);
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++)
            T_table_camera->cov[i][j] = fusion->cov[(6 * camera + i) * n + 6 * camera + j];
}

/* -------- swapped cables -------- */

/* A sight as if its image were taken from another pose: on its line of sight, at the height or the distance that it has. */
static void take_from(pov_camera_sight *sight, const pov_transform *was, const pov_transform *is)
{
    const pov_rot turn = pov_rot_mul(is->R, pov_rot_transpose(was->R));
    const pov_vec3 ray = pov_rot_apply(turn, pov_vec3_sub(sight->at_m, was->t_m));
    const bool has_height = fabs(sight->per_camera_pose[2][5]) < 0.5;
    const double scale = has_height && ray.z != 0 ? (sight->at_m.z - is->t_m.z) / ray.z : 1;
    double turned[9], both[36] = {0}, cov[9], J[18];
    sight->at_m = pov_vec3_add(is->t_m, pov_vec3_scale(ray, scale > 0 ? scale : 1));
    for (int i = 0; i < 9; i++)
        turned[i] = turn.m[i / 3][i % 3];
    pov_sandwich(cov, turned, &sight->own_m2[0][0], 3, 3);
    memcpy(sight->own_m2, cov, sizeof cov);
    for (int i = 0; i < 36; i++)
        both[i] = i / 18 == i % 6 / 3 ? turn.m[i / 6 % 3][i % 3] : 0;
    for (int i = 0; i < 18; i++) {
        J[i] = 0;
        for (int k = 0; k < 3; k++)
            for (int l = 0; l < 6; l++)
                J[i] += turn.m[i / 6][k] * sight->per_camera_pose[k][l] * both[6 * (i % 6) + l];
    }
    memcpy(sight->per_camera_pose, J, sizeof J);
}

void pov_camera_fusion_swap(pov_camera_fusion *fusion, int a, int b)
{
    for (int t = 0; t < fusion->thing_len; t++)
        for (int i = 0; i < fusion->things[t].len; i++) {
            pov_camera_sight *sight = &fusion->things[t].sights[i];
            const int was = sight->camera, is = was == a ? b : was == b ? a : was;
            if (is == was)
                continue;
            take_from(sight, &fusion->pose[was].T, &fusion->pose[is].T);
            sight->camera = is;
        }
}

/* -------- explanations -------- */

/* A thing that a camera and others see: where both have it. */
typedef struct {
    const pov_camera_sight *sight;
    pov_vec3 at_m; /* of the others */
    double S[9];   /* covariance of the difference, without the camera's own pose error */
} compared;

/* The others' mean, and its covariance with their poses' errors in it. */
static bool compare_thing(compared *c, const pov_camera_fusion *fusion, const pov_camera_thing *thing,
                          int camera)
{
    double information[9] = {0}, weighted[3] = {0}, cov[9], inverse[9];
    int others = 0;
    c->sight = pov_camera_fusion_sight(thing, camera);
    for (int i = 0; c->sight && i < thing->len; i++) {
        const pov_camera_sight *other = &thing->sights[i];
        if (other->camera == camera)
            continue;
        pov_sandwich(cov, &other->per_camera_pose[0][0], &fusion->prior[other->camera][0][0], 3, 6);
        for (int k = 0; k < 9; k++)
            cov[k] += other->own_m2[k / 3][k % 3] + (k % 4 == 0 ? 1e-12 : 0);
        if (!pov_symmetric_inverse(inverse, cov, 3))
            continue;
        double theirs[3];
        unpack(theirs, other->at_m);
        others++;
        for (int a = 0; a < 3; a++)
            for (int b = 0; b < 3; b++) {
                information[3 * a + b] += inverse[3 * a + b];
                weighted[a] += inverse[3 * a + b] * theirs[b];
            }
    }
    if (others == 0 || !pov_symmetric_inverse(cov, information, 3))
        return false;
    double at[3];
    for (int a = 0; a < 3; a++) {
        at[a] = 0;
        for (int b = 0; b < 3; b++) {
            at[a] += cov[3 * a + b] * weighted[b];
            c->S[3 * a + b] = cov[3 * a + b] + c->sight->own_m2[a][b];
        }
    }
    c->at_m = packed(at);
    return true;
}

static void take_offset(double r[3], const compared *c)
{
    unpack(r, pov_vec3_sub(c->sight->at_m, c->at_m));
}

/* d(place) / d(pose), about the pose as it was moved so far; of a rigid body where that is what it is. */
static void move_place(double r[3], double J[3][6], const compared *c, pov_rot R, const double shift[3])
{
    const double(*own)[6] = c->sight->per_camera_pose;
    const bool is_rigid = own[0][3] == 1 && own[1][4] == 1 && own[2][5] == 1;
    const pov_vec3 arm = {own[1][2], own[2][0], own[0][1]};
    take_offset(r, c);
    memcpy(J, own, 3 * sizeof *J);
    if (is_rigid) {
        const pov_vec3 p = pov_rot_apply(R, arm);
        const double turned[3][6] = {
            {0, p.z, -p.y, 1, 0, 0}, {-p.z, 0, p.x, 0, 1, 0}, {p.y, -p.x, 0, 0, 0, 1}};
        const double off[3] = {p.x - arm.x + shift[0], p.y - arm.y + shift[1], p.z - arm.z + shift[2]};
        memcpy(J, turned, sizeof turned);
        for (int i = 0; i < 3; i++)
            r[i] += off[i];
        return;
    }
    const pov_transform T = {R, {shift[0], shift[1], shift[2]}};
    double d[6];
    pov_transform_minus(d, T, pov_transform_identity());
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 6; j++)
            r[i] += own[i][j] * d[j];
}

/* The camera's move that brings its sightings to where the others have them, by Gauss and Newton; returns what is left. */
static double fit_move(double move[6], const compared *list, int len)
{
    static const double loose[6] = {
        0.3, 0.3, 0.3,
        0.1, 0.1, 0.1}; /* rad, m: how far cameras are bumped; for what few things leave open; chosen */
    enum { ROUNDS = 8 };
    pov_transform T = pov_transform_identity();
    double left = 0;
    for (int round = 0; round <= ROUNDS; round++) {
        double N[36] = {0}, g[6] = {0}, L[36], step[6], zero[6];
        const double shift[3] = {T.t_m.x, T.t_m.y, T.t_m.z};
        pov_transform_minus(zero, T, pov_transform_identity());
        left = 0;
        for (int t = 0; t < len; t++) {
            double r[3], J[3][6], S[9], inverse[9];
            move_place(r, J, &list[t], T.R, shift);
            memcpy(S, list[t].S, sizeof S);
            left += nis3(S, r);
            if (!pov_symmetric_inverse(inverse, S, 3))
                continue;
            for (int a = 0; a < 6; a++)
                for (int i = 0; i < 3; i++)
                    for (int k = 0; k < 3; k++) {
                        g[a] -= J[i][a] * inverse[3 * i + k] * r[k];
                        for (int b = 0; b < 6; b++)
                            N[6 * a + b] += J[i][a] * inverse[3 * i + k] * J[k][b];
                    }
        }
        for (int a = 0; a < 6; a++) {
            N[7 * a] += 1 / (loose[a] * loose[a]);
            g[a] -= zero[a] / (loose[a] * loose[a]);
        }
        if (round == ROUNDS || !pov_cholesky(L, N, 6))
            break;
        pov_cholesky_solve(step, L, g, 6);
        T = pov_transform_plus(T, step);
    }
    pov_transform_minus(move, T, pov_transform_identity());
    return left;
}

/* The numbers that tell of a camera's pose: a height that is known beforehand does not. */
static int count_told(const compared *list, int len)
{
    int told = 0;
    for (int t = 0; t < len; t++)
        for (int i = 0; i < 3; i++)
            told += fabs(list[t].sight->per_camera_pose[i][3 + i]) > 0.5;
    return told;
}

void pov_camera_fusion_explain(pov_camera_fusion *fusion, pov_fusion_report *report, int camera)
{
    enum { spare_min = 2 }; /* numbers beyond the six of a move: fewer fit any move; chosen */
    compared list[POV_CAMERA_THING_MAX];
    int len = 0;
    double apart2 = 0;
    for (int t = 0; t < fusion->thing_len; t++)
        if (compare_thing(&list[len], fusion, &fusion->things[t], camera)) {
            apart2 += pow(pov_vec3_norm(pov_vec3_sub(list[len].sight->at_m, list[len].at_m)), 2);
            len++;
        }
    *report = (pov_fusion_report){
        .verdict = POV_FUSION_UNLIKE, .things = len, .other = camera, .moved_m = NAN, .turned_rad = NAN};
    if (len == 0)
        return;
    report->apart_m = sqrt(apart2 / len);
    double move[6];
    const double moved = fit_move(move, list, len);
    if (count_told(list, len) < 6 + spare_min || moved > margin * margin * gate_of(3 * len))
        return;
    report->verdict = POV_FUSION_MOVED;
    memcpy(report->move, move, sizeof report->move);
    report->turned_rad = sqrt(move[0] * move[0] + move[1] * move[1] + move[2] * move[2]);
    report->moved_m = sqrt(move[3] * move[3] + move[4] * move[4] + move[5] * move[5]);
}
