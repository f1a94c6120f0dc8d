/* The figures of a report, one after the other, in the order of COMFORT's. */
#include "compare/report/report_internal.h"

#include "compare/languages/language.h"
#include "compare/report/circle_curves.h"
#include "compare/scores/comfort_score.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const relation_words[POV_COMFORT_RELATIONS] = {"left", "right", "in front", "behind"};

typedef struct {
    const pov_report *report;
    const pov_report_part *part;
    const pov_answers *answers;
    pov_report_visit visit;
    void *context;
    pov_figure *figure; /* the one being made */
    pov_report_place place;
    const pov_languages *languages;
    const char *summary; /* name of the figure that the part begins with; NULL: none */
} maker;

/* Letters, digits and "_" of the number of the file (if others are of the same paper), a form and a name. */
static void name_figure(const maker *m, const char *form, const char *of)
{
    char *name = m->figure->name;
    pov_text text = {0};
    int number = (int)(m->part - m->report->parts), length = 0;
    if (pov_report_has_others(m->report, number))
        pov_text_set(&text, "%s_%d_%s_%s", pov_answers_paper_name(m->answers), number + 1, form, of);
    else
        pov_text_set(&text, "%s_%s_%s", pov_answers_paper_name(m->answers), form, of);
    for (const char *at = pov_text_of(&text); *at != '\0' && length < POV_FIGURE_NAME - 1; at++)
        if (isalnum((unsigned char)*at))
            name[length++] = *at;
        else if (length > 0 && name[length - 1] != '_')
            name[length++] = '_';
    while (length > 0 && name[length - 1] == '_')
        length--;
    name[length] = '\0';
    pov_text_free(&text);
}

/* Rows of intervals in several figures, of at most 400 px: a third of a page. */
static void hand_over_rows(const maker *m)
{
    pov_figure *f = m->figure, *part = pov_figure_new();
    const int rows_max = 400 / (25 + 11 * f->columns_len), parts = (f->len + rows_max - 1) / rows_max;
    for (int i = 0; i < parts; i++) {
        pov_figure_panel *panels = part->panels;
        *part = *f;
        part->panels = panels;
        part->len = (i + 1) * f->len / parts - i * f->len / parts;
        memcpy(part->rows, f->rows + i * f->len / parts, (size_t)part->len * sizeof *part->rows);
        part->caption = (pov_text){0};
        pov_text_set(&part->caption, "%s", pov_text_of(&f->caption));
        if (parts > 1) {
            snprintf(part->name, sizeof part->name, "%.140s_%d", f->name, i + 1);
            pov_text_add(&part->caption, " (%d of %d)", i + 1, parts);
        }
        m->visit(m->context, part, &m->place);
        pov_text_free(&part->caption);
        *part = (pov_figure){.panels = panels}; /* the rest is the whole figure's */
    }
    pov_figure_destroy(&part);
    pov_figure_clear(f);
}

static void hand_over(const maker *m)
{
    m->visit(m->context, m->figure, &m->place);
    pov_figure_clear(m->figure);
}

/* ---- COMFORT's figures of a group ---- */

typedef struct {
    const pov_comfort_group *group;
    const pov_comfort_tables *tables;
    const pov_comfort_curve *curves; /* the group's */
    pov_reading reading;             /* that the prompt asks for */
    const pov_bootstrap_options *bootstrap;
    const char *name;
} comfort_view;

enum { RAW, STRETCHED, MIRRORED, OPPOSITE }; /* of P(yes) */

/* The opposite relation of the same scene and variant; NULL: it was not asked. */
static const pov_comfort_curve *find_opposite(const comfort_view *v, const pov_comfort_curve *of)
{
    static const pov_relation opposites[POV_COMFORT_RELATIONS] = {POV_RIGHT_OF, POV_LEFT_OF, POV_BEHIND,
                                                                  POV_IN_FRONT_OF};
    for (int i = 0; i < v->group->len; i++)
        if (v->curves[i].relation == opposites[of->relation] && v->curves[i].scene == of->scene &&
            v->curves[i].variant == of->variant)
            return &v->curves[i];
    return NULL;
}

static void take_values(double p[POV_CURVE_SAMPLES], const pov_curve *curve, int form)
{
    pov_normalised stretched;
    pov_curve_normalise(&stretched, curve, POV_FORMULAS_PAPER);
    for (int i = 0; i < POV_CURVE_SAMPLES; i++)
        p[i] = form == RAW ? curve->p[i] : form == OPPOSITE ? 1 - stretched.p[i] : stretched.p[i];
}

/* A relation's curves by the angle from where it holds best. */
static pov_circle gather_by_theta(const comfort_view *v, pov_relation relation, int form)
{
    pov_circle c = pov_circle_new(v->group->len);
    double p[POV_CURVE_SAMPLES];
    for (int i = 0; i < v->group->len; i++) {
        const pov_comfort_curve *curve = &v->curves[i], *shown = curve;
        const double direction = pov_curve_direction_deg(relation, v->reading, curve->facings);
        if (form == OPPOSITE)
            shown = find_opposite(v, curve);
        if (curve->relation != relation || isnan(direction) || !shown)
            continue;
        take_values(p, &shown->curve, form);
        if (form == MIRRORED)
            pov_circle_add(&c, curve, p, pov_circle_steps(direction + 180), -1);
        else
            pov_circle_add(&c, curve, p, pov_circle_steps(direction - 180), 1);
    }
    return c;
}

/* Returns: the number of curves. */
static int add_by_theta(pov_figure_panel *panel, const comfort_view *v, pov_relation relation, int form,
                        const pov_series_form *look)
{
    pov_circle c = gather_by_theta(v, relation, form);
    const int len = c.len;
    if (len > 0)
        pov_panel_add_means(panel, &c, look, v->bootstrap);
    pov_circle_free(&c);
    return len;
}

static int count_curves(const comfort_view *v, pov_relation relation)
{
    pov_circle c = gather_by_theta(v, relation, RAW);
    pov_circle_free(&c);
    return c.len;
}

static int count_scenes(const comfort_view *v, pov_relation relation)
{
    pov_circle c = gather_by_theta(v, relation, RAW);
    const int scenes = pov_circle_scenes(&c);
    pov_circle_free(&c);
    return scenes;
}

static const pov_series_form stretched_form = {"P(yes), stretched to 0..1", "line strong", -180, false, true},
                             raw_form = {"P(yes)", "line raw", -180, false, false};
static const char theta_axis[] = "angle θ from where it holds best";

static const char *band_words(const comfort_view *v)
{
    bool several = false;
    for (int r = 0; r < POV_COMFORT_RELATIONS; r++)
        several |= count_scenes(v, (pov_relation)r) > 1;
    return several ? " Band: 95 % bootstrap interval of the mean over scenes." : "";
}

static pov_figure *begin_panels(const maker *m, pov_figure_kind kind, const comfort_view *v, int len)
{
    pov_figure *f = m->figure;
    f->kind = kind;
    f->axis = theta_axis;
    f->len = len;
    for (int p = 0; p < len; p++) {
        const pov_relation relation = (pov_relation)(p % POV_COMFORT_RELATIONS);
        const int scenes = count_scenes(v, relation);
        snprintf(f->panels[p].name, sizeof f->panels[p].name, "%s (n = %d scene%s)", relation_words[relation],
                 scenes, scenes == 1 ? "" : "s");
        f->panels[p].empty = "not asked, or there is no such frame";
    }
    return f;
}

/* Figure 5: P(yes) and the stretched P(yes), and both references. */
static void make_curves(const maker *m, const comfort_view *v)
{
    pov_figure *f = begin_panels(m, POV_FIGURE_ANGLES, v, POV_COMFORT_RELATIONS);
    for (int r = 0; r < f->len; r++) {
        if (count_curves(v, (pov_relation)r) == 0)
            continue;
        pov_panel_add_half_plane(&f->panels[r]);
        pov_panel_add_cosine(&f->panels[r], "(cos θ + 1) / 2", "line s0 dotted", 0);
        add_by_theta(&f->panels[r], v, (pov_relation)r, RAW, &raw_form);
        add_by_theta(&f->panels[r], v, (pov_relation)r, STRETCHED, &stretched_form);
    }
    name_figure(m, "figure5", v->name);
    pov_text_set(&f->title, "P(yes) by the angle from where each relation holds best, %s", v->name);
    pov_text_set(
        &f->caption,
        "P(yes) by the angle from where each relation holds best: %s. Form of COMFORT's Figure 5; mean over "
        "scenes; the angle is counted in the frame asked for.%s",
        v->name, band_words(v));
    hand_over(m);
}

/* Geometry's P(yes) at each place; the same for all curves that face alike. */
static void add_geometry(pov_figure_panel *panel, const maker *m, const comfort_view *v,
                         pov_relation relation)
{
    static const pov_series_form form = {"geometry", "band", 0, true, false};
    pov_circle c = pov_circle_new(v->group->len);
    for (int i = 0; i < v->group->len; i++) {
        double p[POV_CURVE_SAMPLES];
        const pov_report_case *cases = m->part->cases.all + (size_t)(v->group->first + i) * POV_CURVE_SAMPLES;
        if (v->curves[i].relation != relation)
            continue;
        for (int k = 0; k < POV_CURVE_SAMPLES; k++)
            p[k] = cases[k].row >= 0 || !isnan(cases[k].p) ? cases[k].p_geometry : NAN;
        pov_circle_add(&c, &v->curves[i], p, 0, 1);
    }
    pov_panel_add_means(panel, &c, &form, v->bootstrap);
    pov_circle_free(&c);
}

/* By the referent's place, as seen from above, with geometry's curve under it. */
static void make_polar(const maker *m, const comfort_view *v)
{
    static const pov_series_form form = {"P(yes)", "line s0", 0, true, true};
    pov_figure *f = begin_panels(m, POV_FIGURE_POLAR, v, POV_COMFORT_RELATIONS);
    for (int r = 0; r < f->len; r++) {
        pov_circle c = pov_circle_new(v->group->len);
        for (int i = 0; i < v->group->len; i++)
            if (v->curves[i].relation == (pov_relation)r)
                pov_circle_add(&c, &v->curves[i], v->curves[i].curve.p, 0, 1);
        if (c.len > 0) {
            add_geometry(&f->panels[r], m, v, (pov_relation)r);
            pov_panel_add_means(&f->panels[r], &c, &form, v->bootstrap);
        }
        pov_circle_free(&c);
    }
    name_figure(m, "figure5_from_above", v->name);
    pov_text_set(&f->title, "P(yes) by the referent's place as seen from above, %s", v->name);
    pov_text_set(
        &f->caption,
        "P(yes) by the referent's azimuth about the relatum, from above: %s. 0° is toward the camera; inner "
        "ring 0.5, outer ring 1. Grey: P(yes) by geometry in the frame asked for.%s",
        v->name, band_words(v));
    hand_over(m);
}

static void append_measure(pov_figure *f, const char *name, const pov_estimate *e)
{
    if (!isnan(e->mean))
        pov_text_add(&f->caption, " %s is %.1f (× 100).", name, 100 * e->mean);
}

/* Figure 6: what c sym and c opp measure. */
static void make_consistency(const maker *m, const comfort_view *v)
{
    static const pov_series_form mirrored = {"mirrored, at -θ", "line s1 dashed", -180, false, false},
                                 plain = {"P(yes), stretched to 0..1", "line strong", -180, false, false},
                                 opposite = {"1 less the opposite relation's", "line s0 dotted", -180, false,
                                             false};
    pov_figure *f = begin_panels(m, POV_FIGURE_ANGLES, v, POV_COMFORT_RELATIONS);
    for (int r = 0; r < f->len; r++) {
        if (add_by_theta(&f->panels[r], v, (pov_relation)r, STRETCHED, &plain) == 0)
            continue;
        add_by_theta(&f->panels[r], v, (pov_relation)r, MIRRORED, &mirrored);
        add_by_theta(&f->panels[r], v, (pov_relation)r, OPPOSITE, &opposite);
    }
    name_figure(m, "figure6", v->name);
    pov_text_set(&f->title, "Consistency of P(yes), %s", v->name);
    pov_text_set(
        &f->caption,
        "Consistency: %s. Form of COMFORT's Figure 6; a consistent model's three lines are one. Means over "
        "scenes.",
        v->name);
    append_measure(f, "c sym", &v->tables->score.overall[POV_C_SYM]);
    append_measure(f, "c opp", &v->tables->score.overall[POV_C_OPP]);
    hand_over(m);
}

/* Figure 7: the camera's axes by each convention, where they differ. */
static void make_conventions(const maker *m, const comfort_view *v)
{
    pov_figure *f = begin_panels(m, POV_FIGURE_ANGLES, v, POV_COMFORT_RELATIONS);
    const comfort_view reflected = {v->group,     v->tables, v->curves, {POV_EGOCENTRIC, POV_REFLECTED},
                                    v->bootstrap, ""};
    for (int r = 0; r < f->len; r++) {
        const bool is_lateral = r == POV_LEFT_OF || r == POV_RIGHT_OF;
        if (count_curves(&reflected, (pov_relation)r) == 0)
            continue;
        pov_panel_add_cosine(&f->panels[r], "reflected", "line s0 dotted", 0);
        pov_panel_add_cosine(&f->panels[r],
                             is_lateral ? "rotated (left, right)" : "translated (front, behind)",
                             is_lateral ? "line s2 dashdot" : "line s1 dashed", 180);
        add_by_theta(&f->panels[r], &reflected, (pov_relation)r, STRETCHED, &stretched_form);
    }
    f->axis = "angle θ from the reflected direction";
    name_figure(m, "figure7", v->name);
    pov_text_set(&f->title, "Conventions of the camera's axes, %s", v->name);
    pov_text_set(
        &f->caption,
        "Conventions: %s. Form of COMFORT's Figure 7; a dip at θ = 0 shows another convention beside the "
        "reflected one. The translated convention swaps front and behind, the rotated one left and right, "
        "too.%s",
        v->name, band_words(v));
    hand_over(m);
}

static void make_reliability(const maker *m, const pov_calibration *calibration, const char *of,
                             const char *name)
{
    pov_figure *f = m->figure;
    f->kind = POV_FIGURE_RELIABILITY;
    f->calibration = *calibration;
    name_figure(m, "reliability", name);
    pov_text_set(&f->title, "Reliability of %s, %s", of, name);
    pov_text_set(&f->caption,
                 calibration->n > 0
                     ? "Reliability of %s: %s. On the dashed line, it means what it says. 95 %% "
                       "intervals (Wilson)."
                     : "Reliability of %s: %s. Nothing was scored.",
                 of, name);
    hand_over(m);
}

static const pov_comfort_group *find_same(const pov_answers *answers, const pov_comfort_group *group)
{
    for (int g = 0; answers->comfort && g < pov_comfort_data_groups(answers->comfort); g++) {
        const pov_comfort_group *other = pov_comfort_data_group(answers->comfort, g);
        if (strcmp(other->model, group->model) == 0 && strcmp(other->language, group->language) == 0 &&
            other->has_front == group->has_front && other->prompt == group->prompt)
            return other;
    }
    return NULL;
}

/* Curves of the same group in all files: runs. Returns: in how many files; 1 if an earlier file has it, too. */
static int gather_runs(pov_comfort_curve **curves, int *len, const maker *m, const pov_comfort_group *group)
{
    int runs = 0;
    *len = 0;
    *curves = NULL;
    for (int i = 0; i < m->report->len; i++) {
        const pov_answers *answers = m->report->parts[i].answers;
        const pov_comfort_group *same = find_same(answers, group);
        if (same && &m->report->parts[i] < m->part)
            return 1;
        if (!same)
            continue;
        pov_comfort_curve *all = pov_allocate((size_t)*len + (size_t)same->len, sizeof *all);
        if (*len > 0)
            memcpy(all, *curves, (size_t)*len * sizeof *all);
        memcpy(all + *len, pov_comfort_data_curves(answers->comfort) + same->first,
               (size_t)same->len * sizeof *all);
        free(*curves);
        *curves = all;
        *len += same->len;
        runs++;
    }
    return runs;
}

/* Figure 5 of several runs together: files of one model, language, set and prompt. */
static void make_runs(const maker *m, const comfort_view *v)
{
    pov_comfort_curve *curves;
    pov_comfort_group together = *v->group;
    const int runs = gather_runs(&curves, &together.len, m, v->group);
    if (runs > 1) {
        comfort_view all = {&together, v->tables, curves, v->reading, v->bootstrap, ""};
        char *name = pov_text_new("%s, %d runs together", v->name, runs);
        all.name = name;
        make_curves(m, &all);
        free(name);
    }
    free(curves);
}

static void make_group(maker *m, int g)
{
    comfort_view v = {.group = pov_comfort_data_group(m->answers->comfort, g),
                      .tables = &m->answers->tables[g],
                      .bootstrap = &m->answers->options.comfort.bootstrap};
    v.curves = pov_comfort_data_curves(m->answers->comfort) + v.group->first;
    v.reading = pov_comfort_group_reading(v.group);
    char *name = pov_report_group_name(v.group);
    v.name = name;
    m->place = (pov_report_place){.section = "Curves", .group = v.name, .number = g, .is_wide = true};
    make_curves(m, &v);
    make_runs(m, &v);
    m->place.is_wide = false;
    make_polar(m, &v);
    make_reliability(m, &v.tables->score.calibration, "P(yes)", v.name);
    m->place.is_wide = true;
    make_consistency(m, &v);
    if (pov_prefer_applies(POV_PREFER_CONVENTION, v.group))
        make_conventions(m, &v);
    free(name);
}

/* ---- COMFORT's Figures 13 to 17: a grid of models and relations ---- */

enum { GRID_MODELS = 3 }; /* of a figure, which fits a page */

/* The facing shown: of several the first in which the addressee's and the relatum's references are apart, as the paper chooses. False: the
 * relation was not asked. */
static bool choose_facing(pov_facings *facings, const comfort_view *v, pov_relation relation)
{
    static const pov_reading relatum = {POV_INTRINSIC, POV_NO_CONVENTION};
    const pov_reading addressee = {POV_ADDRESSEE, v->group->convention};
    bool found = false;
    for (int i = 0; i < v->group->len; i++) {
        const pov_facings *of = &v->curves[i].facings;
        if (v->curves[i].relation != relation)
            continue;
        const double a = pov_curve_direction_deg(relation, addressee, *of),
                     b = pov_curve_direction_deg(relation, relatum, *of);
        const bool apart = fabs(remainder(a - b, 360)) > POV_CURVE_STEP_DEG;
        if (!found || apart)
            *facings = *of;
        found = true;
        if (apart)
            break;
    }
    return found;
}

static bool is_same_facing(double a, double b)
{
    return (isnan(a) && isnan(b)) || fabs(remainder(a - b, 360)) < 1;
}

/* The curves of a facing, by the angle from the camera's direction. */
static void add_of_facing(pov_figure_panel *panel, const comfort_view *v, pov_relation relation,
                          const pov_facings *facings, int form, const pov_series_form *look)
{
    pov_circle c = pov_circle_new(v->group->len);
    double p[POV_CURVE_SAMPLES];
    const double direction = pov_curve_direction_deg(relation, v->reading, *facings);
    for (int i = 0; i < v->group->len; i++) {
        const pov_comfort_curve *curve = &v->curves[i];
        if (curve->relation != relation ||
            !is_same_facing(curve->facings.relatum_deg, facings->relatum_deg) ||
            !is_same_facing(curve->facings.addressee_deg, facings->addressee_deg))
            continue;
        take_values(p, &curve->curve, form);
        pov_circle_add(&c, curve, p, pov_circle_steps(direction - 180), 1);
    }
    pov_panel_add_means(panel, &c, look, v->bootstrap);
    pov_circle_free(&c);
}

static void add_reference(pov_figure_panel *panel, const comfort_view *v, pov_relation relation,
                          const pov_facings *facings, pov_reading reading, const char *name, const char *look)
{
    const double about = pov_curve_direction_deg(relation, reading, *facings) -
                         pov_curve_direction_deg(relation, v->reading, *facings);
    if (!isnan(about))
        pov_panel_add_cosine(panel, name, look, about);
}

/* The paper's red, orange and blue, which differ in their dashes, too. */
static void fill_grid_panel(pov_figure_panel *panel, const comfort_view *v, pov_relation relation)
{
    static const pov_series_form raw = {"P(yes)", "line raw", -180, false, false},
                                 stretched = {"P(yes), stretched to 0..1", "line strong", -180, false, false};
    pov_facings facings;
    snprintf(panel->name, sizeof panel->name, "%s", relation_words[relation]);
    panel->empty = "not asked";
    if (!choose_facing(&facings, v, relation))
        return;
    add_reference(panel, v, relation, &facings, v->reading, "the camera's (cos θ + 1) / 2", "line s1 dashed");
    if (v->group->has_front) {
        add_reference(panel, v, relation, &facings, (pov_reading){POV_ADDRESSEE, v->group->convention},
                      "the addressee's", "line s4 dashdot");
        add_reference(panel, v, relation, &facings, (pov_reading){POV_INTRINSIC, POV_NO_CONVENTION},
                      "the relatum's", "line s0 dotted");
    }
    add_of_facing(panel, v, relation, &facings, RAW, &raw);
    add_of_facing(panel, v, relation, &facings, STRETCHED, &stretched);
}

/* The paper's number of the figure of a set and prompt; 0: it has none. */
static int number_of_grid(const pov_comfort_group *group)
{
    static const int of_car[] = {[POV_PROMPT_NONE] = 17,
                                 [POV_PROMPT_CAMERA] = 14,
                                 [POV_PROMPT_ADDRESSEE] = 15,
                                 [POV_PROMPT_RELATUM] = 16};
    return group->has_front ? of_car[group->prompt] : group->prompt == POV_PROMPT_CAMERA ? 13 : 0;
}

static bool is_same_grid(const pov_comfort_group *a, const pov_comfort_group *b)
{
    return strcmp(a->language, b->language) == 0 && a->has_front == b->has_front && a->prompt == b->prompt;
}

static void finish_grid(const maker *m, const pov_comfort_group *of, int part, int parts)
{
    pov_figure *f = m->figure;
    const int number = number_of_grid(of);
    char *what = pov_text_new("%s, %s, %s", of->language, of->has_front ? "CAR" : "BALL",
                              pov_report_prompt_words(of->prompt));
    char *form = pov_text_new("figure%d", number);
    char *words =
        parts > 1 ? pov_text_new("%s_%d", of->language, part + 1) : pov_text_new("%s", of->language);
    f->kind = POV_FIGURE_ANGLES;
    f->axis = "angle θ from where it holds best for the camera";
    f->across = POV_COMFORT_RELATIONS;
    name_figure(m, form, words);
    pov_text_set(&f->title, "P(yes) of each model and relation, %s", what);
    pov_text_set(&f->caption,
                 "P(yes) of each model and relation: %s. Form of COMFORT's Figure %d. Grey: P(yes), black: "
                 "stretched to 0..1, means over scenes; dashed red: the camera's reference%s.%s",
                 what, number,
                 of->has_front ? ", dash-dotted orange: the addressee's, dotted blue: the relatum's" : "",
                 of->has_front ? " Of relata that face several ways each panel shows one, in which the last "
                                 "two are apart where there is such, as the paper does."
                               : "");
    if (parts > 1)
        pov_text_add(&f->caption, " (%d of %d)", part + 1, parts);
    hand_over(m);
    free(what);
    free(form);
    free(words);
}

/* The grids of a set and prompt, from its first group. */
static void make_grid(const maker *m, int first)
{
    const pov_comfort_data *data = m->answers->comfort;
    const pov_comfort_group *of = pov_comfort_data_group(data, first);
    int models = 0, made = 0;
    for (int g = first; g < pov_comfort_data_groups(data); g++)
        models += is_same_grid(of, pov_comfort_data_group(data, g));
    const int parts = (models + GRID_MODELS - 1) / GRID_MODELS;
    for (int g = first; g < pov_comfort_data_groups(data); g++) {
        const pov_comfort_group *group = pov_comfort_data_group(data, g);
        if (!is_same_grid(of, group))
            continue;
        const comfort_view v = {.group = group,
                                .tables = &m->answers->tables[g],
                                .curves = pov_comfort_data_curves(data) + group->first,
                                .reading = {POV_EGOCENTRIC, group->convention},
                                .bootstrap = &m->answers->options.comfort.bootstrap,
                                .name = ""};
        pov_figure_panel *row = &m->figure->panels[m->figure->len];
        row[0].heading = *group->model ? group->model : "the model";
        for (int r = 0; r < POV_COMFORT_RELATIONS; r++)
            fill_grid_panel(&row[r], &v, (pov_relation)r);
        m->figure->len += POV_COMFORT_RELATIONS;
        made++;
        if (made % GRID_MODELS == 0 || made == models)
            finish_grid(m, of, (made - 1) / GRID_MODELS, parts);
    }
}

static void make_grids(maker *m)
{
    const pov_comfort_data *data = m->answers->comfort;
    m->place = (pov_report_place){.section = "All curves", .group = "", .is_wide = true};
    for (int number = 13; number <= 17; number++)
        for (int g = 0; g < pov_comfort_data_groups(data); g++) {
            const pov_comfort_group *group = pov_comfort_data_group(data, g);
            bool is_first = number_of_grid(group) == number;
            for (int k = 0; k < g && is_first; k++)
                is_first = !is_same_grid(group, pov_comfort_data_group(data, k));
            if (is_first)
                make_grid(m, g);
        }
}

/* ---- which frame ---- */

static void say_left_out(pov_figure *f, int left_out, const char *what)
{
    if (left_out > 0)
        pov_text_add(&f->caption, " %d more %s are left out; the tables have them.", left_out, what);
}

static void add_preference(pov_figure *f, const char *name, const pov_preference *preference)
{
    pov_figure_row *row = &f->rows[f->len++];
    row->name = pov_text_new("%s", name);
    row->chance = NAN;
    memcpy(row->at, preference->eps_cosine, sizeof row->at);
    f->columns_len = preference->len;
}

static void finish_preferences(const maker *m, pov_prefer comparison, const char *form, const char *of)
{
    pov_figure *f = m->figure;
    f->kind = POV_FIGURE_INTERVALS;
    f->axis = "ε cos × 100 (left is nearer)";
    for (int k = 0; k < f->columns_len; k++)
        f->columns[k] = pov_report_column_words(pov_prefer_key(comparison, k));
    name_figure(m, form, of);
    hand_over_rows(m);
}

/* A model's rows: language, set and prompt. */
static void make_preferences(const maker *m, const char *model, pov_prefer comparison, const char *form,
                             const char *caption)
{
    pov_figure *f = m->figure;
    int left_out = 0;
    for (int g = 0; g < pov_comfort_data_groups(m->answers->comfort); g++) {
        const pov_comfort_group *group = pov_comfort_data_group(m->answers->comfort, g);
        if (!pov_prefer_applies(comparison, group) || strcmp(group->model, model) != 0)
            continue;
        char *name = pov_text_new("%s, %s, %s", group->language, group->has_front ? "CAR" : "BALL",
                                  pov_report_prompt_words(group->prompt));
        if (f->len < POV_FIGURE_ROWS_MAX)
            add_preference(f, name, &m->answers->tables[g].preference[comparison]);
        else
            left_out++;
        free(name);
    }
    pov_text_set(&f->title, "%s, %s", caption, *model ? model : "the model");
    pov_text_set(&f->caption, "%s: %s.", caption, *model ? model : "the model");
    say_left_out(f, left_out, "rows");
    if (f->len > 0)
        finish_preferences(m, comparison, form, model);
}

static bool is_of(const pov_comfort_group *group, const char *model, pov_prompt prompt)
{
    return strcmp(group->model, model) == 0 && group->has_front && group->prompt == prompt;
}

/* The prompt without a perspective, which leaves the choice to the model; else the camera's. */
static pov_prompt prompt_across(const pov_comfort_data *data, const char *model)
{
    for (int g = 0; g < pov_comfort_data_groups(data); g++)
        if (is_of(pov_comfort_data_group(data, g), model, POV_PROMPT_NONE))
            return POV_PROMPT_NONE;
    return POV_PROMPT_CAMERA;
}

/* "Tamil: ego. rot.; speakers: rotated". */
static char *name_language(const maker *m, const char *code, const pov_preference *preference)
{
    const pov_language *language;
    const bool is_known = pov_languages_find(&language, m->languages, code).code == POV_OK;
    const char *speakers = is_known ? pov_convention_name(language->convention) : NULL;
    return pov_text_new("%s: %s%s%s", is_known ? language->name : code,
                        pov_preference_verdict(preference) >= POV_PREFERS_UNTESTED
                            ? pov_report_column_words(pov_prefer_key(POV_PREFER_READING, preference->best))
                            : "no preference",
                        speakers ? "; speakers: " : "", speakers ? speakers : "");
}

/* Figure 8: a row for each language of a model. */
static void make_languages(const maker *m, const char *model)
{
    const pov_comfort_data *data = m->answers->comfort;
    const pov_prompt prompt = prompt_across(data, model);
    pov_figure *f = m->figure;
    int left_out = 0;
    for (int g = 0; g < pov_comfort_data_groups(data); g++) {
        const pov_comfort_group *group = pov_comfort_data_group(data, g);
        const pov_preference *preference = &m->answers->tables[g].preference[POV_PREFER_READING];
        if (!is_of(group, model, prompt))
            continue;
        char *name = name_language(m, group->language, preference);
        if (f->len < POV_FIGURE_ROWS_MAX)
            add_preference(f, name, preference);
        else
            left_out++;
        free(name);
    }
    pov_text_set(&f->title, "Frame of reference by language, %s", model);
    pov_text_set(
        &f->caption,
        "Frame of reference by language: %s, %s. Form of COMFORT's Figure 8; distance of the answers "
        "from "
        "each frame and convention; behind each language what the answers follow, and the convention of its "
        "speakers.",
        *model ? model : "the model", pov_report_prompt_words(prompt));
    say_left_out(f, left_out, "languages");
    if (f->len > 1)
        finish_preferences(m, POV_PREFER_READING, "figure8", model);
    else
        pov_figure_clear(f);
}

/* ---- contestants ---- */

static const char *text_at(const pov_sheet_table *table, int row, const char *key)
{
    const int column = pov_sheet_column_of(table, key);
    pov_sheet_words words;
    return column < 0 || table->columns[column].kind != POV_SHEET_TEXT
               ? ""
               : pov_report_text_of(&words, table, row, column);
}

static double mean_at(const pov_sheet_table *table, int row, const char *key)
{
    return table->rows[row][pov_sheet_column_of(table, key)].estimate.mean;
}

static bool is_same_contest(const pov_sheet_table *table, int a, int b)
{
    return strcmp(text_at(table, a, "set"), text_at(table, b, "set")) == 0 &&
           strcmp(text_at(table, a, "prompt"), text_at(table, b, "prompt")) == 0 &&
           strcmp(text_at(table, a, "measure"), text_at(table, b, "measure")) == 0;
}

static void add_contestant(pov_figure *f, const pov_sheet_table *table, int r)
{
    pov_figure_row *row = &f->rows[f->len++];
    const char *language = text_at(table, r, "language");
    char range[40] = "";
    if (mean_at(table, r, "rank_low") > 0)
        snprintf(range, sizeof range, " (%.0f to %.0f)", mean_at(table, r, "rank_low"),
                 mean_at(table, r, "rank_high"));
    const double rank = mean_at(table, r, "rank");
    char *place = isnan(rank) ? pov_text_new("no rank") : pov_text_new("rank %.0f%s", rank, range);
    row->name = pov_text_new("%s%s%s: %s, %s answered", text_at(table, r, "model"), *language ? ", " : "",
                             language, place, text_at(table, r, "answered"));
    free(place);
    row->chance = NAN;
    row->at[0] = table->rows[r][pov_sheet_column_of(table, "mean")].estimate;
}

/* A figure for each set, prompt and measure in which there is something to compare. */
static void make_ranks(maker *m)
{
    const pov_sheet_table *table = pov_sheet_find(m->part->compared, "ranks");
    pov_figure *f = m->figure;
    m->place = (pov_report_place){.section = "Models and languages compared", .group = "", .is_wide = true};
    for (int first = 0, end; table && first < table->len; first = end) {
        const char *prompt = text_at(table, first, "prompt"), *measure = text_at(table, first, "measure");
        f->kind = POV_FIGURE_INTERVALS;
        f->columns[0] = "mean";
        f->columns_len = 1;
        f->axis = strcmp(measure, "eps_cos") != 0 ? "%" : "ε cos × 100 (left is better)";
        for (end = first; end < table->len && is_same_contest(table, first, end); end++)
            if (f->len < POV_FIGURE_ROWS_MAX)
                add_contestant(f, table, end);
        char *of = pov_text_new("%s%s%s%s%s", text_at(table, first, "set"), *prompt ? ", " : "", prompt,
                                *prompt ? ", " : "", measure);
        name_figure(m, "ranks", of);
        pov_text_set(&f->title, "Ranks, %s", of);
        pov_text_set(&f->caption,
                     "Ranks: %s. Means over what all share; behind each its rank, and the "
                     "ranks in 95 %% of the bootstrap's resamples of whole scenes.",
                     of);
        free(of);
        say_left_out(f, end - first - f->len, "rows");
        hand_over_rows(m);
    }
}

static void make_model(const maker *m, const char *model)
{
    make_preferences(m, model, POV_PREFER_PERSPECTIVE, "perspectives",
                     "How far answers are from each perspective");
    make_preferences(m, model, POV_PREFER_CONVENTION, "conventions",
                     "How far answers are from each convention of the camera's axes");
    make_languages(m, model);
}

static void make_comfort(maker *m)
{
    const pov_comfort_data *data = m->answers->comfort;
    pov_name_set *models = pov_name_set_new();
    make_ranks(m);
    m->place = (pov_report_place){.section = "Which frame the answers follow", .group = "", .is_wide = true};
    for (int g = 0; g < pov_comfort_data_groups(data); g++) {
        const char *model = pov_comfort_data_group(data, g)->model;
        const int len = pov_name_set_len(models);
        if (pov_name_set_add(models, model, strlen(model)) == len)
            make_model(m, model);
    }
    pov_name_set_destroy(&models);
    for (int g = 0; g < pov_comfort_data_groups(data); g++)
        make_group(m, g);
    make_grids(m);
}

/* ---- the others ---- */

/* The score that a random answer would get in a column of a pivot; NaN: not known. */
static double chance_of(const pov_answers *answers, const char *value)
{
    const pov_sheet_table *scores = pov_sheet_find(answers->sheet, "scores");
    if (!scores)
        return NAN;
    if (strcmp(value, "all") == 0)
        value = "";
    const int value_column = pov_sheet_column_of(scores, "value"),
              chance = pov_sheet_column_of(scores, "chance");
    for (int row = 0; row < scores->len; row++)
        if (strcmp(scores->rows[row][value_column].text, value) == 0)
            return scores->rows[row][chance].estimate.mean;
    return NAN;
}

void pov_report_fill_pivot(pov_figure *f, const pov_answers *answers, const pov_sheet_table *pivot)
{
    bool has_chance = false;
    f->kind = POV_FIGURE_INTERVALS;
    f->axis = "%";
    f->columns_len = pivot->len < POV_FIGURE_COLUMNS_MAX ? pivot->len : POV_FIGURE_COLUMNS_MAX;
    for (int c = 1; c < pivot->columns_len; c++) {
        pov_figure_row *row = &f->rows[f->len++];
        row->name = pov_text_new("%s", pov_report_column_words(pivot->columns[c].key));
        row->chance = chance_of(answers, pivot->columns[c].key);
        has_chance |= !isnan(row->chance);
        for (int k = 0; k < f->columns_len; k++)
            row->at[k] = pivot->rows[k][c].estimate;
    }
    for (int k = 0; k < f->columns_len; k++)
        f->columns[k] = pivot->rows[k][0].text;
    pov_text_set(&f->title, "%s", pivot->title);
    pov_text_set(&f->caption, "%s.%s", pivot->title, has_chance ? " Grey strokes: chance." : "");
    say_left_out(f, pivot->len - f->columns_len, "models");
}

static void make_pivot(const maker *m, const pov_sheet_table *pivot)
{
    if (m->summary && strcmp(pivot->key, m->summary) == 0)
        return; /* the part has begun with it */
    pov_report_fill_pivot(m->figure, m->answers, pivot);
    name_figure(m, pivot->key, "");
    hand_over_rows(m);
}

static void make_matrices(const maker *m)
{
    static const char *const cardinals[4] = {"north", "east", "south", "west"};
    static const char *const sides[4] = {"front", "right", "back", "left"};
    const pov_paper_scores *scores = &m->answers->scores;
    for (int i = 0; i < pov_name_set_len(scores->labels); i++) {
        const char *label = pov_name_set_at(scores->labels, i), *value = strrchr(label, '\t') + 1;
        pov_figure *f = m->figure;
        f->kind = POV_FIGURE_MATRIX;
        memcpy(f->columns, strcmp(value, "Q7") == 0 ? sides : cardinals, sizeof sides);
        memcpy(f->count, scores->extras[i].matrix.count, sizeof f->count);
        name_figure(m, "answers", label);
        pov_text_set(&f->title, "%.*s %s: answers to each gold answer; shade: share of the row",
                     (int)strcspn(label, "\t"), label, value);
        pov_text_set(&f->caption, "%s.", pov_text_of(&f->title));
        hand_over(m);
    }
}

static void make_calibrations(const maker *m)
{
    const pov_paper_scores *scores = &m->answers->scores;
    for (int i = 0; i < pov_name_set_len(scores->labels); i++) {
        const char *label = pov_name_set_at(scores->labels, i);
        const size_t model = strcspn(label, "\t");
        char *name = pov_text_new("%.*s%s%s", (int)model, label, label[model] ? ", " : "", label + model + 1);
        for (char *tab; (tab = strchr(name, '\t'));)
            *tab = ' ';
        if (scores->extras[i].calibration.n > 0)
            make_reliability(m, &scores->extras[i].calibration, "P(true)", name);
        free(name);
    }
}

static void make_paper(maker *m)
{
    const pov_answers *answers = m->answers;
    const pov_sheet_table *pictures = pov_sheet_find(answers->sheet, "visor_cond");
    make_ranks(m);
    m->place = (pov_report_place){.section = "Figures", .group = "", .is_wide = true};
    if (answers->visor)
        make_pivot(m, pictures ? pictures : pov_sheet_find(answers->sheet, "visor_uncond"));
    for (int i = 0; i < pov_sheet_len(m->part->pivots); i++)
        make_pivot(m, pov_sheet_at(m->part->pivots, i));
    m->place.is_wide = false;
    if (answers->paper == POV_PAPER_VPT)
        make_matrices(m);
    if (answers->paper == POV_PAPER_VSR)
        make_calibrations(m);
}

static void make_summary(maker *m, int file)
{
    m->place = (pov_report_place){.section = "Summary", .group = "", .is_wide = true, .is_summary = true};
    m->summary = pov_report_summary_figure(m->figure, m->report, file);
    if (!m->summary)
        return;
    name_figure(m, m->summary, "");
    hand_over_rows(m);
}

void pov_report_figures(const pov_report *report, int file, pov_report_visit visit, void *context)
{
    maker m = {.report = report,
               .part = &report->parts[file],
               .answers = report->parts[file].answers,
               .visit = visit,
               .context = context,
               .figure = pov_figure_new(),
               .languages = report->languages};
    make_summary(&m, file);
    if (m.answers->comfort)
        make_comfort(&m);
    else
        make_paper(&m);
    pov_figure_destroy(&m.figure);
}
