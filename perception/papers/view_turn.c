#include "perception/papers/view_turn.h"

#include <math.h>

/* Chosen: what surveys of a table err by is well below; a thing that was moved by hand is well above. */
static const double REST_MAX = 0.05;

typedef struct {
    int len;
    double at[2][POV_ENTITY_MAX]
             [2]; /* [view][thing] ahead and to the left of the camera's heading, from the mean */
} both_views;

static bool is_shared(const pov_scene *scene, pov_id id)
{
    return id != POV_ID_NONE && id != scene->camera && scene->entities[id].placed &&
           !scene->entities[id].is_imagined;
}

static void put_place(double at[2], const pov_scene *scene, pov_id id)
{
    const pov_entity *camera = &scene->entities[scene->camera];
    const pov_vec3 v = pov_vec3_sub(scene->entities[id].position.mean_m, camera->position.mean_m);
    const double yaw_rad = pov_heading_heaviest(&camera->heading)->yaw_rad;
    at[0] = v.x * cos(yaw_rad) + v.y * sin(yaw_rad);
    at[1] = v.y * cos(yaw_rad) - v.x * sin(yaw_rad);
}

static void centre(both_views *both, int view)
{
    for (int axis = 0; axis < 2; axis++) {
        double sum = 0;
        for (int i = 0; i < both->len; i++)
            sum += both->at[view][i][axis];
        for (int i = 0; i < both->len; i++)
            both->at[view][i][axis] -= sum / both->len;
    }
}

static bool has_heading(const pov_scene *scene)
{
    return scene->camera != POV_ID_NONE && scene->entities[scene->camera].heading.len > 0;
}

pov_code pov_view_turn(double *turn_rad, const pov_scene *first, const pov_scene *second)
{
    both_views both;
    double dot = 0, cross = 0, spread = 0, rest = 0;
    *turn_rad = NAN;
    both.len = 0;
    if (!has_heading(first) || !has_heading(second))
        return POV_UNDEFINED;
    for (pov_id id = 0; id < first->len; id++) {
        const pov_id same = pov_scene_find(second, first->entities[id].name);
        if (!is_shared(first, id) || !is_shared(second, same))
            continue;
        put_place(both.at[0][both.len], first, id);
        put_place(both.at[1][both.len++], second, same);
    }
    if (both.len < 2)
        return POV_UNDEFINED;
    centre(&both, 0);
    centre(&both, 1);
    for (int i = 0; i < both.len; i++) {
        const double *a = both.at[0][i], *b = both.at[1][i];
        dot += a[0] * b[0] + a[1] * b[1];
        cross += a[0] * b[1] - a[1] * b[0];
        spread += a[0] * a[0] + a[1] * a[1];
    }
    const double angle_rad = atan2(cross, dot); /* of the things before the camera */
    for (int i = 0; i < both.len; i++) {
        const double *a = both.at[0][i], *b = both.at[1][i];
        const double x = a[0] * cos(angle_rad) - a[1] * sin(angle_rad) - b[0],
                     y = a[0] * sin(angle_rad) + a[1] * cos(angle_rad) - b[1];
        rest += x * x + y * y;
    }
    if (!(spread > 0) || rest > REST_MAX * REST_MAX * spread)
        return POV_UNDEFINED;
    *turn_rad = angle_rad == 0 ? 0 : -angle_rad; /* the camera goes the other way round */
    return POV_OK;
}
