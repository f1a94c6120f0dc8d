#!/usr/bin/python3
"""ONNX Runtime as the backend: networks that OpenCV cannot run, whole numbers, quantised ones; all against numpy."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import cv2
import numpy as np
import yaml

SOURCE = pathlib.Path(os.environ["POV_SOURCE"])
sys.path.insert(0, str(SOURCE / "tests" / "support"))
import onnx_models  # noqa: E402
import quantise_onnx  # noqa: E402

HEIGHT, WIDTH, CELL = 64, 96, 8
CELLS = HEIGHT * WIDTH // CELL**2
CLASSES = ("car", "person", "ball")
SCORE_MIN = 0.3
random = np.random.default_rng(22)
node, tensor, described = onnx_models.helper.make_node, onnx_models.tensor, onnx_models.described


def pov(*arguments, status=0):
    ran = subprocess.run([os.environ["POV"], *map(str, arguments)], capture_output=True, text=True)
    assert ran.returncode == status, (arguments, ran.returncode, ran.stdout, ran.stderr)
    return ran.stdout, ran.stderr


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


class Network:
    """A graph, its weights, and the same in numpy as far as each test goes on."""

    def __init__(self):
        self.nodes, self.weights, self.opset = [], [], 17

    def constant(self, name, values):
        self.weights.append(tensor(name, np.asarray(values, None if np.asarray(values).dtype.kind == "i" else np.float32)))
        return name

    def add(self, operator, inputs, output, **attributes):
        self.nodes.append(node(operator, inputs, [output] if isinstance(output, str) else output, **attributes))
        return output

    def features(self, image, channels, std=1.0):
        """A convolution of cells: [1, channels, rows, columns], also in numpy."""
        weights = random.normal(0, std / 8, (channels, 3, CELL, CELL)).astype(np.float32)
        self.constant("cells_w", weights)
        self.add("Conv", ["images", "cells_w"], "cells", kernel_shape=[CELL, CELL], strides=[CELL, CELL])
        parts = image.transpose(2, 0, 1).reshape(3, HEIGHT // CELL, CELL, WIDTH // CELL, CELL)
        return np.einsum("ocij,cyixj->oyx", weights.astype(float), parts)

    def save(self, path, outputs, inputs=(), **options):
        onnx_models.save(path, self.nodes, [described("images", [1, 3, HEIGHT, WIDTH]), *inputs], outputs, self.weights,
                         opset=self.opset, **options)


def picture(folder):
    """An image of the input's size; as the network gets it."""
    image = cv2.resize(random.integers(0, 256, (8, 12, 3), np.uint8), (WIDTH, HEIGHT), interpolation=cv2.INTER_CUBIC)
    cv2.imwrite(str(folder / "image.png"), image[..., ::-1])
    return image / 255 - 0.5


def contract_of(path, layout, outputs, **more):
    contract = onnx_models.contract_of(path, layout, outputs, (HEIGHT, WIDTH), CLASSES, **{"opset": 17, **more})
    contract["input"].update(fit="stretch", scale=1 / 255, mean=0.5)
    onnx_models.write_contract(path.with_suffix(".yaml"), contract)
    return path.with_suffix(".yaml")


def corners(center):
    return np.hstack([center[:, :2] - center[:, 2:] / 2, center[:, :2] + center[:, 2:] / 2])


def compare(found, boxes, scores):
    """Detections as printed, against numpy's boxes (corners in pixels) and scores [N, C]: none is suppressed."""
    best, label = scores.max(1), scores.argmax(1)
    order = [i for i in np.argsort(-best, kind="stable") if best[i] >= SCORE_MIN]
    assert len(order) > 3 and len(found) == len(order), (len(found), len(order))
    for have, i in zip(found, order):
        edges = np.clip(boxes[i].reshape(2, 2), 0, [WIDTH, HEIGHT]).ravel() - 0.5
        assert have["class"] == CLASSES[label[i]] and abs(have["score"] - best[i]) < 1e-5, (have, best[i], label[i])
        assert np.abs(np.array(have["box_px"]) - edges).max() < 2e-3, (have, edges)


def detections(contract, folder, *options):
    return json.loads(pov("model", "run", contract, folder / "image.png", "--json", *options)[0])["detections"]


def check_guess(model, layout):
    """OpenCV cannot run it; the contract written for it says who can."""
    written = model.with_name(model.stem + "_guess.yaml")
    assert "It runs, by ONNX Runtime" in pov("model", "check", model, "--out", written)[0]
    described = yaml.safe_load(written.read_text())
    assert described["backend"] == "onnxruntime" and described["layout"] == layout, described
    complaint = pov("model", "check", model, "--out", model.with_suffix(".none"), "--backend", "opencv", status=1)[1]
    assert "OpenCV" in complaint or "opset" in complaint, complaint


def end_to_end_yolo(folder):
    """YOLO26's end: boxes and classes of each cell, the best of all by TopK, gathered."""
    image, network, kept = picture(folder), Network(), 20
    c = len(CLASSES)
    rows = network.features(image, 4 + c, 2.0).reshape(4 + c, CELLS).T
    size = np.array([WIDTH, HEIGHT, 40, 30], np.float32)
    network.add("Reshape", ["cells", network.constant("flat", np.array([1, 4 + c, CELLS]))], "columns")
    network.add("Transpose", ["columns"], "rows", perm=[0, 2, 1])
    network.add("Sigmoid", ["rows"], "shares")
    network.add("Split", ["shares", network.constant("parts", np.array([2, 2, c]))], ["at", "extent", "scores"], axis=2)
    network.add("Mul", ["at", network.constant("size", size[:2])], "center")
    network.add("Mul", ["extent", network.constant("half", size[2:] / 2)], "reach")
    network.add("Sub", ["center", "reach"], "low")
    network.add("Add", ["center", "reach"], "high")
    network.add("Concat", ["low", "high"], "boxes", axis=2)
    network.add("Flatten", ["scores"], "all_scores")
    network.add("TopK", ["all_scores", network.constant("k", np.array([kept]))], ["best", "place"], axis=1)
    network.add("Div", ["place", network.constant("c", np.array(c))], "cell")
    network.add("Mod", ["place", "c"], "label")
    network.add("Cast", ["label"], "label_float", to=1)
    for name in ("cell", "best", "label_float"):
        network.add("Unsqueeze", [name, "last" if name != "cell" else network.constant("last", np.array([2]))], name + "3")
    network.add("Expand", ["cell3", network.constant("wide", np.array([1, kept, 4]))], "cells4")
    network.add("GatherElements", ["boxes", "cells4"], "kept_boxes", axis=1)
    network.add("Concat", ["kept_boxes", "best3", "label_float3"], "output0", axis=2)
    model = folder / "yolo_end2end.onnx"
    network.save(model, [described("output0", [1, kept, 6])])
    center = sigmoid(rows[:, :4]) * size
    scores = sigmoid(rows[:, 4:])
    order = np.argsort(-scores.ravel(), kind="stable")[:kept]
    table = np.where(np.arange(c) == (order % c)[:, None], scores.ravel()[order][:, None], -1)
    contract = contract_of(model, "yolo26", {"rows": ("output0", (1, kept, 6))}, backend="onnxruntime")
    compare(detections(contract, folder), corners(center)[order // c], table)
    check_guess(model, "yolo26")


def sampled(features, grid):
    """GridSample, bilinear, zeros outside, align_corners 0: [C, H, W] at [N, 2] in -1..1 gives [N, C]."""
    channels, height, width = features.shape
    x, y = ((grid[:, 0] + 1) * width - 1) / 2, ((grid[:, 1] + 1) * height - 1) / 2
    left, top = np.floor(x).astype(int), np.floor(y).astype(int)
    out = np.zeros((len(grid), channels))
    for i, j in ((0, 0), (0, 1), (1, 0), (1, 1)):
        weight = (1 - abs(x - left - i)) * (1 - abs(y - top - j))
        inside = (left + i >= 0) & (left + i < width) & (top + j >= 0) & (top + j < height)
        out[inside] += weight[inside, None] * features[:, (top + j)[inside], (left + i)[inside]].T
    return out


def transformer(folder, layout, names, slots):
    """As RT-DETR and RF-DETR end: LayerNormalization, queries chosen by TopK, features sampled by GridSample, linear heads."""
    image, network, kept, width = picture(folder), Network(), 30, 16
    c = len(CLASSES) + slots
    features = network.features(image, width)
    tokens = features.reshape(width, CELLS).T
    network.add("Reshape", ["cells", network.constant("flat", np.array([1, width, CELLS]))], "columns")
    network.add("Transpose", ["columns"], "tokens", perm=[0, 2, 1])
    gain, shift = random.uniform(0.5, 2, width), random.normal(0, 0.3, width)
    network.add("LayerNormalization", ["tokens", network.constant("gain", gain), network.constant("shift", shift)], "normal",
                axis=-1, epsilon=1e-5)
    normal = (tokens - tokens.mean(1, keepdims=True)) / np.sqrt(tokens.var(1, keepdims=True) + 1e-5)
    normal = normal * gain.astype(np.float32) + shift.astype(np.float32)
    heads = {}
    for name, columns in (("choice", 1), ("point", 2), ("box", 4), ("class", c)):
        heads[name] = random.normal(0, 1.5 / np.sqrt(width), (width, columns)).astype(np.float32)
        network.constant(name + "_w", heads[name])
    network.add("MatMul", ["normal", "choice_w"], "choices")
    network.add("Squeeze", ["choices", network.constant("axis2", np.array([2]))], "choices2")
    network.add("TopK", ["choices2", network.constant("k", np.array([kept]))], ["value", "place"], axis=1)
    network.add("Unsqueeze", ["place", "axis2"], "place3")
    network.add("Tile", ["place3", network.constant("times", np.array([1, 1, width]))], "places")
    network.add("GatherElements", ["normal", "places"], "queries", axis=1)
    network.add("MatMul", ["queries", "point_w"], "points")
    network.add("Tanh", ["points"], "grid3")
    network.add("Unsqueeze", ["grid3", network.constant("axis1", np.array([1]))], "grid")
    network.add("GridSample", ["cells", "grid"], "sampled", mode="bilinear", padding_mode="zeros", align_corners=0)
    network.add("Reshape", ["sampled", network.constant("flat2", np.array([1, width, kept]))], "sampled3")
    network.add("Transpose", ["sampled3"], "seen", perm=[0, 2, 1])
    network.add("Add", ["queries", "seen"], "state")
    network.add("MatMul", ["state", "box_w"], "raw_boxes")
    network.add("Sigmoid", ["raw_boxes"], names["boxes"])
    network.add("MatMul", ["state", "class_w"], names["scores"])
    model = folder / f"{layout}.onnx"
    network.save(model, [described(names["boxes"], [1, kept, 4]), described(names["scores"], [1, kept, c])])
    chosen = np.argsort(-(normal @ heads["choice"])[:, 0], kind="stable")[:kept]
    queries = normal[chosen]
    state = queries + sampled(features, np.tanh(queries @ heads["point"]))
    boxes = corners(sigmoid(state @ heads["box"])) * np.tile([WIDTH, HEIGHT], 2)
    more = {"nothing": "last"} if slots else {}
    contract = contract_of(model, layout, {"boxes": (names["boxes"], (1, kept, 4)), "scores": (names["scores"], (1, kept, c))},
                           backend="onnxruntime", **more)
    compare(detections(contract, folder), boxes, sigmoid(state @ heads["class"])[:, :len(CLASSES)])
    check_guess(model, layout)
    return contract


def whole_numbers(folder):
    """RT-DETR's exported post-processor takes the size, and gives labels, as 64-bit integers. Opset 21."""
    network, kept = Network(), 12
    picture(folder)
    network.opset = 21
    boxes = corners(np.stack([random.uniform(0.2, 0.8, kept), random.uniform(0.2, 0.8, kept), random.uniform(0.1, 0.3, kept),
                              random.uniform(0.1, 0.3, kept)], 1))
    scores, labels = random.uniform(SCORE_MIN + 0.05, 1, kept), random.integers(0, len(CLASSES), kept)
    network.add("GlobalAveragePool", ["images"], "mean")
    network.add("ReduceSum", ["mean"], "sum", keepdims=0)
    network.add("Mul", ["sum", network.constant("nought", np.array(0.0))], "zero")
    network.add("Add", ["zero", network.constant("fixed_scores", scores[None])], "scores")
    network.add("Cast", ["zero"], "zero_whole", to=7)
    network.add("Add", ["zero_whole", network.constant("fixed_labels", labels[None])], "labels")
    network.add("Cast", ["orig_target_sizes"], "size", to=1)
    network.add("Concat", ["size", "size"], "size4", axis=1)
    network.add("Mul", [network.constant("fixed_boxes", boxes[None]), "size4"], "boxes")
    model, whole = folder / "post.onnx", onnx_models.TensorProto.INT64
    network.save(model, [described("labels", [1, kept], whole), described("boxes", [1, kept, 4]), described("scores", [1, kept])],
                 [described("orig_target_sizes", [1, 2], whole)])
    contract = contract_of(model, "rtdetr_post", {"labels": ("labels", (1, kept)), "boxes": ("boxes", (1, kept, 4)),
                                                  "scores": ("scores", (1, kept))}, backend="onnxruntime", opset=21)
    described_file = yaml.safe_load(contract.read_text())
    described_file["input"]["size_input"] = "orig_target_sizes"
    onnx_models.write_contract(contract, described_file)
    compare(detections(contract, folder), boxes * np.tile([WIDTH, HEIGHT], 2),
            np.where(np.arange(len(CLASSES)) == labels[:, None], scores[:, None], -1))
    half = Network()
    half.add("Cast", ["images"], "output0", to=10)
    half.save(folder / "half.onnx", [described("output0", [1, 3, HEIGHT, WIDTH], onnx_models.TensorProto.FLOAT16)])
    complaint = pov("model", "check", folder / "half.onnx", "--backend", "onnxruntime", status=1)[1]
    assert "'output0' has numbers of a type" in complaint, complaint


def agrees_with_opencv(folder):
    """What one library gave and sealed, the other gives: the network that comes along, and every layout's test (program)."""
    contract = SOURCE / "share" / "models" / "worlds.yaml"
    for backend, library in ("opencv", "OpenCV"), ("onnxruntime", "ONNX Runtime"):
        said, warned = pov("model", "check", contract, "--backend", backend)
        assert f"({library} " in said and ", cpu)" in said, said
        assert warned.count("\n") == (backend == "onnxruntime"), warned  # the library itself prints nothing
    cv2.imwrite(str(folder / "image.png"), cv2.resize(random.integers(0, 256, (9, 12, 3), np.uint8), (640, 480)))
    one, other = (detections(contract, folder, "--score", "0", "--backend", b) for b in ("opencv", "onnxruntime"))
    assert [d["class"] for d in one] == [d["class"] for d in other]
    for a, b in zip(one, other):
        assert abs(a["score"] - b["score"]) < 1e-4 and np.abs(np.subtract(a["box_px"], b["box_px"])).max() < 0.01, (a, b)


def quantised(folder):
    """Two convolutions of 8 bits, as numpy's integers have it; and near the same network in floats."""
    image, strides = picture(folder), (4, 2)
    weights = [random.normal(0, 0.3, (12, 3, 4, 4)).astype(np.float32), random.normal(0, 0.3, (7, 12, 2, 2)).astype(np.float32)]
    biases = [random.normal(0, 0.2, len(w)).astype(np.float32) for w in weights]
    weights[1] /= 40  # boxes with an area, classes between 0 and 1
    biases[1][:] = 1, 1, 0.5, 0.5, 0.5, 0.5, 0.5
    network = Network()
    network.opset = 13
    for i, source in enumerate(("images", "first")):
        network.add("Conv", [source, network.constant(f"w{i}", weights[i]), network.constant(f"b{i}", biases[i])],
                    ("first", "second")[i], kernel_shape=[strides[i]] * 2, strides=[strides[i]] * 2)
    network.add("Reshape", ["second", network.constant("flat", np.array([1, 7, CELLS]))], "output0")
    network.save(folder / "float.onnx", [described("output0", [1, 7, CELLS])])

    def convolve(values, weight, stride):
        c, h, w = values.shape
        return np.einsum("ocij,cyixj->oyx", weight, values.reshape(c, h // stride, stride, w // stride, stride))

    chw = image.transpose(2, 0, 1).astype(np.float32)
    floats = [chw]
    for w, b, s in zip(weights, biases, strides):
        floats.append(convolve(floats[-1].astype(float), w.astype(float), s) + b[:, None, None])
    ranges = {name: (v.min(), v.max()) for name, v in zip(("images", "first", "second"), floats)}
    by_opencv = quantise_onnx.ranges_by_opencv(folder / "float.onnx", [chw[None]])
    for name, (low, high) in ranges.items():
        assert np.allclose(by_opencv[name], (low, high), atol=1e-4), (name, by_opencv[name], low, high)
    quantise_onnx.quantise_model(folder / "float.onnx", folder / "int8.onnx", ranges)

    grids = [quantise_onnx.scale_of(*ranges[name]) for name in ("images", "first", "second")]
    values = quantise_onnx.quantise(chw, *grids[0])
    for i, (w, b, s) in enumerate(zip(weights, biases, strides)):
        whole, scale = quantise_onnx.weights_of(w)
        both = scale * grids[i][0]
        total = convolve(values.astype(np.int64) - int(grids[i][1]), whole.astype(np.int64), s)
        total += np.rint(b / both).astype(np.int64)[:, None, None]
        values = quantise_onnx.quantise(total * both[:, None, None].astype(np.float64), *grids[i + 1])
    expected = (values.astype(float) - float(grids[2][1])).reshape(7, CELLS) * float(grids[2][0])
    step, exact = float(grids[2][0]), floats[2].reshape(7, CELLS)
    assert 0 < np.sqrt(np.mean((expected - exact) ** 2)) < 2 * step

    contract = contract_of(folder / "int8.onnx", "yolov8", {"rows": ("output0", (1, 7, CELLS))}, opset=13, backend="onnxruntime",
                           score_min=0, overlap_max=1)
    found = detections(contract, folder)
    best = expected[4:].max(0)
    # OpenCV's resize and the libraries' rounding may move a number by a step of the grid: half of the comparisons are exact.
    wanted = sorted(best[best >= 0], reverse=True)[:128]
    have = [d["score"] for d in found]
    assert len(have) == len(wanted) > 10, (len(have), len(wanted))
    difference = np.abs(np.subtract(have, wanted))
    assert difference.max() < 1.5 * step and np.median(difference) < 1e-5, (difference.max(), step)
    plain = contract_of(folder / "float.onnx", "yolov8", {"rows": ("output0", (1, 7, CELLS))}, opset=13, score_min=0, overlap_max=1)
    both = json.loads(pov("model", "compare", plain, contract, folder / "image.png", "--json")[0])
    assert [d["runs_on"].split(" ")[0] for d in both["detectors"]] == ["OpenCV", "ONNX"], both
    assert both["detectors"][1]["found"] == len(wanted) and both["score_difference_median"] < 2 * step, both


def providers(folder, contract):
    """A provider that this machine has not got: the CPU instead, and said so, wherever a network is opened."""
    pov("model", "seal", contract)
    written = folder / "cuda.yaml"
    pov("model", "check", contract.with_suffix(".onnx"), "--backend", "onnxruntime", "--provider", "cuda", "--out", written)
    described_file = yaml.safe_load(written.read_text())
    assert (described_file["backend"], described_file["provider"]) == ("onnxruntime", "cuda"), described_file
    said = pov("model", "check", contract, "--provider", "cuda")
    if "cuda)" in said[0]:
        print("CUDA is there: that it is said to be missing is not tried")
        return
    assert "warning" in said[1] and "not on cuda: " in said[1] and ", cpu)" in said[0], said
    (folder / "images").mkdir()
    cv2.imwrite(str(folder / "images" / "0.png"), np.full((HEIGHT, WIDTH, 3), 90, np.uint8))
    station = {"camera": {"folder": {"path": "images"}, "field_of_view_deg": 60, "size_px": [WIDTH, HEIGHT],
                          "pose": {"position_m": [0.2, -1.2, 0.8], "look_at_m": [0, 0, 0]}},
               "models": {"detectors": [{"contract": contract.name}]},
               "cast": [{"id": "car", "found_by": "model", "size_m": [0.2, 0.1, 0.08]}]}
    for provider, told in (None, "runs on ONNX Runtime"), ("tensorrt", "not on tensorrt: "):
        if provider:
            station["models"]["provider"] = provider
        (folder / "station.yaml").write_text(yaml.safe_dump(station))
        assert told in pov("run", folder / "station.yaml", "--json", "--no-publish")[1]
        ran = subprocess.run([os.environ["POV"], "doctor", folder / "station.yaml", "--json"], capture_output=True, text=True)
        check, = [c for c in json.loads(ran.stdout)["checks"] if c["what"] == "model"]
        assert check["verdict"] == ("note" if provider else "ok") and "(ONNX Runtime " in check["finding"], check
    station["models"]["backend"] = "opencv"
    (folder / "station.yaml").write_text(yaml.safe_dump(station))
    assert "OpenCV" in pov("run", folder / "station.yaml", "--no-publish", status=1)[1]
    station["models"]["backend"] = "onnx"
    (folder / "station.yaml").write_text(yaml.safe_dump(station))
    assert "onnxruntime" in pov("run", folder / "station.yaml", "--no-publish", status=1)[1]


def refuses(folder):
    """Files that are made to harm reach no process but the trial's."""
    network = Network()
    network.add("ConstantOfShape", [network.constant("shape", np.array([1, 6, 1 << 15, 1 << 16]))], "room")
    network.add("ReduceMean", ["room"], "mean", axes=[2, 3], keepdims=0)
    network.add("Shape", ["images"], "size")
    network.add("Add", ["mean", network.constant("one", np.array(1.0))], "heading")
    network.save(folder / "large.onnx", [described("heading", [1, 6])])
    if not os.environ.get("POV_SANITIZED"):
        said = pov("model", "check", folder / "large.onnx", "--backend", "onnxruntime", status=1)[1]
        assert "more than 8 GiB of memory" in said, said
    unknown = Network()
    unknown.add("Frobnicate", ["images"], "output0")
    unknown.save(folder / "unknown.onnx", [described("output0", [1, 3, HEIGHT, WIDTH])])
    assert "Frobnicate" in pov("model", "check", folder / "unknown.onnx", "--backend", "onnxruntime", status=1)[1]


def main():
    if onnx_models.backends() == ["opencv"]:
        print("skipped: this pov was built without ONNX Runtime")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        end_to_end_yolo(folder)
        transformer(folder, "rfdetr", {"boxes": "dets", "scores": "labels"}, 1)
        contract = transformer(folder, "rtdetr", {"boxes": "pred_boxes", "scores": "logits"}, 0)
        whole_numbers(folder)
        agrees_with_opencv(folder)
        quantised(folder)
        providers(folder, contract)
        refuses(folder)


if __name__ == "__main__":
    main()
