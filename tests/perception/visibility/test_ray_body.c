#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "perception/visibility/ray_body.h"
#include "tests/support/near.h"
#include "tests/support/random.h"

#include <math.h>

enum { RAYS = 16 };

static test_random randoms;

static double between(double low, double high)
{
    return test_random_between(&randoms, low, high);
}

static pov_vec3 random_vec3(double reach)
{
    return (pov_vec3){between(-reach, reach), between(-reach, reach), between(-reach, reach)};
}

static pov_entity random_body(pov_shape shape)
{
    pov_entity entity = pov_entity_named("body", "thing");
    entity.shape = shape;
    entity.placed = true;
    entity.position.mean_m = random_vec3(2);
    entity.R_table_box = pov_rot_exp(random_vec3(3));
    entity.size_m = (pov_vec3){between(0.1, 1), between(0.1, 1), between(0.1, 1)};
    if (shape == POV_SHAPE_CAPSULE)
        entity.size_m.z += entity.size_m.x;
    return entity;
}

static void random_directions(float directions[3][RAYS], pov_vec3 toward)
{
    for (int i = 0; i < RAYS; i++) {
        const pov_vec3 d = pov_vec3_unit(pov_vec3_add(toward, random_vec3(0.8)));
        directions[0][i] = (float)d.x;
        directions[1][i] = (float)d.y;
        directions[2][i] = (float)d.z;
    }
}

/* ---- an oracle: how far a point is from the surface, negative inside ---- */

static double box_distance(pov_vec3 p, pov_vec3 size)
{
    const double x = fabs(p.x) - size.x / 2, y = fabs(p.y) - size.y / 2, z = fabs(p.z) - size.z / 2;
    const pov_vec3 outside = {fmax(x, 0), fmax(y, 0), fmax(z, 0)};
    return pov_vec3_norm(outside) + fmin(0, fmax(x, fmax(y, z)));
}

static double surface_distance(const pov_entity *entity, pov_vec3 point_m)
{
    pov_vec3 p =
        pov_rot_apply(pov_rot_transpose(entity->R_table_box), pov_vec3_sub(point_m, entity->position.mean_m));
    const double radius = entity->size_m.x / 2, half = entity->size_m.z / 2 - radius;
    if (entity->shape == POV_SHAPE_BOX)
        return box_distance(p, entity->size_m);
    if (entity->shape == POV_SHAPE_CAPSULE)
        p.z -= fmin(half, fmax(-half, p.z));
    return pov_vec3_norm(p) - radius;
}

/* Steps as far as is safe (Hart 1996). *nearest: how near the ray passes the surface where it does not meet it. */
static double march(const pov_entity *entity, pov_vec3 eye_m, pov_vec3 direction, double *nearest)
{
    double t = 0;
    *nearest = INFINITY;
    for (int step = 0; step < 10000 && t < 20; step++) {
        const double d = fabs(surface_distance(entity, pov_vec3_add(eye_m, pov_vec3_scale(direction, t))));
        *nearest = fmin(*nearest, d);
        if (d < 1e-10)
            return t;
        t += d;
    }
    return INFINITY;
}

static void check_body(const pov_entity *entity, pov_vec3 eye_m, int *met)
{
    float directions[3][RAYS], distances[RAYS];
    const pov_ray_body body = pov_ray_body_of(entity, entity->position.mean_m);
    random_directions(directions, pov_vec3_sub(entity->position.mean_m, eye_m));
    pov_ray_body_meet(distances, &body, eye_m, directions[0], RAYS, 0);
    for (int i = 0; i < RAYS; i++) {
        const pov_vec3 d = {directions[0][i], directions[1][i], directions[2][i]};
        double nearest;
        const double t = march(entity, eye_m, d, &nearest);
        if (t == INFINITY && nearest > 2e-5)
            assert_true(distances[i] == INFINITY);
        else if (t < INFINITY && distances[i] < INFINITY) {
            /* on the surface; where it is first met, but for what is nearly passed by */
            const pov_vec3 at = pov_vec3_add(eye_m, pov_vec3_scale(d, distances[i]));
            assert_near(surface_distance(entity, at), 0, 1e-4);
            assert_true(distances[i] > t - 1e-2 && distances[i] < t + 1e-2);
            (*met)++;
        } else if (t < INFINITY) { /* a corner, at most */
            const pov_vec3 past = pov_vec3_add(eye_m, pov_vec3_scale(d, t + 1e-3));
            assert_true(surface_distance(entity, past) > -1e-4);
        }
    }
}

static void rays_meet_bodies_where_their_distance_is_zero(void **state)
{
    (void)state;
    randoms.state = 71;
    for (int shape = 0; shape < POV_SHAPE_MESH; shape++) {
        int met = 0;
        for (int i = 0; i < 400; i++) {
            const pov_entity entity = random_body((pov_shape)shape);
            const pov_vec3 off = random_vec3(i % 2 ? 3 : 0.1); /* outside; mostly inside */
            check_body(&entity, pov_vec3_add(entity.position.mean_m, off), &met);
        }
        assert_true(met > 2000);
    }
}

static void the_number_of_rays_changes_nothing(void **state)
{
    (void)state;
    randoms.state = 72;
    for (int i = 0; i < 300; i++) {
        const pov_entity entity = random_body((pov_shape)(i % POV_SHAPE_MESH));
        const pov_ray_body body = pov_ray_body_of(&entity, entity.position.mean_m);
        const pov_vec3 eye_m = random_vec3(3);
        float directions[3][RAYS], together[RAYS], alone;
        random_directions(directions, pov_vec3_sub(entity.position.mean_m, eye_m));
        pov_ray_body_meet(together, &body, eye_m, directions[0], RAYS, 0);
        for (int k = 0; k < RAYS; k++) {
            const float one[3] = {directions[0][k], directions[1][k], directions[2][k]};
            pov_ray_body_meet(&alone, &body, eye_m, one, 1, 0);
            assert_true(alone == together[k]);
        }
    }
}

static void rays_along_axes_and_faces_are_met_too(void **state)
{
    (void)state;
    pov_entity entity = random_body(POV_SHAPE_BOX);
    entity.position.mean_m = (pov_vec3){0, 0, 0};
    entity.R_table_box = pov_rot_exp((pov_vec3){0, 0, 0});
    entity.size_m = (pov_vec3){0.4, 0.4, 2};
    const double expected[] = {[POV_SHAPE_BOX] = 4, [POV_SHAPE_SPHERE] = 4.8, [POV_SHAPE_CAPSULE] = 4};
    for (int shape = 0; shape < POV_SHAPE_MESH; shape++) {
        entity.shape = (pov_shape)shape;
        const pov_ray_body body = pov_ray_body_of(&entity, entity.position.mean_m);
        const float up[3] = {0, 0, 1};
        float distance_m;
        pov_ray_body_meet(&distance_m, &body, (pov_vec3){0, 0, -5}, up, 1, 0);
        assert_near(distance_m, expected[shape], 2e-5);
        pov_ray_body_meet(&distance_m, &body, (pov_vec3){0.21, 0.1, -5}, up, 1, 0);
        assert_true(distance_m == INFINITY);
        pov_ray_body_meet(&distance_m, &body, (pov_vec3){0.1, 0.21, -5}, up, 1, 0);
        assert_true(distance_m == INFINITY);
        /* beyond the first surface: the second */
        pov_ray_body_meet(&distance_m, &body, (pov_vec3){0, 0, -5}, up, 1, 4.9F);
        assert_near(distance_m, 10 - expected[shape], 2e-5);
    }
}

static void the_box_about_a_body_just_holds_it(void **state)
{
    (void)state;
    randoms.state = 73;
    for (int i = 0; i < 60; i++) {
        const pov_entity entity = random_body((pov_shape)(i % POV_SHAPE_MESH));
        const pov_ray_body body = pov_ray_body_of(&entity, entity.position.mean_m);
        const pov_vec3 reach = pov_ray_body_reach(&body);
        const pov_vec3 axes[] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
        const double reaches[] = {reach.x, reach.y, reach.z};
        for (int k = 0; k < 3; k++) { /* a plane that far off touches the body */
            double least = INFINITY;
            const pov_vec3 u = axes[(k + 1) % 3], v = axes[(k + 2) % 3];
            for (int a = -40; a <= 40; a++)
                for (int b = -40; b <= 40; b++) {
                    pov_vec3 p = pov_vec3_add(entity.position.mean_m, pov_vec3_scale(axes[k], reaches[k]));
                    p = pov_vec3_add(p,
                                     pov_vec3_add(pov_vec3_scale(u, 0.03 * a), pov_vec3_scale(v, 0.03 * b)));
                    least = fmin(least, surface_distance(&entity, p));
                }
            assert_true(least > -1e-6 && least < 0.03);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rays_meet_bodies_where_their_distance_is_zero),
        cmocka_unit_test(the_number_of_rays_changes_nothing),
        cmocka_unit_test(rays_along_axes_and_faces_are_met_too),
        cmocka_unit_test(the_box_about_a_body_just_holds_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
