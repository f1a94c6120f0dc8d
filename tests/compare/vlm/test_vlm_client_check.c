#include "compare/vlm/vlm_client.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void what_cannot_be_is_refused_at_once(void **state)
{
    (void)state;
    pov_vlm_client_config fine = POV_VLM_CLIENT_CONFIG_DEFAULT;
    fine.endpoint_len = 1;
    fine.endpoints[0] = (pov_vlm_endpoint){.url = "http://127.0.0.1:1/v1", .model = "m", .concurrency = 4};
    assert_int_equal(pov_vlm_client_config_check(&fine).code, POV_OK);
    pov_vlm_client *client;
    pov_vlm_client_config config = fine;
    strcpy(config.endpoints[0].url, "ftp://x");
    assert_non_null(strstr(pov_vlm_client_new(&client, &config).message, "http"));
    strcpy(config.endpoints[0].url, "http://me:secret@host/v1");
    assert_null(strstr(pov_vlm_client_new(&client, &config).message, "secret"));
    config = fine;
    strcpy(config.endpoints[0].key, "abc\nX-Evil: 1");
    assert_null(strstr(pov_vlm_client_new(&client, &config).message, "Evil"));
    config = fine;
    config.endpoints[0].concurrency = 0;
    assert_non_null(strstr(pov_vlm_client_new(&client, &config).message, "concurrency"));
    config = fine;
    strcpy(config.endpoints[0].extra, "{\"stream\": true}");
    assert_non_null(strstr(pov_vlm_client_new(&client, &config).message, "stream"));
    config.endpoint_len = 0;
    assert_int_equal(pov_vlm_client_new(&client, &config).code, POV_ERROR);
    assert_null(client);
}

static void a_url_of_this_machine_is_told_from_others(void **state)
{
    (void)state;
    static const char *const own[] = {"http://localhost/v1",  "https://LocalHost:8000/v1",
                                      "http://127.0.0.1:80",  "http://127.1.2.3/v1",
                                      "http://[::1]:8000/v1", "http://[::1]"};
    static const char *const others[] = {"http://localhost.example/v1", "http://127.0.0.1.example:80/v1",
                                         "http://192.168.1.127/v1",     "http://[::2]:8000/v1",
                                         "http://example/localhost",    "127.0.0.1"};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        assert_true(pov_vlm_url_is_own(own[i]));
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_false(pov_vlm_url_is_own(others[i]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_url_of_this_machine_is_told_from_others),
        cmocka_unit_test(what_cannot_be_is_refused_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
