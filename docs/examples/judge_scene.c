/* Judges a scene: how a ball lies to a car, for a camera and by the car's own front.
 *   cc judge_scene.c $(pkg-config --cflags --libs pov) -o judge_scene */
#include <pov.h>
#include <stdio.h>
#include <stdlib.h>

static void check(pov_status status)
{
    if (status.code != POV_OK)
        exit((fprintf(stderr, "%s\n", status.message), 1));
}

int main(void)
{
    const double camera_m[3] = {0, -2, 1.2}, look_at_m[3] = {0, 0, 0.1}, var_m2 = 0.02 * 0.02;
    const pov_entity ball = {.placed = 1, .position_m = {0.4, 0.1, 0.1}, .size_m = {0.2, 0.2, 0.2},
                             .position_cov_m2 = {var_m2, 0, 0, 0, var_m2, 0, 0, 0, var_m2}};
    const pov_entity car = {.placed = 1, .position_m = {-0.1, 0, 0.15}, .size_m = {0.8, 0.4, 0.3}, .has_front = 1,
                            .yaw_rad = 3.14159265, .kappa = pov_kappa_from_std(0.05)}; /* it looks along -x */
    pov_scene *scene;
    pov_judgment list[128];
    pov_judgments judged = {list, 128, 0};
    pov_pair pair = {.relatum_len = 1};
    check(pov_scene_new(&scene));
    check(pov_entity_add(scene, &pair.referent, "ball", "ball", &ball));
    check(pov_entity_add(scene, &pair.relata[0], "car", "car", &car));
    check(pov_scene_set_camera(scene, camera_m, look_at_m, NULL));
    check(pov_judge_pairs(scene, &judged, &(pov_pairs){&pair, 1}, NULL));
    for (const pov_judgment *j = list; j < list + judged.len; j++) {
        const char *convention = pov_name(POV_CONVENTIONS, j->convention); /* NULL: by the car's own front */
        printf("ball %s car, %s%s%s: %s (P = %.3f)\n", pov_name(POV_RELATIONS, j->relation),
               pov_name(POV_PERSPECTIVES, j->perspective), convention ? " " : "", convention ? convention : "",
               pov_name(POV_VERDICTS, j->verdict), j->p);
    }
    pov_scene_destroy(&scene);
}
