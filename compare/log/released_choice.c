/* The rows of benchmarks of multiple choice by letters, as they and the engines that run them write them: in JSON, in JSON lines, and in
 * tables. The whole item is kept, so that it can be written again. */
#include "compare/answers/choice_list.h"
#include "compare/log/released_set_internal.h"
#include "compare/tables/table.h"
#include "config/files/grow.h"
#include "config/files/json_value.h"
#include "config/files/text.h"

#include <cJSON.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { TOKENS = 128, BASE64_LENGTH = 256 /* no path is so long, and no picture so short */, LETTERS = 6 };

/* ---- members ---- */

/* The first of several names, ended by NULL, that is a member with something in it. */
static const cJSON *find_member(const cJSON *item, const char *const *names)
{
    for (; *names; names++) {
        const cJSON *member = cJSON_GetObjectItemCaseSensitive(item, *names);
        if (member && !cJSON_IsNull(member) && !(cJSON_IsString(member) && !*member->valuestring))
            return member;
    }
    return NULL;
}

/* Also where it is empty. */
static bool has_any(const cJSON *item, const char *const *names)
{
    bool has = false;
    for (; *names && !has; names++)
        has = cJSON_IsString(cJSON_GetObjectItemCaseSensitive(item, *names));
    return has;
}

static const char *text_of(const cJSON *item, const char *const *names)
{
    const cJSON *member = find_member(item, names);
    return cJSON_IsString(member) ? member->valuestring : "";
}

static const char
    *const type_names[] = {"question_type", "Question_Type", "category", "setting", "type", "task", NULL},
           *const id_names[] = {"qid", "id", "ID", "index", "question_id", NULL},
           *const question_names[] = {"question", "Question", NULL},
           *const option_names[] = {"choices", "options", "candidates", NULL},
           *const gold_names[] = {"gt_answer", "ground_truth", "Correct Answer", "correct_answer", NULL},
           *const answer_names[] = {"answer", NULL}, /* the right one only in files without a name of those */
               *const image_names[] = {"image_path", "images", "image_paths", "image", "image_url", NULL},
           *const prediction_names[] = {"prediction", "Predicted Answer",  "predicted_answer",
                                        "response",   "cogmap_gen_answer", "model_answer",
                                        NULL};

/* The first of several names, ended by NULL, that is a member, be it empty. */
static const char *find_name(const cJSON *item, const char *const *names)
{
    while (*names && !cJSON_GetObjectItemCaseSensitive(item, *names))
        names++;
    return *names;
}

/* Its id, also if that is a number; else the item's number. The caller frees it. */
static char *name_item(const pov_released_set *s, const cJSON *item)
{
    const cJSON *id = find_member(item, id_names);
    return cJSON_IsString(id)   ? pov_text_new("%s", id->valuestring)
           : cJSON_IsNumber(id) ? pov_text_new("%.0f", id->valuedouble)
                                : pov_text_new("%d", s->number);
}

/* ---- whose rows they are ---- */

static bool begins_with_one(const char *text, const char *const *begins)
{
    for (; *begins; begins++)
        if (strncmp(text, *begins, strlen(*begins)) == 0)
            return true;
    return false;
}

bool pov_released_choice_form(pov_released_form *form, const cJSON *item)
{
    static const char *const of_viewspatial[] = {"Camera perspective", "Person perspective", NULL},
                             *const of_3dsrbench[] = {"height_", "location_", "orientation_", "multi_object_",
                                                      NULL},
                             *const of_mindcube[] = {"around", "rotation", "among", "translation", NULL};
    static const char *const types[] = {"question_type", "Question_Type", "category", NULL},
                             *const ids[] = {"id", "index", NULL}, *const own_ids[] = {"pov_id", NULL};
    if (!find_member(item, question_names) || find_member(item, own_ids) ||
        (!find_name(item, gold_names) && !find_member(item, answer_names)))
        return false;
    const char *type = text_of(item, types);
    *form = begins_with_one(type, of_viewspatial)              ? POV_RELEASED_VIEWSPATIAL
            : begins_with_one(type, of_3dsrbench)              ? POV_RELEASED_3DSRBENCH
            : begins_with_one(text_of(item, ids), of_mindcube) ? POV_RELEASED_MINDCUBE
                                                               : POV_RELEASED_COUNT;
    return *form != POV_RELEASED_COUNT;
}

/* "around" of "around_group042_q3"; else the type's own words. */
static const char *type_of(const pov_released_set *s, const cJSON *item)
{
    static const char *const settings[] = {"around", "rotation", "among", "translation"};
    const char *id = text_of(item, id_names);
    for (size_t i = 0; s->form == POV_RELEASED_MINDCUBE && i < sizeof settings / sizeof *settings; i++)
        if (strcasestr(id, settings[i]))
            return settings[i];
    return text_of(item, type_names);
}

/* ---- a row ---- */

typedef struct {
    pov_choice_list options;
    char *stem; /* the question without options */
    int gold;
} choice_item;

static void free_choice(choice_item *of)
{
    pov_choice_list_free(&of->options);
    free(of->stem);
}

static bool is_missing(const char *text)
{
    return !*text || strcasecmp(text, "nan") == 0 || strcasecmp(text, "none") == 0;
}

static void read_columns(pov_choice_list *options, const cJSON *item)
{
    for (int i = 0; i < LETTERS && options->len == i; i++) {
        const char letter[] = {(char)('A' + i), '\0'};
        const char *text = pov_json_text_of(item, letter);
        if (!is_missing(text))
            (void)pov_choice_list_add(options, text, strlen(text));
    }
}

static pov_status read_options(const pov_released_set *s, choice_item *of, const cJSON *item)
{
    const cJSON *member = find_member(item, option_names);
    const char *question = text_of(item, question_names);
    size_t stem = strlen(question);
    char *printed = cJSON_IsString(member) || !member ? NULL : cJSON_PrintUnformatted(member);
    const char *text = printed ? printed : member ? member->valuestring : "";
    const bool read = !is_missing(text) && pov_choice_list_read(&of->options, text);
    const bool refused = !is_missing(text) && !read;
    cJSON_free(printed);
    if (refused)
        return pov_released_complain(
            s, "'%s' is not a list of options: \"A. left\\nB. right\" or [\"left\", \"right\"]",
            member->string);
    if (!read)
        read_columns(&of->options, item);
    if (of->options.len == 0)
        (void)pov_choice_list_read_end(&of->options, &stem, question);
    of->stem = pov_text_new("%.*s", (int)stem, question);
    if (of->options.len < 2)
        return pov_released_complain(
            s, "has no options: 'choices', 'options', 'candidates', columns A, B, ..., or \"A. ... B. "
               "...\" at the end of the question");
    const int same = pov_choice_list_double(&of->options);
    if (same >= 0)
        return pov_released_complain(s, "the option '%.60s' stands twice", of->options.text[same]);
    for (int i = 0; i < of->options.len; i++)
        if (strchr(of->options.text[i], '|'))
            return pov_released_complain(s, "an option has a '|'");
    return pov_ok();
}

/* `answer` is the model's in all items if any of them names the right answer. */
static pov_status find_gold(pov_released_set *s, const cJSON **gold, const cJSON *item)
{
    const char *name = find_name(item, gold_names);
    *gold = find_member(item, name ? gold_names : answer_names);
    if (name && !s->gold_name)
        s->gold_name = pov_released_own(s, pov_text_new("%s", name));
    if (!name && s->answer_is_gold == 0)
        s->answer_is_gold = s->number;
    if (name && !*gold)
        return pov_released_complain(s, "'%s' is empty: it is the right answer", name);
    if (!s->gold_name || s->answer_is_gold == 0)
        return pov_ok();
    s->number = s->answer_is_gold;
    return pov_released_complain(
        s, "has no '%s' as other items have: their 'answer' is the model's, not the right one", s->gold_name);
}

static pov_status read_item(pov_released_set *s, choice_item *of, const cJSON *item)
{
    const cJSON *gold;
    POV_TRY(find_gold(s, &gold, item));
    POV_TRY(read_options(s, of, item));
    of->gold = cJSON_IsString(gold) ? pov_choice_list_gold(&of->options, gold->valuestring) : -1;
    return of->gold >= 0
               ? pov_ok()
               : pov_released_complain(s, "the answer '%.60s' is not one of the options, nor a letter of one",
                                       cJSON_IsString(gold) ? gold->valuestring : "");
}

/* ---- images ---- */

/* Names with "|" between: of a list, a list in a text, or one name. Pictures within the file have none. The caller frees it. */
static char *name_images(const cJSON *item)
{
    const cJSON *member = find_member(item, image_names), *one;
    pov_text names = {0};
    pov_choice_list list;
    if (cJSON_IsArray(member)) {
        cJSON_ArrayForEach(one, member) if (cJSON_IsString(one) && strlen(one->valuestring) < BASE64_LENGTH)
            pov_text_add(&names, "%s%s", names.len > 0 ? "|" : "", one->valuestring);
    } else if (cJSON_IsString(member) && *member->valuestring == '[' &&
               pov_choice_list_read_names(&list, member->valuestring)) {
        for (int i = 0; i < list.len; i++)
            if (strlen(list.text[i]) < BASE64_LENGTH)
                pov_text_add(&names, "%s%s", names.len > 0 ? "|" : "", list.text[i]);
        pov_choice_list_free(&list);
    } else if (cJSON_IsString(member) && strlen(member->valuestring) < BASE64_LENGTH) {
        pov_text_set(&names, "%s", member->valuestring);
    }
    return pov_text_take(&names);
}

/* ---- questions ---- */

static char *write_prompt(const pov_released_set *s, const choice_item *of)
{
    const bool views = s->form == POV_RELEASED_VIEWSPATIAL, cube = s->form == POV_RELEASED_MINDCUBE;
    pov_text text = {0};
    pov_text_add(&text, "%s%s%s", cube ? "" : "Question: ", of->stem,
                 views  ? "\nChoices: "
                 : cube ? "\n"
                        : "\nOptions:\n");
    for (int i = 0; i < of->options.len; i++)
        pov_text_add(&text, "%s%c. %s", i > 0 ? "\n" : "", 'A' + i, of->options.text[i]);
    pov_text_add(&text, "%s",
                 views  ? "\nReply only to the corresponding option.\nAnswer:"
                 : cube ? "\nReply with one option and nothing else, in the form <answer>A. Above</answer>."
                        : "\nPlease select the correct answer from the options above.");
    return pov_text_take(&text);
}

/* The item as it came, but for pictures within it. */
static const char *keep_item(pov_released_set *s, const cJSON *item)
{
    cJSON *copy = cJSON_Duplicate(item, true);
    for (cJSON *member = copy->child, *next; member; member = next) {
        next = member->next;
        if (cJSON_IsString(member) && strncmp(member->string, "image", 5) == 0 &&
            strlen(member->valuestring) >= BASE64_LENGTH && *member->valuestring != '[')
            cJSON_Delete(cJSON_DetachItemViaPointer(copy, member));
    }
    const char *text = pov_released_own_json(s, copy);
    cJSON_Delete(copy);
    return text;
}

static cJSON *make_columns(pov_released_set *s, const choice_item *of, const cJSON *item, const char *scene,
                           const char *images)
{
    static const char *const maps[] = {"grounded_cogmap", NULL};
    cJSON *columns = pov_released_columns(s, scene);
    const cJSON *map = find_member(item, maps);
    pov_text options = {0};
    for (int i = 0; i < of->options.len; i++)
        pov_text_add(&options, "%s%s", i > 0 ? "|" : "", of->options.text[i]);
    cJSON_AddStringToObject(columns, "task", type_of(s, item));
    cJSON_AddStringToObject(columns, "question", of->stem);
    cJSON_AddStringToObject(columns, "options", pov_text_of(&options));
    cJSON_AddStringToObject(columns, "offered", "letters");
    if (s->form == POV_RELEASED_3DSRBENCH)
        cJSON_AddStringToObject(columns, "qid", text_of(item, id_names));
    if (map)
        cJSON_AddStringToObject(columns, "grounded_cogmap",
                                cJSON_IsString(map) ? map->valuestring : pov_released_own_json(s, map));
    if (strchr(images, '|'))
        cJSON_AddStringToObject(columns, "images", images);
    cJSON_AddStringToObject(columns, "item", keep_item(s, item));
    pov_text_free(&options);
    return columns;
}

/* A model's answer that the row has: beside a right one of another name, `answer` is the model's. */
static void note_prediction(pov_released_set *s, const cJSON *item, const char *key)
{
    static const char *const models[] = {"model", NULL};
    const char *text = text_of(item, prediction_names), *model = text_of(item, models);
    if (!*text && find_name(item, gold_names))
        text = text_of(item, answer_names);
    if (!*text && !has_any(item, prediction_names))
        return; /* an empty prediction is an answer that is missing, as 'pov score' counts it */
    POV_REQUIRE_MEMORY(pov_grow(&s->answers, &s->answer_capacity, s->answer_len, sizeof *s->answers));
    s->answers[s->answer_len++] =
        (pov_released_answer){.model = *model ? pov_released_own(s, pov_text_new("%s", model)) : NULL,
                              .text = pov_released_own(s, pov_text_new("%s", text)),
                              .key = key,
                              .line = s->number};
}

static pov_status add_choice(pov_released_set *s, const choice_item *of, const cJSON *item)
{
    char *name = name_item(s, item);
    const char *images = pov_released_own(s, name_images(item)),
               *image = pov_released_own(s, pov_text_new("%.*s", (int)strcspn(images, "|"), images)),
               *key = pov_released_own(
                   s, pov_text_new("%s/%s/%s", pov_released_form_name(s->form), s->name, name)),
               *scene = *images ? images : key;
    free(name);
    POV_TRY(pov_released_add(
        s, image, scene, make_columns(s, of, item, scene, images),
        &(pov_log_question){.key = key,
                            .prompt = pov_released_own(s, write_prompt(s, of)),
                            .form = "option",
                            .gold = pov_released_own(s, pov_text_new("%s", of->options.text[of->gold])),
                            .gold_p = NAN,
                            .token_max = TOKENS}));
    note_prediction(s, item, key);
    return pov_ok();
}

pov_status pov_released_read_choice(pov_released_set *s, const cJSON *item)
{
    choice_item of = {.gold = -1};
    pov_status status = read_item(s, &of, item);
    POV_THEN(status, add_choice(s, &of, item));
    free_choice(&of);
    return status;
}

/* ---- tables ---- */

static cJSON *row_object(const pov_table *table, int row)
{
    cJSON *item = cJSON_CreateObject();
    for (int column = 0; pov_table_column_name(table, column); column++)
        cJSON_AddStringToObject(item, pov_table_column_name(table, column),
                                pov_table_cell(table, row, column));
    return item;
}

bool pov_released_is_choice_table(const char *text, size_t length)
{
    pov_table *table;
    pov_released_form form;
    if (pov_table_parse(&table, "", text, length).code != POV_OK)
        return false;
    cJSON *item = pov_table_len(table) > 0 ? row_object(table, 0) : NULL;
    const bool found = item && pov_released_choice_form(&form, item);
    cJSON_Delete(item);
    pov_table_destroy(&table);
    return found;
}

pov_status pov_released_read_choice_table(pov_released_set *s, const char *text, size_t length)
{
    pov_table *table;
    POV_TRY(pov_table_parse(&table, s->path, text, length));
    pov_status status = pov_ok();
    for (int row = 0; row < pov_table_len(table) && status.code == POV_OK; row++) {
        pov_released_form form;
        cJSON *item = row_object(table, row);
        s->number = pov_table_line(table, row);
        if (!pov_released_choice_form(&form, item))
            status = pov_released_complain(
                s, "is not a row of ViewSpatial-Bench, 3DSRBench or MindCube as they were released");
        else if (row > 0 && form != s->form)
            status = pov_released_complain(s, "is a row of %s, those before it of %s",
                                           pov_released_form_name(form), pov_released_form_name(s->form));
        s->form = status.code == POV_OK ? form : s->form;
        POV_THEN(status, pov_released_read_choice(s, item));
        cJSON_Delete(item);
    }
    pov_table_destroy(&table);
    return status;
}
