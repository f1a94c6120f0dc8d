#include "firmware/calib/calib_turntable.h"

#include <cjson/cJSON.h>

#include <math.h>

static const double deg = POV_PI / 180;

static cJSON *number(double value)
{
    return isfinite(value) ? cJSON_CreateNumber(value) : cJSON_CreateNull();
}

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
        cJSON_AddItemToObject(item, "angle_deg", number(image->angle_rad / deg));
        cJSON_AddItemToObject(item, "angle_std_deg", number(image->angle_std_rad / deg));
        cJSON_AddItemToObject(item, "told_deg", number(image->has_told ? image->told.told_rad / deg : NAN));
        cJSON_AddItemToObject(item, "ahead_deg", number(image->ahead_rad / deg));
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
        cJSON_AddItemToObject(item, "pos_std_m", number(pov_calib_largest_std(&tag->T_table_tag, 3)));
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
    cJSON_AddItemToObject(object, "backlash_deg", number(s->has_backlash ? s->backlash_rad / deg : NAN));
    cJSON_AddItemToObject(object, "backlash_std_deg",
                          number(s->has_backlash ? s->backlash_std_rad / deg : NAN));
    cJSON_AddItemToObject(object, "slips", slips);
    for (int k = 0; k < s->slip_len; k++) {
        cJSON *item = cJSON_CreateObject();
        cJSON_AddItemToArray(slips, item);
        cJSON_AddStringToObject(item, "before", r->images[r->slip_image[k]].name);
        cJSON_AddNumberToObject(item, "jump_deg", s->slips[k].jump_rad / deg);
        cJSON_AddNumberToObject(item, "jump_std_deg", s->slips[k].std_rad / deg);
    }
    cJSON_AddNumberToObject(object, "creep_deg_per_turn", s->creep * 360);
    cJSON_AddNumberToObject(object, "creep_std_deg_per_turn", s->creep_std * 360);
    cJSON_AddNumberToObject(object, "scatter_deg", s->scatter_rad / deg);
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
    cJSON_AddItemToObject(object, "zero_std_deg", number(pov_turntable_report_zero_std_rad(r) / deg));
    cJSON_AddNumberToObject(object, "arc_deg", r->arc_rad / deg);
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
