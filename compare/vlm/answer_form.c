#include "compare/vlm/answer_form.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

pov_status pov_answer_form_of(pov_answer_form *form, const pov_languages *languages,
                              const pov_log_question *question)
{
    form->is_yes_no = strcmp(question->form, "yes_no") == 0;
    form->is_true_false = strcmp(question->form, "true_false") == 0;
    return pov_languages_find(&form->language, languages, question->language).code == POV_OK
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

void pov_answer_form_score(pov_log_result *result, pov_yes_no *yes_no, const pov_answer_form *form,
                           const pov_vlm_answer *answer, double mass_min, bool words_count)
{
    result->kind = answer->refused ? "refused" : "text";
    if (!form->is_yes_no && !form->is_true_false)
        return;
    read_yes_no(yes_no, form, answer, mass_min);
    if (yes_no->kind == POV_YES_NO_TEXT && !words_count) {
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
