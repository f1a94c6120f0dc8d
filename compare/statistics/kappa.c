#include "compare/statistics/kappa.h"

#include "perception/status.h"

#include <math.h>
#include <stdlib.h>

pov_fleiss pov_fleiss_kappa(const int *counts, int items, int labels)
{
    double *shares = pov_allocate((size_t)labels + 1, sizeof *shares), agreed = 0, chance = 0;
    pov_fleiss found = {.kappa = NAN, .observed = NAN};
    int all = 0;
    for (int i = 0; i < items; i++) {
        const int *of = counts + (size_t)i * (size_t)labels;
        int n = 0, pairs = 0;
        for (int k = 0; k < labels; k++) {
            n += of[k];
            pairs += of[k] * (of[k] - 1);
        }
        if (n < 2)
            continue;
        found.items++;
        all += n;
        agreed += (double)pairs / (n * (n - 1));
        for (int k = 0; k < labels; k++)
            shares[k] += of[k];
    }
    for (int k = 0; k < labels && all > 0; k++)
        chance += shares[k] / all * (shares[k] / all);
    free(shares);
    if (found.items == 0)
        return found;
    found.observed = agreed / found.items;
    if (chance < 1)
        found.kappa = (found.observed - chance) / (1 - chance);
    return found;
}
