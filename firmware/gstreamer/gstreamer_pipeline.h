/** A GStreamer pipeline from a station's words: checked, and ended by images in RGB. */
#pragma once

#include "firmware/gstreamer/gstreamer_source.h"

#include <gst/gst.h>

/** The name of the appsink at the pipeline's end. */
#define POV_GSTREAMER_IMAGES "pov_images"

/** Starts GStreamer, once. */
POV_MUST_USE pov_status pov_gstreamer_start(void);

/** Builds it; nothing is opened. Out: pipeline, a reference of the caller's; id: what to call the camera.
 *  Returns: POV_OK; POV_ERROR naming what is wrong in the words, which element is missing, or is refused. */
POV_MUST_USE pov_status pov_gstreamer_pipeline_new(GstElement **pipeline, char id[POV_LIBCAMERA_ID_CAPACITY],
                                                   const pov_gstreamer_source_config *config);

/** The text of an error message of the pipeline, without credentials: element, text, the system's reason. *is_gone: because the
 *  camera is not there. `missing`: a decoder that a message before it asked for; "". */
pov_status pov_gstreamer_failure(bool *is_gone, GstMessage *message, const char *missing);

/** The decoder that a message says is missing; false if it says nothing of that kind. */
bool pov_gstreamer_missing(char *missing, size_t capacity, GstMessage *message);
