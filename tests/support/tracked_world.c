#include "tests/support/tracked_world.h"

#include "perception/geometry/linalg.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const pov_vec2 tracked_disc_centre_m = {0.1, 0.05};
const double tracked_disc_radius_m = 0.2;
static const double ball_radius_m = 0.03, table_half_m[2] = {0.5, 0.35};
static const double angle_std_rad = 0.001;

static double exponential(test_random *random, double mean)
{
    return -mean * log(test_random_between(random, 0x1p-60, 1));
}

static bool is_free(const tracked_world *world, pov_vec2 at_m, int but)
{
    double from_centre_m = hypot(at_m.x - tracked_disc_centre_m.x, at_m.y - tracked_disc_centre_m.y);
    if (fabs(from_centre_m - tracked_disc_radius_m) < 2.2 * ball_radius_m)
        return false; /* what is carried passes there */
    for (int i = 0; i < world->config.balls; i++) {
        const tracked_ball *other = &world->balls[i];
        if (i != but && (hypot(at_m.x - other->at_m.x, at_m.y - other->at_m.y) < 2.2 * ball_radius_m ||
                         hypot(at_m.x - other->to_m.x, at_m.y - other->to_m.y) < 2.2 * ball_radius_m))
            return false;
    }
    return true;
}

/* Every second one on the disc. */
static pov_vec3 free_place(tracked_world *world, int but)
{
    bool on_disc = test_random_u64(&world->random) % 2 == 0;
    pov_vec2 middle_m = on_disc ? tracked_disc_centre_m : (pov_vec2){0, 0}, at_m;
    double half_x_m = on_disc ? tracked_disc_radius_m : table_half_m[0],
           half_y_m = on_disc ? tracked_disc_radius_m : table_half_m[1];
    do {
        at_m.x = middle_m.x + test_random_between(&world->random, -half_x_m, half_x_m);
        at_m.y = middle_m.y + test_random_between(&world->random, -half_y_m, half_y_m);
    } while (!is_free(world, at_m, but));
    return (pov_vec3){at_m.x, at_m.y, ball_radius_m};
}

static bool is_on_disc(pov_vec3 at_m)
{
    return hypot(at_m.x - tracked_disc_centre_m.x, at_m.y - tracked_disc_centre_m.y) < tracked_disc_radius_m;
}

static void draw_lasting(tracked_world *world, double lasting[3])
{
    for (int i = 0; i < 3; i++)
        lasting[i] = test_random_normal(&world->random);
}

static void put_down(tracked_ball *ball, pov_vec3 at_m)
{
    ball->at_m = ball->to_m = at_m;
    ball->velocity_m_s = (pov_vec3){0, 0, 0};
    ball->motion = is_on_disc(at_m) ? POV_CARRIED : POV_AT_REST;
    memcpy(ball->lasting_from, ball->lasting_to, sizeof ball->lasting_from);
    ball->since_change_s = 0;
}

void tracked_world_start(tracked_world *world, const tracked_world_config *config)
{
    *world = (tracked_world){.config = *config, .random = {config->seed}};
    world->T_table_camera = pov_pose_exact(
        pov_transform_look_at((pov_vec3){0, -1, 0.7}, (pov_vec3){0, 0, 0}, (pov_vec3){0, 0, 1}));
    for (int i = 0; i < 6; i++) {
        double std = i < 3 ? 0.003 : 0.004;
        world->T_table_camera.cov[i][i] = std * std;
        world->camera_error[i] = std * test_random_normal(&world->random);
    }
    for (int i = 0; i < config->balls; i++)
        world->balls[i].at_m = world->balls[i].to_m = (pov_vec3){9 + i, 9, 0};
    for (int i = 0; i < config->balls; i++) {
        draw_lasting(world, world->balls[i].lasting_to);
        put_down(&world->balls[i], free_place(world, i));
        world->balls[i].since_change_s = 10;
    }
}

/* -------- motion -------- */

static void pick_up(tracked_world *world)
{
    int i = (int)(test_random_u64(&world->random) % (uint64_t)world->config.balls);
    tracked_ball *ball = &world->balls[i];
    if (ball->motion == POV_MOVING_FREELY || ball->hidden)
        return;
    ball->motion = POV_MOVING_FREELY;
    ball->since_change_s = 0;
    ball->from_m = ball->at_m;
    ball->to_m = free_place(world, i);
    ball->begun_s = world->time_s;
    ball->ends_s = world->time_s + test_random_between(&world->random, 0.8, 2);
    draw_lasting(world, ball->lasting_to);
}

/* Minimum jerk (Flash & Hogan 1985), lifted in between. */
static void move_by_hand(const tracked_world *world, tracked_ball *ball)
{
    double length_s = ball->ends_s - ball->begun_s, t = (world->time_s - ball->begun_s) / length_s;
    if (t >= 1) {
        put_down(ball, ball->to_m);
        return;
    }
    double along = t * t * t * (10 - 15 * t + 6 * t * t), speed = 30 * t * t * (1 - t) * (1 - t) / length_s;
    pov_vec3 way_m = pov_vec3_sub(ball->to_m, ball->from_m);
    const double lift_m = 0.08;
    ball->at_m = pov_vec3_add(ball->from_m, pov_vec3_scale(way_m, along));
    ball->velocity_m_s = pov_vec3_scale(way_m, speed);
    ball->at_m.z += lift_m * pow(sin(POV_PI * along), 2);
    ball->velocity_m_s.z += lift_m * POV_PI * sin(2 * POV_PI * along) * speed;
}

static void carry(const tracked_world *world, tracked_ball *ball, double turn_rad)
{
    double x = ball->at_m.x - tracked_disc_centre_m.x, y = ball->at_m.y - tracked_disc_centre_m.y;
    ball->at_m.x = tracked_disc_centre_m.x + cos(turn_rad) * x - sin(turn_rad) * y;
    ball->at_m.y = tracked_disc_centre_m.y + sin(turn_rad) * x + cos(turn_rad) * y;
    ball->to_m = ball->at_m;
    ball->velocity_m_s = (pov_vec3){-world->rate_rad_s * (ball->at_m.y - tracked_disc_centre_m.y),
                                    world->rate_rad_s * (ball->at_m.x - tracked_disc_centre_m.x), 0};
}

static bool is_awaited_on_disc(const tracked_world *world)
{
    for (int i = 0; i < world->config.balls; i++)
        if (world->balls[i].motion == POV_MOVING_FREELY && is_on_disc(world->balls[i].to_m))
            return true;
    return false;
}

/* The disc waits for what is put onto it: bodies do not go through one another. */
static void turn_disc(tracked_world *world)
{
    bool turns = world->rate_rad_s != 0, waits = is_awaited_on_disc(world);
    if (waits ? !turns : world->time_s < world->disc_until_s)
        return;
    world->disc_until_s = world->time_s + test_random_between(&world->random, 3, 10);
    world->rate_rad_s = turns ? 0 : test_random_between(&world->random, -1, 1);
    for (int i = 0; i < world->config.balls; i++)
        if (world->balls[i].motion == POV_CARRIED)
            world->balls[i].since_change_s = 0;
}

static void hide(tracked_world *world, tracked_ball *ball, double elapsed_s)
{
    ball->hidden = world->time_s < ball->hidden_until_s;
    if (ball->hidden || exponential(&world->random, world->config.hide_every_s) > elapsed_s)
        return;
    double longest_s = ball->motion == POV_MOVING_FREELY ? 0.3 : world->config.hidden_s_max;
    ball->hidden_until_s = world->time_s + test_random_between(&world->random, 0.05, longest_s);
}

void tracked_world_step(tracked_world *world)
{
    double elapsed_s = 1 / world->config.rate_hz;
    world->image++;
    world->time_s = world->image * elapsed_s;
    turn_disc(world);
    world->angle_rad += world->rate_rad_s * elapsed_s;
    if (exponential(&world->random, world->config.move_every_s) < elapsed_s)
        pick_up(world);
    for (int i = 0; i < world->config.balls; i++) {
        tracked_ball *ball = &world->balls[i];
        ball->since_change_s += elapsed_s;
        if (ball->motion == POV_MOVING_FREELY)
            move_by_hand(world, ball);
        else if (ball->motion == POV_CARRIED)
            carry(world, ball, world->rate_rad_s * elapsed_s);
        hide(world, ball, elapsed_s);
    }
}

/* -------- images -------- */

/* Longer along the sight than across it. */
static void error_cov(const tracked_world *world, double cov[3][3], pov_vec3 at_m)
{
    pov_vec3 sight = pov_vec3_unit(pov_vec3_sub(at_m, world->T_table_camera.T.t_m));
    const double s[3] = {sight.x, sight.y, sight.z};
    double across = pow(world->config.error_m, 2) / 4, along = pow(world->config.error_m, 2) - across;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            cov[i][j] = across * (i == j) + along * s[i] * s[j];
}

static pov_position find(tracked_world *world, const tracked_ball *ball)
{
    pov_position position = {.mean_m = ball->at_m};
    pov_vec3 p = pov_vec3_sub(ball->at_m, world->T_table_camera.T.t_m);
    const double J[3][6] = {{0, p.z, -p.y, 1, 0, 0}, {-p.z, 0, p.x, 0, 1, 0}, {p.y, -p.x, 0, 0, 0, 1}};
    double L[9], unit[3], error[3] = {0}, part = 1, lasting = world->config.lasting;
    if (ball->motion == POV_MOVING_FREELY)
        part = 1 - (world->time_s - ball->begun_s) / (ball->ends_s - ball->begun_s);
    for (int i = 0; i < 3; i++)
        unit[i] =
            sqrt(lasting) * (sqrt(part) * ball->lasting_from[i] + sqrt(1 - part) * ball->lasting_to[i]) +
            sqrt(1 - lasting) * test_random_normal(&world->random);
    error_cov(world, position.own_cov_m2, ball->at_m);
    POV_REQUIRE(pov_cholesky(L, &position.own_cov_m2[0][0], 3));
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k <= i; k++)
            error[i] += L[3 * i + k] * unit[k];
        for (int k = 0; k < 6; k++)
            error[i] -= J[i][k] * world->camera_error[k]; /* what is true is claimed + error */
    }
    memcpy(position.per_camera_pose, J, sizeof J);
    position.mean_m = pov_vec3_add(position.mean_m, (pov_vec3){error[0], error[1], error[2]});
    return position;
}

void tracked_world_look(tracked_world *world, pov_scene *scene, int ball_of[POV_ENTITY_MAX],
                        pov_scene_moment *moment, pov_table_angle *table)
{
    int order[TRACKED_BALL_MAX], len = 0;
    pov_scene_clear(scene);
    POV_REQUIRE(pov_scene_add_camera(scene, &world->T_table_camera).code == POV_OK);
    for (int i = 0; i < world->config.balls; i++) {
        if (world->balls[i].hidden)
            continue;
        int at = len++;
        for (; at > 0 && world->balls[order[at - 1]].at_m.x > world->balls[i].at_m.x; at--)
            order[at] = order[at - 1];
        order[at] = i;
    }
    for (int i = 0; i < POV_ENTITY_MAX; i++)
        ball_of[i] = -1;
    for (int k = 0; k < len; k++) {
        char name[POV_NAME_CAPACITY];
        snprintf(name, sizeof name, "ball_%d", k + 1);
        pov_entity entity = pov_entity_named(name, "ball");
        entity.seen = entity.placed = true;
        entity.position = find(world, &world->balls[order[k]]);
        pov_id id;
        POV_REQUIRE(pov_scene_add(scene, &id, &entity).code == POV_OK);
        ball_of[id] = order[k];
    }
    *table =
        (pov_table_angle){.centre_m = tracked_disc_centre_m,
                          .radius_m = tracked_disc_radius_m,
                          .centre_std_m = 1e-4,
                          .angle_rad = world->angle_rad + angle_std_rad * test_random_normal(&world->random),
                          .angle_std_rad = angle_std_rad};
    *moment = (pov_scene_moment){.now_ns = 1000000000 + llround(world->time_s * 1e9),
                                 .camera_still = true,
                                 .table = world->config.table_measured ? table : NULL};
}

pov_cast tracked_world_cast(const tracked_world *world)
{
    pov_cast cast = {.len = 1};
    cast.members[0].entity = pov_entity_named("ball", "ball");
    cast.members[0].found_by = &pov_found_by_ball;
    cast.members[0].count = world->config.balls;
    return cast;
}
