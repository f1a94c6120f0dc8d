#include "perception/lens/lens_sense.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

enum { SIDE_POINTS = 32, HALVINGS = 40 };

static const double f_widths_min = 0.3,
                    f_widths_max = 5; /* in image widths: 118 and 11 degrees wide; chosen */

static bool is_centred(const pov_camera *camera)
{
    return camera->cx_px > -0.5 && camera->cx_px < camera->width_px - 0.5 && camera->cy_px > -0.5 &&
           camera->cy_px < camera->height_px - 0.5;
}

static bool is_focal_usual(const pov_camera *camera)
{
    const double least = fmin(camera->fx_px, camera->fy_px) / camera->width_px;
    const double most = fmax(camera->fx_px, camera->fy_px) / camera->width_px;
    return least >= f_widths_min && most <= f_widths_max;
}

/* The angle off axis up to which a lens sees in the direction of a pixel. */
static double limit_rad(const pov_camera *camera, pov_vec2 pixel)
{
    const double x = (pixel.x - camera->cx_px) / camera->fx_px, y = (pixel.y - camera->cy_px) / camera->fy_px;
    const double r = hypot(x, y), c = r > 0 ? x / r : 1, s = r > 0 ? y / r : 0;
    double seen_rad = 0, unseen_rad = POV_PI;
    for (int i = 0; i < HALVINGS; i++) {
        const double angle_rad = (seen_rad + unseen_rad) / 2;
        const pov_vec3 point = {c * sin(angle_rad), s * sin(angle_rad), cos(angle_rad)};
        pov_vec2 there;
        *(pov_camera_project(camera, &there, NULL, point) == POV_OK ? &seen_rad : &unseen_rad) = angle_rad;
    }
    return seen_rad;
}

/* Where the distortion folds back nearest to the axis, of the directions in which the image reaches beyond the fold. */
typedef struct {
    bool is_in_image;
    double angle_rad;
} fold;

static pov_vec2 rim_pixel(const pov_camera *camera, int i)
{
    const double share = (i / 4 + 0.5) / SIDE_POINTS, right = camera->width_px - 1,
                 bottom = camera->height_px - 1;
    const pov_vec2 rim[] = {
        {share * right, 0}, {share * right, bottom}, {0, share * bottom}, {right, share * bottom}};
    return rim[i % 4];
}

static fold find_fold(const pov_camera *camera)
{
    fold nearest = {.angle_rad = POV_PI};
    for (int i = 0; i < 4 * SIDE_POINTS + 4; i++) {
        const int corner = i - 4 * SIDE_POINTS;
        const pov_vec2 pixel = corner < 0 ? rim_pixel(camera, i)
                                          : (pov_vec2){corner % 2 ? camera->width_px - 1 : 0,
                                                       corner / 2 ? camera->height_px - 1 : 0};
        pov_vec3 direction;
        if (pov_camera_unproject(camera, &direction, NULL, pixel) == POV_OK)
            continue;
        nearest.is_in_image = true;
        nearest.angle_rad = fmin(nearest.angle_rad, limit_rad(camera, pixel));
    }
    return nearest;
}

static bool is_beyond_fisheye(const pov_camera *camera, const fold *at)
{
    return camera->lens == POV_LENS_EQUIDISTANT && at->angle_rad >= POV_PI / 2;
}

pov_status pov_lens_check(const pov_camera *camera)
{
    if (!is_centred(camera) || !is_focal_usual(camera))
        return pov_ok();
    const fold at = find_fold(camera);
    if (!at.is_in_image || is_beyond_fisheye(camera, &at))
        return pov_ok();
    return pov_error(
        "the distortion folds back %.0f deg off the axis, inside the image: pixels beyond that have "
        "no direction. Check the coefficients and their order, or calibrate again with views "
        "that reach into the image's corners",
        pov_degrees(at.angle_rad));
}

__attribute__((format(printf, 2, 3))) static void add_oddity(pov_lens_oddities *oddities, const char *format,
                                                             ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(oddities->text[oddities->len++], POV_LENS_ODDITY_CAPACITY, format, arguments);
    va_end(arguments);
}

void pov_lens_find_oddities(pov_lens_oddities *oddities, const pov_camera *camera, bool is_cropped)
{
    oddities->len = 0;
    if (!is_centred(camera) && !is_cropped)
        add_oddity(
            oddities,
            "the lens's centre (%.0f, %.0f) lies outside the image of %d x %d pixels; are cx and cy right?",
            camera->cx_px, camera->cy_px, camera->width_px, camera->height_px);
    if (!is_focal_usual(camera))
        add_oddity(oddities,
                   "focal lengths of %.4g and %.4g pixels in an image %d pixels wide are unusual (0.3 to 5 "
                   "widths); are fx and fy of images of this size?",
                   camera->fx_px, camera->fy_px, camera->width_px);
    const fold at = find_fold(camera);
    if (at.is_in_image)
        add_oddity(
            oddities,
            "pixels more than %.0f deg off the axis have no direction: the distortion folds back there",
            pov_degrees(at.angle_rad));
}
