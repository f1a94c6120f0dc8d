#include "calib/boards/board.h"

#include "config/yaml/yaml_file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static bool is_grid(const pov_board *board)
{
    return board->kind == POV_BOARD_APRILGRID;
}

int pov_board_point_count(const pov_board *board)
{
    return is_grid(board) ? 4 * board->columns * board->rows : (board->columns - 1) * (board->rows - 1);
}

pov_vec3 pov_board_point(const pov_board *board, int i)
{
    POV_REQUIRE(i >= 0 && i < pov_board_point_count(board));
    if (is_grid(board))
        return pov_board_marker_corner(board, i / 4, i % 4);
    int across = board->columns - 1, column = i % across, row = i / across;
    return (pov_vec3){(column + 1) * board->square_m, (row + 1) * board->square_m, 0};
}

int pov_board_marker_count(const pov_board *board)
{
    int squares = board->columns * board->rows;
    if (is_grid(board))
        return squares;
    if (board->kind == POV_BOARD_CHESSBOARD)
        return 0;
    /* Markers are on white squares. If the number of squares is odd, the colour of the corners has one more. */
    return squares / 2;
}

/* Is the upper left square white, and so bears marker 0? */
static bool starts_white(const pov_board *board)
{
    return board->before_4_6 && board->rows % 2 == 0;
}

void pov_board_marker_square(int *column, int *row, const pov_board *board, int id)
{
    POV_REQUIRE(id >= 0 && id < pov_board_marker_count(board));
    if (is_grid(board)) {
        *column = id % board->columns;
        *row = board->rows - 1 - id / board->columns;
        return;
    }
    /* Row by row: markers are on every second square, so that square 2 id or its neighbour bears it where a row is
     * odd or even. */
    int first = starts_white(board) ? 0 : 1;
    int in_two_rows = board->columns; /* markers of an even and an odd row together */
    int pair = id / in_two_rows, rest = id % in_two_rows;
    int in_even = (board->columns - first + 1) / 2;
    bool odd = rest >= in_even;
    *row = 2 * pair + odd;
    *column = odd ? 2 * (rest - in_even) + 1 - first : 2 * rest + first;
}

pov_vec3 pov_board_marker_corner(const pov_board *board, int id, int i)
{
    int column, row;
    pov_board_marker_square(&column, &row, board, id);
    /* pov_tag counts anticlockwise from the lower left; ArUco clockwise from the upper left. */
    bool right = i == 1 || i == 2, low = is_grid(board) ? i < 2 : i >= 2;
    double margin_m = is_grid(board) ? 0 : (board->square_m - board->marker_m) / 2;
    return (pov_vec3){column * board->square_m + margin_m + right * board->marker_m,
                      row * board->square_m + margin_m + low * board->marker_m, 0};
}

/* ---- as text ---- */

static const char *const kinds[] = {"charuco", "chessboard", "aprilgrid"};

static const char expected[] =
    "charuco:COLUMNSxROWS:SQUARE:MARKER:DICTIONARY, chessboard:COLUMNSxROWS:SQUARE or "
    "aprilgrid:COLUMNSxROWS:TAG:GAP[:FAMILY], e.g. charuco:8x8:25.4mm:19.05mm:4X4_1000";

/* Bounds for the side of a square or marker; chosen: typing errors lie outside. */
static const double length_min_m = 1e-4, length_max_m = 10;
static const double MARKER_SHARE_MAX =
    0.99; /* of the square: its code ends in a white rim; and text can tell the two apart */

enum { FIELDS_MAX = 6, FIELD_CAPACITY = 32 };

typedef struct {
    int len;
    char field[FIELDS_MAX][FIELD_CAPACITY];
} fields;

static bool split_text(fields *out, const char *text)
{
    *out = (fields){0};
    for (;;) {
        size_t length = strcspn(text, ":");
        if (out->len == FIELDS_MAX || length >= FIELD_CAPACITY)
            return false;
        memcpy(out->field[out->len++], text, length);
        if (!text[length])
            return true;
        text += length + 1;
    }
}

/* "25.4mm" */
static pov_status parse_length(double *length_m, const char *text, const char *what)
{
    static const struct {
        const char *name;
        double m;
    } units[] = {{"mm", 1e-3}, {"cm", 1e-2}, {"m", 1}, {"in", 0.0254}};
    char *unit;
    double value = strtod(text, &unit);
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (unit != text && strcmp(unit, units[i].name) == 0) {
            *length_m = value * units[i].m;
            if (*length_m >= length_min_m && *length_m <= length_max_m)
                return pov_ok();
            return pov_error("the %s, %s, must be between 0.1 mm and 10 m", what, text);
        }
    return pov_error("the %s, '%s', is not a length; write it with its unit, as 25.4mm, 2.5cm or 1in", what,
                     text);
}

static pov_status parse_size(pov_board *board, const char *text)
{
    char end;
    if (sscanf(text, "%d%*1[xX]%d%c", &board->columns, &board->rows, &end) != 2)
        return pov_error("'%s' is not a size; write columns x rows, as 8x8", text);
    if (board->columns < 2 || board->rows < 2 || board->columns > POV_BOARD_SIDE_MAX ||
        board->rows > POV_BOARD_SIDE_MAX || pov_board_point_count(board) > POV_BOARD_POINT_MAX)
        return pov_error("%s is too small or too large; 2x2 to %dx%d, at most %d points", text,
                         POV_BOARD_SIDE_MAX, POV_BOARD_SIDE_MAX, POV_BOARD_POINT_MAX);
    return pov_ok();
}

static pov_status parse_charuco(pov_board *board, const fields *f)
{
    POV_TRY(parse_length(&board->square_m, f->field[2], "square"));
    POV_TRY(parse_length(&board->marker_m, f->field[3], "marker"));
    if (board->marker_m > MARKER_SHARE_MAX * board->square_m)
        return pov_error("the marker, %s, must be smaller than the square, %s, by a hundredth at least",
                         f->field[3], f->field[2]);
    if (!pov_aruco_dictionary_from_name(&board->dictionary, f->field[4]))
        return pov_error("there is no dictionary '%s'; OpenCV's are 4X4_50 ... 7X7_1000 and ARUCO_ORIGINAL",
                         f->field[4]);
    if (pov_board_marker_count(board) > pov_aruco_dictionary_count(board->dictionary))
        return pov_error("%s has %d markers, the board needs %d", f->field[4],
                         pov_aruco_dictionary_count(board->dictionary), pov_board_marker_count(board));
    return pov_ok();
}

static pov_status parse_aprilgrid(pov_board *board, const fields *f)
{
    double gap_m;
    POV_TRY(parse_length(&board->marker_m, f->field[2], "tag"));
    POV_TRY(parse_length(&gap_m, f->field[3], "gap"));
    board->square_m = board->marker_m + gap_m;
    if (f->len > 4 && !pov_tag_family_from_name(&board->family, f->field[4]))
        return pov_error("there is no tag family '%s'; libapriltag's are tag36h11, tag25h9, ...",
                         f->field[4]);
    return pov_ok();
}

static pov_status parse_fields(pov_board *board, const char *text)
{
    static const int least[] = {5, 3, 4}, most[] = {5, 3, 5};
    fields f;
    int kind = 0;
    bool whole = split_text(&f, text);
    while (kind < POV_BOARD_KIND_COUNT && strcasecmp(f.field[0], kinds[kind]) != 0)
        kind++;
    if (!whole || kind == POV_BOARD_KIND_COUNT || f.len < least[kind] || f.len > most[kind])
        return pov_error("expected %s", expected);
    board->kind = (pov_board_kind)kind;
    POV_TRY(parse_size(board, f.field[1]));
    if (kind == POV_BOARD_CHARUCO)
        return parse_charuco(board, &f);
    if (kind == POV_BOARD_APRILGRID)
        return parse_aprilgrid(board, &f);
    return parse_length(&board->square_m, f.field[2], "square");
}

pov_status pov_board_parse(pov_board *board, const char *text)
{
    *board = (pov_board){.family = POV_TAG36H11};
    pov_status status = parse_fields(board, text);
    if (status.code == POV_OK)
        return status;
    *board = (pov_board){0};
    return pov_error("board '%.60s': %s", text, status.message);
}

/* So that our own text can say it. */
static void check_gap(double gap_m, pov_yaml_node node)
{
    if (gap_m < length_min_m || gap_m > length_max_m)
        pov_yaml_complain(node, "makes a gap of %.4g mm; it must be between 0.1 mm and 10 m", gap_m * 1e3);
}

/* Kalibr's target file: it gives a checkerboard's inner corners. */
static void read_kalibr(pov_board *board, pov_yaml_node root)
{
    static const char *const types[] = {"aprilgrid", "checkerboard"};
    int type = 0;
    double gap = 0, other_m = NAN;
    pov_yaml_node node =
        pov_yaml_need(root, "target_type", "aprilgrid or checkerboard; or board: with our text");
    pov_yaml_choice(&type, node, types, 2);
    *board = (pov_board){.kind = type ? POV_BOARD_CHESSBOARD : POV_BOARD_APRILGRID, .family = POV_TAG36H11};
    const char *columns = type ? "targetCols" : "tagCols", *rows = type ? "targetRows" : "tagRows";
    pov_yaml_integer(&board->columns, pov_yaml_need(root, columns, "how many to a row"), 1,
                     POV_BOARD_SIDE_MAX - 1);
    pov_yaml_integer(&board->rows, pov_yaml_need(root, rows, "how many rows"), 1, POV_BOARD_SIDE_MAX - 1);
    if (type) {
        pov_yaml_number(&board->square_m, pov_yaml_need(root, "rowSpacingMeters", "side of a square"),
                        length_min_m, length_max_m);
        pov_yaml_number(&other_m, pov_yaml_need(root, "colSpacingMeters", "side of a square"), length_min_m,
                        length_max_m);
        if (fabs(other_m - board->square_m) > 1e-9)
            pov_yaml_complain(node, "squares must be square: rowSpacingMeters is not colSpacingMeters");
        board->columns++;
        board->rows++;
    } else {
        pov_yaml_number(&board->marker_m, pov_yaml_need(root, "tagSize", "edge of a tag, m"), length_min_m,
                        length_max_m);
        node = pov_yaml_need(root, "tagSpacing", "gap between tags by their edge");
        pov_yaml_number(&gap, node, 0.01, 10);
        check_gap(board->marker_m * gap, node);
        board->square_m = board->marker_m * (1 + gap);
    }
}

static pov_status read_root(pov_board *board, pov_yaml_file *file)
{
    const char *text = "";
    pov_yaml_node root = pov_yaml_root(file), node = pov_yaml_get(root, "board");
    pov_yaml_string(&text, node);
    if (pov_yaml_exists(node)) {
        pov_yaml_complain_of(node, pov_board_parse(board, text));
        return pov_yaml_finish(file);
    }
    read_kalibr(board, root);
    POV_TRY(pov_yaml_finish(file));
    if (board->columns < 2 || board->rows < 2 || pov_board_point_count(board) > POV_BOARD_POINT_MAX)
        return pov_error("%s: the board is too small or too large; 2x2 to %d points", pov_yaml_path(file),
                         POV_BOARD_POINT_MAX);
    return pov_ok();
}

pov_status pov_board_parse_file(pov_board *board, const char *name, const char *text, size_t length)
{
    pov_yaml_file *file;
    *board = (pov_board){0};
    POV_TRY(pov_yaml_parse(&file, name, text, length));
    const pov_status status = read_root(board, file);
    pov_yaml_close(&file);
    if (status.code != POV_OK)
        *board = (pov_board){0};
    return status;
}

pov_status pov_board_read(pov_board *board, const char *text_or_path)
{
    size_t length = strlen(text_or_path);
    bool path = length > 5 && (strcmp(text_or_path + length - 5, ".yaml") == 0 ||
                               strcmp(text_or_path + length - 4, ".yml") == 0);
    return path ? pov_board_parse_file(board, text_or_path, NULL, 0) : pov_board_parse(board, text_or_path);
}

void pov_board_format(char text[POV_BOARD_TEXT_CAPACITY], const pov_board *board)
{
    int length =
        snprintf(text, POV_BOARD_TEXT_CAPACITY, "%s:%dx%d:", kinds[board->kind], board->columns, board->rows);
    char *rest = text + length;
    size_t capacity = (size_t)(POV_BOARD_TEXT_CAPACITY - length);
    double square_mm = board->square_m * 1e3, marker_mm = board->marker_m * 1e3;
    if (board->kind == POV_BOARD_CHARUCO)
        snprintf(rest, capacity, "%.6gmm:%.6gmm:%s", square_mm, marker_mm,
                 pov_aruco_dictionary_name(board->dictionary));
    else if (board->kind == POV_BOARD_APRILGRID)
        snprintf(rest, capacity, "%.6gmm:%.6gmm:%s", marker_mm, square_mm - marker_mm,
                 pov_tag_family_name(board->family));
    else
        snprintf(rest, capacity, "%.6gmm", square_mm);
}
