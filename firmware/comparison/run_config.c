#include "firmware/comparison/run_config.h"

#include "config/files/json_value.h"
#include "config/files/read_file.h"
#include "config/files/utf8.h"
#include "config/yaml/yaml_file.h"

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

/* Only what is not the usual: sweeps of before have no such member. */
static void add_unusual(cJSON *config, const char *key, const bool *chosen, const char *(*name)(int), int len)
{
    bool is_usual = chosen[0];
    for (int i = 1; i < len; i++)
        is_usual = is_usual && !chosen[i];
    if (!is_usual)
        add_names(config, key, chosen, name, len);
}

static void add_choice(cJSON *config, const pov_question_choice *choice)
{
    add_names(config, "questions", choice->benchmark, pov_choice_benchmark_names, POV_BENCHMARK_COUNT);
    add_names(config, "guided", choice->guidance, pov_choice_guidance_names, POV_GUIDANCE_COUNT);
    add_unusual(config, "prompting", choice->prompting, pov_choice_prompting_names, POV_PROMPTING_COUNT);
    add_unusual(config, "system", choice->system, pov_choice_system_names, POV_SYSTEM_COUNT);
    add_unusual(config, "order", choice->order, pov_choice_order_names, POV_ORDER_COUNT);
    if (choice->flip)
        cJSON_AddBoolToObject(config, "flip", true);
    if (choice->circular)
        cJSON_AddBoolToObject(config, "circular", true);
    cJSON *languages = cJSON_AddArrayToObject(config, "languages");
    for (int i = 0; i < choice->language_len; i++)
        cJSON_AddItemToArray(languages, cJSON_CreateString(choice->languages[i]));
    cJSON *pairs = cJSON_AddArrayToObject(config, "pairs");
    for (int i = 0; i < choice->pair_len; i++) {
        const char *pair[2] = {choice->pairs[i][0], choice->pairs[i][1]};
        cJSON_AddItemToArray(pairs, cJSON_CreateStringArray(pair, 2));
    }
    cJSON_AddStringToObject(config, "variant", choice->variant);
    cJSON_AddNumberToObject(config, "seed", (double)choice->seed);
}

static void add_source(cJSON *config, const pov_station_source *source)
{
    cJSON *object = cJSON_AddObjectToObject(config, "source");
    if (source->kind == POV_SOURCE_FOLDER)
        cJSON_AddStringToObject(object, "folder", source->folder);
    if (source->kind == POV_SOURCE_LIBCAMERA)
        cJSON_AddStringToObject(object, "libcamera", source->libcamera_id);
    if (source->kind >= POV_SOURCE_GSTREAMER && source->kind <= POV_SOURCE_VIDEO) {
        char text[POV_GSTREAMER_TEXT_CAPACITY];
        snprintf(text, sizeof text, "%s", source->gstreamer.text);
        (void)pov_credentials_hide(text, strlen(text));
        cJSON_AddStringToObject(object, pov_source_kind_name(source->kind), text);
    }
    if (source->kind == POV_SOURCE_ROS2)
        cJSON_AddStringToObject(object, "ros2", source->ros2.image);
    if (source->kind == POV_SOURCE_SIMULATOR)
        cJSON_AddStringToObject(object, "simulator", source->simulator.world);
}

pov_status pov_run_config_write(char **json, const pov_run_config *run)
{
    pov_bytes station = {0};
    char hash[32];
    POV_TRY(pov_read_file(&station, run->station_path, POV_YAML_BYTES_MAX, "a station file"));
    station.length = pov_credentials_hide((char *)station.data, station.length);
    cJSON *config = cJSON_CreateObject();
    cJSON_AddStringToObject(config, "station", (const char *)station.data);
    snprintf(hash, sizeof hash, "%016" PRIx64, pov_camera_hash(&run->station->camera));
    cJSON_AddStringToObject(config, "calibration", hash);
    add_source(config, &run->station->source);
    if (run->live_since_ns) {
        snprintf(hash, sizeof hash, "%" PRId64, run->live_since_ns); /* a double would round it */
        cJSON_AddStringToObject(config, "live_since_ns", hash);
    } else {
        cJSON_AddNumberToObject(config, "angles", run->angle_len);
        cJSON_AddBoolToObject(config, "by_hand", run->by_hand);
        if (run->turning) /* a sweep that stops is described as it always was */
            cJSON_AddBoolToObject(config, "turning", true);
        if (run->adaptive)
            cJSON_AddBoolToObject(config, "adaptive", true);
    }
    add_choice(config, run->choice);
    *json = cJSON_PrintUnformatted(config);
    cJSON_Delete(config);
    pov_bytes_free(&station);
    return *json ? pov_ok() : pov_error("sweep: out of memory");
}

pov_status pov_run_config_write_of(char **json, const char *key, const char *value, int images,
                                   const pov_question_choice *choice)
{
    cJSON *config = cJSON_CreateObject();
    cJSON_AddStringToObject(config, key, value);
    cJSON_AddNumberToObject(config, "images", images);
    add_choice(config, choice);
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
        {"turning", "--turning"},
        {"adaptive", "--adaptive"},
        {"live_since_ns", "'pov run' asked live"},
        {"heard", "the run that was heard"},
        {"world", "the world"},
        {"recording", "the recording"},
        {"images", "--images"},
        {"questions", "--questions"},
        {"guided", "--guided"},
        {"prompting", "--prompting"},
        {"system", "--system"},
        {"order", "--order"},
        {"flip", "--flip"},
        {"circular", "--circular"},
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
    char *was = then ? cJSON_PrintUnformatted(then) : NULL, *is = now ? cJSON_PrintUnformatted(now) : NULL;
    const char *key = now ? now->string : then->string;
    const bool is_short = was && is && strlen(was) < 60 && strlen(is) < 60 && strcmp(key, "station") != 0;
    snprintf(text + length, capacity - length, "%s%s", length ? "; " : "", name_of_member(key));
    length = strlen(text);
    if (is_short)
        snprintf(text + length, capacity - length, " (%s then, %s now)", was, is);
    free(was);
    free(is);
}

pov_status pov_run_config_differs(const char *folder, const char *then, const char *now)
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
    cJSON_ArrayForEach(member, before)
    {
        if (!cJSON_GetObjectItemCaseSensitive(after, member->string))
            append_difference(difference, sizeof difference, member, NULL);
    }
    cJSON_Delete(before);
    cJSON_Delete(after);
    return pov_error("%s: holds another sweep. It differs in: %s. Undo that, or name another folder ('pov "
                     "compare' adds questions)",
                     folder, difference);
}

void pov_run_config_choice(pov_question_choice *choice, const char *json, bool papers)
{
    cJSON *config = pov_json_parse_text(json);
    const cJSON *name;
    const double seed = pov_json_number_of(config, "seed");
    int i;
    cJSON_ArrayForEach(name, cJSON_GetObjectItem(config, "questions"))
    {
        if (papers && cJSON_IsString(name) &&
            pov_names_find(&i, pov_choice_benchmark_names, name->valuestring).code == POV_OK)
            choice->benchmark[i] = true;
    }
    pov_utf8_copy(choice->variant, sizeof choice->variant, pov_json_text_of(config, "variant"));
    if (seed >= 0)
        choice->seed = (uint64_t)seed;
    cJSON_Delete(config);
}

pov_status pov_run_config_pairs(pov_question_choice *choice, const char *json)
{
    cJSON *config = pov_json_parse_text(json);
    const cJSON *pair;
    pov_status status = pov_ok();
    choice->pair_len = 0;
    cJSON_ArrayForEach(pair, cJSON_GetObjectItem(config, "pairs"))
    {
        const cJSON *referent = cJSON_GetArrayItem(pair, 0), *relatum = cJSON_GetArrayItem(pair, 1);
        if (status.code == POV_OK && cJSON_IsString(referent) && cJSON_IsString(relatum))
            status = pov_choice_add_pair(choice, referent->valuestring, relatum->valuestring);
    }
    cJSON_Delete(config);
    if (status.code == POV_OK && choice->pair_len == 0)
        return pov_error("the log names no pairs: give them, as in --pairs ball:car");
    return status;
}
