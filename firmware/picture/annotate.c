#include "firmware/picture/annotate.h"

#include "draw/canvas.h"
#include "draw/svg.h"
#include "perception/geometry/sphere_outline.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void without_underscores(char *text)
{
    for (; *text; text++)
        *text = *text == '_' ? ' ' : *text;
}

/* In the picture and the margin alike; distinct on light and dark ground. */
static pov_colour entity_colour(pov_id id)
{
    static const pov_colour palette[] = {{255, 214, 64}, {90, 200, 250},  {255, 140, 190}, {140, 230, 120},
                                         {255, 160, 70}, {190, 160, 255}, {80, 230, 205},  {240, 240, 240}};
    enum { COUNT = sizeof palette / sizeof palette[0] };
    return palette[(id % COUNT + COUNT) % COUNT];
}

/* How the outcome of a tag is shown. */
static const struct {
    const char *words;
    pov_colour colour;
} outcomes[] = {
    [POV_TAG_USED] = {"used", {90, 230, 120}},
    [POV_TAG_NOT_IN_MAP] = {"not in map", {90, 200, 250}},
    [POV_TAG_REJECTED] = {"rejected", {255, 95, 85}},
    [POV_TAG_SEEN] = {"seen", {90, 200, 250}},
    [POV_TAG_TURNS] = {"on the turntable", {90, 200, 250}},
};

_Static_assert(sizeof outcomes / sizeof outcomes[0] == POV_TAG_OUTCOME_COUNT, "an outcome without a colour");

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

static void draw_name(const drawing *d, pov_vec2 anchor_px, double distance_px, pov_colour colour,
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
    pov_colour colour = outcomes[pose ? pose->outcome[i] : POV_TAG_SEEN].colour;
    pov_vec2 corners[4], center = {0, 0};
    for (int k = 0; k < 4; k++) {
        corners[k] = at(d, tag->corner_px[k]);
        center = (pov_vec2){center.x + corners[k].x / 4, center.y + corners[k].y / 4};
    }
    d->sink->line(d->sink->user, corners, 4, (pov_stroke){colour, 1.4, true});
    d->sink->line(d->sink->user, corners, 2, (pov_stroke){colour, 3, false});
    char text[POV_NAME_CAPACITY];
    snprintf(text, sizeof text, "%d", tag->id);
    draw_name(d, center, 0, colour, text);
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
    draw_name(d, center, isfinite(top.y) ? center.y - top.y : 0, colour, name);
}

static void draw_ball(const drawing *d, int i)
{
    const pov_ball *ball = &d->what->balls->balls[i];
    pov_id id = entity_of_ball(d, i);
    char name[POV_NAME_CAPACITY];
    name_of_ball(name, d, i, id);
    draw_sphere(d, ball->pos_camera_m, d->what->ball_kinds[ball->kind].radius_m,
                entity_colour(id == POV_ID_NONE ? ball->kind : id), name);
}

/* ---- what was found, but has no place ---- */

static void draw_image_box(const drawing *d, pov_id id)
{
    const pov_entity *entity = &d->what->observation->scene.entities[id];
    const pov_pixel_box *b = &entity->image_box;
    const pov_vec2 corners[4] = {
        at(d, (pov_vec2){b->left_px, b->top_px}), at(d, (pov_vec2){b->right_px, b->top_px}),
        at(d, (pov_vec2){b->right_px, b->bottom_px}), at(d, (pov_vec2){b->left_px, b->bottom_px})};
    const pov_colour colour = entity_colour(id);
    d->sink->line(d->sink->user, corners, 4, (pov_stroke){colour, 1.4, true});
    draw_name(d, (pov_vec2){(corners[0].x + corners[1].x) / 2, corners[0].y}, 2, colour, entity->name);
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

/* In the lower left corner: the directions of the table's axes, all as long; one that points at the viewer or away is short. */
static void draw_axes(const drawing *d)
{
    static const struct {
        pov_vec3 direction;
        pov_colour colour;
        const char *name;
    } axes[] = {
        {{1, 0, 0}, {255, 95, 85}, "x"}, {{0, 1, 0}, {90, 220, 110}, "y"}, {{0, 0, 1}, {95, 150, 255}, "z"}};
    static const double length = 0.045, inset = 1.7; /* of the image's width; of the length; chosen */
    const pov_image_header *image = &d->what->observation->image;
    const double length_px = length * image->width_px * d->sink->enlargement;
    if (!isfinite(pov_vec3_norm(d->T_camera_table.t_m)))
        return;
    const pov_vec2 origin = {inset * length_px, image->height_px * d->sink->enlargement - inset * length_px};
    for (int i = 0; i < 3; i++) {
        const pov_vec3 seen = pov_rot_apply(d->T_camera_table.R, axes[i].direction);
        const pov_vec2 tip = {origin.x + length_px * seen.x, origin.y + length_px * seen.y};
        d->sink->line(d->sink->user, (pov_vec2[]){origin, tip}, 2, (pov_stroke){axes[i].colour, 1.6, false});
        pov_canvas_label label = {tip, 2, {tip.x - origin.x, tip.y - origin.y}, axes[i].colour, ""};
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
    pov_stroke stroke = {entity_colour(id), 1, false};
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
    draw_name(d, top, 2, stroke.colour, entity->name);
}

static void draw_arrow(const drawing *d, pov_id id, const pov_heading *heading, pov_vec3 tail_m,
                       double length_m)
{
    const pov_heading_mode *mode = pov_heading_heaviest(heading);
    if (!mode || !(mode->kappa > 0.1) || !isfinite(length_m))
        return;
    pov_vec3 ahead_m = pov_vec3_scale((pov_vec3){cos(mode->yaw_rad), sin(mode->yaw_rad), 0}, length_m);
    pov_vec3 tip_m = pov_vec3_add(tail_m, ahead_m);
    pov_stroke stroke = {entity_colour(id), 2, false};
    draw_edge(d, tail_m, tip_m, stroke);
    for (int side = -1; side <= 1; side += 2) {
        pov_vec3 barb_m = pov_rot_apply(pov_rot_yaw(side * 0.85 * POV_PI), pov_vec3_scale(ahead_m, 0.25));
        draw_edge(d, tip_m, pov_vec3_add(tip_m, barb_m), stroke);
    }
}

/* From under the entity's centre to a little beyond its front; of an arm that points, at the height of the shoulders, as long as the person
 * is tall. */
static void draw_headings(const drawing *d, pov_id id)
{
    const pov_entity *entity = &d->what->observation->scene.entities[id];
    const pov_vec3 at_m = entity->position.mean_m, ground_m = {at_m.x, at_m.y, 0},
                   shoulders_m = {at_m.x, at_m.y, at_m.z + 0.3 * entity->size_m.z};
    const double size_m = fmax(entity->size_m.x, entity->size_m.y);
    draw_arrow(d, id, &entity->heading, ground_m,
               fmax(1.1 * size_m, 0.06 * pov_vec3_norm(d->T_camera_table.t_m)));
    draw_arrow(d, id, &entity->pointing, shoulders_m, entity->size_m.z);
}

static void draw_entities(const drawing *d)
{
    const pov_scene *scene = &d->what->observation->scene;
    for (pov_id id = 0; id < scene->len; id++) {
        const pov_entity *entity = &scene->entities[id];
        if (!entity->placed || id == scene->camera)
            continue;
        draw_headings(d, id);
        if (is_outlined(d, id))
            continue;
        if (entity->shape == POV_SHAPE_SPHERE)
            draw_sphere(d, pov_transform_apply(d->T_camera_table, entity->position.mean_m),
                        entity->size_m.x / 2, entity_colour(id), entity->name);
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

static drawing start_drawing(const pov_overlay_sink *sink, const pov_annotation *what)
{
    drawing d = {what, sink, false, pov_transform_identity()};
    if (what->camera != NULL && what->observation != NULL &&
        what->observation->image.pose_source != POV_POSE_UNKNOWN) {
        d.has_pose = true;
        d.T_camera_table = pov_transform_inverse(what->observation->image.T_table_camera.T);
    }
    return d;
}

void pov_overlay_draw(const pov_overlay_sink *sink, const pov_annotation *what)
{
    POV_REQUIRE(sink->edge_pieces <= POV_OVERLAY_EDGE_PIECES_MAX &&
                sink->outline_points <= POV_OVERLAY_OUTLINE_POINTS_MAX);
    const drawing d = start_drawing(sink, what);
    draw_found(&d);
}

enum { BOX_SPHERE_POINTS = 16 };

static void widen_box(pov_pixel_box *box, pov_vec2 pixel)
{
    if (!isfinite(pixel.x) || !isfinite(pixel.y))
        return;
    box->left_px = fmin(box->left_px, pixel.x);
    box->right_px = fmax(box->right_px, pixel.x);
    box->top_px = fmin(box->top_px, pixel.y);
    box->bottom_px = fmax(box->bottom_px, pixel.y);
}

static void widen_to_entity(pov_pixel_box *box, const drawing *d, const pov_entity *entity)
{
    const pov_vec3 pos_camera_m = pov_transform_apply(d->T_camera_table, entity->position.mean_m);
    if (entity->shape == POV_SHAPE_SPHERE)
        for (int k = 0; k < BOX_SPHERE_POINTS; k++) {
            pov_vec2 pixel;
            if (pov_sphere_outline_point(d->what->camera, &pixel, NULL, pos_camera_m, entity->size_m.x / 2,
                                         2 * POV_PI * k / BOX_SPHERE_POINTS) == POV_OK)
                widen_box(box, pixel);
        }
    else
        for (int i = 0; i < 8; i++)
            widen_box(box, project_point(d, box_corner(entity, i)));
}

bool pov_overlay_box(pov_pixel_box *box, const pov_annotation *what, pov_id id)
{
    static const pov_overlay_sink plain = {.enlargement = 1};
    const drawing d = start_drawing(&plain, what);
    const pov_entity *entity = &what->observation->scene.entities[id];
    const pov_image_header *image = &what->observation->image;
    *box = (pov_pixel_box){
        .left_px = INFINITY, .top_px = INFINITY, .right_px = -INFINITY, .bottom_px = -INFINITY};
    if (id == what->observation->scene.camera)
        return false;
    if (entity->placed && d.has_pose)
        widen_to_entity(box, &d, entity);
    else if (entity->seen && entity->has_image_box)
        *box = entity->image_box;
    box->left_px = fmax(box->left_px, 0);
    box->top_px = fmax(box->top_px, 0);
    box->right_px = fmin(box->right_px, image->width_px - 1);
    box->bottom_px = fmin(box->bottom_px, image->height_px - 1);
    return box->left_px < box->right_px && box->top_px < box->bottom_px;
}

enum { LEGIBLE_WIDTH_PX = 720 };

struct pov_annotator {
    int width_px, height_px; /* of the images */
    int enlargement;
    int margin_px;
    pov_canvas canvas;
};

/* A thumbnail's text is as large, where it is shown, as a large picture's. */
static pov_annotator *new_annotator(int width_px, int height_px, int shown_width_px)
{
    POV_REQUIRE(width_px > 0 && height_px > 0 && width_px <= POV_IMAGE_SIDE_MAX_PX &&
                height_px <= POV_IMAGE_SIDE_MAX_PX);
    pov_annotator *a = pov_allocate(1, sizeof *a);
    a->width_px = width_px;
    a->height_px = height_px;
    int longest_px = width_px > height_px ? width_px : height_px;
    a->enlargement = longest_px >= LEGIBLE_WIDTH_PX ? 1 : (LEGIBLE_WIDTH_PX + longest_px - 1) / longest_px;
    a->canvas.unit_px = shown_width_px > 0 ? (double)a->enlargement * width_px / shown_width_px
                                           : fmax(1, a->enlargement * longest_px / 1280.0);
    a->margin_px = shown_width_px > 0 ? 0 : (int)(470 * a->canvas.unit_px);
    a->canvas.width_px = a->enlargement * width_px + a->margin_px;
    a->canvas.height_px = a->enlargement * height_px;
    a->canvas.stride_bytes = 3 * a->canvas.width_px;
    a->canvas.pixels = pov_allocate((size_t)a->canvas.height_px, (size_t)a->canvas.stride_bytes);
    return a;
}

pov_annotator *pov_annotator_new(int width_px, int height_px)
{
    return new_annotator(width_px, height_px, 0);
}

pov_annotator *pov_annotator_new_for_thumbnails(int width_px, int height_px, int shown_width_px)
{
    POV_REQUIRE(shown_width_px > 0);
    return new_annotator(width_px, height_px, shown_width_px);
}

void pov_annotator_destroy(pov_annotator **annotator)
{
    if (*annotator != NULL)
        free((*annotator)->canvas.pixels);
    free(*annotator);
    *annotator = NULL;
}

/* ---- the margin ---- */

static const pov_colour paper = {24, 26, 31}, ink = {226, 228, 232}, faint = {140, 145, 155};

static const pov_colour holds = {120, 220, 140}, unsure = {245, 190, 70};

/* ---- a column of lines ---- */

typedef struct {
    pov_canvas *canvas;
    pov_rectangle area;
    double y_px;
} text_column;

static bool has_room(const text_column *column, int lines)
{
    double bottom = column->area.y_px + column->area.height_px - 8 * column->canvas->unit_px;
    return column->y_px + (lines - 1) * pov_canvas_line_height_px(column->canvas) <= bottom;
}

static double left_of(const text_column *column)
{
    return column->area.x_px + 14 * column->canvas->unit_px;
}

/* Text too wide for the column is cut. */
static void write_at(text_column *column, double indent, pov_colour colour, const char *text)
{
    char line[POV_CANVAS_TEXT_CAPACITY];
    snprintf(line, sizeof line, "%s", text);
    double x = left_of(column) + indent * column->canvas->unit_px;
    double right = column->area.x_px + column->area.width_px - 6 * column->canvas->unit_px;
    for (size_t length = strlen(line);
         length > 0 && x + pov_canvas_text_width_px(column->canvas, line) > right;) {
        do
            length--;
        while (length > 0 && ((unsigned char)line[length] & 0xc0) == 0x80); /* between letters */
        line[length] = '\0';
    }
    pov_canvas_text(column->canvas, line, (pov_vec2){x, column->y_px}, colour);
}

/* A name, or words made of names. */
static void write_words_at(text_column *column, double indent, pov_colour colour, const char *text)
{
    char words[POV_CANVAS_TEXT_CAPACITY];
    snprintf(words, sizeof words, "%s", text);
    without_underscores(words);
    write_at(column, indent, colour, words);
}

static void end_line(text_column *column)
{
    column->y_px += pov_canvas_line_height_px(column->canvas);
}

__attribute__((format(printf, 4, 5))) static void write_line(text_column *column, double indent,
                                                             pov_colour colour, const char *format, ...)
{
    if (!has_room(column, 1))
        return;
    char text[POV_CANVAS_TEXT_CAPACITY];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    write_at(column, indent, colour, text);
    end_line(column);
}

static void leave_gap(text_column *column)
{
    column->y_px += pov_canvas_line_height_px(column->canvas) / 2;
}

/* The left edge of the second column, in units: behind the widest text of the first, indented as by write_at(). */
static double distance_behind(const text_column *column, double at_least, double indent, const char *text)
{
    enum { GAP = 12 };
    const double width = pov_canvas_text_width_px(column->canvas, text) / column->canvas->unit_px;
    return fmax(at_least, indent + width + GAP);
}

static void draw_swatch(text_column *column, pov_colour colour)
{
    double side = 9 * column->canvas->unit_px;
    pov_rectangle square = {(int)left_of(column), (int)(column->y_px - side), (int)side, (int)side};
    if (has_room(column, 1))
        pov_canvas_fill(column->canvas, square, colour, 1);
}

/* ---- image, pose, tags ---- */

static void write_pose(text_column *column, const pov_annotation *what)
{
    const pov_image_header *header = &what->observation->image;
    if (header->pose_source == POV_POSE_FROM_TAGS && what->camera_pose != NULL)
        write_line(column, 0, ink, "camera pose: %d tags, %.2f px%s", what->camera_pose->used_len,
                   what->camera_pose->rms_px, what->camera_pose->has_alternative ? ", ambiguous" : "");
    else
        write_line(column, 0, ink, "camera pose: %s", pov_pose_source_name(header->pose_source));
}

static void write_tags(text_column *column, const pov_annotation *what)
{
    int count[POV_TAG_OUTCOME_COUNT] = {0};
    for (int i = 0; i < what->tags->len && what->camera_pose != NULL; i++)
        count[what->camera_pose->outcome[i]]++;
    if (what->camera_pose == NULL)
        write_line(column, 0, ink, "%d tags", what->tags->len);
    for (int outcome = 0; outcome < POV_TAG_OUTCOME_COUNT; outcome++) {
        if (count[outcome] > 0) {
            draw_swatch(column, outcomes[outcome].colour);
            write_line(column, 16, ink, "%d tag%s %s", count[outcome], count[outcome] == 1 ? "" : "s",
                       outcomes[outcome].words);
        }
    }
}

/* ---- entities ---- */

/* The source of its position, if this image did not show it. */
static void write_whence(char words[32], const pov_entity *entity)
{
    snprintf(words, 32, "%s", entity->seen ? "" : ", surveyed");
    if (!entity->seen && entity->track.tracked)
        snprintf(words, 32, ", hidden %.0f s", entity->track.hidden_s);
}

static void write_entity(text_column *column, const pov_scene *scene, pov_id id, double indent)
{
    const pov_entity *entity = &scene->entities[id];
    if (!entity->placed) {
        draw_swatch(column, entity->seen && entity->has_image_box ? entity_colour(id) : faint);
        if (!has_room(column, 1))
            return;
        write_words_at(column, 16, faint, entity->name);
        write_line(column, indent, faint, entity->seen ? "found, not placed" : "not found");
        return;
    }
    double cov_m2[3][3];
    pov_scene_position_cov(scene, cov_m2, &entity->position);
    pov_vec3 at = pov_vec3_rounded(entity->position.mean_m, 1e-3);
    double std_m = sqrt(cov_m2[0][0] + cov_m2[1][1] + cov_m2[2][2]);
    char whence[32];
    if (!has_room(column, 1))
        return;
    draw_swatch(column, entity_colour(id));
    write_words_at(column, 16, ink, entity->name);
    write_whence(whence, entity);
    write_line(column, indent, entity->seen ? ink : faint, "%.3f %.3f %.3f ± %.2g m%s", at.x, at.y, at.z,
               std_m, whence);
}

static void write_entities(text_column *column, const pov_scene *scene)
{
    double indent = 84;
    for (pov_id id = 0; id < scene->len; id++)
        indent = distance_behind(column, indent, 16, scene->entities[id].name);
    for (pov_id id = 0; id < scene->len; id++)
        if (id != scene->camera)
            write_entity(column, scene, id, indent);
}

/* ---- relations ---- */

/* One line: what holds in one perspective. */
typedef struct {
    const pov_query *query; /* perspective, viewer and convention */
    bool undefined;
    char holds[POV_CANVAS_TEXT_CAPACITY], abstains[POV_CANVAS_TEXT_CAPACITY];
} view_row;

enum { ROW_MAX = 24 };

typedef struct {
    int len;
    view_row rows[ROW_MAX];
} view_rows;

/* The margin shows judgments along the sight line, with the hemisphere acceptance. */
static bool is_shown(const pov_query *query)
{
    bool relative = query->perspective == POV_EGOCENTRIC || query->perspective == POV_ADDRESSEE;
    return query->acceptance == POV_HEMISPHERE && (!relative || query->axis == POV_SIGHT_LINE);
}

static view_row *row_for(view_rows *rows, const pov_query *query)
{
    for (int i = 0; i < rows->len; i++) {
        const pov_query *known = rows->rows[i].query;
        if (known->perspective == query->perspective && known->viewer == query->viewer &&
            known->convention == query->convention)
            return &rows->rows[i];
    }
    if (rows->len == ROW_MAX)
        return NULL;
    rows->rows[rows->len] = (view_row){.query = query, .undefined = true};
    return &rows->rows[rows->len++];
}

/* "in_front_of" -> "in front of" */
static void append_words(char text[POV_CANVAS_TEXT_CAPACITY], const char *before, const char *name,
                         const char *mark)
{
    size_t start = strlen(text);
    snprintf(text + start, POV_CANVAS_TEXT_CAPACITY - start, "%s%s%s", before, name, mark);
    without_underscores(text + start);
}

static void add_judgment(view_rows *rows, const pov_judgment *judgment)
{
    view_row *row = is_shown(&judgment->query) ? row_for(rows, &judgment->query) : NULL;
    if (row == NULL || judgment->belief.verdict == POV_VERDICT_UNDEFINED)
        return;
    row->undefined = false;
    if (judgment->belief.verdict == POV_TRUE)
        append_words(row->holds, *row->holds ? ", " : "", judgment->query.relation->name, "");
    if (judgment->belief.verdict == POV_ABSTAIN)
        append_words(row->abstains, *row->abstains ? ", ?" : "?", judgment->query.relation->name, "");
}

static void write_row(text_column *column, const pov_scene *scene, const view_row *row, double indent)
{
    char whose[POV_CANVAS_TEXT_CAPACITY];
    if (!has_room(column, 1))
        return;
    pov_query_viewpoint(whose, sizeof whose, scene, row->query);
    write_words_at(column, 16, faint, whose);
    write_at(column, indent, row->undefined ? faint : holds, row->undefined ? "undefined" : row->holds);
    write_at(column, row->holds[0] ? distance_behind(column, 0, indent, row->holds) : indent, unsure,
             row->abstains);
    end_line(column);
}

static void write_rows(text_column *column, const pov_scene *scene, const view_rows *rows)
{
    char whose[POV_CANVAS_TEXT_CAPACITY];
    double indent = 176;
    for (int i = 0; i < rows->len; i++) {
        pov_query_viewpoint(whose, sizeof whose, scene, rows->rows[i].query);
        indent = distance_behind(column, indent, 16, whose);
    }
    for (int i = 0; i < rows->len; i++)
        write_row(column, scene, &rows->rows[i], indent);
}

static bool is_pair(const pov_query *query, pov_id referent, pov_id relatum)
{
    return query->referent == referent && query->relatum[0] == relatum;
}

/* Writes the pair of judgment `first`; returns the index of the judgment after the last of this pair's run.
 */
static int write_pair(text_column *column, const pov_observation *observation, int first)
{
    pov_id referent = observation->judgments[first].query.referent;
    pov_id relatum = observation->judgments[first].query.relatum[0];
    view_rows rows = {0};
    int end = first;
    for (; end < observation->directed_len && is_pair(&observation->judgments[end].query, referent, relatum);
         end++)
        add_judgment(&rows, &observation->judgments[end]);
    bool says_something = false;
    for (int i = 0; i < rows.len; i++)
        says_something |= !rows.rows[i].undefined;
    if (!says_something || !has_room(column, rows.len + 1))
        return end;
    char title[POV_CANVAS_TEXT_CAPACITY];
    snprintf(title, sizeof title, "%s, relative to %s", observation->scene.entities[referent].name,
             observation->scene.entities[relatum].name);
    write_words_at(column, 0, ink, title);
    end_line(column);
    write_rows(column, &observation->scene, &rows);
    leave_gap(column);
    return end;
}

/* "ball next to car", "?cup between car and box" */
static void write_other(text_column *column, const pov_scene *scene, const pov_judgment *judgment)
{
    const pov_query *query = &judgment->query;
    const bool is_sure = judgment->belief.verdict == POV_TRUE;
    char line[POV_CANVAS_TEXT_CAPACITY] = "", relation[POV_CANVAS_TEXT_CAPACITY] = "";
    append_words(relation, " ", query->relation->name, " ");
    size_t length =
        (size_t)snprintf(line, sizeof line, "%s%s", scene->entities[query->referent].name, relation);
    for (int i = 0; i < query->relatum_len && length < sizeof line; i++)
        length += (size_t)snprintf(line + length, sizeof line - length, "%s%s", i ? " and " : "",
                                   scene->entities[query->relatum[i]].name);
    if (query->viewer != POV_ID_NONE && length < sizeof line)
        (void)snprintf(line + length, sizeof line - length, ", for %s", scene->entities[query->viewer].name);
    without_underscores(line);
    write_line(column, 0, is_sure ? holds : unsure, "%s%s", is_sure ? "" : "?", line);
}

/* The other relations that hold: in half of the room if there are directions. */
static void write_others(text_column *column, const pov_observation *observation)
{
    const double left_px = column->area.y_px + column->area.height_px - column->y_px;
    const double end_px = column->y_px + (observation->directed_len > 0 ? left_px / 2 : left_px);
    for (int i = observation->directed_len; i < observation->judgment_len && column->y_px < end_px; i++)
        if (observation->judgments[i].belief.verdict == POV_TRUE ||
            observation->judgments[i].belief.verdict == POV_ABSTAIN)
            write_other(column, &observation->scene, &observation->judgments[i]);
    if (observation->judgment_len > observation->directed_len)
        leave_gap(column);
}

static bool says_something(const pov_observation *observation)
{
    for (int i = 0; i < observation->judgment_len; i++)
        if (observation->judgments[i].belief.verdict == POV_TRUE ||
            observation->judgments[i].belief.verdict == POV_ABSTAIN)
            return true;
    return false;
}

static void write_observation(text_column *column, const pov_annotation *what)
{
    const pov_observation *observation = what->observation;
    write_entities(column, &observation->scene);
    leave_gap(column);
    if (says_something(observation)) {
        write_line(column, 0, faint, "green: holds; ?: too close to say");
        leave_gap(column);
    }
    write_others(column, observation);
    for (int i = 0; i < observation->directed_len;)
        i = write_pair(column, observation, i);
}

/* Fills `area`: image, pose, tags, entities, then as many pairs' relations as have room. */
static void draw_margin(pov_canvas *canvas, pov_rectangle area, const pov_annotation *annotation,
                        int homeless)
{
    const pov_annotation *what = annotation;
    text_column column = {canvas, area, area.y_px + 22 * canvas->unit_px};
    pov_canvas_fill(canvas, area, paper, 1);
    write_line(&column, 0, ink, "%s", what->image->name);
    write_line(&column, 0, faint, "image %u, %d x %d px", what->image->sequence, what->image->width_px,
               what->image->height_px);
    leave_gap(&column);
    if (what->observation != NULL)
        write_pose(&column, what);
    if (what->tags != NULL)
        write_tags(&column, what);
    if (homeless > 0)
        write_line(&column, 0, unsure, "%d name%s no room in the image: by colour, below", homeless,
                   homeless == 1 ? " has" : "s have");
    if (what->observation != NULL)
        write_observation(&column, what);
}

/* ---- drawing ---- */

static void draw_line(void *canvas, const pov_vec2 *points_px, int len, pov_stroke stroke)
{
    pov_canvas_polyline(canvas, points_px, len, stroke);
}

/* "red_ball" -> "red ball" */
static void draw_label(void *canvas, const pov_canvas_label *label)
{
    pov_canvas_label plain = *label;
    without_underscores(plain.text);
    pov_canvas_label_at(canvas, &plain);
}

/* Labels lie beside things, not on them. */
static void keep_things_clear(pov_annotator *a, const pov_annotation *what)
{
    for (pov_id id = 0; what->observation && id < what->observation->scene.len; id++) {
        pov_pixel_box box;
        if (what->camera && pov_overlay_box(&box, what, id))
            pov_canvas_keep_clear(&a->canvas,
                                  (pov_rectangle){(int)(box.left_px * a->enlargement),
                                                  (int)(box.top_px * a->enlargement),
                                                  (int)((box.right_px - box.left_px) * a->enlargement),
                                                  (int)((box.bottom_px - box.top_px) * a->enlargement)});
    }
}

pov_status pov_annotator_draw(pov_annotator *annotator, pov_image *picture, const pov_annotation *annotation)
{
    pov_annotator *a = annotator;
    const pov_image *image = annotation->image;
    *picture = *image;
    picture->pixels = picture->grey = NULL;
    if (image->width_px != a->width_px || image->height_px != a->height_px)
        return pov_status_with(POV_SKIPPED, "%s: %d x %d px, not %d x %d px like the others: not annotated",
                               image->name, image->width_px, image->height_px, a->width_px, a->height_px);
    pov_rectangle inside = {0, 0, a->width_px * a->enlargement, a->height_px * a->enlargement};
    pov_canvas_image(&a->canvas, inside, image);
    const pov_overlay_sink sink = {.user = &a->canvas,
                                   .line = draw_line,
                                   .label = draw_label,
                                   .enlargement = a->enlargement,
                                   .edge_pieces = POV_OVERLAY_EDGE_PIECES_MAX,
                                   .outline_points = POV_OVERLAY_OUTLINE_POINTS_MAX};
    pov_overlay_draw(&sink, annotation);
    keep_things_clear(a, annotation);
    const int homeless = pov_canvas_place_labels(&a->canvas, inside);
    pov_rectangle margin = {inside.width_px, 0, a->margin_px, inside.height_px};
    if (a->margin_px > 0)
        draw_margin(&a->canvas, margin, annotation, homeless);
    picture->pixels = a->canvas.pixels;
    picture->width_px = a->canvas.width_px;
    picture->height_px = a->canvas.height_px;
    picture->stride_bytes = a->canvas.stride_bytes;
    return pov_ok();
}
