#include "compare/layouts/caption.h"
#include "compare/layouts/visor.h"
#include "config/files/csv.h"
#include "config/files/write_file.h"
#include "config/models/model_file.h"
#include "firmware/cli.h"
#include "firmware/clock.h"
#include "firmware/commands.h"
#include "firmware/model/model_trial.h"
#include "firmware/picture/image_file.h"
#include "firmware/progress.h"
#include "firmware/report/answers_options.h"
#include "perception/models/model_contract.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct {
    const char *folder;           /* ID_gen_0.png to ID_gen_3.png of each caption, or .jpg */
    const char *detector, *depth; /* contracts (docs/MODELS.md) */
    FILE *progress;               /* NULL: none is shown */
} pov_picture_looking;

/* Detections of networks in a folder of generated pictures, as `pov score --paper visor` reads them. */

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
    POV_TRY(pov_model_open_tried(&e->detector, looking->detector, (pov_engine){0}));
    POV_TRY(pov_model_open_tried(&e->depth, looking->depth, (pov_engine){0}));
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
        pov_csv_write(stream, image);
        fputc(',', stream);
        pov_csv_write(stream, contract->classes[d->class_index]);
        fprintf(stream, ",%.4f,%.2f,%.2f,%.2f,%.2f,%.9g\n", d->score, d->box.left_px, d->box.top_px,
                d->box.right_px, d->box.bottom_px, pov_detector_nearness(e->depth, &d->box));
    }
    if (found->len == 0) {
        pov_csv_write(stream, image);
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

/* Looks at each caption's pictures and writes CSV: image, label, score, x1, y1, x2, y2, depth; a picture in which
 *  nothing is found has a row without label. Warns of things that the detector has no class for. POV_ERROR: there is
 *  no picture; a picture or a network is invalid. */
static pov_status picture_detections_write(FILE *stream, const pov_captions *captions,
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

typedef struct {
    pov_answers_options scoring;
    const char *detector, *depth, *keep;
    bool json;
} score_options;

static int run(int argc, char **argv);

static const pov_option option_table[] = {
    POV_ANSWERS_OPTIONS(score_options, scoring),
    POV_OPTIONS_HEADING("Of a folder of pictures:"),
    POV_PATH(score_options, detector, "detector", "CONTRACT", "the network that finds things in them"),
    POV_PATH(score_options, depth, "depth", "CONTRACT", "the network that tells how near they are"),
    POV_PATH(score_options, keep, "keep", "FILE",
             "write the detections, to be scored again without networks"),
    POV_OPTIONS_HEADING("Output:"),
    POV_FLAG(score_options, json, "json", "one JSON object instead of tables"),
    POV_OPTIONS_END,
};

const pov_command pov_command_score = {
    .name = "score",
    .summary = "score a model's answers as the papers do",
    .run = run,
    .usage = "ANSWERS [--paper NAME] [OPTIONS]\n"
             "PICTURES --paper visor --captions FILE --detector CONTRACT --depth CONTRACT",
    .about =
        "Scores a model's answers as the papers do, with bootstrap intervals. ANSWERS is CSV whose first "
        "line names the columns, or JSON lines, one answer a line; or, for COMFORT, the layout of its "
        "authors' scripts. The columns of each paper: docs/SCORES.md. PICTURES is a folder of pictures that "
        "were generated from FoREST's captions, four of each (ID_gen_0.png to ID_gen_3.png).",
    .options = option_table,
    .words = {.min = 1, .max = 1, .wanted = "expected one file of answers"},
    .examples = "pov score answers.csv\n"
                "pov score answers.jsonl --paper vsr --json\n"
                "pov score antworten.csv --yes ja,richtig --no nein,falsch\n"
                "pov score detections.jsonl --paper visor --captions A-split-image_total.json",
    .exits = "0 done; 1 the file is invalid",
};

/* Runs networks on the pictures and scores the file of their detections. */
static pov_status look_at_pictures(pov_bytes *found, const char *folder, const score_options *o)
{
    char *text = NULL;
    size_t length = 0;
    pov_captions *captions;
    const pov_picture_looking looking = {folder, o->detector, o->depth, o->json ? NULL : stderr};
    POV_TRY(pov_captions_read(&captions, o->scoring.captions));
    FILE *memory = open_memstream(&text, &length);
    POV_REQUIRE_MEMORY(memory);
    pov_status status = picture_detections_write(memory, captions, &looking);
    POV_REQUIRE_MEMORY(fclose(memory) == 0);
    pov_captions_destroy(&captions);
    *found = (pov_bytes){.data = (unsigned char *)text, .length = length, .capacity = length};
    if (status.code != POV_OK || !o->keep)
        return status;
    pov_write_file file;
    POV_TRY(pov_write_file_begin(&file, o->keep));
    fwrite(text, 1, length, file.stream);
    return pov_write_file_end(&file, pov_ok());
}

static pov_status print_pictures(const char *folder, const score_options *o)
{
    pov_answers answers;
    pov_bytes found = {0};
    pov_status status = look_at_pictures(&found, folder, o);
    POV_THEN(status, pov_answers_read_detections(&answers, folder, &found, &o->scoring));
    pov_bytes_free(&found);
    if (status.code != POV_OK)
        return status;
    pov_sheet_write(answers.sheet, stdout, o->json);
    pov_answers_free(&answers);
    return pov_ok();
}

static pov_status print_scores(const char *path, const pov_answers_options *options, bool json)
{
    pov_answers answers;
    POV_TRY(pov_answers_read(&answers, path, options));
    pov_sheet_write(answers.sheet, stdout, json);
    pov_answers_free(&answers);
    return pov_ok();
}

static int run(int argc, char **argv)
{
    score_options options = {.json = false};
    pov_words words;
    pov_answers_options_default(&options.scoring);
    POV_OR_EXIT(pov_command_read(&options, &words, &pov_command_score, argc, argv));
    if (options.scoring.paper == POV_PAPER_VPT && options.scoring.comfort.formulas == POV_FORMULAS_RELEASED)
        return pov_cli_usage("score", "--released: people read Isle-Brick's answers, no script");
    struct stat info;
    const char *path = words.word[0];
    const bool is_folder = stat(path, &info) == 0 && S_ISDIR(info.st_mode);
    const bool has_networks = options.detector && options.depth;
    if (is_folder && !(has_networks && options.scoring.captions))
        return pov_cli_usage("score", "a folder of pictures needs --captions, --detector and --depth");
    if (!is_folder && (options.detector || options.depth || options.keep))
        return pov_cli_usage("score", "--detector, --depth and --keep are for a folder of pictures");
    return pov_cli_exit(is_folder ? print_pictures(path, &options)
                                  : print_scores(path, &options.scoring, options.json));
}
