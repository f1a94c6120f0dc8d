/* Answers as models give them: those of Isle-Brick's paper, and of kinds that come up. */
#include "compare/answer_parse.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
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
    for (int number = 0; number < 1000000; number += number < 2000 ? 1 : 977) {
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
    assert_directions("From the perspective of the humanoid minifigure, the dog is located to its left side.",
                      sides, "L");
    assert_directions("The dog is back and slightly to the left", sides, "BL");
    assert_directions("It is right in front of the figure.", sides, "F");
    assert_directions("directly behind it", sides, "B");
    assert_directions("in front and to the right", sides, "FR");
    assert_directions("It is not to the left but to the right.", sides, "R");
    assert_directions("The figure is yellow. The dog is in front of it. Its left is empty.", sides, "F");
    assert_directions("I cannot determine that.", sides, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(yes_and_no_are_read_in_english),
        cmocka_unit_test(yes_and_no_are_read_in_words_passed_in),
        cmocka_unit_test(numbers_are_read_in_digits_and_words),
        cmocka_unit_test(numbers_spelt_out_are_read_back),
        cmocka_unit_test(the_option_of_the_first_sentence_is_taken),
        cmocka_unit_test(directions_are_read_as_sets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
