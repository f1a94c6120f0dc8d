#include "ask/meaning/draft.h"

#include "ask/meaning/reference_internal.h"
#include "perception/scene/imagined_viewer.h"

#include <stdlib.h>
#include <string.h>

/* -------- viewpoints -------- */

static pov_status join_view(pov_context *c, pov_id view, bool weak)
{
    char a[64], b[64];
    if (c->has_view && c->view != view)
        return pov_error("asked both from %s and from %s; ask from one of them",
                         pov_name_thing(a, c->scene, c->view), pov_name_thing(b, c->scene, view));
    c->has_view = true;
    c->is_view_weak = weak;
    c->view = view;
    return pov_ok();
}

/* Goes on with a scene that is not so. */
static pov_status imagine(pov_context *c, const pov_scene *scene)
{
    POV_TRY(pov_moment_imagine(c->moment, scene));
    c->scene = pov_moment_scene(c->moment);
    return pov_ok();
}

/* "the left side of the table", where the table is no entity */
static pov_status imagine_table(pov_context *c)
{
    if (pov_area_table(c->scene) != POV_ID_NONE)
        return pov_ok();
    pov_scene *imagined = malloc(sizeof *imagined);
    if (!imagined)
        return pov_error("out of memory");
    *imagined = *c->scene;
    pov_status status = pov_area_imagine_table(imagined);
    if (status.code == POV_OK)
        status = imagine(c, imagined);
    free(imagined);
    return status;
}

/* One thing, as a part of a reading names it. */
static pov_status find_named(pov_id *id, pov_context *c, const pov_node *standing, const char *part)
{
    const pov_node *node = pov_node_find(standing, part);
    pov_meant meant;
    POV_TRY(pov_reference_find(&meant, c, node->items->node, POV_ROLE_COUNT));
    *id = pov_meant_best(&meant);
    return pov_meant_is_one(&meant) ? pov_ok()
                                    : pov_error("where would that be? several things fit; say which one");
}

/* Who stands there: somebody of the scene; the speaker, where the words name nobody; POV_ID_NONE: somebody whom it does not have. */
static pov_status find_stander(pov_id *id, pov_context *c, const pov_node *standing)
{
    const pov_node *stander = pov_node_find(standing, "STANDER");
    pov_meant meant;
    char name[64];
    const bool anybody = pov_node_has(stander, "anybody");
    const pov_node *word = !stander || anybody ? NULL : stander->items->node;
    const bool pronoun = word && strcmp(word->name, "PRONOUN") == 0;
    *id = POV_ID_NONE;
    if (anybody)
        return pov_ok();
    if (!word || (pronoun && pov_node_has(word, "me"))) {
        if (pov_reference_me(&meant, c).code == POV_OK)
            *id = pov_meant_best(&meant);
        return pov_ok();
    }
    POV_TRY(pov_reference_find(&meant, c, pronoun ? stander : word, POV_ROLE_COUNT));
    *id = pov_meant_best(&meant);
    if (*id == c->scene->camera || pov_is_person(c->scene, *id))
        return pov_ok();
    return pov_error("%s does not look at anything; say who would stand there",
                     pov_name_thing(name, c->scene, *id));
}

/* "if I stand at the car facing the woman" */
static pov_status read_standing(pov_context *c, const pov_node *standing)
{
    pov_id viewer, at, facing;
    if (!pov_node_find(standing, "STANDFACE"))
        return pov_error("and what would you face there? say e.g. \"if I stand at the car facing the door\"");
    POV_TRY(find_named(&at, c, standing, "STANDAT"));
    POV_TRY(find_named(&facing, c, standing, "STANDFACE"));
    POV_TRY(find_stander(&viewer, c, standing));
    pov_scene *imagined = malloc(sizeof *imagined);
    if (!imagined)
        return pov_error("out of memory");
    *imagined = *c->scene;
    const bool is_new = viewer == POV_ID_NONE;
    pov_status status = is_new ? pov_scene_imagine_observer(imagined, &viewer, "observer", at, facing)
                               : pov_scene_imagine(imagined, viewer, at, facing);
    if (status.code == POV_OK)
        status = imagine(c, imagined);
    free(imagined);
    POV_TRY(status);
    if (is_new)
        c->me = viewer;
    return c->fixed[POV_ROLE_VIEW] ? pov_ok() : join_view(c, viewer, false);
}

static pov_status find_viewer(pov_meant *meant, pov_context *c, const pov_node *view)
{
    const pov_node *strong = pov_node_find(view, "STRONGVIEW"), *viewer = pov_node_find(view, "VIEWER_");
    if (pov_node_has(strong, "yours")) /* "the left cup, yours" */
        return pov_reference_you(meant, c);
    return pov_node_has(strong, "mine") || pov_node_has(viewer, "here")
               ? pov_reference_me(meant, c)
               : pov_reference_find(meant, c, viewer->items->node, POV_ROLE_COUNT);
}

static pov_status read_view(pov_context *c, const pov_node *view)
{
    const pov_node *strong = pov_node_find(view, "STRONGVIEW");
    pov_meant meant;
    if (pov_node_find(view, "STANDING"))
        return read_standing(c, pov_node_find(view, "STANDING"));
    POV_TRY(find_viewer(&meant, c, view));
    pov_id id = pov_meant_best(&meant);
    if (!pov_meant_is_one(&meant))
        return pov_error("from whom? several fit; say the name");
    if (pov_node_has(strong, "named"))
        return pov_ok();
    if (id != c->scene->camera && !pov_is_person(c->scene, id) && c->scene->entities[id].heading.len == 0) {
        char name[64];
        return pov_error("%s has no front to look from; say a person", pov_name_thing(name, c->scene, id));
    }
    if (pov_node_has(strong, "as_me"))
        c->me = id;
    if (pov_node_has(strong, "as_you"))
        c->you = id;
    return c->fixed[POV_ROLE_VIEW] ? pov_ok()
                                   : join_view(c, id, !strong && strcmp(view->name, "VIEWOF") != 0);
}

/* "my side of the table": as I see it. */
static pov_status read_whose_area(pov_context *c, const pov_node *whose)
{
    char name[64];
    pov_meant meant;
    POV_TRY(pov_reference_find(&meant, c, whose->items->node, POV_ROLE_COUNT));
    const pov_id id = pov_meant_best(&meant);
    if (!pov_meant_is_one(&meant))
        return pov_error("whose side? several fit; say the name");
    if (id != c->scene->camera && !pov_is_person(c->scene, id))
        return pov_error("%s does not look at anything; say whose side, e.g. my left side",
                         pov_name_thing(name, c->scene, id));
    return c->fixed[POV_ROLE_VIEW] ? pov_ok() : join_view(c, id, false);
}

static pov_status read_how(pov_context *c, const pov_node *how)
{
    for (int i = 0; i < POV_CONVENTION_COUNT; i++)
        if (pov_node_has(how, pov_convention_name((pov_convention)i)))
            c->convention = (pov_convention)i;
    for (int i = 0; i < POV_AXIS_COUNT; i++)
        if (pov_node_has(how, pov_axis_name((pov_axis)i))) {
            c->axis = (pov_axis)i;
            c->says_axis = true;
        }
    if (pov_node_has(how, "intrinsic") && !c->fixed[POV_ROLE_VIEW])
        c->is_intrinsic = true;
    if (pov_node_has(how, "egocentric") && !c->fixed[POV_ROLE_VIEW])
        return c->scene->camera == POV_ID_NONE ? pov_error("the scene has no camera")
                                               : join_view(c, c->scene->camera, false);
    return pov_ok();
}

pov_status pov_views_read(pov_context *c, const pov_node *node)
{
    for (const pov_item *item = node->items; item; item = item->next) {
        if (item->kind != POV_ITEM_NODE)
            continue;
        if (strcmp(item->node->name, "VIEW") == 0 || strcmp(item->node->name, "VIEWOF") == 0)
            POV_TRY(read_view(c, item->node));
        else if (strcmp(item->node->name, "HOW") == 0)
            POV_TRY(read_how(c, item->node));
        else if (strcmp(item->node->name, "AREAWHOSE") == 0)
            POV_TRY(read_whose_area(c, item->node));
        else if (strcmp(item->node->name, "TABLE") == 0)
            POV_TRY(imagine_table(c));
        else
            POV_TRY(pov_views_read(c, item->node));
    }
    return pov_ok();
}

/* -------- a request -------- */

bool pov_meant_is_one(const pov_meant *meant)
{
    pov_id best = pov_meant_best(meant);
    return best != POV_ID_NONE && meant->q[best] >= POV_SURE_ENOUGH;
}

void pov_request_start(pov_request *request, const pov_scene *scene, pov_request_kind kind)
{
    *request = (pov_request){.kind = kind,
                             .referent = POV_ID_NONE,
                             .any_perspective = true,
                             .viewer = POV_ID_NONE,
                             .other = POV_ID_NONE,
                             .convention = POV_REFLECTED,
                             .axis = POV_AXIS_USUAL};
    bool all = kind == POV_REQUEST_WHICH || kind == POV_REQUEST_FACING;
    for (pov_id id = 0; id < POV_ENTITY_MAX; id++)
        request->candidate[id] = all || id >= scene->len ||
                                 (id != scene->camera && !pov_is_person(scene, id) &&
                                  (kind != POV_REQUEST_EXTREME || !pov_is_surface(&scene->entities[id])));
}

typedef struct {
    pov_request *request;
    pov_open_role *open;
    pov_context *context;
    const pov_node *core; /* the alternative that carries the tags */
    int direction_len;
} drafting;

static void note_open(drafting *d, pov_role role, const pov_meant *meant)
{
    if (d->open->is_open || pov_meant_is_one(meant))
        return;
    *d->open = (pov_open_role){true, role, *meant};
}

static pov_status find_one(pov_id *id, drafting *d, const pov_node *phrase, pov_role role)
{
    pov_meant meant;
    POV_TRY(pov_reference_find(&meant, d->context, phrase, role));
    *id = pov_meant_best(&meant);
    if (role == POV_ROLE_THING && (meant.some || meant.all) && !pov_meant_is_one(&meant))
        return pov_error(meant.all ? "ask about one thing at a time" : "which one? several fit");
    note_open(d, role, &meant);
    return d->open->is_open && pov_node_has(d->core, "bare") ? pov_error("which one? several fit") : pov_ok();
}

static pov_status add_relatum(drafting *d, pov_id id)
{
    pov_request *request = d->request;
    char name[64];
    bool twice = id == request->referent;
    for (int i = 0; i < request->relatum_len; i++)
        twice = twice || id == request->relatum[i];
    if (twice)
        return pov_error("%s is asked about itself; name different entities",
                         pov_name_thing(name, d->context->scene, id));
    if (request->relatum_len == POV_RELATA_MAX)
        return pov_error("more than %d entities to locate it by", POV_RELATA_MAX);
    request->relatum[request->relatum_len++] = id;
    return pov_ok();
}

/* "the car"; or all of "the mugs" between which it is. */
static pov_status read_relatum(drafting *d, const pov_node *phrase)
{
    pov_meant meant;
    const pov_relation_info *relation = d->request->relation;
    d->context->has_located = true;
    d->context->located = d->request->referent;
    const pov_status found = pov_reference_find(&meant, d->context, phrase, POV_ROLE_RELATUM);
    d->context->has_located = false;
    POV_TRY(found);
    if (relation && relation->relata_min > 1 && (meant.several || meant.all)) {
        for (pov_id id = 0; id < d->context->scene->len; id++)
            if (meant.fits[id])
                POV_TRY(add_relatum(d, id));
        return pov_ok();
    }
    note_open(d, POV_ROLE_RELATUM, &meant);
    return add_relatum(d, pov_meant_best(&meant));
}

static pov_status read_own_side(drafting *d, const pov_node *side)
{
    pov_request *request = d->request;
    const pov_relation relation = !side || pov_node_has(side, "backmost") ? POV_BEHIND
                                  : pov_node_has(side, "frontmost")       ? POV_IN_FRONT_OF
                                  : pov_node_has(side, "right")           ? POV_RIGHT_OF
                                                                          : POV_LEFT_OF;
    request->relation = pov_relation_info_of(relation);
    request->directions[relation] = true;
    request->any_perspective = false;
    request->perspective = POV_INTRINSIC;
    return pov_ok();
}

static void read_face(drafting *d, const pov_node *face)
{
    d->request->side = pov_node_has(face, "face_back")    ? POV_BEHIND
                       : pov_node_has(face, "face_left")  ? POV_LEFT_OF
                       : pov_node_has(face, "face_right") ? POV_RIGHT_OF
                                                          : POV_IN_FRONT_OF;
}

static void read_who(drafting *d, const pov_node *wh)
{
    bool people = pov_node_has(wh, "people"), things = pov_node_has(wh, "things");
    for (pov_id id = 0; id < POV_ENTITY_MAX && (people || things); id++)
        d->request->candidate[id] =
            id < d->context->scene->len && id != d->context->scene->camera &&
            !d->context->scene->entities[id].is_hypothetical &&
            pov_is_person(d->context->scene, id) == people &&
            (d->request->kind != POV_REQUEST_EXTREME || !pov_is_surface(&d->context->scene->entities[id]));
}

/* "people", "things": where there is none, their number is 0. */
static bool counts_none(const drafting *d, const pov_node *phrase)
{
    pov_description wanted = {0};
    pov_description_read(&wanted, phrase);
    bool none = (d->request->kind == POV_REQUEST_COUNT || d->request->way == POV_WAY_WHO_COUNTED) &&
                wanted.said_len == 0 && !wanted.other && (wanted.person || wanted.thing);
    for (pov_id id = 0; id < d->context->scene->len; id++)
        none = none && !pov_description_fits(d->context, id, &wanted);
    return none;
}

static pov_status read_noun(drafting *d, const pov_node *phrase)
{
    if (!counts_none(d, phrase))
        return pov_reference_candidates(d->request->candidate, d->context, phrase, POV_ROLE_NOUN);
    memset(d->request->candidate, 0, sizeof d->request->candidate);
    return pov_ok();
}

static pov_status read_direction(drafting *d, const pov_node *node)
{
    d->request->relation = pov_relation_read(node);
    d->request->directions[d->request->relation->projective] = true;
    return pov_ok();
}

/* "the ball or the car" */
static pov_status read_alternatives(drafting *d, const pov_node *node)
{
    bool candidate[POV_ENTITY_MAX] = {false};
    for (const pov_item *item = node->items; item; item = item->next) {
        pov_id id;
        if (item->kind != POV_ITEM_NODE)
            continue;
        POV_TRY(find_one(&id, d, item->node, POV_ROLE_COUNT));
        candidate[id] = true;
    }
    memcpy(d->request->candidate, candidate, sizeof candidate);
    return pov_ok();
}

static pov_status read_we(drafting *d)
{
    pov_context *c = d->context;
    d->request->viewer = c->me;
    for (pov_id id = 0; id < c->scene->len && d->request->viewer == POV_ID_NONE; id++)
        if (c->scene->entities[id].addressee)
            d->request->viewer = id;
    d->request->other = c->you != POV_ID_NONE ? c->you : c->scene->camera;
    return d->request->viewer != POV_ID_NONE && d->request->other != POV_ID_NONE
               ? pov_ok()
               : pov_error("who are \"we\"? the scene has no %s",
                           d->request->viewer == POV_ID_NONE ? "addressee" : "camera");
}

static pov_status read_parts(drafting *d, const pov_node *node);

static pov_status read_part(drafting *d, const pov_node *node)
{
    pov_request *request = d->request;
    const pov_node *phrase = node->items && node->items->kind == POV_ITEM_NODE ? node->items->node : NULL;
    const char *name = node->name;
    if (strcmp(name, "THING") == 0 || strcmp(name, "BARE") == 0)
        return find_one(&request->referent, d, phrase, POV_ROLE_THING);
    if (strcmp(name, "SEER") == 0)
        return find_one(&request->viewer, d, phrase, POV_ROLE_SEER);
    if (strcmp(name, "OTHER") == 0)
        return find_one(&request->other, d, phrase, POV_ROLE_OTHER);
    if (strcmp(name, "NOUN") == 0 || strncmp(name, "ANYNOUN", 7) == 0)
        return read_noun(d, phrase);
    if (strcmp(name, "RELATUM") == 0 || strcmp(name, "WHOSE") == 0 || strcmp(name, "OFTABLE") == 0)
        return read_relatum(d, phrase);
    if (strcmp(name, "SIDE2") == 0)
        return read_own_side(d, pov_node_find(node, "SIDE"));
    if (strcmp(name, "SIDE") == 0)
        return read_own_side(d, node);
    if (strcmp(name, "OWNSIDE") == 0)
        return read_own_side(d, pov_node_find(node, "SIDE") ? pov_node_find(node, "SIDE") : node);
    if (strncmp(name, "DIRECTION", 9) == 0)
        return read_direction(d, node);
    if (strcmp(name, "FACE") == 0)
        read_face(d, node);
    else if (strcmp(name, "WH") == 0)
        read_who(d, node);
    else if (strcmp(name, "WE") == 0)
        return read_we(d);
    else if (strcmp(name, "AT") == 0)
        request->looks = pov_node_has(node, "looks");
    else if (strcmp(name, "ALTERNATIVES") == 0)
        return read_alternatives(d, node);
    else if (strcmp(name, "EXTREME") == 0 || strcmp(name, "EDGE") == 0) {
        bool middle;
        if (!pov_extreme_read(&request->extreme, &request->rank, &middle, node) || middle ||
            request->rank < 0)
            return pov_error("the middle of what? say e.g. \"the second from the left\"");
    } else if (strcmp(name, "VIEWS") != 0)
        return read_parts(d, node);
    return pov_ok();
}

/* A car may point at something; people do it with their hands. */
static pov_status settle_aim(pov_request *request, const pov_node *core, const pov_scene *scene)
{
    const bool by_thing = request->referent != POV_ID_NONE && !pov_is_person(scene, request->referent);
    request->aim = request->looks ? POV_AIM_GAZE : POV_AIM_FRONT;
    if (!pov_relation_says(core, "points"))
        return pov_ok();
    if (by_thing) {
        request->relation = request->relation ? pov_request_facing(POV_AIM_FRONT) : NULL;
        return pov_ok();
    }
    request->aim = POV_AIM_HAND;
    return pov_request_check_hands(scene, request->referent);
}

static pov_status read_parts(drafting *d, const pov_node *node)
{
    d->request->tight = d->request->tight || pov_node_find(node, "INTENSE");
    if (!d->request->relation &&
        (strncmp(node->name, "RELP", 4) == 0 || strcmp(node->name, "AREAALONE") == 0)) {
        d->request->relation = pov_relation_read(node);
        pov_area_read(&d->request->area, node);
        d->request->looks = d->request->looks || pov_relation_says(node, "looks");
    }
    for (const pov_item *item = node->items; item; item = item->next)
        if (item->kind == POV_ITEM_NODE)
            POV_TRY(read_part(d, item->node));
    return pov_ok();
}

/* -------- what kind it is -------- */

static pov_request_kind kind_of(const pov_node *core)
{
    static const struct {
        const char *tag;
        pov_request_kind kind;
    } kinds[] = {
        {"relation", POV_REQUEST_RELATION}, {"sees", POV_REQUEST_SEES},   {"hides", POV_REQUEST_HIDES},
        {"where", POV_REQUEST_WHERE},       {"order", POV_REQUEST_ORDER}, {"which", POV_REQUEST_WHICH},
        {"count", POV_REQUEST_COUNT},       {"place", POV_REQUEST_PLACE}, {"extreme", POV_REQUEST_EXTREME},
        {"seen_by", POV_REQUEST_SEEN},      {"seeing", POV_REQUEST_SEEN}, {"distance", POV_REQUEST_DISTANCE},
        {"facing", POV_REQUEST_FACING}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (pov_node_has(core, kinds[i].tag))
            return kinds[i].kind;
    return POV_REQUEST_KIND_COUNT;
}

static pov_way way_of(const pov_node *core)
{
    static const struct {
        const char *tag;
        pov_way way;
    } ways[] = {{"any", POV_WAY_ANY},       {"both", POV_WAY_BOTH}, {"each", POV_WAY_EACH_OTHER},
                {"side", POV_WAY_SIDE},     {"by", POV_WAY_BY},     {"same", POV_WAY_SAME},
                {"except", POV_WAY_EXCEPT}, {"what", POV_WAY_WHAT}, {"clock", POV_WAY_CLOCK}};
    bool counted = pov_node_has(core, "counted");
    if (pov_node_has(core, "seen_by"))
        return counted ? POV_WAY_WHO_COUNTED : POV_WAY_WHO;
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        if (pov_node_has(core, ways[i].tag))
            return ways[i].way;
    return counted ? POV_WAY_COUNTED : POV_WAY_PLAIN;
}

/* The directions that are asked about, where the words do not say. */
static void settle_directions(pov_request *request, bool by_compass)
{
    bool some = false;
    for (int i = 0; i < POV_RELATION_COUNT; i++)
        some = some || request->directions[i];
    for (int i = 0; i < POV_RELATION_COUNT && !some; i++)
        request->directions[i] = (i >= POV_NORTH_OF) == by_compass;
    if (!some)
        request->relation = pov_relation_info_of(by_compass ? POV_NORTH_OF : POV_LEFT_OF);
}

/* "is the spoon closer to anna than to bob": is she, of the two, the nearest to it? */
static void swap_comparison(pov_request *request, bool far)
{
    memset(request->candidate, 0, sizeof request->candidate);
    request->candidate[request->relatum[0]] = request->candidate[request->relatum[1]] = true;
    pov_id nearer = request->relatum[0];
    request->relatum[0] = request->referent;
    request->relatum_len = 1;
    request->referent = nearer;
    request->extreme = far ? POV_FARTHEST : POV_NEAREST;
}

static pov_status settle_extreme(pov_request *request, const pov_node *core)
{
    bool by_distance = request->extreme == POV_NEAREST || request->extreme == POV_FARTHEST;
    if (pov_node_has(core, "swapped"))
        swap_comparison(request, pov_node_has(core, "far"));
    if (request->referent != POV_ID_NONE)
        request->candidate[request->referent] = true;
    return request->relatum_len == 0 || by_distance || pov_node_has(core, "swapped")
               ? pov_ok()
               : pov_error(
                     "only the nearest and the farthest are so to something; ask \"leftmost for anna\", or "
                     "\"left of the car\"");
}

/* "what is near the truck?": not the table, on which all stands, unless it asks for what carries or holds something. */
static void leave_out_surfaces(pov_request *request, const pov_node *core, const pov_scene *scene)
{
    const pov_relation_info *relation = request->relation;
    const bool sideways =
        relation && (relation->projective != POV_RELATION_COUNT || strcmp(relation->name, "near") == 0 ||
                     strcmp(relation->name, "next_to") == 0 || strcmp(relation->name, "beside") == 0);
    if (pov_node_find(core, "NOUN") || !sideways)
        return;
    for (pov_id id = 0; id < scene->len; id++)
        request->candidate[id] = request->candidate[id] && !pov_is_surface(&scene->entities[id]);
}

static bool is_same_from_everywhere(const pov_request *request)
{
    return request->relation->frame == POV_FRAME_NORTH || request->relation->frame == POV_FRAME_NONE;
}

static pov_status settle_relation(pov_request *request, const pov_context *c)
{
    if (is_same_from_everywhere(request)) {
        if (c->has_view && c->is_view_weak && request->relation->frame == POV_FRAME_NORTH)
            return pov_error("\"%s\" is the same from everywhere; leave the viewer out",
                             request->relation->phrases[0]);
        request->any_perspective = false;
        request->perspective = POV_ABSOLUTE;
        return pov_ok();
    }
    request->convention = c->convention;
    request->axis = c->axis;
    request->says_axis = c->says_axis;
    if (!request->any_perspective) {
        char a[64], b[64];
        if (c->has_view && c->view != request->relatum[0] && c->is_view_weak)
            return pov_error("\"%s\" is by %s's own front; leave the viewpoint of %s out",
                             request->relation->phrases[0], pov_name_thing(a, c->scene, request->relatum[0]),
                             pov_name_thing(b, c->scene, c->view));
        return pov_ok();
    }
    if (!c->has_view && !c->is_intrinsic)
        return pov_ok();
    const bool own = c->is_intrinsic || (request->relatum_len > 0 && c->view == request->relatum[0]);
    if (own && request->relation->frame == POV_FRAME_VIEWER)
        return pov_error("\"%s\" is judged for somebody else who looks; say for whom",
                         request->relation->phrases[0]);
    request->any_perspective = false;
    request->viewer = own ? POV_ID_NONE : c->view;
    request->perspective = own ? POV_INTRINSIC : c->view == c->scene->camera ? POV_EGOCENTRIC : POV_ADDRESSEE;
    return pov_ok();
}

pov_status pov_request_settle(pov_request *request, const pov_context *c)
{
    char a[64], b[64];
    if (request->relation)
        return settle_relation(request, c);
    if (!c->has_view || request->kind == POV_REQUEST_DISTANCE || request->viewer == c->view)
        return pov_ok(); /* a distance is the same from everywhere */
    if (request->viewer != POV_ID_NONE && !c->fixed[POV_ROLE_VIEW])
        return pov_error("asked for %s, but from %s; ask for one of them",
                         pov_name_thing(a, c->scene, request->viewer), pov_name_thing(b, c->scene, c->view));
    request->viewer = c->view;
    return pov_ok();
}

static pov_status check_relata(const pov_request *request)
{
    if (!request->relation || request->kind == POV_REQUEST_EXTREME || request->kind == POV_REQUEST_DISTANCE ||
        request->kind == POV_REQUEST_PLACE)
        return pov_ok();
    int needed = request->relation->relata_min;
    if (request->relatum_len > needed && needed < 3)
        return pov_error("\"%s\" is asked of %d at a time; ask for each", request->relation->phrases[0],
                         needed);
    return request->relatum_len >= needed ? pov_ok()
                                          : pov_error("\"%s\" needs %d entities; join them by \"and\"",
                                                      request->relation->phrases[0], needed);
}

/* "the car left of the car" */
static pov_status check_candidates(const pov_request *request, const pov_scene *scene)
{
    bool some = request->kind != POV_REQUEST_WHICH;
    for (pov_id id = 0; id < scene->len; id++) {
        bool is_relatum = false;
        for (int k = 0; k < request->relatum_len; k++)
            is_relatum = is_relatum || request->relatum[k] == id;
        some = some || (request->candidate[id] && !is_relatum);
    }
    char name[64];
    return some ? pov_ok()
                : pov_error("%s is asked about itself; name different entities",
                            pov_name_thing(name, scene, request->relatum[0]));
}

pov_status pov_request_read(pov_request *request, pov_open_role *open, pov_context *c,
                            const pov_node *question)
{
    const pov_node *core = question->items->node;
    pov_request_kind kind = kind_of(core);
    *open = (pov_open_role){0};
    if (kind == POV_REQUEST_KIND_COUNT)
        return pov_error("that is not a question");
    if (pov_node_has(core, "negated"))
        return pov_error("what \"not\" asks for is not clear; ask without it");
    pov_request_start(request, c->scene, kind);
    request->way = way_of(core);
    request->negated = pov_node_has(core, "neg");
    request->by_distance = pov_node_has(core, "by_distance");
    if (pov_node_has(core, "rightmost"))
        request->extreme = POV_RIGHTMOST;
    else if (pov_node_has(core, "leftmost"))
        request->extreme = POV_LEFTMOST;
    if (pov_node_has(core, "own_back"))
        POV_TRY(read_own_side(&(drafting){.request = request}, NULL));
    drafting d = {request, open, c, core, 0};
    if (pov_node_has(core, "viewed") && !c->has_view)
        return pov_error("on whose left or right? say e.g. \"to anna's left\" or \"left of the car\"");
    POV_TRY(read_parts(&d, core));
    if (pov_node_has(core, "viewed"))
        POV_TRY(add_relatum(&d, c->view));
    if (kind == POV_REQUEST_PLACE)
        settle_directions(request, pov_node_has(core, "compass"));
    if (kind == POV_REQUEST_EXTREME)
        POV_TRY(settle_extreme(request, core));
    if (request->viewer != POV_ID_NONE && request->viewer == request->other)
        return pov_error("%s is asked about itself; name different entities",
                         c->scene->entities[request->other].name);
    for (pov_id id = 0; id < c->scene->len && pov_node_find(core, "AREAALONE"); id++)
        request->candidate[id] = request->candidate[id] && !pov_is_person(c->scene, id);
    if (kind == POV_REQUEST_WHICH)
        leave_out_surfaces(request, core, c->scene);
    if (request->relatum_len == 1)
        pov_area_settle(&request->area, &request->relation, c->scene, request->relatum[0]);
    POV_TRY(settle_aim(request, core, c->scene));
    POV_TRY(check_relata(request));
    POV_TRY(check_candidates(request, c->scene));
    return pov_request_settle(request, c);
}

/* -------- a wanted thing -------- */

/* The only POST or EXTREME of a phrase; NULL: none, or several. */
static const pov_node *only_limit(const pov_node *node, int *count)
{
    const pov_node *found = NULL;
    for (const pov_item *item = node->items; item; item = item->next) {
        if (item->kind != POV_ITEM_NODE)
            continue;
        const char *name = item->node->name;
        bool is_limit =
            strcmp(name, "POST") == 0 || strcmp(name, "EXTREME") == 0 || strcmp(name, "ORDINAL") == 0;
        *count += is_limit;
        const pov_node *inner = is_limit ? item->node : only_limit(item->node, count);
        found = inner ? inner : found;
    }
    return *count == 1 ? found : NULL;
}

static bool is_plain_relation(const pov_node *limit)
{
    return pov_relation_read(limit) && !pov_node_has(pov_node_find(limit, "THAT"), "neg") &&
           !pov_node_find(limit, "DESCWORDS");
}

bool pov_request_of_phrase(pov_request *request, pov_context *c, const pov_node *phrase)
{
    int count = 0;
    pov_open_role open = {0};
    const pov_node *limit = only_limit(phrase, &count), *around = pov_node_find(phrase, "TOTARGET"),
                   *target = pov_node_find(around ? around : limit, "TARGET");
    bool middle = false, own = limit && pov_node_has(limit, "own");
    if (!limit || c->fixed[POV_ROLE_WANTED] || (strcmp(limit->name, "ORDINAL") == 0))
        return false;
    if (own && pov_node_has(pov_node_find(limit, "THAT"), "neg"))
        return false;
    bool edge = pov_node_find(limit, "EDGE"), most = pov_node_find(limit, "EXT");
    if (!own && !edge && !most && !is_plain_relation(limit))
        return false;
    pov_request_start(request, c->scene,
                      own || is_plain_relation(limit) ? POV_REQUEST_WHICH : POV_REQUEST_EXTREME);
    if (pov_reference_nouns(request->candidate, c, phrase).code != POV_OK)
        return false;
    drafting d = {request, &open, c, limit, 0};
    if (request->kind == POV_REQUEST_WHICH) {
        if (!own)
            request->relation = pov_relation_read(limit);
        pov_area_read(&request->area, limit);
        if (own && pov_node_has(limit, "own_back") && read_own_side(&d, NULL).code != POV_OK)
            return false;
        for (const pov_item *item = limit->items; item; item = item->next)
            if (item->kind == POV_ITEM_NODE && strcmp(item->node->name, "THAT") != 0 &&
                strncmp(item->node->name, "REL", 3) != 0 && read_part(&d, item->node).code != POV_OK)
                return false;
        for (const pov_item *item = limit->items; item; item = item->next)
            if (item->kind == POV_ITEM_NODE && item->node == pov_relatum_node(limit) &&
                read_part(&d, item->node).code != POV_OK)
                return false;
        if (request->relatum_len == 1)
            pov_area_settle(&request->area, &request->relation, c->scene, request->relatum[0]);
        if (!request->relation || request->relatum_len < request->relation->relata_min ||
            check_candidates(request, c->scene).code != POV_OK)
            return false;
    } else {
        if (!pov_extreme_read(&request->extreme, &request->rank, &middle, limit) || middle ||
            request->rank < 0)
            return false;
        if (target && read_relatum(&d, target->items->node).code != POV_OK)
            return false;
    }
    return pov_request_settle(request, c).code == POV_OK && !open.is_open;
}
