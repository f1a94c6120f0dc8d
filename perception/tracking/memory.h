/** A finder's memory between the images of a video: the place where it expects each thing, the images in which a thing was missing,
 *  turns to search, and the progress of a search that is spread over images.
 *
 *  Finders keep nothing themselves. firmware/finders owns one memory for each finder and hands it over with every image. A finder
 *  without a memory searches the whole image. Plain data; allocated by _new only. */
#pragma once

#include "perception/status.h"

#include <stddef.h>
#include <stdint.h>

enum { POV_EXPECTED_COORDINATES = 8 };

/** The size of a finder's memory: a constant of each finder. */
typedef struct {
    int things_max;
    size_t note_bytes;     /* what the finder notes of each thing */
    size_t schedule_bytes; /* how far its search of the whole image has come */
} pov_memory_shape;

/** A thing that was seen before. */
typedef struct {
    int64_t seen_ns; /* when it was at `at` */
    int missed;      /* images in a row in which it was looked for in vain */
    bool wants_turn, has_turn;
    double at[POV_EXPECTED_COORDINATES], per_ns[POV_EXPECTED_COORDINATES]; /* in the finder's terms */
    void *note;                                                            /* all zero for a new thing */
} pov_expected;

typedef struct {
    pov_memory_shape shape;
    int64_t now_ns, last_ns; /* of this image and the one before; valid if there is one */
    uint32_t sequence;       /* of this image */
    int64_t period_ns; /* of the camera; valid with last_ns. Images lost in between do not make it longer */
    unsigned images;   /* before this one */
    int len;
    pov_expected *expected;
    int next_len; /* the things that the next image is to expect */
    pov_expected *next;
    int next_turn;
    void *schedule;
    unsigned char *bytes;
} pov_memory;

POV_MUST_USE pov_status pov_memory_new(pov_memory **memory, const pov_memory_shape *shape);
void pov_memory_destroy(pov_memory **memory);
/** The next image shows nothing of the last ones. */
void pov_memory_clear(pov_memory *memory);

/** Begins an image. sequence: as in pov_image. */
void pov_memory_begin(pov_memory *memory, int64_t now_ns, uint32_t sequence);
/** Adds a thing that the next image is to expect. before: it is this one again; NULL: it is new. Returns NULL if there is no room. */
pov_expected *pov_memory_add(pov_memory *memory, const pov_expected *before);
/** Ends an image: the things added are those expected now. */
void pov_memory_end(pov_memory *memory);

/** For finders whose things are always the same: adds one to those expected in this image, which must have room; and ends an image
 *  after which the same things are expected. */
pov_expected *pov_memory_expect(pov_memory *memory);
void pov_memory_keep(pov_memory *memory);

/** Notes where a thing is in this image; its rate follows from where it was. */
void pov_memory_see(const pov_memory *memory, pov_expected *thing, const double *at, int coordinates);
/** Its place now if it goes on as before. */
void pov_memory_predict(double *at, const pov_memory *memory, const pov_expected *thing, int coordinates);

/** Gives a turn to at most `turns` of the things that want one, in rotation. */
void pov_memory_give_turns(pov_memory *memory, int turns);
