/* Scenes, judgments and sights as numbers. */
#include "python/pov/native_internal.h"

#include "ask/print/judge_relations.h"
#include "config/files/grow.h"
#include "config/scene/scene_file.h"
#include "perception/relations/pair_judge.h"
#include "perception/version.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(POV_RELATA_MAX == 8 && POV_REGISTRY_MAX == 128 && POV_OCCLUDERS_MAX == 8, "as native.h says");
_Static_assert(POV_PERSPECTIVE_COUNT == 4 && POV_CONVENTION_COUNT == 3 && POV_AXIS_COUNT == 2 &&
                   POV_ACCEPTANCE_COUNT == 3,
               "as native.h says");

int pov_native_tell(char *message, pov_status status)
{
    strcpy(message, status.message);
    return status.code;
}

/* -------- names -------- */

const char *pov_native_version(void)
{
    return POV_VERSION;
}

#define NAME_OF(TYPE, COUNT, NAME) (value < (COUNT) ? NAME((TYPE)value) : NULL)

const char *pov_native_name(int kind, int value)
{
    if (value < 0)
        return NULL;
    switch (kind) {
    case 0:
        return value < pov_relation_registry_len() ? pov_relation_registry_at(value)->name : NULL;
    case 1:
        return NAME_OF(pov_perspective, POV_PERSPECTIVE_COUNT, pov_perspective_name);
    case 2:
        return NAME_OF(pov_convention, POV_CONVENTION_COUNT, pov_convention_name);
    case 3:
        return NAME_OF(pov_axis, POV_AXIS_COUNT, pov_axis_name);
    case 4:
        return NAME_OF(pov_acceptance, POV_ACCEPTANCE_COUNT, pov_acceptance_name);
    case 5:
        return NAME_OF(pov_containment, POV_CONTAINMENT_COUNT, pov_containment_name);
    case 6:
        return NAME_OF(pov_doubt, POV_DOUBT_COUNT, pov_doubt_name);
    case 7:
        return NAME_OF(pov_verdict, POV_VERDICT_COUNT, pov_verdict_name);
    case 8:
        return NAME_OF(pov_cause, POV_CAUSE_COUNT, pov_cause_name);
    default:
        return NULL;
    }
}

int pov_native_relation_at(pov_native_relation *relation, int index)
{
    if (index < 0 || index >= pov_relation_registry_len())
        return 0;
    const pov_relation_info *info = pov_relation_registry_at(index);
    *relation = (pov_native_relation){.name = info->name,
                                      .definition = info->definition,
                                      .category = pov_category_name(info->category),
                                      .frame = pov_frame_need_name(info->frame),
                                      .relata_min = info->relata_min,
                                      .direction = pov_relation_is_direction(info)};
    return 1;
}

int pov_native_relation_find(const char *name)
{
    const pov_relation_info *found = pov_relation_lookup(name);
    return found ? pov_relation_registry_index(found)
                 : -1 - pov_relation_registry_index(pov_relation_most_like(name));
}

/* -------- scenes -------- */

int pov_native_scene_new(pov_native_scene **scene, const char *name, const char *text, size_t length,
                         char *message)
{
    *scene = calloc(1, sizeof **scene);
    if (!*scene)
        return pov_native_tell(message, pov_error("out of memory"));
    const pov_status status = text ? pov_scene_file_parse(&(*scene)->scene, name, text, length)
                                   : pov_scene_file_read(&(*scene)->scene, name);
    if (status.code != POV_OK) {
        pov_native_scene_destroy(*scene);
        *scene = NULL;
    }
    return pov_native_tell(message, status);
}

void pov_native_scene_destroy(pov_native_scene *self)
{
    if (!self)
        return;
    free(self->judgments);
    free(self->sights);
    free(self->seen);
    free(self->run);
    free(self);
}

int pov_native_scene_len(const pov_native_scene *self)
{
    return self->scene.len;
}

static bool is_id(const pov_native_scene *self, int id)
{
    return id >= 0 && id < self->scene.len;
}

const char *pov_native_scene_id(const pov_native_scene *self, int index)
{
    return is_id(self, index) ? self->scene.entities[index].name : "";
}

const char *pov_native_scene_class(const pov_native_scene *self, int index)
{
    return is_id(self, index) ? self->scene.entities[index].class_name : "";
}

double pov_native_scene_north_rad(const pov_native_scene *self)
{
    return self->scene.has_north ? self->scene.north_yaw_rad : NAN;
}

void pov_native_scene_entities(const pov_native_scene *self, pov_native_entity *entities)
{
    for (int i = 0; i < self->scene.len; i++) {
        const pov_entity *from = &self->scene.entities[i];
        const pov_heading_mode *front = pov_heading_heaviest(&from->heading);
        const pov_vec3 *at = &from->position.mean_m;
        double cov_m2[3][3];
        pov_scene_position_cov(&self->scene, cov_m2, &from->position);
        pov_native_entity *to = &entities[i];
        *to = (pov_native_entity){.position_m = {at->x, at->y, at->z},
                                  .size_m = {from->size_m.x, from->size_m.y, from->size_m.z},
                                  .yaw_rad = front ? front->yaw_rad : NAN,
                                  .kappa = front ? front->kappa : NAN,
                                  .placed = from->placed,
                                  .seen = from->seen,
                                  .addressee = from->addressee,
                                  .can_see = from->can_see};
        for (int k = 0; k < 9; k++) {
            to->position_cov_m2[k] = from->placed ? cov_m2[k / 3][k % 3] : NAN;
            to->rotation[k] = from->R_table_box.m[k / 3][k % 3];
        }
    }
}

static pov_status check_moves(const pov_native_scene *self, const int16_t *ids, int len,
                              const double *positions_m, const double *yaws_rad)
{
    for (int i = 0; i < len; i++) {
        if (!is_id(self, ids[i]) || ids[i] == self->scene.camera)
            return pov_error("entity %d cannot be moved: it is %s; make a new scene", ids[i],
                             is_id(self, ids[i]) ? "the camera" : "none of the scene's");
        const pov_entity *entity = &self->scene.entities[ids[i]];
        for (int k = 0; k < 3 && positions_m; k++)
            if (!isfinite(positions_m[3 * i + k]))
                return pov_error("positions_m: the place of '%s' is not finite", entity->name);
        if (yaws_rad && !isfinite(yaws_rad[i]))
            return pov_error("yaws_rad: the front of '%s' is not finite", entity->name);
        if (yaws_rad && entity->heading.len != 1)
            return pov_error("yaws_rad: '%s' has %d fronts, and one is turned; give it one: front_deg",
                             entity->name, entity->heading.len);
    }
    return pov_ok();
}

/* Boxes are turned from how they lay in `before`, which may be the scene itself: errors do not add up. */
static void move(pov_scene *scene, const pov_scene *before, const int16_t *ids, int len,
                 const double *positions_m, const double *yaws_rad)
{
    for (int i = 0; i < len; i++) {
        pov_entity *entity = &scene->entities[ids[i]];
        if (positions_m) {
            const double *at = &positions_m[3 * i];
            entity->placed = true;
            entity->position.mean_m = (pov_vec3){at[0], at[1], at[2]};
        }
        if (yaws_rad) {
            const pov_entity *from = &before->entities[ids[i]];
            const double turn_rad = yaws_rad[i] - from->heading.mode[0].yaw_rad;
            entity->R_table_box =
                pov_rot_mul(pov_rot_yaw(turn_rad), from->R_table_box); /* about the table's z */
            entity->heading.mode[0].yaw_rad = pov_angle_wrap(yaws_rad[i]);
        }
    }
}

int pov_native_scene_move(pov_native_scene *self, const int16_t *ids, int len, const double *positions_m,
                          const double *yaws_rad, char *message)
{
    const pov_status status = check_moves(self, ids, len, positions_m, yaws_rad);
    if (status.code == POV_OK) {
        move(&self->scene, &self->scene, ids, len, positions_m, yaws_rad);
        self->seen_len = 0; /* rays are to look anew */
    }
    return pov_native_tell(message, status);
}

/* -------- judgments -------- */

void pov_native_judgment_of(pov_native_judgment *to, const pov_judgment *from)
{
    const pov_query *query = &from->query;
    *to = (pov_native_judgment){.p = from->belief.p,
                                .p_std = from->belief.p_std,
                                .theta_rad = from->theta_rad,
                                .theta_std_rad = from->theta_std_rad,
                                .flip_distance_m = from->flip_distance_m,
                                .p_internal = from->p_internal,
                                .relation = (int16_t)pov_relation_registry_index(query->relation),
                                .referent = (int16_t)query->referent,
                                .viewer = (int16_t)query->viewer,
                                .relatum_len = (int8_t)query->relatum_len,
                                .perspective = (int8_t)query->perspective,
                                .convention = (int8_t)query->convention,
                                .axis = (int8_t)query->axis,
                                .acceptance = (int8_t)query->acceptance,
                                .containment = (int8_t)from->containment,
                                .doubt = (int8_t)from->doubt,
                                .verdict = (int8_t)from->belief.verdict};
    for (int i = 0; i < POV_RELATA_MAX; i++)
        to->relata[i] = (int16_t)(i < query->relatum_len ? query->relatum[i] : POV_ID_NONE);
}

void pov_native_choice_usual(pov_native_choice *choice)
{
    *choice = (pov_native_choice){.abstain_margin = ((pov_judging)POV_JUDGING_DEFAULT).abstain_margin,
                                  .perspective = {1, 1, 1, 1},
                                  .convention = {1, 1, 1},
                                  .axis = {[POV_AXIS_USUAL] = 1},
                                  .acceptance = {[POV_HEMISPHERE] = 1}};
    for (int i = 0; i < pov_relation_registry_len(); i++) {
        const pov_relation_info *info = pov_relation_registry_at(i);
        choice->relation[i] =
            pov_relation_is_direction(info) || (info->frame == POV_FRAME_NONE && info->relata_min == 1);
    }
}

static bool is_within(int value, int count)
{
    return value >= 0 && value < count;
}

int pov_native_evaluate(pov_native_scene *self, pov_native_judgment *judgment, double abstain_margin)
{
    pov_judging judging = POV_JUDGING_DEFAULT;
    pov_judgment answer;
    if (!is_within(judgment->relation, pov_relation_registry_len()) ||
        !is_within(judgment->perspective, POV_PERSPECTIVE_COUNT) ||
        !is_within(judgment->convention, POV_CONVENTION_COUNT + 1) ||
        !is_within(judgment->axis, POV_AXIS_COUNT) ||
        !is_within(judgment->acceptance, POV_ACCEPTANCE_COUNT) ||
        !is_within(judgment->relatum_len, POV_RELATA_MAX + 1) ||
        !(abstain_margin >= 0 && abstain_margin < 0.5))
        return POV_ERROR;
    pov_query query = {.relation = pov_relation_registry_at(judgment->relation),
                       .referent = judgment->referent,
                       .viewer = judgment->viewer,
                       .relatum_len = judgment->relatum_len,
                       .perspective = (pov_perspective)judgment->perspective,
                       .convention = (pov_convention)judgment->convention,
                       .axis = (pov_axis)judgment->axis,
                       .acceptance = (pov_acceptance)judgment->acceptance};
    for (int i = 0; i < query.relatum_len; i++)
        query.relatum[i] = judgment->relata[i];
    judging.abstain_margin = abstain_margin;
    const pov_code code = pov_relation_evaluate(&answer, &self->scene, &query, &judging);
    pov_native_judgment_of(judgment, &answer);
    return code;
}

/* One pass over the pairs: into the scene's own list, which grows, or into a place for so many. */
typedef struct pov_native_run {
    pov_native_scene *scene;
    pov_relation_choice choice;
    bool has_directions, has_others;
    pov_pair_judge directions;
    pov_native_judgment *place; /* NULL: the scene's own list */
    int place_len, len;
    bool out_of_memory;
    int capacity;
    pov_judgment judgments[]; /* of one pair */
} judging_run;

static void put(void *context, const pov_judgment *judgment)
{
    judging_run *run = context;
    pov_native_scene *scene = run->scene;
    if (run->place) {
        if (run->len < run->place_len)
            pov_native_judgment_of(&run->place[run->len], judgment);
        run->len++;
        return;
    }
    if (pov_grow(&scene->judgments, &scene->judgment_capacity, run->len, sizeof *scene->judgments))
        pov_native_judgment_of(&scene->judgments[run->len++], judgment);
    else
        run->out_of_memory = true;
}

static pov_status begin_run(judging_run *run, const pov_native_choice *wanted)
{
    pov_relation_choice *choice = &run->choice;
    choice->judging = (pov_judging)POV_JUDGING_DEFAULT;
    if (!(wanted->abstain_margin >= 0 && wanted->abstain_margin < 0.5))
        return pov_error("abstain_margin: %g is not in [0, 0.5)", wanted->abstain_margin);
    choice->judging.abstain_margin = wanted->abstain_margin;
    choice->judging.own_view = true;
    for (int i = 0; i < POV_RELATION_COUNT; i++)
        choice->judging.relation[i] = false;
    run->has_directions = run->has_others = run->out_of_memory = false;
    for (int i = 0; i < pov_relation_registry_len(); i++) {
        const pov_relation_info *info = pov_relation_registry_at(i);
        choice->relation[i] = wanted->relation[i];
        if (!wanted->relation[i])
            continue;
        run->has_others = run->has_others || !pov_relation_is_direction(info);
        if (pov_relation_is_direction(info))
            run->has_directions = choice->judging.relation[info->projective] = true;
    }
    for (int i = 0; i < POV_PERSPECTIVE_COUNT; i++)
        choice->perspective[i] = wanted->perspective[i];
    for (int i = 0; i < POV_CONVENTION_COUNT; i++)
        choice->convention[i] = wanted->convention[i];
    for (int i = 0; i < POV_AXIS_COUNT; i++)
        choice->axis[i] = choice->judging.axis[i] = wanted->axis[i];
    for (int i = 0; i < POV_ACCEPTANCE_COUNT; i++)
        choice->judging.acceptance[i] = wanted->acceptance[i];
    choice->acceptance = POV_HEMISPHERE;
    for (int i = POV_ACCEPTANCE_COUNT - 1; i >= 0; i--)
        choice->acceptance = wanted->acceptance[i] ? (pov_acceptance)i : choice->acceptance;
    return pov_ok();
}

static pov_status check_pair(const pov_native_scene *scene, const pov_native_pair *pair)
{
    if (!is_id(scene, pair->referent) || pair->relatum_len < 1 || pair->relatum_len > POV_RELATA_MAX)
        return pov_error("a pair's referent is not in the scene, or it has %d relata of 1 to %d",
                         pair->relatum_len, POV_RELATA_MAX);
    for (int i = 0; i < pair->relatum_len; i++) {
        bool twice = pair->relata[i] == pair->referent;
        for (int j = 0; j < i; j++)
            twice = twice || pair->relata[i] == pair->relata[j];
        if (!is_id(scene, pair->relata[i]) || twice)
            return pov_error("pairs: '%s' cannot be located by %s%s: name different entities of the scene",
                             pov_native_scene_id(scene, pair->referent), twice ? "what is named twice, " : "",
                             pov_native_scene_id(scene, pair->relata[i]));
    }
    return pov_ok();
}

static void judge_pair(judging_run *run, const pov_native_pair *pair)
{
    const pov_scene *scene = &run->scene->scene;
    const pov_relation_choice *choice = &run->choice;
    pov_located located = {.referent = pair->referent, .relatum_len = pair->relatum_len};
    for (int i = 0; i < pair->relatum_len; i++)
        located.relatum[i] = pair->relata[i];
    if (run->has_directions && pair->relatum_len == 1) {
        const int len = pov_pair_judge_run(&run->directions, run->judgments, run->capacity, pair->referent,
                                           pair->relata[0]);
        for (int i = 0; i < len && i < run->capacity; i++) {
            const pov_query *query = &run->judgments[i].query;
            if (choice->perspective[query->perspective] &&
                (query->convention == POV_NO_CONVENTION || choice->convention[query->convention]))
                put(run, &run->judgments[i]);
        }
    }
    if (run->has_others)
        pov_relation_choice_judge(choice, scene, &located, put, run);
}

static void judge_pairs(judging_run *run, const pov_native_pair *pairs, int pair_len)
{
    run->len = 0;
    pov_pair_judge_prepare(&run->directions, &run->scene->scene, &run->choice.judging);
    for (int i = 0; i < pair_len; i++)
        judge_pair(run, &pairs[i]);
}

/* The scene's run is made once: it is large. */
static pov_status make_run(judging_run **made, pov_native_scene *scene, const pov_native_pair *pairs,
                           int pair_len, const pov_native_choice *choice)
{
    judging_run *run = scene->run;
    for (int i = 0; i < pair_len; i++)
        POV_TRY(check_pair(scene, &pairs[i]));
    if (!run) {
        const int per_viewer = POV_CONVENTION_COUNT * POV_AXIS_COUNT,
                  capacity = (scene->scene.len * per_viewer + 2) * POV_RELATION_COUNT * POV_ACCEPTANCE_COUNT;
        run = calloc(1, sizeof *run + (size_t)capacity * sizeof *run->judgments);
        if (!run)
            return pov_error("out of memory");
        run->scene = scene;
        run->capacity = capacity;
        scene->run = run;
    }
    *made = run;
    run->place = NULL;
    return begin_run(run, choice);
}

int pov_native_judge(pov_native_scene *self, const pov_native_judgment **judgments, int *len,
                     const pov_native_pair *pairs, int pair_len, const pov_native_choice *choice,
                     char *message)
{
    judging_run *run;
    pov_status status = make_run(&run, self, pairs, pair_len, choice);
    if (status.code == POV_OK) {
        judge_pairs(run, pairs, pair_len);
        status = run->out_of_memory ? pov_error("out of memory") : status;
    }
    *len = status.code == POV_OK ? run->len : 0;
    *judgments = self->judgments;
    return pov_native_tell(message, status);
}

static pov_status judge_batch(judging_run *run, const pov_native_pair *pairs, int pair_len,
                              pov_native_judgment *judgments, const pov_native_batch *batch,
                              const pov_scene *before)
{
    pov_native_scene *self = run->scene;
    const int ids = batch->id_len;
    for (int i = 0; i < batch->len; i++) {
        const double *positions_m = batch->positions_m ? &batch->positions_m[(size_t)3 * i * ids] : NULL;
        const double *yaws_rad = batch->yaws_rad ? &batch->yaws_rad[(size_t)i * ids] : NULL;
        const pov_status status = check_moves(self, batch->ids, ids, positions_m, yaws_rad);
        if (status.code != POV_OK)
            return pov_error("scene %d of the batch: %s", i, status.message);
        move(&self->scene, before, batch->ids, ids, positions_m, yaws_rad);
        run->place = &judgments[(size_t)i * run->place_len];
        judge_pairs(run, pairs, pair_len);
        if (run->len != run->place_len)
            return pov_error("scene %d of the batch has %d judgments, not %d", i, run->len, run->place_len);
    }
    return pov_ok();
}

int pov_native_judge_batch(pov_native_scene *self, pov_native_judgment *judgments, int per_scene,
                           const pov_native_pair *pairs, int pair_len, const pov_native_choice *choice,
                           const pov_native_batch *batch, char *message)
{
    judging_run *run;
    pov_scene *before = malloc(sizeof *before);
    pov_status status = make_run(&run, self, pairs, pair_len, choice);
    if (status.code == POV_OK && !before)
        status = pov_error("out of memory");
    if (status.code == POV_OK && per_scene > 0) {
        *before = self->scene;
        run->place_len = per_scene;
        status = judge_batch(run, pairs, pair_len, judgments, batch, before);
        self->scene = *before;
    }
    free(before);
    return pov_native_tell(message, status);
}

/* -------- sights -------- */

void pov_native_sight_of(pov_native_sight *to, const pov_visibility *from)
{
    *to = (pov_native_sight){.p = from->sees.p,
                             .p_std = from->sees.p_std,
                             .fraction_visible = from->fraction_visible,
                             .fraction_expected = from->fraction_expected,
                             .fraction_hidden = from->fraction_hidden,
                             .fraction_out_of_view = from->fraction_out_of_view,
                             .fraction_out_of_range = from->fraction_out_of_range,
                             .size_rad = from->size_rad,
                             .viewer = (int16_t)from->viewer,
                             .target = (int16_t)from->target,
                             .verdict = (int8_t)from->sees.verdict,
                             .cause = (int8_t)from->cause};
    for (int i = 0; i < POV_OCCLUDERS_MAX; i++) {
        const bool hides = i < from->occluder_len;
        to->occluder[i] = (int16_t)(hides ? from->occluders[i].id : POV_ID_NONE);
        to->occluder_share[i] = hides ? from->occluders[i].share : 0;
    }
}

static pov_status look_around(pov_native_scene *self, const pov_occlusion *occlusion, int viewer, int target)
{
    static const pov_seeing seeing = POV_SEEING_DEFAULT;
    const pov_scene *scene = &self->scene;
    for (pov_id from = 0; from < scene->len; from++)
        for (pov_id to = 0; to < scene->len; to++) {
            pov_visibility sight;
            if ((viewer < 0 ? !scene->entities[from].can_see : from != viewer) ||
                (target < 0 ? to == scene->camera || to == from : to != target))
                continue;
            if (!pov_grow(&self->sights, &self->sight_capacity, self->sight_len, sizeof *self->sights))
                return pov_error("out of memory");
            (void)pov_visibility_evaluate(occlusion, &sight, from, to, &seeing);
            pov_native_sight_of(&self->sights[self->sight_len++], &sight);
        }
    return pov_ok();
}

int pov_native_look(pov_native_scene *self, const pov_native_sight **sights, int *len, int viewer, int target,
                    char *message)
{
    pov_occlusion *occlusion = NULL;
    pov_status status = pov_ok();
    self->sight_len = 0;
    if ((viewer >= 0 && !is_id(self, viewer)) || (target >= 0 && !is_id(self, target)))
        status = pov_error("the scene has no entity %d", is_id(self, viewer) ? target : viewer);
    POV_THEN(status, pov_occlusion_new(&occlusion));
    POV_THEN(status, pov_occlusion_update(occlusion, &self->scene));
    POV_THEN(status, look_around(self, occlusion, viewer, target));
    pov_occlusion_destroy(&occlusion);
    *sights = self->sights;
    *len = status.code == POV_OK ? self->sight_len : 0;
    return pov_native_tell(message, status);
}
