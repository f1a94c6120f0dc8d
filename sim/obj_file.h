/** Wavefront OBJ bodies with their MTL materials, as 3D programs write them: polygons, normals, texture coordinates.
 *
 *  Curves, lines and groups are passed over. Corners without a normal get one: smooth where faces meet at under 50
 *  degrees. Materials give a colour or a picture, and gloss; transparency is not drawn. */
#ifndef POV_SIM_OBJ_FILE_H
#define POV_SIM_OBJ_FILE_H

#include "sim/model.h"

#include <stddef.h>

/** Where files come from. Paths are as the OBJ file gives them, after its own folder. */
typedef struct {
    /** The bytes, with a NUL after them, for the reader to free. */
    pov_status (*load)(void *context, char **bytes, size_t *len, const char *path);
    /** A picture's pixels, valid until the next call. NULL: pictures are left out, and their materials are grey. */
    pov_status (*decode)(void *context, pov_texture *texture, const char *path, const char *bytes,
                         size_t len);
    void *context;
} pov_obj_source;

enum { POV_OBJ_LEN_MAX = 4000000, POV_OBJ_MATERIALS_MAX = 512 };

/** Appends the body, in the file's own axes and unit.
 *  Returns: POV_ERROR naming file, line and what is wrong; model may then hold a part of it. */
POV_MUST_USE pov_status pov_obj_read(pov_model *model, const pov_obj_source *source, const char *path);

#endif
