#include "compare/study/study_results.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/folder.h"

typedef struct {
    test_path folder, path;
    pov_study_log *log;
} fixture;

static int set_up(void **state)
{
    static fixture f;
    f = (fixture){.folder = test_folder_new()};
    f.path = test_path_in(&f.folder, "log.sqlite");
    assert_int_equal(pov_study_log_new(&f.log, f.path.path, POV_LOG_MAY_CREATE).code, POV_OK);
    assert_int_equal(pov_study_log_begin(f.log, "{\"labels\":[\"x\",\"y\"]}", "1", 5, true).code, POV_OK);
    *state = &f;
    return 0;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    pov_study_log_destroy(&f->log);
    test_folder_remove(&f->folder);
    return 0;
}

/* A trial that is done, with one utterance, its reading and a pick; returns its number. */
static int64_t add_trial(fixture *f, const char *who, int position, const char *reading, const char *pick)
{
    int64_t participant, consent_ns;
    assert_int_equal(pov_study_log_participant(f->log, &participant, &consent_ns, who, 0).code, POV_OK);
    pov_log_trial trial = {.participant = participant,
                           .position = position,
                           .condition = "a",
                           .trial = "t",
                           .scene = "",
                           .say = "",
                           .show = "",
                           .target = "cup",
                           .started_ns = 1000000000};
    assert_int_equal(pov_study_log_start_trial(f->log, &trial).code, POV_OK);
    pov_log_event said = {.trial = trial.id,
                          .at_ns = 1500000000,
                          .kind = "said",
                          .by = "line",
                          .text = "give it",
                          .reading = reading};
    assert_int_equal(pov_study_log_add_event(f->log, &said, NULL).code, POV_OK);
    pov_log_event picked = {
        .trial = trial.id, .at_ns = 2000000000, .kind = "pick", .by = "line", .text = pick};
    if (*pick)
        assert_int_equal(pov_study_log_add_event(f->log, &picked, NULL).code, POV_OK);
    assert_int_equal(pov_study_log_end_trial(f->log, trial.id, 3000000000, "done").code, POV_OK);
    return trial.id;
}

/* Columns from `robot_outcome` to `frames` of the last trial. */
static void assert_reading(fixture *f, const char *expected)
{
    char *text;
    size_t length;
    FILE *stream = open_memstream(&text, &length);
    assert_int_equal(pov_study_write_csv(f->log, stream, POV_STUDY_TRIALS).code, POV_OK);
    fclose(stream);
    text[length - 1] = '\0';
    if (!strstr(strrchr(text, '\n'), expected))
        fail_msg("%s\nhas not %s", strrchr(text, '\n'), expected);
    free(text);
}

#define PICKS                                                                                                \
    "\"picks\":[{\"id\":\"cup\",\"p\":0.5,\"frame\":\"egocentric\",\"viewer\":\"camera\"},{\"id\":\"mug\","  \
    "\"p\":0.5,\"frame\":\"addressee\",\"viewer\":\"anna\"}]"
#define REPEATED_PICKS                                                                                       \
    "\"picks\":[{\"id\":\"cup\",\"p\":0.5,\"frame\":\"egocentric\",\"viewer\":\"camera\"},{\"id\":null,"     \
    "\"p\":0.2},"                                                                                            \
    "{\"id\":\"cup\",\"p\":0.3,\"frame\":\"intrinsic\",\"viewer\":\"anna\"},{\"id\":\"mug\","                \
    "\"p\":0.5,\"frame\":\"addressee\",\"viewer\":\"anna\"}]"
#define THREE_PICKS                                                                                          \
    "\"picks\":[{\"id\":\"cup\",\"p\":0.7,\"frame\":\"egocentric\",\"viewer\":\"camera\"},{\"id\":\"cup\","  \
    "\"p\":0.2,\"frame\":\"intrinsic\",\"viewer\":\"car\"},{\"id\":\"mug\",\"p\":0.1,\"frame\":"             \
    "\"addressee\","                                                                                         \
    "\"viewer\":\"anna\"}]"

static void the_frame_meant_is_the_one_that_leads_to_what_was_picked(void **state)
{
    fixture *f = *state;
    add_trial(f, "P1", 1, "{\"outcome\":\"ask_back\"," PICKS "}", "mug");
    assert_reading(f, ",ask_back,,1,,mug,addressee,anna,addressee:anna,");
    add_trial(f, "P1", 2, "{\"outcome\":\"ask_back\"," PICKS "}", ""); /* the target counts */
    assert_reading(f, ",ask_back,,1,,cup,egocentric,camera,egocentric:camera,");
    add_trial(f, "P1", 3, "{\"outcome\":\"picked\",\"pick\":\"cup\"," PICKS "}", "ball");
    assert_reading(f, ",picked,cup,0,0,ball,none,,,");
    add_trial(f, "P1", 4, "{\"outcome\":\"picked\",\"pick\":\"cup\"," THREE_PICKS "}", "cup");
    assert_reading(f, ",picked,cup,0,1,cup,several,several,egocentric:camera|intrinsic:car,");
    add_trial(f, "P1", 6,
              "{\"outcome\":\"picked\",\"pick\":\"cup\",\"picks\":[{\"id\":\"cup\",\"p\":1,\"frame\":null}]}",
              "cup");
    assert_reading(f, ",picked,cup,0,1,cup,,,,"); /* without a relation there is no frame */
    add_trial(
        f, "P1", 7,
        "{\"outcome\":\"picked\",\"pick\":\"cup\",\"picks\":[{\"id\":\"cup\",\"p\":1,\"frame\":\"intrinsic\","
        "\"viewer\":\"camera\"}]}",
        "cup");
    assert_reading(f, ",picked,cup,0,1,cup,intrinsic,camera,intrinsic:camera,"); /* "on your left" */
    add_trial(f, "P1", 8,
              "{\"outcome\":\"goal\",\"picks\":[],\"goal\":{\"object\":\"cup\",\"frame\":\"addressee\","
              "\"viewer\":\"anna\"}}",
              "");
    assert_reading(f, ",goal,,0,0,cup,addressee,anna,addressee:anna,");
    add_trial(f, "P1", 5, "{\"outcome\":\"refused\",\"say\":\"what?\"}", "cup");
    assert_reading(f, ",refused,,0,0,cup,,,,");
}

/* A row an utterance, with what its reply tells; nanoseconds and milliseconds as they are. */
static void replies_have_a_row_each(void **state)
{
    fixture *f = *state;
    char *text;
    size_t length;
    add_trial(f, "P1", 1,
              "{\"utterance\":\"give "
              "it\",\"outcome\":\"ask_back\",\"say\":\"Which?\",\"reply_ms\":1.5," REPEATED_PICKS "}",
              "mug");
    FILE *stream = open_memstream(&text, &length);
    assert_int_equal(pov_study_write_csv(f->log, stream, POV_STUDY_REPLIES).code, POV_OK);
    fclose(stream);
    assert_string_equal(
        text,
        "participant,position,attempt,condition,trial,at_ns,at_s,kind,said,outcome,say,pick,picks,"
        "frame,viewer,asked_back,ms\n"
        "P1,1,1,a,t,1500000000,0.500000,said,give it,ask_back,Which?,,cup|mug,addressee,anna,1,1.500\n");
    free(text);
}

static void shares_are_means_over_participants(void **state)
{
    fixture *f = *state;
    pov_study_results *results;
    pov_estimate share;
    const char *depends = "{\"outcome\":\"ask_back\"," PICKS "}";
    add_trial(f, "P1", 1, depends, "cup"); /* P1: 1 of 4; P2: 1 of 1 */
    for (int i = 2; i <= 4; i++)
        add_trial(f, "P1", i, depends, "mug");
    add_trial(f, "P2", 1, depends, "cup");
    assert_int_equal(pov_study_results_new(&results, f->log).code, POV_OK);
    assert_string_equal(pov_study_frame(results, 0), "egocentric:camera");
    share = pov_study_frame_share(results, 0, 0);
    assert_true(fabs(share.mean - (0.25 + 1) / 2) < 1e-12);
    assert_int_equal(share.n, 2);
    pov_study_results_destroy(&results);
}

/* Cohen's kappa by hand: 35 of 50 alike, 0.5 by chance; se = sqrt(0.7 0.3 / 50) / 0.5. */
static void kappa_is_agreement_beyond_chance(void **state)
{
    (void)state;
    const int counts[] = {20, 5, 10, 15}, same[] = {3, 0, 0, 4}, one[] = {7, 0, 0, 0};
    pov_estimate kappa = pov_cohen_kappa(counts, 2);
    assert_true(fabs(kappa.mean - 0.4) < 1e-12 && kappa.n == 50);
    assert_true(fabs(kappa.low - (0.4 - 1.96 * 0.1296148139681572)) < 1e-12);
    assert_true(fabs(pov_cohen_kappa(same, 2).mean - 1) < 1e-12);
    assert_true(isnan(pov_cohen_kappa(one, 2).mean)); /* both always say the same: chance alone explains it */
    const int contrary[4] = {1, 3, 3, 0}; /* kappa (7 - 25) / 24, error 0.27: below -1 there is none */
    kappa = pov_cohen_kappa(contrary, 2);
    assert_true(fabs(kappa.mean + 0.75) < 1e-12 && kappa.low == -1);
}

static void another_design_is_refused(void **state)
{
    fixture *f = *state;
    const pov_status status = pov_study_log_begin(f->log, "{\"labels\":[]}", "1", 6, true);
    assert_int_equal(status.code, POV_ERROR);
    assert_non_null(strstr(status.message, "another protocol"));
    assert_int_equal(pov_study_log_begin(f->log, "{\"labels\":[]}", "1", 6, false).code, POV_ERROR);
    assert_true(pov_study_log_is(f->path.path));
}

static void a_position_is_done_once(void **state)
{
    fixture *f = *state;
    add_trial(f, "P1", 1, NULL, "");
    pov_log_trial again = {.participant = 1,
                           .position = 1,
                           .condition = "a",
                           .trial = "t",
                           .scene = "",
                           .say = "",
                           .show = "",
                           .target = ""};
    assert_int_equal(pov_study_log_start_trial(f->log, &again).code, POV_OK);
    assert_int_equal(again.attempt, 2);
    assert_int_equal(pov_study_log_end_trial(f->log, again.id, 9, "done").code, POV_ERROR);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_frame_meant_is_the_one_that_leads_to_what_was_picked, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(replies_have_a_row_each, set_up, tear_down),
        cmocka_unit_test_setup_teardown(shares_are_means_over_participants, set_up, tear_down),
        cmocka_unit_test(kappa_is_agreement_beyond_chance),
        cmocka_unit_test_setup_teardown(another_design_is_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_position_is_done_once, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
