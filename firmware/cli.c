#include "firmware/cli.h"

#include "config/files/utf8.h"

#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>

/* A signal handler can reach nothing but a global. */
static volatile sig_atomic_t stop_requested;

int pov_cli_fail(pov_status status)
{
    fputs("pov: ", stderr);
    pov_utf8_print(stderr, status.message);
    fputc('\n', stderr);
    return POV_EXIT_WORLD;
}

int pov_cli_exit(pov_status status)
{
    return status.code == POV_OK ? POV_EXIT_OK : pov_cli_fail(status);
}

/* Sources and logs note it wherever they are read, some on threads of their own. */
static struct {
    pthread_mutex_t lock;
    bool some;
    char first[POV_MESSAGE_CAPACITY];
} damage = {.lock = PTHREAD_MUTEX_INITIALIZER};

void pov_cli_note_damage(const char *message)
{
    pthread_mutex_lock(&damage.lock);
    if (!damage.some)
        snprintf(damage.first, sizeof damage.first, "%s", message);
    damage.some = true;
    pthread_mutex_unlock(&damage.lock);
}

int pov_cli_exit_of_damaged(int code)
{
    if (code != POV_EXIT_OK || !damage.some)
        return code;
    fputs("pov: not all of the input could be read, and the rest was used; first: ", stderr);
    pov_utf8_print(stderr, damage.first);
    fputc('\n', stderr);
    return POV_EXIT_WORLD;
}

/* A recording listens: warnings come from everywhere. */
static struct {
    void (*hear)(void *context, const char *text);
    void *context;
} listener;

void pov_cli_hear_warnings(void (*hear)(void *context, const char *text), void *context)
{
    listener.hear = hear;
    listener.context = context;
}

enum { LINE_CAPACITY = 4096 };

/* Names from files and peers may stand among the arguments. */
static void print_plain(char text[LINE_CAPACITY], const char *format, va_list arguments)
{
    vsnprintf(text, LINE_CAPACITY, format, arguments);
    pov_utf8_print(stderr, text);
}

void pov_cli_warn(const char *format, ...)
{
    char text[LINE_CAPACITY];
    va_list arguments;
    va_start(arguments, format);
    fputs("pov: warning: ", stderr);
    print_plain(text, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    if (listener.hear)
        listener.hear(listener.context, text);
}

int pov_cli_usage(const char *command, const char *format, ...)
{
    char text[LINE_CAPACITY];
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "pov %s: ", command);
    print_plain(text, format, arguments);
    fprintf(stderr, "\nSee 'pov %s --help'.\n", command);
    va_end(arguments);
    return POV_EXIT_USAGE;
}

static void request_stop(int signal_number)
{
    (void)signal_number;
    stop_requested = 1;
}

void pov_cli_ignore_full_files(void)
{
    const struct sigaction action = {.sa_handler = SIG_IGN};
    sigaction(SIGXFSZ, &action, NULL);
}

void pov_cli_catch_signals(void)
{
    struct sigaction action = {.sa_handler = request_stop, .sa_flags = SA_RESETHAND};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    struct sigaction hangup;
    if (sigaction(SIGHUP, NULL, &hangup) == 0 && hangup.sa_handler != SIG_IGN) /* as nohup has it */
        sigaction(SIGHUP, &action, NULL);
    action = (struct sigaction){.sa_handler = SIG_IGN};
    sigaction(SIGPIPE, &action, NULL);
}

bool pov_cli_stop_requested(void)
{
    return stop_requested;
}
