/** Detections of networks in a folder of generated pictures, as `pov score --paper visor` reads them. */
#ifndef POV_FIRMWARE_REPORT_PICTURE_DETECTIONS_H
#define POV_FIRMWARE_REPORT_PICTURE_DETECTIONS_H

#include "compare/layouts/caption.h"

#include <stdio.h>

typedef struct {
    const char *folder;           /* ID_gen_0.png to ID_gen_3.png of each caption, or .jpg */
    const char *detector, *depth; /* contracts (docs/MODELS.md) */
    FILE *progress;               /* NULL: none is shown */
} pov_picture_looking;

/** Looks at each caption's pictures and writes CSV: image, label, score, x1, y1, x2, y2, depth; a picture in which
 *  nothing is found has a row without label. Warns of things that the detector has no class for. POV_ERROR: there is
 *  no picture; a picture or a network is invalid. */
POV_MUST_USE pov_status pov_picture_detections_write(FILE *stream, const pov_captions *captions,
                                                     const pov_picture_looking *looking);

#endif
