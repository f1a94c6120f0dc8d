/* To be preloaded: the Nth allocation (POV_FAULT) by pov's own code fails. Writes how many there were into the file POV_FAULT_COUNT. */
#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);

static atomic_long count;
static long target = -1;

__attribute__((constructor)) static void read_target(void)
{
    const char *text = getenv("POV_FAULT");
    target = text ? atol(text) : -1;
}

__attribute__((destructor)) static void write_count(void)
{
    const char *path = getenv("POV_FAULT_COUNT");
    FILE *stream = path ? fopen(path, "w") : NULL;
    target = -1;
    if (!stream)
        return;
    fprintf(stream, "%ld\n", atomic_load(&count));
    fclose(stream);
}

static bool is_due(void *caller)
{
    static _Thread_local bool is_looking;
    Dl_info where;
    if (target < 0 || is_looking)
        return false;
    is_looking = true;
    const char *name = dladdr(caller, &where) && where.dli_fname ? strrchr(where.dli_fname, '/') : NULL;
    is_looking = false;
    const bool is_own = name && (strcmp(name, "/pov") == 0 || strncmp(name, "/libpov", 7) == 0);
    if (!is_own || atomic_fetch_add(&count, 1) + 1 != target)
        return false;
    errno = ENOMEM;
    return true;
}

void *malloc(size_t size)
{
    return is_due(__builtin_return_address(0)) ? NULL : __libc_malloc(size);
}

void *calloc(size_t items, size_t size)
{
    return is_due(__builtin_return_address(0)) ? NULL : __libc_calloc(items, size);
}

void *realloc(void *memory, size_t size)
{
    return is_due(__builtin_return_address(0)) ? NULL : __libc_realloc(memory, size);
}
