#include "firmware/commands.h"

#include "config/scene_file.h"
#include "firmware/judge/judge_answer.h"

#include <stdio.h>

typedef struct {
    bool json;
} ask_options;

static int run(int argc, char **argv);

static const pov_option option_table[] = {
    POV_FLAG(ask_options, json, "json", "one JSON object"),
    POV_OPTIONS_END,
};

const pov_command pov_command_ask = {
    .name = "ask",
    .summary = "answer a question, resolve an instruction, in every frame of reference",
    .run = run,
    .usage = "SCENE.yaml \"QUESTION\" [--json]",
    .about =
        "Answers a question, or resolves an instruction, in every frame of reference that the scene has: "
        "which thing each frame picks, how surely, and who can see it. docs/SCENE.md tells how a scene is "
        "written.\n"
        "\n"
        "Forms (| between alternatives, [what may be left out]):",
    .words = {.min = 2,
              .max = 2,
              .wanted =
                  "expected a scene and one question in quotes: pov ask kitchen.yaml \"hand me the cup to "
                  "the left of the car\"",
              .forms = pov_request_form},
    .options = option_table,
    .notes = "  THING      an id of the scene, or a class that only one thing has, with or\n"
             "             without \"the\"\n"
             "  VIEWER     such a thing; addressee, I, me, my: the only addressee; you,\n"
             "             your, robot: the camera\n"
             "  NOUN       an id or a class, one or several: cup, cups; or one, thing, object\n"
             "  RELATION   any name or phrase of 'pov relations': left of, to the left of,\n"
             "             next to, between\n"
             "  RELATA     a THING or VIEWER; or several: the car and the box\n"
             "  WHOSE SIDE my left, your right, anna's left side: by one's own front\n"
             "  VIEWPOINT  from VIEWER, from its own side, intrinsically; translated,\n"
             "             rotated, reflected (the default); by heading, by sight line (the\n"
             "             default); left out: every frame of reference",
    .examples = "pov ask kitchen.yaml \"hand me the cup to the left of the car\"\n"
                "pov ask kitchen.yaml \"which cup is behind the plate from anna?\"\n"
                "pov ask kitchen.yaml \"is the ball hidden from anna?\" --json\n"
                "pov ask kitchen.yaml \"what hides the ball from anna?\"\n"
                "pov ask kitchen.yaml \"where is the ball for anna?\"\n"
                "pov ask kitchen.yaml \"what does anna see from left to right?\"",
    .exits = "0 answered, whatever the answer; 1 the scene is wrong",
};

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

static int run(int argc, char **argv)
{
    ask_options options = {false};
    pov_words words;
    const int code = pov_command_read(&options, &words, &pov_command_ask, argc, argv);
    return code == POV_GO_ON ? answer(words.word[0], words.word[1], options.json) : code;
}
