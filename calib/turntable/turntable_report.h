/** A turntable's calibration as text, JSON and a page. */
#pragma once

#include "calib/turntable/turntable_calibration.h"

#include <stdio.h>

void pov_turntable_report_text(FILE *stream, const pov_turntable_report *r);
/** One object, one line. */
void pov_turntable_report_json(FILE *stream, const pov_turntable_report *r);
/** A page that stands alone. In: the station file's name; the date in ISO 8601. */
void pov_turntable_report_page(FILE *stream, const pov_turntable_report *r, const char *station,
                               const char *date);
