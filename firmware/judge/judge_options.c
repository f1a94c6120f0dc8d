#include "firmware/judge/judge_options.h"

#include "calib/template_file.h"
#include "config/yaml_file.h"
#include "firmware/cli.h"

#include <getopt.h>
#include <stdlib.h>
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

/* -------- relations -------- */

static void choose_relation(pov_judge_options *options, int index)
{
    pov_relation direction = pov_relation_registry_at(index)->projective;
    options->choice.relation[index] = true;
    if (direction == POV_RELATION_COUNT)
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
        if (relation->projective != POV_RELATION_COUNT ||
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
    int code = choose("--frames", options->frames, names, flags, NAMES);
    default_to(choice->perspective, POV_PERSPECTIVE_COUNT, -1);
    default_to(choice->convention, POV_CONVENTION_COUNT, -1);
    default_to(choice->axis, POV_AXIS_COUNT, POV_SIGHT_LINE);
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
    int code = choose("--acceptance", options->acceptance, names, flags, POV_ACCEPTANCE_COUNT);
    if (options->regions_path && options->acceptance[0] == '\0')
        options->judging.acceptance[POV_TEMPLATE] = true;
    default_to(options->judging.acceptance, POV_ACCEPTANCE_COUNT, POV_HEMISPHERE);
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

static int parse_margin(pov_judge_options *options, const char *text)
{
    char *end;
    double value = strtod(text, &end);
    if (end == text || *end != '\0' || !(value >= 0 && value < 0.5))
        return pov_cli_usage("judge", "--abstain takes a number from 0 to less than 0.5, not '%s'", text);
    options->judging.abstain_margin = options->choice.judging.abstain_margin = value;
    return POV_EXIT_OK;
}

static int take_option(pov_judge_options *options, int option)
{
    const char **text[] = {
        ['p'] = &options->pairs,      ['r'] = &options->relations,    ['f'] = &options->frames,
        ['a'] = &options->acceptance, ['t'] = &options->regions_path, ['q'] = &options->ask,
        ['d'] = &options->draw};
    switch (option) {
    case 'm':
        return parse_margin(options, optarg);
    case 'j':
        options->form = POV_OUTPUT_JSON;
        return POV_EXIT_OK;
    case 'c':
        options->form = POV_OUTPUT_CSV;
        return POV_EXIT_OK;
    default:
        *text[option] = optarg;
        return POV_EXIT_OK;
    }
}

int pov_judge_options_parse(pov_judge_options *options, int argc, char **argv)
{
    static const struct option known[] = {{"pairs", required_argument, NULL, 'p'},
                                          {"relations", required_argument, NULL, 'r'},
                                          {"frames", required_argument, NULL, 'f'},
                                          {"acceptance", required_argument, NULL, 'a'},
                                          {"template", required_argument, NULL, 't'},
                                          {"abstain", required_argument, NULL, 'm'},
                                          {"ask", required_argument, NULL, 'q'},
                                          {"draw", required_argument, NULL, 'd'},
                                          {"json", no_argument, NULL, 'j'},
                                          {"csv", no_argument, NULL, 'c'},
                                          {NULL, 0, NULL, 0}};
    const pov_judging judging = POV_JUDGING_DEFAULT;
    const pov_relation_judging graded = POV_RELATION_JUDGING_DEFAULT;
    *options = (pov_judge_options){.pairs = "", .relations = "", .frames = "", .acceptance = ""};
    options->judging.abstain_margin = judging.abstain_margin;
    options->judging.regions = judging.regions;
    options->choice.judging = graded;
    optind = 1;
    opterr = 0;
    for (int option; (option = getopt_long(argc, argv, "", known, NULL)) != -1;) {
        int code = option == '?'
                       ? pov_cli_usage("judge", "unknown option or missing value: \"%s\"", argv[optind - 1])
                       : take_option(options, option);
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
    code = code == POV_EXIT_OK ? choose_acceptance(options) : code;
    return code == POV_EXIT_OK ? read_regions(options) : code;
}
