/** A JPEG of 1280 x 720 as the RGB that stages use, against the least that any of them could do with: its luma alone, and its
 *  luma an eighth as wide and high. Both by libjpeg-turbo, as the RGB is. */
#include "firmware/picture/image_file.h"
#include "firmware/picture/jpeg_encoder.h"
#include "tests/bench/bench.h"
#include "tests/support/pipeline_work.h"

#include <turbojpeg.h>

#include <stdlib.h>
#include <string.h>

enum { WIDTH = 1280, HEIGHT = 720, QUALITY = 95, EIGHTH = 8 };

typedef struct {
    pov_image_file *file;
    tjhandle peer;
    uint8_t *jpeg;
    size_t len;
    uint8_t luma[WIDTH * HEIGHT];
} jpeg_work;

static void *prepare(void)
{
    jpeg_work *work = calloc(1, sizeof *work);
    tag_work *tags = tag_work_new();
    pov_jpeg_encoder *encoder;
    const unsigned char *jpeg;
    const pov_image image = {
        .pixels = tag_work_rgb(tags), .width_px = WIDTH, .height_px = HEIGHT, .stride_bytes = 3 * WIDTH};
    POV_REQUIRE(work);
    bench_must(pov_jpeg_encoder_new(&encoder, QUALITY));
    bench_must(pov_jpeg_encoder_run(encoder, &jpeg, &work->len, &image));
    work->jpeg = malloc(work->len);
    POV_REQUIRE(work->jpeg && (work->peer = tjInitDecompress()));
    memcpy(work->jpeg, jpeg, work->len);
    pov_jpeg_encoder_destroy(&encoder);
    tag_work_destroy(&tags);
    bench_must(pov_image_file_new(&work->file));
    return work;
}

static void run(void *argument)
{
    jpeg_work *work = argument;
    pov_image image;
    bench_must(pov_image_file_decode(work->file, &image, "bench", work->jpeg, work->len));
}

static void decode_luma(jpeg_work *work, int part)
{
    const int width_px = WIDTH / part;
    POV_REQUIRE(tjDecompress2(work->peer, work->jpeg, work->len, work->luma, width_px, width_px,
                              HEIGHT / part, TJPF_GRAY, 0) == 0);
}

static void run_luma(void *argument)
{
    decode_luma(argument, 1);
}

static void run_eighth(void *argument)
{
    decode_luma(argument, EIGHTH);
}

static void finish(void *argument)
{
    jpeg_work *work = argument;
    pov_image_file_destroy(&work->file);
    tjDestroy(work->peer);
    free(work->jpeg);
    free(work);
}

#define BENCH(text, peer_text, peer)                                                                         \
    {                                                                                                        \
        .name = (text), .what = "JPEG to RGB, 1280 x 720, with a camera's noise", .unit = "image",           \
        .units_per_run = 1, .prepare = prepare, .run = run, .peer_name = (peer_text), .run_peer = (peer),    \
        .finish = finish                                                                                     \
    }
const pov_bench BENCH_JPEG[POV_BENCH_JPEGS] = {
    BENCH("jpeg_luma", "its luma alone", run_luma),
    BENCH("jpeg_eighth", "its luma, an eighth as wide and high", run_eighth),
};
