#include "config/models/model_file.h"

#include "config/files/write_file.h"

#include <fcntl.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/support/folder.h"
#include "tests/support/near.h"
#include "tests/support/onnx_bytes.h"

/* %s: the model's hash. */
static const char contract_text[] = "model: blobs.onnx\n"
                                    "sha256: %s\n"
                                    "opset: 12\n"
                                    "layout: yolox\n"
                                    "input:\n"
                                    "  name: images\n"
                                    "  shape: [1, 3, 64, 96]\n"
                                    "  order: nchw\n"
                                    "  color: rgb\n"
                                    "  fit: letterbox_center\n"
                                    "  fill: 114\n"
                                    "  scale: 0.00392156863\n"
                                    "  mean: 0\n"
                                    "  std: [1, 1, 1]\n"
                                    "outputs:\n"
                                    "  rows: {name: output, shape: [1, 96, 7]}\n"
                                    "strides: [8]\n"
                                    "classes: [red thing, blue thing]\n"
                                    "call: {blue thing: ball}\n"
                                    "score_min: 0.4\n"
                                    "overlap_max: 0.45\n"
                                    "across_classes: false\n";

typedef struct {
    test_path at, contract_path, model_path;
    const char *folder, *contract, *model;
    char text[4000];
} fixture;

static void write_bytes(const char *path, const void *bytes, size_t length)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, length, file), length);
    assert_int_equal(fclose(file), 0);
}

static void write_model(const fixture *f, int opset)
{
    message model = {0};
    put_blob_model(&model, opset);
    write_bytes(f->model, model.bytes, model.length);
}

/* A sealed contract and its model in a folder of their own. */
static void begin(fixture *f)
{
    char digest[POV_DIGEST_CAPACITY];
    message model = {0};
    pov_golden golden;
    f->at = test_folder_new();
    f->contract_path = test_path_in(&f->at, "blobs.yaml");
    f->model_path = test_path_in(&f->at, "blobs.onnx");
    f->folder = f->at.path;
    f->contract = f->contract_path.path;
    f->model = f->model_path.path;
    put_blob_model(&model, 12);
    pov_digest(digest, model.bytes, model.length);
    write_model(f, 12);
    snprintf(f->text, sizeof f->text, contract_text, digest);
    write_bytes(f->contract, f->text, strlen(f->text));
    const pov_status status = pov_model_seal(&golden, f->contract);
    assert_string_equal(status.message, "");
    FILE *file = fopen(f->contract, "rb");
    f->text[fread(f->text, 1, sizeof f->text - 1, file)] = '\0';
    fclose(file);
}

static void end(fixture *f)
{
    test_folder_remove(&f->at);
}

static void a_sealed_contract_opens_and_finds(void **state)
{
    (void)state;
    fixture f;
    pov_detector *detector;
    pov_detections found;
    unsigned char pixels[BLOB_HEIGHT][BLOB_WIDTH][3];
    begin(&f);
    assert_string_equal(pov_model_open(&detector, f.contract, (pov_engine){0}).message, "");
    memset(pixels, 60, sizeof pixels);
    for (int y = 16; y < 24; y++)
        for (int x = 40; x < 48; x++)
            pixels[y][x][0] = 255; /* redder than the mean of the others by 195/255 */
    for (int y = 48; y < 56; y++)
        for (int x = 8; x < 16; x++)
            pixels[y][x][2] = 200;
    const pov_image image = {.pixels = &pixels[0][0][0],
                             .width_px = BLOB_WIDTH,
                             .height_px = BLOB_HEIGHT,
                             .stride_bytes = 3 * BLOB_WIDTH};
    assert_int_equal(pov_detector_run(detector, &found, &image).code, POV_OK);
    assert_int_equal(found.len, 2);
    const pov_detection *red = &found.detections[0], *blue = &found.detections[1];
    const pov_model_contract *contract = pov_detector_contract(detector);
    assert_string_equal(contract->classes[red->class_index], "red thing");
    assert_string_equal(contract->classes[blue->class_index], "ball");
    assert_near(red->score, 195 / 255.0, 1e-5);
    assert_near(blue->score, 140 / 255.0, 1e-5);
    assert_near(red->box.left_px, 39.5, 1e-4);
    assert_near(red->box.right_px, 47.5, 1e-4);
    assert_near(red->box.top_px, 15.5, 1e-4);
    assert_near(blue->box.bottom_px, 55.5, 1e-4);
    pov_detector_destroy(&detector);
    end(&f);
}

/* The text with the first `from` replaced by `to`. */
static void replace(char *out, size_t capacity, const char *text, const char *from, const char *to)
{
    const char *at = strstr(text, from);
    if (!at)
        print_error("the contract has no '%s'\n", from);
    assert_non_null(at);
    snprintf(out, capacity, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
}

typedef struct {
    const char *from, *to, *complaint; /* part of the message, which begins with the file's path */
} wrong;

static const wrong wrongs[] = {
    {"model: blobs.onnx\n", "", ":1: the key \"model\" is missing"},
    {"model: blobs.onnx", "model: other.onnx", "other.onnx: no such file"},
    {"model: blobs.onnx", "model: [a]", ":1: model: expected"},
    {"opset: 12", "opset: 13", "opset: the contract says 13, the model has 12"},
    {"opset: 12", "opset: 99", ":3: opset: "},
    {"layout: yolox", "layout: yolov4", ":4: layout: "},
    {"layout: yolox", "layout: yolox\nbackend: opencb", "did you mean \"opencv\"?"},
    {"layout: yolox", "layout: yolox\nprovider: gpu", ":5: provider: "},
    {"layout: yolox", "layout: yolov8", ":17: strides: layout yolov8 has none"},
    {"layout: yolox", "layout: rtdetr", "layout rtdetr without heading has no 'rows'"},
    {"layout: yolox", "layout: nanodet", "distance_bins: missing"},
    {"layout: yolox", "layout: heading", "heading: layout heading needs one"},
    {"  name: images", "  name: picture", "input.name: the network has no 'picture'; it has 'images'"},
    {"shape: [1, 3, 64, 96]", "shape: [1, 3, 64, 128]",
     "outputs.rows.shape: 96 rows; the input's size and the strides make 128"},
    {"shape: [1, 3, 64, 96]", "shape: [1, 3, 96, 64]",
     "input.shape: the contract says [1, 3, 96, 64], the network's 'images' is [1, 3, 64, 96]"},
    {"shape: [1, 3, 64, 96]", "shape: [1, 1, 64, 96]", ":7: input.shape: expected [1, 3, height, width]"},
    {"shape: [1, 3, 64, 96]", "shape: [1, 3, 64, 99999]", ":7: input.shape: sides are 1 to 4096"},
    {"order: nchw", "order: nhwc", "input.shape: expected [1, 3, height, width], or [1, height, width, 3]"},
    {"order: nchw", "order: chw", ":8: input.order: "},
    {"color: rgb", "color: bgr", "golden: output 'rows' is "},
    {"color: rgb", "color: grey", ":9: input.color: "},
    {"fit: letterbox_center", "fit: stretch", "golden: output 'rows' is "},
    {"fit: letterbox_center", "fit: letterbox_top_left", "golden: output 'rows' is "},
    {"fit: letterbox_center", "fit: crop", ":10: input.fit: "},
    {"fill: 114", "fill: 300", ":11: input.fill: "},
    {"scale: 0.00392156863", "scale: 1", "golden: output 'rows' is "},
    {"scale: 0.00392156863", "scale: 0", ":12: input.scale: "},
    {"mean: 0", "mean: [0, 0, 0.1]", "golden: output 'rows' is "},
    {"mean: 0", "mean: [0, 0]", ":13: input.mean: "},
    {"std: [1, 1, 1]", "std: [1, 1, 2]", "golden: output 'rows' is "},
    {"std: [1, 1, 1]", "std: [1, 0, 1]", ":14: input.std: found 0"},
    {"name: output,", "name: rows,", "outputs.rows.name: the network has no 'rows'; it has 'output'"},
    {"rows: {", "tows: {", ":15: outputs: layout yolox needs 'rows'"},
    {"shape: [1, 96, 7]", "shape: [1, 96, 8]", ":16: outputs.rows.shape: 8 columns"},
    {"shape: [1, 96, 7]", "shape: [2, 96, 7]",
     ":16: outputs.rows.shape: layout yolox has [1, rows, columns]"},
    {"shape: [1, 96, 7]", "shape: [1, 96, 0]", "outputs.rows.shape"},
    {"strides: [8]", "strides: [16]", "outputs.rows.shape: 96 rows"},
    {"strides: [8]", "strides: [0]", ":17: strides"},
    {"strides: [8]\n", "", "strides: missing"},
    {"classes: [red thing, blue thing]", "classes: [red thing]",
     "outputs.rows.shape: 7 columns; layout yolox with 1 classes"},
    {"classes: [red thing, blue thing]", "classes: []", "classes: missing"},
    {"call: {blue thing", "call: {blu thing", ":19: unknown key \"call.blu thing\""},
    {"score_min: 0.4", "score_min: 1.5", ":20: score_min: "},
    {"overlap_max: 0.45", "overlap_max: -1", ":21: overlap_max: "},
    {"across_classes: false", "across_classes: 7", ":22: across_classes: "},
    {"across_classes: false", "across_class: false", ":22: unknown key \"across_class\""},
    {"golden:", "silver:", ":23: unknown key \"silver\""},
    {"  seed: 1", "  seed: 2", "golden: output 'rows' is "},
    {"{output: rows", "{output: boxes", "golden: output 'boxes' has 0 numbers"},
    {"value: 0", "value: 7", "not 7"},
};

static void every_wrong_field_is_named(void **state)
{
    (void)state;
    fixture f;
    int unnamed = 0;
    begin(&f);
    for (size_t i = 0; i < sizeof wrongs / sizeof *wrongs; i++) {
        char text[5000];
        pov_detector *detector;
        replace(text, sizeof text, f.text, wrongs[i].from, wrongs[i].to);
        write_bytes(f.contract, text, strlen(text));
        const pov_status status = pov_model_open(&detector, f.contract, (pov_engine){0});
        const bool named = status.code == POV_ERROR && detector == NULL && strstr(status.message, f.folder) &&
                           strstr(status.message, wrongs[i].complaint);
        if (!named)
            print_error("'%s' for '%s' gives: %s\n", wrongs[i].to, wrongs[i].from, status.message);
        unnamed += !named;
    }
    assert_int_equal(unnamed, 0);
    end(&f);
}

static void another_model_is_refused_by_its_hash(void **state)
{
    (void)state;
    fixture f;
    pov_detector *detector;
    begin(&f);
    write_model(&f, 11);
    assert_non_null(strstr(pov_model_open(&detector, f.contract, (pov_engine){0}).message, "sha256: "));
    end(&f);
}

static void a_contract_without_golden_numbers_is_refused(void **state)
{
    (void)state;
    fixture f;
    pov_detector *detector;
    begin(&f);
    *strstr(f.text, "golden:") = '\0';
    write_bytes(f.contract, f.text, strlen(f.text));
    assert_non_null(strstr(pov_model_open(&detector, f.contract, (pov_engine){0}).message, "pov model seal"));
    end(&f);
}

static void sealing_twice_changes_nothing_else(void **state)
{
    (void)state;
    fixture f;
    pov_golden golden;
    char text[4000];
    begin(&f);
    assert_int_equal(pov_model_seal(&golden, f.contract).code, POV_OK);
    FILE *file = fopen(f.contract, "rb");
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    assert_string_equal(text, f.text);
    end(&f);
}

static pov_status read_onnx(const char *path)
{
    pov_bytes bytes;
    pov_onnx_summary summary;
    const pov_status status = pov_onnx_file_read(&bytes, &summary, path);
    pov_bytes_free(&bytes);
    return status;
}

static void a_model_cut_off_anywhere_is_refused(void **state)
{
    (void)state;
    fixture f;
    message model = {0};
    begin(&f);
    put_blob_model(&model, 12);
    for (size_t length = 1; length < model.length; length += 1 + length / 40) {
        write_bytes(f.model, model.bytes, length);
        const pov_status status = read_onnx(f.model);
        assert_int_equal(status.code, POV_ERROR);
        assert_non_null(strstr(status.message, f.model));
    }
    end(&f);
}

static void opsets_out_of_range_are_refused(void **state)
{
    (void)state;
    static const int opsets[] = {0, 1, 6, 65, 1 << 20};
    fixture f;
    begin(&f);
    for (size_t i = 0; i < sizeof opsets / sizeof *opsets; i++) {
        char expected[40];
        snprintf(expected, sizeof expected, "opset %d;", opsets[i]);
        write_model(&f, opsets[i]);
        assert_non_null(strstr(read_onnx(f.model).message, expected));
    }
    end(&f);
}

static void opencv_is_not_given_newer_opsets_than_it_knows(void **state)
{
    (void)state;
    fixture f;
    begin(&f);
    for (int opset = 12; opset <= 24; opset++) {
        message model = {0};
        pov_network *network;
        put_blob_model(&model, opset);
        const pov_status status =
            pov_network_new(&network, &(pov_onnx_model){model.bytes, model.length, opset},
                            (pov_engine){.backend = POV_BACKEND_OPENCV});
        assert_int_equal(status.code, opset <= 17 ? POV_OK : POV_ERROR);
        assert_true(opset <= 17 || strstr(status.message, "an opset of 7 to 17"));
        pov_network_destroy(&network);
    }
    end(&f);
}

static long peak_kib(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

static void a_hundred_megabytes_of_zeros_are_refused_unread(void **state)
{
    (void)state;
    fixture f;
    begin(&f);
    const int file = open(f.model, O_WRONLY | O_TRUNC);
    assert_int_equal(ftruncate(file, 100 << 20), 0);
    close(file);
    const long before = peak_kib();
    assert_non_null(strstr(read_onnx(f.model).message, "does not begin as an ONNX model does"));
    assert_true(peak_kib() - before < 10 << 10);
    end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sealed_contract_opens_and_finds),
        cmocka_unit_test(every_wrong_field_is_named),
        cmocka_unit_test(another_model_is_refused_by_its_hash),
        cmocka_unit_test(a_contract_without_golden_numbers_is_refused),
        cmocka_unit_test(sealing_twice_changes_nothing_else),
        cmocka_unit_test(a_model_cut_off_anywhere_is_refused),
        cmocka_unit_test(opsets_out_of_range_are_refused),
        cmocka_unit_test(opencv_is_not_given_newer_opsets_than_it_knows),
        cmocka_unit_test(a_hundred_megabytes_of_zeros_are_refused_unread),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
