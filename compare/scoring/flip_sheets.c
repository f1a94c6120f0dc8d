#include "compare/scoring/flip_sheets.h"

#include "compare/log/log_pictures.h"
#include "compare/statistics/curve.h"
#include "compare/statistics/flip.h"
#include "compare/statistics/name_set.h"
#include "config/files/grow.h"
#include "config/files/json_value.h"
#include "config/files/text.h"

#include <cJSON.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    double phi_deg, p, gold_p; /* NaN: unknown */
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

typedef struct pov_flip_sheets {
    pov_name_set *curve_names, *frame_names; /* parts by tabs, as the columns below */
    sampled_curve *curves;
    frame_count *frames;
    int curve_capacity, frame_capacity;
    bool has_beside; /* answers at no place of a curve, or at one that has an answer already */
} gathered;

static const char *const curve_keys[] = {"model", "language", "scene", "facing", "prompt", "relation"};
static const char *const frame_keys[] = {"model", "language", "prompt", "frame"};
enum {
    CURVE_KEYS = sizeof curve_keys / sizeof *curve_keys,
    FRAME_KEYS = sizeof frame_keys / sizeof *frame_keys
};

/* ---- gathering ---- */

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

static bool says_yes(const cJSON *gold)
{
    return strcmp(pov_json_text_of(gold, "answer"), "yes") == 0;
}

/* Only where sure frames disagree, an answer tells which of them was used. */
static void count_frames(gathered *g, const pov_answer_row *row, const char *prompt)
{
    cJSON *golds = row->question.golds ? pov_json_parse_text(row->question.golds) : NULL;
    const cJSON *gold;
    int yes = 0, no = 0;
    cJSON_ArrayForEach(gold, golds) if (cJSON_IsTrue(cJSON_GetObjectItem(gold, "sure"))) *
        (says_yes(gold) ? &yes : &no) += 1;
    pov_text name = {0};
    cJSON_ArrayForEach(gold, golds)
    {
        if (yes == 0 || no == 0 || !cJSON_IsTrue(cJSON_GetObjectItem(gold, "sure")))
            continue;
        pov_text_clear(&name);
        pov_text_add_part(&name, row->model);
        pov_text_add_part(&name, row->question.language);
        pov_text_add_part(&name, prompt);
        pov_text_add_part(&name, pov_json_text_of(gold, "frame"));
        frame_count *frame = need_frame(g, &name);
        frame->compared++;
        frame->agreed += (row->result.p > 0.5) == says_yes(gold);
    }
    pov_text_free(&name);
    cJSON_Delete(golds);
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

void pov_flip_sheets_take(pov_flip_sheets *g, const pov_answer_row *row)
{
    if (!row->has_result || !row->model || strcmp(row->question.paper, "comfort") != 0 ||
        isnan(row->image.phi_deg) || !row->question.columns)
        return;
    cJSON *columns = pov_json_parse_text(row->question.columns);
    const char *prompt = pov_json_text_of(columns, "prompt"),
               *relation = pov_json_text_of(columns, "relation");
    if (*prompt && *relation) {
        pov_text name = {0};
        char facing[16];
        name_facing(facing, columns, prompt);
        pov_text_add_part(&name, row->model);
        pov_text_add_part(&name, row->question.language);
        pov_text_add_part(&name, pov_json_text_of(columns, "scene"));
        pov_text_add_part(&name, facing);
        pov_text_add_part(&name, prompt);
        pov_text_add_part(&name, relation);
        sampled_curve *curve = need_curve(g, &name);
        pov_text_free(&name);
        POV_REQUIRE_MEMORY(pov_grow(&curve->samples, &curve->capacity, curve->len, sizeof *curve->samples));
        curve->samples[curve->len++] = (sample){pov_log_seen_deg(row->image.phi_deg, row->question.key),
                                                row->result.p, row->question.gold_p};
        curve->unscored += isnan(row->result.p);
        const double curve_deg = pov_log_seen_deg(row->image.curve_deg, row->question.key);
        bool *has =
            isnan(curve_deg) ? NULL : &curve->has[lround(curve_deg / POV_CURVE_STEP_DEG) % POV_CURVE_SAMPLES];
        g->has_beside |= !has || *has;
        if (has)
            *has = true;
        if (!isnan(row->result.p))
            count_frames(g, row, prompt);
    }
    cJSON_Delete(columns);
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
            pov_flip_add(flip, grid, curve->samples[i].phi_deg, curve->samples[i].p);
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

static void print_flips(pov_sheet *sheet, const gathered *g)
{
    pov_flip_grid *grid = pov_flip_grid_new();
    pov_sheet_add_table(
        sheet, "flips",
        "Where answers flip, from all answers at their own angles (degrees of phi ± standard deviation)\n"
        "width: over how many degrees, lapse: % of answers by chance, each with 95 % of a coarse grid; "
        "\"-\": not known to 30 degrees, as of always yes");
    for (int i = 0; i < pov_name_set_len(g->curve_names); i++) {
        const sampled_curve *curve = &g->curves[i];
        pov_flips flips;
        const bool known = find_flips(&flips, curve, grid);
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

void pov_flip_sheets_print(const pov_flip_sheets *sheets, pov_sheet *sheet, bool beside_only)
{
    if (pov_name_set_len(sheets->curve_names) == 0 || (beside_only && !sheets->has_beside))
        return;
    print_flips(sheet, sheets);
    print_frames(sheet, sheets);
}

pov_flip_sheets *pov_flip_sheets_new(void)
{
    gathered *g = pov_allocate(1, sizeof *g);
    g->curve_names = pov_name_set_new();
    g->frame_names = pov_name_set_new();
    return g;
}

void pov_flip_sheets_destroy(pov_flip_sheets **sheets)
{
    gathered *g = *sheets;
    if (!g)
        return;
    for (int i = 0; i < pov_name_set_len(g->curve_names); i++)
        free(g->curves[i].samples);
    pov_name_set_destroy(&g->curve_names);
    pov_name_set_destroy(&g->frame_names);
    free(g->curves);
    free(g->frames);
    free(g);
    *sheets = NULL;
}
