/** Mutators for libFuzzer that know a format. Each reads the input as a list of parts, changes one part, and writes all again with
 *  right lengths and checksums, so that the change comes to the code behind these. Bytes that are not of the format are mutated as bytes. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** libFuzzer's own mutator. */
size_t LLVMFuzzerMutate(uint8_t *bytes, size_t length, size_t capacity);
/** A fuzzer that wants one of the mutators below calls it here. */
size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t length, size_t capacity, unsigned seed);

/** Bytes that may grow up to `capacity`. */
typedef struct {
    uint8_t *bytes;
    size_t length, capacity;
} fuzz_text;

/** xorshift64*: never 0. */
typedef struct {
    uint64_t state;
} fuzz_random;

/** From 0 to count - 1. */
size_t fuzz_choose(fuzz_random *random, size_t count);

typedef struct {
    uint64_t tag; /* the format's: the number and type of a field, the name of a chunk */
    const uint8_t *body;
    size_t length;
} fuzz_part;

typedef struct {
    size_t prefix; /* bytes before the first part, which stay */
    /** Reads the first part; returns how many bytes it takes; 0: there is none. */
    size_t (*take)(fuzz_part *part, const uint8_t *bytes, size_t length);
    /** Appends a part; false: there is no room. */
    bool (*put)(fuzz_text *text, const fuzz_part *part);
    /** Changes a part's body, which fills a buffer of its own. */
    void (*change)(fuzz_text *body, uint64_t tag, fuzz_random *random);
    /** After all parts are written: offsets and checksums of the whole. May be NULL. */
    void (*mend)(fuzz_text *text);
} fuzz_format;

/** Returns: the new length; 0 if the bytes are not of the format, and are as they were. */
size_t fuzz_mutate_parts(const fuzz_format *format, fuzz_text text, fuzz_random *random);

bool fuzz_append(fuzz_text *text, const void *bytes, size_t length);
uint64_t fuzz_get_little(const uint8_t *bytes, int count);
void fuzz_put_little(uint8_t *bytes, uint64_t value, int count);
uint64_t fuzz_get_big(const uint8_t *bytes, int count);
void fuzz_put_big(uint8_t *bytes, uint64_t value, int count);

/** Protocol buffers, of any schema: fields, and in them fields. */
size_t fuzz_mutate_protobuf(uint8_t *bytes, size_t length, size_t capacity, unsigned seed);
/** As a part of another format. */
void fuzz_change_protobuf(fuzz_text *body, fuzz_random *random);
/** PNG: chunks, and the packed pixels in them. JPEG: segments, and the coded pixels between them. */
size_t fuzz_mutate_picture(uint8_t *bytes, size_t length, size_t capacity, unsigned seed);
/** MCAP: records, those in packed chunks, and the protobuf in messages. */
size_t fuzz_mutate_mcap(uint8_t *bytes, size_t length, size_t capacity, unsigned seed);
