#include "perception/models/model_place.h"

#include "perception/geometry/least_squares.h"
#include "perception/geometry/linalg.h"

#include <math.h>
#include <string.h>

enum {
    EDGES = 4,
    ROUND_POINTS = 16,
    STEPS = 15,
    TURNS =
        36 /* of half a turn that an unknown one is tried at: 5 degrees apart, which changes a long thing's box by less
                  than a detector's error; chosen */
};

static const double edge_std_min_px = 1;      /* a box's edges are whole pixels at best; chosen */
static const double rim_px = 1.5;             /* a box that ends this near the rim may go on beyond it */
static const double turned_std_max_rad = 0.5; /* a heading wider than this does not turn the outline */
static const double round_share = 0.1; /* a footprint whose sides differ by less is taken for round; chosen */
/* Chi-square of the edges over the two unknowns that no error of a detector explains. */
static const double misfit_max = 60;

typedef struct {
    pov_vec3 size_m;
    const pov_seen_heading *seen;
    double centre_z_m;
    const pov_camera *camera;
    double edge_px[EDGES], std_px[EDGES]; /* left, top, right, bottom; std 0: not used */
    bool is_turned;                       /* the footprint is turned to turn_rad, whatever the heading */
    double turn_rad;
} problem;

/* ---- headings ---- */

/* The rotation that turns the camera's axis to a direction the short way. */
static pov_rot towards(pov_vec3 direction)
{
    const pov_vec3 axis = {0, 0, 1}, turn = pov_vec3_cross(axis, direction);
    const double sine = pov_vec3_norm(turn), angle = atan2(sine, direction.z);
    return pov_rot_exp(sine > 0 ? pov_vec3_scale(turn, angle / sine) : (pov_vec3){0, 0, 0});
}

/* The direction that the heading is measured from. */
static pov_vec3 axis_of(const pov_seen_heading *seen, pov_vec3 direction_camera)
{
    return seen->against == POV_HEADING_OF_RAY ? direction_camera : (pov_vec3){0, 0, 1};
}

pov_heading pov_model_heading(const pov_seen_heading *seen, pov_vec3 direction_camera, pov_rot R_table_camera)
{
    const pov_vec3 along = axis_of(seen, direction_camera), away = pov_rot_apply(R_table_camera, along);
    double turn_rad = atan2(away.y, away.x);
    pov_heading heading = seen->heading;
    if (seen->has_direction && heading.len > 0) {
        const pov_vec3 front = pov_rot_apply(R_table_camera, pov_rot_apply(towards(along), seen->direction));
        turn_rad = atan2(front.y, front.x) - heading.mode[0].yaw_rad;
    }
    for (int i = 0; i < heading.len; i++)
        heading.mode[i].yaw_rad = pov_angle_wrap(heading.mode[i].yaw_rad + turn_rad);
    return heading;
}

static pov_vec3 ray_to(pov_vec3 centre_m, pov_transform T_table_camera)
{
    return pov_vec3_unit(pov_transform_apply(pov_transform_inverse(T_table_camera), centre_m));
}

static pov_heading heading_at(const problem *p, pov_vec3 centre_m, pov_transform T_table_camera)
{
    return pov_model_heading(p->seen, ray_to(centre_m, T_table_camera), T_table_camera.R);
}

static void set_heading(pov_entity *entity, const problem *p, const pov_pose *T_table_camera)
{
    const pov_transform *T = &T_table_camera->T;
    const pov_vec3 away = pov_rot_apply(T->R, axis_of(p->seen, ray_to(entity->position.mean_m, *T)));
    double gradient[3];
    entity->heading = heading_at(p, entity->position.mean_m, *T);
    if (entity->heading.len == 0)
        return;
    entity->R_table_box = pov_rot_yaw(entity->heading.mode[0].yaw_rad);
    pov_yaw_gradient(gradient, away);
    pov_heading_tie_to_camera(entity, gradient, T_table_camera);
}

static bool turns_outline(const pov_heading *heading)
{
    return heading->len > 0 && heading->mode[0].kappa > 1 / (turned_std_max_rad * turned_std_max_rad);
}

/* ---- the outline's box ---- */

typedef struct {
    int len;
    pov_vec2 point_m[ROUND_POINTS];
} outline;

/* The footprint about the centre: a rectangle if it is known, or assumed, how it is turned, else a circle as large. */
static outline outline_of(const problem *p, const pov_heading *heading)
{
    outline o = {0};
    const double x = p->size_m.x / 2, y = p->size_m.y / 2, radius = (x + y) / 2;
    if (p->is_turned || turns_outline(heading)) {
        const double yaw_rad = p->is_turned ? p->turn_rad : heading->mode[0].yaw_rad;
        const double c = cos(yaw_rad), s = sin(yaw_rad);
        for (int i = 0; i < 4; i++) {
            const double u = i & 1 ? x : -x, v = i & 2 ? y : -y;
            o.point_m[o.len++] = (pov_vec2){c * u - s * v, s * u + c * v};
        }
        return o;
    }
    for (int i = 0; i < ROUND_POINTS; i++) {
        const double angle = 2 * POV_PI * i / ROUND_POINTS;
        o.point_m[o.len++] = (pov_vec2){radius * cos(angle), radius * sin(angle)};
    }
    return o;
}

/* Edges that a thing at (x, y) has in the image; false if some of it cannot be seen. */
static bool edges_at(double edges[EDGES], const problem *p, const double at_m[2],
                     pov_transform T_table_camera)
{
    const pov_transform T_camera_table = pov_transform_inverse(T_table_camera);
    const pov_vec3 centre_m = {at_m[0], at_m[1], p->centre_z_m};
    const pov_heading heading = heading_at(p, centre_m, T_table_camera);
    const outline o = outline_of(p, &heading);
    edges[0] = edges[1] = INFINITY;
    edges[2] = edges[3] = -INFINITY;
    for (int i = 0; i < 2 * o.len; i++) {
        const pov_vec2 foot = o.point_m[i / 2];
        const double up = i & 1 ? p->size_m.z / 2 : -p->size_m.z / 2;
        const pov_vec3 point = {centre_m.x + foot.x, centre_m.y + foot.y, centre_m.z + up};
        pov_vec2 pixel;
        if (pov_camera_project(p->camera, &pixel, NULL, pov_transform_apply(T_camera_table, point)) != POV_OK)
            return false;
        edges[0] = fmin(edges[0], pixel.x);
        edges[1] = fmin(edges[1], pixel.y);
        edges[2] = fmax(edges[2], pixel.x);
        edges[3] = fmax(edges[3], pixel.y);
    }
    return true;
}

/* `expected`: edges as they should be, near enough to say how large what the rim cuts would be. */
static void observe_edges(problem *p, const pov_pixel_box *box, const double expected[EDGES],
                          double std_share)
{
    const double edge[EDGES] = {box->left_px, box->top_px, box->right_px, box->bottom_px};
    const double rim[EDGES] = {-0.5, -0.5, p->camera->width_px - 0.5, p->camera->height_px - 0.5};
    for (int i = 0; i < EDGES; i++) {
        const int low = i % 2, high = low + 2;
        const bool cut = fabs(edge[low] - rim[low]) < rim_px || fabs(edge[high] - rim[high]) < rim_px;
        const double side_px =
            cut ? fmax(edge[high] - edge[low], expected[high] - expected[low]) : edge[high] - edge[low];
        p->edge_px[i] = edge[i];
        p->std_px[i] = fabs(edge[i] - rim[i]) < rim_px ? 0 : fmax(edge_std_min_px, std_share * side_px);
    }
}

/* ---- least squares over (x, y), Gauss and Newton ---- */

typedef struct {
    double A[2][2], b[2], misfit;
    double cov_m2[2][2]; /* the inverse of A */
    double J[EDGES][2];  /* d(edges) / d(x, y), per standard deviation; 0 for unused ones */
    int len;             /* used edges */
} normal;

static bool normal_at(normal *n, const problem *p, const double at_m[2], const pov_transform *T_table_camera)
{
    double edges[EDGES], moved[EDGES], residual[EDGES];
    const pov_vec3 eye = T_table_camera->t_m;
    const double step_m = 1e-5 * (hypot(at_m[0] - eye.x, at_m[1] - eye.y) + fabs(p->centre_z_m - eye.z));
    memset(n, 0, sizeof *n);
    if (!edges_at(edges, p, at_m, *T_table_camera))
        return false;
    for (int k = 0; k < 2; k++) {
        const double near_m[2] = {at_m[0] + (k == 0 ? step_m : 0), at_m[1] + (k == 1 ? step_m : 0)};
        if (!edges_at(moved, p, near_m, *T_table_camera))
            return false;
        for (int i = 0; i < EDGES; i++)
            n->J[i][k] = p->std_px[i] > 0 ? (moved[i] - edges[i]) / step_m / p->std_px[i] : 0;
    }
    for (int i = 0; i < EDGES; i++) {
        residual[i] = p->std_px[i] > 0 ? (p->edge_px[i] - edges[i]) / p->std_px[i] : 0;
        n->len += p->std_px[i] > 0;
    }
    n->misfit = pov_squares(residual, EDGES);
    pov_normal_add(&(pov_normal){n->A[0], n->b, 2}, n->J[0], residual, EDGES, 1);
    return true;
}

static bool invert_information(normal *n)
{
    const double det = n->A[0][0] * n->A[1][1] - n->A[0][1] * n->A[1][0];
    return det > 1e-9 * n->A[0][0] * n->A[1][1] && pov_symmetric_inverse(n->cov_m2[0], n->A[0], 2);
}

/* Intersection of the ray through the box's middle with the height of the thing's centre; above the horizon, at the distance
 * that its size implies. */
static bool start_place(double at_m[2], const problem *p, const pov_pixel_box *box,
                        const pov_transform *T_table_camera)
{
    pov_vec3 ray;
    const pov_vec2 middle = {(box->left_px + box->right_px) / 2, (box->top_px + box->bottom_px) / 2};
    if (pov_camera_unproject(p->camera, &ray, NULL, middle) != POV_OK)
        return false;
    const pov_vec3 along = pov_rot_apply(T_table_camera->R, ray), eye = T_table_camera->t_m;
    const double by_size_m = p->camera->fy_px * p->size_m.z / (box->bottom_px - box->top_px);
    double far_m = (p->centre_z_m - eye.z) / along.z;
    if (!(far_m > 0 && far_m < 5 * by_size_m))
        far_m = by_size_m;
    at_m[0] = eye.x + far_m * along.x;
    at_m[1] = eye.y + far_m * along.y;
    return isfinite(at_m[0]) && isfinite(at_m[1]);
}

static bool fit_place(double at_m[2], normal *n, const problem *p, const pov_transform *T_table_camera)
{
    for (int step = 0; step < STEPS; step++) {
        if (!normal_at(n, p, at_m, T_table_camera) || n->len < 2 || !invert_information(n))
            return false;
        double moved_m = 0;
        for (int k = 0; k < 2; k++) {
            const double by_m = n->cov_m2[k][0] * n->b[0] + n->cov_m2[k][1] * n->b[1];
            at_m[k] += by_m;
            moved_m += by_m * by_m;
        }
        if (!(moved_m > 1e-12))
            break;
    }
    return normal_at(n, p, at_m, T_table_camera) && invert_information(n) && n->misfit < misfit_max;
}

/* Implicit function: what keeps the edges where they are when the camera's pose is not what it was thought to be. */
static bool per_pose(double per[2][6], const problem *p, const double at_m[2], const normal *n,
                     const pov_transform *T_table_camera)
{
    static const double step = 1e-5;
    double edges[EDGES], moved[EDGES];
    if (!edges_at(edges, p, at_m, *T_table_camera))
        return false;
    for (int j = 0; j < 6; j++) {
        double error[6] = {0}, pull[2] = {0};
        error[j] = step;
        if (!edges_at(moved, p, at_m, pov_transform_plus(*T_table_camera, error)))
            return false;
        for (int i = 0; i < EDGES; i++)
            for (int k = 0; k < 2; k++)
                pull[k] -= p->std_px[i] > 0 ? n->J[i][k] * (moved[i] - edges[i]) / step / p->std_px[i] : 0;
        for (int k = 0; k < 2; k++)
            per[k][j] = n->cov_m2[k][0] * pull[0] + n->cov_m2[k][1] * pull[1];
    }
    return true;
}

/* Derivative of the place by the height of the support: along the ray, limited by the edges' fit. */
static void add_support(pov_position *position, const pov_transform *T_table_camera, double std_m)
{
    const pov_vec3 ray = pov_vec3_sub(position->mean_m, T_table_camera->t_m);
    const double drop =
        fabs(ray.z) > 0.05 * hypot(ray.x, ray.y) ? ray.z : copysign(0.05 * hypot(ray.x, ray.y), ray.z);
    const double per_m[3] = {ray.x / drop, ray.y / drop, 1};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            position->own_cov_m2[i][j] += per_m[i] * per_m[j] * std_m * std_m;
}

static pov_position position_of(const problem *p, const double at_m[2], const normal *n)
{
    pov_position position = {.mean_m = {at_m[0], at_m[1], p->centre_z_m}};
    const double worse = n->len > 2 ? fmax(1, n->misfit / (n->len - 2)) : 1; /* than the deviations said */
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            position.own_cov_m2[i][j] = worse * n->cov_m2[i][j];
    return position;
}

/* ---- one place, or one for each turn ---- */

/* A place that fits, and how well. */
typedef struct {
    pov_position position;
    double turn_rad;       /* of the footprint, where it was assumed */
    double log_likelihood; /* of the box, over all places near this one (Laplace) */
} fitted_place;

static bool find_place(fitted_place *place, problem *p, const pov_detection *detection, double box_std_share,
                       const pov_transform *T_table_camera)
{
    double at_m[2], expected[EDGES];
    normal n;
    if (!start_place(at_m, p, &detection->box, T_table_camera) ||
        !edges_at(expected, p, at_m, *T_table_camera))
        return false;
    observe_edges(p, &detection->box, expected, box_std_share);
    if (!fit_place(at_m, &n, p, T_table_camera))
        return false;
    place->position = position_of(p, at_m, &n);
    place->turn_rad = p->turn_rad;
    place->log_likelihood =
        -n.misfit / 2 + 0.5 * log(n.cov_m2[0][0] * n.cov_m2[1][1] - n.cov_m2[0][1] * n.cov_m2[1][0]);
    return per_pose(place->position.per_camera_pose, p, at_m, &n, T_table_camera);
}

/* Density of a heading that is given but wide, up to a factor; a footprint looks the same from both its ends. */
static double density_of_turn(const pov_heading *heading, double turn_rad)
{
    double density = 0;
    for (int i = 0; i < heading->len; i++) {
        const pov_heading_mode *mode = &heading->mode[i];
        const double along = cos(turn_rad - mode->yaw_rad);
        density += mode->weight * exp(mode->kappa * (fabs(along) - 1));
    }
    return heading->len > 0 ? density : 1;
}

static bool needs_turns(const problem *p, const pov_entity *entity)
{
    const double x = entity->size_m.x, y = entity->size_m.y;
    const bool is_long = fabs(x - y) > round_share * (x + y) / 2;
    return is_long && entity->shape != POV_SHAPE_SPHERE && entity->shape != POV_SHAPE_CAPSULE &&
           !turns_outline(&p->seen->heading);
}

/* Mean and covariance of places by their weights, which sum to 1. */
static pov_position mix_places(const fitted_place *places, const double *weights, int len)
{
    pov_position mixed = {.mean_m = {0, 0, places[0].position.mean_m.z}};
    for (int i = 0; i < len; i++) {
        const pov_position *each = &places[i].position;
        mixed.mean_m.x += weights[i] * each->mean_m.x;
        mixed.mean_m.y += weights[i] * each->mean_m.y;
        for (int k = 0; k < 2; k++)
            for (int j = 0; j < 6; j++)
                mixed.per_camera_pose[k][j] += weights[i] * each->per_camera_pose[k][j];
    }
    for (int i = 0; i < len; i++) {
        const pov_position *each = &places[i].position;
        const double off_m[2] = {each->mean_m.x - mixed.mean_m.x, each->mean_m.y - mixed.mean_m.y};
        for (int k = 0; k < 2; k++)
            for (int j = 0; j < 2; j++)
                mixed.own_cov_m2[k][j] += weights[i] * (each->own_cov_m2[k][j] + off_m[k] * off_m[j]);
    }
    return mixed;
}

/* A long thing that may be turned anyhow: a place for each turn, weighed by how well the box fits it. Out: the likeliest turn. */
static bool find_place_of_turns(fitted_place *place, problem *p, const pov_detection *detection,
                                double box_std_share, const pov_transform *T_table_camera)
{
    fitted_place places[TURNS];
    double weights[TURNS], sum = 0;
    int len = 0, best = 0;
    p->is_turned = true;
    for (int i = 0; i < TURNS; i++) {
        p->turn_rad = POV_PI * i / TURNS;
        if (!find_place(&places[len], p, detection, box_std_share, T_table_camera))
            continue;
        const pov_heading heading = heading_at(p, places[len].position.mean_m, *T_table_camera);
        places[len].log_likelihood += log(density_of_turn(&heading, p->turn_rad));
        if (places[len].log_likelihood > places[best].log_likelihood)
            best = len;
        len++;
    }
    p->is_turned = false;
    if (len == 0)
        return false;
    for (int i = 0; i < len; i++)
        sum += weights[i] = exp(places[i].log_likelihood - places[best].log_likelihood);
    for (int i = 0; i < len; i++)
        weights[i] /= sum;
    *place = places[best];
    place->position = mix_places(places, weights, len);
    return true;
}

pov_code pov_model_place(pov_entity *entity, const pov_detection *detection, const pov_model_build *build,
                         const pov_camera *camera, const pov_pose *T_table_camera)
{
    const pov_transform *T = &T_table_camera->T;
    problem p = {.size_m = entity->size_m,
                 .seen = &detection->seen,
                 .camera = camera,
                 .centre_z_m = build->stands_on_m + entity->size_m.z / 2};
    fitted_place place;
    const bool is_turned_anyhow = needs_turns(&p, entity);
    if (!(is_turned_anyhow ? find_place_of_turns : find_place)(&place, &p, detection, build->box_std_share,
                                                               T))
        return POV_UNDEFINED;
    entity->placed = true;
    entity->position = place.position;
    add_support(&entity->position, T, build->stands_on_std_m);
    if (is_turned_anyhow)
        entity->R_table_box = pov_rot_yaw(place.turn_rad);
    if (detection->seen.against == POV_HEADING_UNSEEN)
        return POV_OK;
    set_heading(entity, &p, T_table_camera);
    return POV_OK;
}

/* ---- looks ---- */

/* Speed at which a thing may have moved since an older image: by hand, or with a turning table. */
static const double speed_std_m_s = 0.1;

static bool make_entity(pov_entity *entity, const pov_model_look *look, const pov_detection *detection,
                        const pov_model_build *build, const pov_camera *camera)
{
    entity->seen = true;
    entity->look_age_s = look->age_s;
    entity->has_image_box = true;
    entity->image_box = detection->box;
    if (!look->has_pose)
        return true;
    if (pov_model_place(entity, detection, build, camera, &look->T_table_camera) != POV_OK)
        return false;
    for (int i = 0; i < 2; i++)
        entity->position.own_cov_m2[i][i] += pow(speed_std_m_s * look->age_s, 2);
    return true;
}

typedef struct {
    const pov_model_look *look;
    const pov_detection *detection;
} choice;

typedef struct {
    int len;
    choice list[POV_MODEL_MAX * POV_DETECTION_MAX];
} choices;

/* Best first, whichever detector found it. */
static void add_choice(choices *all, const pov_model_look *look, const pov_detection *detection)
{
    int at = all->len++;
    for (; at > 0 && all->list[at - 1].detection->score < detection->score; at--)
        all->list[at] = all->list[at - 1];
    all->list[at] = (choice){look, detection};
}

static void choose_detections(choices *all, const pov_model_looks *looks, const char *class_name)
{
    all->len = 0;
    for (int i = 0; i < looks->len; i++) {
        const pov_model_look *look = &looks->looks[i];
        for (int k = 0; k < look->found.len; k++) {
            const pov_detection *detection = &look->found.detections[k];
            if (strcmp(look->contract->classes[detection->class_index], class_name) == 0)
                add_choice(all, look, detection);
        }
    }
}

int pov_model_look_entities(pov_entity *entities, const pov_model_looks *looks, const pov_entity *like,
                            const pov_model_build *build, const pov_camera *camera, int max)
{
    choices all;
    int len = 0;
    POV_REQUIRE(max <= POV_MODEL_COUNT_MAX);
    choose_detections(&all, looks, build->class_name);
    for (int i = 0; i < all.len && len < max; i++) {
        pov_entity entity = *like;
        if (make_entity(&entity, all.list[i].look, all.list[i].detection, build, camera))
            pov_entities_insert(entities, len++, &entity);
    }
    return len;
}
