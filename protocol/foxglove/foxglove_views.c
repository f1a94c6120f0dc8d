#include "protocol/foxglove/foxglove_views.h"

#include "config/files/utf8.h"
#include "foxglove/foxglove.pb-c.h"
#include "perception/geometry/quaternion.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ARENA_BYTES = 1 << 20, ALIGNMENT = 16, BOX_EDGES = 12 };

struct pov_foxglove {
    uint8_t *arena, *bytes;
    size_t used, capacity;
};

pov_status pov_foxglove_new(pov_foxglove **foxglove)
{
    pov_foxglove *made = *foxglove = calloc(1, sizeof *made);
    if (made)
        made->arena = malloc(ARENA_BYTES);
    if (made && made->arena)
        return pov_ok();
    pov_foxglove_destroy(foxglove);
    return pov_error("out of memory for Foxglove's messages");
}

void pov_foxglove_destroy(pov_foxglove **foxglove)
{
    if (!*foxglove)
        return;
    free((*foxglove)->arena);
    free((*foxglove)->bytes);
    free(*foxglove);
    *foxglove = NULL;
}

/* ---- parts ---- */

/* NULL: no more fits. */
static void *reserve(pov_foxglove *f, size_t size)
{
    const size_t rounded = (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    if (rounded > ARENA_BYTES - f->used)
        return NULL;
    void *start = f->arena + f->used;
    f->used += rounded;
    return start;
}

static void *copy_part(pov_foxglove *f, const void *part, size_t size)
{
    void *copy = reserve(f, size);
    return copy ? memcpy(copy, part, size) : NULL;
}

static char *make_text(pov_foxglove *f, const char *before, const char *text)
{
    const size_t capacity = strlen(before) + strlen(text) + 1;
    char *made = reserve(f, capacity);
    if (!made)
        return (char *)"";
    const int len = snprintf(made, capacity, "%s", before);
    pov_utf8_copy(made + len, capacity - (size_t)len, text);
    return made;
}

static Google__Protobuf__Timestamp *make_time(pov_foxglove *f, int64_t ns)
{
    Google__Protobuf__Timestamp stamp = GOOGLE__PROTOBUF__TIMESTAMP__INIT;
    stamp.seconds = ns / 1000000000;
    stamp.nanos = (int32_t)(ns % 1000000000);
    return copy_part(f, &stamp, sizeof stamp);
}

static Foxglove__Vector3 *make_vector(pov_foxglove *f, pov_vec3 v)
{
    Foxglove__Vector3 vector = FOXGLOVE__VECTOR3__INIT;
    vector.x = v.x;
    vector.y = v.y;
    vector.z = v.z;
    return copy_part(f, &vector, sizeof vector);
}

static Foxglove__Quaternion *make_rotation(pov_foxglove *f, pov_rot R)
{
    double of[4];
    Foxglove__Quaternion q = FOXGLOVE__QUATERNION__INIT;
    pov_rot_quaternion(of, R);
    q.x = of[0];
    q.y = of[1];
    q.z = of[2];
    q.w = of[3];
    return copy_part(f, &q, sizeof q);
}

static Foxglove__Color *make_color(pov_foxglove *f, double r, double g, double b, double a)
{
    Foxglove__Color color = FOXGLOVE__COLOR__INIT;
    color.r = r;
    color.g = g;
    color.b = b;
    color.a = a;
    return copy_part(f, &color, sizeof color);
}

static Foxglove__Pose *make_pose(pov_foxglove *f, pov_vec3 position, pov_rot R)
{
    Foxglove__Pose pose = FOXGLOVE__POSE__INIT;
    pose.position = make_vector(f, position);
    pose.orientation = make_rotation(f, R);
    return copy_part(f, &pose, sizeof pose);
}

static void begin_message(pov_foxglove *f, const uint8_t **bytes, size_t *len)
{
    f->used = 0;
    *bytes = NULL;
    *len = 0;
}

static void pack_message(pov_foxglove *f, const uint8_t **bytes, size_t *len, const ProtobufCMessage *message)
{
    const size_t size = protobuf_c_message_get_packed_size(message);
    if (size > f->capacity || !f->bytes) {
        uint8_t *grown = realloc(f->bytes, size + 1024);
        if (!grown)
            return;
        f->bytes = grown;
        f->capacity = size + 1024;
    }
    *len = protobuf_c_message_pack(message, f->bytes);
    *bytes = f->bytes;
}

/* A part that lacks one of its own parts, for want of room, would mislead viewers. */
static bool has_room(const pov_foxglove *f)
{
    enum { PART_BYTES_MAX = 8192 }; /* more than any entity or tag takes */
    return ARENA_BYTES - f->used >= PART_BYTES_MAX;
}

static bool has_camera_pose(const pov_observation *observation)
{
    return isfinite(observation->image.T_table_camera.T.t_m.x) &&
           isfinite(observation->image.T_table_camera.T.R.m[0][0]);
}

static bool is_camera(const pov_observation *observation, int i)
{
    return i == observation->scene.camera;
}

/* ---- frames ---- */

static Foxglove__FrameTransform *make_transform(pov_foxglove *f, int64_t now_ns, char *child, pov_transform T)
{
    Foxglove__FrameTransform transform = FOXGLOVE__FRAME_TRANSFORM__INIT;
    transform.timestamp = make_time(f, now_ns);
    transform.parent_frame_id = (char *)"table"; /* packing only reads */
    transform.child_frame_id = child;
    transform.translation = make_vector(f, T.t_m);
    transform.rotation = make_rotation(f, T.R);
    return copy_part(f, &transform, sizeof transform);
}

static void pack_transforms(pov_foxglove *f, const uint8_t **bytes, size_t *len,
                            const pov_observation *observation, const char *camera)
{
    Foxglove__FrameTransform *list[POV_ENTITY_MAX + 1];
    Foxglove__FrameTransforms message = FOXGLOVE__FRAME_TRANSFORMS__INIT;
    const int64_t now_ns = observation->image.capture_ns;
    begin_message(f, bytes, len);
    message.transforms = list;
    if (has_camera_pose(observation))
        list[message.n_transforms++] =
            make_transform(f, now_ns, (char *)camera, observation->image.T_table_camera.T);
    for (int i = 0; i < observation->scene.len && has_room(f); i++) {
        const pov_entity *entity = &observation->scene.entities[i];
        if (entity->placed && !is_camera(observation, i))
            list[message.n_transforms++] =
                make_transform(f, now_ns, make_text(f, "entity/", entity->name),
                               (pov_transform){entity->R_table_box, entity->position.mean_m});
    }
    pack_message(f, bytes, len, &message.base);
}

/* ---- the scene ---- */

/* The wire says nothing of shapes: things called balls are drawn as such. */
static bool is_ball(const pov_entity *entity)
{
    return strstr(entity->class_name, "ball") && entity->size_m.x == entity->size_m.y &&
           entity->size_m.x == entity->size_m.z;
}

static Foxglove__Color *color_of(pov_foxglove *f, const pov_entity *entity)
{
    const double alpha = entity->seen ? 0.8 : 0.3;
    return entity->addressee ? make_color(f, 0.95, 0.6, 0.1, alpha) : make_color(f, 0.2, 0.55, 0.9, alpha);
}

static double longest_side(const pov_entity *entity)
{
    return fmax(fmax(entity->size_m.x, entity->size_m.y), entity->size_m.z);
}

static Foxglove__ArrowPrimitive *make_front(pov_foxglove *f, const pov_entity *entity, double length_m)
{
    Foxglove__ArrowPrimitive arrow = FOXGLOVE__ARROW_PRIMITIVE__INIT;
    arrow.pose =
        make_pose(f, entity->position.mean_m, pov_rot_yaw(pov_heading_heaviest(&entity->heading)->yaw_rad));
    arrow.shaft_length = 0.8 * length_m;
    arrow.shaft_diameter = 0.06 * length_m;
    arrow.head_length = 0.2 * length_m;
    arrow.head_diameter = 0.15 * length_m;
    arrow.color = make_color(f, 0.9, 0.1, 0.1, 1);
    return copy_part(f, &arrow, sizeof arrow);
}

static Foxglove__TextPrimitive *make_name(pov_foxglove *f, const pov_entity *entity, double height_m)
{
    Foxglove__TextPrimitive text = FOXGLOVE__TEXT_PRIMITIVE__INIT;
    pov_vec3 above = entity->position.mean_m;
    above.z += 0.7 * entity->size_m.z + height_m;
    text.pose = make_pose(f, above, pov_rot_identity());
    text.billboard = true;
    text.font_size = height_m;
    text.color = make_color(f, 0.1, 0.1, 0.1, 1);
    text.text = make_text(f, "", entity->name);
    return copy_part(f, &text, sizeof text);
}

static void add_body(pov_foxglove *f, Foxglove__SceneEntity *shown, const pov_entity *entity)
{
    Foxglove__Pose *pose = make_pose(f, entity->position.mean_m, entity->R_table_box);
    Foxglove__Vector3 *size = make_vector(f, entity->size_m);
    Foxglove__Color *color = color_of(f, entity);
    Foxglove__SpherePrimitive sphere = FOXGLOVE__SPHERE_PRIMITIVE__INIT;
    Foxglove__CubePrimitive cube = FOXGLOVE__CUBE_PRIMITIVE__INIT;
    void **slot = reserve(f, sizeof *slot);
    if (!slot)
        return;
    if (is_ball(entity)) {
        sphere.pose = pose;
        sphere.size = size;
        sphere.color = color;
        *slot = copy_part(f, &sphere, sizeof sphere);
        shown->spheres = (Foxglove__SpherePrimitive **)slot;
        shown->n_spheres = *slot != NULL;
    } else {
        cube.pose = pose;
        cube.size = size;
        cube.color = color;
        *slot = copy_part(f, &cube, sizeof cube);
        shown->cubes = (Foxglove__CubePrimitive **)slot;
        shown->n_cubes = *slot != NULL;
    }
}

static Foxglove__SceneEntity *make_entity(pov_foxglove *f, int64_t now_ns, const pov_entity *entity)
{
    Foxglove__SceneEntity shown = FOXGLOVE__SCENE_ENTITY__INIT;
    Google__Protobuf__Duration forever = GOOGLE__PROTOBUF__DURATION__INIT;
    const double size_m = fmax(longest_side(entity), 0.02); /* of what has no size; chosen */
    shown.timestamp = make_time(f, now_ns);
    shown.frame_id = (char *)"table";
    shown.id = make_text(f, "", entity->name);
    shown.lifetime = copy_part(f, &forever, sizeof forever);
    if (longest_side(entity) > 0)
        add_body(f, &shown, entity);
    shown.texts = reserve(f, sizeof *shown.texts);
    shown.texts[shown.n_texts++] = make_name(f, entity, 0.25 * size_m);
    if (pov_heading_heaviest(&entity->heading)) {
        shown.arrows = reserve(f, sizeof *shown.arrows);
        shown.arrows[shown.n_arrows++] = make_front(f, entity, 1.2 * size_m);
    }
    return copy_part(f, &shown, sizeof shown);
}

static void pack_scene(pov_foxglove *f, const uint8_t **bytes, size_t *len,
                       const pov_observation *observation)
{
    Foxglove__SceneEntity *list[POV_ENTITY_MAX];
    Foxglove__SceneUpdate message = FOXGLOVE__SCENE_UPDATE__INIT;
    Foxglove__SceneEntityDeletion all = FOXGLOVE__SCENE_ENTITY_DELETION__INIT, *deletions[1] = {&all};
    const int64_t now_ns = observation->image.capture_ns;
    begin_message(f, bytes, len);
    all.timestamp = make_time(f, now_ns - 1);
    all.type = FOXGLOVE__SCENE_ENTITY_DELETION__TYPE__ALL;
    message.deletions = deletions;
    message.n_deletions = 1;
    message.entities = list;
    for (int i = 0; i < observation->scene.len && has_room(f); i++) {
        const pov_entity *entity = &observation->scene.entities[i];
        if (entity->placed && !is_camera(observation, i))
            list[message.n_entities++] = make_entity(f, now_ns, entity);
    }
    pack_message(f, bytes, len, &message.base);
}

/* ---- over the image ---- */

typedef struct {
    pov_foxglove *foxglove;
    const pov_camera *camera;
    pov_transform T_camera_table;
    int64_t now_ns;
} painter;

/* Foxglove counts pixels from the image's corner, pov from the centre of the first one. */
static Foxglove__Point2 *make_point(pov_foxglove *f, pov_vec2 pixel)
{
    Foxglove__Point2 point = FOXGLOVE__POINT2__INIT;
    point.x = pixel.x + 0.5;
    point.y = pixel.y + 0.5;
    return copy_part(f, &point, sizeof point);
}

static bool project(const painter *p, pov_vec2 *pixel, pov_vec3 pos_table)
{
    return pov_camera_project(p->camera, pixel, NULL, pov_transform_apply(p->T_camera_table, pos_table)) ==
               POV_OK &&
           fabs(pixel->x) < 1e5 && fabs(pixel->y) < 1e5;
}

static Foxglove__PointsAnnotation *make_points(const painter *p, Foxglove__PointsAnnotation__Type type,
                                               const pov_vec2 *pixels, int count, Foxglove__Color *color)
{
    Foxglove__PointsAnnotation points = FOXGLOVE__POINTS_ANNOTATION__INIT;
    points.timestamp = make_time(p->foxglove, p->now_ns);
    points.type = type;
    points.points = reserve(p->foxglove, (size_t)count * sizeof *points.points);
    for (int i = 0; i < count; i++)
        points.points[points.n_points++] = make_point(p->foxglove, pixels[i]);
    points.outline_color = color;
    points.fill_color = make_color(p->foxglove, 0, 0, 0, 0);
    points.thickness = 2;
    return copy_part(p->foxglove, &points, sizeof points);
}

static Foxglove__TextAnnotation *make_label(const painter *p, pov_vec2 pixel, char *text)
{
    Foxglove__TextAnnotation label = FOXGLOVE__TEXT_ANNOTATION__INIT;
    label.timestamp = make_time(p->foxglove, p->now_ns);
    label.position = make_point(p->foxglove, pixel);
    label.text = text;
    label.font_size = 12;
    label.text_color = make_color(p->foxglove, 1, 1, 1, 1);
    label.background_color = make_color(p->foxglove, 0, 0, 0, 0.6);
    return copy_part(p->foxglove, &label, sizeof label);
}

static Foxglove__PointsAnnotation *draw_tag(const painter *p, const pov_observed_tag *tag)
{
    const bool is_good = tag->outcome == POV_TAG_USED || tag->outcome == POV_TAG_TURNS;
    return make_points(p, FOXGLOVE__POINTS_ANNOTATION__TYPE__LINE_LOOP, tag->tag.corner_px, 4,
                       is_good ? make_color(p->foxglove, 0.1, 0.8, 0.2, 1)
                               : make_color(p->foxglove, 0.9, 0.2, 0.1, 1));
}

/* The edges of its box of which the lens shows both ends. */
static Foxglove__PointsAnnotation *draw_box(const painter *p, const pov_entity *entity)
{
    pov_vec2 corner[8], lines[2 * BOX_EDGES];
    bool is_shown[8];
    int len = 0;
    for (int i = 0; i < 8; i++) {
        const pov_vec3 at = {(i & 1 ? 0.5 : -0.5) * entity->size_m.x, (i & 2 ? 0.5 : -0.5) * entity->size_m.y,
                             (i & 4 ? 0.5 : -0.5) * entity->size_m.z};
        is_shown[i] = project(p, &corner[i],
                              pov_vec3_add(entity->position.mean_m, pov_rot_apply(entity->R_table_box, at)));
    }
    for (int i = 0; i < 8; i++)
        for (int axis = 1; axis < 8; axis *= 2)
            if (!(i & axis) && is_shown[i] && is_shown[i | axis]) {
                lines[len++] = corner[i];
                lines[len++] = corner[i | axis];
            }
    return make_points(p, FOXGLOVE__POINTS_ANNOTATION__TYPE__LINE_LIST, lines, len,
                       color_of(p->foxglove, entity));
}

/* NULL: it has none, or the lens does not show it. */
static Foxglove__PointsAnnotation *draw_front(const painter *p, const pov_entity *entity)
{
    const pov_heading_mode *front = pov_heading_heaviest(&entity->heading);
    const double length_m = fmax(longest_side(entity), 0.02);
    pov_vec2 ends[2];
    if (!front)
        return NULL;
    const pov_vec3 step = {length_m * cos(front->yaw_rad), length_m * sin(front->yaw_rad), 0};
    if (!project(p, &ends[0], entity->position.mean_m) ||
        !project(p, &ends[1], pov_vec3_add(entity->position.mean_m, step)))
        return NULL;
    return make_points(p, FOXGLOVE__POINTS_ANNOTATION__TYPE__LINE_STRIP, ends, 2,
                       make_color(p->foxglove, 0.9, 0.1, 0.1, 1));
}

static void draw_tags(const painter *p, Foxglove__ImageAnnotations *message,
                      const pov_observation *observation)
{
    for (int i = 0; i < observation->tag_len && has_room(p->foxglove); i++) {
        char id[16];
        snprintf(id, sizeof id, "%d", observation->tags[i].tag.id);
        message->points[message->n_points++] = draw_tag(p, &observation->tags[i]);
        message->texts[message->n_texts++] =
            make_label(p, observation->tags[i].tag.corner_px[0], make_text(p->foxglove, "", id));
    }
}

static void draw_entity(const painter *p, Foxglove__ImageAnnotations *message, const pov_entity *entity)
{
    pov_vec2 pixel;
    if (longest_side(entity) > 0)
        message->points[message->n_points++] = draw_box(p, entity);
    Foxglove__PointsAnnotation *front = draw_front(p, entity);
    if (front)
        message->points[message->n_points++] = front;
    if (project(p, &pixel, entity->position.mean_m))
        message->texts[message->n_texts++] = make_label(p, pixel, make_text(p->foxglove, "", entity->name));
}

static void pack_annotations(pov_foxglove *f, const uint8_t **bytes, size_t *len,
                             const pov_observation *observation, const pov_camera *camera)
{
    Foxglove__PointsAnnotation *points[POV_TAG_MAX + 2 * POV_ENTITY_MAX];
    Foxglove__TextAnnotation *texts[POV_TAG_MAX + POV_ENTITY_MAX];
    Foxglove__ImageAnnotations message = FOXGLOVE__IMAGE_ANNOTATIONS__INIT;
    painter p = {.foxglove = f, .camera = camera, .now_ns = observation->image.capture_ns};
    begin_message(f, bytes, len);
    message.points = points;
    message.texts = texts;
    draw_tags(&p, &message, observation);
    if (has_camera_pose(observation)) {
        p.T_camera_table = pov_transform_inverse(observation->image.T_table_camera.T);
        for (int i = 0; i < observation->scene.len && has_room(f); i++)
            if (observation->scene.entities[i].placed && !is_camera(observation, i))
                draw_entity(&p, &message, &observation->scene.entities[i]);
    }
    pack_message(f, bytes, len, &message.base);
}

void pov_foxglove_view(pov_foxglove *f, pov_mcap_message *message, pov_recorded topic,
                       const pov_observation *observation, const pov_recorded_camera *of,
                       const pov_camera *camera)
{
    message->channel = pov_recorded_channel(topic, of);
    message->bytes = NULL;
    if (topic == POV_RECORDED_TRANSFORMS)
        pack_transforms(f, &message->bytes, &message->len, observation, of->number > 0 ? of->id : "camera");
    else if (topic == POV_RECORDED_THINGS)
        pack_scene(f, &message->bytes, &message->len, observation);
    else if (camera)
        pack_annotations(f, &message->bytes, &message->len, observation, camera);
}
