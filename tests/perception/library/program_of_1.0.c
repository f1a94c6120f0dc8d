/* A program as it was built for version 1.0 of libpov: it brings the declarations of that time instead of including today's pov.h, so
 * that what it links to must still be there, and still be so. Never to be changed; test_abi.py runs it with today's library. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>

typedef struct {
    int code;
    char message[400];
} status;

typedef struct pov_scene scene;

typedef struct {
    int8_t placed, has_front, has_velocity, addressee, shape, seen, can_see;
    double position_m[3], position_cov_m2[9], size_m[3], rotation[9], shape_doubt, yaw_rad, kappa,
        velocity_m_s[3];
    double velocity_cov_m2_s2[9];
} entity;

typedef struct {
    double half_horizontal_rad, half_vertical_rad, near_m, far_m, eye_m[3];
    int shape;
} field;

typedef struct {
    double p, p_std, theta_rad, theta_std_rad, flip_distance_m, p_internal;
    int16_t relation, referent, viewer, relata[8];
    int8_t relatum_len, perspective, convention, axis, acceptance, containment, doubt, verdict;
} judgment;

typedef struct {
    double p, p_std, fraction_visible, fraction_expected, fraction_hidden, fraction_out_of_view,
        fraction_out_of_range, size_rad;
    double occluder_share[8];
    int16_t occluder[8], viewer, target;
    int8_t verdict, cause;
} visibility;

typedef struct {
    visibility *list;
    int capacity, len;
} visibilities;

status pov_scene_new(scene **made);
void pov_scene_destroy(scene **made);
status pov_entity_add(scene *to, int16_t *id, const char *name, const char *class_name, const entity *added);
status pov_entity_set_field(scene *of, int id, const field *sees);
status pov_judge_query(const scene *of, judgment *judged, const void *choice);
status pov_look(scene *of, visibilities *seen, int viewer, int target, const void *seeing);
int pov_relation_find(const char *name);
double pov_kappa_from_std(double std_rad);

/* The car looks along -x: from it the ball lies 0.5 m along +x and 0.1 m along y, so 11.3 degrees off straight behind; a woman who looks
 * along +x sees the car before it. */
int main(void)
{
    const entity ball = {.placed = 1, .position_m = {0.4, 0.1, 0.1}, .size_m = {0.2, 0.2, 0.2}};
    const entity car = {.placed = 1,
                        .position_m = {-0.1, 0, 0.15},
                        .size_m = {0.8, 0.4, 0.3},
                        .has_front = 1,
                        .yaw_rad = 3.14159265358979,
                        .kappa = pov_kappa_from_std(0)};
    const entity woman = {
        .placed = 1, .position_m = {-1.5, 0.4, 0.8}, .size_m = {0.3, 0.5, 1.6}, .has_front = 1};
    const field sees = {.half_horizontal_rad = 1.5, .half_vertical_rad = 1, .far_m = INFINITY};
    scene *made = NULL;
    int16_t ids[3];
    status first = pov_scene_new(&made);
    if (first.code != 0 || pov_entity_add(made, &ids[0], "ball", "ball", &ball).code != 0 ||
        pov_entity_add(made, &ids[1], "car", "car", &car).code != 0 ||
        pov_entity_add(made, &ids[2], "woman", "person", &woman).code != 0 ||
        pov_entity_set_field(made, ids[2], &sees).code != 0)
        return 1;
    judgment j = {.relation = (int16_t)pov_relation_find("behind"),
                  .referent = ids[0],
                  .viewer = -1,
                  .relata = {ids[1]},
                  .relatum_len = 1,
                  .perspective = 2,
                  .convention = 3,
                  .axis = 1};
    visibility v;
    visibilities room = {&v, 1, 0};
    if (pov_judge_query(made, &j, NULL).code != 0 || pov_look(made, &room, ids[2], ids[0], NULL).code != 0)
        return 1;
    const status wrong = pov_entity_add(made, NULL, "ball", "ball", &ball);
    printf("behind: verdict %d, p %.3f, theta %.4f rad\n", j.verdict, j.p, fabs(j.theta_rad));
    printf("seen: %d, occluder %d\n", room.len, v.occluder[0]);
    printf("twice: code %d, %s\n", wrong.code, wrong.message[0] ? "a message" : "no message");
    pov_scene_destroy(&made);
    return made != NULL;
}
