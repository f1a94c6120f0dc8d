#include "firmware/dashboard/update.h"

#include "firmware/picture/overlay.h"

#include <inttypes.h>
#include <math.h>

enum { EDGE_PIECES = 4, OUTLINE_POINTS = 40, ACCEPTANCE_STEP_DEG = 5 };

static const double kappa_min = 0.1; /* below, a heading is none */

void pov_update_write_text(FILE *stream, const char *text)
{
    fputc('"', stream);
    for (const unsigned char *c = (const unsigned char *)text; *c; c++)
        if (*c == '"' || *c == '\\')
            fprintf(stream, "\\%c", *c);
        else if (*c < ' ')
            fprintf(stream, "\\u%04x", *c);
        else
            fputc(*c, stream);
    fputc('"', stream);
}

/* JSON has no NaN. */
static void write_number(FILE *stream, double value, int digits)
{
    if (isfinite(value))
        fprintf(stream, "%.*f", digits, value);
    else
        fputs("null", stream);
}

static void write_vector(FILE *stream, const char *key, pov_vec3 v)
{
    fprintf(stream, ",\"%s\":[%.4f,%.4f,%.4f]", key, v.x, v.y, v.z);
}

/* ---- entities ---- */

static void write_field(FILE *stream, const pov_field_of_view *field)
{
    fprintf(stream, ",\"field\":{\"shape\":\"%s\",\"half\":[%.4f,%.4f],\"far\":",
            field->shape == POV_FIELD_CONE ? "cone" : "frustum", field->half_horizontal_rad,
            field->half_vertical_rad);
    write_number(stream, field->far_m, 3);
    write_vector(stream, "eye", field->eye_m);
    fputc('}', stream);
}

static void write_heading(FILE *stream, const pov_heading *heading)
{
    const pov_heading_mode *mode = pov_heading_heaviest(heading);
    if (mode && mode->kappa > kappa_min)
        fprintf(stream, ",\"yaw\":%.4f", mode->yaw_rad);
}

static void write_place(FILE *stream, const pov_entity *entity)
{
    write_vector(stream, "at", entity->position.mean_m);
    write_vector(stream, "size", entity->size_m);
    const double *r = &entity->R_table_box.m[0][0];
    fputs(",\"R\":[", stream);
    for (int i = 0; i < 9; i++)
        fprintf(stream, "%s%.4f", i ? "," : "", r[i]);
    fputc(']', stream);
    write_heading(stream, &entity->heading);
}

/* A ball looks as the one that was looked for. */
static void write_colour(FILE *stream, const pov_snapshot *snapshot, pov_id id)
{
    const pov_findings *found = &snapshot->findings;
    for (int i = 0; i < found->balls.len; i++)
        if (found->ball_entity[i] == id) {
            const pov_colour colour = snapshot->kinds[found->balls.balls[i].kind].colour;
            fprintf(stream, ",\"colour\":\"#%02x%02x%02x\"", colour.red, colour.green, colour.blue);
            return;
        }
}

static void write_entity(FILE *stream, const pov_snapshot *snapshot, pov_id id)
{
    const pov_scene *scene = &snapshot->observation->scene;
    const pov_entity *entity = &scene->entities[id];
    fputs("{\"name\":", stream);
    pov_update_write_text(stream, entity->name);
    fputs(",\"class\":", stream);
    pov_update_write_text(stream, entity->class_name);
    if (entity->placed)
        write_place(stream, entity);
    if (entity->shape == POV_SHAPE_SPHERE)
        fputs(",\"sphere\":1", stream);
    if (entity->addressee)
        fputs(",\"addressee\":1", stream);
    if (id == scene->camera)
        fputs(",\"camera\":1", stream);
    if (entity->can_see)
        write_field(stream, &entity->field);
    write_colour(stream, snapshot, id);
    fputc('}', stream);
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

/* [relation, verdict, P in thousandths, direction] */
static void write_judgment(FILE *stream, const pov_scene *scene, const pov_judgment *judgment)
{
    static const char verdicts[POV_VERDICT_COUNT] = {'f', 't', 'a', 'u'};
    fprintf(stream, ",[%d,\"%c\",", (int)judgment->query.relation->projective,
            verdicts[judgment->belief.verdict]);
    write_number(stream, 1000 * judgment->belief.p, 0);
    fputc(',', stream);
    write_number(stream, direction_deg(scene, judgment), 0);
    fputc(']', stream);
}

/* [referent, relatum, viewer or -1, convention or null, judgment...] a perspective; -1: the relatum's own front. */
static void write_rows(FILE *stream, const pov_snapshot *snapshot)
{
    const pov_observation *o = snapshot->observation;
    const choice chosen = choose_judgments(&snapshot->judging);
    const pov_query *row = NULL;
    for (int i = 0; i < o->directed_len; i++) {
        const pov_query *query = &o->judgments[i].query;
        if (!is_chosen(query, chosen))
            continue;
        if (!row || !same_row(row, query)) {
            const char *convention = pov_convention_name(query->convention);
            fprintf(stream, "%s[%d,%d,%d,%s%s%s", row ? "]," : "", query->referent, query->relatum[0],
                    query->viewer, convention ? "\"" : "", convention ? convention : "null",
                    convention ? "\"" : "");
            row = query;
        }
        write_judgment(stream, &o->scene, &o->judgments[i]);
    }
    fputs(row ? "]" : "", stream);
}

/* The acceptance of a relation at 0, 5, ... 180 degrees from its direction, close to the relatum. */
static void write_acceptance(FILE *stream, const pov_judging *judging)
{
    const pov_acceptance acceptance = choose_judgments(judging).acceptance;
    for (int theta_deg = 0; theta_deg <= 180; theta_deg += ACCEPTANCE_STEP_DEG) {
        const double theta_rad = theta_deg * POV_DEG;
        const double value = acceptance == POV_HEMISPHERE ? theta_deg < 90
                             : acceptance == POV_COSINE
                                 ? (cos(theta_rad) + 1) / 2
                                 : pov_template_evaluate(&judging->regions, theta_rad, 0);
        fputs(theta_deg ? "," : "", stream);
        write_number(stream, value, 3);
    }
}

/* [viewer, target, verdict, P in thousandths, cause, what hides it or -1] */
static void write_sights(FILE *stream, const pov_observation *o)
{
    static const char verdicts[POV_VERDICT_COUNT] = {'f', 't', 'a', 'u'};
    for (int i = 0; i < o->sight_len; i++) {
        const pov_visibility *sight = &o->sights[i];
        fprintf(stream, "%s[%d,%d,\"%c\",", i ? "," : "", sight->viewer, sight->target,
                verdicts[sight->sees.verdict]);
        write_number(stream, 1000 * sight->sees.p, 0);
        fprintf(stream, ",\"%s\",%d]", pov_cause_name(sight->cause),
                sight->occluder_len > 0 ? sight->occluders[0].id : POV_ID_NONE);
    }
}

/* ---- the overlay ---- */

/* [colour, thickness, closed, x, y, ...]; a gap begins another line. */
static void write_line(void *user, const pov_vec2 *points_px, int len, pov_stroke stroke)
{
    FILE *stream = user;
    bool open = false;
    for (int i = 0; i < len; i++) {
        const bool visible = isfinite(points_px[i].x) && isfinite(points_px[i].y);
        if (visible && !open)
            fprintf(stream, ",[\"#%02x%02x%02x\",%.2g,%d", stroke.colour.red, stroke.colour.green,
                    stroke.colour.blue, stroke.thickness, stroke.closed);
        if (visible)
            fprintf(stream, ",%.0f,%.0f", points_px[i].x, points_px[i].y);
        if (open && !visible)
            fputc(']', stream);
        open = visible;
    }
    if (open)
        fputc(']', stream);
}

/* [x, y, distance, colour, text] */
static void write_label(void *user, const pov_canvas_label *label)
{
    FILE *stream = user;
    if (!isfinite(label->anchor_px.x) || !isfinite(label->anchor_px.y))
        return;
    fprintf(stream, ",[%.0f,%.0f,%.0f,\"#%02x%02x%02x\",", label->anchor_px.x, label->anchor_px.y,
            label->distance_px, label->colour.red, label->colour.green, label->colour.blue);
    pov_update_write_text(stream, label->text);
    fputc(']', stream);
}

static void no_line(void *user, const pov_vec2 *points_px, int len, pov_stroke stroke)
{
    (void)user;
    (void)points_px;
    (void)len;
    (void)stroke;
}

static void no_label(void *user, const pov_canvas_label *label)
{
    (void)user;
    (void)label;
}

/* Lists that begin with a 0 need no care for commas. */
static void write_overlay(FILE *stream, const pov_snapshot *snapshot)
{
    const pov_annotation annotation = pov_snapshot_annotation(snapshot);
    pov_overlay_sink sink = {.user = stream,
                             .line = write_line,
                             .label = no_label,
                             .enlargement = 1,
                             .edge_pieces = EDGE_PIECES,
                             .outline_points = OUTLINE_POINTS};
    fputs(",\"lines\":[0", stream);
    pov_overlay_draw(&sink, &annotation);
    sink.line = no_line;
    sink.label = write_label;
    fputs("],\"labels\":[0", stream);
    pov_overlay_draw(&sink, &annotation);
    fputc(']', stream);
}

/* ---- the whole ---- */

static void write_health(FILE *stream, const pov_health *health)
{
    fputs(",\"health\":{\"rate_hz\":", stream);
    write_number(stream, health->rate_hz, 1);
    fputs(",\"p50_ms\":", stream);
    write_number(stream, 1e3 * health->latency_p50_s, 1);
    fputs(",\"p99_ms\":", stream);
    write_number(stream, 1e3 * health->latency_p99_s, 1);
    fprintf(stream,
            ",\"processed\":%" PRIu64 ",\"lost\":%" PRIu64 ",\"skipped\":%" PRIu64 ",\"reconnects\":%" PRIu64
            ",\"subscribers\":%" PRIu32 "}",
            health->images_processed, health->images_lost, health->images_skipped, health->camera_reconnects,
            health->subscribers);
}

static void write_snapshot(FILE *stream, const pov_snapshot *snapshot)
{
    const pov_observation *o = snapshot->observation;
    fputs(",\"image\":{\"name\":", stream);
    pov_update_write_text(stream, o->image.name);
    fprintf(stream, ",\"sequence\":%" PRIu32 ",\"size\":[%d,%d]},\"entities\":[", o->image.sequence,
            o->image.width_px, o->image.height_px);
    for (pov_id id = 0; id < o->scene.len; id++) {
        fputs(id ? "," : "", stream);
        write_entity(stream, snapshot, id);
    }
    fputs("],\"acceptance\":[", stream);
    write_acceptance(stream, &snapshot->judging);
    fputs("],\"rows\":[", stream);
    write_rows(stream, snapshot);
    fputs("],\"sights\":[", stream);
    write_sights(stream, o);
    fputc(']', stream);
    write_overlay(stream, snapshot);
    if (snapshot->has_health)
        write_health(stream, &snapshot->health);
}

void pov_update_write(FILE *stream, const pov_snapshot *snapshot, const pov_update_frame *frame)
{
    const bool simulated = snapshot->holds ? snapshot->simulated : frame->simulated;
    fprintf(stream,
            "{\"sweeps\":%s,\"simulated\":%s,\"sweep\":%" PRIu64 ",\"bodies\":%" PRIu64
            ",\"picture\":%" PRIu64 ",\"report\":%s,\"step\":",
            frame->sweeps ? "true" : "false", simulated ? "true" : "false", frame->sweep_version,
            frame->bodies_version, frame->picture_id, frame->has_report ? "true" : "false");
    pov_update_write_text(stream, frame->step);
    if (snapshot->holds)
        write_snapshot(stream, snapshot);
    fputc('}', stream);
}
