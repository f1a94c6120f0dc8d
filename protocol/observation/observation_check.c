#include "protocol/observation/observation_check.h"

#include "config/files/utf8.h"
#include "perception/geometry/geom.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

/* Room for rounding in numbers that have been computed: a probability may come out as 1 + 1e-16. */
#define SLACK          1e-9
#define ROTATION_SLACK 1e-6 /* of R R^T - 1; chosen: rotations written as float pass */

static bool are_finite(const double *numbers, int count)
{
    for (int i = 0; i < count; i++)
        if (!isfinite(numbers[i]))
            return false;
    return true;
}

/* A necessary condition for a covariance, cheap: symmetric, no negative variance, |correlation| <= 1. */
static bool is_covariance(const double *cov, int size)
{
    if (!are_finite(cov, size * size))
        return false;
    for (int i = 0; i < size; i++) {
        for (int j = 0; j < size; j++) {
            double bound = sqrt(fabs(cov[i * size + i])) * sqrt(fabs(cov[j * size + j]));
            double slack = ROTATION_SLACK * bound + 1e-30;
            if (fabs(cov[i * size + j] - cov[j * size + i]) > slack ||
                fabs(cov[i * size + j]) > bound + slack)
                return false;
        }
        if (cov[i * size + i] < 0)
            return false;
    }
    return true;
}

static bool is_pose_or_unknown(const pov_pose *pose)
{
    if (isnan(pose->T.t_m.x))
        return true;
    return are_finite(&pose->T.t_m.x, 3) && pov_rot_is_valid(pose->T.R, ROTATION_SLACK) &&
           is_covariance(&pose->cov[0][0], 6);
}

static pov_status check_header(const pov_image_header *image)
{
    if (image->width_px < 1 || image->width_px > POV_IMAGE_SIDE_MAX_PX || image->height_px < 1 ||
        image->height_px > POV_IMAGE_SIDE_MAX_PX)
        return pov_error("image '%s': size %d x %d px is not within 1 to %d", image->name, image->width_px,
                         image->height_px, POV_IMAGE_SIDE_MAX_PX);
    if (!is_pose_or_unknown(&image->T_table_camera))
        return pov_error("image '%s': T_table_camera is not a pose with a covariance", image->name);
    for (int i = 0; i < image->candidate_len; i++) {
        const pov_pose_candidate *candidate = &image->candidates[i];
        if (!(candidate->probability >= 0 && candidate->probability <= 1) ||
            isnan(candidate->T_table_camera.T.t_m.x) || !is_pose_or_unknown(&candidate->T_table_camera))
            return pov_error("image '%s': pose candidate %d is not a pose with a probability", image->name,
                             i);
    }
    return pov_ok();
}

static const char *tag_fault(const pov_observed_tag *observed)
{
    const pov_tag *tag = &observed->tag;
    if (tag->id < 0 || tag->bits_corrected < 0)
        return "its id or bits_corrected is negative";
    if (!are_finite(&tag->corner_px[0].x, 8))
        return "its corners are not finite";
    if (!isfinite(tag->corner_std_px) || tag->corner_std_px <= 0)
        return "corner_std_px is not above 0";
    if (!isfinite(tag->decision_margin))
        return "decision_margin is not finite";
    if (isinf(observed->residual_px) || observed->residual_px < 0)
        return "residual_px is no distance";
    return NULL;
}

static pov_status check_tags(const pov_observation *observation)
{
    for (int i = 0; i < observation->tag_len; i++) {
        const char *fault = tag_fault(&observation->tags[i]);
        if (fault != NULL)
            return pov_error("tag %d: %s", i, fault);
    }
    return pov_ok();
}

static bool is_heading(const pov_heading *heading)
{
    double sum = 0;
    for (int i = 0; i < heading->len; i++) {
        const pov_heading_mode *mode = &heading->mode[i];
        if (!(mode->weight >= 0) || !isfinite(mode->yaw_rad) || !(mode->kappa >= 0) || !isfinite(mode->kappa))
            return false;
        sum += mode->weight;
    }
    return heading->len == 0 || fabs(sum - 1) <= ROTATION_SLACK;
}

/* The marginal covariance may overflow where its parts do not. */
static bool is_position(const pov_scene *scene, const pov_position *position)
{
    double marginal_m2[3][3];
    pov_scene_position_cov(scene, marginal_m2, position);
    return are_finite(&position->mean_m.x, 3) && is_covariance(&position->own_cov_m2[0][0], 3) &&
           are_finite(&position->per_camera_pose[0][0], 18) && are_finite(&marginal_m2[0][0], 9);
}

static bool is_size(pov_vec3 size_m)
{
    return are_finite(&size_m.x, 3) && size_m.x >= 0 && size_m.y >= 0 && size_m.z >= 0;
}

static bool is_velocity(const pov_entity *entity)
{
    return are_finite(&entity->velocity_m_s.x, 3) && is_covariance(&entity->velocity_cov_m2_s2[0][0], 3) &&
           (!entity->has_turn_rate ||
            (isfinite(entity->turn_rate_rad_s) && isfinite(entity->turn_rate_std_rad_s) &&
             entity->turn_rate_std_rad_s >= 0));
}

static bool is_track(const pov_entity_track *track)
{
    return isfinite(track->age_s) && isfinite(track->hidden_s) && track->age_s >= 0 && track->hidden_s >= 0 &&
           track->other_p >= 0 && track->other_p <= 1;
}

static const char *entity_fault(const pov_scene *scene, const pov_entity *entity)
{
    if (entity->name[0] == '\0' || !pov_utf8_is_plain(entity->name) ||
        !pov_utf8_is_plain(entity->class_name) || !pov_utf8_is_plain(entity->about))
        return "name, class and about must be valid UTF-8 without control characters, the name not empty";
    if (entity->placed && !is_position(scene, &entity->position))
        return "position is not finite, or its covariance is none";
    if (!isfinite(entity->look_age_s) || entity->look_age_s < 0)
        return "the age of the look is negative or not finite";
    if (!is_size(entity->size_m))
        return "size is negative or not finite";
    if (!pov_rot_is_valid(entity->R_table_box, ROTATION_SLACK))
        return "R_table_box is not a rotation";
    if (!is_heading(&entity->heading))
        return "heading modes must be finite, kappa not negative, and the weights sum to 1";
    if (!are_finite(entity->heading_ties.per_camera_pose, 6) ||
        !are_finite(entity->heading_ties.with_position_m, 3))
        return "how the heading goes with other errors is not finite";
    if (entity->has_velocity && !is_velocity(entity))
        return "velocity is not finite, or its covariance is none";
    if (entity->track.tracked && !is_track(&entity->track))
        return "times of its track are negative or not finite";
    return NULL;
}

static pov_status check_entity(const pov_scene *scene, int index)
{
    const pov_entity *entity = &scene->entities[index];
    const char *fault = entity_fault(scene, entity);
    for (int other = 0; other < index && fault == NULL; other++)
        if (strcmp(entity->name, scene->entities[other].name) == 0)
            fault = "another entity has the same name";
    return fault == NULL ? pov_ok() : pov_error("entity %d: %s", index, fault);
}

static bool is_id_or_none(const pov_scene *scene, pov_id id)
{
    return id == POV_ID_NONE || (id >= 0 && id < scene->len);
}

static pov_status check_scene(const pov_scene *scene)
{
    if (!is_covariance(&scene->camera_pose_cov[0][0], 6))
        return pov_error("scene: camera_pose_cov is not a covariance");
    for (int i = 0; i < scene->len; i++)
        POV_TRY(check_entity(scene, i));
    if (!is_id_or_none(scene, scene->camera))
        return pov_error("scene: camera %d is not one of its %d entities", scene->camera, scene->len);
    if (scene->has_north && !isfinite(scene->north_yaw_rad))
        return pov_error("scene: north_yaw_rad is not finite");
    return pov_ok();
}

/* NaN, where it is allowed, is in bounds. */
static bool is_within(double number, double low, double high, bool may_be_nan)
{
    return isnan(number) ? may_be_nan : number >= low - SLACK && number <= high + SLACK;
}

static bool is_entity(const pov_scene *scene, pov_id id)
{
    return id != POV_ID_NONE && is_id_or_none(scene, id);
}

static const char *query_fault(const pov_scene *scene, const pov_query *query, bool directed)
{
    if (directed != (query->relation->projective != POV_RELATION_COUNT))
        return "directions must come before the other relations";
    if (!is_entity(scene, query->referent))
        return "its referent is not an entity of the scene";
    if (!is_id_or_none(scene, query->viewer))
        return "its viewer is not an entity of the scene";
    if (query->relatum_len < query->relation->relata_min ||
        query->relatum_len > (directed ? 1 : POV_RELATA_MAX))
        return "it has too few relata, or too many";
    for (int i = 0; i < query->relatum_len; i++)
        if (!is_entity(scene, query->relatum[i]))
            return "one of its relata is not an entity of the scene";
    return NULL;
}

static const char *judgment_fault(const pov_scene *scene, const pov_judgment *judgment, bool directed)
{
    const char *fault = query_fault(scene, &judgment->query, directed);
    bool may_be_nan = judgment->belief.verdict == POV_VERDICT_UNDEFINED;
    if (fault)
        return fault;
    if (!is_within(judgment->belief.p, 0, 1, may_be_nan) ||
        !is_within(judgment->belief.p_std, 0, 1, may_be_nan))
        return "p or p_std is not within 0 to 1";
    may_be_nan = may_be_nan || !directed;
    if (!is_within(judgment->theta_rad, -POV_PI, POV_PI, may_be_nan) ||
        !is_within(judgment->theta_std_rad, 0, 1e300, may_be_nan))
        return "theta is not within -pi to pi, or its deviation negative or not finite";
    if (!is_within(judgment->flip_distance_m, 0, 1e300, may_be_nan) ||
        !is_within(judgment->p_internal, 0, 1, may_be_nan))
        return "flip_distance or p_internal is not within its range";
    return NULL;
}

static pov_status check_judgments(const pov_observation *observation)
{
    for (int i = 0; i < observation->judgment_len; i++) {
        const char *fault =
            judgment_fault(&observation->scene, &observation->judgments[i], i < observation->directed_len);
        if (fault != NULL)
            return pov_error("judgment %d: %s", i, fault);
    }
    return pov_ok();
}

static const char *sight_fault(const pov_scene *scene, const pov_visibility *sight)
{
    const double shares[] = {
        sight->sees.p,           sight->sees.p_std,           sight->fraction_visible,
        sight->fraction_hidden,  sight->fraction_out_of_view, sight->fraction_out_of_range,
        sight->fraction_expected};
    bool may_be_nan = sight->sees.verdict == POV_VERDICT_UNDEFINED;
    if (sight->viewer == POV_ID_NONE || !is_id_or_none(scene, sight->viewer) ||
        sight->target == POV_ID_NONE || !is_id_or_none(scene, sight->target))
        return "its viewer or target is not an entity of the scene";
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++)
        if (!is_within(shares[i], 0, 1, may_be_nan))
            return "a probability or fraction is not within 0 to 1";
    if (!is_within(sight->size_rad, 0, 2 * POV_PI, may_be_nan))
        return "size_rad is not within 0 to 2 pi";
    for (int i = 0; i < sight->occluder_len; i++)
        if (sight->occluders[i].id == POV_ID_NONE || !is_id_or_none(scene, sight->occluders[i].id) ||
            !is_within(sight->occluders[i].share, 0, 1, false))
            return "an occluder is not an entity of the scene, or its share not within 0 to 1";
    return NULL;
}

static pov_status check_sights(const pov_observation *observation)
{
    for (int i = 0; i < observation->sight_len; i++) {
        const char *fault = sight_fault(&observation->scene, &observation->sights[i]);
        if (fault != NULL)
            return pov_error("visibility %d: %s", i, fault);
    }
    return pov_ok();
}

static const char *direction_fault(const pov_scene *scene, const pov_observed_direction *direction)
{
    const pov_side_judgment *side = &direction->side;
    bool may_be_nan = side->verdict == POV_VERDICT_UNDEFINED;
    if (!is_entity(scene, direction->viewer) || !is_entity(scene, direction->target))
        return "its viewer or target is not an entity of the scene";
    if (!is_within(side->bearing_rad, -POV_PI, POV_PI, may_be_nan))
        return "bearing_rad is not within -pi to pi";
    for (int i = 0; i < POV_SIDE_COUNT; i++)
        if (!is_within(side->p[i], 0, 1, may_be_nan) || !is_within(side->p_quarter[i / 2], 0, 1, may_be_nan))
            return "a probability is not within 0 to 1";
    return NULL;
}

static const char *order_fault(const pov_scene *scene, const pov_order *order)
{
    for (int i = 0; i < order->len; i++) {
        const pov_place *place = &order->places[i];
        if (!is_entity(scene, place->id))
            return "an order has what is not an entity of the scene";
        if (!is_within(place->bearing_rad, -POV_PI, POV_PI, false) ||
            !is_within(place->distance_m, 0, 1e300, false) || !is_within(place->p_swapped, 0, 1, false))
            return "bearing_rad, distance_m or p_swapped is not within its range";
    }
    return NULL;
}

static const char *view_fault(const pov_scene *scene, const pov_observed_view *view)
{
    if (!is_entity(scene, view->viewer))
        return "its viewer is not an entity of the scene";
    const char *fault = order_fault(scene, &view->left_to_right);
    return fault != NULL ? fault : order_fault(scene, &view->near_to_far);
}

static pov_status check_viewpoints(const pov_observation *observation)
{
    const char *fault = NULL;
    for (int i = 0; i < observation->direction_len; i++) {
        fault = direction_fault(&observation->scene, &observation->directions[i]);
        if (fault != NULL)
            return pov_error("direction %d: %s", i, fault);
    }
    for (int i = 0; i < observation->view_len; i++) {
        fault = view_fault(&observation->scene, &observation->views[i]);
        if (fault != NULL)
            return pov_error("view %d: %s", i, fault);
    }
    return pov_ok();
}

static pov_status check_lens(const pov_lens_health *lens)
{
    if (!lens->known || (lens->zoom > 0 && isfinite(lens->zoom) && lens->zoom_std > 0 &&
                         isfinite(lens->zoom_std) && lens->misfit >= 0 && isfinite(lens->misfit)))
        return pov_ok();
    return pov_error("the lens' health: zoom %g +- %g, misfit %g are none", lens->zoom, lens->zoom_std,
                     lens->misfit);
}

static pov_status check_turntable(const pov_observed_turntable *turntable)
{
    if (!turntable->known ||
        (turntable->angle_rad >= 0 && turntable->angle_rad <= 2 * POV_PI && turntable->std_rad > 0 &&
         isfinite(turntable->std_rad) && turntable->tag_len >= 1 && turntable->tag_len <= POV_TAG_MAX))
        return pov_ok();
    return pov_error("the turntable's angle %g +- %g rad by %d tags is none", turntable->angle_rad,
                     turntable->std_rad, turntable->tag_len);
}

static bool is_length(int len, int capacity)
{
    return len >= 0 && len <= capacity;
}

pov_status pov_observation_check(const pov_observation *observation)
{
    POV_REQUIRE(is_length(observation->scene.len, POV_ENTITY_MAX) &&
                is_length(observation->tag_len, POV_TAG_MAX) &&
                is_length(observation->judgment_len, POV_JUDGMENT_MAX) &&
                is_length(observation->directed_len, observation->judgment_len) &&
                is_length(observation->sight_len, POV_SIGHT_MAX) &&
                is_length(observation->direction_len, POV_DIRECTION_MAX) &&
                is_length(observation->view_len, POV_VIEW_MAX));
    POV_TRY(check_header(&observation->image));
    POV_TRY(check_tags(observation));
    POV_TRY(check_turntable(&observation->turntable));
    POV_TRY(check_lens(&observation->lens));
    POV_TRY(check_scene(&observation->scene));
    POV_TRY(check_sights(observation));
    POV_TRY(check_judgments(observation));
    return check_viewpoints(observation);
}

bool pov_health_is_valid(const pov_health *health)
{
    const double known[] = {health->rate_hz, health->latency_p50_s, health->latency_p99_s};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (isinf(known[i]) || known[i] < 0)
            return false;
    for (int i = 0; i < health->moved_tag_len; i++) {
        const pov_moved_tag *moved = &health->moved_tags[i];
        const double sizes[] = {moved->moved_m, moved->moved_std_m, moved->turned_rad, moved->turned_std_rad};
        for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
            if (!(sizes[k] >= 0) || isinf(sizes[k]))
                return false;
    }
    for (int i = 0; i < health->stage_len; i++) {
        const pov_stage_time *stage = &health->stages[i];
        if (!pov_utf8_is_plain(stage->name) || !(stage->mean_s >= 0 && stage->max_s >= 0) ||
            isinf(stage->mean_s) || isinf(stage->max_s))
            return false;
    }
    return true;
}
