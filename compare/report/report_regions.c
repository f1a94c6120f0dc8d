/* COMFORT's Figure 8 by region: the frame that a model's languages prefer, weighted by who speaks them there. */
#include "compare/report/report_figures_internal.h"

#include "compare/report/speakers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    LANGUAGES_MAX = POV_LANGUAGES_MAX,
    OF_A_REGION = 3 /* as the paper's */,
    LANGUAGES_MIN = 3,
    REGIONS_MAX = 40
};

typedef struct {
    const char *code;
    char *name;
    double
        gain; /* eps cos of the relative frame less that of the intrinsic one: above 0, the intrinsic one is nearer */
} asked_language;

typedef struct {
    asked_language list[LANGUAGES_MAX];
    int len, left_out; /* left_out: languages for which there is no room */
} asked_languages;

typedef struct {
    const char *name;
    double all;                     /* speakers of all languages */
    double speakers[LANGUAGES_MAX]; /* of each that was asked */
    int top[OF_A_REGION], top_len;  /* those with the most speakers */
    double covered, gain;           /* their speakers; NaN: none was asked */
} region;

/* "zh_Hant" and "zh-Hans" are "zh"; "en+cot" is another condition. */
static size_t measure_language(const char *code)
{
    return strcspn(code, "-_+");
}

static bool is_language(const char *a, const char *b)
{
    const size_t len = measure_language(a);
    return len == measure_language(b) && strncmp(a, b, len) == 0;
}

static bool has_language(const asked_languages *asked, const char *code)
{
    for (int i = 0; i < asked->len; i++)
        if (is_language(asked->list[i].code, code))
            return true;
    return false;
}

static void free_languages(asked_languages *asked)
{
    for (int i = 0; i < asked->len; i++)
        free(asked->list[i].name);
}

/* The languages in which a model was asked about cars in a prompt, each once and without conditions. */
static void list_languages(asked_languages *asked, const pov_figure_maker *m, const char *model,
                           pov_prompt prompt)
{
    const pov_comfort_data *data = m->answers->comfort;
    enum { RELATIVE, INTRINSIC }; /* of POV_PREFER_PERSPECTIVE */
    for (int g = 0; g < pov_comfort_data_groups(data); g++) {
        const pov_comfort_group *group = pov_comfort_data_group(data, g);
        const pov_estimate *eps = m->answers->tables[g].preference[POV_PREFER_PERSPECTIVE].eps_cosine;
        const pov_language *language;
        if (strcmp(group->model, model) != 0 || !group->has_front || group->prompt != prompt ||
            strchr(group->language, '+') || has_language(asked, group->language) ||
            isnan(eps[RELATIVE].mean) || isnan(eps[INTRINSIC].mean))
            continue;
        if (asked->len == LANGUAGES_MAX) {
            asked->left_out++;
            continue;
        }
        const bool is_known = pov_languages_find(&language, m->languages, group->language).code == POV_OK;
        asked->list[asked->len++] =
            (asked_language){.code = group->language,
                             .name = pov_text_new("%s", is_known ? language->name : group->language),
                             .gain = eps[RELATIVE].mean - eps[INTRINSIC].mean};
    }
}

static region *need_region(region *regions, int *len, const char *name)
{
    for (int i = 0; i < *len; i++)
        if (strcmp(regions[i].name, name) == 0)
            return &regions[i];
    POV_REQUIRE(*len < REGIONS_MAX);
    regions[*len] = (region){.name = name, .gain = NAN};
    return &regions[(*len)++];
}

static int gather_regions(region *regions, const asked_languages *asked)
{
    int len = 0;
    for (const pov_speakers *s = POV_SPEAKERS; s->region; s++) {
        region *r = need_region(regions, &len, s->region);
        r->all += s->speakers;
        for (int i = 0; i < asked->len; i++)
            r->speakers[i] += is_language(asked->list[i].code, s->language) ? s->speakers : 0;
    }
    return len;
}

/* Weighs the three that most people speak. */
static void weigh_languages(region *r, const asked_languages *asked)
{
    double sum = 0;
    for (int i = 0; i < asked->len; i++) {
        int at = r->top_len < OF_A_REGION ? r->top_len++ : OF_A_REGION;
        for (; at > 0 && r->speakers[r->top[at - 1]] < r->speakers[i]; at--)
            if (at < OF_A_REGION)
                r->top[at] = r->top[at - 1];
        if (at < OF_A_REGION)
            r->top[at] = i;
    }
    while (r->top_len > 0 && r->speakers[r->top[r->top_len - 1]] <= 0)
        r->top_len--;
    for (int i = 0; i < r->top_len; i++) {
        r->covered += r->speakers[r->top[i]];
        sum += r->speakers[r->top[i]] * asked->list[r->top[i]].gain;
    }
    r->gain = r->covered > 0 ? sum / r->covered : NAN;
}

/* The greatest gain first; those without languages last, by name. */
static int compare_regions(const void *a, const void *b)
{
    const region *one = a, *other = b;
    if (isnan(one->gain) != isnan(other->gain))
        return isnan(one->gain) ? 1 : -1;
    return one->gain > other->gain ? -1 : one->gain < other->gain ? 1 : strcmp(one->name, other->name);
}

static void add_percent(pov_text *text, double share)
{
    pov_text_add(text, share < 0.0995 ? "%.2g\u00a0%%" : "%.0f\u00a0%%", 100 * share);
}

/* "Eastern Africa: Swahili 61 %, English 39 %; of 34 % of speakers". */
static char *name_region(const region *r, const asked_languages *asked)
{
    pov_text text = {0};
    pov_text_set(&text, "%s: ", r->name);
    for (int i = 0; i < r->top_len; i++) {
        pov_text_add(&text, "%s%s ", i > 0 ? ", " : "", asked->list[r->top[i]].name);
        add_percent(&text, r->speakers[r->top[i]] / r->covered);
    }
    pov_text_add(&text, r->top_len > 0 ? "; of " : "not covered: none of its languages was asked");
    if (r->top_len > 0) {
        add_percent(&text, r->covered / r->all);
        pov_text_add(&text, " of speakers");
    }
    return pov_text_take(&text);
}

static void add_row(pov_figure *f, const region *r, const asked_languages *asked)
{
    pov_figure_row *row = &f->rows[f->len++];
    *row = (pov_figure_row){.name = name_region(r, asked), .chance = NAN};
    row->at[0] = (pov_estimate){r->gain, NAN, NAN, r->top_len};
    while (!isnan(r->gain) && f->span < 100 * fabs(r->gain))
        f->span += 10;
}

static void fill_regions(pov_figure *f, const asked_languages *asked)
{
    region *regions = pov_allocate(REGIONS_MAX, sizeof *regions);
    const int len = gather_regions(regions, asked);
    for (int i = 0; i < len; i++)
        weigh_languages(&regions[i], asked);
    qsort(regions, (size_t)len, sizeof *regions, compare_regions);
    f->span = 10;
    for (int i = 0; i < len; i++)
        add_row(f, &regions[i], asked);
    free(regions);
}

void pov_figure_maker_regions(const pov_figure_maker *m, const char *model, pov_prompt prompt)
{
    asked_languages *asked = pov_allocate(1, sizeof *asked);
    pov_figure *f = m->figure;
    list_languages(asked, m, model, prompt);
    if (asked->len >= LANGUAGES_MIN && *POV_SPEAKERS_VERSION) {
        const char *who = *model ? model : "the model";
        fill_regions(f, asked);
        f->kind = POV_FIGURE_INTERVALS;
        f->axis = "ε cos × 100: relative less intrinsic";
        f->columns[0] = "relative less intrinsic";
        f->columns_len = 1;
        pov_text_set(&f->title, "Intrinsic or relative frame by region, %s", who);
        pov_text_set(
            &f->caption,
            "Preference of the intrinsic over the relative frame by region: %s, %s. Form of COMFORT's "
            "Figure 8; bars to the right: the intrinsic frame is nearer to the answers. Each region counts "
            "the "
            "three asked languages that most people there speak, weighted "
            "by their speakers, who are the given share of the speakers of all its languages. Speakers: "
            "Unicode "
            "CLDR %s, where the paper has the World Factbook.",
            who, pov_report_prompt_words(prompt), POV_SPEAKERS_VERSION);
        if (asked->left_out > 0)
            pov_text_add(&f->caption, " %d languages more were asked than the figure takes.",
                         asked->left_out);
        pov_figure_maker_name(m, "figure8_regions", model);
        pov_figure_maker_hand_over_rows(m);
    }
    free_languages(asked);
    free(asked);
}

char *pov_report_region_words(const pov_comfort_data *data)
{
    asked_languages *asked = pov_allocate(1, sizeof *asked);
    for (int g = 0; g < pov_comfort_data_groups(data) && asked->len < LANGUAGES_MIN;
         g++) { /* are there enough? */
        const pov_comfort_group *group = pov_comfort_data_group(data, g);
        if (group->has_front && !strchr(group->language, '+') && !has_language(asked, group->language))
            asked->list[asked->len++].code = group->language;
    }
    const int len = asked->len;
    free(asked);
    if (len < LANGUAGES_MIN)
        return pov_text_new("%s", "");
    return *POV_SPEAKERS_VERSION
               ? pov_text_new("By region (in place of the map of the paper's Figure 8): of each region of "
                              "the United Nations' "
                              "M49, the three asked languages that most people there speak, weighted by "
                              "their speakers "
                              "in Unicode CLDR %s (territoryInfo, second languages included), where the "
                              "paper takes the World "
                              "Factbook; ε cos of the relative frame, in the convention of the language, "
                              "less that of the "
                              "intrinsic one. A region in which none was asked is listed as not covered.",
                              POV_SPEAKERS_VERSION)
               : pov_text_new("There is no figure by region: this pov was built without Unicode CLDR "
                              "(unicode-cldr-core), which tells who speaks what where.");
}
