/** A part of a work that several processes share: K of N, by position. */
#pragma once

#include "firmware/options.h"

/** {0}: the whole. */
typedef struct {
    int index, len; /* 0 <= index < len */
} pov_shard;

/** Takes a pov_shard: "3/100", from 0; or "slurm": the place of this task in its job array, as the environment tells. */
pov_option_take pov_shard_take;

/** This shard's part of `total` things: from `first` up to, not including, `end`. Each thing is in one shard. */
void pov_shard_range(const pov_shard *shard, int64_t *first, int64_t *end, int64_t total);

#define POV_SHARD(TYPE, MEMBER, ...)                                                                         \
    POV_TAKEN(TYPE, MEMBER, "shard", "K/N", pov_shard_take,                                                  \
              "K of N, or slurm, the job array's task: " __VA_ARGS__)
