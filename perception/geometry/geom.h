/** Vectors, rotations, rigid transforms, and poses with uncertainty. What takes a few instructions is inline.
 *
 *  Conventions, said once: right-handed frames; table frame z up, metres; camera frame x right,
 *  y down, z forward; image (0, 0) is the centre of the top-left pixel. `T_a_b` maps b-coordinates to a:
 *  p_a = T_a_b p_b, and T_a_c = T_a_b T_b_c. Angles in radians. */
#pragma once

#include <math.h>
#include <stdbool.h>

#define POV_PI  3.14159265358979323846
#define POV_DEG (POV_PI / 180) /* one degree, in radians */

/** For a user's eyes. */
static inline double pov_degrees(double angle_rad)
{
    return angle_rad * (180 / POV_PI);
}

typedef struct {
    double x, y, z;
} pov_vec3;

typedef struct {
    double x, y;
} pov_vec2;

/** Rotation matrix, row-major: R_a_b.m[row][column]; its columns are b's axes in a. */
typedef struct {
    double m[3][3];
} pov_rot;

/** T_a_b: p_a = R p_b + t_m. */
typedef struct {
    pov_rot R;
    pov_vec3 t_m;
} pov_transform;

/** T_a_b with its uncertainty. Error state (rot_rad[3], pos_m[3]), both expressed in a:
 *  R_true = exp(rot) R, t_true = t + pos. cov is symmetric, positive semi-definite; rad^2, rad m, m^2. */
typedef struct {
    pov_transform T;
    double cov[6][6];
} pov_pose;

static inline pov_vec3 pov_vec3_add(pov_vec3 a, pov_vec3 b)
{
    const pov_vec3 sum = {a.x + b.x, a.y + b.y, a.z + b.z};
    return sum;
}

static inline pov_vec3 pov_vec3_sub(pov_vec3 a, pov_vec3 b)
{
    const pov_vec3 difference = {a.x - b.x, a.y - b.y, a.z - b.z};
    return difference;
}

static inline pov_vec3 pov_vec3_scale(pov_vec3 a, double factor)
{
    const pov_vec3 scaled = {a.x * factor, a.y * factor, a.z * factor};
    return scaled;
}

/** Each component at the nearest multiple of `step`; never minus zero, which would print as -0.000. */
pov_vec3 pov_vec3_rounded(pov_vec3 a, double step);

static inline double pov_vec3_dot(pov_vec3 a, pov_vec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline pov_vec3 pov_vec3_cross(pov_vec3 a, pov_vec3 b)
{
    const pov_vec3 cross = {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
    return cross;
}

static inline double pov_vec3_norm(pov_vec3 a)
{
    return sqrt(pov_vec3_dot(a, a));
}

/** a / |a|; NaN if a is zero. */
static inline pov_vec3 pov_vec3_unit(pov_vec3 a)
{
    const double norm = pov_vec3_norm(a);
    const pov_vec3 unit = {a.x / norm, a.y / norm, a.z / norm};
    return unit;
}

static inline pov_rot pov_rot_identity(void)
{
    const pov_rot identity = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    return identity;
}

/** R_a_b's row i: a's axis i in b. */
static inline pov_vec3 pov_rot_row(const pov_rot *R, int i)
{
    const pov_vec3 row = {R->m[i][0], R->m[i][1], R->m[i][2]};
    return row;
}

/** R_a_b's column k: b's axis k in a. */
static inline pov_vec3 pov_rot_column(const pov_rot *R, int k)
{
    const pov_vec3 column = {R->m[0][k], R->m[1][k], R->m[2][k]};
    return column;
}

/** exp of a rotation vector (axis * angle); Rodrigues, with the series near zero. */
pov_rot pov_rot_exp(pov_vec3 rotation_rad);
/** Rotation vector with norm in [0, pi]; exact near 0 and near pi. */
pov_vec3 pov_rot_log(pov_rot R);

static inline pov_rot pov_rot_mul(pov_rot R_a_b, pov_rot R_b_c)
{
    pov_rot R_a_c;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            R_a_c.m[i][j] =
                R_a_b.m[i][0] * R_b_c.m[0][j] + R_a_b.m[i][1] * R_b_c.m[1][j] + R_a_b.m[i][2] * R_b_c.m[2][j];
    return R_a_c;
}

static inline pov_rot pov_rot_transpose(pov_rot R)
{
    pov_rot transpose;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            transpose.m[i][j] = R.m[j][i];
    return transpose;
}

static inline pov_vec3 pov_rot_apply(pov_rot R_a_b, pov_vec3 dir_b)
{
    const pov_vec3 dir_a = {pov_vec3_dot(pov_rot_row(&R_a_b, 0), dir_b),
                            pov_vec3_dot(pov_rot_row(&R_a_b, 1), dir_b),
                            pov_vec3_dot(pov_rot_row(&R_a_b, 2), dir_b)};
    return dir_a;
}

/** Rotation about z by yaw, counter-clockwise from above. */
pov_rot pov_rot_yaw(double yaw_rad);
/** Orthogonal with determinant +1, each within `tolerance`. */
bool pov_rot_is_valid(pov_rot R, double tolerance);
/** The rotation nearest to a matrix that is almost one (typed with few digits); NaN if its determinant is not
 *  positive. */
pov_rot pov_rot_nearest(pov_rot almost);

static inline pov_transform pov_transform_identity(void)
{
    const pov_transform identity = {pov_rot_identity(), {0, 0, 0}};
    return identity;
}

static inline pov_vec3 pov_transform_apply(pov_transform T_a_b, pov_vec3 pos_b_m)
{
    return pov_vec3_add(pov_rot_apply(T_a_b.R, pos_b_m), T_a_b.t_m);
}

static inline pov_transform pov_transform_mul(pov_transform T_a_b, pov_transform T_b_c)
{
    const pov_transform T_a_c = {pov_rot_mul(T_a_b.R, T_b_c.R), pov_transform_apply(T_a_b, T_b_c.t_m)};
    return T_a_c;
}

static inline pov_transform pov_transform_inverse(pov_transform T_a_b)
{
    const pov_rot R_b_a = pov_rot_transpose(T_a_b.R);
    const pov_transform T_b_a = {R_b_a, pov_vec3_scale(pov_rot_apply(R_b_a, T_a_b.t_m), -1)};
    return T_b_a;
}

/** T_table_camera of a camera at `eye_m` whose optical axis points to `target_m`, roll 0 about `up`.
 *  NaN if they coincide or the axis is parallel to `up`. */
pov_transform pov_transform_look_at(pov_vec3 eye_m, pov_vec3 target_m, pov_vec3 up);

/** A pose known exactly. */
pov_pose pov_pose_exact(pov_transform T_a_b);
/** T_a_c and its first-order covariance from independent T_a_b and T_b_c. */
pov_pose pov_pose_mul(const pov_pose *T_a_b, const pov_pose *T_b_c);
/** T_b_a and its first-order covariance. */
pov_pose pov_pose_inverse(const pov_pose *T_a_b);
/** The point p_a = T_a_b p_b and its 3x3 covariance cov_a_m2 from the pose's and the point's own cov_b_m2
 *  (NULL: exact). First order. */
pov_vec3 pov_pose_apply(const pov_pose *T_a_b, double cov_a_m2[3][3], pov_vec3 pos_b_m,
                        const double cov_b_m2[3][3]);
/** The pose (rot, pos) difference `a` minus `b` in the error state of pov_pose: log(R_a R_b^T), t_a - t_b. */
void pov_transform_minus(double difference[6], pov_transform a, pov_transform b);
/** T moved by an error state: exp(rot) R, t + pos. */
pov_transform pov_transform_plus(pov_transform T, const double difference[6]);

/** Angle wrapped to (-pi, pi]. */
double pov_angle_wrap(double angle_rad);

/** For qsort: ascending. */
static inline int pov_compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/** A row of derivatives by a pose's error state: by its rotation, then by its position. */
void pov_pose_row(double row[6], pov_vec3 by_rotation, pov_vec3 by_position);
