/* The oracle is a table of tokens labelled by hand; sums over them are worked out here. */
#include "compare/vlm/yes_no.h"
#include "tests/support/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/near.h"

enum { NEITHER, YES, NO };

typedef struct {
    const char *token;
    int side; /* as one that was likely, not generated */
} labelled;

typedef struct {
    const char *name;
    const char *yes[4], *no[4];
    labelled tokens[24];
} language;

#define SP "\xe2\x96\x81" /* U+2581 */
#define GD "\xc4\xa0"     /* U+0120 */

static const language languages[] = {
    {"English",
     {"yes"},
     {"no"},
     {{"yes", YES},           {"Yes", YES},   {" yes", YES},     {"YES", YES},     {SP "Yes", YES},
      {GD "yes", YES},        {"**Yes", YES}, {"Yes.", YES},     {"Ye", YES},      {"y", YES},
      {"Yesterday", NEITHER}, {"no", NO},     {"No", NO},        {" NO", NO},      {SP "no", NO},
      {GD "No", NO},          {"\"No\"", NO}, {"n", NO},         {"not", NEITHER}, {"Nothing", NEITHER},
      {"The", NEITHER},       {"", NEITHER},  {"\xff", NEITHER}, {"42", NEITHER}}},
    {"German",
     {"ja"},
     {"nein"},
     {{"Ja", YES}, {" j", YES}, {"Ne", NO}, {" Nein", NO}, {"nei", NO}, {"Jahr", NEITHER}}},
    {"Spanish",
     {"s\u00ed", "si"},
     {"no"},
     {{"S\u00cd", YES}, {" s\u00ed", YES}, {"S", YES}, {"Si", YES}, {"Seg\u00fan", NEITHER}, {"No", NO}}},
    {"Chinese",
     {"\u662f", "\u662f\u7684"},
     {"\u4e0d\u662f", "\u5426"},
     {{"\u662f", YES},
      {"\u662f\u7684", YES},
      {"\u4e0d", NO},
      {"\u4e0d\u662f", NO},
      {"\u5426", NO},
      {"\u5728", NEITHER}}},
    {"Russian",
     {"\u0434\u0430"},
     {"\u043d\u0435\u0442"},
     {{"\u0414\u0430", YES},
      {" \u0414\u0410", YES},
      {"\u0414", YES},
      {"\u041d\u0435", NO},
      {GD "\u043d\u0435\u0442", NO}}},
    {"Hausa",
     {"i", "eh"},
     {"a'a", "a\u2019a"},
     {{"I", YES}, {"Eh", YES}, {"A'", NO}, {"A'a", NO}, {"A\u2019a", NO}}},
    {"shared beginnings", {"nai"}, {"naa"}, {{"na", NEITHER}, {"nai", YES}, {"naa", NO}}},
    {"one begins the other", {"no"}, {"nono"}, {{"no", YES}, {"non", NO}, {"nono", NO}}},
};
enum { LANGUAGES = sizeof languages / sizeof *languages };

static pov_yes_no_words words_of(const language *l)
{
    return (pov_yes_no_words){l->yes, l->no};
}

static int count_tokens(const language *l)
{
    int count = 0;
    while (count < 24 && l->tokens[count].token)
        count++;
    return count;
}

static pov_vlm_token token(const char *text, double probability)
{
    pov_vlm_token t = {.logprob = log(probability)};
    snprintf(t.text, sizeof t.text, "%s", text);
    return t;
}

/** "!" is generated where nobody would look; then `chosen`, with probability 0.01; then an end. */
static void start_answer(pov_vlm_answer *answer, const char *chosen, double probability)
{
    memset(answer, 0, sizeof *answer);
    answer->position_len = 2;
    answer->positions[0].chosen = token("!", 0.5);
    answer->positions[1].chosen = token(chosen, probability);
    answer->positions[1].likely[0] = answer->positions[1].chosen;
    answer->positions[1].likely_len = 1;
    strcpy(answer->finish_reason, "stop");
    static char text[200];
    snprintf(text, sizeof text, "!%s", chosen);
    answer->text = text;
}

static void add_likely(pov_vlm_answer *answer, const char *text, double probability)
{
    pov_vlm_position *position = &answer->positions[1];
    position->likely[position->likely_len++] = token(text, probability);
}

static void each_token_counts_for_its_side_only(void **state)
{
    (void)state;
    for (int k = 0; k < LANGUAGES; k++) {
        const pov_yes_no_words words = words_of(&languages[k]);
        const pov_yes_no_rule rule = {&words, &words, 1e-9};
        for (int i = 0; i < count_tokens(&languages[k]); i++) {
            const labelled *it = &languages[k].tokens[i];
            pov_vlm_answer answer;
            pov_yes_no result;
            start_answer(&answer, "x", 0.25);
            add_likely(&answer, it->token, 0.5);
            pov_yes_no_read(&result, &answer, &rule);
            if (result.kind != (it->side == NEITHER ? POV_YES_NO_LOW_MASS : POV_YES_NO_TOKENS))
                fail_msg("%s: '%s' is %s", languages[k].name, it->token, pov_yes_no_kind_name(result.kind));
            if (it->side != NEITHER) {
                assert_near(result.p, it->side == YES, 1e-12);
                assert_near(result.mass, 0.5, 1e-12);
            }
        }
    }
}

static void sums_over_any_set_of_tokens_are_what_the_labels_give(void **state)
{
    (void)state;
    test_random random = {7};
    for (int round = 0; round < 2000; round++) {
        const language *l = &languages[round % LANGUAGES];
        const pov_yes_no_words words = words_of(l);
        const pov_yes_no_rule rule = {&words, &words, 0.3};
        pov_vlm_answer answer;
        pov_yes_no result;
        double sums[3] = {0}, left = 0.95;
        start_answer(&answer, "x", 0.05);
        for (int i = 0; i < count_tokens(l) && answer.positions[1].likely_len < POV_VLM_LIKELY_MAX; i++) {
            if (test_random_between(&random, 0, 1) < 0.4)
                continue;
            const double probability = left * test_random_between(&random, 0, 1);
            left -= probability;
            sums[l->tokens[i].side] += probability;
            add_likely(&answer, l->tokens[i].token, probability);
        }
        pov_yes_no_read(&result, &answer, &rule);
        assert_near(result.mass, sums[YES] + sums[NO], 1e-9);
        if (result.mass >= 0.3) {
            assert_int_equal(result.kind, POV_YES_NO_TOKENS);
            assert_near(result.p, sums[YES] / (sums[YES] + sums[NO]), 1e-9);
        } else {
            assert_int_equal(result.kind, POV_YES_NO_LOW_MASS);
            assert_true(isnan(result.p) && result.cause[0]);
        }
    }
}

/** Generates the tokens, separated by '|', each with probability 0.9; NULL-ended reason is "stop" or "length". */
static pov_yes_no read_generated(const char *tokens, const char *finish_reason, const language *l)
{
    static const pov_vlm_answer none;
    pov_vlm_answer answer = none;
    char copy[200], *rest = copy;
    snprintf(copy, sizeof copy, "%s", tokens);
    for (char *part; (part = strsep(&rest, "|"));) {
        pov_vlm_position *position = &answer.positions[answer.position_len++];
        position->chosen = position->likely[0] = token(part, 0.9);
        position->likely_len = 1;
    }
    answer.text = "?";
    snprintf(answer.finish_reason, sizeof answer.finish_reason, "%s", finish_reason);
    const pov_yes_no_words words = words_of(l);
    pov_yes_no result;
    pov_yes_no_read(&result, &answer, &(pov_yes_no_rule){&words, &words, 0.5});
    return result;
}

static void what_was_generated_counts_as_the_word_that_it_became(void **state)
{
    (void)state;
    static const struct {
        int language;
        const char *tokens, *finish_reason;
        int side;
    } cases[] = {
        {0, "Yes", "stop", YES},
        {0, "Yes", "length", YES},
        {0, "**|Yes|**", "stop", YES},
        {0, " \n|No|,| it", "length", NO},
        {0, "No|rth", "stop", NEITHER},
        {0, "No|t| really", "stop", NEITHER},
        {0, GD "No|" GD "it", "stop", NO},
        {0, SP "Yes|" SP "it", "stop", YES},
        {0, "Ye|s", "stop", YES},
        {0, "Y|es", "stop", YES},
        {0, "Ye", "length", YES},
        {0, "Ye", "stop", NEITHER},
        {0, "Y", "length", YES},
        {0, "Y|ou| see", "length", NEITHER},
        {1, "N|ein", "length", NO},
        {0, "The| answer| is| yes", "stop", NEITHER},
        {1, "Ne|in", "stop", NO},
        {1, "Ne|ben| dem", "stop", NEITHER},
        {2, "S|\u00ed|,", "stop", YES},
        {2, "S|eg\u00fan", "stop", NEITHER},
        {3, "\u662f|\u7684\u3002", "stop", YES},
        {3, "\u4e0d|\u662f", "stop", NO},
        {5, "A|'a", "stop", NO},
        {5, "A|\u2019|a|.", "stop", NO},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const pov_yes_no r =
            read_generated(cases[i].tokens, cases[i].finish_reason, &languages[cases[i].language]);
        const int side = r.kind == POV_YES_NO_LOW_MASS ? NEITHER : r.p == 1 ? YES : NO;
        if (side != cases[i].side)
            fail_msg("'%s' (%s) is %s, p %g", cases[i].tokens, cases[i].finish_reason,
                     pov_yes_no_kind_name(r.kind), r.p);
    }
}

static void a_mass_just_below_the_bound_is_not_scored_and_just_above_it_is(void **state)
{
    (void)state;
    for (int above = 0; above < 2; above++) {
        pov_vlm_answer answer;
        pov_yes_no result;
        start_answer(&answer, "Perhaps", 0.4);
        add_likely(&answer, "yes", 0.3);
        add_likely(&answer, "no", above ? 0.2001 : 0.1999);
        pov_yes_no_read(&result, &answer, &POV_YES_NO_RULE_ENGLISH);
        assert_int_equal(result.kind, above ? POV_YES_NO_TOKENS : POV_YES_NO_LOW_MASS);
        assert_true(above || strstr(result.cause, "Perhaps"));
    }
}

static void probabilities_that_add_up_to_more_than_one_are_not_scored(void **state)
{
    (void)state;
    pov_vlm_answer answer;
    pov_yes_no result;
    start_answer(&answer, "yes", 0.9);
    add_likely(&answer, "no", 0.9);
    pov_yes_no_read(&result, &answer, &POV_YES_NO_RULE_ENGLISH);
    assert_int_equal(result.kind, POV_YES_NO_UNCLEAR);
    assert_non_null(strstr(result.cause, "1.8"));
}

static pov_yes_no read_text(const char *text, bool refused)
{
    static const pov_vlm_answer none;
    pov_vlm_answer answer = none;
    answer.text = text;
    answer.refused = refused;
    pov_yes_no result;
    pov_yes_no_read(&result, &answer, &POV_YES_NO_RULE_ENGLISH);
    return result;
}

static void without_probabilities_the_words_decide_and_refusals_are_told_apart(void **state)
{
    (void)state;
    assert_int_equal(read_text("Yes, it is.", false).kind, POV_YES_NO_TEXT);
    assert_near(read_text("Yes, it is.", false).p, 1, 0);
    assert_near(read_text("The ball isn't there", false).p, 0, 0);
    assert_true(isnan(read_text("Yes", false).mass));
    assert_int_equal(read_text("I'm sorry, I cannot tell.", false).kind, POV_YES_NO_REFUSED);
    assert_int_equal(read_text("Yes", true).kind, POV_YES_NO_REFUSED);
    assert_int_equal(read_text("A ball.", false).kind, POV_YES_NO_UNCLEAR);
    assert_int_equal(read_text(" ", false).kind, POV_YES_NO_MISSING);
}

static void an_english_answer_to_a_question_in_another_language_is_read(void **state)
{
    (void)state;
    static const char *const yes[] = {"sim", NULL}, *const no[] = {"n\u00e3o", NULL};
    const pov_yes_no_words portuguese = {yes, no};
    const pov_yes_no_rule rule = {&portuguese, &portuguese, 0.5};
    static const struct {
        const char *text;
        double p; /* NaN: unclear */
    } cases[] = {{"Yes, it is.", 1},
                 {"No.", 0},
                 {"N\u00e3o.", 0},
                 {"A bola est\u00e1 no lado esquerdo.", NAN},
                 {"No carro.", NAN}};
    for (int i = 0; i < 5; i++) {
        static pov_vlm_answer answer;
        pov_yes_no result;
        answer.text = cases[i].text;
        pov_yes_no_read(&result, &answer, &rule);
        assert_int_equal(result.kind, isnan(cases[i].p) ? POV_YES_NO_UNCLEAR : POV_YES_NO_TEXT);
        assert_true(isnan(cases[i].p) || result.p == cases[i].p);
    }
}

static void so_are_its_probabilities(void **state)
{
    (void)state;
    static const char *const yes[] = {"ja", NULL}, *const no[] = {"nein", NULL};
    const pov_yes_no_words german = {yes, no};
    const pov_yes_no_rule rule = {&german, &german, 0.5};
    for (int is_answer = 0; is_answer < 2; is_answer++) {
        pov_vlm_answer answer;
        pov_yes_no result;
        start_answer(&answer, "No", 0.6);
        add_likely(&answer, "Yes", 0.2);
        answer.text = is_answer ? "No." : "No entry here.";
        pov_yes_no_read(&result, &answer, &rule);
        assert_int_equal(result.kind, is_answer ? POV_YES_NO_TOKENS : POV_YES_NO_LOW_MASS);
        if (is_answer) {
            assert_near(result.p, 0.25, 1e-6);
            assert_near(result.mass, 0.8, 1e-6);
        }
    }
}

static void a_refusal_with_probabilities_is_a_refusal(void **state)
{
    (void)state;
    pov_vlm_answer answer;
    pov_yes_no result;
    start_answer(&answer, "I", 0.9);
    answer.text = "I cannot tell.";
    pov_yes_no_read(&result, &answer, &POV_YES_NO_RULE_ENGLISH);
    assert_int_equal(result.kind, POV_YES_NO_REFUSED);
    assert_true(isnan(result.p));
}

/* In Spanish what begins with "no" may say that it cannot be told. */
static void a_refusal_is_one_whatever_its_first_token(void **state)
{
    (void)state;
    const pov_yes_no_words words = words_of(&languages[2]);
    const pov_yes_no_rule rule = {&words, &words, 0.5};
    static const char *const texts[] = {"No se puede determinar.", "No está a la izquierda."};
    for (int i = 0; i < 2; i++) {
        pov_vlm_answer answer;
        pov_yes_no result;
        start_answer(&answer, "No", 0.9);
        answer.text = texts[i];
        pov_yes_no_read(&result, &answer, &rule);
        assert_int_equal(result.kind, i == 0 ? POV_YES_NO_REFUSED : POV_YES_NO_TOKENS);
    }
}

static void an_english_refusal_is_no_hausa_yes(void **state)
{
    (void)state;
    static const char *const texts[] = {"I cannot tell.", "I'm sorry, I can't.",
                                        "I\u2019m not able to see it"};
    const pov_yes_no_words words = words_of(&languages[5]);
    const pov_yes_no_rule rule = {&words, &words, 0.5};
    pov_yes_no result;
    for (int tokens = 0; tokens < 2; tokens++)
        for (int i = 0; i < 3; i++) {
            pov_vlm_answer answer;
            start_answer(&answer, "I", 0.9);
            answer.position_len = tokens ? answer.position_len : 0;
            answer.text = texts[i];
            pov_yes_no_read(&result, &answer, &rule);
            assert_int_equal(result.kind, POV_YES_NO_REFUSED);
            answer.text = "I, haka ne.";
            pov_yes_no_read(&result, &answer, &rule);
            assert_near(result.p, 1, 1e-12);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_token_counts_for_its_side_only),
        cmocka_unit_test(sums_over_any_set_of_tokens_are_what_the_labels_give),
        cmocka_unit_test(what_was_generated_counts_as_the_word_that_it_became),
        cmocka_unit_test(a_mass_just_below_the_bound_is_not_scored_and_just_above_it_is),
        cmocka_unit_test(probabilities_that_add_up_to_more_than_one_are_not_scored),
        cmocka_unit_test(without_probabilities_the_words_decide_and_refusals_are_told_apart),
        cmocka_unit_test(a_refusal_is_one_whatever_its_first_token),
        cmocka_unit_test(an_english_refusal_is_no_hausa_yes),
        cmocka_unit_test(an_english_answer_to_a_question_in_another_language_is_read),
        cmocka_unit_test(so_are_its_probabilities),
        cmocka_unit_test(a_refusal_with_probabilities_is_a_refusal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
