"""Small ONNX models whose outputs are known: constants whatever the input, or simple filters."""
import hashlib
import os
import pathlib
import subprocess
import tempfile

import numpy as np
import onnx
import yaml
from onnx import TensorProto, helper


def tensor(name, values):
    values = np.asarray(values)
    kind = TensorProto.INT64 if values.dtype.kind == "i" else TensorProto.FLOAT
    return helper.make_tensor(name, kind, values.shape, values.ravel().tolist())


def described(name, shape, kind=TensorProto.FLOAT):
    return helper.make_tensor_value_info(name, kind, shape)


def save(path, nodes, inputs, outputs, weights, opset=12, metadata=None):
    graph = helper.make_graph(nodes, "graph", inputs, outputs, weights)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], producer_name="test")
    model.ir_version = 7
    for key, value in (metadata or {}).items():
        entry = model.metadata_props.add()
        entry.key, entry.value = key, value
    pathlib.Path(path).write_bytes(model.SerializeToString())


def constant_model(path, outputs, size=(64, 96), input_name="images", size_input=None, as_tensorflow=False, **options):
    """Gives `outputs` (name -> array) whatever image comes, through a pooling and a convolution. as_tensorflow: its input is int32, channels
    last, as TensorFlow's exports have it."""
    nodes, pixels = [], input_name
    if as_tensorflow:
        nodes = [helper.make_node("Cast", [input_name], ["floats"], to=TensorProto.FLOAT),
                 helper.make_node("Transpose", ["floats"], ["pixels"], perm=[0, 3, 1, 2])]
        pixels = "pixels"
    nodes.append(helper.make_node("GlobalAveragePool", [pixels], ["mean"]))
    weights, described_outputs = [], []
    for name, values in outputs.items():
        flat = values.astype(np.float32).ravel()
        weights += [tensor(name + "_w", np.zeros((flat.size, 3, 1, 1), np.float32)), tensor(name + "_b", flat),
                    tensor(name + "_s", np.array(values.shape, np.int64))]
        nodes += [helper.make_node("Conv", ["mean", name + "_w", name + "_b"], [name + "_c"], kernel_shape=[1, 1]),
                  helper.make_node("Reshape", [name + "_c", name + "_s"], [name])]
        described_outputs.append(described(name, values.shape))
    inputs = [described(input_name, [1, *size, 3], TensorProto.INT32) if as_tensorflow else described(input_name, [1, 3, *size])]
    if size_input:  # boxes in shares of the size that is given
        inputs.append(described(size_input, [1, 2]))
        nodes[-1 - 2 * (len(outputs) - 1 - list(outputs).index("boxes"))].output[0] = "shares"
        weights.append(tensor("twice", np.array([[1, 0, 1, 0], [0, 1, 0, 1]], np.float32)))
        nodes += [helper.make_node("MatMul", [size_input, "twice"], ["size4"]),
                  helper.make_node("Mul", ["shares", "size4"], ["boxes"])]
    save(path, nodes, inputs, described_outputs, weights, **options)


def contract_of(model, layout, outputs, size=(64, 96), classes=("car", "person", "ball"), **more):
    """A contract as a dictionary, for outputs role -> (name, shape)."""
    contract = {
        "model": pathlib.Path(model).name,
        "sha256": hashlib.sha256(pathlib.Path(model).read_bytes()).hexdigest(),
        "opset": 12,
        "layout": layout,
        "input": {"name": "images", "shape": [1, 3, *size], "color": "rgb", "fit": "letterbox_center", "scale": 1},
        "outputs": {role: {"name": name, "shape": list(shape)} for role, (name, shape) in outputs.items()},
        "score_min": 0.3,
    }
    if classes:
        contract["classes"] = list(classes)
    contract.update(more)
    return contract


def backends():
    """Those that the program has."""
    with tempfile.TemporaryDirectory() as folder:
        model = pathlib.Path(folder) / "probe.onnx"
        constant_model(model, {"output0": np.zeros((1, 7, 126))})
        ran = subprocess.run([os.environ["POV"], "model", "check", model, "--backend", "onnxruntime"], capture_output=True, text=True)
    return ["opencv"] + ["onnxruntime"] * ("without ONNX Runtime" not in ran.stderr and "cannot be loaded" not in ran.stderr)


def write_contract(path, contract):
    pathlib.Path(path).write_text(yaml.safe_dump(contract, sort_keys=False, default_flow_style=None, width=110))
