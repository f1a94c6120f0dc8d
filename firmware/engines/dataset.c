#include "firmware/engines/dataset.h"

#include "compare/log/log_pictures.h"
#include "compare/statistics/name_set.h"
#include "compare/vlm/answer_form.h"
#include "config/files/base64.h"
#include "config/files/grow.h"
#include "config/files/json_value.h"
#include "config/files/text.h"
#include "config/files/write_file.h"
#include "firmware/comparison/log_folder.h"

#include <cJSON.h>

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* VLMEvalKit's parts are answered yes or no, by a letter, in words; lmms-eval's in words, by the likelihoods of yes and no, of true and
   false; the last has one. */
typedef enum { PART_YES_NO, PART_LETTER, PART_WORDS } engine_part;
typedef enum { PART_ALL, PART_P_YES, PART_P_TRUE } likelihood_part;

enum { LETTERS = 8 };

typedef struct {
    const pov_dataset_options *options;
    pov_dataset_summary *summary;
    pov_name_set *images, *copied; /* by id; by path, files that are in the dataset */
    struct known_image {
        int64_t row[POV_DATASET_PARTS]; /* where VLMEvalKit's tables have its bytes, + 1 */
    } * known;
    int known_capacity;
    pov_write_file files[POV_DATASET_PARTS];
    bool open[POV_DATASET_PARTS];
    FILE *sums; /* SHA-256 of what is written */
    pov_bytes bytes;
    int token_max;
} dataset;

const char *pov_dataset_format_name(int format)
{
    static const char *const names[] = {"vlmevalkit", "lmms-eval", "jsonl"};
    return format >= 0 && format < POV_DATASET_COUNT ? names[format] : NULL;
}

void pov_dataset_id(char id[POV_DATASET_ID_CAPACITY], const pov_log_image *image,
                    const pov_log_question *question)
{
    snprintf(id, POV_DATASET_ID_CAPACITY, "%.12s.%d/%s", image->sha256, image->stop, question->key);
}

/* ---- one question ---- */

/* Engines without system prompts send it before the question. */
static char *whole_prompt(const pov_log_question *question)
{
    const char *system = question->system ? question->system : "";
    const size_t capacity = strlen(system) + strlen(question->prompt) + 3;
    char *text = malloc(capacity);
    POV_REQUIRE_MEMORY(text);
    snprintf(text, capacity, "%s%s%s", system, *system ? "\n\n" : "", question->prompt);
    return text;
}

/* The frames of reference in which the question has no answer. */
static cJSON *undefined_of(const cJSON *golds)
{
    cJSON *list = cJSON_CreateArray();
    const cJSON *gold;
    cJSON_ArrayForEach(gold, golds)
    {
        if (!*pov_json_text_of(gold, "answer"))
            cJSON_AddItemToArray(list, cJSON_CreateString(pov_json_text_of(gold, "frame")));
    }
    return list;
}

/* Parts with "|" between, as a list. */
static cJSON *split_text(const char *text)
{
    cJSON *list = cJSON_CreateArray();
    for (const char *at = text; *at;) {
        const size_t len = strcspn(at, "|");
        char *one = strndup(at, len);
        POV_REQUIRE_MEMORY(one);
        cJSON_AddItemToArray(list, cJSON_CreateString(one));
        free(one);
        at += len + (at[len] == '|');
    }
    return list;
}

/* "left|right" as a list. */
static cJSON *options_of(const pov_log_question *question)
{
    cJSON *columns = question->columns ? pov_json_parse_text(question->columns) : NULL;
    cJSON *list = split_text(pov_json_text_of(columns, "options"));
    cJSON_Delete(columns);
    return list;
}

/* Writes, for questions by letters, the question without options, which engines add, and the benchmark's kind, by which they group. */
static void add_lettered(cJSON *object, const pov_log_question *question)
{
    cJSON *columns = question->columns ? pov_json_parse_text(question->columns) : NULL;
    const char *guided = pov_json_text_of(columns, "guided"),
               *prompting = pov_json_text_of(columns, "prompting");
    const bool is_plain =
        (!*guided || strcmp(guided, "not") == 0) &&
        (!*prompting || strcmp(prompting, "zero-shot") == 0); /* else its words are more than the question */
    if (*pov_json_text_of(columns, "offered")) {
        if (is_plain)
            cJSON_AddStringToObject(object, "stem", pov_json_text_of(columns, "question"));
        cJSON_AddStringToObject(object, "task", pov_json_text_of(columns, "task"));
    }
    if (*pov_json_text_of(columns, "image_files")) { /* in order; `image` is one of them */
        cJSON_AddItemToObject(object, "images", split_text(pov_json_text_of(columns, "image_files")));
        cJSON_AddItemToObject(object, "images_sha256", split_text(pov_json_text_of(columns, "image_sha256")));
    }
    cJSON_Delete(columns);
}

/* All that is known of a question: a line of the JSON formats, and the columns that VLMEvalKit passes through. */
/* sent: the image that it is about. */
static cJSON *describe_question(const pov_answer_row *row, const pov_log_image *sent)
{
    const pov_log_question *q = &row->question;
    char id[POV_DATASET_ID_CAPACITY], *whole = whole_prompt(q);
    cJSON *object = cJSON_CreateObject(), *golds = q->golds ? pov_json_parse_text(q->golds) : NULL;
    pov_dataset_id(id, &row->image, q);
    cJSON_AddStringToObject(object, "id", id);
    cJSON_AddStringToObject(object, "image", sent->path);
    cJSON_AddStringToObject(object, "image_sha256", sent->sha256);
    cJSON_AddNumberToObject(object, "stop", row->image.stop);
    pov_json_add_number(object, "phi_deg", pov_log_seen_deg(row->image.phi_deg, q->key));
    cJSON_AddStringToObject(object, "question", whole);
    cJSON_AddStringToObject(object, "prompt", q->prompt);
    pov_json_add_text(object, "system", q->system);
    cJSON_AddStringToObject(object, "paper", q->paper);
    cJSON_AddStringToObject(object, "language", q->language);
    cJSON_AddStringToObject(object, "form", q->form);
    cJSON_AddItemToObject(object, "options", options_of(q));
    pov_json_add_text(object, "gold", q->gold);
    pov_json_add_number(object, "gold_p", q->gold_p);
    pov_json_add_text(object, "truth", q->truth);
    cJSON_AddItemToObject(object, "undefined", undefined_of(golds));
    cJSON_AddItemToObject(object, "golds", golds ? golds : cJSON_CreateArray());
    cJSON_AddNumberToObject(object, "token_max", q->token_max);
    add_lettered(object, q);
    free(whole);
    return object;
}

/* ---- files ---- */

static pov_status note_file(dataset *d, const char *relative)
{
    char path[POV_PATH_CAPACITY], hex[POV_DIGEST_CAPACITY];
    POV_TRY(pov_path_join(path, d->options->folder, relative));
    POV_TRY(pov_digest_file(hex, path));
    fprintf(d->sums, "%s  %s\n", hex, relative);
    return pov_ok();
}

static void file_name(char name[POV_DATASET_NAME_CAPACITY + 8], const dataset *d, int part)
{
    const bool is_table = d->options->format == POV_DATASET_VLMEVALKIT;
    snprintf(name, POV_DATASET_NAME_CAPACITY + 8, "%s%s",
             d->options->format == POV_DATASET_JSONL ? "questions" : d->summary->part_names[part],
             is_table ? ".tsv" : ".jsonl");
}

static const char *const table_columns[] = {
    "index",  "image", "question", "A",           "B",      "C",    "D",      "E",     "F",        "G", "H",
    "answer", "hint",  "category", "l2-category", "pov_id", "form", "gold_p", "golds", "undefined"};
enum { TABLE_COLUMNS = sizeof table_columns / sizeof *table_columns };

/* Letters and hints make a table one of multiple choice. */
static bool has_column(int part, int column)
{
    const char *name = table_columns[column];
    return part == PART_LETTER || (strlen(name) > 1 && strcmp(name, "hint") != 0);
}

static void put_field(FILE *stream, const char *text, bool is_first)
{
    fputs(is_first ? "\"" : "\t\"", stream);
    for (const char *c = text; *c; c++) {
        if (*c == '"')
            fputc('"', stream);
        fputc(*c, stream);
    }
    fputc('"', stream);
}

static pov_status open_part(dataset *d, int part)
{
    static const char *const ends[POV_DATASET_COUNT][POV_DATASET_PARTS] = {
        {"_yn", "_mcq", "_vqa"}, {"_words", "_p_yes", "_p_true"}, {""}};
    char path[POV_PATH_CAPACITY], name[POV_DATASET_NAME_CAPACITY + 8];
    if (d->open[part])
        return pov_ok();
    const char *end = ends[d->options->format][part];
    memcpy(d->summary->part_names[part], d->summary->name, sizeof d->summary->name);
    strncat(d->summary->part_names[part], end ? end : "",
            POV_DATASET_NAME_CAPACITY - sizeof d->summary->name - 1);
    file_name(name, d, part);
    POV_TRY(pov_path_join(path, d->options->folder, name));
    POV_TRY(pov_write_file_begin(&d->files[part], path));
    d->open[part] = true;
    if (d->options->format != POV_DATASET_VLMEVALKIT)
        return pov_ok();
    for (int i = 0; i < TABLE_COLUMNS; i++)
        if (has_column(part, i))
            put_field(d->files[part].stream, table_columns[i], i == 0);
    fputc('\n', d->files[part].stream);
    return pov_ok();
}

static pov_status close_parts(dataset *d, pov_status status)
{
    char name[POV_DATASET_NAME_CAPACITY + 8];
    for (int part = 0; part < POV_DATASET_PARTS; part++) {
        if (!d->open[part])
            continue;
        status = pov_write_file_end(&d->files[part], status);
        file_name(name, d, part);
        POV_THEN(status, note_file(d, name));
    }
    return status;
}

/* ---- images ---- */

static bool is_one_folder(const char *a, const char *b)
{
    char *whole_a = realpath(a, NULL), *whole_b = realpath(b, NULL);
    const bool same = whole_a && whole_b && strcmp(whole_a, whole_b) == 0;
    free(whole_a);
    free(whole_b);
    return same;
}

static pov_status copy_image(dataset *d, const char *image, const char *sha256)
{
    char path[POV_PATH_CAPACITY];
    pov_write_file file;
    const int copied = pov_name_set_len(d->copied);
    if (pov_name_set_add(d->copied, image, strlen(image)) < copied)
        return pov_ok();
    POV_TRY(pov_log_folder_load(&d->bytes, d->options->images, image, sha256));
    if (!is_one_folder(d->options->folder, d->options->images)) {
        POV_TRY(pov_path_join(path, d->options->folder, image));
        POV_TRY(pov_write_file_begin(&file, path));
        fwrite(d->bytes.data, 1, d->bytes.length, file.stream);
        POV_TRY(pov_write_file_end(&file, pov_ok()));
    }
    fprintf(d->sums, "%s  %s\n", sha256, image);
    return pov_ok();
}

/* Its number; the first time its file is copied where the format has files. */
static pov_status meet_image(dataset *d, int *number, const pov_log_image *image)
{
    const int before = pov_name_set_len(d->images);
    *number = pov_name_set_add(d->images, image->path, strlen(image->path));
    if (*number < before)
        return pov_ok();
    if (!pov_grow(&d->known, &d->known_capacity, *number, sizeof *d->known))
        return pov_error("%s: out of memory", d->options->folder);
    d->known[*number] = (struct known_image){.row = {0}};
    if (pov_log_image_is_none(image->path, image->sha256))
        return d->options->format == POV_DATASET_JSONL
                   ? pov_ok()
                   : pov_error("%s: has questions without an image, and engines want an "
                               "image with each: use --dataset jsonl",
                               d->options->images);
    d->summary->images++;
    if (strncmp(image->path, "images/", strlen("images/")) != 0 ||
        strchr(image->path + strlen("images/"), '/'))
        return pov_error("%s: the log names an image '%.200s', which no log of pov does", d->options->images,
                         image->path);
    return d->options->format == POV_DATASET_VLMEVALKIT ? pov_ok()
                                                        : copy_image(d, image->path, image->sha256);
}

/* In base64, added to a text; the caller frees it. */
static pov_status add_base64(dataset *d, pov_text *text, const char *path, const char *sha256)
{
    POV_TRY(pov_log_folder_load(&d->bytes, d->options->images, path, sha256));
    char *base64 = pov_allocate(pov_base64_len(d->bytes.length) + 1, 1);
    pov_base64_write(base64, d->bytes.data, d->bytes.length);
    pov_text_add(text, "%s", base64);
    free(base64);
    return pov_ok();
}

/* A list of all images of a question about several, as VLMEvalKit reads lists. */
static pov_status put_images(dataset *d, FILE *stream, const cJSON *question)
{
    pov_text text = {0};
    const cJSON *images = cJSON_GetObjectItem(question, "images"),
                *sums = cJSON_GetObjectItem(question, "images_sha256");
    pov_status status = pov_ok();
    for (int i = 0; i < cJSON_GetArraySize(images); i++) {
        pov_text_add(&text, "%s'", i == 0 ? "[" : ", ");
        POV_THEN(status, add_base64(d, &text, cJSON_GetArrayItem(images, i)->valuestring,
                                    cJSON_GetArrayItem(sums, i)->valuestring));
        pov_text_add(&text, "'");
    }
    pov_text_add(&text, "]");
    put_field(stream, pov_text_of(&text), false);
    pov_text_free(&text);
    return status;
}

/* Once in base64, then by the row that has it. */
static pov_status put_image(dataset *d, FILE *stream, int part, int number, const pov_log_image *image)
{
    int64_t *row = &d->known[number].row[part];
    char reference[32];
    if (*row > 0) {
        snprintf(reference, sizeof reference, "%" PRId64, *row - 1);
        put_field(stream, reference, false);
        return pov_ok();
    }
    *row = d->summary->rows[part] + 1;
    POV_TRY(pov_log_folder_load(&d->bytes, d->options->images, image->path, image->sha256));
    char *text = malloc(pov_base64_len(d->bytes.length) + 1);
    if (!text)
        return pov_error("%s: out of memory", image->path);
    pov_base64_write(text, d->bytes.data, d->bytes.length);
    put_field(stream, text, false);
    free(text);
    return pov_ok();
}

/* ---- VLMEvalKit ---- */

/* Texts that its tables take for nothing. */
static bool reads_as_missing(const char *text)
{
    static const char *const missing[] = {"", "na", "n/a", "null", "nan", "none"};
    for (size_t i = 0; i < sizeof missing / sizeof *missing; i++)
        if (strcasecmp(text, missing[i]) == 0)
            return true;
    return false;
}

/* The place of the gold among the options; -1: it is none of them alone. */
static int letter_of(const cJSON *question)
{
    const cJSON *options = cJSON_GetObjectItem(question, "options"), *option;
    int found = -1, i = 0;
    cJSON_ArrayForEach(option, options)
    {
        if (reads_as_missing(option->valuestring))
            return -1;
        if (strcmp(option->valuestring, pov_json_text_of(question, "gold")) == 0)
            found = i;
        i++;
    }
    return i >= 2 && i <= LETTERS ? found : -1;
}

/* Its own scores know English words only, and want each question to have an answer. */
static engine_part part_of(const cJSON *question)
{
    const char *form = pov_json_text_of(question, "form"), *gold = pov_json_text_of(question, "gold");
    const bool is_english = strncmp(pov_json_text_of(question, "language"), "en", 2) == 0;
    if (strcmp(form, "yes_no") == 0 && is_english && *gold)
        return PART_YES_NO;
    return strcmp(form, "option") == 0 && letter_of(question) >= 0 ? PART_LETTER : PART_WORDS;
}

static void describe_answer(char *text, size_t capacity, const cJSON *question, engine_part part)
{
    const char *gold = pov_json_text_of(question, "gold");
    if (part == PART_YES_NO)
        snprintf(text, capacity, "%s", strcmp(gold, "yes") == 0 ? "Yes" : "No");
    else if (part == PART_LETTER)
        snprintf(text, capacity, "%c", 'A' + letter_of(question));
    else
        snprintf(text, capacity, "%s", *gold ? gold : "abstains");
}

static void put_json(FILE *stream, const cJSON *item)
{
    char *text = cJSON_PrintUnformatted(item);
    put_field(stream, text && strcmp(text, "null") != 0 ? text : "", false);
    cJSON_free(text);
}

static pov_status put_table_row(dataset *d, const pov_log_image *sent, const cJSON *question, int number)
{
    const engine_part part = part_of(question);
    const cJSON *options = cJSON_GetObjectItem(question, "options");
    char answer[256], index[32];
    POV_TRY(open_part(d, part));
    FILE *stream = d->files[part].stream;
    snprintf(index, sizeof index, "%" PRId64, d->summary->rows[part]);
    put_field(stream, index, true);
    POV_TRY(cJSON_HasObjectItem(question, "images") ? put_images(d, stream, question)
                                                    : put_image(d, stream, part, number, sent));
    const char *stem = pov_json_text_of(question, "stem"), *task = pov_json_text_of(question, "task");
    put_field(stream,
              *stem && part == PART_LETTER
                  ? stem
                  : pov_json_text_of(question, part == PART_LETTER ? "prompt" : "question"),
              false);
    for (int i = 0; i < LETTERS && part == PART_LETTER; i++) {
        const cJSON *option = cJSON_GetArrayItem(options, i);
        put_field(stream, option ? option->valuestring : "", false);
    }
    describe_answer(answer, sizeof answer, question, part);
    put_field(stream, answer, false);
    if (part == PART_LETTER)
        put_field(stream, pov_json_text_of(question, "system"), false);
    put_field(stream, *task ? task : pov_json_text_of(question, "paper"), false);
    put_field(stream, *task ? pov_json_text_of(question, "paper") : pov_json_text_of(question, "language"),
              false);
    put_field(stream, pov_json_text_of(question, "id"), false);
    put_field(stream, pov_json_text_of(question, "form"), false);
    put_json(stream, cJSON_GetObjectItem(question, "gold_p"));
    put_json(stream, cJSON_GetObjectItem(question, "golds"));
    put_json(stream, cJSON_GetObjectItem(question, "undefined"));
    fputc('\n', stream);
    d->summary->rows[part]++;
    return pov_ok();
}

/* ---- JSON lines ---- */

static pov_status put_line(dataset *d, const cJSON *question, int part)
{
    POV_TRY(open_part(d, part));
    char *text = cJSON_PrintUnformatted(question);
    if (!text)
        return pov_error("%s: out of memory", d->options->folder);
    fprintf(d->files[part].stream, "%s\n", text);
    cJSON_free(text);
    d->summary->rows[part]++;
    return pov_ok();
}

static pov_status put_lines(dataset *d, cJSON *question)
{
    const char *form = pov_json_text_of(question, "form"), *gold = pov_json_text_of(question, "gold");
    const bool is_english = strncmp(pov_json_text_of(question, "language"), "en", 2) == 0;
    const bool is_yes_no = strcmp(form, "yes_no") == 0;
    const cJSON *images = cJSON_GetObjectItem(question, "images"),
                *sums = cJSON_GetObjectItem(question, "images_sha256");
    cJSON_AddStringToObject(question, "target", *gold ? gold : "abstains");
    for (int i = 0; i < cJSON_GetArraySize(images); i++)
        POV_TRY(copy_image(d, cJSON_GetArrayItem(images, i)->valuestring,
                           cJSON_GetArrayItem(sums, i)->valuestring));
    POV_TRY(put_line(d, question, PART_ALL));
    if (d->options->format != POV_DATASET_LMMS_EVAL || !is_english ||
        (!is_yes_no && strcmp(form, "true_false") != 0))
        return pov_ok();
    const bool is_first = strcmp(gold, is_yes_no ? "yes" : "true") == 0;
    cJSON_ReplaceItemInObject(
        question, "target",
        cJSON_CreateString(is_yes_no ? (is_first ? "Yes" : "No") : (is_first ? "True" : "False")));
    return put_line(d, question, is_yes_no ? PART_P_YES : PART_P_TRUE);
}

/* ---- lmms-eval's task files ---- */

static const char utils_py[] =
    "import os\n"
    "\n"
    "from PIL import Image\n"
    "\n"
    "HERE = os.path.dirname(os.path.abspath(__file__))\n"
    "\n"
    "\n"
    "def visual(doc):\n"
    "    paths = doc.get(\"images\") or [doc[\"image\"]]\n"
    "    return [Image.open(os.path.join(HERE, path)).convert(\"RGB\") for path in paths]\n"
    "\n"
    "\n"
    "def score(doc, right):\n"
    "    return {\"pov\": {\"id\": doc[\"id\"], \"score\": float(right) if doc[\"gold\"] else None}}\n"
    "\n"
    "\n"
    "def result(doc, results):\n"
    "    return score(doc, str(results[0]).strip().lower().startswith(doc[\"target\"].lower()))\n"
    "\n"
    "\n"
    "def likelier(doc, results):\n"
    "    losses = [float(one[0]) for one in results]\n"
    "    return score(doc, (losses[0] < losses[1]) == (doc[\"target\"] in (\"Yes\", \"True\")))\n"
    "\n"
    "\n"
    "def mean(items):\n"
    "    scores = [item[\"score\"] for item in items if item[\"score\"] is not None]\n"
    "    return sum(scores) / max(len(scores), 1)\n";

static void write_task(FILE *stream, const dataset *d, int part)
{
    const char *name = d->summary->part_names[part];
    fprintf(stream,
            "task: %s\ndataset_path: json\ndataset_kwargs: {data_files: {test: %s.jsonl}}\ntest_split: test\n"
            "output_type: %s\ndoc_to_visual: !function utils.visual\ndoc_to_text: \"{{question}}\"\n"
            "doc_to_target: target\n",
            name, name, part == PART_ALL ? "generate_until" : "multiple_choice");
    if (part == PART_ALL)
        fprintf(stream,
                "generation_kwargs: {max_new_tokens: %d, temperature: 0, do_sample: false, until: []}\n",
                d->token_max);
    else
        fprintf(stream, "doc_to_choice: %s\n",
                part == PART_P_YES ? "[\"Yes\", \"No\"]" : "[\"True\", \"False\"]");
    fprintf(
        stream,
        "process_results: !function utils.%s\nmetric_list: [{metric: pov, aggregation: !function utils.mean, "
        "higher_is_better: true}]\nmetadata: {version: 1}\n",
        part == PART_ALL ? "result" : "likelier");
}

static pov_status write_tasks(dataset *d)
{
    char path[POV_PATH_CAPACITY], name[POV_DATASET_NAME_CAPACITY + 8];
    pov_write_file file;
    for (int part = 0; part < POV_DATASET_PARTS; part++) {
        if (d->summary->rows[part] == 0)
            continue;
        snprintf(name, sizeof name, "%s.yaml", d->summary->part_names[part]);
        POV_TRY(pov_path_join(path, d->options->folder, name));
        POV_TRY(pov_write_file_begin(&file, path));
        write_task(file.stream, d, part);
        POV_TRY(pov_write_file_end(&file, pov_ok()));
        POV_TRY(note_file(d, name));
    }
    POV_TRY(pov_path_join(path, d->options->folder, "utils.py"));
    POV_TRY(pov_write_file_begin(&file, path));
    fputs(utils_py, file.stream);
    POV_TRY(pov_write_file_end(&file, pov_ok()));
    return note_file(d, "utils.py");
}

/* ---- the whole ---- */

/* Two requests, or two images: engines have one of each. */
static bool takes_more(const pov_answer_row *row)
{
    pov_log_picture second;
    return pov_prompting_of_columns(row->question.columns) == POV_PROMPTING_SG_COT ||
           pov_log_picture_read(&second, row->question.columns, POV_PICTURE_SECOND);
}

/* Engines keep images by a dataset's name: another export has another name. A question counts once, however many models
 * answered it. */
static pov_status count_question(void *context, pov_answer_row *row)
{
    dataset *d = context;
    if (row->is_again)
        return pov_ok();
    if (takes_more(row)) {
        d->summary->left_out++;
        return pov_ok();
    }
    char text[POV_DIGEST_CAPACITY + POV_DATASET_ID_CAPACITY + 8], hex[POV_DIGEST_CAPACITY],
        id[POV_DATASET_ID_CAPACITY];
    pov_dataset_id(id, &row->image, &row->question);
    pov_digest(hex, row->question.prompt, strlen(row->question.prompt));
    snprintf(text, sizeof text, "%s %s %.8s", d->summary->name, id, hex);
    pov_digest(hex, text, strlen(text));
    snprintf(d->summary->name, sizeof d->summary->name, "pov_%.10s", hex);
    d->summary->questions++;
    d->summary->abstained += row->question.gold == NULL;
    if (row->question.token_max > d->token_max)
        d->token_max = row->question.token_max;
    return pov_ok();
}

static pov_status put_question(void *context, pov_answer_row *row)
{
    dataset *d = context;
    int number;
    if (row->is_again || takes_more(row))
        return pov_ok();
    pov_log_picture picture;
    pov_log_image sent = row->image;
    if (pov_log_picture_read(&picture, row->question.columns, POV_PICTURE_FIRST)) {
        sent.path = picture.path;
        memcpy(sent.sha256, picture.sha256, sizeof sent.sha256);
    }
    POV_TRY(meet_image(d, &number, &sent));
    cJSON *question = describe_question(row, &sent);
    const pov_status status = d->options->format == POV_DATASET_VLMEVALKIT
                                  ? put_table_row(d, &sent, question, number)
                                  : put_lines(d, question);
    cJSON_Delete(question);
    return status;
}

static pov_status write_text(dataset *d, const char *name, const char *text)
{
    char path[POV_PATH_CAPACITY];
    pov_write_file file;
    POV_TRY(pov_path_join(path, d->options->folder, name));
    POV_TRY(pov_write_file_begin(&file, path));
    fputs(text, file.stream);
    return pov_write_file_end(&file, pov_ok());
}

static pov_status write_sheet(dataset *d, pov_answer_log *log)
{
    char *text = NULL;
    size_t len;
    FILE *memory = open_memstream(&text, &len);
    if (!memory)
        return pov_error("%s: out of memory", d->options->folder);
    pov_status status = pov_datasheet_write(memory, log, d->options, d->summary);
    fclose(memory);
    POV_THEN(status, write_text(d, "DATASHEET.md", text));
    free(text);
    return status.code == POV_OK ? note_file(d, "DATASHEET.md") : status;
}

static pov_status write_dataset(dataset *d, pov_answer_log *log)
{
    char path[POV_PATH_CAPACITY];
    d->images = pov_name_set_new();
    d->copied = pov_name_set_new();
    POV_TRY(pov_answer_log_each(log, count_question, d));
    if (d->summary->questions == 0)
        return strcmp(d->options->images, d->options->folder) == 0
                   ? pov_error("%s: no question can be asked about its images; choose others by --questions",
                               d->options->source)
                   : pov_error("%s: the log holds no question to export; 'pov compare %s --questions ...' "
                               "adds some",
                               d->options->images, d->options->images);
    POV_TRY(pov_write_folder(d->options->folder));
    POV_TRY(pov_path_join(path, d->options->folder, "images"));
    if (d->options->format != POV_DATASET_VLMEVALKIT)
        POV_TRY(pov_write_folder(path));
    POV_TRY(close_parts(d, pov_answer_log_each(log, put_question, d)));
    if (d->options->format == POV_DATASET_LMMS_EVAL)
        POV_TRY(write_tasks(d));
    return write_sheet(d, log);
}

pov_status pov_dataset_write(pov_dataset_summary *summary, pov_answer_log *log,
                             const pov_dataset_options *options)
{
    char *sums = NULL;
    size_t len;
    *summary = (pov_dataset_summary){.images = 0};
    dataset d = {.options = options, .summary = summary, .sums = open_memstream(&sums, &len)};
    if (!d.sums)
        return pov_error("%s: out of memory", options->folder);
    pov_status status = write_dataset(&d, log);
    fclose(d.sums);
    POV_THEN(status, write_text(&d, "SHA256SUMS", sums));
    free(sums);
    pov_name_set_destroy(&d.images);
    pov_name_set_destroy(&d.copied);
    pov_bytes_free(&d.bytes);
    free(d.known);
    return status;
}
