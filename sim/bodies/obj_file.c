#include "sim/bodies/obj_file.h"

#include "config/scene/obj_file.h"
#include "perception/image/colour.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const float CREASE_COS = 0.64F; /* 50 degrees: chosen; sharper edges stay edges */

/* ---- materials ---- */

enum { NAME_CAPACITY = 128 };

typedef struct {
    char name[NAME_CAPACITY];
    int index; /* in the model */
} named_material;

typedef struct {
    pov_model *model;
    const pov_obj_source *source;
    named_material materials[POV_OBJ_MATERIALS_MAX];
    int material_len;
} material_list;

static const pov_material GREY = {
    .albedo = {0.5F, 0.5F, 0.5F}, .gloss = 0, .gloss_exponent = 20, .texture = POV_TEXTURE_NONE};

/* A material as its lines tell of it. */
typedef struct {
    char name[NAME_CAPACITY], picture[NAME_CAPACITY];
    pov_material material;
} material_draft;

static pov_status add_picture(material_list *materials, int *texture, const char *path)
{
    const pov_obj_source *source = materials->source;
    char *bytes;
    size_t len;
    pov_image image;
    POV_TRY(source->load(source->load_context, &bytes, &len, path));
    const pov_status status = source->decode(source->decode_context, &image, path, bytes, len);
    free(bytes);
    if (status.code != POV_OK)
        return status;
    POV_REQUIRE(image.stride_bytes == 3 * image.width_px);
    const pov_texture pixels = {
        .width_px = image.width_px, .height_px = image.height_px, .pixels = image.pixels};
    *texture = pov_model_add_texture(materials->model, &pixels);
    return status;
}

static pov_status add_material(material_list *materials, material_draft *draft, const char *path)
{
    if (!draft->name[0])
        return pov_ok();
    if (materials->material_len == POV_OBJ_MATERIALS_MAX)
        return pov_error("%.150s: more than %d materials", path, POV_OBJ_MATERIALS_MAX);
    pov_material material = draft->material;
    if (draft->picture[0]) {
        memcpy(material.albedo, GREY.albedo, sizeof material.albedo);
        if (materials->source->decode) {
            char beside[POV_OBJ_PATH_CAPACITY];
            pov_obj_beside(beside, path, draft->picture);
            POV_TRY(add_picture(materials, &material.texture, beside));
            for (int c = 0; c < 3; c++)
                material.albedo[c] = 1;
        }
    }
    named_material *entry = &materials->materials[materials->material_len++];
    memcpy(entry->name, draft->name, sizeof entry->name);
    entry->index = pov_model_add_material(materials->model, &material);
    return pov_ok();
}

static pov_status read_colour(pov_obj_text *text, material_draft *draft)
{
    float colour[3];
    POV_TRY(pov_obj_numbers(text, colour, 3, "Kd"));
    for (int c = 0; c < 3; c++)
        draft->material.albedo[c] = (float)pov_linear_of_srgb(fmin(1, fmax(0, colour[c])));
    return pov_ok();
}

static pov_status read_gloss(pov_obj_text *text, material_draft *draft)
{
    float colour[3];
    POV_TRY(pov_obj_numbers(text, colour, 3, "Ks"));
    draft->material.gloss = fminf(1, fmaxf(0, (colour[0] + colour[1] + colour[2]) / 3));
    return pov_ok();
}

static pov_status read_gloss_exponent(pov_obj_text *text, material_draft *draft)
{
    float exponent;
    POV_TRY(pov_obj_numbers(text, &exponent, 1, "Ns"));
    draft->material.gloss_exponent = fminf(500, fmaxf(10, exponent));
    return pov_ok();
}

/* A name that may hold blanks; after options, which begin with '-', its last word. */
static void read_picture(pov_obj_text *text, material_draft *draft)
{
    char *name = pov_obj_rest(text);
    if (name[0] == '-') {
        const char *blank = strrchr(name, ' ');
        name = blank ? name + (blank - name) + 1 : name;
    }
    snprintf(draft->picture, sizeof draft->picture, "%s", name);
}

static pov_status read_mtl_line(material_list *materials, pov_obj_text *text, material_draft *draft,
                                const char *key)
{
    if (strcmp(key, "newmtl") == 0) {
        POV_TRY(add_material(materials, draft, text->path));
        memset(draft, 0, sizeof *draft);
        draft->material = GREY;
        snprintf(draft->name, sizeof draft->name, "%s", pov_obj_rest(text));
        return draft->name[0] ? pov_ok() : pov_obj_complaint(text, "newmtl needs a name", "");
    }
    if (strcmp(key, "Kd") == 0)
        return read_colour(text, draft);
    if (strcmp(key, "Ks") == 0)
        return read_gloss(text, draft);
    if (strcmp(key, "Ns") == 0)
        return read_gloss_exponent(text, draft);
    if (strcmp(key, "map_Kd") == 0)
        read_picture(text, draft);
    return pov_ok();
}

static pov_status read_library(void *context, const char *path)
{
    material_list *materials = context;
    char *bytes;
    size_t len;
    POV_TRY(materials->source->load(materials->source->load_context, &bytes, &len, path));
    pov_obj_text text;
    pov_obj_text_start(&text, path, bytes);
    material_draft draft = {.material = GREY};
    pov_status status = pov_ok();
    const char *key;
    while (status.code == POV_OK && (key = pov_obj_next_line(&text)) != NULL)
        status = read_mtl_line(materials, &text, &draft, key);
    POV_THEN(status, add_material(materials, &draft, path));
    free(bytes);
    return status;
}

static pov_status use_material(void *context, int *index, const char *name)
{
    material_list *materials = context;
    if (!name[0])
        name = "none";
    for (int i = 0; i < materials->material_len; i++) {
        if (strncmp(materials->materials[i].name, name, NAME_CAPACITY - 1) == 0) {
            *index = materials->materials[i].index;
            return pov_ok();
        }
    }
    material_draft unknown = {.material = GREY};
    snprintf(unknown.name, sizeof unknown.name, "%s", name);
    POV_TRY(add_material(materials, &unknown, "materials"));
    *index = materials->materials[materials->material_len - 1].index;
    return pov_ok();
}

/* ---- the body ---- */

typedef struct {
    pov_obj obj;
    material_list *materials;
    float (*face_normals)[3]; /* their lengths twice the areas */
} body_reader;

static float dot(const float a[3], const float b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Returns how many faces have an area. */
static int measure_faces(body_reader *reader)
{
    int len = 0;
    for (int i = 0; i < reader->obj.face_len; i++) {
        const pov_obj_corner *corners = reader->obj.faces[i].corners;
        const float *a = reader->obj.positions[corners[0].position],
                    *b = reader->obj.positions[corners[1].position],
                    *c = reader->obj.positions[corners[2].position];
        const float u[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]},
                    v[3] = {c[0] - a[0], c[1] - a[1], c[2] - a[2]};
        float *normal = reader->face_normals[i];
        normal[0] = u[1] * v[2] - u[2] * v[1];
        normal[1] = u[2] * v[0] - u[0] * v[2];
        normal[2] = u[0] * v[1] - u[1] * v[0];
        len += dot(normal, normal) > 0;
    }
    return len;
}

/* The faces that meet at each position: at position p they are faces[first[p]] .. faces[first[p + 1] - 1]. */
typedef struct {
    int *first, *faces;
} faces_met;

static faces_met faces_met_of(const body_reader *reader)
{
    const pov_obj_face *faces = reader->obj.faces;
    faces_met m = {calloc((size_t)reader->obj.position_len + 2, sizeof(int)),
                   calloc(3 * (size_t)reader->obj.face_len + 1, sizeof(int))};
    POV_REQUIRE_MEMORY(m.first && m.faces);
    for (int i = 0; i < 3 * reader->obj.face_len; i++)
        m.first[faces[i / 3].corners[i % 3].position + 2]++;
    for (int p = 0; p < reader->obj.position_len; p++)
        m.first[p + 2] += m.first[p + 1];
    for (int i = 0; i < 3 * reader->obj.face_len; i++)
        m.faces[m.first[faces[i / 3].corners[i % 3].position + 1]++] = i / 3;
    return m;
}

/* The mean, by area, of the faces that meet there and bend away little. */
static void smooth_normal(const body_reader *reader, const faces_met *m, float normal[3],
                          const float face_normal[3], int position)
{
    memset(normal, 0, sizeof(float[3]));
    for (int i = m->first[position]; i < m->first[position + 1]; i++) {
        const float *other = reader->face_normals[m->faces[i]];
        const float lengths = sqrtf(dot(other, other) * dot(face_normal, face_normal));
        if (dot(other, face_normal) >= CREASE_COS * lengths)
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

static int add_corner(const body_reader *reader, const faces_met *m, const float face_normal[3],
                      const pov_obj_corner *corner)
{
    const float(*normals)[3] = (const float(*)[3])reader->obj.normals,
          (*uvs)[3] = (const float(*)[3])reader->obj.uvs;
    float normal[3], uv[2] = {0, 0};
    if (corner->normal >= 0)
        memcpy(normal, normals[corner->normal], sizeof normal);
    else
        smooth_normal(reader, m, normal, face_normal, corner->position);
    if (!make_unit(normal)) {
        memcpy(normal, face_normal, sizeof normal);
        make_unit(normal);
    }
    if (corner->uv >= 0) {
        uv[0] = uvs[corner->uv][0];
        uv[1] = 1 - uvs[corner->uv][1]; /* OBJ counts rows from below */
    }
    return pov_model_add_vertex(reader->materials->model, reader->obj.positions[corner->position], normal,
                                uv);
}

static void add_faces(const body_reader *reader)
{
    const faces_met m = faces_met_of(reader);
    const pov_obj_face *faces = reader->obj.faces;
    for (int i = 0; i < reader->obj.face_len; i++) {
        uint32_t vertices[3];
        if (!(dot(reader->face_normals[i], reader->face_normals[i]) > 0))
            continue; /* without area: not seen */
        for (int k = 0; k < 3; k++)
            vertices[k] = (uint32_t)add_corner(reader, &m, reader->face_normals[i], &faces[i].corners[k]);
        pov_model_add_triangle(reader->materials->model, vertices, faces[i].material);
    }
    free(m.first);
    free(m.faces);
}

pov_status pov_obj_read(pov_model *model, const pov_obj_source *source, const char *path)
{
    char *bytes;
    size_t len;
    POV_TRY(source->load(source->load_context, &bytes, &len, path));
    body_reader r = {.materials = calloc(1, sizeof *r.materials)};
    POV_REQUIRE_MEMORY(r.materials);
    r.materials->model = model;
    r.materials->source = source;
    const pov_obj_reading reading = {POV_OBJ_LEN_MAX, POV_OBJ_LEN_MAX, use_material, read_library,
                                     r.materials};
    pov_status status = pov_obj_parse(&r.obj, &reading, path, bytes);
    if (status.code == POV_OK) {
        r.face_normals = malloc((size_t)r.obj.face_len * sizeof *r.face_normals);
        POV_REQUIRE_MEMORY(r.face_normals);
        if (measure_faces(&r) > 0)
            add_faces(&r);
        else
            status = pov_error("%.150s: no faces that have an area", path);
    }
    free(r.face_normals);
    pov_obj_free(&r.obj);
    free(r.materials);
    free(bytes);
    return status;
}
