/** Counts what our own code allocates: a test whose name ends in _allocation is linked so that every call of malloc,
 *  calloc, realloc and qsort (of a kilobyte, which older glibc sorts in allocated memory) in our statically linked code, but none in a library, comes through here. Include once. */
#pragma once

#include <stdlib.h>

#ifndef COUNT_ALLOCATIONS_OF /* _Thread_local: those of the thread that asks */
#define COUNT_ALLOCATIONS_OF
#endif
static COUNT_ALLOCATIONS_OF int allocations;

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *memory, size_t size);

void __real_qsort(void *values, size_t count, size_t size, int (*compare)(const void *, const void *));
void __wrap_qsort(void *values, size_t count, size_t size, int (*compare)(const void *, const void *));

void __wrap_qsort(void *values, size_t count, size_t size, int (*compare)(const void *, const void *))
{
    allocations += count * size >= 1024;
    __real_qsort(values, count, size, compare);
}

void *__wrap_malloc(size_t size)
{
    allocations++;
    return __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    allocations++;
    return __real_calloc(count, size);
}

void *__wrap_realloc(void *memory, size_t size)
{
    allocations++;
    return __real_realloc(memory, size);
}
