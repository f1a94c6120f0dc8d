/* A question's marks: what is read lies within the picture, is drawn within its bounds, and is read again from what is written. */
#include "firmware/picture/picture_marks.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

static void draw_marks(const pov_picture_mark *marks, int len)
{
    enum { WIDTH_PX = 60, HEIGHT_PX = 40 };
    pov_canvas *canvas = calloc(1, sizeof *canvas);
    canvas->pixels = calloc(WIDTH_PX * HEIGHT_PX, 3);
    canvas->width_px = WIDTH_PX;
    canvas->height_px = HEIGHT_PX;
    canvas->stride_bytes = 3 * WIDTH_PX;
    canvas->unit_px = 1;
    pov_picture_marks_draw(canvas, marks, len);
    free(canvas->pixels);
    free(canvas);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    char *text = malloc(length + 1);
    memcpy(text, bytes, length);
    text[length] = '\0';
    pov_picture_mark marks[POV_PICTURE_MARK_MAX];
    const int len = pov_picture_marks_read(marks, text);
    for (int i = 0; i < len; i++)
        if (!(marks[i].left >= 0 && marks[i].left < marks[i].right && marks[i].right <= 1 &&
              marks[i].top >= 0 && marks[i].top < marks[i].bottom && marks[i].bottom <= 1 &&
              marks[i].role < POV_MARK_ROLES))
            abort();
    draw_marks(marks, len);
    char *again = pov_picture_marks_write(marks, len);
    free(again);
    free(text);
    return 0;
}
