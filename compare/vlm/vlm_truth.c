#include "compare/vlm/vlm_truth.h"

#include "config/files/grow.h"
#include "config/files/json_value.h"
#include "config/files/read_file.h"
#include "perception/hash.h"

#include <cJSON.h>
#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FILE_BYTES_MAX = 1 << 30, HASH_DIGITS = 16 };

/** Sorted by the prompt's hash, then by the image. */
typedef struct {
    uint64_t prompt;
    int order;   /* in the file */
    cJSON *root; /* holds the truth's strings */
    pov_vlm_truth truth;
} entry;

struct pov_vlm_truths {
    entry *entries;
    int len, capacity;
};

uint64_t pov_vlm_truth_hash(const void *bytes, size_t len)
{
    return pov_hash_bytes(POV_HASH_START, bytes, len);
}

static uint64_t hash_prompt(const char *prompt)
{
    while (isspace((unsigned char)*prompt))
        prompt++;
    size_t len = strlen(prompt);
    while (len > 0 && isspace((unsigned char)prompt[len - 1]))
        len--;
    return pov_vlm_truth_hash(prompt, len);
}

/* ---- writing ---- */

static void add_text(cJSON *root, const char *key, const char *text)
{
    if (text)
        cJSON_AddStringToObject(root, key, text);
}

static bool add_gold(cJSON *golds, const pov_vlm_gold *gold)
{
    if (gold->text)
        return cJSON_AddStringToObject(golds, gold->frame, gold->text) != NULL;
    return gold->yes >= 0 && gold->yes <= 1 && cJSON_AddNumberToObject(golds, gold->frame, gold->yes) != NULL;
}

pov_status pov_vlm_truth_line(char **line, const pov_vlm_truth *truth)
{
    char image[HASH_DIGITS + 1] = "";
    cJSON *root = cJSON_CreateObject();
    if (truth->image)
        snprintf(image, sizeof image, "%016" PRIx64, truth->image);
    add_text(root, "image", image);
    add_text(root, "prompt", truth->prompt);
    add_text(root, "system", truth->system);
    add_text(root, "relation", truth->relation);
    bool sound = truth->gold_len > 0 && truth->gold_len <= POV_VLM_TRUTH_GOLD_MAX && truth->asked >= 0 &&
                 truth->asked < truth->gold_len;
    if (sound)
        add_text(root, "asked", truth->golds[truth->asked].frame);
    cJSON *golds = cJSON_AddObjectToObject(root, "golds");
    for (int i = 0; i < truth->gold_len && sound; i++)
        sound = add_gold(golds, &truth->golds[i]);
    if (truth->option_len > 0)
        cJSON_AddItemToObject(root, "options", cJSON_CreateStringArray(truth->options, truth->option_len));
    add_text(root, "yes", truth->yes_word);
    add_text(root, "no", truth->no_word);
    add_text(root, "cogmap", truth->cogmap);
    if (truth->flipped)
        cJSON_AddTrueToObject(root, "flipped");
    if (truth->scaffold) {
        snprintf(image, sizeof image, "%016" PRIx64, truth->scaffold);
        add_text(root, "scaffold", image);
    }
    if (truth->explains)
        cJSON_AddTrueToObject(root, "explains");
    char *json = sound ? cJSON_PrintUnformatted(root) : NULL;
    cJSON_Delete(root);
    *line = json ? realloc(json, strlen(json) + 2) : NULL;
    if (!*line) {
        free(json);
        return pov_error("cannot write the truth of \"%.100s\": it has no golds that can be", truth->prompt);
    }
    strcat(*line, "\n");
    return pov_ok();
}

/* ---- reading ---- */

static pov_status read_image(uint64_t *image, const cJSON *root, const char *key)
{
    const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(root, key));
    *image = 0;
    if (!text)
        return pov_error("%s: missing, or not a string", key);
    if (text[0] == '\0')
        return pov_ok();
    if (strlen(text) != HASH_DIGITS || strspn(text, "0123456789abcdef") != HASH_DIGITS)
        return pov_error("%s: '%.40s' is not 16 digits of 0-9a-f", key, text);
    *image = strtoull(text, NULL, 16);
    return pov_ok();
}

static pov_status read_word(const char **word, const cJSON *root, const char *key)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(root, key);
    *word = cJSON_GetStringValue(item);
    return item && !*word ? pov_error("%s: not a string", key) : pov_ok();
}

static pov_status read_flag(bool *flag, const cJSON *root, const char *key)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(root, key);
    *flag = cJSON_IsTrue(item);
    return item && !cJSON_IsBool(item) ? pov_error("%s: neither true nor false", key) : pov_ok();
}

static pov_status read_golds(pov_vlm_truth *truth, const cJSON *root, const char *asked)
{
    const cJSON *golds = cJSON_GetObjectItemCaseSensitive(root, "golds"), *item;
    truth->asked = asked ? -1 : 0;
    if (!cJSON_IsObject(golds))
        return pov_error("golds: missing, or not an object");
    cJSON_ArrayForEach(item, golds)
    {
        const bool is_number = cJSON_IsNumber(item) && item->valuedouble >= 0 && item->valuedouble <= 1;
        if (truth->gold_len == POV_VLM_TRUTH_GOLD_MAX)
            return pov_error("golds: more than %d", POV_VLM_TRUTH_GOLD_MAX);
        if (!is_number && !cJSON_IsString(item))
            return pov_error("golds.%.60s: neither a number from 0 to 1 nor a text", item->string);
        if (asked && strcmp(asked, item->string) == 0)
            truth->asked = truth->gold_len;
        truth->golds[truth->gold_len++] = (pov_vlm_gold){.frame = item->string,
                                                         .yes = is_number ? item->valuedouble : NAN,
                                                         .text = is_number ? NULL : item->valuestring};
    }
    if (truth->gold_len == 0)
        return pov_error("golds: empty");
    return truth->asked < 0 ? pov_error("asked: '%.60s' is not among the golds", asked) : pov_ok();
}

static pov_status read_options(pov_vlm_truth *truth, const cJSON *root)
{
    const cJSON *options = cJSON_GetObjectItemCaseSensitive(root, "options"), *item;
    if (options && !cJSON_IsArray(options))
        return pov_error("options: not a list");
    cJSON_ArrayForEach(item, options)
    {
        if (!cJSON_IsString(item) || truth->option_len == POV_VLM_TRUTH_OPTION_MAX)
            return pov_error("options: one is not a text, or there are more than %d",
                             POV_VLM_TRUTH_OPTION_MAX);
        truth->options[truth->option_len++] = item->valuestring;
    }
    return pov_ok();
}

static pov_status read_truth(pov_vlm_truth *truth, const cJSON *root)
{
    const char *asked;
    memset(truth, 0, sizeof *truth);
    if (!cJSON_IsObject(root))
        return pov_error("not a JSON object");
    POV_TRY(read_image(&truth->image, root, "image"));
    if (cJSON_GetObjectItemCaseSensitive(root, "scaffold"))
        POV_TRY(read_image(&truth->scaffold, root, "scaffold"));
    POV_TRY(read_word(&truth->prompt, root, "prompt"));
    POV_TRY(read_word(&truth->system, root, "system"));
    POV_TRY(read_word(&truth->relation, root, "relation"));
    POV_TRY(read_word(&truth->yes_word, root, "yes"));
    POV_TRY(read_word(&truth->no_word, root, "no"));
    POV_TRY(read_word(&truth->cogmap, root, "cogmap"));
    POV_TRY(read_word(&asked, root, "asked"));
    POV_TRY(read_flag(&truth->explains, root, "explains"));
    POV_TRY(read_flag(&truth->flipped, root, "flipped"));
    POV_TRY(read_options(truth, root));
    if (!truth->prompt || strlen(truth->prompt) > POV_VLM_TRUTH_PROMPT_MAX)
        return pov_error("prompt: missing, or longer than %d bytes", POV_VLM_TRUTH_PROMPT_MAX);
    return read_golds(truth, root, asked);
}

static entry *next_entry(pov_vlm_truths *truths)
{
    const bool has_room = pov_grow(&truths->entries, &truths->capacity, truths->len, sizeof *truths->entries);
    return has_room ? &truths->entries[truths->len] : NULL;
}

static pov_status read_line(pov_vlm_truths *truths, const char *line, size_t len)
{
    entry *e = next_entry(truths);
    if (!e)
        return pov_error("out of memory");
    e->root = pov_json_parse(line, len);
    const pov_status status = read_truth(&e->truth, e->root);
    if (status.code != POV_OK) {
        cJSON_Delete(e->root);
        return status;
    }
    e->prompt = hash_prompt(e->truth.prompt);
    e->order = truths->len++;
    return pov_ok();
}

static bool is_blank(const char *line, size_t len)
{
    while (len > 0 && isspace((unsigned char)line[len - 1]))
        len--;
    return len == 0;
}

static pov_status read_lines(pov_vlm_truths *truths, const char *name, const char *text, size_t len)
{
    int number = 1;
    for (const char *line = text, *end; (end = memchr(line, '\n', len - (size_t)(line - text)));
         line = end + 1, number++) {
        if (is_blank(line, (size_t)(end - line)))
            continue;
        const pov_status status = read_line(truths, line, (size_t)(end - line));
        if (status.code != POV_OK)
            return pov_error("%s:%d: %s", name, number, status.message);
    }
    return pov_ok();
}

static int compare_keys(const entry *a, uint64_t prompt, uint64_t image)
{
    if (a->prompt != prompt)
        return a->prompt < prompt ? -1 : 1;
    return a->truth.image == image ? 0 : a->truth.image < image ? -1 : 1;
}

static int compare_entries(const void *a, const void *b)
{
    const entry *one = a, *other = b;
    const int keys = compare_keys(one, other->prompt, other->truth.image);
    return keys ? keys : one->order - other->order;
}

pov_status pov_vlm_truths_parse(pov_vlm_truths **truths, const char *name, const char *text, size_t len)
{
    *truths = calloc(1, sizeof **truths);
    if (!*truths)
        return pov_error("out of memory for %s", name);
    const pov_status status = read_lines(*truths, name, text, len);
    if (status.code != POV_OK)
        pov_vlm_truths_destroy(truths);
    else if ((*truths)->len > 0)
        qsort((*truths)->entries, (size_t)(*truths)->len, sizeof *(*truths)->entries, compare_entries);
    return status;
}

pov_status pov_vlm_truths_read(pov_vlm_truths **truths, const char *path)
{
    pov_bytes bytes = {0};
    *truths = NULL;
    POV_TRY(pov_read_file(&bytes, path, FILE_BYTES_MAX, "a file of truths"));
    const pov_status status = pov_vlm_truths_parse(truths, path, (const char *)bytes.data, bytes.length);
    pov_bytes_free(&bytes);
    return status;
}

void pov_vlm_truths_destroy(pov_vlm_truths **truths)
{
    if (!*truths)
        return;
    for (int i = 0; i < (*truths)->len; i++)
        cJSON_Delete((*truths)->entries[i].root);
    free((*truths)->entries);
    free(*truths);
    *truths = NULL;
}

/* ---- looking up ---- */

int pov_vlm_truths_len(const pov_vlm_truths *truths)
{
    return truths->len;
}

const pov_vlm_truth *pov_vlm_truths_at(const pov_vlm_truths *truths, int i)
{
    POV_REQUIRE(i >= 0 && i < truths->len);
    return &truths->entries[i].truth;
}

/** The first entry that is not before the keys. */
static int lower_bound(const pov_vlm_truths *truths, uint64_t prompt, uint64_t image)
{
    int low = 0, high = truths->len;
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (compare_keys(&truths->entries[middle], prompt, image) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* One that names the system prompt goes before one that does not. */
const pov_vlm_truth *pov_vlm_truths_find(const pov_vlm_truths *truths, uint64_t image, const char *prompt,
                                         const char *system)
{
    const uint64_t hash = hash_prompt(prompt);
    const pov_vlm_truth *found = NULL;
    for (int i = lower_bound(truths, hash, image);
         i < truths->len && compare_keys(&truths->entries[i], hash, image) == 0; i++) {
        const pov_vlm_truth *one = &truths->entries[i].truth;
        const bool fits = one->system ? strcmp(one->system, system) == 0 : !found || !found->system;
        found = fits ? one : found;
    }
    return found;
}

const pov_vlm_truth *pov_vlm_truths_find_prompt(const pov_vlm_truths *truths, const char *prompt)
{
    const uint64_t hash = hash_prompt(prompt);
    const int i = lower_bound(truths, hash, 0);
    return i < truths->len && truths->entries[i].prompt == hash ? &truths->entries[i].truth : NULL;
}
