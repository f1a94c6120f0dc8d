/* Questions about images of a sweep that is over. */
#include "compare/answer_rows.h"
#include "config/scene_file.h"
#include "firmware/sweep.h"
#include "protocol/vlm_truth.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { IMAGE_BYTES_MAX = 256 << 20 };

pov_status pov_sweep_append_truth(const pov_sweep_folder *folder, const char *lines)
{
    char path[POV_SWEEP_PATH_CAPACITY + 32];
    if (!lines || !*lines)
        return pov_ok();
    snprintf(path, sizeof path, "%s/" POV_VLM_TRUTH_FILE, folder->path);
    FILE *file = fopen(path, "a");
    if (!file)
        return pov_error("%s: cannot be written: %s", path, strerror(errno));
    fputs(lines, file);
    const bool bad = fflush(file) != 0 || ferror(file);
    const pov_status status = bad ? pov_error("%s: cannot be written: %s", path, strerror(errno)) : pov_ok();
    fclose(file);
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
