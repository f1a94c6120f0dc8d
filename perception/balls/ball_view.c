#include "perception/balls/ball_view.h"

#include <math.h>
#include <stddef.h>

double pov_light_distance(const pov_light *a, const pov_light *b)
{
    double red = a->rgb[0] - b->rgb[0], green = a->rgb[1] - b->rgb[1], blue = a->rgb[2] - b->rgb[2];
    return sqrt(red * red + green * green + blue * blue);
}

static bool is_masked(const pov_ball_view *view, int x, int y)
{
    for (int i = 0; i < view->config->mask_len; i++) {
        const pov_mask *m = &view->config->masks[i];
        if (x >= m->x_px && y >= m->y_px && x - m->x_px < m->width_px && y - m->y_px < m->height_px)
            return true;
    }
    return false;
}

bool pov_ball_view_is_hidden(const pov_ball_view *view, pov_vec2 pixel)
{
    if (!(pixel.x > -0.5 && pixel.y > -0.5 && pixel.x < view->camera->width_px - 0.5 &&
          pixel.y < view->camera->height_px - 0.5))
        return true;
    return view->config->mask_len > 0 && is_masked(view, (int)(pixel.x + 0.5), (int)(pixel.y + 0.5));
}

bool pov_ball_view_is_kind(const pov_ball_view *view, int kind, pov_vec2 pixel)
{
    int width = view->camera->width_px;
    if (!(pixel.x > -0.5 && pixel.y > -0.5 && pixel.x < width - 0.5 &&
          pixel.y < view->camera->height_px - 0.5))
        return false;
    return view->labels[(size_t)(pixel.y + 0.5) * width + (size_t)(pixel.x + 0.5)] >> kind & 1;
}

bool pov_ball_view_sample(const pov_ball_view *view, pov_light *light, pov_vec2 pixel)
{
    const pov_image *image = view->image;
    if (!(pixel.x >= 0 && pixel.y >= 0 && pixel.x < image->width_px - 1 && pixel.y < image->height_px - 1))
        return false;
    int x = (int)pixel.x, y = (int)pixel.y;
    if (view->config->mask_len > 0 && (is_masked(view, x, y) || is_masked(view, x + 1, y + 1)))
        return false;
    const uint8_t *top = image->pixels + (size_t)y * image->stride_bytes + 3 * (size_t)x;
    const uint8_t *low = top + image->stride_bytes;
    const float *linear = view->table->linear;
    double u = pixel.x - x, v = pixel.y - y;
    for (int c = 0; c < 3; c++)
        light->rgb[c] = (1 - v) * ((1 - u) * linear[top[c]] + u * linear[top[c + 3]]) +
                        v * ((1 - u) * linear[low[c]] + u * linear[low[c + 3]]);
    return true;
}
