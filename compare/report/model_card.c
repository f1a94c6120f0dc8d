#include "compare/report/model_card.h"

#include "config/files/digest.h"
#include "config/files/grow.h"
#include "config/files/text.h"
#include "draw/page.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FACTS "facts" /* the table that the page ends with */

/* ---- rows of one model ---- */

static int column_named(const pov_table *table, const char *name)
{
    return table ? pov_table_column(table, name) : -1;
}

static bool is_row_of(const pov_model_card *card, const pov_table *table, int row)
{
    return strcmp(pov_table_cell(table, row, column_named(table, "model")), card->model) == 0;
}

static const char *text_at(const pov_sheet_table *table, int row, const char *key)
{
    const int column = pov_sheet_column_of(table, key);
    const char *text = column >= 0 ? table->rows[row][column].text : NULL;
    return text ? text : "";
}

/* "llava" and "llava +flip", not "llava-2". */
static bool is_of_model(const pov_model_card *card, const char *label)
{
    const size_t len = strlen(card->model);
    return strncmp(label, card->model, len) == 0 &&
           (label[len] == '\0' || strncmp(label + len, " +", 2) == 0);
}

static void copy_cell(pov_sheet *sheet, const char *key, const pov_sheet_table *table, int row, int column)
{
    const pov_sheet_cell *cell = column >= 0 ? &table->rows[row][column] : NULL;
    const pov_sheet_kind kind = column >= 0 ? table->columns[column].kind : POV_SHEET_TEXT;
    if (!cell || kind == POV_SHEET_TEXT)
        pov_sheet_add_text(sheet, key, cell && cell->text ? cell->text : "-");
    else if (kind == POV_SHEET_COUNT)
        pov_sheet_add_number(sheet, key, cell->estimate.mean);
    else if (kind == POV_SHEET_SHARE)
        pov_sheet_add_share(sheet, key, cell->estimate.mean);
    else if (kind == POV_SHEET_ESTIMATE)
        pov_sheet_add_estimate(sheet, key, &cell->estimate);
}

/* A table of the card: columns of another table, in order, ended by NULL; "condition" of the label of the model. */
typedef struct {
    const char *from, *key, *title;
    bool overall; /* only the rows of all questions together */
    const char *columns[12];
} extract;

/* Of all questions of a paper together. */
static bool is_overall(const pov_sheet_table *table, int row)
{
    return strcmp(text_at(table, row, "by"), "all") == 0 || strcmp(text_at(table, row, "of"), "all") == 0;
}

/* Copies the model's rows; begins the table with the first. */
static void copy_rows(pov_sheet *sheet, bool *begun, const pov_model_card *card, const pov_sheet *source,
                      const extract *of, const char *paper)
{
    const pov_sheet_table *table = source ? pov_sheet_find(source, of->from) : NULL;
    for (int row = 0; table && row < table->len; row++) {
        const char *label = text_at(table, row, "model");
        if (!is_of_model(card, label) || (of->overall && !is_overall(table, row)))
            continue;
        if (!*begun)
            pov_sheet_add_table(sheet, of->key, of->title);
        *begun = true;
        pov_sheet_add_row(sheet);
        if (paper)
            pov_sheet_add_text(sheet, "benchmark", paper);
        if (pov_sheet_column_of(table, "language") < 0)
            pov_sheet_add_text(sheet, "condition",
                               label[strlen(card->model)] ? label + strlen(card->model) + 1 : "plain");
        for (const char *const *name = of->columns; *name; name++)
            copy_cell(sheet, *name, table, row, pov_sheet_column_of(table, *name));
    }
}

static void copy_of_papers(pov_sheet *sheet, const pov_model_card *card, const extract *of)
{
    bool begun = false;
    for (int i = 0; i < card->len; i++)
        copy_rows(sheet, &begun, card, card->answers[i].sheet, of, pov_answers_paper_name(&card->answers[i]));
}

/* ---- counted from the answers themselves ---- */

static double number_at(const pov_table *table, int row, const char *name)
{
    const char *text = pov_table_cell(table, row, column_named(table, name));
    char *end;
    const double number = strtod(text, &end);
    return *text && !*end ? number : NAN;
}

/* P(yes), or P(true), against what is right. */
static void add_calibration(pov_sheet *sheet, const pov_model_card *card)
{
    bool begun = false;
    for (int i = 0; i < card->len; i++) {
        const pov_table *table = card->answers[i].table;
        pov_calibration calibration = {.n = 0};
        for (int row = 0; table && row < pov_table_len(table); row++) {
            const char *gold = pov_table_cell(table, row, column_named(table, "gold"));
            const double yes = number_at(table, row, "p_yes"),
                         p = isnan(yes) ? number_at(table, row, "p_true") : yes;
            const bool positive = strcmp(gold, "yes") == 0 || strcmp(gold, "true") == 0;
            if (is_row_of(card, table, row) && !isnan(p) &&
                (positive || strcmp(gold, "no") == 0 || strcmp(gold, "false") == 0))
                pov_calibration_add(&calibration, p, positive);
        }
        if (calibration.n == 0)
            continue;
        if (!begun)
            pov_sheet_add_table(
                sheet, "calibration",
                "Calibration of P(yes) and P(true), over all conditions (x100): mean squared error, and "
                "the expected error of the probability in ten bins");
        begun = true;
        pov_sheet_add_row(sheet);
        pov_sheet_add_text(sheet, "benchmark", pov_answers_paper_name(&card->answers[i]));
        pov_sheet_add_count(sheet, "answers", calibration.n);
        pov_sheet_add_share(sheet, "brier", pov_calibration_brier(&calibration));
        pov_sheet_add_share(sheet, "ece", pov_calibration_error(&calibration));
    }
}

static int compare_numbers(const void *a, const void *b)
{
    const double one = *(const double *)a, other = *(const double *)b;
    return (one > other) - (one < other);
}

static void add_text_of(pov_sheet *sheet, const char *key, double number, const char *format)
{
    char text[40] = "-";
    if (!isnan(number))
        snprintf(text, sizeof text, format, number);
    pov_sheet_add_text(sheet, key, text);
}

static double sum_of(const pov_model_card *card, const pov_table *table, const char *name)
{
    double sum = NAN;
    for (int row = 0; row < pov_table_len(table); row++) {
        const double number = is_row_of(card, table, row) ? number_at(table, row, name) : NAN;
        sum = isnan(number) ? sum : (isnan(sum) ? 0 : sum) + number;
    }
    return sum;
}

static void add_cost(pov_sheet *sheet, const pov_model_card *card)
{
    bool begun = false;
    for (int i = 0; i < card->len; i++) {
        const pov_table *table = card->answers[i].table;
        double *latency_s = pov_allocate((size_t)(table ? pov_table_len(table) : 0) + 1, sizeof *latency_s);
        int len = 0;
        for (int row = 0; table && row < pov_table_len(table); row++) {
            const double one_s = is_row_of(card, table, row) ? number_at(table, row, "latency_s") : NAN;
            if (!isnan(one_s))
                latency_s[len++] = one_s;
        }
        if (len > 0) {
            if (!begun)
                pov_sheet_add_table(
                    sheet, "cost",
                    "What it took: seconds from request to answer, tokens and price of all answers, as the "
                    "server and the section `vlm` told");
            begun = true;
            qsort(latency_s, (size_t)len, sizeof *latency_s, compare_numbers);
            pov_sheet_add_row(sheet);
            pov_sheet_add_text(sheet, "benchmark", pov_answers_paper_name(&card->answers[i]));
            pov_sheet_add_count(sheet, "answers", len);
            add_text_of(sheet, "latency_median_s", latency_s[len / 2], "%.3g");
            add_text_of(sheet, "latency_p90_s", latency_s[len * 9 / 10], "%.3g");
            add_text_of(sheet, "prompt_tokens", sum_of(card, table, "prompt_tokens"), "%.0f");
            add_text_of(sheet, "answer_tokens", sum_of(card, table, "answer_tokens"), "%.0f");
            add_text_of(sheet, "cost", sum_of(card, table, "cost"), "%.4g");
        }
        free(latency_s);
    }
}

/* ---- what two laboratories compare by ---- */

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* SHA-256 of the sorted lines. */
static char *digest_lines(const pov_name_set *lines)
{
    const int len = pov_name_set_len(lines);
    const char **sorted = pov_allocate((size_t)len + 1, sizeof *sorted);
    char hex[POV_DIGEST_CAPACITY];
    pov_text text = {0};
    for (int i = 0; i < len; i++)
        sorted[i] = pov_name_set_at(lines, i);
    qsort(sorted, (size_t)len, sizeof *sorted, compare_names);
    for (int i = 0; i < len; i++)
        pov_text_add(&text, "%s\n", sorted[i]);
    pov_digest(hex, pov_text_of(&text), text.len);
    pov_text_free(&text);
    free(sorted);
    return pov_text_new("%s", hex);
}

/* Two cards of the same images and questions have the same sums, whatever was answered. */
static void add_sums(pov_sheet *sheet, const pov_model_card *card)
{
    pov_name_set *images = pov_name_set_new(), *questions = pov_name_set_new();
    for (int i = 0; i < card->len; i++) {
        const pov_table *table = card->answers[i].table;
        for (int row = 0; table && row < pov_table_len(table); row++) {
            const char *sha256 = pov_table_cell(table, row, column_named(table, "sha256"));
            if (!is_row_of(card, table, row))
                continue;
            if (*sha256)
                (void)pov_name_set_add(images, sha256, strlen(sha256));
            char *line =
                pov_text_new("%s\t%s\t%s", sha256, pov_table_cell(table, row, column_named(table, "key")),
                             pov_table_cell(table, row, column_named(table, "gold")));
            (void)pov_name_set_add(questions, line, strlen(line));
            free(line);
        }
    }
    char *of_images = digest_lines(images), *of_questions = digest_lines(questions);
    pov_sheet_add_table(sheet, "identity", "Cards of the same images and questions have the same SHA-256");
    pov_sheet_add_row(sheet);
    pov_sheet_add_text(sheet, "model", card->model);
    pov_sheet_add_text(sheet, "pov", card->version);
    pov_sheet_add_text(sheet, "simulated", card->simulated ? card->simulated : "-");
    pov_sheet_add_count(sheet, "images", pov_name_set_len(images));
    pov_sheet_add_text(sheet, "images_sha256", of_images);
    pov_sheet_add_count(sheet, "questions", pov_name_set_len(questions));
    pov_sheet_add_text(sheet, "questions_sha256", of_questions);
    add_text_of(sheet, "bootstrap_seed", (double)card->seed, "%.0f");
    free(of_images);
    free(of_questions);
    pov_name_set_destroy(&images);
    pov_name_set_destroy(&questions);
}

/* Other models' requests, and what all of them cost together, are no matter of this one. */
static bool is_about_model(const pov_model_card *card, const pov_report_fact *fact)
{
    const size_t len = strlen(card->model);
    return strcmp(fact->name, "Cost") != 0 &&
           (strcmp(fact->name, "Asked with") != 0 ||
            (strncmp(fact->text, card->model, len) == 0 && fact->text[len] == ','));
}

static void add_facts(pov_sheet *sheet, const pov_model_card *card)
{
    if (card->facts_len > 0)
        pov_sheet_add_table(sheet, FACTS, "What the logs tell");
    for (int i = 0; i < card->facts_len; i++) {
        if (!is_about_model(card, &card->facts[i]))
            continue;
        pov_sheet_add_row(sheet);
        pov_sheet_add_text(sheet, "name", card->facts[i].name);
        pov_sheet_add_text(sheet, "text", card->facts[i].text);
    }
}

static pov_status check_model(const pov_model_card *card)
{
    pov_name_set *models = pov_name_set_new();
    pov_text names = {0};
    bool found = false;
    for (int i = 0; i < card->len; i++) {
        const pov_table *table = card->answers[i].table;
        for (int row = 0; table && row < pov_table_len(table); row++) {
            const char *model = pov_table_cell(table, row, column_named(table, "model"));
            const int known = pov_name_set_len(models);
            found |= is_row_of(card, table, row);
            if (pov_name_set_add(models, model, strlen(model)) == known)
                pov_text_add(&names, "%s'%s'", names.len > 0 ? ", " : "", model);
        }
    }
    const pov_status status =
        found ? pov_ok()
              : pov_error("no answer is of the model '%s'; there are %s", card->model,
                          names.len > 0 ? pov_text_of(&names) : "none that can be scored");
    pov_text_free(&names);
    pov_name_set_destroy(&models);
    return status;
}

/* ---- the card ---- */

pov_status pov_model_card_fill(pov_sheet *sheet, const pov_model_card *card)
{
    static const extract agreement = {
        "agreement",
        "agreement",
        "Answers that agree with the measured geometry, and with the truth where it is known (x100)",
        true,
        {"questions", "station", "truth", "scenes", "given", "refused", "unclear", "missing", NULL}};
    static const extract
        frames = {"frames",
                  "frames",
                  "The frame of reference that COMFORT's answers are in, by language and prompt (x100: "
                  "answers as in it)",
                  false,
                  {"language", "prompt", "answers", "frame", "as_in_it", "next", "as_in_next", NULL}},
        fits = {"frames",
                "benchmark_frames",
                "Of benchmarks' questions whose answer differs in a frame, the answers that are it (x100)",
                true,
                {"camera", "person", "own", "mirrored", "read", "seems", NULL}},
        flips = {"flips",
                 "flips",
                 "Where its answers change between yes and no: the angle with its deviation, and geometry's",
                 false,
                 {"language", "scene", "prompt", "relation", "answers", "yes_from", "yes_to", "geometry_from",
                  "geometry_to", NULL}},
        plain = {"scores",
                 "accuracy",
                 "Accuracy by benchmark and condition (x100); caa: chance-adjusted",
                 true,
                 {"accuracy", "caa", "chance", "answered", "questions", NULL}},
        robust = {"robust",
                  "robust",
                  "Robust accuracy (x100): of the image and its mirror image, in all orders of options, both",
                  true,
                  {"language", "questions", "plain", "flip", "circular", "robust", "caa", "caa_robust",
                   NULL}},
        effects = {"effects",
                   "scaffolds",
                   "What a condition changes (x100), paired by image",
                   true,
                   {"condition", "images", "questions", "without", "with", "effect", NULL}},
        maps = {"cogmap",
                "cogmap",
                "Maps that it drew, scored against the scene (x100)",
                true,
                {"coverage", "directional", "facing", "overall", "valid", "replies", NULL}};
    bool agreed = false, begun = false, flips_begun = false;
    POV_TRY(check_model(card));
    add_sums(sheet, card);
    add_facts(sheet, card);
    copy_rows(sheet, &agreed, card, card->extra, &agreement, NULL);
    copy_of_papers(sheet, card, &plain);
    copy_of_papers(sheet, card, &robust);
    copy_rows(sheet, &begun, card, card->extra, &frames, NULL);
    copy_of_papers(sheet, card, &fits);
    copy_rows(sheet, &flips_begun, card, card->extra, &flips, NULL);
    copy_of_papers(sheet, card, &effects);
    copy_of_papers(sheet, card, &maps);
    add_calibration(sheet, card);
    add_cost(sheet, card);
    return pov_ok();
}

/* ---- the page ---- */

static bool is_shown(const pov_sheet_table *table, int column)
{
    for (int row = 0; row < table->len; row++) {
        const pov_sheet_words words = pov_sheet_words_of(table, row, column);
        if (strcmp(pov_sheet_text_of(&words), "-") != 0)
            return true;
    }
    return false;
}

static void write_table(FILE *stream, const pov_sheet_table *table)
{
    char *heading = pov_text_new("%s", table->key);
    *heading = (char)toupper((unsigned char)*heading);
    for (char *at = heading; *at; at++)
        *at = *at == '_' ? ' ' : *at;
    pov_page_element(stream, "h2", "%s", heading);
    pov_page_element(stream, "p class=\"note\"", "%s", table->title);
    free(heading);
    fputs("<div class=\"wide\"><table><thead><tr>", stream);
    for (int c = 0; c < table->columns_len; c++)
        if (is_shown(table, c)) {
            char *name = pov_text_new("%s", table->columns[c].key);
            for (char *at = name; *at; at++)
                *at = *at == '_' ? ' ' : *at;
            pov_page_element(stream, table->columns[c].kind == POV_SHEET_TEXT ? "th" : "th class=\"number\"",
                             "%s", name);
            free(name);
        }
    fputs("</tr></thead><tbody>", stream);
    for (int row = 0; row < table->len; row++) {
        fputs("<tr>", stream);
        for (int c = 0; c < table->columns_len; c++) {
            const pov_sheet_words words = pov_sheet_words_of(table, row, c);
            if (!is_shown(table, c))
                continue;
            fputs(table->columns[c].kind == POV_SHEET_TEXT ? "<td>" : "<td class=\"number\">", stream);
            pov_page_element(stream, "span", "%s", pov_sheet_text_of(&words));
            if (*words.interval)
                pov_page_element(stream, "small", "%s", words.interval);
            fputs("</td>", stream);
        }
        fputs("</tr>\n", stream);
    }
    fputs("</tbody></table></div>\n", stream);
}

static void write_facts(const pov_model_card *card, FILE *stream)
{
    pov_page_element(stream, "h2", "How it was asked");
    fputs("<dl class=\"facts\">", stream);
    for (int i = 0; i < card->facts_len; i++)
        if (is_about_model(card, &card->facts[i])) {
            pov_page_element(stream, "dt", "%s", card->facts[i].name);
            pov_page_element(stream, "dd", "%s", card->facts[i].text);
        }
    fputs("</dl>\n", stream);
}

void pov_model_card_write_html(const pov_model_card *card, const pov_sheet *sheet, FILE *stream)
{
    char *title = pov_text_new("Card of %s", card->model);
    pov_page_begin(stream, title);
    pov_page_element(stream, "h1", "%s", title);
    free(title);
    if (card->simulated)
        pov_page_element(stream, "p class=\"simulated\"", "%s%s", POV_SIMULATED_WORDS, card->simulated);
    for (int i = 1; i < pov_sheet_len(sheet); i++)
        if (strcmp(pov_sheet_at(sheet, i)->key, FACTS) != 0)
            write_table(stream, pov_sheet_at(sheet, i));
    write_table(stream, pov_sheet_at(sheet, 0)); /* who it is, and by what it is compared */
    write_facts(card, stream);
    pov_page_end(stream);
}
