/* A line of a controller: what is read of it is finite, bounded and printable, and reading is the same every time. */
#include "protocol/turntable/grbl_line.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

static void check(int condition)
{
    if (!condition)
        abort();
}

static void check_report(const pov_grbl_report *report)
{
    check(report->state >= 0 && report->state < POV_GRBL_STATE_COUNT && report->sub_state >= -1);
    check(report->axes > 0 && report->axes <= POV_GRBL_AXIS_MAX);
    check(report->offset_axes == 0 || report->offset_axes == report->axes);
    for (int i = 0; i < report->axes; i++)
        check(fabs(report->place[i]) <= 1e7);
    for (int i = 0; i < report->offset_axes; i++)
        check(fabs(report->offset[i]) <= 1e7);
    check(memchr(report->pins, '\0', sizeof report->pins) != NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    pov_grbl_line line, again;
    pov_grbl_line_parse(&line, (const char *)bytes, length);
    pov_grbl_line_parse(&again, (const char *)bytes, length);
    check(line.kind == again.kind && line.code == again.code && strcmp(line.text, again.text) == 0);
    for (const char *at = line.text; *at; at++)
        check(*at >= ' ' && *at <= '~');
    if (line.kind == POV_GRBL_LINE_REPORT)
        check_report(&line.report);
    if (line.kind == POV_GRBL_LINE_SETTING)
        check(line.setting >= 0 && isfinite(line.value));
    if (line.kind == POV_GRBL_LINE_ERROR)
        check(pov_grbl_explain_error(line.code)[0] != '\0');
    if (line.kind == POV_GRBL_LINE_ALARM)
        check(pov_grbl_explain_alarm(line.code)[0] != '\0');
    return 0;
}
