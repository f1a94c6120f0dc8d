#include "protocol/ros2/cdr_writer.h"

#include <stdlib.h>
#include <string.h>

enum { HEADER = 4 }; /* alignment counts from behind it */

void pov_cdr_put_bytes(pov_cdr_writer *writer, const void *bytes, size_t len)
{
    if (writer->len + len > writer->capacity) {
        const size_t capacity = 2 * (writer->len + len) + 1024;
        uint8_t *grown = realloc(writer->bytes, capacity);
        writer->failed |= !grown;
        if (!grown)
            return;
        writer->bytes = grown;
        writer->capacity = capacity;
    }
    if (len > 0)
        memcpy(writer->bytes + writer->len, bytes, len);
    writer->len += len;
}

void pov_cdr_begin(pov_cdr_writer *writer)
{
    static const uint8_t little_endian[HEADER] = {0, 1, 0, 0};
    writer->len = 0;
    writer->failed = false;
    pov_cdr_put_bytes(writer, little_endian, sizeof little_endian);
}

void pov_cdr_free(pov_cdr_writer *writer)
{
    free(writer->bytes);
    *writer = (pov_cdr_writer){.bytes = NULL};
}

void pov_cdr_put_whole(pov_cdr_writer *writer, uint64_t value, size_t size)
{
    uint8_t bytes[16] = {0};
    const size_t gap = (size - (writer->len - HEADER) % size) % size;
    for (size_t i = 0; i < size; i++)
        bytes[gap + i] = (uint8_t)(value >> 8 * i);
    pov_cdr_put_bytes(writer, bytes, gap + size);
}

void pov_cdr_put_number(pov_cdr_writer *writer, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    pov_cdr_put_whole(writer, bits, sizeof bits);
}

void pov_cdr_put_short_number(pov_cdr_writer *writer, double value)
{
    const float narrow = (float)value;
    uint32_t bits;
    memcpy(&bits, &narrow, sizeof bits);
    pov_cdr_put_whole(writer, bits, sizeof bits);
}

void pov_cdr_put_numbers(pov_cdr_writer *writer, const double *values, int len)
{
    for (int i = 0; i < len; i++)
        pov_cdr_put_number(writer, values[i]);
}

void pov_cdr_put_text_of(pov_cdr_writer *writer, const char *text, size_t len)
{
    pov_cdr_put_whole(writer, len + 1, 4);
    pov_cdr_put_bytes(writer, text, len);
    pov_cdr_put_bytes(writer, "", 1);
}

void pov_cdr_put_text(pov_cdr_writer *writer, const char *text)
{
    pov_cdr_put_text_of(writer, text, strlen(text));
}
