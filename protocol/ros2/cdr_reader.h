/** CDR as ROS 2 sends it (XCDR1, final types), of either byte order and from anybody. Once something does not fit, `failed` is set and all that
 *  follows is zero. Nothing is allocated; what is taken points into the bytes. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
    const uint8_t *bytes;
    size_t len, at;
    bool is_big_endian, failed;
} pov_cdr_reader;

pov_cdr_reader pov_cdr_read(const uint8_t *bytes, size_t len);

/** NULL: there are not so many. */
const uint8_t *pov_cdr_take_bytes(pov_cdr_reader *r, size_t count);
/** A whole number of 1, 2, 4 or 8 bytes, aligned to its size. */
uint64_t pov_cdr_take_whole(pov_cdr_reader *r, size_t size);
uint32_t pov_cdr_take_count(pov_cdr_reader *r);
double pov_cdr_take_number(pov_cdr_reader *r);
void pov_cdr_take_numbers(pov_cdr_reader *r, double *values, int len);
/** Without the zero at its end, with which its length is told. */
const char *pov_cdr_take_text(pov_cdr_reader *r, size_t *len);
