#include "compare/scoring/flip_sheets.h"

#include "compare/log/log_pictures.h"
#include "compare/statistics/curve.h"
#include "compare/statistics/flip.h"
#include "compare/statistics/name_set.h"
#include "compare/vlm/yes_no.h"
#include "config/files/grow.h"
#include "config/files/json_value.h"
#include "config/files/text.h"
#include "perception/hash.h"

#include <cJSON.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    double phi_deg, p, gold_p; /* NaN: unknown */
    bool in_words;             /* p is that of words, 0 or 1 */
} sample;

/* Of one model, language, pair, prompt and relation. */
typedef struct {
    int len, capacity, unscored;
    bool has[POV_CURVE_SAMPLES]; /* places on the curve */
    sample *samples;
} sampled_curve;

/* Of the questions that sure frames answer differently, how many a model answers as one frame does. */
typedef struct {
    int agreed, compared;
} frame_count;

/* The sure frames of a question's golds. */
typedef struct {
    int frame; /* in `frames_told` */
    bool yes;
} sure_gold;

typedef struct {
    char *text; /* NULL: none yet */
    sure_gold *all;
    int len, capacity, yes;
} golds_read;

/* The columns of a question that name its curve. */
typedef struct {
    char *text;          /* NULL: none yet */
    char *prompt, *name; /* name: scene, facing, prompt, relation by tabs; NULL: it is on no curve */
} columns_read;

/* Numbers of the frame counts of a model, language and prompt, by the frame's number; -1: none yet. */
typedef struct {
    int *counts, len, capacity;
} lane;

/* Questions of an image in several languages, to several models, have the same texts; a power of two; chosen: 4 relations x 4 prompts x
 * 4 pairs. */
enum { KNOWN = 64 };

typedef struct pov_flip_sheets {
    pov_name_set *curve_names, *frame_names; /* parts by tabs, as the columns below */
    pov_name_set *frames_told, *lane_names;
    sampled_curve *curves;
    frame_count *frames;
    lane *lanes;
    golds_read golds[KNOWN]; /* [hash of the text] */
    columns_read columns[KNOWN];
    int curve_capacity, frame_capacity, lane_capacity;
    pov_text name;   /* of what is looked for */
    bool has_beside; /* answers at no place of a curve, or at one that has an answer already */
} gathered;

static const char *const curve_keys[] = {"model", "language", "scene", "facing", "prompt", "relation"};
static const char *const frame_keys[] = {"model", "language", "prompt", "frame"};
enum {
    CURVE_KEYS = sizeof curve_keys / sizeof *curve_keys,
    FRAME_KEYS = sizeof frame_keys / sizeof *frame_keys
};

/* ---- gathering ---- */

static pov_text *begin_name(gathered *g)
{
    pov_text_clear(&g->name);
    return &g->name;
}

static sampled_curve *need_curve(gathered *g, const pov_text *name)
{
    const int known = pov_name_set_len(g->curve_names),
              number = pov_name_set_add(g->curve_names, pov_text_of(name), name->len);
    POV_REQUIRE_MEMORY(pov_grow(&g->curves, &g->curve_capacity, number, sizeof *g->curves));
    if (number == known)
        g->curves[number] = (sampled_curve){.len = 0};
    return &g->curves[number];
}

static frame_count *need_frame(gathered *g, const pov_text *name)
{
    const int known = pov_name_set_len(g->frame_names),
              number = pov_name_set_add(g->frame_names, pov_text_of(name), name->len);
    POV_REQUIRE_MEMORY(pov_grow(&g->frames, &g->frame_capacity, number, sizeof *g->frames));
    if (number == known)
        g->frames[number] = (frame_count){.agreed = 0};
    return &g->frames[number];
}

/* ---- golds ---- */

static void keep_gold(gathered *g, golds_read *golds, const char *frame, size_t length, bool yes)
{
    POV_REQUIRE_MEMORY(pov_grow(&golds->all, &golds->capacity, golds->len, sizeof *golds->all));
    golds->all[golds->len++] = (sure_gold){pov_name_set_add(g->frames_told, frame, length), yes};
    golds->yes += yes;
}

static bool skip(const char **at, const char *words)
{
    const size_t length = strlen(words);
    if (strncmp(*at, words, length) != 0)
        return false;
    *at += length;
    return true;
}

/* A text without escapes, to its closing quote. */
static bool skip_text(const char **at, const char **text, size_t *length)
{
    *text = *at;
    *length = strcspn(*at, "\"\\");
    *at += *length;
    return *length > 0 && skip(at, "\"");
}

static bool skip_truth(const char **at, bool *value)
{
    *value = **at == 't';
    return skip(at, *value ? "true" : "false");
}

/* A list as pov writes it, whose bytes are told apart much sooner than cJSON makes objects of them. False: it is written in another way. */
static bool scan_golds(gathered *g, golds_read *golds, const char *text)
{
    const char *at = text, *frame, *answer;
    size_t frame_len, answer_len;
    bool sure, asked;
    if (!skip(&at, "["))
        return false;
    do {
        if (!skip(&at, "{\"frame\":\"") || !skip_text(&at, &frame, &frame_len) ||
            !skip(&at, ",\"answer\":\"") || !skip_text(&at, &answer, &answer_len) || !skip(&at, ",\"p\":"))
            return false;
        at += strspn(at, "-+.0123456789enul"); /* or null */
        if (!skip(&at, ",\"sure\":") || !skip_truth(&at, &sure) || !skip(&at, ",\"asked\":") ||
            !skip_truth(&at, &asked) || !skip(&at, "}"))
            return false;
        if (sure)
            keep_gold(g, golds, frame, frame_len, answer_len == 3 && memcmp(answer, "yes", 3) == 0);
    } while (skip(&at, ","));
    return strcmp(at, "]") == 0;
}

static void parse_golds(gathered *g, golds_read *golds, const char *text)
{
    cJSON *list = pov_json_parse_text(text);
    const cJSON *gold;
    cJSON_ArrayForEach(gold, list)
    {
        const char *frame = pov_json_text_of(gold, "frame");
        if (cJSON_IsTrue(cJSON_GetObjectItem(gold, "sure")))
            keep_gold(g, golds, frame, strlen(frame), strcmp(pov_json_text_of(gold, "answer"), "yes") == 0);
    }
    cJSON_Delete(list);
}

static const golds_read *read_golds(gathered *g, const char *text)
{
    golds_read *golds = &g->golds[pov_hash_block(text, strlen(text)) % KNOWN];
    if (golds->text && strcmp(golds->text, text) == 0)
        return golds;
    free(golds->text);
    golds->text = pov_text_new("%s", text);
    golds->len = golds->yes = 0;
    if (!scan_golds(g, golds, text)) {
        golds->len = golds->yes = 0;
        parse_golds(g, golds, text);
    }
    return golds;
}

static lane *need_lane(gathered *g, const pov_answer_row *row, const char *prompt)
{
    pov_text *name = begin_name(g);
    pov_text_add_part(name, row->model);
    pov_text_add_part(name, row->question.language);
    pov_text_add_part(name, prompt);
    const int known = pov_name_set_len(g->lane_names),
              number = pov_name_set_add(g->lane_names, pov_text_of(name), name->len);
    POV_REQUIRE_MEMORY(pov_grow(&g->lanes, &g->lane_capacity, number, sizeof *g->lanes));
    if (number == known)
        g->lanes[number] = (lane){.len = 0};
    return &g->lanes[number];
}

/* The count of a frame that a row's model was asked about. */
static frame_count *count_of(gathered *g, lane *l, const pov_answer_row *row, const char *prompt, int frame)
{
    while (l->len <= frame) {
        POV_REQUIRE_MEMORY(pov_grow(&l->counts, &l->capacity, l->len, sizeof *l->counts));
        l->counts[l->len++] = -1;
    }
    if (l->counts[frame] < 0) {
        pov_text name = {0};
        pov_text_add_part(&name, row->model);
        pov_text_add_part(&name, row->question.language);
        pov_text_add_part(&name, prompt);
        pov_text_add_part(&name, pov_name_set_at(g->frames_told, frame));
        l->counts[frame] = (int)(need_frame(g, &name) - g->frames);
        pov_text_free(&name);
    }
    return &g->frames[l->counts[frame]];
}

/* Only where sure frames disagree, an answer tells which of them was used. */
static void count_frames(gathered *g, const pov_answer_row *row, const char *prompt)
{
    const golds_read *golds = row->question.golds ? read_golds(g, row->question.golds) : NULL;
    if (!golds || golds->yes == 0 || golds->yes == golds->len)
        return;
    lane *l = need_lane(g, row, prompt);
    for (int i = 0; i < golds->len; i++) {
        frame_count *frame = count_of(g, l, row, prompt, golds->all[i].frame);
        frame->compared++;
        frame->agreed += (row->result.p > 0.5) == golds->all[i].yes;
    }
}

/* "90 deg": to which side the one faces whose viewpoint is asked for, to eighths of a turn: answers about a car that faces left and about
 * one that faces right flip at other angles. "": nobody's viewpoint, or a facing that is not known. */
static void name_facing(char facing[16], const cJSON *columns, const char *prompt)
{
    const char *key = strcmp(prompt, "rel") == 0   ? "relatum_facing"
                      : strcmp(prompt, "add") == 0 ? "addressee_facing"
                                                   : "";
    const cJSON *deg = cJSON_GetObjectItem(columns, key);
    facing[0] = '\0';
    if (cJSON_IsNumber(deg))
        snprintf(facing, 16, "%ld deg", (lround(deg->valuedouble / 45) % 8 + 8) % 8 * 45);
}

static const columns_read *read_columns(gathered *g, const char *text, const cJSON *known)
{
    columns_read *read = &g->columns[pov_hash_block(text, strlen(text)) % KNOWN];
    if (read->text && strcmp(read->text, text) == 0)
        return read;
    free(read->text);
    free(read->prompt);
    free(read->name);
    cJSON *own = known ? NULL : pov_json_parse_text(text);
    const cJSON *columns = known ? known : own;
    const char *prompt = pov_json_text_of(columns, "prompt"),
               *relation = pov_json_text_of(columns, "relation");
    *read = (columns_read){.text = pov_text_new("%s", text), .prompt = pov_text_new("%s", prompt)};
    if (*prompt && *relation) {
        pov_text name = {0};
        char facing[16];
        name_facing(facing, columns, prompt);
        pov_text_add_part(&name, pov_json_text_of(columns, "scene"));
        pov_text_add_part(&name, facing);
        pov_text_add_part(&name, prompt);
        pov_text_add_part(&name, relation);
        read->name = pov_text_take(&name);
    }
    cJSON_Delete(own);
    return read;
}

static sampled_curve *need_curve_of(gathered *g, const pov_answer_row *row, const char *name)
{
    pov_text *whole = begin_name(g);
    pov_text_add_part(whole, row->model);
    pov_text_add_part(whole, row->question.language);
    pov_text_add_bytes(whole, "\t", 1);
    pov_text_add_bytes(whole, name, strlen(name));
    return need_curve(g, whole);
}

void pov_flip_sheets_take(pov_flip_sheets *g, const pov_answer_row *row, const cJSON *known)
{
    if (!row->has_result || !row->model || strcmp(row->question.paper, "comfort") != 0 ||
        isnan(row->image.phi_deg) || !row->question.columns)
        return;
    const columns_read *columns = read_columns(g, row->question.columns, known);
    if (!columns->name)
        return;
    sampled_curve *curve = need_curve_of(g, row, columns->name);
    POV_REQUIRE_MEMORY(pov_grow(&curve->samples, &curve->capacity, curve->len, sizeof *curve->samples));
    curve->samples[curve->len++] =
        (sample){pov_log_seen_deg(row->image.phi_deg, row->question.key), row->result.p, row->question.gold_p,
                 strcmp(row->result.kind, pov_yes_no_kind_name(POV_YES_NO_TOKENS)) != 0};
    curve->unscored += isnan(row->result.p);
    const double curve_deg = pov_log_seen_deg(row->image.curve_deg, row->question.key);
    bool *has =
        isnan(curve_deg) ? NULL : &curve->has[lround(curve_deg / POV_CURVE_STEP_DEG) % POV_CURVE_SAMPLES];
    g->has_beside |= !has || *has;
    if (has)
        *has = true;
    if (!isnan(row->result.p))
        count_frames(g, row, columns->prompt);
}

void pov_flip_sheets_join(pov_flip_sheets *to, const pov_flip_sheets *from)
{
    pov_text name = {0};
    to->has_beside |= from->has_beside;
    for (int i = 0; i < pov_name_set_len(from->curve_names); i++) {
        const sampled_curve *one = &from->curves[i];
        pov_text_set(&name, "%s", pov_name_set_at(from->curve_names, i));
        sampled_curve *curve = need_curve(to, &name);
        for (int k = 0; k < one->len; k++) {
            POV_REQUIRE_MEMORY(
                pov_grow(&curve->samples, &curve->capacity, curve->len, sizeof *curve->samples));
            curve->samples[curve->len++] = one->samples[k];
        }
        curve->unscored += one->unscored;
        for (int k = 0; k < POV_CURVE_SAMPLES; k++) {
            to->has_beside |= curve->has[k] && one->has[k];
            curve->has[k] |= one->has[k];
        }
    }
    for (int i = 0; i < pov_name_set_len(from->frame_names); i++) {
        pov_text_set(&name, "%s", pov_name_set_at(from->frame_names, i));
        frame_count *frame = need_frame(to, &name);
        frame->agreed += from->frames[i].agreed;
        frame->compared += from->frames[i].compared;
    }
    pov_text_free(&name);
}

/* ---- printing ---- */

static void print_name(pov_sheet *sheet, const char *name, const char *const keys[], int len)
{
    char *copy = pov_text_new("%s", name), *at = copy;
    pov_sheet_add_row(sheet);
    for (int i = 0; i < len; i++)
        pov_sheet_add_text(sheet, keys[i], strsep(&at, "\t"));
    free(copy);
}

static void print_angle(pov_sheet *sheet, const char *key, const char *numbers_key, bool known, double deg,
                        double std_deg)
{
    const double numbers[] = {known ? deg : NAN, known ? std_deg : NAN};
    char *text = known ? pov_text_new("%.1f ± %.1f", deg, std_deg) : pov_text_new("-");
    pov_sheet_add_text(sheet, key, text);
    pov_sheet_add_numbers(sheet, numbers_key, numbers, 2);
    free(text);
}

static void print_steps(pov_sheet *sheet, const char *key, const char *numbers_key, bool known,
                        const double numbers[3], double times)
{
    static const double none[] = {NAN, NAN, NAN};
    char *text =
        known ? pov_text_new("%.0f (%.0f..%.0f)", times * numbers[0], times * numbers[1], times * numbers[2])
              : pov_text_new("-");
    pov_sheet_add_text(sheet, key, text);
    pov_sheet_add_numbers(sheet, numbers_key, known ? numbers : none, 3);
    free(text);
}

static bool find_flips(pov_flips *flips, const sampled_curve *curve, const pov_flip_grid *grid)
{
    pov_flip *flip = pov_flip_new();
    for (int i = 0; i < curve->len; i++)
        if (!isnan(curve->samples[i].p))
            pov_flip_add(flip, grid, curve->samples[i].phi_deg, curve->samples[i].p,
                         curve->samples[i].in_words);
    const bool known = pov_flip_find(flips, flip);
    pov_flip_destroy(&flip);
    return known;
}

static int compare_angles(const void *a, const void *b)
{
    const sample *one = a, *other = b;
    return (one->phi_deg > other->phi_deg) - (one->phi_deg < other->phi_deg);
}

/* Where geometry's P(yes) crosses one half, by interpolation between neighbours; NaN: not known, or several times. */
static double cross_geometry(const sampled_curve *curve, bool to_yes)
{
    double at_deg = NAN;
    int crossings = 0;
    qsort(curve->samples, (size_t)curve->len, sizeof *curve->samples, compare_angles);
    for (int i = 0, last = curve->len - 1; i < curve->len; last = i++) {
        const sample *from = &curve->samples[last], *to = &curve->samples[i];
        const double a = from->gold_p - 0.5, b = to->gold_p - 0.5,
                     step_deg = fmod(to->phi_deg - from->phi_deg + 360, 360);
        if (isnan(a) || isnan(b))
            return NAN;
        if ((a >= 0) == (b >= 0) || (b >= 0) != to_yes)
            continue;
        at_deg = fmod(from->phi_deg + step_deg * a / (a - b), 360);
        crossings++;
    }
    return crossings == 1 ? at_deg : NAN;
}

static void print_geometry(pov_sheet *sheet, const char *key, const char *numbers_key, double deg)
{
    char *text = isnan(deg) ? pov_text_new("-") : pov_text_new("%.1f", deg);
    pov_sheet_add_text(sheet, key, text);
    pov_sheet_add_numbers(sheet, numbers_key, &deg, 1);
    free(text);
}

typedef struct {
    const gathered *g;
    const pov_flip_grid *grid;
    pov_flips *flips;
    bool *known;
} flip_task;

static void find_one(void *context, int index, int worker)
{
    const flip_task *task = context;
    (void)worker;
    task->known[index] = find_flips(&task->flips[index], &task->g->curves[index], task->grid);
}

static void print_flips(pov_sheet *sheet, const gathered *g, const pov_workers *workers)
{
    const int len = pov_name_set_len(g->curve_names);
    pov_flip_grid *grid = pov_flip_grid_new();
    flip_task task = {.g = g,
                      .grid = grid,
                      .flips = pov_allocate((size_t)len, sizeof *task.flips),
                      .known = pov_allocate((size_t)len, sizeof *task.known)};
    pov_tasks_run(workers, find_one, &task, len);
    pov_sheet_add_table(
        sheet, "flips",
        "Where answers flip, from all answers at their own angles (degrees of phi ± standard deviation)\n"
        "width: over how many degrees, lapse: % of answers by chance, each with 95 % of a coarse grid; "
        "\"-\": not known to 30 degrees, as of always yes");
    for (int i = 0; i < len; i++) {
        const sampled_curve *curve = &g->curves[i];
        const pov_flips flips = task.flips[i];
        const bool known = task.known[i];
        print_name(sheet, pov_name_set_at(g->curve_names, i), curve_keys, CURVE_KEYS);
        pov_sheet_add_count(sheet, "answers", curve->len);
        pov_sheet_add_number(sheet, "unscored", curve->unscored > 0 ? curve->unscored : NAN);
        print_angle(sheet, "yes_from", "yes_from_deg", known, flips.to_yes_deg, flips.to_yes_std_deg);
        print_angle(sheet, "yes_to", "yes_to_deg", known, flips.to_no_deg, flips.to_no_std_deg);
        print_steps(sheet, "width", "width_deg", known,
                    (double[]){flips.width_deg, flips.width_low_deg, flips.width_high_deg}, 1);
        print_steps(sheet, "lapse", "lapse_share", known,
                    (double[]){flips.lapse, flips.lapse_low, flips.lapse_high}, 100);
        print_geometry(sheet, "geometry_from", "geometry_from_deg", cross_geometry(curve, true));
        print_geometry(sheet, "geometry_to", "geometry_to_deg", cross_geometry(curve, false));
    }
    free(task.flips);
    free(task.known);
    pov_flip_grid_destroy(&grid);
}

/* The part of a frame's name that two agree in: without how a party's front is known. */
static size_t stem_len(const char *frame)
{
    static const char *const ends[] = {" sight_line", " heading"};
    const size_t len = strlen(frame);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (len > strlen(ends[i]) && strcmp(frame + len - strlen(ends[i]), ends[i]) == 0)
            return len - strlen(ends[i]);
    return len;
}

static double share_of(const frame_count *frame)
{
    return (double)frame->agreed / frame->compared;
}

/* Of the frames from `first` that a model was asked about by the same prompt, those with the highest share below a limit; joined by "or". */
static double print_best(pov_sheet *sheet, const gathered *g, int first, double below, const char *keys[3])
{
    const char *name = pov_name_set_at(g->frame_names, first);
    const size_t prefix = (size_t)(strrchr(name, '\t') + 1 - name);
    const frame_count *best = NULL;
    pov_name_set *stems = pov_name_set_new();
    pov_text text = {0};
    for (int pass = 0; pass < 2; pass++)
        for (int i = first; i < pov_name_set_len(g->frame_names); i++) {
            const char *other = pov_name_set_at(g->frame_names, i), *frame = other + prefix;
            if (strncmp(other, name, prefix) != 0 || share_of(&g->frames[i]) >= below)
                continue;
            if (pass == 0 && (!best || share_of(&g->frames[i]) > share_of(best)))
                best = &g->frames[i];
            const int known = pov_name_set_len(stems);
            if (pass == 1 && share_of(&g->frames[i]) == share_of(best) &&
                pov_name_set_add(stems, frame, stem_len(frame)) == known)
                pov_text_add(&text, "%s%.*s", known > 0 ? " or " : "", (int)stem_len(frame), frame);
        }
    const double share = best ? share_of(best) : NAN;
    double low, high;
    pov_sheet_add_text(sheet, keys[0], best ? pov_text_of(&text) : "-");
    pov_sheet_add_share(sheet, keys[1], share);
    pov_text_clear(&text);
    if (best) {
        pov_wilson_interval(&low, &high, best->agreed, best->compared);
        pov_text_set(&text, "%.1f..%.1f", 100 * low, 100 * high);
    }
    pov_sheet_add_text(sheet, keys[2], pov_text_of(&text));
    pov_name_set_destroy(&stems);
    pov_text_free(&text);
    return share;
}

static void print_frames(pov_sheet *sheet, const gathered *g)
{
    static const char *best_keys[] = {"frame", "as_in_it", "interval"},
                      *next_keys[] = {"next", "as_in_next", "next_interval"};
    pov_name_set *printed = pov_name_set_new();
    for (int i = 0; i < pov_name_set_len(g->frame_names); i++) {
        const char *name = pov_name_set_at(g->frame_names, i);
        const int known = pov_name_set_len(printed);
        if (pov_name_set_add(printed, name, (size_t)(strrchr(name, '\t') - name)) != known)
            continue;
        if (known == 0)
            pov_sheet_add_table(
                sheet, "frames",
                "Which frame answers follow: of the questions that sure frames answer differently, the share "
                "answered as in the frame that fits best, and in the next (x100)\n"
                "95 % intervals of these answers (Wilson); they say nothing of other scenes");
        print_name(sheet, name, frame_keys, FRAME_KEYS - 1);
        pov_sheet_add_count(sheet, "answers", g->frames[i].compared);
        const double share = print_best(sheet, g, i, INFINITY, best_keys);
        (void)print_best(sheet, g, i, share, next_keys);
    }
    pov_name_set_destroy(&printed);
}

void pov_flip_sheets_print(const pov_flip_sheets *sheets, pov_sheet *sheet, bool beside_only,
                           const pov_workers *workers)
{
    if (pov_name_set_len(sheets->curve_names) == 0 || (beside_only && !sheets->has_beside))
        return;
    print_flips(sheet, sheets, workers);
    print_frames(sheet, sheets);
}

pov_flip_sheets *pov_flip_sheets_new(void)
{
    gathered *g = pov_allocate(1, sizeof *g);
    g->curve_names = pov_name_set_new();
    g->frame_names = pov_name_set_new();
    g->frames_told = pov_name_set_new();
    g->lane_names = pov_name_set_new();
    return g;
}

void pov_flip_sheets_destroy(pov_flip_sheets **sheets)
{
    gathered *g = *sheets;
    if (!g)
        return;
    pov_text_free(&g->name);
    for (int i = 0; i < pov_name_set_len(g->curve_names); i++)
        free(g->curves[i].samples);
    for (int i = 0; i < pov_name_set_len(g->lane_names); i++)
        free(g->lanes[i].counts);
    for (int i = 0; i < KNOWN; i++) {
        free(g->golds[i].text);
        free(g->golds[i].all);
        free(g->columns[i].text);
        free(g->columns[i].prompt);
        free(g->columns[i].name);
    }
    pov_name_set_destroy(&g->curve_names);
    pov_name_set_destroy(&g->frame_names);
    pov_name_set_destroy(&g->frames_told);
    pov_name_set_destroy(&g->lane_names);
    free(g->lanes);
    free(g->curves);
    free(g->frames);
    free(g);
    *sheets = NULL;
}
