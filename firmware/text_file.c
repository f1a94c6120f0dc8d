#include "firmware/text_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static pov_status write_error(const char *path)
{
    return pov_error("%s: cannot be written: %s", path, strerror(errno));
}

pov_status pov_text_file_open(pov_text_file *file, const char *path)
{
    *file = (pov_text_file){0};
    if (snprintf(file->path, sizeof file->path, "%s", path) >= (int)sizeof file->path) {
        errno = ENAMETOOLONG;
        return write_error(path);
    }
    snprintf(file->temporary, sizeof file->temporary, "%s.XXXXXX", file->path);
    const int descriptor = mkstemp(file->temporary);
    if (descriptor < 0)
        return write_error(path);
    fchmod(descriptor, 0644); /* mkstemp keeps others out */
    file->stream = fdopen(descriptor, "w");
    if (file->stream)
        return pov_ok();
    const pov_status status = write_error(path);
    close(descriptor);
    unlink(file->temporary);
    return status;
}

pov_status pov_text_file_close(pov_text_file *file, pov_status status)
{
    if (!file->stream)
        return status;
    if (status.code == POV_OK && (fflush(file->stream) != 0 || fsync(fileno(file->stream)) != 0))
        status = write_error(file->path);
    if (fclose(file->stream) != 0 && status.code == POV_OK)
        status = write_error(file->path);
    file->stream = NULL;
    if (status.code == POV_OK && rename(file->temporary, file->path) != 0)
        status = write_error(file->path);
    if (status.code != POV_OK)
        unlink(file->temporary);
    return status;
}

pov_status pov_folder_make(const char *path)
{
    struct stat info;
    if (mkdir(path, 0777) != 0 && !(errno == EEXIST && stat(path, &info) == 0 && S_ISDIR(info.st_mode)))
        return pov_error("%s: cannot make this folder: %s", path, strerror(errno));
    return pov_ok();
}
