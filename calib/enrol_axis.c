#include "calib/enrol_axis.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TRACKS = POV_ENROL_TRACK_MAX, PLACES = 6 };

static const double moves_least_m = 0.02, rms_most_m = 0.01;

void pov_ring_view_set(pov_ring_view *view, const pov_tags *tags, const pov_tag_map *map,
                       const pov_transform *T_table_camera)
{
    view->len = 0;
    view->T_table_camera = *T_table_camera;
    for (int i = 0; i < tags->len && view->len < POV_ENROL_TRACK_MAX; i++) {
        const pov_tag *tag = &tags->tags[i];
        if (pov_tag_map_find(map, tag->family, tag->id))
            continue;
        /* diagonals meet at the middle's image, which the corners' mean is not */
        const pov_vec2 a = tag->corner_px[0], b = tag->corner_px[1], c = tag->corner_px[2],
                       d = tag->corner_px[3];
        const double cross = (c.x - a.x) * (d.y - b.y) - (c.y - a.y) * (d.x - b.x);
        const double along = ((b.x - a.x) * (d.y - b.y) - (b.y - a.y) * (d.x - b.x)) / cross;
        view->tags[view->len].id = tag->id * POV_TAG_FAMILY_COUNT + (int)tag->family;
        memcpy(view->tags[view->len].corner_px, tag->corner_px, sizeof tag->corner_px);
        view->tags[view->len++].middle_px = (pov_vec2){a.x + along * (c.x - a.x), a.y + along * (c.y - a.y)};
    }
}

/* Rays to the tags, in the table frame. */
typedef struct {
    int id, shot;
    pov_vec3 eye_m, along;
    double x_m, y_m; /* where it meets the plane tried */
} sight;

typedef struct {
    int sight_len, shot_len, track_len;
    sight sights[POV_ENROL_SHOT_MAX * TRACKS / 2];
    int ids[TRACKS];
} gathered;

static int track_of(gathered *g, int id)
{
    for (int i = 0; i < g->track_len; i++)
        if (g->ids[i] == id)
            return i;
    if (g->track_len == TRACKS)
        return -1;
    g->ids[g->track_len] = id;
    return g->track_len++;
}

static void gather(gathered *g, const pov_camera *camera, const pov_ring_view *views, int len)
{
    g->sight_len = g->track_len = 0;
    g->shot_len = len;
    for (int i = 0; i < len; i++)
        for (int k = 0; k < views[i].len && g->sight_len < (int)(sizeof g->sights / sizeof *g->sights); k++) {
            pov_vec3 ray;
            const int track = track_of(g, views[i].tags[k].id);
            if (track < 0 || pov_camera_unproject(camera, &ray, NULL, views[i].tags[k].middle_px) != POV_OK)
                continue;
            g->sights[g->sight_len++] = (sight){
                track, i, views[i].T_table_camera.t_m, pov_rot_apply(views[i].T_table_camera.R, ray), 0, 0};
        }
}

static void meet_plane(gathered *g, double height_m)
{
    for (int i = 0; i < g->sight_len; i++) {
        sight *s = &g->sights[i];
        const double far = (height_m - s->eye_m.z) / s->along.z;
        s->x_m = s->eye_m.x + far * s->along.x;
        s->y_m = s->eye_m.y + far * s->along.y;
    }
}

typedef struct {
    int n;
    double x, y, square, least_x, most_x, least_y, most_y;
} track_mean;

static void find_means(track_mean means[TRACKS], const gathered *g)
{
    memset(means, 0, TRACKS * sizeof *means);
    for (int i = 0; i < g->sight_len; i++) {
        const sight *s = &g->sights[i];
        track_mean *m = &means[s->id];
        const bool first = m->n++ == 0;
        m->x += s->x_m;
        m->y += s->y_m;
        m->square += s->x_m * s->x_m + s->y_m * s->y_m;
        m->least_x = first ? s->x_m : fmin(m->least_x, s->x_m);
        m->most_x = first ? s->x_m : fmax(m->most_x, s->x_m);
        m->least_y = first ? s->y_m : fmin(m->least_y, s->y_m);
        m->most_y = first ? s->y_m : fmax(m->most_y, s->y_m);
    }
    for (int i = 0; i < TRACKS; i++) {
        const double n = means[i].n > 0 ? means[i].n : 1;
        means[i].x /= n;
        means[i].y /= n;
        means[i].square /= n;
    }
}

static bool moves(const track_mean *m)
{
    return m->n >= PLACES && fmax(m->most_x - m->least_x, m->most_y - m->least_y) >= moves_least_m;
}

/* Circles of one middle, each tag's of its own radius: x^2 + y^2 = 2 (a x + b y) + c is linear. Returns the rms of squares of
 * distance, by the radius: metres; INFINITY if there is none. */
static double fit_circles(pov_vec3 *axis_m, const gathered *g, double height_m)
{
    track_mean means[TRACKS];
    double xx = 0, xy = 0, yy = 0, xr = 0, yr = 0, squares = 0, scale = 0;
    int n = 0;
    find_means(means, g);
    for (int i = 0; i < g->sight_len; i++) {
        const sight *s = &g->sights[i];
        const track_mean *m = &means[s->id];
        const double x = s->x_m - m->x, y = s->y_m - m->y,
                     r = 0.5 * (s->x_m * s->x_m + s->y_m * s->y_m - m->square);
        if (!moves(m))
            continue;
        xx += x * x;
        xy += x * y;
        yy += y * y;
        xr += x * r;
        yr += y * r;
        n++;
    }
    const double det = xx * yy - xy * xy;
    if (n < 2 * PLACES || !(det > 1e-12 * xx * yy))
        return INFINITY;
    *axis_m = (pov_vec3){(yy * xr - xy * yr) / det, (xx * yr - xy * xr) / det, height_m};
    for (int i = 0; i < g->sight_len; i++) {
        const sight *s = &g->sights[i];
        const track_mean *m = &means[s->id];
        if (!moves(m))
            continue;
        const double r = 0.5 * (s->x_m * s->x_m + s->y_m * s->y_m - m->square) - axis_m->x * (s->x_m - m->x) -
                         axis_m->y * (s->y_m - m->y);
        squares += r * r;
        scale += hypot(s->x_m - axis_m->x, s->y_m - axis_m->y);
    }
    return sqrt(squares / n) / (scale / n);
}

static bool meet(pov_vec3 *on_m, const pov_camera *camera, const pov_transform *T_table_camera,
                 pov_vec2 pixel)
{
    pov_vec3 ray;
    if (pov_camera_unproject(camera, &ray, NULL, pixel) != POV_OK)
        return false;
    const pov_vec3 along = pov_rot_apply(T_table_camera->R, ray), eye_m = T_table_camera->t_m;
    *on_m = pov_vec3_sub(eye_m, pov_vec3_scale(along, eye_m.z / along.z));
    return along.z < 0;
}

double pov_ring_height(const pov_camera *camera, const pov_ring_view *views, int len, double edge_m)
{
    double sum = 0;
    int n = 0;
    for (int i = 0; i < len; i++)
        for (int k = 0; k < views[i].len; k++) {
            pov_vec3 corner_m[4];
            double perimeter_m = 0;
            bool seen = true;
            for (int j = 0; j < 4; j++)
                seen = seen &&
                       meet(&corner_m[j], camera, &views[i].T_table_camera, views[i].tags[k].corner_px[j]);
            for (int j = 0; j < 4 && seen; j++)
                perimeter_m += pov_vec3_norm(pov_vec3_sub(corner_m[(j + 1) % 4], corner_m[j]));
            if (!seen)
                continue;
            sum += views[i].T_table_camera.t_m.z * (1 - 4 * edge_m / perimeter_m);
            n++;
        }
    return n > 0 ? sum / n : NAN;
}

/* Each image's angle, and each tag's direction at angle 0, in turn. False: an image shows no tag that turns. */
static bool find_angles(pov_enrol_axis *axis, const gathered *g)
{
    track_mean means[TRACKS];
    double direction[TRACKS] = {0};
    bool known_track[TRACKS] = {false}, known_shot[POV_ENROL_SHOT_MAX] = {true};
    find_means(means, g);
    axis->angle_rad[0] = 0;
    for (int round = 0; round < 2 * g->shot_len; round++) {
        double s[TRACKS] = {0}, c[TRACKS] = {0}, sum_s[POV_ENROL_SHOT_MAX] = {0},
               sum_c[POV_ENROL_SHOT_MAX] = {0};
        bool all = true;
        for (int i = 0; i < g->sight_len; i++) {
            const sight *at = &g->sights[i];
            if (!moves(&means[at->id]) || !known_shot[at->shot])
                continue;
            const double angle =
                atan2(at->y_m - axis->axis_m.y, at->x_m - axis->axis_m.x) - axis->angle_rad[at->shot];
            s[at->id] += sin(angle);
            c[at->id] += cos(angle);
            known_track[at->id] = true;
        }
        for (int i = 0; i < g->track_len; i++)
            direction[i] = atan2(s[i], c[i]);
        for (int i = 0; i < g->sight_len; i++) {
            const sight *at = &g->sights[i];
            if (!moves(&means[at->id]) || !known_track[at->id])
                continue;
            const double angle =
                atan2(at->y_m - axis->axis_m.y, at->x_m - axis->axis_m.x) - direction[at->id];
            sum_s[at->shot] += sin(angle);
            sum_c[at->shot] += cos(angle);
            known_shot[at->shot] = true;
        }
        const double first = atan2(sum_s[0], sum_c[0]);
        for (int i = 0; i < g->shot_len; i++) {
            axis->angle_rad[i] = known_shot[i] ? remainder(atan2(sum_s[i], sum_c[i]) - first, 2 * POV_PI) : 0;
            all = all && known_shot[i];
        }
        if (all && round >= 3)
            return true;
    }
    return false;
}

static pov_status find(pov_enrol_axis *axis, gathered *g, double height_m)
{
    track_mean means[TRACKS];
    meet_plane(g, height_m);
    axis->rms_m = fit_circles(&axis->axis_m, g, height_m);
    if (!(axis->rms_m <= rms_most_m))
        return pov_status_with(POV_UNDEFINED, "no tags are seen to go round with the table");
    if (!find_angles(axis, g))
        return pov_status_with(POV_UNDEFINED, "an image shows no tag that turns with the table");
    find_means(means, g);
    axis->reach_m = 0;
    for (int i = 0; i < g->sight_len; i++)
        if (moves(&means[g->sights[i].id]))
            axis->reach_m = fmax(axis->reach_m,
                                 hypot(g->sights[i].x_m - axis->axis_m.x, g->sights[i].y_m - axis->axis_m.y));
    return pov_ok();
}

pov_status pov_enrol_axis_find(pov_enrol_axis *axis, const pov_camera *camera, const pov_ring_view *views,
                               int len, double height_m)
{
    static const pov_enrol_axis none = {{0}, 0, 0, {0}};
    *axis = none;
    POV_REQUIRE(len <= POV_ENROL_SHOT_MAX);
    gathered *g = malloc(sizeof *g);
    if (!g)
        return pov_error("out of memory");
    gather(g, camera, views, len);
    const pov_status status = find(axis, g, height_m);
    free(g);
    return status;
}
