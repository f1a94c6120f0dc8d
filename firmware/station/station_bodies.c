#include "config/scene/body_file.h"
#include "config/scene/scene_entity.h"
#include "firmware/station/station.h"

#include <stdlib.h>

struct pov_station_bodies {
    pov_mesh meshes[POV_CAST_MAX];
};

static void check_body(pov_vec3 *size_m, const char *path, pov_yaml_node node)
{
    pov_mesh mesh;
    pov_yaml_complain_of(node, pov_body_read(&mesh, size_m, path));
    pov_body_free(&mesh);
}

void pov_station_read_body(pov_cast_member *member, char file[POV_BODY_PATH_CAPACITY], pov_yaml_node node)
{
    pov_yaml_node shape = pov_yaml_get(node, "shape"), body = pov_yaml_get(node, "body");
    pov_entity *entity = &member->entity;
    *file = '\0';
    pov_scene_read_shape(entity, node);
    if (!pov_yaml_exists(body) || pov_yaml_failed(node.file))
        return;
    if (pov_yaml_exists(shape))
        pov_yaml_complain(shape, "the body's file gives its shape; leave one of the two out");
    if (member->found_by == &pov_found_by_enrolled)
        pov_yaml_complain(
            body, "an enrolled object's box is its model's, which need not be this body's; leave it out");
    pov_yaml_relative_path(file, POV_BODY_PATH_CAPACITY, body);
    if (!pov_yaml_failed(node.file))
        check_body(&entity->size_m, file, body);
}

pov_status pov_station_bodies_new(pov_station_bodies **bodies, pov_cast *cast,
                                  const pov_station_body_files *files)
{
    *bodies = pov_allocate(1, sizeof **bodies);
    pov_status status = pov_ok();
    for (int i = 0; i < cast->len && status.code == POV_OK; i++) {
        pov_entity *entity = &cast->members[i].entity;
        if (!files->files[i][0])
            continue;
        status = pov_body_read(&(*bodies)->meshes[i], &entity->size_m, files->files[i]);
        entity->shape = POV_SHAPE_MESH;
        entity->mesh = &(*bodies)->meshes[i];
    }
    if (status.code != POV_OK)
        pov_station_bodies_destroy(bodies);
    return status;
}

void pov_station_bodies_destroy(pov_station_bodies **bodies)
{
    for (int i = 0; *bodies && i < POV_CAST_MAX; i++)
        pov_body_free(&(*bodies)->meshes[i]);
    free(*bodies);
    *bodies = NULL;
}
