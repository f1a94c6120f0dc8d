/** Wavefront OBJ bodies with their MTL materials, as 3D programs write them: polygons, normals, texture coordinates.
 *
 *  Corners without a normal get one: smooth where faces meet at under 50
 *  degrees. Materials give a colour or a picture, and gloss; transparency is not drawn. */
#pragma once

#include "perception/image/image.h"
#include "sim/bodies/model.h"

#include <stddef.h>

/** Decodes PNG and JPEG, as firmware/picture/image_file.h does. Out: image, rows without gaps, valid until the next call. */
typedef pov_status pov_picture_decoder(void *context, pov_image *image, const char *path, const void *bytes,
                                       size_t len);

/** The source of files. Paths are as the OBJ file gives them, after its own folder. */
typedef struct {
    /** The bytes, with a NUL after them, for the reader to free. */
    pov_status (*load)(void *context, char **bytes, size_t *len, const char *path);
    void *load_context;
    pov_picture_decoder *decode; /* NULL: pictures are left out, and their materials are grey */
    void *decode_context;
} pov_obj_source;

enum { POV_OBJ_LEN_MAX = 4000000, POV_OBJ_MATERIALS_MAX = 512 };

/** Appends the body, in the file's own axes and unit.
 *  Returns: POV_ERROR naming file, line and what is wrong; model may then hold a part of it. */
POV_MUST_USE pov_status pov_obj_read(pov_model *model, const pov_obj_source *source, const char *path);
