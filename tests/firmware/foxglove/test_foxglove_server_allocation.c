#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define COUNT_ALLOCATIONS_OF _Thread_local
#include "firmware/foxglove/foxglove_server.h"
#include "protocol/foxglove/foxglove_talk.h"
#include "tests/support/count_allocations.h"

#include <arpa/inet.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { WIDTH = 320, HEIGHT = 240, WARM_UP = 60, COUNTED = 100 };

static void *read_all(void *descriptor)
{
    char bytes[65536];
    while (recv(*(int *)descriptor, bytes, sizeof bytes, 0) > 0)
        continue;
    return NULL;
}

/* Subscribes to all channels. */
static int connect_client(int port)
{
    char reply[4096], text[512], frame[600];
    const struct sockaddr_in at = {
        .sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    const int peer = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(connect(peer, (const struct sockaddr *)&at, sizeof at), 0);
    const char *request = "GET / HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                          "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"
                          "Sec-WebSocket-Protocol: foxglove.sdk.v1\r\n\r\n";
    assert_int_equal(send(peer, request, strlen(request), 0), strlen(request));
    assert_true(recv(peer, reply, sizeof reply, 0) > 12);
    assert_memory_equal(reply, "HTTP/1.1 101", 12);
    int len = snprintf(text, sizeof text, "{\"op\":\"subscribe\",\"subscriptions\":[");
    for (int i = 1; i <= POV_RECORDED_COUNT; i++)
        len += snprintf(text + len, sizeof text - (size_t)len, "%s{\"id\":%d,\"channelId\":%d}",
                        i > 1 ? "," : "", i, i);
    len += snprintf(text + len, sizeof text - (size_t)len, "]}");
    memcpy(frame,
           (const unsigned char[]){0x81, 0xfe, (unsigned char)(len >> 8), (unsigned char)len, 0, 0, 0, 0}, 8);
    memcpy(frame + 8, text, (size_t)len);
    assert_int_equal(send(peer, frame, 8 + (size_t)len, 0), 8 + len);
    return peer;
}

static void show(pov_foxglove_server *server, const uint8_t *pixels, int i)
{
    static const uint8_t message[20000];
    const pov_image image = {.pixels = pixels,
                             .width_px = WIDTH,
                             .height_px = HEIGHT,
                             .stride_bytes = 3 * WIDTH,
                             .sequence = (uint32_t)i,
                             .mid_exposure_ns = 1000000 * (int64_t)(i + 1),
                             .name = "x"};
    pov_foxglove_server_image(server, &image);
    pov_foxglove_server_message(server, POV_RECORDED_OBSERVATION, message, sizeof message,
                                image.mid_exposure_ns);
    pov_foxglove_server_message(server, POV_RECORDED_SCENE, message, 5000, image.mid_exposure_ns);
    nanosleep(&(struct timespec){.tv_nsec = 3000000}, NULL);
}

/* On the thread that judges. Without a client it does not even copy: then nothing is sent or lost. */
static void an_image_and_its_messages_allocate_nothing(void **state)
{
    (void)state;
    static uint8_t pixels[3 * WIDTH * HEIGHT];
    const pov_http_place place = {.address = "127.0.0.1"};
    pov_foxglove_server *server;
    pthread_t reader;
    assert_int_equal(pov_foxglove_server_new(&server, &place, "station.yaml", NULL, 0).code, POV_OK);
    for (int i = 0; i < POV_RECORDED_COUNT; i++)
        assert_false(pov_foxglove_server_wants(server, (pov_recorded)i));
    int before = allocations;
    for (int i = 0; i < 200; i++)
        show(server, pixels, i);
    assert_int_equal(allocations, before);
    pov_foxglove_statistics all = pov_foxglove_server_statistics(server);
    assert_int_equal(all.sent + all.lost, 0);
    int peer = connect_client(pov_foxglove_server_port(server));
    assert_int_equal(pthread_create(&reader, NULL, read_all, &peer), 0);
    while (!pov_foxglove_server_wants(server, POV_RECORDED_LOG))
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    for (int i = 0; i < 100; i++) /* the queue is full once */
        pov_foxglove_server_message(server, POV_RECORDED_SCENE, pixels, 20000, 1);
    for (int i = 0; i < WARM_UP; i++)
        show(server, pixels, i);
    before = allocations;
    for (int i = WARM_UP; i < WARM_UP + COUNTED; i++)
        show(server, pixels, i);
    assert_int_equal(allocations, before);
    all = pov_foxglove_server_statistics(server);
    assert_true(all.sent > COUNTED);
    assert_int_equal(all.clients, 1);
    pov_foxglove_server_destroy(&server);
    pthread_join(reader, NULL);
    close(peer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(an_image_and_its_messages_allocate_nothing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
