/** Seeded random numbers for tests: the same on every machine. */
#pragma once

#include <math.h>
#include <stdint.h>

typedef struct {
    uint64_t state;
} test_random;

/** splitmix64: Steele, Lea & Flood 2014. */
static inline uint64_t test_random_u64(test_random *random)
{
    uint64_t z = random->state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/** Uniform in [low, high). */
static inline double test_random_between(test_random *random, double low, double high)
{
    return low + (high - low) * ((double)(test_random_u64(random) >> 11) * 0x1p-53);
}

/** Standard normal: Box & Muller 1958. */
static inline double test_random_normal(test_random *random)
{
    const double u = test_random_between(random, 0x1p-60, 1);
    return sqrt(-2 * log(u)) * cos(6.283185307179586 * test_random_between(random, 0, 1));
}
