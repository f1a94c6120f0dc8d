/* The C side of ./dev bench python: judge_scenes CALLS SCENES, on the scene of tests/bench/python.py. Prints the nanoseconds of a
 * query, of judging a pair, and of a scene of a batch, each its own. */
#include "perception/relations/pair_judge.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { BALL, CAR, WOMAN, JUDGMENTS_MAX = 256 };

static pov_scene scene;
static pov_judgment judgments[JUDGMENTS_MAX];

static double now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return 1e9 * (double)now.tv_sec + (double)now.tv_nsec;
}

static void add(const char *name, pov_vec3 position_m, pov_vec3 size_m, double std_m, double front_rad)
{
    pov_entity entity = pov_entity_named(name, name);
    pov_id id;
    entity.placed = true;
    entity.position.mean_m = position_m;
    entity.size_m = size_m;
    for (int axis = 0; axis < 3; axis++)
        entity.position.own_cov_m2[axis][axis] = std_m * std_m;
    if (isfinite(front_rad)) {
        entity.heading = pov_heading_single(front_rad, pov_kappa_from_std(5 * POV_DEG));
        entity.R_table_box = pov_rot_yaw(front_rad);
    }
    if (pov_scene_add(&scene, &id, &entity).code != POV_OK)
        exit(1);
}

int main(int argc, char **argv)
{
    const int calls = argc > 1 ? atoi(argv[1]) : 1000, scenes = argc > 2 ? atoi(argv[2]) : 1000;
    pov_judging judging = POV_JUDGING_DEFAULT;
    judging.axis[POV_HEADING] = false;
    judging.own_view = true;
    pov_scene_clear(&scene);
    add("ball", (pov_vec3){0.4, 0.1, 0.1}, (pov_vec3){0.2, 0.2, 0.2}, 0.02, NAN);
    add("car", (pov_vec3){-0.1, 0, 0.15}, (pov_vec3){0.8, 0.4, 0.3}, 0, POV_PI);
    add("woman", (pov_vec3){-1.5, 0.4, 0.8}, (pov_vec3){0.3, 0.5, 1.6}, 0, 0);
    scene.entities[WOMAN].addressee = true;
    const pov_pose camera = pov_pose_exact(
        pov_transform_look_at((pov_vec3){0, -2, 1.2}, (pov_vec3){0, 0, 0.1}, (pov_vec3){0, 0, 1}));
    if (pov_scene_add_camera(&scene, &camera).code != POV_OK)
        return 1;

    pov_query query = pov_query_of_pair(pov_relation_info_of(POV_BEHIND), BALL, CAR);
    query.perspective = POV_INTRINSIC;
    double sum = 0, began_ns = now_ns();
    for (int i = 0; i < calls; i++) {
        (void)pov_relation_evaluate(&judgments[0], &scene, &query, &judging);
        sum += judgments[0].belief.p;
    }
    const double query_ns = (now_ns() - began_ns) / calls;

    began_ns = now_ns();
    for (int i = 0; i < calls; i++)
        sum += pov_relation_evaluate_pair(judgments, JUDGMENTS_MAX, &scene, BALL, CAR, &judging);
    const double pair_ns = (now_ns() - began_ns) / calls;

    /* Every scene's judgments are kept, as a program that looks at them later would. */
    const int per_scene = pov_relation_evaluate_pair(judgments, JUDGMENTS_MAX, &scene, BALL, CAR, &judging);
    pov_judgment *kept = malloc((size_t)scenes * (size_t)per_scene * sizeof *kept);
    pov_pair_judge *judge = malloc(sizeof *judge);
    if (!kept || !judge)
        return 1;
    memset(kept, 0,
           (size_t)scenes * (size_t)per_scene * sizeof *kept); /* memory that the kernel has given already */
    began_ns = now_ns();
    for (int i = 0; i < scenes; i++) {
        const double angle_rad = 0.001 * i;
        scene.entities[BALL].position.mean_m = (pov_vec3){cos(angle_rad), sin(angle_rad), 0.1};
        pov_pair_judge_prepare(judge, &scene, &judging);
        sum += pov_pair_judge_run(judge, &kept[(size_t)i * (size_t)per_scene], per_scene, BALL, CAR);
    }
    printf("%.1f %.1f %.1f %d %g\n", query_ns, pair_ns, (now_ns() - began_ns) / scenes, per_scene, sum);
    free(kept);
    free(judge);
    return 0;
}
