/** The assignment problem: rows to columns at the least total cost. Pure. */
#pragma once

enum { POV_ASSIGNMENT_ROWS_MAX = 64, POV_ASSIGNMENT_COLUMNS_MAX = 128 };

/** Gives each row a column of its own so that the sum of costs is least.
 *  In:     cost, rows x columns, row-major, finite; rows <= columns, both within the bounds above.
 *  Out:    column_of_row.
 *  Method: the Hungarian algorithm by shortest augmenting paths, Jonker & Volgenant 1987; O(rows^2 columns). */
void pov_assign(int *column_of_row, const double *cost, int rows, int columns);
