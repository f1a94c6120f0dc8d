/* Real sockets, and workers that are processes of their own (this program, called with an endpoint), killed in the middle. */
#include "protocol/tasks/task_queue.h"
#include "protocol/tasks/task_worker.h"

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
#include <zmq.h>

#include <cmocka.h>

#include "tests/support/near.h"
#include "tests/support/reserved_port.h"

static const int64_t MS = 1000000;
enum { SESSION = 77, WORKERS = 3 };

static int64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* ---- a worker: answers each task with its prompt, after a pause; with STOPS it is stopped while at work on its first ---- */

enum { STOPS = -1 };

static void pause_at_work(int *pause_us)
{
    if (*pause_us == STOPS) {
        raise(SIGSTOP);
        *pause_us = 0;
    }
    usleep((useconds_t)*pause_us);
}

static int work(const char *endpoint, int pause_us)
{
    pov_task_worker *worker;
    pov_task_worker_config config = POV_TASK_WORKER_DEFAULT;
    config.endpoint = endpoint;
    config.report_ns = 50 * MS;
    if (pov_task_worker_new(&worker, &config).code != POV_OK)
        return 1;
    for (;;) {
        pov_task task;
        if (pov_task_worker_next(worker, &task, now_ns(), 20).code != POV_OK)
            continue;
        pause_at_work(&pause_us);
        const pov_task_answer answer = {.ticket = task.ticket,
                                        .outcome = "answered",
                                        .body = task.prompt,
                                        .body_len = strlen(task.prompt),
                                        .cost = (double)task.image_len};
        if (pov_task_worker_answer(worker, &answer).code != POV_OK)
            return 1;
    }
}

static pid_t start_worker(const char *endpoint, int pause_us)
{
    char pause[20];
    snprintf(pause, sizeof pause, "%d", pause_us);
    const pid_t pid = fork();
    if (pid == 0) {
        execl("/proc/self/exe", "worker", endpoint, pause, (char *)NULL);
        _exit(127);
    }
    return pid;
}

static bool is_stopped(pid_t pid)
{
    int status;
    return waitpid(pid, &status, WUNTRACED | WNOHANG) == pid && WIFSTOPPED(status);
}

static void kill_worker(pid_t pid)
{
    kill(pid, SIGKILL);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
}

/* ---- the device ---- */

static pov_task_queue *new_queue(int task_max, int64_t lease_ns)
{
    pov_task_queue *queue;
    pov_task_queue_config config = POV_TASK_QUEUE_DEFAULT;
    config.endpoint = "tcp://127.0.0.1:*";
    config.session = SESSION;
    config.ledger.task_max = task_max;
    config.ledger.lease_ns = lease_ns;
    const pov_status status = pov_task_queue_new(&queue, &config);
    assert_string_equal(status.message, "");
    return queue;
}

static bool put(pov_task_queue *queue, uint64_t ticket)
{
    char prompt[40];
    snprintf(prompt, sizeof prompt, "question %llu", (unsigned long long)ticket);
    const pov_task task = {.ticket = ticket,
                           .prompt = prompt,
                           .image = (const uint8_t *)prompt,
                           .image_len = strlen(prompt),
                           .media_type = "image/png",
                           .token_max = 4};
    return pov_task_queue_put(queue, &task).code == POV_OK;
}

static void check_answer(const pov_task_answer *answer, int *answers)
{
    char expected[40];
    snprintf(expected, sizeof expected, "question %llu", (unsigned long long)answer->ticket);
    assert_string_equal(answer->outcome, "answered");
    assert_string_equal(answer->body, expected);
    assert_near(answer->cost, (double)strlen(expected), 0);
    answers[answer->ticket]++;
}

static void every_task_is_answered_exactly_once_though_workers_are_killed(void **state)
{
    (void)state;
    enum { ALL = 400, KILLS = 12 };
    static int answers[ALL];
    pov_task_queue *queue = new_queue(32, 300 * MS);
    const char *endpoint = pov_task_queue_endpoint(queue);
    pid_t workers[WORKERS];
    int done = 0, kills = 0, next = 0;
    const int64_t start_ns = now_ns();
    for (int i = 0; i < WORKERS; i++)
        workers[i] = start_worker(endpoint, 3000);
    while (done < ALL) {
        pov_task_answer answer;
        assert_true(now_ns() - start_ns < 60000 * MS);
        while (next < ALL && put(queue, (uint64_t)next))
            next++;
        if (pov_task_queue_next(queue, &answer, now_ns(), 20).code != POV_OK)
            continue;
        check_answer(&answer, answers);
        done++;
        if (kills < KILLS && done == (kills + 1) * ALL / (KILLS + 1)) {
            const int victim = kills++ % WORKERS;
            kill_worker(workers[victim]);
            workers[victim] = start_worker(endpoint, 3000);
        }
    }
    for (int i = 0; i < ALL; i++)
        assert_int_equal(answers[i], 1);
    assert_int_equal(kills, KILLS);
    assert_true(pov_task_queue_counts(queue).again > 0); /* the kills did hit */
    pov_task_answer answer;
    assert_int_equal(pov_task_queue_next(queue, &answer, now_ns(), 0).code, POV_END);
    for (int i = 0; i < WORKERS; i++)
        kill_worker(workers[i]);
    pov_task_queue_destroy(&queue);
}

static void a_worker_that_hangs_loses_its_tasks_and_its_late_answers_count_once(void **state)
{
    (void)state;
    enum { ALL = 12 };
    int answers[ALL] = {0};
    pov_task_queue *queue = new_queue(ALL, 200 * MS);
    const char *endpoint = pov_task_queue_endpoint(queue);
    const pid_t stopped = start_worker(endpoint, STOPS);
    pov_task_answer answer;
    for (uint64_t i = 0; i < ALL; i++)
        assert_true(put(queue, i));
    while (!is_stopped(stopped))
        assert_int_equal(pov_task_queue_next(queue, &answer, now_ns(), 5).code, POV_TIMEOUT);
    const pid_t other = start_worker(endpoint, 1000);
    for (pov_code code; (code = pov_task_queue_next(queue, &answer, now_ns(), 20).code) != POV_END;)
        if (code == POV_OK)
            check_answer(&answer, answers);
    kill(stopped, SIGCONT);
    for (int i = 0; i < 10; i++)
        assert_int_equal(pov_task_queue_next(queue, &answer, now_ns(), 20).code, POV_END);
    for (int i = 0; i < ALL; i++)
        assert_int_equal(answers[i], 1);
    kill_worker(stopped);
    kill_worker(other);
    pov_task_queue_destroy(&queue);
}

static void workers_may_come_first_and_survive_the_device(void **state)
{
    (void)state;
    enum { ALL = 20 };
    int answers[ALL] = {0};
    pov_task_queue *queue;
    test_reserved_port port = test_port_reserve();
    const pid_t worker = start_worker(port.endpoint, 1000);
    for (int device = 0; device < 2; device++) {
        pov_task_queue_config config = POV_TASK_QUEUE_DEFAULT;
        config.endpoint = port.endpoint;
        config.session = (uint64_t)device;
        config.ledger.lease_ns = 300 * MS;
        pov_status status;
        while ((status = pov_task_queue_new(&queue, &config)).code != POV_OK)
            usleep(10000);
        for (uint64_t i = 0; i < ALL; i++)
            assert_true(put(queue, i));
        pov_task_answer answer;
        for (pov_code code; (code = pov_task_queue_next(queue, &answer, now_ns(), 20).code) != POV_END;)
            if (code == POV_OK)
                check_answer(&answer, answers);
        pov_task_queue_destroy(&queue);
    }
    for (int i = 0; i < ALL; i++)
        assert_int_equal(answers[i], 2);
    kill_worker(worker);
    test_port_give_back(&port);
}

/* What a worker holds of a process that ended keeps it from no task of the next. */
static void a_new_process_has_tickets_of_its_own(void **state)
{
    (void)state;
    test_reserved_port port = test_port_reserve();
    pov_task_queue *queue;
    pov_task_queue_config first = POV_TASK_QUEUE_DEFAULT;
    first.endpoint = port.endpoint;
    first.session = SESSION;
    first.ledger.lease_ns = 60000 * MS;
    assert_int_equal(pov_task_queue_new(&queue, &first).code, POV_OK);
    pov_task_worker *worker;
    pov_task_worker_config config = POV_TASK_WORKER_DEFAULT;
    config.endpoint = port.endpoint;
    config.report_ns = 50 * MS;
    assert_int_equal(pov_task_worker_new(&worker, &config).code, POV_OK);
    for (int process = 0; process < 2; process++) {
        pov_task task;
        pov_task_answer answer;
        const int64_t end_ns = now_ns() + 60000 * MS;
        assert_true(put(queue, 1));
        while (pov_task_worker_next(worker, &task, now_ns(), 5).code != POV_OK && now_ns() < end_ns)
            assert_int_equal(pov_task_queue_next(queue, &answer, now_ns(), 5).code, POV_TIMEOUT);
        assert_int_equal(pov_task_worker_held(worker), process + 1);
        pov_task_queue_destroy(&queue);
        pov_task_queue_config next = POV_TASK_QUEUE_DEFAULT;
        next.endpoint = port.endpoint;
        next.session = SESSION + 1000;
        while (process == 0 && pov_task_queue_new(&queue, &next).code != POV_OK)
            usleep(10000);
    }
    pov_task_worker_destroy(&worker);
    test_port_give_back(&port);
}

/* The late answer of a stopped worker to an old task is none to a new task with the same ticket. */
static void a_ticket_may_be_used_again(void **state)
{
    (void)state;
    int64_t clock_ns =
        0; /* the test's own: no lease ends but when it says so, however slow the workers are */
    pov_task_queue *queue = new_queue(1, 200 * MS);
    pov_task_answer answer;
    const pid_t stopped = start_worker(pov_task_queue_endpoint(queue), STOPS);
    assert_true(put(queue, 1));
    while (!is_stopped(stopped))
        assert_int_equal(pov_task_queue_next(queue, &answer, clock_ns, 5).code, POV_TIMEOUT);
    clock_ns += 300 * MS;
    const pid_t other = start_worker(pov_task_queue_endpoint(queue), 0);
    while (pov_task_queue_next(queue, &answer, clock_ns, 20).code != POV_OK)
        continue;
    kill_worker(other);
    clock_ns += 300 * MS;
    const pov_task again = {.ticket = 1, .prompt = "new", .token_max = 4};
    assert_int_equal(pov_task_queue_put(queue, &again).code, POV_OK);
    kill(stopped, SIGCONT);
    while (pov_task_queue_next(queue, &answer, clock_ns, 20).code != POV_OK)
        continue;
    assert_int_equal(answer.ticket, 1);
    assert_string_equal(answer.body, "new");
    assert_int_equal(pov_task_queue_counts(queue).repeated, 1);
    kill_worker(stopped);
    pov_task_queue_destroy(&queue);
}

static void noise_from_strangers_is_ignored(void **state)
{
    (void)state;
    pov_task_queue *queue = new_queue(4, 300 * MS);
    void *context = zmq_ctx_new(), *socket = zmq_socket(context, ZMQ_DEALER);
    const int linger = 0;
    zmq_setsockopt(socket, ZMQ_LINGER, &linger, sizeof linger);
    assert_int_equal(zmq_connect(socket, pov_task_queue_endpoint(queue)), 0);
    assert_true(put(queue, 1));
    size_t len;
    const pov_task_message forged = {
        .kind = POV_TASK_MESSAGE_ANSWER,
        .answer = {.session = SESSION + 1, .ticket = SESSION, .outcome = "answered", .body = ""}};
    uint8_t *bytes = pov_task_message_encode(&len, &forged);
    for (int i = 0; i < 50; i++) {
        zmq_send(socket, "garbage", 7, 0);
        zmq_send(socket, "", 0, ZMQ_SNDMORE);
        zmq_send(socket, "a", 1, ZMQ_SNDMORE);
        zmq_send(socket, "b", 1, 0);
        zmq_send(socket, bytes, len, 0); /* an answer to another process' task */
    }
    free(bytes);
    pov_task_answer answer;
    for (int i = 0; i < 10; i++)
        assert_int_equal(pov_task_queue_next(queue, &answer, now_ns(), 20).code, POV_TIMEOUT);
    const pid_t worker = start_worker(pov_task_queue_endpoint(queue), 0);
    int answers[2] = {0};
    while (pov_task_queue_next(queue, &answer, now_ns(), 20).code != POV_OK)
        continue;
    check_answer(&answer, answers);
    kill_worker(worker);
    zmq_close(socket);
    zmq_ctx_term(context);
    pov_task_queue_destroy(&queue);
}

int main(int argc, char **argv)
{
    if (argc == 3)
        return work(argv[1], atoi(argv[2]));
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_task_is_answered_exactly_once_though_workers_are_killed),
        cmocka_unit_test(a_worker_that_hangs_loses_its_tasks_and_its_late_answers_count_once),
        cmocka_unit_test(workers_may_come_first_and_survive_the_device),
        cmocka_unit_test(a_new_process_has_tickets_of_its_own),
        cmocka_unit_test(a_ticket_may_be_used_again),
        cmocka_unit_test(noise_from_strangers_is_ignored),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
