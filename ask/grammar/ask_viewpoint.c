/* From where, and how, a question asks: "from anna's perspective", "if I were anna", "rotated", "by heading". */
#include "ask/grammar/ask_lexicon.h"
#include "ask/grammar/ask_reading.h"

#include <stdio.h>
#include <string.h>

pov_status pov_viewpoint_addressee(pov_id *viewer, const pov_scene *scene)
{
    *viewer = POV_ID_NONE;
    for (int i = 0; i < scene->len; i++) {
        if (!scene->entities[i].addressee)
            continue;
        if (*viewer != POV_ID_NONE)
            return pov_error("there are several addressees, e.g. %s and %s; say from which",
                             scene->entities[*viewer].name, scene->entities[i].name);
        *viewer = i;
    }
    if (*viewer == POV_ID_NONE)
        return pov_error("the scene has no addressee; mark one with addressee: true, or name an entity");
    return pov_ok();
}

/* -------- clauses -------- */

typedef enum { FROM_VIEW, AS_I, AS_YOU, ONLY_NAMED } clause_meaning;

/* Each names a viewer by VIEW. What begins with them is understood wherever it stands between pauses. */
static const struct {
    clause_meaning meaning;
    const char *pattern;
} clauses[] = {
    {FROM_VIEW, "[as|when] BASED the|a SIGHT of VIEW"},
    {FROM_VIEW, "[as|when] BASED VIEW [own] SIGHT"},
    {FROM_VIEW, "[as|when] SEEN from|by|through the|a SIGHT of VIEW"},
    {FROM_VIEW, "[as|when] SEEN from|by|through VIEW [own] [SIGHT]"},
    {FROM_VIEW, "from|standing|sitting where VIEW is|are|am|stands|stand|sits|sit|looks|look|was [BE]"},
    {FROM_VIEW, "as VIEW sees|see|would_see|views|view it|this|that|things"},
    {FROM_VIEW, "looking|standing|sitting|watching from VIEW"},
    {FROM_VIEW, "standing|sitting at VIEW"},
    {FROM_VIEW, "according_to|in_the_eyes_of VIEW"},
    {AS_I, "IF [that] i_were|i_was|i_am VIEW [in_the_image|in_the_picture|in_the_scene]"},
    {AS_YOU, "IF [that] you_were|you_are VIEW [in_the_image|in_the_picture|in_the_scene]"},
    {ONLY_NAMED, "IF [that] VIEW can_see [and] [her|his|its|their|the] [eyes] [are] [open]"},
};
enum { CLAUSES = sizeof clauses / sizeof *clauses };
static const char weak_lead[] = "for|from|to VIEW", weak_end[] = "for|from VIEW [position|location]",
                  tail_clause[] = "from|for|by|to VIEW [own] [SIGHT|convention]";

static pov_status take_clause(pov_reading *r, clause_meaning *meaning)
{
    pov_status status = pov_status_of(POV_ERROR);
    for (int i = 0; i < CLAUSES && status.code != POV_OK; i++) {
        pov_reading tried = *r;
        tried.view = POV_ID_NONE;
        tried.quiet = true;
        status = pov_reading_take(&tried, clauses[i].pattern);
        if (status.code != POV_OK)
            continue;
        tried.quiet = r->quiet;
        *r = tried;
        *meaning = clauses[i].meaning;
    }
    return status;
}

static pov_status join(pov_reading *r, pov_id view)
{
    if (r->view != POV_ID_NONE && r->view != view)
        return pov_error("asked both from %s and from %s; ask from one of them",
                         r->scene->entities[r->view].name, r->scene->entities[view].name);
    r->view = view;
    return pov_ok();
}

static pov_status mean(pov_reading *r, pov_id view, clause_meaning meaning)
{
    r->somebody = view;
    if (meaning == AS_I)
        r->me = view;
    if (meaning == AS_YOU)
        r->you = view;
    return meaning == ONLY_NAMED ? pov_ok() : join(r, view);
}

static bool ends_there(const pov_words *words, int begin, int end)
{
    return begin == 0 || end == words->len || words->paused[end];
}

pov_status pov_viewpoint_lift(pov_reading *r, pov_words *words)
{
    for (int at = 0; at < words->len; at++) {
        clause_meaning meaning = FROM_VIEW;
        pov_reading tried = *r;
        tried.words = words;
        tried.at = at;
        if (take_clause(&tried, &meaning).code != POV_OK || !ends_there(words, at, tried.at))
            continue;
        pov_words_cut(words, at, tried.at - at);
        POV_TRY(mean(r, tried.view, meaning));
        at--;
    }
    return pov_ok();
}

bool pov_viewpoint_lift_weak(pov_reading *r, pov_words *words, bool at_end)
{
    for (int at = at_end ? 1 : 0; at < (at_end ? words->len : 1); at++) {
        pov_reading tried = *r;
        tried.words = words;
        tried.at = at;
        tried.view = POV_ID_NONE;
        tried.quiet = true;
        if (pov_reading_take(&tried, at_end ? weak_end : weak_lead).code != POV_OK ||
            (at_end && tried.at != words->len))
            continue;
        pov_words_cut(words, at, tried.at - at);
        r->is_view_weak = true;
        return mean(r, tried.view, FROM_VIEW).code == POV_OK;
    }
    return false;
}

/* -------- behind a relation -------- */

static void see_from(pov_request *question, const pov_scene *scene, pov_id viewer)
{
    bool own = question->relatum_len > 0 && viewer == question->relatum[0];
    question->any_perspective = false;
    question->viewer = own ? POV_ID_NONE : viewer;
    question->perspective = own ? POV_INTRINSIC : viewer == scene->camera ? POV_EGOCENTRIC : POV_ADDRESSEE;
}

static void see_intrinsically(pov_request *question)
{
    question->any_perspective = false;
    question->perspective = POV_INTRINSIC;
    question->viewer = POV_ID_NONE;
}

static bool take_how(pov_reading *r)
{
    pov_reading tried = *r;
    (void)pov_reading_takes(&tried, "in|by|with");
    (void)pov_reading_takes(&tried, "the");
    for (int i = 0; i < POV_CONVENTION_COUNT; i++)
        if (pov_reading_takes(&tried, pov_convention_name((pov_convention)i))) {
            r->question->convention = (pov_convention)i;
            (void)pov_reading_takes(&tried, "convention");
            r->at = tried.at;
            return true;
        }
    for (int i = 0; i < POV_AXIS_COUNT; i++)
        if (pov_reading_takes(&tried, pov_axis_name((pov_axis)i))) {
            r->question->axis = (pov_axis)i;
            r->question->says_axis = true;
            r->at = tried.at;
            return true;
        }
    return false;
}

/* "egocentric", "from its own side": by the kind of the perspective. */
static bool take_kind(pov_reading *r)
{
    pov_reading tried = *r;
    (void)pov_reading_takes(&tried, "in|by|from|with");
    (void)pov_reading_takes(&tried, "the|an");
    if (pov_reading_takes(&tried, "intrinsic|intrinsically|its_own|its")) {
        see_intrinsically(r->question);
        (void)pov_reading_takes(&tried, "front");
    } else if (r->scene->camera != POV_ID_NONE && pov_reading_takes(&tried, "egocentric"))
        see_from(r->question, r->scene, r->scene->camera);
    else if (!pov_reading_takes(&tried, "absolute"))
        return false;
    (void)pov_reading_takes(&tried, pov_slot_of("SIGHT")->choices);
    r->at = tried.at;
    return true;
}

/* False: the words here are no viewpoint. */
static bool take_one(pov_status *status, pov_reading *r)
{
    clause_meaning meaning = FROM_VIEW;
    pov_reading tried = *r;
    *status = pov_ok();
    if (take_clause(&tried, &meaning).code != POV_OK || meaning != FROM_VIEW) {
        tried = *r;
        tried.view = POV_ID_NONE;
        tried.quiet = true;
        if (pov_reading_take(&tried, tail_clause).code != POV_OK)
            return take_kind(r) || take_how(r) || pov_reading_takes(r, "and");
    }
    r->at = tried.at;
    *status = mean(r, tried.view, FROM_VIEW);
    return true;
}

/* Compass relations are the same from everywhere; so are those that need no frame. */
static bool is_same_from_everywhere(const pov_request *question)
{
    return question->relation &&
           (question->relation->frame == POV_FRAME_NORTH || question->relation->frame == POV_FRAME_NONE);
}

static pov_status is_from_everywhere(const pov_request *question)
{
    return pov_error("\"%s\" is the same from everywhere; leave the viewer out",
                     question->relation->phrases[0]);
}

pov_status pov_viewpoint_take_some(pov_reading *r)
{
    pov_status status = pov_ok();
    int start = r->at;
    while (status.code == POV_OK && r->at < r->words->len && take_one(&status, r))
        ;
    if (status.code == POV_OK && r->at > start && is_same_from_everywhere(r->question))
        return is_from_everywhere(r->question);
    return status;
}

pov_status pov_viewpoint_take_all(pov_reading *r)
{
    POV_TRY(pov_viewpoint_take_some(r));
    if (r->at == r->words->len)
        return pov_ok();
    if (r->quiet)
        return pov_status_of(POV_ERROR);
    (void)pov_reading_takes(r, "from|for|by|in|to");
    r->near_miss = pov_lexicon_nearest_entity(r->scene, r->words, r->at) != NULL;
    return pov_lexicon_unknown_entity(r->scene, r->words, r->at, "viewer, perspective or convention");
}

/* -------- what it means for the question -------- */

static pov_status settle_relation(const pov_reading *r)
{
    pov_request *question = r->question;
    const pov_scene *scene = r->scene;
    pov_id view = r->view;
    if (is_same_from_everywhere(question) && r->is_view_weak)
        return is_from_everywhere(question);
    if (is_same_from_everywhere(question)) {
        question->any_perspective = false;
        question->perspective = POV_ABSOLUTE;
        question->viewer = POV_ID_NONE;
        return pov_ok();
    }
    if (view == POV_ID_NONE)
        return pov_ok();
    if (!question->any_perspective && view != question->relatum[0] && view != question->viewer)
        return pov_error("\"%s\" is by %s's own front; leave the viewpoint of %s out",
                         question->relation->phrases[0], scene->entities[question->relatum[0]].name,
                         scene->entities[view].name);
    if (question->any_perspective)
        see_from(question, scene, view);
    return pov_ok();
}

pov_status pov_viewpoint_settle(pov_reading *r)
{
    pov_request *question = r->question;
    if (question->relation)
        return settle_relation(r);
    if (r->view == POV_ID_NONE)
        return pov_ok();
    if (question->kind == POV_REQUEST_DISTANCE || question->viewer == r->view)
        return pov_ok(); /* a distance is the same from everywhere */
    if (question->viewer != POV_ID_NONE)
        return pov_error("asked for %s, but from %s; ask for one of them",
                         r->scene->entities[question->viewer].name, r->scene->entities[r->view].name);
    question->viewer = r->view;
    return pov_ok();
}
