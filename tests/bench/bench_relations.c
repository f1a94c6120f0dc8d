/* All relations of the registry but directions for one pair, together and one by one. */
#include "tests/bench/bench.h"

#include "perception/relations/relation_panel.h"
#include "tests/support/judge_all.h"
#include "tests/support/noisy_scene.h"

#include <stdio.h>
#include <stdlib.h>

enum { CAPACITY = 400 };

typedef struct {
    pov_scene scene;
    pov_relation_panel *panel;
    pov_judgment answers[CAPACITY];
    int len;
} relations_work;

static relations_work *work_on(void)
{
    relations_work *work = calloc(1, sizeof *work);
    pov_judging config = POV_JUDGING_DEFAULT;
    for (int i = 0; i < pov_relation_registry_len(); i++) {
        const pov_relation_info *relation = pov_relation_registry_at(i);
        config.other[i] = relation->projective == POV_RELATION_COUNT && relation->relata_min == 1;
    }
    POV_REQUIRE(work && pov_relation_panel_new(&work->panel, &config).code == POV_OK);
    return work;
}

static pov_entity thing(const char *name, pov_vec3 at_m, pov_vec3 size_m)
{
    pov_entity entity = pov_entity_named(name, "thing");
    entity.placed = true;
    entity.position.mean_m = at_m;
    entity.size_m = size_m;
    for (int i = 0; i < 3; i++) {
        entity.position.own_cov_m2[i][i] = 0.003 * 0.003;
        entity.position.per_camera_pose[i][3 + i] = 1;
    }
    return entity;
}

static void add(pov_scene *scene, pov_entity entity)
{
    POV_REQUIRE(pov_scene_add(scene, &(pov_id){0}, &entity).code == POV_OK);
}

/* A cup 25 cm from a toy car on a table, seen by a camera and a person; 3 mm and 5 degrees of error. */
static void *prepare_table(void)
{
    relations_work *work = work_on();
    pov_entity car = thing("car", (pov_vec3){0, 0, 0.04}, (pov_vec3){0.2, 0.09, 0.08});
    pov_entity woman = thing("woman", (pov_vec3){-1, 0, 0.8}, (pov_vec3){0.3, 0.5, 1.6});
    pov_entity camera = thing("camera", (pov_vec3){0, -1.2, 0.8}, (pov_vec3){0, 0, 0});
    car.heading = pov_heading_single(1, pov_kappa_from_std(5 * POV_PI / 180));
    woman.heading = pov_heading_single(0, pov_kappa_from_std(5 * POV_PI / 180));
    camera.heading = pov_heading_single(POV_PI / 2, 1e12);
    woman.addressee = true;
    pov_scene_clear(&work->scene);
    add(&work->scene, thing("cup", (pov_vec3){0.2, 0.15, 0.05}, (pov_vec3){0.08, 0.08, 0.1}));
    add(&work->scene, car);
    add(&work->scene, woman);
    add(&work->scene, camera);
    work->scene.camera = 3;
    for (int k = 0; k < 6; k++)
        work->scene.camera_pose_cov[k][k] = 1e-6;
    return work;
}

/* Things tossed about, near one another and very noisy: most relations are in doubt. */
static void *prepare_doubtful(void)
{
    relations_work *work = work_on();
    test_random random = {12};
    test_noisy_scene(&work->scene, &random);
    for (int i = 0; i < work->scene.len; i++) {
        work->scene.entities[i].has_velocity = false;
        for (int k = 0; k < 3; k++)
            work->scene.entities[i].position.own_cov_m2[k][k] = 0.05 * 0.05;
    }
    return work;
}

static void together(void *data)
{
    relations_work *work = data;
    pov_judgment_list list = {.judgments = work->answers, .capacity = CAPACITY};
    pov_relation_panel_pair(work->panel, &list, &work->scene, 0, 1);
    work->len = list.len;
}

static void one_by_one(void *data)
{
    static const pov_judging judging = POV_JUDGING_DEFAULT;
    relations_work *work = data;
    (void)test_judge_all(work->answers, CAPACITY, &work->scene, 0, 1, &judging);
}

static void finish(void *data)
{
    relations_work *work = data;
    int undecided = 0;
    together(work);
    for (int i = 0; i < work->len; i++)
        undecided += work->answers[i].belief.p > 0 && work->answers[i].belief.p < 1;
    printf("             %d judgments, %d of them neither 0 nor 1\n", work->len, undecided);
    pov_relation_panel_destroy(&work->panel);
    free(work);
}

const pov_bench BENCH_RELATIONS[POV_BENCH_RELATIONS] = {
    {.name = "relations",
     .what = "all of the registry for a pair on a table, in every frame",
     .unit = "pair",
     .units_per_run = 1,
     .prepare = prepare_table,
     .run = together,
     .peer_name = "asking one by one",
     .run_peer = one_by_one,
     .finish = finish},
    {.name = "relations_doubtful",
     .what = "the same for a pair so noisy that most is in doubt",
     .unit = "pair",
     .units_per_run = 1,
     .prepare = prepare_doubtful,
     .run = together,
     .peer_name = "asking one by one",
     .run_peer = one_by_one,
     .finish = finish},
};
