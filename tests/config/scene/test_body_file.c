#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "config/scene/body_file.h"
#include "tests/support/near.h"

#include <string.h>

/* 0.2 x 0.1 x 0.3 m, one corner at (1, 2, 3); its far corner is told of, but no face uses it. */
static const char wedge[] = "# by hand\nmtllib none.mtl\nv 1 2 3\nv 1.2 2 3\nv 1 2.1 3\nv 1 2 3.3\nv 9 9 9\n"
                            "f 1/1 3/2 2/3\nf 1 2 4\nf -5 -2 -3\nf 2//7 3//7 4//7\n";

static pov_status parse(pov_mesh *mesh, pov_vec3 *size_m, const char *text)
{
    char copy[512];
    assert_true(strlen(text) < sizeof copy);
    strcpy(copy, text);
    return pov_body_parse(mesh, size_m, "cup.obj", copy);
}

static void a_body_is_as_large_as_its_faces_and_about_its_box_s_middle(void **state)
{
    (void)state;
    pov_mesh mesh;
    pov_vec3 size_m = {0, 0, 0};
    assert_int_equal(parse(&mesh, &size_m, wedge).code, POV_OK);
    assert_int_equal(mesh.triangle_len, 4);
    assert_near(size_m.x, 0.2, 1e-6);
    assert_near(size_m.y, 0.1, 1e-6);
    assert_near(size_m.z, 0.3, 1e-6);
    const double first[3] = {-0.1, -0.05, -0.15};
    for (int k = 0; k < 3; k++)
        assert_near((double)mesh.vertices_m[0][k], first[k], 1e-6);
    pov_body_free(&mesh);
    assert_null(mesh.vertices_m);
}

static void a_body_is_stretched_to_the_size_that_is_given(void **state)
{
    (void)state;
    pov_mesh mesh;
    pov_vec3 size_m = {0.4, 0, 0.3};
    assert_int_equal(parse(&mesh, &size_m, wedge).code, POV_OK);
    assert_near(size_m.x, 0.4, 1e-6);
    assert_near(size_m.y, 0.1, 1e-6);
    assert_near((double)mesh.vertices_m[1][0], 0.2, 1e-6);
    assert_near((double)mesh.vertices_m[3][2], 0.15, 1e-6);
    pov_body_free(&mesh);
}

static void a_polygon_is_as_many_triangles_as_it_has_corners_less_two(void **state)
{
    (void)state;
    pov_mesh mesh;
    pov_vec3 size_m = {0, 0, 0};
    assert_int_equal(
        parse(&mesh, &size_m, "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 1\nv 0 0 1\nf 1 2 3 4 5\nf 1 2\n").code,
        POV_OK);
    assert_int_equal(mesh.triangle_len, 3);
    assert_int_equal(mesh.triangles[2][0], 0);
    assert_int_equal(mesh.triangles[2][1], 3);
    assert_int_equal(mesh.triangles[2][2], 4);
    pov_body_free(&mesh);
}

static void assert_complains(const char *text, const char *part)
{
    pov_mesh mesh;
    pov_vec3 size_m = {0, 0, 0};
    const pov_status status = parse(&mesh, &size_m, text);
    assert_int_equal(status.code, POV_ERROR);
    if (!strstr(status.message, part))
        fail_msg("'%s' does not say '%s'", status.message, part);
    assert_int_equal(mesh.triangle_len, 0);
    assert_null(mesh.triangles);
}

static void what_is_wrong_is_told_with_its_line(void **state)
{
    (void)state;
    assert_complains("v 0 0 0\nv 1 0\n", "cup.obj:2: v: 3 numbers are needed");
    assert_complains("v 0 0 0\nv 1 0 x\n", "cup.obj:2: a number under 1000000 is needed, not 'x'");
    assert_complains("v 0 0 0\nv 1 0 1\nv 0 1 1\nf 1 2 4\n", "cup.obj:4: a corner is needed");
    assert_complains("v 0 0 0\nv 1 0 1\nv 0 1 1\n", "no faces");
    assert_complains("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", "flat along z");
    pov_mesh mesh;
    pov_vec3 size_m = {0, 0, 0};
    const pov_status status = pov_body_read(&mesh, &size_m, "/nowhere/cup.obj");
    assert_int_equal(status.code, POV_ERROR);
    assert_non_null(strstr(status.message, "/nowhere/cup.obj"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_body_is_as_large_as_its_faces_and_about_its_box_s_middle),
        cmocka_unit_test(a_body_is_stretched_to_the_size_that_is_given),
        cmocka_unit_test(a_polygon_is_as_many_triangles_as_it_has_corners_less_two),
        cmocka_unit_test(what_is_wrong_is_told_with_its_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
