#include "sim/renderer_internal.h"

#include <stdlib.h>
#include <string.h>

static pov_status embree_status(const render_scene *scene, const char *what)
{
    enum RTCError error = rtcGetDeviceError(scene->device);
    if (error == RTC_ERROR_NONE)
        return pov_ok();
    return pov_error("renderer: Embree cannot %s (error %d%s)", what, (int)error,
                     error == RTC_ERROR_OUT_OF_MEMORY ? ": out of memory; use smaller models" : "");
}

static void clear(render_scene *scene)
{
    for (int i = 0; i < scene->instance_len; i++) {
        rtcDetachGeometry(scene->scene, (unsigned)i);
        rtcReleaseGeometry(scene->instances[i].geometry);
    }
    for (int i = 0; i < scene->model_len; i++) {
        rtcReleaseScene(scene->models[i].scene);
        free(scene->models[i].triangles);
    }
    free(scene->instances);
    free(scene->models);
    scene->instances = NULL;
    scene->models = NULL;
    scene->instance_len = scene->model_len = 0;
}

pov_status render_scene_new(render_scene *scene)
{
    for (uint32_t i = 0; i < 256; i++) {
        float grey[3];
        pov_albedo_from_srgb(grey, i);
        scene->linear[i] = grey[2];
    }
    /* builds run in the calling thread */
    scene->device = rtcNewDevice("threads=1,user_threads=1,start_threads=0,set_affinity=0");
    pov_status status = embree_status(scene, "start");
    if (status.code != POV_OK)
        return status;
    scene->scene = rtcNewScene(scene->device);
    rtcSetSceneFlags(scene->scene, RTC_SCENE_FLAG_ROBUST | RTC_SCENE_FLAG_DYNAMIC);
    rtcCommitScene(scene->scene);
    return embree_status(scene, "make a scene");
}

void render_scene_destroy(render_scene *scene)
{
    clear(scene);
    if (scene->scene)
        rtcReleaseScene(scene->scene);
    if (scene->device)
        rtcReleaseDevice(scene->device);
}

/* ---- building ---- */

static void fill_triangle(shaded_triangle *t, const pov_model_parts *parts, int i)
{
    for (int k = 0; k < 3; k++) {
        const uint32_t vertex = parts->triangles[i][k];
        memcpy(t->normals[k], parts->normals[vertex], sizeof t->normals[k]);
        memcpy(t->uv[k], parts->texture_uv[vertex], sizeof t->uv[k]);
    }
    t->material = parts->triangle_material[i];
}

/** Embree reads 16 bytes at a vertex, so that it must own a copy of the positions. */
static RTCGeometry new_triangles(RTCDevice device, const pov_model_parts *parts)
{
    RTCGeometry geometry = rtcNewGeometry(device, RTC_GEOMETRY_TYPE_TRIANGLE);
    void *positions = rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3,
                                              sizeof *parts->positions_m, (size_t)parts->vertex_len);
    void *triangles = rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3,
                                              sizeof *parts->triangles, (size_t)parts->triangle_len);
    if (positions && triangles) {
        memcpy(positions, parts->positions_m, (size_t)parts->vertex_len * sizeof *parts->positions_m);
        memcpy(triangles, parts->triangles, (size_t)parts->triangle_len * sizeof *parts->triangles);
    }
    rtcCommitGeometry(geometry);
    return geometry;
}

static bool build_model(render_scene *scene, built_model *built, const pov_model *model)
{
    built->model = model;
    built->parts = pov_model_read(model);
    built->scene = rtcNewScene(scene->device);
    rtcSetSceneFlags(built->scene, RTC_SCENE_FLAG_ROBUST);
    if (built->parts.triangle_len > 0) {
        RTCGeometry geometry = new_triangles(scene->device, &built->parts);
        rtcAttachGeometry(built->scene, geometry);
        rtcReleaseGeometry(geometry);
    }
    rtcCommitScene(built->scene);
    built->triangles = calloc((size_t)built->parts.triangle_len + 1, sizeof *built->triangles);
    for (int i = 0; built->triangles && i < built->parts.triangle_len; i++)
        fill_triangle(&built->triangles[i], &built->parts, i);
    return built->triangles;
}

static const built_model *find_or_build(render_scene *scene, const pov_model *model)
{
    for (int i = 0; i < scene->model_len; i++)
        if (scene->models[i].model == model)
            return &scene->models[i];
    built_model *built = &scene->models[scene->model_len++];
    return build_model(scene, built, model) ? built : NULL;
}

static void place(placed_instance *instance, const pov_transform *T)
{
    const double t[3] = {T->t_m.x, T->t_m.y, T->t_m.z};
    float columns[4][3];
    for (int row = 0; row < 3; row++) {
        for (int column = 0; column < 3; column++) {
            instance->R[row][column] = (float)T->R.m[row][column];
            columns[column][row] = (float)T->R.m[row][column];
        }
        columns[3][row] = (float)t[row];
    }
    rtcSetGeometryTransform(instance->geometry, 0, RTC_FORMAT_FLOAT3X4_COLUMN_MAJOR, columns);
    rtcCommitGeometry(instance->geometry);
}

static bool add_instance(render_scene *scene, const pov_instance *wanted)
{
    const built_model *built = find_or_build(scene, wanted->model);
    if (!built)
        return false;
    const int i = scene->instance_len++;
    placed_instance *instance = &scene->instances[i];
    instance->built = built;
    instance->label = wanted->label;
    instance->geometry = rtcNewGeometry(scene->device, RTC_GEOMETRY_TYPE_INSTANCE);
    rtcSetGeometryInstancedScene(instance->geometry, built->scene);
    place(instance, &wanted->T_table_model);
    rtcAttachGeometryByID(scene->scene, instance->geometry, (unsigned)i);
    return true;
}

pov_status render_scene_set(render_scene *scene, const pov_instance *instances, int len)
{
    clear(scene);
    scene->models = calloc((size_t)len + 1, sizeof *scene->models);
    scene->instances = calloc((size_t)len + 1, sizeof *scene->instances);
    bool ok = scene->models && scene->instances;
    for (int i = 0; ok && i < len; i++) {
        POV_REQUIRE(instances[i].label >= 0 && instances[i].label <= INT16_MAX);
        ok = add_instance(scene, &instances[i]);
    }
    rtcCommitScene(scene->scene);
    pov_status status = ok ? embree_status(scene, "build the models")
                           : pov_error("renderer: out of memory for %d instances", len);
    if (status.code != POV_OK) {
        clear(scene);
        rtcCommitScene(scene->scene);
    }
    return status;
}

pov_status render_scene_move(render_scene *scene, const pov_transform *T_table_model)
{
    for (int i = 0; i < scene->instance_len; i++)
        place(&scene->instances[i], &T_table_model[i]);
    rtcCommitScene(scene->scene);
    return embree_status(scene, "move the instances");
}

/* ---- rays ----
 * Not flagged as coherent: Embree 3.13's rtcOccluded16 can then loop for ever among instances. */

void render_scene_meet(const render_scene *scene, ray_packet *packet)
{
    struct RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    memset(packet->embree.hit.instID, 0xff, sizeof packet->embree.hit.instID);
    memset(packet->embree.hit.geomID, 0xff, sizeof packet->embree.hit.geomID);
    rtcIntersect16(packet->wanted, scene->scene, &context, &packet->embree);
}

void render_scene_block(const render_scene *scene, int occluded[LANES], const int wanted[LANES],
                        const float from[3][LANES], const float to[3][LANES])
{
    struct RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    int valid[LANES] __attribute__((aligned(64)));
    struct RTCRay16 rays;
    memcpy(valid, wanted, sizeof valid);
    for (int i = 0; i < LANES; i++) {
        rays.org_x[i] = from[0][i];
        rays.org_y[i] = from[1][i];
        rays.org_z[i] = from[2][i];
        rays.dir_x[i] = to[0][i] - from[0][i];
        rays.dir_y[i] = to[1][i] - from[1][i];
        rays.dir_z[i] = to[2][i] - from[2][i];
        rays.tnear[i] = 0;
        rays.tfar[i] = 1;
        rays.time[i] = 0;
        rays.mask[i] = UINT32_MAX;
        rays.id[i] = 0;
        rays.flags[i] = 0;
    }
    rtcOccluded16(valid, scene->scene, &context, &rays);
    for (int i = 0; i < LANES; i++)
        occluded[i] = wanted[i] && rays.tfar[i] < 0;
}
