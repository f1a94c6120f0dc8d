#include "protocol/observation/json.h"

#include "config/files/number_shim.h"
#include "config/files/utf8.h"
#include "perception/geometry/geom.h"

#include <cJSON.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

/* -------- values -------- */

/* cJSON prints 15 digits where it finds them good enough; here every number comes back as it was. */
static cJSON *number(double value)
{
    char text[POV_NUMBER_CAPACITY];
    if (!isfinite(value))
        return cJSON_CreateNull();
    pov_number_text(text, value);
    return cJSON_CreateRaw(text);
}

/* A double holds integers only up to 2^53. */
static cJSON *integer(int64_t value)
{
    char text[24];
    snprintf(text, sizeof text, "%" PRId64, value);
    return cJSON_CreateRaw(text);
}

static cJSON *count(uint64_t value)
{
    char text[24];
    snprintf(text, sizeof text, "%" PRIu64, value);
    return cJSON_CreateRaw(text);
}

static cJSON *hash(uint64_t value)
{
    char text[24];
    snprintf(text, sizeof text, "%016" PRIx64, value);
    return cJSON_CreateString(text);
}

/* A name of this program's own, which outlives the line. */
static cJSON *name_or_null(const char *name)
{
    return name ? cJSON_CreateStringReference(name) : cJSON_CreateNull();
}

static cJSON *text_or_null(const char *text)
{
    char valid[POV_IMAGE_NAME_CAPACITY];
    if (text == NULL)
        return cJSON_CreateNull();
    pov_utf8_copy(valid, sizeof valid, text);
    return cJSON_CreateString(valid);
}

static cJSON *numbers(const double *values, int len)
{
    cJSON *array = cJSON_CreateArray();
    for (int i = 0; i < len; i++)
        cJSON_AddItemToArray(array, number(values[i]));
    return array;
}

static cJSON *vector(pov_vec3 value)
{
    const double values[] = {value.x, value.y, value.z};
    return numbers(values, 3);
}

static void add(cJSON *object, const char *name, cJSON *value)
{
    cJSON_AddItemToObjectCS(object, name, value);
}

/* -------- an observation's parts -------- */

static void add_transform(cJSON *object, const pov_pose *T_table_camera)
{
    bool known = !isnan(T_table_camera->T.t_m.x);
    add(object, "pos_m", known ? vector(T_table_camera->T.t_m) : cJSON_CreateNull());
    add(object, "R_table_camera", known ? numbers(&T_table_camera->T.R.m[0][0], 9) : cJSON_CreateNull());
    add(object, "cov", known ? numbers(&T_table_camera->cov[0][0], 36) : cJSON_CreateNull());
}

static cJSON *pose(const pov_image_header *image)
{
    cJSON *object = cJSON_CreateObject(), *candidates = cJSON_CreateArray();
    add(object, "source", name_or_null(pov_pose_source_name(image->pose_source)));
    add_transform(object, &image->T_table_camera);
    for (int i = 0; i < image->candidate_len; i++) {
        cJSON *candidate = cJSON_CreateObject();
        add(candidate, "probability", number(image->candidates[i].probability));
        add_transform(candidate, &image->candidates[i].T_table_camera);
        cJSON_AddItemToArray(candidates, candidate);
    }
    add(object, "candidates", candidates);
    return object;
}

static cJSON *image_header(const pov_image_header *image)
{
    cJSON *object = cJSON_CreateObject();
    add(object, "name", text_or_null(image->name));
    add(object, "sequence", count(image->sequence));
    add(object, "capture_ns", integer(image->capture_ns));
    add(object, "width_px", integer(image->width_px));
    add(object, "height_px", integer(image->height_px));
    add(object, "calibration", hash(image->calibration_hash));
    add(object, "pose", pose(image));
    return object;
}

static cJSON *tag_object(const pov_observed_tag *observed)
{
    const pov_tag *tag = &observed->tag;
    cJSON *object = cJSON_CreateObject(), *corners = cJSON_CreateArray();
    for (int i = 0; i < 4; i++) {
        const double corner_px[] = {tag->corner_px[i].x, tag->corner_px[i].y};
        cJSON_AddItemToArray(corners, numbers(corner_px, 2));
    }
    add(object, "family", name_or_null(pov_tag_family_name(tag->family)));
    add(object, "id", integer(tag->id));
    add(object, "corners_px", corners);
    add(object, "corner_std_px", number(tag->corner_std_px));
    add(object, "bits_corrected", integer(tag->bits_corrected));
    add(object, "decision_margin", number(tag->decision_margin));
    add(object, "fate", name_or_null(pov_tag_fate_name(observed->fate)));
    add(object, "residual_px", number(observed->residual_px));
    return object;
}

static cJSON *tags_array(const pov_observation *observation)
{
    cJSON *array = cJSON_CreateArray();
    for (int i = 0; i < observation->tag_len; i++)
        cJSON_AddItemToArray(array, tag_object(&observation->tags[i]));
    return array;
}

static void add_position(cJSON *object, const pov_scene *scene, const pov_entity *entity)
{
    double cov_m2[3][3];
    if (entity->placed)
        pov_scene_position_cov(scene, cov_m2, &entity->position);
    add(object, "pos_m", entity->placed ? vector(entity->position.mean_m) : cJSON_CreateNull());
    add(object, "pos_cov_m2", entity->placed ? numbers(&cov_m2[0][0], 9) : cJSON_CreateNull());
}

static void add_mode(cJSON *object, const char *yaw_name, const char *kappa_name,
                     const pov_heading_mode *mode)
{
    add(object, yaw_name, mode == NULL ? cJSON_CreateNull() : number(mode->yaw_rad));
    add(object, kappa_name, mode == NULL ? cJSON_CreateNull() : number(mode->kappa));
}

static void add_heading(cJSON *object, const pov_heading *heading)
{
    add_mode(object, "heading_rad", "heading_kappa", pov_heading_heaviest(heading));
    cJSON *modes = cJSON_CreateArray();
    for (int i = 0; i < heading->len; i++) {
        cJSON *mode = cJSON_CreateObject();
        add(mode, "weight", number(heading->mode[i].weight));
        add_mode(mode, "yaw_rad", "kappa", &heading->mode[i]);
        cJSON_AddItemToArray(modes, mode);
    }
    add(object, "headings", modes);
}

static void add_velocity(cJSON *object, const pov_entity *entity)
{
    bool known = entity->has_velocity, turns = known && entity->has_turn_rate;
    add(object, "velocity_m_s", known ? vector(entity->velocity_m_s) : cJSON_CreateNull());
    add(object, "velocity_cov_m2_s2",
        known ? numbers(&entity->velocity_cov_m2_s2[0][0], 9) : cJSON_CreateNull());
    add(object, "turn_rate_rad_s", number(turns ? entity->turn_rate_rad_s : NAN));
    add(object, "turn_rate_std_rad_s", number(turns ? entity->turn_rate_std_rad_s : NAN));
}

static cJSON *track_or_null(const pov_entity_track *track)
{
    if (!track->tracked)
        return cJSON_CreateNull();
    cJSON *object = cJSON_CreateObject();
    add(object, "age_s", number(track->age_s));
    add(object, "hidden_s", number(track->hidden_s));
    add(object, "other_p", number(track->other_p));
    add(object, "lost", cJSON_CreateBool(track->lost));
    add(object, "motion", name_or_null(pov_motion_model_name(track->motion)));
    return object;
}

static cJSON *entity_object(const pov_scene *scene, const pov_entity *entity)
{
    cJSON *object = cJSON_CreateObject();
    add(object, "id", text_or_null(entity->name));
    add(object, "class", text_or_null(entity->class_name));
    if (*entity->about)
        add(object, "about", text_or_null(entity->about));
    add_position(object, scene, entity);
    add_heading(object, &entity->heading);
    add(object, "seen", cJSON_CreateBool(entity->seen));
    add(object, "addressee", cJSON_CreateBool(entity->addressee));
    if (entity->look_age_s > 0)
        add(object, "look_age_s", number(entity->look_age_s));
    add(object, "size_m", vector(entity->size_m));
    add(object, "R_table_box", numbers(&entity->R_table_box.m[0][0], 9));
    add_velocity(object, entity);
    add(object, "track", track_or_null(&entity->track));
    return object;
}

static cJSON *id_or_null(const pov_scene *scene, pov_id id)
{
    return id == POV_ID_NONE ? cJSON_CreateNull() : text_or_null(scene->entities[id].name);
}

static cJSON *scene_object(const pov_scene *scene)
{
    cJSON *object = cJSON_CreateObject(), *entities = cJSON_CreateArray();
    for (int i = 0; i < scene->len; i++)
        cJSON_AddItemToArray(entities, entity_object(scene, &scene->entities[i]));
    add(object, "entities", entities);
    add(object, "camera", id_or_null(scene, scene->camera));
    add(object, "north_yaw_rad", number(scene->has_north ? scene->north_yaw_rad : NAN));
    return object;
}

static void add_relata(cJSON *object, const pov_scene *scene, const pov_query *query)
{
    cJSON *array = cJSON_CreateArray();
    for (int i = 0; i < query->relatum_len; i++)
        cJSON_AddItemToArray(array, id_or_null(scene, query->relatum[i]));
    add(object, "relata", array);
}

/* A relation that needs no frame has no perspective. Only directions have an axis, an acceptance, angles and distances. */
static cJSON *judgment_object(const pov_scene *scene, const pov_judgment *judgment)
{
    const pov_query *query = &judgment->query;
    const bool directed = query->relation->projective != POV_RELATION_COUNT,
               any_frame = query->relation->frame == POV_FRAME_NONE;
    cJSON *object = cJSON_CreateObject();
    add(object, "referent", id_or_null(scene, query->referent));
    if (directed)
        add(object, "relatum", id_or_null(scene, query->relatum[0]));
    else
        add_relata(object, scene, query);
    add(object, "relation", name_or_null(query->relation->name));
    add(object, "perspective", name_or_null(any_frame ? NULL : pov_perspective_name(query->perspective)));
    add(object, "viewer", id_or_null(scene, query->viewer));
    add(object, "convention", name_or_null(pov_convention_name(query->convention)));
    if (directed) {
        add(object, "axis", name_or_null(pov_axis_name(query->axis)));
        add(object, "acceptance", name_or_null(pov_acceptance_name(query->acceptance)));
        add(object, "theta_deg", number(pov_degrees(judgment->theta_rad)));
        add(object, "theta_std_deg", number(pov_degrees(judgment->theta_std_rad)));
    }
    add(object, "p", number(judgment->belief.p));
    add(object, "p_std", number(judgment->belief.p_std));
    if (directed) {
        add(object, "flip_angle_deg", number(pov_degrees(pov_judgment_flip_angle_rad(judgment))));
        add(object, "flip_distance_m", number(judgment->flip_distance_m));
        add(object, "containment", name_or_null(pov_containment_name(judgment->containment)));
        add(object, "p_internal", number(judgment->p_internal));
    }
    add(object, "verdict", name_or_null(pov_verdict_name(judgment->belief.verdict)));
    if (directed)
        add(object, "doubt", name_or_null(pov_doubt_name(judgment->doubt)));
    return object;
}

static cJSON *judgments_array(const pov_observation *observation, int first, int end)
{
    cJSON *array = cJSON_CreateArray();
    for (int i = first; i < end; i++)
        cJSON_AddItemToArray(array, judgment_object(&observation->scene, &observation->judgments[i]));
    return array;
}

static cJSON *occluders_array(const pov_scene *scene, const pov_visibility *sight)
{
    cJSON *array = cJSON_CreateArray();
    for (int i = 0; i < sight->occluder_len; i++) {
        cJSON *occluder = cJSON_CreateObject();
        add(occluder, "id", id_or_null(scene, sight->occluders[i].id));
        add(occluder, "share", number(sight->occluders[i].share));
        cJSON_AddItemToArray(array, occluder);
    }
    return array;
}

static cJSON *sight_object(const pov_scene *scene, const pov_visibility *sight)
{
    cJSON *object = cJSON_CreateObject();
    add(object, "viewer", id_or_null(scene, sight->viewer));
    add(object, "target", id_or_null(scene, sight->target));
    add(object, "p", number(sight->sees.p));
    add(object, "p_std", number(sight->sees.p_std));
    add(object, "verdict", name_or_null(pov_verdict_name(sight->sees.verdict)));
    add(object, "fraction_visible", number(sight->fraction_visible));
    add(object, "fraction_expected", number(sight->fraction_expected));
    add(object, "fraction_out_of_view", number(sight->fraction_out_of_view));
    add(object, "fraction_hidden", number(sight->fraction_hidden));
    add(object, "fraction_out_of_range", number(sight->fraction_out_of_range));
    add(object, "size_deg", number(pov_degrees(sight->size_rad)));
    add(object, "cause", name_or_null(pov_cause_name(sight->cause)));
    add(object, "occluders", occluders_array(scene, sight));
    return object;
}

static cJSON *sights_array(const pov_observation *observation)
{
    cJSON *array = cJSON_CreateArray();
    for (int i = 0; i < observation->sight_len; i++)
        cJSON_AddItemToArray(array, sight_object(&observation->scene, &observation->sights[i]));
    return array;
}

static cJSON *side_or_null(pov_side side)
{
    return side == POV_SIDE_UNDEFINED ? cJSON_CreateNull() : name_or_null(pov_side_name(side));
}

static cJSON *direction_object(const pov_scene *scene, const pov_observed_direction *direction)
{
    const pov_side_judgment *side = &direction->side;
    cJSON *object = cJSON_CreateObject();
    add(object, "viewer", id_or_null(scene, direction->viewer));
    add(object, "target", id_or_null(scene, direction->target));
    add(object, "bearing_deg", number(pov_degrees(side->bearing_rad)));
    add(object, "side", side_or_null(side->side));
    add(object, "p_sides", numbers(side->p, POV_SIDE_COUNT));
    add(object, "quarter", side_or_null(side->quarter));
    add(object, "p_quarters", numbers(side->p_quarter, POV_SIDE_COUNT / 2));
    add(object, "verdict", name_or_null(pov_verdict_name(side->verdict)));
    return object;
}

static cJSON *directions_array(const pov_observation *observation)
{
    cJSON *array = cJSON_CreateArray();
    for (int i = 0; i < observation->direction_len; i++)
        cJSON_AddItemToArray(array, direction_object(&observation->scene, &observation->directions[i]));
    return array;
}

static cJSON *order_array(const pov_scene *scene, const pov_order *order)
{
    cJSON *array = cJSON_CreateArray();
    for (int i = 0; i < order->len; i++) {
        const pov_place *place = &order->places[i];
        cJSON *object = cJSON_CreateObject();
        add(object, "id", id_or_null(scene, place->id));
        add(object, "bearing_deg", number(pov_degrees(place->bearing_rad)));
        add(object, "distance_m", number(place->distance_m));
        add(object, "p_swapped", number(place->p_swapped));
        add(object, "uncertain", cJSON_CreateBool(place->is_uncertain));
        cJSON_AddItemToArray(array, object);
    }
    return array;
}

static cJSON *views_array(const pov_observation *observation)
{
    cJSON *array = cJSON_CreateArray();
    for (int i = 0; i < observation->view_len; i++) {
        const pov_observed_view *view = &observation->views[i];
        cJSON *object = cJSON_CreateObject();
        add(object, "viewer", id_or_null(&observation->scene, view->viewer));
        add(object, "left_to_right", order_array(&observation->scene, &view->left_to_right));
        add(object, "near_to_far", order_array(&observation->scene, &view->near_to_far));
        cJSON_AddItemToArray(array, object);
    }
    return array;
}

static cJSON *lens_object(const pov_lens_health *lens)
{
    cJSON *object = cJSON_CreateObject();
    add(object, "zoom", number(lens->zoom));
    add(object, "zoom_std", number(lens->zoom_std));
    add(object, "misfit", number(lens->misfit));
    add(object, "stale", cJSON_CreateBool(lens->stale));
    return object;
}

static cJSON *turntable_object(const pov_observed_turntable *turntable)
{
    cJSON *object = cJSON_CreateObject();
    add(object, "angle_deg", number(pov_degrees(turntable->angle_rad)));
    add(object, "angle_std_deg", number(pov_degrees(turntable->std_rad)));
    add(object, "tags", integer(turntable->tag_len));
    return object;
}

static cJSON *observation_object(const pov_observation *observation)
{
    cJSON *object = cJSON_CreateObject();
    add(object, "image", image_header(&observation->image));
    add(object, "tags", tags_array(observation));
    add(object, "tags_truncated", cJSON_CreateBool(observation->tags_truncated));
    add(object, "turntable",
        observation->turntable.known ? turntable_object(&observation->turntable) : cJSON_CreateNull());
    add(object, "lens", observation->lens.known ? lens_object(&observation->lens) : cJSON_CreateNull());
    add(object, "scene", scene_object(&observation->scene));
    add(object, "judgments", judgments_array(observation, 0, observation->directed_len));
    add(object, "judgments_truncated", cJSON_CreateBool(observation->directed_truncated));
    add(object, "visibility", sights_array(observation));
    add(object, "visibility_truncated", cJSON_CreateBool(observation->sights_truncated));
    add(object, "relations",
        judgments_array(observation, observation->directed_len, observation->judgment_len));
    add(object, "relations_truncated", cJSON_CreateBool(observation->others_truncated));
    add(object, "directions", directions_array(observation));
    add(object, "directions_truncated", cJSON_CreateBool(observation->directions_truncated));
    add(object, "views", views_array(observation));
    add(object, "views_truncated", cJSON_CreateBool(observation->views_truncated));
    return object;
}

static cJSON *moved_tag(const pov_moved_tag *moved)
{
    cJSON *object = cJSON_CreateObject();
    add(object, "family", name_or_null(pov_tag_family_name(moved->family)));
    add(object, "id", integer(moved->id));
    add(object, "images", integer(moved->images));
    add(object, "moved_m", number(moved->moved_m));
    add(object, "moved_std_m", number(moved->moved_std_m));
    add(object, "turned_deg", number(pov_degrees(moved->turned_rad)));
    add(object, "turned_std_deg", number(pov_degrees(moved->turned_std_rad)));
    return object;
}

static cJSON *stage_times(const pov_health *health)
{
    cJSON *list = cJSON_CreateArray();
    for (int i = 0; i < health->stage_len; i++) {
        cJSON *object = cJSON_CreateObject();
        add(object, "name", text_or_null(health->stages[i].name));
        add(object, "mean_s", number(health->stages[i].mean_s));
        add(object, "max_s", number(health->stages[i].max_s));
        cJSON_AddItemToArray(list, object);
    }
    return list;
}

static cJSON *health_object(const pov_health *health)
{
    cJSON *moved = cJSON_CreateArray();
    cJSON *object = cJSON_CreateObject(), *content = cJSON_CreateObject();
    add(content, "now_ns", integer(health->now_ns));
    add(content, "images_processed", count(health->images_processed));
    add(content, "images_skipped", count(health->images_skipped));
    add(content, "images_lost", count(health->images_lost));
    add(content, "camera_reconnects", count(health->camera_reconnects));
    add(content, "rate_hz", number(health->rate_hz));
    add(content, "latency_p50_s", number(health->latency_p50_s));
    add(content, "latency_p99_s", number(health->latency_p99_s));
    add(content, "subscribers", count(health->subscribers));
    add(content, "messages_sent", count(health->messages_sent));
    add(content, "messages_lost", count(health->messages_lost));
    add(content, "refused", count(health->refused));
    for (int i = 0; i < health->moved_tag_len; i++)
        cJSON_AddItemToArray(moved, moved_tag(&health->moved_tags[i]));
    add(content, "moved_tags", moved);
    add(content, "stages", stage_times(health));
    add(content, "images_waiting", count(health->images_waiting));
    add(content, "messages_waiting", count(health->messages_waiting));
    add(object, "health", content);
    return object;
}

/* -------- lines -------- */

static pov_status write_line(FILE *stream, cJSON *object)
{
    char *line = cJSON_PrintUnformatted(object);
    cJSON_Delete(object);
    if (line == NULL)
        return pov_error("out of memory for a line of JSON");
    errno = 0;
    bool written = fputs(line, stream) >= 0 && fputc('\n', stream) != EOF && fflush(stream) == 0;
    int error = errno;
    cJSON_free(line);
    return written          ? pov_ok()
           : error == EPIPE ? pov_status_of(POV_END)
                            : pov_error("cannot write JSON: %s", strerror(error));
}

pov_status pov_json_write_observation(FILE *stream, const pov_observation *observation)
{
    return write_line(stream, observation_object(observation));
}

pov_status pov_json_write_health(FILE *stream, const pov_health *health)
{
    return write_line(stream, health_object(health));
}

pov_status pov_json_write_exchange(FILE *stream, const pov_exchange *exchange)
{
    cJSON *object = cJSON_CreateObject(), *content = cJSON_AddObjectToObject(object, "exchange"),
          *reply = cJSON_Parse(exchange->reply);
    if (*exchange->speaker)
        cJSON_AddStringToObject(content, "speaker", exchange->speaker);
    else
        cJSON_AddNullToObject(content, "speaker");
    cJSON_AddItemToObject(content, "reply", reply ? reply : cJSON_CreateString(exchange->reply));
    return write_line(stream, object);
}
