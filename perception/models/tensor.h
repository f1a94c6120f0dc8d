/** Numbers in an array of several dimensions, the last fastest. Borrowed plain data. */
#pragma once

enum { POV_TENSOR_DIMS_MAX = 6, POV_TENSOR_NAME_CAPACITY = 64 };

typedef struct {
    int dims, size[POV_TENSOR_DIMS_MAX];
    const float *values;
} pov_tensor;

/** A tensor's name and size; dims 0: there is none. In a file, a size of 0 is one that the model leaves open. */
typedef struct {
    char name[POV_TENSOR_NAME_CAPACITY];
    int dims, size[POV_TENSOR_DIMS_MAX];
} pov_tensor_shape;
