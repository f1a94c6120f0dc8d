/* The figures of a report, as inline SVG. */
#include "compare/report/report_internal.h"

#include "compare/scores/comfort_score.h"
#include "compare/scores/paper_measures.h"
#include "draw/page.h"
#include "draw/plot.h"
#include "draw/svg.h"
#include "perception/geometry/linalg.h"

#include <math.h>
#include <string.h>

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

static void finish_profile(profile *p, const bin bins[POV_CURVE_SAMPLES])
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
    finish_profile(&p, bins);
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
    pov_axes_draw(axes, panel < 2 ? &theta_only : &theta, panel % 2 ? &probability_only : &probability);
    pov_svg_text(axes->stream, axes->left_px, axes->top_px - 7, "panel start", "%s (%d %s)",
                 relation_words[panel], p->curves, p->curves == 1 ? "curve" : "curves");
    if (p->curves == 0) {
        pov_svg_text(axes->stream, axes->left_px + axes->width_px / 2, axes->top_px + axes->height_px / 2,
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
        pov_svg_line(stream, items[i].x_px, y_px - 4, items[i].x_px + 26, y_px - 4, items[i].style);
        pov_svg_text(stream, items[i].x_px + 32, y_px, "tick start", "%s",
                     items[i].words ? items[i].words
                     : has_spread   ? "P(yes), stretched to 0..1 (± std. dev.)"
                                    : "P(yes), stretched to 0..1");
    }
}

/* COMFORT's Figure 5, a panel for each relation: P(yes) and the stretched P(yes), their means over curves with the
 * standard deviation, by the angle from where the relation holds best in a reading; and both references. */
static void plot_curves(FILE *stream, const char *title, const pov_comfort_curve *curves, int len,
                        pov_reading reading)
{
    profile profiles[POV_COMFORT_RELATIONS];
    bool has_spread = false;
    for (int r = 0; r < POV_COMFORT_RELATIONS; r++) {
        profiles[r] = profile_of(curves, len, (pov_relation)r, reading);
        has_spread |= profiles[r].curves > 1;
    }
    pov_svg_begin(stream, 720, 458, title);
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
    pov_svg_end(stream);
}

/* ---- from above ---- */

static const double centre_x_px = 180, centre_y_px = 172, radius_px = 125; /* layout; chosen */

static void draw_ring(FILE *stream, double share, const char *words)
{
    pov_svg_circle(stream, centre_x_px, centre_y_px, share * radius_px, "ring", NULL);
    pov_svg_text(stream, centre_x_px + 0.72 * share * radius_px + 2,
                 centre_y_px - 0.72 * share * radius_px - 2, "tick start", "%s", words);
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
    pov_svg_path(stream, x_px, y_px, s->len + 1, style);
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

/* P(yes) of the four relations by the referent's place, as seen from above. */
static void plot_polar(FILE *stream, const char *title, const pov_comfort_curve *curves, int len)
{
    static const char *const styles[POV_COMFORT_RELATIONS] = {"line s0", "line s1 dashed", "line s2 dotted",
                                                              "line s3 dashdot"};
    pov_svg_begin(stream, 360, 386, title);
    pov_svg_line(stream, centre_x_px - radius_px, centre_y_px, centre_x_px + radius_px, centre_y_px, "grid");
    pov_svg_line(stream, centre_x_px, centre_y_px - radius_px, centre_x_px, centre_y_px + radius_px, "grid");
    draw_ring(stream, 0.5, "0.5");
    draw_ring(stream, 1, "P(yes) = 1");
    pov_svg_text(stream, centre_x_px, centre_y_px - radius_px - 8, "name middle",
                 "180°, away from the camera");
    pov_svg_text(stream, centre_x_px, centre_y_px + radius_px + 18, "name middle", "0°, toward the camera");
    pov_svg_text(stream, centre_x_px - radius_px - 6, centre_y_px + 4, "name end", "270°");
    pov_svg_text(stream, centre_x_px + radius_px + 6, centre_y_px + 4, "name start", "90°");
    for (int r = 0; r < POV_COMFORT_RELATIONS; r++) {
        double p[POV_CURVE_SAMPLES], x_px = r % 2 ? 200 : 60, y_px = r < 2 ? 346 : 368;
        const stops s = mean_by_place(p, curves, len, (pov_relation)r);
        draw_polar_line(stream, p, &s, styles[r]);
        pov_svg_line(stream, x_px, y_px - 4, x_px + 30, y_px - 4, styles[r]);
        pov_svg_text(stream, x_px + 36, y_px, "tick start", "%s", relation_words[r]);
    }
    pov_svg_end(stream);
}

/* ---- reliability ---- */

typedef struct {
    double low, high;
} bounds;

/* Wilson 1927: of a share, from its count. */
static bounds wilson_interval(int yes, int n)
{
    const double z = 1.959964, share = (double)yes / n, middle = share + z * z / (2 * n),
                 half = z * sqrt(share * (1 - share) / n + z * z / (4.0 * n * n)), over = 1 + z * z / n;
    return (bounds){fmax(0, (middle - half) / over), fmin(1, (middle + half) / over)};
}

static void draw_bin(const pov_axes *a, double p, int yes, int n)
{
    const bounds b = wilson_interval(yes, n);
    double x_px = pov_axes_x_px(a, p);
    pov_svg_line(a->stream, x_px, pov_axes_y_px(a, b.low), x_px, pov_axes_y_px(a, b.high), "line s0");
    pov_svg_marker(a->stream, 0, x_px, pov_axes_y_px(a, (double)yes / n), 4);
}

/* For each predicted p: the share of true cases with Wilson's 95 % interval, and the number of cases. */
static void plot_reliability(FILE *stream, const char *title, const pov_calibration *calibration)
{
    static const pov_ticks shares = {0.5, "%.1f", "share that is true"}, none = {1, "", NULL},
                           calls = {0.25, "%.2f", "P(yes), mean of a tenth"};
    static const double ends[] = {0, 1};
    const pov_axes a = {stream, 56, 14, 270, 230, 0, 1, 0, 1},
                   counts = {stream, 56, 254, 270, 40, 0, 1, 0, 1};
    int most = 1;
    for (int i = 0; i < POV_CALIBRATION_BINS; i++)
        most = calibration->bin[i].n > most ? calibration->bin[i].n : most;
    pov_svg_begin(stream, 350, 338, title);
    pov_axes_draw(&a, NULL, &shares);
    pov_axes_draw(&counts, &calls, &none);
    pov_axes_line(&a, ends, ends, 2, "line s1 dashed");
    for (int i = 0; i < POV_CALIBRATION_BINS; i++) {
        int n = calibration->bin[i].n;
        double tall = 38.0 * n / most, width = counts.width_px / POV_CALIBRATION_BINS;
        pov_svg_rectangle(stream, counts.left_px + i * width + 2, 293 - tall, width - 4, tall, "count", NULL);
        if (n > 0)
            draw_bin(&a, calibration->bin[i].p_sum / n, calibration->bin[i].yes, n);
    }
    pov_svg_text(stream, 50, 278, "tick end", "cases");
    pov_svg_end(stream);
}

/* ---- intervals ---- */

static void draw_interval(const pov_axes *a, const pov_estimate *e, int series, double y_px)
{
    static const char *const styles[POV_REPORT_SERIES_MAX] = {"line s0", "line s1", "line s2", "line s3",
                                                              "line s4", "line s5", "line s6"};
    if (isnan(e->mean))
        return;
    if (!isnan(e->low))
        pov_svg_line(a->stream, pov_axes_x_px(a, 100 * e->low), y_px, pov_axes_x_px(a, 100 * e->high), y_px,
                     styles[series]);
    pov_svg_marker(a->stream, series, pov_axes_x_px(a, 100 * e->mean), y_px, 4);
}

static void draw_series_names(FILE *stream, const char *const *series, int len)
{
    for (int s = 0; len > 1 && s < len; s++) {
        double x_px = 20 + 230 * (s % 3), y_px = 16 + 18 * floor(s / 3.0);
        pov_svg_marker(stream, s, x_px, y_px - 4, 4);
        pov_svg_text(stream, x_px + 10, y_px, "tick start", "%s", series[s]);
    }
}

static bool has_interval(const pov_report_interval_row *rows, int len, int series_len)
{
    for (int i = 0; i < len; i++)
        for (int s = 0; s < series_len; s++)
            if (!isnan(rows[i].at[s].low))
                return true;
    return false;
}

void pov_report_plot_intervals(FILE *stream, const char *title, const pov_report_interval_row *rows, int len,
                               const char *const *series, int series_len, const char *axis)
{
    char words[120];
    snprintf(words, sizeof words, "%.80s%s", axis,
             has_interval(rows, len, series_len) ? ", 95 % intervals" : "");
    const pov_ticks percent = {20, "%.0f", words};
    double row_px = 25 + 11 * series_len, head_px = series_len > 1 ? 14 + 18 * ceil(series_len / 3.0) : 10;
    const pov_axes a = {stream, 14, head_px, 692, len * row_px, 0, 100, 0, 1};
    pov_svg_begin(stream, 720, head_px + len * row_px + 44, title);
    draw_series_names(stream, series, series_len);
    pov_axes_draw(&a, &percent, NULL);
    for (int i = 0; i < len; i++) {
        double top_px = head_px + i * row_px, x_px = pov_axes_x_px(&a, 100 * rows[i].chance);
        char name[100];
        snprintf(name, sizeof name, "%.*s", (int)sizeof name - 1, rows[i].name);
        if (i > 0)
            pov_svg_line(stream, a.left_px, top_px, a.left_px + a.width_px, top_px, "grid");
        pov_svg_text(stream, a.left_px + 6, top_px + 14, "tick start", "%s", name);
        if (!isnan(rows[i].chance))
            pov_svg_line(stream, x_px, top_px + 18, x_px, top_px + row_px - 2, "chance");
        for (int s = 0; s < series_len; s++)
            draw_interval(&a, &rows[i].at[s], s, top_px + 20 + 11 * s + 5.5);
    }
    pov_svg_end(stream);
}

/* ---- co-occurrence ---- */

static const double cell_px = 58, matrix_left_px = 92, matrix_top_px = 48; /* layout; chosen */

static void draw_cell(FILE *stream, int gold, int answered, int count, int of_row)
{
    char text[60];
    double x_px = matrix_left_px + answered * cell_px, y_px = matrix_top_px + gold * cell_px,
           share = of_row > 0 ? (double)count / of_row : 0;
    snprintf(text, sizeof text, "class=\"heat\" fill-opacity=\"%.3f\"", share);
    pov_svg_rectangle(stream, x_px, y_px, cell_px, cell_px, text, NULL);
    pov_svg_text(stream, x_px + cell_px / 2, y_px + cell_px / 2 + 4,
                 share > 0.85 ? "on middle" : "tick middle", "%d", count);
}

/* How often each answer came to each gold answer; shades are shares of the row. */
static void plot_matrix(FILE *stream, const char *title, const pov_vpt_cooccurrence *matrix,
                        const char *const names[4])
{
    pov_svg_begin(stream, 350, 310, title);
    pov_svg_text(stream, matrix_left_px + 2 * cell_px, 16, "name middle", "answered");
    pov_svg_text(stream, 22, matrix_top_px - 10, "name start", "gold");
    for (int gold = 0; gold < 4; gold++) {
        int of_row = 0;
        for (int answered = 0; answered < 4; answered++)
            of_row += matrix->count[gold][answered];
        pov_svg_text(stream, matrix_left_px - 8, matrix_top_px + (gold + 0.5) * cell_px + 4, "tick end", "%s",
                     names[gold]);
        pov_svg_text(stream, matrix_left_px + (gold + 0.5) * cell_px, matrix_top_px - 8, "tick middle", "%s",
                     names[gold]);
        for (int answered = 0; answered < 4; answered++)
            draw_cell(stream, gold, answered, matrix->count[gold][answered], of_row);
    }
    pov_svg_rectangle(stream, matrix_left_px, matrix_top_px, 4 * cell_px, 4 * cell_px, "frame", NULL);
    pov_svg_end(stream);
}

static void write_left_out(FILE *stream, int count, const char *what)
{
    if (count > 0)
        fprintf(stream, "<p class=\"note\">%d more %s are left out here; the tables have them.</p>\n", count,
                what);
}

/* ---- COMFORT ---- */

static void draw_group(FILE *stream, const pov_answers *answers, int g)
{
    const pov_comfort_group *group = pov_comfort_data_group(answers->comfort, g);
    const pov_comfort_curve *curves = pov_comfort_data_curves(answers->comfort) + group->first;
    char name[160], caption[400];
    pov_report_group_name(name, group);
    pov_page_element(stream, "h4", "%s", name);
    fputs("<div class=\"group\">\n", stream);
    pov_page_figure_begin(stream, "curves");
    snprintf(caption, sizeof caption, "P(yes) by the angle from where each relation holds best, %s", name);
    plot_curves(stream, caption, curves, group->len,
                pov_prompt_reading(group->prompt, answers->options.convention));
    pov_page_figure_end(
        stream, "After COMFORT's Figure 5: mean over curves; the angle is counted in the frame asked for.");
    pov_page_figure_begin(stream, "half");
    snprintf(caption, sizeof caption, "P(yes) by the referent's place as seen from above, %s", name);
    plot_polar(stream, caption, curves, group->len);
    pov_page_figure_end(stream, "Mean P(yes) by the referent's azimuth about the relatum, from above.");
    pov_page_figure_begin(stream, "half");
    snprintf(caption, sizeof caption, "Reliability of P(yes), %s", name);
    plot_reliability(stream, caption, &answers->tables[g].score.calibration);
    pov_page_figure_end(stream,
                        answers->tables[g].score.calibration.n > 0
                            ? "Reliability: on the dashed line, P(yes) means what it says. 95 % intervals "
                              "(Wilson)."
                            : "Reliability: nothing was scored.");
    fputs("</div>\n", stream);
}

static void draw_preferences(FILE *stream, const pov_answers *answers, pov_prefer comparison,
                             const char *caption)
{
    pov_report_interval_row rows[POV_REPORT_BARS_MAX];
    const char *names[POV_REPORT_SERIES_MAX] = {NULL};
    int len = 0, applies = 0, series = 0;
    for (int g = 0; g < pov_comfort_data_groups(answers->comfort); g++) {
        const pov_comfort_group *group = pov_comfort_data_group(answers->comfort, g);
        const pov_preference *preference = &answers->tables[g].preference[comparison];
        if (!pov_prefer_applies(comparison, group) || applies++ >= POV_REPORT_BARS_MAX)
            continue;
        pov_report_group_name(rows[len].name, group);
        rows[len].chance = NAN;
        series = preference->len;
        memcpy(rows[len++].at, preference->eps_cosine, sizeof preference->eps_cosine);
    }
    for (int k = 0; k < series; k++)
        names[k] = pov_report_column_words(pov_prefer_key(comparison, k));
    if (len == 0)
        return;
    pov_page_figure_begin(stream, "curves");
    pov_report_plot_intervals(stream, caption, rows, len, names, series, "ε cos × 100 (left is nearer)");
    pov_page_figure_end(stream, caption);
    write_left_out(stream, applies - len, "rows");
}

static void draw_comfort(FILE *stream, const pov_answers *answers)
{
    int groups = pov_comfort_data_groups(answers->comfort);
    fputs("<h3>Which frame the answers follow</h3>\n", stream);
    draw_preferences(stream, answers, POV_PREFER_PERSPECTIVE, "How far answers are from each perspective");
    draw_preferences(stream, answers, POV_PREFER_CONVENTION,
                     "How far answers are from each convention of the camera's axes");
    fputs("<h3>Curves</h3>\n", stream);
    for (int g = 0; g < groups && g < POV_REPORT_CURVES_MAX; g++)
        draw_group(stream, answers, g);
    write_left_out(stream, groups - POV_REPORT_CURVES_MAX, "groups of curves");
}

/* ---- the others ---- */

/* The score that a random answer would get in a column of a pivot; NaN: not known. */
static double chance_of(const pov_answers *answers, const char *value)
{
    const pov_sheet_table *scores = pov_sheet_find(answers->sheet, "scores");
    if (!scores)
        return NAN;
    if (strcmp(value, "all") == 0)
        value = "";
    const int value_column = pov_sheet_column_of(scores, "value"),
              chance = pov_sheet_column_of(scores, "chance");
    for (int row = 0; row < scores->len; row++)
        if (strcmp(scores->rows[row][value_column].text, value) == 0)
            return scores->rows[row][chance].estimate.mean;
    return NAN;
}

/* A row for each column of a pivot, a series for each model. */
static void draw_pivot(FILE *stream, const pov_answers *answers, const pov_sheet_table *pivot)
{
    pov_report_interval_row rows[POV_SHEET_COLUMNS_MAX];
    const char *names[POV_REPORT_SERIES_MAX] = {NULL};
    char caption[200];
    bool has_chance = false;
    int models = pivot->len < POV_REPORT_SERIES_MAX ? pivot->len : POV_REPORT_SERIES_MAX;
    for (int c = 1; c < pivot->columns_len; c++) {
        pov_report_interval_row *row = &rows[c - 1];
        snprintf(row->name, sizeof row->name, "%s", pov_report_column_words(pivot->columns[c].key));
        row->chance = chance_of(answers, pivot->columns[c].key);
        has_chance |= !isnan(row->chance);
        for (int m = 0; m < models; m++)
            row->at[m] = pivot->rows[m][c].estimate;
    }
    for (int m = 0; m < models; m++)
        names[m] = pivot->rows[m][0].text;
    pov_page_figure_begin(stream, "curves");
    pov_report_plot_intervals(stream, pivot->title, rows, pivot->columns_len - 1, names, models, "%");
    snprintf(caption, sizeof caption, "%s.%s", pivot->title, has_chance ? " Grey strokes: chance." : "");
    pov_page_figure_end(stream, caption);
    write_left_out(stream, pivot->len - models, "models");
}

static void draw_matrices(FILE *stream, const pov_answers *answers)
{
    static const char *const cardinals[4] = {"north", "east", "south", "west"}, *const sides[4] = {
                                                                                    "front", "right", "back",
                                                                                    "left"};
    const pov_paper_scores *scores = &answers->scores;
    int len = pov_name_set_len(scores->labels);
    fputs("<div class=\"group\">\n", stream);
    for (int i = 0; i < len && i < POV_REPORT_CURVES_MAX; i++) {
        const char *label = pov_name_set_at(scores->labels, i), *value = strrchr(label, '\t') + 1;
        char caption[300];
        snprintf(caption, sizeof caption, "%.*s %s: answers to each gold answer; shade: share of the row",
                 (int)strcspn(label, "\t"), label, value);
        pov_page_figure_begin(stream, "half");
        plot_matrix(stream, caption, &scores->extras[i].matrix, strcmp(value, "Q7") == 0 ? sides : cardinals);
        pov_page_figure_end(stream, caption);
    }
    fputs("</div>\n", stream);
    write_left_out(stream, len - POV_REPORT_CURVES_MAX, "matrices");
}

static void draw_calibrations(FILE *stream, const pov_answers *answers)
{
    const pov_paper_scores *scores = &answers->scores;
    fputs("<div class=\"group\">\n", stream);
    for (int i = 0; i < pov_name_set_len(scores->labels) && i < POV_REPORT_CURVES_MAX; i++) {
        const char *label = pov_name_set_at(scores->labels, i);
        char caption[300];
        if (scores->extras[i].calibration.n == 0)
            continue;
        snprintf(caption, sizeof caption, "Reliability of P(true): %.*s", (int)strcspn(label, "\t"), label);
        pov_page_figure_begin(stream, "half");
        plot_reliability(stream, caption, &scores->extras[i].calibration);
        pov_page_figure_end(stream, caption);
    }
    fputs("</div>\n", stream);
}

void pov_report_html_figures(FILE *stream, const pov_report_part *part)
{
    if (part->answers->comfort) {
        draw_comfort(stream, part->answers);
        return;
    }
    const pov_sheet_table *pictures = pov_sheet_find(part->answers->sheet, "visor_cond");
    if (part->answers->visor)
        draw_pivot(stream, part->answers,
                   pictures ? pictures : pov_sheet_find(part->answers->sheet, "visor_uncond"));
    for (int i = 0; i < pov_sheet_len(part->pivots); i++)
        draw_pivot(stream, part->answers, pov_sheet_at(part->pivots, i));
    if (part->answers->paper == POV_PAPER_VPT)
        draw_matrices(stream, part->answers);
    if (part->answers->paper == POV_PAPER_VSR)
        draw_calibrations(stream, part->answers);
}
