#include "config/models/model_file.h"

#include "config/yaml/yaml_file.h"
#include "perception/models/model_contract.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const double far = 1e6; /* bound of any number in a contract; chosen */

/* ---- parts ---- */

static void read_choice(int *value, pov_yaml_node node, const char *(*name_of)(int))
{
    const char *names[16];
    int count = 0;
    while (count < 16 && name_of(count)) {
        names[count] = name_of(count);
        count++;
    }
    pov_yaml_choice(value, node, names, count);
}

/* One number for all three channels, or one each. */
static void read_channels(double values[3], pov_yaml_node node)
{
    double same = NAN;
    if (pov_yaml_is_list(node)) {
        pov_yaml_numbers(values, node, 3, -far, far);
        return;
    }
    pov_yaml_number(&same, node, -far, far);
    for (int c = 0; c < 3 && !isnan(same); c++)
        values[c] = same;
}

static void read_tensor(pov_tensor_shape *tensor, pov_yaml_node node)
{
    pov_yaml_node shape = pov_yaml_need(node, "shape", "its sizes, as pov model check prints them");
    pov_yaml_copy_filled(tensor->name, sizeof tensor->name,
                         pov_yaml_need(node, "name", "its name in the network"));
    const int dims = pov_yaml_length(shape);
    if (dims < 1 || dims > POV_TENSOR_DIMS_MAX)
        pov_yaml_complain(shape, "expected 1 to %d sizes", POV_TENSOR_DIMS_MAX);
    for (int i = 0; i < dims && !pov_yaml_failed(node.file); i++)
        pov_yaml_integer(&tensor->size[i], pov_yaml_at(shape, i), 1, 1 << 24);
    tensor->dims = pov_yaml_failed(node.file) ? 0 : dims;
}

static void read_input(pov_model_input *input, pov_yaml_node node)
{
    static const char *const orders[] = {"nchw", "nhwc"}, *const colors[] = {"rgb", "bgr"};
    int last = false, bgr = false, fit = POV_FIT_LETTERBOX_CENTRE;
    *input = (pov_model_input){.fill = 114, .std = {1, 1, 1}};
    read_tensor(&input->tensor, node);
    pov_yaml_choice(&last, pov_yaml_get(node, "order"), orders, 2);
    pov_yaml_choice(&bgr, pov_yaml_need(node, "color", "the order of its channels: rgb or bgr"), colors, 2);
    read_choice(&fit,
                pov_yaml_need(node, "fit", "how an image of another shape gets in: letterbox_center, say"),
                pov_fit_name);
    pov_yaml_number(&input->fill, pov_yaml_get(node, "fill"), 0, 255);
    pov_yaml_number(&input->scale,
                    pov_yaml_need(node, "scale", "what pixels are multiplied by: 1, or 0.00392157 for 1/255"),
                    1e-9, far);
    read_channels(input->mean, pov_yaml_get(node, "mean"));
    read_channels(input->std, pov_yaml_get(node, "std"));
    pov_yaml_copy_filled(input->size_input, sizeof input->size_input, pov_yaml_get(node, "size_input"));
    input->channels_last = last;
    input->bgr = bgr;
    input->fit = fit;
}

/* Several tensors that make one output. */
static void read_parts(pov_tensor_shape *joined, pov_output_parts *parts, pov_yaml_node output)
{
    static const char *const ends[] = {"last", "first"};
    pov_yaml_node list = pov_yaml_get(output, "parts");
    int first = false;
    parts->len = pov_yaml_length(list);
    pov_yaml_choice(&first, pov_yaml_get(output, "columns"), ends, 2);
    parts->columns_first = first;
    if (parts->len < 1 || parts->len > POV_OUTPUT_PART_MAX)
        pov_yaml_complain(list, "expected 1 to %d tensors, each {name, shape}", POV_OUTPUT_PART_MAX);
    for (int i = 0; i < parts->len && !pov_yaml_failed(output.file); i++)
        read_tensor(&parts->part[i], pov_yaml_at(list, i));
    if (!pov_yaml_failed(output.file) && !pov_model_join_parts(joined, parts))
        pov_yaml_complain(
            list,
            "these make no table: each is [rows, columns] or [1, ..., columns] (columns: first: [1, "
            "columns, ...]), with as many columns as the others, up to %d rows in all",
            POV_MODEL_ROWS_MAX);
}

static void read_outputs(pov_model_contract *contract, pov_yaml_node node)
{
    for (int role = 0; role < POV_OUTPUT_ROLE_COUNT; role++) {
        pov_yaml_node output = pov_yaml_get(node, pov_output_role_name(role));
        if (pov_yaml_exists(output) && pov_yaml_exists(pov_yaml_get(output, "parts")))
            read_parts(&contract->outputs[role], &contract->parts[role], output);
        else if (pov_yaml_exists(output))
            read_tensor(&contract->outputs[role], output);
    }
}

/* Sizes of a stride's priors: a side, or [width, height]. */
static void read_priors_of(pov_priors *priors, pov_yaml_node list)
{
    priors->len = pov_yaml_length(list);
    if (priors->len < 1 || priors->len > POV_PRIOR_MAX)
        pov_yaml_complain(list, "expected 1 to %d sizes in pixels, each a side or [width, height]",
                          POV_PRIOR_MAX);
    for (int i = 0; i < priors->len && !pov_yaml_failed(list.file); i++) {
        const pov_yaml_node size = pov_yaml_at(list, i);
        double sides[2] = {0};
        if (pov_yaml_is_list(size)) {
            pov_yaml_numbers(sides, size, 2, 1e-3, POV_MODEL_SIDE_MAX_PX);
        } else {
            pov_yaml_number(&sides[0], size, 1e-3, POV_MODEL_SIDE_MAX_PX);
            sides[1] = sides[0];
        }
        priors->width_px[i] = sides[0];
        priors->height_px[i] = sides[1];
    }
}

/* What boxes of SSD and of faces are. */
static void read_boxes(pov_model_contract *contract, pov_yaml_node root)
{
    const bool has_forms = contract->layout == POV_LAYOUT_SSD || contract->layout == POV_LAYOUT_FACE;
    pov_yaml_node priors = pov_yaml_get(root, "priors");
    double variances[2] = {0.1, 0.2}; /* Liu 2016's code */
    int form = POV_BOXES_CORNERS;
    if (contract->layout == POV_LAYOUT_RTDETR_POST) {
        static const char *const order[] = {"corners", "corners_yx"};
        pov_yaml_choice(&form, pov_yaml_get(root, "boxes"), order, 2);
        contract->box_form = form ? POV_BOXES_CORNERS_YX : POV_BOXES_CORNERS;
    }
    if (!has_forms)
        return;
    read_choice(&form, pov_yaml_need(root, "boxes", "corners, center, cells, priors or corners_yx"),
                pov_box_form_name);
    contract->box_form = form;
    if (form != POV_BOXES_PRIORS)
        return;
    if (pov_yaml_length(pov_yaml_need(root, "priors", "a list of sizes for each stride")) !=
        contract->stride_len)
        pov_yaml_complain(priors, "expected a list of sizes for each of the %d strides",
                          contract->stride_len);
    for (int i = 0; i < contract->stride_len && !pov_yaml_failed(root.file); i++)
        read_priors_of(&contract->priors[i], pov_yaml_at(priors, i));
    pov_yaml_numbers(variances, pov_yaml_get(root, "variances"), 2, 1e-6, 10);
    contract->centre_variance = variances[0];
    contract->size_variance = variances[1];
}

/* Columns behind the classes, and points. */
static void read_columns_behind(pov_model_contract *contract, pov_yaml_node root)
{
    pov_yaml_node keypoints = pov_yaml_get(root, "keypoints");
    pov_yaml_bool(&contract->logits, pov_yaml_get(root, "logits"));
    pov_yaml_integer(&contract->extra_columns, pov_yaml_get(root, "extra_columns"), 1, 4096);
    pov_yaml_bool(&contract->rotated, pov_yaml_get(root, "rotated"));
    if (!pov_yaml_exists(keypoints))
        return;
    pov_yaml_integer(&contract->keypoint_len, pov_yaml_need(keypoints, "count", "how many points"), 1,
                     POV_KEYPOINT_MAX);
    if (contract->layout != POV_LAYOUT_FACE && contract->layout != POV_LAYOUT_MOVENET &&
        contract->layout != POV_LAYOUT_SIMCC)
        pov_yaml_integer(&contract->keypoint_columns,
                         pov_yaml_need(keypoints, "columns", "2 for x and y, 3 with a probability"), 2, 3);
}

static void read_strides(pov_model_contract *contract, pov_yaml_node node)
{
    if (!pov_yaml_exists(node))
        return;
    contract->stride_len = pov_yaml_length(node);
    if (contract->stride_len > POV_MODEL_STRIDE_MAX)
        pov_yaml_complain(node, "at most %d strides", POV_MODEL_STRIDE_MAX);
    for (int i = 0; i < contract->stride_len && !pov_yaml_failed(node.file); i++)
        pov_yaml_integer(&contract->strides[i], pov_yaml_at(node, i), 1, POV_MODEL_SIDE_MAX_PX);
}

/* The network's own names, and what they are called here. */
static void read_classes(pov_model_contract *contract, pov_yaml_node root)
{
    pov_yaml_node classes = pov_yaml_get(root, "classes"), call = pov_yaml_get(root, "call");
    const int len = pov_yaml_exists(classes) ? pov_yaml_length(classes) : 0;
    if (len > POV_MODEL_CLASS_MAX)
        pov_yaml_complain(classes, "at most %d classes", POV_MODEL_CLASS_MAX);
    for (int i = 0; i < len && !pov_yaml_failed(root.file); i++) {
        const char *name = "";
        char *here = contract->classes[i];
        pov_yaml_string(&name, pov_yaml_at(classes, i));
        if (*name == '\0')
            pov_yaml_complain(pov_yaml_at(classes, i),
                              "a class has an empty name; write what the model finds");
        if (strlen(name) >= POV_NAME_CAPACITY)
            pov_yaml_complain(pov_yaml_at(classes, i), "a name can have %d letters at most",
                              POV_NAME_CAPACITY - 1);
        snprintf(here, POV_NAME_CAPACITY, "%s", name);
        if (pov_yaml_exists(call))
            pov_yaml_copy_filled(here, POV_NAME_CAPACITY, pov_yaml_get(call, name));
        contract->class_len = i + 1;
    }
}

/* ---- headings ---- */

static void read_symmetry(pov_heading_contract *heading, pov_yaml_node node)
{
    static const char *const any_turn[] = {"all"};
    if (!pov_yaml_exists(node))
        return;
    heading->symmetry_len = pov_yaml_length(node);
    if (heading->symmetry_len > POV_MODEL_SYMMETRY_MAX)
        pov_yaml_complain(node, "at most %d orders", POV_MODEL_SYMMETRY_MAX);
    for (int i = 0; i < heading->symmetry_len && !pov_yaml_failed(node.file); i++) {
        pov_yaml_node order = pov_yaml_at(node, i);
        const char *word = "";
        pov_yaml_string(&word, order);
        if (isdigit((unsigned char)*word))
            pov_yaml_integer(&heading->symmetry[i], order, 1, 12);
        else
            pov_yaml_choice(&heading->symmetry[i], order, any_turn, 1);
    }
}

static void read_angle(double *angle_rad, pov_yaml_node node)
{
    double angle_deg = *angle_rad / POV_DEG;
    pov_yaml_number(&angle_deg, node, -360, 360);
    *angle_rad = angle_deg * POV_DEG;
}

static void read_euler(pov_heading_contract *heading, pov_yaml_node node, int kind)
{
    static const char *const units[] = {"degrees", "radians"};
    pov_yaml_node order = pov_yaml_get(node, "order");
    int radians = false;
    if (kind != POV_HEADING_EULER)
        return;
    pov_yaml_choice(&radians, pov_yaml_need(node, "unit", "degrees or radians"), units, 2);
    heading->radians = radians;
    if (pov_yaml_length(pov_yaml_need(node, "order", "of its angles: [yaw, pitch, roll], say")) !=
        POV_EULER_COUNT)
        pov_yaml_complain(order, "expected three angles: yaw, pitch, roll");
    for (int i = 0; i < POV_EULER_COUNT && !pov_yaml_failed(node.file); i++) {
        int angle = POV_EULER_YAW;
        read_choice(&angle, pov_yaml_at(order, i), pov_euler_angle_name);
        heading->order[i] = angle;
    }
}

static void read_heading(pov_heading_contract *heading, pov_yaml_node node)
{
    static const char *const turns[] = {"counterclockwise", "clockwise"}, *const against[] = {"ray", "axis"};
    int kind = POV_HEADING_BINS, offset = POV_BIN_OFFSET_NONE, clockwise = false, axis = false;
    *heading =
        (pov_heading_contract){.kind = POV_HEADING_NONE, .front_axis = {1, 0, 0}, .std_rad = 15 * POV_DEG};
    if (!pov_yaml_exists(node))
        return;
    read_choice(&kind, pov_yaml_need(node, "kind", "bins, sine_cosine, rotation_6d, rotation_9d or euler"),
                pov_heading_kind_name);
    read_choice(&offset, pov_yaml_get(node, "offset"), pov_bin_offset_name);
    pov_yaml_integer(&heading->bins,
                     kind == POV_HEADING_BINS ? pov_yaml_need(node, "bins", "how many")
                                              : pov_yaml_get(node, "bins"),
                     2, POV_MODEL_BIN_MAX);
    pov_yaml_choice(&axis, pov_yaml_need(node, "against", "what the angles are against: ray or axis"),
                    against, 2);
    pov_yaml_choice(&clockwise, pov_yaml_get(node, "turns"), turns, 2);
    pov_yaml_bool(&heading->probabilities, pov_yaml_get(node, "probabilities"));
    pov_yaml_bool(&heading->sigmoid, pov_yaml_get(node, "sigmoid"));
    pov_yaml_integer(&heading->columns, pov_yaml_get(node, "columns"), 1, 1 << 16);
    pov_yaml_integer(&heading->confidence_column, pov_yaml_get(node, "confidence_column"), 1, 1 << 16);
    pov_yaml_integer(&heading->first_column, pov_yaml_get(node, "first_column"), 0, 1 << 16);
    if (heading->first_column > 0 && heading->columns == 0)
        pov_yaml_complain(pov_yaml_get(node, "first_column"), "needs columns: how many a row has in all");
    read_euler(heading, node, kind);
    read_angle(&heading->step_rad, pov_yaml_get(node, "step_deg"));
    if (heading->step_rad < 0)
        pov_yaml_complain(pov_yaml_get(node, "step_deg"),
                          "a step is above 0; turns: clockwise turns the angles");
    pov_yaml_bool(&heading->norm_is_kappa, pov_yaml_get(node, "norm_is_kappa"));
    read_angle(&heading->first_rad, pov_yaml_get(node, "first_deg"));
    read_angle(&heading->away_rad, pov_yaml_get(node, "away_deg"));
    read_angle(&heading->std_rad, pov_yaml_get(node, "std_deg"));
    pov_yaml_vec3(&heading->front_axis, pov_yaml_get(node, "front_axis"), -1, 1);
    read_symmetry(heading, pov_yaml_get(node, "symmetry"));
    if (heading->std_rad < 0)
        pov_yaml_complain(pov_yaml_get(node, "std_deg"), "a deviation cannot be below 0");
    if (!(pov_vec3_norm(heading->front_axis) > 0))
        pov_yaml_complain(pov_yaml_get(node, "front_axis"), "needs a length above 0");
    heading->kind = kind;
    heading->offset = offset;
    heading->clockwise = clockwise;
    heading->against = axis ? POV_HEADING_OF_AXIS : POV_HEADING_OF_RAY;
}

/* ---- golden numbers ---- */

static void read_golden_value(pov_golden_value *value, pov_yaml_node node)
{
    int role = POV_OUTPUT_ROWS;
    read_choice(&role, pov_yaml_need(node, "output", "rows, boxes, ... as above"), pov_output_role_name);
    value->role = role;
    pov_yaml_integer(&value->index, pov_yaml_need(node, "index", "which of the output's numbers"), 0,
                     1 << 30);
    pov_yaml_number(&value->value, pov_yaml_need(node, "value", "the number"), -1e30, 1e30);
    pov_yaml_number(&value->tolerance, pov_yaml_need(node, "tolerance", "how far off it may be"), 0, 1e30);
}

static void read_golden(pov_golden *golden, pov_yaml_node node)
{
    if (!pov_yaml_exists(node))
        return;
    pov_yaml_node values = pov_yaml_need(node, "values", "pov model seal writes them");
    pov_yaml_integer(&golden->seed, pov_yaml_need(node, "seed", "of the golden image"), 0, 1 << 30);
    golden->len = pov_yaml_length(values);
    if (golden->len < 1 || golden->len > POV_GOLDEN_MAX)
        pov_yaml_complain(values, "expected 1 to %d numbers", POV_GOLDEN_MAX);
    for (int i = 0; i < golden->len && !pov_yaml_failed(node.file); i++)
        read_golden_value(&golden->values[i], pov_yaml_at(values, i));
}

/* ---- the file ---- */

static void read_file_part(pov_model_file *file, pov_yaml_node root)
{
    pov_yaml_node model = pov_yaml_need(root, "model", "the ONNX file, beside this one");
    pov_yaml_node sha256 = pov_yaml_need(root, "sha256", "that file's SHA-256, as pov model check prints it");
    pov_yaml_relative_path(file->onnx_path, sizeof file->onnx_path, model);
    pov_yaml_copy_string(file->sha256, sizeof file->sha256, sha256);
    const bool whole = strspn(file->sha256, "0123456789abcdef") == POV_DIGEST_CAPACITY - 1;
    if (!whole)
        pov_yaml_complain(sha256, "expected 64 digits of 0-9, a-f");
    pov_yaml_integer(&file->opset, pov_yaml_need(root, "opset", "the model's, as pov model check prints it"),
                     POV_ONNX_OPSET_MIN, POV_ONNX_OPSET_MAX);
}

/* Nothing in a map of depth says which end is near. */
static void read_near(pov_model_contract *contract, pov_yaml_node root)
{
    static const char *const sizes[] = {"large", "small"};
    int near = 0;
    if (contract->layout == POV_LAYOUT_DEPTH)
        pov_yaml_choice(
            &near, pov_yaml_need(root, "near", "large (inverse depth, as DPT gives) or small (distances)"),
            sizes, 2);
    contract->near_is_small = near;
}

void pov_model_read_engine(pov_engine *engine, pov_yaml_node node)
{
    int backend = POV_BACKEND_DEFAULT, provider = POV_PROVIDER_DEFAULT;
    read_choice(&backend, pov_yaml_get(node, "backend"), pov_backend_name);
    read_choice(&provider, pov_yaml_get(node, "provider"), pov_provider_name);
    *engine = (pov_engine){backend, provider};
}

static void read_contract(pov_model_contract *contract, pov_yaml_node root)
{
    int layout = POV_LAYOUT_YOLOX, nothing = POV_NOTHING_NOWHERE;
    pov_model_read_engine(&contract->engine, root);
    read_choice(&layout, pov_yaml_need(root, "layout", "of its outputs: yolox, yolov8, ..."),
                pov_model_layout_name);
    contract->layout = layout;
    read_input(&contract->input, pov_yaml_need(root, "input", "name, shape, color, fit and scale"));
    read_outputs(contract, pov_yaml_need(root, "outputs", "rows: {name, shape}, say"));
    read_strides(contract, pov_yaml_get(root, "strides"));
    read_boxes(contract, root);
    read_columns_behind(contract, root);
    contract->cell_centre = 0;
    pov_yaml_number(&contract->cell_centre, pov_yaml_get(root, "cell_center"), 0, 1);
    pov_yaml_integer(&contract->distance_bins, pov_yaml_get(root, "distance_bins"), 2, 64);
    read_choice(&nothing, pov_yaml_get(root, "nothing"), pov_nothing_slot_name);
    contract->nothing = nothing;
    read_classes(contract, root);
    contract->score_min = 0.5;
    contract->overlap_max = pov_model_usual_overlap(layout);
    pov_yaml_number(&contract->score_min, pov_yaml_get(root, "score_min"), 0, 1);
    pov_yaml_number(&contract->overlap_max, pov_yaml_get(root, "overlap_max"), 0, 1);
    pov_yaml_bool(&contract->across_classes, pov_yaml_get(root, "across_classes"));
    read_near(contract, root);
    contract->crop_margin = 0.1;
    pov_yaml_number(&contract->crop_margin, pov_yaml_get(root, "crop_margin"), 0, 4);
    read_heading(&contract->heading, pov_yaml_get(root, "heading"));
    read_golden(&contract->golden, pov_yaml_get(root, "golden"));
}

/* A complaint "key.key: ..." of the check, at the line of the key. */
static void complain_at(pov_yaml_node root, const char *message)
{
    const char *colon = strchr(message, ':'), *at = message;
    pov_yaml_node node = root;
    while (colon && at < colon) {
        char key[40] = "";
        const size_t length = strcspn(at, ".:");
        snprintf(key, sizeof key, "%.*s", (int)length, at);
        const pov_yaml_node child = pov_yaml_get(node, key);
        if (!pov_yaml_exists(child))
            break;
        node = child;
        at += length + 1;
    }
    pov_yaml_complain(node, "%s", colon && at > colon ? at + 1 : message);
}

static pov_status read_all(pov_model_file *file, pov_yaml_file *yaml)
{
    pov_yaml_node root = pov_yaml_root(yaml);
    const char *about = NULL;
    pov_yaml_string(&about, pov_yaml_get(root, "about")); /* for people */
    read_file_part(file, root);
    read_contract(&file->contract, root);
    if (!pov_yaml_failed(yaml)) {
        const pov_status status = pov_model_contract_check(&file->contract);
        if (status.code != POV_OK)
            complain_at(root, status.message);
    }
    return pov_yaml_finish(yaml);
}

pov_status pov_model_file_parse(pov_model_file *file, const char *name, const char *text, size_t length)
{
    pov_yaml_file *yaml;
    memset(file, 0, sizeof *file);
    POV_TRY(pov_yaml_parse(&yaml, name, text, length));
    const pov_status status = read_all(file, yaml);
    pov_yaml_close(&yaml);
    return status;
}

pov_status pov_model_file_read(pov_model_file *file, const char *path)
{
    return pov_model_file_parse(file, path, NULL, 0);
}

/* ---- the ONNX model ---- */

static const char onnx_kind[] = "an ONNX model";

/* A model's first field is one of the first few, which are small, or the graph; never what zeros, pictures or archives
 * begin with. */
static pov_status check_start(const char *path)
{
    unsigned char start[2];
    size_t length = sizeof start;
    POV_TRY(pov_read_file_start(start, &length, path, POV_ONNX_BYTES_MAX, onnx_kind));
    const int number = start[0] >> 3, type = start[0] & 7;
    if (length == sizeof start && number >= 1 && number <= 14 && (type == 0 || type == 2))
        return pov_ok();
    return pov_error("%s: does not begin as %s does; is it the right file, and whole?", path, onnx_kind);
}

pov_status pov_onnx_file_read(pov_bytes *bytes, pov_onnx_summary *summary, const char *path)
{
    *bytes = (pov_bytes){0};
    POV_TRY(check_start(path));
    POV_TRY(pov_read_file(bytes, path, POV_ONNX_BYTES_MAX, onnx_kind));
    const pov_status status = pov_onnx_summary_read(summary, bytes->data, bytes->length);
    if (status.code == POV_OK)
        return status;
    pov_bytes_free(bytes);
    return pov_error("%s: %s", path, status.message);
}

/* ---- a contract and its model ---- */

static pov_status check_onnx(const pov_model_file *file, const pov_bytes *onnx,
                             const pov_onnx_summary *summary)
{
    char digest[POV_DIGEST_CAPACITY];
    pov_digest(digest, onnx->data, onnx->length);
    if (strcmp(digest, file->sha256) != 0)
        return pov_error("sha256: %s has %s; it is not the model this contract was written for",
                         file->onnx_path, digest);
    if (summary->opset != file->opset)
        return pov_error("opset: the contract says %d, the model has %d", file->opset, summary->opset);
    return pov_ok();
}

pov_status pov_model_open_unproven(pov_detector **detector, const char *contract_path, pov_engine engine)
{
    pov_model_file file;
    pov_bytes onnx;
    pov_onnx_summary summary;
    *detector = NULL;
    POV_TRY(pov_model_file_read(&file, contract_path));
    file.contract.engine = pov_engine_merge(file.contract.engine, engine);
    POV_TRY(pov_onnx_file_read(&onnx, &summary, file.onnx_path));
    pov_status status = check_onnx(&file, &onnx, &summary);
    POV_THEN(status, pov_detector_new(detector, &file.contract, onnx.data, onnx.length));
    pov_bytes_free(&onnx);
    return status.code == POV_OK ? status : pov_error("%s: %s", contract_path, status.message);
}

static pov_status prove_detector(pov_detector *detector)
{
    const pov_golden *golden = &pov_detector_contract(detector)->golden;
    if (golden->len == 0)
        return pov_error(
            "golden: missing; look at what it finds with pov model run, then seal it: pov model seal");
    return pov_detector_check_golden(detector, golden);
}

pov_status pov_model_open(pov_detector **detector, const char *contract_path, pov_engine engine)
{
    POV_TRY(pov_model_open_unproven(detector, contract_path, engine));
    const pov_status status = prove_detector(*detector);
    if (status.code == POV_OK)
        return status;
    pov_detector_destroy(detector);
    return pov_error("%s: %s", contract_path, status.message);
}
