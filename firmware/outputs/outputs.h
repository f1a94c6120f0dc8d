/** All outputs of a running station, behind one interface: the wire, the endpoint that answers, a recording, Foxglove, ROS 2, lines of text or
 *  JSON, the dashboard, annotated images. A run, a sweep and a study tell them of each image in the same way. One thread. */
#pragma once

#include "firmware/comparison/heard_words.h"
#include "firmware/dashboard/dashboard.h"
#include "firmware/foxglove/foxglove_server.h"
#include "firmware/outputs/line_output.h"
#include "firmware/recording/recorder.h"
#include "firmware/ros2/ros2_station.h"
#include "firmware/station/station.h"
#include "protocol/links/keys.h"
#include "protocol/links/publisher.h"
#include "protocol/observation/message.h"

/** All pointers are borrowed, and must outlive the outputs. */
typedef struct {
    const pov_station *station;
    bool publish;                  /* on the station's endpoint `publish` */
    bool answer;                   /* on its endpoint `ask`, if it has one */
    bool must_publish;             /* an endpoint that cannot be had is an error, not a warning */
    bool tells;                    /* says on stderr which endpoints there are */
    pov_line_output *lines;        /* gets each image's judgments; NULL: none */
    bool json;                     /* as a line of JSON; else as text for people */
    bool brief;                    /* that text is a line: what changed */
    const char *annotate_folder;   /* NULL: none */
    pov_dashboard *dashboard;      /* NULL: none */
    pov_heard_words *words;        /* of models asked meanwhile, for the dashboard; NULL: none is */
    pov_recorder *recorder;        /* NULL: none */
    pov_foxglove_server *foxglove; /* NULL: none */
    pov_ros2_station *ros2;        /* NULL: none */
} pov_outputs_config;

enum { POV_NEWS_CAPACITY = POV_PEER_TROUBLE_CAPACITY + 64 };

typedef struct pov_outputs pov_outputs;

POV_MUST_USE pov_status pov_outputs_new(pov_outputs **outputs, const pov_outputs_config *config);
void pov_outputs_destroy(pov_outputs **outputs);

/** The camera of the images from now on. */
void pov_outputs_camera(pov_outputs *outputs, const pov_camera *camera, int index);

/** Of each image, in this order; of one without pixels, only its observation goes out. begin: it has come. send: its observation goes out, to the wire first. show: it is printed, drawn,
 *  shown to people; POV_END: nobody reads the lines any more. end: also of an image that could not be judged. */
void pov_outputs_begin(pov_outputs *outputs, const pov_image *image);
POV_MUST_USE pov_status pov_outputs_send(pov_outputs *outputs, const pov_observation *observation);
/** For other stations: does one want what each camera alone knows? After `send`, what one knows. */
bool pov_outputs_wants_views(const pov_outputs *outputs);
POV_MUST_USE pov_status pov_outputs_view(pov_outputs *outputs, const pov_observation *view);
POV_MUST_USE pov_status pov_outputs_show(pov_outputs *outputs, const pov_news *news);
void pov_outputs_end(pov_outputs *outputs, const pov_image *image);

POV_MUST_USE pov_status pov_outputs_health(pov_outputs *outputs, const pov_health *health);
void pov_outputs_exchange(pov_outputs *outputs, const pov_exchange *exchange);
/** A message that is encoded already: of the topic "vlm". */
void pov_outputs_message(pov_outputs *outputs, pov_recorded topic, const uint8_t *bytes, size_t len);
/** Call it often: serves subscribers, and sends what was said at the endpoint and on the page. */
void pov_outputs_poll(pov_outputs *outputs);
/** A warning of an output for people, which is new: of keys that cannot be read, of a recording that has no room. False: none. */
bool pov_outputs_news(pov_outputs *outputs, char text[POV_NEWS_CAPACITY]);
/** No more comes: sends what waits, for two seconds at most. */
void pov_outputs_finish(pov_outputs *outputs);

/** All zero without a publisher. */
pov_publisher_statistics pov_outputs_wire_statistics(const pov_outputs *outputs);
/** Images that could not be drawn, for example because the disk is full. */
uint64_t pov_outputs_unannotated(const pov_outputs *outputs);
