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

/* A point of the circle of touch, and its derivative by the centre, are sums of three parts: one is the same for all points, the
 * others go by the cosine and the sine of the angle. */
typedef struct {
    double point[3], by_center[3][3];
} part;
enum { SAME, COSINE, SINE, PARTS };
enum { AT_ONCE = 16 }; /* points that go through the lens together */

static void find_parts(part parts[PARTS], const double c[3], double distance, double radius)
{
    const double k = radius * radius / (distance * distance), root = sqrt(1 - k), rho = radius * root;
    const double ray[3] = {c[0] / distance, c[1] / distance, c[2] / distance};
    double by_c[PARTS][3][3];
    const column right = right_axis(by_c[COSINE], c),
                 down = down_axis(by_c[SINE], ray, distance, right, by_c[COSINE]);
    for (int i = 0; i < 3; i++) {
        const double axis[PARTS] = {0, right.v[i], down.v[i]};
        parts[SAME].point[i] = (1 - k) * c[i];
        parts[COSINE].point[i] = rho * axis[COSINE];
        parts[SINE].point[i] = rho * axis[SINE];
        for (int j = 0; j < 3; j++) {
            const double k_j = -2 * k * ray[j] / distance, rho_j = -radius * k_j / (2 * root);
            parts[SAME].by_center[i][j] = (1 - k) * (i == j) - k_j * c[i];
            for (int p = COSINE; p <= SINE; p++)
                parts[p].by_center[i][j] = rho_j * axis[p] + rho * by_c[p][i][j];
        }
    }
}

static double sum_parts(double same, double by_cosine, double by_sine, pov_vec2 turn)
{
    return same + turn.x * by_cosine + turn.y * by_sine;
}

static void add_jacobian(double jacobian[2][3], const double by_point[2][3], const part parts[PARTS],
                         pov_vec2 turn)
{
    for (int j = 0; j < 3; j++) {
        double by_center[3];
        for (int k = 0; k < 3; k++)
            by_center[k] = sum_parts(parts[SAME].by_center[k][j], parts[COSINE].by_center[k][j],
                                     parts[SINE].by_center[k][j], turn);
        for (int i = 0; i < 2; i++)
            jacobian[i][j] =
                by_point[i][0] * by_center[0] + by_point[i][1] * by_center[1] + by_point[i][2] * by_center[2];
    }
}

/* turns: cosines and sines of the points' angles. */
static pov_code see_points(const pov_camera *camera, pov_vec2 *pixels, double (*jacobians)[2][3],
                           const part parts[PARTS], const pov_vec2 *turns, int len)
{
    pov_vec3 points[AT_ONCE];
    double by_point[AT_ONCE][2][3];
    for (int i = 0; i < len; i++) {
        double at[3];
        for (int k = 0; k < 3; k++)
            at[k] = sum_parts(parts[SAME].point[k], parts[COSINE].point[k], parts[SINE].point[k], turns[i]);
        points[i] = (pov_vec3){at[0], at[1], at[2]};
    }
    const pov_code code = pov_camera_project_all(camera, pixels, by_point, points, len);
    for (int i = 0; jacobians && i < len; i++)
        add_jacobian(jacobians[i], (const double(*)[3])by_point[i], parts, turns[i]);
    return code;
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
    const double distance = pov_vec3_norm(center_camera_m);
    const pov_vec2 turn = {cos(angle_rad), sin(angle_rad)};
    part parts[PARTS];
    if (!(distance > radius_m))
        return undefined(pixel, jacobian);
    find_parts(parts, c, distance, radius_m);
    return see_points(camera, pixel, jacobian ? (double(*)[2][3])jacobian : NULL, parts, &turn, 1);
}

pov_code pov_sphere_outline_points(const pov_camera *camera, pov_vec2 *pixels, double (*jacobians)[2][3],
                                   pov_vec3 center_camera_m, double radius_m, int len)
{
    const double c[3] = {center_camera_m.x, center_camera_m.y, center_camera_m.z};
    const double distance = pov_vec3_norm(center_camera_m), step_rad = 2 * POV_PI / len;
    const pov_vec2 step = {cos(step_rad), sin(step_rad)};
    pov_vec2 turns[AT_ONCE], turn = {1, 0};
    part parts[PARTS];
    pov_code code = distance > radius_m ? POV_OK : POV_UNDEFINED;
    if (code == POV_OK)
        find_parts(parts, c, distance, radius_m);
    for (int first = 0; first < len && code == POV_OK; first += AT_ONCE) {
        const int n = len - first < AT_ONCE ? len - first : AT_ONCE;
        for (int i = 0; i < n; i++) {
            turns[i] = turn;
            turn = (pov_vec2){turn.x * step.x - turn.y * step.y, turn.x * step.y + turn.y * step.x};
        }
        code = see_points(camera, pixels + first, jacobians + first, parts, turns, n);
    }
    for (int i = 0; i < len && code != POV_OK; i++)
        undefined(&pixels[i], jacobians[i]);
    return code;
}
