#include "firmware/commands.h"

#include "ask/talk/talk.h"
#include "config/files/json_value.h"
#include "config/scene/template_file.h"
#include "draw/scene_svg.h"
#include "firmware/ask/scene_source.h"
#include "firmware/recording/moment.h"

#include <cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct {
    bool json;
    const char *image, *draw, *regions_path, *ask;
    double timeout_s, at_s;
    int acceptance;
    pov_judging judging;
    pov_door_client client;
} ask_options;

static int run(int argc, char **argv);

POV_NAMES_OF(acceptance_names, pov_acceptance, POV_ACCEPTANCE_COUNT, pov_acceptance_name)

static const pov_option option_table[] = {
    POV_FLAG(ask_options, json, "json", "one JSON object, on a line of its own"),
    POV_TEXT(ask_options, image, "image", "NAME",
             "of a recording or .jsonl file: the image of that name, not the last"),
    POV_TAKEN(ask_options, at_s, "at", "[HH:]MM:SS", pov_moment_take,
              "of a recording or .jsonl file: the image at that time after the first", .without = "image"),
    POV_PATH(ask_options, draw, "draw", "OUT.svg",
             "draw the scene from above, and where the relation that was asked for holds, or where a thing "
             "is to be put"),
    POV_NUMBER(ask_options, judging.abstain_margin, "abstain", "MARGIN", 0, 0.499999,
               "abstain where P is within this of 0.5"),
    POV_CHOICE(ask_options, acceptance, "acceptance", "NAME", acceptance_names,
               "how a direction's probability falls off with the angle"),
    POV_PATH(ask_options, regions_path, "template", "FILE",
             "the regions of --acceptance template, as 'pov template fit' writes them"),
    POV_NUMBER(ask_options, timeout_s, "timeout", "S", 0.001, INFINITY, "how long a station may be silent"),
    POV_TEXT(ask_options, ask, "ask", "ENDPOINT",
             "of a station: where it answers questions (its key ask); the port after its publisher's unless "
             "given"),
    POV_DOOR_CLIENT_OPTIONS(ask_options, client),
    POV_OPTIONS_END,
};

const pov_command pov_command_ask = {
    .name = "ask",
    .summary = "answer a question, resolve an instruction, in every frame of reference",
    .run = run,
    .usage = "SCENE \"QUESTION\"|- [OPTIONS]",
    .about =
        "Answers a question, or resolves an instruction, in every frame of reference that the scene has: "
        "the thing that each frame picks, the probability, and the viewers who can see it.\n"
        "\n"
        "SCENE is a scene typed by hand (docs/SCENE.md), what 'pov run --json' printed (a .jsonl file: its "
        "last "
        "image), a recording (.mcap: its last image; \"when could anna see the ball?\" is answered from "
        "all), or a "
        "station that runs: tcp://robot:5570, the newest image when the question is put; the station answers "
        "itself where its "
        "key ask names an endpoint that can be reached. A dash "
        "for "
        "the question asks those of standard input, one a line; at a terminal it prompts.\n"
        "\n"
        "Questions and instructions (| between alternatives, [optional parts]). A viewpoint may stand before "
        "or "
        "behind "
        "each: from "
        "anna's perspective, as seen from anna, for anna, in anna's eyes, according to the camera, if I were "
        "anna.",
    .words = {.min = 2,
              .max = 2,
              .wanted =
                  "expected a scene and one question in quotes: pov ask kitchen.yaml \"hand me the cup to "
                  "the left of the car\"",
              .forms = pov_talk_help},
    .options = option_table,
    .notes = "  THING      an id of the scene, or a class that only one thing has, with or\n"
             "             without \"the\"; the red one: the only thing whose id begins so\n"
             "  VIEWER     such a thing; addressee, I, me, my: the only addressee; you,\n"
             "             your, robot: the camera; he, she, her: the person named before\n"
             "  OTHER      a THING or VIEWER; RELATUM, WHOSE too\n"
             "  NOUN       an id or a class, one or several: cup, cups; or one, thing, object,\n"
             "             anything (no people), person, people, anybody\n"
             "  ANY        any NOUN; anything, anybody\n"
             "  RELATION   any name or phrase of 'pov relations': left of, to the left of,\n"
             "             next to, between; DIRECTION: one of those with a direction\n"
             "  RELATA     a THING or VIEWER; or several: the car and the box\n"
             "  WHOSE SIDE my left, your right, anna's left side: by one's own front\n"
             "  EXTREME    nearest, farthest, leftmost, second from the right, biggest,\n"
             "             tallest, highest, ...\n"
             "  VIEWPOINT  from VIEWER, from its own side, intrinsically; translated,\n"
             "             rotated, reflected (the default); by heading, by sight line (the\n"
             "             default); left out: every frame of reference\n"
             "Around these, politeness, commas and contractions do not matter. Anything else\n"
             "is refused, never guessed.",
    .examples = "pov ask kitchen.yaml \"hand me the cup to the left of the car\"\n"
                "pov ask kitchen.yaml \"From anna's view, where's the ball relative to the car?\"\n"
                "pov ask kitchen.yaml \"is the ball hidden from anna?\" --json\n"
                "pov ask kitchen.yaml \"which cup is nearest to anna?\"\n"
                "pov ask kitchen.yaml \"how many cups can anna see?\"\n"
                "pov ask kitchen.yaml \"what does anna see from left to right?\"\n"
                "pov ask kitchen.yaml \"ball left-of car from camera\" --draw kitchen.svg\n"
                "pov ask kitchen.yaml \"put the ball behind the car\" --draw goal.svg\n"
                "pov ask judgments.jsonl \"how far is the ball from the car?\" --image 000003.png\n"
                "pov ask monday.mcap \"when could anna see the ball?\"\n"
                "pov ask monday.mcap \"give me the leftmost cup\" --at 00:41\n"
                "pov ask tcp://robot:5570 -",
    .exits = "0 answered, whatever the answer; 1 the scene is wrong, a station silent; 2 a question not "
             "understood",
};

/* Shared by all questions of one call. */
typedef struct {
    pov_scene_source *source;
    pov_scene_source_config config;
    pov_requester *station;                /* it answers itself; NULL: this program does */
    char endpoint[256];                    /* where */
    bool forgets, has_answered, is_silent; /* is_silent: it did not answer, which was not said yet */
    pov_talk *talk;
    const ask_options *options;
    bool is_prompting;
} asking;

static void print_json(const pov_talk_reply *reply)
{
    char *line = cJSON_PrintUnformatted(reply->json);
    printf("%s\n", line ? line : "{}");
    cJSON_free(line);
}

/* -------- a station that answers itself -------- */

/* tcp://robot:5571 of tcp://robot:5570, the usual place; "": there is none. */
static void find_endpoint(char endpoint[256], const char *where, const char *named)
{
    const char *colon = strrchr(where, ':');
    char *end;
    const long port = colon ? strtol(colon + 1, &end, 10) : 0;
    endpoint[0] = '\0';
    if (named)
        snprintf(endpoint, 256, "%s", named);
    else if (strncmp(where, "tcp://", 6) == 0 && colon > where + 5 && port > 0 && port < 65535 &&
             *end == '\0')
        snprintf(endpoint, 256, "%.*s:%ld", (int)(colon - where), where, port + 1);
}

static int print_reply(const ask_options *options, const char *line)
{
    cJSON *reply = pov_json_parse_text(line);
    const char *say = cJSON_GetStringValue(cJSON_GetObjectItem(reply, "say")),
               *outcome = cJSON_GetStringValue(cJSON_GetObjectItem(reply, "outcome"));
    int code = POV_EXIT_OK;
    if (!say || !outcome)
        code = pov_cli_fail(pov_error("what came is not a reply: %.80s", line));
    else if (strcmp(outcome, pov_outcome_name(POV_REFUSED)) == 0)
        code = pov_cli_usage("ask", "%s", say);
    if (code != POV_EXIT_WORLD && options->json)
        printf("%s\n", line);
    else if (code == POV_EXIT_OK)
        printf("%s\n", say);
    cJSON_Delete(reply);
    return code;
}

/* POV_GO_ON: it is silent; from now on the question is answered here. */
static int ask_station(asking *a, const char *text)
{
    const int first_ms = 3000, later_ms = 5000; /* chosen: a busy station, which answers others too */
    const char *line = NULL;
    cJSON *request = cJSON_CreateObject();
    cJSON_AddStringToObject(request, "utterance", text);
    if (a->forgets)
        cJSON_AddTrueToObject(request, "forget");
    char *wire = cJSON_PrintUnformatted(request);
    const pov_status status =
        wire ? pov_requester_ask(a->station, &line, wire, a->has_answered ? later_ms : first_ms)
             : pov_error("out of memory");
    cJSON_free(wire);
    cJSON_Delete(request);
    if (status.code == POV_TIMEOUT && a->has_answered)
        return pov_cli_fail(pov_error("%s no longer answers; does the station run?", a->endpoint));
    if (status.code != POV_OK && status.code != POV_TIMEOUT)
        return pov_cli_fail(status);
    if (!a->has_answered && status.code == POV_OK)
        fprintf(stderr, "pov ask: the station answers, at %s\n", a->endpoint);
    a->has_answered = status.code == POV_OK;
    a->forgets = false;
    if (a->has_answered)
        return print_reply(a->options, line);
    pov_requester_destroy(&a->station);
    a->is_silent = true;
    const pov_status opened = pov_scene_source_new(&a->source, &a->config);
    return opened.code == POV_OK ? POV_GO_ON : pov_cli_fail(opened);
}

/* -------- one question -------- */

static int answer_question(asking *a, const char *text)
{
    if (a->station) {
        POV_OR_EXIT(ask_station(a, text));
    }
    pov_talk_about about;
    pov_talk_reply reply;
    const ask_options *options = a->options;
    pov_status status = pov_scene_source_next(a->source, &about);
    if (status.code != POV_OK)
        return status.code == POV_END ? POV_EXIT_OK : pov_cli_fail(status);
    if (a->is_silent)
        fprintf(stderr, "pov ask: nobody answers at %s; judged here, from what is published\n", a->endpoint);
    a->is_silent = false;
    about.judging = &options->judging;
    status = pov_talk_hear(a->talk, &reply, &about, text);
    if (status.code != POV_OK)
        return pov_cli_fail(status);
    if (options->json)
        print_json(&reply);
    else if (reply.outcome != POV_REFUSED)
        printf("%s\n%s", pov_text_of(&reply.say), reply.details ? reply.details : "");
    if (options->draw) {
        if (isnan(reply.shown.theta_rad) && !reply.has_goal)
            pov_cli_warn("%s: shows no region: what was asked for has none", options->draw);
        const pov_scene_svg_goal goal = {
            reply.goal_object, {reply.goal_m.x, reply.goal_m.y}, reply.goal_corner_len, reply.goal_corners_m};
        status = pov_scene_svg_write(options->draw, about.scene,
                                     isnan(reply.shown.theta_rad) ? NULL : &reply.shown,
                                     reply.has_goal ? &goal : NULL);
    }
    bool refused = reply.outcome == POV_REFUSED;
    if (refused)
        (void)pov_cli_usage("ask", "%s", pov_text_of(&reply.say));
    pov_talk_reply_clear(&reply);
    return status.code != POV_OK ? pov_cli_fail(status) : refused ? POV_EXIT_USAGE : POV_EXIT_OK;
}

/* -------- many questions -------- */

static bool read_question(char **line, size_t *capacity, const asking *a)
{
    if (a->is_prompting) {
        fputs("? ", stdout);
        fflush(stdout);
    }
    ssize_t length = getline(line, capacity, stdin);
    if (length > 0 && (*line)[length - 1] == '\n')
        (*line)[length - 1] = '\0';
    else if (length < 0 && a->is_prompting)
        putchar('\n'); /* Ctrl-D leaves the shell's prompt behind ours */
    return length > 0 && !pov_cli_stop_requested();
}

static int answer_all(asking *a)
{
    char *line = NULL;
    size_t capacity = 0;
    int worst = POV_EXIT_OK;
    while (worst != POV_EXIT_WORLD && read_question(&line, &capacity, a)) {
        if (line[strspn(line, " \t\r")] == '\0') {
            pov_talk_forget(a->talk);
            a->forgets = true;
            continue;
        }
        int code = answer_question(a, line);
        fflush(stdout);
        worst = code > worst || code == POV_EXIT_WORLD ? code : worst;
    }
    free(line);
    return a->is_prompting && worst == POV_EXIT_USAGE ? POV_EXIT_OK : worst;
}

/* -------- the command line -------- */

static int read_options(ask_options *options, pov_words *words, int argc, char **argv)
{
    POV_OR_EXIT(pov_command_read(options, words, &pov_command_ask, argc, argv));
    if (options->draw && strcmp(words->word[1], "-") == 0)
        return pov_cli_usage("ask", "--draw draws one question; give it in place of the dash");
    if (options->image[0] != '\0' && options->at_s >= 0)
        return pov_cli_usage("ask", "--image and --at both choose an image; leave one of them out");
    if (options->regions_path && options->acceptance == POV_COSINE)
        return pov_cli_usage("ask", "--template is not used by --acceptance cosine; leave one of them out");
    if (options->regions_path)
        options->acceptance = POV_TEMPLATE;
    memset(options->judging.acceptance, 0, sizeof options->judging.acceptance);
    options->judging.acceptance[options->acceptance] = true;
    const pov_status status = options->regions_path
                                  ? pov_template_read(&options->judging.regions, options->regions_path)
                                  : pov_ok();
    return status.code == POV_OK ? POV_GO_ON : pov_cli_fail(status);
}

static int run(int argc, char **argv)
{
    ask_options options = {.image = "", .timeout_s = 10, .at_s = -1, .judging = POV_JUDGING_DEFAULT};
    pov_words words;
    POV_OR_EXIT(read_options(&options, &words, argc, argv));
    asking a = {.options = &options,
                .is_prompting = isatty(STDIN_FILENO),
                .config = {words.word[0], options.image, options.at_s, options.timeout_s, options.client}};
    /* The station judges in its own way, and draws nothing. */
    const bool as_usual = !options.draw && !options.regions_path && options.acceptance == POV_HEMISPHERE &&
                          options.judging.abstain_margin == ((pov_judging)POV_JUDGING_DEFAULT).abstain_margin;
    if (strstr(words.word[0], "://") && as_usual)
        find_endpoint(a.endpoint, words.word[0], options.ask);
    pov_status status = pov_talk_new(&a.talk);
    POV_THEN(status, *a.endpoint ? pov_door_request(&a.station, &options.client, a.endpoint)
                                 : pov_scene_source_new(&a.source, &a.config));
    if (status.code != POV_OK) {
        pov_talk_destroy(&a.talk);
        return pov_cli_fail(status);
    }
    if (strstr(words.word[0], "://"))
        pov_cli_catch_signals();
    int exit = strcmp(words.word[1], "-") == 0 ? answer_all(&a) : answer_question(&a, words.word[1]);
    const pov_status damage = a.source ? pov_scene_source_damage(a.source) : pov_ok();
    if (exit != POV_EXIT_WORLD && damage.code != POV_OK)
        exit = pov_cli_fail(damage);
    pov_requester_destroy(&a.station);
    pov_scene_source_destroy(&a.source);
    pov_talk_destroy(&a.talk);
    return exit;
}
