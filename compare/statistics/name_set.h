/** Names (or any bytes) numbered in the order in which they first come. */
#pragma once

#include "perception/status.h"

#include <stddef.h>

typedef struct pov_name_set pov_name_set;

pov_name_set *pov_name_set_new(void);
void pov_name_set_destroy(pov_name_set **set);

/** The number of a name; a new one is copied. */
int pov_name_set_add(pov_name_set *set, const void *name, size_t length);
/** Its number; -1: it is not among them. */
int pov_name_set_find(const pov_name_set *set, const void *name, size_t length);
int pov_name_set_len(const pov_name_set *set);
/** The text added as `number`, followed by '\0'; valid until the next addition. */
const char *pov_name_set_at(const pov_name_set *set, int number);
