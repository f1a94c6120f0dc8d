#include "firmware/dashboard/update.h"

#include "config/files/json_value.h"
#include "firmware/picture/annotate.h"

#include <cJSON.h>
#include <math.h>
#include <string.h>

enum { EDGE_PIECES = 4, OUTLINE_POINTS = 40, ACCEPTANCE_STEP_DEG = 5 };
enum { DIGITS = 4 }; /* of metres and radians: less than a pixel of the page's drawings */

static const double kappa_min = 0.1; /* below, a heading is none */

cJSON *pov_update_colour(pov_colour colour)
{
    char text[8];
    snprintf(text, sizeof text, "#%02x%02x%02x", colour.red, colour.green, colour.blue);
    return cJSON_CreateString(text);
}

static void append_number(cJSON *list, double value)
{
    cJSON_AddItemToArray(list, pov_json_rounded(value, 0));
}

static void add_numbers(cJSON *object, const char *key, const double *values, int len)
{
    cJSON *list = cJSON_AddArrayToObject(object, key);
    for (int i = 0; i < len; i++)
        cJSON_AddItemToArray(list, pov_json_rounded(values[i], DIGITS));
}

static void add_vector(cJSON *object, const char *key, pov_vec3 v)
{
    add_numbers(object, key, (const double[]){v.x, v.y, v.z}, 3);
}

/* Verdict, then P in thousandths. */
static void append_belief(cJSON *list, const pov_belief *belief)
{
    static const char *const verdicts[POV_VERDICT_COUNT] = {"f", "t", "a", "u"};
    cJSON_AddItemToArray(list, cJSON_CreateString(verdicts[belief->verdict]));
    append_number(list, 1000 * belief->p);
}

/* ---- entities ---- */

static void add_field(cJSON *object, const pov_field_of_view *field)
{
    cJSON *item = cJSON_AddObjectToObject(object, "field");
    pov_json_add_text(item, "shape", pov_field_shape_name(field->shape));
    add_numbers(item, "half", (const double[]){field->half_horizontal_rad, field->half_vertical_rad}, 2);
    cJSON_AddItemToObject(item, "far", pov_json_rounded(field->far_m, 3));
    add_vector(item, "eye", field->eye_m);
}

static void add_heading(cJSON *object, const char *key, const pov_heading *heading)
{
    const pov_heading_mode *mode = pov_heading_heaviest(heading);
    if (mode && mode->kappa > kappa_min)
        cJSON_AddItemToObject(object, key, pov_json_rounded(mode->yaw_rad, DIGITS));
}

static void add_place(cJSON *object, const pov_entity *entity)
{
    add_vector(object, "at", entity->position.mean_m);
    add_vector(object, "size", entity->size_m);
    add_numbers(object, "R", &entity->R_table_box.m[0][0], 9);
    add_heading(object, "yaw", &entity->heading);
    add_heading(object, "look", &entity->head_heading);
    add_heading(object, "hand", &entity->pointing);
}

/* A ball looks as the one that was looked for. */
static void add_colour(cJSON *object, const pov_snapshot *snapshot, pov_id id)
{
    const pov_findings *found = &snapshot->findings;
    for (int i = 0; i < found->balls.len; i++)
        if (found->ball_entity[i] == id) {
            const int kind = found->balls.balls[i].kind;
            cJSON_AddItemToObject(object, "colour", pov_update_colour(snapshot->kinds[kind].colour));
            return;
        }
}

/* Left, top, right, bottom. */
static void add_box(cJSON *object, const pov_snapshot *snapshot, pov_id id)
{
    const pov_annotation annotation = pov_snapshot_annotation(snapshot);
    pov_pixel_box box;
    if (!pov_overlay_box(&box, &annotation, id))
        return;
    cJSON *list = cJSON_AddArrayToObject(object, "px");
    append_number(list, box.left_px);
    append_number(list, box.top_px);
    append_number(list, box.right_px);
    append_number(list, box.bottom_px);
}

static cJSON *entity_object(const pov_snapshot *snapshot, pov_id id)
{
    const pov_scene *scene = &snapshot->observation->scene;
    const pov_entity *entity = &scene->entities[id];
    cJSON *object = cJSON_CreateObject();
    pov_json_add_text(object, "name", entity->name);
    pov_json_add_text(object, "class", entity->class_name);
    if (entity->placed)
        add_place(object, entity);
    if (entity->shape == POV_SHAPE_SPHERE)
        pov_json_add_number(object, "sphere", 1);
    if (entity->addressee)
        pov_json_add_number(object, "addressee", 1);
    if (id == scene->camera)
        pov_json_add_number(object, "camera", 1);
    if (entity->can_see)
        add_field(object, &entity->field);
    add_colour(object, snapshot, id);
    add_box(object, snapshot, id);
    return object;
}

/* ---- judgments ---- */

/* The sight line if it is judged, else the heading; the first acceptance. */
typedef struct {
    pov_axis axis;
    pov_acceptance acceptance;
} choice;

static choice choose_judgments(const pov_judging *judging)
{
    choice chosen = {judging->axis[POV_SIGHT_LINE] ? POV_SIGHT_LINE : POV_HEADING, POV_HEMISPHERE};
    while (chosen.acceptance < POV_TEMPLATE && !judging->acceptance[chosen.acceptance])
        chosen.acceptance++;
    return chosen;
}

static bool is_chosen(const pov_query *query, choice chosen)
{
    const bool has_viewer = query->viewer != POV_ID_NONE;
    return query->relation->projective <= POV_BEHIND && query->acceptance == chosen.acceptance &&
           (!has_viewer || query->axis == chosen.axis);
}

static bool same_row(const pov_query *a, const pov_query *b)
{
    return a->referent == b->referent && a->relatum[0] == b->relatum[0] && a->perspective == b->perspective &&
           a->viewer == b->viewer && a->convention == b->convention;
}

static double direction_deg(const pov_scene *scene, const pov_judgment *judgment)
{
    const pov_vec3 v = pov_vec3_sub(scene->entities[judgment->query.referent].position.mean_m,
                                    scene->entities[judgment->query.relatum[0]].position.mean_m);
    return pov_angle_wrap(atan2(v.y, v.x) - judgment->theta_rad) / POV_DEG;
}

/* [relation, verdict, P, direction] */
static cJSON *judgment_array(const pov_scene *scene, const pov_judgment *judgment)
{
    cJSON *list = cJSON_CreateArray();
    append_number(list, judgment->query.relation->projective);
    append_belief(list, &judgment->belief);
    append_number(list, direction_deg(scene, judgment));
    return list;
}

/* [referent, relatum, viewer or -1, convention or null, judgment...] a perspective; -1: the relatum's own front. */
static cJSON *row_array(const pov_query *query)
{
    const char *convention = pov_convention_name(query->convention);
    cJSON *row = cJSON_CreateArray();
    append_number(row, query->referent);
    append_number(row, query->relatum[0]);
    append_number(row, query->viewer);
    cJSON_AddItemToArray(row, convention ? cJSON_CreateString(convention) : cJSON_CreateNull());
    return row;
}

static void add_rows(cJSON *object, const pov_snapshot *snapshot)
{
    const pov_observation *o = snapshot->observation;
    const choice chosen = choose_judgments(&snapshot->judging);
    const pov_query *first = NULL;
    cJSON *rows = cJSON_AddArrayToObject(object, "rows"), *row = NULL;
    for (int i = 0; i < o->directed_len; i++) {
        const pov_query *query = &o->judgments[i].query;
        if (!is_chosen(query, chosen))
            continue;
        if (!first || !same_row(first, query)) {
            row = row_array(query);
            cJSON_AddItemToArray(rows, row);
            first = query;
        }
        cJSON_AddItemToArray(row, judgment_array(&o->scene, &o->judgments[i]));
    }
}

/* The acceptance of a relation at 0, 5, ... 180 degrees from its direction, close to the relatum. */
static void add_acceptance(cJSON *object, const pov_judging *judging)
{
    cJSON *list = cJSON_AddArrayToObject(object, "acceptance");
    const pov_acceptance acceptance = choose_judgments(judging).acceptance;
    for (int theta_deg = 0; theta_deg <= 180; theta_deg += ACCEPTANCE_STEP_DEG) {
        const double theta_rad = theta_deg * POV_DEG;
        const double value = acceptance == POV_HEMISPHERE ? theta_deg < 90
                             : acceptance == POV_COSINE
                                 ? (cos(theta_rad) + 1) / 2
                                 : pov_template_evaluate(&judging->regions, theta_rad, 0);
        cJSON_AddItemToArray(list, pov_json_rounded(value, 3));
    }
}

/* [viewer, target, verdict, P, cause, occluder or -1] */
static void add_sights(cJSON *object, const pov_observation *o)
{
    cJSON *sights = cJSON_AddArrayToObject(object, "sights");
    for (int i = 0; i < o->sight_len; i++) {
        const pov_visibility *sight = &o->sights[i];
        cJSON *list = cJSON_CreateArray();
        append_number(list, sight->viewer);
        append_number(list, sight->target);
        append_belief(list, &sight->sees);
        cJSON_AddItemToArray(list, cJSON_CreateString(pov_cause_name(sight->cause)));
        append_number(list, sight->occluder_len > 0 ? sight->occluders[0].id : POV_ID_NONE);
        cJSON_AddItemToArray(sights, list);
    }
}

/* ---- the overlay ---- */

typedef struct {
    cJSON *lines, *labels;
} drawing;

/* [colour, thickness, closed, x, y, ...]; a gap begins another line. */
static void append_line(void *user, const pov_vec2 *points_px, int len, pov_stroke stroke)
{
    drawing *drawn = user;
    cJSON *line = NULL;
    for (int i = 0; i < len; i++) {
        if (!isfinite(points_px[i].x) || !isfinite(points_px[i].y)) {
            line = NULL;
            continue;
        }
        if (!line) {
            line = cJSON_CreateArray();
            cJSON_AddItemToArray(drawn->lines, line);
            cJSON_AddItemToArray(line, pov_update_colour(stroke.colour));
            cJSON_AddItemToArray(line, pov_json_rounded(stroke.thickness, 1));
            append_number(line, stroke.closed);
        }
        append_number(line, points_px[i].x);
        append_number(line, points_px[i].y);
    }
}

/* [x, y, distance, colour, text] */
static void append_label(void *user, const pov_canvas_label *label)
{
    drawing *drawn = user;
    if (!isfinite(label->anchor_px.x) || !isfinite(label->anchor_px.y))
        return;
    cJSON *list = cJSON_CreateArray();
    append_number(list, label->anchor_px.x);
    append_number(list, label->anchor_px.y);
    append_number(list, label->distance_px);
    cJSON_AddItemToArray(list, pov_update_colour(label->colour));
    cJSON_AddItemToArray(list, cJSON_CreateString(label->text));
    cJSON_AddItemToArray(drawn->labels, list);
}

static void add_overlay(cJSON *object, const pov_snapshot *snapshot)
{
    const pov_annotation annotation = pov_snapshot_annotation(snapshot);
    drawing drawn = {.lines = cJSON_AddArrayToObject(object, "lines"),
                     .labels = cJSON_AddArrayToObject(object, "labels")};
    const pov_overlay_sink sink = {.user = &drawn,
                                   .line = append_line,
                                   .label = append_label,
                                   .enlargement = 1,
                                   .edge_pieces = EDGE_PIECES,
                                   .outline_points = OUTLINE_POINTS};
    pov_overlay_draw(&sink, &annotation);
}

/* ---- the whole ---- */

static void add_health(cJSON *object, const pov_health *health)
{
    cJSON *item = cJSON_AddObjectToObject(object, "health");
    cJSON_AddItemToObject(item, "rate_hz", pov_json_rounded(health->rate_hz, 1));
    cJSON_AddItemToObject(item, "p50_ms", pov_json_rounded(1e3 * health->latency_p50_s, 1));
    cJSON_AddItemToObject(item, "p99_ms", pov_json_rounded(1e3 * health->latency_p99_s, 1));
    pov_json_add_number(item, "processed", (double)health->images_processed);
    pov_json_add_number(item, "lost", (double)health->images_lost);
    pov_json_add_number(item, "skipped", (double)health->images_skipped);
    pov_json_add_number(item, "reconnects", (double)health->camera_reconnects);
    pov_json_add_number(item, "subscribers", health->subscribers);
    pov_json_add_number(item, "sent", (double)health->messages_sent);
    pov_json_add_number(item, "unsent", (double)health->messages_lost);
    pov_json_add_number(item, "refused", (double)health->refused);
    pov_json_add_number(item, "images_waiting", health->images_waiting);
    pov_json_add_number(item, "messages_waiting", health->messages_waiting);
    cJSON *stages = cJSON_AddArrayToObject(item, "stages"); /* [name, mean, maximum in ms] */
    for (int i = 0; i < health->stage_len; i++) {
        cJSON *stage = cJSON_CreateArray();
        cJSON_AddItemToArray(stage, cJSON_CreateString(health->stages[i].name));
        cJSON_AddItemToArray(stage, pov_json_rounded(1e3 * health->stages[i].mean_s, 2));
        cJSON_AddItemToArray(stage, pov_json_rounded(1e3 * health->stages[i].max_s, 2));
        cJSON_AddItemToArray(stages, stage);
    }
    cJSON *moved = cJSON_AddArrayToObject(item, "moved"); /* [tag, metres] */
    for (int i = 0; i < health->moved_tag_len; i++) {
        cJSON *tag = cJSON_CreateArray();
        append_number(tag, health->moved_tags[i].id);
        cJSON_AddItemToArray(tag, pov_json_rounded(health->moved_tags[i].moved_m, DIGITS));
        cJSON_AddItemToArray(moved, tag);
    }
}

/* The camera's pose and lens, as far as tags tell of them. */
static void add_tags(cJSON *object, const pov_snapshot *snapshot)
{
    const pov_findings *found = &snapshot->findings;
    const pov_lens_health *lens = &snapshot->observation->lens;
    if (!snapshot->uses_tags)
        return;
    cJSON *item = cJSON_AddObjectToObject(object, "tags");
    pov_json_add_number(item, "seen", found->tags.len);
    pov_json_add_number(item, "used", found->has_camera_pose ? found->camera_pose.used_len : 0);
    cJSON_AddItemToObject(item, "rms_px",
                          pov_json_rounded(found->has_camera_pose ? found->camera_pose.rms_px : NAN, 3));
    cJSON_AddItemToObject(item, "zoom", pov_json_rounded(lens->known ? lens->zoom : NAN, DIGITS));
    cJSON_AddItemToObject(item, "misfit", pov_json_rounded(lens->known ? lens->misfit : NAN, 2));
    cJSON_AddBoolToObject(item, "stale", lens->known && lens->stale);
    cJSON *each = cJSON_AddArrayToObject(item, "each"); /* [id, outcome, residual in px or null] */
    for (int i = 0; i < snapshot->observation->tag_len; i++) {
        const pov_observed_tag *observed = &snapshot->observation->tags[i];
        cJSON *tag = cJSON_CreateArray();
        append_number(tag, observed->tag.id);
        cJSON_AddItemToArray(tag, cJSON_CreateString(pov_tag_outcome_name(observed->outcome)));
        cJSON_AddItemToArray(tag, pov_json_rounded(observed->residual_px, 3));
        cJSON_AddItemToArray(each, tag);
    }
}

static void add_lens(cJSON *object, const pov_station_calibration *calibration)
{
    const char *folder_end = strrchr(calibration->path, '/');
    cJSON *item = cJSON_AddObjectToObject(object, "lens");
    pov_json_add_text(item, "file", folder_end ? folder_end + 1 : calibration->path);
    pov_json_add_text(item, "device", calibration->trust.device);
    cJSON_AddItemToObject(
        item, "rms_px", pov_json_rounded(calibration->trust.rms_px > 0 ? calibration->trust.rms_px : NAN, 3));
}

static void add_snapshot(cJSON *object, const pov_snapshot *snapshot)
{
    const pov_observation *o = snapshot->observation;
    cJSON *image = cJSON_AddObjectToObject(object, "image");
    pov_json_add_text(image, "name", o->image.name);
    pov_json_add_number(image, "sequence", o->image.sequence);
    pov_json_add_text(image, "camera", *o->image.camera ? o->image.camera : NULL);
    add_numbers(image, "size", (const double[]){o->image.width_px, o->image.height_px}, 2);
    cJSON *cameras = cJSON_AddArrayToObject(object, "cameras");
    for (int i = 0; i < snapshot->camera_len; i++)
        cJSON_AddItemToArray(cameras, cJSON_CreateString(snapshot->cameras[i]));
    cJSON *entities = cJSON_AddArrayToObject(object, "entities");
    for (pov_id id = 0; id < o->scene.len; id++)
        cJSON_AddItemToArray(entities, entity_object(snapshot, id));
    add_acceptance(object, &snapshot->judging);
    add_rows(object, snapshot);
    add_sights(object, o);
    add_overlay(object, snapshot);
    add_tags(object, snapshot);
    add_lens(object, &snapshot->calibration);
    if (snapshot->has_health)
        add_health(object, &snapshot->health);
}

void pov_update_write(FILE *stream, const pov_snapshot *snapshot, const pov_update_frame *frame)
{
    cJSON *object = cJSON_CreateObject();
    cJSON_AddBoolToObject(object, "sweeps", frame->sweeps);
    cJSON_AddBoolToObject(object, "simulated", snapshot->holds ? snapshot->simulated : frame->simulated);
    pov_json_add_number(object, "sweep", (double)frame->sweep_version);
    pov_json_add_number(object, "bodies", (double)frame->bodies_version);
    pov_json_add_number(object, "picture", (double)frame->picture_id);
    cJSON_AddBoolToObject(object, "report", frame->has_report);
    pov_json_add_text(object, "step", frame->step);
    if (snapshot->holds)
        add_snapshot(object, snapshot);
    pov_json_print(stream, object);
}
