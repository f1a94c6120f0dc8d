#include "firmware/sweep/sweep_turning.h"

#include "firmware/comparison/curve_places.h"

#include <math.h>

/* Motion in the image between this one and the last, for each second. */
static double measure_speed(const pov_turning *turning, const pov_turning_rule *rule,
                            const pov_turning_image *image)
{
    const double turned_deg = fabs(pov_curve_difference_deg(image->phi_deg, turning->last_phi_deg));
    const double elapsed_s = isnan(rule->speed_deg_s) ? 1e-9 * (double)(image->time_ns - turning->last_ns)
                                                      : turned_deg / rule->speed_deg_s;
    if (!turning->has_last || isnan(image->moved_px) || isnan(turned_deg))
        return NAN;
    return elapsed_s > 0 ? image->moved_px / elapsed_s : 0;
}

pov_turning_choice pov_turning_look(pov_turning *turning, const pov_turning_rule *rule,
                                    const pov_turning_image *image)
{
    const double step_deg = 360.0 / rule->stop_len;
    turning->speed_px_s = measure_speed(turning, rule, image);
    pov_turning_choice choice = {
        .taken = -1, .too_blurred = -1, .blur_px = turning->speed_px_s * rule->exposure_s};
    turning->has_last = true;
    turning->last_phi_deg = image->phi_deg;
    turning->last_ns = image->time_ns;
    if (isnan(image->phi_deg))
        return choice;
    const int stop =
        ((int)lround(image->phi_deg / step_deg) % rule->stop_len + rule->stop_len) % rule->stop_len;
    const double off_deg = fabs(pov_curve_difference_deg(image->phi_deg, stop * step_deg));
    const bool is_near = off_deg <= rule->tolerance_deg;
    if (turning->stop >= 0 && (stop != turning->stop || !is_near))
        choice.taken = pov_turning_end(turning);
    if (!is_near || rule->taken[stop] || (turning->stop == stop && off_deg >= turning->off_deg))
        return choice;
    if (choice.blur_px > rule->blur_max_px) {
        choice.too_blurred = stop;
        return choice;
    }
    choice.keep = true;
    turning->stop = stop;
    turning->off_deg = off_deg;
    return choice;
}

int pov_turning_end(pov_turning *turning)
{
    const int stop = turning->stop;
    turning->stop = -1;
    return stop;
}
