/* ONNX Runtime's C API behind perception/models/network.h. https://onnxruntime.ai/docs/api/c */
#include "perception/models/cerr_shim.h"
#include "perception/models/network_backend.h"

#include <onnxruntime_c_api.h>

#include <dlfcn.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    char name[POV_TENSOR_NAME_CAPACITY];
    ONNXTensorElementDataType type;
    int dims, size[POV_TENSOR_DIMS_MAX];
    void *numbers;   /* of that type and size */
    OrtValue *value; /* borrows `numbers` */
} runtime_input;

typedef struct {
    OrtValue *value;
    float *converted; /* of an output that is not of floats */
    size_t capacity;
} runtime_output;

typedef struct {
    const OrtApi *api;
    OrtEnv *env;
    OrtSession *session;
    OrtMemoryInfo *memory; /* describes our own arrays */
    int input_len;
    runtime_input inputs[POV_ONNX_INPUT_MAX];
    runtime_output outputs[POV_NETWORK_OUTPUT_MAX];
} runtime;

/* ---- the library, loaded where it is ---- */

/* A program linked with it would not start without it. By the name of the library that pov was built with, which has its version on
 * Debian, then by the name of Microsoft's; in the run path, LD_LIBRARY_PATH, and the system's folders. */
static const OrtApiBase *load_library(void)
{
    static const char *const names[] = {POV_ONNXRUNTIME_SONAME, "libonnxruntime.so.1"};
    void *library = NULL;
    for (size_t i = 0; !library && i < sizeof names / sizeof *names; i++)
        library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    const OrtApiBase *(*get_base)(void) = NULL;
    void *symbol = library ? dlsym(library, "OrtGetApiBase") : NULL;
    memcpy(&get_base, &symbol,
           sizeof get_base); /* ISO C has no cast from an object's address to a function's */
    return get_base ? get_base() : NULL;
}

static pov_status find_runtime(void)
{
    const OrtApiBase *base = load_library();
    if (!base) {
        const char *problem = dlerror();
        return pov_error(
            "backend: ONNX Runtime cannot be loaded: %.200s; put libonnxruntime.so.1 into a folder "
            "of the system's libraries, or name its folder in LD_LIBRARY_PATH (docs/MODELS.md)",
            problem ? problem : "no OrtGetApiBase in it");
    }
    if (!base->GetApi(ORT_API_VERSION))
        return pov_error("backend: libonnxruntime is version %s; pov was built for 1.%d or newer",
                         base->GetVersionString(), ORT_API_VERSION);
    return pov_ok();
}

static pov_status to_status(const OrtApi *api, OrtStatus *problem)
{
    if (!problem)
        return pov_ok();
    pov_status status = pov_error("ONNX Runtime: %s", api->GetErrorMessage(problem));
    for (char *c = status.message; *c; c++)
        if (*c == '\n')
            *c = ' ';
    api->ReleaseStatus(problem);
    return status;
}

#define TRY_RUNTIME(API, CALL) POV_TRY(to_status(API, (API)->CALL))

/* ---- types of elements ---- */

static size_t element_size(ONNXTensorElementDataType type)
{
    switch (type) {
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT:
        return sizeof(float);
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64:
        return sizeof(int64_t);
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_INT32:
        return sizeof(int32_t);
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT8:
        return sizeof(uint8_t);
    default:
        return 0;
    }
}

static pov_status complain_of_type(const char *name)
{
    return pov_error("'%s' has numbers of a type that is not taken (of 16 bits, say): its inputs and outputs "
                     "may be float32, int64, int32 or uint8; export the model so (keep_io_types=True)",
                     name);
}

/* Whole numbers beyond the type's range become its ends. */
static void convert_from_float(void *to, ONNXTensorElementDataType type, const float *from, size_t count)
{
    const double low = type == ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT8 ? 0 : INT32_MIN;
    const double high = type == ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT8 ? UINT8_MAX : INT32_MAX;
    if (type == ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT) {
        memcpy(to, from, count * sizeof *from);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        const double v = fmin(fmax((double)from[i], low), high);
        if (type == ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64)
            ((int64_t *)to)[i] = (int64_t)v;
        else if (type == ONNX_TENSOR_ELEMENT_DATA_TYPE_INT32)
            ((int32_t *)to)[i] = (int32_t)v;
        else
            ((uint8_t *)to)[i] = (uint8_t)v;
    }
}

static void convert_to_float(float *to, const void *from, ONNXTensorElementDataType type, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (type == ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64)
            to[i] = (float)((const int64_t *)from)[i];
        else if (type == ONNX_TENSOR_ELEMENT_DATA_TYPE_INT32)
            to[i] = (float)((const int32_t *)from)[i];
        else
            to[i] = (float)((const uint8_t *)from)[i];
    }
}

/* ---- execution providers ---- */

static OrtStatus *append_cuda(const OrtApi *api, OrtSessionOptions *options)
{
    /* TF32 rounds to 10 bits: golden numbers would not come out again. */
    static const char *const keys[] = {"use_tf32"}, *const values[] = {"0"};
    OrtCUDAProviderOptionsV2 *cuda = NULL;
    OrtStatus *problem = api->CreateCUDAProviderOptions(&cuda);
    if (!problem)
        problem = api->UpdateCUDAProviderOptions(cuda, keys, values, 1);
    if (!problem)
        problem = api->SessionOptionsAppendExecutionProvider_CUDA_V2(options, cuda);
    if (cuda)
        api->ReleaseCUDAProviderOptions(cuda);
    return problem;
}

static OrtStatus *append_tensorrt(const OrtApi *api, OrtSessionOptions *options)
{
    OrtTensorRTProviderOptionsV2 *tensorrt = NULL;
    OrtStatus *problem = api->CreateTensorRTProviderOptions(&tensorrt);
    if (!problem)
        problem = api->SessionOptionsAppendExecutionProvider_TensorRT_V2(options, tensorrt);
    if (tensorrt)
        api->ReleaseTensorRTProviderOptions(tensorrt);
    return problem ? problem : append_cuda(api, options);
}

typedef struct {
    const char *name; /* ONNX Runtime's */
    OrtStatus *(*append)(const OrtApi *api, OrtSessionOptions *options);
} runtime_provider;

static const runtime_provider providers[] = {
    [POV_PROVIDER_CPU] = {"CPUExecutionProvider", NULL},
    [POV_PROVIDER_CUDA] = {"CUDAExecutionProvider", append_cuda},
    [POV_PROVIDER_TENSORRT] = {"TensorrtExecutionProvider", append_tensorrt},
};
_Static_assert(sizeof providers / sizeof *providers == POV_PROVIDER_COUNT, "an entry for each provider");

/* POV_ERROR names those that this libonnxruntime was built with. */
static pov_status check_provider(const OrtApi *api, const char *name)
{
    char **list = NULL, names[120] = "";
    int len = 0;
    bool found = false;
    TRY_RUNTIME(api, GetAvailableProviders(&list, &len));
    for (int i = 0; i < len; i++) {
        const size_t length = strlen(names);
        found = found || strcmp(list[i], name) == 0;
        snprintf(names + length, sizeof names - length, "%s%s", i ? ", " : "", list[i]);
    }
    TRY_RUNTIME(api, ReleaseAvailableProviders(list, len));
    return found ? pov_ok() : pov_error("this libonnxruntime has no %s, only %s", name, names);
}

/* ---- a session ---- */

static pov_status fill_options(const OrtApi *api, OrtSessionOptions *options, pov_provider provider)
{
    /* Threads that wait by spinning would take the cores from the station's other stages. */
    TRY_RUNTIME(api, AddSessionConfigEntry(options, "session.intra_op.allow_spinning", "0"));
    /* Else sums of 8-bit products saturate on processors with AVX2 but without VNNI: golden numbers would depend on the machine. */
    TRY_RUNTIME(api, AddSessionConfigEntry(options, "session.x64quantprecision", "1"));
    return providers[provider].append ? to_status(api, providers[provider].append(api, options)) : pov_ok();
}

static pov_status open_session(runtime *r, const pov_onnx_model *model, pov_provider provider)
{
    OrtSessionOptions *options;
    if (provider != POV_PROVIDER_CPU)
        POV_TRY(check_provider(r->api, providers[provider].name));
    TRY_RUNTIME(r->api, CreateSessionOptions(&options));
    pov_status status = fill_options(r->api, options, provider);
    POV_THEN(status, to_status(r->api, r->api->CreateSessionFromArray(r->env, model->bytes, model->length,
                                                                      options, &r->session)));
    r->api->ReleaseSessionOptions(options);
    return status;
}

/* On the provider that is wished for, else on the CPU. */
static pov_status open_session_anyhow(runtime *r, pov_engine_report *report, const pov_onnx_model *model,
                                      pov_provider provider)
{
    pov_status status = open_session(r, model, provider);
    if (status.code != POV_OK && provider != POV_PROVIDER_CPU) {
        snprintf(report->instead_of, sizeof report->instead_of, "not on %s: %.170s",
                 pov_provider_name(provider), status.message);
        provider = POV_PROVIDER_CPU;
        status = open_session(r, model, provider);
    }
    report->engine.provider = provider;
    snprintf(report->on, sizeof report->on, "ONNX Runtime %.20s, %s", load_library()->GetVersionString(),
             pov_provider_name(provider));
    return status;
}

static pov_status describe_input(runtime *r, OrtAllocator *allocator, size_t i)
{
    runtime_input *input = &r->inputs[i];
    OrtTypeInfo *type;
    const OrtTensorTypeAndShapeInfo *tensor = NULL;
    char *name;
    TRY_RUNTIME(r->api, SessionGetInputName(r->session, i, allocator, &name));
    snprintf(input->name, sizeof input->name, "%s", name);
    TRY_RUNTIME(r->api, AllocatorFree(allocator, name));
    TRY_RUNTIME(r->api, SessionGetInputTypeInfo(r->session, i, &type));
    pov_status status = to_status(r->api, r->api->CastTypeInfoToTensorInfo(type, &tensor));
    if (status.code == POV_OK && tensor)
        status = to_status(r->api, r->api->GetTensorElementType(tensor, &input->type));
    r->api->ReleaseTypeInfo(type);
    if (status.code == POV_OK && element_size(input->type) == 0)
        status = complain_of_type(input->name);
    return status;
}

static pov_status describe_inputs(runtime *r)
{
    OrtAllocator *allocator;
    size_t len;
    TRY_RUNTIME(r->api, GetAllocatorWithDefaultOptions(&allocator));
    TRY_RUNTIME(r->api, SessionGetInputCount(r->session, &len));
    if (len > POV_ONNX_INPUT_MAX)
        return pov_error("the model has %zu inputs; up to %d are taken", len, POV_ONNX_INPUT_MAX);
    for (size_t i = 0; i < len; i++)
        POV_TRY(describe_input(r, allocator, i));
    r->input_len = (int)len;
    return pov_ok();
}

static pov_status open_runtime(runtime *r, pov_engine_report *report, const pov_onnx_model *model,
                               pov_provider provider)
{
    r->api = load_library()->GetApi(ORT_API_VERSION);
    /* One environment a process, counted by ONNX Runtime itself. Errors come as statuses: nothing is logged. */
    TRY_RUNTIME(r->api, CreateEnv(ORT_LOGGING_LEVEL_FATAL, "pov", &r->env));
    TRY_RUNTIME(r->api, CreateCpuMemoryInfo(OrtArenaAllocator, OrtMemTypeDefault, &r->memory));
    POV_TRY(open_session_anyhow(r, report, model, provider));
    return describe_inputs(r);
}

static void destroy_runtime(void *impl)
{
    runtime *r = impl;
    for (int i = 0; i < POV_ONNX_INPUT_MAX; i++) {
        if (r->inputs[i].value)
            r->api->ReleaseValue(r->inputs[i].value);
        free(r->inputs[i].numbers);
    }
    for (int i = 0; i < POV_NETWORK_OUTPUT_MAX; i++) {
        if (r->outputs[i].value)
            r->api->ReleaseValue(r->outputs[i].value);
        free(r->outputs[i].converted);
    }
    if (r->memory)
        r->api->ReleaseMemoryInfo(r->memory);
    if (r->session)
        r->api->ReleaseSession(r->session);
    if (r->env)
        r->api->ReleaseEnv(r->env);
    free(r);
}

static pov_status load_network(void **impl, pov_engine_report *report, const pov_onnx_model *model,
                               pov_provider provider)
{
    runtime *r = pov_allocate(1, sizeof *r);
    /* Debian 13's libonnx and libonnxruntime both register ONNX's operators. The second prints 1000 lines about that when the first
     * network is opened, all harmless, and past its own log. */
    pov_cerr_silence();
    const pov_status status = open_runtime(r, report, model, provider);
    pov_cerr_resume();
    if (status.code == POV_OK)
        *impl = r;
    else
        destroy_runtime(r);
    return status;
}

/* ---- running ---- */

/* Room for the input's numbers, as a tensor of ONNX Runtime's; made when its size is first known. */
static pov_status shape_input(runtime *r, runtime_input *input, const pov_tensor *tensor, size_t count)
{
    int64_t size[POV_TENSOR_DIMS_MAX];
    if (input->value)
        r->api->ReleaseValue(input->value);
    input->value = NULL;
    free(input->numbers);
    input->numbers = calloc(count + 1, element_size(input->type));
    if (!input->numbers)
        return pov_error("'%s': out of memory", input->name);
    input->dims = tensor->dims;
    memcpy(input->size, tensor->size, sizeof input->size);
    for (int i = 0; i < tensor->dims; i++)
        size[i] = tensor->size[i];
    return to_status(r->api, r->api->CreateTensorWithDataAsOrtValue(
                                 r->memory, input->numbers, count * element_size(input->type), size,
                                 (size_t)tensor->dims, input->type, &input->value));
}

static size_t count_numbers(const pov_tensor *tensor)
{
    size_t count = 1;
    for (int i = 0; i < tensor->dims; i++)
        count *= (size_t)tensor->size[i];
    return count;
}

static bool is_shaped(const runtime_input *input, const pov_tensor *tensor)
{
    return input->value && input->dims == tensor->dims &&
           memcmp(input->size, tensor->size, (size_t)tensor->dims * sizeof *tensor->size) == 0;
}

static pov_status set_network_input(void *impl, const char *name, const pov_tensor *tensor)
{
    runtime *r = impl;
    runtime_input *input = NULL;
    for (int i = 0; i < r->input_len && !input; i++)
        if (strcmp(r->inputs[i].name, name) == 0)
            input = &r->inputs[i];
    if (!input)
        return pov_error("the network has no input '%s'", name);
    if (!is_shaped(input, tensor))
        POV_TRY(shape_input(r, input, tensor, count_numbers(tensor)));
    convert_from_float(input->numbers, input->type, tensor->values, count_numbers(tensor));
    return pov_ok();
}

static pov_status convert_output(runtime_output *output, pov_tensor *tensor, const void *numbers,
                                 ONNXTensorElementDataType type)
{
    const size_t count = count_numbers(tensor);
    if (count > output->capacity || !output->converted) {
        free(output->converted);
        output->capacity = 0;
        output->converted = malloc((count + 1) * sizeof *output->converted);
        if (!output->converted)
            return pov_error("an output's %zu numbers: out of memory", count);
        output->capacity = count;
    }
    convert_to_float(output->converted, numbers, type, count);
    tensor->values = output->converted;
    return pov_ok();
}

static pov_status read_shape(const OrtApi *api, pov_tensor *tensor, ONNXTensorElementDataType *type,
                             const OrtTensorTypeAndShapeInfo *info)
{
    int64_t size[POV_TENSOR_DIMS_MAX];
    size_t dims;
    TRY_RUNTIME(api, GetTensorElementType(info, type));
    TRY_RUNTIME(api, GetDimensionsCount(info, &dims));
    if (dims > POV_TENSOR_DIMS_MAX)
        return pov_error("an output has %zu dimensions; up to %d are taken", dims, POV_TENSOR_DIMS_MAX);
    TRY_RUNTIME(api, GetDimensions(info, size, dims));
    tensor->dims = (int)dims;
    for (size_t i = 0; i < dims; i++)
        tensor->size[i] = (int)size[i];
    return pov_ok();
}

static pov_status borrow_output(runtime *r, runtime_output *output, pov_tensor *tensor, const char *name)
{
    OrtTensorTypeAndShapeInfo *info;
    ONNXTensorElementDataType type = ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
    void *numbers;
    TRY_RUNTIME(r->api, GetTensorTypeAndShape(output->value, &info));
    const pov_status status = read_shape(r->api, tensor, &type, info);
    r->api->ReleaseTensorTypeAndShapeInfo(info);
    POV_TRY(status);
    if (element_size(type) == 0)
        return complain_of_type(name);
    TRY_RUNTIME(r->api, GetTensorMutableData(output->value, &numbers));
    tensor->values = numbers;
    return type == ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT ? pov_ok()
                                                       : convert_output(output, tensor, numbers, type);
}

static pov_status run_network(void *impl, pov_tensor *outputs, const char *const names[], int len)
{
    runtime *r = impl;
    const char *input_names[POV_ONNX_INPUT_MAX];
    const OrtValue *input_values[POV_ONNX_INPUT_MAX];
    OrtValue *values[POV_NETWORK_OUTPUT_MAX] = {NULL};
    for (int i = 0; i < r->input_len; i++) {
        input_names[i] = r->inputs[i].name;
        input_values[i] = r->inputs[i].value;
        if (!input_values[i])
            return pov_error("the network's input '%s' was given nothing", input_names[i]);
    }
    TRY_RUNTIME(r->api, Run(r->session, NULL, input_names, input_values, (size_t)r->input_len, names,
                            (size_t)len, values));
    for (int i = 0; i < len; i++) {
        if (r->outputs[i].value)
            r->api->ReleaseValue(r->outputs[i].value);
        r->outputs[i].value = values[i];
    }
    for (int i = 0; i < len; i++)
        POV_TRY(borrow_output(r, &r->outputs[i], &outputs[i], names[i]));
    return pov_ok();
}

const pov_network_backend pov_onnxruntime_backend = {
    .name = "ONNX Runtime",
    .find = find_runtime,
    .opset_max = POV_ONNX_OPSET_MAX, /* it says itself which it knows */
    .load = load_network,
    .set_input = set_network_input,
    .run = run_network,
    .destroy = destroy_runtime,
};
