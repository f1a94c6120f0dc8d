/** How likely a model is to say each direction: Isle-Brick's measure of a bias (Goral et al. 2025, appendix B). Pure. */
#pragma once

#include "compare/log/answer_log.h"

/** Sums, for each of north, east, south and west, the probabilities of all likely tokens that contain its word ("east", "eastward"), at the first
 *  token by which the answer names a direction, as words are read: north that only repeats the question's premise is none. "northeast"
 *  counts for both. They are as the server lists them: what it does not list is missing, and their sum may be less than 1. Looked for in the answer's first 4096 bytes.
 *  Returns: false if the result is no answer, or the server gave no probabilities of that token. */
bool pov_direction_tokens_read(double p[4], const pov_log_result *result);
