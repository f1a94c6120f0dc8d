#include "sim/bodies/catalogue.h"

#include "config/files/nearest_name.h"
#include "sim/bodies/body_text.h"

#include <string.h>

enum { NO_FRONT = 0, FRONT = 1, SEES = 2, POINTS = 4 };

/* name, size x y z in metres, traits, eye x z, function in share/bodies, colours */
#define CLASSES(X)                                                                                           \
    X("apple", 0.08, 0.08, 0.085, NO_FRONT, 0, 0, apple, 0xC0281E, 0x6FA52A, 0xD8B030)                       \
    X("banana", 0.11, 0.20, 0.036, NO_FRONT, 0, 0, banana, 0xF0CB2E)                                         \
    X("basketball", 0.24, 0.24, 0.24, NO_FRONT, 0, 0, basketball, 0xD0662A)                                  \
    X("bat", 0.11, 0.62, 0.30, FRONT | SEES, 0.0398, 0.0668, bat, 0x4A3A34, 0x2E2A2C, 0x6B4A38)              \
    X("bed", 2.10, 1.50, 0.95, FRONT, 0, 0, bed, 0x3F6FA8, 0x8A3040, 0x4F7F5A, 0xC9B98F)                     \
    X("bench", 0.62, 1.50, 0.85, FRONT, 0, 0, bench, 0xA8703A, 0x7A4E2B, 0x3F6B4A)                           \
    X("bicycle", 1.75, 0.56, 1.05, FRONT, 0, 0, bicycle, 0xC22B2B, 0x1F5FA8, 0x2B7A4B, 0x333333)             \
    X("blue ball", 0.24, 0.24, 0.24, NO_FRONT, 0, 0, ball, 0x1F3FC8)                                         \
    X("book", 0.15, 0.22, 0.032, NO_FRONT, 0, 0, book, 0x8C2A2A, 0x274C7A, 0x2F6B47, 0x6B4A8A)               \
    X("bottle", 0.075, 0.075, 0.30, NO_FRONT, 0, 0, bottle, 0x2E6B3A, 0x6B4A22, 0x3A6FA0)                    \
    X("bowl", 0.16, 0.16, 0.07, NO_FRONT, 0, 0, bowl, 0x4A86B8, 0xE8E4DA, 0xB85A3A)                          \
    X("box", 0.44, 0.36, 0.30, NO_FRONT, 0, 0, box, 0xB98A55)                                                \
    X("bus", 9.0, 2.5, 3.0, FRONT, 0, 0, bus, 0xE8B421, 0xC8342B, 0x2F6FB0)                                  \
    X("car", 4.5, 1.95, 1.42, FRONT, 0, 0, car, 0xEDEDED, 0xB32222, 0x2A4F8F, 0x3A3D42, 0x9FB0A0)            \
    X("cat", 0.56, 0.17, 0.42, FRONT | SEES, 0.273, 0.0856, cat, 0xC98544, 0x8C8A88, 0x3A3634, 0xE6DCC8)     \
    X("chair", 0.50, 0.46, 0.92, FRONT, 0, 0, chair, 0xA9743F, 0x6B4226, 0xD8CDB8, 0x3C3C40)                 \
    X("child", 0.29, 0.42, 1.12, FRONT | SEES | POINTS, 0.0333, 0.445, child, 0xE0A02E, 0x4FA3C8, 0xC84F6B,  \
      0x6FB04A)                                                                                              \
    X("computer monitor", 0.20, 0.56, 0.46, FRONT, 0, 0, monitor, 0x1E1E20, 0xD8D8D4)                        \
    X("container", 0.42, 0.30, 0.24, NO_FRONT, 0, 0, container, 0x2F7FB8, 0x6F9F4A, 0xC8C8C4)                \
    X("cow", 2.40, 0.80, 1.50, FRONT | SEES, 1.02, 0.478, cow, 0xF0EEE8, 0x8A5230)                           \
    X("cup", 0.14, 0.14, 0.075, NO_FRONT, 0, 0, cup, 0xF0EEE6, 0x9FC4D8, 0xE0B8A8)                           \
    X("desk", 0.70, 1.40, 0.75, FRONT, 0, 0, desk, 0xB98550, 0x6B4226, 0xE4E0D6)                             \
    X("dog", 0.90, 0.26, 0.66, FRONT | SEES, 0.362, 0.265, dog, 0xC9A063, 0x6B4428, 0x2A2624, 0xE8DCC4)      \
    X("goblet", 0.09, 0.09, 0.17, NO_FRONT, 0, 0, goblet, 0xD4A934, 0xC0C4C8)                                \
    X("horse", 2.40, 0.58, 1.75, FRONT | SEES, 1.01, 0.626, horse, 0x8A4F28, 0x3A2A22, 0xB8B0A4, 0xC08A4A)   \
    X("keyboard", 0.15, 0.44, 0.03, FRONT, 0, 0, keyboard, 0x2A2A2C, 0xD4D4D0)                               \
    X("lamp", 0.32, 0.32, 0.56, NO_FRONT, 0, 0, lamp, 0xF2E6C4, 0xC84F3A, 0x4F8FA8)                          \
    X("laptop", 0.34, 0.34, 0.24, FRONT, 0, 0, laptop, 0xB4B8BC, 0x2A2C30)                                   \
    X("man", 0.44, 0.54, 1.80, FRONT | SEES | POINTS, 0.0067, 0.756, man, 0x3A6FA0, 0x8A3A34, 0x4F6F4A,      \
      0xD8D4C8)                                                                                              \
    X("minifigure", 0.026, 0.036, 0.048, FRONT | SEES, 0.0074, 0.016, minifigure, 0xC8302A)                  \
    X("mug", 0.083, 0.118, 0.095, NO_FRONT, 0, 0, mug, 0xC8402F, 0x2F6FB0, 0xF0EEE6, 0x3F8F5A)               \
    X("pen", 0.15, 0.014, 0.012, NO_FRONT, 0, 0, pen, 0x1F3FA8, 0xB82222, 0x222222)                          \
    X("phone", 0.150, 0.073, 0.010, NO_FRONT, 0, 0, phone, 0x1C1C20)                                         \
    X("plant", 0.50, 0.50, 0.72, NO_FRONT, 0, 0, plant, 0x3F8A35, 0x5FA048)                                  \
    X("plate", 0.26, 0.26, 0.025, NO_FRONT, 0, 0, plate, 0xF2F0EA, 0x9FC4D8)                                 \
    X("red ball", 0.24, 0.24, 0.24, NO_FRONT, 0, 0, ball, 0xC81E1E)                                          \
    X("rubber duck", 0.105, 0.085, 0.095, FRONT, 0, 0, rubber_duck, 0xF7C51E, 0xF28C28)                      \
    X("sofa", 0.92, 2.00, 0.86, FRONT, 0, 0, sofa, 0x7A8F9F, 0x9F4A3A, 0x4A6B52, 0xC9B08A)                   \
    X("table", 0.90, 1.40, 0.74, NO_FRONT, 0, 0, table, 0xA9743F, 0x6B4226, 0xE4DCCB)                        \
    X("teddy bear", 0.28, 0.32, 0.38, FRONT, 0, 0, teddy_bear, 0xA8743C, 0xD8B484, 0x6B4630)                 \
    X("truck", 7.0, 2.5, 3.1, FRONT, 0, 0, truck, 0x2F6FB0, 0xC8342B, 0xE0E0DC)                              \
    X("vase", 0.15, 0.15, 0.30, NO_FRONT, 0, 0, vase, 0x2F6F9F, 0xB85A3A, 0xE4E0D6)                          \
    X("wardrobe", 0.60, 1.20, 2.00, FRONT, 0, 0, wardrobe, 0xA87848, 0xE4E0D6, 0x5A3A24)                     \
    X("woman", 0.40, 0.46, 1.68, FRONT | SEES | POINTS, 0.0133, 0.704, woman, 0xE8E4DC, 0xB83A5A, 0x3F7F8F,  \
      0xD8A840)

#define ENTRY(name, x, y, z, traits, eye_x, eye_z, function, ...)                                            \
    {name,                                                                                                   \
     {x, y, z},                                                                                              \
     {eye_x, 0, eye_z},                                                                                      \
     {__VA_ARGS__},                                                                                          \
     ((traits)&FRONT) != 0,                                                                                  \
     ((traits)&SEES) != 0,                                                                                   \
     ((traits)&POINTS) != 0},
#define FUNCTION(name, x, y, z, traits, eye_x, eye_z, function, ...) #function,

static const pov_catalogue_entry ENTRIES[] = {CLASSES(ENTRY)};
static const char *const FUNCTIONS[] = {CLASSES(FUNCTION)};
enum { ENTRY_LEN = sizeof ENTRIES / sizeof *ENTRIES };

const pov_catalogue_entry *pov_catalogue_entries(int *len)
{
    *len = ENTRY_LEN;
    return ENTRIES;
}

const pov_catalogue_entry *pov_catalogue_find(const char *class_name)
{
    for (int i = 0; i < ENTRY_LEN; i++) {
        if (strcmp(ENTRIES[i].class_name, class_name) == 0)
            return &ENTRIES[i];
    }
    return NULL;
}

pov_status pov_catalogue_unknown(const char *class_name)
{
    const char *names[ENTRY_LEN];
    for (int i = 0; i < ENTRY_LEN; i++)
        names[i] = ENTRIES[i].class_name;
    const char *nearest = pov_nearest_name(class_name, names, ENTRY_LEN);
    if (nearest)
        return pov_error("no class '%.60s' in the catalogue; did you mean '%s'?", class_name, nearest);
    return pov_error("no class '%.60s' in the catalogue; 'pov sim --classes' lists them", class_name);
}

static uint32_t colour_for(const pov_catalogue_entry *entry, const pov_look *look, pov_body *body)
{
    int len = 0;
    while (len < POV_CATALOGUE_COLOURS && entry->colours[len])
        len++;
    const uint32_t own = pov_body_pick(body, entry->colours, len);
    return look->has_colour ? look->colour : own;
}

static pov_status build_text(pov_model **model, const pov_catalogue_entry *entry, const pov_look *look,
                             pov_body body)
{
    *model = pov_model_new();
    body.model = *model;
    body.variant = body.random = look->variant;
    body.colour = colour_for(entry, look, &body);
    const pov_status status = pov_body_text_build(&body, POV_BODY_FILES, FUNCTIONS[entry - ENTRIES]);
    if (status.code != POV_OK)
        pov_model_destroy(model);
    return status;
}

static pov_vec3 before_stretch(pov_vec3 at_m, const pov_stretch *stretch)
{
    return (pov_vec3){at_m.x / stretch->factor.x + stretch->centre_m.x,
                      at_m.y / stretch->factor.y + stretch->centre_m.y,
                      at_m.z / stretch->factor.z + stretch->centre_m.z};
}

/* As the body without the arm is stretched. */
static pov_status build_pointing(pov_model **model, const pov_catalogue_entry *entry, const pov_look *look,
                                 pov_vec3 size_m)
{
    POV_TRY(build_text(model, entry, look, (pov_body){.model = NULL}));
    const pov_stretch stretch = pov_model_stretch_to(*model, size_m);
    const pov_vec3 eye_m = pov_catalogue_eye_m(entry, size_m);
    pov_model_destroy(model);
    POV_TRY(build_text(model, entry, look,
                       (pov_body){.points = true,
                                  .eye = before_stretch(eye_m, &stretch),
                                  .target = before_stretch(look->target_m, &stretch)}));
    pov_model_stretch(*model, &stretch);
    return pov_ok();
}

pov_vec3 pov_catalogue_eye_m(const pov_catalogue_entry *entry, pov_vec3 size_m)
{
    return (pov_vec3){entry->eye_m.x * size_m.x / entry->size_m.x,
                      entry->eye_m.y * size_m.y / entry->size_m.y,
                      entry->eye_m.z * size_m.z / entry->size_m.z};
}

pov_status pov_catalogue_build(pov_model **model, const char *class_name, const pov_look *look)
{
    static const pov_look plain;
    *model = NULL;
    const pov_catalogue_entry *entry = pov_catalogue_find(class_name);
    if (!entry)
        return pov_catalogue_unknown(class_name);
    if (!look)
        look = &plain;
    const bool own_size = look->size_m.x == 0 && look->size_m.y == 0 && look->size_m.z == 0;
    const pov_vec3 size_m = own_size ? entry->size_m : look->size_m;
    if (look->points && entry->can_point)
        return build_pointing(model, entry, look, size_m);
    POV_TRY(build_text(model, entry, look, (pov_body){.model = NULL}));
    pov_model_fit(*model, size_m);
    return pov_ok();
}
