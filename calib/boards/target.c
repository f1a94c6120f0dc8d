#include "calib/boards/target.h"

#include "calib/boards/target_page.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double TEXT_MM = 2.8;
static const double RULER_MM = 100;

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

void pov_target_clear(pov_target *target, const pov_paper *paper, bool landscape)
{
    memset(target, 0, sizeof *target);
    target->page_width_mm = landscape ? paper->height_mm : paper->width_mm;
    target->page_height_mm = landscape ? paper->width_mm : paper->height_mm;
}

pov_target_room pov_target_room_of(const pov_paper *paper, bool landscape)
{
    const double width_mm = landscape ? paper->height_mm : paper->width_mm;
    const double height_mm = landscape ? paper->width_mm : paper->height_mm;
    const double top_mm = POV_TARGET_MARGIN_MM + POV_TARGET_HEAD_MM;
    return (pov_target_room){POV_TARGET_MARGIN_MM, top_mm, width_mm - 2 * POV_TARGET_MARGIN_MM,
                             height_mm - top_mm - POV_TARGET_MARGIN_MM - POV_TARGET_FOOT_MM};
}

void pov_target_add_mark(pov_target *target, const pov_target_mark *mark)
{
    POV_REQUIRE(target->mark_len < POV_TARGET_MARK_MAX);
    target->marks[target->mark_len++] = *mark;
}

void pov_target_add_line(pov_target *target, int page, pov_target_line_kind kind, pov_vec2 from_mm,
                         pov_vec2 to_mm)
{
    POV_REQUIRE(target->line_len < POV_TARGET_LINE_MAX);
    target->lines[target->line_len++] = (pov_target_line){page, kind, from_mm, to_mm};
}

void pov_target_add_text(pov_target *target, const pov_target_text *text)
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
        pov_target_add_line(target, page, POV_TARGET_RULE, (pov_vec2){x_mm, y_mm},
                            (pov_vec2){x_mm, y_mm - tick_mm});
    }
    pov_target_add_line(target, page, POV_TARGET_RULE, (pov_vec2){left_mm, y_mm},
                        (pov_vec2){left_mm + RULER_MM, y_mm});
    pov_target_text text = {.page = page, .at_mm = {left_mm, y_mm + 4.5}, .height_mm = TEXT_MM};
    snprintf(text.words, sizeof text.words,
             "This line is 100 mm long: measure it. If it is not, print again at 100 %%, \"actual size\".");
    pov_target_add_text(target, &text);
}

int pov_target_add_page(pov_target *target, const char *caption)
{
    POV_REQUIRE(target->page_len < POV_TARGET_PAGE_MAX);
    const int page = target->page_len++;
    pov_target_text text = {
        .page = page, .at_mm = {POV_TARGET_MARGIN_MM, POV_TARGET_MARGIN_MM + TEXT_MM}, .height_mm = TEXT_MM};
    snprintf(text.words, sizeof text.words, "%s", caption);
    pov_target_add_text(target, &text);
    add_ruler(target, page);
    return page;
}

pov_status pov_target_tag_side(double *side_mm, const pov_target_tags *tags)
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

pov_status pov_target_add_tag(pov_target *target, const pov_target_tags *tags, int index, int page,
                              pov_vec2 centre_mm, double turn_rad, pov_transform T_target_tag)
{
    pov_target_mark mark = {.page = page, .centre_mm = centre_mm, .turn_rad = turn_rad};
    const int id = tags->first_id + index;
    POV_TRY(pov_tag_print_make(&mark.print, tags->family, id));
    mark.cell_mm = tags->edge_mm / mark.print.edge_cells;
    pov_target_add_mark(target, &mark);
    const double half_side_mm = mark.cell_mm * mark.print.side_cells / 2;
    const double height_mm = fmin(TEXT_MM, mark.cell_mm * 0.7);
    pov_target_text text = {
        .page = page,
        .at_mm = turned(centre_mm, turn_rad, -half_side_mm + mark.cell_mm, half_side_mm - 0.1 * mark.cell_mm),
        .height_mm = height_mm,
        .turn_rad = turn_rad};
    snprintf(text.words, sizeof text.words, "%d", id);
    if (mark.print.side_cells > mark.print.edge_cells && tags->family != POV_TAG_CIRCLE49H12)
        pov_target_add_text(target, &text);
    POV_REQUIRE(target->map.len < POV_TAG_MAP_MAX);
    target->map.tags[target->map.len++] =
        (pov_tag_map_entry){tags->family, id, tags->edge_mm / 1000, pov_pose_exact(T_target_tag)};
    return pov_ok();
}
