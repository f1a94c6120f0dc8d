/** Servers that do not speak chat completions: their requests, and their responses as chat completions. Pure but for allocating.
 *
 *  Source: the public API references of Anthropic (Messages, version 2023-06-01), Google (Gemini API, generateContent and streamGenerateContent, v1beta),
 *  OpenAI (Responses) and Microsoft (Azure OpenAI, chat completions of a deployment). */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct cJSON;

typedef enum {
    POV_VLM_API_CHAT, /* OpenAI's chat completions, and whoever speaks them */
    POV_VLM_API_AZURE,
    POV_VLM_API_ANTHROPIC,
    POV_VLM_API_GOOGLE,
    POV_VLM_API_RESPONSES,
    POV_VLM_API_COUNT
} pov_vlm_api;
/** "chat", "azure", "anthropic", "google", "responses". */
const char *pov_vlm_api_name(pov_vlm_api value);

/** A request's destination. All is borrowed. */
typedef struct {
    pov_vlm_api api;
    const char *base;            /* that of the section 'vlm', without a last slash */
    const char *model, *version; /* version: of Azure's API; "": none */
    bool streams;                /* the answer is to be an event stream */
} pov_vlm_address;
/** Returns: false: longer than the room. */
bool pov_vlm_api_url(char *url, size_t capacity, const pov_vlm_address *to);
/** The header that holds the key, such as "x-api-key: ". */
const char *pov_vlm_api_key_header(pov_vlm_api api);
/** A further header; NULL: none is needed. */
const char *pov_vlm_api_header(pov_vlm_api api);

/** Takes a request of chat completions and returns that of another API. */
struct cJSON *pov_vlm_api_request(struct cJSON *chat, pov_vlm_api api);
/** Takes a response of any of them, known by its shape, and returns it as chat completions would have it. */
struct cJSON *pov_vlm_api_response(struct cJSON *root);
/** Takes an event of any of their streams, and returns it as a chunk of chat completions; an empty object: it brings nothing.
 *  Out: is_whole: it is the end, and holds also what earlier events brought. */
struct cJSON *pov_vlm_api_event(bool *is_whole, struct cJSON *event);
