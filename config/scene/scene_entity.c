/* One entity of a scene file. */
#include "config/scene/scene_entity.h"

#include "config/scene/scene_file_internal.h"

#include "perception/geometry/linalg.h"
#include "perception/visibility/body_doubt.h"

#include <assert.h>
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

const char *const pov_field_shape_names[] = {"cone", "frustum"};
static const char *const shape_names[] = {"box", "sphere", "capsule", "unknown"};
enum { SHAPES = sizeof shape_names / sizeof *shape_names, UNKNOWN_SHAPE = SHAPES - 1 };

/* Thinner than this is a slip of the pen: the table frame is in metres. */
static const double size_min_m = 1e-6;
/* A front this near to the vertical has no direction on the ground that a typed number could mean. */
static const double front_from_vertical_min_rad = POV_PI / 180;

void pov_scene_read_name(char name[POV_NAME_CAPACITY], pov_yaml_node node)
{
    pov_yaml_copy_name(name, POV_NAME_CAPACITY, node);
    if (pov_yaml_failed(node.file) || !pov_yaml_exists(node))
        return;
    if (*name == '\0' || *name == ' ')
        pov_yaml_complain(node, "must be printable text that begins with no space; write e.g. ball_1");
}

void pov_scene_read_size(pov_vec3 *size_m, pov_yaml_node node)
{
    if (!pov_yaml_exists(node) || pov_yaml_failed(node.file))
        return;
    double sides_m[3] = {0};
    if (pov_yaml_is_list(node)) {
        pov_yaml_numbers(sides_m, node, 3, 0, POV_SCENE_SIZE_MAX_M);
    } else {
        pov_yaml_number(&sides_m[0], node, 0, POV_SCENE_SIZE_MAX_M);
        sides_m[1] = sides_m[2] = sides_m[0];
    }
    for (int i = 0; i < 3; i++)
        if (sides_m[i] < size_min_m)
            pov_yaml_complain(node,
                              "has a side of %g m; every side must be longer than that: leave size_m out "
                              "if it is not known",
                              sides_m[i]);
    *size_m = (pov_vec3){sides_m[0], sides_m[1], sides_m[2]};
}

void pov_scene_read_covariance(double cov_m2[3][3], pov_yaml_node node)
{
    double values[3], vectors[9], scale = 0;
    if (pov_yaml_failed(node.file))
        return;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            scale = fmax(scale, fabs(cov_m2[i][j]));
            if (fabs(cov_m2[i][j] - cov_m2[j][i]) > 1e-6 * fmax(fabs(cov_m2[i][i]), fabs(cov_m2[j][j])))
                pov_yaml_complain(node, "is not symmetric: row %d, column %d is %g, the other way round %g",
                                  i + 1, j + 1, cov_m2[i][j], cov_m2[j][i]);
        }
    pov_symmetric_eigen(values, vectors, &cov_m2[0][0], 3);
    if (!(fmin(values[0], fmin(values[1], values[2])) >= -1e-6 * scale))
        pov_yaml_complain(node, "is not a covariance: it has a direction of negative variance; give standard "
                                "deviations as position_std_m instead");
}

void pov_scene_read_position_noise(double cov_m2[3][3], pov_yaml_node entity)
{
    pov_yaml_node std = pov_yaml_get(entity, "position_std_m"), cov = pov_yaml_get(entity, "position_cov_m2");
    if (pov_yaml_exists(std) && pov_yaml_exists(cov))
        pov_yaml_complain(entity, "gives both position_std_m and position_cov_m2; give one");
    double std_m[3] = {0};
    if (pov_yaml_is_list(std)) {
        pov_yaml_numbers(std_m, std, 3, 0, 100);
    } else {
        pov_yaml_number(&std_m[0], std, 0, 100);
        std_m[1] = std_m[2] = std_m[0];
    }
    for (int i = 0; i < 3; i++)
        cov_m2[i][i] = std_m[i] * std_m[i];
    if (!pov_yaml_exists(cov))
        return;
    if (pov_yaml_length(cov) != 3)
        pov_yaml_complain(cov, "expected three rows of three numbers, m^2");
    for (int i = 0; i < 3; i++)
        pov_yaml_numbers(cov_m2[i], pov_yaml_at(cov, i), 3, -1e4, 1e4);
    pov_scene_read_covariance(cov_m2, cov);
}

/* -------- the front -------- */

static void read_mode(pov_heading *heading, pov_yaml_node node, double default_std_deg)
{
    double yaw_deg = 0, std_deg = default_std_deg, weight = 1;
    pov_yaml_number(&yaw_deg, pov_yaml_need(node, "deg", "where this front points"), -360, 360);
    pov_yaml_number(&std_deg, pov_yaml_get(node, "std_deg"), 0, 180);
    pov_yaml_number(&weight, pov_yaml_get(node, "weight"), 1e-9, 1e9);
    pov_heading single =
        pov_heading_single(pov_scene_rad(yaw_deg), pov_kappa_from_std(pov_scene_rad(std_deg)));
    heading->mode[heading->len] = single.mode[0];
    heading->mode[heading->len++].weight = weight;
}

void pov_scene_share_weights(pov_heading *heading, pov_yaml_node node)
{
    double sum = 0;
    for (int i = 0; i < heading->len; i++)
        sum += heading->mode[i].weight;
    if (heading->len > 0 && !(sum > 0))
        pov_yaml_complain(node, "weigh nothing in sum; give how likely each is");
    for (int i = 0; i < heading->len; i++)
        heading->mode[i].weight /= sum;
}

static void read_modes(pov_heading *heading, pov_yaml_node node, double std_deg)
{
    int length = pov_yaml_length(node);
    if (length < 1 || length > POV_HEADING_MODES_MAX) {
        pov_yaml_complain(node, "lists %d directions; give 1 to %d, each {deg, std_deg, weight}", length,
                          POV_HEADING_MODES_MAX);
        return;
    }
    for (int i = 0; i < length; i++)
        read_mode(heading, pov_yaml_at(node, i), std_deg);
    pov_scene_share_weights(heading, node);
}

/* x along the front, y level: the box of an entity that looks up or down is tilted with it. */
static pov_rot box_along(pov_vec3 front)
{
    pov_vec3 x = pov_vec3_unit(front), y = pov_vec3_unit((pov_vec3){-front.y, front.x, 0});
    pov_vec3 z = pov_vec3_cross(x, y);
    return (pov_rot){{{x.x, y.x, z.x}, {x.y, y.y, z.y}, {x.z, y.z, z.z}}};
}

static void read_front_vector(pov_entity *entity, pov_yaml_node node, double std_deg)
{
    pov_vec3 front = {1, 0, 0};
    pov_yaml_vec3(&front, node, -1e6, 1e6);
    double level = hypot(front.x, front.y);
    if (pov_vec3_norm(front) < 1e-9)
        pov_yaml_complain(node,
                          "has no length; give the direction of the front, or leave it out if there is none");
    else if (atan2(level, fabs(front.z)) < front_from_vertical_min_rad)
        pov_yaml_complain(node,
                          "points straight %s: on the ground that is not a direction; give where the front "
                          "would point when level, as front_deg",
                          front.z > 0 ? "up" : "down");
    if (pov_yaml_failed(node.file))
        return;
    entity->R_table_box = box_along(front);
    entity->heading = pov_heading_single(atan2(front.y, front.x), pov_kappa_from_std(pov_scene_rad(std_deg)));
}

static void read_front(pov_entity *entity, pov_yaml_node node)
{
    pov_yaml_node angle = pov_yaml_get(node, "front_deg"), vector = pov_yaml_get(node, "front");
    pov_yaml_node std = pov_yaml_get(node, "front_std_deg");
    double std_deg = 0, yaw_deg = 0;
    if (pov_yaml_exists(angle) && pov_yaml_exists(vector))
        pov_yaml_complain(node, "gives both front_deg and front; give one");
    if (pov_yaml_exists(std) && !pov_yaml_exists(angle) && !pov_yaml_exists(vector))
        pov_yaml_complain(std, "says how sure a front is, but there is no front_deg");
    pov_yaml_number(&std_deg, std, 0, 180);
    if (pov_yaml_exists(vector)) {
        read_front_vector(entity, vector, std_deg);
        return;
    }
    if (!pov_yaml_exists(angle))
        return;
    if (pov_yaml_is_list(angle)) {
        read_modes(&entity->heading, angle, std_deg);
    } else {
        pov_yaml_number(&yaw_deg, angle, -360, 360);
        entity->heading =
            pov_heading_single(pov_scene_rad(yaw_deg), pov_kappa_from_std(pov_scene_rad(std_deg)));
    }
    if (entity->heading.len > 0)
        entity->R_table_box = pov_rot_yaw(pov_heading_heaviest(&entity->heading)->yaw_rad);
}

/* Of a person's head, or of an arm that points: one direction, or several. */
static void read_direction(pov_heading *heading, pov_yaml_node node)
{
    double yaw_deg = 0;
    if (!pov_yaml_exists(node))
        return;
    if (pov_yaml_is_list(node)) {
        read_modes(heading, node, 0);
        return;
    }
    pov_yaml_number(&yaw_deg, node, -360, 360);
    *heading = pov_heading_single(pov_scene_rad(yaw_deg), pov_kappa_from_std(0));
}

/* `pointing_deg: none`: the arms are seen, and none points. */
static void read_head_and_hand(pov_entity *entity, pov_yaml_node node)
{
    static const char *const none[] = {"none"};
    pov_yaml_node pointing = pov_yaml_get(node, "pointing_deg");
    read_direction(&entity->head_heading, pov_yaml_get(node, "head_deg"));
    entity->arms_seen = pov_yaml_exists(pointing);
    const char *word = "";
    int choice = 0;
    if (pov_yaml_exists(pointing) && !pov_yaml_is_list(pointing))
        pov_yaml_string(&word, pointing);
    if (isalpha((unsigned char)*word))
        pov_yaml_choice(&choice, pointing, none, 1);
    else
        read_direction(&entity->pointing, pointing);
}

/* The box's orientation, where it is not that of the front. */
static void read_box_rotation(pov_entity *entity, pov_yaml_node node)
{
    pov_yaml_node yaw = pov_yaml_get(node, "yaw_deg"), rotation = pov_yaml_get(node, "rotation");
    double yaw_deg = 0;
    if (pov_yaml_exists(yaw) + pov_yaml_exists(rotation) + (entity->heading.len > 0) > 1)
        pov_yaml_complain(node, "gives more than one of front (the box turns with it), yaw_deg and rotation; "
                                "give one");
    pov_yaml_number(&yaw_deg, yaw, -360, 360);
    if (pov_yaml_exists(yaw))
        entity->R_table_box = pov_rot_yaw(pov_scene_rad(yaw_deg));
    pov_yaml_rotation(&entity->R_table_box, rotation);
}

void pov_scene_read_attitude(pov_entity *entity, pov_yaml_node node)
{
    read_front(entity, node);
    read_head_and_hand(entity, node);
    read_box_rotation(entity, node);
}

/* -------- what it is called -------- */

static void add_about(pov_entity *entity, pov_yaml_node node)
{
    const char *text = NULL;
    size_t length = strlen(entity->about);
    pov_yaml_string(&text, node);
    if (!text)
        return;
    for (const char *c = text; *c != '\0'; c++)
        if ((unsigned char)*c < ' ' || *c == 0x7f) {
            pov_yaml_complain(node, "must be printable text");
            return;
        }
    if (length + strlen(text) + 2 > sizeof entity->about)
        pov_yaml_complain(node, "words and about have room for %d bytes in all", POV_ABOUT_CAPACITY - 1);
    else
        snprintf(entity->about + length, sizeof entity->about - length, "%s%s", length ? " " : "", text);
}

void pov_scene_read_about(pov_entity *entity, pov_yaml_node node)
{
    static const char *const keys[] = {"words", "about"};
    entity->about[0] = '\0';
    for (int k = 0; k < 2; k++) {
        pov_yaml_node list = pov_yaml_get(node, keys[k]);
        if (!pov_yaml_exists(list))
            continue;
        if (!pov_yaml_is_list(list))
            add_about(entity, list);
        for (int i = 0; pov_yaml_is_list(list) && i < pov_yaml_length(list) && !pov_yaml_failed(node.file);
             i++)
            add_about(entity, pov_yaml_at(list, i));
    }
}

/* -------- what it sees -------- */

static void read_range(pov_field_of_view *field, pov_yaml_node node)
{
    double range_m[2] = {field->near_m, 0};
    if (!pov_yaml_exists(node))
        return;
    if (pov_yaml_is_list(node)) {
        pov_yaml_numbers(range_m, node, 2, 0, 1e6);
    } else {
        pov_yaml_number(&range_m[1], node, 0, 1e6);
    }
    if (!(range_m[0] < range_m[1]))
        pov_yaml_complain(node, "must be the farthest distance seen, or [nearest, farthest], in metres");
    field->near_m = range_m[0];
    field->far_m = range_m[1];
}

/* The eye is at the centre of the box unless the file gives it: a robot's eye cannot be guessed. */
void pov_scene_read_sees(pov_entity *entity, pov_yaml_node node)
{
    if (!pov_yaml_exists(node) || pov_yaml_failed(node.file))
        return;
    pov_field_of_view field = {.shape = POV_FIELD_CONE, .near_m = 0, .far_m = INFINITY};
    int shape = field.shape;
    double horizontal_deg = 0, vertical_deg = 0;
    pov_yaml_choice(&shape, pov_yaml_get(node, "shape"), pov_field_shape_names, POV_FIELD_COUNT);
    double widest_deg = shape == POV_FIELD_CONE ? 360 : 179;
    pov_yaml_node horizontal = pov_yaml_need(node, "horizontal_deg", "how wide the field of view is");
    pov_yaml_node vertical = pov_yaml_get(node, "vertical_deg");
    pov_yaml_number(&horizontal_deg, horizontal, 0.1, widest_deg);
    vertical_deg = horizontal_deg;
    pov_yaml_number(&vertical_deg, vertical, 0.1, widest_deg);
    read_range(&field, pov_yaml_get(node, "range_m"));
    pov_yaml_vec3(&field.eye_m, pov_yaml_get(node, "eye_m"), -POV_SCENE_SIZE_MAX_M, POV_SCENE_SIZE_MAX_M);
    field.shape = (pov_field_shape)shape;
    field.half_horizontal_rad = pov_scene_rad(horizontal_deg / 2);
    field.half_vertical_rad = pov_scene_rad(vertical_deg / 2);
    entity->can_see = true;
    entity->field = field;
}

/* The last word of its class without numbers: "carton" for "carton_2". */
static bool is_called(const char *class_name, const char *word)
{
    size_t end = strlen(class_name);
    while (end > 0 && !isalpha((unsigned char)class_name[end - 1]))
        end--;
    const size_t len = strlen(word);
    if (end < len || memcmp(class_name + end - len, word, len) != 0)
        return false;
    return end == len || !isalpha((unsigned char)class_name[end - len - 1]);
}

/* Things of these classes fill their box: a wall needs no shape. */
static int shape_by_class(const pov_entity *entity)
{
    static const char *const boxes[] = {"wall",  "screen", "partition", "divider", "barrier",
                                        "panel", "board",  "block",     "box",     "carton",
                                        "crate", "brick",  "cube",      "book"};
    static const char *const balls[] = {"ball", "sphere", "basketball", "football"};
    const pov_vec3 side = entity->size_m;
    for (size_t i = 0; i < sizeof boxes / sizeof *boxes; i++)
        if (is_called(entity->class_name, boxes[i]))
            return POV_SHAPE_BOX;
    for (size_t i = 0; i < sizeof balls / sizeof *balls && side.x > 0 && side.x == side.y && side.x == side.z;
         i++)
        if (is_called(entity->class_name, balls[i]))
            return POV_SHAPE_SPHERE;
    return UNKNOWN_SHAPE;
}

void pov_scene_read_shape(pov_entity *entity, pov_yaml_node node)
{
    int shape = shape_by_class(entity);
    pov_yaml_choice(&shape, pov_yaml_get(node, "shape"), shape_names, SHAPES);
    entity->shape = shape == UNKNOWN_SHAPE ? POV_SHAPE_BOX : (pov_shape)shape;
    entity->shape_doubt = shape == UNKNOWN_SHAPE ? POV_SHAPE_DOUBT : 0;
    const pov_vec3 side = entity->size_m;
    if (shape == POV_SHAPE_SPHERE && (side.x != side.y || side.x != side.z))
        pov_yaml_complain(pov_yaml_get(node, "size_m"),
                          "a sphere has one size, its diameter; write e.g. size_m: 0.2");
}

static void read_motion(pov_entity *entity, pov_yaml_node velocity)
{
    pov_yaml_vec3(&entity->velocity_m_s, velocity, -1e4, 1e4);
    entity->has_velocity = pov_yaml_exists(velocity);
}

void pov_scene_read_entity(pov_entity *entity, pov_yaml_node node)
{
    *entity = pov_entity_named("", "thing");
    pov_scene_read_name(entity->name, pov_yaml_need(node, "id", "a name of its own"));
    pov_yaml_node class_name = pov_yaml_get(node, "class");
    if (!pov_yaml_exists(class_name))
        memcpy(entity->class_name, entity->name, sizeof entity->class_name);
    pov_scene_read_name(entity->class_name, class_name);
    pov_scene_read_about(entity, node);
    pov_yaml_node position = pov_yaml_get(node, "position_m");
    pov_yaml_vec3(&entity->position.mean_m, position, -POV_SCENE_POSITION_MAX_M, POV_SCENE_POSITION_MAX_M);
    entity->placed = pov_yaml_exists(position);
    pov_scene_read_position_noise(entity->position.own_cov_m2, node);
    pov_scene_read_size(&entity->size_m, pov_yaml_get(node, "size_m"));
    pov_scene_read_shape(entity, node);
    pov_scene_read_attitude(entity, node);
    pov_scene_read_sees(entity, pov_yaml_get(node, "sees"));
    pov_yaml_bool(&entity->addressee, pov_yaml_get(node, "addressee"));
    read_motion(entity, pov_yaml_get(node, "velocity_m_s"));
}
