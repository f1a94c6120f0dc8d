/** OpenCV's people and face detectors behind a C interface: it adapts, decides nothing, and lets no exception through. */
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

#include "perception/image/grey.h"
#include "perception/status.h"

/** A window that was found, in pixels from the image's top-left corner. */
typedef struct {
    int x_px, y_px, width_px, height_px;
    double score; /* of bodies: distance to the margin; of faces: 1 */
} pov_people_window;

/** An image, or a part of one, and which windows count. */
typedef struct {
    const pov_grey *image;
    int levels;     /* of bodies: sizes, each 1.08 times the one before; 0: all */
    int neighbours; /* windows side by side that are one; with fewer there is none; 0: each window for itself */
    int least_px, most_px; /* of faces: height; most_px 0: any */
    double step;           /* of faces: between two sizes */
} pov_people_look;

/** Neighbours wanted of a body in a whole image, and of a face. */
enum { POV_BODY_NEIGHBOURS = 2, POV_FACE_NEIGHBOURS = 4 };
#define POV_FACE_STEP 1.08

typedef struct pov_people_search pov_people_search;

/** Loads the cascades of frontal and profile faces from `folder`; NULL: bodies only. */
POV_MUST_USE pov_status pov_people_search_new(pov_people_search **search, const char *folder);
void pov_people_search_destroy(pov_people_search **search);

/** Whole people: windows twice as high as wide (Dalal & Triggs 2005). Out: the first `capacity` and how many they are. */
POV_MUST_USE pov_status pov_people_find_bodies(pov_people_search *search, pov_people_window *windows,
                                               int *len, const pov_people_look *look, int capacity);

/** Faces seen from the front, or in profile looking to the image's left (Viola & Jones 2001). Out: as above. Needs: folder
 *  given. */
POV_MUST_USE pov_status pov_people_find_faces(pov_people_search *search, pov_people_window *windows, int *len,
                                              const pov_people_look *look, int capacity);
POV_MUST_USE pov_status pov_people_find_profiles(pov_people_search *search, pov_people_window *windows,
                                                 int *len, const pov_people_look *look, int capacity);

#ifdef __cplusplus
}
#endif
