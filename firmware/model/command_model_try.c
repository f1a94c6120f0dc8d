#include "config/files/read_file.h"
#include "config/files/write_file.h"
#include "config/models/model_file.h"
#include "config/models/model_write.h"
#include "draw/page.h"
#include "firmware/clock.h"
#include "firmware/commands.h"
#include "firmware/model/model_guessed.h"
#include "firmware/model/model_picture.h"
#include "firmware/model/model_trial.h"
#include "firmware/picture/annotated_files.h"
#include "firmware/sources/folder_source.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct {
    const char *out, *detector;
    pov_engine engine;
} try_options;

static int run(int argc, char **argv);

static const pov_option option_table[] = {
    POV_PATH(try_options, out, "out", "DIR", "the page and its pictures (FILE_try)"),
    POV_PATH(try_options, detector, "detector", "CONTRACT.yaml",
             "of a heading network: what finds the things or faces that it is shown; without it, it is shown "
             "whole pictures"),
    POV_ENGINE_OPTIONS(try_options),
    POV_OPTIONS_END,
};

const pov_command pov_command_model_try = {
    .name = "model try",
    .summary =
        "from a network's file to a page: what it finds in pictures, how fast, and its sealed contract",
    .run = run,
    .usage =
        "FILE.onnx PICTURE... [--out DIR] [--detector CONTRACT.yaml]\n    [--backend NAME] [--provider NAME]",
    .about = "Does what the other parts of pov model do, at once. It runs the network, guesses its contract "
             "(FILE.yaml, or takes "
             "the one that is there, which you may have edited), looks at the pictures with it, seals it, "
             "and writes DIR/index.html: "
             "the pictures with what was found, in how many milliseconds by each library, the assumptions, "
             "and the contract. "
             "Whether colours, scale and fit are those that the network was trained with, an ONNX file does "
             "not say: the page shows "
             "how much is found if each of them were another.",
    .options = option_table,
    .words = {.min = 2, .max = INT_MAX, .wanted = "name an ONNX model and at least one picture"},
    .examples = "pov model try yunet.onnx photos/*.jpg\n"
                "pov model try fsanet.onnx photos/*.jpg --detector yunet.yaml",
    .exits = "0 the page is written; 1 a file is invalid, or the network has no known layout",
};

/* ---- ways to prepare an image ---- */

/** How much is found with one thing about the input changed. */
typedef struct {
    const char *change; /* "": as the contract has it */
    pov_detector *detector;
    int found;
    double score_sum;
} way;

enum { WAY_MAX = 4 };

static void swap_colours(pov_model_input *input)
{
    const double mean = input->mean[0], std = input->std[0];
    input->bgr = !input->bgr;
    input->mean[0] = input->mean[2], input->mean[2] = mean;
    input->std[0] = input->std[2], input->std[2] = std;
}

static void change_fit(pov_model_input *input)
{
    input->fit = input->fit == POV_FIT_STRETCH ? POV_FIT_LETTERBOX_CENTRE : POV_FIT_STRETCH;
}

/* Pixels of 0 to 255 instead of 0 to 1, or the reverse. */
static void change_scale(pov_model_input *input)
{
    const double before = input->scale;
    input->scale = before > 0.1 ? 1.0 / 255 : 1;
    for (int c = 0; c < 3; c++) {
        input->mean[c] = 0;
        input->std[c] = 1;
    }
}

static void destroy_ways(way *ways)
{
    for (int i = 0; i < WAY_MAX; i++)
        pov_detector_destroy(&ways[i].detector);
}

static pov_status open_ways(way ways[WAY_MAX], const pov_detector *detector, const char *onnx_path)
{
    static const struct {
        const char *change;
        void (*make)(pov_model_input *input);
    } changes[WAY_MAX] = {
        {"", NULL},
        {"color: the other order", swap_colours},
        {"fit: stretched instead of letterboxed, or the reverse", change_fit},
        {"scale: pixels of 0 to 1 instead of 0 to 255, or the reverse, without mean and std", change_scale}};
    pov_model_contract *contract = pov_allocate(1, sizeof *contract);
    pov_onnx_summary summary;
    pov_bytes onnx;
    pov_status status = pov_onnx_file_read(&onnx, &summary, onnx_path);
    for (int i = 0; i < WAY_MAX && status.code == POV_OK; i++) {
        *contract = *pov_detector_contract(detector);
        ways[i].change = changes[i].change;
        if (changes[i].make)
            changes[i].make(&contract->input);
        status = pov_detector_new(&ways[i].detector, contract, onnx.data, onnx.length);
    }
    pov_bytes_free(&onnx);
    free(contract);
    return status;
}

/* ---- looking ---- */

/** A library's times for one look. */
typedef struct {
    pov_detector *detector;
    int looks;
    double least_ms, sum_ms;
} library;

typedef struct {
    const try_options *options;
    FILE *page;
    pov_detector *detector, *finder; /* finder: of --detector, or NULL */
    pov_annotated_files *files;
    way ways[WAY_MAX];
    library libraries[2];
    int library_len, pictures;
} trial;

static pov_status look(pov_detector *detector, pov_detector *finder, pov_detections *found,
                       const pov_image *image)
{
    const pov_model_layout layout = pov_detector_contract(detector)->layout;
    if (pov_model_finds(layout))
        return pov_detector_run(detector, found, image);
    if (layout == POV_LAYOUT_DEPTH) {
        *found = (pov_detections){.len = 0};
        return pov_detector_run_depth(detector, image);
    }
    const pov_pixel_box whole = {-0.5, -0.5, image->width_px - 0.5, image->height_px - 0.5};
    *found = (pov_detections){.len = 1, .detections = {{.score = 1, .box = whole}}};
    if (finder)
        POV_TRY(pov_detector_run(finder, found, image));
    for (int i = 0; i < found->len; i++)
        POV_TRY(pov_detector_run_crop(detector, &found->detections[i], image));
    return pov_ok();
}

/* The first look of a network prepares its memory, and is not counted; nor is the time of what finds the things that it is shown. */
static pov_status time_library(library *l, const pov_image *image)
{
    enum { LOOKS = 3 };
    static pov_detections found;
    for (int i = 0; i <= LOOKS; i++) {
        const int64_t start_ns = pov_clock_monotonic_ns();
        POV_TRY(look(l->detector, NULL, &found, image));
        const double took_ms = (double)(pov_clock_monotonic_ns() - start_ns) * 1e-6;
        if (i == 0)
            continue;
        l->least_ms = l->looks == 0 || took_ms < l->least_ms ? took_ms : l->least_ms;
        l->sum_ms += took_ms;
        l->looks++;
    }
    return pov_ok();
}

static pov_status look_in_ways(trial *t, const pov_image *image)
{
    static pov_detections found;
    for (int i = 0; i < WAY_MAX && t->ways[i].detector; i++) {
        if (pov_detector_run(t->ways[i].detector, &found, image).code != POV_OK)
            continue; /* scores that are none: not this way */
        t->ways[i].found += found.len;
        for (int k = 0; k < found.len; k++)
            t->ways[i].score_sum += found.detections[k].score;
    }
    return pov_ok();
}

static void describe(char *text, size_t capacity, const pov_model_contract *contract,
                     const pov_detections *found, const char *name)
{
    size_t length = (size_t)snprintf(text, capacity, "%s: %d found", name, found->len);
    for (int i = 0; i < found->len && length < capacity; i++) {
        const pov_detection *d = &found->detections[i];
        length += (size_t)snprintf(text + length, capacity - length, "%s %s %.2f", i ? "," : ":",
                                   contract->classes[d->class_index], d->score);
        if (d->seen.heading.len > 0 && length < capacity)
            length += (size_t)snprintf(text + length, capacity - length, ", heading %.0f deg",
                                       d->seen.heading.mode[0].yaw_rad / POV_DEG);
    }
    if (found->empty_len > 0 && length < capacity)
        snprintf(text + length, capacity - length, "; left out: %d without area in the image",
                 found->empty_len);
}

static pov_status look_at_picture(void *context, const pov_image *image)
{
    static pov_detections found;
    trial *t = context;
    char file[POV_ANNOTATED_FILE_CAPACITY], path[POV_MODEL_PATH_CAPACITY], text[1800];
    const pov_model_contract *contract = pov_detector_contract(t->finder ? t->finder : t->detector);
    POV_TRY(look(t->detector, t->finder, &found, image));
    for (int i = 0; i < t->library_len; i++)
        POV_TRY(time_library(&t->libraries[i], image));
    POV_TRY(look_in_ways(t, image));
    pov_annotated_files_name(t->files, file, image->name, image->name);
    snprintf(path, sizeof path, "%s/%s", t->options->out, file);
    POV_TRY(pov_model_picture_write(path, contract, &found, image));
    describe(text, sizeof text, contract, &found, image->name);
    printf("%s\n", text);
    fprintf(t->page, "<figure class=\"curves\"><img src=\"%s\" style=\"max-width:100%%\" alt=\"\">\n", file);
    pov_page_element(t->page, "figcaption", "%s", text);
    fputs("</figure>\n", t->page);
    t->pictures++;
    return pov_ok();
}

/* ---- the page ---- */

static void write_times(const trial *t)
{
    pov_page_element(t->page, "h2", "Time");
    for (int i = 0; i < t->library_len; i++) {
        const library *l = &t->libraries[i];
        char text[200];
        snprintf(text, sizeof text, "%s: %.1f ms a look (mean of %d; least %.1f)",
                 pov_detector_engine(l->detector)->on, l->sum_ms / (l->looks > 0 ? l->looks : 1), l->looks,
                 l->least_ms);
        printf("%s\n", text);
        pov_page_element(t->page, "p", "%s", text);
    }
    const char *instead = pov_detector_engine(t->detector)->instead_of;
    if (*instead)
        pov_page_element(t->page, "p class=\"note\"", "%s", instead);
}

/* A quarter more of the sum of scores: less may be chance. */
static const double better_share = 1.25;

static void write_ways(const trial *t)
{
    if (!t->ways[0].detector)
        return;
    pov_page_element(t->page, "h2", "The input, as it is and changed");
    fputs("<table><tr><th>input</th><th>found</th><th>sum of scores</th></tr>\n", t->page);
    for (int i = 0; i < WAY_MAX; i++) {
        const way *w = &t->ways[i];
        fprintf(t->page, "<tr><td>%s</td><td>%d</td><td>%.2f</td></tr>\n",
                *w->change ? w->change : "as in the contract", w->found, w->score_sum);
        if (i > 0 && w->score_sum > better_share * t->ways[0].score_sum)
            pov_cli_warn("%s finds more (%d, scores %.2f in all, instead of %d, %.2f): look whether the "
                         "contract's input is "
                         "right",
                         w->change, w->found, w->score_sum, t->ways[0].found, t->ways[0].score_sum);
    }
    fputs("</table>\n", t->page);
}

static void print_text(FILE *stream, const void *text)
{
    const pov_bytes *bytes = text;
    for (size_t i = 0; i < bytes->length; i++)
        switch (bytes->data[i]) {
        case '<':
            fputs("&lt;", stream);
            break;
        case '&':
            fputs("&amp;", stream);
            break;
        default:
            fputc(bytes->data[i], stream);
        }
}

static pov_status write_contract(const trial *t, const char *contract)
{
    enum { CONTRACT_BYTES_MAX = 4 << 20 };
    pov_bytes text = {0};
    POV_TRY(pov_read_file(&text, contract, CONTRACT_BYTES_MAX, "a model's contract"));
    pov_page_element(t->page, "h2", "Its contract, sealed: %s", contract);
    fputs("<pre>", t->page);
    print_text(t->page, &text);
    fputs("</pre>\n", t->page);
    pov_bytes_free(&text);
    return pov_ok();
}

/* ---- all of it ---- */

static pov_status make_contract(const char *contract, const char *onnx, pov_engine engine)
{
    static pov_model_file file;
    char remarks[POV_REMARKS_CAPACITY];
    if (access(contract, F_OK) == 0) {
        printf("%s is there: it is tried as it is\n", contract);
        return pov_model_try(contract, engine);
    }
    POV_TRY(pov_model_command_guess(&file, remarks, onnx, engine));
    const char *slash = strrchr(onnx, '/');
    POV_TRY(pov_model_write(contract, &file, slash ? slash + 1 : onnx, remarks));
    printf("Its layout looks like %s: %s\n%s", pov_model_layout_name(file.contract.layout), contract,
           remarks);
    return pov_ok();
}

/* The one that it runs on, and the other, if that can run it. */
static void open_libraries(trial *t, const char *contract)
{
    const bool by_opencv = pov_detector_engine(t->detector)->engine.backend == POV_BACKEND_OPENCV;
    const pov_engine other = {by_opencv ? POV_BACKEND_ONNXRUNTIME : POV_BACKEND_OPENCV, POV_PROVIDER_CPU};
    t->libraries[t->library_len++].detector = t->detector;
    pov_status status = pov_engine_find(other.backend);
    POV_THEN(status, pov_model_try(contract, other));
    POV_THEN(status, pov_model_open_unproven(&t->libraries[1].detector, contract, other));
    if (status.code == POV_OK)
        t->library_len++;
    else
        printf("%s does not run it: %s\n", pov_engine_library(other), status.message);
}

static pov_status open_trial(trial *t, const char *onnx, const char *contract)
{
    const try_options *options = t->options;
    POV_TRY(make_contract(contract, onnx, options->engine));
    POV_TRY(pov_model_open_unproven(&t->detector, contract, options->engine));
    if (options->detector && !pov_model_sees_crops(pov_detector_contract(t->detector)->layout))
        return pov_error("--detector: is for networks of headings or points; %s finds things itself", onnx);
    if (options->detector)
        POV_TRY(pov_model_open_tried(&t->finder, options->detector, (pov_engine){0}));
    if (t->finder && !pov_model_finds(pov_detector_contract(t->finder)->layout))
        return pov_error(
            "%s: finds nothing itself; --detector takes a contract of a network that finds boxes",
            options->detector);
    open_libraries(t, contract);
    if (pov_model_finds(pov_detector_contract(t->detector)->layout))
        POV_TRY(open_ways(t->ways, t->detector, onnx));
    t->files = pov_annotated_files_new();
    return pov_write_folder(options->out);
}

static void close_trial(trial *t)
{
    if (t->library_len > 1)
        pov_detector_destroy(&t->libraries[1].detector);
    destroy_ways(t->ways);
    pov_annotated_files_destroy(&t->files);
    pov_detector_destroy(&t->finder);
    pov_detector_destroy(&t->detector);
}

static pov_status write_page(trial *t, char **pictures, int len, const char *onnx, const char *contract)
{
    char path[POV_MODEL_PATH_CAPACITY];
    pov_write_file file;
    pov_golden golden;
    snprintf(path, sizeof path, "%s/index.html", t->options->out);
    POV_TRY(pov_write_file_begin(&file, path));
    t->page = file.stream;
    pov_page_begin(t->page, "A network, tried");
    pov_page_element(t->page, "h1", "%s", onnx);
    pov_page_element(t->page, "p", "Layout %s, run by %s.",
                     pov_model_layout_name(pov_detector_contract(t->detector)->layout),
                     pov_detector_engine(t->detector)->on);
    pov_status status = pov_ok();
    for (int i = 0; i < len && status.code == POV_OK; i++)
        status = pov_folder_source_visit(pictures[i], look_at_picture, t);
    if (status.code == POV_OK && t->pictures == 0)
        status = pov_error("none of the pictures can be read");
    if (status.code == POV_OK) {
        write_times(t);
        write_ways(t);
    }
    POV_THEN(status, pov_model_seal(&golden, contract));
    POV_THEN(status, write_contract(t, contract));
    pov_page_end(t->page);
    status = pov_write_file_end(&file, status);
    if (status.code == POV_OK)
        printf("%s: sealed with %d numbers\n%s\n", contract, golden.len, path);
    return status;
}

static int run(int argc, char **argv)
{
    try_options options = {0};
    char contract[POV_MODEL_PATH_CAPACITY], out[POV_MODEL_PATH_CAPACITY];
    pov_words words;
    POV_OR_EXIT(pov_command_read(&options, &words, &pov_command_model_try, argc, argv));
    const char *onnx = words.word[0];
    const size_t length = strlen(onnx);
    if (length < 6 || strcmp(onnx + length - 5, ".onnx") != 0)
        return pov_cli_usage("model try", "the first word names an ONNX model, a file that ends with .onnx");
    snprintf(contract, sizeof contract, "%.*s.yaml", (int)length - 5, onnx);
    snprintf(out, sizeof out, "%.*s_try", (int)length - 5, onnx);
    if (!options.out)
        options.out = out;
    trial t = {.options = &options};
    pov_status status = open_trial(&t, onnx, contract);
    POV_THEN(status, write_page(&t, words.word + 1, words.len - 1, onnx, contract));
    close_trial(&t);
    return pov_cli_exit(status);
}
