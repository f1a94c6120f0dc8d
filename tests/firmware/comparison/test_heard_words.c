#include "firmware/comparison/heard_words.h"

#include "config/files/json_value.h"
#include "config/files/utf8.h"

#include <cJSON.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static pov_vlm_words words_of(const char *answer)
{
    pov_vlm_words words = {.answer = {0}};
    pov_text_add(&words.answer, "%s", answer);
    return words;
}

static void note(pov_heard_words *heard, const char *model, int64_t question, const char *answer)
{
    pov_vlm_words words = words_of(answer);
    pov_heard_words_note(heard, model, question, "Is it?", &words);
    pov_vlm_words_free(&words);
}

static void assert_says(pov_heard_words *heard, const char *model, const char *answer)
{
    cJSON *object = pov_heard_words_write(heard, model);
    assert_string_equal(pov_json_text_of(object, "answer"), answer ? answer : "");
    assert_int_equal(cJSON_IsNull(object), answer == NULL);
    cJSON_Delete(object);
}

static void one_question_of_a_model_is_followed_until_it_has_its_answer(void **state)
{
    (void)state;
    pov_heard_words *heard = pov_heard_words_new();
    const uint64_t before = pov_heard_words_version(heard);
    assert_says(heard, "a", NULL);
    note(heard, "a", 7, "It");
    note(heard, "a", 8, "No");
    note(heard, "b", 8, "Yes");
    note(heard, "a", 7, "It is");
    assert_says(heard, "a", "It is");
    assert_says(heard, "b", "Yes");
    assert_int_equal(pov_heard_words_version(heard), before + 3);
    pov_heard_words_end(heard, "a", 8);
    assert_says(heard, "a", "It is");
    pov_heard_words_end(heard, "a", 7);
    assert_says(heard, "a", NULL);
    assert_says(heard, "b", "Yes");
    note(heard, "a", 8, "No, it"); /* all so far, also what came while the other one was followed */
    assert_says(heard, "a", "No, it");
    pov_heard_words_destroy(&heard);
}

static void of_a_long_answer_the_newest_words_are_shown_in_whole_characters(void **state)
{
    (void)state;
    pov_heard_words *heard = pov_heard_words_new();
    for (int lead = 0; lead < 4; lead++) {
        pov_text text = {0};
        pov_text_add(&text, "%.*s", lead, "abc");
        for (int i = 0; i < 1000; i++)
            pov_text_add(&text, "杯");
        pov_text_add(&text, "end");
        note(heard, "a", 1, pov_text_of(&text));
        cJSON *object = pov_heard_words_write(heard, "a");
        const char *shown = pov_json_text_of(object, "answer");
        assert_true(strlen(shown) < 400 && strlen(shown) > 390);
        assert_memory_equal(shown, "… 杯杯", strlen("… 杯杯"));
        assert_string_equal(shown + strlen(shown) - 6, "杯end");
        assert_true(pov_utf8_is_valid(shown) && !strchr(shown, '?'));
        cJSON_Delete(object);
        pov_text_free(&text);
    }
    pov_heard_words_destroy(&heard);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_question_of_a_model_is_followed_until_it_has_its_answer),
        cmocka_unit_test(of_a_long_answer_the_newest_words_are_shown_in_whole_characters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
