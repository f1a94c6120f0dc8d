#include "firmware/recording/export_tables.h"

#include "config/files/csv.h"
#include "config/files/json_value.h"
#include "config/files/text.h"
#include "config/files/write_file.h"
#include "firmware/cli.h"
#include "protocol/observation/message.h"
#include "protocol/recording/recording.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- tables ---- */

typedef enum { IMAGES, ENTITIES, JUDGMENTS, VISIBILITY, ASKS, VLM, LOG, TABLES } table;

static const struct {
    const char *name, *columns;
} tables[TABLES] = {
    [IMAGES] = {"images", "image,time_s,capture_ns,name,width_px,height_px,pose_source,camera_x_m,camera_y_m,"
                          "camera_z_m,tags,entities,"
                          "judgments"},
    [ENTITIES] = {"entities", "image,time_s,id,class,seen,addressee,x_m,y_m,z_m,x_std_m,y_std_m,z_std_m,"
                              "heading_deg,heading_std_deg,"
                              "length_m,width_m,height_m,speed_m_s,age_s,hidden_s,lost"},
    [JUDGMENTS] =
        {"judgments",
         "image,time_s,referent,relation,relata,perspective,viewer,convention,axis,acceptance,p,p_std,"
         "theta_deg,theta_std_deg,verdict"},
    [VISIBILITY] = {"visibility",
                    "image,time_s,viewer,target,p,p_std,fraction_visible,fraction_hidden,verdict,cause"},
    [ASKS] = {"asks", "time_s,speaker,utterance,outcome,say,pick,reply"},
    [VLM] = {"vlm", "time_s,run,question,status,model,server_model,image,capture_ns,occasion,angle_deg,paper,"
                    "language,prompt,columns,asked_frame,gold,gold_p,gold_sure,answer,p,mass,reading,"
                    "agreement,cause,asked_ns,answered_ns,latency_s,moved_on_s,turned_on_deg,simulated,golds,"
                    "guided,prompting,system_name,guidance,first_token_ns,curve_deg,truth,flip,circular,"
                    "second_sha256,order"},
    [LOG] = {"log", "time_s,severity,text"},
};

typedef struct {
    pov_write_file files[TABLES];
    int begun;
    FILE *stream; /* of the row that is being written */
    bool is_first;
    uint64_t rows;
    bool has_start;
    int64_t start_ns; /* capture of the first image */
} exporter;

static void begin_row(exporter *self, table of)
{
    self->stream = self->files[of].stream;
    self->is_first = true;
    self->rows++;
}

static void put_comma(exporter *self)
{
    if (!self->is_first)
        fputc(',', self->stream);
    self->is_first = false;
}

/* NULL: empty, as all that is not known. */
static void put_text(exporter *self, const char *text)
{
    put_comma(self);
    if (text)
        pov_csv_write(self->stream, text);
}

static void put_number(exporter *self, double value)
{
    put_comma(self);
    if (isfinite(value))
        fprintf(self->stream, "%.9g", value);
}

static void put_whole(exporter *self, int64_t value)
{
    put_comma(self);
    fprintf(self->stream, "%" PRId64, value);
}

static void put_flag(exporter *self, bool value)
{
    put_text(self, value ? "true" : "false");
}

static void end_row(exporter *self)
{
    fputs("\r\n", self->stream);
}

static void put_image(exporter *self, const pov_observation *observation)
{
    put_whole(self, observation->image.sequence);
    put_number(self, 1e-9 * ((double)observation->image.capture_ns - (double)self->start_ns));
}

/* ---- rows ---- */

static void write_image(exporter *self, const pov_observation *observation)
{
    const pov_image_header *image = &observation->image;
    begin_row(self, IMAGES);
    put_image(self, observation);
    put_whole(self, image->capture_ns);
    put_text(self, image->name);
    put_whole(self, image->width_px);
    put_whole(self, image->height_px);
    put_text(self, pov_pose_source_name(image->pose_source));
    put_number(self, image->T_table_camera.T.t_m.x);
    put_number(self, image->T_table_camera.T.t_m.y);
    put_number(self, image->T_table_camera.T.t_m.z);
    put_whole(self, observation->tag_len);
    put_whole(self, observation->scene.len);
    put_whole(self, observation->judgment_len);
    end_row(self);
}

static void put_place(exporter *self, const pov_scene *scene, const pov_entity *entity)
{
    double cov_m2[3][3];
    const pov_vec3 at = entity->position.mean_m;
    if (entity->placed)
        pov_scene_position_cov(scene, cov_m2, &entity->position);
    put_number(self, entity->placed ? at.x : NAN);
    put_number(self, entity->placed ? at.y : NAN);
    put_number(self, entity->placed ? at.z : NAN);
    for (int i = 0; i < 3; i++)
        put_number(self, entity->placed ? sqrt(fmax(cov_m2[i][i], 0)) : NAN);
}

static void write_entity(exporter *self, const pov_observation *observation, const pov_entity *entity)
{
    const pov_heading_mode *front = pov_heading_heaviest(&entity->heading);
    const pov_entity_track *track = &entity->track;
    begin_row(self, ENTITIES);
    put_image(self, observation);
    put_text(self, entity->name);
    put_text(self, entity->class_name);
    put_flag(self, entity->seen);
    put_flag(self, entity->addressee);
    put_place(self, &observation->scene, entity);
    put_number(self, front ? pov_degrees(front->yaw_rad) : NAN);
    put_number(self, front && front->kappa > 0 ? pov_degrees(1 / sqrt(front->kappa)) : NAN);
    put_number(self, entity->size_m.x);
    put_number(self, entity->size_m.y);
    put_number(self, entity->size_m.z);
    put_number(self, entity->has_velocity ? pov_vec3_norm(entity->velocity_m_s) : NAN);
    put_number(self, track->tracked ? track->age_s : NAN);
    put_number(self, track->tracked ? track->hidden_s : NAN);
    put_text(self, !track->tracked ? NULL : track->lost ? "true" : "false");
    end_row(self);
}

static const char *name_of(const pov_scene *scene, pov_id id)
{
    return id == POV_ID_NONE ? NULL : scene->entities[id].name;
}

static void write_judgment(exporter *self, const pov_observation *observation, const pov_judgment *judgment)
{
    const pov_query *query = &judgment->query;
    const pov_scene *scene = &observation->scene;
    const bool is_directed = query->relation->projective != POV_RELATION_COUNT,
               any_frame = query->relation->frame == POV_FRAME_NONE;
    char relata[POV_RELATA_MAX * (POV_NAME_CAPACITY + 1)] = "";
    for (int i = 0, len = 0; i < query->relatum_len; i++)
        len += snprintf(relata + len, sizeof relata - (size_t)len, "%s%s", len ? " " : "",
                        scene->entities[query->relatum[i]].name);
    begin_row(self, JUDGMENTS);
    put_image(self, observation);
    put_text(self, name_of(scene, query->referent));
    put_text(self, query->relation->name);
    put_text(self, relata);
    put_text(self, any_frame ? NULL : pov_perspective_name(query->perspective));
    put_text(self, name_of(scene, query->viewer));
    put_text(self, pov_convention_name(query->convention));
    put_text(self, is_directed ? pov_axis_name(query->axis) : NULL);
    put_text(self, is_directed ? pov_acceptance_name(query->acceptance) : NULL);
    put_number(self, judgment->belief.p);
    put_number(self, judgment->belief.p_std);
    put_number(self, is_directed ? pov_degrees(judgment->theta_rad) : NAN);
    put_number(self, is_directed ? pov_degrees(judgment->theta_std_rad) : NAN);
    put_text(self, pov_verdict_name(judgment->belief.verdict));
    end_row(self);
}

static void write_sight(exporter *self, const pov_observation *observation, const pov_visibility *sight)
{
    begin_row(self, VISIBILITY);
    put_image(self, observation);
    put_text(self, name_of(&observation->scene, sight->viewer));
    put_text(self, name_of(&observation->scene, sight->target));
    put_number(self, sight->sees.p);
    put_number(self, sight->sees.p_std);
    put_number(self, sight->fraction_visible);
    put_number(self, sight->fraction_hidden);
    put_text(self, pov_verdict_name(sight->sees.verdict));
    put_text(self, pov_cause_name(sight->cause));
    end_row(self);
}

static void write_observation(exporter *self, const pov_observation *observation)
{
    if (!self->has_start)
        self->start_ns = observation->image.capture_ns;
    self->has_start = true;
    write_image(self, observation);
    for (int i = 0; i < observation->scene.len; i++)
        write_entity(self, observation, &observation->scene.entities[i]);
    for (int i = 0; i < observation->judgment_len; i++)
        write_judgment(self, observation, &observation->judgments[i]);
    for (int i = 0; i < observation->sight_len; i++)
        write_sight(self, observation, &observation->sights[i]);
}

static void put_moment(exporter *self, const pov_recorded_event *event)
{
    put_number(self, self->has_start ? 1e-9 * ((double)event->message.log_ns - (double)self->start_ns) : NAN);
}

static void write_exchange(exporter *self, const pov_recorded_event *event, const pov_exchange *exchange)
{
    static const char *const keys[] = {"utterance", "outcome", "say", "pick"};
    cJSON *reply = pov_json_parse_text(exchange->reply);
    begin_row(self, ASKS);
    put_moment(self, event);
    put_text(self, *exchange->speaker ? exchange->speaker : NULL);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        put_text(self, cJSON_GetStringValue(cJSON_GetObjectItem(reply, keys[i])));
    put_text(self, exchange->reply);
    end_row(self);
    cJSON_Delete(reply);
}

/* The geometry's answers in all frames, as docs/JSON.md has them. */
static void put_golds(exporter *self, const pov_comparison *comparison)
{
    cJSON *list = cJSON_CreateArray();
    for (int i = 0; i < comparison->gold_len; i++) {
        const pov_compared_gold *gold = &comparison->golds[i];
        cJSON *item = cJSON_CreateObject();
        pov_json_add_text(item, "frame", gold->frame);
        pov_json_add_text(item, "answer", gold->answer);
        cJSON_AddItemToObject(item, "p", pov_json_rounded(gold->p, 6));
        cJSON_AddBoolToObject(item, "sure", gold->sure);
        cJSON_AddBoolToObject(item, "asked", gold->asked);
        cJSON_AddItemToArray(list, item);
    }
    char *text = cJSON_PrintUnformatted(list);
    put_text(self, text);
    cJSON_free(text);
    cJSON_Delete(list);
}

static void put_asked_gold(exporter *self, const pov_comparison *comparison)
{
    int i = 0;
    while (i < comparison->gold_len && !comparison->golds[i].asked)
        i++;
    const bool has = i < comparison->gold_len;
    put_text(self, has ? comparison->golds[i].frame : NULL);
    put_text(self, has ? comparison->golds[i].answer : NULL);
    put_number(self, has ? comparison->golds[i].p : NAN);
    put_text(self, !has ? NULL : comparison->golds[i].sure ? "true" : "false");
}

static void write_comparison(exporter *self, const pov_recorded_event *event, const pov_comparison *c)
{
    begin_row(self, VLM);
    put_moment(self, event);
    put_text(self, c->run);
    put_whole(self, c->question);
    put_text(self, pov_comparison_status_name(c->status));
    put_text(self, c->model);
    put_text(self, c->server_model);
    put_text(self, c->image_name);
    put_whole(self, c->capture_ns);
    put_text(self, c->occasion);
    put_number(self, c->angle_rad / POV_DEG);
    put_text(self, c->paper);
    put_text(self, c->language);
    put_text(self, c->prompt);
    put_text(self, c->columns);
    put_asked_gold(self, c);
    put_text(self, c->answer);
    put_number(self, c->p);
    put_number(self, c->mass);
    put_text(self, c->reading);
    put_text(self, pov_agreement_name(c->agreement));
    put_text(self, c->cause);
    put_whole(self, c->asked_ns);
    if (c->is_answered)
        put_whole(self, c->answered_ns);
    else
        put_text(self, NULL);
    put_number(self, c->is_answered ? 1e-9 * (double)c->latency_ns : NAN);
    put_number(self, c->moved_on_s);
    put_number(self, c->turned_on_rad / POV_DEG);
    put_text(self, c->simulated ? "true" : "false");
    put_golds(self, c);
    put_text(self, c->guided);
    put_text(self, c->prompting);
    put_text(self, c->system_name);
    put_text(self, c->guidance);
    if (c->has_first_token)
        put_whole(self, c->first_token_ns);
    else
        put_text(self, NULL);
    put_number(self, c->curve_rad / POV_DEG);
    put_text(self, c->truth);
    put_text(self, c->flip);
    put_text(self, c->circular);
    put_text(self, c->second_sha256);
    put_text(self, c->order);
    end_row(self);
}

static void write_line(exporter *self, const pov_recorded_event *event)
{
    begin_row(self, LOG);
    put_moment(self, event);
    put_text(self, event->topic == POV_RECORDED_MARKER ? "marker" : event->severity);
    put_text(self, event->text);
    end_row(self);
}

/* ---- the whole ---- */

static pov_status begin_tables(exporter *self, const char *folder)
{
    char path[POV_PATH_CAPACITY];
    POV_TRY(pov_write_folder(folder));
    for (; self->begun < TABLES; self->begun++) {
        if (!pov_text_fits_as(path, sizeof path, "%s/%s.csv", folder, tables[self->begun].name))
            return pov_error("%.150s: this path is too long", folder);
        POV_TRY(pov_write_file_begin(&self->files[self->begun], path));
        fprintf(self->files[self->begun].stream, "%s\r\n", tables[self->begun].columns);
    }
    return pov_ok();
}

/* All tables stay, or none: a failure is that of each, and is looked for before the first gets its name. */
static pov_status end_tables(exporter *self, pov_status status)
{
    for (int i = 0; i < self->begun && status.code == POV_OK; i++)
        if (fflush(self->files[i].stream) != 0 || ferror(self->files[i].stream))
            status = pov_error("%s: cannot be written: %s", self->files[i].path, strerror(errno));
    for (int i = 0; i < self->begun; i++)
        status = pov_write_file_end(&self->files[i], status);
    return status;
}

static pov_status export_messages(exporter *self, pov_recording *recording, pov_codec *codec,
                                  pov_observation *observation)
{
    pov_message message = {.observation = observation};
    while (!pov_cli_stop_requested()) {
        pov_recorded_event event;
        const pov_status status = pov_recording_next(recording, &event);
        if (status.code == POV_END)
            return pov_ok();
        if (status.code == POV_SKIPPED)
            continue;
        POV_TRY(status);
        if (event.topic == POV_RECORDED_LOG || event.topic == POV_RECORDED_MARKER)
            write_line(self, &event);
        if (event.topic != POV_RECORDED_OBSERVATION && event.topic != POV_RECORDED_ASK &&
            event.topic != POV_RECORDED_VLM)
            continue;
        const pov_status decoded = pov_codec_decode(codec, &message, event.message.bytes, event.message.len);
        if (decoded.code != POV_OK)
            pov_recording_note_damage(recording, &event.message, &decoded);
        else if (message.kind == POV_MESSAGE_OBSERVATION)
            write_observation(self, observation);
        else if (message.kind == POV_MESSAGE_EXCHANGE)
            write_exchange(self, &event, &message.exchange);
        else if (message.kind == POV_MESSAGE_COMPARISON)
            write_comparison(self, &event, &message.comparison);
    }
    return pov_error("stopped; no table was written");
}

static pov_status export_recording(pov_recording *recording, const char *folder)
{
    pov_codec *codec;
    exporter self = {.begun = 0};
    POV_TRY(pov_codec_new(&codec));
    pov_observation *observation = calloc(1, sizeof *observation);
    POV_REQUIRE_MEMORY(observation);
    pov_status status = begin_tables(&self, folder);
    POV_THEN(status, export_messages(&self, recording, codec, observation));
    if (status.code == POV_OK && self.rows == 0) {
        status = pov_recording_damage(recording);
        POV_THEN(status, pov_error("%s: holds no observation, question or log line; no table was written",
                                   pov_mcap_reader_input(pov_recording_reader(recording))->name));
    }
    status = end_tables(&self, status);
    POV_THEN(status, pov_recording_damage(recording));
    free(observation);
    pov_codec_destroy(&codec);
    return status;
}

pov_status pov_export_tables(const char *path, const char *folder)
{
    pov_recording *recording;
    POV_TRY(pov_recording_open(&recording, path));
    const pov_status one = pov_recording_check_camera(recording, "pov export --csv");
    if (one.code != POV_OK) {
        pov_recording_close(&recording);
        return one;
    }
    const pov_status status = export_recording(recording, folder);
    pov_recording_close(&recording);
    return status;
}
