#include "protocol/observation/observation_wire.h"

#include "config/files/utf8.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static_assert(sizeof(pov_vec3) == 3 * sizeof(double), "a vector is three numbers in a row");
static_assert(sizeof(pov_vec2) == 2 * sizeof(double), "a point is two numbers in a row");
static_assert(sizeof(pov_rot) == 9 * sizeof(double), "a rotation is nine numbers in a row");

/* On the wire 0 means "unspecified", so that a missing enum is never taken for a value: everything moves up
 * by one. */
static_assert(POV__PERSPECTIVE__PERSPECTIVE_EGOCENTRIC == POV_EGOCENTRIC + 1, "");
static_assert(POV__PERSPECTIVE__PERSPECTIVE_ABSOLUTE == POV_ABSOLUTE + 1 && POV_PERSPECTIVE_COUNT == 4, "");
static_assert(POV__CONVENTION__CONVENTION_TRANSLATED == POV_TRANSLATED + 2, "");
static_assert(POV__CONVENTION__CONVENTION_REFLECTED == POV_REFLECTED + 2 && POV_CONVENTION_COUNT == 3, "");
static_assert(POV__AXIS__AXIS_SIGHT_LINE == POV_SIGHT_LINE + 1, "");
static_assert(POV__AXIS__AXIS_HEADING == POV_HEADING + 1 && POV_AXIS_COUNT == 2, "");
static_assert(POV__ACCEPTANCE__ACCEPTANCE_HEMISPHERE == POV_HEMISPHERE + 1, "");
static_assert(POV__ACCEPTANCE__ACCEPTANCE_TEMPLATE == POV_TEMPLATE + 1 && POV_ACCEPTANCE_COUNT == 3, "");
static_assert(POV__CONTAINMENT__CONTAINMENT_EXTERNAL == POV_EXTERNAL + 1, "");
static_assert(POV__CONTAINMENT__CONTAINMENT_INTERNAL == POV_INTERNAL + 1 && POV_CONTAINMENT_COUNT == 2, "");
static_assert(POV__VERDICT__VERDICT_FALSE == POV_FALSE + 1 && POV__VERDICT__VERDICT_TRUE == POV_TRUE + 1, "");
static_assert(POV__VERDICT__VERDICT_UNDEFINED == POV_VERDICT_UNDEFINED + 1 && POV_VERDICT_COUNT == 4, "");
static_assert(POV__POSE_SOURCE__POSE_SOURCE_UNKNOWN == POV_POSE_UNKNOWN + 1, "");
static_assert(POV__POSE_SOURCE__POSE_SOURCE_TAGS == POV_POSE_FROM_TAGS + 1, "");
static_assert(POV__POSE_SOURCE__POSE_SOURCE_AMBIGUOUS == POV_POSE_AMBIGUOUS + 1 && POV_POSE_SOURCE_COUNT == 4,
              "");
static_assert(POV__TAG_FAMILY__TAG_FAMILY_36H11 == POV_TAG36H11 + 1, "");
static_assert(POV__TAG_FAMILY__TAG_FAMILY_STANDARD52H13 == POV_TAG_STANDARD52H13 + 1 &&
                  POV_TAG_FAMILY_COUNT == 9,
              "");
static_assert((int)POV__DOUBT__DOUBT_CALIBRATION == (int)POV_DOUBT_CALIBRATION && POV_DOUBT_COUNT == 3, "");
static_assert(POV__CAUSE__CAUSE_NONE == POV_CAUSE_NONE + 1, "");
static_assert(POV__CAUSE__CAUSE_NO_BODY == POV_CAUSE_NO_BODY + 1 && POV_CAUSE_COUNT == 11, "");
static_assert(POV__SIDE__SIDE_FRONT == POV_SIDE_FRONT + 1, "");
static_assert(POV__SIDE__SIDE_UNDEFINED == POV_SIDE_UNDEFINED + 1 && POV_SIDE_COUNT == 8, "");
static_assert(POV__MOTION__MOTION_AT_REST == POV_AT_REST + 1, "");
static_assert(POV__MOTION__MOTION_BY_ITSELF == POV_MOVING_FREELY + 1 && POV_MOTION_COUNT == 3, "");
static_assert(POV__TAG_FATE__TAG_FATE_USED == POV_TAG_USED + 1, "");
static_assert(POV__TAG_FATE__TAG_FATE_TURNS == POV_TAG_TURNS + 1 && POV_TAG_FATE_COUNT == 5, "");

typedef struct {
    Pov__Entity entity;
    Pov__Position position;
    Pov__HeadingMode mode[POV_HEADING_MODES_MAX];
    Pov__HeadingMode *mode_list[POV_HEADING_MODES_MAX];
    Pov__Velocity velocity;
    Pov__Track track;
    double cov_m2[3][3];
} packed_entity;

typedef struct {
    Pov__Visibility sight;
    Pov__Occluder occluders[POV_OCCLUDERS_MAX];
    Pov__Occluder *occluder_list[POV_OCCLUDERS_MAX];
} packed_sight;

typedef struct {
    Pov__Judgment judgment;
    uint32_t relata[POV_RELATA_MAX];
} packed_judgment;

typedef struct {
    Pov__Place places[POV_ENTITY_MAX];
    Pov__Place *list[POV_ENTITY_MAX];
} packed_order;

typedef struct {
    Pov__View view;
    packed_order left_to_right, near_to_far;
} packed_view;

struct pov_packer {
    Pov__Observation observation;
    Pov__ImageHeader image;
    Pov__Pose pose, candidate_poses[POV_POSE_CANDIDATE_MAX];
    Pov__PoseCandidate candidates[POV_POSE_CANDIDATE_MAX];
    Pov__PoseCandidate *candidate_list[POV_POSE_CANDIDATE_MAX];
    Pov__Turntable turntable;
    Pov__LensHealth lens;
    Pov__Scene scene;
    char image_name[POV_IMAGE_NAME_CAPACITY];
    packed_entity entities[POV_ENTITY_MAX];
    Pov__Entity *entity_list[POV_ENTITY_MAX];
    packed_judgment judgments[POV_JUDGMENT_MAX];
    Pov__Judgment *judgment_list[POV_JUDGMENT_MAX];
    packed_sight sights[POV_SIGHT_MAX];
    Pov__Visibility *sight_list[POV_SIGHT_MAX];
    int name_of_relation[POV_REGISTRY_MAX]; /* by index in the registry: index in names, counted from 1 */
    char *names[POV_REGISTRY_MAX];
    Pov__Direction directions[POV_DIRECTION_MAX];
    Pov__Direction *direction_list[POV_DIRECTION_MAX];
    packed_view views[POV_VIEW_MAX];
    Pov__View *view_list[POV_VIEW_MAX];
    Pov__Tag tags[POV_TAG_MAX];
    Pov__Tag *tag_list[POV_TAG_MAX];
};

pov_status pov_packer_new(pov_packer **packer)
{
    *packer = calloc(1, sizeof **packer);
    return *packer != NULL ? pov_ok() : pov_error("out of memory for the message encoder");
}

void pov_packer_destroy(pov_packer **packer)
{
    free(*packer);
    *packer = NULL;
}

/* Generated structs have no const; packing only reads. */
#define BORROW(list, wire, numbers)                                                                          \
    ((wire)->n_##list = sizeof(numbers) / (sizeof(double)), (wire)->list = (double *)&(numbers))

static Pov__Pose *pack_pose(Pov__Pose *wire, const pov_pose *pose)
{
    pov__pose__init(wire);
    BORROW(r, wire, pose->T.R.m);
    BORROW(t_m, wire, pose->T.t_m);
    BORROW(cov, wire, pose->cov);
    return wire;
}

static void pack_candidates(pov_packer *packer, Pov__ImageHeader *wire, const pov_image_header *image)
{
    for (int i = 0; i < image->candidate_len; i++) {
        Pov__PoseCandidate *candidate = packer->candidate_list[i] = &packer->candidates[i];
        pov__pose_candidate__init(candidate);
        candidate->probability = image->candidates[i].probability;
        candidate->t_table_camera =
            pack_pose(&packer->candidate_poses[i], &image->candidates[i].T_table_camera);
    }
    wire->n_pose_candidates = (size_t)image->candidate_len;
    wire->pose_candidates = packer->candidate_list;
}

static Pov__ImageHeader *pack_image(pov_packer *packer, const pov_image_header *image)
{
    Pov__ImageHeader *wire = &packer->image;
    pov__image_header__init(wire);
    pov_utf8_copy(packer->image_name, sizeof packer->image_name, image->name);
    wire->name = packer->image_name;
    wire->sequence = image->sequence;
    wire->capture_ns = image->capture_ns;
    wire->width_px = (uint32_t)image->width_px;
    wire->height_px = (uint32_t)image->height_px;
    wire->calibration_hash = image->calibration_hash;
    wire->pose_source = (Pov__PoseSource)(image->pose_source + 1);
    if (!isnan(image->T_table_camera.T.t_m.x))
        wire->t_table_camera = pack_pose(&packer->pose, &image->T_table_camera);
    pack_candidates(packer, wire, image);
    return wire;
}

static Pov__Position *pack_position(packed_entity *packed, const pov_scene *scene,
                                    const pov_position *position)
{
    Pov__Position *wire = &packed->position;
    pov__position__init(wire);
    pov_scene_position_cov(scene, packed->cov_m2, position);
    BORROW(mean_m, wire, position->mean_m);
    BORROW(cov_m2, wire, packed->cov_m2);
    BORROW(own_cov_m2, wire, position->own_cov_m2);
    BORROW(per_camera_pose, wire, position->per_camera_pose);
    return wire;
}

static void pack_heading(packed_entity *packed, const pov_heading *heading)
{
    for (int i = 0; i < heading->len; i++) {
        Pov__HeadingMode *wire = packed->mode_list[i] = &packed->mode[i];
        pov__heading_mode__init(wire);
        wire->weight = heading->mode[i].weight;
        wire->yaw_rad = heading->mode[i].yaw_rad;
        wire->kappa = heading->mode[i].kappa;
    }
    packed->entity.n_heading = (size_t)heading->len;
    packed->entity.heading = packed->mode_list;
}

static Pov__Velocity *pack_velocity(packed_entity *packed, const pov_entity *entity)
{
    Pov__Velocity *wire = &packed->velocity;
    pov__velocity__init(wire);
    BORROW(linear_m_s, wire, entity->velocity_m_s);
    BORROW(linear_cov, wire, entity->velocity_cov_m2_s2);
    if (entity->has_turn_rate) {
        wire->turn_presence_case = POV__VELOCITY__TURN_PRESENCE_TURN_RATE_RAD_S;
        wire->turn_rate_rad_s = entity->turn_rate_rad_s;
        wire->turn_rate_std_rad_s = entity->turn_rate_std_rad_s;
    }
    return wire;
}

static Pov__Track *pack_track(packed_entity *packed, const pov_entity_track *track)
{
    Pov__Track *wire = &packed->track;
    pov__track__init(wire);
    wire->age_s = track->age_s;
    wire->hidden_s = track->hidden_s;
    wire->other_p = track->other_p;
    wire->lost = track->lost;
    wire->motion = (Pov__Motion)(track->motion + 1);
    return wire;
}

static Pov__Entity *pack_entity(packed_entity *packed, const pov_scene *scene, const pov_entity *entity)
{
    Pov__Entity *wire = &packed->entity;
    pov__entity__init(wire);
    wire->name = (char *)entity->name;
    wire->class_name = (char *)entity->class_name;
    wire->about = (char *)entity->about;
    wire->seen = entity->seen;
    wire->addressee = entity->addressee;
    wire->look_age_s = entity->look_age_s;
    if (entity->placed)
        wire->position = pack_position(packed, scene, &entity->position);
    BORROW(size_m, wire, entity->size_m);
    BORROW(r_table_box, wire, entity->R_table_box);
    pack_heading(packed, &entity->heading);
    if (entity->heading.len > 0) {
        BORROW(heading_per_camera_pose, wire, entity->heading_ties.per_camera_pose);
        BORROW(heading_with_position, wire, entity->heading_ties.with_position_m);
    }
    if (entity->has_velocity)
        wire->velocity = pack_velocity(packed, entity);
    if (entity->track.tracked)
        wire->track = pack_track(packed, &entity->track);
    return wire;
}

static Pov__Scene *pack_scene(pov_packer *packer, const pov_scene *scene)
{
    Pov__Scene *wire = &packer->scene;
    pov__scene__init(wire);
    for (int i = 0; i < scene->len; i++)
        packer->entity_list[i] = pack_entity(&packer->entities[i], scene, &scene->entities[i]);
    wire->n_entities = (size_t)scene->len;
    wire->entities = packer->entity_list;
    BORROW(camera_pose_cov, wire, scene->camera_pose_cov);
    if (scene->camera != POV_ID_NONE) {
        wire->camera_presence_case = POV__SCENE__CAMERA_PRESENCE_CAMERA;
        wire->camera = (uint32_t)scene->camera;
    }
    if (scene->has_north) {
        wire->north_presence_case = POV__SCENE__NORTH_PRESENCE_NORTH_YAW_RAD;
        wire->north_yaw_rad = scene->north_yaw_rad;
    }
    return wire;
}

static Pov__Convention pack_convention(pov_convention convention)
{
    return convention == POV_NO_CONVENTION ? POV__CONVENTION__CONVENTION_NONE
                                           : (Pov__Convention)(convention + 2);
}

static void pack_tag(Pov__Tag *wire, const pov_observed_tag *observed)
{
    const pov_tag *tag = &observed->tag;
    pov__tag__init(wire);
    wire->family = (Pov__TagFamily)(tag->family + 1);
    wire->id = (uint32_t)tag->id;
    BORROW(corner_px, wire, tag->corner_px);
    wire->corner_std_px = tag->corner_std_px;
    wire->bits_corrected = (uint32_t)tag->bits_corrected;
    wire->decision_margin = tag->decision_margin;
    wire->fate = (Pov__TagFate)(observed->fate + 1);
    wire->residual_px = observed->residual_px;
    if (!isnan(observed->residual_px))
        wire->residual_presence_case = POV__TAG__RESIDUAL_PRESENCE_RESIDUAL_PX;
}

static void pack_tags(pov_packer *packer, const pov_observation *observation)
{
    Pov__Observation *wire = &packer->observation;
    wire->tags_truncated = observation->tags_truncated;
    wire->n_tags = (size_t)observation->tag_len;
    wire->tags = packer->tag_list;
    for (int i = 0; i < observation->tag_len; i++) {
        packer->tag_list[i] = &packer->tags[i];
        pack_tag(packer->tag_list[i], &observation->tags[i]);
    }
}

static Pov__Visibility *pack_sight(packed_sight *packed, const pov_visibility *sight)
{
    Pov__Visibility *wire = &packed->sight;
    pov__visibility__init(wire);
    wire->viewer = (uint32_t)sight->viewer;
    wire->target = (uint32_t)sight->target;
    wire->p = sight->sees.p;
    wire->p_std = sight->sees.p_std;
    wire->verdict = (Pov__Verdict)(sight->sees.verdict + 1);
    wire->fraction_visible = sight->fraction_visible;
    wire->fraction_expected = sight->fraction_expected;
    wire->fraction_out_of_view = sight->fraction_out_of_view;
    wire->fraction_hidden = sight->fraction_hidden;
    wire->fraction_out_of_range = sight->fraction_out_of_range;
    wire->size_rad = sight->size_rad;
    wire->cause = (Pov__Cause)(sight->cause + 1);
    wire->n_occluders = (size_t)sight->occluder_len;
    wire->occluders = packed->occluder_list;
    for (int i = 0; i < sight->occluder_len; i++) {
        Pov__Occluder *occluder = packed->occluder_list[i] = &packed->occluders[i];
        pov__occluder__init(occluder);
        occluder->entity = (uint32_t)sight->occluders[i].id;
        occluder->share = sight->occluders[i].share;
    }
    return wire;
}

static void pack_sights(pov_packer *packer, const pov_observation *observation)
{
    Pov__Observation *wire = &packer->observation;
    wire->visibility_truncated = observation->sights_truncated;
    wire->n_visibility = (size_t)observation->sight_len;
    wire->visibility = packer->sight_list;
    for (size_t i = 0; i < wire->n_visibility; i++)
        packer->sight_list[i] = pack_sight(&packer->sights[i], &observation->sights[i]);
}

/* Names go out once each, in the order of their first use. */
static uint32_t pack_relation_name(pov_packer *packer, const pov_relation_info *relation)
{
    Pov__Observation *wire = &packer->observation;
    int *name = &packer->name_of_relation[pov_relation_registry_index(relation)];
    if (*name == 0) {
        packer->names[wire->n_relation_names] = (char *)relation->name;
        *name = (int)++wire->n_relation_names;
    }
    return (uint32_t)(*name - 1);
}

static void pack_direction_numbers(Pov__Judgment *wire, const pov_judgment *judgment)
{
    wire->acceptance = (Pov__Acceptance)(judgment->query.acceptance + 1);
    wire->theta_rad = judgment->theta_rad;
    wire->theta_std_rad = judgment->theta_std_rad;
    wire->flip_angle_rad = pov_judgment_flip_angle_rad(judgment);
    wire->flip_distance_m = judgment->flip_distance_m;
    wire->containment = (Pov__Containment)(judgment->containment + 1);
    wire->p_internal = judgment->p_internal;
}

static Pov__Judgment *pack_judgment(pov_packer *packer, packed_judgment *packed, const pov_judgment *judgment)
{
    const pov_query *query = &judgment->query;
    Pov__Judgment *wire = &packed->judgment;
    pov__judgment__init(wire);
    wire->relation = pack_relation_name(packer, query->relation);
    wire->referent = (uint32_t)query->referent;
    wire->n_relata = (size_t)query->relatum_len;
    wire->relata = packed->relata;
    for (int i = 0; i < query->relatum_len; i++)
        packed->relata[i] = (uint32_t)query->relatum[i];
    wire->perspective = (Pov__Perspective)(query->perspective + 1);
    if (query->viewer != POV_ID_NONE) {
        wire->viewer_presence_case = POV__JUDGMENT__VIEWER_PRESENCE_VIEWER;
        wire->viewer = (uint32_t)query->viewer;
    }
    wire->convention = pack_convention(query->convention);
    wire->axis = (Pov__Axis)(query->axis + 1);
    wire->p = judgment->belief.p;
    wire->p_std = judgment->belief.p_std;
    wire->verdict = (Pov__Verdict)(judgment->belief.verdict + 1);
    wire->doubt = (Pov__Doubt)judgment->doubt;
    if (query->relation->projective != POV_RELATION_COUNT)
        pack_direction_numbers(wire, judgment);
    return wire;
}

static void pack_judgments(pov_packer *packer, const pov_observation *observation)
{
    Pov__Observation *wire = &packer->observation;
    memset(packer->name_of_relation, 0, sizeof packer->name_of_relation);
    wire->relation_names = packer->names;
    wire->judgments_truncated = observation->directed_truncated;
    wire->relations_truncated = observation->others_truncated;
    wire->n_judgments = (size_t)observation->judgment_len;
    wire->judgments = packer->judgment_list;
    for (size_t i = 0; i < wire->n_judgments; i++)
        packer->judgment_list[i] = pack_judgment(packer, &packer->judgments[i], &observation->judgments[i]);
}

static void pack_direction(Pov__Direction *wire, const pov_observed_direction *direction)
{
    const pov_side_judgment *side = &direction->side;
    pov__direction__init(wire);
    wire->viewer = (uint32_t)direction->viewer;
    wire->target = (uint32_t)direction->target;
    wire->bearing_rad = side->bearing_rad;
    wire->side = (Pov__Side)(side->side + 1);
    BORROW(p_sides, wire, side->p);
    wire->quarter = (Pov__Side)(side->quarter + 1);
    BORROW(p_quarters, wire, side->p_quarter);
    wire->verdict = (Pov__Verdict)(side->verdict + 1);
}

static Pov__Place **pack_order(packed_order *packed, const pov_order *order)
{
    POV_REQUIRE(order->len >= 0 && order->len <= POV_ENTITY_MAX);
    for (int i = 0; i < order->len; i++) {
        Pov__Place *wire = packed->list[i] = &packed->places[i];
        pov__place__init(wire);
        wire->entity = (uint32_t)order->places[i].id;
        wire->bearing_rad = order->places[i].bearing_rad;
        wire->distance_m = order->places[i].distance_m;
        wire->p_swapped = order->places[i].p_swapped;
        wire->uncertain = order->places[i].is_uncertain;
    }
    return packed->list;
}

static Pov__View *pack_view(packed_view *packed, const pov_observed_view *view)
{
    Pov__View *wire = &packed->view;
    pov__view__init(wire);
    wire->viewer = (uint32_t)view->viewer;
    wire->n_left_to_right = (size_t)view->left_to_right.len;
    wire->left_to_right = pack_order(&packed->left_to_right, &view->left_to_right);
    wire->n_near_to_far = (size_t)view->near_to_far.len;
    wire->near_to_far = pack_order(&packed->near_to_far, &view->near_to_far);
    return wire;
}

static void pack_viewpoints(pov_packer *packer, const pov_observation *observation)
{
    Pov__Observation *wire = &packer->observation;
    wire->directions_truncated = observation->directions_truncated;
    wire->n_directions = (size_t)observation->direction_len;
    wire->directions = packer->direction_list;
    for (size_t i = 0; i < wire->n_directions; i++) {
        packer->direction_list[i] = &packer->directions[i];
        pack_direction(packer->direction_list[i], &observation->directions[i]);
    }
    wire->views_truncated = observation->views_truncated;
    wire->n_views = (size_t)observation->view_len;
    wire->views = packer->view_list;
    for (size_t i = 0; i < wire->n_views; i++)
        packer->view_list[i] = pack_view(&packer->views[i], &observation->views[i]);
}

static Pov__Turntable *pack_turntable(pov_packer *packer, const pov_observed_turntable *turntable)
{
    Pov__Turntable *wire = &packer->turntable;
    pov__turntable__init(wire);
    wire->angle_rad = turntable->angle_rad;
    wire->angle_std_rad = turntable->std_rad;
    wire->tags = (uint32_t)turntable->tag_len;
    return turntable->known ? wire : NULL;
}

static Pov__LensHealth *pack_lens(pov_packer *packer, const pov_lens_health *lens)
{
    Pov__LensHealth *wire = &packer->lens;
    pov__lens_health__init(wire);
    wire->zoom = lens->zoom;
    wire->zoom_std = lens->zoom_std;
    wire->misfit = lens->misfit;
    wire->stale = lens->stale;
    return lens->known ? wire : NULL;
}

Pov__Observation *pov_packer_pack(pov_packer *packer, const pov_observation *observation)
{
    Pov__Observation *wire = &packer->observation;
    pov__observation__init(wire);
    wire->image = pack_image(packer, &observation->image);
    pack_tags(packer, observation);
    wire->turntable = pack_turntable(packer, &observation->turntable);
    wire->lens = pack_lens(packer, &observation->lens);
    wire->scene = pack_scene(packer, &observation->scene);
    pack_sights(packer, observation);
    pack_judgments(packer, observation);
    pack_viewpoints(packer, observation);
    return wire;
}
