#include "firmware/commands.h"

#include "config/files/json_value.h"
#include "perception/papers/forest.h"

#include <cJSON.h>
#include <stdio.h>
#include <string.h>

POV_NAMES(relation_words, "left", "right", "front", "back") /* as POV_LEFT_OF ... POV_BEHIND */
POV_NAMES(who_words, "camera", "relatum")
POV_NAMES(case_words, "cow", "car", "box", "pen")
POV_NAMES(all_words, "forest", "left", "right", "front", "back")
POV_NAMES_OF(facing_words, pov_facing, POV_FACING_COUNT, pov_facing_name)
static const pov_relatum_case cases[] = {{true, false}, {true, true}, {false, true}, {false, false}};

/* -1: not given. */
typedef struct {
    int relation, facing, from, to, relatum;
    bool internal, json;
} convert_options;

static int run(int argc, char **argv);

static const pov_option option_table[] = {
    POV_CHOICE(
        convert_options, facing, "facing", "WAY", facing_words,
        "how the relatum faces the camera (left: the camera's left); leave it out for a relatum without a "
        "front"),
    POV_CHOICE(convert_options, from, "from", "WHO", who_words,
               "the perspective of the expression. Without it the expression is ambiguous, and every answer "
               "that fits is given"),
    POV_CHOICE(convert_options, to, "to", "WHO", who_words, "the perspective of the answer"),
    POV_CHOICE(convert_options, relatum, "relatum", "CASE", case_words,
               "its kind: cow has a front, car a front and an inside, box an inside, pen neither. "
               "Without it cow with --facing, else pen"),
    POV_FLAG(convert_options, internal, "internal", "with --from: the referent is inside the relatum"),
    POV_FLAG(convert_options, json, "json", "for programs"),
    POV_OPTIONS_END,
};

const pov_command pov_command_convert = {
    .name = "convert",
    .summary = "convert a relation from one perspective to another",
    .run = run,
    .usage = "forest left|right|front|back [OPTIONS]",
    .about = "Converts left, right, front or back of a relatum from one perspective to the other: FoREST's "
             "conversion, found by placing such a scene and judging it.",
    .options = option_table,
    .words = {.min = 2,
              .max = 2,
              .wanted = "convert what? There is: forest, then left, right, front or back",
              .names = all_words,
              .only_names = true},
    .examples = "pov convert forest left --facing toward --from camera --to relatum\n"
                "pov convert forest back --facing left --relatum car --to camera",
    .exits = "0 converted",
};

/* -------- output -------- */

typedef struct {
    int len;
    pov_forest_frame frame[POV_FOREST_FRAME_COUNT];
    pov_relation answer[POV_FOREST_FRAME_COUNT];
} conversions;

static void print_json(const convert_options *options, const conversions *all)
{
    cJSON *root = cJSON_CreateObject();
    cJSON_AddStringToObject(root, "relation", relation_words(options->relation));
    cJSON_AddStringToObject(root, "relatum_case", case_words(options->relatum));
    cJSON_AddStringToObject(root, "asked", who_words(options->to));
    cJSON *frames = cJSON_AddArrayToObject(root, "frames");
    for (int i = 0; i < all->len; i++) {
        cJSON *item = cJSON_CreateObject();
        cJSON_AddStringToObject(item, "frame", pov_forest_frame_name(all->frame[i]));
        cJSON_AddStringToObject(item, "answer", relation_words(all->answer[i]));
        cJSON_AddItemToArray(frames, item);
    }
    pov_json_print_line(stdout, root);
}

static void print_text(const convert_options *options, const conversions *all)
{
    bool valid[POV_RELATION_COUNT] = {false};
    if (options->from >= 0) {
        puts(relation_words(all->answer[0]));
        return;
    }
    printf("\"%s\" of a %s, in the %s's words:\n", relation_words(options->relation),
           case_words(options->relatum), who_words(options->to));
    for (int i = 0; i < all->len; i++) {
        const char *answer = relation_words(all->answer[i]);
        POV_REQUIRE(answer);
        printf("  %-5s  if meant %s\n", answer, pov_forest_frame_name(all->frame[i]));
        valid[all->answer[i]] = true;
    }
    fputs("valid answers:", stdout);
    for (int i = POV_LEFT_OF; i <= POV_BEHIND; i++)
        if (valid[i])
            printf(" %s", relation_words(i));
    putchar('\n');
}

/* -------- converting -------- */

/* The applicable frames that the question leaves open. */
static bool is_meant(const convert_options *options, pov_forest_frame frame)
{
    bool relative = frame == POV_EXTERNAL_RELATIVE || frame == POV_INTERNAL_RELATIVE;
    bool internal = frame == POV_INTERNAL_INTRINSIC || frame == POV_INTERNAL_RELATIVE;
    if (options->from >= 0)
        return relative == (options->from == POV_ASK_CAMERA) && internal == options->internal;
    return pov_forest_frame_applies(frame, cases[options->relatum]);
}

static int convert_question(const convert_options *options)
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
                             case_words(options->relatum));
    if (!has_front && options->facing >= 0)
        return pov_cli_usage("convert", "a %s has no front; leave --facing out, or take cow or car",
                             case_words(options->relatum));
    if (options->internal && options->from < 0)
        return pov_cli_usage("convert",
                             "--internal goes with --from; an ambiguous expression leaves it open");
    return POV_EXIT_OK;
}

/* -------- the command line -------- */

static int run(int argc, char **argv)
{
    convert_options options = {.relation = -1, .facing = -1, .from = -1, .to = POV_ASK_CAMERA, .relatum = -1};
    pov_words words;
    POV_OR_EXIT(pov_command_read(&options, &words, &pov_command_convert, argc, argv));
    if (strcmp(words.word[0], "forest") != 0)
        return pov_cli_usage("convert", "convert what? There is: forest");
    const pov_status status = pov_names_find(&options.relation, relation_words, words.word[1]);
    if (status.code != POV_OK)
        return pov_cli_usage("convert", "forest %s", status.message);
    const int code = settle_case(&options);
    return code == POV_EXIT_OK ? convert_question(&options) : code;
}
