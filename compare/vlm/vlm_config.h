/** The `vlm:` section of a station or sweep file: which servers are asked, how, and for how much. docs/VLM.md describes
 *  every key. API keys stand in the environment or in files of their own, never here. */
#pragma once

#include "compare/vlm/vlm_client.h"
#include "config/yaml/yaml_file.h"

enum {
    POV_VLM_PATH_CAPACITY = 1024,
    POV_VLM_SYSTEM_CAPACITY = 1024,
    POV_VLM_WARNING_MAX = 2 * POV_VLM_ENDPOINT_MAX
};

typedef enum {
    POV_VLM_LOGPROBS_AUTO, /* asked for; where a server has none, the text is scored */
    POV_VLM_LOGPROBS_ON,   /* needed: without them nothing is scored */
    POV_VLM_LOGPROBS_OFF   /* the text is scored */
} pov_vlm_logprobs;

typedef enum { POV_VLM_FORMAT_STORED, POV_VLM_FORMAT_JPEG, POV_VLM_FORMAT_PNG } pov_vlm_format;

/** The image that a server gets. {0}: the file as it is stored. */
typedef struct {
    int max_px; /* of its longer side; 0: any */
    pov_vlm_format format;
    int quality;    /* of JPEG, 1..100 */
    char detail[8]; /* "low", "high", "auto", as OpenAI's servers take it; "": not said */
} pov_vlm_image_options;

/** The source of an endpoint's key; at most one of the two. */
typedef struct {
    char variable[POV_VLM_NAME_CAPACITY]; /* of the environment; "": none */
    char path[POV_VLM_PATH_CAPACITY];     /* "": none */
} pov_vlm_key_source;

typedef struct {
    pov_vlm_client_config client; /* keys are "" until pov_vlm_config_load_keys */
    pov_vlm_key_source keys[POV_VLM_ENDPOINT_MAX];
    pov_vlm_logprobs logprobs;
    double mass_min; /* see compare/vlm/yes_no.h */
    int answer_tokens_max;
    char system[POV_VLM_SYSTEM_CAPACITY];    /* prompt; "": none */
    char system_name[POV_VLM_NAME_CAPACITY]; /* if it is one that has a name; else "" */
    pov_vlm_image_options images[POV_VLM_ENDPOINT_MAX];
} pov_vlm_config;

/** Reads the section; complaints stick to the node's file. Without such a node: the defaults, with no endpoints. */
void pov_vlm_config_read(pov_vlm_config *config, pov_yaml_node vlm);
/** Reads only the section `vlm:` of a file, which must be there, whatever else the file holds. */
POV_MUST_USE pov_status pov_vlm_config_open(pov_vlm_config *config, const char *path);
/** The same from memory; `name` stands for the path in messages. */
POV_MUST_USE pov_status pov_vlm_config_parse(pov_vlm_config *config, const char *name, const char *text,
                                             size_t length);

typedef struct {
    int len;
    char texts[POV_VLM_WARNING_MAX][POV_MESSAGE_CAPACITY];
} pov_vlm_warnings;

/** Fetches the keys. Warns of files that others can read, and of keys that would travel unencrypted.
 *  Returns: POV_ERROR naming the variable or file that is missing or holds no key. No message holds a key. */
POV_MUST_USE pov_status pov_vlm_config_load_keys(pov_vlm_config *config, pov_vlm_warnings *warnings);

/** The system prompt of that name, NULL: there is none. "comfort": that of its authors' released script for GPT-4o. */
const char *pov_vlm_system_prompt(const char *name);

/** The images of an endpoint in a few words: "JPEG of quality 85, at most 1024 px, detail low"; "": as they are stored. */
void pov_vlm_image_describe(char text[POV_VLM_NAME_CAPACITY], const pov_vlm_image_options *options);

/** A question as the section wants it put, without image. */
pov_vlm_question pov_vlm_config_question(const pov_vlm_config *config, const char *prompt);
