/** Chooses images of a video to calibrate from: those that stand still and show points in a new way. */
#pragma once

#include "calib/boards/board_view.h"

typedef enum {
    POV_VIEW_EMPTY,  /* it shows nothing */
    POV_VIEW_MOVES,  /* since the image before */
    POV_VIEW_KNOWN,  /* taken before from nearly there */
    POV_VIEW_IS_NEW, /* to be taken */
} pov_view_news;

typedef struct pov_view_watch pov_view_watch;

pov_view_watch *pov_view_watch_new(void);
void pov_view_watch_destroy(pov_view_watch **watch);

/** Looks at the points of the next image. In: points: board_m tells which point each is; len 0: none. */
pov_view_news pov_view_watch_look(pov_view_watch *watch, const pov_board_view *points, int image_width_px);
/** Keeps the points of the last image as taken. */
void pov_view_watch_take(pov_view_watch *watch);
int pov_view_watch_len(const pov_view_watch *watch);
/** The i-th taken. */
const pov_board_view *pov_view_watch_at(const pov_view_watch *watch, int i);
