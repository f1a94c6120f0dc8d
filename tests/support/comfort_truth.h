/** COMFORT's published renders in ../shared, and what their truth.json says. Include after cmocka.h. */
#pragma once

#include "perception/geometry/camera.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>

enum { PATH_CAPACITY = 512 };

static char shared[PATH_CAPACITY - 64];

static inline bool test_find_shared(void)
{
    const char *given = getenv("POV_SHARED"), *source = getenv("POV_SOURCE");
    if (given)
        snprintf(shared, sizeof shared, "%s", given);
    else
        snprintf(shared, sizeof shared, "%s/../shared", source ? source : ".");
    char path[PATH_CAPACITY];
    snprintf(path, sizeof path, "%s/data/comfort/ball_default/truth.json", shared);
    FILE *file = fopen(path, "rb");
    if (file)
        fclose(file);
    return file;
}

static inline double json_number(const cJSON *object, const char *key)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
    assert_true(cJSON_IsNumber(item));
    return item->valuedouble;
}

static inline const cJSON *json_member(const cJSON *object, const char *key)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
    assert_non_null(item);
    return item;
}

static inline cJSON *comfort_truth(const char *set)
{
    static char text[1 << 16];
    char path[PATH_CAPACITY];
    snprintf(path, sizeof path, "%s/data/comfort/%s/truth.json", shared, set);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t length = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[length] = '\0';
    cJSON *truth = cJSON_Parse(text);
    assert_non_null(truth);
    return truth;
}

static inline pov_camera comfort_camera(const cJSON *truth)
{
    const cJSON *in = json_member(truth, "intrinsics");
    return (pov_camera){.lens = POV_LENS_BROWN_CONRADY,
                        .width_px = (int)json_number(in, "width_px"),
                        .height_px = (int)json_number(in, "height_px"),
                        .fx_px = json_number(in, "fx_px"),
                        .fy_px = json_number(in, "fy_px"),
                        .cx_px = json_number(in, "cx_px"),
                        .cy_px = json_number(in, "cy_px")};
}

static inline pov_pose comfort_pose(const cJSON *truth)
{
    pov_transform T;
    const cJSON *R = json_member(truth, "R_world_camera"), *t = json_member(truth, "camera_pos_world");
    for (int i = 0; i < 9; i++)
        T.R.m[i / 3][i % 3] = cJSON_GetArrayItem(cJSON_GetArrayItem(R, i / 3), i % 3)->valuedouble;
    T.R = pov_rot_nearest(T.R);
    T.t_m = (pov_vec3){cJSON_GetArrayItem(t, 0)->valuedouble, cJSON_GetArrayItem(t, 1)->valuedouble,
                       cJSON_GetArrayItem(t, 2)->valuedouble};
    return pov_pose_exact(T);
}
