/** What the readers of OBJ and of MTL share. */
#ifndef POV_SIM_BODIES_OBJ_INTERNAL_H
#define POV_SIM_BODIES_OBJ_INTERNAL_H

#include "config/scene/obj_text.h"
#include "sim/bodies/obj_file.h"

enum { POV_OBJ_NAME_CAPACITY = 128 };

typedef struct {
    char name[POV_OBJ_NAME_CAPACITY];
    int index; /* in the model */
} pov_obj_material;

typedef struct {
    pov_model *model;
    const pov_obj_source *source;
    pov_obj_material materials[POV_OBJ_MATERIALS_MAX];
    int material_len;
} pov_obj_materials;

/** Adds the materials of a file to the model and to the list. */
POV_MUST_USE pov_status pov_mtl_read(pov_obj_materials *materials, const char *path);
/** The model's material of that name; a grey one if no file told of it or the name is empty. */
POV_MUST_USE pov_status pov_obj_material_named(pov_obj_materials *materials, int *index, const char *name);

#endif
