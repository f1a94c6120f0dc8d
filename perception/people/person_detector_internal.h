/** Parts of the person detector that its work in video shares. Private to person_*.c. */
#pragma once

#include "perception/people/opencv_people_shim.h"
#include "perception/people/person_detector.h"

enum { WINDOW_MAX = 64 };
static const int border_px =
    120; /* HOG wants a sixth of a person as ground around, also at the image's edge */
/* HOG's windows are 64 x 128 about people of 96: Dalal & Triggs 2005, section 5. */
static const double crown_share = 0.125, soles_share = 0.875, shoulders_share = 0.2;
static const double face_share = 1 / 9.0; /* of a body's height */
/* Faces of a twentieth of the image's height, and heads scaled as follows, have as many; smaller ones are not looked for,
 * which saves a quarter of the time. */
static const int face_searched_min_px = 24;

/* Cascades: a face from the front, and in profile looking to the image's left and right. */
enum { FRONTAL, LEFT, RIGHT, CASCADES, ALL_CASCADES = (1 << CASCADES) - 1 };

/* Part of the image as it is searched, and the same mirrored. */
typedef struct {
    double left_px, top_px; /* of its first pixel's outer corner, in the image */
    double scale;           /* searched pixels an image pixel */
    pov_grey part, mirrored;
    int least_px, most_px; /* of faces; 0: any that can be told */
} view;

struct pov_person_detector {
    pov_person_detector_config config;
    int width_px, height_px;
    bool finds_faces;
    pov_people_search *search;
    pov_grey framed; /* all of the image with a border, for HOG */
    view whole;      /* the same without it, for faces; their pixels are these: */
    size_t capacity; /* pixels that a part may have */
    uint8_t *grey, *part_pixels, *mirrored_pixels;
    /* In video: */
    uint8_t *piece_pixels;
    size_t piece_capacity;
    pov_people found; /* in this image */
};

/** From edges in what is searched to those in the image, whose first pixel's centre is (0, 0). */
pov_pixel_box person_box(const view *v, const pov_people_window *w);
/** Whether one of the people has that body, or most of it. */
bool person_is_known(const pov_people *people, pov_pixel_box body);
bool person_is_masked(const pov_person_detector *d, pov_pixel_box box);
/** NULL: it is known, masked, or one too many. */
pov_person *person_add_body(const pov_person_detector *d, pov_people *people, pov_pixel_box body,
                            double score);
/** HOG's window is wider than the person: its middle half is shoulder to shoulder. */
pov_pixel_box person_body_of_window(pov_pixel_box window);
int person_window_better_first(const void *a, const void *b);
/** Faces, by a set of cascades. one: whose head is searched; NULL: everybody's. */
pov_status person_find_faces(pov_person_detector *d, pov_people *people, pov_person *one, const view *v,
                             unsigned cascades);
int person_least_face_px(const view *v);

/** Of whom a face may be that was found in the whole image: of the body in whose uppermost third it is. NULL: of nobody who is known. */
pov_person *person_with_head_at(pov_people *people, pov_pixel_box face);
/** The same, else a new person. NULL: one too many. */
pov_person *person_owning_face(pov_people *people, pov_pixel_box face);

/* ---- person_faces.c ---- */

/** Gives people the faces that a network found, with the pose of their heads, and says of whom it would have found one. */
void person_take_faces(const pov_person_detector *d, pov_people *people, const pov_body_boxes *boxes);

/* ---- person_video.c ---- */

/** Looks for some of those who were found lately; the others are taken to be where they were. */
pov_status person_follow(pov_person_detector *d, pov_people *people, pov_memory *memory);
