#include "compare/study/protocol.h"
#include "firmware/commands.h"

#include <cJSON.h>
#include <stdlib.h>
#include <string.h>

/* ---- plan ---- */

typedef struct {
    const char *participant;
    bool json;
} plan_options;

static int run_plan(int argc, char **argv);

static const pov_option plan_table[] = {
    POV_TEXT(plan_options, participant, "participant", "P07", "this one only"),
    POV_FLAG(plan_options, json, "json", "a JSON object for each trial, on a line of its own"),
    POV_OPTIONS_END,
};

static const pov_command command_plan = {
    .name = "study plan",
    .summary = "each participant's order of conditions and trials",
    .run = run_plan,
    .usage = "PROTOCOL.yaml [OPTIONS]",
    .about =
        "Checks a protocol, and prints who gets what in which order. The order depends on the file alone.",
    .options = plan_table,
    .words = {.min = 1, .max = 1, .wanted = "expected one protocol file"},
    .examples = "pov study plan mugs.yaml\npov study plan mugs.yaml --participant P07",
    .exits = "0 done; 1 the protocol is wrong",
};

static void print_planned(const pov_protocol *p, const char *participant, const pov_plan *plan, int i,
                          bool json)
{
    const pov_planned_trial *planned = &plan->list[i];
    const pov_study_trial *trial = &p->trials[planned->trial];
    const char *scene = trial->scene >= 0 ? p->scenes[trial->scene].id : "";
    if (!json) {
        if (planned->after_break)
            printf("%-8s        break\n", participant);
        printf("%-8s %5d  %-16s %-16s %-12s %s\n", participant, i + 1, p->conditions[planned->condition].id,
               trial->id, scene, *trial->say ? trial->say : "(speaks freely)");
        return;
    }
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "participant", participant);
    cJSON_AddNumberToObject(object, "position", i + 1);
    cJSON_AddStringToObject(object, "condition", p->conditions[planned->condition].id);
    cJSON_AddStringToObject(object, "trial", trial->id);
    cJSON_AddStringToObject(object, "scene", scene);
    cJSON_AddStringToObject(object, "say", trial->say);
    cJSON_AddBoolToObject(object, "after_break", planned->after_break);
    char *line = cJSON_PrintUnformatted(object);
    puts(line ? line : "{}");
    cJSON_free(line);
    cJSON_Delete(object);
}

static int run_plan(int argc, char **argv)
{
    plan_options options = {0};
    pov_words words;
    pov_protocol *protocol;
    int only = -1;
    const int code = pov_command_read(&options, &words, &command_plan, argc, argv);
    if (code != POV_GO_ON)
        return code;
    pov_status status = pov_protocol_new(&protocol, words.word[0]);
    if (status.code == POV_OK && options.participant)
        status = pov_protocol_find(protocol, &only, options.participant);
    pov_plan *plan = malloc(sizeof *plan);
    POV_REQUIRE(plan);
    if (status.code == POV_OK && !options.json)
        printf("%-8s %5s  %-16s %-16s %-12s %s\n", "who", "place", "condition", "trial", "scene",
               "instruction");
    for (int i = 0; status.code == POV_OK && i < protocol->participant_len; i++) {
        if (only >= 0 && i != only)
            continue;
        pov_protocol_plan(plan, protocol, i);
        for (int k = 0; k < plan->len; k++)
            print_planned(protocol, protocol->participants[i], plan, k, options.json);
    }
    free(plan);
    pov_protocol_destroy(&protocol);
    return status.code == POV_OK ? POV_EXIT_OK : pov_cli_fail(status);
}

/* ---- the whole ---- */

static const pov_command *const parts[] = {&command_plan, NULL};

const pov_command pov_command_study = {
    .name = "study",
    .summary = "an instruction study: plan, run, rate, export",
    .usage = "PART [OPTIONS]",
    .about = "A study in which people instruct a robot, or follow its instructions (docs/STUDY.md).",
    .parts = parts,
    .exits = "0 done; 1 a file, device or connection failed",
};
