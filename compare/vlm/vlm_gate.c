#include "compare/vlm/vlm_gate.h"

#include "perception/geometry/random.h"
#include "perception/status.h"

#include <math.h>

enum {
    FAILURES_UNTIL_DOUBT = 3, /* in a row: more than chance failures of a healthy server; chosen */
    WINDOW_FIRST = 4          /* questions at a time that any server takes; chosen */
};

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

int pov_vlm_gate_window(const pov_vlm_gate *gate)
{
    if (gate->window >= 1)
        return (int)gate->window;
    return gate->places < WINDOW_FIRST ? gate->places : WINDOW_FIRST;
}

/** In doubt, a server is asked one question at a time, and none that it has just failed. */
static double share_free(const pov_vlm_gate *gate, bool doubted, bool failed_there, int64_t now_ns)
{
    if (gate->closed_until_ns > now_ns || (doubted && (gate->doubted_until_ns > now_ns || failed_there)))
        return 0;
    return fmax(1 - (double)gate->under_way / (doubted ? 1 : pov_vlm_gate_window(gate)), 0);
}

double pov_vlm_gate_share(const pov_vlm_gate *gates, int len, int i, int last, int64_t now_ns)
{
    const bool careful = has_choice(gates, len);
    for (int k = 0; i == last && k < len; k++)
        if (k != i && share_free(&gates[k], careful && is_doubted(&gates[k]), false, now_ns) > 0)
            return 0;
    return share_free(&gates[i], careful && is_doubted(&gates[i]), i == last, now_ns);
}

int pov_vlm_gate_enter(pov_vlm_gate *gate)
{
    gate->under_way++;
    return gate->round;
}

void pov_vlm_gate_leave(pov_vlm_gate *gate)
{
    POV_REQUIRE(gate->under_way > 0);
    gate->under_way--;
}

void pov_vlm_gate_adapt(pov_vlm_gate *gate, int round, bool overloaded)
{
    const int window = pov_vlm_gate_window(gate);
    if (overloaded && round == gate->round) {
        gate->window = fmax(fmin(gate->under_way, window) / 2, 1);
        gate->round++;
    } else if (!overloaded && gate->under_way >= window) { /* a window that is not used proves nothing */
        gate->window = fmax(gate->window, window) + (gate->round > 0 ? 1.0 / window : 1);
        gate->window = fmin(gate->window, gate->places);
    }
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
        gate->closed_until_ns = now_ns + retry_after_ns;
}

int64_t pov_vlm_pause_ns(const pov_vlm_pauses *pauses, int attempts, uint64_t *random)
{
    return (int64_t)((double)doubled_ns(pauses, attempts - 1) * pov_random_fraction(pov_random_next(random)));
}
