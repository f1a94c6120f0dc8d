#include "config/files/write_file.h"

#include "config/files/text.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

pov_status pov_write_refused(const char *path)
{
    const char *slash = strrchr(path, '/');
    if (errno == ENOENT && slash)
        return pov_error("%s: cannot be written: %s; make its folder first: mkdir -p %.*s", path,
                         strerror(errno), (int)(slash > path ? slash - path : 1), path);
    return pov_error("%s: cannot be written: %s", path, strerror(errno));
}

/* A device or a pipe holds no old text to keep, and another file must not take its name. */
static pov_status begin_straight(pov_write_file *file, const char *path)
{
    file->temporary[0] = '\0';
    file->stream = fopen(path, "wb");
    return file->stream ? pov_ok() : pov_write_refused(path);
}

/* A file that nobody has, with the rights that the umask leaves. */
static int make_new(char temporary[POV_PATH_CAPACITY + 8], const char *path)
{
    int descriptor = -1;
    for (int tries = 0; tries < 100 && descriptor < 0 && (tries == 0 || errno == EEXIST); tries++) {
        unsigned random;
        if (getentropy(&random, sizeof random) != 0)
            return -1;
        snprintf(temporary, POV_PATH_CAPACITY + 8, "%s.%06x", path, random & 0xffffff);
        descriptor = open(temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    }
    return descriptor;
}

/* mode: of the file that it replaces; 0: there is none. */
static pov_status begin_beside(pov_write_file *file, mode_t mode)
{
    int descriptor = make_new(file->temporary, file->path);
    if (descriptor < 0)
        return pov_write_refused(file->path);
    if (mode != 0)
        fchmod(descriptor, mode);
    file->stream = fdopen(descriptor, "wb");
    if (file->stream)
        return pov_ok();
    pov_status status = pov_write_refused(file->path);
    close(descriptor);
    unlink(file->temporary);
    return status;
}

pov_status pov_path_join(char path[POV_PATH_CAPACITY], const char *folder, const char *name)
{
    return pov_text_fits_as(path, POV_PATH_CAPACITY, "%s/%s", folder, name)
               ? pov_ok()
               : pov_error("%.150s: this path is too long: %zu bytes, and at most %d are allowed", folder,
                           strlen(folder) + 1 + strlen(name), POV_PATH_CAPACITY - 1);
}

pov_status pov_write_file_begin(pov_write_file *file, const char *path)
{
    struct stat facts;
    file->stream = NULL;
    if (strlen(path) >= sizeof file->path) {
        errno = ENAMETOOLONG;
        return pov_write_refused(path);
    }
    snprintf(file->path, sizeof file->path, "%s", path);
    if (stat(path, &facts) != 0)
        return begin_beside(file, 0);
    if (!S_ISREG(facts.st_mode))
        return begin_straight(file, path);
    struct stat link;
    if (lstat(path, &link) == 0 && S_ISLNK(link.st_mode) && !realpath(path, file->path))
        return pov_write_refused(path);
    return begin_beside(file, facts.st_mode & 0777);
}

bool pov_write_name(const char *path)
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
    bool straight = file->temporary[0] == '\0';
    bool on_disk = fflush(stream) == 0 && !ferror(stream) && (straight || fsync(fileno(stream)) == 0);
    if (written.code == POV_OK && !on_disk)
        written = pov_write_refused(file->path);
    fclose(stream);
    if (straight)
        return written;
    if (written.code == POV_OK && rename(file->temporary, file->path) != 0)
        written = pov_write_refused(file->path);
    if (written.code != POV_OK)
        unlink(file->temporary);
    else if (!pov_write_name(file->path))
        written = pov_write_refused(file->path);
    return written;
}

/* Names the folder that is missing, not the one that was to be made. */
static pov_status refuse_orphan(const char *path)
{
    size_t len = strlen(path);
    while (len > 1 && path[len - 1] == '/')
        len--;
    while (len > 0 && path[len - 1] != '/')
        len--;
    const int parent_len = (int)(len > 1 ? len - 1 : len);
    return pov_error("%s: cannot make this folder, for %.*s does not exist: make that first, or name another",
                     path, parent_len, path);
}

pov_status pov_write_folder(const char *path)
{
    struct stat facts;
    if (mkdir(path, 0777) != 0 && !(errno == EEXIST && stat(path, &facts) == 0 && S_ISDIR(facts.st_mode)))
        return errno == ENOENT ? refuse_orphan(path)
               : errno == EEXIST
                   ? pov_error("%s: is a file, not a folder; name another folder, or a new one", path)
                   : pov_error("%s: cannot make this folder: %s", path, strerror(errno));
    return pov_write_name(path) ? pov_ok() : pov_write_refused(path);
}

pov_status pov_write_file_bytes(void *file, const void *bytes, size_t len)
{
    const pov_write_file *self = file;
    return fwrite(bytes, 1, len, self->stream) == len ? pov_ok() : pov_write_refused(self->path);
}

static int remove_entry(const char *path, const struct stat *info, int type, struct FTW *place)
{
    (void)info;
    (void)type;
    (void)place;
    return remove(path);
}

void pov_remove_folder(const char *path)
{
    enum { OPEN_FOLDERS_MAX = 8 };
    (void)nftw(path, remove_entry, OPEN_FOLDERS_MAX, FTW_DEPTH | FTW_PHYS);
}
