#include "config/models/model_file.h"
#include "config/models/model_guess.h"
#include "config/models/model_write.h"
#include "firmware/commands.h"
#include "firmware/model/model_guessed.h"
#include "firmware/model/model_trial.h"
#include "perception/models/network.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const pov_command *const parts[] = {&pov_command_model_try,  &pov_command_model_check,
                                           &pov_command_model_run,  &pov_command_model_compare,
                                           &pov_command_model_seal, NULL};

const pov_command pov_command_model = {
    .name = "model",
    .summary = "networks in ONNX files: try, check, run, compare and seal them",
    .usage = "PART [OPTIONS]",
    .about = "Detectors and heading networks in ONNX files, run by OpenCV or ONNX Runtime. Each needs a "
             "contract: a YAML "
             "file that says what goes in and what the numbers that come out mean. docs/MODELS.md "
             "explains it.",
    .parts = parts,
    .examples = "pov model try yolox_tiny.onnx photos/*.jpg\n"
                "pov model check yolox_tiny.onnx\n"
                "pov model run yolox_tiny.yaml table.jpg\n"
                "pov model compare yolox_tiny.yaml yolox_int8.yaml photos/",
    .exits = "0 done; 1 a file is invalid",
};

/* ---- check ---- */

typedef struct {
    const char *out;
    bool trial;
    pov_engine engine;
} check_options;

static int run_check(int argc, char **argv);

static const pov_option check_option_table[] = {
    POV_PATH(check_options, out, "out", "FILE", "where to write the contract"),
    POV_FLAG(check_options, trial, "trial",
             "only load and run it, bounded in memory and time, and say nothing; 0 unless it crashes"),
    POV_ENGINE_OPTIONS(check_options),
    POV_OPTIONS_END,
};

const pov_command pov_command_model_check = {
    .name = "model check",
    .summary = "is it usable? writes a contract for an ONNX model",
    .run = run_check,
    .usage = "FILE.onnx [--out CONTRACT.yaml] [--backend NAME] [--provider NAME]\n"
             "CONTRACT.yaml [--backend NAME] [--provider NAME]",
    .about =
        "Of an ONNX model: prints its inputs and outputs, runs it once, guesses their layout and writes a "
        "contract to edit (FILE.yaml, unless it is there). A model that OpenCV cannot run is tried with ONNX "
        "Runtime, if this pov has it; the contract then says so. With a contract: says whether the model is "
        "as "
        "it says and gives its golden numbers.",
    .options = check_option_table,
    .words = {.min = 1, .max = 1, .wanted = "name one ONNX model, or one contract"},
    .examples = "pov model check yolox_tiny.onnx\n"
                "pov model check yolox_tiny.yaml\n"
                "pov model check yolox_tiny.yaml --backend onnxruntime --provider cuda",
    .exits = "0 it is usable; 1 it is not, and why",
};

/* ---- an ONNX model ---- */

static void print_tensor(const char *what, const pov_tensor_shape *tensor)
{
    printf("  %-7s %-20s [", what, tensor->name);
    for (int i = 0; i < tensor->dims; i++)
        printf(tensor->size[i] ? "%s%d" : "%s?", i ? ", " : "", tensor->size[i]);
    puts("]");
}

static void print_summary(const char *path, const pov_bytes *onnx, const pov_onnx_summary *summary)
{
    printf("%s: %zu bytes, opset %d, %d nodes", path, onnx->length, summary->opset, summary->node_len);
    if (summary->producer.length > 0 && summary->producer.length < 60)
        printf(", by %.*s", (int)summary->producer.length, summary->producer.text);
    puts("");
    for (int i = 0; i < summary->input_len; i++)
        print_tensor("input", &summary->inputs[i]);
    for (int i = 0; i < summary->output_len; i++)
        print_tensor("output", &summary->outputs[i]);
}

/** What a network's outputs were once; the numbers are copies. */
typedef struct {
    pov_tensor outputs[POV_ONNX_OUTPUT_MAX];
    float *values[POV_ONNX_OUTPUT_MAX];
} once;

static void free_once(once *seen)
{
    for (int i = 0; i < POV_ONNX_OUTPUT_MAX; i++)
        free(seen->values[i]);
    *seen = (once){0};
}

/* Numbers from 0 to 1 without a pattern: outputs for zeros are often all alike. */
static pov_status feed_noise(pov_network *network, const pov_tensor_shape *shape)
{
    static const size_t most = (size_t)1 << 26;
    size_t count = 1;
    uint32_t state = 1;
    for (int i = 0; i < shape->dims; i++)
        count = count > most ? count : count * (size_t)shape->size[i];
    if (count > most)
        return pov_error("its input '%s' is larger than any image", shape->name);
    float *noise = pov_allocate(count, sizeof *noise);
    for (size_t i = 0; i < count; i++) {
        state = state * 1664525u + 1013904223u; /* Knuth 1981 (Numerical Recipes' constants) */
        noise[i] = (float)(state >> 8) / (1 << 24);
    }
    pov_tensor tensor = {.dims = shape->dims, .values = noise};
    memcpy(tensor.size, shape->size, sizeof tensor.size);
    const pov_status status = pov_network_set_input(network, shape->name, &tensor);
    free(noise);
    return status;
}

static void copy_output(once *seen, int i, const pov_tensor *output)
{
    size_t count = 1;
    for (int k = 0; k < output->dims; k++)
        count *= (size_t)output->size[k];
    seen->outputs[i] = *output;
    seen->outputs[i].values = seen->values[i] = pov_allocate(count ? count : 1, sizeof *seen->values[i]);
    memcpy(seen->values[i], output->values, count * sizeof *seen->values[i]);
}

/* Sizes of outputs are what they turn out to be. `seen`: may be NULL. */
static pov_status run_once(pov_network *network, pov_onnx_summary *summary, once *seen)
{
    const char *names[POV_ONNX_OUTPUT_MAX];
    pov_tensor outputs[POV_ONNX_OUTPUT_MAX];
    for (int i = 0; i < summary->input_len; i++)
        POV_TRY(feed_noise(network, &summary->inputs[i]));
    for (int i = 0; i < summary->output_len; i++)
        names[i] = summary->outputs[i].name;
    POV_TRY(pov_network_run(network, outputs, names, summary->output_len));
    for (int i = 0; i < summary->output_len; i++) {
        summary->outputs[i].dims = outputs[i].dims;
        memcpy(summary->outputs[i].size, outputs[i].size, sizeof summary->outputs[i].size);
        if (seen)
            copy_output(seen, i, &outputs[i]);
    }
    return pov_ok();
}

static pov_status try_network(once *seen, const pov_bytes *onnx, pov_onnx_summary *summary, pov_engine engine)
{
    pov_network *network;
    const pov_onnx_model model = {onnx->data, onnx->length, summary->opset};
    pov_model_close_sizes(summary);
    POV_TRY(pov_network_new(&network, &model, engine));
    const pov_status status = run_once(network, summary, seen);
    pov_network_destroy(&network);
    return status;
}

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Does a detector read so by it what can be read? A picture of squares shows nothing, but scores are scores. */
static pov_status prove_guess(const pov_model_contract *contract, const pov_bytes *onnx)
{
    enum { WIDTH_PX = 320, HEIGHT_PX = 240 };
    pov_detector *detector;
    pov_detections found;
    unsigned char *pixels = pov_allocate((size_t)WIDTH_PX * HEIGHT_PX, 3);
    const pov_image image = {
        .pixels = pixels, .width_px = WIDTH_PX, .height_px = HEIGHT_PX, .stride_bytes = 3 * WIDTH_PX};
    pov_golden_image_fill(pixels, WIDTH_PX, HEIGHT_PX, 1);
    pov_status status = pov_detector_new(&detector, contract, onnx->data, onnx->length);
    if (status.code == POV_OK && pov_model_finds(contract->layout))
        status = pov_detector_run(detector, &found, &image);
    pov_detector_destroy(&detector);
    free(pixels);
    return status.code == POV_OK ? status
                                 : pov_error("no known layout: its sizes are those of %s, but %s",
                                             pov_model_layout_name(contract->layout), status.message);
}

static pov_status try_engine(const char *path, const pov_bytes *onnx, pov_onnx_summary *summary,
                             pov_engine engine, once *seen)
{
    POV_TRY(pov_model_try(path, engine));
    free_once(seen);
    const pov_status status = try_network(seen, onnx, summary, engine);
    return status.code == POV_OK
               ? status
               : pov_error("%.100s: %.200s (docs/MODELS.md says what can be run, and how to mend others)",
                           path, status.message);
}

/* By ONNX Runtime if OpenCV cannot, and nobody said by which. The complaint is OpenCV's if neither can. */
static pov_status try_engines(pov_engine *engine, const char *path, const pov_bytes *onnx,
                              pov_onnx_summary *summary, once *seen)
{
    const pov_engine other = {POV_BACKEND_ONNXRUNTIME, engine->provider};
    const pov_status status = try_engine(path, onnx, summary, *engine, seen);
    if (status.code == POV_OK || engine->backend != POV_BACKEND_DEFAULT)
        return status;
    const pov_status there = pov_engine_find(POV_BACKEND_ONNXRUNTIME);
    if (there.code != POV_OK)
        return pov_error("%.300s. ONNX Runtime may run it, but is not here: %.300s", status.message,
                         there.message);
    if (try_engine(path, onnx, summary, other, seen).code != POV_OK)
        return status;
    *engine = other;
    return pov_ok();
}

pov_status pov_model_command_guess(pov_model_file *file, char remarks[POV_REMARKS_CAPACITY], const char *path,
                                   pov_engine engine)
{
    pov_bytes onnx;
    pov_onnx_summary summary;
    once seen = {0};
    POV_TRY(pov_onnx_file_read(&onnx, &summary, path));
    *file = (pov_model_file){.opset = summary.opset};
    pov_digest(file->sha256, onnx.data, onnx.length);
    pov_status status = try_engines(&engine, path, &onnx, &summary, &seen);
    if (status.code == POV_OK) {
        status = pov_model_guess(&file->contract, remarks, &summary, seen.outputs);
        file->contract.engine = engine;
        POV_THEN(status, prove_guess(&file->contract, &onnx));
        if (status.code != POV_OK)
            status = pov_error("%.100s: it runs, but %.280s", path, status.message);
    }
    free_once(&seen);
    pov_bytes_free(&onnx);
    return status;
}

static pov_status check_onnx(const char *path, const check_options *options)
{
    static pov_model_file file;
    char remarks[POV_REMARKS_CAPACITY];
    pov_bytes onnx;
    pov_onnx_summary summary;
    const char *out = options->out;
    POV_TRY(pov_onnx_file_read(&onnx, &summary, path));
    print_summary(path, &onnx, &summary);
    pov_bytes_free(&onnx);
    POV_TRY(pov_model_command_guess(&file, remarks, path, options->engine));
    if (access(out, F_OK) == 0)
        return pov_error("%s: is there already; name another with --out, or check it", out);
    POV_TRY(pov_model_write(out, &file, last_part(path), remarks));
    const pov_backend backend = file.contract.engine.backend;
    printf("It runs%s%s. Its layout looks like %s: %s is a contract to begin with.\n%s"
           "Edit it, look at what it finds (pov model run %s IMAGE), then seal it (pov model seal %s).\n",
           backend == POV_BACKEND_DEFAULT ? "" : ", by ",
           backend == POV_BACKEND_DEFAULT ? "" : pov_engine_library(file.contract.engine),
           pov_model_layout_name(file.contract.layout), out, remarks, out, out);
    return pov_ok();
}

/* ---- a contract ---- */

static pov_status check_contract(const char *path, pov_engine engine)
{
    pov_detector *detector;
    POV_TRY(pov_model_open_tried(&detector, path, engine));
    const pov_model_contract *contract = pov_detector_contract(detector);
    pov_model_tell_engine(detector, path);
    printf("%s: layout %s, %d classes; the model is as it says, and gives its %d golden numbers (%s)\n", path,
           pov_model_layout_name(contract->layout), contract->class_len, contract->golden.len,
           pov_detector_engine(detector)->on);
    pov_detector_destroy(&detector);
    return pov_ok();
}

static bool is_onnx(const char *path)
{
    const size_t length = strlen(path);
    return length > 5 && strcmp(path + length - 5, ".onnx") == 0;
}

/* The answer is whether this process survives; what else is wrong is told by those who open the file. */
static int try_file(const char *path, pov_engine engine)
{
    static pov_model_file file;
    pov_bytes onnx;
    pov_onnx_summary summary;
    pov_model_trial_bound();
    if (!is_onnx(path) && pov_model_file_read(&file, path).code != POV_OK)
        return POV_EXIT_OK;
    if (pov_onnx_file_read(&onnx, &summary, is_onnx(path) ? path : file.onnx_path).code != POV_OK)
        return POV_EXIT_OK;
    engine = pov_engine_merge(file.contract.engine, engine);
    engine.provider = POV_PROVIDER_CPU;
    const pov_status status = try_network(NULL, &onnx, &summary, engine);
    pov_bytes_free(&onnx);
    return pov_model_trial_end(status);
}

static int run_check(int argc, char **argv)
{
    check_options options = {0};
    char beside[POV_MODEL_PATH_CAPACITY];
    pov_words words;
    POV_OR_EXIT(pov_command_read(&options, &words, &pov_command_model_check, argc, argv));
    const char *path = words.word[0];
    if (options.trial)
        return try_file(path, options.engine);
    if (!is_onnx(path) && options.out)
        return pov_cli_usage("model check", "--out is for an ONNX model (a file that ends with .onnx)");
    snprintf(beside, sizeof beside, "%.*s.yaml", is_onnx(path) ? (int)strlen(path) - 5 : 0, path);
    if (!options.out)
        options.out = beside;
    return pov_cli_exit(is_onnx(path) ? check_onnx(path, &options) : check_contract(path, options.engine));
}

/* ---- seal ---- */

static int run_seal(int argc, char **argv);

const pov_command pov_command_model_seal = {
    .name = "model seal",
    .summary = "store some of a model's outputs, to notice when they change",
    .run = run_seal,
    .usage = "CONTRACT.yaml",
    .about =
        "Runs the model on a picture that is made from a seed, and writes some of the numbers that it "
        "gives into the contract: its golden numbers. Wherever the contract is used from then on, they "
        "must come out again, or it is refused: another file, another order of colours, another machine "
        "that computes otherwise.\n"
        "Seal it once its detections are right (pov model run); best are numbers from the framework that "
        "it was trained in, see docs/MODELS.md.",
    .words = {.min = 1, .max = 1, .wanted = "name one contract"},
    .examples = "pov model seal yolox_tiny.yaml",
    .exits = "0 sealed; 1 contract or model are not as they should be",
};

static int run_seal(int argc, char **argv)
{
    pov_words words;
    POV_OR_EXIT(pov_command_read(NULL, &words, &pov_command_model_seal, argc, argv));
    pov_golden golden;
    pov_status status = pov_model_try(words.word[0], (pov_engine){0});
    POV_THEN(status, pov_model_seal(&golden, words.word[0]));
    if (status.code != POV_OK)
        return pov_cli_fail(status);
    printf("%s: sealed with %d numbers\n", words.word[0], golden.len);
    return POV_EXIT_OK;
}
