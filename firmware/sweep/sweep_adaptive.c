#include "firmware/sweep/sweep_adaptive.h"

#include "config/files/utf8.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double worth_asking = 0.5; /* of the most that the curve's next answer could tell; chosen */

typedef struct {
    pov_answer_curve *curve;
    double gains[POV_CURVE_PLACES], most;
} open_curve;

static bool is_known(pov_answer_curve *curve, double std_deg)
{
    const pov_flips *flips = pov_answer_curve_flips(curve);
    return flips && flips->to_yes_std_deg <= std_deg && flips->to_no_std_deg <= std_deg;
}

static void find_gains(open_curve *open, const pov_flip_grid *grid)
{
    pov_flip_gains(open->gains, POV_CURVE_PLACES, open->curve->flip, grid);
    open->most = 0;
    for (int i = 0; i < POV_CURVE_PLACES; i++) {
        if (open->curve->was_asked[i])
            open->gains[i] = 0; /* of the same image a model says the same */
        open->most = fmax(open->most, open->gains[i]);
    }
}

static bool is_worth(const open_curve *open, int angle)
{
    return open->gains[angle] > 0 && open->gains[angle] >= worth_asking * open->most;
}

/* An image serves all curves: the angle at which their answers together tell most. */
static int best_angle(const open_curve *open, int len)
{
    int best = 0;
    double most = -1;
    for (int k = 0; k < POV_CURVE_PLACES; k++) {
        double sum = 0;
        for (int i = 0; i < len; i++)
            sum += is_worth(&open[i], k) ? open[i].gains[k] : 0;
        if (sum > most) {
            most = sum;
            best = k;
        }
    }
    return best;
}

bool pov_adaptive_next(pov_adaptive_choice *choice, pov_adaptive_state *state, pov_answer_curves *curves,
                       const char *model, double std_deg)
{
    char name[POV_MODEL_NAME_CAPACITY];
    int len = 0;
    open_curve *open = calloc((size_t)curves->len + 1, sizeof *open);
    POV_REQUIRE_MEMORY(open);
    pov_utf8_shorten(name, sizeof name, model);
    *choice = (pov_adaptive_choice){.len = 0};
    *state = (pov_adaptive_state){.curves = 0};
    for (int i = 0; i < curves->len; i++) {
        pov_answer_curve *curve = &curves->curves[i];
        if (strcmp(curve->model, name) != 0 || !curves->grid)
            continue;
        state->curves++;
        if (is_known(curve, std_deg)) {
            state->known++;
        } else if (curve->answer_len >= POV_ADAPTIVE_ANSWERS_MAX) {
            state->without++;
        } else {
            open[len].curve = curve;
            find_gains(&open[len++], curves->grid);
        }
    }
    const int best = len > 0 ? best_angle(open, len) : 0;
    choice->phi_deg = 360.0 * best / POV_CURVE_PLACES;
    choice->curves = calloc((size_t)len + 1, sizeof *choice->curves);
    POV_REQUIRE_MEMORY(choice->curves);
    for (int i = 0; i < len; i++)
        if (is_worth(&open[i], best))
            choice->curves[choice->len++] = open[i].curve;
    free(open);
    return choice->len > 0;
}
