#include "config/scene/body_file.h"

#include "config/files/read_file.h"
#include "config/scene/obj_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Thinner than this along an axis, and a ray would seldom meet it. */
static const double thinnest_m = 1e-6;

typedef struct {
    float (*vertices_m)[3];
    uint32_t (*triangles)[3];
    int vertex_len, triangle_len, vertex_capacity, triangle_capacity;
} growing_body;

/* Room for one more item of 12 bytes. */
static pov_status make_room(void **items, int *capacity, int len, int len_max, const pov_obj_text *text)
{
    if (len < *capacity)
        return pov_ok();
    if (len >= len_max)
        return pov_error("%.150s:%d: more than %d of a kind; let the program that wrote it simplify the body",
                         text->path, text->line, len_max);
    *capacity = *capacity > 0 ? 2 * *capacity : 1024;
    void *larger = realloc(*items, (size_t)*capacity * sizeof(float[3]));
    POV_REQUIRE(larger);
    *items = larger;
    return pov_ok();
}

static pov_status read_vertex(growing_body *body, pov_obj_text *text)
{
    void *items = body->vertices_m;
    const pov_status status =
        make_room(&items, &body->vertex_capacity, body->vertex_len, 3 * POV_BODY_TRIANGLES_MAX, text);
    body->vertices_m = items;
    POV_TRY(status);
    POV_TRY(pov_obj_numbers(text, body->vertices_m[body->vertex_len], 3, "v"));
    body->vertex_len++;
    return pov_ok();
}

static pov_status add_triangle(growing_body *body, const int corners[3], const pov_obj_text *text)
{
    void *items = body->triangles;
    const pov_status status =
        make_room(&items, &body->triangle_capacity, body->triangle_len, POV_BODY_TRIANGLES_MAX, text);
    body->triangles = items;
    POV_TRY(status);
    for (int k = 0; k < 3; k++)
        body->triangles[body->triangle_len][k] = (uint32_t)corners[k];
    body->triangle_len++;
    return pov_ok();
}

/* A polygon is a fan of triangles about its first corner. Of a corner's numbers only the first counts. */
static pov_status read_face(growing_body *body, pov_obj_text *text)
{
    int fan[3], len = 0;
    const char *word;
    while ((word = pov_obj_next_word(text)) != NULL) {
        const char *at = word;
        if (!pov_obj_index(&fan[len < 2 ? len : 2], &at, body->vertex_len) || (*at != '/' && *at != '\0'))
            return pov_obj_complaint(text, "a corner is needed, as 1/2/3, of what stands above", word);
        if (++len >= 3) {
            POV_TRY(add_triangle(body, fan, text));
            fan[1] = fan[2];
        }
    }
    return pov_ok();
}

static pov_status read_lines(growing_body *body, const char *path, char *bytes)
{
    pov_obj_text text;
    const char *key;
    pov_obj_text_start(&text, path, bytes);
    while ((key = pov_obj_next_line(&text)) != NULL) {
        if (strcmp(key, "v") == 0)
            POV_TRY(read_vertex(body, &text));
        else if (strcmp(key, "f") == 0)
            POV_TRY(read_face(body, &text));
    }
    return body->triangle_len > 0 ? pov_ok() : pov_error("%.150s: no faces: not a body in an OBJ file", path);
}

/* Moves and stretches the vertices that faces use: others do not count. */
static pov_status fit(growing_body *body, pov_vec3 *size_m, const char *path)
{
    float low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int i = 0; i < 3 * body->triangle_len; i++)
        for (int k = 0; k < 3; k++) {
            const float v = body->vertices_m[body->triangles[i / 3][i % 3]][k];
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
        for (int i = 0; i < body->vertex_len; i++)
            body->vertices_m[i][k] = (float)(scale * ((double)body->vertices_m[i][k] - middle));
    }
    return pov_ok();
}

pov_status pov_body_parse(pov_mesh *mesh, pov_vec3 *size_m, const char *name, char *text)
{
    growing_body body = {0};
    pov_status status = read_lines(&body, name, text);
    if (status.code == POV_OK)
        status = fit(&body, size_m, name);
    *mesh = (pov_mesh){.vertex_len = body.vertex_len,
                       .triangle_len = body.triangle_len,
                       .vertices_m = (const float(*)[3])body.vertices_m,
                       .triangles = (const uint32_t(*)[3])body.triangles};
    if (status.code != POV_OK)
        pov_body_free(mesh);
    return status;
}

pov_status pov_body_read(pov_mesh *mesh, pov_vec3 *size_m, const char *path)
{
    pov_bytes bytes = {0};
    *mesh = (pov_mesh){0};
    pov_status status = pov_read_file(&bytes, path, POV_BODY_BYTES_MAX, "an OBJ file");
    if (status.code == POV_OK)
        status = pov_body_parse(mesh, size_m, path, (char *)bytes.data);
    pov_bytes_free(&bytes);
    return status;
}

void pov_body_free(pov_mesh *mesh)
{
    free((void *)mesh->vertices_m);
    free((void *)mesh->triangles);
    *mesh = (pov_mesh){0};
}
