/* Stands where libcamera_shim.cpp does if there was no libcamera to build with: no camera is ever open. */
#include "firmware/libcamera/libcamera_shim.h"

pov_status pov_libcamera_new(pov_libcamera **library, const pov_libcamera_events *events, bool chatty)
{
    (void)events;
    (void)chatty;
    *library = NULL;
    return pov_error("this pov was built without libcamera, so it has no cameras: install libcamera 0.0.3 or "
                     "newer and build it again (docs/INSTALL.md); folders of images and the simulator work");
}

void pov_libcamera_destroy(pov_libcamera **library)
{
    (void)library;
}

const char *pov_libcamera_version(void)
{
    return "none";
}

pov_status pov_libcamera_list_cameras(pov_libcamera *library, pov_libcamera_list *list)
{
    (void)library;
    *list = (pov_libcamera_list){0};
    return pov_error("built without libcamera");
}

pov_status pov_libcamera_open(pov_libcamera *library, pov_libcamera_stream *stream, const char *id,
                              const pov_libcamera_settings *settings)
{
    (void)library;
    (void)stream;
    (void)settings;
    return pov_error("camera \"%s\": built without libcamera", id);
}

void pov_libcamera_close(pov_libcamera *library)
{
    (void)library;
}

void pov_libcamera_read_begin(pov_libcamera *library, int slot)
{
    (void)library;
    (void)slot;
}

void pov_libcamera_read_end(pov_libcamera *library, int slot)
{
    (void)library;
    (void)slot;
}

void pov_libcamera_requeue(pov_libcamera *library, int slot)
{
    (void)library;
    (void)slot;
}
