#include "compare/vlm/vlm_gate.h"

#include "perception/geometry/random.h"
#include "perception/status.h"

#include <math.h>

enum { FAILURES_UNTIL_DOUBT = 3 }; /* in a row: more than chance failures of a healthy server; chosen */

static bool is_doubted(const pov_vlm_gate *gate)
{
    return gate->failures >= FAILURES_UNTIL_DOUBT;
}

/** Whether any server is not in doubt. */
static bool has_choice(const pov_vlm_gate *gates, int len)
{
    for (int i = 0; i < len; i++)
        if (!is_doubted(&gates[i]))
            return true;
    return false;
}

/** In doubt, a server is asked one question at a time, and none that it has just failed. */
static double share_free(const pov_vlm_gate *gate, bool doubted, bool failed_there, int64_t now_ns)
{
    if (gate->closed_until_ns > now_ns || (doubted && (gate->doubted_until_ns > now_ns || failed_there)))
        return 0;
    return 1 - (double)gate->under_way / (doubted ? 1 : gate->places);
}

int pov_vlm_gate_choose(const pov_vlm_gate *gates, int len, int last, int64_t now_ns)
{
    const bool careful = has_choice(gates, len);
    int best = -1;
    double best_share = 0;
    for (int i = 0; i < len; i++) {
        const double share = share_free(&gates[i], careful && is_doubted(&gates[i]), i == last, now_ns);
        if (share > 0 && (best < 0 || best == last || (share > best_share && i != last))) {
            best = i;
            best_share = share;
        }
    }
    return best;
}

void pov_vlm_gate_enter(pov_vlm_gate *gate)
{
    gate->under_way++;
}

void pov_vlm_gate_leave(pov_vlm_gate *gate)
{
    POV_REQUIRE(gate->under_way > 0);
    gate->under_way--;
}

static int64_t doubled_ns(const pov_vlm_pauses *pauses, int times)
{
    return (int64_t)fmin((double)pauses->first_ns * exp2(times), (double)pauses->max_ns);
}

void pov_vlm_gate_succeeded(pov_vlm_gate *gate)
{
    gate->failures = 0;
}

void pov_vlm_gate_failed(pov_vlm_gate *gate, const pov_vlm_pauses *pauses, int64_t retry_after_ns,
                         int64_t now_ns)
{
    gate->failures++;
    if (is_doubted(gate))
        gate->doubted_until_ns = now_ns + doubled_ns(pauses, gate->failures - FAILURES_UNTIL_DOUBT);
    if (retry_after_ns > 0)
        gate->closed_until_ns = now_ns + (retry_after_ns < pauses->max_ns ? retry_after_ns : pauses->max_ns);
}

int64_t pov_vlm_pause_ns(const pov_vlm_pauses *pauses, int attempts, uint64_t *random)
{
    return (int64_t)((double)doubled_ns(pauses, attempts - 1) * pov_random_fraction(pov_random_next(random)));
}
