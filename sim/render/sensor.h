/** From light to an image: what a camera's optics, photosites and encoder do to it, in that order. Deterministic by seed. */
#pragma once

#include "perception/status.h"

#include <stdbool.h>
#include <stdint.h>

enum { POV_SENSOR_BLUR_MAX_PX = 8 };

typedef struct {
    double defocus_px; /* radius of the disc that a point becomes, everywhere; steps of 1/8, at most 8 */
    double aperture_m,
        focus_m;         /* a thin lens of this diameter adds f_px / 2 * aperture |1/depth - 1/focus| to it */
    double focal_px;     /* needed with an aperture */
    double vignetting;   /* share of light that the corners lose; grows with the squared radius */
    double full_well_e;  /* electrons that a photosite holds */
    double exposure;     /* share of the full well that light of 1 fills */
    double gain;         /* 1: a full well is white */
    bool shot_noise;     /* Poisson, of the electrons */
    double read_noise_e; /* standard deviation, electrons */
    double white_balance[3]; /* factors of red, green, blue after the gain */
    int jpeg_quality;        /* 1..100: through libjpeg-turbo and back, 4:2:0; 0: not */
    uint64_t seed;
} pov_sensor_config;
#define POV_SENSOR_DEFAULT                                                                                   \
    ((pov_sensor_config){.full_well_e = 10000, .exposure = 0.85, .gain = 1, .white_balance = {1, 1, 1}})

/** "clean": POV_SENSOR_DEFAULT. "noisy": a small sensor in a dim room, JPEG. "blurred": the same out of focus.
 *  Returns: POV_ERROR naming the known ones. Keeps the seed. */
POV_MUST_USE pov_status pov_sensor_preset(pov_sensor_config *config, const char *name);

typedef struct pov_sensor pov_sensor;

/** Returns: POV_ERROR naming the field that is out of range. */
POV_MUST_USE pov_status pov_sensor_new(pov_sensor **sensor, const pov_sensor_config *config, int width_px,
                                       int height_px);
void pov_sensor_destroy(pov_sensor **sensor);

/** Takes one image.
 *  Out: rgb: sRGB, width_px * height_px * 3 bytes.
 *  In:  light: as pov_renderer_draw gives it; depth_m: likewise, or NULL for a lens without aperture;
 *       sequence: of the image; its noise is another for each. */
POV_MUST_USE pov_status pov_sensor_expose(pov_sensor *sensor, uint8_t *rgb, const float (*light)[3],
                                          const float *depth_m, uint32_t sequence);

/** 64 random bits for an index of a stream; they depend on nothing else, so pixels can be drawn in any order. */
uint64_t pov_noise_bits(uint64_t stream, uint64_t index);
