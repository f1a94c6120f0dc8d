#include "firmware/sources/clock_window.h"

#include <math.h>
#include <string.h>

static const int64_t second_ns = 1000000000;
static const int64_t step_ns =
    50000000; /* so much longer, for so many seconds: a clock was set; both chosen */
enum { STEP_SECONDS = 3 };
static const double least_std_s = 0.001; /* of the way through two programs, which look every 2 ms; chosen */

static void drop_first(pov_clock_window *w, int count)
{
    w->len -= count;
    memmove(w->second, w->second + count, (size_t)w->len * sizeof *w->second);
    memmove(w->least_ns, w->least_ns + count, (size_t)w->len * sizeof *w->least_ns);
}

static int64_t least_of(const int64_t *least_ns, int len)
{
    int64_t least = least_ns[0];
    for (int i = 1; i < len; i++)
        least = least_ns[i] < least ? least_ns[i] : least;
    return least;
}

void pov_clock_window_add(pov_clock_window *w, int64_t now_ns, int64_t took_ns)
{
    const int64_t second = now_ns / second_ns;
    while (w->len > 0 && w->second[0] <= second - POV_CLOCK_SECONDS)
        drop_first(w, 1);
    if (w->len == 0 || w->second[w->len - 1] != second) {
        if (w->len == POV_CLOCK_SECONDS)
            drop_first(w, 1);
        w->second[w->len] = second;
        w->least_ns[w->len++] = took_ns;
    } else if (took_ns < w->least_ns[w->len - 1]) {
        w->least_ns[w->len - 1] = took_ns;
    }
    const int before = w->len - STEP_SECONDS;
    if (before > 0 && least_of(w->least_ns + before, STEP_SECONDS) > least_of(w->least_ns, before) + step_ns)
        drop_first(w, before);
}

pov_clock_offset pov_clock_window_offset(const pov_clock_window *w, double round_trip_s)
{
    if (w->len == 0)
        return (pov_clock_offset){.std_s = NAN};
    const int64_t least = least_of(w->least_ns, w->len);
    double square = 0; /* how much each second's least is above: what a second alone would err by */
    for (int i = 0; i < w->len; i++)
        square += pow(1e-9 * (double)(w->least_ns[i] - least), 2) / w->len;
    const double way_s = round_trip_s / sqrt(12); /* evenly between 0 and the round trip */
    return (pov_clock_offset){.is_known = true,
                              .add_ns = least - (int64_t)(0.5e9 * round_trip_s),
                              .std_s = sqrt(square + way_s * way_s + least_std_s * least_std_s)};
}
