#include "firmware/model/model_trial.h"

#include "config/models/model_file.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* Chosen: many times what a network that a board can run needs. */
enum { SECONDS_MAX = 60, GIGABYTES_MAX = 8 };

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

static void become_trial(const char *path)
{
    const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (nowhere >= 0 && dup2(nowhere, STDOUT_FILENO) >= 0 && dup2(nowhere, STDERR_FILENO) >= 0)
        execl("/proc/self/exe", "pov", "model", "check", "--trial", path, (char *)NULL);
    _exit(1);
}

pov_status pov_model_try(const char *path)
{
    int how = 0;
    const pid_t child = fork();
    if (child < 0)
        return pov_error("%s: no process to try it in: %s", path, strerror(errno));
    if (child == 0)
        become_trial(path);
    while (waitpid(child, &how, 0) < 0 && errno == EINTR)
        continue;
    if (WIFEXITED(how) && WEXITSTATUS(how) == 0)
        return pov_ok();
    const int number = WIFSIGNALED(how) ? WTERMSIG(how) : 0;
    if (number == SIGXCPU || number == SIGKILL)
        return pov_error("%s: was refused: loading and running it once took more than %d s of processor time",
                         path, SECONDS_MAX);
    return pov_error(
        "%s: was refused: OpenCV crashed when it loaded or ran it%s%s; the file is damaged, or made to harm",
        path, number ? ", by " : "", number ? strsignal(number) : "");
}

pov_status pov_model_open_tried(pov_detector **detector, const char *contract_path)
{
    *detector = NULL;
    POV_TRY(pov_model_try(contract_path));
    return pov_model_open(detector, contract_path);
}
