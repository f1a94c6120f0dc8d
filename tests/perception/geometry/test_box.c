/* Oracles: alternating projections for distances, points drawn at random for shares. */
#include "perception/geometry/box.h"
#include "tests/support/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/near.h"

static pov_vec3 random_vector(test_random *random, double span)
{
    double x = test_random_between(random, -span, span), y = test_random_between(random, -span, span);
    return (pov_vec3){x, y, test_random_between(random, -span, span)};
}

/* Every fourth is upright, every eighth has no thickness. */
static pov_box random_box(test_random *random, double span)
{
    pov_vec3 turn = random_vector(random, 3);
    pov_box box = {random_vector(random, span), random_vector(random, 0.4), pov_rot_exp(turn)};
    box.half_m = (pov_vec3){fabs(box.half_m.x) + 0.1, fabs(box.half_m.y) + 0.1, fabs(box.half_m.z) + 0.1};
    if (test_random_u64(random) % 4 == 0)
        box.R_table_box = pov_rot_yaw(turn.x);
    if (test_random_u64(random) % 8 == 0)
        box.half_m.z = 0;
    return box;
}

static double clamp(double value, double half)
{
    return fmax(-half, fmin(half, value));
}

static pov_vec3 nearest_in(const pov_box *box, pov_vec3 point)
{
    pov_vec3 p = pov_rot_apply(pov_rot_transpose(box->R_table_box), pov_vec3_sub(point, box->centre_m));
    p = (pov_vec3){clamp(p.x, box->half_m.x), clamp(p.y, box->half_m.y), clamp(p.z, box->half_m.z)};
    return pov_vec3_add(box->centre_m, pov_rot_apply(box->R_table_box, p));
}

/* Projecting by turns on two convex sets converges to their nearest points (Cheney & Goldstein 1959). */
static double projected_distance_m(const pov_box *a, const pov_box *b)
{
    pov_vec3 p = a->centre_m, q = p;
    for (int i = 0; i < 3000; i++) {
        const pov_vec3 before = p;
        q = nearest_in(b, p);
        p = nearest_in(a, q);
        if (memcmp(&p, &before, sizeof p) == 0)
            break;
    }
    return pov_vec3_norm(pov_vec3_sub(p, q));
}

static void the_gap_of_boxes_apart_is_their_distance(void **state)
{
    (void)state;
    test_random random = {1};
    int apart = 0;
    for (int i = 0; i < 1000; i++) {
        pov_box a = random_box(&random, 1), b = random_box(&random, 1);
        double gap_m = pov_box_gap_m(&a, &b), distance_m = projected_distance_m(&a, &b);
        assert_near(fmax(0, gap_m), distance_m, 2e-4);
        assert_near(pov_box_gap_m(&b, &a), gap_m, 1e-12);
        apart += gap_m > 0;
    }
    assert_in_range(apart, 300, 900);
}

static void edges_that_cross_are_as_far_as_their_planes(void **state)
{
    (void)state;
    /* Two long bars, each standing on an edge, crossed at right angles. */
    pov_box a = {{0, 0, 0}, {5, 0.5, 0.5}, pov_rot_exp((pov_vec3){POV_PI / 4, 0, 0})};
    pov_box b = {{0.3, 0.2, 2}, {0.5, 5, 0.5}, pov_rot_exp((pov_vec3){0, POV_PI / 4, 0})};
    assert_near(pov_box_gap_m(&a, &b), 2 - sqrt(2), 1e-12);
}

static void a_negative_gap_is_the_shortest_move_apart(void **state)
{
    (void)state;
    test_random random = {2};
    for (int i = 0, overlapping = 0; overlapping < 40; i++) {
        pov_box a = random_box(&random, 0.3), b = random_box(&random, 0.3);
        double depth_m = -pov_box_gap_m(&a, &b);
        if (!(depth_m > 0.01))
            continue;
        overlapping++;
        for (int k = 0; k < 200; k++) {
            pov_box moved = b;
            pov_vec3 direction = pov_vec3_unit(random_vector(&random, 1));
            moved.centre_m = pov_vec3_add(b.centre_m, pov_vec3_scale(direction, 0.97 * depth_m));
            assert_true(projected_distance_m(&a, &moved) < 1e-3);
        }
    }
}

static pov_vec3 random_point_in(test_random *random, const pov_box *box)
{
    pov_vec3 h = box->half_m;
    double x = test_random_between(random, -h.x, h.x), y = test_random_between(random, -h.y, h.y);
    pov_vec3 local = {x, y, test_random_between(random, -h.z, h.z)};
    return pov_vec3_add(box->centre_m, pov_rot_apply(box->R_table_box, local));
}

static bool is_in(const pov_box *box, pov_vec3 point)
{
    return pov_vec3_norm(pov_vec3_sub(nearest_in(box, point), point)) < 1e-12;
}

static void the_share_inside_is_that_of_points_drawn_at_random(void **state)
{
    (void)state;
    enum { POINTS = 20000 };
    test_random random = {3};
    int partly = 0;
    for (int i = 0; i < 120; i++) {
        pov_box a = random_box(&random, 0.3), b = random_box(&random, 0.3);
        int inside = 0;
        if (a.half_m.z == 0)
            continue;
        for (int k = 0; k < POINTS; k++)
            inside += is_in(&b, random_point_in(&random, &a));
        assert_near(pov_box_share_inside(&a, &b), (double)inside / POINTS, 0.015);
        partly += inside > 0 && inside < POINTS;
    }
    assert_true(partly > 50);
}

static void shares_of_upright_boxes_are_products(void **state)
{
    (void)state;
    pov_box a = {{0, 0, 0}, {1, 1, 1}, pov_rot_identity()},
            b = {{0.5, 0.4, -0.2}, {1, 1, 1}, pov_rot_identity()};
    assert_near(pov_box_share_inside(&a, &b), 0.75 * 0.8 * 0.9, 1e-12);
    assert_near(pov_box_share_inside(&a, &a), 1, 1e-12);
    b.half_m = (pov_vec3){9, 9, 9};
    assert_near(pov_box_share_inside(&a, &b), 1, 0);
    a.half_m.x = 0;
    assert_near(pov_box_share_inside(&a, &b), 1, 0);
}

static void what_stands_out_is_a_corner(void **state)
{
    (void)state;
    test_random random = {4};
    for (int i = 0; i < 200; i++) {
        pov_box a = random_box(&random, 0.5), b = random_box(&random, 0.5);
        double out_m = -INFINITY;
        for (int k = 0; k < 8; k++) {
            pov_vec3 corner = pov_box_local(&b, pov_box_corner(&a, k));
            out_m = fmax(out_m, fmax(fabs(corner.x) - b.half_m.x,
                                     fmax(fabs(corner.y) - b.half_m.y, fabs(corner.z) - b.half_m.z)));
        }
        assert_near(pov_box_standing_out_m(&a, &b), out_m, 1e-12);
    }
}

/* To the left of every side. */
static bool is_in_outline(const pov_footprint *outline, double x, double y)
{
    for (int i = 0; i < outline->len; i++) {
        pov_vec2 p = outline->corner_m[i], q = outline->corner_m[(i + 1) % outline->len];
        if ((q.x - p.x) * (y - p.y) - (q.y - p.y) * (x - p.x) < 0)
            return false;
    }
    return true;
}

static void an_outline_is_where_points_of_the_box_fall(void **state)
{
    (void)state;
    test_random random = {5};
    for (int i = 0; i < 300; i++) {
        pov_box box = random_box(&random, 1);
        pov_footprint outline = pov_box_footprint(&box);
        for (int k = 0; k < 50; k++) {
            pov_vec3 point = random_point_in(&random, &box);
            assert_true(is_in_outline(&outline, point.x, point.y));
        }
        /* The corners are corners of the box: no larger than it has to be. */
        for (int k = 0; k < outline.len; k++) {
            double nearest_m = INFINITY;
            for (int c = 0; c < 8; c++) {
                pov_vec3 corner = pov_box_corner(&box, c);
                nearest_m = fmin(nearest_m,
                                 hypot(corner.x - outline.corner_m[k].x, corner.y - outline.corner_m[k].y));
            }
            assert_near(nearest_m, 0, 1e-12);
        }
    }
}

static void shares_and_gaps_of_outlines_are_those_of_points(void **state)
{
    (void)state;
    enum { POINTS = 20000 };
    test_random random = {6};
    for (int i = 0; i < 100; i++) {
        pov_box a = random_box(&random, 0.6), b = random_box(&random, 0.6);
        pov_footprint below_a = pov_box_footprint(&a), below_b = pov_box_footprint(&b);
        double least_m = INFINITY;
        int in_a = 0, in_both = 0;
        for (int k = 0; k < POINTS; k++) {
            double x = test_random_between(&random, -1.8, 1.8), y = test_random_between(&random, -1.8, 1.8);
            bool inside = is_in_outline(&below_a, x, y);
            in_a += inside;
            in_both += inside && is_in_outline(&below_b, x, y);
        }
        if (in_a > 300) {
            double share = (double)in_both / in_a;
            assert_near(pov_footprint_share_inside(&below_a, &below_b), share,
                        4 * sqrt(share * (1 - share) / in_a) + 0.01);
            assert_near(pov_footprint_area_m2(&below_a), 3.6 * 3.6 * in_a / POINTS, 0.25);
        }
        for (int k = 0; k < 300; k++)
            for (int l = 0; l < 300; l++) {
                pov_vec2 p = below_a.corner_m[k * below_a.len / 300],
                         q = below_a.corner_m[(k * below_a.len / 300 + 1) % below_a.len],
                         r = below_b.corner_m[l * below_b.len / 300],
                         s = below_b.corner_m[(l * below_b.len / 300 + 1) % below_b.len];
                double u = fmod(k * (double)below_a.len / 300, 1), v = fmod(l * (double)below_b.len / 300, 1);
                least_m = fmin(least_m, hypot(p.x + u * (q.x - p.x) - r.x - v * (s.x - r.x),
                                              p.y + u * (q.y - p.y) - r.y - v * (s.y - r.y)));
            }
        double gap_m = pov_footprint_gap_m(&below_a, &below_b);
        assert_near(pov_footprint_gap_m(&below_b, &below_a), gap_m, 1e-12);
        if (gap_m > 0)
            assert_near(gap_m, least_m, 0.02);
        else
            assert_true(in_both > 0 || least_m < 0.02);
    }
}

/* Points of an outline's border, and how the others see them. */
static pov_vec2 border_point(const pov_footprint *outline, int k, int points)
{
    double at = k * (double)outline->len / points, u = fmod(at, 1);
    pov_vec2 p = outline->corner_m[(int)at], q = outline->corner_m[((int)at + 1) % outline->len];
    return (pov_vec2){p.x + u * (q.x - p.x), p.y + u * (q.y - p.y)};
}

static void a_gap_leads_from_one_outline_to_the_other_by_the_shortest_way(void **state)
{
    (void)state;
    test_random random = {7};
    for (int i = 0; i < 200; i++) {
        pov_box a = random_box(&random, 1.5), b = random_box(&random, 1.5);
        pov_footprint of_a = pov_box_footprint(&a), of_b = pov_box_footprint(&b), moved = of_a;
        pov_vec2 gap_m = pov_footprint_gap_vector_m(&of_a, &of_b),
                 back_m = pov_footprint_gap_vector_m(&of_b, &of_a);
        assert_near(gap_m.x + back_m.x, 0, 1e-12);
        assert_near(gap_m.y + back_m.y, 0, 1e-12);
        assert_near(hypot(gap_m.x, gap_m.y), pov_footprint_gap_m(&of_a, &of_b), 1e-12);
        if (gap_m.x == 0 && gap_m.y == 0)
            continue;
        for (int share = 1; share <= 2; share++) { /* nearly there, and just beyond: they meet */
            for (int k = 0; k < of_a.len; k++)
                moved.corner_m[k] =
                    (pov_vec2){of_a.corner_m[k].x - gap_m.x * (0.998 + 0.001 * share * share),
                               of_a.corner_m[k].y - gap_m.y * (0.998 + 0.001 * share * share)};
            if (share == 1)
                assert_true(pov_footprint_gap_m(&moved, &of_b) > 0);
            else
                assert_near(pov_footprint_gap_m(&moved, &of_b), 0, 0);
        }
    }
}

static void an_outline_takes_up_the_directions_of_its_points(void **state)
{
    (void)state;
    enum { POINTS = 2000 };
    test_random random = {8};
    int within = 0;
    for (int i = 0; i < 300; i++) {
        pov_box box = random_box(&random, 0.5);
        pov_footprint outline = pov_box_footprint(&box);
        pov_vec2 eye = {test_random_between(&random, -1, 1), test_random_between(&random, -1, 1)};
        pov_subtended seen = pov_footprint_subtended(&outline, eye);
        double least_m = INFINITY, low = 0, high = 0;
        for (int k = 0; k < POINTS; k++) {
            pov_vec2 p = border_point(&outline, k, POINTS);
            double off = pov_angle_wrap(atan2(p.y - eye.y, p.x - eye.x) - seen.middle_rad);
            least_m = fmin(least_m, hypot(p.x - eye.x, p.y - eye.y));
            low = fmin(low, off);
            high = fmax(high, off);
        }
        if (is_in_outline(&outline, eye.x, eye.y)) {
            assert_near(seen.distance_m, 0, 0);
            within++;
            continue;
        }
        assert_near(seen.distance_m, least_m, 0.005);
        assert_near(high, seen.half_rad, 1e-9 + 0.01 / least_m * 0.1);
        assert_near(low, -seen.half_rad, 1e-9 + 0.01 / least_m * 0.1);
    }
    assert_in_range(within, 20, 200);
}

static void outlines_without_area_have_gaps_too(void **state)
{
    (void)state;
    pov_box pole = {{0, 0, 0}, {0, 0, 1}, pov_rot_identity()},
            other = {{3, 4, 0}, {0, 0, 1}, pov_rot_identity()};
    pov_box wall = {{0, 0, 0}, {1, 0, 1}, pov_rot_identity()},
            door = {{2.5, 0, 0}, {1, 0, 1}, pov_rot_identity()};
    pov_footprint a = pov_box_footprint(&pole), b = pov_box_footprint(&other), c = pov_box_footprint(&wall),
                  d = pov_box_footprint(&door);
    assert_near(pov_footprint_gap_m(&a, &b), 5, 1e-12);
    assert_near(pov_footprint_gap_m(&c, &d), 0.5, 1e-12);
    assert_near(pov_footprint_gap_m(&c, &a), 0, 1e-12);
    assert_near(pov_footprint_gap_m(&b, &d), 4, 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_gap_of_boxes_apart_is_their_distance),
        cmocka_unit_test(edges_that_cross_are_as_far_as_their_planes),
        cmocka_unit_test(a_negative_gap_is_the_shortest_move_apart),
        cmocka_unit_test(the_share_inside_is_that_of_points_drawn_at_random),
        cmocka_unit_test(shares_of_upright_boxes_are_products),
        cmocka_unit_test(what_stands_out_is_a_corner),
        cmocka_unit_test(an_outline_is_where_points_of_the_box_fall),
        cmocka_unit_test(shares_and_gaps_of_outlines_are_those_of_points),
        cmocka_unit_test(a_gap_leads_from_one_outline_to_the_other_by_the_shortest_way),
        cmocka_unit_test(an_outline_takes_up_the_directions_of_its_points),
        cmocka_unit_test(outlines_without_area_have_gaps_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
