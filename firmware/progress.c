#include "firmware/progress.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

enum { BAR_WIDTH = 24 };

static const int64_t redraw_ns = 100000000; /* ten times a second; chosen */

pov_progress pov_progress_start(FILE *stream, const char *unit, int64_t total, int64_t now_ns)
{
    return (pov_progress){.stream = stream,
                          .unit = unit,
                          .total = total,
                          .enabled = stream && isatty(fileno(stream)) == 1,
                          .start_ns = now_ns,
                          .drawn_ns = now_ns};
}

void pov_progress_duration(char text[POV_DURATION_CAPACITY], double seconds)
{
    long total_s = lrint(fmin(fmax(seconds, 0), 359999));
    if (total_s >= 3600)
        snprintf(text, POV_DURATION_CAPACITY, "%ld:%02ld:%02ld", total_s / 3600, total_s / 60 % 60,
                 total_s % 60);
    else
        snprintf(text, POV_DURATION_CAPACITY, "%ld:%02ld", total_s / 60, total_s % 60);
}

static void format_known(char line[POV_PROGRESS_CAPACITY], const pov_progress *progress, double done,
                         double elapsed_s)
{
    double share = progress->total > 0 ? fmin(done / (double)progress->total, 1) : 1;
    char bar[BAR_WIDTH + 1], left[POV_DURATION_CAPACITY];
    int filled = (int)(share * BAR_WIDTH);
    memset(bar, '#', (size_t)filled);
    memset(bar + filled, '-', (size_t)(BAR_WIDTH - filled));
    bar[BAR_WIDTH] = '\0';
    pov_progress_duration(left, done > 0 ? elapsed_s * (1 / share - 1) : NAN);
    snprintf(line, POV_PROGRESS_CAPACITY, "[%s] %3.0f %%  %.0f/%lld %s  %.1f/s  %s left", bar,
             floor(100 * share), done, (long long)progress->total, progress->unit,
             elapsed_s > 0 ? done / elapsed_s : 0, done > 0 ? left : "-:--");
}

void pov_progress_format(char line[POV_PROGRESS_CAPACITY], const pov_progress *progress, int64_t done,
                         int64_t now_ns)
{
    double elapsed_s = 1e-9 * (double)(now_ns - progress->start_ns);
    if (progress->total >= 0) {
        format_known(line, progress, (double)done, elapsed_s);
        return;
    }
    char passed[POV_DURATION_CAPACITY];
    pov_progress_duration(passed, elapsed_s);
    snprintf(line, POV_PROGRESS_CAPACITY, "%lld %s  %.1f/s  %s", (long long)done, progress->unit,
             elapsed_s > 0 ? (double)done / elapsed_s : 0, passed);
}

static void draw_bar(pov_progress *progress, int64_t done, int64_t now_ns)
{
    char line[POV_PROGRESS_CAPACITY];
    pov_progress_format(line, progress, done, now_ns);
    fprintf(progress->stream, "\r%s%s%s\033[K", line, *progress->note ? "  " : "", progress->note);
    fflush(progress->stream);
    progress->drawn = true;
    progress->drawn_ns = now_ns;
}

void pov_progress_update(pov_progress *progress, int64_t done, int64_t now_ns)
{
    if (progress->enabled && now_ns - progress->drawn_ns >= redraw_ns)
        draw_bar(progress, done, now_ns);
}

void pov_progress_clear(pov_progress *progress)
{
    if (!progress->enabled || !progress->drawn)
        return;
    fputs("\r\033[K", progress->stream);
    fflush(progress->stream);
    progress->drawn = false;
    progress->drawn_ns -= redraw_ns;
}

void pov_progress_finish(pov_progress *progress, int64_t done, int64_t now_ns)
{
    if (!progress->enabled)
        return;
    draw_bar(progress, done, now_ns);
    fputc('\n', progress->stream);
    progress->enabled = false;
}
