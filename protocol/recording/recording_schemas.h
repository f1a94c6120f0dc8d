/** The schemas that recordings carry: sets of descriptors, made by protoc when pov is built. */
#pragma once

#include "config/files/embedded.h"

/** "pov.fds", "foxglove.fds". */
extern const pov_embedded_file POV_RECORDING_DESCRIPTORS[];
