#include "compare/scoring/answer_unit.h"

#include "compare/questions/prompt_condition.h"
#include "config/files/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MODEL, IMAGE, ID, QID, FLIP, CIRCULAR, LANGUAGE, SCENE, VARIANT, ORDER, OPTIONS, KIND };
static const char *const names[POV_UNIT_COLUMNS] = {"model",   "image",         "id",       "qid",
                                                    "flip",    "circular",      "language", "scene",
                                                    "variant", "options_order", "options",  "kind"};

static const char *cell_of(const pov_answer_unit *unit, int row, int which)
{
    return pov_table_cell(unit->of->table, row, unit->column[which]);
}

static const char *cell(const pov_answers *answers, int row, const char *name)
{
    return pov_table_cell(answers->table, row, pov_table_column(answers->table, name));
}

/* ---- the way ---- */

int pov_answer_cut_condition(pov_text *text, pov_prompt_condition_kind kind)
{
    const pov_prompt_condition *one;
    for (int i = 1; (one = pov_prompt_condition_at(kind, i)); i++) {
        const char *whole = pov_text_of(text), *at = strstr(whole, one->suffix);
        const size_t len = strlen(one->suffix);
        if (!at || !strchr("+/", at[len]))
            continue;
        char *rest = pov_text_new("%.*s%s", (int)(at - whole), whole, at + len);
        pov_text_set(text, "%s", rest);
        free(rest);
        return i;
    }
    return 0;
}

enum { QID_LEN = 8 }; /* of 3DSRBench, before "-1-flip" */

static void cut_benchmark_suffix(pov_answer_way *way, pov_text *base)
{
    static const char flip[] = "-flip";
    const char *id = pov_text_of(base);
    size_t len = base->len;
    const bool is_flipped = len > strlen(flip) && strcmp(id + len - strlen(flip), flip) == 0;
    len -= is_flipped ? strlen(flip) : 0;
    const bool is_rotated = len == QID_LEN + 2 && id[QID_LEN] == '-' && id[QID_LEN + 1] >= '0' &&
                            id[QID_LEN + 1] < '0' + POV_ROTATIONS;
    way->is_flipped = way->is_flipped || is_flipped;
    if (is_rotated)
        way->rotation = id[QID_LEN + 1] - '0';
    if (is_flipped || is_rotated) {
        char *rest = pov_text_new("%.*s", (int)(is_rotated ? QID_LEN : len), id);
        pov_text_set(base, "%s", rest);
        free(rest);
    }
}

void pov_answer_way_of_id(pov_answer_way *way, pov_text *base, const char *id)
{
    pov_text_set(base, "%s", id);
    *way = (pov_answer_way){.is_flipped = pov_answer_cut_condition(base, POV_PROMPT_CONDITION_FLIP) == 1,
                            .rotation = pov_answer_cut_condition(base, POV_PROMPT_CONDITION_CIRCULAR)};
    cut_benchmark_suffix(way, base);
}

/* ---- the grade ---- */

static pov_grade no_grade(void)
{
    return (pov_grade){POV_ANSWER_GIVEN, NAN, NAN};
}

/* COMFORT's rows are points of curves: each is right if it says what the gold says. */
static pov_grade grade_comfort(const pov_answers *answers, int row)
{
    const char *gold = cell(answers, row, "gold"), *p_yes = cell(answers, row, "p_yes");
    const bool is_yes = strcmp(gold, "yes") == 0;
    char *end;
    const double p = strtod(p_yes, &end);
    if (!is_yes && strcmp(gold, "no") != 0)
        return no_grade(); /* geometry abstains */
    if (*p_yes && *end == '\0')
        return (pov_grade){POV_ANSWER_GIVEN, (p > 0.5) == is_yes, 0.5};
    const pov_answer_kind said = pov_answer_kind_said(cell(answers, row, "kind"));
    return (pov_grade){said == POV_ANSWER_GIVEN ? POV_ANSWER_UNCLEAR : said, 0, 0.5};
}

static pov_grade grade_row(const pov_answers *answers, int row)
{
    pov_grade grade =
        answers->paper == POV_ANSWERS_COMFORT ? grade_comfort(answers, row) : answers->scores.grades[row];
    if (grade.kind != POV_ANSWER_GIVEN && !isnan(grade.score))
        grade.score = 0;
    return grade;
}

/* ---- a row ---- */

static int count_options(const char *options)
{
    int len = *options != '\0';
    for (; *options; options++)
        len += *options == '|';
    return len;
}

static void find_columns(pov_answer_unit *unit, const pov_answers *answers)
{
    unit->of = answers;
    for (int i = 0; i < POV_UNIT_COLUMNS; i++)
        unit->column[i] = pov_table_column(answers->table, names[i]);
}

void pov_answer_unit_read(pov_answer_unit *unit, const pov_answers *answers, int row)
{
    pov_answer_way ignored;
    if (unit->of != answers)
        find_columns(unit, answers);
    const char *qid = cell_of(unit, row, QID), *flip = cell_of(unit, row, FLIP),
               *circular = cell_of(unit, row, CIRCULAR);
    unit->model = cell_of(unit, row, MODEL);
    unit->image = cell_of(unit, row, IMAGE);
    pov_answer_way_of_id(&unit->way, &unit->base, *qid ? qid : cell_of(unit, row, ID));
    if (*flip)
        unit->way.is_flipped = strcmp(flip, "yes") == 0;
    if (*circular)
        unit->way.rotation = (int)strtoul(circular, NULL, 10) & (POV_ROTATIONS - 1);
    pov_answer_way_of_id(&ignored, &unit->condition, cell_of(unit, row, LANGUAGE));
    pov_text_set(&unit->scene, "%s", cell_of(unit, row, SCENE));
    if (unit->scene.len > 0)
        pov_text_add(&unit->scene, "\t%s", cell_of(unit, row, VARIANT));
    unit->order = atoi(cell_of(unit, row, ORDER));
    unit->options = count_options(cell_of(unit, row, OPTIONS));
    unit->grade = grade_row(answers, row);
}

void pov_answer_unit_free(pov_answer_unit *unit)
{
    pov_text_free(&unit->base);
    pov_text_free(&unit->condition);
    pov_text_free(&unit->scene);
}

/* ---- groups ---- */

const char *pov_answer_group(const char **by, const pov_answers *answers, int row, int number)
{
    static const char *const columns[POV_ANSWERS_VISOR + 1][2] = {
        [POV_PAPER_FOREST] = {"asked", "relatum"},      [POV_PAPER_VSR] = {"category", NULL},
        [POV_PAPER_VPT] = {"question", NULL},           [POV_PAPER_SPHERE] = {"task", NULL},
        [POV_ANSWERS_COMFORT] = {"prompt", "relation"},
    };
    if (number == 0) {
        *by = "all";
        return "";
    }
    const int paper = pov_paper_choice((pov_paper)answers->paper) ? POV_PAPER_SPHERE : answers->paper;
    *by = number <= 2 ? columns[paper][number - 1] : NULL;
    if (!*by)
        return NULL;
    if (strcmp(*by, "category") != 0)
        return cell(answers, row, *by);
    const char *category = pov_vsr_category(cell(answers, row, "relation"));
    return category ? category : "not in VSR's table";
}
