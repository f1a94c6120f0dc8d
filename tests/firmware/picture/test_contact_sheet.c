#include "firmware/picture/contact_sheet.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static uint8_t pixels[100 * 200 * 3];

/* A picture of one shade; its name is the shade. */
static pov_image flat(uint8_t shade, int width_px, int height_px)
{
    memset(pixels, shade, sizeof pixels);
    pov_image image = {
        .pixels = pixels, .width_px = width_px, .height_px = height_px, .stride_bytes = 3 * width_px};
    snprintf(image.name, sizeof image.name, "%d.png", shade);
    return image;
}

/* Pixels of exactly this grey. */
static int count_of(const pov_image *image, uint8_t shade)
{
    int count = 0;
    for (int y = 0; y < image->height_px; y++) {
        const uint8_t *row = image->pixels + (ptrdiff_t)y * image->stride_bytes;
        for (int x = 0; x < image->width_px; x++)
            count += row[3 * x] == shade && row[3 * x + 1] == shade && row[3 * x + 2] == shade;
    }
    return count;
}

static void every_picture_fills_a_place_of_its_own(void **state)
{
    (void)state;
    pov_contact_sheet *sheet;
    sheet = pov_contact_sheet_new(12, 80, 60);
    for (int i = 0; i < 12; i++) {
        pov_image image = flat((uint8_t)(100 + 3 * i), 200, 100);
        assert_true(pov_contact_sheet_add(sheet, &image));
    }
    pov_image whole = pov_contact_sheet_image(sheet);
    for (int i = 0; i < 12; i++) {
        int count =
            count_of(&whole, (uint8_t)(100 + 3 * i)); /* 200 x 100 in 80 x 60: 80 x 40, and a few of text */
        assert_in_range(count, 80 * 40, 80 * 40 + 40);
    }
    pov_contact_sheet_destroy(&sheet);
    assert_null(sheet);
}

static void a_full_sheet_takes_no_more(void **state)
{
    (void)state;
    pov_contact_sheet *sheet;
    sheet = pov_contact_sheet_new(2, 40, 40);
    pov_image image = flat(200, 40, 40);
    assert_true(pov_contact_sheet_add(sheet, &image));
    assert_true(pov_contact_sheet_add(sheet, &image));
    assert_false(pov_contact_sheet_add(sheet, &image));
    pov_contact_sheet_destroy(&sheet);
}

static void rows_not_reached_are_left_off(void **state)
{
    (void)state;
    pov_contact_sheet *sheet;
    sheet = pov_contact_sheet_new(36, 40, 40);
    pov_image image = flat(200, 40, 40);
    assert_true(pov_contact_sheet_add(sheet, &image));
    pov_image one = pov_contact_sheet_image(sheet);
    for (int i = 1; i < 36; i++)
        assert_true(pov_contact_sheet_add(sheet, &image));
    pov_image all = pov_contact_sheet_image(sheet);
    assert_true(one.height_px < all.height_px / 2);
    assert_int_equal(one.width_px, all.width_px);
    pov_contact_sheet_destroy(&sheet);
}

static void odd_shapes_and_long_names_fit(void **state)
{
    (void)state;
    pov_contact_sheet *sheet;
    sheet = pov_contact_sheet_new(3, 30, 50);
    const int shapes[3][2] = {{1, 1}, {200, 1}, {1, 100}};
    for (int i = 0; i < 3; i++) {
        pov_image image = flat(220, shapes[i][0], shapes[i][1]);
        memset(image.name, 'x', sizeof image.name - 1);
        assert_true(pov_contact_sheet_add(sheet, &image));
    }
    pov_image all = pov_contact_sheet_image(sheet);
    assert_true(count_of(&all, 220) >= 30 * 30 + 30 + 50);
    pov_contact_sheet_destroy(&sheet);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_picture_fills_a_place_of_its_own),
        cmocka_unit_test(a_full_sheet_takes_no_more),
        cmocka_unit_test(rows_not_reached_are_left_off),
        cmocka_unit_test(odd_shapes_and_long_names_fit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
