/* COMFORT's curves: the figures of each group, and the grids of all. */
#include "compare/report/report_figures_internal.h"

#include "compare/report/circle_curves.h"
#include "compare/scores/comfort_score.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const relation_words[POV_COMFORT_RELATIONS] = {"left", "right", "in front", "behind"};

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

static pov_figure *begin_panels(const pov_figure_maker *m, pov_figure_kind kind, const comfort_view *v,
                                int len)
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
static void make_curves(const pov_figure_maker *m, const comfort_view *v)
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
    pov_figure_maker_name(m, "figure5", v->name);
    pov_text_set(&f->title, "P(yes) by the angle from where each relation holds best, %s", v->name);
    pov_text_set(
        &f->caption,
        "P(yes) by the angle from where each relation holds best: %s. Form of COMFORT's Figure 5; mean over "
        "scenes; the angle is counted in the frame asked for.%s",
        v->name, band_words(v));
    pov_figure_maker_hand_over(m);
}

/* Geometry's P(yes) at each place; the same for all curves that face alike. */
static void add_geometry(pov_figure_panel *panel, const pov_figure_maker *m, const comfort_view *v,
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
static void make_polar(const pov_figure_maker *m, const comfort_view *v)
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
    pov_figure_maker_name(m, "figure5_from_above", v->name);
    pov_text_set(&f->title, "P(yes) by the referent's place as seen from above, %s", v->name);
    pov_text_set(
        &f->caption,
        "P(yes) by the referent's azimuth about the relatum, from above: %s. 0° is toward the camera; inner "
        "ring 0.5, outer ring 1. Grey: P(yes) by geometry in the frame asked for.%s",
        v->name, band_words(v));
    pov_figure_maker_hand_over(m);
}

static void append_measure(pov_figure *f, const char *name, const pov_estimate *e)
{
    if (!isnan(e->mean))
        pov_text_add(&f->caption, " %s is %.1f (× 100).", name, 100 * e->mean);
}

/* Figure 6: what c sym and c opp measure. */
static void make_consistency(const pov_figure_maker *m, const comfort_view *v)
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
    pov_figure_maker_name(m, "figure6", v->name);
    pov_text_set(&f->title, "Consistency of P(yes), %s", v->name);
    pov_text_set(
        &f->caption,
        "Consistency: %s. Form of COMFORT's Figure 6; a consistent model's three lines are one. Means over "
        "scenes.",
        v->name);
    append_measure(f, "c sym", &v->tables->score.overall[POV_C_SYM]);
    append_measure(f, "c opp", &v->tables->score.overall[POV_C_OPP]);
    pov_figure_maker_hand_over(m);
}

/* Figure 7: the camera's axes by each convention, where they differ. */
static void make_conventions(const pov_figure_maker *m, const comfort_view *v)
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
    pov_figure_maker_name(m, "figure7", v->name);
    pov_text_set(&f->title, "Conventions of the camera's axes, %s", v->name);
    pov_text_set(
        &f->caption,
        "Conventions: %s. Form of COMFORT's Figure 7; a dip at θ = 0 shows another convention beside the "
        "reflected one. The translated convention swaps front and behind, the rotated one left and right, "
        "too.%s",
        v->name, band_words(v));
    pov_figure_maker_hand_over(m);
}

void pov_figure_maker_reliability(const pov_figure_maker *m, const pov_calibration *calibration,
                                  const char *of, const char *name)
{
    pov_figure *f = m->figure;
    f->kind = POV_FIGURE_RELIABILITY;
    f->calibration = *calibration;
    pov_figure_maker_name(m, "reliability", name);
    pov_text_set(&f->title, "Reliability of %s, %s", of, name);
    pov_text_set(&f->caption,
                 calibration->n > 0
                     ? "Reliability of %s: %s. On the dashed line, it means what it says. 95 %% "
                       "intervals (Wilson)."
                     : "Reliability of %s: %s. Nothing was scored.",
                 of, name);
    pov_figure_maker_hand_over(m);
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
static int gather_runs(pov_comfort_curve **curves, int *len, const pov_figure_maker *m,
                       const pov_comfort_group *group)
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
static void make_runs(const pov_figure_maker *m, const comfort_view *v)
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

void pov_figure_maker_group(pov_figure_maker *m, int g)
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
    pov_figure_maker_reliability(m, &v.tables->score.calibration, "P(yes)", v.name);
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

static void finish_grid(const pov_figure_maker *m, const pov_comfort_group *of, int part, int parts)
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
    pov_figure_maker_name(m, form, words);
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
    pov_figure_maker_hand_over(m);
    free(what);
    free(form);
    free(words);
}

/* The grids of a set and prompt, from its first group. */
static void make_grid(const pov_figure_maker *m, int first)
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

void pov_figure_maker_grids(pov_figure_maker *m)
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
