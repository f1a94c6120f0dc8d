#include "compare/statistics/name_set.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct pov_name_set {
    char *bytes;   /* the names, each followed by '\0' */
    size_t *start; /* of each name; start[len] is the end */
    size_t bytes_capacity;
    int len, capacity;
    int *slot; /* open addressing: number + 1, or 0 */
    size_t slots;
};

pov_status pov_name_set_new(pov_name_set **set)
{
    pov_name_set *made = calloc(1, sizeof *made);
    if (made) {
        made->capacity = 64;
        made->slots = 256;
        made->bytes_capacity = 1024;
        made->bytes = malloc(made->bytes_capacity);
        made->start = calloc((size_t)made->capacity + 1, sizeof *made->start);
        made->slot = calloc(made->slots, sizeof *made->slot);
    }
    *set = made;
    if (made && made->bytes && made->start && made->slot)
        return pov_ok();
    pov_name_set_destroy(set);
    return pov_error("out of memory");
}

void pov_name_set_destroy(pov_name_set **set)
{
    if (!*set)
        return;
    free((*set)->bytes);
    free((*set)->start);
    free((*set)->slot);
    free(*set);
    *set = NULL;
}

/* FNV-1a (Fowler, Noll & Vo). */
static uint64_t hash_name(const void *name, size_t length)
{
    const unsigned char *bytes = name;
    uint64_t h = 14695981039346656037u;
    for (size_t i = 0; i < length; i++)
        h = (h ^ bytes[i]) * 1099511628211u;
    return h ^ h >> 29;
}

static bool is_at(const pov_name_set *set, int number, const void *name, size_t length)
{
    size_t start = set->start[number];
    return set->start[number + 1] - start == length + 1 && memcmp(set->bytes + start, name, length) == 0;
}

/* The slot that holds the name, or the free one where it belongs. */
static int *find_slot(const pov_name_set *set, const void *name, size_t length)
{
    size_t i = hash_name(name, length) & (set->slots - 1);
    while (set->slot[i] && !is_at(set, set->slot[i] - 1, name, length))
        i = (i + 1) & (set->slots - 1);
    return &set->slot[i];
}

static bool grow_bytes(pov_name_set *set, size_t needed)
{
    size_t capacity = set->bytes_capacity;
    while (capacity < needed)
        capacity *= 2;
    char *bytes = capacity > set->bytes_capacity ? realloc(set->bytes, capacity) : set->bytes;
    if (!bytes)
        return false;
    set->bytes = bytes;
    set->bytes_capacity = capacity;
    return true;
}

static bool grow_slots(pov_name_set *set)
{
    if (set->len < set->capacity)
        return true;
    size_t *start = realloc(set->start, (2 * (size_t)set->capacity + 1) * sizeof *start);
    if (start)
        set->start = start;
    int *slot = calloc(2 * set->slots, sizeof *slot);
    if (!start || !slot) {
        free(slot);
        return false;
    }
    free(set->slot);
    set->slot = slot;
    set->slots *= 2;
    set->capacity *= 2;
    for (int i = 0; i < set->len; i++)
        *find_slot(set, pov_name_set_at(set, i), set->start[i + 1] - set->start[i] - 1) = i + 1;
    return true;
}

pov_status pov_name_set_add(pov_name_set *set, int *number, const void *name, size_t length)
{
    int *slot = find_slot(set, name, length);
    *number = *slot - 1;
    if (*slot)
        return pov_ok();
    size_t start = set->start[set->len];
    if (!grow_bytes(set, start + length + 1) || !grow_slots(set))
        return pov_error("out of memory for %d names", set->len);
    memcpy(set->bytes + start, name, length);
    set->bytes[start + length] = '\0';
    set->start[set->len + 1] = start + length + 1;
    *number = set->len++;
    *find_slot(set, name, length) = set->len;
    return pov_ok();
}

int pov_name_set_find(const pov_name_set *set, const void *name, size_t length)
{
    return *find_slot(set, name, length) - 1;
}

int pov_name_set_len(const pov_name_set *set)
{
    return set->len;
}

const char *pov_name_set_at(const pov_name_set *set, int number)
{
    POV_REQUIRE(number >= 0 && number < set->len);
    return set->bytes + set->start[number];
}
