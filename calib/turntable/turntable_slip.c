#include "calib/turntable/turntable_slip.h"

#include "perception/geometry/geom.h"
#include "perception/geometry/linalg.h"
#include "perception/geometry/ranked.h"

#include <math.h>
#include <string.h>

enum { STOPS = POV_SLIP_STOP_MAX, UNKNOWN_MAX = POV_SLIP_MAX + 3 };

static const double SLIP_MIN_RAD = 0.25 * POV_PI / 180, SLIP_STDS = 5; /* to be called a slip; chosen */
/* Scatter of angles beyond their stated deviations: a table that is not round, and the like; chosen. */
static const double FLOOR_RAD = 0.01 * POV_PI / 180;

typedef struct {
    int len;
    const pov_turn_stop *stops;
    double sign;          /* of counting up */
    double ahead[STOPS];  /* of its count, counter-clockwise */
    double turned[STOPS]; /* since the first stop, counter-clockwise, whole turns included */
    double way[STOPS];    /* 1, -1: counter-clockwise, clockwise; 0: not known */
} run;

static double told_step(const run *r, int i)
{
    const double step = pov_angle_wrap(r->stops[i].commanded_rad - r->stops[i - 1].commanded_rad);
    const int way = r->stops[i].way;
    return way * step < 0 ? step + way * 2 * POV_PI : step;
}

/* The sign with which the steps told and the steps seen agree; 0: they leave it open. */
static double direction_of(const run *r)
{
    double same = 0, opposite = 0;
    for (int i = 1; i < r->len; i++) {
        const double seen = r->stops[i].angle_rad - r->stops[i - 1].angle_rad, told = told_step(r, i);
        same += fabs(pov_angle_wrap(seen - told));
        opposite += fabs(pov_angle_wrap(seen + told));
    }
    if (fabs(same - opposite) < 0.1 * POV_PI / 180 * r->len)
        return 0;
    return same < opposite ? 1 : -1;
}

static void compare(run *r)
{
    r->turned[0] = 0;
    r->way[0] = 0;
    for (int i = 0; i < r->len; i++) {
        const double ahead = r->stops[i].angle_rad - r->sign * r->stops[i].commanded_rad;
        r->ahead[i] =
            i == 0 ? pov_angle_wrap(ahead) : r->ahead[i - 1] + pov_angle_wrap(ahead - r->ahead[i - 1]);
        if (i == 0)
            continue;
        const double step = r->sign * told_step(r, i);
        r->turned[i] = r->turned[i - 1] + step;
        r->way[i] = step > 0 ? 1 : step < 0 ? -1 : r->way[i - 1];
    }
}

/* By the median over changes of direction: one may hide a slip. Returns false if there is none. */
static bool guess_backlash(double *backlash_rad, const run *r)
{
    double changes[STOPS];
    int len = 0;
    for (int i = 1; i < r->len; i++)
        if (r->way[i] * r->way[i - 1] < 0)
            changes[len++] = (r->ahead[i - 1] - r->ahead[i]) * r->way[i];
    *backlash_rad = 0;
    if (len == 0)
        return false;
    *backlash_rad = pov_median(changes, len);
    return true;
}

/* The first stop may have been come to either way: the one that fits what follows. */
static void settle_first_way(run *r, double backlash_rad)
{
    const double behind = r->ahead[1] + r->way[1] * backlash_rad / 2 - r->ahead[0];
    if (r->len > 1)
        r->way[0] = fabs(behind - backlash_rad / 2) <= fabs(behind + backlash_rad / 2) ? 1 : -1;
}

static double std_of(const run *r, int i)
{
    return hypot(r->stops[i].std_rad, FLOOR_RAD);
}

static void find_slips(pov_slip_report *report, const run *r, double backlash_rad)
{
    report->slip_len = 0;
    for (int i = 1; i < r->len && report->slip_len < POV_SLIP_MAX; i++) {
        const double jump = r->ahead[i] - r->ahead[i - 1] + (r->way[i] - r->way[i - 1]) * backlash_rad / 2;
        const double std = hypot(std_of(r, i), std_of(r, i - 1));
        if (fabs(jump) > SLIP_MIN_RAD && fabs(jump) > SLIP_STDS * std)
            report->slips[report->slip_len++] = (pov_slip){.stop = i};
    }
}

/* ahead = zero + slips so far - way * backlash / 2 + turned * creep. Unknowns in that order. */
static int row_of(double row[UNKNOWN_MAX], const run *r, const pov_slip_report *report, int i)
{
    int n = 0;
    row[n++] = 1;
    for (int k = 0; k < report->slip_len; k++)
        row[n++] = i >= report->slips[k].stop;
    if (report->has_backlash)
        row[n++] = -r->way[i] / 2;
    row[n++] = r->turned[i];
    return n;
}

static bool fit(double x[UNKNOWN_MAX], double cov[UNKNOWN_MAX * UNKNOWN_MAX], const run *r,
                const pov_slip_report *report)
{
    double A[UNKNOWN_MAX * UNKNOWN_MAX] = {0}, row[UNKNOWN_MAX];
    int n = 0;
    memset(x, 0, UNKNOWN_MAX * sizeof *x);
    for (int i = 0; i < r->len; i++) {
        const double weight = 1 / (std_of(r, i) * std_of(r, i));
        n = row_of(row, r, report, i);
        for (int a = 0; a < n; a++) {
            x[a] += weight * row[a] * r->ahead[i];
            for (int b = 0; b < n; b++)
                A[a * n + b] += weight * row[a] * row[b];
        }
    }
    for (int a = 0; a < n; a++) /* what the stops leave open stays 0 */
        A[a * n + a] += 1e-3;
    if (!pov_cholesky(A, A, n))
        return false;
    pov_cholesky_solve(x, A, x, n);
    memset(cov, 0, UNKNOWN_MAX * UNKNOWN_MAX * sizeof *cov);
    for (int a = 0; a < n; a++) {
        cov[a * n + a] = 1;
        pov_cholesky_solve(&cov[a * n], A, &cov[a * n], n);
    }
    return true;
}

/* The residuals' scatter, and their sum of squares in stated deviations. */
static double scatter_of(const run *r, const pov_slip_report *report, const double x[UNKNOWN_MAX],
                         double *squares)
{
    double row[UNKNOWN_MAX], sum = 0;
    int n = 0;
    *squares = 0;
    for (int i = 0; i < r->len; i++) {
        double left = r->ahead[i];
        n = row_of(row, r, report, i);
        for (int k = 0; k < n; k++)
            left -= row[k] * x[k];
        sum += left * left;
        *squares += pow(left / std_of(r, i), 2);
    }
    const int freedom = r->len > n ? r->len - n : 1;
    *squares = fmax(*squares / freedom, 1);
    return sqrt(sum / freedom);
}

static bool solve(pov_slip_report *report, const run *r)
{
    double x[UNKNOWN_MAX], cov[UNKNOWN_MAX * UNKNOWN_MAX], row[UNKNOWN_MAX], squares;
    if (!fit(x, cov, r, report))
        return false;
    const int n = row_of(row, r, report, 0);
    report->scatter_rad = scatter_of(r, report, x, &squares);
    int at = 0;
    report->zero_rad = pov_angle_wrap(x[at]);
    report->zero_std_rad = sqrt(squares * cov[at * (n + 1)]);
    for (int k = 0; k < report->slip_len; k++) {
        at++;
        report->slips[k].jump_rad = x[at];
        report->slips[k].std_rad = sqrt(squares * cov[at * (n + 1)]);
    }
    if (report->has_backlash) {
        at++;
        report->backlash_rad = x[at];
        report->backlash_std_rad = sqrt(squares * cov[at * (n + 1)]);
    }
    at++;
    report->creep = x[at];
    report->creep_std = sqrt(squares * cov[at * (n + 1)]);
    return true;
}

pov_code pov_slip_find(pov_slip_report *report, double *where_rad, const pov_turn_stop *stops, int len)
{
    run r = {.len = len, .stops = stops};
    double backlash_rad;
    *report = (pov_slip_report){.zero_rad = NAN, .zero_std_rad = NAN, .scatter_rad = NAN};
    POV_REQUIRE(len <= STOPS);
    if (len < 3 || (r.sign = direction_of(&r)) == 0)
        return POV_UNDEFINED;
    compare(&r);
    report->clockwise = r.sign < 0;
    report->has_backlash = guess_backlash(&backlash_rad, &r);
    settle_first_way(&r, backlash_rad);
    find_slips(report, &r, backlash_rad);
    if (!solve(report, &r))
        return POV_UNDEFINED;
    for (int i = 0; i < len; i++)
        where_rad[i] = pov_angle_wrap(r.ahead[i] - report->zero_rad);
    return POV_OK;
}
