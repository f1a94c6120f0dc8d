#include "firmware/enrol/hand_turn.h"

#include "perception/geometry/geom.h"

#include <math.h>
#include <stddef.h>

enum { POINTS_MAX = 4 * POV_RING_VIEW_MAX };

static const double apart_share = 0.5, gap_share = 2; /* of the step of an even turn */

pov_hand_turn pov_hand_turn_for(int stops)
{
    const double step_rad = 2 * POV_PI / stops;
    return (pov_hand_turn){.apart_rad = apart_share * step_rad, .gap_most_rad = gap_share * step_rad};
}

/* ---- angles ---- */

typedef struct {
    int len;
    pov_vec2 from[POINTS_MAX], to[POINTS_MAX];
} shared_points;

/* The point where the pixel's ray meets the plane z = 0 of the table frame. */
static pov_vec2 on_table(const pov_camera *camera, const pov_transform *T_table_camera, pov_vec2 pixel)
{
    pov_vec3 ray;
    if (pov_camera_unproject(camera, &ray, NULL, pixel) != POV_OK)
        return (pov_vec2){NAN, NAN};
    const pov_vec3 along = pov_rot_apply(T_table_camera->R, ray), eye_m = T_table_camera->t_m;
    const double far = -eye_m.z / along.z;
    return (pov_vec2){eye_m.x + far * along.x, eye_m.y + far * along.y};
}

static void add_corners(shared_points *shared, const pov_camera *camera, const pov_ring_view *views[2],
                        const int tag[2])
{
    for (int corner = 0; corner < 4 && shared->len < POINTS_MAX; corner++) {
        pov_vec2 at_m[2];
        for (int i = 0; i < 2; i++)
            at_m[i] = on_table(camera, &views[i]->T_table_camera, views[i]->tags[tag[i]].corner_px[corner]);
        if (!isfinite(at_m[0].x + at_m[0].y + at_m[1].x + at_m[1].y))
            continue;
        shared->from[shared->len] = at_m[0];
        shared->to[shared->len++] = at_m[1];
    }
}

static void find_shared(shared_points *shared, const pov_camera *camera, const pov_ring_view *from,
                        const pov_ring_view *to)
{
    const pov_ring_view *views[2] = {from, to};
    shared->len = 0;
    for (int i = 0; i < from->len; i++)
        for (int k = 0; k < to->len; k++)
            if (from->tags[i].id == to->tags[k].id)
                add_corners(shared, camera, views, (const int[2]){i, k});
}

static pov_vec2 mean_of(const pov_vec2 *points, int len)
{
    pov_vec2 sum = {0, 0};
    for (int i = 0; i < len; i++)
        sum = (pov_vec2){sum.x + points[i].x / len, sum.y + points[i].y / len};
    return sum;
}

/* The rotation between two sets of points (Procrustes), whatever moves them besides. */
static double ring_turned(const pov_camera *camera, const pov_ring_view *from, const pov_ring_view *to)
{
    shared_points shared;
    double across = 0, along = 0;
    find_shared(&shared, camera, from, to);
    const pov_vec2 a = mean_of(shared.from, shared.len), b = mean_of(shared.to, shared.len);
    for (int i = 0; i < shared.len; i++) {
        const double x = shared.from[i].x - a.x, y = shared.from[i].y - a.y, u = shared.to[i].x - b.x,
                     v = shared.to[i].y - b.y;
        across += x * v - y * u;
        along += x * u + y * v;
    }
    return shared.len > 0 ? atan2(across, along) : NAN;
}

static int shared_tags(const pov_ring_view *a, const pov_ring_view *b)
{
    int len = 0;
    for (int i = 0; i < a->len; i++)
        for (int k = 0; k < b->len; k++)
            len += a->tags[i].id == b->tags[k].id;
    return len;
}

double pov_hand_turn_angle(const pov_hand_turn *turn, const pov_camera *camera, const pov_ring_view *kept,
                           const pov_ring_view *view)
{
    int best = -1, most = 0;
    for (int i = 0; i < turn->len; i++) {
        const int len = shared_tags(&kept[i], view);
        if (len > most) {
            most = len;
            best = i;
        }
    }
    if (turn->len == 0)
        return view->len > 0 ? 0 : NAN;
    return best < 0 ? NAN : turn->angle_rad[best] + ring_turned(camera, &kept[best], view);
}

/* ---- the circle ---- */

static double turned_on(double from_rad, double to_rad)
{
    const double by = fmod(to_rad - from_rad, 2 * POV_PI);
    return by < 0 ? by + 2 * POV_PI : by;
}

bool pov_hand_turn_wants(const pov_hand_turn *turn, double angle_rad)
{
    for (int i = 0; i < turn->len; i++)
        if (fabs(remainder(turn->angle_rad[i] - angle_rad, 2 * POV_PI)) < turn->apart_rad)
            return false;
    return isfinite(angle_rad) && turn->len < POV_ENROL_SHOT_MAX;
}

void pov_hand_turn_keep(pov_hand_turn *turn, double angle_rad)
{
    turn->angle_rad[turn->len++] = angle_rad;
}

/* From the i-th kept angle to the next one on the circle. */
static double gap_after(const pov_hand_turn *turn, int i)
{
    double gap = 2 * POV_PI;
    for (int k = 0; k < turn->len; k++)
        if (k != i)
            gap = fmin(gap, turned_on(turn->angle_rad[i], turn->angle_rad[k]));
    return gap;
}

pov_hand_gap pov_hand_turn_gap(const pov_hand_turn *turn)
{
    pov_hand_gap widest = {0, turn->len == 0 ? 2 * POV_PI : 0};
    for (int i = 0; i < turn->len; i++) {
        const double gap = gap_after(turn, i);
        if (gap > widest.wide_rad)
            widest = (pov_hand_gap){turned_on(0, turn->angle_rad[i]), gap};
    }
    return widest;
}

bool pov_hand_turn_is_round(const pov_hand_turn *turn)
{
    return pov_hand_turn_gap(turn).wide_rad <= turn->gap_most_rad;
}

double pov_hand_turn_seen(const pov_hand_turn *turn)
{
    double seen = 0;
    for (int i = 0; i < turn->len; i++)
        seen += fmin(gap_after(turn, i), turn->gap_most_rad);
    return seen;
}
