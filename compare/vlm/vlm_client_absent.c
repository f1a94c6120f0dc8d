/* Stands where vlm_client.c does in a build without POV_WITH_VLM. */
#include "compare/vlm/vlm_client.h"

static pov_status complain(void)
{
    return pov_error("this pov was built without a client for vision-language models: build it again with "
                     "-DPOV_WITH_VLM=ON (docs/INSTALL.md)");
}

pov_status pov_vlm_client_new(pov_vlm_client **client, const pov_vlm_client_config *config)
{
    (void)config;
    *client = NULL;
    return complain();
}

void pov_vlm_client_destroy(pov_vlm_client **client)
{
    (void)client;
}

pov_status pov_vlm_client_ask(pov_vlm_client *client, uint64_t ticket, const pov_vlm_question *question)
{
    (void)client;
    (void)ticket;
    (void)question;
    return complain();
}

pov_status pov_vlm_client_next(pov_vlm_client *client, pov_vlm_result *result, int64_t now_ns, int wait_ms)
{
    (void)client;
    (void)result;
    (void)now_ns;
    (void)wait_ms;
    return complain();
}

void pov_vlm_client_drop_waiting(pov_vlm_client *client)
{
    (void)client;
}

void pov_vlm_client_drop_pausing(pov_vlm_client *client)
{
    (void)client;
}

const char *pov_vlm_client_notice(pov_vlm_client *client)
{
    (void)client;
    return NULL;
}

void pov_vlm_client_describe_adaptations(char text[POV_MESSAGE_CAPACITY], const pov_vlm_client *client)
{
    (void)client;
    text[0] = '\0';
}

int pov_vlm_client_places(const pov_vlm_client *client)
{
    (void)client;
    return 0;
}

pov_vlm_totals pov_vlm_client_totals(const pov_vlm_client *client)
{
    (void)client;
    return (pov_vlm_totals){0};
}
