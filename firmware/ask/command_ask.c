#include "firmware/cli.h"
#include "firmware/commands.h"

#include "config/scene_file.h"
#include "firmware/judge/judge_answer.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>

static const char help_head[] =
    "Usage: pov ask SCENE.yaml \"QUESTION\" [--json]\n"
    "\n"
    "Answers a question, or resolves an instruction, in every frame of reference that the scene has:\n"
    "which thing each frame picks, how surely, and who can see it. docs/SCENE.md tells how a scene is\n"
    "written.\n"
    "\n"
    "Forms (| between alternatives, [what may be left out]):\n";

static const char help_tail[] =
    "\n"
    "  THING      an id of the scene, or a class that only one thing has, with or without \"the\"\n"
    "  VIEWER     such a thing; addressee, I, me, my: the only addressee; you, your, robot: the camera\n"
    "  NOUN       an id or a class, one or several: cup, cups; or one, thing, object\n"
    "  RELATION   any name or phrase of 'pov relations': left of, to the left of, next to, between\n"
    "  RELATA     a THING or VIEWER; or several: the car and the box\n"
    "  WHOSE SIDE my left, your right, anna's left side: by one's own front\n"
    "  VIEWPOINT  from VIEWER, from its own side, intrinsically; translated, rotated, reflected (the\n"
    "             default); by heading, by sight line (the default); left out: every frame of reference\n"
    "\n"
    "  --json     one JSON object\n"
    "  --help     this text\n"
    "\n"
    "Examples:\n"
    "  pov ask kitchen.yaml \"hand me the cup to the left of the car\"\n"
    "  pov ask kitchen.yaml \"which cup is behind the plate from anna?\"\n"
    "  pov ask kitchen.yaml \"is the ball hidden from anna?\" --json\n"
    "  pov ask kitchen.yaml \"what hides the ball from anna?\"\n"
    "  pov ask kitchen.yaml \"where is the ball for anna?\"\n"
    "  pov ask kitchen.yaml \"what does anna see from left to right?\"\n"
    "Exit codes: 0 answered, whatever the answer; 1 the scene is wrong; 2 the question or an option is.\n";

/* Broken between words where a line would be too long. */
static void print_form(const char *form)
{
    int column = printf(" ");
    while (*form != '\0') {
        int length = (int)strcspn(form, " ");
        if (column + 1 + length > 100)
            column = printf("\n     ") - 1;
        column += printf(" %.*s", length, form);
        form += length + (form[length] == ' ');
    }
    putchar('\n');
}

static void print_help(void)
{
    fputs(help_head, stdout);
    for (int i = 0; pov_request_form(i); i++)
        print_form(pov_request_form(i));
    fputs(help_tail, stdout);
}

static int answer(const char *path, const char *text, bool json)
{
    pov_scene scene;
    pov_request question;
    const pov_judging judging = POV_JUDGING_DEFAULT;
    pov_status status = pov_scene_file_read(&scene, path);
    if (status.code != POV_OK)
        return pov_cli_fail(status);
    status = pov_request_parse(&question, &scene, text);
    if (status.code != POV_OK)
        return pov_cli_usage("ask", "%s", status.message);
    pov_answering answering = {.stream = stdout, .scene = &scene, .judging = &judging, .json = json};
    status = pov_answering_tell(&answering, &question);
    return status.code == POV_OK ? POV_EXIT_OK : pov_cli_fail(status);
}

int pov_command_ask(int argc, char **argv)
{
    static const struct option options[] = {
        {"json", no_argument, NULL, 'j'}, {"help", no_argument, NULL, 'h'}, {NULL, 0, NULL, 0}};
    bool json = false;
    opterr = 0;
    for (int option; (option = getopt_long(argc, argv, "h", options, NULL)) != -1;) {
        if (option == 'h') {
            print_help();
            return POV_EXIT_OK;
        }
        if (option != 'j')
            return pov_cli_usage(argv[0], "unknown option \"%s\"", argv[optind - 1]);
        json = true;
    }
    if (argc - optind != 2)
        return pov_cli_usage(argv[0],
                             "expected a scene and one question in quotes: pov ask kitchen.yaml \"hand me "
                             "the cup to the left of the car\"");
    return answer(argv[optind], argv[optind + 1], json);
}
