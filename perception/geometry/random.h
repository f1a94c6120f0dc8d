/** Random numbers of a seed, the same on every machine: splitmix64 (Steele, Lea & Flood 2014). */
#pragma once

#include <stdint.h>

#define POV_RANDOM_STEP 0x9e3779b97f4a7c15u /* 2^64 / golden ratio (SplitMix64, Steele et al. 2014) */

/** Its finaliser: bits that depend on nothing but `z`. */
static inline uint64_t pov_random_mix(uint64_t z)
{
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/** The next of a sequence. */
static inline uint64_t pov_random_next(uint64_t *state)
{
    return pov_random_mix(*state += POV_RANDOM_STEP);
}

/** Uniform in [0, 1), of random bits. */
static inline double pov_random_fraction(uint64_t bits)
{
    return (double)(bits >> 11) * 0x1p-53;
}
