/* A scene out of one line of `pov run --json`: docs/JSON.md. */
#include "config/scene/scene_entity.h"
#include "config/scene/scene_file_internal.h"

#include <math.h>
#include <string.h>

static bool is_given(pov_yaml_node node)
{
    return pov_yaml_exists(node) && !pov_yaml_is_null(node);
}

static void read_headings(pov_heading *heading, pov_yaml_node headings)
{
    int length = pov_yaml_length(headings);
    if (length > POV_HEADING_MODES_MAX)
        pov_yaml_complain(headings, "lists %d headings; at most %d are taken", length, POV_HEADING_MODES_MAX);
    for (int i = 0; i < length && !pov_yaml_failed(headings.file); i++) {
        pov_yaml_node node = pov_yaml_at(headings, i);
        pov_heading_mode *mode = &heading->mode[heading->len++];
        pov_yaml_number(&mode->weight, pov_yaml_need(node, "weight", "how likely it is"), 0, 1);
        pov_yaml_number(&mode->yaw_rad, pov_yaml_need(node, "yaw_rad", "where it points"), -7, 7);
        pov_yaml_number(&mode->kappa, pov_yaml_need(node, "kappa", "how sure it is"), 0, 1e12);
    }
    pov_scene_share_weights(heading, headings);
}

static void read_place(pov_entity *entity, pov_yaml_node node)
{
    pov_yaml_node position = pov_yaml_get(node, "pos_m"), cov = pov_yaml_get(node, "pos_cov_m2");
    entity->placed = is_given(position);
    if (entity->placed)
        pov_yaml_vec3(&entity->position.mean_m, position, -POV_SCENE_POSITION_MAX_M,
                      POV_SCENE_POSITION_MAX_M);
    if (!is_given(cov))
        return;
    double numbers[9] = {0}, cov_m2[3][3];
    pov_yaml_numbers(numbers, cov, 9, -1e8, 1e8);
    memcpy(cov_m2, numbers, sizeof cov_m2);
    pov_scene_read_covariance(cov_m2, cov);
    memcpy(entity->position.own_cov_m2, cov_m2, sizeof cov_m2);
}

static void read_size(pov_vec3 *size_m, pov_yaml_node node)
{
    if (is_given(node)) /* 0: not known */
        pov_yaml_vec3(size_m, node, 0, POV_SCENE_SIZE_MAX_M);
}

static void read_velocity(pov_entity *entity, pov_yaml_node node)
{
    pov_yaml_node velocity = pov_yaml_get(node, "velocity_m_s"),
                  cov = pov_yaml_get(node, "velocity_cov_m2_s2"),
                  rate = pov_yaml_get(node, "turn_rate_rad_s"),
                  std = pov_yaml_get(node, "turn_rate_std_rad_s");
    entity->has_velocity = is_given(velocity);
    entity->has_turn_rate = is_given(rate);
    if (entity->has_velocity)
        pov_yaml_vec3(&entity->velocity_m_s, velocity, -1e4, 1e4);
    if (is_given(cov))
        pov_yaml_numbers(&entity->velocity_cov_m2_s2[0][0], cov, 9, -1e8, 1e8);
    if (entity->has_turn_rate)
        pov_yaml_number(&entity->turn_rate_rad_s, rate, -1e4, 1e4);
    if (is_given(std))
        pov_yaml_number(&entity->turn_rate_std_rad_s, std, 0, 1e4);
    (void)pov_yaml_get(node, "track"); /* what was before does not change what is */
}

/* Lines of earlier versions have none: who looks at what tells then who can see. */
static void read_sees(pov_entity *entity, pov_yaml_node node)
{
    static const double least_deg = 1e-6;
    pov_field_of_view field = {.far_m = INFINITY};
    int shape = POV_FIELD_CONE;
    double horizontal_deg = 0, vertical_deg = 0;
    if (!is_given(node))
        return;
    pov_yaml_choice(&shape, pov_yaml_get(node, "shape"), pov_field_shape_names, POV_FIELD_COUNT);
    const double widest_deg = shape == POV_FIELD_CONE ? 180 : 89.999999;
    pov_yaml_number(&horizontal_deg, pov_yaml_need(node, "half_horizontal_deg", "half its width"), least_deg,
                    widest_deg);
    pov_yaml_number(&vertical_deg, pov_yaml_need(node, "half_vertical_deg", "half its height"), least_deg,
                    widest_deg);
    pov_yaml_number(&field.near_m, pov_yaml_get(node, "near_m"), 0, 1e6);
    pov_yaml_number(&field.far_m, pov_yaml_get(node, "far_m"), field.near_m, 1e6);
    pov_yaml_vec3(&field.eye_m, pov_yaml_get(node, "eye_m"), -POV_SCENE_SIZE_MAX_M, POV_SCENE_SIZE_MAX_M);
    field.shape = (pov_field_shape)shape;
    field.half_horizontal_rad = pov_scene_rad(horizontal_deg);
    field.half_vertical_rad = pov_scene_rad(vertical_deg);
    entity->can_see = true;
    entity->field = field;
}

static void read_entity(pov_entity *entity, pov_yaml_node node)
{
    *entity = pov_entity_named("", "");
    pov_scene_read_name(entity->name, pov_yaml_need(node, "id", "its name"));
    pov_scene_read_name(entity->class_name, pov_yaml_get(node, "class"));
    pov_scene_read_about(entity, node);
    read_place(entity, node);
    (void)pov_yaml_get(node, "heading_rad"); /* the heaviest of the headings */
    (void)pov_yaml_get(node, "heading_kappa");
    pov_yaml_node headings = pov_yaml_get(node, "headings"), heads = pov_yaml_get(node, "head_headings"),
                  pointing = pov_yaml_get(node, "pointing"), rotation = pov_yaml_get(node, "R_table_box");
    if (is_given(headings))
        read_headings(&entity->heading, headings);
    if (is_given(heads))
        read_headings(&entity->head_heading, heads);
    if (is_given(pointing))
        read_headings(&entity->pointing, pointing);
    pov_yaml_bool(&entity->arms_seen, pov_yaml_get(node, "arms_seen"));
    if (is_given(rotation))
        pov_yaml_rotation(&entity->R_table_box, rotation);
    pov_yaml_bool(&entity->seen, pov_yaml_get(node, "seen"));
    pov_yaml_bool(&entity->addressee, pov_yaml_get(node, "addressee"));
    pov_yaml_number(&entity->look_age_s, pov_yaml_get(node, "look_age_s"), 0, 1e9);
    read_size(&entity->size_m, pov_yaml_get(node, "size_m"));
    read_sees(entity, pov_yaml_get(node, "sees"));
    read_velocity(entity, node);
}

static void find_camera(pov_scene *scene, pov_yaml_node node)
{
    const char *id = NULL;
    if (is_given(node))
        pov_yaml_string(&id, node);
    scene->camera = id ? pov_scene_find(scene, id) : POV_ID_NONE;
    if (id && scene->camera == POV_ID_NONE)
        pov_yaml_complain(node, "names no entity of the scene");
}

void pov_scene_read_observation(pov_scene *scene, pov_yaml_node root)
{
    static const char *const beside[] = {"image",
                                         "tags",
                                         "tags_truncated",
                                         "turntable",
                                         "lens",
                                         "judgments",
                                         "judgments_truncated",
                                         "visibility",
                                         "visibility_truncated",
                                         "relations",
                                         "relations_truncated",
                                         "directions",
                                         "directions_truncated",
                                         "views",
                                         "views_truncated"};
    for (size_t i = 0; i < sizeof beside / sizeof *beside; i++)
        (void)pov_yaml_get(root, beside[i]);
    pov_yaml_node node = pov_yaml_get(root, "scene"), north = pov_yaml_get(node, "north_yaw_rad");
    pov_yaml_node entities = pov_yaml_need(node, "entities", "the list of what is in the scene");
    int length = pov_scene_count_entities(entities);
    for (int i = 0; i < length && !pov_yaml_failed(node.file); i++) {
        pov_entity entity;
        read_entity(&entity, pov_yaml_at(entities, i));
        pov_scene_append(scene, &entity, pov_yaml_at(entities, i));
    }
    find_camera(scene, pov_yaml_get(node, "camera"));
    scene->has_north = is_given(north);
    if (scene->has_north)
        pov_yaml_number(&scene->north_yaw_rad, north, -7, 7);
}
