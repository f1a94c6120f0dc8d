#include "config/models/model_write.h"

#include "config/files/read_file.h"
#include "config/files/write_file.h"

#include <string.h>

/* A name in double quotes, whatever is in it. */
static void put_name(FILE *stream, const char *name)
{
    fputc('"', stream);
    for (; *name; name++) {
        if (*name == '"' || *name == '\\')
            fputc('\\', stream);
        fputc((unsigned char)*name < ' ' ? ' ' : *name, stream);
    }
    fputc('"', stream);
}

static void put_tensor(FILE *stream, const pov_tensor_shape *tensor)
{
    fputs("name: ", stream);
    put_name(stream, tensor->name);
    fputs(", shape: [", stream);
    for (int i = 0; i < tensor->dims; i++)
        fprintf(stream, "%s%d", i ? ", " : "", tensor->size[i]);
    fputc(']', stream);
}

static void put_channels(FILE *stream, const char *key, const double values[3])
{
    fprintf(stream, "  %s: [%.9g, %.9g, %.9g]\n", key, values[0], values[1], values[2]);
}

static void put_input(FILE *stream, const pov_model_input *input)
{
    fputs("input:\n  name: ", stream);
    put_name(stream, input->tensor.name);
    fputs("\n  shape: [", stream);
    for (int i = 0; i < 4; i++)
        fprintf(stream, "%s%d", i ? ", " : "", input->tensor.size[i]);
    fprintf(stream, "]\n  order: %s\n  color: %s # rgb or bgr\n", input->channels_last ? "nhwc" : "nchw",
            input->bgr ? "bgr" : "rgb");
    fprintf(stream,
            "  fit: %s # letterbox_center, letterbox_top_left or stretch\n  fill: %g # around a letterbox\n",
            pov_fit_name(input->fit), input->fill);
    fprintf(stream, "  scale: %.9g # (pixel * scale - mean) / std, for pixels of 0 to 255\n", input->scale);
    put_channels(stream, "mean", input->mean);
    put_channels(stream, "std", input->std);
    if (*input->size_input) {
        fputs("  size_input: ", stream);
        put_name(stream, input->size_input);
        fputs(" # wants the image's width and height\n", stream);
    }
}

static void put_output(FILE *stream, const pov_model_contract *contract, int role)
{
    const pov_output_parts *parts = &contract->parts[role];
    fprintf(stream, "  %s: {", pov_output_role_name(role));
    if (parts->len == 0)
        put_tensor(stream, &contract->outputs[role]);
    for (int i = 0; i < parts->len; i++) {
        fputs(i ? "},\n    {" : "parts: [\n    {", stream);
        put_tensor(stream, &parts->part[i]);
    }
    if (parts->len > 0)
        fprintf(stream, "}], columns: %s", parts->columns_first ? "first" : "last");
    fputs("}\n", stream);
}

static void put_boxes(FILE *stream, const pov_model_contract *contract)
{
    if (contract->layout == POV_LAYOUT_RTDETR_POST && contract->box_form == POV_BOXES_CORNERS_YX)
        fputs("boxes: corners_yx # top, left, bottom, right in shares of the input; else corners\n", stream);
    if (contract->layout != POV_LAYOUT_SSD && contract->layout != POV_LAYOUT_FACE)
        return;
    fprintf(stream, "boxes: %s # corners, center, cells or priors\n", pov_box_form_name(contract->box_form));
    if (contract->box_form != POV_BOXES_PRIORS)
        return;
    fputs("priors: # in pixels, a list for each stride\n", stream);
    for (int i = 0; i < contract->stride_len; i++) {
        const pov_priors *priors = &contract->priors[i];
        for (int k = 0; k < priors->len; k++)
            fprintf(stream, "%s[%.9g, %.9g]", k ? ", " : "  - [", priors->width_px[k], priors->height_px[k]);
        fputs("]\n", stream);
    }
    fprintf(stream, "variances: [%.9g, %.9g] # of centre and size\n", contract->centre_variance,
            contract->size_variance);
}

static void put_columns_behind(FILE *stream, const pov_model_contract *contract)
{
    if (contract->logits)
        fputs("logits: true # the scores are logits, not probabilities\n", stream);
    if (contract->keypoint_len > 0 && contract->keypoint_columns > 0)
        fprintf(stream, "keypoints: {count: %d, columns: %d} # behind the classes\n", contract->keypoint_len,
                contract->keypoint_columns);
    else if (contract->keypoint_len > 0)
        fprintf(stream, "keypoints: {count: %d}%s\n", contract->keypoint_len,
                contract->layout == POV_LAYOUT_FACE ? " # of outputs.landmarks" : "");
    if (contract->extra_columns > 0)
        fprintf(stream, "extra_columns: %d # behind the classes, not read%s\n", contract->extra_columns,
                contract->rotated ? " but for the last" : "");
    if (contract->rotated)
        fputs("rotated: true # the last column is the box's turn in the image, rad\n", stream);
}

static void put_outputs(FILE *stream, const pov_model_contract *contract)
{
    fputs("outputs:\n", stream);
    for (int role = 0; role < POV_OUTPUT_ROLE_COUNT; role++) {
        if (contract->outputs[role].dims == 0)
            continue;
        put_output(stream, contract, role);
    }
    for (int i = 0; i < contract->stride_len; i++)
        fprintf(stream, "%s%d", i ? ", " : "strides: [", contract->strides[i]);
    if (contract->stride_len)
        fputs("]\n", stream);
    if (contract->layout == POV_LAYOUT_NANODET)
        fprintf(stream, "cell_center: %g\ndistance_bins: %d\n", contract->cell_centre,
                contract->distance_bins);
    put_boxes(stream, contract);
    put_columns_behind(stream, contract);
    if (contract->layout == POV_LAYOUT_RFDETR || contract->nothing != POV_NOTHING_NOWHERE)
        fprintf(stream, "nothing: %s # the class that means nothing: nowhere, first or last\n",
                pov_nothing_slot_name(contract->nothing));
}

static void put_classes(FILE *stream, const pov_model_contract *contract)
{
    enum { A_LINE = 8 };
    if (contract->layout == POV_LAYOUT_DEPTH) {
        fprintf(stream, "near: %s # large: numbers are larger for nearer things; small: they are distances\n",
                contract->near_is_small ? "small" : "large");
        return;
    }
    if (pov_model_sees_crops(contract->layout)) {
        fprintf(stream, "crop_margin: %g # shown around the box, as a share of it\n", contract->crop_margin);
        return;
    }
    fputs("classes:\n  [", stream);
    for (int i = 0; i < contract->class_len; i++) {
        put_name(stream, contract->classes[i]);
        if (i + 1 < contract->class_len)
            fputs(i % A_LINE == A_LINE - 1 ? ",\n   " : ", ", stream);
    }
    fputs("]\n# call: {\"sports ball\": ball} # what the station's cast calls them\n", stream);
    fprintf(stream, "score_min: %g\noverlap_max: %g # intersection over union; 1: nothing is suppressed\n",
            contract->score_min, contract->overlap_max);
    fprintf(stream, "across_classes: %s # suppress also boxes of another class\n",
            contract->across_classes ? "true" : "false");
}

static void put_symmetry(FILE *stream, const pov_heading_contract *heading)
{
    for (int i = 0; i < heading->symmetry_len; i++) {
        fputs(i ? ", " : "  symmetry: [", stream);
        if (heading->symmetry[i])
            fprintf(stream, "%d", heading->symmetry[i]);
        else
            fputs("all", stream);
    }
    if (heading->symmetry_len)
        fputs("]\n", stream);
}

static void put_heading(FILE *stream, const pov_heading_contract *heading)
{
    if (heading->kind == POV_HEADING_NONE)
        return;
    fprintf(stream, "heading:\n  kind: %s\n", pov_heading_kind_name(heading->kind));
    if (heading->kind == POV_HEADING_BINS)
        fprintf(stream, "  bins: %d\n  offset: %s\n  probabilities: %s\n  first_deg: %.9g\n", heading->bins,
                pov_bin_offset_name(heading->offset), heading->probabilities ? "true" : "false",
                heading->first_rad / POV_DEG);
    if (heading->kind == POV_HEADING_BINS && heading->step_rad > 0)
        fprintf(stream, "  step_deg: %.9g # from a bin's centre to the next\n", heading->step_rad / POV_DEG);
    if (heading->columns > 0)
        fprintf(stream, "  first_column: %d\n  columns: %d # in all; the others are not read\n",
                heading->first_column, heading->columns);
    if (heading->sigmoid)
        fputs("  sigmoid: true # each bin's own; else a softmax over all\n", stream);
    if (heading->confidence_column > 0)
        fprintf(stream, "  confidence_column: %d # of two logits: it has a front, it has none\n",
                heading->confidence_column);
    if (heading->kind == POV_HEADING_EULER)
        fprintf(stream, "  order: [%s, %s, %s]\n  unit: %s\n", pov_euler_angle_name(heading->order[0]),
                pov_euler_angle_name(heading->order[1]), pov_euler_angle_name(heading->order[2]),
                heading->radians ? "radians" : "degrees");
    if (heading->kind == POV_HEADING_SINE_COSINE)
        fprintf(stream, "  norm_is_kappa: %s\n", heading->norm_is_kappa ? "true" : "false");
    fprintf(stream, "  against: %s # the ray to the thing, or the camera's axis\n",
            heading->against == POV_HEADING_OF_AXIS ? "axis" : "ray");
    if (heading->kind == POV_HEADING_ROTATION_6D || heading->kind == POV_HEADING_ROTATION_9D)
        fprintf(stream, "  front_axis: [%g, %g, %g]\n", heading->front_axis.x, heading->front_axis.y,
                heading->front_axis.z);
    else
        fprintf(stream,
                "  turns: %s # seen from above\n  away_deg: %.9g # its angle of a front that points away\n",
                heading->clockwise ? "clockwise" : "counterclockwise", heading->away_rad / POV_DEG);
    fprintf(stream, "  std_deg: %.9g # as measured\n", heading->std_rad / POV_DEG);
    put_symmetry(stream, heading);
}

/** The part with the golden numbers; nothing if there are none. */
static void write_golden(FILE *stream, const pov_golden *golden)
{
    if (golden->len == 0)
        return;
    fprintf(stream, "golden:\n  seed: %d\n  values:\n", golden->seed);
    for (int i = 0; i < golden->len; i++) {
        const pov_golden_value *value = &golden->values[i];
        fprintf(stream, "    - {output: %s, index: %d, value: %.8g, tolerance: %.3g}\n",
                pov_output_role_name(value->role), value->index, value->value, value->tolerance);
    }
}

pov_status pov_model_write(const char *path, const pov_model_file *model, const char *model_name,
                           const char *remarks)
{
    pov_write_file file;
    POV_TRY(pov_write_file_begin(&file, path));
    FILE *stream = file.stream;
    fprintf(stream, "# The facts that give a network's numbers their meaning: docs/MODELS.md.\n%s", remarks);
    fputs("model: ", stream);
    put_name(stream, model_name);
    fprintf(stream, "\nsha256: %s\nopset: %d\nlayout: %s\n", model->sha256, model->opset,
            pov_model_layout_name(model->contract.layout));
    if (model->contract.engine.backend != POV_BACKEND_DEFAULT)
        fprintf(stream, "backend: %s # runs it: opencv or onnxruntime\n",
                pov_backend_name(model->contract.engine.backend));
    if (model->contract.engine.provider != POV_PROVIDER_DEFAULT)
        fprintf(stream, "provider: %s # what it runs on: cpu, cuda or tensorrt\n",
                pov_provider_name(model->contract.engine.provider));
    put_input(stream, &model->contract.input);
    put_outputs(stream, &model->contract);
    put_classes(stream, &model->contract);
    put_heading(stream, &model->contract.heading);
    write_golden(stream, &model->contract.golden);
    return pov_write_file_end(&file, pov_ok());
}

/* ---- sealing ---- */

enum { CONTRACT_BYTES_MAX = 4 << 20, SEED = 1 };

/* Lines of the golden part: its key, and those indented below it. */
static void write_others(FILE *stream, const char *text)
{
    bool golden = false, ended = true;
    while (*text) {
        const size_t length = strcspn(text, "\n") + (text[strcspn(text, "\n")] == '\n');
        if (strncmp(text, "golden:", 7) == 0)
            golden = true;
        else if (golden && !strchr(" \t\r\n-", *text))
            golden = false;
        if (!golden) {
            fwrite(text, 1, length, stream);
            ended = text[length - 1] == '\n';
        }
        text += length;
    }
    if (!ended)
        fputc('\n', stream);
}

static pov_status write_sealed(const char *path, const pov_golden *golden, const pov_bytes *text)
{
    pov_write_file file;
    POV_TRY(pov_write_file_begin(&file, path));
    write_others(file.stream, (const char *)text->data);
    write_golden(file.stream, golden);
    return pov_write_file_end(&file, pov_ok());
}

pov_status pov_model_seal(pov_golden *golden, const char *contract_path)
{
    pov_detector *detector;
    pov_bytes text = {0};
    POV_TRY(pov_model_open_unproven(&detector, contract_path, (pov_engine){0}));
    pov_status status = pov_detector_record_golden(detector, golden, SEED);
    pov_detector_destroy(&detector);
    POV_THEN(status, pov_read_file(&text, contract_path, CONTRACT_BYTES_MAX, "a model's contract"));
    POV_THEN(status, write_sealed(contract_path, golden, &text));
    pov_bytes_free(&text);
    return status;
}
