/** The schemas that recordings carry: sets of descriptors, made by protoc when pov is built. */
#ifndef POV_PROTOCOL_RECORDING_RECORDING_SCHEMAS_H
#define POV_PROTOCOL_RECORDING_RECORDING_SCHEMAS_H

#include "config/files/embedded.h"

/** "pov.fds", "foxglove.fds". */
extern const pov_embedded_file POV_RECORDING_DESCRIPTORS[];

#endif
