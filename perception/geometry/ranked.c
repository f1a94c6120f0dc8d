#include "perception/geometry/ranked.h"

#include <math.h>

/* Hoare's selection, as in Wirth 1976, p. 84. */
double pov_ranked(double *values, int len, int rank)
{
    if (len == 0)
        return NAN;
    for (int low = 0, high = len - 1; low < high;) {
        const double pivot = values[rank];
        int i = low, j = high;
        while (i <= j) {
            while (values[i] < pivot)
                i++;
            while (pivot < values[j])
                j--;
            if (i <= j) {
                const double value = values[i];
                values[i++] = values[j];
                values[j--] = value;
            }
        }
        if (j < rank)
            low = i;
        if (rank < i)
            high = j;
    }
    return values[rank];
}

double pov_median(double *values, int len)
{
    const double upper = pov_ranked(values, len, len / 2);
    if (len % 2 || len == 0)
        return upper;
    return (pov_ranked(values, len, len / 2 - 1) + upper) / 2;
}

double pov_quantile(double *values, int len, double share)
{
    return pov_ranked(values, len, (int)fmin(len - 1, share * len));
}
