#include "firmware/own_commands.h"

#include "config/files/read_file.h"
#include "config/files/write_file.h"
#include "firmware/cli.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum {
    LINE_CAPACITY = 512,
    TEXT_BYTES_MAX = 16 << 20,
    END_US = 5000 /* from look to look; chosen: a step takes longer */
};

/* In the child: becomes the program, which is asked to stop when its parent ends, however it ends. */
static _Noreturn void become_program(const char *const arguments[], int in, int out, pid_t parent,
                                     const sigset_t *usual)
{
    signal(SIGTERM, SIG_DFL); /* until execve the parent's handler would take it */
    sigprocmask(SIG_SETMASK, usual, NULL);
    if (prctl(PR_SET_PDEATHSIG, SIGTERM) == 0 && getppid() == parent &&
        (in < 0 || dup2(in, STDIN_FILENO) >= 0) && (out < 0 || dup2(out, STDOUT_FILENO) >= 0))
        execve("/proc/self/exe", (char *const *)arguments, environ);
    _exit(POV_EXIT_WORLD);
}

/* stdin comes from `in`, stdout goes to `out`; -1: as this program's. By the main thread alone: its end would be taken for the program's. */
static pov_status start_program(pid_t *child, const char *const arguments[], int in, int out)
{
    const pid_t parent = getpid();
    sigset_t stops, usual;
    sigemptyset(&stops);
    sigaddset(&stops, SIGTERM);
    sigprocmask(SIG_BLOCK, &stops, &usual); /* none is lost in the child */
    *child = fork();
    if (*child == 0)
        become_program(arguments, in, out, parent, &usual);
    const int problem = errno;
    sigprocmask(SIG_SETMASK, &usual, NULL);
    return *child > 0 ? pov_ok() : pov_error("cannot start pov %s: %s", arguments[1], strerror(problem));
}

/* Passes a stop on, once: one that comes just before a wait without end would not end it. */
static void pass_stop_on(bool *is_passed, pid_t child)
{
    if (pov_cli_stop_requested() && !*is_passed)
        *is_passed = kill(child, SIGTERM) == 0;
}

static pov_status wait_for_end(pid_t child, bool is_stopped, const char *name)
{
    int result = -1;
    while (waitpid(child, &result, WNOHANG) == 0) {
        pass_stop_on(&is_stopped, child);
        usleep(END_US);
    }
    return result == 0 ? pov_ok() : pov_error("pov %s failed", name);
}

pov_status pov_own_command_start(pid_t *child, const char *const arguments[], const char *out_path)
{
    int out = out_path ? open(out_path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644) : -1;
    if (out_path && out < 0)
        return pov_error("%s: cannot be written: %s", out_path, strerror(errno));
    fflush(NULL);
    const pov_status status = start_program(child, arguments, -1, out);
    if (out >= 0)
        close(out);
    return status;
}

void pov_own_command_stop(pid_t child)
{
    kill(child, SIGTERM);
    while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
        continue;
}

pov_status pov_own_command_run(const char *const arguments[], const char *out_path)
{
    pid_t child;
    POV_TRY(pov_own_command_start(&child, arguments, out_path));
    return wait_for_end(child, false, arguments[1]);
}

/* ---- a command that is led by lines ---- */

/* Before each line the program has the pace's time for the last one. False: it reads no more. */
static bool lead(bool *is_stopped, int in, pid_t child, const char *line, double pace_s)
{
    const size_t len = strlen(line);
    siginfo_t ended = {.si_pid = 0};
    for (double s = 0; s < pace_s && !*is_stopped; s += END_US * 1e-6) {
        pass_stop_on(is_stopped, child);
        if (waitid(P_PID, (id_t)child, &ended, WEXITED | WNOHANG | WNOWAIT) != 0 || ended.si_pid != 0)
            return false;
        usleep(END_US);
    }
    return !*is_stopped && write(in, line, len) == (ssize_t)len && write(in, "\n", 1) == 1;
}

pov_status pov_own_command_lead(const char *const arguments[], const char *const lines[], double pace_s)
{
    pid_t child;
    int ends[2];
    bool is_stopped = false;
    if (pipe2(ends, O_CLOEXEC) != 0)
        return pov_error("no pipe for pov %s: %s", arguments[1], strerror(errno));
    fflush(NULL);
    const pov_status status = start_program(&child, arguments, ends[0], -1);
    close(ends[0]);
    for (int i = 0; status.code == POV_OK && lines[i] && lead(&is_stopped, ends[1], child, lines[i], pace_s);)
        i++;
    close(ends[1]);
    POV_TRY(status);
    return wait_for_end(child, is_stopped, arguments[1]);
}

/* ---- the simulated model ---- */

/* The first line that a server prints is JSON with its URL. */
static pov_status read_url(pov_own_model *server, int from)
{
    static const char key[] = "\"url\":\"";
    char line[LINE_CAPACITY];
    const ssize_t len = read(from, line, sizeof line - 1);
    line[len > 0 ? len : 0] = '\0';
    const char *url = strstr(line, key);
    url = url ? url + sizeof key - 1 : "";
    snprintf(server->url, sizeof server->url, "%.*s", (int)strcspn(url, "\""), url);
    return server->url[0] ? pov_ok() : pov_error("pov vlm-sim does not say where it listens");
}

/* What is true of images comes into a file that grows with the sweep; an empty one is taken for a mistake. */
static pov_status make_truth(const char *folder)
{
    char path[POV_PATH_CAPACITY];
    pov_write_file file;
    POV_TRY(pov_path_join(path, folder, "vlm_truth.jsonl"));
    if (access(path, F_OK) == 0)
        return pov_ok();
    POV_TRY(pov_write_folder(folder));
    POV_TRY(pov_write_file_begin(&file, path));
    fputc('\n', file.stream);
    return pov_write_file_end(&file, pov_ok());
}

pov_status pov_own_model_start(pov_own_model *model, const char *folder, const char *bias)
{
    const char *const arguments[] = {"pov", "vlm-sim", "--truth", folder, "--bias", bias, "--json", NULL};
    int ends[2];
    *model = (pov_own_model){.child = 0};
    POV_TRY(make_truth(folder));
    if (pipe2(ends, O_CLOEXEC) != 0)
        return pov_error("no pipe for the simulated model: %s", strerror(errno));
    pov_status status = start_program(&model->child, arguments, -1, ends[1]);
    close(ends[1]);
    if (status.code == POV_OK)
        status = read_url(model, ends[0]);
    else
        model->child = 0;
    close(ends[0]);
    if (status.code != POV_OK)
        pov_own_model_stop(model);
    return status;
}

void pov_own_model_stop(pov_own_model *model)
{
    if (model->child <= 0)
        return;
    pov_own_command_stop(model->child);
    model->child = 0;
}

/* ---- a simulated station ---- */

pov_status pov_own_station_write(const char *folder, const char *to)
{
    static const char from[] = "source: folder", instead[] = "source: simulator";
    char written[POV_PATH_CAPACITY];
    pov_bytes bytes = {0};
    pov_write_file file;
    POV_TRY(pov_path_join(written, folder, "station.yaml"));
    POV_TRY(pov_read_file(&bytes, written, TEXT_BYTES_MAX, "a station file"));
    const char *text = (const char *)bytes.data, *at = strstr(text, from);
    pov_status status = at ? pov_write_file_begin(&file, to) : pov_error("%s: no '%s'", written, from);
    if (status.code == POV_OK) {
        fprintf(file.stream, "%.*s%s%s", (int)(at - text), text, instead, at + sizeof from - 1);
        status = pov_write_file_end(&file, pov_ok());
    }
    pov_bytes_free(&bytes);
    return status;
}
