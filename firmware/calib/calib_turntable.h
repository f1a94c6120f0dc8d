/** `pov calib turntable`: what its parts share. */
#ifndef POV_FIRMWARE_CALIB_CALIB_TURNTABLE_H
#define POV_FIRMWARE_CALIB_CALIB_TURNTABLE_H

#include "calib/turntable/turn_angles.h"
#include "calib/turntable/turntable_calibration.h"
#include "firmware/station/station.h"
#include "perception/tags/tag_detector.h"

#include <stdio.h>

typedef struct {
    const char *station, *images, *camera; /* the latter two in place of the station's source */
    const char *angles, *ring;             /* files; angles "names": in the images' names */
    double edge_m;                         /* of the tags on the disc; 0: not given */
    bool by_hand, json;
    int stops;
    const char *out, *html;
} pov_calib_turntable_options;

typedef struct {
    const pov_calib_turntable_options *options;
    pov_station station;
    pov_tag_map ring;
    pov_turn_angles angles;
    pov_tag_detector *detector;
    pov_tags tags; /* in the last image */
    pov_turntable_calibration *calibration;
} pov_calib_turntable_session;

/** Adds images: all of a folder; one at each stop of a motor or a simulator, once round and back; or whenever a hand holds
 *  the table still. */
POV_MUST_USE pov_status pov_calib_turntable_gather(pov_calib_turntable_session *session);

/** Of the largest of three, from row `first` of its covariance on. */
double pov_calib_largest_std(const pov_pose *pose, int first);

void pov_calib_turntable_print_text(FILE *stream, const pov_turntable_report *report);
void pov_calib_turntable_print_json(FILE *stream, const pov_turntable_report *report);
/** A page that stands alone. `date`: ISO 8601. */
void pov_calib_turntable_print_html(FILE *stream, const pov_turntable_report *report,
                                    const pov_calib_turntable_options *options, const char *date);

#endif
