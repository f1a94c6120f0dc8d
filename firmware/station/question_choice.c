#include "firmware/station/question_choice.h"

#include "compare/questions/prompting.h"
#include "config/files/text.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* Calls `take` with each part between commas; its complaint ends it. */
static pov_status each_part(pov_question_choice *choice, const char *list,
                            pov_status (*take)(pov_question_choice *choice, const char *part))
{
    const char *at = list;
    do {
        char part[128];
        const size_t length = strcspn(at, ",");
        if (length >= sizeof part)
            return pov_error("takes names, not '%.60s...'", at);
        snprintf(part, sizeof part, "%.*s", (int)length, at);
        POV_TRY(take(choice, part));
        at += length + (at[length] == ',');
    } while (*at);
    return pov_ok();
}

const char *pov_choice_benchmark_names(int i)
{
    return i >= 0 && i < POV_BENCHMARK_COUNT ? pov_benchmark_name((pov_benchmark)i) : NULL;
}

const char *pov_choice_guidance_names(int i)
{
    return i < POV_GUIDANCE_COUNT ? pov_guidance_name((pov_guidance)i) : NULL;
}

const char *pov_choice_prompting_names(int i)
{
    return i < POV_PROMPTING_COUNT ? pov_prompting_name((pov_prompting)i) : NULL;
}

const char *pov_choice_system_names(int i)
{
    return i < POV_SYSTEM_COUNT ? pov_system_prompt_name((pov_system_prompt)i) : NULL;
}

const char *pov_choice_order_names(int i)
{
    return i < POV_ORDER_COUNT ? pov_question_order_name((pov_question_order)i) : NULL;
}

static pov_status take_benchmark(pov_question_choice *choice, const char *part)
{
    int i;
    POV_TRY(pov_names_find(&i, pov_choice_benchmark_names, part));
    choice->benchmark[i] = true;
    return pov_ok();
}

static pov_status take_guidance(pov_question_choice *choice, const char *part)
{
    int i;
    POV_TRY(pov_names_find(&i, pov_choice_guidance_names, strcmp(part, "none") == 0 ? "not" : part));
    choice->guidance[i] = true;
    return pov_ok();
}

static pov_status take_prompting(pov_question_choice *choice, const char *part)
{
    int i;
    POV_TRY(pov_names_find(&i, pov_choice_prompting_names, part));
    choice->prompting[i] = true;
    return pov_ok();
}

static pov_status take_system(pov_question_choice *choice, const char *part)
{
    int i;
    POV_TRY(pov_names_find(&i, pov_choice_system_names, part));
    choice->system[i] = true;
    return pov_ok();
}

static pov_status take_order(pov_question_choice *choice, const char *part)
{
    int i;
    POV_TRY(pov_names_find(&i, pov_choice_order_names, part));
    choice->order[i] = true;
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

static pov_status take_language(pov_question_choice *choice, const char *part)
{
    for (int i = 0; i < choice->language_len; i++)
        if (strcmp(choice->languages[i], part) == 0)
            return pov_ok();
    if (!*part)
        return pov_error("takes languages, as in en,de; 'pov questions --languages' lists them");
    if (choice->language_len == POV_CHOICE_LANGUAGE_MAX)
        return pov_error("more than %d languages", POV_CHOICE_LANGUAGE_MAX);
    return copy_name(choice->languages[choice->language_len++], part);
}

pov_status pov_choice_add_pair(pov_question_choice *choice, const char *referent, const char *relatum)
{
    if (choice->pair_len == POV_CHOICE_PAIR_MAX)
        return pov_error("more than %d pairs", POV_CHOICE_PAIR_MAX);
    char(*pair)[POV_NAME_CAPACITY] = choice->pairs[choice->pair_len++];
    POV_TRY(copy_name(pair[0], referent));
    return copy_name(pair[1], relatum);
}

static pov_status take_pair(pov_question_choice *choice, const char *part)
{
    char referent[128];
    snprintf(referent, sizeof referent, "%s", part);
    char *colon = strchr(referent, ':');
    if (!colon || colon == referent || !colon[1])
        return pov_error("'%s' is not a pair: write referent:relatum, as in ball:car", part);
    *colon = '\0';
    if (strcmp(referent, colon + 1) == 0)
        return pov_error("'%s' locates a thing by itself: write referent:relatum, as in ball:car", part);
    return pov_choice_add_pair(choice, referent, colon + 1);
}

pov_status pov_choice_take_benchmarks(void *value, const char *list)
{
    pov_question_choice *choice = value;
    memset(choice->benchmark, 0, sizeof choice->benchmark);
    return each_part(choice, list, take_benchmark);
}

pov_status pov_choice_take_guidance(void *value, const char *list)
{
    pov_question_choice *choice = value;
    memset(choice->guidance, 0, sizeof choice->guidance);
    return each_part(choice, list, take_guidance);
}

pov_status pov_choice_take_prompting(void *value, const char *list)
{
    pov_question_choice *choice = value;
    memset(choice->prompting, 0, sizeof choice->prompting);
    return each_part(choice, list, take_prompting);
}

pov_status pov_choice_take_system(void *value, const char *list)
{
    pov_question_choice *choice = value;
    memset(choice->system, 0, sizeof choice->system);
    return each_part(choice, list, take_system);
}

pov_status pov_choice_take_order(void *value, const char *list)
{
    pov_question_choice *choice = value;
    memset(choice->order, 0, sizeof choice->order);
    return each_part(choice, list, take_order);
}

static void settle(bool *chosen, int len)
{
    for (int i = 0; i < len; i++)
        if (chosen[i])
            return;
    chosen[0] = true;
}

void pov_choice_settle_conditions(pov_question_choice *choice)
{
    settle(choice->guidance, POV_GUIDANCE_COUNT);
    settle(choice->prompting, POV_PROMPTING_COUNT);
    settle(choice->system, POV_SYSTEM_COUNT);
    settle(choice->order, POV_ORDER_COUNT);
}

pov_status pov_choice_take_languages(void *value, const char *list)
{
    pov_question_choice *choice = value;
    choice->language_len = 0;
    return each_part(choice, list, take_language);
}

pov_status pov_choice_take_pairs(void *value, const char *list)
{
    pov_question_choice *choice = value;
    choice->pair_len = 0;
    return each_part(choice, list, take_pair);
}

/* ---- options that would do nothing ---- */

static bool has_english(const pov_question_choice *choice)
{
    for (int i = 0; i < choice->language_len; i++)
        if (strncmp(choice->languages[i], "en", 2) == 0)
            return true;
    return false;
}

/* Facts are told in English; COMFORT's questions are asked in other languages, too. */
static bool guides_any(const pov_question_choice *choice, pov_guidance guidance)
{
    for (int b = 0; b < POV_BENCHMARK_COUNT; b++)
        if (choice->benchmark[b] && pov_guidance_applies(guidance, (pov_benchmark)b, NULL) &&
            (guidance == POV_GUIDED_NOT || b != POV_BENCHMARK_COMFORT || has_english(choice)))
            return true;
    return false;
}

/* Prompting asks in English, as facts are told. */
static bool prompts_any(const pov_question_choice *choice, pov_prompting prompting)
{
    for (int b = 0; b < POV_BENCHMARK_COUNT; b++)
        if (choice->benchmark[b] &&
            (prompting == POV_PROMPTING_ZERO_SHOT || b != POV_BENCHMARK_COMFORT || has_english(choice)))
            return true;
    return false;
}

static bool has_system_any(const pov_question_choice *choice, pov_system_prompt system)
{
    for (int b = 0; b < POV_BENCHMARK_COUNT; b++)
        if (choice->benchmark[b] && pov_system_applies(system, (pov_benchmark)b))
            return true;
    return false;
}

static pov_status check_rotations(const pov_question_choice *choice)
{
    bool has_options = !choice->circular;
    for (int b = 0; b < POV_BENCHMARK_COUNT; b++)
        has_options = has_options || (choice->benchmark[b] && pov_benchmark_has_options((pov_benchmark)b));
    return has_options
               ? pov_ok()
               : pov_error("--circular: none of the questions that are asked has options: add sphere, "
                           "forest, viewspatial or another benchmark with options (docs/BENCHMARKS.md) to "
                           "--questions");
}

static pov_status check_flips(const pov_question_choice *choice)
{
    bool has_any = !choice->flip;
    for (int b = 0; b < POV_BENCHMARK_COUNT; b++)
        has_any = has_any || (choice->benchmark[b] && pov_flip_applies(true, (pov_benchmark)b));
    return has_any ? pov_ok()
                   : pov_error("--flip: MindCube's questions are about several images, which are not "
                               "mirrored: add another paper to --questions");
}

/* Why none of the questions can be guided so. */
static const char *guidance_cause(const pov_question_choice *choice, pov_guidance guidance)
{
    if (guidance == POV_GUIDED_STEP)
        return "add vpt or sphere to --questions";
    if (guidance == POV_GUIDED_COGMAP)
        return "it is drawn before an answer by letters: add a benchmark that has them "
               "(docs/BENCHMARKS.md) to --questions";
    for (int b = 0; b < POV_BENCHMARK_COUNT; b++)
        if (choice->benchmark[b] && b != POV_BENCHMARK_MINDCUBE)
            return "it is told in English only: add en to --languages";
    return "MindCube's questions are nobody's but the camera's: take map or cogmap, or add another paper to "
           "--questions";
}

static pov_status check_prompting(const pov_question_choice *choice)
{
    for (int g = 0; g < POV_GUIDANCE_COUNT; g++)
        if (choice->guidance[g] && !choice->prompting[POV_PROMPTING_ZERO_SHOT] &&
            !pov_guidance_goes_with((pov_guidance)g, POV_PROMPTING_COT))
            return pov_error("--guided %s: it goes with zero-shot only: add zero-shot to --prompting",
                             pov_guidance_name((pov_guidance)g));
    for (int p = 0; p < POV_PROMPTING_COUNT; p++)
        if (choice->prompting[p] && !prompts_any(choice, (pov_prompting)p))
            return pov_error("--prompting %s: it asks in English only: add en to --languages",
                             pov_prompting_name((pov_prompting)p));
    for (int s = 0; s < POV_SYSTEM_COUNT; s++)
        if (choice->system[s] && !has_system_any(choice, (pov_system_prompt)s))
            return pov_error("--system %s: it goes with none of the questions that are asked: %s",
                             pov_system_prompt_name((pov_system_prompt)s),
                             s == POV_SYSTEM_COMFORT ? "add comfort to --questions"
                                                     : "FoREST's have a system prompt of their own");
    if (choice->order[POV_ORDER_PERMUTED] && !choice->benchmark[POV_BENCHMARK_VPT])
        return pov_error("--order permuted: only Isle-Brick's Q5 has it: add vpt to --questions");
    if (choice->order[POV_ORDER_REVERSE] && !choice->benchmark[POV_BENCHMARK_FOREST])
        return pov_error("--order reverse: only FoREST's questions have it: add forest to --questions");
    return pov_ok();
}

pov_status pov_choice_check_system(const pov_question_choice *choice, const char *system)
{
    if (choice->system[POV_SYSTEM_OF_VLM] && choice->system[POV_SYSTEM_NONE] && !*system)
        return pov_error(
            "--system vlm,none: the section vlm has no system prompt, so each question would be asked "
            "twice alike; give it one (vlm: {system: ...}), or take one of the two out");
    return pov_ok();
}

pov_status pov_choice_check(const pov_question_choice *choice)
{
    const bool has_languages = choice->language_len != 1 || strcmp(choice->languages[0], "en") != 0;
    if (!choice->benchmark[POV_BENCHMARK_COMFORT] && (has_languages || choice->pair_len > 0))
        return pov_error(
            "--%s: only COMFORT's questions have %s, and none are asked: add comfort to --questions",
            has_languages ? "languages" : "pairs", has_languages ? "languages" : "pairs");
    for (int g = 0; g < POV_GUIDANCE_COUNT; g++)
        if (choice->guidance[g] && !guides_any(choice, (pov_guidance)g))
            return pov_error("--guided %s: none of the questions that are asked can be guided so: %s",
                             pov_guidance_name((pov_guidance)g), guidance_cause(choice, (pov_guidance)g));
    POV_TRY(check_prompting(choice));
    POV_TRY(check_rotations(choice));
    POV_TRY(check_flips(choice));
    for (int i = 0; i < choice->language_len; i++)
        if (strncmp(choice->languages[i], "en", 2) != 0 &&
            !(choice->guidance[POV_GUIDED_NOT] && choice->prompting[POV_PROMPTING_ZERO_SHOT]))
            return pov_error("--languages %s: only English questions are %s: add %s, or leave %s out",
                             choice->languages[i],
                             choice->guidance[POV_GUIDED_NOT] ? "asked so (--prompting)" : "guided by facts",
                             choice->guidance[POV_GUIDED_NOT] ? "zero-shot to --prompting"
                                                              : "not to --guided",
                             choice->languages[i]);
    return pov_ok();
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
static pov_status usual_pair(pov_question_choice *choice, const pov_cast *cast)
{
    const pov_entity *relatum = first_thing(cast, true, NULL);
    const pov_entity *referent = first_thing(cast, false, relatum);
    if (!relatum && referent)
        relatum = first_thing(cast, false, referent);
    if (!relatum || !referent)
        return pov_error("the station has no two things to ask about: name a pair, as in --pairs ball:car");
    return pov_choice_add_pair(choice, referent->name, relatum->name);
}

static pov_status complain_of_pair(const char *name, const pov_cast *cast)
{
    pov_text text = {0};
    for (int i = 0; i < cast->len; i++)
        pov_text_add(&text, "%s%s", i > 0 ? ", " : "", cast->members[i].entity.name);
    const pov_status status = pov_error("--pairs: the station's cast has no '%s'; it has: %.300s", name,
                                        text.len > 0 ? pov_text_of(&text) : "nobody");
    pov_text_free(&text);
    return status;
}

static pov_status check_pairs(const pov_question_choice *choice, const pov_cast *cast)
{
    for (int i = 0; i < choice->pair_len; i++)
        for (int k = 0; k < 2; k++)
            if (!pov_cast_has(cast, choice->pairs[i][k]))
                return complain_of_pair(choice->pairs[i][k], cast);
    return pov_ok();
}

pov_status pov_choice_settle_pairs(pov_question_choice *choice, const pov_cast *cast,
                                   char (*pairs)[2][POV_NAME_CAPACITY], int len)
{
    if (choice->pair_len > 0)
        return check_pairs(choice, cast);
    for (int i = 0; i < len && i < POV_CHOICE_PAIR_MAX; i++)
        POV_TRY(pov_choice_add_pair(choice, pairs[i][0], pairs[i][1]));
    return len > 0 ? pov_ok() : usual_pair(choice, cast);
}
