#include "ask/print/judge_print.h"
#include "ask/print/judge_relations.h"
#include "ask/print/judge_sight.h"
#include "ask/print/judge_summary.h"
#include "config/files/json_value.h"
#include "config/files/nearest_name.h"
#include "config/scene/template_file.h"
#include "draw/scene_svg.h"
#include "firmware/ask/scene_source.h"
#include "firmware/clock.h"
#include "firmware/command.h"
#include "firmware/commands.h"
#include "firmware/judge/imagine_option.h"
#include "firmware/progress.h"
#include "firmware/recording/moment.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Texts point into argv; "" or NULL: not given. */
typedef struct {
    const char *path, *image, *pairs, *relations, *frames, *acceptance, *draw, *regions_path, *imagine;
    double at_s; /* below 0: not given */
    bool json, csv;
    pov_output_form form;
    pov_relation_choice choice; /* of the registry, and of frames */
    pov_judging judging;        /* of relations with a direction; the template's regions are read */
    bool judges_directions;     /* at least one direction is chosen */
} judge_options;

typedef void (*located_visit)(void *context, const pov_located *located);

/* The command line of `pov judge`. */

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
/* " cup, car" */
static void list_names(char *list, size_t capacity, const char *const names[], int count)
{
    size_t used = 0;
    list[0] = '\0';
    for (int i = 0; i < count && used < capacity; i++)
        used += (size_t)snprintf(list + used, capacity - used, "%s%s", i ? ", " : "", names[i]);
}

static int choose_flags(const char *option, const char *list, const char *const names[], bool *const flags[],
                        int count)
{
    char name[64];
    while (next_name(name, sizeof name, &list)) {
        int found = find_name(name, names, count);
        if (found < 0) {
            char hint[POV_HINT_CAPACITY], known[POV_MESSAGE_CAPACITY / 2];
            list_names(known, sizeof known, names, count);
            return pov_cli_usage("judge", "%s knows no '%s'; it takes %s%s", option, name, known,
                                 pov_names_hint(hint, name, "", names, count));
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

/* -------- relations -------- */

static void choose_relation(judge_options *options, int index)
{
    pov_relation direction = pov_relation_registry_at(index)->projective;
    options->choice.relation[index] = true;
    if (!pov_relation_is_direction(pov_relation_registry_at(index)))
        return;
    options->judging.relation[direction] = true;
    options->judges_directions = true;
}

static bool is_in_category(const pov_relation_info *relation, const char *category)
{
    return strcmp(category, "all") == 0 || strcmp(category, pov_category_name(relation->category)) == 0 ||
           (relation->vsr_unallocated_too && strcmp(category, pov_category_name(POV_UNALLOCATED)) == 0);
}

static bool choose_category(judge_options *options, const char *category)
{
    bool any = false;
    for (int i = 0; i < pov_relation_registry_len(); i++)
        if (is_in_category(pov_relation_registry_at(i), category)) {
            choose_relation(options, i);
            any = true;
        }
    return any;
}

static bool choose_named(judge_options *options, const char *name)
{
    const pov_relation_info *relation = pov_relation_lookup(name);
    for (int i = 0; i < pov_relation_registry_len(); i++)
        if (pov_relation_registry_at(i) == relation)
            choose_relation(options, i);
    return relation != NULL;
}

/* Without a list: every direction, and what needs no frame and one relatum. */
static void choose_usual_relations(judge_options *options)
{
    for (int i = 0; i < pov_relation_registry_len(); i++) {
        const pov_relation_info *relation = pov_relation_registry_at(i);
        if (pov_relation_is_direction(relation) ||
            (relation->frame == POV_FRAME_NONE && relation->relata_min == 1))
            choose_relation(options, i);
    }
}

static int choose_relations(judge_options *options)
{
    char name[64];
    POV_REQUIRE(pov_relation_registry_len() <= POV_REGISTRY_MAX);
    options->choice.is_explicit = options->relations[0] != '\0';
    if (!options->choice.is_explicit)
        choose_usual_relations(options);
    for (const char *list = options->relations; next_name(name, sizeof name, &list);)
        if (!choose_named(options, name) && !choose_category(options, name))
            return pov_cli_usage("judge",
                                 "--relations knows no '%s'; did you mean '%s'? It takes the names and "
                                 "categories of 'pov relations', or all",
                                 name, pov_relation_most_like(name)->name);
    return POV_EXIT_OK;
}

/* -------- frames and acceptance -------- */

static int choose_frames(judge_options *options)
{
    enum { NAMES = POV_PERSPECTIVE_COUNT + POV_CONVENTION_COUNT + POV_AXIS_COUNT };
    pov_relation_choice *choice = &options->choice;
    const char *names[NAMES];
    bool *flags[NAMES];
    int count = 0;
    for (int i = 0; i < POV_PERSPECTIVE_COUNT; i++, count++) {
        names[count] = pov_perspective_name((pov_perspective)i);
        flags[count] = &choice->perspective[i];
    }
    for (int i = 0; i < POV_CONVENTION_COUNT; i++, count++) {
        names[count] = pov_convention_name((pov_convention)i);
        flags[count] = &choice->convention[i];
    }
    for (int i = 0; i < POV_AXIS_COUNT; i++, count++) {
        names[count] = pov_axis_name((pov_axis)i);
        flags[count] = &choice->axis[i];
    }
    int code = choose_flags("--frames", options->frames, names, flags, NAMES);
    default_to(choice->perspective, POV_PERSPECTIVE_COUNT, -1);
    default_to(choice->convention, POV_CONVENTION_COUNT, -1);
    default_to(choice->axis, POV_AXIS_COUNT, POV_AXIS_USUAL);
    memcpy(options->judging.axis, choice->axis, sizeof choice->axis);
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
    int code = choose_flags("--acceptance", options->acceptance, names, flags, POV_ACCEPTANCE_COUNT);
    if (options->regions_path && options->acceptance[0] == '\0')
        options->judging.acceptance[POV_TEMPLATE] = true;
    default_to(options->judging.acceptance, POV_ACCEPTANCE_COUNT, POV_HEMISPHERE);
    while (!options->judging.acceptance[options->choice.acceptance])
        options->choice.acceptance++;
    return code;
}

static int read_regions(judge_options *options)
{
    if (!options->regions_path)
        return POV_EXIT_OK;
    if (!options->judging.acceptance[POV_TEMPLATE])
        return pov_cli_usage("judge", "--template is not used: --acceptance does not name template");
    return pov_cli_exit(pov_template_read(&options->judging.regions, options->regions_path));
}

/* -------- options -------- */

static const char *frame_names(int i)
{
    const int conventions = i - POV_PERSPECTIVE_COUNT, axes = conventions - POV_CONVENTION_COUNT;
    return conventions < 0         ? pov_perspective_name((pov_perspective)i)
           : axes < 0              ? pov_convention_name((pov_convention)conventions)
           : axes < POV_AXIS_COUNT ? pov_axis_name((pov_axis)axes)
                                   : NULL;
}

POV_NAMES_OF(acceptance_names, pov_acceptance, POV_ACCEPTANCE_COUNT, pov_acceptance_name)

static const pov_option judge_option_table[] = {
    POV_TEXT(judge_options, pairs, "pairs", "A:B,...",
             "only A as located by B (else every pair without the camera); 'A:*' and '*:B' stand for all the "
             "others, A:B+C for several relata",
             .once = true),
    POV_TEXT(judge_options, relations, "relations", "NAME,...",
             "only these: any name or category that 'pov relations' lists, or all",
             .offer = pov_relations_offer, .once = true),
    POV_TEXT(
        judge_options, frames, "frames", "NAME,...",
        "only these: egocentric, addressee, intrinsic, absolute; and of the viewers' axes only translated, "
        "rotated, reflected; sight_line (default), heading",
        .names = frame_names, .once = true),
    POV_TEXT(judge_options, acceptance, "acceptance", "NAME,...", "hemisphere (default), cosine, template",
             .names = acceptance_names, .once = true),
    POV_PATH(judge_options, regions_path, "template", "FILE",
             "the regions of --acceptance template, as 'pov template fit' writes them"),
    POV_NUMBER(judge_options, judging.abstain_margin, "abstain", "MARGIN", 0, 0.499999,
               "abstain where P is within this of 0.5; without it at 3 sigma"),
    POV_TEXT(judge_options, image, "image", "NAME",
             "of a recording or .jsonl file: the image of that name, not the last", .once = true),
    POV_TAKEN(judge_options, at_s, "at", "[HH:]MM:SS", pov_moment_take,
              "of a recording or .jsonl file: the image at that time after the first", .without = "image"),
    POV_TEXT(judge_options, imagine, "imagine", "AT:FACING",
             "add a hypothetical viewer, 'observer', who stands at one entity and faces another",
             .once = true),
    POV_PATH(judge_options, draw, "draw", "OUT.svg",
             "draw the scene from above; with --pairs, where the relation holds"),
    POV_FLAG(judge_options, json, "json", "for programs, instead of the table"),
    POV_FLAG(judge_options, csv, "csv", "the same as lines of commas", .without = "json"),
    POV_OPTIONS_END,
};

/* Questions were once an option of this command. */
static bool asks_question(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--ask") == 0 || strncmp(argv[i], "--ask=", strlen("--ask=")) == 0)
            return true;
    return false;
}

/* Reads the command line, and the template's file that it names. Returns POV_GO_ON, or an exit code of cli.h, with
 *  a message on stderr: POV_EXIT_USAGE; POV_EXIT_WORLD if the template's file is invalid. */
static int judge_options_parse(judge_options *options, int argc, char **argv)
{
    const pov_judging judging = POV_JUDGING_DEFAULT;
    pov_words words;
    *options = (judge_options){
        .image = "", .at_s = -1, .pairs = "", .relations = "", .frames = "", .acceptance = ""};
    options->judging.abstain_margin = judging.abstain_margin;
    options->judging.regions = judging.regions;
    options->judging.params = judging.params;
    options->judging.own_view = true;
    if (asks_question(argc, argv))
        return pov_cli_usage("judge",
                             "there is no option '--ask' any more; use 'pov ask SCENE \"QUESTION\"'");
    POV_OR_EXIT(pov_command_read(options, &words, &pov_command_judge, argc, argv));
    options->path = words.word[0];
    options->form = options->csv ? POV_OUTPUT_CSV : options->json ? POV_OUTPUT_JSON : options->form;
    int code = choose_relations(options);
    code = code == POV_EXIT_OK ? choose_frames(options) : code;
    code = code == POV_EXIT_OK ? choose_acceptance(options) : code;
    code = code == POV_EXIT_OK ? read_regions(options) : code;
    options->choice.judging = options->judging;
    return code == POV_EXIT_OK ? POV_GO_ON : code;
}

/* The pairs of `pov judge --pairs`: "ball:car", "ball:*", "*:car", "ball:car+box" for several relata. */

enum { PAIR_CAPACITY = (POV_RELATA_MAX + 1) * (POV_NAME_CAPACITY + 1) };

static pov_status find_entity(pov_id *id, const pov_scene *scene, const char *name)
{
    const char *names[POV_ENTITY_MAX];
    *id = pov_scene_find(scene, name);
    if (*id != POV_ID_NONE)
        return pov_ok();
    for (int i = 0; i < scene->len; i++)
        names[i] = scene->entities[i].name;
    char hint[POV_HINT_CAPACITY], known[POV_MESSAGE_CAPACITY / 2];
    list_names(known, sizeof known, names, scene->len);
    return pov_error("--pairs: the scene has no '%s'; it has: %s%s", name, known,
                     pov_names_hint(hint, name, "", names, scene->len));
}

static bool is_every(const char *name)
{
    return strcmp(name, "*") == 0;
}

static pov_status add_relatum(pov_located *located, const pov_scene *scene, const char *name)
{
    pov_id id;
    POV_TRY(find_entity(&id, scene, name));
    bool twice = id == located->referent;
    for (int i = 0; i < located->relatum_len; i++)
        twice = twice || id == located->relatum[i];
    if (twice)
        return pov_error("--pairs: '%s' cannot be located by itself; name different entities", name);
    if (located->relatum_len == POV_RELATA_MAX)
        return pov_error("--pairs: more than %d entities to locate it by", POV_RELATA_MAX);
    located->relatum[located->relatum_len++] = id;
    return pov_ok();
}

/* "car", or "car+box"; an id may have a "+" of its own. */
static pov_status read_relata(pov_located *located, const pov_scene *scene, char *relata)
{
    if (pov_scene_find(scene, relata) != POV_ID_NONE)
        return add_relatum(located, scene, relata);
    for (char *next; relata; relata = next) {
        next = strchr(relata, '+');
        if (next)
            *next++ = '\0';
        POV_TRY(add_relatum(located, scene, relata));
    }
    return pov_ok();
}

/* Nothing is located by the camera, nor by somebody who is not there, unless asked for. */
static bool is_only_viewer(const pov_scene *scene, pov_id id)
{
    return id == scene->camera || scene->entities[id].is_imagined;
}

static pov_status visit_pair(const char *referent, char *relata, const pov_scene *scene, located_visit visit,
                             void *context)
{
    for (pov_id a = 0; a < scene->len; a++)
        for (pov_id b = 0; b < scene->len; b++) {
            pov_located located = {.referent = a, .relatum_len = 1, .relatum = {b}};
            bool skipped = (is_every(referent) && is_only_viewer(scene, a)) ||
                           (is_every(relata) && is_only_viewer(scene, b)) || a == b ||
                           (!is_every(referent) && a != pov_scene_find(scene, referent)) ||
                           (!is_every(relata) && b != pov_scene_find(scene, relata));
            if (!skipped)
                visit(context, &located);
        }
    return pov_ok();
}

static pov_status read_pair(char *pair, const pov_scene *scene, located_visit visit, void *context)
{
    char *colon = strchr(pair, ':');
    pov_located located = {.referent = POV_ID_NONE};
    if (!colon || strchr(colon + 1, ':'))
        return pov_error(
            "--pairs: '%s' is not a pair; write e.g. ball:car, for the ball as located by the car", pair);
    *colon = '\0';
    if (!is_every(pair))
        POV_TRY(find_entity(&located.referent, scene, pair));
    if (!is_every(pair) && scene->entities[located.referent].is_hypothetical)
        return pov_error(
            "--pairs: '%s' is a hypothetical viewer: nothing locates it. Locate things for it, e.g. "
            "ball:car, and read the rows of '%s'",
            pair, pair);
    if (!is_every(colon + 1) && is_every(pair))
        POV_TRY(find_entity(&located.relatum[0], scene, colon + 1));
    if (is_every(pair) || is_every(colon + 1))
        return visit_pair(pair, colon + 1, scene, visit, context);
    POV_TRY(read_relata(&located, scene, colon + 1));
    visit(context, &located);
    return pov_ok();
}

/* Calls `visit` for each that `list` names, in its order; "" stands for every pair that has not the camera in it.
 *  "*" stands for everything but the camera, and the other of the pair.
 *  Returns: POV_ERROR naming what is not a pair or not in the scene, with the nearest id; those before it were visited. */
static pov_status judge_pairs_visit(const char *list, const pov_scene *scene, located_visit visit,
                                    void *context)
{
    char pair[PAIR_CAPACITY];
    if (*list == '\0')
        list = "*:*";
    while (*list != '\0') {
        size_t length = strcspn(list, ",");
        if (length >= sizeof pair)
            return pov_error("--pairs: '%.40s...' is too long for a pair", list);
        memcpy(pair, list, length);
        pair[length] = '\0';
        POV_TRY(read_pair(pair, scene, visit, context));
        list += length + (list[length] == ',');
    }
    return pov_ok();
}

/* Grows the set by entities behind the last. */
static void grow_list(pov_located *located, const pov_scene *scene, int relatum_len, located_visit visit,
                      void *context)
{
    if (located->relatum_len == relatum_len) {
        visit(context, located);
        return;
    }
    pov_id last = located->relatum_len ? located->relatum[located->relatum_len - 1] : -1;
    for (pov_id id = last + 1; id < scene->len; id++) {
        if (id == located->referent || is_only_viewer(scene, id))
            continue;
        located->relatum[located->relatum_len++] = id;
        grow_list(located, scene, relatum_len, visit, context);
        located->relatum_len--;
    }
}

/* Every set of `relatum_len` relata, in the scene's order, for every referent; the camera is in none. */
static void judge_sets_visit(const pov_scene *scene, int relatum_len, located_visit visit, void *context)
{
    for (pov_id referent = 0; referent < scene->len; referent++) {
        pov_located located = {.referent = referent};
        if (!is_only_viewer(scene, referent))
            grow_list(&located, scene, relatum_len, visit, context);
    }
}

static int run(int argc, char **argv);

const pov_command pov_command_judge = {
    .name = "judge",
    .summary = "judge a scene typed by hand: every pair, frame and viewer",
    .run = run,
    .usage = "SCENE [OPTIONS]",
    .about =
        "Judges a scene typed by hand, or an image of a recording (.mcap) or of the lines that 'pov run "
        "--json' "
        "printed (.jsonl): the probability of each relation between entities, in each frame of reference. "
        "docs/SCENE.md tells how a scene is written.",
    .options = judge_option_table,
    .words = {.min = 1, .max = 1, .wanted = "which scene? One file: .yaml, .jsonl or .mcap"},
    .examples = "pov judge kitchen.yaml\n"
                "pov judge kitchen.yaml --pairs cup:plate --frames egocentric,reflected\n"
                "pov judge kitchen.yaml --relations near,topological,between --csv > all.csv\n"
                "pov judge kitchen.yaml --template english.yaml\n"
                "pov judge kitchen.yaml --pairs cup:plate --draw kitchen.svg\n"
                "pov judge monday.mcap --at 00:41 --relations all",
    .exits = "0 judged; 1 the scene or the template is invalid",
};

/* The output of one pass over the pairs. A table has all of a pair together; JSON has a list for each. */
typedef enum { PASS_DIRECTIONS, PASS_SUMMARIES, PASS_RELATIONS } judge_pass;

/* In scenes with more entities, relations without a direction are judged on request only: a pair takes milliseconds. */
enum { SMALL_SCENE = 12 };

typedef struct {
    const judge_options *options;
    const pov_scene *scene;
    pov_judgment *judgments; /* room for every judgment of one pair */
    int capacity;
    judge_pass pass;
    bool first;         /* nothing is printed yet in this list */
    pov_judgment shown; /* of the first pair that has an answer, for a drawing */
    pov_progress progress;
    int64_t done, told; /* pairs in all walks; judgments in this one */
} judge_run;

/* As English speakers lay axes, or without a viewer's; of those the relation that holds best. */
static bool is_more_telling(const pov_judgment *a, const pov_judgment *b)
{
    bool usual_a = a->query.convention >= POV_REFLECTED, usual_b = b->query.convention >= POV_REFLECTED;
    if (isnan(a->theta_rad) || isnan(b->theta_rad))
        return isnan(b->theta_rad) && !isnan(a->theta_rad);
    if (usual_a != usual_b)
        return usual_a;
    return a->query.perspective == b->query.perspective && a->query.viewer == b->query.viewer &&
           fabs(a->theta_rad) < fabs(b->theta_rad);
}

static void show_most_telling(pov_judgment *shown, const pov_judgment *judgments, int len)
{
    for (int i = 0; i < len; i++)
        if (is_more_telling(&judgments[i], shown))
            *shown = judgments[i];
}

/* Draws the scene, and the region of a relation if --pairs chose one. */
static int draw_scene(const judge_options *options, const pov_scene *scene, const pov_judgment *shown)
{
    if (!options->draw)
        return POV_EXIT_OK;
    if (options->pairs[0] && isnan(shown->theta_rad))
        pov_cli_warn(
            "%s: shows no region: none of the relations judged here is a direction, and only those have one",
            options->draw);
    return pov_cli_exit(
        pov_scene_svg_write(options->draw, scene, isnan(shown->theta_rad) ? NULL : shown, NULL));
}

/* Without a choice, everything is printed. */
static bool tells_sights(const judge_options *options)
{
    return options->relations[0] == '\0' && options->frames[0] == '\0' && options->form != POV_OUTPUT_CSV;
}

static bool tells_relations(const judge_options *options, const pov_scene *scene)
{
    return options->choice.is_explicit ||
           (tells_sights(options) && (options->pairs[0] != '\0' || scene->len <= SMALL_SCENE));
}

/* -------- a pair -------- */

static bool is_wanted(const pov_relation_choice *choice, const pov_query *query)
{
    return choice->perspective[query->perspective] &&
           (query->convention == POV_NO_CONVENTION || choice->convention[query->convention]);
}

/* Number of the wanted judgments, in the run's buffer. */
static int judge_directions(judge_run *run, const pov_located *located)
{
    const judge_options *options = run->options;
    if (!options->judges_directions || located->relatum_len != 1)
        return 0;
    int all = pov_relation_evaluate_pair(run->judgments, run->capacity, run->scene, located->referent,
                                         located->relatum[0], &options->judging);
    int len = 0;
    POV_REQUIRE(all <= run->capacity);
    for (int i = 0; i < all; i++)
        if (is_wanted(&options->choice, &run->judgments[i].query))
            run->judgments[len++] = run->judgments[i];
    if (isnan(run->shown.theta_rad))
        show_most_telling(&run->shown, run->judgments, len);
    return len;
}

/* Why all that follows is undefined. */
static void print_lost(const pov_entity *entity)
{
    if (!entity->placed)
        printf(", but %s has no position", entity->name);
}

static void print_title(const judge_run *run, const pov_located *located)
{
    const pov_entity *e = run->scene->entities;
    printf("%s%s to %s", run->first ? "" : "\n", e[located->referent].name, e[located->relatum[0]].name);
    for (int i = 1; i < located->relatum_len; i++)
        printf(" and %s", e[located->relatum[i]].name);
    print_lost(&e[located->referent]);
    for (int i = 0; i < located->relatum_len; i++)
        print_lost(&e[located->relatum[i]]);
    putchar('\n');
}

/* A pair of which there is nothing to tell gets no title. */
static bool has_relations(const judge_run *run, const pov_located *located)
{
    return tells_relations(run->options, run->scene) &&
           (pov_relation_choice_needs(&run->options->choice, located->relatum_len, false) ||
            (located->relatum_len > 3 && pov_relation_choice_needs(&run->options->choice, 3, true)));
}

static void print_pair(judge_run *run, const pov_located *located)
{
    int len = judge_directions(run, located);
    bool graded = has_relations(run, located);
    if (len == 0 && !graded)
        return;
    print_title(run, located);
    pov_judge_print_table(stdout, run->scene, run->judgments, len);
    pov_judge_print_summary(stdout, run->judgments, len);
    if (graded)
        pov_relation_choice_print(stdout, &run->options->choice, run->scene, located);
    run->first = false;
}

static void print_pair_csv(judge_run *run, const pov_located *located)
{
    int len = judge_directions(run, located);
    for (int i = 0; i < len; i++)
        pov_judge_print_csv(stdout, run->scene, &run->judgments[i], true);
    if (run->options->choice.is_explicit)
        pov_relation_choice_print_csv(stdout, &run->options->choice, run->scene, located);
}

static void print_pair_json(judge_run *run, const pov_located *located)
{
    if (run->pass == PASS_RELATIONS) {
        if (has_relations(run, located))
            pov_relation_choice_print_json(stdout, &run->options->choice, run->scene, located, &run->first);
        return;
    }
    int len = judge_directions(run, located);
    if (run->pass == PASS_SUMMARIES) {
        pov_judge_print_summary_json(stdout, run->scene, run->judgments, len, run->told, &run->first);
        run->told += len;
        return;
    }
    for (int i = 0; i < len; i++)
        pov_json_print_element(stdout, pov_judge_object(run->scene, &run->judgments[i], true), &run->first);
}

static void judge_located(void *context, const pov_located *located)
{
    judge_run *run = context;
    if (run->options->form == POV_OUTPUT_JSON)
        print_pair_json(run, located);
    else if (run->options->form == POV_OUTPUT_CSV)
        print_pair_csv(run, located);
    else
        print_pair(run, located);
    pov_progress_update(&run->progress, ++run->done, pov_clock_monotonic_ns());
}

static void count_located(void *context, const pov_located *located)
{
    (void)located;
    ++*(int64_t *)context;
}

/* -------- all that was chosen -------- */

static pov_status visit_chosen(const judge_options *options, const pov_scene *scene, located_visit visit,
                               void *context)
{
    POV_TRY(judge_pairs_visit(options->pairs, scene, visit, context));
    for (int relata = 2; relata <= 3 && options->pairs[0] == '\0'; relata++)
        if (pov_relation_choice_needs(&options->choice, relata, false))
            judge_sets_visit(scene, relata, visit, context);
    return pov_ok();
}

static void walk_pairs(judge_run *run, judge_pass pass)
{
    run->pass = pass;
    run->first = true;
    run->told = 0;
    POV_REQUIRE(visit_chosen(run->options, run->scene, judge_located, run).code ==
                POV_OK); /* checked before */
}

static pov_status print_json(judge_run *run)
{
    putchar('{');
    if (run->options->regions_path)
        pov_judge_print_template_json(stdout, run->options->regions_path, &run->options->judging.regions);
    fputs("\"judgments\":[", stdout);
    walk_pairs(run, PASS_DIRECTIONS);
    fputs("],\"summaries\":[", stdout);
    walk_pairs(run, PASS_SUMMARIES);
    fputs("],\"relations\":[", stdout);
    walk_pairs(run, PASS_RELATIONS);
    fputs("],\"visibility\":[", stdout);
    const pov_status status = pov_judge_print_visibility_json(stdout, run->scene);
    fputs("]}\n", stdout);
    return status;
}

static pov_status print_table(judge_run *run)
{
    if (run->options->regions_path)
        pov_judge_print_template(stdout, run->options->regions_path, &run->options->judging.regions);
    walk_pairs(run, PASS_DIRECTIONS);
    if (run->first)
        puts("nothing to judge: the scene has no two entities, no frame that was asked for, or --pairs has "
             "too "
             "few relata (A:B+C for 'between')");
    return pov_judge_print_visibility(stdout, run->scene);
}

static pov_status print_csv(judge_run *run)
{
    pov_judge_print_csv_header(stdout);
    walk_pairs(run, PASS_DIRECTIONS);
    return pov_ok();
}

static pov_status print_all(judge_run *run)
{
    switch (run->options->form) {
    case POV_OUTPUT_JSON:
        return print_json(run);
    case POV_OUTPUT_CSV:
        return print_csv(run);
    default:
        return print_table(run);
    }
}

static void say_what_is_left_out(const judge_options *options, const pov_scene *scene)
{
    if (tells_sights(options) && !tells_relations(options, scene))
        pov_cli_warn(
            "%d entities: only directions and visibility are printed; for the other relations choose "
            "--pairs or --relations all",
            scene->len);
}

static int print_judgments(const judge_options *options, const pov_scene *scene)
{
    int64_t total = 0;
    pov_status status = visit_chosen(options, scene, count_located, &total);
    if (status.code != POV_OK)
        return pov_cli_usage("judge", "%s", status.message);
    if (options->form == POV_OUTPUT_JSON)
        total *= PASS_RELATIONS + 1;
    judge_run run = {.options = options, .scene = scene, .shown.theta_rad = NAN};
    int per_viewer = POV_CONVENTION_COUNT * POV_AXIS_COUNT;
    run.capacity = (scene->len * per_viewer + 2) * POV_RELATION_COUNT * POV_ACCEPTANCE_COUNT;
    run.judgments = pov_allocate((size_t)run.capacity, sizeof *run.judgments);
    run.progress = pov_progress_start(isatty(STDOUT_FILENO) || total < 1000 ? NULL : stderr, "pairs", total,
                                      pov_clock_monotonic_ns());
    say_what_is_left_out(options, scene);
    status = print_all(&run);
    pov_progress_finish(&run.progress, run.done, pov_clock_monotonic_ns());
    free(run.judgments);
    if (status.code != POV_OK)
        return pov_cli_fail(status);
    if (options->pairs[0] == '\0')
        run.shown.theta_rad = NAN; /* no pair was chosen */
    return draw_scene(options, scene, &run.shown);
}

/* damage: of the recording that it is from. */
static pov_status read_scene(pov_scene *scene, pov_status *damage, const judge_options *options)
{
    const pov_scene_source_config config = {
        .where = options->path, .image = options->image, .at_s = options->at_s};
    pov_scene_source *source;
    pov_talk_about about;
    POV_TRY(pov_scene_source_new(&source, &config));
    const pov_status status = pov_scene_source_next(source, &about);
    if (status.code == POV_OK)
        *scene = *about.scene;
    *damage = pov_scene_source_damage(source);
    pov_scene_source_destroy(&source);
    return status;
}

static int run(int argc, char **argv)
{
    judge_options options;
    POV_OR_EXIT(judge_options_parse(&options, argc, argv));
    pov_scene scene;
    pov_status damage, status = read_scene(&scene, &damage, &options);
    POV_THEN(status, pov_imagine_option_apply(&scene, options.imagine));
    if (status.code != POV_OK)
        return pov_cli_fail(status);
    const int exit = print_judgments(&options, &scene);
    return exit == POV_EXIT_OK ? pov_cli_exit(damage) : exit;
}
