#!/usr/bin/python3
"""`pov model try`: from a file to a page with pictures and a sealed contract; real networks on photographs where they are there.

Optional data: ../shared/data (or $POV_SHARED/data): models/*.onnx, people/*.jpg."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import cv2
import numpy as np

SOURCE = pathlib.Path(os.environ["POV_SOURCE"])
sys.path.insert(0, str(SOURCE / "tests" / "support"))
sys.path.insert(0, str(SOURCE / "tests" / "bench"))
import networks  # noqa: E402
import onnx_models  # noqa: E402

HAS_DATA = networks.MODELS.is_dir() and networks.PEOPLE.is_dir()


def attempt(*arguments, status=0):
    ran = subprocess.run([os.environ["POV"], "model", "try", *map(str, arguments)], capture_output=True, text=True)
    assert ran.returncode == status, (arguments, ran.returncode, ran.stdout, ran.stderr)
    return ran.stdout if status == 0 else ran.stderr


class Try(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self.scratch.name)
        self.addCleanup(self.scratch.cleanup)
        cv2.imwrite(str(self.folder / "one.png"), np.full((240, 320, 3), 90, np.uint8))
        self.model = self.folder / "two.onnx"
        boxes = np.array([[0.1, 0.1, 0.4, 0.5], [0.5, 0.5, 0.9, 0.8]] + [[0.2, 0.2, 0.3, 0.3]] * 398)
        face = np.array([0.9, 0.8] + [0.01] * 398)[:, None]
        onnx_models.constant_model(self.model, {"boxes": boxes[None], "scores": np.hstack([1 - face, face])[None]}, (64, 96))

    def test_a_file_and_a_picture_give_a_page_and_a_sealed_contract(self):
        said = attempt(self.model, self.folder / "one.png")
        self.assertIn("one.png: 2 found: face 0.90, face 0.80", said)
        for library in onnx_models.backends():
            self.assertIn("ms a look", said, library)
        page = (self.folder / "two_try" / "index.html").read_text()
        for part in 'src="one.png"', "2 found", "color: the other order", "golden:", "layout: face":
            self.assertIn(part, page)
        drawn = cv2.imread(str(self.folder / "two_try" / "one.png"))
        self.assertGreater((drawn[23:25, 32:128] != 90).mean(), 0.3)  # the first box's upper edge
        subprocess.run([os.environ["POV"], "model", "check", self.folder / "two.yaml"], check=True, stdout=subprocess.DEVNULL)
        self.assertIn("is there: it is tried as it is", attempt(self.model, self.folder / "one.png"))

    def test_what_is_wrong_is_named(self):
        self.assertIn("ends with .onnx", attempt(self.folder / "one.png", self.folder / "one.png", status=2))
        self.assertIn("none.png", attempt(self.model, self.folder / "none.png", status=1))
        self.assertFalse((self.folder / "two_try" / "index.html").exists())
        self.assertIn("--detector", attempt(self.model, self.folder / "one.png", "--detector", self.folder / "two.yaml", status=1))
        (self.folder / "cut.onnx").write_bytes(self.model.read_bytes()[:900])
        told = attempt(self.folder / "cut.onnx", self.folder / "one.png", status=1)
        self.assertIn("cut.onnx: ", told)
        self.assertIn("cut off", told)
        classifier = self.folder / "classes.onnx"
        onnx_models.constant_model(classifier, {"logits": np.zeros((1, 1000))})
        self.assertIn("no known layout", attempt(classifier, self.folder / "one.png", status=1))

    @unittest.skipUnless(HAS_DATA, "../shared not found")
    def test_real_networks_are_accepted_untouched_and_right_on_photographs(self):
        rows = networks.measure(os.environ["POV"], self.folder)
        only_opencv = onnx_models.backends() == ["opencv"]
        self.assertGreaterEqual(len(rows), 6)
        for row in rows:
            print(row)
            if only_opencv and row["layout"] is None:
                continue
            self.assertIsNotNone(row["layout"], row)
            self.assertEqual((row["missed"], row["wrong"]), (0, 0), row)


if __name__ == "__main__":
    unittest.main()
