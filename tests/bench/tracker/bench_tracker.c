/** pov_bench_tracker [SECONDS [RUNS [FIRST_SEED]]]: balls that look alike, followed through simulated findings: swaps of ids,
 *  errors against covariances, time. Exit code 1 if ids stay swapped where the table's angle is measured. */
#include "tests/support/tracking_score.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

typedef struct {
    double seconds;
    int runs;
    uint64_t first_seed;
} extent;

static double cpu_s(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

static void print_tally(const char *name, const tracking_tally *tally)
{
    double half = tracking_score_half_interval(tally);
    if (tally->images > 0)
        printf("  %-26s %9d %8.2f %6.2f  %.2f to %.2f   %8.2f\n", name, tally->images,
               1e3 * sqrt(tally->error_m2 / tally->images), tally->nees / tally->images, 1 - half, 1 + half,
               tally->velocity_nees / tally->images);
}

static void print_tallies(const tracking_score *score)
{
    static const char *const names[TRACKING_TALLIES] = {
        "at rest",          "with the table", "by hand", "changed < 0.1 s ago",
        "0.1 to 0.2 s ago", "0.2 to 0.5 s",   "hidden"};
    tracking_tally seen = tracking_score_seen(score);
    printf("  %-26s %9s %8s %6s  %-14s %8s\n", "seen", "images", "RMS mm", "NEES", "99 % interval",
           "speed's");
    for (int i = 0; i < TRACKING_TALLIES; i++)
        print_tally(names[i], &score->tally[i]);
    print_tally("all that is seen", &seen);
}

static int run(const char *what, tracked_world_config config, const extent *over)
{
    tracking_score sum = {0};
    double start_s = cpu_s();
    for (int i = 0; i < over->runs; i++) {
        tracking_score score;
        config.seed = over->first_seed + (uint64_t)i;
        tracking_score_run(&score, &config, over->seconds);
        tracking_score_add(&sum, &score);
    }
    printf("%s: %d x %g s at %g Hz, %d balls alike; moved %d times, hidden %d times\n", what, over->runs,
           over->seconds, config.rate_hz, config.balls, sum.moves, sum.hidings);
    printf("  ids that went over to another ball: %d, came back: %d; told to move another way long after a "
           "change: %.2f %%; %.0f us an image\n",
           sum.swaps, sum.mended, 100.0 * sum.wrong_motion / tracking_score_seen(&sum).images,
           1e6 * (cpu_s() - start_s) / sum.images);
    printf("  under another's id: %.3f %% of balls in all images; told so: %.3f %%\n",
           100.0 * sum.others / sum.balls, 100 * sum.doubted / sum.balls);
    print_tallies(&sum);
    return sum.swaps - sum.mended;
}

int main(int argc, char **argv)
{
    extent over = {argc > 1 ? atof(argv[1]) : 300, argc > 2 ? atoi(argv[2]) : 4,
                   argc > 3 ? (uint64_t)atoll(argv[3]) : 1};
    int swaps = 0;
    tracked_world_config config = TRACKED_WORLD_DEFAULT;
    swaps += run("half of the error lasts", config, &over);
    config.lasting = 0;
    swaps += run("none of the error lasts", config, &over);
    config.lasting = 1;
    swaps += run("all of the error lasts", config, &over);
    config.lasting = 0.5;
    config.table_measured = false;
    (void)run("a table whose angle nobody measures", config, &over);
    return swaps > 0;
}
