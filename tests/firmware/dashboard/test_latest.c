#include "firmware/dashboard/latest.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { READERS = 3, WRITES = 2000, LEN = 512 };

static pov_latest *new_latest(void)
{
    pov_latest *latest;
    assert_int_equal(pov_latest_new(&latest, READERS).code, POV_OK);
    return latest;
}

static void write_text(pov_latest *latest, const char *text)
{
    assert_int_equal(pov_latest_write(latest, text, strlen(text) + 1).code, POV_OK);
}

static void a_reader_gets_the_newest_once(void **state)
{
    (void)state;
    pov_latest *latest = new_latest();
    assert_true(pov_latest_enter(latest));
    assert_null(pov_latest_take(latest, 0, 0).bytes);
    write_text(latest, "one");
    write_text(latest, "two, and longer");
    pov_latest_view view = pov_latest_take(latest, 0, 0);
    assert_string_equal(view.bytes, "two, and longer");
    pov_latest_give_back(latest, &view);
    assert_null(pov_latest_take(latest, view.version, 1).bytes);
    pov_latest_leave(latest);
    pov_latest_destroy(&latest);
    assert_null(latest);
}

static void what_readers_hold_stays_while_the_writer_goes_on(void **state)
{
    (void)state;
    pov_latest *latest = new_latest();
    pov_latest_view held[READERS];
    const char *const texts[READERS] = {"first", "second", "third"};
    for (int i = 0; i < READERS; i++)
        assert_true(pov_latest_enter(latest));
    for (int i = 0; i < READERS; i++) {
        write_text(latest, texts[i]);
        held[i] = pov_latest_take(latest, 0, 0);
    }
    for (int i = 0; i < 20; i++)
        write_text(latest, "more");
    for (int i = 0; i < READERS; i++) {
        assert_string_equal(held[i].bytes, texts[i]);
        pov_latest_give_back(latest, &held[i]);
        pov_latest_leave(latest);
    }
    pov_latest_destroy(&latest);
}

static void one_reader_too_many_is_refused_until_another_leaves(void **state)
{
    (void)state;
    pov_latest *latest = new_latest();
    for (int i = 0; i < READERS; i++)
        assert_true(pov_latest_enter(latest));
    assert_false(pov_latest_enter(latest));
    pov_latest_leave(latest);
    assert_int_equal(pov_latest_readers(latest), READERS - 1);
    assert_true(pov_latest_enter(latest));
    for (int i = 0; i < READERS; i++)
        pov_latest_leave(latest);
    pov_latest_destroy(&latest);
}

static void the_first_to_come_finds_nothing_from_before(void **state)
{
    (void)state;
    pov_latest *latest = new_latest();
    write_text(latest, "old");
    assert_true(pov_latest_enter(latest));
    assert_null(pov_latest_take(latest, 0, 0).bytes);
    pov_latest_leave(latest);
    pov_latest_destroy(&latest);
}

/* Every view is of one write: all its bytes are the same. */
static void *read_all(void *user)
{
    pov_latest *latest = user;
    uintptr_t torn = 0;
    uint64_t seen = 0;
    for (;;) {
        pov_latest_view view = pov_latest_take(latest, seen, 60000);
        if (!view.bytes)
            return (void *)torn;
        const unsigned char *bytes = view.bytes;
        torn += view.version <= seen || memcmp(bytes, bytes + 1, view.len - 1) != 0;
        seen = view.version;
        pov_latest_give_back(latest, &view);
    }
}

static void no_view_is_torn_and_closing_ends_the_wait(void **state)
{
    (void)state;
    pov_latest *latest = new_latest();
    pthread_t threads[READERS];
    for (int i = 0; i < READERS; i++) {
        assert_true(pov_latest_enter(latest));
        assert_int_equal(pthread_create(&threads[i], NULL, read_all, latest), 0);
    }
    unsigned char bytes[LEN];
    for (int i = 0; i < WRITES; i++) {
        memset(bytes, i, sizeof bytes);
        assert_int_equal(pov_latest_write(latest, bytes, sizeof bytes - (size_t)i % 100).code, POV_OK);
    }
    pov_latest_close(latest);
    for (int i = 0; i < READERS; i++) {
        void *torn;
        pthread_join(threads[i], &torn);
        assert_null(torn);
        pov_latest_leave(latest);
    }
    assert_false(pov_latest_enter(latest));
    pov_latest_destroy(&latest);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_reader_gets_the_newest_once),
        cmocka_unit_test(what_readers_hold_stays_while_the_writer_goes_on),
        cmocka_unit_test(one_reader_too_many_is_refused_until_another_leaves),
        cmocka_unit_test(the_first_to_come_finds_nothing_from_before),
        cmocka_unit_test(no_view_is_torn_and_closing_ends_the_wait),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
