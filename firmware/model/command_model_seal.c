#include "config/models/model_file.h"
#include "firmware/commands.h"

#include <stdio.h>

static int run(int argc, char **argv);

const pov_command pov_command_model_seal = {
    .name = "model seal",
    .summary = "remember what a model gives, to notice when that changes",
    .run = run,
    .usage = "CONTRACT.yaml",
    .about = "Runs the model on a picture that is made from a seed, and writes some of the numbers that it "
             "gives into the contract: its golden numbers. Wherever the contract is used from then on, they "
             "must come out again, or it is refused: another file, another order of colours, another machine "
             "that computes otherwise.\n"
             "Seal it once it finds what it should (pov model run); best are numbers from the framework that "
             "it was trained in, see docs/MODELS.md.",
    .words = {.min = 1, .max = 1, .wanted = "name one contract"},
    .examples = "pov model seal yolox_tiny.yaml",
    .exits = "0 sealed; 1 contract or model are not as they should be",
};

static int run(int argc, char **argv)
{
    pov_words words;
    const int code = pov_command_read(NULL, &words, &pov_command_model_seal, argc, argv);
    if (code != POV_GO_ON)
        return code;
    pov_golden golden;
    const pov_status status = pov_model_seal(&golden, words.word[0]);
    if (status.code != POV_OK)
        return pov_cli_fail(status);
    printf("%s: sealed with %d numbers\n", words.word[0], golden.len);
    return POV_EXIT_OK;
}
