#include "config/write_file.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static pov_status unwritable(const char *path)
{
    return pov_error("%s: cannot be written: %s", path, strerror(errno));
}

pov_status pov_write_file_begin(pov_write_file *file, const char *path)
{
    file->stream = NULL;
    if (strlen(path) >= sizeof file->path) {
        errno = ENAMETOOLONG;
        return unwritable(path);
    }
    snprintf(file->path, sizeof file->path, "%s", path);
    snprintf(file->temporary, sizeof file->temporary, "%s.XXXXXX", path);
    int descriptor = mkstemp(file->temporary);
    if (descriptor < 0)
        return unwritable(path);
    fchmod(descriptor, 0644); /* mkstemp keeps others out */
    file->stream = fdopen(descriptor, "wb");
    if (file->stream)
        return pov_ok();
    pov_status status = unwritable(path);
    close(descriptor);
    unlink(file->temporary);
    return status;
}

/* A new name is a change of its folder, lost with the power until that is on the disk. A folder that cannot be opened, or
 * of a file system that syncs none, is left to the system. */
static bool sync_folder(const char *path)
{
    char folder[POV_PATH_CAPACITY];
    snprintf(folder, sizeof folder, "%s", path);
    int descriptor = open(dirname(folder), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0)
        return true;
    bool synced = fsync(descriptor) == 0 || errno == EINVAL;
    close(descriptor);
    return synced;
}

pov_status pov_write_file_end(pov_write_file *file, pov_status written)
{
    FILE *stream = file->stream;
    file->stream = NULL;
    bool on_disk = fflush(stream) == 0 && !ferror(stream) && fsync(fileno(stream)) == 0;
    if (written.code == POV_OK && !on_disk)
        written = unwritable(file->path);
    fclose(stream);
    if (written.code == POV_OK && rename(file->temporary, file->path) != 0)
        written = unwritable(file->path);
    if (written.code != POV_OK)
        unlink(file->temporary);
    else if (!sync_folder(file->path))
        written = unwritable(file->path);
    return written;
}

pov_status pov_write_folder(const char *path)
{
    struct stat facts;
    if (mkdir(path, 0777) != 0 && !(errno == EEXIST && stat(path, &facts) == 0 && S_ISDIR(facts.st_mode)))
        return pov_error("%s: cannot make this folder: %s", path, strerror(errno));
    return pov_ok();
}
