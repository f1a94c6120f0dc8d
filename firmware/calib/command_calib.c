#include "firmware/commands.h"

static const pov_command *const parts[] = {&pov_command_calib_camera, &pov_command_calib_tags,
                                           &pov_command_calib_turntable, NULL};

const pov_command pov_command_calib = {
    .name = "calib",
    .summary = "measure a camera, from images of a printed board",
    .usage = "PART [OPTIONS]",
    .about = "Measures what judgments rest on. docs/CALIBRATION.md tells how.",
    .parts = parts,
    .examples = "pov calib camera --images photos/ --board charuco:8x8:25.4mm:19.05mm:4X4_1000",
    .exits = "0 done; 1 no calibration (the message says why)",
};
