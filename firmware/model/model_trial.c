#include "firmware/model/model_trial.h"

#include "config/models/model_file.h"
#include "firmware/cli.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* Chosen: many times what a network that a board can run needs. */
enum { SECONDS_MAX = 60, GIGABYTES_MAX = 8 };
enum { TOO_LARGE = 3 }; /* exit code of a trial */

void pov_model_trial_bound(void)
{
    const struct rlimit seconds = {SECONDS_MAX, SECONDS_MAX}, core = {0, 0};
    (void)setrlimit(RLIMIT_CPU, &seconds);
    (void)setrlimit(RLIMIT_CORE, &core);
#ifndef POV_SANITIZED /* its shadow memory takes terabytes of addresses */
    const struct rlimit memory = {(rlim_t)GIGABYTES_MAX << 30, (rlim_t)GIGABYTES_MAX << 30};
    (void)setrlimit(RLIMIT_AS, &memory);
#endif
}

/* Messages of libraries whose process has no more memory: "std::bad_alloc", "Failed to allocate 17179869184 bytes". */
int pov_model_trial_end(pov_status tried)
{
    return tried.code != POV_OK && strcasestr(tried.message, "alloc") ? TOO_LARGE : 0;
}

static void become_trial(const char *path, pov_backend backend)
{
    const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (nowhere >= 0 && dup2(nowhere, STDOUT_FILENO) >= 0 && dup2(nowhere, STDERR_FILENO) >= 0)
        execl("/proc/self/exe", "pov", "model", "check", "--trial", "--backend", pov_backend_name(backend),
              path, (char *)NULL);
    _exit(1);
}

/* The library that will run it: the contract may name one. Read for messages only. */
static const char *library_of(const char *path, pov_engine engine)
{
    pov_model_file *file = malloc(sizeof *file);
    if (file && pov_model_file_read(file, path).code == POV_OK)
        engine = pov_engine_merge(file->contract.engine, engine);
    free(file);
    return pov_engine_library(engine);
}

pov_status pov_model_try(const char *path, pov_engine engine)
{
    int how = 0;
    const pid_t child = fork();
    if (child < 0)
        return pov_error("%s: no process to try it in: %s", path, strerror(errno));
    if (child == 0)
        become_trial(path, engine.backend);
    while (waitpid(child, &how, 0) < 0 && errno == EINTR)
        continue;
    if (WIFEXITED(how) && WEXITSTATUS(how) == 0)
        return pov_ok();
    if (WIFEXITED(how) && WEXITSTATUS(how) == TOO_LARGE)
        return pov_error("%s: was refused: loading and running it once took more than %d GiB of memory", path,
                         GIGABYTES_MAX);
    const int number = WIFSIGNALED(how) ? WTERMSIG(how) : 0;
    if (number == SIGXCPU || number == SIGKILL)
        return pov_error("%s: was refused: loading and running it once took more than %d s of processor time",
                         path, SECONDS_MAX);
    return pov_error(
        "%s: was refused: %s crashed when it loaded or ran it%s%s; the file is damaged, or made to harm",
        path, library_of(path, engine), number ? ", by " : "", number ? strsignal(number) : "");
}

void pov_model_tell_engine(const pov_detector *detector, const char *contract_path)
{
    const pov_engine_report *report = pov_detector_engine(detector);
    if (*report->instead_of)
        pov_cli_warn("%s: runs on %s; %s", contract_path, report->on, report->instead_of);
    else if (report->engine.backend != POV_BACKEND_OPENCV)
        fprintf(stderr, "%s: runs on %s\n", contract_path, report->on);
}

pov_status pov_model_open_tried(pov_detector **detector, const char *contract_path, pov_engine engine)
{
    *detector = NULL;
    POV_TRY(pov_model_try(contract_path, engine));
    return pov_model_open(detector, contract_path, engine);
}
