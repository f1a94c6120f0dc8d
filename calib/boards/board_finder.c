#include "calib/boards/board_finder.h"

#include "calib/boards/board_view.h"
#include "calib/boards/opencv_calib_shim.h"
#include "perception/geometry/linalg.h"
#include "perception/geometry/ranked.h"
#include "perception/image/opencv_c.h"
#include "perception/tags/tag_detector.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Finds chessboards that are whole in an image, in uneven light too. */

/* The copies in which a board is measured, and searched for; chosen: squares of 10 px and more are found, in 0.05 s a look, and in
 * 0.3 to 1 s. A picture of any size takes some seconds at most. */
enum { MEASURED_PX = 512, SEARCHED_PX = 1280 };

/* A corner's neighbours, on each side; a quadratic surface through them has six coefficients. */
enum { REACH = 2, TERMS = 6 };

/* Half the square to refine in: at most; and the share of the distance to the next corner, which stays outside. */
enum { CHESS_WINDOW_MAX_PX = 10, WINDOW_MIN_PX = 2 };

static const double window_share = 0.4;

/* Largest distance of a corner from the place that its neighbours predict; chosen: refined corners of evenly lit boards are within 0.2 px. */
static const double stray_px = 0.5, stray_medians = 6;

/* Refined corners are this much farther from a smooth surface, in the median, than those that OpenCV found: then edges do not
 * meet in points. Chosen: drawn boards have 0.5 to 1. */
static const double rougher = 1.3;

static const double stray_share_max = 0.25; /* of all corners; beyond, it is not a board */

/* In turn: each finds boards that those before it do not, or takes longer (measured on drawn boards: even light, a lamp, a
 * shadow's edge; on photographs evening out the light spoils some that are found as they are). */
static const struct {
    int light_tiles;
    bool doubled;
} settings[] = {{0, false}, {8, false}, {16, false}, {0, true}, {16, true}};

enum { SETTING_COUNT = sizeof settings / sizeof *settings, QUICK_COUNT = 2, LEAST_SIDE = 3 /* of OpenCV */ };

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

/* A corner outside the image, or at its border, is left as it is. */
static void refine_corner(pov_vec2 *corner, const pov_grey *image, double spacing_px)
{
    CvMat grey = cvMat(image->height_px, image->width_px, CV_8UC1, (void *)(uintptr_t)image->pixels);
    const int window_px = (int)fmin(fmax(window_share * spacing_px, WINDOW_MIN_PX), CHESS_WINDOW_MAX_PX);
    CvPoint2D32f refined = cvPoint2D32f(corner->x, corner->y);
    grey.step = image->stride_bytes;
    if (!(corner->x > window_px + 1 && corner->y > window_px + 1 &&
          corner->x < image->width_px - window_px - 2 && corner->y < image->height_px - window_px - 2))
        return;
    cvFindCornerSubPix(&grey, &refined, 1, cvSize(window_px, window_px), cvSize(-1, -1),
                       cvTermCriteria(CV_TERMCRIT_ITER | CV_TERMCRIT_EPS, 40, 1e-3));
    *corner = (pov_vec2){(double)refined.x, (double)refined.y};
}

/* All by the corners as they were found. */
static void refine_corners(lattice *l, const pov_grey *image)
{
    double spacing_px[POV_BOARD_POINT_MAX];
    const int len = l->columns * l->rows;
    for (int i = 0; i < len; i++)
        spacing_px[i] = measure_spacing(l, i);
    for (int i = 0; i < len; i++)
        refine_corner(&l->pixel[i], image, spacing_px[i]);
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

/* ---- lines of corners ---- */

/* OpenCV takes the edge of a narrow border on a dark table for a line of corners, and stops a line early where light is bad. A true
 * corner looks the same from both sides: black opposite black, white opposite white. */

/* A ring about a corner, as a share of the distance to the next; the grey values of opposite points on it may differ by this
 * share of its contrast, in the mean (0.5 at an edge); a contrast of this share of the others' is one; and so many corners of a
 * true line are seen as such. Chosen. */
static const double ring_share = 0.3, asymmetry_max = 0.25, contrast_share = 0.3, line_share = 0.7;

/* A predicted corner is found this near, as a share of the distance to the next. Chosen. */
static const double prediction_share = 0.35;

enum { RING = 16, SIDES = 4 };

/* Black and white about a corner, and how unlike opposite points are; false outside the image. */
static bool look_around(double *contrast, double *asymmetry, const pov_grey *image, pov_vec2 corner,
                        double radius_px)
{
    int value[RING], low = 255, high = 0;
    double unlike = 0;
    for (int i = 0; i < RING; i++) {
        const double angle = 2 * POV_PI * i / RING;
        const long x = lround(corner.x + radius_px * cos(angle)),
                   y = lround(corner.y + radius_px * sin(angle));
        if (x < 0 || y < 0 || x >= image->width_px || y >= image->height_px)
            return false;
        value[i] = image->pixels[(size_t)y * (size_t)image->stride_bytes + (size_t)x];
        low = value[i] < low ? value[i] : low;
        high = value[i] > high ? value[i] : high;
    }
    for (int i = 0; i < RING / 2; i++)
        unlike += abs(value[i] - value[i + RING / 2]) / (RING / 2.0);
    *contrast = high - low;
    *asymmetry = high > low ? unlike / (high - low) : INFINITY;
    return true;
}

static double find_contrast(const lattice *l, const pov_grey *image)
{
    double contrasts[POV_BOARD_POINT_MAX], contrast, asymmetry;
    int len = 0;
    for (int i = 0; i < l->columns * l->rows; i++)
        if (look_around(&contrast, &asymmetry, image, l->pixel[i], ring_share * measure_spacing(l, i)))
            contrasts[len++] = contrast;
    return len > 0 ? pov_median(contrasts, len) : INFINITY;
}

/* Index of corner k of the outer line on a side: left, right, upper, lower. `deep`: so many lines further in. */
static int index_in_line(const lattice *l, int side, int k, int deep)
{
    const int across = side % 2 ? (side < 2 ? l->columns : l->rows) - 1 - deep : deep;
    return side < 2 ? k * l->columns + across : across * l->columns + k;
}

static int measure_line(const lattice *l, int side)
{
    return side < 2 ? l->rows : l->columns;
}

static bool is_true_line(const lattice *l, const pov_grey *image, int side, double usual_contrast)
{
    const int len = measure_line(l, side);
    int good = 0;
    for (int k = 0; k < len; k++) {
        const int i = index_in_line(l, side, k, 0);
        double contrast, asymmetry;
        good += look_around(&contrast, &asymmetry, image, l->pixel[i], ring_share * measure_spacing(l, i)) &&
                contrast > contrast_share * usual_contrast && asymmetry < asymmetry_max;
    }
    return good >= line_share * len;
}

/* The lattice with a line more (+1) or less (-1) on a side; the corners of a new line are left as they are. */
static void resize_lattice(lattice *l, int side, int by)
{
    static lattice was; /* large; one thread looks for boards */
    was = *l;
    const int shift = side % 2 ? 0 : by;
    *(side < 2 ? &l->columns : &l->rows) += by;
    for (int i = 0; i < l->columns * l->rows; i++) {
        const int column = i % l->columns - (side < 2 ? shift : 0),
                  row = i / l->columns - (side < 2 ? 0 : shift);
        if (column >= 0 && row >= 0 && column < was.columns && row < was.rows)
            l->pixel[i] = was.pixel[row * was.columns + column];
    }
}

/* All its outer lines are of corners: where OpenCV is told a size, it may take the edge of the paper for one. */
static bool has_true_edge(const lattice *l, const pov_grey *image)
{
    const double contrast = find_contrast(l, image);
    for (int side = 0; side < SIDES; side++)
        if (!is_true_line(l, image, side, contrast))
            return false;
    return true;
}

static void trim_lattice(lattice *l, const pov_grey *image)
{
    const double contrast = find_contrast(l, image);
    for (int side = 0; side < SIDES; side++)
        while ((side < 2 ? l->columns : l->rows) > LEAST_SIDE && !is_true_line(l, image, side, contrast)) {
            resize_lattice(l, side, -1);
            side = 0;
        }
}

/* Adds a line on a side if there is one. */
static bool add_line(lattice *l, const pov_grey *image, int side, double contrast)
{
    const int len = measure_line(l, side);
    if ((l->columns + (side < 2)) * (l->rows + (side >= 2)) > POV_BOARD_POINT_MAX)
        return false;
    resize_lattice(l, side, 1);
    int lost = 0;
    for (int k = 0; k < len; k++) {
        const int at = index_in_line(l, side, k, 0);
        const pov_vec2 a = l->pixel[index_in_line(l, side, k, 1)], b = l->pixel[index_in_line(l, side, k, 2)],
                       c = l->pixel[index_in_line(l, side, k, 3)];
        const pov_vec2 predicted = {3 * a.x - 3 * b.x + c.x, 3 * a.y - 3 * b.y + c.y};
        const double spacing_px = hypot(predicted.x - a.x, predicted.y - a.y);
        l->pixel[at] = predicted;
        refine_corner(&l->pixel[at], image, spacing_px);
        if (!(hypot(l->pixel[at].x - predicted.x, l->pixel[at].y - predicted.y) <
              prediction_share * spacing_px))
            lost++;
    }
    if (lost <= (1 - line_share) * len && is_true_line(l, image, side, contrast))
        return true;
    resize_lattice(l, side, -1);
    return false;
}

/* To the size that the board has. */
static void fit_lattice(lattice *l, const pov_grey *image)
{
    refine_corners(l, image);
    trim_lattice(l, image);
    const double contrast = find_contrast(l, image);
    for (int side = 0; side < SIDES; side++)
        while (add_line(l, image, side, contrast))
            ;
}

/* Turns the lattice by a quarter. */
static void turn_lattice(lattice *l)
{
    static lattice was; /* large; one thread looks for boards */
    was = *l;
    l->columns = was.rows;
    l->rows = was.columns;
    for (int i = 0; i < l->columns * l->rows; i++)
        l->pixel[i] = was.pixel[(i % l->columns) * was.columns + was.columns - 1 - i / l->columns];
}

/* The largest lattice that OpenCV sees of any size, to the size that it has. Columns 0: none. */
static pov_status find_any(lattice *l, const pov_grey *image, int light_tiles, int longest_px)
{
    const pov_chessboard_search search = {.columns = LEAST_SIDE,
                                          .rows = LEAST_SIDE,
                                          .light_tiles = light_tiles,
                                          .longest_px = longest_px,
                                          .or_larger = true};
    int shape[2];
    POV_TRY(pov_chessboard_find(l->pixel, shape, image, &search, POV_BOARD_POINT_MAX));
    l->columns = shape[0];
    l->rows = shape[1];
    if (l->columns > 0)
        fit_lattice(l, image);
    return pov_ok();
}

/* ---- the board ---- */

/* The corners that fit their neighbours; false if these are too few. */
static bool take_corners(pov_board_view *view, lattice *l, const pov_board *board)
{
    const int len = l->columns * l->rows;
    if (drop_strays(l) < (1 - stray_share_max) * len)
        return false;
    for (int k = 0; k < len; k++)
        if (l->kept[k]) {
            view->board_m[view->len] = pov_board_point(board, k);
            view->pixel[view->len++] = l->pixel[k];
        }
    return true;
}

/* Corners refined by their edges or, where squares do not meet in a point, as they were found: whichever are smoother. */
static bool take_smoother(pov_board_view *view, lattice *found, const pov_grey *image, const pov_board *board)
{
    static lattice refined; /* large; one thread looks for boards */
    const int len = found->columns * found->rows;
    refined = *found;
    refine_corners(&refined, image);
    (void)drop_strays(&refined);
    (void)drop_strays(found);
    const bool is_rougher =
        find_median_strangeness(&refined, len) > rougher * find_median_strangeness(found, len);
    return take_corners(view, is_rougher ? found : &refined, board);
}

/* Looks for the board of any size, as OpenCV does not find one with a narrow border when told its size. */
static pov_status see_by_growing(bool *is_seen, pov_board_view *view, const pov_grey *image,
                                 const pov_board *board)
{
    static const int longest_px[] = {MEASURED_PX, SEARCHED_PX};
    static lattice l; /* large; one thread looks for boards */
    *is_seen = false;
    for (int i = 0; i < 2 * QUICK_COUNT && !*is_seen; i++) {
        POV_TRY(find_any(&l, image, settings[i % QUICK_COUNT].light_tiles, longest_px[i / QUICK_COUNT]));
        if (l.columns == board->rows - 1 && l.rows == board->columns - 1 && l.columns != l.rows)
            turn_lattice(&l);
        *is_seen =
            l.columns == board->columns - 1 && l.rows == board->rows - 1 && take_corners(view, &l, board);
    }
    return pov_ok();
}

/* Returns: POV_OK; POV_UNDEFINED if no setting of OpenCV's finder finds the board; POV_ERROR if OpenCV fails.
 *  Out:     view: the inner corners that fit their neighbours; a shadow's edge through a corner moves it. edge_px is left as it is.
 *  Method:  cv::findChessboardCornersSB in the image as it is, and with its light evened out, settings in turn; each corner
 *           refined in the image as it is (Förstner), and held against a smooth surface through its neighbours. */
static pov_status chessboard_see(pov_board_view *view, const pov_grey *image, const pov_board *board)
{
    lattice l = {.columns = board->columns - 1, .rows = board->rows - 1};
    bool is_seen = false;
    view->len = 0;
    for (int i = 0; i < SETTING_COUNT && !is_seen; i++) {
        const pov_chessboard_search search = {.columns = l.columns,
                                              .rows = l.rows,
                                              .light_tiles = settings[i].light_tiles,
                                              .longest_px = SEARCHED_PX,
                                              .doubled = settings[i].doubled};
        int shape[2];
        if (i == QUICK_COUNT)
            POV_TRY(see_by_growing(&is_seen, view, image, board));
        if (is_seen)
            break;
        POV_TRY(pov_chessboard_find(l.pixel, shape, image, &search, POV_BOARD_POINT_MAX));
        is_seen = shape[0] > 0 && has_true_edge(&l, image) && take_smoother(view, &l, image, board);
    }
    return pov_status_of(is_seen ? POV_OK : POV_UNDEFINED);
}

/* ---- which board it is ---- */

/* True if a board of size a has all of one of size b, either turned; and is another. */
static bool is_larger(const int a[2], const int b[2])
{
    const int a_long = a[0] > a[1] ? a[0] : a[1], b_long = b[0] > b[1] ? b[0] : b[1];
    const int a_short = a[0] + a[1] - a_long, b_short = b[0] + b[1] - b_long;
    return a_long >= b_long && a_short >= b_short && a_long + a_short > b_long + b_short;
}

/* Finds the size of the chessboard in the image: `board` itself, or another one that is whole in it. Looks at a small copy.
 *  Returns: POV_OK; POV_UNDEFINED if it shows none; POV_ERROR if OpenCV fails. */
static pov_status chessboard_measure(pov_board *seen, const pov_grey *image, const pov_board *board)
{
    const int stated[2] = {board->columns - 1, board->rows - 1};
    static lattice l; /* large; one thread looks for boards */
    int largest[2] = {0, 0};
    *seen = *board;
    for (int i = 0; i < QUICK_COUNT; i++) {
        POV_TRY(find_any(&l, image, settings[i].light_tiles, MEASURED_PX));
        if (is_larger((int[2]){l.columns, l.rows}, largest)) {
            largest[0] = l.columns;
            largest[1] = l.rows;
        }
    }
    const bool is_turned = (stated[0] >= stated[1]) != (largest[0] >= largest[1]);
    seen->columns = 1 + largest[is_turned];
    seen->rows = 1 + largest[!is_turned];
    return pov_status_of(largest[0] > 0 ? POV_OK : POV_UNDEFINED);
}

enum { MARKER_MAX = POV_BOARD_SIDE_MAX * POV_BOARD_SIDE_MAX, POINT_MIN = 8, WINDOW_MAX_PX = 10 };

enum { PATTERN_NOW, PATTERN_BEFORE_4_6, PATTERN_COUNT };

/* Two markers' predictions of the corner between them agree to this share of a square; of a wrong board's, to one. */
static const double AGREEMENT_MAX = 0.25;

struct pov_board_finder {
    pov_board board;
    pov_tag_detector *tags;
    pov_tags seen_tags;
    uint8_t *grey;
    size_t grey_capacity;
    pov_grey image;
    int marker_len;
    pov_aruco_marker markers[MARKER_MAX];
    const pov_aruco_marker *by_id[MARKER_MAX];
};

pov_status pov_board_finder_new(pov_board_finder **finder, const pov_board *board)
{
    pov_board_finder *made = pov_allocate(1, sizeof *made);
    *finder = NULL;
    made->board = *board;
    if (board->kind == POV_BOARD_APRILGRID) {
        pov_tag_detector_config config = POV_TAG_DETECTOR_DEFAULT;
        memset(config.family, 0, sizeof config.family);
        config.family[board->family] = true;
        pov_status status = pov_tag_detector_new(&made->tags, &config);
        if (status.code != POV_OK) {
            free(made);
            return status;
        }
    }
    *finder = made;
    return pov_ok();
}

void pov_board_finder_destroy(pov_board_finder **finder)
{
    if (!*finder)
        return;
    pov_tag_detector_destroy(&(*finder)->tags);
    free((*finder)->grey);
    free(*finder);
    *finder = NULL;
}

static pov_status make_grey(pov_board_finder *f, const pov_image *image)
{
    size_t needed = (size_t)image->width_px * (size_t)image->height_px;
    if (needed > f->grey_capacity) { /* grows when a larger image comes, as a decoder's buffer does */
        free(f->grey);
        f->grey = malloc(needed);
        f->grey_capacity = f->grey ? needed : 0;
        if (!f->grey)
            return pov_error("%s: out of memory", image->name);
    }
    pov_grey_from_rgb(f->grey, image, (pov_rectangle){0, 0, image->width_px, image->height_px});
    f->image = (pov_grey){f->grey, image->width_px, image->height_px, image->width_px};
    return pov_ok();
}

static double distance(pov_vec2 a, pov_vec2 b)
{
    return hypot(a.x - b.x, a.y - b.y);
}

/* ---- ChArUco -------------------------------------------------------------------------------------------------------- */

/* A point of the board by one marker's own homography, and the length of a square there. */
static pov_vec2 predict(double *square_px, const pov_board *board, const pov_aruco_marker *marker,
                        pov_vec3 point)
{
    CvPoint2D32f from[4], to[4];
    double H[9], longest_px = 0;
    CvMat map = cvMat(3, 3, CV_64FC1, H);
    for (int i = 0; i < 4; i++) {
        pov_vec3 corner = pov_board_marker_corner(board, marker->id, i);
        /* in squares: single precision is enough near 1 */
        from[i] = cvPoint2D32f(corner.x / board->square_m, corner.y / board->square_m);
        to[i] = cvPoint2D32f(marker->corner_px[i].x, marker->corner_px[i].y);
        longest_px = fmax(longest_px, distance(marker->corner_px[i], marker->corner_px[(i + 1) % 4]));
    }
    cvGetPerspectiveTransform(from, to, &map);
    *square_px = longest_px * board->square_m / board->marker_m;
    double x = point.x / board->square_m, y = point.y / board->square_m, w = H[6] * x + H[7] * y + H[8];
    return (pov_vec2){(H[0] * x + H[1] * y + H[2]) / w, (H[3] * x + H[4] * y + H[5]) / w};
}

/* The two markers that touch inner corner i, if both were seen. */
static bool touching(const pov_aruco_marker *pair[2], const pov_board_finder *f, const pov_board *board,
                     int i)
{
    int across = board->columns - 1, column = i % across, row = i / across, len = 0;
    for (int k = 0; k < f->marker_len && len < 2; k++) {
        const pov_aruco_marker *marker = &f->markers[k];
        int marker_column, marker_row;
        if (marker->id >= pov_board_marker_count(board) || f->by_id[marker->id] != marker)
            continue;
        pov_board_marker_square(&marker_column, &marker_row, board, marker->id);
        if (marker_column >= column && marker_column <= column + 1 && marker_row >= row &&
            marker_row <= row + 1)
            pair[len++] = marker;
    }
    return len == 2;
}

typedef struct {
    int len, strays; /* inner corners on which two markers agree, and do not */
    int id[POV_BOARD_POINT_MAX];
    pov_vec2 pixel[POV_BOARD_POINT_MAX];
    int window_px[POV_BOARD_POINT_MAX]; /* to refine in: no marker's corner is inside */
} guesses;

/* Half the side of the square to refine in: beyond reach of a marker's corner, and of its blur and its gradient. */
static int window_of(const pov_aruco_marker *const pair[2], pov_vec2 guess)
{
    double nearest_px = INFINITY;
    for (int i = 0; i < 8; i++) {
        pov_vec2 corner = pair[i / 4]->corner_px[i % 4];
        nearest_px = fmin(nearest_px, fmax(fabs(corner.x - guess.x), fabs(corner.y - guess.y)));
    }
    return (int)fmin(fmax(nearest_px - 2, 2), WINDOW_MAX_PX);
}

static void guess_corners(guesses *g, const pov_board_finder *f, const pov_board *board)
{
    g->len = g->strays = 0;
    for (int i = 0; i < pov_board_point_count(board); i++) {
        const pov_aruco_marker *pair[2];
        double square_px[2];
        if (!touching(pair, f, board, i))
            continue;
        pov_vec2 a = predict(&square_px[0], board, pair[0], pov_board_point(board, i));
        pov_vec2 b = predict(&square_px[1], board, pair[1], pov_board_point(board, i));
        if (!(distance(a, b) < AGREEMENT_MAX * fmin(square_px[0], square_px[1]))) {
            g->strays++;
            continue;
        }
        pov_vec2 guess = {(a.x + b.x) / 2, (a.y + b.y) / 2};
        g->id[g->len] = i;
        g->window_px[g->len] = window_of(pair, guess);
        g->pixel[g->len++] = guess;
    }
}

static pov_status find_markers(pov_board_finder *f, pov_aruco_dictionary dictionary)
{
    memset(f->by_id, 0, sizeof f->by_id);
    POV_TRY(pov_aruco_find(f->markers, &f->marker_len, &f->image, dictionary, MARKER_MAX));
    for (int i = 0; i < f->marker_len; i++)
        if (f->markers[i].id < MARKER_MAX && !f->by_id[f->markers[i].id])
            f->by_id[f->markers[i].id] = &f->markers[i];
    return pov_ok();
}

/* Guesses by the pattern that more markers agree with. */
static void guess_pattern(guesses *best, pov_board_finder *f)
{
    guesses other;
    pov_board board = f->board;
    guess_corners(best, f, &board);
    if (board.rows % 2 != 0)
        return;
    board.before_4_6 = !board.before_4_6;
    guess_corners(&other, f, &board);
    if (other.len <= best->len)
        return;
    *best = other;
    f->board = board;
}

static void refine(pov_vec2 *pixel, const pov_board_finder *f, int window_px)
{
    CvMat image = cvMat(f->image.height_px, f->image.width_px, CV_8UC1, f->grey);
    CvPoint2D32f corner = cvPoint2D32f(pixel->x, pixel->y);
    cvFindCornerSubPix(&image, &corner, 1, cvSize(window_px, window_px), cvSize(-1, -1),
                       cvTermCriteria(CV_TERMCRIT_ITER | CV_TERMCRIT_EPS, 40, 1e-3));
    *pixel = (pov_vec2){(double)corner.x, (double)corner.y};
}

static bool inside(const pov_board_finder *f, pov_vec2 pixel, double margin_px)
{
    return pixel.x >= margin_px && pixel.y >= margin_px && pixel.x <= f->image.width_px - 1 - margin_px &&
           pixel.y <= f->image.height_px - 1 - margin_px;
}

static pov_status find_charuco(pov_board_finder *f, pov_board_view *view)
{
    guesses g;
    POV_TRY(find_markers(f, f->board.dictionary));
    if (f->marker_len == 0)
        return pov_status_with(POV_UNDEFINED, "no marker of %s is in it",
                               pov_aruco_dictionary_name(f->board.dictionary));
    guess_pattern(&g, f);
    if (g.strays * 5 > g.len)
        return pov_status_with(POV_UNDEFINED,
                               "%d markers are in it, but not placed as on a board of %dx%d squares",
                               f->marker_len, f->board.columns, f->board.rows);
    for (int i = 0; i < g.len; i++) {
        pov_vec2 pixel = g.pixel[i];
        if (!inside(f, pixel, g.window_px[i] + 1))
            continue;
        refine(&pixel, f, g.window_px[i]);
        view->board_m[view->len] = pov_board_point(&f->board, g.id[i]);
        view->pixel[view->len++] = pixel;
    }
    return pov_ok();
}

/* ---- chessboard, AprilGrid ------------------------------------------------------------------------------------------ */

static pov_status find_chessboard(pov_board_finder *f, pov_board_view *view)
{
    const pov_status status = chessboard_see(view, &f->image, &f->board);
    return status.code != POV_UNDEFINED
               ? status
               : pov_status_with(POV_UNDEFINED, "no chessboard of %dx%d squares is whole in it",
                                 f->board.columns, f->board.rows);
}

/* A tag that the image's edge cuts may be read all the same, with a corner where there is none. */
static bool whole(const pov_board_finder *f, const pov_tag *tag)
{
    const double margin_px = 4;
    for (int i = 0; i < 4; i++)
        if (!inside(f, tag->corner_px[i], margin_px))
            return false;
    return true;
}

static pov_status find_aprilgrid(pov_board_finder *f, pov_board_view *view, const pov_image *image)
{
    POV_TRY(pov_tag_detector_run(f->tags, &f->seen_tags, image));
    for (int t = 0; t < f->seen_tags.len; t++) {
        const pov_tag *tag = &f->seen_tags.tags[t];
        if (tag->id >= pov_board_marker_count(&f->board))
            return pov_status_with(POV_UNDEFINED, "tag %d is in it; a grid of %dx%d has 0 to %d", tag->id,
                                   f->board.columns, f->board.rows, pov_board_marker_count(&f->board) - 1);
        if (!whole(f, tag))
            continue;
        for (int i = 0; i < 4; i++) {
            view->board_m[view->len] = pov_board_marker_corner(&f->board, tag->id, i);
            view->pixel[view->len++] = tag->corner_px[i];
        }
    }
    if (view->len == 0)
        return pov_status_with(POV_UNDEFINED, "no tag of %s is in it", pov_tag_family_name(f->board.family));
    return pov_ok();
}

/* ---- either --------------------------------------------------------------------------------------------------------- */

static int grey_at(const pov_board_finder *f, int x, int y)
{
    return f->grey[(size_t)y * (size_t)f->image.stride_bytes + (size_t)x];
}

/* Contrast over the steepest slope, about a corner. */
static double edge_width(const pov_board_finder *f, pov_vec2 pixel)
{
    enum { REACH_PX = 6 };
    int x0 = (int)lrint(pixel.x), y0 = (int)lrint(pixel.y), low = 255, high = 0;
    double steepest = 0;
    if (!inside(f, pixel, REACH_PX + 2))
        return NAN;
    for (int y = y0 - REACH_PX; y <= y0 + REACH_PX; y++)
        for (int x = x0 - REACH_PX; x <= x0 + REACH_PX; x++) {
            int value = grey_at(f, x, y);
            low = value < low ? value : low;
            high = value > high ? value : high;
            steepest = fmax(steepest, hypot(grey_at(f, x + 1, y) - grey_at(f, x - 1, y),
                                            grey_at(f, x, y + 1) - grey_at(f, x, y - 1)) /
                                          2);
        }
    return steepest > 0 ? (high - low) / steepest : INFINITY;
}

static double median_edge(const pov_board_finder *f, const pov_board_view *view)
{
    double widths[POV_BOARD_POINT_MAX];
    int len = 0;
    for (int i = 0; i < view->len; i++) {
        double width = edge_width(f, view->pixel[i]);
        if (!isnan(width))
            widths[len++] = width;
    }
    return pov_ranked(widths, len, len / 2);
}

/* Points on one line of the board say too little. */
static bool is_flat(const pov_board_view *view)
{
    bool same_x = true, same_y = true;
    for (int i = 1; i < view->len; i++) {
        same_x = same_x && view->board_m[i].x == view->board_m[0].x;
        same_y = same_y && view->board_m[i].y == view->board_m[0].y;
    }
    return same_x || same_y;
}

static pov_status find(pov_board_finder *f, pov_board_view *view, const pov_image *image)
{
    POV_TRY(make_grey(f, image));
    if (f->board.kind == POV_BOARD_CHARUCO)
        POV_TRY(find_charuco(f, view));
    else if (f->board.kind == POV_BOARD_CHESSBOARD)
        POV_TRY(find_chessboard(f, view));
    else
        POV_TRY(find_aprilgrid(f, view, image));
    int needed = pov_board_point_count(&f->board) < POINT_MIN ? pov_board_point_count(&f->board) : POINT_MIN;
    if (view->len < needed || is_flat(view))
        return pov_status_with(POV_UNDEFINED, "%d of the board's %d corners are in it, too few", view->len,
                               pov_board_point_count(&f->board));
    view->edge_px = median_edge(f, view);
    return pov_ok();
}

pov_status pov_board_finder_run(pov_board_finder *finder, pov_board_view *view, const pov_image *image)
{
    view->len = 0;
    view->edge_px = NAN;
    pov_status status = find(finder, view, image);
    if (status.code != POV_OK)
        view->len = 0;
    return status;
}

/* ---- advice --------------------------------------------------------------------------------------------------------- */

static bool charuco_fits(pov_board_finder *f, pov_board *board, pov_aruco_dictionary dictionary)
{
    guesses g;
    int best = POINT_MIN;
    *board = f->board;
    board->dictionary = dictionary;
    for (int columns = 3; columns <= POV_BOARD_SIDE_MAX; columns++)
        for (int even = 0; even < PATTERN_COUNT; even++) {
            pov_board tried = *board;
            tried.columns = columns;
            tried.before_4_6 = even == PATTERN_BEFORE_4_6;
            tried.rows = 2 * (MARKER_MAX / POV_BOARD_SIDE_MAX / 2);
            guess_corners(&g, f, &tried);
            if (g.len > best && g.strays < g.len / 10) {
                best = g.len;
                board->columns = columns;
            }
        }
    return best > POINT_MIN;
}

static bool suggest_charuco(pov_board_finder *f, pov_board *board)
{
    for (int d = -1; d < POV_ARUCO_DICTIONARY_COUNT; d++) {
        /* the given one first; then the largest of each size, which hold the smaller ones */
        pov_aruco_dictionary dictionary = d < 0 ? f->board.dictionary : (pov_aruco_dictionary)d;
        bool largest = d < 0 || d % 4 == 3 || d >= POV_ARUCO_ORIGINAL;
        if (largest && find_markers(f, dictionary).code == POV_OK && f->marker_len >= 4 &&
            charuco_fits(f, board, dictionary))
            return true;
    }
    return false;
}

pov_status pov_board_finder_suggest(pov_board_finder *finder, pov_board *board, const pov_image *image)
{
    *board = finder->board;
    POV_TRY(make_grey(finder, image));
    if (finder->board.kind == POV_BOARD_CHESSBOARD)
        return chessboard_measure(board, &finder->image, &finder->board);
    const bool found = finder->board.kind == POV_BOARD_CHARUCO && suggest_charuco(finder, board);
    return pov_status_of(found ? POV_OK : POV_UNDEFINED);
}
