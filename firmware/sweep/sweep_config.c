/* The configuration that determines a sweep's images and questions: written to its log, read from the command line. */
#include "config/files/json_value.h"
#include "config/files/read_file.h"
#include "config/files/utf8.h"
#include "config/yaml/yaml_file.h"
#include "firmware/sweep/sweep.h"
#include "firmware/sweep/sweep_questions.h"

#include <assert.h>
#include <cJSON.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void add_names(cJSON *config, const char *key, const bool *chosen, const char *(*name)(int), int len)
{
    cJSON *list = cJSON_AddArrayToObject(config, key);
    for (int i = 0; i < len; i++)
        if (chosen[i])
            cJSON_AddItemToArray(list, cJSON_CreateString(name(i)));
}

static void add_asking(cJSON *config, const pov_sweep_asking *asking)
{
    add_names(config, "questions", asking->benchmark, pov_sweep_benchmark_names, POV_BENCHMARK_COUNT);
    add_names(config, "guided", asking->guidance, pov_sweep_guidance_names, POV_GUIDANCE_COUNT);
    cJSON *languages = cJSON_AddArrayToObject(config, "languages");
    for (int i = 0; i < asking->language_len; i++)
        cJSON_AddItemToArray(languages, cJSON_CreateString(asking->languages[i]));
    cJSON *pairs = cJSON_AddArrayToObject(config, "pairs");
    for (int i = 0; i < asking->pair_len; i++) {
        const char *pair[2] = {asking->pairs[i][0], asking->pairs[i][1]};
        cJSON_AddItemToArray(pairs, cJSON_CreateStringArray(pair, 2));
    }
    cJSON_AddStringToObject(config, "variant", asking->variant);
    cJSON_AddNumberToObject(config, "seed", (double)asking->seed);
}

static void add_source(cJSON *config, const pov_station_source *source)
{
    cJSON *object = cJSON_AddObjectToObject(config, "source");
    if (source->kind == POV_SOURCE_FOLDER)
        cJSON_AddStringToObject(object, "folder", source->folder);
    if (source->kind == POV_SOURCE_LIBCAMERA)
        cJSON_AddStringToObject(object, "libcamera", source->libcamera_id);
    if (source->kind >= POV_SOURCE_GSTREAMER) {
        char text[POV_GSTREAMER_TEXT_CAPACITY];
        snprintf(text, sizeof text, "%s", source->gstreamer.text);
        (void)pov_credentials_hide(text, strlen(text));
        cJSON_AddStringToObject(object, pov_source_kind_name(source->kind), text);
    }
    if (source->kind == POV_SOURCE_SIMULATOR)
        cJSON_AddStringToObject(object, "simulator", source->simulator.world);
}

pov_status pov_sweep_config_write(char **json, const pov_sweep_options *options)
{
    pov_bytes station = {0};
    char hash[32];
    POV_TRY(pov_read_file(&station, options->station_path, POV_YAML_BYTES_MAX, "a station file"));
    station.length = pov_credentials_hide((char *)station.data, station.length);
    cJSON *config = cJSON_CreateObject();
    cJSON_AddStringToObject(config, "station", (const char *)station.data);
    snprintf(hash, sizeof hash, "%016" PRIx64, pov_camera_hash(&options->station->camera));
    cJSON_AddStringToObject(config, "calibration", hash);
    add_source(config, &options->station->source);
    cJSON_AddNumberToObject(config, "angles", options->angle_len);
    cJSON_AddBoolToObject(config, "by_hand", options->by_hand);
    add_asking(config, &options->asking);
    *json = cJSON_PrintUnformatted(config);
    cJSON_Delete(config);
    pov_bytes_free(&station);
    return *json ? pov_ok() : pov_error("sweep: out of memory");
}

pov_status pov_sweep_config_write_of(char **json, const char *key, const char *value, int images,
                                     const pov_sweep_asking *asking)
{
    cJSON *config = cJSON_CreateObject();
    cJSON_AddStringToObject(config, key, value);
    cJSON_AddNumberToObject(config, "images", images);
    add_asking(config, asking);
    *json = cJSON_PrintUnformatted(config);
    cJSON_Delete(config);
    return *json ? pov_ok() : pov_error("questions: out of memory");
}

/* The option or thing that a member of the config comes from. */
static const char *name_of_member(const char *key)
{
    static const char *const names[][2] = {
        {"station", "the station file's text"},
        {"calibration", "the camera's calibration"},
        {"source", "where images come from"},
        {"angles", "--angles"},
        {"by_hand", "--by-hand"},
        {"world", "the world"},
        {"recording", "the recording"},
        {"images", "--images"},
        {"questions", "--questions"},
        {"guided", "--guided"},
        {"languages", "--languages"},
        {"pairs", "--pairs"},
        {"variant", "--variant"},
        {"seed", "--seed"},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i][0], key) == 0)
            return names[i][1];
    return key;
}

/* " (12 then, 36 now)" if both are short. */
static void append_difference(char *text, size_t capacity, const cJSON *then, const cJSON *now)
{
    size_t length = strlen(text);
    char *was = then ? cJSON_PrintUnformatted(then) : NULL, *is = cJSON_PrintUnformatted(now);
    const bool is_short =
        was && is && strlen(was) < 60 && strlen(is) < 60 && strcmp(now->string, "station") != 0;
    snprintf(text + length, capacity - length, "%s%s", length ? "; " : "", name_of_member(now->string));
    length = strlen(text);
    if (is_short)
        snprintf(text + length, capacity - length, " (%s then, %s now)", was, is);
    free(was);
    free(is);
}

pov_status pov_sweep_config_differs(const char *folder, const char *then, const char *now)
{
    char difference[240] = "";
    cJSON *before = pov_json_parse_text(then), *after = pov_json_parse_text(now);
    const cJSON *member;
    cJSON_ArrayForEach(member, after)
    {
        const cJSON *was = cJSON_GetObjectItemCaseSensitive(before, member->string);
        if (!was || !cJSON_Compare(was, member, true))
            append_difference(difference, sizeof difference, was, member);
    }
    cJSON_Delete(before);
    cJSON_Delete(after);
    return pov_error("%s: holds another sweep. It differs in: %s. Undo that, or name another folder ('pov "
                     "compare' adds questions)",
                     folder, difference);
}

void pov_sweep_config_asking(pov_sweep_asking *asking, const char *json, bool papers)
{
    cJSON *config = pov_json_parse_text(json);
    const cJSON *name;
    const double seed = pov_json_number_of(config, "seed");
    int i;
    cJSON_ArrayForEach(name, cJSON_GetObjectItem(config, "questions"))
    {
        if (papers && cJSON_IsString(name) &&
            pov_names_find(&i, pov_sweep_benchmark_names, name->valuestring).code == POV_OK)
            asking->benchmark[i] = true;
    }
    pov_utf8_copy(asking->variant, sizeof asking->variant, pov_json_text_of(config, "variant"));
    if (seed >= 0)
        asking->seed = (uint64_t)seed;
    cJSON_Delete(config);
}

pov_status pov_sweep_config_pairs(pov_sweep_asking *asking, const char *json)
{
    cJSON *config = pov_json_parse_text(json);
    const cJSON *pair;
    pov_status status = pov_ok();
    asking->pair_len = 0;
    cJSON_ArrayForEach(pair, cJSON_GetObjectItem(config, "pairs"))
    {
        const cJSON *referent = cJSON_GetArrayItem(pair, 0), *relatum = cJSON_GetArrayItem(pair, 1);
        if (status.code == POV_OK && cJSON_IsString(referent) && cJSON_IsString(relatum))
            status = pov_sweep_add_pair(asking, referent->valuestring, relatum->valuestring);
    }
    cJSON_Delete(config);
    if (status.code == POV_OK && asking->pair_len == 0)
        return pov_error("the log names no pairs: give them, as in --pairs ball:car");
    return status;
}

/* ---- from the command line ---- */

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

/* ---- options that would do nothing ---- */

static bool has_english(const pov_sweep_asking *asking)
{
    for (int i = 0; i < asking->language_len; i++)
        if (strncmp(asking->languages[i], "en", 2) == 0)
            return true;
    return false;
}

/* Facts are told in English; COMFORT's questions are asked in other languages, too. */
static bool guides_any(const pov_sweep_asking *asking, pov_guidance guidance)
{
    for (int b = 0; b < POV_BENCHMARK_COUNT; b++)
        if (asking->benchmark[b] && pov_guidance_applies(guidance, (pov_benchmark)b, NULL) &&
            (guidance == POV_GUIDED_NOT || b != POV_BENCHMARK_COMFORT || has_english(asking)))
            return true;
    return false;
}

pov_status pov_sweep_asking_check(const pov_sweep_asking *asking)
{
    const bool has_languages = asking->language_len != 1 || strcmp(asking->languages[0], "en") != 0;
    if (!asking->benchmark[POV_BENCHMARK_COMFORT] && (has_languages || asking->pair_len > 0))
        return pov_error(
            "--%s: only COMFORT's questions have %s, and none are asked: add comfort to --questions",
            has_languages ? "languages" : "pairs", has_languages ? "languages" : "pairs");
    for (int g = 0; g < POV_GUIDANCE_COUNT; g++)
        if (asking->guidance[g] && !guides_any(asking, (pov_guidance)g))
            return pov_error("--guided %s: none of the questions that are asked can be guided so: %s",
                             pov_guidance_name((pov_guidance)g),
                             g == POV_GUIDED_STEP ? "add vpt or sphere to --questions"
                                                  : "facts are told in English only: add en to --languages");
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
