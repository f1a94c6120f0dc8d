#include "firmware/study/command_study.h"
#include "compare/log/study_log.h"
#include "compare/study/protocol.h"
#include "compare/study/study_results.h"
#include "config/files/json_value.h"
#include "config/files/text.h"
#include "config/files/write_file.h"
#include "firmware/cli.h"
#include "firmware/commands.h"
#include "firmware/comparison/log_folder.h"
#include "firmware/dashboard/dashboard.h"
#include "firmware/run/station_runner.h"
#include "firmware/study/study_session.h"
#include "firmware/study/study_voice.h"

#include <cJSON.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

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
    .about = "Checks a protocol, and prints each participant's trials in their order. The order depends on "
             "the file alone.",
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

/* Who is seated in one condition stays there in none of the others: each must say where. */
static void warn_of_missing_poses(const pov_protocol *p)
{
    for (int c = 0; c < p->condition_len; c++)
        for (int i = 0; i < p->conditions[c].len; i++)
            for (int other = 0; other < p->condition_len; other++) {
                const char *id = p->conditions[c].poses[i].id;
                bool has = false;
                for (int k = 0; k < p->conditions[other].len; k++)
                    has = has || strcmp(p->conditions[other].poses[k].id, id) == 0;
                if (!has)
                    pov_cli_warn(
                        "condition %s says where %s is, and condition %s does not: there the station "
                        "file's place counts",
                        p->conditions[c].id, id, p->conditions[other].id);
            }
}

static int run_plan(int argc, char **argv)
{
    plan_options options = {0};
    pov_words words;
    pov_protocol *protocol;
    int only = -1;
    POV_OR_EXIT(pov_command_read(&options, &words, &command_plan, argc, argv));
    pov_status status = pov_protocol_new(&protocol, words.word[0]);
    if (status.code == POV_OK && options.participant)
        status = pov_protocol_find(protocol, &only, options.participant);
    pov_plan *plan = malloc(sizeof *plan);
    POV_REQUIRE_MEMORY(plan);
    if (status.code == POV_OK)
        warn_of_missing_poses(protocol);
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
    return pov_cli_exit(status);
}

/* ---- run, next ---- */

typedef struct {
    const char *log, *participant, *images, *camera;
    bool resume, record, json, no_publish;
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
        POV_FLAG(run_options, json, "json", "a JSON object a line"),                                         \
        POV_FLAG(run_options, no_publish, "no-publish",                                                      \
                 "publish nothing, whatever endpoints the station names")
static const pov_option run_table[] = {
    SESSION_OPTIONS,
    POV_FLAG(run_options, resume, "resume", "go on with the participant's session in the log"),
    POV_FLAG(run_options, record, "record",
             "record the trials, too: DIR/recordings/P07.1.mcap (docs/RECORDING.md)"),
    POV_TAKEN(run_options, dashboard.at, "dashboard", "[HOST:]PORT", pov_http_place_take,
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
             "standard input lead it, typed or from a script; a blank line starts and stops. Everything that "
             "it reports "
             "as kept is on the disk; after a crash the same command with --resume goes on.",
    .options = run_table,
    .words = {.min = 2, .max = 2, .wanted = "expected a station file and a protocol file"},
    .notes = "  consent        the participant agreed; without it there is no trial\n"
             "  look, turn DEG take an image (after turning the table), and check the scene\n"
             "  start [anyway] start the next trial, if the scene is right\n"
             "  said WORDS     the participant's words; the reply is the robot's reading\n"
             "  pick ID        the thing that the participant picked or pointed at\n"
             "  pick pointed   the one that the addressee's arm points at in the image\n"
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
             "trial wants.",
    .options = next_table,
    .words = {.min = 2, .max = 2, .wanted = "expected a station file and a protocol file"},
    .examples = "pov study next my_table.yaml mugs.yaml --log mugs --participant P07",
    .exits = "0 the scene is right; 1 it is not, or a file or device failed",
};

pov_status pov_study_open_page(pov_dashboard **dashboard, const pov_dashboard_place *place)
{
    *dashboard = NULL;
    if (!*place->at.address)
        return pov_ok();
    POV_TRY(pov_dashboard_new(dashboard, place));
    pov_dashboard_print_place(*dashboard, "page", "study.html");
    return pov_ok();
}

void pov_study_close_page(pov_dashboard **dashboard)
{
    if (*dashboard && !pov_cli_stop_requested())
        nanosleep(&(struct timespec){.tv_sec = 1}, NULL);
    pov_dashboard_destroy(dashboard);
}

static pov_status begin_recording(pov_study_session_options *session, const char *station_path)
{
    pov_record_config *record = &session->station->record;
    char folder[POV_RECORD_PATH_CAPACITY];
    memset(record->when, 0, sizeof record->when); /* trials are recorded whole */
    if (!pov_text_fits_as(folder, sizeof folder, "%s/" POV_STUDY_RECORDINGS, session->folder->path))
        return pov_error("%.150s: this path is too long for recordings in it", session->folder->path);
    POV_TRY(pov_write_folder(folder));
    int number = 1;
    do
        if (!pov_text_fits_as(record->path, sizeof record->path, "%s/%s.%d.mcap", folder,
                              session->participant, number++))
            return pov_error("%.150s: this path is too long for recordings in it", session->folder->path);
    while (access(record->path, F_OK) == 0);
    return pov_station_record(&session->recorder, session->station, station_path,
                              pov_pipeline_video_source(&session->station->source));
}

static pov_status lead_session(const run_options *o, const pov_words *words,
                               pov_study_session_options *session, pov_study_summary *summary)
{
    pov_log_folder folder = {.lock = -1};
    pov_protocol *protocol = NULL;
    POV_TRY(pov_station_read(session->station, words->word[0]));
    pov_station_source_replace(&session->station->source, o->images, o->camera);
    session->station->source.rate_hz = 0;
    pov_status status = pov_protocol_new(&protocol, words->word[1]);
    POV_THEN(status, pov_log_folder_open(&folder, o->log, "pov study run", true));
    POV_THEN(status, pov_study_open_page(&session->dashboard, &o->dashboard));
    session->protocol = protocol;
    session->folder = &folder;
    if (status.code == POV_OK)
        pov_study_warn_of_seats(&session->station->cast, protocol);
    if (status.code == POV_OK && o->record) /* a warning of now is not a part of any trial */
        status = begin_recording(session, words->word[0]);
    POV_THEN(status, pov_study_session_run(summary, session));
    pov_study_close_page(&session->dashboard);
    pov_log_folder_close(&folder);
    pov_protocol_destroy(&protocol);
    return status;
}

static int finish_session(const run_options *o, const pov_study_summary *summary, bool once)
{
    if (once)
        return summary->scene_right ? POV_EXIT_OK : POV_EXIT_WORLD;
    if (!o->json)
        fprintf(stderr, "%s: %d of %d trials are done\n", o->participant, summary->done, summary->wanted);
    return summary->refused == 0
               ? POV_EXIT_OK
               : pov_cli_fail(pov_error("%d lines were refused; see the warnings", summary->refused));
}

static int start_session(const pov_command *command, bool once, int argc, char **argv)
{
    run_options o = {.resume = once};
    pov_study_summary summary = {0};
    pov_words words;
    POV_OR_EXIT(pov_command_read(&o, &words, command, argc, argv));
    if (o.images && o.camera)
        return pov_cli_usage(command->name, "--images and --camera exclude each other");
    pov_cli_catch_signals();
    pov_station *station = malloc(sizeof *station);
    POV_REQUIRE_MEMORY(station);
    pov_study_session_options session = {.station = station,
                                         .participant = o.participant,
                                         .resume = o.resume,
                                         .json = o.json,
                                         .once = once,
                                         .no_publish = o.no_publish};
    const pov_status status = lead_session(&o, &words, &session, &summary);
    free(station);
    const int result = status.code == POV_OK ? finish_session(&o, &summary, once) : pov_cli_fail(status);
    return pov_station_record_end(&session.recorder, result, !o.json);
}

static int run_session(int argc, char **argv)
{
    return start_session(&command_run, false, argc, argv);
}

static int run_next(int argc, char **argv)
{
    return start_session(&command_next, true, argc, argv);
}

/* ---- export ---- */

typedef struct {
    const char *out;
    bool json;
} export_options;

static int run_export(int argc, char **argv);

static const pov_option export_table[] = {
    POV_PATH(export_options, out, "out", "FOLDER", "where the tables go", .required = true),
    POV_FLAG(export_options, json, "json", "the scores as one JSON object"),
    POV_OPTIONS_END,
};

static const pov_command command_export = {
    .name = "study export",
    .summary = "tidy tables for R and pandas, and the scores",
    .run = run_export,
    .usage = "DIR --out FOLDER [OPTIONS]",
    .about = "Writes trials.csv, judgments.csv, events.csv and ratings.csv, a row each; docs/STUDY.md "
             "explains the columns. Prints the frames meant, the robot's part, and the raters' agreement. "
             "'pov report DIR' makes a page of it.",
    .options = export_table,
    .words = {.min = 1, .max = 1, .wanted = "expected the study's folder"},
    .examples = "pov study export mugs --out tables",
    .exits = "0 done; 1 a file failed",
};

static pov_status write_tables(pov_study_log *log, const char *out)
{
    char path[POV_PATH_CAPACITY];
    pov_write_file file;
    POV_TRY(pov_write_folder(out));
    for (int i = 0; i < POV_STUDY_TABLES; i++) {
        if (snprintf(path, sizeof path, "%s/%s.csv", out, pov_study_table_name(i)) >= (int)sizeof path)
            return pov_error("%s: this path is too long", out);
        POV_TRY(pov_write_file_begin(&file, path));
        POV_TRY(pov_write_file_end(&file, pov_study_write_csv(log, file.stream, i)));
    }
    return pov_ok();
}

static pov_status print_scores(pov_study_log *log, bool json)
{
    pov_study_results *results;
    POV_TRY(pov_study_results_new(&results, log));
    pov_sheet *sheet = pov_sheet_new();
    pov_study_scores(sheet, results);
    pov_sheet_write(sheet, stdout, json);
    pov_sheet_destroy(&sheet);
    pov_study_results_destroy(&results);
    return pov_ok();
}

static int run_export(int argc, char **argv)
{
    export_options o = {.json = false};
    pov_words words;
    char path[POV_LOG_PATH_CAPACITY + 16];
    pov_study_log *log = NULL;
    POV_OR_EXIT(pov_command_read(&o, &words, &command_export, argc, argv));
    pov_log_folder_path(path, words.word[0]);
    pov_status status = pov_study_log_new(&log, path, POV_LOG_READ);
    if (status.code == POV_OK) {
        pov_log_folder_warn(path, pov_study_log_damage(log));
        status = write_tables(log, o.out);
    }
    POV_THEN(status, print_scores(log, o.json));
    pov_study_log_destroy(&log);
    return pov_cli_exit(status);
}

/* ---- the whole ---- */

static const pov_command *const parts[] = {&command_plan,
                                           &command_run,
                                           &command_next,
                                           &pov_command_study_rate,
                                           &pov_command_study_questions,
                                           &command_export,
                                           &pov_command_study_forget,
                                           NULL};

const pov_command pov_command_study = {
    .name = "study",
    .summary = "an instruction study: plan, run, rate, export; a human baseline",
    .usage = "PART [OPTIONS]",
    .about = "A study in which people instruct a robot, or follow its instructions (docs/STUDY.md).",
    .parts = parts,
    .exits = "0 done; 1 a file, device or connection failed",
};
