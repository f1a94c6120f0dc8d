#!/usr/bin/python3
"""Pictures as a text-to-image model might draw them, drawn by the simulator: right, wrong, or with a thing missing. Their VISOR is
known; `pov score` finds it from the rendered truth, and by networks that look at the pictures."""
import itertools
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

import cv2
import numpy as np

sys.path.insert(0, str(pathlib.Path(os.environ["POV_SOURCE"]) / "tests" / "support"))
import onnx_models  # noqa: E402

POV = os.environ["POV"]
SIDE_PX, CELL_PX, BOX_PX = 256, 16, 128
COLOURS = {"box": "#e01010", "car": "#1020e0", "chair": "#10a010"}
CONVERT = {"front": dict(left="right", right="left", front="front", back="back"),
           "back": dict(left="left", right="right", front="back", back="front"),
           "right": dict(front="right", right="front", back="left", left="back"),
           "left": dict(front="left", left="front", right="back", back="right")}
OPPOSITE = {"left": "right", "right": "left", "front": "back", "back": "front"}
FACING_DEG = {"front": 0, "left": 270, "back": 180, "right": 90}  # the camera is at +x, its right at +y
NOWHERE = [-60, 0]


def pov(*arguments, code=0):
    done = subprocess.run([POV, *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode == code, (arguments, done.returncode, done.stderr)
    return done.stdout if code == 0 else done.stderr


# ---- what is drawn ---------------------------------------------------------------------------------------------------

def captions():
    """C-split: each relation, in the camera's words, and in the car's by the way it faces."""
    items = []
    for i, relation in enumerate(CONVERT["front"]):
        items.append(dict(id=f"ER{i}", obj1="box", obj2="chair", relation=relation, label=["external relative"], obj2_dir="nan"))
    for i, (facing, relation) in enumerate(itertools.product(CONVERT, CONVERT["front"])):
        items.append(dict(id=f"EI{i}_{facing}", obj1="box", obj2="car", relation=relation, label=["external intrinsic"], obj2_dir=facing))
    return items


def for_camera(caption):
    return CONVERT[caption["obj2_dir"]][caption["relation"]] if "intrinsic" in caption["label"][0] else caption["relation"]


def places(relation):
    """Of locatum and relatum, [x, y]: nearer is +x, to the right is +y."""
    return {"left": ([0, -0.75], [0, 0.75]), "right": ([0, 0.75], [0, -0.75]), "front": ([0.8, -0.2], [-0.9, 0.25]),
            "back": ([-0.9, 0.2], [0.8, -0.25])}[relation]


def draw(folder, items, plan):
    """One rendering: image i shows picture i, as things are put elsewhere from image to image."""
    paths = {name: [] for name in COLOURS}
    for i, (caption, outcome) in enumerate(plan):
        relation = for_camera(caption)
        where = dict(zip((caption["obj1"], caption["obj2"]), places(OPPOSITE[relation] if outcome == "wrong" else relation)))
        for name in COLOURS:
            gone = name not in where or outcome == "no " + ("obj1" if name == caption["obj1"] else "obj2")
            at = {"at_s": round(i * 0.1, 3), "position_m": NOWHERE if gone else where[name]}
            at["yaw_deg" if name == "box" else "front_deg"] = FACING_DEG.get(caption["obj2_dir"], 0)
            paths[name].append(at)
    sizes = {"box": 0.4, "car": 0.8, "chair": 0.7}
    world = {"about": "generated pictures", "rate_hz": 10, "images": len(plan), "lighting": {"ambient": 0.7}, "sensor": {"preset": "clean"},
             "camera": {"size_px": [SIDE_PX, SIDE_PX], "field_of_view_deg": 50, "position_m": [3.4, 0, 1.9], "look_at_m": [0, 0, 0.1]},
             "surface": {"size_m": [8, 8], "color": "#909090", "look": "plain"},
             "things": [{"id": name, "class": name, "size_m": sizes[name], "color": colour, "position_m": paths[name][0]["position_m"],
                         **{key: value for key, value in paths[name][0].items() if key.endswith("_deg")}, "path": paths[name][1:]}
                        for name, colour in COLOURS.items()]}
    (folder / "world.yaml").write_text(json.dumps(world))  # JSON is YAML
    pov("sim", folder / "world.yaml", "--out", folder / "sim", "--bodies", "own", "--truth-images", "--quiet")
    images = sorted((folder / "sim/images").glob("*.png"))
    assert len(images) == len(plan)
    (folder / "pictures").mkdir()
    numbers = {}
    names = []
    for image, (caption, _) in zip(images, plan):
        number = numbers.get(caption["id"], 0)
        numbers[caption["id"]] = number + 1
        names.append(f"{caption['id']}_gen_{number}.png")
        shutil.copy(image, folder / "pictures" / names[-1])
    return images, names


def expected(items, plan):
    right, both, least = 0, 0, [0] * 4
    for caption in items:
        outcomes = [outcome for of, outcome in plan if of is caption]
        right += outcomes.count("right")
        both += outcomes.count("right") + outcomes.count("wrong")
        least = [n + (outcomes.count("right") > i) for i, n in enumerate(least)]
    pictures = 4 * len(items)
    return {"VISOR_cond": right / both, "VISOR_uncond": right / pictures, "both_things": both / pictures,
            **{f"VISOR_{i + 1}": n / len(items) for i, n in enumerate(least)}}


def compare(what, result, items, plan):
    for name, some in (("all", items), ("external relative", [c for c in items if "relative" in c["label"][0]]),
                       ("external intrinsic", [c for c in items if "intrinsic" in c["label"][0]])):
        row = next(row for row in result["visor"] if row["of"] == name)
        for key, value in expected(some, plan).items():
            assert abs(row[key]["mean"] - value) < 1e-9, (what, name, key, row[key], value)


# ---- two ways to look ------------------------------------------------------------------------------------------------

def of_rendered_truth(folder, images, names):
    """Boxes and inverse distances from the truth images: what a perfect detector and depth network would give."""
    truth = [json.loads(line) for line in (folder / "sim/truth.jsonl").read_text().splitlines()]
    lines = []
    for image, name, true in zip(images, names, truth):
        ids = cv2.imread(str(folder / "sim/ids" / image.name), cv2.IMREAD_UNCHANGED)
        depth = cv2.imread(str(folder / "sim/depth" / image.name), cv2.IMREAD_UNCHANGED)
        found = []
        for entity in true["scene"]["entities"]:
            ys, xs = np.nonzero(ids == entity["label"] + 1)
            if len(xs) > 20:
                found.append({"label": entity["class"], "box": [int(xs.min()), int(ys.min()), int(xs.max()) + 1, int(ys.max()) + 1],
                              "depth": 1000 / float(np.median(depth[ys, xs]))})
        lines.append(json.dumps({"image": name, "detections": found}))
    (folder / "truth.jsonl").write_text("\n".join(lines))


def detector(folder):
    """A YOLOX of one convolution: a cell is a thing if its mean colour is. Boxes are so wide that one of each is left."""
    classes = list(COLOURS)
    channels = 5 + len(classes)
    weights, bias = np.zeros((channels, 3, CELL_PX, CELL_PX), np.float32), np.zeros(channels, np.float32)
    bias[2:5] = 60  # sigmoids: offsets are 0.5, sizes and objectness 1
    for i, channel in enumerate((0, 2, 1)):  # red, blue, green
        weights[5 + i] = -30 / 255 / CELL_PX ** 2
        weights[5 + i, channel] = 60 / 255 / CELL_PX ** 2
        bias[5 + i] = -9
    cells = (SIDE_PX // CELL_PX) ** 2
    helper = onnx_models.helper
    nodes = [helper.make_node("Conv", ["images", "w", "b"], ["c"], kernel_shape=[CELL_PX] * 2, strides=[CELL_PX] * 2),
             helper.make_node("Sigmoid", ["c"], ["s"]), helper.make_node("Mul", ["s", "wide"], ["m"]),
             helper.make_node("Reshape", ["m", "shape"], ["r"]), helper.make_node("Transpose", ["r"], ["rows"], perm=[0, 2, 1])]
    wide = np.ones((1, channels, 1, 1), np.float32)
    wide[0, 2:4] = np.log(BOX_PX / CELL_PX)
    onnx_models.save(folder / "finder.onnx", nodes, [onnx_models.described("images", [1, 3, SIDE_PX, SIDE_PX])],
                     [onnx_models.described("rows", [1, cells, channels])],
                     [onnx_models.tensor("w", weights), onnx_models.tensor("b", bias), onnx_models.tensor("wide", wide),
                      onnx_models.tensor("shape", np.array([1, channels, cells], np.int64))])
    contract = onnx_models.contract_of(folder / "finder.onnx", "yolox", {"rows": ("rows", (1, cells, channels))}, (SIDE_PX, SIDE_PX),
                                       classes=classes, strides=[CELL_PX], overlap_max=0.05)
    contract["score_min"] = 0.5
    onnx_models.write_contract(folder / "finder.yaml", contract)
    pov("model", "seal", folder / "finder.yaml")


def depth_network(folder):
    """What is lower in the picture is nearer."""
    ramp = np.repeat(np.arange(SIDE_PX // 2, dtype=np.float32)[:, None], SIDE_PX // 2, 1)[None, None]
    for name, values, near in (("depth", ramp, "large"), ("metric", 1000 - ramp, "small"), ("upside_down", ramp, "small")):
        onnx_models.constant_model(folder / f"{name}.onnx", {"depth": values}, (SIDE_PX, SIDE_PX))
        contract = onnx_models.contract_of(folder / f"{name}.onnx", "depth", {"depth": ("depth", values.shape)}, (SIDE_PX, SIDE_PX),
                                           classes=None, near=near)
        onnx_models.write_contract(folder / f"{name}.yaml", contract)
        pov("model", "seal", folder / f"{name}.yaml")


def main():
    source = random.Random(4)
    items = captions()
    plan = [(caption, source.choice(["right", "right", "wrong", "no obj1", "no obj2"])) for caption in items for _ in range(4)]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        images, names = draw(folder, items, plan)
        (folder / "captions.json").write_text(json.dumps({"data": items}))
        scoring = ["--paper", "visor", "--captions", folder / "captions.json", "--json", "--resamples", "100"]
        of_rendered_truth(folder, images, names)
        compare("the truth", json.loads(pov("score", folder / "truth.jsonl", *scoring)), items, plan)
        detector(folder)
        depth_network(folder)
        for depth in "depth", "metric":
            networks = ["--detector", folder / "finder.yaml", "--depth", folder / f"{depth}.yaml"]
            looked = json.loads(pov("score", folder / "pictures", *scoring, *networks, "--keep", folder / "kept.csv"))
            compare(depth, looked, items, plan)
            assert json.loads(pov("score", folder / "kept.csv", *scoring)) == looked
        # Upside down, front and back are wrong where they are right; left and right do not care.
        networks = ["--detector", folder / "finder.yaml", "--depth", folder / "upside_down.yaml"]
        looked = json.loads(pov("score", folder / "pictures", *scoring, *networks))
        flipped = [(c, OPPOSITE_OUTCOME.get(o, o) if for_camera(c) in ("front", "back") else o) for c, o in plan]
        compare("upside down", looked, items, flipped)
        refuses(folder, scoring)


OPPOSITE_OUTCOME = {"right": "wrong", "wrong": "right"}


def refuses(folder, scoring):
    networks = ["--detector", folder / "finder.yaml", "--depth", folder / "depth.yaml"]
    pov("score", folder / "pictures", *scoring, code=2)
    pov("score", folder / "truth.jsonl", *scoring, *networks, code=2)
    (folder / "empty").mkdir()
    assert "has none of the captions' pictures: ER0_gen_0.png" in pov("score", folder / "empty", *scoring, *networks, code=1)
    swapped = ["--detector", folder / "depth.yaml", "--depth", folder / "finder.yaml"]
    assert "layout depth finds nothing by itself" in pov("score", folder / "pictures", *scoring, *swapped, code=1)
    swapped = ["--detector", folder / "finder.yaml", "--depth", folder / "finder.yaml"]
    assert "layout yolox tells no depth" in pov("score", folder / "pictures", *scoring, *swapped, code=1)
    other = [dict(caption, obj2="goat") if "ER" in caption["id"] else caption for caption in captions()]
    (folder / "captions.json").write_text(json.dumps(other))
    done = subprocess.run([POV, "score", folder / "pictures", *scoring, *networks], capture_output=True, text=True)
    assert done.returncode == 0 and "the detector has no class 'goat': of 4 captions" in done.stderr, done.stderr


if __name__ == "__main__":
    main()
