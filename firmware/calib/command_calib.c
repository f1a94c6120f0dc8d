#include "firmware/commands.h"

static const pov_command *const parts[] = {&pov_command_calib_camera, &pov_command_calib_tags,
                                           &pov_command_calib_turntable, &pov_command_calib_cameras, NULL};

const pov_command pov_command_calib = {
    .name = "calib",
    .summary = "measure a camera, from images of a printed board",
    .usage = "PART [OPTIONS]",
    .about = "Measures the lens, the poses of tags and of several cameras, and the turntable: "
             "docs/CALIBRATION.md.",
    .parts = parts,
    .examples = "pov calib camera --images photos/ --board charuco:8x8:25.4mm:19.05mm:4X4_1000",
    .exits = "0 done; 1 no calibration (the message says why)",
};
