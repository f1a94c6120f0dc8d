/** The files of share/demo/, which travel within the program: the demo's balls, their camera and their station. */
#pragma once

#include "config/files/embedded.h"

/** "world.yaml" (without images and motion), "camera.yaml", "station.yaml". */
extern const pov_embedded_file POV_DEMO_FILES[];
