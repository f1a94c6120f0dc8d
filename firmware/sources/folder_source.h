/** Images from a folder of PNG and JPEG files, from one such file, from a recording or a film, as an image source. */
#pragma once

#include "firmware/sources/shared_start.h"
#include "perception/image/image_source.h"

typedef struct {
    const char *
        path; /* a folder, whose .png, .jpg and .jpeg files are taken in natural order; one image; a recording (recording_source.h); a film (gstreamer_source.h) */
    double rate_hz; /* 0: as fast as they are asked for */
    bool loop;      /* begin again after the last, for ever */
    pov_shared_start
        *start;    /* with a rate: of several cameras, which begin together; NULL: it begins by itself */
    bool is_known; /* it was open before: what is left out of it has been told */
    bool
        live; /* with a rate: as from a camera, an image that was not taken before the next was due is lost */
    const char
        *camera; /* of a recording of several cameras: the id of the one whose images are wanted; NULL: all */
} pov_folder_source_config;

#define POV_FOLDER_SOURCE_CONFIG_DEFAULT                                                                     \
    {                                                                                                        \
        .path = ".", .rate_hz = 0, .loop = false                                                             \
    }

/** Lists the folder once, and warns of images in formats that are not read; files are opened when their turn comes. Natural order: img2 before img10, img02
 * before img2.
 *
 *  Capture time: with a rate, image i of the run has first + i / rate, where `first` is when the first one
 * was asked for, and is not delivered earlier than that; without a rate, the time at which the file is read.
 * The time of the file itself is not used, as copying changes it. Sequence i counts files, so one that cannot
 * be used leaves a gap: it is POV_SKIPPED with a message that names it, and noted as damage (cli.h). Errors: nothing at `path`, no images
 * in it, a rate below 0; in a loop, later, a round without a usable image. */
POV_MUST_USE pov_status pov_folder_source_new(pov_image_source **source,
                                              const pov_folder_source_config *config);

/** Shows `visit` each image at a path, as fast as it takes them, until it returns another than POV_OK or the user stops pov.
 *  An image that cannot be read is warned of and left out. */
POV_MUST_USE pov_status pov_folder_source_visit(const char *path,
                                                pov_status (*visit)(void *context, const pov_image *image),
                                                void *context);
