/** Following twelve tags in a 1280 x 720 video from a moving camera, against libapriltag searching each image at full
 *  resolution, each on one thread. */
#include "perception/grey.h"
#include "perception/tags/tag_follower.h"
#include "tests/bench/bench.h"
#include "tests/support/tag_video.h"

#include <apriltag/apriltag.h>
#include <apriltag/tag36h11.h>

enum { IMAGES = 24, TAGS = 12 };

typedef struct {
    tag_video video;
    pov_tag_follower *follower;
    pov_tags tags;
    apriltag_family_t *family;
    apriltag_detector_t *detector;
    uint8_t *grey[IMAGES];
    int time, peer_time;
} tags_work;

static void *prepare(void)
{
    tags_work *work = calloc(1, sizeof *work);
    const pov_tag_detector_config detector = POV_TAG_DETECTOR_DEFAULT;
    const pov_tag_follower_config follower = POV_TAG_FOLLOWER_DEFAULT;
    POV_REQUIRE(work);
    work->video = tag_video_new(IMAGES, 1, 0.04, IMAGES);
    POV_REQUIRE(pov_tag_follower_new(&work->follower, &detector, &follower).code == POV_OK);
    work->family = tag36h11_create();
    work->detector = apriltag_detector_create();
    apriltag_detector_add_family(work->detector, work->family);
    work->detector->quad_decimate = 1;
    work->detector->nthreads = 1;
    for (int i = 0; i < IMAGES; i++) {
        const pov_image image = tag_video_image(&work->video, i, 0);
        work->grey[i] = malloc((size_t)image.width_px * (size_t)image.height_px);
        pov_grey_from_rgb(work->grey[i], &image, 0, 0, image.width_px, image.height_px);
    }
    return work;
}

static void run(void *argument)
{
    tags_work *work = argument;
    const pov_image image = tag_video_image(&work->video, work->time % IMAGES, work->time);
    POV_REQUIRE(pov_tag_follower_run(work->follower, &work->tags, &image).code == POV_OK);
    POV_REQUIRE(work->tags.len == TAGS);
    work->time++;
}

static void run_peer(void *argument)
{
    tags_work *work = argument;
    image_u8_t image = {.width = work->video.width_px,
                        .height = work->video.height_px,
                        .stride = work->video.width_px,
                        .buf = work->grey[work->peer_time++ % IMAGES]};
    zarray_t *found = apriltag_detector_detect(work->detector, &image);
    POV_REQUIRE(zarray_size(found) == TAGS);
    apriltag_detections_destroy(found);
}

static void finish(void *argument)
{
    tags_work *work = argument;
    pov_tag_follower_destroy(&work->follower);
    apriltag_detector_destroy(work->detector);
    tag36h11_destroy(work->family);
    for (int i = 0; i < IMAGES; i++)
        free(work->grey[i]);
    tag_video_free(&work->video);
    free(work);
}

const pov_bench BENCH_TAGS = {
    .name = "tags",
    .what = "twelve tags followed in a 1280 x 720 video, one thread",
    .unit = "image",
    .units_per_run = 1,
    .prepare = prepare,
    .run = run,
    .peer_name = "libapriltag at full resolution, one thread",
    .run_peer = run_peer,
    .finish = finish,
};
