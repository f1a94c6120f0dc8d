/* Benchmarks of multiple choice by letters: their own rows with a model's answers, and pov's tables. A row's columns are named in several
 * ways, by the benchmarks and by the engines that run them; docs/BENCHMARKS.md lists them. */
#include "compare/scores/cogmap_score.h"
#include "compare/scores/number_score.h"
#include "compare/scores/paper_scores_internal.h"

#include "compare/statistics/name_set.h"
#include "config/files/grow.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum {
    GOLD,
    TYPE,
    OPTIONS,
    QUESTION,
    GROUP,
    MAP,
    GOLD_CAMERA,
    GOLD_PERSON,
    GOLD_OWN,
    GOLD_MIRRORED,
    UNIT,
    FIRST_OPTION,
    LETTERS = 6
};
_Static_assert(FIRST_OPTION + LETTERS <= POV_READER_COLUMNS, "a place for each");

POV_ENUM_NAMES(pov_fit_frame_name, pov_fit_frame, POV_FRAME_FIT_COUNT, "asked", "camera", "person", "own",
               "mirrored")

/* ---- columns ---- */

/* The first of several names, ended by NULL, that is a column other than `not`; -1. */
static int find_column(const pov_table *table, const char *const *names, int not )
{
    for (; *names; names++) {
        const int column = pov_table_column(table, *names);
        if (column >= 0 && column != not )
            return column;
    }
    return -1;
}

/* In the table of pov: `gold` and `answer`. Of others `answer` is the right one, unless another column is. */
static pov_status find_gold_and_answer(pov_paper_reader *r)
{
    static const char
        *const predictions[] = {"prediction", "Predicted Answer",  "predicted_answer", "predicted",
                                "pred",       "response",          "model_response",   "model_answer",
                                "output",     "cogmap_gen_answer", "cogmap_answer",    "plain_answer",
                                NULL},
               *const golds[] = {"gold",           "gt_answer",   "ground_truth", "Correct Answer",
                                 "correct_answer", "gold_answer", "label",        NULL},
               *const own[] = {"answer", "Answer", NULL};
    r->answer = find_column(r->table, predictions, -1);
    r->column[GOLD] = find_column(r->table, golds, r->answer);
    if (r->answer < 0 && r->column[GOLD] >= 0)
        r->answer = find_column(r->table, own, r->column[GOLD]);
    if (r->column[GOLD] < 0)
        r->column[GOLD] = find_column(r->table, own, r->answer);
    if (r->answer < 0)
        return pov_error("%s:1: no column 'prediction' (what the model said), or 'answer' beside 'gold'; see "
                         "docs/BENCHMARKS.md",
                         pov_table_name(r->table));
    return r->column[GOLD] >= 0 ? pov_ok()
                                : pov_cell_need_column(&r->column[GOLD], r->table, "answer",
                                                       "the right option, or its letter");
}

/* Rows of 3DSRBench that belong together: what all of one name must be right for. */
struct pov_choice_settings {
    pov_name_set *names; /* model, setting, group */
    struct setting_group {
        pov_grade grade; /* of all its rows together */
        char *label, *scene;
    } * list;
    int capacity;
};

static bool is_3dsrbench(const pov_paper_reader *r)
{
    return r->paper == POV_PAPER_CHOICES + POV_CHOICE_3DSRBENCH;
}

static bool has_variants(const pov_paper_reader *r)
{
    for (int row = 0; row < pov_table_len(r->table); row++)
        if (strchr(pov_table_cell(r->table, row, r->column[GROUP]), '-'))
            return true;
    return false;
}

pov_status pov_choice_find_columns(pov_paper_reader *r)
{
    static const char *const
        options[] = {"options", "choices", "answer_options", "candidates", "option", NULL},
        *const questions[] = {"question", "Question", NULL}, *const groups[] = {"qid", "index", NULL},
        *const maps[] = {"grounded_cogmap", "gold_cogmap", "cogmap", NULL},
        *const ids[] = {"id", "ID", "index", "qid", NULL}, *const units[] = {"gold_unit", "unit", NULL};
    const pov_choice_benchmark *benchmark = pov_paper_choice(r->paper);
    static const char *const golds[] = {"gold_camera", "gold_person", "gold_own", "gold_mirrored"};
    POV_TRY(find_gold_and_answer(r));
    r->column[TYPE] = find_column(r->table, benchmark->kind_names, -1);
    r->column[OPTIONS] = find_column(r->table, options, -1);
    r->column[QUESTION] = find_column(r->table, questions, -1);
    r->column[GROUP] = is_3dsrbench(r) ? find_column(r->table, groups, -1) : -1;
    r->column[UNIT] = find_column(r->table, units, -1);
    r->column[MAP] = find_column(r->table, maps, -1);
    r->id = find_column(r->table, ids, -1);
    for (int i = 0; i < 4; i++)
        r->column[GOLD_CAMERA + i] = pov_table_column(r->table, golds[i]);
    for (int i = 0; i < LETTERS; i++) {
        const char letter[] = {(char)('A' + i), '\0'};
        r->column[FIRST_OPTION + i] = pov_table_column(r->table, letter);
    }
    if (r->column[GROUP] >= 0 && has_variants(r)) {
        r->settings = pov_allocate(1, sizeof *r->settings);
        r->settings->names = pov_name_set_new();
    }
    return pov_ok();
}

/* Its first row names a kind of question. */
static bool has_kinds(const pov_choice_benchmark *benchmark, const pov_table *table)
{
    static const char *const options[] = {"options", "choices", "answer_options", "candidates", "A", NULL};
    bool has_options = !benchmark->needs_options;
    for (const char *const *name = options; *name; name++)
        has_options |= *pov_table_cell(table, 0, pov_table_column(table, *name)) != '\0';
    if (!has_options)
        return false;
    static const char *const ids[] = {"id", "index", NULL};
    for (const char *const *name = benchmark->kind_in_id ? ids : benchmark->kind_names; *name; name++)
        if (pov_choice_benchmark_has(benchmark, pov_table_cell(table, 0, pov_table_column(table, *name))))
            return true;
    return false;
}

bool pov_paper_of_choices(pov_paper *paper, const pov_table *table)
{
    for (int i = POV_PAPER_CHOICES; i < POV_PAPER_COUNT && pov_table_len(table) > 0; i++)
        if (has_kinds(pov_paper_choice((pov_paper)i), table)) {
            *paper = (pov_paper)i;
            return true;
        }
    *paper = (pov_paper)(POV_PAPER_CHOICES + POV_CHOICE_3DSRBENCH); /* whatever its first category is */
    return pov_table_column(table, "category") >= 0 &&
           (pov_table_column(table, "qid") >= 0 || pov_table_column(table, "A") >= 0);
}

/* ---- a row ---- */

static bool is_missing(const char *text)
{
    return !*text || strcasecmp(text, "nan") == 0 || strcasecmp(text, "none") == 0 ||
           strcasecmp(text, "null") == 0;
}

static pov_status read_options(pov_choice_list *list, const pov_paper_reader *r)
{
    size_t stem;
    *list = (pov_choice_list){.len = 0};
    const char *text = pov_reader_cell(r, r->column[OPTIONS]);
    if (!is_missing(text) && !pov_choice_list_read(list, text))
        return pov_cell_complain(
            r->table, r->row, r->column[OPTIONS],
            "'%.100s' is not a list of options: \"A. left\\nB. right\", \"left|right\" or "
            "[\"left\", \"right\"]",
            text);
    for (int i = 0; i < LETTERS && list->len == i; i++) {
        const char *option = pov_reader_cell(r, r->column[FIRST_OPTION + i]);
        if (!is_missing(option))
            (void)pov_choice_list_add(list, option, strlen(option));
    }
    if (list->len == 0)
        (void)pov_choice_list_read_end(list, &stem, pov_reader_cell(r, r->column[QUESTION]));
    pov_choice_benchmark_offer(pov_paper_choice(r->paper), list, pov_reader_cell(r, r->column[GOLD]));
    return pov_ok();
}

static const char *type_of(const pov_paper_reader *r)
{
    const char *type = pov_reader_cell(r, r->column[TYPE]),
               *named = *type ? NULL
                              : pov_choice_benchmark_kind_in(pov_paper_choice(r->paper),
                                                             pov_reader_cell(r, r->id));
    return named ? named : type;
}

/* "location" of "location_above": 3DSRBench's four groups of types; "": it is none. */
static const char *main_type_of(const char *type)
{
    static const char *const groups[] = {"height", "location", "orientation", "multi_object"};
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++)
        if (strncmp(type, groups[i], strlen(groups[i])) == 0)
            return groups[i];
    return "";
}

/* Finds the frames that an answer fits. The words of golds are compared, as options may leave some out. */
static void count_fits(pov_paper_extra *extra, const pov_paper_reader *r, const pov_choice_list *options,
                       int gold, int option)
{
    if (gold >= options->len || option < 0)
        return;
    const char *asked = options->text[gold], *said = options->text[option];
    for (int f = 0; f < POV_FRAME_FIT_COUNT; f++) {
        const char *word =
            f == POV_FRAME_FIT_ASKED ? asked : pov_reader_cell(r, r->column[GOLD_CAMERA + f - 1]);
        pov_frame_fit *fit = &extra->fit[f];
        if (!*word)
            continue;
        const bool fits = strcasecmp(word, said) == 0, apart = strcasecmp(word, asked) != 0;
        fit->known++;
        fit->fits += fits;
        fit->apart += apart;
        fit->alone += apart && fits;
    }
}

static pov_status count_map(const pov_paper_reader *r, const char *type)
{
    const char *right = pov_reader_cell(r, r->column[MAP]);
    pov_cogmap_grade grade;
    if (is_missing(right))
        return pov_ok();
    const pov_status status = pov_cogmap_compare(&grade, pov_reader_cell(r, r->answer), right);
    if (status.code != POV_OK)
        return pov_cell_complain(r->table, r->row, r->column[MAP], "%s", status.message);
    const char *const dimensions[2][2] = {{"all", ""}, {"type", type}};
    for (int i = 0; i < 2; i++) {
        pov_cogmap_tally *tally = &pov_reader_need_extra(r, dimensions[i][0], dimensions[i][1])->cogmap;
        tally->replies++;
        tally->parsable += grade.parsable;
        tally->valid += grade.valid;
        tally->coverage += grade.coverage;
        tally->directional += grade.directional;
        tally->facing += grade.facing;
        tally->overall += grade.overall;
    }
    return pov_ok();
}

/* ---- rows together ---- */

/* A question is right in a setting if all its rows are: mirrored ones, those with the options in other orders, both. */
static void add_to_group(const pov_paper_reader *r, const char *setting, const char *group,
                         const pov_grade *grade)
{
    struct pov_choice_settings *s = r->settings;
    const char *label = pov_reader_label(r, "setting", setting);
    char *name = pov_text_new("%s\t%s", label, group);
    const int known = pov_name_set_len(s->names), number = pov_name_set_add(s->names, name, strlen(name));
    free(name);
    POV_REQUIRE_MEMORY(pov_grow(&s->list, &s->capacity, number, sizeof *s->list));
    struct setting_group *one = &s->list[number];
    if (number == known)
        *one = (struct setting_group){
            {grade->kind, grade->score, NAN}, pov_text_new("%s", label), pov_text_new("%s", group)};
    else if (pov_answer_is_absent(grade->kind) && !pov_answer_is_absent(one->grade.kind))
        one->grade.kind = grade->kind; /* not all were asked: it cannot be scored */
    else if (!pov_answer_is_absent(one->grade.kind))
        one->grade =
            (pov_grade){grade->kind == POV_ANSWER_GIVEN ? one->grade.kind : grade->kind,
                        fmin(one->grade.score, grade->kind == POV_ANSWER_GIVEN ? grade->score : 0), NAN};
}

/* "VIN6MS3J-flip-1": of the question VIN6MS3J, mirrored, the options turned by one. */
static void add_settings(const pov_paper_reader *r, const pov_grade *grade)
{
    const char *qid = pov_reader_cell(r, r->column[GROUP]), *flip = strstr(qid, "-flip");
    const size_t base = strcspn(qid, "-");
    const char *turned = flip ? flip + strlen("-flip") : qid + base;
    char *group = pov_text_new("%.*s%s", (int)base, qid, turned);
    pov_reader_add_grade(r, "setting", "vanilla", grade);
    add_to_group(r, "flip", group, grade);
    free(group);
    group = pov_text_new("%.*s%s", (int)base, qid, flip ? "-flip" : "");
    add_to_group(r, "circular", group, grade);
    free(group);
    group = pov_text_new("%.*s", (int)base, qid);
    add_to_group(r, "flip and circular", group, grade);
    free(group);
}

void pov_choice_finish(pov_paper_reader *r)
{
    struct pov_choice_settings *s = r->settings;
    if (!s)
        return;
    for (int i = 0; i < pov_name_set_len(s->names); i++) {
        pov_tally_add(r->scores->tally, s->list[i].label, "", s->list[i].scene, &s->list[i].grade);
        free(s->list[i].label);
        free(s->list[i].scene);
    }
    free(s->list);
    pov_name_set_destroy(&s->names);
    free(s);
    r->settings = NULL;
}

/* The mean relative accuracy of a number, in the row's unit or its kind's. */
static pov_status grade_number(pov_grade *grade, const pov_paper_reader *r, const char *unit)
{
    const char *named = pov_reader_cell(r, r->column[UNIT]);
    double gold;
    POV_TRY(pov_cell_number(&gold, r->table, r->row, r->column[GOLD], 0, 1e9));
    if (isnan(gold))
        return pov_cell_complain(r->table, r->row, r->column[GOLD], "is empty: it is the right number");
    const pov_status status =
        pov_number_grade(grade, pov_reader_cell(r, r->answer), gold, *named ? named : unit);
    return status.code == POV_OK ? status
                                 : pov_cell_complain(r->table, r->row, r->column[UNIT], "%s", status.message);
}

/* "2" of a benchmark that counts options from 0. */
static int find_gold(const pov_choice_benchmark *benchmark, const pov_choice_list *options, const char *gold)
{
    const int found = pov_choice_list_gold(options, gold);
    char *end;
    const long index = strtol(gold, &end, 10);
    bool counts = false;
    for (const pov_choice_field *field = benchmark->fields; field->name; field++)
        counts |= field->kind == POV_FIELD_GOLD_INDEX;
    return found < 0 && counts && *gold && !*end && index >= 0 && index < options->len ? (int)index : found;
}

static pov_status grade_choice(pov_grade *grade, const pov_paper_reader *r, const pov_choice_list *options,
                               const char *type)
{
    const pov_choice_benchmark *benchmark = pov_paper_choice(r->paper);
    const int gold = find_gold(benchmark, options, pov_reader_cell(r, r->column[GOLD]));
    int option;
    if (gold < 0)
        return pov_cell_complain(r->table, r->row, r->column[GOLD],
                                 "'%.60s' is not one of the options, nor a letter of one",
                                 pov_reader_cell(r, r->column[GOLD]));
    const pov_answer_kind kind = pov_choice_benchmark_read(&option, benchmark, pov_reader_cell(r, r->answer),
                                                           options, r->aids->released);
    const bool is_open = options->len == 0 || (benchmark->in_words && options->len == 1);
    *grade = (pov_grade){kind, option == gold, is_open ? NAN : 1.0 / options->len};
    count_fits(pov_reader_need_extra(r, "all", ""), r, options, gold, option);
    if (*type)
        count_fits(pov_reader_need_extra(r, "type", type), r, options, gold, option);
    return pov_ok();
}

static pov_status grade_row(const pov_paper_reader *r, const pov_choice_list *options, const char *type)
{
    const char *unit = options->len > 0 ? NULL : pov_choice_benchmark_unit(pov_paper_choice(r->paper), type);
    pov_grade grade;
    POV_TRY(unit ? grade_number(&grade, r, unit) : grade_choice(&grade, r, options, type));
    pov_reader_add_grade(r, "all", "", &grade);
    if (*type)
        pov_reader_add_grade(r, "type", type, &grade);
    if (is_3dsrbench(r) && *type && !*main_type_of(type))
        return pov_cell_complain(
            r->table, r->row, r->column[TYPE],
            "'%.60s' is not a category of 3DSRBench: they begin with height_, location_, "
            "orientation_ or multi_object_",
            type);
    if (is_3dsrbench(r) && *type)
        pov_reader_add_grade(r, "group", main_type_of(type), &grade);
    if (r->settings)
        add_settings(r, &grade);
    return count_map(r, type);
}

pov_status pov_choice_add_row(const pov_paper_reader *r)
{
    pov_choice_list options;
    POV_TRY(read_options(&options, r));
    const pov_status status = grade_row(r, &options, type_of(r));
    pov_choice_list_free(&options);
    return status;
}
