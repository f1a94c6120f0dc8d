#include "compare/vlm/vlm_truth.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/near.h"

static pov_vlm_truths *parse_well(const char *text)
{
    pov_vlm_truths *truths;
    const pov_status status = pov_vlm_truths_parse(&truths, "t.jsonl", text, strlen(text));
    assert_string_equal(status.message, "");
    return truths;
}

/* Test vectors: http://www.isthe.com/chongo/src/fnv/test_fnv.c */
static void the_hash_is_fnv_1a(void **state)
{
    (void)state;
    assert_true(pov_vlm_truth_hash("", 0) == 0xcbf29ce484222325u);
    assert_true(pov_vlm_truth_hash("a", 1) == 0xaf63dc4c8601ec8cu);
    assert_true(pov_vlm_truth_hash("foobar", 6) == 0x85944171f73967e8u);
}

static void what_is_written_is_read(void **state)
{
    (void)state;
    const pov_vlm_truth written = {.image = 0x0123456789abcdefu,
                                   .prompt = "Is \"it\"\nthere?",
                                   .relation = "left_of",
                                   .yes_word = "Ja",
                                   .no_word = "Nein",
                                   .gold_len = 3,
                                   .asked = 1,
                                   .golds = {{"egocentric/reflected", 1.0 / 3, NULL},
                                             {"intrinsic", 0, NULL},
                                             {"absolute", NAN, "north"}}};
    char *line;
    assert_int_equal(pov_vlm_truth_line(&line, &written).code, POV_OK);
    pov_vlm_truths *truths = parse_well(line);
    const pov_vlm_truth *read = pov_vlm_truths_find(truths, written.image, written.prompt, "");
    assert_non_null(read);
    assert_int_equal(read->gold_len, 3);
    assert_int_equal(read->asked, 1);
    assert_near(read->golds[0].yes, 1.0 / 3, 0);
    assert_string_equal(read->golds[1].frame, "intrinsic");
    assert_true(isnan(read->golds[2].yes) && strcmp(read->golds[2].text, "north") == 0);
    assert_string_equal(read->relation, "left_of");
    assert_string_equal(read->no_word, "Nein");
    pov_vlm_truths_destroy(&truths);
    free(line);
}

static void what_is_no_truth_is_not_written(void **state)
{
    (void)state;
    char *line;
    pov_vlm_truth truth = {.prompt = "?", .gold_len = 0};
    assert_int_equal(pov_vlm_truth_line(&line, &truth).code, POV_ERROR);
    truth.gold_len = 1;
    truth.golds[0] = (pov_vlm_gold){"intrinsic", 1.5, NULL};
    assert_int_equal(pov_vlm_truth_line(&line, &truth).code, POV_ERROR);
    assert_null(line);
}

#define GOLDS "\"golds\":{\"intrinsic\":1}}\n"

static void each_image_and_prompt_finds_its_own(void **state)
{
    (void)state;
    enum { IMAGES = 20, PROMPTS = 20 };
    char text[IMAGES * PROMPTS * 100] = "";
    for (int i = 0, at = 0; i < IMAGES * PROMPTS; i++) {
        const int shuffled = i * 37 % (IMAGES * PROMPTS);
        at += sprintf(text + at, "{\"image\":\"%016x\",\"prompt\":\"p%d\",\"golds\":{\"intrinsic\":%.9g}}\n",
                      1 + shuffled / PROMPTS, shuffled % PROMPTS, shuffled / 1000.0);
    }
    pov_vlm_truths *truths = parse_well(text);
    assert_int_equal(pov_vlm_truths_len(truths), IMAGES * PROMPTS);
    for (int image = 0; image < IMAGES; image++)
        for (int prompt = 0; prompt < PROMPTS; prompt++) {
            char name[20];
            sprintf(name, "  p%d\n", prompt);
            const pov_vlm_truth *found = pov_vlm_truths_find(truths, (uint64_t)(1 + image), name, "");
            assert_non_null(found);
            assert_near(found->golds[0].yes, (image * PROMPTS + prompt) / 1000.0, 1e-9);
        }
    assert_null(pov_vlm_truths_find(truths, 99, "p1", ""));
    assert_null(pov_vlm_truths_find(truths, 1, "p99", ""));
    assert_non_null(pov_vlm_truths_find_prompt(truths, "p7"));
    assert_null(pov_vlm_truths_find_prompt(truths, "p"));
    pov_vlm_truths_destroy(&truths);
}

static void of_lines_about_the_same_the_last_counts_and_one_being_written_does_not(void **state)
{
    (void)state;
    pov_vlm_truths *truths = parse_well("{\"image\":\"\",\"prompt\":\"p\",\"golds\":{\"intrinsic\":0}}\n\n"
                                        "{\"image\":\"\",\"prompt\":\"p\"," GOLDS "{\"image\":\"\",\"pro");
    assert_int_equal(pov_vlm_truths_len(truths), 2);
    assert_near(pov_vlm_truths_find(truths, 0, "p", "")->golds[0].yes, 1, 0);
    pov_vlm_truths_destroy(&truths);
}

static void what_is_wrong_is_told_with_line_and_key(void **state)
{
    (void)state;
    static const struct {
        const char *line, *words;
    } cases[] = {
        {"x\n", "t.jsonl:2: not a JSON object"},
        {"{\"prompt\":\"p\"," GOLDS, "image"},
        {"{\"image\":\"12\",\"prompt\":\"p\"," GOLDS, "16 digits"},
        {"{\"image\":\"\"," GOLDS, "prompt"},
        {"{\"image\":\"\",\"prompt\":\"p\"}\n", "golds"},
        {"{\"image\":\"\",\"prompt\":\"p\",\"golds\":{}}\n", "golds"},
        {"{\"image\":\"\",\"prompt\":\"p\",\"golds\":{\"intrinsic\":2}}\n", "golds.intrinsic"},
        {"{\"image\":\"\",\"prompt\":\"p\",\"asked\":\"x\"," GOLDS, "asked"},
        {"{\"image\":\"\",\"prompt\":\"p\",\"yes\":1," GOLDS, "yes"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[300];
        pov_vlm_truths *truths;
        snprintf(text, sizeof text, "{\"image\":\"\",\"prompt\":\"p\",%s%s", GOLDS, cases[i].line);
        const pov_status status = pov_vlm_truths_parse(&truths, "t.jsonl", text, strlen(text));
        assert_null(truths);
        if (!strstr(status.message, cases[i].words) || !strstr(status.message, "t.jsonl:2: "))
            fail_msg("%s: %s", cases[i].line, status.message);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_hash_is_fnv_1a),
        cmocka_unit_test(what_is_written_is_read),
        cmocka_unit_test(what_is_no_truth_is_not_written),
        cmocka_unit_test(each_image_and_prompt_finds_its_own),
        cmocka_unit_test(of_lines_about_the_same_the_last_counts_and_one_being_written_does_not),
        cmocka_unit_test(what_is_wrong_is_told_with_line_and_key),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
