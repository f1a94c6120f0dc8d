#include "firmware/study/study_voice.h"

#include "config/files/utf8.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* ---- lines ---- */

/* What a terminal leaves of a line: programs write interim results over one another, behind a carriage return or ESC [ 2 K. */
static void keep_what_shows(char *line)
{
    char *to = line;
    for (const char *c = line; *c != '\0';) {
        if (*c == '\r') {
            to = line;
            c++;
        } else if (c[0] == '\033' && c[1] == '[') {
            const size_t length = 2 + strspn(c + 2, "0123456789;?");
            to = c[length] == 'K' ? line : to;
            c += length + (c[length] != '\0');
        } else if (*c == ' ' && to == line)
            c++;
        else
            *to++ = *c++;
    }
    *to = '\0';
}

static bool cut_line(pov_lines *lines, char line[POV_LINE_CAPACITY])
{
    const char *end = memchr(lines->bytes, '\n', lines->len);
    const bool full = lines->len >= sizeof lines->bytes - 1;
    if (!end && !full && !(lines->ended && lines->len > 0))
        return false;
    const size_t length = end ? (size_t)(end - lines->bytes) : lines->len;
    char raw[POV_LINE_CAPACITY];
    memcpy(raw, lines->bytes, length);
    raw[length] = '\0';
    if (length > 0 && raw[length - 1] == '\r')
        raw[length - 1] = '\0';
    keep_what_shows(raw);
    pov_utf8_copy(line, POV_LINE_CAPACITY, raw);
    lines->len -= length + (end ? 1 : 0);
    memmove(lines->bytes, lines->bytes + length + (end ? 1 : 0), lines->len);
    return true;
}

bool pov_lines_take(pov_lines *lines, char line[POV_LINE_CAPACITY], int timeout_ms)
{
    if (lines->fd < 0)
        return false;
    if (cut_line(lines, line))
        return true;
    struct pollfd ready = {.fd = lines->fd, .events = POLLIN};
    if (lines->ended || poll(&ready, 1, timeout_ms) <= 0)
        return false;
    const ssize_t got = read(lines->fd, lines->bytes + lines->len, sizeof lines->bytes - 1 - lines->len);
    if (got > 0)
        lines->len += (size_t)got;
    lines->ended = got == 0 || (got < 0 && errno != EINTR && errno != EAGAIN);
    return cut_line(lines, line);
}

/* ---- programs ---- */

/* `theirs`: 0 or 1, the end that the program takes as its own. */
static pov_status start_program(pid_t *pid, int *fd, const char *command, int theirs)
{
    int ends[2];
    sigset_t usual;
    char words[POV_LINE_CAPACITY];
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    char shell[] = "sh", option[] = "-c", *const argv[] = {shell, option, words, NULL};
    snprintf(words, sizeof words, "%s", command);
    if (pipe2(ends, O_CLOEXEC) != 0)
        return pov_error("no pipe for '%s': %s", command, strerror(errno));
    sigemptyset(&usual);
    sigaddset(&usual, SIGPIPE);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[theirs], theirs);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigdefault(&attributes, &usual);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
    const int code = posix_spawn(pid, "/bin/sh", &actions, &attributes, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    close(ends[theirs]);
    *fd = ends[1 - theirs];
    if (code == 0)
        return pov_ok();
    close(*fd);
    *fd = -1;
    *pid = 0;
    return pov_error("'%s' cannot be started: %s", command, strerror(code));
}

static pov_status start_saying(pov_voice *voice)
{
    voice->has_spoken = false;
    if (!*voice->say)
        return pov_ok();
    POV_TRY(start_program(&voice->pids[1], &voice->say_fd, voice->say, 0));
    fcntl(voice->say_fd, F_SETFL, O_NONBLOCK);
    return pov_ok();
}

pov_status pov_voice_begin(pov_voice *voice, const char *listen, const char *say)
{
    *voice = (pov_voice){.say_fd = -1, .say = say, .heard = {.fd = -1}};
    if (*listen)
        POV_TRY(start_program(&voice->pids[0], &voice->heard.fd, listen, 1));
    return start_saying(voice);
}

static void end_program(pid_t pid, int patience_ms)
{
    enum { SLICE_MS = 20 }; /* chosen */
    if (pid <= 0)
        return;
    for (int i = 0; i < patience_ms / SLICE_MS; i++) {
        if (waitpid(pid, NULL, WNOHANG) == pid)
            return;
        nanosleep(&(struct timespec){.tv_nsec = SLICE_MS * 1000000}, NULL);
    }
    kill(-pid, SIGKILL);
    waitpid(pid, NULL, 0);
}

/* At the end it may finish its sentence. Chosen. */
static const int finish_ms = 10000, hush_ms = 200;

pov_status pov_voice_hush(pov_voice *voice)
{
    if (voice->say_fd < 0 || !voice->has_spoken)
        return pov_ok();
    close(voice->say_fd);
    voice->say_fd = -1;
    kill(-voice->pids[1], SIGTERM); /* the shell, and what it started */
    end_program(voice->pids[1], hush_ms);
    voice->pids[1] = 0;
    return start_saying(voice);
}

void pov_voice_end(pov_voice *voice)
{
    if (voice->say_fd >= 0)
        close(voice->say_fd);
    if (voice->heard.fd >= 0)
        close(voice->heard.fd);
    if (voice->pids[0] > 0)
        kill(-voice->pids[0], SIGTERM);
    for (int i = 0; i < 2; i++)
        end_program(voice->pids[i], finish_ms);
    *voice = (pov_voice){.say_fd = -1, .heard = {.fd = -1}};
}

pov_status pov_voice_say(pov_voice *voice, const char *text)
{
    char line[POV_LINE_CAPACITY];
    if (voice->say_fd < 0 || !*text)
        return pov_ok();
    int length = snprintf(line, sizeof line, "%s", text);
    if (length >= (int)sizeof line - 1)
        length = (int)sizeof line - 2;
    for (int i = 0; i < length; i++)
        if (line[i] == '\n')
            line[i] = ' ';
    line[length] = '\n';
    voice->has_spoken = true;
    return write(voice->say_fd, line, (size_t)length + 1) == length + 1
               ? pov_ok()
               : pov_error("say: the program does not read any more (%s); restart to speak again",
                           strerror(errno));
}
