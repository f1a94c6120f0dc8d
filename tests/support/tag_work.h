/** A 1280x720 image of twelve tags made in memory, and libapriltag at full resolution on one thread: what the
 * pipeline is measured against. */
#pragma once

#include <stdint.h>

typedef struct tag_work tag_work;

tag_work *tag_work_new(void);
void tag_work_destroy(tag_work **work);
/** One detection of all tags; aborts if it does not find twelve. */
void tag_work_detect(tag_work *work);
/** The image in RGB, rows of 3 * 1280 bytes. */
const uint8_t *tag_work_rgb(const tag_work *work);
