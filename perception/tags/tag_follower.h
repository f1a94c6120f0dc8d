/** Finds the tags of a video: the last image's tags near their predicted places, at full resolution, and others by a search
 *  of a part of each image, another part each time. A tag that cannot be followed is searched for in the whole image.
 *
 *  For successive images. The first image, and one in which many tags are lost, is searched whole. */
#ifndef POV_PERCEPTION_TAGS_TAG_FOLLOWER_H
#define POV_PERCEPTION_TAGS_TAG_FOLLOWER_H

#include "perception/tags/tag_detector.h"

typedef struct {
    int tiles_across,
        tiles_down; /* one is searched in each image: a new tag is found within their product of images */
    double tile_decimate; /* searched on an image this many times smaller; every other round at full size */
    double reach;         /* how far from its prediction a tag is looked for, in lengths of its edge */
    double lost_share;    /* more of the tags lost: the whole image is searched */
    int missed_max;       /* images in which a tag may be missing before it is given up */
} pov_tag_follower_config;
#define POV_TAG_FOLLOWER_DEFAULT                                                                             \
    ((pov_tag_follower_config){.tiles_across = 5,                                                            \
                               .tiles_down = 3,                                                              \
                               .tile_decimate = 2,                                                           \
                               .reach = 0.4,                                                                 \
                               .lost_share = 0.1,                                                            \
                               .missed_max = 3})

/** How each tag of the last image was found. */
typedef struct {
    int matched;  /* where they were expected */
    int searched; /* in a window about there */
    int lost;
    bool whole_image;
} pov_tag_follower_account;

typedef struct pov_tag_follower pov_tag_follower;

/** Of a tag that is followed, detector->max_bits_corrected bits may be misread; of a new one, one bit. */
POV_MUST_USE pov_status pov_tag_follower_new(pov_tag_follower **follower,
                                             const pov_tag_detector_config *detector,
                                             const pov_tag_follower_config *config);
void pov_tag_follower_destroy(pov_tag_follower **follower);

/** As pov_tag_detector_run, in the same order. */
POV_MUST_USE pov_status pov_tag_follower_run(pov_tag_follower *follower, pov_tags *tags,
                                             const pov_image *image);

pov_tag_follower_account pov_tag_follower_account_of(const pov_tag_follower *follower);

#endif
