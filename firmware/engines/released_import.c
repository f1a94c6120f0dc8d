#include "firmware/engines/released_import.h"

#include "compare/answers/choice_list.h"
#include "compare/statistics/name_set.h"
#include "compare/vlm/vlm_truth.h"
#include "config/files/grow.h"
#include "config/files/json_value.h"
#include "config/files/text.h"
#include "config/files/write_file.h"
#include "firmware/clock.h"
#include "firmware/picture/image_file.h"
#include "perception/version.h"

#include <cJSON.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- images ---- */

/* Below the folder, by the whole name or its last part: sets are unpacked in both ways. */
static pov_status image_path(char path[POV_PATH_CAPACITY], const pov_released_import *import,
                             const pov_released_question *item)
{
    const char *slash = strrchr(item->image, '/');
    if (item->image[0] == '/' || item->image[0] == '.' || strstr(item->image, "..") || (slash && !slash[1]))
        return pov_error("%s: the image '%.100s' is not the name of a file in a folder of images",
                         import->path, item->image);
    POV_TRY(pov_path_join(path, import->images, item->image));
    return !slash || access(path, R_OK) == 0 ? pov_ok() : pov_path_join(path, import->images, slash + 1);
}

/* All are there, or the first that is not is named: half a set is another set. */
static pov_status check_images(const pov_released_import *import, const pov_released_set *set)
{
    char path[POV_PATH_CAPACITY];
    int missing = 0, needed = 0;
    const char *first = "";
    for (int i = 0, stop = -1; i < pov_released_set_len(set); i++) {
        const pov_released_question *item = pov_released_set_at(set, i);
        if (!*item->image || item->stop <= stop || pov_released_set_picture(set, item->image))
            continue;
        POV_TRY(image_path(path, import, item));
        stop = item->stop;
        needed++;
        if (access(path, R_OK) == 0)
            continue;
        if (missing++ == 0)
            first = item->image;
    }
    return missing == 0 ? pov_ok()
                        : pov_error("%s: %d of the set's %d images are not in it, the first is %s",
                                    import->images, missing, needed, first);
}

/* Whether questions are asked with images: they are in a folder, or in the file itself. */
static bool has_images(const pov_released_import *import, const pov_released_set *set)
{
    return import->images || pov_released_set_pictures(set) > 0;
}

/* An image's bytes: of the file itself, or of the folder. */
static pov_status load_image(pov_bytes *bytes, const pov_released_import *import, const pov_released_set *set,
                             const pov_released_question *item)
{
    char from[POV_PATH_CAPACITY];
    const pov_released_picture *picture = pov_released_set_picture(set, item->image);
    if (picture) {
        *bytes = (pov_bytes){.data = pov_allocate(picture->length, 1), .length = picture->length};
        memcpy(bytes->data, picture->bytes, picture->length);
        return pov_ok();
    }
    if (!import->images)
        return pov_error(
            "%s: the image '%.100s' is not within the file, as others are: give the folder that has it "
            "(--images)",
            import->path, item->image);
    POV_TRY(image_path(from, import, item));
    return pov_read_file(bytes, from, POV_IMAGE_FILE_BYTES_MAX, "an image");
}

/* A copy beside the log, byte by byte: models get what the paper's got. */
static pov_status store_image(pov_stored_image *stored, const pov_released_import *import,
                              const pov_released_set *set, const pov_released_question *item,
                              const pov_log_folder *folder)
{
    char to[POV_PATH_CAPACITY];
    pov_write_file file;
    if (!pov_text_fits_as(stored->path, sizeof stored->path, "images/%s", item->image))
        return pov_error("%s: the image's name '%.100s' is too long", import->path, item->image);
    for (char *c = stored->path + strlen("images/"); *c; c++)
        *c = *c == '/' ? '_' : *c;
    POV_TRY(load_image(&stored->bytes, import, set, item));
    pov_digest(stored->sha256, stored->bytes.data, stored->bytes.length);
    POV_TRY(pov_path_join(to, folder->path, stored->path));
    POV_TRY(pov_write_file_begin(&file, to));
    fwrite(stored->bytes.data, 1, stored->bytes.length, file.stream);
    return pov_write_file_end(&file, pov_ok());
}

/* ---- what a simulated model answers from ---- */

static pov_status add_truth(pov_text *lines, const pov_log_question *question, uint64_t image_hash)
{
    cJSON *columns = pov_json_parse_text(question->columns);
    const char *relative = pov_json_text_of(columns, "gold_relative"),
               *intrinsic = pov_json_text_of(columns, "gold_intrinsic");
    pov_vlm_truth truth = {.image = image_hash, .prompt = question->prompt};
    if (*relative)
        truth.golds[truth.gold_len++] = (pov_vlm_gold){"egocentric/reflected", NAN, relative};
    if (*intrinsic)
        truth.golds[truth.gold_len++] = (pov_vlm_gold){"intrinsic", NAN, intrinsic};
    if (truth.gold_len == 0)
        truth.golds[truth.gold_len++] =
            (pov_vlm_gold){"any", question->gold_p, isnan(question->gold_p) ? question->gold : NULL};
    if (strcmp(question->form, "true_false") == 0) {
        truth.yes_word = "true";
        truth.no_word = "false";
    }
    pov_choice_list options = {.len = 0};
    if (strcmp(pov_json_text_of(columns, "offered"), "letters") == 0)
        (void)pov_choice_list_read(&options, pov_json_text_of(columns, "options"));
    for (int i = 0; i < options.len; i++) {
        char *whole = pov_text_new("%c. %s", 'A' + i, options.text[i]);
        free(options.text[i]);
        options.text[i] = whole;
        truth.options[truth.option_len++] = whole;
        if (strcmp(whole + strlen("A. "), question->gold) == 0)
            truth.golds[0].text = whole;
    }
    char *line;
    const pov_status status = pov_vlm_truth_line(&line, &truth);
    if (status.code == POV_OK) {
        pov_text_add(lines, "%s", line);
        free(line);
    }
    pov_choice_list_free(&options);
    cJSON_Delete(columns);
    return status;
}

/* ---- the log ---- */

static pov_status check_log(pov_answer_log *log, const pov_released_import *import)
{
    pov_log_run run;
    const pov_status status = pov_answer_log_last_run(log, &run);
    if (status.code != POV_OK)
        return status.code == POV_UNDEFINED ? pov_ok() : status;
    cJSON *config = pov_json_parse_text(run.config);
    const bool released = cJSON_HasObjectItem(config, "released");
    cJSON_Delete(config);
    return released ? pov_ok()
                    : pov_error("%s: is a paper's set, and this folder holds a sweep; give the set a folder "
                                "of its own: 'pov report' takes both",
                                import->path);
}

static pov_status need_run(pov_answer_log *log, int64_t *run, const pov_released_set *set,
                           const pov_released_import *import)
{
    cJSON *config = cJSON_CreateObject();
    cJSON_AddStringToObject(config, "released", pov_released_set_name(set));
    cJSON_AddStringToObject(config, "paper", pov_released_form_name(pov_released_set_form(set)));
    cJSON_AddBoolToObject(config, "images", has_images(import, set));
    char *text = cJSON_PrintUnformatted(config);
    cJSON_Delete(config);
    POV_REQUIRE_MEMORY(text);
    pov_log_run entry = {.started_ns = pov_clock_unix_ns(), .version = POV_VERSION, .config = text};
    const pov_status status = pov_answer_log_need_run(log, &entry);
    *run = entry.id;
    cJSON_free(text);
    return status;
}

/* The image of an item; that of the item before, if it has the same. */
static pov_status need_image(int64_t *id, uint64_t *hash, pov_answer_log *log, int64_t run,
                             const pov_released_import *import, const pov_released_set *set,
                             const pov_released_question *item, const pov_log_folder *folder)
{
    pov_stored_image stored = {.path = ""};
    if (has_images(import, set) && *item->image)
        POV_TRY(store_image(&stored, import, set, item, folder));
    pov_log_image image = {.run = run,
                           .stop = item->stop,
                           .turn_deg = NAN,
                           .phi_deg = NAN,
                           .curve_deg = NAN,
                           .name = item->scene,
                           .path = stored.path};
    memcpy(image.sha256, stored.sha256, sizeof image.sha256);
    *hash = stored.bytes.length > 0 ? pov_vlm_truth_hash(stored.bytes.data, stored.bytes.length) : 0;
    const pov_status status = pov_answer_log_need_image(log, &image);
    pov_bytes_free(&stored.bytes);
    *id = image.id;
    return status;
}

/* The images of a question about several: their places in the log's folder become columns. The caller frees them. */
static pov_status store_several(char **columns, const pov_released_import *import,
                                const pov_released_set *set, const pov_log_question *question,
                                const pov_log_folder *folder)
{
    cJSON *root = pov_json_parse_text(question->columns);
    pov_text paths = {0}, sums = {0};
    pov_status status = pov_ok();
    const char *names = pov_json_text_of(root, "images");
    while (*names && status.code == POV_OK) {
        const size_t length = strcspn(names, "|");
        char *name = pov_text_new("%.*s", (int)length, names);
        pov_stored_image stored = {.path = ""};
        status = store_image(&stored, import, set, &(pov_released_question){.image = name}, folder);
        pov_text_add(&paths, "%s%s", paths.len > 0 ? "|" : "", stored.path);
        pov_text_add(&sums, "%s%s", sums.len > 0 ? "|" : "", stored.sha256);
        pov_bytes_free(&stored.bytes);
        free(name);
        names += length + (names[length] == '|');
    }
    if (status.code == POV_OK && paths.len > 0) {
        cJSON_AddStringToObject(root, "image_files", pov_text_of(&paths));
        cJSON_AddStringToObject(root, "image_sha256", pov_text_of(&sums));
        char *printed = cJSON_PrintUnformatted(root);
        POV_REQUIRE_MEMORY(printed);
        *columns = pov_text_new("%s", printed);
        cJSON_free(printed);
    }
    pov_text_free(&paths);
    pov_text_free(&sums);
    cJSON_Delete(root);
    return status;
}

static pov_status add_items(const pov_released_import *import, const pov_released_set *set,
                            pov_answer_log *log, const pov_log_folder *folder, pov_text *truth)
{
    int64_t run, image = 0;
    uint64_t hash = 0;
    int stop = -1;
    POV_TRY(need_run(log, &run, set, import));
    for (int i = 0; i < pov_released_set_len(set); i++) {
        const pov_released_question *item = pov_released_set_at(set, i);
        if (item->stop != stop)
            POV_TRY(need_image(&image, &hash, log, run, import, set, item, folder));
        stop = item->stop;
        pov_log_question question = item->question;
        question.image = image;
        char *columns = NULL; /* with the places of all its images */
        if (has_images(import, set))
            POV_TRY(store_several(&columns, import, set, &question, folder));
        question.columns = columns ? columns : question.columns;
        pov_status status = pov_answer_log_need_question(log, &question);
        if (has_images(import, set) || !*item->image)
            POV_THEN(status, add_truth(truth, &question, hash));
        free(columns);
        POV_TRY(status);
    }
    return pov_ok();
}

pov_status pov_released_add_questions(pov_released_import *import, const pov_released_set *set,
                                      pov_answer_log *log, const pov_log_folder *folder)
{
    char images[POV_PATH_CAPACITY];
    pov_log_counts before, after;
    pov_text truth = {0};
    POV_TRY(check_log(log, import));
    if (import->images)
        POV_TRY(check_images(import, set));
    if (has_images(import, set)) {
        POV_TRY(pov_path_join(images, folder->path, "images"));
        POV_TRY(pov_write_folder(images));
    }
    POV_TRY(pov_answer_log_count(log, &before, 0));
    POV_TRY(pov_answer_log_begin(log));
    pov_status status = pov_answer_log_finish(log, add_items(import, set, log, folder, &truth));
    POV_THEN(status, pov_answer_log_count(log, &after, 0));
    import->questions = status.code == POV_OK ? after.questions - before.questions : 0;
    if (import->questions > 0)
        status = pov_log_folder_append_truth(folder, pov_text_of(&truth));
    pov_text_free(&truth);
    return status;
}

/* ---- answers ---- */

/* The log's questions by key, or by FoREST's context and its answers: those in another order of words are asked about the same. */
typedef struct {
    pov_name_set *names;
    struct {
        int64_t id;
        int len; /* questions of this name */
    } * list;    /* [name] */
    int capacity;
    bool by_context;
} question_index;

static char *name_by_context(const char *context, unsigned relations)
{
    return pov_text_new("%s\t%u", context, relations);
}

static pov_status index_question(void *context, pov_answer_row *row)
{
    question_index *index = context;
    char *name = NULL;
    if (row->is_again)
        return pov_ok();
    if (index->by_context) {
        cJSON *columns = row->question.columns ? pov_json_parse_text(row->question.columns) : NULL;
        const char *told = pov_json_text_of(columns, "context");
        if (*told && row->question.gold)
            name = name_by_context(told, pov_released_relations(row->question.gold));
        cJSON_Delete(columns);
    } else {
        name = pov_text_new("%s", row->question.key);
    }
    if (!name)
        return pov_ok();
    const int known = pov_name_set_len(index->names),
              number = pov_name_set_add(index->names, name, strlen(name));
    free(name);
    POV_REQUIRE_MEMORY(pov_grow(&index->list, &index->capacity, number, sizeof *index->list));
    if (number == known) {
        index->list[number].id = row->question.id;
        index->list[number].len = 0;
    }
    index->list[number].len++;
    return pov_ok();
}

static pov_status find_answer(int64_t *id, const question_index *index, const pov_released_answer *answer,
                              const char *path)
{
    char *name =
        answer->key ? pov_text_new("%s", answer->key) : name_by_context(answer->context, answer->relations);
    const int number = pov_name_set_find(index->names, name, strlen(name));
    free(name);
    if (number < 0)
        return pov_error("%s:%d: answers a question that this log does not have (%.100s): import the dataset "
                         "that it answers first. Nothing of this file was taken",
                         path, answer->line, answer->key ? answer->key : answer->context);
    if (index->list[number].len > 1)
        return pov_error("%s:%d: %d questions of this log have this context and these answers (%.100s): "
                         "import the dataset that it answers into a folder of its own. Nothing of this file "
                         "was taken",
                         path, answer->line, index->list[number].len, answer->context);
    *id = index->list[number].id;
    return pov_ok();
}

pov_status pov_released_find_questions(int64_t **ids, const pov_released_set *set, const char *path,
                                       pov_answer_log *log)
{
    const int len = pov_released_set_answers(set);
    question_index index = {.names = pov_name_set_new(),
                            .by_context = len > 0 && !pov_released_set_answer(set, 0)->key};
    *ids = pov_allocate((size_t)len + 1, sizeof **ids);
    pov_status status = pov_answer_log_each(log, index_question, &index);
    for (int i = 0; i < len && status.code == POV_OK; i++)
        status = find_answer(&(*ids)[i], &index, pov_released_set_answer(set, i), path);
    pov_name_set_destroy(&index.names);
    free(index.list);
    if (status.code == POV_OK)
        return status;
    free(*ids);
    *ids = NULL;
    return status;
}
