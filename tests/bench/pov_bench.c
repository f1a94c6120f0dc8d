/** pov_bench [NAME...]: the benchmarks named, or all. Exit codes: 0; 2 for a name that is none. */
#include "tests/bench/bench.h"

#include "perception/status.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ROUNDS_MIN = 5, ROUNDS_MAX = 101 };
static const double BUDGET_S = 2, TURN_S = 0.005;

static const pov_bench *const BENCHES[] = {&BENCH_PIPELINE,
                                           &BENCH_PIXELS,
                                           &BENCH_JPEG[0],
                                           &BENCH_JPEG[1],
                                           &BENCH_SUBSCRIBERS,
                                           &BENCH_KEYS,
                                           &BENCH_TAGS,
                                           &BENCH_TAG_IMAGE,
                                           &BENCH_PROJECTION,
                                           &BENCH_RENDERER,
                                           &BENCH_VISIBILITY[0],
                                           &BENCH_VISIBILITY[1],
                                           &BENCH_VISIBILITY[2],
                                           &BENCH_VISIBILITY[3],
                                           &BENCH_VISIBILITY[4],
                                           &BENCH_VISIBILITY[5],
                                           &BENCH_JUDGMENTS[0],
                                           &BENCH_JUDGMENTS[1],
                                           &BENCH_JUDGMENTS[2],
                                           &BENCH_JUDGMENTS[3],
                                           &BENCH_JUDGMENT_SCENES[0],
                                           &BENCH_JUDGMENT_SCENES[1],
                                           &BENCH_JUDGMENT_SCENES[2],
                                           &BENCH_JUDGMENT_SCENES[3],
                                           &BENCH_SCORES[0],
                                           &BENCH_SCORES[1],
                                           &BENCH_SCORES[2],
                                           &BENCH_RELATIONS[0],
                                           &BENCH_RELATIONS[1],
                                           &BENCH_TAG_MAP};
enum { BENCH_LEN = sizeof BENCHES / sizeof BENCHES[0] };

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Times of one run. A turn repeats short runs: else it would time the caches that the other's turn left cold. */
static double time_s(void (*run)(void *), void *work)
{
    const double start_s = now_s();
    int runs = 0;
    double elapsed_s = 0;
    while (elapsed_s < TURN_S) {
        run(work);
        runs++;
        elapsed_s = now_s() - start_s;
    }
    return elapsed_s / runs;
}

static int compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values, int len)
{
    qsort(values, (size_t)len, sizeof values[0], compare_doubles);
    return values[len / 2];
}

static void print_time(double seconds)
{
    if (seconds < 1e-6)
        printf("%.1f ns", seconds * 1e9);
    else if (seconds < 1e-3)
        printf("%.2f us", seconds * 1e6);
    else
        printf("%.2f ms", seconds * 1e3);
}

static void print_result(const pov_bench *bench, double own_s, double peer_s, int rounds)
{
    printf("%-12s ", bench->name);
    if (bench->as_rate)
        printf("%.1f %ss/s, ", 1 / own_s, bench->unit);
    print_time(own_s);
    printf(" per %s", bench->unit);
    if (bench->as_rate) {
        printf(", %.2f of the speed of %s (", peer_s / own_s, bench->peer_name);
        print_time(peer_s);
        printf(")");
    } else if (bench->run_peer) {
        if (own_s < peer_s / 2)
            printf(", %.3g times as fast as %s (", peer_s / own_s, bench->peer_name);
        else
            printf(", %.2f x %s (", own_s / peer_s, bench->peer_name);
        print_time(peer_s);
        printf(")");
    }
    printf("; median of %d; %s\n", rounds, bench->what);
    fflush(stdout);
}

/** Bench and peer take turns, so that a busy machine slows both; one turn first warms the caches. */
static void measure(const pov_bench *bench)
{
    double own_s[ROUNDS_MAX], peer_s[ROUNDS_MAX];
    void *work = bench->prepare();
    bench->run(work);
    if (bench->run_peer)
        bench->run_peer(work);
    const double start_s = now_s();
    int rounds = 0;
    while (rounds < ROUNDS_MAX && (rounds < ROUNDS_MIN || now_s() - start_s < BUDGET_S)) {
        own_s[rounds] = time_s(bench->run, work) / bench->units_per_run;
        peer_s[rounds] = bench->run_peer ? time_s(bench->run_peer, work) / bench->units_per_run : 0;
        rounds++;
    }
    bench->finish(work);
    print_result(bench, median(own_s, rounds), median(peer_s, rounds), rounds);
}

/* A benchmark's name, or the first word of several's: "judgments" for judgments_loop and judgments_batch. */
static bool is_named(const pov_bench *bench, const char *name)
{
    size_t length = strlen(name);
    return strncmp(bench->name, name, length) == 0 &&
           (bench->name[length] == '\0' || bench->name[length] == '_');
}

static bool is_any(const char *name)
{
    for (int i = 0; i < BENCH_LEN; i++)
        if (is_named(BENCHES[i], name))
            return true;
    return false;
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (!is_any(argv[i])) {
            fprintf(stderr, "pov_bench: no benchmark is called %s; there are:", argv[i]);
            for (int j = 0; j < BENCH_LEN; j++)
                fprintf(stderr, " %s", BENCHES[j]->name);
            fprintf(stderr, "\n");
            return 2;
        }
    for (int i = 0; i < BENCH_LEN; i++) {
        bool is_wanted = argc == 1;
        for (int j = 1; j < argc; j++)
            is_wanted |= is_named(BENCHES[i], argv[j]);
        if (is_wanted)
            measure(BENCHES[i]);
    }
    return 0;
}
