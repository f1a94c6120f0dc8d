#include "firmware/cli.h"
#include "firmware/commands.h"
#include "firmware/descriptors.h"
#include "perception/version.h"

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const pov_command *const commands[] = {
#ifdef POV_WITH_SIM
    &pov_command_demo,
#endif
    &pov_command_init,
    &pov_command_run,
    &pov_command_listen,
    &pov_command_replay,
    &pov_command_info,
    &pov_command_diff,
    &pov_command_export,
    &pov_command_cut,
    &pov_command_judge,
    &pov_command_ask,
    &pov_command_convert,
    &pov_command_template,
    &pov_command_relations,
    &pov_command_questions,
    &pov_command_sweep,
    &pov_command_compare,
    &pov_command_import,
    &pov_command_merge,
    &pov_command_score,
    &pov_command_report,
    &pov_command_card,
    &pov_command_tags,
    &pov_command_calib,
    &pov_command_turntable,
    &pov_command_enrol,
    &pov_command_model,
#ifdef POV_WITH_SIM
    &pov_command_sim,
#endif
    &pov_command_vlm,
#ifdef POV_WITH_SIM
    &pov_command_vlm_sim,
#endif
    &pov_command_study,
    &pov_command_experiment,
    &pov_command_keys,
    &pov_command_cameras,
    &pov_command_doctor,
    NULL,
};

static const pov_command pov = {
    .name = "",
    .usage = "COMMAND [OPTIONS]",
    .about = "Perspective taking for robots with real cameras: where is it, for whom?",
    .parts = commands,
    .notes = "'pov STATION.yaml' is 'pov run STATION.yaml'. 'pov --version' prints the version.",
    .exits = "0 done; 1 a file, device or connection failed, or not all of an input could be read",
};

/* pov --complete CURRENT WORD...: for install/completion.* */
static int complete_words(int argc, char **argv)
{
    const pov_words words = {.len = argc - 3, .word = argv + 3};
    pov_command_complete(stdout, &pov, argv[2], &words);
    return POV_EXIT_OK;
}

static bool has_reader_gone(void)
{
    struct pollfd output = {.fd = STDOUT_FILENO, .events = POLLOUT};
    return poll(&output, 1, 0) > 0 && output.revents & POLLERR;
}

/* All that was printed must have arrived. A reader that has gone (`| head -1`) is told nothing. */
static int close_output(int code)
{
    errno = 0;
    const bool failed = fflush(stdout) != 0 || ferror(stdout);
    if (!failed || code != POV_EXIT_OK)
        return code;
    if (errno == EPIPE || has_reader_gone())
        return POV_EXIT_OK;
    fprintf(stderr, "pov: standard output: not all could be written%s%s\n", errno ? ": " : "",
            errno ? strerror(errno) : "");
    return POV_EXIT_WORLD;
}

static bool names_a_station(const char *word)
{
    const size_t len = strlen(word);
    return len > 5 && strcmp(word + len - 5, ".yaml") == 0;
}

static int run_command(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "--version") == 0) {
        puts("pov " POV_VERSION);
        return POV_EXIT_OK;
    }
    if (argc > 2 && strcmp(argv[1], "--complete") == 0)
        return complete_words(argc, argv);
    if (argc == 2 && strcmp(argv[1], "help") == 0) {
        pov_command_print_help(stdout, &pov, NULL);
        return POV_EXIT_OK;
    }
    if (argc > 1 && names_a_station(argv[1]))
        return pov_command_run.run(argc, argv);
    return pov_command_run_or_part(&pov, argc, argv);
}

int main(int argc, char **argv)
{
    pov_descriptors_fill();
    const pov_status status = pov_descriptors_raise();
    if (status.code != POV_OK)
        return pov_cli_fail(status);
    pov_cli_ignore_full_files();
    return close_output(pov_cli_exit_of_damaged(run_command(argc, argv)));
}
