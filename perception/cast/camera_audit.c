#include "perception/cast/camera_audit.h"

#include "perception/geometry/linalg.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DELAY = 6, ZOOM, EACH, ALL_MAX = EACH * POV_CAMERA_MAX };

/* An edge's or a size's error stays while the thing does: a thing at rest counts as one look in the whole window, one that moves as a
 * new look in each quarter of a second. Both times are chosen: what is to be told within seconds must not be older. */
static const double window_s = 2, look_s = 0.25, step_max_s = 0.2;
/* Camera and kind are named by -2 log-likelihood, over the next explanation's: 1 : 22,000 and 1 : 400. The errors of given poses are
 * drawn once, so that a move is told beyond one in 10,000; noise is drawn again and again: one in a million, of half as much again. */
static const double camera_by = 20, kind_by = 12;
static const double once = 3.72, always = 4.75, margin = 1.5; /* standard deviations; as camera_fusion.c */
static const double linear_share =
    0.03;                              /* of the contradiction: what a linear model of it may leave; chosen */
static const double held_back_s = 0.1; /* by a camera's driver; chosen */
static const double least_m = 0.005, least_rad = 0.3 * POV_DEG, least_s = 0.02,
                    least_zoom = 0.01; /* less is not told; chosen */
static const double most_m = 0.3, most_rad = 0.5, most_s = 1,
                    most_zoom = 0.5; /* more is not linear, or not this fault; chosen */

struct pov_camera_audit {
    bool has_time;
    int64_t now_ns;
    /* x' N x - 2 g x + c: the weighted squares of what is left, by the cameras' unknowns; rows of ALL_MAX */
    double N[ALL_MAX * ALL_MAX], g[ALL_MAX], c, numbers;
};

pov_camera_audit *pov_camera_audit_new(void)
{
    return pov_allocate(1, sizeof(pov_camera_audit));
}

void pov_camera_audit_destroy(pov_camera_audit **audit)
{
    free(*audit);
    *audit = NULL;
}

void pov_camera_audit_forget(pov_camera_audit *audit)
{
    memset(audit, 0, sizeof *audit);
}

/* -------- what is seen -------- */

/* The share of a look's information that the time since the image before adds. Old looks fade. */
static double pass_time(pov_camera_audit *a, int cameras, int64_t now_ns)
{
    const int n = EACH * cameras;
    const double elapsed_s = a->has_time ? 1e-9 * (double)(now_ns - a->now_ns) : 0;
    const double fade = elapsed_s > 0 ? exp(-elapsed_s / window_s) : 1;
    a->has_time = true;
    a->now_ns = now_ns;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++)
            a->N[i * ALL_MAX + j] *= fade;
        a->g[i] *= fade;
    }
    a->c *= fade;
    a->numbers *= fade;
    return fmin(fmax(elapsed_s, 0), step_max_s);
}

/* d(place) / d(pose, delay, zoom). A zoom turns the line of sight away from the axis, and brings what is ranged by its size nearer. */
static void take_row(double H[3][EACH], const pov_camera_sight *sight)
{
    const double v[3] = {sight->velocity_m_s.x, sight->velocity_m_s.y, sight->velocity_m_s.z};
    for (int i = 0; i < 3; i++) {
        memcpy(H[i], sight->per_camera_pose[i], 6 * sizeof(double));
        H[i][DELAY] = v[i];
        H[i][ZOOM] = 0;
        for (int j = 0; j < 6; j++)
            H[i][ZOOM] += sight->per_camera_pose[i][j] * sight->by_zoom[j];
    }
}

typedef struct {
    double W[9], r[3], H[3][EACH]; /* information, sighting, derivative */
} look;

/* Out: r: from the weighted mean. Returns: false where all is exact. */
static bool weigh_looks(double mean_cov[9], look *looks, const pov_camera_thing *thing)
{
    double all[9] = {0}, weighted[3] = {0}, mean[3];
    const pov_vec3 origin = thing->sights[0].at_m;
    for (int s = 0; s < thing->len; s++) {
        const pov_camera_sight *sight = &thing->sights[s];
        const pov_vec3 off = pov_vec3_sub(sight->at_m, origin);
        double cov[9];
        memcpy(looks[s].r, (double[3]){off.x, off.y, off.z}, sizeof looks[s].r);
        for (int k = 0; k < 9; k++)
            cov[k] = sight->own_m2[k / 3][k % 3] + (k % 4 == 0 ? 1e-8 : 0); /* 0.1 mm */
        if (!pov_symmetric_inverse(looks[s].W, cov, 3))
            return false;
        take_row(looks[s].H, sight);
        for (int k = 0; k < 9; k++) {
            all[k] += looks[s].W[k];
            weighted[k / 3] += looks[s].W[k] * looks[s].r[k % 3];
        }
    }
    if (!pov_symmetric_inverse(mean_cov, all, 3))
        return false;
    for (int i = 0; i < 3; i++) {
        mean[i] = 0;
        for (int j = 0; j < 3; j++)
            mean[i] += mean_cov[3 * i + j] * weighted[j];
    }
    for (int s = 0; s < thing->len; s++)
        for (int i = 0; i < 3; i++)
            looks[s].r[i] -= mean[i];
    return true;
}

static void times3(double out[9], const double a[9], const double b[9])
{
    for (int i = 0; i < 9; i++) {
        out[i] = 0;
        for (int k = 0; k < 3; k++)
            out[i] += a[3 * (i / 3) + k] * b[3 * k + i % 3];
    }
}

/* The block of two cameras: H_s' (W_s [s = t] - W_s M W_t) H_t. */
static void add_block(pov_camera_audit *a, const look *s, const look *t, const double mean_cov[9],
                      const int camera[2], double share)
{
    double half[9], V[9];
    times3(half, s->W, mean_cov);
    times3(V, half, t->W);
    for (int k = 0; k < 9; k++)
        V[k] = (s == t ? s->W[k] : 0) - V[k];
    for (int i = 0; i < EACH; i++)
        for (int j = 0; j < EACH; j++) {
            double sum = 0;
            for (int k = 0; k < 9; k++)
                sum += s->H[k / 3][i] * V[k] * t->H[k % 3][j];
            a->N[(EACH * camera[0] + i) * ALL_MAX + EACH * camera[1] + j] += share * sum;
        }
}

static void add_thing(pov_camera_audit *a, const pov_camera_thing *thing, double share)
{
    look looks[POV_CAMERA_MAX];
    double mean_cov[9];
    if (thing->len < 2 || !weigh_looks(mean_cov, looks, thing))
        return;
    for (int s = 0; s < thing->len; s++) {
        double Wr[3];
        for (int i = 0; i < 3; i++) {
            Wr[i] = 0;
            for (int j = 0; j < 3; j++)
                Wr[i] += looks[s].W[3 * i + j] * looks[s].r[j];
            a->c += share * Wr[i] * looks[s].r[i];
        }
        for (int j = 0; j < EACH; j++)
            for (int i = 0; i < 3; i++)
                a->g[EACH * thing->sights[s].camera + j] += share * looks[s].H[i][j] * Wr[i];
        for (int t = 0; t < thing->len; t++)
            add_block(a, &looks[s], &looks[t], mean_cov,
                      (int[2]){thing->sights[s].camera, thing->sights[t].camera}, share);
    }
    a->numbers += share * 3 * (thing->len - 1);
}

void pov_camera_audit_add(pov_camera_audit *a, const pov_camera_fusion *fusion, int64_t now_ns)
{
    const double elapsed_s = pass_time(a, fusion->cameras, now_ns);
    for (int t = 0; t < fusion->thing_len; t++) {
        const pov_camera_thing *thing = &fusion->things[t];
        add_thing(a, thing, fmin(1, elapsed_s / (thing->is_at_rest ? window_s : look_s)));
    }
}

/* -------- explanations -------- */

typedef enum { STATED, MOVES, CLOCK, LENS, ANY_CLOCK } explanation;
enum { EXPLANATIONS = LENS };

/* The information that is stated of all unknowns; of one camera, the explanation frees some. */
static void add_stated(double *N, int n, const pov_camera_fusion *fusion, explanation kind, int camera)
{
    static const double exact = 1e-8; /* (0.1 mrad, 0.1 mm)^2: of a pose that is said to be exact */
    static const double loose_rad = 0.3, loose_m = 0.1, loose_s = 0.5, loose_zoom = 0.3; /* as fit_move */
    static const double clock_s = 0.001, zoom = 0.003; /* of clocks and calibrations that are right; chosen */
    for (int c = 0; c < fusion->cameras; c++) {
        const int first = EACH * c;
        double cov[36], information[36];
        for (int k = 0; k < 36; k++)
            cov[k] = fusion->prior[c][k / 6][k % 6] + (k % 7 == 0 ? exact : 0);
        if (kind == MOVES && c == camera)
            for (int i = 0; i < 6; i++)
                cov[7 * i] += i < 3 ? loose_rad * loose_rad : loose_m * loose_m;
        if (!pov_symmetric_inverse(information, cov, 6))
            continue;
        for (int k = 0; k < 36; k++)
            N[(first + k / 6) * n + first + k % 6] += information[k];
        const double delay = kind == CLOCK && c == camera ? loose_s
                             : kind == ANY_CLOCK          ? held_back_s
                                                          : clock_s,
                     zooms = kind == LENS && c == camera ? loose_zoom : zoom;
        const double stated = fusion->clock_std_s[c];
        N[(first + DELAY) * (n + 1)] += 1 / (delay * delay + stated * stated);
        N[(first + ZOOM) * (n + 1)] += 1 / (zooms * zooms);
    }
}

/* Out: x: the unknowns by an explanation. Returns: the squares that are left. */
static double explain_by(double x[ALL_MAX], const pov_camera_audit *a, const pov_camera_fusion *fusion,
                         explanation kind, int camera)
{
    const int n = EACH * fusion->cameras;
    double N[ALL_MAX * ALL_MAX], left = a->c;
    for (int i = 0; i < n; i++)
        memcpy(&N[i * n], &a->N[i * ALL_MAX], (size_t)n * sizeof *N);
    add_stated(N, n, fusion, kind, camera);
    if (!pov_cholesky(N, N, n))
        return INFINITY;
    pov_cholesky_solve(x, N, a->g, n);
    for (int i = 0; i < n; i++)
        left -= a->g[i] * x[i];
    return left;
}

void pov_camera_audit_clocks(double std_s[POV_CAMERA_MAX], const pov_camera_audit *a,
                             const pov_camera_fusion *fusion)
{
    const int n = EACH * fusion->cameras;
    double N[ALL_MAX * ALL_MAX], x[ALL_MAX], cov[POV_CAMERA_MAX][ALL_MAX];
    int compared[POV_CAMERA_MAX], len = 0;
    for (int i = 0; i < n; i++)
        memcpy(&N[i * n], &a->N[i * ALL_MAX], (size_t)n * sizeof *N);
    add_stated(N, n, fusion, ANY_CLOCK, -1);
    const bool is_solved = pov_cholesky(N, N, n);
    if (is_solved)
        pov_cholesky_solve(x, N, a->g, n);
    for (int c = 0; c < fusion->cameras; c++) {
        const int at = EACH * c + DELAY;
        std_s[c] = hypot(held_back_s, fusion->clock_std_s[c]);
        if (!is_solved || !(a->N[at * (ALL_MAX + 1)] > 0))
            continue;
        double one[ALL_MAX] = {0};
        one[at] = 1;
        pov_cholesky_solve(cov[len], N, one, n);
        compared[len++] = c;
    }
    /* from the mean of those that can be compared: what all share is no disagreement */
    for (int i = 0; i < len && len > 1; i++) {
        double off = 0, variance = 0;
        for (int k = 0; k < len; k++) {
            const double weight_k = (k == i) - 1.0 / len;
            off += weight_k * x[EACH * compared[k] + DELAY];
            for (int l = 0; l < len; l++)
                variance += weight_k * ((l == i) - 1.0 / len) * cov[k][EACH * compared[l] + DELAY];
        }
        std_s[compared[i]] = sqrt(fmax(0, variance) + off * off);
    }
}

/* The point of chi-square: Wilson & Hilferty 1931. */
static double gate_of(double len, double deviations)
{
    const double v = 2.0 / (9 * fmax(1, len));
    return fmax(1, len) * pow(1 - v + deviations * sqrt(v), 3);
}

/* The gain that is no chance. */
static double least_gain(explanation kind)
{
    return kind == MOVES ? gate_of(6, once) : margin * margin * gate_of(1, always);
}

static bool is_within(double x, double least, double most)
{
    return x > least && x < most;
}

static bool is_plausible(const double x[EACH], explanation kind)
{
    const double rad = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]),
                 m = sqrt(x[3] * x[3] + x[4] * x[4] + x[5] * x[5]);
    switch (kind) {
    case CLOCK:
        return is_within(fabs(x[DELAY]), least_s, most_s);
    case LENS:
        return is_within(fabs(x[ZOOM]), least_zoom, most_zoom);
    default:
        return (rad > least_rad || m > least_m) && rad < most_rad && m < most_m;
    }
}

typedef struct {
    double score; /* -2 log-likelihood, with 2 for each unknown that is freed: Akaike 1974 */
    int camera;
    explanation kind;
    double x[EACH];
} candidate;

static int list_candidates(candidate *list, const pov_camera_audit *a, const pov_camera_fusion *fusion,
                           double unexplained)
{
    double x[ALL_MAX];
    int len = 0;
    for (int c = 0; c < fusion->cameras; c++)
        for (int kind = MOVES; kind <= EXPLANATIONS; kind++) {
            const double left = explain_by(x, a, fusion, kind, c);
            const int freed = kind == MOVES ? 6 : 1;
            if (!(left < fmax(margin * margin * gate_of(a->numbers, always), linear_share * unexplained)) ||
                unexplained - left < least_gain(kind) || !is_plausible(&x[EACH * c], kind))
                continue;
            list[len] = (candidate){.score = left + 2 * freed, .camera = c, .kind = kind};
            memcpy(list[len].x, &x[EACH * c], sizeof list[len].x);
            len++;
        }
    return len;
}

/* Of two cameras whose clocks differ, the first one's is the station's. */
static bool is_same_clock(const candidate *best, const candidate *other, int cameras)
{
    return cameras == 2 && best->kind == CLOCK && other->kind == CLOCK;
}

pov_camera_finding pov_camera_audit_find(const pov_camera_audit *a, const pov_camera_fusion *fusion)
{
    pov_camera_finding finding = {.camera = -1, .verdict = POV_FUSION_UNLIKE};
    candidate list[POV_CAMERA_MAX * EXPLANATIONS];
    double x[ALL_MAX];
    const double unexplained = explain_by(x, a, fusion, STATED, -1);
    const int len = list_candidates(list, a, fusion, unexplained);
    int best = 0;
    for (int i = 1; i < len; i++)
        if (list[i].score < list[best].score || is_same_clock(&list[best], &list[i], fusion->cameras))
            best = i;
    if (len == 0)
        return finding;
    finding.is_fault = finding.is_one_kind = true;
    finding.camera = list[best].camera;
    for (int i = 0; i < len; i++) {
        const bool is_other = list[i].camera != list[best].camera;
        const double by = fmax(is_other ? camera_by : kind_by, linear_share * unexplained);
        if (i == best || list[i].score > list[best].score + by ||
            is_same_clock(&list[best], &list[i], fusion->cameras))
            continue;
        if (is_other)
            finding.camera = -1;
        finding.is_one_kind &= list[i].kind == list[best].kind;
    }
    if (finding.is_one_kind)
        finding.verdict = list[best].kind == MOVES   ? POV_FUSION_MOVED
                          : list[best].kind == CLOCK ? POV_FUSION_LATE
                                                     : POV_FUSION_LENS;
    for (int i = 0; i < 6; i++)
        finding.move[i] = -list[best].x[i];
    finding.late_s = list[best].x[DELAY];
    finding.zoom = 1 + list[best].x[ZOOM];
    return finding;
}
