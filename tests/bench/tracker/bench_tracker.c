/** pov_bench_tracker [SECONDS [RUNS]]: balls that look alike, followed through simulated findings: swaps of ids, errors
 *  against covariances, time. Exit code 1 if an id is swapped where the table's angle is measured. */
#include "tests/support/tracking_score.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double cpu_s(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

static void print_tallies(const tracking_score *score)
{
    static const char *const names[TRACKING_TALLIES] = {"at rest", "with the table", "by hand",
                                                        "within 0.5 s of a change", "hidden"};
    printf("  %-26s %9s %8s %6s  %-14s %8s\n", "seen", "images", "RMS mm", "NEES", "99 % interval",
           "speed's");
    for (int i = 0; i < TRACKING_TALLIES; i++) {
        const tracking_tally *tally = &score->tally[i];
        double half = tracking_score_half_interval(tally);
        if (tally->images == 0)
            continue;
        printf("  %-26s %9d %8.2f %6.2f  %.2f to %.2f   %8.2f\n", names[i], tally->images,
               1e3 * sqrt(tally->error_m2 / tally->images), tally->nees / tally->images, 1 - half, 1 + half,
               tally->velocity_nees / tally->images);
    }
}

static int run(const char *what, tracked_world_config config, double seconds, int runs)
{
    tracking_score sum = {0};
    double start_s = cpu_s();
    for (int i = 0; i < runs; i++) {
        tracking_score score;
        config.seed = (uint64_t)i + 1;
        tracking_score_run(&score, &config, seconds);
        tracking_score_add(&sum, &score);
    }
    printf("%s: %d x %g s at %g Hz, %d balls alike; moved %d times, hidden %d times\n", what, runs, seconds,
           config.rate_hz, config.balls, sum.moves, sum.hidings);
    printf("  swaps of ids: %d; %.0f us an image\n", sum.swaps, 1e6 * (cpu_s() - start_s) / sum.images);
    print_tallies(&sum);
    return sum.swaps;
}

int main(int argc, char **argv)
{
    double seconds = argc > 1 ? atof(argv[1]) : 300;
    int runs = argc > 2 ? atoi(argv[2]) : 4, swaps = 0;
    tracked_world_config config = TRACKED_WORLD_DEFAULT;
    swaps += run("half of the error lasts", config, seconds, runs);
    config.lasting = 0;
    swaps += run("none of the error lasts", config, seconds, runs);
    config.lasting = 1;
    swaps += run("all of the error lasts", config, seconds, runs);
    config.lasting = 0.5;
    config.table_measured = false;
    (void)run("a table whose angle nobody measures", config, seconds, runs);
    return swaps > 0;
}
