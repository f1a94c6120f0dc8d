#include "calib/boards/target.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double POV_TARGET_MARGIN_MM = 10; /* what printers leave white, and some air */
static const double POV_TARGET_FOOT_MM = 16;   /* the ruler */
static const double POV_TARGET_HEAD_MM = 8;    /* the caption */

/** Room between margins, caption and ruler. */
typedef struct {
    double x_mm, y_mm, width_mm, height_mm;
} pov_target_room;

static const double TEXT_MM = 2.8;  /* height of printed text; chosen: legible at arm's length */
static const double RULER_MM = 100; /* long enough to measure a printer's scale to 0.5 %; chosen */

static const pov_paper papers[] = {
    {"a3", 297, 420}, {"a4", 210, 297}, {"a5", 148, 210}, {"letter", 215.9, 279.4}, {"tabloid", 279.4, 431.8},
};

const pov_paper *pov_paper_find(const char *name)
{
    for (size_t i = 0; i < sizeof papers / sizeof *papers; i++)
        if (strcmp(papers[i].name, name) == 0)
            return &papers[i];
    return NULL;
}

/* An empty target for pages of this paper, turned to landscape if asked. */
static void clear(pov_target *target, const pov_paper *paper, bool landscape)
{
    memset(target, 0, sizeof *target);
    target->page_width_mm = landscape ? paper->height_mm : paper->width_mm;
    target->page_height_mm = landscape ? paper->width_mm : paper->height_mm;
}

static pov_target_room room_of(const pov_paper *paper, bool landscape)
{
    const double width_mm = landscape ? paper->height_mm : paper->width_mm;
    const double height_mm = landscape ? paper->width_mm : paper->height_mm;
    const double top_mm = POV_TARGET_MARGIN_MM + POV_TARGET_HEAD_MM;
    return (pov_target_room){POV_TARGET_MARGIN_MM, top_mm, width_mm - 2 * POV_TARGET_MARGIN_MM,
                             height_mm - top_mm - POV_TARGET_MARGIN_MM - POV_TARGET_FOOT_MM};
}

static void add_mark(pov_target *target, const pov_target_mark *mark)
{
    POV_REQUIRE(target->mark_len < POV_TARGET_MARK_MAX);
    target->marks[target->mark_len++] = *mark;
}

static void add_line(pov_target *target, int page, pov_target_line_kind kind, pov_vec2 from_mm,
                     pov_vec2 to_mm)
{
    POV_REQUIRE(target->line_len < POV_TARGET_LINE_MAX);
    target->lines[target->line_len++] = (pov_target_line){page, kind, from_mm, to_mm};
}

static void add_text(pov_target *target, const pov_target_text *text)
{
    POV_REQUIRE(target->text_len < POV_TARGET_TEXT_MAX);
    target->texts[target->text_len++] = *text;
}

/* A line of 100 mm with a tick every 10 mm, to check the printer's scale with a ruler. */
static void add_ruler(pov_target *target, int page)
{
    const double left_mm = POV_TARGET_MARGIN_MM, y_mm = target->page_height_mm - POV_TARGET_MARGIN_MM - 6;
    for (int i = 0; i <= 10; i++) {
        const double x_mm = left_mm + i * RULER_MM / 10, tick_mm = i % 5 == 0 ? 4 : 2.5;
        add_line(target, page, POV_TARGET_RULE, (pov_vec2){x_mm, y_mm}, (pov_vec2){x_mm, y_mm - tick_mm});
    }
    add_line(target, page, POV_TARGET_RULE, (pov_vec2){left_mm, y_mm}, (pov_vec2){left_mm + RULER_MM, y_mm});
    pov_target_text text = {.page = page, .at_mm = {left_mm, y_mm + 4.5}, .height_mm = TEXT_MM};
    snprintf(text.words, sizeof text.words,
             "This line is 100 mm long: measure it. If it is not, print again at 100 %%, \"actual size\".");
    add_text(target, &text);
}

/* Adds a page with a caption and a ruler; returns its number. POV_TARGET_PAGE_MAX is for the caller to keep to. */
static int add_page(pov_target *target, const char *caption)
{
    POV_REQUIRE(target->page_len < POV_TARGET_PAGE_MAX);
    const int page = target->page_len++;
    pov_target_text text = {
        .page = page, .at_mm = {POV_TARGET_MARGIN_MM, POV_TARGET_MARGIN_MM + TEXT_MM}, .height_mm = TEXT_MM};
    snprintf(text.words, sizeof text.words, "%s", caption);
    add_text(target, &text);
    add_ruler(target, page);
    return page;
}

/* Side of a tag with the white (or data) cells about its edge. */
static pov_status tag_side(double *side_mm, const pov_target_tags *tags)
{
    pov_tag_print print;
    POV_TRY(pov_tag_print_make(&print, tags->family, tags->first_id));
    *side_mm = tags->edge_mm * print.side_cells / print.edge_cells;
    return pov_ok();
}

/* Points across the page, seen from a mark that is turned. */
static pov_vec2 turned(pov_vec2 centre_mm, double turn_rad, double right_mm, double down_mm)
{
    const double c = cos(turn_rad), s = sin(turn_rad);
    return (pov_vec2){centre_mm.x + c * right_mm - s * down_mm, centre_mm.y + s * right_mm + c * down_mm};
}

/* Prints a tag on a page, with its id below, and enters it into the map. */
static pov_status add_tag(pov_target *target, const pov_target_tags *tags, int index, int page,
                          pov_vec2 centre_mm, double turn_rad, pov_transform T_target_tag)
{
    pov_target_mark mark = {.page = page, .centre_mm = centre_mm, .turn_rad = turn_rad};
    const int id = tags->first_id + index;
    POV_TRY(pov_tag_print_make(&mark.print, tags->family, id));
    mark.cell_mm = tags->edge_mm / mark.print.edge_cells;
    add_mark(target, &mark);
    const double half_side_mm = mark.cell_mm * mark.print.side_cells / 2;
    const double height_mm = fmin(TEXT_MM, mark.cell_mm * 0.7);
    pov_target_text text = {
        .page = page,
        .at_mm = turned(centre_mm, turn_rad, -half_side_mm + mark.cell_mm, half_side_mm - 0.1 * mark.cell_mm),
        .height_mm = height_mm,
        .turn_rad = turn_rad};
    snprintf(text.words, sizeof text.words, "%d", id);
    if (mark.print.side_cells > mark.print.edge_cells && tags->family != POV_TAG_CIRCLE49H12)
        add_text(target, &text);
    POV_REQUIRE(target->map.len < POV_TAG_MAP_MAX);
    target->map.tags[target->map.len++] = (pov_tag_map_entry){.family = tags->family,
                                                              .id = id,
                                                              .edge_m = tags->edge_mm / 1000,
                                                              .T_table_tag = pov_pose_exact(T_target_tag)};
    return pov_ok();
}

/* ---- flat targets ---- */

/* Landscape only if the thing does not fit upright. */
static bool wants_landscape(const pov_paper *paper, double width_mm, double height_mm)
{
    const pov_target_room upright = room_of(paper, false);
    const pov_target_room across = room_of(paper, true);
    const bool fits_upright = width_mm <= upright.width_mm && height_mm <= upright.height_mm;
    return !fits_upright && width_mm <= across.width_mm && height_mm <= across.height_mm;
}

static pov_status check_fits(const pov_paper *paper, const char *what, double width_mm, double height_mm)
{
    const pov_target_room room = room_of(paper, wants_landscape(paper, width_mm, height_mm));
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
    POV_TRY(tag_side(&side_mm, tags));
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
    const pov_target_room room = room_of(tags->paper, landscape);
    const pov_vec2 middle = middle_of(&room);
    char caption[160];
    snprintf(caption, sizeof caption, "pov tags sheet: %s, ids %d to %d, edge %.4g mm. Keep it flat.",
             pov_tag_family_name(tags->family), tags->first_id, tags->first_id + columns * rows - 1,
             tags->edge_mm);
    clear(target, tags->paper, landscape);
    const int page = add_page(target, caption);
    snprintf(target->map_about, sizeof target->map_about,
             "The middle of the tags: x to the right, y up the page, z out of it.");
    for (int i = 0; i < columns * rows; i++) {
        const double x_mm = (i % columns - (columns - 1) / 2.0) * pitch_mm;
        const double y_mm = ((rows - 1) / 2.0 - (double)(i / columns)) * pitch_mm;
        const pov_transform T = {pov_rot_identity(), {x_mm / 1000, y_mm / 1000, 0}};
        POV_TRY(add_tag(target, tags, i, page, (pov_vec2){middle.x + x_mm, middle.y - y_mm}, 0, T));
    }
    return pov_ok();
}

static void add_black_square(pov_target *target, int page, pov_vec2 centre_mm, double side_mm)
{
    pov_target_mark mark = {.page = page,
                            .centre_mm = centre_mm,
                            .cell_mm = side_mm,
                            .print = {.side_cells = 1, .edge_cells = 1}};
    add_mark(target, &mark);
}

/* Olson 2011's tags as Kalibr (Furgale, Rehder & Siegwart 2013) arranges them; ids grow to the right, then upward. */
pov_status pov_target_aprilgrid(pov_target *target, const pov_target_tags *tags, int columns, int rows,
                                double gap_per_edge)
{
    const double edge_mm = tags->edge_mm, gap_mm = gap_per_edge * edge_mm, pitch_mm = edge_mm + gap_mm;
    const double width_mm = columns * pitch_mm + gap_mm, height_mm = rows * pitch_mm + gap_mm;
    double side_mm;
    POV_TRY(check_count(tags, columns, rows));
    POV_TRY(tag_side(&side_mm, tags));
    if (!(gap_mm >= (side_mm - edge_mm) / 2 - 1e-9) || gap_per_edge > 1)
        return pov_error("a gap of %g of the edge: it must be from %.3g (the white border) to 1",
                         gap_per_edge, (side_mm - edge_mm) / 2 / edge_mm);
    POV_TRY(check_fits(tags->paper, "an AprilGrid", width_mm, height_mm));
    const bool landscape = wants_landscape(tags->paper, width_mm, height_mm);
    const pov_target_room room = room_of(tags->paper, landscape);
    const pov_vec2 middle = middle_of(&room);
    const pov_vec2 corner = {middle.x - width_mm / 2, middle.y + height_mm / 2}; /* lower left */
    char caption[160];
    snprintf(caption, sizeof caption, "AprilGrid: %d x %d of %s, ids %d to %d, edge %.4g mm, gap %.4g of it.",
             columns, rows, pov_tag_family_name(tags->family), tags->first_id,
             tags->first_id + columns * rows - 1, edge_mm, gap_per_edge);
    clear(target, tags->paper, landscape);
    const int page = add_page(target, caption);
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
        POV_TRY(add_tag(target, tags, i, page, centre, 0, T));
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
    const pov_target_room room = room_of(board->paper, landscape);
    const pov_vec2 middle = middle_of(&room);
    char caption[160];
    snprintf(caption, sizeof caption,
             "ChArUco: %d x %d squares of %.4g mm, markers of %.4g mm, %s, pattern of OpenCV %s.",
             board->columns, board->rows, board->square_mm, board->marker_mm, board->name,
             board->before_4_6 ? "before 4.6" : "4.6 and later");
    clear(target, board->paper, landscape);
    const int page = add_page(target, caption);
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
        add_mark(target, &mark);
    }
    return pov_ok();
}

/* ---- targets on a body ---- */

static pov_vec2 at_angle(pov_vec2 centre, double radius_mm, double clockwise_from_up_rad)
{
    return (pov_vec2){centre.x + radius_mm * sin(clockwise_from_up_rad),
                      centre.y - radius_mm * cos(clockwise_from_up_rad)};
}

/* ---- ring ---- */

typedef struct {
    double inner_mm, outer_mm;
    int sectors, tags_per_sector;
    double step_rad, sector_rad; /* between tags; of a full sector */
} ring_plan;

/* Size of a sector symmetric about the page's vertical. */
static pov_vec2 sector_size(double inner_mm, double outer_mm, double sector_rad)
{
    const double half = fmin(sector_rad / 2, POV_PI);
    const double low_mm = half <= POV_PI / 2 ? inner_mm * cos(half) : outer_mm * cos(half);
    const double wide_mm = half <= POV_PI / 2 ? outer_mm * sin(half) : outer_mm;
    return (pov_vec2){2 * wide_mm, outer_mm - low_mm};
}

/* The fewest sectors, each of whole tags, that fit a page. */
static pov_status plan_ring(ring_plan *plan, const pov_target_tags *tags, int count, double radius_mm,
                            double side_mm)
{
    const pov_target_room room = room_of(tags->paper, true);
    plan->step_rad = 2 * POV_PI / count;
    plan->inner_mm = radius_mm - side_mm / 2;
    plan->outer_mm = hypot(radius_mm + side_mm / 2, side_mm / 2);
    if (count < 3 || count > POV_TAG_MAP_MAX)
        return pov_error("a ring of %d tags: there must be 3 to %d", count, POV_TAG_MAP_MAX);
    if (!(plan->inner_mm > 0) || 2 * plan->inner_mm * tan(plan->step_rad / 2) < side_mm)
        return pov_error("%d tags of %.1f mm (white border included) do not fit in a circle of radius %.1f "
                         "mm; at most %d do",
                         count, side_mm, radius_mm,
                         plan->inner_mm > 0 ? (int)(POV_PI / atan(side_mm / 2 / plan->inner_mm)) : 0);
    for (plan->sectors = 1; plan->sectors <= count && plan->sectors <= POV_TARGET_PAGE_MAX; plan->sectors++) {
        plan->tags_per_sector = (count + plan->sectors - 1) / plan->sectors;
        plan->sector_rad = plan->tags_per_sector * plan->step_rad;
        const pov_vec2 size = sector_size(plan->inner_mm, plan->outer_mm, plan->sector_rad);
        if (size.x <= room.width_mm && size.y <= room.height_mm)
            return pov_ok();
    }
    return pov_error(
        "a tag of %.1f mm at radius %.1f mm does not fit on %s; take larger paper or smaller tags", side_mm,
        radius_mm, tags->paper->name);
}

static void add_arc(pov_target *target, int page, pov_vec2 centre, double radius_mm, double from_rad,
                    double to_rad)
{
    const int pieces = 1 + (int)((to_rad - from_rad) / (2 * POV_PI / 180));
    for (int i = 0; i < pieces; i++)
        add_line(target, page, POV_TARGET_CUT,
                 at_angle(centre, radius_mm, from_rad + (to_rad - from_rad) * i / pieces),
                 at_angle(centre, radius_mm, from_rad + (to_rad - from_rad) * (i + 1) / pieces));
}

static void add_joint(pov_target *target, int page, pov_vec2 centre, const ring_plan *plan, double angle_rad)
{
    add_line(target, page, POV_TARGET_CUT, at_angle(centre, plan->inner_mm, angle_rad),
             at_angle(centre, plan->outer_mm, angle_rad));
}

static pov_status add_sector(pov_target *target, const pov_target_tags *tags, const ring_plan *plan,
                             int sector, int count, double radius_mm)
{
    const int first = sector * plan->tags_per_sector;
    const int len = count - first < plan->tags_per_sector ? count - first : plan->tags_per_sector;
    const double half_rad = len * plan->step_rad / 2;
    const pov_target_room room = room_of(tags->paper, true);
    const pov_vec2 size = sector_size(plan->inner_mm, plan->outer_mm, 2 * half_rad);
    const pov_vec2 centre = {room.x_mm + room.width_mm / 2,
                             room.y_mm + (room.height_mm - size.y) / 2 + plan->outer_mm};
    char caption[160];
    snprintf(caption, sizeof caption,
             "pov tags ring: part %d of %d, %s, ids %d to %d, edge %.4g mm, radius %.4g mm.", sector + 1,
             plan->sectors, pov_tag_family_name(tags->family), tags->first_id + first,
             tags->first_id + first + len - 1, tags->edge_mm, radius_mm);
    const int page = add_page(target, caption);
    add_arc(target, page, centre, plan->inner_mm, -half_rad, half_rad);
    add_arc(target, page, centre, plan->outer_mm, -half_rad, half_rad);
    if (plan->sectors > 1) {
        add_joint(target, page, centre, plan, -half_rad);
        add_joint(target, page, centre, plan, half_rad);
    }
    for (int i = 0; i < len; i++) {
        /* azimuths grow counter-clockwise; the tag's top is toward the middle, so it reads from outside */
        const double clockwise_rad = half_rad - (i + 0.5) * plan->step_rad;
        const double azimuth_rad = (first + i) * plan->step_rad;
        const pov_transform T = {
            pov_rot_yaw(azimuth_rad + POV_PI / 2),
            {radius_mm / 1000 * cos(azimuth_rad), radius_mm / 1000 * sin(azimuth_rad), 0}};
        POV_TRY(add_tag(target, tags, first + i, page, at_angle(centre, radius_mm, clockwise_rad),
                        clockwise_rad + POV_PI, T));
    }
    return pov_ok();
}

pov_status pov_target_ring(pov_target *target, const pov_target_tags *tags, int count, double radius_mm)
{
    double side_mm;
    ring_plan plan = {0};
    POV_TRY(tag_side(&side_mm, tags));
    POV_TRY(plan_ring(&plan, tags, count, radius_mm, side_mm));
    clear(target, tags->paper, true);
    snprintf(target->map_about, sizeof target->map_about,
             "The middle of the ring: tag %d lies along x, the others follow counter-clockwise; z up.",
             tags->first_id);
    for (int sector = 0; sector * plan.tags_per_sector < count; sector++)
        POV_TRY(add_sector(target, tags, &plan, sector, count, radius_mm));
    return pov_ok();
}

/* ---- cube ---- */

/* Faces of the cross-shaped net, in sides from its top left: four in the column, one to each side of the second. `out`,
 * `right` and `up` are the printed face's directions on the cube, folded back from the page. */
typedef struct {
    int column, row;
    double turn_rad;
    pov_vec3 out, right, up;
} cube_face;

/* In the column: top, front (+x), below, back; the front's neighbours are -y on the left and +y on the right. */
static const cube_face faces[6] = {
    {1, 1, 0, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}},        /* +x */
    {2, 1, 0, {0, 1, 0}, {-1, 0, 0}, {0, 0, 1}},       /* +y */
    {1, 3, POV_PI, {-1, 0, 0}, {0, -1, 0}, {0, 0, 1}}, /* -x: upside down on the page */
    {0, 1, 0, {0, -1, 0}, {1, 0, 0}, {0, 0, 1}},       /* -y */
    {1, 0, 0, {0, 0, 1}, {0, 1, 0}, {-1, 0, 0}},       /* top */
    {1, 2, 0, {0, 0, -1}, {0, 1, 0}, {1, 0, 0}},       /* below */
};

static pov_transform face_pose(const cube_face *face, double side_mm)
{
    const pov_vec3 x = face->right, y = face->up, z = face->out;
    return (pov_transform){{{{x.x, y.x, z.x}, {x.y, y.y, z.y}, {x.z, y.z, z.z}}},
                           pov_vec3_scale(z, side_mm / 2000)};
}

static void add_outline(pov_target *target, pov_vec2 corner, double side_mm)
{
    const pov_vec2 at[4] = {corner,
                            {corner.x + side_mm, corner.y},
                            {corner.x + side_mm, corner.y + side_mm},
                            {corner.x, corner.y + side_mm}};
    for (int i = 0; i < 4; i++)
        add_line(target, 0, POV_TARGET_FOLD, at[i], at[(i + 1) % 4]);
}

pov_status pov_target_cube(pov_target *target, const pov_target_tags *tags, double side_mm)
{
    double tag_mm;
    POV_TRY(tag_side(&tag_mm, tags));
    const pov_target_room room = room_of(tags->paper, false);
    const double largest_mm = fmin(room.width_mm / 3, room.height_mm / 4);
    if (side_mm < tag_mm)
        return pov_error("a cube of %.1f mm is smaller than its tags with their white border, %.1f mm",
                         side_mm, tag_mm);
    if (side_mm > largest_mm)
        return pov_error("a cube of %.1f mm does not fit on %s; at most %.1f mm do", side_mm,
                         tags->paper->name, largest_mm);
    char caption[160];
    snprintf(caption, sizeof caption,
             "pov tags cube: cut out, fold along the lines, glue onto a cube of %.4g mm.", side_mm);
    clear(target, tags->paper, false);
    const int page = add_page(target, caption);
    snprintf(target->map_about, sizeof target->map_about,
             "The cube's centre: tags %d to %d face x, y, -x, -y; %d is on top, %d below.", tags->first_id,
             tags->first_id + 3, tags->first_id + 4, tags->first_id + 5);
    const pov_vec2 corner = {room.x_mm + (room.width_mm - 3 * side_mm) / 2,
                             room.y_mm + (room.height_mm - 4 * side_mm) / 2};
    for (int i = 0; i < 6; i++) {
        const cube_face *face = &faces[i];
        const pov_vec2 at = {corner.x + face->column * side_mm, corner.y + face->row * side_mm};
        add_outline(target, at, side_mm);
        POV_TRY(add_tag(target, tags, i, page, (pov_vec2){at.x + side_mm / 2, at.y + side_mm / 2},
                        face->turn_rad, face_pose(face, side_mm)));
    }
    return pov_ok();
}
