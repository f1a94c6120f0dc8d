#include "perception/geometry/linalg.h"
#include "perception/relations/expectation/expectation_internal.h"

#include <math.h>

/* Nodes of the trapezoid rule. With steps of 0.8 of a width, its error for a Gaussian is below 1e-8; a step function's, with the
 * most nodes, is below 0.005. */
enum { NODES_MIN = 16, NODES_MAX = 512 };
static const double NODES_A_WIDTH = 1.25; /* 1 / 0.8 */
/* From this kappa on, chosen: a von Mises error times (1 - tie) is nearly a von Mises error of kappa / (1 - tie)^2. */
static const double SCALED_KAPPA_MIN = 4;

/* P(X > 0), P(X = 0): a referent exactly at 90 degrees is on neither side, however uncertain the rest is. */
typedef struct {
    double positive, zero;
} signs;

static signs sure_signs(double x, double rounding)
{
    return (signs){x > rounding, fabs(x) <= rounding};
}

/* ---- a sight line: the sign of cos theta is that of a product of Gaussians ---- */

/* a . v (ahead) or a x v (to the left) as a quadratic form x^T A x of the joint Gaussian x = (a, v): each row of A holds
 * half of another coordinate, with a sign. */
typedef struct {
    int of[4];
    double half[4];
} product_form;

static const product_form forms[2] = {[POV_AHEAD] = {{2, 3, 0, 1}, {0.5, 0.5, 0.5, 0.5}},
                                      [POV_TO_LEFT] = {{3, 2, 1, 0}, {0.5, -0.5, -0.5, 0.5}}};

static void apply_form(double Ax[4], const product_form *A, const double x[4])
{
    for (int i = 0; i < 4; i++)
        Ax[i] = A->half[i] * x[A->of[i]];
}

static double dot4(const double a[4], const double b[4])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
}

static void symmetric_apply(double Sx[4], const double (*S)[4], const double x[4])
{
    for (int i = 0; i < 4; i++)
        Sx[i] = dot4(S[i], x);
}

/* tr(P Q) */
static double trace_of_product(const pov_matrix4 *P, const pov_matrix4 *Q)
{
    double trace = 0;
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            trace += P->m[i][j] * Q->m[j][i];
    return trace;
}

/* Mathai & Provost 1992, eq. 3.2b.8: kappa_s = 2^(s-1) (s-1)! (tr (A S)^s + s m^T A (S A)^(s-1) m). */
static void form_cumulants(double k[4], const product_form *A, const pov_sight *sight)
{
    const double mean[4] = {sight->axis_m.x, sight->axis_m.y, sight->v_m.x, sight->v_m.y};
    const double(*S)[4] = sight->cov_m2;
    pov_matrix4 M, MM;
    double w[4], Sw[4], ASw[4], SASw[4];
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            M.m[i][j] = A->half[i] * S[A->of[i]][j];
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            MM.m[i][j] =
                M.m[i][0] * M.m[0][j] + M.m[i][1] * M.m[1][j] + M.m[i][2] * M.m[2][j] + M.m[i][3] * M.m[3][j];
    apply_form(w, A, mean);
    symmetric_apply(Sw, S, w);
    apply_form(ASw, A, Sw);
    symmetric_apply(SASw, S, ASw);
    k[0] = dot4(mean, w) + M.m[0][0] + M.m[1][1] + M.m[2][2] + M.m[3][3];
    k[1] = 2 * trace_of_product(&M, &M) + 4 * dot4(w, Sw);
    k[2] = 8 * trace_of_product(&MM, &M) + 24 * dot4(Sw, ASw);
    k[3] = 48 * trace_of_product(&MM, &MM) + 192 * dot4(ASw, SASw);
}

/* The form in independent standard normals: sum of curvature z^2 + 2 slope z, plus constant. */
typedef struct {
    double curvature[4], slope[4], constant;
} standard_form;

/* In the eigenvectors of L^T A L, with S = L L^T; L = V sqrt(D) exists for singular covariances too. */
static standard_form standard_form_of(const product_form *A, const pov_sight *sight)
{
    const double mean[4] = {sight->axis_m.x, sight->axis_m.y, sight->v_m.x, sight->v_m.y};
    double spread[4], L[4][4], B[4][4], V[4][4], w[4], AL[4];
    pov_symmetric_eigen(spread, &L[0][0], &sight->cov_m2[0][0], 4);
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            L[i][j] *= sqrt(fmax(0, spread[j]));
    for (int j = 0; j < 4; j++) {
        apply_form(AL, A, (double[4]){L[0][j], L[1][j], L[2][j], L[3][j]});
        for (int i = 0; i < 4; i++)
            B[i][j] = L[0][i] * AL[0] + L[1][i] * AL[1] + L[2][i] * AL[2] + L[3][i] * AL[3];
    }
    standard_form q = {.constant = 0};
    pov_symmetric_eigen(q.curvature, &V[0][0], &B[0][0], 4);
    apply_form(w, A, mean);
    q.constant = dot4(mean, w);
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            q.slope[i] += V[j][i] * (L[0][j] * w[0] + L[1][j] * w[1] + L[2][j] * w[2] + L[3][j] * w[3]);
    return q;
}

/* True if `sign` times the form is nowhere above 0, as minus a square is: its top is where each square is completed. */
static bool is_never_above(const standard_form *q, double sign)
{
    double scale = fabs(q->constant), top = sign * q->constant;
    for (int j = 0; j < 4; j++)
        scale += fabs(q->curvature[j]) + fabs(q->slope[j]);
    const double rounding = 1e-12 * scale, slope_rounding = 1e-5 * scale; /* slopes have a curvature's root */
    for (int j = 0; j < 4; j++) {
        const double curvature = sign * q->curvature[j];
        if (curvature > rounding || (curvature > -rounding && fabs(q->slope[j]) > slope_rounding))
            return false;
        top -= curvature < -rounding ? q->slope[j] * q->slope[j] / curvature : 0;
    }
    return top <= 1e3 * rounding;
}

static double complex characteristic(const standard_form *q, double t)
{
    double complex exponent = I * t * q->constant, scale = 1;
    for (int j = 0; j < 4; j++) {
        double complex d = 1 - 2 * I * q->curvature[j] * t;
        exponent -= 2 * t * t * q->slope[j] * q->slope[j] / d;
        scale *= csqrt(d);
    }
    return cexp(exponent) / scale;
}

/* P(form > 0) by inverting its characteristic function: Gil-Pelaez 1951, Imhof 1961, with Davies 1973's trapezoid sum.
 * The step leaves nothing of the distribution beyond the alias; the sum ends when the terms have died out. */
static double imhof_positive(const standard_form *q, double mean, double std)
{
    enum { TERMS_MAX = 2000 };
    double step = 2 * POV_PI / (fabs(mean) + 20 * std), sum = 0;
    for (int k = 0; k < TERMS_MAX; k++) {
        double complex phi = characteristic(q, (k + 0.5) * step);
        sum += cimag(phi) / (k + 0.5);
        if (cabs(phi) < 1e-7 * (k + 0.5))
            break;
    }
    return fmin(1, fmax(0, 0.5 + sum / POV_PI));
}

/* Edgeworth's next terms are below 5e-4 where skewness^2 + |excess| is below this; checked against Imhof's sum. */
static const double EDGEWORTH_MAX = 0.05;

/* The rest of the form's variance where errors cancel: the referent is the viewer itself, so that v is -a. */
static double variance_rounding(const pov_sight *sight)
{
    const double mean[4] = {sight->axis_m.x, sight->axis_m.y, sight->v_m.x, sight->v_m.y};
    const double(*S)[4] = sight->cov_m2;
    const double spread = S[0][0] + S[1][1] + S[2][2] + S[3][3];
    return 1e-14 * spread * (dot4(mean, mean) + spread);
}

static signs sight_signs(const product_form *A, const pov_sight *sight, double rounding)
{
    double k[4];
    form_cumulants(k, A, sight);
    if (k[0] * k[0] >= 400 * k[1] || k[1] <= fmax(rounding * rounding, variance_rounding(sight)))
        return sure_signs(k[0], rounding);
    if (k[2] * k[2] / (k[1] * k[1] * k[1]) + fabs(k[3]) / (k[1] * k[1]) < EDGEWORTH_MAX)
        return (signs){pov_edgeworth_positive(k), 0};
    standard_form q = standard_form_of(A, sight);
    if (is_never_above(&q, 1) || is_never_above(&q, -1))
        return (signs){is_never_above(&q, -1), 0};
    return (signs){imhof_positive(&q, k[0], sqrt(k[1])), 0};
}

/* ---- a heading ---- */

static double rounding_of(pov_vec2 mean)
{
    return 1e-12 * hypot(mean.x, mean.y);
}

/* The signs of direction . g. */
static signs half_plane(pov_gaussian2 g, double dx, double dy, double rounding)
{
    double mean = dx * g.mean.x + dy * g.mean.y;
    double variance = dx * dx * g.xx + 2 * dx * dy * g.xy + dy * dy * g.yy;
    if (variance <= rounding * rounding)
        return sure_signs(mean, rounding);
    return (signs){0.5 * erfc(-mean / sqrt(2 * variance)), 0};
}

typedef struct {
    signs ahead, left;
} two_sides;

static void add_signs(signs *sum, double weight, signs x)
{
    sum->positive += weight * x.positive;
    sum->zero += weight * x.zero;
}

static void add_sides(two_sides *sum, double weight, two_sides p)
{
    add_signs(&sum->ahead, weight, p.ahead);
    add_signs(&sum->left, weight, p.left);
}

static two_sides half_planes(pov_gaussian2 v, double c, double s, double rounding)
{
    return (two_sides){half_plane(v, c, s, rounding), half_plane(v, -s, c, rounding)};
}

/* The error of v that remains when the heading's is known. */
static pov_gaussian2 v_beside(pov_gaussian2 v, const double per_rad[2], double variance)
{
    return (pov_gaussian2){v.mean, fmax(0, v.xx - variance * per_rad[0] * per_rad[0]),
                           v.xy - variance * per_rad[0] * per_rad[1],
                           fmax(0, v.yy - variance * per_rad[1] * per_rad[1])};
}

/* Nodes that resolve the heading's density and the side's change, which is as sharp as the rest of v's error. */
static int node_count(double std, double half_range, pov_gaussian2 v, pov_gaussian2 rest,
                      const double per_rad[2])
{
    double spread[2], first[2];
    pov_symmetric2_eigen(spread, first, rest.xx, rest.xy, rest.yy);
    const double reach = hypot(v.mean.x, v.mean.y) + (1 + half_range / 2) * hypot(per_rad[0], per_rad[1]);
    const double width = fmin(std, sqrt(fmax(0, fmin(spread[0], spread[1]))) / reach);
    const double nodes = NODES_A_WIDTH * 2 * half_range / width;
    return nodes < NODES_MAX ? 2 * (int)(fmax(NODES_MIN, nodes) / 2) : NODES_MAX;
}

/* v near the relatum, or wide and tied to the heading: closed form over v, the trapezoid rule over the heading. */
static two_sides mode_near(const pov_heading_mode *mode, pov_gaussian2 v, const double with_v_m[2])
{
    const double std = 1 / sqrt(mode->kappa), half_range = fmin(POV_PI, 6 * std),
                 rounding = rounding_of(v.mean);
    const double variance = pov_mode_variance(fmax(mode->kappa, 1e-3)),
                 per_rad[2] = {with_v_m[0] / variance, with_v_m[1] / variance};
    const pov_gaussian2 rest = v_beside(v, per_rad, variance);
    const int nodes = node_count(std, half_range, v, rest, per_rad);
    const double yaw_c = cos(mode->yaw_rad), yaw_s = sin(mode->yaw_rad);
    double total = 0;
    two_sides sum = {{0, 0}, {0, 0}}, mean = {{0, 0}, {0, 0}};
    for (int i = 0; i < nodes / 2; i++) {
        const double delta = half_range * (2 * i + 1) / nodes, c = cos(delta), s = sin(delta);
        const double density = exp(mode->kappa * (c - 1));
        total += 2 * density;
        for (int sign = -1; sign <= 1; sign += 2) {
            pov_gaussian2 given = rest;
            given.mean.x += sign * delta * per_rad[0];
            given.mean.y += sign * delta * per_rad[1];
            add_sides(
                &sum, density,
                half_planes(given, yaw_c * c - sign * yaw_s * s, yaw_s * c + sign * yaw_c * s, rounding));
        }
    }
    add_sides(&mean, 1 / total, sum);
    return mean;
}

static two_sides mode_narrow(const pov_heading_mode *mode, const pov_sight *sight)
{
    const pov_sight axis = pov_sight_along(mode, sight);
    const double rounding = rounding_of(sight->v_m);
    return (two_sides){sight_signs(&forms[POV_AHEAD], &axis, rounding),
                       sight_signs(&forms[POV_TO_LEFT], &axis, rounding)};
}

/* A wide heading: the square wave's Fourier series; of independent angles the moments multiply. */
static two_sides mode_wide(const pov_heading_mode *mode, const pov_angle_cumulants *v)
{
    double moments[POV_VON_MISES_MOMENTS];
    two_sides p = {{0.5, 0}, {0.5, 0}};
    pov_von_mises_moments(moments, POV_VON_MISES_MOMENTS, mode->kappa);
    for (int n = 1; n < POV_VON_MISES_MOMENTS; n += 2) {
        double complex m = moments[n] * pov_angle_moment(v, n) * cexp(-I * n * mode->yaw_rad);
        double share = 2 / (POV_PI * n);
        p.ahead.positive += (n % 4 == 1 ? share : -share) * creal(m);
        p.left.positive += share * cimag(m);
        if (moments[n] < 1e-6)
            break;
    }
    return p;
}

/* Largest share of the heading's error that v's angle has in common with it for `mode_tied_little`; chosen for an error below 0.002. */
static const double LITTLE_TIE = 0.15;

/* A narrow v that has little in common with a heading: arg(v) errs by `tie` of the heading's error and, independently, by the rest;
 * theta by 1 - tie of it and by the rest. */
static two_sides mode_tied_little(const pov_heading_mode *mode, double tie, double variance,
                                  const pov_angle_cumulants *v)
{
    const pov_heading_mode scaled = {mode->weight, mode->yaw_rad, mode->kappa / ((1 - tie) * (1 - tie))};
    pov_angle_cumulants rest = *v;
    rest.variance = fmax(0, v->variance - tie * tie * variance);
    return mode_wide(&scaled, &rest);
}

static two_sides mode_sides(const pov_heading_mode *mode, const pov_sight *sight, bool is_narrow,
                            const pov_angle_cumulants *angle)
{
    const pov_gaussian2 v = pov_gaussian_of_v(sight);
    double with_v_m[2];
    if (pov_mode_is_exact(mode))
        return half_planes(v, cos(mode->yaw_rad), sin(mode->yaw_rad), rounding_of(v.mean));
    if (mode->kappa > POV_HEADING_TIED_KAPPA)
        return mode_narrow(mode, sight);
    if (!pov_heading_is_tied(with_v_m, sight))
        return is_narrow ? mode_wide(mode, angle) : mode_near(mode, v, with_v_m);
    const double variance = pov_mode_variance(fmax(mode->kappa, 1e-3));
    const double scale = 1 / (variance * (v.mean.x * v.mean.x + v.mean.y * v.mean.y));
    if (is_narrow && mode->kappa > SCALED_KAPPA_MIN &&
        hypot(with_v_m[0], with_v_m[1]) * hypot(v.mean.x, v.mean.y) * scale < LITTLE_TIE)
        return mode_tied_little(mode, (v.mean.x * with_v_m[1] - v.mean.y * with_v_m[0]) * scale, variance,
                                angle);
    return mode_near(mode, v, with_v_m);
}

static two_sides heading_sides(const pov_sight *sight, const pov_heading *heading)
{
    bool is_narrow = pov_angle_is_narrow(sight, false);
    pov_angle_cumulants angle = {0};
    if (is_narrow)
        angle = pov_angle_cumulants_of(sight, false);
    two_sides p = {{0, 0}, {0, 0}};
    for (int i = 0; i < heading->len; i++)
        add_sides(&p, heading->mode[i].weight, mode_sides(&heading->mode[i], sight, is_narrow, &angle));
    return p;
}

static void set_opposites(pov_expected *expected, pov_quarter quarter, signs p)
{
    const double mean[2] = {fmin(1, fmax(0, p.positive)), fmin(1, fmax(0, 1 - p.zero - p.positive))};
    for (int back = 0; back < 2; back++) {
        expected->mean[quarter + 2 * back] = mean[back];
        expected->std[quarter + 2 * back] = sqrt(mean[back] * (1 - mean[back]));
    }
}

static void expect_exact(pov_expected *expected, const pov_sight *sight)
{
    pov_exact_angle theta = pov_exact_angle_of(sight);
    *expected = (pov_expected){{theta.cosine > theta.rounding, theta.sine > theta.rounding,
                                -theta.cosine > theta.rounding, -theta.sine > theta.rounding},
                               {0, 0, 0, 0}};
}

void pov_expect_hemisphere(pov_expected *expected, const pov_sight *sight, const pov_heading *heading)
{
    if (pov_is_exact(sight, heading)) {
        expect_exact(expected, sight);
        return;
    }
    two_sides p;
    if (heading) {
        p = heading_sides(sight, heading);
    } else {
        const double rounding = rounding_of(sight->v_m) * hypot(sight->axis_m.x, sight->axis_m.y);
        p.ahead = sight_signs(&forms[POV_AHEAD], sight, rounding);
        p.left = sight_signs(&forms[POV_TO_LEFT], sight, rounding);
    }
    set_opposites(expected, POV_AHEAD, p.ahead);
    set_opposites(expected, POV_TO_LEFT, p.left);
}
