#include "firmware/cli.h"
#include "firmware/commands.h"

#include <stdio.h>
#include <string.h>

static const char help[] =
    "Usage: pov model check FILE.onnx|CONTRACT.yaml   is it usable? writes a contract for an ONNX model\n"
    "       pov model run CONTRACT.yaml IMAGE...      what it finds in images\n"
    "       pov model seal CONTRACT.yaml              remember what it gives, to notice when that changes\n"
    "Detectors and heading networks in ONNX files, run by OpenCV. Each needs a contract: a YAML file that "
    "says\n"
    "what goes in and what the numbers that come out mean. docs/MODELS.md explains it.\n"
    "\n"
    "'pov model check --help', 'pov model run --help' and 'pov model seal --help' tell more.\n"
    "Exit codes: 0 done, 1 a file is not as it should be, 2 wrong usage.\n";

int pov_command_model(int argc, char **argv)
{
    static const pov_command commands[] = {{"check", "", pov_command_model_check},
                                           {"run", "", pov_command_model_run},
                                           {"seal", "", pov_command_model_seal}};
    if (argc < 2)
        return pov_cli_usage("model", "say what to do: check, run or seal");
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        fputs(help, stdout);
        return POV_EXIT_OK;
    }
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        if (strcmp(argv[1], commands[i].name) == 0)
            return commands[i].run(argc - 1, argv + 1);
    return pov_cli_usage("model", "'%s' is none of check, run and seal", argv[1]);
}
