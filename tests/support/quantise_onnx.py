"""Static INT8 quantisation with QuantizeLinear and DequantizeLinear nodes about each convolution, and its arithmetic in numpy."""
import numpy as np
import onnx
from onnx import helper, numpy_helper


def scale_of(low, high):
    """An unsigned 8-bit grid that holds [low, high] and 0: scale and zero point."""
    low, high = min(float(low), 0.0), max(float(high), 0.0)
    scale = np.float32(max((high - low) / 255, 1e-12))
    return scale, np.uint8(np.clip(round(-low / float(scale)), 0, 255))


def quantise(values, scale, zero, kind=np.uint8):
    limits = np.iinfo(kind)
    return np.clip(np.rint(values.astype(np.float32) / scale) + float(zero), limits.min, limits.max).astype(kind)


def weights_of(weight):
    """Signed, symmetric, a scale a channel that comes out."""
    scale = np.maximum(np.abs(weight).reshape(len(weight), -1).max(1), 1e-12).astype(np.float32) / np.float32(127)
    shaped = scale.reshape(-1, *[1] * (weight.ndim - 1))
    return np.clip(np.rint(weight / shaped), -127, 127).astype(np.int8), scale


def ends_of(graph):
    """Output of each convolution -> the tensor that is put on a grid: that, or what the Relu makes of it that alone takes it."""
    users = {}
    for node in graph.node:
        for name in node.input:
            users.setdefault(name, []).append(node)
    ends = {}
    for node in graph.node:
        if node.op_type == "Conv":
            after = users.get(node.output[0], [])
            ends[node.output[0]] = after[0].output[0] if [n.op_type for n in after] == ["Relu"] else node.output[0]
    return ends


def quantise_model(path, out, ranges):
    """ranges: tensor -> (least, largest), for what goes into each convolution and comes out of it and its Relu. Others stay as they are."""
    model = onnx.load(str(path))
    graph = model.graph
    weights = {tensor.name: numpy_helper.to_array(tensor) for tensor in graph.initializer}
    nodes, added, on_grid, ends, awaited = [], {}, set(), ends_of(graph), set()

    def constant(name, value):
        if name not in added:
            added[name] = numpy_helper.from_array(np.asarray(value), name)
        return name

    def through_grid(source, result, of):
        """`result`: the tensor `source` once it has been through the grid of the range of `of`; once for all who use it."""
        if result not in on_grid:
            scale, zero = scale_of(*ranges[of])
            grid = [constant(of + "/scale", scale), constant(of + "/zero", zero)]
            nodes.append(helper.make_node("QuantizeLinear", [source, *grid], [result + "/q"]))
            nodes.append(helper.make_node("DequantizeLinear", [result + "/q", *grid], [result]))
            on_grid.add(result)
        return result

    for node in graph.node:
        if node.op_type == "Relu" and node.output[0] in awaited:
            target = node.output[0]
            node.output[0] = target + "/float"
            nodes.append(node)
            through_grid(target + "/float", target, target)
            continue
        if (node.op_type != "Conv" or node.input[1] not in weights or node.input[0] not in ranges
                or ends[node.output[0]] not in ranges):
            nodes.append(node)
            continue
        source, weight, target = node.input[0], node.input[1], node.output[0]
        scale_in = scale_of(*ranges[source])[0]
        whole, scale = weights_of(weights[weight])
        node.input[0] = source if source in on_grid else through_grid(source, source + "/dq", source)
        node.input[1] = weight + "/dq"
        nodes.append(helper.make_node("DequantizeLinear", [constant(weight + "/i8", whole), constant(weight + "/scale", scale),
                                                           constant(weight + "/zero", np.zeros(len(scale), np.int8))],
                                      [weight + "/dq"], axis=0))
        if len(node.input) > 2:
            bias, both = node.input[2], scale * scale_in
            node.input[2] = bias + "/dq"
            nodes.append(helper.make_node("DequantizeLinear", [
                constant(bias + "/i32", np.rint(weights[bias] / both).astype(np.int32)), constant(bias + "/scale", both),
                constant(bias + "/zero", np.zeros(len(both), np.int32))], [bias + "/dq"], axis=0))
        nodes.append(node)
        if ends[target] == target:
            node.output[0] = target + "/float"
            through_grid(target + "/float", target, target)
        else:
            awaited.add(ends[target])
    used = {name for node in nodes for name in node.input}
    kept = [tensor for tensor in graph.initializer if tensor.name in used]
    del graph.node[:], graph.initializer[:]
    graph.node.extend(nodes)
    graph.initializer.extend([*kept, *added.values()])
    for opset in model.opset_import:
        if opset.domain in ("", "ai.onnx"):
            opset.version = max(opset.version, 13)  # scales a channel
    onnx.save(model, str(out))


def ranges_by_opencv(path, inputs):
    """Least and largest value of each convolution's input and of its end (ends_of) over some inputs of the network."""
    import cv2
    model = onnx.load(str(path))
    ends = ends_of(model.graph)
    names = list(dict.fromkeys(name for node in model.graph.node if node.op_type == "Conv"
                               for name in (node.input[0], ends[node.output[0]])))
    have = {value.name for value in [*model.graph.output, *model.graph.input]}
    model.graph.output.extend(helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, []) for name in names if name not in have)
    net = cv2.dnn.readNetFromONNX(np.frombuffer(model.SerializeToString(), np.uint8))
    net.enableFusion(False)
    image = model.graph.input[0].name
    asked, ranges = [name for name in names if name != image], {}
    for values in inputs:
        net.setInput(values.astype(np.float32))
        for name, output in [(image, values), *zip(asked, net.forward(asked))]:
            low, high = ranges.get(name, (np.inf, -np.inf))
            ranges[name] = (min(low, float(output.min())), max(high, float(output.max())))
    return ranges
