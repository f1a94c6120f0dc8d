#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/support/judgment_peer.h"
#include "tests/support/near.h"

#include <stdlib.h>

/* Oracle: tests/bench/judgments_numpy.py, which knows nothing of perception/. */

enum { SCENES = 20, ALL = SCENES * TEST_JUDGMENTS_A_SCENE };

static pov_scene scenes[SCENES];
static pov_judgment judgments[ALL];
static double answers[ALL][4];

/* Coincident pairs are undefined here and not there: as many as are compared is returned. */
static int compare(double tolerance)
{
    int compared = 0;
    for (int i = 0; i < ALL; i++) {
        const pov_judgment *judgment = &judgments[i];
        if (judgment->belief.verdict == POV_VERDICT_UNDEFINED)
            continue;
        assert_near(pov_angle_wrap(judgment->theta_rad - answers[i][0]), 0, 1e-9);
        assert_near(judgment->theta_std_rad, answers[i][1], 2e-6);
        assert_near(judgment->belief.p, answers[i][2], tolerance);
        assert_near(judgment->p_internal, answers[i][3], 1e-9);
        compared++;
    }
    return compared;
}

static void check(bool uncertain, const char *command, double tolerance)
{
    for (int i = 0, len = 0; i < SCENES; i++) {
        test_judgment_scene(&scenes[i], TEST_JUDGMENT_OBJECTS, uncertain, 1000u + (unsigned)i);
        len += test_judge_scene(judgments + len, ALL - len, &scenes[i]);
    }
    test_judgment_peer *peer = test_judgment_peer_new(scenes, SCENES);
    if (!peer)
        skip();
    test_judgment_peer_ask(peer, command);
    test_judgment_peer_read(peer, answers, ALL);
    test_judgment_peer_destroy(&peer);
    assert_true(compare(tolerance) > ALL * 9 / 10);
}

static void without_noise_all_frames_agree_with_numpy(void **state)
{
    (void)state;
    check(false, "batch exact", 1e-9);
}

static void without_noise_all_frames_agree_with_plain_python(void **state)
{
    (void)state;
    check(false, "loop exact", 1e-9);
}

static void under_noise_all_frames_agree_with_numpy(void **state)
{
    (void)state;
    check(true, "batch uncertain", 0.005);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_noise_all_frames_agree_with_numpy),
        cmocka_unit_test(without_noise_all_frames_agree_with_plain_python),
        cmocka_unit_test(under_noise_all_frames_agree_with_numpy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
