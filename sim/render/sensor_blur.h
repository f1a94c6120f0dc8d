/** Defocus: each pixel becomes the mean over the disc that a lens makes of a point. */
#ifndef POV_SIM_RENDER_SENSOR_BLUR_H
#define POV_SIM_RENDER_SENSOR_BLUR_H

#include "sim/render/sensor.h"

enum { POV_BLUR_STEPS_PER_PX = 8 };

typedef struct pov_blur pov_blur;

POV_MUST_USE pov_status pov_blur_new(pov_blur **blur);
void pov_blur_destroy(pov_blur **blur);

/** The mean of light about pixel (x, y) over a disc; beyond the image its edge goes on. */
void pov_blur_gather(const pov_blur *blur, float mean[3], const float (*light)[3], const int size_px[2],
                     const int at_px[2], double radius_px);

#endif
