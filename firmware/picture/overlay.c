#include "firmware/picture/overlay.h"

#include "perception/geometry/sphere_outline.h"

#include <math.h>
#include <stdio.h>

pov_colour pov_entity_colour(pov_id id)
{
    static const pov_colour palette[] = {{255, 214, 64}, {90, 200, 250},  {255, 140, 190}, {140, 230, 120},
                                         {255, 160, 70}, {190, 160, 255}, {80, 230, 205},  {240, 240, 240}};
    enum { COUNT = sizeof palette / sizeof palette[0] };
    return palette[(id % COUNT + COUNT) % COUNT];
}

static const pov_tag_fate_look fates[] = {
    [POV_TAG_USED] = {"used", {90, 230, 120}},
    [POV_TAG_NOT_IN_MAP] = {"not in map", {90, 200, 250}},
    [POV_TAG_REJECTED] = {"rejected", {255, 95, 85}},
    [POV_TAG_SEEN] = {"seen", {90, 200, 250}},
    [POV_TAG_TURNS] = {"on the turntable", {90, 200, 250}},
};
_Static_assert(sizeof fates / sizeof fates[0] == POV_TAG_FATE_COUNT, "a fate without a colour");

const pov_tag_fate_look *pov_tag_fate_look_of(pov_tag_fate fate)
{
    return &fates[fate];
}

/* One drawing: what, where to, and the pose if it is known. */
typedef struct {
    const pov_annotation *what;
    const pov_overlay_sink *sink;
    bool has_pose;
    pov_transform T_camera_table;
} drawing;

/* ---- from metres to the picture ---- */

static pov_vec2 at(const drawing *d, pov_vec2 pixel)
{
    return (pov_vec2){(pixel.x + 0.5) * d->sink->enlargement - 0.5,
                      (pixel.y + 0.5) * d->sink->enlargement - 0.5};
}

/* NaN where the camera cannot see. */
static pov_vec2 project_point(const drawing *d, pov_vec3 pos_table_m)
{
    pov_vec2 pixel = {NAN, NAN};
    if (pov_camera_project(d->what->camera, &pixel, NULL,
                           pov_transform_apply(d->T_camera_table, pos_table_m)) != POV_OK)
        return (pov_vec2){NAN, NAN};
    return at(d, pixel);
}

/* A straight edge in the world, which the lens may bend. */
static void draw_edge(const drawing *d, pov_vec3 from_m, pov_vec3 to_m, pov_stroke stroke)
{
    pov_vec2 points[POV_OVERLAY_EDGE_PIECES_MAX + 1];
    const int pieces = d->sink->edge_pieces;
    pov_vec3 along_m = pov_vec3_sub(to_m, from_m);
    for (int i = 0; i <= pieces; i++)
        points[i] = project_point(d, pov_vec3_add(from_m, pov_vec3_scale(along_m, (double)i / pieces)));
    d->sink->line(d->sink->user, points, pieces + 1, stroke);
}

static void draw_label(const drawing *d, pov_vec2 anchor_px, double distance_px, pov_colour colour,
                       const char *text)
{
    pov_canvas_label label = {.anchor_px = anchor_px, .distance_px = distance_px, .colour = colour};
    snprintf(label.text, sizeof label.text, "%s", text);
    d->sink->label(d->sink->user, &label);
}

/* ---- tags ---- */

/* The edge one reads a tag from is thicker. */
static void draw_tag(const drawing *d, int i)
{
    const pov_tag *tag = &d->what->tags->tags[i];
    const pov_camera_pose *pose = d->what->camera_pose;
    pov_colour colour = pov_tag_fate_look_of(pose ? pose->fate[i] : POV_TAG_SEEN)->colour;
    pov_vec2 corners[4], center = {0, 0};
    for (int k = 0; k < 4; k++) {
        corners[k] = at(d, tag->corner_px[k]);
        center = (pov_vec2){center.x + corners[k].x / 4, center.y + corners[k].y / 4};
    }
    d->sink->line(d->sink->user, corners, 4, (pov_stroke){colour, 1.4, true});
    d->sink->line(d->sink->user, corners, 2, (pov_stroke){colour, 3, false});
    char text[POV_NAME_CAPACITY];
    snprintf(text, sizeof text, "%d", tag->id);
    draw_label(d, center, 0, colour, text);
}

/* ---- balls ---- */

static void name_of_ball(char name[POV_NAME_CAPACITY], const drawing *d, int i, pov_id id)
{
    if (id != POV_ID_NONE)
        snprintf(name, POV_NAME_CAPACITY, "%s", d->what->observation->scene.entities[id].name);
    else
        snprintf(name, POV_NAME_CAPACITY, "ball of kind %d", d->what->balls->balls[i].kind);
}

static pov_id entity_of_ball(const drawing *d, int i)
{
    return d->what->ball_entity == NULL || d->what->observation == NULL ? POV_ID_NONE
                                                                        : d->what->ball_entity[i];
}

static void draw_sphere(const drawing *d, pov_vec3 pos_camera_m, double radius_m, pov_colour colour,
                        const char *name)
{
    const int points = d->sink->outline_points;
    pov_vec2 outline[POV_OVERLAY_OUTLINE_POINTS_MAX], center = {NAN, NAN}, top = {NAN, INFINITY};
    for (int k = 0; k < points; k++) {
        pov_code code = pov_sphere_outline_point(d->what->camera, &outline[k], NULL, pos_camera_m, radius_m,
                                                 2 * POV_PI * k / points);
        outline[k] = code == POV_OK ? at(d, outline[k]) : (pov_vec2){NAN, NAN};
        top = outline[k].y < top.y ? outline[k] : top;
    }
    d->sink->line(d->sink->user, outline, points, (pov_stroke){colour, 1, true});
    if (pov_camera_project(d->what->camera, &center, NULL, pos_camera_m) != POV_OK)
        return;
    center = at(d, center);
    draw_label(d, center, isfinite(top.y) ? center.y - top.y : 0, colour, name);
}

static void draw_ball(const drawing *d, int i)
{
    const pov_ball *ball = &d->what->balls->balls[i];
    pov_id id = entity_of_ball(d, i);
    char name[POV_NAME_CAPACITY];
    name_of_ball(name, d, i, id);
    draw_sphere(d, ball->pos_camera_m, d->what->ball_kinds[ball->kind].radius_m,
                pov_entity_colour(id == POV_ID_NONE ? ball->kind : id), name);
}

/* ---- what was found, but has no place ---- */

static void draw_image_box(const drawing *d, pov_id id)
{
    const pov_entity *entity = &d->what->observation->scene.entities[id];
    const pov_pixel_box *b = &entity->image_box;
    const pov_vec2 corners[4] = {
        at(d, (pov_vec2){b->left_px, b->top_px}), at(d, (pov_vec2){b->right_px, b->top_px}),
        at(d, (pov_vec2){b->right_px, b->bottom_px}), at(d, (pov_vec2){b->left_px, b->bottom_px})};
    const pov_colour colour = pov_entity_colour(id);
    d->sink->line(d->sink->user, corners, 4, (pov_stroke){colour, 1.4, true});
    draw_label(d, (pov_vec2){(corners[0].x + corners[1].x) / 2, corners[0].y}, 2, colour, entity->name);
}

static void draw_unplaced(const drawing *d)
{
    const pov_scene *scene = &d->what->observation->scene;
    for (pov_id id = 0; id < scene->len; id++) {
        const pov_entity *entity = &scene->entities[id];
        if (entity->seen && !entity->placed && entity->has_image_box)
            draw_image_box(d, id);
    }
}

/* ---- what needs the camera's pose ---- */

/* 1, 2 or 5 times a power of ten, at most `length_m`. */
static double round_length(double length_m)
{
    double power = pow(10, floor(log10(length_m)));
    return (length_m >= 5 * power ? 5 : length_m >= 2 * power ? 2 : 1) * power;
}

static void draw_axes(const drawing *d)
{
    static const struct {
        pov_vec3 direction;
        pov_colour colour;
        const char *name;
    } axes[] = {
        {{1, 0, 0}, {255, 95, 85}, "x"}, {{0, 1, 0}, {90, 220, 110}, "y"}, {{0, 0, 1}, {95, 150, 255}, "z"}};
    double length_m = round_length(0.15 * pov_vec3_norm(d->T_camera_table.t_m));
    for (int i = 0; i < 3; i++) {
        pov_vec3 tip_m = pov_vec3_scale(axes[i].direction, length_m);
        draw_edge(d, (pov_vec3){0, 0, 0}, tip_m, (pov_stroke){axes[i].colour, 1.6, false});
        pov_vec2 origin = project_point(d, (pov_vec3){0, 0, 0}), tip = project_point(d, tip_m);
        pov_canvas_label label = {tip, 2, {tip.x - origin.x, tip.y - origin.y}, axes[i].colour, ""};
        if (i == 0)
            snprintf(label.text, sizeof label.text, "%s %g m", axes[i].name, length_m);
        else
            snprintf(label.text, sizeof label.text, "%s", axes[i].name);
        d->sink->label(d->sink->user, &label);
    }
}

static bool is_outlined(const drawing *d, pov_id id)
{
    for (int i = 0; d->what->balls != NULL && d->what->ball_kinds != NULL && i < d->what->balls->len; i++) {
        if (entity_of_ball(d, i) == id)
            return true;
    }
    return false;
}

static pov_vec3 box_corner(const pov_entity *entity, int i)
{
    pov_vec3 half = pov_vec3_scale(entity->size_m, 0.5);
    pov_vec3 corner = {i & 1 ? half.x : -half.x, i & 2 ? half.y : -half.y, i & 4 ? half.z : -half.z};
    return pov_vec3_add(entity->position.mean_m, pov_rot_apply(entity->R_table_box, corner));
}

static void draw_box(const drawing *d, pov_id id)
{
    const pov_entity *entity = &d->what->observation->scene.entities[id];
    pov_stroke stroke = {pov_entity_colour(id), 1, false};
    pov_vec2 top = {NAN, INFINITY};
    for (int i = 0; i < 8; i++) {
        pov_vec2 corner = project_point(d, box_corner(entity, i));
        top.y = corner.y < top.y ? corner.y : top.y;
        for (int bit = 1; bit < 8; bit <<= 1) {
            if ((i & bit) == 0)
                draw_edge(d, box_corner(entity, i), box_corner(entity, i | bit), stroke);
        }
    }
    top.x = project_point(d, entity->position.mean_m).x;
    draw_label(d, top, 2, stroke.colour, entity->name);
}

/* From under the entity's centre to a little beyond its front. */
static void draw_heading(const drawing *d, pov_id id)
{
    const pov_entity *entity = &d->what->observation->scene.entities[id];
    const pov_heading_mode *mode = pov_heading_heaviest(&entity->heading);
    double size_m = fmax(entity->size_m.x, entity->size_m.y);
    double length_m = fmax(1.1 * size_m, 0.06 * pov_vec3_norm(d->T_camera_table.t_m));
    if (!mode || !(mode->kappa > 0.1) || !isfinite(length_m))
        return;
    pov_vec3 tail_m = entity->position.mean_m;
    tail_m.z = 0;
    pov_vec3 ahead_m = pov_vec3_scale((pov_vec3){cos(mode->yaw_rad), sin(mode->yaw_rad), 0}, length_m);
    pov_vec3 tip_m = pov_vec3_add(tail_m, ahead_m);
    pov_stroke stroke = {pov_entity_colour(id), 2, false};
    draw_edge(d, tail_m, tip_m, stroke);
    for (int side = -1; side <= 1; side += 2) {
        pov_vec3 barb_m = pov_rot_apply(pov_rot_yaw(side * 0.85 * POV_PI), pov_vec3_scale(ahead_m, 0.25));
        draw_edge(d, tip_m, pov_vec3_add(tip_m, barb_m), stroke);
    }
}

static void draw_entities(const drawing *d)
{
    const pov_scene *scene = &d->what->observation->scene;
    for (pov_id id = 0; id < scene->len; id++) {
        const pov_entity *entity = &scene->entities[id];
        if (!entity->placed || id == scene->camera)
            continue;
        draw_heading(d, id);
        if (is_outlined(d, id))
            continue;
        if (entity->shape == POV_SHAPE_SPHERE)
            draw_sphere(d, pov_transform_apply(d->T_camera_table, entity->position.mean_m),
                        entity->size_m.x / 2, pov_entity_colour(id), entity->name);
        else
            draw_box(d, id);
    }
}

/* ---- the whole ---- */

static void draw_found(const drawing *d)
{
    const pov_annotation *what = d->what;
    if (d->has_pose) {
        draw_axes(d);
        draw_entities(d);
    }
    if (what->observation != NULL)
        draw_unplaced(d);
    for (int i = 0;
         what->balls != NULL && what->ball_kinds != NULL && what->camera != NULL && i < what->balls->len; i++)
        draw_ball(d, i);
    for (int i = 0; what->tags != NULL && i < what->tags->len; i++)
        draw_tag(d, i);
}

void pov_overlay_draw(const pov_overlay_sink *sink, const pov_annotation *what)
{
    POV_REQUIRE(sink->edge_pieces <= POV_OVERLAY_EDGE_PIECES_MAX &&
                sink->outline_points <= POV_OVERLAY_OUTLINE_POINTS_MAX);
    drawing d = {what, sink, false, pov_transform_identity()};
    if (what->camera != NULL && what->observation != NULL &&
        what->observation->image.pose_source != POV_POSE_UNKNOWN) {
        d.has_pose = true;
        d.T_camera_table = pov_transform_inverse(what->observation->image.T_table_camera.T);
    }
    draw_found(&d);
}
