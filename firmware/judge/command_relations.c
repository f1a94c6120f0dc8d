#include "firmware/cli.h"
#include "firmware/commands.h"
#include "perception/relations/relation_registry.h"

#include <cjson/cJSON.h>

#include <getopt.h>
#include <stdio.h>
#include <string.h>

static const char help[] =
    "Usage: pov relations [--category NAME] [--json] [RELATION]\n"
    "Lists every relation that pov can judge, or explains one, given by its name or in English.\n"
    "\n"
    "  --category NAME   only those of adjacency, directional, orientation, projective, proximity,\n"
    "                    topological, unallocated (the groups of VSR's Table 1), cardinal or comparative\n"
    "  --json            one JSON object a line for each relation\n"
    "  --help            this text\n"
    "\n"
    "Columns: the relation; * if VSR's captions use it; what frame it needs; S symmetric, T transitive,\n"
    "M has a threshold in metres, V uses velocities; its inverse and its negation.\n"
    "\n"
    "Examples: pov relations near\n"
    "          pov relations \"to the left of\"\n"
    "          pov relations --category topological\n"
    "          pov relations --json | jq -r 'select(.symmetric).name'\n"
    "Exit codes: 0 done, 1 no such relation or category, 2 wrong usage.\n";

static const char *or_dash(const char *name)
{
    return name ? name : "-";
}

static void print_row(const pov_relation_info *relation)
{
    char traits[] = {relation->symmetric ? 'S' : '.', relation->transitive ? 'T' : '.',
                     relation->metric ? 'M' : '.', relation->moving ? 'V' : '.', '\0'};
    printf("%-20s %c %-12s %-6s %s  %-20s %s\n", relation->name, relation->vsr == POV_VSR_USED ? '*' : ' ',
           pov_category_name(relation->category), pov_frame_need_name(relation->frame), traits,
           or_dash(relation->inverse), or_dash(relation->negation));
}

static const char *explain_frame(pov_frame_need frame)
{
    static const char *const sentences[] = {
        "none: the same for everyone",
        "front and left at the relatum: egocentric, addressee or intrinsic",
        "north: the absolute perspective",
        "where the viewer stands: the camera or an addressee",
    };
    return sentences[frame];
}

static void print_phrases(const pov_relation_info *relation)
{
    printf("  said          ");
    for (int i = 0; i < POV_PHRASES_MAX && relation->phrases[i]; i++)
        printf("%s\"%s\"", i ? ", " : "", relation->phrases[i]);
    printf("\n");
}

static void print_explanation(const pov_relation_info *relation)
{
    printf("%s\n  holds if      %s\n", relation->name, relation->definition);
    print_phrases(relation);
    printf("  category      %s%s\n", pov_category_name(relation->category),
           relation->vsr == POV_VSR_USED     ? "; in VSR's captions"
           : relation->vsr == POV_VSR_UNUSED ? "; in VSR's table, but in no caption"
                                             : "");
    printf("  frame         %s\n", explain_frame(relation->frame));
    printf("  relata        %d%s\n", relation->relata_min, relation->relata_min > 2 ? " or more" : "");
    printf("  inverse       %s\n", relation->symmetric ? "itself" : or_dash(relation->inverse));
    printf("  negation      %s\n", or_dash(relation->negation));
    printf("  transitive    %s\n", relation->transitive ? "yes" : "no");
    printf("  scale         %s\n",
           relation->metric ? "has a threshold in metres" : "scaling the whole world does not change it");
    printf("  motion        %s\n", relation->moving ? "uses velocities where they are known" : "not used");
    printf("  source        %s\n", relation->source);
}

static void add_name(cJSON *object, const char *key, const char *name)
{
    if (name)
        cJSON_AddStringToObject(object, key, name);
    else
        cJSON_AddNullToObject(object, key);
}

static void print_json(const pov_relation_info *relation)
{
    static const char *const uses[] = {"no", "unused", "used"};
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "name", relation->name);
    cJSON_AddStringToObject(object, "category", pov_category_name(relation->category));
    cJSON_AddStringToObject(object, "vsr", uses[relation->vsr]);
    cJSON_AddStringToObject(object, "definition", relation->definition);
    cJSON_AddStringToObject(object, "source", relation->source);
    cJSON_AddStringToObject(object, "frame", pov_frame_need_name(relation->frame));
    cJSON_AddNumberToObject(object, "relata", relation->relata_min);
    add_name(object, "inverse", relation->symmetric ? relation->name : relation->inverse);
    add_name(object, "negation", relation->negation);
    cJSON_AddBoolToObject(object, "symmetric", relation->symmetric);
    cJSON_AddBoolToObject(object, "transitive", relation->transitive);
    cJSON_AddBoolToObject(object, "metric", relation->metric);
    cJSON_AddBoolToObject(object, "moving", relation->moving);
    cJSON *phrases = cJSON_AddArrayToObject(object, "phrases");
    for (int i = 0; i < POV_PHRASES_MAX && relation->phrases[i]; i++)
        cJSON_AddItemToArray(phrases, cJSON_CreateString(relation->phrases[i]));
    char *line = cJSON_PrintUnformatted(object);
    if (line)
        puts(line);
    cJSON_free(line);
    cJSON_Delete(object);
}

static int explain(const char *phrase, bool json)
{
    const pov_relation_info *relation = pov_relation_lookup(phrase);
    if (!relation)
        return pov_cli_fail(pov_error("no relation is called '%s'; the nearest name is '%s'; 'pov relations' "
                                      "lists them all",
                                      phrase, pov_relation_most_like(phrase)->name));
    (json ? print_json : print_explanation)(relation);
    return POV_EXIT_OK;
}

/* -1 for all. */
static int list(int category, bool json)
{
    if (!json)
        printf("%-20s %c %-12s %-6s %s  %-20s %s\n", "relation", '*', "category", "frame", "STMV", "inverse",
               "negation");
    for (int i = 0; i < pov_relation_registry_len(); i++) {
        const pov_relation_info *relation = pov_relation_registry_at(i);
        bool twice = relation->vsr_unallocated_too && category == POV_UNALLOCATED;
        if (category < 0 || relation->category == (pov_category)category || twice)
            (json ? print_json : print_row)(relation);
    }
    return POV_EXIT_OK;
}

static int category_named(const char *name)
{
    for (int i = 0; i < POV_CATEGORY_COUNT; i++)
        if (strcmp(pov_category_name((pov_category)i), name) == 0)
            return i;
    return -1;
}

int pov_command_relations(int argc, char **argv)
{
    static const struct option options[] = {{"category", required_argument, NULL, 'c'},
                                            {"json", no_argument, NULL, 'j'},
                                            {"help", no_argument, NULL, 'h'},
                                            {NULL, 0, NULL, 0}};
    bool json = false;
    int category = -1;
    opterr = 0;
    for (int option; (option = getopt_long(argc, argv, ":", options, NULL)) != -1;) {
        switch (option) {
        case 'h':
            fputs(help, stdout);
            return POV_EXIT_OK;
        case 'j':
            json = true;
            break;
        case 'c':
            category = category_named(optarg);
            if (category < 0)
                return pov_cli_fail(
                    pov_error("no category is called '%s'; 'pov relations --help' names them", optarg));
            break;
        case ':':
            return pov_cli_usage(argv[0], "--category needs a name");
        default:
            return pov_cli_usage(argv[0], "unknown option \"%s\"", argv[optind - 1]);
        }
    }
    if (optind + 1 < argc)
        return pov_cli_usage(argv[0], "one relation at a time; put quotes around a phrase");
    if (optind < argc && category >= 0)
        return pov_cli_usage(argv[0], "--category lists; it does not go with a relation");
    return optind < argc ? explain(argv[optind], json) : list(category, json);
}
