#include "sim/worlds/stage.h"

#include "sim/worlds/sight_truth.h"
#include "sim/worlds/stage_models.h"
#include "sim/worlds/world.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { INSTANCE_MAX = POV_WORLD_THING_MAX + 2 + 2 * POV_TAG_MAP_MAX };
static_assert((int)INSTANCE_MAX <= (int)POV_SIGHT_INSTANCE_MAX, "a sight question takes every instance");

/* The place of a hidden body. */
static const pov_vec3 away_m = {0, 0, -1e5};

typedef struct {
    char class_name[POV_NAME_CAPACITY];
    pov_look look;
    bool from_package;
    pov_model *model;
} built_body;

struct pov_stage {
    bool has_package;
    pov_furniture_options package;
    pov_renderer *renderer; /* through the world's camera */
    pov_renderer *eye;      /* through others': a renderer remembers the rays of one camera */
    const pov_renderer *drawing;
    pov_world world;
    pov_scene scene;
    double turn_rad;
    int body_len; /* of things, in their order */
    built_body bodies[POV_WORLD_THING_MAX];
    int part_len; /* ground, disc and tags */
    pov_model *parts[2 + 2 * POV_TAG_MAP_MAX];
    int instance_len; /* things first, then parts */
    pov_transform T_table_model[INSTANCE_MAX];
    pov_transform moved[INSTANCE_MAX];
    pov_instance instances[INSTANCE_MAX];
};

pov_status pov_stage_new(pov_stage **stage, const pov_furniture_options *package)
{
    *stage = pov_allocate(1, sizeof **stage);
    (*stage)->has_package = package != NULL;
    if (package)
        (*stage)->package = *package;
    pov_status status = pov_renderer_new(&(*stage)->renderer);
    POV_THEN(status, pov_renderer_new(&(*stage)->eye));
    if (status.code != POV_OK)
        pov_stage_destroy(stage);
    return status;
}

static void destroy_parts(pov_stage *stage)
{
    for (int i = 0; i < stage->part_len; i++)
        pov_model_destroy(&stage->parts[i]);
    stage->part_len = 0;
}

void pov_stage_destroy(pov_stage **stage)
{
    if (!*stage)
        return;
    pov_renderer_destroy(&(*stage)->renderer);
    pov_renderer_destroy(&(*stage)->eye);
    for (int i = 0; i < (*stage)->body_len; i++)
        pov_model_destroy(&(*stage)->bodies[i].model);
    destroy_parts(*stage);
    free(*stage);
    *stage = NULL;
}

/* ---- building ---- */

static bool same_look(const pov_look *a, const pov_look *b)
{
    return a->size_m.x == b->size_m.x && a->size_m.y == b->size_m.y && a->size_m.z == b->size_m.z &&
           a->has_colour == b->has_colour && a->colour == b->colour && a->variant == b->variant &&
           a->points == b->points &&
           (!a->points || pov_vec3_norm(pov_vec3_sub(a->target_m, b->target_m)) == 0);
}

static pov_status build_body(const pov_stage *stage, built_body *body)
{
    pov_furniture_options package = stage->package;
    package.size_m = body->look.size_m;
    return body->from_package ? pov_furniture_build(&body->model, body->class_name, &package)
                              : pov_catalogue_build(&body->model, body->class_name, &body->look);
}

/* Takes the body out of those of before, or builds it. */
static pov_status take_body(const pov_stage *stage, built_body *body, built_body before[], int before_len,
                            const pov_world_thing *thing)
{
    const bool from_package = thing->from_package && stage->has_package;
    pov_look look = thing->look;
    look.size_m = thing->entity.size_m;
    for (int i = 0; i < before_len; i++)
        if (before[i].model && strcmp(before[i].class_name, thing->entity.class_name) == 0 &&
            before[i].from_package == from_package && same_look(&before[i].look, &look)) {
            *body = before[i];
            before[i].model = NULL;
            return pov_ok();
        }
    *body = (built_body){.look = look, .from_package = from_package};
    memcpy(body->class_name, thing->entity.class_name, sizeof body->class_name);
    return build_body(stage, body);
}

static pov_status take_bodies(pov_stage *stage)
{
    built_body before[POV_WORLD_THING_MAX];
    const int before_len = stage->body_len;
    memcpy(before, stage->bodies, sizeof before);
    pov_status status = pov_ok();
    stage->body_len = 0;
    for (int i = 0; i < stage->world.thing_len && status.code == POV_OK; i++) {
        status = take_body(stage, &stage->bodies[i], before, before_len, &stage->world.things[i]);
        stage->body_len += status.code == POV_OK;
    }
    for (int i = 0; i < before_len; i++)
        pov_model_destroy(&before[i].model);
    return status;
}

static pov_status add_tags(pov_stage *stage, const pov_tag_map *map)
{
    for (int i = 0; i < map->len; i++) {
        const pov_tag_map_entry *tag = &map->tags[i];
        POV_TRY(pov_tag_model_new(&stage->parts[stage->part_len], tag->family, tag->id, tag->edge_m, 1));
        stage->part_len++;
    }
    return pov_ok();
}

static pov_status build_parts(pov_stage *stage)
{
    destroy_parts(stage);
    POV_TRY(pov_stage_ground_new(&stage->parts[stage->part_len], &stage->world.surface));
    stage->part_len++;
    if (stage->world.turntable.present) {
        POV_TRY(pov_stage_disc_new(&stage->parts[stage->part_len], &stage->world.turntable));
        stage->part_len++;
    }
    POV_TRY(add_tags(stage, &stage->world.tags));
    return add_tags(stage, &stage->world.disc_tags);
}

/* ---- placing ---- */

static void place_tags(pov_stage *stage, int *next, const pov_tag_map *map, pov_transform T_table_map)
{
    for (int i = 0; i < map->len; i++)
        stage->T_table_model[(*next)++] = pov_transform_mul(T_table_map, map->tags[i].T_table_tag.T);
}

static void place_all(pov_stage *stage)
{
    const pov_world *world = &stage->world;
    const pov_transform disc = pov_world_disc_at(world, stage->turn_rad);
    int next = 0;
    for (int i = 0; i < world->thing_len; i++)
        stage->T_table_model[next++] = pov_world_thing_at(world, i, stage->turn_rad);
    stage->T_table_model[next++] = pov_transform_identity();
    if (world->turntable.present) {
        const pov_vec2 c = world->turntable.centre_m;
        const pov_transform axis = {pov_rot_identity(), {c.x, c.y, 0}};
        stage->T_table_model[next++] = pov_transform_mul(disc, axis);
    }
    place_tags(stage, &next, &world->tags, pov_transform_identity());
    place_tags(stage, &next, &world->disc_tags, disc);
    stage->instance_len = next;
    pov_world_scene(&stage->scene, world, stage->turn_rad);
}

static int part_label(const pov_stage *stage, int part)
{
    if (part == 0)
        return POV_LABEL_GROUND;
    return part == 1 && stage->world.turntable.present ? POV_LABEL_TURNTABLE : POV_LABEL_TAG;
}

pov_status pov_stage_set(pov_stage *stage, const pov_world *world)
{
    stage->world = *world;
    stage->turn_rad = 0;
    /* renderers read the models of before until they get others */
    POV_TRY(pov_renderer_set(stage->renderer, NULL, 0, &world->lighting));
    POV_TRY(pov_renderer_set(stage->eye, NULL, 0, &world->lighting));
    POV_TRY(take_bodies(stage));
    POV_TRY(build_parts(stage));
    place_all(stage);
    for (int i = 0; i < stage->instance_len; i++) {
        const int part = i - stage->body_len;
        stage->instances[i] = (pov_instance){.model = part < 0 ? stage->bodies[i].model : stage->parts[part],
                                             .T_table_model = stage->T_table_model[i],
                                             .label = part < 0 ? i + 1 : part_label(stage, part)};
    }
    POV_TRY(pov_renderer_set(stage->renderer, stage->instances, stage->instance_len, &world->lighting));
    POV_TRY(pov_renderer_set(stage->eye, stage->instances, stage->instance_len, &world->lighting));
    return pov_stage_look_own(stage);
}

void pov_stage_move(pov_stage *stage, double time_s)
{
    pov_world_move(&stage->world, time_s);
    pov_renderer_light(stage->renderer, &stage->world.lighting);
    pov_renderer_light(stage->eye, &stage->world.lighting);
}

pov_status pov_stage_turn(pov_stage *stage, double turn_rad)
{
    stage->turn_rad = turn_rad;
    place_all(stage);
    return pov_renderer_move(stage->renderer, stage->T_table_model, stage->instance_len);
}

const pov_scene *pov_stage_scene(const pov_stage *stage)
{
    return &stage->scene;
}

/* ---- looking ---- */

pov_status pov_stage_look_own(pov_stage *stage)
{
    stage->drawing = stage->renderer;
    return pov_renderer_look(stage->renderer, &stage->world.camera.lens,
                             pov_world_T_table_camera(&stage->world));
}

static pov_gaze gaze_of(const pov_scene *scene, pov_id viewer)
{
    const pov_heading *heading = &scene->entities[viewer].heading;
    return pov_gaze_of(scene, viewer, heading->len > 0 ? heading->mode[0].yaw_rad : 0);
}

/* Camera axes (right, down, forward) from gaze axes (forward, left, up). */
static pov_transform T_table_camera_of(const pov_gaze *gaze)
{
    const pov_rot R_gaze_camera = {{{0, 0, 1}, {-1, 0, 0}, {0, -1, 0}}};
    return (pov_transform){pov_rot_mul(gaze->R_table_gaze, R_gaze_camera), gaze->eye_m};
}

static pov_status move_without(pov_stage *stage, pov_id hidden)
{
    for (int i = 0; i < stage->instance_len; i++) {
        stage->moved[i] = stage->T_table_model[i];
        if (i + 1 == hidden)
            stage->moved[i].t_m = away_m;
    }
    return pov_renderer_move(stage->eye, stage->moved, stage->instance_len);
}

pov_status pov_stage_look_as(pov_stage *stage, pov_camera *camera, pov_id viewer, int width_px)
{
    const pov_entity *entity = &stage->scene.entities[viewer];
    POV_REQUIRE(entity->can_see);
    const double widest_rad = POV_PI / 3, highest_rad = POV_PI / 4;
    const double x = tan(fmin(entity->field.half_horizontal_rad, widest_rad)),
                 y = tan(fmin(entity->field.half_vertical_rad, highest_rad));
    const int height_px = (int)fmax(16, lround(width_px * y / x));
    *camera = (pov_camera){.lens = POV_LENS_BROWN_CONRADY,
                           .width_px = width_px,
                           .height_px = height_px,
                           .fx_px = width_px / 2.0 / x,
                           .fy_px = height_px / 2.0 / y,
                           .cx_px = (width_px - 1) / 2.0,
                           .cy_px = (height_px - 1) / 2.0};
    const pov_gaze gaze = gaze_of(&stage->scene, viewer);
    stage->drawing = stage->eye;
    POV_TRY(move_without(stage, viewer));
    return pov_renderer_look(stage->eye, camera, T_table_camera_of(&gaze));
}

void pov_stage_draw(const pov_stage *stage, pov_rendering *rendering, int first_row, int end_row)
{
    pov_renderer_draw(stage->drawing, rendering, first_row, end_row);
}

static pov_status stand_at(void *world, pov_renderer *renderer, int64_t time_ns)
{
    pov_stage *stage = world;
    (void)renderer; /* is the stage's */
    pov_stage_move(stage, (double)time_ns * 1e-9);
    return pov_stage_turn(stage, pov_world_turn_at_rad(&stage->world, time_ns));
}

pov_status pov_stage_expose(pov_stage *stage, pov_rendering *rendering, pov_shutter *shutter,
                            int64_t mid_exposure_ns)
{
    const pov_moving_world moving = {.renderer = stage->renderer, .at = stand_at, .world = stage};
    POV_TRY(pov_stage_look_own(stage));
    POV_TRY(pov_shutter_draw(shutter, rendering, &moving, mid_exposure_ns));
    return stand_at(stage, stage->renderer, mid_exposure_ns);
}

const pov_model *pov_stage_body(const pov_stage *stage, int thing)
{
    POV_REQUIRE(thing >= 0 && thing < stage->body_len);
    return stage->bodies[thing].model;
}

/* ---- visible fractions ---- */

pov_status pov_stage_fraction_visible(pov_stage *stage, double *fraction, pov_id viewer, pov_id target)
{
    const pov_scene *scene = &stage->scene;
    *fraction = NAN;
    if (viewer == target || target == scene->camera || !scene->entities[viewer].can_see)
        return pov_ok();
    for (int i = 0; i < stage->instance_len; i++)
        stage->instances[i].T_table_model = stage->T_table_model[i];
    const pov_sight_question question = {.instances = stage->instances,
                                         .instance_len = stage->instance_len,
                                         .viewer = viewer == scene->camera ? POV_INSTANCE_NONE : viewer - 1,
                                         .target = target - 1,
                                         .gaze = gaze_of(scene, viewer),
                                         .field = &scene->entities[viewer].field};
    return pov_sight_truth(stage->eye, fraction, &question);
}
