#include "compare/questions/canary.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/near.h"

static const bool all[POV_CANARY_PROBE_COUNT] = {true, true, true, true, true};

static void probes_are_what_they_say_whatever_the_stride(void **state)
{
    (void)state;
    enum { W = 5, H = 3, STRIDE = 3 * W + 4 };
    uint8_t pixels[H * STRIDE], blank[3 * W * H], mirrored[3 * W * H];
    double sums[3] = {0};
    memset(pixels, 0xee, sizeof pixels);
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++)
            for (int c = 0; c < 3; c++)
                sums[c] += pixels[y * STRIDE + 3 * x + c] = (uint8_t)(y * 50 + x * 7 + c);
    const pov_image image = {.pixels = pixels, .width_px = W, .height_px = H, .stride_bytes = STRIDE};
    pov_canary_blank(blank, &image);
    pov_canary_mirror(mirrored, &image);
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++)
            for (int c = 0; c < 3; c++) {
                assert_near(blank[3 * (y * W + x) + c], sums[c] / (W * H), 0.5);
                assert_int_equal(mirrored[3 * (y * W + x) + c], y * 50 + (W - 1 - x) * 7 + c);
            }
}

static void expect(pov_canary_verdict verdict, const pov_canary_answers *answers, int len)
{
    pov_canary_result result;
    pov_canary_judge(&result, answers, len, all);
    if (result.verdict != verdict)
        fail_msg("'%s', not '%s'", POV_CANARY_VERDICT_NAMES[result.verdict],
                 POV_CANARY_VERDICT_NAMES[verdict]);
}

static void verdicts(void **state)
{
    (void)state;
    const pov_canary_answers same[] = {{{0.7, 0.7, 0.7, 0.7, 0.7}}, {{0.2, 0.2, 0.2, 0.2, 0.2}}};
    expect(POV_CANARY_IGNORES, same, 2);
    const pov_canary_answers jitter[] = {{{0.7, 0.72, 0.75, 0.66, 0.7}}, {{0.2, 0.2, 0.21, 0.2, 0.2}}};
    expect(POV_CANARY_IGNORES, jitter, 2); /* as much as asking again shows */
    const pov_canary_answers steady[] = {{{0.7, 0.7, 0.75, 0.66, 0.7}}, {{0.2, 0.2, 0.21, 0.2, 0.2}}};
    expect(POV_CANARY_BARELY, steady, 2);
    const pov_canary_answers looking[] = {{{0.9, 0.9, 0.2, 0.9, 0.1}}, {{0.9, 0.9, 0.1, 0.1, 0.1}}};
    expect(POV_CANARY_LOOKS, looking, 2);
    const pov_canary_answers mirror_only[] = {{{0.9, 0.9, 0.9, 0.2, 0.9}}};
    expect(POV_CANARY_LOOKS, mirror_only, 1);
    const pov_canary_answers refuses_blank[] = {{{0.9, 0.9, NAN, 0.9, 0.9}}};
    expect(POV_CANARY_LOOKS, refuses_blank, 1);
    const pov_canary_answers refuses_at_random[] = {{{0.9, NAN, NAN, 0.9, 0.9}}, {{0.9, NAN, 0.9, NAN, 0.9}}};
    expect(POV_CANARY_IGNORES, refuses_at_random, 2);
    const pov_canary_answers silent[] = {
        {{NAN, NAN, NAN, NAN, NAN}}, {{NAN, NAN, NAN, NAN, NAN}}, {{0.9, 0.9, 0.1, 0.9, 0.9}}};
    expect(POV_CANARY_UNCLEAR, silent, 3);
    expect(POV_CANARY_UNCLEAR, silent, 0);
    const pov_canary_answers without_other[] = {{{0.9, 0.9, 0.9, 0.9, NAN}}};
    expect(POV_CANARY_LOOKS, without_other, 1);
    pov_canary_result result;
    pov_canary_judge(&result, without_other, 1, (const bool[]){true, true, true, true, false});
    assert_int_equal(result.verdict, POV_CANARY_IGNORES);
    assert_int_equal(result.lost[POV_CANARY_OTHER], 0);
}

static void the_figures_are_means_and_counts(void **state)
{
    (void)state;
    pov_canary_result result;
    const pov_canary_answers answers[] = {
        {{0.9, 0.8, 0.1, NAN, 0.9}}, {{0.5, 0.5, 0.1, NAN, 0.7}}, {{NAN, 0.1, 0.1, 0.1, 0.1}}};
    pov_canary_judge(&result, answers, 3, all);
    assert_int_equal(result.questions * 10 + result.scored, 32);
    assert_near(result.noise, 0.1, 1e-12);
    assert_near(result.change[POV_CANARY_BLANK], 0.6, 1e-12);
    assert_near(result.change[POV_CANARY_OTHER], 0.1, 1e-12);
    assert_near(result.largest[POV_CANARY_BLANK], 0.8, 1e-12);
    assert_true(isnan(result.change[POV_CANARY_MIRRORED]));
    assert_int_equal(result.lost[POV_CANARY_MIRRORED], 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(probes_are_what_they_say_whatever_the_stride),
        cmocka_unit_test(verdicts),
        cmocka_unit_test(the_figures_are_means_and_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
