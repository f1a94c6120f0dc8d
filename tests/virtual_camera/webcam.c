/* Plays a webcam that shows the test's pattern or, given a folder that 'pov sim' wrote, its images in turn. Reads
 * commands, one a line: plug, unplug, spoil N, show N, quit. */
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

enum { IMAGE_MAX = 36, JPEG_BYTES_MAX = 640 * 480 };

/* A simulated world's images as MJPEG, each shown for `hold` pictures. */
typedef struct {
    int len, hold;
    struct {
        unsigned long bytes;
        uint8_t jpeg[JPEG_BYTES_MAX];
    } images[IMAGE_MAX];
} slides;

typedef struct {
    tjhandle jpeg;
    uint8_t rgb[640 * 480 * 3];
    slides slides;
} painter;

static int64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * (int64_t)1000000000 + now.tv_nsec;
}

static pattern_numbers numbers_of(const pov_virtual_webcam_picture *picture)
{
    return (pattern_numbers){
        .rows = {[PATTERN_ROW_NUMBER] = picture->number & 0xffff,
                 [PATTERN_ROW_EXPOSURE] = picture->exposure_automatic ? 0 : (unsigned)picture->exposure_100us,
                 [PATTERN_ROW_GAIN] = (unsigned)picture->gain}};
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

/* Nothing in other formats, nor in another size. */
static size_t draw_slide(const slides *shown, uint8_t *bytes, size_t capacity,
                         const pov_virtual_webcam_picture *picture)
{
    const int i = (int)(picture->number / (unsigned)shown->hold) % shown->len;
    if (picture->format != POV_VIRTUAL_WEBCAM_MJPEG || shown->images[i].bytes > capacity)
        return 0;
    memcpy(bytes, shown->images[i].jpeg, shown->images[i].bytes);
    return shown->images[i].bytes;
}

static size_t draw(void *context, uint8_t *bytes, size_t capacity, const pov_virtual_webcam_picture *picture)
{
    const painter *canvas = context;
    if (canvas->slides.len > 0)
        return draw_slide(&canvas->slides, bytes, capacity, picture);
    pattern_numbers numbers = numbers_of(picture);
    if (picture->format == POV_VIRTUAL_WEBCAM_YUYV)
        return draw_yuyv(bytes, picture, &numbers);
    return draw_jpeg(context, bytes, capacity, picture, &numbers);
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

/* The checker tells by it which image was to be seen when. */
static void say_when_plugged(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    printf("webcam plugged at %lld%09ld\n", (long long)now.tv_sec, now.tv_nsec);
    fflush(stdout);
}

static pov_status obey(pov_virtual_webcam *webcam, const char *command)
{
    if (strcmp(command, "plug") == 0) {
        say_when_plugged();
        return pov_virtual_webcam_plug(webcam, now_ns());
    }
    if (strcmp(command, "unplug") == 0)
        return pov_virtual_webcam_unplug(webcam);
    if (strncmp(command, "spoil ", 6) == 0) {
        pov_virtual_webcam_spoil(webcam, atoi(command + 6));
        return pov_ok();
    }
    if (strncmp(command, "show ", 5) == 0) {
        pov_virtual_webcam_show(webcam, atoi(command + 5));
        return pov_ok();
    }
    return pov_status_with(POV_END, "webcam: %s", command);
}

/* POV_END at "quit" or an unknown command. */
static pov_status read_commands(pov_virtual_webcam *webcam, int fd)
{
    char text[256];
    ssize_t len = read(fd, text, sizeof text - 1);
    text[len > 0 ? len : 0] = '\0';
    for (char *rest = NULL, *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
        POV_TRY(obey(webcam, line));
    return pov_ok();
}

static int poll_timeout_ms(int64_t due_ns)
{
    int64_t now = now_ns();
    if (due_ns <= now)
        return 0;
    return due_ns - now > 1000000000 ? 1000 : (int)((due_ns - now) / 1000000) + 1;
}

static pov_status play(pov_virtual_webcam *webcam, int commands)
{
    for (;;) {
        struct pollfd waiting[2] = {{.fd = commands, .events = POLLIN},
                                    {.fd = pov_virtual_webcam_fd(webcam), .events = POLLIN}};
        poll(waiting, 2, poll_timeout_ms(pov_virtual_webcam_due_ns(webcam)));
        if (waiting[0].revents & POLLIN)
            POV_TRY(read_commands(webcam, commands));
        pov_status status = pov_virtual_webcam_serve(webcam, now_ns());
        if (status.code == POV_ERROR)
            return status;
    }
}

int main(int argc, char **argv)
{
    static painter canvas;
    if (argc != 2 && argc != 4) {
        fprintf(stderr, "usage: webcam FIFO [FOLDER PICTURES_EACH]\n");
        return 2;
    }
    canvas.jpeg = tjInitCompress();
    if (argc == 4) {
        canvas.slides.hold = atoi(argv[3]);
        const pov_status read = read_slides(&canvas, argv[2]);
        if (read.code != POV_OK || canvas.slides.len == 0 || canvas.slides.hold < 1) {
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
        status = play(webcam, commands);
    fprintf(stderr, "webcam: ends: %s\n", status.message);
    pov_virtual_webcam_destroy(&webcam);
    tjDestroy(canvas.jpeg);
    close(commands);
    return status.code != POV_END;
}
