#include "firmware/picture/contact_sheet.h"

#include "config/files/utf8.h"
#include "draw/canvas.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GAP_PX = 8, CAPTION_PX = 20 /* a line */ };

struct pov_contact_sheet {
    int capacity, len, columns;
    int thumbnail_width_px, thumbnail_height_px, caption_lines;
    pov_canvas canvas;
};

static const pov_colour paper = {24, 26, 31}, ink = {226, 228, 232}, faint = {150, 155, 165};

/* The number of columns that makes the full sheet nearest to 16:10. */
static int columns_for(int capacity, int cell_width_px, int cell_height_px)
{
    int columns = (int)lrint(sqrt(1.6 * capacity * cell_height_px / cell_width_px));
    return columns < 1 ? 1 : columns > capacity ? capacity : columns;
}

static int cell_width_px(const pov_contact_sheet *sheet)
{
    return sheet->thumbnail_width_px + GAP_PX;
}

static int cell_height_px(const pov_contact_sheet *sheet)
{
    return sheet->thumbnail_height_px + sheet->caption_lines * CAPTION_PX + GAP_PX;
}

pov_contact_sheet *pov_contact_sheet_new(int capacity, int width_px, int height_px)
{
    return pov_contact_sheet_new_with_captions(capacity, width_px, height_px, 1);
}

pov_contact_sheet *pov_contact_sheet_new_with_captions(int capacity, int width_px, int height_px, int lines)
{
    const int columns = columns_for(capacity, width_px + GAP_PX, height_px + lines * CAPTION_PX + GAP_PX);
    pov_contact_sheet *s = pov_contact_sheet_new_in_rows((capacity + columns - 1) / columns, columns,
                                                         width_px, height_px, lines);
    s->capacity = capacity;
    return s;
}

pov_contact_sheet *pov_contact_sheet_new_in_rows(int rows, int columns, int width_px, int height_px,
                                                 int lines)
{
    POV_REQUIRE(lines > 0 && rows > 0 && columns > 0 && rows * columns <= POV_CONTACT_SHEET_MAX + columns &&
                width_px > 0 && height_px > 0);
    pov_contact_sheet *s = pov_allocate(1, sizeof *s);
    s->capacity = rows * columns;
    s->columns = columns;
    s->thumbnail_width_px = width_px;
    s->thumbnail_height_px = height_px;
    s->caption_lines = lines;
    s->canvas.unit_px = 1;
    s->canvas.width_px = s->columns * cell_width_px(s) + GAP_PX;
    s->canvas.height_px = rows * cell_height_px(s) + GAP_PX;
    s->canvas.stride_bytes = 3 * s->canvas.width_px;
    s->canvas.pixels = pov_allocate((size_t)s->canvas.height_px, (size_t)s->canvas.stride_bytes);
    pov_canvas_fill(&s->canvas, (pov_rectangle){0, 0, s->canvas.width_px, s->canvas.height_px}, paper, 1);
    return s;
}

void pov_contact_sheet_destroy(pov_contact_sheet **sheet)
{
    if (*sheet != NULL)
        free((*sheet)->canvas.pixels);
    free(*sheet);
    *sheet = NULL;
}

static void draw_thumbnail(pov_canvas *canvas, pov_rectangle cell, const pov_image *image)
{
    double scale = fmin((double)cell.width_px / image->width_px, (double)cell.height_px / image->height_px);
    int width_px = (int)fmax(1, scale * image->width_px), height_px = (int)fmax(1, scale * image->height_px);
    pov_rectangle place = {cell.x_px + (cell.width_px - width_px) / 2,
                           cell.y_px + (cell.height_px - height_px) / 2, width_px, height_px};
    pov_canvas_image(canvas, place, image);
}

/* A line too long loses its beginning: the end of a name tells images apart. */
static void draw_caption_line(pov_canvas *canvas, pov_rectangle place, int line, const char *text)
{
    while (*text != '\0' && pov_canvas_text_width_px(canvas, text) > place.width_px)
        text += pov_utf8_character_length(text) > 0 ? pov_utf8_character_length(text) : 1;
    const double baseline_px = place.y_px + place.height_px + (line + 1) * CAPTION_PX - 6;
    pov_canvas_text(canvas, text, (pov_vec2){place.x_px, baseline_px}, line ? faint : ink);
}

static void draw_caption(pov_canvas *canvas, pov_rectangle place, int lines, const char *caption)
{
    for (int line = 0; line < lines && caption; line++) {
        char text[POV_CANVAS_TEXT_CAPACITY];
        const char *end = strchr(caption, '\n');
        snprintf(text, sizeof text, "%.*s", end ? (int)(end - caption) : (int)sizeof text - 1, caption);
        draw_caption_line(canvas, place, line, text);
        caption = end ? end + 1 : NULL;
    }
}

bool pov_contact_sheet_add(pov_contact_sheet *sheet, const pov_image *image)
{
    return pov_contact_sheet_add_captioned(sheet, image, image->name);
}

bool pov_contact_sheet_add_captioned(pov_contact_sheet *sheet, const pov_image *image, const char *caption)
{
    if (sheet->len == sheet->capacity)
        return false;
    pov_rectangle place = {GAP_PX + sheet->len % sheet->columns * cell_width_px(sheet),
                           GAP_PX + sheet->len / sheet->columns * cell_height_px(sheet),
                           sheet->thumbnail_width_px, sheet->thumbnail_height_px};
    draw_thumbnail(&sheet->canvas, place, image);
    draw_caption(&sheet->canvas, place, sheet->caption_lines, caption);
    sheet->len++;
    return true;
}

pov_image pov_contact_sheet_image(const pov_contact_sheet *sheet)
{
    int rows = (sheet->len + sheet->columns - 1) / sheet->columns;
    pov_image image = {.pixels = sheet->canvas.pixels,
                       .width_px = sheet->canvas.width_px,
                       .height_px = rows * cell_height_px(sheet) + GAP_PX,
                       .stride_bytes = sheet->canvas.stride_bytes};
    snprintf(image.name, sizeof image.name, "contact sheet");
    return image;
}
