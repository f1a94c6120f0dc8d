#include "firmware/report/picture_detections.h"

#include "compare/layouts/visor.h"
#include "config/files/markup.h"
#include "config/models/model_file.h"
#include "firmware/cli.h"
#include "firmware/clock.h"
#include "firmware/model/model_trial.h"
#include "firmware/picture/image_file.h"
#include "firmware/progress.h"
#include "perception/models/model_contract.h"

#include <string.h>
#include <unistd.h>

typedef struct {
    pov_detector *detector, *depth;
    pov_image_file *file;
} eyes;

static void close_eyes(eyes *e)
{
    pov_detector_destroy(&e->detector);
    pov_detector_destroy(&e->depth);
    pov_image_file_destroy(&e->file);
}

static pov_status open_eyes(eyes *e, const pov_picture_looking *looking)
{
    POV_TRY(pov_model_open_tried(&e->detector, looking->detector));
    POV_TRY(pov_model_open_tried(&e->depth, looking->depth));
    POV_TRY(pov_image_file_new(&e->file));
    if (!pov_model_finds(pov_detector_contract(e->detector)->layout))
        return pov_error("%s: layout %s finds nothing by itself; name a detector (--detector)",
                         looking->detector,
                         pov_model_layout_name(pov_detector_contract(e->detector)->layout));
    if (pov_detector_contract(e->depth)->layout != POV_LAYOUT_DEPTH)
        return pov_error("%s: layout %s tells no depth; name a contract of layout depth (--depth)",
                         looking->depth, pov_model_layout_name(pov_detector_contract(e->depth)->layout));
    return pov_ok();
}

/* ---- classes ---- */

static bool has_class(const pov_model_contract *contract, const char *name)
{
    for (int i = 0; i < contract->class_len; i++)
        if (pov_caption_is_name(contract->classes[i], name))
            return true;
    return false;
}

/* Each name once, with how many captions have it before the first that names it again. */
static void warn_of_classes(const pov_captions *captions, const eyes *e, const char *detector)
{
    const pov_model_contract *contract = pov_detector_contract(e->detector);
    char names[300] = "";
    int captions_len = 0;
    for (int i = 0; i < pov_captions_len(captions); i++) {
        const char *both[] = {pov_captions_at(captions, i)->locatum, pov_captions_at(captions, i)->relatum};
        bool lacks = false;
        for (int k = 0; k < 2; k++) {
            if (has_class(contract, both[k]))
                continue;
            lacks = true;
            char quoted[90];
            snprintf(quoted, sizeof quoted, "'%.80s'", both[k]);
            const size_t length = strlen(names);
            if (!strstr(names, quoted) && length < 200)
                snprintf(names + length, sizeof names - length, "%s%s", length ? ", " : "", quoted);
        }
        captions_len += lacks;
    }
    if (captions_len > 0)
        pov_cli_warn(
            "%s: the detector has no class %s: of %d captions a thing will be missing (call: in the contract "
            "gives a class another name)",
            detector, names, captions_len);
}

/* ---- pictures ---- */

static bool find_file(char path[POV_MODEL_PATH_CAPACITY], const char *folder, const char *id, int number)
{
    static const char *const ends[] = {"png", "jpg", "jpeg"};
    for (int i = 0; i < 3; i++)
        if (snprintf(path, POV_MODEL_PATH_CAPACITY, "%s/%s_gen_%d.%s", folder, id, number, ends[i]) <
                POV_MODEL_PATH_CAPACITY &&
            access(path, F_OK) == 0)
            return true;
    return false;
}

static void write_found(FILE *stream, eyes *e, const char *image, const pov_detections *found)
{
    const pov_model_contract *contract = pov_detector_contract(e->detector);
    for (int i = 0; i < found->len; i++) {
        const pov_detection *d = &found->detections[i];
        pov_markup_csv(stream, image);
        fputc(',', stream);
        pov_markup_csv(stream, contract->classes[d->class_index]);
        fprintf(stream, ",%.4f,%.2f,%.2f,%.2f,%.2f,%.9g\n", d->score, d->box.left_px, d->box.top_px,
                d->box.right_px, d->box.bottom_px, pov_detector_nearness(e->depth, &d->box));
    }
    if (found->len == 0) {
        pov_markup_csv(stream, image);
        fputs(",,,,,,,\n", stream);
    }
}

static pov_status look_at_picture(FILE *stream, eyes *e, const char *path)
{
    pov_detections found;
    pov_image image;
    POV_TRY(pov_image_file_read(e->file, &image, path));
    POV_TRY(pov_detector_run(e->detector, &found, &image));
    POV_TRY(pov_detector_run_depth(e->depth, &image));
    write_found(stream, e, image.name, &found);
    return pov_ok();
}

static pov_status look_at_all(FILE *stream, const pov_captions *captions, const pov_picture_looking *looking,
                              eyes *e)
{
    const int64_t all = (int64_t)pov_captions_len(captions) * POV_PICTURES_EACH;
    pov_progress progress = pov_progress_start(looking->progress, "pictures", all, pov_clock_monotonic_ns());
    char path[POV_MODEL_PATH_CAPACITY];
    int64_t seen = 0, done = 0;
    pov_status status = pov_ok();
    fputs("image,label,score,x1,y1,x2,y2,depth\n", stream);
    for (int i = 0; status.code == POV_OK && i < pov_captions_len(captions); i++)
        for (int n = 0; status.code == POV_OK && n < POV_PICTURES_EACH; n++, done++) {
            if (find_file(path, looking->folder, pov_captions_at(captions, i)->id, n)) {
                status = look_at_picture(stream, e, path);
                seen++;
            }
            pov_progress_update(&progress, done, pov_clock_monotonic_ns());
        }
    pov_progress_finish(&progress, done, pov_clock_monotonic_ns());
    if (status.code == POV_OK && seen == 0)
        return pov_error("%s: has none of the captions' pictures: %s_gen_0.png, say (or .jpg)",
                         looking->folder, pov_captions_at(captions, 0)->id);
    return status;
}

pov_status pov_picture_detections_write(FILE *stream, const pov_captions *captions,
                                        const pov_picture_looking *looking)
{
    eyes e = {NULL, NULL, NULL};
    pov_status status = open_eyes(&e, looking);
    if (status.code == POV_OK) {
        warn_of_classes(captions, &e, looking->detector);
        status = look_at_all(stream, captions, looking, &e);
    }
    close_eyes(&e);
    return status;
}
