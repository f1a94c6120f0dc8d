#include "compare/scores/comfort_baseline.h"

#include "compare/scores/comfort_data_internal.h"
#include "perception/geometry/random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the questions ---- */

/* The convention of all languages; of several the papers' own, English's: turned around, the same places are asked about. */
static pov_convention choose_convention(const pov_comfort_data *data)
{
    for (int g = 1; g < pov_comfort_data_groups(data); g++)
        if (data->groups[g].convention != data->groups[0].convention)
            return POV_REFLECTED;
    return pov_comfort_data_groups(data) > 0 ? data->groups[0].convention : POV_REFLECTED;
}

static void add_questions(pov_comfort_data *baseline, const pov_comfort_curve *from, const pov_curve_key *key)
{
    const int number = pov_comfort_data_need_curve(baseline, key, from->facings);
    pov_curve *to = &baseline->curves[number].curve;
    for (int i = 0; i < POV_CURVE_SAMPLES; i++) {
        to->unasked[i] &= from->curve.unasked[i];
        to->untold[i] |= from->curve.untold[i];
    }
}

static void add_group(pov_comfort_data *baseline, const pov_comfort_data *data, int model, int language,
                      const pov_comfort_group *group)
{
    for (int i = 0; i < group->len; i++) {
        const pov_comfort_curve *curve = &data->curves[group->first + i];
        const pov_curve_key key = {.model = model,
                                   .language = language,
                                   .has_front = group->has_front,
                                   .prompt = (int)group->prompt,
                                   .scene = curve->scene,
                                   .variant = curve->variant,
                                   .relation = (int)curve->relation,
                                   .run = curve->repetition};
        add_questions(baseline, curve, &key);
    }
}

/* The questions about things that are there and are not, of the model and language that answered most of them. */
static void add_presence(pov_comfort_data *baseline, const pov_comfort_data *data, int model, int language,
                         const pov_comfort_group *group)
{
    const pov_presence_group *from = pov_comfort_data_presence_for(data, (int)(group - data->groups));
    if (!from)
        return;
    pov_presence *to = &pov_comfort_data_need_presence(baseline, model, language, group->has_front)->presence;
    const int present = from->presence.true_yes + from->presence.false_no,
              absent = from->presence.false_yes + from->presence.true_no;
    if (present + absent > to->true_yes + to->true_no)
        *to = (pov_presence){.true_yes = present, .true_no = absent};
}

pov_comfort_data *pov_comfort_baseline_new(const pov_comfort_data *data, const char *model)
{
    pov_comfort_data *baseline = pov_comfort_data_start();
    const int name = pov_comfort_data_add_name(baseline, model),
              language = pov_comfort_data_add_name(baseline, "any");
    pov_comfort_data_state(baseline, language, choose_convention(data));
    for (int g = 0; g < pov_comfort_data_groups(data); g++) {
        add_group(baseline, data, name, language, &data->groups[g]);
        add_presence(baseline, data, name, language, &data->groups[g]);
    }
    pov_comfort_data_finish(baseline, NULL);
    return baseline;
}

/* ---- the answers ---- */

/* `seed` NULL: yes. */
static double answer(uint64_t *seed)
{
    return seed ? pov_random_fraction(pov_random_next(seed)) : 1;
}

static void answer_presence(pov_presence *presence, uint64_t *seed)
{
    const int present = presence->true_yes + presence->false_no,
              absent = presence->true_no + presence->false_yes;
    *presence = (pov_presence){0};
    for (int i = 0; i < present + absent; i++)
        pov_presence_add(presence, answer(seed), i < present);
}

static void answer_all(pov_comfort_data *baseline, uint64_t *seed)
{
    for (int g = 0; g < pov_comfort_data_groups(baseline); g++) {
        pov_comfort_group *group = &baseline->groups[g];
        group->answers[POV_ANSWER_GIVEN] = 0;
        for (int i = group->first; i < group->first + group->len; i++)
            for (int k = 0; k < POV_CURVE_SAMPLES; k++) {
                if (baseline->curves[i].curve.unasked[k])
                    continue;
                baseline->curves[i].curve.p[k] = answer(seed);
                group->answers[POV_ANSWER_GIVEN]++;
            }
    }
    for (int i = 0; i < pov_comfort_data_presences(baseline); i++)
        answer_presence(&baseline->presences[i].presence, seed);
}

void pov_comfort_baseline_draw(pov_comfort_data *baseline, uint64_t seed)
{
    answer_all(baseline, &seed);
}

void pov_comfort_baseline_affirm(pov_comfort_data *baseline)
{
    answer_all(baseline, NULL);
}
