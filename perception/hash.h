/** FNV-1a (Fowler, Noll & Vo): hashes that are the same on every machine. For tables and for telling whether something has changed;
 *  not against an adversary. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define POV_HASH_START   UINT64_C(14695981039346656037)
#define POV_HASH32_START UINT32_C(2166136261)

/** The hash so far, with one more value; a value below 256 is FNV-1a's byte. */
static inline uint64_t pov_hash_value(uint64_t hash, uint64_t value)
{
    return (hash ^ value) * UINT64_C(1099511628211);
}

static inline uint64_t pov_hash_bytes(uint64_t hash, const void *bytes, size_t len)
{
    const uint8_t *byte = bytes;
    for (size_t i = 0; i < len; i++)
        hash = pov_hash_value(hash, byte[i]);
    return hash;
}

/** Without its final zero byte: hash that, or another value, where several texts follow one another. */
static inline uint64_t pov_hash_text(uint64_t hash, const char *text)
{
    for (; *text != '\0'; text++)
        hash = pov_hash_value(hash, (uint8_t)*text);
    return hash;
}

/** Another hash, several times as fast: eight bytes a step. For tables of this process only: it depends on the machine's byte order. */
static inline uint64_t pov_hash_block(const void *bytes, size_t len)
{
    const uint8_t *at = bytes;
    uint64_t hash = POV_HASH_START ^ len;
    while (len > 0) {
        const size_t step = len < sizeof hash ? len : sizeof hash;
        uint64_t word = 0;
        memcpy(&word, at, step);
        hash = (hash ^ word) *
               UINT64_C(0x9e3779b97f4a7c15); /* 2^64 / the golden ratio: Knuth, volume 3, section 6.4 */
        hash ^= hash >> 32;
        at += step;
        len -= step;
    }
    return hash;
}

static inline uint32_t pov_hash32_value(uint32_t hash, uint32_t value)
{
    return (hash ^ value) * UINT32_C(16777619);
}

static inline uint32_t pov_hash32_text(uint32_t hash, const char *text)
{
    for (; *text != '\0'; text++)
        hash = pov_hash32_value(hash, (uint8_t)*text);
    return hash;
}
