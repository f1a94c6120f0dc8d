/* Replies with goals: places for things. */
#include "ask/talk/talk_internal.h"

#include "config/files/json_value.h"
#include "perception/scene/support.h"

#include <cJSON.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *tag_among(const pov_node *node, const char *const *tags)
{
    for (; *tags; tags++)
        if (pov_node_has(node, *tags))
            return *tags;
    return NULL;
}

static pov_status find_target(pov_id *target, pov_replying *r, const pov_node *part)
{
    pov_meant meant;
    POV_TRY(pov_reference_find(&meant, &r->context, part->items->node, POV_ROLE_RELATUM));
    *target = pov_meant_best(&meant);
    if (!pov_meant_is_one(&meant) && r->open.kind == POV_NOTHING_OPEN)
        pov_ask_for_thing(r, &meant, POV_ROLE_RELATUM);
    return pov_ok();
}

static pov_status add_relatum(pov_goal_asked *asked, pov_id id)
{
    if (asked->relatum_len == POV_RELATA_MAX)
        return pov_error("more than %d entities to locate it by", POV_RELATA_MAX);
    asked->relatum[asked->relatum_len++] = id;
    return pov_ok();
}

/* "between the mugs", "behind the car" */
static pov_status read_relata(pov_goal_asked *asked, pov_replying *r, const pov_node *goal)
{
    int phrases = 0;
    for (const pov_item *item = goal->items; item; item = item->next)
        phrases += item->kind == POV_ITEM_NODE && strcmp(item->node->name, "RELATUM") == 0;
    for (const pov_item *item = goal->items; item; item = item->next) {
        pov_meant meant;
        if (item->kind != POV_ITEM_NODE ||
            (strcmp(item->node->name, "RELATUM") != 0 && strcmp(item->node->name, "OFTABLE") != 0))
            continue;
        r->context.has_located = true;
        r->context.located = asked->object;
        const pov_status found =
            pov_reference_find(&meant, &r->context, item->node->items->node, POV_ROLE_RELATUM);
        r->context.has_located = false;
        POV_TRY(found);
        if (asked->relation->relata_min > 1 && (meant.several || meant.all || phrases == 1)) {
            for (pov_id id = 0; id < r->about->scene->len; id++)
                if (meant.fits[id] && id != asked->object)
                    POV_TRY(add_relatum(asked, id));
        } else {
            if (!pov_meant_is_one(&meant) && r->open.kind == POV_NOTHING_OPEN)
                pov_ask_for_thing(r, &meant, POV_ROLE_RELATUM);
            const pov_id best = pov_meant_best(&meant);
            const bool is_it = best == asked->object && meant.pronoun && r->talk->beside != POV_ID_NONE;
            POV_TRY(add_relatum(asked, is_it ? r->talk->beside : best)); /* "no, in front of it" */
        }
    }
    for (int i = 0; i < asked->relatum_len; i++)
        if (asked->relatum[i] == asked->object)
            return pov_error("it cannot be put relative to itself; name another thing");
    return asked->relatum_len >= asked->relation->relata_min ? pov_ok()
                                                             : pov_error("between what? name two things");
}

double pov_amount_read_m(const pov_node *amount)
{
    static const struct {
        const char *tag;
        double m;
    } units[] = {{"mm", 1e-3}, {"cm", 1e-2}, {"m", 1}, {"inch", 0.0254}, {"foot", 0.3048}};
    const pov_node *number = pov_node_find(amount, "NUMBER"), *unit = pov_node_find(amount, "UNIT");
    double value = 0;
    for (const pov_item *item = number ? number->items : NULL; item; item = item->next)
        if (item->text)
            value = strtod(item->text + (item->kind == POV_ITEM_TAG), NULL);
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (pov_node_has(unit, units[i].tag))
            return value * units[i].m;
    return 0;
}

/* How far: from where it is, or from the relatum. */
static pov_status read_distance(pov_goal_asked *asked, const pov_node *whole)
{
    const pov_node *amount = pov_node_find(whole, "AMOUNT");
    if (!amount)
        return pov_ok();
    if (asked->onto || asked->into || asked->middle || asked->on_ground || asked->relation->relata_min > 1)
        return pov_error(
            "so far is it from what? say a distance with a direction, e.g. 10 cm to the left of the box");
    asked->is_exact = true;
    asked->step_m = pov_amount_read_m(amount);
    return asked->step_m > 0 ? pov_ok() : pov_error("how far is that? say e.g. 10 cm");
}

static pov_status take_step(pov_goal_asked *asked, const pov_node *whole, pov_relation relation)
{
    static const double bit_m = 0.05, much_m = 0.3; /* chosen */
    const pov_node *bit = pov_node_find(whole, "BIT");
    asked->relation = pov_relation_info_of(relation);
    asked->relatum[0] = asked->object;
    asked->relatum_len = 1;
    asked->step_m = pov_node_has(bit, "much") ? much_m : bit ? bit_m : 0; /* 0: a usual one */
    return read_distance(asked, whole);
}

/* "to the left", "forward", "closer": from where it is. */
static pov_status read_shift(pov_goal_asked *asked, pov_replying *r, const pov_node *goal,
                             const pov_node *whole)
{
    static const char *const ways[] = {"forward", "backward", "closer", "away", NULL};
    const char *way = tag_among(goal, ways);
    const pov_node *side = pov_node_find(goal, "SIDE");
    pov_relation relation = side ? (pov_node_has(side, "right") ? POV_RIGHT_OF : POV_LEFT_OF)
                            : strcmp(way, "forward") == 0 || strcmp(way, "closer") == 0 ? POV_IN_FRONT_OF
                                                                                        : POV_BEHIND;
    if (side && pov_node_has(whole, "correct_goal") && r->talk->was_beside && !pov_node_find(whole, "BIT") &&
        !pov_node_has(goal, "onward")) {
        asked->relation = pov_relation_info_of(relation); /* "left of the cup"; "no, to the right" */
        asked->relatum[asked->relatum_len++] = r->talk->beside;
        return pov_ok();
    }
    POV_TRY(take_step(asked, whole, relation));
    if (!side && (strcmp(way, "forward") == 0 || strcmp(way, "backward") == 0)) {
        if (r->about->scene->entities[asked->object].heading.len == 0)
            return pov_error("it has no front; which way is that? say e.g. to my left");
        asked->by_own_front = true;
    }
    if (way && (strcmp(way, "closer") == 0 || strcmp(way, "away") == 0) && !r->context.has_view) {
        r->context.has_view = true; /* closer to the speaker, or to the robot where nobody speaks */
        r->context.view = pov_speaker_of(&r->context) != POV_ID_NONE ? pov_speaker_of(&r->context)
                                                                     : r->about->scene->camera;
    }
    return r->context.has_view && r->context.view == POV_ID_NONE ? pov_error("closer to whom? say the name")
                                                                 : pov_ok();
}

static pov_status read_own(pov_goal_asked *asked, pov_replying *r, const pov_node *goal,
                           const pov_node *whole)
{
    const pov_node *side = pov_node_find(goal, "SIDE");
    pov_id whose;
    const bool goes_on = pov_node_has(whole, "correct_goal") && r->talk->was_step; /* "no, to my right" */
    const bool shifts = pov_node_find(whole, "BIT") || pov_node_has(goal, "own_shift") || goes_on;
    POV_TRY(find_target(&whose, r, pov_node_find(goal, "WHOSE")));
    if (side && shifts && (pov_is_person(r->about->scene, whose) || whose == r->about->scene->camera)) {
        r->context.has_view = true;
        r->context.view = whose;
        return read_shift(asked, r, goal, whole);
    }
    pov_relation relation = pov_node_has(goal, "own_back")    ? POV_BEHIND
                            : pov_node_has(goal, "own_front") ? POV_IN_FRONT_OF
                            : pov_node_has(side, "right")     ? POV_RIGHT_OF
                                                              : POV_LEFT_OF;
    if (r->about->scene->entities[whose].heading.len == 0)
        return pov_error("%s has no front, so it has no left, right or back of its own",
                         r->about->scene->entities[whose].name);
    asked->relation = pov_relation_info_of(relation);
    asked->relatum[asked->relatum_len++] = whose;
    asked->by_own_front = true;
    return read_distance(asked, whole);
}

/* "towards you", "away from you": a step to where somebody is, or from there; "towards the box": near it; "away from the box": far. */
static pov_status read_toward(pov_goal_asked *asked, pov_replying *r, const pov_node *goal,
                              const pov_node *whole)
{
    pov_id target;
    const bool away = pov_node_has(goal, "away_from") ||
                      (asked->relation && strcmp(asked->relation->name, "away_from") == 0);
    POV_TRY(find_target(&target, r, pov_node_find(goal, "RELATUM")));
    if (!pov_is_person(r->about->scene, target) && target != r->about->scene->camera) {
        if (pov_node_find(whole, "AMOUNT"))
            return pov_error("I can move it by so much to a side, or towards a person; say e.g. to my left");
        asked->relation = pov_relation_lookup(away ? "far_from" : "near");
        return read_relata(asked, r, goal);
    }
    r->context.has_view = true;
    r->context.view = target;
    return take_step(asked, whole, away ? POV_BEHIND : POV_IN_FRONT_OF);
}

/* "on the table", which need not be an entity: what carries everything does. */
static pov_status read_ground(pov_goal_asked *asked, const pov_replying *r, const pov_node *goal,
                              const pov_node *whole)
{
    const pov_scene *scene = r->about->scene;
    const pov_id lowest = pov_goal_lowest_support(scene, asked->object);
    if (pov_node_has(goal, "floor"))
        return pov_error("whether the things stand on the floor I do not know; say a place by a thing, e.g. "
                         "next to the box");
    if (lowest == POV_ID_NONE)
        return pov_error("it stands on no other thing already");
    asked->relation = pov_relation_lookup("on");
    asked->onto = pov_is_surface(&scene->entities[lowest]);
    asked->on_ground = !asked->onto;
    if (asked->onto)
        POV_TRY(add_relatum(asked, lowest));
    return read_distance(asked, whole);
}

/* "On the left half of the table" is on top of it; the left side of a thing that carries nothing is beside it. */
static void read_area(pov_goal_asked *asked, const pov_replying *r, const pov_node *goal)
{
    pov_area_read(&asked->area, goal);
    if (asked->relatum_len == 1)
        pov_area_settle(&asked->area, &asked->relation, r->about->scene, asked->relatum[0]);
    asked->onto = asked->onto || asked->area.part != POV_PART_NONE;
}

static pov_status read_goal(pov_goal_asked *asked, pov_replying *r, const pov_node *goal,
                            const pov_node *whole)
{
    if (pov_node_has(goal, "there") || pov_node_has(goal, "here"))
        return pov_error("where is that? say it by a thing, e.g. next to the box");
    if (pov_node_has(goal, "seen"))
        return pov_error("I cannot look for places by who would see them; say where, e.g. behind the box");
    if (pov_node_has(goal, "which_corner"))
        return pov_error("in which corner? say e.g. in the near left corner");
    if (pov_node_has(goal, "place_of"))
        return pov_error("that place is taken; say where, e.g. next to it");
    if (pov_node_has(goal, "own") || pov_node_has(goal, "own_shift") || pov_node_has(goal, "own_front"))
        return read_own(asked, r, goal, whole);
    if (pov_node_has(goal, "toward") || pov_node_has(goal, "away_from"))
        return read_toward(asked, r, goal, whole);
    if (pov_node_has(goal, "shift"))
        return read_shift(asked, r, goal, whole);
    if (pov_node_has(goal, "rests"))
        return read_ground(asked, r, goal, whole);
    if (pov_node_has(goal, "middle")) {
        asked->relation = pov_relation_lookup("in_the_middle_of");
        asked->middle = true;
        POV_TRY(read_distance(asked, whole));
        if (pov_node_find(goal, "RELATUM"))
            return read_relata(asked, r, goal);
        const pov_id support = pov_support_likeliest(r->about->scene, asked->object);
        return support != POV_ID_NONE ? add_relatum(asked, support)
                                      : pov_error("the middle of what? say e.g. between the two boxes");
    }
    if (pov_node_has(goal, "at_distance") && !pov_node_find(whole, "AMOUNT"))
        return pov_error("how far from it? say e.g. 30 cm");
    const char *name = pov_node_has(goal, "on")            ? "on"
                       : pov_node_has(goal, "at_distance") ? "near"
                       : pov_node_has(goal, "to_thing")    ? "next_to"
                       : pov_node_has(goal, "in")          ? "in"
                       : pov_node_has(goal, "between")     ? "between"
                                                           : NULL;
    asked->relation = name ? pov_relation_lookup(name) : pov_relation_read(goal);
    if (!asked->relation)
        return pov_error("where to? say e.g. behind the box");
    if (strcmp(asked->relation->name, "toward") == 0 || strcmp(asked->relation->name, "away_from") == 0)
        return read_toward(asked, r, goal, whole);
    if (strcmp(asked->relation->name, "into") == 0 || strcmp(asked->relation->name, "inside") == 0 ||
        strcmp(asked->relation->name, "within") == 0)
        asked->relation = pov_relation_lookup("in");
    static const char *const onto[] = {"on", "on_top_of", "over", "above", NULL};
    for (int i = 0; onto[i]; i++)
        asked->onto = asked->onto || strcmp(asked->relation->name, onto[i]) == 0;
    asked->into = strcmp(asked->relation->name, "in") == 0;
    asked->middle = strcmp(asked->relation->name, "in_the_middle_of") == 0;
    asked->on_edge = strcmp(asked->relation->name, "at_the_edge_of") == 0;
    POV_TRY(read_relata(asked, r, goal));
    read_area(asked, r, goal);
    POV_TRY(read_distance(asked, whole));
    return (asked->onto || asked->into) && pov_is_person(r->about->scene, asked->relatum[0])
               ? pov_error("I put nothing on people; say a place beside them")
               : pov_ok();
}

/* -------- telling it -------- */

static void add_region(cJSON *object, const pov_goal_region *g)
{
    cJSON *position = cJSON_AddArrayToObject(object, "position_m"),
          *covariance = cJSON_AddArrayToObject(object, "covariance_m2"),
          *hull = cJSON_AddArrayToObject(object, "region_m");
    const double at_m[3] = {g->position_m.x, g->position_m.y, g->position_m.z};
    for (int i = 0; i < 3; i++)
        cJSON_AddItemToArray(position, pov_json_number(at_m[i]));
    for (int i = 0; i < 2; i++) {
        cJSON *row = cJSON_CreateArray();
        for (int k = 0; k < 2; k++)
            cJSON_AddItemToArray(row, pov_json_number(g->covariance_m2[i][k]));
        cJSON_AddItemToArray(covariance, row);
    }
    for (int i = 0; i < g->hull_len; i++) {
        cJSON *corner = cJSON_CreateArray();
        for (int k = 0; k < 2; k++)
            cJSON_AddItemToArray(corner, pov_json_number(g->hull_m[i][k]));
        cJSON_AddItemToArray(hull, corner);
    }
}

static void add_frame(cJSON *list, pov_replying *r, const pov_goal_asked *asked, const pov_goal_region *g)
{
    cJSON *frame = cJSON_CreateObject();
    bool own = g->frame.viewer == POV_ID_NONE;
    bool free = asked->relation->frame == POV_FRAME_NONE;
    pov_json_add_text(frame, "perspective", free ? NULL : pov_perspective_name(g->frame.perspective));
    pov_json_add_text(frame, "convention", own || free ? NULL : pov_convention_name(r->context.convention));
    pov_json_add_text(frame, "axis", free ? NULL : pov_axis_name(own ? POV_HEADING : r->context.axis));
    pov_json_add_text(frame, "viewer", own || free ? NULL : r->about->scene->entities[g->frame.viewer].name);
    pov_json_add_text(frame, "verdict", g->possible ? "true" : "none");
    pov_json_add_number(frame, "p", g->p);
    if (g->possible)
        add_region(frame, g);
    cJSON_AddItemToArray(list, frame);
}

static void tell_goal(pov_replying *r, const pov_goal_asked *asked, const pov_goal_region *g,
                      const char *action)
{
    cJSON *goal = cJSON_AddObjectToObject(r->answer, "goal");
    pov_text names = {0};
    const pov_scene *scene = r->about->scene;
    cJSON_AddStringToObject(goal, "action", action);
    cJSON_AddStringToObject(goal, "object", scene->entities[asked->object].name);
    cJSON_AddStringToObject(goal, "relation", asked->relation->name);
    for (int i = 0; i < asked->relatum_len && i < 2; i++) /* a table that is no entity has no id */
        if (!scene->entities[asked->relatum[i]].is_hypothetical)
            pov_text_add(&names, i ? ",%s" : "%s", scene->entities[asked->relatum[i]].name);
    cJSON_AddStringToObject(goal, "relatum", pov_text_of(&names));
    pov_text_free(&names);
    const bool is_framed = asked->relation->frame != POV_FRAME_NONE;
    const pov_id viewer = g->frame.viewer != POV_ID_NONE ? g->frame.viewer
                          : asked->relatum_len > 0 && g->frame.perspective == POV_INTRINSIC
                              ? asked->relatum[0]
                              : POV_ID_NONE;
    pov_json_add_text(goal, "frame", is_framed ? pov_perspective_name(g->frame.perspective) : NULL);
    pov_json_add_text(goal, "viewer",
                      is_framed && viewer != POV_ID_NONE ? scene->entities[viewer].name : NULL);
    pov_json_add_number(goal, "p", g->p);
    add_region(goal, g);
    const pov_rot *R = &scene->entities[asked->object].R_table_box; /* it is put as it is turned now */
    pov_json_add_number(goal, "yaw_rad", atan2(R->m[1][0], R->m[0][0]));
}

static void say_goal(pov_replying *r, const pov_goal_asked *asked, const pov_goal_region *g)
{
    char object[64], name[64], frame[96] = "";
    pov_text relata = {0}, place = {0};
    char phrase[128];
    const char *relation = pov_reply_text(r, pov_area_phrase((char[64]){0}, &asked->area, asked->relation));
    if (asked->is_exact && asked->relation->frame != POV_FRAME_NONE)
        snprintf(phrase, sizeof phrase, "%.4g cm %s", 100 * asked->step_m, relation);
    else
        snprintf(phrase, sizeof phrase, "%s", relation);
    bool moved = asked->relatum_len > 0 && asked->relatum[0] == asked->object;
    for (int i = 0; i < asked->relatum_len && i < 2; i++)
        pov_reply_add(r, &relata, i ? " and %s" : "%s",
                      moved ? pov_reply_text(r, "where it is")
                            : pov_name_thing(name, r->about->scene, asked->relatum[i]));
    if (asked->on_ground)
        pov_reply_add(r, &relata, "the table");
    if (asked->relation->frame == POV_FRAME_AXES)
        pov_say_frame(frame, &r->context, &g->frame,
                      asked->relatum_len > 0 ? asked->relatum[0] : POV_ID_NONE);
    pov_reply_fill(
        r, &place, "RELATION RELATUM FRAME",
        (const char *const[]){"RELATION", phrase, "RELATUM", pov_text_of(&relata), "FRAME", frame, NULL});
    pov_name_thing(object, r->about->scene, asked->object);
    object[0] = object[0] == 't' ? 'T' : object[0];
    pov_reply_say(r, POV_GOAL, "%s goes %s, to x = %.2f m, y = %.2f m.", object, pov_text_of(&place),
                  round(100 * g->position_m.x) / 100 + 0.0, round(100 * g->position_m.y) / 100 + 0.0);
    if (isnan(g->p) && !asked->is_exact)
        pov_reply_add(r, &r->why, "Because there it is free.");
    else if (isnan(g->p))
        pov_reply_add(r, &r->why,
                      "Because there it is free, on its support, and as far from it as you said.");
    else
        pov_reply_add(r, &r->why,
                      "Because there it is free, on its support, and \"%s %s\" holds with P = %.2f.",
                      relation, pov_text_of(&relata), g->p);
    pov_text_free(&relata);
    pov_text_free(&place);
}

/* Regions whose middles are nearer than the thing is wide are one in substance, unless they are on different sides of what they are
 * relative to. */
static bool is_same_region(const pov_goal_region *a, const pov_goal_region *b, double width_m,
                           pov_vec3 from_m)
{
    const double ax = a->position_m.x - from_m.x, ay = a->position_m.y - from_m.y,
                 bx = b->position_m.x - from_m.x, by = b->position_m.y - from_m.y;
    return hypot(ax - bx, ay - by) <= width_m && ax * bx + ay * by >= 0.7 * hypot(ax, ay) * hypot(bx, by);
}

/* In a frame of reference; NULL: in none. */
static void say_no_room(pov_replying *r, const pov_hypothesis *frame)
{
    char text[96] = "";
    if (frame)
        pov_say_frame(text, &r->context, frame, POV_ID_NONE);
    cJSON_AddNullToObject(r->answer, "goal");
    pov_reply_say(r, POV_REFUSED,
                  frame ? "There is no free place for it there, %s." : "There is no free place for it there.",
                  text);
}

static void note_no_room(pov_replying *r, const pov_hypothesis *frame)
{
    char text[96];
    pov_text_add(&r->reply->say, " ");
    pov_reply_add(r, &r->reply->say, "(There is no free place %s.)",
                  pov_say_frame(text, &r->context, frame, POV_ID_NONE));
}

/* "10 cm to the left"; "no, to the right": as far. */
static void keep_distance(pov_goal_asked *asked, const pov_replying *r, const pov_node *goal,
                          const pov_node *where)
{
    const bool is_step = asked->relatum_len > 0 && asked->relatum[0] == asked->object;
    if (!pov_node_has(goal, "correct_goal") || !pov_node_find(where, "SIDE") || pov_node_find(goal, "BIT") ||
        (is_step ? !r->talk->was_step : !r->talk->was_beside))
        return;
    asked->is_exact = r->talk->was_exact;
    asked->step_m = r->talk->step_m;
}

/* "put it back": nothing has been done yet. */
static pov_status undo(pov_replying *r)
{
    if (r->talk->picked == POV_ID_NONE)
        return pov_error("I do not know how to undo that; say where the thing is to go");
    r->talk->calls_off = true;
    pov_reply_say(r, POV_ANSWERED, "All right; I do nothing.");
    return pov_ok();
}

pov_status pov_reply_with_goal(pov_replying *r, const pov_node *goal)
{
    pov_meant object;
    pov_goal_asked asked = {0};
    pov_hypothesis frames[POV_HYPOTHESES_MAX], open[POV_HYPOTHESES_MAX];
    pov_goal_region regions[POV_HYPOTHESES_MAX];
    const pov_node *where = pov_node_find(goal, "GOALREL");
    cJSON_AddNullToObject(r->answer, "kind");
    cJSON_AddNullToObject(r->answer, "answer");
    if (pov_node_has(goal, "undo"))
        return undo(r);
    if (pov_node_has(goal, "whither"))
        return pov_error("in which direction? say e.g. further to my left");
    if (pov_node_has(goal, "one_by_one"))
        return pov_error("I put one thing at a time; say where each is to go, e.g. next to the box");
    if (pov_node_has(goal, "beyond"))
        return pov_error("I can only look, point, fetch and put; that I cannot do");
    const pov_node *what = pov_node_find(goal, "OBJECT");
    POV_TRY(what ? pov_reference_find(&object, &r->context, what->items->node, POV_ROLE_WANTED)
                 : pov_reference_it(&object, &r->context)); /* "no, on the drum" */
    asked.object = pov_meant_best(&object);
    if (!pov_meant_is_one(&object) && !object.some) {
        pov_ask_for_thing(r, &object, POV_ROLE_WANTED);
        return pov_ok();
    }
    if (pov_is_person(r->about->scene, asked.object) || asked.object == r->about->scene->camera)
        return pov_error("I do not move people, nor myself");
    r->context.it = asked.object;
    r->action = "put";
    if (!where) { /* the answer goes on with it */
        pov_ask_plainly(r, "where to? say e.g. behind the box");
        return pov_ok();
    }
    POV_TRY(read_goal(&asked, r, where, goal));
    keep_distance(&asked, r, goal, where);
    if (r->open.kind != POV_NOTHING_OPEN)
        return pov_ok();
    if (!pov_goal_fits(r->about->scene, &asked)) {
        char thing[64], other[64];
        pov_name_thing(thing, r->about->scene, asked.object);
        pov_name_thing(other, r->about->scene, asked.relatum[0]);
        pov_reply_say(r, POV_REFUSED, asked.into ? "%s does not fit in %s." : "%s cannot stand on %s.", thing,
                      other);
        return pov_ok();
    }
    int len = pov_hypotheses_of(frames, &r->context), open_len = 0, best = -1;
    if (asked.relation->frame == POV_FRAME_NONE || asked.by_own_front)
        len = 1;
    if (asked.relation->frame == POV_FRAME_NORTH) {
        len = 1;
        frames[0] = (pov_hypothesis){POV_ABSOLUTE, POV_ID_NONE, 1};
    }
    if (asked.by_own_front)
        frames[0] = (pov_hypothesis){POV_INTRINSIC, POV_ID_NONE, 1};
    double width_m = fmax(r->about->scene->entities[asked.object].size_m.x, 0.05);
    const pov_vec3 from_m =
        r->about->scene->entities[asked.relatum_len > 0 ? asked.relatum[0] : asked.object].position.mean_m;
    cJSON *list = cJSON_AddArrayToObject(r->answer, "frames");
    for (int i = 0; i < len; i++) {
        bool known = false;
        pov_goal_find(&regions[i], &r->context, &asked, &frames[i], r->talk->imagined);
        add_frame(list, r, &asked, &regions[i]);
        if (!regions[i].possible)
            continue;
        for (int k = 0; k < i; k++)
            known =
                known || (regions[k].possible && is_same_region(&regions[i], &regions[k], width_m, from_m));
        best = best < 0 || frames[i].prior > frames[best].prior ? i : best;
        if (!known)
            open[open_len++] = frames[i];
    }
    if (best < 0) {
        say_no_room(r, len == 1 && asked.relation->frame == POV_FRAME_AXES ? &frames[0] : NULL);
        return pov_ok();
    }
    double sum = 0;
    const pov_hypothesis *full = NULL; /* the likeliest frame in which no place is free */
    for (int i = 0; i < len; i++) {
        sum += regions[i].is_defined ? frames[i].prior : 0;
        if (regions[i].possible || !regions[i].is_defined)
            continue;
        full = !full || frames[i].prior > full->prior ? &frames[i] : full;
        open[open_len++] = frames[i];
    }
    r->talk->picked = asked.object;
    if (asked.relatum_len > 0 && asked.relatum[0] != asked.object)
        r->talk->beside = asked.relatum[0];
    const bool is_step = asked.relatum_len > 0 && asked.relatum[0] == asked.object;
    r->talk->was_beside = asked.relatum_len > 0 && !is_step;
    r->talk->was_step = is_step;
    r->talk->was_exact = asked.is_exact;
    r->talk->step_m = asked.step_m;
    r->action = is_step ? "move" : "put";
    tell_goal(r, &asked, &regions[best], is_step ? "move" : "put");
    r->reply->has_goal = true;
    r->reply->goal_object = asked.object;
    r->reply->goal_m = regions[best].position_m;
    r->reply->goal_corner_len = regions[best].hull_len;
    memcpy(r->reply->goal_corners_m, regions[best].hull_m, sizeof regions[best].hull_m);
    if (open_len > 1 && frames[best].prior / sum < POV_SURE_ENOUGH) {
        pov_ask_for_frame(r, open, open_len, pov_area_phrase((char[64]){0}, &asked.area, asked.relation),
                          asked.relatum_len > 0 ? asked.relatum[0] : POV_ID_NONE);
        if (full)
            note_no_room(r, full);
        return pov_ok();
    }
    say_goal(r, &asked, &regions[best]);
    return pov_ok();
}
