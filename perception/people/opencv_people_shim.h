/** OpenCV's people and face detectors behind a C interface: it adapts, decides nothing, and lets no exception through. */
#ifndef POV_PERCEPTION_PEOPLE_OPENCV_PEOPLE_SHIM_H
#define POV_PERCEPTION_PEOPLE_OPENCV_PEOPLE_SHIM_H

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

typedef struct pov_people_search pov_people_search;

/** Loads the cascades of frontal and profile faces from `folder`; NULL: bodies only. Faces are looked for from `face_min_px`
 *  high on. */
POV_MUST_USE pov_status pov_people_search_new(pov_people_search **search, const char *folder,
                                              int face_min_px);
void pov_people_search_destroy(pov_people_search **search);

/** Whole people: windows twice as high as wide (Dalal & Triggs 2005). Out: the first `capacity` and how many they are. */
POV_MUST_USE pov_status pov_people_find_bodies(pov_people_search *search, pov_people_window *windows,
                                               int *len, const pov_grey *image, int capacity);

/** Faces seen from the front, or in profile looking to the image's left (Viola & Jones 2001). Out: as above. Needs: folder
 *  given. */
POV_MUST_USE pov_status pov_people_find_faces(pov_people_search *search, pov_people_window *windows, int *len,
                                              const pov_grey *image, int capacity);
POV_MUST_USE pov_status pov_people_find_profiles(pov_people_search *search, pov_people_window *windows,
                                                 int *len, const pov_grey *image, int capacity);

#ifdef __cplusplus
}
#endif

#endif
