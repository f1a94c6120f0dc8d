#include "compare/vlm/answer_form.h"

#include "compare/answers/letter_reading.h"
#include "config/files/json_value.h"
#include "config/files/text.h"

#include <cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

pov_prompting pov_prompting_of_columns(const char *columns)
{
    cJSON *root = columns ? pov_json_parse_text(columns) : NULL;
    const pov_prompting prompting = pov_prompting_named(
        pov_json_text_of(root, pov_prompt_condition_kind_name(POV_PROMPT_CONDITION_PROMPTING)));
    cJSON_Delete(root);
    return prompting;
}

pov_status pov_answer_form_of(pov_answer_form *form, const pov_languages *languages,
                              const pov_log_question *question)
{
    form->is_yes_no = strcmp(question->form, "yes_no") == 0;
    form->is_true_false = strcmp(question->form, "true_false") == 0;
    form->explains = pov_prompting_explains(pov_prompting_of_columns(question->columns));
    char code[POV_LANGUAGE_CODE_CAPACITY]; /* without the conditions behind it: "de+system-none" */
    snprintf(code, sizeof code, "%.*s", (int)strcspn(question->language, "+"), question->language);
    return pov_languages_find(&form->language, languages, code).code == POV_OK
               ? pov_ok()
               : pov_languages_find(&form->language, languages, "en");
}

static void read_yes_no(pov_yes_no *yes_no, const pov_answer_form *form, const pov_vlm_answer *answer,
                        double mass_min)
{
    static const char *const yes[] = {"true", NULL}, *const no[] = {"false", NULL};
    static const pov_yes_no_words true_false = {yes, no};
    const bool is_english = strcmp(form->language->code, "en") == 0;
    const pov_yes_no_words own = pov_language_words(form->language);
    pov_yes_no_rule rule = POV_YES_NO_RULE_ENGLISH;
    if (form->is_true_false)
        rule.token_words = &true_false;
    else if (!is_english)
        rule.token_words = rule.text_words = &own;
    rule.mass_min = mass_min;
    pov_yes_no_read(yes_no, answer, &rule);
}

/* Reads the conclusion of a chain of thought: probabilities of its first tokens are those of the explanation. */
static void read_conclusion(pov_yes_no *yes_no, const pov_answer_form *form, const pov_vlm_answer *answer,
                            double mass_min)
{
    size_t from, length;
    bool marked;
    pov_answer_concluded(&from, &length, &marked, answer->text);
    char *words = strndup(answer->text + from, length);
    POV_REQUIRE_MEMORY(words);
    pov_vlm_answer *concluded = malloc(sizeof *concluded);
    POV_REQUIRE_MEMORY(concluded);
    *concluded = *answer;
    concluded->position_len = 0;
    concluded->tokens_cause[0] = '\0';
    const bool is_cut = strcmp(answer->finish_reason, "length") == 0 && !marked;
    if (!answer->refused)
        concluded->text = is_cut ? "" : words;
    read_yes_no(yes_no, form, concluded, mass_min);
    if (is_cut && yes_no->kind == POV_YES_NO_MISSING)
        snprintf(yes_no->cause, sizeof yes_no->cause,
                 "its explanation was cut at %d tokens, before an answer: raise answer_tokens_max",
                 answer->token_max);
    free(concluded);
    free(words);
}

void pov_answer_form_score(pov_log_result *result, pov_yes_no *yes_no, const pov_answer_form *form,
                           const pov_vlm_answer *answer, double mass_min, bool words_count)
{
    result->kind = answer->refused ? "refused" : "text";
    if (!form->is_yes_no && !form->is_true_false)
        return;
    if (form->explains)
        read_conclusion(yes_no, form, answer, mass_min);
    else
        read_yes_no(yes_no, form, answer, mass_min);
    if (yes_no->kind == POV_YES_NO_TEXT && !words_count && !form->explains) {
        char why[sizeof yes_no->cause / 2];
        snprintf(why, sizeof why, "%.*s", (int)strcspn(yes_no->cause, ":"), yes_no->cause);
        yes_no->kind = POV_YES_NO_UNCLEAR;
        yes_no->p = NAN;
        snprintf(yes_no->cause, sizeof yes_no->cause, "%s, and 'logprobs: on' wants no words scored",
                 *why ? why : "the server gave no probabilities");
    }
    result->kind = pov_yes_no_kind_name(yes_no->kind);
    result->cause = yes_no->cause;
    result->p = yes_no->p;
    result->mass = yes_no->mass;
}

/* ---- other forms ---- */

/* The bits of "north|east" among four words. 0: another word is in it. */
static unsigned read_bits(const char *gold, const char *const words[4])
{
    unsigned bits = 0;
    for (const char *at = gold; *at; at += *at == '|') {
        const size_t length = strcspn(at, "|");
        int i = 0;
        while (i < 4 && (strlen(words[i]) != length || strncmp(words[i], at, length) != 0))
            i++;
        if (i == 4)
            return 0;
        bits |= 1u << i;
        at += length;
    }
    return bits;
}

static const char *const direction_words[][4] = {[POV_ANSWER_CARDINALS] = {"north", "east", "south", "west"},
                                                 [POV_ANSWER_SIDES] = {"front", "right", "back", "left"}};

static char *read_directions(const char *answer, pov_answer_circle circle)
{
    bool said[4];
    pov_text text = {0};
    if (pov_answer_directions(said, answer, circle) != POV_ANSWER_GIVEN)
        return NULL;
    for (int i = 0; i < 4; i++)
        if (said[i])
            pov_text_add(&text, "%s%s", text.len > 0 ? "|" : "", direction_words[circle][i]);
    return pov_text_take(&text);
}

static bool is_part(const char *list, const char *word)
{
    for (const char *at = list; *at; at += *at == '|') {
        const size_t length = strcspn(at, "|");
        if (strlen(word) == length && strncmp(word, at, length) == 0)
            return true;
        at += length;
    }
    return false;
}

static char *read_option(const char *columns, const char *answer)
{
    cJSON *root = columns ? pov_json_parse_text(columns) : NULL;
    const bool by_letters = strcmp(pov_json_text_of(root, "offered"), "letters") == 0;
    pov_choice_list list = {.len = 0};
    int option = -1;
    for (const char *at = pov_json_text_of(root, "options"); *at;) {
        const size_t length = strcspn(at, "|");
        if (!pov_choice_list_add(&list, at, length))
            break;
        at += length + (at[length] == '|');
    }
    if (list.len > 0 && by_letters)
        (void)pov_answer_letter(&option, answer, &list, POV_LETTERS_USUAL);
    else if (list.len > 0)
        (void)pov_answer_option(&option, answer, (const char *const *)list.text, list.len);
    cJSON_Delete(root);
    char *read = option < 0 ? NULL : pov_text_new("%s", list.text[option]);
    pov_choice_list_free(&list);
    return read;
}

static char *read_number(const char *answer)
{
    double number;
    return pov_answer_number(&number, answer) == POV_ANSWER_GIVEN ? pov_text_new("%.17g", number) : NULL;
}

static char *read_words(const char *form, const char *columns, const char *answer)
{
    return strcmp(form, "option") == 0      ? read_option(columns, answer)
           : strcmp(form, "number") == 0    ? read_number(answer)
           : strcmp(form, "cardinals") == 0 ? read_directions(answer, POV_ANSWER_CARDINALS)
           : strcmp(form, "sides") == 0     ? read_directions(answer, POV_ANSWER_SIDES)
                                            : NULL;
}

char *pov_answer_form_reading(const char *form, const char *columns, const char *answer)
{
    size_t from = 0, length = strlen(answer);
    bool marked;
    if (pov_prompting_explains(pov_prompting_of_columns(columns)))
        pov_answer_concluded(&from, &length, &marked, answer);
    char *words = strndup(answer + from, length);
    POV_REQUIRE_MEMORY(words);
    char *read = read_words(form, columns, words);
    free(words);
    return read;
}

/* Of options any of the gold is right; of directions all together; numbers are compared as such. */
static bool is_gold(const char *form, const char *reading, const char *gold)
{
    const bool cardinals = strcmp(form, "cardinals") == 0;
    if (strcmp(form, "option") == 0)
        return is_part(gold, reading);
    if (strcmp(form, "number") == 0)
        return strtod(reading, NULL) == strtod(gold, NULL);
    const char *const *words = direction_words[cardinals ? POV_ANSWER_CARDINALS : POV_ANSWER_SIDES];
    return read_bits(reading, words) == read_bits(gold, words);
}

pov_answer_match pov_answer_form_match(const char *form, const char *columns, const char *answer,
                                       const char *gold)
{
    if (!*gold)
        return POV_MATCH_UNREAD;
    char *reading = pov_answer_form_reading(form, columns, answer);
    const pov_answer_match match = !reading                       ? POV_MATCH_UNREAD
                                   : is_gold(form, reading, gold) ? POV_MATCH_SAME
                                                                  : POV_MATCH_OTHER;
    free(reading);
    return match;
}
