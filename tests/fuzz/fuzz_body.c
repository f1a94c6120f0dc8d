/* A thing's body: an OBJ file's bytes. */
#include "config/scene/body_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

static void check(const pov_mesh *mesh, pov_vec3 size_m)
{
    const double side_m[3] = {size_m.x, size_m.y, size_m.z};
    for (int i = 0; i < 3 * mesh->triangle_len; i++)
        for (int k = 0; k < 3; k++) {
            const uint32_t corner = mesh->triangles[i / 3][i % 3];
            if (corner >= (uint32_t)mesh->vertex_len ||
                !(fabs((double)mesh->vertices_m[corner][k]) <= 0.501 * side_m[k] + 1e-6))
                abort();
        }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    char *text = calloc(1, length + 1);
    pov_mesh mesh;
    pov_vec3 size_m = {0, length % 2 ? 0.3 : 0, 0};
    if (!text)
        abort();
    if (length > 0)
        memcpy(text, bytes, length);
    const pov_status status = pov_body_parse(&mesh, &size_m, "body.obj", text);
    if (status.code == POV_OK ? mesh.triangle_len == 0 : status.message[0] == '\0' || mesh.triangles)
        abort();
    check(&mesh, size_m);
    pov_body_free(&mesh);
    free(text);
    return 0;
}
