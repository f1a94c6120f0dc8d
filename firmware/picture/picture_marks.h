/** Where the things of a question are in its image: a text in the question's columns, and lines and labels in a picture.
 *  "referent 0.402 0.518 0.441 0.560 ball; relatum 0.480 0.500 0.602 0.590 car; thing 0.1 0.2 0.3 0.4 box": left, top, right and
 *  bottom as shares of the image's width and height. */
#pragma once

#include "draw/canvas.h"
#include "perception/scene/scene.h"

typedef enum {
    POV_MARK_REFERENT,
    POV_MARK_RELATUM,
    POV_MARK_VIEWER,
    POV_MARK_THING, /* any other one: it is not drawn; labels keep off it */
    POV_MARK_ROLES
} pov_mark_role;

typedef struct {
    pov_mark_role role;
    double left, top, right, bottom;
    char name[POV_NAME_CAPACITY];
} pov_picture_mark;

/** As many as labels can keep off; of a longer text the first ones count. */
enum { POV_PICTURE_MARK_MAX = POV_CANVAS_CLEAR_MAX };

/** The caller's to free(). "": there are none. */
char *pov_picture_marks_write(const pov_picture_mark *marks, int len);
/** How many there are; 0 if the text is of another form. */
int pov_picture_marks_read(pov_picture_mark marks[POV_PICTURE_MARK_MAX], const char *text);
/** A frame around each, and its name beside it, where neither covers a thing. */
void pov_picture_marks_draw(pov_canvas *canvas, const pov_picture_mark *marks, int len);
