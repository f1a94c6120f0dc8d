#include "perception/tags/tag_print_fit.h"

#include "perception/geometry/least_squares.h"
#include "perception/geometry/linalg.h"
#include "perception/tags/tag_print_equations.h"

#include <math.h>
#include <string.h>

enum { N = POV_PRINT_PARAMETERS };
enum { SAMPLE_MIN = 60, COARSE = 3, COARSE_ITERATIONS = 3, FINE_ITERATIONS = 5, FEW = 400 };

/* Priors, one standard deviation: edges are bent and shortened by lenses and prints (share of their length); ink,
 * overexposure and tone curves; vignetting and shadows (share of the light). */
static const double BOW_SHARE = 0.002, SPREAD_STD_PX = 0.3, FADING_STD = 0.05, SMEAR_STD = 0.3;
static const double BLUR_MIN_PX = 0.3, BLUR_MAX_PX = 3, BLUR_USUAL_PX = 0.8, SMEAR_MAX = 0.9;
static const double SETTLED = 0.1;
static const double MOVE_MAX_PX = 3, SPREAD_MAX_PX = 1.2, MISFIT_MAX = 0.3, CONTRAST_MIN = 3;

static void add_prior(pov_print_equations *sum, const double p[N], int parameter, double std)
{
    const double weight = sum->squared / fmax(sum->weight - N, 1) / (std * std);
    sum->information[parameter * (N + 1)] += weight;
    sum->gradient[parameter] -= weight * p[parameter];
}

/** The priors, in units of the residuals' variance. */
static void add_priors(pov_print_equations *sum, const double p[N])
{
    const double bow_px = BOW_SHARE * (hypot(p[0], p[3]) + hypot(p[1], p[4]));
    for (int i = 0; i < 4; i++)
        add_prior(sum, p, POV_PRINT_BOW + i, bow_px);
    add_prior(sum, p, POV_PRINT_CUBIC, BOW_SHARE);
    for (int i = 0; i < 3; i++)
        add_prior(sum, p, POV_PRINT_FADING + i, FADING_STD);
    for (int i = 0; i < 2; i++)
        add_prior(sum, p, POV_PRINT_SMEAR + i, SMEAR_STD);
    add_prior(sum, p, POV_PRINT_SPREAD, SPREAD_STD_PX);
}

static void linearise_print(pov_print_equations *sum, const pov_print_cells *cells, const double p[N],
                            const pov_print_samples *taken, int every)
{
    pov_print_linearise(sum, cells, p, taken, every);
    add_priors(sum, p);
}

static bool is_plausible_print(const double p[N])
{
    return p[POV_PRINT_WHITE] - p[POV_PRINT_BLACK] > CONTRAST_MIN && fabs(p[2]) < MOVE_MAX_PX &&
           fabs(p[5]) < MOVE_MAX_PX && fabs(p[POV_PRINT_SPREAD]) < SPREAD_MAX_PX;
}

/** The damped step from p, within bounds; false if there is none. Out: gain: the share of the residuals' square that
 *  it should take away. */
static bool step_from(double trial[N], double *gain, const double p[N], const pov_print_equations *here,
                      double damping)
{
    double step[N];
    if (!(here->weight > N) || !pov_normal_step(step, here->information, here->gradient, N, damping))
        return false;
    *gain = 0;
    for (int i = 0; i < N; i++) {
        trial[i] = p[i] + step[i];
        *gain += step[i] * here->gradient[i] / here->squared;
    }
    trial[POV_PRINT_BLUR] = fmin(fmax(trial[POV_PRINT_BLUR], BLUR_MIN_PX), BLUR_MAX_PX);
    const double smear = hypot(trial[POV_PRINT_SMEAR], trial[POV_PRINT_SMEAR + 1]);
    for (int i = 0; i < 2; i++)
        trial[POV_PRINT_SMEAR + i] *= fmin(1, SMEAR_MAX / fmax(smear, SMEAR_MAX));
    return is_plausible_print(trial);
}

/** Marquardt 1963; a step that gains hardly anything is the last, and taken unseen. Out: the equations before it. */
static bool descend_print(double p[N], pov_print_equations *here, const pov_print_cells *cells,
                          const pov_print_samples *taken, int every, int trial_max)
{
    linearise_print(here, cells, p, taken, every);
    for (pov_descent d = pov_descent_from(here->cost, 1e-3, trial_max); pov_descent_continues(&d);) {
        double trial[N], gain;
        pov_print_equations there;

        if (!step_from(trial, &gain, p, here, d.damping))
            return false;
        if (gain < SETTLED) {
            memcpy(p, trial, sizeof trial);
            break;
        }
        linearise_print(&there, cells, trial, taken, every);
        if (pov_descent_accepts(&d, there.cost)) {
            memcpy(p, trial, sizeof trial);
            *here = there;
        }
    }
    return true;
}

/** Levels by the cells that pixels lie in. */
static bool begin_levels(double p[N], const pov_print_samples *taken)
{
    double sum[2] = {0, 0};
    int whites = 0;
    for (int k = 0; k < taken->len; k++) {
        const pov_print_sample *s = &taken->list[k];
        sum[s->white] += (double)s->light;
        whites += s->white;
    }
    if (whites == 0 || whites == taken->len)
        return false;
    p[POV_PRINT_BLACK] = sum[0] / (taken->len - whites);
    p[POV_PRINT_WHITE] = sum[1] / whites;
    p[POV_PRINT_BLUR] = BLUR_USUAL_PX;
    return is_plausible_print(p);
}

/** Adjacent residuals that are alike, as where halos are or noise is smoothed, count as fewer than they are. */
static double variance_of(const pov_print_equations *end)
{
    const double alike = fmin(fmax(end->neighbours / end->squared, 0), 0.7);
    return end->squared / (end->weight - N) * (1 + alike) / (1 - alike);
}

/** Corners of the fitted square, and the mean variance of their coordinates. */
static bool corners_of(pov_vec2 corner[4], double *variance_px2, const double p[N],
                       const pov_print_equations *end)
{
    static const double U[4] = {-1, 1, 1, -1}, V[4] = {1, 1, -1, -1};
    const double size2_px2 = pov_print_half_edge2_px2(p);
    double L[N * N];
    if (!pov_cholesky(L, end->information, N))
        return false;
    *variance_px2 = 0;
    for (int i = 0; i < 4; i++) {
        const double w = p[6] * U[i] + p[7] * V[i] + 1;
        const double x = (p[0] * U[i] + p[1] * V[i] + p[2]) / w, y = (p[3] * U[i] + p[4] * V[i] + p[5]) / w;
        double per_x[N] = {U[i] / w, V[i] / w, 1 / w, 0, 0, 0, -x * U[i] / w, -x * V[i] / w};
        double per_y[N] = {0, 0, 0, U[i] / w, V[i] / w, 1 / w, -y * U[i] / w, -y * V[i] / w};
        double solved[N];
        const double distance2 = (x * x + y * y) / size2_px2, far = 1 + p[POV_PRINT_CUBIC] * distance2;
        per_x[POV_PRINT_CUBIC] = x * distance2;
        per_y[POV_PRINT_CUBIC] = y * distance2;
        for (int k = 0; k < 2; k++) {
            const double *per = k ? per_y : per_x;
            pov_cholesky_solve(solved, L, per, N);
            for (int j = 0; j <= POV_PRINT_CUBIC; j++)
                *variance_px2 += per[j] * solved[j] / 8;
        }
        corner[i] = (pov_vec2){far * x, far * y};
    }
    *variance_px2 *= variance_of(end);
    return true;
}

bool pov_tag_print_fit(pov_vec2 corner_px[4], double *std_px, const pov_tag_print *print,
                       const pov_grey *grey)
{
    pov_print_cells cells;
    pov_print_samples taken;
    pov_print_equations end;
    double p[N] = {0}, variance_px2;
    pov_vec2 middle = {0, 0}, corner[4];
    for (int i = 0; i < 4; i++)
        middle = (pov_vec2){middle.x + 0.25 * corner_px[i].x, middle.y + 0.25 * corner_px[i].y};
    if (!isfinite(middle.x) || !isfinite(middle.y))
        return false;
    pov_print_cells_make(&cells, print);
    pov_print_place(p, corner_px, middle);
    pov_print_samples_gather(&taken, &cells, p, middle, grey);
    if (taken.len < SAMPLE_MIN || !begin_levels(p, &taken) ||
        (taken.len > FEW && !descend_print(p, &end, &cells, &taken, COARSE, COARSE_ITERATIONS)) ||
        !descend_print(p, &end, &cells, &taken, 1, FINE_ITERATIONS) ||
        !corners_of(corner, &variance_px2, p, &end) ||
        sqrt(end.squared / end.weight) > MISFIT_MAX * (p[POV_PRINT_WHITE] - p[POV_PRINT_BLACK]))
        return false;
    for (int i = 0; i < 4; i++)
        corner_px[i] = (pov_vec2){corner[i].x + middle.x, corner[i].y + middle.y};
    *std_px = sqrt(variance_px2);
    return true;
}
