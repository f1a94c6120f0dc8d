#include "calib/boards/board.h"
#include "calib/boards/opencv_calib_shim.h"
#include "calib/boards/target.h"
#include "calib/tags/tag_map_file.h"
#include "config/files/write_file.h"
#include "draw/cairo_loaded.h"
#include "firmware/commands.h"
#include "perception/version.h"

#include <stdlib.h>
#include <string.h>

/* Printed targets as PDF or SVG, to scale, by cairo. */

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

/* PDF: one file with all pages, whole or not at all. Errors name the path. */
static pov_status target_print_pdf(const pov_target *target, const char *path)
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

/* SVG: a file a page, path being that of the first: "ring.svg", "ring-2.svg", ... */
static pov_status target_print_svg(const pov_target *target, const char *path)
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

#define DEFAULT_BOARD "charuco:7x9:25mm:18.75mm:4X4_1000"
enum { KIND_SHEET, KIND_RING, KIND_CUBE, KIND_BOARD };

static const double edge_default_mm[] = {30, 30, 40, 0};

typedef struct {
    int kind; /* KIND_SHEET, ... */
    pov_target_tags tags;
    int columns, rows, count;
    double gap_mm, radius_mm, side_mm;
    pov_board board;
    char out[POV_PATH_CAPACITY], map[POV_PATH_CAPACITY];
    bool svg;
} tags_options;

/* ---- options ---- */

static pov_option_take take_paper, take_board;

static int run(int argc, char **argv);

POV_NAMES(kind_names, "sheet", "ring", "cube", "board")

POV_NAMES(paper_names, "a4", "a3", "a5", "letter", "tabloid")

POV_NAMES_OF(family_names, pov_tag_family, POV_TAG_FAMILY_COUNT, pov_tag_family_name)

static const pov_option option_table[] = {
    POV_OPTIONS_HEADING("sheet: rows of tags, for a table or a wall"),
    POV_WHOLE(tags_options, columns, "columns", "N", 1, POV_TAG_MAP_MAX, "of the sheet"),
    POV_WHOLE(tags_options, rows, "rows", "N", 1, POV_TAG_MAP_MAX, "of the sheet"),
    POV_NUMBER(tags_options, gap_mm, "gap", "MM", 0, 1000, "between black squares"),
    POV_OPTIONS_HEADING(
        "ring: flat, for a turntable's disc, in sectors to be cut out and glued side by side"),
    POV_WHOLE(tags_options, count, "count", "N", 3, POV_TAG_MAP_MAX, "of the ring's tags"),
    POV_NUMBER(tags_options, radius_mm, "radius", "MM", 1, 10000, "of the circle of the tags' middles"),
    POV_OPTIONS_HEADING("cube: to cut out, fold and glue, for a thing that is to be seen from all sides"),
    POV_NUMBER(tags_options, side_mm, "side", "MM", 1, 1000, "of the cube"),
    POV_OPTIONS_HEADING("board: for 'pov calib camera'; has no map, unless it is an AprilGrid"),
    POV_TAKEN(tags_options, board, "board", "TEXT", take_board,
              "charuco:COLUMNSxROWS:SQUARE:MARKER:DICTIONARY or aprilgrid:COLUMNSxROWS:EDGE:GAP[:FAMILY] "
              "(" DEFAULT_BOARD ")"),
    POV_FLAG(tags_options, board.before_4_6, "before-4.6", "ChArUco's pattern as OpenCV before 4.6 drew it"),
    POV_OPTIONS_HEADING("All of them:"),
    POV_NUMBER(tags_options, tags.edge_mm, "edge", "MM", 1, 1000,
               "of the black square whose corners are detected (30; cube 40)"),
    POV_CHOICE(tags_options, tags.family, "family", "NAME", family_names, "of the tags"),
    POV_WHOLE(tags_options, tags.first_id, "first-id", "N", 0, 100000,
              "of the first tag; the others count up"),
    POV_TAKEN(tags_options, tags.paper, "paper", "NAME", take_paper, "a4, a3, a5, letter or tabloid (a4)",
              .names = paper_names),
    POV_BUFFER(tags_options, out, "out", "FILE", ".pdf or .svg (tags-KIND.pdf)"),
    POV_BUFFER(tags_options, map, "map", "FILE", "where the tag map goes (beside the print, .yaml)"),
    POV_OPTIONS_END,
};

const pov_command pov_command_tags = {
    .name = "tags",
    .summary = "print-ready tags and boards, with their map",
    .run = run,
    .usage = "sheet|ring|cube|board [OPTIONS]",
    .about =
        "Makes a print-ready PDF (or SVG) of tags, to scale, and the tag map file that says where they then "
        "are. Each page has a ruler: measure it before you trust the print. Lengths are in millimetres.",
    .options = option_table,
    .words = {.min = 1,
              .max = 1,
              .wanted = "say what to make: sheet, ring, cube or board",
              .names = kind_names,
              .only_names = true},
    .examples = "pov tags sheet --edge 40 --columns 3 --rows 4\n"
                "pov tags ring --radius 170 --count 16 --first-id 100 --paper a3 --out ring.pdf\n"
                "pov tags board --board charuco:8x8:22mm:16mm:4X4_1000",
    .exits = "0 done; 1 it does not fit the paper, or could not be written",
};

static pov_status take_paper(void *value, const char *name)
{
    const pov_paper *paper = pov_paper_find(name);
    *(const pov_paper **)value = paper;
    return paper ? pov_ok() : pov_error("takes a3, a4, a5, letter or tabloid, not '%s'", name);
}

static pov_status take_board(void *value, const char *text)
{
    pov_board *board = value;
    const bool before_4_6 = board->before_4_6;
    const pov_status status = pov_board_read(board, text);
    board->before_4_6 |= before_4_6;
    return status;
}

static bool ends_with(const char *text, const char *end)
{
    const size_t text_len = strlen(text), end_len = strlen(end);
    return text_len > end_len && strcmp(text + text_len - end_len, end) == 0;
}

static int complete_options(tags_options *options)
{
    if (!options->out[0])
        snprintf(options->out, sizeof options->out, "tags-%s.pdf", kind_names(options->kind));
    options->svg = ends_with(options->out, ".svg");
    if (!options->svg && !ends_with(options->out, ".pdf"))
        return pov_cli_usage("tags", "--out takes a name that ends in .pdf or .svg, not '%s'", options->out);
    if (!options->map[0]) {
        const int stem_len = (int)strlen(options->out) - 4;
        if (stem_len + (int)sizeof ".yaml" > POV_PATH_CAPACITY)
            return pov_cli_usage("tags", "a path is too long");
        snprintf(options->map, sizeof options->map, "%.*s.yaml", stem_len, options->out);
    }
    if (options->tags.edge_mm == 0)
        options->tags.edge_mm = edge_default_mm[options->kind];
    return POV_GO_ON;
}

static int read_options(tags_options *options, int argc, char **argv)
{
    pov_words words;
    *options = (tags_options){.tags = {.paper = pov_paper_find("a4"), .family = POV_TAG36H11},
                              .columns = 3,
                              .rows = 4,
                              .count = 12,
                              .gap_mm = 30,
                              .radius_mm = 150,
                              .side_mm = 55};
    POV_REQUIRE(pov_board_parse(&options->board, DEFAULT_BOARD).code == POV_OK);
    POV_OR_EXIT(pov_command_read(options, &words, &pov_command_tags, argc, argv));
    const pov_status status = pov_names_find(&options->kind, kind_names, words.word[0]);
    return status.code == POV_OK ? complete_options(options) : pov_cli_usage("tags", "%s", status.message);
}

/* ---- making ---- */

static pov_status marker_print(pov_tag_print *print, int id, const void *dictionary)
{
    uint8_t cells[POV_ARUCO_CELLS_MAX];
    const pov_aruco_dictionary which = *(const pov_aruco_dictionary *)dictionary;
    if (id >= pov_aruco_dictionary_count(which))
        return pov_error("%s has %d markers, too few for this board; take a larger dictionary",
                         pov_aruco_dictionary_name(which), pov_aruco_dictionary_count(which));
    POV_TRY(pov_aruco_marker_bits(cells, which, id));
    print->side_cells = print->edge_cells = pov_aruco_dictionary_cells(which);
    for (int row = 0; row < print->side_cells; row++)
        for (int column = 0; column < print->side_cells; column++)
            print->grey[row][column] = cells[row * print->side_cells + column] ? 255 : 0;
    return pov_ok();
}

static pov_status make_charuco(pov_target *target, const tags_options *options)
{
    const pov_board *board = &options->board;
    const pov_target_charuco_board charuco = {.paper = options->tags.paper,
                                              .columns = board->columns,
                                              .rows = board->rows,
                                              .square_mm = board->square_m * 1000,
                                              .marker_mm = board->marker_m * 1000,
                                              .before_4_6 = board->before_4_6,
                                              .marker = marker_print,
                                              .dictionary = &board->dictionary,
                                              .name = pov_aruco_dictionary_name(board->dictionary)};
    return pov_target_charuco(target, &charuco);
}

static pov_status make_board(pov_target *target, const tags_options *options)
{
    const pov_board *board = &options->board;
    if (board->kind == POV_BOARD_CHARUCO)
        return make_charuco(target, options);
    if (board->kind == POV_BOARD_CHESSBOARD)
        return pov_error(
            "a chessboard looks the same when it is turned round: take charuco:... or aprilgrid:...");
    pov_target_tags tags = options->tags;
    tags.family = board->family;
    tags.edge_mm = board->marker_m * 1000;
    return pov_target_aprilgrid(target, &tags, board->columns, board->rows,
                                (board->square_m - board->marker_m) / board->marker_m);
}

static pov_status make_target(pov_target *target, const tags_options *options)
{
    switch (options->kind) {
    case KIND_SHEET:
        return pov_target_sheet(target, &options->tags, options->columns, options->rows, options->gap_mm);
    case KIND_RING:
        return pov_target_ring(target, &options->tags, options->count, options->radius_mm);
    case KIND_CUBE:
        return pov_target_cube(target, &options->tags, options->side_mm);
    default:
        return make_board(target, options);
    }
}

static pov_status write_map(const pov_target *target, const char *path)
{
    pov_write_file file;
    POV_TRY(pov_write_file_begin(&file, path));
    pov_tag_map_write(file.stream, &target->map, target->map_about);
    return pov_write_file_end(&file, pov_ok());
}

static pov_status make_and_write(const tags_options *options, pov_target *target)
{
    POV_TRY(make_target(target, options));
    POV_TRY(pov_cairo_load());
    POV_TRY(options->svg ? target_print_svg(target, options->out) : target_print_pdf(target, options->out));
    if (target->map.len > 0)
        POV_TRY(write_map(target, options->map));
    printf("%s: %d page%s of %s; print at 100 %%, then measure the ruler\n", options->out, target->page_len,
           target->page_len == 1 ? "" : "s", options->tags.paper->name);
    if (target->map.len > 0)
        printf("%s: the map of its %d tags. %s\n", options->map, target->map.len, target->map_about);
    return pov_ok();
}

static int run(int argc, char **argv)
{
    tags_options options;
    POV_OR_EXIT(read_options(&options, argc, argv));
    pov_target *target = malloc(sizeof *target);
    POV_REQUIRE_MEMORY(target);
    const pov_status status = make_and_write(&options, target);
    free(target);
    return pov_cli_exit(status);
}
