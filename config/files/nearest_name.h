/** Suggests the nearest known name for a misspelt one. */
#pragma once

/** The entry of `names` nearest to `word` by edit distance, or NULL if none is near. */
const char *pov_nearest_name(const char *word, const char *const names[], int count);
