/** Finds the tags of a video: the last image's tags near their predicted places, at full resolution, and others by a
 *  search of a part of each image, another part each time, of which the next image has the use. A tag that cannot be followed is searched for in the whole image;
 *  so are all, in the first image and if many are lost. */
#pragma once

#include "perception/tags/tag_detector.h"
#include "perception/tracking/memory.h"

/** The ways in which the tags of the last image were found. */
typedef struct {
    int matched;  /* where they were expected */
    int searched; /* in a window about there */
    int lost;
    bool whole_image;
} pov_tag_follower_account;

typedef struct pov_tag_follower pov_tag_follower;

/** A tag that is followed may have detector->max_bits_corrected misread bits; a new one, one bit. */
POV_MUST_USE pov_status pov_tag_follower_new(pov_tag_follower **follower,
                                             const pov_tag_detector_config *detector);
void pov_tag_follower_destroy(pov_tag_follower **follower);

/** As pov_tag_detector_run, in the same order. memory: of pov_tag_memory's shape. */
POV_MUST_USE pov_status pov_tag_follower_run(pov_tag_follower *follower, pov_tags *tags,
                                             const pov_image *image, pov_memory *memory);
/** Then, when nobody waits for the image any more: searches a part of it for other tags, and notes all for the next image. An
 *  image without this call leaves nothing to remember. */
POV_MUST_USE pov_status pov_tag_follower_remember(pov_tag_follower *follower, const pov_image *image,
                                                  pov_memory *memory);
extern const pov_memory_shape pov_tag_memory;

pov_tag_follower_account pov_tag_follower_account_of(const pov_tag_follower *follower);
