#include "firmware/vlm/vlm_open.h"

#include "firmware/command.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static pov_status from_url(pov_vlm_config *config, const char *url, const char *model)
{
    char text[2048];
    if (!model || !*model)
        return pov_error(
            "%.300s: which model of that server? Add '--model NAME'; 'curl %.300s/models' lists its models",
            url, url);
    const int length = snprintf(text, sizeof text, "vlm: {endpoints: [{url: \"%s\", model: \"%s\"}]}\n", url,
                                model ? model : "");
    if (length >= (int)sizeof text || strpbrk(url, "\"\\\n") || (model && strpbrk(model, "\"\\\n")))
        return pov_error("%.60s: a URL, or the model's name, has a quote, a backslash or a line break in it",
                         url);
    POV_TRY(pov_vlm_config_parse(config, "the URL", text, (size_t)length));
    if (getenv("POV_VLM_KEY"))
        snprintf(config->keys[0].variable, sizeof config->keys[0].variable, "POV_VLM_KEY");
    return pov_ok();
}

/* localhost:8000/v1 is not a path that anybody means. */
static pov_status open_file(pov_vlm_config *config, const char *path)
{
    const char *colon = strchr(path, ':');
    if (colon && isdigit((unsigned char)colon[1]) && access(path, F_OK) != 0)
        return pov_error("%.200s: a URL begins with http:// or https://", path);
    return pov_vlm_config_open(config, path);
}

pov_status pov_vlm_fetch_keys(pov_vlm_config *config)
{
    pov_vlm_warnings warnings;
    POV_TRY(pov_vlm_config_load_keys(config, &warnings));
    for (int i = 0; i < warnings.len; i++)
        pov_cli_warn("%s", warnings.texts[i]);
    return pov_ok();
}

pov_status pov_vlm_open(pov_vlm_config *config, const char *where, const char *model)
{
    const bool is_url = strncmp(where, "http://", 7) == 0 || strncmp(where, "https://", 8) == 0;
    POV_TRY(is_url ? from_url(config, where, model) : open_file(config, where));
    for (int i = 0; model && i < config->client.endpoint_len; i++)
        snprintf(config->client.endpoints[i].model, sizeof config->client.endpoints[i].model, "%s", model);
    return pov_vlm_fetch_keys(config);
}

pov_status pov_vlm_open_of_station(pov_vlm_config *config, const char *path)
{
    pov_yaml_file *file;
    POV_TRY(pov_yaml_open(&file, path));
    pov_yaml_node root = pov_yaml_root(file);
    pov_vlm_config_read(config, pov_yaml_get(root, "vlm"));
    pov_yaml_allow_others(root);
    const pov_status status = pov_yaml_finish(file);
    pov_yaml_close(&file);
    return status;
}

int pov_vlm_refuse_workers(const char *command, int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (strncmp(argv[i], "--workers", 9) == 0 || strncmp(argv[i], "--connect", 9) == 0)
            return pov_cli_usage(command,
                                 "there are no workers any more, and %s is gone: 'pov sweep' and 'pov "
                                 "compare' ask the servers of --vlm themselves; docs/VLM.md tells how a "
                                 "device reaches a server that it has no route to",
                                 argv[i]);
    return POV_GO_ON;
}
