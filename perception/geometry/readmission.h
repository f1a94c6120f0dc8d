/** Takes outliers of a first robust fit back where they fit after all. That fit rests on few observations, or on outliers
 *  among them, and drops too many. Nothing is dropped here: in the end at most the first fit's outliers are. */
#pragma once

#include <stdbool.h>

typedef struct {
    void *context;
    int len; /* observations, or groups of them: images */
    /* How far an outlier is from the present fit, in any unit; infinite if it is none, or cannot be taken back. */
    double (*misfit)(void *context, int i);
    /* Fits again with this outlier. Keeps both if it then fits as the others do, else puts both back and returns false. */
    bool (*take_back)(void *context, int i);
} pov_readmission;

/** The nearest first; who failed is tried again after each success, since the fit has changed. Out: is_tried: `len` flags of
 *  scratch. Returns how often one was taken back. */
int pov_readmit(bool *is_tried, const pov_readmission *readmission);
