#include "perception/situation_posterior.h"

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

static bool needs_viewer(const pov_relation_question *question)
{
    return question->relation->frame == POV_FRAME_VIEWER ||
           (question->relation->frame == POV_FRAME_AXES && question->perspective != POV_INTRINSIC);
}

static bool is_well_formed(const pov_scene *scene, const pov_relation_question *question)
{
    bool relative = question->perspective == POV_EGOCENTRIC || question->perspective == POV_ADDRESSEE;
    if (question->relatum_len < question->relation->relata_min)
        return false;
    switch (question->relation->frame) {
    case POV_FRAME_NORTH:
        return question->perspective == POV_ABSOLUTE && scene->has_north;
    case POV_FRAME_VIEWER:
        return relative && question->viewer != POV_ID_NONE;
    case POV_FRAME_AXES:
        return relative ? question->viewer != POV_ID_NONE && question->convention < POV_CONVENTION_COUNT
                        : question->perspective == POV_INTRINSIC &&
                              scene->entities[question->relatum[0]].heading.len > 0;
    default:
        return true;
    }
}

/* The factor by which camera pose error k moves a's position against the relatum's. */
static double shared(const pov_situation_posterior *posterior, pov_id a, int row, int k)
{
    pov_id relatum = posterior->question->relatum[0];
    return entity_of(posterior, a)->position.per_camera_pose[row][k] -
           entity_of(posterior, relatum)->position.per_camera_pose[row][k];
}

static double difference_cov_m2(const pov_situation_posterior *posterior, int i, int j)
{
    pov_id a = posterior->other[i / 3], b = posterior->other[j / 3];
    int row = i % 3, column = j % 3;
    double sum = entity_of(posterior, posterior->question->relatum[0])->position.own_cov_m2[row][column];
    if (a == b)
        sum += entity_of(posterior, a)->position.own_cov_m2[row][column];
    for (int k = 0; k < 6; k++)
        for (int l = 0; l < 6; l++)
            sum += shared(posterior, a, row, k) * posterior->scene->camera_pose_cov[k][l] *
                   shared(posterior, b, column, l);
    return sum;
}

/* Cholesky's factor of a matrix that may be singular: columns whose pivot has no weight are left out. */
static void factorise(pov_situation_posterior *posterior)
{
    double rest[POV_SITUATION_COORDINATES_MAX][POV_SITUATION_COORDINATES_MAX], largest = 0;
    int n = 3 * posterior->others;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            rest[i][j] = difference_cov_m2(posterior, i, j);
    for (int i = 0; i < n; i++)
        largest = fmax(largest, rest[i][i]);
    posterior->factor_len = 0;
    for (int k = 0; k < n; k++) {
        double *column = posterior->factor_m[posterior->factor_len];
        if (!(rest[k][k] > 1e-12 * largest))
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
                                   entity_of(posterior, posterior->question->relatum[0])->position.mean_m);
    double *mean_m = &posterior->mean_m[3 * posterior->others];
    mean_m[0] = offset.x;
    mean_m[1] = offset.y;
    mean_m[2] = offset.z;
    posterior->other[posterior->others++] = id;
}

static void add_heading(pov_situation_posterior *posterior, pov_id id)
{
    const pov_heading *heading = &entity_of(posterior, id)->heading;
    if (heading->len == 0)
        return;
    posterior->heading_id[posterior->heading_len] = id;
    pov_heading_quantile_of(&posterior->heading[posterior->heading_len++], heading);
}

/* The viewer stands over the relatum: closer on the ground than the largest deviation. */
static bool stands_over(const pov_situation_posterior *posterior)
{
    int at = 3 * (posterior->others - 1);
    double variance_m2 = 0;
    for (int k = 0; k < posterior->factor_len; k++)
        variance_m2 += pow(posterior->factor_m[k][at], 2) + pow(posterior->factor_m[k][at + 1], 2);
    return hypot(posterior->mean_m[at], posterior->mean_m[at + 1]) <= fmax(1e-9, sqrt(variance_m2));
}

static int dimensions_of(const pov_situation_posterior *posterior)
{
    int dimensions = posterior->factor_len;
    for (int i = 0; i < posterior->heading_len; i++)
        dimensions += !pov_heading_quantile_is_exact(&posterior->heading[i]);
    return dimensions;
}

bool pov_situation_posterior_of(pov_situation_posterior *posterior, const pov_scene *scene,
                                const pov_relation_question *question)
{
    posterior->scene = scene;
    posterior->question = question;
    posterior->others = posterior->heading_len = 0;
    posterior->axis_by_heading = false;
    if (!is_well_formed(scene, question) || !is_usable(&scene->entities[question->relatum[0]]))
        return false;
    add_other(posterior, question->referent);
    /* Only "among" takes more relata than it needs. */
    int relata = question->relation->relata_min < 3 ? question->relation->relata_min : question->relatum_len;
    for (int i = 1; i < relata; i++)
        add_other(posterior, question->relatum[i]);
    if (needs_viewer(question))
        add_other(posterior, question->viewer);
    for (int i = 0; i < posterior->others; i++)
        if (!is_usable(entity_of(posterior, posterior->other[i])))
            return false;
    factorise(posterior);
    add_heading(posterior, question->referent);
    for (int i = 0; i < relata; i++)
        add_heading(posterior, question->relatum[i]);
    if (question->relation->frame == POV_FRAME_AXES && needs_viewer(question) &&
        (question->axis == POV_HEADING || stands_over(posterior))) {
        posterior->axis_by_heading = true;
        if (entity_of(posterior, question->viewer)->heading.len == 0)
            return false;
        add_heading(posterior, question->viewer);
    }
    posterior->dimensions = dimensions_of(posterior);
    return true;
}

/* The drawn yaw of an entity's front; false if it has none. */
static bool yaw_of(const pov_situation_posterior *posterior, double *yaw_rad,
                   const double yaws_rad[POV_RELATA_MAX + 2], pov_id id)
{
    for (int i = 0; i < posterior->heading_len; i++)
        if (posterior->heading_id[i] == id) {
            *yaw_rad = yaws_rad[i];
            return true;
        }
    return false;
}

/* A box's x axis is its front's: the box turns with it, unless x stands upright. */
static pov_rot turned(pov_rot R_table_box, double front_yaw_rad)
{
    double x = R_table_box.m[0][0], y = R_table_box.m[1][0];
    if (hypot(x, y) < 1e-3)
        return R_table_box;
    return pov_rot_mul(pov_rot_yaw(front_yaw_rad - atan2(y, x)), R_table_box);
}

static void draw_body(const pov_situation_posterior *posterior, pov_body *body,
                      const double yaws_rad[POV_RELATA_MAX + 2], pov_id id, pov_vec3 centre_m)
{
    const pov_entity *entity = entity_of(posterior, id);
    body->box.centre_m = centre_m;
    body->box.half_m = pov_vec3_scale(entity->size_m, 0.5);
    body->box.R_table_box = entity->R_table_box;
    body->has_front = yaw_of(posterior, &body->front_yaw_rad, yaws_rad, id);
    if (body->has_front)
        body->box.R_table_box = turned(entity->R_table_box, body->front_yaw_rad);
    body->has_velocity = entity->has_velocity;
    body->velocity_m_s = entity->velocity_m_s;
}

/* Front and left at the relatum, from an axis: north, the relatum's front, or a viewer's line of sight as the
 * convention lays it (Levinson 2003; COMFORT, section 2). */
static void set_axes(pov_situation *situation, pov_convention convention, double axis_yaw_rad)
{
    double front = convention == POV_ROTATED || convention == POV_REFLECTED ? -1 : 1;
    double left = convention == POV_ROTATED ? -1 : 1;
    double c = cos(axis_yaw_rad), s = sin(axis_yaw_rad);
    situation->has_axes = true;
    situation->front = (pov_vec2){front * c, front * s};
    situation->left = (pov_vec2){-left * s, left * c};
}

static void draw_frame(const pov_situation_posterior *posterior, pov_situation *situation,
                       const double yaws_rad[POV_RELATA_MAX + 2])
{
    const pov_relation_question *question = posterior->question;
    pov_vec3 sight = pov_vec3_sub(situation->relatum[0].box.centre_m, situation->viewer_m);
    double yaw_rad = atan2(sight.y, sight.x);
    if (question->relation->frame == POV_FRAME_NORTH)
        set_axes(situation, POV_NO_CONVENTION, posterior->scene->north_yaw_rad);
    if (question->relation->frame != POV_FRAME_AXES)
        return;
    if (question->perspective == POV_INTRINSIC) {
        set_axes(situation, POV_NO_CONVENTION, situation->relatum[0].front_yaw_rad);
        return;
    }
    if (posterior->axis_by_heading)
        (void)yaw_of(posterior, &yaw_rad, yaws_rad, question->viewer);
    set_axes(situation, question->convention, yaw_rad);
}

void pov_situation_posterior_draw(const pov_situation_posterior *posterior, pov_situation *situation,
                                  const double *point)
{
    const pov_relation_question *question = posterior->question;
    double offset_m[POV_SITUATION_COORDINATES_MAX], yaws_rad[POV_RELATA_MAX + 2];
    memcpy(offset_m, posterior->mean_m, sizeof offset_m);
    for (int k = 0; k < posterior->factor_len; k++) {
        double normal = pov_normal_quantile(*point++);
        for (int i = 0; i < 3 * posterior->others; i++)
            offset_m[i] += normal * posterior->factor_m[k][i];
    }
    for (int i = 0; i < posterior->heading_len; i++) {
        bool exact = pov_heading_quantile_is_exact(&posterior->heading[i]);
        yaws_rad[i] = exact ? posterior->heading[i].mode[0].yaw_rad
                            : pov_heading_quantile_at(&posterior->heading[i], *point++);
    }
    pov_vec3 relatum_m = entity_of(posterior, question->relatum[0])->position.mean_m;
    int relata = posterior->others - needs_viewer(question);
    draw_body(posterior, &situation->relatum[0], yaws_rad, question->relatum[0], relatum_m);
    for (int i = 0; i < posterior->others; i++) {
        pov_vec3 at_m =
            pov_vec3_add(relatum_m, (pov_vec3){offset_m[3 * i], offset_m[3 * i + 1], offset_m[3 * i + 2]});
        if (i < relata)
            draw_body(posterior, i == 0 ? &situation->referent : &situation->relatum[i], yaws_rad,
                      posterior->other[i], at_m);
        else
            situation->viewer_m = at_m;
    }
    situation->relatum_len = relata;
    situation->has_viewer = needs_viewer(question);
    situation->has_axes = false;
    draw_frame(posterior, situation, yaws_rad);
}
