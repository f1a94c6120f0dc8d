/* What a sweep is asked to ask, from a command line. */
#include "firmware/sweep/sweep_questions.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* Calls `take` with each part between commas; its complaint ends it. */
static pov_status each_part(pov_sweep_asking *asking, const char *list,
                            pov_status (*take)(pov_sweep_asking *asking, const char *part))
{
    const char *at = list;
    do {
        char part[128];
        const size_t length = strcspn(at, ",");
        if (length >= sizeof part)
            return pov_error("takes names, not '%.60s...'", at);
        snprintf(part, sizeof part, "%.*s", (int)length, at);
        POV_TRY(take(asking, part));
        at += length + (at[length] == ',');
    } while (*at);
    return pov_ok();
}

const char *pov_sweep_benchmark_names(int i)
{
    return i >= 0 && i < POV_BENCHMARK_COUNT ? pov_benchmark_name((pov_benchmark)i) : NULL;
}

const char *pov_sweep_guidance_names(int i)
{
    return i < POV_GUIDANCE_COUNT ? pov_guidance_name((pov_guidance)i) : NULL;
}

static pov_status take_benchmark(pov_sweep_asking *asking, const char *part)
{
    int i;
    POV_TRY(pov_names_find(&i, pov_sweep_benchmark_names, part));
    asking->benchmark[i] = true;
    return pov_ok();
}

static pov_status take_guidance(pov_sweep_asking *asking, const char *part)
{
    int i;
    POV_TRY(pov_names_find(&i, pov_sweep_guidance_names, part));
    asking->guidance[i] = true;
    return pov_ok();
}

static pov_status copy_name(char copy[POV_NAME_CAPACITY], const char *name)
{
    static_assert((int)POV_NAME_CAPACITY == (int)POV_LANGUAGE_CODE_CAPACITY, "one length for all names");
    const size_t length = strlen(name);
    if (length >= POV_NAME_CAPACITY)
        return pov_error("'%s' is too long for a name", name);
    memcpy(copy, name, length + 1);
    return pov_ok();
}

static pov_status take_language(pov_sweep_asking *asking, const char *part)
{
    for (int i = 0; i < asking->language_len; i++)
        if (strcmp(asking->languages[i], part) == 0)
            return pov_ok();
    if (!*part)
        return pov_error("takes languages, as in en,de; 'pov questions --languages' lists them");
    if (asking->language_len == POV_SWEEP_LANGUAGE_MAX)
        return pov_error("more than %d languages", POV_SWEEP_LANGUAGE_MAX);
    return copy_name(asking->languages[asking->language_len++], part);
}

pov_status pov_sweep_add_pair(pov_sweep_asking *asking, const char *referent, const char *relatum)
{
    if (asking->pair_len == POV_SWEEP_PAIR_MAX)
        return pov_error("more than %d pairs", POV_SWEEP_PAIR_MAX);
    char(*pair)[POV_NAME_CAPACITY] = asking->pairs[asking->pair_len++];
    POV_TRY(copy_name(pair[0], referent));
    return copy_name(pair[1], relatum);
}

static pov_status take_pair(pov_sweep_asking *asking, const char *part)
{
    char referent[128];
    snprintf(referent, sizeof referent, "%s", part);
    char *colon = strchr(referent, ':');
    if (!colon || colon == referent || !colon[1])
        return pov_error("'%s' is no pair: write referent:relatum, as in ball:car", part);
    *colon = '\0';
    if (strcmp(referent, colon + 1) == 0)
        return pov_error("'%s' locates a thing by itself: write referent:relatum, as in ball:car", part);
    return pov_sweep_add_pair(asking, referent, colon + 1);
}

pov_status pov_sweep_take_benchmarks(void *value, const char *list)
{
    pov_sweep_asking *asking = value;
    memset(asking->benchmark, 0, sizeof asking->benchmark);
    return each_part(asking, list, take_benchmark);
}

pov_status pov_sweep_take_guidance(void *value, const char *list)
{
    pov_sweep_asking *asking = value;
    memset(asking->guidance, 0, sizeof asking->guidance);
    return each_part(asking, list, take_guidance);
}

pov_status pov_sweep_take_languages(void *value, const char *list)
{
    pov_sweep_asking *asking = value;
    asking->language_len = 0;
    return each_part(asking, list, take_language);
}

pov_status pov_sweep_take_pairs(void *value, const char *list)
{
    pov_sweep_asking *asking = value;
    asking->pair_len = 0;
    return each_part(asking, list, take_pair);
}

static bool is_eyes(const pov_entity *entity)
{
    return entity->addressee || entity->can_see;
}

/* The first thing of a kind, other than one; NULL: there is none. */
static const pov_entity *first_thing(const pov_cast *cast, bool with_front, const pov_entity *other)
{
    for (int i = 0; i < cast->len; i++) {
        const pov_entity *entity = &cast->members[i].entity;
        if (entity != other && !is_eyes(entity) && (!with_front || entity->heading.len > 0))
            return entity;
    }
    return NULL;
}

/* As in COMFORT, what has a front is the relatum. */
static pov_status usual_pair(pov_sweep_asking *asking, const pov_cast *cast)
{
    const pov_entity *relatum = first_thing(cast, true, NULL);
    const pov_entity *referent = first_thing(cast, false, relatum);
    if (!relatum && referent)
        relatum = first_thing(cast, false, referent);
    if (!relatum || !referent)
        return pov_error("the station has no two things to ask about: name a pair, as in --pairs ball:car");
    return pov_sweep_add_pair(asking, referent->name, relatum->name);
}

static pov_status check_pairs(const pov_sweep_asking *asking, const pov_cast *cast)
{
    for (int i = 0; i < asking->pair_len; i++)
        for (int k = 0; k < 2; k++)
            if (!pov_cast_has(cast, asking->pairs[i][k]))
                return pov_error("--pairs: the station's cast has no '%s'", asking->pairs[i][k]);
    return pov_ok();
}

pov_status pov_sweep_settle_pairs(pov_sweep_asking *asking, const pov_station *station)
{
    if (asking->pair_len > 0)
        return check_pairs(asking, &station->cast);
    for (int i = 0; i < station->judge.pair_len && i < POV_SWEEP_PAIR_MAX; i++)
        POV_TRY(pov_sweep_add_pair(asking, station->judge.pairs[i][0], station->judge.pairs[i][1]));
    return station->judge.pair_len > 0 ? pov_ok() : usual_pair(asking, &station->cast);
}
