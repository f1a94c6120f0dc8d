#include "sim/bodies/obj_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const float CREASE_COS = 0.64F; /* 50 degrees */

typedef struct {
    int position, uv, normal; /* -1: none */
} face_corner;

typedef struct {
    face_corner corners[3];
    float normal[3]; /* its length twice the area */
    int material;
} face_record;

/** Items that grow. */
typedef struct {
    void *items;
    int len, capacity;
} growing;

typedef struct {
    pov_obj_materials materials;
    growing positions, uvs, normals; /* float[3] each */
    growing faces;
    int material; /* -1: none chosen yet */
} obj_reader;

static pov_status room_for_one(growing *list, size_t item_size, const pov_obj_text *text)
{
    if (list->len < list->capacity)
        return pov_ok();
    if (list->len >= POV_OBJ_LEN_MAX)
        return pov_error("%.150s:%d: more than %d of a kind", text->path, text->line, POV_OBJ_LEN_MAX);
    POV_REQUIRE(item_size > 0);
    const int capacity = list->capacity > 0 ? 2 * list->capacity : 256;
    void *items = realloc(list->items, (size_t)capacity * item_size);
    POV_REQUIRE(items);
    list->items = items;
    list->capacity = capacity;
    return pov_ok();
}

static pov_status read_vector(pov_obj_text *text, growing *list, int numbers, const char *what)
{
    POV_TRY(room_for_one(list, sizeof(float[3]), text));
    float *item = ((float(*)[3])list->items)[list->len];
    memset(item, 0, sizeof(float[3]));
    POV_TRY(pov_obj_numbers(text, item, numbers, what));
    list->len++;
    return pov_ok();
}

/** One more number after a slash, if there is one. */
static bool read_further_index(int *index, const char **at, int len)
{
    *index = -1;
    if (**at != '/')
        return true;
    ++*at;
    return **at == '/' || **at == '\0' || pov_obj_index(index, at, len);
}

/** Position, position/uv, position//normal or position/uv/normal. */
static bool read_corner(const obj_reader *reader, face_corner *corner, const char *word)
{
    return pov_obj_index(&corner->position, &word, reader->positions.len) &&
           read_further_index(&corner->uv, &word, reader->uvs.len) &&
           read_further_index(&corner->normal, &word, reader->normals.len) && *word == '\0';
}

static const float *position_of(const obj_reader *reader, int index)
{
    return ((const float(*)[3])reader->positions.items)[index];
}

static void measure(const obj_reader *reader, face_record *face)
{
    const float *a = position_of(reader, face->corners[0].position),
                *b = position_of(reader, face->corners[1].position),
                *c = position_of(reader, face->corners[2].position);
    const float u[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]},
                v[3] = {c[0] - a[0], c[1] - a[1], c[2] - a[2]};
    face->normal[0] = u[1] * v[2] - u[2] * v[1];
    face->normal[1] = u[2] * v[0] - u[0] * v[2];
    face->normal[2] = u[0] * v[1] - u[1] * v[0];
}

static float dot(const float a[3], const float b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static pov_status add_face(obj_reader *reader, const pov_obj_text *text, const face_corner corners[3])
{
    face_record face = {.material = reader->material};
    memcpy(face.corners, corners, sizeof face.corners);
    measure(reader, &face);
    if (!(dot(face.normal, face.normal) > 0))
        return pov_ok(); /* without area: not seen */
    POV_TRY(room_for_one(&reader->faces, sizeof face, text));
    ((face_record *)reader->faces.items)[reader->faces.len++] = face;
    return pov_ok();
}

/** A polygon is a fan of triangles about its first corner. Programs also write faces of one or two: nothing to see. */
static pov_status read_face(obj_reader *reader, pov_obj_text *text)
{
    if (reader->material < 0)
        POV_TRY(pov_obj_material_named(&reader->materials, &reader->material, "none"));
    face_corner fan[3];
    int len = 0;
    const char *word;
    while ((word = pov_obj_next_word(text)) != NULL) {
        face_corner *corner = &fan[len < 2 ? len : 2];
        if (!read_corner(reader, corner, word))
            return pov_obj_complaint(text, "a corner is needed, as 1/2/3, of what stands above", word);
        if (++len >= 3) {
            POV_TRY(add_face(reader, text, fan));
            fan[1] = fan[2];
        }
    }
    return len > 0 ? pov_ok() : pov_error("%.150s:%d: a face without corners", text->path, text->line);
}

static pov_status read_line(obj_reader *reader, pov_obj_text *text, const char *key)
{
    if (strcmp(key, "v") == 0)
        return read_vector(text, &reader->positions, 3, "v");
    if (strcmp(key, "vt") == 0)
        return read_vector(text, &reader->uvs, 2, "vt");
    if (strcmp(key, "vn") == 0)
        return read_vector(text, &reader->normals, 3, "vn");
    if (strcmp(key, "f") == 0)
        return read_face(reader, text);
    if (strcmp(key, "usemtl") == 0)
        return pov_obj_material_named(&reader->materials, &reader->material, pov_obj_rest(text));
    if (strcmp(key, "mtllib") == 0) {
        char path[POV_OBJ_PATH_CAPACITY];
        pov_obj_beside(path, text->path, pov_obj_rest(text));
        return pov_mtl_read(&reader->materials, path);
    }
    return pov_ok();
}

/** Which faces meet at each position: those of position p are faces[first[p]] .. faces[first[p + 1] - 1]. */
typedef struct {
    int *first, *faces;
} faces_met;

static faces_met faces_met_of(const obj_reader *reader)
{
    const face_record *faces = reader->faces.items;
    faces_met m = {calloc((size_t)reader->positions.len + 2, sizeof(int)),
                   calloc(3 * (size_t)reader->faces.len + 1, sizeof(int))};
    POV_REQUIRE(m.first && m.faces);
    for (int i = 0; i < 3 * reader->faces.len; i++)
        m.first[faces[i / 3].corners[i % 3].position + 2]++;
    for (int p = 0; p < reader->positions.len; p++)
        m.first[p + 2] += m.first[p + 1];
    for (int i = 0; i < 3 * reader->faces.len; i++)
        m.faces[m.first[faces[i / 3].corners[i % 3].position + 1]++] = i / 3;
    return m;
}

/** The mean, by area, of the faces that meet there and bend away little. */
static void smooth_normal(const obj_reader *reader, const faces_met *m, float normal[3],
                          const face_record *face, int position)
{
    const face_record *faces = reader->faces.items;
    memset(normal, 0, sizeof(float[3]));
    for (int i = m->first[position]; i < m->first[position + 1]; i++) {
        const float *other = faces[m->faces[i]].normal;
        const float lengths = sqrtf(dot(other, other) * dot(face->normal, face->normal));
        if (dot(other, face->normal) >= CREASE_COS * lengths)
            for (int k = 0; k < 3; k++)
                normal[k] += other[k];
    }
}

static bool make_unit(float vector[3])
{
    const float length = sqrtf(dot(vector, vector));
    for (int k = 0; k < 3 && length > 0; k++)
        vector[k] /= length;
    return length > 0 && isfinite(length);
}

static int add_corner(const obj_reader *reader, const faces_met *m, const face_record *face,
                      const face_corner *corner)
{
    const float(*normals)[3] = reader->normals.items, (*uvs)[3] = reader->uvs.items;
    float normal[3], uv[2] = {0, 0};
    if (corner->normal >= 0)
        memcpy(normal, normals[corner->normal], sizeof normal);
    else
        smooth_normal(reader, m, normal, face, corner->position);
    if (!make_unit(normal)) {
        memcpy(normal, face->normal, sizeof normal);
        make_unit(normal);
    }
    if (corner->uv >= 0) {
        uv[0] = uvs[corner->uv][0];
        uv[1] = 1 - uvs[corner->uv][1]; /* OBJ counts rows from below */
    }
    return pov_model_add_vertex(reader->materials.model, position_of(reader, corner->position), normal, uv);
}

static void add_faces(const obj_reader *reader)
{
    const faces_met m = faces_met_of(reader);
    const face_record *faces = reader->faces.items;
    for (int i = 0; i < reader->faces.len; i++) {
        uint32_t vertices[3];
        for (int k = 0; k < 3; k++)
            vertices[k] = (uint32_t)add_corner(reader, &m, &faces[i], &faces[i].corners[k]);
        pov_model_add_triangle(reader->materials.model, vertices, faces[i].material);
    }
    free(m.first);
    free(m.faces);
}

static pov_status read_text(obj_reader *reader, const char *path, char *bytes)
{
    pov_obj_text text;
    pov_obj_text_start(&text, path, bytes);
    const char *key;
    while ((key = pov_obj_next_line(&text)) != NULL)
        POV_TRY(read_line(reader, &text, key));
    if (reader->faces.len == 0)
        return pov_error("%.150s: no faces", path);
    add_faces(reader);
    return pov_ok();
}

pov_status pov_obj_read(pov_model *model, const pov_obj_source *source, const char *path)
{
    char *bytes;
    size_t len;
    POV_TRY(source->load(source->load_context, &bytes, &len, path));
    obj_reader *r = calloc(1, sizeof *r);
    POV_REQUIRE(r);
    r->materials.model = model;
    r->materials.source = source;
    r->material = -1;
    const pov_status status = read_text(r, path, bytes);
    free(r->positions.items);
    free(r->uvs.items);
    free(r->normals.items);
    free(r->faces.items);
    free(r);
    free(bytes);
    return status;
}
