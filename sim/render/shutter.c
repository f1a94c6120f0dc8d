#include "sim/render/shutter.h"

#include <stdlib.h>
#include <string.h>

struct pov_shutter {
    pov_shutter_config config;
    int width_px, height_px;
    float (*instant)[3]; /* light of one of several exposures */
};

pov_status pov_shutter_new(pov_shutter **shutter, const pov_shutter_config *config, int width_px,
                           int height_px)
{
    POV_REQUIRE(width_px > 0 && height_px > 0);
    *shutter = NULL;
    if (config->readout_ns < 0 || config->exposure_ns < 0)
        return pov_error("shutter: readout_ns and exposure_ns must not be negative");
    if (config->rows_at_once < 1)
        return pov_error("shutter: rows_at_once is %d; it must be at least 1", config->rows_at_once);
    if (config->exposures < 1 || config->exposures % 2 == 0)
        return pov_error("shutter: exposures is %d; it must be odd", config->exposures);
    pov_shutter *s = *shutter = pov_allocate(1, sizeof *s);
    s->instant = pov_allocate((size_t)width_px * (size_t)height_px, sizeof *s->instant);
    s->config = *config;
    s->width_px = width_px;
    s->height_px = height_px;
    return pov_ok();
}

void pov_shutter_destroy(pov_shutter **shutter)
{
    if (!*shutter)
        return;
    free((*shutter)->instant);
    free(*shutter);
    *shutter = NULL;
}

/** Time of step i of `len` that share `duration_ns` evenly, from the middle. */
static int64_t step_ns(int64_t duration_ns, int i, int len)
{
    return (int64_t)((double)duration_ns * ((i + 0.5) / len - 0.5));
}

static void add_instant(const pov_shutter *shutter, float (*light)[3], size_t first, size_t end)
{
    const float share = 1.0F / (float)shutter->config.exposures;
    for (size_t i = first; i < end; i++)
        for (int k = 0; k < 3; k++)
            light[i][k] += share * shutter->instant[i][k];
}

static pov_status draw_rows(pov_shutter *shutter, pov_rendering *rendering, const pov_moving_world *world,
                            int64_t time_ns, const int rows[2])
{
    const int exposures = rendering->light ? shutter->config.exposures : 1;
    const size_t first = (size_t)rows[0] * (size_t)shutter->width_px;
    const size_t end = (size_t)rows[1] * (size_t)shutter->width_px;
    if (rendering->light)
        memset(rendering->light[first], 0, (end - first) * sizeof *rendering->light);
    for (int i = 0; i < exposures; i++) {
        const bool is_middle = i == exposures / 2;
        pov_rendering instant = {rendering->light ? shutter->instant : NULL,
                                 is_middle ? rendering->label : NULL, is_middle ? rendering->depth_m : NULL};
        const pov_status status = world->at(world->world, world->renderer,
                                            time_ns + step_ns(shutter->config.exposure_ns, i, exposures));
        if (status.code != POV_OK)
            return status;
        pov_renderer_draw(world->renderer, &instant, rows[0], rows[1]);
        if (rendering->light)
            add_instant(shutter, rendering->light, first, end);
    }
    return pov_ok();
}

pov_status pov_shutter_draw(pov_shutter *shutter, pov_rendering *rendering, const pov_moving_world *world,
                            int64_t mid_exposure_ns)
{
    const int height_px = shutter->height_px;
    const int step = shutter->config.readout_ns > 0 ? shutter->config.rows_at_once : height_px;
    for (int first = 0; first < height_px; first += step) {
        const int rows[2] = {first, first + step < height_px ? first + step : height_px};
        const double middle_row = (rows[0] + rows[1] - 1) / 2.0, last_row = height_px > 1 ? height_px - 1 : 1;
        const int64_t row_ns = (int64_t)((double)shutter->config.readout_ns * (middle_row / last_row - 0.5));
        const pov_status status = draw_rows(shutter, rendering, world, mid_exposure_ns + row_ns, rows);
        if (status.code != POV_OK)
            return status;
    }
    return pov_ok();
}
