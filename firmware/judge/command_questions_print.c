#include "firmware/judge/command_questions_print.h"

#include "config/files/csv.h"
#include "config/files/json_value.h"

#include <cJSON.h>
#include <math.h>

enum { GOLD_CAPACITY = 600, FRAME_CAPACITY = 80 };

static const char *name_of(const pov_scene *scene, pov_id id)
{
    return id == POV_ID_NONE ? NULL : scene->entities[id].name;
}

/* -------- text -------- */

/* Golds with the same answer and probability are printed together; undefined ones at the end. */
static bool is_alike(const pov_gold *a, const pov_gold *b)
{
    return a->defined == b->defined && a->sure == b->sure &&
           (!a->defined || (a->answers == b->answers && fabs(a->p - b->p) < 5e-4 &&
                            (a->number == b->number || isnan(a->number))));
}

static void print_gold(FILE *stream, const pov_question *question, int index)
{
    const pov_gold *gold = &question->golds[index];
    char answer[GOLD_CAPACITY], frame[FRAME_CAPACITY];
    for (int i = 0; i < index; i++)
        if (is_alike(&question->golds[i], gold))
            return;
    pov_gold_describe(answer, sizeof answer, question, gold);
    if (gold->defined)
        fprintf(stream, "    %s%s, P = %.3f", answer, gold->sure ? "" : "?", gold->p);
    else
        fputs("    undefined", stream);
    for (int i = index, first = 1; i < question->gold_len; i++) {
        const pov_gold *other = &question->golds[i];
        pov_gold_frame(frame, sizeof frame, other);
        if (!is_alike(gold, other) || *frame == '\0')
            continue;
        fprintf(stream, "%s%s%s", first ? ": " : "; ", frame, other->asked ? " (asked)" : "");
        first = 0;
    }
    fputc('\n', stream);
}

static void print_text(FILE *stream, const pov_question *question)
{
    fprintf(stream, "%s\n  %s\n", question->id, question->text);
    for (int i = 0; i < question->gold_len; i++)
        print_gold(stream, question, i);
}

/* -------- JSON -------- */

static cJSON *gold_object(const pov_question *question, const pov_gold *gold)
{
    char answer[GOLD_CAPACITY], frame[FRAME_CAPACITY];
    bool has_yes = pov_question_is_yes_or_no(question);
    cJSON *object = cJSON_CreateObject();
    pov_gold_describe(answer, sizeof answer, question, gold);
    pov_gold_frame(frame, sizeof frame, gold);
    pov_json_add_text(object, "frame", *frame ? frame : NULL);
    cJSON_AddBoolToObject(object, "asked", gold->asked);
    pov_json_add_text(object, "answer", gold->defined ? answer : NULL);
    cJSON_AddBoolToObject(object, "sure", gold->sure);
    pov_json_add_number(object, "p", gold->p);
    pov_json_add_number(object, "p_std", gold->p_std);
    if (has_yes)
        pov_json_add_number(object, "p_yes", pov_gold_p_yes(gold));
    if (isfinite(gold->cosine))
        pov_json_add_number(object, "cosine", gold->cosine);
    return object;
}

static void add_layout(cJSON *object, const pov_question *question)
{
    if (!isfinite(question->phi_rad))
        return;
    pov_json_add_number(object, "phi_deg", pov_degrees(question->phi_rad));
    pov_json_add_number(object, "addressee_facing_deg", question->facings.addressee_deg);
    pov_json_add_number(object, "relatum_facing_deg", question->facings.relatum_deg);
}

/* As `pov score` reads captions. */
static void add_caption(cJSON *object, const pov_caption *caption)
{
    static const char *const relations[] = {"left", "right", "front", "back"};
    static const char *const facings[] = {"toward", "left", "away", "right"};
    static const char *const frames[] = {"external relative", "external intrinsic", "internal intrinsic",
                                         "internal relative"};
    pov_json_add_text(object, "caption", caption->text);
    pov_json_add_text(object, "split", pov_split_name(caption->split));
    pov_json_add_text(object, "obj1", caption->locatum);
    pov_json_add_text(object, "obj2", caption->relatum);
    cJSON_ReplaceItemInObject(object, "relation", cJSON_CreateString(relations[caption->relation]));
    pov_json_add_text(object, "facing", caption->faces ? facings[caption->facing] : NULL);
    cJSON *list = cJSON_AddArrayToObject(object, "frames");
    for (int f = 0; f < POV_FOREST_FRAME_COUNT; f++)
        if (caption->frames >> f & 1)
            cJSON_AddItemToArray(list, cJSON_CreateString(frames[f]));
}

static cJSON *question_object(const pov_question *question, const pov_scene *scene)
{
    cJSON *object = cJSON_CreateObject();
    pov_json_add_text(object, "id", question->id);
    pov_json_add_text(object, "paper", pov_benchmark_name(question->benchmark));
    pov_json_add_text(object, "task", question->task);
    pov_json_add_text(object, "language", question->language);
    pov_json_add_text(object, "text", question->text);
    if (question->system)
        pov_json_add_text(object, "system", question->system);
    pov_json_add_text(object, "guided", pov_guidance_name(question->guidance));
    pov_json_add_text(object, "prompting", pov_prompting_name(question->prompting));
    pov_json_add_text(object, "system_prompt", pov_system_prompt_name(question->system_prompt));
    pov_json_add_text(object, "order", pov_question_order_name(question->order));
    cJSON_AddBoolToObject(object, "flip", question->is_flipped);
    cJSON_AddNumberToObject(object, "circular", question->rotation);
    pov_json_add_text(object, "kind", pov_question_kind_name(question->kind));
    if (question->option_len > 0)
        cJSON_AddItemToObject(object, "options",
                              cJSON_CreateStringArray(question->options, question->option_len));
    cJSON_AddNumberToObject(object, "token_max", question->token_max);
    pov_json_add_text(object, "referent", name_of(scene, question->referent));
    pov_json_add_text(object, "relatum", name_of(scene, question->relatum));
    pov_json_add_text(object, "viewer", name_of(scene, question->viewer));
    if (question->relation < POV_RELATION_COUNT)
        pov_json_add_text(object, "relation", pov_relation_name(question->relation));
    if (question->prompt < POV_PROMPT_COUNT)
        pov_json_add_text(object, "prompt", pov_prompt_name(question->prompt));
    if (question->relatum_case)
        pov_json_add_text(object, "relatum_case", question->relatum_case);
    if (question->asked_of)
        pov_json_add_text(object, "asked_of", question->asked_of);
    cJSON_AddBoolToObject(object, "needs_image", question->needs_image);
    add_layout(object, question);
    if (question->has_caption)
        add_caption(object, &question->caption);
    cJSON *golds = cJSON_AddArrayToObject(object, "golds");
    for (int i = 0; i < question->gold_len; i++)
        cJSON_AddItemToArray(golds, gold_object(question, &question->golds[i]));
    return object;
}

/* -------- CSV -------- */

static void print_csv_number(FILE *stream, double value)
{
    fprintf(stream, isfinite(value) ? ",%.6g" : ",", value);
}

static void print_csv(FILE *stream, const pov_question *question)
{
    for (int i = 0; i < question->gold_len; i++) {
        const pov_gold *gold = &question->golds[i];
        char answer[GOLD_CAPACITY], frame[FRAME_CAPACITY];
        pov_gold_describe(answer, sizeof answer, question, gold);
        pov_gold_frame(frame, sizeof frame, gold);
        const char *const fields[] = {
            question->id, question->task, question->language,         question->text,
            frame,        answer,         gold->asked ? "yes" : "no", gold->sure ? "yes" : "no"};
        for (size_t f = 0; f < sizeof fields / sizeof *fields; f++) {
            if (f > 0)
                fputc(',', stream);
            pov_csv_write(stream, fields[f]);
        }
        print_csv_number(stream, gold->p);
        print_csv_number(stream, gold->cosine);
        fputc('\n', stream);
    }
}

void pov_questions_print(FILE *stream, const pov_questions *questions, const pov_scene *scene,
                         pov_question_form form)
{
    bool first = true;
    if (form == POV_QUESTIONS_AS_JSON)
        fputs("{\"questions\":[", stream);
    if (form == POV_QUESTIONS_AS_CSV)
        fputs("id,task,language,text,frame,answer,asked,sure,p,cosine\n", stream);
    for (int i = 0; i < pov_questions_len(questions); i++) {
        const pov_question *question = pov_questions_at(questions, i);
        if (form == POV_QUESTIONS_AS_JSON)
            pov_json_print_element(stream, question_object(question, scene), &first);
        else if (form == POV_QUESTIONS_AS_CSV)
            print_csv(stream, question);
        else
            print_text(stream, question);
    }
    if (form == POV_QUESTIONS_AS_JSON)
        fputs("]}\n", stream);
}

/* -------- languages -------- */

static const char *convention_of(const pov_language *language)
{
    return language->convention == POV_NO_CONVENTION ? "unstated" : pov_convention_name(language->convention);
}

static void print_words(FILE *stream, const char *const *words)
{
    for (int i = 0; words[i]; i++)
        fprintf(stream, "%s%s", i ? ", " : "", words[i]);
}

static cJSON *words_array(const char *const *words)
{
    int len = 0;
    while (words[len])
        len++;
    return cJSON_CreateStringArray(words, len);
}

static cJSON *language_object(const pov_language *language)
{
    cJSON *object = cJSON_CreateObject();
    pov_json_add_text(object, "code", language->code);
    pov_json_add_text(object, "name", language->name);
    pov_json_add_text(object, "of", language->base ? language->base->code : NULL);
    pov_json_add_text(object, "source", language->source);
    cJSON_AddBoolToObject(object, "right_to_left", language->right_to_left);
    pov_json_add_text(object, "convention", convention_of(language));
    pov_json_add_text(object, "citation", language->citation);
    cJSON_AddItemToObject(object, "yes", words_array(language->yes));
    cJSON_AddItemToObject(object, "no", words_array(language->no));
    return object;
}

static void print_language(FILE *stream, const pov_language *language)
{
    fprintf(stream, "%-8s %-24s %-11s ", language->code, language->name, convention_of(language));
    print_words(stream, language->yes);
    fputs(" / ", stream);
    print_words(stream, language->no);
    fputc('\n', stream);
}

void pov_languages_print(FILE *stream, const pov_languages *languages, pov_question_form form)
{
    bool first = true;
    if (form == POV_QUESTIONS_AS_JSON)
        fputs("{\"languages\":[", stream);
    else
        fprintf(stream, "%-8s %-24s %-11s yes / no\n", "code", "language", "convention");
    for (int i = 0; i < pov_languages_len(languages); i++)
        if (form == POV_QUESTIONS_AS_JSON)
            pov_json_print_element(stream, language_object(pov_languages_at(languages, i)), &first);
        else
            print_language(stream, pov_languages_at(languages, i));
    if (form == POV_QUESTIONS_AS_JSON)
        fputs("]}\n", stream);
}

void pov_languages_offer(FILE *stream)
{
    pov_languages *languages;
    if (pov_languages_new(&languages, NULL).code != POV_OK)
        return;
    for (int i = 0; i < pov_languages_len(languages); i++)
        fprintf(stream, "%s\t%s\n", pov_languages_at(languages, i)->code,
                pov_languages_at(languages, i)->name);
    pov_languages_destroy(&languages);
}

static cJSON *condition_object(pov_prompt_condition_kind kind, const pov_prompt_condition *condition)
{
    cJSON *object = cJSON_CreateObject();
    pov_json_add_text(object, "kind", pov_prompt_condition_kind_name(kind));
    pov_json_add_text(object, "name", condition->name);
    pov_json_add_text(object, "does", condition->does);
    pov_json_add_text(object, "source", condition->source);
    return object;
}

void pov_prompt_conditions_print(FILE *stream, pov_question_form form)
{
    const pov_prompt_condition *condition;
    bool first = true;
    if (form == POV_QUESTIONS_AS_JSON)
        fputs("{\"conditions\":[", stream);
    for (int kind = 0; kind < POV_PROMPT_CONDITION_KINDS; kind++)
        for (int i = 0; (condition = pov_prompt_condition_at((pov_prompt_condition_kind)kind, i)); i++)
            if (form == POV_QUESTIONS_AS_JSON)
                pov_json_print_element(stream, condition_object((pov_prompt_condition_kind)kind, condition),
                                       &first);
            else
                fprintf(stream, "--%-10s %-10s %s%s%s%s\n",
                        pov_prompt_condition_kind_name((pov_prompt_condition_kind)kind), condition->name,
                        condition->does, *condition->source ? " (" : "", condition->source,
                        *condition->source ? ")" : "");
    if (form == POV_QUESTIONS_AS_JSON)
        fputs("]}\n", stream);
}
