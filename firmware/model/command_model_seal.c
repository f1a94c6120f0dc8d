#include "calib/model_file.h"
#include "firmware/cli.h"
#include "firmware/commands.h"

#include <stdio.h>
#include <string.h>

static const char help[] =
    "Usage: pov model seal CONTRACT.yaml\n"
    "Runs the model on a picture that is made from a seed, and writes some of the numbers that it gives into "
    "the\n"
    "contract: its golden numbers. Wherever the contract is used from then on, they must come out again, or "
    "it\n"
    "is refused: another file, another order of colours, another machine that computes otherwise.\n"
    "Seal it once it finds what it should (pov model run); best are numbers from the framework that it was\n"
    "trained in, see docs/MODELS.md.\n"
    "\n"
    "Example:\n"
    "  pov model seal yolox_tiny.yaml\n"
    "\n"
    "Exit codes: 0 sealed, 1 contract or model are not as they should be, 2 wrong usage.\n";

int pov_command_model_seal(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "--help") == 0) {
        fputs(help, stdout);
        return POV_EXIT_OK;
    }
    if (argc != 2 || argv[1][0] == '-')
        return pov_cli_usage("model seal", "name one contract");
    pov_golden golden;
    const pov_status status = pov_model_seal(&golden, argv[1]);
    if (status.code != POV_OK)
        return pov_cli_fail(status);
    printf("%s: sealed with %d numbers\n", argv[1], golden.len);
    return POV_EXIT_OK;
}
