#include "compare/statistics/name_set.h"
#include "perception/hash.h"

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

pov_name_set *pov_name_set_new(void)
{
    pov_name_set *set = pov_allocate(1, sizeof *set);
    *set = (pov_name_set){.bytes_capacity = 1024, .capacity = 64, .slots = 256};
    set->bytes = pov_allocate(set->bytes_capacity, 1);
    set->start = pov_allocate((size_t)set->capacity + 1, sizeof *set->start);
    set->slot = pov_allocate(set->slots, sizeof *set->slot);
    return set;
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

static uint64_t hash_name(const void *name, size_t length)
{
    const uint64_t h = pov_hash_block(name, length);
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

static void grow_bytes(pov_name_set *set, size_t needed)
{
    while (set->bytes_capacity < needed)
        set->bytes_capacity *= 2;
    set->bytes = realloc(set->bytes, set->bytes_capacity);
    POV_REQUIRE_MEMORY(set->bytes);
}

static void grow_slots(pov_name_set *set)
{
    set->capacity *= 2;
    set->slots *= 2;
    free(set->slot);
    set->slot = pov_allocate(set->slots, sizeof *set->slot);
    set->start = realloc(set->start, ((size_t)set->capacity + 1) * sizeof *set->start);
    POV_REQUIRE_MEMORY(set->start);
    for (int i = 0; i < set->len; i++)
        *find_slot(set, pov_name_set_at(set, i), set->start[i + 1] - set->start[i] - 1) = i + 1;
}

int pov_name_set_add(pov_name_set *set, const void *name, size_t length)
{
    const int known = *find_slot(set, name, length) - 1;
    if (known >= 0)
        return known;
    const size_t start = set->start[set->len];
    if (start + length + 1 > set->bytes_capacity)
        grow_bytes(set, start + length + 1);
    if (set->len == set->capacity)
        grow_slots(set);
    memcpy(set->bytes + start, name, length);
    set->bytes[start + length] = '\0';
    set->start[set->len + 1] = start + length + 1;
    *find_slot(set, name, length) = set->len + 1;
    return set->len++;
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
