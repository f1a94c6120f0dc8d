#include "compare/log/released_set_internal.h"

#include "compare/questions/prompt_condition.h"
#include "compare/questions/question.h"
#include "compare/scores/paper_measures.h"
#include "compare/statistics/name_set.h"
#include "compare/tables/table.h"
#include "config/files/grow.h"
#include "config/files/json_value.h"
#include "config/files/text.h"
#include "perception/hash.h"
#include "perception/papers/forest.h"

#include <assert.h>
#include <cJSON.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    TOKENS = 16,
    SPHERE_TOKENS = 64, /* as for own questions (questions_sphere.c) */
    DIRECTIONS = 4
};

const pov_choice_benchmark *pov_released_choice(pov_released_form form)
{
    return pov_choice_benchmark_at((pov_choice_benchmark_id)(form - POV_RELEASED_CHOICES));
}

const char *pov_released_form_name(pov_released_form form)
{
    static const char *const names[] = {"vsr", "forest", "sphere"};
    static_assert(sizeof names / sizeof *names == POV_RELEASED_CHOICES, "one name a form");
    return form < POV_RELEASED_CHOICES ? names[form] : pov_released_choice(form)->name;
}

/* ---- texts ---- */

char *pov_released_own(pov_released_set *s, char *text)
{
    POV_REQUIRE_MEMORY(text && pov_grow(&s->owned, &s->owned_capacity, s->owned_len, sizeof *s->owned));
    return s->owned[s->owned_len++] = text;
}

/* What a cJSON printed belongs to cJSON's allocator. */
const char *pov_released_own_json(pov_released_set *s, const cJSON *item)
{
    char *printed = cJSON_PrintUnformatted(item);
    POV_REQUIRE_MEMORY(printed);
    const char *text = pov_released_own(s, strdup(printed));
    cJSON_free(printed);
    return text;
}

pov_status pov_released_complain(const pov_released_set *s, const char *format, ...)
{
    pov_text words = {0};
    va_list arguments;
    va_start(arguments, format);
    pov_text_add_list(&words, format, arguments);
    va_end(arguments);
    const pov_status status = pov_error("%s:%d: %s", s->path, s->number, pov_text_of(&words));
    pov_text_free(&words);
    return status;
}

static pov_status need_text(const pov_released_set *s, const char **text, const cJSON *item, const char *key)
{
    const cJSON *member = cJSON_GetObjectItemCaseSensitive(item, key);
    *text = cJSON_IsString(member) ? member->valuestring : "";
    return **text ? pov_ok() : pov_released_complain(s, "'%s' is missing, or is not text", key);
}

/* A list's texts with "|" between; a text as it is; "" for null. */
static const char *join_list(pov_released_set *s, const cJSON *list)
{
    pov_text joined = {0};
    const cJSON *item;
    if (cJSON_IsString(list))
        return list->valuestring;
    cJSON_ArrayForEach(item, list) if (cJSON_IsString(item))
        pov_text_add(&joined, "%s%s", joined.len > 0 ? "|" : "", item->valuestring);
    return pov_released_own(s, pov_text_take(&joined));
}

/* ---- questions ---- */

cJSON *pov_released_columns(const pov_released_set *s, const char *scene)
{
    cJSON *columns = cJSON_CreateObject();
    cJSON_AddStringToObject(columns, "set", s->name);
    cJSON_AddStringToObject(columns, "scene", scene);
    for (int kind = 0; kind < POV_PROMPT_CONDITION_KINDS; kind++)
        cJSON_AddStringToObject(columns, pov_prompt_condition_kind_name((pov_prompt_condition_kind)kind),
                                pov_prompt_condition_at((pov_prompt_condition_kind)kind, 0)->name);
    return columns;
}

/* The members of an item that are text, numbers or lists of text, under their own names. */
static void copy_members(pov_released_set *s, cJSON *columns, const cJSON *item, const char *const *keys)
{
    for (; *keys; keys++) {
        const cJSON *member = cJSON_GetObjectItemCaseSensitive(item, *keys);
        if (cJSON_IsNumber(member))
            cJSON_AddNumberToObject(columns, *keys, member->valuedouble);
        else if (cJSON_IsString(member) || cJSON_IsArray(member))
            cJSON_AddStringToObject(columns, *keys, join_list(s, member));
    }
}

static bool is_same_question(const pov_log_question *a, const pov_log_question *b)
{
    return strcmp(a->prompt, b->prompt) == 0 && strcmp(a->gold, b->gold) == 0 &&
           strcmp(a->columns, b->columns) == 0;
}

/* Takes the columns over. */
pov_status pov_released_add(pov_released_set *s, const char *image, const char *scene, cJSON *columns,
                            const pov_log_question *question)
{
    char *name = pov_text_new("%s\t%s", scene, question->key);
    const int known = pov_name_set_len(s->keys), number = pov_name_set_add(s->keys, name, strlen(name));
    free(name);
    pov_log_question whole = *question;
    whole.paper = pov_released_form_name(s->form);
    whole.language = "en";
    whole.columns = pov_released_own_json(s, columns);
    cJSON_Delete(columns);
    if (number < known) {
        s->repeated++;
        return is_same_question(&s->list[number].question, &whole)
                   ? pov_ok()
                   : pov_released_complain(s, "'%.200s' comes twice, with different words or answers",
                                           question->key);
    }
    POV_REQUIRE_MEMORY(pov_grow(&s->list, &s->capacity, s->len, sizeof *s->list));
    s->list[s->len++] =
        (pov_released_question){image, scene, pov_name_set_add(s->images, scene, strlen(scene)), whole};
    return pov_ok();
}

/* ---- VSR ---- */

static pov_status read_vsr(pov_released_set *s, const cJSON *item)
{
    static const char *const kept[] = {"image_link",
                                       "caption",
                                       "relation",
                                       "subj",
                                       "obj",
                                       "annotator_id",
                                       "vote_true_validator_id",
                                       "vote_false_validator_id",
                                       NULL};
    const cJSON *label = cJSON_GetObjectItemCaseSensitive(item, "label");
    const char *image, *caption, *relation;
    POV_TRY(need_text(s, &image, item, "image"));
    POV_TRY(need_text(s, &caption, item, "caption"));
    POV_TRY(need_text(s, &relation, item, "relation"));
    if (!cJSON_IsNumber(label) || (label->valuedouble != 0 && label->valuedouble != 1))
        return pov_released_complain(s, "'label' is missing, or is not 0 or 1");
    image = pov_released_own(s, strdup(image));
    cJSON *columns = pov_released_columns(s, image);
    cJSON_AddStringToObject(columns, "task", relation);
    copy_members(s, columns, item, kept);
    return pov_released_add(
        s, image, image, columns,
        &(pov_log_question){.key = pov_released_own(s, pov_text_new("vsr/%s/%s", s->name, caption)),
                            .prompt = pov_released_own(
                                s, pov_text_new("Caption: %s The caption is: True or False?", caption)),
                            .form = "true_false",
                            .gold = label->valuedouble == 1 ? "true" : "false",
                            .gold_p = label->valuedouble,
                            .token_max = TOKENS});
}

/* ---- SPHERE ---- */

/* "Left or right?", as the authors' script writes a list of options. */
static char *write_options(const char *const *options, const int *order, int len)
{
    pov_text text = {0};
    for (int i = 0; i < len; i++)
        pov_text_add(&text, "%s%s", i > 0 ? " or " : "", options[order[i]]);
    pov_text_add(&text, "?");
    if (*text.data >= 'a' && *text.data <= 'z')
        *text.data -= 'a' - 'A';
    return pov_text_take(&text);
}

/* The answers that a saved run of the authors' script has added: one an order of the options. */
static void note_predictions(pov_released_set *s, const cJSON *item, const char *key, int run)
{
    const cJSON *of, *all = cJSON_GetObjectItemCaseSensitive(item, "raw_prediction");
    cJSON_ArrayForEach(of, all)
    {
        const cJSON *text = cJSON_GetArrayItem(of, run);
        if (!cJSON_IsString(text))
            continue;
        POV_REQUIRE_MEMORY(pov_grow(&s->answers, &s->answer_capacity, s->answer_len, sizeof *s->answers));
        s->answers[s->answer_len++] =
            (pov_released_answer){.model = pov_released_own(s, strdup(of->string)),
                                  .text = pov_released_own(s, strdup(text->valuestring)),
                                  .key = key,
                                  .line = s->number};
    }
}

/* COCO's file of a number; what is not a number names a file. */
static char *name_image(const char *number)
{
    enum { DIGITS = 12 };
    const int len = (int)strlen(number), zeros = len < DIGITS ? DIGITS - len : 0;
    return strspn(number, "0123456789") == (size_t)len
               ? pov_text_new("%.*s%s.jpg", zeros, "000000000000", number)
               : pov_text_new("%s", number);
}

/* In its own order of options; of a count there is one. */
static pov_status add_sphere(pov_released_set *s, const cJSON *item, const char *const *options, int len,
                             int run)
{
    static const char *const kept[] = {"viewpoint",      "format",        "skill",
                                       "source_dataset", "source_img_id", NULL};
    const cJSON *metadata = cJSON_GetObjectItemCaseSensitive(item, "metadata");
    const char *question = pov_json_text_of(item, "question"), *id = pov_json_text_of(item, "question_id"),
               *number = pov_json_text_of(metadata, "source_img_id");
    int order[POV_SPHERE_OPTIONS_MAX];
    const char *image = pov_released_own(s, name_image(number));
    const char *key = pov_released_own(s, len > 0 ? pov_text_new("sphere/%s/%s/%d", s->name, id, run)
                                                  : pov_text_new("sphere/%s/%s", s->name, id));
    cJSON *columns = pov_released_columns(s, image);
    pov_text offered = {0};
    char *asked = NULL;
    if (len > 0) {
        pov_sphere_shuffle(order, len, pov_hash_text(POV_HASH_START, id), (uint64_t)run + 1);
        asked = write_options(options, order, len);
        for (int i = 0; i < len; i++)
            pov_text_add(&offered, "%s%s", i > 0 ? "|" : "", options[order[i]]);
        cJSON_AddStringToObject(columns, "options", pov_text_of(&offered));
        cJSON_AddStringToObject(columns, "option", join_list(s, cJSON_GetObjectItem(item, "option")));
    }
    cJSON_AddStringToObject(columns, "task", s->name);
    cJSON_AddStringToObject(columns, "question_id", id);
    cJSON_AddStringToObject(columns, "question", question);
    copy_members(s, columns, metadata, kept);
    note_predictions(s, item, key, run);
    const pov_status status = pov_released_add(
        s, image, image, columns,
        &(pov_log_question){
            .key = key,
            .prompt = pov_released_own(
                s, pov_text_new("%s %s", question, asked ? asked : "Give the answer in number format.")),
            .form = len > 0 ? "option" : "number",
            .gold = pov_released_own(s, strdup(pov_json_text_of(item, "answer"))),
            .gold_p = NAN,
            .token_max = SPHERE_TOKENS});
    pov_text_free(&offered);
    free(asked);
    return status;
}

static pov_status read_sphere(pov_released_set *s, const cJSON *item)
{
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(item, "option"), *option,
                *metadata = cJSON_GetObjectItemCaseSensitive(item, "metadata");
    const char *options[POV_SPHERE_OPTIONS_MAX], *text, *answer;
    int len = 0, right = 0;
    POV_TRY(need_text(s, &text, item, "question_id"));
    POV_TRY(need_text(s, &text, item, "question"));
    POV_TRY(need_text(s, &answer, item, "answer"));
    POV_TRY(need_text(s, &text, metadata, "source_img_id"));
    cJSON_ArrayForEach(option, list)
    {
        if (!cJSON_IsString(option) || strchr(option->valuestring, '|'))
            return pov_released_complain(s, "an option is not text, or has a '|'");
        if (len == POV_SPHERE_OPTIONS_MAX)
            return pov_released_complain(s, "more than %d options", POV_SPHERE_OPTIONS_MAX);
        right += strcmp(option->valuestring, answer) == 0;
        options[len++] = option->valuestring;
    }
    if (len > 0 && right != 1)
        return pov_released_complain(s, "the answer '%.60s' is not one of the options", answer);
    for (int run = 0; run < (len > 0 ? POV_SPHERE_RUNS : 1); run++)
        POV_TRY(add_sphere(s, item, options, len, run));
    return pov_ok();
}

/* ---- FoREST ---- */

static const char *const direction_words[DIRECTIONS] = {"left", "right", "front",
                                                        "back"}; /* as POV_LEFT_OF ... POV_BEHIND */

static int find_direction(const char *word, size_t length)
{
    for (int i = 0; i < DIRECTIONS; i++)
        if (strlen(direction_words[i]) == length && strncmp(direction_words[i], word, length) == 0)
            return i;
    return -1;
}

unsigned pov_released_relations(const char *list)
{
    unsigned bits = 0;
    for (const char *at = list + strspn(list, "[]'\", |"); *at; at += strspn(at, "[]'\", |")) {
        const size_t length = strcspn(at, "[]'\", |");
        const int direction = find_direction(at, length);
        if (direction < 0)
            return 0;
        bits |= 1u << direction;
        at += length;
    }
    return bits;
}

static pov_status read_frames(const pov_released_set *s, unsigned *frames, const char *labels)
{
    *frames = 0;
    for (const char *at = labels; *at; at += strcspn(at, "|"), at += *at == '|') {
        const size_t length = strcspn(at, "|");
        int frame = -1;
        for (const pov_word *word = POV_WORDS_FRAME; word->word; word++)
            if (strlen(word->word) == length && strncmp(word->word, at, length) == 0)
                frame = word->value;
        if (frame < 0)
            return pov_released_complain(s, "'label': '%.*s' is not a frame of reference", (int)length, at);
        *frames |= 1u << frame;
    }
    return *frames ? pov_ok()
                   : pov_released_complain(s, "'label' is missing, or is not a list of frames of reference");
}

static pov_status read_facing(const pov_released_set *s, pov_facing *facing, bool *faces, const char *word)
{
    static const char *const words[POV_FACING_COUNT] = {"front", "left", "back", "right"};
    *faces = false;
    for (int i = 0; i < POV_FACING_COUNT; i++)
        if (strcmp(words[i], word) == 0) {
            *facing = (pov_facing)i;
            *faces = true;
        }
    return *faces || !*word || strcmp(word, "nan") == 0
               ? pov_ok()
               : pov_released_complain(s, "'%.40s' is not a way to face: front, left, back, right or nan",
                                       word);
}

/* "cow", ...; "": the labels of one frame alone do not tell. */
static const char *case_of_frames(unsigned frames)
{
    static const pov_relatum_case cases[] = {{true, false}, {true, true}, {false, true}, {false, false}};
    for (int i = 0; i < 4; i++) {
        unsigned applicable = 0;
        for (int f = 0; f < POV_FOREST_FRAME_COUNT; f++)
            applicable |= (unsigned)pov_forest_frame_applies((pov_forest_frame)f, cases[i]) << f;
        if (applicable == frames)
            return pov_relatum_case_name(cases[i]);
    }
    return "";
}

/* Whose words are wanted: the relatum's if the question names it before "perspective", "view" or "angle". */
static pov_asked find_asked(const char *question, const char *relatum)
{
    static const char *const after[] = {"'s perspective", "\u2019s perspective", " perspective", " view",
                                        " angle"};
    for (const char *at = question; *relatum && (at = strstr(at, relatum)); at++)
        for (size_t i = 0; i < sizeof after / sizeof *after; i++)
            if (strncmp(at + strlen(relatum), after[i], strlen(after[i])) == 0)
                return POV_ASK_RELATUM;
    return POV_ASK_CAMERA;
}

typedef struct {
    const char *id, *context, *first, *second, *facing_word, *relation_word;
    unsigned frames, right; /* right: bits of the answers */
    pov_relation relation;
    pov_facing facing;
    bool faces;
} forest_item;

/* The older files call the things locatum and relatum. */
static const char *text_of_either(const cJSON *item, const char *key, const char *older)
{
    const char *text = pov_json_text_of(item, key);
    return *text ? text : pov_json_text_of(item, older);
}

static pov_status read_forest_item(pov_released_set *s, forest_item *of, const cJSON *item)
{
    POV_TRY(need_text(s, &of->id, item, "id"));
    POV_TRY(need_text(s, &of->context, item, "context"));
    POV_TRY(need_text(s, &of->relation_word, item, "relation"));
    of->first = text_of_either(item, "obj1", "locatum");
    of->second = text_of_either(item, "obj2", "relatum");
    of->facing_word = text_of_either(item, "obj2_dir", "relatum_dir");
    if (!*of->first || !*of->second)
        return pov_released_complain(s, "'obj1' or 'obj2' is missing (in older files 'locatum', 'relatum')");
    const int relation = find_direction(of->relation_word, strlen(of->relation_word));
    if (relation < 0)
        return pov_released_complain(s, "'relation': '%.40s' is not left, right, front or back",
                                     of->relation_word);
    of->relation = (pov_relation)relation;
    POV_TRY(read_frames(s, &of->frames, join_list(s, cJSON_GetObjectItemCaseSensitive(item, "label"))));
    POV_TRY(read_facing(s, &of->facing, &of->faces, of->facing_word));
    of->right =
        pov_released_relations(join_list(s, cJSON_GetObjectItemCaseSensitive(item, "candidate_answer")));
    return of->right ? pov_ok()
                     : pov_released_complain(
                           s, "'candidate_answer' is missing, or names none of left, right, front, back");
}

/* The answers in the relative and the intrinsic frames; -1: none of that kind. */
static pov_status convert_answers(const pov_released_set *s, int answer[2], const forest_item *of,
                                  pov_asked asked)
{
    unsigned found = 0;
    answer[0] = answer[1] = -1;
    for (int f = 0; f < POV_FOREST_FRAME_COUNT; f++) {
        const bool relative = f == POV_EXTERNAL_RELATIVE || f == POV_INTERNAL_RELATIVE;
        pov_relation converted;
        if (!(of->frames >> f & 1))
            continue;
        if (pov_forest_convert(&converted, of->relation, (pov_forest_frame)f, asked,
                               of->faces ? &of->facing : NULL) != POV_OK)
            return pov_released_complain(s, "%.60s: its frames need the way that the %.40s faces", of->id,
                                         of->second);
        answer[relative ? 0 : 1] = (int)converted;
        found |= 1u << converted;
    }
    return found == of->right
               ? pov_ok()
               : pov_released_complain(s,
                                       "%.60s: 'candidate_answer' is not what relation, label and "
                                       "facing give in the %s words",
                                       of->id, asked == POV_ASK_CAMERA ? "camera's" : "relatum's");
}

/* `key`: "question", or "reverse_question": the same in another order of words. */
static pov_status add_forest(pov_released_set *s, const forest_item *of, const cJSON *item, const char *key)
{
    const char *question = pov_json_text_of(item, key);
    const pov_asked asked = find_asked(question, of->second);
    const bool reverse = strcmp(key, "question") != 0;
    int answer[2];
    pov_text gold = {0};
    POV_TRY(convert_answers(s, answer, of, asked));
    const char *id = pov_released_own(s, strdup(of->id)),
               *whose = asked == POV_ASK_CAMERA ? "camera" : "relatum";
    cJSON *columns = pov_released_columns(s, id);
    cJSON_SetValuestring(
        cJSON_GetObjectItem(columns, pov_prompt_condition_kind_name(POV_PROMPT_CONDITION_ORDER)),
        pov_question_order_name(reverse ? POV_ORDER_REVERSE : POV_ORDER_NORMAL));
    cJSON_AddStringToObject(columns, "task",
                            pov_released_own(s, pov_text_new("%s%s", whose, reverse ? "_reverse" : "")));
    cJSON_AddStringToObject(columns, "options", "left|right|front|back");
    cJSON_AddStringToObject(columns, "relatum", case_of_frames(of->frames));
    cJSON_AddStringToObject(columns, "asked", whose);
    for (int i = 0; i < 2; i++)
        if (answer[i] >= 0)
            cJSON_AddStringToObject(columns, i == 0 ? "gold_relative" : "gold_intrinsic",
                                    direction_words[answer[i]]);
    cJSON_AddBoolToObject(columns, "needs_image", false);
    cJSON_AddStringToObject(columns, "context", of->context);
    cJSON_AddStringToObject(columns, "question", question);
    cJSON_AddStringToObject(columns, "frames", join_list(s, cJSON_GetObjectItemCaseSensitive(item, "label")));
    cJSON_AddStringToObject(columns, "obj1", of->first);
    cJSON_AddStringToObject(columns, "obj2", of->second);
    cJSON_AddStringToObject(columns, "obj2_dir", of->facing_word);
    cJSON_AddStringToObject(columns, "relation", of->relation_word);
    cJSON_AddStringToObject(columns, "candidate_answer",
                            join_list(s, cJSON_GetObjectItemCaseSensitive(item, "candidate_answer")));
    for (int i = 0; i < DIRECTIONS; i++)
        if (of->right >> i & 1)
            pov_text_add(&gold, "%s%s", gold.len > 0 ? "|" : "", direction_words[i]);
    return pov_released_add(
        s, "", id, columns,
        &(pov_log_question){.key = pov_released_own(
                                s, pov_text_new("forest/%s/%s%s", s->name, id, reverse ? "/reverse" : "")),
                            .prompt = pov_released_own(s, pov_text_new("%s %s", of->context, question)),
                            .system = pov_forest_system(POV_PROMPTING_ZERO_SHOT),
                            .form = "option",
                            .gold = pov_released_own(s, pov_text_take(&gold)),
                            .gold_p = NAN,
                            .token_max = TOKENS});
}

static pov_status read_forest(pov_released_set *s, const cJSON *item)
{
    forest_item of = {0};
    POV_TRY(read_forest_item(s, &of, item));
    POV_TRY(add_forest(s, &of, item, "question"));
    return cJSON_HasObjectItem(item, "reverse_question") ? add_forest(s, &of, item, "reverse_question")
                                                         : pov_ok();
}

/* "id", "context", "label", "GPT_predict", as the authors' scripts write them; some call it LLM_predict. */
static pov_status read_forest_answers(pov_released_set *s, const char *text, size_t length)
{
    pov_table *table;
    POV_TRY(pov_table_parse(&table, s->path, text, length));
    const int context = pov_table_column(table, "context"), label = pov_table_column(table, "label"),
              gpt = pov_table_column(table, "GPT_predict"),
              answer = gpt >= 0 ? gpt : pov_table_column(table, "LLM_predict"),
              model = pov_table_column(table, "model");
    pov_status status = pov_ok();
    for (int row = 0; row < pov_table_len(table) && status.code == POV_OK; row++) {
        s->number = pov_table_line(table, row);
        const unsigned relations = pov_released_relations(pov_table_cell(table, row, label));
        if (!relations) {
            status = pov_released_complain(
                s, "'label' is not a list of left, right, front, back: answers to questions "
                   "about frames are scored by 'pov score --paper forest' "
                   "(gold_frame, answer)");
            break;
        }
        const char *name = pov_table_cell(table, row, model);
        POV_REQUIRE_MEMORY(pov_grow(&s->answers, &s->answer_capacity, s->answer_len, sizeof *s->answers));
        s->answers[s->answer_len++] =
            (pov_released_answer){.model = *name ? pov_released_own(s, strdup(name)) : NULL,
                                  .text = pov_released_own(s, strdup(pov_table_cell(table, row, answer))),
                                  .context = pov_released_own(s, strdup(pov_table_cell(table, row, context))),
                                  .relations = relations,
                                  .line = s->number};
    }
    pov_table_destroy(&table);
    return status;
}

/* ---- the file ---- */

static bool has_all(const cJSON *item, const char *const *keys)
{
    for (; *keys; keys++)
        if (!cJSON_GetObjectItemCaseSensitive(item, *keys))
            return false;
    return true;
}

static bool find_form(pov_released_form *form, const cJSON *item)
{
    static const char *const of_vsr[] = {"image", "caption", "label", "relation", NULL},
                             *const of_sphere[] = {"question_id", "question", "answer", "metadata", NULL},
                             *const of_forest[] = {"context",          "label", "relation", "question",
                                                   "candidate_answer", NULL};
    static const char *const *const keys[] = {of_vsr, of_forest, of_sphere};
    for (int i = 0; i <= POV_RELEASED_SPHERE; i++)
        if (has_all(item, keys[i])) {
            *form = (pov_released_form)i;
            return true;
        }
    return pov_released_choice_form(form, item);
}

/* The first item of a text: of JSON lines the first line, else the first of a list, or of an object's "data". */
static const cJSON *first_item(const cJSON *root)
{
    const cJSON *data = cJSON_GetObjectItemCaseSensitive(root, "data");
    return cJSON_IsArray(root) ? root->child : cJSON_IsArray(data) ? data->child : root;
}

static bool is_answers_head(const char *text, size_t length)
{
    const char *newline = memchr(text, '\n', length);
    const size_t head = newline ? (size_t)(newline - text) : length;
    return memmem(text, head, "context,label,", 14) && memmem(text, head, "_predict", 8);
}

static size_t skip_blanks(const char *text, size_t length)
{
    size_t at = length >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    while (at < length && text[at] && strchr(" \t\r\n", text[at]))
        at++;
    return at;
}

bool pov_released_is_one(const char *text, size_t length)
{
    const size_t at = skip_blanks(text, length);
    pov_released_form form;
    if (at < length && text[at] != '{' && text[at] != '[')
        return is_answers_head(text + at, length - at) ||
               pov_released_is_choice_table(text + at, length - at);
    cJSON *root = pov_json_parse(text + at, length - at);
    const bool found = find_form(&form, first_item(root));
    cJSON_Delete(root);
    return found;
}

static pov_status read_item(pov_released_set *s, const cJSON *item)
{
    static pov_status (*const read[])(pov_released_set *, const cJSON *) = {
        read_vsr, read_forest, read_sphere, pov_released_read_choice};
    pov_released_form form;
    if (!cJSON_IsObject(item) || !find_form(&form, item))
        return pov_released_complain(s,
                                     "is not an item of a paper's set as it was released (docs/ENGINES.md)");
    if (s->number > 1 && form != s->form)
        return pov_released_complain(s, "is an item of %s, those before it of %s",
                                     pov_released_form_name(form), pov_released_form_name(s->form));
    s->form = form;
    return read[form < POV_RELEASED_CHOICES ? form : POV_RELEASED_CHOICES](s, item);
}

static pov_status read_lines(pov_released_set *s, const char *text, size_t length)
{
    for (const char *at = text, *end = text + length; at < end;) {
        const char *newline = memchr(at, '\n', (size_t)(end - at)), *stop = newline ? newline : end;
        s->number++;
        if (skip_blanks(at, (size_t)(stop - at)) < (size_t)(stop - at)) {
            cJSON *item = pov_json_parse(at, (size_t)(stop - at));
            const pov_status status = item ? read_item(s, item) : pov_released_complain(s, "is not JSON");
            cJSON_Delete(item);
            POV_TRY(status);
        }
        at = newline ? newline + 1 : end;
    }
    return pov_ok();
}

static pov_status read_list(pov_released_set *s, const cJSON *item)
{
    for (; item; item = item->next) {
        s->number++;
        POV_TRY(read_item(s, item));
    }
    return pov_ok();
}

static pov_status read_text(pov_released_set *s, const char *text, size_t length)
{
    const size_t at = skip_blanks(text, length);
    const char *stopped = NULL;
    if (at < length && text[at] != '{' && text[at] != '[') {
        if (!is_answers_head(text + at, length - at))
            return pov_released_read_choice_table(s, text + at, length - at);
        s->form = POV_RELEASED_FOREST;
        return read_forest_answers(s, text, length);
    }
    cJSON *root = pov_json_parse_begin(text + at, length - at, &stopped);
    if (!root)
        return pov_error("%s: is not JSON: wrong after %zu bytes", s->path, (size_t)(stopped - text));
    const cJSON *first = first_item(root);
    const bool is_list = first != root && skip_blanks(stopped, (size_t)(text + length - stopped)) ==
                                              (size_t)(text + length - stopped);
    const pov_status status = is_list ? read_list(s, first) : read_lines(s, text + at, length - at);
    cJSON_Delete(root);
    return status;
}

pov_status pov_released_set_parse(pov_released_set **set, const char *name, const char *text, size_t length)
{
    pov_released_set *s = *set = pov_allocate(1, sizeof *s);
    const char *slash = strrchr(name, '/'), *base = slash ? slash + 1 : name, *dot = strrchr(base, '.');
    s->path = name;
    s->name = pov_text_new("%.*s", (int)(dot && dot > base ? (size_t)(dot - base) : strlen(base)), base);
    s->images = pov_name_set_new();
    s->keys = pov_name_set_new();
    pov_status status = read_text(s, text, length);
    if (status.code == POV_OK && s->len == 0 && s->answer_len == 0)
        status = pov_error("%s: holds no item", name);
    if (status.code != POV_OK)
        pov_released_set_destroy(set);
    return status;
}

void pov_released_set_destroy(pov_released_set **set)
{
    pov_released_set *s = *set;
    if (!s)
        return;
    for (int i = 0; i < s->owned_len; i++)
        free(s->owned[i]);
    free(s->owned);
    free(s->list);
    free(s->answers);
    free(s->pictures);
    free(s->name);
    pov_name_set_destroy(&s->images);
    pov_name_set_destroy(&s->keys);
    free(s);
    *set = NULL;
}

pov_released_form pov_released_set_form(const pov_released_set *set)
{
    return set->form;
}

const char *pov_released_set_name(const pov_released_set *set)
{
    return set->name;
}

int pov_released_set_len(const pov_released_set *set)
{
    return set->len;
}

const pov_released_question *pov_released_set_at(const pov_released_set *set, int i)
{
    POV_REQUIRE(i >= 0 && i < set->len);
    return &set->list[i];
}

int pov_released_set_repeated(const pov_released_set *set)
{
    return set->repeated;
}

const pov_released_picture *pov_released_set_picture(const pov_released_set *set, const char *name)
{
    for (int i = 0; i < set->picture_len; i++)
        if (strcmp(set->pictures[i].name, name) == 0)
            return &set->pictures[i];
    return NULL;
}

int pov_released_set_pictures(const pov_released_set *set)
{
    return set->picture_len;
}

int pov_released_set_answers(const pov_released_set *set)
{
    return set->answer_len;
}

const pov_released_answer *pov_released_set_answer(const pov_released_set *set, int i)
{
    POV_REQUIRE(i >= 0 && i < set->answer_len);
    return &set->answers[i];
}
