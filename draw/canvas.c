#include "draw/canvas.h"

#include "config/files/utf8.h"
#include "draw/cairo_loaded.h"
#include "perception/image/opencv_c.h"
#include "perception/status.h"

enum { SUBPIXEL_BITS = 4 };

static const pov_colour rim = {16, 18, 22};

/* Points are clamped to this distance. Derived: OpenCV draws in fixed point with 16 bits before the point. */
static const double far_px = 30000;

/* Rows apart by `stride_bytes`, never taken for one long row. */
static CvMat mat_over(uint8_t *pixels, int width_px, int height_px, int stride_bytes)
{
    CvMat mat = cvMat(height_px, width_px, CV_8UC3, pixels);
    mat.step = stride_bytes;
    mat.type &= ~CV_MAT_CONT_FLAG;
    return mat;
}

static CvMat mat_of(const pov_canvas *canvas)
{
    return mat_over(canvas->pixels, canvas->width_px, canvas->height_px, canvas->stride_bytes);
}

static CvScalar scalar_of(pov_colour colour)
{
    return cvScalar(colour.red, colour.green, colour.blue, 0);
}

static bool is_finite(pov_vec2 point)
{
    return isfinite(point.x) && isfinite(point.y);
}

static CvPoint fixed_point(pov_vec2 point_px)
{
    double x = fmax(-far_px, fmin(far_px, point_px.x)), y = fmax(-far_px, fmin(far_px, point_px.y));
    return cvPoint(cvRound(x * (1 << SUBPIXEL_BITS)), cvRound(y * (1 << SUBPIXEL_BITS)));
}

static int thickness_px(const pov_canvas *canvas, double thickness)
{
    int rounded = cvRound(thickness * canvas->unit_px);
    return rounded < 1 ? 1 : rounded;
}

/* ---- lines ---- */

/* True if the line from `a` to `c` passes `b` by less than can be seen. */
static bool is_straight(pov_vec2 a, pov_vec2 b, pov_vec2 c)
{
    double length = hypot(c.x - a.x, c.y - a.y);
    return is_finite(c) && fabs((b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x)) < 0.15 * length &&
           (b.x - a.x) * (c.x - b.x) + (b.y - a.y) * (c.y - b.y) >= 0;
}

/* Draws pieces that go straight on as one: the ends of short ones, drawn twice, look like beads. */
static void draw_segments(pov_canvas *canvas, const pov_vec2 *points_px, int count, pov_stroke stroke,
                          int width_px)
{
    CvMat mat = mat_of(canvas);
    int last = stroke.closed ? count : count - 1;
    pov_vec2 from = points_px[0];
    for (int i = 1; i <= last; i++) {
        pov_vec2 to = points_px[i % count];
        if (i < last && is_finite(from) && is_finite(to) && is_straight(from, to, points_px[(i + 1) % count]))
            continue;
        if (is_finite(from) && is_finite(to))
            cvLine(&mat, fixed_point(from), fixed_point(to), scalar_of(stroke.colour), width_px, CV_AA,
                   SUBPIXEL_BITS);
        from = to;
    }
}

void pov_canvas_polyline(pov_canvas *canvas, const pov_vec2 *points_px, int count, pov_stroke stroke)
{
    int width_px = thickness_px(canvas, stroke.thickness);
    pov_stroke under = stroke;
    under.colour = rim;
    draw_segments(canvas, points_px, count, under, width_px + thickness_px(canvas, 1));
    draw_segments(canvas, points_px, count, stroke, width_px);
}

static uint8_t mix_channel(uint8_t under, uint8_t over, double opacity)
{
    return (uint8_t)lrint(under + (over - under) * opacity);
}

void pov_canvas_fill(pov_canvas *canvas, pov_rectangle area, pov_colour colour, double opacity)
{
    int left = area.x_px < 0 ? 0 : area.x_px, top = area.y_px < 0 ? 0 : area.y_px;
    int right = area.x_px + area.width_px, bottom = area.y_px + area.height_px;
    right = right > canvas->width_px ? canvas->width_px : right;
    bottom = bottom > canvas->height_px ? canvas->height_px : bottom;
    for (int y = top; y < bottom; y++) {
        uint8_t *pixel = canvas->pixels + (ptrdiff_t)y * canvas->stride_bytes + 3 * (ptrdiff_t)left;
        for (int x = left; x < right; x++, pixel += 3) {
            pixel[0] = mix_channel(pixel[0], colour.red, opacity);
            pixel[1] = mix_channel(pixel[1], colour.green, opacity);
            pixel[2] = mix_channel(pixel[2], colour.blue, opacity);
        }
    }
}

static bool is_within(pov_rectangle inner, pov_rectangle outer)
{
    return inner.x_px >= outer.x_px && inner.y_px >= outer.y_px &&
           inner.x_px + inner.width_px <= outer.x_px + outer.width_px &&
           inner.y_px + inner.height_px <= outer.y_px + outer.height_px;
}

void pov_canvas_image(pov_canvas *canvas, pov_rectangle place, const pov_image *image)
{
    POV_REQUIRE(is_within(place, (pov_rectangle){0, 0, canvas->width_px, canvas->height_px}));
    uint8_t *corner =
        canvas->pixels + (ptrdiff_t)place.y_px * canvas->stride_bytes + 3 * (ptrdiff_t)place.x_px;
    uint8_t *pixels = (uint8_t *)(uintptr_t)image->pixels; /* OpenCV's C interface has no const */
    CvMat from = mat_over(pixels, image->width_px, image->height_px, image->stride_bytes);
    CvMat to = mat_over(corner, place.width_px, place.height_px, canvas->stride_bytes);
    cvResize(&from, &to, place.width_px < image->width_px ? CV_INTER_AREA : CV_INTER_CUBIC);
}

/* ---- text ---- */

/* By cairo, in the system's sans-serif. Where cairo is not installed: by OpenCV, whose letters are strokes, and ASCII only. */
static bool has_letters(void)
{
    return pov_cairo_load().code == POV_OK;
}

/* OpenCV's letters are as high at this scale as cairo's at that size. */
static const double stroke_scale = 0.44, letter_px = 13;

static CvFont strokes_of(const pov_canvas *canvas)
{
    CvFont font;
    const double scale = stroke_scale * canvas->unit_px;
    cvInitFont(&font, CV_FONT_HERSHEY_SIMPLEX, scale, scale, 0, thickness_px(canvas, 1), CV_AA);
    return font;
}

static void ascii_of(char ascii[POV_CANVAS_TEXT_CAPACITY], const char *text)
{
    int len = 0;
    for (size_t step; *text && len < POV_CANVAS_TEXT_CAPACITY - 1; text += step) {
        step = pov_utf8_character_length(text);
        ascii[len++] = step == 1 && *text >= ' ' && *text <= '~' ? *text : '?';
        step += step == 0;
    }
    ascii[len] = '\0';
}

static cairo_t *begin_letters(const pov_canvas *canvas, int width_px, int height_px)
{
    cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_A8, width_px, height_px);
    cairo_t *letters = cairo_create(surface);
    cairo_surface_destroy(surface); /* the context keeps it */
    cairo_select_font_face(letters, "sans-serif", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(letters, letter_px * canvas->unit_px);
    return letters;
}

static cairo_text_extents_t measure_letters(const pov_canvas *canvas, const char *text)
{
    cairo_text_extents_t extents;
    cairo_t *letters = begin_letters(canvas, 1, 1);
    cairo_text_extents(letters, text, &extents);
    cairo_destroy(letters);
    return extents;
}

/* A row of opacities over pixels from `x_px` on, which may lie outside. */
static void mix_row(pov_canvas *canvas, const uint8_t *opacity, int len, int x_px, int y_px,
                    pov_colour colour)
{
    if (y_px < 0 || y_px >= canvas->height_px)
        return;
    uint8_t *row = canvas->pixels + (ptrdiff_t)y_px * canvas->stride_bytes;
    for (int i = x_px < 0 ? -x_px : 0; i < len && x_px + i < canvas->width_px; i++) {
        uint8_t *pixel = row + 3 * (ptrdiff_t)(x_px + i);
        pixel[0] = mix_channel(pixel[0], colour.red, opacity[i] / 255.0);
        pixel[1] = mix_channel(pixel[1], colour.green, opacity[i] / 255.0);
        pixel[2] = mix_channel(pixel[2], colour.blue, opacity[i] / 255.0);
    }
}

static void draw_letters(pov_canvas *canvas, const char *text, pov_vec2 baseline_px, pov_colour colour)
{
    const cairo_text_extents_t extents = measure_letters(canvas, text);
    const int left_px = (int)floor(extents.x_bearing) - 1, top_px = (int)floor(extents.y_bearing) - 1;
    const int width_px = (int)ceil(extents.width) + 3, height_px = (int)ceil(extents.height) + 3;
    cairo_t *letters = begin_letters(canvas, width_px, height_px);
    cairo_move_to(letters, -left_px, -top_px);
    cairo_show_text(letters, text);
    cairo_surface_t *surface = cairo_get_target(letters);
    cairo_surface_flush(surface);
    const uint8_t *opacity = cairo_image_surface_get_data(surface);
    const int stride = cairo_image_surface_get_stride(surface);
    for (int y = 0; opacity && y < height_px; y++)
        mix_row(canvas, opacity + (ptrdiff_t)y * stride, width_px, cvRound(baseline_px.x) + left_px,
                cvRound(baseline_px.y) + top_px + y, colour);
    cairo_destroy(letters);
}

static void draw_strokes(pov_canvas *canvas, const char *text, pov_vec2 baseline_px, pov_colour colour)
{
    char ascii[POV_CANVAS_TEXT_CAPACITY];
    ascii_of(ascii, text);
    CvMat mat = mat_of(canvas);
    CvFont font = strokes_of(canvas);
    cvPutText(&mat, ascii, cvPoint(cvRound(baseline_px.x), cvRound(baseline_px.y)), &font, scalar_of(colour));
}

void pov_canvas_text(pov_canvas *canvas, const char *text, pov_vec2 baseline_px, pov_colour colour)
{
    char plain[POV_CANVAS_TEXT_CAPACITY];
    pov_utf8_copy(plain, sizeof plain, text);
    const bool near = fabs(baseline_px.x) < far_px && fabs(baseline_px.y) < far_px;
    if (near && has_letters())
        draw_letters(canvas, plain, baseline_px, colour);
    else if (near)
        draw_strokes(canvas, plain, baseline_px, colour);
}

double pov_canvas_text_width_px(const pov_canvas *canvas, const char *text)
{
    char plain[POV_CANVAS_TEXT_CAPACITY];
    pov_utf8_copy(plain, sizeof plain, text);
    if (has_letters())
        return measure_letters(canvas, plain).x_advance;
    CvFont font = strokes_of(canvas);
    CvSize size;
    int below_baseline_px;
    ascii_of(plain, text);
    cvGetTextSize(plain, &font, &size, &below_baseline_px);
    return size.width;
}

double pov_canvas_line_height_px(const pov_canvas *canvas)
{
    return 18 * canvas->unit_px;
}

/* ---- labels ---- */

void pov_canvas_label_at(pov_canvas *canvas, const pov_canvas_label *label)
{
    bool near = fabs(label->anchor_px.x) < far_px && fabs(label->anchor_px.y) < far_px; /* false for NaN */
    if (near && canvas->label_len < POV_CANVAS_LABEL_MAX)
        canvas->labels[canvas->label_len++] = *label;
}

static bool areas_overlap(pov_rectangle a, pov_rectangle b)
{
    return a.x_px < b.x_px + b.width_px && b.x_px < a.x_px + a.width_px && a.y_px < b.y_px + b.height_px &&
           b.y_px < a.y_px + a.height_px;
}

void pov_canvas_keep_clear(pov_canvas *canvas, pov_rectangle area)
{
    if (canvas->clear_len < POV_CANVAS_CLEAR_MAX)
        canvas->clear[canvas->clear_len++] = area;
}

/* Areas that a new label must not cover: the labels placed so far, and the anchors of the others. */
typedef struct {
    pov_rectangle area;
    const pov_canvas *canvas;
    bool keeps_clear; /* of canvas->clear too */
    int box_len, anchor_len;
    pov_rectangle boxes[POV_CANVAS_LABEL_MAX], anchors[POV_CANVAS_LABEL_MAX];
} placement;

/* A table on which all stands fills the picture: labels have no other place than on it. */
static bool fills_area(pov_rectangle thing, pov_rectangle area)
{
    return 2 * (double)thing.width_px * thing.height_px > (double)area.width_px * area.height_px;
}

static bool is_free(const placement *places, pov_rectangle box, int own_anchor)
{
    if (!is_within(box, places->area))
        return false;
    for (int i = 0; i < places->box_len; i++) {
        if (areas_overlap(box, places->boxes[i]))
            return false;
    }
    for (int i = 0; i < places->anchor_len; i++) {
        if (i != own_anchor && areas_overlap(box, places->anchors[i]))
            return false;
    }
    for (int i = 0; places->keeps_clear && i < places->canvas->clear_len; i++) {
        if (areas_overlap(box, places->canvas->clear[i]) &&
            !fills_area(places->canvas->clear[i], places->area))
            return false;
    }
    return true;
}

/* A box of this size whose border is `distance_px` from the anchor in a direction (cosine, sine). */
static pov_rectangle box_beside(pov_vec2 anchor, double distance_px, pov_vec2 direction, pov_vec2 size)
{
    double x = anchor.x + direction.x * (distance_px + size.x / 2);
    double y = anchor.y + direction.y * (distance_px + size.y / 2);
    return (pov_rectangle){cvRound(x - size.x / 2), cvRound(y - size.y / 2), cvRound(size.x),
                           cvRound(size.y)};
}

/* Looks upward first, then around, then farther away. */
static bool find_place(pov_rectangle *box, const placement *places, const pov_canvas *canvas, int i)
{
    static const pov_vec2 directions[] = {{0, -1},    {0.7, -0.7}, {1, 0},      {-0.7, -0.7},
                                          {0.7, 0.7}, {0, 1},      {-0.7, 0.7}, {-1, 0}};
    enum { DIRECTIONS = sizeof directions / sizeof directions[0], RINGS = 8 };
    const pov_canvas_label *label = &canvas->labels[i];
    double length = hypot(label->toward.x, label->toward.y);
    pov_vec2 best =
        length > 0 ? (pov_vec2){label->toward.x / length, label->toward.y / length} : directions[0];
    pov_vec2 size = {pov_canvas_text_width_px(canvas, label->text) + 11 * canvas->unit_px,
                     pov_canvas_line_height_px(canvas)};
    bool covers = label->distance_px <= 0;
    *box = box_beside(label->anchor_px, covers ? -size.y / 2 : label->distance_px + 3 * canvas->unit_px,
                      covers ? directions[0] : best, size);
    if (is_free(places, *box, i))
        return true;
    for (int step = 0; step < RINGS * DIRECTIONS; step++) {
        int ring = step / DIRECTIONS;
        double distance_px = label->distance_px + (4 + 14 * ring) * canvas->unit_px;
        *box = box_beside(label->anchor_px, distance_px, directions[step % DIRECTIONS], size);
        if (is_free(places, *box, i))
            return true;
    }
    return false;
}

/* The free place nearest to the anchor, wherever that is: a line leads there. */
static bool find_any_place(pov_rectangle *box, const placement *places, const pov_canvas *canvas, int i)
{
    const pov_canvas_label *label = &canvas->labels[i];
    const int step_px = (int)fmax(1, pov_canvas_line_height_px(canvas) / 2);
    pov_rectangle tried = *box;
    double nearest_px = INFINITY;
    for (int y = places->area.y_px; y + box->height_px <= places->area.y_px + places->area.height_px;
         y += step_px)
        for (int x = places->area.x_px; x + box->width_px <= places->area.x_px + places->area.width_px;
             x += step_px) {
            const double distance_px = hypot(x + box->width_px / 2.0 - label->anchor_px.x,
                                             y + box->height_px / 2.0 - label->anchor_px.y);
            tried.x_px = x;
            tried.y_px = y;
            if (distance_px >= nearest_px || !is_free(places, tried, i))
                continue;
            nearest_px = distance_px;
            *box = tried;
        }
    return isfinite(nearest_px);
}

static pov_vec2 nearest_in(pov_rectangle box, pov_vec2 point)
{
    return (pov_vec2){fmax(box.x_px, fmin(box.x_px + box.width_px, point.x)),
                      fmax(box.y_px, fmin(box.y_px + box.height_px, point.y))};
}

/* To a label that is not beside its anchor. */
static void draw_pointer(pov_canvas *canvas, const pov_canvas_label *label, pov_rectangle box)
{
    pov_vec2 near = nearest_in(box, label->anchor_px);
    double gap = hypot(near.x - label->anchor_px.x, near.y - label->anchor_px.y);
    if (gap <= label->distance_px + 6 * canvas->unit_px)
        return;
    double share = label->distance_px / gap;
    pov_vec2 start = {label->anchor_px.x + share * (near.x - label->anchor_px.x),
                      label->anchor_px.y + share * (near.y - label->anchor_px.y)};
    pov_canvas_polyline(canvas, (pov_vec2[]){start, near}, 2, (pov_stroke){label->colour, 1, false});
}

static void draw_label(pov_canvas *canvas, const pov_canvas_label *label, pov_rectangle box)
{
    pov_canvas_fill(canvas, box, rim, 0.78);
    pov_rectangle edge = {box.x_px, box.y_px, thickness_px(canvas, 2), box.height_px};
    if (label->distance_px > 0)
        pov_canvas_fill(canvas, edge, label->colour, 1);
    pov_vec2 baseline = {box.x_px + 6 * canvas->unit_px, box.y_px + box.height_px - 5 * canvas->unit_px};
    pov_canvas_text(canvas, label->text, baseline, label->colour);
}

int pov_canvas_place_labels(pov_canvas *canvas, pov_rectangle area)
{
    placement places = {.area = area, .canvas = canvas, .anchor_len = canvas->label_len};
    double half_px = 3 * canvas->unit_px;
    for (int i = 0; i < canvas->label_len; i++) {
        pov_vec2 corner = {canvas->labels[i].anchor_px.x - half_px, canvas->labels[i].anchor_px.y - half_px};
        places.anchors[i] =
            (pov_rectangle){cvRound(corner.x), cvRound(corner.y), cvRound(2 * half_px), cvRound(2 * half_px)};
    }
    const pov_canvas_label *of[POV_CANVAS_LABEL_MAX]; /* each box */
    for (int i = 0; i < canvas->label_len; i++) {
        pov_rectangle *box = &places.boxes[places.box_len];
        places.keeps_clear = canvas->labels[i].distance_px > 0;
        if (find_place(box, &places, canvas, i) ||
            (places.keeps_clear && find_any_place(box, &places, canvas, i)))
            of[places.box_len++] = &canvas->labels[i];
    }
    const int homeless = canvas->label_len - places.box_len;
    for (int i = 0; i < places.box_len; i++) /* no line runs over a label */
        draw_pointer(canvas, of[i], places.boxes[i]);
    for (int i = 0; i < places.box_len; i++)
        draw_label(canvas, of[i], places.boxes[i]);
    canvas->label_len = canvas->clear_len = 0;
    return homeless;
}
