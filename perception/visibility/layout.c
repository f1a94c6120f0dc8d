#include "perception/visibility/layout.h"

#include "perception/geometry/linalg.h"
#include "perception/relations/expectation/bearing.h"
#include "perception/relations/expectation/expectation.h"

#include <math.h>
#include <string.h>

enum { QUARTERS = POV_SIDE_COUNT / 2 };

POV_ENUM_NAMES(pov_side_name, pov_side, POV_SIDE_COUNT + 1, "front", "front-left", "left", "back-left",
               "back", "back-right", "right", "front-right", "undefined")

/* ---- errors --------------------------------------------------------------------------------------------------- */

/* d(position) / d(camera pose's error), as the viewer has it in its own turned frame: as far as the camera's error is in its
 * yaw, too, it turns what it sees about it, which takes off what the table frame adds. */
typedef struct {
    pov_vec2 v_m;
    double own_m2[2][2], per_camera_pose[2][6];
} ground_vector;

static ground_vector vector_to(const pov_scene *scene, pov_id viewer, pov_id target)
{
    const pov_position *from = &scene->entities[viewer].position, *to = &scene->entities[target].position;
    ground_vector g = {.v_m = {to->mean_m.x - from->mean_m.x, to->mean_m.y - from->mean_m.y}};
    for (int i = 0; i < 2; i++) {
        for (int j = 0; j < 2; j++)
            g.own_m2[i][j] = to->own_cov_m2[i][j];
        for (int k = 0; k < 6; k++)
            g.per_camera_pose[i][k] = to->per_camera_pose[i][k] - from->per_camera_pose[i][k];
    }
    const double *yaw_per_pose = scene->entities[viewer].heading_ties.per_camera_pose;
    for (int k = 0; k < 6; k++) {
        g.per_camera_pose[0][k] += g.v_m.y * yaw_per_pose[k];
        g.per_camera_pose[1][k] -= g.v_m.x * yaw_per_pose[k];
    }
    return g;
}

/* Covariance of two vectors from one viewer: its own error and the camera pose's are in both. */
static void covariance_of(double cov[2][2], const pov_scene *scene, pov_id viewer, const ground_vector *a,
                          const ground_vector *b)
{
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) {
            cov[i][j] = scene->entities[viewer].position.own_cov_m2[i][j] + (a == b ? a->own_m2[i][j] : 0);
            for (int k = 0; k < 6; k++)
                for (int l = 0; l < 6; l++)
                    cov[i][j] +=
                        a->per_camera_pose[i][k] * scene->camera_pose_cov[k][l] * b->per_camera_pose[j][l];
        }
}

/* ---- sides ---------------------------------------------------------------------------------------------------- */

/* Sides end at odd multiples of 22.5 degrees, quarters at odd ones of 45: one look at the distribution serves both. */
static void divide_circle(pov_side_judgment *judgment, const pov_bearing *bearing)
{
    enum { PARTS = 2 * POV_SIDE_COUNT };
    double edges_rad[PARTS], p[PARTS];
    for (int i = 0; i < PARTS; i++)
        edges_rad[i] = (i - 2) * POV_PI / POV_SIDE_COUNT;
    pov_bearing_sectors(p, bearing, edges_rad, PARTS);
    for (int i = 0; i < POV_SIDE_COUNT; i++)
        judgment->p[i] = p[2 * i + 1] + p[2 * i + 2 < PARTS ? 2 * i + 2 : 0];
    for (int i = 0; i < QUARTERS; i++)
        judgment->p_quarter[i] = p[4 * i] + p[4 * i + 1] + p[4 * i + 2] + p[4 * i + 3];
}

static int largest(const double *p, int count)
{
    int best = 0;
    for (int i = 1; i < count; i++)
        if (p[i] > p[best])
            best = i;
    return best;
}

static void set_undefined(pov_side_judgment *judgment)
{
    judgment->bearing_rad = NAN;
    for (int i = 0; i < POV_SIDE_COUNT; i++)
        judgment->p[i] = judgment->p_quarter[i / 2] = NAN;
    judgment->side = judgment->quarter = POV_SIDE_UNDEFINED;
    judgment->verdict = POV_VERDICT_UNDEFINED;
}

static bool has_heading(const pov_scene *scene, pov_id viewer)
{
    return scene->entities[viewer].placed && scene->entities[viewer].heading.len > 0;
}

pov_code pov_layout_side(pov_side_judgment *judgment, const pov_scene *scene, pov_id viewer, pov_id target,
                         double abstain_margin)
{
    POV_REQUIRE(viewer >= 0 && viewer < scene->len && target >= 0 && target < scene->len);
    set_undefined(judgment);
    pov_bearing bearing;
    if (viewer == target || pov_bearing_about_front(&bearing, scene, viewer, target) != POV_OK)
        return POV_UNDEFINED;
    divide_circle(judgment, &bearing);
    judgment->bearing_rad = pov_bearing_mean_rad(&bearing);
    judgment->side = (pov_side)largest(judgment->p, POV_SIDE_COUNT);
    judgment->quarter = (pov_side)(2 * largest(judgment->p_quarter, QUARTERS));
    judgment->verdict = judgment->p[judgment->side] - 0.5 > abstain_margin ? POV_TRUE : POV_ABSTAIN;
    return POV_OK;
}

/* ---- orders --------------------------------------------------------------------------------------------------- */

static void set_block(double cov[4][4], int row, int column, double block[2][2])
{
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            cov[row + i][column + j] = block[i][j];
}

static pov_sight sight_of_pair(const pov_scene *scene, pov_id viewer, pov_id a, pov_id b)
{
    const ground_vector to_a = vector_to(scene, viewer, a), to_b = vector_to(scene, viewer, b);
    pov_sight sight = {.axis_m = to_a.v_m, .v_m = to_b.v_m};
    double block[2][2];
    covariance_of(block, scene, viewer, &to_a, &to_a);
    set_block(sight.cov_m2, 0, 0, block);
    covariance_of(block, scene, viewer, &to_b, &to_b);
    set_block(sight.cov_m2, 2, 2, block);
    covariance_of(block, scene, viewer, &to_a, &to_b);
    set_block(sight.cov_m2, 0, 2, block);
    covariance_of(block, scene, viewer, &to_b, &to_a);
    set_block(sight.cov_m2, 2, 0, block);
    return sight;
}

/* (a - b, a + b) instead of (a, b). */
static pov_sight differences(const pov_sight *pair)
{
    static const double J[4][4] = {{1, 0, -1, 0}, {0, 1, 0, -1}, {1, 0, 1, 0}, {0, 1, 0, 1}};
    pov_sight sight = {.axis_m = {pair->axis_m.x - pair->v_m.x, pair->axis_m.y - pair->v_m.y},
                       .v_m = {pair->axis_m.x + pair->v_m.x, pair->axis_m.y + pair->v_m.y}};
    pov_sandwich(&sight.cov_m2[0][0], &J[0][0], &pair->cov_m2[0][0], 4, 4);
    return sight;
}

/* The second is counter-clockwise of the first: sin(angle) > 0. They change places where they pass each other, through
 * cos(angle) > 0, of the two probabilities the smaller; not behind the viewer's back. */
static double p_left_swapped(const pov_scene *scene, pov_id viewer, const pov_place *first,
                             const pov_place *second)
{
    if (first->bearing_rad - second->bearing_rad > POV_PI)
        return 0;
    const pov_sight sight = sight_of_pair(scene, viewer, first->id, second->id);
    pov_expected expected;
    pov_expect_hemisphere(&expected, &sight, NULL);
    return fmin(expected.mean[POV_TO_LEFT], expected.mean[POV_AHEAD]);
}

static double p_near_swapped(const pov_scene *scene, pov_id viewer, const pov_place *first,
                             const pov_place *second)
{
    const pov_sight pair = sight_of_pair(scene, viewer, first->id, second->id), sight = differences(&pair);
    pov_expected expected;
    pov_expect_hemisphere(&expected, &sight, NULL);
    return expected.mean[POV_AHEAD];
}

typedef struct {
    const pov_scene *scene;
    bool by_distance;
} comparison;

static bool belongs_before(const comparison *by, const pov_place *a, const pov_place *b)
{
    const double difference =
        by->by_distance ? a->distance_m - b->distance_m : b->bearing_rad - a->bearing_rad;
    if (difference != 0)
        return difference < 0;
    return strcmp(by->scene->entities[a->id].name, by->scene->entities[b->id].name) < 0;
}

static void insert_place(pov_order *order, const pov_place *place, const comparison *by)
{
    int at = order->len++;
    for (; at > 0 && belongs_before(by, place, &order->places[at - 1]); at--)
        order->places[at] = order->places[at - 1];
    order->places[at] = *place;
}

static bool is_shown(const pov_scene *scene, pov_id viewer, pov_id id, const pov_layout *layout)
{
    return id != viewer && scene->entities[id].placed &&
           (layout->shown ? layout->shown[id] : id != scene->camera);
}

static pov_place place_of(const pov_scene *scene, pov_id viewer, pov_id id)
{
    const ground_vector v = vector_to(scene, viewer, id);
    const pov_bearing bearing = {.v_m = v.v_m, .heading = pov_heading_apart_from_camera(scene, viewer)};
    return (pov_place){
        .id = id, .bearing_rad = pov_bearing_mean_rad(&bearing), .distance_m = hypot(v.v_m.x, v.v_m.y)};
}

static pov_code order_all(pov_order *order, pov_id viewer, const pov_layout *layout, const comparison *by)
{
    const pov_scene *scene = by->scene;
    POV_REQUIRE(viewer >= 0 && viewer < scene->len);
    order->len = 0;
    if (!has_heading(scene, viewer))
        return POV_UNDEFINED;
    for (pov_id id = 0; id < scene->len; id++) {
        if (!is_shown(scene, viewer, id, layout))
            continue;
        const pov_place place = place_of(scene, viewer, id);
        if (fabs(place.bearing_rad) <= layout->half_angle_rad)
            insert_place(order, &place, by);
    }
    for (int i = 0; i + 1 < order->len; i++) {
        pov_place *place = &order->places[i];
        place->p_swapped =
            (by->by_distance ? p_near_swapped : p_left_swapped)(scene, viewer, place, &place[1]);
        place->is_uncertain = place->p_swapped >= 0.5 - layout->abstain_margin;
    }
    return POV_OK;
}

pov_code pov_layout_left_to_right(pov_order *order, const pov_scene *scene, pov_id viewer,
                                  const pov_layout *layout)
{
    const comparison by = {scene, false};
    return order_all(order, viewer, layout, &by);
}

pov_code pov_layout_near_to_far(pov_order *order, const pov_scene *scene, pov_id viewer,
                                const pov_layout *layout)
{
    const comparison by = {scene, true};
    return order_all(order, viewer, layout, &by);
}
