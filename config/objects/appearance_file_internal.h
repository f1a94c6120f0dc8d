/** Bytes of an enrolled object's file that come or go, by one list of fields. Private to config/objects/appearance_file.c and
 *  portrait_file.c. */
#pragma once

#include "perception/appearance/portrait.h"
#include "perception/status.h"

#include <stddef.h>

typedef struct {
    unsigned char *bytes;
    size_t length, at;
    bool writes, is_short; /* is_short: something did not fit, and no more passes */
} passage;

void pass(passage *p, void *field, size_t size);
void pass_integer(passage *p, int *field);

/* Read: POV_ERROR naming what cannot be. NULL: writes that there are none. */
POV_MUST_USE pov_status pass_portraits(passage *p, pov_portraits *portraits, const char *name);
