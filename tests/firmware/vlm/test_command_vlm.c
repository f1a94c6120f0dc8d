/* A device in this process, `pov vlm` workers and `pov vlm-sim` as processes of their own, killed in the middle. */
#include "compare/vlm/yes_no.h"
#include "protocol/tasks/task_queue.h"
#include "protocol/tasks/vlm_truth.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/support/folder.h"
#include "tests/support/near.h"
#include "tests/support/reserved_port.h"

static const int64_t MS = 1000000;
enum { QUESTIONS = 150, WORKERS = 2, KILLS = 6 };

static int64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static double truth_of(int i)
{
    return (i * 37 % 101) / 100.0;
}

/** A program; its standard output comes through `out` if that is not NULL. */
static pid_t start(FILE **out, const char *const arguments[])
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    const pid_t pid = fork();
    if (pid == 0) {
        dup2(ends[1], STDOUT_FILENO);
        execv(getenv("POV"), (char *const *)arguments);
        _exit(127);
    }
    close(ends[1]);
    if (out)
        *out = fdopen(ends[0], "r");
    else
        close(ends[0]);
    return pid;
}

static void end(pid_t pid, int signal, int status)
{
    int ended;
    kill(pid, signal);
    assert_int_equal(waitpid(pid, &ended, 0), pid);
    if (signal != SIGKILL) {
        assert_true(WIFEXITED(ended));
        assert_int_equal(WEXITSTATUS(ended), status);
    }
}

static test_path write_truth(const test_path *folder)
{
    char *text = calloc(QUESTIONS, 200);
    for (int i = 0, at = 0; i < QUESTIONS; i++) {
        char image[20];
        const int len = snprintf(image, sizeof image, "image %d", i);
        at += sprintf(text + at,
                      "{\"image\":\"%016llx\",\"prompt\":\"Is it?\",\"golds\":{\"intrinsic\":%.17g}}\n",
                      (unsigned long long)pov_vlm_truth_hash(image, (size_t)len), truth_of(i));
    }
    const test_path path = test_file_new(folder, "truth.jsonl", text, strlen(text));
    free(text);
    return path;
}

static pid_t start_sim(char url[100], const char *port, const test_path *truth)
{
    FILE *out;
    char line[300];
    const pid_t pid =
        start(&out, (const char *[]){"pov", "vlm-sim", "--truth", truth->path, "--fail-429", "0.1",
                                     "--broken", "0.02", "--latency", "5", "--port", port, NULL});
    assert_non_null(fgets(line, sizeof line, out));
    assert_int_equal(sscanf(line, "pov-vlm-sim (simulated) at %99[^,]", url), 1);
    fclose(out);
    return pid;
}

static test_path write_config(const test_path *folder, const char *url, const char *more)
{
    char text[600];
    const int len =
        snprintf(text, sizeof text,
                 "vlm:\n  endpoints: [{url: '%s', model: m, concurrency: 3}]\n  pause_first_s: 0.01\n"
                 "  pause_max_s: 0.1\n  attempts: 100\n%s",
                 url, more);
    return test_file_new(folder, "vlm.yaml", text, (size_t)len);
}

static bool put(pov_task_queue *queue, int i)
{
    char image[20];
    const int len = snprintf(image, sizeof image, "image %d", i);
    const pov_task task = {.ticket = (uint64_t)i,
                           .prompt = "Is it?",
                           .image = (const uint8_t *)image,
                           .image_len = (size_t)len,
                           .media_type = "image/png",
                           .token_max = 4,
                           .likely_wanted = 20};
    return pov_task_queue_put(queue, &task).code == POV_OK;
}

static void check_answer(const pov_task_answer *task_answer)
{
    pov_vlm_answer answer;
    pov_yes_no score;
    if (strcmp(task_answer->outcome, "malformed") == 0)
        return; /* some replies are broken on purpose */
    assert_string_equal(task_answer->outcome, "answered");
    assert_int_equal(pov_vlm_answer_read(&answer, task_answer->body, task_answer->body_len).code, POV_OK);
    pov_yes_no_read(&score, &answer, &POV_YES_NO_RULE_ENGLISH);
    assert_near(score.p, truth_of((int)task_answer->ticket), 1e-9);
    assert_string_equal(task_answer->model, "m");
}

static pov_task_queue *new_queue(void)
{
    pov_task_queue *queue;
    pov_task_queue_config config = POV_TASK_QUEUE_DEFAULT;
    config.endpoint = "tcp://127.0.0.1:*";
    config.session = 5;
    config.ledger.task_max = 32;
    config.ledger.lease_ns = 1500 * MS; /* workers report every second */
    assert_int_equal(pov_task_queue_new(&queue, &config).code, POV_OK);
    return queue;
}

static pid_t start_worker(const test_path *config, const pov_task_queue *queue)
{
    return start(NULL, (const char *[]){"pov", "vlm", config->path, "--connect",
                                        pov_task_queue_endpoint(queue), "--json", NULL});
}

static void every_question_is_answered_once_and_truly_though_workers_and_server_are_killed(void **state)
{
    (void)state;
    char url[100];
    int answers[QUESTIONS] = {0}, done = 0, kills = 0, next = 0;
    const test_path folder = test_folder_new(), truth = write_truth(&folder);
    test_reserved_port port = test_port_reserve();
    pid_t sim = start_sim(url, port.number, &truth);
    const test_path config = write_config(&folder, url, "");
    pov_task_queue *queue = new_queue();
    pid_t workers[WORKERS];
    for (int i = 0; i < WORKERS; i++)
        workers[i] = start_worker(&config, queue);
    for (const int64_t start_ns = now_ns(); done < QUESTIONS;) {
        pov_task_answer answer;
        assert_true(now_ns() - start_ns < 120000 * MS);
        while (next < QUESTIONS && put(queue, next))
            next++;
        if (pov_task_queue_next(queue, &answer, now_ns(), 20).code != POV_OK)
            continue;
        check_answer(&answer);
        answers[answer.ticket]++;
        done++;
        if (kills < KILLS && done == (kills + 1) * QUESTIONS / (KILLS + 1)) {
            const int victim = kills++ % WORKERS;
            end(workers[victim], SIGKILL, 0);
            workers[victim] = start_worker(&config, queue);
            end(sim, SIGKILL, 0);
            sim = start_sim(url, port.number, &truth);
        }
    }
    for (int i = 0; i < QUESTIONS; i++)
        assert_int_equal(answers[i], 1);
    for (int i = 0; i < WORKERS; i++)
        end(workers[i], SIGTERM, 0);
    end(sim, SIGINT, 0);
    test_port_give_back(&port);
    pov_task_queue_destroy(&queue);
    test_folder_remove(&folder);
}

static void a_worker_whose_budget_is_spent_leaves_and_gives_back_what_it_did_not_ask(void **state)
{
    (void)state;
    enum { FEW = 20 };
    char url[100];
    int answers[QUESTIONS] = {0}, done = 0, status;
    const test_path folder = test_folder_new(), truth = write_truth(&folder);
    const pid_t sim = start_sim(url, "0", &truth);
    const test_path poor = write_config(&folder, url, "  budget_tokens: 5000\n");
    pov_task_queue *queue = new_queue();
    pov_task_answer answer;
    for (int i = 0; i < FEW; i++)
        assert_true(put(queue, i));
    const pid_t worker = start_worker(&poor, queue);
    while (waitpid(worker, &status, WNOHANG) == 0)
        if (pov_task_queue_next(queue, &answer, now_ns(), 20).code == POV_OK) {
            answers[answer.ticket]++;
            done++;
        }
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 1);
    assert_in_range(done, 3, FEW - 1);
    const test_path rich = write_config(&folder, url, "");
    const pid_t other = start_worker(&rich, queue);
    for (pov_code code; (code = pov_task_queue_next(queue, &answer, now_ns(), 20).code) != POV_END;)
        if (code == POV_OK)
            answers[answer.ticket]++;
    for (int i = 0; i < FEW; i++)
        assert_int_equal(answers[i], 1);
    end(other, SIGTERM, 0);
    end(sim, SIGINT, 0);
    pov_task_queue_destroy(&queue);
    test_folder_remove(&folder);
}

/* Whatever proxies this machine has, none is asked for its own servers. */
static int have_a_dead_proxy(void **state)
{
    (void)state;
    unsetenv("no_proxy");
    unsetenv("NO_PROXY");
    return setenv("http_proxy", "http://127.0.0.1:1", 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_question_is_answered_once_and_truly_though_workers_and_server_are_killed),
        cmocka_unit_test(a_worker_whose_budget_is_spent_leaves_and_gives_back_what_it_did_not_ask),
    };
    return cmocka_run_group_tests(tests, have_a_dead_proxy, NULL);
}
