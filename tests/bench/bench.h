/** Benchmarks: each is timed against a peer that does the same work, turn by turn in the same run, so that
 * the ratio holds on any machine. To add one: write its functions, declare it below, list it in pov_bench.c.
 */
#pragma once

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    const char *name;
    const char *what; /* is measured */
    const char *unit; /* of work, e.g. "point" */
    int units_per_run;
    void *(*prepare)(void); /* not timed */
    void (*run)(void *work);
    const char *peer_name;
    void (*run_peer)(void *work); /* NULL: nothing to compare with */
    void (*finish)(void *work);
    bool as_rate; /* print units a second, and the share of the peer's */
} pov_bench;

enum { POV_BENCH_JUDGMENTS = 4, POV_BENCH_JUDGMENT_SCENES = 4, POV_BENCH_VISIBILITIES = 6 };
enum { POV_BENCH_SCORES = 3, POV_BENCH_RELATIONS = 2, POV_BENCH_JPEGS = 2 };

extern const pov_bench BENCH_JUDGMENTS[POV_BENCH_JUDGMENTS];
extern const pov_bench BENCH_JUDGMENT_SCENES[POV_BENCH_JUDGMENT_SCENES];
extern const pov_bench BENCH_JPEG[POV_BENCH_JPEGS];
extern const pov_bench BENCH_KEYS;
extern const pov_bench BENCH_PIPELINE;
extern const pov_bench BENCH_PIXELS;
extern const pov_bench BENCH_PROJECTION;
extern const pov_bench BENCH_RENDERER;
extern const pov_bench BENCH_SCORES[POV_BENCH_SCORES];
extern const pov_bench BENCH_RELATIONS[POV_BENCH_RELATIONS];
extern const pov_bench BENCH_SUBSCRIBERS;
extern const pov_bench BENCH_TAG_IMAGE;
extern const pov_bench BENCH_TAGS;
extern const pov_bench BENCH_TAG_MAP;
extern const pov_bench BENCH_VISIBILITY[POV_BENCH_VISIBILITIES];

#ifdef __cplusplus
}
#endif
