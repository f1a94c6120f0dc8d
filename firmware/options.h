/** The options of a command, declared once as a table: parsing, complaints, --help, the manual page (made of --help)
 *  and what shells complete come from it. command.h has the rest of a command. */
#pragma once

#include "perception/status.h"

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef enum {
    POV_OPTION_FLAG,   /* bool: --name sets it */
    POV_OPTION_NUMBER, /* double, in [low, high] times unit */
    POV_OPTION_WHOLE,  /* int, in [low, high] */
    POV_OPTION_COUNT,  /* uint64_t, in [low, high] */
    POV_OPTION_TEXT,   /* const char *, into argv */
    POV_OPTION_PATH,   /* the same, of a file or folder */
    POV_OPTION_BUFFER, /* char[capacity] */
    POV_OPTION_CHOICE, /* int or enum: the index of one of its names */
    POV_OPTION_TAKEN,  /* whatever `take` makes of it */
} pov_option_kind;

/** The i-th of some names; NULL after the last. */
typedef const char *pov_names(int i);
/** Prints what a shell may offer, a line each: CANDIDATE, or CANDIDATE, a tab and what it is. */
typedef void pov_offer(FILE *stream);
/** Reads an option's text into its value; POV_ERROR's message says what it "takes ...", without the option's name. */
typedef pov_status pov_option_take(void *value, const char *text);

/** In help, the names of a choice stand before `help`; after it the default, where the option would take that itself. */
typedef struct {
    const char *name;  /* without its dashes; NULL: `help` is a heading */
    const char *value; /* how help calls what it takes: "DIR" */
    const char *help;
    pov_option_kind kind;
    bool required;          /* a pointer that may not stay NULL */
    bool once;              /* a list: of two given the first would not count, which is a complaint */
    const char *with;       /* names, blanks between: without any of these options it would do nothing */
    const char *without;    /* beside any of these it would do nothing, or contradict it */
    size_t at, capacity;    /* where its value is in the command's struct */
    double low, high, unit; /* unit: 0 stands for 1 */
    pov_names *names;       /* of a choice; of others only for shells to complete: */
    pov_offer *offer;       /* more of these */
    pov_option_take *take;
} pov_option;

/** POV_ERROR: "takes this, that or another, not 'thta'; did you mean 'that'?" */
POV_MUST_USE pov_status pov_names_find(int *index, pov_names *names, const char *name);

/** Takes an option's text into its value. POV_ERROR: "takes a number from 0 to 9, not 'x'". */
POV_MUST_USE pov_status pov_option_take_text(void *value, const pov_option *option, const char *text);

/** True if a table goes on here; it may be NULL. */
static inline bool pov_option_exists(const pov_option *option)
{
    return option && (option->name || option->help);
}

enum { POV_HINT_CAPACITY = 64 };
/** "; did you mean '--speed'?", or "" if none of the names is near. In: what stands before each, such as "--". Returns hint. */
const char *pov_names_hint(char hint[POV_HINT_CAPACITY], const char *word, const char *before,
                           const char *const names[], int len);

/* ---- tables ---- */

/* The place of a member; no compiler passes one of another type. */
#define POV_AT(TYPE, MEMBER, MEMBER_TYPE)                                                                    \
    (offsetof(TYPE, MEMBER) + 0 * sizeof(1 ? (MEMBER_TYPE *)0 : &((TYPE *)0)->MEMBER))
#define POV_AT_ENUM(TYPE, MEMBER)                                                                            \
    (offsetof(TYPE, MEMBER) + 0 * sizeof(char[sizeof((TYPE *)0)->MEMBER == sizeof(int) ? 1 : -1]))
#define POV_OPTION(KIND, AT, NAME, VALUE, ...)                                                               \
    {                                                                                                        \
        .kind = POV_OPTION_##KIND, .at = AT, .name = NAME, .value = VALUE, __VA_ARGS__                       \
    }

/* An entry each: where the value goes, the option's name, how help calls the value, ..., help. Fields may follow. */
#define POV_FLAG(TYPE, MEMBER, NAME, ...)                                                                    \
    POV_OPTION(FLAG, POV_AT(TYPE, MEMBER, bool), NAME, NULL, .help = __VA_ARGS__)
#define POV_NUMBER(TYPE, MEMBER, NAME, VALUE, LOW, HIGH, ...)                                                \
    POV_OPTION(NUMBER, POV_AT(TYPE, MEMBER, double), NAME, VALUE, .low = LOW, .high = HIGH,                  \
               .help = __VA_ARGS__)
#define POV_WHOLE(TYPE, MEMBER, NAME, VALUE, LOW, HIGH, ...)                                                 \
    POV_OPTION(WHOLE, POV_AT(TYPE, MEMBER, int), NAME, VALUE, .low = LOW, .high = HIGH, .help = __VA_ARGS__)
#define POV_COUNT(TYPE, MEMBER, NAME, VALUE, LOW, HIGH, ...)                                                 \
    POV_OPTION(COUNT, POV_AT(TYPE, MEMBER, uint64_t), NAME, VALUE, .low = LOW, .high = HIGH,                 \
               .help = __VA_ARGS__)
#define POV_TEXT(TYPE, MEMBER, NAME, VALUE, ...)                                                             \
    POV_OPTION(TEXT, POV_AT(TYPE, MEMBER, const char *), NAME, VALUE, .help = __VA_ARGS__)
#define POV_PATH(TYPE, MEMBER, NAME, VALUE, ...)                                                             \
    POV_OPTION(PATH, POV_AT(TYPE, MEMBER, const char *), NAME, VALUE, .help = __VA_ARGS__)
#define POV_BUFFER(TYPE, MEMBER, NAME, VALUE, ...)                                                           \
    POV_OPTION(BUFFER, offsetof(TYPE, MEMBER), NAME, VALUE, .capacity = sizeof((TYPE *)0)->MEMBER,           \
               .help = __VA_ARGS__)
#define POV_CHOICE(TYPE, MEMBER, NAME, VALUE, NAMES, ...)                                                    \
    POV_OPTION(CHOICE, POV_AT_ENUM(TYPE, MEMBER), NAME, VALUE, .names = NAMES, .help = __VA_ARGS__)
#define POV_TAKEN(TYPE, MEMBER, NAME, VALUE, TAKE, ...)                                                      \
    POV_OPTION(TAKEN, offsetof(TYPE, MEMBER), NAME, VALUE, .take = TAKE, .help = __VA_ARGS__)
#define POV_OPTIONS_HEADING(HEADING)                                                                         \
    {                                                                                                        \
        .help = (HEADING)                                                                                    \
    }
#define POV_OPTIONS_END                                                                                      \
    {                                                                                                        \
        .name = NULL                                                                                         \
    }

/* Defines FUNCTION as a pov_names: of the names that follow, or of an enum's values as OF names them. */
#define POV_NAMES(FUNCTION, ...)                                                                             \
    static const char *FUNCTION(int i)                                                                       \
    {                                                                                                        \
        static const char *const names[] = {__VA_ARGS__};                                                    \
        return i < (int)(sizeof names / sizeof *names) ? names[i] : NULL;                                    \
    }
#define POV_NAMES_OF(FUNCTION, ENUM, COUNT, OF)                                                              \
    static const char *FUNCTION(int i)                                                                       \
    {                                                                                                        \
        return i < (COUNT) ? (OF)((ENUM)i) : NULL;                                                           \
    }
