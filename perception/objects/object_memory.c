#include "perception/objects/object_memory.h"

#include <math.h>

static const double reach_share = 1; /* of the radius: farthest move from image to image; chosen */
static const double taken_s = 60;    /* mean time until an object is taken elsewhere unseen; chosen */
static const double soonest_s = 0.1; /* no object is taken elsewhere in less; chosen */
static const double empty_evidence =
    -9;                            /* log-odds of a place seen empty: OBJECT_EVIDENCE_LEAST the other way */
static const double stay_most = 3; /* log-odds; chosen: a covered object needs that much less evidence */

bool pov_object_memory_is_home(const object_memory *memory, const object_model *model,
                               const object_place *place)
{
    return memory->has_home &&
           pov_object_place_distance(place, &memory->home) < reach_share * model->radius_m;
}

/* Bounded by the evidence that the fit lacks against the best seen there: the past look counts once. */
double pov_object_memory_prior(const object_memory *memory, const object_model *model, const object_fit *fit,
                               int64_t now_ns)
{
    if (!pov_object_memory_is_home(memory, model, &fit->place))
        return 0;
    const double gone_s = fmax(soonest_s, (double)(now_ns - memory->home_ns) * 1e-9);
    const double most = OBJECT_EVIDENCE_LEAST + log(taken_s / gone_s);
    return fmax(0, fmin(most, memory->home_evidence - fmax(0, fit->evidence)));
}

double pov_object_memory_stay(const object_memory *memory, const object_model *model, const object_fit *fit,
                              int64_t now_ns)
{
    return fmin(stay_most, pov_object_memory_prior(memory, model, fit, now_ns));
}

void pov_object_memory_found(object_memory *memory, const object_model *model, const object_fit *fit,
                             int64_t now_ns)
{
    const bool is_same = pov_object_memory_is_home(memory, model, &fit->place);
    memory->is_swept = memory->has_candidate = false;
    memory->home_evidence = is_same ? fmax(memory->home_evidence, fit->evidence) : fit->evidence;
    memory->has_home = memory->was_found = true;
    memory->home = fit->place;
    memory->home_ns = now_ns;
    memory->last = *fit;
}

void pov_object_memory_missed(object_memory *memory, const object_fit *at_home)
{
    memory->was_found = memory->is_looked_about = false;
    memory->was_astray = true;
    if (at_home && at_home->evidence < empty_evidence)
        memory->has_home = false;
}
