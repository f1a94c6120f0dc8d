#include "compare/log/answer_log.h"
#include "compare/report/report.h"
#include "compare/report/report_files.h"
#include "compare/report/study_report.h"
#include "compare/statistics/name_set.h"
#include "config/files/digest.h"
#include "config/files/grow.h"
#include "config/files/json_value.h"
#include "config/files/write_file.h"
#include "firmware/commands.h"
#include "firmware/comparison/log_folder.h"
#include "firmware/picture/image_thumbnail.h"
#include "firmware/report/answers_options.h"
#include "firmware/report/report_reading.h"
#include "firmware/thread_pool.h"
#include "perception/version.h"

#include <cJSON.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILES_MAX = 100000, THUMBNAIL_PX = 360 };

typedef struct {
    const char *out, *markdown, *csv, *figures, *pdf, *title;
    bool no_images, apart;
    pov_text command; /* as it was given */
    pov_answers_options scoring;
} report_options;

static int run(int argc, char **argv);

static const pov_option option_table[] = {
    POV_PATH(report_options, out, "out", "FILE", "the page"),
    POV_PATH(report_options, markdown, "markdown", "FILE", "the same words and tables in Markdown"),
    POV_PATH(report_options, csv, "csv", "FOLDER", "the tables with all digits, a file each"),
    POV_PATH(report_options, figures, "figures", "FOLDER",
             "each figure as SVG and PDF for a column of 85 mm, with its numbers and caption; each table as "
             "LaTeX and "
             "CSV; methods, references"),
    POV_PATH(report_options, pdf, "pdf", "FILE", "the report as a paper: numbered tables and figures on A4"),
    POV_TEXT(report_options, title, "title", "TEXT", "of the page, instead of models and data"),
    POV_FLAG(report_options, no_images, "no-images", "leave thumbnails out"),
    POV_FLAG(report_options, apart, "apart",
             "a section for each file of a paper, instead of one for all together"),
    POV_ANSWERS_OPTIONS(report_options, scoring),
    POV_OPTIONS_END,
};

const pov_command pov_command_report = {
    .name = "report",
    .summary = "a comparison as a page: tables, plots, the worst disagreements",
    .run = run,
    .usage = "RUN_DIR|LOG|ANSWERS... [--out FILE] [OPTIONS]",
    .about =
        "A comparison as one page of HTML, without network or script: findings in words, the papers' tables "
        "with their own published rows beside yours, curves, reliability, the worst disagreements with "
        "their images. It takes a sweep's folder, or the log in it; or files of answers as "
        "'pov score' takes them, or a folder of those (*.csv, *.jsonl). docs/REPORT.md explains the "
        "columns. For a study's folder it shows the frames that people meant, the robot's part and the "
        "raters (docs/STUDY.md). Several sweeps or files of one paper are put together: scenes, variants, "
        "facings "
        "and repetitions are told apart.",
    .options = option_table,
    .words = {.min = 1, .max = FILES_MAX, .wanted = "expected files of answers"},
    .examples = "pov report tonight\n"
                "pov report monday tuesday wednesday --pdf paper.pdf\n"
                "pov report tonight --figures figures --pdf tonight.pdf\n"
                "pov report comfort.csv vsr.jsonl --out monday.html --csv tables",
    .exits = "0 done; 1 a file is invalid",
};

/* ---- what the sections do not tell ---- */

static void add_remark(pov_name_set *remarks, char *text)
{
    if (*text)
        (void)pov_name_set_add(remarks, text, strlen(text));
    free(text);
}

static pov_name_set *gather_remarks(const pov_report_reading *f)
{
    pov_name_set *remarks = pov_name_set_new();
    if (f->told.adaptive)
        add_remark(
            remarks,
            pov_text_new(
                "Angles and questions were chosen by the answers (pov sweep --adaptive): COMFORT's curves "
                "and "
                "unbiased scores need a sweep without it. See where answers flip, and which frame they "
                "follow; agreement is lower than a grid's, because the hard questions are asked."));
    for (int i = 0; i < f->len; i++) {
        char *beside = pov_export_beside_words(&f->answers[i].beside);
        if (*beside)
            add_remark(remarks,
                       pov_text_new(
                           "Not on COMFORT's curves: %s. They count in agreement, and in where answers flip.",
                           beside));
        free(beside);
    }
    return remarks;
}

/* ---- images ---- */

typedef struct {
    pov_image_thumbnail *thumbnail;
    int failed, others;
} pictures;

/* Images are named from the folder of the file that names them. The first that cannot be shown is named, the others are counted. */
static const char *make_thumbnail(void *context, const char *answers_path, const char *image,
                                  const char *sha256, const char *marks)
{
    pictures *of = context;
    const char *slash = strrchr(answers_path, '/'), *uri;
    char path[2 * POV_PATH_CAPACITY];
    int folder = slash && image[0] != '/' ? (int)(slash - answers_path) + 1 : 0;
    if (snprintf(path, sizeof path, "%.*s%s", folder, answers_path, image) >= (int)sizeof path)
        return NULL;
    char digest[POV_DIGEST_CAPACITY];
    if (*sha256 && pov_digest_file(digest, path).code == POV_OK && strcmp(digest, sha256) != 0) {
        if (of->others++ == 0)
            pov_cli_warn("%s: is not the image that was asked about (its SHA-256 differs): it is left out",
                         path);
        return NULL;
    }
    pov_status status = pov_image_thumbnail_make(of->thumbnail, &uri, path, marks);
    if (status.code != POV_OK && of->failed++ == 0)
        pov_cli_warn("%s", status.message);
    if (status.code != POV_OK && access(path, F_OK) == 0) /* others were never there */
        pov_cli_note_damage(status.message);
    return uri;
}

/* ---- writing ---- */

static pov_status write_with(const pov_report *report, const char *path,
                             void (*write)(const pov_report *report, FILE *stream))
{
    pov_write_file file;
    if (!path)
        return pov_ok();
    POV_TRY(pov_write_file_begin(&file, path));
    write(report, file.stream);
    return pov_write_file_end(&file, pov_ok());
}

static pov_status write_pdf(const pov_report *report, const char *path)
{
    pov_write_file file;
    POV_TRY(pov_write_file_begin(&file, path));
    return pov_write_file_end(&file, pov_report_write_paper(report, file.stream));
}

static pov_status write_all(const pov_report *report, const report_options *o)
{
    POV_TRY(write_with(report, o->out, pov_report_write_html));
    POV_TRY(write_with(report, o->markdown, pov_report_write_markdown));
    if (o->csv)
        POV_TRY(pov_report_files_csv(report, o->csv));
    if (o->figures)
        POV_TRY(pov_report_files_figures(report, o->figures));
    return o->pdf ? write_pdf(report, o->pdf) : pov_ok();
}

static pov_status make_report(const pov_report_reading *f, const report_options *o)
{
    pictures shown = {.thumbnail = NULL};
    POV_TRY(pov_image_thumbnail_new(&shown.thumbnail, THUMBNAIL_PX));
    pov_name_set *remarks = gather_remarks(f);
    const pov_report_source source = {.title = o->title,
                                      .version = POV_VERSION,
                                      .facts = f->told.facts,
                                      .facts_len = f->told.facts_len,
                                      .simulated =
                                          f->told.simulated.len > 0 ? pov_text_of(&f->told.simulated) : NULL,
                                      .command = pov_text_of(&o->command),
                                      .remarks = remarks,
                                      .extra = f->told.sheet,
                                      .answers = f->answers,
                                      .len = f->len,
                                      .thumbnail = o->no_images ? NULL : make_thumbnail,
                                      .context = &shown};
    pov_report *report = pov_report_new(&source);
    const pov_status status = write_all(report, o);
    pov_report_destroy(&report);
    pov_name_set_destroy(&remarks);
    pov_image_thumbnail_destroy(&shown.thumbnail);
    if (shown.others > 1)
        pov_cli_warn("%d places of the report lack their image: the file of that name is another one",
                     shown.others);
    if (shown.failed > 1)
        pov_cli_warn(
            "%d places of the report lack their image; images are looked for beside the file of answers",
            shown.failed);
    return status;
}

static int write_report(const report_options *o, const pov_words *words)
{
    pov_report_reading *f;
    pov_status status = pov_report_reading_new(&f, o->apart);
    POV_THEN(status, pov_report_reading_read(f, words->word, words->len, &o->scoring));
    POV_THEN(status, make_report(f, o));
    if (status.code == POV_OK)
        printf("%s\n", o->out);
    pov_report_reading_destroy(&f);
    return pov_cli_exit(status);
}

/* ---- a study ---- */

static pov_status write_study_figures(const pov_study_results *results, const pov_sheet *sheet,
                                      const char *folder)
{
    pov_figure *figure = pov_figure_new();
    pov_status status = pov_write_folder(folder);
    if (status.code == POV_OK && pov_study_report_figure(figure, results))
        status = pov_report_files_figure(figure, folder, figure->name, NULL);
    for (int i = 0; status.code == POV_OK && i < pov_sheet_len(sheet); i++) {
        char name[80];
        snprintf(name, sizeof name, "study_%s", pov_sheet_at(sheet, i)->key);
        status = pov_report_files_table(pov_sheet_at(sheet, i), folder, name);
    }
    pov_figure_destroy(&figure);
    return status;
}

static pov_status write_study(pov_study_log *log, const report_options *o)
{
    const char *design, *version;
    pov_study_report report = {.title = o->title ? o->title : "Study", .version = POV_VERSION};
    pov_study_results *results = NULL;
    pov_sheet *sheet = pov_sheet_new();
    pov_write_file file;
    POV_TRY(pov_study_log_design(log, &design, &version, &report.simulated));
    cJSON *root = pov_json_parse_text(design);
    const char *about = cJSON_GetStringValue(cJSON_GetObjectItem(root, "about"));
    const char *consent = cJSON_GetStringValue(cJSON_GetObjectItem(root, "consent"));
    report.about = about ? about : "";
    report.consent = consent ? consent : "";
    pov_status status = pov_study_log_count(log, &report.counts);
    POV_THEN(status, pov_study_results_new(&results, log));
    if (status.code == POV_OK)
        pov_study_scores(sheet, results);
    report.results = results;
    report.scores = sheet;
    POV_THEN(status, pov_write_file_begin(&file, o->out));
    if (status.code == POV_OK) {
        pov_study_report_write_html(&report, file.stream);
        status = pov_write_file_end(&file, pov_ok());
    }
    if (status.code == POV_OK && o->figures)
        status = write_study_figures(results, sheet, o->figures);
    pov_sheet_destroy(&sheet);
    pov_study_results_destroy(&results);
    cJSON_Delete(root);
    return status;
}

static int report_study(const report_options *o, const char *path)
{
    pov_study_log *log;
    pov_status status = pov_study_log_new(&log, path, POV_LOG_READ);
    if (status.code == POV_OK) {
        pov_log_folder_warn(path, pov_study_log_damage(log));
        status = write_study(log, o);
    }
    if (status.code == POV_OK)
        printf("%s\n", o->out);
    pov_study_log_destroy(&log);
    return pov_cli_exit(status);
}

/* As a shell takes it. */
static void quote_word(pov_text *command, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./,:=+@%";
    const bool is_plain = *word && strspn(word, plain) == strlen(word);
    pov_text_add(command, "%s", is_plain ? " " : " '");
    for (; *word; word++)
        pov_text_add(command, *word == '\'' ? "'\\''" : "%c", *word);
    pov_text_add(command, "%s", is_plain ? "" : "'");
}

static int run(int argc, char **argv)
{
    char study[POV_LOG_PATH_CAPACITY + 16];
    report_options options = {.out = "report.html"};
    pov_words words;
    pov_answers_options_default(&options.scoring);
    pov_text_set(&options.command, "pov report");
    for (int i = 1; i < argc; i++)
        quote_word(&options.command, argv[i]);
    int code = pov_command_read(&options, &words, &pov_command_report, argc, argv);
    if (code != POV_GO_ON) {
        pov_text_free(&options.command);
        return code;
    }
    pov_log_folder_path(study, words.word[0]);
    const bool is_study = words.len == 1 && pov_study_log_is(study);
    const char *given = pov_words_given(&words, "markdown csv pdf no-images apart paper released convention "
                                                "captions pictures yes no resamples seed");
    code = is_study && given
               ? pov_cli_usage("report", "--%s would do nothing: a study has --out, --figures and --title",
                               given)
           : is_study ? report_study(&options, study)
                      : write_report(&options, &words);
    pov_text_free(&options.command);
    return code;
}
