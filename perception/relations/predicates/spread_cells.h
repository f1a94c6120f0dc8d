/** The spread of a situation (predicate.h) cut into cells: a truth that is open for the whole is often decided in most of them. */
#pragma once

#include "perception/relations/predicates/predicate.h"

enum { POV_SPREAD_CELLS_MAX = 64, POV_SPREAD_AXES = 5 };

/** Cut along x, y, z of the referent's offset, its turn and the relatum's. */
typedef struct {
    const pov_situation *whole;
    bool axes_turn_with_relatum; /* the frame's are the relatum's own */
    int len;                     /* cells in all */
    int count[POV_SPREAD_AXES];
    double half[POV_SPREAD_AXES]; /* of the whole; metres, radians */
} pov_spread_cells;

/** The situation is borrowed. Wide spreads are cut most often. */
pov_spread_cells pov_spread_cells_of(const pov_situation *whole, bool axes_turn_with_relatum);
/** The situation at the middle of cell 0 .. len - 1, with the cell's spread. */
void pov_spread_cell(pov_situation *cell, const pov_spread_cells *cells, int index);
/** The cell that a drawn situation is in; -1: it is outside the spread. */
int pov_spread_cell_at(const pov_spread_cells *cells, const pov_situation *drawn);
