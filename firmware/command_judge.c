#include "firmware/cli.h"
#include "firmware/commands.h"

#include "config/scene_file.h"
#include "config/yaml_file.h"
#include "firmware/ask.h"
#include "firmware/judge_more.h"
#include "firmware/judge_print.h"
#include "firmware/scene_svg.h"

#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "Usage: pov judge SCENE.yaml [OPTIONS]\n"
    "\n"
    "Judges a scene typed by hand, or a line of 'pov run --json': which relations hold between which\n"
    "entities, in which frame of reference, how surely. docs/SCENE.md tells how a scene is written.\n"
    "\n"
    "  --pairs A:B,...       only A as located by B (default: every pair; the camera is not one)\n"
    "  --relations NAME,...  only these: left_of, right_of, in_front_of, behind, north_of, east_of,\n"
    "                        south_of, west_of\n"
    "  --frames NAME,...     only these: egocentric, addressee, intrinsic, absolute; and of the viewers'\n"
    "                        axes only translated, rotated, reflected; sight_line (default), heading\n"
    "  --acceptance NAME,... hemisphere (default), cosine, template\n"
    "  --abstain MARGIN      abstain where P is within this of 0.5 (default 0.49865: 3 sigma)\n"
    "  --ask QUESTION        answer one question, e.g. \"ball left-of car from addressee\"\n"
    "  --questions SET        every question of a paper that the scene allows: forest, vpt (Isle-Brick's\n"
    "                        seven), sphere\n"
    "  --draw OUT.svg        draw the scene from above; with --ask or --pairs, where the relation holds\n"
    "  --json, --csv         for programs, instead of the table\n"
    "\n"
    "Examples:\n"
    "  pov judge kitchen.yaml\n"
    "  pov judge kitchen.yaml --pairs cup:plate --frames egocentric,reflected\n"
    "  pov judge kitchen.yaml --ask 'Is the cup to the left of the plate from the woman?'\n"
    "  pov judge kitchen.yaml --csv > judgments.csv\n"
    "  pov judge kitchen.yaml --ask 'cup left-of plate from camera' --draw kitchen.svg\n";

/* What the command line says. Names point into argv. */
typedef struct {
    const char *path, *pairs, *relations, *frames, *acceptance, *ask, *draw;
    pov_output_form form;
    int questions; /* a pov_question_set, or -1 */
    bool perspective[POV_PERSPECTIVE_COUNT], convention[POV_CONVENTION_COUNT];
    pov_judging judging;
} judge_options;

/* -------- lists of names -------- */

/* The next name of a comma-separated list into `name`; false at its end. */
static bool next_name(char *name, size_t capacity, const char **list)
{
    if (**list == '\0')
        return false;
    size_t length = strcspn(*list, ",");
    snprintf(name, capacity, "%.*s", (int)length, *list);
    *list += length + ((*list)[length] == ',');
    return true;
}

static int find_name(const char *name, const char *const names[], int count)
{
    for (int i = 0; i < count; i++)
        if (strcmp(name, names[i]) == 0)
            return i;
    return -1;
}

/* Sets the flags that a list names. */
static int choose(const char *option, const char *list, const char *const names[], bool *const flags[],
                  int count)
{
    char name[64];
    while (next_name(name, sizeof name, &list)) {
        int found = find_name(name, names, count);
        if (found < 0) {
            const char *nearest = pov_nearest_name(name, names, count);
            return pov_cli_usage("judge", "%s knows no '%s'%s%s%s", option, name,
                                 nearest ? "; did you mean '" : "", nearest ? nearest : "",
                                 nearest ? "'?" : "");
        }
        *flags[found] = true;
    }
    return POV_EXIT_OK;
}

/* A kind of which no name was given is taken whole. */
static void default_to(bool *flags, int count, int fallback)
{
    bool any = false;
    for (int i = 0; i < count; i++)
        any = any || flags[i];
    for (int i = 0; i < count && !any; i++)
        flags[i] = fallback < 0 || i == fallback;
}

static int choose_relations(judge_options *options)
{
    const char *names[POV_RELATION_COUNT];
    bool *flags[POV_RELATION_COUNT];
    for (int i = 0; i < POV_RELATION_COUNT; i++) {
        names[i] = pov_relation_name((pov_relation)i);
        flags[i] = &options->judging.relation[i];
    }
    int code = choose("--relations", options->relations, names, flags, POV_RELATION_COUNT);
    default_to(options->judging.relation, POV_RELATION_COUNT, -1);
    return code;
}

static int choose_frames(judge_options *options)
{
    enum { NAMES = POV_PERSPECTIVE_COUNT + POV_CONVENTION_COUNT + POV_AXIS_COUNT };
    const char *names[NAMES];
    bool *flags[NAMES];
    int count = 0;
    for (int i = 0; i < POV_PERSPECTIVE_COUNT; i++, count++) {
        names[count] = pov_perspective_name((pov_perspective)i);
        flags[count] = &options->perspective[i];
    }
    for (int i = 0; i < POV_CONVENTION_COUNT; i++, count++) {
        names[count] = pov_convention_name((pov_convention)i);
        flags[count] = &options->convention[i];
    }
    for (int i = 0; i < POV_AXIS_COUNT; i++, count++) {
        names[count] = pov_axis_name((pov_axis)i);
        flags[count] = &options->judging.axis[i];
    }
    int code = choose("--frames", options->frames, names, flags, NAMES);
    default_to(options->perspective, POV_PERSPECTIVE_COUNT, -1);
    default_to(options->convention, POV_CONVENTION_COUNT, -1);
    default_to(options->judging.axis, POV_AXIS_COUNT, POV_SIGHT_LINE);
    return code;
}

static int choose_acceptance(judge_options *options)
{
    const char *names[POV_ACCEPTANCE_COUNT];
    bool *flags[POV_ACCEPTANCE_COUNT];
    for (int i = 0; i < POV_ACCEPTANCE_COUNT; i++) {
        names[i] = pov_acceptance_name((pov_acceptance)i);
        flags[i] = &options->judging.acceptance[i];
    }
    int code = choose("--acceptance", options->acceptance, names, flags, POV_ACCEPTANCE_COUNT);
    default_to(options->judging.acceptance, POV_ACCEPTANCE_COUNT, POV_HEMISPHERE);
    return code;
}

/* -------- judging -------- */

static bool is_wanted(const judge_options *options, const pov_query *query)
{
    return options->perspective[query->perspective] &&
           (query->convention == POV_NO_CONVENTION || options->convention[query->convention]);
}

/* Room for every judgment of one pair, made once. */
typedef struct {
    pov_judgment *judgments;
    int capacity;
    bool first;
    bool graded;        /* the relations without a direction now, not the others */
    pov_judgment shown; /* the first that is defined, for a drawing */
} judge_buffer;

static void show_first(pov_judgment *shown, const pov_judgment *judgments, int len)
{
    for (int i = 0; i < len && isnan(shown->theta_rad); i++)
        *shown = judgments[i];
}

/* Where a relation holds is drawn if one was asked for; the whole scene in any case. */
static int draw(const judge_options *options, const pov_scene *scene, const pov_judgment *shown)
{
    if (!options->draw)
        return POV_EXIT_OK;
    pov_status status = pov_scene_svg_write(options->draw, scene, isnan(shown->theta_rad) ? NULL : shown);
    return status.code == POV_OK ? POV_EXIT_OK : pov_cli_fail(status);
}

/* Everything is told unless something was chosen, or there are so many pairs that it would take minutes. */
static bool tells_all(const judge_options *options, const pov_scene *scene)
{
    static const int entities_max = 12;
    return options->relations[0] == '\0' && options->frames[0] == '\0' &&
           (options->pairs[0] != '\0' || scene->len <= entities_max);
}

static void judge_graded(judge_buffer *buffer, const judge_options *options, const pov_scene *scene,
                         pov_id referent, pov_id relatum)
{
    pov_relation_answer graded[POV_GRADED_MAX];
    if (!tells_all(options, scene))
        return;
    int len = pov_judge_graded(graded, scene, referent, relatum, options->judging.abstain_margin);
    if (options->form == POV_OUTPUT_TABLE)
        pov_judge_print_graded(stdout, graded, len);
    else
        pov_judge_print_graded_json(stdout, scene, graded, len, buffer->first);
    buffer->first = buffer->first && len == 0;
}

static void judge_pair(judge_buffer *buffer, const judge_options *options, const pov_scene *scene,
                       pov_id referent, pov_id relatum)
{
    if (buffer->graded) {
        judge_graded(buffer, options, scene, referent, relatum);
        return;
    }
    int all = pov_relation_evaluate_pair(buffer->judgments, buffer->capacity, scene, referent, relatum,
                                         &options->judging);
    int len = 0;
    POV_REQUIRE(all <= buffer->capacity);
    for (int i = 0; i < all; i++)
        if (is_wanted(options, &buffer->judgments[i].query))
            buffer->judgments[len++] = buffer->judgments[i];
    if (len == 0)
        return;
    show_first(&buffer->shown, buffer->judgments, len);
    if (options->form == POV_OUTPUT_TABLE) {
        if (!buffer->first)
            putchar('\n');
        pov_judge_print_table(stdout, scene, buffer->judgments, len);
        judge_graded(buffer, options, scene, referent, relatum);
    } else if (options->form == POV_OUTPUT_CSV) {
        pov_judge_print_csv(stdout, scene, buffer->judgments, len);
    } else {
        pov_judge_print_json(stdout, scene, buffer->judgments, len, buffer->first);
    }
    buffer->first = false;
}

static void judge_every_pair(judge_buffer *buffer, const judge_options *options, const pov_scene *scene)
{
    for (pov_id referent = 0; referent < scene->len; referent++)
        for (pov_id relatum = 0; relatum < scene->len; relatum++)
            if (referent != relatum && referent != scene->camera && relatum != scene->camera)
                judge_pair(buffer, options, scene, referent, relatum);
}

static pov_status find_entity(pov_id *id, const pov_scene *scene, const char *name)
{
    const char *names[POV_ENTITY_MAX];
    *id = pov_scene_find(scene, name);
    if (*id != POV_ID_NONE)
        return pov_ok();
    for (int i = 0; i < scene->len; i++)
        names[i] = scene->entities[i].name;
    const char *nearest = pov_nearest_name(name, names, scene->len);
    return pov_error("--pairs: the scene has no '%s'%s%s%s", name, nearest ? "; did you mean '" : "",
                     nearest ? nearest : "; its ids are in the file", nearest ? "'?" : "");
}

static pov_status parse_pair(pov_id *referent, pov_id *relatum, const pov_scene *scene, char *pair)
{
    char *colon = strchr(pair, ':');
    if (!colon || strchr(colon + 1, ':'))
        return pov_error("--pairs: '%s' is no pair; write e.g. ball:car, for the ball as located by the car",
                         pair);
    *colon = '\0';
    POV_TRY(find_entity(referent, scene, pair));
    POV_TRY(find_entity(relatum, scene, colon + 1));
    if (*referent == *relatum)
        return pov_error("--pairs: '%s' cannot be located by itself; name two entities", pair);
    return pov_ok();
}

static pov_status judge_pairs(judge_buffer *buffer, const judge_options *options, const pov_scene *scene,
                              bool dry)
{
    char pair[2 * POV_NAME_CAPACITY + 2];
    for (const char *list = options->pairs; next_name(pair, sizeof pair, &list);) {
        pov_id referent = POV_ID_NONE, relatum = POV_ID_NONE;
        POV_TRY(parse_pair(&referent, &relatum, scene, pair));
        if (!dry)
            judge_pair(buffer, options, scene, referent, relatum);
    }
    return pov_ok();
}

static void judge_chosen(judge_buffer *buffer, const judge_options *options, const pov_scene *scene)
{
    if (options->pairs[0] == '\0')
        judge_every_pair(buffer, options, scene);
    else
        (void)judge_pairs(buffer, options, scene, false); /* checked before */
}

static pov_status judge_as_json(judge_buffer *buffer, const judge_options *options, const pov_scene *scene)
{
    pov_status status = pov_ok();
    fputs("{\"judgments\":[", stdout);
    judge_chosen(buffer, options, scene);
    fputs("],\"relations\":[", stdout);
    buffer->graded = buffer->first = true;
    judge_chosen(buffer, options, scene);
    fputs("],\"visibility\":[", stdout);
    if (tells_all(options, scene))
        status = pov_judge_print_visibility_json(stdout, scene);
    fputs("]}\n", stdout);
    return status;
}

static pov_status judge_scene(judge_buffer *buffer, const judge_options *options, const pov_scene *scene)
{
    if (options->form == POV_OUTPUT_JSON)
        return judge_as_json(buffer, options, scene);
    if (options->form == POV_OUTPUT_CSV)
        pov_judge_print_csv_header(stdout);
    judge_chosen(buffer, options, scene);
    if (options->form == POV_OUTPUT_CSV)
        return pov_ok();
    if (buffer->first)
        puts("nothing to judge: the scene has no two entities, or no frame that was asked for");
    return tells_all(options, scene) ? pov_judge_print_visibility(stdout, scene) : pov_ok();
}

static int print_judgments(const judge_options *options, const pov_scene *scene)
{
    pov_status status = judge_pairs(NULL, options, scene, true);
    if (status.code != POV_OK)
        return pov_cli_usage("judge", "%s", status.message);
    judge_buffer buffer = {.first = true, .shown.theta_rad = NAN};
    int per_viewer = POV_CONVENTION_COUNT * POV_AXIS_COUNT;
    buffer.capacity = (scene->len * per_viewer + 2) * POV_RELATION_COUNT * POV_ACCEPTANCE_COUNT;
    buffer.judgments = calloc((size_t)buffer.capacity, sizeof *buffer.judgments);
    if (!buffer.judgments)
        return pov_cli_fail(pov_error("no memory for %d judgments", buffer.capacity));
    status = judge_scene(&buffer, options, scene);
    free(buffer.judgments);
    if (status.code != POV_OK)
        return pov_cli_fail(status);
    if (options->pairs[0] == '\0')
        buffer.shown.theta_rad = NAN; /* no pair was chosen */
    return draw(options, scene, &buffer.shown);
}

static int answer_question(const judge_options *options, const pov_scene *scene)
{
    pov_question question;
    pov_answer answer;
    pov_status status = pov_question_parse(&question, scene, options->ask);
    if (status.code != POV_OK)
        return pov_cli_usage("judge", "--ask: %s", status.message);
    if (options->form == POV_OUTPUT_CSV)
        return pov_cli_usage("judge", "--ask answers as text or --json, not --csv");
    pov_question_answer(&answer, scene, &question, &options->judging);
    if (options->form == POV_OUTPUT_JSON)
        pov_judge_print_answer_json(stdout, scene, &answer);
    else
        pov_judge_print_answer(stdout, scene, &answer);
    pov_judgment shown = {.theta_rad = NAN};
    show_first(&shown, answer.judgments, answer.len);
    return draw(options, scene, &shown);
}

static int print_questions(const judge_options *options, const pov_scene *scene)
{
    const pov_judgment none = {.theta_rad = NAN};
    pov_status status =
        pov_judge_print_questions(stdout, scene, (pov_question_set)options->questions, options->form);
    return status.code == POV_OK ? draw(options, scene, &none) : pov_cli_fail(status);
}

/* -------- the command line -------- */

static int parse_margin(double *margin, const char *text)
{
    char *end;
    double value = strtod(text, &end);
    if (end == text || *end != '\0' || !(value >= 0 && value < 0.5))
        return pov_cli_usage("judge", "--abstain takes a number from 0 to less than 0.5, not '%s'", text);
    *margin = value;
    return POV_EXIT_OK;
}

static int parse_questions(int *set, const char *text)
{
    const char *names[POV_QUESTIONS_COUNT];
    for (int i = 0; i < POV_QUESTIONS_COUNT; i++)
        names[i] = pov_question_set_name((pov_question_set)i);
    *set = find_name(text, names, POV_QUESTIONS_COUNT);
    return *set >= 0 ? POV_EXIT_OK
                     : pov_cli_usage("judge", "--questions takes forest, vpt or sphere, not '%s'", text);
}

static int take_option(judge_options *options, int option)
{
    switch (option) {
    case 'p':
        options->pairs = optarg;
        return POV_EXIT_OK;
    case 'r':
        options->relations = optarg;
        return POV_EXIT_OK;
    case 'f':
        options->frames = optarg;
        return POV_EXIT_OK;
    case 'a':
        options->acceptance = optarg;
        return POV_EXIT_OK;
    case 'm':
        return parse_margin(&options->judging.abstain_margin, optarg);
    case 'q':
        options->ask = optarg;
        return POV_EXIT_OK;
    case 'Q':
        return parse_questions(&options->questions, optarg);
    case 'd':
        options->draw = optarg;
        return POV_EXIT_OK;
    case 'j':
        options->form = POV_OUTPUT_JSON;
        return POV_EXIT_OK;
    case 'c':
        options->form = POV_OUTPUT_CSV;
        return POV_EXIT_OK;
    default: /* getopt has said what is wrong */
        return POV_EXIT_USAGE;
    }
}

static int parse_options(judge_options *options, int argc, char **argv)
{
    static const struct option known[] = {{"pairs", required_argument, NULL, 'p'},
                                          {"relations", required_argument, NULL, 'r'},
                                          {"frames", required_argument, NULL, 'f'},
                                          {"acceptance", required_argument, NULL, 'a'},
                                          {"abstain", required_argument, NULL, 'm'},
                                          {"ask", required_argument, NULL, 'q'},
                                          {"questions", required_argument, NULL, 'Q'},
                                          {"draw", required_argument, NULL, 'd'},
                                          {"json", no_argument, NULL, 'j'},
                                          {"csv", no_argument, NULL, 'c'},
                                          {NULL, 0, NULL, 0}};
    optind = 1;
    for (int option; (option = getopt_long(argc, argv, "", known, NULL)) != -1;) {
        int code = take_option(options, option);
        if (code != POV_EXIT_OK)
            return code;
    }
    if (optind + 1 != argc)
        return optind == argc
                   ? pov_cli_usage("judge", "which scene? Give a YAML file")
                   : pov_cli_usage("judge", "one scene at a time; '%s' is one too many", argv[optind + 1]);
    options->path = argv[optind];
    int code = choose_relations(options);
    code = code == POV_EXIT_OK ? choose_frames(options) : code;
    return code == POV_EXIT_OK ? choose_acceptance(options) : code;
}

int pov_command_judge(int argc, char **argv)
{
    const pov_judging judging = POV_JUDGING_DEFAULT;
    judge_options options = {.pairs = "", .relations = "", .frames = "", .acceptance = "", .questions = -1};
    options.judging.abstain_margin = judging.abstain_margin;
    options.judging.regions = judging.regions;
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
            fputs(help, stdout);
            return POV_EXIT_OK;
        }
    int code = parse_options(&options, argc, argv);
    if (code != POV_EXIT_OK)
        return code;
    pov_scene scene;
    pov_status status = pov_scene_file_read(&scene, options.path);
    if (status.code != POV_OK)
        return pov_cli_fail(status);
    if (options.questions >= 0)
        return print_questions(&options, &scene);
    return options.ask ? answer_question(&options, &scene) : print_judgments(&options, &scene);
}
