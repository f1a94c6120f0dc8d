/** Chooses the images of a sweep whose table turns on: of those that pass a wanted angle, the nearest. Pure. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

typedef struct {
    int stop_len;         /* stop k is wanted at phi = 360 k / stop_len degrees */
    const bool *taken;    /* [stop_len] */
    double tolerance_deg; /* an image that is farther off counts for no stop */
    double exposure_s;    /* NaN: unknown, and so is the blur */
    double speed_deg_s;   /* of images whose times tell nothing; NaN: their times tell it */
    double blur_max_px;
} pov_turning_rule;

typedef struct {
    double phi_deg;  /* NaN: not known */
    double moved_px; /* the longest way of anything in view since the last image; NaN: unknown */
    int64_t time_ns;
} pov_turning_image;

/** Start from {.stop = -1}. */
typedef struct {
    bool has_last;
    double last_phi_deg;
    int64_t last_ns;
    double speed_px_s; /* of the fastest thing in view; NaN: unknown */
    int stop;          /* of the image that is kept; -1: none */
    double off_deg;    /* its distance from the wanted angle */
} pov_turning;

typedef struct {
    int taken;       /* the kept image is this stop's, for good; -1: not yet. It comes first */
    bool keep;       /* this image is now the nearest so far: keep it */
    int too_blurred; /* this image would have been nearest to that stop; -1: no such thing */
    double blur_px;  /* NaN: unknown */
} pov_turning_choice;

pov_turning_choice pov_turning_look(pov_turning *turning, const pov_turning_rule *rule,
                                    const pov_turning_image *image);
/** There are no more images. Returns the stop of the one that is kept; -1: none is. */
int pov_turning_end(pov_turning *turning);
