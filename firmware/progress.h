/** A progress bar where a person waits: one line on a terminal, redrawn in place; silent elsewhere. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { POV_PROGRESS_CAPACITY = 160, POV_DURATION_CAPACITY = 24 };

/** Plain data; set up by pov_progress_start. */
typedef struct {
    FILE *stream;
    const char *unit; /* "images" */
    int64_t total;    /* -1: no end known */
    bool enabled, drawn;
    int64_t start_ns, drawn_ns;
    char note[80]; /* shown after the bar */
} pov_progress;

/** A bar on `stream` if that is a terminal (NULL: none). `unit` must outlive it. */
pov_progress pov_progress_start(FILE *stream, const char *unit, int64_t total, int64_t now_ns);
/** Redraws, at most ten times a second. */
void pov_progress_update(pov_progress *progress, int64_t done, int64_t now_ns);
/** Wipes the line so that something else can be printed; the next update draws it again. */
void pov_progress_clear(pov_progress *progress);
/** Draws a last time and ends the line. */
void pov_progress_finish(pov_progress *progress, int64_t done, int64_t now_ns);

/** "0:07", "1:02:03" */
void pov_progress_duration(char text[POV_DURATION_CAPACITY], double seconds);

/** The line: "[#####-----]  50 %  18/36 images  12.1/s  0:01 left", or without an end "  18 images  12.1/s
 * 0:01". */
void pov_progress_format(char line[POV_PROGRESS_CAPACITY], const pov_progress *progress, int64_t done,
                         int64_t now_ns);
