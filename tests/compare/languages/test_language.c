/* Every sentence of every language, and what a file of languages is told. */
#include "compare/languages/language.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static pov_languages *languages;

static int set_up(void **state)
{
    (void)state;
    pov_status status = pov_languages_new(&languages, NULL);
    if (status.code != POV_OK)
        print_error("%s\n", status.message);
    return status.code == POV_OK ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    pov_languages_destroy(&languages);
    return 0;
}

static const pov_language *language_of(const char *code)
{
    const pov_language *language;
    assert_int_equal(pov_languages_find(&language, languages, code).code, POV_OK);
    return language;
}

/* -------- sentences -------- */

static bool is_utf8(const char *text)
{
    for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
        int more = *c < 0x80                 ? 0
                   : *c >= 0xC2 && *c < 0xE0 ? 1
                   : *c >= 0xE0 && *c < 0xF0 ? 2
                   : *c < 0xF5               ? 3
                                             : -1;
        if (more < 0 || (*c >= 0x80 && *c < 0xC2))
            return false;
        for (; more > 0; more--)
            if ((*++c & 0xC0) != 0x80)
                return false;
    }
    return true;
}

static bool has_a_form(const pov_language *language, const char *sentence, const pov_noun *noun)
{
    for (int i = 0; i < language->form_len; i++)
        if (strlen(noun->words[i]) > 0 && strstr(sentence, noun->words[i]))
            return true;
    return false;
}

static void check_sentence(const pov_language *language, const char *sentence, const pov_noun *noun)
{
    if (*sentence == '\0' || strpbrk(sentence, "{}") || !is_utf8(sentence) || strstr(sentence, "  ") ||
        strlen(sentence) > POV_SENTENCE_CAPACITY - 10 || !has_a_form(language, sentence, noun))
        fail_msg("%s: \"%s\" about %s", language->code, sentence, noun->id);
}

static void every_sentence_is_whole_and_names_its_nouns(void **state)
{
    (void)state;
    int sentences = 0;
    for (int l = 0; l < pov_languages_len(languages); l++) {
        const pov_language *language = pov_languages_at(languages, l);
        const pov_noun *a, *b, *woman = pov_language_noun(language, "woman", "");
        for (int i = 0; (a = pov_language_noun_at(language, i)); i++) {
            char sentence[POV_SENTENCE_CAPACITY];
            const pov_sentence_nouns object = {.object = a};
            pov_language_ask_present(language, sentence, &object);
            check_sentence(language, sentence, a);
            for (int j = 0; (b = pov_language_noun_at(language, j)); j++)
                for (int prompt = 0; prompt < POV_PROMPT_COUNT; prompt++)
                    for (int relation = POV_LEFT_OF; relation <= POV_BEHIND; relation++) {
                        const pov_sentence_nouns nouns = {.referent = a, .relatum = b, .viewer = woman};
                        pov_language_ask(language, sentence, (pov_prompt)prompt, (pov_relation)relation,
                                         &nouns);
                        check_sentence(language, sentence, a);
                        check_sentence(language, sentence, b);
                        if (prompt == POV_PROMPT_ADDRESSEE)
                            check_sentence(language, sentence, woman);
                        sentences++;
                    }
        }
    }
    assert_true(sentences > 29 * 18 * 18 * 16);
}

/* All 16 sentences about a pair differ, or answers to one would be counted for another. */
static void no_two_questions_about_a_pair_are_the_same(void **state)
{
    (void)state;
    static char sentences[16][POV_SENTENCE_CAPACITY];
    for (int l = 0; l < pov_languages_len(languages); l++) {
        const pov_language *language = pov_languages_at(languages, l);
        const pov_sentence_nouns nouns = {.referent = pov_language_noun(language, "dog", ""),
                                          .relatum = pov_language_noun(language, "chair", ""),
                                          .viewer = pov_language_noun(language, "woman", "")};
        for (int i = 0; i < 16; i++) {
            pov_language_ask(language, sentences[i], (pov_prompt)(i / 4), (pov_relation)(i % 4), &nouns);
            for (int j = 0; j < i; j++)
                assert_string_not_equal(sentences[i], sentences[j]);
        }
    }
}

static void every_language_names_every_thing_of_comfort(void **state)
{
    (void)state;
    static const char *const things[] = {"red_ball", "blue_ball", "basketball",  "horse", "car",
                                         "bench",    "laptop",    "rubber duck", "chair", "dog",
                                         "sofa",     "bed",       "bicycle",     "woman"};
    for (int l = 0; l < pov_languages_len(languages); l++)
        for (size_t i = 0; i < sizeof things / sizeof *things; i++)
            if (!pov_language_noun(pov_languages_at(languages, l), things[i], ""))
                fail_msg("%s has no word for %s", pov_languages_at(languages, l)->code, things[i]);
}

static void the_languages_asked_for_are_there(void **state)
{
    (void)state;
    static const char *const codes[] = {"en", "ha", "ta", "de", "es", "fr", "zh", "ja", "ko", "ar", "hi",
                                        "ru", "tr", "pt", "sw", "id", "vi", "pl", "nl", "it", "th"};
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        assert_null(language_of(codes[i])->base);
    assert_int_equal(language_of("en")->convention, POV_REFLECTED);
    assert_int_equal(language_of("ha")->convention, POV_TRANSLATED);
    assert_int_equal(language_of("ta")->convention, POV_ROTATED);
    assert_int_equal(language_of("de")->convention, POV_NO_CONVENTION);
    assert_true(language_of("ar")->right_to_left);
}

static void words_agree_with_their_nouns(void **state)
{
    (void)state;
    static const struct {
        const char *code, *referent, *relatum;
        pov_relation relation;
        const char *sentence;
    } expected[] = {
        {"de", "car", "bench", POV_LEFT_OF, "Ist das Auto links von der Bank?"},
        {"ru", "dog", "bed", POV_BEHIND, "Находится ли собака за кроватью?"},
        {"pl", "horse", "dog", POV_IN_FRONT_OF, "Czy koń znajduje się przed psem?"},
        {"fi", "bed", "bicycle", POV_RIGHT_OF, "Onko sänky polkupyörän oikealla puolella?"},
        {"ja", "dog", "car", POV_BEHIND, "犬は車の後ろにいますか？"},
        {"he", "bed", "bicycle", POV_LEFT_OF, "האם המיטה נמצאת משמאל לאופניים?"},
        {"sw", "chair", "dog", POV_IN_FRONT_OF, "Je, kiti kiko mbele ya mbwa?"},
        {"it", "car", "chair", POV_IN_FRONT_OF, "L'auto è davanti alla sedia?"},
        {"hi", "dog", "horse", POV_BEHIND, "क्या कुत्ता घोड़े के पीछे है?"},
        {"tr", "horse", "dog", POV_IN_FRONT_OF, "At köpeğin önünde mi?"},
    };
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        char sentence[POV_SENTENCE_CAPACITY];
        const pov_language *language = language_of(expected[i].code);
        const pov_sentence_nouns nouns = {.referent = pov_language_noun(language, expected[i].referent, ""),
                                          .relatum = pov_language_noun(language, expected[i].relatum, "")};
        pov_language_ask(language, sentence, POV_PROMPT_NONE, expected[i].relation, &nouns);
        assert_string_equal(sentence, expected[i].sentence);
    }
}

/* -------- yes and no -------- */

static void each_languages_yes_and_no_are_read_as_such(void **state)
{
    (void)state;
    for (int l = 0; l < pov_languages_len(languages); l++) {
        const pov_language *language = pov_languages_at(languages, l);
        const pov_yes_no_words words = pov_language_words(language);
        for (int side = 0; side < 2; side++)
            for (const char *const *word = side ? words.yes : words.no; *word; word++) {
                char answer[200];
                bool yes = !side;
                snprintf(answer, sizeof answer, "%s.", *word);
                if (pov_answer_yes_no(&yes, answer, &words) != POV_ANSWER_GIVEN || yes != side)
                    fail_msg("%s: \"%s\" is not read rightly", language->code, answer);
            }
    }
}

/* "The dog is to the right of the chair" does not say yes to "is it to the left of it". */
static void a_statement_in_the_questions_words_says_neither(void **state)
{
    (void)state;
    for (int l = 0; l < pov_languages_len(languages); l++) {
        const pov_language *language = pov_languages_at(languages, l);
        const pov_yes_no_words words = pov_language_words(language);
        const pov_noun *noun;
        for (int i = 0; (noun = pov_language_noun_at(language, i)); i++)
            for (int f = 0; f < language->form_len; f++) {
                bool yes;
                if (pov_answer_yes_no(&yes, noun->words[f], &words) == POV_ANSWER_GIVEN)
                    fail_msg("%s: \"%s\" says %s", language->code, noun->words[f], yes ? "yes" : "no");
            }
        for (int relation = 0; relation < POV_COMFORT_RELATIONS; relation++) {
            bool yes;
            if (pov_answer_yes_no(&yes, language->relation[relation], &words) == POV_ANSWER_GIVEN)
                fail_msg("%s: \"%s\" says %s", language->code, language->relation[relation],
                         yes ? "yes" : "no");
        }
    }
}

/* -------- files -------- */

static const char good[] = "languages:\n"
                           "  - code: xx\n"
                           "    name: Ex\n"
                           "    source: ours\n"
                           "    convention: unstated\n"
                           "    yes: [y]\n"
                           "    no: [n]\n"
                           "    form: [a, b]\n"
                           "    ask:\n"
                           "      none: '{referent.a} {relation}?'\n"
                           "      camera: 'c {referent.a} {relation}?'\n"
                           "      addressee: '{viewer.b} {referent} {relation}?'\n"
                           "      relatum: '{relatum.b} {referent.a} {relation}?'\n"
                           "    relation: {left_of: 'l {relatum.b}', right_of: 'r {relatum.b}',\n"
                           "               in_front_of: 'f {relatum.b}', behind: 'h {relatum.b}'}\n"
                           "    present: '{object.a}?'\n"
                           "    nouns:\n"
                           "      - [cup, kup, kupo]\n";

static pov_status read_file_of(pov_languages **read, const char *more)
{
    char path[] = "/tmp/pov-languages-XXXXXX";
    FILE *file = fdopen(mkstemp(path), "w");
    assert_non_null(file);
    fprintf(file, "%s%s", good, more);
    assert_int_equal(fclose(file), 0);
    pov_status status = pov_languages_new(read, path);
    unlink(path);
    return status;
}

/* `good` with one part replaced, or the file's end if `part` is "". */
static pov_status parse_with(pov_languages **read, const char *part, const char *replacement)
{
    char text[4096];
    const char *at = *part ? strstr(good, part) : good + strlen(good);
    assert_non_null(at);
    snprintf(text, sizeof text, "%.*s%s%s", (int)(at - good), good, replacement, at + strlen(part));
    return pov_languages_parse(read, "mine.yaml", text, strlen(text));
}

static void a_file_of_ones_own_adds_languages_and_nouns(void **state)
{
    (void)state;
    pov_languages *mine;
    char sentence[POV_SENTENCE_CAPACITY];
    const pov_language *language;
    assert_int_equal(read_file_of(&mine, "  - {code: en-lab, of: en, source: ours, "
                                         "nouns: [[crate, the crate, the crate's, crate]]}\n")
                         .code,
                     POV_OK);
    assert_int_equal(pov_languages_len(mine), pov_languages_len(languages) + 2);
    assert_int_equal(read_file_of(&(pov_languages *){NULL}, "  - {code: de, of: en, source: ours}\n").code,
                     POV_ERROR);
    assert_int_equal(pov_languages_find(&language, mine, "XX").code, POV_OK);
    const pov_sentence_nouns cups = {.referent = pov_language_noun(language, "cup", ""),
                                     .relatum = pov_language_noun(language, "x", "cup"),
                                     .viewer = pov_language_noun(language, "Cup", "")};
    pov_language_ask(language, sentence, POV_PROMPT_ADDRESSEE, POV_BEHIND, &cups);
    assert_string_equal(sentence, "kupo kup h kupo?");
    assert_int_equal(pov_languages_find(&language, mine, "en-lab").code, POV_OK);
    const pov_sentence_nouns crate = {.referent = pov_language_noun(language, "crate", ""),
                                      .relatum = pov_language_noun(language, "car", "")};
    pov_language_ask(language, sentence, POV_PROMPT_CAMERA, POV_LEFT_OF, &crate);
    assert_string_equal(sentence, "From the camera's viewpoint, is the crate to the left of the car?");
    pov_languages_destroy(&mine);
}

static void complaints_name_line_key_and_remedy(void **state)
{
    (void)state;
    static const struct {
        const char *part, *replacement, *complaint;
    } wrong[] = {
        {"{viewer.b}", "{viewer.q}",
         "mine.yaml:12: languages[0].ask.addressee: the form \"q\" is not in the list"},
        {"c {referent.a}", "c {refferent.a}",
         "mine.yaml:11: languages[0].ask.camera: has a slot that is not"},
        {"c {referent.a}", "c",
         "languages[0].ask.camera: does not say what it is about: it needs {referent.FORM}"},
        {"c {referent.a}", "c {viewer.a} {referent.a}", "has a slot that is not one of this pattern's"},
        {"h {relatum.b}", "h", "languages[0].relation.behind: does not say what it is about"},
        {"{object.a}?", "{object.a?", "languages[0].present: a '{' is not closed"},
        {"{object.a}?", "{object.a}}?", "languages[0].present: a '}' closes nothing"},
        {"kup, kupo", "kup", "mine.yaml:18: languages[0].nouns[0]: has 2 words; a noun's id and its 2 forms"},
        {"", "  - {code: XX, of: xx, source: ours}\n", "the language \"XX\" is there already"},
        {"code: xx", "code: x/x", "a code has 1 to 31 of the characters"},
        {"convention: unstated", "convention: mirrored", "reflected"},
        {"convention: unstated", "convention: rotated", "citation"},
        {"    no: [n]\n", "", "no"},
        {"    no: [n]\n", "    no: []\n", "languages[0].no: has 0 entries"},
        {"name: Ex", "name: ''", "languages[0].name: is empty"},
        {"yes: [y]", "yess: [y]", "yes"},
        {"", "  - {code: zz, of: nowhere, source: ours}\n", "no language \"nowhere\" comes before this one"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        pov_languages *mine;
        pov_status status = parse_with(&mine, wrong[i].part, wrong[i].replacement);
        assert_int_equal(status.code, POV_ERROR);
        assert_null(mine);
        if (!strstr(status.message, wrong[i].complaint))
            fail_msg("\"%s\" does not say \"%s\"", status.message, wrong[i].complaint);
    }
}

static void an_unknown_language_is_told_with_the_nearest(void **state)
{
    (void)state;
    const pov_language *language;
    pov_status status = pov_languages_find(&language, languages, "en-9");
    assert_int_equal(status.code, POV_ERROR);
    assert_non_null(strstr(status.message, "there is no language \"en-9\"; the nearest is \"en-"));
}

static void a_sentence_too_long_is_cut_between_characters(void **state)
{
    (void)state;
    char word[900] = "", sentence[POV_SENTENCE_CAPACITY];
    for (int i = 0; i < 299; i++)
        strcat(word, "犬");
    const pov_noun noun = {"dog", {word, word, word}};
    const pov_sentence_nouns nouns = {.referent = &noun, .relatum = &noun};
    pov_language_ask(language_of("ja"), sentence, POV_PROMPT_NONE, POV_LEFT_OF, &nouns);
    assert_true(is_utf8(sentence));
    assert_true(strlen(sentence) > POV_SENTENCE_CAPACITY - 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_sentence_is_whole_and_names_its_nouns),
        cmocka_unit_test(no_two_questions_about_a_pair_are_the_same),
        cmocka_unit_test(every_language_names_every_thing_of_comfort),
        cmocka_unit_test(the_languages_asked_for_are_there),
        cmocka_unit_test(words_agree_with_their_nouns),
        cmocka_unit_test(each_languages_yes_and_no_are_read_as_such),
        cmocka_unit_test(a_statement_in_the_questions_words_says_neither),
        cmocka_unit_test(a_file_of_ones_own_adds_languages_and_nouns),
        cmocka_unit_test(complaints_name_line_key_and_remedy),
        cmocka_unit_test(an_unknown_language_is_told_with_the_nearest),
        cmocka_unit_test(a_sentence_too_long_is_cut_between_characters),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
