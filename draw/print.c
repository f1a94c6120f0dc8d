#include "draw/print.h"

#include "config/files/utf8.h"
#include "draw/cairo_loaded.h"

#include <librsvg/rsvg.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define g_error_free                         POV_LOADED(g_error_free)
#define g_object_unref                       POV_LOADED(g_object_unref)
#define rsvg_handle_get_intrinsic_dimensions POV_LOADED(rsvg_handle_get_intrinsic_dimensions)
#define rsvg_handle_new_from_data            POV_LOADED(rsvg_handle_new_from_data)
#define rsvg_handle_render_document          POV_LOADED(rsvg_handle_render_document)

/* Lengths in points, 1/72 inch, as PDF counts. */
#define POINTS_PER_MM (72 / 25.4)
static const double page_width = 210 * POINTS_PER_MM, page_height = 297 * POINTS_PER_MM,
                    margin_side = 17 * POINTS_PER_MM, margin_top = 20 * POINTS_PER_MM,
                    margin_foot = 22 * POINTS_PER_MM;

static cairo_status_t write_bytes(void *stream, const unsigned char *bytes, unsigned int len)
{
    return fwrite(bytes, 1, len, stream) == len ? CAIRO_STATUS_SUCCESS : CAIRO_STATUS_WRITE_ERROR;
}

/* The same answers give the same bytes: no date. */
static cairo_surface_t *begin_pdf(FILE *stream, double width, double height, const char *title)
{
    cairo_surface_t *surface = cairo_pdf_surface_create_for_stream(write_bytes, stream, width, height);
    cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_CREATE_DATE, "2000-01-01T00:00:00Z");
    cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_CREATOR, "pov");
    cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_TITLE, title);
    return surface;
}

static pov_status end_surface(cairo_surface_t *surface, cairo_status_t problem)
{
    cairo_surface_finish(surface);
    if (problem == CAIRO_STATUS_SUCCESS)
        problem = cairo_surface_status(surface);
    cairo_surface_destroy(surface);
    return problem == CAIRO_STATUS_SUCCESS ? pov_ok()
                                           : pov_error("cairo: %s", cairo_status_to_string(problem));
}

/* ---- drawings ---- */

/* A drawing, and how tall it is for its width. */
typedef struct {
    RsvgHandle *handle;
    double height_by_width;
} drawing;

static pov_status read_drawing(drawing *read, const char *svg)
{
    GError *error = NULL;
    RsvgRectangle box = {0, 0, 0, 0};
    gboolean has_box = FALSE;
    read->handle = rsvg_handle_new_from_data((const guint8 *)svg, strlen(svg), &error);
    if (!read->handle) {
        const pov_status status = pov_error("librsvg: %.200s", error->message);
        g_error_free(error);
        return status;
    }
    rsvg_handle_get_intrinsic_dimensions(read->handle, NULL, NULL, NULL, NULL, &has_box, &box);
    POV_REQUIRE(has_box && box.width > 0);
    read->height_by_width = box.height / box.width;
    return pov_ok();
}

static pov_status render_drawing(cairo_t *cairo, const drawing *read, double x, double y, double width)
{
    GError *error = NULL;
    const RsvgRectangle place = {x, y, width, width * read->height_by_width};
    if (rsvg_handle_render_document(read->handle, cairo, &place, &error))
        return pov_ok();
    const pov_status status = pov_error("librsvg: %.200s", error->message);
    g_error_free(error);
    return status;
}

pov_status pov_print_drawing(FILE *stream, const char *svg, double width_mm, pov_print_form form)
{
    drawing read;
    POV_TRY(pov_cairo_load());
    POV_TRY(read_drawing(&read, svg));
    const double width = width_mm * POINTS_PER_MM, height = width * read.height_by_width;
    cairo_surface_t *surface = form == POV_PRINT_PDF
                                   ? begin_pdf(stream, width, height, "")
                                   : cairo_svg_surface_create_for_stream(write_bytes, stream, width, height);
    cairo_t *cairo = cairo_create(surface);
    pov_status status = render_drawing(cairo, &read, 0, 0, width);
    cairo_show_page(cairo);
    const cairo_status_t problem = cairo_status(cairo);
    cairo_destroy(cairo);
    g_object_unref(read.handle);
    const pov_status ended = end_surface(surface, problem);
    return status.code == POV_OK ? ended : status;
}

/* ---- documents ---- */

enum { COLUMNS = 2, WAITING_MAX = 4 };

struct pov_print {
    cairo_surface_t *surface;
    cairo_t *cairo;
    double y; /* of the next line's top */
    bool in_columns;
    double column_y[COLUMNS]; /* where the figures of each column end */
    struct {
        pov_print_look look;
        char *text;
    } waiting[WAITING_MAX]; /* texts that stay with what follows */
    int waiting_len;
    int page;
    pov_status status; /* the first problem */
};

static const double text_width = 176 * POINTS_PER_MM;

static void number_page(pov_print *paper)
{
    char number[16];
    cairo_text_extents_t extents;
    snprintf(number, sizeof number, "%d", paper->page);
    cairo_select_font_face(paper->cairo, "sans-serif", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(paper->cairo, 8);
    cairo_set_source_rgb(paper->cairo, 0.3, 0.3, 0.3);
    cairo_text_extents(paper->cairo, number, &extents);
    cairo_move_to(paper->cairo, (page_width - extents.x_advance) / 2, page_height - margin_foot / 2);
    cairo_show_text(paper->cairo, number);
}

/* Cairo stops at noncharacters, */
static void strike_noncharacters(char *text)
{
    for (size_t step; (step = pov_utf8_character_length(text)) > 0; text += step)
        if (pov_utf8_is_noncharacter(text, step))
            memset(text, '?', step);
}

/* and at what is not UTF-8. */
static void copy_printable(char *plain, size_t capacity, const char *text)
{
    pov_utf8_copy(plain, capacity, text);
    strike_noncharacters(plain);
}

pov_status pov_print_new(pov_print **print, FILE *stream, const char *title)
{
    char plain[400];
    *print = NULL;
    POV_TRY(pov_cairo_load());
    pov_print *paper = *print = pov_allocate(1, sizeof *paper);
    copy_printable(plain, sizeof plain, title);
    paper->surface = begin_pdf(stream, page_width, page_height, plain);
    paper->cairo = cairo_create(paper->surface);
    paper->y = margin_top;
    paper->page = 1;
    paper->status = pov_ok();
    return pov_ok();
}

static void turn_page(pov_print *paper)
{
    number_page(paper);
    cairo_show_page(paper->cairo);
    paper->page++;
    paper->y = margin_top;
}

/* A new page, unless there is room for so much. */
static void need_room(pov_print *paper, double height)
{
    if (paper->y > margin_top && paper->y + height > page_height - margin_foot)
        turn_page(paper);
}

/* ---- text ---- */

typedef struct {
    const char *family;
    double size, leading, before, indent;
    bool bold, italic;
    double grey;
} style;

static void set_style(cairo_t *cairo, const style *s)
{
    cairo_select_font_face(cairo, s->family, s->italic ? CAIRO_FONT_SLANT_ITALIC : CAIRO_FONT_SLANT_NORMAL,
                           s->bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(cairo, s->size);
    cairo_set_source_rgb(cairo, s->grey, s->grey, s->grey);
}

enum { LINE_CAPACITY = 400 };

static double measure_text(cairo_t *cairo, const char *text)
{
    cairo_text_extents_t extents;
    char plain[LINE_CAPACITY];
    copy_printable(plain, sizeof plain, text);
    cairo_text_extents(cairo, plain, &extents);
    return extents.x_advance;
}

/* The next line of a text that is no wider than asked, broken at a space or after a slash, or within a word that is too long.
 * Returns: the rest; NULL after the last line. */
static const char *take_line(char line[LINE_CAPACITY], cairo_t *cairo, const char *text, double width)
{
    size_t length = 0, space = 0;
    for (;;) {
        const size_t step = pov_utf8_character_length(text + length);
        if (step == 0 || text[length] == '\n') {
            memcpy(line, text, length);
            line[length] = '\0';
            return text[length] == '\n' ? text + length + 1 : NULL;
        }
        if (text[length] == ' ')
            space = length;
        if (length + step >= LINE_CAPACITY - 1)
            break;
        memcpy(line, text, length + step);
        line[length + step] = '\0';
        if (text[length] != ' ' && length > 0 && measure_text(cairo, line) > width)
            break;
        length += step;
        if (text[length - 1] == '/') /* "ball/car" */
            space = length;
    }
    const size_t end = space > 0 ? space : length;
    line[end] = '\0';
    text += end;
    return text + strspn(text, " ");
}

static int count_lines(cairo_t *cairo, const char *text, double width)
{
    char line[LINE_CAPACITY];
    int len = 0;
    for (const char *rest = text; rest; len++)
        rest = take_line(line, cairo, rest, width);
    return len;
}

/* Lines from the top of a place down. Returns: where they end. */
static double draw_lines(cairo_t *cairo, const style *s, const char *text, double x, double y, double width)
{
    char line[LINE_CAPACITY];
    set_style(cairo, s);
    for (const char *rest = text; rest; y += s->leading) {
        rest = take_line(line, cairo, rest, width);
        strike_noncharacters(line);
        cairo_move_to(cairo, x, y + s->size);
        cairo_show_text(cairo, line);
    }
    return y;
}

static char *make_plain(const char *text)
{
    const size_t capacity = strlen(text) + 1;
    char *plain = pov_allocate(capacity, 1);
    copy_printable(plain, capacity, text);
    return plain;
}

static const style looks[POV_PRINT_LOOKS] = {
    [POV_PRINT_TITLE] = {.family = "sans-serif", .size = 17, .leading = 21, .before = 0, .bold = true},
    [POV_PRINT_LEAD] = {.family = "sans-serif", .size = 11, .leading = 15, .before = 9},
    [POV_PRINT_SECTION] = {.family = "sans-serif", .size = 12, .leading = 15, .before = 14, .bold = true},
    [POV_PRINT_BODY] = {.family = "sans-serif", .size = 9, .leading = 12.5, .before = 5},
    [POV_PRINT_POINT] = {.family = "sans-serif", .size = 9, .leading = 12, .before = 2.5, .indent = 11},
    [POV_PRINT_WARNING] =
        {.family = "sans-serif", .size = 9, .leading = 12.5, .before = 9, .indent = 6, .bold = true},
    [POV_PRINT_CODE] = {.family = "monospace", .size = 7, .leading = 9.5, .before = 4}};

/* Height of a text in its look, with the space before it. */
static double measure_lines(pov_print *paper, pov_print_look look, const char *text)
{
    const style *s = &looks[look];
    set_style(paper->cairo, s);
    return s->before + s->leading * count_lines(paper->cairo, text, text_width - 2 * s->indent) +
           (look == POV_PRINT_WARNING ? 8 : 0);
}

static void draw_text(pov_print *paper, pov_print_look look, const char *text)
{
    const style *s = &looks[look];
    const double width = text_width - 2 * s->indent, x = margin_side + s->indent,
                 height = measure_lines(paper, look, text) - s->before;
    char line[LINE_CAPACITY];
    if (paper->y > margin_top)
        paper->y += s->before;
    if (look == POV_PRINT_WARNING) {
        cairo_set_source_rgb(paper->cairo, 0.66, 0.44, 0);
        cairo_set_line_width(paper->cairo, 1);
        cairo_rectangle(paper->cairo, margin_side, paper->y - 3, text_width, height - 2);
        cairo_stroke(paper->cairo);
    }
    set_style(paper->cairo, s);
    if (look == POV_PRINT_POINT) {
        cairo_move_to(paper->cairo, margin_side + 2, paper->y + s->size);
        cairo_show_text(paper->cairo, "•");
    }
    for (const char *rest = text; rest; paper->y += s->leading) {
        rest = take_line(line, paper->cairo, rest, width);
        need_room(paper, s->leading);
        set_style(paper->cairo, s);
        cairo_move_to(paper->cairo, x, paper->y + s->size);
        cairo_show_text(paper->cairo, line);
    }
    if (look == POV_PRINT_WARNING)
        paper->y += 8;
}

/* Ends the columns, and draws what waits, on a page that has room for so much more. */
static void make_room(pov_print *paper, double height)
{
    if (paper->in_columns)
        paper->y = fmax(paper->column_y[0], paper->column_y[1]);
    paper->in_columns = false;
    for (int i = 0; i < paper->waiting_len; i++)
        height += measure_lines(paper, paper->waiting[i].look, paper->waiting[i].text);
    need_room(paper, fmin(height, page_height - margin_top - margin_foot));
    for (int i = 0; i < paper->waiting_len; i++) {
        draw_text(paper, paper->waiting[i].look, paper->waiting[i].text);
        free(paper->waiting[i].text);
    }
    paper->waiting_len = 0;
}

void pov_print_text(pov_print *paper, pov_print_look look, const char *text)
{
    char *plain = make_plain(text);
    const bool waits = look == POV_PRINT_TITLE || look == POV_PRINT_LEAD || look == POV_PRINT_SECTION;
    if (waits) {
        if (paper->waiting_len == WAITING_MAX)
            make_room(paper, 0);
        paper->waiting[paper->waiting_len].look = look;
        paper->waiting[paper->waiting_len++].text = plain;
        return;
    }
    const double height = measure_lines(paper, look, plain),
                 some = looks[look].before + 3 * looks[look].leading;
    make_room(paper, look == POV_PRINT_WARNING ? height : fmin(height, some));
    draw_text(paper, look, plain);
    free(plain);
}

pov_status pov_print_finish(pov_print **paper)
{
    pov_print *p = *paper;
    make_room(p, 0);
    number_page(p);
    cairo_show_page(p->cairo);
    const cairo_status_t problem = cairo_status(p->cairo);
    cairo_destroy(p->cairo);
    const pov_status ended = end_surface(p->surface, problem), status = p->status;
    free(p);
    *paper = NULL;
    return status.code == POV_OK ? ended : status;
}

/* ---- figures ---- */

static const style caption_style = {
    .family = "sans-serif", .size = 7.5, .leading = 9.8, .before = 4, .grey = 0.15};

/* Height of a figure with its caption. */
static double measure_figure(pov_print *paper, const drawing *read, const char *caption)
{
    const double width = POV_PRINT_COLUMN_MM * POINTS_PER_MM;
    set_style(paper->cairo, &caption_style);
    return width * read->height_by_width + caption_style.before +
           caption_style.leading * count_lines(paper->cairo, caption, width);
}

static void note_problem(pov_print *paper, pov_status status)
{
    if (paper->status.code == POV_OK)
        paper->status = status;
}

static const double before_figure = 14, shrink_min = 0.85; /* chosen: letters of 7 points */

static double room_below(double y)
{
    return page_height - margin_foot - y - (y > margin_top ? before_figure : 0);
}

/* Begins the columns, or finds the shorter one; on a new page where the figure does not fit either. */
static int choose_column(pov_print *paper, double height_min)
{
    if (!paper->in_columns || paper->waiting_len > 0) {
        make_room(paper, before_figure + height_min);
        paper->in_columns = true;
        paper->column_y[0] = paper->column_y[1] = paper->y;
    }
    const int shorter = paper->column_y[1] < paper->column_y[0];
    if (room_below(paper->column_y[shorter]) < height_min && paper->column_y[shorter] > margin_top) {
        turn_page(paper);
        paper->column_y[0] = paper->column_y[1] = paper->y;
        return 0;
    }
    return shorter;
}

static void place_figure(pov_print *paper, const drawing *read, const char *caption)
{
    const double width = POV_PRINT_COLUMN_MM * POINTS_PER_MM, tall = width * read->height_by_width,
                 of_caption = measure_figure(paper, read, caption) - tall;
    const int column = choose_column(paper, shrink_min * tall + of_caption);
    double *y = &paper->column_y[column];
    const double scale = fmax(shrink_min, fmin(1, (room_below(*y) - of_caption) / tall)),
                 x = margin_side + column * (text_width - width);
    if (*y > margin_top)
        *y += before_figure;
    note_problem(paper, render_drawing(paper->cairo, read, x + (1 - scale) * width / 2, *y, scale * width));
    draw_lines(paper->cairo, &caption_style, caption, x, *y + scale * tall + caption_style.before, width);
    *y += scale * tall + of_caption;
}

void pov_print_add_figure(pov_print *paper, const pov_print_figure *figure)
{
    drawing read = {NULL, 0};
    char *caption = make_plain(figure->caption);
    note_problem(paper, read_drawing(&read, figure->svg));
    if (read.handle) {
        place_figure(paper, &read, caption);
        g_object_unref(read.handle);
    }
    free(caption);
}

/* ---- tables, with three rules ---- */

static const double gap = 7;
static const double size_max = 7.5, size_min = 6; /* chosen: legible */

typedef struct {
    const pov_print_table *table;
    double width[POV_PRINT_COLUMNS_MAX], total, size, text_column_max;
    bool has_notes;
    bool keeps_words; /* no column is narrower than its longest word */
} table_layout;

static style cell_style(const table_layout *t, pov_print_row_look look)
{
    return (style){.family = "sans-serif",
                   .size = t->size,
                   .leading = t->size * 1.3,
                   .bold = look <= POV_PRINT_OURS,
                   .italic = look == POV_PRINT_SPAN,
                   .grey = look <= POV_PRINT_PLAIN ? 0 : 0.3};
}

static style note_style(const table_layout *t)
{
    return (style){
        .family = "sans-serif", .size = fmax(size_min, t->size - 1), .leading = t->size * 1.2, .grey = 0.3};
}

/* The widest of a text's words, between blanks and after slashes. */
static double measure_words(cairo_t *cairo, const char *text)
{
    char word[LINE_CAPACITY];
    double widest = 0;
    for (size_t length; *text; text += length + strspn(text + length, " \n")) {
        length = strcspn(text, " \n/");
        length += text[length] == '/';
        snprintf(word, sizeof word, "%.*s", (int)length, text);
        widest = fmax(widest, measure_text(cairo, word));
    }
    return widest;
}

/* Columns as wide as their cells, at a size of letters. */
static void measure_columns(cairo_t *cairo, table_layout *t)
{
    t->total = -gap;
    for (int c = 0; c < t->table->columns; c++) {
        double widest = 0, longest_word = 0;
        for (int r = 0; r < t->table->len; r++) {
            const pov_print_row *row = &t->table->rows[r];
            if (row->look == POV_PRINT_SPAN || row->look == POV_PRINT_GROUPS)
                continue;
            const style s = cell_style(t, row->look), n = note_style(t);
            set_style(cairo, &s);
            if (row->cell[c]) {
                widest = fmax(widest, measure_text(cairo, row->cell[c]));
                longest_word = fmax(longest_word, measure_words(cairo, row->cell[c]));
            }
            set_style(cairo, &n);
            if (row->note[c] && t->has_notes)
                widest = fmax(widest, measure_text(cairo, row->note[c]));
        }
        const double least = t->keeps_words ? longest_word : 0;
        t->width[c] = t->table->is_number[c] ? widest : fmin(widest, fmax(least, t->text_column_max));
        t->total += t->width[c] + gap;
    }
}

/* Too wide a table gets smaller letters, then loses its notes, then breaks the lines of its text between words, then within. */
static void fit_columns(cairo_t *cairo, table_layout *t)
{
    const double usual_max = t->text_column_max;
    t->keeps_words = true;
    measure_columns(cairo, t);
    for (; t->total > text_width && t->size > size_min; measure_columns(cairo, t))
        t->size -= 0.25;
    t->has_notes = t->total <= text_width;
    measure_columns(cairo, t);
    for (; t->total > text_width && t->text_column_max > 40; measure_columns(cairo, t))
        t->text_column_max -= 4;
    if (t->total <= text_width)
        return;
    t->keeps_words = false;
    t->text_column_max = usual_max;
    measure_columns(cairo, t);
    for (; t->total > text_width && t->text_column_max > 40; measure_columns(cairo, t))
        t->text_column_max -= 4;
}

static double row_height(cairo_t *cairo, const table_layout *t, const pov_print_row *row)
{
    const style s = cell_style(t, row->look), n = note_style(t);
    double height = s.leading;
    set_style(cairo, &s);
    for (int c = 0; c < t->table->columns && row->look != POV_PRINT_SPAN; c++) {
        double own = row->cell[c] ? s.leading * count_lines(cairo, row->cell[c], t->width[c] + 0.01) : 0;
        own += t->has_notes && row->note[c] && *row->note[c] ? n.leading : 0;
        height = fmax(height, own);
    }
    return height + (row->look == POV_PRINT_SPAN ? 5 : 1.5);
}

static void draw_cell(cairo_t *cairo, const style *s, const char *text, double x, double y, double width,
                      bool right)
{
    set_style(cairo, s);
    if (right)
        x += width - measure_text(cairo, text);
    draw_lines(cairo, s, text, x, y, right ? INFINITY : width + 0.01);
}

/* Heads in the middle of their columns, a rule below each. */
static void draw_groups(pov_print *paper, const table_layout *t, const pov_print_row *row)
{
    const style s = cell_style(t, row->look);
    double x = margin_side;
    for (int c = 0, end; c < t->table->columns; c = end) {
        double width = t->width[c];
        for (end = c + 1; end < t->table->columns && row->cell[end] && *row->cell[end] == '\0'; end++)
            width += gap + t->width[end];
        if (row->cell[c]) {
            set_style(paper->cairo, &s);
            draw_lines(paper->cairo, &s, row->cell[c],
                       x + (width - measure_text(paper->cairo, row->cell[c])) / 2, paper->y, INFINITY);
            cairo_set_line_width(paper->cairo, 0.4);
            cairo_move_to(paper->cairo, x, paper->y + s.leading + 0.5);
            cairo_line_to(paper->cairo, x + width, paper->y + s.leading + 0.5);
            cairo_stroke(paper->cairo);
        }
        x += width + gap;
    }
    paper->y += s.leading + 2.5;
}

static void draw_row(pov_print *paper, const table_layout *t, const pov_print_row *row)
{
    const style s = cell_style(t, row->look), n = note_style(t);
    double x = margin_side;
    const double height = row_height(paper->cairo, t, row);
    if (row->look == POV_PRINT_OURS) {
        cairo_set_source_rgb(paper->cairo, 0.9, 0.95, 1);
        cairo_rectangle(paper->cairo, margin_side - 2, paper->y - 0.5, t->total + 4, height);
        cairo_fill(paper->cairo);
    }
    if (row->look == POV_PRINT_SPAN)
        draw_cell(paper->cairo, &s, row->cell[0], x, paper->y + 3.5, text_width, false);
    for (int c = 0; c < t->table->columns && row->look != POV_PRINT_SPAN; c++) {
        if (row->cell[c])
            draw_cell(paper->cairo, &s, row->cell[c], x, paper->y, t->width[c], t->table->is_number[c]);
        if (t->has_notes && row->note[c] && *row->note[c])
            draw_cell(paper->cairo, &n, row->note[c], x, paper->y + s.leading, t->width[c],
                      t->table->is_number[c]);
        x += t->width[c] + gap;
    }
    paper->y += height;
}

static void draw_rule(pov_print *paper, const table_layout *t, double thickness)
{
    cairo_set_source_rgb(paper->cairo, 0, 0, 0);
    cairo_set_line_width(paper->cairo, thickness);
    cairo_move_to(paper->cairo, margin_side - 2, paper->y);
    cairo_line_to(paper->cairo, margin_side + fmax(t->total, 0) + 2, paper->y);
    cairo_stroke(paper->cairo);
    paper->y += 3;
}

static int draw_heads(pov_print *paper, const table_layout *t)
{
    int r = 0;
    draw_rule(paper, t, 0.9);
    for (; r < t->table->len && t->table->rows[r].look <= POV_PRINT_HEAD; r++)
        (t->table->rows[r].look == POV_PRINT_GROUPS ? draw_groups : draw_row)(paper, t, &t->table->rows[r]);
    draw_rule(paper, t, 0.5);
    return r;
}

/* A table of at most a quarter of a page stands whole. */
static double height_kept(cairo_t *cairo, const table_layout *t)
{
    double height = 0;
    for (int r = 0; r < t->table->len; r++)
        height += row_height(cairo, t, &t->table->rows[r]);
    return height < page_height / 4 ? height + 10 : 70;
}

void pov_print_add_table(pov_print *paper, const pov_print_table *table)
{
    table_layout t = {.table = table, .size = size_max, .text_column_max = 92, .has_notes = true};
    char *caption = make_plain(table->caption);
    fit_columns(paper->cairo, &t);
    set_style(paper->cairo, &caption_style);
    const double caption_height = caption_style.leading * count_lines(paper->cairo, caption, text_width);
    make_room(paper, 14 + caption_height + fmax(70, height_kept(paper->cairo, &t)));
    if (paper->y > margin_top)
        paper->y += 14;
    paper->y = draw_lines(paper->cairo, &caption_style, caption, margin_side, paper->y, text_width) + 3;
    for (int r = draw_heads(paper, &t); r < table->len; r++) {
        const double height = row_height(paper->cairo, &t, &table->rows[r]);
        if (paper->y + height > page_height - margin_foot) {
            draw_rule(paper, &t, 0.9);
            turn_page(paper);
            draw_heads(paper, &t);
        }
        draw_row(paper, &t, &table->rows[r]);
    }
    paper->y += 1.5;
    draw_rule(paper, &t, 0.9);
    free(caption);
}
