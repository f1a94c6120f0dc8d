/* Questions about images of a sweep that is over. */
#include "compare/log/answer_log.h"
#include "config/scene/scene_file.h"
#include "firmware/sweep/sweep.h"
#include "protocol/tasks/vlm_truth.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { IMAGE_BYTES_MAX = 256 << 20 };

/* The length without a last line that was cut off when its writer was killed. */
static off_t whole_lines(int file)
{
    char block[4096];
    off_t end = lseek(file, 0, SEEK_END);
    while (end > 0) {
        const off_t start = end > (off_t)sizeof block ? end - (off_t)sizeof block : 0;
        const ssize_t length = pread(file, block, (size_t)(end - start), start);
        const char *newline = length > 0 ? memrchr(block, '\n', (size_t)length) : NULL;
        if (newline || length <= 0)
            return newline ? start + (newline - block) + 1 : end;
        end = start;
    }
    return 0;
}

static bool write_all(int file, const char *text, size_t length)
{
    while (length > 0) {
        const ssize_t written = write(file, text, length);
        if (written <= 0)
            return false;
        text += written;
        length -= (size_t)written;
    }
    return true;
}

pov_status pov_sweep_append_truth(const pov_sweep_folder *folder, const char *lines)
{
    char path[POV_SWEEP_PATH_CAPACITY + 32];
    if (!lines || !*lines)
        return pov_ok();
    snprintf(path, sizeof path, "%s/" POV_VLM_TRUTH_FILE, folder->path);
    const int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    const off_t end = file < 0 ? 0 : whole_lines(file);
    const bool good = file >= 0 && ftruncate(file, end) == 0 && lseek(file, end, SEEK_SET) == end &&
                      write_all(file, lines, strlen(lines));
    const pov_status status = good ? pov_ok() : pov_error("%s: cannot be written: %s", path, strerror(errno));
    if (file >= 0)
        close(file);
    return status;
}

typedef struct {
    const pov_sweep_folder *folder;
    pov_answer_log *log;
    pov_sweep_questions *questions;
    pov_scene scene, truth;
    pov_bytes bytes;
} adding;

/* The scene as it was judged, and as it truly was. */
static pov_status read_scenes(adding *a, pov_sweep_world *world, const pov_log_image *image)
{
    char path[2 * POV_SWEEP_PATH_CAPACITY];
    *world = (pov_sweep_world){.scene = &a->scene};
    POV_TRY(pov_scene_file_parse(&a->scene, "the log's evidence", image->evidence, strlen(image->evidence)));
    if (!image->truth)
        return pov_ok();
    POV_TRY(pov_scene_file_parse(&a->truth, "the log's truth", image->truth, strlen(image->truth)));
    snprintf(path, sizeof path, "%s/%s", a->folder->path, image->path);
    POV_TRY(pov_read_file(&a->bytes, path, IMAGE_BYTES_MAX, "an image"));
    world->truth = &a->truth;
    world->hash = pov_vlm_truth_hash(a->bytes.data, a->bytes.length);
    return pov_ok();
}

static pov_status add_to(adding *a, int *added, const pov_log_image *image)
{
    pov_sweep_world world;
    pov_sweep_asked asked;
    if (!image->evidence)
        return pov_ok();
    POV_TRY(read_scenes(a, &world, image));
    POV_TRY(pov_sweep_questions_make(a->questions, &asked, &world));
    POV_TRY(pov_sweep_append_truth(a->folder, asked.truth_lines));
    return pov_answer_log_add_questions(a->log, added, image->id, asked.questions, asked.len);
}

static pov_status add_to_all(adding *a, int *added)
{
    pov_log_image image = {0};
    pov_status status;
    while ((status = pov_answer_log_image(a->log, &image, image.id)).code == POV_OK) {
        int more = 0;
        POV_TRY(add_to(a, &more, &image));
        *added += more;
    }
    return status.code == POV_END ? pov_ok() : status;
}

pov_status pov_sweep_add_questions(int *added, const pov_sweep_folder *folder, pov_answer_log *log,
                                   const pov_sweep_asking *asking)
{
    const pov_judging judging = POV_JUDGING_DEFAULT;
    *added = 0;
    adding *a = calloc(1, sizeof *a);
    if (!a)
        return pov_error("sweep: out of memory");
    a->folder = folder;
    a->log = log;
    pov_status status = pov_sweep_questions_new(&a->questions, asking, &judging);
    if (status.code == POV_OK)
        status = add_to_all(a, added);
    pov_sweep_questions_destroy(&a->questions);
    pov_bytes_free(&a->bytes);
    free(a);
    return status;
}
