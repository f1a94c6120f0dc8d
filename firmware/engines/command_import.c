#include "compare/log/engine_results.h"
#include "compare/statistics/name_set.h"
#include "compare/vlm/answer_form.h"
#include "config/files/grow.h"
#include "firmware/commands.h"
#include "firmware/comparison/log_folder.h"
#include "firmware/engines/dataset.h"
#include "firmware/engines/released_import.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILE_BYTES_MAX = 1 << 30, MODEL_CAPACITY = 256 };

typedef struct {
    const char *model, *images;
} arguments;

static int run(int argc, char **argv);

static const pov_option option_table[] = {
    POV_TEXT(arguments, model, "model", "NAME", "the model that answered (as the engine's files are named)"),
    POV_PATH(arguments, images, "images", "FOLDER",
             "where the images of a paper's released set are, such as COCO's; without it models cannot be "
             "asked about them, but answers be imported"),
    POV_OPTIONS_END,
};

const pov_command pov_command_import = {
    .name = "import",
    .summary = "answers of an evaluation engine, or a paper's released set, into a log",
    .run = run,
    .usage = "RUN_DIR|LOG RESULTS... [OPTIONS]",
    .about =
        "Reads the answers to a dataset that 'pov export' wrote into the log it was made of: VLMEvalKit's "
        "tables "
        "(PRED_FORMAT=tsv), lmms-eval's sample logs (--log_samples), or JSON (lines or an array) with 'id' "
        "and 'answer' or "
        "'p_yes'. 'pov compare', 'pov report' and the dashboard then show them as if the model had been "
        "asked "
        "live. VSR's, SPHERE's, FoREST's, and the newer benchmarks' (docs/BENCHMARKS.md) released files "
        "become questions with their right answers, in a "
        "folder of their own, which is made; so do the answers that such files hold. "
        "A file is read whole or not at all; reading it again changes nothing (docs/ENGINES.md).",
    .options = option_table,
    .words = {.min = 2, .max = 4096, .wanted = "expected a folder, and files of answers or of a paper's set"},
    .examples = "pov import tonight outputs/llava/T20260101-120000/*.tsv\n"
                "pov import tonight results/llava/*_samples_pov_*.jsonl\n"
                "pov import tonight answers.jsonl --model mine\n"
                "pov import vsr test.jsonl --images coco/train2017\n"
                "pov import forest A-split_QA_camera_total.json\n"
                "pov import forest QA_gpt-4o_4-shot.csv --model gpt-4o",
    .exits = "0 done; 1 a file cannot be read, or is not about this sweep",
};

typedef struct {
    const char *model;  /* NULL: as files are named */
    const char *images; /* of released sets; NULL: none */
    const pov_log_folder *folder;
    pov_answer_log *log;
    pov_languages *languages;
    pov_name_set *ids;
    struct known_question {
        int64_t id;
        pov_answer_form form;
    } * known; /* [id in ids] */
    int capacity;
    int64_t added, doubled, before; /* answers; two in a file; there already */
} importer;

/* ---- the log's questions ---- */

static pov_status meet_question(void *context, pov_answer_row *row)
{
    importer *im = context;
    char id[POV_DATASET_ID_CAPACITY];
    const int before = pov_name_set_len(im->ids);
    pov_dataset_id(id, &row->image, &row->question);
    const int number = pov_name_set_add(im->ids, id, strlen(id));
    if (number < before)
        return pov_ok();
    if (!pov_grow(&im->known, &im->capacity, number, sizeof *im->known))
        return pov_error("import: out of memory");
    im->known[number].id = row->question.id;
    return pov_answer_form_of(&im->known[number].form, im->languages, &row->question);
}

static pov_status meet_questions(importer *im)
{
    if (!im->languages)
        POV_TRY(pov_languages_new(&im->languages, NULL));
    im->ids = pov_name_set_new();
    return pov_answer_log_each(im->log, meet_question, im);
}

/* ---- one file ---- */

typedef struct {
    int question; /* in ids */
    const pov_engine_answer *answer;
} matched;

static int by_question(const void *a, const void *b)
{
    const matched *x = a, *y = b;
    return x->question != y->question
               ? (x->question < y->question ? -1 : 1)
               : (x->answer->line > y->answer->line) - (x->answer->line < y->answer->line);
}

/* In the order of questions, however the engine's processes took turns. */
static pov_status match_answers(const importer *im, matched *list, const pov_engine_answers *answers,
                                const char *path)
{
    const int len = pov_engine_answers_len(answers);
    for (int i = 0; i < len; i++) {
        const pov_engine_answer *answer = pov_engine_answers_at(answers, i);
        list[i] = (matched){pov_name_set_find(im->ids, answer->id, strlen(answer->id)), answer};
        if (list[i].question < 0)
            return pov_error(
                "%s:%d: answers a question that this log does not have (%.100s): name the sweep that the "
                "dataset was made of. Nothing of this file was taken",
                path, answer->line, answer->id);
    }
    qsort(list, (size_t)len, sizeof *list, by_question);
    return pov_ok();
}

/* The answer as the log keeps it. */
static void describe_result(pov_log_result *result, pov_yes_no *yes_no, pov_vlm_answer *room,
                            const struct known_question *question, const pov_engine_answer *answer)
{
    const bool is_yes_no = question->form.is_yes_no || question->form.is_true_false;
    result->question = question->id;
    result->outcome = "answered";
    result->kind = "none";
    result->cause = "";
    result->p = result->mass = NAN;
    result->text = answer->text;
    if (answer->failed) {
        result->outcome = "unreachable";
        result->cause = answer->text;
    } else if (is_yes_no && !isnan(answer->p)) {
        result->kind = pov_yes_no_kind_name(POV_YES_NO_TOKENS);
        result->p = answer->p;
    } else {
        memset(room, 0, sizeof *room);
        room->text = answer->text ? answer->text : "";
        pov_answer_form_score(result, yes_no, &question->form, room, POV_YES_NO_MASS_MIN, true);
    }
}

static pov_status add_answers(importer *im, const matched *list, int len, const pov_log_result *like)
{
    pov_vlm_answer *room = malloc(sizeof *room);
    pov_status status = room ? pov_ok() : pov_error("import: out of memory");
    for (int i = 0; i < len && status.code == POV_OK; i++) {
        pov_log_result result = *like;
        pov_yes_no yes_no;
        bool added;
        if (i > 0 && list[i].question == list[i - 1].question) {
            im->doubled++;
            continue;
        }
        describe_result(&result, &yes_no, room, &im->known[list[i].question], list[i].answer);
        status = pov_answer_log_add_first(im->log, &added, &result);
        im->added += added;
        im->before += status.code == POV_OK && !added;
    }
    free(room);
    return status;
}

static bool has_likelihoods(const pov_engine_answers *answers)
{
    for (int i = 0; i < pov_engine_answers_len(answers); i++)
        if (!isnan(pov_engine_answers_at(answers, i)->p))
            return true;
    return false;
}

static pov_status take_answers(importer *im, matched *list, const pov_engine_answers *answers,
                               const char *path)
{
    char model[MODEL_CAPACITY], settings[64];
    struct stat info;
    const pov_engine engine = pov_engine_answers_of(answers);
    pov_log_result like = {.endpoint = pov_engine_name(engine), .attempts = 1};
    if (!im->model && !pov_engine_model_of(model, sizeof model, path, engine))
        return pov_error("%s: its path names no model; give one with --model", path);
    snprintf(settings, sizeof settings, "imported: %s, %s", pov_engine_name(engine),
             has_likelihoods(answers) ? "likelihoods" : "words");
    if (stat(path, &info) == 0)
        like.answered_ns = (int64_t)info.st_mtim.tv_sec * 1000000000 + info.st_mtim.tv_nsec;
    POV_TRY(match_answers(im, list, answers, path));
    POV_TRY(pov_answer_log_begin(im->log));
    pov_status status = pov_answer_log_model(im->log, &like.model, im->model ? im->model : model, settings);
    POV_THEN(status, add_answers(im, list, pov_engine_answers_len(answers), &like));
    return pov_answer_log_finish(im->log, status);
}

static pov_status import_answers(importer *im, const char *path, const pov_bytes *bytes)
{
    pov_engine_answers *answers = NULL;
    matched *list = NULL;
    if (!im->ids)
        POV_TRY(meet_questions(im));
    pov_status status = pov_engine_answers_parse(&answers, path, (const char *)bytes->data, bytes->length);
    if (status.code == POV_OK && !(list = calloc((size_t)pov_engine_answers_len(answers), sizeof *list)))
        status = pov_error("%s: out of memory", path);
    POV_THEN(status, take_answers(im, list, answers, path));
    free(list);
    pov_engine_answers_destroy(&answers);
    return status;
}

/* ---- a paper's released file ---- */

/* Before anything is written. */
static pov_status check_models(const importer *im, const pov_released_set *set, const char *path)
{
    for (int i = 0; i < pov_released_set_answers(set) && !im->model; i++)
        if (!pov_released_set_answer(set, i)->model)
            return pov_error("%s: names no model; give one with --model", path);
    return pov_ok();
}

static pov_status add_released_answer(importer *im, pov_log_result *result, const pov_released_answer *answer)
{
    bool added;
    POV_TRY(pov_answer_log_model(im->log, &result->model, im->model ? im->model : answer->model,
                                 "imported: released file, words"));
    result->text = answer->text;
    POV_TRY(pov_answer_log_add_first(im->log, &added, result));
    im->added += added;
    im->before += !added;
    return pov_ok();
}

static pov_status take_released_answers(importer *im, const pov_released_set *set, const char *path)
{
    struct stat info;
    int64_t *questions;
    pov_log_result result = {.outcome = "answered",
                             .kind = "text",
                             .cause = "",
                             .p = NAN,
                             .mass = NAN,
                             .endpoint = "released",
                             .attempts = 1};
    if (stat(path, &info) == 0)
        result.answered_ns = (int64_t)info.st_mtim.tv_sec * 1000000000 + info.st_mtim.tv_nsec;
    POV_TRY(pov_released_find_questions(&questions, set, path, im->log));
    pov_status status = pov_answer_log_begin(im->log);
    for (int i = 0; i < pov_released_set_answers(set) && status.code == POV_OK; i++) {
        result.question = questions[i];
        status = add_released_answer(im, &result, pov_released_set_answer(set, i));
    }
    free(questions);
    return pov_answer_log_finish(im->log, status);
}

static pov_status import_released(importer *im, const char *path, const pov_bytes *bytes)
{
    pov_released_set *set;
    pov_released_import import = {.path = path, .images = im->images};
    POV_TRY(pov_released_set_parse(&set, path, (const char *)bytes->data, bytes->length));
    pov_status status = check_models(im, set, path);
    if (status.code == POV_OK && pov_released_set_len(set) > 0)
        status = pov_released_add_questions(&import, set, im->log, im->folder);
    if (status.code == POV_OK && pov_released_set_answers(set) > 0)
        status = take_released_answers(im, set, path);
    if (status.code == POV_OK && pov_released_set_len(set) > 0)
        printf("%s: %" PRId64 " questions of %s, set %s", path, import.questions,
               pov_released_form_name(pov_released_set_form(set)), pov_released_set_name(set));
    if (status.code == POV_OK && pov_released_set_len(set) > import.questions)
        printf(", %" PRId64 " more that the log has already", pov_released_set_len(set) - import.questions);
    if (status.code == POV_OK && pov_released_set_repeated(set) > 0)
        printf(", %d more that the file has twice", pov_released_set_repeated(set));
    if (status.code == POV_OK && pov_released_set_len(set) > 0)
        putchar('\n');
    pov_released_set_destroy(&set);
    pov_name_set_destroy(&im->ids); /* the log has more questions now */
    return status;
}

/* ---- the whole ---- */

static pov_status import_file(importer *im, const char *path)
{
    pov_bytes bytes = {0};
    im->added = im->doubled = im->before = 0;
    POV_TRY(pov_read_file(&bytes, path, FILE_BYTES_MAX, "a file of answers"));
    const bool is_released = pov_released_is_one((const char *)bytes.data, bytes.length);
    const pov_status status =
        is_released ? import_released(im, path, &bytes) : import_answers(im, path, &bytes);
    pov_bytes_free(&bytes);
    if (status.code != POV_OK || (is_released && im->added + im->before == 0))
        return status;
    printf("%s: %" PRId64 " answers", path, im->added);
    if (im->before > 0)
        printf(", %" PRId64 " more that the log has already", im->before);
    if (im->doubled > 0)
        printf(", %" PRId64 " more that the file has twice", im->doubled);
    putchar('\n');
    return pov_ok();
}

/* A paper's set may begin a folder; answers cannot. */
static pov_status find_begins(bool *begins, const pov_words *words)
{
    *begins = false;
    for (int i = 1; i < words->len && !*begins; i++) {
        pov_bytes bytes = {0};
        POV_TRY(pov_read_file(&bytes, words->word[i], FILE_BYTES_MAX,
                              "a file of answers, or a paper's released set"));
        *begins = pov_released_is_one((const char *)bytes.data, bytes.length);
        pov_bytes_free(&bytes);
    }
    if (!*begins && access(words->word[0], F_OK) != 0)
        return pov_error(
            "%s: by its keys it is not a released set of a paper (docs/ENGINES.md), and as a file of answers "
            "it "
            "needs "
            "a log with their questions, which %s is not ('pov sweep' and 'pov export --dataset' make one)",
            words->word[1], words->word[0]);
    return pov_ok();
}

static int run(int argc, char **argv)
{
    arguments args = {.model = NULL};
    pov_words words;
    POV_OR_EXIT(pov_command_read(&args, &words, &pov_command_import, argc, argv));
    pov_log_folder folder;
    importer im = {.model = args.model, .images = args.images, .folder = &folder};
    bool begins;
    const pov_status kind = find_begins(&begins, &words);
    if (kind.code != POV_OK)
        return pov_cli_fail(kind);
    if (args.images && !begins)
        return pov_cli_usage("import",
                             "--images goes with a paper's released set of questions; these are answers");
    pov_status status = pov_log_folder_open(&folder, words.word[0], "pov sweep", begins);
    if (status.code != POV_OK)
        return pov_cli_fail(status);
    status = pov_answer_log_new(&im.log, folder.log_path, begins ? POV_LOG_MAY_CREATE : POV_LOG_MUST_EXIST);
    for (int i = 1; i < words.len && status.code == POV_OK; i++)
        status = import_file(&im, words.word[i]);
    pov_answer_log_destroy(&im.log);
    pov_name_set_destroy(&im.ids);
    pov_languages_destroy(&im.languages);
    free(im.known);
    if (status.code == POV_OK)
        pov_log_folder_close(&folder);
    else
        pov_log_folder_close_failed(&folder);
    return pov_cli_exit(status);
}
