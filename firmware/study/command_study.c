#include "compare/study/protocol.h"
#include "config/files/json_value.h"
#include "firmware/commands.h"
#include "firmware/run/station_runner.h"
#include "firmware/study/study_session.h"

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
    pov_json_print_line(stdout, object);
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

/* ---- run, next ---- */

typedef struct {
    const char *log, *participant, *images, *camera;
    bool resume, json;
    pov_dashboard_place dashboard;
} run_options;

static int run_session(int argc, char **argv);
static int run_next(int argc, char **argv);

#define SESSION_OPTIONS                                                                                      \
    POV_PATH(run_options, log, "log", "DIR", "the folder of the study: its log and images",                  \
             .required = true),                                                                              \
        POV_TEXT(run_options, participant, "participant", "P07", "a pseudonym of the protocol",              \
                 .required = true),                                                                          \
        POV_PATH(run_options, images, "images", "DIR", "images taken before, one a look"),                   \
        POV_TEXT(run_options, camera, "camera", "ID", "another camera than the station's, or 'any'"),        \
        POV_FLAG(run_options, json, "json", "a JSON object a line")

static const pov_option run_table[] = {
    SESSION_OPTIONS,
    POV_FLAG(run_options, resume, "resume", "go on with what the log has of the participant"),
    POV_TAKEN(run_options, dashboard, "dashboard", "[HOST:]PORT", pov_dashboard_place_take,
              "a page for the experimenter, as 'pov run --dashboard' has one"),
    POV_OPTIONS_END,
};

static const pov_option next_table[] = {
    SESSION_OPTIONS,
    POV_OPTIONS_END,
};

static const pov_command command_run = {
    .name = "study run",
    .summary = "one participant's session",
    .run = run_session,
    .usage = "STATION.yaml PROTOCOL.yaml --log DIR --participant P07 [OPTIONS]",
    .about = "Leads through a participant's trials, and keeps images, judgments, words and times. Lines on "
             "standard "
             "input lead it, typed or from a script; a blank line starts and stops. What it reports as kept "
             "is on the "
             "disk; after a crash the same command with --resume goes on.",
    .options = run_table,
    .words = {.min = 2, .max = 2, .wanted = "expected a station file and a protocol file"},
    .notes = "  consent        the participant agreed; without it there is no trial\n"
             "  look, turn DEG take an image (after turning the table), and check the scene\n"
             "  start [anyway] start the next trial, if the scene is right\n"
             "  said WORDS     what the participant said; the reply is the robot's reading\n"
             "  pick ID        what the participant picked or pointed at\n"
             "  mark NAME      a marker\n"
             "  note WORDS     a note of the experimenter's\n"
             "  stop, abandon  end the trial: done, or to be repeated\n"
             "  state, quit",
    .examples = "pov study run my_table.yaml mugs.yaml --log mugs --participant P07 --dashboard 8080\n"
                "pov study run my_table.yaml mugs.yaml --log mugs --participant P07 --resume < lines.txt",
    .exits = "0 ended as asked; 1 a file or device failed, or a line was refused",
};

static const pov_command command_next = {
    .name = "study next",
    .summary = "check the scene on the table for the next trial",
    .run = run_next,
    .usage = "STATION.yaml PROTOCOL.yaml --log DIR --participant P07 [OPTIONS]",
    .about = "Takes an image, and compares the scene thing by thing with the one that the participant's next "
             "trial "
             "wants.",
    .options = next_table,
    .words = {.min = 2, .max = 2, .wanted = "expected a station file and a protocol file"},
    .examples = "pov study next my_table.yaml mugs.yaml --log mugs --participant P07",
    .exits = "0 the scene is right; 1 it is not, or a file or device failed",
};

static pov_status lead_session(const run_options *o, const pov_words *words,
                               pov_study_session_options *session, pov_study_summary *summary)
{
    pov_log_folder folder = {.lock = -1};
    pov_protocol *protocol = NULL;
    POV_TRY(pov_station_read(session->station, words->word[0]));
    pov_station_source_replace(&session->station->source, o->images, o->camera);
    session->station->source.rate_hz = 0;
    pov_status status = pov_protocol_new(&protocol, words->word[1]);
    if (status.code == POV_OK)
        status = pov_log_folder_open(&folder, o->log, "pov study run", true);
    if (status.code == POV_OK && *o->dashboard.address) {
        status = pov_dashboard_new(&session->dashboard, &o->dashboard);
        if (status.code == POV_OK)
            fprintf(stderr, "dashboard: %s\n", pov_dashboard_url(session->dashboard));
    }
    session->protocol = protocol;
    session->folder = &folder;
    if (status.code == POV_OK)
        status = pov_study_session_run(summary, session);
    pov_dashboard_destroy(&session->dashboard);
    pov_log_folder_close(&folder);
    pov_protocol_destroy(&protocol);
    return status;
}

static int start_session(const pov_command *command, bool once, int argc, char **argv)
{
    run_options o = {.resume = once};
    pov_study_summary summary = {0};
    pov_words words;
    const int code = pov_command_read(&o, &words, command, argc, argv);
    if (code != POV_GO_ON)
        return code;
    if (o.images && o.camera)
        return pov_cli_usage(command->name, "--images and --camera exclude each other");
    pov_cli_catch_signals();
    pov_station *station = malloc(sizeof *station);
    POV_REQUIRE(station);
    pov_study_session_options session = {
        .station = station, .participant = o.participant, .resume = o.resume, .json = o.json, .once = once};
    const pov_status status = lead_session(&o, &words, &session, &summary);
    free(station);
    if (status.code != POV_OK)
        return pov_cli_fail(status);
    if (once)
        return summary.scene_right ? POV_EXIT_OK : POV_EXIT_WORLD;
    if (!o.json)
        fprintf(stderr, "%s: %d of %d trials are done\n", o.participant, summary.done, summary.wanted);
    return summary.refused == 0
               ? POV_EXIT_OK
               : pov_cli_fail(pov_error("%d lines were refused; see the warnings", summary.refused));
}

static int run_session(int argc, char **argv)
{
    return start_session(&command_run, false, argc, argv);
}

static int run_next(int argc, char **argv)
{
    return start_session(&command_next, true, argc, argv);
}

/* ---- the whole ---- */

static const pov_command *const parts[] = {&command_plan, &command_run, &command_next, NULL};

const pov_command pov_command_study = {
    .name = "study",
    .summary = "an instruction study: plan, run, rate, export",
    .usage = "PART [OPTIONS]",
    .about = "A study in which people instruct a robot, or follow its instructions (docs/STUDY.md).",
    .parts = parts,
    .exits = "0 done; 1 a file, device or connection failed",
};
