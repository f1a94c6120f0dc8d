#include "firmware/commands.h"

static const pov_command *const parts[] = {&pov_command_model_check, &pov_command_model_run,
                                           &pov_command_model_seal, NULL};

const pov_command pov_command_model = {
    .name = "model",
    .summary = "ONNX detectors: check, try, and seal them",
    .usage = "PART [OPTIONS]",
    .about = "Detectors and heading networks in ONNX files, run by OpenCV. Each needs a contract: a YAML "
             "file that says what goes in and what the numbers that come out mean. docs/MODELS.md "
             "explains it.",
    .parts = parts,
    .examples = "pov model check yolox_tiny.onnx\n"
                "pov model run yolox_tiny.yaml table.jpg",
    .exits = "0 done; 1 a file is not as it should be",
};
