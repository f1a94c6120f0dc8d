#include "sim/vlm/vlm_answers.h"

#include "perception/geometry/random.h"

#include <math.h>
#include <string.h>

const char *const POV_VLM_BIAS_NAMES[] = {"none",  "egocentric", "always-yes", "always-no", "addressee-blind",
                                          "noisy", "left-right"};
_Static_assert(sizeof POV_VLM_BIAS_NAMES / sizeof *POV_VLM_BIAS_NAMES == POV_VLM_BIAS_COUNT,
               "a name for each");

/** As sure as a biased model ever is. */
static const double SURE = 0.97;

/* ---- lots ---- */

static double draw_fraction(uint64_t *state)
{
    return pov_random_fraction(pov_random_next(state));
}

/** Box & Muller 1958. */
static double draw_normal(uint64_t *state)
{
    const double u = 1 - draw_fraction(state);
    return sqrt(-2 * log(u)) * cos(2 * 3.14159265358979323846 * draw_fraction(state));
}

static uint64_t lot_of(const pov_vlm_sim_config *config, uint64_t image, const char *prompt)
{
    uint64_t state = config->seed ^ image;
    return pov_random_next(&state) ^ pov_vlm_truth_hash(prompt, strlen(prompt));
}

/* ---- frames ---- */

static bool has_perspective(const pov_vlm_gold *gold, const char *perspective)
{
    const size_t len = strlen(perspective);
    return strncmp(gold->frame, perspective, len) == 0 &&
           (gold->frame[len] == '\0' || gold->frame[len] == '/');
}

/** The gold in another perspective, by the same convention if there is one. */
static const pov_vlm_gold *in_perspective(const pov_vlm_truth *truth, const char *perspective)
{
    const pov_vlm_gold *asked = &truth->golds[truth->asked], *found = NULL;
    const char *convention = strchr(asked->frame, '/');
    for (int i = 0; i < truth->gold_len; i++) {
        const pov_vlm_gold *gold = &truth->golds[i];
        const char *its = strchr(gold->frame, '/');
        if (!has_perspective(gold, perspective))
            continue;
        const bool same =
            convention && its ? strcmp(convention, its) == 0 : its && strcmp(its, "/reflected") == 0;
        if (!found || same)
            found = gold;
    }
    return found ? found : asked;
}

static const pov_vlm_gold *choose(const pov_vlm_truth *truth, pov_vlm_bias bias)
{
    const pov_vlm_gold *asked = &truth->golds[truth->asked];
    const bool blind = bias == POV_VLM_BIAS_ADDRESSEE_BLIND && has_perspective(asked, "addressee");
    return blind || bias == POV_VLM_BIAS_EGOCENTRIC ? in_perspective(truth, "egocentric") : asked;
}

static bool is_lateral(const char *relation)
{
    return relation && (strcmp(relation, "left_of") == 0 || strcmp(relation, "right_of") == 0);
}

static double see(double yes, const pov_vlm_truth *truth, const pov_vlm_sim_config *config, uint64_t *lot)
{
    switch (config->bias) {
    case POV_VLM_BIAS_ALWAYS_YES:
        return SURE;
    case POV_VLM_BIAS_ALWAYS_NO:
        return 1 - SURE;
    case POV_VLM_BIAS_NOISY:
        return fmin(fmax(yes + config->noise * draw_normal(lot), 0), 1);
    case POV_VLM_BIAS_LEFT_RIGHT:
        return is_lateral(truth->relation) ? 1 - yes : yes;
    default:
        return yes;
    }
}

void pov_vlm_sim_answer_find(pov_vlm_sim_answer *answer, const pov_vlm_sim_config *config,
                             const pov_vlm_truths *truths, uint64_t image, const char *prompt)
{
    uint64_t lot = lot_of(config, config->ignore_image ? 0 : image, prompt);
    const pov_vlm_truth *truth = config->ignore_image ? pov_vlm_truths_find_prompt(truths, prompt)
                                                      : pov_vlm_truths_find(truths, image, prompt);
    *answer = (pov_vlm_sim_answer){
        .refused = true, .yes = NAN, .text = "I cannot tell.", .yes_word = "Yes", .no_word = "No"};
    if (!truth || draw_fraction(&lot) < config->refuse)
        return;
    const pov_vlm_gold *gold = choose(truth, config->bias);
    answer->refused = false;
    answer->text = gold->text;
    if (gold->text)
        return;
    if (truth->yes_word && truth->no_word) {
        answer->yes_word = truth->yes_word;
        answer->no_word = truth->no_word;
    }
    answer->yes = see(gold->yes, truth, config, &lot);
    answer->text = answer->yes > 0.5 ? answer->yes_word : answer->no_word;
}
