#include "perception/tracking/assignment.h"

#include "perception/status.h"

#include <math.h>
#include <stdbool.h>

enum { ROWS = POV_ASSIGNMENT_ROWS_MAX, COLUMNS = POV_ASSIGNMENT_COLUMNS_MAX };

/* Rows and columns count from 1: column 0 stands for the row that is being placed. */
typedef struct {
    const double *cost;
    int rows, columns;
    double row_price[ROWS + 1], column_price[COLUMNS + 1];
    int row_of[COLUMNS + 1], before[COLUMNS + 1]; /* before: on the shortest path */
    double slack[COLUMNS + 1];
    bool reached[COLUMNS + 1];
} assignment;

static double reduced_cost(const assignment *a, int row, int column)
{
    return a->cost[(row - 1) * a->columns + column - 1] - a->row_price[row] - a->column_price[column];
}

/* Takes in `last` and returns the nearest column that is not reached yet. */
static int extend_path(assignment *a, int last)
{
    int next = 0;
    a->reached[last] = true;
    for (int j = 1; j <= a->columns; j++) {
        if (a->reached[j])
            continue;
        double cost = reduced_cost(a, a->row_of[last], j);
        if (cost < a->slack[j]) {
            a->slack[j] = cost;
            a->before[j] = last;
        }
        if (next == 0 || a->slack[j] < a->slack[next])
            next = j;
    }
    return next;
}

static void raise_prices(assignment *a, double by)
{
    for (int j = 0; j <= a->columns; j++) {
        if (a->reached[j]) {
            a->row_price[a->row_of[j]] += by;
            a->column_price[j] -= by;
        } else {
            a->slack[j] -= by;
        }
    }
}

static void place_row(assignment *a, int row)
{
    int column = 0;
    a->row_of[0] = row;
    for (int j = 0; j <= a->columns; j++) {
        a->slack[j] = INFINITY;
        a->reached[j] = false;
    }
    do {
        int next = extend_path(a, column);
        raise_prices(a, a->slack[next]);
        column = next;
    } while (a->row_of[column] != 0);
    for (; column != 0; column = a->before[column])
        a->row_of[column] = a->row_of[a->before[column]];
}

void pov_assign(int *column_of_row, const double *cost, int rows, int columns)
{
    POV_REQUIRE(rows >= 0 && rows <= columns && rows <= ROWS && columns <= COLUMNS);
    assignment a = {.cost = cost, .rows = rows, .columns = columns};
    for (int row = 1; row <= rows; row++)
        place_row(&a, row);
    for (int j = 1; j <= columns; j++)
        if (a.row_of[j] != 0)
            column_of_row[a.row_of[j] - 1] = j - 1;
}
