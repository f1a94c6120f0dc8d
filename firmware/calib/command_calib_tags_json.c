#include "firmware/calib/calib_tags.h"

#include "config/files/json_value.h"

#include <cjson/cJSON.h>

#include <inttypes.h>
#include <math.h>

static void add_pose(cJSON *object, const char *rotation_name, const pov_pose *pose)
{
    const double position_m[] = {pose->T.t_m.x, pose->T.t_m.y, pose->T.t_m.z};
    cJSON_AddItemToObject(object, "pos_m", cJSON_CreateDoubleArray(position_m, 3));
    cJSON_AddItemToObject(object, rotation_name, cJSON_CreateDoubleArray(&pose->T.R.m[0][0], 9));
}

static cJSON *tag_object(const pov_survey_tag *tag)
{
    cJSON *object = cJSON_CreateObject();
    const pov_pose *pose = &tag->entry.T_table_tag;
    cJSON_AddStringToObject(object, "family", pov_tag_family_name(tag->entry.family));
    cJSON_AddNumberToObject(object, "id", tag->entry.id);
    cJSON_AddNumberToObject(object, "edge_m", tag->entry.edge_m);
    cJSON_AddStringToObject(object, "fate", pov_survey_fate_name(tag->fate));
    cJSON_AddNumberToObject(object, "images_seen", tag->seen_len);
    cJSON_AddNumberToObject(object, "images_used", tag->used_len);
    pov_json_add_number(object, "rms_px", tag->rms_px);
    if (tag->why[0])
        cJSON_AddStringToObject(object, "why", tag->why);
    if (tag->fate != POV_SURVEY_MAPPED && tag->fate != POV_SURVEY_HELD)
        return object;
    add_pose(object, "R_table_tag", pose);
    cJSON_AddItemToObject(object, "cov", cJSON_CreateDoubleArray(&pose->cov[0][0], 36));
    cJSON_AddNumberToObject(object, "position_std_m", pov_calib_tags_position_std_m(pose));
    cJSON_AddNumberToObject(object, "rotation_std_deg", pov_calib_tags_rotation_std_rad(pose) * 180 / POV_PI);
    return object;
}

static cJSON *sighting_object(const pov_survey_report *r, const pov_survey_sighting *seen)
{
    cJSON *object = cJSON_CreateObject();
    const pov_tag_map_entry *entry = &r->tags[seen->tag].entry;
    cJSON_AddStringToObject(object, "family", pov_tag_family_name(entry->family));
    cJSON_AddNumberToObject(object, "id", entry->id);
    cJSON_AddBoolToObject(object, "used", seen->used);
    pov_json_add_number(object, "rms_px", seen->rms_px);
    return object;
}

static cJSON *view_object(const pov_survey_report *r, const pov_survey_view *view)
{
    cJSON *object = cJSON_CreateObject(), *tags = cJSON_CreateArray();
    cJSON_AddStringToObject(object, "image", view->name);
    cJSON_AddNumberToObject(object, "tags_used", view->used_len);
    pov_json_add_number(object, "rms_px", view->rms_px);
    if (view->used_len > 0)
        add_pose(object, "R_table_camera", &view->T_table_camera);
    for (int i = 0; i < view->seen_len; i++)
        cJSON_AddItemToArray(tags, sighting_object(r, &r->sightings[view->first_sighting + i]));
    cJSON_AddItemToObject(object, "tags", tags);
    return object;
}

void pov_calib_tags_print_json(FILE *stream, const pov_survey_report *r, const pov_camera *camera)
{
    char hash[20];
    cJSON *object = cJSON_CreateObject(), *tags = cJSON_CreateArray(), *images = cJSON_CreateArray();
    snprintf(hash, sizeof hash, "%016" PRIx64, pov_camera_hash(camera));
    cJSON_AddStringToObject(object, "calibration", hash);
    cJSON_AddNumberToObject(object, "tags_mapped", r->mapped_len);
    cJSON_AddNumberToObject(object, "images_used", r->used_view_len);
    pov_json_add_number(object, "rms_px", r->rms_px);
    pov_json_add_number(object, "noise_px", r->noise_px);
    cJSON_AddNumberToObject(object, "strays", r->stray_len);
    for (int t = 0; t < r->tag_len; t++)
        cJSON_AddItemToArray(tags, tag_object(&r->tags[t]));
    for (int v = 0; v < r->view_len; v++)
        cJSON_AddItemToArray(images, view_object(r, &r->views[v]));
    cJSON_AddItemToObject(object, "tags", tags);
    cJSON_AddItemToObject(object, "images", images);
    char *line = cJSON_PrintUnformatted(object);
    if (line)
        fprintf(stream, "%s\n", line);
    cJSON_free(line);
    cJSON_Delete(object);
}
