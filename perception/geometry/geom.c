#include "perception/geometry/geom.h"

#include "perception/geometry/quaternion.h"

#include "perception/geometry/linalg.h"

#include <math.h>
#include <string.h>

/* Below this angle or sine the series' next term is under the rounding of a double. */
static const double TINY = 1e-8;

pov_vec3 pov_vec3_rounded(pov_vec3 a, double step)
{
    return (pov_vec3){rint(a.x / step) * step + 0.0, rint(a.y / step) * step + 0.0,
                      rint(a.z / step) * step + 0.0};
}

/** [a]x, so that [a]x b = a x b. */
static pov_rot skew(pov_vec3 a)
{
    return (pov_rot){{{0, -a.z, a.y}, {a.z, 0, -a.x}, {-a.y, a.x, 0}}};
}

pov_rot pov_rot_exp(pov_vec3 rotation_rad)
{
    const double angle = pov_vec3_norm(rotation_rad);
    const double sinc = angle < TINY ? 1 : sin(angle) / angle;
    const double half_sinc = angle < TINY ? 1 : sin(angle / 2) / (angle / 2);
    const double versine = half_sinc * half_sinc / 2; /* (1 - cos) / angle^2 without cancellation */
    const double v[3] = {rotation_rad.x, rotation_rad.y, rotation_rad.z};
    const double cosine = cos(angle);
    pov_rot R = skew(pov_vec3_scale(rotation_rad, sinc));
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            R.m[i][j] += versine * v[i] * v[j] + (i == j ? cosine : 0);
    return R;
}

pov_rot pov_rot_of_quaternion(const double q[4])
{
    const double x = q[0], y = q[1], z = q[2], w = q[3], s = 2 / (x * x + y * y + z * z + w * w);
    return (pov_rot){{{1 - s * (y * y + z * z), s * (x * y - z * w), s * (x * z + y * w)},
                      {s * (x * y + z * w), 1 - s * (x * x + z * z), s * (y * z - x * w)},
                      {s * (x * z - y * w), s * (y * z + x * w), 1 - s * (x * x + y * y)}}};
}

/* From its largest component, so that nothing cancels: Shepperd 1978. */
void pov_rot_quaternion(double q[4], pov_rot R)
{
    const double trace = R.m[0][0] + R.m[1][1] + R.m[2][2];
    int largest = 3;
    double largest_value = trace;
    for (int i = 0; i < 3; i++)
        if (R.m[i][i] > largest_value) {
            largest = i;
            largest_value = R.m[i][i];
        }
    if (largest == 3) {
        const double twice = sqrt(1 + trace);
        q[0] = (R.m[2][1] - R.m[1][2]) / (2 * twice);
        q[1] = (R.m[0][2] - R.m[2][0]) / (2 * twice);
        q[2] = (R.m[1][0] - R.m[0][1]) / (2 * twice);
        q[3] = twice / 2;
        return;
    }
    const double twice = sqrt(1 + 2 * largest_value - trace);
    const int i = largest, j = (i + 1) % 3, k = (i + 2) % 3;
    q[i] = twice / 2;
    q[j] = (R.m[j][i] + R.m[i][j]) / (2 * twice);
    q[k] = (R.m[k][i] + R.m[i][k]) / (2 * twice);
    q[3] = (R.m[k][j] - R.m[j][k]) / (2 * twice);
}

pov_vec3 pov_rot_log(pov_rot R)
{
    double q[4];
    pov_rot_quaternion(q, R);
    const double sign = q[3] < 0 ? -1 : 1;
    const pov_vec3 v = pov_vec3_scale((pov_vec3){q[0], q[1], q[2]}, sign);
    const double sine = pov_vec3_norm(v); /* of half the angle */
    const double factor = sine < TINY ? 2 : 2 * atan2(sine, sign * q[3]) / sine;
    return pov_vec3_scale(v, factor);
}

pov_rot pov_rot_yaw(double yaw_rad)
{
    const double c = cos(yaw_rad), s = sin(yaw_rad);
    return (pov_rot){{{c, -s, 0}, {s, c, 0}, {0, 0, 1}}};
}

/** Cofactors: det R times the inverse's transpose. */
static pov_rot cofactors(pov_rot R)
{
    pov_rot cofactor;
    for (int i = 0; i < 3; i++) {
        const pov_vec3 c = pov_vec3_cross(pov_rot_row(&R, (i + 1) % 3), pov_rot_row(&R, (i + 2) % 3));
        memcpy(cofactor.m[i], (double[]){c.x, c.y, c.z}, sizeof cofactor.m[i]);
    }
    return cofactor;
}

static double determinant(pov_rot R)
{
    return pov_vec3_dot(pov_rot_row(&R, 0), pov_vec3_cross(pov_rot_row(&R, 1), pov_rot_row(&R, 2)));
}

bool pov_rot_is_valid(pov_rot R, double tolerance)
{
    const pov_rot product = pov_rot_mul(R, pov_rot_transpose(R));
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            if (!(fabs(product.m[i][j] - (i == j)) <= tolerance))
                return false;
    return fabs(determinant(R) - 1) <= tolerance;
}

/** Newton's iteration for the polar factor, X <- (X + X^-T) / 2: Higham 1986, eq. 3.4. It converges to the
 * nearest orthogonal matrix, which is a rotation if the determinant is positive; NaN otherwise. */
pov_rot pov_rot_nearest(pov_rot almost)
{
    enum { ROUNDS = 20 };
    pov_rot X = almost;
    for (int round = 0; round < ROUNDS; round++) {
        const double det = determinant(X);
        const double half_inverse_det = det > 0 ? 0.5 / det : NAN;
        const pov_rot cofactor = cofactors(X);
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                X.m[i][j] = X.m[i][j] / 2 + cofactor.m[i][j] * half_inverse_det;
    }
    return X;
}

pov_transform pov_transform_look_at(pov_vec3 eye_m, pov_vec3 target_m, pov_vec3 up)
{
    const pov_vec3 forward = pov_vec3_unit(pov_vec3_sub(target_m, eye_m));
    const pov_vec3 across = pov_vec3_cross(forward, pov_vec3_unit(up));
    const double sine = pov_vec3_norm(across);
    const pov_vec3 right = pov_vec3_scale(across, sine > TINY ? 1 / sine : NAN);
    const pov_vec3 down = pov_vec3_cross(forward, right);
    const pov_rot R_table_camera = {
        {{right.x, down.x, forward.x}, {right.y, down.y, forward.y}, {right.z, down.z, forward.z}}};
    return (pov_transform){R_table_camera, eye_m};
}

pov_pose pov_pose_exact(pov_transform T_a_b)
{
    return (pov_pose){.T = T_a_b};
}

static void set_block(double J[6][6], int first_row, int first_column, pov_rot block, double factor)
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            J[first_row + i][first_column + j] = factor * block.m[i][j];
}

/* The first-order rules below follow from exp(r) R p ~ R p + r x R p = R p - [R p]x r; Barfoot & Furgale
 * 2014, with position and rotation perturbed apart. */

pov_pose pov_pose_mul(const pov_pose *T_a_b, const pov_pose *T_b_c)
{
    const pov_vec3 arm_a = pov_rot_apply(T_a_b->T.R, T_b_c->T.t_m);
    double J_ab[6][6] = {0}, J_bc[6][6] = {0}, from_ab[6][6], from_bc[6][6];
    set_block(J_ab, 0, 0, pov_rot_identity(), 1);
    set_block(J_ab, 3, 3, pov_rot_identity(), 1);
    set_block(J_ab, 3, 0, skew(arm_a), -1);
    set_block(J_bc, 0, 0, T_a_b->T.R, 1);
    set_block(J_bc, 3, 3, T_a_b->T.R, 1);
    pov_sandwich(from_ab[0], J_ab[0], T_a_b->cov[0], 6, 6);
    pov_sandwich(from_bc[0], J_bc[0], T_b_c->cov[0], 6, 6);
    pov_pose T_a_c = {.T = pov_transform_mul(T_a_b->T, T_b_c->T)};
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++)
            T_a_c.cov[i][j] = from_ab[i][j] + from_bc[i][j];
    return T_a_c;
}

pov_pose pov_pose_inverse(const pov_pose *T_a_b)
{
    pov_pose T_b_a = {.T = pov_transform_inverse(T_a_b->T)};
    double J[6][6] = {0};
    set_block(J, 0, 0, T_b_a.T.R, -1);
    set_block(J, 3, 3, T_b_a.T.R, -1);
    set_block(J, 3, 0, pov_rot_mul(T_b_a.T.R, skew(T_a_b->T.t_m)), -1);
    pov_sandwich(T_b_a.cov[0], J[0], T_a_b->cov[0], 6, 6);
    return T_b_a;
}

pov_vec3 pov_pose_apply(const pov_pose *T_a_b, double cov_a_m2[3][3], pov_vec3 pos_b_m,
                        const double cov_b_m2[3][3])
{
    const pov_rot lever = skew(pov_rot_apply(T_a_b->T.R, pos_b_m));
    double J[3][6], from_point[3][3] = {{0}};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            J[i][j] = -lever.m[i][j];
            J[i][3 + j] = i == j;
        }
    pov_sandwich(cov_a_m2[0], J[0], T_a_b->cov[0], 3, 6);
    if (cov_b_m2)
        pov_sandwich(from_point[0], T_a_b->T.R.m[0], cov_b_m2[0], 3, 3);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            cov_a_m2[i][j] += from_point[i][j];
    return pov_transform_apply(T_a_b->T, pos_b_m);
}

void pov_transform_minus(double difference[6], pov_transform a, pov_transform b)
{
    const pov_vec3 rot = pov_rot_log(pov_rot_mul(a.R, pov_rot_transpose(b.R)));
    const pov_vec3 pos = pov_vec3_sub(a.t_m, b.t_m);
    memcpy(difference, (double[]){rot.x, rot.y, rot.z, pos.x, pos.y, pos.z}, 6 * sizeof difference[0]);
}

pov_transform pov_transform_plus(pov_transform T, const double difference[6])
{
    const pov_vec3 rot = {difference[0], difference[1], difference[2]};
    const pov_vec3 pos = {difference[3], difference[4], difference[5]};
    return (pov_transform){pov_rot_mul(pov_rot_exp(rot), T.R), pov_vec3_add(T.t_m, pos)};
}

double pov_angle_wrap(double angle_rad)
{
    const double wrapped = remainder(angle_rad, 2 * POV_PI);
    return wrapped <= -POV_PI ? POV_PI : wrapped;
}

void pov_pose_row(double row[6], pov_vec3 by_rotation, pov_vec3 by_position)
{
    const double values[6] = {by_rotation.x, by_rotation.y, by_rotation.z,
                              by_position.x, by_position.y, by_position.z};
    memcpy(row, values, sizeof values);
}
