/** Random numbers that depend on nothing but their arguments: pixels can be drawn in any order. */
#ifndef POV_SIM_RENDER_SENSOR_NOISE_H
#define POV_SIM_RENDER_SENSOR_NOISE_H

#include <stdint.h>

/** 64 bits for an index of a stream. */
uint64_t pov_noise_bits(uint64_t stream, uint64_t index);

/** Electrons counted where `mean_e` are expected, with the error of reading them. Below 30, Poisson's distribution exactly;
 *  above, the normal one of that variance. */
double pov_noise_electrons(uint64_t bits, double mean_e, double read_std_e);

#endif
