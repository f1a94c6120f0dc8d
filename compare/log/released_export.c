#include "compare/log/released_export.h"

#include "compare/statistics/name_set.h"
#include "config/files/csv.h"
#include "config/files/json_value.h"
#include "config/files/text.h"
#include "perception/relations/relation_registry.h"
#include "perception/scene/scene.h"

#include <cJSON.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    FILE *stream;
    pov_released_form form;
    cJSON *items;        /* of SPHERE and FoREST */
    pov_name_set *names; /* of the items, by image and id */
    int left_out, written;
    cJSON *caption; /* of VSR: people's votes may follow; NULL: none waits */
} exporting;

/* ---- parts of own questions, which have no columns for them ---- */

static const char *text_of(const cJSON *columns, const char *key)
{
    return pov_json_text_of(columns, key);
}

/* The things of a key that ends in "ball:car"; false: it does not. */
static bool find_pair(char first[POV_NAME_CAPACITY], char second[POV_NAME_CAPACITY], const char *key)
{
    const char *slash = strrchr(key, '/'), *at = slash ? slash + 1 : key, *colon = strchr(at, ':');
    return colon && pov_text_fits_as(first, POV_NAME_CAPACITY, "%.*s", (int)(colon - at), at) &&
           pov_text_fits(second, POV_NAME_CAPACITY, colon + 1);
}

/* The last part of the image's path; of released sets its name. */
static const char *image_of(const pov_answer_row *row, const cJSON *columns)
{
    const char *slash = strrchr(row->image.path, '/');
    return *text_of(columns, "set") ? text_of(columns, "scene") : slash ? slash + 1 : row->image.path;
}

/* The members that a released item came with. */
static void copy_member(cJSON *item, const cJSON *columns, const char *key, const char *otherwise)
{
    const cJSON *member = cJSON_GetObjectItemCaseSensitive(columns, key);
    if (cJSON_IsNumber(member))
        cJSON_AddNumberToObject(item, key, member->valuedouble);
    else
        cJSON_AddStringToObject(item, key, cJSON_IsString(member) ? member->valuestring : otherwise);
}

static void add_list(cJSON *item, const char *key, const char *joined)
{
    cJSON *list = cJSON_AddArrayToObject(item, key);
    char *copy = pov_text_new("%s", joined), *rest = copy;
    for (char *word; *copy && (word = strsep(&rest, "|"));)
        cJSON_AddItemToArray(list, cJSON_CreateString(word));
    free(copy);
}

/* ---- VSR ---- */

/* Adds a voter to a list such as "[54, 19]", as Python writes it. */
static void add_voter(cJSON *item, const char *key, const char *name)
{
    const char *list = pov_json_text_of(item, key), *end = strrchr(list, ']');
    const int len = end ? (int)(end - list) : 1;
    char *longer = pov_text_new("%.*s%s'%s']", len, end ? list : "[", len > 1 ? ", " : "", name);
    cJSON_ReplaceItemInObjectCaseSensitive(item, key, cJSON_CreateString(longer));
    free(longer);
}

/* A person's answer to a caption is a validator's vote. */
static void take_vote(exporting *e, const pov_answer_row *row)
{
    const size_t prefix = strlen(POV_PERSON_PREFIX);
    if (row->has_result && strncmp(row->model, POV_PERSON_PREFIX, prefix) == 0 && !isnan(row->result.p))
        add_voter(e->caption, row->result.p > 0.5 ? "vote_true_validator_id" : "vote_false_validator_id",
                  row->model + prefix);
}

static void write_caption(exporting *e)
{
    if (e->caption)
        pov_json_print_line(e->stream, e->caption);
    e->caption = NULL;
}

static void begin_vsr(exporting *e, const pov_answer_row *row, const cJSON *columns)
{
    static const char before[] = "Caption: ", behind[] = " The caption is: True or False?";
    char first[POV_NAME_CAPACITY] = "", second[POV_NAME_CAPACITY] = "";
    const char *start = strstr(row->question.prompt, before), *end = strstr(row->question.prompt, behind);
    const pov_relation_info *relation = pov_relation_lookup(text_of(columns, "relation"));
    cJSON *item = cJSON_CreateObject();
    (void)find_pair(first, second, row->question.key);
    char *caption = start && end > start ? pov_text_new("%.*s", (int)(end - start) - (int)strlen(before),
                                                        start + strlen(before))
                                         : pov_text_new("%s", row->question.prompt);
    cJSON_AddStringToObject(item, "image", image_of(row, columns));
    copy_member(item, columns, "image_link", "");
    copy_member(item, columns, "caption", caption);
    cJSON_AddNumberToObject(item, "label", strcmp(row->question.gold, "true") == 0);
    cJSON_AddStringToObject(item, "relation",
                            *text_of(columns, "set") || !relation ? text_of(columns, "relation")
                                                                  : relation->phrases[0]);
    copy_member(item, columns, "subj", first);
    copy_member(item, columns, "obj", second);
    if (cJSON_GetObjectItem(columns, "annotator_id"))
        copy_member(item, columns, "annotator_id", "");
    copy_member(item, columns, "vote_true_validator_id", "[]");
    copy_member(item, columns, "vote_false_validator_id", "[]");
    write_caption(e);
    e->caption = item;
    free(caption);
}

/* ---- SPHERE ---- */

/* The question without the options or the wish for a number behind it. */
static char *cut_options(const char *prompt, const char *options)
{
    static const char number[] = " Give the answer in number format.";
    pov_text tail = {0};
    pov_text_add(&tail, " ");
    for (const char *at = options; *at; at++)
        pov_text_add(&tail, *at == '|' ? " or " : "%c", *at);
    pov_text_add(&tail, "?");
    const char *end = *options ? strcasestr(prompt, pov_text_of(&tail)) : strstr(prompt, number);
    char *question = pov_text_new("%.*s", end ? (int)(end - prompt) : (int)strlen(prompt), prompt);
    pov_text_free(&tail);
    return question;
}

static const char *format_of(const char *form, const char *options)
{
    return strcmp(form, "number") == 0                                        ? "num"
           : strcmp(options, "yes|no") == 0 || strcmp(options, "no|yes") == 0 ? "bool"
                                                                              : "name";
}

/* Without the number of its order of options. */
static char *question_id_of(const pov_answer_row *row, const cJSON *columns)
{
    const char *key = row->question.key, *slash = strrchr(key, '/');
    const bool has_order = strcmp(row->question.form, "option") == 0 && slash;
    return *text_of(columns, "question_id") ? pov_text_new("%s", text_of(columns, "question_id"))
           : has_order                      ? pov_text_new("%.*s", (int)(slash - key), key)
                                            : pov_text_new("%s", key);
}

static cJSON *make_sphere(const pov_answer_row *row, const cJSON *columns, const char *id)
{
    const char *options = text_of(columns, "options"), *task = text_of(columns, "task");
    cJSON *item = cJSON_CreateObject();
    char *question = cut_options(row->question.prompt, options);
    cJSON_AddStringToObject(item, "question_id", id);
    copy_member(item, columns, "question", question);
    free(question);
    if (*options)
        add_list(item, "option", *text_of(columns, "option") ? text_of(columns, "option") : options);
    else
        cJSON_AddNullToObject(item, "option");
    cJSON_AddStringToObject(item, "answer", row->question.gold);
    cJSON *metadata = cJSON_AddObjectToObject(item, "metadata");
    if (*text_of(columns, "skill"))
        add_list(metadata, "skill", text_of(columns, "skill"));
    copy_member(metadata, columns, "viewpoint", strstr(task, "ego") ? "ego" : "allo");
    copy_member(metadata, columns, "format", format_of(row->question.form, options));
    copy_member(metadata, columns, "source_dataset", "pov");
    copy_member(metadata, columns, "source_img_id", image_of(row, columns));
    return item;
}

static void add_prediction(cJSON *item, const pov_answer_row *row)
{
    cJSON *all = cJSON_GetObjectItem(item, "raw_prediction");
    if (!row->has_result || !row->result.text)
        return;
    if (!all)
        all = cJSON_AddObjectToObject(item, "raw_prediction");
    cJSON *of = cJSON_GetObjectItemCaseSensitive(all, row->model);
    if (!of)
        of = cJSON_AddArrayToObject(all, row->model);
    cJSON_AddItemToArray(of, cJSON_CreateString(row->result.text));
}

static void take_sphere(exporting *e, const pov_answer_row *row, const cJSON *columns)
{
    char *id = question_id_of(row, columns);
    char *name = pov_text_new("%lld\t%s", (long long)row->image.id, id);
    const int known = pov_name_set_len(e->names), number = pov_name_set_add(e->names, name, strlen(name));
    if (number == known)
        cJSON_AddItemToArray(e->items, make_sphere(row, columns, id));
    free(id);
    free(name);
    add_prediction(cJSON_GetArrayItem(e->items, number), row);
}

/* ---- FoREST ---- */

/* "The car is facing left relative to the camera." */
static const char *facing_in(const char *context)
{
    static const char *const ways[][2] = {
        {"toward", "front"}, {"left", "left"}, {"away", "back"}, {"right", "right"}};
    static const char before[] = " is facing ";
    const char *at = strstr(context, before);
    for (size_t i = 0; at && i < sizeof ways / sizeof *ways; i++)
        if (strncmp(at + strlen(before), ways[i][0], strlen(ways[i][0])) == 0)
            return ways[i][1];
    return "nan";
}

/* "left" of the task "clear_external_relative_left_camera"; "": it is a question about the image. */
static const char *relation_in(const char *task)
{
    static const char *const words[] = {"left", "right", "front", "back"};
    char name[16];
    if (strncmp(task, "ambiguous_", 10) != 0 && strncmp(task, "clear_", 6) != 0)
        return "";
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        for (int who = 0; who < 2; who++) {
            snprintf(name, sizeof name, "_%s_%s", words[i], who == 0 ? "camera" : "relatum");
            const size_t length = strlen(task), len = strlen(name);
            if (length > len && strcmp(task + length - len, name) == 0)
                return words[i];
        }
    return "";
}

/* The frames and answers of an own question's golds, a pair each. */
static void add_golds(cJSON *item, const char *golds)
{
    cJSON *list = golds ? pov_json_parse_text(golds) : NULL, *labels = cJSON_AddArrayToObject(item, "label"),
          *answers = cJSON_CreateArray();
    const cJSON *gold;
    cJSON_ArrayForEach(gold, list)
    {
        const char *frame = text_of(gold, "frame"); /* "external egocentric reflected" */
        char *label = pov_text_new("%s %s", strncmp(frame, "internal", 8) == 0 ? "internal" : "external",
                                   strstr(frame, "intrinsic") ? "intrinsic" : "relative");
        cJSON_AddItemToArray(labels, cJSON_CreateString(label));
        free(label);
        cJSON_AddItemToArray(answers, cJSON_CreateString(text_of(gold, "answer")));
    }
    cJSON_AddItemToObject(item, "candidate_answer", answers);
    cJSON_Delete(list);
}

/* Of an own question; NULL: it is about the image, or about frames, and has no place in that form. */
static cJSON *make_own_forest(const pov_answer_row *row, const cJSON *columns)
{
    char first[POV_NAME_CAPACITY], second[POV_NAME_CAPACITY];
    const char *prompt = row->question.prompt, *relation = relation_in(text_of(columns, "task"));
    const char *last = NULL;
    for (const char *at = prompt; (at = strstr(at, ". ")); at++)
        last = at;
    if (!*relation || !last || !find_pair(first, second, row->question.key))
        return NULL;
    cJSON *item = cJSON_CreateObject();
    char *id = pov_text_new("%d/%s", row->image.stop, row->question.key),
         *context = pov_text_new("%.*s", (int)(last - prompt) + 1, prompt);
    cJSON_AddStringToObject(item, "id", id);
    cJSON_AddStringToObject(item, "context", context);
    add_golds(item, row->question.golds);
    cJSON_AddStringToObject(item, "obj1", first);
    cJSON_AddStringToObject(item, "obj2", second);
    cJSON_AddStringToObject(item, "obj2_dir", facing_in(context));
    cJSON_AddStringToObject(item, "relation", relation);
    cJSON_AddStringToObject(item, "question", last + 2);
    free(id);
    free(context);
    return item;
}

static cJSON *make_released_forest(const pov_answer_row *row, const cJSON *columns)
{
    static const char *const kept[] = {"obj1", "obj2", "obj2_dir", "relation", "question"};
    cJSON *item = cJSON_CreateObject();
    cJSON_AddStringToObject(item, "id", text_of(columns, "scene"));
    cJSON_AddStringToObject(item, "context", text_of(columns, "context"));
    add_list(item, "label", text_of(columns, "frames"));
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
        copy_member(item, columns, kept[i], "");
    const char *answers = text_of(columns, "candidate_answer"); /* with its doubles; of older logs without */
    add_list(item, "candidate_answer", *answers ? answers : row->question.gold);
    return item;
}

static void take_forest(exporting *e, const pov_answer_row *row, const cJSON *columns)
{
    const bool released = *text_of(columns, "set") != '\0',
               reverse = strstr(text_of(columns, "task"), "_reverse") != NULL;
    if (released && reverse) { /* stands in the item of the question before it */
        cJSON_AddStringToObject(cJSON_GetArrayItem(e->items, cJSON_GetArraySize(e->items) - 1),
                                "reverse_question", text_of(columns, "question"));
        return;
    }
    cJSON *item = released ? make_released_forest(row, columns) : make_own_forest(row, columns);
    if (item)
        cJSON_AddItemToArray(e->items, item);
    else
        e->left_out++;
}

/* ---- the whole ---- */

static pov_status take_row(void *context, pov_answer_row *row)
{
    exporting *e = context;
    const pov_log_question *question = &row->question;
    if (strcmp(question->paper, pov_released_form_name(e->form)) != 0 || strchr(question->language, '+'))
        return pov_ok();
    if (!question->gold || !*question->gold) {
        e->left_out += !row->is_again;
        return pov_ok();
    }
    cJSON *columns = question->columns ? pov_json_parse_text(question->columns) : NULL;
    e->written++;
    if (e->form == POV_RELEASED_SPHERE)
        take_sphere(e, row, columns);
    else if (!row->is_again)
        (e->form == POV_RELEASED_VSR ? begin_vsr : take_forest)(e, row, columns);
    if (e->form == POV_RELEASED_VSR)
        take_vote(e, row);
    cJSON_Delete(columns);
    return pov_ok();
}

pov_status pov_released_export(int *left_out, pov_answer_log *log, FILE *stream, pov_released_form form)
{
    exporting e = {.stream = stream, .form = form, .items = cJSON_CreateArray(), .names = pov_name_set_new()};
    pov_status status = pov_answer_log_each(log, take_row, &e);
    write_caption(&e);
    *left_out = e.left_out;
    if (status.code == POV_OK && e.written == 0)
        status = pov_error("the log holds no question of %s with a sure right answer",
                           pov_released_form_name(form));
    cJSON *document = e.items;
    if (form == POV_RELEASED_FOREST) {
        document = cJSON_CreateObject();
        cJSON_AddItemToObject(document, "data", e.items);
    }
    char *text = status.code == POV_OK && form != POV_RELEASED_VSR ? cJSON_Print(document) : NULL;
    if (text)
        fprintf(stream, "%s\n", text);
    cJSON_free(text);
    cJSON_Delete(document);
    pov_name_set_destroy(&e.names);
    return status;
}

/* ---- FoREST's answers ---- */

typedef struct {
    FILE *stream;
    int len;
} answer_export;

static pov_status write_answer(void *context, pov_answer_row *row)
{
    answer_export *e = context;
    if (strcmp(row->question.paper, "forest") != 0 || !row->has_result || !row->result.text)
        return pov_ok();
    cJSON *columns = row->question.columns ? pov_json_parse_text(row->question.columns) : NULL;
    const char *relative = text_of(columns, "gold_relative"), *intrinsic = text_of(columns, "gold_intrinsic");
    if (*text_of(columns, "context") && (*relative || *intrinsic)) {
        char *label = pov_text_new("['%s%s%s']", relative, *relative && *intrinsic ? "', '" : "", intrinsic);
        fprintf(e->stream, "%d,", e->len++);
        pov_csv_write(e->stream, text_of(columns, "context"));
        fputc(',', e->stream);
        pov_csv_write(e->stream, label);
        fputc(',', e->stream);
        pov_csv_write(e->stream, row->result.text);
        fputc(',', e->stream);
        pov_csv_write(e->stream, row->model);
        fputc('\n', e->stream);
        free(label);
    }
    cJSON_Delete(columns);
    return pov_ok();
}

pov_status pov_released_export_answers(pov_answer_log *log, FILE *stream)
{
    answer_export e = {.stream = stream};
    fputs(",context,label,GPT_predict,model\n", stream);
    POV_TRY(pov_answer_log_each(log, write_answer, &e));
    return e.len > 0 ? pov_ok()
                     : pov_error("the log holds no answer to a question of FoREST's released dataset");
}
