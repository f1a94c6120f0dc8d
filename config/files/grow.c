#include "config/files/grow.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

bool pov_grow(void *array, int *capacity, int len, size_t size)
{
    void *items;
    if (len < *capacity)
        return true;
    if (len > INT_MAX / 2 - 64)
        return false;
    const int larger = 2 * len + 64; /* the first allocation holds most lists: chosen */
    memcpy(&items, array, sizeof items);
    items = realloc(items, (size_t)larger * size);
    if (!items)
        return false;
    memcpy(array, &items, sizeof items);
    *capacity = larger;
    return true;
}
