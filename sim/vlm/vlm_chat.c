#include "sim/vlm/vlm_chat.h"

#include "compare/questions/prompting.h"
#include "config/files/base64.h"
#include "config/files/json_value.h"
#include "config/files/text.h"
#include "perception/geometry/random.h"

#include <cJSON.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- answers ---- */

const char *const POV_VLM_BIAS_NAMES[] = {
    "none",   "egocentric",     "always-yes",   "always-no",  "addressee-blind", "noisy",  "left-right",
    "random", "wrong-language", "first-option", "needs-view", "flip-wrong",      "person", "long"};
const char *const POV_VLM_THINKING_NAMES[] = {"not", "think", "reasoning", "reasoning-content", "harmony"};
_Static_assert(sizeof POV_VLM_THINKING_NAMES / sizeof *POV_VLM_THINKING_NAMES == POV_VLM_THINKING_COUNT,
               "a name for each");
_Static_assert(sizeof POV_VLM_BIAS_NAMES / sizeof *POV_VLM_BIAS_NAMES == POV_VLM_BIAS_COUNT,
               "a name for each");

/* The largest P(yes) of a biased model. Chosen. */
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

/** The gold in another perspective, by the same convention if there is one; NULL: there is none. */
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
    return found;
}

/* By the camera's axes, whoever's are asked for. */
static const pov_vlm_gold *by_camera(const pov_vlm_truth *truth)
{
    const pov_vlm_gold *found = in_perspective(truth, POV_VLM_FRAME_CAMERA);
    return found ? found : in_perspective(truth, "egocentric");
}

/* The frame that a biased model takes; NULL: the one that the question means. */
static const pov_vlm_gold *find_biased(const pov_vlm_truth *truth, pov_vlm_bias bias)
{
    const pov_vlm_gold *asked = &truth->golds[truth->asked], *found = NULL;
    switch (bias) {
    case POV_VLM_BIAS_EGOCENTRIC:
        return by_camera(truth);
    case POV_VLM_BIAS_ADDRESSEE_BLIND:
        return has_perspective(asked, "addressee") ? in_perspective(truth, "egocentric") : NULL;
    case POV_VLM_BIAS_PERSON:
        found = in_perspective(truth, "addressee");
        found = found ? found : in_perspective(truth, POV_VLM_FRAME_RELATUM);
        return found ? found : in_perspective(truth, "intrinsic");
    case POV_VLM_BIAS_LEFT_RIGHT:
        return in_perspective(truth, POV_VLM_FRAME_MIRRORED);
    default:
        return NULL;
    }
}

/* last: hash of the last of several images; one that is not the question's is no help. */
static const pov_vlm_gold *choose_answer(const pov_vlm_truth *truth, pov_vlm_bias bias, uint64_t last)
{
    const bool lacks_view = bias == POV_VLM_BIAS_NEEDS_VIEW && (!truth->scaffold || last != truth->scaffold);
    const pov_vlm_gold *found = find_biased(truth, lacks_view ? POV_VLM_BIAS_EGOCENTRIC : bias);
    return found ? found : &truth->golds[truth->asked];
}

/* A number, 1.2 times too large; any other text as it is. */
static void enlarge_number(pov_vlm_sim_answer *answer)
{
    char *end;
    const double number = strtod(answer->text, &end);
    if (end == answer->text || *end)
        return;
    snprintf(answer->own, sizeof answer->own, "%.6g", 1.2 * number);
    answer->text = answer->own;
}

/* Of offered answers, the one that is a word, whatever its case; NULL: it is not offered. */
static const char *find_offered(const pov_vlm_truth *truth, const char *word)
{
    for (int i = 0; i < truth->option_len; i++)
        if (strcasecmp(truth->options[i], word) == 0)
            return truth->options[i];
    return NULL;
}

/* Answers in words that no gold decides: by lot, or the same always. */
static void choose_blindly(pov_vlm_sim_answer *answer, const pov_vlm_truth *truth, pov_vlm_bias bias,
                           uint64_t *lot)
{
    const char *found = bias == POV_VLM_BIAS_ALWAYS_YES  ? find_offered(truth, "yes")
                        : bias == POV_VLM_BIAS_ALWAYS_NO ? find_offered(truth, "no")
                        : bias == POV_VLM_BIAS_RANDOM && truth->option_len > 0
                            ? truth->options[(int)(draw_fraction(lot) * truth->option_len)]
                            : NULL;
    answer->text = found ? found : answer->text;
}

static bool is_lateral(const char *relation)
{
    return relation && (strcmp(relation, "left_of") == 0 || strcmp(relation, "right_of") == 0);
}

static double see_image(double yes, const pov_vlm_truth *truth, const pov_vlm_sim_config *config,
                        uint64_t *lot)
{
    switch (config->bias) {
    case POV_VLM_BIAS_ALWAYS_YES:
        return SURE;
    case POV_VLM_BIAS_ALWAYS_NO:
        return 1 - SURE;
    case POV_VLM_BIAS_NOISY:
        return fmin(fmax(yes + config->noise * draw_normal(lot), 0), 1);
    case POV_VLM_BIAS_RANDOM:
        return draw_fraction(lot);
    case POV_VLM_BIAS_LEFT_RIGHT:
        return is_lateral(truth->relation) ? 1 - yes : yes;
    case POV_VLM_BIAS_FLIP_WRONG:
        return truth->flipped ? 1 - yes : yes;
    default:
        return yes;
    }
}

/* One of "left|right" has them all, and so no text that names another. */
static bool names_option(const char *gold, const char *option)
{
    const size_t len = strlen(option);
    for (const char *at = gold; *at; at += strcspn(at, "|"), at += *at == '|')
        if (strncmp(at, option, len) == 0 && (at[len] == '|' || at[len] == '\0'))
            return true;
    return false;
}

/* An answer that is not the gold: another option, or a number one higher. */
static const char *say_wrong(pov_vlm_sim_answer *answer, const char *gold, const pov_vlm_truth *truth)
{
    for (int i = 0; i < truth->option_len; i++)
        if (!names_option(gold, truth->options[i]))
            return truth->options[i];
    char *end;
    const double number = strtod(gold, &end);
    snprintf(answer->own, sizeof answer->own, *end ? "something else" : "%g", number + 1);
    return answer->own;
}

static const char *say_answer(pov_vlm_sim_answer *answer, const char *gold, const pov_vlm_truth *truth,
                              pov_vlm_bias bias)
{
    if (bias == POV_VLM_BIAS_FIRST_OPTION && truth->option_len > 0)
        return truth->options[0];
    return bias == POV_VLM_BIAS_FLIP_WRONG && truth->flipped ? say_wrong(answer, gold, truth) : gold;
}

void pov_vlm_sim_answer_find(pov_vlm_sim_answer *answer, const pov_vlm_sim_config *config,
                             const pov_vlm_truths *truths, const pov_vlm_chat_request *request)
{
    const uint64_t image = request->image;
    const char *prompt = request->prompt;
    uint64_t lot = lot_of(config, config->ignore_image ? 0 : image, prompt);
    char *known = pov_prompting_drop_guidance(prompt);
    const pov_vlm_truth *truth = config->ignore_image
                                     ? pov_vlm_truths_find_prompt(truths, known)
                                     : pov_vlm_truths_find(truths, image, known, request->system);
    free(known);
    *answer = (pov_vlm_sim_answer){.refused = true,
                                   .yes = NAN,
                                   .text = "I cannot tell.",
                                   .yes_word = "Yes",
                                   .no_word = "No",
                                   .thinking = config->thinking,
                                   .calls_tools = config->calls_tools};
    if (!truth || draw_fraction(&lot) < config->refuse)
        return;
    const pov_vlm_gold *gold = choose_answer(truth, config->bias, request->last);
    answer->refused = false;
    answer->explains = truth->explains;
    answer->cogmap = truth->cogmap;
    answer->mirrors_cogmap = config->bias == POV_VLM_BIAS_LEFT_RIGHT;
    answer->text = gold->text ? say_answer(answer, gold->text, truth, config->bias) : NULL;
    if (gold->text)
        choose_blindly(answer, truth, config->bias, &lot);
    if (gold->text && config->bias == POV_VLM_BIAS_LONG)
        enlarge_number(answer);
    if (gold->text)
        return;
    if (truth->yes_word && truth->no_word) {
        answer->yes_word = truth->yes_word;
        answer->no_word = truth->no_word;
    }
    if (config->bias == POV_VLM_BIAS_WRONG_LANGUAGE) {
        const bool is_german = strcmp(answer->yes_word, "Ja") == 0 || strcmp(answer->yes_word, "ja") == 0;
        answer->yes_word = is_german ? "Oui" : "Ja";
        answer->no_word = is_german ? "Non" : "Nein";
    }
    answer->yes = see_image(gold->yes, truth, config, &lot);
    answer->text = answer->yes > 0.5 ? answer->yes_word : answer->no_word;
}

/* ---- */

/* Probability of first tokens that are neither yes nor no, and each side's share of tokens with a leading space. Chosen. */
static const double OTHER_MASS = 0.02, SPACED_SHARE = 0.1;
static const double LOGPROB_IMPOSSIBLE = -9999; /* as OpenAI's servers write it */

enum { IMAGE_TOKENS = 1000, BYTES_PER_TOKEN = 4 }; /* for the count of tokens; chosen */

/* ---- requests ---- */

static pov_status read_image(pov_vlm_chat_request *request, const cJSON *part)
{
    const cJSON *url =
        cJSON_GetObjectItemCaseSensitive(cJSON_GetObjectItemCaseSensitive(part, "image_url"), "url");
    char *text = cJSON_IsString(url) ? url->valuestring : NULL;
    char *data = text ? strstr(text, ";base64,") : NULL;
    if (!data || strncmp(text, "data:image/", 11) != 0)
        return pov_error("image_url.url: not a data URI; this simulated server fetches nothing");
    data += strlen(";base64,");
    unsigned char *bytes = pov_allocate(strlen(data) + 1, 1);
    const size_t len = pov_base64_read(bytes, data);
    const bool is_read = len != SIZE_MAX && len > 0;
    if (is_read && request->image_len == 0) {
        request->image = pov_vlm_truth_hash(bytes, len);
        request->image_len = len;
    } else if (is_read) {
        request->last = pov_vlm_truth_hash(bytes, len);
    }
    free(bytes);
    return is_read ? pov_ok() : pov_error("image_url.url: not base64");
}

static pov_status add_prompt(pov_vlm_chat_request *request, const cJSON *text)
{
    const size_t len = strlen(request->prompt);
    if (!cJSON_IsString(text))
        return pov_error("messages.content: a text that is not a string");
    if (len + strlen(text->valuestring) + 1 > POV_VLM_TRUTH_PROMPT_MAX)
        return pov_error("messages.content: longer than %d bytes", POV_VLM_TRUTH_PROMPT_MAX);
    sprintf(request->prompt + len, "%s%s", len ? "\n" : "", text->valuestring);
    return pov_ok();
}

static pov_status read_content(pov_vlm_chat_request *request, const cJSON *content)
{
    if (!cJSON_IsArray(content))
        return add_prompt(request, content);
    const cJSON *part;
    cJSON_ArrayForEach(part, content)
    {
        const char *type = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(part, "type"));
        if (type && strcmp(type, "image_url") == 0)
            POV_TRY(read_image(request, part));
        else if (type && strcmp(type, "text") == 0)
            POV_TRY(add_prompt(request, cJSON_GetObjectItemCaseSensitive(part, "text")));
        else
            return pov_error("messages.content: a part of unknown type");
    }
    return pov_ok();
}

static pov_status read_request(pov_vlm_chat_request *request, const cJSON *root)
{
    const cJSON *messages = cJSON_GetObjectItemCaseSensitive(root, "messages");
    const cJSON *last = cJSON_GetArrayItem(messages, cJSON_GetArraySize(messages) - 1);
    const char *role = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(last, "role"));
    if (!role || strcmp(role, "user") != 0)
        return pov_error("messages: missing, or the last is not the user's");
    const cJSON *first = cJSON_GetArrayItem(messages, 0);
    const char *system = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(first, "content")),
               *of = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(first, "role"));
    if (system && of && strcmp(of, "system") == 0 &&
        !pov_text_fits(request->system, sizeof request->system, system))
        return pov_error("messages: a system prompt of more than %d bytes", POV_VLM_TRUTH_PROMPT_MAX);
    POV_TRY(read_content(request, cJSON_GetObjectItemCaseSensitive(last, "content")));
    const double likely = cJSON_GetNumberValue(cJSON_GetObjectItemCaseSensitive(root, "top_logprobs"));
    if (cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(root, "logprobs")))
        request->likely_wanted = likely >= 1 && likely <= 20 ? (int)likely : 1;
    request->streams = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(root, "stream"));
    request->wants_usage = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(
        cJSON_GetObjectItemCaseSensitive(root, "stream_options"), "include_usage"));
    return pov_ok();
}

pov_status pov_vlm_chat_read(pov_vlm_chat_request *request, const char *json, size_t len)
{
    memset(request, 0, sizeof *request);
    cJSON *root = pov_json_parse(json, len);
    const pov_status status = root ? read_request(request, root) : pov_error("the request is not JSON");
    cJSON_Delete(root);
    if (status.code != POV_OK)
        memset(request, 0, sizeof *request);
    return status;
}

/* ---- replies ---- */

typedef struct {
    char text[64];
    double probability;
    int order; /* among equally likely ones */
} likely_token;

static int compare_probabilities(const void *a, const void *b)
{
    const likely_token *one = a, *other = b;
    return one->probability > other->probability   ? -1
           : one->probability < other->probability ? 1
                                                   : one->order - other->order;
}

static void add_side(likely_token tokens[2], const char *word, double probability)
{
    snprintf(tokens[0].text, sizeof tokens[0].text, "%s", word);
    snprintf(tokens[1].text, sizeof tokens[1].text, " %s", word);
    tokens[0].probability = probability * (1 - SPACED_SHARE);
    tokens[1].probability = probability * SPACED_SHARE;
}

/** Likely first tokens, best first: the one that it says. */
static int make_tokens(likely_token tokens[5], const pov_vlm_sim_answer *answer)
{
    if (isnan(answer->yes)) {
        const char *space = strchr(answer->text, ' ');
        const int len = space ? (int)(space - answer->text) : (int)strlen(answer->text);
        snprintf(tokens[0].text, sizeof tokens[0].text, "%.*s", len, answer->text);
        tokens[0].probability = 1 - OTHER_MASS;
        return 1;
    }
    add_side(&tokens[0], answer->yes_word, answer->yes * (1 - OTHER_MASS));
    add_side(&tokens[2], answer->no_word, (1 - answer->yes) * (1 - OTHER_MASS));
    tokens[4] = (likely_token){.text = "The", .probability = OTHER_MASS};
    for (int i = 0; i < 5; i++)
        tokens[i].order = (i + (answer->text == answer->no_word ? 3 : 0)) % 5;
    qsort(tokens, 5, sizeof *tokens, compare_probabilities);
    return 5;
}

static cJSON *token_json(const likely_token *token)
{
    cJSON *item = cJSON_CreateObject();
    cJSON_AddStringToObject(item, "token", token->text);
    cJSON_AddNumberToObject(item, "logprob",
                            token->probability > 0 ? log(token->probability) : LOGPROB_IMPOSSIBLE);
    return item;
}

/* A token of thoughts, of which it is sure. */
static void add_thought(cJSON *content, const char *text)
{
    const likely_token token = {.text = "", .probability = 1 - OTHER_MASS};
    cJSON *item = token_json(&token);
    cJSON_ReplaceItemInObjectCaseSensitive(item, "token", cJSON_CreateString(text));
    cJSON *likely = cJSON_Duplicate(item, true);
    cJSON_AddItemToArray(cJSON_AddArrayToObject(item, "top_logprobs"), likely);
    cJSON_AddItemToArray(content, item);
}

/* The first thought: the contrary of the answer. */
static const char *contrary_of(const pov_vlm_sim_answer *answer)
{
    return answer->text == answer->yes_word ? answer->no_word : answer->yes_word;
}

static void add_thoughts(cJSON *content, const pov_vlm_sim_answer *answer)
{
    static const char *const before[] = {"<|channel|>", "analysis", "<|message|>"};
    static const char *const after[] = {"<|end|>",     "<|start|>", "assistant",
                                        "<|channel|>", "final",     "<|message|>"};
    const bool is_harmony = answer->thinking == POV_VLM_THINKING_HARMONY;
    for (size_t i = 0; is_harmony && i < sizeof before / sizeof *before; i++)
        add_thought(content, before[i]);
    if (answer->thinking == POV_VLM_THINKING_TAGS)
        add_thought(content, "<think>");
    add_thought(content, contrary_of(answer));
    add_thought(content, ", wait.");
    for (size_t i = 0; is_harmony && i < sizeof after / sizeof *after; i++)
        add_thought(content, after[i]);
    if (!is_harmony)
        add_thought(content, "</think>");
}

static void add_logprobs(cJSON *choice, const pov_vlm_sim_answer *answer, int wanted)
{
    likely_token tokens[5];
    const int len = make_tokens(tokens, answer);
    cJSON *content = cJSON_AddArrayToObject(cJSON_AddObjectToObject(choice, "logprobs"), "content");
    if (answer->thinking != POV_VLM_THINKING_NOT)
        add_thoughts(content, answer);
    cJSON *chosen = token_json(&tokens[0]);
    cJSON *likely = cJSON_AddArrayToObject(chosen, "top_logprobs");
    for (int i = 0; i < len && i < wanted; i++)
        cJSON_AddItemToArray(likely, token_json(&tokens[i]));
    cJSON_AddItemToArray(content, chosen);
}

static void mirror_thing(cJSON *thing)
{
    enum { LAST_CELL = 9 };
    cJSON *x = cJSON_GetArrayItem(cJSON_GetObjectItem(thing, "position"), 0);
    const char *facing = pov_json_text_of(thing, "facing");
    const bool left = strcmp(facing, "left") == 0, right = strcmp(facing, "right") == 0;
    if (x)
        cJSON_SetNumberValue(x, LAST_CELL - x->valuedouble);
    if (left || right)
        cJSON_ReplaceItemInObject(thing, "facing", cJSON_CreateString(left ? "right" : "left"));
}

/* "<cogmap>...</cogmap><answer>A. left</answer>" */
static char *write_map(const pov_vlm_sim_answer *answer)
{
    cJSON *root = pov_json_parse_text(answer->cogmap), *thing;
    if (answer->mirrors_cogmap)
        cJSON_ArrayForEach(thing, cJSON_GetObjectItem(root, "objects")) mirror_thing(thing);
    char *map = cJSON_PrintUnformatted(root);
    char *text = pov_text_new("<cogmap>%s</cogmap>\n<answer>%s</answer>", map ? map : "", answer->text);
    cJSON_free(map);
    cJSON_Delete(root);
    return text;
}

static void add_text(cJSON *message, const pov_vlm_sim_answer *answer)
{
    char thoughts[160], *text;
    if (answer->cogmap && !answer->refused) {
        text = write_map(answer);
        cJSON_AddStringToObject(message, "content", text);
        free(text);
        return;
    }
    snprintf(thoughts, sizeof thoughts, "%.100s, wait.", contrary_of(answer));
    if (answer->thinking == POV_VLM_THINKING_REASONING || answer->thinking == POV_VLM_THINKING_HARMONY)
        cJSON_AddStringToObject(message, "reasoning", thoughts);
    if (answer->thinking == POV_VLM_THINKING_CONTENT)
        cJSON_AddStringToObject(message, "reasoning_content", thoughts);
    if (answer->explains) {
        POV_REQUIRE(asprintf(&text, "Explanation: %.100s, at first sight. But then...\nAnswer: %s",
                             contrary_of(answer), answer->text) >= 0);
        cJSON_AddStringToObject(message, "content", text);
        free(text);
        return;
    }
    if (answer->thinking != POV_VLM_THINKING_TAGS) {
        cJSON_AddStringToObject(message, "content", answer->text);
        return;
    }
    POV_REQUIRE(asprintf(&text, "<think>%s</think>%s", thoughts, answer->text) >= 0);
    cJSON_AddStringToObject(message, "content", text);
    free(text);
}

static void add_call(cJSON *message)
{
    cJSON_AddNullToObject(message, "content");
    cJSON *call = cJSON_CreateObject();
    cJSON_AddItemToArray(cJSON_AddArrayToObject(message, "tool_calls"), call);
    cJSON_AddStringToObject(call, "id", "call_1");
    cJSON_AddStringToObject(call, "type", "function");
    cJSON *function = cJSON_AddObjectToObject(call, "function");
    cJSON_AddStringToObject(function, "name", "zoom");
    cJSON_AddStringToObject(function, "arguments", "{}");
}

static void add_choice(cJSON *root, const pov_vlm_chat_request *request, const pov_vlm_sim_answer *answer)
{
    cJSON *choice = cJSON_CreateObject();
    cJSON_AddItemToArray(cJSON_AddArrayToObject(root, "choices"), choice);
    cJSON_AddNumberToObject(choice, "index", 0);
    cJSON *message = cJSON_AddObjectToObject(choice, "message");
    cJSON_AddStringToObject(message, "role", "assistant");
    if (answer->calls_tools)
        add_call(message);
    else
        add_text(message, answer);
    if (request->likely_wanted > 0 && !answer->calls_tools)
        add_logprobs(choice, answer, request->likely_wanted);
    cJSON_AddStringToObject(choice, "finish_reason", answer->calls_tools ? "tool_calls" : "stop");
}

static char *print_and_delete(cJSON *root)
{
    char *json = cJSON_PrintUnformatted(root);
    cJSON_Delete(root);
    return json;
}

static cJSON *new_completion(const pov_vlm_chat_request *request, const pov_vlm_sim_answer *answer)
{
    cJSON *root = cJSON_CreateObject();
    cJSON_AddStringToObject(root, "object", "chat.completion");
    cJSON_AddStringToObject(root, "model", POV_VLM_SIM_MODEL);
    cJSON_AddBoolToObject(root, "simulated", true);
    add_choice(root, request, answer);
    cJSON *usage = cJSON_AddObjectToObject(root, "usage");
    const size_t prompt =
        strlen(request->prompt) / BYTES_PER_TOKEN + 1 + (request->image_len ? IMAGE_TOKENS : 0);
    const size_t completion = strlen(answer->text) / BYTES_PER_TOKEN + 1;
    cJSON_AddNumberToObject(usage, "prompt_tokens", (double)prompt);
    cJSON_AddNumberToObject(usage, "completion_tokens", (double)completion);
    cJSON_AddNumberToObject(usage, "total_tokens", (double)(prompt + completion));
    return root;
}

char *pov_vlm_chat_write(const pov_vlm_chat_request *request, const pov_vlm_sim_answer *answer)
{
    return print_and_delete(new_completion(request, answer));
}

/* ---- streams ---- */

/* A chunk with what the completion has beside its choice. The caller adds the choice's own members. */
static cJSON *new_chunk(cJSON **choice)
{
    cJSON *root = cJSON_CreateObject();
    cJSON_AddStringToObject(root, "object", "chat.completion.chunk");
    cJSON_AddStringToObject(root, "model", POV_VLM_SIM_MODEL);
    cJSON_AddBoolToObject(root, "simulated", true);
    cJSON *choices = cJSON_AddArrayToObject(root, "choices");
    if (choice) {
        cJSON_AddItemToArray(choices, *choice = cJSON_CreateObject());
        cJSON_AddNumberToObject(*choice, "index", 0);
    }
    return root;
}

static void add_event(pov_text *stream, cJSON *chunk)
{
    char *json = print_and_delete(chunk);
    POV_REQUIRE_MEMORY(json);
    pov_text_add(stream, "data: %s\n\n", json);
    free(json);
}

/* A word, with the space before it. */
static size_t word_len(const char *text)
{
    const size_t spaces = strspn(text, " \n"), len = spaces + strcspn(text + spaces, " \n");
    return len;
}

/* Streams a text of the message word by word; its last chunk has `logprobs`, unless that is NULL. */
static void stream_words(pov_text *stream, const char *key, const char *text, cJSON *logprobs)
{
    while (*text) {
        const size_t len = word_len(text);
        char *word = pov_text_new("%.*s", (int)len, text);
        cJSON *choice, *chunk = new_chunk(&choice);
        cJSON_AddStringToObject(cJSON_AddObjectToObject(choice, "delta"), key, word);
        free(word);
        text += len;
        if (!*text && logprobs)
            cJSON_AddItemToObject(choice, "logprobs", logprobs);
        add_event(stream, chunk);
    }
}

char *pov_vlm_chat_write_stream(const pov_vlm_chat_request *request, const pov_vlm_sim_answer *answer)
{
    static const char *const keys[] = {"reasoning", "reasoning_content", "content"};
    cJSON *root = new_completion(request, answer), *choice, *chunk;
    cJSON *whole = cJSON_GetArrayItem(cJSON_GetObjectItemCaseSensitive(root, "choices"), 0);
    cJSON *message = cJSON_GetObjectItemCaseSensitive(whole, "message");
    cJSON *calls = cJSON_DetachItemFromObjectCaseSensitive(message, "tool_calls");
    pov_text stream = {0};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        stream_words(&stream, keys[i], pov_json_text_of(message, keys[i]),
                     i + 1 == sizeof keys / sizeof *keys
                         ? cJSON_DetachItemFromObjectCaseSensitive(whole, "logprobs")
                         : NULL);
    chunk = new_chunk(&choice);
    cJSON *delta = cJSON_AddObjectToObject(choice, "delta");
    if (calls)
        cJSON_AddItemToObject(delta, "tool_calls", calls);
    cJSON_AddStringToObject(choice, "finish_reason", pov_json_text_of(whole, "finish_reason"));
    add_event(&stream, chunk);
    if (request->wants_usage) {
        chunk = new_chunk(NULL);
        cJSON_AddItemToObject(chunk, "usage", cJSON_DetachItemFromObjectCaseSensitive(root, "usage"));
        add_event(&stream, chunk);
    }
    pov_text_add(&stream, "data: [DONE]\n\n");
    cJSON_Delete(root);
    return pov_text_take(&stream);
}

char *pov_vlm_chat_write_error(const char *message)
{
    cJSON *root = cJSON_CreateObject();
    cJSON *error = cJSON_AddObjectToObject(root, "error");
    cJSON_AddStringToObject(error, "message", message);
    cJSON_AddStringToObject(error, "type", "simulated");
    cJSON_AddBoolToObject(root, "simulated", true);
    return print_and_delete(root);
}

char *pov_vlm_chat_write_models(void)
{
    cJSON *root = cJSON_CreateObject();
    cJSON_AddStringToObject(root, "object", "list");
    cJSON_AddBoolToObject(root, "simulated", true);
    cJSON *model = cJSON_CreateObject();
    cJSON_AddItemToArray(cJSON_AddArrayToObject(root, "data"), model);
    cJSON_AddStringToObject(model, "id", POV_VLM_SIM_MODEL);
    cJSON_AddStringToObject(model, "object", "model");
    cJSON_AddStringToObject(model, "owned_by", "pov, simulated");
    return print_and_delete(root);
}
