#include "sim/bodies/catalogue_kit.h"

#include "perception/geometry/random.h"

#include <math.h>

double pov_body_vary(pov_body *body, double low, double high)
{
    if (body->variant == 0)
        return (low + high) / 2;
    return low + (high - low) * pov_random_fraction(pov_random_next(&body->random));
}

uint32_t pov_body_pick(pov_body *body, const uint32_t colours[], int len)
{
    return colours[body->variant == 0 ? 0 : pov_random_next(&body->random) % (uint64_t)len];
}

uint32_t pov_shade(uint32_t rgb, double factor)
{
    uint32_t shaded = 0;
    for (int shift = 0; shift < 24; shift += 8) {
        const double channel = fmin(255, fmax(0, ((rgb >> shift) & 0xFF) * factor));
        shaded |= (uint32_t)channel << shift;
    }
    return shaded;
}

void pov_body_eye(pov_body *body, pov_vec3 pos_m, double radius_m)
{
    const double r = radius_m, side = copysign(0.3, pos_m.y);
    pov_brush black = paint(body, POV_BLACK, 0.9), white = small(paint(body, 0xFFFFFF, 0));
    black.sides = 10;
    ellipsoid(at(black, pos_m.x, pos_m.y, pos_m.z), r, r, r);
    ellipsoid(at(white, pos_m.x + 0.75 * r, pos_m.y + side * r, pos_m.z + 0.6 * r), 0.28 * r, 0.28 * r,
              0.28 * r);
}
