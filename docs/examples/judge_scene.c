/* Judges a scene in-process: how a ball lies to a car, for a camera and by the car's own front.
 *   cc judge_scene.c $(pkg-config --cflags --libs pov) -o judge_scene */
#include <pov.h>
#include <stdio.h>

static pov_id add(pov_scene *scene, const char *name, pov_vec3 position_m, pov_vec3 size_m, double std_m)
{
    pov_entity entity = pov_entity_named(name, name);
    pov_id id = POV_ID_NONE;
    entity.placed = true;
    entity.position.mean_m = position_m;
    entity.size_m = size_m;
    for (int axis = 0; axis < 3; axis++)
        entity.position.own_cov_m2[axis][axis] = std_m * std_m;
    if (pov_scene_add(scene, &id, &entity).code != POV_OK)
        fprintf(stderr, "no room for %s\n", name);
    return id;
}

int main(void)
{
    static pov_scene scene;
    static pov_judgment judgments[64];
    const pov_judging judging = POV_JUDGING_DEFAULT;
    pov_scene_clear(&scene);
    const pov_id ball = add(&scene, "ball", (pov_vec3){0.4, 0.1, 0.1}, (pov_vec3){0.2, 0.2, 0.2}, 0.02);
    const pov_id car = add(&scene, "car", (pov_vec3){-0.1, 0, 0.15}, (pov_vec3){0.8, 0.4, 0.3}, 0);
    scene.entities[car].heading = pov_heading_single(POV_PI, pov_kappa_from_std(0.05)); /* along -x */
    const pov_pose camera = pov_pose_exact(
        pov_transform_look_at((pov_vec3){0, -2, 1.2}, (pov_vec3){0, 0, 0.1}, (pov_vec3){0, 0, 1}));
    if (pov_scene_add_camera(&scene, &camera).code != POV_OK)
        return 1;
    const int len = pov_relation_evaluate_pair(judgments, 64, &scene, ball, car, &judging);
    for (int i = 0; i < len; i++) {
        const pov_query *q = &judgments[i].query;
        const char *convention = pov_convention_name(q->convention); /* NULL by the car's own front */
        if (q->axis == POV_HEADING && convention)
            continue; /* of the camera's frames only those along its line of sight to the car */
        printf("ball %s car, %s%s%s: %s (P = %.3f)\n", q->relation->name,
               pov_perspective_name(q->perspective), convention ? " " : "", convention ? convention : "",
               pov_verdict_name(judgments[i].belief.verdict), judgments[i].belief.p);
    }
    return 0;
}
