#include "calib/boards/chessboard_finder.h"

#include "perception/geometry/linalg.h"
#include "perception/geometry/ranked.h"
#include "perception/image/opencv_c.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The copy in which a board is measured; chosen: squares of 10 px and more are found, in 0.05 s a look. */
enum { MEASURED_PX = 512 };
/* A corner's neighbours, on each side; a quadratic surface through them has six coefficients. */
enum { REACH = 2, TERMS = 6 };
/* Half the square to refine in: at most; and the share of the distance to the next corner, which stays outside. */
enum { WINDOW_MAX_PX = 10, WINDOW_MIN_PX = 2 };
static const double window_share = 0.4;
/* Largest distance of a corner from the place that its neighbours predict; chosen: refined corners of evenly lit boards are within 0.2 px. */
static const double stray_px = 0.5, stray_medians = 6;
static const double stray_share_max = 0.25; /* of all corners; beyond, it is no board */

/* In turn: each finds boards that those before it do not, or takes longer (measured on drawn boards: even light, a lamp, a
 * shadow's edge; on photographs evening out the light spoils some that are found as they are). */
static const struct {
    int light_tiles;
    bool doubled;
} settings[] = {{0, false}, {8, false}, {16, false}, {0, true}, {16, true}};
enum { SETTING_COUNT = sizeof settings / sizeof *settings, QUICK_COUNT = 2 };

/* ---- corners ---- */

typedef struct {
    int columns, rows; /* of inner corners */
    pov_vec2 pixel[POV_BOARD_POINT_MAX];
    bool kept[POV_BOARD_POINT_MAX];
    double strange[POV_BOARD_POINT_MAX]; /* see measure_strangeness() */
} lattice;

static double measure_spacing(const lattice *l, int i)
{
    const int column = i % l->columns, row = i / l->columns, step[4] = {-1, 1, -l->columns, l->columns};
    const bool is_there[4] = {column > 0, column<l->columns - 1, row> 0, row < l->rows - 1};
    double nearest_px = INFINITY;
    for (int k = 0; k < 4; k++)
        if (is_there[k])
            nearest_px = fmin(nearest_px, fmax(fabs(l->pixel[i + step[k]].x - l->pixel[i].x),
                                               fabs(l->pixel[i + step[k]].y - l->pixel[i].y)));
    return nearest_px;
}

/* All by the corners as they were found. */
static void refine_corners(lattice *l, const pov_grey *image)
{
    CvMat grey = cvMat(image->height_px, image->width_px, CV_8UC1, (void *)(uintptr_t)image->pixels);
    CvPoint2D32f refined[POV_BOARD_POINT_MAX];
    const int len = l->columns * l->rows;
    grey.step = image->stride_bytes;
    for (int i = 0; i < len; i++) {
        const int window_px =
            (int)fmin(fmax(window_share * measure_spacing(l, i), WINDOW_MIN_PX), WINDOW_MAX_PX);
        refined[i] = cvPoint2D32f(l->pixel[i].x, l->pixel[i].y);
        cvFindCornerSubPix(&grey, &refined[i], 1, cvSize(window_px, window_px), cvSize(-1, -1),
                           cvTermCriteria(CV_TERMCRIT_ITER | CV_TERMCRIT_EPS, 40, 1e-3));
    }
    for (int i = 0; i < len; i++)
        l->pixel[i] = (pov_vec2){(double)refined[i].x, (double)refined[i].y};
}

/* A corner's distance from a quadratic surface through its neighbours, over the deviation of that surface there. Over five corners
 * lenses and perspective are as smooth as that. 0 where too few neighbours are left. */
static double measure_strangeness(const lattice *l, int i)
{
    const int column = i % l->columns, row = i / l->columns;
    double normal[TERMS * TERMS] = {0}, right_x[TERMS] = {0}, right_y[TERMS] = {0}, L[TERMS * TERMS];
    for (int dv = -REACH; dv <= REACH; dv++)
        for (int du = -REACH; du <= REACH; du++) {
            const int u = column + du, v = row + dv, at = v * l->columns + u;
            if ((du == 0 && dv == 0) || u < 0 || v < 0 || u >= l->columns || v >= l->rows || !l->kept[at])
                continue;
            const double term[TERMS] = {1, du, dv, du * du, du * dv, dv * dv};
            for (int a = 0; a < TERMS; a++) {
                for (int b = 0; b < TERMS; b++)
                    normal[TERMS * a + b] += term[a] * term[b];
                right_x[a] += term[a] * l->pixel[at].x;
                right_y[a] += term[a] * l->pixel[at].y;
            }
        }
    double x[TERMS], y[TERMS], spread[TERMS];
    const double here[TERMS] = {1};
    if (!pov_cholesky(L, normal, TERMS))
        return 0;
    pov_cholesky_solve(x, L, right_x, TERMS);
    pov_cholesky_solve(y, L, right_y, TERMS);
    pov_cholesky_solve(spread, L, here, TERMS);
    return hypot(l->pixel[i].x - x[0], l->pixel[i].y - y[0]) / sqrt(1 + spread[0]);
}

static double find_median_strangeness(const lattice *l, int len)
{
    double strange[POV_BOARD_POINT_MAX];
    memcpy(strange, l->strange, (size_t)len * sizeof *strange);
    return pov_median(strange, len);
}

/* The strangest first: it spoils what its neighbours seem to be. Returns how many are left. */
static int drop_strays(lattice *l)
{
    const int len = l->columns * l->rows;
    int left = len;
    for (int i = 0; i < len; i++)
        l->kept[i] = true;
    for (int i = 0; i < len; i++)
        l->strange[i] = measure_strangeness(l, i);
    for (;;) {
        const double limit_px = fmax(stray_px, stray_medians * find_median_strangeness(l, len));
        int worst = 0;
        for (int i = 1; i < len; i++)
            worst = l->strange[i] > l->strange[worst] ? i : worst;
        if (!(l->strange[worst] > limit_px))
            return left;
        l->kept[worst] = false;
        l->strange[worst] = 0;
        left--;
        for (int i = 0; i < len; i++)
            if (l->kept[i] && abs(i % l->columns - worst % l->columns) <= REACH &&
                abs(i / l->columns - worst / l->columns) <= REACH)
                l->strange[i] = measure_strangeness(l, i);
    }
}

pov_status pov_chessboard_see(pov_board_view *view, const pov_grey *image, const pov_board *board)
{
    lattice l = {.columns = board->columns - 1, .rows = board->rows - 1};
    const int len = l.columns * l.rows;
    view->len = 0;
    for (int i = 0; i < SETTING_COUNT; i++) {
        const pov_chessboard_search search = {.columns = l.columns,
                                              .rows = l.rows,
                                              .light_tiles = settings[i].light_tiles,
                                              .doubled = settings[i].doubled};
        int shape[2];
        POV_TRY(pov_chessboard_find(l.pixel, shape, image, &search));
        if (shape[0] == 0)
            continue;
        refine_corners(&l, image);
        if (drop_strays(&l) < (1 - stray_share_max) * len)
            continue;
        for (int k = 0; k < len; k++)
            if (l.kept[k]) {
                view->board_m[view->len] = pov_board_point(board, k);
                view->pixel[view->len++] = l.pixel[k];
            }
        return pov_ok();
    }
    return pov_status_of(POV_UNDEFINED);
}

/* ---- which board it is ---- */

static pov_chessboard_search quick_search(int columns, int rows, int light_tiles)
{
    return (pov_chessboard_search){
        .columns = columns, .rows = rows, .light_tiles = light_tiles, .longest_px = MEASURED_PX};
}

/* A part of a larger board is found, too. */
static pov_status look_for(bool *found, const pov_grey *image, int columns, int rows, int light_tiles)
{
    const pov_chessboard_search search = quick_search(columns, rows, light_tiles);
    int size[2];
    *found = false;
    if (columns * rows > POV_BOARD_POINT_MAX)
        return pov_ok();
    POV_TRY(pov_chessboard_find(NULL, size, image, &search));
    *found = size[0] > 0;
    return pov_ok();
}

/* Grows a size as far as squares go on. */
static pov_status grow_size(int size[2], const pov_grey *image, int light_tiles)
{
    for (int step = 3; step > 0;) {
        const int wider = step & 1, higher = step >> 1;
        bool found;
        POV_TRY(look_for(&found, image, size[0] + wider, size[1] + higher, light_tiles));
        size[0] += found ? wider : 0;
        size[1] += found ? higher : 0;
        step = found ? 3 : step - 1;
    }
    return pov_ok();
}

/* Enlarges `largest` if a larger board is found. OpenCV stops a row early where light is bad, and finds that row if told to. */
static pov_status measure_size(int largest[2], const pov_grey *image, int light_tiles)
{
    enum { LEAST = 3 }; /* of OpenCV */
    pov_chessboard_search search = quick_search(LEAST, LEAST, light_tiles);
    int size[2];
    search.or_larger = true;
    POV_TRY(pov_chessboard_find(NULL, size, image, &search));
    if (size[0] * size[1] <= largest[0] * largest[1])
        return pov_ok();
    memcpy(largest, size, sizeof size);
    return grow_size(largest, image, light_tiles);
}

/* True if a board of size a has all of one of size b, either turned; and is another. */
static bool is_larger(const int a[2], const int b[2])
{
    const int a_long = a[0] > a[1] ? a[0] : a[1], b_long = b[0] > b[1] ? b[0] : b[1];
    const int a_short = a[0] + a[1] - a_long, b_short = b[0] + b[1] - b_long;
    return a_long >= b_long && a_short >= b_short && a_long + a_short > b_long + b_short;
}

pov_status pov_chessboard_measure(pov_board *seen, const pov_grey *image, const pov_board *board)
{
    const int stated[2] = {board->columns - 1, board->rows - 1};
    int largest[2] = {0, 0};
    *seen = *board;
    for (int i = 0; i < QUICK_COUNT; i++)
        POV_TRY(measure_size(largest, image, settings[i].light_tiles));
    for (int i = 0; i < QUICK_COUNT && !is_larger(largest, stated); i++) {
        bool found;
        POV_TRY(look_for(&found, image, stated[0], stated[1], settings[i].light_tiles));
        if (!found)
            continue;
        memcpy(largest, stated, sizeof largest);
        for (int k = 0; k < QUICK_COUNT; k++) /* the stated board may be a part */
            POV_TRY(grow_size(largest, image, settings[k].light_tiles));
        break;
    }
    const bool is_turned = (stated[0] >= stated[1]) != (largest[0] >= largest[1]);
    seen->columns = 1 + largest[is_turned];
    seen->rows = 1 + largest[!is_turned];
    return pov_status_of(largest[0] > 0 ? POV_OK : POV_UNDEFINED);
}
