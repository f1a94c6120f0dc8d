#include "perception/image/image_source.h"

#include <stdlib.h>
#include <string.h>

struct pov_image_source {
    const pov_image_source_backend *backend;
    void *impl;
};

pov_status pov_image_source_new(pov_image_source **source, const pov_image_source_backend *backend,
                                void *impl)
{
    POV_REQUIRE(source && backend && backend->next && backend->statistics && backend->destroy);
    *source = malloc(sizeof **source);
    if (!*source) {
        backend->destroy(impl);
        return pov_error("image source %s: out of memory", backend->name);
    }
    **source = (pov_image_source){.backend = backend, .impl = impl};
    return pov_ok();
}

void pov_image_source_destroy(pov_image_source **source)
{
    if (!source || !*source)
        return;
    (*source)->backend->destroy((*source)->impl);
    free(*source);
    *source = NULL;
}

pov_status pov_image_source_next(pov_image_source *source, pov_image *image, int timeout_ms)
{
    memset(image, 0, sizeof *image);
    return source->backend->next(source->impl, image, timeout_ms);
}

bool pov_image_source_exchange(pov_image_source *source, uint8_t **pixels, size_t *capacity)
{
    return source->backend->exchange && source->backend->exchange(source->impl, pixels, capacity);
}

pov_image_source_statistics pov_image_source_statistics_of(const pov_image_source *source)
{
    return source->backend->statistics(source->impl);
}
