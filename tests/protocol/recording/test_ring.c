#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "protocol/recording/ring.h"
#include "tests/support/random.h"

#include <string.h>

enum { CAPACITY = 4096, ROUNDS = 100000, STRINGS_MAX = 400 };

/* A string of length n is made of the byte n % 251 and a number. */
static void strings_come_back_whole_and_in_order(void **state)
{
    (void)state;
    static uint8_t lens[STRINGS_MAX][2]; /* a plain queue beside it: length / 4, seed */
    int len = 0, dropped = 0, turned = 0;
    test_random random = {11};
    pov_ring *ring;
    const uint8_t *before = NULL;
    assert_int_equal(pov_ring_new(&ring, CAPACITY).code, POV_OK);
    for (int i = 0; i < ROUNDS; i++) {
        const uint8_t words = (uint8_t)test_random_u64(&random), seed = (uint8_t)test_random_u64(&random);
        uint8_t *room;
        while (!(room = pov_ring_add(ring, 4u * words))) {
            assert_true(len > 0);
            pov_ring_drop(ring);
            memmove(lens, lens + 1, sizeof lens - sizeof *lens);
            len--;
            dropped++;
        }
        assert_int_equal((uintptr_t)room % _Alignof(max_align_t), 0);
        memset(room, seed, 4u * words);
        turned += room < before;
        before = room;
        lens[len][0] = words;
        lens[len++][1] = seed;
        assert_true(len < STRINGS_MAX);
        if (i % 3 == 0) {
            const uint8_t *oldest = pov_ring_oldest(ring);
            assert_non_null(oldest);
            for (unsigned k = 0; k < 4u * lens[0][0]; k++)
                assert_int_equal(oldest[k], lens[0][1]);
            pov_ring_drop(ring);
            memmove(lens, lens + 1, sizeof lens - sizeof *lens);
            len--;
        }
    }
    assert_true(dropped > ROUNDS / 4 && turned > ROUNDS / 40);
    for (; len > 0; len--, pov_ring_drop(ring)) {
        assert_int_equal(lens[0][0] == 0 || *(const uint8_t *)pov_ring_oldest(ring) == lens[0][1], 1);
        memmove(lens, lens + 1, sizeof lens - sizeof *lens);
    }
    assert_null(pov_ring_oldest(ring));
    pov_ring_destroy(&ring);
    assert_null(ring);
}

static void all_but_the_bookkeeping_can_be_filled(void **state)
{
    (void)state;
    pov_ring *ring;
    assert_int_equal(pov_ring_new(&ring, CAPACITY).code, POV_OK);
    assert_null(pov_ring_add(ring, CAPACITY));
    assert_null(pov_ring_add(ring, SIZE_MAX));
    assert_non_null(pov_ring_add(ring, CAPACITY - 16));
    assert_null(pov_ring_add(ring, 1));
    pov_ring_drop(ring);
    pov_ring_drop(ring); /* of none: nothing */
    assert_non_null(pov_ring_add(ring, CAPACITY - 16));
    pov_ring_destroy(&ring);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(strings_come_back_whole_and_in_order),
                                       cmocka_unit_test(all_but_the_bookkeeping_can_be_filled)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
