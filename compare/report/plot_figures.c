#include "compare/report/plot_figures.h"

#include "draw/plot.h"

#include <math.h>

/* ---- reliability ---- */

typedef struct {
    double low, high;
} bounds;

/* Wilson 1927: of a share, from its count. */
static bounds wilson(int yes, int n)
{
    const double z = 1.959964, share = (double)yes / n, middle = share + z * z / (2 * n),
                 half = z * sqrt(share * (1 - share) / n + z * z / (4.0 * n * n)), over = 1 + z * z / n;
    return (bounds){fmax(0, (middle - half) / over), fmin(1, (middle + half) / over)};
}

static void draw_bin(const pov_axes *a, double p, int yes, int n)
{
    const bounds b = wilson(yes, n);
    double x_px = pov_axes_x_px(a, p);
    pov_plot_line(a->stream, x_px, pov_axes_y_px(a, b.low), x_px, pov_axes_y_px(a, b.high), "line s0");
    pov_plot_sign(a->stream, 0, x_px, pov_axes_y_px(a, (double)yes / n), 4);
}

void pov_plot_reliability(FILE *stream, const char *title, const pov_calibration *calibration)
{
    static const pov_ticks shares = {0.5, "%.1f", "share that is true"}, none = {1, "", NULL},
                           calls = {0.25, "%.2f", "P(yes), mean of a tenth"};
    static const double ends[] = {0, 1};
    const pov_axes a = {stream, 56, 14, 270, 230, 0, 1, 0, 1},
                   counts = {stream, 56, 254, 270, 40, 0, 1, 0, 1};
    int most = 1;
    for (int i = 0; i < POV_CALIBRATION_BINS; i++)
        most = calibration->bin[i].n > most ? calibration->bin[i].n : most;
    pov_plot_begin(stream, 350, 338, title);
    pov_axes_draw(&a, NULL, &shares);
    pov_axes_draw(&counts, &calls, &none);
    pov_axes_line(&a, ends, ends, 2, "line s1 dashed");
    for (int i = 0; i < POV_CALIBRATION_BINS; i++) {
        int n = calibration->bin[i].n;
        double tall = 38.0 * n / most, width = counts.width_px / POV_CALIBRATION_BINS;
        pov_plot_rectangle(stream, counts.left_px + i * width + 2, 293 - tall, width - 4, tall, "count");
        if (n > 0)
            draw_bin(&a, calibration->bin[i].p_sum / n, calibration->bin[i].yes, n);
    }
    pov_plot_words(stream, 50, 278, "tick end", "cases");
    pov_plot_end(stream);
}

/* ---- intervals ---- */

static void draw_interval(const pov_axes *a, const pov_estimate *e, int series, double y_px)
{
    static const char *const styles[POV_SERIES_MAX] = {"line s0", "line s1", "line s2", "line s3",
                                                       "line s4", "line s5", "line s6"};
    if (isnan(e->mean))
        return;
    if (!isnan(e->low))
        pov_plot_line(a->stream, pov_axes_x_px(a, 100 * e->low), y_px, pov_axes_x_px(a, 100 * e->high), y_px,
                      styles[series]);
    pov_plot_sign(a->stream, series, pov_axes_x_px(a, 100 * e->mean), y_px, 4);
}

static void draw_series_names(FILE *stream, const char *const *series, int len)
{
    for (int s = 0; len > 1 && s < len; s++) {
        double x_px = 20 + 230 * (s % 3), y_px = 16 + 18 * floor(s / 3.0);
        pov_plot_sign(stream, s, x_px, y_px - 4, 4);
        pov_plot_words(stream, x_px + 10, y_px, "tick start", series[s]);
    }
}

static bool has_interval(const pov_interval_row *rows, int len, int series_len)
{
    for (int i = 0; i < len; i++)
        for (int s = 0; s < series_len; s++)
            if (!isnan(rows[i].at[s].low))
                return true;
    return false;
}

void pov_plot_intervals(FILE *stream, const char *title, const pov_interval_row *rows, int len,
                        const char *const *series, int series_len, const char *axis)
{
    char words[120];
    snprintf(words, sizeof words, "%.80s%s", axis,
             has_interval(rows, len, series_len) ? ", 95 % intervals" : "");
    const pov_ticks percent = {20, "%.0f", words};
    double row_px = 25 + 11 * series_len, head_px = series_len > 1 ? 14 + 18 * ceil(series_len / 3.0) : 10;
    const pov_axes a = {stream, 14, head_px, 692, len * row_px, 0, 100, 0, 1};
    pov_plot_begin(stream, 720, head_px + len * row_px + 44, title);
    draw_series_names(stream, series, series_len);
    pov_axes_draw(&a, &percent, NULL);
    for (int i = 0; i < len; i++) {
        double top_px = head_px + i * row_px, x_px = pov_axes_x_px(&a, 100 * rows[i].chance);
        char name[100];
        snprintf(name, sizeof name, "%.*s", (int)sizeof name - 1, rows[i].name);
        if (i > 0)
            pov_plot_line(stream, a.left_px, top_px, a.left_px + a.width_px, top_px, "grid");
        pov_plot_words(stream, a.left_px + 6, top_px + 14, "tick start", name);
        if (!isnan(rows[i].chance))
            pov_plot_line(stream, x_px, top_px + 18, x_px, top_px + row_px - 2, "chance");
        for (int s = 0; s < series_len; s++)
            draw_interval(&a, &rows[i].at[s], s, top_px + 20 + 11 * s + 5.5);
    }
    pov_plot_end(stream);
}

/* ---- co-occurrence ---- */

static const double cell_px = 58, matrix_left_px = 92, matrix_top_px = 48;

static void draw_cell(FILE *stream, int gold, int answered, int count, int of_row)
{
    char text[20];
    double x_px = matrix_left_px + answered * cell_px, y_px = matrix_top_px + gold * cell_px,
           share = of_row > 0 ? (double)count / of_row : 0;
    fprintf(
        stream,
        "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" class=\"heat\" fill-opacity=\"%.3f\"/>\n",
        x_px, y_px, cell_px, cell_px, share);
    snprintf(text, sizeof text, "%d", count);
    pov_plot_words(stream, x_px + cell_px / 2, y_px + cell_px / 2 + 4,
                   share > 0.85 ? "on middle" : "tick middle", text);
}

void pov_plot_matrix(FILE *stream, const char *title, const pov_vpt_cooccurrence *matrix,
                     const char *const names[4])
{
    pov_plot_begin(stream, 350, 310, title);
    pov_plot_words(stream, matrix_left_px + 2 * cell_px, 16, "name middle", "answered");
    pov_plot_words(stream, 22, matrix_top_px - 10, "name start", "gold");
    for (int gold = 0; gold < 4; gold++) {
        int of_row = 0;
        for (int answered = 0; answered < 4; answered++)
            of_row += matrix->count[gold][answered];
        pov_plot_words(stream, matrix_left_px - 8, matrix_top_px + (gold + 0.5) * cell_px + 4, "tick end",
                       names[gold]);
        pov_plot_words(stream, matrix_left_px + (gold + 0.5) * cell_px, matrix_top_px - 8, "tick middle",
                       names[gold]);
        for (int answered = 0; answered < 4; answered++)
            draw_cell(stream, gold, answered, matrix->count[gold][answered], of_row);
    }
    pov_plot_rectangle(stream, matrix_left_px, matrix_top_px, 4 * cell_px, 4 * cell_px, "frame");
    pov_plot_end(stream);
}
