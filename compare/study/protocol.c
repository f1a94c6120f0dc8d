#include "compare/study/protocol.h"

#include "config/files/nearest_name.h"
#include "perception/geometry/random.h"

#include <cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double within_default_m = 0.03; /* chosen: by hand, without a ruler */
static const double within_default_deg = 15; /* chosen */
static const double far_m = 1e3;             /* bound for places; chosen */
static const char *const order_names[] = {"as_written", "shuffled", "latin_square"};

/* ---- reading ---- */

/* The id of item i of a list; each item begins with its id. */
static const char *id_at(const void *list, size_t size, int i)
{
    const char *id;
    memcpy(&id, (const char *)list + (size_t)i * size, sizeof id);
    return id;
}

static void check_new(pov_yaml_node node, const char *id, const void *others, size_t size, int len)
{
    for (int i = 0; i < len && !pov_yaml_failed(node.file); i++)
        if (strcmp(id_at(others, size, i), id) == 0)
            pov_yaml_complain(node, "duplicate id '%s': ids must be unique", id);
}

static void read_participants(pov_protocol *p, pov_yaml_node node)
{
    if (pov_yaml_is_list(node)) {
        const int len = pov_yaml_length_within(node, POV_PARTICIPANT_MAX, "participants");
        for (int i = 0; i < len && !pov_yaml_failed(node.file); i++) {
            const char *id = pov_yaml_id(pov_yaml_at(node, i));
            for (int k = 0; k < i; k++)
                if (strcmp(p->participants[k], id) == 0)
                    pov_yaml_complain(pov_yaml_at(node, i), "duplicate id '%s': ids must be unique", id);
            snprintf(p->participants[i], sizeof p->participants[i], "%s", id);
            p->participant_len = i + 1;
        }
        return;
    }
    pov_yaml_integer(&p->participant_len, node, 1, POV_PARTICIPANT_MAX);
    for (int i = 0; i < p->participant_len; i++)
        snprintf(p->participants[i], sizeof p->participants[i], "P%02d", i + 1);
}

static void read_place(pov_wanted_thing *thing, pov_yaml_node node)
{
    double place[3] = {0};
    if (!pov_yaml_exists(node))
        return;
    const int len = pov_yaml_length(node);
    if (len != 2 && len != 3) {
        pov_yaml_complain(node, "expected [x, y] or [x, y, z] in the table frame, metres");
        return;
    }
    pov_yaml_numbers(place, node, len, -far_m, far_m);
    thing->has_place = true;
    thing->has_height = len == 3;
    thing->at_m = (pov_vec3){place[0], place[1], place[2]};
}

static void read_thing(pov_wanted_thing *thing, pov_yaml_node node)
{
    double front_deg = 0, within_deg = within_default_deg;
    thing->id = pov_yaml_id(pov_yaml_need(node, "id", "an id of the station's cast"));
    thing->within_m = within_default_m;
    read_place(thing, pov_yaml_get(node, "at_m"));
    pov_yaml_number(&thing->within_m, pov_yaml_get(node, "within_m"), 1e-4, far_m);
    pov_yaml_node front = pov_yaml_get(node, "front_deg");
    thing->has_front = pov_yaml_exists(front);
    pov_yaml_number(&front_deg, front, -360, 360);
    pov_yaml_number(&within_deg, pov_yaml_get(node, "within_deg"), 0.1, 180);
    thing->front_rad = front_deg * POV_DEG;
    thing->within_rad = within_deg * POV_DEG;
}

static void read_conditions(pov_protocol *p, pov_yaml_node node)
{
    const int len = pov_yaml_length_within(node, POV_CONDITION_MAX, "conditions");
    for (int i = 0; i < len; i++) {
        pov_yaml_node item = pov_yaml_at(node, i),
                      id = pov_yaml_need(item, "id", "the condition's short name");
        pov_condition *condition = &p->conditions[i];
        *condition =
            (pov_condition){.id = pov_yaml_id(id), .about = pov_yaml_text(pov_yaml_get(item, "about"))};
        pov_yaml_node poses = pov_yaml_get(item, "poses");
        condition->len = pov_yaml_exists(poses) ? pov_yaml_length_within(poses, POV_SEAT_MAX, "poses") : 0;
        for (int k = 0; k < condition->len; k++)
            read_thing(&condition->poses[k], pov_yaml_at(poses, k));
        check_new(id, p->conditions[i].id, p->conditions, sizeof *p->conditions, i);
        p->condition_len = i + 1;
    }
}

void pov_wanted_scene_read_things(pov_wanted_scene *scene, pov_yaml_node things)
{
    scene->len = pov_yaml_length_within(things, POV_WANTED_THING_MAX, "things");
    for (int k = 0; k < scene->len; k++) {
        read_thing(&scene->things[k], pov_yaml_at(things, k));
        check_new(pov_yaml_at(things, k), scene->things[k].id, scene->things, sizeof *scene->things, k);
    }
}

static void read_scenes(pov_protocol *p, pov_yaml_node node)
{
    const int len = pov_yaml_length_within(node, POV_WANTED_SCENE_MAX, "scenes");
    for (int i = 0; i < len; i++) {
        pov_wanted_scene *scene = &p->scenes[i];
        pov_yaml_node item = pov_yaml_at(node, i), id = pov_yaml_need(item, "id", "the scene's short name");
        scene->id = pov_yaml_id(id);
        scene->about = pov_yaml_text(pov_yaml_get(item, "about"));
        check_new(id, scene->id, p->scenes, sizeof *p->scenes, i);
        pov_yaml_bool(&scene->alone, pov_yaml_get(item, "alone"));
        pov_wanted_scene_read_things(scene,
                                     pov_yaml_need(item, "things", "the things that have to be there"));
        p->scene_len = i + 1;
    }
}

/* The place of a word among ids; complains with the nearest. */
static int find_id(pov_yaml_node node, const void *list, size_t size, int len)
{
    const char *names[POV_TRIAL_MAX];
    int choice = -1;
    for (int i = 0; i < len; i++)
        names[i] = id_at(list, size, i);
    if (pov_yaml_exists(node) && len == 0)
        pov_yaml_complain(node, "there are none");
    else
        pov_yaml_choice(&choice, node, names, len);
    return choice;
}

static void read_trial(pov_protocol *p, pov_study_trial *trial, pov_yaml_node node)
{
    pov_yaml_node in = pov_yaml_get(node, "conditions");
    trial->scene = find_id(pov_yaml_get(node, "scene"), p->scenes, sizeof *p->scenes, p->scene_len);
    trial->say = pov_yaml_text(pov_yaml_get(node, "say"));
    trial->show = pov_yaml_text(pov_yaml_get(node, "show"));
    trial->target = pov_yaml_text(pov_yaml_get(node, "target"));
    for (int i = 0; i < p->condition_len; i++)
        trial->in[i] = !pov_yaml_exists(in);
    for (int i = 0; i < pov_yaml_length(in) && !pov_yaml_failed(node.file); i++) {
        const int which = find_id(pov_yaml_at(in, i), p->conditions, sizeof *p->conditions, p->condition_len);
        if (which >= 0)
            trial->in[which] = true;
    }
}

static void read_trials(pov_protocol *p, pov_yaml_node node)
{
    const int len = pov_yaml_length_within(node, POV_TRIAL_MAX, "trials");
    for (int i = 0; i < len; i++) {
        pov_yaml_node item = pov_yaml_at(node, i), id = pov_yaml_need(item, "id", "the trial's short name");
        p->trials[i].id = pov_yaml_id(id);
        check_new(id, p->trials[i].id, p->trials, sizeof *p->trials, i);
        read_trial(p, &p->trials[i], item);
        p->trial_len = i + 1;
    }
}

static void read_order(pov_protocol *p, pov_yaml_node node)
{
    int conditions = POV_ORDER_LATIN_SQUARE, trials = POV_ORDER_SHUFFLED;
    p->seed = 1;
    pov_yaml_choice(&conditions, pov_yaml_get(node, "conditions"), order_names, POV_STUDY_ORDERS);
    pov_yaml_choice(&trials, pov_yaml_get(node, "trials"), order_names, POV_STUDY_ORDERS);
    pov_yaml_integer(&p->seed, pov_yaml_get(node, "seed"), 0, 1000000000);
    p->condition_order = (pov_study_order)conditions;
    p->trial_order = (pov_study_order)trials;
}

static void read_labels(pov_protocol *p, pov_yaml_node node)
{
    static const char *const usual[] = {"camera", "addressee", "intrinsic", "several", "none"};
    p->label_len = pov_yaml_length_within(node, POV_LABEL_MAX, "labels");
    for (int i = 0; i < p->label_len; i++) {
        p->labels[i] = pov_yaml_id(pov_yaml_at(node, i));
        check_new(pov_yaml_at(node, i), p->labels[i], p->labels, sizeof *p->labels, i);
    }
    for (int i = 0; !pov_yaml_exists(node) && i < (int)(sizeof usual / sizeof *usual); i++)
        p->labels[p->label_len++] = usual[i];
}

static pov_status read_all(pov_protocol *p, pov_yaml_file *file)
{
    static const char *const designs[] = {"within", "between"};
    static const char *const faces[] = {"blurred", "raw"};
    pov_yaml_node root = pov_yaml_root(file);
    int design = 0, kept = 0;
    p->about = pov_yaml_text(pov_yaml_get(root, "about"));
    pov_yaml_node participants = pov_yaml_need(root, "participants", "how many, or a list of pseudonyms");
    read_participants(p, participants);
    p->consent = pov_yaml_text(pov_yaml_need(root, "consent", "what a participant agrees to"));
    read_conditions(p, pov_yaml_need(root, "conditions", "a list of {id, about}"));
    read_order(p, pov_yaml_get(root, "order"));
    read_scenes(p, pov_yaml_get(root, "scenes"));
    read_trials(p, pov_yaml_need(root, "trials", "a list of {id, scene, say, show, target}"));
    read_labels(p, pov_yaml_get(root, "labels"));
    pov_yaml_choice(&design, pov_yaml_get(root, "design"), designs, 2);
    pov_yaml_choice(&kept, pov_yaml_get(root, "faces"), faces, 2);
    bool learns = true;
    pov_yaml_bool(&learns, pov_yaml_get(root, "learning"));
    p->learns_nothing = !learns;
    pov_yaml_node breaks = pov_yaml_get(root, "breaks");
    if (pov_yaml_exists(breaks))
        pov_yaml_integer(&p->break_every, pov_yaml_need(breaks, "every", "trials from break to break"), 1,
                         POV_PLAN_MAX);
    p->break_show = pov_yaml_text(pov_yaml_get(breaks, "show"));
    p->between = design == 1;
    p->raw_faces = kept == 1;
    return pov_yaml_finish(file);
}

pov_status pov_protocol_parse(pov_protocol **protocol, const char *name, const char *text, size_t length)
{
    pov_yaml_file *file;
    *protocol = NULL;
    POV_TRY(pov_yaml_parse(&file, name, text, length));
    *protocol = calloc(1, sizeof **protocol);
    POV_REQUIRE_MEMORY(*protocol);
    (*protocol)->file = file;
    const pov_status status = read_all(*protocol, file);
    if (status.code != POV_OK)
        pov_protocol_destroy(protocol);
    return status;
}

pov_status pov_protocol_new(pov_protocol **protocol, const char *path)
{
    return pov_protocol_parse(protocol, path, NULL, 0);
}

void pov_protocol_destroy(pov_protocol **protocol)
{
    if (!*protocol)
        return;
    pov_yaml_close(&(*protocol)->file);
    free(*protocol);
    *protocol = NULL;
}

pov_status pov_protocol_find(const pov_protocol *protocol, int *participant, const char *name)
{
    const char *names[POV_PARTICIPANT_MAX];
    for (int i = 0; i < protocol->participant_len; i++) {
        names[i] = protocol->participants[i];
        if (strcmp(names[i], name) == 0) {
            *participant = i;
            return pov_ok();
        }
    }
    const char *nearest = pov_nearest_name(name, names, protocol->participant_len);
    return pov_error("no participant '%.60s' in the protocol; it has %s to %s%s%s%s", name, names[0],
                     names[protocol->participant_len - 1], nearest ? "; did you mean '" : "",
                     nearest ? nearest : "", nearest ? "'?" : "");
}

/* ---- as JSON ---- */

static cJSON *thing_json(const pov_wanted_thing *thing)
{
    cJSON *object = cJSON_CreateObject();
    const double at_m[] = {thing->at_m.x, thing->at_m.y, thing->at_m.z};
    cJSON_AddStringToObject(object, "id", thing->id);
    if (thing->has_place)
        cJSON_AddItemToObject(object, "at_m", cJSON_CreateDoubleArray(at_m, thing->has_height ? 3 : 2));
    cJSON_AddNumberToObject(object, "within_m", thing->within_m);
    if (thing->has_front)
        cJSON_AddNumberToObject(object, "front_deg", thing->front_rad / POV_DEG);
    cJSON_AddNumberToObject(object, "within_deg", thing->within_rad / POV_DEG);
    return object;
}

static cJSON *trial_json(const pov_protocol *p, const pov_study_trial *trial)
{
    cJSON *object = cJSON_CreateObject(), *in = cJSON_AddArrayToObject(object, "conditions");
    cJSON_AddStringToObject(object, "id", trial->id);
    cJSON_AddStringToObject(object, "scene", trial->scene >= 0 ? p->scenes[trial->scene].id : "");
    cJSON_AddStringToObject(object, "say", trial->say);
    cJSON_AddStringToObject(object, "show", trial->show);
    cJSON_AddStringToObject(object, "target", trial->target);
    for (int i = 0; i < p->condition_len; i++)
        if (trial->in[i])
            cJSON_AddItemToArray(in, cJSON_CreateString(p->conditions[i].id));
    return object;
}

char *pov_protocol_design(const pov_protocol *p)
{
    cJSON *root = cJSON_CreateObject();
    cJSON_AddStringToObject(root, "about", p->about);
    cJSON_AddStringToObject(root, "consent", p->consent);
    cJSON_AddStringToObject(root, "design", p->between ? "between" : "within");
    cJSON_AddStringToObject(root, "condition_order", order_names[p->condition_order]);
    cJSON_AddStringToObject(root, "trial_order", order_names[p->trial_order]);
    cJSON_AddNumberToObject(root, "seed", p->seed);
    cJSON_AddNumberToObject(root, "break_every", p->break_every);
    cJSON_AddStringToObject(root, "faces", p->raw_faces ? "raw" : "blurred");
    if (p->learns_nothing) /* a log of before this key has none */
        cJSON_AddBoolToObject(root, "learning", false);
    cJSON *conditions = cJSON_AddArrayToObject(root, "conditions");
    for (int i = 0; i < p->condition_len; i++) {
        cJSON *condition = cJSON_CreateObject();
        cJSON_AddStringToObject(condition, "id", p->conditions[i].id);
        cJSON_AddStringToObject(condition, "about", p->conditions[i].about);
        cJSON *poses = p->conditions[i].len > 0 ? cJSON_AddArrayToObject(condition, "poses") : NULL;
        for (int k = 0; k < p->conditions[i].len; k++)
            cJSON_AddItemToArray(poses, thing_json(&p->conditions[i].poses[k]));
        cJSON_AddItemToArray(conditions, condition);
    }
    cJSON *scenes = cJSON_AddArrayToObject(root, "scenes");
    for (int i = 0; i < p->scene_len; i++) {
        cJSON *scene = cJSON_CreateObject(), *things = cJSON_AddArrayToObject(scene, "things");
        cJSON_AddStringToObject(scene, "id", p->scenes[i].id);
        cJSON_AddBoolToObject(scene, "alone", p->scenes[i].alone);
        for (int k = 0; k < p->scenes[i].len; k++)
            cJSON_AddItemToArray(things, thing_json(&p->scenes[i].things[k]));
        cJSON_AddItemToArray(scenes, scene);
    }
    cJSON *trials = cJSON_AddArrayToObject(root, "trials");
    for (int i = 0; i < p->trial_len; i++)
        cJSON_AddItemToArray(trials, trial_json(p, &p->trials[i]));
    cJSON_AddItemToObject(root, "labels",
                          cJSON_CreateStringArray((const char *const *)p->labels, p->label_len));
    char *text = cJSON_PrintUnformatted(root);
    cJSON_Delete(root);
    POV_REQUIRE_MEMORY(text);
    return text;
}

/* ---- orders ---- */

static void shuffle_list(int *list, int len, uint64_t state)
{
    for (int i = len - 1; i > 0; i--) {
        const int k = (int)(pov_random_next(&state) % (uint64_t)(i + 1)), kept = list[i];
        list[i] = list[k];
        list[k] = kept;
    }
}

/* Row `row` of Williams' square of `len`: 0, 1, len - 1, 2, len - 2, ... plus the row; with an odd length every second
 * round is that of the rows read backward. */
static void order_williams(int *list, int len, int row)
{
    int base[POV_TRIAL_MAX];
    const bool backward = len % 2 == 1 && row / len % 2 == 1;
    for (int i = 0; i < len; i++)
        base[i] = ((i == 0 ? 0 : i % 2 ? (i + 1) / 2 : len - i / 2) + row) % len;
    int kept[POV_TRIAL_MAX];
    memcpy(kept, list, (size_t)len * sizeof *kept);
    for (int i = 0; i < len; i++)
        list[i] = kept[base[backward ? len - 1 - i : i]];
}

static void order_list(int *list, int len, pov_study_order order, int row, uint64_t seed)
{
    if (order == POV_ORDER_SHUFFLED)
        shuffle_list(list, len, seed);
    if (order == POV_ORDER_LATIN_SQUARE && len > 0)
        order_williams(list, len, row);
}

static void plan_block(pov_plan *plan, const pov_protocol *p, int participant, int condition)
{
    int list[POV_TRIAL_MAX], len = 0;
    for (int i = 0; i < p->trial_len; i++)
        if (p->trials[i].in[condition])
            list[len++] = i;
    const uint64_t seed =
        ((uint64_t)p->seed << 32) ^ ((uint64_t)participant << 8) ^ (uint64_t)(condition + 1);
    order_list(list, len, p->trial_order, participant + condition, seed);
    for (int i = 0; i < len; i++) {
        const bool after_break = p->break_every > 0 && plan->len > 0 && plan->len % p->break_every == 0;
        plan->list[plan->len++] = (pov_planned_trial){condition, list[i], after_break};
    }
}

void pov_protocol_plan(pov_plan *plan, const pov_protocol *protocol, int participant)
{
    int conditions[POV_CONDITION_MAX];
    const int len = protocol->condition_len;
    plan->len = 0;
    for (int i = 0; i < len; i++)
        conditions[i] = i;
    order_list(conditions, len, protocol->condition_order, participant,
               ((uint64_t)protocol->seed << 32) ^ ((uint64_t)participant << 8));
    if (protocol->between)
        plan_block(plan, protocol, participant, participant % len);
    for (int i = 0; i < len && !protocol->between; i++)
        plan_block(plan, protocol, participant, conditions[i]);
}

/* ---- the scene on the table ---- */

static pov_thing_check *add_check(pov_scene_check *check, const char *id, bool right)
{
    pov_thing_check *thing = &check->things[check->len++];
    snprintf(thing->id, sizeof thing->id, "%s", id);
    snprintf(thing->text, sizeof thing->text, "right");
    thing->right = right;
    check->right = check->right && right;
    return thing;
}

/* "move it 4 cm to the left and 2 cm away" along the camera's heading, or along the table's axes. */
static void explain_move(pov_thing_check *thing, const pov_scene *scene, pov_vec3 from_m, pov_vec3 to_m)
{
    const pov_heading_mode *view =
        scene->camera != POV_ID_NONE ? pov_heading_heaviest(&scene->entities[scene->camera].heading) : NULL;
    const double dx_m = to_m.x - from_m.x, dy_m = to_m.y - from_m.y;
    if (!view) {
        snprintf(thing->text, sizeof thing->text, "move it by [%+.2f, %+.2f] m in the table frame", dx_m,
                 dy_m);
        return;
    }
    const double away_cm = 100 * (dx_m * cos(view->yaw_rad) + dy_m * sin(view->yaw_rad));
    const double left_cm = 100 * (dy_m * cos(view->yaw_rad) - dx_m * sin(view->yaw_rad));
    snprintf(thing->text, sizeof thing->text,
             "move it %.0f cm to the %s and %.0f cm %s the camera, as the camera sees it", fabs(left_cm),
             left_cm > 0 ? "left" : "right", fabs(away_cm), away_cm > 0 ? "away from" : "toward");
}

static void check_thing(pov_scene_check *check, const pov_wanted_thing *wanted, const pov_scene *scene)
{
    pov_thing_check *thing = add_check(check, wanted->id, true);
    const pov_id id = pov_scene_find(scene, wanted->id);
    const pov_entity *entity = id == POV_ID_NONE ? NULL : &scene->entities[id];
    thing->right = false;
    if (!entity)
        snprintf(thing->text, sizeof thing->text, "missing: put it on the table, or into the station's cast");
    else if (!entity->placed || (entity->track.tracked && entity->track.lost))
        snprintf(thing->text, sizeof thing->text, "missing: the camera does not find it");
    else
        thing->right = true;
    if (thing->right && wanted->has_place) {
        const pov_vec3 at_m = entity->position.mean_m;
        pov_vec3 to_m = wanted->at_m;
        if (!wanted->has_height)
            to_m.z = at_m.z;
        if (hypot(hypot(at_m.x - to_m.x, at_m.y - to_m.y), at_m.z - to_m.z) > wanted->within_m) {
            thing->right = false;
            explain_move(thing, scene, at_m, to_m);
        }
    }
    const pov_heading_mode *front = entity ? pov_heading_heaviest(&entity->heading) : NULL;
    if (thing->right && wanted->has_front) {
        const double turn_rad = front ? pov_angle_wrap(wanted->front_rad - front->yaw_rad) : NAN;
        thing->right = front && fabs(turn_rad) <= wanted->within_rad;
        if (!front)
            snprintf(thing->text, sizeof thing->text, "its front is not known");
        else if (!thing->right)
            snprintf(thing->text, sizeof thing->text, "turn it by %.0f degrees %sclockwise, seen from above",
                     fabs(turn_rad) / POV_DEG, turn_rad > 0 ? "counter-" : "");
    }
    check->right = check->right && thing->right;
}

static bool is_wanted(const pov_wanted_scene *wanted, const char *id)
{
    for (int i = 0; i < wanted->len; i++)
        if (strcmp(wanted->things[i].id, id) == 0)
            return true;
    return false;
}

void pov_wanted_scene_check(pov_scene_check *check, const pov_wanted_scene *wanted, const pov_scene *scene)
{
    *check = (pov_scene_check){.right = true};
    for (int i = 0; i < wanted->len; i++)
        check_thing(check, &wanted->things[i], scene);
    for (pov_id id = 0; wanted->alone && id < scene->len; id++) {
        const pov_entity *entity = &scene->entities[id];
        if (entity->placed && entity->seen && !entity->can_see && id != scene->camera &&
            !is_wanted(wanted, entity->name) && check->len < POV_ENTITY_MAX)
            snprintf(add_check(check, entity->name, false)->text, sizeof check->things[0].text,
                     "one too many: take it away");
    }
}
