#include "compare/vlm/vlm_config.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

/* A configuration makes a client or an error: never an abort. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    static pov_vlm_config config;
    pov_vlm_client *client;
    const pov_status status = pov_vlm_config_parse(&config, "vlm.yaml", (const char *)bytes, length);
    if ((status.code == POV_OK) != (config.client.endpoint_len > 0))
        abort();
    if (status.code == POV_OK && pov_vlm_client_new(&client, &config.client).code != POV_OK)
        abort();
    if (status.code == POV_OK)
        pov_vlm_client_destroy(&client);
    return 0;
}
