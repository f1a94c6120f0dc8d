/** Speech as lines of text: a program that prints what it hears, and one that reads what to say. docs/STATION.md. */
#pragma once

#include "perception/status.h"

#include <stddef.h>
#include <sys/types.h>

enum { POV_LINE_CAPACITY = 4096 };

/** Lines from a descriptor, as they come. Start from {.fd = ...}. */
typedef struct {
    int fd; /* -1: none */
    bool ended;
    size_t len;
    char bytes[POV_LINE_CAPACITY];
} pov_lines;

/** Takes the next whole line, if one is there within the time: valid UTF-8, without its end and what was written over; the last may lack one. A line
 *  over the capacity is cut. Returns: false: none now, or `ended`. */
bool pov_lines_take(pov_lines *lines, char line[POV_LINE_CAPACITY], int timeout_ms);

typedef struct {
    pid_t pids[2]; /* listening, saying; 0: none */
    int say_fd;
    const char *say; /* borrowed */
    bool has_spoken; /* since its program was started */
    pov_lines heard;
} pov_voice;

/** Starts the programs by the shell; "" for none. `say` stays the caller's. */
POV_MUST_USE pov_status pov_voice_begin(pov_voice *voice, const char *listen, const char *say);
void pov_voice_end(pov_voice *voice);
/** Breaks off what is being said: ends its program, and starts it again. POV_ERROR if that fails. */
POV_MUST_USE pov_status pov_voice_hush(pov_voice *voice);
/** Says a text, without waiting; POV_ERROR if the program has ended or does not read. */
POV_MUST_USE pov_status pov_voice_say(pov_voice *voice, const char *text);
