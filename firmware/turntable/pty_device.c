#include "firmware/turntable/pty_device.h"

#include "firmware/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

struct pov_pty_device {
    const pov_pty_behaviour *behaviour;
    void *impl;
    int master;
    int terminal; /* kept open, so that the terminal stays raw between clients */
    char path[64], link[1024];
    char out[1024]; /* taken from the behaviour, and not yet written */
    size_t out_len;
};

static pov_status open_terminal(pov_pty_device *self)
{
    struct termios settings;
    self->master = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
    if (self->master < 0 || grantpt(self->master) != 0 || unlockpt(self->master) != 0 ||
        ptsname_r(self->master, self->path, sizeof self->path) != 0)
        return pov_error("no pseudo-terminal to be had: %s", strerror(errno));
    self->terminal = open(self->path, O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (self->terminal < 0 || tcgetattr(self->terminal, &settings) != 0)
        return pov_error("%s: %s", self->path, strerror(errno));
    cfmakeraw(&settings);
    if (tcsetattr(self->terminal, TCSANOW, &settings) != 0)
        return pov_error("%s: %s", self->path, strerror(errno));
    return pov_ok();
}

static pov_status make_link(pov_pty_device *self, const char *link)
{
    struct stat there;
    if (!link)
        return pov_ok();
    if (strlen(link) >= sizeof self->link)
        return pov_error("%s: the path is too long", link);
    if (lstat(link, &there) == 0 && !S_ISLNK(there.st_mode))
        return pov_error("%s: is there already, and is not a link; choose another place", link);
    unlink(link);
    if (symlink(self->path, link) != 0)
        return pov_error("%s: cannot make the link: %s", link, strerror(errno));
    snprintf(self->link, sizeof self->link, "%s", link);
    return pov_ok();
}

pov_status pov_pty_device_new(pov_pty_device **device, const pov_pty_behaviour *behaviour, void *impl,
                              const char *link)
{
    *device = NULL;
    pov_pty_device *self = pov_allocate(1, sizeof *self);
    self->behaviour = behaviour;
    self->impl = impl;
    self->master = self->terminal = -1;
    pov_status status = open_terminal(self);
    POV_THEN(status, make_link(self, link));
    if (status.code == POV_OK)
        *device = self;
    else
        pov_pty_device_destroy(&self);
    return status;
}

void pov_pty_device_destroy(pov_pty_device **device)
{
    pov_pty_device *self = *device;
    if (!self)
        return;
    if (self->link[0])
        unlink(self->link);
    if (self->terminal >= 0)
        close(self->terminal);
    if (self->master >= 0)
        close(self->master);
    free(self);
    *device = NULL;
}

const char *pov_pty_device_path(const pov_pty_device *device)
{
    return device->path;
}

/* Unread output stays in the behaviour, as in a device's own memory. */
static void write_out(pov_pty_device *self)
{
    if (self->out_len == 0)
        self->out_len =
            self->behaviour->send(self->impl, self->out, sizeof self->out, pov_clock_monotonic_ns());
    ssize_t count = self->out_len > 0 ? write(self->master, self->out, self->out_len) : 0;
    if (count <= 0)
        return;
    self->out_len -= (size_t)count;
    memmove(self->out, self->out + count, self->out_len);
}

static int wait_ms(const pov_pty_device *self, int timeout_ms)
{
    int64_t due_ms = (self->behaviour->due_ns(self->impl) - pov_clock_monotonic_ns()) / 1000000 + 1;
    if (due_ms < 1)
        due_ms = 1;
    return due_ms < timeout_ms ? (int)due_ms : timeout_ms;
}

pov_status pov_pty_device_serve(pov_pty_device *self, int timeout_ms)
{
    char bytes[256];
    write_out(self);
    struct pollfd ready = {.fd = self->master, .events = POLLIN};
    if (poll(&ready, 1, wait_ms(self, timeout_ms)) < 0 && errno != EINTR)
        return pov_error("%s: %s", self->path, strerror(errno));
    ssize_t count = read(self->master, bytes, sizeof bytes);
    if (count > 0)
        self->behaviour->receive(self->impl, bytes, (size_t)count, pov_clock_monotonic_ns());
    write_out(self);
    return pov_ok();
}
