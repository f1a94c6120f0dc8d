/* Any bytes of a subscriber after its handshake (ZMTP 3, https://rfc.zeromq.org/spec/23): another, who subscribed honestly, gets all
 * that is published, and nothing lost. */
#include "protocol/links/publisher.h"
#include "protocol/links/subscriber.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

static char folder[] = "/tmp/fuzz_subscriptions_XXXXXX", endpoint[80];
static pov_publisher *publisher;
static pov_subscriber *honest;

static void end_all(void)
{
    pov_subscriber_destroy(&honest);
    pov_publisher_destroy(&publisher);
    unlink(endpoint + strlen("ipc://"));
    rmdir(folder);
}

static void poll_some(int times)
{
    for (int i = 0; i < times; i++) {
        pov_publisher_poll(publisher);
        usleep(100);
    }
}

static void begin_all(void)
{
    pov_publisher_config config = POV_PUBLISHER_DEFAULT;
    if (!mkdtemp(folder))
        abort();
    snprintf(endpoint, sizeof endpoint, "ipc://%s/wire", folder);
    config.endpoint = endpoint;
    config.subscriptions_max = 16;
    config.connections_max = 16;
    if (pov_publisher_new(&publisher, &config).code != POV_OK ||
        pov_subscriber_new(&honest, &(pov_subscriber_config){.endpoint = endpoint, .topic = "observation"})
                .code != POV_OK)
        abort();
    while (pov_publisher_statistics_of(publisher).subscriptions == 0)
        poll_some(1);
    atexit(end_all);
}

static int connect_stranger(void)
{
    static const char greeting[64] = {
        [0] = (char)0xff, [9] = 0x7f, [10] = 3, [12] = 'N', [13] = 'U', [14] = 'L', [15] = 'L'};
    static const char ready[] = "\x04\x19\x05READY\x0bSocket-Type\0\0\0\x03SUB";
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    snprintf(at.sun_path, sizeof at.sun_path, "%s", endpoint + strlen("ipc://"));
    const int peer = socket(AF_UNIX, SOCK_STREAM, 0);
    if (peer < 0 || connect(peer, (const struct sockaddr *)&at, sizeof at) != 0 ||
        send(peer, greeting, sizeof greeting, MSG_NOSIGNAL) < 0 ||
        send(peer, ready, sizeof ready - 1, MSG_NOSIGNAL) < 0)
        abort();
    return peer;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    static uint32_t count;
    if (!publisher)
        begin_all();
    const int peer = connect_stranger();
    (void)!send(peer, bytes, length, MSG_NOSIGNAL | MSG_DONTWAIT);
    poll_some(5);
    count++;
    pov_publisher_publish(publisher, "observation", (const uint8_t *)&count, sizeof count);
    poll_some(2);
    close(peer);
    const uint8_t *got;
    size_t got_len;
    for (int tries = 0;; tries++) {
        pov_publisher_poll(publisher);
        const pov_code code = pov_subscriber_next(honest, &got, &got_len, 10).code;
        if (code == POV_OK)
            break;
        if (code != POV_TIMEOUT || tries > 500)
            abort();
    }
    uint32_t told;
    if (got_len < sizeof told || memcpy(&told, got, sizeof told) == NULL || told != count ||
        pov_publisher_statistics_of(publisher).subscriptions > 16)
        abort();
    return 0;
}
