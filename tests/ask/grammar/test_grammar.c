#include "ask/grammar/sentence.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static pov_grammar *compile(const char *text)
{
    pov_grammar *grammar;
    const pov_status status = pov_grammar_new(&grammar, "test.ebnf", text, strlen(text));
    if (status.code != POV_OK)
        fail_msg("%s", status.message);
    return grammar;
}

static void endings_take_each_others_place(void **state)
{
    (void)state;
    static const struct {
        const char *word, *known;
        bool fits, several;
    } cases[] = {
        {"rot", "rot", true, false},     {"roten", "rot", true, false},  {"rote", "roten", true, false},
        {"tassen", "tasse", true, true}, {"men", "man", true, true},     {"women", "woman", true, true},
        {"alrote", "rot", true, false},  {"rotx", "rot", false, false},  {"ot", "rot", false, false},
        {"tas", "tasse", false, false},  {"me", "ma", false, false},     {"ен", "на", false, false},
        {"чашку", "чашка", true, false}, {"чашк", "чашка", false, false}};
    pov_grammar *grammar = compile("START = a ; BEGINNING = al ; ENDING = - e en | e @several en | man "
                                   "@several men | а у ы | на ен ;");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bool several;
        const bool fits = pov_grammar_is_form(grammar, cases[i].word, cases[i].known, &several);
        /* the first paradigm that fits tells whether there are several: "tassen" is "tasse", not "tass" */
        if (fits != cases[i].fits)
            fail_msg("%s of %s", cases[i].word, cases[i].known);
        if (strcmp(cases[i].known, "tasse") != 0)
            assert_int_equal(several, cases[i].several);
    }
    pov_grammar_destroy(&grammar);
}

static void words_without_blanks_are_cut_by_those_that_are_known(void **state)
{
    (void)state;
    static pov_vocabulary vocabulary;
    static pov_sentence sentence;
    pov_grammar *grammar = compile("WRITING = unspaced ; START = {W} ; W = 左 | 边 | 左边 | 的 ;");
    pov_vocabulary_add(&vocabulary, "杯子", false);
    assert_int_equal(pov_sentence_read(&sentence, grammar, &vocabulary, "左边的杯子，勺勺，Anna", true).code,
                     POV_OK);
    static const char *const words[] = {"左边", "的", "杯子", "勺勺", "anna"};
    assert_int_equal(sentence.words.len, 5);
    for (int i = 0; i < 5; i++) {
        assert_string_equal(sentence.words.word[i], words[i]);
        assert_int_equal(sentence.word[i].unknown, i >= 3);
        assert_int_equal(sentence.words.paused[i], i >= 3);
    }
    pov_grammar_destroy(&grammar);
}

static void a_word_ends_behind_its_apostrophe_where_it_is_elided(void **state)
{
    (void)state;
    pov_words words;
    assert_true(pov_words_split(&words, "¿L’auto, «qu'il» voit ?", POV_WRITING_ELIDED));
    static const char *const split[] = {"l'", "auto", "qu'", "il", "voit"};
    assert_int_equal(words.len, 5);
    for (int i = 0; i < 5; i++)
        assert_string_equal(words.word[i], split[i]);
    assert_true(words.paused[2] && !words.paused[1] && words.paused[5]);
}

static void a_slip_is_one_letter_whatever_its_bytes(void **state)
{
    (void)state;
    assert_true(pov_is_one_edit("tür", "tur"));
    assert_true(pov_is_one_edit("дом", "дам"));
    assert_true(pov_is_one_edit("шжа", "жша"));
    assert_true(pov_is_one_edit("машиа", "машина"));
    assert_true(pov_is_one_edit("マグカッブ", "マグカップ"));
    assert_false(pov_is_one_edit("дом", "дом"));
    assert_false(pov_is_one_edit("дым", "дама"));
    assert_false(pov_is_one_edit("ab", "cd"));
}

static void fillers_and_words_said_twice_are_passed_over(void **state)
{
    (void)state;
    static pov_vocabulary vocabulary;
    static pov_sentence sentence;
    pov_grammar *grammar = compile("START = {W} ; W = the | cup ; FILLER = uh | um ;");
    assert_int_equal(pov_sentence_read(&sentence, grammar, &vocabulary, "Uh, the, um, the cup", true).code,
                     POV_OK);
    assert_int_equal(sentence.words.len, 2);
    assert_string_equal(sentence.words.word[0], "the");
    assert_string_equal(sentence.words.word[1], "cup");
    pov_grammar_destroy(&grammar);
}

static void words_written_together_are_parted_where_the_rest_is_known(void **state)
{
    (void)state;
    static pov_vocabulary vocabulary;
    static pov_sentence sentence;
    pov_grammar *grammar = compile("APART = و ; BEGINNING = ال ; START = {W} ; W = و | واحد ;");
    pov_vocabulary_add(&vocabulary, "كوب", false);
    assert_int_equal(pov_sentence_read(&sentence, grammar, &vocabulary, "والكوب واحد وسيم", false).code,
                     POV_OK);
    static const char *const words[] = {"و", "الكوب", "واحد", "وسيم"};
    assert_int_equal(sentence.words.len, 4);
    for (int i = 0; i < 4; i++) {
        assert_string_equal(sentence.words.word[i], words[i]);
        assert_int_equal(sentence.word[i].unknown, i == 3);
    }
    pov_grammar_destroy(&grammar);
}

static void a_sentence_is_translated_as_the_format_that_made_it(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"you say 3, and 2 fit", "du sagst 3, und 2 passen"},
        {"no red cup here fits; there are the cup, the mug", "kein red cup; da: the cup, the mug"},
        {"no red cup here fits", "kein red cup passt"},
        {"you say 3, and 2", "you say 3, and 2"},
        {"a cup is", "a cup is"},
        {"", ""}};
    pov_grammar *grammar =
        compile("START = a ;\n#= you say %d, and %d fit => du sagst %d, und %d passen\n"
                "#= no %s here fits => kein %s passt\n"
                "#= no %s here fits; there are %s => kein %s; da: %s\n#= %s is => %s ist\n");
    char said[80];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        pov_grammar_say_like(grammar, said, sizeof said, cases[i][0]);
        assert_string_equal(said, cases[i][1]);
    }
    char small[5];
    pov_grammar_say_like(grammar, small, sizeof small, cases[0][0]);
    assert_string_equal(small, "du s");
    pov_grammar_destroy(&grammar);
}

static void translations_have_genders_and_plurals(void **state)
{
    (void)state;
    const pov_translation *t;
    pov_grammar *grammar =
        compile("START = a ;\n#= mug => Tasse (f), Tassen\n#= yes => ja\n#= red (f) => rote\n#= on "
                "=> auf\n#= pink => rosa (-)\n");
    assert_non_null(t = pov_grammar_translation_at(grammar, 0));
    assert_string_equal(t->english, "mug");
    assert_string_equal(t->word, "Tasse");
    assert_string_equal(t->gender, "f");
    assert_string_equal(t->several, "Tassen");
    assert_non_null(t = pov_grammar_translation_at(grammar, 1));
    assert_string_equal(t->english, "red (f)");
    assert_string_equal(t->word, "rote");
    assert_non_null(t = pov_grammar_translation_at(grammar, 2));
    assert_string_equal(t->word, "rosa");
    assert_string_equal(t->several, "");
    assert_null(pov_grammar_translation_at(grammar, 3));
    assert_string_equal(pov_grammar_say(grammar, "yes"), "ja");
    pov_grammar_destroy(&grammar);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(endings_take_each_others_place),
        cmocka_unit_test(words_without_blanks_are_cut_by_those_that_are_known),
        cmocka_unit_test(a_word_ends_behind_its_apostrophe_where_it_is_elided),
        cmocka_unit_test(a_slip_is_one_letter_whatever_its_bytes),
        cmocka_unit_test(fillers_and_words_said_twice_are_passed_over),
        cmocka_unit_test(words_written_together_are_parted_where_the_rest_is_known),
        cmocka_unit_test(a_sentence_is_translated_as_the_format_that_made_it),
        cmocka_unit_test(translations_have_genders_and_plurals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
