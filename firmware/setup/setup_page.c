#include "firmware/setup/setup_page.h"

#include "config/files/json_value.h"

#include <cJSON.h>
#include <stdlib.h>
#include <string.h>

/* ---- telling ---- */

static const char *state_name(pov_setup_state state)
{
    static const char *const names[] = {"open", "good", "bad", "skipped"};
    return names[state];
}

static cJSON *list_steps(const pov_setup *s)
{
    cJSON *list = cJSON_CreateArray();
    for (int i = 0; i < POV_SETUP_STEP_COUNT; i++) {
        cJSON *item = cJSON_CreateObject();
        cJSON_AddStringToObject(item, "name", POV_SETUP_STEPS[i].name);
        cJSON_AddStringToObject(item, "title", POV_SETUP_STEPS[i].title);
        cJSON_AddStringToObject(item, "state", state_name(s->verdicts[i].state));
        cJSON_AddStringToObject(item, "words", s->verdicts[i].words);
        pov_json_add_text(item, "lacks", pov_setup_lacks(s, (pov_setup_step_id)i));
        cJSON_AddItemToArray(list, item);
    }
    return list;
}

static const char *kind_name(pov_setup_kind kind)
{
    static const char *const names[] = {"text", "number", "choice", "point", "secret"};
    return names[kind];
}

static cJSON *list_fields(const pov_setup *s)
{
    cJSON *list = cJSON_CreateArray();
    for (const pov_setup_field *field = POV_SETUP_STEPS[s->at].fields; field->name; field++) {
        cJSON *item = cJSON_CreateObject();
        const bool keeps = field->kind != POV_SETUP_SECRET && !POV_SETUP_STEPS[s->at].repeats;
        cJSON_AddStringToObject(item, "name", field->name);
        cJSON_AddStringToObject(item, "label", field->label);
        cJSON_AddStringToObject(item, "kind", kind_name(field->kind));
        cJSON_AddStringToObject(
            item, "value", keeps ? pov_setup_answer(&s->answers[s->at], s->at, field->name) : field->preset);
        pov_json_add_text(item, "choices", field->choices);
        pov_json_add_text(item, "shown", field->shown);
        cJSON_AddItemToArray(list, item);
    }
    return list;
}

static cJSON *list_cast(const pov_setup *s)
{
    cJSON *list = cJSON_CreateArray();
    for (int i = 0; s->has_station && i < s->station->cast.len; i++) {
        const pov_entity *entity = &s->station->cast.members[i].entity;
        char words[POV_SETUP_WORDS_CAPACITY];
        cJSON *item = cJSON_CreateObject();
        const bool found = pov_setup_describe(words, s, entity->name);
        cJSON_AddStringToObject(item, "id", entity->name);
        cJSON_AddStringToObject(item, "class", entity->class_name);
        cJSON_AddBoolToObject(item, "found", found);
        cJSON_AddStringToObject(item, "words", words);
        cJSON_AddItemToArray(list, item);
    }
    return list;
}

/* To choose from, as long as no picture is there. */
static cJSON *list_cameras(const pov_setup *s)
{
    cJSON *list = cJSON_CreateArray();
    for (int i = 0; !s->source && s->at == POV_SETUP_CAMERA && i < s->cameras.len; i++) {
        const pov_setup_camera *camera = &s->cameras.list[i];
        cJSON *item = cJSON_CreateObject();
        cJSON_AddStringToObject(item, "source", camera->source);
        cJSON_AddStringToObject(item, "id", camera->id);
        cJSON_AddStringToObject(item, "title", camera->title);
        cJSON_AddStringToObject(item, "words", camera->words);
        pov_json_add_text(item, "picture", camera->picture);
        cJSON_AddItemToArray(list, item);
    }
    return list;
}

static cJSON *list_cover(const pov_setup *s)
{
    cJSON *rows = cJSON_CreateArray();
    for (int row = 0; row < POV_SETUP_COVER_ROWS; row++)
        cJSON_AddItemToArray(rows, cJSON_CreateIntArray(s->cover[row], POV_SETUP_COVER_COLUMNS));
    return rows;
}

static bool is_taking(const pov_setup *s)
{
    return s->gathers != POV_SETUP_NOTHING && s->gathers != POV_SETUP_CLEAR && s->gathers != POV_SETUP_PLACE;
}

/* The button by which a person goes on; "": none. */
static const char *enough_words(const pov_setup *s)
{
    return s->gathers == POV_SETUP_CLEAR   ? "It is empty"
           : s->gathers == POV_SETUP_PLACE ? "It stands there"
           : is_taking(s)                  ? "Enough: measure now"
                                           : "";
}

static const char *printed_name(const pov_setup *s)
{
    const char *path = s->prints[s->at], *slash = strrchr(path, '/');
    const bool is_ready = s->job.pid == 0 && !s->verdicts[s->at].failed;
    return !is_ready ? "" : slash ? slash + 1 : path;
}

void pov_setup_page_show(const pov_setup *setup, pov_dashboard *dashboard)
{
    const pov_setup_step *step = &POV_SETUP_STEPS[setup->at];
    cJSON *root = cJSON_CreateObject();
    cJSON_AddStringToObject(root, "state", "setup");
    cJSON_AddStringToObject(root, "at", step->name);
    cJSON_AddStringToObject(root, "about", step->about);
    cJSON_AddStringToObject(root, "action", step->action);
    cJSON_AddBoolToObject(root, "may_skip", step->may_skip);
    cJSON_AddStringToObject(root, "enough", enough_words(setup));
    cJSON_AddStringToObject(root, "print", printed_name(setup));
    cJSON_AddNumberToObject(root, "taken", setup->taken_len);
    cJSON_AddNumberToObject(root, "wanted", is_taking(setup) ? setup->wanted_len : 0);
    cJSON_AddBoolToObject(root, "busy", pov_setup_is_busy(setup));
    cJSON_AddBoolToObject(root, "ended", setup->ended);
    cJSON_AddBoolToObject(root, "runs", setup->wants_run);
    cJSON_AddBoolToObject(root, "practice", pov_setup_is_practice(setup));
    cJSON_AddStringToObject(root, "live", setup->source ? setup->live : "");
    cJSON_AddStringToObject(root, "file", setup->path);
    cJSON_AddStringToObject(root, "text", setup->text);
    cJSON_AddStringToObject(root, "command", setup->command);
    cJSON_AddItemToObject(root, "steps", list_steps(setup));
    cJSON_AddItemToObject(root, "fields", list_fields(setup));
    cJSON_AddItemToObject(root, "cast", list_cast(setup));
    cJSON_AddItemToObject(root, "cameras", list_cameras(setup));
    if (setup->gathers == POV_SETUP_BOARD || setup->gathers == POV_SETUP_TAGS_LYING)
        cJSON_AddItemToObject(root, "cover", list_cover(setup));
    char *text = cJSON_PrintUnformatted(root);
    if (text)
        pov_dashboard_show_study(dashboard, text, NULL);
    free(text);
    cJSON_Delete(root);
    if (*setup->report)
        pov_dashboard_offer_report(dashboard, setup->report);
    pov_dashboard_offer_print(dashboard, setup->prints[setup->at]);
}

/* ---- hearing ---- */

static pov_status take_answers(pov_setup_answers *answers, pov_setup_step_id step, const cJSON *object)
{
    const cJSON *item;
    *answers = (pov_setup_answers){.len = 0};
    cJSON_ArrayForEach(item, object)
    {
        if (!cJSON_IsString(item))
            return pov_error("%s: an answer is a text", POV_SETUP_STEPS[step].name);
        POV_TRY(pov_setup_answer_set(answers, step, item->string, item->valuestring));
    }
    return pov_ok();
}

static pov_status take_step(pov_setup *s, const cJSON *root, const char *what)
{
    pov_setup_step_id step;
    pov_setup_answers answers;
    POV_TRY(pov_setup_step_find(&step, pov_json_text_of(root, "step")));
    if (strcmp(what, "skip") == 0)
        pov_setup_skip(s, step);
    else if (strcmp(what, "go") == 0)
        pov_setup_go(s, step);
    else {
        const pov_status status = take_answers(&answers, step, cJSON_GetObjectItem(root, "answers"));
        if (status.code == POV_OK)
            (void)!pov_setup_apply(s, step, &answers).code; /* its verdict tells */
        else
            pov_setup_fail(s, step, status);
    }
    return pov_ok();
}

static pov_status take_object(pov_setup *s, const cJSON *root)
{
    const char *what = pov_json_text_of(root, "do"), *id = pov_json_text_of(root, "id");
    if (!*what)
        return pov_error("a line of a set-up says what to do");
    if (strcmp(what, "apply") == 0 || strcmp(what, "skip") == 0 || strcmp(what, "go") == 0)
        return take_step(s, root, what);
    if (strcmp(what, "enough") == 0)
        (void)!pov_setup_enough(s).code;
    else if (strcmp(what, "cancel") == 0)
        pov_setup_cancel(s);
    else if (strcmp(what, "remove") == 0 && *id)
        (void)!pov_setup_remove(s, id).code;
    else
        return pov_error("a set-up cannot '%.40s'", what);
    return pov_ok();
}

pov_status pov_setup_page_take(pov_setup *setup, const char *line)
{
    cJSON *root = pov_json_parse_text(line);
    if (!root)
        return pov_error("a line of a set-up is a JSON object");
    const pov_status status = take_object(setup, root);
    cJSON_Delete(root);
    return status;
}
