#include "perception/relations/predicates/spread_cells.h"

#include "perception/relations/predicates/predicate_grade.h"

#include <math.h>
#include <stddef.h>

enum { X, Y, Z, REFERENT_TURN, RELATUM_TURN };

/* Distance by which such a turn moves the body's own points, or the thing in its front. */
static double reach_m(const pov_situation *whole, pov_member member, double turn_rad)
{
    double distance_m = pov_vec3_norm(pov_situation_offset(whole, member).v);
    return turn_rad * fmax(distance_m, pov_body_size_m(pov_body_of(whole, member)) / 2);
}

static int widest(const double reach[POV_SPREAD_AXES], const int count[POV_SPREAD_AXES])
{
    int best = 0;
    for (int axis = 1; axis < POV_SPREAD_AXES; axis++)
        if (reach[axis] / count[axis] > reach[best] / count[best])
            best = axis;
    return best;
}

pov_spread_cells pov_spread_cells_of(const pov_situation *whole, bool axes_turn_with_relatum)
{
    const pov_spread *spread = &whole->spread;
    pov_spread_cells cells = {
        .whole = whole,
        .axes_turn_with_relatum = axes_turn_with_relatum,
        .len = 1,
        .count = {1, 1, 1, 1, 1},
        .half = {spread->ground_m, spread->ground_m, spread->height_m, spread->turn_rad[POV_REFERENT],
                 spread->turn_rad[POV_RELATUM]},
    };
    const double reach[POV_SPREAD_AXES] = {cells.half[X], cells.half[Y], cells.half[Z],
                                           reach_m(whole, POV_REFERENT, cells.half[REFERENT_TURN]),
                                           reach_m(whole, POV_RELATUM, cells.half[RELATUM_TURN])};
    for (; cells.len < POV_SPREAD_CELLS_MAX; cells.len *= 2)
        cells.count[widest(reach, cells.count)] *= 2;
    return cells;
}

static void turn(pov_body *body, double by_rad)
{
    body->front_yaw_rad += by_rad;
    body->box.R_table_box = pov_box_turned(body->box.R_table_box, by_rad);
}

static pov_vec2 turned(pov_vec2 v, double by_rad)
{
    double c = cos(by_rad), s = sin(by_rad);
    return (pov_vec2){c * v.x - s * v.y, s * v.x + c * v.y};
}

/* If no axis of an offset is cut, its ball stays: a box would be wider. */
static void set_spread(pov_spread *spread, const pov_spread_cells *cells, const double half[POV_SPREAD_AXES])
{
    bool flat = cells->count[X] == 1 && cells->count[Y] == 1;
    if (!flat)
        spread->ground_m = hypot(half[X], half[Y]);
    if (!flat || cells->count[Z] > 1)
        spread->offset_m = hypot(spread->ground_m, half[Z]);
    spread->height_m = half[Z];
    spread->turn_rad[POV_REFERENT] = half[REFERENT_TURN];
    spread->turn_rad[POV_RELATUM] = half[RELATUM_TURN];
    if (cells->axes_turn_with_relatum)
        spread->axes_rad = half[RELATUM_TURN];
}

void pov_spread_cell(pov_situation *cell, const pov_spread_cells *cells, int index)
{
    double at[POV_SPREAD_AXES], half[POV_SPREAD_AXES];
    for (int axis = 0; axis < POV_SPREAD_AXES; axis++) {
        int step = index % cells->count[axis];
        index /= cells->count[axis];
        half[axis] = cells->half[axis] / cells->count[axis];
        at[axis] = (2 * step + 1) * half[axis] - cells->half[axis];
    }
    *cell = *cells->whole;
    cell->measures = NULL;
    cell->referent.box.centre_m = pov_vec3_add(cell->referent.box.centre_m, (pov_vec3){at[X], at[Y], at[Z]});
    turn(&cell->referent, at[REFERENT_TURN]);
    turn(&cell->relatum[0], at[RELATUM_TURN]);
    if (cells->axes_turn_with_relatum) {
        cell->front = turned(cell->front, at[RELATUM_TURN]);
        cell->left = turned(cell->left, at[RELATUM_TURN]);
    }
    set_spread(&cell->spread, cells, half);
}

int pov_spread_cell_at(const pov_spread_cells *cells, const pov_situation *drawn)
{
    const pov_body *a = &cells->whole->referent, *b = &cells->whole->relatum[0];
    pov_vec3 shift_m = pov_vec3_sub(drawn->referent.box.centre_m, a->box.centre_m);
    const double at[POV_SPREAD_AXES] = {
        shift_m.x, shift_m.y, shift_m.z,
        a->has_front ? pov_angle_wrap(drawn->referent.front_yaw_rad - a->front_yaw_rad) : 0,
        b->has_front ? pov_angle_wrap(drawn->relatum[0].front_yaw_rad - b->front_yaw_rad) : 0};
    int index = 0;
    for (int axis = POV_SPREAD_AXES - 1; axis >= 0; axis--) {
        int count = cells->count[axis];
        double half = cells->half[axis];
        if (fabs(at[axis]) > half + 1e-12)
            return -1;
        int step = half > 0 ? (int)((at[axis] / half + 1) / 2 * count) : 0;
        index = index * count + (step < count ? step : count - 1);
    }
    return index;
}
