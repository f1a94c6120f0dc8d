/* What decides about a sweep's images and questions, for its log. */
#include "config/files/read_file.h"
#include "config/yaml/yaml_file.h"
#include "firmware/sweep/sweep.h"

#include <cjson/cJSON.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static void add_names(cJSON *config, const char *key, const bool *chosen, const char *(*name)(int), int len)
{
    cJSON *list = cJSON_AddArrayToObject(config, key);
    for (int i = 0; i < len; i++)
        if (chosen[i])
            cJSON_AddItemToArray(list, cJSON_CreateString(name(i)));
}

static const char *benchmark_name(int i)
{
    return pov_benchmark_name((pov_benchmark)i);
}

static const char *guidance_name(int i)
{
    return pov_guidance_name((pov_guidance)i);
}

static void add_asking(cJSON *config, const pov_sweep_asking *asking)
{
    add_names(config, "questions", asking->benchmark, benchmark_name, POV_BENCHMARK_COUNT);
    add_names(config, "guided", asking->guidance, guidance_name, POV_GUIDANCE_COUNT);
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
    if (source->kind == POV_SOURCE_SIMULATOR)
        cJSON_AddStringToObject(object, "simulator", source->simulator.world);
}

pov_status pov_sweep_config_write(char **json, const pov_sweep_options *options)
{
    pov_bytes station = {0};
    char hash[32];
    POV_TRY(pov_read_file(&station, options->station_path, POV_YAML_BYTES_MAX, "a station file"));
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

/* The option or thing that a member of the config comes from. */
static const char *name_of_member(const char *key)
{
    static const char *const names[][2] = {
        {"station", "the station file's text"},
        {"calibration", "the camera's calibration"},
        {"source", "where images come from"},
        {"angles", "--angles"},
        {"by_hand", "--by-hand"},
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

/* ", it was 12" of what is short enough to be said. */
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
    cJSON *before = cJSON_Parse(then), *after = cJSON_Parse(now);
    const cJSON *member;
    cJSON_ArrayForEach(member, after)
    {
        const cJSON *was = cJSON_GetObjectItemCaseSensitive(before, member->string);
        if (!was || !cJSON_Compare(was, member, true))
            append_difference(difference, sizeof difference, was, member);
    }
    cJSON_Delete(before);
    cJSON_Delete(after);
    return pov_error("%s: holds another sweep. What differs: %s. Undo that, or name another folder ('pov "
                     "compare' adds questions)",
                     folder, difference);
}

pov_status pov_sweep_config_pairs(pov_sweep_asking *asking, const char *json)
{
    cJSON *config = cJSON_Parse(json);
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
