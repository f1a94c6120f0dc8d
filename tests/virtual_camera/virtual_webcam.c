/* References: Documentation/usb/usbip_protocol.rst of Linux; USB Device Class Definition for Video
 * Devices 1.0a. */
#include "tests/virtual_camera/virtual_webcam.h"

#include "tests/virtual_camera/uvc_controls.h"
#include "tests/virtual_camera/uvc_descriptors.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { CMD_SUBMIT = 1, CMD_UNLINK = 2, RET_SUBMIT = 3, RET_UNLINK = 4 };
enum { DIRECTION_IN = 1, SPEED_HIGH = 3, DEVICE_ID = 1 << 16 | 2 };
enum { GET_STATUS = 0, CLEAR_FEATURE = 1, GET_DESCRIPTOR = 6, GET_INTERFACE = 10 };
enum { HEADER_LEN = 2, HEADER_FID = 1, HEADER_EOF = 2, HEADER_ERROR = 0x40, HEADER_EOH = 0x80 };
enum { PICTURE_CAPACITY = 640 * 480 * 2, TRANSFER_CAPACITY = 65536, PENDING_MAX = 32 };

static const char port_path[] = "/sys/devices/platform/vhci_hcd.0";
static const int64_t PERIOD_NS = 1000000000 / POV_VIRTUAL_WEBCAM_RATE_HZ;

/* A USB/IP header as it goes over the wire: ten big-endian words, then the setup packet. */
typedef struct {
    uint32_t command, seqnum, devid, direction, endpoint;
    union {
        struct {
            uint32_t flags, length, start_frame, packets, interval;
        } submit;
        struct {
            uint32_t status, actual_length, start_frame, packets, errors;
        } ret;
        struct {
            uint32_t seqnum;
        } unlink;
    } u;
    uint8_t setup[8];
} message;
_Static_assert(sizeof(message) == 48, "USB/IP headers have 48 bytes");

typedef struct {
    uint32_t seqnum, length;
} pending_transfer;

struct pov_virtual_webcam {
    pov_virtual_webcam_draw draw;
    void *context;
    int fd; /* our end of the connection; -1: not plugged in */
    pov_uvc_controls controls;
    uint8_t format, frame; /* counted from 1 */
    pending_transfer pending[PENDING_MAX];
    int pending_len;
    uint32_t newest_submit;
    uint32_t cancelled[PENDING_MAX]; /* ring: cancelled before they came, see answer_unlink */
    unsigned cancelled_len;
    int64_t plugged_ns, next_number;
    uint8_t picture[PICTURE_CAPACITY];
    size_t picture_len, sent; /* of the picture under way; equal: none */
    bool frame_id, spoiled;
    int to_spoil, to_show;
    uint8_t transfer[TRANSFER_CAPACITY];
};

pov_status pov_virtual_webcam_new(pov_virtual_webcam **webcam, pov_virtual_webcam_draw draw, void *context)
{
    POV_REQUIRE(draw);
    *webcam = calloc(1, sizeof **webcam);
    if (!*webcam)
        return pov_error("virtual webcam: out of memory");
    (*webcam)->draw = draw;
    (*webcam)->context = context;
    (*webcam)->fd = -1;
    (*webcam)->to_show = -1;
    (*webcam)->format = (*webcam)->frame = 1;
    (*webcam)->controls = pov_uvc_controls_new();
    return pov_ok();
}

/* ---- The socket ---- */

static void hang_up(pov_virtual_webcam *webcam)
{
    if (webcam->fd >= 0)
        close(webcam->fd);
    webcam->fd = -1;
    webcam->pending_len = 0;
    webcam->cancelled_len = 0;
    webcam->newest_submit = 0;
    webcam->picture_len = webcam->sent = 0;
}

static pov_status cut_off(pov_virtual_webcam *webcam)
{
    hang_up(webcam);
    return pov_status_with(POV_END, "virtual webcam: the host has cut the connection");
}

static bool receive(int fd, void *bytes, size_t len)
{
    return len == 0 || recv(fd, bytes, len, MSG_WAITALL) == (ssize_t)len;
}

static bool transmit(int fd, const void *bytes, size_t len)
{
    for (size_t sent = 0; sent < len;) {
        ssize_t n = send(fd, (const uint8_t *)bytes + sent, len - sent, MSG_NOSIGNAL);
        if (n <= 0)
            return false;
        sent += (size_t)n;
    }
    return true;
}

/* Ends a transfer: `len` bytes of webcam->transfer go along if it was one toward the host. */
static bool complete(pov_virtual_webcam *webcam, uint32_t seqnum, int status, size_t len, bool with_data)
{
    message answer = {.command = htonl(RET_SUBMIT), .seqnum = seqnum};
    answer.u.ret.status = htonl((uint32_t)status);
    answer.u.ret.actual_length = htonl((uint32_t)len);
    return transmit(webcam->fd, &answer, sizeof answer) &&
           (!with_data || transmit(webcam->fd, webcam->transfer, len));
}

/* ---- Plugging ---- */

static pov_status tell_kernel(const char *file, const char *text)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", port_path, file);
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    bool written = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);
    int problem = errno;
    if (fd >= 0)
        close(fd);
    if (written)
        return pov_ok();
    return pov_error("virtual webcam: %s: %s; it takes root and 'modprobe vhci-hcd'", path,
                     strerror(problem));
}

pov_status pov_virtual_webcam_plug(pov_virtual_webcam *webcam, int64_t now_ns)
{
    if (webcam->fd >= 0)
        return pov_ok();
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return pov_error("virtual webcam: socketpair: %s", strerror(errno));
    char text[64];
    snprintf(text, sizeof text, "0 %d %d %d", ends[1], DEVICE_ID, SPEED_HIGH);
    pov_status status = tell_kernel("attach", text);
    close(ends[1]);
    webcam->fd = ends[0];
    webcam->plugged_ns = now_ns;
    webcam->next_number = 0;
    if (status.code != POV_OK)
        hang_up(webcam);
    return status;
}

pov_status pov_virtual_webcam_unplug(pov_virtual_webcam *webcam)
{
    if (webcam->fd < 0)
        return pov_ok();
    pov_status status = tell_kernel("detach", "0");
    hang_up(webcam);
    return status;
}

void pov_virtual_webcam_destroy(pov_virtual_webcam **webcam)
{
    if (!webcam || !*webcam)
        return;
    pov_status ignored = pov_virtual_webcam_unplug(*webcam);
    (void)ignored;
    free(*webcam);
    *webcam = NULL;
}

void pov_virtual_webcam_spoil(pov_virtual_webcam *webcam, int count)
{
    webcam->to_spoil += count;
}

void pov_virtual_webcam_show(pov_virtual_webcam *webcam, int count)
{
    webcam->to_show = count;
}

int pov_virtual_webcam_fd(const pov_virtual_webcam *webcam)
{
    return webcam->fd;
}

/* ---- Control requests (endpoint 0) ---- */

static const pov_uvc_frame *frame_of(const pov_virtual_webcam *webcam)
{
    return &pov_uvc_frames[webcam->format - 1][webcam->frame - 1];
}

static uint32_t frame_bytes(const pov_virtual_webcam *webcam)
{
    return (uint32_t)(frame_of(webcam)->width_px * frame_of(webcam)->height_px * 2);
}

static void start_over(pov_virtual_webcam *webcam)
{
    webcam->picture_len = webcam->sent = 0;
}

/* UVC 1.0a, 4.3.1.1: video probe and commit controls, 26 bytes. */
static int answer_probe(pov_virtual_webcam *webcam, int request)
{
    enum { PROBE_LEN = 26 };
    uint8_t *bytes = webcam->transfer;
    memset(bytes, 0, PROBE_LEN);
    if (request == POV_UVC_GET_LEN) {
        pov_uvc_put_le(bytes, PROBE_LEN, 2);
        return 2;
    }
    if (request == POV_UVC_GET_INFO) {
        bytes[0] = 3; /* may be read and set */
        return 1;
    }
    bytes[2] = webcam->format;
    bytes[3] = webcam->frame;
    pov_uvc_put_le(bytes + 4, POV_UVC_INTERVAL_100NS, 4);
    pov_uvc_put_le(bytes + 18, frame_bytes(webcam), 4);
    pov_uvc_put_le(bytes + 22, POV_UVC_PAYLOAD_BYTES, 4);
    return PROBE_LEN;
}

static void set_probe(pov_virtual_webcam *webcam)
{
    uint8_t format = webcam->transfer[2], frame = webcam->transfer[3];
    webcam->format = format >= 1 && format <= POV_UVC_FORMAT_COUNT ? format : 1;
    webcam->frame = frame >= 1 && frame <= POV_UVC_FRAME_COUNT ? frame : 1;
    if (frame_of(webcam)->width_px == 0)
        webcam->frame = 1;
    start_over(webcam);
}

static int answer_class(pov_virtual_webcam *webcam, const uint8_t setup[8])
{
    bool streaming = setup[4] == 1;
    if (!streaming)
        return pov_uvc_controls_answer(&webcam->controls, webcam->transfer, setup);
    if (setup[1] != POV_UVC_SET_CUR)
        return answer_probe(webcam, setup[1]);
    set_probe(webcam);
    return (int)pov_uvc_get_le(setup + 6, 2);
}

static int answer_standard(pov_virtual_webcam *webcam, const uint8_t setup[8])
{
    size_t len = 0;
    const uint8_t *descriptor;
    switch (setup[1]) {
    case GET_DESCRIPTOR:
        descriptor = pov_uvc_descriptor(&len, webcam->transfer, pov_uvc_get_le(setup + 2, 2));
        if (!descriptor)
            return -EPIPE;
        memmove(webcam->transfer, descriptor, len);
        return (int)len;
    case GET_STATUS:
    case GET_INTERFACE:
        memset(webcam->transfer, 0, 2);
        return setup[1] == GET_STATUS ? 2 : 1;
    case CLEAR_FEATURE: /* how Linux ends a bulk stream */
        start_over(webcam);
        return 0;
    default:
        return 0;
    }
}

static bool answer_control(pov_virtual_webcam *webcam, const message *asked)
{
    const uint8_t *setup = asked->setup;
    int wanted = (int)pov_uvc_get_le(setup + 6, 2);
    bool is_class = (setup[0] & 0x60) == 0x20;
    int len = is_class ? answer_class(webcam, setup) : answer_standard(webcam, setup);
    if (len < 0)
        return complete(webcam, asked->seqnum, len, 0, false);
    return complete(webcam, asked->seqnum, 0, (size_t)(len < wanted ? len : wanted), (setup[0] & 0x80) != 0);
}

/* ---- Pictures (bulk endpoint) ---- */

static pov_virtual_webcam_picture describe_picture(const pov_virtual_webcam *webcam)
{
    return (pov_virtual_webcam_picture){.format = webcam->format == 1 ? POV_VIRTUAL_WEBCAM_YUYV
                                                                      : POV_VIRTUAL_WEBCAM_MJPEG,
                                        .width_px = frame_of(webcam)->width_px,
                                        .height_px = frame_of(webcam)->height_px,
                                        .number = (uint32_t)webcam->next_number,
                                        .exposure_automatic = pov_uvc_controls_automatic(&webcam->controls),
                                        .exposure_100us = webcam->controls.values[POV_UVC_EXPOSURE],
                                        .gain = webcam->controls.values[POV_UVC_GAIN]};
}

static void begin_picture(pov_virtual_webcam *webcam, int64_t now_ns)
{
    webcam->next_number = (now_ns - webcam->plugged_ns) / PERIOD_NS;
    pov_virtual_webcam_picture picture = describe_picture(webcam);
    webcam->picture_len = webcam->draw(webcam->context, webcam->picture, PICTURE_CAPACITY, &picture);
    POV_REQUIRE(webcam->picture_len <= PICTURE_CAPACITY);
    webcam->sent = 0;
    webcam->next_number++;
    webcam->frame_id = !webcam->frame_id;
    webcam->spoiled = webcam->to_spoil > 0;
    if (webcam->spoiled)
        webcam->to_spoil--;
    if (webcam->to_show > 0)
        webcam->to_show--;
}

/* UVC 1.0a, 2.4.3.3: each bulk transfer is one payload with a header of its own. */
static bool send_payload(pov_virtual_webcam *webcam, const pending_transfer *transfer)
{
    size_t room =
        (transfer->length < POV_UVC_PAYLOAD_BYTES ? transfer->length : POV_UVC_PAYLOAD_BYTES) - HEADER_LEN;
    size_t left = webcam->picture_len - webcam->sent;
    size_t len = left < room ? left : room;
    webcam->transfer[0] = HEADER_LEN;
    webcam->transfer[1] = (uint8_t)(HEADER_EOH | (webcam->frame_id ? HEADER_FID : 0) |
                                    (len == left ? HEADER_EOF : 0) | (webcam->spoiled ? HEADER_ERROR : 0));
    memcpy(webcam->transfer + HEADER_LEN, webcam->picture + webcam->sent, len);
    webcam->sent += len;
    return complete(webcam, transfer->seqnum, 0, HEADER_LEN + len, true);
}

static int64_t next_picture_ns(const pov_virtual_webcam *webcam)
{
    return webcam->to_show == 0 ? INT64_MAX : webcam->plugged_ns + webcam->next_number * PERIOD_NS;
}

/* At most one transfer a call, so that requests of the host are heard in between. */
static bool send_pictures(pov_virtual_webcam *webcam, int64_t now_ns)
{
    if (webcam->pending_len == 0)
        return true;
    if (webcam->sent == webcam->picture_len) {
        if (now_ns < next_picture_ns(webcam))
            return true;
        begin_picture(webcam, now_ns);
    }
    pending_transfer first = webcam->pending[0];
    memmove(webcam->pending, webcam->pending + 1, (size_t)(--webcam->pending_len) * sizeof first);
    return send_payload(webcam, &first);
}

int64_t pov_virtual_webcam_due_ns(const pov_virtual_webcam *webcam)
{
    if (webcam->fd < 0 || webcam->pending_len == 0)
        return INT64_MAX;
    return webcam->sent < webcam->picture_len ? 0 : next_picture_ns(webcam);
}

/* ---- Messages ---- */

static bool remove_pending(pov_virtual_webcam *webcam, uint32_t seqnum)
{
    for (int i = 0; i < webcam->pending_len; i++) {
        if (webcam->pending[i].seqnum != seqnum)
            continue;
        webcam->pending_len--;
        memmove(webcam->pending + i, webcam->pending + i + 1,
                (size_t)(webcam->pending_len - i) * sizeof *webcam->pending);
        return true;
    }
    return false;
}

/* Linux 6.1's vhci_tx_loop sends what is to be submitted, then what is to be unlinked; a transfer that is
 * made and cancelled in between is unlinked first and submitted after. It must not be answered: for the host
 * it is over. */
static bool answer_unlink(pov_virtual_webcam *webcam, const message *asked)
{
    uint32_t seqnum = asked->u.unlink.seqnum;
    message answer = {.command = htonl(RET_UNLINK), .seqnum = asked->seqnum};
    if (remove_pending(webcam, seqnum))
        answer.u.ret.status = htonl((uint32_t)-ECONNRESET);
    else if (ntohl(seqnum) > webcam->newest_submit)
        webcam->cancelled[webcam->cancelled_len++ % PENDING_MAX] = seqnum;
    return transmit(webcam->fd, &answer, sizeof answer);
}

static bool was_cancelled(const pov_virtual_webcam *webcam, uint32_t seqnum)
{
    for (unsigned i = 0; i < webcam->cancelled_len && i < PENDING_MAX; i++)
        if (webcam->cancelled[i] == seqnum)
            return true;
    return false;
}

static bool answer_submit(pov_virtual_webcam *webcam, const message *asked)
{
    uint32_t length = ntohl(asked->u.submit.length), seqnum = ntohl(asked->seqnum);
    bool in = ntohl(asked->direction) == DIRECTION_IN;
    if (!in && (length > TRANSFER_CAPACITY || !receive(webcam->fd, webcam->transfer, length)))
        return false;
    if (was_cancelled(webcam, asked->seqnum))
        return true;
    if (seqnum > webcam->newest_submit)
        webcam->newest_submit = seqnum;
    if (ntohl(asked->endpoint) == 0)
        return answer_control(webcam, asked);
    if (!in || webcam->pending_len == PENDING_MAX || length <= HEADER_LEN)
        return complete(webcam, asked->seqnum, -EPIPE, 0, false);
    webcam->pending[webcam->pending_len++] = (pending_transfer){asked->seqnum, length};
    return true;
}

static bool is_readable(int fd)
{
    struct pollfd waiting = {.fd = fd, .events = POLLIN};
    return poll(&waiting, 1, 0) > 0;
}

pov_status pov_virtual_webcam_serve(pov_virtual_webcam *webcam, int64_t now_ns)
{
    if (webcam->fd < 0)
        return pov_ok();
    if (is_readable(webcam->fd)) {
        message asked;
        if (!receive(webcam->fd, &asked, sizeof asked))
            return cut_off(webcam);
        bool unlink = ntohl(asked.command) == CMD_UNLINK;
        if (!(unlink ? answer_unlink(webcam, &asked) : answer_submit(webcam, &asked)))
            return cut_off(webcam);
    }
    return send_pictures(webcam, now_ns) ? pov_ok() : cut_off(webcam);
}
