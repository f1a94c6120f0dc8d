/* Targets that stay flat on their page: sheets, AprilGrids, ChArUco boards. */
#include "calib/boards/target_page.h"

#include <math.h>
#include <stdio.h>

/* Landscape only if the thing does not fit upright. */
static bool wants_landscape(const pov_paper *paper, double width_mm, double height_mm)
{
    const pov_target_room upright = pov_target_room_of(paper, false);
    const pov_target_room across = pov_target_room_of(paper, true);
    const bool fits_upright = width_mm <= upright.width_mm && height_mm <= upright.height_mm;
    return !fits_upright && width_mm <= across.width_mm && height_mm <= across.height_mm;
}

static pov_status check_fits(const pov_paper *paper, const char *what, double width_mm, double height_mm)
{
    const pov_target_room room = pov_target_room_of(paper, wants_landscape(paper, width_mm, height_mm));
    if (width_mm <= room.width_mm + 1e-9 && height_mm <= room.height_mm + 1e-9)
        return pov_ok();
    return pov_error(
        "%s of %.1f x %.1f mm does not fit on %s, which has room for %.1f x %.1f mm; take larger paper, "
        "fewer or smaller squares",
        what, width_mm, height_mm, paper->name, room.width_mm, room.height_mm);
}

static pov_vec2 middle_of(const pov_target_room *room)
{
    return (pov_vec2){room->x_mm + room->width_mm / 2, room->y_mm + room->height_mm / 2};
}

static pov_status check_count(const pov_target_tags *tags, int columns, int rows)
{
    if (columns < 1 || rows < 1 || columns > POV_TAG_MAP_MAX || rows > POV_TAG_MAP_MAX ||
        columns * rows > POV_TAG_MAP_MAX)
        return pov_error("%d x %d tags: there must be 1 to %d", columns, rows, POV_TAG_MAP_MAX);
    if (!(tags->edge_mm > 0))
        return pov_error("a tag's edge of %g mm: it must be positive", tags->edge_mm);
    return pov_ok();
}

pov_status pov_target_sheet(pov_target *target, const pov_target_tags *tags, int columns, int rows,
                            double gap_mm)
{
    double side_mm;
    POV_TRY(check_count(tags, columns, rows));
    POV_TRY(pov_target_tag_side(&side_mm, tags));
    const double white_mm = side_mm - tags->edge_mm; /* both sides of the edge together */
    if (gap_mm < white_mm - 1e-9)
        return pov_error(
            "a gap of %.1f mm: the tags' white borders need %.1f mm; give a wider --gap or a smaller --edge",
            gap_mm, white_mm);
    const double pitch_mm = tags->edge_mm + gap_mm;
    const double width_mm = columns * pitch_mm - gap_mm + white_mm,
                 height_mm = rows * pitch_mm - gap_mm + white_mm;
    POV_TRY(check_fits(tags->paper, "a sheet", width_mm, height_mm));
    const bool landscape = wants_landscape(tags->paper, width_mm, height_mm);
    const pov_target_room room = pov_target_room_of(tags->paper, landscape);
    const pov_vec2 middle = middle_of(&room);
    char caption[160];
    snprintf(caption, sizeof caption, "pov tags sheet: %s, ids %d to %d, edge %.4g mm. Keep it flat.",
             pov_tag_family_name(tags->family), tags->first_id, tags->first_id + columns * rows - 1,
             tags->edge_mm);
    pov_target_clear(target, tags->paper, landscape);
    const int page = pov_target_add_page(target, caption);
    snprintf(target->map_about, sizeof target->map_about,
             "The middle of the tags: x to the right, y up the page, z out of it.");
    for (int i = 0; i < columns * rows; i++) {
        const double x_mm = (i % columns - (columns - 1) / 2.0) * pitch_mm;
        const double y_mm = ((rows - 1) / 2.0 - (double)(i / columns)) * pitch_mm;
        const pov_transform T = {pov_rot_identity(), {x_mm / 1000, y_mm / 1000, 0}};
        POV_TRY(
            pov_target_add_tag(target, tags, i, page, (pov_vec2){middle.x + x_mm, middle.y - y_mm}, 0, T));
    }
    return pov_ok();
}

static void add_black_square(pov_target *target, int page, pov_vec2 centre_mm, double side_mm)
{
    pov_target_mark mark = {.page = page,
                            .centre_mm = centre_mm,
                            .cell_mm = side_mm,
                            .print = {.side_cells = 1, .edge_cells = 1}};
    pov_target_add_mark(target, &mark);
}

/* Olson 2011's tags as Kalibr (Furgale, Rehder & Siegwart 2013) arranges them; ids grow to the right, then upward. */
pov_status pov_target_aprilgrid(pov_target *target, const pov_target_tags *tags, int columns, int rows,
                                double gap_per_edge)
{
    const double edge_mm = tags->edge_mm, gap_mm = gap_per_edge * edge_mm, pitch_mm = edge_mm + gap_mm;
    const double width_mm = columns * pitch_mm + gap_mm, height_mm = rows * pitch_mm + gap_mm;
    double side_mm;
    POV_TRY(check_count(tags, columns, rows));
    POV_TRY(pov_target_tag_side(&side_mm, tags));
    if (!(gap_mm >= (side_mm - edge_mm) / 2 - 1e-9) || gap_per_edge > 1)
        return pov_error("a gap of %g of the edge: it must be from %.3g (the white border) to 1",
                         gap_per_edge, (side_mm - edge_mm) / 2 / edge_mm);
    POV_TRY(check_fits(tags->paper, "an AprilGrid", width_mm, height_mm));
    const bool landscape = wants_landscape(tags->paper, width_mm, height_mm);
    const pov_target_room room = pov_target_room_of(tags->paper, landscape);
    const pov_vec2 middle = middle_of(&room);
    const pov_vec2 corner = {middle.x - width_mm / 2, middle.y + height_mm / 2}; /* lower left */
    char caption[160];
    snprintf(caption, sizeof caption, "AprilGrid: %d x %d of %s, ids %d to %d, edge %.4g mm, gap %.4g of it.",
             columns, rows, pov_tag_family_name(tags->family), tags->first_id,
             tags->first_id + columns * rows - 1, edge_mm, gap_per_edge);
    pov_target_clear(target, tags->paper, landscape);
    const int page = pov_target_add_page(target, caption);
    snprintf(target->map_about, sizeof target->map_about,
             "The lower left tag's lower left corner: x to the right, y up the page, z out of it.");
    for (int row = 0; row <= rows; row++)
        for (int column = 0; column <= columns; column++)
            add_black_square(
                target, page,
                (pov_vec2){corner.x + column * pitch_mm + gap_mm / 2, corner.y - row * pitch_mm - gap_mm / 2},
                gap_mm);
    for (int i = 0; i < columns * rows; i++) {
        const double x_mm = i % columns * pitch_mm + edge_mm / 2,
                     y_mm = (double)(i / columns) * pitch_mm + edge_mm / 2;
        const pov_transform T = {pov_rot_identity(), {x_mm / 1000, y_mm / 1000, 0}};
        const pov_vec2 centre = {corner.x + gap_mm + x_mm, corner.y - gap_mm - y_mm};
        POV_TRY(pov_target_add_tag(target, tags, i, page, centre, 0, T));
    }
    return pov_ok();
}

static pov_status check_charuco(const pov_target_charuco_board *board)
{
    if (board->columns < 2 || board->rows < 2 || board->columns * board->rows > POV_TARGET_MARK_MAX / 2)
        return pov_error("a ChArUco board of %d x %d squares: there must be 2 x 2 to %d in all",
                         board->columns, board->rows, POV_TARGET_MARK_MAX / 2);
    if (!(board->marker_mm > 0) || !(board->marker_mm < board->square_mm))
        return pov_error("markers of %g mm in squares of %g mm: a marker must be smaller than its square",
                         board->marker_mm, board->square_mm);
    return pov_ok();
}

/* White squares bear the markers, row by row from the top left. From OpenCV 4.6 on the top left square is black; before,
 * it was white in boards with an even number of rows. */
pov_status pov_target_charuco(pov_target *target, const pov_target_charuco_board *board)
{
    POV_TRY(check_charuco(board));
    const double width_mm = board->columns * board->square_mm, height_mm = board->rows * board->square_mm;
    POV_TRY(check_fits(board->paper, "a ChArUco board", width_mm, height_mm));
    const bool landscape = wants_landscape(board->paper, width_mm, height_mm);
    const pov_target_room room = pov_target_room_of(board->paper, landscape);
    const pov_vec2 middle = middle_of(&room);
    char caption[160];
    snprintf(caption, sizeof caption,
             "ChArUco: %d x %d squares of %.4g mm, markers of %.4g mm, %s, pattern of OpenCV %s.",
             board->columns, board->rows, board->square_mm, board->marker_mm, board->name,
             board->before_4_6 ? "before 4.6" : "4.6 and later");
    pov_target_clear(target, board->paper, landscape);
    const int page = pov_target_add_page(target, caption);
    const int black_parity = board->before_4_6 && board->rows % 2 == 0;
    int id = 0;
    for (int i = 0; i < board->columns * board->rows; i++) {
        const int column = i % board->columns, row = i / board->columns;
        const pov_vec2 centre = {middle.x + (column + 0.5) * board->square_mm - width_mm / 2,
                                 middle.y + (row + 0.5) * board->square_mm - height_mm / 2};
        if ((column + row) % 2 == black_parity) {
            add_black_square(target, page, centre, board->square_mm);
            continue;
        }
        pov_target_mark mark = {.page = page, .centre_mm = centre};
        POV_TRY(board->marker(&mark.print, id++, board->dictionary));
        mark.cell_mm = board->marker_mm / mark.print.side_cells;
        pov_target_add_mark(target, &mark);
    }
    return pov_ok();
}
