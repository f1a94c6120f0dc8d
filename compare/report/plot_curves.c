#include "compare/report/plot_figures.h"
#include "draw/plot.h"

#include "perception/geometry/linalg.h"

#include <math.h>

enum { ROUND = POV_CURVE_SAMPLES + 1 }; /* the circle closes */

static const char *const relation_words[POV_COMFORT_RELATIONS] = {"left", "right", "in front", "behind"};

/* Sums by angle. */
typedef struct {
    double n, raw, stretched, squares;
} bin;

/* Means by angle; NaN: nothing was scored. */
typedef struct {
    double x[ROUND], raw[ROUND], stretched[ROUND], low[ROUND], high[ROUND];
    int len, curves;
} profile;

/* Indices of the angles at which a rotation stopped; at[len] is the first again, once round. */
typedef struct {
    int at[ROUND], len;
} stops;

static void add_curve(bin bins[POV_CURVE_SAMPLES], const pov_curve *curve, double direction_deg)
{
    pov_normalised normalised;
    pov_curve_normalise(&normalised, curve, POV_FORMULAS_PAPER);
    for (int i = 0; i < POV_CURVE_SAMPLES; i++) {
        if (isnan(curve->p[i]))
            continue;
        long steps = lround((i * POV_CURVE_STEP_DEG - direction_deg + 180) / POV_CURVE_STEP_DEG);
        bin *b = &bins[(steps % POV_CURVE_SAMPLES + POV_CURVE_SAMPLES) % POV_CURVE_SAMPLES];
        b->n++;
        b->raw += curve->p[i];
        b->stretched += normalised.p[i];
        b->squares += normalised.p[i] * normalised.p[i];
    }
}

static int common_divisor(int a, int b)
{
    return b == 0 ? a : common_divisor(b, a % b);
}

/* The samples tell: of a rotation in steps of 30 degrees every third may be scored, and one that is not is a gap. */
static stops stops_of(const double n[POV_CURVE_SAMPLES])
{
    enum { STEP_MAX = 6 }; /* what is farther apart is not joined */
    int first = -1, step = POV_CURVE_SAMPLES;
    for (int i = 0; i < POV_CURVE_SAMPLES; i++)
        if (n[i] > 0) {
            first = first < 0 ? i : first;
            step = common_divisor(step, i - first);
        }
    if (first < 0 || step > STEP_MAX)
        step = 1;
    stops s = {.len = 0};
    for (int i = first < 0 ? 0 : first % step; i < POV_CURVE_SAMPLES; i += step)
        s.at[s.len++] = i;
    s.at[s.len] = s.at[0] + POV_CURVE_SAMPLES;
    return s;
}

static void finish(profile *p, const bin bins[POV_CURVE_SAMPLES])
{
    double n[POV_CURVE_SAMPLES];
    for (int i = 0; i < POV_CURVE_SAMPLES; i++)
        n[i] = bins[i].n;
    const stops s = stops_of(n);
    p->len = s.len + (s.at[0] == 0); /* what lies on the left edge lies on the right one, too */
    for (int i = 0; i < p->len; i++) {
        const bin *b = &bins[s.at[i] % POV_CURVE_SAMPLES];
        double mean = b->stretched / b->n, deviation = sqrt(fmax(0, b->squares / b->n - mean * mean));
        p->x[i] = s.at[i] * POV_CURVE_STEP_DEG - 180;
        p->raw[i] = b->raw / b->n; /* 0/0: NaN */
        p->stretched[i] = mean;
        p->low[i] = isnan(mean) ? NAN : fmax(0, mean - deviation); /* fmax would take 0 of NaN and 0 */
        p->high[i] = isnan(mean) ? NAN : fmin(1, mean + deviation);
    }
}

/* By the angle from where the relation holds best in a reading. */
static profile profile_of(const pov_comfort_curve *curves, int len, pov_relation relation,
                          pov_reading reading)
{
    bin bins[POV_CURVE_SAMPLES] = {{0}};
    profile p = {.curves = 0};
    for (int i = 0; i < len; i++) {
        double direction_deg = pov_curve_direction_deg(relation, reading, curves[i].facings);
        if (curves[i].relation != relation || isnan(direction_deg))
            continue;
        add_curve(bins, &curves[i].curve, direction_deg);
        p.curves++;
    }
    finish(&p, bins);
    return p;
}

/* ---- COMFORT's Figure 5 ---- */

static void draw_references(const pov_axes *axes)
{
    enum { FINE = 181 };
    double x[FINE], cosine[FINE];
    const double step_x[] = {-180, -90, -90, 90, 90, 180}, step_y[] = {0, 0, 1, 1, 0, 0};
    for (int i = 0; i < FINE; i++) {
        x[i] = 2 * i - 180;
        cosine[i] = pov_reference_cosine(x[i]);
    }
    pov_axes_line(axes, step_x, step_y, 6, "line s1 dashed");
    pov_axes_line(axes, x, cosine, FINE, "line s0 dotted");
}

static void draw_panel(const pov_axes *axes, const profile *p, int panel)
{
    static const pov_ticks theta = {90, "%.0f°", "angle θ from where it holds best"},
                           theta_only = {90, "%.0f°", NULL}, probability = {0.5, "%.1f", "P(yes)"},
                           probability_only = {0.5, "%.1f", NULL};
    char title[80];
    pov_axes_draw(axes, panel < 2 ? &theta_only : &theta, panel % 2 ? &probability_only : &probability);
    snprintf(title, sizeof title, "%s (%d %s)", relation_words[panel], p->curves,
             p->curves == 1 ? "curve" : "curves");
    pov_plot_words(axes->stream, axes->left_px, axes->top_px - 7, "panel start", title);
    if (p->curves == 0) {
        pov_plot_words(axes->stream, axes->left_px + axes->width_px / 2, axes->top_px + axes->height_px / 2,
                       "tick middle", "not asked, or there is no such frame");
        return;
    }
    pov_axes_band(axes, p->x, p->low, p->high, p->len, "band");
    draw_references(axes);
    pov_axes_line(axes, p->x, p->raw, p->len, "line raw");
    pov_axes_line(axes, p->x, p->stretched, p->len, "line strong");
}

static void draw_legend(FILE *stream, double y_px, bool has_spread)
{
    static const struct {
        double x_px;
        const char *style, *words;
    } items[] = {{56, "line strong", NULL},
                 {338, "line raw", "P(yes)"},
                 {424, "line s1 dashed", "half-plane"},
                 {538, "line s0 dotted", "(cos θ + 1) / 2"}};
    for (int i = 0; i < 4; i++) {
        pov_plot_line(stream, items[i].x_px, y_px - 4, items[i].x_px + 26, y_px - 4, items[i].style);
        pov_plot_words(stream, items[i].x_px + 32, y_px, "tick start",
                       items[i].words ? items[i].words
                       : has_spread   ? "P(yes), stretched to 0..1 (± std. dev.)"
                                      : "P(yes), stretched to 0..1");
    }
}

void pov_plot_curves(FILE *stream, const char *title, const pov_comfort_curve *curves, int len,
                     pov_reading reading)
{
    profile profiles[POV_COMFORT_RELATIONS];
    bool has_spread = false;
    for (int r = 0; r < POV_COMFORT_RELATIONS; r++) {
        profiles[r] = profile_of(curves, len, (pov_relation)r, reading);
        has_spread |= profiles[r].curves > 1;
    }
    pov_plot_begin(stream, 720, 458, title);
    draw_legend(stream, 16, has_spread);
    for (int panel = 0; panel < POV_COMFORT_RELATIONS; panel++) {
        const pov_axes axes = {.stream = stream,
                               .left_px = panel % 2 ? 412 : 56,
                               .top_px = panel < 2 ? 50 : 258,
                               .width_px = 290,
                               .height_px = 152,
                               .x_low = -180,
                               .x_high = 180,
                               .y_low = 0,
                               .y_high = 1};
        draw_panel(&axes, &profiles[panel], panel);
    }
    pov_plot_end(stream);
}

/* ---- from above ---- */

static const double centre_x_px = 180, centre_y_px = 172, radius_px = 125;

static void draw_ring(FILE *stream, double share, const char *words)
{
    fprintf(stream, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\" class=\"ring\"/>\n", centre_x_px, centre_y_px,
            share * radius_px);
    pov_plot_words(stream, centre_x_px + 0.72 * share * radius_px + 2,
                   centre_y_px - 0.72 * share * radius_px - 2, "tick start", words);
}

static void draw_polar_line(FILE *stream, const double p[POV_CURVE_SAMPLES], const stops *s,
                            const char *style)
{
    double x_px[ROUND], y_px[ROUND];
    for (int i = 0; i <= s->len; i++) {
        const int at = s->at[i] % POV_CURVE_SAMPLES;
        const double phi = at * POV_CURVE_STEP_DEG * POV_PI / 180, r_px = radius_px * p[at];
        x_px[i] = centre_x_px + r_px * sin(phi);
        y_px[i] = centre_y_px + r_px * cos(phi);
    }
    pov_plot_path(stream, x_px, y_px, s->len + 1, style);
}

static stops mean_by_place(double p[POV_CURVE_SAMPLES], const pov_comfort_curve *curves, int len,
                           pov_relation relation)
{
    double n[POV_CURVE_SAMPLES] = {0};
    for (int k = 0; k < POV_CURVE_SAMPLES; k++)
        p[k] = 0;
    for (int i = 0; i < len; i++)
        for (int k = 0; k < POV_CURVE_SAMPLES; k++)
            if (curves[i].relation == relation && !isnan(curves[i].curve.p[k])) {
                p[k] += curves[i].curve.p[k];
                n[k]++;
            }
    for (int k = 0; k < POV_CURVE_SAMPLES; k++)
        p[k] /= n[k];
    return stops_of(n);
}

void pov_plot_polar(FILE *stream, const char *title, const pov_comfort_curve *curves, int len)
{
    static const char *const styles[POV_COMFORT_RELATIONS] = {"line s0", "line s1 dashed", "line s2 dotted",
                                                              "line s3 dashdot"};
    pov_plot_begin(stream, 360, 386, title);
    pov_plot_line(stream, centre_x_px - radius_px, centre_y_px, centre_x_px + radius_px, centre_y_px, "grid");
    pov_plot_line(stream, centre_x_px, centre_y_px - radius_px, centre_x_px, centre_y_px + radius_px, "grid");
    draw_ring(stream, 0.5, "0.5");
    draw_ring(stream, 1, "P(yes) = 1");
    pov_plot_words(stream, centre_x_px, centre_y_px - radius_px - 8, "name middle",
                   "180°, away from the camera");
    pov_plot_words(stream, centre_x_px, centre_y_px + radius_px + 18, "name middle", "0°, toward the camera");
    pov_plot_words(stream, centre_x_px - radius_px - 6, centre_y_px + 4, "name end", "270°");
    pov_plot_words(stream, centre_x_px + radius_px + 6, centre_y_px + 4, "name start", "90°");
    for (int r = 0; r < POV_COMFORT_RELATIONS; r++) {
        double p[POV_CURVE_SAMPLES], x_px = r % 2 ? 200 : 60, y_px = r < 2 ? 346 : 368;
        const stops s = mean_by_place(p, curves, len, (pov_relation)r);
        draw_polar_line(stream, p, &s, styles[r]);
        pov_plot_line(stream, x_px, y_px - 4, x_px + 30, y_px - 4, styles[r]);
        pov_plot_words(stream, x_px + 36, y_px, "tick start", relation_words[r]);
    }
    pov_plot_end(stream);
}
