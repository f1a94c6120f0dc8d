/** Collects what a station's still cameras have seen of tags over many images. It keeps the mean of a tag that stays, and each instant
 *  at which two cameras see a tag that is carried. */
#pragma once

#include "calib/tags/tag_survey.h"

enum {
    POV_CARRIED_MAX = 32, /* ranges of numbers */
    POV_CARRIED_INSTANT_MAX =
        64,                      /* places of carried things in one adjustment; of more, evenly spread ones */
    POV_CARRIED_SEEN_MAX = 192,  /* of one camera */
    POV_CAMERA_IMAGE_MAX = 8000, /* of all cameras */
    POV_CAMERA_SEEN_MAX = 40000, /* tags in these */
    POV_CAMERA_VIEWS_NOTE_MAX = 16, /* what the user ought to know */
    POV_CAMERA_VIEWS_TEXT = 240
};

/** Tags `first_id` to `last_id`, each carried by itself. */
typedef struct {
    int first_id, last_id;
} pov_carried;

typedef struct {
    int camera_len;
    const char *names[POV_SURVEY_CAMERA_MAX]; /* borrowed */
    const pov_survey_config
        *survey; /* borrowed: the tags' sizes, and the board, whose tags are carried together */
    int carried_len;
    pov_carried carried[POV_CARRIED_MAX];
} pov_camera_views_config;

/** One image. */
typedef struct {
    char name[POV_IMAGE_NAME_CAPACITY];
    int camera, instant; /* images of one instant are of different cameras; from 1 */
    int64_t at_ns;
    int first_seen, seen_len;
    int judged_len; /* tags that have a place, by pov_camera_views_judge */
    double rms_px;  /* of their corners; NaN: none */
} pov_camera_image;

typedef struct pov_camera_views pov_camera_views;

pov_camera_views *pov_camera_views_new(const pov_camera_views_config *config);
void pov_camera_views_destroy(pov_camera_views **views);

/** Adds the tags of an image; images come in the order of their exposures. Those within 20 ms are of one instant.
 *  POV_ERROR: there are too many. */
POV_MUST_USE pov_status pov_camera_views_add(pov_camera_views *views, const pov_image *image,
                                             const pov_tags *tags);

/** Gives the survey each camera's view.
 *  Returns: POV_OK; POV_UNDEFINED, naming camera and image, if a camera moved: none of its tags stayed; POV_ERROR of the survey.
 *  Method:  a tag that stays: the mean of its corners within a pixel of their median. One that does not, in over a fifth of the
 *           images, is left out, and so is one of no known size, with a note. Carried: an instant counts if two cameras share it, and if what is carried moved by less
 *           than 0.3 px between their exposures, by its speed since the image before. */
POV_MUST_USE pov_status pov_camera_views_survey(pov_camera_views *views, pov_tag_survey *survey);

/** Finds each image's residuals by the adjustment. */
void pov_camera_views_judge(pov_camera_views *views, const pov_survey_report *report,
                            const pov_camera *cameras);

const pov_camera_image *pov_camera_views_images(const pov_camera_views *views, int *len);
/** Returns how many; each is a sentence without its full stop. */
int pov_camera_views_notes(const pov_camera_views *views,
                           char notes[POV_CAMERA_VIEWS_NOTE_MAX][POV_CAMERA_VIEWS_TEXT]);
