/** A 1280x720 image of twelve tags and two balls made in memory, and all that turns it into a published message. */
#pragma once

#include "firmware/run/pipeline.h"
#include "protocol/links/publisher.h"
#include "protocol/observation/message.h"
#include "tests/support/tag_image.h"
#include "tests/support/tag_work.h"

typedef struct {
    tag_work *tags; /* the image without balls, and libapriltag on it */
    test_tag_scene scene;
    uint8_t *rgb; /* the same image with two balls on the table */
    pov_image image;
    pov_station station;
    pov_pipeline *pipeline;
    pov_codec *codec;
    pov_observation observation;
} pipeline_work;

pipeline_work *pipeline_work_new(void);
void pipeline_work_destroy(pipeline_work **work);
/** From the image to its judgments on the wire; aborts if not all of the scene is found. */
void pipeline_work_publish(pipeline_work *work, pov_publisher *publisher);

/** Says what is wrong and exits. */
void bench_must(pov_status status);
