#include "perception/relations/situation_posterior.h"

#include "perception/geometry/linalg.h"
#include "perception/relations/predicates/affordance.h"
#include "perception/relations/predicates/predicate_grade.h"

#include <math.h>
#include <string.h>

static const pov_entity *entity_of(const pov_situation_posterior *posterior, pov_id id)
{
    return &posterior->scene->entities[id];
}

static bool is_usable(const pov_entity *entity)
{
    pov_vec3 p = entity->position.mean_m, s = entity->size_m;
    return entity->placed && isfinite(p.x + p.y + p.z) && isfinite(s.x + s.y + s.z) && s.x >= 0 && s.y >= 0 &&
           s.z >= 0;
}

static bool needs_viewer(const pov_query *query)
{
    return query->relation->frame == POV_FRAME_VIEWER ||
           (query->relation->frame == POV_FRAME_AXES && query->perspective != POV_INTRINSIC);
}

static bool is_well_formed(const pov_scene *scene, const pov_query *query)
{
    bool relative = query->perspective == POV_EGOCENTRIC || query->perspective == POV_ADDRESSEE;
    if (query->relatum_len < query->relation->relata_min)
        return false;
    switch (query->relation->frame) {
    case POV_FRAME_NORTH:
        return query->perspective == POV_ABSOLUTE && scene->has_north;
    case POV_FRAME_VIEWER:
        return relative && query->viewer != POV_ID_NONE;
    case POV_FRAME_AXES:
        return relative ? query->viewer != POV_ID_NONE && query->convention < POV_CONVENTION_COUNT
                        : query->perspective == POV_INTRINSIC &&
                              scene->entities[query->relatum[0]].heading.len > 0;
    default:
        return true;
    }
}

/* A coordinate of the covariance: a position's, against the relatum's, or a tied heading's yaw. */
typedef struct {
    pov_id whose;
    int axis; /* of the position; -1: a yaw */
} coordinate;

static coordinate coordinate_at(const pov_situation_posterior *posterior, int i)
{
    if (i < 3 * posterior->others)
        return (coordinate){posterior->other[i / 3], i % 3};
    int at = 0;
    while (posterior->tied_at[at] != i)
        at++;
    return (coordinate){posterior->heading_id[at], -1};
}

/* The factor by which camera pose error k moves the coordinate. */
static double shared(const pov_situation_posterior *posterior, coordinate c, int k)
{
    const pov_entity *e = entity_of(posterior, c.whose),
                     *relatum = entity_of(posterior, posterior->query->relatum[0]);
    if (c.axis < 0)
        return e->heading_ties.per_camera_pose[k];
    return e->position.per_camera_pose[c.axis][k] - relatum->position.per_camera_pose[c.axis][k];
}

/* What the camera has no part in. */
static double own_cov(const pov_situation_posterior *posterior, coordinate a, coordinate b)
{
    const pov_id relatum = posterior->query->relatum[0];
    if (a.axis < 0 && b.axis < 0)
        return a.whose == b.whose ? pov_heading_own_variance(posterior->scene, a.whose) : 0;
    if (a.axis < 0 || b.axis < 0) {
        const coordinate yaw = a.axis < 0 ? a : b, place = a.axis < 0 ? b : a;
        const double with_m = entity_of(posterior, yaw.whose)->heading_ties.with_position_m[place.axis];
        return with_m * ((place.whose == yaw.whose) - (relatum == yaw.whose));
    }
    double sum = entity_of(posterior, relatum)->position.own_cov_m2[a.axis][b.axis];
    if (a.whose == b.whose)
        sum += entity_of(posterior, a.whose)->position.own_cov_m2[a.axis][b.axis];
    return sum;
}

static double covariance_at(const pov_situation_posterior *posterior, int i, int j)
{
    const coordinate a = coordinate_at(posterior, i), b = coordinate_at(posterior, j);
    double sum = own_cov(posterior, a, b);
    for (int k = 0; k < 6; k++)
        for (int l = 0; l < 6; l++)
            sum +=
                shared(posterior, a, k) * posterior->scene->camera_pose_cov[k][l] * shared(posterior, b, l);
    return sum;
}

static int coordinates_of(const pov_situation_posterior *posterior)
{
    int len = 3 * posterior->others;
    for (int i = 0; i < posterior->heading_len; i++)
        len += posterior->tied_at[i] > 0;
    return len;
}

/* Of each coordinate's kind, place or yaw: the measure of what is nothing. */
static void largest_variances(double variance[POV_SITUATION_COORDINATES_MAX],
                              double cov[POV_SITUATION_COORDINATES_MAX][POV_SITUATION_COORDINATES_MAX],
                              int places, int n)
{
    double largest[2] = {0, 0};
    for (int i = 0; i < n; i++)
        largest[i >= places] = fmax(largest[i >= places], cov[i][i]);
    for (int i = 0; i < n; i++)
        variance[i] = largest[i >= places];
}

/* Cholesky's factor of a matrix that may be singular: columns whose pivot has no weight are left out. */
static void factorise_covariance(pov_situation_posterior *posterior)
{
    double rest[POV_SITUATION_COORDINATES_MAX][POV_SITUATION_COORDINATES_MAX],
        variance[POV_SITUATION_COORDINATES_MAX];
    const int n = coordinates_of(posterior);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            rest[i][j] = covariance_at(posterior, i, j);
    largest_variances(variance, rest, 3 * posterior->others, n);
    posterior->factor_len = 0;
    for (int k = 0; k < n; k++) {
        double *column = posterior->factor_m[posterior->factor_len];
        if (!(rest[k][k] > 1e-12 * variance[k]))
            continue;
        for (int i = 0; i < n; i++)
            column[i] = i < k ? 0 : rest[i][k] / sqrt(rest[k][k]);
        for (int i = k; i < n; i++)
            for (int j = k; j < n; j++)
                rest[i][j] -= column[i] * column[j];
        posterior->factor_len++;
    }
}

static void add_other(pov_situation_posterior *posterior, pov_id id)
{
    pov_vec3 offset = pov_vec3_sub(entity_of(posterior, id)->position.mean_m,
                                   entity_of(posterior, posterior->query->relatum[0])->position.mean_m);
    double *mean_m = &posterior->mean_m[3 * posterior->others];
    mean_m[0] = offset.x;
    mean_m[1] = offset.y;
    mean_m[2] = offset.z;
    posterior->other_affords[posterior->others] = pov_affordances_of(entity_of(posterior, id)->class_name);
    posterior->other[posterior->others++] = id;
}

/* True if a narrow front errs with its position or with the camera's pose. */
static bool is_tied(const pov_entity *entity)
{
    const pov_heading_mode *mode = pov_heading_heaviest(&entity->heading);
    bool any = false;
    for (int k = 0; k < 6; k++)
        any |= entity->heading_ties.per_camera_pose[k] != 0;
    for (int k = 0; k < 3; k++)
        any |= entity->heading_ties.with_position_m[k] != 0;
    return any && mode->kappa >= POV_HEADING_TIED_KAPPA;
}

/* Of a tied heading the narrow modes are points, which move by the tied error. Of a body's fronts alone it is known what they err with. */
static void add_heading(pov_situation_posterior *posterior, pov_id id, pov_aim aim)
{
    const pov_entity *entity = entity_of(posterior, id);
    const pov_heading *meant = pov_entity_aim(entity, aim);
    pov_heading heading = *meant;
    if (heading.len == 0)
        return;
    const int tied_at = coordinates_of(posterior), at = posterior->heading_len++;
    const bool tied = meant == &entity->heading && is_tied(entity);
    for (int i = 0; i < heading.len && tied; i++)
        if (heading.mode[i].kappa >= POV_HEADING_TIED_KAPPA)
            heading.mode[i].kappa = pov_kappa_from_std(0);
    posterior->heading_id[at] = id;
    posterior->tied_at[at] = tied ? tied_at : 0;
    pov_heading_quantile_of(&posterior->heading[at], &heading);
}

/* The largest deviation in any direction of coordinates first .. first + len - 1. */
static double largest_deviation_m(const pov_situation_posterior *posterior, int first, int len)
{
    double cov_m2[9], values[3], vectors[9];
    for (int i = 0; i < len; i++)
        for (int j = 0; j < len; j++) {
            cov_m2[i * len + j] = 0;
            for (int k = 0; k < posterior->factor_len; k++)
                cov_m2[i * len + j] += posterior->factor_m[k][first + i] * posterior->factor_m[k][first + j];
        }
    pov_symmetric_eigen(values, vectors, cov_m2, len);
    double largest_m2 = 0;
    for (int i = 0; i < len; i++)
        largest_m2 = fmax(largest_m2, values[i]);
    return sqrt(largest_m2);
}

/* The viewer stands over the relatum: closer on the ground than the largest deviation. */
static bool stands_over(const pov_situation_posterior *posterior)
{
    int at = 3 * (posterior->others - 1);
    return hypot(posterior->mean_m[at], posterior->mean_m[at + 1]) <=
           fmax(1e-9, largest_deviation_m(posterior, at, 2));
}

/* Only relations to one thing are of motion. */
static void add_velocity(pov_situation_posterior *posterior, int member, pov_id id)
{
    const pov_entity *entity = entity_of(posterior, id);
    pov_velocity_posterior *velocity = &posterior->velocity[member];
    double values[3], vectors[9];
    velocity->factor_len = 0;
    if (posterior->query->relation->relata_min > 1 || !entity->has_velocity)
        return;
    pov_symmetric_eigen(values, vectors, &entity->velocity_cov_m2_s2[0][0], 3);
    for (int k = 0; k < 3; k++)
        if (values[k] > 1e-12 * fmax(values[0], fmax(values[1], values[2])))
            velocity->factor_m_s[velocity->factor_len++] =
                pov_vec3_scale((pov_vec3){vectors[k], vectors[3 + k], vectors[6 + k]}, sqrt(values[k]));
}

static int dimensions_of(const pov_situation_posterior *posterior)
{
    int dimensions =
        posterior->factor_len + posterior->velocity[0].factor_len + posterior->velocity[1].factor_len;
    for (int i = 0; i < posterior->heading_len; i++)
        dimensions += !pov_heading_quantile_is_exact(&posterior->heading[i]);
    return dimensions;
}

bool pov_situation_posterior_of(pov_situation_posterior *posterior, const pov_scene *scene,
                                const pov_query *query)
{
    posterior->scene = scene;
    posterior->query = query;
    posterior->others = posterior->heading_len = 0;
    posterior->axis_by_heading = false;
    if (!is_well_formed(scene, query) || !is_usable(&scene->entities[query->relatum[0]]))
        return false;
    posterior->affords = pov_affordances_of(scene->entities[query->relatum[0]].class_name);
    add_other(posterior, query->referent);
    /* Only "among" takes more relata than it needs. */
    int relata = query->relation->relata_min < 3 ? query->relation->relata_min : query->relatum_len;
    for (int i = 1; i < relata; i++)
        add_other(posterior, query->relatum[i]);
    if (needs_viewer(query))
        add_other(posterior, query->viewer);
    for (int i = 0; i < posterior->others; i++)
        if (!is_usable(entity_of(posterior, posterior->other[i])))
            return false;
    add_velocity(posterior, 0, query->referent);
    add_velocity(posterior, 1, query->relatum[0]);
    add_heading(posterior, query->referent, query->relation->aim);
    for (int i = 0; i < relata; i++)
        add_heading(posterior, query->relatum[i], POV_AIM_FRONT);
    factorise_covariance(posterior);
    if (query->relation->frame == POV_FRAME_AXES && needs_viewer(query) &&
        (query->axis == POV_HEADING || stands_over(posterior))) {
        posterior->axis_by_heading = true;
        if (entity_of(posterior, query->viewer)->heading.len == 0)
            return false;
        add_heading(posterior, query->viewer, POV_AIM_FRONT);
        factorise_covariance(posterior);
    }
    posterior->dimensions = dimensions_of(posterior);
    return true;
}

/* The drawn yaw of an entity's front; false if it has none. */
static bool yaw_of(const pov_situation_posterior *posterior, double *yaw_rad,
                   const double yaws_rad[POV_SITUATION_HEADINGS_MAX], pov_id id)
{
    for (int i = 0; i < posterior->heading_len; i++)
        if (posterior->heading_id[i] == id) {
            *yaw_rad = yaws_rad[i];
            return true;
        }
    return false;
}

static pov_rot turned_to(pov_rot R_table_box, double front_yaw_rad)
{
    return pov_box_turned(R_table_box, front_yaw_rad - atan2(R_table_box.m[1][0], R_table_box.m[0][0]));
}

static void draw_body(const pov_situation_posterior *posterior, pov_body *body,
                      const double yaws_rad[POV_SITUATION_HEADINGS_MAX], pov_id id, unsigned affords,
                      pov_vec3 centre_m)
{
    const pov_entity *entity = entity_of(posterior, id);
    body->box.centre_m = centre_m;
    body->box.half_m = pov_vec3_scale(entity->size_m, 0.5);
    body->box.R_table_box = entity->R_table_box;
    body->has_front = yaw_of(posterior, &body->front_yaw_rad, yaws_rad, id);
    if (body->has_front)
        body->box.R_table_box = turned_to(entity->R_table_box, body->front_yaw_rad);
    body->has_idle_hands = entity->arms_seen && entity->pointing.len == 0;
    body->has_velocity = entity->has_velocity;
    body->velocity_m_s = entity->velocity_m_s;
    body->affords = affords;
}

/* Front and left at the relatum, from an axis: north, the relatum's front, or a viewer's line of sight as the
 * convention lays it (Levinson 2003; COMFORT, section 2). */
static void set_axes(pov_situation *situation, pov_convention convention, pov_vec2 axis)
{
    double front = convention == POV_ROTATED || convention == POV_REFLECTED ? -1 : 1;
    double left = convention == POV_ROTATED ? -1 : 1;
    situation->has_axes = true;
    situation->front = (pov_vec2){front * axis.x, front * axis.y};
    situation->left = (pov_vec2){-left * axis.y, left * axis.x};
}

static pov_vec2 direction_of(double yaw_rad)
{
    return (pov_vec2){cos(yaw_rad), sin(yaw_rad)};
}

static void draw_frame(const pov_situation_posterior *posterior, pov_situation *situation,
                       const double yaws_rad[POV_SITUATION_HEADINGS_MAX])
{
    const pov_query *query = posterior->query;
    double yaw_rad = 0;
    if (query->relation->frame == POV_FRAME_NORTH)
        set_axes(situation, POV_NO_CONVENTION, direction_of(posterior->scene->north_yaw_rad));
    if (query->relation->frame != POV_FRAME_AXES)
        return;
    if (query->perspective == POV_INTRINSIC) {
        set_axes(situation, POV_NO_CONVENTION, direction_of(situation->relatum[0].front_yaw_rad));
    } else if (posterior->axis_by_heading) {
        (void)yaw_of(posterior, &yaw_rad, yaws_rad, query->viewer);
        set_axes(situation, query->convention, direction_of(yaw_rad));
    } else {
        pov_vec3 sight = pov_vec3_sub(situation->relatum[0].box.centre_m, situation->viewer_m);
        sight.z = 0;
        sight = pov_vec3_unit(sight);
        set_axes(situation, query->convention, (pov_vec2){sight.x, sight.y});
    }
}

/* A single narrow peak is drawn as a normal, whose quantile is at hand. */
static double drawn_yaw(const pov_heading_quantile *heading, double uniform, double normal)
{
    const pov_heading_mode *mode = &heading->mode[0];
    if (heading->len == 1 && mode->kappa >= POV_QUANTILE_NARROW_KAPPA)
        return mode->yaw_rad + normal / sqrt(mode->kappa - 0.5);
    return pov_heading_quantile_at(heading, uniform);
}

/* Returns how many of the point's coordinates it took. */
static int draw_yaws(const pov_situation_posterior *posterior, double yaws_rad[POV_SITUATION_HEADINGS_MAX],
                     const double *point, const double *normals)
{
    int taken = 0;
    for (int i = 0; i < posterior->heading_len; i++) {
        bool exact = pov_heading_quantile_is_exact(&posterior->heading[i]);
        yaws_rad[i] = exact ? posterior->heading[i].mode[0].yaw_rad
                            : drawn_yaw(&posterior->heading[i], point[taken], normals[taken]);
        taken += !exact;
    }
    return taken;
}

/* Returns how many normals it took. */
static int draw_velocity(const pov_velocity_posterior *velocity, pov_body *body, const double *normals)
{
    for (int k = 0; k < velocity->factor_len; k++)
        body->velocity_m_s =
            pov_vec3_add(body->velocity_m_s, pov_vec3_scale(velocity->factor_m_s[k], normals[k]));
    return velocity->factor_len;
}

static int relata_of(const pov_situation_posterior *posterior)
{
    return posterior->others - needs_viewer(posterior->query);
}

static void place_body(const pov_situation_posterior *posterior, pov_situation *situation,
                       const double *offset_m, const double yaws_rad[POV_SITUATION_HEADINGS_MAX])
{
    const pov_query *query = posterior->query;
    pov_vec3 relatum_m = entity_of(posterior, query->relatum[0])->position.mean_m;
    int relata = relata_of(posterior);
    draw_body(posterior, &situation->relatum[0], yaws_rad, query->relatum[0], posterior->affords, relatum_m);
    for (int i = 0; i < posterior->others; i++) {
        pov_vec3 at_m =
            pov_vec3_add(relatum_m, (pov_vec3){offset_m[3 * i], offset_m[3 * i + 1], offset_m[3 * i + 2]});
        if (i < relata)
            draw_body(posterior, i == 0 ? &situation->referent : &situation->relatum[i], yaws_rad,
                      posterior->other[i], posterior->other_affords[i], at_m);
        else
            situation->viewer_m = at_m;
    }
    situation->relatum_len = relata;
    situation->has_viewer = needs_viewer(query);
    situation->has_axes = false;
    situation->spread = (pov_spread){0};
    situation->measures = NULL;
    draw_frame(posterior, situation, yaws_rad);
}

void pov_situation_posterior_draw_at(const pov_situation_posterior *posterior, pov_situation *situation,
                                     const double *point, const double *normals)
{
    double offset_m[POV_SITUATION_COORDINATES_MAX] = {0}, yaws_rad[POV_SITUATION_HEADINGS_MAX];
    const int coordinates = coordinates_of(posterior);
    memcpy(offset_m, posterior->mean_m, (size_t)(3 * posterior->others) * sizeof *offset_m);
    for (int k = 0; k < posterior->factor_len; k++)
        for (int i = 0; i < coordinates; i++)
            offset_m[i] += normals[k] * posterior->factor_m[k][i];
    normals += posterior->factor_len;
    normals += draw_yaws(posterior, yaws_rad, point + posterior->factor_len, normals);
    for (int i = 0; i < posterior->heading_len; i++)
        yaws_rad[i] += posterior->tied_at[i] > 0 ? offset_m[posterior->tied_at[i]] : 0;
    place_body(posterior, situation, offset_m, yaws_rad);
    normals += draw_velocity(&posterior->velocity[0], &situation->referent, normals);
    (void)draw_velocity(&posterior->velocity[1], &situation->relatum[0], normals);
}

void pov_situation_posterior_draw(const pov_situation_posterior *posterior, pov_situation *situation,
                                  const double *point)
{
    double normals[POV_SITUATION_DIMENSIONS_MAX];
    for (int k = 0; k < posterior->dimensions; k++)
        normals[k] = pov_normal_quantile(point[k]);
    pov_situation_posterior_draw_at(posterior, situation, point, normals);
}

/* -------- bounds -------- */

static double spread_of(const pov_situation_posterior *posterior, int first, int len)
{
    return posterior->factor_len == 0 ? 0
                                      : POV_SPREAD_DEVIATIONS * largest_deviation_m(posterior, first, len);
}

static double velocity_spread_m_s(const pov_velocity_posterior *velocity)
{
    double largest_m_s = 0;
    for (int k = 0; k < velocity->factor_len; k++) /* the axes of its ellipsoid */
        largest_m_s = fmax(largest_m_s, pov_vec3_norm(velocity->factor_m_s[k]));
    return POV_SPREAD_DEVIATIONS * largest_m_s;
}

/* A body without a front does not turn. */
static double turn_rad(const pov_situation_posterior *posterior, pov_id id)
{
    for (int i = 0; i < posterior->heading_len; i++) {
        const pov_heading_quantile *heading = &posterior->heading[i];
        if (posterior->heading_id[i] != id)
            continue;
        const double tied_rad =
            posterior->tied_at[i] > 0 ? spread_of(posterior, posterior->tied_at[i], 1) : 0;
        if (pov_heading_quantile_is_exact(heading))
            return tied_rad;
        bool open = heading->len > 1 || !(heading->mode[0].kappa >= 2 * pow(POV_SPREAD_DEVIATIONS, 2));
        return open ? POV_PI : tied_rad + POV_SPREAD_DEVIATIONS / sqrt(heading->mode[0].kappa - 0.5);
    }
    return 0;
}

static double axes_spread_rad(const pov_situation_posterior *posterior, const pov_situation *situation)
{
    const pov_query *query = posterior->query;
    if (query->relation->frame != POV_FRAME_AXES)
        return 0;
    if (query->perspective == POV_INTRINSIC)
        return turn_rad(posterior, query->relatum[0]);
    if (posterior->axis_by_heading)
        return turn_rad(posterior, query->viewer);
    const double *to_viewer_m = &posterior->mean_m[3 * (posterior->others - 1)];
    double length_m = hypot(to_viewer_m[0], to_viewer_m[1]), off_m = situation->spread.viewer_m;
    return off_m < length_m ? asin(off_m / length_m) : POV_PI;
}

void pov_situation_posterior_spread(const pov_situation_posterior *posterior, pov_situation *situation)
{
    const pov_query *query = posterior->query;
    double middle[POV_SITUATION_HEADINGS_MAX], yaws_rad[POV_SITUATION_HEADINGS_MAX],
        normals[POV_SITUATION_HEADINGS_MAX] = {0};
    for (int i = 0; i < POV_SITUATION_HEADINGS_MAX; i++)
        middle[i] = 0.5;
    (void)draw_yaws(posterior, yaws_rad, middle, normals);
    place_body(posterior, situation, posterior->mean_m, yaws_rad);
    pov_spread *spread = &situation->spread;
    spread->offset_m = spread_of(posterior, 0, 3);
    spread->ground_m = spread_of(posterior, 0, 2);
    spread->height_m = spread_of(posterior, 2, 1);
    spread->turn_rad[0] = turn_rad(posterior, query->referent);
    spread->turn_rad[1] = turn_rad(posterior, query->relatum[0]);
    for (int i = 1; i < relata_of(posterior); i++) {
        spread->relata_m = fmax(spread->relata_m, spread_of(posterior, 3 * i, 3));
        spread->turn_rad[2] = fmax(spread->turn_rad[2], turn_rad(posterior, query->relatum[i]));
    }
    if (needs_viewer(query))
        spread->viewer_m = spread_of(posterior, 3 * (posterior->others - 1), 3);
    spread->velocity_m_s =
        velocity_spread_m_s(&posterior->velocity[0]) + velocity_spread_m_s(&posterior->velocity[1]);
    spread->axes_rad = axes_spread_rad(posterior, situation);
}
