/* "when could anna see the ball?": a question that is answered by yes or no, over all images of a recording. */
#include "ask/talk/talk_internal.h"

#include "config/files/json_value.h"

#include <cJSON.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SERIES_MAX = POV_REPLY_MAX };

/** The answers in one frame of reference, or of one who looks. */
typedef struct {
    pov_query frame;
    char viewer[POV_NAME_CAPACITY]; /* ids differ from image to image */
    bool holds;
    int len, images;  /* intervals; images of the last one */
    int sure, unsure; /* images in which it could be told, or not */
    int64_t from_ns, to_ns;
    pov_text said, answer; /* "from 00:05 to 00:12, at 00:20" in the utterance's language, and in English */
    cJSON *intervals;
} series;

typedef struct {
    pov_replying *r;
    const pov_node *question;
    pov_context context; /* as it was before the question was read */
    int len, images;
    int64_t first_ns; /* of the recording */
    series list[SERIES_MAX];
    bool has_why;
    pov_text why, statement;
} watching;

static const char *clock_of(char text[32], const watching *w, int64_t ns, bool tenths)
{
    const int64_t s = (ns - w->first_ns) / 1000000000;
    if (s >= 3600)
        snprintf(text, 32, "%" PRId64 ":%02d:%02d", s / 3600, (int)(s / 60 % 60), (int)(s % 60));
    else
        snprintf(text, 32, "%02d:%02d", (int)(s / 60), (int)(s % 60));
    if (tenths)
        snprintf(text + strlen(text), 32 - strlen(text), ".%d", (int)((ns - w->first_ns) / 100000000 % 10));
    return text;
}

static void end_interval(watching *w, series *s)
{
    char from[32], to[32], number[32];
    if (!s->holds)
        return;
    s->holds = false;
    cJSON *object = cJSON_CreateObject();
    snprintf(number, sizeof number, "%" PRId64, s->from_ns); /* no double holds it */
    cJSON_AddItemToObject(object, "from_ns", cJSON_CreateRaw(number));
    snprintf(number, sizeof number, "%" PRId64, s->to_ns);
    cJSON_AddItemToObject(object, "to_ns", cJSON_CreateRaw(number));
    pov_json_add_text(object, "from", clock_of(from, w, s->from_ns, false));
    pov_json_add_text(object, "to", clock_of(to, w, s->to_ns, false));
    pov_json_add_number(object, "images", s->images);
    cJSON_AddItemToArray(s->intervals, object);
    s->len++;
    if (strcmp(from, to) == 0 && s->images > 1) { /* within a second */
        clock_of(from, w, s->from_ns, true);
        clock_of(to, w, s->to_ns, true);
    }
    const char *format = strcmp(from, to) == 0 ? "at %s" : "from %s to %s";
    pov_reply_add(w->r, &s->said, s->len == 1 ? "" : ", ");
    pov_reply_add(w->r, &s->said, format, from, to);
    pov_text_add(&s->answer, "%s", s->len == 1 ? "" : ", ");
    pov_text_add(&s->answer, format, from, to);
}

static series *find_series(watching *w, const pov_query *frame, const pov_scene *scene)
{
    const char *viewer = frame->viewer == POV_ID_NONE ? "" : scene->entities[frame->viewer].name;
    for (int i = 0; i < w->len; i++)
        if (strcmp(w->list[i].viewer, viewer) == 0 && w->list[i].frame.perspective == frame->perspective)
            return &w->list[i];
    if (w->len == SERIES_MAX)
        return NULL;
    series *s = &w->list[w->len++];
    *s = (series){.frame = *frame, .intervals = cJSON_CreateArray()};
    strcpy(s->viewer, viewer);
    return s;
}

static void note_verdict(watching *w, const pov_query *frame, pov_verdict verdict, int64_t at_ns)
{
    series *s = find_series(w, frame, w->r->about->scene);
    if (!s)
        return;
    s->sure += verdict == POV_TRUE || verdict == POV_FALSE;
    s->unsure += verdict == POV_ABSTAIN || verdict == POV_VERDICT_UNDEFINED;
    if (verdict != POV_TRUE) {
        end_interval(w, s);
        return;
    }
    if (!s->holds) {
        s->from_ns = at_ns;
        s->images = 0;
    }
    s->holds = true;
    s->images++;
    s->to_ns = at_ns;
    if (!w->has_why) {
        char at[32];
        pov_reply_explain(w->r);
        pov_text_clear(&w->why);
        pov_reply_add(w->r, &w->why, "At %s: %s", clock_of(at, w, at_ns, false), pov_text_of(&w->r->why));
        w->has_why = true;
    }
}

static pov_verdict verdict_of(const char *says)
{
    return strcmp(says, "yes") == 0 || strcmp(says, "true") == 0   ? POV_TRUE
           : strcmp(says, "no") == 0 || strcmp(says, "false") == 0 ? POV_FALSE
           : strcmp(says, "abstain") == 0                          ? POV_ABSTAIN
                                                                   : POV_VERDICT_UNDEFINED;
}

/* Answers the question for one image; a thing that is not there leaves it open. */
static pov_status watch_image(watching *w, const pov_talk_about *about)
{
    pov_replying *r = w->r;
    const pov_answer *a = &r->told;
    pov_request request;
    pov_open_role open;
    r->about = about;
    r->context = w->context;
    pov_reply_set_scene(r, &r->context);
    POV_TRY(pov_moment_start(r->talk->moment, about->scene, about->judging, about->sights, about->sight_len));
    if (w->images++ == 0)
        w->first_ns = about->capture_ns;
    if (pov_request_read(&request, &open, &r->context, w->question).code != POV_OK) {
        for (int i = 0; i < w->len; i++)
            end_interval(w, &w->list[i]);
        for (int i = 0; i < w->len; i++)
            w->list[i].unsure++;
        return pov_ok();
    }
    pov_answer_make(&r->told, r->talk->moment, &request, NULL);
    cJSON_Delete(r->told.json);
    pov_reply_state(r, &w->statement);
    const pov_query nobody = {.perspective = POV_ABSOLUTE, .viewer = POV_ID_NONE};
    if (request.kind == POV_REQUEST_SEES && request.viewer == POV_ID_NONE)
        for (int i = 0; i < a->look_len; i++) {
            const pov_query by = {.perspective = POV_ABSOLUTE, .viewer = a->look[i].viewer};
            const pov_verdict sees = a->look[i].sees.verdict;
            note_verdict(w, &by, request.negated ? pov_verdict_not(sees) : sees, about->capture_ns);
        }
    else if (request.kind == POV_REQUEST_RELATION)
        for (int i = 0; i < a->frame_len; i++)
            note_verdict(w, &a->frame[i].frame, a->frame[i].first.belief.verdict, about->capture_ns);
    else
        note_verdict(w, &nobody, verdict_of(a->says), about->capture_ns);
    return pov_ok();
}

static void free_series(series *s)
{
    cJSON_Delete(s->intervals);
    pov_text_free(&s->said);
    pov_text_free(&s->answer);
}

static pov_status watch_all(watching *w)
{
    const pov_talk_about *chosen = w->r->about;
    pov_status status;
    for (bool first = true;; first = false) {
        pov_talk_about about = {.scene = NULL};
        status = chosen->images->next(chosen->images->context, &about, first);
        if (status.code != POV_OK)
            break;
        about.judging = chosen->judging;
        about.speaker = chosen->speaker;
        status = watch_image(w, &about);
        if (status.code != POV_OK)
            break;
    }
    int kept = 0;
    for (int i = 0; i < w->len;
         i++) { /* a frame in which nothing can be told, as the own front of a ball, is none */
        end_interval(w, &w->list[i]);
        if (w->list[i].sure > 0)
            w->list[kept++] = w->list[i];
        else
            free_series(&w->list[i]);
    }
    w->len = kept;
    w->r->about = chosen;
    pov_reply_set_scene(w->r, &w->r->context);
    if (status.code == POV_END)
        status = pov_moment_start(w->r->talk->moment, chosen->scene, chosen->judging, chosen->sights,
                                  chosen->sight_len);
    return status;
}

/* -------- telling it -------- */

static const char *said_of(const pov_replying *r, const series *s)
{
    return s->len > 0 ? pov_text_of(&s->said) : pov_reply_text(r, "never");
}

static bool is_same_series(const series *a, const series *b)
{
    return a->len == b->len && cJSON_Compare(a->intervals, b->intervals, true);
}

static void add_frames(const watching *w)
{
    cJSON *list = cJSON_AddArrayToObject(w->r->answer, "frames");
    for (int i = 0; i < w->len; i++) {
        const series *s = &w->list[i];
        const bool framed = w->r->told.question->kind == POV_REQUEST_RELATION;
        cJSON *frame = cJSON_CreateObject();
        pov_json_add_text(frame, "perspective", framed ? pov_perspective_name(s->frame.perspective) : NULL);
        pov_json_add_text(frame, "viewer", s->viewer[0] ? s->viewer : NULL);
        pov_json_add_text(frame, "convention", framed ? pov_convention_name(s->frame.convention) : NULL);
        pov_json_add_text(frame, "axis", framed ? pov_axis_name(s->frame.axis) : NULL);
        pov_json_add_text(frame, "verdict", s->len > 0 ? pov_text_of(&s->answer) : "never");
        cJSON_AddItemToObject(frame, "intervals", cJSON_Duplicate(s->intervals, true));
        cJSON_AddItemToArray(list, frame);
    }
}

static void say_series(watching *w, pov_text *text)
{
    pov_replying *r = w->r;
    const pov_id relatum = r->told.question->relatum_len ? r->told.question->relatum[0] : POV_ID_NONE;
    for (int i = 0; i < w->len; i++) {
        const series *s = &w->list[i];
        char frame[96], name[64];
        const pov_id viewer = *s->viewer ? pov_scene_find(r->about->scene, s->viewer) : POV_ID_NONE;
        const pov_hypothesis h = {s->frame.perspective, viewer, 1};
        if (r->told.question->kind == POV_REQUEST_RELATION)
            pov_say_frame(frame, &r->context, &h, relatum);
        else
            snprintf(frame, sizeof frame, "%s",
                     viewer == r->about->scene->camera ? pov_reply_text(r, "I")
                                                       : pov_name_thing(name, r->about->scene, viewer));
        pov_reply_add(r, text, i ? "; %s %s" : "%s %s", frame, said_of(r, s));
    }
}

static void tell_times(watching *w)
{
    pov_replying *r = w->r;
    pov_text text = {0};
    bool same = true;
    for (int i = 1; i < w->len; i++)
        same = same && is_same_series(&w->list[0], &w->list[i]);
    if (w->statement.len > 0)
        pov_reply_add(r, &text,
                      same && w->len > 0 && w->list[0].len > 0 ? "%s " : "%s: ", pov_text_of(&w->statement));
    if (w->len == 0)
        pov_reply_add(r, &text, "that could be told in no image");
    else if (same)
        pov_reply_add(r, &text, "%s", said_of(r, &w->list[0]));
    else
        say_series(w, &text);
    if (w->len == 1 && w->list[0].unsure > 0)
        pov_reply_add(r, &text, " (too close to say, or not known, in %d of %d images)", w->list[0].unsure,
                      w->images);
    pov_reply_say(r, POV_ANSWERED, "%s.", pov_text_of(&text));
    pov_text_free(&text);
    cJSON_AddStringToObject(r->answer, "kind", "when");
    cJSON_AddStringToObject(r->answer, "answer",
                            w->len == 0      ? "undefined"
                            : !same          ? "depends"
                            : w->list[0].len ? pov_text_of(&w->list[0].answer)
                                             : "never");
    cJSON_AddNumberToObject(r->answer, "images", w->images);
    cJSON_AddItemToObject(r->answer, "intervals",
                          same && w->len > 0 ? cJSON_Duplicate(w->list[0].intervals, true)
                                             : cJSON_CreateArray());
    add_frames(w);
    if (!same && r->told.question->kind == POV_REQUEST_RELATION) {
        pov_hypothesis frames[POV_HYPOTHESES_MAX], all[POV_HYPOTHESES_MAX];
        const pov_request *q = r->told.question;
        const int all_len = pov_hypotheses_of(all, &r->context);
        int len = 0;
        for (int i = 0; i < w->len; i++)
            for (int k = 0; k < all_len && len < POV_HYPOTHESES_MAX; k++)
                if (all[k].viewer ==
                    (*w->list[i].viewer ? pov_scene_find(r->about->scene, w->list[i].viewer) : POV_ID_NONE))
                    frames[len++] = all[k];
        char *said = pov_text_take(&r->reply->say);
        pov_ask_for_frame(r, frames, len,
                          q->relation ? pov_area_phrase((char[64]){0}, &q->area, q->relation) : NULL,
                          q->relatum_len ? q->relatum[0] : POV_ID_NONE);
        pov_text_set(&r->reply->say, "%s %s", said, pov_text_of(&r->question));
        free(said);
    }
}

pov_status pov_reply_with_times(pov_replying *r, const pov_node *when)
{
    pov_request request;
    pov_open_role open;
    const pov_context before = r->context;
    if (!r->about->images)
        return pov_error("I know this one moment only; ask that of a recording (pov ask FILE.mcap)");
    POV_TRY(pov_request_read(&request, &open, &r->context, when));
    if (open.is_open) {
        cJSON_AddNullToObject(r->answer, "kind");
        cJSON_AddNullToObject(r->answer, "answer");
        pov_ask_for_thing(r, &open.meant, open.role);
        return pov_ok();
    }
    const pov_context after = r->context;
    watching *w = calloc(1, sizeof *w);
    if (!w)
        return pov_error("out of memory");
    *w = (watching){.r = r, .question = when, .context = before};
    pov_status status = watch_all(w);
    r->context = after;
    if (status.code == POV_OK) {
        r->told.question = &request; /* as read in the image that the reply is about */
        r->context.it = request.referent != POV_ID_NONE && !pov_is_person(r->about->scene, request.referent)
                            ? request.referent
                            : r->context.it;
        pov_text_set(&r->why, "%s",
                     w->has_why ? pov_text_of(&w->why) : pov_reply_text(r, "In no image did I see it so."));
        tell_times(w);
    }
    for (int i = 0; i < w->len; i++)
        free_series(&w->list[i]);
    pov_text_free(&w->why);
    pov_text_free(&w->statement);
    free(w);
    return status;
}
