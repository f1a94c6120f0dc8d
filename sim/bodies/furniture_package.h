/** Bodies from Debian's package sweethome3d-furniture, where it is installed: modelled by artists, under licences that ask
 *  for their names. Read from the package's archives as they are; nothing is unpacked. */
#pragma once

#include "sim/bodies/obj_file.h"

#define POV_FURNITURE_FOLDER "/usr/share/sweethome3d/furniture"

typedef struct {
    const char *class_name; /* of the catalogue */
    pov_vec3 size_m;
    pov_vec3 eye_m;          /* of what can see: as pov_catalogue_entry's */
    const char *attribution; /* title, who made it, licence: to be shown with pictures of it */
} pov_furniture;

/** The package's body for a class, whether or not it is installed here; NULL if it has none. */
const pov_furniture *pov_furniture_find(const char *class_name);

typedef struct {
    const char *folder;          /* the package's, or a copy of it */
    pov_vec3 size_m;             /* zeros: the body's own */
    pov_picture_decoder *decode; /* NULL: without pictures */
    void *decode_context;
} pov_furniture_options;
#define POV_FURNITURE_OPTIONS_DEFAULT ((pov_furniture_options){.folder = POV_FURNITURE_FOLDER})

/** True if the package is installed and has a body for the class. */
bool pov_furniture_is_here(const char *class_name, const char *folder);

/** Builds the package's body for a class of the catalogue: its bounds size_m about the origin, its front along +x.
 *  Returns: POV_UNDEFINED if the package has none or is not installed; POV_ERROR naming what is damaged in it. */
POV_MUST_USE pov_status pov_furniture_build(pov_model **model, const char *class_name,
                                            const pov_furniture_options *options);
