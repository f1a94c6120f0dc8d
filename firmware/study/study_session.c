#include "firmware/study/study_session.h"

#include "ask/talk/talk.h"
#include "compare/log/study_log.h"
#include "config/files/json_value.h"
#include "firmware/cli.h"
#include "firmware/clock.h"
#include "firmware/comparison/image_record.h"
#include "firmware/picture/face_blur.h"
#include "firmware/study/study_marks.h"
#include "firmware/study/study_pointing.h"
#include "firmware/study/study_voice.h"
#include "firmware/sweep/sweep_look.h"
#include "perception/version.h"

#include <cJSON.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WAIT_MS = 50 /* between looks for lines; chosen: nobody notices */ };

typedef struct {
    const pov_study_session_options *options;
    const pov_protocol *protocol;
    pov_study_log *log;
    int64_t participant, consent_ns;
    int number;
    pov_plan plan;
    bool done[POV_PLAN_MAX + 1];
    int at; /* the trial that runs or comes next, from 0; plan.len: none is left */
    bool running;
    pov_log_trial trial;
    pov_sweep_look look;
    bool streams; /* images come by themselves; else one is taken when it is asked for */
    int looks;
    pov_image image;
    bool has_image;       /* since the last turn or trial */
    int64_t stored_image; /* its row in the log; 0: not stored */
    int stored_len;       /* of this trial */
    pov_scene_check check;
    pov_face_blur *blur; /* NULL: images are kept as they are */
    pov_voice voice;
    pov_talk *talk; /* a dialogue a trial */
    char *reply;    /* the last one of this trial, as JSON; NULL: none yet */
    pov_lines input;
    pov_study_summary *summary;
    bool quit;
} session;

static const pov_study_trial *planned_trial(const session *s)
{
    return &s->protocol->trials[s->plan.list[s->at].trial];
}

static const pov_wanted_scene *wanted_scene(const session *s)
{
    const int scene = s->at < s->plan.len ? planned_trial(s)->scene : -1;
    return scene >= 0 ? &s->protocol->scenes[scene] : NULL;
}

/* ---- telling ---- */

/* A line on stdout: an object, or words. */
static void tell_object(const session *s, cJSON *object, const char *words)
{
    if (s->options->json) {
        pov_json_print_line(stdout, object);
    } else {
        cJSON_Delete(object);
        printf("%s\n", words);
    }
    fflush(stdout);
}

static cJSON *check_json(const pov_scene_check *check)
{
    cJSON *list = cJSON_CreateArray();
    for (int i = 0; i < check->len; i++) {
        cJSON *thing = cJSON_CreateObject();
        cJSON_AddStringToObject(thing, "id", check->things[i].id);
        cJSON_AddBoolToObject(thing, "right", check->things[i].right);
        cJSON_AddStringToObject(thing, "text", check->things[i].text);
        cJSON_AddItemToArray(list, thing);
    }
    return list;
}

/* The state of the session: for lines, and for the page. */
static cJSON *state_json(const session *s)
{
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "state",
                            s->at >= s->plan.len ? "finished"
                            : s->running         ? "running"
                                                 : "waiting");
    cJSON_AddStringToObject(object, "participant", s->options->participant);
    cJSON_AddBoolToObject(object, "simulated", pov_station_is_simulated(s->options->station));
    cJSON_AddBoolToObject(object, "consent", s->consent_ns != 0);
    cJSON_AddStringToObject(object, "consent_text", s->protocol->consent);
    cJSON_AddNumberToObject(object, "of", s->plan.len);
    if (s->at >= s->plan.len)
        return object;
    const pov_planned_trial *planned = &s->plan.list[s->at];
    const pov_study_trial *trial = planned_trial(s);
    const pov_wanted_scene *scene = wanted_scene(s);
    cJSON_AddNumberToObject(object, "position", s->at + 1);
    cJSON_AddStringToObject(object, "condition", s->protocol->conditions[planned->condition].id);
    cJSON_AddStringToObject(object, "condition_about", s->protocol->conditions[planned->condition].about);
    cJSON_AddStringToObject(object, "trial", trial->id);
    cJSON_AddStringToObject(object, "say", trial->say);
    cJSON_AddStringToObject(object, "show", trial->show);
    cJSON_AddStringToObject(object, "target", trial->target);
    cJSON_AddStringToObject(object, "break",
                            planned->after_break && !s->running ? s->protocol->break_show : "");
    cJSON_AddStringToObject(object, "scene", scene ? scene->id : "");
    cJSON_AddStringToObject(object, "scene_about", scene ? scene->about : "");
    cJSON_AddBoolToObject(object, "looked", s->has_image);
    cJSON_AddBoolToObject(object, "scene_right", s->check.right && s->has_image);
    cJSON_AddItemToObject(object, "things", check_json(&s->check));
    return object;
}

/* What a participant may know: nothing of conditions, of what is right, or of how the robot reads words. */
static cJSON *participant_json(const cJSON *state)
{
    static const char *const members[] = {"state", "consent", "consent_text", "position",
                                          "of",    "show",    "break"};
    cJSON *object = cJSON_CreateObject();
    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
        if (cJSON_GetObjectItem(state, members[i]))
            cJSON_AddItemToObject(object, members[i],
                                  cJSON_Duplicate(cJSON_GetObjectItem(state, members[i]), true));
    if (strcmp(cJSON_GetStringValue(cJSON_GetObjectItem(state, "state")), "running") == 0)
        cJSON_AddItemToObject(object, "say", cJSON_Duplicate(cJSON_GetObjectItem(state, "say"), true));
    return object;
}

static void show_page(const session *s)
{
    if (!s->options->dashboard)
        return;
    cJSON *state = state_json(s), *participant = participant_json(state);
    const pov_observation *o = s->look.observation;
    cJSON_AddItemToObject(state, "reply", s->reply ? cJSON_CreateRaw(s->reply) : cJSON_CreateNull());
    if (s->has_image) {
        cJSON_AddItemToObject(state, "marks",
                              pov_study_marks_json(o, &s->options->station->camera, wanted_scene(s)));
        cJSON_AddItemToObject(state, "image_px",
                              cJSON_CreateIntArray((const int[]){o->image.width_px, o->image.height_px}, 2));
    }
    char *text = cJSON_PrintUnformatted(state), *shown = cJSON_PrintUnformatted(participant);
    if (text && shown)
        pov_dashboard_show_study(s->options->dashboard, text, shown);
    free(text);
    free(shown);
    cJSON_Delete(state);
    cJSON_Delete(participant);
}

static void tell_state(session *s)
{
    char words[1024];
    if (s->at >= s->plan.len) {
        snprintf(words, sizeof words, "%s has done all %d trials", s->options->participant, s->plan.len);
    } else {
        const pov_planned_trial *planned = &s->plan.list[s->at];
        const pov_study_trial *trial = planned_trial(s);
        snprintf(words, sizeof words, "%s%s%s, trial %d of %d (%s, %s)%s%.200s%s%.300s",
                 planned->after_break ? s->protocol->break_show : "", planned->after_break ? "\n" : "",
                 s->options->participant, s->at + 1, s->plan.len,
                 s->protocol->conditions[planned->condition].id, trial->id, *trial->show ? ": " : "",
                 trial->show, *trial->say ? "; say: " : "", trial->say);
    }
    tell_object(s, state_json(s), words);
}

static void tell_kept(const session *s, const char *what, const pov_log_event *event)
{
    char words[160];
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "kept", what);
    cJSON_AddNumberToObject(object, "position", s->trial.position);
    cJSON_AddNumberToObject(object, "attempt", s->trial.attempt);
    cJSON_AddNumberToObject(object, "event", event ? (double)event->id : 0);
    snprintf(words, sizeof words, "kept: %s", what);
    if (event && event->reading) {
        cJSON *reading = pov_json_parse_text(event->reading);
        const char *say = cJSON_GetStringValue(cJSON_GetObjectItem(reading, "say"));
        if (say)
            snprintf(words, sizeof words, "kept: %s; %.120s", what, say);
        cJSON_Delete(reading); /* as it is kept: parsed and printed again, nanoseconds would lose digits */
        cJSON_AddItemToObject(object, "reading", cJSON_CreateRaw(event->reading));
    }
    tell_object(s, object, words);
}

static void refuse_line(session *s, const char *why)
{
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "refused", why);
    s->summary->refused++;
    if (s->options->dashboard)
        pov_dashboard_say(s->options->dashboard, why);
    if (s->options->json)
        pov_json_print_line(stdout, object);
    else
        cJSON_Delete(object);
    fflush(stdout);
    pov_cli_warn("%s", why);
}

/* ---- looking ---- */

/* Only trials: people agreed to these. */
static pov_status record_look(session *s)
{
    pov_image kept = s->image;
    int faces;
    if (!s->options->recorder || !s->running)
        return pov_ok();
    if (s->blur)
        POV_TRY(pov_face_blur_run(s->blur, &kept, &faces, &s->image));
    return pov_sweep_look_record(&s->look, &kept);
}

/* The last image's pixels are gone once the source is asked for the next. */
static pov_status take_look(session *s)
{
    s->has_image = false;
    s->stored_image = 0;
    const pov_status status = pov_sweep_look_once(&s->look, &s->image, s->looks);
    if (status.code == POV_END && !s->streams && !pov_cli_stop_requested()) {
        refuse_line(s, "there are no more images");
        return pov_ok();
    }
    if (status.code == POV_SKIPPED && s->streams)
        pov_cli_warn("%s", status.message);
    if (status.code == POV_SKIPPED && !s->streams)
        refuse_line(s, status.message);
    if (status.code != POV_OK)
        return status.code == POV_SKIPPED || status.code == POV_TIMEOUT ? pov_ok() : status;
    s->looks++;
    s->has_image = true;
    const pov_wanted_scene *wanted = wanted_scene(s);
    s->check = (pov_scene_check){.right = true};
    if (wanted)
        pov_wanted_scene_check(&s->check, wanted, &s->look.observation->scene);
    show_page(s);
    return record_look(s);
}

static void tell_check(const session *s)
{
    char words[2048];
    size_t len =
        (size_t)snprintf(words, sizeof words, "scene: %s", s->check.right ? "right" : "not yet right");
    for (int i = 0; i < s->check.len && len < sizeof words - 240; i++)
        if (!s->check.things[i].right)
            len += (size_t)snprintf(words + len, sizeof words - len, "\n  %s: %s", s->check.things[i].id,
                                    s->check.things[i].text);
    tell_object(s, state_json(s), words);
}

static pov_status look_and_tell(session *s)
{
    POV_TRY(take_look(s));
    if (s->has_image)
        tell_check(s);
    return pov_ok();
}

/* ---- keeping ---- */

/* The image to its file; its row comes with the event. */
static pov_status store_image(session *s, pov_log_study_image *entry, pov_stored_image *stored)
{
    char name[96];
    snprintf(name, sizeof name, "%s.%03d.%d.%03d", s->options->participant, s->trial.position,
             s->trial.attempt, ++s->stored_len);
    pov_image kept = s->image;
    int faces = -1;
    if (s->blur)
        POV_TRY(pov_face_blur_run(s->blur, &kept, &faces, &s->image));
    POV_TRY(pov_log_folder_store(s->options->folder, stored, &kept, name));
    *entry = (pov_log_study_image){.trial = s->trial.id,
                                   .path = stored->path,
                                   .name = s->image.name,
                                   .capture_ns = s->image.mid_exposure_ns,
                                   .faces = faces};
    snprintf(entry->sha256, sizeof entry->sha256, "%s", stored->sha256);
    return pov_ok();
}

static pov_status keep_with_image(session *s, pov_log_event *event)
{
    char *evidence = NULL, hash[32];
    pov_log_study_image entry;
    pov_stored_image stored = {.bytes = {0}};
    snprintf(hash, sizeof hash, "%016" PRIx64, s->look.observation->image.calibration_hash);
    pov_status status = store_image(s, &entry, &stored);
    POV_THEN(status, pov_image_record_text(&evidence, s->look.observation));
    entry.evidence = evidence;
    entry.calibration_hash = hash;
    POV_THEN(status, pov_study_log_add_event(s->log, event, &entry));
    if (status.code == POV_OK)
        s->stored_image = entry.id;
    free(evidence);
    pov_bytes_free(&stored.bytes);
    return status;
}

/* Logs an event with the image of that moment, which is stored once. */
static pov_status keep_event(session *s, const char *kind, const char *by, const char *text,
                             const char *reading)
{
    pov_log_event event = {.trial = s->trial.id,
                           .at_ns = pov_clock_unix_ns(),
                           .kind = kind,
                           .by = by,
                           .text = text,
                           .reading = reading,
                           .image = s->stored_image};
    if (s->has_image && !s->stored_image)
        POV_TRY(keep_with_image(s, &event));
    else
        POV_TRY(pov_study_log_add_event(s->log, &event, NULL));
    tell_kept(s, kind, &event);
    pov_recorder_mark(s->options->recorder, "trial %d (%s), attempt %d: %s by %s%s%s", s->trial.position,
                      s->trial.trial, s->trial.attempt, kind, by, *text ? ": " : "", text);
    return pov_ok();
}

/* ---- the robot's reading ---- */

/* The reply of `pov ask --json` to an utterance about the scene now; the caller's to free(). */
static pov_status read_utterance(session *s, char **reading, const char *text)
{
    static const pov_judging judging = POV_JUDGING_DEFAULT;
    pov_talk_reply reply;
    *reading = NULL;
    if (!s->has_image)
        return pov_ok();
    const pov_observation *o = s->look.observation;
    const pov_talk_about about = {.scene = &o->scene,
                                  .judging = &judging,
                                  .sights = o->sights,
                                  .sight_len = o->sight_len,
                                  .image = o->image.name,
                                  .sequence = o->image.sequence,
                                  .capture_ns = o->image.capture_ns,
                                  .calibration_hash = o->image.calibration_hash};
    const int64_t begin_ns = pov_clock_monotonic_ns();
    POV_TRY(pov_talk_hear(s->talk, &reply, &about, text));
    cJSON_AddItemToObject(reply.json, "reply_ms",
                          pov_json_rounded((double)(pov_clock_monotonic_ns() - begin_ns) * 1e-6, 3));
    *reading = cJSON_PrintUnformatted(reply.json);
    pov_talk_reply_clear(&reply);
    return *reading ? pov_ok() : pov_error("out of memory");
}

/* Without a voice a session goes on. */
static void warn_if_failed(pov_status status)
{
    if (status.code != POV_OK)
        pov_cli_warn("%s", status.message);
}

/* ---- lines ---- */

/* Puts the cast where the next trial's condition says. */
static void seat_people(session *s)
{
    if (!s->look.pipeline)
        return;
    pov_pipeline_unseat(s->look.pipeline);
    if (s->at >= s->plan.len)
        return;
    const pov_condition *condition = &s->protocol->conditions[s->plan.list[s->at].condition];
    for (int i = 0; i < condition->len; i++) {
        const pov_wanted_thing *pose = &condition->poses[i];
        if (!pov_pipeline_seat(s->look.pipeline, pose->id, pose->has_place ? &pose->at_m : NULL,
                               pose->has_height, pose->has_front ? &pose->front_rad : NULL))
            pov_cli_warn("condition %s: '%s' is not surveyed in the station's cast, and is where it is found",
                         condition->id, pose->id);
    }
}

/* The next trial that is not done. */
static void choose_trial(session *s)
{
    s->at = 0;
    while (s->at < s->plan.len && s->done[s->at + 1])
        s->at++;
    s->running = false;
    seat_people(s);
    s->check = (pov_scene_check){.right = s->at < s->plan.len && !wanted_scene(s)};
    if (!s->streams)
        s->has_image = false;
}

static pov_status keep_utterance(session *s, const char *kind, const char *by, const char *text)
{
    char *reading;
    POV_TRY(read_utterance(s, &reading, text));
    pov_status status = keep_event(s, kind, by, text, reading);
    if (status.code == POV_OK && reading)
        pov_sweep_look_reply(&s->look, &(pov_exchange){"", reading});
    if (status.code == POV_OK && reading && strcmp(kind, "said") == 0) {
        cJSON *object = pov_json_parse_text(reading);
        const char *say = cJSON_GetStringValue(cJSON_GetObjectItem(object, "say"));
        warn_if_failed(pov_voice_say(&s->voice, say ? say : ""));
        cJSON_Delete(object);
    }
    if (status.code == POV_OK && reading) {
        free(s->reply);
        s->reply = reading;
    } else
        free(reading);
    return status;
}

static pov_status start_trial(session *s, const char *by, const char *text)
{
    char why[512];
    if (s->running || s->at >= s->plan.len) {
        refuse_line(s, s->running ? "start: a trial runs; stop it first" : "start: all trials are done");
        return pov_ok();
    }
    if (!s->consent_ns) {
        refuse_line(
            s, "start: without consent there is no trial; say 'consent' once the participant has agreed");
        return pov_ok();
    }
    if (!s->has_image)
        POV_TRY(take_look(s));
    if (!s->has_image) {
        refuse_line(s, "start: there is no image of the scene; does the camera deliver any?");
        return pov_ok();
    }
    if (!s->check.right && strcmp(text, "anyway") != 0) {
        int wrong = 0;
        while (wrong < s->check.len - 1 && s->check.things[wrong].right)
            wrong++;
        snprintf(why, sizeof why, "start: the scene is not the wanted one: %.31s: %.159s; or 'start anyway'",
                 s->check.things[wrong].id, s->check.things[wrong].text);
        refuse_line(s, why);
        return pov_ok();
    }
    const pov_study_trial *trial = planned_trial(s);
    const pov_wanted_scene *scene = wanted_scene(s);
    s->trial = (pov_log_trial){.participant = s->participant,
                               .position = s->at + 1,
                               .condition = s->protocol->conditions[s->plan.list[s->at].condition].id,
                               .trial = trial->id,
                               .scene = scene ? scene->id : "",
                               .say = trial->say,
                               .show = trial->show,
                               .target = trial->target,
                               .started_ns = pov_clock_unix_ns(),
                               .scene_right = s->check.right};
    POV_TRY(pov_study_log_start_trial(s->log, &s->trial));
    pov_talk_forget(s->talk);
    free(s->reply);
    s->reply = NULL;
    s->running = true;
    s->stored_image = 0;
    s->stored_len = 0;
    POV_TRY(record_look(s));
    POV_TRY(keep_event(s, "start", by, "", NULL));
    if (!*trial->say)
        return pov_ok();
    warn_if_failed(pov_voice_say(&s->voice, trial->say));
    return keep_utterance(s, "instruction", "protocol", trial->say);
}

static pov_status stop_trial(session *s, const char *by, const char *text, const char *outcome)
{
    POV_TRY(keep_event(s, strcmp(outcome, "done") == 0 ? "stop" : "abandon", by, text, NULL));
    POV_TRY(pov_study_log_end_trial(s->log, s->trial.id, pov_clock_unix_ns(), outcome));
    s->done[s->at + 1] = strcmp(outcome, "done") == 0;
    s->summary->done += s->done[s->at + 1];
    tell_kept(s, outcome, NULL);
    choose_trial(s);
    tell_state(s);
    return pov_ok();
}

static pov_status give_consent(session *s)
{
    const int64_t now_ns = pov_clock_unix_ns();
    POV_TRY(pov_study_log_consent(s->log, s->participant, now_ns, s->protocol->consent));
    s->consent_ns = now_ns;
    tell_kept(s, "consent", NULL);
    return pov_ok();
}

static pov_status turn_table(session *s, const char *text)
{
    char *end;
    const double angle_deg = strtod(text, &end);
    if (end == text || *end) {
        refuse_line(s, "turn: give an angle in degrees, as in 'turn 90'");
        return pov_ok();
    }
    POV_TRY(pov_sweep_rig_turn(s->look.rig, angle_deg * POV_DEG));
    return look_and_tell(s);
}

typedef enum {
    LINE_CONSENT,
    LINE_LOOK,
    LINE_TURN,
    LINE_START,
    LINE_SAID,
    LINE_PICK,
    LINE_MARK,
    LINE_NOTE,
    LINE_STOP,
    LINE_ABANDON,
    LINE_STATE,
    LINE_QUIT,
    LINE_COUNT
} line_kind;
static const char *const line_names[LINE_COUNT] = {"consent", "look", "turn", "start",   "said",  "pick",
                                                   "mark",    "note", "stop", "abandon", "state", "quit"};

static pov_status keep_pick(session *s, const char *by, const char *text)
{
    char *reading = NULL;
    const bool is_known = pov_cast_has(&s->options->station->cast, text);
    if (!is_known && s->has_image && strcmp(text, "pointed") == 0) {
        const pov_status found = pov_study_pointed(&text, &reading, &s->look.observation->scene);
        if (found.code == POV_UNDEFINED)
            refuse_line(s, found.message);
        if (found.code != POV_OK)
            return found.code == POV_UNDEFINED ? pov_ok() : found;
    } else if (!is_known)
        pov_cli_warn("pick: '%.60s' is not in the station's cast; it is kept as it is", text);
    const pov_status status = keep_event(s, "pick", by, text, reading);
    free(reading);
    return status;
}

static pov_status obey_line(session *s, line_kind kind, const char *by, const char *text)
{
    const bool needs_trial = kind >= LINE_SAID && kind <= LINE_ABANDON;
    char why[160];
    if (needs_trial && !s->running) {
        snprintf(why, sizeof why, "%s: no trial runs; start it first", line_names[kind]);
        refuse_line(s, why);
        return pov_ok();
    }
    if ((kind == LINE_SAID || kind == LINE_PICK || kind == LINE_MARK || kind == LINE_NOTE) && !*text) {
        snprintf(why, sizeof why, "%s: says nothing", line_names[kind]);
        refuse_line(s, why);
        return pov_ok();
    }
    switch (kind) {
    case LINE_CONSENT:
        return give_consent(s);
    case LINE_LOOK:
        return look_and_tell(s);
    case LINE_TURN:
        return turn_table(s, text);
    case LINE_START:
        return start_trial(s, by, text);
    case LINE_SAID:
        return keep_utterance(s, "said", by, text);
    case LINE_PICK:
        return keep_pick(s, by, text);
    case LINE_MARK:
    case LINE_NOTE:
        return keep_event(s, line_names[kind], by, text, NULL);
    case LINE_STOP:
        return stop_trial(s, by, text, "done");
    case LINE_ABANDON:
        return stop_trial(s, by, text, "abandoned");
    case LINE_STATE:
        tell_state(s);
        return pov_ok();
    case LINE_QUIT:
    default:
        s->quit = true;
        return pov_ok();
    }
}

/* "said the red one" -> said. A blank line starts or stops. */
static pov_status obey_words(session *s, const char *by, char *line)
{
    char *word = line + strspn(line, " \t"), *text = word + strcspn(word, " \t"), why[160];
    if (!*word)
        return obey_line(s, s->running ? LINE_STOP : LINE_START, by, "");
    const size_t len = (size_t)(text - word);
    text += strspn(text, " \t");
    for (int i = 0; i < LINE_COUNT; i++)
        if (strlen(line_names[i]) == len && strncmp(line_names[i], word, len) == 0)
            return obey_line(s, (line_kind)i, by, text);
    snprintf(
        why, sizeof why,
        "'%.40s' is none of consent, look, turn, start, said, pick, mark, note, stop, abandon, state, quit",
        word);
    refuse_line(s, why);
    return pov_ok();
}

static pov_status take_line(session *s, const char *by, char *line)
{
    if (s->options->dashboard)
        pov_dashboard_say(s->options->dashboard, ""); /* the last complaint */
    const pov_status status = obey_words(s, by, line);
    show_page(s);
    return status;
}

static pov_status take_lines(session *s)
{
    char line[POV_LINE_CAPACITY];
    if (!s->streams && s->input.ended)
        nanosleep(&(struct timespec){.tv_nsec = WAIT_MS * 1000000}, NULL);
    while (!s->quit && pov_lines_take(&s->input, line, s->streams ? 0 : WAIT_MS)) {
        POV_TRY(take_line(s, isatty(s->input.fd) ? "key" : "line", line));
        if (s->streams)
            break; /* each line has an image of its own */
    }
    while (!s->quit && s->options->dashboard &&
           pov_dashboard_take_line(s->options->dashboard, line, sizeof line))
        POV_TRY(take_line(s, "page", line));
    while (!s->quit && pov_lines_take(&s->voice.heard, line, 0)) {
        if (*line)
            warn_if_failed(pov_voice_hush(&s->voice)); /* who speaks is not talked over */
        if (s->running && *line)
            POV_TRY(keep_utterance(s, "said", "listen", line));
    }
    return pov_ok();
}

/* ---- the whole ---- */

static pov_status take_up(session *s)
{
    int interrupted, trials = 0;
    pov_log_trial trial = {.id = 0};
    pov_status status;
    while ((status = pov_study_log_next_trial(s->log, &trial, trial.id)).code == POV_OK)
        trials += trial.participant == s->participant;
    if (status.code == POV_ERROR)
        return status;
    if (trials > 0 && !s->options->resume)
        return pov_error("%s: %s has trials in it already; go on by --resume", s->options->folder->path,
                         s->options->participant);
    POV_TRY(pov_study_log_interrupt(s->log, s->participant, &interrupted));
    if (interrupted > 0)
        pov_cli_warn(
            "a trial of %s was interrupted; what was kept of it stays in the log, and it comes again",
            s->options->participant);
    POV_TRY(pov_study_log_done(s->log, s->participant, s->done, s->plan.len));
    for (int i = 1; i <= s->plan.len; i++)
        s->summary->done += s->done[i];
    return pov_ok();
}

static pov_status open_log(session *s)
{
    POV_TRY(pov_study_log_new(&s->log, s->options->folder->log_path, POV_LOG_MAY_CREATE));
    char *design = pov_protocol_design(s->protocol);
    const pov_status status =
        pov_study_log_begin(s->log, design, POV_VERSION, pov_clock_unix_ns(), pov_station_is_simulated(s->options->station));
    free(design);
    POV_TRY(status);
    POV_TRY(pov_study_log_participant(s->log, &s->participant, &s->consent_ns, s->options->participant,
                                      s->number));
    return take_up(s);
}

static pov_status check_id(const session *s, const char *where, const char *id, const char *thing)
{
    return !*thing || pov_cast_has(&s->options->station->cast, thing)
               ? pov_ok()
               : pov_error("the protocol's %s '%s' names '%s', which the station's cast does not have; add "
                           "it there, or use an id of the cast",
                           where, id, thing);
}

static pov_status check_ids(const session *s)
{
    const pov_protocol *p = s->protocol;
    for (int i = 0; i < p->scene_len; i++)
        for (int k = 0; k < p->scenes[i].len; k++)
            POV_TRY(check_id(s, "scene", p->scenes[i].id, p->scenes[i].things[k].id));
    for (int i = 0; i < p->trial_len; i++)
        POV_TRY(check_id(s, "trial", p->trials[i].id, p->trials[i].target));
    return pov_ok();
}

void pov_study_warn_of_seats(const pov_cast *cast, const pov_protocol *protocol)
{
    for (int i = 0; i < cast->len && protocol->condition_len > 1; i++) {
        const pov_entity *entity = &cast->members[i].entity;
        if (!entity->addressee || cast->members[i].found_by)
            continue;
        int seated = 0;
        for (int c = 0; c < protocol->condition_len; c++)
            for (int k = 0; k < protocol->conditions[c].len; k++)
                seated += strcmp(protocol->conditions[c].poses[k].id, entity->name) == 0;
        if (seated < protocol->condition_len)
            pov_cli_warn(
                "%s is surveyed at (%.2f, %.2f), and %d of %d conditions say where else: in the others "
                "the addressee's left is judged from there; if %s sits elsewhere, add poses: to the "
                "conditions",
                entity->name, entity->position.mean_m.x, entity->position.mean_m.y, seated,
                protocol->condition_len, entity->name);
    }
}

static pov_status set_up(session *s)
{
    pov_station *station = s->options->station;
    POV_TRY(pov_protocol_find(s->protocol, &s->number, s->options->participant));
    pov_protocol_plan(&s->plan, s->protocol, s->number);
    s->summary->wanted = s->plan.len;
    s->streams = pov_source_is_camera(station->source.kind) ||
                 (station->source.kind == POV_SOURCE_SIMULATOR && station->source.simulator.rate_hz > 0);
    POV_TRY(check_ids(s));
    s->look = (pov_sweep_look){.station = station,
                               .dashboard = s->options->dashboard,
                               .recorder = s->options->recorder,
                               .publishes = !s->options->no_publish,
                               .tells = !s->options->json};
    s->input = (pov_lines){.fd = STDIN_FILENO};
    s->voice = (pov_voice){.say_fd = -1, .heard = {.fd = -1}};
    if (!s->streams)
        station->track = POV_TRACK_NEVER; /* things are put elsewhere between images */
    if (!s->protocol->raw_faces) {
        const pov_status status = pov_face_blur_new(&s->blur);
        if (status.code != POV_OK)
            return pov_error("%.250s; or keep faces as they are, by 'faces: raw' in the protocol",
                             status.message);
    }
    POV_TRY(pov_talk_new(&s->talk));
    pov_talk_set_learning(s->talk, !s->protocol->learns_nothing);
    POV_TRY(open_log(s));
    POV_TRY(pov_sweep_look_begin(&s->look, s->streams && !*station->turntable.device));
    choose_trial(s);
    return s->options->once ? pov_ok()
                            : pov_voice_begin(&s->voice, station->speech.listen, station->speech.say);
}

static pov_status lead_session(session *s)
{
    if (s->options->once) {
        const pov_status status = look_and_tell(s);
        s->summary->scene_right = s->check.right && s->has_image;
        return status;
    }
    tell_state(s);
    if (s->options->dashboard && !s->streams) /* the page shows at once how the table is */
        POV_TRY(take_look(s));
    show_page(s);
    while (!s->quit && !pov_cli_stop_requested() && (s->running || s->at < s->plan.len)) {
        if (s->streams)
            POV_TRY(take_look(s));
        POV_TRY(take_lines(s));
        POV_TRY(pov_sweep_look_tend(&s->look));
        if (s->input.ended && !s->options->dashboard)
            break;
    }
    return pov_ok();
}

pov_status pov_study_session_run(pov_study_summary *summary, const pov_study_session_options *options)
{
    *summary = (pov_study_summary){.done = 0};
    session *s = pov_allocate(1, sizeof *s);
    s->options = options;
    s->protocol = options->protocol;
    s->summary = summary;
    pov_status status = set_up(s);
    POV_THEN(status, lead_session(s));
    if (status.code == POV_END)
        status = pov_ok();
    int interrupted;
    if (s->log && s->running && status.code == POV_OK)
        status = pov_study_log_interrupt(s->log, s->participant, &interrupted);
    pov_voice_end(&s->voice);
    pov_sweep_look_end(&s->look);
    pov_study_log_destroy(&s->log);
    pov_face_blur_destroy(&s->blur);
    pov_talk_destroy(&s->talk);
    free(s->reply);
    free(s);
    return status;
}
