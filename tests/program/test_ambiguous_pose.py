#!/usr/bin/python3
"""One small, far tag in an image drawn with OpenCV: two camera poses fit it, as a print that bends by 0.3 px has it."""
import json
import os
import pathlib
import sys
import tempfile

import cv2
import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "firmware" / "calib"))
from test_calib_tags import CAMERA, EDGE, HEIGHT, WIDTH, draw_tag, look_at, run

EYE = (0.9, -1.4, 1.3)
STATION = """camera: {source: folder, calibration: camera.yaml%s}
tags: {map: map.yaml, corner_std_px: 0.3}
cast:
  - {id: box, found_by: survey, position_m: [0, 0, 0]}
  - {id: lamp, found_by: survey, position_m: [%s, 0]}
judge: {relations: [in_front_of, north_of], axes: [sight_line], abstain_margin: 0.45, visibility: true}
north_deg: 90
"""


def draw():
    R, t = look_at(EYE, (0, 0, 0))
    image = np.full((HEIGHT, WIDTH), 190, np.float32)
    draw_tag(image, 3, R.T, -R.T @ t)
    cv2.imwrite("far.png", cv2.GaussianBlur(image, (0, 0), 0.6).astype(np.uint8))


def see(lamp, prior=""):
    pathlib.Path("station.yaml").write_text(STATION % (prior, lamp))
    return json.loads(run("run", "station.yaml", "--images", "far.png", "--json", "--no-publish", "--quiet").stdout)


def verdicts(observation, perspective):
    return {j["verdict"] for j in observation["judgments"] if j["perspective"] == perspective}


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        all_of_it()


def all_of_it():
    draw()
    pathlib.Path("camera.yaml").write_text(CAMERA)
    pathlib.Path("map.yaml").write_text(
        f"family: tag36h11\nedge_m: {EDGE}\ntags:\n  - {{id: 3, position_m: [0, 0, 0], yaw_deg: 0}}\n")
    eyes = [np.array(c["pos_m"][:2]) for c in see("0.3, 0.3")["image"]["pose"]["candidates"]]
    assert len(eyes) == 2 and np.linalg.norm(eyes[0] - eyes[1]) > 1, eyes
    between = sum(e / np.linalg.norm(e) for e in eyes)  # aside of it: before the box from one pose, behind from the other
    apart = 0.3 * np.array([-between[1], between[0]]) / np.linalg.norm(between)
    lamp = f"{apart[0]}, {apart[1]}"
    both = see(lamp)
    assert both["image"]["pose"]["source"] == "ambiguous", both["image"]["pose"]
    assert verdicts(both, "absolute") == {"true", "false"}, verdicts(both, "absolute")
    assert verdicts(both, "egocentric") == {"abstain"}, verdicts(both, "egocentric")
    cv2.imwrite("bare.png", np.full((HEIGHT, WIDTH), 190, np.uint8))
    told = run("run", "station.yaml", "--images", "bare.png", "--no-publish", "--quiet").stderr
    assert "no mapped tag is seen, of 1 (others: 0)" in told and "far.png" not in told, told
    decided = see(lamp, ", prior: {roll_deg: 0, roll_std_deg: 2}")
    assert decided["image"]["pose"]["source"] == "tags"
    assert np.linalg.norm(np.array(decided["image"]["pose"]["pos_m"]) - EYE) < 0.2
    assert verdicts(decided, "egocentric") == {"true", "false"}, verdicts(decided, "egocentric")


if __name__ == "__main__":
    sys.exit(main())
