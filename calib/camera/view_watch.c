#include "calib/camera/view_watch.h"

#include "perception/status.h"

#include <math.h>
#include <stdlib.h>

/* Corners that move by less than this from one image to the next, of an image 1280 wide, stand still. */
static const double STILL_PX = 1.0;

/* A new view's corners lie at least so far from every old one's, as a share of the image's width, in the mean. */
static const double NEW_OF_WIDTH = 0.03;

struct pov_view_watch {
    pov_board_view last;
    pov_board_view *taken;
    int len, capacity;
};

pov_view_watch *pov_view_watch_new(void)
{
    return pov_allocate(1, sizeof(pov_view_watch));
}

void pov_view_watch_destroy(pov_view_watch **watch)
{
    if (*watch)
        free((*watch)->taken);
    free(*watch);
    *watch = NULL;
}

/* Mean distance of the corners that both views show; infinite if they share less than half of them. */
static double mean_motion_px(const pov_board_view *a, const pov_board_view *b)
{
    double sum = 0;
    int shared = 0;
    for (int i = 0, k = 0; i < a->len; i++) {
        for (k = 0; k < b->len && (a->board_m[i].x != b->board_m[k].x || a->board_m[i].y != b->board_m[k].y);)
            k++;
        if (k == b->len)
            continue;
        sum += hypot(a->pixel[i].x - b->pixel[k].x, a->pixel[i].y - b->pixel[k].y);
        shared++;
    }
    return shared * 2 > a->len ? sum / shared : INFINITY;
}

pov_view_news pov_view_watch_look(pov_view_watch *watch, const pov_board_view *points, int image_width_px)
{
    const double motion_px = mean_motion_px(points, &watch->last);
    watch->last = *points;
    if (points->len == 0)
        return POV_VIEW_EMPTY;
    if (motion_px > STILL_PX * image_width_px / 1280)
        return POV_VIEW_MOVES;
    for (int i = 0; i < watch->len; i++)
        if (mean_motion_px(points, &watch->taken[i]) < NEW_OF_WIDTH * image_width_px)
            return POV_VIEW_KNOWN;
    return POV_VIEW_IS_NEW;
}

void pov_view_watch_take(pov_view_watch *watch)
{
    if (watch->len == watch->capacity) {
        watch->capacity = watch->capacity ? 2 * watch->capacity : 16;
        watch->taken = realloc(watch->taken, (size_t)watch->capacity * sizeof *watch->taken);
        POV_REQUIRE_MEMORY(watch->taken);
    }
    watch->taken[watch->len++] = watch->last;
}

int pov_view_watch_len(const pov_view_watch *watch)
{
    return watch->len;
}

const pov_board_view *pov_view_watch_at(const pov_view_watch *watch, int i)
{
    POV_REQUIRE(i >= 0 && i < watch->len);
    return &watch->taken[i];
}
