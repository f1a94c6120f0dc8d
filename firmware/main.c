#include "config/yaml_file.h"
#include "firmware/cli.h"
#include "firmware/commands.h"

#include <stdio.h>
#include <string.h>

static const pov_command commands[] = {
    {"demo", "a simulated rotation through the whole pipeline, start to end", pov_command_demo},
    {"run", "run a station: images in, judgments out", pov_command_run},
    {"listen", "print what a running station publishes", pov_command_listen},
    {"judge", "judge a scene typed by hand: every pair, frame and viewer", pov_command_judge},
    {"ask", "answer a question, resolve an instruction, in every frame of reference", pov_command_ask},
    {"convert", "what a relation said in one perspective is in another", pov_command_convert},
    {"template", "fit a spatial template to people's ratings", pov_command_template},
    {"relations", "list the relations that can be judged, or explain one", pov_command_relations},
    {"questions", "the papers' questions for a model, each with what is right in every frame",
     pov_command_questions},
    {"sweep", "one rotation: turn, shoot, judge, ask a model, score", pov_command_sweep},
    {"compare", "ask what is pending of a sweep, print its scores, export it", pov_command_compare},
    {"score", "score a model's answers as the papers do", pov_command_score},
    {"report", "a comparison as a page: tables, plots, the worst disagreements", pov_command_report},
    {"tags", "print-ready tags and boards, with their map", pov_command_tags},
    {"calib", "measure a camera, from images of a printed board", pov_command_calib},
    {"turntable", "home and turn a stepper turntable, or simulate one", pov_command_turntable},
    {"enrol", "learn how an object looks from all around, from views of it", pov_command_enrol},
    {"model", "ONNX detectors: check, try, and seal them", pov_command_model},
    {"sim", "images and truth of a simulated world", pov_command_sim},
    {"vlm", "ask vision-language models for a device, or check a server", pov_command_vlm},
    {"vlm-sim", "a simulated vision-language model behind a server, for tests", pov_command_vlm_sim},
    {"cameras", "list the cameras of this machine", pov_command_cameras},
    {"doctor", "say what is missing on this machine, and how to mend it", pov_command_doctor},
};
enum { COMMANDS = sizeof commands / sizeof *commands };

static void print_help(FILE *stream)
{
    fputs(
        "pov: perspective taking for robots with real cameras\n\nUsage: pov COMMAND [OPTIONS]\n\nCommands:\n",
        stream);
    for (int i = 0; i < COMMANDS; i++)
        fprintf(stream, "  %-9s %s\n", commands[i].name, commands[i].summary);
    fputs("\n'pov COMMAND --help' tells more, with examples. 'pov --version' prints the version.\n"
          "Exit codes: 0 done, 1 something in the world is not as it should be, 2 wrong usage.\n",
          stream);
}

static int unknown(const char *word)
{
    const char *names[COMMANDS];
    for (int i = 0; i < COMMANDS; i++)
        names[i] = commands[i].name;
    const char *nearest = pov_nearest_name(word, names, COMMANDS);
    fprintf(stderr, "pov: there is no command '%s'%s%s%s ('pov --help' lists them)\n", word,
            nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
    return POV_EXIT_USAGE;
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        print_help(stderr);
        return POV_EXIT_USAGE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "help") == 0) {
        print_help(stdout);
        return POV_EXIT_OK;
    }
    if (strcmp(argv[1], "--version") == 0) {
        puts("pov " POV_VERSION);
        return POV_EXIT_OK;
    }
    for (int i = 0; i < COMMANDS; i++)
        if (strcmp(argv[1], commands[i].name) == 0)
            return commands[i].run(argc - 1, argv + 1);
    return unknown(argv[1]);
}
