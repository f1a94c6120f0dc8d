#include "perception/appearance/appearance_internal.h"
#include "perception/geometry/periodic_spline.h"
#include "perception/image/opencv_c.h"

#include <stdlib.h>
#include <string.h>

enum { SIDE = POV_PATCH_SIDE, AREA = POV_PATCH_AREA, BOX = POV_APPEARANCE_BOX };

/* Shares of the strongest contrast: still the background, and surely the object. */
static const double silhouette_low = 0.06, silhouette_high = 0.18;
static const double rim_spread_max = 12; /* the background is plain */
static const double pixel_noise = 2;     /* levels, of a good camera */
static const double gap_shrinks = 16;    /* variance left between views, with one left out and with all */
static const double least_gap_rad = 0.01 * POV_PI / 180;
static const double variation_kept = 0.99999;

/* The strongest contrast to the background in any view; 0 if a view has no plain background. */
static double strongest_contrast(const pov_view *views, int len)
{
    double rim, spread, strongest = 0;
    for (int k = 0; k < len; k++) {
        pov_patch_rim(&views[k].patch, &rim, &spread);
        if (spread > rim_spread_max)
            return 0;
        for (int i = 0; i < AREA; i++)
            strongest = fmax(strongest, fabs((double)views[k].patch.light[i] - rim));
    }
    return strongest;
}

/* Centre and standard deviations of what differs from the background. */
static void silhouette_box(float box[BOX], const pov_patch *patch, double strongest)
{
    double rim, spread, sum = 1e-9, x = 0, y = 0, xx = 0, yy = 0;
    pov_patch_rim(patch, &rim, &spread);
    for (int i = 0; i < AREA; i++) {
        const double contrast = fabs((double)patch->light[i] - rim) / strongest;
        const double part =
            fmin(1, fmax(0, (contrast - silhouette_low) / (silhouette_high - silhouette_low)));
        const int row = i / SIDE;
        const double u = i % SIDE - PATCH_CENTRE, v = row - PATCH_CENTRE;
        sum += part;
        x += part * u;
        y += part * v;
        xx += part * u * u;
        yy += part * v * v;
    }
    x /= sum;
    y /= sum;
    box[0] = (float)x;
    box[1] = (float)y;
    box[2] = (float)(0.5 * log(fmax(1, xx / sum - x * x)));
    box[3] = (float)(0.5 * log(fmax(1, yy / sum - y * y)));
}

/* Boxes relative to their mean; all zero if any view has no plain background. */
static void silhouette_boxes(float box[][BOX], const pov_view *views, int len)
{
    double mean[BOX] = {0};
    const double strongest = strongest_contrast(views, len);
    for (int i = 0; i < len; i++) {
        silhouette_box(box[i], &views[i].patch, fmax(strongest, pixel_noise));
        for (int k = 0; k < BOX; k++)
            mean[k] += (double)box[i][k] / len;
    }
    for (int i = 0; i < len; i++)
        for (int k = 0; k < BOX; k++)
            box[i][k] = strongest > 0 ? box[i][k] - (float)mean[k] : 0;
}

/* The view with its box moved to the middle and stretched to the mean. */
static void normalise_view(float *light, const pov_patch *patch, const float box[BOX])
{
    pov_patch_resampled moved;
    pov_patch_resample(&moved, patch->light,
                       (pov_patch_place){PATCH_CENTRE + (double)box[0], exp((double)box[2]),
                                         PATCH_CENTRE + (double)box[1], exp((double)box[3])});
    memcpy(light, moved.light, sizeof moved.light);
}

/* Distances of views from a curve through the others, pixel by pixel. Returns the mean square over all. */
static double weigh_pixels(pov_appearance_data *data, const float *light)
{
    const int len = data->view_len;
    float *value = calloc((size_t)len * AREA, sizeof *value),
          *bend = calloc((size_t)len * AREA, sizeof *bend);
    float variance[AREA] = {0}, even[AREA];
    double angle_rad[POV_VIEW_MAX];
    POV_REQUIRE(value && bend);
    for (int out = 0; out < len; out++) {
        for (int i = 0, k = 0; i < len; i++) {
            if (i == out)
                continue;
            angle_rad[k] = data->angle_rad[i];
            memcpy(value + (size_t)k++ * AREA, light + (size_t)i * AREA, AREA * sizeof *value);
        }
        pov_spline_bend(bend, value, angle_rad, len - 1, AREA);
        const pov_spline_place at = pov_spline_find(angle_rad, len - 1, data->angle_rad[out]);
        for (int i = 0; i < AREA; i++) {
            const double there = at.value[0] * (double)value[at.left * AREA + i] +
                                 at.value[1] * (double)value[at.right * AREA + i] +
                                 at.bend[0] * (double)bend[at.left * AREA + i] +
                                 at.bend[1] * (double)bend[at.right * AREA + i];
            const double off = (double)light[(size_t)out * AREA + (size_t)i] - there;
            variance[i] += (float)(off * off / (gap_shrinks * len));
        }
    }
    CvMat from = cvMat(SIDE, SIDE, CV_32FC1, variance), to = cvMat(SIDE, SIDE, CV_32FC1, even);
    cvSmooth(&from, &to, CV_GAUSSIAN, 0, 0, 1.5, 1.5);
    for (int i = 0; i < AREA; i++)
        data->weight[i] = 1 / sqrtf(even[i] + (float)(pixel_noise * pixel_noise));
    free(value);
    free(bend);
    double sum = 0;
    for (int i = 0; i < AREA; i++)
        sum += (double)variance[i] / AREA;
    return sum;
}

static double settle_axes(pov_appearance_data *data, float *light, const pov_view *views)
{
    for (int i = 0; i < data->view_len; i++)
        normalise_view(light + (size_t)i * AREA, &views[i].patch, data->box[i]);
    return weigh_pixels(data, light);
}

/* Silhouettes made alike, if the curve is the smoother for it: where an object hardly stands out, it is not. */
static void choose_boxes(pov_appearance_data *data, float *light, const pov_view *views)
{
    const double without = settle_axes(data, light, views);
    silhouette_boxes(data->box, views, data->view_len);
    if (settle_axes(data, light, views) < without)
        return;
    memset(data->box, 0, sizeof data->box);
    settle_axes(data, light, views);
}

static void subtract_mean(pov_appearance_data *data, float *light)
{
    for (int i = 0; i < AREA; i++) {
        double sum = 0;
        for (int k = 0; k < data->view_len; k++)
            sum += (double)light[(size_t)k * AREA + (size_t)i];
        data->mean[i] = (float)(sum / data->view_len);
        for (int k = 0; k < data->view_len; k++)
            light[(size_t)k * AREA + (size_t)i] -= data->mean[i];
    }
}

static int dimensions_to_keep(const float *strength, int len)
{
    double all = 0, kept = 0;
    int dimension = 0;
    for (int i = 0; i < len; i++)
        all += (double)strength[i] * (double)strength[i];
    while (dimension < len && dimension < POV_APPEARANCE_DIMENSION_MAX && kept < variation_kept * all) {
        kept += (double)strength[dimension] * (double)strength[dimension];
        dimension++;
    }
    return dimension > 0 ? dimension : 1;
}

/* Axes of most variation first: light = U strength V^T; rows of V^T are the axes. */
static void span_views(pov_appearance_data *data, float *light)
{
    const int len = data->view_len;
    float *axis = calloc((size_t)len * AREA, sizeof *axis), strength[POV_VIEW_MAX];
    POV_REQUIRE(axis);
    CvMat views = cvMat(len, AREA, CV_32FC1, light), axes = cvMat(len, AREA, CV_32FC1, axis),
          strengths = cvMat(len, 1, CV_32FC1, strength);
    cvSVD(&views, &strengths, NULL, &axes, CV_SVD_V_T);
    data->dimension = dimensions_to_keep(strength, len);
    memcpy(data->axis, axis, sizeof(float) * AREA * (size_t)data->dimension);
    for (int i = 0; i < len; i++)
        for (int k = 0; k < data->dimension; k++) {
            double sum = 0;
            for (int j = 0; j < AREA; j++)
                sum += (double)light[(size_t)i * AREA + (size_t)j] * (double)data->axis[k][j];
            data->place[i][k] = (float)sum;
        }
    free(axis);
}

static pov_status check_views(const pov_view *views, int len)
{
    if (len < POV_VIEW_MIN || len > POV_VIEW_MAX)
        return pov_error("%d views; between %d and %d are of use, evenly round a turn (36 are plenty)", len,
                         POV_VIEW_MIN, POV_VIEW_MAX);
    for (int i = 1; i < len; i++)
        if (views[i].angle_rad - views[i - 1].angle_rad < least_gap_rad ||
            views[i].angle_rad - views[0].angle_rad > 2 * POV_PI - 1e-6)
            return pov_error("two views have about the same angle, %.2f deg; leave one out",
                             pov_degrees(views[i].angle_rad));
    return pov_ok();
}

static bool is_blank(const pov_view *views, int len)
{
    for (int i = 0; i < len * AREA; i++)
        if (fabsf(views[i / AREA].patch.light[i % AREA] - views[0].patch.light[0]) > 4 * (float)pixel_noise)
            return false;
    return true;
}

pov_status pov_appearance_learn(pov_appearance_data *data, const pov_view *views, int len)
{
    memset(data, 0, sizeof *data);
    POV_TRY(check_views(views, len));
    if (is_blank(views, len))
        return pov_error("every view is blank; is the object in the picture, and the lens uncovered?");
    float *light = pov_allocate((size_t)len * AREA, sizeof *light);
    data->view_len = len;
    data->symmetry = 1;
    data->widening = data->doubt = data->residual = 1;
    data->unexplained = 0.02;
    data->expected_error_rad = data->worst_error_rad = NAN;
    for (int i = 0; i < len; i++) {
        data->angle_rad[i] = views[i].angle_rad;
        data->local_doubt[i] = 1;
    }
    choose_boxes(data, light, views);
    subtract_mean(data, light);
    span_views(data, light);
    free(light);
    return pov_ok();
}
