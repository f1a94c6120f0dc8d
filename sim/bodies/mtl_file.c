#include "sim/bodies/obj_internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const pov_material GREY = {
    .albedo = {0.5F, 0.5F, 0.5F}, .gloss = 0, .gloss_exponent = 20, .texture = POV_TEXTURE_NONE};

/** A material as its lines tell of it. */
typedef struct {
    char name[POV_OBJ_NAME_CAPACITY], picture[POV_OBJ_NAME_CAPACITY];
    pov_material material;
} material_draft;

static float linear(float srgb)
{
    const float encoded = fminf(1, fmaxf(0, srgb));
    return encoded <= 0.04045F ? encoded / 12.92F : powf((encoded + 0.055F) / 1.055F, 2.4F);
}

static pov_status add_picture(pov_obj_materials *materials, int *texture, const char *path)
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

static pov_status finish(pov_obj_materials *materials, material_draft *draft, const char *path)
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
    pov_obj_material *entry = &materials->materials[materials->material_len++];
    memcpy(entry->name, draft->name, sizeof entry->name);
    entry->index = pov_model_add_material(materials->model, &material);
    return pov_ok();
}

static pov_status read_colour(pov_obj_text *text, material_draft *draft)
{
    float colour[3];
    POV_TRY(pov_obj_numbers(text, colour, 3, "Kd"));
    for (int c = 0; c < 3; c++)
        draft->material.albedo[c] = linear(colour[c]);
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

/** A name that may hold blanks; after options, which begin with '-', its last word. */
static void read_picture(pov_obj_text *text, material_draft *draft)
{
    char *name = pov_obj_rest(text);
    if (name[0] == '-') {
        const char *blank = strrchr(name, ' ');
        name = blank ? name + (blank - name) + 1 : name;
    }
    snprintf(draft->picture, sizeof draft->picture, "%s", name);
}

static pov_status read_line(pov_obj_materials *materials, pov_obj_text *text, material_draft *draft,
                            const char *key)
{
    if (strcmp(key, "newmtl") == 0) {
        POV_TRY(finish(materials, draft, text->path));
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

pov_status pov_mtl_read(pov_obj_materials *materials, const char *path)
{
    char *bytes;
    size_t len;
    POV_TRY(materials->source->load(materials->source->load_context, &bytes, &len, path));
    pov_obj_text text;
    pov_obj_text_start(&text, path, bytes);
    material_draft draft = {.material = GREY};
    pov_status status = pov_ok();
    const char *key;
    while (status.code == POV_OK && (key = pov_obj_next_line(&text)) != NULL)
        status = read_line(materials, &text, &draft, key);
    if (status.code == POV_OK)
        status = finish(materials, &draft, path);
    free(bytes);
    return status;
}

pov_status pov_obj_material_named(pov_obj_materials *materials, int *index, const char *name)
{
    if (!name[0])
        name = "none";
    for (int i = 0; i < materials->material_len; i++) {
        if (strncmp(materials->materials[i].name, name, POV_OBJ_NAME_CAPACITY - 1) == 0) {
            *index = materials->materials[i].index;
            return pov_ok();
        }
    }
    material_draft unknown = {.material = GREY};
    snprintf(unknown.name, sizeof unknown.name, "%s", name);
    POV_TRY(finish(materials, &unknown, "materials"));
    *index = materials->materials[materials->material_len - 1].index;
    return pov_ok();
}
