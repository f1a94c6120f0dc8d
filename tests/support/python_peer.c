#include "tests/support/python_peer.h"

#include "perception/status.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define PYTHON "/usr/bin/python3" /* Debian's, which sees Debian's packages */

struct test_python_peer {
    pid_t process;
    FILE *commands, *answers;
};

static bool python_has_numpy(void)
{
    return system(PYTHON " -c 'import numpy, scipy.special' >/dev/null 2>&1") == 0;
}

static void start(test_python_peer *peer, const char *script_name, const char *argument)
{
    char script[4096];
    const char *root = getenv("POV_SOURCE");
    int to[2], from[2];
    snprintf(script, sizeof script, "%s/tests/bench/%s", root ? root : ".", script_name);
    POV_REQUIRE(pipe(to) == 0 && pipe(from) == 0);
    peer->process = fork();
    POV_REQUIRE(peer->process >= 0);
    if (peer->process == 0) {
        dup2(to[0], 0);
        dup2(from[1], 1);
        close(to[1]);
        close(from[0]);
        setenv("OPENBLAS_NUM_THREADS", "1", 1); /* a core against a core */
        execl(PYTHON, PYTHON, script, argument, (char *)NULL);
        _exit(127);
    }
    close(to[0]);
    close(from[1]);
    peer->commands = fdopen(to[1], "w");
    peer->answers = fdopen(from[0], "r");
}

test_python_peer *test_python_peer_new(const char *script, const char *argument)
{
    if (!python_has_numpy())
        return NULL;
    test_python_peer *peer = calloc(1, sizeof *peer);
    POV_REQUIRE(peer);
    start(peer, script, argument);
    return peer;
}

void test_python_peer_destroy(test_python_peer **peer)
{
    if (!*peer)
        return;
    fclose((*peer)->commands);
    fclose((*peer)->answers);
    waitpid((*peer)->process, NULL, 0);
    free(*peer);
    *peer = NULL;
}

void test_python_peer_ask(test_python_peer *peer, const char *command)
{
    char answer[16] = "";
    fprintf(peer->commands, "%s\n", command);
    fflush(peer->commands);
    POV_REQUIRE(fgets(answer, sizeof answer, peer->answers) && strcmp(answer, "done\n") == 0);
}
