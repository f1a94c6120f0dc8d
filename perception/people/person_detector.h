/** Finds people by their bodies (OpenCV's HOG, trained on people who stand or walk) and faces (its Haar cascades). A coarse
 *  detector that needs no training and no network: it misses people, and sees some where there are none. */
#ifndef POV_PERCEPTION_PEOPLE_PERSON_DETECTOR_H
#define POV_PERCEPTION_PEOPLE_PERSON_DETECTOR_H

#include "perception/balls/ball_detector.h"
#include "perception/image.h"
#include "perception/models/detection.h"

enum { POV_PERSON_MAX = 16, POV_CASCADE_FOLDER_CAPACITY = 512 };

typedef struct {
    char cascade_folder[POV_CASCADE_FOLDER_CAPACITY]; /* "": where OpenCV's package puts it */
    bool without_faces;                               /* bodies only: no cascades are needed */
    int mask_len;
    pov_mask masks[POV_MASK_MAX];
} pov_person_detector_config;

/** One person: a body, a face, or both. */
typedef struct {
    bool has_body, has_face;
    pov_pixel_box body;                    /* from the crown to the soles */
    pov_pixel_box face;                    /* a square about eyes, nose and mouth */
    bool frontal, looks_left, looks_right; /* which cascades found the face; left and right are the image's */
    bool face_resolved; /* a face turned to the camera would have been large enough to be found */
    double score;       /* of the body, 0 and up; of a face alone, 1 */
} pov_person;

/** Best first. */
typedef struct {
    int len;
    bool truncated;
    pov_person persons[POV_PERSON_MAX];
} pov_people;

typedef struct pov_person_detector pov_person_detector;

/** Loads what it needs for images of this size. POV_ERROR names the cascades that are missing, and the package. */
POV_MUST_USE pov_status pov_person_detector_new(pov_person_detector **detector,
                                                const pov_person_detector_config *config, int width_px,
                                                int height_px);
void pov_person_detector_destroy(pov_person_detector **detector);

/** Finds people at least a fifth of the image's height tall, and faces a twentieth of it.
 *  In: image of the size given to _new (else POV_SKIPPED). */
POV_MUST_USE pov_status pov_person_detector_run(pov_person_detector *detector, pov_people *people,
                                                const pov_image *image);

#endif
