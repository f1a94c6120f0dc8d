/* Targets to be cut out: the ring for a turntable, the cube. */
#include "calib/boards/target_page.h"

#include <math.h>
#include <stdio.h>

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
    const pov_target_room room = pov_target_room_of(tags->paper, true);
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
        pov_target_add_line(target, page, POV_TARGET_CUT,
                            at_angle(centre, radius_mm, from_rad + (to_rad - from_rad) * i / pieces),
                            at_angle(centre, radius_mm, from_rad + (to_rad - from_rad) * (i + 1) / pieces));
}

static void add_joint(pov_target *target, int page, pov_vec2 centre, const ring_plan *plan, double angle_rad)
{
    pov_target_add_line(target, page, POV_TARGET_CUT, at_angle(centre, plan->inner_mm, angle_rad),
                        at_angle(centre, plan->outer_mm, angle_rad));
}

static pov_status add_sector(pov_target *target, const pov_target_tags *tags, const ring_plan *plan,
                             int sector, int count, double radius_mm)
{
    const int first = sector * plan->tags_per_sector;
    const int len = count - first < plan->tags_per_sector ? count - first : plan->tags_per_sector;
    const double half_rad = len * plan->step_rad / 2;
    const pov_target_room room = pov_target_room_of(tags->paper, true);
    const pov_vec2 size = sector_size(plan->inner_mm, plan->outer_mm, 2 * half_rad);
    const pov_vec2 centre = {room.x_mm + room.width_mm / 2,
                             room.y_mm + (room.height_mm - size.y) / 2 + plan->outer_mm};
    char caption[160];
    snprintf(caption, sizeof caption,
             "pov tags ring: part %d of %d, %s, ids %d to %d, edge %.4g mm, radius %.4g mm.", sector + 1,
             plan->sectors, pov_tag_family_name(tags->family), tags->first_id + first,
             tags->first_id + first + len - 1, tags->edge_mm, radius_mm);
    const int page = pov_target_add_page(target, caption);
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
        POV_TRY(pov_target_add_tag(target, tags, first + i, page, at_angle(centre, radius_mm, clockwise_rad),
                                   clockwise_rad + POV_PI, T));
    }
    return pov_ok();
}

pov_status pov_target_ring(pov_target *target, const pov_target_tags *tags, int count, double radius_mm)
{
    double side_mm;
    ring_plan plan = {0};
    POV_TRY(pov_target_tag_side(&side_mm, tags));
    POV_TRY(plan_ring(&plan, tags, count, radius_mm, side_mm));
    pov_target_clear(target, tags->paper, true);
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
        pov_target_add_line(target, 0, POV_TARGET_FOLD, at[i], at[(i + 1) % 4]);
}

pov_status pov_target_cube(pov_target *target, const pov_target_tags *tags, double side_mm)
{
    double tag_mm;
    POV_TRY(pov_target_tag_side(&tag_mm, tags));
    const pov_target_room room = pov_target_room_of(tags->paper, false);
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
    pov_target_clear(target, tags->paper, false);
    const int page = pov_target_add_page(target, caption);
    snprintf(target->map_about, sizeof target->map_about,
             "The cube's centre: tags %d to %d face x, y, -x, -y; %d is on top, %d below.", tags->first_id,
             tags->first_id + 3, tags->first_id + 4, tags->first_id + 5);
    const pov_vec2 corner = {room.x_mm + (room.width_mm - 3 * side_mm) / 2,
                             room.y_mm + (room.height_mm - 4 * side_mm) / 2};
    for (int i = 0; i < 6; i++) {
        const cube_face *face = &faces[i];
        const pov_vec2 at = {corner.x + face->column * side_mm, corner.y + face->row * side_mm};
        add_outline(target, at, side_mm);
        POV_TRY(pov_target_add_tag(target, tags, i, page, (pov_vec2){at.x + side_mm / 2, at.y + side_mm / 2},
                                   face->turn_rad, face_pose(face, side_mm)));
    }
    return pov_ok();
}
