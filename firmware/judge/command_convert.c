#include "firmware/cli.h"
#include "firmware/commands.h"

#include "config/yaml_file.h"
#include "perception/papers/forest.h"

#include <cJSON.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "Usage: pov convert forest left|right|front|back [OPTIONS]\n"
    "\n"
    "What left, right, front or back of a relatum, said in one perspective, is in the other: FoREST's\n"
    "conversion, found by placing such a scene and judging it.\n"
    "\n"
    "  --facing WAY     how the relatum faces the camera: toward, away, left, right (the camera's left);\n"
    "                   leave it out for a relatum without a front\n"
    "  --from WHO       whose words it is in: camera, relatum. Without it the expression is\n"
    "                   ambiguous, and every answer that fits is given\n"
    "  --to WHO         in whose words the answer is: camera (default), relatum\n"
    "  --relatum CASE   what it is like: cow (front), car (front, container), box (container),\n"
    "                   pen (neither). Default: cow with --facing, else pen\n"
    "  --internal       with --from: the referent is inside the relatum\n"
    "  --json           for programs\n"
    "\n"
    "Examples:\n"
    "  pov convert forest left --facing toward --from camera --to relatum\n"
    "  pov convert forest back --facing left --relatum car --to camera\n";

static const char *const relation_words[] = {"left", "right", "front",
                                             "back"}; /* as POV_LEFT_OF ... POV_BEHIND */
static const char *const who_words[] = {"camera", "relatum"};
static const char *const case_words[] = {"cow", "car", "box", "pen"};
static const pov_relatum_case cases[] = {{true, false}, {true, true}, {false, true}, {false, false}};

/* -1: not given. */
typedef struct {
    int relation, facing, from, to, relatum;
    bool internal, json;
} convert_options;

static int take_word(int *index, const char *option, const char *word, const char *const words[], int count)
{
    for (int i = 0; i < count; i++)
        if (strcmp(word, words[i]) == 0) {
            *index = i;
            return POV_EXIT_OK;
        }
    const char *nearest = pov_nearest_name(word, words, count);
    return pov_cli_usage("convert", "%s takes %s, %s%s%s%s%s, not '%s'%s%s%s", option, words[0], words[1],
                         count > 2 ? ", " : "", count > 2 ? words[2] : "", count > 3 ? ", " : "",
                         count > 3 ? words[3] : "", word, nearest ? "; did you mean '" : "",
                         nearest ? nearest : "", nearest ? "'?" : "");
}

static int take_facing(int *facing, const char *word)
{
    const char *names[POV_FACING_COUNT];
    for (int i = 0; i < POV_FACING_COUNT; i++)
        names[i] = pov_facing_name((pov_facing)i);
    return take_word(facing, "--facing", word, names, POV_FACING_COUNT);
}

/* -------- output -------- */

typedef struct {
    int len;
    pov_forest_frame frame[POV_FOREST_FRAME_COUNT];
    pov_relation answer[POV_FOREST_FRAME_COUNT];
} conversions;

static void print_json(const convert_options *options, const conversions *all)
{
    cJSON *root = cJSON_CreateObject();
    cJSON_AddStringToObject(root, "relation", relation_words[options->relation]);
    cJSON_AddStringToObject(root, "relatum_case", case_words[options->relatum]);
    cJSON_AddStringToObject(root, "asked", who_words[options->to]);
    cJSON *frames = cJSON_AddArrayToObject(root, "frames");
    for (int i = 0; i < all->len; i++) {
        cJSON *item = cJSON_CreateObject();
        cJSON_AddStringToObject(item, "frame", pov_forest_frame_name(all->frame[i]));
        cJSON_AddStringToObject(item, "answer", relation_words[all->answer[i]]);
        cJSON_AddItemToArray(frames, item);
    }
    char *text = cJSON_PrintUnformatted(root);
    POV_REQUIRE(text);
    puts(text);
    free(text);
    cJSON_Delete(root);
}

static void print_text(const convert_options *options, const conversions *all)
{
    bool valid[POV_RELATION_COUNT] = {false};
    if (options->from >= 0) {
        puts(relation_words[all->answer[0]]);
        return;
    }
    printf("\"%s\" of a %s, in the %s's words:\n", relation_words[options->relation],
           case_words[options->relatum], who_words[options->to]);
    for (int i = 0; i < all->len; i++) {
        printf("  %-5s  if meant %s\n", relation_words[all->answer[i]], pov_forest_frame_name(all->frame[i]));
        valid[all->answer[i]] = true;
    }
    fputs("valid answers:", stdout);
    for (int i = POV_LEFT_OF; i <= POV_BEHIND; i++)
        if (valid[i])
            printf(" %s", relation_words[i]);
    putchar('\n');
}

/* -------- converting -------- */

/* Of the frames that apply, those that the question leaves open. */
static bool is_meant(const convert_options *options, pov_forest_frame frame)
{
    bool relative = frame == POV_EXTERNAL_RELATIVE || frame == POV_INTERNAL_RELATIVE;
    bool internal = frame == POV_INTERNAL_INTRINSIC || frame == POV_INTERNAL_RELATIVE;
    if (options->from >= 0)
        return relative == (options->from == POV_ASK_CAMERA) && internal == options->internal;
    return pov_forest_frame_applies(frame, cases[options->relatum]);
}

static int convert(const convert_options *options)
{
    conversions all = {.len = 0};
    pov_facing facing = options->facing < 0 ? POV_FACES_TOWARD : (pov_facing)options->facing;
    for (int i = 0; i < POV_FOREST_FRAME_COUNT; i++) {
        pov_forest_frame frame = (pov_forest_frame)i;
        pov_relation answer;
        if (!is_meant(options, frame))
            continue;
        if (pov_forest_convert(&answer, (pov_relation)options->relation, frame, (pov_asked)options->to,
                               options->facing < 0 ? NULL : &facing) != POV_OK)
            return pov_cli_usage("convert",
                                 "a relatum without a front has no words of its own; give --facing");
        all.frame[all.len] = frame;
        all.answer[all.len++] = answer;
    }
    (options->json ? print_json : print_text)(options, &all);
    return POV_EXIT_OK;
}

/* A case without a front and a facing contradict each other, and so do a case with one and none. */
static int settle_case(convert_options *options)
{
    if (options->relatum < 0)
        options->relatum = options->facing < 0 ? 3 : 0;
    bool has_front = cases[options->relatum].has_front;
    if (has_front && options->facing < 0)
        return pov_cli_usage("convert", "a %s has a front; say with --facing how it faces the camera",
                             case_words[options->relatum]);
    if (!has_front && options->facing >= 0)
        return pov_cli_usage("convert", "a %s has no front; leave --facing out, or take cow or car",
                             case_words[options->relatum]);
    if (options->internal && options->from < 0)
        return pov_cli_usage("convert",
                             "--internal goes with --from; an ambiguous expression leaves it open");
    return POV_EXIT_OK;
}

/* -------- the command line -------- */

static int take_option(convert_options *options, int option)
{
    switch (option) {
    case 'f':
        return take_facing(&options->facing, optarg);
    case 'F':
        return take_word(&options->from, "--from", optarg, who_words, 2);
    case 'T':
        return take_word(&options->to, "--to", optarg, who_words, 2);
    case 'r':
        return take_word(&options->relatum, "--relatum", optarg, case_words, 4);
    case 'i':
        options->internal = true;
        return POV_EXIT_OK;
    case 'j':
        options->json = true;
        return POV_EXIT_OK;
    default: /* getopt has said what is wrong */
        return POV_EXIT_USAGE;
    }
}

static int parse_options(convert_options *options, int argc, char **argv)
{
    static const struct option known[] = {{"facing", required_argument, NULL, 'f'},
                                          {"from", required_argument, NULL, 'F'},
                                          {"to", required_argument, NULL, 'T'},
                                          {"relatum", required_argument, NULL, 'r'},
                                          {"internal", no_argument, NULL, 'i'},
                                          {"json", no_argument, NULL, 'j'},
                                          {NULL, 0, NULL, 0}};
    optind = 1;
    for (int option; (option = getopt_long(argc, argv, "", known, NULL)) != -1;) {
        int code = take_option(options, option);
        if (code != POV_EXIT_OK)
            return code;
    }
    if (optind == argc || strcmp(argv[optind], "forest") != 0)
        return pov_cli_usage("convert", "convert what? There is: forest");
    if (optind + 2 != argc)
        return pov_cli_usage("convert", "one relation after 'forest': left, right, front or back");
    return take_word(&options->relation, "RELATION", argv[optind + 1], relation_words, 4);
}

int pov_command_convert(int argc, char **argv)
{
    convert_options options = {.relation = -1, .facing = -1, .from = -1, .to = POV_ASK_CAMERA, .relatum = -1};
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
            fputs(help, stdout);
            return POV_EXIT_OK;
        }
    int code = parse_options(&options, argc, argv);
    if (code == POV_EXIT_OK)
        code = settle_case(&options);
    return code == POV_EXIT_OK ? convert(&options) : code;
}
