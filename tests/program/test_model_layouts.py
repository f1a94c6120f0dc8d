#!/usr/bin/python3
"""Every layout, through each library that this pov has: networks that give random numbers, decoded by `pov model run` and by numpy."""
import itertools
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import cv2
import numpy as np

sys.path.insert(0, str(pathlib.Path(os.environ["POV_SOURCE"]) / "tests" / "support"))
import onnx_models  # noqa: E402

HEIGHT, WIDTH = 64, 96
IMAGE_WIDTH, IMAGE_HEIGHT = 300, 123
CLASSES = ("car", "person", "ball")
SCORE_MIN, OVERLAP_MAX = 0.3, 0.45
random = np.random.default_rng(5)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def corners(center):
    x, y, w, h = center.T
    return np.stack([x - w / 2, y - h / 2, x + w / 2, y + h / 2], 1)


def grid(strides):
    cells = [(x, y, s) for s in strides for y in range(-(-HEIGHT // s)) for x in range(-(-WIDTH // s))]
    return np.array(cells, float).T


def random_boxes(n):
    return np.stack([random.uniform(0, WIDTH, n), random.uniform(0, HEIGHT, n), random.uniform(5, 50, n),
                     random.uniform(5, 40, n)], 1)


def random_scores(n):
    return random.uniform(0, 1, (n, len(CLASSES))) ** 3


# Each gives: outputs by role, more keys of the contract, and what numpy makes of them: boxes and scores for each class.

def yolox():
    x, y, s = grid((8, 16, 32))
    n = len(x)
    raw = np.hstack([random.normal(0, 1, (n, 2)), random.normal(0.5, 0.7, (n, 2)), random.uniform(0, 1, (n, 1)),
                     random_scores(n)])
    center = np.stack([(raw[:, 0] + x) * s, (raw[:, 1] + y) * s, np.exp(raw[:, 2]) * s, np.exp(raw[:, 3]) * s], 1)
    return {"rows": raw[None]}, {"strides": [8, 16, 32]}, corners(center), raw[:, 5:] * raw[:, 4:5]


def yolov5():
    raw = np.hstack([random_boxes(200), random.uniform(0, 1, (200, 1)), random_scores(200)])
    return {"rows": raw[None]}, {}, corners(raw[:, :4]), raw[:, 5:] * raw[:, 4:5]


def yolov8():
    raw = np.hstack([random_boxes(150), random_scores(150)])
    return {"rows": raw.T[None]}, {}, corners(raw[:, :4]), raw[:, 4:]


def finished(n):
    boxes, scores = corners(random_boxes(n)), random.uniform(0, 1, n)
    labels = random.integers(0, len(CLASSES), n)
    return boxes, scores, labels, np.where(labels[:, None] == np.arange(len(CLASSES)), scores[:, None], -1)


def yolo26():
    boxes, scores, labels, table = finished(30)
    return {"rows": np.hstack([boxes, scores[:, None], labels[:, None]])[None]}, {}, boxes, table


def rtdetr_post():
    boxes, scores, labels, table = finished(30)
    shares = boxes / [WIDTH, HEIGHT, WIDTH, HEIGHT]
    return ({"labels": labels[None], "boxes": shares[None], "scores": scores[None]},
            {"size_input": "orig_target_sizes"}, boxes, table)


def rtdetr(slots=0):
    boxes, logits = random_boxes(40), random.normal(-1, 2, (40, len(CLASSES) + slots))
    return ({"boxes": boxes[None] / [WIDTH, HEIGHT, WIDTH, HEIGHT], "scores": logits[None]}, {}, corners(boxes),
            sigmoid(logits))


def rfdetr_last():
    outputs, more, boxes, scores = rtdetr(1)
    return outputs, {"nothing": "last"}, boxes, scores[:, :-1]


def rfdetr_first():
    outputs, more, boxes, scores = rtdetr(1)
    return outputs, {"nothing": "first"}, boxes, scores[:, 1:]


def nanodet(cell_center=0.0):
    x, y, s = grid((8, 16, 32, 64))
    n, bins = len(x), 8
    scores, distributions = random_scores(n), random.normal(0, 1.5, (n, 4, bins))
    weights = np.exp(distributions)
    left, top, right, bottom = ((weights / weights.sum(2, keepdims=True)) @ np.arange(bins)).T * s
    cx, cy = (x + cell_center) * s, (y + cell_center) * s
    return ({"rows": np.hstack([scores, distributions.reshape(n, -1)])[None]},
            {"strides": [8, 16, 32, 64], "distance_bins": bins, "cell_center": cell_center},
            np.stack([cx - left, cy - top, cx + right, cy + bottom], 1), scores)


def nanodet_half():
    return nanodet(0.5)


def in_parts(values, strides, columns_first=False):
    """Rows of [N, columns] as one tensor for each stride: tables, or maps with the columns first."""
    parts, at = [], 0
    for stride in strides:
        height, width = -(-HEIGHT // stride), -(-WIDTH // stride)
        part = values[at:at + height * width]
        parts.append(part.T.reshape(1, -1, height, width) if columns_first else part[None])
        at += height * width
    return parts


def split_nanodet():
    outputs, more, boxes, scores = nanodet(0.5)
    rows = outputs["rows"][0]
    logits = np.log(np.clip(scores, 1e-6, 1 - 1e-6) / (1 - np.clip(scores, 1e-6, 1 - 1e-6)))
    return ({"scores": [part[0] for part in in_parts(logits, more["strides"])], "boxes": in_parts(rows[:, len(CLASSES):], more["strides"])},
            {**more, "logits": True}, boxes, scores)


def fastestdet():
    x, y, s = grid((16,))
    n = len(x)
    raw = np.hstack([random.uniform(0, 1, (n, 1)), random.normal(0, 1, (n, 4)), random.uniform(0, 1, (n, len(CLASSES)))])
    center = np.stack([(x + np.tanh(raw[:, 1])) * s, (y + np.tanh(raw[:, 2])) * s, sigmoid(raw[:, 3]) * WIDTH,
                       sigmoid(raw[:, 4]) * HEIGHT], 1)
    return ({"rows": in_parts(raw, (16,), True)}, {"strides": [16], "columns": "first"}, corners(center),
            raw[:, 5:] ** 0.4 * raw[:, :1] ** 0.6)


def cell_boxes(n, x, y, s):
    raw = np.hstack([random.normal(0, 1, (n, 2)), random.normal(0.5, 0.7, (n, 2))])
    return raw, np.stack([(raw[:, 0] + x) * s, (raw[:, 1] + y) * s, np.exp(raw[:, 2]) * s, np.exp(raw[:, 3]) * s], 1)


def face_of_cells():
    strides = (8, 16, 32)
    x, y, s = grid(strides)
    raw, center = cell_boxes(len(x), x, y, s)
    score, there, points = random_scores(len(x))[:, :1], random.uniform(0, 1, (len(x), 1)), random.normal(0, 1, (len(x), 10))
    shown = ((points.reshape(-1, 5, 2) + np.stack([x, y], 1)[:, None]) * s[:, None, None])
    return ({"scores": in_parts(score, strides), "objectness": in_parts(there, strides), "boxes": in_parts(raw, strides),
             "landmarks": in_parts(points, strides)},
            {"strides": list(strides), "boxes": "cells", "keypoints": {"count": 5}, "classes": CLASSES[:1], "points": shown},
            corners(center), np.sqrt(score * there))


def face_of_corners():
    boxes, face = corners(random_boxes(60)), random_scores(60)[:, :1]
    return ({"boxes": boxes[None] / [WIDTH, HEIGHT, WIDTH, HEIGHT], "scores": np.hstack([1 - face, face])[None]},
            {"boxes": "corners", "nothing": "first", "classes": CLASSES[:1]}, boxes, face)


def prior_boxes(strides, priors, n_columns):
    at = np.array([(x + 0.5, y + 0.5, s, w, h) for s, sizes in zip(strides, priors) for y in range(-(-HEIGHT // s))
                   for x in range(-(-WIDTH // s)) for w, h in sizes])
    raw = random.normal(0, 1, (len(at), 4))
    center = np.stack([at[:, 0] * at[:, 2] + raw[:, 0] * 0.1 * at[:, 3], at[:, 1] * at[:, 2] + raw[:, 1] * 0.1 * at[:, 4],
                       at[:, 3] * np.exp(0.2 * raw[:, 2]), at[:, 4] * np.exp(0.2 * raw[:, 3])], 1)
    return raw, center, random.normal(0, 2, (len(at), n_columns))


def ssd_of_priors():
    strides, priors = (16, 32), ([[10, 10], [16, 30]], [[32, 20], [48, 48], [20, 50]])
    raw, center, logits = prior_boxes(strides, priors, len(CLASSES) + 1)
    shares = np.exp(logits) / np.exp(logits).sum(1, keepdims=True)
    return ({"boxes": raw[None], "scores": logits[None]},
            {"strides": list(strides), "boxes": "priors", "priors": list(priors), "variances": [0.1, 0.2], "nothing": "first",
             "logits": True}, corners(center), shares[:, 1:])


def yolov8_pose():
    raw = np.hstack([random_boxes(150), random_scores(150), random.uniform(0, 96, (150, 17 * 3))])
    raw[:, 6 + 3::3] = np.clip(raw[:, 6 + 3::3] / 96, 0, 1)
    points = raw[:, 4 + len(CLASSES):].reshape(-1, 17, 3)[..., :2]
    return {"rows": raw.T[None]}, {"keypoints": {"count": 17, "columns": 3}, "points": points}, corners(raw[:, :4]), raw[:, 4:7]


def yolov8_masks():
    raw = np.hstack([random_boxes(150), random_scores(150), random.normal(0, 9, (150, 32))])
    return {"rows": raw.T[None]}, {"extra_columns": 32}, corners(raw[:, :4]), raw[:, 4:7]


def yolov8_turned():
    raw = np.hstack([random_boxes(150), random_scores(150), random.uniform(-np.pi / 4, 3 * np.pi / 4, (150, 1))])
    half, turn = raw[:, 2:4] / 2, raw[:, -1]
    ends = [np.stack([np.cos(turn) * a * half[:, 0] - np.sin(turn) * b * half[:, 1],
                      np.sin(turn) * a * half[:, 0] + np.cos(turn) * b * half[:, 1]], 1) for a in (-1, 1) for b in (-1, 1)]
    return ({"rows": raw.T[None]}, {"extra_columns": 1, "rotated": True},
            np.hstack([raw[:, :2] + np.min(ends, 0), raw[:, :2] + np.max(ends, 0)]), raw[:, 4:7])


def movenet():
    """Six people: y, x and score of 17 points, then top, left, bottom, right and score."""
    boxes, score = corners(random_boxes(6)) / [WIDTH, HEIGHT, WIDTH, HEIGHT], random.uniform(0.35, 1, 6)
    points = random.uniform(0, 1, (6, 17, 3))
    raw = np.hstack([points.reshape(6, 51), boxes[:, [1, 0, 3, 2]], score[:, None]])
    return ({"rows": raw[None]}, {"classes": CLASSES[:1], "keypoints": {"count": 17}, "points": points[..., 1::-1] * [WIDTH, HEIGHT]},
            boxes * [WIDTH, HEIGHT, WIDTH, HEIGHT], score[:, None])


LAYOUTS = {"movenet": (movenet,), "fastestdet": (fastestdet,), "face": (face_of_cells, face_of_corners), "ssd": (ssd_of_priors,), "yolox": (yolox,), "yolov5": (yolov5,), "yolov8": (yolov8, yolov8_pose, yolov8_masks, yolov8_turned), "yolo26": (yolo26,), "rtdetr": (rtdetr,),
           "rtdetr_post": (rtdetr_post,), "rfdetr": (rfdetr_last, rfdetr_first), "nanodet": (nanodet, nanodet_half, split_nanodet)}
NOTHING_TO_SUPPRESS = ("movenet", "yolo26", "rtdetr", "rtdetr_post", "rfdetr")


def overlap(a, b):
    width = np.minimum(a[2], b[:, 2]) - np.maximum(a[0], b[:, 0])
    height = np.minimum(a[3], b[:, 3]) - np.maximum(a[1], b[:, 1])
    both = np.clip(width, 0, None) * np.clip(height, 0, None)
    area = lambda box: (box[..., 2] - box[..., 0]) * (box[..., 3] - box[..., 1])
    return both / (area(a) + area(b) - both)


def expected(boxes, scores, fit, suppress, across, points=None):
    """Also how many boxes have no area within the image, and the points of each."""
    scale = np.array([WIDTH / IMAGE_WIDTH, HEIGHT / IMAGE_HEIGHT])
    size = np.array([WIDTH, HEIGHT])
    if fit != "stretch":
        size = np.round(np.array([IMAGE_WIDTH, IMAGE_HEIGHT]) * scale.min())
    start = (np.array([WIDTH, HEIGHT]) - size) // 2 if fit == "letterbox_center" else np.zeros(2)
    image = np.array([IMAGE_WIDTH, IMAGE_HEIGHT])
    best, label = scores.max(1), scores.argmax(1)
    order = [i for i in np.argsort(-best, kind="stable") if best[i] >= SCORE_MIN]
    shown = np.clip(boxes, np.tile(start, 2), np.tile(start + size, 2))
    empty = [i for i in order if not (shown[i, 2:] > shown[i, :2]).all()]
    order = [i for i in order if i not in empty]
    kept = []
    while order:
        i = order.pop(0)
        kept.append(i)
        iou = overlap(boxes[i], boxes)
        order = [j for j in order if not suppress or (label[j] != label[i] and not across) or iou[j] <= OVERLAP_MAX]
    edges = np.clip((boxes.reshape(-1, 2, 2) - start) * image / size, 0, image) - 0.5
    shown = None if points is None else (points[kept] - start) * image / size - 0.5
    return [(CLASSES[label[i]], best[i], edges[i].ravel()) for i in kept], len(empty), shown


def run(contract, image, backend):
    ran = subprocess.run([os.environ["POV"], "model", "run", contract, image, "--json", "--backend", backend],
                         capture_output=True, text=True)
    assert ran.returncode == 0, (backend, ran.stderr)
    return json.loads(ran.stdout)


def check(folder, layout, make, way, backend):
    fit, across = way
    outputs, more, boxes, scores = make()
    model, contract = folder / "model.onnx", folder / "model.yaml"
    size_input, columns, points = more.pop("size_input", None), more.pop("columns", "last"), more.pop("points", None)
    parts = {role: part for role, part in outputs.items() if isinstance(part, list)}
    whole = {role: a for role, a in outputs.items() if role not in parts}
    tensors = {**whole, **{f"{role}{i}": a for role, part in parts.items() for i, a in enumerate(part)}}
    onnx_models.constant_model(model, tensors, (HEIGHT, WIDTH), size_input=size_input)
    described = onnx_models.contract_of(model, layout, {role: (role, a.shape) for role, a in whole.items()},
                                        (HEIGHT, WIDTH), across_classes=across, **{"classes": CLASSES, **more})
    for role, part in parts.items():
        described["outputs"][role] = {"parts": [{"name": f"{role}{i}", "shape": list(a.shape)} for i, a in enumerate(part)],
                                      "columns": columns}
    described["input"]["fit"] = fit
    if size_input:
        described["input"]["size_input"] = size_input
    onnx_models.write_contract(contract, described)
    told = run(contract, folder / "image.png", backend)
    found = told["detections"]
    wanted, empty, shown = expected(boxes, scores, fit, layout not in NOTHING_TO_SUPPRESS, across, points)
    assert told["without_area"] == empty, (layout, told["without_area"], empty)
    assert len(wanted) > 3 and len(found) == len(wanted), (layout, len(found), len(wanted))
    for have, (name, score, edges) in zip(found, wanted):
        assert have["class"] == name, (layout, have, name, score)
        assert abs(have["score"] - score) < 1e-5, (layout, have, score)
        assert np.abs(np.array(have["box_px"]) - edges).max() < 2e-3, (layout, have, edges)
    if points is not None:
        assert np.abs(np.array([d["points_px"] for d in found])[..., :2] - shown).max() < 2e-2, layout


def expected_nearness(values, fit, near):
    """The median of the middle half of each ninth of the image."""
    rows, columns = values.shape
    scale = np.array([WIDTH / IMAGE_WIDTH, HEIGHT / IMAGE_HEIGHT])
    size = np.array([WIDTH, HEIGHT], float)
    if fit != "stretch":
        size = np.round(np.array([IMAGE_WIDTH, IMAGE_HEIGHT]) * scale.min())
    start = (np.array([WIDTH, HEIGHT]) - size) // 2 if fit == "letterbox_center" else np.zeros(2)
    at = lambda share, axis: round((start[axis] + share * size[axis]) * (columns / WIDTH if axis == 0 else rows / HEIGHT) + 1e-9)
    parts = []
    for y, x in itertools.product(range(3), range(3)):
        part = values[at((y + 0.25) / 3, 1):at((y + 0.75) / 3, 1), at((x + 0.25) / 3, 0):at((x + 0.75) / 3, 0)]
        parts.append((1 if near == "large" else -1) * np.median(part))
    return parts


def check_depth(folder, fit, near, shape, backend):
    model, contract = folder / "depth.onnx", folder / "depth.yaml"
    values = random.uniform(0.5, 9, shape[-2:])
    onnx_models.constant_model(model, {"depth": values.reshape(shape)}, (HEIGHT, WIDTH))
    described = onnx_models.contract_of(model, "depth", {"depth": ("depth", shape)}, (HEIGHT, WIDTH), classes=None, near=near)
    described["input"]["fit"] = fit
    onnx_models.write_contract(contract, described)
    found = run(contract, folder / "image.png", backend)["nearness"]
    assert np.abs(np.array(found) - expected_nearness(values, fit, near)).max() < 1e-4, (fit, near, shape)
    for wrong, complaint in (({"near": "far"}, "near"), ({"near": None}, "near"), ({"layout": "yolov8"}, "yolov8"),
                             ({"outputs": {"depth": {"name": "depth", "shape": [1, 2, HEIGHT, WIDTH]}}}, "outputs.depth.shape"),
                             ({"outputs": {"rows": {"name": "depth", "shape": list(shape)}}}, "has no 'rows'")):
        bad = {key: value for key, value in {**described, **wrong}.items() if value is not None}
        onnx_models.write_contract(folder / "bad.yaml", bad)
        ran = subprocess.run([os.environ["POV"], "model", "run", folder / "bad.yaml", folder / "image.png"], capture_output=True, text=True)
        assert ran.returncode == 1 and complaint in ran.stderr, (wrong, ran.stderr)


def points_in_image(points, fit):
    scale = np.array([WIDTH / IMAGE_WIDTH, HEIGHT / IMAGE_HEIGHT])
    size = np.array([WIDTH, HEIGHT], float) if fit == "stretch" else np.round(np.array([IMAGE_WIDTH, IMAGE_HEIGHT]) * scale.min())
    start = (np.array([WIDTH, HEIGHT]) - size) // 2 if fit == "letterbox_center" else np.zeros(2)
    return (points - start) * np.array([IMAGE_WIDTH, IMAGE_HEIGHT]) / size - 0.5


def check_points(folder, fit, backend):
    """Of one person: MoveNet's [1, 1, 17, 3], about which the box is made, and RTMPose's bins of what a crop shows: the whole image."""
    one = random.uniform(0.32, 0.55, (17, 3))
    bins = random.integers(0, 2 * HEIGHT, (17, 2))
    across, down = np.zeros((1, 17, 2 * WIDTH)), np.zeros((1, 17, 2 * HEIGHT))
    for k, (x, y) in enumerate(bins):
        across[0, k, x], down[0, k, y] = 0.9, 0.6
    for layout, outputs, more, shown, score in (
            ("movenet", {"rows": one[None, None]}, {"classes": CLASSES[:1]}, one[:, 1::-1] * [WIDTH, HEIGHT], one[:, 2]),
            ("simcc", {"simcc_x": across, "simcc_y": down}, {"classes": None}, bins / 2, np.full(17, 0.6))):
        model, contract = folder / "points.onnx", folder / "points.yaml"
        onnx_models.constant_model(model, outputs, (HEIGHT, WIDTH))
        described = onnx_models.contract_of(model, layout, {role: (role, a.shape) for role, a in outputs.items()}, (HEIGHT, WIDTH),
                                            keypoints={"count": 17}, **more)
        described["input"]["fit"] = fit
        onnx_models.write_contract(contract, described)
        found = run(contract, folder / "image.png", backend)["detections"]
        assert len(found) == 1, (layout, found)
        points = np.array(found[0]["points_px"])
        assert np.abs(points[:, :2] - points_in_image(shown, fit)).max() < 2e-2, (layout, fit)
        assert np.abs(points[:, 2] - score).max() < 1e-5, (layout, fit)
        left, top, right, bottom = found[0]["box_px"]
        assert layout == "simcc" or (points[:, 0] > left).all() and (points[:, 0] < right).all() and (points[:, 1] > top).all() and (points[:, 1] < bottom).all()
        for wrong, complaint in (({"keypoints": {"count": 16}}, "shape"), ({"keypoints": None}, "keypoints")):
            onnx_models.write_contract(folder / "bad.yaml", {key: v for key, v in {**described, **wrong}.items() if v is not None})
            ran = subprocess.run([os.environ["POV"], "model", "run", folder / "bad.yaml", folder / "image.png"], capture_output=True, text=True)
            assert ran.returncode == 1 and complaint in ran.stderr, (layout, wrong, ran.stderr)


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        cv2.imwrite(str(folder / "image.png"), np.full((IMAGE_HEIGHT, IMAGE_WIDTH, 3), 90, np.uint8))
        ways = itertools.cycle((("letterbox_center", False), ("letterbox_top_left", True), ("stretch", False)))
        for backend in onnx_models.backends():
            for layout, makers in LAYOUTS.items():
                for make in makers:
                    check(folder, layout, make, next(ways), backend)
            for fit in "letterbox_center", "letterbox_top_left", "stretch":
                check_points(folder, fit, backend)
            check_depth(folder, "stretch", "large", (1, 1, HEIGHT, WIDTH), backend)
            check_depth(folder, "letterbox_center", "small", (1, HEIGHT // 2, WIDTH // 2), backend)
            check_depth(folder, "letterbox_top_left", "large", (1, 1, HEIGHT, WIDTH), backend)


if __name__ == "__main__":
    main()
