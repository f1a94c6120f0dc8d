/** When a server may be asked, which of several is, and how long to pause after a failure. Pure.
 *
 *  Pauses double and are drawn uniformly from [0, pause] (Brooker 2015, "full jitter"). A server that asked for peace is
 *  left in peace. One that failed several times in a row is asked one question at a time, after pauses, for as long as
 *  another server can be asked instead: a dead server costs the questions nothing. */
#ifndef POV_COMPARE_VLM_VLM_GATE_H
#define POV_COMPARE_VLM_VLM_GATE_H

#include <stdbool.h>
#include <stdint.h>

typedef struct {
    int64_t first_ns, max_ns;
} pov_vlm_pauses;

/** One server. Start with `places` and zeros. */
typedef struct {
    int places; /* questions at a time */
    int under_way;
    int failures; /* in a row, of those that may pass */
    int64_t closed_until_ns, doubted_until_ns;
} pov_vlm_gate;

/** The server with the largest share of its places free, preferably another than `last` (-1: none). Returns -1: none is
 *  open, or none has a place. */
int pov_vlm_gate_choose(const pov_vlm_gate *gates, int len, int last, int64_t now_ns);

void pov_vlm_gate_enter(pov_vlm_gate *gate);
void pov_vlm_gate_leave(pov_vlm_gate *gate);
/** How the question that has left ended there. `retry_after_ns`: the peace that the server asked for, or 0. */
void pov_vlm_gate_succeeded(pov_vlm_gate *gate);
void pov_vlm_gate_failed(pov_vlm_gate *gate, const pov_vlm_pauses *pauses, int64_t retry_after_ns,
                         int64_t now_ns);

/** The pause before another attempt, after `attempts` of them; `random`: the state of the jitter. */
int64_t pov_vlm_pause_ns(const pov_vlm_pauses *pauses, int attempts, uint64_t *random);

#endif
