#include "tests/support/pipeline_work.h"

#include "tests/support/sphere_world.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void bench_must(pov_status status)
{
    if (status.code == POV_OK)
        return;
    fprintf(stderr, "bench: %s\n", status.message);
    exit(1);
}

static bool ray_meets(pov_transform T_table_camera, pov_vec3 direction_camera, const pov_sphere *sphere)
{
    pov_vec3 direction = pov_rot_apply(T_table_camera.R, direction_camera);
    pov_vec3 to_center = pov_vec3_sub(sphere->center_m, T_table_camera.t_m);
    return pov_vec3_norm(pov_vec3_cross(to_center, direction)) < sphere->radius_m;
}

/* Copies the pixels of drawn balls over the picture of the tags. */
static void add_balls(pipeline_work *work, const pov_sphere_world *world)
{
    const pov_camera *camera = &work->scene.camera;
    uint8_t *drawn = malloc((size_t)3 * camera->width_px * camera->height_px);
    POV_REQUIRE(drawn);
    pov_sphere_world_draw(drawn, world, camera, work->scene.T_table_camera);
    for (int y = 0; y < camera->height_px; y++)
        for (int x = 0; x < camera->width_px; x++) {
            size_t at = (size_t)3 * ((size_t)y * camera->width_px + x);
            pov_vec3 direction;
            if (pov_camera_unproject(camera, &direction, NULL, (pov_vec2){x, y}) == POV_OK)
                for (int s = 0; s < world->sphere_len; s++)
                    if (ray_meets(work->scene.T_table_camera, direction, &world->spheres[s]))
                        memcpy(work->rgb + at, drawn + at, 3);
        }
    free(drawn);
}

static void draw(pipeline_work *work)
{
    size_t size = (size_t)3 * work->scene.camera.width_px * work->scene.camera.height_px;
    work->rgb = malloc(size);
    POV_REQUIRE(work->rgb);
    memcpy(work->rgb, tag_work_rgb(work->tags), size);
    pov_sphere_world world = pov_sphere_world_default();
    world.sphere_len = 2;
    world.spheres[0] = (pov_sphere){{0.05, 0.06, 0.04}, 0.04, 215, 40, 30};
    world.spheres[1] = (pov_sphere){{-0.15, -0.06, 0.04}, 0.04, 40, 70, 210};
    add_balls(work, &world);
    work->image = (pov_image){.pixels = work->rgb,
                              .width_px = work->scene.camera.width_px,
                              .height_px = work->scene.camera.height_px,
                              .stride_bytes = 3 * work->scene.camera.width_px,
                              .name = "bench"};
}

static void add_ball(pov_station *station, const char *name)
{
    int kind = station->finders.balls.kind_len++;
    pov_ball_kind *ball = &station->finders.balls.kinds[kind];
    *ball = (pov_ball_kind){
        .radius_m = 0.04, .max_count = 1, .has_height = true, .height_m = 0.04, .height_std_m = 0.001};
    POV_REQUIRE(pov_colour_from_name(&ball->colour, name));
    pov_cast_member *member = &station->cast.members[station->cast.len++];
    member->entity = pov_entity_named(name, "ball");
    member->found_by = &pov_found_by_ball;
    member->kind = kind;
    member->count = 1;
}

static void add_person(pov_station *station)
{
    pov_cast_member *member = &station->cast.members[station->cast.len++];
    member->entity = pov_entity_named("anna", "person");
    member->entity.placed = member->entity.addressee = true;
    member->entity.position.mean_m = (pov_vec3){-1, 0.2, 0.5};
    member->entity.heading = pov_heading_single(0, pov_kappa_from_std(0.1));
    member->entity.can_see = true;
    member->entity.field = (pov_field_of_view){
        .shape = POV_FIELD_CONE, .half_horizontal_rad = 1.4, .half_vertical_rad = 1, .far_m = INFINITY};
}

static void set_up_station(pipeline_work *work)
{
    pov_station *station = &work->station;
    station->camera = work->scene.camera;
    station->finders.tags.is_wanted = true;
    station->finders.tags.detector = (pov_tag_detector_config)POV_TAG_DETECTOR_DEFAULT;
    station->finders.tags.map = work->scene.map;
    station->judge.judging = (pov_judging)POV_JUDGING_DEFAULT;
    station->judge.visibility.all = station->judge.directions.all = true;
    add_ball(station, "red");
    add_ball(station, "blue");
    add_person(station);
}

pipeline_work *pipeline_work_new(void)
{
    pipeline_work *work = calloc(1, sizeof *work);
    POV_REQUIRE(work);
    work->tags = tag_work_new();
    test_tag_scene_twelve(&work->scene);
    draw(work);
    set_up_station(work);
    bench_must(pov_pipeline_new(&work->pipeline, &work->station));
    bench_must(pov_codec_new(&work->codec));
    return work;
}

void pipeline_work_destroy(pipeline_work **work)
{
    pov_codec_destroy(&(*work)->codec);
    pov_pipeline_destroy(&(*work)->pipeline);
    tag_work_destroy(&(*work)->tags);
    free((*work)->rgb);
    free(*work);
    *work = NULL;
}

void pipeline_work_publish(pipeline_work *work, pov_publisher *publisher)
{
    const uint8_t *bytes;
    size_t length;
    bench_must(pov_pipeline_run(work->pipeline, &work->observation, &work->image));
    bench_must(pov_codec_encode_observation(work->codec, &bytes, &length, &work->observation));
    pov_publisher_publish(publisher, POV_TOPIC_OBSERVATION, bytes, length);
    bench_must(pov_pipeline_remember(work->pipeline, &work->image));
    POV_REQUIRE(work->observation.image.pose_source == POV_POSE_FROM_TAGS);
    for (int i = 0; i < work->observation.scene.len; i++)
        POV_REQUIRE(work->observation.scene.entities[i].placed); /* both balls found */
}
