/* Any view that another station may send, of things that both know: what a camera of this station sees stays finite, whatever the other says of the
 * same things. The cast is made of the view's own things, as a peer has it that knows this station. */
#include "perception/cast/cast.h"
#include "perception/cast/scene_fusion.h"
#include "protocol/observation/message.h"
#include "tests/fuzz/formats/parts.h"

#include <math.h>
#include <string.h>

enum { THINGS_MAX = 4, ROUNDS = 4 };
static const int64_t start_ns = INT64_C(1700000000000000000), interval_ns = 33333333;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t length, size_t capacity, unsigned seed)
{
    return fuzz_mutate_protobuf(bytes, length, capacity, seed);
}

static void make_cast(pov_cast *cast, const pov_scene *theirs)
{
    *cast = (pov_cast){.len = 0};
    for (pov_id id = 0; id < theirs->len && cast->len < THINGS_MAX; id++) {
        const pov_entity *their = &theirs->entities[id];
        if (id == theirs->camera || pov_cast_has(cast, their->name))
            continue;
        pov_cast_member *member = &cast->members[cast->len++];
        *member = (pov_cast_member){.entity = pov_entity_named(their->name, their->class_name),
                                    .found_by = &pov_found_by_tag};
        member->entity.size_m = their->size_m;
    }
}

static pov_pose own_pose(void)
{
    pov_pose pose = pov_pose_exact(
        pov_transform_look_at((pov_vec3){1.2, 0, 1}, (pov_vec3){0, 0, 0}, (pov_vec3){0, 0, 1}));
    for (int i = 0; i < 6; i++)
        pose.cov[i][i] = 1e-6;
    return pose;
}

/* A row of things on the table, each a millimetre unsure. */
static void see_row(pov_scene *scene, const pov_cast *cast, const pov_pose *pose)
{
    pov_scene_clear(scene);
    POV_REQUIRE(pov_scene_add_camera(scene, pose).code == POV_OK);
    memcpy(scene->camera_pose_cov, pose->cov, sizeof pose->cov);
    for (int i = 0; i < cast->len; i++) {
        pov_entity entity = cast->members[i].entity;
        pov_id added;
        entity.placed = entity.seen = true;
        entity.position.mean_m = (pov_vec3){0, 0.1 * i, 0.05};
        for (int k = 0; k < 3; k++)
            entity.position.own_cov_m2[k][k] = 1e-6;
        POV_REQUIRE(pov_scene_add(scene, &added, &entity).code == POV_OK);
    }
}

static void require_finite(const pov_scene *scene)
{
    for (pov_id id = 0; id < scene->len; id++) {
        const pov_entity *entity = &scene->entities[id];
        POV_REQUIRE(!entity->placed || isfinite(pov_vec3_norm(entity->position.mean_m)));
        for (int k = 0; k < 9 && entity->placed; k++)
            POV_REQUIRE(isfinite(entity->position.own_cov_m2[k / 3][k % 3]));
    }
}

static void run_fusion(const pov_cast *cast, const pov_observation *view)
{
    static pov_scene scene;
    pov_id renamed[POV_ENTITY_MAX];
    pov_cast_difference difference;
    pov_scene_fusion *fusion = pov_scene_fusion_new(cast, 2);
    for (int round = 0; round < ROUNDS; round++) {
        const int64_t now_ns = start_ns + round * interval_ns;
        pov_pose own = own_pose(), their = view->image.T_table_camera;
        see_row(&scene, cast, &own);
        (void)pov_scene_fusion_run(fusion, &scene, &own, renamed, 0, now_ns);
        require_finite(&scene);
        POV_REQUIRE(pov_cast_adopt(cast, &scene, &difference, &view->scene, &their).code == POV_OK);
        (void)pov_scene_fusion_run(fusion, &scene, scene.camera == POV_ID_NONE ? NULL : &their, renamed, 1,
                                   now_ns + interval_ns / 2);
    }
    pov_scene_fusion_destroy(&fusion);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static pov_codec *codec;
    static pov_observation view;
    static pov_cast cast;
    if (codec == NULL)
        POV_REQUIRE(pov_codec_new(&codec).code == POV_OK);
    pov_message message = {.observation = &view};
    if (pov_codec_decode(codec, &message, data, size).code != POV_OK ||
        message.kind != POV_MESSAGE_OBSERVATION || view.scene.len == 0)
        return 0;
    make_cast(&cast, &view.scene);
    run_fusion(&cast, &view);
    return 0;
}
