/* Plays a webcam that shows the test's pattern or, given a folder that 'pov sim' wrote, its images in turn.
 *
 * Reads commands, one a line: plug, unplug, spoil N, show N, report, quit. Answers each with a line: the command's first
 * word, the time (CLOCK_REALTIME, ns), the pictures drawn so far.
 *
 * A folder's image is shown until it was surely seen: until "judged NS" tells of a photograph taken when the image
 * had been shown in SETTLED_PICTURES pictures. The answer is then "image I FROM_NS TO_NS", and the next one is shown. After
 * COUNT images the webcam ends. So it does not matter how fast the machine is. */
#include "firmware/picture/image_file.h"
#include "tests/virtual_camera/pattern.h"
#include "tests/virtual_camera/virtual_webcam.h"

#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <turbojpeg.h>
#include <unistd.h>

enum { IMAGE_MAX = 36, JPEG_BYTES_MAX = 640 * 480, YUYV_BYTES = 640 * 480 * 2 };
/* Twice the transfers that Linux's driver keeps under way (UVC_URBS): nothing older is on the way then. */
enum { SETTLED_PICTURES = 10 };

/* A simulated world's images. */
typedef struct {
    int len, wanted, shown;
    int pictures;       /* of the image that is shown */
    int64_t settled_ns; /* CLOCK_REALTIME; 0: not yet */
    struct {
        unsigned long bytes;
        uint8_t jpeg[JPEG_BYTES_MAX], yuyv[YUYV_BYTES];
    } images[IMAGE_MAX];
} slides;

typedef struct {
    tjhandle jpeg;
    unsigned drawn; /* pictures */
    uint8_t rgb[640 * 480 * 3];
    slides slides;
} painter;

static int64_t read_clock_ns(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return now.tv_sec * (int64_t)1000000000 + now.tv_nsec;
}

static int64_t now_ns(void)
{
    return read_clock_ns(CLOCK_MONOTONIC);
}

static pattern_numbers numbers_of(const pov_virtual_webcam_picture *picture, unsigned drawn)
{
    return (pattern_numbers){
        .rows = {[PATTERN_ROW_NUMBER] = picture->number & 0xffff,
                 [PATTERN_ROW_EXPOSURE] = picture->exposure_automatic ? 0 : (unsigned)picture->exposure_100us,
                 [PATTERN_ROW_GAIN] = (unsigned)picture->gain,
                 [PATTERN_ROW_COUNT] = drawn & 0xffff}};
}

/* One line of pixels serves all lines of a row of blocks: the emulated processor is slow. */
static void repeat_line(uint8_t *line, size_t line_len, int count)
{
    for (int i = 1; i < count; i++)
        memcpy(line + (size_t)i * line_len, line, line_len);
}

static size_t draw_yuyv(uint8_t *bytes, const pov_virtual_webcam_picture *picture,
                        const pattern_numbers *numbers)
{
    int block_px = picture->width_px / PATTERN_COLUMNS;
    size_t line_len = (size_t)picture->width_px * 2;
    for (int row = 0; row < PATTERN_ROWS; row++) {
        uint8_t *line = bytes + (size_t)(row * block_px) * line_len;
        for (int x = 0; x < picture->width_px; x += 2) {
            const uint8_t *ycbcr = pattern_ycbcr[pattern_color(numbers, x / block_px, row)];
            memcpy(line + 2 * x, (uint8_t[]){ycbcr[0], ycbcr[1], ycbcr[0], ycbcr[2]}, 4);
        }
        repeat_line(line, line_len, block_px);
    }
    return line_len * (size_t)picture->height_px;
}

static size_t draw_jpeg(painter *canvas, uint8_t *bytes, size_t capacity,
                        const pov_virtual_webcam_picture *picture, const pattern_numbers *numbers)
{
    int block_px = picture->width_px / PATTERN_COLUMNS;
    size_t line_len = (size_t)picture->width_px * 3;
    for (int row = 0; row < PATTERN_ROWS; row++) {
        uint8_t *line = canvas->rgb + (size_t)(row * block_px) * line_len;
        for (int x = 0; x < picture->width_px; x++)
            memcpy(line + 3 * x, pattern_rgb[pattern_color(numbers, x / block_px, row)], 3);
        repeat_line(line, line_len, block_px);
    }
    unsigned char *jpeg = bytes;
    unsigned long len = capacity;
    if (tjCompress2(canvas->jpeg, canvas->rgb, picture->width_px, 0, picture->height_px, TJPF_RGB, &jpeg,
                    &len, TJSAMP_422, 90, TJFLAG_NOREALLOC | TJFLAG_FASTDCT))
        return 0;
    return len;
}

/* Nothing in another size. */
static size_t draw_slide(slides *shown, uint8_t *bytes, size_t capacity,
                         const pov_virtual_webcam_picture *picture)
{
    const int i = shown->shown % shown->len;
    const bool is_raw = picture->format == POV_VIRTUAL_WEBCAM_YUYV;
    const size_t len = is_raw ? YUYV_BYTES : shown->images[i].bytes;
    if (len > capacity || (is_raw && picture->width_px * picture->height_px * 2 != YUYV_BYTES))
        return 0;
    if (++shown->pictures == SETTLED_PICTURES)
        shown->settled_ns = read_clock_ns(CLOCK_REALTIME);
    memcpy(bytes, is_raw ? shown->images[i].yuyv : shown->images[i].jpeg, len);
    return len;
}

static size_t draw(void *context, uint8_t *bytes, size_t capacity, const pov_virtual_webcam_picture *picture)
{
    painter *canvas = context;
    pattern_numbers numbers = numbers_of(picture, canvas->drawn++);
    if (canvas->slides.len > 0)
        return draw_slide(&canvas->slides, bytes, capacity, picture);
    if (picture->format == POV_VIRTUAL_WEBCAM_YUYV)
        return draw_yuyv(bytes, picture, &numbers);
    return draw_jpeg(context, bytes, capacity, picture, &numbers);
}

/* ITU-R BT.601 at limited range, in 1/256; two pixels share the colour of the first. */
static void code_yuyv(uint8_t *yuyv, const pov_image *image)
{
    for (int y = 0; y < image->height_px; y++)
        for (int x = 0; x < image->width_px; x++, yuyv += 2) {
            const uint8_t *rgb = image->pixels + y * image->stride_bytes + 3 * x, *first = rgb - 3 * (x % 2);
            yuyv[0] = (uint8_t)((66 * rgb[0] + 129 * rgb[1] + 25 * rgb[2] + 16 * 256 + 128) / 256);
            yuyv[1] =
                x % 2 ? (uint8_t)((112 * first[0] - 94 * first[1] - 18 * first[2] + 128 * 256 + 128) / 256)
                      : (uint8_t)((-38 * first[0] - 74 * first[1] + 112 * first[2] + 128 * 256 + 128) / 256);
        }
}

static pov_status add_slide(painter *canvas, const pov_image *image)
{
    slides *s = &canvas->slides;
    unsigned char *jpeg = s->images[s->len].jpeg;
    s->images[s->len].bytes = JPEG_BYTES_MAX;
    if (image->width_px != 640 || image->height_px != 480)
        return pov_error("%s: must have 640 x 480 pixels", image->name);
    if (tjCompress2(canvas->jpeg, image->pixels, 640, image->stride_bytes, 480, TJPF_RGB, &jpeg,
                    &s->images[s->len].bytes, TJSAMP_422, 95, TJFLAG_NOREALLOC))
        return pov_error("%s: %s", image->name, tjGetErrorStr2(canvas->jpeg));
    code_yuyv(s->images[s->len].yuyv, image);
    s->len++;
    return pov_ok();
}

/* simulated_0000.png and so on, as many as there are. */
static pov_status read_slides(painter *canvas, const char *folder)
{
    pov_image_file *file;
    char path[1000];
    pov_image image;
    POV_TRY(pov_image_file_new(&file));
    pov_status status = pov_ok();
    for (int i = 0; status.code == POV_OK && i < IMAGE_MAX; i++) {
        snprintf(path, sizeof path, "%s/simulated_%04d.png", folder, i);
        if (access(path, F_OK) != 0)
            break;
        status = pov_image_file_read(file, &image, path);
        if (status.code == POV_OK)
            status = add_slide(canvas, &image);
    }
    pov_image_file_destroy(&file);
    return status;
}

/* ---- commands ---- */

static void answer(const char *command, unsigned drawn)
{
    printf("%.*s %lld %u\n", (int)strcspn(command, " "), command, (long long)read_clock_ns(CLOCK_REALTIME),
           drawn);
    fflush(stdout);
}

/* Shows the next image if the photograph was surely of this one. POV_END: it was the last. */
static pov_status turn_page(slides *pages, int64_t photograph_ns)
{
    if (pages->settled_ns == 0 || photograph_ns < pages->settled_ns)
        return pov_ok();
    printf("image %d %lld %lld\n", pages->shown % pages->len, (long long)pages->settled_ns,
           (long long)read_clock_ns(CLOCK_REALTIME));
    fflush(stdout);
    pages->shown++;
    pages->pictures = 0;
    pages->settled_ns = 0;
    return pages->shown < pages->wanted ? pov_ok() : pov_status_with(POV_END, "all images were seen");
}

static pov_status obey(pov_virtual_webcam *webcam, painter *canvas, const char *command)
{
    if (strncmp(command, "judged ", 7) == 0)
        return turn_page(&canvas->slides, strtoll(command + 7, NULL, 10));
    if (strcmp(command, "plug") == 0) {
        answer(command, canvas->drawn); /* first: no picture is older than this */
        return pov_virtual_webcam_plug(webcam, now_ns());
    }
    pov_status status = pov_ok();
    if (strcmp(command, "unplug") == 0)
        status = pov_virtual_webcam_unplug(webcam);
    else if (strncmp(command, "spoil ", 6) == 0)
        pov_virtual_webcam_spoil(webcam, atoi(command + 6));
    else if (strncmp(command, "show ", 5) == 0)
        pov_virtual_webcam_show(webcam, atoi(command + 5));
    else if (strcmp(command, "report") != 0)
        return pov_status_with(POV_END, "%s", command);
    answer(command, canvas->drawn);
    return status;
}

/* Whole lines only; the rest waits for its end. POV_END at "quit" or an unknown command. */
static pov_status read_commands(pov_virtual_webcam *webcam, painter *canvas, int fd)
{
    static char text[4096];
    static size_t held;
    const ssize_t len = read(fd, text + held, sizeof text - 1 - held);
    held += len > 0 ? (size_t)len : 0;
    text[held] = '\0';
    char *line = text;
    for (char *end; (end = strchr(line, '\n')); line = end + 1) {
        *end = '\0';
        POV_TRY(obey(webcam, canvas, line));
    }
    held -= (size_t)(line - text);
    memmove(text, line, held);
    return pov_ok();
}

static int poll_timeout_ms(int64_t due_ns)
{
    int64_t now = now_ns();
    if (due_ns <= now)
        return 0;
    return due_ns - now > 1000000000 ? 1000 : (int)((due_ns - now) / 1000000) + 1;
}

static pov_status play(pov_virtual_webcam *webcam, painter *canvas, int commands)
{
    for (;;) {
        struct pollfd waiting[2] = {{.fd = commands, .events = POLLIN},
                                    {.fd = pov_virtual_webcam_fd(webcam), .events = POLLIN}};
        poll(waiting, 2, poll_timeout_ms(pov_virtual_webcam_due_ns(webcam)));
        if (waiting[0].revents & POLLIN)
            POV_TRY(read_commands(webcam, canvas, commands));
        pov_status status = pov_virtual_webcam_serve(webcam, now_ns());
        if (status.code == POV_ERROR)
            return status;
    }
}

int main(int argc, char **argv)
{
    static painter canvas;
    if (argc != 2 && argc != 4) {
        fprintf(stderr, "usage: webcam FIFO [FOLDER COUNT]\n");
        return 2;
    }
    canvas.jpeg = tjInitCompress();
    if (argc == 4) {
        canvas.slides.wanted = atoi(argv[3]);
        const pov_status read = read_slides(&canvas, argv[2]);
        if (read.code != POV_OK || canvas.slides.len == 0 || canvas.slides.wanted < 1) {
            fprintf(stderr, "webcam: no images in %s %s\n", argv[2], read.message);
            return 1;
        }
    }
    pov_virtual_webcam *webcam = NULL;
    int commands =
        open(argv[1], O_RDWR | O_CLOEXEC); /* also for writing, so that it never reads an end of file */
    if (commands < 0) {
        perror(argv[1]);
        return 1;
    }
    pov_status status = pov_virtual_webcam_new(&webcam, draw, &canvas);
    if (status.code == POV_OK)
        status = play(webcam, &canvas, commands);
    fprintf(stderr, "webcam: ends: %s\n", status.message);
    pov_virtual_webcam_destroy(&webcam);
    tjDestroy(canvas.jpeg);
    close(commands);
    return status.code != POV_END;
}
