#include "tests/support/tag_work.h"

#include "tests/support/tag_image.h"

#include <apriltag/apriltag.h>
#include <apriltag/tag36h11.h>
#include <stdlib.h>

enum { WIDTH_PX = 1280, HEIGHT_PX = 720, TAG_LEN = 12 };

struct tag_work {
    test_tag_scene scene;
    apriltag_family_t *family;
    apriltag_detector_t *detector;
    uint8_t rgb[WIDTH_PX * HEIGHT_PX * 3], grey[WIDTH_PX * HEIGHT_PX];
};

tag_work *tag_work_new(void)
{
    const test_tag_look look = TEST_TAG_LOOK_DEFAULT;
    tag_work *work = malloc(sizeof *work);
    POV_REQUIRE(work != NULL);
    test_tag_scene_twelve(&work->scene);
    test_tag_image_draw(work->rgb, &work->scene, &look);
    for (int i = 0; i < WIDTH_PX * HEIGHT_PX; i++)
        work->grey[i] = work->rgb[3 * i];
    work->family = tag36h11_create();
    work->detector = apriltag_detector_create();
    apriltag_detector_add_family(work->detector, work->family);
    work->detector->quad_decimate = 1;
    work->detector->nthreads = 1;
    return work;
}

void tag_work_destroy(tag_work **work)
{
    if (!*work)
        return;
    apriltag_detector_destroy((*work)->detector);
    tag36h11_destroy((*work)->family);
    free(*work);
    *work = NULL;
}

void tag_work_detect(tag_work *work)
{
    image_u8_t image = {.width = WIDTH_PX, .height = HEIGHT_PX, .stride = WIDTH_PX, .buf = work->grey};
    zarray_t *found = apriltag_detector_detect(work->detector, &image);
    POV_REQUIRE(zarray_size(found) == TAG_LEN);
    apriltag_detections_destroy(found);
}

const uint8_t *tag_work_rgb(const tag_work *work)
{
    return work->rgb;
}
