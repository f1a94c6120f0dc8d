/** Finds people by their bodies and faces. Bodies come from a network, or else from OpenCV's HOG (trained on people who
 *  stand or walk), a coarse and slow detector that misses people and sees some where there are none; faces from a network, which
 *  tells how the head is turned, or else from OpenCV's Haar cascades. */
#pragma once

#include "perception/balls/ball_kind.h"
#include "perception/image/image.h"
#include "perception/models/detection.h"
#include "perception/people/arm_pointing.h"
#include "perception/people/head_pose.h"
#include "perception/tracking/memory.h"

enum { POV_PERSON_MAX = 16, POV_CASCADE_FOLDER_CAPACITY = 512 };

/** The class of people in networks, by default. */
#define POV_PERSON_CLASS "person"

typedef struct {
    char cascade_folder[POV_CASCADE_FOLDER_CAPACITY]; /* "": where OpenCV's package puts it */
    bool without_faces;                               /* bodies only: no cascades are needed */
    bool faces_by_network;                            /* nor here: pov_body_boxes has faces */
    char network_class[POV_NAME_CAPACITY]; /* what the network calls people; "": HOG finds bodies */
    int mask_len;
    pov_rectangle masks[POV_MASK_MAX];
} pov_person_detector_config;

/** One person: a body, a face, or both. */
typedef struct {
    bool has_body, has_face;
    bool is_cut;        /* the body's box ends where the body is hidden or leaves the image */
    pov_pixel_box body; /* from the crown to the soles, or of what shows between them */
    pov_pixel_box face; /* a square about eyes, nose and mouth */
    bool frontal, looks_left, looks_right; /* which cascades found the face; left and right are the image's */
    bool face_by_network, has_head;        /* has_head: `head` is told by the face's points */
    double face_score;                     /* the network's, in [0, 1] */
    pov_head_pose head;
    bool
        face_resolved; /* a face, also in profile, would have been found: the head is wholly in view, and large enough */
    bool has_joints; /* `joints`, by a network of body points */
    pov_keypoint joints[POV_JOINTS];
    double score; /* of the body: HOG's, 0 and up, or the network's, in [0, 1]; of a face alone, 1 */
} pov_person;

/** Best first. */
typedef struct {
    int len;
    bool truncated;
    pov_person persons[POV_PERSON_MAX];
} pov_people;

/** Finds the folder of the face cascades: `named`, or, if that is "", the folder of OpenCV's package. POV_ERROR names what is missing. */
POV_MUST_USE pov_status pov_person_find_cascades(const char **folder, const char *named);

typedef struct pov_person_detector pov_person_detector;

/** Loads what it needs for images of this size. POV_ERROR names the cascades that are missing, and the package. */
POV_MUST_USE pov_status pov_person_detector_new(pov_person_detector **detector,
                                                const pov_person_detector_config *config, int width_px,
                                                int height_px);
void pov_person_detector_destroy(pov_person_detector **detector);

/** Networks' detections in an image: of bodies, with their class of people, and of faces. */
typedef struct {
    const pov_detections *found; /* NULL: no network finds bodies */
    int person_class;
    const pov_detections *faces; /* NULL: cascades find them */
    int face_class;
    double face_least_px; /* smaller ones the network does not find */
} pov_body_boxes;

/** Finds people, best first.
 *  In: image of the size given to _new (else POV_SKIPPED).
 *      bodies: each gets the face in it; a face that is in none is a person too. Without a network of faces each is searched for one by
 *      cascades. NULL: HOG finds those at least a fifth of the image's height tall, and the whole
 *      image is searched for faces of a twentieth of it.
 *      memory: of pov_people_memory's shape, for HOG: people are looked for where they were found; the first image is searched
 *      whole. NULL: the image stands alone. */
POV_MUST_USE pov_status pov_person_detector_run(pov_person_detector *detector, pov_people *people,
                                                const pov_image *image, const pov_body_boxes *bodies,
                                                pov_memory *memory);
/** Then, with a memory, when nobody waits for the image any more: searches a part of it for others, whom the next image reports, and
 *  notes all for the next. Another part each time: all of it in about 42 images.
 *  In: is_late: images wait. Of four such images in a row one is searched. */
POV_MUST_USE pov_status pov_person_detector_remember(pov_person_detector *detector, pov_memory *memory,
                                                     bool is_late);
extern const pov_memory_shape pov_people_memory;
