#include "firmware/turntable/serial_device.h"

#include "firmware/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <termios.h>
#include <unistd.h>

typedef struct {
    char path[256];
    speed_t speed;
    int fd; /* -1: closed */
} device;

static int64_t device_now_ns(void *impl)
{
    (void)impl;
    return pov_clock_monotonic_ns();
}

static void device_wait(void *impl, int64_t until_ns)
{
    (void)impl;
    int64_t left_ms = (until_ns - pov_clock_monotonic_ns()) / 1000000;
    if (left_ms > 0)
        poll(NULL, 0, left_ms > 1000 ? 1000 : (int)left_ms);
}

static void device_close(device *self)
{
    if (self->fd >= 0)
        close(self->fd);
    self->fd = -1;
}

static pov_status device_gone(device *self)
{
    device_close(self);
    return pov_status_with(POV_END, "%s: the line is gone: was it unplugged?", self->path);
}

static pov_status explain_open(const device *self)
{
    switch (errno) {
    case ENOENT:
        return pov_error("%s: there is no such device. Is the controller plugged in and powered? 'ls "
                         "/dev/serial/by-id' shows what is there",
                         self->path);
    case EACCES:
        return pov_error("%s: no permission. 'sudo usermod -aG dialout $USER', then log out and in again",
                         self->path);
    case EBUSY:
        return pov_error("%s: another program has it open: stop that first", self->path);
    default:
        return pov_error("%s: %s", self->path, strerror(errno));
    }
}

/* Raw, 8N1. Without HUPCL, closing does not drop DTR, which would restart an Arduino when it rises again. */
static pov_status set_up(device *self)
{
    struct termios settings;
    if (tcgetattr(self->fd, &settings) != 0)
        return pov_error("%s: not a serial line (%s)", self->path, strerror(errno));
    cfmakeraw(&settings);
    settings.c_cflag |= CLOCAL | CREAD;
    settings.c_cflag &= ~(tcflag_t)(HUPCL | CSTOPB | CRTSCTS);
    cfsetispeed(&settings, self->speed);
    cfsetospeed(&settings, self->speed);
    if (tcsetattr(self->fd, TCSANOW, &settings) != 0)
        return pov_error("%s: cannot set the line up: %s", self->path, strerror(errno));
    if (flock(self->fd, LOCK_EX | LOCK_NB) != 0)
        return pov_error("%s: another pov has it open: stop that first", self->path);
    tcflush(self->fd, TCIOFLUSH);
    return pov_ok();
}

static pov_status device_open(void *impl)
{
    device *self = impl;
    device_close(self);
    self->fd = open(self->path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
    if (self->fd < 0)
        return explain_open(self);
    pov_status status = set_up(self);
    if (status.code != POV_OK)
        device_close(self);
    return status;
}

/* POV_OK: ready for `events`. */
static pov_status await_bytes(device *self, short events, int64_t until_ns)
{
    if (self->fd < 0)
        return device_gone(self);
    struct pollfd ready = {.fd = self->fd, .events = events};
    for (;;) {
        int64_t left_ms = (until_ns - pov_clock_monotonic_ns() + 999999) / 1000000;
        int count = poll(&ready, 1, left_ms < 0 ? 0 : left_ms > 1000 ? 1000 : (int)left_ms);
        if (count > 0 && (ready.revents & events))
            return pov_ok();
        if (count > 0)
            return device_gone(self);
        if (count < 0 && errno != EINTR)
            return pov_error("%s: %s", self->path, strerror(errno));
        if (left_ms <= 0)
            return pov_status_of(POV_TIMEOUT);
    }
}

static pov_status device_write(void *impl, const char *bytes, size_t length, int64_t until_ns)
{
    device *self = impl;
    while (length > 0) {
        POV_TRY(await_bytes(self, POLLOUT, until_ns));
        ssize_t count = write(self->fd, bytes, length);
        if (count < 0 && errno != EAGAIN && errno != EINTR)
            return device_gone(self);
        bytes += count > 0 ? count : 0;
        length -= (size_t)(count > 0 ? count : 0);
    }
    return pov_ok();
}

static pov_status device_read(void *impl, size_t *length, char *bytes, size_t capacity, int64_t until_ns)
{
    device *self = impl;
    for (;;) {
        POV_TRY(await_bytes(self, POLLIN, until_ns));
        ssize_t count = read(self->fd, bytes, capacity);
        if (count > 0) {
            *length = (size_t)count;
            return pov_ok();
        }
        if (count == 0 || (errno != EAGAIN && errno != EINTR))
            return device_gone(self);
    }
}

static void device_destroy(void *impl)
{
    device_close(impl);
    free(impl);
}

static const pov_serial_backend backend = {
    .open = device_open,
    .write = device_write,
    .read = device_read,
    .now_ns = device_now_ns,
    .wait = device_wait,
    .destroy = device_destroy,
};

static speed_t speed_of(int baud)
{
    static const struct {
        int baud;
        speed_t speed;
    } known[] = {{9600, B9600},     {19200, B19200},   {38400, B38400},   {57600, B57600},
                 {115200, B115200}, {230400, B230400}, {460800, B460800}, {921600, B921600}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].baud == baud)
            return known[i].speed;
    return B0;
}

pov_status pov_serial_line_new_device(pov_serial_line **line, const char *path, int baud)
{
    *line = NULL;
    if (strlen(path) >= sizeof((device *)NULL)->path)
        return pov_error("%s: the path is too long", path);
    if (speed_of(baud) == B0)
        return pov_error("%s: no speed of %d baud; GRBL's is 115200", path, baud);
    device *self = pov_allocate(1, sizeof *self);
    snprintf(self->path, sizeof self->path, "%s", path);
    self->speed = speed_of(baud);
    self->fd = -1;
    return pov_serial_line_new(line, &backend, self, path);
}
