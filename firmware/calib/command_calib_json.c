#include "firmware/calib/calib_camera.h"

#include "config/files/json_value.h"

#include <cjson/cJSON.h>

#include <inttypes.h>
#include <math.h>

static cJSON *parameters(const pov_camera_fit *fit)
{
    cJSON *object = cJSON_CreateObject();
    for (int i = 0; i < 4 + fit->coefficient_len; i++) {
        const double pair[] = {pov_camera_parameter(&fit->camera, i), sqrt(fit->covariance[i][i])};
        cJSON_AddItemToObject(object, pov_camera_parameter_name(fit->camera.lens, i),
                              cJSON_CreateDoubleArray(pair, 2));
    }
    return object;
}

static cJSON *covariance(const pov_camera_fit *fit)
{
    cJSON *rows = cJSON_CreateArray();
    for (int i = 0; i < 4 + fit->coefficient_len; i++)
        cJSON_AddItemToArray(rows, cJSON_CreateDoubleArray(fit->covariance[i], 4 + fit->coefficient_len));
    return rows;
}

static cJSON *models(const pov_calibration_report *r)
{
    cJSON *object = cJSON_CreateObject();
    for (int m = 0; m < POV_CAMERA_MODEL_COUNT; m++) {
        cJSON *model = cJSON_CreateObject();
        cJSON_AddItemToObject(object, pov_camera_model_name((pov_camera_model)m), model);
        if (!r->models[m].fitted) {
            cJSON_AddStringToObject(model, "why", r->models[m].why);
            continue;
        }
        pov_json_add_number(model, "rms_px", r->models[m].rms_px);
        pov_json_add_number(model, "holdout_px", r->models[m].holdout_px);
    }
    return object;
}

static cJSON *views(const pov_calibration_report *r)
{
    cJSON *list = cJSON_CreateArray();
    for (int i = 0; i < r->view_len; i++) {
        const pov_calibration_view *view = &r->views[i];
        cJSON *item = cJSON_CreateObject();
        cJSON_AddItemToArray(list, item);
        cJSON_AddStringToObject(item, "image", view->name);
        cJSON_AddStringToObject(item, "fate", pov_view_fate_name(view->fate));
        if (view->fate != POV_VIEW_USED)
            cJSON_AddStringToObject(item, "why", view->why);
        cJSON_AddNumberToObject(item, "corners", view->seen.len);
        pov_json_add_number(item, "rms_px", view->rms_px);
        pov_json_add_number(item, "tilt_deg", view->tilt_rad * 180 / POV_PI);
        pov_json_add_number(item, "edge_px", view->seen.edge_px);
    }
    return list;
}

static cJSON *map(const pov_calibration_report *r)
{
    cJSON *object = cJSON_CreateObject(), *rows = cJSON_AddArrayToObject(object, "std_px");
    cJSON_AddNumberToObject(object, "distance_m", r->distance_m);
    pov_json_add_number(object, "median_px", r->map_median_px);
    pov_json_add_number(object, "max_px", r->map_max_px);
    for (int row = 0; row < POV_CALIBRATION_MAP_ROWS; row++) {
        cJSON *cells = cJSON_CreateArray();
        for (int column = 0; column < POV_CALIBRATION_MAP_COLUMNS; column++)
            cJSON_AddItemToArray(cells, pov_json_number(r->map_px[row][column]));
        cJSON_AddItemToArray(rows, cells);
    }
    return object;
}

void pov_calib_print_json(FILE *stream, const pov_calibration_report *r, const pov_calib_options *options)
{
    char text[POV_BOARD_TEXT_CAPACITY], hash[20];
    cJSON *object = cJSON_CreateObject(), *advice = cJSON_CreateArray();
    pov_board_format(text, &options->board);
    snprintf(hash, sizeof hash, "%016" PRIx64, pov_camera_hash(&r->fit.camera));
    cJSON_AddStringToObject(object, "camera", options->name);
    cJSON_AddStringToObject(object, "hash", hash);
    cJSON_AddStringToObject(object, "board", text);
    cJSON_AddStringToObject(object, "model", pov_camera_model_name(r->model));
    cJSON_AddNumberToObject(object, "width_px", r->fit.camera.width_px);
    cJSON_AddNumberToObject(object, "height_px", r->fit.camera.height_px);
    cJSON_AddItemToObject(object, "parameters", parameters(&r->fit));
    cJSON_AddItemToObject(object, "covariance", covariance(&r->fit));
    cJSON_AddNumberToObject(object, "images_used", r->used_len);
    cJSON_AddNumberToObject(object, "corners", r->fit.point_len);
    cJSON_AddNumberToObject(object, "rms_px", r->fit.rms_px);
    pov_json_add_number(object, "holdout_px", r->models[r->model].holdout_px);
    cJSON_AddItemToObject(object, "models", models(r));
    cJSON_AddItemToObject(object, "uncertainty", map(r));
    cJSON_AddItemToObject(object, "images", views(r));
    for (int i = 0; i < r->advice_len; i++)
        cJSON_AddItemToArray(advice, cJSON_CreateString(r->advice[i]));
    cJSON_AddItemToObject(object, "advice", advice);
    char *line = cJSON_PrintUnformatted(object);
    if (line)
        fprintf(stream, "%s\n", line);
    cJSON_free(line);
    cJSON_Delete(object);
}
