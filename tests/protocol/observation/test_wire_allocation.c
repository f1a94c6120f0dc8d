#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "protocol/links/publisher.h"
#include "protocol/links/subscriber.h"
#include "protocol/observation/message.h"
#include "tests/support/count_allocations.h"
#include "tests/support/random_health.h"
#include "tests/support/random_observation.h"

#include <poll.h>

static pov_observation sent, received;

static void encoding_and_decoding_allocate_nothing(void **state)
{
    (void)state;
    pov_codec *codec;
    test_random random = {41};
    allocations = 0;
    assert_int_equal(pov_codec_new(&codec).code, POV_OK);
    assert_true(allocations > 0); /* they are counted */
    allocations = 0;
    for (int i = 0; i < 20; i++) {
        const uint8_t *bytes;
        size_t length;
        pov_message message = {.observation = &received};
        pov_health health = test_random_health(&random);
        test_random_observation(&random, &sent, 1 + i, 100 * i);
        assert_int_equal(pov_codec_encode_observation(codec, &bytes, &length, &sent).code, POV_OK);
        assert_int_equal(pov_codec_decode(codec, &message, bytes, length).code, POV_OK);
        assert_int_equal(pov_codec_encode_health(codec, &bytes, &length, &health).code, POV_OK);
        assert_int_equal(pov_codec_decode(codec, &message, bytes, length).code, POV_OK);
    }
    assert_int_equal(allocations, 0);
    pov_codec_destroy(&codec);
}

static void publishing_allocates_nothing_whoever_listens(void **state)
{
    (void)state;
    enum { SUBSCRIBERS = 8 };
    static uint8_t bytes[100000];
    pov_publisher_config config = POV_PUBLISHER_DEFAULT;
    config.endpoint = "tcp://127.0.0.1:*";
    pov_publisher *publisher;
    pov_subscriber *subscribers[SUBSCRIBERS];
    assert_int_equal(pov_publisher_new(&publisher, &config).code, POV_OK);
    for (int i = 0; i < SUBSCRIBERS; i++)
        assert_int_equal(pov_subscriber_new(&subscribers[i],
                                            &(pov_subscriber_config){
                                                .endpoint = pov_publisher_endpoint(publisher), .topic = ""})
                             .code,
                         POV_OK);
    allocations = 0;
    for (int i = 0; i < 5000 && pov_publisher_statistics_of(publisher).subscriptions < SUBSCRIBERS; i++) {
        pov_publisher_publish(publisher, "observation", bytes, sizeof bytes);
        poll(NULL, 0, 1);
    }
    assert_int_equal(pov_publisher_statistics_of(publisher).subscriptions, SUBSCRIBERS);
    for (int i = 0; i < 1000; i++)
        pov_publisher_publish(publisher, "observation", bytes,
                              sizeof bytes); /* nobody reads: all queues fill */
    assert_true(pov_publisher_statistics_of(publisher).lost > 0);
    assert_int_equal(allocations, 0);
    for (int i = 0; i < SUBSCRIBERS; i++)
        pov_subscriber_destroy(&subscribers[i]);
    pov_publisher_destroy(&publisher);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(encoding_and_decoding_allocate_nothing),
        cmocka_unit_test(publishing_allocates_nothing_whoever_listens),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
