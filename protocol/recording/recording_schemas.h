/** The schemas that recordings carry: sets of descriptors, made by protoc when pov is built. */
#ifndef POV_PROTOCOL_RECORDING_RECORDING_SCHEMAS_H
#define POV_PROTOCOL_RECORDING_RECORDING_SCHEMAS_H

#include <stddef.h>

typedef struct {
    const char *name; /* "pov.fds", "foxglove.fds" */
    const unsigned char *bytes;
    size_t len;
} pov_recording_descriptors;

/** Ends with one whose name is NULL. */
extern const pov_recording_descriptors POV_RECORDING_DESCRIPTORS[];

#endif
