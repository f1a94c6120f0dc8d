/** bench_apriltag IMAGE...: milliseconds that libapriltag takes to search each at full resolution, one thread; the median of all.
 *  What other measurements are compared with. */
#include "firmware/picture/image_file.h"
#include "perception/geometry/geom.h"
#include "perception/image/grey.h"

#include <apriltag/apriltag.h>
#include <apriltag/tag36h11.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { REPEATS = 3, IMAGES_MAX = 100 };

static double now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return 1e3 * (double)now.tv_sec + 1e-6 * (double)now.tv_nsec;
}

static double search_ms(apriltag_detector_t *detector, const pov_image *image, uint8_t *grey)
{
    pov_grey_from_rgb(grey, image, (pov_rectangle){0, 0, image->width_px, image->height_px});
    image_u8_t wrapped = {image->width_px, image->height_px, image->width_px, grey};
    const double begin_ms = now_ms();
    apriltag_detections_destroy(apriltag_detector_detect(detector, &wrapped));
    return now_ms() - begin_ms;
}

int main(int argc, char **argv)
{
    double ms[REPEATS * IMAGES_MAX];
    int len = 0;
    pov_image_file *file;
    apriltag_family_t *family = tag36h11_create();
    apriltag_detector_t *detector = apriltag_detector_create();
    apriltag_detector_add_family(detector, family);
    detector->quad_decimate = 1;
    detector->nthreads = 1;
    if (argc < 2 || argc > IMAGES_MAX || pov_image_file_new(&file).code != POV_OK) {
        fprintf(stderr, "usage: bench_apriltag IMAGE..., at most %d\n", IMAGES_MAX - 1);
        return 2;
    }
    for (int i = 1; i < argc; i++) {
        pov_image image;
        const pov_status status = pov_image_file_read(file, &image, argv[i]);
        uint8_t *grey = malloc((size_t)image.width_px * (size_t)image.height_px + 1);
        if (status.code != POV_OK || !grey) {
            fprintf(stderr, "%s\n", status.message);
            return 1;
        }
        for (int k = 0; k < REPEATS; k++)
            ms[len++] = search_ms(detector, &image, grey);
        free(grey);
    }
    qsort(ms, (size_t)len, sizeof *ms, pov_compare_doubles);
    printf("%.2f\n", ms[len / 2]);
    apriltag_detector_destroy(detector);
    tag36h11_destroy(family);
    pov_image_file_destroy(&file);
    return 0;
}
