/** Agreement beyond chance of several raters (Fleiss 1971). Pure. */
#pragma once

typedef struct {
    double kappa; /* NaN: no item has two ratings, or all ratings are the same */
    double
        observed; /* mean over items of the share of its pairs of ratings that are the same; NaN: no item has two */
    int items; /* with two ratings or more */
} pov_fleiss;

/** Eq. 3 to 7. Items may have different numbers of raters: each pair of an item's ratings counts. In: counts[item][label]. */
pov_fleiss pov_fleiss_kappa(const int *counts, int items, int labels);
