/* Where on the curve to begin: pictures from all around, at half size, laid over the query at every small shift. */
#include "perception/appearance/appearance_internal.h"

#include <math.h>
#include <string.h>

enum {
    REACH = 2,
    MOVES = (2 * REACH + 1) * (2 * REACH + 1),
    SIDE = COARSE_SIDE,
    APART = 3
}; /* half-size pixels; angles between starts */

static const double gain_low = 0.4, gain_high = 2.5;

enum { INNER = SIDE - 2 * REACH };

/* Sum of products over the inner part of the picture and of the query, moved. */
static double product(const float *picture, const float *query)
{
    float sums[INNER] = {0};
    double sum = 0;
    for (int y = 0; y < INNER; y++)
        for (int x = 0; x < INNER; x++)
            sums[x] += picture[y * SIDE + x] * query[y * SIDE + x];
    for (int x = 0; x < INNER; x++)
        sum += (double)sums[x];
    return sum;
}

/* What remains of the query, moved, once the picture in its best light is taken away; least over all moves. */
static void compare(match_start *start, const float *picture, const float *query,
                    const double query_squares[MOVES])
{
    const float *middle = picture + REACH * SIDE + REACH;
    const double squares = product(middle, middle);
    for (int i = 0; i < MOVES; i++) {
        const int dx = i % (2 * REACH + 1), dy = i / (2 * REACH + 1);
        const double both = product(middle, query + dy * SIDE + dx);
        const double gain = fmin(fmax(both / fmax(squares, 1e-9), gain_low), gain_high);
        const double cost = query_squares[i] - 2 * gain * both + gain * gain * squares;
        if (cost < start->cost)
            *start = (match_start){start->angle_rad, 2 * (dx - REACH), 2 * (dy - REACH), gain, cost};
    }
}

static bool is_least_around(const match_start all[COARSE_ANGLES], int i)
{
    for (int k = 1; k < APART; k++)
        if (all[(i + k) % COARSE_ANGLES].cost < all[i].cost ||
            all[(i + COARSE_ANGLES - k) % COARSE_ANGLES].cost <= all[i].cost)
            return false;
    return true;
}

static void insert(match_start starts[START_MAX], int *len, const match_start *start)
{
    int at = *len < START_MAX ? (*len)++ : START_MAX;
    for (; at > 0 && starts[at - 1].cost > start->cost; at--)
        if (at < START_MAX)
            starts[at] = starts[at - 1];
    if (at < START_MAX)
        starts[at] = *start;
}

int pov_appearance_starts(const pov_appearance *a, match_start starts[START_MAX], const pov_patch *patch)
{
    float query[COARSE_AREA];
    double query_squares[MOVES];
    match_start all[COARSE_ANGLES];
    int len = 0;
    pov_patch_halve(query, patch->light);
    for (int i = 0; i < MOVES; i++) {
        const float *moved = query + i / (2 * REACH + 1) * SIDE + i % (2 * REACH + 1);
        query_squares[i] = product(moved, moved);
    }
    for (int i = 0; i < COARSE_ANGLES; i++) {
        all[i] = (match_start){.angle_rad = i * (2 * POV_PI / COARSE_ANGLES), .cost = INFINITY};
        compare(&all[i], a->coarse[i], query, query_squares);
    }
    for (int i = 0; i < COARSE_ANGLES; i++)
        if (is_least_around(all, i))
            insert(starts, &len, &all[i]);
    return len;
}
