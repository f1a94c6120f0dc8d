#include "compare/report/figure.h"

#include "config/files/csv.h"
#include "config/files/utf8.h"
#include "draw/plot.h"
#include "draw/svg.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

pov_figure *pov_figure_new(void)
{
    pov_figure *figure = pov_allocate(1, sizeof *figure);
    figure->panels = pov_allocate(POV_FIGURE_PANELS_MAX, sizeof *figure->panels);
    return figure;
}

void pov_figure_destroy(pov_figure **figure)
{
    if (!*figure)
        return;
    pov_figure_clear(*figure);
    free((*figure)->panels);
    free(*figure);
    *figure = NULL;
}

void pov_figure_clear(pov_figure *figure)
{
    pov_figure_panel *panels = figure->panels;
    for (int i = 0; i < POV_FIGURE_ROWS_MAX; i++)
        free(figure->rows[i].name);
    pov_text_free(&figure->title);
    pov_text_free(&figure->caption);
    memset(panels, 0, POV_FIGURE_PANELS_MAX * sizeof *panels);
    *figure = (pov_figure){.panels = panels};
}

/* ---- the sheet: 720 px on the page; 340 px on paper, where a px is 0.25 mm and the smallest letters are 8.5 pt ---- */

enum { TICK_PX = 12, LINE_PX = 18 };
static const double beyond =
    0.03; /* axes go beyond 0 and 1 by so much, so that points there are seen whole; chosen */
static const double letter_px = 0.58 * TICK_PX; /* mean width of DejaVu Sans */

typedef struct {
    FILE *stream;
    double width_px;
    bool is_narrow;
} sheet;

static sheet begin_sheet(const pov_figure *figure, FILE *stream, pov_figure_place place, double page_px)
{
    const bool narrow = place == POV_FIGURE_ON_PAPER;
    return (sheet){.stream = stream,
                   .width_px = narrow || figure->kind == POV_FIGURE_POLAR ? 340 : page_px,
                   .is_narrow = narrow};
}

static void begin_drawing(const sheet *s, const pov_figure *figure, double height_px)
{
    if (s->is_narrow)
        pov_svg_begin_file(s->stream, s->width_px, height_px, true);
    else
        pov_svg_begin(s->stream, s->width_px, height_px, pov_text_of(&figure->title));
}

static double guess_width_px(const char *text)
{
    int letters = 0;
    for (; *text != '\0'; text++)
        letters += ((unsigned char)*text & 0xc0) != 0x80;
    return letter_px * letters;
}

/* Lines of at most a width, broken at spaces, or within a word that is too long. Returns: how many. */
static int write_lines_as(const sheet *s, const char *text, double x_px, double y_px, double width_px,
                          const char *look, bool dry)
{
    const int letters_max = (int)fmax(8, width_px / letter_px);
    int lines = 0;
    while (*text != '\0') {
        size_t length = 0, space = 0;
        int letters = 0;
        for (size_t step; text[length] != '\0' && letters <= letters_max; length += step, letters++) {
            step = pov_utf8_character_length(text + length);
            step = step == 0 ? 1 : step;
            if (text[length] == ' ')
                space = length;
            if (letters == letters_max)
                break;
        }
        if (text[length] != '\0' && space > 0)
            length = space;
        if (!dry)
            pov_svg_text(s->stream, x_px, y_px + 14 * lines, look, "%.*s", (int)length, text);
        lines++;
        text += length;
        text += strspn(text, " ");
    }
    return lines;
}

static int write_lines(const sheet *s, const char *text, double x_px, double y_px, double width_px, bool dry)
{
    return write_lines_as(s, text, x_px, y_px, width_px, "tick start", dry);
}

/* ---- legends: samples of lines with their names, in rows ---- */

typedef struct {
    const sheet *s;
    double x_px, y_px;
    bool dry;
} legend;

/* Room for an entry; the next row where it does not fit. */
static void place_entry(legend *l, double width_px)
{
    if (l->x_px > 14 && l->x_px + width_px > l->s->width_px - 6) {
        l->x_px = 14;
        l->y_px += LINE_PX;
    }
}

static void add_entry(legend *l, const char *name, const char *look, int marker)
{
    const double sample_px = marker < 0 ? 32 : 14, room_px = l->s->width_px - 28 - sample_px,
                 width_px = sample_px + fmin(room_px, guess_width_px(name));
    place_entry(l, width_px);
    if (!l->dry && marker >= 0)
        pov_svg_marker(l->s->stream, marker, l->x_px + 5, l->y_px - 4, 4);
    else if (!l->dry && (strcmp(look, "band") == 0 || strcmp(look, "veil") == 0))
        pov_svg_rectangle(l->s->stream, l->x_px, l->y_px - 10, 26, 11, look, NULL);
    else if (!l->dry)
        pov_svg_line(l->s->stream, l->x_px, l->y_px - 4, l->x_px + 26, l->y_px - 4, look);
    const int lines = write_lines(l->s, name, l->x_px + sample_px, l->y_px, room_px + letter_px, l->dry);
    l->y_px += 14 * (lines - 1);
    l->x_px += width_px + 16;
}

/* Each name once. Returns: the height of the legend. */
static double write_panel_legend(const sheet *s, const pov_figure *figure, bool dry)
{
    legend l = {s, 14, 16, dry};
    for (int p = 0; p < figure->len; p++)
        for (int i = 0; i < figure->panels[p].len; i++) {
            const pov_figure_series *series = &figure->panels[p].series[i];
            bool is_new = true;
            for (int q = 0; q < p && is_new; q++)
                for (int k = 0; k < figure->panels[q].len && is_new; k++)
                    is_new = strcmp(figure->panels[q].series[k].name, series->name) != 0;
            if (is_new)
                add_entry(&l, series->name, series->look, -1);
        }
    return l.y_px + 2;
}

/* ---- panels by an angle ---- */

static bool has_band(const pov_figure_series *s)
{
    for (int i = 0; i < s->len; i++)
        if (!isnan(s->low[i]))
            return true;
    return false;
}

static void draw_angle_panel(const pov_axes *axes, const pov_figure_panel *panel, bool narrow)
{
    if (panel->len == 0) {
        if (!narrow)
            pov_svg_text(axes->stream, axes->left_px + axes->width_px / 2, axes->top_px + axes->height_px / 2,
                         "tick middle", "%s", panel->empty);
        return;
    }
    for (int i = 0; i < panel->len; i++) {
        const pov_figure_series *s = &panel->series[i];
        if (has_band(s))
            pov_axes_band(axes, s->x, s->low, s->high, s->len, "band");
    }
    for (int i = 0; i < panel->len; i++)
        pov_axes_line(axes, panel->series[i].x, panel->series[i].y, panel->series[i].len,
                      panel->series[i].look);
}

/* Where panels by an angle stand, px. */
typedef struct {
    int across;
    double left, next, width, tall, pitch, top;
} angle_grid;

enum { HEADING_LEFT_PX = 46 };

/* Lines of the longest heading; 0: there is none. */
static int count_heading_lines(const sheet *s, const pov_figure *figure)
{
    int most = 0;
    for (int p = 0; p < figure->len; p++) {
        const char *heading = figure->panels[p].heading;
        const int lines =
            heading ? write_lines(s, heading, 0, 0, (s->width_px - HEADING_LEFT_PX) / 1.15, true) : 0;
        most = lines > most ? lines : most;
    }
    return most;
}

static angle_grid lay_angles(const sheet *s, const pov_figure *figure)
{
    const int lines = count_heading_lines(s, figure);
    const double headed = lines > 0 ? 6 + 14 * lines : 0;
    angle_grid g = s->is_narrow ? (angle_grid){2, 46, 159, 119, 84, 84 + 44, 0}
                                : (angle_grid){2, 56, 356, 290, 152, 152 + 56, 0};
    if (!s->is_narrow && figure->across > 2) {
        g.across = figure->across;
        g.next = (s->width_px - 48) / g.across;
        g.width = g.next - 46; /* room for "180°" beside the next panel's "-180°" */
        g.tall = 96;
        g.pitch = g.tall + 48;
    }
    g.pitch += headed;
    g.top = write_panel_legend(s, figure, true) + 32 + headed;
    return g;
}

static void draw_angles(const pov_figure *figure, FILE *stream, pov_figure_place place)
{
    const sheet s = begin_sheet(figure, stream, place, 720);
    const angle_grid g = lay_angles(&s, figure);
    const int rows = (figure->len + g.across - 1) / g.across;
    const double foot_px = g.top + (rows - 1) * g.pitch + g.tall;
    static const pov_ticks probability = {0.5, "%.1f", "P(yes)"}, probability_only = {0.5, "%.1f", NULL};
    const pov_ticks theta = {s.is_narrow || g.across > 2 ? 180 : 90, "%.0f°", NULL};
    const bool is_small = s.is_narrow || g.across > 2;
    begin_drawing(&s, figure, foot_px + 48);
    write_panel_legend(&s, figure, false);
    for (int p = 0; p < figure->len; p++) {
        const pov_figure_panel *panel = &figure->panels[p];
        const int column = p % g.across, row = p / g.across;
        const pov_axes axes = {.stream = stream,
                               .left_px = g.left + column * g.next,
                               .top_px = g.top + row * g.pitch,
                               .width_px = g.width,
                               .height_px = g.tall,
                               .x_low = -180,
                               .x_high = 180,
                               .y_low = -beyond,
                               .y_high = 1 + beyond};
        pov_axes_draw(&axes, &theta, column > 0 ? &probability_only : &probability);
        if (panel->heading)
            write_lines_as(&s, panel->heading, axes.left_px,
                           axes.top_px - 10 - 14 * count_heading_lines(&s, figure),
                           (s.width_px - HEADING_LEFT_PX) / 1.15, "panel start", false);
        pov_svg_text(stream, axes.left_px, axes.top_px - 7,
                     panel->heading || figure->across ? "tick start" : "panel start", "%.*s",
                     is_small ? (int)strcspn(panel->name, "(") : (int)strlen(panel->name), panel->name);
        draw_angle_panel(&axes, panel, is_small);
    }
    pov_svg_text(stream, s.width_px / 2, foot_px + 36, "name middle", "%s", figure->axis);
    pov_svg_end(stream);
}

/* ---- panels about a centre ---- */

static const double cell_px = 170, radius_px = 50; /* layout; chosen */

static pov_vec2 polar_point(pov_vec2 centre_px, double angle_deg, double share)
{
    const double angle = angle_deg * POV_PI / 180, r_px = radius_px * share;
    return (pov_vec2){centre_px.x + r_px * sin(angle), centre_px.y + r_px * cos(angle)};
}

static void draw_polar_line(FILE *stream, pov_vec2 centre_px, const pov_figure_series *s)
{
    double x_px[POV_FIGURE_POINTS_MAX], y_px[POV_FIGURE_POINTS_MAX];
    for (int i = 0; i < s->len; i++) {
        const pov_vec2 at = polar_point(centre_px, s->x[i], s->y[i]);
        x_px[i] = at.x;
        y_px[i] = at.y;
    }
    pov_svg_path(stream, x_px, y_px, s->len, s->look);
}

/* Between two lines, or from the centre to one that is an area; nothing where the circle has a gap. */
static void draw_polar_band(FILE *stream, pov_vec2 centre_px, const pov_figure_series *s)
{
    pov_vec2 corners[2 * POV_FIGURE_POINTS_MAX];
    const bool is_area = strcmp(s->look, "band") == 0;
    int len = 0;
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < s->len; i++) {
            const int k = side == 0 ? i : s->len - 1 - i;
            const double outer = is_area ? s->y[k] : s->high[k], inner = is_area ? 0 : s->low[k];
            if (isnan(outer) || isnan(inner))
                return;
            corners[len++] = polar_point(centre_px, s->x[k], side == 0 ? outer : inner);
        }
    pov_svg_polygon(stream, corners, len, is_area ? "band" : "veil", NULL);
}

static void draw_polar_panel(FILE *stream, const pov_figure_panel *panel, pov_vec2 centre_px)
{
    const double r = radius_px;
    pov_svg_text(stream, centre_px.x - 75, centre_px.y - r - 24, "panel start", "%.*s",
                 (int)strcspn(panel->name, "("), panel->name);
    pov_svg_line(stream, centre_px.x - r, centre_px.y, centre_px.x + r, centre_px.y, "grid");
    pov_svg_line(stream, centre_px.x, centre_px.y - r, centre_px.x, centre_px.y + r, "grid");
    pov_svg_circle(stream, centre_px.x, centre_px.y, r / 2, "ring", NULL);
    pov_svg_circle(stream, centre_px.x, centre_px.y, r, "ring", NULL);
    pov_svg_text(stream, centre_px.x, centre_px.y - r - 7, "tick middle", "180°");
    pov_svg_text(stream, centre_px.x, centre_px.y + r + 15, "tick middle", "0°");
    pov_svg_text(stream, centre_px.x - r - 6, centre_px.y + 4, "tick end", "270°");
    pov_svg_text(stream, centre_px.x + r + 6, centre_px.y + 4, "tick start", "90°");
    for (int i = 0; i < panel->len; i++)
        draw_polar_band(stream, centre_px, &panel->series[i]);
    for (int i = 0; i < panel->len; i++)
        if (strcmp(panel->series[i].look, "band") != 0)
            draw_polar_line(stream, centre_px, &panel->series[i]);
}

static void draw_polar(const pov_figure *figure, FILE *stream, pov_figure_place place)
{
    const sheet s = begin_sheet(figure, stream, place, 340);
    const double top_px = write_panel_legend(&s, figure, true);
    begin_drawing(&s, figure, top_px + ceil(figure->len / 2.0) * (cell_px + 6) + 4);
    write_panel_legend(&s, figure, false);
    for (int p = 0; p < figure->len; p++)
        draw_polar_panel(stream, &figure->panels[p],
                         (pov_vec2){cell_px * (p % 2 + 0.5), top_px + 94 + (cell_px + 6) * floor(p / 2.0)});
    pov_svg_end(stream);
}

/* ---- reliability ---- */

static void draw_bin(const pov_axes *a, double p, int yes, int n)
{
    double low, high;
    pov_wilson_interval(&low, &high, yes, n);
    pov_axes_bar(a, p, low, high, "line s0");
    pov_svg_marker(a->stream, 0, pov_axes_x_px(a, p), pov_axes_y_px(a, (double)yes / n), 4);
}

/* For each predicted p: the share of true cases with its interval, and the number of cases. */
static void draw_reliability(const pov_figure *figure, FILE *stream, pov_figure_place place)
{
    static const pov_ticks shares = {0.5, "%.1f", "share that is true"}, none = {1, "", NULL},
                           calls = {0.25, "%.2f", "P(yes), mean of a tenth"};
    static const double ends[] = {0, 1};
    const sheet s = begin_sheet(figure, stream, place, 340);
    const pov_axes a = {stream, 56, 14, 264, 220, -beyond, 1 + beyond, -beyond, 1 + beyond},
                   counts = {stream, 56, 244, 264, 40, -beyond, 1 + beyond, 0, 1};
    const pov_calibration *calibration = &figure->calibration;
    int most = 1;
    for (int i = 0; i < POV_CALIBRATION_BINS; i++)
        most = calibration->bin[i].n > most ? calibration->bin[i].n : most;
    begin_drawing(&s, figure, 328);
    pov_axes_draw(&a, NULL, &shares);
    pov_axes_draw(&counts, &calls, &none);
    pov_axes_line(&a, ends, ends, 2, "line s1 dashed");
    for (int i = 0; i < POV_CALIBRATION_BINS; i++) {
        int n = calibration->bin[i].n;
        const double tall = 38.0 * n / most, left = pov_axes_x_px(&counts, (double)i / POV_CALIBRATION_BINS),
                     right = pov_axes_x_px(&counts, (i + 1.0) / POV_CALIBRATION_BINS);
        pov_svg_rectangle(stream, left + 2, 283 - tall, right - left - 4, tall, "count", NULL);
        if (n > 0)
            draw_bin(&a, calibration->bin[i].p_sum / n, calibration->bin[i].yes, n);
    }
    pov_svg_text(stream, 50, 268, "tick end", "cases");
    pov_svg_end(stream);
}

/* ---- intervals ---- */

static void draw_interval(const pov_axes *a, const pov_estimate *e, int series, double y_px)
{
    static const char *const styles[POV_FIGURE_COLUMNS_MAX] = {"line s0", "line s1", "line s2", "line s3",
                                                               "line s4", "line s5", "line s6"};
    if (isnan(e->mean))
        return;
    if (!isnan(e->low))
        pov_svg_line(a->stream, pov_axes_x_px(a, 100 * e->low), y_px, pov_axes_x_px(a, 100 * e->high), y_px,
                     styles[series]);
    pov_svg_marker(a->stream, series, pov_axes_x_px(a, 100 * e->mean), y_px, 4);
}

static double write_series_names(const sheet *s, const pov_figure *figure, bool dry)
{
    legend l = {s, 14, 16, dry};
    if (figure->columns_len < 2)
        return 10;
    for (int i = 0; i < figure->columns_len; i++)
        add_entry(&l, figure->columns[i], "", i);
    return l.y_px + 14;
}

static bool has_interval(const pov_figure *figure)
{
    for (int i = 0; i < figure->len; i++)
        for (int s = 0; s < figure->columns_len; s++)
            if (!isnan(figure->rows[i].at[s].low))
                return true;
    return false;
}

static double measure_row_px(const sheet *s, const pov_figure *figure, int row)
{
    return 11 + 14 * write_lines(s, figure->rows[row].name, 0, 0, s->width_px - 36, true) +
           11 * figure->columns_len;
}

static void draw_bar(const pov_axes *a, double percent, double y_px)
{
    const double zero_px = pov_axes_x_px(a, 0), x_px = pov_axes_x_px(a, percent);
    if (!isnan(percent))
        pov_svg_rectangle(a->stream, fmin(zero_px, x_px), y_px - 4, fabs(x_px - zero_px), 8, "count", NULL);
}

static void draw_row(const pov_axes *a, const sheet *s, const pov_figure *figure, int i, double top_px)
{
    const pov_figure_row *row = &figure->rows[i];
    const double row_px = measure_row_px(s, figure, i), x_px = pov_axes_x_px(a, 100 * row->chance);
    const int lines = write_lines(s, row->name, a->left_px + 6, top_px + 14, s->width_px - 36, false);
    if (i > 0)
        pov_svg_line(a->stream, a->left_px, top_px, a->left_px + a->width_px, top_px, "grid");
    if (!isnan(row->chance))
        pov_svg_line(a->stream, x_px, top_px + 4 + 14 * lines, x_px, top_px + row_px - 2, "chance");
    if (figure->span > 0)
        draw_bar(a, 100 * row->at[0].mean, top_px + 6 + 14 * lines + 5.5);
    for (int c = 0; c < figure->columns_len && figure->span == 0; c++)
        draw_interval(a, &row->at[c], c, top_px + 6 + 14 * lines + 11 * c + 5.5);
}

static void draw_intervals(const pov_figure *figure, FILE *stream, pov_figure_place place)
{
    const sheet s = begin_sheet(figure, stream, place, 720);
    const double head_px = write_series_names(&s, figure, true);
    double tall_px = 0;
    for (int i = 0; i < figure->len; i++)
        tall_px += measure_row_px(&s, figure, i);
    char *words = pov_text_new("%s%s", figure->axis, has_interval(figure) ? ", 95 % intervals" : "");
    const pov_ticks percent = {figure->span > 0 ? figure->span / 2 : 20, "%.0f", words};
    const double low = figure->span > 0 ? -figure->span : 0, high = figure->span > 0 ? figure->span : 100;
    const pov_axes a = {stream,
                        14,
                        head_px,
                        s.width_px - 28,
                        tall_px,
                        low - beyond * (high - low),
                        high + beyond * (high - low),
                        0,
                        1};
    begin_drawing(&s, figure, head_px + tall_px + 44);
    write_series_names(&s, figure, false);
    pov_axes_draw(&a, &percent, NULL);
    double top_px = head_px;
    for (int i = 0; i < figure->len; i++) {
        draw_row(&a, &s, figure, i, top_px);
        top_px += measure_row_px(&s, figure, i);
    }
    free(words);
    pov_svg_end(stream);
}

/* ---- co-occurrence ---- */

static const double box_px = 58, matrix_left_px = 92, matrix_top_px = 48; /* layout; chosen */

static void draw_cell(FILE *stream, int gold, int answered, int count, int of_row)
{
    char text[60];
    double x_px = matrix_left_px + answered * box_px, y_px = matrix_top_px + gold * box_px,
           share = of_row > 0 ? (double)count / of_row : 0;
    snprintf(text, sizeof text, "class=\"heat\" fill-opacity=\"%.3f\"", share);
    pov_svg_rectangle(stream, x_px, y_px, box_px, box_px, text, NULL);
    pov_svg_text(stream, x_px + box_px / 2, y_px + box_px / 2 + 4, share > 0.85 ? "on middle" : "tick middle",
                 "%d", count);
}

/* How often each answer came to each gold answer; shades are shares of the row. */
static void draw_matrix(const pov_figure *figure, FILE *stream, pov_figure_place place)
{
    const sheet s = begin_sheet(figure, stream, place, 340);
    begin_drawing(&s, figure, 300);
    pov_svg_text(stream, matrix_left_px + 2 * box_px, 16, "name middle", "answered");
    pov_svg_text(stream, 22, matrix_top_px - 10, "name start", "gold");
    for (int gold = 0; gold < 4; gold++) {
        int of_row = 0;
        for (int answered = 0; answered < 4; answered++)
            of_row += figure->count[gold][answered];
        pov_svg_text(stream, matrix_left_px - 8, matrix_top_px + (gold + 0.5) * box_px + 4, "tick end", "%s",
                     figure->columns[gold]);
        pov_svg_text(stream, matrix_left_px + (gold + 0.5) * box_px, matrix_top_px - 8, "tick middle", "%s",
                     figure->columns[gold]);
        for (int answered = 0; answered < 4; answered++)
            draw_cell(stream, gold, answered, figure->count[gold][answered], of_row);
    }
    pov_svg_rectangle(stream, matrix_left_px, matrix_top_px, 4 * box_px, 4 * box_px, "frame", NULL);
    pov_svg_end(stream);
}

void pov_figure_draw(const pov_figure *figure, FILE *stream, pov_figure_place place)
{
    static void (*const draw[])(const pov_figure *figure, FILE *stream,
                                pov_figure_place place) = {[POV_FIGURE_ANGLES] = draw_angles,
                                                           [POV_FIGURE_POLAR] = draw_polar,
                                                           [POV_FIGURE_RELIABILITY] = draw_reliability,
                                                           [POV_FIGURE_INTERVALS] = draw_intervals,
                                                           [POV_FIGURE_MATRIX] = draw_matrix};
    draw[figure->kind](figure, stream, place);
}

/* ---- numbers ---- */

static void write_numbers(FILE *stream, const double *numbers, int len)
{
    for (int i = 0; i < len; i++) {
        fputc(',', stream);
        if (isfinite(numbers[i]))
            fprintf(stream, "%.15g", numbers[i]);
    }
}

static void write_two(FILE *stream, const char *first, const char *second)
{
    pov_csv_write(stream, first);
    fputc(',', stream);
    pov_csv_write(stream, second);
}

static void write_panel_numbers(const pov_figure *figure, FILE *stream)
{
    const char *heading = NULL;
    fputs("panel,series,angle_deg,value,low,high\r\n", stream);
    for (int p = 0; p < figure->len; p++) {
        heading = figure->panels[p].heading ? figure->panels[p].heading : heading;
        char *name =
            pov_text_new("%s%s%s", heading ? heading : "", heading ? ": " : "", figure->panels[p].name);
        for (int k = 0; k < figure->panels[p].len; k++) {
            const pov_figure_series *s = &figure->panels[p].series[k];
            for (int i = 0; i < s->len; i++) {
                write_two(stream, name, s->name);
                write_numbers(stream, (const double[]){s->x[i], s->y[i], s->low[i], s->high[i]}, 4);
                fputs("\r\n", stream);
            }
        }
        free(name);
    }
}

static void write_bin_numbers(const pov_figure *figure, FILE *stream)
{
    fputs("bin,p_mean,share_true,low,high,n\r\n", stream);
    for (int i = 0; i < POV_CALIBRATION_BINS; i++) {
        const int n = figure->calibration.bin[i].n, yes = figure->calibration.bin[i].yes;
        double low = NAN, high = NAN;
        if (n > 0)
            pov_wilson_interval(&low, &high, yes, n);
        fprintf(stream, "%d", i);
        write_numbers(
            stream, (const double[]){figure->calibration.bin[i].p_sum / n, (double)yes / n, low, high, n}, 5);
        fputs("\r\n", stream);
    }
}

static void write_interval_numbers(const pov_figure *figure, FILE *stream)
{
    fputs("row,series,mean,low,high,n,chance\r\n", stream);
    for (int i = 0; i < figure->len; i++)
        for (int c = 0; c < figure->columns_len; c++) {
            const pov_estimate *e = &figure->rows[i].at[c];
            write_two(stream, figure->rows[i].name, figure->columns[c]);
            write_numbers(stream, (const double[]){e->mean, e->low, e->high, e->n, figure->rows[i].chance},
                          5);
            fputs("\r\n", stream);
        }
}

static void write_matrix_numbers(const pov_figure *figure, FILE *stream)
{
    fputs("gold,answered,count\r\n", stream);
    for (int gold = 0; gold < 4; gold++)
        for (int answered = 0; answered < 4; answered++) {
            write_two(stream, figure->columns[gold], figure->columns[answered]);
            fprintf(stream, ",%d\r\n", figure->count[gold][answered]);
        }
}

void pov_figure_write_csv(const pov_figure *figure, FILE *stream)
{
    static void (*const write[])(const pov_figure *figure,
                                 FILE *stream) = {[POV_FIGURE_ANGLES] = write_panel_numbers,
                                                  [POV_FIGURE_POLAR] = write_panel_numbers,
                                                  [POV_FIGURE_RELIABILITY] = write_bin_numbers,
                                                  [POV_FIGURE_INTERVALS] = write_interval_numbers,
                                                  [POV_FIGURE_MATRIX] = write_matrix_numbers};
    write[figure->kind](figure, stream);
}
