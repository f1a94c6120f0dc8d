#include "compare/study/study_results.h"

#include "compare/statistics/name_set.h"
#include "config/files/csv.h"
#include "config/files/grow.h"
#include "config/files/json_value.h"
#include "config/files/text.h"

#include <cJSON.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { RATERS_MAX = 12, LABELS_MAX = 24 };

const char *pov_study_table_name(pov_study_table table)
{
    static const char *const names[POV_STUDY_TABLES] = {"trials", "judgments", "events", "replies",
                                                        "ratings"};
    return names[table];
}

/* ---- the robot's reading of an utterance ---- */

typedef struct {
    bool exists, asked_back, refused;
    pov_text outcome, pick;
    pov_text fitting; /* frames whose pick is the thing that was meant, as "intrinsic:anna", "|" between */
    pov_text frame;   /* that frame; "several"; "none"; "": not told */
    pov_text viewer;  /* whose it is; "several" if they differ; "" where the frame is nobody's */
    pov_text said, say, picks; /* of the reply; picks with "|" between */
    double ms;                 /* NaN: not kept */
} reading_summary;

/* Is the name among those in a list with "|" between? */
static bool is_listed(const pov_text *list, const char *name)
{
    const size_t len = strlen(name);
    for (const char *at = pov_text_of(list), *end; *at; at = end + (*end == '|')) {
        end = at + strcspn(at, "|");
        if ((size_t)(end - at) == len && memcmp(at, name, len) == 0)
            return true;
    }
    return false;
}

static void add_fitting(reading_summary *r, const char *frame, const char *viewer)
{
    char *both = pov_text_new(*viewer ? "%s:%s" : "%s", frame, viewer);
    if (!is_listed(&r->fitting, both)) {
        const bool first = r->fitting.len == 0;
        pov_text_set(&r->frame, "%s",
                     first || strcmp(pov_text_of(&r->frame), frame) == 0 ? frame : "several");
        pov_text_set(&r->viewer, "%s",
                     first || strcmp(pov_text_of(&r->viewer), viewer) == 0 ? viewer : "several");
        pov_text_add(&r->fitting, "%s%s", first ? "" : "|", both);
    }
    free(both);
}

/* Each candidate once, though several frames lead to it; a frame that leads to none has no candidate. */
static void add_candidate(pov_text *picks, const char *id)
{
    if (*id && !is_listed(picks, id))
        pov_text_add(picks, "%s%s", picks->len > 0 ? "|" : "", id);
}

/* The frames in which the words mean the thing. A goal's thing is placed in one; asked back, in several. */
static void read_goal(reading_summary *r, const cJSON *reply, const char *meant)
{
    const cJSON *goal = cJSON_GetObjectItem(reply, "goal"), *frame;
    if (!cJSON_IsObject(goal) || !*meant || strcmp(pov_json_text_of(goal, "object"), meant) != 0)
        return;
    if (!r->asked_back && *pov_json_text_of(goal, "frame"))
        add_fitting(r, pov_json_text_of(goal, "frame"), pov_json_text_of(goal, "viewer"));
    cJSON_ArrayForEach(
        frame,
        cJSON_GetObjectItem(reply, "frames")) if (r->asked_back && *pov_json_text_of(frame, "perspective") &&
                                                  strcmp(pov_json_text_of(frame, "verdict"), "true") == 0)
        add_fitting(r, pov_json_text_of(frame, "perspective"),
                    *pov_json_text_of(frame, "viewer") ? pov_json_text_of(frame, "viewer")
                                                       : pov_json_text_of(goal, "relatum"));
}

/* In: meant: the thing that the participant picked, or else the trial's target; "": not told. */
static void read_reply(reading_summary *r, const char *text, const char *meant)
{
    cJSON *reply = pov_json_parse_text(text);
    const cJSON *pick;
    r->exists = reply != NULL;
    pov_text_set(&r->outcome, "%s", pov_json_text_of(reply, "outcome"));
    pov_text_set(&r->pick, "%s", pov_json_text_of(reply, "pick"));
    r->asked_back = strcmp(pov_text_of(&r->outcome), "ask_back") == 0;
    r->refused = strcmp(pov_text_of(&r->outcome), "refused") == 0;
    const cJSON *picks = cJSON_GetObjectItem(reply, "picks");
    cJSON_ArrayForEach(pick, picks)
    {
        const char *id = pov_json_text_of(pick, "id"), *name = pov_json_text_of(pick, "frame");
        if (*meant && *name &&
            r->frame.len == 0) /* a pick without a frame, as of "the red mug", tells none */
            pov_text_set(&r->frame, "none");
        if (*meant && *name && strcmp(id, meant) == 0)
            add_fitting(r, name, pov_json_text_of(pick, "viewer"));
        add_candidate(&r->picks, id);
    }
    read_goal(r, reply, meant);
    pov_text_set(&r->said, "%s", pov_json_text_of(reply, "utterance"));
    pov_text_set(&r->say, "%s", pov_json_text_of(reply, "say"));
    r->ms = pov_json_number_of(reply, "reply_ms");
    cJSON_Delete(reply);
}

/* ---- a trial with what follows from it ---- */

typedef struct {
    int64_t id;
    int participant, condition; /* numbers in their name sets */
    int utterances, images;
    pov_text pick, said, marks, notes, image;
    int64_t said_ns, pick_ns; /* 0: none */
    int64_t reading_image;
    pov_text meant;
    reading_summary reading;
} trial_summary;

static void reading_summary_free(reading_summary *r)
{
    pov_text *const texts[] = {&r->outcome, &r->pick, &r->fitting, &r->frame,
                               &r->viewer,  &r->said, &r->say,     &r->picks};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        pov_text_free(texts[i]);
}

static void trial_summary_free(trial_summary *t)
{
    pov_text *const texts[] = {&t->pick, &t->said, &t->marks, &t->notes, &t->image, &t->meant};
    reading_summary_free(&t->reading);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        pov_text_free(texts[i]);
}

static void append_text(pov_text *text, const char *more, double at_s)
{
    pov_text_add(text, "%s%s", text->len > 0 ? "|" : "", more);
    if (!isnan(at_s))
        pov_text_add(text, "@%.3f", at_s);
}

static pov_status summarise_events(pov_study_log *log, trial_summary *t, char **reading,
                                   const pov_log_trial *trial)
{
    pov_log_event event = {.id = 0};
    pov_status status;
    while ((status = pov_study_log_next_event(log, &event, trial->id, event.id)).code == POV_OK) {
        const double at_s = (double)(event.at_ns - trial->started_ns) * 1e-9;
        if (strcmp(event.kind, "said") == 0) {
            if (t->utterances++ == 0)
                t->said_ns = event.at_ns;
            pov_text_set(&t->said, "%s", event.text);
        } else if (strcmp(event.kind, "pick") == 0) {
            pov_text_set(&t->pick, "%s", event.text);
            t->pick_ns = event.at_ns;
        } else if (strcmp(event.kind, "mark") == 0) {
            append_text(&t->marks, event.text, at_s);
        } else if (strcmp(event.kind, "note") == 0) {
            append_text(&t->notes, event.text, NAN);
        }
        if (event.reading) { /* the last that is understood, or else the last */
            const bool refused = strstr(event.reading, "\"outcome\":\"refused\"") != NULL;
            if (!*reading || !refused || strstr(*reading, "\"outcome\":\"refused\"")) {
                free(*reading);
                *reading = strdup(event.reading);
                t->reading_image = event.image;
            }
        }
    }
    return status.code == POV_END ? pov_ok() : status;
}

static pov_status summarise_trial(pov_study_log *log, trial_summary *t, const pov_log_trial *trial)
{
    char *reading = NULL;
    pov_log_study_image image = {.id = 0};
    *t = (trial_summary){.id = trial->id};
    pov_status status = summarise_events(log, t, &reading, trial);
    pov_text_set(&t->meant, "%s", t->pick.len > 0 ? pov_text_of(&t->pick) : trial->target);
    if (reading)
        read_reply(&t->reading, reading, pov_text_of(&t->meant));
    free(reading);
    POV_TRY(status);
    while ((status = pov_study_log_next_image(log, &image, trial->id, image.id)).code == POV_OK)
        if (t->images++ == 0 || image.id == t->reading_image)
            pov_text_set(&t->image, "%s", image.path);
    return status.code == POV_END ? pov_ok() : status;
}

/* ---- tables ---- */

static void write_text(FILE *stream, const char *text)
{
    pov_csv_write(stream, text);
    fputc(',', stream);
}

/* The trial's key; each row of each table begins with it. */
static void write_key(FILE *stream, const pov_log_trial *trial)
{
    write_text(stream, trial->participant_name);
    fprintf(stream, "%d,%d,", trial->position, trial->attempt);
    write_text(stream, trial->condition);
    write_text(stream, trial->trial);
}

static void write_seconds(FILE *stream, int64_t from_ns, int64_t to_ns)
{
    if (from_ns && to_ns)
        fprintf(stream, "%.6f", (double)(to_ns - from_ns) * 1e-9);
    fputc(',', stream);
}

static void write_trial(FILE *stream, const pov_log_trial *trial, const trial_summary *t)
{
    const reading_summary *r = &t->reading;
    write_key(stream, trial);
    write_text(stream, trial->outcome ? trial->outcome : "running");
    write_text(stream, trial->scene);
    fprintf(stream, "%d,", trial->scene_right);
    write_text(stream, trial->say);
    write_text(stream, trial->show);
    write_text(stream, trial->target);
    fprintf(stream, "%" PRId64 ",", trial->started_ns);
    write_seconds(stream, trial->started_ns, trial->ended_ns);
    fprintf(stream, "%d,", t->utterances);
    write_text(stream, pov_text_of(&t->said));
    write_seconds(stream, trial->started_ns, t->said_ns);
    write_text(stream, pov_text_of(&t->pick));
    write_seconds(stream, trial->started_ns, t->pick_ns);
    if (t->pick.len > 0 && *trial->target)
        fprintf(stream, "%d", strcmp(pov_text_of(&t->pick), trial->target) == 0);
    fputc(',', stream);
    write_text(stream, pov_text_of(&r->outcome));
    write_text(stream, pov_text_of(&r->pick));
    if (r->exists)
        fprintf(stream, "%d", r->asked_back);
    fputc(',', stream);
    if (r->exists && !r->asked_back && t->meant.len > 0)
        fprintf(stream, "%d", strcmp(pov_text_of(&r->pick), pov_text_of(&t->meant)) == 0);
    fputc(',', stream);
    write_text(stream, pov_text_of(&t->meant));
    write_text(stream, pov_text_of(&r->frame));
    write_text(stream, pov_text_of(&r->viewer));
    write_text(stream, pov_text_of(&r->fitting));
    write_text(stream, pov_text_of(&t->marks));
    write_text(stream, pov_text_of(&t->notes));
    fprintf(stream, "%d,", t->images);
    pov_csv_write(stream, pov_text_of(&t->image));
    fputc('\n', stream);
}

static void write_judgment(FILE *stream, const cJSON *judgment)
{
    static const char *const texts[] = {"referent", "relatum",    "relation", "perspective",
                                        "viewer",   "convention", "axis",     "acceptance"};
    const cJSON *p = cJSON_GetObjectItem(judgment, "p");
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        write_text(stream, pov_json_text_of(judgment, texts[i]));
    if (cJSON_IsNumber(p))
        fprintf(stream, "%.6g", p->valuedouble);
    fputc(',', stream);
    pov_csv_write(stream, pov_json_text_of(judgment, "verdict"));
    fputc('\n', stream);
}

/* Judgments of the image of the reading; without a reading, of the first image. */
static pov_status write_judgments(pov_study_log *log, FILE *stream, const pov_log_trial *trial,
                                  const trial_summary *t)
{
    pov_log_study_image image = {.id = 0};
    pov_status status;
    while ((status = pov_study_log_next_image(log, &image, trial->id, image.id)).code == POV_OK) {
        const cJSON *judgment;
        if (strcmp(image.path, pov_text_of(&t->image)) != 0)
            continue;
        cJSON *evidence = pov_json_parse_text(image.evidence);
        cJSON_ArrayForEach(judgment, cJSON_GetObjectItem(evidence, "judgments"))
        {
            write_key(stream, trial);
            write_text(stream, image.path);
            fprintf(stream, "%" PRId64 ",", image.capture_ns);
            write_judgment(stream, judgment);
        }
        cJSON_Delete(evidence);
    }
    return status.code == POV_END ? pov_ok() : status;
}

/* What the reply to an utterance tells of the thing that the trial meant. */
static void write_reply(FILE *stream, const pov_log_event *event, const reading_summary *r)
{
    write_text(stream, event->kind);
    write_text(stream, pov_text_of(&r->said));
    write_text(stream, pov_text_of(&r->outcome));
    write_text(stream, pov_text_of(&r->say));
    write_text(stream, pov_text_of(&r->pick));
    write_text(stream, pov_text_of(&r->picks));
    write_text(stream, pov_text_of(&r->frame));
    write_text(stream, pov_text_of(&r->viewer));
    fprintf(stream, "%d,", r->asked_back);
    if (!isnan(r->ms))
        fprintf(stream, "%.3f", r->ms);
    fputc('\n', stream);
}

static pov_status write_replies(pov_study_log *log, FILE *stream, const pov_log_trial *trial,
                                const trial_summary *t)
{
    pov_log_event event = {.id = 0};
    pov_status status;
    while ((status = pov_study_log_next_event(log, &event, trial->id, event.id)).code == POV_OK) {
        reading_summary r = {.ms = NAN};
        if (!event.reading)
            continue;
        read_reply(&r, event.reading, pov_text_of(&t->meant));
        write_key(stream, trial);
        fprintf(stream, "%" PRId64 ",", event.at_ns);
        write_seconds(stream, trial->started_ns, event.at_ns);
        write_reply(stream, &event, &r);
        reading_summary_free(&r);
    }
    return status.code == POV_END ? pov_ok() : status;
}

static pov_status write_events(pov_study_log *log, FILE *stream, const pov_log_trial *trial,
                               const trial_summary *t)
{
    pov_log_event event = {.id = 0};
    pov_status status;
    while ((status = pov_study_log_next_event(log, &event, trial->id, event.id)).code == POV_OK) {
        reading_summary r = {.ms = NAN};
        if (event.reading)
            read_reply(&r, event.reading, pov_text_of(&t->meant));
        write_key(stream, trial);
        fprintf(stream, "%" PRId64 ",", event.at_ns);
        write_seconds(stream, trial->started_ns, event.at_ns);
        write_text(stream, event.kind);
        write_text(stream, event.by);
        write_text(stream, event.text);
        write_text(stream, pov_text_of(&r.outcome));
        write_text(stream, pov_text_of(&r.pick));
        write_text(stream, pov_text_of(&r.frame));
        pov_csv_write(stream, pov_text_of(&r.viewer));
        fputc('\n', stream);
        reading_summary_free(&r);
    }
    return status.code == POV_END ? pov_ok() : status;
}

static pov_status write_ratings(pov_study_log *log, FILE *stream, const pov_log_trial *trial)
{
    pov_log_rating rating;
    pov_status status;
    for (int i = 0; (status = pov_study_log_next_rating(log, &rating, trial->id, i)).code == POV_OK; i++) {
        write_key(stream, trial);
        write_text(stream, rating.rater);
        write_text(stream, rating.label);
        fprintf(stream, "%" PRId64 "\n", rating.at_ns);
    }
    return status.code == POV_END ? pov_ok() : status;
}

pov_status pov_study_write_csv(pov_study_log *log, FILE *stream, pov_study_table table)
{
    static const char *const heads[POV_STUDY_TABLES] = {
        "outcome,scene,scene_right,say,show,target,started_ns,duration_s,utterances,said,said_s,pick,pick_s,"
        "correct,"
        "robot_outcome,robot_pick,robot_asked_back,robot_right,meant,frame,viewer,frames,marks,notes,images,"
        "image",
        "image,capture_ns,referent,relatum,relation,perspective,viewer,convention,axis,acceptance,p,verdict",
        "at_ns,at_s,kind,by,text,outcome,pick,frame,viewer",
        "at_ns,at_s,kind,said,outcome,say,pick,picks,frame,viewer,asked_back,ms", "rater,label,at_ns"};
    trial_summary t = {0};
    pov_log_trial trial = {.id = 0};
    pov_status status;
    fprintf(stream, "participant,position,attempt,condition,trial,%s\n", heads[table]);
    while ((status = pov_study_log_next_trial(log, &trial, trial.id)).code == POV_OK) {
        if (table != POV_STUDY_RATINGS)
            status = summarise_trial(log, &t, &trial);
        if (status.code != POV_OK)
            break;
        if (table == POV_STUDY_TRIALS)
            write_trial(stream, &trial, &t);
        else
            status = table == POV_STUDY_JUDGMENTS ? write_judgments(log, stream, &trial, &t)
                     : table == POV_STUDY_EVENTS  ? write_events(log, stream, &trial, &t)
                     : table == POV_STUDY_REPLIES ? write_replies(log, stream, &trial, &t)
                                                  : write_ratings(log, stream, &trial);
        trial_summary_free(&t);
        if (status.code != POV_OK)
            break;
    }
    trial_summary_free(&t);
    return status.code == POV_END ? pov_ok() : status;
}

/* ---- scores ---- */

typedef struct {
    int trial, rater, label;
} rating;

struct pov_study_results {
    pov_name_set *participants, *conditions, *frames, *raters, *labels;
    trial_summary *trials;
    rating *ratings;
    int len, capacity, rating_len, rating_capacity;
    pov_bootstrap *bootstrap;
};

static int add_name(pov_name_set *set, const char *name)
{
    return pov_name_set_add(set, name, strlen(name));
}

static pov_status add_ratings(pov_study_results *r, pov_study_log *log, int64_t trial, int number)
{
    pov_log_rating row;
    pov_status status;
    for (int i = 0; (status = pov_study_log_next_rating(log, &row, trial, i)).code == POV_OK; i++) {
        POV_REQUIRE_MEMORY(pov_grow(&r->ratings, &r->rating_capacity, r->rating_len, sizeof *r->ratings));
        r->ratings[r->rating_len++] =
            (rating){number, add_name(r->raters, row.rater), add_name(r->labels, row.label)};
    }
    return status.code == POV_END ? pov_ok() : status;
}

/* "intrinsic:anna"; "several", "none"; "": not told. The caller frees it. */
static char *frame_name(const reading_summary *r)
{
    const char *frame = pov_text_of(&r->frame), *viewer = pov_text_of(&r->viewer);
    const bool several = strcmp(frame, "several") == 0 || strcmp(viewer, "several") == 0;
    return several ? pov_text_new("several") : pov_text_new(*viewer ? "%s:%s" : "%s", frame, viewer);
}

static pov_status add_trial(pov_study_results *r, pov_study_log *log, const pov_log_trial *row)
{
    if (!row->outcome || strcmp(row->outcome, "done") != 0)
        return pov_ok();
    POV_REQUIRE_MEMORY(pov_grow(&r->trials, &r->capacity, r->len, sizeof *r->trials));
    trial_summary *t = &r->trials[r->len];
    const pov_status status = summarise_trial(log, t, row);
    if (status.code != POV_OK) {
        trial_summary_free(t);
        return status;
    }
    r->len++;
    t->participant = add_name(r->participants, row->participant_name);
    t->condition = add_name(r->conditions, row->condition);
    char *frame = frame_name(&t->reading);
    const bool is_full = pov_name_set_len(r->frames) >= POV_STUDY_FRAMES_MAX - 3; /* several, none, other */
    if (*frame && strcmp(frame, "several") != 0 && strcmp(frame, "none") != 0)
        (void)(is_full && pov_name_set_find(r->frames, frame, strlen(frame)) < 0
                   ? 0
                   : add_name(r->frames, frame));
    free(frame);
    return add_ratings(r, log, row->id, r->len - 1);
}

static pov_status read_study(pov_study_results *r, pov_study_log *log)
{
    const pov_bootstrap_options options = POV_BOOTSTRAP_DEFAULT;
    pov_log_trial row = {.id = 0};
    pov_name_set **const sets[] = {&r->participants, &r->conditions, &r->frames, &r->raters, &r->labels};
    pov_status status;
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++)
        *sets[i] = pov_name_set_new();
    while ((status = pov_study_log_next_trial(log, &row, row.id)).code == POV_OK)
        POV_TRY(add_trial(r, log, &row));
    if (status.code != POV_END)
        return status;
    (void)add_name(r->frames, "several");
    (void)add_name(r->frames, "none");
    for (int i = 0; i < r->len; i++) {
        char *name = frame_name(&r->trials[i].reading);
        if (*name && pov_name_set_find(r->frames, name, strlen(name)) < 0)
            (void)add_name(r->frames, "other");
        free(name);
    }
    r->bootstrap = pov_bootstrap_new(pov_name_set_len(r->participants) + 1, &options);
    return pov_ok();
}

pov_status pov_study_results_new(pov_study_results **results, pov_study_log *log)
{
    *results = pov_allocate(1, sizeof **results);
    const pov_status status = read_study(*results, log);
    if (status.code != POV_OK)
        pov_study_results_destroy(results);
    return status;
}

void pov_study_results_destroy(pov_study_results **results)
{
    pov_study_results *r = *results;
    if (!r)
        return;
    pov_name_set_destroy(&r->participants);
    pov_name_set_destroy(&r->conditions);
    pov_name_set_destroy(&r->frames);
    pov_name_set_destroy(&r->raters);
    pov_name_set_destroy(&r->labels);
    pov_bootstrap_destroy(&r->bootstrap);
    for (int i = 0; i < r->len; i++)
        trial_summary_free(&r->trials[i]);
    free(r->trials);
    free(r->ratings);
    free(r);
    *results = NULL;
}

int pov_study_condition_len(const pov_study_results *results)
{
    return pov_name_set_len(results->conditions);
}

const char *pov_study_condition(const pov_study_results *results, int i)
{
    return pov_name_set_at(results->conditions, i);
}

int pov_study_frame_len(const pov_study_results *results)
{
    return pov_name_set_len(results->frames);
}

const char *pov_study_frame(const pov_study_results *results, int i)
{
    return pov_name_set_at(results->frames, i);
}

/* A number in [0, 1] that a trial has; NaN: none. */
typedef double trial_number(const pov_study_results *results, const trial_summary *trial, int which);

/* Mean over participants of their own means in a condition (-1: all), so that each counts alike. */
static pov_estimate average_trials(const pov_study_results *r, int condition, trial_number *number, int which)
{
    const int len = pov_name_set_len(r->participants);
    double *sums = pov_allocate((size_t)len * 2 + 1, sizeof *sums), *counts = sums + len;
    pov_estimate mean = {NAN, NAN, NAN, 0};
    for (int i = 0; i < r->len; i++) {
        const double value = number(r, &r->trials[i], which);
        if (isnan(value) || (condition >= 0 && r->trials[i].condition != condition))
            continue;
        sums[r->trials[i].participant] += value;
        counts[r->trials[i].participant]++;
    }
    for (int p = 0; p < len; p++)
        sums[p] = counts[p] > 0 ? sums[p] / counts[p] : NAN;
    if (len > 0) {
        const pov_sample sample = {.values = sums, .columns = 1, .stride = len, .units = len, .strata = 1};
        pov_bootstrap_means(r->bootstrap, &mean, NULL, &sample);
    }
    free(sums);
    return mean;
}

static double frame_is(const pov_study_results *r, const trial_summary *t, int frame)
{
    char *name = frame_name(&t->reading);
    const char *counted = pov_name_set_find(r->frames, name, strlen(name)) < 0 ? "other" : name;
    const double is = *name ? strcmp(counted, pov_name_set_at(r->frames, frame)) == 0 : NAN;
    free(name);
    return is;
}

enum { ASKED_BACK, REFUSED, RIGHT, RIGHT_OR_ASKED };

static double robot_was(const pov_study_results *r, const trial_summary *t, int what)
{
    (void)r;
    const bool is_told = t->meant.len > 0,
               right = is_told && strcmp(pov_text_of(&t->reading.pick), pov_text_of(&t->meant)) == 0;
    if (!t->reading.exists)
        return NAN;
    switch (what) {
    case ASKED_BACK:
        return t->reading.asked_back;
    case REFUSED:
        return t->reading.refused;
    case RIGHT:
        return is_told && !t->reading.asked_back ? right : NAN;
    default:
        return is_told ? right || t->reading.asked_back : NAN;
    }
}

pov_estimate pov_study_frame_share(const pov_study_results *results, int condition, int frame)
{
    return average_trials(results, condition, frame_is, frame);
}

static int count_trials(const pov_study_results *r, int condition, bool with_reading)
{
    int count = 0;
    for (int i = 0; i < r->len; i++)
        count += (condition < 0 || r->trials[i].condition == condition) &&
                 (with_reading ? r->trials[i].reading.exists : r->trials[i].reading.frame.len > 0);
    return count;
}

static const char *condition_words(const pov_study_results *r, int condition)
{
    return condition < 0 ? "all" : pov_name_set_at(r->conditions, condition);
}

static void score_frames(pov_sheet *sheet, const pov_study_results *r)
{
    pov_sheet_add_table(sheet, "frames", "Frame of reference meant, by condition");
    for (int c = -1; c < pov_study_condition_len(r); c++) {
        pov_sheet_add_row(sheet);
        pov_sheet_add_text(sheet, "condition", condition_words(r, c));
        pov_sheet_add_count(sheet, "n", count_trials(r, c, false));
        for (int f = 0; f < pov_study_frame_len(r); f++) {
            const pov_estimate share = pov_study_frame_share(r, c, f);
            pov_sheet_add_estimate(sheet, pov_study_frame(r, f), &share);
        }
    }
}

static void score_robot(pov_sheet *sheet, const pov_study_results *r)
{
    static const char *const keys[] = {"asked_back", "refused", "right", "right_or_asked"};
    pov_sheet_add_table(sheet, "robot", "What the robot would have done, by condition");
    for (int c = -1; c < pov_study_condition_len(r); c++) {
        pov_sheet_add_row(sheet);
        pov_sheet_add_text(sheet, "condition", condition_words(r, c));
        pov_sheet_add_count(sheet, "n", count_trials(r, c, true));
        for (int k = 0; k < 4; k++) {
            const pov_estimate share = average_trials(r, c, robot_was, k);
            pov_sheet_add_estimate(sheet, keys[k], &share);
        }
    }
}

static void score_labels(pov_sheet *sheet, const pov_study_results *r)
{
    pov_sheet_add_table(sheet, "labels", "Raters' labels, by condition");
    for (int c = -1; c < pov_study_condition_len(r); c++) {
        int counts[LABELS_MAX] = {0}, n = 0;
        for (int i = 0; i < r->rating_len; i++) {
            if ((c >= 0 && r->trials[r->ratings[i].trial].condition != c) ||
                r->ratings[i].label >= LABELS_MAX)
                continue;
            counts[r->ratings[i].label]++;
            n++;
        }
        pov_sheet_add_row(sheet);
        pov_sheet_add_text(sheet, "condition", condition_words(r, c));
        pov_sheet_add_count(sheet, "n", n);
        for (int l = 0; l < pov_name_set_len(r->labels) && l < 20; l++)
            pov_sheet_add_share(sheet, pov_name_set_at(r->labels, l), n ? (double)counts[l] / n : NAN);
    }
}

static int label_of(const pov_study_results *r, int trial, int rater)
{
    for (int i = 0; i < r->rating_len; i++)
        if (r->ratings[i].trial == trial && r->ratings[i].rater == rater)
            return r->ratings[i].label;
    return -1;
}

pov_estimate pov_cohen_kappa(const int *counts, int labels)
{
    double n = 0, same = 0, chance = 0;
    for (int a = 0; a < labels; a++)
        for (int b = 0; b < labels; b++)
            n += counts[a * labels + b];
    for (int a = 0; a < labels; a++) {
        double row = 0, column = 0;
        for (int b = 0; b < labels; b++) {
            row += counts[a * labels + b];
            column += counts[b * labels + a];
        }
        same += counts[a * labels + a];
        chance += row * column;
    }
    if (n == 0 || chance >= n * n)
        return (pov_estimate){NAN, NAN, NAN, (int)n};
    same /= n;
    chance /= n * n;
    const double kappa = (same - chance) / (1 - chance);
    const double error = sqrt(same * (1 - same) / n) / (1 - chance);
    return (pov_estimate){kappa, fmax(-1, kappa - 1.96 * error), fmin(1, kappa + 1.96 * error), (int)n};
}

static void score_raters(pov_sheet *sheet, const pov_study_results *r)
{
    const int len = pov_name_set_len(r->raters);
    int counts[LABELS_MAX * LABELS_MAX];
    pov_sheet_add_table(sheet, "raters", "Agreement of raters");
    for (int a = 0; a < len && a < RATERS_MAX; a++)
        for (int b = a + 1; b < len && b < RATERS_MAX; b++) {
            int n = 0, same = 0;
            memset(counts, 0, sizeof counts);
            for (int t = 0; t < r->len; t++) {
                const int one = label_of(r, t, a), other = label_of(r, t, b);
                if (one < 0 || other < 0 || one >= LABELS_MAX || other >= LABELS_MAX)
                    continue;
                counts[one * LABELS_MAX + other]++;
                n++;
                same += one == other;
            }
            const pov_estimate kappa = pov_cohen_kappa(counts, LABELS_MAX);
            pov_sheet_add_row(sheet);
            pov_sheet_add_text(sheet, "rater", pov_name_set_at(r->raters, a));
            pov_sheet_add_text(sheet, "other", pov_name_set_at(r->raters, b));
            pov_sheet_add_count(sheet, "n", n);
            pov_sheet_add_share(sheet, "agreement", n ? (double)same / n : NAN);
            pov_sheet_add_share(sheet, "kappa",
                                kappa.mean); /* its interval is not a bootstrap's, as titles say of others */
            pov_sheet_add_share(sheet, "kappa_low", kappa.low);
            pov_sheet_add_share(sheet, "kappa_high", kappa.high);
        }
}

void pov_study_scores(pov_sheet *sheet, const pov_study_results *results)
{
    score_frames(sheet, results);
    score_robot(sheet, results);
    score_labels(sheet, results);
    score_raters(sheet, results);
}
