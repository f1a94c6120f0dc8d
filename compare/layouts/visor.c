#include "compare/layouts/visor.h"

#include "compare/statistics/name_set.h"
#include "compare/tables/table.h"
#include "config/files/grow.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- one picture ---- */

/* The rule of spatialEval (Cho et al. 2023), as the authors' script has it. */
static bool relation_stands(pov_relation relation, const pov_found_thing *locatum,
                            const pov_found_thing *relatum)
{
    const double apart_px = (locatum->left_px + locatum->right_px - relatum->left_px - relatum->right_px) / 2;
    switch (relation) {
    case POV_LEFT_OF:
        return apart_px < -1;
    case POV_RIGHT_OF:
        return apart_px > 1;
    case POV_IN_FRONT_OF:
        return locatum->nearness > relatum->nearness;
    default:
        return locatum->nearness < relatum->nearness;
    }
}

/* True if the relation holds for some pair, one of each, between the boxes' centres: left and right by more than 1 px, in front by the
 * larger nearness. False if none does, or that pair's depth is not known. Pure. */
static bool picture_holds(pov_relation relation, const pov_found_thing *locata, int locata_len,
                          const pov_found_thing *relata, int relata_len)
{
    for (int i = 0; i < locata_len; i++)
        for (int k = 0; k < relata_len; k++)
            if (relation_stands(relation, &locata[i], &relata[k]))
                return true;
    return false;
}

/* ---- reading ---- */

typedef struct {
    int picture, row;
    bool is_relatum;
    pov_found_thing thing;
} found;

/* How often a thing should be visible, and was missing. */
typedef struct {
    int asked, missing;
} absence;

struct pov_visor {
    const pov_captions *captions;
    pov_captions *own;
    pov_formulas formulas;
    pov_name_set *models, *keys, *things; /* keys: model, caption, number of each picture */
    pov_picture *pictures;                /* by model, caption, number */
    int pictures_capacity;
    int *model_end; /* [model] of its pictures */
    found *found;   /* until all are judged */
    int found_len, found_capacity;
    absence *absences; /* [model][thing] */
};

typedef struct {
    pov_visor *visor;
    const pov_table *table;
    int model, id, number, image, label, box, edges[4], depth; /* columns */
    int row;
} reader;

static int first_column(const pov_table *table, const char *const names[])
{
    int column = -1;
    for (int i = 0; names[i] && column < 0; i++)
        column = pov_table_column(table, names[i]);
    return column;
}

static pov_status find_columns(reader *r)
{
    static const char *const edges[] = {"x1", "y1", "x2", "y2"};
    const pov_table *t = r->table;
    r->model = pov_table_column(t, "model");
    r->id = pov_table_column(t, "id");
    r->number = pov_table_column(t, "picture");
    r->image = first_column(t, (const char *const[]){"image", "image_path", NULL});
    r->box = first_column(t, (const char *const[]){"box", "box_px", NULL});
    r->label = first_column(t, (const char *const[]){"label", "class", NULL});
    r->depth = pov_table_column(t, "depth");
    for (int i = 0; i < 4; i++)
        r->edges[i] = pov_table_column(t, edges[i]);
    if (r->image < 0 && (r->id < 0 || r->number < 0))
        return pov_error(
            "%s:1: neither a column 'image' (ID_gen_0.png) nor 'id' and 'picture'; see docs/SCORES.md",
            pov_table_name(t));
    return pov_ok();
}

static const char *cell(const reader *r, int column)
{
    return pov_table_cell(r->table, r->row, column);
}

/* "out/FRTEXT000000_left_gen_2.png": the caption's id, and 2. */
static bool split_name(char id[400], int *number, const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path, *mark = NULL;
    for (const char *at = name; (at = strstr(at, "_gen_")); at++)
        mark = at;
    if (!mark || mark[5] < '0' || mark[5] > '9' || (mark[6] != '.' && mark[6] != '\0') || mark - name >= 400)
        return false;
    snprintf(id, 400, "%.*s", (int)(mark - name), name);
    *number = mark[5] - '0';
    return true;
}

static pov_status find_caption(int *caption, int *number, const reader *r)
{
    char id[400] = "";
    double told = NAN;
    *number = -1;
    if (*cell(r, r->image) && !split_name(id, number, cell(r, r->image)) &&
        !(*cell(r, r->id) && *cell(r, r->number)))
        return pov_cell_complain(r->table, r->row, r->image,
                                 "'%.80s': expected a caption's id, _gen_ and 0 to 3", cell(r, r->image));
    if (*cell(r, r->id))
        snprintf(id, sizeof id, "%s", cell(r, r->id));
    POV_TRY(pov_cell_number(&told, r->table, r->row, r->number, 0, POV_PICTURES_EACH - 1));
    *number = isnan(told) ? *number : (int)told;
    if (*number < 0 || *number >= POV_PICTURES_EACH || (!isnan(told) && told != floor(told)))
        return pov_cell_complain(r->table, r->row, r->number, "a caption's pictures are numbered 0 to %d",
                                 POV_PICTURES_EACH - 1);
    *caption = pov_captions_find(r->visor->captions, id);
    return *caption >= 0 ? pov_ok()
                         : pov_cell_complain(r->table, r->row, *cell(r, r->id) ? r->id : r->image,
                                             "'%.80s' is not among the captions", id);
}

static pov_status need_picture(int *picture, const reader *r)
{
    pov_visor *v = r->visor;
    int key[3];
    const int len = pov_name_set_len(v->keys);
    const char *model = cell(r, r->model);
    POV_TRY(find_caption(&key[1], &key[2], r));
    key[0] = pov_name_set_add(v->models, model, strlen(model));
    POV_REQUIRE_MEMORY(pov_grow(&v->pictures, &v->pictures_capacity, len, sizeof *v->pictures));
    *picture = pov_name_set_add(v->keys, key, sizeof key);
    if (*picture == len)
        v->pictures[len] = (pov_picture){.model = key[0], .caption = key[1], .number = key[2], .row = r->row};
    return pov_ok();
}

/* Four numbers with "|" between; a fifth is the depth. */
static pov_status read_list(double values[5], const reader *r)
{
    const char *at = cell(r, r->box);
    for (int i = 0; i < 5; i++) {
        char *end;
        values[i] = strtod(at, &end);
        if (i == 4 && *at == '\0')
            values[i] = NAN;
        else if (end == at || !isfinite(values[i]) || (*end && *end != '|' && *end != ' ' && *end != ','))
            return pov_cell_complain(r->table, r->row, r->box, "'%.60s': expected [x1, y1, x2, y2] in pixels",
                                     cell(r, r->box));
        at = end + (*end != '\0');
        while (*at == ' ')
            at++;
    }
    return *at == '\0' ? pov_ok()
                       : pov_cell_complain(r->table, r->row, r->box,
                                           "'%.60s': more than four numbers and a depth", cell(r, r->box));
}

static pov_status read_thing(pov_found_thing *thing, const reader *r)
{
    static const double far = 1e6;
    double values[5] = {NAN, NAN, NAN, NAN, NAN}, depth;
    if (*cell(r, r->box))
        POV_TRY(read_list(values, r));
    for (int i = 0; i < 4 && !*cell(r, r->box); i++) {
        POV_TRY(pov_cell_number(&values[i], r->table, r->row, r->edges[i], -far, far));
        if (isnan(values[i]))
            return pov_cell_complain(r->table, r->row, r->edges[i], "is empty: x1, y1, x2, y2, or box");
    }
    POV_TRY(pov_cell_number(&depth, r->table, r->row, r->depth, -1e30, 1e30));
    *thing = (pov_found_thing){values[0], values[1], values[2], values[3], isnan(depth) ? values[4] : depth};
    return thing->right_px > thing->left_px && thing->bottom_px > thing->top_px
               ? pov_ok()
               : pov_cell_complain(r->table, r->row, *cell(r, r->box) ? r->box : r->edges[0],
                                   "%g, %g, %g, %g: x2 must be above x1, and y2 above y1", values[0],
                                   values[1], values[2], values[3]);
}

static pov_status add_row(const reader *r)
{
    pov_visor *v = r->visor;
    int picture;
    POV_TRY(need_picture(&picture, r));
    const char *label = cell(r, r->label);
    const pov_caption *caption = pov_captions_at(v->captions, v->pictures[picture].caption);
    if (*label == '\0')
        return pov_ok();
    const bool is_locatum = pov_caption_is_name(label, caption->locatum);
    found one = {.picture = picture, .row = r->row, .is_relatum = !is_locatum};
    POV_TRY(read_thing(&one.thing, r));
    if (!is_locatum && !pov_caption_is_name(label, caption->relatum))
        return pov_ok();
    POV_REQUIRE_MEMORY(pov_grow(&v->found, &v->found_capacity, v->found_len, sizeof *v->found));
    v->found[v->found_len++] = one;
    return pov_ok();
}

/* ---- judging ---- */

static int compare_found(const void *a, const void *b)
{
    const found *one = a, *other = b;
    if (one->picture != other->picture)
        return one->picture < other->picture ? -1 : 1;
    if (one->is_relatum != other->is_relatum)
        return one->is_relatum ? 1 : -1;
    return (one->row > other->row) - (one->row < other->row);
}

static bool needs_depth(unsigned relations)
{
    return relations & (1u << POV_IN_FRONT_OF | 1u << POV_BEHIND);
}

static pov_relation relation_of(unsigned bit)
{
    int relation = POV_LEFT_OF;
    while (bit >> relation > 1)
        relation++;
    return (pov_relation)relation;
}

/* Things of one picture, first the locata. */
static pov_status judge_picture(pov_picture *picture, const pov_caption *caption, const found *list, int len,
                                const pov_table *table)
{
    enum { THINGS_MAX = 512 };
    pov_found_thing things[THINGS_MAX];
    const pov_caption_readings readings = pov_caption_read(caption);
    int locata = 0;
    if (len > THINGS_MAX)
        return pov_error("%s:%d: more than %d things in a picture", pov_table_name(table),
                         pov_table_line(table, list[0].row), THINGS_MAX);
    for (int i = 0; i < len; i++) {
        things[i] = list[i].thing;
        locata += !list[i].is_relatum;
    }
    const int relata = len - locata;
    picture->shows = (pov_picture_shows){.has_locatum = locata > 0, .has_relatum = relata > 0};
    for (int i = 0; i < len && locata > 0 && relata > 0; i++)
        if (isnan(things[i].nearness) && needs_depth(readings.relative | readings.intrinsic))
            return pov_error("%s:%d: depth: is empty, and \"%.40s\" needs it: larger for nearer things",
                             pov_table_name(table), pov_table_line(table, list[i].row), caption->id);
    if (readings.relative)
        picture->shows.relative =
            picture_holds(relation_of(readings.relative), things, locata, things + locata, relata);
    if (readings.intrinsic)
        picture->shows.intrinsic =
            picture_holds(relation_of(readings.intrinsic), things, locata, things + locata, relata);
    return pov_ok();
}

static pov_status judge_all(pov_visor *v, const pov_table *table)
{
    if (v->found_len > 0)
        qsort(v->found, (size_t)v->found_len, sizeof *v->found, compare_found);
    for (int i = 0, end; i < v->found_len; i = end) {
        pov_picture *picture = &v->pictures[v->found[i].picture];
        for (end = i; end < v->found_len && v->found[end].picture == v->found[i].picture;)
            end++;
        POV_TRY(judge_picture(picture, pov_captions_at(v->captions, picture->caption), v->found + i, end - i,
                              table));
    }
    return pov_ok();
}

static int compare_pictures(const void *a, const void *b)
{
    const pov_picture *one = a, *other = b;
    if (one->model != other->model)
        return one->model < other->model ? -1 : 1;
    if (one->caption != other->caption)
        return one->caption < other->caption ? -1 : 1;
    return (one->number > other->number) - (one->number < other->number);
}

static void order_pictures(pov_visor *v)
{
    const int len = pov_visor_pictures(v);
    v->model_end = pov_allocate((size_t)pov_visor_models(v) + 1, sizeof *v->model_end);
    if (len > 0)
        qsort(v->pictures, (size_t)len, sizeof *v->pictures, compare_pictures);
    for (int i = 0; i < len; i++)
        v->model_end[v->pictures[i].model] = i + 1;
}

static void count_absences(pov_visor *v)
{
    const int models = pov_visor_models(v);
    for (int c = 0; c < pov_captions_len(v->captions); c++) {
        const pov_caption *caption = pov_captions_at(v->captions, c);
        (void)pov_name_set_add(v->things, caption->locatum, strlen(caption->locatum));
        (void)pov_name_set_add(v->things, caption->relatum, strlen(caption->relatum));
    }
    const int things = pov_name_set_len(v->things);
    v->absences = pov_allocate((size_t)models * (size_t)things + 1, sizeof *v->absences);
    for (int i = 0; i < pov_visor_pictures(v); i++) {
        const pov_picture *picture = &v->pictures[i];
        const pov_caption *caption = pov_captions_at(v->captions, picture->caption);
        const char *names[] = {caption->locatum, caption->relatum};
        const bool has[] = {picture->shows.has_locatum, picture->shows.has_relatum};
        for (int k = 0; k < 2; k++) {
            const int thing = pov_name_set_find(v->things, names[k], strlen(names[k]));
            absence *of = &v->absences[picture->model * things + thing];
            of->asked++;
            of->missing += !has[k];
        }
    }
}

static pov_status read_all(pov_visor *v, const pov_table *table)
{
    reader r = {.visor = v, .table = table};
    v->models = pov_name_set_new();
    v->keys = pov_name_set_new();
    v->things = pov_name_set_new();
    if (!v->captions) {
        if (!pov_captions_are_in(table))
            return pov_error(
                "%s:1: no captions: give a file of them (--captions), or columns id, obj1, obj2, "
                "relation, frames; see docs/SCORES.md",
                pov_table_name(table));
        POV_TRY(pov_captions_of_table(&v->own, table));
        v->captions = v->own;
    }
    POV_TRY(find_columns(&r));
    for (r.row = 0; r.row < pov_table_len(table); r.row++)
        POV_TRY(add_row(&r));
    POV_TRY(judge_all(v, table));
    order_pictures(v);
    count_absences(v);
    return pov_ok();
}

pov_status pov_visor_new(pov_visor **visor, const pov_table *table, const pov_captions *captions,
                         pov_formulas formulas)
{
    pov_visor *v = *visor = pov_allocate(1, sizeof *v);
    v->captions = captions;
    v->formulas = formulas;
    const pov_status status = read_all(v, table);
    free(v->found);
    v->found = NULL;
    if (status.code != POV_OK)
        pov_visor_destroy(visor);
    return status;
}

void pov_visor_destroy(pov_visor **visor)
{
    pov_visor *v = *visor;
    if (!v)
        return;
    pov_captions_destroy(&v->own);
    pov_name_set_destroy(&v->models);
    pov_name_set_destroy(&v->keys);
    pov_name_set_destroy(&v->things);
    free(v->pictures);
    free(v->found);
    free(v->model_end);
    free(v->absences);
    free(v);
    *visor = NULL;
}

/* ---- looking ---- */

const pov_captions *pov_visor_captions(const pov_visor *visor)
{
    return visor->captions;
}

int pov_visor_models(const pov_visor *visor)
{
    return pov_name_set_len(visor->models);
}

const char *pov_visor_model(const pov_visor *visor, int model)
{
    return pov_name_set_at(visor->models, model);
}

int pov_visor_pictures(const pov_visor *visor)
{
    return pov_name_set_len(visor->keys);
}

const pov_picture *pov_visor_picture(const pov_visor *visor, int picture)
{
    POV_REQUIRE(picture >= 0 && picture < pov_visor_pictures(visor));
    return &visor->pictures[picture];
}

static bool has_both(const pov_picture *picture)
{
    return picture->shows.has_locatum && picture->shows.has_relatum;
}

bool pov_visor_is_right(const pov_visor *visor, const pov_picture *picture)
{
    const unsigned external = 1u << POV_EXTERNAL_RELATIVE | 1u << POV_EXTERNAL_INTRINSIC;
    if (visor->formulas == POV_FORMULAS_RELEASED && !has_both(picture))
        return pov_captions_at(visor->captions, picture->caption)->frames & external;
    return picture->shows.relative || picture->shows.intrinsic;
}

bool pov_visor_missing(const pov_visor *visor, const char **name, int *asked, int *missing, int model,
                       int thing)
{
    const int things = pov_name_set_len(visor->things);
    if (thing < 0 || thing >= things)
        return false;
    const absence *of = &visor->absences[model * things + thing];
    *name = pov_name_set_at(visor->things, thing);
    *asked = of->asked;
    *missing = of->missing;
    return true;
}

/* ---- scores ---- */

POV_ENUM_NAMES(pov_caption_kind_name, pov_caption_kind, POV_CAPTION_KINDS, "all", "front", "no front", "cow",
               "car", "box", "pen", "all", "external intrinsic", "external relative")

pov_split pov_caption_kind_split(pov_caption_kind kind)
{
    return kind < POV_CAPTIONS_C ? POV_SPLIT_A : POV_SPLIT_C;
}

POV_ENUM_NAMES(pov_visor_measure_name, pov_visor_measure, POV_VISOR_MEASURES, "VISOR_cond", "VISOR_uncond",
               "both_things", "VISOR_1", "VISOR_2", "VISOR_3", "VISOR_4")

static bool is_of(const pov_caption *caption, pov_caption_kind kind)
{
    const bool front = caption->frames & (1u << POV_EXTERNAL_INTRINSIC | 1u << POV_INTERNAL_INTRINSIC),
               container = caption->frames & (1u << POV_INTERNAL_RELATIVE | 1u << POV_INTERNAL_INTRINSIC);
    if (caption->split != pov_caption_kind_split(kind))
        return false;
    switch (kind) {
    case POV_CAPTIONS_A_FRONT:
    case POV_CAPTIONS_C_INTRINSIC:
        return front;
    case POV_CAPTIONS_A_NO_FRONT:
    case POV_CAPTIONS_C_RELATIVE:
        return !front;
    case POV_CAPTIONS_A_COW:
        return front && !container;
    case POV_CAPTIONS_A_CAR:
        return front && container;
    case POV_CAPTIONS_A_BOX:
        return !front && container;
    case POV_CAPTIONS_A_PEN:
        return !front && !container;
    default:
        return true;
    }
}

/* Sums of one caption. */
enum { RIGHT_OF_BOTH, BOTH, RIGHT, PICTURES, AT_LEAST, COLUMNS = AT_LEAST + POV_PICTURES_EACH };

typedef struct {
    double *columns[COLUMNS]; /* [caption] of one model */
    double *values;           /* [column][unit] of one kind */
    pov_bootstrap *bootstrap;
} scorer;

static void add_picture(pov_visor_score *score, const pov_visor *v, const pov_picture *picture)
{
    const pov_caption_readings readings = pov_caption_read(pov_captions_at(v->captions, picture->caption));
    const bool both = has_both(picture);
    score->pictures++;
    score->both += both;
    score->right += pov_visor_is_right(v, picture);
    score->may_be_relative += both && readings.relative;
    score->relative += both && picture->shows.relative;
    score->may_be_intrinsic += both && readings.intrinsic;
    score->intrinsic += both && picture->shows.intrinsic;
    score->no_locatum += !picture->shows.has_locatum;
    score->no_relatum += !picture->shows.has_relatum;
}

static int first_of(const pov_visor *v, int model)
{
    return model > 0 ? v->model_end[model - 1] : 0;
}

static void sum_captions(scorer *s, const pov_visor *v, int model)
{
    const int len = pov_captions_len(v->captions);
    for (int c = 0; c < COLUMNS; c++)
        memset(s->columns[c], 0, (size_t)len * sizeof(double));
    for (int i = first_of(v, model); i < v->model_end[model]; i++) {
        const pov_picture *picture = &v->pictures[i];
        const bool right = pov_visor_is_right(v, picture), both = has_both(picture);
        s->columns[RIGHT_OF_BOTH][picture->caption] += right && both;
        s->columns[BOTH][picture->caption] += both;
        s->columns[RIGHT][picture->caption] += right;
        s->columns[PICTURES][picture->caption]++;
    }
    for (int i = 0; i < len; i++)
        for (int n = 0; n < POV_PICTURES_EACH; n++)
            s->columns[AT_LEAST + n][i] = s->columns[RIGHT][i] > n;
}

/* Counts the captions that have pictures; the released script counts all. */
static int gather_units(scorer *s, pov_visor_score *score, const pov_visor *v, pov_caption_kind kind,
                        bool complete)
{
    const int captions = pov_captions_len(v->captions);
    const bool released = v->formulas == POV_FORMULAS_RELEASED;
    int len = 0;
    for (int i = 0; i < captions; i++) {
        const double pictures = s->columns[PICTURES][i];
        if (!is_of(pov_captions_at(v->captions, i), kind) || (pictures == 0 && !released))
            continue;
        if (!complete) {
            score->captions++;
            score->incomplete += pictures < POV_PICTURES_EACH;
        } else if (pictures < POV_PICTURES_EACH) {
            continue;
        }
        for (int c = 0; c < COLUMNS; c++)
            s->values[(size_t)c * (size_t)captions + (size_t)len] =
                c == PICTURES && released ? POV_PICTURES_EACH : s->columns[c][i];
        len++;
    }
    return len;
}

static void estimate_share(scorer *s, pov_visor_score *score, const pov_visor *v, pov_caption_kind kind)
{
    pov_estimate means[COLUMNS];
    pov_sample sample = {.values = s->values,
                         .columns = COLUMNS,
                         .stride = pov_captions_len(v->captions),
                         .units = gather_units(s, score, v, kind, false),
                         .strata = 1};
    const pov_estimate none = {NAN, NAN, NAN, 0};
    const bool released = v->formulas == POV_FORMULAS_RELEASED;
    pov_bootstrap_means(s->bootstrap, means, NULL, &sample);
    score->measures[POV_VISOR_COND] =
        released ? none : pov_bootstrap_ratio(s->bootstrap, &sample, RIGHT_OF_BOTH, BOTH);
    score->measures[POV_VISOR_UNCOND] = pov_bootstrap_ratio(s->bootstrap, &sample, RIGHT, PICTURES);
    score->measures[POV_VISOR_OBJECTS] = pov_bootstrap_ratio(s->bootstrap, &sample, BOTH, PICTURES);
    if (score->incomplete > 0 && !released) {
        sample.units = gather_units(s, score, v, kind, true);
        pov_bootstrap_means(s->bootstrap, means, NULL, &sample);
    }
    for (int n = 0; n < POV_PICTURES_EACH; n++)
        score->measures[POV_VISOR_1 + n] = released ? none : means[AT_LEAST + n];
}

static scorer make_scorer(int captions, const pov_bootstrap_options *options)
{
    scorer s = {.values = pov_allocate((size_t)captions * COLUMNS + 1, sizeof(double)),
                .bootstrap = pov_bootstrap_new(captions, options)};
    for (int c = 0; c < COLUMNS; c++)
        s.columns[c] = pov_allocate((size_t)captions + 1, sizeof(double));
    _Static_assert((int)COLUMNS <= (int)POV_COLUMNS_MAX, "columns of a sample");
    return s;
}

static void free_scorer(scorer *s)
{
    for (int c = 0; c < COLUMNS; c++)
        free(s->columns[c]);
    free(s->values);
    pov_bootstrap_destroy(&s->bootstrap);
}

void pov_visor_score_all(pov_visor_scores *scores, const pov_visor *visor, int model,
                         const pov_bootstrap_options *options)
{
    scorer s = make_scorer(pov_captions_len(visor->captions), options);
    *scores = (pov_visor_scores){.of = {{0}}};
    sum_captions(&s, visor, model);
    for (int k = 0; k < POV_CAPTION_KINDS; k++) {
        for (int i = first_of(visor, model); i < visor->model_end[model]; i++)
            if (is_of(pov_captions_at(visor->captions, visor->pictures[i].caption), (pov_caption_kind)k))
                add_picture(&scores->of[k], visor, &visor->pictures[i]);
        estimate_share(&s, &scores->of[k], visor, (pov_caption_kind)k);
    }
    free_scorer(&s);
}
