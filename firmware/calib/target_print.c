#include "firmware/calib/target_print.h"

#include "config/files/write_file.h"
#include "perception/version.h"

#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <math.h>
#include <string.h>

static const double POINTS_PER_MM = 72 / 25.4; /* a PDF's unit is 1/72 inch */

/* One path a mark, so that no seams show between its cells. */
static void draw_mark(cairo_t *cairo, const pov_target_mark *mark)
{
    const double half_mm = mark->cell_mm * mark->print.side_cells / 2;
    cairo_save(cairo);
    cairo_translate(cairo, mark->centre_mm.x, mark->centre_mm.y);
    cairo_rotate(cairo, mark->turn_rad);
    cairo_translate(cairo, -half_mm, -half_mm);
    for (int row = 0; row < mark->print.side_cells; row++)
        for (int column = 0; column < mark->print.side_cells; column++)
            if (mark->print.grey[row][column] < 128)
                cairo_rectangle(cairo, column * mark->cell_mm, row * mark->cell_mm, mark->cell_mm,
                                mark->cell_mm);
    cairo_set_source_rgb(cairo, 0, 0, 0);
    cairo_fill(cairo);
    cairo_restore(cairo);
}

static void draw_line(cairo_t *cairo, const pov_target_line *line)
{
    static const double dashes[] = {2, 2};
    const double grey = line->kind == POV_TARGET_RULE ? 0 : 0.55;
    cairo_set_source_rgb(cairo, grey, grey, grey);
    cairo_set_line_width(cairo, line->kind == POV_TARGET_RULE ? 0.25 : 0.15);
    cairo_set_dash(cairo, dashes, line->kind == POV_TARGET_FOLD ? 2 : 0, 0);
    cairo_move_to(cairo, line->from_mm.x, line->from_mm.y);
    cairo_line_to(cairo, line->to_mm.x, line->to_mm.y);
    cairo_stroke(cairo);
}

static void draw_text(cairo_t *cairo, const pov_target_text *text)
{
    cairo_text_extents_t extents;
    cairo_save(cairo);
    cairo_set_source_rgb(cairo, 0.35, 0.35, 0.35);
    cairo_set_font_size(cairo, text->height_mm);
    cairo_text_extents(cairo, text->words, &extents);
    cairo_translate(cairo, text->at_mm.x, text->at_mm.y);
    cairo_rotate(cairo, text->turn_rad);
    cairo_move_to(cairo, -text->align * extents.x_advance, 0);
    cairo_show_text(cairo, text->words);
    cairo_restore(cairo);
}

static void draw_page(cairo_t *cairo, const pov_target *target, int page)
{
    cairo_save(cairo);
    cairo_scale(cairo, POINTS_PER_MM, POINTS_PER_MM);
    cairo_select_font_face(cairo, "sans-serif", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
    for (int i = 0; i < target->line_len; i++)
        if (target->lines[i].page == page)
            draw_line(cairo, &target->lines[i]);
    for (int i = 0; i < target->mark_len; i++)
        if (target->marks[i].page == page)
            draw_mark(cairo, &target->marks[i]);
    for (int i = 0; i < target->text_len; i++)
        if (target->texts[i].page == page)
            draw_text(cairo, &target->texts[i]);
    cairo_restore(cairo);
    cairo_show_page(cairo);
}

static cairo_status_t write_bytes(void *stream, const unsigned char *bytes, unsigned int len)
{
    return fwrite(bytes, 1, len, stream) == len ? CAIRO_STATUS_SUCCESS : CAIRO_STATUS_WRITE_ERROR;
}

/* Draws pages [first, end) and gives the surface back. */
static pov_status draw_pages(cairo_surface_t *surface, const pov_target *target, int first, int end)
{
    cairo_t *cairo = cairo_create(surface);
    for (int page = first; page < end; page++)
        draw_page(cairo, target, page);
    cairo_status_t problem = cairo_status(cairo);
    cairo_destroy(cairo);
    cairo_surface_finish(surface);
    if (problem == CAIRO_STATUS_SUCCESS)
        problem = cairo_surface_status(surface);
    cairo_surface_destroy(surface);
    return problem == CAIRO_STATUS_SUCCESS ? pov_ok()
                                           : pov_error("cairo: %s", cairo_status_to_string(problem));
}

pov_status pov_target_print_pdf(const pov_target *target, const char *path)
{
    pov_write_file file;
    POV_TRY(pov_write_file_begin(&file, path));
    cairo_surface_t *surface =
        cairo_pdf_surface_create_for_stream(write_bytes, file.stream, target->page_width_mm * POINTS_PER_MM,
                                            target->page_height_mm * POINTS_PER_MM);
    cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_CREATOR, "pov " POV_VERSION);
    return pov_write_file_end(&file, draw_pages(surface, target, 0, target->page_len));
}

static pov_status print_svg_page(const pov_target *target, const char *path, int page)
{
    pov_write_file file;
    POV_TRY(pov_write_file_begin(&file, path));
    cairo_surface_t *surface =
        cairo_svg_surface_create_for_stream(write_bytes, file.stream, target->page_width_mm * POINTS_PER_MM,
                                            target->page_height_mm * POINTS_PER_MM);
    return pov_write_file_end(&file, draw_pages(surface, target, page, page + 1));
}

pov_status pov_target_print_svg(const pov_target *target, const char *path)
{
    const size_t len = strlen(path);
    const int stem_len = (int)(len > 4 ? len - 4 : len);
    POV_TRY(print_svg_page(target, path, 0));
    for (int page = 1; page < target->page_len; page++) {
        char numbered[POV_PATH_CAPACITY];
        snprintf(numbered, sizeof numbered, "%.*s-%d%s", stem_len, path, page + 1, path + stem_len);
        POV_TRY(print_svg_page(target, numbered, page));
    }
    return pov_ok();
}
