/** Pictures that a log's questions are about beside the images that were taken: mirrored images, second images. They lie in images/; the
 *  columns of a question name them with their SHA-256. And the angles of a mirrored image. */
#pragma once

#include "compare/log/answer_log.h"

struct cJSON;

/** The place of a picture in a request. */
typedef enum {
    POV_PICTURE_FIRST, /* in place of the image that was taken */
    POV_PICTURE_SECOND,
    POV_PICTURE_PLACES
} pov_picture_place;

typedef struct {
    char path[128]; /* relative to the log's folder; "": none */
    char sha256[POV_DIGEST_CAPACITY];
} pov_log_picture;

/** Writes "picture_path" and "picture_sha256", or "second_path" and "second_sha256", into a question's columns. */
void pov_log_picture_note(struct cJSON *columns, const pov_log_picture *picture, pov_picture_place place);
/** False: the columns (NULL: there are none) name no such picture. */
bool pov_log_picture_read(pov_log_picture *picture, const char *columns, pov_picture_place place);

/** Takes one picture. */
typedef pov_status pov_log_take_picture(void *context, const pov_log_picture *picture);
/** Visits the pictures of the images after the one numbered `after`, each once. */
POV_MUST_USE pov_status pov_log_each_picture(pov_answer_log *log, int64_t after, pov_log_take_picture *take,
                                             void *context);

/** Whether a question is about the mirrored image, by its key (NULL: it is not). */
bool pov_log_is_flipped(const char *key);
/** An angle about the direction to the camera, as a question sees it: in a mirrored image it is the negative. In [0, 360); NaN stays. */
double pov_log_seen_deg(double angle_deg, const char *key);
