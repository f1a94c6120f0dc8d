/** Calibration boards: what is printed where. Board frame: origin at the upper left corner of the squares as one reads the
 *  board, x right, y down, z into the paper, metres. An AprilGrid is read with tag 0 at the lower left (Kalibr's). */
#pragma once

#include "calib/boards/aruco_dictionary.h"
#include "perception/geometry/tag.h"
#include "perception/status.h"

#include <stddef.h>

enum { POV_BOARD_SIDE_MAX = 32, POV_BOARD_POINT_MAX = 1024, POV_BOARD_TEXT_CAPACITY = 96 };

typedef enum {
    POV_BOARD_CHARUCO,
    POV_BOARD_CHESSBOARD,
    POV_BOARD_APRILGRID,
    POV_BOARD_KIND_COUNT
} pov_board_kind;

typedef struct {
    pov_board_kind kind;
    int columns, rows; /* of squares, black and white; of tags */
    double square_m;   /* from one square, or tag, to the next */
    double marker_m;   /* edge of the marker or tag, black border included; 0 on a chessboard */
    pov_aruco_dictionary dictionary;
    pov_tag_family family;
    /* ChArUco as OpenCV before 4.6 drew it: with an even number of rows, a marker in the upper left square.
     * A finder tries both. */
    bool before_4_6;
} pov_board;

/** Parses "charuco:8x8:25.4mm:19.05mm:4X4_1000", "chessboard:9x6:25mm" (squares, not inner corners) or
 *  "aprilgrid:6x6:88mm:26.4mm[:tag36h11]" (edge of a tag, gap between tags); or reads a YAML file: `board:` with such a
 *  text, or Kalibr's target file. Lengths: mm, cm, m or in.
 *  Errors say what is wrong and what was expected. On error *board is cleared. */
POV_MUST_USE pov_status pov_board_read(pov_board *board, const char *text_or_path);
POV_MUST_USE pov_status pov_board_parse(pov_board *board, const char *text);
/** A board file from memory; `name` stands for the path in messages. */
POV_MUST_USE pov_status pov_board_parse_file(pov_board *board, const char *name, const char *text,
                                             size_t length);
/** The text that parses to this board. */
void pov_board_format(char text[POV_BOARD_TEXT_CAPACITY], const pov_board *board);

/** Number of points of a whole board: inner corners, or four a tag; and the position of point i. A tag's are in the
 *  order of pov_tag. */
int pov_board_point_count(const pov_board *board);
pov_vec3 pov_board_point(const pov_board *board, int i);

/** Number of markers (ChArUco) or tags (AprilGrid); ids are 0 .. count - 1. */
int pov_board_marker_count(const pov_board *board);
/** Column and row, from the upper left, of the square that bears marker `id`. */
void pov_board_marker_square(int *column, int *row, const pov_board *board, int id);
/** Corner i of marker `id`: from its upper left as read, clockwise. A tag's corners are in the order of pov_tag. */
pov_vec3 pov_board_marker_corner(const pov_board *board, int id, int i);
