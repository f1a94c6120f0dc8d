#include "perception/geometry/sphere_outline.h"

#include <math.h>
#include <stddef.h>

/* The rays that touch a sphere meet it on a circle: centre (1 - k) c, radius R sqrt(1 - k) in the plane
 * across the centre ray, with k = R^2 / |c|^2. Its points go through the lens like any others, so the outline
 * is exact for every lens. All derivatives are by c and stand in 3x3 matrices, row-major. */

typedef struct {
    double v[3];
} column;

/* The axis that points toward image right across the centre ray, y cross c, and its derivative. Straight
 * along y it has no direction: there x will do. */
static column right_axis(double derivative[3][3], const double c[3])
{
    const double a[3] = {c[2], 0, -c[0]};
    static const double a_by_c[3][3] = {{0, 0, 1}, {0, 0, 0}, {-1, 0, 0}};
    double length = hypot(a[0], a[2]);
    if (length <= 1e-9 * fabs(c[1])) {
        for (int i = 0; i < 9; i++)
            derivative[i / 3][i % 3] = 0;
        return (column){{1, 0, 0}};
    }
    column e = {{a[0] / length, 0, a[2] / length}};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            double along = e.v[0] * a_by_c[0][j] + e.v[2] * a_by_c[2][j];
            derivative[i][j] = (a_by_c[i][j] - e.v[i] * along) / length;
        }
    return e;
}

static column cross(const double a[3], const double b[3])
{
    return (column){{a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]}};
}

/* The axis toward image down, and its derivative: the product rule on unit(c) cross right. */
static column down_axis(double derivative[3][3], const double ray[3], double distance, column right,
                        double right_by_c[3][3])
{
    for (int j = 0; j < 3; j++) {
        double ray_j[3], right_j[3];
        for (int i = 0; i < 3; i++) {
            ray_j[i] = ((i == j) - ray[i] * ray[j]) / distance;
            right_j[i] = right_by_c[i][j];
        }
        column first = cross(ray_j, right.v), second = cross(ray, right_j);
        for (int i = 0; i < 3; i++)
            derivative[i][j] = first.v[i] + second.v[i];
    }
    return cross(ray, right.v);
}

/* A point of the circle of touch, and its derivative. */
static pov_vec3 touch_point(double derivative[3][3], const double c[3], double distance, double radius,
                            double angle_rad)
{
    double k = radius * radius / (distance * distance), root = sqrt(1 - k), rho = radius * root;
    double cosine = cos(angle_rad), sine = sin(angle_rad), right_by_c[3][3], down_by_c[3][3];
    const double ray[3] = {c[0] / distance, c[1] / distance, c[2] / distance};
    column right = right_axis(right_by_c, c);
    column down = down_axis(down_by_c, ray, distance, right, right_by_c);
    double point[3];
    for (int i = 0; i < 3; i++) {
        double across = cosine * right.v[i] + sine * down.v[i];
        point[i] = (1 - k) * c[i] + rho * across;
        for (int j = 0; j < 3; j++) {
            double k_j = -2 * k * ray[j] / distance, rho_j = -radius * k_j / (2 * root);
            derivative[i][j] = (1 - k) * (i == j) - k_j * c[i] + rho_j * across +
                               rho * (cosine * right_by_c[i][j] + sine * down_by_c[i][j]);
        }
    }
    return (pov_vec3){point[0], point[1], point[2]};
}

static pov_code undefined(pov_vec2 *pixel, double jacobian[2][3])
{
    *pixel = (pov_vec2){NAN, NAN};
    for (int i = 0; jacobian && i < 6; i++)
        jacobian[i / 3][i % 3] = NAN;
    return POV_UNDEFINED;
}

pov_code pov_sphere_outline_point(const pov_camera *camera, pov_vec2 *pixel, double jacobian[2][3],
                                  pov_vec3 center_camera_m, double radius_m, double angle_rad)
{
    const double c[3] = {center_camera_m.x, center_camera_m.y, center_camera_m.z};
    double distance = pov_vec3_norm(center_camera_m), by_center[3][3], by_point[2][3];
    if (!(distance > radius_m))
        return undefined(pixel, jacobian);
    pov_vec3 point = touch_point(by_center, c, distance, radius_m, angle_rad);
    if (pov_camera_project(camera, pixel, jacobian ? by_point : NULL, point) != POV_OK)
        return undefined(pixel, jacobian);
    for (int i = 0; jacobian && i < 2; i++)
        for (int j = 0; j < 3; j++)
            jacobian[i][j] = by_point[i][0] * by_center[0][j] + by_point[i][1] * by_center[1][j] +
                             by_point[i][2] * by_center[2][j];
    return POV_OK;
}
