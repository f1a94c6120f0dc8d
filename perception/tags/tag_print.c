#include "perception/tags/tag_print.h"

#include <apriltag/apriltag.h>
#include <apriltag/tag16h5.h>
#include <apriltag/tag25h9.h>
#include <apriltag/tag36h10.h>
#include <apriltag/tag36h11.h>
#include <apriltag/tagCircle21h7.h>
#include <apriltag/tagCircle49h12.h>
#include <apriltag/tagCustom48h12.h>
#include <apriltag/tagStandard41h12.h>
#include <apriltag/tagStandard52h13.h>
#include <assert.h>
#include <stdlib.h>

typedef struct {
    apriltag_family_t *(*create)(void);
    void (*destroy)(apriltag_family_t *family);
} family_functions;

static const family_functions family_table[] = {
    [POV_TAG36H11] = {tag36h11_create, tag36h11_destroy},
    [POV_TAG36H10] = {tag36h10_create, tag36h10_destroy},
    [POV_TAG25H9] = {tag25h9_create, tag25h9_destroy},
    [POV_TAG16H5] = {tag16h5_create, tag16h5_destroy},
    [POV_TAG_CIRCLE21H7] = {tagCircle21h7_create, tagCircle21h7_destroy},
    [POV_TAG_CIRCLE49H12] = {tagCircle49h12_create, tagCircle49h12_destroy},
    [POV_TAG_CUSTOM48H12] = {tagCustom48h12_create, tagCustom48h12_destroy},
    [POV_TAG_STANDARD41H12] = {tagStandard41h12_create, tagStandard41h12_destroy},
    [POV_TAG_STANDARD52H13] = {tagStandard52h13_create, tagStandard52h13_destroy},
};
static_assert(sizeof family_table / sizeof *family_table == POV_TAG_FAMILY_COUNT, "every family can be made");

struct apriltag_family *pov_tag_family_create(pov_tag_family family)
{
    return family_table[family].create();
}

void pov_tag_family_destroy(pov_tag_family family, struct apriltag_family *table)
{
    family_table[family].destroy(table);
}

pov_status pov_tag_print_draw(pov_tag_print *print, struct apriltag_family *table, int id)
{
    if (id < 0 || id >= (int)table->ncodes)
        return pov_error("%s has ids 0 to %d; there is no %d", table->name, (int)table->ncodes - 1, id);
    image_u8_t *drawn = apriltag_to_image(table, id);
    if (!drawn)
        return pov_error("out of memory for a tag's drawing");
    POV_REQUIRE(drawn->width == drawn->height && drawn->width <= POV_TAG_PRINT_SIDE_MAX);
    print->side_cells = drawn->width;
    print->edge_cells = table->width_at_border;
    for (int y = 0; y < drawn->height; y++)
        for (int x = 0; x < drawn->width; x++)
            print->grey[y][x] = drawn->buf[y * drawn->stride + x];
    free(drawn->buf); /* image_u8_destroy is in a library of its own */
    free(drawn);
    return pov_ok();
}

pov_status pov_tag_print_make(pov_tag_print *print, pov_tag_family family, int id)
{
    *print = (pov_tag_print){0};
    apriltag_family_t *table = pov_tag_family_create(family);
    if (!table)
        return pov_error("out of memory for %s", pov_tag_family_name(family));
    const pov_status status = pov_tag_print_draw(print, table, id);
    pov_tag_family_destroy(family, table);
    return status;
}
