#!/usr/bin/python3
"""`pov model`: guesses layouts, writes contracts that it can read, seals them, and computes what cv2.dnn computes."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import cv2
import numpy as np
import yaml

sys.path.insert(0, str(pathlib.Path(os.environ["POV_SOURCE"]) / "tests" / "support"))
import onnx_models  # noqa: E402

random = np.random.default_rng(3)


def harmful_model(path):
    """A convolution of no groups, by which OpenCV 4.6 divides."""
    weights = [onnx_models.tensor("w", np.zeros((4, 3, 3, 3), np.float32))]
    node = onnx_models.helper.make_node("Conv", ["images", "w"], ["out"], kernel_shape=[3, 3], group=0)
    onnx_models.save(path, [node], [onnx_models.described("images", [1, 3, 32, 32])],
                     [onnx_models.described("out", [1, 4, 30, 30])], weights)


def pov(*arguments, status=0):
    ran = subprocess.run([os.environ["POV"], "model", *map(str, arguments)], capture_output=True, text=True)
    assert ran.returncode == status, (arguments, ran.returncode, ran.stdout, ran.stderr)
    return ran.stdout if status == 0 else ran.stderr


# At 64 x 96, strides 8, 16, 32 make 126 cells, and 64 two more. Names and shapes as the tools that export them have them.
GUESSES = [
    ("yolox", {"output": (1, 126, 85)}),
    ("yolov5", {"output0": (1, 378, 85)}),
    ("yolov8", {"output0": (1, 84, 126)}),
    ("yolo26", {"output0": (1, 300, 6)}),
    ("rtdetr", {"logits": (1, 30, 80), "pred_boxes": (1, 30, 4)}),
    ("rtdetr_post", {"labels": (1, 30), "boxes": (1, 30, 4), "scores": (1, 30)}),
    ("rfdetr", {"dets": (1, 30, 4), "labels": (1, 30, 91)}),
    ("nanodet", {"output": (1, 128, 112)}),
    ("depth", {"predicted_depth": (1, 64, 96)}),
    ("depth", {"depth": (1, 1, 32, 48)}),
    ("heading", {"heading": (1, 36)}),
]


def guess_layouts(folder):
    for layout, shapes in GUESSES:
        model, contract = (folder / f"{layout}{len(list(shapes.values())[0])}{end}" for end in (".onnx", ".yaml"))
        onnx_models.constant_model(model, {name: random.uniform(0, 1, shape) for name, shape in shapes.items()})
        said = pov("check", model)
        assert f"looks like {layout}:" in said, said
        assert "golden: missing" in pov("check", contract, status=1)
        written = yaml.safe_load(contract.read_text())
        assert written["layout"] == layout
        if layout == "depth":
            assert written["near"] == "large" and "classes" not in written
        elif layout not in ("heading", "rfdetr"):
            assert written["classes"][:3] == ["person", "bicycle", "car"] and len(written["classes"]) == 80
        if layout == "rfdetr":
            assert written["classes"][1] == "person" and written["classes"][90] == "toothbrush"
    pov("seal", contract)
    assert "golden numbers" in pov("check", contract)
    assert "is there already" in pov("check", model, status=1)


def names_from_metadata(folder):
    model = folder / "named.onnx"
    onnx_models.constant_model(model, {"output0": np.zeros((1, 7, 126))},
                               metadata={"names": "{0: 'car', 1: 'rubber duck', 2: \"it's\"}"})
    pov("check", model)
    assert yaml.safe_load((folder / "named.yaml").read_text())["classes"] == ["car", "rubber duck", "it's"]


def refuses_what_cannot_run(folder):
    model = folder / "topk.onnx"
    onnx_models.save(model, [onnx_models.helper.make_node("TopK", ["images", "k"], ["values", "places"], axis=3)],
                     [onnx_models.described("images", [1, 3, 64, 96])], [onnx_models.described("values", [1, 3, 64, 5])],
                     [onnx_models.tensor("k", np.array([5]))])
    assert "TopK" in pov("check", model, "--backend", "opencv", status=1)
    if onnx_models.backends() == ["opencv"]:
        said = pov("check", model, "--backend", "onnxruntime", status=1)
        assert "./dev onnxruntime" in said or "LD_LIBRARY_PATH" in said, said
    (folder / "text.onnx").write_text("model: this is none\n" * 50)
    assert "as an ONNX model does" in pov("check", folder / "text.onnx", status=1)
    assert "no such file" in pov("check", folder / "none.onnx", status=1)
    pov("check", status=2)
    pov("run", folder / "named.yaml", status=2)
    pov("fit", status=2)


def mends_what_opencv_misreads(folder):
    """Weights by a second name, a Split that has its sizes as an input, a constant of fewer dimensions."""
    node, tensor = onnx_models.helper.make_node, onnx_models.tensor
    weights = random.normal(0, 1, (7, 3, 8, 8)).astype(np.float32)
    scale = random.uniform(1, 2, (1, 96)).astype(np.float32)
    onnx_models.save(
        folder / "raw.onnx",
        [node("Identity", ["w"], ["same"]), node("Conv", ["images", "same"], ["cells"], kernel_shape=[8, 8], strides=[8, 8]),
         node("Reshape", ["cells", "shape"], ["flat"]), node("Split", ["flat", "parts"], ["a", "b"], axis=1),
         node("Concat", ["b", "a"], ["turned"], axis=1), node("Mul", ["turned", "scale"], ["output0"], name="last")],
        [onnx_models.described("images", [1, 3, 64, 96])], [onnx_models.described("output0", [1, 7, 96])],
        [tensor("w", weights), tensor("shape", np.array([1, 7, 96])), tensor("parts", np.array([1, 6])),
         tensor("scale", scale)], opset=13)
    if tuple(map(int, cv2.__version__.split(".")[:2])) < (4, 7):  # later ones read some of it
        pov("check", folder / "raw.onnx", "--backend", "opencv", status=1)
    mend = pathlib.Path(os.environ["POV_SOURCE"]) / "docs" / "examples" / "mend_onnx.py"
    subprocess.run([mend, folder / "raw.onnx", folder / "mended.onnx"], check=True)
    image = random.normal(0, 1, (1, 3, 64, 96)).astype(np.float32)
    net = cv2.dnn.readNetFromONNX(str(folder / "mended.onnx"))
    net.setInput(image)
    cells = np.einsum("ocij,cyixj->oyx", weights, image[0].reshape(3, 8, 8, 12, 8)).reshape(7, 96)
    assert np.abs(net.forward()[0] - cells[[1, 2, 3, 4, 5, 6, 0]] * scale).max() < 1e-3
    said = pov("check", folder / "mended.onnx", status=1)  # its numbers are no probabilities
    assert "it runs, but no known layout" in said and "where the contract has a probability" in said, said


def filter_model(path, size):
    """Three rounds of convolutions with random weights: rows [1, 6, cells] of stride 8, so that every pixel counts."""
    weights, nodes, last, channels = [], [], "images", 3
    for i, (after, stride) in enumerate(((8, 2), (12, 2), (6, 2))):
        weights += [onnx_models.tensor(f"w{i}", random.normal(0, 0.3, (after, channels, 3, 3)).astype(np.float32)),
                    onnx_models.tensor(f"b{i}", random.normal(0, 0.1, after).astype(np.float32))]
        nodes += [onnx_models.helper.make_node("Conv", [last, f"w{i}", f"b{i}"], [f"c{i}"], kernel_shape=[3, 3],
                                               strides=[stride, stride], pads=[1, 1, 1, 1]),
                  onnx_models.helper.make_node("Sigmoid", [f"c{i}"], [f"s{i}"])]
        last, channels = f"s{i}", after
    cells = size[0] * size[1] // 64
    weights.append(onnx_models.tensor("shape", np.array([1, 6, cells])))
    nodes.append(onnx_models.helper.make_node("Reshape", [last, "shape"], ["output0"]))
    onnx_models.save(path, nodes, [onnx_models.described("images", [1, 3, *size])],
                     [onnx_models.described("output0", [1, 6, cells])], weights)
    return cells


def golden_image(width, height, seed):
    """As in docs/MODELS.md."""
    def mix(v):
        v = (v ^ v >> np.uint32(16)) * np.uint32(0x7feb352d)
        v = (v ^ v >> np.uint32(15)) * np.uint32(0x846ca68b)
        return v ^ v >> np.uint32(16)
    y, x, c = np.mgrid[:height, :width, :3].astype(np.uint32)
    return (mix((y // 8 << 16 | x // 8) + mix(np.uint32(seed * 3) + c)) & 255).astype(np.uint8)


def letterboxed(image, size, fit, fill):
    height, width = size
    scale = min(width / image.shape[1], height / image.shape[0])
    inside = (round(image.shape[1] * scale), round(image.shape[0] * scale))
    if fit == "stretch":
        inside = (width, height)
    left, top = ((width - inside[0]) // 2, (height - inside[1]) // 2) if fit == "letterbox_center" else (0, 0)
    boxed = np.full((height, width, 3), fill, np.float64)
    boxed[top:top + inside[1], left:left + inside[0]] = cv2.resize(image, inside, interpolation=cv2.INTER_LINEAR)
    return boxed


def agrees_with_cv2(folder):
    """The golden numbers are those that Python's cv2.dnn gives for the same picture, prepared by numpy."""
    size, mean, std, fill = (64, 96), np.array([0.4, 0.5, 0.1]), np.array([0.2, 0.3, 0.7]), 30
    model, contract = folder / "filter.onnx", folder / "filter.yaml"
    cells = filter_model(model, size)
    image = golden_image((3 * size[1] + 3) // 4, (size[0] + 1) // 2, 1)
    for fit, color in (("letterbox_center", "rgb"), ("letterbox_top_left", "bgr"), ("stretch", "bgr")):
        described = onnx_models.contract_of(model, "yolov8", {"rows": ("output0", (1, 6, cells))}, size, ("a", "b"))
        described["input"].update(fit=fit, color=color, fill=fill, scale=1 / 255, mean=mean.tolist(), std=std.tolist())
        onnx_models.write_contract(contract, described)
        pov("seal", contract)
        pixels = letterboxed(image[..., ::-1] if color == "bgr" else image, size, fit, fill)
        net = cv2.dnn.readNetFromONNX(str(model))
        net.setInput(((pixels / 255 - mean) / std).transpose(2, 0, 1)[None].astype(np.float32))
        peer = net.forward().ravel()
        values = yaml.safe_load(contract.read_text())["golden"]["values"]
        assert len(values) > 5
        for value in values:
            assert abs(peer[value["index"]] - value["value"]) < 1e-5, (fit, color, value, peer[value["index"]])


def compares_two(folder):
    """YOLO26's rows of two networks: the same box, one moved by a quarter of its side, one of another class, two too far apart."""
    rows = np.array([[10, 10, 30, 30, 0.9, 0], [40, 10, 60, 30, 0.8, 1], [70, 10, 90, 30, 0.7, 1], [10, 40, 30, 60, 0.6, 0],
                     [40, 40, 60, 60, 0.2, 0]])
    other = rows.copy()
    other[1, [0, 2, 4]] += [5, 5, -0.1]
    other[2, 5] = 0
    other[3, [0, 2]] += 15
    for name, table in ("one", rows), ("other", other):
        onnx_models.constant_model(folder / f"{name}.onnx", {"rows": table[None]})
        described = onnx_models.contract_of(folder / f"{name}.onnx", "yolo26", {"rows": ("rows", (1, 5, 6))})
        described["input"]["fit"] = "stretch"
        onnx_models.write_contract(folder / f"{name}.yaml", described)
    (folder / "pictures").mkdir()
    for i in range(3):
        cv2.imwrite(str(folder / "pictures" / f"{i}.png"), np.full((64, 96, 3), 60 * i, np.uint8))
    found = json.loads(pov("compare", folder / "one.yaml", folder / "other.yaml", folder / "pictures", "--json"))
    assert found["images"] == 3 and [d["found"] for d in found["detectors"]] == [12, 12] and found["found_by_both"] == 6, found
    assert abs(found["mean_overlap"] - (1 + 15 / 25) / 2) < 1e-5 and abs(found["score_difference_95"] - 0.1) < 1e-5, found
    assert all("OpenCV" in d["runs_on"] and d["look_ms"] > 0 for d in found["detectors"]), found
    told = pov("compare", folder / "one.yaml", folder / "one.yaml", folder / "pictures")
    assert "12, of 3 images; their boxes overlap by 1.000" in told, told
    assert "finds nothing by itself" in pov("compare", folder / "one.yaml", folder / "turned.yaml", folder / "pictures", status=1)
    pov("compare", folder / "one.yaml", folder / "pictures", status=2)


def survives_a_model_that_crashes_opencv(folder):
    model, contract = folder / "harmful.onnx", folder / "harmful.yaml"
    harmful_model(model)
    crash = subprocess.run([sys.executable, "-c", "import cv2, numpy, sys; n = cv2.dnn.readNetFromONNX(sys.argv[1]);"
                            "n.setInput(numpy.zeros((1, 3, 32, 32), numpy.float32)); n.forward()", model], capture_output=True)
    assert crash.returncode < 0, "this OpenCV does not crash: another harmful model is needed"
    onnx_models.write_contract(contract, onnx_models.contract_of(
        model, "depth", {"depth": ("out", (1, 1, 30, 30))}, size=(32, 32), classes=(), near="large"))
    cv2.imwrite(str(folder / "crop.png"), np.zeros((50, 60, 3), np.uint8))
    for arguments in ("check", model), ("check", contract), ("seal", contract), ("run", contract, folder / "crop.png"):
        assert "OpenCV crashed when it loaded or ran it" in pov(*arguments, status=1), arguments


def shows_a_heading(folder):
    model, contract = folder / "turned.onnx", folder / "turned.yaml"
    bins = np.full((1, 12), -9.0)
    bins[0, 3] = 9
    onnx_models.constant_model(model, {"heading": bins})
    onnx_models.write_contract(contract, onnx_models.contract_of(
        model, "heading", {"heading": ("heading", (1, 12))}, classes=(),
        heading={"kind": "bins", "bins": 12, "against": "ray", "away_deg": -90, "turns": "clockwise"}))
    cv2.imwrite(str(folder / "crop.png"), np.zeros((50, 60, 3), np.uint8))
    seen = json.loads(pov("run", contract, folder / "crop.png", "--json", "--annotate", folder / "out"))
    mode, = seen["detections"][0]["heading"]
    assert abs(abs(mode["deg"]) - 180) < 0.01, seen  # bin 3 is at 90; 90 - -90 clockwise is 180
    assert cv2.imread(str(folder / "out" / "crop.png")).shape == (50, 60, 3)
    cv2.imwrite(str(folder / "crop.jpg"), np.zeros((40, 60, 3), np.uint8))
    assert "heading" in pov("run", contract, folder / "crop.png", folder / "crop.jpg", "--annotate", folder / "out")
    assert cv2.imread(str(folder / "out" / "crop.png")).shape == (50, 60, 3)
    assert cv2.imread(str(folder / "out" / "crop.jpg.png")).shape == (40, 60, 3)


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        guess_layouts(folder)
        names_from_metadata(folder)
        refuses_what_cannot_run(folder)
        mends_what_opencv_misreads(folder)
        agrees_with_cv2(folder)
        shows_a_heading(folder)
        compares_two(folder)
        survives_a_model_that_crashes_opencv(folder)


if __name__ == "__main__":
    main()
