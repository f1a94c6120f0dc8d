#include "ask/grammar/ask.h"

#include "ask/grammar/ask_form.h"
#include "ask/grammar/ask_lexicon.h"
#include "ask/grammar/ask_reading.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

const char *pov_request_kind_name(pov_request_kind kind)
{
    static const char *const names[] = {"relation", "sees",  "hides",   "where", "order",    "which",
                                        "count",    "place", "extreme", "seen",  "distance", "facing"};
    static_assert(sizeof names / sizeof *names == POV_REQUEST_KIND_COUNT, "one name a kind");
    POV_REQUIRE(kind < POV_REQUEST_KIND_COUNT);
    return names[kind];
}

static void start(pov_request *question, const pov_form *form, const pov_scene *scene, const char *text)
{
    *question = (pov_request){.kind = form->kind,
                              .way = form->way,
                              .negated = form->negated,
                              .by_distance = form->by_distance,
                              .referent = POV_ID_NONE,
                              .any_perspective = true,
                              .viewer = POV_ID_NONE,
                              .other = POV_ID_NONE,
                              .convention = POV_REFLECTED,
                              .axis = POV_AXIS_USUAL};
    snprintf(question->text, sizeof question->text, "%s", text);
    for (int i = 0; i < POV_ENTITY_MAX; i++)
        question->candidate[i] = form->kind == POV_REQUEST_WHICH || form->kind == POV_REQUEST_FACING ||
                                 i >= scene->len || (i != scene->camera && !pov_lexicon_is_person(scene, i));
}

/* The directions that are asked about, where the words do not say. */
static void settle_directions(pov_request *question, bool by_compass)
{
    bool some = false;
    if (question->kind != POV_REQUEST_PLACE)
        return;
    for (int i = 0; i < POV_RELATION_COUNT; i++)
        some = some || question->directions[i];
    for (int i = 0; i < POV_RELATION_COUNT && !some; i++)
        question->directions[i] = (i >= POV_NORTH_OF) == by_compass;
    if (!some)
        question->relation = pov_relation_info_of(by_compass ? POV_NORTH_OF : POV_LEFT_OF);
}

/* "the leftmost of the car" says nothing; "closest to" wants to go on. */
static pov_status check_extreme(const pov_reading *r)
{
    bool by_distance = r->question->extreme == POV_NEAREST || r->question->extreme == POV_FARTHEST;
    const char *last = r->words->len > 0 ? r->words->word[r->words->len - 1] : "";
    if (r->question->kind != POV_REQUEST_EXTREME)
        return pov_ok();
    if (strcmp(last, "to") == 0 || strcmp(last, "from") == 0)
        return pov_error("the question ends where the entity should be");
    if (r->question->referent != POV_ID_NONE)
        r->question->candidate[r->question->referent] = true;
    return r->question->relatum_len == 0 || by_distance
               ? pov_ok()
               : pov_error(
                     "only the nearest and the farthest are so to something; ask \"leftmost for anna\", or "
                     "\"left of the car\"");
}

/* "the car left of the car" */
static pov_status check_candidates(const pov_reading *r)
{
    const pov_request *question = r->question;
    bool some = question->kind != POV_REQUEST_WHICH;
    for (int i = 0; i < r->scene->len; i++) {
        bool is_relatum = false;
        for (int k = 0; k < question->relatum_len; k++)
            is_relatum = is_relatum || question->relatum[k] == i;
        some = some || (question->candidate[i] && !is_relatum);
    }
    return some ? pov_ok()
                : pov_error("%s is asked about itself; name different entities",
                            r->scene->entities[question->relatum[0]].name);
}

static pov_status read_form(pov_reading *r, const pov_form *form)
{
    POV_TRY(pov_reading_take(r, form->pattern));
    if (r->at != r->words->len)
        return pov_error("\"%s\" is not understood", r->words->word[r->at]);
    POV_TRY(check_extreme(r));
    POV_TRY(check_candidates(r));
    settle_directions(r->question, form->by_compass);
    return pov_viewpoint_settle(r);
}

/* -------- all forms -------- */

/* What went wrong in the form that got farthest: it knows best. */
typedef struct {
    pov_status status;
    pov_reading reading;
    const pov_form *form;
} complaint;

static bool is_farther(const pov_reading *a, const pov_reading *b)
{
    return a->at > b->at || (a->at == b->at && a->near_miss > b->near_miss);
}

static bool read_quietly(const pov_reading *begun, const char *text)
{
    for (int i = 0; i < pov_form_len(); i++) {
        pov_reading r = *begun;
        r.quiet = true;
        start(r.question, pov_form_at(i), r.scene, text);
        if (read_form(&r, pov_form_at(i)).code == POV_OK)
            return true;
    }
    return false;
}

/* Viewpoints stand before, behind and within; "for anna" may be one, or belong to a form. */
static bool read_all_ways(const pov_reading *begun, const char *text)
{
    static const struct {
        bool strong, lead, end;
    } ways[] = {{true, false, false}, {true, true, false}, {true, false, true}, {false, false, false}};
    bool understood = false;
    for (size_t way = 0; way < sizeof ways / sizeof *ways && !understood; way++) {
        pov_words left = *begun->words;
        pov_reading r = *begun;
        r.words = &left;
        if ((ways[way].strong && pov_viewpoint_lift(&r, &left).code != POV_OK) ||
            (ways[way].lead && !pov_viewpoint_lift_weak(&r, &left, false)) ||
            (ways[way].end && !pov_viewpoint_lift_weak(&r, &left, true)))
            continue;
        pov_words_trim(&left); /* "from anna's side, could you tell me whether" */
        understood = read_quietly(&r, text);
    }
    return understood;
}

/* Why no form fits what is left without a viewpoint. */
static pov_status find_complaint(complaint *worst, const pov_reading *begun, const char *text)
{
    pov_words left = *begun->words;
    pov_reading lifted = *begun;
    lifted.words = &left;
    *worst = (complaint){pov_error("not understood"), *begun, pov_form_at(0)};
    worst->reading.at = -1;
    POV_TRY(pov_viewpoint_lift(&lifted, &left));
    pov_words_trim(&left);
    for (int i = 0; i < pov_form_len(); i++) {
        pov_reading r = lifted;
        if (strstr(pov_form_at(i)->pattern, "KIND")) /* which takes any word */
            continue;
        start(r.question, pov_form_at(i), r.scene, text);
        pov_status status = read_form(&r, pov_form_at(i));
        if (status.code == POV_OK || !is_farther(&r, &worst->reading))
            continue;
        *worst = (complaint){status, r, pov_form_at(i)};
    }
    return worst->status;
}

static bool has_not(const pov_words *words)
{
    bool found = false;
    for (int i = 0; i < words->len; i++)
        found = found || strcmp(words->word[i], "not") == 0;
    return found;
}

static pov_status teach(const pov_reading *begun, const char *text)
{
    char example[120];
    complaint worst;
    if (has_not(begun->words))
        return pov_error("what \"not\" asks for is not clear; ask without it");
    pov_status status = find_complaint(&worst, begun, text);
    pov_form_example(example, sizeof example, begun->scene, worst.form->pattern);
    return strstr(status.message, "ask e.g.") || strstr(status.message, "did you mean")
               ? status
               : pov_error("%s; ask e.g. \"%s\"", status.message, example);
}

pov_status pov_request_parse(pov_request *question, const pov_scene *scene, const char *text)
{
    pov_words words;
    start(question, pov_form_at(0), scene, text);
    if (!pov_words_split(&words, text))
        return pov_error("the question is too long; ask e.g. \"ball left-of car from camera\"");
    pov_words_trim(&words);
    const pov_reading begun = {.question = question,
                               .scene = scene,
                               .words = &words,
                               .me = POV_ID_NONE,
                               .you = POV_ID_NONE,
                               .somebody = POV_ID_NONE,
                               .view = POV_ID_NONE};
    return read_all_ways(&begun, text) ? pov_ok() : teach(&begun, text);
}
