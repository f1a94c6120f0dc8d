#!/usr/bin/python3
"""Rewrites what OpenCV 4.6 misreads in an ONNX model: mend_onnx.py IN.onnx OUT.onnx"""
import sys

import numpy as np
import onnx
from onnx import numpy_helper

model = onnx.shape_inference.infer_shapes(onnx.load(sys.argv[1]))
graph = model.graph
weights = {tensor.name: tensor for tensor in graph.initializer}
weights.update((node.output[0], node.attribute[0].t) for node in graph.node if node.op_type == "Constant")
shapes = {value.name: [d.dim_value for d in value.type.tensor_type.shape.dim]
          for value in [*graph.value_info, *graph.input, *graph.output]}

# Weights under a second name.
again = {node.output[0]: node.input[0] for node in graph.node if node.op_type == "Identity" and node.input[0] in weights}
nodes = [node for node in graph.node if node.output[0] not in again]
for node in nodes:
    node.input[:] = [again.get(name, name) for name in node.input]

# From opset 13 on, the sizes of the parts are an input.
for node in nodes:
    if node.op_type == "Split" and len(node.input) == 2 and node.input[1] in weights:
        parts = numpy_helper.to_array(weights[node.input.pop()]).tolist()
        node.attribute.append(onnx.helper.make_attribute("split", parts))

# Constants of fewer dimensions than what they are combined with: written out in full.
for node in nodes:
    if node.op_type not in ("Add", "Sub", "Mul", "Div"):
        continue
    for mine, other in ((0, 1), (1, 0)):
        name, shape = node.input[mine], shapes.get(node.input[other])
        if name in weights and shape and all(shape) and 1 < len(weights[name].dims) < len(shape):
            full = np.broadcast_to(numpy_helper.to_array(weights[name]), shape)
            node.input[mine] = f"{name}_in_{node.name}"
            graph.initializer.append(numpy_helper.from_array(np.ascontiguousarray(full), node.input[mine]))

del graph.node[:]
graph.node.extend(nodes)
onnx.save(model, sys.argv[2])
