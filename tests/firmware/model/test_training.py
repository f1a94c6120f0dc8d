#!/usr/bin/env python3
"""The worlds that networks are trained on: boxes and headings as the renderer's truth has them, the same again by seed."""
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(os.environ["POV_SOURCE"])
PYTHON = "/usr/bin/python3"  # the distribution's, which has its numpy and OpenCV
WORLDS = SOURCE / "tools" / "training" / "worlds.py"
SIZE = 96


def draw(folder, seed):
    subprocess.run([PYTHON, str(WORLDS), "--pov", os.environ["POV"], "--out", str(folder), "--images", "2", "--seed",
                    str(seed), "--size", str(SIZE)], check=True, stdout=subprocess.DEVNULL, timeout=300)
    return json.loads((folder / "truth.json").read_text())["images"], (folder / "ids.u8").read_bytes()


class Worlds(unittest.TestCase):
    def test_boxes_hold_what_shows_and_a_seed_is_a_set_of_worlds(self):
        with tempfile.TemporaryDirectory() as scratch:
            first, again, other = (draw(pathlib.Path(scratch) / name, seed) for name, seed in zip("abc", (1, 1, 2)))
            self.assertEqual(first, again)
            self.assertNotEqual(first[1], other[1])
            truth, ids = first
            self.assertTrue(all(truth))
            for i, things in enumerate(truth):
                for k, thing in enumerate(things):
                    own = [at for at in range(SIZE * SIZE) if ids[i * SIZE * SIZE + at] == k + 1]
                    columns, rows = [at % SIZE for at in own], [at // SIZE for at in own]
                    self.assertEqual(thing["box_px"], [min(columns), min(rows), max(columns) + 1, max(rows) + 1])
                    self.assertEqual(thing["pixels"], len(own))
                    self.assertEqual(thing["heading_rad"] is None, thing["class"] == "ball")
                    self.assertLessEqual(abs(thing["heading_rad"] or 0), math.pi)


if __name__ == "__main__":
    if subprocess.run([PYTHON, "-c", "import cv2, numpy"], capture_output=True).returncode:
        print("skipped: /usr/bin/python3 has no cv2 or numpy")
        sys.exit(77)
    unittest.main()
