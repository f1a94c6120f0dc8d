#include "perception/cast/entity_carry.h"

#include <math.h>

static const double hand_speed_m_s = 0.4, hand_change_s = 0.5, rest_s = 30; /* as POV_MOTION_OF_THINGS */

/* Bound of Cov(a + b) for errors of unknown correlation: (1 + s) A + (1 + 1/s) B. */
static void add_correlated(double A[3][3], double B[3][3])
{
    const double a = A[0][0] + A[1][1] + A[2][2], b = B[0][0] + B[1][1] + B[2][2];
    const double s = a > 0 && b > 0 ? sqrt(b / a) : 0;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            A[i][j] = s > 0 ? (1 + s) * A[i][j] + (1 + 1 / s) * B[i][j] : A[i][j] + B[i][j];
}

/* Carries a place on by `elapsed_s`, which may be negative: along its velocity, on the arc that a turntable takes it. */
static void carry_place(pov_entity *entity, double elapsed_s)
{
    if (!entity->placed || elapsed_s == 0 || !entity->track.tracked)
        return;
    const double dt = elapsed_s, age = fabs(dt);
    double drift[3][3] = {{0}};
    if (entity->has_velocity) {
        const bool is_carried = entity->track.motion == POV_CARRIED && entity->has_turn_rate;
        const double w = is_carried ? entity->turn_rate_rad_s : 0, angle = w * dt;
        const double along = fabs(angle) > 1e-6 ? sin(angle) / w : dt,
                     across = fabs(angle) > 1e-6 ? (1 - cos(angle)) / w : 0;
        const pov_vec3 v = entity->velocity_m_s;
        entity->position.mean_m.x += along * v.x - across * v.y;
        entity->position.mean_m.y += along * v.y + across * v.x;
        entity->position.mean_m.z += dt * v.z;
        const double bend = entity->track.motion == POV_CARRIED && !is_carried
                                ? 0.25 * dt * dt * pov_vec3_dot(v, v) * dt * dt
                                : 0; /* an arc of unknown curvature, up to 1 rad/s */
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                drift[i][j] = dt * dt * entity->velocity_cov_m2_s2[i][j] + (i == j ? bend : 0);
        add_correlated(entity->position.own_cov_m2, drift);
    }
    /* A hand changes the velocity (Ornstein and Uhlenbeck), or takes up what was at rest. */
    const double changing = entity->track.motion == POV_MOVING_FREELY ? 1 : -expm1(-age / rest_s),
                 spread = 2 * hand_speed_m_s * hand_speed_m_s / hand_change_s *
                              pow(fmin(age, hand_change_s), 3) / 3 +
                          pow(hand_speed_m_s * fmax(0, age - hand_change_s), 2);
    for (int i = 0; i < 3; i++)
        entity->position.own_cov_m2[i][i] += changing * spread;
}

static void carry_heading(pov_entity *entity, double elapsed_s)
{
    if (!entity->has_turn_rate || entity->heading.len == 0 || elapsed_s == 0)
        return;
    const double turn = entity->turn_rate_rad_s * elapsed_s,
                 var = pow(entity->turn_rate_std_rad_s * elapsed_s, 2);
    for (int i = 0; i < entity->heading.len; i++) {
        pov_heading_mode *mode = &entity->heading.mode[i];
        mode->yaw_rad = pov_angle_wrap(mode->yaw_rad + turn);
        mode->kappa = mode->kappa > 0 ? 1 / (1 / mode->kappa + var) : 0;
    }
    entity->R_table_box = pov_rot_mul(pov_rot_yaw(turn), entity->R_table_box);
}

void pov_entity_carry(pov_entity *entity, double elapsed_s)
{
    carry_place(entity, elapsed_s);
    carry_heading(entity, elapsed_s);
    entity->track.hidden_s = fmax(0, entity->track.hidden_s + elapsed_s);
    entity->track.age_s = fmax(0, entity->track.age_s + elapsed_s);
}
