#include "compare/vlm/vlm_config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "tests/support/folder.h"
#include "tests/support/near.h"

static pov_vlm_config config;

static void parse_well(const char *text)
{
    const pov_status status = pov_vlm_config_parse(&config, "s.yaml", text, strlen(text));
    assert_string_equal(status.message, "");
}

static void assert_refused(const char *text, const char *words)
{
    const pov_status status = pov_vlm_config_parse(&config, "s.yaml", text, strlen(text));
    assert_int_equal(status.code, POV_ERROR);
    assert_int_equal(config.client.endpoint_len, 0);
    if (!strstr(status.message, words))
        fail_msg("\"%s\" lacks \"%s\"", status.message, words);
}

static void every_key_reaches_the_configuration(void **state)
{
    (void)state;
    parse_well(
        "camera: {anything: 1}\n"
        "vlm:\n"
        "  endpoints:\n"
        "    - {url: 'https://a/v1', model: big, key_env: A_KEY, concurrency: 7, price_prompt: 2.5, "
        "price_answer: 10}\n"
        "    - {url: 'http://b/v1', model: small, key_file: k, request: '{\"max_completion_tokens\": 9}'}\n"
        "  attempts: 3\n  connect_s: 2.5\n  answer_s: 30\n  pause_first_s: 0.5\n  pause_max_s: 8\n"
        "  answer_bytes_max: 5000\n  budget_tokens: 100000\n"
        "  mass_min: 0.25\n  logprobs: on\n  answer_tokens_max: 3\n  system: Say yes or no.\n");
    const pov_vlm_client_config *c = &config.client;
    assert_int_equal(c->endpoint_len, 2);
    assert_string_equal(c->endpoints[0].url, "https://a/v1");
    assert_string_equal(c->endpoints[0].model, "big");
    assert_int_equal(c->endpoints[0].concurrency, 7);
    assert_near(c->endpoints[0].price_prompt + c->endpoints[0].price_answer, 12.5, 0);
    assert_string_equal(config.keys[0].variable, "A_KEY");
    assert_string_equal(config.keys[1].path, "k");
    assert_string_equal(c->endpoints[1].extra, "{\"max_completion_tokens\": 9}");
    assert_int_equal(c->attempt_max, 3);
    assert_int_equal(c->connect_ns, 2500000000);
    assert_int_equal(c->answer_ns, 30000000000);
    assert_int_equal(c->pauses.first_ns, 500000000);
    assert_int_equal(c->pauses.max_ns, 8000000000);
    assert_int_equal(c->body_max, 5000);
    assert_int_equal(c->token_max, 100000);
    assert_true(isinf(c->cost_max) && !c->likely_optional);
    const pov_vlm_question question = pov_vlm_config_question(&config, "?");
    assert_int_equal(question.token_max, 3);
    assert_int_equal(question.likely_wanted, POV_VLM_LIKELY_MAX);
    assert_string_equal(question.system, "Say yes or no.");
    assert_near(config.mass_min, 0.25, 0);
}

static void what_is_wrong_is_told_with_line_and_key(void **state)
{
    (void)state;
    assert_refused("camera: 1\n", "vlm");
    assert_refused("vlm: {}\n", "endpoints");
    assert_refused("vlm: {endpoints: []}\n", "there must be 1 to 8");
    assert_refused("vlm:\n  endpoints:\n    - {model: m}\n",
                   "s.yaml:3: vlm.endpoints[0]: the key \"url\" is missing");
    assert_refused("vlm:\n  endpoints: [{url: 'ftp://a', model: m}]\n", "http://");
    assert_refused("vlm:\n  endpoints: [{url: 'http:///v1', model: m}]\n", "names no server");
    assert_refused("vlm:\n  endpoints: [{url: 'http://a', model: m, key: sk-1}]\n", "key_env");
    assert_refused("vlm:\n  endpoints: [{url: 'http://a', model: m, key_env: A, key_file: b}]\n",
                   "leave out one");
    assert_refused("vlm:\n  endpoints: [{url: 'http://a', model: m, request: '{'}]\n", "not a JSON object");
    assert_refused("vlm:\n  endpoints: [{url: 'http://a', model: m}]\n  budget: 5\n", "price");
    assert_refused("vlm:\n  endpoints: [{url: 'http://a', model: m}]\n  pause_max_s: 0.5\n", "shorter");
    assert_refused("vlm:\n  endpoints: [{url: 'http://a', model: m}]\n  logprob: on\n", "logprobs");
    assert_refused("vlm:\n  endpoints: [{url: 'http://a', model: m}]\n  mass_min: .nan\n", "mass_min");
}

static void a_file_without_the_section_has_no_endpoints(void **state)
{
    (void)state;
    pov_vlm_config_read(&config, (pov_yaml_node){NULL, 0});
    assert_int_equal(config.client.endpoint_len, 0);
    assert_near(config.mass_min, 0.5, 0);
}

static pov_status load(const char *keys, pov_vlm_warnings *warnings)
{
    char text[1000];
    snprintf(text, sizeof text, "vlm: {endpoints: [{url: 'http://far.example/v1', model: m, %s}]}\n", keys);
    parse_well(text);
    return pov_vlm_config_load_keys(&config, warnings);
}

static void a_key_comes_from_the_environment(void **state)
{
    (void)state;
    pov_vlm_warnings warnings;
    unsetenv("POV_TEST_KEY");
    assert_non_null(strstr(load("key_env: POV_TEST_KEY", &warnings).message, "POV_TEST_KEY is not set"));
    setenv("POV_TEST_KEY", " sk-123\n", 1);
    assert_int_equal(load("key_env: POV_TEST_KEY", &warnings).code, POV_OK);
    assert_string_equal(config.client.endpoints[0].key, "sk-123");
    assert_int_equal(warnings.len, 1); /* http to another machine */
    assert_non_null(strstr(warnings.texts[0], "unencrypted"));
    assert_null(strstr(warnings.texts[0], "sk-123"));
}

static void a_key_comes_from_a_file_with_a_warning_if_others_can_read_it(void **state)
{
    (void)state;
    pov_vlm_warnings warnings;
    char keys[TEST_PATH_CAPACITY + 20];
    const test_path folder = test_folder_new(), file = test_file_new(&folder, "key", "sk-456\n", 7);
    snprintf(keys, sizeof keys, "key_file: %s", file.path);
    assert_int_equal(chmod(file.path, 0600), 0);
    assert_int_equal(load(keys, &warnings).code, POV_OK);
    assert_string_equal(config.client.endpoints[0].key, "sk-456");
    assert_int_equal(warnings.len, 1);
    assert_int_equal(chmod(file.path, 0640), 0);
    assert_int_equal(load(keys, &warnings).code, POV_OK);
    assert_int_equal(warnings.len, 2);
    assert_non_null(strstr(warnings.texts[0], "chmod 600"));
    test_file_new(&folder, "key", " \n", 2);
    assert_non_null(strstr(load(keys, &warnings).message, "no key"));
    test_folder_remove(&folder);
    assert_int_equal(load(keys, &warnings).code, POV_ERROR);
}

static void a_system_prompt_may_have_a_name(void **state)
{
    (void)state;
    parse_well("vlm: {endpoints: [{url: 'http://a/v1', model: m}], system: comfort}");
    assert_string_equal(config.system, "You will be provided an image and a question, please answer the "
                                       "question only in \"Yes\" or \"No\"");
    assert_string_equal(config.system_name, "comfort");
    parse_well("vlm: {endpoints: [{url: 'http://a/v1', model: m}], system: none}");
    assert_string_equal(config.system, "");
    assert_string_equal(config.system_name, "");
    parse_well("vlm: {endpoints: [{url: 'http://a/v1', model: m}], system: Be brief.}");
    assert_string_equal(config.system, "Be brief.");
    assert_string_equal(config.system_name, "");
    assert_refused("vlm: {endpoints: [{url: 'http://a/v1', model: m}], system: comfrt}", "'comfrt'");
}

static void images_are_for_all_servers_or_for_one(void **state)
{
    (void)state;
    char text[POV_VLM_NAME_CAPACITY];
    parse_well(
        "vlm: {image: {max_px: 1024, format: jpeg, quality: 70}, endpoints: [{url: 'http://a/v1', model: m},"
        " {url: 'http://b/v1', model: m, image: {max_px: 512, format: png, detail: low}}]}");
    pov_vlm_image_describe(text, &config.images[0]);
    assert_string_equal(text, "JPEG of quality 70, at most 1024 px");
    pov_vlm_image_describe(text, &config.images[1]);
    assert_string_equal(text, "PNG, at most 512 px, detail low");
    parse_well("vlm: {endpoints: [{url: 'http://a/v1', model: m}]}");
    pov_vlm_image_describe(text, &config.images[0]);
    assert_string_equal(text, "");
    assert_refused("vlm: {image: {quality: 70}, endpoints: [{url: 'http://a/v1', model: m}]}",
                   "only JPEG has a quality");
    assert_refused("vlm: {image: {max_px: 3}, endpoints: [{url: 'http://a/v1', model: m}]}", "16");
    assert_refused("vlm: {image: {size: 3}, endpoints: [{url: 'http://a/v1', model: m}]}", "size");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_key_reaches_the_configuration),
        cmocka_unit_test(what_is_wrong_is_told_with_line_and_key),
        cmocka_unit_test(a_file_without_the_section_has_no_endpoints),
        cmocka_unit_test(a_key_comes_from_the_environment),
        cmocka_unit_test(a_key_comes_from_a_file_with_a_warning_if_others_can_read_it),
        cmocka_unit_test(a_system_prompt_may_have_a_name),
        cmocka_unit_test(images_are_for_all_servers_or_for_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
