#include "perception/tags/tag_corner.h"

#include "perception/geometry/least_squares.h"
#include "perception/geometry/linalg.h"

#include <math.h>

enum { PASS_MAX = 3, TRIAL_MAX = 20, PARAMETER_COUNT = 5, PIXEL_MIN = 12 };

static const double NEAR_PX = 24;        /* length of edge that one corner rests on */
static const double END_PX = 1.5;        /* the blur of the corner itself, left out */
static const double CELL_FRACTION = 0.7; /* of a bit cell on either side: the next bit's blur stays out */
static const double BAND_MIN_PX = 1.2, BAND_MAX_PX = 3.5;
static const double SHIFT_MAX_PX = 2.0;
static const double SETTLED_PX = 1.2;   /* the fit has found what it began beside */
static const double ROUGH_STD_PX = 0.3; /* of what could not be fitted, or not well */
static const double CONTRAST_MIN = 8;   /* grey levels between the two sides */

/** Part of an edge: origin + t * along for t in [begin, end], seen across `outward`. */
typedef struct {
    pov_vec2 origin, along, outward;
    double begin_px, end_px, band_px;
} segment;

/** The fitted step, in light: the edge is at offset + slope * (t - middle of the segment) outward of the segment. */
typedef struct {
    double offset_px, slope, lo, hi, blur_px;
} step;

typedef struct {
    double information[PARAMETER_COUNT * PARAMETER_COUNT], gradient[PARAMETER_COUNT], cost;
    int pixel_len;
} normal_equations;

/** point: beside the middle of its segment. The covariance is of what the fit says: of the offset across it there, and of its slope. */
typedef struct {
    pov_vec2 point, along;
    double offset_var_px2, slope_var, offset_slope_cov_px;
} line;

static pov_vec2 sub(pov_vec2 a, pov_vec2 b)
{
    return (pov_vec2){a.x - b.x, a.y - b.y};
}

static double dot(pov_vec2 a, pov_vec2 b)
{
    return a.x * b.x + a.y * b.y;
}

static pov_vec2 step_along(pov_vec2 from, pov_vec2 direction, double length)
{
    return (pov_vec2){from.x + length * direction.x, from.y + length * direction.y};
}

/** The part of the edge from `corner` to `other` near `corner`. */
static segment segment_near(pov_vec2 corner, pov_vec2 other, pov_vec2 centre, int cells)
{
    pov_vec2 edge = sub(other, corner);
    double length = hypot(edge.x, edge.y);
    segment s = {.origin = corner, .along = {edge.x / length, edge.y / length}};

    s.outward = (pov_vec2){s.along.y, -s.along.x};
    if (dot(s.outward, sub(centre, corner)) > 0)
        s.outward = (pov_vec2){-s.along.y, s.along.x};
    s.begin_px = END_PX;
    s.end_px = fmin(length - END_PX, END_PX + NEAR_PX);
    s.band_px = fmin(fmax(CELL_FRACTION * length / cells, BAND_MIN_PX), BAND_MAX_PX);
    return s;
}

static double middle(const segment *s)
{
    return 0.5 * (s->begin_px + s->end_px);
}

/** The standard normal distribution's density; 0 where it is less than 1e-5. */
static double normal_density(double z)
{
    return fabs(z) < 4.6 ? 0.3989422804014327 * exp(-0.5 * z * z) : 0;
}

/** The standard normal distribution function, given its density there: within 1e-7 (Abramowitz & Stegun 1964, 26.2.17). */
static double normal_share(double z, double density)
{
    if (density == 0)
        return z > 0;
    const double t = 1 / (1 + 0.2316419 * fabs(z));
    const double tail =
        density * t *
        (0.319381530 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
    return z > 0 ? 1 - tail : tail;
}

/** Adds one pixel at t along and `distance` outward of the fitted edge. */
static void add_pixel(normal_equations *sum, const step *fit, double t_from_middle, double distance,
                      double light)
{
    double z = distance / fit->blur_px;
    double normal = normal_density(z), share = normal_share(z, normal);
    double density = normal / fit->blur_px * (fit->hi - fit->lo);
    double jacobian[PARAMETER_COUNT] = {-density, -density * t_from_middle, 1 - share, share, -density * z};
    double residual = light - (fit->lo + (fit->hi - fit->lo) * share);

    for (int i = 0; i < PARAMETER_COUNT; i++) {
        sum->gradient[i] += jacobian[i] * residual;
        for (int j = 0; j < PARAMETER_COUNT; j++)
            sum->information[i * PARAMETER_COUNT + j] += jacobian[i] * jacobian[j];
    }
    sum->cost += residual * residual;
    sum->pixel_len++;
}

typedef struct {
    int x0, y0, x1, y1;
} box;

static box box_around(const segment *s, const pov_grey *grey)
{
    pov_vec2 a = step_along(s->origin, s->along, s->begin_px), b = step_along(s->origin, s->along, s->end_px);
    double reach = s->band_px + SHIFT_MAX_PX;

    return (box){.x0 = (int)fmax(0, floor(fmin(a.x, b.x) - reach)),
                 .y0 = (int)fmax(0, floor(fmin(a.y, b.y) - reach)),
                 .x1 = (int)fmin(grey->width_px - 1, ceil(fmax(a.x, b.x) + reach)),
                 .y1 = (int)fmin(grey->height_px - 1, ceil(fmax(a.y, b.y) + reach))};
}

/** Sums over all pixels within the band about `centre_line`, the edge's place as last known. */
static void add_pixels(normal_equations *sum, const step *fit, const step *centre_line, const segment *s,
                       const pov_grey *grey)
{
    box around = box_around(s, grey);

    for (int y = around.y0; y <= around.y1; y++) {
        for (int x = around.x0; x <= around.x1; x++) {
            pov_vec2 p = sub((pov_vec2){x, y}, s->origin);
            double t = dot(p, s->along), d = dot(p, s->outward), u = t - middle(s);

            if (t >= s->begin_px && t <= s->end_px &&
                fabs(d - centre_line->offset_px - centre_line->slope * u) <= s->band_px)
                add_pixel(sum, fit, u, d - fit->offset_px - fit->slope * u,
                          pov_light_of_grey(grey->pixels[(long)y * grey->stride_bytes + x]));
        }
    }
}

/** Mean light inside and outside: linear least squares with the edge held. */
static void fit_levels(step *fit, const segment *s, const pov_grey *grey)
{
    normal_equations sum = {.cost = 0};
    step unit = *fit;

    unit.lo = 0;
    unit.hi = 0;
    add_pixels(&sum, &unit, fit, s, grey);
    double a = sum.information[2 * PARAMETER_COUNT + 2], b = sum.information[2 * PARAMETER_COUNT + 3];
    double c = sum.information[3 * PARAMETER_COUNT + 3], determinant = a * c - b * b;
    fit->lo = (c * sum.gradient[2] - b * sum.gradient[3]) / determinant;
    fit->hi = (a * sum.gradient[3] - b * sum.gradient[2]) / determinant;
}

static step moved_edge(step fit, const double delta[PARAMETER_COUNT])
{
    fit.offset_px += delta[0];
    fit.slope += delta[1];
    fit.lo += delta[2];
    fit.hi += delta[3];
    fit.blur_px = fmin(fmax(fit.blur_px + delta[4], 0.3), 2.5);
    return fit;
}

static double grey_of_light(double light)
{
    const double l = fmax(light, 0) / 255;
    return 255 * (l <= 0.0031308 ? 12.92 * l : 1.055 * pow(l, 1 / 2.4) - 0.055);
}

static bool is_plausible_edge(const step *fit, const segment *s)
{
    double half = 0.5 * (s->end_px - s->begin_px);

    return isfinite(fit->lo) && fabs(grey_of_light(fit->hi) - grey_of_light(fit->lo)) >= CONTRAST_MIN &&
           fabs(fit->offset_px) + fabs(fit->slope) * half <= SHIFT_MAX_PX;
}

/** Levenberg-Marquardt on the five parameters; the band follows the edge while it moves. Out: the equations before the
 *  last step. */
static bool fit_step(step *fit, normal_equations *end, const segment *s, const pov_grey *grey)
{
    step centre_line = *fit;

    fit_levels(fit, s, grey);
    if (!is_plausible_edge(fit, s))
        return false;
    *end = (normal_equations){.cost = 0};
    add_pixels(end, fit, &centre_line, s, grey);
    for (pov_descent d = pov_descent_from(end->cost, 1e-3, TRIAL_MAX); pov_descent_continues(&d);) {
        normal_equations there = {.cost = 0};
        double delta[PARAMETER_COUNT];

        if (end->pixel_len < PIXEL_MIN ||
            !pov_normal_step(delta, end->information, end->gradient, PARAMETER_COUNT, d.damping))
            return false;
        step trial = moved_edge(*fit, delta);
        if (!is_plausible_edge(&trial, s))
            return false;
        add_pixels(&there, &trial, &centre_line, s, grey);
        if (!pov_descent_accepts(&d, there.cost))
            continue;
        *fit = trial;
        if (fabs(delta[0]) < 1e-3 && fabs(centre_line.offset_px - fit->offset_px) < 0.1)
            return true;
        centre_line = *fit;
        *end = (normal_equations){.cost = 0};
        add_pixels(end, fit, &centre_line, s, grey);
        d.cost = end->cost; /* over the pixels of the new band */
    }
    return true;
}

static line refined_line(int *fitted_len, const segment *s, const pov_grey *grey)
{
    step fit = {.blur_px = 0.8};
    normal_equations end;
    double cov[PARAMETER_COUNT * PARAMETER_COUNT];

    if (s->end_px - s->begin_px < 4 || !fit_step(&fit, &end, s, grey) ||
        !pov_symmetric_inverse(cov, end.information, PARAMETER_COUNT))
        return (line){s->origin, s->along, ROUGH_STD_PX * ROUGH_STD_PX, 0, 0};
    (*fitted_len)++;
    const double unit = end.cost / (end.pixel_len - PARAMETER_COUNT);
    return (line){step_along(step_along(s->origin, s->along, middle(s)), s->outward, fit.offset_px),
                  step_along(s->along, s->outward, fit.slope), unit * cov[0], unit * cov[PARAMETER_COUNT + 1],
                  unit * cov[1]};
}

/** Intersection of two lines; false if they are nearly parallel. */
static bool intersect_lines(pov_vec2 *point, line a, line b)
{
    double cross = a.along.x * b.along.y - a.along.y * b.along.x;
    pov_vec2 gap = sub(b.point, a.point);

    if (fabs(cross) < 0.05)
        return false;
    *point = step_along(a.point, a.along, (gap.x * b.along.y - gap.y * b.along.x) / cross);
    return true;
}

/** Variance of the lines' intersection: mean over both axes. */
static double meeting_variance_px2(pov_vec2 point, line a, line b)
{
    const line lines[2] = {a, b};
    double sum = 0;

    for (int i = 0; i < 2; i++) {
        const double u = dot(sub(point, lines[i].point), lines[i].along);
        sum += lines[i].offset_var_px2 + u * (2 * lines[i].offset_slope_cov_px + u * lines[i].slope_var);
    }
    const double cross = a.along.x * b.along.y - a.along.y * b.along.x;
    return sum / (2 * cross * cross);
}

/** One pass. Returns how many edge ends were fitted. */
static int refine_corners(pov_vec2 corner_px[4], double *variance_px2, const pov_grey *grey, int cells)
{
    pov_vec2 rough[4], centre = {0, 0};
    int fitted_len = 0;

    for (int i = 0; i < 4; i++) {
        rough[i] = corner_px[i];
        centre = step_along(centre, corner_px[i], 0.25);
    }
    *variance_px2 = 0;
    for (int i = 0; i < 4; i++) {
        segment before = segment_near(rough[i], rough[(i + 3) % 4], centre, cells);
        segment after = segment_near(rough[i], rough[(i + 1) % 4], centre, cells);
        line a = refined_line(&fitted_len, &before, grey), b = refined_line(&fitted_len, &after, grey);
        double here_px2 = ROUGH_STD_PX * ROUGH_STD_PX;
        pov_vec2 corner;

        if (intersect_lines(&corner, a, b) &&
            hypot(corner.x - rough[i].x, corner.y - rough[i].y) <= 2 * SHIFT_MAX_PX) {
            corner_px[i] = corner;
            here_px2 = fmin(here_px2, meeting_variance_px2(corner, a, b));
        }
        *variance_px2 += 0.25 * here_px2;
    }
    return fitted_len;
}

static double largest_move(const pov_vec2 a[4], const pov_vec2 b[4])
{
    double largest = 0;

    for (int i = 0; i < 4; i++)
        largest = fmax(largest, hypot(a[i].x - b[i].x, a[i].y - b[i].y));
    return largest;
}

int pov_tag_corners_refine(pov_vec2 corner_px[4], double *std_px, const pov_grey *grey, int cells)
{
    double variance_px2 = 0, moved_px = INFINITY;
    int fitted_len = 0;

    for (int pass = 0; pass < PASS_MAX && moved_px > SETTLED_PX; pass++) {
        const pov_vec2 before[4] = {corner_px[0], corner_px[1], corner_px[2], corner_px[3]};
        fitted_len = refine_corners(corner_px, &variance_px2, grey, cells);
        moved_px = largest_move(before, corner_px);
    }
    *std_px = sqrt(variance_px2);
    return fitted_len;
}
