/* A log's questions of multiple choice by letters in the benchmarks' own forms (compare/answers/choice_benchmark.h): a list,
 * JSON lines, or a table. What came from a released file goes out as it came. */
#include "compare/log/released_export.h"

#include "compare/answers/choice_list.h"
#include "compare/log/released_set_internal.h"
#include "compare/statistics/name_set.h"
#include "config/files/json_value.h"
#include "config/files/text.h"
#include "perception/hash.h"

#include <cJSON.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    pov_released_form form;
    cJSON *items;
    int left_out;
} exporting;

/* ---- one question ---- */

/* Eight characters, as 3DSRBench's are, the same for the same question about the same image. */
static char *make_qid(const pov_answer_row *row)
{
    static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    uint64_t hash = pov_hash_text(pov_hash_text(POV_HASH_START, row->image.sha256), row->question.key);
    hash = pov_hash_value(hash, (uint64_t)row->image.stop);
    char *qid = pov_text_new("%8s", "");
    for (int i = 0; i < 8; i++, hash /= 36)
        qid[i] = digits[hash % 36];
    return qid;
}

static cJSON *list_images(const pov_answer_row *row, const cJSON *columns)
{
    const char *released = pov_json_text_of(columns, "images"),
               *images = *released ? released : pov_json_text_of(columns, "image_files");
    cJSON *list = cJSON_CreateArray();
    for (const char *at = *images ? images : row->image.path; *at;) {
        const size_t length = strcspn(at, "|");
        char *one = pov_text_new("%.*s", (int)length, at);
        cJSON_AddItemToArray(list, cJSON_CreateString(one));
        free(one);
        at += length + (at[length] == '|');
    }
    return list;
}

static void add_owned(cJSON *item, const char *key, char *text)
{
    cJSON_AddStringToObject(item, key, text);
    free(text);
}

static void write_columns(cJSON *item, const pov_choice_list *options)
{
    enum { COLUMNS = 4 };
    for (int i = 0; i < COLUMNS; i++) {
        const char letter[] = {(char)('A' + i), '\0'};
        cJSON_AddStringToObject(item, letter, i < options->len ? options->text[i] : "");
    }
}

/* A question's values, as the file's fields want them. */
typedef struct {
    const pov_answer_row *row;
    const cJSON *columns;
    pov_choice_list options;
    int gold;           /* -1: it is a number */
    const char *number; /* in text */
} exported;

/* null of a number. */
static cJSON *list_options(const pov_choice_list *options, bool with_letters)
{
    cJSON *list = options->len > 0 ? cJSON_CreateArray() : cJSON_CreateNull();
    for (int i = 0; i < options->len; i++) {
        char *text = with_letters ? pov_text_new("%c. %s", 'A' + i, options->text[i])
                                  : pov_text_new("%s", options->text[i]);
        cJSON_AddItemToArray(list, cJSON_CreateString(text));
        free(text);
    }
    return list;
}

static void write_field(cJSON *item, const pov_choice_field *field, const exported *of)
{
    const char *task = pov_json_text_of(of->columns, "task"),
               *question = pov_json_text_of(of->columns, "question"),
               *map = pov_json_text_of(of->columns, "grounded_cogmap"), *name = field->name;
    const char *const *options = (const char *const *)of->options.text;
    cJSON *images = list_images(of->row, of->columns);
    char *id = make_qid(of->row),
         *all = pov_choice_write_options(options, of->options.len,
                                         field->kind == POV_FIELD_OPTIONS ? "\n" : " ");
    switch (field->kind) {
    case POV_FIELD_PERSPECTIVE:
        cJSON_AddStringToObject(item, name, "Perspective_Taking");
        break;
    case POV_FIELD_FORMAT:
        cJSON_AddStringToObject(item, name, of->gold < 0 ? "fill" : "select");
        break;
    case POV_FIELD_OPTION_LIST:
    case POV_FIELD_OPTION_TEXTS:
        cJSON_AddItemToObject(item, name, list_options(&of->options, field->kind == POV_FIELD_OPTION_LIST));
        break;
    case POV_FIELD_GOLD_INDEX:
        cJSON_AddNumberToObject(item, name, of->gold);
        break;
    case POV_FIELD_GOLD_TEXT:
        cJSON_AddStringToObject(item, name, of->gold < 0 ? of->number : options[of->gold]);
        break;
    case POV_FIELD_ID:
        cJSON_AddStringToObject(item, name, id);
        break;
    case POV_FIELD_KIND_AND_ID:
        add_owned(item, name, pov_text_new("%s_%s", task, id));
        break;
    case POV_FIELD_KIND:
        cJSON_AddStringToObject(item, name, task);
        break;
    case POV_FIELD_IMAGES:
        cJSON_AddItemToObject(item, name, cJSON_Duplicate(images, true));
        break;
    case POV_FIELD_FIRST_IMAGE:
        cJSON_AddStringToObject(item, name, images->child ? images->child->valuestring : "");
        break;
    case POV_FIELD_QUESTION:
        cJSON_AddStringToObject(item, name, question);
        break;
    case POV_FIELD_QUESTION_OPTIONS:
        add_owned(item, name, pov_text_new("%s%s%s", question, *all ? " " : "", all));
        break;
    case POV_FIELD_OPTIONS:
        cJSON_AddStringToObject(item, name, all);
        break;
    case POV_FIELD_COLUMNS:
        write_columns(item, &of->options);
        break;
    case POV_FIELD_GOLD:
        add_owned(item, name,
                  of->gold < 0 ? pov_text_new("%s", of->number) : pov_text_new("%c", 'A' + of->gold));
        break;
    case POV_FIELD_GOLD_WITH_LETTER:
        add_owned(item, name, pov_text_new("%c. %s", 'A' + of->gold, options[of->gold]));
        break;
    case POV_FIELD_MAP:
        if (*map)
            cJSON_AddStringToObject(item, name, map);
        break;
    case POV_FIELD_END:
        break;
    }
    free(id);
    free(all);
    cJSON_Delete(images);
}

/* NULL: it has no sure right answer among its options. */
static cJSON *make_item(const pov_answer_row *row, const cJSON *columns, pov_released_form form)
{
    const char *whole = pov_json_text_of(columns, "item");
    exported of = {.row = row, .columns = columns, .options = {.len = 0}};
    if (*whole)
        return pov_json_parse_text(whole);
    (void)pov_choice_list_read(&of.options, pov_json_text_of(columns, "options"));
    const bool is_number = strcmp(row->question.form, "number") == 0;
    of.number = is_number ? row->question.gold : NULL;
    of.gold = row->question.gold && !is_number ? pov_choice_list_find(&of.options, row->question.gold) : -1;
    cJSON *item = of.gold >= 0 || of.number ? cJSON_CreateObject() : NULL;
    for (const pov_choice_field *field = pov_released_choice(form)->fields; item && field->name; field++)
        write_field(item, field, &of);
    pov_choice_list_free(&of.options);
    return item;
}

static pov_status take_row(void *context, pov_answer_row *row)
{
    exporting *e = context;
    const pov_log_question *question = &row->question;
    if (row->is_again || strcmp(question->paper, pov_released_form_name(e->form)) != 0 ||
        strchr(question->language, '+'))
        return pov_ok();
    cJSON *columns = question->columns ? pov_json_parse_text(question->columns) : NULL;
    cJSON *item = make_item(row, columns, e->form);
    if (item)
        cJSON_AddItemToArray(e->items, item);
    else
        e->left_out++;
    cJSON_Delete(columns);
    return pov_ok();
}

/* ---- forms ---- */

static void write_cell(FILE *stream, const cJSON *member, bool first)
{
    char *printed =
        cJSON_IsString(member) || !member || cJSON_IsNull(member) ? NULL : cJSON_PrintUnformatted(member);
    const char *text = printed ? printed : cJSON_IsString(member) ? member->valuestring : "";
    fputs(first ? "\"" : "\t\"", stream);
    for (const char *c = text; *c; c++) {
        if (*c == '"')
            fputc('"', stream);
        fputc(*c, stream);
    }
    fputc('"', stream);
    cJSON_free(printed);
}

/* All members of all items are columns, `index` the first. */
static void write_table(FILE *stream, const cJSON *items)
{
    pov_name_set *names = pov_name_set_new();
    const cJSON *item, *member;
    int number = 0;
    (void)pov_name_set_add(names, "index", strlen("index"));
    cJSON_ArrayForEach(item, items) cJSON_ArrayForEach(member, item)(void)
        pov_name_set_add(names, member->string, strlen(member->string));
    for (int i = 0; i < pov_name_set_len(names); i++)
        fprintf(stream, "%s%s", i > 0 ? "\t" : "", pov_name_set_at(names, i));
    fputc('\n', stream);
    cJSON_ArrayForEach(item, items)
    {
        for (int i = 0; i < pov_name_set_len(names); i++) {
            member = cJSON_GetObjectItemCaseSensitive(item, pov_name_set_at(names, i));
            if (i == 0 && !member)
                fprintf(stream, "\"%d\"", number);
            else
                write_cell(stream, member, i == 0);
        }
        fputc('\n', stream);
        number++;
    }
    pov_name_set_destroy(&names);
}

static void write_items(FILE *stream, const cJSON *items, pov_released_form form)
{
    const cJSON *item;
    const pov_choice_file file = pov_released_choice(form)->file;
    if (file == POV_ROWS_TABLE) {
        write_table(stream, items);
    } else if (file == POV_ROWS_LINES) {
        cJSON_ArrayForEach(item, items) pov_json_print_line(stream, cJSON_Duplicate(item, true));
    } else {
        char *text = cJSON_Print(items);
        POV_REQUIRE_MEMORY(text);
        fprintf(stream, "%s\n", text);
        cJSON_free(text);
    }
}

pov_status pov_released_export_choice(int *left_out, pov_answer_log *log, FILE *stream,
                                      pov_released_form form)
{
    exporting e = {.form = form, .items = cJSON_CreateArray()};
    pov_status status = pov_answer_log_each(log, take_row, &e);
    *left_out = e.left_out;
    if (status.code == POV_OK && !e.items->child)
        status = pov_error("the log holds no question of %s with a sure right answer",
                           pov_released_form_name(form));
    if (status.code == POV_OK)
        write_items(stream, e.items, form);
    cJSON_Delete(e.items);
    return status;
}
