/* Options and golds as files write them, and letters in answers; the scripts' readings against what their authors' patterns find. */
#include "compare/answers/letter_reading.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <string.h>

static void check_list(const char *text, const char *wanted)
{
    pov_choice_list list;
    char joined[400] = "";
    (void)pov_choice_list_read(&list, text);
    for (int i = 0; i < list.len; i++) {
        strcat(joined, i ? "/" : "");
        strcat(joined, list.text[i]);
    }
    if (strcmp(joined, wanted) != 0)
        fail_msg("\"%s\" is read as \"%s\", not \"%s\"", text, joined, wanted);
    pov_choice_list_free(&list);
}

static void options_are_read_in_every_form(void **state)
{
    (void)state;
    check_list("A. right\nB. front-up\nC. back-left\nD. front", "right/front-up/back-left/front");
    check_list("A) right\r\nB) left\r\n", "right/left");
    check_list("(A) right (B) left", "right/left");
    check_list("A: right\nB: left", "right/left");
    check_list("A\uff0eright\nB\uff0eleft", "right/left");
    check_list("right|front-up|back", "right/front-up/back");
    check_list("[\"right\", \"left\"]", "right/left");
    check_list("['right', \"the car's\", 'x']", "right/the car's/x");
    check_list("['A. right', 'B. left']", "right/left");
    check_list("{\"A\": \"right\", \"B\": \"left\", \"C\": null}", "right/left");
    check_list("{'A': 'right', 'B': 'it\\'s left', 'C': nan}", "right/it's left");
    check_list("[1, 2.5]", "1/2.5");
    check_list("front, back", "front/back");
    check_list("A. a cup, red B. a box", "a cup, red/a box");
    check_list("yes", "yes");
    check_list("", "");
    check_list("[\"right\", ", "");
}

static void options_end_a_question(void **state)
{
    static const char question[] = "From A. Smith's view, what is behind? A. Door B. Sink (red) C. \"Wall\"";
    pov_choice_list list;
    size_t stem;
    (void)state;
    assert_true(pov_choice_list_read_end(&list, &stem, question));
    assert_int_equal(stem, strlen("From A. Smith's view, what is behind?"));
    assert_int_equal(list.len, 3);
    assert_string_equal(list.text[0], "Door");
    assert_string_equal(list.text[1], "Sink (red)");
    assert_string_equal(list.text[2], "\"Wall\"");
    pov_choice_list_free(&list);
    assert_false(pov_choice_list_read_end(&list, &stem, "What is behind?"));
}

static void golds_are_texts_or_letters(void **state)
{
    pov_choice_list list;
    (void)state;
    (void)pov_choice_list_read(&list, "front|back-left|B");
    assert_int_equal(pov_choice_list_gold(&list, "back-left"), 1);
    assert_int_equal(pov_choice_list_gold(&list, " Back-Left."), 1);
    assert_int_equal(pov_choice_list_gold(&list, "A"), 0);
    assert_int_equal(pov_choice_list_gold(&list, "(a)"), 0);
    assert_int_equal(pov_choice_list_gold(&list, "A. front"), 0);
    assert_int_equal(pov_choice_list_gold(&list, "B"), 2);        /* an option's own text comes first */
    assert_int_equal(pov_choice_list_gold(&list, "A. back"), -1); /* letter and words differ */
    assert_int_equal(pov_choice_list_gold(&list, "D"), -1);
    pov_choice_list_free(&list);
    list = (pov_choice_list){.len = 0};
    assert_int_equal(pov_choice_list_gold(&list, "C. back-left"), 2);
}

static const pov_choice_list *four_options(void)
{
    static char texts[][12] = {"right", "front-left", "back", "front"};
    static pov_choice_list list = {.len = 4, .text = {texts[0], texts[1], texts[2], texts[3]}};
    return &list;
}

static void check_letter(const char *answer, pov_letter_rule rule, char wanted)
{
    int option;
    (void)pov_answer_letter(&option, answer, four_options(), rule);
    const char read = option < 0 ? '-' : (char)('A' + option);
    if (read != wanted)
        fail_msg("\"%s\" is read as %c, not %c (rule %d)", answer, read, wanted, (int)rule);
}

static void letters_are_read_in_every_form(void **state)
{
    static const char *const of_b[] = {"B",
                                       "b",
                                       "B.",
                                       "b.",
                                       "B)",
                                       "(B)",
                                       "(b)",
                                       "B: front-left",
                                       "B. front-left",
                                       " **B** ",
                                       "\"B\"",
                                       "The answer is B.",
                                       "The answer is (b).",
                                       "Answer: B",
                                       "answer:\nB",
                                       "Option B",
                                       "\\boxed{B}",
                                       "<answer>B. front-left</answer>",
                                       "B\uff0e",
                                       "\uff08B\uff09",
                                       "<think>A or C?</think>B",
                                       "A is wrong. <answer>B</answer>",
                                       "I think a chair is there.\nAnswer: B",
                                       "front-left",
                                       "Front-left.",
                                       "B, not A"};
    (void)state;
    for (size_t i = 0; i < sizeof of_b / sizeof *of_b; i++)
        check_letter(of_b[i], POV_LETTERS_USUAL, 'B');
    static const char *const of_none[] = {
        "",   "left",           "front-left or front", "a chair", "Back to front",
        "E.", "I cannot tell.", "It's behind",         "Because"};
    for (size_t i = 0; i < sizeof of_none / sizeof *of_none; i++)
        check_letter(of_none[i], POV_LETTERS_USUAL, '-');
}

static void a_refusal_is_no_letter(void **state)
{
    int option;
    (void)state;
    assert_int_equal(pov_answer_letter(&option, "I cannot tell.", four_options(), POV_LETTERS_USUAL),
                     POV_ANSWER_REFUSED);
    assert_int_equal(pov_answer_letter(&option, "", four_options(), POV_LETTERS_USUAL), POV_ANSWER_MISSING);
    assert_int_equal(pov_answer_letter(&option, "somewhere", four_options(), POV_LETTERS_USUAL),
                     POV_ANSWER_UNCLEAR);
}

static void scripts_read_as_their_patterns_do(void **state)
{
    (void)state;
    check_letter("A man.\nIt is a chair, so B", POV_LETTERS_VIEWSPATIAL, 'A'); /* "a" of the last line */
    check_letter("C\nB", POV_LETTERS_VIEWSPATIAL, 'B');
    check_letter("B\n", POV_LETTERS_VIEWSPATIAL, '-');
    check_letter("front-left", POV_LETTERS_VIEWSPATIAL, '-');
    check_letter("D. front", POV_LETTERS_3DSRBENCH, 'D');
    check_letter("A is wrong; the answer is (C)", POV_LETTERS_3DSRBENCH, 'A'); /* begins with "A " */
    check_letter("Not A. answer: C", POV_LETTERS_3DSRBENCH, 'C');
    check_letter("a) right", POV_LETTERS_3DSRBENCH, '-');
    check_letter("<answer>A. right</answer> or B. front-left", POV_LETTERS_MINDCUBE, 'B');
    check_letter("My answer is C", POV_LETTERS_MINDCUBE, 'C');
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(options_are_read_in_every_form), cmocka_unit_test(options_end_a_question),
        cmocka_unit_test(golds_are_texts_or_letters),     cmocka_unit_test(letters_are_read_in_every_form),
        cmocka_unit_test(a_refusal_is_no_letter),         cmocka_unit_test(scripts_read_as_their_patterns_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
