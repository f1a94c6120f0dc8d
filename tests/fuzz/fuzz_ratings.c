/* The reader takes a path: the bytes are given to it as a file in memory. */
#include "config/scene/ratings_file.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    char path[32];
    int file = memfd_create("ratings", 0);
    if (file < 0 || write(file, bytes, length) != (ssize_t)length)
        abort();
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    pov_ratings ratings;
    pov_status status = pov_ratings_read(&ratings, path, 1, 7);
    if (status.code != POV_OK && ratings.len != 0)
        abort();
    for (int i = 0; i < ratings.len; i++)
        if (!(ratings.ratings[i].rating >= 0 && ratings.ratings[i].rating <= 1) ||
            !isfinite(ratings.ratings[i].theta_rad))
            abort();
    pov_ratings_free(&ratings);
    close(file);
    return 0;
}
