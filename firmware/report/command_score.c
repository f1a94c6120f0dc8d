#include "config/files/write_file.h"
#include "firmware/commands.h"
#include "firmware/report/answers_options.h"
#include "firmware/report/picture_detections.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

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
             "write what was found, to be scored again without networks"),
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
    pov_status status = memory ? pov_picture_detections_write(memory, captions, &looking)
                               : pov_error("out of memory for detections");
    if (memory && fclose(memory) != 0 && status.code == POV_OK)
        status = pov_error("out of memory for detections");
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
    if (status.code == POV_OK)
        status = pov_answers_read_detections(&answers, folder, &found, &o->scoring);
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
    const int code = pov_command_read(&options, &words, &pov_command_score, argc, argv);
    if (code != POV_GO_ON)
        return code;
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
    const pov_status status =
        is_folder ? print_pictures(path, &options) : print_scores(path, &options.scoring, options.json);
    return status.code == POV_OK ? POV_EXIT_OK : pov_cli_fail(status);
}
