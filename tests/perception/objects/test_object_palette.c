/* Tones of colours, and how common they are in an image of two colours. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "perception/objects/object_palette.h"
#include "tests/support/near.h"

#include <math.h>
#include <stdlib.h>

enum { WIDTH = 320, HEIGHT = 240 };

static void more_light_shifts_the_first_number_of_a_bright_tone_only(void **state)
{
    (void)state;
    const float dim[3] = {120, 100, 80}, bright[3] = {240, 200, 160};
    const object_tone a = pov_object_tone_of(dim), b = pov_object_tone_of(bright);
    assert_near((double)(b.of[0] - a.of[0]), log(2),
                0.12); /* but for the 16 levels below which logarithms flatten */
    assert_near((double)(b.of[1] - a.of[1]), 0, 0.03);
    assert_near((double)(b.of[2] - a.of[2]), 0, 0.04);
    assert_near((double)a.of[1], log((120 + 16) / (100.0 + 16)), 1e-5);
}

static void the_fast_tone_is_the_exact_one_to_a_quarter_of_a_level(void **state)
{
    object_palette *palette = *state;
    for (int level = 0; level < 255; level += 3) {
        const float rgb[3] = {(float)level, 100, (float)(255 - level)};
        const object_tone exact = pov_object_tone_of(rgb),
                          fast =
                              object_palette_tone(palette, (const int[3]){4 * level, 400, 4 * (255 - level)});
        for (int c = 0; c < 3; c++)
            assert_near((double)fast.of[c], (double)exact.of[c], 0.02);
    }
}

static object_palette_entry entry_of(const object_palette *palette, const float rgb[3])
{
    const object_tone tone = pov_object_tone_of(rgb);
    return palette->entries[object_palette_bin(tone.of[0], tone.of[1], tone.of[2])];
}

static void the_common_tone_is_the_backdrop_and_the_rare_one_is_not(void **state)
{
    object_palette *palette = *state;
    uint8_t *pixels = malloc(3 * WIDTH * HEIGHT);
    for (int i = 0; i < WIDTH * HEIGHT; i++) { /* a thirtieth is red, the rest is grey */
        const bool is_red = i / WIDTH < HEIGHT / 6 && i % WIDTH < WIDTH / 5;
        pixels[3 * i] = is_red ? 220 : 120;
        pixels[3 * i + 1] = is_red ? 30 : 120;
        pixels[3 * i + 2] = is_red ? 30 : 120;
    }
    pov_image_pyramid pyramid;
    const pov_image image = {
        .pixels = pixels, .width_px = WIDTH, .height_px = HEIGHT, .stride_bytes = 3 * WIDTH};
    assert_int_equal(pov_image_pyramid_new(&pyramid, WIDTH, HEIGHT).code, POV_OK);
    pov_image_pyramid_set(&pyramid, &image, NULL);
    pov_object_palette_set(palette, &pyramid);
    const float grey[3] = {120, 120, 120}, red[3] = {220, 30, 30}, green[3] = {30, 220, 30};
    const object_palette_entry common = entry_of(palette, grey), rare = entry_of(palette, red),
                               absent = entry_of(palette, green);
    assert_true(common.backdrop > 0.85F);
    assert_true(rare.backdrop < 0.1F);
    assert_near((double)(common.density / rare.density), 29, 4);
    assert_true(absent.density < 0.1F * rare.density);
    assert_true(absent.density > 0);
    pov_image_pyramid_free(&pyramid);
    free(pixels);
}

static int set_up(void **state)
{
    object_palette *palette = calloc(1, sizeof *palette);
    pov_object_palette_init(palette);
    *state = palette;
    return 0;
}

static int tear_down(void **state)
{
    free(*state);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(more_light_shifts_the_first_number_of_a_bright_tone_only),
        cmocka_unit_test(the_fast_tone_is_the_exact_one_to_a_quarter_of_a_level),
        cmocka_unit_test(the_common_tone_is_the_backdrop_and_the_rare_one_is_not),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
