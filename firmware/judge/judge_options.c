#include "firmware/judge/judge_options.h"

#include "config/scene/template_file.h"
#include "firmware/commands.h"

#include <string.h>

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
static int choose_flags(const char *option, const char *list, const char *const names[], bool *const flags[],
                        int count)
{
    char name[64];
    while (next_name(name, sizeof name, &list)) {
        int found = find_name(name, names, count);
        if (found < 0) {
            char hint[POV_HINT_CAPACITY];
            return pov_cli_usage("judge", "%s knows no '%s'%s", option, name,
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

static void choose_relation(pov_judge_options *options, int index)
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

static bool choose_category(pov_judge_options *options, const char *category)
{
    bool any = false;
    for (int i = 0; i < pov_relation_registry_len(); i++)
        if (is_in_category(pov_relation_registry_at(i), category)) {
            choose_relation(options, i);
            any = true;
        }
    return any;
}

static bool choose_named(pov_judge_options *options, const char *name)
{
    const pov_relation_info *relation = pov_relation_lookup(name);
    for (int i = 0; i < pov_relation_registry_len(); i++)
        if (pov_relation_registry_at(i) == relation)
            choose_relation(options, i);
    return relation != NULL;
}

/* Without a list: every direction, and what needs no frame and one relatum. */
static void choose_usual_relations(pov_judge_options *options)
{
    for (int i = 0; i < pov_relation_registry_len(); i++) {
        const pov_relation_info *relation = pov_relation_registry_at(i);
        if (pov_relation_is_direction(relation) ||
            (relation->frame == POV_FRAME_NONE && relation->relata_min == 1))
            choose_relation(options, i);
    }
}

static int choose_relations(pov_judge_options *options)
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

static int choose_frames(pov_judge_options *options)
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

static int choose_acceptance(pov_judge_options *options)
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

static int read_regions(pov_judge_options *options)
{
    if (!options->regions_path)
        return POV_EXIT_OK;
    if (!options->judging.acceptance[POV_TEMPLATE])
        return pov_cli_usage("judge", "--template is not used: --acceptance does not name template");
    pov_status status = pov_template_read(&options->judging.regions, options->regions_path);
    return status.code == POV_OK ? POV_EXIT_OK : pov_cli_fail(status);
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

const pov_option pov_judge_option_table[] = {
    POV_TEXT(pov_judge_options, pairs, "pairs", "A:B,...",
             "only A as located by B (else every pair without the camera); 'A:*' and '*:B' stand for all the "
             "others, A:B+C for several relata",
             .once = true),
    POV_TEXT(pov_judge_options, relations, "relations", "NAME,...",
             "only these: any name or category that 'pov relations' lists, or all",
             .offer = pov_relations_offer, .once = true),
    POV_TEXT(
        pov_judge_options, frames, "frames", "NAME,...",
        "only these: egocentric, addressee, intrinsic, absolute; and of the viewers' axes only translated, "
        "rotated, reflected; sight_line (default), heading",
        .names = frame_names, .once = true),
    POV_TEXT(pov_judge_options, acceptance, "acceptance", "NAME,...",
             "hemisphere (default), cosine, template", .names = acceptance_names, .once = true),
    POV_PATH(pov_judge_options, regions_path, "template", "FILE",
             "the regions of --acceptance template, as 'pov template fit' writes them"),
    POV_NUMBER(pov_judge_options, judging.abstain_margin, "abstain", "MARGIN", 0, 0.499999,
               "abstain where P is within this of 0.5; without it at 3 sigma"),
    POV_PATH(pov_judge_options, draw, "draw", "OUT.svg",
             "draw the scene from above; with --pairs, where the relation holds"),
    POV_FLAG(pov_judge_options, json, "json", "for programs, instead of the table"),
    POV_FLAG(pov_judge_options, csv, "csv", "the same as lines of commas"),
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

int pov_judge_options_parse(pov_judge_options *options, int argc, char **argv)
{
    const pov_judging judging = POV_JUDGING_DEFAULT;
    pov_words words;
    *options = (pov_judge_options){.pairs = "", .relations = "", .frames = "", .acceptance = ""};
    options->judging.abstain_margin = judging.abstain_margin;
    options->judging.regions = judging.regions;
    options->judging.params = judging.params;
    options->judging.own_view = true;
    if (asks_question(argc, argv))
        return pov_cli_usage("judge",
                             "there is no option '--ask' any more; use 'pov ask SCENE \"QUESTION\"'");
    int code = pov_command_read(options, &words, &pov_command_judge, argc, argv);
    if (code != POV_GO_ON)
        return code;
    options->path = words.word[0];
    options->form = options->csv ? POV_OUTPUT_CSV : options->json ? POV_OUTPUT_JSON : options->form;
    code = choose_relations(options);
    code = code == POV_EXIT_OK ? choose_frames(options) : code;
    code = code == POV_EXIT_OK ? choose_acceptance(options) : code;
    code = code == POV_EXIT_OK ? read_regions(options) : code;
    options->choice.judging = options->judging;
    return code == POV_EXIT_OK ? POV_GO_ON : code;
}
