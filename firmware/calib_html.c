#include "firmware/calib_camera.h"
void pov_calib_print_html(FILE *stream, const pov_calibration_report *report,
                          const pov_calib_options *options, const char *date)
{
    (void)stream;
    (void)report;
    (void)options;
    (void)date;
}
pov_status pov_calib_gather_live(pov_calib_session *session, pov_image_source *source)
{
    return pov_calib_gather(session, source);
}
