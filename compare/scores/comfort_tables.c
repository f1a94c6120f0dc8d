#include "compare/scores/comfort_data.h"
#include "config/files/text.h"

/* ---- the tables of each group ---- */

enum { INTRINSIC, EGO_TRANSLATED, EGO_REFLECTED = EGO_TRANSLATED + POV_REFLECTED, ADD_TRANSLATED };

static const pov_reading readings[POV_READINGS_MAX] = {
    {POV_INTRINSIC, POV_NO_CONVENTION}, {POV_EGOCENTRIC, POV_TRANSLATED}, {POV_EGOCENTRIC, POV_ROTATED},
    {POV_EGOCENTRIC, POV_REFLECTED},    {POV_ADDRESSEE, POV_TRANSLATED},  {POV_ADDRESSEE, POV_ROTATED},
    {POV_ADDRESSEE, POV_REFLECTED}};

static const struct {
    int len;
    const char *key[POV_READINGS_MAX];
} comparisons[] = {{3, {"translated", "rotated", "reflected"}},
                   {3, {"egocentric", "intrinsic", "addressee"}},
                   {7, {"intrinsic", "ego_tran", "ego_rot", "ego_refl", "add_tran", "add_rot", "add_refl"}}};
_Static_assert(sizeof comparisons / sizeof *comparisons == POV_PREFER_COUNT, "names for each comparison");

const char *pov_prefer_key(pov_prefer comparison, int reading)
{
    POV_REQUIRE(comparison >= 0 && comparison < POV_PREFER_COUNT && reading >= 0 &&
                reading < comparisons[comparison].len);
    return comparisons[comparison].key[reading];
}

bool pov_prefer_applies(pov_prefer comparison, const pov_comfort_group *group)
{
    bool egocentric = group->prompt == POV_PROMPT_NONE || group->prompt == POV_PROMPT_CAMERA;
    return comparison == POV_PREFER_CONVENTION ? egocentric : group->has_front;
}

/* All readings are resampled once, and each comparison takes its own from them. */
static void fill_preferences(pov_comfort_scorer *scorer, pov_preference preference[POV_PREFER_COUNT],
                             const pov_comfort_curve *curves, int len, pov_convention convention)
{
    const int which[POV_PREFER_COUNT][POV_READINGS_MAX] = {
        {EGO_TRANSLATED, EGO_TRANSLATED + 1, EGO_REFLECTED},
        {EGO_TRANSLATED + (int)convention, INTRINSIC, ADD_TRANSLATED + (int)convention},
        {0, 1, 2, 3, 4, 5, 6}};
    pov_preference all;
    pov_comfort_prefer(scorer, &all, curves, len, readings, POV_READINGS_MAX);
    for (int c = 0; c < POV_PREFER_COUNT; c++)
        pov_comfort_prefer_among(scorer, &preference[c], &all, which[c], comparisons[c].len);
}

char *pov_comfort_preferred_frame(const pov_comfort_group *group, const pov_preference *reading)
{
    const pov_preferred verdict = pov_preference_verdict(reading);
    pov_text text = {0};
    for (int k = 0; k < reading->len && verdict >= POV_PREFERS_UNTESTED; k++) {
        const pov_reading one = reading->reading[k];
        if (!reading->is_best[k])
            continue;
        pov_text_add(&text, "%s%s", text.len > 0 ? " or " : "", pov_perspective_name(one.perspective));
        if (one.convention != POV_NO_CONVENTION && one.convention != group->convention)
            pov_text_add(&text, " (%s)", pov_convention_name(one.convention));
    }
    pov_text_add(&text, "%s", text.len == 0 ? "-" : verdict == POV_PREFERS_UNTESTED ? "?" : "");
    return pov_text_take(&text);
}

pov_reading pov_comfort_group_reading(const pov_comfort_group *group)
{
    return pov_prompt_reading(group->prompt, group->convention);
}

void pov_comfort_tables_fill(pov_comfort_tables *tables, const pov_comfort_data *data,
                             const pov_comfort_options *options)
{
    pov_comfort_scorer *scorer = pov_comfort_scorer_new(pov_comfort_data_len(data), options);
    for (int g = 0; g < pov_comfort_data_groups(data); g++) {
        const pov_comfort_group *group = pov_comfort_data_group(data, g);
        const pov_comfort_curve *curves = pov_comfort_data_curves(data) + group->first;
        pov_comfort_score_curves(scorer, &tables[g].score, curves, group->len,
                                 pov_comfort_group_reading(group));
        fill_preferences(scorer, tables[g].preference, curves, group->len, group->convention);
    }
    pov_comfort_scorer_destroy(&scorer);
}
