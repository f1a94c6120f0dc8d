#include "firmware/clock.h"
#include "firmware/commands.h"

#include "ask/print/judge_sight.h"
#include "ask/print/judge_summary.h"
#include "config/files/json_value.h"
#include "config/scene/scene_file.h"
#include "draw/scene_svg.h"
#include "firmware/judge/judge_options.h"
#include "firmware/judge/judge_pairs.h"
#include "firmware/progress.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int run(int argc, char **argv);

const pov_command pov_command_judge = {
    .name = "judge",
    .summary = "judge a scene typed by hand: every pair, frame and viewer",
    .run = run,
    .usage = "SCENE.yaml [OPTIONS]",
    .about =
        "Judges a scene typed by hand, or a line of 'pov run --json': which relations hold between which "
        "entities, in which frame of reference, how surely. docs/SCENE.md tells how a scene is written.",
    .options = pov_judge_option_table,
    .words = {.min = 1, .max = 1, .wanted = "which scene? One YAML file"},
    .examples = "pov judge kitchen.yaml\n"
                "pov judge kitchen.yaml --pairs cup:plate --frames egocentric,reflected\n"
                "pov judge kitchen.yaml --relations near,topological,between --csv > all.csv\n"
                "pov judge kitchen.yaml --template english.yaml\n"
                "pov judge kitchen.yaml --pairs cup:plate --draw kitchen.svg",
    .exits = "0 judged; 1 the scene or the template is invalid",
};

/* The output of one pass over the pairs. A table has all of a pair together; JSON has a list for each. */
typedef enum { PASS_DIRECTIONS, PASS_SUMMARIES, PASS_RELATIONS } judge_pass;

/* In scenes with more entities, relations without a direction are judged on request only: a pair takes milliseconds. */
enum { SMALL_SCENE = 12 };

typedef struct {
    const pov_judge_options *options;
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
static int draw_scene(const pov_judge_options *options, const pov_scene *scene, const pov_judgment *shown)
{
    if (!options->draw)
        return POV_EXIT_OK;
    pov_status status =
        pov_scene_svg_write(options->draw, scene, isnan(shown->theta_rad) ? NULL : shown, NULL);
    return status.code == POV_OK ? POV_EXIT_OK : pov_cli_fail(status);
}

/* Without a choice, everything is printed. */
static bool tells_sights(const pov_judge_options *options)
{
    return options->relations[0] == '\0' && options->frames[0] == '\0' && options->form != POV_OUTPUT_CSV;
}

static bool tells_relations(const pov_judge_options *options, const pov_scene *scene)
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
    const pov_judge_options *options = run->options;
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

static pov_status visit_chosen(const pov_judge_options *options, const pov_scene *scene,
                               pov_located_visit visit, void *context)
{
    POV_TRY(pov_judge_pairs_visit(options->pairs, scene, visit, context));
    for (int relata = 2; relata <= 3 && options->pairs[0] == '\0'; relata++)
        if (pov_relation_choice_needs(&options->choice, relata, false))
            pov_judge_sets_visit(scene, relata, visit, context);
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
    pov_status status = pov_ok();
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
    if (tells_sights(run->options))
        status = pov_judge_print_visibility_json(stdout, run->scene);
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
    return tells_sights(run->options) ? pov_judge_print_visibility(stdout, run->scene) : pov_ok();
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

static void say_what_is_left_out(const pov_judge_options *options, const pov_scene *scene)
{
    if (tells_sights(options) && !tells_relations(options, scene))
        pov_cli_warn(
            "%d entities: only directions and visibility are printed; for the other relations choose "
            "--pairs or --relations all",
            scene->len);
}

static int print_judgments(const pov_judge_options *options, const pov_scene *scene)
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
    run.judgments = calloc((size_t)run.capacity, sizeof *run.judgments);
    if (!run.judgments)
        return pov_cli_fail(pov_error("no memory for %d judgments", run.capacity));
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

static int run(int argc, char **argv)
{
    pov_judge_options options;
    const int code = pov_judge_options_parse(&options, argc, argv);
    if (code != POV_GO_ON)
        return code;
    pov_scene scene;
    pov_status status = pov_scene_file_read(&scene, options.path);
    if (status.code != POV_OK)
        return pov_cli_fail(status);
    return print_judgments(&options, &scene);
}
