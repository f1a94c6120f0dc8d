#!/usr/bin/env python3
"""The weights that come along, through the program: their golden numbers, and what they find in COMFORT's pictures.

Optional data: ../shared/data/comfort (or $POV_SHARED/data/comfort)."""
import json
import math
import os
import pathlib
import subprocess
import unittest

SOURCE = pathlib.Path(os.environ["POV_SOURCE"])
CONTRACT = SOURCE / "share" / "models" / "worlds.yaml"
DATA = pathlib.Path(os.environ.get("POV_SHARED", SOURCE.parent / "shared")) / "data" / "comfort"


def pov(*arguments):
    return subprocess.run([os.environ["POV"], *map(str, arguments)], capture_output=True, text=True, timeout=300)


def project(truth, point):
    """A point of the world as a pixel of a pinhole camera."""
    K, R, eye = truth["intrinsics"], truth["R_world_camera"], truth["camera_pos_world"]
    away = [p - e for p, e in zip(point, eye)]
    x, y, z = (sum(R[row][column] * away[row] for row in range(3)) for column in range(3))
    return K["fx_px"] * x / z + K["cx_px"], K["fy_px"] * y / z + K["cy_px"]


def middle_and_foot(truth, place, height):
    return project(truth, (*place[:2], height / 2)), project(truth, place)


def referent(truth, frame):
    ball, turn = truth["referent"], math.radians(frame["phi_deg"])
    return ball["orbit_radius"] * math.cos(turn), ball["orbit_radius"] * math.sin(turn), ball["height"]


def holds(box, point):
    return box[0] < point[0] < box[2] and box[1] < point[1] < box[3]


class OwnNetwork(unittest.TestCase):
    def test_the_network_is_as_its_contract_says_and_gives_its_golden_numbers(self):
        result = pov("model", "check", CONTRACT)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("golden numbers", result.stdout)

    @unittest.skipUnless(DATA.is_dir(), "skipped: ../shared not found")
    def test_the_woman_the_duck_and_the_ball_are_found_in_comforts_pictures(self):
        folder = DATA / "car_duck"
        truth = json.loads((folder / "truth.json").read_text())
        woman, duck = (middle_and_foot(truth, (0, -5, 0), 1.7), middle_and_foot(truth, (0, 0, 0), 0.8))
        result = pov("model", "run", CONTRACT, "--json", *sorted(folder.glob("*.png")))
        self.assertEqual(result.returncode, 0, result.stderr)
        lines = result.stdout.splitlines()
        self.assertEqual(len(lines), len(truth["frames"]))
        balls = 0
        for line, frame in zip(lines, truth["frames"]):
            best = {}
            for thing in json.loads(line)["detections"]:
                best.setdefault(thing["class"], thing["box_px"])
            self.assertTrue(holds(best["person"], woman[0]))
            self.assertLess(abs(best["person"][3] - woman[1][1]), 8)
            self.assertTrue(holds(best["rubber duck"], duck[0]))
            self.assertLessEqual(set(best), {"person", "rubber duck", "ball"})
            balls += "ball" in best and holds(best["ball"], project(truth, referent(truth, frame)))
        self.assertGreaterEqual(balls, 30)


if __name__ == "__main__":
    unittest.main()
