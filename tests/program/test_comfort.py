#!/usr/bin/env python3
"""COMFORT's published renders through the program: azimuths, their deviations and every verdict against the truth.

Optional data: ../shared/data/comfort (or $POV_SHARED/data/comfort)."""
import json
import math
import os
import pathlib
import statistics
import subprocess
import sys
import unittest

POV = os.environ["POV"]
SOURCE = pathlib.Path(os.environ["POV_SOURCE"])
DATA = pathlib.Path(os.environ.get("POV_SHARED", SOURCE.parent / "shared")) / "data" / "comfort"
SKIPPED = 77
# Prototype azimuths as published, by heading (COMFORT, section 3): front, behind, left, right.
RELATIONS = ("in_front_of", "behind", "left_of", "right_of")
PROTOTYPES = {
    ("egocentric", "reflected"): (0, 180, 270, 90),
    ("egocentric", "translated"): (180, 0, 270, 90),
    ("egocentric", "rotated"): (0, 180, 90, 270),
    ("addressee", "reflected"): (270, 90, 180, 0),
    ("addressee", "translated"): (90, 270, 180, 0),
    ("addressee", "rotated"): (270, 90, 0, 180),
    ("intrinsic", None): (270, 90, 0, 180),  # the relatum faces camera-left
}


def wrap(angle_deg):
    return (angle_deg + 180) % 360 - 180


def judged(station, folder):
    result = subprocess.run([POV, "run", SOURCE / "share" / "stations" / station, "--images", folder, "--json", "--no-publish"],
                            capture_output=True, text=True, timeout=200)
    if result.returncode != 0:
        raise AssertionError(result.stderr)
    return [json.loads(line) for line in result.stdout.splitlines()]


def azimuth(line, referent, relatum):
    """phi and its standard deviation from the two positions' covariances, in degrees; None if not found."""
    entity = {e["id"]: e for e in line["scene"]["entities"]}
    a, b = entity[referent], entity[relatum]
    if a["pos_m"] is None:
        return None
    x, y = (a["pos_m"][k] - b["pos_m"][k] for k in (0, 1))
    cov = [p + q for p, q in zip(a["pos_cov_m2"], b["pos_cov_m2"])]
    g = (-y / (x * x + y * y), x / (x * x + y * y))
    variance = g[0] * g[0] * cov[0] + 2 * g[0] * g[1] * cov[1] + g[1] * g[1] * cov[4]
    return math.degrees(math.atan2(y, x)), math.degrees(math.sqrt(variance))


class Comfort(unittest.TestCase):
    def frames(self, name, station):
        truth = json.loads((DATA / name / "truth.json").read_text())
        lines = judged(station, DATA / name)
        self.assertEqual(len(lines), len(truth["frames"]))
        for line, frame in zip(lines, truth["frames"]):
            self.assertEqual(line["image"]["name"], frame["file"])
            yield line, frame["phi_deg"]

    def check_verdicts(self, line, referent, phi, std_deg):
        for j in line["judgments"]:
            prototype = PROTOTYPES[j["perspective"], j["convention"]]
            if j["referent"] != referent or j["verdict"] == "undefined":
                continue
            theta = wrap(phi - prototype[RELATIONS.index(j["relation"])])
            if j["verdict"] == "abstain":
                self.assertLessEqual(abs(abs(theta) - 90), 3 * std_deg + 3, j)
            else:
                self.assertEqual(j["verdict"], "true" if abs(theta) < 90 else "false", j)

    def check_balls(self, name, station, referent, relatum):
        errors, within = [], 0
        for line, phi in self.frames(name, station):
            measured = azimuth(line, referent, relatum)
            self.assertIsNotNone(measured, line["image"]["name"])
            errors.append(abs(wrap(measured[0] - phi)))
            within += errors[-1] <= 2 * measured[1]
            self.check_verdicts(line, referent, phi, measured[1])
        print(f"{name}: median {statistics.median(errors):.2f}, worst {max(errors):.2f} degrees; "
              f"{within} of {len(errors)} within 2 standard deviations")
        self.assertLessEqual(statistics.median(errors), 0.7)
        self.assertLessEqual(max(errors), 2)
        self.assertGreaterEqual(within, 0.9 * len(errors))

    def test_a_red_ball_about_a_blue_one(self):
        self.check_balls("ball_default", "comfort_ball.yaml", "red_ball", "blue_ball")

    def test_a_yellow_ball_about_a_green_one(self):
        self.check_balls("ball_color", "comfort_ball_color.yaml", "yellow_ball", "green_ball")

    def check_car(self, name, station, relatum):
        errors, found = [], 0
        for line, phi in self.frames(name, station):
            measured = azimuth(line, "basketball", relatum)
            if measured is None:
                self.assertGreater(abs(wrap(phi)), 140, f"{phi}: in plain view")  # only ever hidden behind the relatum
                continue
            errors.append(abs(wrap(measured[0] - phi)))
            self.check_verdicts(line, "basketball", phi, measured[1])
        print(f"{name}: median {statistics.median(errors):.2f}, worst {max(errors):.2f} degrees; "
              f"found in {len(errors)}")
        self.assertLessEqual(statistics.median(errors), 2.5)

    def test_a_basketball_about_a_car(self):
        self.check_car("car_default", "comfort_car.yaml", "car")

    def test_a_basketball_about_a_duck(self):
        self.check_car("car_duck", "comfort_duck.yaml", "duck")


if __name__ == "__main__":
    if not DATA.is_dir():
        print("skipped: ../shared not found")
        sys.exit(SKIPPED)
    unittest.main()
