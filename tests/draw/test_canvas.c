#include "draw/canvas.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { WIDTH = 320, HEIGHT = 240, GUARD = 64, STRIDE = 3 * WIDTH + 2 * GUARD, ROWS = HEIGHT + 2 * GUARD };

static const pov_colour red = {255, 0, 0};

/* A canvas within a larger sheet of bytes, all of them `paper`. */
typedef struct {
    uint8_t sheet[ROWS][STRIDE];
    uint8_t paper;
    pov_canvas canvas;
} guarded;

static guarded *guarded_new(uint8_t paper)
{
    guarded *g = calloc(1, sizeof *g);
    memset(g->sheet, paper, sizeof g->sheet);
    g->paper = paper;
    g->canvas = (pov_canvas){.pixels = &g->sheet[GUARD][GUARD],
                             .width_px = WIDTH,
                             .height_px = HEIGHT,
                             .stride_bytes = STRIDE,
                             .unit_px = 1};
    return g;
}

static bool is_changed(const guarded *g, int x, int y)
{
    const uint8_t *pixel = &g->sheet[GUARD + y][GUARD + 3 * x];
    return pixel[0] != g->paper || pixel[1] != g->paper || pixel[2] != g->paper;
}

static int changed_in(const guarded *g, pov_rectangle area)
{
    int count = 0;
    for (int y = area.y_px; y < area.y_px + area.height_px; y++) {
        for (int x = area.x_px; x < area.x_px + area.width_px; x++)
            count += is_changed(g, x, y);
    }
    return count;
}

static const pov_rectangle everywhere = {0, 0, WIDTH, HEIGHT};

static void assert_guard_is_untouched(const guarded *g)
{
    for (int y = 0; y < ROWS; y++) {
        for (int i = 0; i < STRIDE; i++) {
            bool inside = y >= GUARD && y < GUARD + HEIGHT && i >= GUARD && i < GUARD + 3 * WIDTH;
            if (!inside)
                assert_int_equal(g->sheet[y][i], g->paper);
        }
    }
}

static void nothing_is_drawn_out_of_bounds(void **state)
{
    (void)state;
    guarded *g = guarded_new(128);
    const double places[] = {-1e300,    -1e6,   -40,        -1,  0,        7.3,
                             WIDTH - 1, HEIGHT, WIDTH + 30, 1e9, INFINITY, NAN};
    enum { COUNT = sizeof places / sizeof places[0] };
    for (int i = 0; i < COUNT * COUNT; i++) {
        pov_vec2 at = {places[i % COUNT], places[i / COUNT]}, other = {places[i / COUNT], 20};
        pov_canvas_polyline(&g->canvas, (pov_vec2[]){at, other, {40, 50}}, 3,
                            (pov_stroke){red, 9, i % 2 == 0});
        pov_canvas_label_at(&g->canvas, &(pov_canvas_label){at, 3, {0, 0}, red, "label"});
    }
    for (int i = -3; i < 4; i++) {
        pov_canvas_fill(&g->canvas, (pov_rectangle){i * 120, i * 90, 200, 200}, red, 0.5);
        pov_canvas_text(&g->canvas, "text that runs over the edges of a canvas", (pov_vec2){i * 120, i * 90},
                        red);
    }
    pov_canvas_place_labels(&g->canvas, (pov_rectangle){-100, -100, WIDTH + 200, HEIGHT + 200});
    assert_true(changed_in(g, everywhere) > 1000);
    assert_guard_is_untouched(g);
    free(g);
}

static double distance_to_segment(pov_vec2 p, pov_vec2 a, pov_vec2 b)
{
    double length2 = (b.x - a.x) * (b.x - a.x) + (b.y - a.y) * (b.y - a.y);
    double t = fmax(0, fmin(1, ((p.x - a.x) * (b.x - a.x) + (p.y - a.y) * (b.y - a.y)) / length2));
    return hypot(p.x - a.x - t * (b.x - a.x), p.y - a.y - t * (b.y - a.y));
}

static void a_line_covers_its_pixels_and_their_neighbours_only(void **state)
{
    (void)state;
    guarded *g = guarded_new(255);
    pov_vec2 a = {30.5, 40.25}, b = {280, 200.75};
    pov_canvas_polyline(&g->canvas, (pov_vec2[]){a, b}, 2, (pov_stroke){red, 1, false});
    for (int y = 0; y < HEIGHT; y++) {
        for (int x = 0; x < WIDTH; x++) {
            double distance = distance_to_segment((pov_vec2){x, y}, a, b);
            if (distance < 0.5)
                assert_true(is_changed(g, x, y));
            if (distance > 4)
                assert_false(is_changed(g, x, y));
        }
    }
    free(g);
}

static void a_point_that_is_not_finite_leaves_a_gap(void **state)
{
    (void)state;
    guarded *g = guarded_new(255);
    pov_vec2 points[] = {{20, 100}, {100, 100}, {NAN, 100}, {200, 100}, {300, 100}};
    pov_canvas_polyline(&g->canvas, points, 5, (pov_stroke){red, 1, false});
    assert_true(changed_in(g, (pov_rectangle){20, 90, 80, 20}) > 80);
    assert_true(changed_in(g, (pov_rectangle){200, 90, 100, 20}) > 100);
    assert_int_equal(changed_in(g, (pov_rectangle){106, 0, 88, HEIGHT}), 0);
    free(g);
}

static void a_closed_line_comes_back(void **state)
{
    (void)state;
    guarded *g = guarded_new(255);
    pov_vec2 triangle[] = {{50, 50}, {250, 50}, {50, 200}};
    pov_canvas_polyline(&g->canvas, triangle, 3, (pov_stroke){red, 1, false});
    assert_false(is_changed(g, 50, 125));
    pov_canvas_polyline(&g->canvas, triangle, 3, (pov_stroke){red, 1, true});
    assert_true(is_changed(g, 50, 125));
    free(g);
}

static void short_pieces_draw_the_whole_line(void **state)
{
    (void)state;
    guarded *g = guarded_new(255);
    pov_vec2 points[600];
    for (int i = 0; i < 600; i++)
        points[i] = (pov_vec2){10 + 0.5 * i, 100};
    pov_canvas_polyline(&g->canvas, points, 600, (pov_stroke){red, 1, false});
    for (int x = 10; x < 309; x++)
        assert_true(is_changed(g, x, 100));
    free(g);
}

/* A label's ground is mixed once into white; where two overlapped, it would be mixed twice, and be darker. */
static void labels_do_not_overlap(void **state)
{
    (void)state;
    guarded *g = guarded_new(255);
    const pov_colour white = {255, 255, 255};
    for (int i = 0; i < 12; i++) {
        pov_vec2 anchor = {60 + 90 * (i % 3) + 3 * (i / 6), 70 + 90 * (i / 3 % 2)};
        pov_canvas_label_at(&g->canvas, &(pov_canvas_label){anchor, 2, {0, 0}, white, "ball"});
    }
    double width_px = pov_canvas_text_width_px(&g->canvas, "ball") + 8;
    pov_canvas_place_labels(&g->canvas, everywhere);
    assert_int_equal(g->canvas.label_len, 0);
    assert_true(changed_in(g, everywhere) > 0.6 * 12 * width_px * pov_canvas_line_height_px(&g->canvas));
    for (int y = 0; y < HEIGHT; y++) {
        for (int x = 0; x < WIDTH; x++)
            assert_true(g->sheet[GUARD + y][GUARD + 3 * x] >= 60);
    }
    free(g);
}

static void labels_stay_in_their_area(void **state)
{
    (void)state;
    guarded *g = guarded_new(255);
    pov_rectangle area = {0, 0, 200, 150};
    for (int i = 0; i < 30; i++)
        pov_canvas_label_at(&g->canvas,
                            &(pov_canvas_label){{8 + 36 * (i % 6), 8 + 33 * (i / 6)}, 0, {1, 1}, red, "17"});
    pov_canvas_place_labels(&g->canvas, area);
    assert_true(changed_in(g, area) > 30 * 100);
    assert_int_equal(changed_in(g, (pov_rectangle){201, 0, WIDTH - 201, HEIGHT}), 0);
    assert_int_equal(changed_in(g, (pov_rectangle){0, 151, WIDTH, HEIGHT - 151}), 0);
    free(g);
}

static void labels_keep_off_things_but_for_those_that_may_cover_their_anchor(void **state)
{
    (void)state;
    guarded *g = guarded_new(255);
    const pov_rectangle thing = {100, 60, 90, 80};
    pov_canvas_keep_clear(&g->canvas, thing);
    pov_canvas_label_at(&g->canvas, &(pov_canvas_label){{145, 100}, 4, {0, 0}, red, "ball"});
    pov_canvas_place_labels(&g->canvas, everywhere);
    const double ground =
        0.8 * (pov_canvas_text_width_px(&g->canvas, "ball") + 8) * pov_canvas_line_height_px(&g->canvas);
    assert_true(changed_in(g, everywhere) - changed_in(g, thing) > ground); /* but for the line to it */
    pov_canvas_keep_clear(&g->canvas, thing);
    pov_canvas_label_at(&g->canvas, &(pov_canvas_label){{145, 120}, 0, {0, 0}, red, "17"});
    const int before = changed_in(g, thing);
    pov_canvas_place_labels(&g->canvas, everywhere);
    assert_true(changed_in(g, thing) > before + 150);
    free(g);
}

/* Two things leave a strip at the right edge; three leave nothing. */
static void a_label_goes_where_there_is_room_or_is_told_to_have_none(void **state)
{
    (void)state;
    guarded *g = guarded_new(255);
    const pov_rectangle upper = {0, 0, WIDTH - 60, HEIGHT / 2},
                        lower = {0, HEIGHT / 2, WIDTH - 60, HEIGHT / 2}, strip = {WIDTH - 60, 0, 60, HEIGHT};
    const pov_canvas_label label = {{40, HEIGHT / 4.0}, 4, {0, 0}, red, "ball"};
    const double ground =
        0.8 * (pov_canvas_text_width_px(&g->canvas, "ball") + 8) * pov_canvas_line_height_px(&g->canvas);
    pov_canvas_keep_clear(&g->canvas, upper);
    pov_canvas_keep_clear(&g->canvas, lower);
    pov_canvas_label_at(&g->canvas, &label);
    assert_int_equal(pov_canvas_place_labels(&g->canvas, everywhere), 0);
    assert_true(changed_in(g, strip) > ground);
    free(g);
    g = guarded_new(255);
    pov_canvas_keep_clear(&g->canvas, upper);
    pov_canvas_keep_clear(&g->canvas, lower);
    pov_canvas_keep_clear(&g->canvas, strip);
    pov_canvas_label_at(&g->canvas, &label);
    assert_int_equal(pov_canvas_place_labels(&g->canvas, everywhere), 1);
    assert_int_equal(changed_in(g, everywhere), 0); /* not on a thing */
    pov_canvas_keep_clear(&g->canvas, everywhere);  /* a table that fills the picture is in nobody's way */
    pov_canvas_label_at(&g->canvas, &label);
    assert_int_equal(pov_canvas_place_labels(&g->canvas, everywhere), 0);
    free(g);
}

static void letters_beyond_ascii_are_drawn(void **state)
{
    (void)state;
    guarded *mark = guarded_new(255), *other = guarded_new(255);
    pov_canvas_text(&mark->canvas, "\xc2\xb1", (pov_vec2){50, 50}, red); /* plus-minus */
    pov_canvas_text(&other->canvas, "?", (pov_vec2){50, 50}, red);
    assert_true(changed_in(mark, (pov_rectangle){45, 35, 20, 20}) > 10);
    assert_true(memcmp(mark->sheet, other->sheet, sizeof mark->sheet) != 0);
    assert_true(pov_canvas_text_width_px(&mark->canvas, "\xc3\xa9\xc3\xa9") <
                1.5 * pov_canvas_text_width_px(&mark->canvas, "ee"));
    assert_true(pov_canvas_text_width_px(&mark->canvas, "\xff\xfe") > 0); /* not UTF-8 */
    free(mark);
    free(other);
}

static void a_picture_of_the_same_size_is_copied_exactly(void **state)
{
    (void)state;
    guarded *g = guarded_new(0);
    uint8_t pixels[50][200];
    for (int i = 0; i < 50 * 200; i++)
        pixels[i / 200][i % 200] = (uint8_t)(i * 7 + i / 256);
    pov_image image = {.pixels = pixels[0], .width_px = 60, .height_px = 50, .stride_bytes = 200};
    pov_canvas_image(&g->canvas, (pov_rectangle){100, 80, 60, 50}, &image);
    for (int y = 0; y < 50; y++)
        assert_memory_equal(&g->sheet[GUARD + 80 + y][GUARD + 300], pixels[y], 180);
    assert_int_equal(changed_in(g, (pov_rectangle){0, 0, WIDTH, 80}), 0);
    assert_int_equal(changed_in(g, (pov_rectangle){160, 0, WIDTH - 160, HEIGHT}), 0);
    free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_drawn_out_of_bounds),
        cmocka_unit_test(a_line_covers_its_pixels_and_their_neighbours_only),
        cmocka_unit_test(a_point_that_is_not_finite_leaves_a_gap),
        cmocka_unit_test(a_closed_line_comes_back),
        cmocka_unit_test(short_pieces_draw_the_whole_line),
        cmocka_unit_test(labels_do_not_overlap),
        cmocka_unit_test(labels_stay_in_their_area),
        cmocka_unit_test(labels_keep_off_things_but_for_those_that_may_cover_their_anchor),
        cmocka_unit_test(a_label_goes_where_there_is_room_or_is_told_to_have_none),
        cmocka_unit_test(letters_beyond_ascii_are_drawn),
        cmocka_unit_test(a_picture_of_the_same_size_is_copied_exactly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
