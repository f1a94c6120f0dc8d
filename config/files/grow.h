/** Arrays that grow. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/** Makes room for one more item after `len` items of `size` bytes. `array` is the address of the pointer to the items.
 *  Returns: false without memory; array and capacity are then as before. */
bool pov_grow(void *array, int *capacity, int len, size_t size);
