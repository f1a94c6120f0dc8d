/* Stands where gstreamer_source.c does if there was no GStreamer to build with. */
#include "firmware/gstreamer/gstreamer_source.h"

pov_status pov_gstreamer_source_open(pov_image_source **source, const pov_gstreamer_source_config *config)
{
    (void)config;
    *source = NULL;
    return pov_error(
        "this pov was built without GStreamer, so it has no films, network cameras or pipelines: install "
        "libgstreamer-plugins-base1.0-dev and build it again with -DPOV_WITH_GSTREAMER=ON (docs/INSTALL.md)");
}

pov_status pov_gstreamer_list_cameras(pov_libcamera_list *list)
{
    *list = (pov_libcamera_list){0};
    return pov_ok();
}

bool pov_gstreamer_has(const char *element)
{
    (void)element;
    return false;
}
