/* Scenes of libpov moved and judged. */
#include "perception/library/library.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(POV_RELATA_MAX == 8 && POV_REGISTRY_MAX == 128, "as pov.h says");
_Static_assert(POV_PERSPECTIVE_COUNT == 4 && POV_CONVENTION_COUNT == 3 && POV_AXIS_COUNT == 2 &&
                   POV_ACCEPTANCE_COUNT == 3,
               "as pov.h says");

static bool is_id(const pov_public_scene *self, int id)
{
    return id >= 0 && id < self->inside.len;
}

/* -------- moving -------- */

static const double position_max_m = 1e4; /* as of entities that are added */

static pov_status check_moves(const pov_public_scene *self, const int16_t *ids, int len,
                              const double *positions_m, const double *yaws_rad)
{
    for (int i = 0; i < len; i++) {
        if (!is_id(self, ids[i]) || ids[i] == self->inside.camera)
            return pov_error("entity %d cannot be moved: it is %s", ids[i],
                             is_id(self, ids[i]) ? "the camera, which pov_scene_set_camera places"
                                                 : "not in the scene");
        const pov_entity *entity = &self->inside.entities[ids[i]];
        for (int k = 0; k < 3 && positions_m; k++)
            if (!(fabs(positions_m[3 * i + k]) <= position_max_m))
                return pov_error("positions_m: the place of '%s' is not finite, or beyond %g m", entity->name,
                                 position_max_m);
        if (yaws_rad && !isfinite(yaws_rad[i]))
            return pov_error("yaws_rad: the front of '%s' is not finite", entity->name);
        if (yaws_rad && entity->heading.len != 1)
            return pov_error("yaws_rad: '%s' has %d fronts, and one is turned; give it one", entity->name,
                             entity->heading.len);
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

pov_status pov_scene_move(pov_public_scene *self, const int16_t *ids, int len, const double *positions_m,
                          const double *yaws_rad)
{
    POV_REQUIRE(self && (ids || len <= 0));
    POV_TRY(check_moves(self, ids, len, positions_m, yaws_rad));
    move(&self->inside, &self->inside, ids, len, positions_m, yaws_rad);
    self->seen_len = 0; /* rays are to look again */
    return pov_ok();
}

/* -------- choices -------- */

void pov_choice_usual(pov_choice *choice)
{
    POV_REQUIRE(choice);
    const pov_judging judging = POV_JUDGING_DEFAULT;
    *choice = (pov_choice){.abstain_margin = judging.abstain_margin,
                           .good_edge_rad = judging.regions.good_edge_rad,
                           .good_fall_rad = judging.regions.good_fall_rad,
                           .acceptable_edge_rad = judging.regions.acceptable_edge_rad,
                           .acceptable_fall_rad = judging.regions.acceptable_fall_rad,
                           .acceptable_level = judging.regions.acceptable_level,
                           .reach_m = judging.regions.reach_m,
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

/* Margin and regions of a choice; NULL: the usual. */
static pov_status read_thresholds(pov_judging *judging, const pov_choice *choice)
{
    *judging = (pov_judging)POV_JUDGING_DEFAULT;
    if (!choice)
        return pov_ok();
    if (!(choice->abstain_margin >= 0 && choice->abstain_margin < 0.5))
        return pov_error("abstain_margin: %g is not in [0, 0.5)", choice->abstain_margin);
    judging->abstain_margin = choice->abstain_margin;
    judging->regions = (pov_template){.good_edge_rad = choice->good_edge_rad,
                                      .good_fall_rad = choice->good_fall_rad,
                                      .acceptable_edge_rad = choice->acceptable_edge_rad,
                                      .acceptable_fall_rad = choice->acceptable_fall_rad,
                                      .acceptable_level = choice->acceptable_level,
                                      .reach_m = choice->reach_m};
    return pov_template_check(&judging->regions);
}

/* -------- one query -------- */

static pov_status check_value(const char *field, int value, int count)
{
    return value >= 0 && value < count ? pov_ok()
                                       : pov_error("%s: %d is not in 0 to %d", field, value, count - 1);
}

static pov_status check_query(const pov_public_scene *scene, const pov_public_judgment *query)
{
    POV_TRY(check_value("relation", query->relation, pov_relation_registry_len()));
    POV_TRY(check_value("perspective", query->perspective, POV_PERSPECTIVE_COUNT));
    POV_TRY(check_value("convention", query->convention, POV_CONVENTION_COUNT + 1));
    POV_TRY(check_value("axis", query->axis, POV_AXIS_COUNT));
    POV_TRY(check_value("acceptance", query->acceptance, POV_ACCEPTANCE_COUNT));
    POV_TRY(check_value("relatum_len", query->relatum_len, POV_RELATA_MAX + 1));
    if (!is_id(scene, query->referent))
        return pov_error("referent: the scene has no entity %d; it has %d", query->referent,
                         scene->inside.len);
    if (query->viewer != POV_ID_NONE && !is_id(scene, query->viewer))
        return pov_error("viewer: the scene has no entity %d; it has %d", query->viewer, scene->inside.len);
    for (int i = 0; i < query->relatum_len; i++)
        if (!is_id(scene, query->relata[i]))
            return pov_error("relata: the scene has no entity %d; it has %d", query->relata[i],
                             scene->inside.len);
    return pov_ok();
}

pov_status pov_judge_query(const pov_public_scene *scene, pov_public_judgment *judgment,
                           const pov_choice *choice)
{
    POV_REQUIRE(scene && judgment);
    pov_judging judging;
    pov_judgment answer;
    POV_TRY(check_query(scene, judgment));
    POV_TRY(read_thresholds(&judging, choice));
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
    const pov_code code = pov_relation_evaluate(&answer, &scene->inside, &query, &judging);
    pov_library_judgment(judgment, &answer);
    return pov_status_of(code);
}

/* -------- pairs -------- */

/* One pass over the pairs. The scene keeps it, as it is large. */
typedef struct pov_library_run {
    const pov_scene *scene;
    pov_relation_choice choice;
    bool has_directions, has_others;
    pov_pair_judge directions;
    pov_public_judgment *place;
    int place_len, len; /* room there; judgments so far */
    int capacity;
    pov_judgment judgments[]; /* of one pair */
} judging_run;

static void put(void *context, const pov_judgment *judgment)
{
    judging_run *run = context;
    if (run->len < run->place_len)
        pov_library_judgment(&run->place[run->len], judgment);
    run->len++;
}

static pov_status read_choice(judging_run *run, const pov_choice *wanted)
{
    pov_relation_choice *choice = &run->choice;
    POV_TRY(read_thresholds(&choice->judging, wanted));
    choice->judging.own_view = true;
    for (int i = 0; i < POV_RELATION_COUNT; i++)
        choice->judging.relation[i] = false;
    run->has_directions = run->has_others = false;
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

static pov_status check_pair(const pov_public_scene *scene, const pov_public_pair *pair)
{
    if (!is_id(scene, pair->referent))
        return pov_error("pairs: the scene has no entity %d to locate; it has %d", pair->referent,
                         scene->inside.len);
    if (pair->relatum_len < 1 || pair->relatum_len > POV_RELATA_MAX)
        return pov_error("pairs: '%s' is located by %d entities; give 1 to %d",
                         scene->inside.entities[pair->referent].name, pair->relatum_len, POV_RELATA_MAX);
    for (int i = 0; i < pair->relatum_len; i++) {
        bool twice = pair->relata[i] == pair->referent;
        for (int j = 0; j < i; j++)
            twice = twice || pair->relata[i] == pair->relata[j];
        if (!is_id(scene, pair->relata[i]))
            return pov_error("pairs: '%s' cannot be located by entity %d: the scene has %d",
                             scene->inside.entities[pair->referent].name, pair->relata[i], scene->inside.len);
        if (twice)
            return pov_error(
                "pairs: '%s' cannot be located by '%s', which is named twice; name different entities",
                scene->inside.entities[pair->referent].name, scene->inside.entities[pair->relata[i]].name);
    }
    return pov_ok();
}

static void judge_pair(judging_run *run, const pov_public_pair *pair)
{
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
        pov_relation_choice_judge(choice, run->scene, &located, put, run);
}

static void judge_pairs(judging_run *run, const pov_pairs *pairs)
{
    run->len = 0;
    pov_pair_judge_prepare(&run->directions, run->scene, &run->choice.judging);
    for (int i = 0; i < pairs->len; i++)
        judge_pair(run, &pairs->list[i]);
}

/* The scene's run, with room for the directions of one pair by as many viewers as the scene has entities. */
static pov_status take_run(judging_run **taken, pov_public_scene *scene, const pov_pairs *pairs,
                           const pov_choice *choice)
{
    const int per_viewer = POV_CONVENTION_COUNT * POV_AXIS_COUNT,
              capacity = (scene->inside.len * per_viewer + 2) * POV_RELATION_COUNT * POV_ACCEPTANCE_COUNT;
    judging_run *run = scene->judging;
    pov_choice usual;
    for (int i = 0; i < pairs->len; i++)
        POV_TRY(check_pair(scene, &pairs->list[i]));
    if (!run || run->capacity < capacity) {
        run = realloc(run, sizeof *run + (size_t)capacity * sizeof *run->judgments);
        if (!run)
            return pov_error("judging needs %zu bytes, and memory is out",
                             sizeof *run + (size_t)capacity * sizeof *run->judgments);
        memset(run, 0, sizeof *run);
        run->scene = &scene->inside;
        run->capacity = capacity;
        scene->judging = run;
    }
    if (!choice) {
        pov_choice_usual(&usual);
        choice = &usual;
    }
    *taken = run;
    return read_choice(run, choice);
}

static void require_judging(const pov_public_scene *scene, const pov_judgments *judgments,
                            const pov_pairs *pairs)
{
    POV_REQUIRE(scene && judgments && pairs);
    POV_REQUIRE(pairs->list || pairs->len <= 0);
    POV_REQUIRE(judgments->list || judgments->capacity <= 0);
}

pov_status pov_judge_pairs(pov_public_scene *scene, pov_judgments *judgments, const pov_pairs *pairs,
                           const pov_choice *choice)
{
    require_judging(scene, judgments, pairs);
    judging_run *run;
    judgments->len = 0;
    POV_TRY(take_run(&run, scene, pairs, choice));
    run->place = judgments->list;
    run->place_len = judgments->capacity;
    judge_pairs(run, pairs);
    judgments->len = run->len;
    return pov_ok();
}

/* -------- batches -------- */

static pov_status judge_scenes(judging_run *run, pov_public_scene *scene, pov_public_judgment *place,
                               const pov_pairs *pairs, const pov_batch *batch, const pov_scene *before)
{
    const int ids = batch->id_len, per_scene = run->place_len;
    for (int i = 0; i < batch->len; i++) {
        const double *positions_m = batch->positions_m ? &batch->positions_m[(size_t)3 * i * ids] : NULL;
        const double *yaws_rad = batch->yaws_rad ? &batch->yaws_rad[(size_t)i * ids] : NULL;
        const pov_status status = check_moves(scene, batch->ids, ids, positions_m, yaws_rad);
        if (status.code != POV_OK)
            return pov_error("scene %d of the batch: %s", i, status.message);
        move(&scene->inside, before, batch->ids, ids, positions_m, yaws_rad);
        run->place = &place[(size_t)i * per_scene];
        judge_pairs(run, pairs);
        if (run->len != per_scene)
            return pov_error("scene %d of the batch has %d judgments, not %d", i, run->len, per_scene);
    }
    return pov_ok();
}

pov_status pov_judge_batch(pov_public_scene *scene, pov_judgments *judgments, const pov_pairs *pairs,
                           const pov_choice *choice, const pov_batch *batch)
{
    require_judging(scene, judgments, pairs);
    POV_REQUIRE(batch && (batch->ids || batch->id_len <= 0));
    judging_run *run;
    judgments->len = 0;
    if (batch->len < 0 || batch->id_len < 0)
        return pov_error("batch: %d scenes, %d entities moved: neither is less than 0", batch->len,
                         batch->id_len);
    POV_TRY(take_run(&run, scene, pairs, choice));
    run->place = NULL;
    run->place_len = 0;
    judge_pairs(run, pairs); /* counts */
    const int64_t wanted = (int64_t)batch->len * run->len;
    if (wanted > INT32_MAX)
        return pov_error("batch: %d scenes of %d judgments are too many; split it", batch->len, run->len);
    if (wanted > judgments->capacity) {
        judgments->len = (int)wanted;
        return pov_error("judgments: %d scenes have %d judgments each, and there is room for %d in all",
                         batch->len, run->len, judgments->capacity);
    }
    pov_scene *before = malloc(sizeof *before);
    if (!before)
        return pov_error("a batch needs %zu bytes, and memory is out", sizeof *before);
    *before = scene->inside;
    run->place_len = run->len;
    const pov_status status = judge_scenes(run, scene, judgments->list, pairs, batch, before);
    scene->inside = *before;
    free(before);
    judgments->len = status.code == POV_OK ? (int)wanted : 0;
    return status;
}
