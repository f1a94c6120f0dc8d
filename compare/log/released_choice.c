/* The rows of benchmarks of multiple choice by letters, as they and the engines that run them write them: in JSON, in JSON lines, and in
 * tables. The whole item is kept, so that it can be written again. */
#include "compare/answers/choice_list.h"
#include "compare/log/released_set_internal.h"
#include "compare/tables/table.h"
#include "config/files/base64.h"
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
           *const id_names[] = {"qid", "id", "ID", "index", "question_id", "question_index", NULL},
           *const question_names[] = {"question", "Question", NULL},
           *const option_names[] = {"choices", "options", "answer_options", "candidates", NULL},
           *const gold_names[] = {"gt_answer", "ground_truth", "Correct Answer", "correct_answer", NULL},
           *const answer_names[] = {"answer", NULL}, /* the right one only in files without a name of those */
               *const image_names[] = {"image_path",     "images", "image_paths", "image",
                                       "image_filename", "img",    "image_url",   NULL},
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

static bool names_kind(const pov_choice_benchmark *benchmark, const cJSON *item)
{
    static const char *const ids[] = {"id", "index", NULL};
    for (const char *const *name = benchmark->kind_in_id ? ids : benchmark->kind_names; *name; name++)
        if (pov_choice_benchmark_has(benchmark, pov_json_text_of(item, *name)))
            return true;
    return false;
}

static bool has_options(const cJSON *item)
{
    return find_member(item, option_names) || *pov_json_text_of(item, "A");
}

bool pov_released_choice_form(pov_released_form *form, const cJSON *item)
{
    static const char *const own_ids[] = {"pov_id", NULL};
    if (!find_member(item, question_names) || find_member(item, own_ids) ||
        (!find_name(item, gold_names) && !find_member(item, answer_names)))
        return false;
    for (int i = POV_RELEASED_CHOICES; i < POV_RELEASED_COUNT; i++) {
        const pov_choice_benchmark *benchmark = pov_released_choice((pov_released_form)i);
        if (!names_kind(benchmark, item) || (benchmark->needs_options && !has_options(item)))
            continue;
        *form = (pov_released_form)i;
        return true;
    }
    return false;
}

/* "around" of "around_group042_q3"; else the type's own words. */
static const char *type_of(const pov_released_set *s, const cJSON *item)
{
    const pov_choice_benchmark *benchmark = pov_released_choice(s->form);
    const char *named = pov_choice_benchmark_kind_in(benchmark, text_of(item, id_names)),
               *type = text_of(item, benchmark->kind_names);
    return named ? named : *type ? type : text_of(item, type_names);
}

/* ---- a row ---- */

typedef struct {
    pov_choice_list options;
    char *stem;       /* the question without options */
    const char *unit; /* of a number; NULL: it has options */
    char *number;     /* the right one */
    int gold;
} choice_item;

static void free_choice(choice_item *of)
{
    pov_choice_list_free(&of->options);
    free(of->stem);
    free(of->number);
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

static pov_status read_options(const pov_released_set *s, choice_item *of, const cJSON *item,
                               const char *gold)
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
    pov_choice_benchmark_offer(pov_released_choice(s->form), &of->options, gold);
    if (of->options.len < (pov_released_choice(s->form)->in_words ? 1 : 2))
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

/* "2" of a benchmark that counts options from 0: their number; -1: it is none. */
static int index_of(const pov_released_set *s, const choice_item *of, const cJSON *gold)
{
    bool counts = false;
    for (const pov_choice_field *field = pov_released_choice(s->form)->fields; field->name; field++)
        counts |= field->kind == POV_FIELD_GOLD_INDEX;
    char *end = NULL;
    const char *text = cJSON_IsString(gold) ? gold->valuestring : "";
    const double number = cJSON_IsNumber(gold) ? gold->valuedouble : *text ? strtod(text, &end) : NAN;
    return counts && !(end && *end) && number >= 0 && number < of->options.len && number == floor(number)
               ? (int)number
               : -1;
}

/* A number in text, or as one. */
static pov_status read_number(const pov_released_set *s, choice_item *of, const cJSON *item,
                              const cJSON *gold)
{
    char *end = NULL;
    of->stem = pov_text_new("%s", text_of(item, question_names));
    of->number = cJSON_IsNumber(gold) ? pov_text_new("%.15g", gold->valuedouble)
                                      : pov_text_new("%s", cJSON_IsString(gold) ? gold->valuestring : "");
    (void)strtod(of->number, &end);
    return *of->number && !*end
               ? pov_ok()
               : pov_released_complain(
                     s, "the answer '%.60s' is not a number, as this kind of question wants", of->number);
}

static pov_status read_item(pov_released_set *s, choice_item *of, const cJSON *item)
{
    const cJSON *gold;
    POV_TRY(find_gold(s, &gold, item));
    of->unit = pov_choice_benchmark_unit(pov_released_choice(s->form), type_of(s, item));
    if (of->unit)
        return read_number(s, of, item, gold);
    POV_TRY(read_options(s, of, item, cJSON_IsString(gold) ? gold->valuestring : ""));
    of->gold = cJSON_IsString(gold) ? pov_choice_list_gold(&of->options, gold->valuestring) : -1;
    if (of->gold < 0)
        of->gold = index_of(s, of, gold);
    return of->gold >= 0
               ? pov_ok()
               : pov_released_complain(s, "the answer '%.60s' is not one of the options, nor a letter of one",
                                       cJSON_IsString(gold) ? gold->valuestring : "");
}

/* ---- images ---- */

/* "png", "jpg"; NULL: it is no picture. */
static const char *picture_ending(const uint8_t *bytes, size_t length)
{
    static const uint8_t png[] = {0x89, 'P', 'N', 'G'}, jpeg[] = {0xff, 0xd8, 0xff};
    return length > 8 && memcmp(bytes, png, sizeof png) == 0     ? "png"
           : length > 8 && memcmp(bytes, jpeg, sizeof jpeg) == 0 ? "jpg"
                                                                 : NULL;
}

/* The row's own number, by which other rows name its picture. The caller frees it. */
static char *number_row(const pov_released_set *s, const cJSON *item)
{
    const cJSON *index = cJSON_GetObjectItemCaseSensitive(item, "index");
    return cJSON_IsString(index) && *index->valuestring ? pov_text_new("%s", index->valuestring)
           : cJSON_IsNumber(index)                      ? pov_text_new("%.0f", index->valuedouble)
                                                        : pov_text_new("%d", s->number);
}

/* Keeps a picture, the `place`th of its row; its name stays with the set. NULL: it is none. */
static const char *keep_picture(pov_released_set *s, const cJSON *item, const char *text, int place)
{
    uint8_t *bytes = pov_allocate(strlen(text) + 1, 1);
    const size_t length = pov_base64_read(bytes, text);
    const char *ending = length == SIZE_MAX ? NULL : picture_ending(bytes, length);
    if (!ending) {
        free(bytes);
        return NULL;
    }
    char *row = number_row(s, item);
    const char *name = pov_released_own(s, place > 0 ? pov_text_new("%s_%d.%s", row, place, ending)
                                                     : pov_text_new("%s.%s", row, ending));
    free(row);
    (void)pov_released_own(s, (char *)bytes);
    if (!pov_released_set_picture(s, name)) {
        POV_REQUIRE_MEMORY(pov_grow(&s->pictures, &s->picture_capacity, s->picture_len, sizeof *s->pictures));
        s->pictures[s->picture_len++] = (pov_released_picture){name, bytes, length};
    }
    return name;
}

/* The picture of another row, that "17" names; NULL: there is none. */
static const char *picture_of_row(const pov_released_set *s, const char *row)
{
    for (int i = 0; i < s->picture_len; i++)
        if (strncmp(s->pictures[i].name, row, strlen(row)) == 0 && s->pictures[i].name[strlen(row)] == '.')
            return s->pictures[i].name;
    return NULL;
}

static pov_status name_image(pov_released_set *s, pov_text *names, const cJSON *item, const char *text,
                             int place)
{
    const bool is_short = strlen(text) < BASE64_LENGTH;
    const char *name = is_short ? picture_of_row(s, text) : keep_picture(s, item, text, place);
    if (!name && !is_short)
        return pov_released_complain(
            s, "the image is neither the name of a file nor a PNG or JPEG picture in base64");
    pov_text_add(names, "%s%s", names->len > 0 ? "|" : "", name ? name : text);
    return pov_ok();
}

/* Names with "|" between: of a list, a list in a text, or one name. The caller frees it. */
static pov_status name_images(pov_released_set *s, char **images, const cJSON *item)
{
    const cJSON *member = find_member(item, image_names), *one;
    pov_text names = {0};
    pov_choice_list list;
    pov_status status = pov_ok();
    int place = 0;
    if (cJSON_IsArray(member)) {
        cJSON_ArrayForEach(one, member) if (cJSON_IsString(one))
            POV_THEN(status, name_image(s, &names, item, one->valuestring, place++));
    } else if (cJSON_IsString(member) && *member->valuestring == '[' &&
               pov_choice_list_read_names(&list, member->valuestring)) {
        for (int i = 0; i < list.len; i++)
            POV_THEN(status, name_image(s, &names, item, list.text[i], i));
        pov_choice_list_free(&list);
    } else if (cJSON_IsString(member)) {
        status = name_image(s, &names, item, member->valuestring, 0);
    }
    *images = pov_text_take(&names);
    return status;
}

/* ---- questions ---- */

/* The item as it came, but for pictures within it, in whose place their names stand. */
static const char *keep_item(pov_released_set *s, const cJSON *item, const char *images)
{
    cJSON *copy = cJSON_Duplicate(item, true);
    const cJSON *shown = find_member(item, image_names);
    if (shown &&
        pov_released_set_picture(
            s, *images ? pov_released_own(s, pov_text_new("%.*s", (int)strcspn(images, "|"), images)) : ""))
        cJSON_ReplaceItemInObjectCaseSensitive(copy, shown->string, cJSON_CreateString(images));
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
    cJSON_AddStringToObject(columns, "offered",
                            of->unit                                 ? "number"
                            : pov_released_choice(s->form)->in_words ? "words"
                                                                     : "letters");
    if (of->unit)
        cJSON_AddStringToObject(columns, "gold_unit", of->unit);
    if (s->form == POV_RELEASED_CHOICES + POV_CHOICE_3DSRBENCH)
        cJSON_AddStringToObject(columns, "qid", text_of(item, id_names));
    if (map)
        cJSON_AddStringToObject(columns, "grounded_cogmap",
                                cJSON_IsString(map) ? map->valuestring : pov_released_own_json(s, map));
    if (strchr(images, '|'))
        cJSON_AddStringToObject(columns, "images", images);
    cJSON_AddStringToObject(columns, "item", keep_item(s, item, images));
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
    char *named;
    const pov_status status = name_images(s, &named, item);
    const char *images = pov_released_own(s, named);
    POV_TRY(status);
    char *name = name_item(s, item);
    const char *image = pov_released_own(s, pov_text_new("%.*s", (int)strcspn(images, "|"), images)),
               *key = pov_released_own(
                   s, pov_text_new("%s/%s/%s", pov_released_form_name(s->form), s->name, name)),
               *scene = *images ? images : key;
    free(name);
    POV_TRY(pov_released_add(
        s, image, scene, make_columns(s, of, item, scene, images),
        &(pov_log_question){
            .key = key,
            .prompt = pov_released_own(s, pov_choice_write_prompt(pov_released_choice(s->form), of->stem,
                                                                  (const char *const *)of->options.text,
                                                                  of->options.len, of->unit, true)),
            .form = of->unit ? "number" : "option",
            .gold =
                pov_released_own(s, pov_text_new("%s", of->unit ? of->number : of->options.text[of->gold])),
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
                s, "is not a row of a benchmark as it was released (docs/BENCHMARKS.md)");
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
