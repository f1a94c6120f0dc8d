#include "firmware/picture/picture_marks.h"

#include "config/files/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const role_names[] = {"referent", "relatum", "viewer", "thing"};
_Static_assert(sizeof role_names / sizeof *role_names == POV_MARK_ROLES, "a name for each role");

/* They differ in lightness, too, and have rims against light and dark grounds; chosen. */
static const pov_colour role_colours[POV_MARK_THING] = {{255, 190, 0}, {80, 200, 255}, {255, 130, 220}};

char *pov_picture_marks_write(const pov_picture_mark *marks, int len)
{
    pov_text text = {0};
    for (int i = 0; i < len; i++)
        pov_text_add(&text, "%s%s %.4f %.4f %.4f %.4f %s", i > 0 ? "; " : "", role_names[marks[i].role],
                     marks[i].left, marks[i].top, marks[i].right, marks[i].bottom, marks[i].name);
    return pov_text_take(&text);
}

static bool is_share(double number)
{
    return number >= 0 && number <= 1;
}

static bool read_mark(pov_picture_mark *mark, const char *text)
{
    char role[16];
    int name_at = 0;
    if (sscanf(text, "%15s %lf %lf %lf %lf %n", role, &mark->left, &mark->top, &mark->right, &mark->bottom,
               &name_at) != 5 ||
        name_at == 0)
        return false;
    mark->role = POV_MARK_REFERENT;
    while (mark->role < POV_MARK_ROLES && strcmp(role, role_names[mark->role]) != 0)
        mark->role++;
    const size_t len = strcspn(text + name_at, ";");
    if (mark->role == POV_MARK_ROLES || len >= sizeof mark->name || !is_share(mark->left) ||
        !is_share(mark->top) || !is_share(mark->right) || !is_share(mark->bottom) ||
        mark->left >= mark->right || mark->top >= mark->bottom)
        return false;
    snprintf(mark->name, sizeof mark->name, "%.*s", (int)len, text + name_at);
    return true;
}

int pov_picture_marks_read(pov_picture_mark marks[POV_PICTURE_MARK_MAX], const char *text)
{
    int len = 0;
    while (*text && len < POV_PICTURE_MARK_MAX) {
        if (!read_mark(&marks[len++], text))
            return 0;
        text += strcspn(text, ";");
        text += strspn(text, "; ");
    }
    return len;
}

/* ---- in a picture ---- */

static pov_rectangle frame_of(const pov_canvas *canvas, const pov_picture_mark *mark, double beyond_px)
{
    const double left = mark->left * canvas->width_px - beyond_px,
                 top = mark->top * canvas->height_px - beyond_px,
                 right = mark->right * canvas->width_px + beyond_px,
                 bottom = mark->bottom * canvas->height_px + beyond_px;
    return (pov_rectangle){(int)floor(left), (int)floor(top), (int)ceil(right - left),
                           (int)ceil(bottom - top)};
}

static void draw_frame(pov_canvas *canvas, pov_rectangle frame, pov_colour colour)
{
    const double right = frame.x_px + frame.width_px, bottom = frame.y_px + frame.height_px;
    const pov_vec2 corners[] = {
        {frame.x_px, frame.y_px}, {right, frame.y_px}, {right, bottom}, {frame.x_px, bottom}};
    pov_canvas_polyline(canvas, corners, 4, (pov_stroke){colour, 1.5, true});
}

static void add_label(pov_canvas *canvas, pov_rectangle frame, const pov_picture_mark *mark)
{
    const double small_px = 30 * canvas->unit_px, w_px = frame.width_px, h_px = frame.height_px;
    pov_canvas_label label = {.anchor_px = {frame.x_px + w_px / 2, frame.y_px},
                              .distance_px = 2 * canvas->unit_px,
                              .toward = {0, -1},
                              .colour = role_colours[mark->role]};
    if (frame.y_px < 2 * pov_canvas_line_height_px(canvas)) { /* no room above */
        label.anchor_px.y += h_px;
        label.toward.y = 1;
    }
    if (hypot(w_px, h_px) < 2 * small_px) { /* around it, and no line to it crosses it */
        label.anchor_px.y = frame.y_px + h_px / 2;
        label.distance_px += hypot(w_px, h_px) / 2;
    }
    snprintf(label.text, sizeof label.text, "%s", mark->name);
    for (char *at = label.text; *at; at++)
        *at = *at == '_' ? ' ' : *at;
    pov_canvas_label_at(canvas, &label);
}

void pov_picture_marks_draw(pov_canvas *canvas, const pov_picture_mark *marks, int len)
{
    for (int i = 0; i < len; i++) {
        const bool is_drawn = marks[i].role != POV_MARK_THING;
        const pov_rectangle frame = frame_of(canvas, &marks[i], is_drawn ? 3 * canvas->unit_px : 0);
        pov_canvas_keep_clear(canvas, frame);
        if (!is_drawn)
            continue;
        draw_frame(canvas, frame, role_colours[marks[i].role]);
        add_label(canvas, frame, &marks[i]);
    }
    pov_canvas_place_labels(canvas, (pov_rectangle){0, 0, canvas->width_px, canvas->height_px});
}
