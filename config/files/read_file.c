#include "config/files/read_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void pov_bytes_free(pov_bytes *bytes)
{
    free(bytes->data);
    *bytes = (pov_bytes){0};
}

static const char *kind_of_thing(mode_t mode)
{
    if (S_ISDIR(mode))
        return "a folder";
    if (S_ISFIFO(mode))
        return "a pipe";
    if (S_ISCHR(mode) || S_ISBLK(mode))
        return "a device";
    return "not a regular file";
}

static pov_status check_stat(const struct stat *stat, const char *path, size_t max, const char *kind)
{
    if (!S_ISREG(stat->st_mode))
        return pov_error("%s: is %s; name %s on the disk", path, kind_of_thing(stat->st_mode), kind);
    if (stat->st_size == 0)
        return pov_error("%s: is empty; expected %s", path, kind);
    if ((uintmax_t)stat->st_size > max)
        return pov_error("%s: has %jd bytes, more than the %zu that %s may have; is it the right file?", path,
                         (intmax_t)stat->st_size, max, kind);
    return pov_ok();
}

static pov_status reserve_bytes(pov_bytes *bytes, const char *path, size_t needed)
{
    if (needed <= bytes->capacity)
        return pov_ok();
    unsigned char *data = realloc(bytes->data, needed);
    if (!data)
        return pov_error("%s: no memory for %zu bytes", path, needed);
    bytes->data = data;
    bytes->capacity = needed;
    return pov_ok();
}

/* Reads what fstat promised; a file that shrinks meanwhile is shorter, one that grows is cut. */
static pov_status read_all(pov_bytes *bytes, int descriptor, const char *path, size_t size)
{
    POV_TRY(reserve_bytes(bytes, path, size + 1));
    while (bytes->length < size) {
        ssize_t got = read(descriptor, bytes->data + bytes->length, size - bytes->length);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return pov_error("%s: cannot be read: %s", path, strerror(errno));
        if (got == 0)
            break;
        bytes->length += (size_t)got;
    }
    bytes->data[bytes->length] = '\0';
    return pov_ok();
}

/* O_NONBLOCK: opening a pipe without a writer would wait for ever. */
static pov_status open_file(int *descriptor, struct stat *stat, const char *path, size_t max,
                            const char *kind)
{
    *descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (*descriptor < 0 && errno == ENOENT)
        return pov_error("%s: no such file; expected %s", path, kind);
    if (*descriptor < 0)
        return pov_error("%s: cannot be opened: %s", path, strerror(errno));
    pov_status status = fstat(*descriptor, stat) != 0
                            ? pov_error("%s: cannot be read: %s", path, strerror(errno))
                            : check_stat(stat, path, max, kind);
    if (status.code != POV_OK)
        close(*descriptor);
    return status;
}

pov_status pov_read_file_start(unsigned char *start, size_t *length, const char *path, size_t max,
                               const char *kind)
{
    struct stat stat;
    int descriptor;
    const size_t capacity = *length;
    *length = 0;
    POV_TRY(open_file(&descriptor, &stat, path, max, kind));
    const ssize_t got = read(descriptor, start, capacity);
    close(descriptor);
    if (got < 0)
        return pov_error("%s: cannot be read: %s", path, strerror(errno));
    *length = (size_t)got;
    return pov_ok();
}

pov_status pov_read_file(pov_bytes *bytes, const char *path, size_t max, const char *kind)
{
    struct stat stat;
    int descriptor;
    bytes->length = 0;
    POV_TRY(open_file(&descriptor, &stat, path, max, kind));
    pov_status status = read_all(bytes, descriptor, path, (size_t)stat.st_size);
    close(descriptor);
    if (status.code != POV_OK)
        bytes->length = 0;
    return status;
}
