#include "ask/print/judge_relations.h"
#include "config/files/json_value.h"
#include "firmware/commands.h"

#include <cJSON.h>

#include <stdio.h>
#include <string.h>

typedef struct {
    int category; /* -1: all */
    bool json;
} relations_options;

static int run(int argc, char **argv);

POV_NAMES_OF(category_names, pov_category, POV_CATEGORY_COUNT, pov_category_name)

static const pov_option option_table[] = {
    POV_CHOICE(relations_options, category, "category", "NAME", category_names,
               "only those of one of VSR's groups (Table 1), or of ours (cardinal, comparative)"),
    POV_FLAG(relations_options, json, "json", "one JSON object a line for each relation"),
    POV_OPTIONS_END,
};

const pov_command pov_command_relations = {
    .name = "relations",
    .summary = "list the relations that can be judged, or explain one",
    .run = run,
    .usage = "[--category NAME] [--json] [RELATION]",
    .about = "Lists every relation that pov can judge, or explains one, given by its name or in English.",
    .options = option_table,
    .words = {.max = 1,
              .wanted = "one relation at a time (put quotes around a phrase)",
              .offer = pov_relations_offer,
              .only_names = true},
    .notes = "Columns: the relation; * if VSR's captions use it; the frame it needs; S symmetric, T "
             "transitive, M "
             "has a threshold in metres, V uses velocities; its inverse and its negation.",
    .examples = "pov relations near\n"
                "pov relations \"to the left of\"\n"
                "pov relations --category topological\n"
                "pov relations --json | jq -r 'select(.symmetric).name'",
    .exits = "0 done; 1 no such relation",
};

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

/* "share" is not in "enclosed_share". */
static bool list_names(const char *definition, const char *parameter)
{
    for (const char *at = definition; (at = strstr(at, parameter)); at++)
        if (at == definition || at[-1] == ' ' || at[-1] == '(')
            return true;
    return false;
}

/* The numbers that a definition names. */
static void print_parameters(const pov_relation_info *relation)
{
    static const pov_predicate_params p = POV_PREDICATE_PARAMS_DEFAULT;
    const struct {
        const char *name;
        double value, softness;
        const char *unit;
    } parameters[] = {
        {"touch_gap_m", p.touch_gap_m, p.touch_softness_m, " m"},
        {"adjacent_ratio", p.adjacent_ratio, p.adjacent_ratio * p.distance_softness, ""},
        {"near_ratio", p.near_ratio, p.near_ratio * p.distance_softness, ""},
        {"beside_ratio", p.beside_ratio, p.beside_ratio * p.distance_softness, ""},
        {"far_ratio", p.far_ratio, p.far_ratio * p.distance_softness, ""},
        {"far_away_ratio", p.far_away_ratio, p.far_away_ratio * p.distance_softness, ""},
        {"cone_rad", p.cone_rad / POV_DEG, p.cone_softness_rad / POV_DEG, " degrees"},
        {"parallel_rad", p.parallel_rad / POV_DEG, p.parallel_softness_rad / POV_DEG, " degrees"},
        {"share", p.share, p.share_softness, ""},
        {"sunk_share", p.sunk_share, p.sunk_softness, ""},
        {"held_share", p.held_share, p.held_softness, ""},
        {"fit_ratio", p.fit_ratio, p.fit_softness, ""},
        {"enclosed_share", p.enclosed_share, p.enclosed_softness, ""},
        {"enclosed_height_share", p.enclosed_height_share, p.enclosed_height_softness, ""},
        {"middle_ratio", p.middle_ratio, p.place_softness, ""},
        {"edge_ratio", p.edge_ratio, p.place_softness, ""},
        {"horizon_s", p.horizon_s, 0, " s"},
    };
    for (size_t i = 0; i < sizeof parameters / sizeof *parameters; i++) {
        if (!list_names(relation->definition, parameters[i].name))
            continue;
        printf("  %-13s %.3g", parameters[i].name, parameters[i].value);
        if (parameters[i].softness > 0)
            printf(" +- %.2g", parameters[i].softness);
        printf("%s%s\n", parameters[i].unit,
               parameters[i].softness > 0 ? "; from end to end truth goes from 0 to 1" : "");
    }
}

static void print_explanation(const pov_relation_info *relation)
{
    printf("%s\n  holds if      %s\n", relation->name, relation->definition);
    print_parameters(relation);
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
    pov_json_print_line(stdout, object);
}

static int explain_relation(const char *phrase, bool json)
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
static int list_relations(int category, bool json)
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

static int run(int argc, char **argv)
{
    relations_options options = {.category = -1};
    pov_words words;
    POV_OR_EXIT(pov_command_read(&options, &words, &pov_command_relations, argc, argv));
    if (words.len > 0 && options.category >= 0)
        return pov_cli_usage("relations", "--category lists; it does not go with a relation");
    return words.len > 0 ? explain_relation(words.word[0], options.json)
                         : list_relations(options.category, options.json);
}
