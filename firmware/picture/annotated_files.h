/** File names of annotated images: one for each image, the same when it comes again. */
#pragma once

#include "perception/image/image.h"
#include "perception/status.h"

enum { POV_ANNOTATED_FILE_CAPACITY = POV_IMAGE_NAME_CAPACITY + 16 };

typedef struct pov_annotated_files pov_annotated_files;

pov_annotated_files *pov_annotated_files_new(void);
void pov_annotated_files_destroy(pov_annotated_files **files);

/** The file of the image called `name`; `key` tells images apart: the name, or also whose it is.
 *  "shot.jpg" becomes "shot.png", a camera's "id/12" becomes "id_12.png"; where an image before has that name,
 *  "shot.jpg.png", and then "shot.jpg-2.png". */
void pov_annotated_files_name(pov_annotated_files *files, char file[POV_ANNOTATED_FILE_CAPACITY],
                              const char *key, const char *name);
