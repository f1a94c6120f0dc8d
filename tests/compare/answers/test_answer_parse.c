/* Answers as models give them: those of Isle-Brick's paper, and of kinds that come up. */
#include "compare/answers/answer_parse.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/near.h"

#define LEN(array) (sizeof(array) / sizeof *(array))

static void assert_kind(pov_answer_kind actual, pov_answer_kind expected, const char *answer)
{
    if (actual != expected)
        fail_msg("\"%s\" is %s, not %s", answer, pov_answer_kind_name(actual),
                 pov_answer_kind_name(expected));
}

/* ---- yes or no ---- */

typedef struct {
    const char *answer;
    int expected; /* 1: yes, 0: no, -1: refused, -2: unclear, -3: missing */
} yes_no_case;

static void assert_yes_no(const yes_no_case *one, const pov_yes_no_words *words)
{
    static const pov_answer_kind kinds[] = {POV_ANSWER_MISSING, POV_ANSWER_UNCLEAR, POV_ANSWER_REFUSED,
                                            POV_ANSWER_GIVEN, POV_ANSWER_GIVEN};
    bool yes;
    pov_answer_kind kind = pov_answer_yes_no(&yes, one->answer, words);
    assert_kind(kind, kinds[one->expected + 3], one->answer);
    if (kind == POV_ANSWER_GIVEN && yes != (one->expected == 1))
        fail_msg("\"%s\" is %s", one->answer, yes ? "yes" : "no");
}

static void yes_and_no_are_read_in_english(void **state)
{
    (void)state;
    static const yes_no_case cases[] = {
        {"Yes", 1},
        {"  yes.", 1},
        {"**No**, the ball is behind the car.", 0},
        {"Yes, both the humanoid minifigure and the dog are on the same flat, white surface.", 1},
        {"Yes, assuming the humanoid minifigure can see and its eyes are open, it appears to be facing the "
         "dog.",
         1},
        {"No, it cannot see the dog; toys cannot see.", 0},
        {"The minifigure does not see the dog.", 0},
        {"It isn\xe2\x80\x99t to the left.", 0},
        {"The figure cannot see the object because it faces away.", 0},
        {"The answer is: TRUE", 1},
        {"False", 0},
        {"I'm sorry, but I can't tell from this image.", -1},
        {"I cannot determine whether it does.", -1},
        {"As an AI model, I do not have vision.", -1},
        {"It is an inanimate LEGO toy, it does not possess actual vision.", -1},
        {"The ball is behind the car.", -2},
        {"Yesterday was a nothing day of notes", -2},
        {"", -3},
        {" \n ", -3},
        {"\xff\xfe broken \xc3", -2},
    };
    for (size_t i = 0; i < LEN(cases); i++)
        assert_yes_no(&cases[i], &POV_YES_NO_ENGLISH);
}

static void yes_and_no_are_read_in_words_passed_in(void **state)
{
    (void)state;
    static const char *const yes[] = {"ja", "sí",   "是", "はい", "예",  "نعم", "हाँ",
                                      "да", "evet", "có", "ใช่",   "ναι", NULL};
    static const char *const no[] = {"nein", "no",    "不是",  "いいえ", "아니요", "لا", "नहीं",
                                     "нет",  "hayır", "không", "ไม่ใช่",   "όχι",    NULL};
    static const pov_yes_no_words words = {yes, no};
    static const yes_no_case cases[] = {
        {"Ja, der Ball liegt links.", 1},
        {"NEIN!", 0},
        {"Sí.", 1},
        {"SÍ, está a la izquierda", 1},
        {"是的，球在左边。", 1},
        {"不是，球在右边。", 0},
        {"はい、左にあります。", 1},
        {"いいえ。", 0},
        {"예, 공은 왼쪽에 있습니다.", 1},
        {"아니요, 그렇지 않습니다.", 0},
        {"نعم، الكرة على اليسار", 1},
        {"لا، ليست كذلك", 0},
        {"हाँ, गेंद बाईं ओर है।", 1},
        {"नहीं।", 0},
        {"Да, мяч слева.", 1},
        {"НЕТ", 0},
        {"Evet.", 1},
        {"Hayır, sağda.", 0},
        {"Có, bên trái.", 1},
        {"Không.", 0},
        {"ใช่ครับ", 1},
        {"ไม่ใช่ครับ", 0},
        {"ΝΑΙ", 1},
        {"Der Ball ist blau.", -2},
        {"Jawohl", -2},
    };
    for (size_t i = 0; i < LEN(cases); i++)
        assert_yes_no(&cases[i], &words);
}

static void all_are(const yes_no_case *cases, size_t len, const pov_yes_no_words *words)
{
    for (size_t i = 0; i < len; i++)
        assert_yes_no(&cases[i], words);
}

static void what_a_model_thinks_aloud_is_not_its_answer(void **state)
{
    (void)state;
    static const yes_no_case cases[] = {
        {"<think>The ball is not visible at first... no wait, it is there, on the left.</think>\nYes", 1},
        {"<think>Yes, it looks like left, but from her viewpoint it is right.</think> No.", 0},
        {"<thinking>No.</thinking><thinking>Yes?</thinking>\n\n<answer>no</answer>", 0},
        {"◁think▷yes◁/think▷no", 0},
        {"<think>The ball is left, so yes", -3}, /* cut off by token_max */
    };
    all_are(cases, LEN(cases), &POV_YES_NO_ENGLISH);
    static char thought[3 * 4096];
    memset(thought, 'a', sizeof thought - 64);
    memcpy(thought, "<think>yes ", 11);
    strcpy(thought + sizeof thought - 64,
           "</think>No."); /* also behind more than is looked at of an answer */
    assert_yes_no(&(yes_no_case){thought, 0}, &POV_YES_NO_ENGLISH);
}

static void of_a_long_answer_the_beginning_and_the_end_are_read(void **state)
{
    (void)state;
    static char text[100000];
    static const struct {
        const char *begin, *end;
        bool yes;
    } cases[] = {{"No. ", ".", false},
                 {"Yes, I see. ", ". Answer: no", false},
                 {"Yes or no? ", ". \\boxed{yes}", true}};
    for (size_t i = 0; i < LEN(cases); i++) {
        bool yes;
        memset(text, 'a', sizeof text);
        for (size_t k = 7; k < sizeof text; k += 8)
            text[k] = ' ';
        memcpy(text, cases[i].begin, strlen(cases[i].begin));
        strcpy(text + sizeof text - 1 - strlen(cases[i].end), cases[i].end);
        assert_kind(pov_answer_yes_no(&yes, text, &POV_YES_NO_ENGLISH), POV_ANSWER_GIVEN, cases[i].begin);
        assert_int_equal(yes, cases[i].yes);
    }
}

static void of_what_a_model_reasons_its_conclusion_counts(void **state)
{
    (void)state;
    static const yes_no_case cases[] = {
        {"From her viewpoint the ball is not on her right but on her left. Final answer: Yes", 1},
        {"The ball isn't on her left; it's on the right.\n\n**Answer: No**", 0},
        {"### Step 1\nIt is true that the sofa faces left.\n### Conclusion\nNo", 0},
        {"{\"reasoning\": \"There is no obstacle, it is not right.\", \"answer\": \"yes\"}", 1},
        {"The final answer is $\\boxed{\\text{No}}$.", 0},
        {"Answer (yes or no): yes", 1},
        {"I apologize for the confusion, but the answer is no.", 0},
        {"The answer is not clear from this image.", -1},
        {"I cannot answer that.", -1},
    };
    all_are(cases, LEN(cases), &POV_YES_NO_ENGLISH);
    static const char *const sides[] = {"left", "right"};
    int option;
    double number;
    assert_kind(pov_answer_option(&option, "Its left is on my right. The correct option is B.", sides, 2),
                POV_ANSWER_GIVEN, "B");
    assert_int_equal(option, 1);
    assert_kind(pov_answer_number(&number, "2 people and 3 dogs; the answer is 3."), POV_ANSWER_GIVEN, "3");
    assert_near(number, 3, 0);
}

static void a_yes_or_no_that_stands_alone_counts_before_one_in_a_sentence(void **state)
{
    (void)state;
    static const yes_no_case cases[] = {
        {"There is no doubt: yes.", 1},
        {"No problem! Yes, the ball is behind the car.", 1},
        {"Whether it is left of the car or not, I look at the image. It is on the left. Yes.", 1},
        {"There is no ball in this image.", 0},
        {"Certainly not.", 0},
        {"Certainly. It is on the left.", 1},
        {"It is certainly on the right.", -2},
        {"I don't think so.", 0},
        {"Yes✅", 1},
        {"I'm sorry, no.", 0},
        {"I can't say whether it does not.", -1},
    };
    all_are(cases, LEN(cases), &POV_YES_NO_ENGLISH);
    static const char *const yes[] = {"是", "是的", "有", NULL}, *const no[] = {"不是", "不", "不在", "否",
                                                                                NULL};
    static const pov_yes_no_words chinese = {yes, no};
    static const yes_no_case signs[] = {
        {"答案是：不是。", 0},
        {"答案是：是。", 1},
        {"从相机的角度看，球在汽车的右边，所以不是。", 0},
        {"图中的球是红色的，它不在汽车的左边。", 0},
        {"球在汽车左边不远处。", -2},
    };
    all_are(signs, LEN(signs), &chinese);
}

static void a_choice_offered_again_is_no_answer(void **state)
{
    (void)state;
    static const yes_no_case cases[] = {
        {"Yes or no? Hard to say.", -2},
        {"Yes and no. From the camera it is on the left, from the woman on the right.", -2},
        {"The question (yes/no) is hard. So: no.", 0},
        {"Yes, not only left.", 1},
    };
    all_are(cases, LEN(cases), &POV_YES_NO_ENGLISH);
}

static void capitals_without_accents_and_dots_are_the_same_words(void **state)
{
    (void)state;
    static const char *const yes[] = {"ναι", "evet", NULL}, *const no[] = {"όχι", "hayır", NULL};
    static const pov_yes_no_words words = {yes, no};
    static const yes_no_case cases[] = {{"Όχι, δεξιά.", 0}, {"ΟΧΙ", 0},   {"ΌΧΙ", 0},
                                        {"HAYIR", 0},       {"Hayır", 0}, {"NAI", -2}};
    all_are(cases, LEN(cases), &words);
}

/* ---- numbers ---- */

static void numbers_are_read_in_digits_and_words(void **state)
{
    (void)state;
    static const struct {
        const char *answer;
        pov_answer_kind kind;
        double number;
    } cases[] = {
        {"3", POV_ANSWER_GIVEN, 3},
        {"There are 12 cups.", POV_ANSWER_GIVEN, 12},
        {"In the image, there is one object: 1. A small black dog.", POV_ANSWER_GIVEN, 1},
        {"There is one humanoid minifigure in the picture.", POV_ANSWER_GIVEN, 1},
        {"Zero", POV_ANSWER_GIVEN, 0},
        {"There are no laptops on the left.", POV_ANSWER_GIVEN, 0},
        {"None.", POV_ANSWER_GIVEN, 0},
        {"No.", POV_ANSWER_GIVEN, 0},
        {"No, there are three.", POV_ANSWER_GIVEN, 3},
        {"Twenty-one horses", POV_ANSWER_GIVEN, 21},
        {"two hundred and five", POV_ANSWER_GIVEN, 205},
        {"nine hundred ninety-nine thousand nine hundred ninety-nine", POV_ANSWER_GIVEN, 999999},
        {"one two three", POV_ANSWER_GIVEN, 1},
        {"1,250 people", POV_ANSWER_GIVEN, 1250},
        {"3, 4 or 5", POV_ANSWER_GIVEN, 3},
        {"There aren't any.", POV_ANSWER_GIVEN, 0},
        {"about 2.5 m", POV_ANSWER_GIVEN, 2.5},
        {"In this 3D scene there are four.", POV_ANSWER_GIVEN, 4},
        {"Someone is alone; nobody knows", POV_ANSWER_UNCLEAR, 0},
        {"I'm sorry, I cannot count them.", POV_ANSWER_REFUSED, 0},
        {"", POV_ANSWER_MISSING, 0},
    };
    for (size_t i = 0; i < LEN(cases); i++) {
        double number;
        assert_kind(pov_answer_number(&number, cases[i].answer), cases[i].kind, cases[i].answer);
        if (number != cases[i].number)
            fail_msg("\"%s\" is %g", cases[i].answer, number);
    }
}

/* Every number below a million in words, written by this test's own speller. */
static void spell(char *words, size_t capacity, int number)
{
    static const char *const units[] = {"zero",    "one",     "two",       "three",    "four",
                                        "five",    "six",     "seven",     "eight",    "nine",
                                        "ten",     "eleven",  "twelve",    "thirteen", "fourteen",
                                        "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"};
    static const char *const tens[] = {"twenty", "thirty",  "forty",  "fifty",
                                       "sixty",  "seventy", "eighty", "ninety"};
    char high[200] = "", low[200] = "";
    int size = number >= 1000 ? 1000 : 100;
    if (number < 20) {
        snprintf(words, capacity, "%s", units[number]);
    } else if (number < 100) {
        snprintf(words, capacity, number % 10 ? "%s-%s" : "%s", tens[number / 10 - 2], units[number % 10]);
    } else {
        spell(high, sizeof high, number / size);
        if (number % size)
            spell(low, sizeof low, number % size);
        snprintf(words, capacity, "%.150s %s%s%.150s", high, size == 1000 ? "thousand" : "hundred",
                 *low ? (number % 2 ? " and " : " ") : "", low);
    }
}

static void numbers_spelt_out_are_read_back(void **state)
{
    (void)state;
    for (int number = 0; number < 1000000; number += number < 1200 ? 1 : 2477) {
        char words[512];
        double read;
        spell(words, sizeof words, number);
        assert_kind(pov_answer_number(&read, words), POV_ANSWER_GIVEN, words);
        if (read != number)
            fail_msg("\"%s\" is read as %g", words, read);
    }
}

/* ---- options ---- */

static void the_option_of_the_first_sentence_is_taken(void **state)
{
    (void)state;
    static const char *const sides[] = {"left", "right"};
    static const char *const sizes[] = {"the closer object", "the farther object",
                                        "the two objects are of similar size"};
    static const char *const things[] = {"table", "coffee table", "the red chair"};
    static const char *const shares[] = {"1/2", "less than 1/4"};
    static const char *const ways[] = {"away from you", "toward you"}, *const hides[] = {"fire hydrant",
                                                                                         "tree"};
    static const struct {
        const char *answer;
        const char *const *options;
        int len, expected; /* -1: unclear, -2: refused */
    } cases[] = {
        {"Left", sides, 2, 0},
        {"The girl is to the right of the man.", sides, 2, 1},
        {"On the left. Not right.", sides, 2, 0},
        {"Not left but right.", sides, 2, 1},
        {"It is on the right rather than the left", sides, 2, 1},
        {"B", sides, 2, 1},
        {"(b) right", sides, 2, 1},
        {"A.", sides, 2, 0},
        {"A man stands there", sides, 2, -1},
        {"The brightness is leftover", sides, 2, -1},
        {"I cannot tell.", sides, 2, -2},
        {"the farther object", sizes, 3, 1},
        {"The farther object.", sizes, 3, 1},
        {"Farther object is bigger", sizes, 3, 1},
        {"They are of similar size, both objects.", sizes, 3, 2},
        {"The object", sizes, 3, -1},
        {"The coffee table is nearer.", things, 3, 1},
        {"table", things, 3, 0},
        {"A chair that is red", things, 3, 2},
        {"Less than 1/4 of it", shares, 2, 1},
        {"1/2", shares, 2, 0},
        {"Left or right? Right.", sides, 2, 1},
        {"Left or right", sides, 2, -1},
        {"It is right in front, at the left.", sides, 2, 0},
        {"The man is facing left, the girl is to his right.", sides, 2, 1},
        {"The man is facing left.", sides, 2, 0},
        {"They differ, i.e. she is left.", sides, 2, 0},
        {"Option A", sides, 2, 0},
        {"Behind the fire hydrant or the tree.", hides, 2, -1},
        {"the hydrant", hides, 2, 0},
        {"You can move it towards you.", ways, 2, 1},
        {"You can move it.", ways, 2, -1},
    };
    for (size_t i = 0; i < LEN(cases); i++) {
        int option;
        pov_answer_kind kind = pov_answer_option(&option, cases[i].answer, cases[i].options, cases[i].len);
        assert_kind(kind,
                    cases[i].expected >= 0    ? POV_ANSWER_GIVEN
                    : cases[i].expected == -1 ? POV_ANSWER_UNCLEAR
                                              : POV_ANSWER_REFUSED,
                    cases[i].answer);
        if (option != (cases[i].expected < 0 ? -1 : cases[i].expected))
            fail_msg("\"%s\" is option %d", cases[i].answer, option);
    }
}

/* ---- directions ---- */

static void assert_directions(const char *answer, pov_answer_circle circle, const char *expected)
{
    static const char letters[2][5] = {"NESW", "FRBL"};
    bool directions[4];
    char read[5] = "";
    pov_answer_kind kind = pov_answer_directions(directions, answer, circle);
    for (int i = 0; i < 4; i++)
        if (directions[i])
            strncat(read, &letters[circle][i], 1);
    if (strcmp(read, expected) != 0 || (kind == POV_ANSWER_GIVEN) != (*expected != '\0'))
        fail_msg("\"%s\" is %s", answer, read);
}

static void directions_are_read_as_sets(void **state)
{
    (void)state;
    const pov_answer_circle compass = POV_ANSWER_CARDINALS, sides = POV_ANSWER_SIDES;
    assert_directions(
        "The dog is located to the west of the humanoid minifigure, assuming the top of the image is north.",
        compass, "W");
    assert_directions("Assuming the top of the image is north, the dog is to the southeast.", compass, "ES");
    assert_directions("With the top of the image being north, it faces north.", compass, "N");
    assert_directions("The humanoid minifigure is facing east.", compass, "E");
    assert_directions("North-West", compass, "NW");
    assert_directions("north and east", compass, "NE");
    assert_directions("It is southwestern.", compass, "SW");
    assert_directions("Not north. South.", compass, "S");
    assert_directions("easter eggs", compass, "");
    assert_directions("NE", compass, "NE");
    assert_directions("The top of the image is north. It faces the bottom, so it faces south.", compass, "S");
    assert_directions("It faces the top of the image, which is north.", compass, "N");
    assert_directions("From the perspective of the humanoid minifigure, the dog is located to its left side.",
                      sides, "L");
    assert_directions("The dog is back and slightly to the left", sides, "BL");
    assert_directions("It is right in front of the figure.", sides, "F");
    assert_directions("directly behind it", sides, "B");
    assert_directions("in front and to the right", sides, "FR");
    assert_directions("It is not to the left but to the right.", sides, "R");
    assert_directions("The figure is yellow. The dog is in front of it. Its left is empty.", sides, "F");
    assert_directions("The minifigure is facing left; the dog is in front of it.", sides, "F");
    assert_directions("I cannot determine that.", sides, "");
}

/* ---- long answers ---- */

/* So many bytes of a text again and again. */
static char *repeat(const char *text, size_t length)
{
    char *all = malloc(length + 1);
    assert_non_null(all);
    for (size_t i = 0; i < length; i++)
        all[i] = text[i % strlen(text)];
    all[length] = '\0';
    return all;
}

#ifdef POV_SANITIZED
enum { HOSTILE_BYTES = POV_ANSWER_BYTES_MAX / 256, PLACES = 2 };
#else
enum { HOSTILE_BYTES = POV_ANSWER_BYTES_MAX / 64, PLACES = 4 };
#endif

static void a_long_answer_is_read_from_its_first_word_to_its_last(void **state)
{
    (void)state;
    static const char *const options[] = {"left", "right"};
    static const char mark[] = "\nAnswer: right\n";
    for (size_t place = 0; place < PLACES; place++) {
        int option;
        char *answer = repeat("It is hard to follow this. ", POV_ANSWER_BYTES_MAX);
        memcpy(answer + place * (POV_ANSWER_BYTES_MAX - strlen(mark)) / (PLACES - 1), mark, strlen(mark));
        assert_kind(pov_answer_option(&option, answer, options, 2), POV_ANSWER_GIVEN, "a long answer");
        assert_int_equal(option, 1);
        free(answer);
    }
}

/* Texts that a reader which looks back from each word would take hours for. */
static void a_long_answer_takes_time_in_proportion_to_its_length(void **state)
{
    (void)state;
    static const char *const hostile[] = {"left or right, ",
                                          "Answer: ",
                                          "a.",
                                          "wait ",
                                          "\"\"\"\", wait",
                                          "left",
                                          "**left** or",
                                          "{\"answer\": [",
                                          "\n",
                                          "left\n\n",
                                          "是",
                                          "左",
                                          "no\"",
                                          "therefore left ",
                                          "although, ",
                                          "\\boxed{",
                                          "north ",
                                          "3 ",
                                          "<answer>",
                                          "<a ",
                                          "cannot ",
                                          "is it left? ",
                                          "if left then right. ",
                                          "than left ",
                                          "(A) left (B) right ",
                                          "A",
                                          "1. ",
                                          "not ",
                                          "closer than ",
                                          "is wrong ",
                                          "A: no / B: yes ",
                                          "if ",
                                          "right, left ",
                                          "the left, "};
    static const char *const options[] = {"left", "right side", "左"}, *const labelled[] = {"A is closer",
                                                                                            "B is closer"};
    for (size_t i = 0; i < LEN(hostile); i++) {
        char *answer = repeat(hostile[i], HOSTILE_BYTES);
        bool yes, directions[4];
        int option;
        pov_answer_yes_no(&yes, answer, &POV_YES_NO_ENGLISH);
        pov_answer_option(&option, answer, options, 3);
        pov_answer_option(&option, answer, labelled, 2);
        pov_answer_directions(directions, answer, POV_ANSWER_CARDINALS);
        free(answer);
    }
}

static void a_chain_of_thought_is_read_at_its_end(void **state)
{
    (void)state;
    static const struct {
        const char *answer, *concluded;
        bool marked;
    } cases[] = {
        {"Explanation: No, the left is hers.\nAnswer: Yes", "Yes", true},
        {"Explanation: a. Answer: maybe.\n\n**Answer:** No.", "No.", true},
        {"The answer is: left, at first. Final answer: right", "right", true},
        {"<think>Answer: no</think>Answer: Yes\n", "Yes\n", true},
        {"{Explanation: it contains it. Answer: internal intrinsic.}", "internal intrinsic.}", true},
        {"First, no.\nThen the ball is behind.\nSo yes.\n", "So yes.", false},
        {"Yes", "Yes", false},
        {"Unanswer: no\nyes", "yes", false},
        {"", "", false},
        {"Answer:", "", true},
    };
    for (size_t i = 0; i < LEN(cases); i++) {
        size_t from, length;
        bool marked;
        pov_answer_concluded(&from, &length, &marked, cases[i].answer);
        if (length != strlen(cases[i].concluded) ||
            memcmp(cases[i].answer + from, cases[i].concluded, length) != 0 || marked != cases[i].marked)
            fail_msg("\"%s\" concludes \"%.*s\"", cases[i].answer, (int)length, cases[i].answer + from);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_chain_of_thought_is_read_at_its_end),
        cmocka_unit_test(yes_and_no_are_read_in_english),
        cmocka_unit_test(yes_and_no_are_read_in_words_passed_in),
        cmocka_unit_test(what_a_model_thinks_aloud_is_not_its_answer),
        cmocka_unit_test(of_a_long_answer_the_beginning_and_the_end_are_read),
        cmocka_unit_test(of_what_a_model_reasons_its_conclusion_counts),
        cmocka_unit_test(a_yes_or_no_that_stands_alone_counts_before_one_in_a_sentence),
        cmocka_unit_test(a_choice_offered_again_is_no_answer),
        cmocka_unit_test(capitals_without_accents_and_dots_are_the_same_words),
        cmocka_unit_test(numbers_are_read_in_digits_and_words),
        cmocka_unit_test(numbers_spelt_out_are_read_back),
        cmocka_unit_test(the_option_of_the_first_sentence_is_taken),
        cmocka_unit_test(directions_are_read_as_sets),
        cmocka_unit_test(a_long_answer_is_read_from_its_first_word_to_its_last),
        cmocka_unit_test(a_long_answer_takes_time_in_proportion_to_its_length),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
