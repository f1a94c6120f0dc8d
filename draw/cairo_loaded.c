#include "draw/cairo_loaded.h"

#include <dlfcn.h>

/* It loads cairo, whose functions dlsym finds through it. */
#define LIBRARY "librsvg-2.so.2"

void *pov_cairo_function(const char *name)
{
    void *library = dlopen(LIBRARY, RTLD_LAZY | RTLD_LOCAL);
    return library ? dlsym(library, name) : NULL;
}

pov_status pov_cairo_load(void)
{
    return pov_cairo_function("rsvg_handle_render_document")
               ? pov_ok()
               : pov_error("printing needs librsvg: %.200s; install the package librsvg2-2", dlerror());
}
