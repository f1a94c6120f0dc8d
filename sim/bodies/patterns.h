/** Patterns that a body's surface may have. Pure. */
#pragma once

#include <stdint.h>

enum { POV_PATTERN_COUNT = 4, POV_PATTERN_PIXELS_MAX = 256 * 128 };

/** `draw` fills width times height pixels: sRGB, rows from the top. */
typedef struct {
    const char *name; /* as body texts call it */
    int width_px, height_px;
    void (*draw)(uint8_t *pixels);
} pov_pattern;

extern const pov_pattern POV_PATTERNS[POV_PATTERN_COUNT];
