#!/usr/bin/python3
"""How exactly, and how fast, `pov enrol` tells an object's angle: against a plain 12-dimensional eigenspace with periodic cubic
splines (Murase & Nayar 1995, in numpy) on the same views.

enrol.py POV       simulated bodies, drawn bodies that are nearly symmetric, and the photographs of ../shared/data/coil20 where
                   they are; 5 degrees apart: learnt from every second one, asked about the others, as they are and disturbed
                   (moved by up to 1/16 of the side, 5 % in size, 20 % in light, noise of 5 levels). "within": the share of views
                   whose angle is within two stated deviations
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import cv2
import numpy as np
from scipy.interpolate import CubicSpline

BODIES = ["rubber duck", "car", "teddy bear", "cat", "mug", "laptop"]
SIDE, DIMENSIONS, GRID_DEG = 32, 12, 0.1
sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "support"))
import turned_jars

COIL = pathlib.Path(os.environ.get("POV_SHARED", pathlib.Path(__file__).parents[2] / ".." / "shared")) / "data" / "coil20"
WORLD = """about: One thing alone, close up.
camera: {{size_px: [96, 96], field_of_view_deg: 16, position_m: [0.94, 0, 0.38], look_at_m: [0, 0, 0.05]}}
surface: {{size_m: [8, 8], color: "#202428", look: plain}}
motion: {{steps: 72, period_s: 20}}
turntable: {{position_m: [0, 0], radius_m: 0.1, height_m: 0.001, color: "#202428"}}
things:
  - {{id: thing, class: {body}, position_m: [0, 0], on: turntable, size_m: {size}}}
"""


class Plain:
    """Normalised views in the space of their first principal axes, a spline through them, the nearest point of a fine grid."""

    def __init__(self, images, angles_deg):
        views = np.array([self.normalise(image) for image in images])
        self.mean = views.mean(0)
        self.axes = np.linalg.svd(views - self.mean, full_matrices=False)[2][:DIMENSIONS]
        places = (views - self.mean) @ self.axes.T
        spline = CubicSpline([*angles_deg, angles_deg[0] + 360], np.vstack([places, places[:1]]), bc_type="periodic")
        self.grid_deg = np.arange(0, 360, GRID_DEG)
        self.curve = spline(self.grid_deg)

    @staticmethod
    def normalise(image):
        view = cv2.resize(image, (SIDE, SIDE), interpolation=cv2.INTER_AREA).ravel().astype(float)
        return view / np.linalg.norm(view)

    def ask(self, image):
        place = (self.normalise(image) - self.mean) @ self.axes.T
        return self.grid_deg[((self.curve - place) ** 2).sum(1).argmin()]


def disturb(image, random):
    side = image.shape[0]
    (dx, dy), scale, middle = random.uniform(-2, 2, 2) * side / SIDE, random.uniform(0.95, 1.05), (side - 1) / 2
    move = np.float64([[scale, 0, middle * (1 - scale) + dx], [0, scale, middle * (1 - scale) + dy]])
    moved = cv2.warpAffine(image, move, (side, side), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    noisy = moved * random.uniform(0.8, 1.2) + random.normal(0, 5, moved.shape)
    return np.clip(noisy, 0, 255).astype(np.uint8)


def simulated(pov, body, folder):
    sizes = {"car": 0.2, "cat": 0.16, "teddy bear": 0.12, "laptop": 0.15, "mug": 0.12, "rubber duck": 0.12}
    (folder / "world.yaml").write_text(WORLD.format(body=body, size=sizes[body]))
    subprocess.run([pov, "sim", folder / "world.yaml", "--out", folder / "sim", "--quiet"], check=True)
    return [cv2.imread(str(path), cv2.IMREAD_GRAYSCALE) for path in sorted((folder / "sim" / "images").glob("*.png"))]


def write(folder, images):
    folder.mkdir()
    for angle_deg, image in images.items():
        cv2.imwrite(str(folder / f"{angle_deg}.png"), image)
    return folder


def own(pov, folder, learnt, asked):
    """(mean, worst, share within two deviations, ms) of each set of images asked; None: it looks the same from everywhere."""
    model = folder / "thing.pov"
    learn = ["thing", "--images", write(folder / "learnt", learnt), "--angle-from-name", "--out", model, "--json"]
    subprocess.run([pov, "enrol", *learn], check=True, stdout=subprocess.DEVNULL)
    for name, images in asked.items():
        done = subprocess.run([pov, "enrol", "--check", model, "--images", write(folder / name, images), "--json"], check=True,
                              stdout=subprocess.PIPE)
        found = json.loads(done.stdout)
        within = found["within_two_std"]
        yield None if within is None else (found["mean_error_deg"], found["worst_error_deg"], 100 * within, found["query_ms"])


def peer(learnt, asked):
    plain = Plain(list(learnt.values()), list(learnt))
    for images in asked.values():
        start = time.perf_counter()
        errors = [abs((plain.ask(image) - angle_deg + 180) % 360 - 180) for angle_deg, image in images.items()]
        yield np.mean(errors), np.max(errors), (time.perf_counter() - start) / len(images) * 1e3


def measure(pov, name, images, folder):
    random = np.random.default_rng(1)
    learnt = {5 * i: images[i] for i in range(0, 72, 2)}
    asked = {"between": {5 * i: images[i] for i in range(1, 72, 2)}}
    asked["disturbed"] = {angle_deg: disturb(image, random) for angle_deg, image in asked["between"].items()}
    for kind, ours, theirs in zip(asked, own(pov, folder, learnt, asked), peer(learnt, asked)):
        told = "%6.2f %6.2f %6.1f%% %6.2f" % ours if ours else f"{'no heading':28}"
        print(f"{name:22} {kind:10} {told}   " + "%6.2f %6.2f %6.2f" % theirs, flush=True)


def main():
    pov = pathlib.Path(sys.argv[1]).resolve()
    print(f"{'':33} {'pov enrol':28}   plain eigenspace, numpy\n"
          f"{'':33}   mean  worst  within ms each     mean  worst ms each  (deg)")
    for body in BODIES:
        with tempfile.TemporaryDirectory() as folder:
            measure(pov, body + " (simulated)", simulated(pov, body, pathlib.Path(folder)), pathlib.Path(folder))
    for seed in range(12):
        name, images = turned_jars.turn(seed)
        with tempfile.TemporaryDirectory() as folder:
            measure(pov, name, list(images.values()), pathlib.Path(folder))
    for photographs in sorted(COIL.glob("*")):
        with tempfile.TemporaryDirectory() as folder:
            images = [cv2.imread(str(photographs / f"{5 * i:03d}.png"), cv2.IMREAD_GRAYSCALE) for i in range(72)]
            measure(pov, photographs.name, images, pathlib.Path(folder))


if __name__ == "__main__":
    main()
