#include "firmware/cli.h"
#include "firmware/commands.h"

#include <stdio.h>
#include <string.h>

static const pov_command parts[] = {
    {"camera", "a camera's lens, from images of a printed board", pov_command_calib_camera},
    {"tags", "where tags are, from images in which they are seen together", pov_command_calib_tags},
    {"turntable", "a turntable's axis, zero, slip and play, from the tags on it",
     pov_command_calib_turntable},
};
enum { PARTS = sizeof parts / sizeof *parts };

static void print_help(FILE *stream)
{
    fputs("Usage: pov calib PART [OPTIONS]\nMeasures what judgments rest on. docs/CALIBRATION.md tells "
          "how.\n\nParts:\n",
          stream);
    for (int i = 0; i < PARTS; i++)
        fprintf(stream, "  %-9s %s\n", parts[i].name, parts[i].summary);
    fputs("\nExample: pov calib camera --images photos/ --board charuco:8x8:25.4mm:19.05mm:4X4_1000\n"
          "'pov calib PART --help' tells more. Exit codes: 0 done, 1 no calibration (the message says why), "
          "2 wrong "
          "usage.\n",
          stream);
}

int pov_command_calib(int argc, char **argv)
{
    if (argc < 2) {
        print_help(stderr);
        return POV_EXIT_USAGE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        print_help(stdout);
        return POV_EXIT_OK;
    }
    for (int i = 0; i < PARTS; i++)
        if (strcmp(argv[1], parts[i].name) == 0)
            return parts[i].run(argc - 1, argv + 1);
    return pov_cli_usage("calib", "unknown part '%s'", argv[1]);
}
