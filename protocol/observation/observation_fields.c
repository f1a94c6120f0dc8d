#include "protocol/observation/fields_rows_wire.h"

/* -------- enums: names in JSON -------- */

NAMES(pose_source, pov_pose_source, POV_POSE_SOURCE_COUNT, pov_pose_source_name)
NAMES(tag_family, pov_tag_family, POV_TAG_FAMILY_COUNT, pov_tag_family_name)
NAMES(tag_outcome, pov_tag_outcome, POV_TAG_OUTCOME_COUNT, pov_tag_outcome_name)
NAMES(field_shape, pov_field_shape, POV_FIELD_COUNT, pov_field_shape_name)
NAMES(motion, pov_motion_model, POV_MOTION_COUNT, pov_motion_model_name)
NAMES(perspective, pov_perspective, POV_PERSPECTIVE_COUNT, pov_perspective_name)
NAMES(convention, pov_convention, POV_CONVENTION_COUNT + 1, pov_convention_name)
NAMES(axis, pov_axis, POV_AXIS_COUNT, pov_axis_name)
NAMES(acceptance, pov_acceptance, POV_ACCEPTANCE_COUNT, pov_acceptance_name)
NAMES(containment, pov_containment, POV_CONTAINMENT_COUNT, pov_containment_name)
NAMES(verdict, pov_verdict, POV_VERDICT_COUNT, pov_verdict_name)
NAMES(doubt, pov_doubt, POV_DOUBT_COUNT, pov_doubt_name)
NAMES(cause, pov_cause, POV_CAUSE_COUNT, pov_cause_name)

enum { choices_of_side = POV_SIDE_COUNT + 1 };
static const char *name_of_side(int value)
{
    return value == POV_SIDE_UNDEFINED ? NULL : pov_side_name((pov_side)value);
}

static_assert(POV__PERSPECTIVE__PERSPECTIVE_EGOCENTRIC == POV_EGOCENTRIC + 1, "");
static_assert(POV__PERSPECTIVE__PERSPECTIVE_ABSOLUTE == POV_ABSOLUTE + 1 && POV_PERSPECTIVE_COUNT == 4, "");
static_assert(POV__CONVENTION__CONVENTION_NONE == 1 && POV_NO_CONVENTION == 3, "");
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
static_assert(POV__POSE_SOURCE__POSE_SOURCE_AMBIGUOUS == POV_POSE_AMBIGUOUS + 1, "");
static_assert(POV__POSE_SOURCE__POSE_SOURCE_TF == POV_POSE_TOLD + 1 && POV_POSE_SOURCE_COUNT == 5, "");
static_assert(POV__TAG_FAMILY__TAG_FAMILY_36H11 == POV_TAG36H11 + 1, "");
static_assert(POV__TAG_FAMILY__TAG_FAMILY_STANDARD52H13 == POV_TAG_STANDARD52H13 + 1 &&
                  POV_TAG_FAMILY_COUNT == 9,
              "");
static_assert((int)POV__DOUBT__DOUBT_CALIBRATION == (int)POV_DOUBT_CALIBRATION && POV_DOUBT_COUNT == 3, "");
static_assert(POV__CAUSE__CAUSE_NONE == POV_CAUSE_NONE + 1, "");
static_assert(POV__CAUSE__CAUSE_NO_BODY == POV_CAUSE_NO_BODY + 1 && POV_CAUSE_COUNT == 11, "");
static_assert(POV__SIDE__SIDE_FRONT == POV_SIDE_FRONT + 1, "");
static_assert(POV__SIDE__SIDE_UNDEFINED == POV_SIDE_UNDEFINED + 1 && POV_SIDE_COUNT == 8, "");
static_assert(POV__FIELD_SHAPE__FIELD_SHAPE_CONE == POV_FIELD_CONE + 1 && POV_FIELD_COUNT == 2, "");
static_assert(POV__MOTION__MOTION_AT_REST == POV_AT_REST + 1, "");
static_assert(POV__MOTION__MOTION_BY_ITSELF == POV_MOVING_FREELY + 1 && POV_MOTION_COUNT == 3, "");
static_assert(POV__TAG_FATE__TAG_FATE_USED == POV_TAG_USED + 1, "");
static_assert(POV__TAG_FATE__TAG_FATE_TURNS == POV_TAG_TURNS + 1 && POV_TAG_OUTCOME_COUNT == 5, "");

/* Vectors, points and rotations are numbers in a row. */
static_assert(sizeof(pov_vec3) == 3 * sizeof(double) && sizeof(pov_vec2) == 2 * sizeof(double), "");
static_assert(sizeof(pov_rot) == 9 * sizeof(double), "");

/* -------- the image and its camera's pose -------- */

#define NAN3 NAN, NAN, NAN
#define NAN6                                                                                                 \
    {                                                                                                        \
        NAN3, NAN3                                                                                           \
    }

static const pov_field pose_fields[] = {
    {"t_m", "pos_m", NUMBERS(pov_pose, T.t_m), .meaning = "camera's position"},
    {"R", "R_table_camera", NUMBERS(pov_pose, T.R), .form = POV_ROTATION,
     .meaning =
         "rotation matrix: its columns are the camera's x (right), y (down), z (forward) in the table frame"},
    {"cov", "cov", NUMBERS(pov_pose, cov), .form = POV_COVARIANCE,
     .meaning =
         "covariance of the pose's error, rotation vector (rad) then position (m), both in the table frame"},
};
static const pov_pose unknown_pose = {.T = {.R.m = {{NAN3}, {NAN3}, {NAN3}}, .t_m = {NAN3}},
                                      .cov = {NAN6, NAN6, NAN6, NAN6, NAN6, NAN6}};
static const pov_record pose_record = {MESSAGE(pose), .number = NUMBER_OF_POSE, FIELDS(pose_fields),
                                       .blank = &unknown_pose, .blank_size = sizeof unknown_pose};

static bool candidate_has_pose(const void *record)
{
    return !isnan(((const pov_pose_candidate *)record)->T_table_camera.T.t_m.x);
}

static const pov_field candidate_fields[] = {
    {"probability", "probability", NUMBER(pov_pose_candidate, probability), WITHIN(0, 1),
     .meaning = "that it is the true one"},
    {"T_table_camera", "", RECORD(pov_pose_candidate, T_table_camera, pose_record), .is_inline = true},
};
static const char *candidate_fault(const void *record)
{
    return candidate_has_pose(record) ? NULL : "has no pose";
}
static const pov_record candidate_record = {MESSAGE(pose_candidate), .number = NUMBER_OF_CANDIDATE,
                                            FIELDS(candidate_fields), .fault = candidate_fault};

static bool image_has_pose(const void *record)
{
    return !isnan(((const pov_image_header *)record)->T_table_camera.T.t_m.x);
}

static const pov_field image_fields[] = {
    {"name", "name", TEXT(pov_image_header, name), .is_repaired = true,
     .meaning = "file name, or camera id and sequence; bytes that are not UTF-8 become `?`"},
    {"sequence", "sequence", COUNT(pov_image_header, sequence),
     .meaning = "counts from 0; a gap is a lost image"},
    {"capture_ns", "capture_ns", WHOLE(pov_image_header, capture_ns), .meaning = "middle of the exposure"},
    {"width_px", "width_px", WHOLE(pov_image_header, width_px), WITHIN(1, POV_IMAGE_SIDE_MAX_PX),
     .meaning = "size"},
    {"height_px", "height_px", WHOLE(pov_image_header, height_px), WITHIN(1, POV_IMAGE_SIDE_MAX_PX),
     .meaning = "size"},
    {"calibration_hash", "calibration", .kind = POV_KIND_HASH, AT(pov_image_header, calibration_hash),
     .meaning = "hash of the intrinsics used"},
    {"pose_source", "pose.source", CHOICE(pov_image_header, pose_source, pose_source),
     .meaning = "`\"given\"`: from the station file; `\"tags\"`: from this image; `\"ambiguous\"`: from tags "
                "that two poses fit, "
                "judgments hold for both or abstain; `\"tf\"`: by a robot's transforms, without tags"},
    {"T_table_camera", "pose", RECORD(pov_image_header, T_table_camera, pose_record),
     .is_known = image_has_pose, .is_inline = true},
    {"pose_candidates", "pose.candidates",
     LIST(pov_image_header, candidates, candidate_len, candidate_record),
     .meaning = "both poses, likelier first, if two fit the tags; else empty"},
    {"camera", "camera", TEXT(pov_image_header, camera), .is_left_out_if_empty = true,
     .meaning = "id of the camera that took it ([CAMERAS.md](CAMERAS.md)); left out where the station's only "
                "camera has none"},
};
static const pov_record image_record = {MESSAGE(image_header), .number = NUMBER_OF_IMAGE,
                                        FIELDS(image_fields)};

/* -------- tags, turntable, lens -------- */

static bool is_mapped(const void *record)
{
    return ((const pov_observed_tag *)record)->is_mapped;
}

/* No tag has all its corners at the origin. */
static void note_mapped(void *record)
{
    pov_observed_tag *tag = record;
    for (int i = 0; i < 4; i++)
        tag->is_mapped |= pov_vec3_norm(tag->map_corner_m[i]) > 0;
}

static const pov_field tag_fields[] = {
    {"family", "family", CHOICE(pov_observed_tag, tag.family, tag_family), .meaning = "family of the tag"},
    {"id", "id", WHOLE(pov_observed_tag, tag.id), WITHIN(0, INT_MAX), .meaning = "its number in the family"},
    {"corner_px", "corners_px", NUMBERS(pov_observed_tag, tag.corner_px), .row_len = 2,
     .meaning = "four `[x, y]`: of the detected square, as one reads the tag, bottom left, bottom right, top "
                "right, top left; "
                "(0, 0) is the centre of the top-left pixel (libapriltag's own numbers are larger by 0.5)"},
    {"corner_std_px", "corner_std_px", NUMBER(pov_observed_tag, tag.corner_std_px), POSITIVE,
     .meaning = "standard deviation of each of these coordinates, from the fit of the print to the pixels "
                "(noise, blur, size) "
                "and the station's `tags.corner_std_px`"},
    {"bits_corrected", "bits_corrected", WHOLE(pov_observed_tag, tag.bits_corrected), WITHIN(0, INT_MAX),
     .meaning = "bits of its code that were corrected"},
    {"decision_margin", "decision_margin", NUMBER(pov_observed_tag, tag.decision_margin),
     .meaning = "contrast of its bits against their threshold, 0 to 255: larger is surer"},
    {"fate", "fate", CHOICE(pov_observed_tag, outcome, tag_outcome),
     .meaning = "outcome of the tag in the camera's pose. `\"used\"`: the pose rests on it; `\"turns\"`: on "
                "the turntable, whose "
                "angle rests on it; `\"rejected\"`: in the map, but an outlier (moved, misprinted or "
                "misread); `\"seen\"`: not used, the "
                "station has no tag map or the pose is unknown"},
    {"residual_px", "residual_px", NUMBER(pov_observed_tag, residual_px), NOT_NEGATIVE, .is_optional = true,
     .meaning = "RMS distance of its four corners from where the tag map and the camera's pose put them; "
                "null: not in the map, "
                "or no pose"},
    {"map_corner_m", NULL, NUMBERS(pov_observed_tag, map_corner_m), .applies = is_mapped,
     .meaning = "in the topic `camera/` four `x, y, z`: where the tag map has these corners, in the table "
                "frame; none: not in the map"},
};
static const pov_record tag_record = {MESSAGE(tag), .number = NUMBER_OF_TAG, FIELDS(tag_fields),
                                      .blank_size = sizeof(pov_observed_tag), .complete = note_mapped};

static const pov_field turntable_fields[] = {
    {"angle_rad", "angle_deg", NUMBER(pov_observed_turntable, angle_rad), WITHIN(0, 2 * POV_PI),
     .is_angle = true, .meaning = "its angle, counter-clockwise from its zero seen from above"},
    {"angle_std_rad", "angle_std_deg", NUMBER(pov_observed_turntable, std_rad), POSITIVE, .is_angle = true,
     .meaning = "standard deviation, including the errors of camera and axis"},
    {"tags", "tags", WHOLE(pov_observed_turntable, tag_len), WITHIN(1, POV_TAG_MAX),
     .meaning = "number of tags used"},
};
static const pov_observed_turntable unknown_turntable = {.angle_rad = NAN, .std_rad = NAN};
static const pov_record turntable_record = {MESSAGE(turntable), .number = NUMBER_OF_TURNTABLE,
                                            FIELDS(turntable_fields), .blank = &unknown_turntable,
                                            .blank_size = sizeof unknown_turntable};

static const pov_field lens_fields[] = {
    {"zoom", "zoom", NUMBER(pov_lens_health, zoom), POSITIVE,
     .meaning = "focal length that fits the tags best, over the calibration's"},
    {"zoom_std", "zoom_std", NUMBER(pov_lens_health, zoom_std), POSITIVE,
     .meaning = "its standard deviation"},
    {"misfit", "misfit", NUMBER(pov_lens_health, misfit), NOT_NEGATIVE,
     .meaning = "mean square of the tags' residuals over the expected value: 1 or less is good"},
    {"stale", "stale", FLAG(pov_lens_health, stale), .meaning = "the calibration does not hold"},
};
static const pov_record lens_record = {MESSAGE(lens_health), .number = NUMBER_OF_LENS, FIELDS(lens_fields),
                                       .blank_size = sizeof(pov_lens_health)};

/* -------- the scene -------- */

static void compute_position_cov(double *numbers, const void *record, const pov_scene *scene)
{
    double cov_m2[3][3];
    pov_scene_position_cov(scene, cov_m2, record);
    memcpy(numbers, cov_m2, sizeof cov_m2);
}

static const pov_field position_fields[] = {
    {"mean_m", "pos_m", NUMBERS(pov_position, mean_m), .meaning = "centre of its box; null: not placed"},
    {"own_cov_m2", NULL, NUMBERS(pov_position, own_cov_m2), .form = POV_COVARIANCE,
     .meaning = "covariance of its own error"},
    {"per_camera_pose", NULL, NUMBERS(pov_position, per_camera_pose),
     .meaning = "3x6 derivative by the camera pose's error (m/rad, m/m); zero: not seen through the camera"},
    {"cov_m2", "pos_cov_m2", COMPUTED(compute_position_cov, 9),
     .meaning = "covariance of `pos_m`, the camera pose's share included"},
};
static const pov_position unknown_position = {.mean_m = {NAN3}};
static const pov_record position_record = {MESSAGE(position), .number = NUMBER_OF_POSITION,
                                           FIELDS(position_fields), .blank = &unknown_position,
                                           .blank_size = sizeof unknown_position};

static const pov_field mode_fields[] = {
    {"weight", "weight", NUMBER(pov_heading_mode, weight), NOT_NEGATIVE, .meaning = "weights sum to 1"},
    {"yaw_rad", "yaw_rad", NUMBER(pov_heading_mode, yaw_rad),
     .meaning = "counter-clockwise from table +x, seen from above"},
    {"kappa", "kappa", NUMBER(pov_heading_mode, kappa), NOT_NEGATIVE, .meaning = "concentration"},
};
static const pov_record mode_record = {MESSAGE(heading_mode), .number = NUMBER_OF_MODE, FIELDS(mode_fields)};

static const pov_field velocity_fields[] = {
    {"linear_m_s", "velocity_m_s", NUMBERS(pov_entity, velocity_m_s),
     .meaning = "of the box's centre in the table frame"},
    {"linear_cov", "velocity_cov_m2_s2", NUMBERS(pov_entity, velocity_cov_m2_s2), .form = POV_COVARIANCE,
     .meaning = "its covariance; zero: unknown"},
    {"turn_rate_rad_s", "turn_rate_rad_s", NUMBER(pov_entity, turn_rate_rad_s),
     .known_at = offsetof(pov_entity, has_turn_rate),
     .meaning = "of the heading, counter-clockwise from above"},
    {"turn_rate_std_rad_s", "turn_rate_std_rad_s", NUMBER(pov_entity, turn_rate_std_rad_s), NOT_NEGATIVE,
     .known_at = offsetof(pov_entity, has_turn_rate), .meaning = "its standard deviation"},
};
static const pov_record velocity_record = {MESSAGE(velocity), .number = NUMBER_OF_VELOCITY,
                                           FIELDS(velocity_fields)};

static bool has_far(const void *record)
{
    return isfinite(((const pov_field_of_view *)record)->far_m);
}

static const pov_field field_fields[] = {
    {"shape", "shape", CHOICE(pov_field_of_view, shape, field_shape),
     .meaning = "`\"cone\"`: elliptical; `\"frustum\"`: as a camera's"},
    {"half_horizontal_rad", "half_horizontal_deg", NUMBER(pov_field_of_view, half_horizontal_rad),
     WITHIN(0, POV_PI), .is_above = true, .is_angle = true,
     .meaning = "half of it to the left, half to the right of the gaze"},
    {"half_vertical_rad", "half_vertical_deg", NUMBER(pov_field_of_view, half_vertical_rad),
     WITHIN(0, POV_PI), .is_above = true, .is_angle = true, .meaning = "up and down"},
    {"near_m", "near_m", NUMBER(pov_field_of_view, near_m), NOT_NEGATIVE,
     .meaning = "nearer nothing is seen"},
    {"far_m", "far_m", NUMBERS(pov_field_of_view, far_m), NOT_NEGATIVE, .applies = has_far,
     .meaning = "farther nothing is seen; left out: no limit"},
    {"eye_m", "eye_m", NUMBERS(pov_field_of_view, eye_m),
     .meaning = "the eye, in the axes of its box, from the box's centre"},
};
static const char *field_fault(const void *record)
{
    const pov_field_of_view *field = record;
    const double widest_rad = field->shape == POV_FIELD_CONE ? POV_PI : nextafter(POV_PI / 2, 0);
    if (field->half_horizontal_rad > widest_rad || field->half_vertical_rad > widest_rad)
        return "a frustum's half angles are less than pi/2";
    return field->far_m < field->near_m ? "far_m is less than near_m" : NULL;
}
static const pov_field_of_view unlimited_field = {.far_m = INFINITY};
static const pov_record field_record = {MESSAGE(field_of_view),
                                        .number = NUMBER_OF_FIELD,
                                        FIELDS(field_fields),
                                        .blank = &unlimited_field,
                                        .blank_size = sizeof unlimited_field,
                                        .fault = field_fault};

static const pov_field track_fields[] = {
    {"age_s", "age_s", NUMBER(pov_entity_track, age_s), NOT_NEGATIVE, .meaning = "since the first detection"},
    {"hidden_s", "hidden_s", NUMBER(pov_entity_track, hidden_s), NOT_NEGATIVE,
     .meaning = "since the last detection; 0: in this image"},
    {"other_p", "other_p", NUMBER(pov_entity_track, other_p), WITHIN(0, 1),
     .meaning = "probability that its id was swapped with a similar entity"},
    {"lost", "lost", FLAG(pov_entity_track, lost),
     .meaning = "not detected for so long that its place is unknown"},
    {"motion", "motion", CHOICE(pov_entity_track, motion, motion), .meaning = "likeliest motion"},
};
static const pov_record track_record = {MESSAGE(track), .number = NUMBER_OF_TRACK, FIELDS(track_fields)};

static bool has_front(const void *record)
{
    return ((const pov_entity *)record)->heading.len > 0;
}

static void compute_yaw(double *numbers, const void *record, const pov_scene *scene)
{
    (void)scene;
    const pov_heading_mode *mode = pov_heading_heaviest(&((const pov_entity *)record)->heading);
    *numbers = mode ? mode->yaw_rad : NAN;
}

static void compute_kappa(double *numbers, const void *record, const pov_scene *scene)
{
    (void)scene;
    const pov_heading_mode *mode = pov_heading_heaviest(&((const pov_entity *)record)->heading);
    *numbers = mode ? mode->kappa : NAN;
}

static const pov_field entity_fields[] = {
    {"name", "id", TEXT(pov_entity, name), .meaning = "its name, unique in the scene"},
    {"class_name", "class", TEXT(pov_entity, class_name), .meaning = "e.g. `\"ball\"`, `\"camera\"`"},
    {"about", "about", TEXT(pov_entity, about), .is_left_out_if_empty = true,
     .meaning = "other words for it, and about it (`words`, `about` in the station file)"},
    {"position", "", RECORD(pov_entity, position, position_record), .known_at = offsetof(pov_entity, placed),
     .is_inline = true},
    {NULL, "heading_rad", COMPUTED(compute_yaw, 1), .is_optional = true,
     .meaning = "direction of its front, counter-clockwise from table +x seen from above: of the heaviest "
                "mode; null: it has no front"},
    {NULL, "heading_kappa", COMPUTED(compute_kappa, 1), .is_optional = true,
     .meaning = "concentration of this von Mises distribution: standard deviation about 1/sqrt(kappa) when "
                "large, 0: uniform"},
    {"heading", "headings", LIST(pov_entity, heading.mode, heading.len, mode_record), .meaning = "all modes"},
    {"head_heading", "head_headings", LIST(pov_entity, head_heading.mode, head_heading.len, mode_record),
     .is_left_out_if_empty = true,
     .meaning = "of a person's head, where it is seen apart from the body: decides what the person sees"},
    {"arms_seen", "arms_seen", FLAG(pov_entity, arms_seen), .is_left_out_if_empty = true,
     .meaning = "a person's arms were seen: `pointing` says whether one points"},
    {"pointing", "pointing", LIST(pov_entity, pointing.mode, pointing.len, mode_record),
     .is_left_out_if_empty = true,
     .meaning = "ray of an arm that points, from the eye through the fingertip, seen from above; none: no "
                "arm points, or not known"},
    {"seen", "seen", FLAG(pov_entity, seen),
     .meaning = "detected in this image; a surveyed entity has a position without being detected"},
    {"addressee", "addressee", FLAG(pov_entity, addressee),
     .meaning = "a viewer whose perspective is judged"},
    {"look_age_s", "look_age_s", NUMBER(pov_entity, look_age_s), NOT_NEGATIVE, .is_left_out_if_empty = true,
     .meaning = "age of the image in which a detector in the background found it; its covariance has grown "
                "by the motion possible "
                "since"},
    {"size_m", "size_m", NUMBERS(pov_entity, size_m), NOT_NEGATIVE,
     .meaning = "its box along its own axes, x is the front's axis"},
    {"R_table_box", "R_table_box", NUMBERS(pov_entity, R_table_box), .form = POV_ROTATION,
     .meaning = "rotation matrix, the box's axes in the table frame"},
    {"velocity", "", .kind = POV_KIND_RECORD, .record = &velocity_record,
     .known_at = offsetof(pov_entity, has_velocity), .is_inline = true},
    {"track", "track", RECORD(pov_entity, track, track_record),
     .known_at = offsetof(pov_entity, track.tracked),
     .meaning = "its state from earlier images; null: not tracked ([TRACKING.md](TRACKING.md))"},
    {"field", "sees", RECORD(pov_entity, field, field_record), .known_at = offsetof(pov_entity, can_see),
     .meaning = "its field of view, about its gaze; null: it cannot see"},
    {"heading_per_camera_pose", NULL, NUMBERS(pov_entity, heading_ties.per_camera_pose), .applies = has_front,
     .meaning = "derivative of the heading by the camera pose's error (rad/rad, rad/m); none: zero"},
    {"heading_with_position", NULL, NUMBERS(pov_entity, heading_ties.with_position_m), .applies = has_front,
     .meaning = "covariance of the rest of the heading's error with the position's own (rad m); none: zero"},
};

static bool is_whole(const pov_heading *heading)
{
    double sum = 0;
    for (int i = 0; i < heading->len; i++)
        sum += heading->mode[i].weight;
    return heading->len == 0 || fabs(sum - 1) <= 1e-6;
}

static const char *entity_fault(const void *record)
{
    const pov_entity *entity = record;
    if (*entity->name == '\0')
        return "name is empty";
    if (!is_whole(&entity->heading))
        return "heading: the weights do not sum to 1";
    if (!is_whole(&entity->pointing))
        return "pointing: the weights do not sum to 1";
    return is_whole(&entity->head_heading) ? NULL : "head_heading: the weights do not sum to 1";
}
static const pov_record entity_record = {MESSAGE(entity), .number = NUMBER_OF_ENTITY, FIELDS(entity_fields),
                                         .blank_size = sizeof(pov_entity), .fault = entity_fault};

static const pov_field scene_fields[] = {
    {"entities", "entities", LIST(pov_scene, entities, len, entity_record), .meaning = "list, see below"},
    {"camera_pose_cov", NULL, NUMBERS(pov_scene, camera_pose_cov), .form = POV_COVARIANCE,
     .meaning = "covariance of the camera pose's error, shared by all positions seen through it"},
    {"camera", "camera", ENTITY(pov_scene, camera), .is_optional = true,
     .meaning = "id of the camera's entity; null: its pose is unknown"},
    {"north_yaw_rad", "north_yaw_rad", NUMBER(pov_scene, north_yaw_rad),
     .known_at = offsetof(pov_scene, has_north), .is_optional = true,
     .meaning = "direction of north, counter-clockwise from table +x seen from above"},
};

static const char *scene_fault(const void *record)
{
    const pov_scene *self = record;
    for (int i = 0; i < self->len; i++)
        for (int other = 0; other < i; other++)
            if (strcmp(self->entities[i].name, self->entities[other].name) == 0)
                return "two entities have the same name";
    return NULL;
}
static const pov_record scene_record = {MESSAGE(scene), .number = NUMBER_OF_SCENE, FIELDS(scene_fields),
                                        .fault = scene_fault};

/* -------- judgments -------- */

static bool is_direction(const void *record)
{
    return ((const pov_judgment *)record)->query.relation->projective != POV_RELATION_COUNT;
}

static bool is_no_direction(const void *record)
{
    return !is_direction(record);
}

static bool needs_frame(const void *record)
{
    return ((const pov_judgment *)record)->query.relation->frame != POV_FRAME_NONE;
}

static bool is_undefined(const void *record)
{
    return ((const pov_judgment *)record)->belief.verdict == POV_VERDICT_UNDEFINED;
}

static void compute_flip_angle(double *numbers, const void *record, const pov_scene *scene)
{
    (void)scene;
    *numbers = pov_judgment_flip_angle_rad(record);
}

static const pov_field judgment_fields[] = {
    {"referent", "referent", ENTITY(pov_judgment, query.referent), .meaning = "id"},
    {NULL, "relatum", ENTITY(pov_judgment, query.relatum), .applies = is_direction, .meaning = "id"},
    {"relata", NULL, .kind = POV_KIND_ENTITIES, AT(pov_judgment, query.relatum), .count = POV_RELATA_MAX,
     .len_at = offsetof(pov_judgment, query.relatum_len), .meaning = "as below"},
    {"relation", NULL, .kind = POV_KIND_RELATION, AT(pov_judgment, query.relation), .meaning = "as below"},
    {NULL, "relata", .kind = POV_KIND_ENTITIES, AT(pov_judgment, query.relatum), .count = POV_RELATA_MAX,
     .len_at = offsetof(pov_judgment, query.relatum_len), .applies = is_no_direction,
     .meaning = "ids: one for most relations; two for `\"between\"` and for `\"nearer_to\"` and "
                "`\"farther_from\"` (to the first, than the "
                "second is); all others for `\"among\"`"},
    {NULL, "relation", .kind = POV_KIND_RELATION, AT(pov_judgment, query.relation),
     .meaning = "its name: `pov relations` lists and defines them"},
    {"perspective", "perspective", CHOICE(pov_judgment, query.perspective, perspective),
     .is_told = needs_frame,
     .meaning = "the owner of the axes: the camera, a person, the relatum's front, north; null: the relation "
                "is the same in every "
                "frame of reference"},
    {"viewer", "viewer", ENTITY(pov_judgment, query.viewer), .is_optional = true,
     .meaning = "id, or null: intrinsic, absolute, or the same in every frame"},
    {"convention", "convention", CHOICE(pov_judgment, query.convention, convention), .wire_turn = 1,
     .meaning = "how the viewer's axes are laid on the relatum; null: intrinsic, absolute"},
    {"axis", NULL, CHOICE(pov_judgment, query.axis, axis), .meaning = "as below"},
    {NULL, "axis", CHOICE(pov_judgment, query.axis, axis), .applies = is_direction,
     .meaning = "`\"sight_line\"` (viewer to relatum) or `\"heading\"`"},
    {"acceptance", "acceptance", CHOICE(pov_judgment, query.acceptance, acceptance), .applies = is_direction,
     .meaning = "`\"hemisphere\"` (1 within 90 degrees, else 0), `\"cosine\"` ((cos theta + 1) / 2) or "
                "`\"template\"` (good, acceptable and "
                "bad regions fitted to ratings)"},
    {"theta_rad", "theta_deg", NUMBER(pov_judgment, theta_rad), WITHIN(-POV_PI, POV_PI), .is_angle = true,
     .applies = is_direction, .may_be_nan = is_undefined,
     .meaning = "signed angle from the relation's direction to the one from relatum to referent, on the "
                "ground, counter-clockwise from "
                "above; null when undefined"},
    {"theta_std_rad", "theta_std_deg", NUMBER(pov_judgment, theta_std_rad), NOT_NEGATIVE, .is_angle = true,
     .applies = is_direction, .may_be_nan = is_undefined,
     .meaning = "its standard deviation, including all modes of the front"},
    {"p", "p", NUMBER(pov_judgment, belief.p), WITHIN(0, 1), .may_be_nan = is_undefined,
     .meaning = "expected truth value under the pose posterior"},
    {"p_std", "p_std", NUMBER(pov_judgment, belief.p_std), WITHIN(0, 1), .may_be_nan = is_undefined,
     .meaning = "its standard deviation over the posterior"},
    {"flip_angle_rad", "flip_angle_deg", COMPUTED(compute_flip_angle, 1), .is_angle = true,
     .applies = is_direction, .may_be_nan = is_undefined,
     .meaning = "90 degrees minus the absolute value of `theta_deg`: the distance to the boundary, negative "
                "outside; or null"},
    {"flip_distance_m", "flip_distance_m", NUMBER(pov_judgment, flip_distance_m), NOT_NEGATIVE,
     .applies = is_direction, .may_be_nan = is_undefined,
     .meaning = "distance on the ground that the referent must move to reach the boundary"},
    {"containment", "containment", CHOICE(pov_judgment, containment, containment), .applies = is_direction,
     .meaning = "`\"internal\"` if the referent's centre is likelier inside the relatum's box than not "
                "(`p_internal` above 0.5), else "
                "`\"external\"`"},
    {"p_internal", "p_internal", NUMBER(pov_judgment, p_internal), WITHIN(0, 1), .applies = is_direction,
     .may_be_nan = is_undefined,
     .meaning = "probability of `\"internal\"`, null if one of the two is not placed"},
    {"verdict", "verdict", CHOICE(pov_judgment, belief.verdict, verdict),
     .meaning = "by the probability that the truth value is above 0.5. `\"abstain\"`: too close to the "
                "boundary to decide; "
                "`\"undefined\"`: no answer exists"},
    {"doubt", NULL, CHOICE_FROM(0, pov_judgment, doubt, doubt), .meaning = "as below"},
    {NULL, "doubt", CHOICE(pov_judgment, doubt, doubt), .applies = is_direction,
     .meaning = "cause of an abstention: `\"poses\"` (noise, or too close), `\"calibration\"` (it would not "
                "abstain with exact "
                "intrinsics)"},
};

static const char *judgment_fault(const void *record)
{
    const pov_query *query = &((const pov_judgment *)record)->query;
    return query->relatum_len >= query->relation->relata_min &&
                   query->relatum_len <= (is_direction(record) ? 1 : POV_RELATA_MAX)
               ? NULL
               : "relata: too few, or too many";
}
static const pov_judgment blank_judgment = {.query = {.viewer = POV_ID_NONE, .convention = POV_NO_CONVENTION},
                                            .theta_rad = NAN,
                                            .theta_std_rad = NAN,
                                            .flip_distance_m = NAN,
                                            .p_internal = NAN};
static const pov_record judgment_record = {
    MESSAGE(judgment),        .number = NUMBER_OF_JUDGMENT,        FIELDS(judgment_fields),
    .blank = &blank_judgment, .blank_size = sizeof blank_judgment, .fault = judgment_fault};

/* -------- who sees what, and where -------- */

static const pov_field occluder_fields[] = {
    {"entity", "id", ENTITY(pov_occluder, id), .meaning = "id"},
    {"share", "share", NUMBER(pov_occluder, share), WITHIN(0, 1), .meaning = "the share that it hides first"},
};
static const pov_record occluder_record = {MESSAGE(occluder), .number = NUMBER_OF_OCCLUDER,
                                           FIELDS(occluder_fields)};

static bool sight_is_undefined(const void *record)
{
    return ((const pov_visibility *)record)->sees.verdict == POV_VERDICT_UNDEFINED;
}

#define SHARE(type, member) NUMBER(type, member), WITHIN(0, 1), .may_be_nan = sight_is_undefined
static const pov_field sight_fields[] = {
    {"viewer", "viewer", ENTITY(pov_visibility, viewer), .meaning = "id"},
    {"target", "target", ENTITY(pov_visibility, target), .meaning = "id"},
    {"p", "p", SHARE(pov_visibility, sees.p),
     .meaning = "probability that the target counts as seen, under the errors of poses and gaze"},
    {"p_std", "p_std", SHARE(pov_visibility, sees.p_std), .meaning = "its standard deviation"},
    {"verdict", "verdict", CHOICE(pov_visibility, sees.verdict, verdict), .meaning = "by `p`"},
    {"fraction_visible", "fraction_visible", SHARE(pov_visibility, fraction_visible),
     .meaning = "share of the target's solid angle at the eye, at the most likely poses and gaze; this and "
                "the three below sum to 1"},
    {"fraction_expected", "fraction_expected", SHARE(pov_visibility, fraction_expected),
     .meaning = "mean of `fraction_visible` under the errors"},
    {"fraction_out_of_view", "fraction_out_of_view", SHARE(pov_visibility, fraction_out_of_view),
     .meaning = "outside the field of view"},
    {"fraction_hidden", "fraction_hidden", SHARE(pov_visibility, fraction_hidden),
     .meaning = "behind other bodies"},
    {"fraction_out_of_range", "fraction_out_of_range", SHARE(pov_visibility, fraction_out_of_range),
     .meaning = "too near or too far"},
    {"size_rad", "size_deg", NUMBER(pov_visibility, size_rad), WITHIN(0, 2 * POV_PI), .is_angle = true,
     .may_be_nan = sight_is_undefined, .meaning = "diameter of the disc with the target's whole solid angle"},
    {"cause", "cause", CHOICE(pov_visibility, cause, cause),
     .meaning = "why it is not visible; `\"none\"`: it is"},
    {"occluders", "occluders", LIST(pov_visibility, occluders, occluder_len, occluder_record),
     .meaning = "the entities that hide it, largest share first"},
};

static const pov_record sight_record = {MESSAGE(visibility), .number = NUMBER_OF_SIGHT, FIELDS(sight_fields)};

static bool direction_is_undefined(const void *record)
{
    return ((const pov_observed_direction *)record)->side.verdict == POV_VERDICT_UNDEFINED;
}

static const pov_field direction_fields[] = {
    {"viewer", "viewer", ENTITY(pov_observed_direction, viewer), .meaning = "id"},
    {"target", "target", ENTITY(pov_observed_direction, target), .meaning = "id"},
    {"bearing_rad", "bearing_deg", NUMBER(pov_observed_direction, side.bearing_rad), WITHIN(-POV_PI, POV_PI),
     .is_angle = true, .may_be_nan = direction_is_undefined,
     .meaning = "of the target about the viewer's heading, counter-clockwise from above"},
    {"side", "side", CHOICE(pov_observed_direction, side.side, side),
     .meaning = "likeliest of eight, 45 degrees each"},
    {"p_sides", "p_sides", NUMBERS(pov_observed_direction, side.p), WITHIN(0, 1),
     .may_be_nan = direction_is_undefined, .meaning = "probability of each, in this order; they sum to 1"},
    {"quarter", "quarter", CHOICE(pov_observed_direction, side.quarter, side),
     .meaning = "likeliest of `\"front\"`, `\"left\"`, `\"back\"`, `\"right\"`, 90 degrees each"},
    {"p_quarters", "p_quarters", NUMBERS(pov_observed_direction, side.p_quarter), WITHIN(0, 1),
     .may_be_nan = direction_is_undefined, .meaning = "probability of each, in this order"},
    {"verdict", "verdict", CHOICE(pov_observed_direction, side.verdict, verdict),
     .meaning = "on `side`: `\"true\"` (p above 0.95), `\"abstain\"`, `\"undefined\"`"},
};
static const pov_record direction_record = {MESSAGE(direction), .number = NUMBER_OF_DIRECTION,
                                            FIELDS(direction_fields)};

static const pov_field place_fields[] = {
    {"entity", "id", ENTITY(pov_place, id), .meaning = "id"},
    {"bearing_rad", "bearing_deg", NUMBER(pov_place, bearing_rad), WITHIN(-POV_PI, POV_PI), .is_angle = true,
     .meaning = "about the viewer's heading, counter-clockwise from above"},
    {"distance_m", "distance_m", NUMBER(pov_place, distance_m), NOT_NEGATIVE,
     .meaning = "between centres, on the ground"},
    {"p_swapped", "p_swapped", NUMBER(pov_place, p_swapped), WITHIN(0, 1),
     .meaning = "probability that this one and the next are in the opposite order; 0 for the last"},
    {"uncertain", "uncertain", FLAG(pov_place, is_uncertain), .meaning = "`p_swapped` is above 0.05"},
};
static const pov_record place_record = {MESSAGE(place), .number = NUMBER_OF_PLACE, FIELDS(place_fields)};

static const pov_field view_fields[] = {
    {"viewer", "viewer", ENTITY(pov_observed_view, viewer), .meaning = "id"},
    {"left_to_right", "left_to_right",
     LIST(pov_observed_view, left_to_right.places, left_to_right.len, place_record),
     .meaning = "the entities from left to right"},
    {"near_to_far", "near_to_far", LIST(pov_observed_view, near_to_far.places, near_to_far.len, place_record),
     .meaning = "the same entities from near to far"},
};
static const pov_record view_record = {MESSAGE(view), .number = NUMBER_OF_VIEW, FIELDS(view_fields)};

/* -------- all results of one image -------- */

static const pov_field observation_fields[] = {
    {"image", "image", RECORD(pov_observation, image, image_record),
     .meaning = "its name, time, size and the camera's pose"},
    {"tags", "tags", LIST(pov_observation, tags, tag_len, tag_record),
     .meaning = "fiducial tags in the image, if the station looks for any; the same printed tag may be in "
                "view twice"},
    {"tags_truncated", "tags_truncated", FLAG(pov_observation, tags_truncated), .meaning = FULL},
    {"turntable", "turntable", RECORD(pov_observation, turntable, turntable_record),
     .known_at = offsetof(pov_observation, turntable.known),
     .meaning = "its angle; null unless the station has a turntable measured by [`pov calib "
                "turntable`](CALIBRATION.md#a-turntable) and its tags are detected"},
    {"lens", "lens", RECORD(pov_observation, lens, lens_record),
     .known_at = offsetof(pov_observation, lens.known),
     .meaning =
         "whether the camera's calibration holds ([CALIBRATION.md](CALIBRATION.md#does-it-still-hold)); null "
         "if the camera's pose does not come from mapped tags, and for the first nine images"},
    {"scene", "scene", RECORD(pov_observation, scene, scene_record), .meaning = "entities, camera, north"},
    {"relation_names", NULL, .kind = POV_KIND_NAMES, .count = POV_REGISTRY_MAX,
     .meaning = "of all relations of `judgments`, each once"},
    {"judgments", "judgments", LIST(pov_observation, judgments, judgment_len, judgment_record),
     .is_listed = is_direction,
     .meaning =
         "of the eight directions, at most 10240; on the wire then those of other relations, at most 10240"},
    {"judgments_truncated", "judgments_truncated", FLAG(pov_observation, directed_truncated),
     .meaning = FULL},
    {"visibility", "visibility", LIST(pov_observation, sights, sight_len, sight_record),
     .meaning = "who sees what"},
    {"visibility_truncated", "visibility_truncated", FLAG(pov_observation, sights_truncated),
     .meaning = FULL},
    {NULL, "relations", LIST(pov_observation, judgments, judgment_len, judgment_record),
     .is_listed = is_no_direction, .meaning = "judgments of other relations, at most 10240"},
    {"relations_truncated", "relations_truncated", FLAG(pov_observation, others_truncated), .meaning = FULL},
    {"directions", "directions", LIST(pov_observation, directions, direction_len, direction_record),
     .meaning = "on which side of a viewer's heading each thing is"},
    {"directions_truncated", "directions_truncated", FLAG(pov_observation, directions_truncated),
     .meaning = FULL},
    {"views", "views", LIST(pov_observation, views, view_len, view_record),
     .meaning = "for each viewer, the order of all that is ahead"},
    {"views_truncated", "views_truncated", FLAG(pov_observation, views_truncated), .meaning = FULL},
};

static void count_directions(void *record)
{
    pov_observation *self = record;
    self->directed_len = 0;
    while (self->directed_len < self->judgment_len && is_direction(&self->judgments[self->directed_len]))
        self->directed_len++;
}

static const char *observation_fault(const void *record)
{
    const pov_observation *self = record;
    for (int i = 0; i < self->judgment_len; i++)
        if (is_direction(&self->judgments[i]) != (i < self->directed_len))
            return "judgments: directions must come before the other relations";
    return NULL;
}
const pov_record pov_observation_record = {MESSAGE(observation), .number = NUMBER_OF_OBSERVATION,
                                           FIELDS(observation_fields), .fault = observation_fault,
                                           .complete = count_directions};

/* -------- all records -------- */

const pov_record *const pov_records[] = {
    [NUMBER_OF_OBSERVATION] = &pov_observation_record,
    [NUMBER_OF_IMAGE] = &image_record,
    [NUMBER_OF_POSE] = &pose_record,
    [NUMBER_OF_CANDIDATE] = &candidate_record,
    [NUMBER_OF_TAG] = &tag_record,
    [NUMBER_OF_TURNTABLE] = &turntable_record,
    [NUMBER_OF_LENS] = &lens_record,
    [NUMBER_OF_SCENE] = &scene_record,
    [NUMBER_OF_ENTITY] = &entity_record,
    [NUMBER_OF_POSITION] = &position_record,
    [NUMBER_OF_MODE] = &mode_record,
    [NUMBER_OF_VELOCITY] = &velocity_record,
    [NUMBER_OF_TRACK] = &track_record,
    [NUMBER_OF_FIELD] = &field_record,
    [NUMBER_OF_JUDGMENT] = &judgment_record,
    [NUMBER_OF_SIGHT] = &sight_record,
    [NUMBER_OF_OCCLUDER] = &occluder_record,
    [NUMBER_OF_DIRECTION] = &direction_record,
    [NUMBER_OF_VIEW] = &view_record,
    [NUMBER_OF_PLACE] = &place_record,
    [NUMBER_OF_HEALTH] = &pov_health_record,
    [NUMBER_OF_COMPARISON] = &pov_comparison_record,
    [NUMBER_OF_GOLD] = &pov_gold_record,
    [NUMBER_OF_MOVED_TAG] = &pov_moved_tag_record,
    [NUMBER_OF_STAGE] = &pov_stage_record,
    [NUMBER_OF_ASKED_MODEL] = &pov_asked_model_record,
    [NUMBER_OF_AGREEMENT] = &pov_agreement_record,
    [NUMBER_OF_CAMERA_HEALTH] = &pov_camera_health_record,
    [RECORDS] = NULL,
};
