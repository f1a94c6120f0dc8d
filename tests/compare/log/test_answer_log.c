#include "compare/log/answer_export.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/folder.h"
#include "tests/support/near.h"

typedef struct {
    test_path folder, path;
    pov_answer_log *log;
    int64_t model;
} fixture;

static void reopen(fixture *f)
{
    pov_answer_log_destroy(&f->log);
    assert_int_equal(pov_answer_log_new(&f->log, f->path.path, POV_LOG_MAY_CREATE).code, POV_OK);
}

static int set_up(void **state)
{
    static fixture f;
    f = (fixture){.folder = test_folder_new()};
    f.path = test_path_in(&f.folder, "log.sqlite");
    reopen(&f);
    assert_int_equal(pov_answer_log_model(f.log, &f.model, "model", "settings").code, POV_OK);
    *state = &f;
    return 0;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    pov_answer_log_destroy(&f->log);
    test_folder_remove(&f->folder);
    return 0;
}

static pov_log_run add_run(fixture *f)
{
    pov_log_run run = {
        .started_ns = 5, .version = "1", .config = "{}", .seed = UINT64_MAX, .simulated = true};
    assert_int_equal(pov_answer_log_add_run(f->log, &run).code, POV_OK);
    return run;
}

static pov_log_question question(const char *key, const char *columns)
{
    return (pov_log_question){.key = key,
                              .paper = "comfort",
                              .prompt = "Is the ball left of the car?",
                              .language = "en",
                              .form = "yes_no",
                              .gold = "yes",
                              .gold_p = 0.875,
                              .columns = columns,
                              .token_max = 16};
}

static pov_status add_image(fixture *f, int64_t run, int stop, const pov_log_question *questions, int len)
{
    pov_log_image image = {.run = run,
                           .stop = stop,
                           .turn_deg = 10.0 * stop,
                           .phi_deg = NAN,
                           .curve_deg = 10.0 * stop,
                           .sha256 = "ab",
                           .name = "a.png",
                           .path = "images/a.png",
                           .evidence = "{}"};
    return pov_answer_log_add_image(f->log, &image, questions, len);
}

static pov_log_result result(const fixture *f, int64_t question_id, const char *outcome, double p)
{
    return (pov_log_result){.question = question_id,
                            .model = f->model,
                            .outcome = outcome,
                            .kind = "tokens",
                            .cause = "",
                            .p = p,
                            .mass = 1,
                            .text = "Yes",
                            .body = "{\0}",
                            .body_len = 3,
                            .cost = 0.25};
}

static bool add_result(fixture *f, const pov_log_result *r)
{
    bool counted;
    assert_int_equal(pov_answer_log_add_result(f->log, &counted, r).code, POV_OK);
    return counted;
}

static int64_t pending_after(fixture *f, int64_t after)
{
    pov_log_question q;
    pov_log_image_file image;
    const pov_status status =
        pov_answer_log_pending(f->log, &q, &image, f->model, (pov_log_place){after > 0, after});
    if (status.code == POV_OK)
        assert_string_equal(image.path, "images/a.png");
    return status.code == POV_OK ? q.id : -1;
}

static void a_run_is_as_it_was_written(void **state)
{
    fixture *f = *state;
    pov_log_run run;
    assert_int_equal(pov_answer_log_last_run(f->log, &run).code, POV_UNDEFINED);
    const pov_log_run written = add_run(f);
    reopen(f);
    assert_int_equal(pov_answer_log_last_run(f->log, &run).code, POV_OK);
    assert_int_equal(run.id, written.id);
    assert_true(run.seed == UINT64_MAX && run.simulated);
    assert_string_equal(run.config, "{}"); /* sha256sum of it: */
    assert_string_equal(run.config_hash, "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a");
}

static void a_question_is_pending_until_its_answer_counts(void **state)
{
    fixture *f = *state;
    const pov_log_question questions[2] = {question("a", NULL), question("b", NULL)};
    assert_int_equal(add_image(f, add_run(f).id, 0, questions, 2).code, POV_OK);
    assert_int_equal(pending_after(f, 0), 1);
    assert_int_equal(pending_after(f, 1), 2);
    assert_int_equal(pending_after(f, 2), -1);
    const pov_log_result first = result(f, 1, "answered", 0.25);
    assert_true(add_result(f, &first));
    reopen(f);
    assert_int_equal(pending_after(f, 0), 2);
}

static pov_status expect_the_first_answer(void *visits, pov_answer_row *row)
{
    assert_near(row->result.p, 0.25, 0);
    assert_int_equal(row->result.body_len, 3);
    assert_memory_equal(row->result.body, "{\0}", 3);
    assert_true(isnan(row->image.phi_deg));
    ++*(int *)visits;
    return pov_ok();
}

static pov_status expect_the_longest_answer(void *text, pov_answer_row *row)
{
    assert_string_equal(row->result.text, text);
    assert_string_equal(row->result.cause, text);
    return pov_ok();
}

static void an_answer_and_its_cause_are_kept_whole(void **state)
{
    fixture *f = *state;
    const pov_log_question questions[1] = {question("a", NULL)};
    assert_int_equal(add_image(f, add_run(f).id, 0, questions, 1).code, POV_OK);
    char *text = malloc(POV_ANSWER_BYTES_MAX + 1);
    for (int i = 0; i < POV_ANSWER_BYTES_MAX; i++)
        text[i] = (char)('a' + i % 26);
    text[POV_ANSWER_BYTES_MAX] = '\0';
    pov_log_result longest = result(f, 1, "answered", 0.25);
    longest.text = longest.cause = text;
    assert_true(add_result(f, &longest));
    reopen(f);
    assert_int_equal(pov_answer_log_each(f->log, expect_the_longest_answer, text).code, POV_OK);
    free(text);
}

static void only_the_first_answer_counts(void **state)
{
    fixture *f = *state;
    const pov_log_question q = question("a", NULL);
    assert_int_equal(add_image(f, add_run(f).id, 0, &q, 1).code, POV_OK);
    const pov_log_result first = result(f, 1, "answered", 0.25), second = result(f, 1, "answered", 0.75);
    assert_true(add_result(f, &first));
    assert_false(add_result(f, &second));
    int visits = 0;
    assert_int_equal(pov_answer_log_each(f->log, expect_the_first_answer, &visits).code, POV_OK);
    assert_int_equal(visits, 1);
}

static void what_failed_can_be_asked_again(void **state)
{
    fixture *f = *state;
    const pov_log_question questions[2] = {question("a", NULL), question("b", NULL)};
    assert_int_equal(add_image(f, add_run(f).id, 0, questions, 2).code, POV_OK);
    const pov_log_result failed = result(f, 1, "too_slow", NAN), good = result(f, 2, "answered", 1);
    int64_t reopened;
    pov_log_counts counts;
    assert_true(add_result(f, &failed) && add_result(f, &good));
    assert_int_equal(pov_answer_log_reopen_failed(f->log, &reopened, f->model).code, POV_OK);
    assert_int_equal(reopened, 1);
    assert_int_equal(pending_after(f, 0), 1);
    const pov_log_result later = result(f, 1, "answered", 0.5);
    assert_true(add_result(f, &later));
    assert_int_equal(pov_answer_log_count(f->log, &counts, f->model).code, POV_OK);
    assert_int_equal(counts.answered, 2);
    assert_int_equal(counts.failed, 0);
    assert_near(counts.cost, 0.75, 0); /* what failed had its price, too */
}

static void another_model_or_other_settings_are_asked_again(void **state)
{
    fixture *f = *state;
    const pov_log_question q = question("a", NULL);
    int64_t same, other;
    assert_int_equal(add_image(f, add_run(f).id, 0, &q, 1).code, POV_OK);
    const pov_log_result r = result(f, 1, "answered", 1);
    assert_true(add_result(f, &r));
    assert_int_equal(pov_answer_log_model(f->log, &same, "model", "settings").code, POV_OK);
    assert_int_equal(pov_answer_log_model(f->log, &other, "model", "others").code, POV_OK);
    assert_int_equal(same, f->model);
    assert_int_equal(pending_after(f, 0), -1);
    f->model = other;
    assert_int_equal(pending_after(f, 0), 1);
}

static void a_stop_is_taken_once(void **state)
{
    fixture *f = *state;
    const pov_log_question q = question("a", NULL), more[2] = {question("a", NULL), question("b", NULL)};
    const int64_t run = add_run(f).id;
    int added;
    assert_int_equal(add_image(f, run, 3, &q, 1).code, POV_OK);
    assert_int_equal(add_image(f, run, 3, &q, 1).code, POV_ERROR);
    assert_int_equal(pending_after(f, 1), -1); /* nothing of the second is left */
    assert_int_equal(pov_answer_log_add_questions(f->log, &added, 1, more, 2).code, POV_OK);
    assert_int_equal(added, 1);
}

/* Rows of an export whose relatum faces so in each image. */
static void export_of_facings(fixture *f, char text[4096], const char *const columns[], int len)
{
    const int64_t run = add_run(f).id;
    for (int i = 0; i < len; i++) {
        const pov_log_question q = question("a", columns[i]);
        assert_int_equal(add_image(f, run, i, &q, 1).code, POV_OK);
        const pov_log_result r = result(f, i + 1, "answered", 0.5);
        assert_true(add_result(f, &r));
    }
    memset(text, 0, 4096);
    FILE *memory = fmemopen(text, 4096, "w");
    const pov_export_options options = {.format = POV_EXPORT_JSONL};
    assert_int_equal(pov_answer_export(f->log, NULL, memory, &options).code, POV_OK);
    fclose(memory);
}

static int occurrences(const char *text, const char *what)
{
    int len = 0;
    for (const char *at = text; (at = strstr(at, what)); at++)
        len++;
    return len;
}

static void facings_that_tremble_are_one(void **state)
{
    static const char *const columns[] = {"{\"scene\":\"s\",\"prompt\":\"rel\",\"relatum_facing\":359.2}",
                                          "{\"scene\":\"s\",\"prompt\":\"rel\",\"relatum_facing\":1.2}"};
    char text[4096];
    export_of_facings(*state, text, columns, 2);
    assert_int_equal(occurrences(text, "\"relatum_facing\":0,") + occurrences(text, "\"relatum_facing\":0}"),
                     2);
    assert_int_equal(occurrences(text, "\"phi_deg\""), 2);
}

static void a_relatum_that_turns_has_no_facing_and_no_curve(void **state)
{
    static const char *const columns[] = {"{\"scene\":\"s\",\"prompt\":\"rel\",\"relatum_facing\":0}",
                                          "{\"scene\":\"s\",\"prompt\":\"nop\",\"relatum_facing\":90}",
                                          "{\"scene\":\"s\",\"prompt\":\"nop\",\"relatum_facing\":180}"};
    char text[4096];
    export_of_facings(*state, text, columns, 3);
    assert_int_equal(occurrences(text, "relatum_facing"), 0);
    assert_int_equal(occurrences(text, "\"phi_deg\""), 2);
}

/* Three images near 40 degrees, of which the second is nearest, the third nearer but without an answer; one at no place. */
static void of_images_at_one_angle_the_nearest_that_was_answered_counts(void **state)
{
    static const double phi_deg[] = {44, 39, 40.1, 77}, p[] = {0.125, 0.25, NAN, 0.5};
    fixture *f = *state;
    const int64_t run = add_run(f).id;
    const pov_log_question q = question("a", "{\"scene\":\"s\",\"prompt\":\"nop\"}");
    for (int i = 0; i < 4; i++) {
        pov_log_image image = {.run = run,
                               .stop = i,
                               .turn_deg = NAN,
                               .phi_deg = phi_deg[i],
                               .curve_deg = i < 3 ? 40 : NAN,
                               .sha256 = "ab",
                               .name = "a.png",
                               .path = "images/a.png",
                               .evidence = "{}"};
        assert_int_equal(pov_answer_log_add_image(f->log, &image, &q, 1).code, POV_OK);
        const pov_log_result r = result(f, i + 1, i == 2 ? "too_slow" : "answered", p[i]);
        assert_true(add_result(f, &r));
    }
    char text[8192] = "";
    pov_export_beside beside;
    FILE *memory = fmemopen(text, sizeof text, "w");
    const pov_export_options options = {.format = POV_EXPORT_JSONL, .paper = "comfort", .curves = true};
    assert_int_equal(pov_answer_export(f->log, &beside, memory, &options).code, POV_OK);
    fclose(memory);
    assert_int_equal(occurrences(text, "\n"), 1);
    assert_int_equal(occurrences(text, "\"p_yes\":0.25,"), 1);
    assert_int_equal(beside.farther, 2);
    assert_int_equal(beside.unplaced, 1);
}

/* ---- reading row by row ---- */

typedef struct {
    char text[4096]; /* "KEY MODEL P;", or "KEY -;" where there is no model or result */
    bool again[64];
    int len;
} rows_seen;

static pov_status note_row(void *context, pov_answer_row *row)
{
    rows_seen *seen = context;
    const size_t used = strlen(seen->text);
    snprintf(seen->text + used, sizeof seen->text - used, "%s@%s %s", row->question.key, row->image.name,
             row->model ? row->model : "nobody");
    if (row->has_result)
        snprintf(seen->text + strlen(seen->text), 16, " %.2f", row->result.p);
    strcat(seen->text, ";");
    seen->again[seen->len++] = row->is_again;
    row->question.key = row->image.name = "changed by the visitor";
    return pov_ok();
}

static rows_seen read_rows(const fixture *f)
{
    rows_seen seen = {.len = 0};
    pov_answer_log *log;
    assert_int_equal(pov_answer_log_new(&log, f->path.path, POV_LOG_READ).code, POV_OK);
    assert_int_equal(pov_answer_log_damage(log)->rows, 0);
    assert_int_equal(pov_answer_log_each(log, note_row, &seen).code, POV_OK);
    rows_seen asked = {.len = 0};
    assert_int_equal(pov_answer_log_each_asked(log, note_row, &asked).code, POV_OK);
    assert_int_equal(asked.len, seen.len);
    pov_answer_log_destroy(&log);
    return seen;
}

static void add_answer_of(fixture *f, const char *model, int64_t question_id, double p)
{
    pov_log_result r = result(f, question_id, "answered", p);
    assert_int_equal(pov_answer_log_model(f->log, &r.model, model, "settings").code, POV_OK);
    assert_true(add_result(f, &r));
}

/* Answers come in another order than questions; one model was not asked in French, and nobody about Isle-Brick. */
static void rows_come_by_question_then_model_whenever_they_were_answered(void **state)
{
    fixture *f = *state;
    const pov_log_run run = add_run(f);
    pov_log_question questions[] = {question("a", "{}"), question("b", "{}"), question("c", "{}")};
    questions[1].language = "fr";
    questions[2].paper = "vpt";
    assert_int_equal(add_image(f, run.id, 0, questions, 3).code, POV_OK);
    assert_int_equal(add_image(f, run.id, 1, questions, 3).code, POV_OK);
    add_answer_of(f, "zeta", 4, 0.25);
    add_answer_of(f, "beta", 5, 0.5);
    add_answer_of(f, "beta", 4, 0.75);
    add_answer_of(f, "beta", 1, 1);
    const rows_seen seen = read_rows(f);
    assert_string_equal(seen.text, "a@a.png zeta;a@a.png beta 1.00;b@a.png beta;c@a.png nobody;"
                                   "a@a.png zeta 0.25;a@a.png beta 0.75;b@a.png beta 0.50;c@a.png nobody;");
    const bool again[] = {false, true, false, false, false, true, false, false};
    assert_memory_equal(seen.again, again, sizeof again);
}

/* Its newest rows are in the write-ahead log, beside the file. */
static void a_log_is_read_whole_while_another_writes_it_and_after(void **state)
{
    fixture *f = *state;
    const pov_log_run run = add_run(f);
    const pov_log_question one = question("a", "{}");
    assert_int_equal(add_image(f, run.id, 0, &one, 1).code, POV_OK);
    add_answer_of(f, "model", 1, 0.25);
    assert_string_equal(read_rows(f).text, "a@a.png model 0.25;");
    reopen(f); /* what was written is now in the file */
    assert_string_equal(read_rows(f).text, "a@a.png model 0.25;");
    pov_answer_log *reader;
    assert_int_equal(pov_answer_log_new(&reader, f->path.path, POV_LOG_READ).code, POV_OK);
    assert_int_equal(add_image(f, run.id, 1, &one, 1).code, POV_OK);
    add_answer_of(f, "model", 2, 0.75);
    pov_answer_log_destroy(&reader);
    assert_string_equal(read_rows(f).text, "a@a.png model 0.25;a@a.png model 0.75;");
    reopen(f);
    assert_string_equal(read_rows(f).text, "a@a.png model 0.25;a@a.png model 0.75;");
}

/* A reader writes nothing: neither to the file nor to the answers. */
static void a_log_that_is_read_refuses_to_be_written(void **state)
{
    fixture *f = *state;
    pov_answer_log *reader;
    add_run(f);
    reopen(f);
    assert_int_equal(pov_answer_log_new(&reader, f->path.path, POV_LOG_READ).code, POV_OK);
    pov_log_run run = {.started_ns = 5, .version = "1", .config = "{}"};
    assert_int_equal(pov_answer_log_add_run(reader, &run).code, POV_ERROR);
    pov_answer_log_destroy(&reader);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_run_is_as_it_was_written, set_up, tear_down),
        cmocka_unit_test_setup_teardown(rows_come_by_question_then_model_whenever_they_were_answered, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_log_is_read_whole_while_another_writes_it_and_after, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_log_that_is_read_refuses_to_be_written, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_question_is_pending_until_its_answer_counts, set_up, tear_down),
        cmocka_unit_test_setup_teardown(an_answer_and_its_cause_are_kept_whole, set_up, tear_down),
        cmocka_unit_test_setup_teardown(only_the_first_answer_counts, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_failed_can_be_asked_again, set_up, tear_down),
        cmocka_unit_test_setup_teardown(another_model_or_other_settings_are_asked_again, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_stop_is_taken_once, set_up, tear_down),
        cmocka_unit_test_setup_teardown(facings_that_tremble_are_one, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_relatum_that_turns_has_no_facing_and_no_curve, set_up, tear_down),
        cmocka_unit_test_setup_teardown(of_images_at_one_angle_the_nearest_that_was_answered_counts, set_up,
                                        tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
