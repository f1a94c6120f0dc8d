/** Seeded random numbers, the same on every machine. */
#ifndef POV_SIM_WORLDS_DICE_H
#define POV_SIM_WORLDS_DICE_H

#include "sim/render/sensor_noise.h"

typedef struct {
    uint64_t stream, index;
} pov_dice;

/** In [low, high). */
static inline double pov_dice_between(pov_dice *dice, double low, double high)
{
    return low + (high - low) * ((double)(pov_noise_bits(dice->stream, dice->index++) >> 11) * 0x1p-53);
}

/** In 0 .. len - 1. */
static inline int pov_dice_pick(pov_dice *dice, int len)
{
    return (int)pov_dice_between(dice, 0, len);
}

#endif
