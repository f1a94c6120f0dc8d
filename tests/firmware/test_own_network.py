#!/usr/bin/env python3
"""The weights that come along, through the program: their golden numbers, and what they find in COMFORT's pictures.

Optional data: ../shared/data/comfort (or $POV_SHARED/data/comfort)."""
import json
import os
import pathlib
import subprocess
import unittest

SOURCE = pathlib.Path(os.environ["POV_SOURCE"])
CONTRACT = SOURCE / "models" / "worlds.yaml"
DATA = pathlib.Path(os.environ.get("POV_SHARED", SOURCE.parent / "shared")) / "data" / "comfort"


def pov(*arguments):
    return subprocess.run([os.environ["POV"], *map(str, arguments)], capture_output=True, text=True, timeout=100)


def project(truth, point):
    """A point of the world as a pixel of a pinhole camera."""
    K, R, eye = truth["intrinsics"], truth["R_world_camera"], truth["camera_pos_world"]
    away = [p - e for p, e in zip(point, eye)]
    x, y, z = (sum(R[row][column] * away[row] for row in range(3)) for column in range(3))
    return K["fx_px"] * x / z + K["cx_px"], K["fy_px"] * y / z + K["cy_px"]


class OwnNetwork(unittest.TestCase):
    def test_the_network_is_as_its_contract_says_and_gives_its_golden_numbers(self):
        result = pov("model", "check", CONTRACT)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("golden numbers", result.stdout)

    @unittest.skipUnless(DATA.is_dir(), "skipped: ../shared not found")
    def test_the_woman_and_the_duck_are_found_in_comforts_pictures(self):
        folder = DATA / "car_duck"
        truth = json.loads((folder / "truth.json").read_text())
        foot, middle = project(truth, (0, -5, 0)), project(truth, (0, -5, 0.85))
        result = pov("model", "run", CONTRACT, "--json", *sorted(folder.glob("*.png")))
        self.assertEqual(result.returncode, 0, result.stderr)
        lines = result.stdout.splitlines()
        self.assertEqual(len(lines), 36)
        for line in lines:
            best = {}
            for thing in json.loads(line)["detections"]:
                best.setdefault(thing["class"], thing["box_px"])
            left, top, right, bottom = best["person"]
            self.assertTrue(left < middle[0] < right and top < middle[1] < bottom)
            self.assertLess(abs(bottom - foot[1]), 8)
            left, top, right, bottom = best["rubber duck"]
            at = project(truth, (0, 0, 0.4))  # the relatum is at the origin
            self.assertTrue(left < at[0] < right and top < at[1] < bottom)


if __name__ == "__main__":
    unittest.main()
