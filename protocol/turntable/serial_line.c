#include "protocol/turntable/serial_line.h"

#include <stdio.h>
#include <stdlib.h>

struct pov_serial_line {
    const pov_serial_backend *backend;
    void *impl;
    char name[256];
};

pov_status pov_serial_line_new(pov_serial_line **line, const pov_serial_backend *backend, void *impl,
                               const char *name)
{
    *line = calloc(1, sizeof **line);
    if (!*line) {
        backend->destroy(impl);
        return pov_error("out of memory");
    }
    (*line)->backend = backend;
    (*line)->impl = impl;
    snprintf((*line)->name, sizeof(*line)->name, "%s", name);
    return pov_ok();
}

void pov_serial_line_destroy(pov_serial_line **line)
{
    if (!*line)
        return;
    (*line)->backend->destroy((*line)->impl);
    free(*line);
    *line = NULL;
}

pov_status pov_serial_line_open(pov_serial_line *line)
{
    return line->backend->open(line->impl);
}

pov_status pov_serial_line_write(pov_serial_line *line, const char *bytes, size_t length, int64_t until_ns)
{
    return line->backend->write(line->impl, bytes, length, until_ns);
}

pov_status pov_serial_line_read(pov_serial_line *line, size_t *length, char *bytes, size_t capacity,
                                int64_t until_ns)
{
    *length = 0;
    return line->backend->read(line->impl, length, bytes, capacity, until_ns);
}

int64_t pov_serial_line_now_ns(const pov_serial_line *line)
{
    return line->backend->now_ns(line->impl);
}

void pov_serial_line_wait(pov_serial_line *line, int64_t until_ns)
{
    line->backend->wait(line->impl, until_ns);
}

const char *pov_serial_line_name(const pov_serial_line *line)
{
    return line->name;
}
