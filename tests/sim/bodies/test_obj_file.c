/* OBJ and MTL as 3D programs write them, from memory. */
#include "sim/bodies/obj_file.h"
#include "tests/support/solid.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/support/near.h"

/** Files in memory; a picture is 2 x 1 pixels, red and blue. */
typedef struct {
    const char *obj, *mtl;
    char asked_for[100]; /* the last picture */
} memory_files;

static pov_status load(void *context, char **bytes, size_t *len, const char *path)
{
    memory_files *files = context;
    const char *text = strstr(path, ".obj") ? files->obj : strstr(path, ".mtl") ? files->mtl : "picture";
    if (!text)
        return pov_error("%s: missing", path);
    *len = strlen(text);
    *bytes = calloc(1, *len + 1);
    assert_non_null(*bytes);
    memcpy(*bytes, text, *len);
    return pov_ok();
}

static pov_status decode(void *context, pov_image *image, const char *path, const void *bytes, size_t len)
{
    static const uint8_t pixels[] = {255, 0, 0, 0, 0, 255};
    memory_files *files = context;
    assert_int_equal(len, strlen("picture"));
    assert_memory_equal(bytes, "picture", len);
    assert_true(strlen(path) < sizeof files->asked_for);
    memcpy(files->asked_for, path, strlen(path) + 1);
    *image = (pov_image){.width_px = 2, .height_px = 1, .stride_bytes = 6, .pixels = pixels};
    return pov_ok();
}

static pov_status read_files(pov_model **model, memory_files *files)
{
    const pov_obj_source source = {load, files, decode, files};
    *model = pov_model_new();
    return pov_obj_read(*model, &source, "folder/body.obj");
}

static void assert_error(const char *obj, const char *mtl, const char *message)
{
    pov_model *model;
    const pov_status status = read_files(&model, &(memory_files){.obj = obj, .mtl = mtl});
    assert_int_equal(status.code, POV_ERROR);
    assert_string_equal(status.message, message);
    pov_model_destroy(&model);
}

#define CUBE                                                                                                 \
    "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\n"                               \
    "f 4 3 2 1\nf 5 6 7 8\nf 1 2 6 5\nf -7 -6 -2 -3\nf 3 4 8 7\nf 4 1 5 8\n"

static void a_cube_of_squares_is_closed_and_of_volume_one(void **state)
{
    (void)state;
    pov_model *model;
    assert_int_equal(read_files(&model, &(memory_files){.obj = CUBE}).code, POV_OK);
    assert_int_equal(pov_model_read(model).triangle_len, 12);
    assert_int_equal(solid_open_edges(model), 0);
    assert_near(solid_volume_m3(model), 1, 1e-6);
    pov_model_destroy(&model);
}

/** Faces that bend by more than 50 degrees keep their own normals, others share them. */
static void normals_that_are_not_given_are_smooth_only_where_faces_bend_little(void **state)
{
    (void)state;
    pov_model *model;
    assert_int_equal(read_files(&model, &(memory_files){.obj = CUBE}).code, POV_OK);
    pov_model_parts parts = pov_model_read(model);
    for (int i = 0; i < parts.vertex_len; i++) {
        const float *n = parts.normals[i];
        assert_near(fmaxf(fabsf(n[0]), fmaxf(fabsf(n[1]), fabsf(n[2]))), 1, 1e-6);
    }
    pov_model_destroy(&model);
    /* Two faces of the same area, 40 degrees apart: at their common edge, 20 from each. */
    memory_files roof = {.obj = "v -1 0 0\nv 0 1 0.36397\nv 0 -1 0.36397\nv 1 0 0\nf 1 3 2\nf 4 2 3\n"};
    assert_int_equal(read_files(&model, &roof).code, POV_OK);
    parts = pov_model_read(model);
    assert_near(parts.normals[0][2], cos(20 * POV_PI / 180), 1e-4);
    assert_near(parts.normals[1][2], 1, 1e-6);
    pov_model_destroy(&model);
}

static void given_normals_coordinates_and_materials_are_taken(void **state)
{
    (void)state;
    memory_files files = {
        .obj =
            "# a comment\r\nmtllib the mtl.mtl \r\nv 0 0 0\r\nv 1 0 0 \\\r\n\r\nv 0 1 0\r\nvn 0 0 2\nvt 0.25 "
            "0.25\n"
            "usemtl plain one\ng side\nf 1/1/1 2/1/1 3/1/1\nusemtl shown\nf 1//1 2//1 3//1\nl 1 2\nf 1 2\n",
        .mtl = "newmtl plain one\nKd 1 0.5 0\nKs 0.3 0.3 0.3\nNs 70\n\nnewmtl shown\nKd 0 0 0\nmap_Kd a "
               "picture.png\n"};
    pov_model *model;
    const pov_status status = read_files(&model, &files);
    assert_string_equal(status.message, "");
    const pov_model_parts parts = pov_model_read(model);
    assert_int_equal(parts.triangle_len, 2);
    const pov_material *plain = &parts.materials[parts.triangle_material[0]],
                       *shown = &parts.materials[parts.triangle_material[1]];
    assert_near(plain->albedo[0], 1, 0);
    assert_near(plain->albedo[1], 0.21404, 1e-4); /* IEC 61966-2-1 */
    assert_near(plain->gloss, 0.3, 1e-6);
    assert_near(plain->gloss_exponent, 70, 0);
    assert_int_equal(plain->texture, POV_TEXTURE_NONE);
    assert_int_equal(shown->texture, 0);
    assert_near(shown->albedo[0], 1, 0);
    assert_string_equal(files.asked_for, "folder/a picture.png");
    assert_near(parts.normals[0][2], 1, 0);
    assert_near(parts.texture_uv[0][0], 0.25, 0);
    assert_near(parts.texture_uv[0][1], 0.75, 0);
    pov_model_destroy(&model);
}

static void what_is_wrong_is_named_with_its_line(void **state)
{
    (void)state;
    assert_error("v 1 2\n", NULL, "folder/body.obj:1: v: 3 numbers are needed, 2 are there");
    assert_error("\nv 1 2 3x\n", NULL, "folder/body.obj:2: a number under 1000000 is needed, not '3x'");
    assert_error("v 1 2 nan\n", NULL, "folder/body.obj:1: a number under 1000000 is needed, not 'nan'");
    assert_error("v 0 0 0\nf 1 1 2\n", NULL,
                 "folder/body.obj:2: a corner is needed, as 1/2/3, of what stands above, not '2'");
    assert_error("v 0 0 0\nf 1/1 1/1 1/1\n", NULL,
                 "folder/body.obj:2: a corner is needed, as 1/2/3, of what stands above, not '1/1'");
    assert_error("v 0 0 0\nf 0 1 1\n", NULL,
                 "folder/body.obj:2: a corner is needed, as 1/2/3, of what stands above, not '0'");
    assert_error("f\n", NULL, "folder/body.obj:1: a face without corners");
    assert_error("v 0 0 0\n", NULL, "folder/body.obj: no faces: not a body in an OBJ file");
    assert_error("mtllib x.mtl\n", "newmtl a\n\nKd 1 1\n",
                 "folder/x.mtl:3: Kd: 3 numbers are needed, 2 are there");
    assert_error("mtllib x.mtl\n", "newmtl \n", "folder/x.mtl:1: newmtl needs a name, not ''");
    assert_error("mtllib x.mtl\n", NULL, "folder/x.mtl: missing");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cube_of_squares_is_closed_and_of_volume_one),
        cmocka_unit_test(normals_that_are_not_given_are_smooth_only_where_faces_bend_little),
        cmocka_unit_test(given_normals_coordinates_and_materials_are_taken),
        cmocka_unit_test(what_is_wrong_is_named_with_its_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
