/** SHA-256, by OpenSSL: what tells one image, or one configuration, from another. */
#pragma once

#include "perception/status.h"

#include <stddef.h>

enum { POV_DIGEST_CAPACITY = 65 };

/** 64 hexadecimal digits. */
void pov_digest(char hex[POV_DIGEST_CAPACITY], const void *bytes, size_t length);
/** The same of many short texts: what each needs anew is prepared once. */
typedef struct pov_digest_maker pov_digest_maker;
pov_digest_maker *pov_digest_maker_new(void);
void pov_digest_maker_destroy(pov_digest_maker **maker);
void pov_digest_make(pov_digest_maker *maker, char hex[POV_DIGEST_CAPACITY], const void *bytes,
                     size_t length);
/** The same of a file of any size. */
POV_MUST_USE pov_status pov_digest_file(char hex[POV_DIGEST_CAPACITY], const char *path);
