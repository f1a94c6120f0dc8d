#include "perception/geometry/periodic_spline.h"

#include "perception/geometry/geom.h"
#include "perception/status.h"

#include <math.h>

/* The cyclic tridiagonal matrix, factored once for all columns. */
typedef struct {
    int len;
    double step[POV_SPLINE_KNOT_MAX];                                /* from knot i to the next */
    double inverse[POV_SPLINE_KNOT_MAX], ratio[POV_SPLINE_KNOT_MAX]; /* of the elimination */
    double extra[POV_SPLINE_KNOT_MAX];                               /* the solution for the corners */
    double gamma, corner, denominator;
} factored;

static int before(const factored *f, int i)
{
    return i > 0 ? i - 1 : f->len - 1;
}

static void substitute_back(const factored *f, double *x)
{
    x[0] *= f->inverse[0];
    for (int i = 1; i < f->len; i++)
        x[i] = (x[i] - f->step[i - 1] * x[i - 1]) * f->inverse[i];
    for (int i = f->len - 2; i >= 0; i--)
        x[i] -= f->ratio[i + 1] * x[i + 1];
}

static void factor_system(factored *f, const double *angle_rad, int len)
{
    f->len = len;
    for (int i = 0; i < len; i++)
        f->step[i] = i + 1 < len ? angle_rad[i + 1] - angle_rad[i] : angle_rad[0] + 2 * POV_PI - angle_rad[i];
    f->corner = f->step[len - 1];
    f->gamma = -2 * (f->step[len - 1] + f->step[0]);
    for (int i = 0; i < len; i++) {
        double diagonal = 2 * (f->step[before(f, i)] + f->step[i]);
        diagonal -= i == 0 ? f->gamma : 0;
        diagonal -= i == len - 1 ? f->corner * f->corner / f->gamma : 0;
        f->ratio[i] = i > 0 ? f->step[i - 1] * f->inverse[i - 1] : 0;
        f->inverse[i] = 1 / (diagonal - (i > 0 ? f->step[i - 1] * f->ratio[i] : 0));
        f->extra[i] = 0;
    }
    f->extra[0] = f->gamma;
    f->extra[len - 1] = f->corner;
    substitute_back(f, f->extra);
    f->denominator = 1 + f->extra[0] + f->corner * f->extra[len - 1] / f->gamma;
}

static void solve_system(const factored *f, double *x)
{
    substitute_back(f, x);
    const double share = (x[0] + f->corner * x[f->len - 1] / f->gamma) / f->denominator;
    for (int i = 0; i < f->len; i++)
        x[i] -= share * f->extra[i];
}

void pov_spline_bend(float *bend, const float *value, const double *angle_rad, int len, int columns)
{
    POV_REQUIRE(len >= POV_SPLINE_KNOT_MIN && len <= POV_SPLINE_KNOT_MAX);
    factored f;
    double x[POV_SPLINE_KNOT_MAX];
    factor_system(&f, angle_rad, len);
    for (int column = 0; column < columns; column++) {
        for (int i = 0; i < len; i++) {
            const double here = (double)value[i * columns + column];
            const double next = (double)value[(i + 1) % len * columns + column];
            const double last = (double)value[before(&f, i) * columns + column];
            x[i] = 6 * ((next - here) / f.step[i] - (here - last) / f.step[before(&f, i)]);
        }
        solve_system(&f, x);
        for (int i = 0; i < len; i++)
            bend[i * columns + column] = (float)x[i];
    }
}

pov_spline_place pov_spline_find(const double *angle_rad, int len, double at_rad)
{
    double turned = fmod(at_rad - angle_rad[0], 2 * POV_PI);
    turned += turned < 0 ? 2 * POV_PI : 0;
    int low = 0, high = len;
    while (high - low > 1) {
        const int middle = (low + high) / 2;
        *(angle_rad[middle] - angle_rad[0] <= turned ? &low : &high) = middle;
    }
    const double end = low + 1 < len ? angle_rad[low + 1] - angle_rad[0] : 2 * POV_PI;
    const double h = end - (angle_rad[low] - angle_rad[0]), a = (end - turned) / h, b = 1 - a;
    return (pov_spline_place){.left = low,
                              .right = (low + 1) % len,
                              .value = {a, b},
                              .bend = {(a * a * a - a) * h * h / 6, (b * b * b - b) * h * h / 6},
                              .slope_value = {-1 / h, 1 / h},
                              .slope_bend = {(1 - 3 * a * a) * h / 6, (3 * b * b - 1) * h / 6}};
}
