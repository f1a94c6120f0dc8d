#include "compare/report/circle_curves.h"

#include "compare/statistics/bootstrap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

pov_circle pov_circle_new(int curves)
{
    const size_t cells = (size_t)POV_CURVE_SAMPLES * (size_t)curves + 1;
    return (pov_circle){.sums = pov_allocate(cells, sizeof(double)),
                        .counts = pov_allocate(cells, sizeof(int)),
                        .scenes = pov_name_set_new(),
                        .capacity = curves};
}

void pov_circle_free(pov_circle *c)
{
    free(c->sums);
    free(c->counts);
    pov_name_set_destroy(&c->scenes);
}

void pov_circle_add(pov_circle *c, const pov_comfort_curve *of, const double p[POV_CURVE_SAMPLES], long from,
                    int step)
{
    const int key[2] = {of->scene, of->variant}, scene = pov_name_set_add(c->scenes, key, sizeof key);
    for (int i = 0; i < POV_CURVE_SAMPLES; i++) {
        const long k = ((from + (long)step * i) % POV_CURVE_SAMPLES + POV_CURVE_SAMPLES) % POV_CURVE_SAMPLES;
        if (isnan(p[k]))
            continue;
        c->sums[i * c->capacity + scene] += p[k];
        c->counts[i * c->capacity + scene]++;
    }
    c->len++;
}

int pov_circle_scenes(const pov_circle *c)
{
    return pov_name_set_len(c->scenes);
}

static int common_divisor(int a, int b)
{
    return b == 0 ? a : common_divisor(b, a % b);
}

/* Indices of the angles at which a rotation stopped; at[len] is the first again, once round. */
typedef struct {
    int at[POV_FIGURE_POINTS_MAX], len;
} stops;

/* The samples tell: of a rotation in steps of 30 degrees every third may be scored, and one that is not is a gap. */
static stops find_stops(const int n[POV_CURVE_SAMPLES])
{
    enum { STEP_MAX = 6 }; /* what is farther apart is not joined */
    int first = -1, step = POV_CURVE_SAMPLES;
    for (int i = 0; i < POV_CURVE_SAMPLES; i++)
        if (n[i] > 0) {
            first = first < 0 ? i : first;
            step = common_divisor(step, i - first);
        }
    if (first < 0 || step > STEP_MAX)
        step = 1;
    stops s = {.len = 0};
    for (int i = first < 0 ? 0 : first % step; i < POV_CURVE_SAMPLES; i += step)
        s.at[s.len++] = i;
    s.at[s.len] = s.at[0] + POV_CURVE_SAMPLES;
    return s;
}

/* Means over scenes, and their intervals where there are several; NaN: nothing was scored. */
static void estimate_places(pov_estimate at[POV_CURVE_SAMPLES], const pov_circle *c,
                            const pov_bootstrap_options *options, bool with_band)
{
    const int scenes = pov_circle_scenes(c);
    pov_sample sample = {.columns = 1, .stride = c->capacity, .units = scenes, .strata = 1};
    pov_bootstrap *bootstrap = with_band && scenes > 1 ? pov_bootstrap_new(scenes, options) : NULL;
    double *means = pov_allocate((size_t)POV_CURVE_SAMPLES * (size_t)c->capacity + 1, sizeof *means);
    for (int i = 0; i < POV_CURVE_SAMPLES * c->capacity; i++)
        means[i] = c->counts[i] > 0 ? c->sums[i] / c->counts[i] : NAN;
    for (int i = 0; i < POV_CURVE_SAMPLES; i += sample.columns) {
        sample.values = means + (size_t)i * (size_t)c->capacity;
        if (bootstrap) {
            const int left = POV_CURVE_SAMPLES - i;
            sample.columns = left < POV_COLUMNS_MAX ? left : POV_COLUMNS_MAX;
            pov_bootstrap_means(bootstrap, at + i, NULL, &sample);
        } else {
            at[i] = scenes > 0 ? pov_sample_mean(&sample, 0, 0) : (pov_estimate){NAN, NAN, NAN, 0};
        }
    }
    pov_bootstrap_destroy(&bootstrap);
    free(means);
}

static pov_figure_series *add_series(pov_figure_panel *panel, const char *name, const char *look)
{
    POV_REQUIRE(panel->len < POV_FIGURE_SERIES_MAX);
    pov_figure_series *s = &panel->series[panel->len++];
    s->name = name;
    s->look = look;
    for (int i = 0; i < POV_FIGURE_POINTS_MAX; i++)
        s->low[i] = s->high[i] = NAN;
    return s;
}

void pov_panel_add_means(pov_figure_panel *panel, const pov_circle *c, const pov_series_form *form,
                         const pov_bootstrap_options *options)
{
    pov_estimate at[POV_CURVE_SAMPLES];
    int n[POV_CURVE_SAMPLES];
    pov_figure_series *s = add_series(panel, form->name, form->look);
    estimate_places(at, c, options, form->has_band);
    for (int i = 0; i < POV_CURVE_SAMPLES; i++)
        n[i] = at[i].n;
    const stops where = find_stops(n);
    s->len = where.len + (form->is_round || where.at[0] == 0); /* the left edge lies on the right one, too */
    for (int i = 0; i < s->len; i++) {
        const pov_estimate *e = &at[where.at[i] % POV_CURVE_SAMPLES];
        s->x[i] = where.at[i] * POV_CURVE_STEP_DEG + form->first_deg;
        s->y[i] = e->mean;
        s->low[i] = e->low;
        s->high[i] = e->high;
    }
}

void pov_panel_add_cosine(pov_figure_panel *panel, const char *name, const char *look, double about_deg)
{
    pov_figure_series *s = add_series(panel, name, look);
    s->len = POV_FIGURE_POINTS_MAX;
    for (int i = 0; i < s->len; i++) {
        s->x[i] = i * POV_CURVE_STEP_DEG - 180;
        s->y[i] = pov_reference_cosine(s->x[i] - about_deg);
    }
}

void pov_panel_add_half_plane(pov_figure_panel *panel)
{
    static const double x[] = {-180, -90, -90, 90, 90, 180}, y[] = {0, 0, 1, 1, 0, 0};
    pov_figure_series *s = add_series(panel, "half-plane", "line s1 dashed");
    s->len = sizeof x / sizeof *x;
    memcpy(s->x, x, sizeof x);
    memcpy(s->y, y, sizeof y);
}

long pov_circle_steps(double angle_deg)
{
    return lround(angle_deg / POV_CURVE_STEP_DEG);
}
