/* pov study questions: a person answers the questions that models were asked about the same images, blind, in an order of the person's
 * own. The answers stand in the log beside the models'. */
#include "firmware/study/command_study.h"

#include "compare/log/answer_log.h"
#include "compare/vlm/answer_form.h"
#include "config/files/grow.h"
#include "config/files/json_value.h"
#include "config/files/text.h"
#include "firmware/cli.h"
#include "firmware/clock.h"
#include "firmware/comparison/log_folder.h"
#include "firmware/picture/image_thumbnail.h"
#include "firmware/station/question_choice.h"
#include "firmware/study/study_voice.h"
#include "perception/hash.h"

#include <cJSON.h>
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>

enum { PICTURE_PX = 1024, WAIT_MS = 50 };
#define CANNOT_TELL "I cannot tell"

typedef struct {
    const char *person;
    int paper; /* pov_benchmark; -1: all */
    uint64_t seed;
    bool json;
    pov_dashboard_place dashboard;
} questions_options;

static int run(int argc, char **argv);

static const pov_option option_table[] = {
    POV_TEXT(questions_options, person, "person", "NAME", "the person: a pseudonym", .required = true),
    POV_CHOICE(questions_options, paper, "paper", "NAME", pov_choice_benchmark_names,
               "only its questions (those of all papers)"),
    POV_COUNT(questions_options, seed, "seed", "N", 0, INFINITY, "of the order, with the person's name (1)"),
    POV_TAKEN(questions_options, dashboard.at, "dashboard", "[HOST:]PORT", pov_http_place_take,
              "a page with the image and a button for each answer, for a keyboard or a phone"),
    POV_FLAG(questions_options, json, "json", "a JSON object a line"),
    POV_OPTIONS_END,
};

const pov_command pov_command_study_questions = {
    .name = "study questions",
    .summary = "people answer the questions that models were asked: a human baseline",
    .run = run,
    .usage = "RUN_DIR|LOG --person NAME [OPTIONS]",
    .about =
        "Shows a sweep's images and their questions one by one, in an order of the person's own, without "
        "the right answers and what models said. Each answer is kept before the next question is shown; the "
        "same command goes on after a stop. In scores and reports the person is a row beside the models "
        "(\"person NAME\"), with Cohen's kappa. Lines on standard input are answers, too: its number, its "
        "words, 'back'.",
    .options = option_table,
    .words = {.min = 1, .max = 1, .wanted = "expected one folder of a sweep, or its log"},
    .examples = "pov study questions tonight --person anna --dashboard 8080\n"
                "pov study questions tonight --person anna --paper comfort",
    .exits = "0 ended as asked; 1 a file failed, or a line was not an answer",
};

/* A question that waits. */
typedef struct {
    pov_log_place place;
    uint64_t rank; /* its place in the person's order */
} item;

typedef struct {
    const questions_options *options;
    const pov_log_folder *folder;
    pov_answer_log *log;
    pov_languages *languages;
    pov_image_thumbnail *thumbnail;
    pov_dashboard *dashboard; /* NULL: lines of standard input only */
    int64_t model;
    item *items;
    int len, capacity, at, answered, refused, left_out;
    int64_t shown_ns;
    cJSON *shown;         /* the question at hand, as the page gets it */
    pov_answer_form form; /* of it */
} asking;

/* ---- which questions, in which order ---- */

static uint64_t rank_of(const questions_options *options, int64_t question)
{
    const uint64_t person = pov_hash_value(pov_hash_text(POV_HASH_START, options->person), options->seed);
    const uint64_t hash = pov_hash_value(person, (uint64_t)question);
    return (hash ^ (hash >> 29)) * 0xbf58476d1ce4e5b9u;
}

static int compare_items(const void *a, const void *b)
{
    const item *one = a, *other = b;
    return (one->rank > other->rank) - (one->rank < other->rank);
}

/* As it is: a condition ("en+cot") is for models. Boxes are not answered in words. */
static bool is_for_people(const asking *a, const pov_log_question *question)
{
    const char *paper = a->options->paper >= 0 ? pov_benchmark_name((pov_benchmark)a->options->paper) : NULL;
    return !strchr(question->language, '+') && strcmp(question->form, "layout") != 0 &&
           (!paper || strcmp(paper, question->paper) == 0);
}

static pov_status collect_items(asking *a)
{
    pov_log_place place = {0};
    pov_log_question question;
    pov_log_image_file image;
    pov_status status;
    while ((status = pov_answer_log_pending(a->log, &question, &image, a->model, place)).code == POV_OK) {
        place = (pov_log_place){question.image, question.id};
        if (!is_for_people(a, &question)) {
            a->left_out++;
            continue;
        }
        POV_REQUIRE_MEMORY(pov_grow(&a->items, &a->capacity, a->len, sizeof *a->items));
        a->items[a->len++] = (item){place, rank_of(a->options, question.id)};
    }
    if (a->len > 0)
        qsort(a->items, (size_t)a->len, sizeof *a->items, compare_items);
    return status.code == POV_END ? pov_ok() : status;
}

/* ---- one question ---- */

static void add_choice(cJSON *choices, const char *word)
{
    char *text = pov_text_new("%s", word);
    if (*text >= 'a' && *text <= 'z')
        *text = (char)(*text - 'a' + 'A');
    cJSON_AddItemToArray(choices, cJSON_CreateString(text));
    free(text);
}

/* "left|right|front|back"; those that a question offers stand in its columns. */
static void add_choices(cJSON *choices, const char *joined)
{
    char *copy = pov_text_new("%s", joined), *rest = copy;
    for (char *word; *copy && (word = strsep(&rest, "|"));)
        add_choice(choices, word);
    free(copy);
}

static void describe_answers(asking *a, const pov_log_question *question)
{
    cJSON *choices = cJSON_AddArrayToObject(a->shown, "choices");
    cJSON *columns = question->columns ? pov_json_parse_text(question->columns) : NULL;
    const bool cardinals = strcmp(question->form, "cardinals") == 0,
               sides = strcmp(question->form, "sides") == 0;
    if (a->form.is_true_false)
        add_choices(choices, "true|false");
    else if (a->form.is_yes_no) {
        const pov_yes_no_words words = pov_language_words(a->form.language);
        add_choice(choices, words.yes[0]);
        add_choice(choices, words.no[0]);
    } else if (strcmp(question->form, "option") == 0)
        add_choices(choices, pov_json_text_of(columns, "options"));
    else if (cardinals)
        add_choices(choices, "north|east|south|west");
    else if (sides)
        add_choices(choices, "front|right|back|left");
    cJSON_AddBoolToObject(a->shown, "several", cardinals || sides);
    cJSON_AddBoolToObject(a->shown, "number", strcmp(question->form, "number") == 0);
    cJSON_Delete(columns);
}

/* A copy of the image as a data URI, without the file's name, which may tell the angle. */
static pov_status add_picture(asking *a, const pov_log_image_file *image)
{
    char path[POV_LOG_PATH_CAPACITY + 260];
    const char *uri = "";
    pov_bytes bytes = {0};
    pov_status status = pov_ok();
    if (*image->path) {
        snprintf(path, sizeof path, "%s/%s", a->folder->path, image->path);
        status = pov_log_folder_load(&bytes, a->folder->path, image->path, image->sha256);
        pov_bytes_free(&bytes);
        POV_THEN(status, pov_image_thumbnail_make(a->thumbnail, &uri, path, ""));
    }
    if (status.code == POV_OK)
        cJSON_AddStringToObject(a->shown, "picture", uri);
    return status;
}

static pov_status fetch_question(asking *a, pov_log_question *question, pov_log_image_file *image)
{
    const pov_log_place place = a->items[a->at].place;
    const pov_status status = pov_answer_log_pending(a->log, question, image, a->model,
                                                     (pov_log_place){place.image, place.question - 1});
    if (status.code == POV_OK && question->id == place.question)
        return status;
    return status.code == POV_ERROR
               ? status
               : pov_error("question %lld is gone from the log", (long long)place.question);
}

static void show_page(asking *a)
{
    char *text = a->dashboard ? cJSON_PrintUnformatted(a->shown) : NULL;
    if (text)
        pov_dashboard_show_study(a->dashboard, text, NULL);
    cJSON_free(text);
}

/* On standard output without the picture. */
static void tell_question(const asking *a)
{
    cJSON *told = cJSON_Duplicate(a->shown, true), *choice;
    cJSON_DeleteItemFromObject(told, "picture");
    if (a->options->json) {
        pov_json_print_line(stdout, told);
        fflush(stdout);
        return;
    }
    printf("%s\n", pov_json_text_of(told, "question"));
    int number = 0;
    cJSON_ArrayForEach(choice, cJSON_GetObjectItem(told, "choices"))
        printf("  %d %s\n", ++number, choice->valuestring);
    fflush(stdout);
    cJSON_Delete(told);
}

static pov_status show_question(asking *a)
{
    pov_log_question question;
    pov_log_image_file image;
    cJSON_Delete(a->shown);
    a->shown = cJSON_CreateObject();
    const bool is_over = a->at >= a->len;
    cJSON_AddStringToObject(a->shown, "state", is_over ? "finished" : "asking");
    cJSON_AddNumberToObject(a->shown, "left", a->len - a->at);
    cJSON_AddNumberToObject(a->shown, "number_of", a->at);
    if (!is_over) {
        POV_TRY(fetch_question(a, &question, &image));
        POV_TRY(pov_answer_form_of(&a->form, a->languages, &question));
        cJSON_AddStringToObject(a->shown, "question", question.prompt);
        describe_answers(a, &question);
        POV_TRY(add_picture(a, &image));
        tell_question(a);
    }
    a->shown_ns = pov_clock_monotonic_ns();
    show_page(a);
    return pov_ok();
}

/* ---- an answer ---- */

static bool is_choice(const asking *a, const char *text)
{
    const cJSON *choice;
    cJSON_ArrayForEach(choice,
                       cJSON_GetObjectItem(a->shown, "choices")) if (strcasecmp(choice->valuestring, text) ==
                                                                     0) return true;
    return false;
}

/* "Front, left": of several each must be one. */
static bool are_choices(const asking *a, const char *text)
{
    char *copy = pov_text_new("%s", text), *rest = copy;
    bool good = *copy != '\0';
    for (char *word; good && (word = strsep(&rest, ","));) {
        word += strspn(word, " ");
        good = is_choice(a, word);
    }
    free(copy);
    return good;
}

/* The answer in words; NULL: it is none. `text` may be a choice's number. */
static const char *answer_of(const asking *a, const char *text)
{
    const cJSON *choices = cJSON_GetObjectItem(a->shown, "choices");
    const bool wants_number = cJSON_IsTrue(cJSON_GetObjectItem(a->shown, "number")),
               is_number = *text && text[strspn(text, "0123456789")] == '\0' && strlen(text) <= 6;
    const cJSON *choice = is_number ? cJSON_GetArrayItem(choices, atoi(text) - 1) : NULL;
    if (strcasecmp(text, CANNOT_TELL) == 0)
        return CANNOT_TELL;
    if (wants_number)
        return is_number ? text : NULL;
    if (choice)
        return choice->valuestring;
    const bool several = cJSON_IsTrue(cJSON_GetObjectItem(a->shown, "several"));
    return (several ? are_choices(a, text) : is_choice(a, text)) ? text : NULL;
}

static pov_status keep_answer(asking *a, const char *text)
{
    pov_yes_no yes_no;
    pov_vlm_answer *answer = pov_allocate(1, sizeof *answer);
    pov_log_result result = {.question = a->items[a->at].place.question,
                             .model = a->model,
                             .answered_ns = pov_clock_unix_ns(),
                             .outcome = "answered",
                             .cause = "",
                             .p = NAN,
                             .mass = NAN,
                             .text = text,
                             .endpoint = "person",
                             .attempts = 1,
                             .latency_ns = pov_clock_monotonic_ns() - a->shown_ns};
    bool added;
    answer->text = text;
    pov_answer_form_score(&result, &yes_no, &a->form, answer, POV_YES_NO_MASS_MIN, true);
    pov_status status = pov_answer_log_add_first(a->log, &added, &result);
    free(answer);
    if (status.code != POV_OK)
        return status;
    a->at++;
    a->answered++;
    return show_question(a);
}

/* The last answer of this session is taken back, and its question asked again. */
static pov_status go_back(asking *a)
{
    if (a->at == 0)
        return pov_ok();
    a->at--;
    a->answered--;
    POV_TRY(pov_answer_log_take_back(a->log, a->items[a->at].place.question, a->model));
    return show_question(a);
}

/* The page says which question a line is for: a second press must not answer the next one. */
static const char *take_number(const asking *a, const char *line, bool *is_for_another)
{
    char *end;
    *is_for_another = false;
    if (strncmp(line, "for ", 4) != 0)
        return line;
    *is_for_another = strtol(line + 4, &end, 10) != a->at || *end != ' ';
    return *end == ' ' ? end + 1 : end;
}

static pov_status take_line(asking *a, const char *line)
{
    bool is_for_another;
    const char *text = take_number(a, line, &is_for_another);
    if (is_for_another)
        return pov_ok();
    if (strcmp(text, "back") == 0)
        return go_back(a);
    const char *answer = a->at < a->len ? answer_of(a, text) : NULL;
    if (answer)
        return keep_answer(a, answer);
    pov_cli_warn("'%.40s' is not an answer to this question; '" CANNOT_TELL "' is one to all", text);
    a->refused++;
    return pov_ok();
}

static pov_status take_lines(asking *a)
{
    pov_lines input = {.fd = STDIN_FILENO};
    char line[POV_LINE_CAPACITY];
    POV_TRY(show_question(a));
    while (a->at < a->len && !pov_cli_stop_requested()) {
        bool has = pov_lines_take(&input, line, WAIT_MS);
        if (!has && a->dashboard)
            has = pov_dashboard_take_line(a->dashboard, line, sizeof line);
        if (!has && input.ended && !a->dashboard)
            break;
        if (!has && input.ended)
            nanosleep(&(struct timespec){.tv_nsec = WAIT_MS * 1000000}, NULL);
        if (has && *line)
            POV_TRY(take_line(a, line));
    }
    return pov_ok();
}

/* ---- the whole ---- */

static pov_status ask_person(asking *a)
{
    char *name = pov_text_new(POV_PERSON_PREFIX "%s", a->options->person);
    pov_status status = pov_answer_log_new(&a->log, a->folder->log_path, POV_LOG_MUST_EXIST);
    POV_THEN(status, pov_languages_new(&a->languages, NULL));
    POV_THEN(status, pov_image_thumbnail_new(&a->thumbnail, PICTURE_PX));
    POV_THEN(status, pov_answer_log_model(a->log, &a->model, name, "a person"));
    POV_THEN(status, collect_items(a));
    POV_THEN(status, take_lines(a));
    cJSON_Delete(a->shown);
    free(a->items);
    pov_image_thumbnail_destroy(&a->thumbnail);
    pov_languages_destroy(&a->languages);
    pov_answer_log_destroy(&a->log);
    free(name);
    return status;
}

static int ask_all(const questions_options *o, const char *path)
{
    pov_log_folder folder;
    asking a = {.options = o, .folder = &folder};
    pov_status status = pov_log_folder_open(&folder, path, "pov sweep", false);
    if (status.code != POV_OK)
        return pov_cli_fail(status);
    status = pov_study_open_page(&a.dashboard, &o->dashboard);
    POV_THEN(status, ask_person(&a));
    pov_study_close_page(&a.dashboard);
    pov_log_folder_close(&folder);
    if (status.code != POV_OK)
        return pov_cli_fail(status);
    if (!o->json)
        fprintf(stderr, "%s: %d questions answered, %d left%s\n", o->person, a.answered, a.len - a.at,
                a.left_out > 0 ? "; conditions for models and layouts are not asked" : "");
    return a.refused == 0 ? POV_EXIT_OK
                          : pov_cli_fail(pov_error("%d lines were no answer; see the warnings", a.refused));
}

static int run(int argc, char **argv)
{
    questions_options o = {.paper = -1, .seed = 1};
    pov_words words;
    POV_OR_EXIT(pov_command_read(&o, &words, &pov_command_study_questions, argc, argv));
    pov_cli_catch_signals();
    return ask_all(&o, words.word[0]);
}

int pov_study_validate(const char *path, const char *rater, bool json, const pov_dashboard_place *dashboard)
{
    return ask_all(
        &(questions_options){
            .person = rater, .paper = POV_BENCHMARK_VSR, .seed = 1, .json = json, .dashboard = *dashboard},
        path);
}
