/** Outcomes of calls that the world can make fail, and the abort for misuse by our own code. */
#pragma once

#include <stddef.h>

#include <stdbool.h>

typedef enum {
    POV_OK,
    POV_UNDEFINED, /* the question has no answer here; not a failure */
    POV_TIMEOUT,   /* nothing came within the time given; ask again */
    POV_END,       /* the source has nothing more, ever */
    POV_SKIPPED,   /* this item is unusable, the next may be fine; the message names it */
    POV_ERROR      /* the message names the file, line, key or device and how to mend it */
} pov_code;

enum { POV_MESSAGE_CAPACITY = 400 };

/** Result of a fallible call. `message` is "" when there is nothing to say, else one line without a final newline. */
typedef struct {
    pov_code code;
    char message[POV_MESSAGE_CAPACITY];
} pov_status;

#define POV_MUST_USE __attribute__((warn_unused_result))

/** A status without a message; only the first byte of `message` is written. */
static inline pov_status pov_status_of(pov_code code)
{
    pov_status status;
    status.code = code;
    status.message[0] = '\0';
    return status;
}

static inline pov_status pov_ok(void)
{
    return pov_status_of(POV_OK);
}

/** A status with a printf-style message; a message too long is cut at the capacity. */
pov_status pov_status_with(pov_code code, const char *format, ...) __attribute__((format(printf, 2, 3)));

/** Shorthand for pov_status_with(POV_ERROR, ...). */
pov_status pov_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** Prints where and what, then aborts: for broken contracts between our own modules, never for bad input. */
void pov_abort(const char *file, int line, const char *condition) __attribute__((noreturn));

#define POV_REQUIRE(condition) ((condition) ? (void)0 : pov_abort(__FILE__, __LINE__, #condition))

/** Says that memory ran out and ends the program with exit code 1: for use while a program sets up, when nothing would be lost. Code
 *  that runs for each image returns an error instead, and so does libpov. */
void pov_end_without_memory(void) __attribute__((noreturn));

/** Zeroed memory for `count` items; without it the program ends likewise. */
void *pov_allocate(size_t count, size_t size) __attribute__((malloc, alloc_size(1, 2), returns_nonnull));

#define POV_REQUIRE_MEMORY(pointer) ((pointer) ? (void)0 : pov_end_without_memory())

/** Returns from the caller with the status of `call` unless that is POV_OK. */
#define POV_TRY(call)                                                                                        \
    do {                                                                                                     \
        pov_status pov_try_status = (call);                                                                  \
        if (pov_try_status.code != POV_OK)                                                                   \
            return pov_try_status;                                                                           \
    } while (0)

/** Sets `status` to that of `call`, unless an earlier step failed: for steps that must be followed by clean-up. */
#define POV_THEN(status, call) ((status).code == POV_OK ? (void)((status) = (call)) : (void)0)

/** Defines `const char *FUNCTION(TYPE value)`: the name of each value of an enum that counts from 0 to COUNT - 1. */
#define POV_ENUM_NAMES(FUNCTION, TYPE, COUNT, ...)                                                           \
    const char *FUNCTION(TYPE value)                                                                         \
    {                                                                                                        \
        static const char *const names[] = {__VA_ARGS__};                                                    \
        _Static_assert(sizeof names / sizeof *names == (COUNT), "a name for each value");                    \
        POV_REQUIRE((unsigned)value < (unsigned)(COUNT));                                                    \
        return names[value];                                                                                 \
    }
