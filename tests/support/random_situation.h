/** Random situations for predicates, and the moves that should or should not change their truth. */
#pragma once

#include "perception/relations/predicates/predicate.h"
#include "tests/support/random.h"

#include <stddef.h>

static inline pov_vec3 test_random_vector(test_random *random, double span)
{
    double x = test_random_between(random, -span, span), y = test_random_between(random, -span, span);
    return (pov_vec3){x, y, test_random_between(random, -span, span)};
}

/** A box of any size between 2 cm and 2 m a side, upright in one of two, with a front or a velocity in one of two; in one of
 *  two it is of a known class. */
static inline pov_body test_random_body(test_random *random, double span_m)
{
    double half_m = exp(test_random_between(random, log(0.02), log(1)));
    pov_vec3 stretch = test_random_vector(random, 0.7), turn = test_random_vector(random, 3);
    pov_body body = {
        .box = {.centre_m = test_random_vector(random, span_m),
                .half_m = {half_m * exp(stretch.x), half_m * exp(stretch.y), half_m * exp(stretch.z)},
                .R_table_box = test_random_u64(random) % 2 ? pov_rot_yaw(turn.x) : pov_rot_exp(turn)},
        .has_front = test_random_u64(random) % 2,
        .front_yaw_rad = turn.y,
        .has_velocity = test_random_u64(random) % 2,
    };
    if (body.has_velocity)
        body.velocity_m_s = test_random_vector(random, 1);
    body.affords = test_random_u64(random) % 2 ? (unsigned)(test_random_u64(random) % 512) : 0;
    return body;
}

/** With axes (right-handed or as the rotated convention lays them), a viewer and four relata. */
static inline pov_situation test_random_situation(test_random *random, double span_m)
{
    double yaw_rad = test_random_between(random, -POV_PI, POV_PI),
           hand = test_random_u64(random) % 2 ? 1 : -1;
    pov_situation situation = {.referent = test_random_body(random, span_m),
                               .relatum_len = 4,
                               .has_axes = true,
                               .front = {cos(yaw_rad), sin(yaw_rad)},
                               .left = {-hand * sin(yaw_rad), hand * cos(yaw_rad)},
                               .has_viewer = true,
                               .viewer_m = test_random_vector(random, 3)};
    for (int i = 0; i < situation.relatum_len; i++)
        situation.relatum[i] = test_random_body(random, span_m);
    return situation;
}

/** Referent and first relatum change places; axes and viewer stay. */
static inline pov_situation test_swapped(pov_situation situation)
{
    pov_body referent = situation.referent;
    situation.referent = situation.relatum[0];
    situation.relatum[0] = referent;
    return situation;
}

static inline void test_scale_body(pov_body *body, double factor)
{
    body->box.centre_m = pov_vec3_scale(body->box.centre_m, factor);
    body->box.half_m = pov_vec3_scale(body->box.half_m, factor);
    body->velocity_m_s = pov_vec3_scale(body->velocity_m_s, factor);
}

static inline pov_situation test_scaled(pov_situation situation, double factor)
{
    test_scale_body(&situation.referent, factor);
    for (int i = 0; i < situation.relatum_len; i++)
        test_scale_body(&situation.relatum[i], factor);
    situation.viewer_m = pov_vec3_scale(situation.viewer_m, factor);
    return situation;
}

static inline void test_move_body(pov_body *body, double yaw_rad, pov_vec3 by_m)
{
    pov_rot R = pov_rot_yaw(yaw_rad);
    body->box.centre_m = pov_vec3_add(pov_rot_apply(R, body->box.centre_m), by_m);
    body->box.R_table_box = pov_rot_mul(R, body->box.R_table_box);
    body->front_yaw_rad += yaw_rad;
    body->velocity_m_s = pov_rot_apply(R, body->velocity_m_s);
}

/** The whole world, axes too, turned about the vertical and shifted. */
static inline pov_situation test_moved(pov_situation situation, double yaw_rad, pov_vec3 by_m)
{
    pov_rot R = pov_rot_yaw(yaw_rad);
    test_move_body(&situation.referent, yaw_rad, by_m);
    for (int i = 0; i < situation.relatum_len; i++)
        test_move_body(&situation.relatum[i], yaw_rad, by_m);
    situation.viewer_m = pov_vec3_add(pov_rot_apply(R, situation.viewer_m), by_m);
    pov_vec3 front = pov_rot_apply(R, (pov_vec3){situation.front.x, situation.front.y, 0});
    pov_vec3 left = pov_rot_apply(R, (pov_vec3){situation.left.x, situation.left.y, 0});
    situation.front = (pov_vec2){front.x, front.y};
    situation.left = (pov_vec2){left.x, left.y};
    return situation;
}
