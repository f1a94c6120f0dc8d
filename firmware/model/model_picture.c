#include "firmware/model/model_picture.h"

#include "draw/canvas.h"
#include "firmware/picture/image_file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const pov_colour colours[] = {
    {230, 60, 60}, {60, 140, 240}, {60, 190, 90}, {240, 160, 30}, {180, 90, 220}};

static void draw_keypoints(pov_canvas *canvas, const pov_detection *d, pov_colour colour)
{
    const double half_px = 2.5 * canvas->unit_px;
    for (int k = 0; k < d->keypoint_len; k++) {
        const double x = (double)d->keypoints[k].x_px, y = (double)d->keypoints[k].y_px;
        const pov_vec2 corners[4] = {{x - half_px, y - half_px},
                                     {x + half_px, y - half_px},
                                     {x + half_px, y + half_px},
                                     {x - half_px, y + half_px}};
        pov_canvas_polyline(canvas, corners, 4, (pov_stroke){colour, 1.8, true});
    }
}

/* Up is away from the camera, as on a plan. */
static void draw_heading(pov_canvas *canvas, const pov_detection *d, pov_colour colour)
{
    const double yaw = d->seen.heading.mode[0].yaw_rad, barb = 0.35;
    const double length_px = 0.45 * fmin(d->box.right_px - d->box.left_px, d->box.bottom_px - d->box.top_px);
    const pov_vec2 from = {(d->box.left_px + d->box.right_px) / 2, (d->box.top_px + d->box.bottom_px) / 2};
    const pov_vec2 along = {-sin(yaw) * length_px, -cos(yaw) * length_px};
    const pov_vec2 to = {from.x + along.x, from.y + along.y};
    const pov_vec2 line[5] = {from,
                              to,
                              {to.x - barb * (along.x - along.y), to.y - barb * (along.y + along.x)},
                              to,
                              {to.x - barb * (along.x + along.y), to.y - barb * (along.y - along.x)}};
    pov_canvas_polyline(canvas, line, 5, (pov_stroke){colour, 2.2, false});
}

static void draw_detection(pov_canvas *canvas, const pov_model_contract *contract, const pov_detection *d)
{
    const pov_colour colour = colours[d->class_index % (int)(sizeof colours / sizeof *colours)];
    const pov_pixel_box *b = &d->box;
    const pov_vec2 corners[4] = {{b->left_px, b->top_px},
                                 {b->right_px, b->top_px},
                                 {b->right_px, b->bottom_px},
                                 {b->left_px, b->bottom_px}};
    pov_canvas_label label = {
        .anchor_px = {(b->left_px + b->right_px) / 2, b->top_px}, .distance_px = 4, .colour = colour};
    pov_canvas_polyline(canvas, corners, 4, (pov_stroke){colour, 1.4, true});
    draw_keypoints(canvas, d, colour);
    int length =
        snprintf(label.text, sizeof label.text, "%s %.2f", contract->classes[d->class_index], d->score);
    if (d->seen.heading.len > 0 && d->seen.heading.mode[0].kappa > 0) {
        draw_heading(canvas, d, colour);
        snprintf(label.text + length, sizeof label.text - (size_t)length, " %.0f deg",
                 d->seen.heading.mode[0].yaw_rad / POV_DEG);
    }
    pov_canvas_label_at(canvas, &label);
}

pov_status pov_model_picture_write(const char *path, const pov_model_contract *contract,
                                   const pov_detections *found, const pov_image *image)
{
    pov_canvas *canvas = pov_allocate(1, sizeof *canvas);
    uint8_t *pixels = pov_allocate((size_t)image->width_px * (size_t)image->height_px, 3);
    canvas->pixels = pixels;
    canvas->width_px = image->width_px;
    canvas->height_px = image->height_px;
    canvas->stride_bytes = 3 * image->width_px;
    canvas->unit_px = fmax(1, fmax(image->width_px, image->height_px) / 1280.0);
    const pov_rectangle all = {0, 0, image->width_px, image->height_px};
    pov_canvas_image(canvas, all, image);
    for (int i = 0; i < found->len; i++)
        draw_detection(canvas, contract, &found->detections[i]);
    pov_canvas_place_labels(canvas, all);
    const pov_image picture = {.pixels = pixels,
                               .width_px = image->width_px,
                               .height_px = image->height_px,
                               .stride_bytes = canvas->stride_bytes};
    const pov_status status = pov_image_file_write_png(path, &picture);
    free(pixels);
    free(canvas);
    return status;
}
