/** Ratings of places as comma-separated values, as a lab exports them. */
#pragma once

#include "perception/relations/expectation/template_fit.h"

typedef struct {
    pov_rating *ratings;
    int len;
    bool has_distance;
} pov_ratings;

/** Reads a file whose first line names its columns: `angle_deg` and `rating`, and optionally `distance_m`; others are
 *  not looked at. Ratings from `low` to `high` become 0 to 1. Empty lines and lines that start with # are skipped.
 *  Errors name file, line and column. On error there are none. Free with pov_ratings_free. */
POV_MUST_USE pov_status pov_ratings_read(pov_ratings *ratings, const char *path, double low, double high);
void pov_ratings_free(pov_ratings *ratings);
