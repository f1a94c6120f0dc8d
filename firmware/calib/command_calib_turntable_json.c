#include "firmware/calib/calib_turntable.h"

#include "config/files/json_value.h"

#include <cjson/cJSON.h>

#include <math.h>

static cJSON *images(const pov_turntable_report *r)
{
    cJSON *list = cJSON_CreateArray();
    for (int i = 0; i < r->image_len; i++) {
        const pov_turn_image *image = &r->images[i];
        cJSON *item = cJSON_CreateObject();
        cJSON_AddItemToArray(list, item);
        cJSON_AddStringToObject(item, "image", image->name);
        cJSON_AddStringToObject(item, "fate", pov_turn_fate_name(image->fate));
        cJSON_AddNumberToObject(item, "tags", image->disc_len);
        pov_json_add_number(item, "angle_deg", image->angle_rad / POV_DEG);
        pov_json_add_number(item, "angle_std_deg", image->angle_std_rad / POV_DEG);
        pov_json_add_number(item, "told_deg", image->has_told ? image->told.told_rad / POV_DEG : NAN);
        pov_json_add_number(item, "ahead_deg", image->ahead_rad / POV_DEG);
    }
    return list;
}

static cJSON *tag_list(const pov_turntable_report *r)
{
    cJSON *list = cJSON_CreateArray();
    for (int i = 0; i < r->disc.tags.len; i++) {
        const pov_tag_map_entry *tag = &r->disc.tags.tags[i];
        const double pos_m[] = {tag->T_table_tag.T.t_m.x, tag->T_table_tag.T.t_m.y, tag->T_table_tag.T.t_m.z};
        cJSON *item = cJSON_CreateObject();
        cJSON_AddItemToArray(list, item);
        cJSON_AddStringToObject(item, "family", pov_tag_family_name(tag->family));
        cJSON_AddNumberToObject(item, "id", tag->id);
        cJSON_AddItemToObject(item, "pos_m", cJSON_CreateDoubleArray(pos_m, 3));
        pov_json_add_number(item, "pos_std_m", pov_calib_largest_std(&tag->T_table_tag, 3));
    }
    return list;
}

static cJSON *slip(const pov_turntable_report *r)
{
    const pov_slip_report *s = &r->slip;
    if (!r->has_slip)
        return cJSON_CreateNull();
    cJSON *object = cJSON_CreateObject(), *slips = cJSON_CreateArray();
    cJSON_AddStringToObject(object, "direction", s->clockwise ? "clockwise" : "counterclockwise");
    pov_json_add_number(object, "backlash_deg", s->has_backlash ? s->backlash_rad / POV_DEG : NAN);
    pov_json_add_number(object, "backlash_std_deg", s->has_backlash ? s->backlash_std_rad / POV_DEG : NAN);
    cJSON_AddItemToObject(object, "slips", slips);
    for (int k = 0; k < s->slip_len; k++) {
        cJSON *item = cJSON_CreateObject();
        cJSON_AddItemToArray(slips, item);
        cJSON_AddStringToObject(item, "before", r->images[r->slip_image[k]].name);
        cJSON_AddNumberToObject(item, "jump_deg", s->slips[k].jump_rad / POV_DEG);
        cJSON_AddNumberToObject(item, "jump_std_deg", s->slips[k].std_rad / POV_DEG);
    }
    cJSON_AddNumberToObject(object, "creep_deg_per_turn", s->creep * 360);
    cJSON_AddNumberToObject(object, "creep_std_deg_per_turn", s->creep_std * 360);
    cJSON_AddNumberToObject(object, "scatter_deg", s->scatter_rad / POV_DEG);
    return object;
}

void pov_calib_turntable_print_json(FILE *stream, const pov_turntable_report *r)
{
    const pov_pose *at = &r->disc.T_table_disc;
    const double pos_m[] = {at->T.t_m.x, at->T.t_m.y, at->T.t_m.z};
    const double axis[] = {at->T.R.m[0][2], at->T.R.m[1][2], at->T.R.m[2][2]};
    cJSON *object = cJSON_CreateObject();
    cJSON_AddItemToObject(object, "pos_m", cJSON_CreateDoubleArray(pos_m, 3));
    cJSON_AddItemToObject(object, "axis", cJSON_CreateDoubleArray(axis, 3));
    cJSON_AddItemToObject(object, "cov", cJSON_CreateDoubleArray(&at->cov[0][0], 36));
    cJSON_AddStringToObject(object, "zero_by", pov_zero_source_name(r->zero));
    pov_json_add_number(object, "zero_std_deg", pov_turntable_report_zero_std_rad(r) / POV_DEG);
    cJSON_AddNumberToObject(object, "arc_deg", r->arc_rad / POV_DEG);
    cJSON_AddNumberToObject(object, "rms_px", r->rms_px);
    cJSON_AddNumberToObject(object, "images_used", r->used_len);
    cJSON_AddItemToObject(object, "tags", tag_list(r));
    cJSON_AddItemToObject(object, "left_out", cJSON_CreateIntArray(r->left_out, r->left_out_len));
    cJSON_AddItemToObject(object, "slip", slip(r));
    cJSON_AddItemToObject(object, "images", images(r));
    char *line = cJSON_PrintUnformatted(object);
    if (line)
        fprintf(stream, "%s\n", line);
    cJSON_free(line);
    cJSON_Delete(object);
}
