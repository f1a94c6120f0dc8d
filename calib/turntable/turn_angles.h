/** The commanded angle of the turntable in each image: from a CSV file, or from the images' names. */
#pragma once

#include "perception/image/image.h"
#include "perception/status.h"

#include <stddef.h>

enum { POV_TURN_ANGLES_MAX = 4096 };

typedef struct {
    char name[POV_IMAGE_NAME_CAPACITY]; /* of an image file, without folders */
    double angle_rad;
    int way; /* it came there counting up (1) or down (-1); 0: the file does not say */
} pov_turn_angle;

typedef struct {
    int len;
    pov_turn_angle angles[POV_TURN_ANGLES_MAX];
} pov_turn_angles;

/** Lines of NAME,DEGREES or NAME,DEGREES,WAY with WAY up, down or nothing; a first line without a number is a heading. Blank
 *  lines and what follows a # are passed over. Errors name file and line. On error the list is empty. */
POV_MUST_USE pov_status pov_turn_angles_parse(pov_turn_angles *angles, const char *file, const char *text,
                                              size_t length);
POV_MUST_USE pov_status pov_turn_angles_read(pov_turn_angles *angles, const char *path);

/** An image's, or NULL. */
const pov_turn_angle *pov_turn_angles_find(const pov_turn_angles *angles, const char *name);

/** The last number in a file's name before its ending, as degrees: "turn_-12.5.png". A minus counts at the name's beginning
 *  or after an underscore. False if there is none. */
bool pov_turn_angle_in_name(double *angle_rad, const char *name);
