/* Real sockets: a server stands in for a proxy, which is asked for other machines' servers and for no other. */
#include "compare/vlm/vlm_client.h"
#include "tests/support/http_server.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const test_http_step good = {.body = "{\"choices\":[{\"message\":{\"content\":\"Yes\"}}]}"};

static void ask(const char *url)
{
    pov_vlm_client *client;
    pov_vlm_result result;
    pov_vlm_client_config config = POV_VLM_CLIENT_CONFIG_DEFAULT;
    const pov_vlm_question question = {.prompt = "Is it?", .token_max = 4};
    config.endpoint_len = 1;
    config.attempt_max = 1;
    config.endpoints[0] = (pov_vlm_endpoint){.model = "m", .concurrency = 1};
    strcpy(config.endpoints[0].url, url);
    assert_int_equal(pov_vlm_client_new(&client, &config).code, POV_OK);
    assert_int_equal(pov_vlm_client_ask(client, 0, &question).code, POV_OK);
    while (pov_vlm_client_next(client, &result, 0, 50).code == POV_TIMEOUT)
        continue;
    if (result.outcome != POV_VLM_ANSWERED)
        fail_msg("%s: %s", url, result.cause);
    pov_vlm_client_destroy(&client);
}

static void it_is_asked_for_other_machines_only(void **state)
{
    (void)state;
    test_http_server *proxy = test_http_server_new(&good, 1), *server = test_http_server_new(&good, 1);
    char address[60], own[60];
    snprintf(address, sizeof address, "http://127.0.0.1:%d", test_http_server_port(proxy));
    snprintf(own, sizeof own, "http://127.0.0.1:%d/v1", test_http_server_port(server));
    assert_int_equal(setenv("http_proxy", address, 1), 0);
    unsetenv("no_proxy");
    unsetenv("NO_PROXY");
    ask(own);
    assert_int_equal(test_http_server_requests(proxy), 0);
    assert_int_equal(test_http_server_requests(server), 1);
    ask("http://models.invalid/v1");
    assert_int_equal(test_http_server_requests(proxy), 1);
    assert_true(
        test_http_server_received(proxy, "POST http://models.invalid/v1/chat/completions HTTP/1.1\r\n"));
    test_http_server_destroy(&proxy);
    test_http_server_destroy(&server);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_asked_for_other_machines_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
