/* What capitals in a pattern take. */
#include "ask/grammar/ask_lexicon.h"
#include "ask/grammar/ask_reading.h"

#include <ctype.h>
#include <string.h>

static pov_status unknown_entity(pov_reading *r, const char *role)
{
    if (r->quiet)
        return pov_status_of(POV_ERROR);
    r->near_miss = pov_lexicon_nearest_entity(r->scene, r->words, r->at) != NULL;
    return pov_lexicon_unknown_entity(r->scene, r->words, r->at, role);
}

static void remember(pov_reading *r, pov_id id)
{
    if (pov_lexicon_is_person(r->scene, id))
        r->somebody = id;
}

static pov_status take_entity(pov_reading *r, pov_id *id)
{
    *id = pov_lexicon_take_entity(r->scene, r->words, &r->at);
    if (*id == POV_ID_NONE)
        return unknown_entity(r, "entity");
    remember(r, *id);
    return pov_ok();
}

static pov_status camera_of(pov_id *camera, const pov_scene *scene)
{
    *camera = scene->camera;
    return scene->camera == POV_ID_NONE
               ? pov_error("the scene has no camera; give its position_m and look_at_m")
               : pov_ok();
}

static pov_status say_which(const pov_reading *r)
{
    return pov_error("who is \"%s\"? say the name", r->words->word[r->at - 1]);
}

/* An entity; "I", "me", "my" and "the addressee" are the only addressee, "you", "your" and "the robot" the camera; "she" is
 * who was named before. */
pov_status pov_slot_take_somebody(pov_reading *r, pov_id *id, const char *role)
{
    *id = pov_lexicon_take_entity(r->scene, r->words, &r->at);
    if (*id != POV_ID_NONE) {
        remember(r, *id);
        return pov_ok();
    }
    if (pov_reading_takes(r, "the_addressee|addressee|i|me|my|mine|here|where_i_am")) {
        *id = r->me;
        return *id == POV_ID_NONE ? pov_viewpoint_addressee(id, r->scene) : pov_ok();
    }
    if (pov_reading_takes(r, "you|your|yours")) {
        *id = r->you;
        return *id == POV_ID_NONE ? camera_of(id, r->scene) : pov_ok();
    }
    if (pov_reading_takes(r, "the_viewer|viewer|the_observer|observer|the_robot|robot|the_camera|camera"))
        return camera_of(id, r->scene);
    if (pov_reading_takes(r, "he|she|him|her|his|himself|herself|they|them|their")) {
        *id = r->somebody;
        return *id == POV_ID_NONE ? say_which(r) : pov_ok();
    }
    if (r->view != POV_ID_NONE && pov_reading_takes(r, "its|itself")) {
        *id = r->view;
        return pov_ok();
    }
    return unknown_entity(r, role);
}

static pov_status take_thing(pov_reading *r)
{
    return pov_slot_take_somebody(r, &r->question->referent, "entity");
}

static pov_status take_viewer(pov_reading *r)
{
    return pov_slot_take_somebody(r, &r->question->viewer, "viewer");
}

static pov_status take_view(pov_reading *r)
{
    return pov_slot_take_somebody(r, &r->view, "viewer");
}

static pov_status take_other(pov_reading *r)
{
    POV_TRY(pov_slot_take_somebody(r, &r->question->other, "entity"));
    if (r->question->other == r->question->viewer || r->question->other == r->question->referent)
        return pov_error("%s is asked about itself; name different entities",
                         r->scene->entities[r->question->other].name);
    return pov_ok();
}

/* "we": I and you. */
static pov_status take_we(pov_reading *r)
{
    if (!pov_reading_takes(r, "we|both_of_us"))
        return pov_error("\"%s\" stands where \"we\" should be",
                         r->at < r->words->len ? r->words->word[r->at] : "the end");
    r->question->viewer = r->me;
    r->question->other = r->you;
    if (r->me == POV_ID_NONE)
        POV_TRY(pov_viewpoint_addressee(&r->question->viewer, r->scene));
    return r->you == POV_ID_NONE ? camera_of(&r->question->other, r->scene) : pov_ok();
}

/* -------- one of several -------- */

static pov_status take_noun(pov_reading *r)
{
    bool meant[POV_ENTITY_MAX];
    if (!pov_lexicon_take_noun(meant, r->scene, r->words, &r->at))
        return unknown_entity(r, "entity");
    memcpy(r->question->candidate, meant, sizeof meant);
    return pov_ok();
}

static pov_status take_any(pov_reading *r)
{
    bool is_open = pov_reading_takes(r, "any|some|other|another");
    return is_open || pov_lexicon_is_open_noun(r->words, r->at)
               ? take_noun(r)
               : pov_error("\"%s\" stands where \"any\" should be",
                           r->at < r->words->len ? r->words->word[r->at] : "the end");
}

/* "who" asks for people. */
static pov_status take_wh(pov_reading *r)
{
    if (pov_reading_takes(r, "which|what"))
        return pov_ok();
    if (!pov_reading_takes(r, "who|whom"))
        return pov_reading_take(r, "which|what|who");
    for (pov_id id = 0; id < POV_ENTITY_MAX; id++)
        r->question->candidate[id] = id < r->scene->len && pov_lexicon_is_person(r->scene, id);
    return pov_ok();
}

/* Any word: what follows tells what it may be. */
static pov_status take_kind(pov_reading *r)
{
    if (r->at >= r->words->len)
        return pov_error("the question ends where a noun should be");
    r->at++;
    return pov_ok();
}

/* A viewer looks at a thing only if it also sees it. */
static pov_status take_at(pov_reading *r)
{
    r->question->looks =
        pov_reading_takes(r, "looking_at|look_at|looking_toward|looking_towards|watching|watch");
    return r->question->looks
               ? pov_ok()
               : pov_reading_take(r, "facing|face|facing_toward|facing_towards|pointing_at|point_at");
}

/* "the ball or the car" */
static pov_status take_alternatives(pov_reading *r)
{
    bool meant[POV_ENTITY_MAX] = {false};
    int count = 0;
    (void)pov_reading_takes(r, "is_it|either|between");
    do {
        pov_id id;
        POV_TRY(take_entity(r, &id));
        meant[id] = true;
        count++;
    } while (pov_reading_takes(r, "or|and"));
    if (count < 2)
        return pov_error("one thing to choose from; join several by \"or\"");
    memcpy(r->question->candidate, meant, sizeof meant);
    return pov_ok();
}

/* -------- relations -------- */

static pov_status take_relation(pov_reading *r)
{
    const char *first = r->at < r->words->len ? r->words->word[r->at] : "";
    r->question->looks = strncmp(first, "look", strlen("look")) == 0;
    r->question->relation = pov_lexicon_take_relation(r->words, &r->at);
    if (r->question->relation)
        return pov_ok();
    if (r->quiet)
        return pov_status_of(POV_ERROR);
    pov_status status = pov_lexicon_unknown_relation(r->scene, r->words, r->at);
    r->near_miss = strstr(status.message, "did you mean") != NULL;
    return status;
}

static pov_status take_relatum(pov_reading *r)
{
    pov_request *question = r->question;
    pov_id id;
    POV_TRY(pov_slot_take_somebody(r, &id, "entity"));
    bool twice = id == question->referent;
    for (int i = 0; i < question->relatum_len; i++)
        twice = twice || id == question->relatum[i];
    if (twice)
        return pov_error("%s is asked about itself; name different entities", r->scene->entities[id].name);
    if (question->relatum_len == POV_RELATA_MAX)
        return pov_error("more than %d entities to locate it by", POV_RELATA_MAX);
    question->relatum[question->relatum_len++] = id;
    return pov_ok();
}

/* What something is nearest to; "nearest, the ball or the car" has none. */
static pov_status take_target(pov_reading *r)
{
    (void)pov_reading_takes(r, "to|from");
    POV_TRY(take_relatum(r));
    return pov_words_match(r->words, r->at, "or") ? pov_error("alternatives, not a target") : pov_ok();
}

/* "her" or a name once more. */
static pov_status take_same(pov_reading *r)
{
    pov_id id;
    if (pov_reading_takes(r, "her|his|its|their|the"))
        return pov_ok();
    POV_TRY(pov_slot_take_somebody(r, &id, "entity"));
    return id == r->question->relatum[0] ? pov_ok() : pov_error("asked of two; ask for each");
}

static pov_status take_relata(pov_reading *r)
{
    const pov_request *question = r->question;
    POV_TRY(take_relatum(r));
    while (pov_reading_takes(r, "and|than")) {
        POV_TRY(take_relatum(r));
    }
    int needed = question->relation->relata_min;
    if (question->relatum_len > needed && needed < 3)
        return pov_error("\"%s\" is asked of %d at a time; ask for each", question->relation->phrases[0],
                         needed);
    if (question->relatum_len < needed)
        return pov_error("\"%s\" needs %d entities; join them by \"and\"", question->relation->phrases[0],
                         needed);
    return pov_ok();
}

/* "left", "to the left" of "to the left or right of". */
static const pov_relation_info *take_short_direction(pov_reading *r)
{
    static const struct {
        const char *words;
        pov_relation relation;
    } table[] = {{"left|left_of|to_the_left|to_the_left_of|on_the_left|on_the_left_of", POV_LEFT_OF},
                 {"right|right_of|to_the_right|to_the_right_of|on_the_right|on_the_right_of", POV_RIGHT_OF},
                 {"in_front|in_front_of|front", POV_IN_FRONT_OF},
                 {"behind|in_back|in_back_of|back", POV_BEHIND}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (pov_reading_takes(r, table[i].words))
            return pov_relation_info_of(table[i].relation);
    return NULL;
}

/* One of the directions that are asked about. */
static pov_status take_direction(pov_reading *r)
{
    int start = r->at;
    const pov_relation_info *relation = take_short_direction(r);
    relation = relation ? relation : pov_lexicon_take_relation(r->words, &r->at);
    if (!relation || relation->projective == POV_RELATION_COUNT) {
        r->at = start;
        return r->quiet ? pov_status_of(POV_ERROR) : pov_lexicon_unknown_relation(r->scene, r->words, r->at);
    }
    r->question->relation = relation;
    r->question->directions[relation->projective] = true;
    return pov_ok();
}

static pov_status see_by_own_front(pov_reading *r, pov_relation side)
{
    r->question->relation = pov_relation_info_of(side);
    r->question->directions[side] = true;
    r->question->any_perspective = false;
    r->question->perspective = POV_INTRINSIC;
    return pov_ok();
}

/* "to my left" is by my own front. */
static pov_status take_side(pov_reading *r)
{
    bool left = pov_reading_takes(r, "left_hand_side|left_side|left|left_hand");
    if (!left && !pov_reading_takes(r, "right_hand_side|right_side|right|right_hand"))
        return pov_reading_take(r, "left|right");
    return see_by_own_front(r, left ? POV_LEFT_OF : POV_RIGHT_OF);
}

static pov_status take_back(pov_reading *r)
{
    POV_TRY(pov_reading_take(r, "back"));
    return see_by_own_front(r, POV_BEHIND);
}

/* "on the left", from anna's perspective. */
static pov_status take_viewed(pov_reading *r)
{
    if (r->view == POV_ID_NONE)
        return pov_error("on whose left or right? say e.g. \"to anna's left\" or \"left of the car\"");
    r->question->relatum[r->question->relatum_len++] = r->view;
    return pov_ok();
}

/* What can be seen of a thing. */
static pov_status take_face(pov_reading *r)
{
    static const struct {
        const char *words;
        pov_relation side;
    } faces[] = {{"face|front|front_side|eyes", POV_IN_FRONT_OF},
                 {"back|rear|back_side", POV_BEHIND},
                 {"left_side|left_hand_side", POV_LEFT_OF},
                 {"right_side|right_hand_side", POV_RIGHT_OF}};
    for (size_t i = 0; i < sizeof faces / sizeof *faces; i++)
        if (pov_reading_takes(r, faces[i].words)) {
            r->question->side = faces[i].side;
            return pov_ok();
        }
    return pov_reading_take(r, "face|front|back");
}

/* -------- the most -------- */

static pov_status take_rank(pov_reading *r)
{
    static const char *const ordinals[] = {"first|1st", "second|2nd", "third|3rd", "fourth|4th", "fifth|5th"};
    for (int i = 0; i < 5; i++)
        if (pov_reading_takes(r, ordinals[i]))
            r->question->rank = i;
    return pov_ok();
}

static pov_status take_extreme(pov_reading *r)
{
    static const struct {
        const char *words;
        pov_extreme extreme;
    } table[] = {
        {"nearest|closest|nearer|closer|most_near|foremost|frontmost|the_shortest_distance|a_shorter_"
         "distance",
         POV_NEAREST},
        {"farthest|furthest|farther|further|most_distant|more_distant|remotest|rearmost|backmost|hindmost|"
         "the_longest_distance|a_longer_distance",
         POV_FARTHEST},
        {"leftmost|left_most|furthest_left|farthest_left|furthest_to_the_left|farthest_to_the_left|further_"
         "left|"
         "further_to_the_left|farther_to_the_left|from_the_left|on_the_far_left|most_to_the_left",
         POV_LEFTMOST},
        {"rightmost|right_most|furthest_right|farthest_right|furthest_to_the_right|farthest_to_the_right|"
         "further_right|further_to_the_right|farther_to_the_right|from_the_right|on_the_far_right|most_to_"
         "the_right",
         POV_RIGHTMOST},
        {"biggest|largest|bigger|larger", POV_BIGGEST},
        {"smallest|smaller|littlest", POV_SMALLEST},
        {"tallest|taller", POV_TALLEST},
        {"shortest|shorter", POV_SHORTEST},
        {"highest|higher|topmost|uppermost", POV_HIGHEST},
        {"lowest|lower", POV_LOWEST},
    };
    int start = r->at, best = -1, end = r->at;
    (void)pov_reading_takes(r, "the");
    POV_TRY(take_rank(r));
    (void)pov_reading_takes(r, "one");
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        pov_reading tried = *r;
        if (pov_reading_takes(&tried, table[i].words) && tried.at > end) {
            best = (int)i;
            end = tried.at;
        }
    }
    if (best < 0) {
        r->at = start;
        return pov_reading_take(
            r, "nearest|farthest|leftmost|rightmost|biggest|smallest|tallest|highest|lowest");
    }
    r->at = end;
    r->question->extreme = table[best].extreme;
    return pov_ok();
}

/* -------- all of them -------- */

static const pov_slot slots[] = {
    {"THING", take_thing, NULL, NULL},
    {"VIEWER", take_viewer, NULL, NULL},
    {"VIEW", take_view, NULL, NULL},
    {"OTHER", take_other, NULL, NULL},
    {"WE", take_we, NULL, "we"},
    {"NOUN", take_noun, NULL, NULL},
    {"ANY", take_any, NULL, "anything"},
    {"KIND", take_kind, NULL, "thing"},
    {"WH", take_wh, NULL, "which"},
    {"ALTERNATIVES", take_alternatives, NULL, NULL},
    {"RELATION", take_relation, NULL, "left of"},
    {"DIRECTION", take_direction, NULL, "left of"},
    {"RELATUM", take_relatum, NULL, NULL},
    {"RELATA", take_relata, NULL, NULL},
    {"TARGET", take_target, NULL, NULL},
    {"SAME", take_same, NULL, "her"},
    {"WHOSE", take_relatum, NULL, NULL},
    {"SIDE", take_side, NULL, "left"},
    {"BACK", take_back, NULL, "back"},
    {"VIEWED", take_viewed, NULL, NULL},
    {"FACE", take_face, NULL, "face"},
    {"AT", take_at, NULL, "facing"},
    {"EXTREME", take_extreme, NULL, "nearest"},
    {"FROM", pov_viewpoint_take_some, NULL, ""},
    {"VIEWPOINT", pov_viewpoint_take_all, NULL, ""},
    /* short for */
    {"IS", NULL, "is|are|would", NULL},
    {"CAN", NULL, "does|do|can|could|will|would|did", NULL},
    {"BE", NULL,
     "be|located|positioned|situated|placed|found|standing|sitting|lying|lie|lies|stand|stands|sit|sits|be_"
     "located|"
     "be_found|to_be_found|there",
     NULL},
    {"HIDDEN", NULL, "hidden|invisible|occluded|obscured|obstructed|concealed|out_of_sight", NULL},
    {"HIDE", NULL,
     "hide|hides|block|blocks|occlude|occludes|obstruct|obstructs|hiding|is_hiding|is_blocking|blocking|is_"
     "occluding",
     NULL},
    {"SIGHT", NULL,
     "perspective|viewpoint|point_of_view|points_of_view|view_point|view|standpoint|vantage_point|vantage|"
     "side|"
     "eyes|angle|frame_of_reference|reference_frame|frame|side_of_the_table|seat|place",
     NULL},
    {"BASED", NULL,
     "from|in|by|using|taking|through|with|considering|adopting|judging_from|based_on|looking_through|"
     "looking_from|"
     "viewed_from|seen_from|given|under|assuming|on",
     NULL},
    {"SEEN", NULL, "seen|viewed|looked_at|observed|perceived", NULL},
    {"IF", NULL, "if|suppose|supposing|imagine|assume|assuming|pretend", NULL},
    {"TO", NULL,
     "relative_to|in_relation_to|with_respect_to|with_regard_to|compared_to|compared_with|in_reference_to|"
     "with_reference_to|relatively_to",
     NULL},
    {"VERB", NULL,
     "give|hand|bring|pass|show|get|fetch|take|grab|find|point_at|point_to|pick|pick_up|go_to|drive_to|move_"
     "to|"
     "look_at|choose|select|push|touch|lift|reach_for|i_want|i_need|i_would_like",
     NULL},
    {"FACES", NULL, "face|facing|point|pointing|look|looking|oriented|turned|headed|heading|faced", NULL},
    {"EACH_OTHER", NULL, "each_other|one_another", NULL},
};

const pov_slot *pov_slot_of(const char *name)
{
    if (!isupper((unsigned char)*name))
        return NULL;
    for (size_t i = 0; i < sizeof slots / sizeof *slots; i++)
        if (strcmp(name, slots[i].name) == 0)
            return &slots[i];
    return NULL;
}
