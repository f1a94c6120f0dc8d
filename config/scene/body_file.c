#include "config/scene/body_file.h"

#include "config/files/read_file.h"
#include "config/scene/obj_file.h"

#include <math.h>
#include <stdlib.h>

/* Thinner than this along an axis, and a ray would seldom meet it. */
static const double thinnest_m = 1e-6;

/* Moves and stretches the vertices that faces use: others do not count. */
static pov_status fit_box(pov_obj *body, pov_vec3 *size_m, const char *path)
{
    float low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int i = 0; i < 3 * body->face_len; i++)
        for (int k = 0; k < 3; k++) {
            const float v = body->positions[body->faces[i / 3].corners[i % 3].position][k];
            low[k] = fminf(low[k], v);
            high[k] = fmaxf(high[k], v);
        }
    double *sides[3] = {&size_m->x, &size_m->y, &size_m->z};
    for (int k = 0; k < 3; k++) {
        const double own = (double)high[k] - (double)low[k], middle = ((double)high[k] + (double)low[k]) / 2;
        if (!(own > thinnest_m))
            return pov_error("%.150s: the body is flat along %c; a body has three dimensions", path, 'x' + k);
        const double scale = *sides[k] > 0 ? *sides[k] / own : 1;
        *sides[k] = scale * own;
        for (int i = 0; i < body->position_len; i++)
            body->positions[i][k] = (float)(scale * ((double)body->positions[i][k] - middle));
    }
    return pov_ok();
}

pov_status pov_body_parse(pov_mesh *mesh, pov_vec3 *size_m, const char *name, char *text)
{
    const pov_obj_reading reading = {.point_max = 3 * POV_BODY_TRIANGLES_MAX,
                                     .face_max = POV_BODY_TRIANGLES_MAX};
    pov_obj body = {0};
    pov_status status = pov_obj_parse(&body, &reading, name, text);
    POV_THEN(status, fit_box(&body, size_m, name));
    *mesh = (pov_mesh){0};
    if (status.code == POV_OK) {
        uint32_t(*triangles)[3] = malloc((size_t)body.face_len * sizeof *triangles);
        POV_REQUIRE_MEMORY(triangles);
        for (int i = 0; i < 3 * body.face_len; i++)
            triangles[i / 3][i % 3] = (uint32_t)body.faces[i / 3].corners[i % 3].position;
        *mesh = (pov_mesh){.vertex_len = body.position_len,
                           .triangle_len = body.face_len,
                           .vertices_m = (const float(*)[3])body.positions,
                           .triangles = (const uint32_t(*)[3])triangles};
        body.positions = NULL; /* the mesh has them */
    }
    pov_obj_free(&body);
    return status;
}

pov_status pov_body_read(pov_mesh *mesh, pov_vec3 *size_m, const char *path)
{
    pov_bytes bytes = {0};
    *mesh = (pov_mesh){0};
    pov_status status = pov_read_file(&bytes, path, POV_BODY_BYTES_MAX, "an OBJ file");
    POV_THEN(status, pov_body_parse(mesh, size_m, path, (char *)bytes.data));
    pov_bytes_free(&bytes);
    return status;
}

void pov_body_free(pov_mesh *mesh)
{
    free((void *)mesh->vertices_m);
    free((void *)mesh->triangles);
    *mesh = (pov_mesh){0};
}
