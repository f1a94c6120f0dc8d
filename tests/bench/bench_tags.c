/** Following twelve tags in a 1280 x 720 video from a moving camera, against libapriltag searching each image at full
 *  resolution, each on one thread. */
#include "perception/image/grey.h"
#include "perception/tags/tag_follower.h"
#include "tests/bench/bench.h"
#include "tests/support/tag_video.h"

#include <apriltag/apriltag.h>
#include <apriltag/tag36h11.h>
#include <stdio.h>
#include <time.h>

enum { IMAGES = 24, TAGS = 12, TIMED = 20 * IMAGES };

typedef struct {
    tag_video video;
    pov_tag_follower *follower;
    pov_memory *memory;
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
    POV_REQUIRE(work);
    work->video = tag_video_new(IMAGES, 1, 0.04, IMAGES);
    POV_REQUIRE(pov_tag_follower_new(&work->follower, &detector).code == POV_OK);
    POV_REQUIRE(pov_memory_new(&work->memory, &pov_tag_memory).code == POV_OK);
    work->family = tag36h11_create();
    work->detector = apriltag_detector_create();
    apriltag_detector_add_family(work->detector, work->family);
    work->detector->quad_decimate = 1;
    work->detector->nthreads = 1;
    for (int i = 0; i < IMAGES; i++) {
        const pov_image image = tag_video_image(&work->video, i, 0);
        work->grey[i] = malloc((size_t)image.width_px * (size_t)image.height_px);
        pov_grey_from_rgb(work->grey[i], &image, (pov_rectangle){0, 0, image.width_px, image.height_px});
    }
    return work;
}

static void run(void *argument)
{
    tags_work *work = argument;
    const pov_image image = tag_video_image(&work->video, work->time % IMAGES, work->time);
    POV_REQUIRE(pov_tag_follower_run(work->follower, &work->tags, &image, work->memory).code == POV_OK);
    POV_REQUIRE(pov_tag_follower_remember(work->follower, &image, work->memory).code == POV_OK);
    POV_REQUIRE(work->tags.len == TAGS);
    work->time++;
}

static zarray_t *detect_by_peer(tags_work *work, int i)
{
    image_u8_t image = {.width = work->video.width_px,
                        .height = work->video.height_px,
                        .stride = work->video.width_px,
                        .buf = work->grey[i]};
    zarray_t *found = apriltag_detector_detect(work->detector, &image);
    POV_REQUIRE(zarray_size(found) == TAGS);
    return found;
}

static void run_peer(void *argument)
{
    tags_work *work = argument;
    apriltag_detections_destroy(detect_by_peer(work, work->peer_time++ % IMAGES));
}

/* ---- how late at worst, and how exact ---- */

static double squared_px2(const tags_work *work, int i, int id, int corner, pov_vec2 found)
{
    const pov_vec2 truth = test_tag_corner_px(&work->video.scenes[i], id, corner);
    return (found.x - truth.x) * (found.x - truth.x) + (found.y - truth.y) * (found.y - truth.y);
}

static double own_px2(const tags_work *work, int i)
{
    double sum = 0;
    for (int t = 0; t < TAGS; t++)
        for (int corner = 0; corner < 4; corner++)
            sum += squared_px2(work, i, work->tags.tags[t].id, corner, work->tags.tags[t].corner_px[corner]);
    return sum;
}

/** libapriltag has a pixel's centre at (0.5, 0.5). */
static double peer_px2(tags_work *work, int i)
{
    zarray_t *found = detect_by_peer(work, i);
    double sum = 0;
    for (int t = 0; t < TAGS; t++) {
        apriltag_detection_t *tag;
        zarray_get(found, t, &tag);
        for (int corner = 0; corner < 4; corner++)
            sum += squared_px2(work, i, tag->id, corner,
                               (pov_vec2){tag->p[corner][0] - 0.5, tag->p[corner][1] - 0.5});
    }
    apriltag_detections_destroy(found);
    return sum;
}

static int compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void tell_worst_and_errors(tags_work *work)
{
    double ms[TIMED], own_sum_px2 = 0, peer_sum_px2 = 0;
    for (int k = 0; k < TIMED; k++) {
        struct timespec begin, end;
        clock_gettime(CLOCK_MONOTONIC, &begin);
        run(work);
        clock_gettime(CLOCK_MONOTONIC, &end);
        ms[k] = 1e3 * (double)(end.tv_sec - begin.tv_sec) + 1e-6 * (double)(end.tv_nsec - begin.tv_nsec);
        own_sum_px2 += own_px2(work, (work->time - 1) % IMAGES);
    }
    for (int i = 0; i < IMAGES; i++)
        peer_sum_px2 += peer_px2(work, i);
    qsort(ms, TIMED, sizeof *ms, compare_doubles);
    printf("             p99 %.1f ms an image; all %d tags in each image by both; corners off %.3f px RMS a "
           "coordinate, libapriltag's %.3f px\n",
           ms[TIMED * 99 / 100], TAGS, sqrt(own_sum_px2 / (2.0 * TIMED * TAGS * 4)),
           sqrt(peer_sum_px2 / (2.0 * IMAGES * TAGS * 4)));
}

static void finish(void *argument)
{
    tags_work *work = argument;
    tell_worst_and_errors(work);
    pov_tag_follower_destroy(&work->follower);
    pov_memory_destroy(&work->memory);
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
