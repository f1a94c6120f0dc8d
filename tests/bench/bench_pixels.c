/** A camera's YUYV image of 1280 x 720 as RGB, against OpenCV's conversion on one thread. */
#include "firmware/libcamera/camera_pixels.h"
#include "perception/image/opencv_c.h"
#include "tests/bench/bench.h"

#include <stdlib.h>
#include <string.h>

enum { WIDTH = 1280, HEIGHT = 720, BYTES = WIDTH * HEIGHT * 2 };

typedef struct {
    pov_camera_pixels *pixels;
    uint8_t yuyv[BYTES], rgb[WIDTH * HEIGHT * 3];
} pixels_work;

static void *prepare(void)
{
    pixels_work *work = calloc(1, sizeof *work);
    const pov_libcamera_stream stream = {
        .mode = {.pixel_format = "YUYV", .width_px = WIDTH, .height_px = HEIGHT}};
    POV_REQUIRE(work && pov_camera_pixels_new(&work->pixels, &stream).code == POV_OK);
    cvSetNumThreads(1);
    for (int i = 0; i < BYTES; i++)
        work->yuyv[i] = (uint8_t)(16 + (unsigned)i * 7919 % 220);
    return work;
}

static void run(void *argument)
{
    pixels_work *work = argument;
    const uint8_t *rgb;
    const pov_libcamera_capture capture = {
        .usable = true, .plane_len = 1, .planes = {{work->yuyv, sizeof work->yuyv}}};
    POV_REQUIRE(pov_camera_pixels_convert(work->pixels, &rgb, &capture).code == POV_OK);
}

static void run_peer(void *argument)
{
    pixels_work *work = argument;
    CvMat from = cvMat(HEIGHT, WIDTH, CV_8UC2, work->yuyv), to = cvMat(HEIGHT, WIDTH, CV_8UC3, work->rgb);
    cvCvtColor(&from, &to, CV_YUV2RGB_YUYV);
}

static void finish(void *argument)
{
    pixels_work *work = argument;
    pov_camera_pixels_destroy(&work->pixels);
    free(work);
}

const pov_bench BENCH_PIXELS = {.name = "pixels",
                                .what = "YUYV of a camera to RGB, 1280 x 720",
                                .unit = "image",
                                .units_per_run = 1,
                                .prepare = prepare,
                                .run = run,
                                .peer_name = "OpenCV, one thread",
                                .run_peer = run_peer,
                                .finish = finish};
