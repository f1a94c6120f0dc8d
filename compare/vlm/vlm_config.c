#include "compare/vlm/vlm_config.h"

#include "compare/vlm/yes_no.h"
#include "config/files/read_file.h"
#include "config/files/utf8.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

/* ---- checks before asking ---- */

static pov_status check_url(const char *url)
{
    const char *path = strstr(url, "/chat/completions");
    if (strncasecmp(url, "http://", 7) != 0 && strncasecmp(url, "https://", 8) != 0)
        return pov_error("'%.200s' does not begin with http:// or https://", url);
    if (strcspn(strstr(url, "//") + 2, "/:?#") == 0)
        return pov_error("'%.200s' names no server: write one like http://localhost:8000/v1", url);
    if (path)
        return pov_error("'%.200s' goes too far: up to and with /v1, leave out %s", url, path);
    if (strpbrk(url, "?#"))
        return pov_error("'%.200s': leave out '?' and what follows; a key goes into key_env or key_file",
                         url);
    if (strchr(url, '@'))
        return pov_error("a name and password in a URL end up in logs: name a key instead");
    return pov_ok();
}

bool pov_vlm_url_is_own(const char *url)
{
    const char *slashes = strstr(url, "//");
    const char *host = slashes ? slashes + 2 : "";
    const size_t len = strcspn(host, *host == '[' ? "/?#" : "/:?#");
    return (len == 9 && strncasecmp(host, "localhost", 9) == 0) || strncmp(host, "[::1]", 5) == 0 ||
           (strncmp(host, "127.", 4) == 0 && strspn(host, "0123456789.") == len);
}

static pov_status check_endpoint(const pov_vlm_endpoint *endpoint, int index)
{
    POV_TRY(check_url(endpoint->url));
    if (endpoint->concurrency < 1 || endpoint->concurrency > POV_VLM_CONCURRENCY_MAX)
        return pov_error("endpoint %d: concurrency %d is not in 1..%d", index + 1, endpoint->concurrency,
                         POV_VLM_CONCURRENCY_MAX);
    if (!(endpoint->price_prompt >= 0) || !(endpoint->price_answer >= 0))
        return pov_error("endpoint %d: a price is negative", index + 1);
    for (const char *c = endpoint->key; *c; c++)
        if (*c < '!' || *c > '~')
            return pov_error("endpoint %d: the API key holds a character that no key has (a newline?)",
                             index + 1);
    return pov_vlm_extra_check(endpoint->extra);
}

pov_status pov_vlm_client_config_check(const pov_vlm_client_config *config)
{
    if (config->endpoint_len < 1 || config->endpoint_len > POV_VLM_ENDPOINT_MAX)
        return pov_error("%d VLM endpoints: there must be 1 to %d", config->endpoint_len,
                         POV_VLM_ENDPOINT_MAX);
    POV_REQUIRE(config->attempt_max >= 1 && config->connect_ns > 0 && config->answer_ns > 0);
    POV_REQUIRE(config->pauses.first_ns > 0 && config->pauses.max_ns >= config->pauses.first_ns);
    for (int i = 0; i < config->endpoint_len; i++)
        POV_TRY(check_endpoint(&config->endpoints[i], i));
    return pov_ok();
}

/* ---- system prompts that have a name ---- */

/* COMFORT: its authors' released script for GPT-4o. */
static const struct {
    const char *name, *text;
} system_prompts[] = {
    {"comfort",
     "You will be provided an image and a question, please answer the question only in \"Yes\" or \"No\""},
    {"none", ""},
};

const char *pov_vlm_system_prompt(const char *name)
{
    for (size_t i = 0; i < sizeof system_prompts / sizeof *system_prompts; i++)
        if (strcmp(system_prompts[i].name, name) == 0)
            return system_prompts[i].text;
    return NULL;
}

/* ---- the section ---- */

/* One word is a name. */
static void read_system(pov_vlm_config *config, pov_yaml_node node)
{
    pov_yaml_copy_string(config->system, sizeof config->system, node);
    if (config->system[0] == '\0' || strpbrk(config->system, " \t\n"))
        return;
    const char *text = pov_vlm_system_prompt(config->system);
    if (!text) {
        pov_yaml_complain(
            node, "'%.60s' is the name of no system prompt: write 'comfort', 'none', or the text itself",
            config->system);
        return;
    }
    pov_utf8_copy(config->system_name, sizeof config->system_name, *text ? config->system : "");
    pov_utf8_copy(config->system, sizeof config->system, text);
}

enum { JPEG_QUALITY = 90 }; /* chosen: as cameras write them */

static void read_image_options(pov_vlm_image_options *options, pov_yaml_node node)
{
    static const char *const formats[] = {"stored", "jpeg", "png"}, *const details[] = {"auto", "low",
                                                                                        "high"};
    int format = (int)options->format, detail = -1;
    if (!pov_yaml_exists(node))
        return;
    pov_yaml_integer(&options->max_px, pov_yaml_get(node, "max_px"), 16, 1 << 15);
    pov_yaml_choice(&format, pov_yaml_get(node, "format"), formats, 3);
    options->format = (pov_vlm_format)format;
    pov_yaml_node quality = pov_yaml_get(node, "quality");
    if (options->format == POV_VLM_FORMAT_JPEG && options->quality == 0)
        options->quality = JPEG_QUALITY;
    pov_yaml_integer(&options->quality, quality, 1, 100);
    if (pov_yaml_exists(quality) && options->format != POV_VLM_FORMAT_JPEG)
        pov_yaml_complain(quality, "only JPEG has a quality: add 'format: jpeg'");
    pov_yaml_choice(&detail, pov_yaml_get(node, "detail"), details, 3);
    if (detail >= 0)
        pov_utf8_copy(options->detail, sizeof options->detail, details[detail]);
}

void pov_vlm_image_describe(char text[POV_VLM_NAME_CAPACITY], const pov_vlm_image_options *options)
{
    char format[32] = "", size[32] = "";
    if (options->format == POV_VLM_FORMAT_JPEG)
        snprintf(format, sizeof format, "JPEG of quality %d", options->quality);
    else if (options->format == POV_VLM_FORMAT_PNG || options->max_px > 0)
        snprintf(format, sizeof format, "PNG");
    if (options->max_px > 0)
        snprintf(size, sizeof size, ", at most %d px", options->max_px);
    snprintf(text, POV_VLM_NAME_CAPACITY, "%s%s%s%s%s", format, size,
             options->detail[0] && format[0] ? ", " : "", options->detail[0] ? "detail " : "",
             options->detail);
}

static void read_seconds(int64_t *value_ns, pov_yaml_node node, double low_s, double high_s)
{
    double value_s = (double)*value_ns * 1e-9;
    pov_yaml_number(&value_s, node, low_s, high_s);
    *value_ns = (int64_t)(value_s * 1e9);
}

static void read_key_source(pov_vlm_key_source *source, pov_yaml_node endpoint)
{
    pov_yaml_node variable = pov_yaml_get(endpoint, "key_env"), file = pov_yaml_get(endpoint, "key_file");
    pov_yaml_node key = pov_yaml_get(endpoint, "key");
    pov_yaml_copy_string(source->variable, sizeof source->variable, variable);
    if (pov_yaml_exists(file))
        pov_yaml_relative_path(source->path, sizeof source->path, file);
    if (pov_yaml_exists(key))
        pov_yaml_complain(
            key, "a key does not belong in a file that others get to see: name an environment variable "
                 "(key_env) or a file that only you can read (key_file)");
    if (pov_yaml_exists(variable) && pov_yaml_exists(file))
        pov_yaml_complain(file,
                          "the key comes either from key_env or from key_file; leave out one of the two");
}

static void read_extra(pov_vlm_endpoint *endpoint, pov_yaml_node node)
{
    pov_yaml_copy_string(endpoint->extra, sizeof endpoint->extra, node);
    const pov_status status = pov_vlm_extra_check(endpoint->extra);
    pov_yaml_complain_of(node, status);
}

static void read_api(pov_vlm_endpoint *endpoint, pov_yaml_node node)
{
    const char *names[POV_VLM_API_COUNT];
    int api = POV_VLM_API_CHAT;
    pov_yaml_node version = pov_yaml_get(node, "api_version");
    for (int i = 0; i < POV_VLM_API_COUNT; i++)
        names[i] = pov_vlm_api_name((pov_vlm_api)i);
    pov_yaml_choice(&api, pov_yaml_get(node, "api"), names, POV_VLM_API_COUNT);
    pov_yaml_copy_string(endpoint->api_version, sizeof endpoint->api_version, version);
    endpoint->api = (pov_vlm_api)api;
    if (pov_yaml_exists(version) && api != POV_VLM_API_AZURE)
        pov_yaml_complain(version, "only Azure's API has versions: add 'api: azure'");
    if (strspn(endpoint->api_version, "0123456789abcdefghijklmnopqrstuvwxyz-") !=
        strlen(endpoint->api_version))
        pov_yaml_complain(version, "not a version such as 2024-10-21");
    if (api == POV_VLM_API_GOOGLE && strpbrk(endpoint->model, "/?#: "))
        pov_yaml_complain(pov_yaml_get(node, "model"), "write the model without 'models/': gemini-2.0-flash");
}

static void read_endpoint(pov_vlm_endpoint *endpoint, pov_vlm_key_source *key, pov_yaml_node node)
{
    *endpoint = (pov_vlm_endpoint){.concurrency = POV_VLM_CONCURRENCY_DEFAULT};
    pov_yaml_node url = pov_yaml_need(node, "url", "the server's address, such as http://127.0.0.1:8000/v1");
    pov_yaml_copy_string(endpoint->url, sizeof endpoint->url, url);
    pov_yaml_copy_filled(endpoint->model, sizeof endpoint->model,
                         pov_yaml_need(node, "model", "the model's name, as the server calls it"));
    pov_yaml_integer(&endpoint->concurrency, pov_yaml_get(node, "concurrency"), 1, POV_VLM_CONCURRENCY_MAX);
    pov_yaml_number(&endpoint->price_prompt, pov_yaml_get(node, "price_prompt"), 0, 1e6);
    pov_yaml_number(&endpoint->price_answer, pov_yaml_get(node, "price_answer"), 0, 1e6);
    read_api(endpoint, node);
    read_extra(endpoint, pov_yaml_get(node, "request"));
    read_key_source(key, node);
    pov_yaml_complain_of(url, check_url(endpoint->url));
}

/* `image`: of all endpoints that do not say otherwise. */
static void read_endpoints(pov_vlm_config *config, pov_yaml_node list, pov_yaml_node image)
{
    const int len = pov_yaml_length(list);
    if (pov_yaml_exists(list) && (len < 1 || len > POV_VLM_ENDPOINT_MAX)) {
        pov_yaml_complain(list, "%d endpoints: there must be 1 to %d", len, POV_VLM_ENDPOINT_MAX);
        return;
    }
    for (int i = 0; i < len; i++) {
        read_endpoint(&config->client.endpoints[i], &config->keys[i], pov_yaml_at(list, i));
        read_image_options(&config->images[i], image);
        read_image_options(&config->images[i], pov_yaml_get(pov_yaml_at(list, i), "image"));
    }
    config->client.endpoint_len = len;
}

static void read_limits(pov_vlm_client_config *client, pov_yaml_node vlm)
{
    int body_max = (int)client->body_max;
    double token_max = INFINITY;
    pov_yaml_integer(&client->attempt_max, pov_yaml_get(vlm, "attempts"), 1, 100);
    read_seconds(&client->connect_ns, pov_yaml_get(vlm, "connect_s"), 0.01, 3600);
    read_seconds(&client->answer_ns, pov_yaml_get(vlm, "answer_s"), 0.01, 3600);
    read_seconds(&client->pauses.first_ns, pov_yaml_get(vlm, "pause_first_s"), 0.001, 3600);
    pov_yaml_node pause_max = pov_yaml_get(vlm, "pause_max_s");
    read_seconds(&client->pauses.max_ns, pause_max, 0.001, 3600);
    if (client->pauses.max_ns < client->pauses.first_ns)
        pov_yaml_complain(pause_max, "the longest pause is shorter than the first");
    pov_yaml_integer(&body_max, pov_yaml_get(vlm, "answer_bytes_max"), 1024, 1 << 28);
    pov_yaml_number(&client->cost_max, pov_yaml_get(vlm, "budget"), 0, 1e9);
    pov_yaml_number(&token_max, pov_yaml_get(vlm, "budget_tokens"), 0, 1e15);
    client->body_max = (size_t)body_max;
    client->token_max = token_max < 9e18 ? (int64_t)token_max : INT64_MAX;
}

/** A budget in money needs prices. */
static void check_prices(const pov_vlm_client_config *client, pov_yaml_node vlm)
{
    for (int i = 0; i < client->endpoint_len; i++)
        if (client->cost_max < INFINITY &&
            client->endpoints[i].price_prompt + client->endpoints[i].price_answer <= 0)
            pov_yaml_complain(
                pov_yaml_get(vlm, "budget"),
                "endpoint %d has no prices, so no budget can be kept: give price_prompt and price_answer "
                "per million tokens, or set budget_tokens",
                i + 1);
}

static pov_vlm_config default_config(void)
{
    pov_vlm_config config = {.mass_min = POV_YES_NO_MASS_MIN, .answer_tokens_max = 16};
    config.client = POV_VLM_CLIENT_CONFIG_DEFAULT;
    return config;
}

void pov_vlm_config_read(pov_vlm_config *config, pov_yaml_node vlm)
{
    static const char *const choices[] = {"auto", "on", "off"};
    int logprobs = POV_VLM_LOGPROBS_AUTO;
    *config = default_config();
    if (!pov_yaml_exists(vlm))
        return;
    read_endpoints(config, pov_yaml_need(vlm, "endpoints", "the servers that are asked"),
                   pov_yaml_get(vlm, "image"));
    read_limits(&config->client, vlm);
    check_prices(&config->client, vlm);
    pov_yaml_choice(&logprobs, pov_yaml_get(vlm, "logprobs"), choices, 3);
    pov_yaml_number(&config->mass_min, pov_yaml_get(vlm, "mass_min"), 0, 1);
    pov_yaml_integer(&config->answer_tokens_max, pov_yaml_get(vlm, "answer_tokens_max"), 1, 4096);
    read_system(config, pov_yaml_get(vlm, "system"));
    config->logprobs = (pov_vlm_logprobs)logprobs;
    config->client.likely_optional = config->logprobs == POV_VLM_LOGPROBS_AUTO;
}

pov_status pov_vlm_config_parse(pov_vlm_config *config, const char *name, const char *text, size_t length)
{
    pov_yaml_file *file;
    *config = default_config();
    POV_TRY(pov_yaml_parse(&file, name, text, length));
    pov_yaml_node root = pov_yaml_root(file);
    pov_vlm_config_read(config, pov_yaml_need(root, "vlm", "the servers that are asked, and how"));
    if (!pov_yaml_failed(file))
        pov_yaml_allow_others(root);
    const pov_status status = pov_yaml_finish(file);
    pov_yaml_close(&file);
    if (status.code != POV_OK)
        *config = default_config();
    return status;
}

pov_status pov_vlm_config_open(pov_vlm_config *config, const char *path)
{
    return pov_vlm_config_parse(config, path, NULL, 0);
}

/* ---- keys ---- */

static void add_warning(pov_vlm_warnings *warnings, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void add_warning(pov_vlm_warnings *warnings, const char *format, ...)
{
    va_list arguments;
    POV_REQUIRE(warnings->len < POV_VLM_WARNING_MAX);
    va_start(arguments, format);
    vsnprintf(warnings->texts[warnings->len++], POV_MESSAGE_CAPACITY, format, arguments);
    va_end(arguments);
}

static pov_status take_key(pov_vlm_endpoint *endpoint, const char *text, const char *where)
{
    while (isspace((unsigned char)*text))
        text++;
    size_t len = strlen(text);
    while (len > 0 && isspace((unsigned char)text[len - 1]))
        len--;
    if (len == 0)
        return pov_error("%s: holds no key", where);
    if (len >= sizeof endpoint->key)
        return pov_error("%s: %zu characters are too long for a key (at most %zu)", where, len,
                         sizeof endpoint->key - 1);
    memcpy(endpoint->key, text, len);
    endpoint->key[len] = '\0';
    return pov_ok();
}

static pov_status take_from_environment(pov_vlm_endpoint *endpoint, const char *variable)
{
    char where[POV_VLM_NAME_CAPACITY + 40];
    const char *text = getenv(variable);
    if (!text)
        return pov_error("%s: the environment variable %s is not set; export it, or name a key_file",
                         endpoint->url, variable);
    snprintf(where, sizeof where, "the environment variable %s", variable);
    return take_key(endpoint, text, where);
}

static pov_status take_from_file(pov_vlm_endpoint *endpoint, const char *path, pov_vlm_warnings *warnings)
{
    pov_bytes bytes = {0};
    struct stat about;
    pov_status status = pov_read_file(&bytes, path, 4096, "a file with an API key");
    POV_THEN(status, take_key(endpoint, (const char *)bytes.data, path));
    if (bytes.data)
        explicit_bzero(bytes.data, bytes.capacity);
    pov_bytes_free(&bytes);
    if (status.code == POV_OK && stat(path, &about) == 0 && (about.st_mode & (S_IRGRP | S_IROTH)) != 0)
        add_warning(warnings, "%s: others can read this key; chmod 600 %s", path, path);
    return status;
}

pov_status pov_vlm_config_load_keys(pov_vlm_config *config, pov_vlm_warnings *warnings)
{
    warnings->len = 0;
    for (int i = 0; i < config->client.endpoint_len; i++) {
        pov_vlm_endpoint *endpoint = &config->client.endpoints[i];
        const pov_vlm_key_source *source = &config->keys[i];
        if (source->variable[0])
            POV_TRY(take_from_environment(endpoint, source->variable));
        if (source->path[0])
            POV_TRY(take_from_file(endpoint, source->path, warnings));
        if (endpoint->key[0] && strncasecmp(endpoint->url, "http://", 7) == 0 &&
            !pov_vlm_url_is_own(endpoint->url))
            add_warning(warnings,
                        "%s: the key travels unencrypted; use https:// if the network is not your own",
                        endpoint->url);
    }
    return pov_ok();
}

pov_vlm_question pov_vlm_config_question(const pov_vlm_config *config, const char *prompt)
{
    return (pov_vlm_question){.prompt = prompt,
                              .system = config->system[0] ? config->system : NULL,
                              .token_max = config->answer_tokens_max,
                              .likely_wanted =
                                  config->logprobs == POV_VLM_LOGPROBS_OFF ? 0 : POV_VLM_LIKELY_MAX};
}
