/** The picture that the virtual webcam shows and the test looks for: a grid of blocks whose colours move by
 * one block with each picture. Its top rows spell, in black and white, numbers that the test reads back. */
#pragma once

#include <stdint.h>

enum {
    PATTERN_COLUMNS = 20,
    PATTERN_ROWS = 15,
    PATTERN_BITS = 16,
    PATTERN_COLORS = 8,
    /* rows that spell numbers, most significant bit left */
    PATTERN_ROW_NUMBER = 0,   /* periods of the camera's rate since it was plugged in */
    PATTERN_ROW_EXPOSURE = 1, /* in 100 us; 0: automatic */
    PATTERN_ROW_GAIN = 2,
    PATTERN_ROW_COUNT = 3, /* pictures drawn before this one */
    PATTERN_FIRST_COLOR_ROW = 4
};

typedef struct {
    unsigned rows[PATTERN_FIRST_COLOR_ROW];
} pattern_numbers;

/* The 100 % colour bars of ITU-R BT.601 at limited range, and the RGB they stand for. */
static const uint8_t pattern_ycbcr[PATTERN_COLORS][3] = {{235, 128, 128}, {210, 16, 146},  {170, 166, 16},
                                                         {145, 54, 34},   {106, 202, 222}, {81, 90, 240},
                                                         {41, 240, 110},  {16, 128, 128}};
static const uint8_t pattern_rgb[PATTERN_COLORS][3] = {{255, 255, 255}, {255, 255, 0}, {0, 255, 255},
                                                       {0, 255, 0},     {255, 0, 255}, {255, 0, 0},
                                                       {0, 0, 255},     {0, 0, 0}};

static inline int pattern_color(const pattern_numbers *numbers, int column, int row)
{
    if (row < PATTERN_FIRST_COLOR_ROW) {
        int bit = PATTERN_BITS - 1 - column;
        return bit >= 0 && (numbers->rows[row] >> bit & 1) ? 0 : PATTERN_COLORS - 1;
    }
    return (column + 3 * row + (int)(numbers->rows[PATTERN_ROW_NUMBER] % PATTERN_COLORS)) % PATTERN_COLORS;
}
