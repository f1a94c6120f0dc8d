#include "firmware/calib/calib_camera.h"

#include "firmware/sources/each_image.h"

static pov_status add_image(void *context, const pov_image *image)
{
    pov_calib_session *session = context;
    pov_status status = pov_board_finder_run(session->finder, &session->seen, image);
    if (status.code == POV_ERROR)
        return pov_error("%s: %.300s", image->name, status.message);
    return pov_camera_calibration_add(session->calibration, image,
                                      status.code == POV_OK ? &session->seen : NULL, status.message);
}

pov_status pov_calib_gather(pov_calib_session *session, pov_image_source *source)
{
    return pov_each_image(source, add_image, session);
}
