/** CDR as ROS 2 sends it: little endian, XCDR1, final types. A message grows in a buffer that is kept for the next. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
    uint8_t *bytes;
    size_t len, capacity;
    bool failed; /* for want of memory */
} pov_cdr_writer;

void pov_cdr_begin(pov_cdr_writer *writer);
void pov_cdr_free(pov_cdr_writer *writer);

void pov_cdr_put_bytes(pov_cdr_writer *writer, const void *bytes, size_t len);
/** A whole number of 1, 2, 4 or 8 bytes, aligned to its size. */
void pov_cdr_put_whole(pov_cdr_writer *writer, uint64_t value, size_t size);
void pov_cdr_put_number(pov_cdr_writer *writer, double value);
void pov_cdr_put_numbers(pov_cdr_writer *writer, const double *values, int len);
/** A float of 32 bits. */
void pov_cdr_put_short_number(pov_cdr_writer *writer, double value);
void pov_cdr_put_text(pov_cdr_writer *writer, const char *text);
void pov_cdr_put_text_of(pov_cdr_writer *writer, const char *text, size_t len);
