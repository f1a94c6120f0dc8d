#include "sim/render/renderer_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void clear_scene(render_scene *scene)
{
    for (int i = 0; i < scene->instance_len; i++) {
        rtcDetachGeometry(scene->scene, (unsigned)i);
        rtcReleaseGeometry(scene->instances[i].geometry);
    }
    for (int i = 0; i < scene->model_len; i++)
        free(scene->models[i].triangles);
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
    pov_status status = pov_embree_check(scene->device, "renderer", "start");
    if (status.code != POV_OK)
        return status;
    scene->scene = rtcNewScene(scene->device);
    rtcSetSceneFlags(scene->scene, RTC_SCENE_FLAG_ROBUST | RTC_SCENE_FLAG_DYNAMIC);
    rtcSetSceneBuildQuality(scene->scene, RTC_BUILD_QUALITY_LOW); /* a structure a body: one may move alone */

    rtcCommitScene(scene->scene);
    return pov_embree_check(scene->device, "renderer", "make a scene");
}

void render_scene_destroy(render_scene *scene)
{
    clear_scene(scene);
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

static bool build_model(built_model *built, const pov_model *model)
{
    built->model = model;
    built->parts = pov_model_read(model);
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
    return build_model(built, model) ? built : NULL;
}

/** Embree gets the vertices where they stand: among instances of its own, packets that are said to be coherent can go
 *  round for ever (3.13.5), and others take twice as long. */
static void place_instance(placed_instance *instance, const pov_transform *T)
{
    const pov_model_parts *parts = &instance->built->parts;
    float(*placed)[3] = rtcGetGeometryBufferData(instance->geometry, RTC_BUFFER_TYPE_VERTEX, 0);
    instance->T_table_model = *T;
    instance->placed = (const float(*)[3])placed;
    for (int i = 0; placed && i < parts->vertex_len; i++) {
        const float *p = parts->positions_m[i];
        const pov_vec3 at_m = pov_transform_apply(*T, (pov_vec3){p[0], p[1], p[2]});
        placed[i][0] = (float)at_m.x;
        placed[i][1] = (float)at_m.y;
        placed[i][2] = (float)at_m.z;
    }
    for (int k = 0; k < 9; k++)
        instance->R[k / 3][k % 3] = (float)T->R.m[k / 3][k % 3];
    rtcSetGeometryBuildQuality(instance->geometry, RTC_BUILD_QUALITY_REFIT);
    rtcUpdateGeometryBuffer(instance->geometry, RTC_BUFFER_TYPE_VERTEX, 0);
    rtcCommitGeometry(instance->geometry);
}

static RTCGeometry new_triangles(RTCDevice device, const pov_model_parts *parts)
{
    RTCGeometry geometry = rtcNewGeometry(device, RTC_GEOMETRY_TYPE_TRIANGLE);
    rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3,
                            sizeof *parts->positions_m, (size_t)parts->vertex_len);
    void *triangles = rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3,
                                              sizeof *parts->triangles, (size_t)parts->triangle_len);
    if (triangles && parts->triangle_len > 0)
        memcpy(triangles, parts->triangles, (size_t)parts->triangle_len * sizeof *parts->triangles);
    return geometry;
}

static bool add_instance(render_scene *scene, const pov_instance *wanted)
{
    const built_model *built = find_or_build(scene, wanted->model);
    if (!built)
        return false;
    const int i = scene->instance_len++;
    placed_instance *instance = &scene->instances[i];
    *instance = (placed_instance){.built = built, .label = wanted->label};
    instance->geometry = new_triangles(scene->device, &built->parts);
    place_instance(instance, &wanted->T_table_model);
    rtcAttachGeometryByID(scene->scene, instance->geometry, (unsigned)i);
    return true;
}

pov_status render_scene_set(render_scene *scene, const pov_instance *instances, int len)
{
    clear_scene(scene);
    scene->models = calloc((size_t)len + 1, sizeof *scene->models);
    scene->instances = calloc((size_t)len + 1, sizeof *scene->instances);
    bool ok = scene->models && scene->instances;
    for (int i = 0; ok && i < len; i++) {
        POV_REQUIRE(instances[i].label >= 0 && instances[i].label <= INT16_MAX);
        ok = add_instance(scene, &instances[i]);
    }
    rtcCommitScene(scene->scene);
    pov_status status = ok ? pov_embree_check(scene->device, "renderer", "build the models")
                           : pov_error("renderer: out of memory for %d instances", len);
    if (status.code != POV_OK) {
        clear_scene(scene);
        rtcCommitScene(scene->scene);
    }
    return status;
}

static bool is_same_place(const pov_transform *a, const pov_transform *b)
{
    double difference = fabs(a->t_m.x - b->t_m.x) + fabs(a->t_m.y - b->t_m.y) + fabs(a->t_m.z - b->t_m.z);
    for (int i = 0; i < 9; i++)
        difference += fabs(a->R.m[i / 3][i % 3] - b->R.m[i / 3][i % 3]);
    return difference == 0;
}

pov_status render_scene_move(render_scene *scene, const pov_transform *T_table_model)
{
    for (int i = 0; i < scene->instance_len; i++)
        if (!is_same_place(&scene->instances[i].T_table_model, &T_table_model[i]))
            place_instance(&scene->instances[i], &T_table_model[i]);
    rtcCommitScene(scene->scene);
    return pov_embree_check(scene->device, "renderer", "move the instances");
}

/* ---- rays ---- */

void render_scene_meet(const render_scene *scene, ray_packet *packet)
{
    pov_embree_context context = pov_embree_context_new();
    memset(packet->embree.hit.instID, 0xff, sizeof packet->embree.hit.instID);
    memset(packet->embree.hit.geomID, 0xff, sizeof packet->embree.hit.geomID);
    pov_embree_intersect16(packet->wanted, scene->scene, &context, &packet->embree, true);
}

static void cross(float product[3], const float a[3], const float b[3])
{
    product[0] = a[1] * b[2] - a[2] * b[1];
    product[1] = a[2] * b[0] - a[0] * b[2];
    product[2] = a[0] * b[1] - a[1] * b[0];
}

/** Moeller and Trumbore 1997, without asking whether the ray meets the triangle; all rays begin at the eye. */
void render_scene_meet_triangle(const render_scene *scene, ray_packet *packet, triangle_name name)
{
    const placed_instance *instance = &scene->instances[name.instance];
    const uint32_t *corners = instance->built->parts.triangles[name.triangle];
    struct RTCRay16 *ray = &packet->embree.ray;
    struct RTCHit16 *hit = &packet->embree.hit;
    const float eye[3] = {ray->org_x[0], ray->org_y[0], ray->org_z[0]};
    float first[3], second[3], to_eye[3], n[3], by_first[3], by_second[3]; /* from the first corner */
    for (int k = 0; k < 3; k++) {
        const float corner = instance->placed[corners[0]][k];
        first[k] = instance->placed[corners[1]][k] - corner;
        second[k] = instance->placed[corners[2]][k] - corner;
        to_eye[k] = eye[k] - corner;
    }
    cross(n, first, second);
    cross(by_first, second, to_eye);
    cross(by_second, to_eye, first);
    const float height = n[0] * to_eye[0] + n[1] * to_eye[1] + n[2] * to_eye[2];
    for (int i = 0; i < LANES; i++) {
        const float x = ray->dir_x[i], y = ray->dir_y[i], z = ray->dir_z[i];
        const float fall = -1 / (n[0] * x + n[1] * y + n[2] * z);
        ray->tfar[i] = height * fall;
        hit->u[i] = fall * (by_first[0] * x + by_first[1] * y + by_first[2] * z);
        hit->v[i] = fall * (by_second[0] * x + by_second[1] * y + by_second[2] * z);
        hit->Ng_x[i] = n[0];
        hit->Ng_y[i] = n[1];
        hit->Ng_z[i] = n[2];
        hit->geomID[i] = name.instance;
        hit->primID[i] = name.triangle;
    }
}

void render_scene_block(const render_scene *scene, int occluded[LANES], const int wanted[LANES],
                        const float from[3][LANES], const float to[3][LANES])
{
    pov_embree_context context = pov_embree_context_new();
    int valid[LANES] __attribute__((aligned(64)));
    struct RTCRay16 rays;
    memcpy(valid, wanted, sizeof valid);
    for (int i = 0; i < LANES;
         i++) { /* those not wanted may be anything, which Embree does not bear on arm64 */
        const bool is_wanted = wanted[i] != 0;
        rays.org_x[i] = is_wanted ? from[0][i] : 0;
        rays.org_y[i] = is_wanted ? from[1][i] : 0;
        rays.org_z[i] = is_wanted ? from[2][i] : 0;
        rays.dir_x[i] = is_wanted ? to[0][i] - from[0][i] : 1;
        rays.dir_y[i] = is_wanted ? to[1][i] - from[1][i] : 1;
        rays.dir_z[i] = is_wanted ? to[2][i] - from[2][i] : 1;
        rays.tnear[i] = 0;
        rays.tfar[i] = 1;
        rays.time[i] = 0;
        rays.mask[i] = UINT32_MAX;
        rays.id[i] = 0;
        rays.flags[i] = 0;
    }
    pov_embree_occluded16(valid, scene->scene, &context, &rays, true);
    for (int i = 0; i < LANES; i++)
        occluded[i] = wanted[i] && rays.tfar[i] < 0;
}
