/** Pictures that questions are about beside the image that was taken: the mirrored image, and second images of the scene. They lie beside it in images/, and the log has
 *  their SHA-256 in the columns of the question. */
#pragma once

#include "compare/log/log_pictures.h"
#include "firmware/comparison/log_folder.h"
#include "firmware/station/question_choice.h"

/** One that has been stored. */
typedef struct {
    pov_log_picture file;
    uint64_t hash; /* pov_vlm_truth_hash of its bytes */
} pov_question_picture;

typedef struct {
    pov_question_picture mirrored;
    pov_question_picture
        second[POV_GUIDANCE_COUNT]
              [2]; /* of the scene; of the mirrored scene; without a file: nobody's view is known */
} pov_question_pictures;

typedef struct pov_picture_maker pov_picture_maker;

/** In: folder: borrowed; asking: tells what is wanted. */
POV_MUST_USE pov_status pov_picture_maker_new(pov_picture_maker **maker, const pov_log_folder *folder,
                                              const pov_question_choice *asking);
void pov_picture_maker_destroy(pov_picture_maker **maker);
/** Whether any picture is wanted. */
bool pov_picture_maker_is_needed(const pov_picture_maker *maker);

/** Draws and stores the pictures that are wanted, as images/NAME-flip.png, NAME-view.png, NAME-map.png, NAME-abstract.png, NAME-flip-view.png ... In: image: as it was taken; scene: as
 * judged; name: of its file, without .png. */
POV_MUST_USE pov_status pov_picture_maker_make(pov_picture_maker *maker, pov_question_pictures *pictures,
                                               const pov_image *image, const pov_scene *scene,
                                               const char *name);
/** The same from a stored file's bytes. In: path: relative to the folder. */
POV_MUST_USE pov_status pov_picture_maker_make_of(pov_picture_maker *maker, pov_question_pictures *pictures,
                                                  const pov_bytes *bytes, const pov_scene *scene,
                                                  const char *path);
/** Removes the pictures that lie beside an image. */
void pov_question_pictures_remove(const char *folder, const char *name);
