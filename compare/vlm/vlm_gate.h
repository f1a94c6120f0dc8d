/** When a server may be asked, how many questions at a time it copes with, and how long to pause after a failure. Pure.
 *
 *  The number at a time is found as TCP finds it (RFC 5681): it grows with each answer, by one until the server was first
 *  overloaded and then by one for each full window, and is halved when the server says that it has too much to do (HTTP 429, 503) or
 *  answers too late. Pauses double and are drawn uniformly from [0, pause] (Brooker 2015, "full jitter"). A server that
 *  sent Retry-After gets no question until then. One that failed several times in a row is asked one question at a time, after
 *  pauses, as long as another server can be asked instead: a dead server costs the questions nothing. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

typedef struct {
    int64_t first_ns, max_ns;
} pov_vlm_pauses;

/** One server. Start with `places` and zeros. */
typedef struct {
    int places;    /* most questions at a time */
    double window; /* questions at a time that it copes with, up to `places`; 0: nothing is known yet */
    int round;     /* times that the window was halved */
    int under_way;
    int failures; /* in a row, of those that may pass */
    int64_t closed_until_ns, doubted_until_ns;
} pov_vlm_gate;

/** Questions that the server may have at a time now, at least 1. */
int pov_vlm_gate_window(const pov_vlm_gate *gate);

/** The share of server i's window that is free for a question, which `last` has just failed (-1: none has). 0: it may not be
 *  asked now, or another server should be. */
double pov_vlm_gate_share(const pov_vlm_gate *gates, int len, int i, int last, int64_t now_ns);

/** A question goes there. Returns the round, which pov_vlm_gate_adapt wants with its result. */
int pov_vlm_gate_enter(pov_vlm_gate *gate);
/** Grows or halves the window after a result. Only the first overloaded question of a round halves it. */
void pov_vlm_gate_adapt(pov_vlm_gate *gate, int round, bool overloaded);
void pov_vlm_gate_leave(pov_vlm_gate *gate);
/** The result of the question that has left. `retry_after_ns`: the pause that the server asked for, or 0. */
void pov_vlm_gate_succeeded(pov_vlm_gate *gate);
void pov_vlm_gate_failed(pov_vlm_gate *gate, const pov_vlm_pauses *pauses, int64_t retry_after_ns,
                         int64_t now_ns);

/** The pause before another attempt, after `attempts` of them; `random`: the state of the jitter. */
int64_t pov_vlm_pause_ns(const pov_vlm_pauses *pauses, int attempts, uint64_t *random);
