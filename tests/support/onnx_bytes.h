/** ONNX models byte by byte, without ONNX's own library: protobuf messages (onnx.proto3) and one detector whose answers
 *  are known. Include after cmocka.h. */
#pragma once

#include <stdint.h>
#include <string.h>

enum { MESSAGE_MAX = 8192 };

typedef struct {
    size_t length;
    unsigned char bytes[MESSAGE_MAX];
} message;

static inline void put_varint(message *m, uint64_t value)
{
    for (; value >= 128; value >>= 7)
        m->bytes[m->length++] = (unsigned char)(value | 128);
    m->bytes[m->length++] = (unsigned char)value;
}

static inline void put_int(message *m, int number, uint64_t value)
{
    put_varint(m, (uint64_t)number << 3);
    put_varint(m, value);
}

static inline void put_bytes(message *m, int number, const void *bytes, size_t length)
{
    put_varint(m, (uint64_t)number << 3 | 2);
    put_varint(m, length);
    assert_true(m->length + length <= MESSAGE_MAX);
    memcpy(m->bytes + m->length, bytes, length);
    m->length += length;
}

static inline void put_text(message *m, int number, const char *text)
{
    put_bytes(m, number, text, strlen(text));
}

static inline void put_message(message *m, int number, const message *part)
{
    put_bytes(m, number, part->bytes, part->length);
}

/* A ValueInfoProto of floats. */
static inline void put_described(message *graph, int number, const char *name, const int *size, int dims)
{
    message shape = {0}, tensor = {0}, type = {0}, info = {0};
    for (int i = 0; i < dims; i++) {
        message dimension = {0};
        put_int(&dimension, 1, (uint64_t)size[i]);
        put_message(&shape, 1, &dimension);
    }
    put_int(&tensor, 1, 1);
    put_message(&tensor, 2, &shape);
    put_message(&type, 1, &tensor);
    put_text(&info, 1, name);
    put_message(&info, 2, &type);
    put_message(graph, number, &info);
}

/* An initializer: floats (type 1) or int64 (7). */
static inline void put_weights(message *graph, const char *name, int type, const int *size, int dims,
                               const void *values, size_t length)
{
    message tensor = {0};
    for (int i = 0; i < dims; i++)
        put_int(&tensor, 1, (uint64_t)size[i]);
    put_int(&tensor, 2, (uint64_t)type);
    put_text(&tensor, 8, name);
    put_bytes(&tensor, 9, values, length);
    put_message(graph, 5, &tensor);
}

static inline void put_integers(message *node, const char *name, const int *values, int len)
{
    message attribute = {0};
    put_text(&attribute, 1, name);
    for (int i = 0; i < len; i++)
        put_int(&attribute, 8, (uint64_t)values[i]);
    put_int(&attribute, 20, 7);
    put_message(node, 5, &attribute);
}

enum { BLOB_STRIDE = 8, BLOB_WIDTH = 96, BLOB_HEIGHT = 64, BLOB_ROWS = 96, BLOB_COLUMNS = 7 };

/** A YOLOX of one stride, 8, for images of 96 x 64 in [0, 1], RGB: a box of 8 x 8 in each cell, of class 0 by how red it is,
 *  of class 1 by how blue (value minus the mean of the others); objectness 1. */
static inline void put_blob_model(message *model, int opset)
{
    enum { CELL = BLOB_STRIDE * BLOB_STRIDE };
    static const int in[] = {1, 3, BLOB_HEIGHT, BLOB_WIDTH}, out[] = {1, BLOB_ROWS, BLOB_COLUMNS};
    static const int kernel[] = {BLOB_STRIDE, BLOB_STRIDE},
                     w_size[] = {BLOB_COLUMNS, 3, BLOB_STRIDE, BLOB_STRIDE};
    static const int b_size[] = {BLOB_COLUMNS}, s_size[] = {3}, perm[] = {0, 2, 1};
    static const float of_channel[2][3] = {{1, -0.5f, -0.5f}, {-0.5f, -0.5f, 1}};
    static const float bias[BLOB_COLUMNS] = {0.5f, 0.5f, 0, 0, 1, 0, 0};
    static const int64_t shape[] = {1, BLOB_COLUMNS, BLOB_ROWS};
    static float weights[BLOB_COLUMNS][3][CELL];
    message graph = {0}, conv = {0}, reshape = {0}, transpose = {0}, set = {0};
    for (int class_index = 0; class_index < 2; class_index++)
        for (int c = 0; c < 3; c++)
            for (int i = 0; i < CELL; i++)
                weights[5 + class_index][c][i] = of_channel[class_index][c] / CELL;
    put_text(&conv, 1, "images"), put_text(&conv, 1, "w"), put_text(&conv, 1, "b"),
        put_text(&conv, 2, "cells");
    put_text(&conv, 3, "conv"), put_text(&conv, 4, "Conv");
    put_integers(&conv, "kernel_shape", kernel, 2), put_integers(&conv, "strides", kernel, 2);
    put_text(&reshape, 1, "cells"), put_text(&reshape, 1, "s"), put_text(&reshape, 2, "flat");
    put_text(&reshape, 3, "reshape"), put_text(&reshape, 4, "Reshape");
    put_text(&transpose, 1, "flat"), put_text(&transpose, 2, "output");
    put_text(&transpose, 3, "transpose"), put_text(&transpose, 4, "Transpose");
    put_integers(&transpose, "perm", perm, 3);
    put_message(&graph, 1, &conv), put_message(&graph, 1, &reshape), put_message(&graph, 1, &transpose);
    put_text(&graph, 2, "blobs");
    put_weights(&graph, "w", 1, w_size, 4, weights, sizeof weights);
    put_weights(&graph, "b", 1, b_size, 1, bias, sizeof bias);
    put_weights(&graph, "s", 7, s_size, 1, shape, sizeof shape);
    put_described(&graph, 11, "images", in, 4);
    put_described(&graph, 12, "output", out, 3);
    put_int(model, 1, 7);
    put_text(model, 2, "test");
    put_message(model, 7, &graph);
    put_int(&set, 2, (uint64_t)opset);
    put_message(model, 8, &set);
}
