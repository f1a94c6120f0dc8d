/** Exposes a world that moves: rows one after another (rolling shutter), each over a while (motion blur). */
#pragma once

#include "sim/render/renderer.h"

typedef struct {
    int64_t
        readout_ns; /* from the middle of the first row's exposure to that of the last; 0: all rows at once */
    int64_t exposure_ns; /* how long each row sees light; 0: an instant */
    int rows_at_once;    /* that share a time; fewer are slower to draw */
    int exposures;       /* instants over exposure_ns that are averaged; odd */
} pov_shutter_config;
#define POV_SHUTTER_DEFAULT ((pov_shutter_config){.rows_at_once = 4, .exposures = 1})

/** The renderer's scene as a function of time: `at` moves its instances and camera to their poses at that time. */
typedef struct {
    pov_renderer *renderer;
    pov_status (*at)(void *world, pov_renderer *renderer, int64_t time_ns);
    void *world;
} pov_moving_world;

typedef struct pov_shutter pov_shutter;

POV_MUST_USE pov_status pov_shutter_new(pov_shutter **shutter, const pov_shutter_config *config, int width_px,
                                        int height_px);
void pov_shutter_destroy(pov_shutter **shutter);

/** Draws a rendering of the size given to pov_shutter_new; labels and depths are those of the middle of each row's
 *  exposure. Returns: what `at` returns, if that is not POV_OK. */
POV_MUST_USE pov_status pov_shutter_draw(pov_shutter *shutter, pov_rendering *rendering,
                                         const pov_moving_world *world, int64_t mid_exposure_ns);
