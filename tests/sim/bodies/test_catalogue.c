/* Every class of the catalogue: closed, of its size, with a front where it says so, and eyes that can see. */
#include "sim/bodies/catalogue.h"
#include "tests/support/random.h"
#include "tests/support/solid.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/support/near.h"

#ifdef POV_SANITIZED
enum { VARIANTS = 1, TRIANGLES_MAX = 6000 };
#else
enum { VARIANTS = 4, TRIANGLES_MAX = 6000 };
#endif

static pov_model *built(const char *class_name, const pov_look *look)
{
    pov_model *model;
    const pov_status status = pov_catalogue_build(&model, class_name, look);
    if (status.code != POV_OK)
        fail_msg("%s", status.message);
    return model;
}

typedef void check_body(const pov_catalogue_entry *entry, const pov_model *model);

static void for_every_body(check_body *check)
{
    int len;
    const pov_catalogue_entry *entries = pov_catalogue_entries(&len);
    for (int i = 0; i < len; i++) {
        for (uint64_t variant = 0; variant < VARIANTS; variant++) {
            pov_model *model = built(entries[i].class_name, &(pov_look){.variant = variant * 7919});
            check(&entries[i], model);
            pov_model_destroy(&model);
        }
    }
}

static void assert_size(const pov_model *model, pov_vec3 size_m)
{
    pov_vec3 centre_m, actual_m;
    pov_model_bounds(model, &centre_m, &actual_m);
    const double tolerance = 1e-6 * pov_vec3_norm(size_m);
    assert_near(pov_vec3_norm(centre_m), 0, tolerance);
    assert_near(pov_vec3_norm(pov_vec3_sub(actual_m, size_m)), 0, tolerance);
}

static void check_size(const pov_catalogue_entry *entry, const pov_model *model)
{
    assert_size(model, entry->size_m);
    if (pov_model_read(model).triangle_len > TRIANGLES_MAX)
        fail_msg("%s has %d triangles", entry->class_name, pov_model_read(model).triangle_len);
}

static void every_body_is_as_large_as_its_class_and_not_too_fine(void **state)
{
    (void)state;
    for_every_body(check_size);
}

static void a_body_takes_the_size_and_colour_asked_for(void **state)
{
    (void)state;
    int len;
    const pov_catalogue_entry *entries = pov_catalogue_entries(&len);
    float albedo[3];
    pov_albedo_from_srgb(albedo, 0x123456);
    for (int i = 0; i < len; i++) {
        const pov_vec3 size_m = {0.3, 0.2, 0.7};
        pov_model *model = built(entries[i].class_name,
                                 &(pov_look){.size_m = size_m, .has_colour = true, .colour = 0x123456});
        assert_size(model, size_m);
        const pov_model_parts parts = pov_model_read(model);
        bool coloured = strcmp(entries[i].class_name, "minifigure") == 0; /* has no main part */
        for (int m = 0; m < parts.material_len; m++)
            coloured = coloured || memcmp(parts.materials[m].albedo, albedo, sizeof albedo) == 0;
        assert_true(coloured);
        pov_model_destroy(&model);
    }
}

static void check_closed(const pov_catalogue_entry *entry, const pov_model *model)
{
    const int open = solid_open_edges(model), triangles = pov_model_read(model).triangle_len;
    if (open)
        fail_msg("%s has %d open edges", entry->class_name, open);
    const pov_vec3 size = entry->size_m;
    const double volume = solid_volume_m3(model);
    assert_true(volume > 0 && volume < 2 * size.x * size.y * size.z);
    if (solid_wrong_normals(model) > triangles / 200)
        fail_msg("%s: %d of %d triangles have normals that turn away", entry->class_name,
                 solid_wrong_normals(model), triangles);
}

static void every_body_is_closed_and_its_normals_point_outward(void **state)
{
    (void)state;
    for_every_body(check_closed);
}

static pov_vec3 random_direction(test_random *random)
{
    return pov_vec3_unit(
        (pov_vec3){test_random_normal(random), test_random_normal(random), test_random_normal(random)});
}

/** Rays towards random places of the box, from outside: the first side met is an outer one. */
static void check_outside(const pov_catalogue_entry *entry, const pov_model *model)
{
    test_random random = {42};
    int hits = 0;
    for (int i = 0; i < 60; i++) {
        const pov_vec3 s = entry->size_m, dir = random_direction(&random);
        const pov_vec3 target = {test_random_between(&random, -s.x, s.x) / 2,
                                 test_random_between(&random, -s.y, s.y) / 2,
                                 test_random_between(&random, -s.z, s.z) / 2};
        const solid_hit hit =
            solid_ray(model, pov_vec3_sub(target, pov_vec3_scale(dir, 2 * pov_vec3_norm(s))), dir);
        if (isfinite(hit.distance_m) && !hit.from_outside)
            fail_msg("%s is seen from inside", entry->class_name);
        hits += isfinite(hit.distance_m);
    }
    assert_true(hits > 5);
}

static void every_ray_from_outside_meets_an_outer_side_first(void **state)
{
    (void)state;
    for_every_body(check_outside);
}

/** How much the view from the front and from behind, the body's mirror image, differ: a mean of depths, as a share of
 *  the length. */
static double front_back_difference(const pov_catalogue_entry *entry, const pov_model *model)
{
    enum { GRID = 15 };
    const pov_vec3 s = entry->size_m;
    double sum = 0;
    for (int i = 0; i < GRID * GRID; i++) {
        const double y = s.y * ((i % GRID + 0.5) / GRID - 0.5), z = s.z * ((i / GRID + 0.5) / GRID - 0.5);
        const solid_hit front = solid_ray(model, (pov_vec3){s.x, y, z}, (pov_vec3){-1, 0, 0});
        const solid_hit back = solid_ray(model, (pov_vec3){-s.x, y, z}, (pov_vec3){1, 0, 0});
        if (isfinite(front.distance_m))
            sum += fabs(front.distance_m - back.distance_m) / s.x;
    }
    return sum / (GRID * GRID);
}

static void a_body_with_a_front_is_not_its_mirror_image(void **state)
{
    (void)state;
    int len;
    const pov_catalogue_entry *entries = pov_catalogue_entries(&len);
    for (int i = 0; i < len; i++) {
        pov_model *model = built(entries[i].class_name, NULL);
        const double difference = front_back_difference(&entries[i], model);
        if (entries[i].has_front && difference < 0.01)
            fail_msg("%s looks the same from behind: %g", entries[i].class_name, difference);
        if (strstr(entries[i].class_name, "ball"))
            assert_near(difference, 0, 1e-5);
        pov_model_destroy(&model);
    }
}

static void eyes_lie_at_the_surface_of_the_front_and_see_ahead(void **state)
{
    (void)state;
    int len;
    const pov_catalogue_entry *entries = pov_catalogue_entries(&len);
    for (int i = 0; i < len; i++) {
        if (!entries[i].can_see)
            continue;
        assert_true(entries[i].has_front);
        pov_model *model = built(entries[i].class_name, NULL);
        const pov_vec3 eye_m = entries[i].eye_m, s = entries[i].size_m;
        const double height_share = eye_m.z / s.z + 0.5;
        const solid_hit ahead = solid_ray(model, eye_m, (pov_vec3){1, 0, 0});
        const solid_hit back = solid_ray(model, eye_m, (pov_vec3){-1, 0, 0});
        if (isfinite(ahead.distance_m) || !back.from_outside || back.distance_m > 0.06 * pov_vec3_norm(s))
            fail_msg("%s: ahead %g, back %g", entries[i].class_name, ahead.distance_m, back.distance_m);
        assert_true(height_share > 0.55 && height_share < 1);
        pov_model_destroy(&model);
    }
}

static bool same_bodies(const pov_model *a, const pov_model *b)
{
    const pov_model_parts p = pov_model_read(a), q = pov_model_read(b);
    if (p.vertex_len != q.vertex_len || p.triangle_len != q.triangle_len || p.material_len != q.material_len)
        return false;
    for (int i = 0; i < p.material_len; i++) {
        if (memcmp(p.materials[i].albedo, q.materials[i].albedo, sizeof p.materials[i].albedo) != 0)
            return false;
    }
    return memcmp(p.positions_m, q.positions_m, (size_t)p.vertex_len * sizeof *p.positions_m) == 0;
}

/* Of the vertices above the belt the one farthest along the way to the target. */
static pov_vec3 fingertip_of(const pov_model *model, pov_vec3 eye_m, pov_vec3 target_m)
{
    const pov_model_parts data = pov_model_read(model);
    const pov_vec3 way = pov_vec3_unit(pov_vec3_sub(target_m, eye_m));
    pov_vec3 tip_m = eye_m;
    for (int i = 0; i < data.vertex_len; i++) {
        const float *p = data.positions_m[i];
        const pov_vec3 at_m = {(double)p[0], (double)p[1], (double)p[2]};
        if (at_m.z > 0 && pov_vec3_dot(pov_vec3_sub(at_m, tip_m), way) > 0)
            tip_m = at_m;
    }
    return tip_m;
}

static double distance_from_line(pov_vec3 at_m, pov_vec3 from_m, pov_vec3 to_m)
{
    const pov_vec3 way = pov_vec3_unit(pov_vec3_sub(to_m, from_m));
    return pov_vec3_norm(pov_vec3_cross(pov_vec3_sub(at_m, from_m), way));
}

static void who_points_has_the_fingertip_between_eye_and_target(void **state)
{
    (void)state;
    const char *const people[] = {"man", "woman", "child"};
    const pov_vec3 targets_m[] = {{2, 1, -0.5}, {2, -1.5, 0.8}, {0.3, 3, 0}, {1.2, -0.1, 0}, {5, 0, 5}};
    for (int i = 0; i < 15; i++) {
        const pov_catalogue_entry *entry = pov_catalogue_find(people[i / 5]);
        const pov_vec3 size_m = pov_vec3_scale(entry->size_m, i % 2 ? 0.7 : 1);
        const pov_vec3 eye_m = pov_catalogue_eye_m(entry, size_m), target_m = targets_m[i % 5];
        pov_model *plain = built(people[i / 5], &(pov_look){.size_m = size_m}),
                  *pointing = built(people[i / 5],
                                    &(pov_look){.size_m = size_m, .points = true, .target_m = target_m});
        const pov_vec3 tip_m = fingertip_of(pointing, eye_m, target_m);
        const double reach_m = pov_vec3_norm(pov_vec3_sub(tip_m, eye_m));
        assert_true(distance_from_line(tip_m, eye_m, target_m) < 0.02 * size_m.z); /* a finger is as thick */
        assert_true(reach_m > 0.2 * size_m.z && reach_m < 0.6 * size_m.z);
        assert_true(pov_vec3_norm(pov_vec3_sub(fingertip_of(plain, eye_m, target_m), tip_m)) >
                    0.1 * size_m.z);
        check_closed(entry, pointing);
        pov_model_destroy(&plain);
        pov_model_destroy(&pointing);
    }
}

static void the_same_look_gives_the_same_body_and_figures_all_differ(void **state)
{
    (void)state;
    pov_model *figures[POV_MINIFIGURES];
    for (uint64_t i = 0; i < POV_MINIFIGURES; i++) {
        figures[i] = built("minifigure", &(pov_look){.variant = i});
        check_size(pov_catalogue_find("minifigure"), figures[i]);
        check_closed(pov_catalogue_find("minifigure"), figures[i]);
        pov_model *again = built("minifigure", &(pov_look){.variant = i});
        assert_true(same_bodies(figures[i], again));
        pov_model_destroy(&again);
        for (uint64_t k = 0; k < i; k++)
            assert_false(same_bodies(figures[i], figures[k]));
    }
    for (int i = 0; i < POV_MINIFIGURES; i++)
        pov_model_destroy(&figures[i]);
}

static void classes_are_in_order_and_an_unknown_one_is_answered_with_the_nearest(void **state)
{
    (void)state;
    int len;
    const pov_catalogue_entry *entries = pov_catalogue_entries(&len);
    for (int i = 0; i + 1 < len; i++)
        assert_true(strcmp(entries[i].class_name, entries[i + 1].class_name) < 0);
    assert_ptr_equal(pov_catalogue_find("horse"), pov_catalogue_find("horse"));
    assert_null(pov_catalogue_find("unicorn"));
    pov_model *model;
    const pov_status status = pov_catalogue_build(&model, "rubber duk", NULL);
    assert_int_equal(status.code, POV_ERROR);
    assert_non_null(strstr(status.message, "rubber duk"));
    assert_non_null(strstr(status.message, "'rubber duck'"));
    assert_null(model);
}

static void the_catalogue_has_the_classes_of_the_papers(void **state)
{
    (void)state;
    static const char *const comfort[] = {"horse", "car", "bench", "laptop", "rubber duck",
                                          "chair", "dog", "sofa",  "bed",    "bicycle"};
    static const char *const vpt[] = {
        "plant", "wardrobe",         "cat",       "dog", "goblet", "chair", "desk",
        "bat",   "computer monitor", "minifigure"};
    for (size_t i = 0; i < sizeof comfort / sizeof *comfort; i++)
        assert_true(pov_catalogue_find(comfort[i])->has_front);
    for (size_t i = 0; i < sizeof vpt / sizeof *vpt; i++)
        assert_non_null(pov_catalogue_find(vpt[i]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_body_is_as_large_as_its_class_and_not_too_fine),
        cmocka_unit_test(a_body_takes_the_size_and_colour_asked_for),
        cmocka_unit_test(every_body_is_closed_and_its_normals_point_outward),
        cmocka_unit_test(every_ray_from_outside_meets_an_outer_side_first),
        cmocka_unit_test(a_body_with_a_front_is_not_its_mirror_image),
        cmocka_unit_test(eyes_lie_at_the_surface_of_the_front_and_see_ahead),
        cmocka_unit_test(who_points_has_the_fingertip_between_eye_and_target),
        cmocka_unit_test(the_same_look_gives_the_same_body_and_figures_all_differ),
        cmocka_unit_test(classes_are_in_order_and_an_unknown_one_is_answered_with_the_nearest),
        cmocka_unit_test(the_catalogue_has_the_classes_of_the_papers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
