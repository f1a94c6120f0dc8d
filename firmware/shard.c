#include "firmware/shard.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

static bool read_whole(long *value, const char *text)
{
    char *end;
    *value = text ? strtol(text, &end, 10) : 0;
    return text && *text && !*end && *value >= 0 && *value < INT_MAX;
}

/* Ids may begin anywhere; those with gaps say nothing about a place. */
static pov_status read_slurm(pov_shard *shard)
{
    long id, first, last, len;
    if (!read_whole(&id, getenv("SLURM_ARRAY_TASK_ID")) ||
        !read_whole(&first, getenv("SLURM_ARRAY_TASK_MIN")) ||
        !read_whole(&last, getenv("SLURM_ARRAY_TASK_MAX")) ||
        !read_whole(&len, getenv("SLURM_ARRAY_TASK_COUNT")))
        return pov_error(
            "takes K/N, as in 3/100; 'slurm' is for tasks of a job array ('sbatch --array=0-99'), "
            "which have SLURM_ARRAY_TASK_ID, _MIN, _MAX and _COUNT in the environment");
    if (len < 1 || last - first + 1 != len || id < first || id > last)
        return pov_error("takes K/N, as in 3/100; 'slurm' needs an array without gaps, such as 0-99, not %ld "
                         "tasks from %ld to %ld",
                         len, first, last);
    *shard = (pov_shard){(int)(id - first), (int)len};
    return pov_ok();
}

pov_status pov_shard_take(void *value, const char *text)
{
    pov_shard *shard = value;
    int length = 0;
    if (strcmp(text, "slurm") == 0)
        return read_slurm(shard);
    const bool good = sscanf(text, "%d/%d%n", &shard->index, &shard->len, &length) == 2 && !text[length];
    return good && shard->len >= 1 && shard->index >= 0 && shard->index < shard->len
               ? pov_ok()
               : pov_error("takes K/N with 0 <= K < N, as in 3/100, or 'slurm', not '%s'", text);
}

void pov_shard_range(const pov_shard *shard, int64_t *first, int64_t *end, int64_t total)
{
    const int64_t len = shard->len > 0 ? shard->len : 1, each = total / len, more = total % len;
    *first = each * shard->index + (shard->index < more ? shard->index : more);
    *end = *first + each + (shard->index < more);
}
