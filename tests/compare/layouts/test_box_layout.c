/* Layouts as models write them, each with the boxes that a person reads in it. */
#include "compare/layouts/box_layout.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Boxes of a cat and a dog: left, top, right, bottom. */
typedef struct {
    const char *answer;
    double cat[4], dog[4];
    int remarks; /* bits 1 << pov_layout_remark */
} reading;

#define CAT                                                                                                  \
    {                                                                                                        \
        100, 200, 150, 280                                                                                   \
    }
#define DOG                                                                                                  \
    {                                                                                                        \
        300, 210, 400, 330                                                                                   \
    }

static const reading readings[] = {
    /* lists, as asked for */
    {"Objects: [['cat', [100, 200, 50, 80]], ['dog', [300, 210, 100, 120]]]", CAT, DOG, 0},
    {"Objects: [[\"cat\", [100, 200, 50, 80]], [\"dog\", [300, 210, 100, 120]]]", CAT, DOG, 0},
    {"[('dog', [300, 210, 100, 120]), ('cat', [100, 200, 50, 80])]", CAT, DOG, 0},
    {"Objects: [['cat', [100, 200, 50, 80], 'front'], ['dog', [300, 210, 100, 120], 'left']]", CAT, DOG, 0},
    {"Objects: [['a cat', (100, 200, 50, 80)], ['the dog', (300, 210, 100, 120)]]", CAT, DOG, 0},
    {"[['cat', 100, 200, 50, 80], ['dog', 300, 210, 100, 120]]", CAT, DOG, 0},
    {"Objects: [['Cat', [100.0, 200.0, 50.0, 80.0]], ['DOG', [300, 210, 100, 120.0]]].", CAT, DOG, 0},
    {"Sure! Here is the layout:\n\nObjects: [['cat', [100, 200, 50, 80]], ['dog', [300, 210, 100, 120]]]\n\n"
     "The cat (on the left) is smaller than the dog.",
     CAT, DOG, 0},
    {"```python\nobjects = [['tabby cat', [100, 200, 50, 80]], ['dogs', [300, 210, 100, 120]]]\n```", CAT,
     DOG, 0},
    {"Objects: [['my perspective', [0, 0, 512, 512]], ['cat', [100, 200, 50, 80]], ['dog', [300, 210, 100, "
     "120]]]",
     CAT, DOG, 0},
    {"Objects: [[\xe2\x80\x98"
     "cat\xe2\x80\x99, [100, 200, 50, 80]], [\xe2\x80\x98"
     "dog\xe2\x80\x99, [300, 210, 100, 120]]]",
     CAT, DOG, 0},
    /* JSON */
    {"{\"cat\": [100, 200, 50, 80], \"dog\": [300, 210, 100, 120]}", CAT, DOG, 0},
    {"{\"objects\": [{\"label\": \"cat\", \"bbox\": [100, 200, 50, 80]}, {\"bbox\": [300, 210, 100, 120], "
     "\"label\": \"dog\", \"facing\": \"left\"}]}",
     CAT, DOG, 0},
    {"```json\n{\n  \"cat\": {\"x\": 100, \"y\": 200, \"width\": 50, \"height\": 80},\n  \"dog\": {\"x\": "
     "300, \"y\": 210, "
     "\"width\": 100, \"height\": 120}\n}\n```",
     CAT, DOG, 0},
    {"{\"cat\": {\"box\": {\"height\": 80, \"width\": 50, \"y\": 200, \"x\": 100}}, \"dog\": {\"box\": [300, "
     "210, 100, 120]}}",
     CAT, DOG, 0},
    {"[{\"name\": \"cat\", \"x\": 100, \"y\": 200, \"w\": 50, \"h\": 80}, {\"name\": \"dog\", \"x\": 300, "
     "\"y\": 210, \"w\": 100, "
     "\"h\": 120}]",
     CAT, DOG, 0},
    {"{'cat': {'bounding_box': [100, 200, 50, 80], 'direction': 'front'}, 'dog': {'bounding_box': [300, 210, "
     "100, 120], "
     "'direction': 'left of the cat'}}",
     CAT, DOG, 0},
    /* prose */
    {"cat: (100, 200, 50, 80)\ndog: (300, 210, 100, 120)", CAT, DOG, 0},
    {"- **Cat**: [100, 200, 50, 80]\n- **Dog**: [300, 210, 100, 120]", CAT, DOG, 0},
    {"1. Cat: 100, 200, 50, 80\n2. Dog: 300, 210, 100, 120", CAT, DOG, 0},
    {"Cat: x=100, y=200, width=50, height=80\nDog: x=300, y=210, width=100, height=120", CAT, DOG, 0},
    {"cat:\n  x: 100\n  y: 200\n  width: 50\n  height: 80\ndog:\n  x: 300\n  y: 210\n  width: 100\n  height: "
     "120\n",
     CAT, DOG, 0},
    {"The cat is at (x: 100px, y: 200px, w: 50px, h: 80px), and the dog's box is (x: 300px, y: 210px, w: "
     "100px, h: 120px).",
     CAT, DOG, 0},
    {"| object | x | y | width | height |\n|---|---|---|---|---|\n| cat | 100 | 200 | 50 | 80 |\n| dog | 300 "
     "| 210 | 100 | 120 |",
     CAT, DOG, 0},
    {"Since the cat is left of the dog, I put the cat's box at [100, 200, 50, 80] and that of the dog at "
     "[300, 210, 100, 120].",
     CAT, DOG, 0},
    {"In the format (x, y, width, height), on a 512x512 picture: the cat, facing left: (100, 200, 50, "
     "80). The dog: (300, 210, "
     "100, 120).",
     CAT,
     {300, 210, 400, 330},
     0},
    {"[100, 200, 50, 80] - cat\n[300, 210, 100, 120] - dog", CAT, DOG, 0},
    {"1. (100, 200, 50, 80): cat\n2. (300, 210, 100, 120): dog", CAT, DOG, 0},
    {"cat = [100, 200, 50, 80]; dog -> [300, 210, 100, 120]", CAT, DOG, 0},
    {"- object: cat\n  box: [100, 200, 50, 80]\n- object: dog\n  box: [300, 210, 100, 120]\n", CAT, DOG, 0},
    {"The bounding box for the cat would be (100, 200, 50, 80). The bounding box for the dog would be (300, "
     "210, 100, 120).",
     CAT, DOG, 0},
    {"<cat>[100, 200, 50, 80]</cat><dog>[300, 210, 100, 120]</dog>", CAT, DOG, 0},
    {"Cat: top-left at (100, 200), size (50, 80). Dog: top-left at (300, 210), size (100, 120).", CAT, DOG,
     0},
    {"<ref>cat</ref><box>(100,200),(150,280)</box><ref>dog</ref><box>(300,210),(400,330)</box>", CAT, DOG,
     1 << POV_LAYOUT_CORNERS},
    {"Cat: from (100, 200) to (150, 280). Dog: from (300, 210) to (400, 330).", CAT, DOG,
     1 << POV_LAYOUT_CORNERS},
    /* the last one counts; thoughts do not */
    {"First try: [['cat', [1, 2, 3, 4]], ['dog', [5, 6, 7, 8]]]. That is too small. Objects: [['cat', [100, "
     "200, 50, 80]], ['dog', "
     "[300, 210, 100, 120]]]",
     CAT, DOG, 0},
    {"<think>Objects: [['cat', [1, 2, 3, 4]]]</think>\nObjects: [['cat', [100, 200, 50, 80]], ['dog', [300, "
     "210, 100, 120]]]",
     CAT, DOG, 0},
    /* other orders, told */
    {"Format: (x, y, height, width)\nObjects: [['cat', [100, 200, 80, 50]], ['dog', [300, 210, 120, 100]]]",
     CAT, DOG, 1 << POV_LAYOUT_HEIGHT_FIRST},
    {"Objects: [['cat', [100, 200, 80, 50]], ['dog', [300, 210, 120, 100]]], where each box is [x, y, h, w].",
     CAT, DOG, 1 << POV_LAYOUT_HEIGHT_FIRST},
    {"| object | x | y | height | width |\n|---|---|---|---|---|\n| cat | 100 | 200 | 80 | 50 |\n| dog | 300 "
     "| 210 | 120 | 100 |",
     CAT, DOG, 1 << POV_LAYOUT_HEIGHT_FIRST},
    {"Boxes as (x_min, y_min, x_max, y_max): cat (100, 200, 150, 280), dog (300, 210, 400, 330)", CAT, DOG,
     1 << POV_LAYOUT_CORNERS},
    {"{\"cat\": {\"x1\": 100, \"y1\": 200, \"x2\": 150, \"y2\": 280}, \"dog\": {\"x1\": 300, \"y1\": 210, "
     "\"x2\": 400, \"y2\": 330}}",
     CAT, DOG, 1 << POV_LAYOUT_CORNERS},
    {"cat: left=100, top=200, right=150, bottom=280\ndog: left=300, top=210, right=400, bottom=330", CAT, DOG,
     1 << POV_LAYOUT_CORNERS},
    {"[['cat', [[100, 200], [150, 280]]], ['dog', [[300, 210], [400, 330]]]]", CAT, DOG,
     1 << POV_LAYOUT_CORNERS},
    {"{\"cat\": {\"x_center\": 125, \"y_center\": 240, \"width\": 50, \"height\": 80}, \"dog\": {\"cx\": "
     "350, \"cy\": 270, \"w\": 100, "
     "\"h\": 120}}",
     CAT, DOG, 0},
    {"Objects: [['cat', [0.25, 0.5, 0.125, 0.25]], ['dog', [0.5, 0.5, 0.25, 0.25]]]",
     {128, 256, 192, 384},
     {256, 256, 384, 384},
     1 << POV_LAYOUT_SHARES},
    {"cat: x=25%, y=50%, width=12.5%, height=25%\ndog: x=50%, y=50%, width=25%, height=25%",
     {128, 256, 192, 384},
     {256, 256, 384, 384},
     1 << POV_LAYOUT_SHARES},
    /* read as written, and told */
    {"Objects: [['cat', [400, 10, 300, 60]], ['dog', [10, 10, 50, 60]]]",
     {400, 10, 700, 70},
     {10, 10, 60, 70},
     1 << POV_LAYOUT_SWAPPED},
    {"Objects: [['cat', [600, 10, 50, 60]], ['dog', [10, 10, 50, 60]]]",
     {600, 10, 650, 70},
     {10, 10, 60, 70},
     1 << POV_LAYOUT_OUTSIDE},
    {"Objects: [['cat', [-40, 10, 50, 60]], ['dog', [10, 10, 50, 60]]]",
     {-40, 10, 10, 70},
     {10, 10, 60, 70},
     1 << POV_LAYOUT_OUTSIDE},
};

static void assert_box(const pov_layout_box *box, const double expected[4], const char *answer)
{
    const double actual[4] = {box->left_px, box->top_px, box->right_px, box->bottom_px};
    for (int i = 0; i < 4; i++)
        if (!(fabs(actual[i] - expected[i]) < 1e-9))
            fail_msg("%s\nis read as %g %g %g %g, not %g %g %g %g", answer, actual[0], actual[1], actual[2],
                     actual[3], expected[0], expected[1], expected[2], expected[3]);
}

static void layouts_are_read_as_people_do(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof readings / sizeof *readings; i++) {
        const reading *r = &readings[i];
        pov_box_layout layout;
        const pov_answer_kind kind = pov_box_layout_read(&layout, r->answer, "cat", "dog");
        if (kind != POV_ANSWER_GIVEN)
            fail_msg("%s\nis %s", r->answer, pov_answer_kind_name(kind));
        assert_box(&layout.locatum, r->cat, r->answer);
        assert_box(&layout.relatum, r->dog, r->answer);
        for (int k = 0; k < POV_LAYOUT_REMARKS; k++)
            if (layout.remarks[k] != (r->remarks >> k & 1))
                fail_msg("%s\n%s is %d", r->answer, pov_layout_remark_name((pov_layout_remark)k),
                         layout.remarks[k]);
    }
}

static void what_names_no_two_boxes_is_unclear(void **state)
{
    (void)state;
    static const char *const unclear[] = {
        "Objects: [['cat', [100, 200, 50, 80]]]",
        "Objects: [['cat', [100, 200, 50, 80]], ['puppy', [300, 210, 100, 120]]]",
        "Objects: [['catalog', [100, 200, 50, 80]], ['dog', [300, 210, 100, 120]]]",
        "Objects: [['cat', [100, 200, 50]], ['dog', [300, 210, 100, 120]]]",
        "Objects: [['cat', [100, 200, 0, 80]], ['dog', [300, 210, 100, 120]]]",
        "Objects: [['cat', [100, 200, -50, 80]], ['dog', [300, 210, 100, 120]]]",
        "Objects: [['cat', [100, 200, 50, 80]], ['dog', [300, 210, 1e300, 120]]]",
        "Objects: [['cat', [x, y, width, height]], ['dog', [x, y, width, height]]]",
        "Objects: [['cat', [0x10, 1, 2, 3]], ['dog', [300, 210, 100, 120]]]",
        "The cat is to the left of the dog.",
        "Objects: []",
        "[[[[[[[[[[[[[[[[[[[[",
    };
    pov_box_layout layout;
    for (size_t i = 0; i < sizeof unclear / sizeof *unclear; i++)
        if (pov_box_layout_read(&layout, unclear[i], "cat", "dog") != POV_ANSWER_UNCLEAR)
            fail_msg("%s\nis read", unclear[i]);
    assert_int_equal(pov_box_layout_read(&layout, "", "cat", "dog"), POV_ANSWER_MISSING);
    assert_int_equal(pov_box_layout_read(&layout, "I'm sorry, I can't help with that.", "cat", "dog"),
                     POV_ANSWER_REFUSED);
}

static void names_may_have_words_or_be_part_of_others(void **state)
{
    (void)state;
    pov_box_layout layout;
    assert_int_equal(
        pov_box_layout_read(&layout,
                            "Objects: [['fire_hydrant', [1, 2, 3, 4]], ['Fire Truck', [50, 60, 70, 80]]]",
                            "fire truck", "fire hydrant"),
        POV_ANSWER_GIVEN);
    assert_true(layout.locatum.left_px == 50 && layout.relatum.left_px == 1);
    assert_int_equal(
        pov_box_layout_read(&layout, "box: [1, 2, 3, 4]; tool box: [50, 60, 70, 80]", "box", "tool box"),
        POV_ANSWER_GIVEN);
    assert_true(layout.locatum.left_px == 1 && layout.relatum.left_px == 50);
}

static void left_and_right_are_by_the_centres(void **state)
{
    (void)state;
    pov_box_layout layout;
    static const struct {
        const char *answer;
        bool left, right;
    } cases[] = {{"cat: [0, 0, 10, 10], dog: [20, 0, 10, 10]", true, false},
                 {"cat: [0, 0, 100, 10], dog: [20, 0, 10, 10]", false, true},
                 {"cat: [0, 0, 10, 10], dog: [1, 0, 10, 10]", false, false}, /* one pixel is none */
                 {"cat: [0, 0, 10, 10], dog: [1.5, 0, 10, 10]", true, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(pov_box_layout_read(&layout, cases[i].answer, "cat", "dog"), POV_ANSWER_GIVEN);
        assert_int_equal(pov_box_layout_is_left(&layout), cases[i].left);
        assert_int_equal(pov_box_layout_is_right(&layout), cases[i].right);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(layouts_are_read_as_people_do),
        cmocka_unit_test(what_names_no_two_boxes_is_unclear),
        cmocka_unit_test(names_may_have_words_or_be_part_of_others),
        cmocka_unit_test(left_and_right_are_by_the_centres),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
