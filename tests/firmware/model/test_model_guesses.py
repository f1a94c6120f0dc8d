#!/usr/bin/python3
"""`pov model check` names the layout of files as people export them, or says why it knows none. Names and sizes are those of the tools."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import cv2
import numpy as np
import yaml

sys.path.insert(0, str(pathlib.Path(os.environ["POV_SOURCE"]) / "tests" / "support"))
import onnx_models  # noqa: E402

random = np.random.default_rng(38)
SIZE = (320, 320)
NAMES = "{0: 'cup', 1: 'duck', 2: 'toy car'}"


def shares(*shape):
    return random.uniform(0, 1, shape)


def numbers(*shape):
    return random.normal(0, 3, shape)


def corners(n):
    low, size = shares(n, 2) * 0.6, 0.1 + 0.3 * shares(n, 2)
    return np.hstack([low, low + size])[None]


def rows(boxes, *columns):
    """Ultralytics' [1, 4 + ..., N]."""
    return np.hstack([boxes, *columns]).T[None]


class Guesses(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self.scratch.name)
        self.addCleanup(self.scratch.cleanup)

    def check(self, outputs, size=SIZE, **options):
        """The contract that is written, or the complaint."""
        model = self.folder / "net.onnx"
        contract = model.with_suffix(".yaml")
        contract.unlink(missing_ok=True)
        onnx_models.constant_model(model, outputs, size, **options)
        ran = subprocess.run([os.environ["POV"], "model", "check", model], capture_output=True, text=True)
        if ran.returncode == 0:
            return yaml.safe_load(contract.read_text())
        self.assertEqual(ran.returncode, 1)
        self.assertFalse(contract.exists())
        self.assertIn("no known layout", ran.stderr)
        return ran.stderr

    def test_the_metadata_of_ultralytics_say_what_the_columns_are(self):
        boxes = shares(2100, 4) * 300
        pose = self.check({"output0": rows(boxes, shares(2100, 1), shares(2100, 51) * 300)},
                          metadata={"task": "pose", "names": "{0: 'person'}", "kpt_shape": "[17, 3]"})
        self.assertEqual((pose["layout"], pose["classes"], pose["keypoints"]), ("yolov8", ["person"], {"count": 17, "columns": 3}))
        masks = self.check({"output0": rows(boxes, shares(2100, 3), numbers(2100, 32)), "output1": numbers(1, 32, 80, 80)},
                           metadata={"task": "segment", "names": NAMES})
        self.assertEqual((masks["layout"], masks["classes"], masks["extra_columns"]), ("yolov8", ["cup", "duck", "toy car"], 32))
        turned = self.check({"output0": rows(boxes, shares(2100, 3), numbers(2100, 1))}, metadata={"task": "obb", "names": NAMES})
        self.assertEqual((turned["classes"], turned["rotated"]), (["cup", "duck", "toy car"], True))
        finished = self.check({"output0": np.hstack([corners(300)[0] * 300, shares(300, 1), random.integers(0, 3, (300, 1))])[None]},
                              metadata={"task": "detect", "names": NAMES})
        self.assertEqual((finished["layout"], finished["classes"]), ("yolo26", ["cup", "duck", "toy car"]))
        self.assertNotIn("COCO", pathlib.Path(self.folder / "net.yaml").read_text())
        self.assertIn("task 'classify'", self.check({"output0": shares(1, 84, 2100)}, metadata={"task": "classify"}))

    def test_columns_that_are_no_scores_are_not_sealed_as_classes(self):
        boxes = shares(2100, 4) * 300
        told = self.check({"output0": rows(boxes, shares(2100, 1), shares(2100, 51) * 300)})
        self.assertIn("where the contract has a probability", told)
        self.check({"output": np.hstack([boxes, shares(2100, 1), shares(2100, 10) * 300, shares(2100, 1)])[None]})  # YOLOv5-face

    def test_weights_that_are_listed_as_inputs_are_none(self):
        helper, path = onnx_models.helper, self.folder / "listed.onnx"
        weights = [onnx_models.tensor(f"w{i}", np.zeros((3, 3, 1, 1), np.float32)) for i in range(6)]
        nodes = [helper.make_node("Conv", [f"x{i}" if i else "images", f"w{i}"], [f"x{i + 1}"], kernel_shape=[1, 1]) for i in range(6)]
        nodes += [helper.make_node("GlobalAveragePool", ["x6"], ["mean"]), helper.make_node("Reshape", ["mean", "flat"], ["angles"])]
        weights.append(onnx_models.tensor("flat", np.array([1, 3])))
        inputs = [onnx_models.described("images", [1, 3, 64, 64])]
        inputs += [onnx_models.described(f"w{i}", [3, 3, 1, 1]) for i in range(6)]
        onnx_models.save(path, nodes, inputs, [onnx_models.described("angles", [1, 3])], weights)
        said = subprocess.run([os.environ["POV"], "model", "check", path], capture_output=True, text=True)
        self.assertEqual((said.returncode, said.stdout.count("  input ")), (0, 1), said)

    def test_detectors_whose_outputs_come_apart(self):
        cells = {8: 1600, 16: 400, 32: 100}
        shuffled = {"cls_score0": shares(1600, 80), "bbox_pred0": shares(400, 80), "cls_score1": shares(100, 80),
                    "bbox_pred1": numbers(1600, 32), "cls_score2": numbers(400, 32), "bbox_pred2": numbers(100, 32)}
        nanodet = self.check(shuffled)  # the names of the real file are as wrong
        self.assertEqual([[p["name"] for p in nanodet["outputs"][role]["parts"]] for role in ("scores", "boxes")],
                         [["cls_score0", "bbox_pred0", "cls_score1"], ["bbox_pred1", "cls_score2", "bbox_pred2"]])
        self.assertEqual((nanodet["layout"], nanodet["strides"], nanodet["distance_bins"]), ("nanodet", [8, 16, 32], 8))
        self.assertEqual(self.check({"output": np.hstack([shares(2125, 20), numbers(2125, 32)])[None]},
                                    metadata={"names": str({i: f"c{i}" for i in range(20)})})["layout"], "nanodet")
        fastest = self.check({"output": np.vstack([shares(1, 1, 22, 22)[0], numbers(4, 22, 22), shares(80, 22, 22)])[None]}, (352, 352))
        self.assertEqual((fastest["layout"], fastest["strides"], len(fastest["classes"])), ("fastestdet", [16], 80))
        yunet = {f"{kind}_{s}": make(1, n, c) for kind, c, make in (("cls", 1, shares), ("obj", 1, shares), ("bbox", 4, numbers),
                                                                    ("kps", 10, numbers)) for s, n in cells.items()}
        face = self.check(yunet)
        self.assertEqual((face["layout"], face["boxes"], face["classes"], face["keypoints"]), ("face", "cells", ["face"], {"count": 5}))
        self.assertEqual((face["input"]["color"], face["input"]["scale"]), ("bgr", 1))
        scrfd = {f"{kind}_{s}": make(1, 2 * n, c) for kind, c, make in (("score", 1, shares), ("bbox", 4, numbers)) for s, n in cells.items()}
        self.check(scrfd)  # two anchors a cell

    def test_boxes_and_scores_of_faces_ssd_and_transformers(self):
        face = shares(1, 4420, 1)
        both = np.concatenate([1 - face, face], 2)
        ultraface = self.check({"scores": both, "boxes": corners(4420)}, (240, 320))
        self.assertEqual((ultraface["layout"], ultraface["boxes"], ultraface["nothing"]), ("face", "corners", "first"))
        offsets = self.check({"scores": both, "boxes": numbers(1, 4420, 4) / 3}, (240, 320))
        self.assertEqual((offsets["boxes"], offsets["strides"], len(offsets["priors"])), ("priors", [8, 16, 32, 64], 4))
        logits = self.check({"loc": corners(2000), "conf": numbers(1, 2000, 21)})
        self.assertEqual((logits["layout"], logits["logits"], len(logits["classes"])), ("ssd", True, 20))
        self.assertIn("priors", self.check({"loc": numbers(1, 2000, 4), "conf": numbers(1, 2000, 21)}))
        self.assertEqual(self.check({"loc": numbers(1, 3000, 4), "conf": numbers(1, 3000, 21)}, (300, 300))["strides"], [16, 32, 64, 100, 150, 300])
        self.assertEqual(self.check({"loc": numbers(1, 8732, 4), "conf": numbers(1, 8732, 91)}, (300, 300))["priors"][0][0], [21, 21])
        detr = self.check({"pred": numbers(1, 300, 80), "box": shares(1, 300, 4)})
        self.assertEqual((detr["layout"], detr["outputs"]["boxes"]["name"]), ("rtdetr", "box"))

    def found(self, width, height, score):
        """What the network that was checked last finds in a picture as large as its input."""
        picture, contract = self.folder / "grey.png", self.folder / "net.yaml"
        cv2.imwrite(str(picture), np.full((height, width, 3), 90, np.uint8))
        contract.write_text(contract.read_text().replace("score_min: 0.5", f"score_min: {score}"))
        ran = subprocess.run([os.environ["POV"], "model", "run", contract, picture, "--json"], capture_output=True, text=True, check=True)
        return json.loads(ran.stdout)["detections"]

    def test_boxes_of_priors_are_those_of_their_papers(self):
        """By a loop over rows as the networks' own code has it."""
        rows = []  # SSD300 on VOC (Liu 2016)
        for step, low, high, ratios in ((8, 30, 60, [2]), (16, 60, 111, [2, 3]), (32, 111, 162, [2, 3]), (64, 162, 213, [2, 3]), (100, 213, 264, [2]),
                                        (300, 264, 315, [2])):
            for y in range(-(-300 // step)):
                for x in range(-(-300 // step)):
                    sizes = [(low, low), ((low * high) ** 0.5,) * 2]
                    for r in ratios:
                        sizes += [(low * r ** 0.5, low / r ** 0.5), (low / r ** 0.5, low * r ** 0.5)]
                    rows += [((x + 0.5) * step, (y + 0.5) * step, *size) for size in sizes]
        offsets, logits = numbers(1, 8732, 4) / 3, np.zeros((1, 8732, 21))
        logits[..., 0] = 9
        chosen = [14, 5000, 8100, 8690]
        for i, row in enumerate(chosen):
            logits[0, row, 3 + i] = 20
        self.assertEqual(len(rows), 8732)
        self.check({"loc": offsets, "conf": logits}, (300, 300))
        seen = {d["class"]: d["box_px"] for d in self.found(300, 300, 0.5)}
        for i, row in enumerate(chosen):
            (x, y, w, h), (dx, dy, dw, dh) = rows[row], offsets[0, row]
            x, y, w, h = x + 0.1 * dx * w, y + 0.1 * dy * h, w * np.exp(0.2 * dw), h * np.exp(0.2 * dh)
            edges = np.clip([x - w / 2, y - h / 2, x + w / 2, y + h / 2], 0, 300) - 0.5
            np.testing.assert_allclose(seen[f"class_{2 + i}"], edges, atol=0.02)

    def test_retinafaces_points_lie_about_their_priors(self):
        size, face = (320, 320), 3701  # of 2 * (1600 + 400 + 100): the second stride's
        offsets, points = numbers(1, 4200, 4) / 3, numbers(1, 4200, 10)
        scores = np.tile([0.99, 0.01], (1, 4200, 1))
        scores[0, face] = [0.05, 0.95]
        told = self.check({"loc": offsets, "conf": scores, "landms": points}, size)
        self.assertEqual((told["layout"], told["boxes"], told["keypoints"], told["input"]["mean"]), ("face", "priors", {"count": 5}, [104, 117, 123]))
        (seen,) = self.found(*size, 0.5)
        cell, prior = divmod(face - 3200, 2)
        side, x, y = (64, 128)[prior], (cell % 20 + 0.5) * 16, (cell // 20 + 0.5) * 16
        wanted = [[x + 0.1 * side * points[0, face, 2 * k] - 0.5, y + 0.1 * side * points[0, face, 2 * k + 1] - 0.5] for k in range(5)]
        np.testing.assert_allclose([p[:2] for p in seen["points_px"]], wanted, atol=0.02)

    def test_tensorflows_boxes_begin_with_the_top(self):
        boxes, labels, sure = np.zeros((1, 100, 4)), np.zeros((1, 100)), np.zeros((1, 100))
        boxes[0, 0], labels[0, 0], sure[0, 0] = [0.1, 0.2, 0.5, 0.9], 3, 0.8
        self.check({"detection_boxes:0": boxes, "detection_classes:0": labels, "detection_scores:0": sure, "num_detections:0": np.array([1.0])},
                   (200, 400))
        (seen,) = self.found(400, 200, 0.5)
        self.assertEqual(seen["class"], "car")  # COCO's third
        np.testing.assert_allclose(seen["box_px"], [79.5, 19.5, 359.5, 99.5], atol=0.02)

    def test_headings_are_named_or_refused(self):
        euler = self.check({"output": np.array([[-20.5, 4, 3]])}, (64, 64))
        self.assertEqual((euler["heading"]["kind"], euler["heading"]["order"], euler["heading"]["unit"]),
                         ("euler", ["yaw", "pitch", "roll"], "degrees"))
        hopenet = self.check({name: numbers(1, 66) for name in ("yaw", "pitch", "roll")}, (224, 224))["heading"]
        self.assertEqual((hopenet["bins"], hopenet["first_deg"], hopenet["step_deg"]), (66, -99, 3))
        gaze = self.check({"pitch": numbers(1, 90), "yaw": numbers(1, 90)}, (448, 448))
        self.assertEqual((gaze["outputs"]["heading"]["name"], gaze["heading"]["first_deg"], gaze["heading"]["step_deg"]), ("yaw", -180, 4))
        self.assertIn("none called yaw", self.check({"a": numbers(1, 90), "b": numbers(1, 90)}, (448, 448)))
        for columns in 602, 722, 902, 900:
            orient = self.check({"output": numbers(1, columns)}, (224, 224))["heading"]
            self.assertEqual((orient["bins"], orient["columns"], orient["first_column"]), (360, columns, 0))
            self.assertEqual((orient.get("confidence_column"), orient.get("sigmoid")), (None, True) if columns == 900 else (columns - 2, None))
        self.assertIn("1000 numbers", self.check({"logits": numbers(1, 1000)}, (224, 224)))

    def test_points_of_bodies(self):
        with_onnxruntime = "onnxruntime" in onnx_models.backends()
        for shape, of, size, as_tensorflow in (((1, 1, 17, 3), 17, (192, 192), with_onnxruntime), ((1, 6, 56), 17, (256, 256), False)):
            movenet = self.check({"output_0": shares(*shape)}, size, as_tensorflow=as_tensorflow)
            self.assertEqual((movenet["layout"], movenet["keypoints"], movenet["classes"]), ("movenet", {"count": of}, ["person"]))
            self.assertEqual((movenet["input"]["scale"], movenet["input"]["color"], movenet["input"]["fill"]), (1, "rgb", 0))
            self.assertEqual(movenet["input"].get("order", "nchw"), "nhwc" if as_tensorflow else "nchw")
        for points in 17, 26:
            rtmpose = self.check({"simcc_x": shares(1, points, 384), "simcc_y": shares(1, points, 512)}, (256, 192))
            self.assertEqual((rtmpose["layout"], rtmpose["keypoints"], rtmpose["crop_margin"]), ("simcc", {"count": points}, 0.125))
        self.check({"simcc_x": shares(1, 133, 384), "simcc_y": shares(1, 133, 512)}, (256, 192))
        self.check({"heatmaps": shares(1, 17, 64, 48)}, (256, 192))

    def test_what_transformers_and_end_to_end_exports_leave(self):
        detr = self.check({"logits": numbers(1, 100, 92), "pred_boxes": shares(1, 100, 4)})
        self.assertEqual((detr["layout"], detr["boxes"], detr["nothing"], detr["logits"], len(detr["classes"]), detr["overlap_max"]),
                         ("ssd", "center", "last", True, 91, 1))
        self.assertEqual(self.check({"logits": numbers(1, 300, 80), "pred_boxes": shares(1, 300, 4)})["layout"], "rtdetr")
        done = self.check({"num_dets": np.array([[2]]), "det_boxes": corners(100) * 300, "det_scores": shares(1, 100),
                           "det_classes": random.integers(0, 80, (1, 100))})
        self.assertEqual((done["layout"], done["outputs"]["labels"]["name"], done["input"]["fit"]), ("rtdetr_post", "det_classes", "letterbox_center"))

    def test_a_matrix_is_a_rotation(self):
        turned = self.check({"output": np.eye(3)[None]}, (224, 224))["heading"]
        self.assertEqual((turned["kind"], turned["front_axis"]), ("rotation_9d", [0, 0, -1]))
        looks = json.loads(subprocess.run([os.environ["POV"], "model", "run", self.folder / "net.yaml", self.picture(), "--json"],
                                          capture_output=True, text=True, check=True).stdout)
        self.assertAlmostEqual(abs(looks["detections"][0]["heading"][0]["deg"]), 180, places=3)  # 1: it looks into the camera

    def picture(self):
        path = self.folder / "picture.png"
        cv2.imwrite(str(path), np.full((90, 120, 3), 90, np.uint8))
        return path

    def test_several_images_at_once_are_refused_by_name(self):
        onnx = onnx_models.onnx
        path = self.folder / "batch.onnx"
        onnx_models.constant_model(path, {"output0": rows(shares(525, 4) * 100, shares(525, 3))}, (160, 160))
        model = onnx.load(path)
        model.graph.input[0].type.tensor_type.shape.dim[0].dim_value = 4
        onnx.save(model, path)
        ran = subprocess.run([os.environ["POV"], "model", "check", path], capture_output=True, text=True)
        self.assertEqual(ran.returncode, 1)
        self.assertIn("takes 4 images at a time", ran.stderr)

    def test_sizes_that_are_open_are_those_of_the_metadata(self):
        onnx = onnx_models.onnx
        path = self.folder / "open.onnx"
        onnx_models.constant_model(path, {"output0": rows(shares(525, 4) * 100, shares(525, 3))}, (160, 160),
                                   metadata={"imgsz": "[160, 160]", "names": NAMES, "task": "detect"})
        model = onnx.load(path)
        for k, name in (0, "batch"), (2, "height"), (3, "width"):
            model.graph.input[0].type.tensor_type.shape.dim[k].dim_param = name
        onnx.save(model, path)
        subprocess.run([os.environ["POV"], "model", "check", path], check=True, stdout=subprocess.DEVNULL)
        self.assertEqual(yaml.safe_load(path.with_suffix(".yaml").read_text())["input"]["shape"], [1, 3, 160, 160])


if __name__ == "__main__":
    unittest.main()
