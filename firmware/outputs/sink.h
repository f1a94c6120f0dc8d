/** An output of a running station: a new one is a file of its own in this folder, and a line in outputs.c's table. */
#pragma once

#include "firmware/dashboard/snapshot.h"
#include "firmware/outputs/outputs.h"

/** What a sink does with what it is given. Every function may be NULL. Of one image the calls come in this order: begin, message
 *  (observation, scene), show, end. One thread. */
typedef struct {
    /** Is a message of this topic worth encoding? */
    bool (*wants)(const void *sink, pov_recorded topic);
    /** The camera of the images from now on. */
    void (*camera)(void *sink, const pov_camera *camera, int index);
    /** An image has come; its pixels are borrowed until `end`. */
    void (*begin)(void *sink, const pov_image *image);
    /** A message as on the wire. capture_ns: of the newest image that was judged. */
    void (*message)(void *sink, pov_recorded topic, const uint8_t *bytes, size_t len, int64_t capture_ns);
    /** Does somebody want what single cameras know? And that, of one. */
    bool (*wants_views)(const void *sink);
    void (*view)(void *sink, const char *topic, const uint8_t *bytes, size_t len);
    /** What was judged of the image, once it is on the wire. POV_END: nobody reads this output any more, and the run ends. */
    pov_status (*show)(void *sink, const pov_news *news);
    void (*end)(void *sink, const pov_image *image);
    /** Called often, also while no image comes. */
    void (*poll)(void *sink);
    /** Takes the next exchange with somebody who asked here; the caller frees the reply. False: there is none. */
    bool (*take)(void *sink, char speaker[POV_NAME_CAPACITY], char **reply);
    /** A warning for people that is new; false: there is none. */
    bool (*news)(void *sink, char text[POV_NEWS_CAPACITY]);
    /** No more comes: what waits is sent, for a short while. */
    void (*finish)(void *sink);
    void (*destroy)(void *sink);
} pov_sink_functions;

typedef struct {
    const pov_sink_functions *functions;
    void *self; /* NULL: this output is not wanted */
} pov_sink;

/** Each opens one output, if the configuration wants it. */
POV_MUST_USE pov_status pov_sink_open_publisher(pov_sink *sink, const pov_outputs_config *config);
POV_MUST_USE pov_status pov_sink_open_ask(pov_sink *sink, const pov_outputs_config *config);
POV_MUST_USE pov_status pov_sink_open_recorder(pov_sink *sink, const pov_outputs_config *config);
POV_MUST_USE pov_status pov_sink_open_foxglove(pov_sink *sink, const pov_outputs_config *config);
POV_MUST_USE pov_status pov_sink_open_ros2(pov_sink *sink, const pov_outputs_config *config);
POV_MUST_USE pov_status pov_sink_open_lines(pov_sink *sink, const pov_outputs_config *config);
POV_MUST_USE pov_status pov_sink_open_dashboard(pov_sink *sink, const pov_outputs_config *config);
POV_MUST_USE pov_status pov_sink_open_annotated(pov_sink *sink, const pov_outputs_config *config);

/** Of the publisher's sink. */
pov_publisher_statistics pov_sink_publisher_statistics(const pov_sink *sink);
/** Of the annotated images' sink: images that could not be written. */
uint64_t pov_sink_annotated_lost(const pov_sink *sink);
