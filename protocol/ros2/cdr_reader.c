#include "protocol/ros2/cdr_reader.h"

#include <string.h>

enum { HEADER = 4 };

pov_cdr_reader pov_cdr_read(const uint8_t *bytes, size_t len)
{
    pov_cdr_reader r = {.bytes = bytes, .len = len, .at = HEADER};
    r.failed = len < HEADER || bytes[0] != 0 || bytes[1] > 1;
    r.is_big_endian = !r.failed && bytes[1] == 0;
    return r;
}

/* NULL: there are not so many. */
const uint8_t *pov_cdr_take_bytes(pov_cdr_reader *r, size_t count)
{
    if (r->failed || count > r->len - r->at) {
        r->failed = true;
        return NULL;
    }
    const uint8_t *start = r->bytes + r->at;
    r->at += count;
    return start;
}

uint64_t pov_cdr_take_whole(pov_cdr_reader *r, size_t size)
{
    uint64_t value = 0;
    if (!r->failed)
        (void)pov_cdr_take_bytes(r, (size - (r->at - HEADER) % size) % size);
    const uint8_t *from = pov_cdr_take_bytes(r, size);
    for (size_t i = 0; from && i < size; i++)
        value |= (uint64_t)from[r->is_big_endian ? size - 1 - i : i] << 8 * i;
    return value;
}

uint32_t pov_cdr_take_count(pov_cdr_reader *r)
{
    return (uint32_t)pov_cdr_take_whole(r, 4);
}

double pov_cdr_take_number(pov_cdr_reader *r)
{
    const uint64_t bits = pov_cdr_take_whole(r, 8);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

void pov_cdr_take_numbers(pov_cdr_reader *r, double *values, int len)
{
    for (int i = 0; i < len; i++)
        values[i] = pov_cdr_take_number(r);
}

/* Its length is told with the zero at its end. */
const char *pov_cdr_take_text(pov_cdr_reader *r, size_t *len)
{
    const uint32_t told = pov_cdr_take_count(r);
    const char *text = (const char *)pov_cdr_take_bytes(r, told);
    *len = text && told > 0 ? told - (text[told - 1] == '\0') : 0;
    return text && told > 0 ? text : "";
}
