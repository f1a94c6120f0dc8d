#include "perception/models/letterbox.h"

#include "perception/image/opencv_c.h"
#include "perception/models/model_shape.h"

#include <math.h>

static int scaled_side(double side, double scale, int room)
{
    const int scaled = (int)lround(side * scale);
    return scaled < 1 ? 1 : scaled > room ? room : scaled;
}

pov_letterbox pov_letterbox_of(const pov_model_input *input, int image_width_px, int image_height_px)
{
    const int width = pov_model_input_width(input), height = pov_model_input_height(input);
    const double across = (double)width / image_width_px, down = (double)height / image_height_px;
    const double scale = fmin(across, down);
    pov_letterbox box = {image_width_px, image_height_px, 0, 0, width, height};
    if (input->fit == POV_FIT_STRETCH)
        return box;
    box.width_px = scaled_side(image_width_px, scale, width);
    box.height_px = scaled_side(image_height_px, scale, height);
    if (input->fit == POV_FIT_LETTERBOX_CENTRE) {
        box.left_px = (width - box.width_px) / 2;
        box.top_px = (height - box.height_px) / 2;
    }
    return box;
}

static double undo_scale(double edge, int start_px, int length_px, int image_px)
{
    const double in_image = (edge - start_px) * image_px / length_px;
    return fmin(fmax(in_image, 0), image_px) - 0.5;
}

pov_pixel_box pov_letterbox_undo(const pov_letterbox *letterbox, double left, double top, double right,
                                 double bottom)
{
    const pov_letterbox *l = letterbox;
    return (pov_pixel_box){undo_scale(left, l->left_px, l->width_px, l->image_width_px),
                           undo_scale(top, l->top_px, l->height_px, l->image_height_px),
                           undo_scale(right, l->left_px, l->width_px, l->image_width_px),
                           undo_scale(bottom, l->top_px, l->height_px, l->image_height_px)};
}

static void scale_image(unsigned char *scaled, const pov_letterbox *letterbox, const pov_image *image)
{
    CvMat from, to;
    cvInitMatHeader(&from, image->height_px, image->width_px, CV_8UC3, (void *)image->pixels,
                    image->stride_bytes);
    cvInitMatHeader(&to, letterbox->height_px, letterbox->width_px, CV_8UC3, scaled, letterbox->width_px * 3);
    cvResize(&from, &to, CV_INTER_LINEAR);
}

typedef struct {
    float of_value[256], of_fill;
    int step;  /* from one pixel to the next */
    int first; /* pixel's */
    int from;  /* the image's channel */
} channel;

static channel channel_of(const pov_model_input *input, int c)
{
    const int pixels = pov_model_input_width(input) * pov_model_input_height(input);
    channel ch = {.step = input->channels_last ? 3 : 1,
                  .first = input->channels_last ? c : c * pixels,
                  .from = input->bgr ? 2 - c : c};
    for (int value = 0; value < 256; value++)
        ch.of_value[value] = (float)((value * input->scale - input->mean[c]) / input->std[c]);
    ch.of_fill = (float)((input->fill * input->scale - input->mean[c]) / input->std[c]);
    return ch;
}

static void fill_channel(float *numbers, const unsigned char *scaled, const pov_model_input *input,
                         const pov_letterbox *l, const channel *ch)
{
    const int width = pov_model_input_width(input), height = pov_model_input_height(input);
    float *number = numbers + ch->first;
    for (int y = 0; y < height; y++) {
        const bool inside = y >= l->top_px && y < l->top_px + l->height_px;
        const unsigned char *pixel =
            inside ? scaled + (ptrdiff_t)(y - l->top_px) * l->width_px * 3 + ch->from : NULL;
        for (int x = 0; x < width; x++, number += ch->step) {
            const int at = x - l->left_px;
            *number = pixel && at >= 0 && at < l->width_px ? ch->of_value[pixel[3 * at]] : ch->of_fill;
        }
    }
}

void pov_letterbox_image(float *numbers, unsigned char *scaled, const pov_model_input *input,
                         const pov_letterbox *letterbox, const pov_image *image)
{
    scale_image(scaled, letterbox, image);
    for (int c = 0; c < 3; c++) {
        const channel ch = channel_of(input, c);
        fill_channel(numbers, scaled, input, letterbox, &ch);
    }
}
