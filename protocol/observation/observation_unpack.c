#include "protocol/observation/observation_wire.h"

#include "config/files/utf8.h"

#include <limits.h>
#include <math.h>
#include <string.h>

static pov_status copy_numbers(double *out, size_t expected, const double *numbers, size_t count,
                               const char *field)
{
    if (count != expected)
        return pov_error("%s has %zu numbers instead of %zu", field, count, expected);
    memcpy(out, numbers, count * sizeof *out);
    return pov_ok();
}

/* Copies a repeated double of exactly as many numbers as `field` holds. */
#define COPY_NUMBERS(field, numbers, count)                                                                  \
    POV_TRY(copy_numbers((double *)&(field), sizeof(field) / (sizeof(double)), numbers, count, #numbers))

static pov_status copy_text(char *out, size_t capacity, const char *text, const char *field)
{
    size_t length = strlen(text);
    if (length >= capacity)
        return pov_error("%s has %zu bytes; at most %zu fit", field, length, capacity - 1);
    memcpy(out, text, length + 1);
    return pov_utf8_is_valid(text) ? pov_ok() : pov_error("%s is not valid UTF-8", field);
}

/* An enum of `count` values that moved up by one on the wire; more may come with newer publishers. */
static pov_status check_enum(int wire, int count, const char *field)
{
    return wire >= 1 && wire <= count ? pov_ok()
                                      : pov_error("%s is %d, which this version does not know", field, wire);
}

static pov_status copy_index(pov_id *out, uint32_t wire, int len, const char *field)
{
    if (wire >= (uint32_t)len)
        return pov_error("%s is entity %u, but there are %d", field, wire, len);
    *out = (pov_id)wire;
    return pov_ok();
}

static void fill_nan(void *numbers, size_t size)
{
    for (size_t i = 0; i < size / sizeof(double); i++)
        ((double *)numbers)[i] = NAN;
}

static pov_status unpack_pose(pov_pose *pose, const Pov__Pose *wire)
{
    if (wire == NULL) {
        fill_nan(pose, sizeof *pose);
        return pov_ok();
    }
    COPY_NUMBERS(pose->T.R, wire->r, wire->n_r);
    COPY_NUMBERS(pose->T.t_m, wire->t_m, wire->n_t_m);
    COPY_NUMBERS(pose->cov, wire->cov, wire->n_cov);
    /* NaN stands for an unknown pose in memory; on the wire it would make an absent pose look present. */
    return isnan(pose->T.t_m.x) ? pov_error("T_table_camera is not a number") : pov_ok();
}

static pov_status unpack_candidates(pov_image_header *image, const Pov__ImageHeader *wire)
{
    if (wire->n_pose_candidates > POV_POSE_CANDIDATE_MAX)
        return pov_error("there are %zu pose_candidates; at most %d fit", wire->n_pose_candidates,
                         POV_POSE_CANDIDATE_MAX);
    image->candidate_len = (int)wire->n_pose_candidates;
    for (int i = 0; i < image->candidate_len; i++) {
        const Pov__PoseCandidate *candidate = wire->pose_candidates[i];
        if (candidate->t_table_camera == NULL)
            return pov_error("a pose candidate has no pose");
        image->candidates[i].probability = candidate->probability;
        POV_TRY(unpack_pose(&image->candidates[i].T_table_camera, candidate->t_table_camera));
    }
    return pov_ok();
}

static pov_status unpack_image(pov_image_header *image, const Pov__ImageHeader *wire)
{
    if (wire == NULL)
        return pov_error("the image header is missing");
    POV_TRY(copy_text(image->name, sizeof image->name, wire->name, "the image's name"));
    if (wire->width_px > POV_IMAGE_SIDE_MAX_PX || wire->height_px > POV_IMAGE_SIDE_MAX_PX)
        return pov_error("image '%s' is larger than %d px", image->name, POV_IMAGE_SIDE_MAX_PX);
    POV_TRY(check_enum((int)wire->pose_source, POV_POSE_SOURCE_COUNT, "pose_source"));
    image->pose_source = (pov_pose_source)(wire->pose_source - 1);
    image->sequence = wire->sequence;
    image->capture_ns = wire->capture_ns;
    image->width_px = (int)wire->width_px;
    image->height_px = (int)wire->height_px;
    image->calibration_hash = wire->calibration_hash;
    POV_TRY(unpack_candidates(image, wire));
    return unpack_pose(&image->T_table_camera, wire->t_table_camera);
}

static pov_status unpack_position(pov_entity *entity, const Pov__Position *wire)
{
    pov_position *position = &entity->position;
    entity->placed = wire != NULL;
    *position = (pov_position){.mean_m = {NAN, NAN, NAN}};
    if (wire == NULL)
        return pov_ok();
    COPY_NUMBERS(position->mean_m, wire->mean_m, wire->n_mean_m);
    double marginal[9]; /* follows from the rest: checked, then dropped */
    COPY_NUMBERS(marginal, wire->cov_m2, wire->n_cov_m2);
    for (int i = 0; i < 9; i++)
        if (!isfinite(marginal[i]))
            return pov_error("a position's cov_m2 is not finite");
    COPY_NUMBERS(position->own_cov_m2, wire->own_cov_m2, wire->n_own_cov_m2);
    COPY_NUMBERS(position->per_camera_pose, wire->per_camera_pose, wire->n_per_camera_pose);
    return pov_ok();
}

static pov_status unpack_heading(pov_heading *heading, const Pov__Entity *wire)
{
    if (wire->n_heading > POV_HEADING_MODES_MAX)
        return pov_error("%zu heading modes; at most %d fit", wire->n_heading, POV_HEADING_MODES_MAX);
    *heading = (pov_heading){.len = (int)wire->n_heading};
    for (int i = 0; i < heading->len; i++) {
        const Pov__HeadingMode *mode = wire->heading[i];
        heading->mode[i] = (pov_heading_mode){mode->weight, mode->yaw_rad, mode->kappa};
    }
    return pov_ok();
}

static pov_status unpack_heading_ties(pov_heading_ties *ties, const Pov__Entity *wire)
{
    if (wire->n_heading_per_camera_pose > 0)
        COPY_NUMBERS(ties->per_camera_pose, wire->heading_per_camera_pose, wire->n_heading_per_camera_pose);
    if (wire->n_heading_with_position > 0)
        COPY_NUMBERS(ties->with_position_m, wire->heading_with_position, wire->n_heading_with_position);
    return pov_ok();
}

static pov_status unpack_velocity(pov_entity *entity, const Pov__Velocity *wire)
{
    if (wire == NULL)
        return pov_ok();
    entity->has_velocity = true;
    COPY_NUMBERS(entity->velocity_m_s, wire->linear_m_s, wire->n_linear_m_s);
    COPY_NUMBERS(entity->velocity_cov_m2_s2, wire->linear_cov, wire->n_linear_cov);
    entity->has_turn_rate = wire->turn_presence_case == POV__VELOCITY__TURN_PRESENCE_TURN_RATE_RAD_S;
    if (!entity->has_turn_rate)
        return pov_ok();
    entity->turn_rate_rad_s = wire->turn_rate_rad_s;
    entity->turn_rate_std_rad_s = wire->turn_rate_std_rad_s;
    return pov_ok();
}

static pov_status unpack_track(pov_entity_track *track, const Pov__Track *wire)
{
    if (wire == NULL)
        return pov_ok();
    POV_TRY(check_enum((int)wire->motion, POV_MOTION_COUNT, "how an entity moves"));
    *track = (pov_entity_track){.tracked = true,
                                .lost = wire->lost,
                                .age_s = wire->age_s,
                                .hidden_s = wire->hidden_s,
                                .other_p = wire->other_p,
                                .motion = (pov_motion_model)(wire->motion - 1)};
    return pov_ok();
}

static pov_status unpack_entity(pov_entity *entity, const Pov__Entity *wire)
{
    memset(entity, 0, sizeof *entity);
    POV_TRY(copy_text(entity->name, sizeof entity->name, wire->name, "an entity's name"));
    POV_TRY(copy_text(entity->class_name, sizeof entity->class_name, wire->class_name, "an entity's class"));
    POV_TRY(copy_text(entity->about, sizeof entity->about, wire->about, "what is said about an entity"));
    entity->seen = wire->seen;
    entity->addressee = wire->addressee;
    entity->look_age_s = wire->look_age_s;
    POV_TRY(unpack_position(entity, wire->position));
    COPY_NUMBERS(entity->size_m, wire->size_m, wire->n_size_m);
    COPY_NUMBERS(entity->R_table_box, wire->r_table_box, wire->n_r_table_box);
    POV_TRY(unpack_velocity(entity, wire->velocity));
    POV_TRY(unpack_track(&entity->track, wire->track));
    POV_TRY(unpack_heading_ties(&entity->heading_ties, wire));
    return unpack_heading(&entity->heading, wire);
}

static pov_status unpack_scene(pov_scene *scene, const Pov__Scene *wire)
{
    if (wire == NULL)
        return pov_error("the scene is missing");
    if (wire->n_entities > POV_ENTITY_MAX)
        return pov_error("%zu entities; at most %d fit", wire->n_entities, POV_ENTITY_MAX);
    scene->len = (int)wire->n_entities;
    for (int i = 0; i < scene->len; i++)
        POV_TRY(unpack_entity(&scene->entities[i], wire->entities[i]));
    COPY_NUMBERS(scene->camera_pose_cov, wire->camera_pose_cov, wire->n_camera_pose_cov);
    scene->camera = POV_ID_NONE;
    if (wire->camera_presence_case == POV__SCENE__CAMERA_PRESENCE_CAMERA)
        POV_TRY(copy_index(&scene->camera, wire->camera, scene->len, "the camera"));
    scene->has_north = wire->north_presence_case == POV__SCENE__NORTH_PRESENCE_NORTH_YAW_RAD;
    scene->north_yaw_rad = scene->has_north ? wire->north_yaw_rad : NAN;
    return pov_ok();
}

static pov_convention unpack_convention(Pov__Convention wire)
{
    return wire == POV__CONVENTION__CONVENTION_NONE ? POV_NO_CONVENTION : (pov_convention)(wire - 2);
}

/* The relations named, by their index on the wire. */
typedef struct {
    int len;
    const pov_relation_info *relation[POV_REGISTRY_MAX];
} named_relations;

static pov_status unpack_names(named_relations *names, const Pov__Observation *wire)
{
    if (wire->n_relation_names > POV_REGISTRY_MAX)
        return pov_error("%zu relations are named; at most %d fit", wire->n_relation_names, POV_REGISTRY_MAX);
    names->len = (int)wire->n_relation_names;
    for (int i = 0; i < names->len; i++) {
        const pov_relation_info *relation = pov_relation_lookup(wire->relation_names[i]);
        if (relation == NULL || strcmp(relation->name, wire->relation_names[i]) != 0)
            return pov_error("relation '%.40s' is not one that this version knows", wire->relation_names[i]);
        names->relation[i] = relation;
    }
    return pov_ok();
}

static pov_status unpack_relata(pov_query *query, const Pov__Judgment *wire, int entity_len)
{
    if (wire->n_relata < 1 || wire->n_relata > POV_RELATA_MAX)
        return pov_error("a judgment has %zu relata instead of 1 to %d", wire->n_relata, POV_RELATA_MAX);
    query->relatum_len = (int)wire->n_relata;
    for (int i = 0; i < query->relatum_len; i++)
        POV_TRY(copy_index(&query->relatum[i], wire->relata[i], entity_len, "a judgment's relatum"));
    return pov_ok();
}

static pov_status unpack_direction_numbers(pov_judgment *judgment, const Pov__Judgment *wire)
{
    POV_TRY(check_enum((int)wire->acceptance, POV_ACCEPTANCE_COUNT, "an acceptance"));
    POV_TRY(check_enum((int)wire->containment, POV_CONTAINMENT_COUNT, "a containment"));
    judgment->query.acceptance = (pov_acceptance)(wire->acceptance - 1);
    judgment->containment = (pov_containment)(wire->containment - 1);
    judgment->theta_rad = wire->theta_rad;
    judgment->theta_std_rad = wire->theta_std_rad;
    judgment->flip_distance_m = wire->flip_distance_m;
    judgment->p_internal = wire->p_internal;
    return pov_ok();
}

static pov_status unpack_judgment(pov_judgment *judgment, const Pov__Judgment *wire,
                                  const named_relations *names, int entity_len)
{
    pov_query *query = &judgment->query;
    if (wire->relation >= (uint32_t)names->len)
        return pov_error("a judgment's relation is number %u of the names, but there are %d", wire->relation,
                         names->len);
    POV_TRY(check_enum((int)wire->perspective, POV_PERSPECTIVE_COUNT, "a perspective"));
    POV_TRY(check_enum((int)wire->convention, POV_CONVENTION_COUNT + 1, "a convention"));
    POV_TRY(check_enum((int)wire->axis, POV_AXIS_COUNT, "an axis"));
    POV_TRY(check_enum((int)wire->verdict, POV_VERDICT_COUNT, "a verdict"));
    if (wire->doubt != POV__DOUBT__DOUBT_UNSPECIFIED)
        POV_TRY(check_enum((int)wire->doubt, POV_DOUBT_COUNT - 1, "a doubt"));
    *judgment = (pov_judgment){.query = {.relation = names->relation[wire->relation],
                                         .viewer = POV_ID_NONE,
                                         .perspective = (pov_perspective)(wire->perspective - 1),
                                         .convention = unpack_convention(wire->convention),
                                         .axis = (pov_axis)(wire->axis - 1)},
                               .doubt = (pov_doubt)wire->doubt,
                               .belief = {wire->p, wire->p_std, (pov_verdict)(wire->verdict - 1)},
                               .theta_rad = NAN,
                               .theta_std_rad = NAN,
                               .flip_distance_m = NAN,
                               .p_internal = NAN};
    POV_TRY(copy_index(&query->referent, wire->referent, entity_len, "a judgment's referent"));
    POV_TRY(unpack_relata(query, wire, entity_len));
    if (wire->viewer_presence_case == POV__JUDGMENT__VIEWER_PRESENCE_VIEWER)
        POV_TRY(copy_index(&query->viewer, wire->viewer, entity_len, "a judgment's viewer"));
    return query->relation->projective == POV_RELATION_COUNT ? pov_ok()
                                                             : unpack_direction_numbers(judgment, wire);
}

static pov_status unpack_judgments(pov_observation *observation, const Pov__Observation *wire)
{
    named_relations names = {.len = 0};
    POV_TRY(unpack_names(&names, wire));
    if (wire->n_judgments > POV_JUDGMENT_MAX)
        return pov_error("%zu judgments; at most %d fit", wire->n_judgments, POV_JUDGMENT_MAX);
    observation->directed_truncated = wire->judgments_truncated;
    observation->others_truncated = wire->relations_truncated;
    observation->judgment_len = (int)wire->n_judgments;
    observation->directed_len = 0;
    for (int i = 0; i < observation->judgment_len; i++) {
        pov_judgment *judgment = &observation->judgments[i];
        POV_TRY(unpack_judgment(judgment, wire->judgments[i], &names, observation->scene.len));
        if (i == observation->directed_len && judgment->query.relation->projective != POV_RELATION_COUNT)
            observation->directed_len++;
    }
    return pov_ok();
}

static pov_status unpack_tag(pov_observed_tag *observed, const Pov__Tag *wire)
{
    pov_tag *tag = &observed->tag;
    POV_TRY(check_enum((int)wire->family, POV_TAG_FAMILY_COUNT, "a tag's family"));
    POV_TRY(check_enum((int)wire->fate, POV_TAG_FATE_COUNT, "a tag's fate"));
    if (wire->id > INT_MAX || wire->bits_corrected > INT_MAX)
        return pov_error("a tag's id or bits_corrected is too large");
    COPY_NUMBERS(tag->corner_px, wire->corner_px, wire->n_corner_px);
    tag->family = (pov_tag_family)(wire->family - 1);
    tag->id = (int)wire->id;
    tag->corner_std_px = wire->corner_std_px;
    tag->bits_corrected = (int)wire->bits_corrected;
    tag->decision_margin = wire->decision_margin;
    observed->fate = (pov_tag_fate)(wire->fate - 1);
    observed->residual_px = wire->residual_presence_case != 0 ? wire->residual_px : NAN;
    return pov_ok();
}

static pov_status unpack_tags(pov_observation *observation, const Pov__Observation *wire)
{
    if (wire->n_tags > POV_TAG_MAX)
        return pov_error("%zu tags; at most %d fit", wire->n_tags, POV_TAG_MAX);
    observation->tags_truncated = wire->tags_truncated;
    observation->tag_len = (int)wire->n_tags;
    for (int i = 0; i < observation->tag_len; i++)
        POV_TRY(unpack_tag(&observation->tags[i], wire->tags[i]));
    return pov_ok();
}

static pov_status unpack_occluders(pov_visibility *sight, const Pov__Visibility *wire, int entity_len)
{
    if (wire->n_occluders > POV_OCCLUDERS_MAX)
        return pov_error("%zu occluders; at most %d fit", wire->n_occluders, POV_OCCLUDERS_MAX);
    sight->occluder_len = (int)wire->n_occluders;
    for (int i = 0; i < sight->occluder_len; i++) {
        POV_TRY(copy_index(&sight->occluders[i].id, wire->occluders[i]->entity, entity_len, "an occluder"));
        sight->occluders[i].share = wire->occluders[i]->share;
    }
    return pov_ok();
}

static pov_status unpack_sight(pov_visibility *sight, const Pov__Visibility *wire, int entity_len)
{
    POV_TRY(copy_index(&sight->viewer, wire->viewer, entity_len, "a viewer"));
    POV_TRY(copy_index(&sight->target, wire->target, entity_len, "what a viewer sees"));
    POV_TRY(check_enum((int)wire->verdict, POV_VERDICT_COUNT, "a verdict"));
    POV_TRY(check_enum((int)wire->cause, POV_CAUSE_COUNT, "a cause"));
    sight->sees = (pov_belief){wire->p, wire->p_std, (pov_verdict)(wire->verdict - 1)};
    sight->fraction_visible = wire->fraction_visible;
    sight->fraction_expected = wire->fraction_expected;
    sight->fraction_out_of_view = wire->fraction_out_of_view;
    sight->fraction_hidden = wire->fraction_hidden;
    sight->fraction_out_of_range = wire->fraction_out_of_range;
    sight->size_rad = wire->size_rad;
    sight->cause = (pov_cause)(wire->cause - 1);
    return unpack_occluders(sight, wire, entity_len);
}

static pov_status unpack_sights(pov_observation *observation, const Pov__Observation *wire)
{
    if (wire->n_visibility > POV_SIGHT_MAX)
        return pov_error("%zu pairs of viewer and target; at most %d fit", wire->n_visibility, POV_SIGHT_MAX);
    observation->sights_truncated = wire->visibility_truncated;
    observation->sight_len = (int)wire->n_visibility;
    for (int i = 0; i < observation->sight_len; i++)
        POV_TRY(unpack_sight(&observation->sights[i], wire->visibility[i], observation->scene.len));
    return pov_ok();
}

static pov_status unpack_direction(pov_observed_direction *direction, const Pov__Direction *wire,
                                   int entity_len)
{
    pov_side_judgment *side = &direction->side;
    POV_TRY(copy_index(&direction->viewer, wire->viewer, entity_len, "a direction's viewer"));
    POV_TRY(copy_index(&direction->target, wire->target, entity_len, "a direction's target"));
    POV_TRY(check_enum((int)wire->side, POV_SIDE_COUNT + 1, "a side"));
    POV_TRY(check_enum((int)wire->quarter, POV_SIDE_COUNT + 1, "a quarter"));
    POV_TRY(check_enum((int)wire->verdict, POV_VERDICT_COUNT, "a verdict"));
    side->bearing_rad = wire->bearing_rad;
    side->side = (pov_side)(wire->side - 1);
    side->quarter = (pov_side)(wire->quarter - 1);
    side->verdict = (pov_verdict)(wire->verdict - 1);
    COPY_NUMBERS(side->p, wire->p_sides, wire->n_p_sides);
    COPY_NUMBERS(side->p_quarter, wire->p_quarters, wire->n_p_quarters);
    return pov_ok();
}

static pov_status unpack_order(pov_order *order, Pov__Place *const *places, size_t len, int entity_len)
{
    if (len > POV_ENTITY_MAX)
        return pov_error("%zu places in an order; at most %d fit", len, POV_ENTITY_MAX);
    order->len = (int)len;
    for (int i = 0; i < order->len; i++) {
        pov_place *place = &order->places[i];
        POV_TRY(copy_index(&place->id, places[i]->entity, entity_len, "an order's entity"));
        place->bearing_rad = places[i]->bearing_rad;
        place->distance_m = places[i]->distance_m;
        place->p_swapped = places[i]->p_swapped;
        place->is_uncertain = places[i]->uncertain;
    }
    return pov_ok();
}

static pov_status unpack_view(pov_observed_view *view, const Pov__View *wire, int entity_len)
{
    POV_TRY(copy_index(&view->viewer, wire->viewer, entity_len, "a view's viewer"));
    POV_TRY(unpack_order(&view->left_to_right, wire->left_to_right, wire->n_left_to_right, entity_len));
    return unpack_order(&view->near_to_far, wire->near_to_far, wire->n_near_to_far, entity_len);
}

static pov_status unpack_viewpoints(pov_observation *observation, const Pov__Observation *wire)
{
    if (wire->n_directions > POV_DIRECTION_MAX)
        return pov_error("%zu directions; at most %d fit", wire->n_directions, POV_DIRECTION_MAX);
    if (wire->n_views > POV_VIEW_MAX)
        return pov_error("%zu views; at most %d fit", wire->n_views, POV_VIEW_MAX);
    observation->directions_truncated = wire->directions_truncated;
    observation->direction_len = (int)wire->n_directions;
    observation->views_truncated = wire->views_truncated;
    observation->view_len = (int)wire->n_views;
    for (int i = 0; i < observation->direction_len; i++)
        POV_TRY(unpack_direction(&observation->directions[i], wire->directions[i], observation->scene.len));
    for (int i = 0; i < observation->view_len; i++)
        POV_TRY(unpack_view(&observation->views[i], wire->views[i], observation->scene.len));
    return pov_ok();
}

static void unpack_turntable(pov_observed_turntable *turntable, const Pov__Turntable *wire)
{
    *turntable = (pov_observed_turntable){.angle_rad = NAN, .std_rad = NAN};
    if (wire)
        *turntable = (pov_observed_turntable){true, wire->angle_rad, wire->angle_std_rad, (int)wire->tags};
}

static void unpack_lens(pov_lens_health *lens, const Pov__LensHealth *wire)
{
    *lens = (pov_lens_health){.known = wire != NULL};
    if (wire)
        *lens = (pov_lens_health){true, wire->zoom, wire->zoom_std, wire->misfit, wire->stale};
}

pov_status pov_observation_unpack(pov_observation *observation, const Pov__Observation *wire)
{
    POV_TRY(unpack_image(&observation->image, wire->image));
    POV_TRY(unpack_tags(observation, wire));
    unpack_turntable(&observation->turntable, wire->turntable);
    unpack_lens(&observation->lens, wire->lens);
    POV_TRY(unpack_scene(&observation->scene, wire->scene));
    POV_TRY(unpack_sights(observation, wire));
    POV_TRY(unpack_judgments(observation, wire));
    return unpack_viewpoints(observation, wire);
}

/* Absent is unknown, which is NaN in memory; so NaN itself must not come in. */
