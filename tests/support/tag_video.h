/** A video of tags on a table from a moving camera, made in memory, and where each corner truly is. */
#pragma once

#include "perception/image/image.h"
#include "tests/support/tag_image.h"

#include <math.h>
#include <stdlib.h>

typedef struct {
    int len, width_px, height_px;
    test_tag_scene *scenes; /* len */
    uint8_t **rgb;          /* len */
} tag_video;

/** Half-size images of the twelve tags, or whole: the camera swings by `swing_m` and nods, `per_turn` images a swing. */
static inline tag_video tag_video_new(int len, int shrink, double swing_m, int per_turn)
{
    tag_video video = {.len = len, .width_px = 1280 / shrink, .height_px = 720 / shrink};
    video.scenes = calloc((size_t)len, sizeof *video.scenes);
    video.rgb = calloc((size_t)len, sizeof *video.rgb);
    for (int i = 0; i < len; i++) {
        const double phase = 2 * POV_PI * i / per_turn;
        test_tag_look look = TEST_TAG_LOOK_DEFAULT;
        look.seed = (uint64_t)i + 1;
        look.noise_std = 2;
        look.samples_per_side = 3;
        test_tag_scene_twelve(&video.scenes[i]);
        pov_camera *camera = &video.scenes[i].camera;
        camera->width_px = video.width_px;
        camera->height_px = video.height_px;
        camera->fx_px /= shrink;
        camera->fy_px /= shrink;
        camera->cx_px /= shrink;
        camera->cy_px /= shrink;
        video.scenes[i].T_table_camera = pov_transform_look_at(
            (pov_vec3){0.05 + swing_m * sin(phase), -0.6 + 0.5 * swing_m * cos(phase),
                       0.7 + 0.3 * swing_m * sin(2 * phase)},
            (pov_vec3){0.3 * swing_m * cos(phase), -0.02, 0}, (pov_vec3){0.1 * sin(phase), 0, 1});
        video.rgb[i] = malloc((size_t)video.width_px * (size_t)video.height_px * 3);
        test_tag_image_draw(video.rgb[i], &video.scenes[i], &look);
    }
    return video;
}

static inline void tag_video_free(tag_video *video)
{
    for (int i = 0; i < video->len; i++)
        free(video->rgb[i]);
    free(video->rgb);
    free(video->scenes);
}

/** 30 images a second; `time` counts on where `i` begins again. */
static inline pov_image tag_video_image(const tag_video *video, int i, int time)
{
    return (pov_image){.pixels = video->rgb[i],
                       .width_px = video->width_px,
                       .height_px = video->height_px,
                       .stride_bytes = video->width_px * 3,
                       .mid_exposure_ns = time * INT64_C(33333333),
                       .sequence = (uint32_t)time};
}
